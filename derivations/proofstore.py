"""Proofs that ship: a file for each bundled variant, each proof under a digest of its claim.

What is read here is trusted no more than what is found anew: the kernel checks it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from .claims import Claim, Proof
from .proofdata import Sizes, point_of, proof_of
from .resources import folder
from .witnesses.opinion import Opinion

__all__ = ["Stored", "digest", "stored_proofs"]


_DAMAGE = (TypeError, ValueError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError)
"""What an entry that is missing, or of another shape, raises: it proves nothing, and proofs are found anew."""
_ANSWERS = (True, False, None)


class Stored:
    """The proofs and counterexamples of one variant."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries

    def proof(self, claim: Claim) -> Proof | None:
        """The stored proof of a claim."""
        try:
            return proof_of(self._entries[digest(claim)]["proof"])
        except _DAMAGE:
            return None

    def opinions(self, claim: Claim) -> tuple[Opinion, ...]:
        """What others said of a claim when its proof was stored."""
        try:
            found = tuple(Opinion(**opinion) for opinion in self._entries[digest(claim)]["opinions"])
        except _DAMAGE:
            return ()
        sound = all(isinstance(o.by, str) and isinstance(o.note, str) and o.agrees in _ANSWERS for o in found)
        return found if sound else ()

    def points(self, claim: Claim) -> tuple[Sizes, ...]:
        """The stored sizes that break a claim."""
        try:
            return tuple(point_of(at) for at in self._entries[digest(claim)]["points"])
        except _DAMAGE:
            return ()


def digest(claim: Claim) -> str:
    """What a claim is known by: a hash of all it says."""
    whole = (
        claim.statement, claim.definitions, claim.assumptions, claim.sizes, claim.positives, claim.opaque,
    )  # fmt: skip
    return sha256(repr(whole).encode()).hexdigest()[:20]


@lru_cache(maxsize=4)
def stored_proofs(variant: str) -> Stored:
    """The proofs that ship for a variant; none for one that is the user's own."""
    path = folder("models") / "proofs" / f"{variant}.json"
    if "/" in variant or not path.is_file():
        return Stored({})
    try:
        found = json.loads(path.read_text("utf-8"))["proofs"]
    except (*_DAMAGE, OSError):
        return Stored({})
    return Stored(found if isinstance(found, dict) else {})
