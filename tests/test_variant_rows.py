"""What each bundled variant keeps for a token, and what one decode step computes and reads, by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import pytest

from derivations.analysis import state_elements
from derivations.conventions import Conventions
from derivations.derivation import Derivation, Study, derive, orders_asked
from derivations.library import load_variant, variant_names

Dims = Mapping[str, int]


def answers(name: str, dims: Dims, phase: str = "decode") -> list[Derivation]:
    """The variant's named orders at these sizes, in scope core."""
    variant = load_variant(name)
    values = {symbol: dims[symbol] for symbol in variant.symbols if symbol in dims}
    study = Study(variant, Conventions(phase=phase), values)
    return [derive(study, order) for order in orders_asked(study, "all")]


def some_dims(seed: str) -> dict[str, int]:
    """A size for every symbol: grouped heads divide, a tied state has two halves, chunks fill the tokens."""
    pick = random.Random(seed)
    widths = "d_model d_k d_v d_c d_r d_q d_o d_g d_I R_Q R_K R_V b b_M"
    counts = "H_I H_kv H_k G n n_w n_s n_c n_1 n_2 m l_c l_s C"
    dims = {name: pick.randint(2, 40) for name in f"{widths} {counts}".split()}
    dims["H"] = dims["G"] * pick.randint(1, 9)
    dims["H_q"] = dims["H_kv"] * pick.randint(1, 9)
    dims["H_v"] = dims["H_k"] * pick.randint(1, 9)
    dims["d_h"] = 2 * pick.randint(2, 40)
    dims["L"] = dims["C"] * pick.randint(2, 9)
    return dims


KEPT: dict[str, Callable[[Dims], int | Fraction]] = {
    # every head keeps a key and a value
    "mha": lambda d: d["H"] * (d["d_k"] + d["d_v"]),
    # a window, a chunk and sinks keep whole rows; how many of them is another question
    "mha+window": lambda d: d["H"] * (d["d_k"] + d["d_v"]),
    "mha+window+sinks": lambda d: d["H"] * (d["d_k"] + d["d_v"]),
    "mha+chunk": lambda d: d["H"] * (d["d_k"] + d["d_v"]),
    # another layer's rows are read and not kept here
    "mha+reads": lambda d: 0,
    "gqa": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"]),
    "gqa+window+gate": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"]),
    "gqa+reads": lambda d: 0,
    "mqa": lambda d: d["d_k"] + d["d_v"],
    "mqa+reads": lambda d: 0,
    "mla": lambda d: d["d_c"],
    "mla+rope": lambda d: d["d_c"] + d["d_r"],
    "mla+rope+query-latent+gate": lambda d: d["d_c"] + d["d_r"],
    "mla+rope+window+sinks": lambda d: d["d_c"] + d["d_r"],
    "mla+rope+reads": lambda d: 0,
    # rows that another layer's indexer selected
    "mla+rope+selected": lambda d: d["d_c"] + d["d_r"],
    "mla-rope-in-key": lambda d: d["d_c"],
    # sparse: an index key beside the latent and the RoPE key
    "dsa+rope+query-latent": lambda d: d["d_c"] + d["d_r"] + d["d_I"],
    # one tied state a group, and half a width of rotated key for all of them: g e + e/2
    "gta": lambda d: d["H_kv"] * d["d_h"] + d["d_h"] // 2,
    "gla": lambda d: d["G"] * d["d_c"] + d["d_r"],
    "gla+query-latent": lambda d: d["G"] * d["d_c"] + d["d_r"],
    "mfa": lambda d: d["d_k"] + d["d_v"],
    "mfa+key-reuse": lambda d: d["d_k"],
    # R outer products of a head factor and a channel factor
    "tpa": lambda d: d["R_K"] * (d["H"] + d["d_k"]) + d["R_V"] * (d["H"] + d["d_v"]),
    "tpa+factor-q": lambda d: d["R_K"] * (d["H"] + d["d_k"]) + d["R_V"] * (d["H"] + d["d_v"]),
    # h/C heads are left of h, which is H_kv here: h e/C keys and as many values
    "cca": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"]),
    "shared-kv": lambda d: d["d_k"],
    "shared-kv+window+query-latent+output-latent": lambda d: d["d_k"],
    # one entry, and with an indexer one index key, for m tokens; and the window's own rows
    "csa": lambda d: d["d_k"] + Fraction(d["d_k"] + d["d_I"], d["m"]),
    "csa+query-latent+output-latent": lambda d: d["d_k"] + Fraction(d["d_k"] + d["d_I"], d["m"]),
    "hca": lambda d: d["d_k"] + Fraction(d["d_k"], d["m"]),
    "hca+query-latent+output-latent": lambda d: d["d_k"] + Fraction(d["d_k"], d["m"]),
    # all keys and values, and a compressed key and value every m tokens
    "nsa": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"]) * (1 + Fraction(1, d["m"])),
    # with rows of its own for the window
    "nsa+own-kv": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"]) * (2 + Fraction(1, d["m"])),
    "moba": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"]),
    "moba+kept-means": lambda d: d["H_kv"] * (d["d_k"] + d["d_v"] + Fraction(d["d_k"], d["m"])),
    # a state does not grow
    "lightning": lambda d: 0,
    "mamba2": lambda d: 0,
    "gdn": lambda d: 0,
    "kda": lambda d: 0,
    # a convolution keeps a fixed number of rows
    "shortconv": lambda d: 0,
}  # fmt: skip
"""Elements a token leaves in one layer, from the table of variants."""


@pytest.mark.parametrize("name", KEPT)
def test_a_token_leaves_what_the_table_says(name: str) -> None:
    """At random sizes, in every named order: an order changes what is computed, not what is kept."""
    for seed in range(3):
        dims = some_dims(f"{name} {seed}")
        for answer in answers(name, dims):
            assert answer.value(answer.cache_elements) == KEPT[name](dims)
            assert answer.value(answer.cache_bytes) == KEPT[name](dims) * dims["b"]


STATES: dict[str, Callable[[Dims], int]] = {
    "lightning": lambda d: d["H"] * d["d_k"] * d["d_v"],
    "lightning+chunked": lambda d: d["H"] * d["d_k"] * d["d_v"],
    "mamba2": lambda d: d["H"] * d["d_k"] * d["d_v"],
    "mamba2+chunked": lambda d: d["H"] * d["d_k"] * d["d_v"],
    # value heads have a state each, whatever key head they share
    "gdn": lambda d: d["H_v"] * d["d_k"] * d["d_v"],
    "kda": lambda d: d["H"] * d["d_k"] * d["d_v"],
    # what grows with the context has none
    "gqa": lambda d: 0,
    "csa": lambda d: 0,
}
"""Elements of the states of one layer."""


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_a_state_has_a_fixed_size(name: str, phase: str) -> None:
    """The same in every phase: a state is kept once, not once a token or a chunk."""
    if phase == "decode" and "chunked" in name:
        return  # a chunk needs more than one token
    dims = some_dims(name)
    for answer in answers(name, dims, phase):
        kept = state_elements(answer.cost.graph, answer.study.sizes(answer.cost.graph))
        assert answer.value(kept) == STATES[name](dims)


@dataclass(frozen=True)
class Step:
    """One decode step by hand, in scope core."""

    name: str
    """The variant."""
    order: str
    """The order; `direct` where the file names none."""
    flops: int
    """FLOPs of the core."""
    moved: int
    """Bytes of rows and states."""


SIZES = {
    "L": 23, "H": 6, "H_q": 6, "H_kv": 3, "H_k": 3, "H_v": 6, "G": 3, "d_model": 17, "d_k": 5, "d_v": 7,
    "d_c": 13, "d_r": 3, "d_q": 11, "d_o": 9, "d_g": 2, "d_h": 10, "d_I": 9, "H_I": 2, "R_Q": 2,
    "R_K": 3, "R_V": 2, "n": 2, "n_w": 5, "n_s": 2, "n_c": 4, "n_1": 2, "n_2": 3, "m": 4, "l_c": 7, "l_s": 3,
    "b": 2, "b_M": 4,
}  # fmt: skip
"""Small sizes, most of them odd, no two widths alike."""

STEPS = [
    # scores 2 H L d_k, weighted sum 2 H L d_v; every head reads its own rows
    Step("mha", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (6 * 23 * 5 + 6 * 23 * 7)),
    # 5 rows of the window
    Step("mha+window", "direct", 2 * 6 * 5 * 5 + 2 * 6 * 5 * 7, 2 * (6 * 5 * 5 + 6 * 5 * 7)),
    # and the 2 first ones
    Step("mha+window+sinks", "direct", 2 * 6 * 7 * 5 + 2 * 6 * 7 * 7, 2 * (6 * 7 * 5 + 6 * 7 * 7)),
    Step("mha+sinks", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (6 * 23 * 5 + 6 * 23 * 7)),
    # at the end of a chunk of 5
    Step("mha+chunk", "direct", 2 * 6 * 5 * 5 + 2 * 6 * 5 * 7, 2 * (6 * 5 * 5 + 6 * 5 * 7)),
    # rows that another layer keeps are read like its own
    Step("mha+reads", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (6 * 23 * 5 + 6 * 23 * 7)),
    # 6 query heads compute, 3 key/value heads are read
    Step("gqa", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (3 * 23 * 5 + 3 * 23 * 7)),
    # the gate is applied after the core
    Step("gqa+gate", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (3 * 23 * 5 + 3 * 23 * 7)),
    Step("gqa+reads+window", "direct", 2 * 6 * 5 * 5 + 2 * 6 * 5 * 7, 2 * (3 * 5 * 5 + 3 * 5 * 7)),
    Step("mqa", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (23 * 5 + 23 * 7)),
    # scores and sum both run on the latent, read once
    Step("mla", "absorb", 2 * 6 * 23 * 13 + 2 * 6 * 23 * 13, 2 * 23 * 13),
    # the latent is read, and keys and values of every head that are formed from it
    Step("mla", "expand", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (23 * 13 + 6 * 23 * 5 + 6 * 23 * 7)),
    Step("mla+rope+gate", "absorb", 2 * (2 * 6 * 23 * 13) + 2 * 6 * 23 * 3, 2 * (23 * 13 + 23 * 3)),
    Step("mla+rope+reads", "absorb", 2 * (2 * 6 * 23 * 13) + 2 * 6 * 23 * 3, 2 * (23 * 13 + 23 * 3)),
    Step("mla+window", "absorb", 2 * 6 * 5 * 13 + 2 * 6 * 5 * 13, 2 * 5 * 13),
    # 2 selected rows; the indexer is another kernel, or another layer's
    Step("mla+selected", "absorb", 2 * 6 * 2 * 13 + 2 * 6 * 2 * 13, 2 * 2 * 13),
    Step("dsa", "absorb", 2 * 6 * 2 * 13 + 2 * 6 * 2 * 13, 2 * 2 * 13),
    # a half of 5: tied key, rotated key, tied value, the other half of the value
    Step("gta", "direct", 4 * (2 * 6 * 23 * 5), 2 * (3 * 23 * 5 + 3 * 23 * 5 + 23 * 5)),
    # each of 3 latents serves 2 of 6 heads
    Step("gla", "absorb", 2 * 6 * 23 * 13 + 2 * 6 * 23 * 3 + 2 * 6 * 23 * 13, 2 * (3 * 23 * 13 + 23 * 3)),
    Step(
        "gla", "expand",
        2 * 6 * 23 * 5 + 2 * 6 * 23 * 3 + 2 * 6 * 23 * 7,
        2 * (3 * 23 * 13 + 23 * 3 + 6 * 23 * 5 + 6 * 23 * 7),
    ),
    Step("mfa", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (23 * 5 + 23 * 7)),
    # the sum runs on the keys, which are all that is read
    Step("mfa+key-reuse", "absorb", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 5, 2 * 23 * 5),
    # values are formed from the keys, so keys are read twice: by the pass that forms them and by the core
    Step("mfa+key-reuse", "expand", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (23 * 5 + 23 * 5 + 23 * 7)),
    # query times 3 channel factors, times 3 head factors; then probabilities times 2 head factors, times 2 of
    # channels
    Step(
        "tpa", "factored",
        2 * 6 * 23 * 3 * 5 + 2 * 6 * 23 * 3 + 2 * 6 * 23 * 2 + 2 * 6 * 23 * 2 * 7,
        2 * 23 * (3 * 6 + 3 * 5 + 2 * 6 + 2 * 7),
    ),
    Step(
        "tpa", "expand",
        2 * 6 * 23 * 5 + 2 * 6 * 23 * 7,
        2 * 23 * (3 * 6 + 3 * 5 + 2 * 6 + 2 * 7) + 2 * (6 * 23 * 5 + 6 * 23 * 7),
    ),
    Step("cca", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 7, 2 * (3 * 23 * 5 + 3 * 23 * 7)),
    # the row of 5 is key and value, and is read once
    Step("shared-kv", "direct", 2 * 6 * 23 * 5 + 2 * 6 * 23 * 5, 2 * 23 * 5),
    Step(
        "shared-kv+window+query-latent+output-latent", "direct",
        2 * 6 * 5 * 5 + 2 * 6 * 5 * 5,
        2 * 5 * 5,
    ),
    # 2 of the 6 entries of 23 tokens, and 5 rows of the window
    Step("csa", "direct", 2 * (2 * 6 * 2 * 5 + 2 * 6 * 5 * 5), 2 * (2 * 5 + 5 * 5)),
    Step("csa+query-latent+output-latent", "direct", 2 * (2 * 6 * 2 * 5 + 2 * 6 * 5 * 5), 2 * (2 * 5 + 5 * 5)),
    # all 6 entries
    Step("hca", "direct", 2 * (2 * 6 * 6 * 5 + 2 * 6 * 5 * 5), 2 * (6 * 5 + 5 * 5)),
    Step("hca+output-latent", "direct", 2 * (2 * 6 * 6 * 5 + 2 * 6 * 5 * 5), 2 * (6 * 5 + 5 * 5)),
    # 6 compressed blocks, 2 selected blocks of 3 rows, 5 rows of the window
    Step("nsa", "direct", 2 * 6 * (6 + 2 * 3 + 5) * (5 + 7), 2 * 3 * (6 + 2 * 3 + 5) * (5 + 7)),
    Step("nsa+own-kv", "direct", 2 * 6 * (6 + 2 * 3 + 5) * (5 + 7), 2 * 3 * (6 + 2 * 3 + 5) * (5 + 7)),
    # 2 blocks of 4 rows; the gate is another kernel
    Step("moba", "direct", 2 * 6 * (2 * 4) * (5 + 7), 2 * 3 * (2 * 4) * (5 + 7)),
    Step("moba+kept-means", "direct", 2 * 6 * (2 * 4) * (5 + 7), 2 * 3 * (2 * 4) * (5 + 7)),
    # decay the state, add key times value, read it with the query; it goes in and out at 4 bytes
    Step("lightning", "direct", 3 * (2 * 6 * 5 * 7), 4 * 6 * 5 * 7 + 4 * 6 * 5 * 7),
    # as lightning, and the time step times the key of every head
    Step("mamba2", "direct", 3 * (2 * 6 * 5 * 7) + 2 * 6 * 5, 4 * 6 * 5 * 7 + 4 * 6 * 5 * 7),
    # decay, predict, write, read: 4 times the state; strength times key; the gate on what was read
    Step("gdn", "direct", 4 * (2 * 6 * 5 * 7) + 2 * 6 * 5 + 2 * 6 * 7, 2 * (4 * 6 * 5 * 7)),
    Step("kda", "direct", 4 * (2 * 6 * 5 * 7) + 2 * 6 * 5 + 2 * 6 * 7, 2 * (4 * 6 * 5 * 7)),
    # no context and no state: nothing of it is core
    Step("shortconv", "direct", 0, 0),
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.name}:{step.order}")
def test_a_decode_step_by_hand(step: Step) -> None:
    """FLOPs and bytes of the core at small sizes."""
    found = {answer.cost.order.name: answer for answer in answers(step.name, SIZES)}
    answer = found[step.order]
    assert (answer.value(answer.flops), answer.value(answer.bytes)) == (step.flops, step.moved)


def test_every_bundled_variant_has_a_row() -> None:
    """A file that is added without figures by hand fails here."""
    assert {name.partition("+")[0] for name in KEPT} == set(variant_names())
    assert {step.name.partition("+")[0] for step in STEPS} >= set(variant_names()) - {"mla-rope-in-key"}
