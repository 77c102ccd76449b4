"""What a cost says: intensity, what grows with L, limits, cache per token, the side of a ridge."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .algebra import Ratio, limit_in
from .atoms import atom_of, free_symbols, rows_per_token
from .costs import Cost
from .equations import BARRIERS
from .graph import Graph
from .poly import Poly, product, total
from .program import AxisKind, Role
from .trees import Sizes

__all__ = [
    "Growth", "cache_bytes", "cache_elements", "far_intensity", "growth", "intensity", "lag_elements",
    "ridge_side", "state_elements", "unrounded",
]  # fmt: skip


def intensity(cost: Cost) -> Ratio | None:
    """FLOPs per byte of the scope; None when the scope moves no bytes."""
    return Ratio(cost.flops, cost.bytes) if cost.bytes else None


@dataclass(frozen=True, slots=True)
class Growth:
    """How a quantity depends on L."""

    slope: Poly
    """What multiplies the highest power of L."""
    degree: int
    """That power; 0 means it does not grow."""
    fixed: Poly
    """What is left without L."""


def growth(poly: Poly) -> Growth:
    """The part of `poly` that grows fastest with L, and the part that has no L at all.

    Rounded quotients of L count as exact ones: that is how they grow.
    """
    powers = unrounded(poly).coefficients("L")
    degree = max(powers, default=0)
    return Growth(powers.get(degree, Poly()), degree, powers.get(0, Poly()) if degree else poly)


def unrounded(poly: Poly) -> Poly:
    """The same with quotients of L that are rounded put exactly."""

    def image(name: str) -> Poly | None:
        atom = atom_of(name)
        if atom is None or atom.function == "min" or "L" not in free_symbols(Poly.symbol(name)):
            return None
        above, below = atom.arguments
        return unrounded(above) * below.inverse() if len(below.terms) == 1 else None

    return poly.map_symbols(image)


def far_intensity(cost: Cost) -> Ratio | None:
    """The intensity for L to infinity; None when it has no limit of its own."""
    ratio = intensity(cost)
    return None if ratio is None else limit_in(Ratio(unrounded(ratio.over), unrounded(ratio.under)), "L")


def _row(graph: Graph, name: str, sizes: Sizes) -> Poly:
    tensor = graph.tensor(name)
    result = Poly.const(1)
    for axis in (graph.variant.axes[name] for name in (*tensor.axes, *tensor.copies)):
        is_context = axis.kind is AxisKind.CONTEXT
        result = result * (rows_per_token(axis.size) if is_context else sizes.axis(axis))
    return result * Fraction(1, sizes.split.cp)


def _caches(graph: Graph) -> list[str]:
    return [
        t.name
        for t in graph.variant.tensors.values()
        if t.role is Role.CACHE and any(graph.variant.axes[a].kind is AxisKind.CONTEXT for a in t.axes)
    ]


def cache_elements(graph: Graph, sizes: Sizes) -> Poly:
    """Elements one context token adds to the caches of one layer, on one rank where they are split."""
    return total(_row(graph, name, sizes) for name in _caches(graph))


def cache_bytes(graph: Graph, sizes: Sizes) -> Poly:
    """Bytes one context token adds to the caches of one layer, on one rank where they are split."""
    return total(_row(graph, name, sizes) * graph.tensor(name).width for name in _caches(graph))


def state_elements(graph: Graph, sizes: Sizes) -> Poly:
    """Elements of the states of one layer, which do not grow; on one rank where they are split."""
    axes = graph.variant.axes
    return total(
        product(sizes.axis(axes[axis]) for axis in tensor.axes if axis != tensor.scan)
        for tensor in graph.variant.tensors.values()
        if tensor.role is Role.STATE
    )


def lag_elements(graph: Graph, sizes: Sizes) -> Poly:
    """Elements of earlier rows kept for `last`: of a convolution over j tokens j - 1, of a block all of it."""
    axes, found = graph.variant.axes, []
    for equation in graph.variant.equations:
        if equation.barrier is None or not BARRIERS[equation.barrier].view:
            continue
        if _cached_as_it_is(graph, equation.inputs[0].name):
            continue
        taken, back = equation.inputs[0], sizes.axis(axes[equation.over[0]])
        queries = next((axis for axis in taken.axes if axes[axis].kind is AxisKind.QUERY), None)
        if queries is None:  # all tokens are there: nothing is kept
            continue
        rest = product(sizes.axis(axes[axis]) for axis in taken.axes if axis != queries)
        found.append(rest * (back - 1 if queries in equation.left[0].axes else back))
    return total(found)


def _cached_as_it_is(graph: Graph, name: str) -> bool:
    """Whether the rows are those of a cache, which keeps the earlier ones anyway."""
    written = (e for e in graph.variant.equations if e.writes and len(e.products) == 1)
    return any([ref.name for ref in e.products[0].refs] == [name] for e in written)


def ridge_side(intensity_value: Fraction, ridge: Fraction) -> str:
    """`memory-bound` left of the ridge point, `compute-bound` right of it, else `at the ridge`."""
    if intensity_value == ridge:
        return "at the ridge"
    return "memory-bound" if intensity_value < ridge else "compute-bound"
