"""Layers with keys and values for each head, or for groups of heads: dims from whatever names a file uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .fields import Fields, shown
from .vocabulary import ALIASES

__all__ = ["LayerKind", "grouped", "known", "window_of"]


@dataclass(frozen=True, slots=True)
class LayerKind:
    """What one layer computes."""

    variant: str
    """With its options, such as `gqa+window`."""
    dims: Mapping[str, int]
    """Symbol -> size."""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for layers that are alike."""
        return self.variant, tuple(sorted(self.dims.items()))


_SLIDING = {
    "swa_num_attention_heads": "num_attention_heads", "swa_num_key_value_heads": "num_key_value_heads",
    "swa_head_dim": "head_dim", "swa_v_head_dim": "v_head_dim",
}  # fmt: skip
"""Sizes that layers with a window may have apart -> whose place they take."""
_WHOLE = {"global_head_dim": "head_dim", "num_global_key_value_heads": "num_key_value_heads"}
"""The same for layers that see the whole context."""


def grouped(fields: Fields, sliding: bool) -> LayerKind:
    """Multi-head, grouped-query or multi-query attention, with the sizes that some layers have apart."""
    fields.used.update(name for name in (*_SLIDING, *_WHOLE) if name in fields.values)
    apart = {to: name for name, to in (_SLIDING if sliding else _WHOLE).items() if name in fields.values}
    if not apart:
        return _heads(fields)
    which = "layers with a window" if sliding else "layers that see the whole context"
    fields.say(f"{which} have sizes of their own", *apart.values())
    own = fields.over({to: fields.whole(name, fields.values[name]) for to, name in apart.items()})
    for to in apart:  # the other names of a size speak of the other layers
        for alias in ALIASES.get(to, ()):
            own.values.pop(alias, None)
    return _heads(own)


def _heads(fields: Fields) -> LayerKind:
    hidden = fields.want("hidden_size", "the model width")
    heads = fields.want("num_attention_heads", "the number of query heads")
    kv = _kv_heads(fields, heads)
    width = fields.integer("head_dim")
    if width is None:
        if hidden is None or heads is None:
            raise fields.missing("head_dim", "the width of a head, or hidden_size and num_attention_heads")
        if hidden % heads:
            raise fields.fail(
                fields.named("hidden_size") or "hidden_size",
                f"no head_dim, and hidden_size {hidden} is no multiple of the {heads} heads "
                "(num_attention_heads)",
            )
        width = hidden // heads
        fields.say(f"the width of a head is {hidden}/{heads} = {width}", "head_dim")
    elif hidden and heads:
        fields.say(f"the width of a head, whatever hidden_size/heads would be ({hidden}/{heads})", "head_dim")
    values = fields.integer("v_head_dim") or width
    dims = {"d_model": hidden, "d_k": width, "d_v": values}
    if kv == heads:
        return LayerKind("mha", known({**dims, "H": heads}))
    if kv == 1:
        return LayerKind("mqa", known({**dims, "H": heads}))
    return LayerKind("gqa", known({**dims, "H_q": heads, "H_kv": kv}))


def known(dims: Mapping[str, int | None]) -> dict[str, int]:
    """The sizes that a file gives."""
    return {name: size for name, size in dims.items() if size is not None}


def _kv_heads(fields: Fields, heads: int | None) -> int:
    """How many heads keep keys and values; query heads matter where each keeps its own."""
    found = _heads_kept(fields, heads)
    if found is None:
        raise fields.missing("num_attention_heads", "the number of heads, each of which keeps keys and values")
    return found


def _heads_kept(fields: Fields, heads: int | None) -> int | None:
    single = next((n for n in ("multi_query", "multi_query_attention") if fields.flag(n)), None)
    new = fields.flag("new_decoder_architecture")
    kv = fields.integer("num_key_value_heads")
    name = fields.named("num_key_value_heads")
    if single == "multi_query" and not new:
        if name == "num_key_value_heads" and kv not in (1, heads):
            raise fields.fail(
                name, f"multi_query says one key/value head, and num_key_value_heads {kv}; one is wrong"
            )
        fields.say("all query heads share one head of keys and values, whatever else is said", single)
        return 1
    kind = fields.get("attn_type")
    if kind not in (None, "multihead_attention", "multiquery_attention", "grouped_query_attention"):
        raise fields.fail("attn_type", f"attention of the type {shown(kind)} (attn_type) is not understood")
    if fields.flag("multi_query_attention") is False:
        fields.say("each head keeps its own keys and values", "multi_query_attention")
        return heads
    if single == "multi_query_attention" and kv is None:
        raise fields.missing(
            "multi_query_group_num", "multi_query_attention says that heads share, not how many do"
        )
    if kind == "multiquery_attention":
        fields.say("all query heads share one head of keys and values", "attn_type")
        return 1
    if new is False and single is None and name == "num_kv_heads":
        fields.say("without multi_query each head keeps its own keys and values", "new_decoder_architecture")
        return heads
    if kv is None:
        fields.say(f"each of the {heads} heads keeps its own keys and values", "num_key_value_heads")
        return heads
    if heads is None:
        return kv
    if kv > heads or heads % kv:
        raise fields.fail(
            name or "num_key_value_heads",
            f"{heads} query heads (num_attention_heads) do not share {kv} key/value heads ({name}) evenly",
        )
    fields.say(f"{heads} query heads share {kv} heads of keys and values", name or "num_key_value_heads")
    return kv


def window_of(fields: Fields, word: str, index: int) -> int:
    """The rows a layer sees that is said to have a window or chunks."""
    name = "attention_chunk_size" if word == "chunked" else "sliding_window"
    found = fields.named(name)
    if found is None:
        by = next((n for n in ("compress_ratios", "layer_types") if n in fields.values), "")
        raise fields.missing(name, f"layer {index} sees rows in a window or chunk{by and f', says {by}'}")
    value = fields.values[found]
    size = fields.whole(found, value, -1)
    if size < 1 or (word == "sliding" and fields.flag("use_sliding_window") is False):
        switch = "use_sliding_window is false" if size >= 1 else f"{found} is {shown(value)}"
        raise fields.fail(found, f"layer {index} is said to have a window, and {switch}; one of them is wrong")
    return size
