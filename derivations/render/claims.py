"""Claims and their verdicts as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..judging import Judgement
from ..notation import Notation
from ..opinions import Weighed
from ..pages.claimtext import Phrases
from ..proofdata import point_data
from ..witnesses.opinion import Opinion

__all__ = ["claim_data", "claims_data"]


def claims_data(judgements: Iterable[Weighed], notation: Notation) -> list[dict[str, Any]]:
    """Each claim with verdict, steps and opinions."""
    return [claim_data(judgement, opinions, notation) for judgement, opinions in judgements]


def claim_data(judgement: Judgement, opinions: Sequence[Opinion], notation: Notation) -> dict[str, Any]:
    """One claim."""
    assertion, claim = judgement.assertion, judgement.assertion.claim
    phrases = Phrases(notation, claim)
    maths = phrases.statement(claim.statement)
    proof = judgement.proof
    kernel = {"by": "kernel", "agrees": True, "note": f"{len(proof.lines)} lines accepted"} if proof else None
    return {
        "id": assertion.id,
        "says": assertion.says,
        "statement": " and ".join(math.text for math in maths),
        "latex": " \\text{ and } ".join(math.latex for math in maths),
        "assumptions": [phrases.sign(term).text for term in claim.assumptions],
        "status": judgement.status,
        "expected": assertion.expect,
        "counterexample": [point_data(at) for at in judgement.points] or None,
        "reason": judgement.reason or None,
        "hypotheses": [phrases.sign(term).text for term in proof.hypotheses] if proof else [],
        "steps": _steps(judgement, phrases),
        "opinions": [
            *([kernel] if kernel else []),
            *({"by": o.by, "agrees": o.agrees, "note": o.note} for o in opinions),
        ],
    }


def _steps(judgement: Judgement, phrases: Phrases) -> list[dict[str, Any]]:
    """The lines of the proof, each with its rule and the lines it follows from."""
    if judgement.proof is None:
        return []
    return [
        {"says": _line(phrases, line.statement), "rule": line.rule, "from": list(line.premises)}
        for line in judgement.proof.lines
    ]


def _line(phrases: Phrases, statement: Any) -> str:
    if statement[0] == "is":
        return f"{phrases.expression(statement[1]).text} = {phrases.fraction(*statement[2:]).text}"
    return " and ".join(math.text for math in phrases.statement(statement))
