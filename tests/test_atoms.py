"""min, ceil and floor as symbols: building, putting sizes in and evaluating agree with Python."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derivations.atoms import (
    atom_of,
    ceiling,
    evaluate,
    floored,
    free_symbols,
    minimum,
    put,
)
from derivations.poly import Poly

L, S, W, N = (Poly.symbol(name) for name in ("L", "S", "w", "n"))
SIZES = st.fixed_dictionaries(
    {
        "L": st.integers(1, 40),
        "S": st.integers(1, 40),
        "w": st.integers(1, 40),
        "n": st.integers(1, 9),
    }
).filter(lambda values: values["S"] <= values["L"])

# A formula is a Poly beside the function that computes it on numbers.
LEAVES = st.sampled_from(
    [
        (L, lambda v: v["L"]),
        (S, lambda v: v["S"]),
        (W, lambda v: v["w"]),
        (L - S + 1, lambda v: v["L"] - v["S"] + 1),
        (Poly.const(3), lambda v: 3),
    ]
)


def _grown(inner: st.SearchStrategy) -> st.SearchStrategy:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: (p[0][0] + p[1][0], lambda v: p[0][1](v) + p[1][1](v))),
        pair.map(lambda p: (p[0][0] * p[1][0], lambda v: p[0][1](v) * p[1][1](v))),
        pair.map(lambda p: (minimum(p[0][0], p[1][0]), lambda v: min(p[0][1](v), p[1][1](v)))),
        inner.map(lambda p: (ceiling(p[0], N), lambda v: ceil(Fraction(p[1](v), v["n"])))),
    )


FORMULAS = st.recursive(LEAVES, _grown, max_leaves=6)


@given(FORMULAS, SIZES)
def test_evaluate_agrees_with_python(formula, values):
    poly, compute = formula
    assert evaluate(poly, values) == compute(values)


@given(FORMULAS, SIZES, st.sets(st.sampled_from("LSwn")))
def test_sizes_may_be_put_in_one_after_another(formula, values, first):
    poly, compute = formula
    some = {name: Poly.const(values[name]) for name in first}
    # with L put in first, S <= L is only known to the caller
    assume(not {"L", "S"} & first or {"L", "S"} <= first)
    half = put(poly, some)
    assert not free_symbols(half) & first
    assert evaluate(half, values) == compute(values)


@given(FORMULAS, SIZES)
def test_a_symbol_may_become_another_size(formula, values):
    poly, compute = formula
    everything = put(poly, {"S": L})
    assert "S" not in free_symbols(everything)
    assert evaluate(everything, values) == compute({**values, "S": values["L"]})


@given(st.integers(-50, 50), st.integers(1, 9))
def test_numbers_are_rounded_at_once(top, bottom):
    up = ceiling(Poly.const(top), Poly.const(bottom))
    down = floored(Poly.const(top), Poly.const(bottom))
    assert (up.constant, down.constant) == (
        ceil(Fraction(top, bottom)),
        floor(Fraction(top, bottom)),
    )


@given(SIZES)
def test_floor_agrees_with_python(values):
    assert evaluate(floored(L, N), values) == values["L"] // values["n"]
    assert evaluate(floored(L * 2, N * 3) + 1, values) == 2 * values["L"] // (3 * values["n"]) + 1


@pytest.mark.parametrize(
    ("left", "right", "smaller"),
    [
        (L, S, S),
        (S * N, L * N, S * N),
        (L, L + W, L),
        (L * W, W, W),
        (Poly.const(4), Poly.const(7), Poly.const(4)),
        (L, L, L),
        (S + N, L + N - 1 + 1, S + N),
    ],
)
def test_a_provable_minimum_is_decided(left, right, smaller):
    assert minimum(left, right) == smaller
    assert minimum(right, left) == smaller


def test_an_open_minimum_stays_a_symbol_with_one_name():
    both = minimum(L, W)
    assert both == minimum(W, L)
    assert both not in (L, W)
    (name,) = both.names()
    assert atom_of(name).function == "min"
    assert set(atom_of(name).arguments) == {L, W}
    assert free_symbols(both * N) == {"L", "w", "n"}
    assert atom_of("L") is None


def test_without_facts_the_context_may_be_short():
    assert evaluate(minimum(L, S, ()), {"L": 2, "S": 5}) == 2


@pytest.mark.parametrize(
    ("poly", "values", "expected"),
    [
        (L, {}, None),
        (minimum(L, W), {"L": 3}, None),
        (Poly.const(5), {}, 5),
        (L * S**-1, {"L": 3, "S": 2}, Fraction(3, 2)),
        (ceiling(L, Poly.const(1)), {"L": 3}, 3),
        (minimum(L * Poly.symbol("b"), W), {"L": 3, "b": Fraction(1, 2), "w": 2}, Fraction(3, 2)),
    ],
)
def test_missing_sizes_and_fractions(poly, values, expected):
    assert evaluate(poly, values) == expected


@pytest.mark.parametrize(
    ("small", "compute"),
    [
        (floored(L, Poly.const(2)), lambda v: v["L"] // 2),
        (minimum(L - S, W), lambda v: min(v["L"] - v["S"], v["w"])),
        (ceiling(L - S, N), lambda v: ceil(Fraction(v["L"] - v["S"], v["n"]))),
    ],
    ids=["floor", "min of a difference", "ceil of a difference"],
)
def test_an_atom_that_can_be_zero_is_not_taken_for_a_size(small, compute):
    """L // 2 is 0 for one token, and L - S is 0 in prefill: neither is at least 1."""
    values = {"L": 1, "S": 1, "w": 5, "n": 3}
    assert compute(values) == 0
    assert evaluate(minimum(Poly.const(1), small), values) == 0
    assert evaluate(minimum(small * L, L), values) == 0


def test_a_width_below_one_byte():
    """b may be a half: a 4-bit element. Then b is smaller than 1."""
    b = Poly.symbol("b")
    assert evaluate(minimum(b, Poly.const(1)), {"b": Fraction(1, 2)}) == Fraction(1, 2)
