"""One question about attention in plain names and numbers, and what its equations say of heads, rows and pairs.

Written by hand from the equations of each variant and from docs/conventions.md; nothing of `derivations` is
imported here, nor in quiz_oracle.py and quiz_loops.py, which count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

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
    """Sequences that the figure is of."""
    together: int = 1
    """Sequences that run together, whatever the figure is of."""
    several: bool = False
    """Whether a step has several query tokens."""
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
