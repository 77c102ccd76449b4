"""What each convention changes, by hand: traffic, formed rows, batch, merged weights, units.

The dims and the step are those of GLA in test_papers: 5 queries on 40 tokens, 190 causal pairs,
2 bytes an element. Sums are of elements; the factor 2 in front makes bytes, or FLOPs, of them.
"""

from __future__ import annotations

import pytest
from hand import Hand, check, derived
from test_papers import GLA, GLA_NEW, GLA_OUT, GLA_QUERY, GTA, gla_shared

STEP = {"phase": "verify", "pairs": "causal"}
FIVE = {**GLA, "S": 5}
OTHER = 2 * 5 * (GLA_QUERY + GLA_NEW + GLA_OUT)
EXPAND_CORE, EXPAND_LIFT = 2 * 190 * 8 * (8 + 4 + 10), 2 * 40 * 8 * 16 * (8 + 10)
EXPAND_REST = 2 * (gla_shared(5) + 5 * 8 * 8)
LATENTS, ROPE_KEY, FORMED = 40 * 2 * 16, 40 * 4, 40 * 8 * (8 + 10)


@pytest.mark.parametrize(
    ("path", "order", "dims", "traffic", "elements"),
    [
        # scores and values each read the latents; only the scores read the RoPE key
        ("gla.yaml", "absorb", FIVE, "two-pass", 2 * LATENTS + ROPE_KEY),
        # the latents are read by the pass that forms rows, each kind of which is used once
        ("gla.yaml", "expand", FIVE, "two-pass", LATENTS + ROPE_KEY + FORMED),
        # the first half of the tied state is key and value
        ("gta.yaml", "direct", {**GTA, "S": 5}, "two-pass", 40 * (2 * 2 * 6 + 2 * 6 + 6)),
        # and 8 heads' scores and probabilities, each written and read
        ("gla.yaml", "absorb", FIVE, "unfused", 2 * LATENTS + ROPE_KEY + 4 * 8 * 190),
        ("gla.yaml", "expand", FIVE, "unfused", LATENTS + ROPE_KEY + FORMED + 4 * 8 * 190),
    ],
)
def test_traffic(path: str, order: str, dims: dict[str, int], traffic: str, elements: int) -> None:
    answer = derived(path, order, dims, traffic=traffic, **STEP)
    assert answer.value(answer.bytes) == 2 * elements


@pytest.mark.parametrize(
    ("formed", "rows"),
    [
        ("read", LATENTS + ROPE_KEY + FORMED),
        ("write+read", LATENTS + ROPE_KEY + 2 * FORMED),
        ("streamed", LATENTS + ROPE_KEY),
    ],
)
def test_formed_rows(formed: str, rows: int) -> None:
    hand = Hand(EXPAND_CORE, EXPAND_LIFT, OTHER, 2 * rows, EXPAND_REST)
    check("gla.yaml", "expand", FIVE, hand, formed=formed, **STEP)


@pytest.mark.parametrize(("kept", "copies"), [("copied", 8), ("once", 1)])
def test_formed_rows_kept(kept: str, copies: int) -> None:
    """Keys and values of 40 tokens were formed before; 5 tokens' rows are formed now."""
    rest = (
        4 * 5 * 64  # X, read by four projections
        + GLA_QUERY + GLA_NEW + GLA_OUT + 8 * 16 * (8 + 10)  # weights
        + 2 * 5 * (8 * 8 + 8 * 4)  # Q, Q_R written and read
        + 3 * 5 * 2 * 16  # new latents written, and read for keys and for values
        + 5 * (8 * (8 + 10) + copies * 4)  # new rows
        + 2 * 5 * 8 * 10  # O written and read
        + 5 * 64  # Y
    )  # fmt: skip
    hand = Hand(
        EXPAND_CORE,
        2 * 5 * 8 * 16 * (8 + 10),
        OTHER,
        2 * 40 * (8 * (8 + 10) + copies * 4),
        2 * rest,
    )
    check("gla.yaml", "expand", FIVE, hand, formed="cached", kept_rows=kept, **STEP)


def test_batch() -> None:
    """Three sequences: three times everything but the weights' bytes."""
    weights = 2 * (GLA_QUERY + GLA_NEW + GLA_OUT + 8 * 16 * (8 + 10))
    hand = Hand(
        3 * EXPAND_CORE,
        3 * EXPAND_LIFT,
        3 * OTHER,
        3 * 2 * (LATENTS + ROPE_KEY + FORMED),
        3 * (EXPAND_REST - weights) + weights,
    )
    check("gla.yaml", "expand", {**FIVE, "B": 3}, hand, **STEP)


def test_merged_weights() -> None:
    """A latent of 4: W_Q W_UK and W_UV W_O are smaller merged, which is done once and free."""
    # queries: 64*4 = 256 < 64*8 + 8*4 = 544; output: 4*64 = 256 < 4*10 + 10*64 = 680
    hand = Hand(
        core=2 * 190 * 8 * (4 + 4 + 4),
        lift=2 * 5 * 8 * (64 * 4 + 4 * 64),
        other=2 * 5 * 64 * (8 * 4 + 2 * 4 + 4),  # Q_R, new rows of C and K_R
        rows=2 * 40 * (2 * 4 + 4),
        rest=2
        * (
            4 * 5 * 64  # X, for the absorbed query, Q_R, C, K_R
            + 64 * (8 * 4 + 2 * 4 + 4)  # their weights
            + 8 * (64 * 4 + 4 * 64)  # the merged weights, not their factors
            + 2 * 5 * 8 * 4  # Q_R written and read
            + 2 * 5 * 8 * (4 + 4)  # absorbed query and latent output, written and read
            + 5 * (2 * 4 + 4)  # new rows
            + 5 * 64  # Y
        ),
    )
    check("gla.yaml", "absorb", {**FIVE, "d_c": 4}, hand, **STEP)


def test_what_grows() -> None:
    answer = derived("gla.yaml", "expand", FIVE, scope="layer", grows="yes", **STEP)
    assert answer.value(answer.flops) == EXPAND_CORE + EXPAND_LIFT
    assert answer.value(answer.bytes) == 2 * (LATENTS + ROPE_KEY + FORMED)


def test_kernel_scope() -> None:
    """The activations at the core's edge: absorbed query, RoPE query, latent output."""
    answer = derived("gla.yaml", "absorb", FIVE, scope="kernel", **STEP)
    assert answer.value(answer.flops) == 2 * 190 * 8 * (16 + 4 + 16)
    assert answer.value(answer.bytes) == 2 * (LATENTS + ROPE_KEY + 5 * 8 * (16 + 4 + 16))


# Gate: d_model 32, 4 heads, keys 8 and values 6 wide; one query, 40 tokens.
GATED = {"d_model": 32, "H": 4, "d_k": 8, "d_v": 6, "L": 40, "b": 2}


@pytest.mark.parametrize(("elementwise", "gate"), [("count", 2 * 4 * 6), ("omit", 0)])
def test_gate(elementwise: str, gate: int) -> None:
    hand = Hand(
        core=2 * 40 * 4 * (8 + 6),
        lift=0,
        other=2 * 32 * (4 * 8 + 8 + 6 + 4 * 6 + 4 * 6) + gate,  # Q, K, V, gate, output
        rows=2 * 40 * (8 + 6),
        rest=2
        * (
            4 * 32  # X, for Q, K, V and the gate
            + 32 * (4 * 8 + 8 + 6 + 4 * 6 + 4 * 6)  # weights
            + 2 * 4 * 8  # Q written and read
            + (8 + 6)  # new rows
            + 2 * 4 * 6  # the gate's input, written and read by the sigmoid
            + 2 * 4 * 6  # the gate, written and read
            + 2 * 4 * 6  # O written and read
            + 2 * 4 * 6  # gated O written and read
            + 32  # Y
        ),
    )
    check("gated.yaml", "direct", GATED, hand, elementwise=elementwise)


def test_multiply_adds() -> None:
    answer = derived("gated.yaml", "direct", GATED, unit="macs", scope="layer")
    assert answer.value(answer.flops) == (40 * 4 * (8 + 6) + 32 * (4 * 8 + 8 + 6 + 4 * 6 + 4 * 6) + 4 * 6)
