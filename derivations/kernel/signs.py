"""Rules that say that a polynomial is positive, or not negative."""

from __future__ import annotations

from ..claims import STEP
from .exact import ONE, Poly, data, minus, need, ordered, put, read, symbol, times
from .steps import Step, names_in

__all__ = ["SIGNS"]

HIGHEST_PRODUCT = 12
"""Premises in one product of a sum, so that multiplying out stays cheap."""


def given(step: Step) -> bool:
    """An assumption."""
    return step.says in step.claim.assumptions and not step.got


def size(step: Step) -> bool:
    """A size is a whole number of at least 1; a width is positive, and so is the step of a shift."""
    claim = step.claim
    above = [("pos", data(symbol(name))) for name in (STEP, *claim.sizes, *claim.positives)]
    return not step.got and step.says in (
        *above,
        *(("nonneg", data(minus(symbol(n), ONE))) for n in claim.sizes),
    )


def whole(step: Step) -> bool:
    """A whole number above 0 is at least 1."""
    ((head, terms),) = step.got
    integral = names_in(terms) <= {*step.claim.sizes} and all(c.denominator == 1 for c in read(terms).values())
    return head == "pos" and integral and step.says == ("nonneg", data(minus(read(terms), ONE)))


def combine(step: Step) -> bool:
    """A sum of products of what is not negative is not; it is positive if one of the products is."""
    known: dict[str | int, Poly] = {place: read(terms) for place, (_, terms) in enumerate(step.got)}
    heads, sums = [head for head, _ in step.got], read(step.weights)
    need(all(sum(e for _, e in m) <= HIGHEST_PRODUCT for m in sums), "a product of too many")
    need(step.got == ordered({*step.got}), "premises in another order, or one twice")
    need({*heads} <= {"pos", "nonneg"} and {n for m in sums for n, _ in m} == {*known}, "a premise is idle")
    head = "pos" if any(all(heads[int(n)] == "pos" for n, _ in m) for m in sums) else "nonneg"
    exact = all(c > 0 for c in sums.values()) and step.says == (head, data(put(sums, known)))
    return exact and step.says[1] not in [terms for _, terms in step.got]


def divided(step: Step) -> bool:
    """What times something positive is positive is positive."""
    (whole_sign, product), (sign, part) = step.got
    quotient = times(read(step.says[1]), read(part)) == read(product)
    return whole_sign == sign == step.says[0] == "pos" and quotient and data(ONE) not in (part, step.says[1])


SIGNS = (given, size, whole, combine, divided)
