"""`derive compare` with models, config files and variants side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import data, refused, shown

CONFIGS = "tests/data/configs"
MLA, KDA = "mla+rope+query-latent", "kda"


def rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["variant"], one["order"]) for one in found["orders"]]


def test_a_model_stands_for_each_kind_of_its_layers() -> None:
    found = data("compare", "kimi-k3", "mha", "--set", "L=1024", "--set", "H=96")
    assert [one["variant"] for one in found["orders"]] == [MLA, KDA, "mha"]
    latent, state, heads = found["orders"]
    assert latent["flops"]["value"] == 2 * 96 * 1088 * 1024
    assert latent["bytes"]["value"] == 576 * 2 * 1024
    assert state["bytes"]["value"] == 2 * 4 * 96 * 128 * 128
    # mha got no widths: they stay symbols
    assert heads["flops"]["value"] is None
    assert heads["flops"]["expr"] == "2*H*L*(d_k + d_v)"


def test_each_has_sizes_of_its_own() -> None:
    words = ("llama-3.3-70b", "qwen3-8b", f"{CONFIGS}/qwen2.5-7b.json")
    found = data("compare", *words, "--set", "L=1024")
    heads = [(64, 8), (32, 8), (28, 4)]
    assert [one["flops"]["value"] for one in found["orders"]] == [4 * q * 128 * 1024 for q, _ in heads]
    assert [one["bytes"]["value"] for one in found["orders"]] == [2 * 2 * kv * 128 * 1024 for _, kv in heads]
    assert [one["cache_per_token"]["elements"]["value"] for one in found["orders"]] == [
        2 * kv * 128 for _, kv in heads
    ]


def test_the_models_are_those_of_derive_model() -> None:
    options = ("--set", "L=4096", "--batch", "2", "--tp", "2", "--gpu", "h100-sxm")
    words = ("gemma-3-1b", f"{CONFIGS}/deepseek-v3.json")
    found = data("compare", *words, *options)
    assert found["models"] == [data("model", word, *options) for word in words]
    assert "models" not in data("compare", "mha", "gqa")


def test_without_a_length_whole_models_have_the_default_one() -> None:
    found = data("compare", "qwen3-8b", "mha")
    (model,) = found["models"]
    assert model["sizes"]["L"] == 8192
    assert model["cache_bytes"] == 36 * 2048 * 2 * 8192
    page = " ".join(shown("compare", "qwen3-8b", "mha").split())
    assert "Whole models" in page
    assert "rows of one sequence at L = 8,192" in page
    assert "Whole models" not in shown("compare", "mha", "gqa")


def test_a_model_given_twice_is_counted_once_among_whole_models() -> None:
    found = data("compare", "qwen3-8b", "qwen3-8b", "--set", "L=64")
    assert len(found["models"]) == 1
    assert len(found["orders"]) == 2


def test_an_order_is_that_of_the_layers_that_have_it() -> None:
    """Absorbed, the latent layers; the others have one order."""
    found = data("compare", "kimi-k3:absorb", "--set", "L=1024")
    assert rows(found) == [(MLA, "absorb"), (KDA, "direct")]


@pytest.mark.parametrize("word", ["kimi-k3:nope", "qwen3-8b:absorb", f"{CONFIGS}/kimi-k3.json:nope"])
def test_an_order_that_no_layer_has_is_refused(word: str) -> None:
    assert word.rpartition(":")[2] in refused("compare", word, "mha")


def test_variants_take_their_sizes_from_the_model_asked_for_and_models_keep_theirs() -> None:
    found = data("compare", "qwen3-8b", "mha", "--model", "deepseek-v3", "--set", "L=64")
    own, asked = found["orders"]
    assert own["flops"]["value"] == 4 * 32 * 128 * 64
    assert asked["flops"]["value"] == 4 * 128 * 128 * 64


def test_a_size_set_by_hand_is_one_size_on_the_whole_page() -> None:
    """A model's own size either cannot be set, or is set everywhere."""
    from command import derive

    status, out, err = derive("compare", "qwen3-8b", "mha", "--set", "H_q=64", "--set", "L=64", "--json")
    if status == 2:
        assert "H_q" in err
        return
    found = json.loads(out)
    assert found["models"][0]["flops"] == 36 * found["orders"][0]["flops"]["value"]


def test_the_page_names_each_row_with_its_layers() -> None:
    page = shown("compare", "gemma-3-1b", "mha", "--set", "L=1024")
    assert "gemma-3-1b: 4 x mqa" in page
    assert "gemma-3-1b: 22 x mqa+window" in page
    assert "# Attention variants compared" in shown("compare", "gemma-3-1b", "mha", "--markdown")
    assert shown("compare", "gemma-3-1b", "mha", "--latex").startswith("\\documentclass")


def test_a_config_is_named_by_its_file_or_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "some-model"
    folder.mkdir()
    (folder / "config.json").write_text(Path(CONFIGS, "qwen3-8b.json").read_text("utf-8"), encoding="utf-8")
    assert "qwen3-8b: 36 x gqa" in shown("compare", f"{CONFIGS}/qwen3-8b.json")
    assert "some-model: 36 x gqa" in shown("compare", str(folder / "config.json"))
    assert "some-model: 36 x gqa" in shown("compare", str(folder))


@pytest.mark.parametrize("ending", [".svg", ".json", ".html"])
def test_the_plot_is_written(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("altair")
    path = tmp_path / f"roofline{ending}"
    shown("compare", "gemma-3-1b", "mha", "--set", "L=1024", "--set", "H=4", "--set", "d_k=256",
          "--set", "d_v=256", "--gpu", "h100-sxm", "--plot", str(path))  # fmt: skip
    text = path.read_text(encoding="utf-8")
    assert "gemma-3-1b: 4 x mqa" in text
    assert "gemma-3-1b: 22 x mqa+window" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("kimi-k3 --prefix 4", "--prefix is about one variant; compare variants with it, not models"),
        ("kimi-k3 --plot x.svg",
         "--plot: a roofline needs an accelerator; give one with --gpu (`derive list gpus`)"),
        ("kimi-k3 --plot x.txt --gpu h100-sxm",
         "a plot cannot be written as '.txt'; give a file that ends in .svg, .png, .pdf, .html or .json"),
        ("kimi-k3 --plot /no/such/x.svg --gpu h100-sxm",
         "--plot /no/such/x.svg: there is no folder /no/such; make it first"),
        ("nothere.json mha", "there is no file nothere.json"),
        (f"{CONFIGS} mha", f"there is no file {CONFIGS}/config.json"),
        ("kimi-k3 --json --latex", "--latex and --json were both given; choose one output format"),
    ],
)  # fmt: skip
def test_refused(arguments: str, message: str) -> None:
    assert refused("compare", *arguments.split()) == message


def test_unknown_words_and_sizes() -> None:
    message = "--phase verify: how many query tokens? Give them with --set S=4, say"
    assert refused("compare", "kimi-k3", "--phase", "verify") == message
    assert refused("compare", "mha", "gpt-oss").startswith("unknown variant 'gpt-oss'")
    assert refused("compare", "kimi-k3", "--set", "zz=3").startswith("unknown symbol 'zz'")


def test_a_plot_that_fails_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    refused("compare", "kimi-k3", "gpt-oss", "--gpu", "h100-sxm", "--plot", str(path))
    assert not path.exists()


@pytest.mark.parametrize("command", ["model", "compare"])
def test_a_layout_is_about_the_layers_that_keep_rows(command: str) -> None:
    """FP8 rows of 24 latents; the states of the other layers are no rows."""
    found = data(command, "kimi-k3", "--kv-layout", "fp8", "--set", "L=1024")
    model = found if command == "model" else found["models"][0]
    assert model["cache_bytes"] == 24 * 576 * 1024
