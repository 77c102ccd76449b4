"""What one layer keeps between steps: rows that grow, rows that stop growing at a window, states that
never do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .analysis import lag_elements, state_elements
from .atoms import minimum, rows_per_token
from .graph import Graph
from .poly import Poly, product, total
from .program import AxisKind, MaskKind, Role
from .trees import Sizes

__all__ = ["Stored", "stored"]

_LIMITS = (MaskKind.WINDOW, MaskKind.CHUNK)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one cached tensor."""

    name: str
    """The tensor."""
    row: Poly
    """Elements of one row, on one rank."""
    width: Poly
    """Bytes per element."""
    count: Poly
    """How many rows there are, as a function of L."""
    slope: Poly
    """Rows a context token adds while they grow."""
    window: Poly | None
    """At how many rows it stops growing."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What one layer keeps."""

    rows: tuple[Rows, ...]
    """Its cached tensors."""
    state: Poly
    """Elements of its states."""
    state_bytes: Poly
    """The same in bytes."""
    lags: Poly
    """Elements of earlier rows kept for convolutions and blocks."""

    @property
    def short(self) -> Poly:
        """Elements a context token adds while no window is full."""
        return total(r.row * r.slope for r in self.rows)

    @property
    def long(self) -> Poly:
        """Elements a context token adds once every window is full."""
        return total(r.row * r.slope for r in self.rows if r.window is None)

    @property
    def elements(self) -> Poly:
        """Elements of all rows at L context tokens."""
        return total(r.row * r.count for r in self.rows)

    @property
    def bytes(self) -> Poly:
        """Bytes of all rows at L context tokens."""
        return total(r.row * r.count * r.width for r in self.rows)

    @property
    def window(self) -> Poly | None:
        """At how many rows some of it stops growing, if any does."""
        return next((r.window for r in self.rows if r.window is not None), None)


def stored(graph: Graph, sizes: Sizes) -> Stored:
    """What a layer keeps, on one rank where it is split, for one sequence."""
    tensors = graph.variant.tensors.values()
    found = tuple(_rows(graph, t.name, sizes) for t in tensors if t.role is Role.CACHE)
    widths = {t.width for t in tensors if t.role is Role.STATE}
    state = state_elements(graph, sizes)
    width = widths.pop() if len(widths) == 1 else Poly.symbol("b_M")
    return Stored(found, state, state * width, lag_elements(graph, sizes))


def _rows(graph: Graph, name: str, sizes: Sizes) -> Rows:
    tensor, axes = graph.tensor(name), graph.variant.axes
    context = next(axes[a] for a in tensor.axes if axes[a].kind is AxisKind.CONTEXT)
    row = product(sizes.axis(axes[a]) for a in (*tensor.axes, *tensor.copies) if a != context.name)
    window = _window(graph, name)
    count = sizes.put(context.size)
    if window is not None:
        window = sizes.put(window)
        count = minimum(count, window)
    slope = rows_per_token(context.size) * Fraction(1, sizes.split.cp)
    return Rows(name, row, tensor.width, sizes.split.rows(count), slope, window)


def _window(graph: Graph, name: str) -> Poly | None:
    """The rows that anything ever reads of a cached tensor, where those are fewer than all."""
    found: set[Poly | None] = set()
    for region in graph.regions:
        for leaf in region.leaves:
            if leaf.tensor != name or leaf.tensor == region.root:
                continue
            labels = [x for x in leaf.labels if graph.kind(region, x) is AxisKind.CONTEXT]
            masks = [pair.mask for pair in region.masks if pair.context in labels]
            found.update(m.size if m.kind in _LIMITS else None for m in masks)
            if not masks:
                found.add(None)
    return found.pop() if len(found) == 1 else None
