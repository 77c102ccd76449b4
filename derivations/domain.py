"""Sound comparison of polynomials over the sizes that can occur: every plain symbol is at least 1.

`nonnegative` and `positive` prove or give up, they never guess: each fact `p >= 0` is used to write
one symbol as the others plus a slack that is at least 0, every remaining symbol is written as 1 plus
a slack, and a polynomial whose coefficients are then all nonnegative cannot be negative. Giving up
means nothing about the sign. A symbol with a definition (`min(L, n)`, `floor(L/m)`) and the width `b`
may be below 1, so they are only taken to be at least 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .poly import Poly

__all__ = ["always_at_least", "nonnegative", "positive", "strip_positive"]

_LIMIT = 4000
"""Terms an expanded polynomial may have; beyond, the comparison gives up before it expands."""


def _sure(name: str) -> bool:
    """Whether a symbol is at least 1."""
    return "(" not in name and name != "b"


def _solvable(fact: Poly) -> tuple[str, Poly] | None:
    """A symbol that `fact` is linear in with a positive number before it, and the rest of the fact.

    Of several the one with the smallest number: the substituted polynomials stay whole if they can.
    """
    fact = _cleared(fact)
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
    """`poly` divided by its content, so that no exponent is negative."""
    return poly * poly.content().inverse() if poly else poly


def nonnegative(poly: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `poly >= 0` is proved wherever each symbol is a size and each fact is >= 0."""
    if all(c > 0 for c in poly.terms.values()):
        return True
    expanded = _expanded(poly, facts)
    return expanded is not None and all(c > 0 for c in expanded.terms.values())


def positive(poly: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `poly > 0` is proved wherever each symbol is a size and each fact is >= 0."""
    ((content, _),) = poly.content().powers() if poly else (({}, 1),)
    if not poly or any("(" in name for name in content):
        return False
    expanded = _expanded(poly, facts)
    if expanded is None or any(c < 0 for c in expanded.terms.values()):
        return False
    return any(all(name == "b" for name in powers) for powers, _ in expanded.powers())


def _growth(poly: Poly, image_terms: int, name: str | None) -> int:
    """About how many terms `poly` has once sums are put for its symbols (or for one of them)."""
    size = 0
    for powers, _ in poly.powers():
        count = 1
        for symbol, exponent in powers.items():
            if name is None or symbol == name:
                count *= image_terms**exponent if name else exponent + 1
        size += count
    return size


def _expanded(poly: Poly, facts: Iterable[Poly]) -> Poly | None:
    """`poly` over a positive term, in slacks that are at least 0; None when that would be too large."""
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
        if max(_growth(p, len(image.terms), name) for p in (current, *pending)) > _LIMIT:
            return None
        replace = {name: image}.get
        current = current.map_symbols(replace)
        pending = [_cleared(fact).map_symbols(replace) for fact in pending]
    if _growth(current, 2, None) > _LIMIT:
        return None
    return current.map_symbols(lambda n: Poly.symbol(n) + 1 if n not in slacks and _sure(n) else None)


def always_at_least(left: Poly, right: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `left >= right` is proved at every size."""
    return nonnegative(left - right, facts)


def strip_positive(poly: Poly) -> Poly:
    """`poly` without the single term that divides it: the sign is the same, the text is shorter."""
    return _cleared(poly)
