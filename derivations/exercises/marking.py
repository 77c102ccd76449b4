"""Marks an answer: right, a known slip, wrong, or to be typed again; and says why, without giving it away."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from ..algebra import Ratio
from ..atoms import evaluate, put
from ..errors import InputError
from ..library import load_variant
from ..poly import Poly
from .answer import Answer, answer_of
from .asked import Quantity, Task, Wants
from .explaining import formula_hint, listed, size_hint
from .phrases import idle_sizes
from .rounding import Fit, fit, leading, near
from .slips import Slip, Slipped, pairs_of_slips, same_ratio, single_slips
from .typed import Typed, Unreadable, all_below, read
from .units import UNITS, Measure, Unit, base_unit, number_text

__all__ = ["Mark", "Verdict", "mark", "symbols_of"]

_LETTER_B = re.compile(r"[\d.,eE+]+ ?b")
"""A number and the letter b: bytes are B, and b is how many of them an element has."""


class Verdict(StrEnum):
    """What becomes of an answer."""

    RIGHT = "right"
    SLIP = "slip"
    WRONG = "wrong"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Mark:
    """The verdict on one answer."""

    verdict: Verdict
    """`again` counts as no attempt."""
    sentences: tuple[str, ...]
    """What to tell the person who typed it."""
    slips: tuple[Slip, ...] = ()
    """Those that give the typed value, each once."""


def symbols_of(task: Task) -> frozenset[str]:
    """The size symbols a formula may use; the batch is always a number."""
    return frozenset({*load_variant(task.variant).symbols, "S", "b"} - {"B"})


def _shown(task: Task) -> frozenset[str]:
    """Those of them that the question shows."""
    if task.sizes:
        return symbols_of(task) & {*task.values, "S" if task.conventions.phase == "verify" else ""}
    idle = {*idle_sizes(load_variant(task.variant)), *(() if task.conventions.phase == "verify" else ("S",))}
    idle |= {"L"} if task.quantity in (Quantity.ELEMENTS, Quantity.ROW, Quantity.STATE) else set()
    idle |= {"b"} if task.quantity in (Quantity.ELEMENTS, Quantity.FLOPS, Quantity.CROSSOVER) else set()
    return symbols_of(task) - idle


def mark(task: Task, text: str) -> Mark:
    """The verdict on what was typed. Raises InputError for a task that has no answer."""
    right = answer_of(task)
    if right is None:
        raise InputError("this exercise has no answer")
    try:
        typed = read(text, symbols_of(task), _shown(task))
        if typed.unit is not None and typed.unit.measure is not task.measured.measure:
            return _wrong_measure(typed.unit, typed, task)
        if task.wants is Wants.FORMULA:
            return _formula(text, typed, task, right)
        return _number(typed, task)
    except Unreadable as error:
        return Mark(Verdict.AGAIN, (_sentence(str(error)),))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "?")) else ".")


def _formula(text: str, typed: Typed, task: Task, right: Answer) -> Mark:
    if typed.number is not None:
        letters = sorted(right.ratio.symbols()) if right.ratio is not None else []
        return Mark(Verdict.AGAIN, (f"A formula is asked, in {listed(letters)}; that is a number.",))
    unit = typed.unit or task.measured
    mine = _phase_put(_scaled(typed.ratio, unit.scale / task.measured.scale), task)
    if right.ratio is not None and same_ratio(mine, right.ratio):
        return Mark(Verdict.RIGHT, _remarks(typed, task))
    below = all_below(text, symbols_of(task))
    if below is not None and right.ratio is not None and same_ratio(_phase_put(below, task), right.ratio):
        return Mark(Verdict.AGAIN, ("As typed, / divides only by what follows it; " + _BRACKETS,))
    for candidates in (single_slips, pairs_of_slips):
        found = [s for s in candidates(task) if s.answer.ratio is not None and same_ratio(mine, s.answer.ratio)]
        if found:
            return _slipped(found)
    return Mark(Verdict.WRONG, (formula_hint(mine, right),))


_BRACKETS = "put all that is below the line in parentheses, as in x / (y z)."


def _number(typed: Typed, task: Task) -> Mark:
    value = typed.number
    if _LETTER_B.fullmatch(typed.text) and task.measured.measure is Measure.BYTES:
        words = f"b is a size here, {task.values.get('b', 'the bytes of an element')}; write B for bytes."
        return Mark(Verdict.AGAIN, (words,))
    if value is None:
        mine = _phase_put(typed.ratio, task)
        if evaluate(mine.under, dict(task.values)) == 0:
            raise Unreadable("a division by zero at the sizes of this exercise")
        value = mine.value(dict(task.values))
        if value is None:
            missing = sorted(typed.ratio.symbols() - {*task.values})
            return Mark(Verdict.AGAIN, (f"This exercise gives no number for {listed(missing)}.",))
    if value <= 0:
        return Mark(Verdict.AGAIN, ("The answer is above zero.",))
    asked = replace(task, unit=_unit_typed(typed, task))
    right = _in_unit(asked)
    fits = fit(value, right, typed.digits)
    slips = single_slips(asked)
    if fits is Fit.SAME or (fits is Fit.ROUNDED and typed.alone):
        return Mark(Verdict.RIGHT, _remarks(typed, task))
    if fits is Fit.ROUNDED and not any(_nearer(s, value, right) for s in slips):
        words = f"Right as far as its decimals go; written out it is {number_text(right)}."
        return Mark(Verdict.RIGHT, (*_remarks(typed, task), words))
    if fits is Fit.SHORT:
        return Mark(Verdict.AGAIN, ("Right so far; give three digits.",))
    found = [s for s in slips if _is(s, value, typed)]
    if found:
        return _slipped(found)
    if fits is Fit.CUT and typed.alone:
        return Mark(Verdict.WRONG, ("Close; it seems to be cut off: round the last digit that you give.",))
    other = _meant(value, typed, task)
    if other is not None:
        words = f"That is right in {other.name}, but {task.unit} is asked; type the unit with it."
        return Mark(Verdict.AGAIN, (words,))
    found = [s for s in pairs_of_slips(asked) if _is(s, value, typed)]
    if found:
        return _slipped(found)
    if near(value, right) and typed.alone and leading(value) == leading(right):
        return Mark(Verdict.WRONG, ("Right in three digits, but not in the last one that you gave.",))
    return Mark(Verdict.WRONG, (size_hint(value / right),))


def _is(slipped: Slipped, value: Fraction, typed: Typed) -> bool:
    """Whether what was typed is what slips give, in digits enough."""
    return fit(value, _figure(slipped), typed.digits) in (Fit.SAME, Fit.ROUNDED)


def _unit_typed(typed: Typed, task: Task) -> str:
    """The unit a figure is in: as typed, else as asked; a formula with its sizes put in is in bytes, say."""
    if typed.unit is not None:
        return typed.unit.name
    return task.unit if typed.number is not None else base_unit(task.measured.measure).name


def _in_unit(task: Task) -> Fraction:
    answer = answer_of(task)
    number = None if answer is None else answer.number
    assert number is not None, "a task with sizes has a number"
    return number


def _figure(slipped: Slipped) -> Fraction:
    """The number that slips give."""
    number = slipped.answer.number
    assert number is not None, "a task with sizes has a number"
    return number


def _nearer(slipped: Slipped, value: Fraction, right: Fraction) -> bool:
    """Whether a value, cut off or made of rounded ones, is that of a slip rather than the right one."""
    number = _figure(slipped)
    return near(value, number) and abs(value - number) < abs(value - right)


def _scaled(ratio: Ratio, scale: Fraction) -> Ratio:
    return Ratio(ratio.over * scale, ratio.under)


def _phase_put(ratio: Ratio, task: Task) -> Ratio:
    """The formula with the query tokens of the phase put for S, as the answer has them."""
    queries = {"decode": Poly.const(1), "prefill": Poly.symbol("L")}.get(task.conventions.phase)
    if queries is None:
        return ratio
    try:
        over, under = put(ratio.over, {"S": queries}), put(ratio.under, {"S": queries})
    except ZeroDivisionError:
        under = Poly()
    if not under:  # or nothing over nothing would equal any formula
        raise Unreadable(f"a division by zero, since S is {queries.text()} here")
    return Ratio(over, under)


def _wrong_measure(unit: Unit, typed: Typed, task: Task) -> Mark:
    """An answer in bytes where FLOPs are asked, say."""
    words = f"This asks for {task.measured.measure}, in {task.unit}; what is typed is in {unit.name}."
    number = typed.number
    if task.wants is Wants.NUMBER and number is not None and _right(number, task, typed):
        words += f" As {task.unit} the figure would be right."
    return Mark(Verdict.AGAIN, (words,))


def _meant(value: Fraction, typed: Typed, task: Task) -> Unit | None:
    """The unit in which a figure without one would be right."""
    if typed.unit is not None:
        return None
    others = (u for u in UNITS.values() if u.measure is task.measured.measure and u.name != task.unit)
    return next((u for u in others if _right(value, replace(task, unit=u.name), typed)), None)


def _right(value: Fraction, task: Task, typed: Typed) -> bool:
    """Whether what was typed is the answer, in digits enough."""
    return fit(value, _in_unit(task), typed.digits) in (Fit.SAME, Fit.ROUNDED)


def _remarks(typed: Typed, task: Task) -> tuple[str, ...]:
    """What to add to a right answer."""
    if task.wants is Wants.FORMULA:
        return ()
    shown = f"{number_text(_in_unit(task))} {task.unit}"
    if typed.number is None:
        return (f"Its number is {shown}.",)
    if typed.unit is None and task.measured.measure not in (Measure.ELEMENTS, Measure.TOKENS):
        return (f"No unit was typed; it is taken as {task.unit}.",)
    if typed.unit is not None and typed.unit.name != task.unit:
        macs = " (a MAC is 2 FLOPs)" if "MAC" in typed.unit.name else ""
        return (f"In {task.unit} it is {shown}{macs}.",)
    return ()


def _slipped(found: Iterable[Slipped]) -> Mark:
    """A known slip, or several: all that give the value are named."""
    groups = list(dict.fromkeys(slipped.slips for slipped in found))
    named = tuple(dict.fromkeys(slip for group in groups for slip in group))
    sentences = []
    for group in groups[:_MOST_NAMED]:
        head = "Two slips at once: " if len(group) > 1 else ""
        words = " and ".join(slip.words for slip in group)
        sentences.append(_sentence(f"{head}{words}. " + " ".join(slip.why for slip in group)))
    if len(groups) > 1:
        sentences.insert(0, "Not that; several slips give this, and one of them is yours:")
    else:
        sentences.insert(0, "Not that, but it is a known slip.")
    return Mark(Verdict.SLIP, tuple(sentences), named)


_MOST_NAMED = 6
"""Slips, or pairs of them, that are named at once."""
