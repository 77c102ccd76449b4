"""Size formulas: the grammar, its bounds, and that nothing in them is ever run."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import AT, PLACE, outcome, refused, within

from derivations.atoms import evaluate
from derivations.expr import parse_comparison, parse_size
from derivations.poly import Poly

HELP = "; use names, whole numbers, + - * / ^ ( ), min, ceil and floor"
VALUES = {"L": 100, "S": 7, "H_q": 12, "H_kv": 4, "d_k": 5, "w": 9}


def size(text: str):
    return parse_size(text, PLACE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("L", 100),
        (" 2 * L - S ", 193),
        ("H_q/H_kv", 3),
        ("(L + S) * (d_k - 1)", 428),
        ("L - S - 1", 92),
        ("L/S/2", Fraction(100, 14)),
        ("2*3/4", Fraction(3, 2)),
        ("min(L, w)", 9),
        ("min(w, S, d_k)", 5),
        ("min(L)", 100),
        ("ceil(L/S)", 15),
        ("floor(L/S)", 14),
        ("ceil(2*L/(3*S))", 10),
        ("ceil((L - 1)/S) * 2", 30),
        ("((((((((((((L))))))))))))", 100),
        ("import + lambda", 3),
        ("1000000000000000", 10**15),
    ],
)
def test_formulas_have_the_value_of_arithmetic(text, value):
    assert evaluate(size(text), {**VALUES, "import": 1, "lambda": 2}) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a name or a number, found the end in the formula ''"),
        ("a +", "expected a name or a number, found the end in the formula 'a +'"),
        ("-a", "expected a name or a number, found '-' in the formula '-a'"),
        ("a b", "'b' is not expected in the formula 'a b'"),
        ("2a", "cannot read '2a' in the formula '2a'"),
        ("1.5", "cannot read '1.5' in the formula '1.5'"),
        ("1e5", "cannot read '1e5' in the formula '1e5'"),
        ("a__b", "'a__b' is no name in the formula 'a__b'"),
        ("_a", "cannot read '_a' in the formula '_a'"),
        ("٣", "cannot read '٣' in the formula '٣'"),
        ("３*L", "cannot read '３*L' in the formula '３*L'"),
        ("Η", "cannot read 'Η' in the formula 'Η'"),  # Greek capital eta
        ("d²", "cannot read '²' in the formula 'd²'"),
        ("(a", "expected ')', found the end in the formula '(a'"),
        ("a)", "')' is not expected in the formula 'a)'"),
        ("d_k**9**9", "expected a name or a number, found '*' in the formula 'd_k**9**9'"),
        ("__import__('os')", "cannot read \"__import__('os')\" in the formula"),
        ("open(a)", "unknown function 'open' in the formula 'open(a)'"),
        ("a.real", "cannot read '.real' in the formula 'a.real'"),
        ("a[0]", "cannot read '[0]' in the formula 'a[0]'"),
        ("a/(b+c)", "the divisor must be a single term in the formula 'a/(b+c)'"),
        ("a/0", "the divisor must be a single term in the formula 'a/0'"),
        ("ceil(a)", "expected '/', found ')' in the formula 'ceil(a)'"),
        ("ceil(a/b/c)", "expected ')', found '/' in the formula 'ceil(a/b/c)'"),
        ("ceil(a/(b+c))", "the divisor must be a single positive term in the formula 'ceil(a/(b+c))'"),
        ("min()", "expected a name or a number, found ')' in the formula 'min()'"),
        ("min(a,)", "expected a name or a number, found ')' in the formula 'min(a,)'"),
        ("9" * 17, f"a number is too large in the formula '{'9' * 17}'"),
        ("1000000000000001", "a number is too large in the formula '1000000000000001'"),
        (
            "(" * 14 + "a" + ")" * 14,
            "parentheses nested deeper than 12 in the formula '((((((((((((((",
        ),
        ("(a+b)*(c+d)*(e+f)*(g+h)*(i+j)*(k+l)*(m+n)*(o+p)", "too many terms in the formula '(a+b)"),
    ],
)
def test_what_is_no_formula(text, message):
    found = refused(size, text)
    assert found.startswith(AT + message)
    assert found.endswith(HELP)


@pytest.mark.parametrize("text", ["(" * 10_000, "9" * 5000, "a+" * 100 + "a", "min(" * 60])
def test_long_formulas_are_refused_before_they_are_read(text):
    assert refused(size, text) == AT + "the formula is longer than 200 characters"


@pytest.mark.parametrize("text", ["ceil(a/0)", "floor(a/0)", "ceil(a/(b-b))", "ceil(3/0)"])
def test_rounding_does_not_divide_by_zero(text):
    assert "the divisor must be a single positive term" in refused(size, text)


NEVER = ["0", "a - a", "floor(1/2)", "min(0, a)", "ceil(0/3)", "1 - 2", "S - L - 1", "2 - 3*L", "1 - a"]


@pytest.mark.parametrize("text", NEVER)
def test_a_size_that_is_never_positive(text):
    assert refused(size, text) == f"{AT}the size {text!r} is never positive"


@pytest.mark.parametrize(
    "text",
    [
        "min(" + "*".join("abcdefgh" * 11) + ", z)",
        "min(" + "*".join("abcdefghijklmnopqrstuvw") + ", z)",
        "min(" + "*".join("a" * 90) + ", z)",
        "(a+b)*(a+c)*(d+e)*(f+g)*(h+i)*(j+k)*(l+m) + (a+b)*(a+c)*(d+e)*(f+g)*(h+i)*(j+k)*(l+m)",
        "min(b, " * 11 + "a" + ")" * 11,
        "*".join(["999999999999999"] * 12),
    ],
)
def test_a_dense_formula_is_read_or_refused_within_a_second(text):
    assert len(text) <= 200
    with within(1):
        outcome(size, text)


@pytest.mark.parametrize(
    ("text", "slack", "strict", "equal"),
    [
        ("d_k + S < 2*w", 6, True, False),
        ("w >= S", 2, False, False),
        ("w > S", 2, True, False),
        ("S <= w", 2, False, False),
        ("w = 9", 0, False, True),
        ("9 == w", 0, False, True),
        ("0 < S", 7, True, False),
    ],
)
def test_comparisons(text, slack, strict, equal):
    found = parse_comparison(text, PLACE)
    assert (evaluate(found.slack, VALUES), found.strict, found.equal) == (slack, strict, equal)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "'a' is no comparison; write it like d_k + d_v < 2*d_c"),
        ("a < b < c", "'a < b < c' is no comparison; write it like d_k + d_v < 2*d_c"),
        ("a => b", "'a => b' is no comparison; write it like d_k + d_v < 2*d_c"),
        ("a <", "expected a name or a number, found the end in the formula ''" + HELP),
        ("a != b", "cannot read '!' in the formula 'a !'" + HELP),
        ("a < b; import os", "cannot read '; import os' in the formula ' b; import os'" + HELP),
    ],
)
def test_what_is_no_comparison(text, message):
    assert refused(parse_comparison, text, PLACE) == AT + message


LEAF = st.sampled_from([*((n, Fraction(VALUES[n])) for n in "LSw"), ("1", Fraction(1)), ("7", Fraction(7))])


def _joined(inner: st.SearchStrategy) -> st.SearchStrategy:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: (f"({p[0][0]} + {p[1][0]})", p[0][1] + p[1][1])),
        pair.map(lambda p: (f"({p[0][0]} * {p[1][0]})", p[0][1] * p[1][1])),
        st.tuples(inner, LEAF).map(lambda p: (f"({p[0][0]} / {p[1][0]})", p[0][1] / p[1][1])),
    )


@given(st.recursive(LEAF, _joined, max_leaves=6), st.sampled_from(["", "ceil", "floor"]))
def test_random_formulas_agree_with_fractions(formula, rounding):
    text, expected = formula
    if rounding:
        text = f"{rounding}({text} / d_k) + 1"
        expected = {"ceil": ceil, "floor": floor}[rounding](expected / VALUES["d_k"]) + 1
    assert evaluate(size(text), VALUES) == expected


@given(st.text(max_size=40) | st.text("aL12+-*/(), minceilfloor_", max_size=60))
def test_no_text_gets_past_the_error(text):
    found = outcome(size, text)
    assert isinstance(found, Poly) or found.startswith(AT)
