"""The cheapest tree of a region, three ways: the package, a search over subsets, opt_einsum.

All count 2 FLOPs a point of a step's index space. Products of weights alone are free here, because
they are made once; opt_einsum does not know that. So it is compared with what the same trees cost
with every product paid for, and with the package's own answer where the cheapest tree has no such
product. Its `dp`, outer products allowed, is exact for this count; its `optimal` is not, since that
counts one FLOP a point where nothing is summed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from math import prod

import opt_einsum
import pytest

from derivations.atoms import evaluate
from derivations.graph import Graph, Region
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.program import Role
from derivations.regions import build_graph
from derivations.search import Ranked, choose, rank
from derivations.transform import without_caches
from derivations.trees import Phase, Sizes, Space, trees

FULL = Sizes(Phase.VERIFY, "full", Poly.const(1))
DEEPSEEK_V3 = {"d_model": 7168, "H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_q": 1536}
PROGRAMS = [
    ("mha", "kept"),
    ("gqa", "kept"),
    ("mla+rope", "kept"),
    ("mla+query-latent", "kept"),
    ("mla+rope+query-latent", "kept"),
    ("mla-rope-in-key", "kept"),
    ("mha", "none"),
    ("mla+query-latent", "none"),
    ("./tests/variants/gla.yaml", "kept"),
    ("./tests/variants/tpa.yaml", "none"),
    ("./tests/variants/tpa.yaml+factor-q", "kept"),
    ("./tests/variants/late-rope.yaml", "kept"),
    ("./tests/variants/two-contexts.yaml", "kept"),
]


@cache
def graph_of(name: str, caches: str) -> Graph:
    variant = load_variant(name)
    return build_graph(variant if caches == "kept" else without_caches(variant))


class Subsets:
    """The least cost of a product by a search over subsets of its factors, not over trees."""

    def __init__(self, graph: Graph, region: Region, sizes: Mapping[str, int], free: bool) -> None:
        self.region, self.free = region, free
        self.length = {
            label: int(evaluate(graph.variant.axes[axis].size, sizes)) for label, axis in region.axis_of.items()
        }
        roles = [graph.variant.tensors[leaf.tensor].role for leaf in region.leaves]
        self.weights = sum(1 << i for i, role in enumerate(roles) if role is Role.WEIGHT)
        self.best: dict[int, int] = {}

    def kept(self, members: int) -> set[str]:
        """Labels of a product that something outside it still needs."""
        outside = set(self.region.output)
        inside: set[str] = set()
        for i, leaf in enumerate(self.region.leaves):
            (inside if members >> i & 1 else outside).update(leaf.labels)
        return inside & outside

    def step(self, left: int, right: int) -> int:
        """FLOPs of one step."""
        if self.free and (left | right) & ~self.weights == 0:
            return 0
        return 2 * prod(self.length[label] for label in self.kept(left) | self.kept(right))

    def least(self, members: int) -> int:
        """The fewest FLOPs that make the product of `members`."""
        if members & (members - 1) == 0:
            return 0
        if members not in self.best:
            part, found = (members - 1) & members, []
            while part:
                rest = members ^ part
                found.append(self.least(part) + self.least(rest) + self.step(part, rest))
                part = (part - 1) & members
            self.best[members] = min(found)
        return self.best[members]

    def least_with(self, group: int) -> int:
        """The fewest FLOPs when the product of `group` is made as such."""
        full = self.region.full
        found = {group: self.least(group)}

        def grow(members: int) -> int:
            if members not in found:
                rest = members ^ group
                part, options = rest, []
                while part:
                    inside = members ^ part
                    cost = self.step(inside, part)
                    options.append(grow(inside) + self.least(part) + cost)
                    part = (part - 1) & rest
                found[members] = min(options)
            return found[members]

        return grow(full)


def draw(graph: Graph, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    names = [n for n in sorted(graph.variant.symbols) if n not in "SLBb"]
    sizes = {name: rng.choice([1, 2, 3, 5, 8, 13, 40, 128]) for name in names}
    for whole, part in (("H_q", "H_kv"), ("H", "G")):
        if part in sizes:
            sizes[whole] *= sizes[part]
    context = rng.choice([1, 7, 64, 1000])
    return {**sizes, "S": rng.choice([1, (context + 1) // 2, context]), "L": context}


def regions() -> Iterator[tuple[Graph, int, dict[str, int]]]:
    for number, (name, caches) in enumerate(PROGRAMS):
        graph = graph_of(name, caches)
        for index, region in enumerate(graph.regions):
            for turn in range(4 if len(region.leaves) < 6 else 1):
                yield graph, index, draw(graph, 100 * number + 10 * index + turn)


def opt_einsum_steps(region: Region, length: Mapping[str, int]) -> list[tuple[int, int]]:
    """The path of its dynamic programming, as pairs of bitmasks."""
    letters = {label: opt_einsum.get_symbol(i) for i, label in enumerate(region.axis_of)}
    spelled = ["".join(letters[label] for label in leaf.labels) for leaf in region.leaves]
    output = "".join(letters[label] for label in region.output)
    shapes = [tuple(length[label] for label in leaf.labels) for leaf in region.leaves]
    search = opt_einsum.DynamicProgramming(minimize="flops", search_outer=True)
    path, _ = opt_einsum.contract_path(",".join(spelled) + "->" + output, *shapes, shapes=True, optimize=search)
    held, steps = [1 << i for i in range(len(spelled))], []
    for places in path:
        first, second = (held.pop(place) for place in sorted(places, reverse=True))
        steps.append((first, second))
        held.append(first | second)
    return steps


def test_subsets_find_what_all_trees_find() -> None:
    for graph, index, sizes in regions():
        region = graph.regions[index]
        first = rank(graph, index, FULL, sizes)[0]
        expected = Subsets(graph, region, sizes, free=True).least(region.full)
        assert first.value == expected, (graph.variant.name, region.root, sizes)


def test_opt_einsum_finds_what_all_trees_find() -> None:
    for graph, index, sizes in regions():
        region = graph.regions[index]
        if len(region.leaves) < 2:
            continue
        paid = Subsets(graph, region, sizes, free=False)
        theirs = sum(paid.step(*pair) for pair in opt_einsum_steps(region, paid.length))
        space = Space(graph, region, FULL)
        cost = {
            pair: evaluate(space.step(*pair).flops, sizes)
            for tree in trees(len(region.leaves))
            for pair in tree
        }
        ours = min(sum(cost[pair] for pair in tree) for tree in trees(len(region.leaves)))
        assert ours == theirs == paid.least(region.full), (graph.variant.name, region.root, sizes)


def region_of(graph: Graph, *factors: str) -> int:
    (index,) = (i for i, r in enumerate(graph.regions) if {x.tensor for x in r.leaves} == {*factors})
    return index


SCORES = ("X", "W_DQ", "W_UQ", "W_UK", "C")
VALUES = ("P", "C", "W_UV", "W_O")


def best_of(factors: tuple[str, ...], sizes: Mapping[str, int]) -> Ranked:
    """The package's first, once opt_einsum has found the same steps at the same cost."""
    graph = graph_of("mla+query-latent", "kept")
    index = region_of(graph, *factors)
    region, ranked = graph.regions[index], rank(graph, index, FULL, sizes)
    paid = Subsets(graph, region, sizes, free=False)
    assert not any((a | b) & ~paid.weights == 0 for a, b in ranked[0].tree)
    assert ranked[1].value > ranked[0].value
    steps = opt_einsum_steps(region, paid.length)
    assert {a | b for a, b in steps} == {a | b for a, b in ranked[0].tree}
    assert sum(paid.step(*pair) for pair in steps) == ranked[0].value
    return ranked[0]


def test_deepseek_v3_absorbs_one_query_and_expands_a_prompt() -> None:
    one = best_of(SCORES, {**DEEPSEEK_V3, "S": 1, "L": 8192})
    assert "K" not in one.forms
    assert one.value == 2 * (
        7168 * 1536 + 1536 * 128 * 128 + 128 * 128 * 512 + 8192 * 128 * 512
    )  # C_Q, Q, Q W_UK, on the latent
    prompt = best_of(SCORES, {**DEEPSEEK_V3, "S": 8192, "L": 8192})
    assert {"C_Q", "Q", "K"} <= set(prompt.forms)
    assert prompt.value == 2 * 8192 * (
        7168 * 1536 + 1536 * 128 * 128 + 512 * 128 * 128 + 8192 * 128 * 128
    )  # C_Q, Q, K, their product


@pytest.mark.parametrize(("context", "last"), [(131072, 170), (1024, 146)])
def test_deepseek_v3_switches_where_the_costs_cross(context: int, last: int) -> None:
    # S (d_c (d_k + d_v) + L (2 d_c - d_k - d_v)) = L d_c (d_k + d_v), at 512, 128, 128
    crossing = context * 512 * 256 / (512 * 256 + context * 768)
    assert last < crossing < last + 1
    for queries, forms in ((last, set()), (last + 1, {"K", "V"})):
        sizes = {**DEEPSEEK_V3, "S": queries, "L": context}
        first = best_of(SCORES, sizes), best_of(VALUES, sizes)
        assert {name for part in first for name in part.forms} & {"K", "V"} == forms
        order = choose(graph_of("mla+query-latent", "kept"), "best", FULL, sizes)
        assert set(order.forms) & {"K", "V"} == forms


def test_rope_in_the_key_leaves_nothing_cheaper_than_forming_it() -> None:
    graph = graph_of("mla-rope-in-key", "kept")
    sizes = {**DEEPSEEK_V3, "S": 1, "L": 8192}
    index = region_of(graph, "R_Q", "X", "W_Q", "R_K", "C", "W_UK")
    region, ranked = graph.regions[index], rank(graph, index, FULL, sizes)
    assert len(ranked) == 945
    subsets = Subsets(graph, region, sizes, free=True)
    key = sum(1 << i for i, x in enumerate(region.leaves) if x.tensor in ("R_K", "C", "W_UK"))
    cheapest = min(tree.value for tree in ranked if "K" in tree.forms)
    assert ranked[0].value == cheapest == subsets.least(region.full) == subsets.least_with(key)
    # Q_C; the query's rotation; K_C; each key's rotation; scores
    by_hand = 7168 * 128 * 128 + 128 * 128 * 128 + 8192 * (512 * 128 * 128 + 128 * 128 * 128 + 128 * 128)
    assert cheapest == 2 * by_hand
    assert min(tree.value for tree in ranked if "K" not in tree.forms) >= cheapest
