"""Ranks as index splitting: one rank's share of every axis, from which its share of every tensor follows.

Tensor parallelism splits the head indices, context parallelism the context index, data parallelism the
batch. A tensor that has a split index is divided, one that has not is there on every rank: nothing is said
about any tensor. The share is that of the largest rank, so sizes that do not divide are rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass

from .atoms import ceiling, floored, minimum
from .errors import InputError
from .graph import Graph
from .poly import Poly
from .program import AxisKind, Role

__all__ = ["MOST", "UNSPLIT", "Split", "head_axes", "rank_sizes"]

MOST = 65_536
"""Ranks of one kind."""


@dataclass(frozen=True, slots=True)
class Split:
    """Over how many ranks each index is split."""

    tp: int = 1
    """Ranks that share the heads."""
    cp: int = 1
    """Ranks that share the context."""
    dp: int = 1
    """Ranks that share the batch."""

    def __post_init__(self) -> None:
        for name in ("tp", "cp", "dp"):
            count = getattr(self, name)
            if not 1 <= count <= MOST:
                raise InputError(f"--{name} {count}: a number of ranks is between 1 and {MOST:,}")

    @property
    def ranks(self) -> int:
        """All ranks together."""
        return self.tp * self.cp * self.dp

    def rows(self, count: Poly) -> Poly:
        """One rank's share of rows of the context, or of anything counted along it."""
        return count if self.cp == 1 else ceiling(count, Poly.const(self.cp))

    def sequences(self, batch: Poly) -> Poly:
        """One rank's share of a batch."""
        return batch if self.dp == 1 else ceiling(batch, Poly.const(self.dp))


UNSPLIT = Split()
"""One rank."""


def head_axes(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The indices that split over heads, for each set of heads that work side by side; the cached ones first.

    Those of scores besides query and context, and those of states. The heads of an indexer, which only selects
    rows, are not among them: every rank selects alike. Nor are indices that a softmax runs along (the rows of a
    block) or that states are updated along (chunks).
    """
    axes = graph.variant.axes
    both = {AxisKind.QUERY, AxisKind.CONTEXT}
    along = {axis for e in graph.variant.equations if e.barrier for axis in e.over}
    along |= {t.scan for t in graph.variant.tensors.values() if t.scan is not None}
    cached = {axis for t in graph.variant.tensors.values() if t.role is Role.CACHE for axis in t.axes}
    found: dict[tuple[str, ...], None] = {}
    for region in graph.regions:
        for leaf in region.leaves if not region.indexer else ():
            own = graph.tensor(leaf.tensor).axes
            if {axes[axis].kind for axis in own} >= both:
                heads = [axis for axis in own if axes[axis].kind not in both and axis not in along]
                found[tuple(sorted(heads, key=lambda axis: axis not in cached))] = None
    for name in (t.name for t in graph.variant.tensors.values() if t.role is Role.STATE):
        found[tuple(_state_heads(graph, name))] = None
    groups = [group for group in found if group]
    return tuple(g for g in groups if not any({*g} < {*other} for other in groups))


def _state_heads(graph: Graph, name: str) -> list[str]:
    """The heads of a recurrence: indices of its state that a reader keeps and two factors of an update have.

    A key index is summed by who reads the state, and a value index stands in the values alone.
    """
    state, equations = graph.tensor(name), graph.variant.equations
    factors: dict[str, set[str]] = {}
    kept = set[str]()
    for equation in equations:
        for product in equation.products:
            names = [ref.name for ref in product.refs]
            if equation.name == name:
                for ref in product.refs:
                    for axis in ref.axes if ref.name != name else ():
                        factors.setdefault(axis, set()).add(ref.name)
            elif name in names:
                kept |= {*equation.left[0].axes}
    return [a for a in state.axes if a != state.scan and a in kept and len(factors.get(a, ())) > 1]


def rank_sizes(graph: Graph, split: Split) -> dict[str, Poly]:
    """Axis -> its size on the largest rank, for the axes that tensor parallelism splits.

    Whole values of the outermost head index go to ranks. Where it has fewer than there are ranks, each rank
    has one of them, as a copy, and the ranks that share it split the next index. Raises InputError where
    there are no heads.
    """
    if split.tp == 1:
        return {}
    groups = head_axes(graph)
    if not groups:
        raise InputError(f"--tp {split.tp}: {graph.variant.name} has no index of heads to split; leave it out")
    shares: dict[str, Poly] = {}
    for names in groups:
        ranks = Poly.const(split.tp)
        for axis in names:
            size = graph.variant.axes[axis].size
            shares.setdefault(axis, ceiling(size, ranks))
            ranks = floored(ranks, minimum(size, ranks))
    return shares
