"""Bracketings as data for the kernel: nested sums of products, and networks with the sizes of their indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .atoms import put
from .claims import Term
from .errors import InputError
from .graph import Region
from .poly import Coefficient, Poly
from .proofdata import poly_data
from .trees import Space, Tree

__all__ = ["nested_sum", "network_of"]


def nested_sum(region: Region, tree: Tree) -> Term:
    """The product of a region as a tree computes it: each contraction sums what nothing else needs."""
    made: dict[int, Term] = {}
    for place, leaf in enumerate(region.leaves):
        alone = tuple(sorted(set(leaf.labels) - region.labels(1 << place)))
        node: Term = ("tensor", leaf.tensor, tuple(leaf.labels))
        made[1 << place] = ("sum", alone, (node,)) if alone else node
    for left, right in tree:
        summed = (region.labels(left) | region.labels(right)) - region.labels(left | right)
        factors = tuple(sorted((made[left], made[right]), key=str))
        made[left | right] = ("sum", tuple(sorted(summed)), factors)
    return made[region.full]


def network_of(groups: Sequence[Sequence[Space]], known: Mapping[str, Coefficient]) -> Term:
    """Groups of products, and the size of each index with known sizes put in.

    Raises InputError where a step does not visit all points of its indices, as under a mask.
    """
    images = {name: Poly.const(value) for name, value in known.items()}
    sizes: dict[str, Poly] = {}
    found = []
    for group in groups:
        products = []
        for space in group:
            region = space.region
            for label in region.axis_of:
                size = put(space.points((label,)), images)
                if sizes.setdefault(label, size) != size:
                    raise InputError(f"the index {label} has two sizes; such products are not compared yet")
            for pair in region.masks:
                one, two = (space.points((label,)) for label in (pair.query, pair.context))
                if put(space.points((pair.query, pair.context)) - one * two, images):
                    raise InputError("a step under a mask does not visit all points of its indices")
            leaves = tuple(
                (leaf.tensor, tuple(leaf.labels), not space.weights >> place & 1)
                for place, leaf in enumerate(region.leaves)
            )
            products.append((leaves, tuple(region.output)))
        found.append(tuple(products))
    return tuple((label, poly_data(size)) for label, size in sorted(sizes.items())), tuple(found)
