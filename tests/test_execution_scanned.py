"""Orders of recurrences, convolutions, pooled and selected rows compute what the program says.

As in `test_execution`, with states that are updated value by value and entries that several tokens make.
"""

from __future__ import annotations

import random
from functools import cache

import pytest
from numpy_oracle import World, as_written, close, make_world, with_history
from numpy_orders import Counted, Runner
from test_execution import FULL, LAYER, Points, all_trees, assert_equal

from derivations.atoms import evaluate
from derivations.costs import cost_of
from derivations.graph import Graph, Leaf
from derivations.library import load_variant
from derivations.program import Role, Variant
from derivations.regions import build_graph
from derivations.scanning import scanned
from derivations.search import choose, order_names
from derivations.transform import without_caches
from derivations.trees import trees

RECURRENT = (
    "lightning", "lightning+chunked", "mamba2", "mamba2+chunked", "gdn", "gdn+chunked", "kda", "kda+chunked",
)  # fmt: skip
POOLED = ("hca", "hca+query-latent+output-latent", "csa", "csa+query-latent+output-latent", "nsa",
          "nsa+own-kv", "moba", "moba+kept-means")  # fmt: skip
CONVOLVED = ("cca", "shortconv")
CHUNKED = ("mha+chunk", "mla+rope+chunk", "gqa+chunk+gate")
MASKED = ("mha+window", "mla+rope+window+sinks", "mla+reads+rope", "gqa+reads+window", "shared-kv+window")
ALL = (*RECURRENT, *POOLED, *CONVOLVED, *CHUNKED, *MASKED)
AMONG_ENTRIES = ("csa", "moba")
"""Where the rows that top-n selects are not single tokens."""
SIZES = {
    "d_model": 3, "d_k": 2, "d_v": 4, "d_c": 3, "d_r": 2, "d_q": 2, "d_o": 3, "d_g": 2, "d_I": 3, "H_I": 2,
    "H": 4, "G": 2, "H_q": 4, "H_kv": 2, "H_k": 2, "H_v": 4, "n_c": 3, "n_1": 2, "n_2": 3, "n": 2, "n_w": 3,
    "n_s": 1, "m": 2, "l_c": 3, "l_s": 2, "C": 2,
}  # fmt: skip
"""Entries every 2 tokens, chunks of 2: a step of 4 after 4 makes 2 whole ones of each."""
STEPS = [(4, 8), (2, 6), (6, 6)]


@cache
def variant_of(name: str) -> Variant:
    return load_variant(name)


@cache
def graph_of(name: str) -> Graph:
    return build_graph(scanned(variant_of(name)))


def world_of(name: str, queries: int, context: int, seed: int) -> World:
    variant = variant_of(name)
    sizes = {symbol: SIZES[symbol] for symbol in variant.symbols if symbol in SIZES}
    return make_world(variant, {**sizes, "S": queries, "L": context}, seed)


def leaves_of(graph: Graph, item: Counted) -> list[Leaf]:
    """What a multiplication is made of."""
    return list(graph.regions[item.region].members(item.left | item.right))


def flops(counted: list[Counted]) -> int:
    return 2 * sum(item.points for item in counted if item.online)


@pytest.mark.parametrize(("queries", "context"), STEPS)
@pytest.mark.parametrize("name", ALL)
def test_named_orders(name: str, queries: int, context: int) -> None:
    """Each named order and the best one, recurrences update by update; FLOPs are twice what numpy does."""
    variant, graph = variant_of(name), graph_of(name)
    world = world_of(name, queries, context, 3 * queries + context)
    expected = as_written(variant, world)
    runner, points = Runner(graph, world), Points(graph, world)
    for order in (*order_names(graph), "direct", "best"):
        chosen = choose(graph, order, FULL, world.sizes)
        assert_equal(graph, runner.run(chosen.trees), expected, (order, world.sizes))
        if variant.base not in AMONG_ENTRIES:
            points.check(runner.counted)
        if not points.limited:
            cost = cost_of(graph, chosen, LAYER)
            assert evaluate(cost.flops, world.sizes) == flops(runner.counted), order


@pytest.mark.parametrize(("queries", "context"), STEPS[:2])
@pytest.mark.parametrize("name", ALL)
def test_every_tree(name: str, queries: int, context: int) -> None:
    """Each tree of each product by itself, the old values of states as the program makes them."""
    variant, graph = variant_of(name), graph_of(name)
    world = world_of(name, queries, context, 5 * queries + context)
    expected = as_written(variant, world)
    fixed = [trees(len(region.leaves))[0] for region in graph.regions]
    points = Points(graph, world)
    for index, region in enumerate(graph.regions):
        equation = next(e for e in graph.variant.equations if e.name == region.root)
        for tree in all_trees(graph, index):
            runner, env = Runner(graph, world), dict(expected)
            runner.define(env, equation, [*fixed[:index], tree, *fixed[index + 1 :]])
            assert close(env[region.root], expected[region.root]), (region.root, tree)
            if variant.base not in AMONG_ENTRIES:
                points.check(runner.counted)


@pytest.mark.parametrize("name", ALL)
def test_trees_drawn_together(name: str) -> None:
    """A drawn tree for every product at once: what two of them share is made once, in a recurrence too."""
    variant, graph = variant_of(name), graph_of(name)
    rng = random.Random(name)
    world = world_of(name, 4, 6, 1)
    expected, points = as_written(variant, world), Points(graph, world)
    for _ in range(12):
        picked = [rng.choice(trees(len(region.leaves))) for region in graph.regions]
        runner = Runner(graph, world)
        assert_equal(graph, runner.run(picked), expected, picked)
        if variant.base not in AMONG_ENTRIES:
            points.check(runner.counted)


@pytest.mark.parametrize("name", [name for name in POOLED if name.partition("+")[0] in AMONG_ENTRIES])
def test_pairs_of_a_selection_among_entries(name: str) -> None:
    """Entries have no triangle: each query sees n of them, or all there are, wherever it stands."""
    graph = graph_of(name)
    world = world_of(name, 4, 8, 1)
    runner, points = Runner(graph, world), Points(graph, world)
    runner.run(choose(graph, "direct", FULL, world.sizes).trees)
    points.check(runner.counted)


def assert_equal_without_caches(name: str, queries: int, context: int) -> None:
    """All rows made in this step: the values of the step with the caches that its history made."""
    variant = variant_of(name)
    world = with_history(variant, world_of(name, queries, context, 2))
    expected = as_written(variant, world)
    graph = build_graph(without_caches(variant))
    bare = World(world.sizes, world.given, {}, world.history)
    both = {region.root for region in graph.regions} & set(expected)
    runs = [as_written(graph.variant, bare)]
    for order in (*order_names(graph), "best"):
        runs.append(Runner(graph, bare).run(choose(graph, order, FULL, world.sizes).trees))
    for made in runs:
        assert {root for root in both if not close(made[root], expected[root])} == set()


@pytest.mark.parametrize(("queries", "context"), [(6, 6), (2, 6), (1, 3)])
@pytest.mark.parametrize("name", ["shortconv", *CHUNKED, "mha+window"])
def test_without_caches(name: str, queries: int, context: int) -> None:
    """Whether the step has all tokens or some of them."""
    assert_equal_without_caches(name, queries, context)


@pytest.mark.parametrize("name", [*(name for name in POOLED if "moba" not in name), "cca"])
def test_rows_that_barriers_make_without_caches(name: str) -> None:
    """Where the step has all tokens, convolved rows and entries are made of them."""
    assert_equal_without_caches(name, 6, 6)


@pytest.mark.parametrize("name", [*(name for name in POOLED if "moba" not in name), "cca"])
def test_earlier_rows_that_barriers_make_without_caches(name: str) -> None:
    """Where it has fewer, those of the earlier tokens are made again from the input of these."""
    if (
        name == "nsa"
    ):  # K = K_0 under the context: the graph puts K_0's product there, numpy takes lines literally
        assert without_caches(load_variant(name)).equations
        return
    assert_equal_without_caches(name, 2, 6)


def test_a_state_is_multiplied_once_a_token() -> None:
    """Of lightning at 4 heads, 2 by 4: decay, write and read are each 4*2*4 points a token, by hand."""
    graph = graph_of("lightning")
    roles = {t.name: t.role for t in graph.variant.tensors.values()}
    for queries in (1, 2, 5):
        world = world_of("lightning", queries, 6, 1)
        runner = Runner(graph, world)
        runner.run(choose(graph, "direct", FULL, world.sizes).trees)
        of_state = [
            item
            for item in runner.counted
            if graph.regions[item.region].root == "M"
            or any(roles[leaf.tensor] is Role.STATE for leaf in leaves_of(graph, item))
        ]
        heads_by_model = 4 * 4 * 3  # the output projection holds the state among its factors
        assert sum(item.points for item in of_state) == queries * (3 * 4 * 2 * 4 + heads_by_model)
