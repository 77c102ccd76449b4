"""Lengths of chunks, and where a recurrence overtakes softmax attention: closed forms against trying each."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import isqrt, sqrt

import pytest

from derivations.chunks import Chunks, chunks_of
from derivations.conventions import Conventions
from derivations.derivation import Study
from derivations.library import load_variant
from derivations.poly import Coefficient, Poly
from derivations.recurrences import recurrence_pages, recurrent_names
from derivations.render import render

NAMES = ("gdn", "kda", "lightning", "mamba2")
Dims = Mapping[str, int]
SIZES: tuple[dict[str, int], ...] = (
    {"H": 32, "H_v": 32, "H_k": 16, "G": 8, "d_k": 128, "d_v": 128, "b_M": 4},
    {"H": 12, "H_v": 12, "H_k": 4, "G": 3, "d_k": 64, "d_v": 96, "b_M": 4},
    {"H": 6, "H_v": 10, "H_k": 5, "G": 2, "d_k": 256, "d_v": 40, "b_M": 2},
)
PASSES = {"gdn": 3, "kda": 3, "lightning": 2, "mamba2": 2}
"""How often a chunk moves the state: read and written once, and read again where the old state predicts."""


@cache
def chunks(name: str) -> Chunks:
    prefill = Conventions(phase="prefill")
    return chunks_of(
        Study(load_variant(f"{name}+chunked"), prefill, {}), Study(load_variant(name), prefill, {})
    )


def at(quantity: Poly, sizes: Dims, length: int) -> Fraction:
    """A quantity per token with chunks of one length; sums of powers, no atoms."""
    values = {**sizes, "C": length}
    total = Fraction(0)
    for powers, coefficient in quantity.powers():
        part = Fraction(coefficient)
        for symbol, power in powers.items():
            part *= Fraction(values[symbol]) ** power
        total += part
    return total


def of_hand(name: str, d: Dims, c: int) -> Fraction:
    """FLOPs a token of the core, by hand: inside a chunk of c tokens, and through its state."""
    k, v = d["d_k"], d["d_v"]
    heads = d["H_v"] if name == "gdn" else d["H"]
    state = Fraction(2 * heads * k * v, c)  # the decay of the whole state, once a chunk
    if name == "lightning":
        # scores, their decay, their sum over values; the decayed key into the state, the query out of it
        return heads * (2 * c * k + 2 * c + 2 * c * v + 4 * k * v + 2 * k) + state
    if name == "mamba2":
        # scores are shared by the heads of a group
        return d["G"] * 2 * c * k + heads * (2 * c + 2 * c * v + 4 * k * v + 2 * k + 2 * v) + state
    if name == "kda":
        # scores and the triangular system, its product with keys and values, zeros, and the sum
        return heads * (6 * c * k + 4 * c + 4 * c * v + 6 * k * v + 2 * k) + state
    # scores and the matrix of the system once for each key head, the rest for each value head
    return d["H_k"] * 4 * c * k + heads * (2 * c * k + 10 * c + 4 * c * v + 6 * k * v + 2 * k) + state


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_flops_and_traffic_of_a_chunk(name: str, sizes: Dims) -> None:
    found = chunks(name)
    heads = sizes["H_v"] if name == "gdn" else sizes["H"]
    state = heads * sizes["d_k"] * sizes["d_v"]
    for length in (1, 16, 64, 257):
        assert at(found.flops, sizes, length) == of_hand(name, sizes, length)
        assert at(found.bytes, sizes, length) == Fraction(PASSES[name] * sizes["b_M"] * state, length)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_the_length_with_the_fewest_flops(name: str, sizes: Dims) -> None:
    found = chunks(name)
    assert found.fewest is not None
    square = found.fewest.value(sizes)
    assert square is not None
    best = min(range(1, 2000), key=lambda length: of_hand(name, sizes, length))
    assert best in (isqrt(int(square)), isqrt(int(square)) + 1)
    assert abs(best - sqrt(square)) <= 1


@pytest.mark.parametrize("ridge", [20, 206, 295])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_the_length_at_which_arithmetic_takes_as_long_as_memory(name: str, sizes: Dims, ridge: int) -> None:
    found = chunks(name)
    (solution,) = found.balance.solutions
    values: dict[str, Coefficient] = {**sizes, "R": ridge}
    root = solution.root.value(values)
    assert root is not None
    heads = sizes["H_v"] if name == "gdn" else sizes["H"]
    moved = PASSES[name] * sizes["b_M"] * heads * sizes["d_k"] * sizes["d_v"]

    def waits_for_memory(length: int) -> bool:
        return of_hand(name, sizes, length) < Fraction(ridge * moved, length)

    waiting = [length for length in range(1, 4000) if waits_for_memory(length)]
    assert waiting == [*range(1, len(waiting) + 1)]
    assert len(waiting) <= root <= len(waiting) + 1
    assert all(condition.holds(values) for condition in solution.conditions)
    assert found.balance.names == ("memory", "arithmetic")


@pytest.mark.parametrize("name", NAMES)
def test_token_by_token(name: str) -> None:
    """As the crossovers have it: three passes over the state, or four where the old one predicts."""
    plain = chunks(name).recurrent
    assert plain is not None
    for sizes in SIZES:
        heads = sizes["H_v"] if name == "gdn" else sizes["H"]
        k, v = sizes["d_k"], sizes["d_v"]
        scaled = {"lightning": 0, "mamba2": 2 * k, "gdn": 2 * k + 2 * v, "kda": 2 * k + 2 * v}[name]
        passes = 6 if name in ("lightning", "mamba2") else 8
        assert at(plain, sizes, 1) == heads * (passes * k * v + scaled)


def test_a_chunk_beats_the_recurrence_in_traffic_and_not_in_flops() -> None:
    """Moving the state for each token costs more than a chunk of 64 once b_M is 4, and FLOPs grow instead."""
    for name in NAMES:
        found = chunks(name)
        assert found.recurrent is not None
        assert at(found.bytes, SIZES[0], 64) * 64 == at(found.bytes, SIZES[0], 1)
        assert at(found.flops, SIZES[0], 512) > at(found.recurrent, SIZES[0], 1)


# --------------------------------------------------------------------------------------------------- pages


def test_the_variants_with_a_state() -> None:
    names = recurrent_names()
    assert set(NAMES) <= set(names)
    assert not {"mha", "mla", "csa", "shortconv"} & set(names)


@cache
def pages() -> dict[str, str]:
    return {path: render(report, "text") for path, _, report in recurrence_pages()}


def test_the_pages() -> None:
    assert list(pages()) == ["recurrent/against-softmax", "recurrent/chunks"]
    assert [title for _, title, _ in recurrence_pages()] == [
        "Recurrences against softmax attention, in L", "How long a chunk should be",
    ]  # fmt: skip


def row(*words: str) -> str:
    """The row of the first page with these first cells."""
    found = [line for line in pages()["recurrent/against-softmax"].splitlines() if line.split()[:3] == [*words]]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        # 32 heads of 128 and 128: 6 x 16384 = 4 x 128 L, 8 x 16384 + 512 = 512 L
        (("mha", "lightning", "flops"), "192"),
        (("mha", "mamba2", "flops"), "192.50"),
        (("mha", "kda", "flops"), "257"),
        (("gqa", "gdn", "flops"), "257"),
        # the state in FP32, twice, against rows in BF16: 131072 H = 512 H_kv L
        (("mha", "lightning", "bytes"), "256"),
        (("gqa", "kda", "bytes"), "1,024"),
        (("mla+rope:absorb", "lightning", "bytes"), "3,640.9"),
        # 32 x 6 x 16384 = 2 x 32 x 1088 L
        (("mla+rope:absorb", "lightning", "flops"), "45.18"),
    ],
)
def test_rows_of_the_first_page(words: tuple[str, str, str], tokens: str) -> None:
    assert row(*words).split()[-1] == tokens


def test_every_rival_meets_every_recurrence_in_both_measures() -> None:
    text = pages()["recurrent/against-softmax"]
    table = [line.split() for line in text.splitlines() if len(line.split()) > 4]
    seen = {tuple(cells[:3]) for cells in table if cells[2] in ("flops", "bytes")}
    rivals = ("mha", "gqa", "mla+rope:absorb")
    assert seen == {(r, n, m) for r in rivals for n in recurrent_names() for m in ("flops", "bytes")}


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_the_second_page(name: str) -> None:
    text = " ".join(pages()["recurrent/chunks"].split())
    sizes = SIZES[0]
    square = chunks(name).fewest
    assert square is not None
    value = square.value(sizes)
    assert value is not None
    best = min(range(1, 500), key=lambda length: of_hand(name, sizes, length))
    assert abs(best - sqrt(value)) <= 1
    start = text.index(load_variant(name).title)
    assert "fewest FLOPs at C = " in text[start:]
