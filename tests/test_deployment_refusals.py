"""Deployment on the command line: what is refused, in one sentence, with nothing half-written."""

from __future__ import annotations

import pytest
from command import data, refused

H100 = ("--gpu", "h100-sxm")
LLAMA = ("--model", "llama-3.3-70b", "--set", "L=8192")
GQA = ("gqa", *LLAMA)
V3 = ("--model", "deepseek-v3", "--set", "L=8192")
MLA = ("mla+rope+query-latent", "--order", "absorb", *V3)
SPECULATE = ("speculate", "gqa", *LLAMA, *H100)
CROSS = ("crossover", "mla+rope+query-latent", "absorb", "expand", "--measure", "time")
EVERYTHING = ("--tp", "4", "--cp", "2", "--dp", "2", "--batch", "8", "--prefix", "1K",
              "--kv-layout", "fp8-scaled", "--compute", "fp8", *H100)  # fmt: skip


# Refusals


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((*GQA, "--gpu", "h101"), "unknown GPU 'h101'; did you mean 'h100-sxm'?"),
        ((*GQA, "--tp", "0"), "--tp 0: a number of ranks is between 1 and 65,536"),
        ((*GQA, "--cp", "0"), "--cp 0: a number of ranks"),
        ((*GQA, "--dp", "70000"), "--dp 70000: a number of ranks"),
        ((*GQA, "--tp", "-1"), "--tp -1: not a number of ranks"),
        ((*GQA, "--tp", "2.5"), "--tp 2.5: not a number of ranks"),
        ((*GQA, "--tp", "many"), "--tp many: not a number of ranks; write for example --tp 8"),
        ((*GQA, "--tp", ""), "--tp : not a number of ranks"),
        ((*GQA, "--tp", "²"), "--tp ²: not a number of ranks"),
        ((*GQA, "--batch", "0"), "--batch 0: not a size"),
        ((*GQA, "--batch", "x"), "--batch x: not a size"),
        ((*GQA, "--batch", "4", "--set", "B=4"), "--batch 4 and --set B=... both give B; leave one out"),
        ((*GQA, "--prefix", "9K"), "--prefix 9216: is longer than the context allows; L=8192"),
        ((*GQA, "--prefix", "1K", "--no-cache"), "--prefix and --no-cache contradict each other"),
        ((*GQA, "--prefix", "1K", "--phase", "prefill"), "use --phase verify and set S"),
        ((*GQA, "--kv-layout", "fp8-bf16-rope"), "gqa caches no RoPE keys beside its rows (K, V)"),
        ((*GQA, "--kv-layout", "fp7"), "unknown layout 'fp7'"),
        ((*GQA, "--compute", "fp8"), "--compute fp8: it decides the peak of a GPU; give one with --gpu"),
        ((*GQA, *H100, "--compute", "fp4"), "unknown compute type of h100-sxm 'fp4'; did you mean 'fp8'?"),
        (("roofline", "gqa", *LLAMA, *H100, "--compute", "fp4"), "unknown compute type of h100-sxm 'fp4'"),
        (("roofline", "gqa", *LLAMA), "a roofline needs an accelerator; give one with --gpu"),
        (("roofline", *H100), "missing argument"),
        (("roofline", "gqa:absorb", *LLAMA, *H100), "unknown order of gqa 'absorb'"),
        (("roofline", "nothing", *H100), "unknown variant 'nothing'"),
        (("roofline", "gqa", *LLAMA, *H100, "--prefix", "8K"), "is longer than the context allows"),
        (("roofline", "gqa", *LLAMA, *H100, "--batch", "4", "--set", "B=4"), "both give B"),
        (("roofline", "gqa", *LLAMA, *H100, "--set", "n=4"), "unknown symbol 'n'"),
        ((*SPECULATE, "--draft", "0"), "--draft 0: a number of drafted tokens is between 1 and 64"),
        ((*SPECULATE, "--draft", "65"), "--draft 65: a number of drafted tokens"),
        ((*SPECULATE, "--draft", "0000065"), "a number of drafted tokens is between 1 and 64"),
        ((*SPECULATE, "--draft", "-1"), "--draft -1: a number of drafted tokens"),
        ((*SPECULATE, "--draft", "²"), "--draft ²: a number of drafted tokens"),
        ((*SPECULATE, "--draft", "x"), "--draft x: a number of drafted tokens"),
        ((*SPECULATE, "--acceptance", "1.2"), "--acceptance 1.2: a chance of acceptance lies between 0 and 1"),
        ((*SPECULATE, "--acceptance", "-0.5"), "--acceptance -0.5: a chance of acceptance"),
        ((*SPECULATE, "--acceptance", "often"), "--acceptance often: a chance of acceptance"),
        ((*SPECULATE, "--vocab", "0"), "--vocab V=0"),
        ((*SPECULATE, "--gpus", "h100-sxm,b999"), "unknown GPU 'b999'"),
        ((*SPECULATE, "--gpus", "h100-sxm", "--compute", "fp64"), "unknown compute type of h100-sxm 'fp64'"),
        ((*SPECULATE, "--gpus", "a100-sxm", "--compute", "fp8"), "unknown compute type of a100-sxm 'fp8'"),
        ((*SPECULATE, "--prefix", "9K"), "is longer than the context allows"),
        ((*CROSS[:-1], "seconds"), "unknown measure 'seconds'"),
        ((*CROSS, "--in", "R", "--measure", "flops"), "unknown symbol 'R'"),
        ((*CROSS, "--in", "B"), "proportional to B"),
        ((*CROSS, "--compute", "fp8"), "give one with --gpu"),
    ],
)  # fmt: skip
def test_refusals(arguments, says):
    assert says in refused(*arguments)


def test_a_plot_needs_numbers_and_an_accelerator(tmp_path):
    file = tmp_path / "p.svg"
    said = refused("roofline", "gqa", *H100, "--plot", str(file))
    assert said == "a plot needs numbers for all sizes; give them with --model and --set"
    assert "--gpu" in refused("speculate", "gqa", *LLAMA, "--plot", str(file))
    assert "'.txt'" in refused("roofline", "gqa", *LLAMA, *H100, "--plot", str(tmp_path / "p.txt"))
    assert not list(tmp_path.iterdir())


GPU = """\
gpu: mine
title: Mine
peak:
  bf16: {value: 100, unit: TFLOP/s, source: x}
bandwidth: {value: 2, unit: TB/s, source: x}
"""


@pytest.mark.parametrize("command", [("gqa",), ("roofline", "gqa"), ("speculate", "gqa")])
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("value: 100,", "value: 0,", "value"),
        ("value: 100,", "value: -3,", "value"),
        ("value: 2,", "value: 0,", "value"),
        ("value: 2,", "value: -2,", "value"),
        ("value: 2,", "", "value"),
        ("unit: TB/s", "unit: TB", "unknown unit 'TB'"),
        ("unit: TFLOP/s", "unit: TB/s", "unknown unit 'TB/s'"),
        (", source: x}\nbandwidth", "}\nbandwidth", "source"),
        ("bandwidth: {value: 2, unit: TB/s, source: x}\n", "", "bandwidth"),
        ("value: 2,", "value: fast,", "expected a number"),
    ],
)
def test_files_of_accelerators_that_are_refused(command, old, new, says, tmp_path):
    """Nothing is written, neither the page nor the plot."""
    file, page, plot = tmp_path / "g.yaml", tmp_path / "page.txt", tmp_path / "p.json"
    assert GPU.count(old) == 1
    file.write_text(GPU.replace(old, new))
    more = () if command == ("gqa",) else ("--plot", str(plot))
    said = refused(*command, *LLAMA, "--gpu", str(file), "-o", str(page), *more)
    assert says in said
    assert "g.yaml:" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.yaml"]


def test_an_accelerator_of_ones_own(tmp_path):
    file = tmp_path / "g.yaml"
    file.write_text(GPU)
    found = data("roofline", "gqa", *LLAMA, "--gpu", str(file))["orders"][0]
    assert (found["gpu"]["ridge"], found["free_queries"]) == (50, 6)
