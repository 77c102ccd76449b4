"""A recurrence in chunks of C tokens: work inside a chunk grows with C, traffic of the state falls with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .algebra import Ratio
from .crossover import Crossover
from .derivation import Study, derive
from .poly import Poly
from .program import Role
from .regimes import cross_in_regimes
from .roofline import RIDGE

__all__ = ["CHUNK", "Chunks", "chunks_of"]

CHUNK = "C"
"""The symbol of a chunk's length."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """Per token of a long prefill, one layer."""

    flops: Poly
    """Of the core, in the order shown."""
    bytes: Poly
    """State traffic where each chunk's state passes through memory."""
    recurrent: Poly | None
    """FLOPs of the same recurrence token by token."""
    balance: Crossover
    """The C at which arithmetic and memory take equally long."""
    fewest: Ratio | None
    """The square of the C with the fewest FLOPs."""


def chunks_of(study: Study, plain: Study | None = None) -> Chunks:
    """The trade-off of a chunked program; `plain` is the study of its recurrence token by token."""
    asked = replace(study, values={}).under(phase="prefill", traffic="two-pass", scope="core")
    cost = derive(asked, "direct").cost
    share = Poly.symbol("L").inverse()
    flops = cost.flops * share
    states = {t.name for t in study.variant.tensors.values() if t.role is Role.STATE}
    moved = (
        sum((t.amount for t in cost.selected("bytes") if t.operand and t.operand.key in states), Poly()) * share
    )
    balance = cross_in_regimes(flops, moved * RIDGE, CHUNK, ("memory", "arithmetic"), study.variant.facts)
    single = None
    if plain is not None:
        single = (
            derive(replace(plain, values={}).under(phase="prefill", scope="core"), "direct").cost.flops * share
        )
    return Chunks(flops, moved, single, balance, _fewest(flops))


def _fewest(flops: Poly) -> Ratio | None:
    """Where a + b C + c / C is least, squared: c / b."""
    parts = flops.coefficients(CHUNK)
    if set(parts) - {-1, 0, 1} or not {-1, 1} <= set(parts):
        return None
    return Ratio(parts[-1], parts[1])
