"""What some layers have apart: sizes of their own, rows of another layer, a ratio of pooling."""

from __future__ import annotations

from typing import Any

from .fields import Fields, shown
from .vocabulary import READ, without_bearing

__all__ = ["own_fields", "pooling_ratio", "row_sources", "sharing_fields"]


def row_sources(fields: Fields, count: int) -> tuple[bool, ...]:
    """For each layer whether it reads the rows of another one and keeps none."""
    tail = fields.integer("num_kv_shared_layers", least=0, most=count) or 0
    found = [i >= count - tail for i in range(count)]
    listed = fields.listed("kv_source_layers")
    if listed is not None:
        if len(listed) != count:
            raise fields.fail(
                "kv_source_layers", f"kv_source_layers has {len(listed)} entries for {count} layers"
            )
        for i, entry in enumerate(listed):
            source = fields.whole("kv_source_layers", entry, 0, count - 1)
            if source > i:
                raise fields.fail(
                    "kv_source_layers", f"layer {i} would read the rows of layer {source}, a later one"
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
            if field not in READ and not without_bearing(field):
                raise fields.fail("per_layer_config", f"{shown(field)} of layer {name} is not understood")
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
