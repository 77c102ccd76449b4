"""What an order search answers: closed forms worked out by hand, opt_einsum's own choice, counted pairs."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod

import opt_einsum
import pytest
from every_order import Count, Point, Program, trees
from samples import refused

from derivations.asked import order_asked
from derivations.atoms import evaluate
from derivations.conventions import Conventions
from derivations.costs import cost_of
from derivations.derivation import Study
from derivations.found import Boundary, Found, Group, Orders, boundaries_of
from derivations.library import load_variant
from derivations.orders import orders_of, orders_of_einsum
from derivations.partial import bracketing_of
from derivations.poly import Poly
from derivations.search import choose
from derivations.verdicts import Status

H, L, S, D, C, K, V, Q = (Poly.symbol(n) for n in ("H", "L", "S", "d_model", "d_c", "d_k", "d_v", "d_q"))


def asked(name: str, region: str | None = None, values: Point | None = None, **knobs: str) -> Orders:
    conventions = Conventions(**{"scope": "layer", **knobs})
    return orders_of(Study(load_variant(name), conventions, values or {}), region)


def group_of(found: Orders, root: str) -> Group:
    (group,) = (group for group in found.groups if root in group.roots)
    return group


def by_text(group: Group, text: str) -> Found:
    (order,) = (order for order in group.found if order.bracketing == text)
    return order


# Symbols: costs by hand


ABSORB, EXPAND = "(((X W_Q) W_UK) C)", "((X W_Q) (C W_UK))"
MERGED, TURNED, EARLY = "((X (W_Q W_UK)) C)", "(X ((W_Q W_UK) C))", "((X C) (W_Q W_UK))"


def test_the_orders_of_the_scores_of_mla_cost_what_their_steps_cost() -> None:
    group = group_of(asked("mla", phase="verify"), "A")
    assert group.bracketings == 15
    by_hand = {
        ABSORB: S * D * H * K + S * H * K * C + S * L * H * C,
        EXPAND: S * D * H * K + L * H * K * C + S * L * H * K,
        MERGED: S * D * H * C + S * L * H * C,
        TURNED: L * D * H * C + S * L * H * D,
        EARLY: S * L * D * C + S * L * D * H * C,
    }
    for text, cost in by_hand.items():
        order = by_text(group, text)
        assert order.flops == cost * 2
        assert order.verdict.status is Status.BEST
    never = by_text(group, "(X (W_Q (C W_UK)))")
    assert never.flops == (L * H * K * C + L * D * H * K + S * L * D * H) * 2
    assert never.verdict.status is Status.NEVER
    assert len(group.found) == len(by_hand) + 1


def test_whole_orders_say_what_they_form_and_which_named_ones_they_are() -> None:
    found = asked("mla")
    rows = {order.bracketing: (order.forms, order.member_of) for order in found.orders}
    values = {("(((P C) W_UV) W_O)"): "O", ("((P (C W_UV)) W_O)"): "V O", ("((P C) (W_UV W_O))"): ""}
    for (scores, one), (weighted, two) in product(
        {ABSORB: "Q", EXPAND: "Q K", MERGED: ""}.items(), values.items()
    ):
        forms = tuple(name for name in ("Q", "K", "V", "O") if name in f"{one} {two}".split())
        named = {("K" in forms, "V" in forms): ()}
        named |= {(True, True): ("expand",), (False, False): ("absorb",)}
        assert rows[f"A={scores}, Y={weighted}"] == (forms, named["K" in forms, "V" in forms])
    writes = S * D * C * 2
    assert all(order.flops.terms.items() >= evaluated(writes, S=1).terms.items() for order in found.orders)


def evaluated(poly: Poly, **values: int) -> Poly:
    return poly.map_symbols(lambda name: Poly.const(values[name]) if name in values else None)


def test_units_and_batches() -> None:
    flops, macs = asked("mla", phase="verify"), asked("mla", phase="verify", unit="macs")
    assert [o.bracketing for o in flops.orders] == [o.bracketing for o in macs.orders]
    for one, two in zip(flops.orders, macs.orders, strict=True):
        assert one.flops == two.flops * 2
        assert [m.flops for m in one.merged] == [m.flops * 2 for m in two.merged]
        assert [m.elements for m in one.merged] == [m.elements for m in two.merged]
    batched = asked("mla", values={"B": 7}, phase="verify")
    assert {o.bracketing: o.flops for o in batched.orders} == {o.bracketing: o.flops * 7 for o in flops.orders}


def test_tables_serve_the_whole_batch() -> None:
    """R_K W_UK has no sequence in it: one for all of them. So it is with what is made offline."""
    found = {order.bracketing: order.flops for order in asked("mla-rope-in-key", "K", {"B": 7}).orders}
    forms = L * C * H * K + L * H * K * K
    assert found["(R_K (C W_UK))"] == forms * 2 * 7
    turned = {text: cost for text, cost in found.items() if text == "((R_K W_UK) C)"}
    assert turned == {"((R_K W_UK) C)": (L * K * K * H * C + L * H * C * K * 7) * 2}


def test_prefill_and_decode_put_the_phase_into_the_costs() -> None:
    whole = {o.bracketing: o.flops for o in group_of(asked("mla", phase="verify"), "A").found}
    decode = {o.bracketing: o.flops for o in group_of(asked("mla"), "A").found}
    prefill = {o.bracketing: o.flops for o in group_of(asked("mla", phase="prefill"), "A").found}
    assert whole.keys() == decode.keys() == prefill.keys()
    for text, cost in whole.items():
        assert decode[text] == evaluated(cost, S=1)
        assert prefill[text] == cost.map_symbols({"S": L}.get)


# Products by name


@pytest.mark.parametrize(
    ("name", "region", "factors", "bracketings"),
    [
        ("mla", "A", ["X W_Q C W_UK"], [15]),
        ("mla", "Y", ["P C W_UV W_O"], [15]),
        ("mla", "C", ["X W_DKV"], [1]),
        ("mla", "K", ["C W_UK"], [1]),
        ("mla", "O", ["P C W_UV"], [3]),
        ("mla+query-latent", "Q", ["X W_DQ W_UQ"], [3]),
        ("mla+rope", "A", ["X W_Q C W_UK", "X W_QR K_R"], [15, 3]),
        ("mla-rope-in-key", "K", ["R_K C W_UK"], [3]),
        ("dsa", "I", ["X W_IH E"], [3]),
    ],
)
def test_a_product_by_its_result_or_a_named_intermediate(
    name: str, region: str, factors: list[str], bracketings: list[int]
) -> None:
    found = asked(name, region, phase="verify")
    spaces = [space for group in found.groups for space in group.spaces]
    assert [" ".join(leaf.tensor for leaf in space.region.leaves) for space in spaces] == factors
    assert [group.bracketings for group in found.groups] == bracketings
    if len(factors) == 1:
        assert [order.bracketing for order in sorted(found.orders, key=lambda o: o.choice)] == [
            order.bracketing for order in found.groups[0].found
        ]


def test_a_product_inside_another_costs_what_its_own_steps_cost() -> None:
    found = asked("mla", "O", phase="verify")
    first, second = S * L * H * C + S * H * C * V, L * H * C * V + S * L * H * V
    assert {order.flops for order in found.orders} == {first * 2, second * 2}
    assert {order.forms for order in found.orders} == {(), ("V",)}


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ("Z", "unknown product of mla 'Z'; known: A, C, K, O, Q, V, Y"),
        ("P", "unknown product of mla 'P'; known: A, C, K, O, Q, V, Y"),
        ("X", "unknown product of mla 'X'; known: A, C, K, O, Q, V, Y"),
        ("", "unknown product of mla ''; known: A, C, K, O, Q, V, Y"),
    ],
)
def test_what_is_no_product(region: str, message: str) -> None:
    assert refused(asked, "mla", region) == message


# The bracketing of a whole order is what --order takes


ROUND = [
    ("mla", "kept"),
    ("mla+rope", "kept"),
    ("gqa", "none"),
    ("./tests/variants/gla.yaml", "kept"),
]


@pytest.mark.parametrize(("name", "caches"), ROUND)
def test_the_bracketing_of_a_whole_order_asks_for_it(name: str, caches: str) -> None:
    conventions = Conventions(scope="layer", phase="prefill", caches=caches)
    found = asked(name, phase="prefill", caches=caches)
    graph = found.groups[0].spaces[0].graph
    for order in found.orders[:12]:
        chosen = choose(graph, order.bracketing, found.groups[0].spaces[0].sizes)
        assert chosen.forms == order.forms
        assert cost_of(graph, chosen, conventions).flops == order.flops


@pytest.mark.parametrize(
    ("name", "region"), [("mla", "A"), ("mla-rope-in-key", "A"), ("./tests/variants/tpa.yaml", "Y")]
)
@pytest.mark.parametrize("caches", ["kept", "none"])
def test_a_bracketing_is_read_back_as_the_same_tree(name: str, region: str, caches: str) -> None:
    """Where a tensor stands twice too: another one of the two is another product."""
    whole = Program(name, caches=caches)
    index = next(i for i, r in enumerate(whole.regions) if r.root == region)
    space = whole.spaces()[index]
    for tree in random.Random(2).sample(trees(len(space.region.leaves)), 15):
        read = order_asked(whole.graph, f"{region}={bracketing_of(space, tree)}").brackets[index]
        assert set(read) == set(tree), bracketing_of(space, tree)


# Some sizes known, all sizes known


@pytest.mark.parametrize("name", ["mla", "mla+query-latent", "gqa", "dsa", "./tests/variants/late-rope.yaml"])
@pytest.mark.parametrize("phase", ["decode", "verify", "prefill"])
def test_with_all_sizes_the_one_order_left_is_the_least(name: str, phase: str) -> None:
    whole = Program(name, phase)
    for point in whole.draws(random.Random(f"{name} {phase}"), 4):
        found = asked(name, values=point, phase=phase)
        (order,) = found.orders
        assert found.numeric
        assert (order.verdict.status, order.verdict.witness) == (Status.BEST, {})
        count = Count(whole, [point])
        every = {i: trees(len(region.leaves)) for i, region in enumerate(whole.regions)}
        least = sum(
            int(count.least({i: every[i] for i in (whole.regions.index(s.region) for s in group.spaces)})[0])
            for group in found.groups
        )
        assert order.flops == least
        assert all(len(group.found) == 1 for group in found.groups)


def test_with_one_size_left_the_verdicts_are_about_it() -> None:
    whole = Program("mla", "verify")
    values = {"H": 20, "d_model": 2048, "d_k": 192, "d_v": 256, "d_c": 512, "L": 10**6}
    found = asked("mla", values=values, phase="verify")
    assert {name for order in found.orders for name in (order.verdict.witness or {})} == {"S"}
    witnesses = {
        order.bracketing: order.verdict.witness["S"] for order in found.orders if order.verdict.witness
    }
    switch = {ABSORB: lambda s: s <= 307, EXPAND: lambda s: s >= 308}
    assert {text.split(", ")[0].removeprefix("A=") for text in witnesses} == set(switch)
    for text, queries in witnesses.items():
        assert switch[text.split(", ")[0].removeprefix("A=")](queries)
        assert ("(P (C W_UV))" in text) == (queries >= 512)
        count = Count(whole, [{**values, "S": queries}])
        for group in found.groups:
            index = whole.regions.index(group.spaces[0].region)
            least = int(count.least({index: trees(len(whole.regions[index].leaves))})[0])
            assert least == min(evaluate(order.flops, {"S": queries}) for order in group.found)
    assert len(witnesses) == 3  # absorb both, expand K alone, expand both


# Keys and values switch apart


SPLIT = {"H": 20, "d_model": 2048, "d_k": 192, "d_v": 256, "d_c": 512}
LONG = 10**6
"""With d_k = 192, d_v = 256, d_c = 512 the switches are at 307.2 and 512 as L grows without end."""


def switch(width: int, context: int) -> Fraction:
    """S (d_c d + L (d_c - d)) = L d_c d."""
    latent = SPLIT["d_c"]
    return Fraction(context * latent * width, latent * width + context * (latent - width))


@pytest.mark.parametrize(
    ("queries", "formed"),
    [
        (1, set()),
        (307, set()),
        (308, {"K"}),
        (511, {"K"}),
        (512, {"K", "V"}),
        (513, {"K", "V"}),
        (LONG, {"K", "V"}),
    ],
)
def test_keys_and_values_are_expanded_from_different_numbers_of_queries_on(
    queries: int, formed: set[str]
) -> None:
    assert 307 < switch(192, LONG) < 308
    assert 511 < switch(256, LONG) < 512
    assert switch(192, 10**15) == pytest.approx(192 * 512 / (512 - 192))
    assert switch(256, 10**15) == pytest.approx(256 * 512 / (512 - 256))
    (order,) = asked("mla", values={**SPLIT, "L": LONG, "S": queries}, phase="verify").orders
    assert set(order.forms) & {"K", "V"} == formed


def first_pair(expression: str, **sizes: int) -> frozenset[str]:
    """What opt_einsum's dynamic programming, outer products allowed, multiplies first."""
    operands = expression.split("->")[0].split(",")
    shapes = [tuple(sizes[index] for index in operand) for operand in operands]
    search = opt_einsum.DynamicProgramming(minimize="flops", search_outer=True)
    path, _ = opt_einsum.contract_path(expression, *shapes, shapes=True, optimize=search)
    return frozenset(operands[place] for place in path[0])


@pytest.mark.parametrize("context", [10**6, 4096, 600])
def test_opt_einsum_switches_at_the_same_numbers(context: int) -> None:
    chains = (
        ("hsk,hck,tc->hst", {"hsk", "hck"}, {"hck", "tc"}, 192, "K"),
        ("hst,tc,hcv->hsv", {"hst", "tc"}, {"tc", "hcv"}, 256, "V"),
    )
    for expression, absorbed, expanded, width, name in chains:
        at = switch(width, context)
        for queries in {1, int(at), int(at) + 1, context}:
            if queries > context or queries == at:
                continue
            lengths = {"h": 20, "s": queries, "t": context, "k": 192, "v": 256, "c": 512}
            sizes = {index: lengths[index] for index in expression if index in lengths}
            pair = first_pair(expression, **sizes)
            assert pair == frozenset(absorbed if queries < at else expanded), queries
            (order,) = asked("mla", values={**SPLIT, "L": context, "S": queries}, phase="verify").orders
            assert (name in order.forms) == (queries > at), queries
            (found,) = orders_of_einsum(expression, values=sizes).orders
            held = [
                set(part.split())
                for part in found.bracketing.replace("(", ")").split(")")
                if " " in part.strip()
            ]
            assert set(pair) in held


# Boundaries


def crossing(group: Group, one: str, two: str) -> Boundary:
    pair = {group.found.index(by_text(group, one)), group.found.index(by_text(group, two))}
    (boundary,) = (b for b in boundaries_of(group) if {b.first, b.second} == pair)
    return boundary


def sizes(rng: random.Random) -> dict[str, int]:
    narrow = rng.randint(2, 300)
    return {
        "H": rng.randint(1, 64), "L": rng.randint(2000, 10**6), "S": rng.randint(1, 2000), "d_k": narrow,
        "d_v": narrow + rng.randint(0, 9), "d_c": narrow + rng.randint(20, 600),
        "d_model": rng.randint(2, 9000), "d_q": rng.randint(2, 2000),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("root", "one", "two", "width"),
    [("A", ABSORB, EXPAND, "d_k"), ("Y", "(((P C) W_UV) W_O)", "((P (C W_UV)) W_O)", "d_v")],
)
def test_absorbing_and_expanding_meet_at_the_known_number_of_queries(root, one, two, width) -> None:
    group = group_of(asked("mla", phase="verify"), root)
    boundary = crossing(group, one, two)
    assert boundary.crossover.symbol == "S"
    (solution,) = boundary.crossover.solutions
    assert (solution.below, solution.above) == ("order 1", "order 2")
    for point in map(sizes, [random.Random(3)] * 20):
        latent, narrow, context = point["d_c"], point[width], point["L"]
        expected = Fraction(context * latent * narrow, latent * narrow + context * (latent - narrow))
        assert solution.root.value(point) == expected
        assert solution.limit.value(point) == Fraction(latent * narrow, latent - narrow)
        assert all(condition.holds(point) for condition in solution.conditions)
        wide = {**point, "d_c": narrow}
        assert not all(condition.holds(wide) for condition in solution.conditions)


def test_merging_pays_below_a_key_width() -> None:
    """(d_c + d_q) d_k = d_c d_q: two steps through the heads' keys, or one merged weight."""
    group = group_of(asked("mla+query-latent"), "A")
    apart, merged = "((((X W_DQ) W_UQ) W_UK) C)", "(((X W_DQ) (W_UQ W_UK)) C)"
    boundary = crossing(group, apart, merged)
    assert boundary.crossover.symbol == "d_k"
    (solution,) = boundary.crossover.solutions
    assert solution.conditions == ()
    number = {f"order {n + 1}": order.bracketing for n, order in enumerate(group.found)}
    assert (number[solution.below], number[solution.above]) == (apart, merged)
    for point in map(sizes, [random.Random(4)] * 20):
        latent, query = point["d_c"], point["d_q"]
        assert solution.root.value(point) == Fraction(latent * query, latent + query)
    assert by_text(group, apart).merged == ()
    (made,) = by_text(group, merged).merged
    assert made.text == "(W_UQ W_UK)"
    assert made.flops == H * Q * K * C * 2
    assert made.elements == H * Q * C
    assert made.replaces == H * Q * K + H * C * K


def ways(sizes: Mapping[str, int], factors: list[tuple[str, ...]], output: set[str]) -> int:
    """The least FLOPs of a product, by opt_einsum."""
    names = sorted({name for factor in factors for name in factor})
    letter = {name: opt_einsum.get_symbol(n) for n, name in enumerate(names)}
    inputs = ["".join(letter[name] for name in factor) for factor in factors]
    expression = ",".join(inputs) + "->" + "".join(letter[name] for name in sorted(output))
    shapes = [tuple(sizes[name] for name in factor) for factor in factors]
    search = opt_einsum.DynamicProgramming(minimize="flops", search_outer=True)
    path, _ = opt_einsum.contract_path(expression, *shapes, shapes=True, optimize=search)
    held, flops = [set(factor) for factor in factors], 0
    for pair in path:
        one, two = (held.pop(place) for place in sorted(pair, reverse=True))
        flops += 2 * prod(sizes[name] for name in one | two)
        held.append((one | two) & (output | set().union(*held)))
    return flops


def test_what_is_made_offline_is_made_the_cheap_way() -> None:
    """W_DQ W_UQ W_UK in one: 2 H d_model d_k (d_q + d_c), and not over all five widths at once."""
    typical = {"h": 128, "d": 7168, "q": 1536, "k": 128, "c": 512}
    values = {"H": 128, "d_model": 7168, "d_q": 1536, "d_k": 128, "d_c": 512}
    least = ways(typical, [("d", "q"), ("h", "q", "k"), ("h", "c", "k")], {"h", "d", "c"})
    assert least == 2 * 128 * 7168 * 128 * (1536 + 512)
    three = [
        merged
        for order in group_of(asked("mla+query-latent"), "A").found
        for merged in order.merged
        if {"W_DQ", "W_UQ", "W_UK"} <= set(merged.text.replace("(", " ").replace(")", " ").split())
    ]
    assert three
    assert {evaluate(merged.flops, values) for merged in three} == {least}


BOUNDED = [
    ("mla", "verify", None),
    ("mla+query-latent", "decode", "A"),
    ("gqa", "prefill", None),
    ("mqa", "verify", None),
    ("./tests/variants/tpa.yaml", "decode", "A"),
    ("./tests/variants/late-rope.yaml", "decode", "Y"),
]


@pytest.mark.parametrize(("name", "phase", "region"), BOUNDED)
def test_boundaries_lie_between_neighbours(name: str, phase: str, region: str | None) -> None:
    whole = Program(name, phase)
    found = asked(name, region, phase=phase)
    seen = 0
    for group in found.groups:
        costs = [order.flops for order in group.found]
        for boundary in boundaries_of(group):
            seen += 1
            edge, crossover = boundary.edge, boundary.crossover
            assert {edge.first, edge.second} == {boundary.first, boundary.second}
            further = {**edge.point, edge.symbol: edge.point[edge.symbol] + 1}
            assert whole.legal(edge.point)
            assert whole.legal(further)
            here, there = ([evaluate(cost, point) for cost in costs] for point in (edge.point, further))
            assert here[edge.first] < min(value for n, value in enumerate(here) if n != edge.first)
            assert there[edge.second] == min(there)
            assert {n for n, value in enumerate(there) if value == min(there)} <= {edge.first, edge.second}
            assert crossover is not None
            assert crossover.difference == costs[boundary.first] - costs[boundary.second]
            for solution in crossover.solutions:
                check_solution(
                    whole, crossover, solution, costs[boundary.first], costs[boundary.second], boundary
                )
            if not crossover.solutions and crossover.decided_by is not None:
                for point in whole.draws(random.Random(5), 40):
                    if crossover.decided_by.holds(point):
                        assert evaluate(costs[boundary.first], point) > evaluate(costs[boundary.second], point)
    assert seen


def check_solution(whole: Program, crossover, solution, first: Poly, second: Poly, boundary: Boundary) -> None:
    """At the root the costs are equal; below and above it, the one that is named is cheaper."""
    cheaper = {f"order {boundary.first + 1}": first, f"order {boundary.second + 1}": second}
    for point in whole.draws(random.Random(6), 60):
        if not all(condition.holds(point) for condition in solution.conditions):
            continue
        root = solution.root.value(point)
        assert root is not None
        assert root > 0
        if crossover.symbol == "S":
            assert root < point["L"]
        if solution.root.ratio is not None:
            exact = {**point, crossover.symbol: root}
            assert evaluate(first, exact) == evaluate(second, exact)
        for factor, side in ((Fraction(99, 100), solution.below), (Fraction(101, 100), solution.above)):
            moved = {**point, crossover.symbol: root * factor}
            (other,) = (cost for text, cost in cheaper.items() if text != side)
            if len(crossover.solutions) == 1:
                assert evaluate(cheaper[side], moved) < evaluate(other, moved), (point, solution)


# Causal pairs


def counted_pairs(queries: int, context: int) -> int:
    """The queries are the last tokens, and each sees itself and what is before it."""
    positions = range(context)
    return sum(1 for query in positions[context - queries :] for token in positions if token <= query)


def test_causal_scores_count_the_pairs_that_are_seen() -> None:
    group = group_of(asked("mla", phase="verify", pairs="causal"), "A")
    pairs = L * S - S * (S - 1) * Fraction(1, 2)
    assert by_text(group, ABSORB).flops == (S * D * H * K + S * H * K * C + pairs * H * C) * 2
    assert by_text(group, EXPAND).flops == (S * D * H * K + L * H * K * C + pairs * H * K) * 2
    rng = random.Random(8)
    for _ in range(30):
        context = rng.randint(1, 60)
        queries = rng.randint(1, context)
        assert evaluate(pairs, {"S": queries, "L": context}) == counted_pairs(queries, context)


@pytest.mark.parametrize(
    ("name", "phase"), [("mla", "verify"), ("mla", "prefill"), ("gqa", "verify"), ("mqa", "decode")]
)
def test_causal_costs_at_random_sizes(name: str, phase: str) -> None:
    whole = Program(name, phase, pairs="causal")
    found = asked(name, "A", phase=phase, pairs="causal")
    count = Count(whole, whole.draws(random.Random(1), 25, lambda rng: rng.randint(1, 60)))
    for group in found.groups:
        index = whole.regions.index(group.spaces[0].region)
        costs = [count.cost({index: order.trees[0]}) for order in group.found]
        for order, cost in zip(group.found, costs, strict=True):
            assert [evaluate(order.flops, point) for point in count.points] == list(cost)
        least = count.least({index: trees(len(whole.regions[index].leaves))})
        assert [min(values) for values in zip(*costs, strict=True)] == list(least)


# Too much


def test_too_many_whole_orders_end_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("derivations.orders.MOST_ORDERS", 24)
    assert refused(asked, "mla") == (
        "the products have 25 orders together that may be best, more than 24 to decide; give sizes with "
        "--set or --model, or ask for one product with --region"
    )


def test_boundaries_of_very_many_neighbours_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    group = group_of(asked("mla"), "A")
    assert boundaries_of(group)
    monkeypatch.setattr("derivations.found.MOST_NEIGHBOURS", 4)
    assert boundaries_of(group) is None


def test_progress_is_told() -> None:
    told: list[str] = []
    study = Study(load_variant("mla"), Conventions(scope="layer"), {})
    orders_of(study, "A", progress=told.append)
    assert told[0] == "searching A"
    assert told[-1] == "deciding A: 6 of 6"
