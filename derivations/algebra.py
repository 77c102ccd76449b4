"""Factors and ratios of polynomials: what a quantity is made of, and what a division cancels.

Most costs are a single term times one sum of widths, which needs no computer algebra; whatever is
left goes to sympy's factorisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .atoms import atom_of, evaluate, free_symbols
from .dims import to_sympy
from .poly import Coefficient, Poly, product
from .shown import Shown

if TYPE_CHECKING:
    import sympy

__all__ = ["Factors", "Ratio", "factor", "limit_in"]


@dataclass(frozen=True, slots=True)
class Factors(Shown):
    """A number times powers of symbols times powers of sums."""

    number: Fraction
    """The numerical factor."""
    powers: Mapping[str, int]
    """Symbol -> exponent, negative ones under the line."""
    sums: tuple[tuple[Poly, int], ...] = ()
    """(irreducible sum, exponent)."""

    def times(self, other: Factors) -> Factors:
        """The product, equal sums merged."""
        powers = dict(self.powers)
        for name, exponent in other.powers.items():
            powers[name] = powers.get(name, 0) + exponent
        sums = dict(self.sums)
        for poly, exponent in other.sums:
            sums[poly] = sums.get(poly, 0) + exponent
        return Factors(
            self.number * other.number,
            {name: e for name, e in powers.items() if e},
            tuple((p, e) for p, e in sums.items() if e),
        )

    def inverse(self) -> Factors:
        """One over it."""
        return Factors(
            1 / self.number,
            {name: -e for name, e in self.powers.items()},
            tuple((p, -e) for p, e in self.sums),
        )

    def part(self, above: bool) -> Factors:
        """The numerator (or the denominator, with positive exponents)."""
        sign = 1 if above else -1
        number = Fraction(self.number.numerator if above else self.number.denominator)
        return Factors(
            number,
            {n: e * sign for n, e in self.powers.items() if e * sign > 0},
            tuple((p, e * sign) for p, e in self.sums if e * sign > 0),
        )

    def poly(self) -> Poly:
        """Multiplied out; needs exponents of sums to be nonnegative."""
        symbols = product(Poly.symbol(n) ** e for n, e in self.powers.items())
        return product(p**e for p, e in self.sums) * symbols * self.number

    def sympy(self) -> sympy.Expr:
        """As a sympy product, not multiplied out."""
        from sympy import Mul, Pow, Rational

        number = Rational(self.number.numerator, self.number.denominator)
        symbols = [Pow(to_sympy(Poly.symbol(n)), e) for n, e in self.powers.items()]
        sums = [Pow(to_sympy(p), e) for p, e in self.sums]
        return Mul(number, *symbols, *sums)


_LARGEST_SUM = 60
"""Terms beyond which a sum is left as it is: factoring it could take longer than anyone waits."""


def factor(poly: Poly) -> Factors:
    """The factors of a polynomial; zero has the number 0."""
    if not poly:
        return Factors(Fraction(0), {})
    content = poly.content()
    ((powers, number),) = content.powers()
    rest = poly * content.inverse()
    outer = Factors(Fraction(number), powers)
    if rest.constant is not None:
        return outer.times(Factors(Fraction(rest.constant), {}))
    return outer.times(_factor_sum(rest))


@lru_cache(maxsize=1024)
def _factor_sum(rest: Poly) -> Factors:
    """Factors of a primitive polynomial with at least two terms."""
    if all(sum(powers.values()) <= 1 for powers, _ in rest.powers()):
        if all(value < 0 for value in rest.terms.values()):
            return Factors(Fraction(-1), {}, ((-rest, 1),))
        return Factors(Fraction(1), {}, ((rest, 1),))
    if len(rest.terms) > _LARGEST_SUM:
        return Factors(Fraction(1), {}, ((rest, 1),))
    from sympy import Dummy, Symbol, factor_list
    from sympy import Poly as SympyPoly

    names = sorted(rest.names())
    letters: dict[str, Any] = {n: Dummy(n) if atom_of(n) else Symbol(n) for n in names}
    generators = [letters[n] for n in names]
    terms = {tuple(powers.get(n, 0) for n in names): coefficient for powers, coefficient in rest.powers()}
    number, parts = factor_list(SympyPoly.from_dict(terms, *generators))
    sums = []
    for part, exponent in parts:
        poly = Poly()
        for exponents, coefficient in part.terms():
            term = product(Poly.symbol(n) ** e for n, e in zip(names, exponents, strict=True))
            poly = poly + term * Fraction(int(coefficient.p), int(coefficient.q))
        sums.append((poly, int(exponent)))
    return Factors(Fraction(int(number.p), int(number.q)), {}, tuple(sums))


@dataclass(frozen=True, slots=True)
class Ratio(Shown):
    """One polynomial over another."""

    over: Poly
    """Numerator."""
    under: Poly = field(default_factory=lambda: Poly.const(1))
    """Denominator; not zero."""

    def __repr__(self) -> str:
        return f"Ratio(({self.over.text()}) / ({self.under.text()}))"

    def factors(self) -> Factors:
        """Both sides factored and what they share cancelled; a minus sign goes below the line."""
        found = factor(self.over).times(factor(self.under).inverse())
        below = [index for index, (_, exponent) in enumerate(found.sums) if exponent % 2 and exponent < 0]
        if found.number > 0 or not below:
            return found
        sums = list(found.sums)
        poly, exponent = sums[below[0]]
        sums[below[0]] = (-poly, exponent)
        return Factors(-found.number, found.powers, tuple(sums))

    def common(self) -> Factors:
        """What cancels: powers of symbols and sums both sides have (numbers left alone)."""
        above, below = factor(self.over), factor(self.under)
        powers = {
            n: min(e, below.powers.get(n, 0)) for n, e in above.powers.items() if below.powers.get(n, 0) > 0
        }
        under = dict(below.sums)
        sums = tuple((p, min(e, under[p])) for p, e in above.sums if p in under)
        return Factors(Fraction(1), {n: e for n, e in powers.items() if e > 0}, sums)

    def symbols(self) -> frozenset[str]:
        """Plain symbols left after cancelling."""
        factors = self.factors()
        found: set[str] = set()
        for name in factors.powers:
            found |= free_symbols(Poly.symbol(name))
        for poly, _ in factors.sums:
            found |= free_symbols(poly)
        return frozenset(found)

    def value(self, values: Mapping[str, Coefficient]) -> Fraction | None:
        """The number when every symbol that is left has one, else None."""
        factors = self.factors()
        above = evaluate(factors.part(True).poly(), values)
        below = evaluate(factors.part(False).poly(), values)
        if above is None or not below:
            return None
        return Fraction(above) / Fraction(below)

    def sympy(self) -> sympy.Expr:
        """Cancelled, factored."""
        return self.factors().sympy()


def _far(poly: Poly, name: str) -> Poly:
    """`poly` with every min decided as it is for large `name`."""

    def image(symbol: str) -> Poly | None:
        atom = atom_of(symbol)
        if atom is None or atom.function != "min" or name not in free_symbols(Poly.symbol(symbol)):
            return None
        one, two = (_far(argument, name) for argument in atom.arguments)
        if one.degree(name) != two.degree(name):
            return one if one.degree(name) < two.degree(name) else two
        return None

    return poly.map_symbols(image)


def limit_in(ratio: Ratio, name: str) -> Ratio | None:
    """The limit for `name` to infinity; None when it grows without bound or is not a ratio's."""
    above, below = _far(ratio.over, name), _far(ratio.under, name)
    inside = [atom for atom in above.names() | below.names() if atom_of(atom)]
    if any(name in free_symbols(Poly.symbol(atom)) for atom in inside):
        return None
    if not below:
        return None
    high, low = above.degree(name), below.degree(name)
    if not above or high < low:
        return Ratio(Poly())
    if high > low:
        return None
    return Ratio(above.coefficients(name)[high], below.coefficients(name)[low])
