"""Fields of a config.json that tests start from, of each kind of attention as few as say it."""

from __future__ import annotations

from typing import Any

__all__ = ["DELTA", "FULL", "GQA", "LINEAR", "MLA", "SLIDING", "Fields", "without"]

Fields = dict[str, Any]

SLIDING, FULL, LINEAR = "sliding_attention", "full_attention", "linear_attention"
GQA: Fields = {
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "num_hidden_layers": 36,
}
MLA: Fields = {
    "hidden_size": 7168,
    "num_attention_heads": 128,
    "num_hidden_layers": 61,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
DELTA: Fields = {
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
    "linear_value_head_dim": 128,
}
"""The states of a gated delta rule, beside the fields of the layers with attention."""


def without(fields: Fields, *names: str) -> Fields:
    """The fields but for some."""
    return {name: value for name, value in fields.items() if name not in names}
