"""Verdicts on figures that share their conventions, by rule.

A figure holds where the derived number rounds to it. Where it does not, every one of `changes` is tried.
A convention counts if it fits the whole group; then they hold if it, or another that does, is meant. A slip
counts if it gives every figure of the group that fails, is the only change that does, and if these have
three significant digits together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .changes import Change
from .document import Claim
from .elsewhere import interval_of
from .formulas import NoNumber
from .numbers import number
from .printed import Printed
from .reread import all_changes, fits, reading_of
from .sheet import Sheet
from .verdict import Ends, Reading, Verdict, listed

__all__ = ["Group"]

_ENOUGH = 3
"""Significant digits that an explanation must give."""


@dataclass(slots=True)
class Group:
    """Figures that share their conventions."""

    claims: Sequence[Claim]
    sheet: Sheet
    by_id: dict[str, Claim]
    known: dict[tuple[str, str], tuple[Reading, ...]] = field(default_factory=dict)

    def verdicts(self) -> Iterator[Verdict]:
        """Each figure with its verdict."""
        base = {claim.id: self._own(claim) for claim in self.claims}
        failing = [claim for claim in self.claims if not all(fits(claim, r) for r in base[claim.id])]
        open_ = [claim for claim in failing if not any(fits(claim, r) for r in base[claim.id])]
        found, tried = self._search(open_) if open_ else ([], 0)
        conventions = [way for way in found if way.kind == "convention"]
        for claim in self.claims:
            readings = base[claim.id]
            elsewhere = self._elsewhere(claim)
            if claim not in failing:
                yield Verdict(claim, "holds", readings, "", elsewhere=elsewhere)
            elif claim not in open_:
                good = [r for r in readings if fits(claim, r)]
                yield Verdict(claim, "holds if", readings, f"only {listed([r.words for r in good])}",
                              tuple(good), len(readings), elsewhere)  # fmt: skip
            elif conventions:
                yield self._conditional(claim, readings, conventions, tried, elsewhere)
            else:
                yield self._wrong(claim, readings, found, tried, elsewhere, open_)

    def _own(self, claim: Claim) -> tuple[Reading, ...]:
        """The document's own way. Raises InputError where that gives no number."""
        for _, setting in claim.everywhere:
            try:
                number(self.sheet, claim.what, setting)
            except NoNumber as error:
                raise claim.what.fail(f"{claim.id} has no value: {error}") from None
        return self._readings(claim)

    def _conditional(
        self, claim: Claim, readings: tuple[Reading, ...], ways: Sequence[Change], tried: int, elsewhere: Ends
    ) -> Verdict:
        under = tuple(reading for way in ways for reading in self._readings(claim, way))
        because = f"only where {listed([way.words for way in ways], 'or')}"
        return Verdict(claim, "holds if", readings, because, under, tried, elsewhere)

    def _wrong(
        self, claim: Claim, readings: tuple[Reading, ...], found: Sequence[Change], tried: int,
        elsewhere: Ends, failing: Sequence[Claim],
    ) -> Verdict:  # fmt: skip
        assert claim.printed is not None
        status = "contradicts" if _apart(claim.printed, elsewhere) else "wrong"
        digits = sum(one.printed.digits for one in failing if one.printed is not None)
        ways = [next(r for r in self._readings(claim, change) if fits(claim, r)) for change in found]
        if len(ways) == 1 and digits >= _ENOUGH:
            because = f"{ways[0].words} gives the printed figure"
        elif not ways:
            because = f"no other reading gives the printed figure{' throughout' if claim.places else ''}"
        elif len(ways) == 1:
            because = f"{ways[0].words} would give it, but {_digits(digits)} nothing"
        else:
            because = f"several readings give it: {listed([way.words for way in ways])}"
        return Verdict(claim, status, readings, because, tuple(ways), tried, elsewhere)

    def _search(self, failing: Sequence[Claim]) -> tuple[list[Change], int]:
        """The changes that give every failing figure, and how many sets of other numbers were tried.

        A convention is meant throughout, so it must fit the figures of the group that hold as well; those that
        come to the same for all of them are one.
        """
        own = self._vector(failing, None)
        tried: set[object] = set()
        slips: list[Change] = []
        conventions: dict[object, Change] = {}
        for change in all_changes(failing):
            numbers = self._vector(failing, change)
            if numbers is None or numbers == own:
                continue
            tried.add(numbers)
            if not self._explains(failing, change):
                continue
            if change.kind == "slip":
                # our reading of words has no digits that a slip could explain
                slips += [change] if not any(claim.in_words for claim in failing) else []
            elif self._fits_all(change):
                conventions.setdefault(self._vector(self._throughout(), change), change)
        return [*conventions.values(), *slips], len(tried)

    def _explains(self, failing: Sequence[Claim], change: Change) -> bool:
        """Whether every failing figure comes out, at one of its places at least."""
        return all(any(fits(claim, r) for r in self._readings(claim, change)) for claim in failing)

    def _vector(self, claims: Sequence[Claim], change: Change | None) -> object:
        """What a change makes of some figures; None where it cannot be applied to one."""
        numbers = []
        for claim in claims:
            for reading in self._readings(claim, change):
                if reading.value is None:
                    return None
                numbers.append((reading.value, reading.setting.rounding))
        return tuple(numbers)

    def _throughout(self) -> list[Claim]:
        """The figures of the group, and those that are named beside one."""
        return [*self.claims, *(self.by_id[name] for claim in self.claims for name in claim.beside)]

    def _fits_all(self, change: Change) -> bool:
        """Whether every figure of the group, and those beside it, come out at all of their places."""
        return all(all(fits(c, r) for r in self._readings(c, change)) for c in self._throughout())

    def _readings(self, claim: Claim, change: Change | None = None) -> tuple[Reading, ...]:
        key = claim.id, change.words if change is not None else ""
        if key not in self.known:
            self.known[key] = tuple(
                reading_of(claim, self.sheet, words, setting, change) for words, setting in claim.everywhere
            )
        return self.known[key]

    def _elsewhere(self, claim: Claim) -> Ends:
        """What the figures of another place come to, as an interval."""
        if claim.against is None:
            return None
        return _interval(claim, self.by_id)


def _apart(printed: Printed, ends: Ends) -> bool:
    """Whether a figure and what is printed elsewhere cannot be the same number, but for a tie of both."""
    bounds = printed.bounds
    return ends is not None and bounds is not None and (ends[1] <= bounds[0] or bounds[1] <= ends[0])


def _interval(claim: Claim, by_id: dict[str, Claim]) -> Ends:
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


def _digits(count: int) -> str:
    return f"{count} digit{'s explain' if count > 1 else ' explains'}"
