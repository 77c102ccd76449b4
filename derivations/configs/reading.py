"""From a config.json to its layers, one by one; what is not understood is named, and refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from .checks import check_together, check_unused
from .fields import Decision, Fields, shown, unread
from .gaps import IGNORED, assumed, merged, with_assumptions, with_attn_config
from .grouped import LayerKind, grouped, window_of
from .jsonfile import read_json
from .latent import index_shared, latent, pooled
from .pattern import layer_words
from .perlayer import own_fields, pooling_ratio, row_sources, sharing_fields
from .recurrent import recurrent
from .vocabulary import READ, speaks_of_attention, without_bearing

__all__ = ["Config", "config_of", "read_config"]


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
    notes: tuple[str, ...] = ()
    """What a reader must know."""
    missing: tuple[str, ...] = ()
    """Fields that FLOPs and bytes of a step need and that are not there."""


def read_config(text: str, assume: Sequence[str] = ()) -> Config:
    """The config.json at a path, or in a folder. Raises InputError with file, line and field."""
    path = Path(text)
    if not text.lower().endswith(".json") and path.is_dir():
        path, text = path / "config.json", f"{text.rstrip('/')}/config.json"
    values, source = read_json(path, text)
    return config_of(values, text, source, assume)


def config_of(values: Mapping[str, Any], file: str, text: str = "", assume: Sequence[str] = ()) -> Config:
    """The same from values already read; `text` is the file's, for line numbers."""
    given, ignored = assumed(assume)
    whole = with_attn_config(merged(values, file, text), file, text)
    fields = Fields(with_assumptions(whole, given, ignored, file, text), file, text)
    fields.assumed = frozenset(given)
    if fields.flag("is_encoder_decoder"):
        raise fields.fail("is_encoder_decoder", "a model with an encoder is not understood; only decoders are")
    _blocks_of_layers(fields)
    words = layer_words(fields)
    check_together(fields, words)
    shared = index_shared(fields, len(words))
    sources = row_sources(fields, words)
    own = own_fields(fields, len(words))
    pools = (
        "csa" in words or "hca" in words or (fields.has("compress_ratios") and not fields.has("kv_lora_rank"))
    )
    layers = tuple(
        _layer(fields.over(own[i]) if own[i] else fields, word, i, Apart(shared[i], sources[i], pools))
        for i, word in enumerate(words)
    )
    if any(sources):
        fields.say(
            f"{sum(sources)} layers read the rows of an earlier layer and keep none", *sharing_fields(fields)
        )
    drafts = fields.integer("num_nextn_predict_layers", least=0) or 0
    modules = fields.integer("num_mtp_modules", least=0) or 0
    drafts = drafts or modules
    if drafts:
        name = "num_nextn_predict_layers" if fields.has("num_nextn_predict_layers") else "num_mtp_modules"
        fields.say("modules for multi-token prediction, not among the layers", name)
    fields.flag("use_mtp")
    _use_up(fields, words)
    found = tuple(_not_understood(fields, ignored))
    notes = _cache_type(fields)
    return Config(_title(values, file), layers, drafts, {**given, **dict.fromkeys(ignored, IGNORED)}, found,
                  tuple(fields.decisions), notes, tuple(fields.gaps))  # fmt: skip


def _cache_type(fields: Fields) -> tuple[str, ...]:
    """A note where the file says how cached elements are stored: figures here are not about that."""
    quantized = fields.values.get("quantization_config")
    scheme = quantized.get("kv_cache_scheme") if isinstance(quantized, dict) else None
    bits = scheme.get("num_bits") if isinstance(scheme, dict) else None
    said = [f"kv_cache_dtype {shown(fields.get('kv_cache_dtype'))}"] if fields.has("kv_cache_dtype") else []
    said += [f"a kv_cache_scheme of {shown(bits)} bits"] if scheme else []
    if not said:
        return ()
    there = [name for name in ("kv_cache_dtype", "quantization_config") if name in fields.values]
    fields.say("how cached elements are stored, which is left to --kv-layout", *there)

    what = " and ".join(said)
    return (f"The file says {what}; bytes here are 2 an element unless --kv-layout or --set b says other.",)


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


@dataclass(frozen=True, slots=True)
class Apart:
    """What sets a layer apart from others of its kind."""

    shared_index: bool
    """It uses the rows that an earlier layer's index selected."""
    reads: bool
    """It reads the rows of an earlier layer and keeps none."""
    pools: bool
    """It belongs to a model whose rows are key and value at once, and are pooled in some layers."""


def _blocks_of_layers(fields: Fields) -> None:
    """`num_layers` beside a latent counts blocks, in files whose blocks hold two attention layers."""
    if fields.has("kv_lora_rank") and fields.named("num_hidden_layers") == "num_layers":
        raise fields.fail(
            "num_layers",
            "num_layers beside kv_lora_rank counts blocks, and no field says how many attention "
            "layers a block has "
            "(two, in the models that are known); say --assume num_hidden_layers=COUNT",
        )


def _layer(fields: Fields, word: str, index: int, apart: Apart) -> LayerKind | None:
    if word == "mlp":
        return None
    if word in ("recurrent", "mamba"):
        return recurrent(fields, word, index)
    if word == "conv":
        fields.say("layers without attention keep the last rows of a convolution", "conv_L_cache")
        width = fields.need("conv_L_cache", "the tokens that the convolution sees")
        hidden = fields.need("hidden_size", "the model width, and the channels that are kept")
        return LayerKind("shortconv", {"d_model": hidden, "n_c": width})
    window = window_of(fields, word, index) if word in ("sliding", "chunked") else None
    if apart.pools:
        kind = pooled(
            fields, word, window or window_of(fields, "sliding", index), pooling_ratio(fields, word, index)
        )
        window = None
    elif fields.has("kv_lora_rank"):
        _rotated_everywhere(fields)
        kind = latent(fields, apart.shared_index)
    else:
        _no_latent_query(fields)
        kind = grouped(fields, word == "sliding")
        kind = _factorized(fields, kind)
        gates = [
            n for n in ("attn_output_gate", "attention_output_gate", "use_attention_gate") if fields.flag(n)
        ]
        if gates:
            fields.say("the heads' results pass a gate", *gates)
            kind = LayerKind(f"{kind.variant}+gate", kind.dims)
    if window is not None:
        option = "chunk" if word == "chunked" else "window"
        kind = LayerKind(f"{kind.variant}+{option}", {**kind.dims, "n_w": window})
    if apart.reads:
        kind = LayerKind(f"{kind.variant}+reads", kind.dims)
    return kind


def _rotated_everywhere(fields: Fields) -> None:
    """Layers without rotation may keep the segment that is rotated elsewhere, or have none: no field says."""
    entries = fields.listed("no_rope_layers") or ()
    if 0 in entries and not fields.has("attention_chunk_size"):
        raise fields.fail(
            "no_rope_layers",
            "no_rope_layers beside kv_lora_rank: whether layers without rotation keep the segment of width "
            "qk_rope_head_dim is in no field; say --assume mla_use_nope=true with "
            "no_rope_layers=ignored if they do",
        )


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


def _use_up(fields: Fields, words: Sequence[str]) -> None:
    """Fields that say nothing more once the layers are known."""
    latent_layers = fields.has("kv_lora_rank")
    for name in ("max_window_layers", "use_sliding_window", "attention_types", "no_rope_layers",
                 "no_rope_layer_interval", "cache_implementation", "attn_logit_softcapping",
                 "mamba_expand", "expand",
                 "attention_k_eq_v", "attn_type", "multi_query", "new_decoder_architecture", "mla_use_nope",
                 "sliding_window_pattern", "full_attention_interval"):  # fmt: skip
        fields.named(name)
    if "sliding" not in words:
        window = fields.named("sliding_window")
        if window is not None:
            fields.say(
                "no window", window, *(["use_sliding_window"] if fields.has("use_sliding_window") else [])
            )
    if not {"recurrent", "mamba"} & {*words}:
        fields.named("linear_conv_kernel_dim")
    if latent_layers:
        for name in ("num_key_value_heads", "head_dim"):
            fields.named(name)


def _not_understood(fields: Fields, ignored: Sequence[str]) -> list[str]:
    """Fields nothing is known about. Raises InputError where one of them speaks of attention."""
    check_unused(fields)
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
            f"{first}={IGNORED}",
            fields.place(refused[0]),
        )
    return [shown(name) for name in found]
