"""Best-order maps against evaluating every whole number, and cases worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import refused

from derivations.atoms import atom_of, ceiling, evaluate, floored, minimum, put
from derivations.envelope import MOST_STEPS
from derivations.maps import (
    Boundary,
    Curve,
    Plane,
    Row,
    Segment,
    boundaries,
    curves,
    log_spaced,
    plane,
    segments,
)
from derivations.poly import Poly, total

S, L, X = (Poly.symbol(name) for name in ("S", "L", "x"))
NUMBERS = st.integers(-40, 40) | st.fractions(-3, 3, max_denominator=6)
FAR = st.integers(1, 2000)


def const(number) -> Poly:
    return Poly.const(number)


def build(parts: list[Poly], numbers) -> Poly:
    return total(part * number for part, number in zip(parts, numbers, strict=False))


def through(roots, lead) -> Poly:
    """A polynomial that is zero at these numbers, so that signs change inside the range."""
    poly = const(lead)
    for root in roots:
        poly = poly * (X - root)
    return poly


PLAIN = st.lists(NUMBERS, max_size=4).map(lambda numbers: build([X**k for k in range(4)], numbers))
CROSSING = st.builds(
    through,
    st.lists(st.integers(1, 300) | st.fractions(1, 300, max_denominator=5), min_size=1, max_size=3),
    st.integers(-3, 3),
)
LAURENT = st.lists(NUMBERS, max_size=5).map(lambda numbers: build([X**k for k in range(-2, 3)], numbers))
ATOMS = st.sampled_from(
    [
        minimum(X, const(20)),
        minimum(const(70), 4 * X),
        minimum(X**2, 13 * X + 7),
        minimum(const(2048) * X**-1, X + 1),
        minimum(X * 3, minimum(X + 40, const(90))),
    ]
)
STEPS = st.sampled_from(
    [
        ceiling(X, const(16)),
        floored(X, const(7)),
        floored(X**2, X + 3),
        ceiling(const(500) - X, const(9)),
        floored(const(300), X - 400),
        minimum(ceiling(X, const(10)) * 10, const(75)),
        ceiling(minimum(X, const(60)), const(8)),
        floored(ceiling(X, const(3)), const(5)),
    ]
)
WITH_MIN = st.builds(lambda a, p, b: a * p + b, ATOMS, PLAIN, PLAIN)
WITH_STEPS = st.builds(lambda a, b, n, p: a * n + b * X + p, STEPS, STEPS, NUMBERS, PLAIN)


@cache
def terms(poly: Poly) -> list:
    return [(tuple(powers.items()), coefficient) for powers, coefficient in poly.powers()]


@cache
def number(name: str, x: int):
    """A symbol or a definition at x, by the words of its definition."""
    atom = atom_of(name)
    if atom is None:
        return x
    one, two = (number_of(argument, x) for argument in atom.arguments)
    return min(one, two) if atom.function == "min" else {"ceil": ceil, "floor": floor}[atom.function](one / two)


def number_of(poly: Poly, x: int) -> Fraction:
    value = Fraction(0)
    for powers, coefficient in terms(poly):
        term = Fraction(coefficient)
        for name, exponent in powers:
            term *= Fraction(number(name, x)) ** exponent
        value += term
    return value


def best_at(costs, x: int) -> tuple[int, ...]:
    values = [number_of(cost, x) for cost in costs]
    least = min(values)
    return tuple(index for index, value in enumerate(values) if value == least)


def check(costs, low: int, high: int) -> tuple[Segment, ...]:
    """Every whole number is in one segment with its own cheapest costs, and no two segments could be one."""
    found = segments(costs, "x", low, high)
    assert (found[0].start, found[-1].end) == (low, high)
    for one, two in pairwise(found):
        assert one.end + 1 == two.start
        assert one.best != two.best
    for segment in found:
        for x in range(segment.start, segment.end + 1):
            assert best_at(costs, x) == segment.best, x
    return found


@given(st.lists(PLAIN | CROSSING, min_size=2, max_size=6), FAR, st.integers(0, 400))
def test_plain_costs(costs, low, more):
    check(costs, low, low + more)


@given(st.lists(CROSSING | PLAIN, min_size=2, max_size=4))
@settings(max_examples=15)
def test_a_long_range(costs):
    check(costs, 1, 2000)


@given(st.lists(CROSSING, min_size=2, max_size=5))
def test_costs_that_cross_early(costs):
    check(costs, 1, 310)


@given(st.lists(LAURENT | PLAIN, min_size=2, max_size=5))
def test_negative_powers(costs):
    check(costs, 1, 150)


@given(st.lists(WITH_MIN | PLAIN, min_size=2, max_size=4))
@settings(max_examples=50)
def test_a_min(costs):
    check(costs, 1, 120)


@given(st.lists(WITH_STEPS | WITH_MIN, min_size=2, max_size=4))
@settings(max_examples=50)
def test_ceil_and_floor(costs):
    check(costs, 1, 110)


@given(st.lists(PLAIN | CROSSING | LAURENT | WITH_MIN, min_size=2, max_size=6), st.integers(1, 50))
def test_without_end(costs, low):
    """What is found without end begins as what is found up to a number, and holds far beyond it."""
    found = segments(costs, "x", low, None)
    assert found[-1].end is None
    start = found[-1].start
    bounded = segments(costs, "x", low, start + 1000)
    assert bounded == (*found[:-1], Segment(start, start + 1000, found[-1].best))
    for x in (start, start + 10**4, 10**9 + start, 10**40 + start):
        assert best_at(costs, x) == found[-1].best


def side(costs, boundary: Boundary, x) -> int:
    difference = evaluate(costs[boundary.below] - costs[boundary.above], {"x": x})
    return (difference > 0) - (difference < 0)


@given(st.lists(CROSSING | PLAIN | WITH_MIN, min_size=2, max_size=5))
@settings(max_examples=60)
def test_boundaries(costs):
    found = check(costs, 1, 200)
    changes = boundaries(costs, "x", found)
    assert all(one.above == two.below for one, two in pairwise(changes))
    start = 1
    for change in changes:
        assert all(change.below in best_at(costs, x) for x in range(start, change.first))
        assert change.above not in best_at(costs, change.last)
        assert change.below not in best_at(costs, change.first)
        assert all(change.above in best_at(costs, x) for x in range(change.last + 1, change.first + 1))
        assert (side(costs, change, change.last), side(costs, change, change.first)) == (-1, 1)
        if change.root is not None:
            assert change.last <= change.root <= change.first
            near = Fraction(1, 10**20)
            assert side(costs, change, change.root - near) <= 0 <= side(costs, change, change.root + near)
        start = change.first
    last = changes[-1].above if changes else None
    assert last is None or all(last in best_at(costs, x) for x in range(start, 201))
    if not changes:
        assert set.intersection(*(set(segment.best) for segment in found))


def test_two_that_are_equal_at_one_number():
    costs = [S, const(10)]
    found = segments(costs, "S", 1, None)
    assert found == (Segment(1, 9, (0,)), Segment(10, 10, (0, 1)), Segment(11, None, (1,)))
    assert boundaries(costs, "S", found) == (Boundary(0, 1, 9, 11, Fraction(10)),)


def test_two_that_meet_between_two_numbers():
    costs = [2 * S, const(19)]
    found = segments(costs, "S", 1, 100)
    assert found == (Segment(1, 9, (0,)), Segment(10, 100, (1,)))
    assert boundaries(costs, "S", found) == (Boundary(0, 1, 9, 10, Fraction(19, 2)),)


def test_an_irrational_root():
    costs = [S**2, S + 1]
    (change,) = boundaries(costs, "S", segments(costs, "S", 1, None))
    assert (change.last, change.first) == (1, 2)
    assert abs(change.root**2 - change.root - 1) < Fraction(1, 10**25)


def test_no_root_beyond_degree_two_nor_with_a_min():
    for costs in ([S**3, S + 100], [minimum(S**2, 5 * S), const(60)]):
        (change,) = boundaries(costs, "S", segments(costs, "S", 1, 1000))
        assert change.root is None
    # a power of the symbol that both share is no degree
    costs = [S**3, 5 * S**2]
    (change,) = boundaries(costs, "S", segments(costs, "S", 1, 1000))
    assert change == Boundary(0, 1, 4, 6, Fraction(5))


def test_touching_is_no_boundary():
    costs = [(S - 5) ** 2, const(0)]
    found = segments(costs, "S", 1, None)
    assert found == (Segment(1, 4, (1,)), Segment(5, 5, (0, 1)), Segment(6, None, (1,)))
    assert boundaries(costs, "S", found) == ()


def test_equal_on_a_stretch():
    costs = [S, minimum(S, const(10)), const(12)]
    found = segments(costs, "S", 1, None)
    assert found == (Segment(1, 10, (0, 1)), Segment(11, None, (1,)))
    assert boundaries(costs, "S", found) == ()
    assert segments([S, S], "S", 1, None) == (Segment(1, None, (0, 1)),)
    # one leaves long after the other has come
    costs = [minimum(S, const(10)), minimum(const(10) + const(20) * S**-1, S * 2)]
    found = segments(costs, "S", 1, None)
    assert [segment.best for segment in found] == [(0,)]
    costs = [const(10) - minimum(S, const(10)), const(20) - minimum(S, const(20)) * 2 + minimum(S, const(10))]
    found = segments(costs, "S", 1, 30)
    assert found == (Segment(1, 14, (0,)), Segment(15, 15, (0, 1)), Segment(16, 30, (1,)))


def test_one_joins_before_the_other_leaves():
    stretch = minimum(S, const(20)) - minimum(S, const(10))  # 0 up to 10, 10 from 20 on
    late = S - minimum(S, const(30))  # 0 up to 30
    costs = [late, const(10) - stretch]
    found = segments(costs, "S", 1, None)
    assert found == (Segment(1, 19, (0,)), Segment(20, 30, (0, 1)), Segment(31, None, (1,)))
    assert boundaries(costs, "S", found) == (Boundary(0, 1, 19, 31, None),)


def test_roots_far_out():
    far = 10**60
    costs = [S, const(far), 2 * S - far * 10]
    found = segments(costs, "S", 1, None)
    assert [(s.start, s.end, s.best) for s in found] == [
        (1, 11 * far // 2 - 1, (2,)),
        (11 * far // 2, 11 * far // 2, (1, 2)),
        (11 * far // 2 + 1, None, (1,)),
    ]


def mla(context: int) -> list[Poly]:
    """Absorbed and expanded attention of a latent of 512, keys and values of 128, 128 heads."""
    absorb = S * 512 * 256 + S * (2 * context * 512)
    expand = const(context * 512 * 256) + S * (context * 256)
    return [2 * 128 * absorb, 2 * 128 * expand]


@pytest.mark.parametrize(("context", "first"), [(131072, 171), (1024, 147)])
def test_mla(context, first):
    costs = mla(context)
    found = segments(costs, "S", 1, context)
    assert found == (Segment(1, first - 1, (0,)), Segment(first, context, (1,)))
    root = Fraction(131072 * context, 131072 + 768 * context)
    assert boundaries(costs, "S", found) == (Boundary(0, 1, first - 1, first, root),)


def test_keys_and_values_of_unlike_widths():
    """K (192) is worth forming from 512 * 192 / (512 - 192) = 307.2 on, V (256) from 512."""
    c, k, v, context = 512, 192, 256, 10**9
    absorb_k, expand_k = S * (c * k + context * c), const(context * c * k) + S * (context * k)
    absorb_v, expand_v = S * (c * v + context * c), const(context * c * v) + S * (context * v)
    costs = [absorb_k + absorb_v, expand_k + absorb_v, expand_k + expand_v, absorb_k + expand_v]
    found = segments(costs, "S", 1, context)
    assert [(s.start, s.best) for s in found] == [(1, (0,)), (308, (1,)), (512, (2,))]
    first, second = boundaries(costs, "S", found)
    assert abs(first.root - Fraction(3072, 10)) < Fraction(1, 1000)
    assert 511 < second.root < 512
    # and as L grows the first is what is left of the other orders
    assert second.root == Fraction(c * v * context, c * v + context * (c - v))


def test_tokens_read_at_once():
    costs = [S * minimum(L, 4 * S), 100 * S + L]
    at = [put(cost, {"L": const(2048)}) for cost in costs]
    found = segments(at, "S", 1, None)
    assert all(best_at(at, x) == s.best for s in found for x in (s.start, s.end or 10**6))


def test_a_plane():
    costs = [S * (131072 + 1024 * L), L * 131072 + S * 256 * L]
    found = plane(costs, "S", "L", (1, 4096), (16, 1024, 131072), limit=lambda context: context)
    assert found == Plane(
        "S",
        "L",
        (
            Row(16, (Segment(1, 14, (0,)), Segment(15, 16, (1,)))),
            Row(1024, (Segment(1, 146, (0,)), Segment(147, 1024, (1,)))),
            Row(131072, (Segment(1, 170, (0,)), Segment(171, 4096, (1,)))),
        ),
        (0, 1),
    )
    roots = tuple((Fraction(131072 * n, 131072 + 768 * n), n) for n in (16, 1024, 131072))
    assert curves(costs, found) == (Curve(0, 1, roots),)


def test_a_row_that_the_limit_empties():
    costs = [S * L, L + 5 * S]
    found = plane(costs, "S", "L", (4, 90), (1, 2, 8), limit=lambda context: context)
    assert [len(row.segments) > 0 for row in found.rows] == [False, False, True]
    assert found.seen == (1,)


def test_a_curve_ends_where_a_row_lacks_it():
    costs = [S * L, const(12) + L * 0]
    found = plane(costs, "S", "L", (2, 7), (1, 2, 3, 4, 20, 3))
    assert [curve.points for curve in curves(costs, found)] == [
        ((Fraction(6), 2), (Fraction(4), 3), (Fraction(3), 4)),
        ((Fraction(4), 3),),
    ]


def test_a_pair_that_swaps_twice():
    costs = [(S - 10) * (S - 20) + L, const(0) + L]
    found = plane(costs, "S", "L", (1, 40), (1, 2))
    assert {(curve.below, curve.above, len(curve.points)) for curve in curves(costs, found)} == {
        (1, 0, 2),
        (0, 1, 2),
    }


def test_no_whole_number_in_a_row_is_wrong():
    costs = [S * minimum(L, const(30)), L + 7 * S, S**2 + L]
    found = plane(costs, "S", "L", (1, 60), log_spaced(1, 500, 9))
    for row in found.rows:
        at = [put(cost, {"L": const(row.value)}) for cost in costs]
        for segment in row.segments:
            assert all(best_at(at, x) == segment.best for x in range(segment.start, segment.end + 1))


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ((1, 1000, 4), (1, 10, 100, 1000)),
        ((1, 4, 50), (1, 2, 3, 4)),
        ((7, 7, 3), (7,)),
        ((3, 9, 1), (3, 9)),
        ((3, 9, 2), (3, 9)),
    ],
)
def test_log_spaced(arguments, numbers):
    assert log_spaced(*arguments) == numbers


@given(st.integers(1, 10**6), st.integers(0, 10**9), st.integers(1, 60))
def test_log_spaced_rises_between_its_ends(low, more, count):
    found = log_spaced(low, low + more, count)
    assert (found[0], found[-1]) == (low, low + more)
    assert all(one < two for one, two in pairwise(found))
    assert len(found) <= max(2, count)


def test_what_is_refused():
    rounded = ceiling(S, const(64))
    assert "give the largest S" in refused(segments, [rounded, S], "S", 1, None)
    assert "ceil(S, 64)" in refused(segments, [minimum(rounded, const(9)), S], "S", 1, None)
    message = refused(segments, [rounded, S], "S", 1, 64 * MOST_STEPS * 2)
    assert message.startswith("ceil(S, 64) takes ")
    assert message.endswith(f"at most {MOST_STEPS}")
    assert "the costs depend on L besides S" in refused(segments, [S * L, S], "S", 1, 9)
    assert "on L besides" in refused(segments, [minimum(S, 5 * L - 7), S], "S", 1, 9)
    assert "S from 0 on is no range" in refused(segments, [S], "S", 0, None)
    assert "S from 5 to 4 is no range" in refused(segments, [S], "S", 5, 4)
    assert "from 5 to 4" in refused(plane, [S * L], "S", "L", (5, 4), (1,))
    assert "no costs" in refused(segments, [], "S", 1, 2)
    assert "single terms" in refused(segments, [minimum(S**2, S + 3) ** -1, S], "S", 1, 9)
    assert "zero" in refused(segments, [floored(const(4), S - 3), S], "S", 1, 9)
    assert "zero" in refused(segments, [floored(const(4), S - 1), S], "S", 1, 9)
    assert "1 <= low <= high" in refused(log_spaced, 0, 5, 3)
    assert "1 <= low <= high" in refused(log_spaced, 6, 5, 3)
