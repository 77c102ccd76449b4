"""Recurrences compute what their papers say: token by token, in chunks, and in every order.

The loops here are written from the papers' formulas with plain numpy, one token and one head at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy_oracle import Env, World, as_written, close, make_world

from derivations.library import load_variant
from derivations.program import Variant

SIZES = {
    "d_model": 5, "d_k": 3, "d_v": 4, "H": 4, "G": 2, "H_k": 2, "H_v": 4, "n_c": 3, "d_g": 2,
}  # fmt: skip
TOKENS, EARLIER = 12, 3
"""New tokens of the step, and tokens before it."""
Given = Mapping[str, np.ndarray]


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1.0 + np.exp(-x))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def softplus(x: np.ndarray) -> np.ndarray:
    return np.log1p(np.exp(x))


def convolved(projected: np.ndarray, history: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """SiLU of a causal convolution of each channel; both with tokens first, kernel[0] at the token itself."""
    rows = np.concatenate([np.zeros((len(kernel), *projected.shape[1:])), history, projected])
    found = []
    for token in range(len(rows) - len(projected), len(rows)):
        value = np.zeros(projected.shape[1:])
        for back in range(len(kernel)):
            value = value + kernel[back] * rows[token - back]
        found.append(silu(value))
    return np.array(found)


def world_of(
    variant: Variant, seed: int, tokens: int = TOKENS, **functions: Callable[..., np.ndarray]
) -> World:
    sizes = {**SIZES, "S": tokens, "L": tokens + EARLIER}
    world = make_world(variant, {n: s for n, s in sizes.items() if n in {*variant.symbols, "S", "L"}}, seed)
    return replace(world, functions=functions)


RATE = np.array([[0.3, 0.7], [1.1, 0.2]])
"""Decay rates of heads, in two groups of two."""


# Lightning: a head's state decays by a constant, adds key times value, and is read by the query.


def lightning_loop(given: Given, state: np.ndarray) -> np.ndarray:
    """Lightning Attention-2, section 3.1: kv_t = lambda kv_(t-1) + k_t^T v_t, o_t = q_t kv_t."""
    rows = given["X"][EARLIER:]
    out = np.zeros((len(rows), SIZES["d_model"]))
    for head in range(SIZES["H"]):
        kv = state[head].copy()
        for token, x in enumerate(rows):
            q, k, v = (silu(x @ given[w][head]) for w in ("W_Q", "W_K", "W_V"))
            kv = given["g"][head] * kv + np.outer(k, v)
            out[token] += (q @ kv) @ given["W_O"][head]
    return out


def test_lightning_is_the_loop_of_its_paper() -> None:
    for seed in range(3):
        world = world_of(load_variant("lightning"), seed)
        made = as_written(load_variant("lightning"), world)
        assert close(made["Y"], lightning_loop(world.given, world.kept["M"]))


def shared_rows(given: Given, history: Given, name: str, group: int) -> np.ndarray:
    """Queries or keys that the heads of a group share, after their short convolution."""
    projected = given["X"][EARLIER:] @ given[f"W_{name}"][group]
    return convolved(projected, history[f"{name}_0"][:, group], given[f"F_{name}"][group])


# Mamba-2: the decay is exp(-A dt), what is written is dt times key times value.


def mamba_loop(given: Given, history: Given, state: np.ndarray) -> np.ndarray:
    """Transformers are SSMs: h_t = exp(-A dt_t) h_(t-1) + dt_t B_t x_t, y_t = C_t h_t + D x_t, gated."""
    rows = given["X"][EARLIER:]
    out = np.zeros((len(rows), SIZES["d_model"]))
    for group in range(2):
        parts = {mine: shared_rows(given, history, mine, group) for mine in "QK"}
        for head in range(2):
            values = convolved(
                rows @ given["W_V"][group, head], history["V_0"][:, group, head], given["F_V"][group, head]
            )
            h = state[group, head].copy()
            for token, x in enumerate(rows):
                step = softplus(x @ given["W_T"][group, head])
                h = np.exp(-RATE[group, head] * step) * h + step * np.outer(parts["K"][token], values[token])
                y = parts["Q"][token] @ h + given["D"][group, head] * values[token]
                gated = y * silu(x @ given["W_G"][group, head])
                out[token] += gated @ given["W_O"][group, head]
    return out


def test_mamba2_is_the_loop_of_its_paper() -> None:
    variant = load_variant("mamba2")
    for seed in range(3):
        world = world_of(variant, seed, e=softplus, a=lambda step: np.exp(-RATE[:, :, None] * step))
        made = as_written(variant, world)
        assert close(made["Y"], mamba_loop(world.given, world.history, world.kept["M"]))


# The gated delta rule: S_t = a_t (I - b_t k_t k_t^T) S_(t-1) + b_t k_t v_t^T, o_t = q_t S_t.


def delta_loop(given: Given, history: Given, state: np.ndarray) -> np.ndarray:
    """Gated Delta Networks, section 3.1, key by value; heads in two groups as in Qwen3-Next."""
    rows = given["X"][EARLIER:]
    out = np.zeros((len(rows), SIZES["d_model"]))
    for group in range(2):
        parts = {mine: shared_rows(given, history, mine, group) for mine in "QK"}
        for head in range(2):
            values = convolved(
                rows @ given["W_V"][group, head], history["V_0"][:, group, head], given["F_V"][group, head]
            )
            s = state[group, head].copy()
            for token, x in enumerate(rows):
                alpha = np.exp(-RATE[group, head] * softplus(x @ given["W_A"][group, head]))
                beta = sigmoid(x @ given["W_B"][group, head])
                k, v = parts["K"][token], values[token]
                s = alpha * (np.eye(len(k)) - beta * np.outer(k, k)) @ s + beta * np.outer(k, v)
                gated = (parts["Q"][token] @ s) * silu(x @ given["W_G"][group, head])
                out[token] += gated @ given["W_O"][group, head]
    return out


def decay_of_a_head(gate: np.ndarray) -> np.ndarray:
    """[g, i, tokens...] -> the decay of every token."""
    return np.exp(-RATE.reshape(2, 2, *[1] * (gate.ndim - 2)) * softplus(gate))


def test_the_gated_delta_net_is_the_loop_of_its_paper() -> None:
    variant = load_variant("gdn")
    for seed in range(3):
        world = world_of(variant, seed, a=decay_of_a_head)
        made = as_written(variant, world)
        assert close(made["Y"], delta_loop(world.given, world.history, world.kept["M"]))


# Kimi delta attention: S_t = (I - b_t k_t k_t^T) Diag(a_t) S_(t-1) + b_t k_t v_t^T, o_t = q_t S_t.


def kimi_loop(given: Given, history: Given, state: np.ndarray) -> np.ndarray:
    """Kimi Linear, section 3: the decay has a value for each channel of the key."""
    rows = given["X"][EARLIER:]
    out = np.zeros((len(rows), SIZES["d_model"]))
    for head in range(SIZES["H"]):
        q, k, v = (
            convolved(rows @ given[f"W_{p}"][head], history[f"{p}_0"][:, head], given[f"F_{p}"][head])
            for p in "QKV"
        )
        s = state[head].copy()
        for token, x in enumerate(rows):
            alpha = np.exp(-softplus(x @ given["W_DA"] @ given["W_UA"][head]))
            beta = sigmoid(x @ given["W_B"][head])
            erase = np.eye(len(alpha)) - beta * np.outer(k[token], k[token])
            s = erase @ np.diag(alpha) @ s + beta * np.outer(k[token], v[token])
            gated = (q[token] @ s) * sigmoid(x @ given["W_DG"] @ given["W_UG"][head])
            out[token] += gated @ given["W_O"][head]
    return out


def decay_of_a_channel(gate: np.ndarray) -> np.ndarray:
    return np.exp(-softplus(gate))


def test_kimi_delta_attention_is_the_loop_of_its_paper() -> None:
    variant = load_variant("kda")
    for seed in range(3):
        world = world_of(variant, seed, a=decay_of_a_channel)
        made = as_written(variant, world)
        assert close(made["Y"], kimi_loop(world.given, world.history, world.kept["M"]))


def test_the_short_convolution_is_the_loop_of_its_report() -> None:
    """LFM2: the input gate, a causal convolution of each channel, the output gate."""
    variant = load_variant("shortconv")
    world = world_of(variant, 1)
    given, made = world.given, as_written(variant, world)
    rows = given["X"][EARLIER:]
    z = np.concatenate([np.zeros((3, 5)), world.history["Z"], (rows @ given["W_B"]) * (rows @ given["W_V"])])
    for token, x in enumerate(rows):
        here = 3 + EARLIER + token
        value = sum(given["F"][back] * z[here - back] for back in range(SIZES["n_c"]))
        assert close(made["Y"][token], ((x @ given["W_C"]) * value) @ given["W_O"])


# In chunks: the same inputs, the decays between tokens of a chunk filled in by hand.


def by_chunks(variant: Variant, one: World, chunk: int, **functions: Callable[..., np.ndarray]) -> World:
    """The world of the recurrence for its form in chunks: the same numbers, tokens in chunks."""
    count = one.sizes["S"] // chunk
    sizes = {**one.sizes, "C": chunk}
    given = {**make_world(variant, sizes, 9).given, **one.given}
    given["X"] = one.given["X"][EARLIER:].reshape(count, chunk, -1)
    given = {name: array for name, array in given.items() if name in variant.tensors}
    if "D" in given and given["D"].ndim == 2 and variant.tensors["D"].axes == ("i", "c"):
        given["D"] = np.tril(np.ones((chunk, chunk)))  # 1 where a key is not after the query
    return World(sizes, given, one.kept, one.history, functions)


def tokens_of(made: Env) -> np.ndarray:
    return made["Y"].reshape(-1, SIZES["d_model"])


def summed_before(log: np.ndarray, axis: int) -> np.ndarray:
    """Sums of the logarithms up to each token of a chunk, itself included."""
    return np.cumsum(log, axis=axis)


def lower(array: np.ndarray) -> np.ndarray:
    """Zero where the key is later than the query."""
    return np.tril(array)


@pytest.mark.parametrize("chunk", [2, 4, 6, 12])
def test_lightning_in_chunks_is_the_recurrence(chunk: int) -> None:
    variant = load_variant("lightning+chunked")
    one = world_of(load_variant("lightning"), 4)
    g = one.given["g"] = np.abs(one.given["g"])
    world = by_chunks(variant, one, chunk)
    i = np.arange(chunk)
    tables = {
        "g": g**chunk,
        "D": lower(g[:, None, None] ** np.maximum(i[:, None] - i, 0)),
        "D_Q": g[:, None] ** (i + 1),
        "D_K": g[:, None] ** (chunk - 1 - i),
    }
    made = as_written(variant, replace(world, given={**world.given, **tables}))
    assert close(tokens_of(made), lightning_loop(one.given, one.kept["M"]))
    alone = as_written(load_variant("lightning"), one)
    assert close(made["M"][-1], alone["M"][-1])


def head_decays(log: Callable[[np.ndarray], np.ndarray]) -> dict[str, Callable[..., np.ndarray]]:
    """Decays from, to and between the tokens of a chunk, from logarithms [g, h, n, i] of single ones."""
    return {
        "D_Q": lambda a: np.exp(summed_before(log(a), 3)),
        "D_K": lambda a: np.exp(log(a).sum(axis=3, keepdims=True) - summed_before(log(a), 3)),
        "D_P": lambda a, _: lower(
            np.exp(summed_before(log(a), 3)[..., :, None] - summed_before(log(a), 3)[..., None, :])
        ),
    }


@pytest.mark.parametrize("chunk", [2, 4, 6, 12])
def test_mamba2_in_chunks_is_the_recurrence(chunk: int) -> None:
    one = world_of(load_variant("mamba2"), 5, e=softplus, a=lambda step: np.exp(-RATE[:, :, None] * step))

    def log(step: np.ndarray) -> np.ndarray:
        return -RATE[:, :, None, None] * step

    functions = head_decays(log) | {"e": softplus, "a": lambda step, _: np.exp(log(step).sum(axis=3))}
    world = by_chunks(load_variant("mamba2+chunked"), one, chunk, **functions)
    made = as_written(load_variant("mamba2+chunked"), world)
    assert close(tokens_of(made), mamba_loop(one.given, one.history, one.kept["M"]))
    assert close(made["M"][-1], as_written(load_variant("mamba2"), one)["M"][-1])


@pytest.mark.parametrize("chunk", [2, 4, 6, 12])
def test_the_gated_delta_net_in_chunks_is_the_recurrence(chunk: int) -> None:
    one = world_of(load_variant("gdn"), 6, a=decay_of_a_head)
    functions = head_decays(np.log) | {
        "a": decay_of_a_head,
        "D_C": lambda a, _: a.prod(axis=3),
    }
    world = by_chunks(load_variant("gdn+chunked"), one, chunk, **functions)
    made = as_written(load_variant("gdn+chunked"), world)
    assert close(tokens_of(made), delta_loop(one.given, one.history, one.kept["M"]))
    assert close(made["M"][-1], as_written(load_variant("gdn"), one)["M"][-1])


def kimi_chunks(variant: Variant, chunk: int) -> tuple[World, Env]:
    """(the world token by token, what the form in chunks makes of it)."""
    one = world_of(load_variant("kda"), 7, a=decay_of_a_channel)
    functions = {
        "a": decay_of_a_channel,
        "D_Q": lambda a: np.cumprod(a, axis=2),
        "D_I": lambda a: 1.0 / np.cumprod(a, axis=2),
        "D_K": lambda a: a.prod(axis=2, keepdims=True) / np.cumprod(a, axis=2),
        "D_C": lambda a, _: a.prod(axis=2),
    }
    return one, as_written(variant, by_chunks(variant, one, chunk, **functions))


@pytest.mark.parametrize("chunk", [2, 4, 6, 12])
def test_kimi_delta_attention_in_chunks_is_the_recurrence(chunk: int) -> None:
    one, made = kimi_chunks(load_variant("kda+chunked"), chunk)
    assert close(tokens_of(made), kimi_loop(one.given, one.history, one.kept["M"]))
    assert close(made["M"][-1], as_written(load_variant("kda"), one)["M"][-1])


@pytest.mark.parametrize("name", ["lightning", "mamba2", "gdn", "kda"])
def test_tokens_at_once_are_tokens_one_after_the_other(name: str) -> None:
    """A step of several tokens leaves the state, and gives the rows, of as many steps of one token."""
    variant = load_variant(name)
    world = world_of(variant, 8, 4)
    whole = as_written(variant, world)
    state, history, rows = world.kept["M"], dict(world.history), []
    for token in range(4):
        sizes = {**world.sizes, "S": 1, "L": EARLIER + token + 1}
        given = {**world.given, "X": world.given["X"][: EARLIER + token + 1]}
        made = as_written(variant, World(sizes, given, {"M": state}, history))
        state = made["M"][-1]
        rows.append(made["Y"][0])
        for name_ in history:
            new = np.moveaxis(made[name_], [a == "s" for a in variant.tensors[name_].axes].index(True), 0)
            history[name_] = np.concatenate([history[name_], new])
    assert close(whole["M"][-1], state)
    assert close(whole["Y"], np.array(rows))
