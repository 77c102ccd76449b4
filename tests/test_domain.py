"""Comparison of polynomials: no claim fails on a grid of sizes, and the usual cases are found."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as grid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import within

from derivations.atoms import ceiling, floored, minimum
from derivations.domain import always_at_least, nonnegative, positive, strip_positive
from derivations.poly import Poly, total

NAMES = ("L", "S", "a")
L, S, A = (Poly.symbol(name) for name in NAMES)
HOLDS = L - S
POINTS = [dict(zip(NAMES, point, strict=True)) for point in grid(range(1, 7), repeat=3)]
MONOMIALS = st.tuples(*(st.integers(0, 2) for _ in NAMES))
POLYS = st.lists(st.tuples(MONOMIALS, st.integers(-4, 4)), max_size=5)
LINEAR = st.tuples(*(st.integers(-2, 2) for _ in NAMES), st.integers(-4, 4))


def build(terms) -> Poly:
    return total(L**i * S**j * A**k * c for (i, j, k), c in terms)


def value(poly: Poly, point) -> Fraction:
    result = Fraction(0)
    for powers, coefficient in poly.powers():
        term = Fraction(coefficient)
        for name, exponent in powers.items():
            term *= Fraction(point[name]) ** exponent
        result += term
    return result


def least_value(poly: Poly, facts=()) -> Fraction:
    allowed = [p for p in POINTS if all(value(fact, p) >= 0 for fact in facts)]
    return min((value(poly, p) for p in allowed), default=Fraction(1))


@given(POLYS, st.sampled_from([(), (HOLDS,), (HOLDS, A - 2), (A - L, HOLDS), (2 * A - L,)]))
def test_no_claim_is_refuted_by_small_sizes(terms, facts):
    poly = build(terms)
    if nonnegative(poly, facts):
        assert least_value(poly, facts) >= 0
    if positive(poly, facts):
        assert least_value(poly, facts) > 0


@given(LINEAR, st.lists(LINEAR, max_size=3))
def test_no_claim_under_random_facts_is_refuted(terms, facts):
    def linear(row) -> Poly:
        return L * row[0] + S * row[1] + A * row[2] + row[3]

    given_facts = [linear(row) for row in facts]
    if nonnegative(linear(terms), given_facts):
        assert least_value(linear(terms), given_facts) >= 0
    if positive(linear(terms), given_facts):
        assert least_value(linear(terms), given_facts) > 0


@given(POLYS, st.tuples(*(st.integers(-2, 0) for _ in NAMES)), st.lists(POLYS, max_size=2))
def test_no_claim_about_quotients_or_under_curved_facts_is_refuted(terms, shift, facts):
    poly = build(terms) * build([((0, 0, 0), 1)]) * L ** shift[0] * S ** shift[1] * A ** shift[2]
    given_facts = [build(fact) for fact in facts]
    if nonnegative(poly, given_facts):
        assert least_value(poly, given_facts) >= 0


@pytest.mark.parametrize(
    ("poly", "facts", "at_least", "above"),
    [
        (Poly(), (), True, False),
        (Poly.const(3), (), True, True),
        (Poly.const(-3), (), False, False),
        (L * S + A, (), True, True),
        (L - 1, (), True, False),
        (L * 2 - 1, (), True, True),
        (L - 2, (), False, False),
        (L * S - S, (), True, False),
        (L - S, (), False, False),
        (L - S, (HOLDS,), True, False),
        (L * 2 - S, (HOLDS,), True, True),
        (L * L - S * S, (HOLDS,), True, False),
        (2 * L * S - S * S + S, (HOLDS,), True, True),  # twice the causal pairs
        (A - S, (HOLDS, A - L), True, False),
        (A - S, (A - L, HOLDS), True, False),
        (L * A**-1 - L * A**-1, (), True, False),
        (1 - A**-1, (), True, False),
        (2 - A**-1, (), True, True),
        (A - 3, (A - 3,), True, False),
        (A - 3, (2 * A - 6,), True, False),
    ],
)
def test_what_must_be_found(poly, facts, at_least, above):
    assert nonnegative(poly, facts) is at_least
    assert positive(poly, facts) is above


def test_at_least_is_the_difference():
    assert always_at_least(L, S, (HOLDS,))
    assert not always_at_least(S, L, (HOLDS,))
    assert always_at_least(L * S, L)
    assert not always_at_least(L, L * S)


@pytest.mark.parametrize("facts", [(HOLDS, 2 - L**-1), (HOLDS, S * L**-1 - 1), (A - L, L - A**-1)])
def test_a_fact_with_a_quotient_is_used_or_left(facts):
    poly = L - S
    if nonnegative(poly, facts):
        assert least_value(poly, facts) >= 0


@pytest.mark.parametrize(
    "small", [minimum(L - S, A), ceiling(L - S, A), floored(L, A)], ids=["min", "ceil", "floor"]
)
def test_what_may_be_zero_is_not_positive(small):
    assert nonnegative(small)
    assert not positive(small)
    assert not positive(small * L)
    assert not nonnegative(small - 1)
    assert positive(small + 1)


def test_a_width_is_positive_but_may_be_below_one():
    b = Poly.symbol("b")
    assert positive(b)
    assert positive(b * L + b)
    assert not nonnegative(b - 1)
    assert not nonnegative(2 * b - 1)


@given(POLYS.filter(lambda terms: bool(build(terms))))
def test_stripping_keeps_the_sign(terms):
    poly = build(terms) * A**-1
    stripped = strip_positive(poly)
    for point in POINTS[::7]:
        one, two = value(poly, point), value(stripped, point)
        assert (one > 0, one < 0) == (two > 0, two < 0)
    assert stripped.content() == 1
    assert not strip_positive(Poly())


@pytest.mark.parametrize("exponents", [(11,) * 8, (90,), (4,) * 12, (1,) * 23])
def test_a_large_polynomial_is_given_up_quickly(exponents):
    poly = Poly.const(-1)
    for index, exponent in enumerate(exponents):
        poly = poly * Poly.symbol(f"x{index}") ** exponent
    with within(1):
        nonnegative(-poly - 2)
