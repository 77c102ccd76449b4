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
from math import lcm
from typing import TYPE_CHECKING

from .algebra import Ratio, factor
from .atoms import CONTEXT_HOLDS_QUERIES, evaluate, free_symbols, put
from .domain import nonnegative, positive, strip_positive
from .errors import InputError
from .poly import Coefficient, Poly
from .roots import Root
from .shown import Shown

if TYPE_CHECKING:
    pass

__all__ = ["Condition", "Crossover", "Root", "Solution", "conditions_of", "cross"]


_PREFIX = "L_p"
"""Tokens of a shared prefix: it leaves room for the step's own."""


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
    bounds: tuple[tuple[str, str], ...] = ()
    """For times: each kernel and what it waits for there, `arithmetic` or `memory`."""


@dataclass(frozen=True, slots=True)
class Crossover(Shown):
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
    costs: tuple[Poly, Poly] = (Poly(), Poly())
    """What each costs."""
    left_out: tuple[Poly, ...] = ()
    """FLOPs that grow with L, that the scope leaves out, and that the orders do not share."""
    kernels: tuple[tuple[str, str, Poly, Poly], ...] = ()
    """For times: order, kernel, FLOPs and bytes."""
    decided_by: Condition | None = None
    """When the sign never changes with the symbol: the first is dearer where this holds."""

    def __repr__(self) -> str:
        found = [f"{s.below} cheaper below, {s.above} above" for s in self.solutions]
        return f"Crossover({' and '.join(self.names)} in {self.symbol}: {self.never or '; '.join(found)})"

    def cheaper_everywhere(self, values: Mapping[str, Coefficient]) -> str | None:
        """The order that is cheaper at every value of the symbol, at sizes where nothing crosses.

        None when a size is missing, or when a crossing does hold there.
        """
        if any(all(c.holds(values) for c in s.conditions) for s in self.solutions):
            return None
        inside = dict(values)
        if self.symbol == "L":
            inside["L"] = 2 * Fraction(values.get("S", 1)) + 1
        else:
            inside[self.symbol] = 1
        value = evaluate(self.difference, inside)
        return None if not value else self.names[1] if value > 0 else self.names[0]


def cross(
    first: Poly,
    second: Poly,
    symbol: str,
    names: tuple[str, str],
    facts: tuple[Poly, ...] = (CONTEXT_HOLDS_QUERIES,),
) -> Crossover:
    """The crossover of two costs in `symbol`; each of `facts` is known to be at least 0.

    Raises InputError where no closed form is offered: degree above 2, or `symbol` inside a min.
    """
    difference = first - second
    if not difference:
        return Crossover(symbol, names, difference, (), f"{names[0]} and {names[1]} cost the same")
    _check_solvable(difference, symbol)
    kept, touches = Poly.const(1), False
    factors = factor(difference)
    for poly, exponent in factors.sums:
        if exponent % 2 == 0:  # zero somewhere perhaps, but never of another sign
            touches = True
            continue
        sign = _fixed_sign(poly, facts)
        if sign is None:
            kept = kept * poly
        elif sign < 0:
            kept = -kept
    if factors.number < 0:
        kept = -kept
    powers = kept.coefficients(symbol)
    degree = max(powers)
    if degree == 0:
        return _one_sided(symbol, names, difference, kept, facts, touches)
    if degree > 2:
        raise InputError(
            f"the costs of {names[0]} and {names[1]} differ by a polynomial of degree {degree} in {symbol}; "
            "closed forms are offered up to degree 2"
        )
    zero = Poly()
    a, b, c = (powers.get(k, zero) for k in (2, 1, 0))
    solutions = []
    for rising, needed in _cases(kept, symbol, a, b, c):
        if any(nonnegative(-slack, facts) for slack in needed):
            continue
        conditions = conditions_of(needed, facts)
        if conditions is None:
            continue
        below, above = (names[0], names[1]) if rising else (names[1], names[0])
        limit = None if symbol == "L" else _limit(kept, symbol)
        solutions.append(Solution(_root(a, b, c, rising), conditions, below, above, limit))
    if not solutions:
        return _one_sided(symbol, names, difference, kept, facts, touches)
    return Crossover(symbol, names, difference, tuple(solutions), None)


def _check_solvable(difference: Poly, symbol: str) -> None:
    for name in difference.names():
        if name != symbol and symbol in free_symbols(Poly.symbol(name)):
            raise InputError(
                f"the difference contains {name}, so it has no single closed form in {symbol}; "
                "ask in another symbol"
            )


def _fixed_sign(poly: Poly, facts: tuple[Poly, ...]) -> int | None:
    """The sign a sum has at every size, if it is proved to have one."""
    if positive(poly, facts):
        return 1
    return -1 if positive(-poly, facts) else None


def _ends(poly: Poly, symbol: str) -> tuple[Poly, Poly]:
    """What has the sign of `poly` at the lower and the upper end of the symbol's range."""
    parts = poly.coefficients(symbol)
    top = parts[max(parts)]
    if symbol in ("S", _PREFIX):
        _, last = _range(poly, symbol)
        assert last is not None
        return parts[min(parts)], put(poly, {symbol: last})
    if symbol == "L":
        queries, _ = _range(poly, symbol)
        return poly.map_symbols(lambda name: queries if name == "L" else None), top
    return parts[min(parts)], top


def _cases(kept: Poly, symbol: str, a: Poly, b: Poly, c: Poly) -> list[tuple[bool, tuple[Poly, ...]]]:
    """(rising, what must be positive) for each way the sign can change inside the symbol's range.

    Either the ends have opposite signs, and there is one crossing; or, for degree 2, they have the
    same sign, the discriminant is positive and the vertex lies inside, and there are two.
    """
    low, high = _ends(kept, symbol)
    cases: list[tuple[bool, tuple[Poly, ...]]] = [(True, (-low, high)), (False, (low, -high))]
    if not a:
        return cases
    start, end = _range(kept, symbol)
    slope_start = a * start * 2 + b
    slope_end = a if end is None else a * end * 2 + b
    real = b * b - a * c * 4
    dip, hump = (-slope_start, slope_end), (slope_start, -slope_end)
    for rising in (False, True):
        cases.append((rising, (low, high, real, *dip)))
        cases.append((rising, (-low, -high, real, *hump)))
    return cases


def _range(poly: Poly, symbol: str) -> tuple[Poly, Poly | None]:
    """The ends of the symbol's range; None is infinity."""
    if symbol == "S":
        shared = _PREFIX in free_symbols(poly)
        return Poly(), Poly.symbol("L") - (Poly.symbol(_PREFIX) if shared else 0)
    if symbol == _PREFIX:
        return Poly(), Poly.symbol("L") - (Poly.symbol("S") if "S" in free_symbols(poly) else 1)
    if symbol == "L":
        return Poly.symbol("S") if "S" in free_symbols(poly) else Poly.const(1), None
    return Poly(), None


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


def conditions_of(needed: tuple[Poly, ...], facts: tuple[Poly, ...]) -> tuple[Condition, ...] | None:
    """The conditions without those that always hold or follow from the others.

    None when they are seen to contradict each other.
    """
    slacks: list[Poly] = []
    for slack in needed:
        reduced = Poly.const(1)
        factors = factor(slack)
        for poly, exponent in factors.sums:
            sign = _fixed_sign(poly, facts)
            if sign is None:
                reduced = reduced * poly**exponent
            elif sign < 0 and exponent % 2:
                reduced = -reduced
        reduced = strip_positive(-reduced if factors.number < 0 else reduced)
        if not positive(reduced, facts) and reduced not in slacks:
            slacks.append(reduced)
    kept = list(slacks)
    for slack in sorted(slacks, key=lambda s: (-len(s.terms), s.text())):
        others = [other for other in kept if other != slack]
        if others and nonnegative(-slack, (*facts, *others)):
            return None
        if others and positive(slack, (*facts, *others)):
            kept.remove(slack)
    return tuple(Condition(slack) for slack in kept)


def _one_sided(
    symbol: str,
    names: tuple[str, str],
    difference: Poly,
    kept: Poly,
    facts: tuple[Poly, ...],
    touches: bool,
) -> Crossover:
    """No crossing: which order is cheaper, or what decides it."""
    for poly, cheaper, dearer in ((kept, names[1], names[0]), (-kept, names[0], names[1])):
        if positive(poly, facts) and not touches:
            reason = f"{cheaper} costs less than {dearer} at every {symbol}; their difference keeps one sign"
            return Crossover(symbol, names, difference, (), reason)
        if nonnegative(poly, facts):
            reason = f"{cheaper} never costs more than {dearer}, whatever {symbol} is"
            return Crossover(symbol, names, difference, (), reason)
    if symbol in free_symbols(kept):
        reason = f"the difference does not change its sign inside the range of {symbol}"
        return Crossover(symbol, names, difference, (), reason)
    reason = f"the sign of the difference does not depend on {symbol}"
    return Crossover(symbol, names, difference, (), reason, decided_by=Condition(strip_positive(kept)))
