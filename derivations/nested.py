"""Bracketings as data for the kernel: nested sums of products, and networks with the sizes of their indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from .atoms import put
from .claims import Term
from .costs import sizes_of
from .derivation import Study
from .errors import InputError
from .graph import Region
from .poly import Coefficient, Poly
from .proofdata import denominator, poly_data
from .regions import build_graph
from .search import choose, spaces
from .sharing import Sharing
from .transform import without_caches
from .trees import Space, Tree, trees

__all__ = ["cheapest_statement", "nested_sum", "network_of"]

MOST = 20_000
"""Combinations of bracketings that are compared one by one."""


def cheapest_statement(study: Study, order: str) -> Term:
    """That no bracketing of the variant's products costs less than an order, at the study's sizes.

    Raises InputError where the bracketings are too many, or a step is under a mask.
    """
    graph = build_graph(without_caches(study.variant) if study.conventions.caches == "none" else study.variant)
    sizes = sizes_of(study.conventions, study.batched)
    found = spaces(graph, sizes)
    groups = [
        [place for place in group if len(graph.regions[place].leaves) > 1] for group in Sharing(found).groups
    ]
    groups = [group for group in groups if group]
    for group in groups:
        count = prod(len(trees(len(graph.regions[place].leaves))) for place in group)
        if count > MOST:
            raise InputError(f"{count:,} combinations of bracketings are too many to compare one by one")
    leaves = [(leaf.tensor, leaf.labels) for region in graph.regions for leaf in region.leaves]
    for name in sorted({tensor for tensor, _ in leaves}):
        places = [place for place in leaves if place[0] == name]
        if len({*places}) > 1 or any(
            sum(leaf.tensor == name for leaf in region.leaves) > 1 for region in graph.regions
        ):
            raise InputError(
                f"{name} stands in the program under two sets of indices; such products are not compared yet"
            )
    chosen = choose(graph, order, sizes, study.values).trees
    network = network_of([[found[place] for place in group] for group in groups], study.values)
    return "cheapest", network, tuple(tuple(chosen[place] for place in group) for group in groups)


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
                if denominator(size) != 1:
                    raise InputError(
                        f"the index {label} has the size {size.text()}, a quotient; such products are not "
                        "compared yet unless sizes are numbers (set, model)"
                    )
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
