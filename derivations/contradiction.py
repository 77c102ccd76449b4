"""Assumptions that no sizes satisfy: from them everything follows, so a claim under them says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .certificates import Facts
from .claims import Claim
from .errors import InputError, Place
from .poly import Poly
from .proofdata import poly_of
from .refuter import has_sizes

__all__ = ["check_assumptions"]


def check_assumptions(claim: Claim, given: Sequence[str], place: Place | None) -> None:
    """Raises InputError where the assumptions contradict each other, or no sizes that satisfy them are met."""
    bare = replace(claim, statement=("all",))
    if has_sizes(bare):
        return
    shown = " and ".join(given) or "what the variant assumes"
    if _contradict(claim):
        raise InputError(
            f"the assumptions contradict each other: no sizes satisfy {shown}, so everything would follow",
            place,
        )
    raise InputError(f"no sizes were found that satisfy {shown}; a claim about none says nothing", place)


def _contradict(claim: Claim) -> bool:
    """Whether some sum of products of what is assumed is a negative number."""
    below = Poly.const(-1)
    constants = (poly_of(rest[-1]).constant for _, *rest in claim.assumptions)
    signs = [(head, poly_of(rest[0]).constant) for head, *rest in claim.assumptions if head != "put"]
    if any(value is not None and (value < 0 or (head == "pos" and not value)) for head, value in signs):
        return True
    if any(value is not None and value < 1 for value in constants):
        return True
    return Facts(claim).certificate(below, strict=False) is not None
