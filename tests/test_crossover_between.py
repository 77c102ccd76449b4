"""Crossovers between two variants: the length at which they cost the same, by trying every length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest
from command import data, refused, shown

from derivations.library import load_variant

Dims = Mapping[str, int]
SIZES: tuple[dict[str, int], ...] = (
    # widths of a released model, then small ones of which no two are alike
    {"H": 32, "H_q": 32, "H_kv": 8, "H_v": 32, "H_k": 16, "G": 8, "d_model": 4096, "d_k": 128, "d_v": 128,
     "d_c": 512, "d_g": 128, "n_c": 4, "b": 2, "b_M": 4},
    {"H": 12, "H_q": 12, "H_kv": 3, "H_v": 8, "H_k": 4, "G": 2, "d_model": 96, "d_k": 40, "d_v": 56,
     "d_c": 3, "d_g": 5, "n_c": 3, "b": 2, "b_M": 4},
    {"H": 6, "H_q": 8, "H_kv": 2, "H_v": 10, "H_k": 5, "G": 3, "d_model": 64, "d_k": 24, "d_v": 17,
     "d_c": 2, "d_g": 7, "n_c": 2, "b": 1, "b_M": 2},
)  # fmt: skip

# FLOPs of scope attention and bytes of one decode step at L tokens, by hand
SOFTMAX: dict[str, tuple[Callable[[Dims, int], int], Callable[[Dims, int], int]]] = {
    "mha": (
        lambda d, n: 2 * d["H"] * n * (d["d_k"] + d["d_v"]),
        lambda d, n: d["b"] * d["H"] * n * (d["d_k"] + d["d_v"]),
    ),
    "gqa": (
        lambda d, n: 2 * d["H_q"] * n * (d["d_k"] + d["d_v"]),
        lambda d, n: d["b"] * d["H_kv"] * n * (d["d_k"] + d["d_v"]),
    ),
    "mla:absorb": (
        lambda d, n: 2 * d["H"] * d["d_c"] * (2 * n + d["d_k"] + d["d_v"]),
        lambda d, n: d["b"] * n * d["d_c"],
    ),
}


def linear(heads: str) -> Callable[[Dims], int]:
    """The state is read and written once."""
    return lambda d: 2 * d["b_M"] * d[heads] * d["d_k"] * d["d_v"]


# decay the state, add keys times values, read with the query: 2 FLOPs an entry each
RECURRENT: dict[str, tuple[Callable[[Dims], int], Callable[[Dims], int]]] = {
    "lightning": (lambda d: 6 * d["H"] * d["d_k"] * d["d_v"], linear("H")),
    # the step size scales the key once
    "mamba2": (lambda d: d["H"] * (6 * d["d_k"] * d["d_v"] + 2 * d["d_k"]), linear("H")),
    # what the decayed state predicts for the key is read as well: decayed key, strength times key or value
    "gdn": (lambda d: d["H_v"] * (8 * d["d_k"] * d["d_v"] + 2 * d["d_k"] + 2 * d["d_v"]), linear("H_v")),
    "kda": (lambda d: d["H"] * (8 * d["d_k"] * d["d_v"] + 2 * d["d_k"] + 2 * d["d_v"]), linear("H")),
}

HEADS = {"mamba2": "H", "gdn": "H_v", "kda": "H"}


def given(sizes: Dims, *words: str) -> list[str]:
    """The sizes that one of the variants has, as options."""
    symbols = {symbol for word in words for symbol in load_variant(word.partition(":")[0]).symbols}
    return [part for name, size in sizes.items() if name in symbols for part in ("--set", f"{name}={size}")]


@pytest.mark.parametrize("measure", [0, 1], ids=["flops", "bytes"])
@pytest.mark.parametrize("sizes", SIZES, ids=["wide", "small", "uneven"])
@pytest.mark.parametrize("recurrent", sorted(RECURRENT))
@pytest.mark.parametrize("softmax", sorted(SOFTMAX))
def test_where_a_recurrence_is_cheaper_by_trying_every_length(
    softmax: str, recurrent: str, sizes: Dims, measure: int
) -> None:
    found = data(
        "crossover", softmax, recurrent, "--in", "L", "--measure", ("flops", "bytes")[measure],
        *given(sizes, softmax, recurrent),
    )  # fmt: skip
    grows, constant = SOFTMAX[softmax][measure], RECURRENT[recurrent][measure](sizes)
    last = max((n for n in range(1, 40000) if grows(sizes, n) < constant), default=0)
    assert last < 39999
    assert all(grows(sizes, n) < constant for n in (1, last)[: last or 0])
    assert found["orders"] == [softmax, recurrent]
    if last == 0 and grows(sizes, 1) > constant:
        assert found["solution"] is None
        assert f"{recurrent} is cheaper at every L" in found["never"]
        return
    value = Fraction(found["solution"]["value"]).limit_denominator(10**6)
    assert last <= value <= last + 1
    assert grows(sizes, last + 1) >= constant
    assert (found["below"], found["above"]) == (softmax, recurrent)


@pytest.mark.parametrize("recurrent", sorted(RECURRENT))
@pytest.mark.parametrize("sizes", SIZES, ids=["wide", "small", "uneven"])
def test_what_a_recurrence_costs_alone(recurrent: str, sizes: Dims) -> None:
    """The same as a derivation of its own, so that no crossover is right by two mistakes."""
    found = data(recurrent, *given(sizes, recurrent))
    flops, moved = RECURRENT[recurrent]
    assert found["bytes"]["value"] == moved(sizes)
    # with sizes known the cheaper of two places is taken for the one scaling: the key, or what is written
    scaled = {**sizes, "d_k": min(sizes["d_k"], sizes["d_v"])}
    less = 0 if recurrent == "lightning" else 2 * sizes[HEADS[recurrent]] * (sizes["d_k"] - scaled["d_k"])
    assert found["flops"]["value"] == flops(sizes) - less


def test_the_order_of_the_words_says_which_side_is_which() -> None:
    sizes = given(SIZES[0], "mha", "kda")
    one, two = (data("crossover", *words, "--in", "L", *sizes) for words in (("mha", "kda"), ("kda", "mha")))
    assert one["solution"]["value"] == two["solution"]["value"] == 257
    assert (one["below"], one["above"]) == (two["below"], two["above"]) == ("mha", "kda")
    assert (one["orders"], two["orders"]) == (["mha", "kda"], ["kda", "mha"])


def test_symbols_alone_and_the_page() -> None:
    """3 d_k d_v = L (d_k + d_v): three passes over the state against one over keys and values."""
    found = data("crossover", "mha", "lightning", "--in", "L")
    assert found["solution"]["expr"] == "3*d_k*d_v/(d_k + d_v)"
    assert found["solution"]["value"] is None
    page = shown("crossover", "mha", "lightning", "--in", "L")
    assert "3 d_k d_v / (d_k + d_v)" in page
    for form in ("--markdown", "--latex"):
        assert "d_k" in shown("crossover", "mha", "lightning", "--in", "L", form)


def test_two_softmax_attentions() -> None:
    """H_q (d_k + d_v) L against 2 d_c H L and the two lifts: 2 x 32 x 256 L = 2 x 32 x 64 (2 L + 256)."""
    sizes = {"H": 32, "H_q": 32, "H_kv": 8, "d_model": 64, "d_k": 128, "d_v": 128, "d_c": 64, "b": 2}
    found = data("crossover", "gqa", "mla:absorb", "--in", "L", *given(sizes, "gqa", "mla"))
    by_hand = [n for n in range(1, 1000) if 256 * n <= 64 * (2 * n + 256)]
    assert by_hand[-1] == found["solution"]["value"] == 128
    assert (found["below"], found["above"]) == ("gqa", "mla:absorb")


def test_orders_of_one_variant_as_two_words() -> None:
    sizes = ("--set", "L=8192", "--model", "deepseek-v3")
    pair = data("crossover", "mla:absorb", "mla:expand", "--in", "S", *sizes)
    one = data("crossover", "mla", "absorb", "expand", "--in", "S", *sizes)
    assert pair["solution"]["value"] == one["solution"]["value"]
    assert (pair["below"], pair["above"]) == ("mla:absorb", "mla:expand")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("mha mha --in L", "a crossover needs two different things, and mha was given twice"),
        ("mha:direct mha --in L", "a crossover needs two different things, and mha was given twice"),
        ("mla:absorb mla:absorb", "a crossover needs two different things, and mla:absorb was given twice"),
        ("mla expand --in L", "expand is one order of mla; a crossover needs a second one"),
        ("mla absorb", "absorb is one order of mla; a crossover needs a second one"),
        ("mla mha --in L", "mla has the orders absorb, expand; write mla:ORDER"),
        ("mha mla --in L", "mla has the orders absorb, expand; write mla:ORDER"),
        ("mha", "missing argument 'ORDER'"),
        ("mha:x gqa --in L", "unknown order of mha 'x'; known: all, best, direct"),
        ("mha gqa --in Q", "unknown symbol 'Q'; did you mean 'H_q'?"),
        ("mha lightning --in S --phase decode", "S is not free in decode; use --phase verify, or --in L"),
        ("mha lightning --in L --measure time",
         "--measure time compares two orders of one variant; for two variants use flops or bytes"),
        ("mha lightning --in L --gpu h100-sxm", "--gpu: flops do not depend on it; add --measure time"),
        ("mha lightning --in L --set zz=3",
         "unknown symbol 'zz'; known: B, H, L, S, b, b_M, d_k, d_model, d_v"),
        ("mha lightning --in L --measure tokens", "unknown measure 'tokens'; did you mean 'bytes'?"),
    ],
)  # fmt: skip
def test_refused(arguments: str, message: str) -> None:
    assert refused("crossover", *arguments.split()) == message


def test_an_unknown_variant() -> None:
    assert refused("crossover", "mha", "nope", "--in", "L").startswith("unknown variant 'nope'; known: ")


@pytest.mark.parametrize(
    "words",
    [("mha", "gemma-3-1b"), ("mha", "kimi-k3"), ("mha", "kimi-k3:absorb"), ("kimi-k3:absorb", "mha"),
     ("gemma-3-1b", "mha")],
)  # fmt: skip
def test_a_model_with_several_kinds_of_layers(words: tuple[str, str]) -> None:
    assert refused("crossover", *words, "--in", "L") == (
        "a crossover is between two variants; a model with several kinds of layers is none"
    )


CONFIG = "./tests/data/configs/qwen3-8b.json"


@pytest.mark.parametrize("words", [("kda", CONFIG), (CONFIG, "kda"), ("kda", "qwen3-8b"), ("qwen3-8b", "kda")])
def test_a_model_whose_layers_are_alike_stands_for_its_layers(words: tuple[str, str]) -> None:
    """32 query heads of 128 against 32 states of 128 x 128, as above."""
    sizes = [part for pair in ("H=32", "d_g=128", "n_c=4") for part in ("--set", pair)]
    found = data("crossover", *words, "--in", "L", *sizes)
    assert found["solution"]["value"] == 257
    assert found["dims"]["H_kv"] == 8


def test_sizes_that_contradict_each_other() -> None:
    """A size is one size: 128 heads of one model are not the 64 of the other."""
    message = refused("crossover", "deepseek-v3:absorb", "kimi-k2:absorb", "--in", "L")
    assert message.startswith("H is 128 for mla+rope+query-latent and 64 for mla+rope+query-latent")
    assert "set it with --set" in message


def test_a_model_for_the_one_and_another_as_the_other() -> None:
    message = refused("crossover", "mha", "qwen3-8b", "--model", "kimi-k3", "--in", "L")
    assert message == (
        "d_model is 7168 for mha and 4096 for gqa; in a crossover it is one size: set it with --set"
    )
