"""Formulas of printed figures: from and to which number they can come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..errors import unknown
from ..syntax import Wrong, parse
from ..yamlfile import Entry

__all__ = ["interval_of"]

Interval = tuple[Fraction, Fraction]


def interval_of(formula: Entry, figures: Mapping[str, Interval]) -> Interval:
    """The least and the largest number of a formula of figures, each known between two ends.

    Raises InputError for a name that stands for no figure.
    """
    return parse(formula.text(200), formula.place, _Intervals(figures, formula), 200)


class _Intervals:
    """Arithmetic on intervals of positive numbers."""

    def __init__(self, figures: Mapping[str, Interval], entry: Entry) -> None:
        self.figures, self.entry = figures, entry

    def number(self, value: int) -> Interval:
        return Fraction(value), Fraction(value)

    def name(self, name: str) -> Interval:
        if name not in self.figures:
            raise unknown("figure", name, self.figures, self.entry.place)
        return self.figures[name]

    def add(self, left: Interval, right: Interval) -> Interval:
        return left[0] + right[0], left[1] + right[1]

    def subtract(self, left: Interval, right: Interval) -> Interval:
        return left[0] - right[1], left[1] - right[0]

    def multiply(self, left: Interval, right: Interval) -> Interval:
        ends = [one * two for one in left for two in right]
        return min(ends), max(ends)

    def divide(self, left: Interval, right: Interval) -> Interval:
        if right[0] <= 0:
            raise Wrong("a division by what may be zero")
        return self.multiply(left, (1 / right[1], 1 / right[0]))

    def power(self, base: Interval, exponent: int) -> Interval:
        result = base
        for _ in range(exponent - 1):
            result = self.multiply(result, base)
        return result

    def minimum(self, parts: Sequence[Interval]) -> Interval:
        return min(p[0] for p in parts), min(p[1] for p in parts)

    def rounded(self, function: str, above: Interval, below: Interval) -> Interval:
        raise Wrong("rounding of figures that are rounded already")
