"""An indexer's scan of the whole context beside the attention that it limits."""

from __future__ import annotations

from dataclasses import dataclass

from .algebra import Ratio
from .analysis import unrounded
from .atoms import atom_of, free_symbols
from .derivation import Derivation
from .poly import Poly, total
from .program import Stage
from .terms import Kind

__all__ = ["Scan", "scan_of"]


@dataclass(frozen=True, slots=True)
class Scan:
    """What an indexer costs beside the attention it limits, in FLOPs of one layer and step."""

    scan: Poly
    """Its steps over the whole context."""
    core: Poly
    """The attention on what it selects."""
    full: Poly
    """The same once the selection and every window are full."""
    overtakes: Ratio | None
    """The L from which the scan costs more, once the selection is full; rounding of pooled rows left out."""


def scan_of(derivation: Derivation) -> Scan | None:
    """The indexer's part of a step; None where there is no indexer."""
    flops = [t for t in derivation.cost.terms if t.kind == Kind.FLOPS]
    scan = total(t.amount for t in flops if t.stage == Stage.INDEXER and t.grows)
    core = total(t.amount for t in flops if t.stage == Stage.CORE)
    if not scan:
        return None
    full = core.map_symbols(_selection)
    growth = unrounded(scan).coefficients("L")
    alone = {*growth} == {1} and "L" not in free_symbols(full) | free_symbols(growth[1])
    return Scan(scan, core, full, Ratio(full, growth[1]) if alone else None)


def _selection(name: str) -> Poly | None:
    """What min(L, n) is where L is large."""
    atom = atom_of(name)
    if atom is None or atom.function != "min":
        return None
    return next((part for part in atom.arguments if "L" not in free_symbols(part)), None)
