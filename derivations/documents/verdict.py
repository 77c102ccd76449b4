"""Verdicts by rule: what a document says, held against what is derived.

A figure holds where the derived number rounds to it. Where it does not, every change of `setting` is tried.
A convention counts if it fits the whole group of figures that share one; then they hold if it is meant. A
slip counts if it gives every figure of the group that fails. Either must be the only one of those tried, and
the figures it gives must have three significant digits together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..errors import InputError
from ..judging import Judgement, judge
from .document import Claim, Document
from .printed import Printed
from .setting import Change, Setting, changes
from .sheet import NoNumber, Sheet
from .statement import assertion_of

__all__ = ["Reading", "Verdict", "judge_document", "readings_tried"]

ENOUGH = 3
"""Significant digits that an explanation must give."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A number for a figure, read one way."""

    words: str
    """Where, or how it is read; empty for the document's own way."""
    value: Fraction | None
    """In base units; None where there is no number."""
    setting: Setting = field(compare=False, repr=False, default_factory=Setting)
    """The setting."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a claim."""

    claim: Claim
    """The claim."""
    status: str
    """One of `VERDICTS`."""
    readings: tuple[Reading, ...]
    """The derived number, one for each place it must hold at; none for a statement."""
    because: str
    """Why it is so, in words without the right value."""
    explained: tuple[Reading, ...] = ()
    """Readings that give the printed figure."""
    tried: int = 0
    """Ways of reading that gave another number than the document's own, or another statement."""
    elsewhere: tuple[Fraction, Fraction] | None = None
    """What figures printed elsewhere in the document come to, from and to."""
    judgement: Judgement | None = None
    """For a statement: proof, or sizes that show it false."""

    @property
    def as_expected(self) -> bool:
        """Whether it is what the claim's file expects."""
        return self.status == self.claim.expect


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
            for verdict in _Group(groups[claim.group], document.sheet, by_id).verdicts():
                known[verdict.claim.id] = verdict
        yield known[claim.id]


def readings_tried(claim: Claim, sheet: Sheet) -> Iterator[tuple[str, Reading]]:
    """(kind, reading) for every change that gives another number, at each place of a figure."""
    for words, setting in claim.places or (("", claim.setting),):
        own = _read(claim, sheet, words, setting, None)
        for change in (*changes(), *_others([claim])):
            reading = _read(claim, sheet, words, setting, change)
            if reading.value is not None and (reading.value, reading.setting.rounding) != (own.value, "nearest"):
                yield change.kind, reading


@dataclass(slots=True)
class _Group:
    """Figures that share their conventions."""

    claims: Sequence[Claim]
    sheet: Sheet
    by_id: dict[str, Claim]
    known: dict[tuple[str, str], tuple[Reading, ...]] = field(default_factory=dict)

    def verdicts(self) -> Iterator[Verdict]:
        base = {claim.id: self._own(claim) for claim in self.claims}
        failing = [claim for claim in self.claims if not all(_fits(claim, r) for r in base[claim.id])]
        open_ = [claim for claim in failing if not any(_fits(claim, r) for r in base[claim.id])]
        found, tried = self._search(open_) if open_ else ([], 0)
        conventions = [way for way in found if way.kind == "convention"]
        for claim in self.claims:
            readings = base[claim.id]
            elsewhere = self._elsewhere(claim)
            if claim not in failing:
                yield Verdict(claim, "holds", readings, "", elsewhere=elsewhere)
            elif claim not in open_:
                good = [r for r in readings if _fits(claim, r)]
                yield Verdict(claim, "holds if", readings, f"only {_listed([r.words for r in good])}",
                              tuple(good), len(readings), elsewhere)  # fmt: skip
            elif len(conventions) == 1:
                yield self._conditional(claim, readings, conventions[0], tried, elsewhere)
            else:
                yield self._wrong(claim, readings, found, tried, elsewhere, open_)

    def _own(self, claim: Claim) -> tuple[Reading, ...]:
        """The document's own way. Raises InputError where that gives no number."""
        for _, setting in claim.places or (("", claim.setting),):
            try:
                self.sheet.number(claim.what, setting)
            except NoNumber as error:
                raise claim.what.fail(f"{claim.id} has no value: {error}") from None
        return self._readings(claim)

    def _conditional(
        self, claim: Claim, readings: tuple[Reading, ...], change: Change, tried: int, elsewhere: _Ends
    ) -> Verdict:
        under = self._readings(claim, change)
        return Verdict(claim, "holds if", readings, f"only where {change.words}", under, tried, elsewhere)

    def _wrong(
        self, claim: Claim, readings: tuple[Reading, ...], found: Sequence[Change], tried: int,
        elsewhere: _Ends, failing: Sequence[Claim],
    ) -> Verdict:  # fmt: skip
        assert claim.printed is not None
        status = "contradicts" if _apart(claim.printed, elsewhere) else "wrong"
        digits = sum(one.printed.digits for one in failing if one.printed is not None)
        ways = [next(r for r in self._readings(claim, change) if _fits(claim, r)) for change in found]
        if len(ways) == 1 and digits >= ENOUGH:
            because = f"{ways[0].words} gives the printed figure"
        elif not ways:
            because = "no other reading gives the printed figure"
        elif len(ways) == 1:
            because = f"{ways[0].words} would give it, but {_digits(digits)} explain nothing"
        else:
            because = f"several readings give it: {_listed([way.words for way in ways])}"
        return Verdict(claim, status, readings, because, tuple(ways), tried, elsewhere)

    def _search(self, failing: Sequence[Claim]) -> tuple[list[Change], int]:
        """The changes that give every failing figure, and how many were tried: each that gives other numbers, once.

        A convention is meant throughout, so it must fit the figures of the group that hold as well.
        """
        own = self._vector(failing, None)
        seen: dict[tuple[object, str], Change] = {}
        for change in (*changes(), *_others(failing)):
            numbers = self._vector(failing, change)
            if numbers is not None and numbers != own:
                seen.setdefault((numbers, change.kind), change)
        found = [change for change in seen.values() if self._explains(failing, change)]
        kept = [change for change in found if change.kind == "slip" or self._fits_all(change)]
        return kept, len({numbers for numbers, _ in seen})

    def _explains(self, failing: Sequence[Claim], change: Change) -> bool:
        """Whether every failing figure comes out, at one of its places at least."""
        return all(any(_fits(claim, r) for r in self._readings(claim, change)) for claim in failing)

    def _vector(self, claims: Sequence[Claim], change: Change | None) -> object:
        """What a change makes of some figures; None where it cannot be applied to one."""
        numbers = []
        for claim in claims:
            for reading in self._readings(claim, change):
                if reading.value is None:
                    return None
                numbers.append((reading.value, reading.setting.rounding))
        return tuple(numbers)

    def _fits_all(self, change: Change) -> bool:
        """Whether every figure of the group, and those beside it, come out at all of their places."""
        beside = [self.by_id[name] for claim in self.claims for name in claim.beside]
        return all(all(_fits(c, r) for r in self._readings(c, change)) for c in (*self.claims, *beside))

    def _readings(self, claim: Claim, change: Change | None = None) -> tuple[Reading, ...]:
        key = claim.id, change.words if change is not None else ""
        if key not in self.known:
            places = claim.places or (("", claim.setting),)
            self.known[key] = tuple(_read(claim, self.sheet, w, setting, change) for w, setting in places)
        return self.known[key]

    def _elsewhere(self, claim: Claim) -> _Ends:
        """What the figures of another place come to, as an interval."""
        if claim.against is None:
            return None
        return _interval(claim, self.by_id)


_Ends = tuple[Fraction, Fraction] | None


def _others(failing: Sequence[Claim]) -> Iterator[Change]:
    """The other quantities a single figure may have been taken for, as changes."""
    for other in failing[0].instead if len(failing) == 1 else ():
        yield Change(f"taking {other.words}", "slip", lambda s, _, o=other: replace(o.setting, formula=o.what))  # type: ignore[misc]


def _read(claim: Claim, sheet: Sheet, words: str, setting: Setting, change: Change | None) -> Reading:
    if change is not None:
        changed = change.apply(setting, claim.printed)
        if changed is None:
            # a change that does not concern a figure leaves it as it is
            return _read(claim, sheet, words, setting, None)
        setting, words = changed, f"{change.words} {words}" if words else change.words
    try:
        return Reading(words, setting.turn(sheet.number(setting.formula or claim.what, setting)), setting)
    except (NoNumber, InputError):  # a change may leave nothing to divide by, or no such order
        return Reading(words, None, setting)


def _fits(claim: Claim, reading: Reading) -> bool:
    assert claim.printed is not None
    return reading.value is not None and claim.printed.allows(reading.value, reading.setting.rounding)


def _apart(printed: Printed, ends: _Ends) -> bool:
    """Whether a figure and what is printed elsewhere cannot be the same number."""
    bounds = printed.bounds
    return ends is not None and bounds is not None and (ends[1] <= bounds[0] or bounds[1] <= ends[0])


def _interval(claim: Claim, by_id: dict[str, Claim]) -> _Ends:
    from .elsewhere import interval_of

    against = claim.against
    assert against is not None
    figures = {}
    for name, other in against.ids.items():
        printed = by_id[other].printed
        assert printed is not None
        bounds = printed.bounds
        if bounds is None:
            return None
        figures[name] = bounds
    return interval_of(against.entry, figures)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _digits(count: int) -> str:
    return f"{count} digit{'s' if count > 1 else ''}"


def _judge_statement(claim: Claim, sheet: Sheet) -> Verdict:
    """A statement holds where it is proved; where it is refuted, the conventions under which it is proved count."""
    own = assertion_of(claim, sheet, claim.setting)
    found = judge(own)
    if found.status == "proved":
        return Verdict(claim, "holds", (), f"proved in {len(found.proof.lines)} steps" if found.proof else "", judgement=found)
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
        words = f"proved only where {_listed([way.words for way in ways])}"
        return Verdict(claim, "holds if", (), words, tuple(ways), tried, judgement=found)
    because = "there are sizes that show it false" if found.status == "refuted" else f"not decided: {found.reason}"
    return Verdict(claim, "wrong", (), because, (), tried, judgement=found)
