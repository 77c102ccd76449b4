"""The kernel's arithmetic against sympy's and against plain numbers; what is not in the one form is refused."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from samples import within

from derivations.kernel.exact import (
    ONE,
    Rejected,
    coefficients,
    data,
    expand,
    minus,
    need,
    ordered,
    plus,
    put,
    read,
    symbol,
    times,
)

NAMES = ("L", "S", "b", "δ")
LETTERS = {name: sympy.Symbol(name) for name in NAMES}

numbers = st.fractions(-9, 9, max_denominator=7)
monomials = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), max_size=3).map(
    lambda powers: tuple(sorted(powers.items()))
)
polys = st.dictionaries(monomials, numbers.filter(bool), max_size=5)
points = st.fixed_dictionaries({name: st.fractions(-5, 5, max_denominator=3) for name in NAMES})
signs = st.sampled_from([1, -1])


def as_sympy(poly):
    parts = ((sympy.Rational(c.numerator, c.denominator), m) for m, c in poly.items())
    return sympy.Add(*(c * prod(LETTERS[n] ** e for n, e in m) for c, m in parts))


def same(poly, other):
    """Whether a polynomial is what sympy makes of an expression, each coefficient but 0 and a Fraction."""
    found = {} if other == 0 else sympy.Poly(other, *LETTERS.values()).as_dict()
    by_hand = {
        tuple((n, e) for n, e in zip(NAMES, powers, strict=True) if e): Fraction(int(c.p), int(c.q))
        for powers, c in found.items()
        if c
    }
    return poly == by_hand and all(isinstance(c, Fraction) for c in poly.values())


def at(poly, point):
    return sum((c * prod(point[n] ** e for n, e in m) for m, c in poly.items()), Fraction(0))


@given(polys, polys, signs)
def test_sums(one, two, sign):
    assert same(plus(one, two, sign), as_sympy(one) + sign * as_sympy(two))
    assert minus(one, two) == plus(one, two, -1)
    assert plus(minus(one, two), two) == one
    assert minus(one, one) == {}


@given(polys, polys, polys)
def test_products(one, two, three):
    assert same(times(one, two), as_sympy(one) * as_sympy(two))
    assert times(one, two, three) == times(times(three, one), two)
    assert times(one, plus(two, three)) == plus(times(one, two), times(one, three))
    assert times(one, {}) == {}
    assert times(one, ONE) == times(one) == one


def test_the_empty_product_is_one_and_stays_it():
    assert times() == {(): 1}
    assert plus(times(), ONE) == {(): 2}
    assert ONE == {(): 1}


@given(polys, polys, points)
def test_arguments_are_left_as_they_are(one, two, point):
    before = dict(one), dict(two)
    plus(one, two)
    times(one, two)
    put(one, {"L": two})
    coefficients(one, "L")
    assert (one, two) == before
    assert at(times(one, two), point) == at(one, point) * at(two, point)


@given(polys, polys, polys, points)
def test_symbols_are_replaced_at_once(poly, first, second, point):
    """L and S for each other are exchanged, not run together."""
    found = put(poly, {"L": first, "S": second})
    images = {**point, "L": at(first, point), "S": at(second, point)}
    assert at(found, point) == at(poly, images)
    both = {LETTERS["L"]: as_sympy(first), LETTERS["S"]: as_sympy(second)}
    assert same(found, as_sympy(poly).subs(both, simultaneous=True))
    assert put(put(poly, {"L": symbol("S"), "S": symbol("L")}), {"S": symbol("L"), "L": symbol("S")}) == poly
    assert put(poly, {}) == poly


def test_premises_are_replaced_too():
    """2 (L - 1) S + 3 with L - 1 for 0 and S for 1."""
    known = {0: minus(symbol("L"), ONE), 1: symbol("S")}
    weights = {((0, 1), (1, 1)): Fraction(2), (): Fraction(3)}
    assert put(weights, known) == {(("L", 1), ("S", 1)): 2, (("S", 1),): -2, (): 3}


@given(polys, st.sampled_from(NAMES))
def test_coefficients(poly, name):
    parts = coefficients(poly, name)
    powers = sympy.Poly(as_sympy(poly), LETTERS[name]).as_dict() if poly else {}
    assert {(power,) for power in parts} == set(powers)
    assert all(same(part, powers[power,].expand()) for power, part in parts.items())
    again = {}
    for power, part in parts.items():
        again = plus(again, times(part, *[symbol(name)] * power))
    assert again == poly


def terms(depth):
    """Expressions, and the same as sympy has them."""
    leaf = st.one_of(
        st.sampled_from(NAMES).map(lambda n: (("sym", n), LETTERS[n])),
        st.integers(-4, 4).map(lambda n: (("num", n), sympy.Integer(n))),
        st.sampled_from(["1/2", "-2/3"]).map(lambda n: (("num", n), sympy.Rational(n))),
    )
    if not depth:
        return leaf
    inner, single = terms(depth - 1), leaf.filter(lambda pair: pair[1] != 0)
    many = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        many.map(lambda ps: (("add", *(e for e, _ in ps)), sympy.Add(*(v for _, v in ps)))),
        many.map(lambda ps: (("mul", *(e for e, _ in ps)), sympy.Mul(*(v for _, v in ps)))),
        st.tuples(inner, inner).map(lambda ps: (("sub", ps[0][0], ps[1][0]), ps[0][1] - ps[1][1])),
        st.tuples(inner, single).map(lambda ps: (("div", ps[0][0], ps[1][0]), ps[0][1] / ps[1][1])),
    )


@given(terms(2))
def test_expressions_multiplied_out(pair):
    """Times enough of each symbol both are polynomials, and the same ones."""
    e, value = pair
    found = expand(e)
    assert all(found.values())
    enough = {tuple((n, 20) for n in NAMES): Fraction(1)}
    assert same(times(found, enough), sympy.expand(value * prod(x**20 for x in LETTERS.values())))


@pytest.mark.parametrize("e", [
    ("div", ("sym", "L"), ("num", 0)), ("div", ("sym", "L"), ("num", "0")),
    ("div", ("sym", "L"), ("sub", ("sym", "S"), ("sym", "S"))),
    ("div", ("sym", "L"), ("add", ("sym", "S"), ("num", 1))),
    ("div", ("sym", "L"), ("sym", "S"), ("sym", "b")), ("sub", ("sym", "L"), ("sym", "S"), ("sym", "b")),
    ("div", ("sym", "L")), ("sub", ("sym", "L")), ("add",), ("mul",), ("pow", ("sym", "L"), ("num", 2)),
    ("def", "F"), ("lim", ("sym", "L"), "L"), ("shift", ("sym", "L"), "L"), ("min", ("sym", "L"), ("num", 4)),
    ("root", ("sym", "L"), ("sym", "S"), "S"), ("num", 0.5), ("num", True), ("num", None), ("num", "1e3"),
    ("num", "1E3"), ("num", "nan"), ("num", "inf"), ("num", 10**99), ("num", -(10**99)), ("num", "1" * 99),
    ("num", Fraction(1, 2)), ("num", 1j), ("num",), ("num", "1/0"), ("num", "x"), ("sym", 3), ("sym", None),
    ("sym", ("L",)), ("sym",), (), "L", 3, ("L",),
])  # fmt: skip
def test_what_is_not_to_be_multiplied_out(e):
    with pytest.raises((Rejected, ValueError, TypeError, IndexError, ArithmeticError)):
        expand(e)


@given(polys)
def test_there_is_one_tuple_for_each_polynomial(poly):
    found = data(poly)
    assert read(found) == poly
    assert data(read(found)) == found
    assert data(dict(reversed(poly.items()))) == found
    for place in range(1, len(found)):
        turned = (*found[: place - 1], found[place], found[place - 1], *found[place + 1 :])
        with pytest.raises(Rejected):
            read(turned)


def test_the_tuples_themselves():
    assert data({}) == ()
    assert data(ONE) == ((1, ()),)
    half = {(("L", 2), ("b", 1)): Fraction(-1, 2), (): Fraction(4, 2)}
    assert data(half) == (("-1/2", (("L", 2), ("b", 1))), (2, ()))
    assert read((("-1/2", (("L", 2), ("b", 1))), (2, ()))) == half


L1 = (("L", 1),)
NO_POLYNOMIALS = [
    [], [(1, ())], None, 1, "", "L", {}, (1,), (1, ()), ((1,),), ((1, (), ()),), (((), 1),), ((1, None),),
    ([1, ()],), ((1, []),), ((1, [("L", 1)]),), ((1, (["L", 1],)),), ((1, "L"),), ((1, ("L", 1)),),
    ((0, ()),), ((0, L1),), (("0", ()),), ((1, L1), (0, ())), ((1, L1), (1, L1)), ((1, L1), (-1, L1)),
    ((1, ()), (1, L1)), ((1, (("S", 1),)), (1, L1)),
    ((1, (("L", 0),)),), ((1, (("L", -1),)),), ((1, (("L", 1.0),)),), ((1, (("L", True),)),),
    ((1, (("L", "1"),)),), ((1, (("L", Fraction(1)),)),), ((1, (("L", 100),)),), ((1, (("L", 10**9),)),),
    ((1, (("S", 1), ("L", 1))),), ((1, (("L", 1), ("L", 1))),), ((1, (("L", 1), (3, 1))),),
    ((1, ((3, 1), ("L", 1))),), ((1, ((1.0, 1),)),), ((1, ((None, 1),)),), ((1, ((True, 1),)),),
    ((1, ((("L",), 1),)),), ((1, (("L", 1, 1),)),), ((1, (("L",),)),),
    ((1.0, ()),), ((True, ()),), ((Fraction(1), ()),), ((1j, ()),), ((None, ()),), ((float("inf"), ()),),
    ((float("nan"), ()),), (("2/4", ()),), (("2", ()),), (("4/2", ()),), (("-0", ()),), (("0.5", ()),),
    ((".5", ()),), (("1e3", ()),), (("1E3", ()),), (("1/2 ", ()),), ((" 1/2", ()),), (("+1/2", ()),),
    (("1/-2", ()),), (("1_0/3", ()),), (("１/2", ()),), (("1/0", ()),), (("", ()),), (("x", ()),),
    (("nan", ()),), (("inf", ()),), ((b"1/2", ()),), ((10**99, ()),), ((-(10**99), ()),),
    (("1/" + "3" * 97, ()),), ((10**9999, ()),),
]  # fmt: skip


@pytest.mark.parametrize("terms", NO_POLYNOMIALS, ids=range(len(NO_POLYNOMIALS)))
def test_what_is_not_in_the_one_form_is_refused(terms):
    with within(1), pytest.raises((Rejected, ValueError, TypeError, ArithmeticError)):
        read(terms)


def test_the_largest_numbers_that_are_taken():
    for c in (10**99 - 1, 1 - 10**99, "1/" + "3" * 96):
        assert data(read(((c, ()),))) == ((c, ()),)
    assert read(((1, (("L", 99),)),)) == {(("L", 99),): 1}


@given(st.lists(polys, max_size=4), st.lists(polys, max_size=3))
def test_sides_have_one_order(one, two):
    first, second = [*map(data, one)], [*map(data, two)]
    found = ordered(first, second)
    assert ordered(reversed(second), first) == ordered(found) == found
    assert sorted(found, key=repr) == sorted([*first, *second], key=repr)


def test_need():
    need(1, "never")
    with pytest.raises(Rejected, match="why not"):
        need((), "why not")
