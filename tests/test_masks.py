"""Pairs and rows of every mask against counting over all (query, key) positions."""

from __future__ import annotations

from itertools import product

import pytest

from derivations.atoms import evaluate, put
from derivations.masks import PAIRS, pairs, rows
from derivations.poly import Poly
from derivations.program import Mask, MaskKind

S, L, W = (Poly.symbol(name) for name in ("S", "L", "w"))
PLAIN = [Mask(kind) for kind in (MaskKind.DENSE, MaskKind.FULL, MaskKind.CAUSAL)]
WINDOW, CHUNK, TOP = Mask(MaskKind.WINDOW, W), Mask(MaskKind.CHUNK, W), Mask(MaskKind.TOP_N, W, "T")
SIZED = [WINDOW, CHUNK, TOP]
SIZES = [(s, t, w) for t in range(1, 10) for s in range(1, t + 1) for w in range(1, 7)]


def positions(queries: int, context: int) -> range:
    """The queries are the last tokens of the context, counted from 1."""
    return range(context - queries + 1, context + 1)


def seen(mask: Mask, causal: bool, query: int, context: int, width: int) -> list[int]:
    """Keys the query at a position sees; a selection is taken to be the nearest ones.

    Where not causal, a query stands at the end of the context, and of a chunk.
    """
    last = query if causal else context
    keys = range(1, last + 1)
    if mask.kind is MaskKind.CHUNK and causal:
        return [key for key in keys if (key - 1) // width == (query - 1) // width]
    if mask.kind in (MaskKind.WINDOW, MaskKind.CHUNK, MaskKind.TOP_N):
        return list(keys)[-width:]
    return list(keys)


def is_causal(mask: Mask, convention: str) -> bool:
    if mask.kind in (MaskKind.FULL, MaskKind.CAUSAL):
        return mask.kind is MaskKind.CAUSAL
    return convention == "causal"


@pytest.mark.parametrize("convention", PAIRS)
@pytest.mark.parametrize("mask", [*PLAIN, *SIZED], ids=lambda mask: mask.kind.value)
def test_pairs_are_counted(mask, convention):
    closed = pairs(mask, convention, S, L)
    for s, t, w in SIZES:
        causal = is_causal(mask, convention)
        count = sum(len(seen(mask, causal, q, t, w)) for q in positions(s, t))
        assert evaluate(closed, {"S": s, "L": t, "w": w}) == count, (s, t, w)


@pytest.mark.parametrize("convention", PAIRS)
@pytest.mark.parametrize("mask", [*PLAIN, *SIZED], ids=lambda mask: mask.kind.value)
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_pairs_of_a_phase_are_those_at_its_sizes(mask, convention, phase):
    """S = 1 and S = L put in before counting give what the general form gives there."""
    if (mask, convention, phase) != (CHUNK, "causal", "decode"):
        check_phase(mask, convention, phase)


def test_causal_pairs_of_a_chunk_in_decode():
    check_phase(CHUNK, "causal", "decode")


def check_phase(mask, convention, phase):
    queries = Poly.const(1) if phase == "decode" else L
    special = pairs(mask, convention, queries, L)
    general = put(pairs(mask, convention, S, L), {"S": queries})
    for t, w in product(range(1, 10), range(1, 7)):
        values = {"L": t, "w": w}
        s = 1 if phase == "decode" else t
        causal = is_causal(mask, convention)
        count = sum(len(seen(mask, causal, q, t, w)) for q in positions(s, t))
        assert evaluate(special, values) == count
        assert evaluate(general, values) == count


@pytest.mark.parametrize("mask", PLAIN, ids=lambda mask: mask.kind.value)
def test_without_a_size_every_row_is_read(mask):
    for s, t, w in SIZES:
        touched = {k for q in positions(s, t) for k in seen(mask, True, q, t, w)}
        assert evaluate(rows(mask, S, L), {"S": s, "L": t}) == len(touched) == t


def test_window_rows_are_exact():
    for s, t, w in SIZES:
        touched = {k for q in positions(s, t) for k in seen(WINDOW, True, q, t, w)}
        assert evaluate(rows(WINDOW, S, L), {"S": s, "L": t, "w": w}) == len(touched), (s, t, w)


def test_rows_of_a_chunk_are_a_bound_that_is_reached():
    """Reached where the first query ends a chunk: it sees all of its own, and each later one is new."""
    for s, t, w in SIZES:
        bound = evaluate(rows(CHUNK, S, L), {"S": s, "L": t, "w": w})
        touched = {k for q in positions(s, t) for k in seen(CHUNK, True, q, t, w)}
        assert len(touched) <= bound
        if (t - s + 1) % w == 0:
            assert len(touched) == bound, (s, t, w)


def test_a_chunk_and_a_window_see_the_same_at_the_end_of_a_chunk():
    """And nowhere else after the first chunk: a token that begins a chunk sees itself alone."""
    values = {"S": 1, "L": 12, "w": 4}
    assert evaluate(pairs(CHUNK, "full", S, L), values) == evaluate(pairs(WINDOW, "full", S, L), values) == 4
    assert evaluate(pairs(CHUNK, "causal", S, L), {"S": 8, "L": 12, "w": 4}) == 2 * (1 + 2 + 3 + 4)
    assert evaluate(pairs(WINDOW, "causal", S, L), {"S": 8, "L": 12, "w": 4}) == 8 * 4


def test_selected_rows_are_a_bound_that_is_reached():
    for s, t, n in SIZES:
        bound = evaluate(rows(TOP, S, L), {"S": s, "L": t, "w": n})
        nearest = {k for q in positions(s, t) for k in seen(TOP, True, q, t, n)}
        assert len(nearest) <= bound
        chosen = {(i * n + j) % t for i in range(s) for j in range(min(n, t))}
        assert len(chosen) <= bound
        disjoint = {i * min(n, t) + j for i in range(s) for j in range(min(n, t))}
        assert bound == min(t, len(disjoint)), (s, t, n)


@pytest.mark.parametrize("mask", SIZED, ids=lambda mask: mask.kind.value)
def test_a_fixed_width_is_counted_like_a_symbol(mask):
    fixed = Mask(mask.kind, Poly.const(3), mask.selector)
    for s, t in ((1, 1), (2, 2), (2, 5), (5, 5), (1, 9), (9, 9)):
        values = {"S": s, "L": t}
        count = sum(len(seen(mask, True, q, t, 3)) for q in positions(s, t))
        assert evaluate(pairs(fixed, "causal", S, L), values) == count
        assert evaluate(rows(fixed, S, L), values) == evaluate(rows(mask, S, L), {**values, "w": 3})
