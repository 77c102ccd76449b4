"""A report as dicts, lists and strings: what templates get, and all that a user's own template sees."""

from __future__ import annotations

from typing import Any

from .report import (
    Block,
    Box,
    Cell,
    Code,
    Display,
    Figure,
    Fold,
    Heading,
    Items,
    Link,
    Math,
    Prose,
    Report,
    Room,
    Term,
)

__all__ = ["plain"]


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
        return {"kind": "heading", "text": block.text, "level": block.level, "apart": block.apart}
    if isinstance(block, Prose):
        return {"kind": "prose", "parts": _cell(block.cell)}
    if isinstance(block, Display):
        lines = [{"latex": line.latex, "text": line.text} for line in block.lines]
        return {"kind": "display", "lines": lines, "boxed": block.boxed}
    if isinstance(block, Figure):
        return {"kind": "figure", "path": block.path, "caption": block.caption, "drawing": block.drawing}
    if isinstance(block, Items):
        entries = [_cell(entry) for entry in block.whole()]
        beside = [
            {"entry": _cell(e), "beside": _cell(b)} for e, b in zip(block.cells, block.beside, strict=False)
        ]
        return {"kind": "items", "entries": entries, "ordered": block.ordered, "pairs": beside}
    if isinstance(block, Code):
        return {"kind": "code", "text": block.text, "language": block.language}
    if isinstance(block, Room):
        return {"kind": "room", "lines": block.lines}
    if isinstance(block, Box | Fold):
        kind = "box" if isinstance(block, Box) else "fold"
        return {"kind": kind, "title": block.title, "blocks": [_block(inner) for inner in block.blocks]}
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
        elif isinstance(part, Term):
            shown.append({"words": part.words, "kind": "term"})
        else:
            shown.append({"words": part})
    return shown
