"""Reports arranged for where they are shown: answers last on paper, drawings inside a page, links or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .report import Block, Box, Cell, Figure, Fold, Heading, Items, Link, Prose, Report, Table

__all__ = ["answers_last", "with_drawings", "without_links"]


def answers_last(report: Report) -> Report:
    """The report with what it folds away in a section at its end, as paper and a terminal need it."""
    folds = [block for block in report.blocks if isinstance(block, Fold)]
    if not folds:
        return report
    kept = tuple(block for block in report.blocks if not isinstance(block, Fold))
    return replace(report, blocks=(*kept, Heading("Answers"), *_unfolded(folds)))


def with_drawings(report: Report, drawings: Mapping[str, str]) -> Report:
    """The report with the SVG of its figures, by their paths, where there is one."""
    blocks = tuple(
        replace(block, drawing=drawings.get(block.path, "")) if isinstance(block, Figure) else block
        for block in report.blocks
    )
    return replace(report, blocks=blocks)


def without_links(report: Report) -> Report:
    """The report with the words of its links alone, for a page that stands without the others."""
    return replace(report, blocks=tuple(map(_unlinked, report.blocks)))


def _unlinked(block: Block) -> Block:
    if isinstance(block, Prose):
        return Prose(_plain(block.cell))
    if isinstance(block, Items):
        return replace(block, cells=tuple(map(_plain, block.cells)), beside=tuple(map(_plain, block.beside)))
    if isinstance(block, Table):
        return replace(block, rows=tuple(tuple(map(_plain, row)) for row in block.rows))
    if isinstance(block, Box | Fold):
        return replace(block, blocks=tuple(map(_unlinked, block.blocks)))
    return block


def _plain(parts: Cell) -> Cell:
    return tuple(part.words if isinstance(part, Link) else part for part in parts)


def _unfolded(folds: list[Fold]) -> Iterator[Block]:
    for fold in folds:
        yield Heading(fold.title, 2)
        yield from fold.blocks
