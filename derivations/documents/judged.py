"""Every claim of a document with its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import InputError
from ..judging import judge
from ..quantities import Assertion
from .changes import changes
from .document import Claim, Document
from .formulas import NoNumber
from .grouped import Group
from .reread import fits, reading_of
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
            yield _judge_statement(claim, document.sheet, by_id)
            continue
        if claim.id not in known:
            for verdict in Group(groups[claim.group], document.sheet, by_id).verdicts():
                known[verdict.claim.id] = verdict
        yield known[claim.id]


def _judge_statement(claim: Claim, sheet: Sheet, by_id: Mapping[str, Claim]) -> Verdict:
    """A statement holds where it is proved; else the conventions under which it is proved count.

    They must leave right the figures named beside it; where none does, statement and figures contradict each
    other. Raises InputError for a statement that is neither proved nor refuted.
    """
    own = _own(claim, sheet)
    found = judge(own)
    if found.status == "proved":
        steps = len(found.proof.lines) if found.proof else 0
        return Verdict(claim, "holds", (), f"proved in {steps} steps", judgement=found)
    proved, tried = _under_conventions(claim, sheet, own)
    broken = {way.words: _broken(claim, way, sheet, by_id) for way, _ in proved}
    ways = _apart((way, other) for way, other in proved if not broken[way.words])
    if ways:
        words = listed([way.words for way in ways], "or")
        return Verdict(claim, "holds if", (), f"proved only where {words}", ways, tried, judgement=found)
    if proved:
        by_names: dict[tuple[str, ...], list[str]] = {}
        for way in _apart(proved):
            by_names.setdefault(broken[way.words], []).append(way.words)
        said = [
            f"{listed(words, 'or')}, and then {listed(names)} {'does' if len(names) == 1 else 'do'} not hold"
            for names, words in by_names.items()
        ]
        because = f"proved only where {listed(said, 'or')}"
        return Verdict(claim, "contradicts", (), because, _apart(proved), tried, judgement=found)
    if found.status == "open":
        raise claim.what.fail(
            f"{claim.id} is neither proved nor refuted ({found.reason}); say it in another way"
        )
    return Verdict(claim, "wrong", (), "there are sizes that show it false", (), tried, judgement=found)


def _own(claim: Claim, sheet: Sheet) -> Assertion:
    try:
        return assertion_of(claim, sheet, claim.setting)
    except NoNumber as error:
        raise claim.what.fail(f"{claim.id} claims nothing: {error}") from None


def _apart(ways: Iterable[tuple[Reading, Assertion]]) -> tuple[Reading, ...]:
    """One convention for each statement that they come to."""
    found: dict[object, Reading] = {}
    for way, other in ways:
        found.setdefault(other.claim, way)
    return tuple(found.values())


def _under_conventions(
    claim: Claim, sheet: Sheet, own: Assertion
) -> tuple[list[tuple[Reading, Assertion]], int]:
    """The conventions that prove a statement, with what it then says, and how many others were tried."""
    ways: list[tuple[Reading, Assertion]] = []
    verdicts = {own.claim: "refuted"}
    for change in changes():
        setting = change.apply(claim.setting, None) if change.kind == "convention" else None
        if setting is None:
            continue
        try:
            other = assertion_of(claim, sheet, setting) if sheet.left(claim.what, setting) else own
        except (NoNumber, InputError):  # no such order, or nothing to divide by
            continue
        if other.claim not in verdicts:
            verdicts[other.claim] = judge(other).status
        if verdicts[other.claim] == "proved":
            ways.append((Reading(change.words, None, setting), other))
    return ways, len(verdicts) - 1


def _broken(claim: Claim, way: Reading, sheet: Sheet, by_id: Mapping[str, Claim]) -> tuple[str, ...]:
    """The figures named beside a statement that a convention makes wrong."""
    change = next(change for change in changes() if change.words == way.words)

    def wrong(other: Claim) -> bool:
        places = other.everywhere
        return not all(fits(other, reading_of(other, sheet, words, at, change)) for words, at in places)

    return tuple(name for name in claim.beside if wrong(by_id[name]))
