"""Programs with a shared prefix run in numpy: the same values, and as many products as the ledger counts."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import numpy_oracle
import numpy_orders
import pytest
from numpy_oracle import CONTEXT, QUERY, World, as_written, close, length, make_world
from numpy_orders import Runner
from test_execution import sizes_for

from derivations.conventions import Conventions
from derivations.derivation import Study, derive
from derivations.library import load_variant
from derivations.prefix import segment, with_prefix
from derivations.program import Role, Variant
from derivations.regions import build_graph
from derivations.search import order_names

VARIANTS = (
    "mha", "gqa", "mqa", "mla", "mla+rope", "mla+rope+query-latent", "mla-rope-in-key",
    *(f"./tests/variants/{name}.yaml" for name in ("gta", "gla", "tpa", "late-rope", "gated")),
)  # fmt: skip
MIXED = ("absorb", "prefix-absorb-expand", "prefix-expand-absorb", "expand")


# The same values


# The same values


def shared_visible(variant, world, env, name):
    """As the oracle's, with tokens after the prefix at their places, and the prefix seen by every query."""
    axes = variant.tensors[name].axes
    pair = [a for k in (QUERY, CONTEXT) for a in axes if variant.axes[a].kind is k]
    if [variant.axes[axis].kind for axis in pair] != [QUERY, CONTEXT]:
        return [], np.array(True)
    queries, context = (length(variant, axis, world.sizes) for axis in pair)
    before = 0 if pair[1] == segment(variant) else world.sizes["L"] - context
    own = np.arange(world.sizes["L"] - queries, world.sizes["L"])[:, None]
    return pair, own - (before + np.arange(context))[None, :] >= 0


@pytest.fixture
def places(monkeypatch):
    for module in (numpy_oracle, numpy_orders):
        monkeypatch.setattr(module, "visible", shared_visible)


def tokens(variant: Variant, name: str) -> int | None:
    """Which axis of a tensor runs over the context."""
    kinds = [variant.axes[axis].kind for axis in variant.tensors[name].axes]
    return kinds.index(CONTEXT) if CONTEXT in kinds and QUERY not in kinds else None


def batch_of(variant: Variant, sizes: Mapping[str, int], seed: int) -> list[World]:
    """Sequences with the same weights, tables and first tokens, and other tokens after them."""
    worlds = [make_world(variant, sizes, seed + i) for i in range(sizes["B"])]
    fixed = {n: a for n, a in worlds[0].given.items() if variant.tensors[n].role is not Role.INPUT}
    for world in worlds:
        world.given.update(fixed)
        for name, array in world.kept.items():
            first = [slice(None)] * array.ndim
            first[tokens(variant, name)] = slice(0, sizes["L_p"])
            array[tuple(first)] = worlds[0].kept[name][tuple(first)]
    return worlds


def cut(variant: Variant, shared: Variant, world: World) -> World:
    """The same numbers for the program with a prefix: each tensor along the context in two."""
    given, kept = dict(world.given), {}
    for name, array in (*world.given.items(), *world.kept.items()):
        axis = tokens(variant, name)
        if axis is None:
            continue
        first, rest = np.split(array, [world.sizes["L_p"]], axis=axis)
        given[f"{name}_pre"] = first
        (kept if name in world.kept else given)[name] = rest
    assert {n for n, t in shared.tensors.items() if t.role is Role.INPUT} <= set(given)
    return World(world.sizes, given, kept)


def drawn(variant: Variant, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    prefix, queries, own = rng.randint(1, 4), rng.randint(1, 3), rng.randint(0, 3)
    sizes = sizes_for(variant, lambda _: rng.randint(1, 4), queries, prefix + queries + own)
    return {**sizes, "L_p": prefix, "B": rng.randint(2, 3), "b": 2}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "pairs"), [*((name, "full") for name in VARIANTS), ("gqa", "causal"), ("mla+rope", "causal")]
)
def test_every_order_computes_the_same_and_multiplies_as_often_as_counted(name, pairs, seed, places):
    """What is equal for all sequences is multiplied once, all else once for each: the ledger's FLOPs."""
    variant = load_variant(name)
    shared = with_prefix(variant)
    sizes = drawn(variant, seed)
    batch = batch_of(variant, sizes, seed)
    expected = [as_written(variant, world) for world in batch]
    worlds = [cut(variant, shared, world) for world in batch]
    outputs = [n for n, t in shared.tensors.items() if t.role is Role.OUTPUT]
    assert outputs
    for world, whole in zip(worlds, expected, strict=True):
        written = as_written(shared, world)
        assert all(close(written[n], whole[n]) for n in outputs)
    knobs = Conventions(phase="verify", scope="layer", pairs=pairs)
    for order in (*order_names(build_graph(shared)), "best"):
        found = derive(Study(shared, knobs, sizes), order)
        runs = [Runner(found.cost.graph, world) for world in worlds]
        for run, whole in zip(runs, expected, strict=True):
            env = run.run(found.cost.order.trees)
            assert all(close(env[n], whole[n]) for n in outputs), order
        points = 0
        for items in zip(*(run.counted for run in runs), strict=True):
            made = [run.products[item.key] for run, item in zip(runs, items, strict=True)]
            times = 1 if all(np.array_equal(made[0], other) for other in made) else len(made)
            points += times * items[0].online * (items[0].points if pairs == "full" else items[0].seen)
        assert found.value(found.flops) == 2 * points, (order, sizes)
