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
from .proofdata import proof_of
from .resources import folder
from .witnesses.opinion import Opinion

__all__ = ["Stored", "digest", "stored_proofs"]


class Stored:
    """The proofs and counterexamples of one variant."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries

    def proof(self, claim: Claim) -> Proof | None:
        """The stored proof of a claim."""
        entry = self._entries.get(digest(claim), {})
        try:
            return proof_of(entry["proof"]) if "proof" in entry else None
        except (TypeError, ValueError, KeyError):
            return None

    def opinions(self, claim: Claim) -> tuple[Opinion, ...]:
        """What others said of a claim when its proof was stored."""
        return tuple(Opinion(**opinion) for opinion in self._entries.get(digest(claim), {}).get("opinions", ()))

    def points(self, claim: Claim) -> tuple[dict[str, int], ...]:
        """The stored sizes that break a claim."""
        return tuple(self._entries.get(digest(claim), {}).get("points", ()))


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
    except (ValueError, TypeError, KeyError, RecursionError):
        return Stored({})  # a damaged file proves nothing; proofs are found anew
    return Stored(found if isinstance(found, dict) else {})
