"""Crossovers against scanning every integer: who is cheaper on each side, and when there is none."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import isqrt

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from samples import refused, within

from derivations.atoms import evaluate, minimum
from derivations.crossover import Condition, Crossover, Root, cross
from derivations.poly import Poly

S, L, H, C, K, V, X = (Poly.symbol(n) for n in ("S", "L", "H", "d_c", "d_k", "d_v", "x"))
FULL = S * L
CAUSAL = S * L - S * (S - 1) * Fraction(1, 2)
NAMES = ("absorb", "expand")
WIDTHS = st.fixed_dictionaries(
    {"H": st.integers(1, 4), "d_c": st.integers(1, 24), "d_k": st.integers(1, 24), "d_v": st.integers(1, 24)}
)


def absorb(pairs: Poly) -> Poly:
    return 2 * H * (pairs * C * 2 + S * C * (K + V))


def expand(pairs: Poly) -> Poly:
    return 2 * H * (pairs * (K + V) + L * C * (K + V))


def check(found: Crossover, first: Poly, second: Poly, values: dict, scan: range) -> None:
    """Every integer of the scan is judged as the crossover says."""
    name = found.symbol
    difference = {
        point: evaluate(first, {**values, name: point}) - evaluate(second, {**values, name: point})
        for point in scan
    }
    holding = [s for s in found.solutions if all(c.holds(values) for c in s.conditions)]
    if not holding:
        signs = {d > 0 for d in difference.values() if d}
        assert len(signs) <= 1, f"no crossover claimed, but the sign changes at {values}"
        if found.decided_by is not None and signs:
            assert found.decided_by.holds(values) is signs.pop()
        elif found.never and signs and "costs less" in found.never:
            cheaper = found.names[1] if signs.pop() else found.names[0]
            assert found.never.startswith(f"{cheaper} costs less than ")
        return
    crossings = sorted((s.root.value(values), s.below, s.above) for s in holding)
    assert all(one[2] == two[1] for one, two in pairwise(crossings))
    for point, d in difference.items():
        if d == 0:
            assert min(abs(root - point) for root, _, _ in crossings) < Fraction(1, 10**20)
            continue
        passed = [above for root, _, above in crossings if root < point]
        cheaper = found.names[1] if d > 0 else found.names[0]
        assert cheaper == (passed[-1] if passed else crossings[0][1]), (point, values)


@pytest.mark.parametrize("pairs", [FULL, CAUSAL], ids=["full", "causal"])
@given(values=WIDTHS, context=st.integers(1, 60))
def test_in_queries(pairs, values, context):
    first, second = absorb(pairs), expand(pairs)
    sizes, scan = {**values, "L": context}, range(1, context + 1)
    check(cross(first, second, "S", NAMES), first, second, sizes, scan)
    check(cross(second, first, "S", NAMES[::-1]), second, first, sizes, scan)


@pytest.mark.parametrize("pairs", [FULL, CAUSAL], ids=["full", "causal"])
@given(values=WIDTHS, queries=st.integers(1, 12))
def test_in_context(pairs, values, queries):
    first, second = absorb(pairs), expand(pairs)
    found = cross(first, second, "L", NAMES)
    check(found, first, second, {**values, "S": queries}, range(queries, 400))


@given(values=WIDTHS, queries=st.integers(1, 12), more=st.integers(0, 40))
def test_in_a_width(values, queries, more):
    first, second = absorb(FULL), expand(FULL)
    found = cross(first, second, "d_v", NAMES)
    given_values = {**values, "S": queries, "L": queries + more}
    del given_values["d_v"]
    check(found, first, second, given_values, range(1, 80))


COEFFICIENTS = st.tuples(*(st.integers(0, 9) for _ in range(3)))


@given(COEFFICIENTS, COEFFICIENTS, st.sampled_from(["S", "L", "x"]), st.integers(1, 30))
def test_random_costs(one, two, symbol, other):
    """Any two costs of degree 2: a sign change in the range is found, or the call says it cannot."""
    letter = Poly.symbol(symbol)
    first, second = (letter**2 * a + letter * b + c for a, b, c in (one, two))
    found = cross(first, second, symbol, NAMES)
    values = {"S": {"L": other}, "L": {"S": other}, "x": {}}[symbol]
    scan = {"S": range(1, other + 1), "L": range(other, 200), "x": range(1, 200)}[symbol]
    check(found, first, second, values, scan)


@pytest.mark.parametrize(
    ("first", "second", "symbol"),
    [
        (X * X + 10, 7 * X, "x"),  # cheaper only between 2 and 5
        (7 * X, X * X + 10, "x"),
        (L * L + 10, 7 * L, "L"),
        (X * X * K + V, X * C, "x"),
    ],
)
def test_two_crossings_are_not_called_none(first, second, symbol):
    values = {"d_k": 1, "d_v": 10, "d_c": 7, "S": 1}
    found = cross(first, second, symbol, NAMES)
    assert "does not depend" not in (found.never or "")
    roots = {s.root.value(values) for s in found.solutions}
    assert roots == {2, 5}


@pytest.mark.parametrize("symbol", ["S", "L", "x"])
def test_touching_is_not_crossing(symbol):
    """(x - 3)^2 is 0 at 3 and positive on both sides: the second is never dearer."""
    letter = Poly.symbol(symbol)
    found = cross(letter * letter + 9, 6 * letter, symbol, NAMES)
    values = {"S": {"L": 9}, "L": {"S": 1}, "x": {}}[symbol]
    holding = [s for s in found.solutions if all(c.holds(values) for c in s.conditions)]
    assert holding == []
    assert "does not depend" not in (found.never or "")


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (S * L, S * L, "absorb and expand cost the same"),
        (S * L, S * L + L, "absorb costs less than expand at every S; their difference keeps one sign"),
        (S * L * 3, S * L, "expand costs less than absorb at every S; their difference keeps one sign"),
        (S * K, S * V, "the sign of the difference does not depend on S"),
        (S * S, S * L + 1, "absorb costs less than expand at every S; their difference keeps one sign"),
    ],
)
def test_never(first, second, reason):
    found = cross(first, second, "S", NAMES)
    assert (found.solutions, found.never) == ((), reason)


def test_what_decides_when_the_symbol_does_not():
    found = cross(S * K, S * V, "S", NAMES)
    assert found.decided_by.slack == K - V
    assert found.decided_by.holds({"d_k": 3, "d_v": 2}) is True
    assert found.decided_by.holds({"d_k": 2, "d_v": 2}) is False
    assert found.decided_by.holds({"d_k": 2}) is None


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (X**3, X + 2, "the costs of absorb and expand differ by a polynomial of degree 3 in x; "),
        (minimum(X, K) * V, X + K * 2, "the difference contains min(d_k, x), so it has no single "),
    ],
)
def test_what_has_no_closed_form(first, second, message):
    assert refused(cross, first, second, "x", NAMES).startswith(message)


@given(st.integers(-30, 30), st.integers(0, 400), st.integers(1, 9), st.sampled_from([1, -1]))
def test_the_value_of_a_root(p, q, r, sign):
    root = Root(Poly.const(p), Poly.const(q), Poly.const(r), sign)
    found, expected = root.value({}), (p + sign * sympy.sqrt(q)) / r
    if isqrt(q) ** 2 == q:
        assert found == Fraction(p + sign * isqrt(q), r)
    assert abs(sympy.Rational(found.numerator, found.denominator) - expected).n(40) < 1e-20
    assert sympy.simplify(root.sympy() - expected) == 0


def test_roots_that_are_no_numbers():
    assert Root(L, Poly(), S).value({"L": 3}) is None
    assert Root(Poly.const(1), Poly.const(-4), Poly.const(2)).value({}) is None
    assert Root(Poly.const(1), Poly(), S - 1).value({"S": 1}) is None


def test_a_huge_root_is_still_a_number():
    huge = 10**400
    root = Root(Poly.const(huge), Poly.const(2), Poly.const(1))
    assert huge + 1 < root.value({}) < huge + 2


def test_the_sides_of_a_condition():
    assert Condition(K * 2 - V + L).sides() == (K * 2 + L, V)


def test_the_limit_for_long_contexts():
    """S* tends to d_c (d_k + d_v) / (2 d_c - d_k - d_v): divide both costs by L and let L grow."""
    (solution,) = cross(absorb(FULL), expand(FULL), "S", NAMES).solutions
    values = {"d_c": 512, "d_k": 128, "d_v": 128}
    assert solution.limit.value(values) == Fraction(512 * 256, 2 * 512 - 256)
    assert (solution.below, solution.above) == NAMES
    far = solution.root.value({**values, "L": 10**12})
    assert float(far) == pytest.approx(float(solution.limit.value(values)), rel=1e-6)


@pytest.mark.parametrize(
    ("pairs", "context", "switch"), [(FULL, 131_072, 171), (FULL, 1024, 147)], ids=["long", "short"]
)
def test_the_widths_of_deepseek_v3(pairs, context, switch):
    """The first query count at which expanding is cheaper, found by counting multiply-adds."""
    values = {"H": 128, "d_c": 512, "d_k": 128, "d_v": 128, "L": context}

    def dearer(queries: int) -> bool:
        absorbed = queries * context * 2 * 512 + queries * 512 * 256
        return absorbed > queries * context * 256 + context * 512 * 256

    assert next(s for s in range(1, context) if dearer(s)) == switch
    (solution,) = cross(absorb(pairs), expand(pairs), "S", NAMES).solutions
    assert all(c.holds(values) for c in solution.conditions)
    assert switch - 1 <= solution.root.value(values) < switch


@pytest.mark.parametrize("count", [3, 6, 9])
def test_many_widths_are_solved_in_time(count):
    first = S * L
    second = L
    for index in range(count):
        first = first * (Poly.symbol(f"x{index}") + 1)
        second = second * Poly.symbol(f"y{index}")
    with within(3):
        assert cross(first, second, "S", NAMES).solutions
