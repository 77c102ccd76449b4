"""Configs nobody released: what changes the cache is understood or refused, never passed over in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import derive

from derivations.configs.vocabulary import READ, without_bearing

Fields = dict[str, Any]
GQA: Fields = {
    "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "num_hidden_layers": 36,
}  # fmt: skip
MLA: Fields = {
    "hidden_size": 7168, "num_attention_heads": 128, "num_hidden_layers": 61, "kv_lora_rank": 512,
    "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
}  # fmt: skip
SLIDING, FULL = "sliding_attention", "full_attention"


def without(fields: Fields, *names: str) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


def outcome(tmp_path: Path, fields: Fields, *arguments: str) -> str | Fields:
    """The JSON of a config, or the one sentence that refuses it."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(fields), encoding="utf-8")
    status, out, err = derive("model", str(path), "--json", *arguments)
    if status == 2:
        assert out == ""
        assert err.startswith("derive: error: "), err
        assert err.count("\n") == 1, err
        return err
    assert status == 0, err
    found: Fields = json.loads(out)
    return found


def kinds(found: str | Fields) -> list[tuple[int, str, int]]:
    assert isinstance(found, dict), found
    return [(x["count"], x["variant"], x["cache_elements_per_token"]) for x in found["layers"]]


# Each of these means another cache than the fields beside it say; a sentence that names the field is right.
CHANGES_THE_CACHE: dict[str, Any] = {
    # shared by layers, or by steps of a loop
    "kv_head_sharing": 2, "cross_layer_kv": True, "cross_layer_kv_sharing": 2, "cla_factor": 2,
    "cla_share_factor": 2, "use_cla": True, "yoco": True, "num_kv_layers": 4, "kv_sharing_factor": 2,
    "reuse_layers": [2], "tie_kv_layers": True, "total_ut_steps": 4, "ut_steps": 4, "num_recurrences": 4,
    "recurrence_depth": 4, "num_loops": 3,
    # rows of another width
    "kv_compression_ratio": 4, "kv_cache_bits": 4, "kv_latent_dim": 256, "rope_head_dim": 64,
    "kv_compression_config": {"ratio": 4}, "latent_dim": 256,
    # fewer rows, or more
    "attention_window_size": 2048, "local_window_size": 2048, "attention_sink_size": 4,
    "num_memory_tokens": 16, "compressive_memory_size": 64, "sparse_block_size": 64, "moba_topk": 12,
    "cross_attention_layers": [3, 8], "add_cross_attention": True,
    # no cache at all
    "is_causal": False,
    # layers of another kind
    "mixer_types": ["mamba"] * 36, "block_types": ["recurrent", "attention"], "layer_type": [FULL] * 36,
    "hybrid_layers": [1], "ssm_cfg": {"d_state": 16}, "use_mla": True, "attention_type": "mla",
    # heads under another name
    "multiquery": True, "kvheads": 4, "kv_groups": 4, "num_kv": 4, "n_kv": 4, "gqa": 4,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CHANGES_THE_CACHE))
def test_a_field_that_changes_the_cache_is_not_passed_over(tmp_path: Path, name: str) -> None:
    found = outcome(tmp_path, {**GQA, name: CHANGES_THE_CACHE[name]})
    assert isinstance(found, str), kinds(found)
    assert name in found


@pytest.mark.parametrize(
    "name",
    [
        "rope_head_dim", "rope_kv_heads", "norm_kv_heads", "quant_kv_heads", "output_kv_heads", "tie_kv",
        "tie_key_value", "moe_kv_sharing", "expert_kv_heads", "mlp_kv_heads", "scale_kv_heads",
        "kv_mlp_rank", "clip_kv_len", "max_seq_len_kv", "kv_clip_len", "attention_bias_window",
        "rope_local_window", "kv_init", "moe_attention_heads", "routed_attention_heads", "window_norm",
        "add_cross_attention",
    ],
)  # fmt: skip
def test_a_word_about_keys_and_values_outweighs_a_pattern(name: str) -> None:
    """Patterns are for names that cannot be about the cache, whatever stands in front of or behind them."""
    assert not without_bearing(name)


@pytest.mark.parametrize(
    "name",
    [
        "rope_theta", "rope_scaling", "rotary_dim", "partial_rotary_factor", "rms_norm_eps", "attention_bias",
        "attention_dropout", "num_experts_per_tok", "moe_intermediate_size", "quantization_config",
        "torch_dtype", "tie_word_embeddings", "max_position_embeddings", "initializer_range", "bos_token_id",
        "use_cache", "vision_config", "query_pre_attn_scalar", "qk_layernorm", "use_qk_norm", "hidden_act",
        "n_shared_experts", "shared_expert_intermediate_size", "first_k_dense_replace", "moe_layer_freq",
        "mlp_layer_types", "mamba_chunk_size", "mamba_ssm_cache_dtype", "attn_implementation",
    ],
)  # fmt: skip
def test_what_released_files_have_beside_attention(name: str) -> None:
    assert without_bearing(name)
    assert name not in READ


# ------------------------------------------------------------------------------------------------- latents


def test_a_latent_whose_rotated_width_is_missing(tmp_path: Path) -> None:
    """512 elements would be kept instead of 576."""
    found = outcome(tmp_path, without(MLA, "qk_rope_head_dim"))
    assert isinstance(found, str), kinds(found)
    assert "qk_rope_head_dim" in found
    zero = outcome(tmp_path, {**MLA, "qk_rope_head_dim": 0})
    assert kinds(zero) == [(61, "mla+query-latent", 512)]


def test_a_latent_that_is_switched_off(tmp_path: Path) -> None:
    found = outcome(tmp_path, {**MLA, "use_mla": False})
    assert isinstance(found, str), kinds(found)
    assert "use_mla" in found


@pytest.mark.parametrize(
    "extra",
    [
        {"qk_head_dim": 192}, {"qk_rope_head_dim": 64}, {"index_n_heads": 64}, {"index_head_dim": 128},
        {"compress_rates": {"compressed_sparse_attention": 4}}, {"o_groups": 8},
    ],
)  # fmt: skip
def test_parts_of_a_latent_without_a_latent(tmp_path: Path, extra: Fields) -> None:
    """They are read elsewhere, so their names are known; here nothing reads them."""
    found = outcome(tmp_path, {**GQA, **extra})
    assert isinstance(found, str), kinds(found)
    assert next(iter(extra)) in found


def test_an_index_without_the_number_it_selects(tmp_path: Path) -> None:
    found = outcome(tmp_path, {**MLA, "indexer_types": ["full"] * 61})
    assert isinstance(found, str), kinds(found)


# ------------------------------------------------------------------------------------------ kinds of layers


@pytest.mark.parametrize(("count", "group", "full"), [(32, 8, 4), (36, 8, 8), (20, 5, 4), (22, 5, 6)])
def test_layers_after_the_last_whole_group_have_softmax(
    tmp_path: Path, count: int, group: int, full: int
) -> None:
    """Every last layer of a group, and those that make no whole group, as released code has it."""
    fields = {**GQA, "num_hidden_layers": count, "layer_group_size": group, "linear_attn_alpha_factor": 1.0}
    found = outcome(tmp_path, fields)
    if isinstance(found, str):
        assert "layer_group_size" in found
        return
    assert {variant: n for n, variant, _ in kinds(found)} == {"lightning": count - full, "gqa": full}


def test_kinds_by_pairs_alone(tmp_path: Path) -> None:
    """12 times global and local: half of the layers have the window."""
    pairs = [[["global", "local"], 12]]
    fields = {**GQA, "num_hidden_layers": 24, "window_size": 256, "attention_types": pairs}
    found = outcome(tmp_path, fields)
    if isinstance(found, str):
        assert "attention_types" in found
        return
    assert sorted(kinds(found)) == [(12, "gqa", 2048), (12, "gqa+window", 2048)]


def test_a_state_beside_attention_in_each_layer(tmp_path: Path) -> None:
    """Layers that are both are not layers of attention alone."""
    mamba = {"mamba_n_heads": 48, "mamba_d_state": 256, "mamba_d_head": 64, "mamba_d_conv": 4}
    found = outcome(tmp_path, {**GQA, **mamba, "layer_types": [FULL] * 36})
    assert isinstance(found, str), kinds(found)
    assert "mamba" in found


@pytest.mark.parametrize(
    "own",
    [
        {"sliding_window": 128}, {"layer_types": SLIDING}, {"num_kv_shared_layers": 2},
        {"num_hidden_layers": 1}, {"kv_source_layers": [0]}, {"attention_chunk_size": 64},
    ],
)  # fmt: skip
def test_a_field_that_no_layer_can_have_apart(tmp_path: Path, own: Fields) -> None:
    found = outcome(tmp_path, {**GQA, "per_layer_config": {"3": own}})
    assert isinstance(found, str), kinds(found)


def test_one_layer_written_twice(tmp_path: Path) -> None:
    twice = {"3": {"num_key_value_heads": 2}, "03": {"num_key_value_heads": 4}}
    assert isinstance(outcome(tmp_path, {**GQA, "per_layer_config": twice}), str)


# ------------------------------------------------------------------------------------------- shared rows


def test_all_layers_read_another_ones_rows(tmp_path: Path) -> None:
    """Some layer must keep them."""
    found = outcome(tmp_path, {**GQA, "num_kv_shared_layers": 36})
    assert isinstance(found, str), kinds(found)


def test_rows_of_a_layer_of_another_kind(tmp_path: Path) -> None:
    """Layers that see everything cannot read the rows of layers that keep a window."""
    fields = {
        **GQA, "num_hidden_layers": 4, "num_kv_shared_layers": 2, "sliding_window": 128,
        "layer_types": [SLIDING, SLIDING, FULL, FULL],
    }  # fmt: skip
    found = outcome(tmp_path, fields)
    assert isinstance(found, str), kinds(found)


# ---------------------------------------------------------------------------------------------- objects


@pytest.mark.parametrize(
    "inner",
    [
        {"kv_n_heads": 8, "sliding_window_size": 1024}, {"kv_n_heads": 8, "kv_latent": 8},
        {"kv_n_heads": 8, "reuse_kv_layer": 1}, {"num_key_value_heads": 2},
    ],
)  # fmt: skip
def test_fields_of_an_object_are_fields(tmp_path: Path, inner: Fields) -> None:
    """A window counts, unknown fields and contradictions are refused, as they are on top."""
    base = GQA if "num_key_value_heads" in inner else without(GQA, "num_key_value_heads")
    found = outcome(tmp_path, {**base, "attn_config": inner})
    if isinstance(found, dict):
        assert kinds(found) == [(36, "gqa+window", 2048)], inner


def test_a_null_inside_is_not_what_stands_outside(tmp_path: Path) -> None:
    found = outcome(tmp_path, {"sliding_window": 128, "text_config": {**GQA, "sliding_window": None}})
    if isinstance(found, dict):
        assert kinds(found) == [(36, "gqa", 2048)]


# ------------------------------------------------------------------------------------------ queries in groups


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"multi_query_attention": True, "multi_query_group_num": 2}, (36, "gqa", 512)),
        ({"multi_query_attention": False, "multi_query_group_num": 2}, (36, "mha", 8192)),
        ({"multi_query_attention": True}, (36, "mqa", 256)),
    ],
)
def test_the_switch_decides_whether_groups_count(
    tmp_path: Path, extra: Fields, expected: tuple[int, str, int]
) -> None:
    found = outcome(tmp_path, {**without(GQA, "num_key_value_heads"), **extra})
    if isinstance(found, dict):
        assert kinds(found) == [expected]


def test_two_ways_to_say_how_many_heads_keep_keys(tmp_path: Path) -> None:
    found = outcome(tmp_path, {**GQA, "multi_query": True})
    assert isinstance(found, str), kinds(found)


# ------------------------------------------------------------------------------------------- elements


@pytest.mark.parametrize(
    "extra",
    [
        {"kv_cache_dtype": "fp8"}, {"cache_dtype": "fp8"},
        {"quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float"}}},
    ],
)  # fmt: skip
def test_a_width_of_cached_elements_is_said_or_refused(tmp_path: Path, extra: Fields) -> None:
    """Weights in FP8 do not imply it; these fields are about the cache itself."""
    found = outcome(tmp_path, {**GQA, **extra}, "--set", "L=1")
    if isinstance(found, dict):
        told = json.dumps([found["decisions"], found["unknown_fields"], found["advice"]])
        assert found["cache_bytes"] == 36 * 2048 or next(iter(extra)) in told


def test_a_state_whose_width_two_fields_give(tmp_path: Path) -> None:
    """expand x hidden_size is 8192, and 64 heads of 64 are 4096."""
    fields = {
        "hidden_size": 4096, "num_hidden_layers": 64, "state_size": 128, "conv_kernel": 4, "expand": 2,
        "num_heads": 64, "head_dim": 64, "n_groups": 8,
    }  # fmt: skip
    assert isinstance(outcome(tmp_path, fields), str)
    assert kinds(outcome(tmp_path, {**fields, "num_heads": 128})) == [(64, "mamba2", 0)]


def test_a_gate_on_heads_that_each_keep_their_own(tmp_path: Path) -> None:
    """The gate has a weight as large as the queries': 2 x 4096 x 4096 FLOPs a layer more."""
    fields = {**without(GQA, "num_key_value_heads"), "attn_output_gate": True}
    plain = outcome(tmp_path, {**fields, "attn_output_gate": False}, "--scope", "layer")
    gated = outcome(tmp_path, fields, "--scope", "layer")
    if isinstance(gated, dict):
        assert isinstance(plain, dict)
        assert gated["flops"] >= plain["flops"] + 36 * 2 * 4096 * 4096


# ------------------------------------------------------------------------------------------- recurrences

DELTA: Fields = {
    "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
    "linear_num_value_heads": 32, "linear_value_head_dim": 128,
}  # fmt: skip
MAMBA: Fields = {"mamba_n_heads": 8, "mamba_d_state": 16, "mamba_d_head": 64, "mamba_d_conv": 4}
KDA: Fields = {
    "num_heads": 4, "head_dim": 64, "short_conv_kernel_size": 4, "full_attn_layers": [4],
    "kda_layers": [1, 2, 3],
}  # fmt: skip


@pytest.mark.parametrize("extra", [{"v_head_dim": 128}, {"num_v_heads": 8}, {"expand_v": 2}, {"state_rank": 2}])
def test_sizes_of_a_state_that_are_not_understood(tmp_path: Path, extra: Fields) -> None:
    """A state of 64 x 64 would be counted where it is 64 x 128."""
    found = outcome(tmp_path, {**GQA, "num_hidden_layers": 4, "linear_attn_config": {**KDA, **extra}})
    if isinstance(found, dict):
        assert found["unknown_fields"], kinds(found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["mamba", "linear_attention", FULL], {"mamba2": 1, "gdn": 1, "gqa": 1}),
        (["mamba2", "mamba2", FULL], {"mamba2": 2, "gqa": 1}),
        (["linear_attention", "linear_attention", FULL], {"gdn": 2, "gqa": 1}),
    ],
)
def test_the_word_of_a_layer_says_which_recurrence_it_is(
    tmp_path: Path, words: list[str], expected: dict[str, int]
) -> None:
    found = outcome(tmp_path, {**GQA, "num_hidden_layers": 3, "layer_types": words, **DELTA, **MAMBA})
    if isinstance(found, dict):
        assert {variant: count for count, variant, _ in kinds(found)} == expected


def test_a_word_whose_sizes_are_those_of_another_recurrence(tmp_path: Path) -> None:
    found = outcome(tmp_path, {**GQA, "num_hidden_layers": 2, "layer_types": ["mamba", FULL], **DELTA})
    assert isinstance(found, str), kinds(found)


def test_a_ratio_given_twice(tmp_path: Path) -> None:
    fields = {
        **without(GQA, "num_key_value_heads"), "num_key_value_heads": 1, "num_hidden_layers": 2,
        "sliding_window": 128, "compress_ratios": [0, 128],
        "compress_rates": {"heavily_compressed_attention": 64},
    }  # fmt: skip
    assert isinstance(outcome(tmp_path, fields), str)


@pytest.mark.parametrize("alias", ["num_kv_heads", "num_query_groups"])
def test_an_assumption_fills_gaps_under_every_name(tmp_path: Path, alias: str) -> None:
    fields = {**without(GQA, "num_key_value_heads"), alias: 8}
    found = outcome(tmp_path, fields, "--assume", "num_key_value_heads=2")
    assert isinstance(found, str), kinds(found)
    assert "contradicts the file" in found
