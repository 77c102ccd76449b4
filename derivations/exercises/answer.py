"""The answer to a task, derived: a ratio in symbols, and the number at the task's sizes.

Every ledger is derived in symbols and numbers are put in last, so that formula and number cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ..algebra import Ratio
from ..conventions import Conventions
from ..crossover import Crossover, Solution
from ..derivation import Derivation, Study, crossover_of, derive
from ..errors import InputError
from ..poly import Coefficient, Poly, total
from ..regimes import cross_in_regimes
from ..roofline import RIDGE
from ..roots import Root
from ..sharding import UNSPLIT, Split
from ..terms import CostTerm, Kind
from .asked import Quantity, Task
from .rewriting import REWRITINGS, rewritten

__all__ = ["ADJUSTMENTS", "Answer", "answer_of", "crossing_of", "derivation_of", "flop_terms"]

ADJUSTMENTS: Mapping[str, str] = {
    "half": "half of the FLOPs over pairs of a query and a context token",
    "batch-over-one": "FLOPs of the whole batch over bytes of one sequence",
    "endless": "the limit for a context without end",
}
"""Changes that a program cannot say: which terms of its ledger are added up, and what L is put last."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a task."""

    task: Task
    """What was asked."""
    root: Root
    """In symbols, in bytes, FLOPs, FLOPs per byte, tokens or seconds."""
    value: Fraction | None
    """The number at the task's sizes, in the same; None where the sizes are symbols."""

    @property
    def ratio(self) -> Ratio | None:
        """The formula; None where it needs a square root."""
        return self.root.ratio

    @property
    def number(self) -> Fraction | None:
        """The number in the unit asked for."""
        return None if self.value is None else self.value / self.task.measured.scale


def answer_of(task: Task) -> Answer | None:
    """The answer; None where there is none, as where nothing crosses. Raises InputError for a wrong task."""
    root = _root(task)
    if root is None:
        return None
    if not task.sizes:
        return Answer(task, root, None)
    value = _value(root, task)
    return None if value is None else Answer(task, root, value)


def derivation_of(task: Task) -> Derivation:
    """The derivation behind a task, in symbols."""
    split = Split(tp=task.tp) if task.quantity is Quantity.RANK else UNSPLIT
    return _derived(task.variant, task.order, task.conventions, _programs(task), task.tp, split)


def crossing_of(task: Task) -> Crossover:
    """The crossover behind a task, in symbols."""
    return _crossed(task.variant, task.order, task.conventions, _programs(task), task.tp)


def flop_terms(task: Task) -> tuple[CostTerm, ...]:
    """The FLOP terms that a task adds up."""
    terms = derivation_of(task).cost.selected(Kind.FLOPS)
    if "half" not in task.changes:
        return terms
    half = Fraction(1, 2)
    return tuple(replace(t, amount=t.amount * half) if t.stage == "core" else t for t in terms)


def _programs(task: Task) -> tuple[str, ...]:
    return tuple(change for change in task.changes if change in REWRITINGS)


@lru_cache(maxsize=512)
def _derived(
    name: str, order: str, conventions: Conventions, changes: tuple[str, ...], ranks: int, split: Split
) -> Derivation:
    # rows that are divided by the ranks already are not split over them once more
    divided = any(change.startswith("rows-divided") for change in changes)
    variant = rewritten(name, changes, ranks)
    return derive(Study(variant, conventions, {}, split=UNSPLIT if divided else split), order)


@lru_cache(maxsize=128)
def _crossed(
    name: str, order: str, conventions: Conventions, changes: tuple[str, ...], ranks: int
) -> Crossover:
    return crossover_of(Study(rewritten(name, changes, ranks), conventions, {}), order, "expand", "S")


def _root(task: Task) -> Root | None:
    """The answer in symbols, in base units."""
    if task.quantity is Quantity.CROSSOVER:
        return _solution(crossing_of(task).solutions, task)
    if task.quantity is Quantity.RIDGE:
        return _at_ridge(task)
    ratio = _ratio(task)
    return None if ratio is None else Root(ratio.over, Poly(), ratio.under)


def _ratio(task: Task) -> Ratio | None:
    derivation = derivation_of(task)
    flops = total(term.amount for term in flop_terms(task))
    if task.quantity is Quantity.INTENSITY:
        return Ratio(flops * _over_one(task), derivation.bytes) if derivation.bytes else None
    times = Fraction(task.layers * (task.batch if task.whole else 1))
    kept = derivation.kept
    if task.quantity is Quantity.TIME:
        return Ratio(derivation.bytes * (times / task.accelerator.bandwidth.value))
    amount = {
        Quantity.ELEMENTS: derivation.cache_elements,
        Quantity.ROW: derivation.cache_bytes,
        Quantity.CACHE: kept.bytes,
        Quantity.RANK: kept.bytes,
        Quantity.STATE: kept.state_bytes,
        Quantity.FLOPS: flops,
        Quantity.BYTES: derivation.bytes,
    }[task.quantity]
    return Ratio(amount * times)


def _over_one(task: Task) -> int:
    return task.batch if "batch-over-one" in task.changes else 1


def _at_ridge(task: Task) -> Root | None:
    """The S at which FLOPs are as many as the ridge allows for the bytes."""
    flops = total(term.amount for term in flop_terms(task)) * _over_one(task)
    moved = derivation_of(task).bytes * RIDGE
    try:
        found = cross_in_regimes(
            flops, moved, "S", ("memory", "compute"), derivation_of(task).study.variant.facts
        )
    except InputError:  # no closed form
        return None
    return found.solutions[0].root if len(found.solutions) == 1 else None


def _solution(solutions: tuple[Solution, ...], task: Task) -> Root | None:
    """The crossing at the task's sizes, or the only one where they are symbols."""
    held = list(solutions)
    if task.sizes:
        values = _values(task)
        held = [s for s in solutions if all(c.holds(values) for c in s.conditions)]
    if len(held) != 1:
        return None
    if "endless" not in task.changes:
        return held[0].root
    far = held[0].limit
    return None if far is None else Root(far.over, Poly(), far.under)


def _values(task: Task) -> dict[str, Coefficient]:
    values: dict[str, Coefficient] = dict(task.values)
    if task.gpu:
        values["R"] = task.accelerator.ridge("bf16")
    return values


def _value(root: Root, task: Task) -> Fraction | None:
    ratio = root.ratio
    values = _values(task)
    return root.value(values) if ratio is None else ratio.value(values)
