"""Which kind each layer is, from whatever fields say so; fields that both say it must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..errors import InputError, Place
from .fields import Fields, shown

__all__ = ["WORDS", "layer_words"]

FULL, SLIDING, CHUNKED, RECURRENT, MAMBA, MLP, CSA, HCA, CONV = (
    "full", "sliding", "chunked", "recurrent", "mamba", "mlp", "csa", "hca", "conv"
)  # fmt: skip
WORDS = {
    "full_attention": FULL, "attention": FULL, "global": FULL, "full": FULL, "global_attention": FULL,
    "indexed_attention": FULL, "deepseek_sparse_attention": FULL,
    "sliding_attention": SLIDING, "local": SLIDING, "sliding": SLIDING, "local_attention": SLIDING,
    "sliding_window": SLIDING, "swa": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": RECURRENT, "mamba": MAMBA, "mamba2": MAMBA, "kda": RECURRENT, "gdn": RECURRENT,
    "recurrent": RECURRENT,
    "compressed_sparse_attention": CSA, "heavily_compressed_attention": HCA,
    "conv": CONV, "mlp": MLP, "moe": MLP,
}  # fmt: skip
"""What released files call a layer -> the kind it is."""
_LETTERS = {"M": MAMBA, "*": FULL, "-": MLP, "E": MLP}
MOST_LAYERS = 10_000
Said = tuple[str, tuple[str, ...]]
"""The field that said it, and a kind for each layer."""


def layer_words(fields: Fields) -> tuple[str, ...]:
    """A kind for each layer. Raises InputError where fields contradict each other or do not say enough."""
    count = fields.integer("num_hidden_layers", most=MOST_LAYERS)
    found: list[Said] = []
    for reader in _READERS:
        for name, words in reader(fields, count):
            if count is None:
                count = len(words)
                fields.say(f"{count} layers, one for each entry", name)
            found.append((name, _fitted(fields, name, words, count)))
    if count is None:
        raise fields.missing("num_hidden_layers", "the number of layers")
    if not found:
        found.append(_without_list(fields, count))
    first, words = found[0]
    for name, other in found[1:]:
        if any(not _alike(*pair) for pair in zip(words, other, strict=True)):
            place = next(i for i, pair in enumerate(zip(words, other, strict=True)) if not _alike(*pair))
            raise fields.fail(
                name,
                f"{first} makes layer {place} {words[place]} and {name} makes it {other[place]}; one is wrong",
            )
    if first:
        kinds = ", ".join(f"{words.count(kind)} {kind}" for kind in dict.fromkeys(words))
        fields.say(f"layers by kind: {kinds}", first)
    return words


def _alike(one: str, two: str) -> bool:
    """Whether two sources say the same of a layer; that it is recurrent says less than that it is Mamba."""
    return one == two or {one, two} == {RECURRENT, MAMBA}


def _fitted(fields: Fields, name: str, words: tuple[str, ...], count: int) -> tuple[str, ...]:
    """As many entries as layers; the modules for multi-token prediction may follow."""
    extra = fields.integer("num_nextn_predict_layers", least=0) or 0
    if len(words) == count:
        return words
    if len(words) == count + extra:
        fields.say(f"its last {extra} of {len(words)} entries are modules for multi-token prediction", name)
        return words[:count]
    raise fields.fail(name, f"{name} has {len(words)} entries for {count} layers (num_hidden_layers)")


def _listed(fields: Fields, count: int | None) -> Iterator[Said]:
    """Lists of words."""
    for name in ("layer_types", "layers_block_type", "attention_layers"):
        entries = fields.values.get(name)
        if entries is None:
            continue
        fields.used.add(name)
        if not isinstance(entries, list) or not entries:
            raise fields.fail(name, f"expected a list of words, found {shown(entries)}")
        yield name, tuple(_word(fields, name, entry) for entry in entries)


def _word(fields: Fields, name: str, entry: object) -> str:
    if isinstance(entry, str) and entry in WORDS:
        return WORDS[entry]
    known = ", ".join(sorted(WORDS))
    raise fields.fail(name, f"unknown kind of layer '{shown(entry)}' in {name}; known: {known}")


def _pairs(fields: Fields, count: int | None) -> Iterator[Said]:
    """Runs of words with how often each comes: `[[["global", "local"], 12]]`."""
    runs = fields.get("attention_types")
    if runs is None:
        return
    words: list[str] = []
    for run in runs if isinstance(runs, list) else [None]:
        if not (isinstance(run, list) and len(run) == 2 and isinstance(run[0], list)):
            raise fields.fail("attention_types", f"expected runs such as [[words], times], found {shown(runs)}")
        times = fields.whole("attention_types", run[1], 1, MOST_LAYERS)
        words += [_word(fields, "attention_types", word) for word in run[0]] * times
    if words:
        yield "attention_types", tuple(words)


def _letters(fields: Fields, count: int | None) -> Iterator[Said]:
    text = fields.get("hybrid_override_pattern")
    if text is None:
        return
    if not isinstance(text, str) or not text or set(text) - set(_LETTERS):
        raise fields.fail(
            "hybrid_override_pattern", f"expected a text of M, *, - and E, one a layer, found {shown(text)}"
        )
    yield "hybrid_override_pattern", tuple(_LETTERS[letter] for letter in text)


def _numbers(fields: Fields, count: int | None) -> Iterator[Said]:
    """Lists of 0 and 1."""
    tables = {"attn_type_list": (RECURRENT, FULL), "hybrid_layer_pattern": (FULL, SLIDING)}
    if fields.has("attention_chunk_size"):
        tables["no_rope_layers"] = (FULL, CHUNKED)
    for name, kinds in tables.items():
        entries = fields.listed(name)
        if entries is not None:
            yield name, tuple(kinds[fields.whole(name, entry, 0, 1)] for entry in entries)


def _ratios(fields: Fields, count: int | None) -> Iterator[Said]:
    """Rows pooled into one entry, for each layer: 0 none, 4 with an index, 128 all entries."""
    entries = fields.listed("compress_ratios")
    if entries is None:
        return
    kinds = {0: SLIDING, 4: CSA, 128: HCA}
    for entry in entries:
        if fields.whole("compress_ratios", entry, 0) not in kinds:
            raise fields.fail(
                "compress_ratios",
                f"the ratio {entry} is not understood: published files have 0 (a window alone), 4 "
                "(pooled rows that "
                "an index selects) and 128 (pooled rows, all of them)",
            )
    yield "compress_ratios", tuple(kinds[entry] for entry in entries)


def _indices(fields: Fields, count: int | None) -> Iterator[Said]:
    """Lists of layer numbers."""
    inner = fields.inner("linear_attn_config")
    if inner is not None and (inner.has("full_attn_layers") or inner.has("kda_layers")):
        full, other = inner.listed("full_attn_layers") or (), inner.listed("kda_layers") or ()
        total = count if count is not None else len(full) + len(other)
        for name, entries in (("full_attn_layers", full), ("kda_layers", other)):
            for entry in entries:
                inner.whole(name, entry, 1, total)
        if sorted((*full, *other)) != [*range(1, total + 1)]:
            raise inner.fail(
                "full_attn_layers",
                f"full_attn_layers and kda_layers together must name each of the layers 1 to {total} "
                "once; they have "
                f"{len(full)} and {len(other)} entries",
            )
        yield "linear_attn_config", tuple(FULL if i + 1 in set(full) else RECURRENT for i in range(total))
    for name in ("attn_layer_indices", "full_attn_idxs"):
        numbers = fields.listed(name)
        if numbers is not None and count is not None:
            chosen = {fields.whole(name, entry, 0, count - 1) for entry in numbers}
            other_kind = CONV if name == "full_attn_idxs" else RECURRENT
            yield name, tuple(FULL if i in chosen else other_kind for i in range(count))


def _intervals(fields: Fields, count: int | None) -> Iterator[Said]:
    """Every so many layers another kind."""
    if count is None:
        return
    every = fields.integer("full_attention_interval", most=MOST_LAYERS)
    if every is not None:
        named = fields.named("full_attention_interval") or ""
        rest = SLIDING if named == "global_attn_every_n_layers" else RECURRENT
        words = _every(every, FULL, rest, count)
        if named == "layer_group_size":  # what is left after the last whole group has softmax too
            whole = count // every * every
            words = (*words[:whole], *(FULL for _ in words[whole:]))
        yield named, words
    pattern = fields.named("sliding_window_pattern")
    letters = fields.values[pattern] if pattern is not None else None
    if pattern is not None and isinstance(letters, str) and letters and not {*letters} - {"L", "G"}:
        yield pattern, tuple(FULL if letters[i % len(letters)] == "G" else SLIDING for i in range(count))
    elif pattern is not None and _window(fields):
        size = fields.integer("sliding_window_pattern", most=MOST_LAYERS)
        yield pattern, _every(size or 1, FULL, SLIDING, count)
    if fields.has("attention_chunk_size") and fields.listed("no_rope_layers") is None:
        size = fields.integer("no_rope_layer_interval", most=MOST_LAYERS)
        if size is not None:
            yield "no_rope_layer_interval", _every(size, FULL, CHUNKED, count)
    period = fields.integer("attn_layer_period", most=MOST_LAYERS)
    if period is not None:
        offset = fields.integer("attn_layer_offset", least=0, most=MOST_LAYERS)
        if offset is None:
            raise fields.missing("attn_layer_offset", "attn_layer_period says how often, not where to begin")
        yield "attn_layer_period", tuple(FULL if i % period == offset else RECURRENT for i in range(count))
    if fields.flag("use_sliding_window") and fields.has("max_window_layers") and not fields.has("layer_types"):
        first = fields.need("max_window_layers", "the first layer with a window", 0)
        yield "max_window_layers", tuple(SLIDING if i >= first else FULL for i in range(count))


def _every(size: int, at: str, rest: str, count: int) -> tuple[str, ...]:
    return tuple(at if (i + 1) % size == 0 else rest for i in range(count))


_READERS: tuple[Callable[[Fields, int | None], Iterator[Said]], ...] = (
    _listed, _pairs, _letters, _numbers, _ratios, _indices, _intervals,
)  # fmt: skip


def _window(fields: Fields) -> bool:
    """Whether there is a window at all: a positive size, and not switched off."""
    found = fields.named("sliding_window")
    if found is None and fields.flag("use_sliding_window"):
        raise fields.missing("sliding_window", "use_sliding_window says that there is one")
    if found is None or fields.values[found] is False:
        return False
    size = fields.whole(found, fields.values[found], -1)
    switch = fields.flag("use_sliding_window")
    if switch and size <= 0:
        raise fields.fail(found, f"use_sliding_window is true, and {found} is {size}; one of them is wrong")
    return size > 0 and switch is not False


_RECURRENT_FIELDS = (
    "mamba_n_heads", "mamba_d_state", "linear_num_value_heads", "linear_num_heads", "linear_attn_config",
    "linear_attn_alpha_factor",
)  # fmt: skip


def _without_list(fields: Fields, count: int) -> Said:
    """All layers alike, where nothing says that they are not."""
    if fields.has("state_size"):
        return "state_size", (RECURRENT,) * count
    for name in _RECURRENT_FIELDS:
        found = fields.named(name)
        if found is not None and fields.has("num_attention_heads"):
            raise InputError(
                f"{found} says that layers are recurrent, and no field says which: layer_types or "
                "full_attention_interval would, also by --assume; layers with attention and a state "
                "side by side are "
                "not read",
                Place(fields.file, fields.place(found).line),
            )
    if fields.has("attention_chunk_size"):
        raise fields.missing(
            "no_rope_layer_interval", "attention_chunk_size says that some layers see one chunk, not which"
        )
    if not _window(fields):
        return "", (FULL,) * count
    if fields.get("cache_implementation") == "hybrid" or fields.has("attn_logit_softcapping"):
        raise fields.missing(
            "sliding_window_pattern",
            "there are layers with a window and layers without, and no field says which (every n-th is full)",
        )
    return "sliding_window", (SLIDING,) * count
