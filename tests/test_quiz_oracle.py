"""The oracle against brute force at tiny sizes, and against figures of documents."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from fractions import Fraction
from math import floor, sqrt
from pathlib import Path

import pytest
import quiz_oracle as oracle
from quiz_case import Case, key_heads
from quiz_loops import Counts, ranks_of

TINY = {"H": 3, "H_q": 6, "H_kv": 2, "d_k": 2, "d_v": 3, "d_c": 4, "d_r": 2, "n_w": 3, "n": 2, "d_I": 2}
PROGRAMS = (
    ("mha", "", "direct"),
    ("mqa", "", "direct"),
    ("gqa", "", "direct"),
    ("gqa", "window", "direct"),
    ("mha", "window", "direct"),
    ("mla", "", "absorb"),
    ("mla", "", "expand"),
    ("mla", "rope", "absorb"),
    ("mla", "rope query-latent", "absorb"),
    ("mla", "rope", "expand"),
    ("dsa", "", "absorb"),
    ("dsa", "rope", "absorb"),
    ("dsa", "rope", "expand"),
    ("lightning", "", "direct"),
)


def tiny(rng: random.Random, variant: str, options: str, order: str) -> Case:
    """A case with sizes that loops can go through."""
    length = rng.randint(2, 7)
    sizes = {name: size + rng.randint(0, 2) for name, size in TINY.items() if name not in ("H_q", "H_kv")}
    sizes["H_kv"] = rng.randint(1, 3)
    sizes["H_q"] = sizes["H_kv"] * rng.randint(1, 3)
    return Case(
        variant=variant,
        options=frozenset(options.split()),
        order=order,
        pairs=rng.choice(("full", "causal")),
        formed=rng.choice(("read", "write+read", "streamed", "cached")) if order == "expand" else "read",
        kept=rng.choice(("copied", "once")),
        sizes={**sizes, "L": length, "S": rng.randint(1, length)},
        tp=rng.randint(1, 4),
        batch=rng.randint(1, 2),
    )


def moved(case: Case, counts: Counts) -> Fraction:
    """Bytes of scope core by the sets of elements."""
    times = {"read": 1, "write+read": 2, "streamed": 0, "cached": 1}[case.formed]
    elements = len(counts.cached) + times * len(counts.formed) + 2 * len(counts.state)
    return case.width * elements


def test_the_oracle_stands_alone():
    """Nothing of the package is imported by what counts."""
    for name in ("quiz_case", "quiz_oracle", "quiz_loops"):
        tree = ast.parse(Path(__file__).with_name(f"{name}.py").read_text())
        froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
        mine = {"quiz_case", "quiz_oracle", "__future__", "collections.abc", "dataclasses", "fractions", "math"}
        assert froms <= {*mine, "itertools"}, name


@pytest.mark.parametrize(("variant", "options", "order"), PROGRAMS)
def test_closed_forms_against_loops(variant, options, order):
    """Multiply-adds counted one by one, elements collected in sets, the largest rank of all."""
    rng = random.Random(f"{variant} {options} {order}")
    for _ in range(12):
        case = tiny(rng, variant, options, order)
        ranks = ranks_of(case)
        assert oracle.core_flops(case) == max(2 * rank.core for rank in ranks), case
        if variant != "lightning":
            edge, picked = max(len(rank.edge) for rank in ranks), replace(case, variant="mla")
            assert oracle.edge_bytes(picked if variant == "dsa" else case) == case.width * edge, case
        lifted, read = max(2 * rank.lift for rank in ranks), max(moved(case, rank) for rank in ranks)
        if variant == "dsa" and case.pairs == "causal":  # min(L, S n) rows are the most there can be
            assert oracle.lift_flops(case) >= lifted, case
            assert oracle.moved_bytes(case) >= read, case
            continue
        assert oracle.lift_flops(case) == lifted, case
        assert oracle.moved_bytes(case) == read, case
        if oracle.lift_flops(case):
            weights = max(len(rank.weights) for rank in ranks)
            assert oracle.lift_weight_bytes(case) == case.width * weights, case


def latent(**changes: object) -> Case:
    """DeepSeek-V3: 61 layers, 128 heads over a latent of 512 and a RoPE key of 64, absorbed."""
    sizes = {"H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "L": 8192, "S": 1}
    case = Case(variant="mla", options=frozenset({"rope"}), order="absorb", sizes=sizes, layers=61)
    return replace(case, **changes)  # type: ignore[arg-type]


def plain(**changes: object) -> Case:
    """Kimi K3's widths without its RoPE key: 96 heads, one layer."""
    sizes = {"H": 96, "d_k": 128, "d_v": 128, "d_c": 512, "L": 2048, "S": 1}
    case = Case(variant="mla", order="absorb", sizes=sizes)
    return replace(case, **changes)  # type: ignore[arg-type]


def grouped(query: int, kv: int, head: int, layers: int = 1, **changes: object) -> Case:
    """Grouped-query attention with keys as wide as values."""
    sizes = {"H_q": query, "H_kv": kv, "d_k": head, "d_v": head, "L": 8192, "S": 1}
    return replace(Case(variant="gqa", sizes=sizes, layers=layers), **changes)  # type: ignore[arg-type]


def on(case: Case, peak: str, bandwidth: str) -> Case:
    """With an accelerator: TFLOP/s and TB/s."""
    return replace(case, peak=Fraction(peak) * 10**12, bandwidth=Fraction(bandwidth) * 10**12)


MHA_96 = Case(variant="mha", sizes={"H": 96, "d_k": 128, "d_v": 128, "L": 32768, "S": 1}, layers=93)
GEMMA_GLOBAL = grouped(4, 1, 256, layers=4).at(L=32768)
GEMMA_WINDOW = replace(GEMMA_GLOBAL.at(n_w=512), layers=22, options=frozenset({"window"}))
GPT_OSS = grouped(64, 8, 64, layers=36)
LLAMA_RANK = on(grouped(64, 8, 128, 80, tp=4, batch=32), "989.5", "3.35")
SELECTED = replace(latent(layers=1).at(d_I=128), variant="dsa")
FP8_SCALED = {"C": Fraction(33, 32), "K_R": Fraction(2)}

# Where a figure is printed, what the oracle says, the figure. K is 1024 where tokens are meant.
PRINTED = (
    ("config-traps: head_dim beside hidden_size", oracle.cache_bytes(grouped(32, 8, 128, 36)), 147_456),
    ("config-traps: head_dim null", oracle.cache_bytes(grouped(48, 8, 128, 56)), 229_376),
    ("config-traps: a latent, not 128 KV heads", oracle.cache_elements(latent()), 35_136),
    (
        "config-traps: a latent of an unknown model",
        oracle.cache_elements(latent(layers=47).at(H=20, d_k=192, d_v=256)),
        27_072,
    ),
    ("config-traps: KV heads fewer than ranks", key_heads(grouped(32, 4, 128, tp=8)), 1),
    ("config-traps: the latent on 8 ranks", oracle.cache_elements(latent(tp=8)), 35_136),
    ("config-traps: 36 layers at one token", oracle.cache_bytes(GPT_OSS), 73_728),
    (
        "config-traps: gemma3-1b in MiB",
        (oracle.sequence_bytes(GEMMA_GLOBAL) + oracle.sequence_bytes(GEMMA_WINDOW)) / 2**20,
        139,
    ),
    (
        "config-traps: full against causal at S = L = 8192",
        Fraction(
            oracle.core_flops(grouped(8, 2, 64).at(S=8192)),
            oracle.core_flops(grouped(8, 2, 64, pairs="causal").at(S=8192)),
        ),
        Fraction(2 * 8192, 8193),
    ),
    ("config-traps: 656 B", oracle.cache_bytes(latent(layers=1, widths=FP8_SCALED)), 656),
    ("config-traps: 65,536 a head, both sides 2 * 65,536", oracle.lift_flops(plain().at(H=1)) // 2, 131_072),
    ("card: bytes of a KV head", oracle.moved_bytes(grouped(8, 1, 128)), 4_194_304),
    ("card: FLOPs of its 8 query heads", oracle.core_flops(grouped(8, 1, 128)), 33_554_432),
    ("card: Llama 3.3 70B", oracle.intensity(grouped(64, 8, 128)), 8),
    ("card: Llama 3.3 70B, one byte", oracle.intensity(grouped(64, 8, 128, width=Fraction(1))), 16),
    ("card: FLOPs of a token", Fraction(oracle.core_flops(latent()), 8192), 278_528),
    ("card: bytes of a token", oracle.cache_bytes(latent(layers=1)), 1_152),
    ("card: 242", oracle.intensity(latent()), Fraction(2176, 9)),
    ("card: 484", oracle.intensity(latent(width=Fraction(1))), Fraction(4352, 9)),
    ("card: 30", oracle.intensity(latent(tp=8)), Fraction(272, 9)),
    ("card: GQA on 8 ranks", oracle.intensity(grouped(64, 8, 128, tp=8)), 8),
    ("card: 970", round(oracle.intensity(latent().at(S=4)), -1), 970),
    ("card: 4 queries of GQA", oracle.intensity(grouped(64, 8, 128).at(S=4)), 32),
    ("card: GB a rank", round(oracle.sequence_bytes(LLAMA_RANK) / 10**9, 1), Fraction("21.5")),
    ("card: ms of HBM time", round(oracle.read_seconds(LLAMA_RANK) * 1000, 1), Fraction("6.4")),
    ("article: Qwen2.5-7B", oracle.intensity(grouped(28, 4, 128)), 7),
    ("article: Mixtral-8x7B", oracle.intensity(grouped(32, 8, 128)), 4),
    ("article: MHA", oracle.intensity(MHA_96), 1),
    ("article: Kimi K3", oracle.intensity(plain()), 192),
    (
        "article: MHA over MLA",
        oracle.cache_elements(replace(MHA_96, layers=1)) / oracle.cache_elements(plain()),
        48,
    ),
    ("note: cached dimensions of MHA", oracle.cache_elements(replace(MHA_96.at(H=128), layers=1)), 32_768),
    ("note: cached dimensions of MLA", oracle.cache_elements(plain()), 512),
    ("variants: a row of DSA, c + r and an index key", oracle.cache_elements(SELECTED), 512 + 64 + 128),
    ("variants: a state, h k v", oracle.state_elements(replace(MHA_96, variant="kda")), 96 * 128 * 128),
    ("article: the ridge of an H100", round(oracle.ridge(on(plain(), "989.5", "3.35"))), 295),
    ("article: the ridge of an H200", round(oracle.ridge(on(plain(), "989.5", "4.8"))), 206),
    ("article: the ridge of a B200", round(oracle.ridge(on(plain(), "2250", "8"))), 281),
)


@pytest.mark.parametrize(("where", "found", "figure"), PRINTED, ids=[row[0] for row in PRINTED])
def test_figures_of_documents(where, found, figure):
    """Figures that are right as printed, in config-traps, the card, the article and the note."""
    assert found == figure, where


def test_where_absorb_and_expand_meet():
    """The article's S* for Kimi K3 and its limit for a long context, 512 * 256 / (1024 - 256)."""
    long, longest = plain(scope="attention").at(L=32768), plain(scope="attention").at(L=10**12)
    meeting = oracle.crossover_queries(long)
    assert meeting is not None
    assert round(meeting, 1) == Fraction("169.8")
    cheaper = [
        oracle.flops(long.at(S=s)) < oracle.flops(replace(long, order="expand").at(S=s)) for s in (169, 170)
    ]
    assert cheaper == [True, False]
    limit = oracle.crossover_queries(longest)
    assert limit is not None
    assert 0 < Fraction(512, 3) - limit < Fraction(1, 10**6)
    assert oracle.crossover_queries(long.at(d_c=128)) == 32768  # 2 d_c = d_k + d_v: where every token is new
    assert oracle.crossover_queries(long.at(d_c=64)) is None  # expanded rows are the wider ones
    assert oracle.crossover_queries(plain()) == 0  # the core alone: no forming to pay for


def test_where_they_meet_with_causal_pairs():
    """A parabola: the whole number before S* is cheaper absorbed, the one after expanded, by counts of each."""
    case = replace(plain(scope="attention", pairs="causal").at(L=4096), tp=3)
    meeting = oracle.crossover_queries(case)
    assert meeting is not None
    assert meeting.denominator != 1
    near = [case.at(S=floor(meeting)), case.at(S=floor(meeting) + 1)]
    assert [oracle.flops(c) < oracle.flops(replace(c, order="expand")) for c in near] == [True, False]
    # 2 H (w (S L - S (S - 1)/2) + S d_c (d_k + d_v) - L d_c (d_k + d_v)), w = 2 * 512 - 256, in floats
    b, c = 768 * 4096.5 + 512 * 256, 4096 * 512 * 256
    assert float(meeting) == pytest.approx((b - sqrt(b * b - 2 * 768 * c)) / 768, rel=1e-9)
