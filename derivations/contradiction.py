"""Assumptions that no sizes satisfy: from them everything follows, so a claim under them says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .claims import Claim
from .errors import InputError, Place
from .farkas import TooLarge, combine
from .poly import Poly
from .proofdata import denominator, poly_of
from .refuter import has_sizes

__all__ = ["check_assumptions"]


def check_assumptions(claim: Claim, given: Sequence[str], place: Place | None) -> None:
    """Raises InputError where the assumptions contradict each other, or no sizes that satisfy them are met."""
    shown = " and ".join(given) or "what the variant assumes"
    if _contradict(claim):
        raise InputError(
            f"the assumptions contradict each other: no sizes satisfy {shown}, so everything would follow",
            place,
        )
    if not has_sizes(replace(claim, statement=("all",))):
        raise InputError(f"no sizes were found that satisfy {shown}; a claim about none says nothing", place)


def _contradict(claim: Claim) -> bool:
    """Whether assumptions add up to something that is never positive, though each of them must be.

    Sizes are written as 1 plus a slack, and what must be above 0 in whole numbers as at least 1.
    """
    over_one = {name: Poly.symbol(name) + 1 for name in claim.sizes}
    signs = [("pos", Poly.symbol(name)) for name in claim.positives]
    for head, terms, *value in claim.assumptions:
        if not value:
            signs.append((head, poly_of(terms)))
        elif terms in claim.sizes:
            signs.append(("nonneg", poly_of(value[0]) - 1))
        else:
            signs.append(("pos", poly_of(value[0])))
    facts = []
    for head, poly in signs:
        whole = head == "pos" and poly.names() <= {*claim.sizes} and denominator(poly) == 1
        facts.append(((poly - 1 if whole else poly).map_symbols(over_one.get), head == "pos" and not whole))
    zero = Poly()
    while True:
        # what has no positive term is 0 at best, and then so are its slacks
        low = [(poly, strict) for poly, strict in facts if all(value <= 0 for value in poly.terms.values())]
        if any(strict or any(not powers for powers, _ in poly.powers()) for poly, strict in low):
            return True
        gone = {n for poly, _ in low for powers, _ in poly.powers() if len(powers) == 1 for n in powers}
        if not gone:
            break
        facts = [(poly.map_symbols(dict.fromkeys(gone, zero).get), strict) for poly, strict in facts]
    return _adds_up(facts)


def _adds_up(facts: list[tuple[Poly, bool]]) -> bool:
    """Whether some facts add up to something that is never positive, though it must be."""
    try:
        found = combine([(-poly).terms for poly, _ in facts])
    except TooLarge:
        return False
    if not found:
        return False
    total = Poly()
    for weight, (poly, _) in zip(found, facts, strict=True):
        total = total + poly * weight
    strict = any(weight and positive for weight, (_, positive) in zip(found, facts, strict=True))
    return strict or any(not powers and value < 0 for powers, value in total.powers())
