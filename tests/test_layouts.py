"""Layouts of cached rows: bytes by hand, the figures of the card, and texts that are refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from command import data, refused, shown

from derivations.conventions import Conventions
from derivations.derivation import Study, derive
from derivations.errors import InputError
from derivations.layouts import LAYOUTS, with_layout
from derivations.library import load_variant
from derivations.prefix import with_prefix

LLAMA = ("gqa", "--model", "llama-3.3-70b")
V3 = ("mla+rope", "--order", "absorb", "--model", "deepseek-v3", "--set", "L=4096")
MLA = {"H": 128, "d_model": 7168, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "b": 2, "L": 1000}
SCALED = Fraction(33, 32)


def row(name: str, layout: str, **sizes: int) -> Fraction:
    """Bytes a token leaves in the caches."""
    variant = load_variant(name)
    values = {n: v for n, v in {**MLA, **sizes}.items() if n in variant.symbols}
    found = derive(Study(variant, Conventions(), values, layout=layout), "direct")
    return found.value(found.cache_bytes)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("bf16", 1152),
        ("fp8", 576),
        ("fp8-scaled", 594),  # 576 + 4 bytes for every 128
        ("fp8-bf16-rope", 656),  # 512 + 4 scales of 4 bytes + 64 of 2 bytes
        ("C=33/32,K_R=2", 656),
        ("C=1", 512 + 128),  # what is not named keeps the width b
        ("K_R=1", 1024 + 64),
        (" C = 1/2 , K_R = 16 ", 256 + 1024),
    ],
)
def test_rows_of_latent_attention(layout, expected):
    assert row("mla+rope", layout) == expected


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_layout_decides_whatever_b_is(width):
    assert row("mla+rope", "fp8-bf16-rope", b=width) == 656
    assert row("mla+rope", "C=1", b=width) == 512 + 64 * width
    assert row("mla+rope", "", b=width) == 576 * width


@pytest.mark.parametrize(("layout", "each"), [("bf16", 2), ("fp8", 1), ("fp8-scaled", SCALED)])
def test_rows_of_others(layout, each):
    assert row("mha", layout) == 128 * 256 * each
    assert row("gqa", layout, H_q=64, H_kv=8) == 8 * 256 * each
    assert row("mqa", layout) == 256 * each
    assert row("dsa+rope", layout, H_I=64, d_I=128, n=2048) == (512 + 64 + 128) * each


def test_the_indexers_rows_have_their_own_width():
    sizes = {"H_I": 64, "d_I": 128, "n": 2048}
    assert row("dsa+rope", "fp8-bf16-rope", **sizes) == 656 + 132
    assert row("dsa+rope", "K_I=1", **sizes) == 1152 + 128


@pytest.mark.parametrize("traffic", ["fused", "two-pass", "unfused"])
@pytest.mark.parametrize("order", ["absorb", "expand"])
def test_only_cached_rows_are_narrower(order, traffic):
    """Layer: reads and new rows at 656 bytes a token, every other byte as without a layout."""
    variant, knobs = load_variant("mla+rope"), Conventions(phase="verify", scope="layer", traffic=traffic)
    costs = [
        derive(Study(variant, knobs, {**MLA, "S": 3}, layout=layout), order) for layout in ("", "fp8-bf16-rope")
    ]
    before, after = (
        {(t.where, t.cls, t.rule): found.value(t.amount) for t in found.cost.terms} for found in costs
    )
    assert before.keys() == after.keys()
    each = {"C": Fraction(33, 64), "K_R": 1}
    for key, value in before.items():
        where, cls, _ = key
        share = each[where.split()[0].rstrip(",")] if cls in ("cache", "append") else 1
        assert after[key] == value * share, key
    reads = 1000 * (3 if traffic == "fused" else 2) * 0 + sum(
        v for (_, c, _), v in after.items() if c == "append"
    )
    assert reads == 3 * 656


@pytest.mark.parametrize("sizes", [("L=128", "B=1"), ("L=8192", "B=64"), ("L=131072", "B=7")])
def test_the_cards_llama(sizes):
    chosen = [word for size in sizes for word in ("--set", size)]
    assert data(*LLAMA, *chosen)["intensity"]["value"] == 8
    assert data(*LLAMA, *chosen, "--kv-layout", "fp8")["intensity"]["value"] == 16
    assert data(*LLAMA, *chosen, "--kv-layout", "K=1,V=1")["intensity"]["value"] == 16


@pytest.mark.parametrize(
    ("layout", "expected"),
    [("bf16", 241.8), ("fp8", 483.6), ("fp8-bf16-rope", 424.6), ("fp8-scaled", 468.9)],
)
def test_the_cards_deepseek(layout, expected):
    """128 (2 576 + 2 512) = 278,528 FLOPs a token over 1152, 576, 656 and 594 bytes."""
    assert round(data(*V3, "--kv-layout", layout)["intensity"]["value"], 1) == expected


def test_compute_is_apart_from_storage():
    """One byte a row: past the BF16 ridge of 295, left of the FP8 ridge of 591."""
    narrow = (*V3, "--gpu", "h100-sxm", "--kv-layout", "fp8")
    assert data(*narrow)["gpu"]["side"] == "compute-bound"
    assert data(*narrow, "--compute", "fp8")["gpu"]["side"] == "memory-bound"
    assert round(data(*narrow, "--compute", "fp8")["gpu"]["ridge"]) == 591


def test_kept_rows_take_the_layout_too():
    """Expanded rows: 128 heads of 256 elements of 1 byte, and RoPE keys copied for each head or once."""
    for kept, copies in (("copied", 128), ("once", 1)):
        knobs = Conventions(formed="cached", kept_rows=kept)
        study = Study(load_variant("mla+rope"), knobs, MLA, layout="fp8")
        found = derive(study, "expand")
        assert found.value(found.cache_bytes) == 128 * 256 + copies * 64
        assert found.value(found.bytes) == 1000 * (128 * 256 + copies * 64)


@pytest.mark.parametrize(
    ("layout", "pre", "own"), [("fp8-bf16-rope", 656, 656), ("C_pre=1,K_R_pre=1", 576, 1152)]
)
def test_a_shared_prefix_has_a_layout_of_its_own(layout, pre, own):
    study = Study(
        with_prefix(load_variant("mla+rope")), Conventions(), {**MLA, "L_p": 100, "B": 4}, layout=layout
    )
    found = derive(study, "absorb")
    assert found.value(found.bytes) == 100 * pre + 4 * 900 * own


def test_pages_name_the_layout():
    for name, (_, _, words) in LAYOUTS.items():
        page = " ".join(shown(*V3, "--kv-layout", name).split())
        assert f"layout of cached rows {name}" in page
        assert words.split()[0] in page


@pytest.mark.parametrize(
    ("variant", "layout", "says"),
    [
        ("gqa", "fp8-bf16-rope", "gqa caches no RoPE keys beside its rows (K, V); use bf16, fp8 or fp8-scaled"),
        ("mla", "fp8-bf16-rope", "mla caches no RoPE keys beside its rows (C); use bf16, fp8 or fp8-scaled"),
        ("mla-rope-in-key", "fp8-bf16-rope", "caches no RoPE keys"),
        ("gqa", "fp9", "unknown layout 'fp9'; did you mean 'fp8'?"),
        ("gqa", "FP8", "unknown layout 'FP8'"),
        ("gqa", "K", "unknown layout 'K'"),
        ("gqa", "", "--kv-layout: the name of the layout is empty"),
        ("gqa", "C=1", "unknown cached tensor 'C'"),
        ("gqa", "=1", "unknown cached tensor ''"),
        ("gqa", "K=1,", "unknown cached tensor ''"),
        ("gqa", "W_Q=1", "unknown cached tensor 'W_Q'"),
        ("gqa", "K=1,K=2", "--kv-layout: K is given twice"),
        ("gqa", "K=0", "bytes per element are a number such as 2, 1 or 33/32, at most 16"),
        ("gqa", "K=-1", "bytes per element"),
        ("gqa", "K=1/0", "bytes per element"),
        ("gqa", "K=17", "at most 16"),
        ("gqa", "K=1.5", "bytes per element"),
        ("gqa", "K=", "bytes per element"),
        ("gqa", "K=1=2", "bytes per element"),
        ("gqa", "K=1e0", "bytes per element"),
        ("gqa", "K=²", "bytes per element"),
        ("gqa", "K=99999/1", "bytes per element"),
        ("gqa", "K=1" + " " * 500 + ",V=bad", "longer than 400 characters"),
    ],
)
def test_layouts_that_are_refused(variant, layout, says):
    assert says in refused(variant, "--set", "L=64", "--kv-layout", layout)


def test_no_rows_no_layout(tmp_path):
    said = refused("mla", "--order", "absorb", "--no-cache", "--kv-layout", "fp8")
    assert said == "--kv-layout fp8: mla keeps no rows that a layout could be about"
    with pytest.raises(InputError, match="unknown cached tensor"):
        with_layout(load_variant("./tests/variants/two-contexts.yaml"), "W_O=1")


def test_given_rows_are_rows():
    """A memory given from outside is read in every step and has a width like cached rows."""
    variant = with_layout(load_variant("./tests/variants/two-contexts.yaml"), "E=1,K=33/32")
    assert variant.tensors["E"].width == 1
    assert variant.tensors["K"].width == SCALED
    assert variant.tensors["V"].width == load_variant("./tests/variants/two-contexts.yaml").tensors["V"].width
