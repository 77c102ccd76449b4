"""Layers that keep a state of fixed size: which recurrence it is, by the fields that give its dims."""

from __future__ import annotations

from ..errors import InputError
from .fields import Fields, shown
from .grouped import LayerKind, known
from .vocabulary import without_bearing

__all__ = ["recurrent"]


def recurrent(fields: Fields, word: str, index: int) -> LayerKind:
    """The recurrence of a layer. Raises InputError where no field says its dims, or several do."""
    families = [family for family, names in _FAMILIES.items() if any(fields.has(name) for name in names)]
    if word == "mamba":
        if "mamba" not in families:
            raise fields.missing(
                "mamba_n_heads", f"layer {index} is mamba, and nothing says how large its state is"
            )
        return _mamba(fields)
    if len(families) > 1 and families != ["linear_attn_config", "linear_num_heads"]:
        names = [next(n for n in _FAMILIES[family] if fields.has(n)) for family in families]
        raise fields.fail(
            fields.named(names[0]) or "",
            f"{' and '.join(names)} give states of two kinds, and layer {index} is only said to be recurrent",
        )
    inner = fields.inner("linear_attn_config")
    if inner is not None:
        heads, width = inner.need("num_heads", "the heads of the state"), inner.need("head_dim", "its width")
        made = _kda(fields, heads, width, inner.integer("short_conv_kernel_size"))
        known = {*inner.used, "full_attn_layers", "kda_layers"}
        strange = [name for name in inner.values if name not in known and not without_bearing(name)]
        if strange:
            raise inner.fail(
                strange[0], f"not understood: {', '.join(map(shown, strange))} in linear_attn_config"
            )
        fields.say(f"a state of {heads} x {width} x {width} for each KDA layer", "linear_attn_config")
        return made
    if fields.has("linear_num_value_heads"):
        return _gdn(fields)
    if fields.has("linear_num_heads") or fields.has("linear_head_dim"):
        heads = fields.need(
            "linear_num_heads", "linear_head_dim says how wide a state is, this how many there are"
        )
        width = fields.need("linear_head_dim", "linear_num_heads says how many states there are, this how wide")
        fields.say(
            f"a state of {heads} x {width} x {width} for each KDA layer", "linear_num_heads", "linear_head_dim"
        )
        return _kda(fields, heads, width, fields.integer("linear_conv_kernel_dim"))
    if fields.has("mamba_n_heads") or fields.has("mamba_d_state") or fields.has("state_size"):
        return _mamba(fields)
    if fields.has("attn_type_list") or fields.has("linear_attn_alpha_factor"):
        return _lightning(fields)
    raise InputError(
        f"layer {index} is recurrent, and no field says how large its state is; understood are "
        "linear_attn_config, linear_num_value_heads and its kin, linear_num_heads and linear_head_dim, "
        "mamba_n_heads and its kin, attn_type_list",
        fields.place(fields.named("layer_types") or "layer_types"),
    )


_FAMILIES: dict[str, tuple[str, ...]] = {
    "linear_attn_config": ("linear_attn_config",),
    "gdn": ("linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim", "linear_num_key_heads"),
    "linear_num_heads": ("linear_num_heads", "linear_head_dim"),
    "mamba": ("mamba_n_heads", "mamba_d_state", "state_size"),
}
"""Recurrences by the fields that give the sizes of their states."""


def _kda(fields: Fields, heads: int, width: int, convolution: int | None) -> LayerKind:
    hidden = fields.want("hidden_size", "the model width")
    if convolution is None:
        raise fields.missing("linear_conv_kernel_dim", "the tokens of the short convolution")
    return LayerKind(
        "kda",
        known({"d_model": hidden, "H": heads, "d_k": width, "d_v": width, "d_g": width, "n_c": convolution}),
    )


def _gdn(fields: Fields) -> LayerKind:
    heads = fields.need("linear_num_value_heads", "the heads of the state")
    keys = fields.integer("linear_num_key_heads") or heads
    if heads % keys:
        raise fields.fail(
            "linear_num_key_heads",
            f"{heads} value heads (linear_num_value_heads) do not share {keys} key heads evenly",
        )
    dims = known({
        "d_model": fields.want("hidden_size", "the model width"), "H_v": heads, "H_k": keys,
        "d_k": fields.need("linear_key_head_dim", "the key width of a state"),
        "d_v": fields.need("linear_value_head_dim", "the value width of a state"),
        "n_c": fields.need("linear_conv_kernel_dim", "the tokens of the short convolution"),
    })  # fmt: skip
    fields.say(
        f"a state of {heads} x {dims['d_k']} x {dims['d_v']} for each layer with a gated delta rule: "
        "one for each value head",
        "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim",
    )  # fmt: skip
    return LayerKind("gdn", dims)


def _mamba(fields: Fields) -> LayerKind:
    hidden = fields.want("hidden_size", "the model width")
    name = "mamba_n_heads" if fields.has("mamba_n_heads") else "num_attention_heads"
    alone = fields.has("state_size")
    heads = fields.integer(name) if alone or name == "mamba_n_heads" else None
    if heads is None:
        found = fields.named("mamba_d_state") or fields.named("state_size") or ""
        raise fields.fail(
            found,
            f"{found} without heads is the first Mamba, whose state decays in each entry by itself; "
            "only Mamba-2, with mamba_n_heads, is derived",
        )
    width = _mamba_width(fields, heads, hidden, alone)
    state = fields.integer("mamba_d_state") or fields.integer("state_size")
    if state is None:
        raise fields.missing("mamba_d_state", "the entries of the state for each channel")
    groups = fields.integer("mamba_n_groups") or 1
    if heads % groups:
        raise fields.fail(
            fields.named("mamba_n_groups") or "",
            f"{heads} heads do not share {groups} groups of B and C evenly",
        )
    fields.say(f"a state of {heads} x {width} x {state} for each Mamba-2 layer", name)
    convolution = fields.need("mamba_d_conv", "the tokens of the short convolution")
    return LayerKind(
        "mamba2",
        known({"d_model": hidden, "H": heads, "d_v": width, "d_k": state, "G": groups, "n_c": convolution}),
    )


def _mamba_width(fields: Fields, heads: int, hidden: int | None, alone: bool) -> int:
    found = fields.named("head_dim" if alone else "mamba_d_head")
    if found is not None and fields.values[found] != "auto":
        width = fields.whole(found, fields.values[found])
        factor = fields.integer("expand") if alone else None
        if factor is not None and hidden is not None and factor * hidden != heads * width:
            raise fields.fail(
                "expand",
                f"{heads} heads of {width} ({found}) are not "
                f"expand x hidden_size = {factor} x {hidden} channels",
            )
        return width
    inner = fields.integer("mamba_d_ssm")
    if inner is None:
        factor = fields.integer("mamba_expand") or fields.integer("expand")
        if factor is None:
            raise fields.missing("mamba_d_head", "the channels of a head")
        inner = factor * fields.need(
            "hidden_size", "the model width, of which the inner channels are a multiple"
        )
    if inner % heads:
        raise fields.fail(
            found or "mamba_expand", f"{shown(inner)} inner channels are no multiple of the {heads} heads"
        )
    return inner // heads


def _lightning(fields: Fields) -> LayerKind:
    hidden = fields.want("hidden_size", "the model width")
    heads = fields.need("num_attention_heads", "the heads of the state")
    width = fields.integer("head_dim")
    if width is None:
        if hidden is None:
            raise fields.missing("head_dim", "the width of a head, or hidden_size, a multiple of the heads")
        if hidden % heads:
            raise fields.fail(
                "hidden_size", f"no head_dim, and hidden_size {hidden} is no multiple of {heads} heads"
            )
        width = hidden // heads
    name = "attn_type_list" if fields.has("attn_type_list") else "linear_attn_alpha_factor"
    fields.say(
        f"a state of {heads} x {width} x {width} for each lightning layer: one for each query head", name
    )
    return LayerKind("lightning", known({"d_model": hidden, "H": heads, "d_k": width, "d_v": width}))
