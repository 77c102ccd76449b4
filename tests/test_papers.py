"""GTA, GLA and TPA from their papers' equations: FLOPs and bytes by hand, in plain arithmetic.

Each sum has one entry a step: the index space written out, 2 FLOPs a point, b = 2 bytes an
element. `pairs` are the (query, context) pairs a head sees. A kernel reads its operands and writes
its result; the core is one kernel, and so is the pass that forms rows along the context.
"""

from __future__ import annotations

import pytest
from hand import Hand, check, check_cache, check_symbols, derived

# Decode: 1 query, 40 pairs. Verify, causal: 5 queries see 36 + 37 + 38 + 39 + 40 = 190 tokens.
STEPS = [(1, 40, "decode"), (5, 190, "verify")]


def knobs(phase: str) -> dict[str, str]:
    return {"phase": phase, "pairs": "causal"}


# GTA: d_model 48, 8 query heads in 2 groups, heads 12 wide, so halves of 6; L = 40.
GTA = {"d_model": 48, "H_q": 8, "H_kv": 2, "d_h": 12, "L": 40, "b": 2}


@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_gta(queries: int, pairs: int, phase: str) -> None:
    hand = Hand(
        # Q_N T_1, Q_R K_R, P T_1, P T_2: each 8 heads and 6 wide
        core=2 * pairs * 8 * (6 + 6 + 6 + 6),
        lift=0,
        other=2 * queries * 48 * (8 * 6 + 8 * 6)  # Q_N, Q_R
        + 2 * queries * 48 * (2 * 6 + 2 * 6 + 6)  # new rows of T_1, T_2, K_R
        + 2 * queries * 48 * (8 * 6 + 8 * 6),  # the two halves of the output
        # T_1 serves scores and values and is read once
        rows=2 * 40 * (2 * 6 + 2 * 6 + 6),
        rest=2
        * (
            5 * queries * 48  # X, read by five projections
            + 48 * (8 * 6 + 8 * 6 + 2 * 6 + 2 * 6 + 6)  # their weights
            + queries * (8 * 6 + 8 * 6)  # Q_N, Q_R written
            + queries * (2 * 6 + 2 * 6 + 6)  # new rows written
            + queries * (8 * 6 + 8 * 6)  # Q_N, Q_R read by the core
            + queries * (8 * 6 + 8 * 6)  # O_1, O_2 written by the core
            + queries * (8 * 6 + 8 * 6)  # and read
            + 48 * (8 * 6 + 8 * 6)  # W_O1, W_O2
            + 3 * queries * 48  # Y: written, then read and written when the second half is added
        ),
    )
    check("gta.yaml", "direct", {**GTA, "S": queries}, hand, **knobs(phase))


def test_gta_cache_and_intensity() -> None:
    # A group's state of 12 for each of 2 groups, and one rotated half of 6.
    check_cache("gta.yaml", GTA, 2 * 12 + 6)
    # 4 H_q L d_h / (b L (H_kv d_h + d_h / 2)) = 8 H_q / (b (2 H_kv + 1)): d_h cancels.
    check_symbols("gta.yaml", "direct", "H_q H_kv b")


# GLA: d_model 64, 8 heads on 2 latents of 16, keys 8 and values 10 wide, RoPE 4; L = 40.
GLA = {"d_model": 64, "H": 8, "G": 2, "d_c": 16, "d_k": 8, "d_v": 10, "d_r": 4, "L": 40, "b": 2}
GLA_QUERY = 64 * (8 * 8 + 8 * 4)  # Q, Q_R for one token, or their weights
GLA_NEW = 64 * (2 * 16 + 4)  # new rows of C, K_R
GLA_OUT = 8 * 10 * 64


def gla_shared(queries: int) -> int:
    """Elements that cross whatever the order does inside: projections, new rows, output."""
    return (
        4 * queries * 64  # X, read by four projections
        + GLA_QUERY
        + GLA_NEW
        + GLA_OUT  # weights
        + queries * (8 * 8 + 8 * 4)  # Q, Q_R written
        + queries * (2 * 16 + 4)  # new rows written
        + queries * 8 * 4  # Q_R read by the core
        + 8 * 16 * (8 + 10)  # W_UK, W_UV
        + queries * 8 * 10 * 2  # O written and read
        + queries * 64  # Y
    )


@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_gla_absorb(queries: int, pairs: int, phase: str) -> None:
    hand = Hand(
        # absorbed query on the latent, RoPE part, weighted sum of the latent
        core=2 * pairs * 8 * (16 + 4 + 16),
        # Q W_UK, latent output W_UV; merging W_UK into W_Q would cost 64*16 for 64*8 + 8*16
        lift=2 * queries * 8 * (8 * 16 + 16 * 10),
        other=2 * queries * (GLA_QUERY + GLA_NEW + GLA_OUT),
        rows=2 * 40 * (2 * 16 + 4),
        rest=2
        * (
            gla_shared(queries)
            + queries * 8 * 8  # Q read by the lift
            + queries * 8 * 16 * 2  # absorbed query written and read
            + queries * 8 * 16 * 2  # latent output written and read
        ),
    )
    check("gla.yaml", "absorb", {**GLA, "S": queries}, hand, **knobs(phase))


@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_gla_expand(queries: int, pairs: int, phase: str) -> None:
    hand = Hand(
        core=2 * pairs * 8 * (8 + 4 + 10),
        lift=2 * 40 * 8 * 16 * (8 + 10),  # K and V of every cached token
        other=2 * queries * (GLA_QUERY + GLA_NEW + GLA_OUT),
        # the latents once, by the pass that forms both; K_R, K and V by the core
        rows=2 * 40 * (2 * 16 + 4 + 8 * 8 + 8 * 10),
        rest=2 * (gla_shared(queries) + queries * 8 * 8),  # Q read by the core
    )
    check("gla.yaml", "expand", {**GLA, "S": queries}, hand, **knobs(phase))


def test_gla_cache_and_intensity() -> None:
    check_cache("gla.yaml", GLA, 2 * 16 + 4)
    # absorb: 2 L H (2 d_c + d_r) / (b L (G d_c + d_r)); expand has every width in it
    check_symbols("gla.yaml", "absorb", "H G d_c d_r b")
    check_symbols("gla.yaml", "expand", "H G d_c d_k d_v d_r b")


# TPA: d_model 64, 8 heads, keys 16 and values 12 wide, ranks 2 and 3; L = 40.
TPA = {"d_model": 64, "H": 8, "d_k": 16, "d_v": 12, "R_K": 2, "R_V": 3, "L": 40, "b": 2}
TPA_NEW = 2 * (8 + 16) + 3 * (8 + 12)  # A_K, B_K, A_V, B_V of one token
TPA_PARTS = {
    # (B_Q or Q) with B_K, then with A_K: 8 heads, rank 2, 16 wide, then 8 heads, rank 2
    "factored": 8 * 2 * (16 + 1) + 8 * 3 * (1 + 12),  # P A_V, then with B_V
    "expand": 8 * (16 + 12),
}


def tpa(order: str, queries: int, pairs: int) -> Hand:
    formed = 40 * 8 * (16 + 12) if order == "expand" else 0
    return Hand(
        core=2 * pairs * TPA_PARTS[order],
        lift=0,
        other=2 * queries * 64 * (8 * 16 + TPA_NEW)  # Q and new rows
        + 2 * queries * 8 * 12 * 64  # output
        # no weight takes part in a key made of its factors, so no up-projection does
        + (2 * 40 * 8 * (2 * 16 + 3 * 12) if order == "expand" else 0),
        rows=2 * (40 * TPA_NEW + formed),
        rest=2
        * (
            5 * queries * 64  # X, read by five projections
            + 64 * (8 * 16 + TPA_NEW)  # their weights
            + queries * TPA_NEW  # new rows written
            + queries * 8 * 16 * 2  # Q written and read
            + queries * 8 * 12 * 2  # O written and read
            + 8 * 12 * 64  # W_O
            + queries * 64  # Y
        ),
    )


@pytest.mark.parametrize("order", ["factored", "expand"])
@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_tpa(order: str, queries: int, pairs: int, phase: str) -> None:
    check("tpa.yaml", order, {**TPA, "S": queries}, tpa(order, queries, pairs), **knobs(phase))


def tpa_factor_q(order: str, queries: int, pairs: int) -> Hand:
    """Queries of rank 3; on the factors, Q itself is not worth forming."""
    plain = tpa(order, queries, pairs)
    factors = 3 * (8 + 16)
    other = plain.other + 2 * queries * 64 * (factors - 8 * 16)
    # X is read twice for the query, for two smaller weights, whose results are written
    moved = queries * 64 + 64 * (factors - 8 * 16) + queries * factors
    if order == "expand":
        other += 2 * queries * 3 * 8 * 16  # Q from its factors, which this step reads
        return Hand(plain.core, 0, other, plain.rows, plain.rest + 2 * (moved + queries * factors))
    # B_Q B_K: 3 x 2 x 16; with A_Q: 3 x 2 x 8; with A_K: 2 x 8. By way of Q it were 8*2*(16+1).
    scores = 3 * 2 * 16 + 3 * 2 * 8 + 2 * 8
    core = 2 * pairs * (scores + 8 * 3 * (1 + 12))
    # Q is neither written nor read, the core reads the factors
    moved += queries * factors - queries * 8 * 16 * 2
    return Hand(core, 0, other, plain.rows, plain.rest + 2 * moved)


@pytest.mark.parametrize("order", ["factored", "expand"])
@pytest.mark.parametrize(("queries", "pairs", "phase"), STEPS)
def test_tpa_with_factorised_queries(order: str, queries: int, pairs: int, phase: str) -> None:
    dims = {**TPA, "R_Q": 3, "S": queries}
    hand = tpa_factor_q(order, queries, pairs)
    check("tpa.yaml+factor-q", order, dims, hand, **knobs(phase))


def test_tpa_cache_and_intensity() -> None:
    check_cache("tpa.yaml", TPA, 2 * (8 + 16) + 3 * (8 + 12))
    check_symbols("tpa.yaml", "factored", "H d_k d_v R_K R_V b")


@pytest.mark.parametrize("order", ["factored", "expand"])
def test_tpa_without_caches(order: str) -> None:
    """X twice in one key: both factors of all 12 tokens are made in the step, each once."""
    tokens, pairs = 12, 12 * 13 // 2
    flops = (
        2 * tokens * 64 * (8 * 16 + TPA_NEW)
        + 2 * pairs * TPA_PARTS[order]
        + (2 * tokens * 8 * (2 * 16 + 3 * 12) if order == "expand" else 0)
        + 2 * tokens * 8 * 12 * 64
    )
    formed = 8 * (16 + 12) if order == "expand" else TPA_NEW
    moved = 2 * (
        2 * tokens * 64  # X, by the query and by the pass that forms rows
        + 64 * (8 * 16 + TPA_NEW)  # weights
        + tokens * formed  # rows read by the core
        + tokens * 8 * 16 * 2  # Q written and read
        + tokens * 8 * 12 * 2  # O written and read
        + 8 * 12 * 64  # W_O
        + tokens * 64  # Y
    )
    knobs = {"phase": "prefill", "pairs": "causal", "caches": "none", "scope": "layer"}
    answer = derived("tpa.yaml", order, {**TPA, "L": 12}, **knobs)
    assert answer.value(answer.flops) == flops
    assert answer.value(answer.bytes) == moved
    assert answer.value(answer.cache_elements) == 0


def test_tpa_with_eight_operands_in_one_product() -> None:
    """Without caches both factorisations put X four times and four weights into one product."""
    tokens, pairs = 12, 12 * 13 // 2
    flops = (
        2 * tokens * 64 * (3 * (8 + 16) + TPA_NEW)  # both factors of queries, keys and values
        + 2 * tokens * 3 * 8 * 16  # Q from its factors
        + 2 * tokens * 8 * (2 * 16 + 3 * 12)  # K and V from theirs
        + 2 * pairs * TPA_PARTS["expand"]
        + 2 * tokens * 8 * 12 * 64
    )
    knobs = {"phase": "prefill", "pairs": "causal", "caches": "none", "scope": "layer"}
    answer = derived("tpa.yaml+factor-q", "expand", {**TPA, "R_Q": 3, "L": 12}, **knobs)
    assert answer.value(answer.flops) == flops
