"""What rules are asked, and what several of them ask of a claim."""

from __future__ import annotations

from typing import NamedTuple

from ..claims import STEP, Claim, Term
from .exact import Poly, coefficients, data, minus, need, plus, put, read, symbol

__all__ = [
    "Step", "distinct", "fixed", "form", "free", "left_over", "names_in", "onward", "plain", "positive",
    "turning", "under", "upward",
]  # fmt: skip


class Step(NamedTuple):
    """What a rule is asked about."""

    claim: Claim
    says: Term
    got: tuple[Term, ...]
    weights: Term


def distinct(*sides: Term) -> list[Term]:
    return list(dict.fromkeys(factor for side in sides for factor in side))


def left_over(one: Term, two: Term) -> list[Term]:
    rest = list(one)
    for item in two:
        if item in rest:
            rest.remove(item)
    return rest


def form(line: Term) -> Term:
    """(expression, factors above the line, factors below it) of a line that says what something is."""
    need(line[0] == "is" and len(line) == 4, "a premise does not say what something is")
    return line[1:]


def positive(factors: list[Term]) -> tuple[Term, ...]:
    return tuple(("pos", factor) for factor in factors)


def names_in(*factors: Term) -> set[str]:
    return {str(name) for factor in factors for _, monomial in factor for name, _ in monomial}


def under(claim: Claim, name: str) -> set[str]:
    """The symbols on which the value of a symbol depends, itself included."""
    inner: set[str] = set()
    for head, known, *value in claim.assumptions:
        inner |= names_in(value[0]) if (head, known) == ("put", name) else set()
    bodies = [body for known, body in claim.opaque if known == name]
    while bodies:
        head, *parts = bodies.pop()
        inner |= set(parts) if head == "sym" else set()
        bodies += [part for part in parts if isinstance(part, tuple)]
    return {name}.union(*(under(claim, n) for n in inner))


def plain(claim: Claim, name: str, *factors: Term) -> bool:
    """Whether some polynomials depend on a symbol only by containing it."""
    return not any(name in under(claim, other) for other in names_in(*factors) - {name})


def positives(claim: Claim, *factors: Term) -> bool:
    """Whether all symbols of some polynomials are known to be positive."""
    return names_in(*factors) <= {STEP, *claim.sizes, *claim.positives}


def fixed(claim: Claim, name: str) -> bool:
    return any(head == "put" and known == name for head, known, *_ in claim.assumptions)


def free(claim: Claim, name: str) -> bool:
    """Whether a symbol is positive and defined by no other."""
    return (
        name in (*claim.sizes, *claim.positives) and not fixed(claim, name) and name not in dict(claim.opaque)
    )


def onward(name: str) -> dict[str | int, Poly]:
    return {name: plus(symbol(name), symbol(STEP))}


def upward(claim: Claim, name: str) -> bool:
    """Whether sizes stay legal when a symbol grows: nothing that is assumed, or put, falls."""
    signs = [assumed[-1] for assumed in claim.assumptions]
    grown = [data(minus(put(read(p), onward(name)), read(p))) for p in signs]
    falls = any(c < 0 for p in grown for c in read(p).values()) or not positives(claim, *grown)
    return not falls and free(claim, name) and plain(claim, name, *signs)


def turning(claim: Claim, above: Term, name: str) -> tuple[Term, dict[int, Poly]]:
    """The factor that changes its sign with a symbol, and its coefficients by power."""
    found = [p for p in above if len(coefficients(read(p), name)) > 1]
    need(len(found) == 1 and plain(claim, name, *found), "not one factor that changes its sign")
    return found[0], dict(sorted(coefficients(read(found[0]), name).items()))
