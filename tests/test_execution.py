"""Every order computes what the program says, and multiplies as often as the package counts."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_oracle import World, as_written, close, from_rows, make_world, with_history
from numpy_orders import Counted, Runner

from derivations.atoms import evaluate
from derivations.conventions import Conventions
from derivations.costs import cost_of
from derivations.graph import Graph
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.program import MaskKind, Variant
from derivations.regions import build_graph
from derivations.search import choose, order_names
from derivations.transform import context_only, keep_formed, without_caches
from derivations.trees import Phase, Sizes, Space, Tree, trees

VARIANTS = (
    "mha",
    "gqa",
    "mqa",
    "mla",
    "mla+rope",
    "mla+query-latent",
    "mla+rope+query-latent",
    "mla-rope-in-key",
    "dsa",
    "dsa+rope+query-latent",
)
OWN = tuple(
    f"./tests/variants/{name}"
    for name in (
        "gta.yaml",
        "gla.yaml",
        "tpa.yaml",
        "tpa.yaml+factor-q",
        "late-rope.yaml",
        "window-diff.yaml",
        "two-contexts.yaml",
        "gated.yaml",
    )
)
ALL = (*VARIANTS, *OWN)
FULL, CAUSAL = (Sizes(Phase.VERIFY, pairs, Poly.const(1)) for pairs in ("full", "causal"))
LAYER = Conventions(phase="verify", scope="layer")
SAMPLE = 60
"""Trees tried of a region with more than five operands."""


@cache
def variant_of(name: str) -> Variant:
    return load_variant(name)


@cache
def graph_of(name: str, caches: str = "kept") -> Graph:
    variant = variant_of(name)
    return build_graph(variant if caches == "kept" else without_caches(variant))


def sizes_for(variant: Variant, pick, queries: int, context: int) -> dict[str, int]:
    """A number for every symbol; `pick` draws the ones that are free."""
    sizes = {name: pick(name) for name in sorted(variant.symbols) if name not in "SLBb"}
    if "H_kv" in sizes:
        sizes["H_q"] = sizes["H_kv"] * pick("H_q")
    if "G" in sizes:
        sizes["H"] = sizes["G"] * pick("H")
    if "d_h" in sizes:
        sizes["d_h"] *= 2
    return {**sizes, "S": queries, "L": context}


@st.composite
def worlds(draw, variant: Variant) -> World:
    context = draw(st.integers(1, 7))
    queries = draw(st.sampled_from(sorted({1, context, (context + 1) // 2})))
    sizes = sizes_for(variant, lambda _: draw(st.integers(1, 4)), queries, context)
    return make_world(variant, sizes, draw(st.integers(0, 999)))


def seeded(variant: Variant, seed: int, queries: int, context: int) -> World:
    rng = random.Random(seed)
    return make_world(variant, sizes_for(variant, lambda _: rng.randint(1, 5), queries, context), seed)


def all_trees(graph: Graph, index: int) -> tuple[Tree, ...]:
    found = trees(len(graph.regions[index].leaves))
    return found if len(found) <= 105 else tuple(random.Random(index).sample(found, SAMPLE))


class Points:
    """What the package counts for the steps of one graph at one world's sizes."""

    def __init__(self, graph: Graph, world: World) -> None:
        self.graph, self.sizes = graph, world.sizes
        kinds = {mask.kind for mask in graph.variant.masks.values()}
        self.limited = bool(kinds & {MaskKind.TOP_N, MaskKind.WINDOW, MaskKind.CHUNK})
        self.upper = bool(kinds & {MaskKind.TOP_N, MaskKind.CHUNK})
        self.full, self.causal = (
            [Space(graph, region, sizes) for region in graph.regions] for sizes in (FULL, CAUSAL)
        )
        self.known: dict[tuple[int, int, int], tuple[object, object]] = {}

    def of(self, index: int, left: int, right: int) -> tuple[object, object]:
        """(points with `full` pairs, with `causal` pairs) of one step."""
        if (index, left, right) not in self.known:
            self.known[index, left, right] = tuple(
                evaluate(spaces[index].step(left, right).points, self.sizes)
                for spaces in (self.full, self.causal)
            )
        return self.known[index, left, right]

    def check(self, counted: list[Counted]) -> None:
        """As many points as numpy visits."""
        for item in counted:
            full, causal = self.of(item.region, item.left, item.right)
            where = f"{self.graph.variant.name}, {item.key}, {dict(self.sizes)}"
            if not self.limited:
                assert full == item.points, where
            region = self.graph.regions[item.region]
            queries = {pair.query for pair in region.masks}
            labels = region.labels(item.left) | region.labels(item.right)
            # Rows that top-n selects are counted as if no two queries chose the same one, and rows of chunks
            # as if the first query ended one.
            if self.upper and not labels & queries:
                assert causal >= item.seen, where
            else:
                assert causal == item.seen, where


def assert_equal(graph: Graph, env, expected, context: object) -> None:
    for region in graph.regions:
        assert close(env[region.root], expected[region.root]), (region.root, context)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_whole_orders(name: str, data: st.DataObject) -> None:
    """Every named order and the best one; their FLOPs are twice the points numpy visits."""
    variant, graph = variant_of(name), graph_of(name)
    world = data.draw(worlds(variant))
    expected = as_written(variant, world)
    runner, points = Runner(graph, world), Points(graph, world)
    for order in (*order_names(graph), "direct", "best"):
        chosen = choose(graph, order, FULL, world.sizes)
        assert_equal(graph, runner.run(chosen.trees), expected, (order, world.sizes))
        points.check(runner.counted)
        if not points.limited:
            cost = cost_of(graph, chosen, LAYER)
            visited = sum(item.points for item in runner.counted if item.online)
            assert evaluate(cost.flops, world.sizes) == 2 * visited, (order, world.sizes)


@pytest.mark.parametrize(("queries", "context"), [(3, 7), (1, 5), (4, 4)])
@pytest.mark.parametrize("name", ALL)
def test_every_tree(name: str, queries: int, context: int) -> None:
    """Each tree of each region on its own: equal before the next barrier, so equal after it."""
    variant, graph = variant_of(name), graph_of(name)
    world = seeded(variant, 7 * queries + context, queries, context)
    expected = as_written(variant, world)
    fixed = [trees(len(region.leaves))[0] for region in graph.regions]
    points = Points(graph, world)
    for index, region in enumerate(graph.regions):
        equation = next(e for e in variant.equations if e.name == region.root)
        for tree in all_trees(graph, index):
            runner, env = Runner(graph, world), dict(expected)
            runner.define(env, equation, [*fixed[:index], tree, *fixed[index + 1 :]])
            assert close(env[region.root], expected[region.root]), (region.root, tree)
            points.check(runner.counted)


@pytest.mark.parametrize("name", ALL)
def test_trees_drawn_together(name: str) -> None:
    """A drawn tree for every region at once, so that regions share what they do not share else."""
    variant, graph = variant_of(name), graph_of(name)
    rng = random.Random(name)
    world = seeded(variant, 3, 2, 5)
    expected, points = as_written(variant, world), Points(graph, world)
    for _ in range(25):
        picked = [rng.choice(trees(len(region.leaves))) for region in graph.regions]
        runner = Runner(graph, world)
        assert_equal(graph, runner.run(picked), expected, picked)
        points.check(runner.counted)


@pytest.mark.parametrize(("queries", "context"), [(4, 4), (2, 5), (1, 3)])
@pytest.mark.parametrize("name", [n for n in ALL if n != "./tests/variants/tpa.yaml+factor-q"])
def test_without_caches(name: str, queries: int, context: int) -> None:
    """All rows made in this step: the values of the step with caches its history made."""
    variant, graph = variant_of(name), graph_of(name, "none")
    world = with_history(variant, seeded(variant, 11 + queries, queries, context))
    expected = as_written(variant, world)
    bare = World(world.sizes, world.given, {})
    points = Points(graph, bare)
    assert_equal(graph, as_written(graph.variant, bare), expected, "as written, without caches")
    for order in (*order_names(graph), "best"):
        runner = Runner(graph, bare)
        chosen = choose(graph, order, FULL, world.sizes)
        assert_equal(graph, runner.run(chosen.trees), expected, order)
        points.check(runner.counted)
    fixed = [trees(len(region.leaves))[0] for region in graph.regions]
    for index, region in enumerate(graph.regions):
        equation = next(e for e in graph.variant.equations if e.name == region.root)
        for tree in all_trees(graph, index)[:: 1 if queries == context else 7]:
            env = dict(expected)
            Runner(graph, bare).define(env, equation, [*fixed[:index], tree, *fixed[index + 1 :]])
            assert close(env[region.root], expected[region.root]), (region.root, tree)


@pytest.mark.parametrize(("queries", "context", "copied"), [(3, 5, True), (1, 4, False)])
@pytest.mark.parametrize("name", [n for n in ALL if n != "./tests/variants/two-contexts.yaml"])
def test_formed_rows_kept(name: str, copied: bool, queries: int, context: int) -> None:
    """Formed rows kept from earlier steps: the same values from other caches."""
    variant, graph = variant_of(name), graph_of(name)
    world = seeded(variant, 5, queries, context)
    expected = as_written(variant, world)
    named = {n.name for region in graph.regions for n in region.named}
    rows = [e.name for e in variant.equations if e.name in named and context_only(variant, e.name)]
    for formed in {tuple(rows), tuple(rows[:1]), tuple(rows[-1:])}:
        kept = build_graph(keep_formed(variant, formed, copied))
        later = from_rows(kept.variant, world, expected)
        outputs = {r.root for r in kept.regions} & set(expected)
        written, points = as_written(kept.variant, later), Points(kept, later)
        assert all(close(written[root], expected[root]) for root in outputs)
        for order in order_names(kept):
            runner = Runner(kept, later)
            env = runner.run(choose(kept, order, FULL, world.sizes).trees)
            assert all(close(env[root], expected[root]) for root in outputs), order
            points.check(runner.counted)
