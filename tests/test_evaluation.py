"""Exact values of expressions, held against rational arithmetic done here and against sympy."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
import sympy
from claimtables import (
    CEIL,
    CROSSES,
    FALSE,
    MIN,
    ROOT,
    TRUE,
    E,
    H,
    L,
    S,
    about,
    b,
    k,
    limit,
    nonneg,
    pos,
    put,
    says,
    v,
)

from derivations.claims import STEP, Claim, Term
from derivations.evaluation import NoValue, broken_by, legal, value

ONE = ("num", 1)
NAMES = ("H", "L", "S")


def exact(e: Term, at: dict[str, Fraction]) -> Fraction | None:
    """The value of an expression without limits; None where something is divided by zero."""
    head, *rest = e
    if head in ("num", "sym"):
        return Fraction(rest[0]) if head == "num" else Fraction(at[rest[0]])
    if head == "shift":
        return exact(rest[0], {**at, rest[1]: at[rest[1]] + at[STEP]})
    parts = [exact(part, at) for part in rest]
    if None in parts or (head == "div" and not all(parts[1:])):
        return None
    result = parts[0]
    for part in parts[1:]:
        result = {
            "add": result + part,
            "sub": result - part,
            "mul": result * part,
            "div": result / (part or 1),
        }[head]
    return result


def symbolic(e: Term, at: dict[str, Fraction], name: str) -> sympy.Expr | None:
    """An expression in one symbol, the others as numbers; None where something divides by 0 throughout."""
    head, *rest = e
    if head == "num" or (head == "sym" and rest[0] != name):
        number = Fraction(rest[0] if head == "num" else at[rest[0]])
        return sympy.Rational(number.numerator, number.denominator)
    if head == "sym":
        return sympy.Symbol(name)
    parts = [symbolic(part, at, name) for part in rest]
    if None in parts:
        return None
    result = parts[0]
    for part in parts[1:]:
        if head == "div":
            if sympy.cancel(part) == 0:
                return None
            part = 1 / part
        result = result * part if head in ("mul", "div") else result + part if head == "add" else result - part
    return sympy.cancel(result)


def limit_of(e: Term, at: dict[str, Fraction], name: str) -> Fraction | None:
    """The limit as a symbol grows: sympy's; None where there is none that is finite."""
    form = symbolic(e, at, name)
    found = None if form is None else sympy.limit(form, sympy.Symbol(name), sympy.oo)
    return Fraction(int(found.p), int(found.q)) if found is not None and found.is_Rational else None


def valued(claim: Claim, e: Term, at: dict[str, Fraction]) -> Fraction | None:
    try:
        return value(claim, e, at)
    except NoValue:
        return None


def expression(random: Random, depth: int, shifts: bool = False) -> Term:
    if not depth or random.random() < 0.15:
        return random.choice((("sym", random.choice(NAMES)), ("num", random.randint(0, 3))))
    if shifts and random.random() < 0.15:
        return "shift", expression(random, depth - 1), random.choice(NAMES)
    parts = [expression(random, depth - 1, shifts) for _ in range(2)]
    return random.choice(("add", "sub", "mul", "div", "div")), *parts


def sizes(random: Random) -> dict[str, Fraction]:
    return {name: Fraction(random.choice((1, 1, 2, 3, 7))) for name in NAMES} | {
        STEP: Fraction(random.choice((1, 5)))
    }


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_rational_arithmetic(seed):
    """Where a part is divided by zero there is no value, whatever is done with that part."""
    random, known, none = Random(seed), 0, 0
    for _ in range(400):
        e, at = expression(random, 4, shifts=True), sizes(random)
        expected = exact(e, at)
        assert valued(Claim(("same", e, ONE), sizes=NAMES), e, at) == expected, (e, at)
        known, none = known + (expected is not None), none + (expected is None)
    assert min(known, none) > 50


@pytest.mark.parametrize("seed", range(3))
def test_limits_are_those_of_sympy(seed):
    random, known, none = Random(seed), 0, 0
    for _ in range(90):
        inner, at = expression(random, 3), sizes(random)
        e = ("lim", inner, "L")
        expected = limit_of(inner, at, "L")
        assert valued(Claim(("same", e, ONE), sizes=NAMES), e, at) == expected, (inner, at)
        known, none = known + (expected is not None), none + (expected is None)
    assert min(known, none) > 10


PUT = about(says("same", L + S, H), put("S", H * 2), put("L", H * H + 3))
PLAIN = about(says("same", L, S))
LEAST = about(says("less", L, S), sizes=("L", "w"), opaque=MIN)
UP = about(says("less", L, S), sizes=("L", "m"), opaque=CEIL)
DOWN = about(says("less", L, S), sizes=("L",), opaque=(("f", ("floor", (L / 4).term)),))
SMALL = {"H": 3, "d_c": 1, "d_k": 1, "d_v": 1}
POINT = {"H": 2, "L": 5, "S": 3, "d_c": 4, "d_k": 1, "d_v": 2, "b": Fraction(1, 2), STEP: 10}
VALUES = [
    # (claim, expression, sizes, value)
    (PUT, L + S, SMALL, 18),  # 9 + 3 + 6
    (PUT, limit((L + 1) / (S * H), "H"), SMALL, Fraction(1, 2)),  # (H^2 + 4)/(2 H^2)
    (PUT, limit(L / S, "H"), SMALL, None),
    (PLAIN, b * L, POINT, Fraction(5, 2)),
    (PLAIN, E(("def", "M")), POINT, 10),  # 5 * 4 / 2
    (PLAIN, E(("shift", (L * L).term, "L")), POINT, 225),
    (PLAIN, limit(E(("shift", (L / (L + S)).term, "L")), "L"), POINT, 1),
    (PLAIN, limit(E(("shift", (S / L).term, "S")), "L"), POINT, 0),
    (PLAIN, limit((L * (k - v) + 1) / (L * (k - v) + 7), "L"), {**POINT, "d_k": 2}, Fraction(1, 7)),
    (PLAIN, limit((L * (k - v) + 1) / (L * (k - v) + 7), "L"), POINT, 1),
    (PLAIN, limit(L * (k - v) / (k - v), "d_k"), POINT, 5),
    (PLAIN, limit(L - L + 3, "L"), POINT, 3),
    (PLAIN, limit(L / (L + 1), "L") * limit(S / (S * 2 + L), "S"), POINT, Fraction(1, 2)),
    (PLAIN, limit(limit(L / (L + 1), "L") * S / (S * 2), "S"), POINT, Fraction(1, 2)),
    (PLAIN, limit(L / L, "L") / (L - 5), POINT, None),
    (PLAIN, L / (S - 3), POINT, None),
    (PLAIN, (L / (S - 3)) * 0, POINT, None),
    (PLAIN, (S - 3) / (S - 3), POINT, None),
    (PLAIN, (L / (L / (S - 3))), POINT, None),
    (PLAIN, L / (H / H - 1), POINT, None),
    # the place where 2 H S d_c (...) + 4 H S L d_c and 2 H L (d_c + S)(d_k + d_v) are equal, worked out by hand
    (about(says("same", ROOT, 1), *CROSSES), ROOT, POINT, Fraction(5 * 4 * 3, 5 * (8 - 3) + 4 * 3)),
    (PLAIN, E(("root", (L * 2).term, (S * 7 + 1).term, "L")), POINT, 11),
    (PLAIN, E(("root", (L * 2).term, (L * 2).term, "L")), POINT, None),
    (PLAIN, E(("root", (L * L).term, (S * 7 + 1).term, "L")), POINT, None),
    (PLAIN, E(("root", (L * k).term, (L * v + 7).term, "L")), {**POINT, "d_v": 1}, None),
    (LEAST, E(("sym", "min(L, w)")), {"L": 5, "w": 3, "b": 2}, 3),
    (LEAST, E(("sym", "min(L, w)")), {"L": 2, "w": 3, "b": 2}, 2),
    *(
        (UP, E(("sym", "ceil")), {"L": x, "m": 4, "b": 2}, y)
        for x, y in ((1, 1), (4, 1), (5, 2), (8, 2), (9, 3))
    ),
    *(
        (DOWN, E(("sym", "f")), {"L": x}, y)
        for x, y in ((1, 0), (3, 0), (4, 1), (7, 1), (8, 2))
    ),
    (about(says("less", L, S)), E(("sym", "x")), POINT, None),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "e", "at", "expected"), VALUES)
def test_values_by_hand(claim, e, at, expected):
    assert valued(claim, e.term, at) == expected


BOUND = about(says("less", L, S), nonneg(L - S), pos(b * -1 + 3), put("H", 1))
LEGAL = {"L": 2, "S": 2, "d_c": 1, "d_k": 1, "d_v": 1, "b": Fraction(5, 2)}
ILLEGAL = [
    {"L": 0}, {"L": -1}, {"L": Fraction(5, 2)}, {"L": 1}, {"S": 3}, {"d_c": 0}, {"b": 0}, {"b": -1}, {"b": 3},
    {"H": 5}, {"L": 2.5}, {"L": None}, {"b": None},
]  # fmt: skip


def test_legal_sizes():
    assert legal(BOUND, LEGAL)
    assert legal(BOUND, {**LEGAL, "L": 10**15, "b": Fraction(1, 10**9)})


@pytest.mark.parametrize("change", ILLEGAL)
def test_illegal_sizes(change):
    """What an assumption puts for a symbol is no choice of whoever names the sizes."""
    at = {name: number for name, number in {**LEGAL, **change}.items() if number is not None}
    assert not legal(BOUND, at)
    assert not broken_by(BOUND, says("less", L, S), [at])


def test_what_a_min_is_is_no_choice():
    claim = about(says("atmost", E(("sym", "min(L, w)")), L), sizes=("L", "w"), opaque=MIN)
    assert not broken_by(claim, claim.statement, [{"L": 2, "w": 3, "b": 1, "min(L, w)": 9}])


GRID = [dict(zip(("H", "L", "S", "d_c", "d_k", "d_v"), n, strict=True)) for n in product((1, 2, 5), repeat=6)]


@pytest.mark.parametrize("name", TRUE)
def test_nothing_breaks_what_is_true(name):
    """Single sizes and pairs further along each symbol, legal or not, widths of all kinds."""
    claim = TRUE[name]
    for place, small in enumerate(GRID[::5]):
        at = {**small, "w": small["S"], "m": small["H"], "b": (Fraction(1, 3), 2, 5)[place % 3]}
        assert not broken_by(claim, claim.statement, [at])
        for symbol in ("L", "S", "w", "b"):
            further = {**at, symbol: at[symbol] + 1 + place % 4}
            assert not broken_by(claim, claim.statement, [at, further])
            assert not broken_by(claim, claim.statement, [further, at])


PAIRS = [
    # a pair says something only where it differs in the one symbol, and upwards
    (says("increasing", L * H, "L"), {"L": 3}, {"L": 2}),
    (says("increasing", L * H, "L"), {"L": 3}, {"L": 3}),
    (says("increasing", L * H, "L"), {"L": 3, "H": 9}, {"L": 4, "H": 1}),
    (says("independent", H + 0, "L"), {"L": 3, "H": 9}, {"L": 4, "H": 1}),
    (says("crosses", L + 0, S * 2, "L"), {"L": 2, "S": 4}, {"L": 9, "S": 9}),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "one", "two"), PAIRS)
def test_pairs_that_show_nothing(statement, one, two):
    base = {"H": 1, "L": 1, "S": 1, "d_c": 1, "d_k": 1, "d_v": 1, "b": 1}
    assert not broken_by(about(statement), statement, [{**base, **one}, {**base, **two}])


def test_no_sizes_break_nothing():
    for claim in FALSE.values():
        assert not broken_by(claim, claim.statement, [])
