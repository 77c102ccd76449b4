"""A prefix shared by a batch: the same values as without it, its rows read once, and when mixing pays."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from command import refused

from derivations.checkpoints import load_checkpoint
from derivations.conventions import Conventions
from derivations.derivation import Study, crossover_of, derive
from derivations.hardware import load_accelerator
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.prefix import segment, with_prefix
from derivations.program import MaskKind

VARIANTS = (
    "mha", "gqa", "mqa", "mla", "mla+rope", "mla+rope+query-latent", "mla-rope-in-key",
    *(f"./tests/variants/{name}.yaml" for name in ("gta", "gla", "tpa", "late-rope", "gated")),
)  # fmt: skip
MIXED = ("absorb", "prefix-absorb-expand", "prefix-expand-absorb", "expand")


def test_the_rewritten_program():
    shared = with_prefix(load_variant("mla+rope"))
    assert segment(shared) == "p"
    assert segment(load_variant("mla+rope")) is None
    assert shared.axes["t"].size == Poly.symbol("L") - Poly.symbol("L_p")
    assert {n for n, t in shared.tensors.items() if t.shared} == {"C_pre", "K_R_pre", "K_pre", "V_pre"}
    assert shared.masks["A_pre"].kind is MaskKind.FULL
    assert tuple(order.name for order in shared.orders) == MIXED
    again = {o.name: (set(o.forms), set(o.avoids)) for o in shared.orders}
    assert again["prefix-expand-absorb"] == ({"K_pre", "V_pre"}, {"K", "V"})
    assert again["prefix-absorb-expand"] == ({"K", "V"}, {"K_pre", "V_pre"})


# Bytes and FLOPs by hand

DIMS = {"H": 128, "d_model": 7168, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "b": 2}
H, DK, DV, DC, DR = (DIMS[n] for n in ("H", "d_k", "d_v", "d_c", "d_r"))


def numbers(name: str, order: str, sizes: Mapping[str, int], **knobs: str) -> tuple[int, int]:
    shared = with_prefix(load_variant(name))
    values = {n: v for n, v in {**DIMS, **sizes}.items() if n in shared.symbols}
    found = derive(Study(shared, Conventions(**knobs), values), order)
    return found.value(found.flops), found.value(found.bytes)


@pytest.mark.parametrize("order", MIXED)
@pytest.mark.parametrize(("batch", "prefix", "whole"), [(1, 100, 200), (64, 4096, 5000), (7, 1, 9000)])
def test_latent_attention_by_hand(order, batch, prefix, whole):
    """Rows of the prefix move once for the batch, and are formed once for it."""
    sizes, rest = {"B": batch, "L_p": prefix, "L": whole}, whole - prefix
    pre, own = {"absorb": "aa", "expand": "ee"}.get(order, order.replace("prefix-", "")[0] + order[-6])
    each = {"a": 2 * DC + DR, "e": DK + DR + DV}
    row = {"a": DC + DR, "e": H * (DK + DV) + DR + DC}  # the latent is read to form rows
    flops = 2 * batch * H * (prefix * each[pre] + rest * each[own])
    moved = 2 * (prefix * row[pre] + batch * rest * row[own])
    assert numbers("mla+rope", order, sizes, scope="core") == (flops, moved)
    if order == "absorb":
        return
    lift = 2 * H * DC * (DK + DV)  # of a row, or of a query
    flops += lift * (prefix * (pre == "e") + batch * rest * (own == "e") + batch * ("a" in pre + own))
    assert numbers("mla+rope", order, sizes, scope="attention") == (flops, moved)


@pytest.mark.parametrize("batch", [1, 5, 64])
def test_grouped_queries_by_hand(batch):
    """Causal pairs: S queries see the prefix whole, S L - S (S - 1) / 2 in all."""
    sizes = {"H_q": 64, "H_kv": 8, "B": batch, "L_p": 300, "L": 1000, "S": 5}
    moved = 2 * (300 + batch * 700) * 8 * 256
    for pairs, count in (("full", 5000), ("causal", 5000 - 10)):
        flops = 2 * batch * count * 64 * 256
        assert numbers("gqa", "direct", sizes, phase="verify", pairs=pairs) == (flops, moved)


@pytest.mark.parametrize(("order", "scope"), [("absorb", "core"), ("expand", "core"), ("expand", "layer")])
def test_a_batch_of_one_neither_gains_nor_loses(order, scope):
    """Absorbed, each segment is lifted by itself: sums are not factored, so the layer pays W_UV twice."""
    shared = numbers("mla+rope", order, {"B": 1, "L_p": 77, "L": 500}, scope=scope)
    values = {**DIMS, "L": 500, "B": 1}
    plain = derive(Study(load_variant("mla+rope"), Conventions(scope=scope), values), order)
    assert shared == (plain.value(plain.flops), plain.value(plain.bytes))


# When the mixed order pays


def batch_crossing(order: str, phase: str, kept: str, given: Mapping[str, object]):
    shared = with_prefix(load_variant("mla+rope"))
    knobs = Conventions(phase=phase, scope="core", formed="cached", kept_rows=kept)
    return crossover_of(Study(shared, knobs, given), order, "absorb", "B", "time")


@pytest.mark.parametrize("kept", ["copied", "once"])
@pytest.mark.parametrize(("gpu", "queries"), [("h100-sxm", 1), ("h100-sxm", 4), ("h200", 1), ("b200", 2)])
def test_the_batch_from_which_kept_expanded_rows_pay(kept, gpu, queries):
    """R b H (d_k + d_r + d_v) / (2 S H (2 d_c + d_r)); with the RoPE key stored once d_r counts once."""
    ridge = load_accelerator(gpu).ridge()
    values = {**load_checkpoint("deepseek-v3").values(DIMS), "b": 2, "L": 8192, "L_p": 4096, "R": ridge}
    found = batch_crossing("prefix-expand-absorb", "verify", kept, {})
    (solution,) = found.solutions
    assert (solution.below, solution.above) == ("absorb", "prefix-expand-absorb")
    row = H * (DK + DV) + (H if kept == "copied" else 1) * DR
    exact = ridge * 2 * row / (2 * queries * H * (2 * DC + DR))
    assert solution.root.value({**values, "S": queries}) == exact
    assert all(condition.holds({**values, "S": queries}) for condition in solution.conditions)
    assert dict(solution.bounds) == {
        "core over the prefix of prefix-expand-absorb": "memory",
        "core over the prefix of absorb": "arithmetic",
    }
    if (gpu, queries) == ("h100-sxm", 1):
        assert float(exact) == pytest.approx({"copied": 86.87, "once": 69.64}[kept], abs=0.005)
        assert "R" in solution.root.p.names() | solution.root.r.names()


@pytest.mark.parametrize("seed", range(10))
def test_the_batch_against_the_times_themselves(seed):
    """Random sizes: where the roofline times of the prefix cross, and nowhere else (times by hand)."""
    rng = random.Random(seed)
    h, dc, dk, dv, dr = (rng.randint(1, 40) for _ in range(5))
    s, ridge, width = rng.randint(1, 3), Fraction(rng.randint(1, 400), 7), 2
    values = {
        "H": h,
        "d_c": dc,
        "d_k": dk,
        "d_v": dv,
        "d_r": dr,
        "S": s,
        "R": ridge,
        "b": width,
        "L": 90,
        "L_p": 50,
    }

    def gap(batch: Fraction) -> Fraction:
        mixed = max(2 * h * s * batch * (dk + dv + dr), ridge * width * h * (dk + dv + dr))
        return mixed - max(2 * h * s * batch * (2 * dc + dr), ridge * width * (dc + dr))

    found = batch_crossing("prefix-expand-absorb", "verify", "copied", {})
    roots = [
        x.root.value(values) for x in found.solutions if all(c.holds(values) is not False for c in x.conditions)
    ]
    kinks = [ridge * width / (2 * s), ridge * width * (dc + dr) / (2 * h * s * (2 * dc + dr))]
    ends = [Fraction(1, 10**6), *sorted(kinks), 10**9]
    changes = sum(gap(a) * gap(b) < 0 for a, b in pairwise(ends))
    assert len(roots) == changes
    assert all(gap(root) == 0 for root in roots)


# Refusals

STATE = """\
variant: linear
title: Linear attention
axes: {s: {size: S}, h: {size: H}, d: {size: d_model}, k: {size: d_k}, v: {size: d_v}}
tensors:
  X: {axes: [s, d], role: input}
  W_Q: {axes: [h, d, k], role: weight}
  W_K: {axes: [h, d, k], role: weight}
  W_V: {axes: [h, d, v], role: weight}
  M: {axes: [h, k, v], role: state}
equations:
  - "Q[h,s,k] = X[s,d] * W_Q[h,d,k]"
  - "K[h,s,k] = X[s,d] * W_K[h,d,k]"
  - "V[h,s,v] = X[s,d] * W_V[h,d,v]"
  - "M[h,k,v] <- M[h,k,v] + K[h,s,k] * V[h,s,v]"
  - "O[h,s,v] = Q[h,s,k] * M[h,k,v]"
"""
V3 = ("mla+rope", "--model", "deepseek-v3", "--order", "absorb", "--set", "L=100")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("./tests/variants/window-diff.yaml", "--prefix", "8"), "sees only some tokens of the context"),
        (("dsa", "--prefix", "8"), "--prefix: top_n over the context is not derived with one"),
        (("./tests/variants/two-contexts.yaml", "--prefix", "8"), "no context of L tokens alone"),
        ((*V3, "--prefix", "8", "--phase", "prefill"), "use --phase verify and set S"),
        ((*V3, "--prefix", "8", "--no-cache"), "--prefix and --no-cache contradict each other"),
        ((*V3, "--prefix", "101"), "is longer than the context allows"),
        ((*V3, "--prefix", "100"), "is longer than the context allows; L=100 holds it and the new tokens"),
        ((*V3, "--prefix", "96", "--phase", "verify", "--set", "S=5"), "is longer than the context allows"),
        ((*V3, "--prefix", "100", "--phase", "verify"), "--prefix 100: is longer"),
        ((*V3, "--prefix", "0"), "--prefix 0: not a size"),
        ((*V3, "--prefix", "-1"), "--prefix -1: not a size"),
        ((*V3, "--prefix", "1.5"), "--prefix 1.5: not a size"),
        ((*V3, "--prefix", "many"), "--prefix many: not a size"),
        ((*V3, "--prefix", ""), "--prefix : not a size"),
        ((*V3, "--prefix", "8", "--set", "L_p=9"), "--prefix 8 and --set L_p=... both give L_p"),
        (("gqa", "--prefix", "L_q"), "--prefix L_q: not a size"),
    ],
)
def test_prefixes_that_are_refused(arguments, says):
    assert says in refused(*arguments)


def test_a_state_has_no_rows_to_share(tmp_path):
    file = tmp_path / "linear.yaml"
    file.write_text(STATE)
    assert "no context of L tokens alone" in refused(str(file), "--prefix", "8")
