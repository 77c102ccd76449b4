"""Deployment on the command line: pages, JSON and plots of the new options, refusals in one sentence."""

from __future__ import annotations

import json

import pytest
from command import data, derive, shown

H100 = ("--gpu", "h100-sxm")
LLAMA = ("--model", "llama-3.3-70b", "--set", "L=8192")
GQA = ("gqa", *LLAMA)
V3 = ("--model", "deepseek-v3", "--set", "L=8192")
MLA = ("mla+rope+query-latent", "--order", "absorb", *V3)
SPECULATE = ("speculate", "gqa", *LLAMA, *H100)
CROSS = ("crossover", "mla+rope+query-latent", "absorb", "expand", "--measure", "time")
EVERYTHING = ("--tp", "4", "--cp", "2", "--dp", "2", "--batch", "8", "--prefix", "1K",
              "--kv-layout", "fp8-scaled", "--compute", "fp8", *H100)  # fmt: skip


def words(*arguments: str) -> str:
    return " ".join(shown(*arguments).split())


# derive VARIANT


def test_the_cards_step_as_a_page():
    page = words(*GQA, "--tp", "4", "--batch", "32", *H100)
    assert "= 8 FLOP/B" in page
    assert "6.41 ms for 80 layers" in page
    assert "All of it waits for memory: fewer bytes help" in page
    assert "ranks that share the heads 4" in page
    assert "bytes 268,435,456 1,073,741,824" in page  # of a rank, and of all 4


def test_the_cards_step_as_data():
    found = data(*GQA, "--tp", "4", "--batch", "32", *H100)
    assert found["intensity"]["value"] == 8
    assert found["bytes"]["value"] * 80 == 21_474_836_480
    assert found["cache_per_token"]["bytes"]["value"] == 2 * 2 * 256
    assert found["time"]["compute"] == "bf16"
    assert found["time"]["seconds"] * 80 == pytest.approx(6.41e-3, abs=5e-6)
    (kernel,) = found["time"]["kernels"]
    assert (kernel["kernel"], kernel["bound"]) == ("core", "memory")
    assert kernel["memory"] == found["time"]["seconds"] > kernel["arithmetic"] > 0


def test_all_options_together():
    """Heads over 4 ranks, context over 2, batch over 2, 33/32 bytes: by hand for 2 of 8 key heads."""
    found = data(*GQA, *EVERYTHING)
    rows = 512 + 4 * 3584  # of the prefix once, of 4 sequences each
    assert found["bytes"]["value"] == pytest.approx(rows * 2 * 256 * 33 / 32)
    assert found["flops"]["value"] == 2 * 4 * (512 + 3584) * 16 * 256
    assert [k["kernel"] for k in found["time"]["kernels"]] == ["core", "core over the prefix"]
    page = words(*GQA, *EVERYTHING)
    for line in ("ranks that share the context 2", "ranks that share the batch 2", "context shared prefix",
                 "layout of cached rows fp8-scaled", "compute fp8"):  # fmt: skip
        assert line in page


@pytest.mark.parametrize("unit", ["flops", "macs"])
def test_time_does_not_depend_on_the_unit(unit):
    found = data("mqa", "--model", "falcon-7b", "--set", "L=2048", *H100, "--scope", "layer", "--unit", unit)
    assert (
        found["time"]
        == data("mqa", "--model", "falcon-7b", "--set", "L=2048", *H100, "--scope", "layer")["time"]
    )


# derive roofline


def test_roofline_page():
    page = words("roofline", "gqa", "mqa", *LLAMA, *H100, "--set", "H=64")
    assert "989.5 TFLOP/s dense BF16 over 3.35 TB/s is a ridge of 295.4 FLOP/B" in page
    assert "gqa direct 2 H_q / (b H_kv) 8 2.7 % memory 36" in page
    assert "mqa direct 2 H / b 64 21.7 % memory 4" in page
    assert "gqa (direct): queries are free for the core up to S = 36; beyond, time grows with S." in page


def test_roofline_data():
    found = data("roofline", "mla+rope:absorb", "mha", *V3, *H100)
    latent, heads = found["orders"]
    assert latent["share_of_peak"] == pytest.approx(278_528 / 1152 / (989.5 / 3.35))
    assert (latent["free_queries"], heads["free_queries"]) == (1, 295)
    assert latent["gpu"]["side"] == heads["gpu"]["side"] == "memory-bound"
    past = data("roofline", "mla+rope:absorb", *V3, *H100, "--kv-layout", "fp8")["orders"][0]
    assert (past["share_of_peak"], past["free_queries"]) == (1, 0)
    left = data("roofline", "mla+rope:absorb", *V3, *H100, "--kv-layout", "fp8", "--compute", "fp8")["orders"][
        0
    ]
    assert (round(left["gpu"]["ridge"]), left["free_queries"]) == (591, 1)


def test_roofline_takes_every_size_that_a_variant_takes():
    for width in ("1.5", "0.5", "2"):
        found = data("roofline", "mha", *H100, "--set", f"b={width}")["orders"][0]
        assert found["intensity"]["value"] == pytest.approx(2 / float(width))


def test_macs_have_the_same_roof():
    one, two = (
        data("roofline", "mla+rope:absorb", *V3, *H100, "--unit", u)["orders"][0] for u in ("flops", "macs")
    )
    assert one["share_of_peak"] == two["share_of_peak"]
    assert one["free_queries"] == two["free_queries"]


def test_roofline_says_how_many_queries_are_free_whatever_the_order():
    """With all sizes known the default order is the best, which has a budget as well as any."""
    (found,) = data("roofline", "mla+rope", *V3, *H100)["orders"]
    assert (found["intensity"]["value"], found["free_queries"]) == (pytest.approx(241.78, abs=0.005), 1)


@pytest.mark.parametrize("layout", ["bf16", "fp8"])
def test_no_query_is_free_past_the_ridge(layout):
    """The page must not say that S = 1 waits for arithmetic and that more queries are free."""
    sizes = ("--model", "deepseek-v3.2", "--set", "L=8192", "--kv-layout", layout)
    (found,) = data("roofline", "dsa:absorb", *sizes, *H100)["orders"]
    assert (found["free_queries"] == 0) == (found["gpu"]["side"] == "compute-bound")


@pytest.mark.parametrize("command", ["roofline", "speculate"])
def test_plots(command, tmp_path):
    """A spec whose values are those of the page, and a picture."""
    spec, picture = tmp_path / "p.json", tmp_path / "p.svg"
    shown(command, "gqa", *LLAMA, *H100, "--plot", str(spec))
    text = spec.read_text()
    assert json.loads(text)["$schema"].startswith("https://vega.github.io/schema/")
    assert ("Under the roof" if command == "roofline" else "What drafting gains") in text
    shown(command, "gqa", *LLAMA, *H100, "--plot", str(picture))
    assert picture.read_text().startswith("<svg")


# derive speculate


def test_budgets_side_by_side():
    """The article's thesis: MHA, GQA 64/8, MQA and MLA of 128 heads on three parts."""
    sizes = ("--model", "deepseek-v3", "--set", "H_q=64", "--set", "H_kv=8", "--gpus", "h100-sxm,h200,b200")
    found = data("speculate", "mha", "gqa", "mqa", "mla+rope", *sizes)
    free = {row["variant"]: list(row["free"].values()) for row in found["variants"]}
    assert free == {"mha": [295, 206, 281], "gqa": [36, 25, 35], "mqa": [2, 1, 2], "mla+rope": [1, 0, 1]}
    assert [row["order"] for row in found["variants"]] == ["direct", "direct", "direct", "absorb"]
    page = words("speculate", "mha", "gqa", "mqa", "mla+rope", *sizes)
    assert "b R (d_c + d_r) / (2 H (2 d_c + d_r)) 1 0 1" in page
    assert "gqa 8 b H_kv R / (2 H_q) 36 25 35" in page


def test_speculation_as_data():
    found = data(*SPECULATE, "--draft", "3", "--acceptance", "0.9,0.5")
    (row,) = found["variants"]
    assert found["acceptance"] == [0.9, 0.5]
    assert [step["draft"] for step in row["steps"]] == [0, 1, 2, 3]
    assert [step["tokens"] for step in row["steps"]] == pytest.approx([1, 1.9, 2.35, 2.575])
    assert row["steps"][0]["speedup"] == 1
    assert {"verify_seconds", "draft_seconds", "tokens", "speedup", "draft"} == set(row["steps"][0])
    assert row["free"] == {"h100-sxm": 36}


def test_speculation_advises():
    page = words(*SPECULATE, "--acceptance", "0", "--draft", "2")
    assert "Do not draft: every length tried is slower than one token at a time." in page
    assert "its output head is left out, as no vocabulary was given" in page
    page = words(*SPECULATE, "--acceptance", "1", "--draft", "5", "--vocab", "128256")
    assert "Draft 5: " in page
    assert "left out" not in page.split("Conventions")[0]


def test_budgets_take_a_compute_type():
    found = data("speculate", "mha", "--set", "b=2", "--set", "H=8", "--gpus", "h100-sxm", "--compute", "fp8")
    assert found["variants"][0]["free"] == {"h100-sxm": 590}


# derive crossover --measure time


def test_crossover_in_time_as_data():
    found = data(*CROSS, "--scope", "core", "--formed", "cached", *V3, *H100)
    assert (found["measure"], found["in"], found["below"], found["above"]) == ("time", "S", "absorb", "expand")
    assert found["solution"]["value"] == pytest.approx(86.874, abs=0.001)
    assert found["waits_for"] == {"core of absorb": "arithmetic", "core of expand": "memory"}
    assert found["dims"]["R"] == pytest.approx(295.373, abs=0.001)
    assert [row["order"] for row in found["kernels"]] == ["absorb", "expand"]


def test_three_crossovers_by_name():
    """In FLOPs 170.7 rounded, in bytes none, in time what the ridge says: nobody mixes them."""
    flops = words(*CROSS[:-1], "flops", "--scope", "attention", *V3)
    moved = words(*CROSS[:-1], "bytes", "--scope", "core", *V3)
    time = words(*CROSS, "--scope", "core", "--formed", "cached", *V3, *H100)
    assert "flops, scope attention, phase verify" in flops
    assert "S* = 167" in flops  # 8192 / (1 + 768 8192 / 131072) = 167.2
    assert "bytes, scope core, phase verify" in moved
    assert "There is no crossover" in moved
    assert "time, scope core, phase verify" in time
    assert "At these sizes S* = 86.87." in time


def test_a_ridge_is_a_size_of_times():
    """Too many kernels for one formula: the sizes that are asked for can all be given."""
    sizes = [
        w
        for s in ("H=128", "L=8K", "R=295", "b=2", "d_c=512", "d_k=128", "d_r=64", "d_v=128")
        for w in ("--set", s)
    ]
    status, out, err = derive(
        "crossover", "mla+rope", "absorb", "expand", "--measure", "time", *sizes, "--json"
    )
    assert status == 0, err
    assert json.loads(out)["solution"]["value"] == pytest.approx(187.2, abs=0.5)
