"""The lessons as they are published: each as a page, for print, as a notebook, and its drawings."""

from __future__ import annotations

from collections.abc import Iterator

from .lessons.reading import course
from .pagefiles import Page, both
from .pages.lesson import lesson_list, lesson_report
from .render import render
from .render.html import html_page
from .report import Figure

__all__ = ["LESSONS", "lesson_pages"]

LESSONS = "lessons"
"""The folder they are in."""


def lesson_pages() -> Iterator[Page]:
    """Every file, the course first."""
    lessons = course()
    listed = lesson_list(lessons)
    yield Page(f"{LESSONS}/README.md", "The course", render(listed, "markdown"))
    yield Page(f"{LESSONS}/index.html", "The course", html_page(listed, home="../index.html"))
    for lesson in lessons:
        path, title = f"{LESSONS}/{lesson.name}", f"{lesson.number}. {lesson.title}"
        report = lesson_report(lesson, lessons, drawn=True)
        for block in report.blocks:
            if isinstance(block, Figure):
                yield Page(f"{LESSONS}/{block.path}", title, block.drawing)
        yield from both(path, title, report)
        yield Page(f"{path}.ipynb", title, render(report, "notebook"))
