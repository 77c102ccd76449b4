"""Hints for an exercise, one after the other: which terms there are, never what they come to."""

from __future__ import annotations

from ..conventions import SCOPES
from ..terms import CostTerm, Kind
from .answer import crossing_of, derivation_of
from .asked import Quantity, Task

__all__ = ["hints_of"]


def hints_of(task: Task) -> tuple[str, ...]:
    """From the vaguest to the plainest."""
    if task.quantity is Quantity.CROSSOVER:
        return _crossing(task)
    derivation = derivation_of(task)
    tensors = derivation.cost.graph.variant.tensors
    hints: list[str] = []
    if task.quantity in (Quantity.ELEMENTS, Quantity.ROW, Quantity.CACHE, Quantity.RANK):
        names = [f"{r.name} ({tensors[r.name].meaning or 'cached'})" for r in derivation.kept.rows]
        hints.append(f"What a layer caches: {_listed(names)}.")
        shapes = [f"{r.name}[{','.join(tensors[r.name].axes)}]" for r in derivation.kept.rows]
        hints.append(f"By their indices these are {_listed(shapes)}; take the sizes of all but the context.")
    elif task.quantity is Quantity.STATE:
        states = [t for t in tensors.values() if t.role == "state"]
        hints.append(f"The state is {_listed([f'{t.name} ({t.meaning})' for t in states])}.")
        hints.append(f"Its indices: {_listed([','.join(t.axes) for t in states])}; s is the token.")
    else:
        hints += _ledger(task, derivation.cost.selected(Kind.FLOPS), derivation.cost.selected(Kind.BYTES))
    return (*hints, *_multiples(task))


def _ledger(task: Task, flops: tuple[CostTerm, ...], moved: tuple[CostTerm, ...]) -> list[str]:
    hints = []
    both = task.quantity in (Quantity.INTENSITY, Quantity.RIDGE)
    if both:
        hints.append("Write the FLOPs and the bytes down apart, then divide; most of it cancels.")
    if both or task.quantity is Quantity.FLOPS:
        products = [term.where.partition(": ")[2] for term in flops]
        hints.append(f"The core multiplies {_listed(products)}; each takes 2 FLOPs for every index point.")
    if both or task.quantity in (Quantity.BYTES, Quantity.TIME):
        hints.append(f"The core reads {_listed([term.where.removesuffix(' by the core') for term in moved])}.")
    if task.quantity is Quantity.TIME:
        hints.append("Bytes over bytes a second are seconds.")
    if task.quantity is Quantity.RIDGE:
        hints.append("The ridge is the peak over the bandwidth; the intensity is proportional to S.")
    return hints


def _crossing(task: Task) -> tuple[str, ...]:
    first, second = crossing_of(task).names
    scope = SCOPES[task.conventions.scope].text.partition(";")[0]
    return (
        f"Write down the {scope} once for {first} and once for {second}, with S free.",
        "Their difference is linear in S where all pairs count; where it is zero both cost the same.",
    )


def _multiples(task: Task) -> list[str]:
    """What a figure is still to be multiplied by."""
    hints = []
    if task.layers > 1:
        hints.append(f"{task.layers} layers are asked for.")
    if task.tp > 1:
        hints.append("A rank has a share of what has an index of heads, and all of what has none.")
    if task.batch > 1:
        hints.append(
            "All sequences are asked for." if task.whole else "Only one sequence counts, or the ratio."
        )
    return hints


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
