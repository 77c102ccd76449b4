"""Kernels and their times by hand, sums against the ledger, and crossovers in time against a scan."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import pytest

from derivations.atoms import evaluate
from derivations.checkpoints import load_checkpoint
from derivations.conventions import SCOPES, Conventions
from derivations.derivation import Study, derive
from derivations.hardware import load_accelerator
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.prefix import with_prefix
from derivations.roofline import kernels, longest, time_of, timed
from derivations.sharding import UNSPLIT, Split
from derivations.terms import Kind

H100 = load_accelerator("h100-sxm")
PEAK, BANDWIDTH = Fraction(9895 * 10**11), Fraction(335 * 10**10)
V3 = {"H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "d_model": 7168, "b": 2}


def cost_of(name: str, order: str, values: Mapping[str, object], split: Split = UNSPLIT, **knobs: str):
    variant = load_variant(name)
    return derive(Study(variant, Conventions(**knobs), values, split=split), order).cost


@pytest.mark.parametrize(
    ("gpu", "compute", "ridge"), [("h100-sxm", "bf16", 295), ("h200", "bf16", 206), ("b200", "bf16", 281),
                                  ("h100-sxm", "fp8", 591)],
)  # fmt: skip
def test_ridges(gpu, compute, ridge):
    assert round(load_accelerator(gpu).ridge(compute)) == ridge


def test_the_cards_llama():
    """Batch 32, 8K, 4 ranks, H100: 21.5 GB and 6.4 ms over 80 layers, each 2 B L 2 heads (128 + 128)."""
    model = load_checkpoint("llama-3.3-70b")
    values = {**model.values(load_variant("gqa").symbols), "L": 8192, "B": 32}
    cost = cost_of("gqa", "direct", values, Split(tp=4))
    (one,) = timed(cost, H100, "bf16", values)
    moved = 2 * 32 * 8192 * 2 * 256
    assert evaluate(one.kernel.bytes, values) == moved
    assert evaluate(one.kernel.flops, values) == 2 * 32 * 8192 * 16 * 256
    assert model.attention_layers == 80
    assert round(80 * moved / 1e9, 1) == 21.5
    assert (one.memory, one.bound) == (moved / BANDWIDTH, "memory")
    assert one.seconds == one.memory > one.compute == 2 * 32 * 8192 * 16 * 256 / PEAK
    assert round(float(80 * one.seconds * 1000), 1) == 6.4


def test_kernels_of_the_whole_layer_by_hand():
    """One query over 100 tokens, each kernel's FLOPs and bytes."""
    h, d, k, v, tokens = 4, 32, 8, 6, 100
    values = {"H": h, "d_model": d, "d_k": k, "d_v": v, "b": 2, "L": tokens}
    found = {n.name: n for n in kernels(cost_of("mqa", "direct", values, scope="layer"))}
    expected = {
        "K: X * W_K": (2 * d * k, 2 * (d + d * k + k)),
        "V: X * W_V": (2 * d * v, 2 * (d + d * v + v)),
        "A: X * W_Q": (2 * h * d * k, 2 * (d + h * d * k + h * k)),
        "core": (2 * h * tokens * (k + v), 2 * (tokens * (k + v) + h * k + h * v)),
        "Y: O * W_O": (2 * h * v * d, 2 * (h * v + h * v * d + d)),
    }
    assert {n: (evaluate(x.flops, values), evaluate(x.bytes, values)) for n, x in found.items()} == expected
    whole = sum(max(f / PEAK, m / BANDWIDTH) for f, m in expected.values())
    parts = timed(cost_of("mqa", "direct", values, scope="layer"), H100, "bf16", values)
    assert sum(one.seconds for one in parts) == whole
    assert timed(cost_of("mqa", "direct", {}), H100, "bf16", {"L": 4}) is None


PROGRAMS = [
    ("mha", "direct"), ("gqa", "direct"), ("mla+rope+query-latent", "absorb"), ("mla+rope", "expand"),
    ("mla-rope-in-key", "expand"), ("dsa", "absorb"), ("./tests/variants/gla.yaml", "expand"),
    ("./tests/variants/window-diff.yaml", "absorb"), ("./tests/variants/two-contexts.yaml", "direct"),
    ("./tests/variants/gated.yaml", "direct"), ("prefix mla+rope", "prefix-expand-absorb"),
    ("prefix gqa", "direct"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "order"), PROGRAMS)
def test_kernels_add_up_to_the_ledger(name, order):
    """In every scope, whatever crosses memory: each term is in one kernel; products of weights in none."""
    variant = load_variant(name.removeprefix("prefix "))
    variant = with_prefix(variant) if name.startswith("prefix") else variant
    for knobs in (
        {}, {"unit": "macs"}, {"formed": "streamed"}, {"formed": "write+read", "traffic": "unfused"},
        {"formed": "cached", "elementwise": "omit"}, {"grows": "yes", "traffic": "two-pass", "pairs": "causal"},
    ):  # fmt: skip
        given = Study(variant, Conventions(phase="verify", scope="layer", **knobs), {})
        whole = derive(given, order).cost
        for scope in SCOPES:
            cost = whole.under(scope=scope)
            parts = kernels(cost)
            flops, moved = (sum((getattr(p, kind) for p in parts), start=Poly()) for kind in ("flops", "bytes"))
            assert flops == cost.flops * (2 if knobs.get("unit") == "macs" else 1)
            assert moved == cost.bytes
            stages = {term.stage for term in cost.terms if cost.counts(term) and term.kind == Kind.FLOPS}
            assert "offline" not in stages


@pytest.mark.parametrize("seed", range(6))
def test_time_is_the_longer_of_two(seed):
    rng = random.Random(seed)
    values = {n: rng.randint(1, 50) for n in ("H", "d_k", "d_v", "d_c", "d_r", "d_model", "S", "b")}
    values |= {"L": values["S"] + rng.randint(0, 90), "R": Fraction(rng.randint(1, 3000), 10)}
    for order in ("absorb", "expand"):
        cost = cost_of("mla+rope", order, {}, phase="verify", scope=rng.choice([*SCOPES]))
        parts = [(evaluate(k.flops, values), evaluate(k.bytes, values)) for k in kernels(cost)]
        expected = sum(max(f, values["R"] * m) for f, m in parts)
        assert evaluate(time_of(cost), values) == expected
        assert evaluate(time_of(cost, load_variant("mla+rope").facts), values) == expected


def test_the_longer_of_nothing():
    x = Poly.symbol("x")
    assert longest(x, Poly()) == longest(Poly(), x) == x
    assert longest(x, x) == x
    assert longest(x * 2, x) == x * 2
