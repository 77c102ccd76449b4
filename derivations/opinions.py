"""Who else is asked about a claim: exact random evaluation always, z3 where there is time for it."""

from __future__ import annotations

from .judging import Judgement
from .witnesses import Opinion, random_opinion

__all__ = ["opinions_on"]


def opinions_on(judgement: Judgement, thorough: bool = False) -> tuple[Opinion, ...]:
    """Second opinions; what is open is not asked about. With `thorough`, those of optional packages too."""
    claim = judgement.assertion.claim
    if judgement.status == "open":
        return ()
    found = [random_opinion(claim)]
    if thorough:
        from .smt import z3_opinion

        found.append(z3_opinion(claim))
    return tuple(found)
