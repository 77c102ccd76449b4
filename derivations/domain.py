"""Sound comparison of polynomials over the sizes that can occur: every symbol is at least 1.

`nonnegative` proves or gives up, it never guesses: each fact `p >= 0` is used to write one symbol
as the others plus a slack that is at least 0, every remaining symbol is written as 1 plus a slack,
and a polynomial whose coefficients are then all nonnegative cannot be negative. Giving up means
nothing about the sign.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .poly import Poly

__all__ = ["always_at_least", "nonnegative", "positive", "strip_positive"]

_LIMIT = 4000
"""Terms an expanded polynomial may have before the comparison gives up."""


def _solvable(fact: Poly) -> tuple[str, Poly] | None:
    """A symbol that `fact` is linear in with a positive number before it, and the rest of the fact.

    The alphabetically first would do; preferring a symbol whose coefficient is smallest keeps
    the substituted polynomials integral where they can be.
    """
    best: tuple[Fraction, str] | None = None
    for powers, coefficient in fact.powers():
        if len(powers) != 1 or coefficient <= 0:
            continue
        ((name, exponent),) = powers.items()
        if exponent != 1 or fact.degree(name) != 1 or len(fact.coefficients(name)[1].terms) != 1:
            continue
        candidate = (Fraction(coefficient), name)
        if best is None or candidate < best:
            best = candidate
    if best is None:
        return None
    coefficient, name = best
    rest = fact - Poly.symbol(name) * coefficient
    return name, rest * (Fraction(1) / coefficient)


def _cleared(poly: Poly) -> Poly:
    """`poly` times a positive monomial, so that no exponent is negative."""
    if not poly:
        return poly
    return poly * poly.content().inverse()


def nonnegative(poly: Poly, facts: Iterable[Poly] = (), least: int = 1) -> bool:
    """True when `poly >= 0` is proved wherever all symbols are >= `least` and each fact is >= 0."""
    return _bounded_below(poly, facts, least, strict=False)


def positive(poly: Poly, facts: Iterable[Poly] = (), least: int = 1) -> bool:
    """True when `poly > 0` is proved wherever all symbols are >= `least` and each fact is >= 0."""
    return _bounded_below(poly, facts, least, strict=True)


def _bounded_below(poly: Poly, facts: Iterable[Poly], least: int, strict: bool) -> bool:
    if not poly:
        return not strict
    if all(c > 0 for c in poly.terms.values()):
        return True
    current = _cleared(poly)
    pending = list(facts)
    slacks: set[str] = set()
    while pending:
        found = _solvable(pending.pop(0))
        if found is None:
            continue
        name, rest = found
        if name in slacks:
            continue
        slack = f"slack {len(slacks)}"
        slacks.add(slack)
        image = Poly.symbol(slack) - rest
        replace = {name: image}.get
        if min((p.get(name, 0) for p, _ in current.powers()), default=0) < 0:
            return False
        current = current.map_symbols(replace)
        pending = [fact.map_symbols(replace) for fact in pending]
        if len(current.terms) > _LIMIT:
            return False
    shifted = current.map_symbols(lambda n: None if n in slacks else Poly.symbol(n) + least)
    if any(c < 0 for c in shifted.terms.values()):
        return False
    return bool(shifted.terms.get(0)) if strict else True


def always_at_least(left: Poly, right: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `left >= right` is proved at every size."""
    return nonnegative(left - right, facts)


def strip_positive(poly: Poly) -> Poly:
    """`poly` without the single term that divides it: the sign is the same, the text is shorter."""
    return _cleared(poly)
