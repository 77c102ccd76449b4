"""Best-order maps: which of several orders is cheapest where, over one or two sizes.

Along one size the map is exact at every whole number (`envelope`); over two it is a row of such maps,
one for each value of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

from .atoms import put
from .crossover import Root
from .envelope import Segment, cleared, segments
from .errors import InputError
from .poly import Poly

__all__ = [
    "Boundary",
    "Curve",
    "Plane",
    "Row",
    "Segment",
    "boundaries",
    "curves",
    "log_spaced",
    "plane",
    "segments",
]


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where the cheapest order changes; what costs the same in passing is no change."""

    below: int
    """Cheapest up to here."""
    above: int
    """Cheapest from here on."""
    last: int
    """The last number at which `above` is not cheapest yet."""
    first: int
    """The first number at which `below` is cheapest no longer; `last + 2` where both are in between."""
    root: Fraction | None
    """Where the costs meet, between the two; None beyond degree 2 and with a min, ceil or floor."""


@dataclass(frozen=True, slots=True)
class Row:
    """A plane at one value of y."""

    value: int
    """That value."""
    segments: tuple[Segment, ...]
    """Along x; none where the limit leaves no x."""


@dataclass(frozen=True, slots=True)
class Plane:
    """Rows of segments: exact along x, at some values of y."""

    x: str
    """Symbol of the segments."""
    y: str
    """Symbol of the rows."""
    rows: tuple[Row, ...]
    """In the order asked for."""
    seen: tuple[int, ...]
    """Indices of all costs that are cheapest somewhere on the rows."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One boundary from row to row."""

    below: int
    """Cheapest for smaller x."""
    above: int
    """Cheapest for larger x."""
    points: tuple[tuple[Fraction, int], ...]
    """(x, y), a point for each row: the root, or the middle of the two whole numbers where there is none."""


def boundaries(costs: Sequence[Poly], symbol: str, found: Sequence[Segment]) -> tuple[Boundary, ...]:
    """The changes from one cheapest order to the next, along what `segments` found for these costs.

    Of several that are cheapest the one that stays so longest is followed, so orders that cost the
    same for a while and then part make no boundary.
    """
    ends = [-1] * len(costs)  # segment up to which each stays cheapest, asked from where it is cheapest
    stays: list[list[int]] = [[]] * len(found)
    for index in range(len(found) - 1, -1, -1):
        best = found[index].best
        ends = [max(index, ends[i]) if i in best else -1 for i in range(len(costs))]
        stays[index] = ends
    changes: list[Boundary] = []
    at = 0
    while found:
        below = max(found[at].best, key=lambda i: (stays[at][i], -i))
        left = stays[at][below] + 1
        if left == len(found):
            break
        above = max(found[left].best, key=lambda i: (stays[left][i], -i))
        joined = left
        while joined and above in found[joined - 1].best:
            joined -= 1
        last, first = found[joined].start - 1, found[left].start
        root = _root(costs[below] - costs[above], symbol, last, first)
        changes.append(Boundary(below, above, last, first, root))
        at = left
    return tuple(changes)


def plane(
    costs: Sequence[Poly],
    x: str,
    y: str,
    x_range: tuple[int, int],
    y_values: Sequence[int],
    limit: Callable[[int], int] | None = None,
) -> Plane:
    """Segments along `x` for each value of `y`; `limit` gives the largest x at a y, where there is one.

    Raises InputError like `segments`.
    """
    low, high = x_range
    lines = []
    for value in y_values:
        end = high if limit is None else min(high, limit(value))
        empty = end < low <= high  # the limit's doing; a range that is empty by itself is refused
        lines.append(Row(value, () if empty else segments(_at(costs, y, value), x, low, end)))
    seen = sorted({index for row in lines for segment in row.segments for index in segment.best})
    return Plane(x, y, tuple(lines), tuple(seen))


def curves(costs: Sequence[Poly], found: Plane) -> tuple[Curve, ...]:
    """The boundaries of each row, joined with those of the same two orders in the row before."""
    done: list[Curve] = []
    grown: dict[tuple[int, int, int], Curve] = {}
    for row in found.rows:
        before, grown = grown, {}
        for change in boundaries(_at(costs, found.y, row.value), found.x, row.segments):
            pair = (change.below, change.above)
            # two orders may take over from each other more than once in a row
            key = (*pair, sum(other[:2] == pair for other in grown))
            middle = Fraction(change.last + change.first, 2)
            point = (middle if change.root is None else change.root, row.value)
            points = before.pop(key).points if key in before else ()
            grown[key] = Curve(*pair, (*points, point))
        done += before.values()
    return (*done, *grown.values())


def log_spaced(low: int, high: int, count: int) -> tuple[int, ...]:
    """About `count` whole numbers from `low` to `high`, both among them, with even ratios; none twice."""
    if not 1 <= low <= high:
        raise InputError(f"a range from {low} to {high} holds no sizes; give 1 <= low <= high")
    step = log(high / low) / max(1, count - 1)
    inner = (round(low * exp(step * index)) for index in range(1, count - 1))
    return tuple(sorted({low, high, *(n for n in inner if low < n < high)}))


def _at(costs: Sequence[Poly], name: str, value: int) -> list[Poly]:
    images = {name: Poly.const(value)}
    return [put(cost, images) for cost in costs]


def _root(difference: Poly, symbol: str, last: int, first: int) -> Fraction | None:
    """Where it is zero between two numbers, if there is a closed form."""
    if not difference.names() <= {symbol}:
        return None
    (row,) = cleared([difference], symbol)
    if not 2 <= len(row) <= 3:
        return None
    c, b, a = (Poly.const(number) for number in (*row, 0)[:3])
    zero = Poly()
    roots = [Root(-b, b * b - a * c * 4, a * 2, sign) for sign in (1, -1)] if a else [Root(-c, zero, b)]
    values = [value for root in roots if (value := root.value({})) is not None]
    return next((value for value in values if last <= value <= first), None)
