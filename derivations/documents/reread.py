"""Figures read one way or another: the document's own, or with one change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import InputError
from .changes import Apply, Change, changes
from .document import Claim, Instead
from .formulas import NoNumber
from .numbers import number
from .setting import Setting
from .sheet import Sheet
from .verdict import Reading

__all__ = ["all_changes", "fits", "reading_of", "readings_tried"]


def readings_tried(claim: Claim, sheet: Sheet) -> Iterator[tuple[str, Reading]]:
    """(kind, reading) for every change that gives another number, at each place of a figure."""
    for words, setting in claim.everywhere:
        own = reading_of(claim, sheet, words, setting, None)
        for change in all_changes([claim]):
            reading = reading_of(claim, sheet, words, setting, change)
            if reading.value is not None and (reading.value, reading.setting.rounding) != (
                own.value,
                "nearest",
            ):
                yield change.kind, reading


def all_changes(claims: Sequence[Claim]) -> Iterator[Change]:
    """Every change, and for a single figure the other quantities it may have been taken for."""
    yield from changes()
    for other in claims[0].instead if len(claims) == 1 else ():
        yield Change(f"taking {other.words}", "slip", _taken(other))


def reading_of(claim: Claim, sheet: Sheet, words: str, setting: Setting, change: Change | None) -> Reading:
    """The number of a figure at one place, with or without a change."""
    if change is not None:
        changed = change.apply(setting, claim.printed)
        if changed is None:
            # a change that does not concern a figure leaves it as it is
            return reading_of(claim, sheet, words, setting, None)
        setting, words = changed, f"{change.words} {words}" if words else change.words
    formula = setting.formula or claim.what
    try:
        if change is not None and not sheet.left(formula, setting):
            return Reading(words, None, setting)
        return Reading(words, setting.turn(number(sheet, formula, setting)), setting)
    except (NoNumber, InputError):  # a change may leave nothing to divide by, or no such order
        return Reading(words, None, setting)


def fits(claim: Claim, reading: Reading) -> bool:
    """Whether a reading gives the printed figure."""
    assert claim.printed is not None
    return reading.value is not None and claim.printed.allows(reading.value, reading.setting.rounding)


def _taken(other: Instead) -> Apply:
    return lambda _, __: replace(other.setting, formula=other.what)
