"""Factors, ratios and limits agree with sympy and with exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st
from samples import within

from derivations.algebra import Ratio, factor, limit_in
from derivations.atoms import evaluate, minimum
from derivations.poly import Poly, product, total

NAMES = ("L", "S", "d_k")
L, S, D = (Poly.symbol(name) for name in NAMES)
W = Poly.symbol("w")
LETTERS = {name: sympy.Symbol(name, positive=True, integer=True) for name in NAMES}
TERMS = st.lists(
    st.tuples(st.tuples(*(st.integers(0, 2) for _ in NAMES)), st.integers(-4, 4)),
    min_size=1,
    max_size=3,
)
VALUES = st.fixed_dictionaries({name: st.integers(1, 9) for name in NAMES})


def build(terms) -> Poly:
    return total(L**i * S**j * D**k * c for (i, j, k), c in terms)


def shown(poly: Poly) -> sympy.Expr:
    return sympy.Add(
        *(
            sympy.Rational(Fraction(c).numerator, Fraction(c).denominator)
            * sympy.Mul(*(LETTERS[n] ** e for n, e in powers.items()))
            for powers, c in poly.powers()
        )
    )


@given(TERMS, TERMS)
def test_factors_multiply_to_the_polynomial_and_are_irreducible(left, right):
    poly = build(left) * build(right) * Fraction(2, 3)
    found = factor(poly)
    again = found.poly() if poly else Poly()
    assert again == poly
    if not poly:
        assert found.number == 0
        return
    for part, exponent in found.sums:
        assert exponent > 0
        _, pieces = sympy.factor_list(shown(part))
        assert [power for _, power in pieces] == [1]
        assert part.content() == 1
    assert len({part for part, _ in found.sums}) == len(found.sums)


@pytest.mark.parametrize(
    ("poly", "number", "powers", "sums"),
    [
        (Poly.const(6), 6, {}, {}),
        (2 * L * S**-1, 2, {"L": 1, "S": -1}, {}),
        (2 * L * D + 4 * L * S, 2, {"L": 1}, {D + 2 * S: 1}),
        (L * L - S * S, 1, {}, {L - S: 1, L + S: 1}),
        ((L + S) ** 3, 1, {}, {L + S: 3}),
        (D**-1 * (L + 1) * Fraction(1, 2), Fraction(1, 2), {"d_k": -1}, {L + 1: 1}),
    ],
)
def test_factors(poly, number, powers, sums):
    found = factor(poly)
    assert (found.number, dict(found.powers)) == (number, powers)
    assert dict(found.sums) == sums


@given(TERMS, TERMS, VALUES)
def test_a_ratio_has_the_value_of_the_division(over, under, values):
    above, below = build(over), build(under)
    one, two = (Fraction(evaluate(poly, values)) for poly in (above, below))
    if not below:
        return
    found = Ratio(above, below).value(values)
    if two:
        assert found == one / two
    else:
        # what cancels may leave a value where the division as written has none
        limit = sympy.cancel(shown(above) / shown(below)).subs({LETTERS[n]: v for n, v in values.items()})
        assert (found is None) is not limit.is_finite or found == limit


@given(TERMS, TERMS.filter(lambda terms: bool(build(terms))))
def test_the_sympy_side_of_a_ratio(over, under):
    found = Ratio(build(over), build(under)).sympy()
    assert sympy.cancel(found - shown(build(over)) / shown(build(under))) == 0


def test_a_missing_size_leaves_no_value():
    assert Ratio(L * S, D).value({"L": 2, "S": 3}) is None
    assert Ratio(L * S, L * D).value({"S": 3, "d_k": 2}) == Fraction(3, 2)
    assert Ratio(L, Poly.const(2)).value({"L": 3}) == Fraction(3, 2)


def test_what_cancels():
    ratio = Ratio(4 * L * L * S * (D + S), 2 * L * D * (D + S))
    found = ratio.common()
    assert (dict(found.powers), dict(found.sums)) == ({"L": 1}, {D + S: 1})
    assert ratio.symbols() == {"L", "S", "d_k"}
    assert Ratio(4 * L * S, 2 * L * D).symbols() == {"S", "d_k"}


@pytest.mark.parametrize(
    ("over", "under"),
    [(L, S - D), (S - D, S - L), (-L, S), (L - S, -D * L), (D - L, S * (S - L))],
)
def test_signs_are_kept(over, under):
    values = {"L": 7, "S": 2, "d_k": 3}
    expected = Fraction(evaluate(over, values)) / Fraction(evaluate(under, values))
    factors = Ratio(over, under).factors()
    above, below = factors.part(True).poly(), factors.part(False).poly()
    assert Fraction(evaluate(above, values)) / Fraction(evaluate(below, values)) == expected
    point = {LETTERS[n]: v for n, v in values.items()}
    assert Ratio(over, under).sympy().subs(point) == sympy.Rational(*expected.as_integer_ratio())


@example([((0, 0, 0), 0)], [((0, 0, 2), 1)])
@given(TERMS, TERMS.filter(lambda terms: bool(build(terms))))
def test_limits_agree_with_sympy(over, under):
    above, below = build(over), build(under)
    degrees = [sympy.degree(shown(p), LETTERS["L"]) if p else -1 for p in (above, below)]
    found = limit_in(Ratio(above, below), "L")
    if degrees[0] > degrees[1]:
        assert found is None
        return
    expected = sympy.limit(sympy.cancel(shown(above) / shown(below)), LETTERS["L"], sympy.oo)
    assert sympy.simplify(found.sympy() - expected) == 0


@pytest.mark.parametrize(
    ("over", "under", "values", "expected"),
    [
        (minimum(L, W) * S, D, {"w": 6, "S": 2, "d_k": 3}, 4),
        (L * minimum(L, W), L * D, {"w": 6, "d_k": 3}, 2),
        (L * S + D, L * 2, {"S": 5}, Fraction(5, 2)),
        (D, L, {}, 0),
        (Poly(), D, {}, 0),
        (Poly(), L, {}, 0),
    ],
)
def test_limits_with_a_minimum(over, under, values, expected):
    assert limit_in(Ratio(over, under), "L").value(values) == expected


def test_what_has_no_limit():
    assert limit_in(Ratio(L * S, D), "L") is None
    assert limit_in(Ratio(L, Poly()), "L") is None


@pytest.mark.parametrize("count", [3, 6, 8])
def test_a_product_of_many_sums_is_factored_or_left_in_time(count):
    sums = [Poly.symbol(f"x{i}") + Poly.symbol(f"y{i}") for i in range(count)]
    with within(2):
        found = factor(product(sums))
    assert found.poly() == product(sums)
    assert len(found.sums) == (count if count == 3 else len(found.sums))
