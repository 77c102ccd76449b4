"""A report: prose, formulas and tables in no format yet, every formula in LaTeX and in plain text.

Templates turn a report into LaTeX, Markdown or text; `plain` gives it to them as dicts and lists,
so that a template, a user's own too, sees data and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Block",
    "Cell",
    "Display",
    "Figure",
    "Heading",
    "Items",
    "Link",
    "Math",
    "Prose",
    "Report",
    "Table",
    "cell",
    "plain",
    "prose",
]


@dataclass(frozen=True, slots=True)
class Math:
    """A formula."""

    latex: str
    """For LaTeX and Markdown; `\\struck{..}` marks what cancels."""
    text: str
    """For the terminal."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to another file of the same set of reports."""

    words: str
    """Plain words."""
    target: str
    """A relative path."""


Cell = tuple[str | Math | Link, ...]
"""Words, formulas and links in a row."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A section title."""

    text: str
    """Plain words."""
    level: int = 1
    """1 for a section, 2 below it."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    cell: Cell
    """Words and formulas."""


@dataclass(frozen=True, slots=True)
class Display:
    """Formulas on lines of their own."""

    lines: tuple[Math, ...]
    """One formula a line; `&` marks where lines align."""
    boxed: bool = False
    """A result to take away."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    headers: tuple[str, ...]
    """Column titles."""
    rows: tuple[tuple[Cell, ...], ...]
    """Cells."""
    align: str
    """A letter a column: l, r, or p for words that may wrap."""
    caption: str = ""
    """One sentence, or nothing."""


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    cells: tuple[Cell, ...]
    """The entries."""
    ordered: bool = False
    """Whether they are numbered."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing in a file of its own."""

    path: str
    """Beside the page."""
    caption: str
    """What it shows, in a sentence."""


Block = Heading | Prose | Display | Table | Items | Figure


@dataclass(frozen=True, slots=True)
class Report:
    """A document."""

    title: str
    """Plain words."""
    subtitle: str
    """Plain words; may be empty."""
    blocks: tuple[Block, ...]
    """In order."""
    sources: tuple[str, ...] = field(default=())
    """What it rests on."""


def prose(*parts: str | Math | Link) -> Prose:
    """A paragraph of words and formulas."""
    return Prose(tuple(parts))


def cell(*parts: str | Math | Link) -> Cell:
    """A table cell."""
    return tuple(parts)


def plain(report: Report) -> dict[str, Any]:
    """The report as dicts, lists and strings: what templates get."""
    return {
        "title": report.title,
        "subtitle": report.subtitle,
        "blocks": [_block(block) for block in report.blocks],
        "sources": list(report.sources),
    }


def _block(block: Block) -> dict[str, Any]:
    if isinstance(block, Heading):
        return {"kind": "heading", "text": block.text, "level": block.level}
    if isinstance(block, Prose):
        return {"kind": "prose", "parts": _cell(block.cell)}
    if isinstance(block, Display):
        lines = [{"latex": line.latex, "text": line.text} for line in block.lines]
        return {"kind": "display", "lines": lines, "boxed": block.boxed}
    if isinstance(block, Figure):
        return {"kind": "figure", "path": block.path, "caption": block.caption}
    if isinstance(block, Items):
        entries = [_cell(entry) for entry in block.cells]
        return {"kind": "items", "entries": entries, "ordered": block.ordered}
    return {
        "kind": "table",
        "headers": list(block.headers),
        "rows": [[_cell(entry) for entry in row] for row in block.rows],
        "align": block.align,
        "caption": block.caption,
    }


def _cell(parts: Cell) -> list[dict[str, str]]:
    shown = []
    for part in parts:
        if isinstance(part, Math):
            shown.append({"latex": part.latex, "text": part.text})
        elif isinstance(part, Link):
            shown.append({"words": part.words, "target": part.target})
        else:
            shown.append({"words": part})
    return shown
