"""Polynomials agree with sympy: Laurent terms, fractions, content, coefficients, substitution."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from derivations.poly import Poly, product, total

NAMES = ("a", "b", "c")
LETTERS = {name: sympy.Symbol(name, positive=True) for name in NAMES}
A, B, C = (Poly.symbol(name) for name in NAMES)
POWERS = st.fixed_dictionaries({name: st.integers(-3, 3) for name in NAMES})
NUMBERS = st.integers(-9, 9) | st.fractions(-5, 5, max_denominator=12)
TERMS = st.lists(st.tuples(POWERS, NUMBERS), max_size=5)


def poly(terms) -> Poly:
    return total(
        product(Poly.symbol(name) ** e for name, e in powers.items()) * number for powers, number in terms
    )


def rational(number) -> sympy.Rational:
    return sympy.Rational(Fraction(number).numerator, Fraction(number).denominator)


def expected(terms) -> sympy.Expr:
    return sympy.Add(
        *(
            rational(number) * sympy.Mul(*(LETTERS[name] ** e for name, e in powers.items()))
            for powers, number in terms
        )
    )


def shown(value: Poly) -> sympy.Expr:
    """`value` in sympy, read from its terms alone."""
    return expected(list(value.powers()))


def same(value: Poly, expression: sympy.Expr) -> bool:
    return sympy.expand(shown(value) - expression) == 0


@given(TERMS, TERMS)
def test_arithmetic(left, right):
    one, two = poly(left), poly(right)
    x, y = expected(left), expected(right)
    assert same(one, x)
    assert same(one + two, x + y)
    assert same(one - two, x - y)
    assert same(one * two, sympy.expand(x * y))
    assert same(-one, -x)


@given(TERMS, NUMBERS, st.integers(0, 3))
def test_arithmetic_with_numbers(terms, number, exponent):
    value, x, n = poly(terms), expected(terms), rational(number)
    assert same(value + number, x + n)
    assert same(number + value, x + n)
    assert same(value - number, x - n)
    assert same(number - value, n - x)
    assert same(value * number, sympy.expand(n * x))
    assert same(value**exponent, sympy.expand(x**exponent))


@given(POWERS, NUMBERS.filter(bool), st.integers(-4, 4))
def test_a_single_term_has_every_power(powers, number, exponent):
    terms = [(powers, number)]
    assert same(poly(terms) ** exponent, expected(terms) ** exponent)
    assert poly(terms) * poly(terms).inverse() == 1


@given(TERMS, TERMS)
def test_equality_and_hash(left, right):
    one, two = poly(left), poly(right)
    equal = sympy.expand(expected(left) - expected(right)) == 0
    assert (one == two) is equal
    assert bool(one - two) is not equal
    again = poly(list(reversed(left)))
    assert again == one
    assert hash(again) == hash(one)


@given(TERMS.filter(lambda terms: bool(poly(terms))))
def test_content_is_the_largest_term_that_divides(terms):
    value = poly(terms)
    ((powers, number),) = value.content().powers()
    parts = list(value.powers())
    for name in NAMES:
        assert powers.get(name, 0) == min(p.get(name, 0) for p, _ in parts)
    ratios = [Fraction(c) / Fraction(number) for _, c in parts]
    assert number > 0
    assert all(ratio.denominator == 1 for ratio in ratios)
    cleared = expected(terms) / shown(value.content())
    assert sympy.Poly(sympy.expand(cleared), *LETTERS.values(), domain="QQ").content() == 1
    assert value.content() * (value * value.content().inverse()) == value


@given(TERMS, st.sampled_from(NAMES))
def test_coefficients_and_degree(terms, name):
    value, parts = poly(terms), poly(terms).coefficients(name)
    assert all(part and name not in part.names() for part in parts.values())
    assert total(part * Poly.symbol(name) ** e for e, part in parts.items()) == value
    x, letter = sympy.expand(expected(terms)), LETTERS[name]
    for exponent, part in parts.items():
        assert same(part, x.coeff(letter, exponent))
    assert value.degree(name) == max(parts, default=0)
    assert (name in value.names()) is (letter in x.free_symbols)


@given(TERMS, TERMS)
def test_substitution_of_sums(terms, image):
    """Only symbols above the fraction line may become a sum."""
    clear = [({n: abs(e) for n, e in powers.items()}, c) for powers, c in terms]
    found = poly(clear).map_symbols({"a": poly(image), "b": A}.get)
    swapped = {LETTERS["a"]: expected(image), LETTERS["b"]: LETTERS["a"]}
    assert same(found, sympy.expand(expected(clear).subs(swapped, simultaneous=True)))


@given(TERMS, POWERS, NUMBERS.filter(bool))
def test_substitution_of_single_terms(terms, powers, number):
    image = [(powers, number)]
    found = poly(terms).map_symbols({"a": poly(image), "c": A}.get)
    swapped = {LETTERS["a"]: expected(image), LETTERS["c"]: LETTERS["a"]}
    assert same(found, sympy.expand(expected(terms).subs(swapped, simultaneous=True)))


def test_what_cannot_be_inverted():
    with pytest.raises(ValueError, match="only a single term"):
        (A + B).inverse()
    with pytest.raises(ValueError, match="only a single term"):
        Poly().inverse()
    with pytest.raises(ValueError, match="only a single term"):
        (A * B**-1).map_symbols({"b": A + 1}.get)
    with pytest.raises(ZeroDivisionError, match="b"):
        (A * B**-1).map_symbols({"b": Poly()}.get)


@pytest.mark.parametrize(
    ("value", "constant", "text"),
    [
        (Poly(), 0, "0"),
        (A - A, 0, "0"),
        (Poly.const(Fraction(4, 2)), 2, "2"),
        (Poly.const(Fraction(1, 2)), Fraction(1, 2), "1/2"),
        (A, None, "a"),
        (A * A * 2 + B, None, "2*a**2 + b"),
        (A * B**-1, None, "a/b"),
        (A + 1, None, "1 + a"),
    ],
)
def test_constants_and_text(value, constant, text):
    assert value.constant == constant
    assert value.text() == text
    assert repr(value) == f"Poly({text})"


def test_whole_fractions_are_integers():
    value = A * Fraction(1, 2) + A * Fraction(3, 2)
    assert value == 2 * A
    assert [type(c) for _, c in value.powers()] == [int]
    assert (A * Fraction(1, 3)).content() == A * Fraction(1, 3)


def test_exponents_of_many_symbols_do_not_run_into_each_other():
    names = [f"x{i}" for i in range(50)]
    value = product(Poly.symbol(n) ** (-1) ** i for i, n in enumerate(names))
    ((powers, _),) = value.powers()
    assert powers == {n: (-1) ** i for i, n in enumerate(names)}
    assert value * product(Poly.symbol(n) ** -((-1) ** i) for i, n in enumerate(names)) == 1


@pytest.mark.parametrize("exponent", [32_767, -32_767])
def test_the_largest_exponent_a_field_holds(exponent):
    step = A ** (1 if exponent > 0 else -1) * B
    value = Poly.const(1)
    for bit in bin(abs(exponent))[2:]:
        value = value * value * (step if bit == "1" else 1)
    assert dict(next(value.powers())[0]) == {"a": exponent, "b": abs(exponent)}
