"""`best` and the named orders against plain enumeration: all trees of all regions together.

A product that several regions use is made once, so regions are not independent. In these variants
no product holds a tensor twice under the same axes, so a product is known by its factors and theirs.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from math import prod

import pytest

from derivations.atoms import evaluate
from derivations.conventions import Conventions
from derivations.costs import cost_of
from derivations.graph import Graph, Region
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.program import Role
from derivations.regions import build_graph
from derivations.search import choose
from derivations.transform import without_caches
from derivations.trees import Phase, Sizes, Tree, trees

FULL = Sizes(Phase.VERIFY, "full", Poly.const(1))
LAYER = Conventions(phase="verify", scope="layer")
Members = frozenset[str]


@cache
def graph_of(name: str, caches: str) -> Graph:
    variant = load_variant(name)
    return build_graph(variant if caches == "kept" else without_caches(variant))


def named(region: Region, mask: int) -> Members:
    return frozenset(
        f"{leaf.tensor}[{','.join(region.axis_of[label] for label in leaf.labels)}]"
        for leaf in region.members(mask)
    )


def cost(graph: Graph, region: Region, tree: Tree, length: dict[str, int]) -> dict[Members, int]:
    """FLOPs of each product of a tree, counted from the labels of its leaves."""
    roles = [graph.variant.tensors[leaf.tensor].role for leaf in region.leaves]
    weights = sum(1 << i for i, role in enumerate(roles) if role is Role.WEIGHT)
    found = {}
    for left, right in tree:
        labels: set[str] = set()
        for part in (left, right):
            rest = [x for i, x in enumerate(region.leaves) if not part >> i & 1]
            needed = {n for leaf in rest for n in leaf.labels} | set(region.output)
            labels |= {n for leaf in region.members(part) for n in leaf.labels} & needed
        made = named(region, left | right)
        free = (left | right) & ~weights == 0
        found[made] = 0 if free else 2 * prod(length[region.axis_of[n]] for n in labels)
    return found


def admitted(region: Region, tree: Tree, forms: set[Members], avoids: set[Members]) -> bool:
    """Whether the tree makes what an order forms, where it can, and nothing that it avoids."""
    made = {named(region, left | right) for left, right in tree}
    here = named(region, region.full)
    return all(group in made for group in forms if group <= here) and not made & avoids


def least(graph: Graph, order: str, sizes: dict[str, int]) -> int:
    """The fewest FLOPs of the layer of any order in a named set; `best` is the set of all."""
    axes = graph.variant.axes
    length = {name: int(evaluate(axis.size, sizes)) for name, axis in axes.items()}
    wanted = next((o for o in graph.variant.orders if o.name == order), None)
    leaves = {n.name: named(region, n.members) for region in graph.regions for n in region.named}
    forms = {leaves[name] for name in wanted.forms} if wanted else set()
    avoids = {leaves[name] for name in wanted.avoids} if wanted else set()
    options = [
        [
            cost(graph, region, tree, length)
            for tree in trees(len(region.leaves))
            if admitted(region, tree, forms, avoids)
        ]
        for region in graph.regions
    ]
    seen = [set().union(*choices) for choices in options]
    # A region that shares no product with another is chosen by itself.
    alone, shared = 0, []
    for index, choices in enumerate(options):
        others = set().union(*(s for other, s in enumerate(seen) if other != index))
        if seen[index] & others:
            shared.append(list({tuple(sorted(c.items(), key=repr)): c for c in choices}.values()))
        else:
            alone += min(sum(choice.values()) for choice in choices)
    together = []
    for combination in product(*shared):
        merged: dict[Members, int] = {}
        for choice in combination:
            for made, flops in choice.items():
                merged.setdefault(made, flops)
        together.append(sum(merged.values()))
    return alone + min(together)


CASES = [
    ("mla", "kept"),
    ("mla+rope", "kept"),
    ("mla+rope+query-latent", "kept"),
    ("./tests/variants/gla.yaml", "kept"),
    ("./tests/variants/late-rope.yaml", "kept"),
    ("./tests/variants/two-contexts.yaml", "kept"),
    ("mha", "none"),
    ("mla", "none"),
]


@pytest.mark.parametrize(("name", "caches"), CASES)
def test_no_order_of_the_set_costs_less(name: str, caches: str) -> None:
    graph = graph_of(name, caches)
    rng = random.Random(name)
    for _ in range(10):
        names = [n for n in sorted(graph.variant.symbols) if n not in "SLBb"]
        sizes = {n: rng.choice([1, 2, 4, 16, 64]) for n in names}
        for whole, part in (("H_q", "H_kv"), ("H", "G")):
            if part in sizes:
                sizes[whole] = sizes[part] * rng.choice([1, 4])
        sizes["L"] = rng.choice([2, 100, 5000])
        sizes["S"] = rng.choice([1, 2, sizes["L"]])
        for order in (*(o.name for o in graph.variant.orders), "best"):
            chosen = choose(graph, order, FULL, sizes)
            flops = evaluate(cost_of(graph, chosen, LAYER).flops, sizes)
            assert flops == least(graph, order, sizes), (order, sizes)
