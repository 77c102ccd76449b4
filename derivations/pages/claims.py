"""Claims with their verdicts: a section of a derivation, and the page of `derive prove`."""

from __future__ import annotations

from collections.abc import Sequence

from ..atoms import CONTEXT_HOLDS_QUERIES
from ..claims import Proof, Term
from ..judging import Judgement
from ..notation import Notation
from ..opinions import Weighed
from ..proofdata import poly_data
from ..report import Block, Cell, Display, Heading, Math, Prose, Report, Table, cell, prose
from ..witnesses.opinion import Opinion
from .claimtext import Phrases, points_math
from .parts import LONG
from .proof import proof_items

__all__ = ["claim_blocks", "claims_report", "one_claim"]


def claims_report(judgements: Sequence[Weighed], notation: Notation, title: str, subtitle: str) -> Report:
    """All claims about a variant, or of a file."""
    found = [judgement for judgement, _ in judgements]
    counts = [f"{sum(j.status == status for j in found)} {status}" for status in ("proved", "refuted", "open")]
    words = f"{len(found)} claim{'' if len(found) == 1 else 's'}: {', '.join(counts)}."
    blocks: list[Block] = [prose(words), *_overview(found)]
    known: dict[Term, Math] = {}
    for judgement, opinions in judgements:
        blocks.append(Heading(judgement.assertion.id))
        blocks += one_claim(judgement, opinions, notation, known)
    return Report(title, subtitle, tuple(blocks))


def claim_blocks(
    judgements: Sequence[Weighed], notation: Notation, title: str = "Claims", steps: bool = True
) -> list[Block]:
    """The section of a derivation on what it claims; without `steps`, only the verdicts."""
    if not judgements:
        return []
    blocks: list[Block] = [
        Heading(title),
        prose(
            "A claim is about all sizes that its assumptions allow: whole numbers of at least 1, and widths "
            "in bytes above 0. A proof is a list of steps that a small checker has accepted one by one; a "
            "refutation is sizes at which the claim fails."
        ),
        *_overview([judgement for judgement, _ in judgements]),
    ]  # fmt: skip
    if not steps:
        return [*blocks, prose("The steps of each: derive prove, or any other format of this page.")]
    known: dict[Term, Math] = {}
    for judgement, opinions in judgements:
        blocks.append(Heading(judgement.assertion.id, 2))
        blocks += one_claim(judgement, opinions, notation, known)
    return blocks


def _overview(judgements: Sequence[Judgement]) -> list[Block]:
    rows = [
        (cell(j.assertion.id), cell(j.assertion.says or "-"), cell(j.status + _against(j))) for j in judgements
    ]
    return [Table(("claim", "says", "verdict"), tuple(rows), "ppl")]


def _against(judgement: Judgement) -> str:
    return "" if judgement.as_expected else f", {judgement.assertion.expect} expected"


def one_claim(
    judgement: Judgement, opinions: Sequence[Opinion], notation: Notation, known: dict[Term, Math]
) -> list[Block]:
    """One claim: what it says, what is given, the verdict, the steps."""
    assertion = judgement.assertion
    phrases = Phrases(notation, assertion.claim, known)
    blocks: list[Block] = []
    if assertion.says:
        blocks.append(prose(assertion.says))
    claimed = phrases.statement(assertion.claim.statement)
    if len(claimed) > 1 and all(len(math.text) <= LONG for math in claimed):
        blocks += [prose("Claim:"), Display(tuple(claimed))]
    elif all(len(math.text) <= 160 for math in claimed):
        blocks.append(Prose(("Claim: ", *_joined(claimed), ".")))
    blocks += _assumed(judgement, phrases)
    verdict: list[str | Math] = [f"Verdict: {judgement.status}{_against(judgement)}"]
    if judgement.proof is not None:
        verdict.append(f"; checked by the kernel, {len(judgement.proof.lines)} lines")
    verdict.append(f"{_checked(opinions)}.")
    if judgement.points:
        verdict += _points(judgement, notation)
    if judgement.reason:
        verdict.append(f" No proof was found: {judgement.reason}.")
    blocks.append(Prose(tuple(verdict)))
    if judgement.proof is not None and _widest(judgement.proof) > _WIDEST:
        blocks.append(prose("Its sums are too long for a page; derive prove lists the steps with --json."))
    elif judgement.proof is not None:
        blocks.append(proof_items(judgement.proof, phrases))
    return blocks


_WIDEST = 10
"""Terms of a sum in a step that is shown."""


def _widest(proof: Proof) -> int:
    """Terms of the longest sum that a step writes as a fraction."""
    forms = [line.statement for line in proof.lines if line.statement[0] == "is"]
    return max((len(p) for _, _, *sides in forms for side in sides for p in side), default=0)


def _assumed(judgement: Judgement, phrases: Phrases) -> list[Block]:
    """The assumptions, with those that the proof does not need."""
    claim, proof = judgement.assertion.claim, judgement.proof
    opaque = {name for name, _ in claim.opaque}
    told = (
        "nonneg",
        poly_data(CONTEXT_HOLDS_QUERIES),
    )  # holds of all sizes; only worth a word where it is used
    used = proof.hypotheses if proof else ()
    shown = [a for a in claim.assumptions if not _definitional(a, opaque) and (a != told or a in used)]
    if not shown:
        return []
    blocks: list[Block] = [Prose(("Given: ", *_joined([phrases.sign(term) for term in shown]), "."))]
    idle = _idle(shown, proof)
    if idle:
        verb = "is" if len(idle) == 1 else "are"
        blocks.append(Prose((*_joined([phrases.sign(term) for term in idle]), f" {verb} not needed.")))
    return blocks


def _definitional(term: Term, opaque: set[str]) -> bool:
    """Whether an assumption only says what a min, ceil or floor is."""
    return term[0] != "put" and any(name in opaque for _, monomial in term[1] for name, _ in monomial)


def _idle(assumed: Sequence[Term], proof: Proof | None) -> list[Term]:
    return [] if proof is None else [term for term in assumed if term not in proof.hypotheses]


def _points(judgement: Judgement, notation: Notation) -> list[str | Math]:
    """The sizes at which a claim fails."""
    maths = points_math(judgement.points, notation)
    if len(maths) == 1:
        return [" It fails at ", maths[0], "."]
    return [" It fails between ", maths[0], " and the same with ", maths[1], "."]


def _checked(opinions: Sequence[Opinion]) -> str:
    """Who else agrees, and who does not."""
    words = ""
    for opinion in opinions:
        says = {True: "agrees", False: "DISAGREES", None: "has no answer"}[opinion.agrees]
        words += f"; {opinion.by} {says} ({opinion.note})" if opinion.note else f"; {opinion.by} {says}"
    return words


def _joined(maths: Sequence[Math]) -> Cell:
    parts: list[str | Math] = []
    for place, math in enumerate(maths):
        parts += [", and " if place and place == len(maths) - 1 else ", " if place else "", math]
    return tuple(parts)
