"""What some layers have apart: sizes of their own, rows of another layer, a ratio of pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fields import Fields, shown
from .vocabulary import without_bearing

__all__ = ["own_fields", "pooling_ratio", "row_sources", "sharing_fields"]


_OWN = ("num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim")
"""Sizes that a layer may have apart."""


def row_sources(fields: Fields, words: Sequence[str]) -> tuple[bool, ...]:
    """For each layer whether it reads the rows of another one and keeps none.

    Raises InputError where there is no earlier layer of its kind that keeps rows.
    """
    count = len(words)
    tail = fields.integer("num_kv_shared_layers", least=0) or 0
    if tail and tail >= count:
        raise fields.fail(
            "num_kv_shared_layers", f"{tail} of {count} layers would read the rows of others; which keep them?"
        )
    found = [i >= count - tail for i in range(count)]
    for i, shared in enumerate(found):
        if shared and words[i] not in words[: count - tail]:
            raise fields.fail(
                "num_kv_shared_layers",
                f"layer {i} ({words[i]}) would read the rows of an earlier layer, and none is alike",
            )
    listed = fields.listed("kv_source_layers")
    if listed is not None:
        name = fields.named("kv_source_layers") or ""
        if len(listed) != count:
            raise fields.fail(name, f"{name} has {len(listed)} entries for {count} layers")
        for i, entry in enumerate(listed):
            source = fields.whole(name, entry, 0, count - 1)
            if source > i:
                raise fields.fail(name, f"layer {i} would read the rows of layer {source}, a later one")
            if source != i and (words[source] != words[i] or words[i] in ("recurrent", "mamba", "mlp", "conv")):
                raise fields.fail(
                    name, f"layer {i} ({words[i]}) would read the rows of layer {source} ({words[source]})"
                )
            found[i] = found[i] or source != i
    return tuple(found)


def sharing_fields(fields: Fields) -> list[str]:
    return [name for name in ("num_kv_shared_layers", "kv_source_layers") if fields.has(name)]


def own_fields(fields: Fields, count: int) -> list[dict[str, Any]]:
    """Fields that some layers have apart, by layer number."""
    found: list[dict[str, Any]] = [{} for _ in range(count)]
    inner = fields.inner("per_layer_config")
    for name, value in inner.values.items() if inner is not None else ():
        if not name.isdecimal() or int(name[:9]) >= count or not isinstance(value, dict):
            raise fields.fail("per_layer_config", f"{shown(name)} in per_layer_config is no number of a layer")
        for field in value:
            if field not in _OWN and not without_bearing(field):
                raise fields.fail(
                    "per_layer_config", f"{shown(field)} of layer {name} is not understood (per_layer_config)"
                )
        if found[int(name)]:
            raise fields.fail("per_layer_config", f"layer {int(name)} stands twice in per_layer_config")
        found[int(name)] = value
    for name in ("num_attention_heads", "num_key_value_heads"):
        entries = fields.listed(f"{name}_per_layer")
        if entries is None:
            continue
        if len(entries) != count:
            raise fields.fail(
                f"{name}_per_layer", f"{name}_per_layer has {len(entries)} entries for {count} layers"
            )
        for i, entry in enumerate(entries):
            found[i] = {**found[i], name: fields.whole(f"{name}_per_layer", entry)}
        fields.say("a number for each layer", f"{name}_per_layer")
    if inner is not None and inner.values:
        fields.say(f"{len(inner.values)} layers have sizes of their own", "per_layer_config")
    return found


def pooling_ratio(fields: Fields, word: str, index: int) -> int:
    if word == "sliding":
        return 0
    entries = fields.listed("compress_ratios")
    if entries is not None:
        return fields.whole("compress_ratios", entries[index], 0)
    rates = fields.inner("compress_rates")
    name = {"csa": "compressed_sparse_attention", "hca": "heavily_compressed_attention"}.get(word)
    if rates is None or name is None:
        raise fields.missing(
            "compress_ratios", f"layer {index} pools rows, and this says how many make one entry"
        )
    return rates.need(name, "how many rows make one entry")
