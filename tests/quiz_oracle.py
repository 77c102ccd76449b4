"""The cost of attention a second time, by hand: closed forms that know nothing of the package.

A product costs 2 FLOPs for each point of its index space, so each is spelled out as the sizes of its indices
multiplied; a byte is counted when a row crosses the edge of the core, once. quiz_loops.py counts the same one
multiplication at a time, for sizes small enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isqrt, prod

from quiz_case import HEADED, LATENT, Case, Row, kept_rows, query_heads, reach, read_rows, seen_pairs

# What a token keeps


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


def edge_bytes(case: Case) -> Fraction:
    """Activations at the edge of the core kernel: queries in, sums out, numbers of selected rows."""
    if case.variant not in (*HEADED, *LATENT):
        raise NotImplementedError("the edge of a recurrence")
    tokens = case.batch * query_heads(case) * case.size("S")
    latent = case.variant in LATENT and case.order == "absorb"
    query, output = (case.size("d_c"),) * 2 if latent else (case.size("d_k"), case.size("d_v"))
    if "rope" in case.options:
        query += case.size("d_r")
    chosen = case.batch * seen_pairs(case) if case.variant == "dsa" else 0
    return case.width * tokens * (query + output) + 4 * chosen  # a row's number is a 32-bit index


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
        return rows + case.layers * edge_bytes(case)
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


def queries_at_the_ridge(case: Case) -> Fraction | None:
    """The S at which the core's intensity is the ridge: FLOPs less what the ridge allows for the bytes is zero.

    For masks that do not tie rows to S. None where no S is enough.
    """
    if reach(case) is not None:
        raise NotImplementedError("sides that are no polynomials in S")
    allowed = ridge(case) * moved_bytes(case.at(S=1))
    return first_root(*(flops(case.at(S=queries)) - allowed for queries in (0, 1, 2)))


def crossover_queries(case: Case) -> Fraction | None:
    """The S* up to which absorb costs less than expand, keys and values formed in each step; None if always.

    With pairs in full both sides are lines in S, with causal pairs parabolas. Not for masks, which bend them.
    """
    if reach(case) is not None:
        raise NotImplementedError("sides that are no polynomials in S")
    absorb, expand = replace(case, order="absorb"), replace(case, order="expand")
    return first_root(*(Fraction(flops(absorb.at(S=s)) - flops(expand.at(S=s))) for s in (0, 1, 2)))


def first_root(at_0: Fraction, at_1: Fraction, at_2: Fraction) -> Fraction | None:
    """Where a line or a parabola, by its values at 0, 1 and 2, first goes from minus to plus."""
    square = (at_2 - 2 * at_1 + at_0) / 2
    slope = at_1 - at_0 - square
    if square == 0:
        return -at_0 / slope if slope > 0 else None
    inner = slope * slope - 4 * square * at_0
    # It starts below zero and opens down, so the first root is the one with the plus.
    return (-slope + square_root(inner)) / (2 * square) if inner >= 0 else None


def square_root(value: Fraction) -> Fraction:
    """To 60 decimals."""
    scale = 10**60
    return Fraction(isqrt(value.numerator * value.denominator * scale**2), value.denominator * scale)


# What is asked, by the name of the quantity

QUANTITIES: Mapping[str, Callable[[Case], Fraction | int | None]] = {
    "elements": cache_elements,
    "row": cache_bytes,
    "cache": sequence_bytes,
    "rank": sequence_bytes,
    "state": state_bytes,
    "flops": flops,
    "bytes": moved_bytes,
    "intensity": intensity,
    "time": read_seconds,
    "ridge": queries_at_the_ridge,
    "crossover": crossover_queries,
}

UNITS: Mapping[str, Fraction] = {
    **{name: Fraction(1) for name in ("elements", "tokens", "FLOP/B", "B", "FLOP", "s")},
    **{f"{prefix}B": Fraction(1000**power) for power, prefix in enumerate("kMGT", 1)},
    **{f"{prefix}iB": Fraction(1024**power) for power, prefix in enumerate("KMGT", 1)},
    **{f"{prefix}FLOP": Fraction(1000**power) for power, prefix in enumerate("kMGTPE", 1)},
    **{f"{prefix}s": Fraction(1, 1000**power) for power, prefix in enumerate("mun", 1)},
}


def answer(case: Case, quantity: str, unit: str) -> Fraction | None:
    """The number asked for, in a unit. KeyError for a quantity or unit that is not known here."""
    value = QUANTITIES[quantity](case)
    return None if value is None else Fraction(value) / UNITS[unit]
