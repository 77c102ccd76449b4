"""Random programs: any order gives the values of the program as written, and counts what it does.

Two steps that bear one key must hold equal values (the runner sees to that); a program made by hand
has few chances to get that wrong, a random one has many.
"""

from __future__ import annotations

import random

import pytest
from numpy_oracle import as_written, close, make_world
from numpy_orders import Runner
from random_programs import draw_program

from derivations.atoms import evaluate
from derivations.conventions import Conventions
from derivations.costs import cost_of
from derivations.poly import Poly
from derivations.regions import build_graph
from derivations.search import choose
from derivations.trees import Phase, Sizes, Space, trees

FULL = Sizes(Phase.VERIFY, "full", Poly.const(1))
LAYER = Conventions(phase="verify", scope="layer")


@pytest.mark.parametrize("block", range(8))
def test_random_programs(block: int) -> None:
    ran = 0
    for seed in range(40 * block, 40 * block + 40):
        drawn = draw_program(seed)
        if drawn is None:
            continue
        text, variant = drawn
        graph = build_graph(variant)
        if any(len(region.leaves) > 5 for region in graph.regions):
            continue
        ran += 1
        rng = random.Random(seed)
        sizes = {n: rng.randint(2, 4) for n in sorted(variant.symbols) if n not in "SLBb"}
        world = make_world(variant, {**sizes, "S": 3, "L": 5}, seed)
        expected = as_written(variant, world)
        runner = Runner(graph, world)
        orders = [choose(graph, name, FULL, world.sizes) for name in ("direct", "best")]
        drawn_trees = [[rng.choice(trees(len(r.leaves))) for r in graph.regions] for _ in range(4)]
        for picked in (*(order.trees for order in orders), *drawn_trees):
            env = runner.run(picked)
            for region in graph.regions:
                assert close(env[region.root], expected[region.root]), f"{region.root}\n{text}"
            for item in runner.counted:
                space = Space(graph, graph.regions[item.region], FULL)
                points = evaluate(space.step(item.left, item.right).points, world.sizes)
                assert points == item.points, f"{item.key}\n{text}"
        for order in orders:
            runner.run(order.trees)
            flops = evaluate(cost_of(graph, order, LAYER).flops, world.sizes)
            assert flops == 2 * sum(item.points for item in runner.counted if item.online), text
    assert ran > 20
