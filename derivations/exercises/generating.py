"""Exercises from a seed: the same seed gives the same exercises on every machine and Python.

Level 1 asks for one closed form, or a number at small round sizes. Level 2 takes the sizes of released models,
several query tokens, units. Level 3 takes crossovers, ranks, FP8, windows, selected rows and states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ..errors import InputError
from .answer import answer_of
from .asked import Task
from .recipes import RECIPES, Recipe
from .sources import Draw
from .topics import ANYTHING, Topic

__all__ = ["LEVELS", "MOST", "Exercise", "exercises"]

LEVELS = (1, 2, 3)
MOST = 200
"""Exercises at once."""
_TRIES = 60
_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Exercise:
    """A task with its place in a series."""

    number: int
    """From 1."""
    level: int
    """1, 2 or 3."""
    task: Task
    """What is asked."""


def exercises(seed: int, count: int, level: int | None = None, topic: Topic = ANYTHING) -> tuple[Exercise, ...]:
    """So many exercises; without a level they start at the first and rise, two of each, then stay.

    A longer series starts like a shorter one, and exercises differ as far as there are different ones.
    Raises InputError for numbers out of range, and where a topic has nothing at a level.
    """
    if not 0 <= seed <= _LARGEST_SEED:
        raise InputError(f"a seed is between 0 and {_LARGEST_SEED}")
    if not 1 <= count <= MOST:
        raise InputError(f"a number of exercises is between 1 and {MOST}")
    if level is not None and level not in LEVELS:
        raise InputError(f"a level is 1, 2 or 3, not {level}")
    offered = {one: [r for r in RECIPES if r.level == one and r.fits(topic)] for one in LEVELS}
    levels = [one for one in LEVELS if offered[one]]
    if level is not None and level not in levels:
        there = " and ".join(str(one) for one in levels) or "none"
        raise InputError(f"there are no exercises of level {level} on this; levels with some: {there}")
    if not levels:
        raise InputError("no exercise is about these quantities of these variants")
    found: list[Exercise] = []
    draw = Draw(Random(seed))
    for index in range(count):
        own = level if level is not None else levels[min(index // 2, len(levels) - 1)]
        task = _next(draw, offered[own], topic, [e.task for e in found])
        found.append(Exercise(index + 1, own, task))
    return tuple(found)


def _next(draw: Draw, recipes: Sequence[Recipe], topic: Topic, before: Sequence[Task]) -> Task:
    """A task that resembles those before it as little as some tries can make it."""
    best: tuple[int, Task] | None = None
    for _ in range(_TRIES):
        task = draw.pick(recipes).make(draw, topic)
        if task is None or answer_of(task) is None:
            continue
        alike = max((_alike(task, other, len(before) - i) for i, other in enumerate(before)), default=0)
        if best is None or alike < best[0]:
            best = (alike, task)
        if alike == 0:
            break
    if best is None:
        raise InputError("no exercise is about these quantities of these variants")
    return best[1]


def _alike(one: Task, other: Task, ago: int) -> int:
    """How much two tasks resemble each other, less so if the other was long ago."""
    if one == other:
        return 100
    same = [one.quantity == other.quantity, one.variant == other.variant, one.wants == other.wants]
    if all(same):
        return 3 if one.model == other.model else 2
    return 1 if same[0] and ago < 3 else 0
