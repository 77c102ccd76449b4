"""The subset search leaves out no order that is cheaper anywhere, and keeps none that is useless.

Everything is held against plain enumeration (`every_order`): all trees of all regions, counted from
labels, at random legal sizes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations
from math import prod

import numpy as np
import pytest
from every_order import Count, Program, admitted, connected, expanded, odd_factorial, survivors
from random_programs import draw_program
from samples import read, refused, tiny
from test_best_orders import graph_of, least

from derivations import frontier as module
from derivations.atoms import evaluate
from derivations.errors import InputError
from derivations.frontier import Frontier, Joint, Limits, frontier
from derivations.poly import Poly
from derivations.prices import Prices
from derivations.program import NamedOrder
from derivations.sharing import Sharing
from derivations.trees import Space, Tree, trees

OWN = [
    f"./tests/variants/{name}.yaml"
    for name in ("gated", "gla", "gta", "late-rope", "tpa", "two-contexts", "window-diff")
]
NAMES = ["mla", "mla+query-latent", "mla-rope-in-key", "gqa", "dsa", *OWN, f"{OWN[4]}+factor-q"]
PHASES = ("decode", "verify", "prefill")
PROGRAMS = [(name, caches, phase) for name in NAMES for caches in ("kept", "none") for phase in PHASES]
MOST_TOGETHER = 20_000
"""Combinations of trees up to which regions that share steps are searched together."""
MOST_TREES = 10_395


@cache
def program(name: str, caches: str = "kept", phase: str = "verify") -> Program:
    return Program(name, phase, caches)


class Searched:
    """The package's search of a program."""

    def __init__(self, program: Program, known: Mapping[str, int] | None = None) -> None:
        self.program, self.spaces = program, program.spaces()
        self.sharing = Sharing(self.spaces)
        values = {name: Poly.const(value) for name, value in (known or {}).items()}
        count = program.conventions.elementwise == "count"
        self.prices = Prices(self.spaces, values, program.variant.facts, count)

    def frontier(self, group: Iterable[int], limits: Limits | None = None) -> Frontier:
        members: dict[int, Space] = {index: self.spaces[index] for index in group}
        return frontier(members, self.prices, limits or Limits(), self.sharing)

    def asked(self) -> Iterable[tuple[int, ...]]:
        """Groups, where they are small; else their regions."""
        for group in self.sharing.groups:
            counts = {index: odd_factorial(2 * len(self.program.regions[index].leaves) - 3) for index in group}
            if prod(counts.values()) <= MOST_TOGETHER:
                yield group
            else:
                yield from ((index,) for index, count in counts.items() if count <= MOST_TREES)


def chosen(group: Sequence[int], order: Joint) -> dict[int, Tree]:
    return dict(zip(group, order.trees, strict=True))


def everything(program: Program, group: Iterable[int]) -> dict[int, Sequence[Tree]]:
    return {index: trees(len(program.regions[index].leaves)) for index in group}


def same(one: np.ndarray, two: np.ndarray) -> bool:
    return list(one) == list(two)


def lowest(count: Count, group: Sequence[int], orders: Iterable[Joint]) -> np.ndarray:
    return np.minimum.reduce([count.cost(chosen(group, order)) for order in orders])


@cache
def kept(name: str, caches: str, phase: str) -> tuple[Searched, tuple[tuple[tuple[int, ...], Frontier], ...]]:
    search = Searched(program(name, caches, phase))
    return search, tuple((group, search.frontier(group)) for group in search.asked())


@pytest.mark.parametrize(("name", "caches", "phase"), PROGRAMS)
def test_no_order_that_is_left_out_is_cheaper_anywhere(name: str, caches: str, phase: str) -> None:
    whole = program(name, caches, phase)
    count = Count(whole, whole.draws(random.Random(f"{name} {caches} {phase}"), 60))
    for group, found in kept(name, caches, phase)[1]:
        factors = [len(whole.regions[index].leaves) for index in group]
        assert found.bracketings == prod(odd_factorial(2 * number - 3) for number in factors)
        assert same(lowest(count, group, found.orders), count.least(everything(whole, group))), group
        for order in found.orders[:12]:
            values = [evaluate(order.flops, point) for point in count.points[:2]]
            assert values == list(count.cost(chosen(group, order))[:2]), group


@pytest.mark.parametrize(("name", "caches", "phase"), [p for p in PROGRAMS if p[2] != "prefill"])
def test_no_order_that_is_kept_is_dominated_by_another(name: str, caches: str, phase: str) -> None:
    search, groups = kept(name, caches, phase)
    for _, found in groups:
        orders = found.orders
        if not 1 < len(orders) <= 130:
            continue
        plain = [dict(order.flops.terms) for order in orders]
        images = {"L": {"S": 1, "more": 1, "": 1}} if phase == "verify" else {}
        slack = [expanded(order.flops * search.prices.clear, images) for order in orders]
        for costs in (plain, slack):
            for one, two in permutations(costs, 2):
                assert any(one.get(term, 0) > two.get(term, 0) for term in one.keys() | two.keys())


# Limits


def subsets(rng: random.Random, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    mixed = rng.sample(names, len(names))
    middle, end = sorted((rng.randint(0, len(mixed)), rng.randint(0, len(mixed))))
    return tuple(mixed[:middle]), tuple(mixed[middle:end])


LIMITED = [
    ("mla", "kept"),
    ("mla", "none"),
    ("mla+query-latent", "kept"),
    ("mla-rope-in-key", "kept"),
    ("dsa", "kept"),
    (OWN[1], "kept"),
    (OWN[3], "none"),
    (OWN[4], "kept"),
    (OWN[5], "kept"),
]


@pytest.mark.parametrize(("name", "caches"), LIMITED)
def test_a_named_set_is_all_trees_that_hold_its_brackets(name: str, caches: str) -> None:
    whole = program(name, caches)
    search = Searched(whole)
    rng = random.Random(name)
    count = Count(whole, whole.draws(rng, 30))
    names = sorted({named.name for region in whole.regions for named in region.named})
    sets = [(order.forms, order.avoids) for order in whole.variant.orders]
    sets += [((), tuple(names)), (tuple(names), ()), *(subsets(rng, names) for _ in range(8))]
    for forms, avoids in sets:
        limits = Limits(NamedOrder("asked", tuple(forms), tuple(avoids)))
        for group in search.sharing.groups:
            wanted = {index: admitted(whole.regions[index], forms, avoids) for index in group}
            found = search.frontier(group, limits)
            assert found.bracketings == prod(map(len, wanted.values())), (forms, avoids, group)
            if not found.bracketings:
                assert found.orders == ()
                continue
            for order in found.orders:
                assert all(set(map(frozenset, tree)) for tree in order.trees)
                assert all(
                    any(sorted(tree) == sorted(other) for other in wanted[index])
                    for index, tree in chosen(group, order).items()
                )
            assert same(lowest(count, group, found.orders), count.least(wanted)), (forms, avoids, group)


@pytest.mark.parametrize(("name", "caches"), LIMITED)
def test_without_outer_products(name: str, caches: str) -> None:
    whole = program(name, caches)
    search = Searched(whole)
    count = Count(whole, whole.draws(random.Random(name), 30))
    for group in search.sharing.groups:
        wanted = {index: connected(whole.regions[index]) for index in group}
        found = search.frontier(group, Limits(outer=False))
        assert found.bracketings == prod(map(len, wanted.values())) > 0
        assert same(lowest(count, group, found.orders), count.least(wanted)), group
        for order in found.orders:
            for index, tree in chosen(group, order).items():
                region = whole.regions[index]
                assert all(survivors(region, left) & survivors(region, right) for left, right in tree)


OLD = '"O[h,s,k] = P[h,s,t] * K[h,t,k]"'


def test_factors_without_a_common_index_have_no_order_without_an_outer_product() -> None:
    text = tiny(OLD, '"O[h,s,t,d,k] = P[h,s,t] * E[d,k]"')
    whole = Program(read(text.replace("  K: {", "  E: {axes: [d, k], role: input}\n  K: {")))
    search, index = Searched(whole), len(whole.regions) - 1
    assert search.frontier((index,), Limits(outer=False)) == Frontier((), 0)
    assert len(search.frontier((index,)).orders) == 1


@pytest.mark.parametrize("name", ["mla", "dsa", OWN[3]])
def test_a_bracketing_that_is_given_is_the_only_one(name: str) -> None:
    whole = program(name)
    search = Searched(whole)
    count = Count(whole, whole.draws(random.Random(name), 10))
    for group in search.sharing.groups:
        for tree in trees(len(whole.regions[group[0]].leaves))[:20]:
            found = search.frontier(group, Limits(brackets={group[0]: tree}))
            assert all(set(order.trees[0]) == set(tree) for order in found.orders)
            rest = everything(whole, group) | {group[0]: [tree]}
            assert same(lowest(count, group, found.orders), count.least(rest))


@pytest.mark.parametrize("name", ["mla", "mla+query-latent", "gqa", OWN[3]])
def test_a_bound_leaves_itself_or_what_dominates_it(name: str) -> None:
    whole = program(name)
    search = Searched(whole)
    count = Count(whole, whole.draws(random.Random(name), 30))
    for (index,) in search.sharing.groups:
        kept = {frozenset(order.trees[0]) for order in search.frontier((index,)).orders}
        for tree in trees(len(whole.regions[index].leaves)):
            (bound,) = search.frontier((index,), Limits(brackets={index: tree})).orders
            found = search.frontier((index,), Limits(bound=bound)).orders
            assert found
            own = count.cost({index: tree})
            assert all((count.cost({index: order.trees[0]}) <= own).all() for order in found)
            if frozenset(tree) in kept:
                assert {frozenset(order.trees[0]) for order in found} == {frozenset(tree)}


# Sizes that are known


@pytest.mark.parametrize(("name", "caches"), [*LIMITED, ("gqa", "none"), ("mla+query-latent", "none")])
def test_with_all_sizes_known_the_least_is_left(name: str, caches: str) -> None:
    whole = program(name, caches)
    for point in whole.draws(random.Random(f"{name} known"), 8):
        search, count = Searched(whole, point), Count(whole, [point])
        assert search.prices.numeric
        for group in search.sharing.groups:
            (order,) = search.frontier(group).orders
            assert order.flops == int(count.least(everything(whole, group))[0]), point
            assert order.flops == int(count.cost(chosen(group, order))[0])


@pytest.mark.parametrize(
    ("name", "caches"), [("mla", "kept"), ("mla", "none"), ("dsa", "kept"), ("gqa", "none")]
)
def test_with_some_sizes_known_none_is_lost(name: str, caches: str) -> None:
    whole = program(name, caches)
    rng = random.Random(f"{name} {caches} partly")
    for first in whole.draws(rng, 6):
        fixed = rng.sample(sorted(first), len(first) // 2)
        known = {size: first[size] for size in fixed}
        tied = (("L", "S"), ("H_q", "H_kv"))
        known = {n: v for n, v in known.items() if not any(n in pair for pair in tied) or n == "H_kv"}
        others = [{**point, **known} for point in whole.draws(rng, 40)]
        for point in others:
            if "H_q" in point:
                point["H_q"] *= point["H_kv"]
        search, count = Searched(whole, known), Count(whole, [p for p in others if whole.legal(p)])
        for group in search.sharing.groups:
            found = search.frontier(group)
            assert same(lowest(count, group, found.orders), count.least(everything(whole, group))), known


@pytest.mark.parametrize(("name", "some"), [(OWN[0], True), ("mla-rope-in-key", False), ("dsa", False)])
def test_elementwise_products_can_be_left_out(name: str, some: bool) -> None:
    whole, counted = Program(name, elementwise="omit"), program(name)
    search = Searched(whole)
    points = list(whole.draws(random.Random(name), 40))
    count, more = Count(whole, points), Count(counted, points)
    fewer = 0
    for group in search.sharing.groups:
        fewest = count.least(everything(whole, group))
        assert same(lowest(count, group, search.frontier(group).orders), fewest)
        fewer += int((fewest < more.least(everything(counted, group))).sum())
    assert bool(fewer) is some


@pytest.mark.parametrize("name", ["mla", "dsa", OWN[6], OWN[1]])
@pytest.mark.parametrize("phase", PHASES)
def test_masks_count_the_pairs_that_are_seen(name: str, phase: str) -> None:
    """Causal pairs, under a window and a selection too, one by one."""
    whole = Program(name, phase, pairs="causal")
    search = Searched(whole)
    count = Count(whole, whole.draws(random.Random(name), 40, lambda rng: rng.randint(1, 70)))
    for group in search.sharing.groups:
        orders = search.frontier(group).orders
        assert same(lowest(count, group, orders), count.least(everything(whole, group))), group
        for order in orders:
            values = [evaluate(order.flops, point) for point in count.points[:4]]
            assert values == list(count.cost(chosen(group, order))[:4]), group


# Steps that are shared


@pytest.mark.parametrize(("name", "caches", "phase"), [p for p in PROGRAMS if p[2] == "verify"])
def test_regions_that_can_share_a_step_are_those_with_a_product_of_equal_numbers(
    name: str, caches: str, phase: str
) -> None:
    whole = program(name, caches, phase)
    places: dict[object, set[int]] = {}
    for index, region in enumerate(whole.regions):
        for mask in range(1, region.full + 1):
            if mask & (mask - 1) and not whole.offline(index, mask):
                places.setdefault(whole.name(index, mask), set()).add(index)
    groups = [{index} for index in range(len(whole.regions))]
    for together in places.values():
        touched = [group for group in groups if group & together]
        groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    assert Sharing(whole.spaces()).groups == tuple(sorted(tuple(sorted(group)) for group in groups))


def test_the_latent_is_made_once_for_keys_and_values() -> None:
    whole = program("mla", "none")
    search = Searched(whole)
    assert [region.root for region in whole.regions] == ["A", "Y"]
    scores, values = (
        next(i for i, leaf in enumerate(region.leaves) if leaf.tensor == "W_DKV") for region in whole.regions
    )
    # absorbed on both sides: ((X W_Q) W_UK) (X W_DKV) and ((P (X W_DKV)) W_UV) W_O
    x, w_q, up, latent = (1 << i for i in (0, 1, 4, scores))
    one = ((x, w_q), (x | w_q, up), (latent >> 1, latent), (x | w_q | up, latent | latent >> 1))
    p, kept = 1, 1 << values
    two = ((kept >> 1, kept), (p, kept | kept >> 1), (p | kept | kept >> 1, 8), (15, 16))
    assert [leaf.tensor for leaf in whole.regions[0].leaves] == ["X", "W_Q", "X", "W_DKV", "W_UK"]
    assert [leaf.tensor for leaf in whole.regions[1].leaves] == ["P", "X", "W_DKV", "W_UV", "W_O"]
    (order,) = search.frontier((0, 1), Limits(brackets={0: one, 1: two})).orders
    s, t, h, d, c, k, v = (Poly.symbol(n) for n in ("S", "L", "H", "d_model", "d_c", "d_k", "d_v"))
    scores_cost = s * h * d * k + s * h * k * c + s * t * h * c
    values_cost = s * t * h * c + s * h * c * v + s * h * v * d
    assert order.flops == (scores_cost + values_cost + t * d * c) * 2


@pytest.mark.parametrize("name", ["mla", "mla+rope"])
def test_the_enumeration_of_other_tests_agrees(name: str) -> None:
    whole = program(name, "none")
    search = Searched(whole)
    group = search.sharing.groups[0]
    orders = search.frontier(group).orders if name == "mla" else []
    for point in whole.draws(random.Random(name), 6, lambda rng: rng.choice([1, 2, 5, 64])):
        count = Count(whole, [point])
        together = sum(int(count.least(everything(whole, g))[0]) for g in search.sharing.groups)
        assert together == least(graph_of(name, "none"), "best", point)
        for order in orders:
            assert evaluate(order.flops, point) >= together


@pytest.mark.parametrize("axes", ["h,s,k", "h,s"])
def test_a_product_that_stands_twice_in_one_region_is_paid_once(axes: str) -> None:
    more = f"""{OLD}
  - "N[h,s,k] = relu(O[h,s,k])"
  - "Y[{axes}] = Q[h,s,k] * Q[h,s,k] * N[h,s,k]\""""
    whole = Program(read(tiny(OLD, more)))
    search, index = Searched(whole), len(whole.regions) - 1
    assert [leaf.tensor for leaf in whole.regions[index].leaves] == ["X", "W_Q", "X", "W_Q", "N"]
    square = ((1, 2), (4, 8), (3, 12), (15, 16))
    (order,) = search.frontier((index,), Limits(brackets={index: square})).orders
    s, h, d, k = (Poly.symbol(n) for n in ("S", "H", "d_model", "d_k"))
    assert order.flops == (s * h * d * k + s * h * k * 2) * 2
    count = Count(whole, whole.draws(random.Random(3), 60))
    found = search.frontier((index,))
    assert same(lowest(count, (index,), found.orders), count.least(everything(whole, (index,))))
    together = next(group for group in search.sharing.groups if index in group)
    assert [whole.regions[other].root for other in together] == ["A", "Y"]  # Q is made for the scores too
    found = search.frontier(together)
    assert same(lowest(count, together, found.orders), count.least(everything(whole, together)))


def test_random_programs_that_share_in_odd_ways() -> None:
    shared = 0
    for seed in range(60):
        drawn = draw_program(seed)
        for caches in ("kept", "none") if drawn else ():
            try:
                whole = Program(drawn[1], "verify", caches, elementwise="omit" if seed % 3 == 0 else "count")
            except InputError:
                continue
            search = Searched(whole)
            for group in search.sharing.groups:
                ways = prod(odd_factorial(2 * len(whole.regions[index].leaves) - 3) for index in group)
                if len(group) > 1 and ways <= 5000:
                    count = Count(whole, whole.draws(random.Random(seed), 30))
                    found = search.frontier(group)
                    assert found.bracketings == ways
                    for order in found.orders:
                        values = [evaluate(order.flops, point) for point in count.points[:2]]
                        assert values == list(count.cost(chosen(group, order))[:2]), seed
                    assert same(lowest(count, group, found.orders), count.least(everything(whole, group))), seed
                    shared += 1
    assert shared > 15


# Too much to hold


def test_a_search_that_would_hold_too_much_ends_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 12)
    search = Searched(program("mla"))
    assert refused(search.frontier, (1,)) == (
        "the search of A, a product of 4 factors, holds more than 12 partial orders, none proved dearer than "
        "another; give sizes with --set, or leave outer products out with --no-outer"
    )
    point = next(iter(program("mla").draws(random.Random(1), 1)))
    assert len(Searched(program("mla"), point).frontier((1,)).orders) == 1
