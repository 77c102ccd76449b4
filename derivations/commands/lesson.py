"""`derive lesson list` and `derive lesson NAME`: the course, and one lesson of it."""

from __future__ import annotations

from typing import Any

import click

from .options import format_options, pick_format
from .output import check_output, emit


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from ..resources import names

    words = ("list", *names("models", "lessons", suffix=".md"))
    return [word for word in words if word.startswith(incomplete)]


@click.command(help="Print a lesson; `list` prints the course. Every formula and number in it is derived now.")
@click.argument("name", metavar="NAME|list", shell_complete=_complete)
@format_options(template=False, notebook=True, data=False)
def command(name: str, **flags: Any) -> None:
    """Print the lesson, or the list of them."""
    form = pick_format(flags)
    check_output(flags["output"])
    from ..arranging import without_links
    from ..lessons.reading import course, load_lesson
    from ..pages.lesson import lesson_list, lesson_report
    from ..render import render

    if name == "list":
        report = lesson_list(course())
    else:  # a drawing needs a page that can hold it
        report = lesson_report(load_lesson(name), course(), drawn=form in ("html", "notebook"))
    emit(render(without_links(report), form), flags["output"])  # the pages of other lessons are not beside it
