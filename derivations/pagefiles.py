"""A report as the files it is published as, and the index of all that are published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .render import render
from .render.html import html_page
from .report import Block, Cell, Heading, Items, Link, Report, cell, prose

__all__ = ["Page", "both", "index_pages"]


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the reports."""

    path: str
    """Below the reports' folder."""
    title: str
    """For the index."""
    text: str
    """Its content."""


def both(path: str, title: str, report: Report, latex: bool = True, html: bool = True) -> Iterator[Page]:
    """A report for the screen and, unless its names are too long for a page of paper, for paper.

    `html` adds a page that leads back to the index of the folder that all paths are below.
    """
    yield Page(f"{path}.md", title, render(report, "markdown"))
    if html:
        yield Page(f"{path}.html", title, html_page(report, home=f"{'../' * path.count('/')}index.html"))
    if latex:
        yield Page(f"{path}.tex", title, render(report, "latex"))


def index_pages(made: Iterable[Page], folders: Mapping[str, str]) -> Iterator[Page]:
    """The list of all pages, section by section: `folders` gives each folder's title."""
    pages = list(made)
    yield Page("README.md", "Reports", render(_index(pages, folders, "md"), "markdown"))
    yield Page("index.html", "Reports", html_page(_index(pages, folders, "html")))


def _index(made: list[Page], folders: Mapping[str, str], ending: str) -> Report:
    blocks: list[Block] = [
        prose("Every figure here is derived by make report; none is typed by hand. Pages come as Markdown and "
              "HTML, and but for one as LaTeX.")
    ]  # fmt: skip
    paths = {page.path for page in made}
    for folder, title in folders.items():
        entries = [
            _entry(page, paths, ending)
            for page in made
            if page.path.endswith(".md") and (page.path.partition("/")[0] if "/" in page.path else "") == folder
        ]
        blocks += [Heading(title), Items(tuple(entries))]
    return Report("Reports", "", tuple(blocks))


def _entry(page: Page, paths: set[str], ending: str) -> Cell:
    """A link to a page in the index's own format, with its other formats behind it."""
    stem = page.path.removesuffix(".md")
    others = [
        Link(name, f"{stem}.{suffix}")
        for name, suffix in (("HTML", "html"), ("LaTeX", "tex"), ("notebook", "ipynb"))
        if suffix != ending and f"{stem}.{suffix}" in paths
    ]
    words = [part for other in others for part in (", ", other)][1:]
    return cell(Link(page.title, page.path), *((" (", *words, ")") if others else ()))
