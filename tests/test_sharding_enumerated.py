"""The largest rank against an enumeration of what every rank has."""

from __future__ import annotations

import random
from itertools import product
from math import ceil

import pytest
from ranks import SIZES, numbers, split_of

from derivations.sharding import UNSPLIT, Split

L, DK, DV, DC, DR = (SIZES[n] for n in ("L", "d_k", "d_v", "d_c", "d_r"))


# Enumeration: which (head, token) pairs every rank has


def blocks(count: int, ranks: int) -> list[set[int]]:
    """Runs of indices, the first ranks one more than the last where they do not divide."""
    size = ceil(count / ranks)
    return [set(range(r * size, min(count, (r + 1) * size))) for r in range(ranks)]


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_rank_by_enumeration(seed):
    """Every rank's multiplications and rows one by one; the largest is what is shown."""
    rng = random.Random(seed)
    tp, cp, dp = rng.randint(1, 5), rng.randint(1, 4), rng.randint(1, 3)
    heads, tokens, batch, queries = rng.randint(1, 9), rng.randint(60, 99), rng.randint(1, 5), rng.randint(1, 4)
    sizes = {"H": heads, "L": tokens, "B": batch, "S": queries}
    ranks = list(product(blocks(heads, tp), blocks(tokens, cp), blocks(batch, dp)))
    split, knobs = Split(tp, cp, dp), {"phase": "verify"}
    pairs = [queries * sum(1 for _ in product(*rank)) for rank in ranks]
    rows = [len({(t, s) for h, t, s in product(*rank)}) for rank in ranks]
    own = [len(set(product(*rank))) for rank in ranks]
    found = numbers(split_of("mha", "direct", split, sizes, **knobs))
    assert found[:2] == (2 * max(pairs) * (DK + DV), 2 * max(own) * (DK + DV))
    found = numbers(split_of("mqa", "direct", split, sizes, **knobs))
    assert found[:2] == (2 * max(pairs) * (DK + DV), 2 * max(rows) * (DK + DV))
    found = numbers(split_of("mla+rope", "absorb", split, sizes, **knobs))
    assert found[:2] == (2 * max(pairs) * (2 * DC + DR), 2 * max(rows) * (DC + DR))


def held(heads: int, group: int, ranks: int, keys: int, queries: int) -> bool:
    """Whether query heads can go to ranks so that none has more than so many, or than so many key heads."""
    bins: set[tuple[tuple[int, int], ...]] = {((0, 0),) * ranks}
    for _ in range(heads):  # one key head after another: each rank takes some of its query heads
        bins = {
            tuple(sorted((k + (m > 0), q + m) for (k, q), m in zip(state, more, strict=True)))
            for state in bins
            for more in product(range(group + 1), repeat=ranks)
            if sum(more) == group
            and all(k + (m > 0) <= keys and q + m <= queries for (k, q), m in zip(state, more, strict=True))
        }
    return bool(bins)


@pytest.mark.parametrize(
    ("heads", "group", "ranks"),
    [(4, 2, 2), (2, 3, 4), (2, 4, 4), (3, 2, 2), (3, 5, 2), (5, 2, 3), (4, 4, 3), (2, 3, 3), (1, 5, 3)],
)
def test_groups_over_ranks_are_what_some_assignment_gives(heads, group, ranks):
    """The query and key heads shown can be reached: some assignment gives no rank more of either."""
    found = split_of("gqa", "direct", Split(tp=ranks), {"H_q": heads * group, "H_kv": heads})
    flops, moved, _, _ = numbers(found)
    queries, keys = flops // (2 * L * (DK + DV)), moved // (2 * L * (DK + DV))
    assert held(heads, group, ranks, keys, queries), f"no assignment has {keys} key and {queries} query heads"


@pytest.mark.parametrize(
    ("tokens", "queries", "ranks"), [(16, 3, 2), (12, 1, 5), (9, 1, 4), (8, 4, 4), (3, 3, 3)]
)
def test_causal_pairs_over_context_ranks(tokens, queries, ranks):
    """Token t is seen by the last queries alone; rows go to ranks as evenly as they can."""
    seen = sorted((min(queries, tokens - t) for t in range(tokens)), reverse=True)
    loads = [(0, 0)] * ranks  # (pairs, rows)
    for weight in seen:
        free = [load for load in loads if load[1] < ceil(tokens / ranks)]
        least = min(free)
        loads[loads.index(least)] = (least[0] + weight, least[1] + 1)
    knobs = {"phase": "verify", "pairs": "causal"}
    found = split_of("mqa", "direct", Split(cp=ranks), {"L": tokens, "S": queries, "H": 2}, **knobs)
    share = ceil(sum(seen) / ranks)  # pairs count as if they could be dealt out evenly
    assert numbers(found)[0] == 2 * 2 * share * (DK + DV)
    assert share <= max(loads)[0]


def test_a_share_of_a_sum_is_written_as_one():
    """ceil((L^2 + L) / 2 / 8), not L^2 / 2 + L / 16 with the division at its end."""
    from derivations.notation import Notation

    found = split_of("mqa", "direct", Split(cp=8), {}, phase="prefill", pairs="causal")
    text = Notation.of(found.study.variant.symbols, None, "prefill").text(found.flops)
    inner = text[text.index("ceil(") + 5 :].split("/8)")[0]
    assert inner.startswith("(")
    assert inner.endswith(")"), text


def test_a_window_over_context_ranks():
    """A row that no query sees is no work: the window of 24 rows on 4 ranks is at least 6 of them on one."""
    found = split_of("window-diff.yaml", "best", Split(cp=4), {})
    whole = split_of("window-diff.yaml", "best", UNSPLIT, {})
    assert numbers(found)[0] * 4 == numbers(whole)[0]
    assert numbers(found)[1] * 4 == numbers(whole)[1]
