"""Sizes that can occur, costs evaluated there, and climbing to where one of them is the smallest."""

from __future__ import annotations

import random
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from itertools import product as grid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import PLACE, within

from derivations.atoms import evaluate, minimum
from derivations.climb import climb, pattern, winner
from derivations.conventions import Conventions
from derivations.dims import LARGEST
from derivations.errors import InputError
from derivations.expr import parse_comparison, parse_size
from derivations.library import load_variant
from derivations.points import Costs, Domain, Point
from derivations.poly import Poly
from derivations.program import Variant
from derivations.sizechecks import check_sizes
from derivations.transform import assuming

L, S, A, B, N = (Poly.symbol(name) for name in ("L", "S", "a", "c", "n"))


def size(text: str) -> Poly:
    return parse_size(text, PLACE)


def fact(text: str) -> Poly:
    """What is at least 0 by a comparison, worked out here: `<` between whole numbers leaves 1."""
    comparison = parse_comparison(text, PLACE)
    return comparison.slack - 1 if comparison.strict else comparison.slack


GROUPED = Domain(["H_q", "H_kv", "d_k"], (), [size("H_q/H_kv"), size("d_k")])
HALVED = Domain(["d_h"], (), [size("d_h/2")])
INSIDE = Domain(["L", "S"], [fact("S <= L")])
ALIKE = Domain(["d_k", "d_v"], [fact("d_k <= d_v"), fact("d_v <= d_k")])
NARROW = Domain(["d_c", "d_k"], [fact("2*d_k < d_c"), fact("d_k >= 3")])

LEGAL = [
    (GROUPED, {"H_q": 6, "H_kv": 3, "d_k": 1}, True),
    (GROUPED, {"H_q": 6, "H_kv": 6, "d_k": 1}, True),
    (GROUPED, {"H_q": 6, "H_kv": 4, "d_k": 1}, False),
    (GROUPED, {"H_q": 3, "H_kv": 6, "d_k": 1}, False),
    (GROUPED, {"H_q": 6, "H_kv": 3, "d_k": 0}, False),
    (GROUPED, {"H_q": 6, "H_kv": 3, "d_k": LARGEST}, True),
    (GROUPED, {"H_q": 6, "H_kv": 3, "d_k": LARGEST + 1}, False),
    (HALVED, {"d_h": 2}, True),
    (HALVED, {"d_h": 3}, False),
    (INSIDE, {"L": 4, "S": 4}, True),
    (INSIDE, {"L": 4, "S": 5}, False),
    (INSIDE, {"L": 4, "S": -1}, False),
    (ALIKE, {"d_k": 7, "d_v": 7}, True),
    (ALIKE, {"d_k": 7, "d_v": 8}, False),
    (ALIKE, {"d_k": 8, "d_v": 7}, False),
    (NARROW, {"d_c": 7, "d_k": 3}, True),
    (NARROW, {"d_c": 6, "d_k": 3}, False),
    (NARROW, {"d_c": 7, "d_k": 2}, False),
]


@pytest.mark.parametrize(("domain", "point", "legal"), LEGAL)
def test_legal_sizes(domain: Domain, point: Point, legal: bool) -> None:
    assert domain.holds(point) is legal


REPAIRED = [
    (GROUPED, {"H_q": 5, "H_kv": 3, "d_k": 0}, {"H_q": 15, "H_kv": 3, "d_k": 1}),
    (GROUPED, {"H_q": 9, "H_kv": 3, "d_k": 5}, {"H_q": 9, "H_kv": 3, "d_k": 5}),
    (HALVED, {"d_h": 3}, {"d_h": 6}),
    (INSIDE, {"L": 4, "S": 9}, {"L": 9, "S": 9}),
    (INSIDE, {"L": 4, "S": -3}, {"L": 4, "S": 1}),
    (ALIKE, {"d_k": 3, "d_v": 8}, {"d_k": 8, "d_v": 8}),
    (ALIKE, {"d_k": 8, "d_v": 3}, {"d_k": 8, "d_v": 8}),
    (NARROW, {"d_c": 1, "d_k": 1}, {"d_c": 7, "d_k": 3}),
]


@pytest.mark.parametrize(("domain", "point", "near"), REPAIRED)
def test_sizes_are_made_legal(domain: Domain, point: Point, near: Point) -> None:
    before = dict(point)
    assert domain.repaired(point) == near
    assert point == before


def test_what_a_few_changes_do_not_make_legal() -> None:
    upper = Domain(["S"], [Poly.const(4) - S])
    assert upper.repaired({"S": 4}) == {"S": 4}
    assert upper.repaired({"S": 5}) is None
    product = Domain(["a", "c"], [A * B - 12, Poly.const(12) - A * B])
    assert product.repaired({"a": 3, "c": 4}) == {"a": 3, "c": 4}
    assert product.repaired({"a": 3, "c": 5}) is None


def test_only_facts_about_the_symbols_and_what_they_are_tied_to() -> None:
    facts = [fact("S <= L"), fact("d_k <= d_c"), fact("d_c <= d_model")]
    whole = [size("H_q/H_kv"), size("d_v")]
    assert Domain(["S"], facts, whole).symbols == ("L", "S")
    assert Domain(["d_k"], facts, whole).symbols == ("d_c", "d_k", "d_model")
    assert Domain(["H_kv"], facts, whole).symbols == ("H_kv", "H_q")
    assert Domain(["d_v"], facts, whole).symbols == ("d_v",)
    assert Domain(["d_v"], facts, whole).facts == ()
    assert Domain([], facts, whole).symbols == ()
    assert next(Domain([], facts, whole).sample()) == {}


def test_a_min_ties_what_is_inside() -> None:
    least = minimum(Poly.symbol("L"), Poly.symbol("n"))
    domain = Domain(["n"], [least - 5])
    assert domain.symbols == ("L", "n")
    assert domain.holds({"L": 5, "n": 9})
    assert not domain.holds({"L": 4, "n": 9})


# Samples

ASSUMED = [
    ("mla", ()),
    ("mla", ("d_k <= d_c", "d_c <= d_model")),
    ("mla", ("d_k = d_v",)),
    ("mla", ("d_c = 4*d_k", "d_k >= 3")),
    ("mla", ("2*d_k < d_c", "H > 1")),
    ("mla", ("d_k + d_v <= 2*d_c",)),
    ("mla", ("S >= 2",)),
    ("gqa", ()),
    ("gqa", ("H_q = 8*H_kv",)),
    ("gqa", ("H_kv >= 2", "d_model = H_q*d_k")),
    ("dsa", ("n <= L",)),
    ("./tests/variants/gta.yaml", ()),
    ("./tests/variants/gla.yaml", ("G > 1",)),
]


def domain_of(variant: Variant) -> Domain:
    symbols = [name for name in variant.symbols if name not in "Bb"]
    return Domain(symbols, variant.facts, [axis.size for axis in variant.axes.values()])


@pytest.mark.parametrize(("name", "texts"), ASSUMED)
def test_every_sample_is_legal(name: str, texts: tuple[str, ...]) -> None:
    variant = assuming(load_variant(name), texts)
    domain = domain_of(variant)
    points = list(islice(domain.sample(), 300))
    for point in points:
        assert domain.holds(point)
        assert set(point) == set(domain.symbols)
        assert all(type(value) is int for value in point.values())
        check_sizes(variant, point, Conventions(phase="verify"))
    assert len({tuple(sorted(point.items())) for point in points}) > 200


def test_samples_reach_far_and_are_the_same_every_time() -> None:
    domain = domain_of(load_variant("mla"))
    points = list(islice(domain.sample(), 400))
    for name in domain.symbols:
        values = [point[name] for point in points]
        assert min(values) == 1
        assert max(values) > 100_000
    ratios = [Fraction(point["d_k"], point["d_c"]) for point in points]
    assert min(ratios) < Fraction(1, 1000)
    assert max(ratios) > 1000
    assert any(point["S"] == point["L"] > 1 for point in points)
    assert points == list(islice(domain.sample(0), 400))
    assert points != list(islice(domain.sample(1), 400))


@pytest.mark.parametrize("text", ["2*d_k < d_c", "d_k < d_c/2", "d_k/2 < d_c/3", "d_k < d_c - d_v/2"])
def test_a_strict_assumption_is_strict_with_fractions_too(text: str) -> None:
    variant = assuming(load_variant("mla"), [text])
    domain = Domain(["d_c", "d_k", "d_v"], variant.facts)
    for point in islice(domain.sample(), 300):
        check_sizes(variant, point, Conventions())


COMPARISONS = [
    "d_k <= d_c", "d_k < d_c", "d_k = d_c", "d_k >= d_c - 1", "2*d_k < d_c", "d_k < d_c/2", "d_k/2 < d_c/3",
    "d_k < d_c - d_v/2", "d_k*d_v <= d_c", "min(d_k, d_v) < d_c", "d_c/d_k > 2", "d_c/d_k >= 2",
    "d_k/d_c < 1/2", "1/d_k < 1/2", "d_c/d_k < 5/2", "d_v/d_k = d_c/d_v", "d_k > 3", "d_v/(2*d_k) > 1",
]  # fmt: skip


@pytest.mark.parametrize("text", COMPARISONS)
def test_facts_hold_at_just_the_sizes_that_are_legal(text: str) -> None:
    """A fact that fails at legal sizes would be a false premise of every proof."""
    variant = assuming(load_variant("mla"), [text])
    domain = Domain(["d_c", "d_k", "d_v"], variant.facts)
    legal = 0
    for d_c, d_k, d_v in grid(range(1, 8), repeat=3):
        point = {"d_c": d_c, "d_k": d_k, "d_v": d_v}
        try:
            check_sizes(variant, point, Conventions())
        except InputError:
            assert not domain.holds(point), point
        else:
            legal += 1
            assert domain.holds(point), point
            assert all((evaluate(known, {**point, "L": 2, "S": 1}) or 0) >= 0 for known in variant.facts), point
    assert 0 < legal < 7**3


NOWHERE = [
    ("d_k <= d_c", "d_c < d_k"),
    ("L < S",),
    ("d_k*d_c = 4099",),
    ("d_k >= 100000", "d_k <= 7"),
]


@pytest.mark.parametrize("texts", NOWHERE)
def test_where_assumptions_hold_nowhere_or_hardly_the_search_for_sizes_ends(texts: tuple[str, ...]) -> None:
    domain = domain_of(assuming(load_variant("mla"), texts))
    with within(1), suppress(InputError):
        next(domain.sample(), None)


# Costs

MONOMIALS = st.dictionaries(st.sampled_from(["L", "S", "a", "c"]), st.integers(-2, 3), max_size=3)
NUMBERS = st.integers(1, 9) | st.fractions(Fraction(1, 9), 9, max_denominator=9)
COSTS = st.lists(st.lists(st.tuples(MONOMIALS, NUMBERS), min_size=1, max_size=4), min_size=1, max_size=5)
POINTS = st.fixed_dictionaries({name: st.integers(1, 40) for name in ("L", "S", "a", "c", "n")})


def build(rows) -> Poly:
    result = Poly()
    for powers, number in rows:
        term = Poly.const(number)
        for name, exponent in powers.items():
            term = term * Poly.symbol(name) ** exponent
        result = result + term
    return result


def value(poly: Poly, point: Point) -> Fraction:
    """By hand, `min(L, n)` and the like included."""
    result = Fraction(0)
    for powers, number in poly.powers():
        term = Fraction(number)
        for name, exponent in powers.items():
            inside = name[4:-1].split(", ") if name.startswith("min(") else [name]
            term *= Fraction(min(point[part] for part in inside)) ** exponent
        result += term
    return result


def shares(numbers) -> list[Fraction]:
    """Over the first, which no common positive factor changes."""
    return [Fraction(number) / Fraction(numbers[0]) for number in numbers]


@given(COSTS, st.booleans(), POINTS)
def test_costs_are_right_up_to_one_positive_factor(rows, capped: bool, point: Point) -> None:
    costs = [build(part) for part in rows]
    if capped:
        costs = [cost * minimum(L, N) + minimum(L, N) for cost in costs]
    race = Costs(costs)
    found = race.at(point)
    assert all(number > 0 for number in found)
    expected = [value(cost, point) for cost in costs]
    assert shares(found) == shares(expected)
    assert expected == [evaluate(cost, point) for cost in costs]
    assert race.symbols == {
        part for cost in costs for name in cost.names() for part in (("L", "n") if "(" in name else (name,))
    }


@given(COSTS, st.lists(POINTS, min_size=1, max_size=6))
def test_rivals_and_leads(rows, points: list[Point]) -> None:
    """Rivals that were met before are asked first; that must not change what is true."""
    costs = [build(part) for part in rows]
    race = Costs(costs)
    for point in points:
        values = [value(cost, point) for cost in costs]
        for own, cost in enumerate(values):
            others = [other for j, other in enumerate(values) if j != own]
            rival = race.rival(own, point)
            if rival is None:
                assert all(other > cost for other in others)
            else:
                assert rival != own
                assert values[rival] <= cost
            lead = min(others) / cost if others else Fraction(2)
            for least in (Fraction(0), lead / 2, lead, lead * 2):
                assert race.lead(own, point, least) == (lead if lead > least or not others else None)


@given(COSTS, POINTS)
def test_slopes_are_logarithmic_derivatives(rows, point: Point) -> None:
    costs = [build(part) for part in rows]
    race = Costs(costs)
    first = race.slopes(0, point)
    for index, cost in enumerate(costs):
        found = race.slopes(index, point)
        for name in ("L", "S", "a", "c"):
            # the common factor has a slope of its own, the same for all
            moved = [
                sum(Fraction(n) * p.get(name, 0) * value(build([(p, 1)]), point) for p, n in c.powers())
                / value(c, point)
                for c in (cost, costs[0])
            ]
            assert found.get(name, 0.0) - first.get(name, 0.0) == pytest.approx(float(moved[0] - moved[1]))


# Climbing


@pytest.mark.parametrize(
    ("costs", "first"),
    [([3], 0), ([3, 2], 1), ([2, 3], 0), ([2, 2], None), ([5, 2, 3, 2], None), ([Fraction(1, 2), 1], 0)],
)
def test_the_winner_is_the_only_smallest(costs, first: int | None) -> None:
    assert winner(costs) == first


FREE = Domain(["a", "c"])
RACES = [
    # costs, whether the first can win somewhere
    ([A * 100, B], True),
    ([A + B * B, A * B], True),
    ([A * B, A + B], True),
    ([A * B * 2, A + B], False),
    ([A + B, A * 2, B * 2], False),
    ([A * 2 + B, A + B], False),
    ([A + B, A + B], False),
    ([A * 3, A * 2], False),
    ([A * B * 3, A * B * 2], False),
    ([Poly.const(3), Poly.const(2)], False),
    ([A * A + 4099 * 4099, A * 2 * 4099 + 1], True),
]


@pytest.mark.parametrize(("costs", "somewhere"), RACES)
@pytest.mark.parametrize(
    "search", [climb, lambda *a: next(filter(None, (pattern(*a[:3], s) for s in a[3])), None)]
)
def test_what_is_found_is_a_win(costs: list[Poly], somewhere: bool, search) -> None:
    starts = [{"a": 5, "c": 7}, {"a": 1, "c": 1}, {"a": 3000, "c": 2}, {"a": 20_000, "c": 20_000}]
    point = search([Costs(costs)], [0], FREE, starts)
    if point is not None:
        assert somewhere
        assert winner([value(cost, point) for cost in costs]) == 0


@pytest.mark.parametrize("number", [0, 1, 2, 4])
def test_easy_wins_are_found(number: int) -> None:
    costs = [[A * 100, B], [A + B * B, A * B], [A * B, A + B], [], [A * 7, B * B, A + B * 4]][number]
    point = climb([Costs(costs)], [0], FREE, [{"a": 50, "c": 50}])
    other = pattern([Costs(costs)], [0], FREE, {"a": 50, "c": 50})
    for found in (point, other):
        assert found is not None
        assert winner([value(cost, found) for cost in costs]) == 0


def test_random_wins_are_true_in_every_race() -> None:
    rng = random.Random(8)
    domain = Domain(["L", "S", "a"], [L - S], [A * Fraction(1, 2)])
    found = 0
    for _ in range(150):
        races = []
        for _ in range(rng.randint(1, 2)):
            rows = [
                [({name: rng.randint(0, 2) for name in ("L", "S", "a")}, rng.randint(1, 5)) for _ in range(3)]
                for _ in range(rng.randint(2, 4))
            ]
            races.append([build(row) for row in rows])
        starts = list(islice(domain.sample(rng.randint(0, 99)), 2))
        counted = [Costs(costs) for costs in races]
        for point in (
            climb(counted, [0] * len(races), domain, starts),
            pattern(counted, [0] * len(races), domain, starts[0]),
        ):
            if point is not None:
                found += 1
                assert domain.holds(point)
                for costs in races:
                    assert winner([value(cost, point) for cost in costs]) == 0
    assert found > 100


def test_a_start_that_wins_is_enough() -> None:
    race = [Costs([A, B])]
    assert climb(race, [0], FREE, [{"a": 1, "c": 2}]) == {"a": 1, "c": 2}
    assert pattern(race, [0], FREE, {"a": 1, "c": 2}) == {"a": 1, "c": 2}
    assert climb(race, [0], FREE, []) is None
    assert climb([], [], FREE, [{"a": 3, "c": 3}]) == {"a": 3, "c": 3}
