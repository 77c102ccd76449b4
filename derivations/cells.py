"""The cells of a drawn best-order map: where each begins and ends on paper, its kind, its letter.

Axes are logarithmic. A row is as high as half the way to its neighbours, and a cell ends where the
costs meet, or in the middle between two whole numbers, so cells tile the map without gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import log, sqrt

from .maps import Curve, Plane, Segment

__all__ = ["Cell", "Kind", "Number", "cells_of", "kinds_of", "spot_of"]

Number = int | float | Fraction
Best = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A rectangle of one colour."""

    left: Number
    """Where it begins."""
    right: Number
    """Where it ends."""
    low: Number
    """Its lower edge."""
    high: Number
    """Its upper edge."""
    first: int
    """Smallest x in it."""
    last: int
    """Largest x in it."""
    at: int
    """The y it is exact for."""
    best: Best
    """Cheapest orders."""

    @property
    def width(self) -> float:
        """On a logarithmic axis."""
        return log(self.right / self.left)

    @property
    def height(self) -> float:
        """On a logarithmic axis."""
        return log(self.high / self.low)


@dataclass(frozen=True, slots=True)
class Kind:
    """Cells with one entry in the legend."""

    best: tuple[Best, ...]
    """What is cheapest in them: one or several orders that cost the same; many in the last kind."""
    cells: tuple[Cell, ...]
    """From below to above."""


def cells_of(plane: Plane, curves: Sequence[Curve] = ()) -> tuple[Cell, ...]:
    """The cells of all rows, from below to above and from left to right."""
    rows = sorted((row for row in plane.rows if row.segments), key=lambda row: row.value)
    segments = [_without_passing(row.segments) for row in rows]
    found = []
    for row, (low, high), line in zip(rows, _bands([row.value for row in rows]), segments, strict=True):
        met = [x for curve in curves for x, y in curve.points if y == row.value]
        ends = [_border(one, two, met) for one, two in pairwise(line)]
        lefts, rights = [line[0].start, *ends], [*ends, _last(line[-1])]
        for segment, left, right in zip(line, lefts, rights, strict=True):
            if right <= left:  # a single number at the edge of the map still is seen
                right = left + Fraction(1, 2)
            cell = Cell(left, right, low, high, segment.start, _last(segment), row.value, segment.best)
            found.append(cell)
    return tuple(found)


def kinds_of(cells: Sequence[Cell], most: int) -> tuple[Kind, ...]:
    """The cells by what is cheapest in them; where there are more kinds than `most`, the last is the rest."""
    by_best: dict[Best, list[Cell]] = {}
    for cell in cells:
        by_best.setdefault(cell.best, []).append(cell)
    areas = {best: sum(c.width * c.height for c in by_best[best]) for best in by_best}
    largest = sorted(areas, key=lambda best: (-areas[best], best))
    alone = sorted(largest if len(largest) <= most else largest[: most - 1], key=lambda best: (len(best), best))
    kinds = [Kind((best,), tuple(by_best[best])) for best in alone]
    rest = tuple(best for best in sorted(largest) if best not in alone)
    if rest:
        kinds.append(Kind(rest, tuple(cell for cell in cells if cell.best in rest)))
    return tuple(kinds)


def spot_of(kind: Kind, scale: tuple[float, float]) -> tuple[float, float, float]:
    """(x, y, room) of the roomiest place of a kind; `scale` is the length of one e-fold along x and y."""
    best = (0.0, 0.0, -1.0)
    columns = kind.cells
    for cell in columns:
        x = sqrt(float(cell.left * cell.right))
        low, high = cell.low, cell.high
        # rows stand in order, so what joins above and below is found by walking on
        for other in columns:
            if other.low == high and other.left <= x <= other.right:
                high = other.high
        for other in reversed(columns):
            if other.high == low and other.left <= x <= other.right:
                low = other.low
        room = min(cell.width * scale[0], log(high / low) * scale[1])
        # of places with the same room, one in the middle
        y = sqrt(float(low * high))
        off = abs(log(float(cell.at) / y)) * scale[1]
        if room - off * 0.2 > best[2]:
            best = (x, y, room - off * 0.2)
    return best
