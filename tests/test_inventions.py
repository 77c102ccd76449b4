"""Three variants with something unusual in each: a table, a window with signs, two contexts.

FLOPs and bytes by hand, in plain arithmetic, as in test_papers.
"""

from __future__ import annotations

import pytest
from hand import Hand, check, check_cache, check_symbols

# Decode: 1 query, 40 pairs. Verify, causal: 5 queries see 36 + 37 + 38 + 39 + 40 = 190 tokens.
STEPS = [(1, 40, "decode"), (5, 190, "verify")]

# Keys rotated late: d_model 48, 8 query heads in 2 groups, keys 8 and values 10 wide; L = 40.
ROPE = {"d_model": 48, "H_q": 8, "H_kv": 2, "d_k": 8, "d_v": 10, "L": 40, "b": 2}


@pytest.mark.parametrize("order", ["rotate-keys", "rotate-queries"])
@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_late_rope(order: str, queries: int, pairs: int, phase: str) -> None:
    keys = order == "rotate-keys"
    scores = (
        8 * 8
        if keys
        # each query through each position's 8 x 8 table, then with the keys as cached; the
        # product of both tables first would cost 8*8*8 + 2*8*8 + 8*8 a pair, which is more
        else 8 * 8 * 8 + 8 * 8
    )
    hand = Hand(
        core=2 * pairs * (scores + 8 * 10),
        lift=0,
        other=2 * queries * 48 * (8 * 8 + 2 * 8 + 2 * 10)  # Q_C, new rows
        + 2 * queries * 8 * 8 * 8  # the queries' own rotation
        + (2 * 40 * 2 * 8 * 8 if keys else 0)  # every cached key's
        + 2 * queries * 8 * 10 * 48,
        # a table is made on chip; rotated keys are read once more, by the core
        rows=2 * 40 * (2 * 8 + 2 * 10 + (2 * 8 if keys else 0)),
        rest=2
        * (
            3 * queries * 48  # X
            + 48 * (8 * 8 + 2 * 8 + 2 * 10)  # weights
            + queries * (2 * 8 + 2 * 10)  # new rows written
            + 2 * queries * 8 * 8  # Q_C written and read
            + 2 * queries * 8 * 8  # Q written and read
            + 2 * queries * 8 * 10  # O written and read
            + 8 * 10 * 48  # W_O
            + queries * 48  # Y
        ),
    )
    dims = {**ROPE, "S": queries}
    check("late-rope.yaml", order, dims, hand, phase=phase, pairs="causal")


def test_late_rope_cache_and_intensity() -> None:
    check_cache("late-rope.yaml", ROPE, 2 * 8 + 2 * 10)
    # 2 H_q L (d_k + d_v) / (b L H_kv (2 d_k + d_v))
    check_symbols("late-rope.yaml", "rotate-keys", "H_q H_kv d_k d_v b")


# d_model 32, 4 heads, tied rows of 8, latent of 16 with keys of 6 and values of 10, window 12.
DIFF = {"d_model": 32, "H": 4, "d_k": 8, "d_j": 6, "d_c": 16, "d_v": 10, "w": 12, "b": 2}
WINDOWS = [
    # the window is full: 12 tokens
    (1, 40, 12, 12, "decode"),
    # positions 10 to 14 see 10 + 11 + 12 + 12 + 12 tokens; together min(14, 12 + 4) rows
    (5, 14, 57, 14, "verify"),
    # positions 36 to 40 see 12 each, together 12 + 4 rows
    (5, 40, 60, 16, "verify"),
    # positions 1 to 14 see 1 + ... + 12 + 12 + 12
    (14, 14, 102, 14, "prefill"),
]


@pytest.mark.parametrize("order", ["absorb", "expand"])
@pytest.mark.parametrize(("queries", "context", "pairs", "rows", "phase"), WINDOWS)
def test_window_diff(order: str, queries: int, context: int, pairs: int, rows: int, phase: str) -> None:
    latent = order == "absorb"
    hand = Hand(
        # tied branch: scores and values 8 wide; latent branch: 16 and 16, or 6 and 10
        core=2 * pairs * 4 * (8 + 8 + (16 + 16 if latent else 6 + 10)),
        # up-projections of the queries' side, or of the rows that are seen
        lift=2 * (queries if latent else rows) * 4 * 16 * (6 + 10),
        other=2 * queries * 32 * (4 * 8 + 4 * 6 + 8 + 16)  # Q_1, Q_2, new rows
        + 2 * queries * 32 * (4 * 8 + 4 * 10),
        # each kind of row once, although the tied ones serve scores and values
        rows=2 * rows * (8 + 16 + (0 if latent else 4 * (6 + 10))),
        rest=2
        * (
            4 * queries * 32  # X
            + 32 * (4 * 8 + 4 * 6 + 8 + 16)  # weights
            + queries * (8 + 16)  # new rows written
            + 2 * queries * (4 * 8 + 4 * 6)  # Q_1, Q_2 written and read
            + 4 * 16 * (6 + 10)  # W_UK, W_UV
            # absorbed query and latent output, written and read
            + (2 * queries * 4 * (16 + 16) if latent else 0)
            + 2 * queries * (4 * 8 + 4 * 10)  # O_1, O_2 written and read
            + 32 * (4 * 8 + 4 * 10)  # W_O1, W_O2
            + 3 * queries * 32  # Y: written, then read and written when the second half is added
        ),
    )
    dims = {**DIFF, "S": queries, "L": context}
    check("window-diff.yaml", order, dims, hand, phase=phase, pairs="causal")


def test_window_diff_cache_and_intensity() -> None:
    check_cache("window-diff.yaml", {**DIFF, "L": 40}, 8 + 16)
    # min(L, w) cancels: 2 H (2 d_k + 2 d_c) / (b (d_k + d_c)) is 4 H / b
    check_symbols("window-diff.yaml", "absorb", "H b")
    check_symbols("window-diff.yaml", "expand", "H d_k d_j d_c d_v b")


# d_model 32, 4 heads, keys 8 and values 6 wide, 40 cached tokens and 20 rows of memory.
TWO = {"d_model": 32, "H": 4, "d_k": 8, "d_v": 6, "M": 20, "L": 40, "b": 2}


@pytest.mark.parametrize("order", ["absorb", "expand"])
@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_two_contexts(order: str, queries: int, pairs: int, phase: str) -> None:
    raw = order == "absorb"
    memory = queries * 20  # no triangle: every query sees the whole memory
    hand = Hand(
        core=2 * pairs * 4 * (8 + 6) + 2 * memory * 4 * (32 + 32 if raw else 8 + 6),
        lift=2 * (queries if raw else 20) * 4 * 32 * (8 + 6),
        # Q, which both scores use and which is made once; new rows; both outputs
        other=2 * queries * 32 * 4 * (8 + 8 + 6) + 2 * queries * 32 * 4 * (6 + 6),
        # the memory is read once, by the core or by the pass that forms its keys and values; it
        # is counted with the rows, although it is neither cached nor formed but given
        rows=2 * (40 * 4 * (8 + 6) + 20 * 32 + (0 if raw else 20 * 4 * (8 + 6))),
        rest=2
        * (
            3 * queries * 32  # X
            + 32 * 4 * (8 + 8 + 6)  # weights
            + queries * 4 * (8 + 6)  # new rows written
            + queries * 4 * 8 * (3 if raw else 2)  # Q written, read by the core and by the lift
            + 32 * 4 * (8 + 6)  # W_KM, W_VM
            + (2 * queries * 4 * (32 + 32) if raw else 0)  # on the memory's width, both sides
            + 2 * queries * 4 * (6 + 6)  # O, O_M written and read
            + 32 * 4 * (6 + 6)  # W_O, W_OM
            + 3 * queries * 32  # Y: written, then read and written when the second half is added
        ),
    )
    dims = {**TWO, "S": queries}
    check("two-contexts.yaml", order, dims, hand, phase=phase, pairs="causal")


def test_two_contexts_cache() -> None:
    """The memory is given, not cached: it adds nothing a token."""
    check_cache("two-contexts.yaml", TWO, 4 * (8 + 6))
