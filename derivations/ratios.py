"""Formulas as ratios of polynomials in sizes: an algebra for `syntax`, bounded in what it multiplies out."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from fractions import Fraction
from math import prod

from .algebra import Ratio
from .atoms import ceiling, floored, minimum
from .errors import Place, unknown
from .poly import Poly
from .syntax import Wrong

__all__ = ["Ratios"]

MAX_TERMS, MAX_POWERS, MAX_BITS = 20_000, 120, 4000
"""Of a product: terms, powers of symbols together, binary digits of coefficients."""


class Ratios:
    """An algebra of formulas; `quantities` gives what is no size symbol, `known` are all names there are."""

    def __init__(
        self, known: Set[str], place: Place | None, quantities: Callable[[str], Ratio | None] = lambda _: None
    ) -> None:
        self.known, self.place, self.quantities = known, place, quantities

    def number(self, value: int) -> Ratio:
        return Ratio(Poly.const(value))

    def name(self, name: str) -> Ratio:
        if name not in self.known:
            raise unknown("name", name, self.known, self.place)
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
