"""The least of several costs over the whole numbers of one size, exact.

A cost is least on stretches of whole numbers, and the ends of a stretch are found without sampling.
Where the difference of two costs only rises or only falls, its sign changes at numbers that bisection
finds; where it rises and falls is the same question about `difference(x + 1) - difference(x)`, which
has one degree less. Towards infinity Cauchy's bound ends the search. A min is replaced by the smaller
of its sides, a ceil or floor by its number, on the stretch where that holds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, floor, lcm

from .atoms import Atom, atom_of, evaluate, free_symbols
from .errors import InputError
from .poly import Poly

__all__ = ["Segment", "Whole", "cleared", "segments"]

MOST_STEPS = 200_000
"""Steps of ceils and floors on one range, each of which is looked at."""
Whole = tuple[int, ...]
"""Coefficients of a polynomial in the symbol, constant first, the last one not zero."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighbouring whole numbers at which the same orders are cheapest."""

    start: int
    """First of them."""
    end: int | None
    """Last of them; None is without end."""
    best: tuple[int, ...]
    """Indices of the cheapest costs; several cost the same at every number of the segment."""


def segments(costs: Sequence[Poly], symbol: str, low: int, high: int | None) -> tuple[Segment, ...]:
    """Which costs are least at each whole number of `symbol`, from `low` to `high`; None is without end.

    Raises InputError for an empty range, for costs with another symbol, and for a ceil or floor on a
    range without end or with more steps than are looked at.
    """
    _check(costs, symbol, low, high)
    found: list[Segment] = []
    start: int | None = low
    while start is not None:
        stretch = _Stretch(symbol, start, high)
        lines = cleared([stretch.opened(cost) for cost in costs], symbol)
        for segment in _least(lines, start, stretch.end):
            if found and found[-1].best == segment.best:
                segment = Segment(found.pop().start, segment.end, segment.best)
            found.append(segment)
        start = None if stretch.end == high else (stretch.end or 0) + 1
    return tuple(found)


def _check(costs: Sequence[Poly], symbol: str, low: int, high: int | None) -> None:
    if not costs:
        raise InputError("there are no costs to compare; give at least one")
    if low < 1 or (high is not None and high < low):
        ends = f"{low} on" if high is None else f"{low} to {high}"
        raise InputError(
            f"{symbol} from {ends} is no range of sizes; a range starts at 1 or later and ends no earlier"
        )
    others = frozenset().union(*(free_symbols(cost) for cost in costs)) - {symbol}
    if others:
        raise InputError(
            f"the costs depend on {', '.join(sorted(others))} besides {symbol}; give each a number first"
        )
    rounded = sorted({name for cost in costs for name in _rounded(cost)})
    if rounded and high is None:
        raise InputError(
            f"{rounded[0]} takes ever new steps as {symbol} grows, so a map with it ends somewhere; "
            f"give the largest {symbol}"
        )
    steps = sum(_steps(name, symbol, low, high or low) for name in rounded)
    if steps > MOST_STEPS:
        raise InputError(
            f"{rounded[0]} takes {steps} steps for {symbol} from {low} to {high}, and each is looked at; "
            f"give a range with at most {MOST_STEPS}"
        )


def _rounded(poly: Poly) -> Iterator[str]:
    """The ceils and floors in a polynomial, those inside other definitions included."""
    for name in poly.names():
        atom = atom_of(name)
        if atom is not None:
            if atom.function != "min":
                yield name
            for argument in atom.arguments:
                yield from _rounded(argument)


def _steps(name: str, symbol: str, low: int, high: int) -> int:
    try:
        ends = [Fraction(evaluate(Poly.symbol(name), {symbol: end}) or 0) for end in (low, high)]
    except ZeroDivisionError:
        return 0  # said with the cost it stands in, once that is opened
    return int(abs(ends[1] - ends[0]))


class _Stretch:
    """The numbers from `start` on for which no min, ceil or floor that was opened changes its form."""

    def __init__(self, symbol: str, start: int, high: int | None) -> None:
        self.symbol, self.start = symbol, start
        self.end = high
        """The last of them; shrinks as definitions are opened."""
        self._known: dict[str, Poly] = {}

    def opened(self, poly: Poly) -> Poly:
        """`poly` on the stretch, in the symbol alone."""
        try:
            return poly.map_symbols(self._image)
        except (ValueError, ZeroDivisionError):
            raise InputError(
                f"{poly.text()} divides by what is zero or a sum for some {self.symbol}; "
                "a cost is a sum of terms that divide by single terms"
            ) from None

    def _image(self, name: str) -> Poly | None:
        atom = atom_of(name)
        if atom is not None and name not in self._known:
            self._known[name] = self._form(atom)
        return self._known.get(name)

    def _form(self, atom: Atom) -> Poly:
        one, two = (self.opened(argument) for argument in atom.arguments)
        if atom.function == "min":
            return one if self._at_least_zero(two - one) else two
        if not self._at_least_zero(two):
            one, two = -one, -two
        here = {self.symbol: self.start}
        above, below = (Fraction(evaluate(side, here) or 0) for side in (one, two))
        if atom.function == "floor":
            number = floor(above / below)
            self._at_least_zero(one - two * number)
            self._at_least_zero(one - two * (number + 1))
        else:
            number = ceil(above / below)
            self._at_least_zero(two * number - one)
            self._at_least_zero(two * (number - 1) - one)
        return Poly.const(number)

    def _at_least_zero(self, poly: Poly) -> bool:
        """Whether it is, at the start; the stretch ends before the answer changes."""
        (row,) = cleared([poly], self.symbol)
        (_, sign), *later = _runs(row, self.start, self.end)
        changed = next((start for start, other in later if (other >= 0) != (sign >= 0)), None)
        if changed is not None:
            self.end = changed - 1
        return sign >= 0


def cleared(polys: Sequence[Poly], symbol: str) -> list[Whole]:
    """The polynomials over one positive term that leaves whole coefficients and no fraction lines."""
    parts = [
        {power: Fraction(part.constant or 0) for power, part in poly.coefficients(symbol).items()}
        for poly in polys
    ]
    lowest = min((power for part in parts for power in part), default=0)
    scale = lcm(*(number.denominator for part in parts for number in part.values()))
    return [
        tuple(int(part.get(power, 0) * scale) for power in range(lowest, max(part) + 1)) if part else ()
        for part in parts
    ]


def _value(row: Whole, x: int) -> int:
    value = 0
    for coefficient in reversed(row):
        value = value * x + coefficient
    return value


def _minus(one: Whole, two: Whole) -> Whole:
    size = max(len(one), len(two))
    row = [a - b for a, b in zip((*one, *[0] * size)[:size], (*two, *[0] * size)[:size], strict=True)]
    while row and not row[-1]:
        row.pop()
    return tuple(row)


def _runs(row: Whole, low: int, high: int | None) -> list[tuple[int, int]]:
    """(start, sign) of each stretch of whole numbers from `low` to `high` with one sign."""
    here = _value(row, low)
    runs = [(low, (here > 0) - (here < 0))]
    if len(row) <= 1 or low == high:
        return runs
    slope = tuple(
        sum(comb(power, lower) * row[power] for power in range(lower + 1, len(row)))
        for lower in range(len(row) - 1)
    )
    slopes = _runs(slope, low, None if high is None else high - 1)
    # every root is nearer to zero than Cauchy's bound, so the sign beyond it is the last one
    far = 2 + max(abs(c) for c in row[:-1]) // abs(row[-1]) if high is None else high
    ends = [*(start for start, _ in slopes[1:]), max(low, far)]
    for (start, rising), end in zip(slopes, ends, strict=True):
        if not rising or start >= end:
            continue  # the value stays what it is at the start, which the stretch before has reached
        for least in (0, 1):
            at = _first(row, rising, least, start, end)
            if at is not None:
                value = _value(row, at)
                sign = (value > 0) - (value < 0)
                if sign != runs[-1][1]:
                    runs.append((at, sign))
    return runs


def _first(row: Whole, rising: int, least: int, start: int, end: int) -> int | None:
    """The first number at which `rising * row`, which grows, is at least `least`."""
    if rising * _value(row, end) < least:
        return None
    while start < end:
        middle = (start + end) // 2
        if rising * _value(row, middle) >= least:
            end = middle
        else:
            start = middle + 1
    return start


def _least(lines: Sequence[Whole], start: int, end: int | None) -> Iterator[Segment]:
    """The segments of plain polynomials."""
    signs: dict[int, list[int]] = {}  # winner -> numbers at which its lead over another one changes sign
    while True:
        values = [_value(row, start) for row in lines]
        least = min(values)
        best = tuple(index for index, value in enumerate(values) if value == least)
        if start == end:
            yield Segment(start, end, best)
            return
        own = best[0]
        if own not in signs:
            leads = (_minus(row, lines[own]) for row in lines)
            signs[own] = sorted({at for lead in leads for at, _ in _runs(lead, start, end)[1:]})
        later = signs[own][bisect_right(signs[own], start) :][:1]
        changed = later[0] if later else None
        yield Segment(start, end if changed is None else changed - 1, best)
        if changed is None:
            return
        start = changed
