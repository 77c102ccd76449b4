"""From a config.json to its layers, one by one; what is not understood is named, and refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, Place, unknown
from .fields import Decision, Fields, shown, unread
from .grouped import LayerKind, grouped, window_of
from .jsonfile import kind_of, read_json
from .latent import index_shared, latent, pooled
from .pattern import layer_words
from .recurrent import recurrent
from .vocabulary import NESTED, READ, speaks_of_attention, without_bearing

__all__ = ["Config", "config_of", "read_config"]

_IGNORED = "ignored"
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Config:
    """A config.json, understood."""

    title: str
    """For headings."""
    layers: tuple[LayerKind | None, ...]
    """What each layer is; None for one without attention."""
    drafts: int
    """Modules for multi-token prediction."""
    assumptions: Mapping[str, object]
    """Field -> what was given for it by hand."""
    unknown: tuple[str, ...]
    """Fields that nothing is known about."""
    decisions: tuple[Decision, ...]
    """Which field led to what."""


def read_config(text: str, assume: Sequence[str] = ()) -> Config:
    """The config.json at a path, or in a folder. Raises InputError with file, line and field."""
    path = Path(text)
    if not text.lower().endswith(".json") and path.is_dir():
        path, text = path / "config.json", f"{text.rstrip('/')}/config.json"
    values, source = read_json(path, text)
    return config_of(values, text, source, assume)


def config_of(values: Mapping[str, Any], file: str, text: str = "", assume: Sequence[str] = ()) -> Config:
    """The same from values already read; `text` is the file's, for line numbers."""
    given, ignored = _assumed(assume)
    merged = _merged(values, file, text)
    fields = Fields(_with_assumptions(merged, given, ignored, file, text), file, text)
    if fields.flag("is_encoder_decoder"):
        raise fields.fail("is_encoder_decoder", "a model with an encoder is not understood; only decoders are")
    words = layer_words(fields)
    fields = _with_attn_config(fields)
    shared = index_shared(fields, len(words))
    sources = _sources(fields, len(words))
    own = _own_configs(fields, len(words))
    layers = tuple(
        _layer(fields.over(own[i]) if own[i] else fields, word, i, shared[i], sources[i])
        for i, word in enumerate(words)
    )
    if any(sources):
        fields.say(f"{sum(sources)} layers read the rows of an earlier layer and keep none", *_sharing(fields))
    drafts = fields.integer("num_nextn_predict_layers", least=0) or 0
    modules = fields.integer("num_mtp_modules", least=0) or 0
    drafts = drafts or modules
    if drafts:
        name = "num_nextn_predict_layers" if fields.has("num_nextn_predict_layers") else "num_mtp_modules"
        fields.say("modules for multi-token prediction, not among the layers", name)
    fields.flag("use_mtp")
    _use_up(fields, words)
    found = tuple(_not_understood(fields, ignored))
    return Config(_title(values, file), layers, drafts, {**given, **dict.fromkeys(ignored, _IGNORED)}, found,
                  tuple(fields.decisions))  # fmt: skip


def _title(values: Mapping[str, Any], file: str) -> str:
    """What the file calls itself, for a heading; nothing is decided by it."""
    names = values.get("architectures")
    name = names[0] if isinstance(names, list) and names else values.get("model_type")
    folder = Path(file).parent.name
    plain = isinstance(name, str) and name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return (
        f"{name[:60]} ({file})"
        if plain and isinstance(name, str)
        else (f"{folder}/{Path(file).name}".lstrip("/"))
    )


def _assumed(texts: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Fields given by hand, and fields to be left out of account."""
    given: dict[str, Any] = {}
    ignored: list[str] = []
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not value.strip() or len(text) > _LONGEST:
            raise InputError(f"--assume {shown(text)}: write it as FIELD=VALUE, such as head_dim=128")
        if name in given or name in ignored:
            raise InputError(f"--assume {shown(name)} is given twice")
        if value.strip() == _IGNORED:
            ignored.append(name)
            continue
        if name not in READ:
            raise unknown("field of --assume", name, READ)
        try:
            given[name] = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            given[name] = value.strip()
    return given, ignored


def _with_assumptions(
    values: Mapping[str, Any], given: Mapping[str, Any], ignored: Sequence[str], file: str, text: str
) -> dict[str, Any]:
    fields = Fields(values, file, text)
    for name, value in given.items():
        if name in fields.values and fields.values[name] != value:
            raise fields.fail(
                name,
                f"--assume {name}={shown(value)} contradicts the file, which says {shown(fields.values[name])}; "
                "--assume only fills gaps",
            )
    for name in ignored:
        if name not in fields.values:
            raise unknown(f"field of {file}", name, fields.values)
    return {**{n: v for n, v in values.items() if n not in ignored}, **given}


def _merged(values: Mapping[str, Any], file: str, text: str) -> dict[str, Any]:
    """The fields of the language model: those of a nested config, and those beside it that it does not have."""
    nested = [name for name in NESTED if isinstance(values.get(name), dict)]
    for name in NESTED:
        if values.get(name) is not None and name not in nested:
            raise Fields(values, file, text).fail(
                name, f"expected an object in {name}, found {kind_of(values[name])}"
            )
    if not nested:
        return dict(values)
    if len(nested) > 1:
        raise InputError(f"{' and '.join(nested)} are both there; which is the language model?", Place(file))
    inner = {name: value for name, value in values[nested[0]].items() if value is not None}
    for name, value in inner.items():
        outer = values.get(name)
        if name in READ and outer is not None and outer != value:
            raise Fields(values, file, text).fail(
                name, f"{name} is {shown(outer)} on top and {shown(value)} in {nested[0]}; one of them is wrong"
            )
    return {**{n: v for n, v in values.items() if n != nested[0]}, **inner}


def _with_attn_config(fields: Fields) -> Fields:
    """Fields that some files keep in an object of their own."""
    inner = fields.inner("attn_config")
    if inner is None:
        return fields
    known = {n: v for n, v in inner.values.items() if n in READ and n != "attn_config"}
    return fields.over({**{n: v for n, v in known.items() if n not in fields.values}})


def _sources(fields: Fields, count: int) -> tuple[bool, ...]:
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


def _sharing(fields: Fields) -> list[str]:
    return [name for name in ("num_kv_shared_layers", "kv_source_layers") if fields.has(name)]


def _own_configs(fields: Fields, count: int) -> list[dict[str, Any]]:
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
    if inner is not None and inner.values:
        fields.say(f"{len(inner.values)} layers have sizes of their own", "per_layer_config")
    return found


def _layer(fields: Fields, word: str, index: int, shared_index: bool, reads: bool) -> LayerKind | None:
    if word == "mlp":
        return None
    if word == "recurrent":
        return recurrent(fields, index)
    if word == "conv":
        raise InputError(
            f"layer {index} is a convolution alone (conv), which no bundled variant describes",
            fields.place(fields.named("layer_types") or "layer_types"),
        )
    window = window_of(fields, word, index) if word in ("sliding", "chunked") else None
    if word in ("csa", "hca") or (fields.has("compress_ratios") and not fields.has("kv_lora_rank")):
        kind = pooled(fields, word, window or window_of(fields, "sliding", index), _ratio(fields, word, index))
        window = None
    elif fields.has("kv_lora_rank"):
        kind = latent(fields, shared_index)
    else:
        _no_latent_query(fields)
        kind = grouped(fields, word == "sliding")
        kind = _factorized(fields, kind)
        gates = [
            n for n in ("attn_output_gate", "attention_output_gate", "use_attention_gate") if fields.flag(n)
        ]
        if gates and kind.variant != "mha":
            fields.say("the heads' results pass a gate", *gates)
            kind = LayerKind(f"{kind.variant}+gate", kind.dims)
    if window is not None:
        option = "chunk" if word == "chunked" else "window"
        kind = LayerKind(f"{kind.variant}+{option}", {**kind.dims, "n_w": window})
    if reads:
        kind = LayerKind(f"{kind.variant}+reads", kind.dims)
    return kind


def _factorized(fields: Fields, kind: LayerKind) -> LayerKind:
    """Queries through a latent before one wide head of keys and values, where a field gives that latent."""
    width = fields.integer("share_q_dim")
    if width is None:
        return kind
    if kind.variant != "mqa":
        raise fields.fail(
            "share_q_dim", "a query latent (share_q_dim) is only understood beside one key/value head"
        )
    fields.say("queries come from a latent of their own", "share_q_dim")
    return LayerKind("mfa", {**kind.dims, "d_q": width})


def _no_latent_query(fields: Fields) -> None:
    """Fields of a latent without the latent: something else than grouped heads."""
    alone = [n for n in ("q_lora_rank", "qk_nope_head_dim", "o_lora_rank", "index_topk") if fields.get(n)]
    if alone:
        raise fields.fail(
            alone[0],
            f"{', '.join(alone)} without kv_lora_rank or compress_ratios: keys and values of this kind are not "
            "understood, and they are not counted as grouped heads",
        )


def _ratio(fields: Fields, word: str, index: int) -> int:
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


def _use_up(fields: Fields, words: Sequence[str]) -> None:
    """Fields that say nothing more once the layers are known."""
    latent_layers = fields.has("kv_lora_rank")
    for name in ("max_window_layers", "use_sliding_window", "attention_types", "no_rope_layers",
                 "no_rope_layer_interval", "cache_implementation", "attn_logit_softcapping", "mamba_expand", "expand",
                 "attention_k_eq_v", "attn_type", "multi_query", "new_decoder_architecture", "mla_use_nope",
                 "sliding_window_pattern", "full_attention_interval"):  # fmt: skip
        fields.named(name)
    if "sliding" not in words:
        window = fields.named("sliding_window")
        if window is not None:
            fields.say(
                "no window", window, *(["use_sliding_window"] if fields.has("use_sliding_window") else [])
            )
    if "recurrent" not in words:
        for name in ("linear_conv_kernel_dim", "linear_num_heads", "linear_head_dim"):
            fields.named(name)
    if latent_layers:
        for name in ("num_key_value_heads", "head_dim"):
            fields.named(name)


def _not_understood(fields: Fields, ignored: Sequence[str]) -> list[str]:
    """Fields nothing is known about. Raises InputError where one of them speaks of attention."""
    unused = [name for name in unread(fields, ignored) if name in READ]
    for name in unused:
        fields.say("not used: no layer has it", name)
    found = [name for name in unread(fields, ignored) if not without_bearing(name)]
    refused = [n for n in found if speaks_of_attention(n) and fields.values[n] not in (False, 0, "", [], {})]
    if refused:
        names = ", ".join(shown(name) for name in refused[:8])
        more = f" and {len(refused) - 8} more" if len(refused) > 8 else ""
        first = shown(refused[0])
        raise InputError(
            f"not understood: {names}{more}; what {'they change' if len(refused) > 1 else 'it changes'} is not "
            f"known, so nothing is derived; where a field has no bearing on attention, say so with --assume "
            f"{first}={_IGNORED}",
            fields.place(refused[0]),
        )
    return [shown(name) for name in found]
