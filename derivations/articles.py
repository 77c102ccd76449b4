"""The documents as pages that are published: each with its drawings, and the errata of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .documents.judged import judge_document
from .documents.reading import document_names, load_document
from .drawing import can_draw, render_plot
from .pages.curves import drawing_of
from .pages.document import document_report
from .pages.documentpage import Page
from .pages.errata import errata_report
from .report import Report

__all__ = ["DOCUMENTS", "document_pages", "documents", "judged_page"]

DOCUMENTS = ("article", "note", "card")
"""In the order they are published; others that ship come after them."""


def judged_page(name: str, say: Callable[[str], None] | None = None) -> Page:
    """A document with all its verdicts; `say` is told how far it is. Raises InputError for a wrong name."""
    document, found = load_document(name), {}
    for verdict in judge_document(document):
        if say is not None:
            say(f"{document.name}: {verdict.claim.id}")
        found[verdict.claim.id] = verdict
    return Page(document, found)


def documents() -> list[str]:
    """Every document, the order of publication first."""
    known = document_names()
    return [*(n for n in DOCUMENTS if n in known), *(n for n in known if n not in DOCUMENTS)]


def document_pages(pages: Iterable[Page] | None = None) -> Iterator[tuple[str, str, Report | str]]:
    """(path, title, report or drawing) of everything that is published about the documents."""
    found = list(pages) if pages is not None else [judged_page(name) for name in documents()]
    for page in found:
        document = page.document
        for section in document.sections:
            if section.figure is not None and can_draw():
                drawing = render_plot(drawing_of(document.sheet, section.figure), ".svg")
                yield f"{document.name}-{section.figure.name}.svg", section.figure.title, str(drawing)
        yield document.name, document.title, document_report(page)
    yield "errata", "Errata", errata_report(found)
