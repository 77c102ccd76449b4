"""The ledger: every FLOP and byte of an order as an itemised term; totals are sums over terms.

FLOPs are index points of steps; bytes are what crosses a kernel's edge (`traffic`). A scope only
selects terms, so FLOPs and bytes of one order can never disagree about what was computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from .conventions import SCOPES, Conventions
from .graph import Graph
from .poly import Poly, total
from .program import AxisKind
from .search import Order
from .sharding import UNSPLIT, Split, rank_sizes
from .shown import Shown
from .steps import Step, steps_of
from .terms import CostTerm, Kind
from .traffic import Traffic
from .trees import Rule, Sizes

__all__ = ["Cost", "cost_of", "sizes_of"]

_BOTH = frozenset({AxisKind.QUERY, AxisKind.CONTEXT})


@dataclass(frozen=True, slots=True)
class Cost(Shown):
    """All terms of one order under one set of conventions."""

    graph: Graph
    """The program the order runs, after any rewriting the conventions ask for."""
    order: Order
    """The order."""
    conventions: Conventions
    """The knobs."""
    steps: tuple[Step, ...]
    """The order's steps."""
    terms: tuple[CostTerm, ...]
    """The ledger: FLOPs first, in program order."""

    def __repr__(self) -> str:
        about = f"{self.graph.variant.name}, {self.order.label}, scope {self.conventions.scope}"
        return f"Cost({about}: {sum(map(self.counts, self.terms))} of {len(self.terms)} terms)"

    def counts(self, term: CostTerm) -> bool:
        """Whether the scope (and `grows`) takes the term in."""
        scope = SCOPES[self.conventions.scope]
        if self.conventions.grows == "yes" and not term.grows:
            return False
        if term.kind == Kind.FLOPS:
            return term.stage in scope.flops
        return (term.stage, term.cls) in scope.bytes

    def selected(self, kind: str) -> tuple[CostTerm, ...]:
        """Terms of a kind in scope."""
        return tuple(t for t in self.terms if t.kind == kind and self.counts(t))

    @property
    def flops(self) -> Poly:
        """Arithmetic in scope, in the unit of the conventions."""
        return total(term.amount for term in self.selected(Kind.FLOPS))

    @property
    def bytes(self) -> Poly:
        """Bytes in scope, read and written."""
        return total(term.amount for term in self.selected(Kind.BYTES))

    @property
    def written(self) -> Poly:
        """Bytes in scope that are written."""
        return total(term.amount for term in self.selected(Kind.BYTES) if term.written)

    def under(self, **knobs: str) -> Cost:
        """The same terms under another scope or `grows`; other knobs need another ledger."""
        if not set(knobs) <= {"scope", "grows"}:
            raise ValueError("only scope and grows select terms; derive the cost again for other knobs")
        return replace(self, conventions=replace(self.conventions, **knobs))


def sizes_of(
    conventions: Conventions, batched: bool = False, graph: Graph | None = None, split: Split = UNSPLIT
) -> Sizes:
    """The sizes the conventions put in; with `batched`, the batch stays as the symbol B.

    With a split, those of one rank: `graph` tells which indices are heads.
    """
    batch = Poly.symbol("B") if batched else Poly.const(1)
    shares = rank_sizes(graph, split) if graph is not None else {}
    return Sizes(conventions.step, conventions.pairs, split.sequences(batch), split, shares)


def cost_of(graph: Graph, order: Order, conventions: Conventions, sizes: Sizes | None = None) -> Cost:
    """The ledger of `order`, which must have been chosen for this very graph, of one rank where `sizes` are."""
    sizes = sizes_of(conventions) if sizes is None else sizes
    steps = steps_of(graph, order, sizes, conventions.formed == "streamed")
    terms = [*_flop_terms(steps, conventions), *Traffic(graph, steps, sizes, conventions).terms()]
    return Cost(graph, order, conventions, steps, tuple(terms))


def _flop_terms(steps: Iterable[Step], conventions: Conventions) -> Iterable[CostTerm]:
    scale = 1 if conventions.unit == "flops" else Fraction(1, 2)
    for step in steps:
        if step.rule is Rule.ELEMENTWISE and conventions.elementwise == "omit":
            continue
        yield CostTerm(
            Kind.FLOPS, step.stage, step.stage, step.where, step.contraction.flops * scale,
            f"{step.rule}: 2 x index points" if scale == 1 else f"{step.rule}: index points",
            step.grows, step.kernel, step=step,
        )  # fmt: skip
