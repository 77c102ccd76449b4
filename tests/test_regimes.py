"""Crossovers of costs with mins against a scan of every whole number."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import pytest
from samples import refused

from derivations import Conventions, Study, crossover_of, load_variant
from derivations.atoms import ceiling, evaluate, minimum
from derivations.crossover import Crossover
from derivations.poly import Poly
from derivations.regimes import cross_in_regimes

L, S, N, X = (Poly.symbol(name) for name in ("L", "S", "n", "x"))
NAMES = ("first", "second")


@cache
def dsa(symbol: str, phase: str) -> Crossover:
    conventions = Conventions(phase=phase, scope="attention")
    return crossover_of(Study(load_variant("dsa"), conventions, {}), "absorb", "expand", symbol)


def switches(found: Crossover, sizes: dict[str, int], scan: range) -> list[tuple[int, str]]:
    """Whole numbers from which another order is cheaper, with that order's name, by evaluation."""
    changes, before = [], ""
    for value in scan:
        first, second = (evaluate(cost, {**sizes, found.symbol: value}) for cost in found.costs)
        if first == second:
            continue
        cheaper = found.names[first > second]
        if before and cheaper != before:
            changes.append((value, cheaper))
        before = cheaper
    return changes


@pytest.mark.parametrize(
    ("symbol", "phase"), [("L", "decode"), ("n", "decode"), ("S", "verify"), ("n", "verify")]
)
def test_sparse_attention_switches_where_the_solution_says(symbol: str, phase: str) -> None:
    found, rng, met = dsa(symbol, phase), random.Random(7), 0
    for _ in range(120):
        length = rng.choice([3, 9, 30, 70])
        sizes = {
            "H": 2,
            "d_model": 8,
            "d_c": rng.randint(1, 20),
            "d_k": rng.randint(1, 20),
            "d_v": rng.randint(1, 20),
        }
        sizes |= {"L": length, "n": rng.randint(1, 40), "S": 1 if phase == "decode" else rng.randint(1, length)}
        del sizes[symbol]
        scan = range(1, length + 1) if symbol == "S" else range(1, 120)
        if symbol == "L":
            scan = range(sizes["S"], 120)
        said = []
        for solution in found.solutions:
            if all(condition.holds(sizes) for condition in solution.conditions):
                value = solution.root.value(sizes)
                assert value is not None
                said.append((value, solution.above))
        seen = switches(found, sizes, scan)
        for value, name in seen:
            assert any(value - 2 <= v <= value and name == other for v, other in said), (sizes, seen, said)
            met += 1
        assert len(said) >= len(seen)
    assert met > 5 or symbol == "n"


def test_a_min_falls_one_way_or_the_other() -> None:
    """6 x against x + 5 min(x, 4) + 10: they meet at x = 6, where the min is 4, and not at 10/0."""
    least = minimum(X, Poly.const(4), ())
    found = cross_in_regimes(X * 6, X + least * 5 + 10, "x", NAMES, ())
    (solution,) = found.solutions
    assert (solution.root.value({}), solution.below, solution.above) == (6, "first", "second")


def test_one_that_lies_outside_its_regime_is_none() -> None:
    """x against min(x, n) / 2: they would meet at n/2, where the min is not n."""
    found = cross_in_regimes(X, minimum(X, N, ()) * Fraction(1, 2), "x", NAMES, ())
    assert found.solutions == ()


def test_without_mins_it_is_the_plain_crossover() -> None:
    found = cross_in_regimes(X * 3, X + N, "x", NAMES, ())
    assert [solution.root.value({"n": 8}) for solution in found.solutions] == [4]


@pytest.mark.parametrize(
    "other", [ceiling(X, Poly.const(3)), minimum(X, minimum(X * 2, N, ()), ())], ids=["ceil", "nested"]
)
def test_others_are_refused(other: Poly) -> None:
    name = next(iter(other.names()))
    assert refused(cross_in_regimes, X, other + 1, "x", NAMES, ()) == (
        f"the difference contains {name}, so it has no single closed form in x; ask in another symbol"
    )
