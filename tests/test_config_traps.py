"""Where a config.json is easily misread: each fragment, its right answer by hand, and the whole kind.

Elements are per token and over all layers, bytes are in BF16, unless a test says otherwise.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command import data, derive, shown
from config_fields import DELTA, FULL, GQA, LINEAR, SLIDING, Fields, without
from config_fields import MLA as LATENT

MLA: Fields = {**LATENT, "num_key_value_heads": 128}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


def model(path: Path, fields: Fields, *arguments: str) -> Fields:
    """What the command says of a config with these fields."""
    path.write_text(json.dumps(fields), encoding="utf-8")
    found = data("model", str(path), *arguments)
    assert found["schema"] == "derive/1"
    return found


def number(quantity: Any) -> Any:
    """A figure, whether it stands alone or beside its formula."""
    return quantity["value"] if isinstance(quantity, dict) else quantity


def cache(found: Fields) -> tuple[int, int]:
    per_token = found["cache_elements_per_token"]
    return number(per_token["short"]), number(per_token["long"])


def cache_bytes(path: Path, fields: Fields, rows: int, *arguments: str) -> int:
    return number(model(path, fields, "--set", f"L={rows}", *arguments)["cache_bytes"])


def growing(found: Fields) -> int:
    """Layers whose cache never stops growing."""
    return sum(
        layer["count"]
        for layer in found["layers"]
        if layer["window"] is None and number(layer["cache_elements_per_token"])
    )


def recurrent(found: Fields) -> int:
    return sum(layer["count"] for layer in found["layers"] if number(layer["state_elements"]))


def the_layer(found: Fields) -> Fields:
    """The one entry of a model whose layers are all alike."""
    assert len(found["layers"]) == 1, found["layers"]
    return found["layers"][0]


def base(variant: str) -> str:
    return variant.split("+", 1)[0]


def right_or_refused(path: Path, fields: Fields, expected: tuple[int, int, int], *names: str) -> None:
    """(short, long, state) as expected, or one sentence that names a field which is not understood."""
    path.write_text(json.dumps(fields), encoding="utf-8")
    status, out, err = derive("model", str(path), "--json")
    if status == 2:
        assert out == ""
        assert err.startswith("derive: error: "), err
        assert err.count("\n") == 1, err
        assert any(name in err for name in names), err
        return
    assert status == 0, err
    found = json.loads(out)
    assert (*cache(found), number(found["state_elements"])) == expected


# ---------------------------------------------------------------------------------------- widths of heads


def test_head_dim_is_read_and_not_hidden_over_heads(path: Path) -> None:
    fields = {**GQA, "hidden_size": 2560}
    found = model(path, fields)
    assert cache(found) == (73_728, 73_728)
    assert cache_bytes(path, fields, 1) == 147_456
    layer = the_layer(found)
    assert (layer["count"], base(layer["variant"]), layer["window"]) == (36, "gqa", None)
    assert number(layer["cache_elements_per_token"]) == 2_048
    expected = {"d_model": 2560, "H_q": 32, "H_kv": 8, "d_k": 128, "d_v": 128}
    assert expected.items() <= layer["dims"].items()
    assert found["unknown_fields"] == []
    assert found["assumptions"] == {}


def test_head_dim_64_on_hidden_2880(path: Path) -> None:
    fields = {
        "hidden_size": 2880,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "num_hidden_layers": 36,
    }
    found = model(path, fields)
    assert cache(found) == (36_864, 36_864)
    assert (the_layer(found)["dims"]["d_k"], the_layer(found)["dims"]["d_v"]) == (64, 64)


@pytest.mark.parametrize("missing", ["null", "absent"])
def test_no_head_dim_is_hidden_over_heads(path: Path, missing: str) -> None:
    fields: Fields = {
        "hidden_size": 6144,
        "num_attention_heads": 48,
        "num_key_value_heads": 8,
        "num_hidden_layers": 56,
    }
    if missing == "null":
        fields["head_dim"] = None
    assert cache_bytes(path, fields, 1) == 229_376
    assert the_layer(model(path, fields))["dims"]["d_k"] == 128


@pytest.mark.parametrize("missing", ["null", "absent"])
def test_no_kv_heads_are_as_many_as_heads(path: Path, missing: str) -> None:
    fields = without(GQA, "num_key_value_heads")
    if missing == "null":
        fields["num_key_value_heads"] = None
    found = model(path, fields)
    assert cache(found) == (36 * 2 * 32 * 128,) * 2
    assert base(the_layer(found)["variant"]) == "mha"


def test_one_kv_head_is_multi_query(path: Path) -> None:
    found = model(path, {**GQA, "num_key_value_heads": 1})
    assert cache(found) == (36 * 2 * 128,) * 2
    assert base(the_layer(found)["variant"]) == "mqa"


@pytest.mark.parametrize("missing", ["null", "absent"])
def test_no_query_latent_is_no_option(path: Path, missing: str) -> None:
    fields = without(MLA, "q_lora_rank")
    if missing == "null":
        fields["q_lora_rank"] = None
    found = model(path, fields)
    assert cache(found) == (35_136, 35_136)
    layer = the_layer(found)
    assert (layer["variant"], "d_q" in layer["dims"]) == ("mla+rope", False)


@pytest.mark.parametrize("seed", range(12))
def test_random_grouped_heads(path: Path, seed: int) -> None:
    draw = random.Random(f"gqa {seed}")
    kv = draw.randint(2, 12)
    heads = kv * draw.randint(2, 9)
    width = draw.choice([32, 48, 64, 80, 96, 128, 192, 256])
    layers = draw.randint(1, 130)
    hidden = heads * width if seed % 2 else draw.randint(100, 20_000)
    fields: Fields = {
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "num_hidden_layers": layers,
    }
    if not seed % 2:
        fields["head_dim"] = width
    rows = draw.randint(1, 200_000)
    found = model(path, fields, "--set", f"L={rows}")
    assert cache(found) == (2 * layers * kv * width,) * 2
    assert number(found["cache_bytes"]) == 4 * layers * kv * width * rows
    assert the_layer(found)["dims"].items() >= {"H_q": heads, "H_kv": kv, "d_k": width}.items()
    assert (number(found["state_elements"]), growing(found)) == (0, layers)


# ------------------------------------------------------------------------------------------------ latents


def test_a_latent_is_not_counted_as_heads(path: Path) -> None:
    found = model(path, MLA)
    assert cache(found) == (35_136, 35_136)
    assert 2 * 61 * 512 != 35_136 != 61 * 2 * 128 * 128
    layer = the_layer(found)
    assert layer["variant"] == "mla+rope+query-latent"
    expected = {"d_model": 7168, "H": 128, "d_c": 512, "d_r": 64, "d_k": 128, "d_v": 128, "d_q": 1536}
    assert expected.items() <= layer["dims"].items()


@pytest.mark.parametrize("name", ["glm4_moe_lite", "a_model_of_next_year", "llama", "gpt_oss", "", None])
def test_the_name_of_the_model_decides_nothing(path: Path, name: str | None) -> None:
    fields: Fields = {
        "hidden_size": 2048,
        "num_attention_heads": 20,
        "num_key_value_heads": 20,
        "num_hidden_layers": 47,
        "kv_lora_rank": 512,
        "q_lora_rank": 768,
        "qk_nope_head_dim": 192,
        "qk_rope_head_dim": 64,
        "v_head_dim": 256,
    }
    if name is not None:
        fields |= {"model_type": name, "architectures": [name], "_name_or_path": name}
    found = model(path, fields)
    assert cache(found) == (27_072, 27_072)
    assert the_layer(found)["dims"].items() >= {"H": 20, "d_k": 192, "d_v": 256}.items()


def test_the_name_of_a_grouped_model_decides_nothing(path: Path) -> None:
    expected = cache(model(path, GQA))
    for name in ("deepseek_v3", "kimi_linear", "gemma3_text", "falcon", "mamba2"):
        assert cache(model(path, {**GQA, "model_type": name})) == expected, name


def test_a_stray_head_dim_beside_a_latent_is_not_used(path: Path) -> None:
    # released files carry 64 (the RoPE part), 72 (hidden over heads) and 192 (the unrotated part)
    for width in (64, 72, 192):
        assert cache(model(path, {**MLA, "head_dim": width})) == (35_136, 35_136)


def test_an_index_key_is_cached_too(path: Path) -> None:
    fields = {**MLA, "index_n_heads": 64, "index_head_dim": 128, "index_topk": 2048}
    found = model(path, fields)
    assert cache(found) == (61 * (512 + 64 + 128),) * 2
    layer = the_layer(found)
    assert base(layer["variant"]) == "dsa"
    assert layer["dims"].items() >= {"H_I": 64, "d_I": 128, "n": 2048}.items()


@pytest.mark.parametrize("seed", range(8))
def test_random_latents(path: Path, seed: int) -> None:
    draw = random.Random(f"mla {seed}")
    heads, layers = draw.randint(2, 130), draw.randint(1, 100)
    latent, rope, index = draw.randint(8, 1024), draw.choice([16, 32, 64, 128]), draw.choice([64, 128])
    fields: Fields = {
        "hidden_size": draw.randint(100, 9_000),
        "num_attention_heads": heads,
        "num_key_value_heads": draw.choice([heads, 1, None]),
        "num_hidden_layers": layers,
        "kv_lora_rank": latent,
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": draw.randint(16, 256),
        "v_head_dim": draw.randint(16, 256),
        "head_dim": draw.choice([None, 7, 128]),
    }
    element = latent + rope
    if seed % 2:
        fields |= {"index_n_heads": 8, "index_head_dim": index, "index_topk": 512}
        element += index
    rows = draw.randint(1, 100_000)
    found = model(path, fields, "--set", f"L={rows}")
    assert cache(found) == (layers * element,) * 2
    assert number(found["cache_bytes"]) == 2 * layers * element * rows
    assert base(the_layer(found)["variant"]) == ("dsa" if seed % 2 else "mla")


def test_compressed_rows_are_no_grouped_heads(path: Path) -> None:
    """One row for 4 or 128 tokens, beside a window: refused by field, or counted so; 61 * 1,024 is wrong."""
    fields: Fields = {
        "hidden_size": 7168,
        "num_attention_heads": 128,
        "num_key_value_heads": 1,
        "head_dim": 512,
        "q_lora_rank": 1536,
        "o_lora_rank": 1024,
        "o_groups": 16,
        "qk_rope_head_dim": 64,
        "index_n_heads": 64,
        "index_head_dim": 128,
        "index_topk": 1024,
        "sliding_window": 128,
        "num_hidden_layers": 61,
        "num_nextn_predict_layers": 1,
        "compress_ratios": [128, 128] + [4, 128] * 29 + [4, 0],
    }
    long = 30 * (512 + 128) // 4 + 31 * 512 // 128
    assert long == 4_924
    right_or_refused(path, fields, (61 * 512 + long, long, 0), "compress_ratios")


@pytest.mark.parametrize("ratios", [[4, 4], [128, 128], [0, 0]])
def test_no_ratios_make_it_grouped_heads(path: Path, ratios: Sequence[int]) -> None:
    fields = {**GQA, "num_key_value_heads": 1, "num_hidden_layers": 2, "compress_ratios": list(ratios)}
    path.write_text(json.dumps(fields), encoding="utf-8")
    status, out, err = derive("model", str(path), "--json")
    if status == 0:
        assert cache(json.loads(out))[1] < 2 * 2 * 128
    else:
        assert "compress_ratios" in err


# -------------------------------------------------------------------------------------------------- ranks


@pytest.mark.parametrize(("kv", "ranks"), [(4, 8), (8, 8), (8, 2), (8, 16), (2, 8), (4, 32)])
def test_a_rank_holds_at_least_one_kv_head(path: Path, kv: int, ranks: int) -> None:
    fields = {**GQA, "num_key_value_heads": kv}
    held = max(1, math.ceil(kv / ranks))
    assert cache_bytes(path, fields, 1000, "--tp", str(ranks)) == 2 * 1000 * 36 * held * 2 * 128
    assert cache_bytes(path, fields, 1000) == 2 * 1000 * 36 * kv * 2 * 128


@pytest.mark.parametrize("ranks", [2, 8, 16])
def test_every_rank_holds_the_whole_latent(path: Path, ranks: int) -> None:
    whole = 2 * 1000 * 61 * (512 + 64)
    assert cache_bytes(path, MLA, 1000) == whole
    assert cache_bytes(path, MLA, 1000, "--tp", str(ranks)) == whole
    index = {"index_n_heads": 64, "index_head_dim": 128, "index_topk": 2048}
    assert cache_bytes(path, {**MLA, **index}, 1000, "--tp", str(ranks)) == 2 * 1000 * 61 * (512 + 64 + 128)


# ------------------------------------------------------------------------------------------------ windows


def rolled(kinds: Sequence[str], element: int, window: int, rows: int) -> int:
    """Bytes of all layers, each sliding one capped at its window."""
    return sum(2 * element * (min(rows, window) if kind == SLIDING else rows) for kind in kinds)


def test_sliding_layers_are_neither_dropped_nor_full(path: Path) -> None:
    kinds = [SLIDING, FULL] * 18
    fields = {**GQA, "head_dim": 64, "sliding_window": 128, "layer_types": kinds}
    found = model(path, fields)
    assert cache(found) == (36_864, 18_432)
    assert sorted((layer["window"] or 0, layer["count"]) for layer in found["layers"]) == [(0, 18), (128, 18)]
    assert all("window" in layer["variant"] for layer in found["layers"] if layer["window"])
    assert cache_bytes(path, fields, 1) == 73_728
    for rows in (127, 128, 129, 100_000):
        assert cache_bytes(path, fields, rows) == rolled(kinds, 1024, 128, rows)


@pytest.mark.parametrize(
    "said",
    [
        {"sliding_window_pattern": 6},
        {"layer_types": ([SLIDING] * 5 + [FULL]) * 4 + [SLIDING] * 2},
        {"sliding_window_pattern": 6, "layer_types": ([SLIDING] * 5 + [FULL]) * 4 + [SLIDING] * 2},
    ],
    ids=["pattern", "types", "both"],
)
def test_every_sixth_layer_is_full(path: Path, said: Fields) -> None:
    fields: Fields = {
        "hidden_size": 1152,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
        "head_dim": 256,
        "num_hidden_layers": 26,
        "sliding_window": 512,
        **said,
    }
    found = model(path, fields, "--set", "L=32768")
    assert (cache(found), growing(found)) == ((13_312, 2_048), 4)
    assert number(found["cache_bytes"]) == (4 * 32_768 + 22 * 512) * 512 * 2 == 145_752_064
    assert f"{145_752_064 / 2**20:.1f}" == "139.0"


# -1 or null beside use_sliding_window: true is a contradiction, not a size
@pytest.mark.parametrize(("window", "use"), [(-1, None), (-1, False), (None, None), (None, False)])
def test_no_window_by_its_value(path: Path, window: int | None, use: bool | None) -> None:
    fields = {**GQA, "sliding_window": window}
    if use is not None:
        fields["use_sliding_window"] = use
    found = model(path, fields, "--set", "L=100000")
    assert cache(found) == (73_728, 73_728)
    assert (growing(found), number(found["cache_bytes"])) == (36, 147_456 * 100_000)


def test_no_window_where_it_is_not_used(path: Path) -> None:
    fields = {**GQA, "sliding_window": 4096, "use_sliding_window": False, "max_window_layers": 20}
    assert cache(model(path, fields)) == (73_728, 73_728)


def test_a_window_without_a_pattern_is_on_every_layer(path: Path) -> None:
    fields = {**GQA, "sliding_window": 4096}
    found = model(path, fields)
    assert cache(found) == (73_728, 0)
    assert the_layer(found)["window"] == 4096
    for rows in (1, 4096, 4097, 1_000_000):
        assert cache_bytes(path, fields, rows) == 147_456 * min(rows, 4096)


def test_layer_types_that_are_all_full_leave_no_window(path: Path) -> None:
    fields = {**GQA, "sliding_window": 128, "layer_types": [FULL] * 36}
    assert cache(model(path, fields)) == (73_728, 73_728)


def test_chunks_are_windows(path: Path) -> None:
    kinds = (["chunked_attention"] * 3 + [FULL]) * 9
    fields = {**GQA, "attention_chunk_size": 8192, "layer_types": kinds}
    right_or_refused(
        path, fields, (73_728, 18_432, 0), "attention_chunk_size", "chunked_attention", "layer_types"
    )


def test_a_chunk_size_alone_does_not_make_every_layer_full(path: Path) -> None:
    """The first releases said the size and not which layers: not an answer without an assumption."""
    path.write_text(json.dumps({**GQA, "attention_chunk_size": 8192}), encoding="utf-8")
    status, out, err = derive("model", str(path), "--json")
    if status == 0:
        assert cache(json.loads(out))[1] < 73_728
    else:
        assert re.search("attention_chunk_size|layer_types|no_rope_layer", err)


def test_layers_without_rope_say_which_chunks_there_are(path: Path) -> None:
    fields = {**GQA, "attention_chunk_size": 8192, "no_rope_layers": [1, 1, 1, 0] * 9}
    right_or_refused(path, fields, (73_728, 18_432, 0), "attention_chunk_size", "no_rope_layers")


def test_layers_without_rope_are_no_windows(path: Path) -> None:
    fields = {**GQA, "no_rope_layers": [1, 1, 1, 0] * 9, "no_rope_layer_interval": 4}
    assert cache(model(path, fields)) == (73_728, 73_728)


@pytest.mark.parametrize("seed", range(10))
def test_random_windows(path: Path, seed: int) -> None:
    draw = random.Random(f"window {seed}")
    kv, width, layers = draw.randint(1, 8), draw.choice([64, 96, 128, 256]), draw.randint(2, 70)
    window = draw.randint(1, 9_000)
    kinds = [draw.choice([SLIDING, FULL]) for _ in range(layers)]
    fields: Fields = {
        "hidden_size": 999,
        "num_attention_heads": kv * draw.randint(2, 5),
        "num_key_value_heads": kv,
        "head_dim": width,
        "num_hidden_layers": layers,
        "sliding_window": window,
        "layer_types": kinds,
    }
    element = 2 * kv * width
    rows = draw.choice([1, window, window + 1, 50_000])
    found = model(path, fields, "--set", f"L={rows}")
    assert cache(found) == (layers * element, kinds.count(FULL) * element)
    assert number(found["cache_bytes"]) == rolled(kinds, element, window, rows)
    assert (growing(found), sum(layer["count"] for layer in found["layers"])) == (kinds.count(FULL), layers)


# ------------------------------------------------------------------------------------ states and hybrids


@pytest.mark.parametrize("layers", [40, 48, 42, 7, 4])
def test_every_fourth_layer_has_a_cache_and_the_others_a_state(path: Path, layers: int) -> None:
    fields: Fields = {
        "hidden_size": 2048,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "num_hidden_layers": layers,
        "full_attention_interval": 4,
        **DELTA,
    }
    full = layers // 4
    found = model(path, fields)
    assert (growing(found), recurrent(found)) == (full, layers - full)
    assert cache(found) == (full * 2 * 2 * 256,) * 2
    # one state for each value head, not for each of the 16 key heads
    assert number(found["state_elements"]) == (layers - full) * 32 * 128 * 128
    kinds = [FULL if (i + 1) % 4 == 0 else LINEAR for i in range(layers)]
    assert model(path, {**fields, "layer_types": kinds})["layers"] == found["layers"]
    other = model(path, {**without(fields, "full_attention_interval"), "layer_types": kinds})
    assert without(other, "decisions") == without(found, "decisions")


def test_a_state_is_no_cached_row(path: Path) -> None:
    fields = {**GQA, "full_attention_interval": 4, **DELTA}
    for rows in (1, 10_000):
        found = model(path, fields, "--set", f"L={rows}")
        assert number(found["cache_bytes"]) == 2 * rows * 9 * 2_048
        assert number(found["state_bytes"]) >= 27 * 32 * 128 * 128 * 2
    states = {number(model(path, fields, "--set", f"L={rows}")["state_bytes"]) for rows in (1, 10_000)}
    assert len(states) == 1


def test_convolution_rows_are_in_no_state(path: Path) -> None:
    fields = {**GQA, "full_attention_interval": 4, **DELTA}
    wide = model(path, {**fields, "linear_conv_kernel_dim": 8})
    assert number(wide["state_elements"]) == number(model(path, fields)["state_elements"])
    assert cache(wide) == cache(model(path, fields))


@pytest.mark.parametrize("seed", range(6))
def test_random_delta_hybrids(path: Path, seed: int) -> None:
    draw = random.Random(f"delta {seed}")
    interval, layers = draw.randint(2, 8), draw.randint(2, 90)
    keys, times = draw.randint(1, 16), draw.choice([1, 2, 4])
    k, v = draw.choice([64, 96, 128]), draw.choice([64, 128, 256])
    kv, width = draw.randint(1, 8), draw.choice([64, 128, 256])
    fields: Fields = {
        "hidden_size": 1000,
        "num_attention_heads": 2 * kv,
        "num_key_value_heads": kv,
        "head_dim": width,
        "num_hidden_layers": layers,
        "full_attention_interval": interval,
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": k,
        "linear_num_key_heads": keys,
        "linear_num_value_heads": keys * times,
        "linear_value_head_dim": v,
    }
    found = model(path, fields)
    full = layers // interval
    assert cache(found) == (full * 2 * kv * width,) * 2
    assert number(found["state_elements"]) == (layers - full) * keys * times * k * v


@pytest.mark.parametrize(("layers", "full"), [(27, [4, 8, 12, 16, 20, 24, 27]), (8, [4, 8]), (5, [1, 5])])
def test_layers_counted_from_one(path: Path, layers: int, full: list[int]) -> None:
    fields: Fields = {
        **without(MLA, "q_lora_rank"),
        "num_hidden_layers": layers,
        "mla_use_nope": True,
        "linear_attn_config": {
            "full_attn_layers": full,
            "kda_layers": [i for i in range(1, layers + 1) if i not in full],
            "num_heads": 32,
            "head_dim": 128,
            "short_conv_kernel_size": 4,
        },
    }
    found = model(path, fields)
    assert cache(found) == (len(full) * 576,) * 2
    assert number(found["state_elements"]) == (layers - len(full)) * 32 * 128 * 128
    assert (growing(found), recurrent(found)) == (len(full), layers - len(full))


def test_lightning_has_a_state_for_each_query_head(path: Path) -> None:
    fields: Fields = {
        "hidden_size": 6144,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "num_hidden_layers": 80,
        "attn_type_list": [0, 0, 0, 0, 0, 0, 0, 1] * 10,
    }
    expected = (10 * 2 * 8 * 128, 10 * 2 * 8 * 128, 70 * 64 * 128 * 128)
    right_or_refused(path, fields, expected, "attn_type_list")
    only = {**fields, "num_hidden_layers": 62, "attn_type_list": [1] * 62}
    right_or_refused(path, only, (62 * 2_048, 62 * 2_048, 0), "attn_type_list")


# Each is right, or one sentence names the field that is not understood.
UNUSUAL: dict[str, tuple[Fields, tuple[int, int, int], tuple[str, ...]]] = {
    "one letter a layer": (
        {
            "hidden_size": 2688,
            "num_attention_heads": 32,
            "num_key_value_heads": 2,
            "head_dim": 128,
            "num_hidden_layers": 9,
            "hybrid_override_pattern": "MEM*-MM*E",
            "mamba_num_heads": 64,
            "mamba_head_dim": 64,
            "ssm_state_size": 128,
            "conv_kernel": 4,
            "n_groups": 8,
            "expand": 2,
        },
        (2 * 512, 2 * 512, 4 * 64 * 64 * 128),
        ("hybrid_override_pattern",),
    ),
    "one word a layer": (
        {
            "hidden_size": 8192,
            "num_attention_heads": 64,
            "num_key_value_heads": 2,
            "head_dim": 128,
            "num_hidden_layers": 5,
            "layers_block_type": ["mamba", "moe", "attention", "moe", "mamba"],
            "mamba_num_heads": 256,
            "mamba_head_dim": 64,
            "ssm_state_size": 128,
            "conv_kernel": 4,
            "n_groups": 8,
            "expand": 2,
        },
        (512, 512, 2 * 256 * 64 * 128),
        ("layers_block_type",),
    ),
    "mamba among layer_types": (
        {
            **GQA,
            "num_hidden_layers": 4,
            "layer_types": ["mamba", "mamba", "attention", "mamba"],
            "mamba_n_heads": 48,
            "mamba_d_head": 64,
            "mamba_d_state": 128,
            "mamba_d_conv": 4,
            "mamba_n_groups": 1,
            "mamba_expand": 2,
        },
        (2_048, 2_048, 3 * 48 * 64 * 128),
        ("layer_types", "mamba"),
    ),
    "period and offset": (
        {
            **GQA,
            "num_hidden_layers": 32,
            "attn_layer_period": 8,
            "attn_layer_offset": 4,
            "mamba_d_state": 16,
            "mamba_d_conv": 4,
            "mamba_expand": 2,
        },
        (4 * 2_048, 4 * 2_048, 28 * 2 * 4096 * 16),
        ("attn_layer_period", "attn_layer_offset", "mamba_d_state", "mamba_expand"),
    ),
    "old names": (
        {
            "hidden_size": 8192,
            "n_head": 128,
            "n_head_kv": 8,
            "n_layer": 60,
            "new_decoder_architecture": True,
            "num_kv_heads": 8,
        },
        (60 * 2 * 8 * 64, 60 * 2 * 8 * 64, 0),
        ("num_attention_heads", "num_hidden_layers", "n_head"),
    ),
    "multi_query": (
        {
            "hidden_size": 4544,
            "num_attention_heads": 71,
            "num_hidden_layers": 32,
            "multi_query": True,
            "new_decoder_architecture": False,
            "parallel_attn": True,
        },
        (32 * 2 * 64, 32 * 2 * 64, 0),
        ("multi_query",),
    ),
    "heads of window layers": (
        {
            "hidden_size": 4096,
            "num_attention_heads": 64,
            "num_key_value_heads": 4,
            "head_dim": 192,
            "v_head_dim": 128,
            "num_hidden_layers": 6,
            "sliding_window": 128,
            "swa_num_attention_heads": 64,
            "swa_num_key_value_heads": 8,
            "swa_head_dim": 192,
            "swa_v_head_dim": 128,
            "hybrid_layer_pattern": [0, 1, 1, 1, 1, 0],
        },
        (2 * 4 * 320 + 4 * 8 * 320, 2 * 4 * 320, 0),
        ("hybrid_layer_pattern", "swa_num_key_value_heads", "swa_head_dim"),
    ),
    "heads of full layers": (
        {
            "hidden_size": 2816,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "head_dim": 256,
            "num_global_key_value_heads": 2,
            "global_head_dim": 512,
            "num_hidden_layers": 6,
            "sliding_window": 1024,
            "layer_types": [SLIDING] * 5 + [FULL],
        },
        (5 * 2 * 8 * 256 + 2 * 2 * 512, 2 * 2 * 512, 0),
        ("global_head_dim", "num_global_key_value_heads"),
    ),
    "layers that share rows": (
        {
            "hidden_size": 2048,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "head_dim": 256,
            "num_hidden_layers": 10,
            "sliding_window": 512,
            "layer_types": ([SLIDING] * 4 + [FULL]) * 2,
            "num_kv_shared_layers": 5,
        },
        (5 * 1_024, 1_024, 0),
        ("num_kv_shared_layers",),
    ),
    "index keys of some layers": (
        {
            **MLA,
            "num_hidden_layers": 7,
            "index_n_heads": 32,
            "index_head_dim": 128,
            "index_topk": 2048,
            "index_topk_freq": 4,
            "index_skip_topk_offset": 3,
            "indexer_types": ["full"] * 3 + ["shared"] * 3 + ["full"],
        },
        (7 * 576 + 4 * 128, 7 * 576 + 4 * 128, 0),
        ("indexer_types", "index_topk_freq", "index_skip_topk_offset"),
    ),
    "index keys beside grouped heads": (
        {
            **GQA,
            "num_hidden_layers": 4,
            "sparse_attention_config": {
                "use_sparse_attention": True,
                "sparse_attention_freq": [0, 1, 1, 1],
                "sparse_index_dim": 128,
                "sparse_num_index_heads": 4,
                "sparse_topk_blocks": 16,
                "sparse_block_size": 128,
            },
        },
        (4 * 2_048 + 3 * 128, 4 * 2_048 + 3 * 128, 0),
        ("sparse_attention_config",),
    ),
    "groups of heads": (
        {
            "hidden_size": 7168,
            "num_attention_heads": 64,
            "num_attention_groups": 1,
            "head_dim": 256,
            "share_q_dim": 2048,
            "num_hidden_layers": 61,
        },
        (61 * 2 * 256, 61 * 2 * 256, 0),
        ("num_attention_groups", "share_q_dim"),
    ),
    "a block for each layer": (
        {
            "hidden_size": 8192,
            "num_attention_heads": 64,
            "num_key_value_heads": None,
            "num_hidden_layers": 3,
            "block_configs": [
                {"attention": {"n_heads_in_group": 8, "no_op": False}, "ffn": {"ffn_mult": 2.625}},
                {"attention": {"n_heads_in_group": None, "no_op": True}, "ffn": {"ffn_mult": 5.25}},
                {"attention": {"n_heads_in_group": 16, "no_op": False}, "ffn": {"ffn_mult": 5.25}},
            ],
        },
        (2 * (8 + 4) * 128, 2 * (8 + 4) * 128, 0),
        ("block_configs",),
    ),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_a_field_set_is_understood_or_named(path: Path, kind: str) -> None:
    fields, expected, names = UNUSUAL[kind]
    right_or_refused(path, fields, expected, *names)


def test_mtp_layers_are_not_among_the_layers(path: Path) -> None:
    for name in ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"):
        found = model(path, {**GQA, name: 1})
        assert cache(found) == (73_728, 73_728), name
        assert the_layer(found)["count"] == 36, name


# --------------------------------------------------------------------------------------------- nested dims

VISION: Fields = {
    "hidden_size": 1408,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "head_dim": 88,
    "num_hidden_layers": 34,
}


@pytest.mark.parametrize("fields", [GQA, MLA, {**GQA, "full_attention_interval": 4, **DELTA}])
def test_dims_under_text_config(path: Path, fields: Fields) -> None:
    plain = model(path, fields)
    nested = model(
        path,
        {
            "architectures": ["SomethingForConditionalGeneration"],
            "model_type": "something_vl",
            "text_config": {"model_type": "something_text", **fields},
            "vision_config": VISION,
        },
    )
    assert nested["layers"] == plain["layers"]
    assert cache(nested) == cache(plain)
    assert number(nested["state_elements"]) == number(plain["state_elements"])


def test_equal_dims_at_both_places_are_no_contradiction(path: Path) -> None:
    twice = {"hidden_size": 4096, "num_hidden_layers": 36, "text_config": GQA, "vision_config": VISION}
    assert cache(model(path, twice)) == (73_728, 73_728)


# ---------------------------------------------------------- what is derived elsewhere: FLOPs, units, layouts


def total(found: Fields, kind: str, stage: str) -> int:
    return sum(t["value"] for t in found["terms"] if (t["kind"], t["stage"]) == (kind, stage))


def sized(**dims: int) -> list[str]:
    return [word for name, value in dims.items() for word in ("--set", f"{name}={value}")]


@pytest.mark.parametrize(("heads", "kv"), [(8, 2), (8, 1), (8, 8), (64, 4), (12, 3)])
def test_flops_go_with_query_heads_and_bytes_with_kv_heads(heads: int, kv: int) -> None:
    sizes = sized(H_q=heads, H_kv=kv, d_k=128, d_v=96, d_model=1024, L=4096, b=2)
    found = data("gqa", *sizes)
    assert number(found["flops"]) == 2 * heads * 4096 * (128 + 96)
    assert number(found["bytes"]) == 2 * kv * 4096 * (128 + 96)
    assert number(found["cache_per_token"]["elements"]) == kv * (128 + 96)


@pytest.mark.parametrize("size", [1, 2, 5, 8192])
def test_prefill_says_which_pairs_it_counts(size: int) -> None:
    sizes = [*sized(H=16, d_k=128, d_v=128, d_model=2048, L=size, b=2), "--phase", "prefill"]
    full, causal = (data("mha", *sizes, "--pairs", pairs) for pairs in ("full", "causal"))
    assert (full["conventions"]["pairs"], causal["conventions"]["pairs"]) == ("full", "causal")
    assert number(full["flops"]) == 2 * 16 * size * size * 256
    assert number(causal["flops"]) == 2 * 16 * (size * (size + 1) // 2) * 256
    assert number(full["flops"]) * (size + 1) == number(causal["flops"]) * 2 * size
    for pairs in ("full", "causal"):
        assert re.search(rf"\b{pairs}\b", shown("mha", *sizes, "--pairs", pairs))


@pytest.mark.parametrize(("key", "value"), [(128, 128), (192, 256), (128, 64)])
def test_an_expansion_pays_for_keys_and_values(key: int, value: int) -> None:
    sizes = sized(H=16, d_k=key, d_v=value, d_c=512, d_model=2048, L=1000, b=2)
    found = data("mla", "--order", "expand", "--unit", "macs", "--scope", "attention", *sizes)
    assert total(found, "flops", "lift") == 16 * 1000 * 512 * (key + value)
    if key == value == 128:
        assert total(found, "flops", "lift") // (16 * 1000) == 131_072 == 2 * 65_536


@pytest.mark.parametrize(("layout", "row"), [("fp8", 576), ("fp8-bf16-rope", 656), ("bf16", 1152)])
def test_a_layout_is_asked_for(layout: str, row: int) -> None:
    sizes = sized(H=128, d_k=128, d_v=128, d_c=512, d_r=64, d_model=7168, L=1, b=2)
    found = data("mla+rope", "--order", "absorb", "--kv-layout", layout, *sizes)
    assert number(found["cache_per_token"]["bytes"]) == row
    assert number(found["bytes"]) == row


def test_fp8_weights_do_not_make_an_fp8_cache(path: Path) -> None:
    quantized = {
        **MLA,
        "torch_dtype": "bfloat16",
        "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]},
    }
    assert cache_bytes(path, quantized, 1) == 61 * 1152


def test_both_units_are_printed() -> None:
    sizes = sized(H=128, d_k=128, d_v=128, d_c=512, d_r=64, d_model=7168, L=131_072, b=2)
    assert "150.99 MB (144.00 MiB)" in shown("mla+rope", "--order", "absorb", *sizes)


def test_both_units_are_printed_for_a_config(path: Path) -> None:
    path.write_text(json.dumps({**GQA, "hidden_size": 2560}), encoding="utf-8")
    text = shown("model", str(path), "--set", "L=32768")
    # 147,456 * 32,768 bytes
    assert re.search(r"4\.83\d* ?GB", text)
    assert re.search(r"4\.50?0? ?GiB", text)


# ------------------------------------------------------------------------------------------- as bare as given

# no field beside those that the trap itself needs, whatever a step may cost
BARE: list[tuple[Fields, int]] = [
    ({"hidden_size": 2560, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
      "num_hidden_layers": 36}, 147_456),
    ({"head_dim": None, "hidden_size": 6144, "num_attention_heads": 48, "num_key_value_heads": 8,
      "num_hidden_layers": 56}, 229_376),
    ({"kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_key_value_heads": 128, "hidden_size": 7168,
      "num_attention_heads": 128, "num_hidden_layers": 61}, 2 * 35_136),
    ({"kv_lora_rank": 512, "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256,
      "num_attention_heads": 20, "num_hidden_layers": 47, "model_type": "nobody_knows"}, 2 * 27_072),
    ({"sliding_window": 128, "layer_types": [SLIDING, FULL] * 18, "num_hidden_layers": 36,
      "num_key_value_heads": 8, "head_dim": 64}, 73_728),
    ({"kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_hidden_layers": 61}, 2 * 35_136),
    ({"num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 36}, 147_456),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "bytes_of_a_token"), BARE)
def test_a_fragment_with_nothing_else_says_what_a_token_costs(
    path: Path, fields: Fields, bytes_of_a_token: int
) -> None:
    assert model(path, fields, "--set", "L=1")["cache_bytes"] == bytes_of_a_token
