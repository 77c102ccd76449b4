"""Orders run in numpy, their multiplications counted: twice as many are the FLOPs of the ledger."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from functools import cache
from zlib import crc32

import pytest

from derivations import Conventions, build_graph, load_variant
from derivations.atoms import evaluate
from derivations.costs import cost_of
from derivations.graph import Graph
from derivations.poly import Poly
from derivations.search import choose, order_names
from derivations.transform import without_caches
from derivations.trees import Phase, Sizes, Space, Tree, trees
from derivations.witnesses.evaluation import Opinion
from derivations.witnesses.execution import CannotRun, Unequal, execute, flops_of, numpy_opinion

np = pytest.importorskip("numpy")

BUNDLED = (
    "mha",
    "gqa",
    "mqa",
    "mla",
    "mla+rope",
    "mla+query-latent",
    "mla+rope+query-latent",
    "mla-rope-in-key",
)
OWN = tuple(f"./tests/variants/{n}.yaml" for n in ("gta", "tpa", "late-rope", "two-contexts", "window-diff"))
STEPS = (("decode", 1, 5), ("verify", 3, 5), ("verify", 4, 4), ("prefill", 4, 4))


@cache
def graph_of(name: str) -> Graph:
    return build_graph(load_variant(name))


def sizes_for(graph: Graph, queries: int, context: int, seed: int = 0) -> dict[str, int]:
    """Small numbers for all symbols, such that every axis is whole."""
    rng = random.Random(seed)
    found = {name: rng.randint(2, 4) for name in sorted(graph.variant.symbols) if name not in "SLBb"}
    for whole, part in (("H_q", "H_kv"), ("H", "G"), ("d_h", "d_h")):
        if whole in found and part in found:
            found[whole] = 2 * found[part]
    return {**found, "S": queries, "L": context}


def named_trees(graph: Graph, pairs: str, sizes: dict[str, int]) -> list:
    space = Sizes(Phase.VERIFY, pairs, Poly.const(1))
    return [choose(graph, name, space, sizes) for name in (*order_names(graph), "direct", "best")]


def drawn_trees(graph: Graph, count: int, seed: int = 0) -> list[list[Tree]]:
    rng = random.Random(seed)
    return [[rng.choice(trees(len(region.leaves))) for region in graph.regions] for _ in range(count)]


@pytest.mark.parametrize("pairs", ["full", "causal"])
@pytest.mark.parametrize(("phase", "queries", "context"), STEPS)
@pytest.mark.parametrize("name", BUNDLED)
def test_named_orders(name: str, phase: str, queries: int, context: int, pairs: str) -> None:
    """What the ledger has for the layer, offline products left out, under the conventions of the phase."""
    graph = graph_of(name)
    sizes = sizes_for(graph, queries, context)
    orders = named_trees(graph, pairs, sizes)
    conventions = Conventions(phase=phase, scope="layer", pairs=pairs)
    flops = [cost_of(graph, order, conventions).flops for order in orders]
    opinion = numpy_opinion(graph, [order.trees for order in orders], sizes, 1, pairs, flops)
    assert opinion.agrees is True, opinion.note
    counted = f"{sum(evaluate(f, sizes) for f in flops) // 2:,}"
    assert opinion.note == (
        f"{len(orders)} orders on random arrays, all equal; "
        f"{counted} multiplications counted, as the formula says"
    )


@pytest.mark.parametrize("name", [*BUNDLED, *OWN])
def test_drawn_orders(name: str) -> None:
    """Any trees, not only named ones: equal values, and as many multiplications as index points."""
    graph = graph_of(name)
    for pairs in ("causal",) if "window" in name else ("full", "causal"):
        opinion = numpy_opinion(graph, drawn_trees(graph, 10), sizes_for(graph, 2, 5), 0, pairs)
        assert opinion.agrees is True, opinion.note


@pytest.mark.parametrize("name", ["mha", "mla", "mla+rope+query-latent"])
def test_without_caches(name: str) -> None:
    """Projections of all rows, so that regions share what they make."""
    graph = build_graph(without_caches(load_variant(name)))
    sizes = sizes_for(graph, 2, 4)
    orders = [order.trees for order in named_trees(graph, "full", sizes)] + drawn_trees(graph, 15)
    opinion = numpy_opinion(graph, orders, sizes)
    assert opinion.agrees is True, opinion.note
    saved = [region_sum(graph, chosen) - evaluate(flops_of(graph, chosen), sizes) for chosen in orders]
    assert (max(saved) > 0) == (name != "mha")


def region_sum(graph: Graph, chosen: Sequence[Tree]) -> int:
    """FLOPs when nothing is shared."""
    sizes, space = sizes_for(graph, 2, 4), Sizes(Phase.VERIFY, "full", Poly.const(1))
    found = 0
    for region, tree in zip(graph.regions, chosen, strict=True):
        steps = Space(graph, region, space).steps(tree)
        found += sum(evaluate(step.flops, sizes) for step in steps if not step.offline)
    return found


def test_by_hand() -> None:
    """Multi-head attention: projections of S rows, then scores and sums over the pairs, then the output."""
    graph = graph_of("mha")
    n = sizes_for(graph, 3, 5)
    chosen = named_trees(graph, "causal", n)[0].trees
    heads = n["S"] * n["d_model"] * n["H"] * (2 * n["d_k"] + 2 * n["d_v"])
    for pairs, count in (("full", 15), ("causal", 12)):
        run = execute(graph, chosen, n, pairs=pairs)
        assert run.multiplications == heads + count * n["H"] * (n["d_k"] + n["d_v"])


def test_values_by_einsum() -> None:
    """The product of a region is what numpy makes of its leaves at once."""
    graph = graph_of("mla")
    sizes = sizes_for(graph, 2, 4)
    for region, made in zip(graph.regions, execute(graph, drawn_trees(graph, 1)[0], sizes).values, strict=True):
        lengths = {label: evaluate(graph.size(region, label), sizes) for label in region.axis_of}
        number = {label: place for place, label in enumerate(lengths)}
        arguments: list[object] = []
        for leaf in region.leaves:
            shape = [lengths[label] for label in leaf.labels]
            draw = np.random.default_rng([0, crc32(leaf.tensor.encode()), *shape])
            arguments += [
                draw.integers(1, 4, shape) * draw.choice([-1, 1], shape),
                [number[x] for x in leaf.labels],
            ]
        assert np.array_equal(np.einsum(*arguments, [number[label] for label in region.output]), made)


def test_masked_pairs_are_not_multiplied() -> None:
    """The scores of pairs that no query sees are zero."""
    graph = graph_of("mla")
    run = execute(graph, drawn_trees(graph, 1)[0], sizes_for(graph, 3, 5), pairs="causal")
    place = next(i for i, region in enumerate(graph.regions) if region.root == "A")
    scores = run.values[place]
    unseen = np.triu(np.ones((3, 5), bool), 3)
    assert not scores[:, unseen].any()
    assert scores[:, ~unseen].any()


@pytest.mark.parametrize("name", ["mla", "gqa"])
def test_wrong_formulas(name: str) -> None:
    graph = graph_of(name)
    sizes = sizes_for(graph, 3, 5)
    chosen = [order.trees for order in named_trees(graph, "full", sizes)[:2]]
    right = [flops_of(graph, t) for t in chosen]
    for place, more in enumerate((Poly.const(2), -Poly.symbol("S") * Poly.symbol("L"))):
        wrong = [f + more if i == place else f for i, f in enumerate(right)]
        opinion = numpy_opinion(graph, chosen, sizes, flops=wrong)
        assert opinion.agrees is False
        assert opinion.note.startswith(f"order {place + 1}: ")
        assert opinion.note.endswith(f"the formula says {evaluate(wrong[place], sizes)} FLOPs")
    causal = [flops_of(graph, t, "causal") for t in chosen]
    assert numpy_opinion(graph, chosen, sizes, flops=causal).agrees is False
    assert numpy_opinion(graph, chosen, sizes, pairs="causal", flops=causal).agrees is True
    assert numpy_opinion(graph, chosen, sizes, flops=[f * Poly.symbol("B") for f in right]).agrees is None


def test_wrong_trees() -> None:
    """A tree that sums too early makes another value; keys that join what differs are seen."""
    graph = graph_of("mla")
    sizes = sizes_for(graph, 2, 4)
    fine = drawn_trees(graph, 1)[0]
    with pytest.raises((ValueError, KeyError)):
        execute(graph, [((1, 4),), *fine[1:]], sizes)


def test_keys_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of("mla")
    sizes, chosen = sizes_for(graph, 2, 4), drawn_trees(graph, 1)
    monkeypatch.setattr(Graph, "key", lambda self, region, mask: "the same")
    with pytest.raises(Unequal, match="two products go by the same"):
        execute(graph, chosen[0], sizes)
    assert numpy_opinion(graph, chosen, sizes).agrees is False


def test_counting_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No index point of the package is asked for while an order runs."""
    graph = graph_of("mla+rope")
    sizes, chosen = sizes_for(graph, 2, 4), drawn_trees(graph, 1)[0]
    expected = evaluate(flops_of(graph, chosen), sizes)

    def forbidden(*_: object) -> None:
        raise AssertionError("points were asked for")

    for name in ("points_over", "visited", "surviving", "step"):
        monkeypatch.setattr(Space, name, forbidden)
    assert 2 * execute(graph, chosen, sizes).multiplications == expected


@pytest.mark.parametrize(
    ("name", "change", "pairs", "note"),
    [
        ("dsa", {}, "full", "rows that are selected by their scores are not run"),
        ("./tests/variants/window-diff.yaml", {}, "full", "a window is only run with causal pairs"),
        ("gqa", {"H_q": 5, "H_kv": 2}, "full", "H_q/H_kv is no whole number at these sizes"),
        ("mla", {"d_model": 10**5, "d_c": 10**5}, "full", "at these sizes the arrays are too large"),
        ("mla", {"d_model": 10**9, "d_c": 10**9}, "full", "at these sizes whole numbers would overflow"),
    ],
)
def test_no_answer(name: str, change: dict[str, int], pairs: str, note: str) -> None:
    graph = graph_of(name)
    sizes = {**sizes_for(graph, 2, 4), **change}
    chosen = drawn_trees(graph, 1)
    assert numpy_opinion(graph, chosen, sizes, pairs=pairs) == Opinion("numpy", None, note)
    with pytest.raises(CannotRun, match=note):
        execute(graph, chosen[0], sizes, pairs=pairs)


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of("mha")
    monkeypatch.setitem(sys.modules, "numpy", None)
    opinion = numpy_opinion(graph, drawn_trees(graph, 1), sizes_for(graph, 1, 3))
    assert opinion == Opinion("numpy", None, "numpy is not installed")
