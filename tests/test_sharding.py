"""Ranks by hand and by enumeration: what the largest rank does, reads and keeps, and all of them together."""

from __future__ import annotations

from itertools import product
from math import ceil

import pytest
from command import refused, shown
from ranks import SIZES, numbers, path, split_of

from derivations.checkpoints import load_checkpoint
from derivations.conventions import Conventions
from derivations.derivation import Study, derive
from derivations.errors import InputError
from derivations.library import load_variant
from derivations.regions import build_graph
from derivations.sharding import UNSPLIT, Split, head_axes


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("mha", ("h",)), ("gqa", ("g", "i")), ("mqa", ("h",)), ("mla+rope", ("h",)), ("dsa", ("h",)),
        ("gta.yaml", ("g", "i")), ("gla.yaml", ("n", "i")), ("tpa.yaml", ("h",)),
        ("late-rope.yaml", ("g", "i")), ("window-diff.yaml", ("h",)), ("two-contexts.yaml", ("h",)),
        ("gated.yaml", ("h",)),
    ],
)  # fmt: skip
def test_the_indices_of_heads(name, axes):
    """An indexer's heads only select, and are no heads; the index that caches have comes first."""
    assert head_axes(build_graph(load_variant(path(name)))) == (axes,)


L, DK, DV, DC, DR, DH = (SIZES[n] for n in ("L", "d_k", "d_v", "d_c", "d_r", "d_h"))
# FLOPs a context token of one head, and elements a token leaves on a rank with so many (key/value) heads
BY_HAND = [
    ("mha", "direct", DK + DV, lambda h, kv: h * (DK + DV)),
    ("gqa", "direct", DK + DV, lambda h, kv: kv * (DK + DV)),
    ("mqa", "direct", DK + DV, lambda h, kv: DK + DV),
    ("mla", "absorb", 2 * DC, lambda h, kv: DC),
    ("mla+rope", "absorb", 2 * DC + DR, lambda h, kv: DC + DR),
    ("gta.yaml", "direct", 2 * DH, lambda h, kv: kv * DH + DH // 2),
    ("gla.yaml", "absorb", 2 * DC + DR, lambda h, kv: kv * DC + DR),
    ("gated.yaml", "direct", DK + DV, lambda h, kv: DK + DV),
]


@pytest.mark.parametrize(("name", "order", "each", "row"), BY_HAND, ids=[row[0] for row in BY_HAND])
def test_one_rank_by_hand(name, order, each, row):
    """12 heads on 1 to 24 ranks; 4 key/value heads, where there are groups."""
    for ranks, cp in product((1, 2, 4, 8, 12, 24), (1, 3, 7)):
        heads, groups = ceil(12 / ranks), ceil(4 / ranks)
        if name in ("gqa", "gta.yaml", "gla.yaml") and (ranks == 24 or ranks == 8):
            heads = ceil(3 / (ranks // 4))  # ranks share a group's 3 heads
        tokens = ceil(L / cp)
        found = split_of(name, order, Split(ranks, cp), {})
        flops, moved, elements, kept = numbers(found)
        assert flops == 2 * tokens * heads * each, (ranks, cp)
        assert moved == 2 * tokens * row(heads, groups), (ranks, cp)
        assert found.value(found.intensity) * moved == flops
        assert elements * cp == row(heads, groups)
        assert kept == 2 * elements


def test_the_indexer_is_not_split_and_the_selected_rows_are():
    found = split_of("dsa", "absorb", Split(tp=4), {})
    assert numbers(found)[:2] == (2 * 30 * 3 * 2 * DC, 2 * 30 * DC)
    whole = {t.where: t.amount for t in split_of("dsa", "absorb", UNSPLIT, {}).cost.terms if "I" in t.stage}
    mine = {t.where: t.amount for t in found.cost.terms if "I" in t.stage}
    assert mine == whole
    tokens = split_of("dsa", "absorb", Split(cp=4), {})
    assert numbers(tokens)[:2] == (2 * ceil(30 / 4) * 12 * 2 * DC, 2 * ceil(30 / 4) * DC)


def test_a_factored_cache_is_split_where_it_has_heads():
    found = split_of("tpa.yaml", "best", Split(tp=4), {})
    assert numbers(found)[2] == (2 + 3) * 3 + 2 * DK + 3 * DV


ORDERS = [
    ("mha", "direct"), ("mqa", "direct"), ("mla", "absorb"), ("mla", "expand"),
    ("mla+rope+query-latent", "absorb"), ("mla-rope-in-key", "expand"), ("dsa+rope", "absorb"),
    ("tpa.yaml", "direct"), ("window-diff.yaml", "best"), ("two-contexts.yaml", "direct"),
    ("gated.yaml", "direct"),
]  # fmt: skip


@pytest.mark.parametrize("formed", ["read", "write+read", "streamed", "cached"])
@pytest.mark.parametrize(("name", "order"), ORDERS)
def test_a_rank_is_a_program_of_its_own(name, order, formed):
    """Whole layer: 29 heads on 2 ranks are 15 heads, and half the context is half as many tokens."""
    knobs = {"phase": "verify", "scope": "layer", "formed": formed}
    one = split_of(name, order, Split(tp=2), {"H": 29, "S": 3}, **knobs)
    assert numbers(one)[:2] == numbers(split_of(name, order, UNSPLIT, {"H": 15, "S": 3}, **knobs))[:2]
    if "window" not in name and "dsa" not in name:
        half = split_of(name, order, Split(cp=2), {"S": 3, "L": 119, "M": 19}, **knobs)
        assert (
            numbers(half)[:2]
            == numbers(split_of(name, order, UNSPLIT, {"S": 3, "L": 60, "M": 10}, **knobs))[:2]
        )


@pytest.mark.parametrize("name", ["gqa", "gta.yaml", "gla.yaml", "late-rope.yaml"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_groups_that_divide_leave_a_smaller_program(name, ranks):
    knobs = {"phase": "verify", "scope": "layer"}
    order = "absorb" if name == "gla.yaml" else "direct"
    whole = {"H_q": 12, "H": 12, "H_kv": 4, "G": 4, "S": 2}
    share = {**{n: v // ranks for n, v in whole.items()}, "S": 2}
    found = split_of(name, order, Split(tp=ranks), whole, **knobs)
    assert numbers(found) == numbers(split_of(name, order, UNSPLIT, share, **knobs))


def test_a_batch_over_ranks():
    """The largest of 3 ranks has 3 of 7 sequences; one sequence stays one however many there are."""
    for batch, ranks, share in ((7, 3, 3), (6, 3, 2), (2, 8, 1)):
        found = split_of("gqa", "direct", Split(dp=ranks), {"B": batch}, scope="layer")
        assert numbers(found) == numbers(split_of("gqa", "direct", UNSPLIT, {"B": share}, scope="layer"))
    alone = split_of("gqa", "direct", Split(dp=8), {})
    assert numbers(alone) == numbers(split_of("gqa", "direct", UNSPLIT, {}))


def model(name: str, order: str, checkpoint: str, split: Split) -> float:
    """The intensity of a released model at 8K."""
    variant = load_variant(name)
    values = {**load_checkpoint(checkpoint).values(variant.symbols), "L": 8192}
    found = derive(Study(variant, Conventions(), values, split=split), order)
    return float(found.value(found.intensity))


@pytest.mark.parametrize(("ranks", "expected"), [(1, 8), (2, 8), (4, 8), (8, 8), (16, 4), (32, 2), (64, 1)])
def test_grouped_queries_keep_their_intensity_until_the_key_heads_run_out(ranks, expected):
    assert model("gqa", "direct", "llama-3.3-70b", Split(tp=ranks)) == expected


@pytest.mark.parametrize(("ranks", "heads"), [(1, 128), (2, 64), (3, 43), (8, 16), (128, 1), (1000, 1)])
def test_latent_attention_falls_with_its_heads(ranks, heads):
    found = model("mla+rope", "absorb", "deepseek-v3", Split(tp=ranks))
    assert found == pytest.approx(heads * 2 * 1088 / 1152)
    if ranks == 8:
        assert round(found, 1) == 30.2


@pytest.mark.parametrize("ranks", [1, 8, 64])
def test_context_and_batch_ranks_keep_intensity(ranks):
    for split in (Split(cp=ranks), Split(dp=ranks)):
        assert round(model("mla+rope", "absorb", "deepseek-v3", split), 1) == 241.8
        assert model("gqa", "direct", "llama-3.3-70b", split) == 8


def test_key_heads_that_run_out_are_copied():
    """4 key/value heads: 8 ranks keep one each, together twice what 4 ranks keep."""
    four, eight = (split_of("gqa", "direct", Split(tp=n), {"H_q": 16, "H_kv": 4}) for n in (4, 8))
    assert numbers(four)[1:] == numbers(eight)[1:]
    assert numbers(four)[0] == 2 * numbers(eight)[0]
    for quantity in (1, 2, 3):
        assert 8 * numbers(eight)[quantity] == 2 * 4 * numbers(four)[quantity]
    sizes = [
        w for s in ("H_q=28", "H_kv=4", "d_k=128", "d_v=128", "L=1K", "d_model=3584") for w in ("--set", s)
    ]
    page = [" ".join(line.split()) for line in shown("gqa", *sizes, "--set", "b=2", "--tp", "8").splitlines()]
    assert "cache, bytes per token and layer 512 4,096" in page  # of one head, and of 8 copies


def test_heads_that_do_not_divide():
    assert numbers(split_of("mha", "direct", Split(tp=2), {"H": 29}))[0] == 2 * L * 15 * (DK + DV)


# Refusals and words

ONE_HEAD = """\
variant: one
title: One head
axes: {s: {size: S}, t: {size: L}, d: {size: d_model}, k: {size: d_k}}
tensors:
  X: {axes: [s, d], role: input}
  W_Q: {axes: [d, k], role: weight}
  W_K: {axes: [d, k], role: weight}
  K: {axes: [t, k], role: cache}
equations:
  - "Q[s,k] = X[s,d] * W_Q[d,k]"
  - "K[t,k] <- X[s,d] * W_K[d,k]"
  - "A[s,t] = Q[s,k] * K[t,k]"
  - "P[s,t] = softmax[t](A[s,t])"
  - "O[s,k] = P[s,t] * K[t,k]"
"""


def test_a_program_without_heads_is_refused(tmp_path):
    file = tmp_path / "one.yaml"
    file.write_text(ONE_HEAD)
    assert refused(str(file), "--tp", "2") == "--tp 2: one has no index of heads to split; leave it out"
    assert shown(str(file), "--tp", "1")
    assert shown(str(file), "--cp", "2")


@pytest.mark.parametrize(("kind", "count"), [("tp", 0), ("cp", -1), ("dp", 65_537)])
def test_no_ranks_or_too_many(kind, count):
    with pytest.raises(InputError, match=f"--{kind} {count}: a number of ranks is between 1 and 65,536"):
        Split(**{kind: count})


def test_more_ranks_than_heads_are_said_to_idle():
    page = " ".join(shown("mha", "--set", "H=8", "--set", "L=64", "--tp", "12").split())
    assert "With 12 ranks for 8 heads, 4 of them repeat the work of others or idle." in page
    assert "idle" not in shown("mha", "--set", "H=8", "--set", "L=64", "--tp", "8")
