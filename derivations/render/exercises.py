"""Exercises as data: the questions, the keys, and what each usual mistake gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..exercises.answer import Answer, answer_of
from ..exercises.asked import Task, Wants
from ..exercises.generating import Exercise
from ..exercises.slips import Slipped, single_slips
from ..exercises.wording import flat, notation_of, question_of, title_of
from ..notation import Notation
from .data import SCHEMA, number, sympy_text

__all__ = ["exercises_data"]


def exercises_data(exercises: Sequence[Exercise], seed: int) -> dict[str, Any]:
    """The contract of `derive quiz --json`."""
    return {"schema": SCHEMA, "seed": seed, "exercises": [_exercise(exercise) for exercise in exercises]}


def _exercise(exercise: Exercise) -> dict[str, Any]:
    task = exercise.task
    answer = answer_of(task)
    assert answer is not None, "every exercise has an answer"
    return {
        "number": exercise.number,
        "level": exercise.level,
        "title": title_of(task),
        "question": [flat(words) for words in question_of(task)],
        **_asked(task),
        "answer": _answer(answer, task),
        "slips": [_slip(slipped, task) for slipped in single_slips(task)],
    }


def _asked(task: Task) -> dict[str, Any]:
    return {
        "variant": task.variant,
        "order": task.order,
        "quantity": str(task.quantity),
        "wants": str(task.wants),
        "unit": task.unit,
        "model": task.model or None,
        "gpu": task.gpu or None,
        "sizes": task.values,
        "layers": task.layers,
        "tp": task.tp,
        "batch": task.batch,
        "whole_batch": task.whole,
        "conventions": dict(task.conventions.items()),
    }


def _answer(answer: Answer, task: Task) -> dict[str, Any]:
    """The formula, in bytes, FLOPs and the like, and the figure in the unit asked for."""
    notation = notation_of(answer.task)
    return {**_formula(answer, notation), **number(answer.number), "unit": task.unit}


def _formula(answer: Answer, notation: Notation) -> dict[str, Any]:
    if answer.ratio is not None:
        return {"expr": sympy_text(answer.ratio.sympy(), notation), "latex": notation.latex(answer.ratio)}
    return {"expr": sympy_text(answer.root.sympy(), notation), "latex": None}


def _slip(slipped: Slipped, task: Task) -> dict[str, Any]:
    (slip,) = slipped.slips
    figure = _answer(slipped.answer, task)
    if task.wants is Wants.FORMULA:
        figure["value"] = None
    return {"slip": slip.name, "words": slip.words, "why": slip.why, **figure}
