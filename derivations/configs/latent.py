"""Layers that keep a latent, or one row for all heads: MLA, an indexer before it, pooled rows."""

from __future__ import annotations

from .fields import Fields
from .grouped import LayerKind, known

__all__ = ["index_shared", "latent", "pooled"]


def latent(fields: Fields, shared_index: bool) -> LayerKind:
    """Multi-head latent attention; with index fields, on the rows an indexer selects."""
    heads = fields.want("num_attention_heads", "the number of query heads")
    nope = fields.want("qk_nope_head_dim", "the width of a head's key, made from the latent")
    rope = fields.integer("qk_rope_head_dim", least=0)
    if rope is None and "qk_rope_head_dim" not in fields.nulls:
        raise fields.missing(
            "qk_rope_head_dim", "the segment of a key that all heads share; 0 where there is none"
        )
    rope = rope or 0
    dims = known({
        "d_model": fields.want("hidden_size", "the model width"), "H": heads,
        "d_c": fields.need("kv_lora_rank", "the width of the latent"), "d_k": nope,
        "d_v": fields.want("v_head_dim", "the width of a head's values, made from the latent"),
    })  # fmt: skip
    whole = fields.integer("qk_head_dim")
    if whole is not None and nope is not None and whole != nope + rope:
        raise fields.fail(
            "qk_head_dim", f"qk_head_dim is {whole}, and qk_nope_head_dim + qk_rope_head_dim is {nope} + {rope}"
        )
    fields.say("one latent row for all heads", "kv_lora_rank")
    for stray in ("num_key_value_heads", "head_dim"):
        if fields.has(stray):
            fields.say("not used: keys and values come from the latent", stray)
    options = []
    if rope:
        options.append("rope")
        dims["d_r"] = rope
        turned = "not rotated" if fields.flag("mla_use_nope") else "rotated"
        fields.say(f"a key segment that all heads share, {turned}, kept beside the latent", "qk_rope_head_dim")
    query = fields.integer("q_lora_rank", least=0) or 0
    if query:
        options.append("query-latent")
        dims["d_q"] = query
        fields.say("queries come from a latent of their own", "q_lora_rank")
    indexed = [
        name for name in ("index_n_heads", "index_head_dim", "index_topk", "indexer_types") if fields.has(name)
    ]
    if not indexed:
        gated = [name for name in ("mla_use_output_gate",) if fields.flag(name)]
        if gated:
            options.append("gate")
            fields.say("the heads' results pass a gate", *gated)
        return LayerKind("+".join(("mla", *options)), dims)
    selected = fields.need("index_topk", f"{indexed[0]} says that rows are selected, this how many")
    if shared_index:
        fields.say(
            "layers called shared use the rows that the index of an earlier layer selected", *_sharing(fields)
        )
        return LayerKind("+".join(("mla", *options, "selected")), {**dims, "n": selected})
    fields.say("an indexer selects the rows attention sees, and keeps a key of its own for each", *indexed)
    dims |= {
        "H_I": fields.need("index_n_heads", "the heads of the indexer"),
        "d_I": fields.need("index_head_dim", "the width of an index key"), "n": selected,
    }  # fmt: skip
    return LayerKind("+".join(("dsa", *options)), dims)


def _sharing(fields: Fields) -> list[str]:
    names = ("indexer_types", "index_topk_pattern", "index_topk_freq", "index_skip_topk_offset")
    return [name for name in names if fields.has(name)]


def index_shared(fields: Fields, count: int) -> tuple[bool, ...]:
    """For each layer whether it uses the rows that an earlier layer's index selected."""
    types = fields.listed("indexer_types")
    pattern = fields.get("index_topk_pattern")
    name = "indexer_types" if types is not None else "index_topk_pattern"
    entries = types if types is not None else pattern
    if entries is not None:
        known = {"full": False, "shared": True, "F": False, "S": True}
        if not isinstance(entries, str | list | tuple) or not all(
            isinstance(entry, str) and entry in known for entry in entries
        ):
            raise fields.fail(name, f"expected `full` or `shared` for each layer in {name}")
        if len(entries) != count:
            raise fields.fail(name, f"{name} has {len(entries)} entries for {count} layers (num_hidden_layers)")
        return tuple(known[entry] for entry in entries)
    every = fields.integer("index_topk_freq")
    offset = fields.integer("index_skip_topk_offset", least=0)
    if every is None or every == 1:
        return (False,) * count
    if offset is None:
        raise fields.missing(
            "index_skip_topk_offset", "index_topk_freq says how often an index is made, not where"
        )
    return tuple(max(i - offset + 1, 0) % every != 0 for i in range(count))


def pooled(fields: Fields, word: str, window: int, ratio: int) -> LayerKind:
    """One row for all heads that is both key and value: a window of rows, and rows pooled into entries."""
    heads = fields.want("num_attention_heads", "the number of query heads")
    kv = fields.need(
        "num_key_value_heads", "rows that are pooled are the same for all heads, so this must be 1"
    )
    if kv != 1:
        raise fields.fail(
            fields.named("num_key_value_heads") or "",
            f"pooled rows of {kv} key/value heads are not understood; published files with "
            "compress_ratios have 1",
        )
    dims = known({
        "d_model": fields.want("hidden_size", "the model width"), "H": heads,
        "d_k": fields.need("head_dim", "the width of a row"), "n_w": window,
    })  # fmt: skip
    rotated = fields.integer("qk_rope_head_dim", least=0)
    if rotated:
        fields.say("rotated inside the row, so nothing is kept beside it", "qk_rope_head_dim")
    options = []
    query = fields.integer("q_lora_rank", least=0) or 0
    if query:
        options.append("query-latent")
        dims["d_q"] = query
    if fields.has("o_lora_rank"):
        options.append("output-latent")
        dims["d_o"] = fields.need("o_lora_rank", "the rank of the output projection")
        dims["G"] = fields.need("o_groups", "o_lora_rank is for each of so many groups of heads")
        if heads is not None and heads % dims["G"]:
            raise fields.fail(
                "o_groups", f"{heads} heads (num_attention_heads) make no {dims['G']} equal groups"
            )
    fields.say("one row is the key and the value of all heads", "num_key_value_heads", "head_dim")
    if word == "sliding":
        return LayerKind("+".join(("shared-kv", "window", *options)), dims)
    dims["m"] = ratio
    if word == "hca":
        return LayerKind("+".join(("hca", *options)), dims)
    dims |= {
        "H_I": fields.need("index_n_heads", "the heads of the indexer"),
        "d_I": fields.need("index_head_dim", "the width of an index key"),
        "n": fields.need("index_topk", "how many entries a query selects"),
    }  # fmt: skip
    return LayerKind("+".join(("csa", *options)), dims)
