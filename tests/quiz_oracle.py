"""The cost of attention a second time, by hand: closed forms that know nothing of the package.

Every figure is written from the equations of a variant and from docs/conventions.md: a product costs 2 FLOPs
for each point of its index space, so each is spelled out as the sizes of its indices multiplied; a byte is
counted when a row crosses the edge of the core, once. quiz_loops.py counts the same one multiplication at a
time, for sizes small enough. Nothing of `derivations` is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, prod

HEADED = ("mha", "gqa", "mqa")
LATENT = ("mla", "dsa")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question in plain names and numbers; the sizes are those of a whole layer, not of a rank."""

    variant: str
    """mha, gqa, mqa, mla, dsa, lightning or kda."""
    options: frozenset[str] = frozenset()
    """rope, query-latent, window."""
    order: str = "direct"
    """absorb or expand for a latent; direct elsewhere."""
    scope: str = "core"
    """core, attention, attention+weights or kernel."""
    pairs: str = "full"
    """full, or causal: a query sees the tokens up to its own."""
    formed: str = "read"
    """Formed keys and values: read, write+read, streamed or cached."""
    kept: str = "copied"
    """The RoPE key beside cached expanded keys: copied into each head's row, or once."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Size of each symbol, L and S with them."""
    width: Fraction = Fraction(2)
    """Bytes of an element."""
    widths: Mapping[str, Fraction] = field(default_factory=dict)
    """Bytes of an element of one cached tensor, where they are others."""
    tp: int = 1
    """Ranks that share the heads."""
    layers: int = 1
    """Layers of this kind."""
    batch: int = 1
    """Sequences."""
    peak: Fraction = Fraction(0)
    """FLOP/s."""
    bandwidth: Fraction = Fraction(0)
    """B/s."""

    def size(self, name: str) -> int:
        """The size of one symbol."""
        return self.sizes[name]

    def at(self, **sizes: int) -> Case:
        """The same question at other sizes."""
        return replace(self, sizes={**self.sizes, **sizes})


@dataclass(frozen=True, slots=True)
class Row:
    """What one context token keeps of one tensor."""

    tensor: str
    """Its name."""
    copies: int
    """Heads that have a row of their own, on one rank."""
    width: int
    """Elements of a row."""


# Heads of the largest rank


def query_heads(case: Case) -> int:
    """Query heads of the largest rank.

    Key/value heads are dealt out first; where ranks outnumber them, the queries of a group are split among
    the ranks that hold a copy of its keys.
    """
    if case.variant != "gqa":
        return ceil(Fraction(case.size("H"), case.tp))
    kv_heads, group = case.size("H_kv"), case.size("H_q") // case.size("H_kv")
    if case.tp <= kv_heads:
        return ceil(Fraction(kv_heads, case.tp)) * group
    return ceil(Fraction(group, case.tp // kv_heads))


def key_heads(case: Case) -> int:
    """Key/value heads of the largest rank: never fewer than one, never more than there are."""
    if case.variant == "mqa":
        return 1
    heads = case.size("H_kv") if case.variant == "gqa" else case.size("H")
    return max(1, ceil(Fraction(heads, case.tp)))


# What a token keeps


def kept_rows(case: Case) -> tuple[Row, ...]:
    """The rows that one token adds to the caches of one layer of one rank."""
    if case.variant in HEADED:
        heads = key_heads(case)
        return Row("K", heads, case.size("d_k")), Row("V", heads, case.size("d_v"))
    if case.variant not in LATENT:
        return ()
    # The latent and the RoPE key have no head index: every rank has all of both.
    rope = (Row("K_R", 1, case.size("d_r")),) if "rope" in case.options else ()
    index = (Row("K_I", 1, case.size("d_I")),) if case.variant == "dsa" else ()
    if case.order == "expand" and case.formed == "cached":
        heads = query_heads(case)
        if rope and case.kept == "copied":
            rope = (Row("K_R", heads, case.size("d_r")),)
        return Row("K", heads, case.size("d_k")), Row("V", heads, case.size("d_v")), *rope, *index
    return Row("C", 1, case.size("d_c")), *rope, *index


def bytes_of(case: Case, rows: tuple[Row, ...]) -> Fraction:
    """Bytes of these rows of one token."""
    return sum(
        (row.copies * row.width * case.widths.get(row.tensor, case.width) for row in rows), start=Fraction(0)
    )


def cache_elements(case: Case) -> int:
    """Elements a token keeps, over the layers."""
    return case.layers * sum(row.copies * row.width for row in kept_rows(case))


def cache_bytes(case: Case) -> Fraction:
    """Bytes a token keeps, over the layers."""
    return case.layers * bytes_of(case, kept_rows(case))


def held_tokens(case: Case) -> int:
    """Tokens of a sequence whose rows are still kept."""
    return min(case.size("L"), case.size("n_w")) if "window" in case.options else case.size("L")


def sequence_bytes(case: Case) -> Fraction:
    """Bytes that the sequences of the batch keep, over the layers."""
    return case.batch * held_tokens(case) * cache_bytes(case)


# Which pairs and rows count


def positions(case: Case) -> range:
    """The 1-based positions of the query tokens: the last S of the context."""
    length, queries = case.size("L"), case.size("S")
    return range(length - queries + 1, length + 1)


def reach(case: Case) -> int | None:
    """The most tokens a query may see, where a mask says so."""
    if "window" in case.options:
        return case.size("n_w")
    return case.size("n") if case.variant == "dsa" else None


def seen_pairs(case: Case) -> int:
    """Pairs of a query token and a context token it counts."""
    length, queries, limit = case.size("L"), case.size("S"), reach(case)
    if case.pairs == "full":
        return queries * (length if limit is None else min(length, limit))
    if limit is None:
        return queries * length - queries * (queries - 1) // 2
    return sum(min(position, limit) for position in positions(case))


def read_rows(case: Case) -> int:
    """Context tokens whose rows the core reads."""
    length, queries = case.size("L"), case.size("S")
    if "window" in case.options:
        return min(length, case.size("n_w") + queries - 1)
    if case.variant == "dsa":
        return min(length, queries * case.size("n"))
    return length


# FLOPs of one layer


def product_flops(*sizes: int) -> int:
    """2 for each point of an index space, given by the sizes of its indices."""
    return 2 * prod(sizes)


def core_flops(case: Case) -> int:
    """Scores and weighted sums of one layer and the whole batch."""
    batch, heads = case.batch, query_heads(case)
    if case.variant not in (*HEADED, *LATENT):
        return state_flops(case)
    pairs = seen_pairs(case)
    if case.variant in LATENT and case.order == "absorb":
        scores = product_flops(batch, heads, pairs, case.size("d_c"))
        sums = product_flops(batch, heads, pairs, case.size("d_c"))
    else:
        scores = product_flops(batch, heads, pairs, case.size("d_k"))
        sums = product_flops(batch, heads, pairs, case.size("d_v"))
    if case.variant in LATENT and "rope" in case.options:
        scores += product_flops(batch, heads, pairs, case.size("d_r"))
    return scores + sums


def lift_flops(case: Case) -> int:
    """What the up-projections W_UK and W_UV cost in one layer: on query tokens absorbed, on rows expanded."""
    if case.variant not in LATENT:
        return 0
    if case.order == "absorb" or case.formed == "cached":
        tokens = case.size("S")
    else:
        tokens = read_rows(case)
    keys = product_flops(case.batch, query_heads(case), tokens, case.size("d_c"), case.size("d_k"))
    values = product_flops(case.batch, query_heads(case), tokens, case.size("d_c"), case.size("d_v"))
    return keys + values


def state_flops(case: Case) -> int:
    """A linear layer: the outer product of key and value added to the decayed state, and the query times it."""
    if case.variant != "lightning":
        raise NotImplementedError(f"FLOPs of {case.variant}")
    shape = (case.batch, query_heads(case), case.size("S"), case.size("d_k"), case.size("d_v"))
    decay = product_flops(case.batch, query_heads(case), case.size("S"), case.size("d_k"), case.size("d_v"))
    return product_flops(*shape) + product_flops(*shape) + decay


def flops(case: Case) -> int:
    """FLOPs of the scope, over the layers."""
    lifted = case.scope in ("attention", "attention+weights")
    return case.layers * (core_flops(case) + (lift_flops(case) if lifted else 0))


# Bytes of one layer


def row_bytes(case: Case) -> Fraction:
    """Cached rows that are read, and formed ones that move, in one layer of one sequence."""
    kept = tuple(row for row in kept_rows(case) if row.tensor != "K_I")
    read = read_rows(case) * bytes_of(case, kept)
    if case.variant not in LATENT or case.order == "absorb" or case.formed in ("streamed", "cached"):
        return read
    heads = query_heads(case)
    times = 2 if case.formed == "write+read" else 1
    formed = Row("K", heads, case.size("d_k")), Row("V", heads, case.size("d_v"))
    return read + times * read_rows(case) * bytes_of(case, formed)


def lift_weight_bytes(case: Case) -> Fraction:
    """W_UK and W_UV of one layer and rank, read once for the whole batch."""
    if case.variant not in LATENT:
        return Fraction(0)
    return case.width * query_heads(case) * case.size("d_c") * (case.size("d_k") + case.size("d_v"))


def state_elements(case: Case) -> int:
    """Elements of the state of one sequence, layer and rank."""
    if case.variant not in ("lightning", "kda"):
        return 0
    return query_heads(case) * case.size("d_k") * case.size("d_v")


def state_bytes(case: Case) -> Fraction:
    """Bytes of the states of the batch, over the layers."""
    return case.layers * case.batch * state_elements(case) * case.widths.get("M", case.width)


def moved_bytes(case: Case) -> Fraction:
    """Bytes of the scope, over the layers."""
    state = 2 * state_bytes(case)  # read, and written back
    rows = case.layers * case.batch * row_bytes(case)
    if case.scope == "attention+weights":
        return rows + state + case.layers * lift_weight_bytes(case)
    if case.scope == "kernel":
        raise NotImplementedError("activations at the edge of the core")
    return rows + state


# What follows from FLOPs and bytes


def intensity(case: Case) -> Fraction:
    """FLOPs for each byte."""
    return flops(case) / moved_bytes(case)


def ridge(case: Case) -> Fraction:
    """FLOPs for each byte at which peak and bandwidth balance."""
    return case.peak / case.bandwidth


def read_seconds(case: Case) -> Fraction:
    """Time to move the bytes at the full bandwidth."""
    return moved_bytes(case) / case.bandwidth


def roofline_seconds(case: Case) -> Fraction:
    """Time of one kernel: arithmetic or memory, whichever takes longer."""
    return max(flops(case) / case.peak, read_seconds(case))


def queries_at_the_ridge(case: Case) -> Fraction:
    """The S at which the core's intensity is the ridge; each query adds the same FLOPs, none adds bytes.

    The slope comes from two counts, so pairs must be full and no mask may tie rows to S.
    """
    one, two = case.at(S=1), case.at(S=2)
    if case.pairs != "full" or moved_bytes(one) != moved_bytes(two) or flops(two) != 2 * flops(one):
        raise NotImplementedError("an intensity that is no multiple of S")
    return ridge(case) / intensity(one)


def free_queries(case: Case) -> int:
    """The most query tokens for which the kernel still waits for memory."""
    return floor(queries_at_the_ridge(case))


def crossover_queries(case: Case) -> Fraction | None:
    """The S* at which absorb and expand cost the same, keys and values formed in each step; None if never.

    Both sides are lines in S, so two counts of each give them. Only for pairs in full and without a mask.
    """
    if case.pairs != "full" or reach(case) is not None:
        raise NotImplementedError("sides that are no lines in S")
    absorb, expand = replace(case, order="absorb"), replace(case, order="expand")
    gap = [flops(absorb.at(S=queries)) - flops(expand.at(S=queries)) for queries in (0, 1)]
    slope = gap[1] - gap[0]
    if slope <= 0:
        return None
    return Fraction(-gap[0], slope)


def in_decimal(value: Fraction, prefix: str) -> Fraction:
    """Bytes in kB, MB, GB, TB."""
    return value / 1000 ** (" kMGT".index(prefix))


def in_binary(value: Fraction, prefix: str) -> Fraction:
    """Bytes in KiB, MiB, GiB, TiB."""
    return value / 1024 ** (" KMGT".index(prefix))
