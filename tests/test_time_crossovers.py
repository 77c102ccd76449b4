"""Crossovers in time: formulas by hand, bisection of the piecewise times, and a scan at random sizes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise

import pytest

from derivations.atoms import evaluate, put
from derivations.checkpoints import load_checkpoint
from derivations.conventions import Conventions
from derivations.crossover import Crossover
from derivations.derivation import Study, crossover_of
from derivations.errors import InputError
from derivations.hardware import load_accelerator
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.prefix import with_prefix

H100 = load_accelerator("h100-sxm")
PEAK, BANDWIDTH = Fraction(9895 * 10**11), Fraction(335 * 10**10)
V3 = {"H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "d_model": 7168, "b": 2}


# Crossovers in time


def crossing(
    scope: str, given: Mapping[str, object], symbol: str = "S", variant=None, names=None, **knobs: str
):
    chosen = Conventions(phase=knobs.pop("phase", "verify"), scope=scope, **knobs)
    study = Study(variant or load_variant("mla+rope"), chosen, {n: v for n, v in given.items() if n != "R"})
    study.values.update({"R": given["R"]} if "R" in given else {})
    return crossover_of(study, *(names or ("absorb", "expand")), symbol, "time")


@pytest.mark.parametrize(("kept", "share"), [("copied", "0.294"), ("once", "0.236")])
def test_kept_rows_cross_at_a_share_of_the_ridge(kept, share):
    """b (d_k + d_r + d_v) / (2 (2 d_c + d_r)) R with copies; with one RoPE key for all heads d_r / H."""
    found = crossing("core", {}, formed="cached", kept_rows=kept)
    (solution,) = found.solutions
    row = 256 + (64 if kept == "copied" else Fraction(64, 128))
    at = solution.root.value({**V3, "L": 8192, "R": 1})
    assert at == Fraction(2 * row, 2 * 1088)
    assert f"{float(at):.3f}" == share
    for ridge in (37, 295, 5000):
        assert solution.root.value({**V3, "L": 8192, "R": ridge}) == ridge * at
    assert dict(solution.bounds) == {"core of absorb": "arithmetic", "core of expand": "memory"}
    assert (solution.below, solution.above) == ("absorb", "expand")


def bisect(gap: Callable[[Fraction], Fraction], low: Fraction, high: Fraction) -> Fraction:
    assert gap(low) < 0 < gap(high)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) < 0 else (low, middle)
    return low


def times_by_hand(
    s: Fraction, ridge: Fraction, tokens: int, sizes: Mapping[str, int]
) -> tuple[Fraction, Fraction]:
    """Absorbed and expanded, scope attention: lifts move nothing there; rows are formed from the latent."""
    h, k, v, c, r, b = (sizes[n] for n in ("H", "d_k", "d_v", "d_c", "d_r", "b"))
    core = max(2 * h * s * tokens * (2 * c + r), ridge * b * tokens * (c + r))
    forming = max(2 * h * tokens * c * (k + v), ridge * b * tokens * c)
    pairs = max(2 * h * s * tokens * (k + v + r), ridge * b * tokens * (h * (k + v) + r))
    return core + 2 * h * s * c * (k + v), forming + pairs


@pytest.mark.parametrize(
    ("gpu", "tokens"), [("h100-sxm", 8192), ("h100-sxm", 1024), ("h20", 8192), ("b200", 65536)]
)
def test_forming_charged_on_deepseek_v3(gpu, tokens):
    """S* from the piecewise times by bisection; three kernels may wait for either."""
    ridge = load_accelerator(gpu).ridge()

    def gap(s: Fraction) -> Fraction:
        absorb, expand = times_by_hand(s, ridge, tokens, V3)
        return absorb - expand

    expected = bisect(gap, Fraction(1), Fraction(tokens))
    (solution,) = crossing("attention", {**V3, "L": tokens, "R": ridge}).solutions
    value = solution.root.value({**V3, "L": tokens, "R": ridge})
    assert abs(value - expected) < Fraction(1, 10**9)
    assert (solution.below, solution.above) == ("absorb", "expand")
    assert {kernel: what == "arithmetic" for kernel, what in solution.bounds} == {
        "core of absorb": 2 * 128 * value * 1088 > ridge * 2 * 576,
        "forming rows of expand": ridge < 128 * 256,
        "core of expand": 2 * 128 * value * 320 > ridge * 2 * (128 * 256 + 64),
    }


def compiled(amount: Poly, symbol: str, values: Mapping[str, object]) -> Callable[[Fraction], Fraction]:
    """A polynomial in one symbol, the others put in."""
    given = {n: Poly.const(v) for n, v in values.items() if n != symbol}
    parts = {e: part.constant for e, part in put(amount, given).coefficients(symbol).items()}
    return lambda at: sum((c * Fraction(at) ** e for e, c in parts.items()), start=Fraction(0))


def sides(found: Crossover, values: Mapping[str, object]) -> Callable[[Fraction], list[Fraction]]:
    """Both times at a value of the symbol, from what the kernels do and move."""
    parts = [
        (
            found.names.index(order),
            *(compiled(x, found.symbol, values) for x in (flops, moved * Poly.symbol("R"))),
        )
        for order, _, flops, moved in found.kernels
    ]
    return lambda at: [sum(max(f(at), m(at)) for i, f, m in parts if i == side) for side in (0, 1)]


def check(found: Crossover, values: Mapping[str, object], points: list[Fraction]) -> int:
    """Roots between points of a scan, as many (odd or even) as signs change, each right on both sides."""
    holding = [s for s in found.solutions if all(c.holds(values) is not False for c in s.conditions)]
    roots = {s.root.value(values): s for s in holding}
    gaps, both = [], sides(found, values)
    for point in points[:: len(points) // 3]:  # the closed form of each time
        assert [evaluate(cost, {**values, found.symbol: point}) for cost in found.costs] == both(point)
    for point in points:
        first, second = both(point)
        if first != second:
            gaps.append((point, first > second))
    for (low, before), (high, after) in pairwise(gaps):
        inside = [root for root in roots if low < root < high]
        assert len(inside) % 2 == (before != after), (low, high, values)
        if len(inside) == 1:
            assert roots[inside[0]].below == found.names[before]
            assert roots[inside[0]].above == found.names[after]
    for root, solution in roots.items():
        here = {**values, found.symbol: root}
        first, second = both(root)
        assert abs(first - second) <= Fraction(first, 10**15)
        parts = {f"{kernel} of {order}": (f, m) for order, kernel, f, m in found.kernels}
        for label, what in solution.bounds:
            flops, moved = (evaluate(amount, here) for amount in parts[label])
            slack = flops - here["R"] * moved
            assert slack >= 0 if what == "arithmetic" else slack <= 0, (label, what, here)
    return len(roots)


CASES = [
    ("core", "S", {"formed": "cached"}), ("core", "S", {"formed": "cached", "kept_rows": "once"}),
    ("core", "S", {}), ("attention", "S", {}), ("attention", "S", {"formed": "streamed"}),
    ("attention+weights", "S", {}), ("kernel", "S", {"formed": "cached"}),
    ("attention", "L", {"phase": "verify"}), ("attention", "L", {"phase": "decode"}), ("attention", "H", {}),
    ("core", "R", {"formed": "cached"}),
    ("attention", "R", {}), ("core", "d_c", {"formed": "cached"}), ("attention", "d_k", {}),
]  # fmt: skip


@pytest.mark.parametrize(("scope", "symbol", "knobs"), CASES)
def test_every_crossing_is_found_and_every_found_one_is_one(scope, symbol, knobs):
    """Random sizes against a scan of the times; some of the cases must have crossings."""
    rng, count = random.Random(f"{scope} {symbol} {sorted(knobs.items())}"), 0
    for _ in range(6):
        values = {n: rng.randint(1, 24) for n in ("H", "d_k", "d_v", "d_c", "d_r")} | {"d_model": 20, "b": 2}
        values |= {"S": rng.randint(1, 9), "R": Fraction(rng.choice([3, 17, 90, 400, 2000]), 10)}
        values["L"] = values["S"] + rng.randint(1, 60)
        if knobs.get("phase") == "decode":
            del values["S"]
        end = values["L"] if symbol == "S" else 400
        start = values.get("S", 1) if symbol == "L" else Fraction(1, 50)
        try:
            found = crossing(scope, values, symbol, **knobs)
        except InputError as error:
            assert "closed form" in str(error) or "square root" in str(error)  # noqa: PT017
            continue
        points = [start + (end - start) * Fraction(i, 200) for i in range(201)]
        count += check(found, values, points)
    assert count


@pytest.mark.parametrize(("scope", "formed"), [("core", "cached"), ("core", "read"), ("attention", "read")])
@pytest.mark.parametrize("other", ["absorb", "expand"])
def test_every_batch_is_found(scope, formed, other):
    """With a shared prefix, in B: against expand the prefix is alike, and the rest grows with B alone."""
    rng, count = random.Random(f"{scope} {formed} {other}"), 0
    shared = with_prefix(load_variant("mla+rope"))
    for _ in range(6):
        values = {n: rng.randint(1, 24) for n in ("H", "d_k", "d_v", "d_c", "d_r")} | {"d_model": 20, "b": 2}
        values |= {"S": rng.randint(1, 4), "L_p": rng.randint(1, 60), "R": Fraction(rng.randint(3, 900), 10)}
        values["L"] = values["S"] + values["L_p"] + rng.randint(0, 30)
        names = ("prefix-expand-absorb", other)
        found = crossing(scope, {**values, "B": 1}, "B", shared, names, formed=formed)
        count += check(found, values, [Fraction(i, 2) for i in range(1, 500)])
    assert bool(count) == (other == "absorb")


@pytest.mark.parametrize("symbol", ["S", "L_p"])
def test_a_prefix_ends_the_range_of_queries(symbol):
    """L_p + S <= L: what crosses beyond that does not cross."""
    shared = with_prefix(load_variant("mla+rope"))
    values = {**V3, "L": 8192, "L_p": 8150, "B": 2, "S": 1, "R": H100.ridge()}
    if symbol == "S":
        found = crossing("core", values, "S", shared, formed="cached")
    else:
        study = Study(
            shared, Conventions(scope="attention"), {n: v for n, v in values.items() if n not in "RS"}
        )
        found = crossover_of(study, "absorb", "expand", symbol)
    for solution in found.solutions:
        value = solution.root.value(values)
        holds = all(condition.holds(values) for condition in solution.conditions)
        assert not holds or value <= 8192 - (8150 if symbol == "S" else 1)


def test_selected_rows_cross_or_are_refused():
    """V3.2 on H100: absorbed 571 MFLOP a query, expanded what memory takes for all rows: S* is near 760.

    Rows are min(L, S n), so regimes have no formula in S as they stand; that is no proof of no crossing.
    """
    variant = load_variant("dsa")
    sizes = load_checkpoint("deepseek-v3.2").values(variant.symbols)
    values = {**sizes, "L": 8192, "R": H100.ridge()}
    try:
        found = crossing("attention", values, "S", variant)
    except InputError:
        return
    both = sides(found, values) if found.solutions else None
    gaps = [
        [evaluate(cost, {**values, "S": at}) for cost in found.costs] for at in (Fraction(1), Fraction(8000))
    ]
    assert [one > two for one, two in gaps] == [False, True]
    assert both is not None, found.never
