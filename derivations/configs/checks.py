"""What does not go together in a config.json, whatever each field says by itself."""

from __future__ import annotations

from collections.abc import Sequence

from .fields import Fields, shown

__all__ = ["check_together", "check_unused"]

_RECURRENT = (
    "mamba_n_heads", "mamba_d_head", "mamba_d_state", "linear_num_value_heads", "linear_num_key_heads",
    "linear_key_head_dim", "linear_value_head_dim", "linear_num_heads", "linear_head_dim", "linear_attn_config",
)  # fmt: skip
_ELSEWHERE = (
    "qk_head_dim", "qk_nope_head_dim", "qk_rope_head_dim", "index_n_heads", "index_head_dim", "index_topk",
    "indexer_types", "index_topk_pattern", "compress_rates", "o_lora_rank", "o_groups", "mla_use_nope",
    "mla_use_output_gate", "attn_type", "share_q_dim",
)  # fmt: skip
"""Fields that say how keys and values are made: where nothing reads them, something else was read."""


def check_together(fields: Fields, words: Sequence[str]) -> None:
    """Raises InputError where the file describes something other than causal decoding layers as they are
    read.
    """
    for name in ("is_causal", "use_mla"):
        if fields.flag(name) is False and (name == "is_causal" or fields.has("kv_lora_rank")):
            raise fields.fail(
                name, f"{name} is false: attention of this kind keeps something else, and is not understood"
            )
    if fields.flag("use_mla") and not fields.has("kv_lora_rank"):
        raise fields.missing("kv_lora_rank", "use_mla says that keys and values come from a latent")
    if fields.flag("add_cross_attention"):
        raise fields.fail(
            "add_cross_attention", "add_cross_attention: rows of another input are kept, and are not read here"
        )
    if not {"recurrent", "mamba"} & {*words}:
        for name in _RECURRENT:
            found = fields.named(name)
            if found is not None and fields.values[found] not in (0, {}, []):
                raise fields.fail(
                    found,
                    f"{found} gives the size of a state, and no layer is said to be recurrent; add layer_types",
                )
    ratios = fields.listed("compress_ratios")
    rates = fields.inner("compress_rates") if ratios is not None else None
    if rates is not None and ratios is not None:
        for word, name in (("csa", "compressed_sparse_attention"), ("hca", "heavily_compressed_attention")):
            said = {ratio for ratio, kind in zip(ratios, words, strict=False) if kind == word}
            if said and rates.integer(name) not in (None, *said):
                raise fields.fail(
                    "compress_ratios",
                    f"compress_ratios says {sorted(said)[0]} and compress_rates "
                    "{rates.get(name)}; one is wrong",
                )


def check_unused(fields: Fields) -> None:
    """Raises InputError for a field that says how keys and values are made and that no layer was read by."""
    for name in _ELSEWHERE:
        if name in fields.values and name not in fields.used and fields.values[name] not in (0, False, {}, []):
            raise fields.fail(
                name,
                f"{name} is {shown(fields.values[name])}, and the other fields say that keys and "
                "values are not made "
                "that way; what is meant is not understood",
            )
