"""Contraction trees: how many, that each is one, and that index points are counted rightly."""

from __future__ import annotations

from itertools import product as grid
from math import prod

import pytest
from samples import TINY, read

from derivations.atoms import evaluate
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.regions import build_graph
from derivations.trees import Phase, Rule, Sizes, Space, bracketing, trees

SYMBOLIC = Sizes(Phase.VERIFY, "full", Poly.const(1))


@pytest.mark.parametrize("operands", range(1, 8))
def test_every_tree_comes_once(operands):
    found = trees(operands)
    assert len(found) == prod(range(1, 2 * operands - 2, 2))  # (2n-3)!!
    shapes = {frozenset(frozenset(pair) for pair in tree) for tree in found}
    assert len(shapes) == len(found)


@pytest.mark.parametrize("operands", range(1, 6))
def test_every_tree_is_one(operands):
    for tree in trees(operands):
        have = {1 << i for i in range(operands)}
        for left, right in tree:
            assert not left & right
            assert {left, right} <= have
            have -= {left, right}
            have.add(left | right)
        assert have == {(1 << operands) - 1}


def test_a_tree_as_text():
    names = {0: "A", 1: "B", 2: "C"}
    assert {bracketing(tree, names) for tree in trees(3)} == {"((A B) C)", "((A C) B)", "(A (B C))"}
    assert bracketing((), {0: "A"}) == "A"


def space(variant, root: str, sizes: Sizes = SYMBOLIC) -> Space:
    graph = build_graph(variant)
    return Space(graph, next(r for r in graph.regions if r.root == root), sizes)


def brute_force(extents: list[range]) -> int:
    return sum(1 for _ in grid(*extents))


def test_points_of_a_step_are_the_points_of_its_loops():
    """O = P K over h, s, t, k: one multiply-add for each point of the four loops."""
    found = space(read(TINY), "O")
    (tree,) = trees(2)
    (step,) = found.steps(tree)
    sizes = {"H": 2, "S": 3, "L": 4, "d_k": 5}
    assert evaluate(step.points, sizes) == brute_force([range(n) for n in sizes.values()])
    assert step.flops == step.points * 2
    assert step.rule is Rule.CONTRACTION


@pytest.mark.parametrize(
    ("pairs", "mask", "count"),
    [
        ("full", "", lambda q, t: True),
        ("causal", "", lambda q, t: t <= q),
        ("causal", "masks: {A: {kind: full}}\n", lambda q, t: True),
        ("full", "masks: {A: {kind: causal}}\n", lambda q, t: t <= q),
        ("causal", "masks: {A: {kind: window, size: 2}}\n", lambda q, t: q - 2 < t <= q),
    ],
)
def test_a_mask_leaves_points_out(pairs, mask, count):
    found = space(read(TINY + mask), "O", Sizes(Phase.VERIFY, pairs, Poly.const(1)))
    (tree,) = trees(2)
    (step,) = found.steps(tree)
    heads, queries, context, width = 2, 3, 5, 4
    points = sum(
        heads * width for q in range(context - queries, context) for t in range(context) if count(q, t)
    )
    values = {"H": heads, "S": queries, "L": context, "d_k": width}
    assert evaluate(step.points, values) == points


@pytest.mark.parametrize(("phase", "queries"), [(Phase.DECODE, 1), (Phase.VERIFY, 3), (Phase.PREFILL, 7)])
def test_the_phase_decides_the_queries(phase, queries):
    found = space(read(TINY), "O", Sizes(phase, "full", Poly.symbol("B")))
    (tree,) = trees(2)
    values = {"B": 11, "H": 2, "S": 3, "L": 7, "d_k": 5}
    (step,) = found.steps(tree)
    assert evaluate(step.points, values) == 11 * 2 * queries * 7 * 5


@pytest.mark.parametrize(
    ("equation", "rule"),
    [
        ("O[h,s,k] = P[h,s,t] * K[h,t,k]", Rule.CONTRACTION),
        ("O[h,s,t,k] = P[h,s,t] * K[h,t,k]", Rule.OUTER),
        ("O[h,s,t] = P[h,s,t] * W_M[h,t]", Rule.ELEMENTWISE),
    ],
)
def test_the_rule_of_a_step(equation, rule):
    text = TINY.replace("O[h,s,k] = P[h,s,t] * K[h,t,k]", equation)
    if "W_M" in equation:
        text = text.replace("role: cache}", "role: cache}\n  W_M: {axes: [h, t], role: weight}")
    (tree,) = trees(2)
    (step,) = space(read(text), "O").steps(tree)
    assert step.rule is rule


def test_weights_alone_carry_no_batch_and_are_done_offline():
    found = space(load_variant("mla"), "A", Sizes(Phase.DECODE, "full", Poly.symbol("B")))
    names = [leaf.tensor for leaf in found.region.leaves]
    weights = sum(1 << i for i, name in enumerate(names) if name.startswith("W_"))
    one, two = (1 << i for i, name in enumerate(names) if name.startswith("W_"))
    assert (found.offline(weights), found.unbatched(weights)) == (True, True)
    step = found.step(one, two)
    assert step.offline
    sizes = {"H": 3, "d_model": 4, "d_k": 5, "d_c": 6}
    assert evaluate(step.points, sizes) == 3 * 4 * 5 * 6
    assert evaluate(found.elements(weights), sizes) == 3 * 4 * 6
    assert not found.offline(found.region.full)
    assert "B" in found.elements(found.region.full).names()


def test_what_a_tree_of_the_latent_scores_forms():
    """Only trees that hold C W_UK alone form K; 105 trees in the five-operand region."""
    variant = load_variant("mla+query-latent")
    found = space(variant, "A")
    assert len(found.region.leaves) == 5
    names = [leaf.tensor for leaf in found.region.leaves]
    bits = {name: 1 << i for i, name in enumerate(names)}
    forms_key = [t for t in trees(5) if any(a | b == bits["C"] | bits["W_UK"] for a, b in t)]
    assert [t for t in trees(5) if "K" in found.formed(t)] == forms_key
    assert len(forms_key) == 15  # the pair as one leaf: trees over four operands
