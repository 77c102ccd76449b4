"""What each usual mistake makes of a question, by hand, with the closed forms of quiz_oracle.py.

Each gives every value that the mistake can come to; those that equal the right one are left to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import quiz_oracle as oracle
from quiz_case import HEADED, LATENT, Case, query_heads

KEPT = ("elements", "row", "cache", "rank")
COUNTED = ("flops", "intensity", "ridge")
Values = Iterator[Fraction | None]


def factor(
    case: Case, quantity: str, unit: str, flops: Fraction | int = 1, moved: Fraction | int = 1
) -> Values:
    """The answer with its FLOPs and its bytes (or elements) multiplied."""
    value = oracle.answer(case, quantity, unit)
    assert value is not None
    scale = {"flops": Fraction(flops), "intensity": Fraction(flops) / moved, "ridge": Fraction(moved) / flops}
    yield value * scale.get(quantity, Fraction(moved))


def rope(case: Case, quantity: str, unit: str) -> Values:
    """Without the RoPE key and its part of the scores."""
    if "rope" in case.options:
        yield oracle.answer(replace(case, options=case.options - {"rope"}), quantity, unit)


def macs(case: Case, quantity: str, unit: str) -> Values:
    """Half of the arithmetic."""
    if quantity in COUNTED:
        yield from factor(case, quantity, unit, flops=Fraction(1, 2))


def kv_heads(case: Case, quantity: str, unit: str) -> Values:
    """One query head for each key/value head, or for the one latent."""
    if quantity in COUNTED and case.variant != "mha":
        cached = case.size("H_kv") if case.variant == "gqa" else 1
        if case.order != "expand":
            yield from factor(case, quantity, unit, flops=Fraction(cached, query_heads(case)))


def latent_twice(case: Case, quantity: str, unit: str) -> Values:
    """2 d_c in place of d_c where rows are kept or read; arithmetic stays."""
    if case.variant not in LATENT or quantity not in (*KEPT, "bytes", "time", "intensity", "ridge"):
        return
    kept = case.size("d_c") + (case.size("d_r") if "rope" in case.options else 0)
    kept += case.size("d_I") if case.variant == "dsa" and quantity in KEPT else 0
    yield from factor(case, quantity, unit, moved=Fraction(kept + case.size("d_c"), kept))


def over_ranks(case: Case, quantity: str, unit: str) -> Values:
    """Everything cached divided by the ranks exactly, with the RoPE key or but for it."""
    if quantity != "rank":
        return
    whole = oracle.answer(replace(case, tp=1), quantity, unit)
    assert whole is not None
    yield whole / case.tp
    if "rope" in case.options:
        latent = oracle.answer(replace(case, tp=1, options=frozenset()), quantity, unit)
        assert latent is not None
        yield latent / case.tp + whole - latent


def units(case: Case, quantity: str, unit: str) -> Values:
    """1000 for 1024 and the other way round."""
    if unit in ("kB", "KiB"):
        yield oracle.answer(case, quantity, "KiB" if unit == "kB" else "kB")
    elif unit.endswith("iB"):
        yield oracle.answer(case, quantity, unit[0] + "B")
    elif unit in ("MB", "GB", "TB"):
        yield oracle.answer(case, quantity, unit[0] + "iB")


def causal(case: Case, quantity: str, unit: str) -> Values:
    """The other mask; or half of the full pairs. Of one query there is no half."""
    if not case.several or quantity not in (*COUNTED, "crossover"):
        return
    yield oracle.answer(replace(case, pairs="full" if case.pairs == "causal" else "causal"), quantity, unit)
    if quantity != "crossover":
        yield from factor(replace(case, pairs="full"), quantity, unit, flops=Fraction(1, 2))


def keys_only(case: Case, quantity: str, unit: str) -> Values:
    """Scores alone: keys, or the latent and its RoPE key, kept and read; the up-projection W_UK alone."""
    if case.variant in HEADED:
        part = Fraction(case.size("d_k"), case.size("d_k") + case.size("d_v"))
        yield from factor(case, quantity, unit, flops=part, moved=part)
        return
    if case.variant not in LATENT:
        return
    rope_width = case.size("d_r") if "rope" in case.options else 0
    if quantity == "crossover":
        # Two lines or parabolas again: no values, so no d_v, and d_c once for twice.
        yield from keys_crossover(case)
        return
    first, second = ("d_k", "d_v") if case.order == "expand" else ("d_c", "d_c")
    scores = case.size(first) + rope_width
    yield from factor(case, quantity, unit, flops=Fraction(scores, scores + case.size(second)))


def keys_crossover(case: Case) -> Values:
    """Where 2 H (pairs (d_c - d_k) + S d_c d_k - L d_c d_k) is zero, by bisection on the rational numbers."""
    width, narrow, length = case.size("d_c"), case.size("d_k"), case.size("L")

    def gap(queries: Fraction) -> Fraction:
        lost = queries * (queries - 1) / 2 if case.pairs == "causal" else Fraction(0)
        return (queries * length - lost) * (width - narrow) + (queries - length) * width * narrow

    low, high = Fraction(0), Fraction(length)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) < 0 else (low, middle)
    yield high


def batch(case: Case, quantity: str, unit: str) -> Values:
    """All sequences for one."""
    if case.together > 1 and case.batch == 1:
        many = case.together if quantity != "ridge" else Fraction(1, case.together)
        value = oracle.answer(case, quantity, unit)
        assert value is not None
        yield value * many


def bf16(case: Case, quantity: str, unit: str) -> Values:
    """Two bytes for one."""
    if case.width == 1:
        yield oracle.answer(replace(case, width=Fraction(2)), quantity, unit)


def layers(case: Case, quantity: str, unit: str) -> Values:
    """One layer."""
    if case.layers > 1:
        yield oracle.answer(replace(case, layers=1), quantity, unit)


def full_heads(case: Case, quantity: str, unit: str) -> Values:
    """Keys and values of every head cached, the RoPE key beside each or once; or MHA of the model's width."""
    if case.variant not in LATENT or quantity == "crossover":
        return
    for kept in ("copied", "once"):
        yield oracle.answer(replace(case, order="expand", formed="cached", kept=kept), quantity, unit)
    if case.variant == "mla" and "d_model" in case.sizes:
        heads = replace(case, variant="mha", options=frozenset(), order="direct")
        share = Fraction(case.size("d_model"), case.size("H") * case.size("d_k"))
        plain = heads.at(d_v=case.size("d_k"))  # its widths d_k, scaled to d_model / H
        wide = 1 if quantity in ("intensity", "ridge") else share
        value = oracle.answer(plain, quantity, unit)
        assert value is not None
        yield value * wide


def endless(case: Case, quantity: str, unit: str) -> Values:
    """S* where the context has no end: d_c (d_k + d_v) to form, 2 d_c - d_k - d_v to save."""
    if quantity == "crossover":
        formed = case.size("d_k") + case.size("d_v")
        yield Fraction(case.size("d_c") * formed, 2 * case.size("d_c") - formed)


def summed(case: Case, quantity: str, unit: str) -> Values:
    """d_r in the weighted sum as in the scores."""
    if "rope" in case.options and quantity in COUNTED:
        first, second = ("d_k", "d_v") if case.order == "expand" else ("d_c", "d_c")
        right = case.size(first) + case.size(second) + case.size("d_r")
        yield from factor(case, quantity, unit, flops=Fraction(right + case.size("d_r"), right))


def as_mha(case: Case, quantity: str, unit: str) -> Values:
    """A key and a value head for each query head."""
    if quantity not in (*KEPT, "bytes", "time", "intensity", "ridge"):
        return
    if case.variant == "gqa":
        yield oracle.answer(case.at(H_kv=case.size("H_q")), quantity, unit)
    if case.variant == "mqa":
        yield oracle.answer(replace(case, variant="mha"), quantity, unit)


MISTAKES: Mapping[str, Callable[[Case, str, str], Values]] = {
    "rope": rope,
    "macs": macs,
    "kv-heads": kv_heads,
    "latent-twice": latent_twice,
    "latent-over-ranks": over_ranks,
    "units": units,
    "causal": causal,
    "keys-only": keys_only,
    "batch": batch,
    "bf16": bf16,
    "layers": layers,
    "full-heads": full_heads,
    "endless": endless,
    "summed": summed,
    "as-mha": as_mha,
}
