"""Formulas of a document's file: names in them, and what they come to as ratios of polynomials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from math import prod

from ..algebra import Ratio
from ..atoms import ceiling, floored, minimum
from ..errors import unknown
from ..poly import Poly
from ..syntax import Wrong, parse
from ..yamlfile import Entry

__all__ = ["FUNCTIONS", "LONGEST", "NoNumber", "check_formula", "named_in", "ratio_of", "with_names"]

FUNCTIONS = ("min", "ceil", "floor")
MAX_TERMS, MAX_POWERS, MAX_BITS = 20_000, 120, 4000
"""Of a product: terms, powers of symbols together, binary digits of coefficients."""
LONGEST = 400
"""Characters of a formula."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class NoNumber(Exception):
    """A quantity has no number in this setting; the text says why."""


def named_in(entry: Entry) -> Iterator[str]:
    """Every word of a formula, or of all formulas below an entry, that may be a name."""
    if isinstance(entry.value, dict):
        for part in entry.value.values():
            yield from named_in(part)
    elif isinstance(entry.value, list):
        for part in entry.value:
            yield from named_in(part)
    else:
        yield from _WORD.findall(entry.text(LONGEST))


def with_names(entry: Entry, names: Mapping[str, str]) -> Entry:
    """A formula with other names put for some of its own."""
    if not names:
        return entry
    text = _WORD.sub(lambda hit: names.get(hit[0], hit[0]), entry.text(LONGEST))
    return replace(entry, value=text)


def check_formula(entry: Entry, known: Set[str]) -> None:
    """Raises InputError for a name that nobody knows."""
    for name in named_in(entry):
        if name not in known and name not in FUNCTIONS:
            raise unknown("name", name, known, entry.place)


def ratio_of(entry: Entry, quantities: Callable[[str], Ratio | None], known: Set[str]) -> Ratio:
    """A formula as a ratio; `quantities` gives what is no size symbol. Raises InputError with the place."""
    return parse(entry.text(LONGEST), entry.place, _Ratios(quantities, known, entry), LONGEST)


class _Ratios:
    """Formulas as ratios of polynomials."""

    def __init__(self, quantities: Callable[[str], Ratio | None], known: Set[str], entry: Entry) -> None:
        self.quantities, self.known, self.entry = quantities, known, entry

    def number(self, value: int) -> Ratio:
        return Ratio(Poly.const(value))

    def name(self, name: str) -> Ratio:
        if name not in self.known:
            raise unknown("name", name, self.known, self.entry.place)
        quantity = self.quantities(name)
        if quantity is not None:
            return quantity
        return Ratio(Poly.symbol(name))

    def add(self, left: Ratio, right: Ratio) -> Ratio:
        if left.under == right.under:
            return Ratio(left.over + right.over, left.under)
        _bounded(left, right)
        return Ratio(left.over * right.under + right.over * left.under, left.under * right.under)

    def subtract(self, left: Ratio, right: Ratio) -> Ratio:
        return self.add(left, Ratio(-right.over, right.under))

    def multiply(self, left: Ratio, right: Ratio) -> Ratio:
        _bounded(left, right)
        return Ratio(left.over * right.over, left.under * right.under)

    def divide(self, left: Ratio, right: Ratio) -> Ratio:
        if not right.over:
            raise Wrong("a division by zero")
        _bounded(left, right)
        return Ratio(left.over * right.under, left.under * right.over)

    def power(self, base: Ratio, exponent: int) -> Ratio:
        result = base
        for _ in range(exponent - 1):
            result = self.multiply(result, base)
        return result

    def minimum(self, parts: Sequence[Ratio]) -> Ratio:
        result = self._whole(parts[0])
        for part in parts[1:]:
            result = minimum(result, self._whole(part))
        return Ratio(result)

    def rounded(self, function: str, above: Ratio, below: Ratio) -> Ratio:
        over, under = self._whole(above), self._whole(below)
        if len(under.terms) != 1 or any(value < 0 for value in under.terms.values()):
            raise Wrong("the divisor must be a single positive term")
        return Ratio(ceiling(over, under) if function == "ceil" else floored(over, under))

    def _whole(self, part: Ratio) -> Poly:
        if part.under != Poly.const(1):
            raise Wrong("min, ceil and floor take sums of products of sizes only")
        return part.over


def _bounded(*ratios: Ratio) -> None:
    """Raises Wrong before a product of ratios becomes too large to be worth waiting for."""
    polys = [poly for ratio in ratios for poly in (ratio.over, ratio.under)]
    terms = prod(max(len(ratio.over.terms), len(ratio.under.terms)) for ratio in ratios)
    powers = sum(max((sum(map(abs, p.values())) for p, _ in poly.powers()), default=0) for poly in polys)
    bits = sum(
        max((Fraction(c).numerator.bit_length() for c in poly.terms.values()), default=0) for poly in polys
    )
    if terms > MAX_TERMS or powers > MAX_POWERS or bits > MAX_BITS:
        raise Wrong("too large when it is multiplied out")
