"""Where one order overtakes another: the sign changes of the difference of their costs.

The difference is factored; what is positive at every size is dropped, and what is left is solved
for the symbol asked for (degree 1 or 2). A solution counts where the difference has opposite signs
at the two ends of the symbol's range, which is its validity condition: for S the ends are 0 and L,
for L they are S and infinity, for any other symbol 0 and infinity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm, sqrt
from typing import TYPE_CHECKING

from .algebra import Ratio, factor
from .atoms import CONTEXT_HOLDS_QUERIES, evaluate, free_symbols, put
from .domain import nonnegative, positive, strip_positive
from .errors import InputError
from .poly import Coefficient, Poly

if TYPE_CHECKING:
    import sympy

__all__ = ["Condition", "Crossover", "Root", "Solution", "cross"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A strict inequality between sizes: `slack > 0`."""

    slack: Poly
    """What must be positive; no single term divides it."""

    def sides(self) -> tuple[Poly, Poly]:
        """(larger side, smaller side), each with positive terms only."""
        larger = Poly({m: c for m, c in self.slack.terms.items() if c > 0})
        return larger, larger - self.slack

    def holds(self, values: Mapping[str, Coefficient]) -> bool | None:
        """Whether it holds at these sizes; None when some size is missing."""
        value = evaluate(self.slack, values)
        return None if value is None else value > 0


@dataclass(frozen=True, slots=True)
class Root:
    """`(p + sign * sqrt(q)) / r`; `q` is zero for a root of degree 1."""

    p: Poly
    """Outside the square root."""
    q: Poly
    """Under it."""
    r: Poly
    """Denominator."""
    sign: int = 1
    """+1 or -1."""

    @property
    def ratio(self) -> Ratio | None:
        """The root when it needs no square root."""
        return None if self.q else Ratio(self.p, self.r)

    def value(self, values: Mapping[str, Coefficient]) -> Fraction | float | None:
        """The number, exact where it is rational; None when a size is missing or it is not real."""
        parts = [evaluate(part, values) for part in (self.p, self.q, self.r)]
        if any(part is None for part in parts):
            return None
        p, q, r = (Fraction(part or 0) for part in parts)
        if q < 0 or not r:
            return None
        top, bottom = isqrt(q.numerator), isqrt(q.denominator)
        if top * top == q.numerator and bottom * bottom == q.denominator:
            return (p + self.sign * Fraction(top, bottom)) / r
        return (float(p) + self.sign * sqrt(q)) / float(r)

    def sympy(self) -> sympy.Expr:
        """As a sympy expression."""
        from sympy import sqrt as root

        from .dims import to_sympy

        if self.ratio is not None:
            return self.ratio.sympy()
        inner = factor(self.q).sympy()
        return (to_sympy(self.p) + self.sign * root(inner)) / factor(self.r).sympy()


@dataclass(frozen=True, slots=True)
class Solution:
    """One crossing."""

    root: Root
    """Where."""
    conditions: tuple[Condition, ...]
    """When it is a crossing inside the range; none means always."""
    below: str
    """The cheaper order for smaller values."""
    above: str
    """The cheaper order for larger values."""
    limit: Ratio | None
    """For L to infinity; None when it has none or L does not occur."""


@dataclass(frozen=True, slots=True)
class Crossover:
    """Everything about where two orders cost the same."""

    symbol: str
    """Solved for."""
    names: tuple[str, str]
    """The orders compared."""
    difference: Poly
    """Cost of the first minus cost of the second."""
    solutions: tuple[Solution, ...]
    """Crossings, each with its own condition."""
    never: str | None
    """Why there is none, when there is none."""
    decided_by: Condition | None = None
    """When the sign never changes with the symbol: the first is dearer where this holds."""


def cross(first: Poly, second: Poly, symbol: str, names: tuple[str, str]) -> Crossover:
    """The crossover of two costs in `symbol`.

    Raises InputError where no closed form is offered: degree above 2, or `symbol` inside a min.
    """
    difference = first - second
    if not difference:
        return Crossover(symbol, names, difference, (), f"{names[0]} and {names[1]} cost the same")
    _check_solvable(difference, symbol)
    kept = Poly.const(1)
    factors = factor(difference)
    for poly, exponent in factors.sums:
        sign = _fixed_sign(poly)
        if sign is None:
            kept = kept * poly**exponent
        elif sign < 0 and exponent % 2:
            kept = -kept
    if factors.number < 0:
        kept = -kept
    powers = kept.coefficients(symbol)
    degree = max(powers)
    if degree == 0:
        return _one_sided(symbol, names, difference, kept)
    if degree > 2:
        raise InputError(
            f"the costs of {names[0]} and {names[1]} differ by a polynomial of degree {degree} in {symbol}; "
            "closed forms are offered up to degree 2"
        )
    zero = Poly()
    a, b, c = (powers.get(k, zero) for k in (2, 1, 0))
    low, high = _ends(kept, symbol)
    solutions = []
    for rising in (True, False):
        needed = (-low, high) if rising else (low, -high)
        if any(nonnegative(-slack, _facts()) for slack in needed):
            continue
        conditions = _conditions(needed)
        if conditions is None:
            continue
        below, above = (names[0], names[1]) if rising else (names[1], names[0])
        limit = None if symbol == "L" else _limit(kept, symbol)
        solutions.append(Solution(_root(a, b, c, rising), conditions, below, above, limit))
    if not solutions:
        return _one_sided(symbol, names, difference, kept)
    return Crossover(symbol, names, difference, tuple(solutions), None)


def _facts() -> tuple[Poly, ...]:
    return (CONTEXT_HOLDS_QUERIES,)


def _check_solvable(difference: Poly, symbol: str) -> None:
    for name in difference.names():
        if name != symbol and symbol in free_symbols(Poly.symbol(name)):
            raise InputError(
                f"the difference contains {name}, so it has no single closed form in {symbol}; "
                "ask in another symbol"
            )


def _fixed_sign(poly: Poly) -> int | None:
    """The sign a sum has at every size, if it is proved to have one."""
    if positive(poly, _facts()):
        return 1
    return -1 if positive(-poly, _facts()) else None


def _ends(poly: Poly, symbol: str) -> tuple[Poly, Poly]:
    """What has the sign of `poly` at the lower and the upper end of the symbol's range."""
    parts = poly.coefficients(symbol)
    top = parts[max(parts)]
    if symbol == "S":
        return parts[min(parts)], put(poly, {"S": Poly.symbol("L")})
    if symbol == "L":
        queries = Poly.symbol("S") if "S" in free_symbols(poly) else Poly.const(1)
        return poly.map_symbols(lambda name: queries if name == "L" else None), top
    return parts[min(parts)], top


def _root(a: Poly, b: Poly, c: Poly, rising: bool) -> Root:
    """The root at which `a x^2 + b x + c` goes from minus to plus (or back, when not rising)."""
    if not a:
        p, r = (-c, b) if any(value > 0 for value in (-c).terms.values()) else (c, -b)
        return Root(p, Poly(), r)
    whole = lcm(*(Fraction(v).denominator for part in (a, b, c) for v in part.terms.values()))
    a, b, c = a * whole, b * whole, c * whole
    half = all(value % 2 == 0 for value in b.terms.values())
    if half:
        b = b * Fraction(1, 2)
    p, q, r = -b, b * b - a * c * (1 if half else 4), a * (1 if half else 2)
    sign = 1 if rising else -1
    if max(r.terms.values(), key=lambda value: abs(Fraction(value))) < 0:
        return Root(-p, q, -r, -sign)
    return Root(p, q, r, sign)


def _limit(poly: Poly, symbol: str) -> Ratio | None:
    """Where the crossing goes as L grows: the root of what grows fastest with L."""
    powers = poly.coefficients("L")
    if max(powers) == 0:
        return None
    leading = powers[max(powers)].coefficients(symbol)
    if max(leading) != 1 or 0 not in leading:
        return None
    root = _root(Poly(), leading[1], leading[0], rising=True)
    return Ratio(root.p, root.r)


def _conditions(needed: tuple[Poly, ...]) -> tuple[Condition, ...] | None:
    """The conditions without those that always hold or follow from the others.

    None when they are seen to contradict each other.
    """
    slacks: list[Poly] = []
    for slack in needed:
        reduced = Poly.const(1)
        factors = factor(slack)
        for poly, exponent in factors.sums:
            sign = _fixed_sign(poly)
            if sign is None:
                reduced = reduced * poly**exponent
            elif sign < 0 and exponent % 2:
                reduced = -reduced
        reduced = strip_positive(-reduced if factors.number < 0 else reduced)
        if not positive(reduced, _facts()) and reduced not in slacks:
            slacks.append(reduced)
    kept = list(slacks)
    for slack in sorted(slacks, key=lambda s: (-len(s.terms), s.text())):
        others = [other for other in kept if other != slack]
        if others and nonnegative(-slack, (*_facts(), *others)):
            return None
        if others and positive(slack, (*_facts(), *others)):
            kept.remove(slack)
    return tuple(Condition(slack) for slack in kept)


def _one_sided(symbol: str, names: tuple[str, str], difference: Poly, kept: Poly) -> Crossover:
    sign = _fixed_sign(kept) if kept.names() else (1 if (kept.constant or 0) > 0 else -1)
    if sign is not None:
        cheaper = names[1] if sign > 0 else names[0]
        dearer = names[0] if sign > 0 else names[1]
        reason = f"{cheaper} costs less than {dearer} at every {symbol}; their difference keeps one sign"
        return Crossover(symbol, names, difference, (), reason)
    reason = f"the sign of the difference does not depend on {symbol}"
    return Crossover(symbol, names, difference, (), reason, Condition(strip_positive(kept)))
