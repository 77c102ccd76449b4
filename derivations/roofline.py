"""Time on a roofline: a kernel takes as long as its arithmetic or its memory traffic, whichever is longer.

A step is a sum of kernels. In closed form a kernel's time, in FLOPs at the peak rate, is max(F, R M) with the
ridge R = peak / bandwidth as a symbol; max(x, y) is x + y - min(x, y), so that crossovers in time are found
like all others. Launches, latencies and what does not overlap are left out: times are lower bounds.
Rows of a shared prefix are scored by a kernel of their own, as they are read for many sequences at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .atoms import evaluate, minimum
from .costs import Cost
from .hardware import Accelerator
from .poly import Coefficient, Poly, total
from .prefix import segment
from .terms import CostTerm, Kind

__all__ = ["RIDGE", "Kernel", "Timed", "kernels", "longest", "time_of", "timed"]

RIDGE = Poly.symbol("R")
"""The ridge, in FLOPs per byte."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """What one kernel does and moves."""

    name: str
    """For people."""
    flops: Poly
    """Arithmetic, in FLOPs."""
    bytes: Poly
    """Read and written."""

    def time(self, facts: tuple[Poly, ...] = ()) -> Poly:
        """In FLOPs at the peak rate."""
        return longest(self.flops, self.bytes * RIDGE, facts)


@dataclass(frozen=True, slots=True)
class Timed:
    """A kernel on an accelerator."""

    kernel: Kernel
    """Which."""
    compute: Fraction
    """Seconds its arithmetic takes at the peak."""
    memory: Fraction
    """Seconds its traffic takes at the full bandwidth."""

    @property
    def seconds(self) -> Fraction:
        """The longer of the two."""
        return max(self.compute, self.memory)

    @property
    def bound(self) -> str:
        """What it waits for: `compute` or `memory`."""
        return "memory" if self.memory >= self.compute else "compute"


def longest(one: Poly, two: Poly, facts: tuple[Poly, ...] = ()) -> Poly:
    """The larger of two quantities; what both contain stands before the min, so that it cancels elsewhere."""
    if not one or not two:
        return one + two
    shared = (one + two).content()
    inverse = shared.inverse()
    return one + two - shared * minimum(one * inverse, two * inverse, facts)


def kernels(cost: Cost) -> tuple[Kernel, ...]:
    """The kernels of a cost, those in scope; FLOPs whatever unit the ledger has."""
    scale = 1 if cost.conventions.unit == "flops" else 2
    prefix = segment(cost.graph.variant)
    found: dict[tuple[str, bool], list[CostTerm]] = {}
    for term in cost.terms:
        if cost.counts(term) and term.stage != "offline":
            found.setdefault((term.kernel, _over(term, prefix)), []).append(term)
    return tuple(
        Kernel(
            _name(name, apart, terms), total(t.amount for t in terms if t.kind == Kind.FLOPS) * scale,
            total(t.amount for t in terms if t.kind == Kind.BYTES),
        )
        for (name, apart), terms in found.items()
    )  # fmt: skip


def _over(term: CostTerm, axis: str | None) -> bool:
    """Whether a term is about an axis."""
    if axis is None:
        return False
    if term.step is not None:
        return any(term.step.region.axis_of[label] == axis for label in term.step.contraction.labels)
    return term.operand is not None and axis in term.operand.axes


def _name(kernel: str, apart: bool, terms: list[CostTerm]) -> str:
    if kernel in ("core", "indexer"):
        return f"{kernel} over the prefix" if apart else kernel
    if kernel.startswith("rows of"):
        stage = "" if kernel == "rows of lift" else f" ({kernel.removeprefix('rows of ')})"
        return f"forming rows of the prefix{stage}" if apart else f"forming rows{stage}"
    step = next((term.step for term in terms if term.step is not None), None)
    return terms[0].where if step is None else step.where


def time_of(cost: Cost, facts: tuple[Poly, ...] = ()) -> Poly:
    """The time of the scope, in FLOPs at the peak rate."""
    return total(kernel.time(facts) for kernel in kernels(cost))


def timed(
    cost: Cost, gpu: Accelerator, compute: str, values: Mapping[str, Coefficient]
) -> tuple[Timed, ...] | None:
    """Each kernel in seconds; None where a size is missing."""
    found = []
    for kernel in kernels(cost):
        flops, moved = evaluate(kernel.flops, values), evaluate(kernel.bytes, values)
        if flops is None or moved is None:
            return None
        found.append(
            Timed(kernel, Fraction(flops) / gpu.peak_of(compute), Fraction(moved) / gpu.bandwidth.value)
        )
    return tuple(found)
