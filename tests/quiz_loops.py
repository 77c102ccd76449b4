"""The cost of attention by brute force: every multiplication and every element of tiny sizes, one by one.

A rank runs its query heads through the equations as written, index by index. Each innermost turn is one
multiply-add, and notes which elements of which tensors it takes. Nothing of `derivations` is imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from quiz_case import HEADED, LATENT, Case

Element = tuple[str | int, ...]


@dataclass
class Counts:
    """What one rank did."""

    core: int = 0
    """Multiply-adds of scores and weighted sums, or of a state."""
    lift: int = 0
    """Multiply-adds of the up-projections."""
    cached: set[Element] = field(default_factory=set)
    """Elements of cached tensors that were read."""
    formed: set[Element] = field(default_factory=set)
    """Elements of keys and values formed in this step."""
    weights: set[Element] = field(default_factory=set)
    """Elements of the up-projections."""
    state: set[Element] = field(default_factory=set)
    """Elements of the state, read and written."""
    edge: set[Element] = field(default_factory=set)
    """Elements of queries that the core takes and of sums that it gives."""


def dealt(case: Case) -> list[list[int]]:
    """The query heads of each rank: key/value heads in runs, a group split among the holders of its keys."""
    if case.variant != "gqa":
        return [list(run) for run in runs(case.size("H"), case.tp)]
    kv_heads, group = case.size("H_kv"), case.size("H_q") // case.size("H_kv")
    if case.tp <= kv_heads:
        return [[g * group + i for g in run for i in range(group)] for run in runs(kv_heads, case.tp)]
    ranks: list[list[int]] = []
    for g in range(kv_heads):
        holders = [rank for rank in range(case.tp) if rank % kv_heads == g]
        ranks += [[g * group + i for i in run] for run in runs(group, len(holders))]
    return ranks


def runs(count: int, ranks: int) -> Iterator[range]:
    """Runs of indices, as long as the longest but for the last ones."""
    longest = -(-count // ranks)
    for rank in range(ranks):
        yield range(min(count, rank * longest), min(count, (rank + 1) * longest))


def visible(case: Case, query: int) -> Iterable[int]:
    """The context tokens that one query token counts, 0-based."""
    length, queries = case.size("L"), case.size("S")
    before = range(length - queries + query + 1)  # itself and all before
    if "window" in case.options:
        window = min(length, case.size("n_w"))
        if case.pairs == "causal":
            return before[-window:]
        first = max(0, len(before) - window)  # counted in full, a window is never short of tokens
        return range(first, first + window)
    seen = before if case.pairs == "causal" else range(length)
    if case.variant == "dsa":
        # Rows that no other query picked come first: the most rows that can be read together.
        chosen = min(len(seen), case.size("n"))
        start = query * case.size("n")
        return [seen[(start + step) % len(seen)] for step in range(chosen)]
    return seen


def ranks_of(case: Case) -> list[Counts]:
    """What every rank does in one layer, for the whole batch."""
    return [rank_counts(case, heads) for heads in dealt(case)]


def rank_counts(case: Case, heads: list[int]) -> Counts:
    """What a rank with these query heads does."""
    counts = Counts()
    for sequence in range(case.batch):
        if case.variant in HEADED:
            headed(case, heads, sequence, counts)
        elif case.variant in LATENT and case.order == "absorb":
            absorbed(case, heads, sequence, counts)
        elif case.variant in LATENT:
            expanded(case, heads, sequence, counts)
        else:
            recurrent(case, heads, sequence, counts)
    return counts


def key_head(case: Case, head: int) -> int:
    """The key/value head that a query head uses."""
    if case.variant == "mqa":
        return 0
    return head // (case.size("H_q") // case.size("H_kv")) if case.variant == "gqa" else head


def headed(case: Case, heads: list[int], sequence: int, counts: Counts) -> None:
    """Keys and values come from the cache as they are."""
    for head, query in product(heads, range(case.size("S"))):
        own = key_head(case, head)
        for token in visible(case, query):
            for k in range(case.size("d_k")):
                counts.core += 1
                counts.edge.add(("Q", sequence, head, query, k))
                counts.cached.add(("K", sequence, own, token, k))
            for v in range(case.size("d_v")):
                counts.core += 1
                counts.edge.add(("O", sequence, head, query, v))
                counts.cached.add(("V", sequence, own, token, v))


def rotated(case: Case, head: int, query: int, token: int, sequence: int, counts: Counts) -> None:
    """The RoPE part of one score."""
    if "rope" not in case.options:
        return
    own_copy = case.order == "expand" and case.formed == "cached" and case.kept == "copied"
    for r in range(case.size("d_r")):
        counts.core += 1
        counts.edge.add(("Q_R", sequence, head, query, r))
        counts.cached.add(("K_R", sequence, *([head] if own_copy else []), token, r))


def absorbed(case: Case, heads: list[int], sequence: int, counts: Counts) -> None:
    """The query is taken into the latent, its result out of it; the context stays latent."""
    for head, query in product(heads, range(case.size("S"))):
        for c, k in product(range(case.size("d_c")), range(case.size("d_k"))):
            counts.lift += 1
            counts.weights.add(("W_UK", head, c, k))
        for token in visible(case, query):
            for c in range(case.size("d_c")):
                counts.core += 1  # the score
                counts.edge.add(("Q W_UK", sequence, head, query, c))
                counts.cached.add(("C", sequence, token, c))
            rotated(case, head, query, token, sequence, counts)
            for c in range(case.size("d_c")):
                counts.core += 1  # the weighted sum
                counts.edge.add(("P C", sequence, head, query, c))
                counts.cached.add(("C", sequence, token, c))
        for c, v in product(range(case.size("d_c")), range(case.size("d_v"))):
            counts.lift += 1
            counts.weights.add(("W_UV", head, c, v))


def expanded(case: Case, heads: list[int], sequence: int, counts: Counts) -> None:
    """Keys and values of all rows in use are made from the latent, or were kept."""
    keeps = case.formed == "cached"
    queries = range(case.size("S"))
    used = sorted({token for query in queries for token in visible(case, query)})
    new = range(case.size("L") - case.size("S"), case.size("L"))
    home = counts.cached if keeps else counts.formed
    for head, token in product(heads, new if keeps else used):
        for c in range(case.size("d_c")):
            if not keeps:
                counts.cached.add(("C", sequence, token, c))
            for k in range(case.size("d_k")):
                counts.lift += 1
                counts.weights.add(("W_UK", head, c, k))
            for v in range(case.size("d_v")):
                counts.lift += 1
                counts.weights.add(("W_UV", head, c, v))
    for head, query in product(heads, queries):
        for token in visible(case, query):
            for k in range(case.size("d_k")):
                counts.core += 1
                counts.edge.add(("Q", sequence, head, query, k))
                home.add(("K", sequence, head, token, k))
            rotated(case, head, query, token, sequence, counts)
            for v in range(case.size("d_v")):
                counts.core += 1
                counts.edge.add(("O", sequence, head, query, v))
                home.add(("V", sequence, head, token, v))


def recurrent(case: Case, heads: list[int], sequence: int, counts: Counts) -> None:
    """A state, token by token: decay it, add key times value, multiply it with the query."""
    for head, _ in product(heads, range(case.size("S"))):
        for k, v in product(range(case.size("d_k")), range(case.size("d_v"))):
            counts.core += 1  # the decay, counted like a multiply-add
            counts.core += 1  # key times value, added
            counts.core += 1  # the query
            counts.state.add(("M", sequence, head, k, v))
