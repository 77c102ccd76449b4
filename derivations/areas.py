"""The areas of a drawn best-order map: their outlines, those of one kind, where a letter fits.

Axes are logarithmic. Along a row an area ends where the costs meet, or in the middle between two whole
numbers. From row to row its edges are joined as long as the same orders follow each other; where they
do not, areas end halfway between the two rows. So areas tile the map without gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from math import log, sqrt

from .errors import InputError
from .maps import Curve, Plane, Row, Segment

__all__ = ["Area", "Kind", "areas_of", "kinds_of", "spot_of"]

Best = tuple[int, ...]
Slice = tuple[float, float, float]
"""y, and the x at which an area begins and ends there."""


@dataclass(frozen=True, slots=True)
class Area:
    """A patch of one colour."""

    best: Best
    """Cheapest orders."""
    outline: tuple[Slice, ...]
    """From below to above."""

    @property
    def size(self) -> float:
        """On logarithmic axes."""
        widths = [(log(y), log(right / left)) for y, left, right in self.outline]
        return sum((up - low) * (one + two) / 2 for (low, one), (up, two) in pairwise(widths))


@dataclass(frozen=True, slots=True)
class Kind:
    """Areas with one entry in the legend."""

    best: tuple[Best, ...]
    """What is cheapest in them: one or several orders that cost the same; in a last kind, the rest."""
    areas: tuple[Area, ...]
    """At least one."""


def areas_of(plane: Plane, curves: Sequence[Curve] = ()) -> tuple[Area, ...]:
    """The areas, from below to above and from left to right.

    Numbers at which two orders cost the same in passing belong to a neighbour. Raises InputError for a
    plane with less than two values of x, or with segments that have no end.
    """
    rows = sorted((row for row in plane.rows if row.segments), key=lambda row: row.value)
    lines = [_without_passing(row) for row in rows]
    if len({end for line in lines for s in line for end in (s.start, _last(s))}) < 2:
        raise InputError(f"a map needs a range of {plane.x} to draw; give it at least two values somewhere")
    values = [row.value for row in rows]
    middles = [sqrt(one * two) for one, two in pairwise(values)]
    edges = [values[0] / sqrt(2), values[0] * sqrt(2)] if len(rows) == 1 else [values[0], *middles, values[-1]]
    met: dict[int, list[Fraction]] = {}
    for curve in curves:
        for x, y in curve.points:
            met.setdefault(y, []).append(x)
    cuts = [_cuts(line, met.get(value, [])) for line, value in zip(lines, values, strict=True)]
    found = []
    for _, run in groupby(range(len(rows)), key=lambda index: [s.best for s in lines[index]]):
        own = list(run)
        first, last = own[0], own[-1]
        heights = [edges[first], *values[first : last + 1], edges[last + 1]]
        below = _halfway(cuts[first], cuts[max(first - 1, 0)])
        shown = [below, *cuts[first : last + 1], _halfway(cuts[last], cuts[min(last + 1, len(rows) - 1)])]
        for place, segment in enumerate(lines[first]):
            slices = [(float(y), cut[place], cut[place + 1]) for y, cut in zip(heights, shown, strict=True)]
            found.append(Area(segment.best, tuple(dict.fromkeys(slices))))
    return tuple(found)


def kinds_of(areas: Sequence[Area], most: int) -> tuple[Kind, ...]:
    """Areas by what is cheapest in them; where there are more kinds than `most`, the last is the rest."""
    by_best: dict[Best, list[Area]] = {}
    for area in areas:
        by_best.setdefault(area.best, []).append(area)
    largest = sorted(by_best, key=lambda best: (-sum(area.size for area in by_best[best]), best))
    alone = largest if len(largest) <= most else largest[: most - 1]
    kinds = [Kind((best,), tuple(by_best[best])) for best in sorted(alone, key=lambda best: (len(best), best))]
    rest = tuple(sorted(largest[len(alone) :]))
    if rest:
        kinds.append(Kind(rest, tuple(area for area in areas if area.best in rest)))
    return tuple(kinds)


def spot_of(kind: Kind, scale: tuple[float, float]) -> Slice:
    """(x, y, room) of the roomiest place of a kind; `scale` is the length of one e-fold along x and y."""
    spots = []
    for area in kind.areas:
        for index, (at, left, right) in enumerate(area.outline):
            x = sqrt(left * right)
            low = high = at
            for y, one, two in area.outline[index:]:
                if not one <= x <= two:
                    break
                high = y
            for y, one, two in reversed(area.outline[:index]):
                if not one <= x <= two:
                    break
                low = y
            above, below = log(high / at), log(at / low)
            room = min(log(right / left) * scale[0], 2 * min(above, below) * scale[1])
            # where a few points more are no gain, halfway up is better
            spots.append((room // 4, -abs(above - below), x, at, room))
    _, _, x, y, room = max(spots)
    return x, y, room


def _last(segment: Segment) -> int:
    if segment.end is None:
        raise InputError(f"what is cheapest from {segment.start} on has no end to draw; give the map one")
    return segment.end


def _without_passing(row: Row) -> list[Segment]:
    """The segments; a tie at a single number joins a neighbour that shares an order with it."""
    kept: list[Segment] = []
    for index, segment in enumerate(row.segments):
        best = segment.best
        if segment.start == segment.end and len(best) > 1:
            near = [*kept[-1:], *row.segments[index + 1 : index + 2]]
            best = next((other.best for other in near if set(other.best) & set(best)), best)
        start = segment.start
        if kept and kept[-1].best == best:
            start = kept.pop().start
        kept.append(Segment(start, segment.end, best))
    return kept


def _cuts(line: Sequence[Segment], met: Sequence[Fraction]) -> list[float]:
    """Where the areas of a row begin, and where the last one ends."""
    cuts = [float(line[0].start)]
    for one, two in pairwise(line):
        middle = Fraction(_last(one) + two.start, 2)
        # where a tie joined a neighbour, the costs meet up to one and a half away
        off, near = min(((abs(x - middle), x) for x in met), default=(2, middle))
        cuts.append(max(cuts[-1], float(near if off < 2 else middle)))
    return [*cuts, float(_last(line[-1]))]


def _halfway(cuts: Sequence[float], other: Sequence[float]) -> list[float]:
    """A row's cuts halfway to another row with other orders: the ends of the range go on, the rest stays."""
    low, high = sqrt(cuts[0] * other[0]), sqrt(cuts[-1] * other[-1])
    return [low, *(min(max(cut, low), high) for cut in cuts[1:-1]), high]
