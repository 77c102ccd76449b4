"""Quantities printed as JavaScript: by hand, and in a browser against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from browser import needs_browser, opened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derivations.algebra import Ratio
from derivations.atoms import ceiling, evaluate, floored, least
from derivations.explorer.javascript import expression, longest_of, root
from derivations.poly import Poly
from derivations.resources import resource
from derivations.roots import Root

S, L, H, b = (Poly.symbol(name) for name in ("S", "L", "H", "b"))
ONE = Poly.const(1)
HELPER = resource("templates", "html", "explorer", "root.js").read_text(encoding="utf-8")
"""The page's own function `root`."""


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (Poly(), "0"),
        (Poly.const(7), "7"),
        (Poly.const(Fraction(3, 8)), "3/8"),
        (S * L * 2, "2*v.L*v.S"),
        (S * -1, "-1*v.S"),
        (S * L + S, "v.S*(v.L+1)"),
        (L * 2 - S + 1, "(2*v.L-v.S+1)"),
        (S**3, "v.S*v.S*v.S"),
        (S**9, "Math.pow(v.S,9)"),
        (L * S.inverse(), "v.L/v.S"),
        (L * (S * b).inverse(), "v.L/(v.S*v.b)"),
        (L * Fraction(1, 2) + S, "(v.L+2*v.S)/2"),
        (least(L, S * 4), "Math.min(4*v.S,v.L)"),
        (ceiling(H, Poly.const(8)) * 2, "2*Math.ceil(v.H/8)"),
        (floored(L, least(S, Poly.const(8))), "Math.floor(v.L/Math.min(8,v.S))"),
        # one quotient, rounded once: (L / S) / 2, and L / 2 over a third
        (ceiling(L * S.inverse(), Poly.const(2)), "Math.ceil(v.L/(2*v.S))"),
        (ceiling(L * Fraction(1, 2), Poly.const(Fraction(1, 3))), "Math.ceil(3*v.L/2)"),
        (Ratio(S * L * 2, L * b), "2*v.S/v.b"),
        (Ratio(S * (L + 1), (L + 1) * b), "v.S/v.b"),
        (Ratio(L, L * 2 + S), "v.L/(2*v.L+v.S)"),
    ],
)
def test_prints(quantity, text):
    assert expression(quantity) == text


def test_the_longer_of_two_is_taken_kernel_by_kernel():
    assert longest_of([(S, L), (Poly(), b), (H, Poly())]) == "Math.max(v.S,v.L)+v.b+v.H"
    assert longest_of([]) == "0"


def test_roots():
    assert root(Root(L, Poly(), S * 2)) == "v.L/(2*v.S)"
    assert root(Root(L, L**2 - S, ONE, -1)) == "root(v.L,(v.L*v.L-v.S),v.S,1,-1)"


@pytest.mark.parametrize("name", ["a b", "L;alert(1)", "x.y", "__proto__", ""])
def test_nothing_but_a_plain_name_is_printed(name):
    with pytest.raises(ValueError, match="is no symbol"):
        expression(Poly.symbol(name))


SIZES = st.integers(1, 64)
TERMS = st.lists(
    st.tuples(st.integers(-6, 6), st.integers(1, 4), *(st.integers(-1, 2) for _ in range(3))),
    min_size=1,
    max_size=4,
)


@st.composite
def polynomials(draw, terms=TERMS):
    """Few terms with small exponents, perhaps times a min, a ceil or a floor of others."""
    found = Poly()
    for above, below, *exponents in draw(terms):
        term = Poly.const(Fraction(above, below))
        for symbol, exponent in zip((S, L, H), exponents, strict=True):
            term = term * symbol**exponent
        found = found + term
    positive = S * draw(st.integers(1, 9)) + L * Fraction(draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    other = H * draw(st.integers(1, 9)) * S.inverse() ** draw(st.integers(0, 1))
    atom = draw(st.sampled_from([ONE, least(positive, other), ceiling(positive, other), floored(other, S)]))
    return found * atom + draw(st.sampled_from([Poly(), atom]))


def size_of(poly, values):
    """The sum of the terms' magnitudes, against which rounding is measured."""
    terms = (Poly({monomial: abs(Fraction(c))}) for monomial, c in poly.terms.items())
    return sum((Fraction(evaluate(term, values)) for term in terms), start=Fraction(0))


CASES = st.lists(st.tuples(polynomials(), polynomials(), SIZES, SIZES, SIZES), min_size=25, max_size=25)


@needs_browser
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases=CASES)
def test_a_browser_gets_the_same_numbers(page, cases):
    """Sums of either sign lose digits where terms cancel, so errors are held against the terms."""
    asked = [
        (f"v => {expression(poly)}", dict(zip("SLH", sizes, strict=True)))
        for poly, _, *sizes in cases
    ]  # fmt: skip
    script = "list => list.map(([text, v]) => new Function('return ' + text)()(v))"
    found = page.evaluate(script, [list(pair) for pair in asked])
    for (poly, *_), (text, values), number in zip(cases, asked, found, strict=True):
        exact = evaluate(poly, values)
        assert abs(Fraction(number) - exact) <= size_of(poly, values) * Fraction(1, 10**13), (text, values)


@needs_browser
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases=CASES)
def test_a_browser_gets_the_same_ratios(page, cases):
    for over, under, *sizes in cases:
        values = dict(zip("SLH", sizes, strict=True))
        positive = under * under + S
        exact = Ratio(over, positive).value(values)
        number = page.evaluate(f"v => {expression(Ratio(over, positive))}", values)
        below = evaluate(positive, values)
        scale = size_of(over, values) * size_of(positive, values) / below / below
        assert abs(Fraction(number) - exact) <= scale * Fraction(1, 10**12), (over, under, values)


@needs_browser
@pytest.mark.parametrize(
    ("p", "q", "r", "sign"),
    [
        (L * 2, L**2 * 4 - S, Poly.const(2), -1),  # about S / (4 L): the difference of two nearly equal numbers
        (L * -2, L**2 * 4 - S, Poly.const(2), 1),
        (L * 2, L**2 * 4 - S, Poly.const(2), 1),
        (S, L, ONE, -1),
    ],
)
def test_roots_lose_no_digits(page, p, q, r, sign):
    values = {"L": 10**6, "S": 7}
    found = Root(p, q, r, sign)
    number = page.evaluate(f"v => {{ {HELPER}; return {root(found)}; }}", values)
    # to 30 decimals of the square root, of which six cancel
    assert abs(Fraction(number) / found.value(values) - 1) < Fraction(1, 10**13)


@needs_browser
def test_a_root_of_a_negative_number_is_none(page):
    text = root(Root(S, L * -1, ONE))
    assert page.evaluate(f"v => {{ {HELPER}; return {text}; }}", {"L": 4, "S": 1}) is None


@pytest.fixture(scope="module")
def page(chromium):
    with opened(chromium, "<p>empty</p>") as view:
        yield view
