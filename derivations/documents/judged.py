"""Every claim of a document with its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..judging import judge
from .changes import changes
from .document import Claim, Document
from .formulas import NoNumber
from .grouped import Group
from .sheet import Sheet
from .statement import assertion_of
from .verdict import Reading, Verdict, listed

__all__ = ["judge_document"]


def judge_document(document: Document, only: Iterable[str] | None = None) -> Iterator[Verdict]:
    """Each claim with its verdict, in order; with `only`, those ids (their groups are judged whole)."""
    wanted = None if only is None else set(only)
    claims = list(document.claims())
    by_id = {claim.id: claim for claim in claims}
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.printed is not None:
            groups.setdefault(claim.group, []).append(claim)
    known: dict[str, Verdict] = {}
    for claim in claims:
        if wanted is not None and claim.id not in wanted:
            continue
        if claim.printed is None:
            yield _judge_statement(claim, document.sheet)
            continue
        if claim.id not in known:
            for verdict in Group(groups[claim.group], document.sheet, by_id).verdicts():
                known[verdict.claim.id] = verdict
        yield known[claim.id]


def _judge_statement(claim: Claim, sheet: Sheet) -> Verdict:
    """A statement holds where it is proved; else the conventions under which it is proved count."""
    own = assertion_of(claim, sheet, claim.setting)
    found = judge(own)
    if found.status == "proved":
        return Verdict(
            claim,
            "holds",
            (),
            f"proved in {len(found.proof.lines)} steps" if found.proof else "",
            judgement=found,
        )
    ways, seen = [], {own.claim}
    for change in changes():
        if change.kind != "convention":
            continue
        setting = change.apply(claim.setting, None)
        if setting is None:
            continue
        try:
            other = assertion_of(claim, sheet, setting)
        except NoNumber:
            continue
        if other.claim in seen:
            continue
        seen.add(other.claim)
        if judge(other).status == "proved":
            ways.append(Reading(change.words, None, setting))
    tried = len(seen) - 1
    if ways:
        words = f"proved only where {listed([way.words for way in ways])}"
        return Verdict(claim, "holds if", (), words, tuple(ways), tried, judgement=found)
    because = (
        "there are sizes that show it false" if found.status == "refuted" else f"not decided: {found.reason}"
    )
    return Verdict(claim, "wrong", (), because, (), tried, judgement=found)
