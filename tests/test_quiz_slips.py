"""What usual mistakes make of an exercise, by hand: each value is written out in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from quiz_mistakes import MISTAKES

from derivations.conventions import Conventions
from derivations.exercises.asked import Quantity, Task
from derivations.exercises.marking import Verdict, mark
from derivations.exercises.slips import SLIPS, pairs_of_slips, single_slips

# DeepSeek-V3: 61 layers. Llama 3.3 70B: 80 layers. Qwen2.5-7B: 28 layers. Falcon-7B: 32 layers.
V3 = {"d_model": 7168, "H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "L": 8192, "b": 2}
LLAMA = {"H_q": 64, "H_kv": 8, "d_k": 128, "d_v": 128, "L": 8192, "b": 2}
QWEN = {"H_q": 28, "H_kv": 4, "d_k": 128, "d_v": 128, "L": 8192, "b": 2}
FALCON = {"H": 71, "d_k": 64, "d_v": 64, "L": 4096, "b": 2}
DSA = {**V3, "n": 2048, "H_I": 64, "d_I": 128}
FOUR = Conventions(phase="verify")
PROMPT = Conventions(phase="prefill")
RIDGE = Fraction("989.5") / Fraction("3.35")
"""FLOP/B of an H100 SXM."""


def task(variant: str, quantity: Quantity, unit: str, sizes: dict[str, int], **fields: object) -> Task:
    """A task with numbers."""
    order = "absorb" if variant.startswith(("mla", "dsa")) else "direct"
    given = {"order": order, "sizes": tuple(sizes.items()), **fields}
    return Task(variant, quantity=quantity, unit=unit, **given)  # type: ignore[arg-type]


Q = Quantity
CACHE_V3 = task("mla+rope", Q.ELEMENTS, "elements", V3, layers=61)
ROW_LLAMA = task("gqa", Q.ROW, "B", LLAMA, layers=80)
RATIO_V3 = task("mla+rope", Q.INTENSITY, "FLOP/B", V3)
RATIO_LLAMA = task("gqa", Q.INTENSITY, "FLOP/B", LLAMA)
FLOPS_V3 = task("mla+rope", Q.FLOPS, "FLOP", V3)
FORMED_V3 = task("mla+rope", Q.FLOPS, "FLOP", V3, order="expand")
FLOPS_LLAMA = task("gqa", Q.FLOPS, "FLOP", {**LLAMA, "S": 4}, conventions=FOUR)
FULL_PROMPT = task("gqa", Q.FLOPS, "FLOP", LLAMA, conventions=PROMPT)
CAUSAL_PROMPT = task("gqa", Q.FLOPS, "FLOP", LLAMA, conventions=Conventions(phase="prefill", pairs="causal"))
BYTES_V3 = task("mla+rope", Q.BYTES, "B", V3)
BYTES_DSA = task("dsa+rope", Q.BYTES, "B", {**DSA, "L": 65536, "S": 4}, conventions=FOUR)
STORED_V3 = task("mla+rope", Q.CACHE, "GB", V3, layers=61, batch=16)
STORED_LLAMA = task("gqa", Q.CACHE, "GiB", LLAMA, layers=80, batch=16)
RANK_V3 = task("mla+rope", Q.RANK, "B", V3, layers=61, tp=8)
RANK_QWEN = task("gqa", Q.RANK, "B", QWEN, layers=28, tp=8)
RANK_FALCON = task("mqa", Q.RANK, "B", FALCON, layers=32, tp=8)
RIDGE_LLAMA = task("gqa", Q.RIDGE, "tokens", LLAMA, gpu="h100-sxm", conventions=FOUR, batch=32)
RATIO_FP8 = task("mla+rope", Q.INTENSITY, "FLOP/B", {**V3, "b": 1}, batch=4)
ROW_FP8 = task("gqa", Q.ROW, "kB", {**LLAMA, "b": 1}, layers=80)
TIME_FP8 = task("mla+rope", Q.TIME, "us", {**V3, "b": 1}, gpu="h100-sxm")
MEET = Conventions(phase="verify", scope="attention")
MEETING = task("mla", Q.CROSSOVER, "tokens", V3, conventions=MEET)
MEETING_CAUSAL = task(
    "mla", Q.CROSSOVER, "tokens", V3, conventions=Conventions(phase="verify", scope="attention", pairs="causal")
)
MEETING_GLM = task("mla", Q.CROSSOVER, "tokens", {**V3, "d_k": 192, "d_v": 256}, conventions=MEET)


@dataclass(frozen=True)
class Row:
    """One slip on one task."""

    slip: str
    """Its name."""
    task: Task
    """What was asked."""
    values: tuple[Fraction | int, ...]
    """What the slip gives, every way of making it; nothing where it changes nothing."""


ROWS = (
    # The RoPE key left out: 512 for 576, and 4 H L d_c FLOPs.
    Row("rope", CACHE_V3, (61 * 512,)),
    Row("rope", RATIO_V3, (256,)),
    Row("rope", FLOPS_V3, (4 * 128 * 8192 * 512,)),
    Row("rope", BYTES_DSA, (4 * 2048 * 512 * 2,)),
    Row("rope", ROW_LLAMA, ()),
    # MACs for FLOPs: half; at the ridge twice as many queries.
    Row("macs", FLOPS_V3, (128 * 8192 * (2 * 512 + 64),)),
    Row("macs", RATIO_V3, (Fraction(1088, 9),)),
    Row("macs", RIDGE_LLAMA, (RIDGE / 4,)),
    Row("macs", CACHE_V3, ()),
    # FLOPs by KV heads: 8 of them, or the one latent.
    Row("kv-heads", RATIO_LLAMA, (1,)),
    Row("kv-heads", FLOPS_LLAMA, (2 * 8 * 4 * 8192 * 256,)),
    Row("kv-heads", FLOPS_V3, (2 * 8192 * 1088,)),
    Row("kv-heads", RIDGE_LLAMA, (RIDGE,)),
    Row("kv-heads", task("mha", Q.FLOPS, "FLOP", FALCON), ()),
    # The latent for K and for V: 2 * 512 + 64.
    Row("latent-twice", CACHE_V3, (61 * 1088,)),
    Row("latent-twice", BYTES_V3, (8192 * 1088 * 2,)),
    Row("latent-twice", RATIO_V3, (128,)),
    Row("latent-twice", ROW_LLAMA, ()),
    # The latent divided by the ranks, alone or with the RoPE key; a part of a head where heads run out.
    Row("latent-over-ranks", RANK_V3, (61 * 8192 * 72 * 2, 61 * 8192 * (64 + 64) * 2)),
    Row("latent-over-ranks", RANK_QWEN, (28 * 8192 * 128 * 2,)),
    Row("latent-over-ranks", RANK_FALCON, (32 * 4096 * 16 * 2,)),
    Row("latent-over-ranks", task("gqa", Q.RANK, "B", LLAMA, tp=8), ()),
    # GiB for GB, and the other way round.
    Row("units", STORED_V3, (Fraction(61 * 8192 * 576 * 2, 2**30),)),
    Row("units", STORED_LLAMA, (Fraction(80 * 8192 * 2048 * 2, 10**9),)),
    Row("units", ROW_FP8, (160,)),
    Row("units", BYTES_V3, ()),
    # Causal pairs for full ones, plain halves, full ones for causal.
    Row("causal", FLOPS_LLAMA, (2 * 64 * (4 * 8192 - 6) * 256, 64 * 4 * 8192 * 256)),
    Row("causal", FULL_PROMPT, (64 * 8192 * 8193 * 256, 64 * 8192 * 8192 * 256)),
    Row("causal", CAUSAL_PROMPT, (2 * 64 * 8192 * 8192 * 256, 64 * 8192 * 8192 * 256)),
    Row("causal", FLOPS_V3, ()),
    # The K side alone. A latent is read whole for it; grouped heads lose as many FLOPs as bytes.
    Row("keys-only", ROW_LLAMA, (80 * 8 * 128 * 2,)),
    Row("keys-only", FLOPS_V3, (2 * 128 * 8192 * 576,)),
    Row("keys-only", RATIO_V3, (128,)),
    Row("keys-only", MEETING, ()),  # keys are as wide as values: both sides meet at the same S
    Row("keys-only", MEETING_GLM, (Fraction(8192 * 512 * 192, 512 * 192 + 8192 * (512 - 192)),)),
    Row("keys-only", CACHE_V3, ()),
    Row("keys-only", RATIO_LLAMA, ()),
    # The batch multiplied: bytes of 16 sequences, FLOPs of 4 over the bytes of one.
    Row("batch", STORED_V3, (Fraction(16 * 61 * 8192 * 576 * 2, 10**9),)),
    Row("batch", STORED_LLAMA, (Fraction(16 * 80 * 8192 * 2048 * 2, 2**30),)),
    Row("batch", RATIO_FP8, (4 * Fraction(4352, 9),)),
    Row("batch", RIDGE_LLAMA, (RIDGE / 8 / 32,)),
    Row("batch", CACHE_V3, ()),
    # Two bytes for one.
    Row("bf16", RATIO_FP8, (Fraction(2176, 9),)),
    Row("bf16", ROW_FP8, (Fraction(80 * 2048 * 2, 1000),)),
    Row("bf16", TIME_FP8, (Fraction(8192 * 576 * 2 * 10**6) / (Fraction("3.35") * 10**12),)),
    Row("bf16", CACHE_V3, ()),
    # One layer of 61, of 80, of 28.
    Row("layers", CACHE_V3, (576,)),
    Row("layers", STORED_LLAMA, (Fraction(8192 * 2048 * 2, 2**30),)),
    Row("layers", RANK_QWEN, (8192 * 256 * 2,)),
    Row("layers", FLOPS_V3, ()),
    # Heads cached as in MHA: RoPE key beside each, or once; or the model width for keys and for values.
    Row("full-heads", CACHE_V3, (61 * 128 * 320, 61 * (128 * 256 + 64), 61 * 2 * 7168)),
    Row(
        "full-heads",
        RATIO_V3,
        (1, Fraction(2 * 128 * 320, 2 * (128 * 256 + 64)), 1),
    ),
    Row("full-heads", ROW_LLAMA, ()),
    # S* without end: d_c (d_k + d_v) / (2 d_c - d_k - d_v), whatever the pairs.
    Row("endless", MEETING, (Fraction(512 * 256, 1024 - 256),)),
    Row("endless", MEETING_CAUSAL, (Fraction(512 * 256, 1024 - 256),)),
    Row("endless", MEETING_GLM, (Fraction(512 * 448, 1024 - 448),)),
    Row("endless", RATIO_V3, ()),
    # The RoPE key in the weighted sum: 2 (d_c + d_r), or d_k + d_v + 2 d_r where keys and values are formed.
    Row("summed", FLOPS_V3, (4 * 128 * 8192 * 576,)),
    Row("summed", RATIO_V3, (256,)),
    Row("summed", FORMED_V3, (2 * 128 * 8192 * (256 + 2 * 64),)),
    Row("summed", BYTES_V3, ()),
    Row("summed", FLOPS_LLAMA, ()),
    # MHA's rows: 64 heads for 8, 28 for 4 (on 8 ranks 4 of them), 71 for one.
    Row("as-mha", ROW_LLAMA, (80 * 64 * 256 * 2,)),
    Row("as-mha", RATIO_LLAMA, (1,)),
    Row("as-mha", RANK_QWEN, (28 * 8192 * 4 * 256 * 2,)),
    Row("as-mha", RANK_FALCON, (32 * 4096 * 9 * 128 * 2,)),
    Row("as-mha", RIDGE_LLAMA, (RIDGE,)),
    Row("as-mha", FLOPS_LLAMA, ()),
    Row("as-mha", CACHE_V3, ()),
)


def identity(row: Row) -> str:
    """A row's name in the list of tests."""
    return f"{row.slip} {row.task.variant} {row.task.quantity} {row.task.unit}"


@pytest.mark.parametrize("row", ROWS, ids=identity)
def test_slips_by_hand(row):
    """What a slip makes of a task, every way of making it."""
    found = {s.answer.number for s in single_slips(row.task) if s.slips[0].name == row.slip}
    assert found == set(row.values)


@pytest.mark.parametrize("row", [row for row in ROWS if row.values], ids=identity)
def test_slips_are_named(row):
    """Typed to six digits, each is recognised."""
    for value in row.values:
        marked = mark(row.task, f"{float(value):#.6g} {row.task.unit}")
        assert marked.verdict is Verdict.SLIP, value
        assert row.slip in [slip.name for slip in marked.slips], value


def test_two_slips_at_once():
    """Config-traps: 2 * 61 * 512, the latent for keys and for values and no RoPE key."""
    both = [s for s in pairs_of_slips(CACHE_V3) if s.answer.number == 2 * 61 * 512]
    assert [[slip.name for slip in s.slips] for s in both] == [["rope", "latent-twice"]]


def test_every_one():
    """Every one of them has rows above, and its values on random exercises are worked out too."""
    assert len(MISTAKES) == 15
    assert {row.slip for row in ROWS} == set(MISTAKES)
    assert set(MISTAKES) <= {slip.name for slip in SLIPS}
