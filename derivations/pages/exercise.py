"""Exercises on paper: a sheet to hand out, and its key with derivations and what usual mistakes give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from ..exercises.answer import Answer, answer_of
from ..exercises.asked import Task, Wants
from ..exercises.generating import Exercise
from ..exercises.phrases import way_of
from ..exercises.slips import equal, single_slips
from ..exercises.wording import notation_of, question_of, title_of
from ..report import Block, Cell, Display, Fold, Heading, Math, Prose, Report, Room, Table, cell, prose
from .worked import figure, root_of, worked_blocks

__all__ = ["PARTS", "answer_math", "exercise_report"]

PARTS = ("both", "sheet", "key")
"""What is printed."""
_LINES = {1: 3, 2: 5, 3: 7}
"""Lines to write on, by level."""


def exercise_report(
    exercises: Sequence[Exercise], seed: int, part: str = "both", folded: bool = False, about: str = ""
) -> Report:
    """The sheet, its key, or both; `folded` puts each answer below its question, to be opened.

    `about` names what the exercises are restricted to, as a lesson.
    """
    blocks: list[Block] = []
    if part != "key":
        blocks += _head(exercises)
        for exercise in exercises:
            blocks += _question(exercise)
            if part == "both" and folded:
                blocks.append(Fold(f"Answer to exercise {exercise.number}", tuple(_answer(exercise, True))))
    if part == "key" or (part == "both" and not folded):
        blocks += _key(exercises, part == "both")
    levels = sorted({exercise.level for exercise in exercises})
    words = f"level {levels[0]}" if len(levels) == 1 else f"levels {levels[0]} to {levels[-1]}"
    count = f"{len(exercises)} exercise" + ("" if len(exercises) == 1 else "s")
    subtitle = ", ".join(text for text in (count, words, f"seed {seed}", about) if text)
    title = "The cost of attention: " + ("key to the exercises" if part == "key" else "exercises")
    return Report(title, subtitle, tuple(blocks))


def _head(exercises: Sequence[Exercise]) -> list[Block]:
    points = sum(exercise.level for exercise in exercises)
    name, date, mark = (f" {'.' * count} " for count in (44, 20, 8))
    return [
        prose(f"Name{name}Date{date}Points{mark}of {points}"),
        prose("The core of a layer is what has both a query and a context index: scores and weighted sum. "
              "A question may give sizes that its answer does not need."),
    ]  # fmt: skip


def _heading(exercise: Exercise) -> str:
    points = f"{exercise.level} point" + ("" if exercise.level == 1 else "s")
    return f"{exercise.number}. {title_of(exercise.task)} ({points})"


def _question(exercise: Exercise) -> list[Block]:
    paragraphs: list[Block] = [Prose(words) for words in question_of(exercise.task)]
    return [Heading(_heading(exercise), 2), *paragraphs, Room(_LINES[exercise.level])]


def _key(exercises: Sequence[Exercise], apart: bool) -> list[Block]:
    blocks: list[Block] = [Heading("Key", 1, apart)] if apart else []
    for exercise in exercises:
        blocks += [Heading(_heading(exercise), 2), *_answer(exercise, apart)]
    return blocks


def _answer(exercise: Exercise, asked: bool) -> Iterable[Block]:
    """The answer, its derivation and the slips; the question too where it does not stand elsewhere."""
    task = exercise.task
    if not asked:
        yield from (Prose(words) for words in question_of(task)[:2])
    answer = answer_of(task)
    assert answer is not None, "every exercise has an answer"
    yield Display((answer_math(answer),), boxed=True)
    yield from worked_blocks(task, full=True)
    slips = _slips(task)
    if slips is not None:
        yield prose("What usual mistakes give:")
        yield slips


def answer_math(answer: Answer) -> Math:
    """An answer as it may be written: a formula, or a number with its unit."""
    if answer.task.wants is Wants.FORMULA:
        return root_of(answer, notation_of(answer.task))
    assert answer.number is not None, "a task with sizes has a number"
    unit = answer.task.measured
    return figure(answer.number, unit)


def _slips(task: Task) -> Table | None:
    """Value by value what gives it."""
    found: list[tuple[Answer, list[str]]] = []
    for slipped in single_slips(task):
        if task.wants is Wants.FORMULA and slipped.answer.ratio is None:
            continue
        answer = replace(slipped.answer, task=replace(slipped.answer.task, wants=task.wants))
        if task.wants is Wants.NUMBER:  # a figure in another unit is read in the one asked for
            answer = _read_as(slipped.answer, task)
        words = next((words for other, words in found if equal(answer, other)), None)
        if words is None:
            words = []
            found.append((answer, words))
        for slip in slipped.slips:
            way = way_of(slip.name, slipped.answer.task)
            said = f"{slip.words} ({way})" if way else slip.words
            words += [said] if said not in words else []
    if not found:
        return None
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (cell(answer_math(answer)), cell("; ".join(words))) for answer, words in found
    )
    return Table(("answer", "mistake"), rows, "lp")


def _read_as(answer: Answer, task: Task) -> Answer:
    """The figure of an answer, with the unit of the task written behind it."""
    assert answer.number is not None, "a task with sizes has a number"
    return Answer(task, answer.root, Fraction(answer.number) * task.measured.scale)
