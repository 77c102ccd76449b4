"""Weights are found exactly when there are some: by hand, by z3, and for games whose value is known."""

from __future__ import annotations

from fractions import Fraction

import pytest
import samples  # noqa: F401 (the hypothesis profile)
import z3
from hypothesis import given
from hypothesis import strategies as st

from derivations.errors import DeriveError
from derivations.farkas import TooLarge, check, combine
from derivations.poly import Poly

A, B, C = (Poly.symbol(name) for name in "abc")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ENTRIES = st.integers(-3, 3)
NUMBERS = ENTRIES | st.fractions(-2, 2, max_denominator=6)
SCALES = st.fractions(Fraction(1, 50), 50, max_denominator=50)


def matrices(entries=ENTRIES, rows: int = 8, columns: int = 6):
    """A list of rows, all as long."""
    return st.integers(1, columns).flatmap(
        lambda width: st.lists(st.lists(entries, min_size=width, max_size=width), min_size=1, max_size=rows)
    )


def columns_of(rows) -> list[dict[int, Fraction]]:
    """The columns of a matrix as polynomials; every other one keeps its zeros."""
    return [
        {i: value for i, value in enumerate(column) if value or j % 2}
        for j, column in enumerate(zip(*rows, strict=True))
    ]


def exists(rows) -> bool:
    """Whether there are weights, says z3."""
    weights = [z3.Real(f"w{j}") for j in range(len(rows[0]))]
    solver = z3.Solver()
    solver.add(z3.Sum(weights) == 1, *(w >= 0 for w in weights))
    for row in rows:
        terms = (z3.RealVal(str(value)) * w for value, w in zip(row, weights, strict=True))
        solver.add(z3.Sum(list(terms)) >= 0)
    answer = solver.check()
    assert answer != z3.unknown
    return answer == z3.sat


def valid(columns, weights) -> bool:
    """Whether they are exact, sum to 1 and pass."""
    exact = all(type(weight) is Fraction for weight in weights)
    return exact and sum(weights) == 1 and check(columns, weights)


ACCEPTED = {
    "a rival that is less in every term": ((A * 2 + B, A + B), (1,)),
    "the same cost": ((A + B, A + B), (1,)),
    "a rival of cost zero": ((A, Poly()), (1,)),
    "the second of two": ((A + B, A * 2, B), (0, 1)),
    "never below both of its halves": ((A + B, A * 2, B * 2), (HALF, HALF)),
    "unequal weights": ((A + B * 2, A * 3, B * 3), (THIRD, 1 - THIRD)),
    "fractions": ((A * THIRD + B * HALF, A, B * Fraction(3, 4)), (THIRD, 1 - THIRD)),
    "three rivals, no two of them": ((A + B + C, A * 3, B * 3, C * 3), (THIRD, THIRD, THIRD)),
    "three rivals in a ring": ((A + B + C, A * 2 + B, B * 2 + C, C * 2 + A), (THIRD, THIRD, THIRD)),
    "a useless rival gets nothing": ((A + B, A + C, A * 2, B * 2), (0, HALF, HALF)),
    "numbers far apart": (
        (A * 10**12 + B, A * (10**12 + 1), B * (10**12 + 1)),
        (1 - Fraction(1, 10**12 + 1), Fraction(1, 10**12 + 1)),
    ),
}
"""The target, then its rivals; the weights."""
REJECTED = {
    "a rival that is more in every term": (A + B, A * 2 + B),
    "better where b is large": (A + B, A * 2, B * 3),
    "better than two of the three": (A + B + C, A * 3, B * 3),
    "a term that only rivals have": (A + B, A * 2 + C, B * 2 + C),
    "a term that only rivals have, and one more": (A + B, A + C, A * 2, B * 3),
    "a ring that is a little too dear": (A + B + C, A * 2 + B, B * 2 + C, C * 2 + A * Fraction(1001, 1000)),
    "one in a million": (A * 10**6 + B, A * 10**6 + A, B * (10**6 + 2)),
}
"""The target, then its rivals."""


def differences(target: Poly, *rivals: Poly):
    return [(target - rival).terms for rival in rivals]


@pytest.mark.parametrize("case", ACCEPTED)
def test_certificates_by_hand(case):
    costs, weights = ACCEPTED[case]
    columns = differences(*costs)
    assert check(columns, weights)
    assert combine(columns) == weights
    assert valid(columns, combine(columns))


@pytest.mark.parametrize("case", REJECTED)
def test_no_certificate_by_hand(case):
    assert combine(differences(*REJECTED[case])) is None


@pytest.mark.parametrize(
    ("columns", "weights"),
    [
        ([], None),
        ([{}], (1,)),
        ([{5: -1}, {}], (0, 1)),
        ([{5: 0}], (1,)),
        ([{5: -1}, {5: 0}], (0, 1)),
        ([{5: -1, 7: 3}], None),
        ([{5: -1, 7: 3}] * 2, None),
        ([{5: -1, 7: 1}, {5: -1}, {7: -1}], None),
    ],
)
def test_few_and_empty_columns(columns, weights):
    assert combine(columns) == weights


def test_equal_columns_share_what_one_would_have():
    columns = differences(A + B, A * 2, A * 2, B * 2, B * 2)
    weights = combine(columns)
    assert valid(columns, weights)
    assert weights[0] + weights[1] == weights[2] + weights[3] == HALF


@given(matrices())
def test_agrees_with_z3(rows):
    columns = columns_of(rows)
    weights = combine(columns)
    assert (weights is not None) == exists(rows)
    assert weights is None or valid(columns, weights)


@given(matrices(NUMBERS, 6, 5), st.data())
def test_agrees_with_z3_on_fractions(rows, data):
    scaled = [[value * scale for value in row] for row, scale in with_scales(rows, data)]
    columns = columns_of(scaled)
    weights = combine(columns)
    assert (weights is not None) == exists(rows)
    assert weights is None or valid(columns, weights)


def with_scales(rows, data):
    """Each row and a positive number."""
    scales = data.draw(st.lists(SCALES, min_size=len(rows), max_size=len(rows)))
    return zip(rows, scales, strict=True)


@given(st.integers(2, 14), st.data())
def test_a_symmetric_game_has_value_zero(size, data):
    """So weights exist, and with anything taken from every entry they do not."""
    count = size * (size - 1) // 2
    above = iter(data.draw(st.lists(ENTRIES, min_size=count, max_size=count)))
    rows = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            rows[i][j] = next(above)
            rows[j][i] = -rows[i][j]
    columns = columns_of([[value * scale for value in row] for row, scale in with_scales(rows, data)])
    assert valid(columns, combine(columns))
    less = Fraction(1, 10**6)
    lower = [[(value - less) * scale for value in row] for row, scale in with_scales(rows, data)]
    assert combine(columns_of(lower)) is None


@given(st.integers(2, 12), st.integers(2, 25), st.data())
def test_planted_weights_are_found_and_planted_proofs_against_them_respected(width, height, data):
    rows = data.draw(
        st.lists(st.lists(ENTRIES, min_size=width, max_size=width), min_size=height, max_size=height)
    )
    shares = data.draw(st.lists(st.integers(0, 3), min_size=width, max_size=width).filter(any))
    first = next(j for j, share in enumerate(shares) if share)
    for row in rows:
        owed = sum(share * value for share, value in zip(shares, row, strict=True))
        row[first] -= Fraction(owed, shares[first])
    columns = columns_of(rows)
    assert check(columns, shares)
    assert valid(columns, combine(columns))

    # a row that with the others, each taken some times, gives -1 in every column
    times = data.draw(st.lists(st.integers(0, 3), min_size=height, max_size=height))
    sums = [
        sum(time * value for time, value in zip(times, column, strict=True))
        for column in zip(*rows, strict=True)
    ]
    assert combine(columns_of([*rows, [-1 - value for value in sums]])) is None


@given(matrices(), st.lists(NUMBERS, min_size=1, max_size=6))
def test_check_is_what_it_says(rows, weights):
    """Any weights: they pass exactly when no weight and no sum is negative and some weight is not 0."""
    columns = columns_of(rows)
    expected = (
        len(weights) == len(columns)
        and min(weights) >= 0
        and max(weights) > 0
        and all(sum(w * v for w, v in zip(weights, row, strict=True)) >= 0 for row in rows)
    )
    assert check(columns, weights) == expected


@pytest.mark.parametrize(
    "weights",
    [
        (),
        (1,),
        (0, 0, 0),
        (HALF, HALF, 0, 0),
        (1, 0, 0),
        (0, 0, 1),
        (1, 2, -1),
        (HALF, Fraction(499, 1000), Fraction(1, 1000)),
    ],
)
def test_check_refuses_tampered_weights(weights):
    columns = differences(A + B, A * 2, B * 2, B * 2 + C)
    assert combine(columns) == (HALF, HALF, 0)
    assert not check(columns, weights)


def test_check_refuses_the_weights_of_other_columns():
    columns = differences(A + B * 2, A * 3, B * 3)
    weights = combine(columns)
    assert check(columns, weights)
    assert not check(columns[::-1], weights)
    assert not check(differences(A + B, A * 3, B * 3), weights)


def test_giving_up_is_no_answer():
    columns = differences(A + B, A * 2, B * 2)
    assert combine(columns, limit=4) is not None
    with pytest.raises(TooLarge, match="2 monomials in 2 columns, 3 entries allowed") as caught:
        combine(columns, limit=3)
    assert isinstance(caught.value, DeriveError)
    # the table of multipliers is as wide and as high as there are columns
    columns = differences(A + B, *(size * n for size in (A, B) for n in (2, 3, 4)))
    assert combine(columns, limit=36) is not None
    with pytest.raises(TooLarge, match="2 monomials in 6 columns, 35 entries allowed"):
        combine(columns, limit=35)


def test_what_is_plain_to_see_has_no_limit():
    assert combine(differences(A + B, A * 2, A), limit=0) == (0, 1)
    assert combine(differences(A + B, A * 2 + C, B * 2 + C), limit=0) is None
