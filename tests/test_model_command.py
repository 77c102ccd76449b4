"""`derive model` on what is bundled and on files of a user's own, against arithmetic done by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import data, derive, refused, shown

from derivations.checkpoints import checkpoint_names, load_checkpoint
from derivations.hardware import load_accelerator

CONFIGS = Path(__file__).parent / "data" / "configs"
# a bundled model -> the config.json it was read from
READ_FROM = {
    "deepseek-v3": "deepseek-v3", "deepseek-v3.2": "deepseek-v3.2", "deepseek-v4-flash": "deepseek-v4-flash",
    "deepseek-v4-pro": "deepseek-v4-pro", "kimi-k2": "kimi-k2", "kimi-k3": "kimi-k3",
    "kimi-linear-48b": "kimi-linear-48b", "gpt-oss-120b": "gpt-oss-120b", "gemma-3-1b": "gemma-3-1b",
    "qwen3-8b": "qwen3-8b", "qwen3-next-80b": "qwen3-next-80b", "llama-3.3-70b": "llama-3.3-70b",
    "mistral-7b-v0.1": "mistral-7b-v0.1", "mixtral-8x7b": "mixtral-8x7b", "qwen2.5-7b": "qwen2.5-7b",
    "minimax-m1": "minimax-m1", "glm-4.7-flash": "glm-4.7-flash",
}  # fmt: skip
TOTALS = ("cache_elements_per_token", "state_elements", "lag_elements", "cache_bytes", "state_bytes",
          "flops", "bytes", "layer_count", "draft_modules")  # fmt: skip
FIELDS = {
    "schema", "model", "title", "source", "sizes", "conventions", "layer_count", "layers",
    "cache_elements_per_token", "state_elements", "lag_elements", "cache_bytes", "state_bytes", "flops",
    "bytes", "intensity", "draft_modules", "advice", "missing_fields", "unknown_fields",
    "assumptions", "decisions",
}  # fmt: skip
OF_A_LAYER = {
    "count", "which", "variant", "order", "dims", "cache_elements_per_token", "cache_elements_per_token_long",
    "window", "state_elements", "lag_elements", "cache_bytes", "flops", "bytes", "intensity",
}  # fmt: skip


def layers(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The kinds of layers by variant."""
    by = {layer["variant"]: layer for layer in found["layers"]}
    assert len(by) == len(found["layers"])
    return by


def counts(name: str) -> dict[str, int]:
    return {variant: layer["count"] for variant, layer in layers(data("model", name)).items()}


# --------------------------------------------------------------------------------------------- the contract


@pytest.mark.parametrize("name", checkpoint_names())
def test_every_bundled_model_has_every_field_and_its_sums_are_those_of_its_layers(name: str) -> None:
    found = data("model", name)
    assert set(found) == FIELDS
    assert found["schema"] == "derive/1"
    assert (found["model"], found["unknown_fields"], found["assumptions"]) == (name, [], {})
    assert found["missing_fields"] == []
    assert found["sizes"] == {"L": 8192, "S": 1}
    for layer in found["layers"]:
        assert set(layer) >= OF_A_LAYER
        assert set(layer) - OF_A_LAYER <= {"absorb_up_to", "indexer"}
    sums = {
        of: sum(layer["count"] * layer[of] for layer in found["layers"])
        for of in ("cache_elements_per_token", "cache_elements_per_token_long", "state_elements",
                   "lag_elements", "cache_bytes", "flops", "bytes")
    }  # fmt: skip
    per_token = found["cache_elements_per_token"]
    assert per_token == {
        "short": sums.pop("cache_elements_per_token"),
        "long": sums.pop("cache_elements_per_token_long"),
    }
    assert sums == {of: found[of] for of in sums}
    assert found["state_bytes"] == 4 * found["state_elements"]
    assert found["intensity"] == pytest.approx(found["flops"] / found["bytes"])
    assert sum(layer["count"] for layer in found["layers"]) <= found["layer_count"]


@pytest.mark.parametrize("name", sorted(READ_FROM))
def test_a_bundled_model_is_what_its_config_says(name: str) -> None:
    """Layers, dims and totals; options of one name may be listed in another order of kinds."""
    bundled = data("model", name, "--set", "L=32768")
    read = data("model", str(CONFIGS / f"{READ_FROM[name]}.json"), "--set", "L=32768")
    assert {of: bundled[of] for of in TOTALS} == {of: read[of] for of in TOTALS}

    def alike(layer: dict[str, Any]) -> tuple[object, ...]:
        base, *options = layer["variant"].split("+")
        kept = layer["cache_elements_per_token"], layer["cache_elements_per_token_long"], layer["window"]
        # a gate on the result is listed by some bundled models only as a note
        rest = sorted(set(options) - {"gate"})
        return layer["count"], base, *rest, sorted(layer["dims"].items()), *kept, layer["state_elements"]

    assert sorted(map(alike, bundled["layers"]), key=str) == sorted(map(alike, read["layers"]), key=str)


# ------------------------------------------------------------------------------------- checkpoints, by hand


def test_kimi_k3_has_24_latents_and_69_states() -> None:
    found = data("model", "kimi-k3", "--set", "L=32768")
    assert found["layer_count"] == 93
    assert {v: layer["count"] for v, layer in layers(found).items()} == {"mla+rope+query-latent": 24, "kda": 69}
    assert found["cache_elements_per_token"] == {"short": 24 * 576, "long": 24 * 576}
    assert found["cache_bytes"] == 24 * 576 * 2 * 32768
    assert found["state_elements"] == 69 * 96 * 128 * 128
    # three convolutions of length 4 keep the 3 last rows of queries, keys and values
    assert found["lag_elements"] == 69 * 3 * 3 * 96 * 128
    latent = layers(found)["mla+rope+query-latent"]
    assert latent["flops"] == 2 * 96 * (2 * 512 + 64) * 32768
    assert latent["bytes"] == 2 * 576 * 32768
    # a state is read and written in FP32
    assert layers(found)["kda"]["bytes"] == 2 * 4 * 96 * 128 * 128


def test_windows_of_gpt_oss() -> None:
    one, many = (data("model", "gpt-oss-120b", "--set", f"L={rows}") for rows in (1, 32768))
    assert one["cache_bytes"] == 36 * 2 * 8 * 64 * 2 == 73728
    assert many["cache_elements_per_token"] == {"short": 36 * 1024, "long": 18 * 1024}
    assert many["cache_bytes"] == 18 * 1024 * 2 * (32768 + 128)
    assert layers(many)["gqa+window"]["window"] == 128
    # 64 query heads of width 64, two products, each pair a multiply-add
    assert layers(many)["gqa+window"]["flops"] == 2 * 2 * 64 * 64 * 128


def test_gemma_has_one_layer_in_six_that_grows() -> None:
    found = data("model", "gemma-3-1b", "--set", "L=32768")
    assert counts("gemma-3-1b") == {"mqa": 4, "mqa+window": 22}
    assert found["cache_bytes"] == 4 * 2 * 256 * 2 * 32768 + 22 * 2 * 256 * 2 * 512 == 139 * 2**20
    assert "145.75 MB (139.00 MiB)" in shown("model", "gemma-3-1b", "--set", "L=32768")


@pytest.mark.parametrize(("rows", "larger"), [(2048, False), (34546, False), (34547, True), (131072, True)])
def test_where_the_scan_of_an_index_outgrows_the_attention_it_limits(rows: int, larger: bool) -> None:
    """The scan: 64 heads of width 128 and their sum. The core: 128 heads on 2,048 latents and RoPE keys."""
    found = layers(data("model", "deepseek-v3.2", "--set", f"L={rows}"))["dsa+rope+query-latent"]
    scan, core = 2 * 64 * (128 + 1) * rows, 2 * 128 * (2 * 512 + 64) * 2048
    assert (found["indexer"]["scan_flops"], found["indexer"]["core_flops"]) == (scan, core)
    assert (scan > core) is larger
    assert found["indexer"]["scan_is_larger_from"] == pytest.approx(core / (2 * 64 * 129))
    page = shown("model", "deepseek-v3.2", "--set", f"L={rows}")
    assert "34,546" in page
    # the key of the index is kept beside the row
    assert found["cache_elements_per_token"] == 512 + 64 + 128


def test_pooled_rows_of_deepseek_v4() -> None:
    found = data("model", "deepseek-v4-flash", "--set", "L=32768")
    kinds = {layer["variant"].split("+")[0]: layer for layer in found["layers"]}
    assert {name: layer["count"] for name, layer in kinds.items()} == {"csa": 21, "hca": 20, "shared-kv": 2}
    # one row of 512 and one index key of 128 for 4 tokens; one row for 128; a window of 128 rows each
    assert kinds["csa"]["cache_bytes"] == 2 * (32768 // 4 * (512 + 128) + 128 * 512)
    assert kinds["hca"]["cache_bytes"] == 2 * (32768 // 128 * 512 + 128 * 512)
    assert kinds["shared-kv"]["cache_bytes"] == 2 * 128 * 512
    assert found["cache_elements_per_token"]["long"] == 21 * 160 + 20 * 4
    assert kinds["csa"]["indexer"]["scan_flops"] == 2 * 64 * 129 * 32768 // 4
    assert kinds["csa"]["indexer"]["core_flops"] == 4 * 64 * 512 * (512 + 128)


def test_states_and_rows_of_other_hybrids() -> None:
    next_ = data("model", "qwen3-next-80b")
    assert next_["state_elements"] == 36 * 32 * 128 * 128
    assert next_["cache_elements_per_token"]["long"] == 12 * 2 * 2 * 256
    lightning = data("model", "minimax-m1")
    assert lightning["state_elements"] == 70 * 64 * 128 * 128
    assert lightning["cache_elements_per_token"]["long"] == 10 * 2 * 8 * 128
    assert data("model", "mistral-7b-v0.1")["cache_elements_per_token"] == {"short": 65536, "long": 0}


# ------------------------------------------------------------------------------------------ ranks and batch


def test_four_heads_of_keys_over_eight_ranks() -> None:
    """28 query heads make 4 a rank, and no rank has less than one of the 4 heads of keys and values."""
    found = data("model", "qwen2.5-7b", "--tp", "8", "--set", "L=1024")
    assert found["ranks"] == {"tp": 8, "cp": 1, "dp": 1}
    assert found["cache_elements_per_token"]["short"] == 28 * 2 * 128
    assert found["unsplit"]["cache_elements_per_token"]["short"] == 28 * 2 * 4 * 128
    assert (found["cache_bytes"], found["unsplit"]["cache_bytes"]) == (28 * 512 * 1024, 28 * 2048 * 1024)
    assert found["flops"] == 28 * 4 * 4 * 128 * 1024
    (ranks,) = (text for text in found["advice"] if text.startswith("Over 8 ranks"))
    assert "each keeps 25 % of the cached rows, 2 times an equal share" in ranks


def test_a_latent_is_on_every_rank() -> None:
    found = data("model", "deepseek-v3", "--tp", "8", "--set", "L=1024")
    assert found["cache_elements_per_token"] == found["unsplit"]["cache_elements_per_token"]
    assert found["cache_bytes"] == found["unsplit"]["cache_bytes"] == 61 * 576 * 2 * 1024
    assert found["flops"] == 61 * 2 * 16 * (2 * 512 + 64) * 1024
    assert any("each keeps every cached row" in text for text in found["advice"])


def test_states_go_with_their_heads() -> None:
    found = data("model", "kimi-k3", "--tp", "8")
    assert found["state_elements"] * 8 == found["unsplit"]["state_elements"] == 69 * 96 * 128 * 128


def test_ranks_that_share_the_context() -> None:
    found = data("model", "gemma-3-1b", "--cp", "8", "--set", "L=1024")
    assert found["cache_bytes"] == 4 * 512 * 2 * 1024 // 8 + 22 * 512 * 2 * 512 // 8


def test_ranks_that_share_the_batch_keep_their_own_sequences() -> None:
    """Of 8 sequences over 8 ranks one rank keeps one, and reads one."""
    found = data("model", "qwen3-8b", "--dp", "8", "--batch", "8", "--set", "L=1024")
    one = 36 * 2 * 8 * 128 * 2 * 1024
    assert found["bytes"] == one
    assert found["cache_bytes"] == one
    assert found["unsplit"]["cache_bytes"] == 8 * one


def test_a_batch_multiplies_rows_and_states_but_no_row_of_a_layer() -> None:
    one, four = (data("model", "kimi-k3", "--batch", str(size)) for size in (1, 4))
    assert four["sizes"]["B"] == 4
    for of in ("cache_bytes", "state_bytes", "flops", "bytes"):
        assert four[of] == 4 * one[of]
    for of in ("cache_elements_per_token", "state_elements", "lag_elements"):
        assert four[of] == one[of]
    assert [x["cache_bytes"] for x in four["layers"]] == [x["cache_bytes"] for x in one["layers"]]
    assert data("model", "kimi-k3", "--set", "B=4") == four
    assert "batch 4" in shown("model", "kimi-k3", "--batch", "4")


@pytest.mark.parametrize(
    ("layout", "row"),
    [("bf16", 1152), ("fp8", 576), ("fp8-bf16-rope", 512 + 16 + 128), ("fp8-scaled", Fraction(576 * 33, 32))],
)
def test_layouts_of_a_latent_row(layout: str, row: Fraction | int) -> None:
    found = data("model", "deepseek-v3", "--kv-layout", layout, "--set", "L=1024")
    assert found["cache_bytes"] == found["bytes"] == 61 * row * 1024
    assert found["cache_elements_per_token"]["short"] == 61 * 576


def test_widths_given_by_hand() -> None:
    found = data("model", "kimi-k3", "--set", "b=1", "--set", "b_M=2", "--set", "L=2048")
    assert found["cache_bytes"] == 24 * 576 * 2048
    assert found["state_bytes"] == 2 * found["state_elements"]


# ------------------------------------------------------------------------------------------------- advice


def grouped_budget(heads: int, kv: int, ridge: Fraction) -> int:
    """The largest S with F <= R M: each query is 4 H d FLOPs against 4 H_kv d bytes a row."""
    return max((s for s in range(1, 8193) if 4 * heads * s <= ridge * 4 * kv), default=0)


def latent_budget(heads: int, ridge: Fraction) -> int:
    return max((s for s in range(1, 8193) if 2 * heads * 1088 * s <= ridge * 2 * 576), default=0)


@pytest.mark.parametrize(
    ("name", "variant", "by_hand"),
    [
        ("qwen3-8b", "gqa", lambda ridge: grouped_budget(32, 8, ridge)),
        ("gpt-oss-120b", "gqa", lambda ridge: grouped_budget(64, 8, ridge)),
        ("gemma-3-1b", "mqa", lambda ridge: grouped_budget(4, 1, ridge)),
        ("deepseek-v3", "mla+rope+query-latent", lambda ridge: latent_budget(128, ridge)),
        ("kimi-k3", "mla+rope+query-latent", lambda ridge: latent_budget(96, ridge)),
    ],
)
@pytest.mark.parametrize("gpu", ["h100-sxm", "h200-sxm"])
def test_free_queries_by_trying_every_number(
    name: str, variant: str, by_hand: Callable[[Fraction], int], gpu: str
) -> None:
    ridge = load_accelerator(gpu).ridge()
    found = layers(data("model", name, "--gpu", gpu))[variant]
    assert found["free_queries"] == by_hand(ridge)
    assert found["side"] == ("memory-bound" if found["intensity"] < ridge else "compute-bound")


def test_free_queries_are_those_of_the_rank_that_the_page_is_about() -> None:
    """16 of the 128 heads on each of 8 ranks read the whole latent: 2 x 16 x 1088 S FLOPs, 2 x 576 bytes."""
    ridge = load_accelerator("h200-sxm").ridge()
    found = data("model", "deepseek-v3", "--gpu", "h200-sxm", "--tp", "8")
    (layer,) = found["layers"]
    assert layer["side"] == "memory-bound"
    assert layer["free_queries"] == latent_budget(16, ridge) == 6
    assert not any("a second query token is past the ridge" in text for text in found["advice"])


def test_a_draft_is_one_less_than_the_free_queries() -> None:
    found = data("model", "qwen3-8b", "--gpu", "h100-sxm")
    (text,) = (text for text in found["advice"] if "wait for memory" in text)
    free = found["layers"][0]["free_queries"]
    assert f"up to {free:,} query tokens" in text
    assert f"a draft of {free - 1:,} tokens" in text
    (text,) = (t for t in data("model", "kimi-k3", "--gpu", "h200-sxm")["advice"] if "ridge" in t)
    assert "mla+rope+query-latent (24 layers): a second query token is past the ridge" in text


def absorbed(heads: int, keys: int, queries: int, rows: int) -> int:
    """FLOPs of scope attention: the query and the result through the latent, the core on 512 and 64."""
    return 2 * heads * (queries * 512 * (keys + 128) + queries * rows * (2 * 512 + 64))


def expanded(heads: int, keys: int, queries: int, rows: int) -> int:
    return 2 * heads * (rows * 512 * (keys + 128) + queries * rows * (keys + 64 + 128))


@pytest.mark.parametrize("rows", [256, 1024, 8192, 131072])
@pytest.mark.parametrize(("name", "heads"), [("deepseek-v3", 128), ("kimi-k3", 96), ("kimi-k2", 64)])
def test_where_to_absorb_by_trying_every_number_of_queries(name: str, heads: int, rows: int) -> None:
    found = data("model", name, "--set", f"L={rows}")
    layer = layers(found)["mla+rope+query-latent"]
    cheap = [s for s in range(1, rows + 1) if absorbed(heads, 128, s, rows) < expanded(heads, 128, s, rows)]
    last = cheap[-1]
    assert cheap == [*range(1, last + 1)]
    assert last <= layer["absorb_up_to"] < last + 1
    assert f"absorb up to {last:,} new tokens in a step, expand from {last + 1:,}" in found["advice"][0]


NARROW = """\
model: narrow
title: A narrow latent
source: nowhere
variant: mla
options: [rope]
layers: 2
dims: {d_model: 256, H: 4, d_k: 128, d_v: 128, d_c: 64, d_r: 16}
"""


@pytest.mark.parametrize("rows", [1, 60, 4096])
def test_a_latent_narrower_than_a_head_is_absorbed_at_any_number_of_queries(tmp_path: Path, rows: int) -> None:
    def costs(queries: int) -> tuple[int, int]:
        lift = 64 * (128 + 128)
        return (
            2 * 4 * (queries * lift + queries * rows * (2 * 64 + 16)),
            2 * 4 * (rows * lift + queries * rows * (128 + 16 + 128)),
        )

    assert all(costs(s)[0] < costs(s)[1] or s == rows == 1 for s in range(1, rows + 1))
    path = tmp_path / "narrow.yaml"
    path.write_text(NARROW, encoding="utf-8")
    advice = data("model", str(path), "--set", f"L={rows}")["advice"]
    assert not any("expand from" in text for text in advice)


def test_no_advice_on_brackets_where_there_are_none() -> None:
    assert not any("absorb" in text for text in data("model", "qwen3-8b")["advice"])


# ------------------------------------------------------------------------------------------------- phases


def test_verify_is_so_many_queries_on_the_same_rows() -> None:
    one, four = (
        data("model", "deepseek-v3", "--phase", "verify", "--set", f"S={s}", "--set", "L=8192") for s in (1, 4)
    )
    assert four["flops"] == 4 * one["flops"] == 4 * 61 * 2 * 128 * 1088 * 8192
    assert four["bytes"] == one["bytes"]
    assert four["sizes"] == {"L": 8192, "S": 4}


@pytest.mark.parametrize(("pairs", "count"), [("full", 512 * 512), ("causal", 512 * 513 // 2)])
def test_prefill_counts_the_pairs_that_are_asked_for(pairs: str, count: int) -> None:
    found = data("model", "qwen3-8b", "--phase", "prefill", "--set", "L=512", "--pairs", pairs)
    assert found["flops"] == 36 * 4 * 32 * 128 * count
    assert found["conventions"]["pairs"] == pairs


def test_a_long_prefill_expands() -> None:
    (layer,) = data("model", "deepseek-v3", "--phase", "prefill", "--set", "L=4096")["layers"]
    assert "expand" in layer["order"]
    (layer,) = data("model", "deepseek-v3")["layers"]
    assert "absorb" in layer["order"]


def test_no_cache_is_refused() -> None:
    """The page is about what layers keep."""
    status, out, err = derive("model", "kimi-k3", "--no-cache")
    assert (status, out) == (2, "")
    assert "--no-cache" in err


# ------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("kimi-k3 --prefix 5", ("--prefix is about one variant", "derive VARIANT --model NAME --prefix")),
        ("kimi-k3 --notation note", ("--notation", "no formulas to re-letter")),
        ("kimi-k4", ("unknown model 'kimi-k4'", "did you mean 'kimi-k3'?")),
        ("deepseek-v33", ("unknown model 'deepseek-v33'", "did you mean 'deepseek-v3'?")),
        ("mha", ("unknown model 'mha'",)),
        ("deepseek-v3 --assume head_dim=3", ("--assume fills gaps of a config.json", "deepseek-v3 is none")),
        ("deepseek-v3 --set H=3", ("unknown symbol 'H'", "known: B, L, S, b, b_M")),
        ("deepseek-v3 --set d_c=3", ("unknown symbol 'd_c'",)),
        ("deepseek-v3 --set L=0", ("L must be at least 1",)),
        ("deepseek-v3 --set L=1 --set L=2", ("L",)),
        ("deepseek-v3 --set S=4", ("decode has one query token", "--phase verify")),
        ("deepseek-v3 --phase verify", ("S", "--set")),
        ("deepseek-v3 --phase verify --set S=4 --set L=2", ("S=4 is larger than L=2",)),
        ("deepseek-v3 --phase guess", ("guess", "decode")),
        ("deepseek-v3 --gpu h300", ("unknown GPU 'h300'", "did you mean")),
        ("deepseek-v3 --kv-layout fp9", ("unknown layout 'fp9'", "did you mean 'fp8'?")),
        ("gemma-3-1b --kv-layout fp8-bf16-rope", ("caches no RoPE keys", "use bf16, fp8 or fp8-scaled")),
        ("deepseek-v3 --json --latex", ("--latex and --json were both given",)),
        ("deepseek-v3 --order absorb", ("unknown option '--order'",)),
        ("deepseek-v3 --model kimi-k3", ("unknown option '--model'",)),
        ("qwen3-8b --compute fp8", ("--compute fp8", "--gpu")),
        ("qwen3-8b --tp 0", ("tp",)),
        ("qwen3-8b --tp x", ("--tp x: not a number of ranks",)),
        ("qwen3-8b --batch 0", ("--batch 0: not a size",)),
        ("qwen3-8b --batch 2 --set B=2", ("both give B",)),
        ("nothere.json", ("there is no file nothere.json",)),
        ("./nothere.yaml", ("there is no file ./nothere.yaml",)),
        ("./nothere", ("nothere",)),
        ("", ("missing argument 'MODEL'",)),
        ("qwen3-8b -o /no/such/folder/x", ("there is no folder /no/such/folder",)),
    ],
)
def test_refused(arguments: str, words: tuple[str, ...]) -> None:
    message = refused("model", *arguments.split())
    for word in words:
        assert word in message, message


def test_an_empty_name() -> None:
    assert refused("model", "") == "the name of the model is empty"


# ------------------------------------------------------------------------------------------------- formats


HEADS = {"--text": "Kimi K3\n=======", "--markdown": "# Kimi K3", "--latex": "\\documentclass"}


@pytest.mark.parametrize(("form", "head"), HEADS.items())
def test_formats(form: str, head: str, tmp_path: Path) -> None:
    page = shown("model", "kimi-k3", form)
    assert page.startswith(head)
    assert "13,824" in page or "13{,}824" in page
    assert "108,527,616" in page or "108{,}527{,}616" in page
    target = tmp_path / "page"
    assert shown("model", "kimi-k3", form, "-o", str(target)) == ""
    assert target.read_text(encoding="utf-8") == page


def test_the_page_and_the_json_agree() -> None:
    page = " ".join(shown("model", "deepseek-v3.2", "--gpu", "h200-sxm", "--tp", "8").split())
    found = data("model", "deepseek-v3.2", "--gpu", "h200-sxm", "--tp", "8")
    for text in found["advice"]:
        assert text in page
    assert f"{found['flops']:,}" in page
    assert f"{found['bytes']:,}" in page
    assert "the largest of 8 ranks" in page


def test_explain_says_which_field_led_to_what() -> None:
    path = str(CONFIGS / "qwen3-next-80b.json")
    page = " ".join(shown("model", path, "--explain").split())
    assert "Which field says what" in page
    assert "Which field says what" not in shown("model", path)
    assert "full_attention_interval = 4" in page
    assert data("model", path)["decisions"]


def test_a_folder_is_its_config(tmp_path: Path) -> None:
    text = (CONFIGS / "qwen3-8b.json").read_text(encoding="utf-8")
    folder = tmp_path / "some-model"
    folder.mkdir()
    (folder / "config.json").write_text(text, encoding="utf-8")
    by_folder, by_file = data("model", str(folder)), data("model", str(folder / "config.json"))
    assert by_folder["layers"] == by_file["layers"]
    assert f"there is no file {tmp_path}/config.json" in refused("model", str(tmp_path))


def test_what_was_assumed_and_what_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    fields = {"hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 3, "flavour": "mint"}
    path.write_text(json.dumps(fields), encoding="utf-8")
    status, out, err = derive("model", str(path), "--json", "--assume", "num_key_value_heads=2")
    assert status == 0
    assert err == "derive: not known, and taken to have no bearing on attention: flavour\n"
    found = json.loads(out)
    assert found["unknown_fields"] == ["flavour"]
    assert found["assumptions"] == {"num_key_value_heads": 2}
    assert found["cache_elements_per_token"]["short"] == 3 * 2 * 2 * 64
    page = shown("model", str(path), "--assume", "num_key_value_heads=2")
    assert "Assumed: num_key_value_heads = 2." in page


# -------------------------------------------------------------------------------------- a file of one's own

OWN = """\
model: mine
title: A model of mine
source: nowhere
variant: gqa
layers: 12
attention_layers: 4
dims: {d_model: 256, H_q: 8, H_kv: 2, d_k: 32, d_v: 32}
other_layers:
  - layers: 6
    variant: gqa
    options: [window]
    dims: {d_model: 256, H_q: 8, H_kv: 2, d_k: 32, d_v: 32, n_w: 16}
  - {layers: 1, variant: lightning, dims: {d_model: 256, H: 8, d_k: 32, d_v: 32}}
"""


def own(tmp_path: Path, old: str = "", new: str = "") -> str:
    assert not old or OWN.count(old) == 1
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.replace(old, new) if old else OWN, encoding="utf-8")
    return str(path)


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    found = data("model", own(tmp_path), "--set", "L=64")
    assert {v: x["count"] for v, x in layers(found).items()} == {"gqa": 4, "gqa+window": 6, "lightning": 1}
    assert found["layer_count"] == 12
    assert found["cache_elements_per_token"] == {"short": 10 * 128, "long": 4 * 128}
    assert found["cache_bytes"] == 2 * 128 * (4 * 64 + 6 * 16)
    assert found["state_elements"] == 8 * 32 * 32
    page = " ".join(shown("model", str(tmp_path / "mine.yaml")).split())
    assert "12 layers: 4 with a cache that grows with every token, 6 with a cache that stops growing" in page
    assert "1 without attention" in page


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("layers: 6", "layers: 8", ("mine.yaml:", "4 attention layers and 9 others are more than the 12",)),
        ("layers: 6", "layers: 13", ("mine.yaml:9", "layers", "12")),
        ("layers: 6", "layers: 0", ("mine.yaml:9", "layers")),
        ("variant: lightning", "variant: lightening", ("lightening", "lightning")),
        ("options: [window]", "options: [windoww]", ("windoww", "window")),
        (", n_w: 16", "", ("n_w", "--set")),
        ("H_kv: 2, d_k: 32, d_v: 32}\noth", "H_kv: 2, d_k: 32}\noth", ("d_v",)),
        ("H_kv: 2, d_k: 32, d_v: 32}\noth", "H_kv: 3, d_k: 32, d_v: 32}\noth", ("H_q", "H_kv")),
        ("variant: gqa\nlayers", "variant: gqq\nlayers", ("gqq", "gqa")),
        ("attention_layers: 4", "attention_layers: 13", ("mine.yaml:6", "attention_layers")),
        ("source: nowhere\n", "", ("source",)),
        ("1, variant: lightning,", "1, variantt: lightning,", ("mine.yaml:13", "variant")),
        ("other_layers:", "other_layer:", ("mine.yaml:8", "other_layers")),
    ],
)  # fmt: skip
def test_a_wrong_model_of_ones_own(tmp_path: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    message = refused("model", own(tmp_path, old, new))
    for word in words:
        assert word in message, message


def test_assumptions_are_for_configs_alone(tmp_path: Path) -> None:
    assert "--assume fills gaps of a config.json" in refused("model", own(tmp_path), "--assume", "head_dim=2")


def test_a_file_without_an_ending_that_says_what_it_is(tmp_path: Path) -> None:
    there = tmp_path / "model"
    there.write_text(OWN, encoding="utf-8")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert "ends in .json or .yaml" in refused("model", "model")
    finally:
        os.chdir(before)


def test_the_layers_of_a_bundled_model_are_as_many_as_it_says() -> None:
    for name in checkpoint_names():
        model = load_checkpoint(name)
        total = model.attention_layers + sum(other.layers for other in model.others)
        assert total == model.layers, name
