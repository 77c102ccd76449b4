"""Verdicts: a witness where brute force agrees, a certificate that holds when it is multiplied out by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice

import numpy as np
import pytest
from every_order import Count, Images, Point, Program, Terms, expanded, trees

from derivations.atoms import evaluate
from derivations.contest import Contest
from derivations.derivation import Study
from derivations.domain import coordinates
from derivations.farkas import check
from derivations.found import Found, Group, Orders
from derivations.frontier import Joint
from derivations.library import load_variant
from derivations.orders import orders_of
from derivations.pages.verdicts import whole_weights
from derivations.points import Domain
from derivations.poly import Poly
from derivations.sizechecks import check_sizes
from derivations.transform import assuming
from derivations.verdicts import Certificate, Status

PHASES = ("decode", "verify", "prefill")
OWN = "./tests/variants/{}.yaml"

CASES = [
    # variant, phase, caches, region, assumptions
    *(("mla", phase, "kept", None, ()) for phase in PHASES),
    *(("gqa", phase, "kept", None, ()) for phase in PHASES),
    *(("mqa", phase, "kept", None, ()) for phase in PHASES),
    ("mla+query-latent", "decode", "kept", None, ()),
    ("mla", "decode", "kept", None, ("d_k <= d_c", "d_c <= d_model")),
    ("mla", "verify", "kept", None, ("d_k = d_v", "2*d_k < d_c")),
    ("mla", "prefill", "kept", "A", ("d_k <= d_c/2",)),
    ("mla", "verify", "none", "A", ()),
    ("mqa", "prefill", "none", None, ()),
    ("dsa", "prefill", "kept", "A", ()),
    ("dsa", "decode", "kept", "A_I", ()),
    (OWN.format("gated"), "verify", "kept", None, ()),
    (OWN.format("gla"), "prefill", "kept", None, ()),
    (OWN.format("gta"), "decode", "kept", None, ()),
    (OWN.format("late-rope"), "decode", "kept", "A", ()),
    (OWN.format("tpa"), "decode", "kept", "A", ()),
    (OWN.format("two-contexts"), "decode", "kept", None, ()),
]
ASSUMED: Mapping[tuple[str, ...], tuple[Images, Callable[[dict[str, int]], None] | None]] = {
    (): ({}, None),
    ("d_k <= d_c", "d_c <= d_model"): (
        {
            "d_c": {"d_k": 1, "more c": 1, "": 1},
            "d_model": {"d_k": 1, "more c": 1, "more m": 1, "": 1},
        },
        lambda point: point.update(
            d_c=point["d_c"] + point["d_k"], d_model=point["d_model"] + point["d_k"] + point["d_c"]
        ),
    ),
    ("d_k = d_v", "2*d_k < d_c"): (
        {"d_v": {"d_k": 1, "": 1}, "d_c": {"d_k": 2, "more": 1, "": 3}},
        lambda point: point.update(d_v=point["d_k"], d_c=point["d_c"] + 2 * point["d_k"]),
    ),
    ("d_k <= d_c/2",): (
        {"d_c": {"d_k": 2, "more": 1, "": 2}},
        lambda point: point.update(d_c=point["d_c"] + 2 * point["d_k"] - 1),
    ),
}
"""Sizes as the least that the assumptions leave them plus something that is not negative, worked out here;
and how drawn sizes are made to fit them."""


def label(case) -> str:
    name, phase, caches, region, texts = case
    return " ".join((name.split("/")[-1], phase, caches, region or "", *texts))


@cache
def searched(
    name: str, phase: str, caches: str, region: str | None, texts: tuple[str, ...]
) -> tuple[Program, Orders]:
    whole = Program(name, phase, caches, assume=texts, shape=ASSUMED[texts][1])
    return whole, orders_of(Study(assuming(load_variant(name), texts), whole.conventions, {}), region)


def places(whole: Program, group: Group) -> tuple[int, ...]:
    """Where the regions of a group stand in the program."""
    return tuple(whole.regions.index(space.region) for space in group.spaces)


def slack_images(phase: str, texts: tuple[str, ...]) -> Images:
    return {**({"L": {"S": 1, "more L": 1, "": 1}} if phase == "verify" else {}), **ASSUMED[texts][0]}


def plus(one: Terms, two: Terms) -> Terms:
    return {monomial: one.get(monomial, 0) + two.get(monomial, 0) for monomial in one.keys() | two.keys()}


def all_trees(whole: Program, group: Sequence[int]) -> Mapping[int, Sequence]:
    return {index: trees(len(whole.regions[index].leaves)) for index in group}


# Real programs


@pytest.mark.parametrize("case", CASES, ids=label)
def test_every_order_has_a_verdict_with_its_reason(case) -> None:
    _, found = searched(*case)
    counts = [found.count(status) for status in Status]
    assert sum(counts) == len(found.orders) > 0
    for order in (*found.orders, *(order for group in found.groups for order in group.found)):
        verdict = order.verdict
        assert (verdict.witness is not None) == (verdict.status is Status.BEST)
        assert (verdict.certificate is not None) == (verdict.status is Status.NEVER)
    alive = [
        {n for n, order in enumerate(group.found) if order.verdict.status is not Status.NEVER}
        for group in found.groups
    ]
    listed = {order.choice for order in found.orders}
    if len(found.groups) > 1:
        assert len(listed) == len(found.orders) == np.prod([len(numbers) for numbers in alive])
        assert all(number in alive[g] for choice in listed for g, number in enumerate(choice))
    for order in found.orders:
        parts = [found.groups[g].found[n] for g, n in enumerate(order.choice)]
        assert order.flops == sum((part.flops for part in parts), Poly())
        if order.verdict.status is Status.BEST:
            assert all(part.verdict.status is Status.BEST for part in parts)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_at_its_witness_an_order_is_the_only_cheapest_of_all_trees(case) -> None:
    whole, found = searched(*case)
    for group in found.groups:
        index = places(whole, group)
        best = [(n, order) for n, order in enumerate(group.found) if order.verdict.status is Status.BEST]
        points = []
        for _, order in best:
            check_sizes(whole.variant, order.verdict.witness, whole.conventions)
            points.append(whole.whole(order.verdict.witness))
            check_sizes(whole.variant, points[-1], whole.conventions)
        if not points:
            continue
        count = Count(whole, points)
        least = count.least(all_trees(whole, index))
        costs = [count.cost(dict(zip(index, order.trees, strict=True))) for order in group.found]
        for place, (n, order) in enumerate(best):
            assert costs[n][place] == least[place], order.bracketing
            assert all(costs[m][place] > least[place] for m in range(len(costs)) if m != n), order.bracketing
            assert costs[n][place] == evaluate(order.flops, points[place])


@pytest.mark.parametrize("case", CASES, ids=label)
def test_at_its_witness_no_order_costs_less(case) -> None:
    """Those too that were dropped because they are nowhere cheaper than one that was kept."""
    whole, found = searched(*case)
    others = list(whole.draws(random.Random(4), 3))
    for group in found.groups:
        index = places(whole, group)
        best = [order for order in group.found if order.verdict.status is Status.BEST]
        if len(index) == 1 and len(whole.regions[index[0]].leaves) <= 5:
            count = Count(whole, [*(whole.whole(order.verdict.witness) for order in best), *others])
            every = [list(count.cost({index[0]: tree})) for tree in trees(len(whole.regions[index[0]].leaves))]
            for place, order in enumerate(best):
                own = list(count.cost({index[0]: order.trees[0]}))
                assert all(cost[place] >= own[place] for cost in every), order.bracketing
                as_cheap = [cost for cost in every if cost[place] == own[place]]
                assert all(
                    one >= two for cost in as_cheap for one, two in zip(cost[-3:], own[-3:], strict=True)
                )


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_whole_order_is_cheapest_in_every_product_at_its_witness(case) -> None:
    whole, found = searched(*case)
    for order in found.orders:
        if order.verdict.status is Status.BEST:
            check_sizes(whole.variant, order.verdict.witness, whole.conventions)
            for g, group in enumerate(found.groups):
                values = [evaluate(other.flops, order.verdict.witness) for other in group.found]
                assert None not in values
                own = values[order.choice[g]]
                assert [value <= own for value in values].count(True) == 1, order.bracketing


@pytest.mark.parametrize("case", CASES, ids=label)
def test_what_wins_at_random_sizes_is_never_said_to_be_never_best(case) -> None:
    whole, found = searched(*case)
    count = Count(whole, whole.draws(random.Random(9), 250))
    winners: list[list[int | None]] = [[] for _ in count.points]
    for group in found.groups:
        index = places(whole, group)
        costs = [count.cost(dict(zip(index, order.trees, strict=True))) for order in group.found]
        for place, values in enumerate(zip(*costs, strict=True)):
            won = values.index(min(values)) if values.count(min(values)) == 1 else None
            winners[place].append(won)
            if won is not None:
                assert group.found[won].verdict.status is not Status.NEVER, count.points[place]
    status = {order.choice: order.verdict.status for order in found.orders}
    for place, choice in enumerate(winners):
        if None not in choice:
            assert status[tuple(choice)] is not Status.NEVER, count.points[place]


def certified(found: Orders) -> list[tuple[Sequence[Group], Found, Certificate]]:
    """Orders that are never best, with the groups their choice counts in."""
    listed = [((group,), order) for group in found.groups for order in group.found]
    if len(found.groups) > 1:
        listed += [(found.groups, order) for order in found.orders]
    return [(groups, o, o.verdict.certificate) for groups, o in listed if o.verdict.certificate is not None]


@pytest.mark.parametrize("case", CASES, ids=label)
def test_certificates_hold_when_they_are_multiplied_out(case) -> None:
    """Sum over the rivals of weight x (this cost - the rival's), with a slack put for each size."""
    _, found = searched(*case)
    images = slack_images(case[1], case[4])
    for groups, order, certificate in certified(found):
        weights = whole_weights(found, certificate.parts)
        assert any(weights)
        # to clear all fractions alike, everything is multiplied out over one denominator
        total = Poly()
        for part, weight in zip(certificate.parts, weights, strict=True):
            own = groups[part.group].found[order.choice[part.group]]
            assert part.rival != order.choice[part.group]
            total = total + weight * (own.flops - groups[part.group].found[part.rival].flops)
            assert all(value >= 0 for value in expanded(weight, images).values()), order.bracketing
        assert all(value >= 0 for value in expanded(total, images).values()), order.bracketing


@pytest.mark.parametrize("case", CASES, ids=label)
def test_where_an_order_is_never_best_a_rival_costs_no_more(case) -> None:
    whole, found = searched(*case)
    points = list(whole.draws(random.Random(6), 120))
    for groups, order, certificate in certified(found):
        for point in points[:: 1 + len(found.orders) // 20]:
            costs = [
                (evaluate(groups[p.group].found[p.rival].flops, point),
                 evaluate(groups[p.group].found[order.choice[p.group]].flops, point))
                for p in certificate.parts
            ]  # fmt: skip
            assert any(rival <= own for rival, own in costs), (order.bracketing, point)


Columns = list[dict[int, object]]


def columns(groups: Sequence[Group], order: Found, certificate: Certificate) -> Columns:
    """Each difference times its weight, in the package's slack coordinates."""
    found = []
    for part in certificate.parts:
        choices = groups[part.group].contest.groups[0]
        own, rival = choices[order.choice[part.group]], choices[part.rival]
        found.append(((Poly(own.slack) - Poly(rival.slack)) * part.weight).terms)
    return found


@pytest.mark.parametrize("case", CASES[:11], ids=label)
def test_tampered_certificates_are_rejected(case) -> None:
    _, found = searched(*case)
    listed = certified(found)
    for groups, order, certificate in listed:
        given = columns(groups, order, certificate)
        ones = [Fraction(1)] * len(given)
        assert check(given, ones)
        total: dict[int, object] = {}
        for monomial, value in (item for column in given for item in column.items()):
            total[monomial] = total.get(monomial, 0) + value
        # turned round it says that the order is nowhere dearer, which is true where the costs are the same
        assert check([{m: -value for m, value in column.items()} for column in given], ones) is not any(
            total.values()
        )
        assert not check(given, [Fraction(0)] * len(given))
        assert not check(given, [-one for one in ones])
        assert not check(given, [*ones[:-1], Fraction(-1, 10**9)])
        assert not check(given, ones[1:])
        assert not check(given, [*ones, Fraction(1)])
        largest = max(value for column in given for value in column.values())
        for place, column in enumerate(given):
            for monomial in column:
                dearer = [dict(other) for other in given]
                dearer[place][monomial] -= 2 * len(given) * largest
                assert not check(dearer, ones)
    assert listed or case[0] in ("gqa", "mqa")


@pytest.mark.parametrize("case", CASES[:11], ids=label)
def test_no_certificate_fits_an_order_that_can_be_best(case) -> None:
    _, found = searched(*case)
    for group in found.groups:
        (choices,) = group.contest.groups
        for _, _, certificate in certified(replace(found, groups=(group,), orders=group.found)):
            for n, other in enumerate(group.found):
                rivals = [part.rival for part in certificate.parts]
                if other.verdict.status is Status.BEST and n not in rivals:
                    moved = [
                        ((Poly(choices[n].slack) - Poly(choices[part.rival].slack)) * part.weight).terms
                        for part in certificate.parts
                    ]
                    assert not check(moved, [Fraction(1)] * len(moved))


def test_everything_about_mla_at_decode_is_decided() -> None:
    _, found = searched("mla", "decode", "kept", None, ())
    assert found.bracketings == 15 * 15
    assert found.count(Status.UNDECIDED) == 0
    best = [order for order in found.orders if order.verdict.status is Status.BEST]
    assert all(order.verdict.witness for order in best)
    assert {order.member_of for order in best} >= {("absorb",), ("expand",), ()}
    assert list(found.orders[: len(best)]) == best


# Small contests


def contest(*costs: Poly, facts: tuple[Poly, ...] = (), names: str = "xyz") -> Contest:
    system = coordinates(facts, True)
    choices = [Joint((((1, 2),),), cost, system.expand(cost).terms, (), 0) for cost in costs]
    return Contest([choices], Domain(names, facts))


X, Y, Z = (Poly.symbol(name) for name in "xyz")
N = 4099


@pytest.mark.parametrize(
    ("costs", "status"),
    [
        ((X * 2, Y * 2, X + Y), ("best", "best", "never")),
        ((X * 2, Y * 2, Z * 2, X + Y + Z), ("best", "best", "best", "undecided or never")),
        ((X * 3, Y * 3, Z * 3, X + Y + Z), ("best", "best", "best", "never")),
        ((X * X, Y * Y, X * Y), ("best", "best", "never")),
        ((X * X + Y * Y, X * Y * 2 + 1), ("best", "best")),
        ((X * X + Y * Y, X * Y * 2), ("undecided or never", "best")),
        ((X * Y, X + Y), ("best", "best")),
        ((X * Y + 1, X + Y), ("never", "best")),
        ((X * 100, Y, X + Y * 5), ("best", "best", "best or never")),
        ((X, X * Y, X * Y * Z), ("best", "never", "never")),
        ((X,), ("best",)),
    ],
)
def test_small_contests(costs, status) -> None:
    decided = contest(*costs)
    for n, allowed in enumerate(status):
        verdict = decided.decide((n,))
        assert str(verdict.status) in allowed.split(" or "), (n, verdict)
        if verdict.witness is not None:
            values = [evaluate(cost, verdict.witness) for cost in costs]
            assert values.count(min(values)) == 1
            assert values[n] == min(values)
        if verdict.certificate is not None:
            total: Terms = {}
            for part in verdict.certificate.parts:
                assert all(value > 0 for value in part.weight.terms.values())
                weight = part.weight.map_symbols(lambda name: Poly.symbol(name) - 1)
                total = plus(total, expanded(weight * (costs[n] - costs[part.rival]), {}))
            assert all(value >= 0 for value in total.values())


@pytest.mark.parametrize("number", [1, 2, 7, 64, 1000, N, 10**6 + 3])
def test_what_wins_at_one_number_only_is_never_called_never_best(number: int) -> None:
    """(x - n)^2 < 1 at x = n alone: no certificate may deny it."""
    verdict = contest(X * X + number * number, X * 2 * number + 1, names="x").decide((0,))
    assert verdict.status is not Status.NEVER
    if verdict.witness is not None:
        assert verdict.witness == {"x": number}


def test_facts_decide() -> None:
    costs = (X * 2 + 1, Y * 2)
    assert contest(*costs).decide((0,)).status is Status.BEST
    below = contest(*costs, facts=(X - Y,))
    assert below.decide((0,)).status is Status.NEVER
    verdict = below.decide((1,))
    assert verdict.status is Status.BEST
    assert verdict.witness["x"] >= verdict.witness["y"]


def test_an_order_of_two_products_is_best_where_both_are() -> None:
    """First in one product needs x < y, first in the other y < x."""
    system = coordinates((), True)
    groups = [
        [Joint((((1, 2),),), cost, system.expand(cost).terms, (), 0) for cost in costs]
        for costs in ((X, Y), (Y, X), (Y * 2, X + Z))
    ]
    together = Contest(groups, Domain("xyz"))
    verdicts = {cell: together.decide(cell) for cell in np.ndindex(2, 2, 2)}
    assert {cell for cell, v in verdicts.items() if v.status is Status.BEST} == {
        (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1),
    }  # fmt: skip
    for cell, verdict in verdicts.items():
        if verdict.witness is not None:
            for group, choice in zip(groups, cell, strict=True):
                values = [evaluate(joint.flops, verdict.witness) for joint in group]
                assert values[choice] < values[1 - choice]
        else:
            assert verdict.status is Status.NEVER
            assert {part.group for part in verdict.certificate.parts} == {0, 1}


def test_random_contests_are_sound() -> None:
    rng = random.Random(12)
    seen = dict.fromkeys(Status, 0)
    for _ in range(30):
        facts = (X - Y,) if rng.random() < 0.3 else ()
        costs = []
        for _ in range(rng.randint(2, 5)):
            cost = Poly()
            for _ in range(rng.randint(1, 3)):
                term = Poly.const(rng.randint(1, 4))
                for name in "xyz":
                    term = term * Poly.symbol(name) ** rng.randint(0, 2)
                cost = cost + term
            costs.append(cost)
        if len(set(costs)) < len(costs):
            continue
        decided = contest(*costs, facts=facts)
        points = list(islice(Domain("xyz", facts).sample(77), 400))
        points += [{"x": a, "y": b, "z": c} for a in range(1, 6) for b in range(1, 6) for c in range(1, 6)]
        points = [point for point in points if not facts or point["x"] >= point["y"]]
        won = {winner_at(costs, point) for point in points}
        for n in range(len(costs)):
            verdict = decided.decide((n,))
            seen[verdict.status] += 1
            if verdict.status is Status.NEVER:
                assert n not in won, (costs, n)
            if verdict.status is Status.BEST:
                assert winner_at(costs, verdict.witness) == n
                assert not facts or verdict.witness["x"] >= verdict.witness["y"]
    assert seen[Status.BEST] > 30
    assert seen[Status.NEVER] > 15
    assert seen[Status.UNDECIDED] < 10


def winner_at(costs: Sequence[Poly], point: Point) -> int | None:
    values = [evaluate(cost, point) for cost in costs]
    return values.index(min(values)) if values.count(min(values)) == 1 else None
