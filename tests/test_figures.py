"""Figures that the project exists for, through the command line: the article's, the note's, the card's.

Every expected number is from those documents or worked out here from their formulas.
"""

from __future__ import annotations

import pytest
from command import data, shown
from sympy import Symbol, simplify, sympify

from derivations.conventions import Conventions
from derivations.derivation import Study, derive
from derivations.library import load_variant

K3 = ("--model", "kimi-k3")
V3 = ("--model", "deepseek-v3")


def same(text: str, expected: str) -> bool:
    """Whether two formulas are equal; the names mean positive sizes."""
    names = {
        n: Symbol(n, positive=True)
        for n in ["H", "H_q", "H_kv", "L", "S", "b", "d_k", "d_v", "d_c", "d_r", "n"]
    }
    return simplify(sympify(text, names) - sympify(expected, names)) == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("mla", "--order", "absorb"), "4*H/b"),
        (("gqa",), "2*H_q/(b*H_kv)"),
        (("mha",), "2/b"),
        (("mqa",), "2*H/b"),
        (("mla+rope", "--order", "absorb"), "H*(4*d_c + 2*d_r)/(b*(d_c + d_r))"),
    ],
)
def test_intensity(arguments, expected):
    found = data(*arguments)["intensity"]["expr"]
    assert same(found, expected)
    wanted = {s.name for s in sympify(expected, {"S": Symbol("S")}).free_symbols}
    assert {s.name for s in sympify(found, {"S": Symbol("S")}).free_symbols} == wanted


def test_the_articles_decode_row():
    absorb = data("mla", "--order", "absorb", "--scope", "attention", *K3, "--set", "L=2048")
    assert (absorb["flops"]["value"], absorb["bytes"]["value"]) == (427_819_008, 2_097_152)
    assert absorb["intensity"]["value"] == 204
    expand = data("mla", "--order", "expand", "--scope", "attention", *K3, "--set", "L=2048")
    assert (expand["flops"]["value"], expand["bytes"]["value"]) == (51_640_270_848, 102_760_448)
    assert expand["intensity"]["value"] == pytest.approx(502.53, abs=0.005)


@pytest.mark.parametrize(("order", "flops"), [("absorb", 6_804_033_503_232), ("expand", 1_855_627_198_464)])
def test_the_articles_prefill_row(order, flops):
    knobs = ("--scope", "attention", "--phase", "prefill", "--pairs", "causal")
    assert data("mla", "--order", order, *knobs, *K3, "--set", "L=8192")["flops"]["value"] == flops


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [(("--scope", "kernel"), 228.30), (("--scope", "core"), 241.78), (("--traffic", "two-pass"), 128.0)],
)
def test_deepseek_v3_with_rope(knobs, expected):
    found = data("mla+rope", "--order", "absorb", *V3, "--set", "L=4096", *knobs)
    assert found["intensity"]["value"] == pytest.approx(expected, abs=0.005)


def test_the_bytes_of_the_up_projections():
    found = data("mla", "--order", "absorb", "--scope", "attention+weights", *K3, "--set", "L=2048")
    assert round(found["intensity"]["value"], 1) == 15.7
    text = shown("mla", "--order", "absorb", "--scope", "attention+weights", *K3, "--set", "L=2048")
    assert "and the bytes of the up-projection weights" in text
    rows = [line.split() for line in text.splitlines() if line.startswith(("attention ", "attention+weights "))]
    assert ["attention", "427,819,008", "2,097,152", "204"] in rows
    assert ["attention+weights", "(this", "page)", "427,819,008", "27,262,976", "15.69"] in rows


@pytest.mark.parametrize("context", [2048, 131072])
def test_sparse_attention_is_flat_and_its_indexer_is_not(context):
    sizes = ("--model", "deepseek-v3.2", "--set", f"L={context}")
    found = data("dsa", "--order", "absorb", "--scope", "attention", *sizes)
    assert found["flops"]["value"] == 570_425_344
    indexer = [t for t in found["terms"] if t["stage"] == "indexer" and t["kind"] == "flops" and t["grows"]]
    assert not any(term["in_scope"] for term in indexer)
    assert [t["value"] for t in indexer] == [16_384 * context, 2 * 64 * context]
    assert (16_384 * context > 570_425_344) == (context > 34_816)


def test_the_crossover_of_the_two_algorithms():
    found = data("crossover", "mla", "absorb", "expand", "--in", "S", *K3, "--set", "L=32768")
    top = "d_c*(d_k+d_v)"
    assert same(found["solution"]["expr"], f"{top}*L/({top} + (2*d_c-d_k-d_v)*L)")
    assert same(found["limit"]["expr"], f"{top}/(2*d_c-d_k-d_v)")
    assert found["condition"] == {"expr": "2*d_c > d_k + d_v", "holds": True}
    assert "H" not in found["solution"]["expr"]
    assert found["solution"]["value"] == pytest.approx(169.78, abs=0.005)
    assert (found["below"], found["above"]) == ("absorb", "expand")


def test_the_crossover_in_context_for_one_query():
    """At S = 1 the orders meet at 131072/(131072 - 768), and expanding is cheaper only below it."""
    found = data("crossover", "mla", "absorb", "expand", "--in", "L", *K3)
    assert found["solution"]["value"] == pytest.approx(131072 / (131072 - 768))
    assert (found["below"], found["above"]) == ("expand", "absorb")


def test_no_crossover_in_prefill():
    found = data("crossover", "mla", "absorb", "expand", "--in", "L", "--phase", "prefill", *K3)
    assert found["solution"] is None
    assert "does not depend on L" in found["never"]
    assert found["condition"] == {"expr": "2*d_c > d_k + d_v", "holds": True}


D, H, DK, DV, DC, DQ = 5120, 128, 128, 128, 512, 1536
V2 = {"d_model": D, "H": H, "d_k": DK, "d_v": DV, "d_c": DC, "d_q": DQ, "b": 2}


def layer(name: str, order: str, phase: str, context: int) -> list[float]:
    """FLOPs of the steps of a whole layer, sorted."""
    variant = load_variant(name)
    values = {n: v for n, v in V2.items() if n in variant.symbols} | {"L": context}
    found = derive(Study(variant, Conventions(phase=phase, scope="layer"), values), order)
    return sorted(found.value(term.amount) for term in found.cost.selected("flops"))


@pytest.mark.parametrize("T", [1, 4096])
def test_the_notes_prefill_formulas_term_by_term(T):
    out = 2 * T * H * DV * D
    scores = [2 * H * T * T * DK, 2 * H * T * T * DV]
    mha = [2 * T * D * H * DK, 2 * T * D * H * DK, 2 * T * D * H * DV, *scores, out]
    assert layer("mha", "direct", "prefill", T) == sorted(mha)
    lifts = [2 * T * H * DC * DK, 2 * T * H * DC * DV]
    mla = [2 * T * D * DC, 2 * T * H * D * DK, *lifts, *scores, out]
    compressed = [2 * T * D * DC, 2 * T * D * DQ, 2 * T * H * DQ * DK, *lifts, *scores, out]
    assert layer("mla", "expand", "prefill", T) == sorted(mla)
    assert layer("mla+query-latent", "expand", "prefill", T) == sorted(compressed)


def test_the_notes_deepseek_v2_figures():
    """Input projections per token: 503.3M, 206.6M and 104.9M FLOPs, 41.0% and 20.8% of the first."""
    common = 2 * H * DK + 2 * H * DV + 2 * H * DV * D
    found = [
        sum(layer(name, order, "prefill", 1)) - common
        for name, order in (("mha", "direct"), ("mla", "expand"), ("mla+query-latent", "expand"))
    ]
    assert [round(f / 1e6, 1) for f in found] == [503.3, 206.6, 104.9]
    assert [round(100 * f / found[0], 1) for f in found] == [100.0, 41.0, 20.8]


@pytest.mark.parametrize("t", [1, 8192])
def test_the_notes_decode_formulas_term_by_term(t):
    out = 2 * H * DV * D
    mha = [2 * D * H * DK, 2 * D * H * DK, 2 * D * H * DV, 2 * H * t * DK, 2 * H * t * DV, out]
    assert layer("mha", "direct", "decode", t) == sorted(mha)
    core = [2 * H * DK * DC, 2 * H * t * DC, 2 * H * t * DC, 2 * H * DC * DV, out]
    assert layer("mla", "absorb", "decode", t) == sorted([2 * D * DC, 2 * H * D * DK, *core])
    compressed = [2 * D * DC, 2 * D * DQ, 2 * H * DQ * DK, *core]
    assert layer("mla+query-latent", "absorb", "decode", t) == sorted(compressed)


def test_the_card():
    """Llama 3.3 70B: 8 FLOP/B at any batch and context; 37 times below the ridge of 295."""
    for sizes in (("L=8192",), ("L=128", "B=64")):
        chosen = [word for size in sizes for word in ("--set", size)]
        found = data("gqa", "--model", "llama-3.3-70b", *chosen, "--gpu", "h100-sxm")
        assert found["intensity"]["value"] == 8
        assert round(found["gpu"]["ridge"]) == 295
        assert found["gpu"]["side"] == "memory-bound"
    latent = data("mla+rope", "--order", "absorb", *V3, "--set", "b=1")
    assert round(latent["intensity"]["value"], 1) == 483.6


@pytest.mark.parametrize(("gpu", "ridge"), [("h100-sxm", 295), ("h200", 206), ("b200", 281)])
def test_ridges(gpu, ridge):
    assert round(data("mha", "--gpu", gpu)["gpu"]["ridge"]) == ridge
