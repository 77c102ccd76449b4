"""Reports arranged for where they are shown: answers at the end of paper, drawings inside a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .report import Block, Figure, Fold, Heading, Report

__all__ = ["answers_last", "with_drawings"]


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


def _unfolded(folds: list[Fold]) -> Iterator[Block]:
    for fold in folds:
        yield Heading(fold.title, 2)
        yield from fold.blocks
