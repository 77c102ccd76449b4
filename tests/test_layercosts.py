"""What layers cost and keep, and what that says: small models whose figures are done by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.advice import advice
from derivations.configs.grouped import LayerKind
from derivations.conventions import Conventions
from derivations.errors import InputError
from derivations.hardware import load_accelerator
from derivations.layercosts import Asked, ModelCost, model_cost
from derivations.poly import Coefficient
from derivations.released import LayerGroup, Released, load_released, ranges
from derivations.scans import scan_of
from derivations.sharding import Split

GQA = LayerKind("gqa", {"d_model": 64, "H_q": 8, "H_kv": 2, "d_k": 16, "d_v": 12})
WINDOW = LayerKind("gqa+window", {**GQA.dims, "n_w": 10})
CHUNK = LayerKind("gqa+chunk", {**GQA.dims, "n_w": 10})
MLA = LayerKind("mla+rope", {"d_model": 64, "H": 8, "d_k": 16, "d_v": 12, "d_c": 20, "d_r": 4})
STATE = LayerKind("lightning", {"d_model": 64, "H": 8, "d_k": 16, "d_v": 12})
READS = LayerKind("gqa+reads", GQA.dims)
INDEX = LayerKind("dsa+rope", {**MLA.dims, "H_I": 3, "d_I": 5, "n": 7})


def released(*kinds: tuple[LayerKind, int], layers: int = 0, width: int = 2) -> Released:
    groups = tuple(LayerGroup(kind, (), count) for kind, count in kinds)
    total = layers or sum(count for _, count in kinds)
    return Released("own", "Own", "nowhere", groups, total, element_bytes=width)


def cost(model: Released, split: Split | None = None, gpu: str = "", **values: Coefficient) -> ModelCost:
    conventions = Conventions(phase="verify" if "S" in values else "decode")
    asked = Asked(conventions, values, load_accelerator(gpu) if gpu else None, split or Split())
    return model_cost(model, asked)


@pytest.mark.parametrize(
    ("kind", "short", "long", "state", "rows"),
    [
        (GQA, 56, 56, 0, 100),
        (WINDOW, 56, 0, 0, 10),
        (CHUNK, 56, 0, 0, 10),
        (MLA, 24, 24, 0, 100),
        (STATE, 0, 0, 8 * 16 * 12, 0),
        (READS, 0, 0, 0, 0),
        (INDEX, 29, 29, 0, 100),
    ],
)
def test_what_a_layer_keeps(kind: LayerKind, short: int, long: int, state: int, rows: int) -> None:
    (layer,) = cost(released((kind, 1)), L=100).layers
    kept = layer.whole
    assert [layer.value(q) for q in (kept.short, kept.long, kept.state)] == [short, long, state]
    assert layer.value(kept.bytes) == 2 * short * rows
    assert layer.value(kept.state_bytes) == 4 * state


def test_sums_are_over_all_layers() -> None:
    found = cost(released((GQA, 3), (WINDOW, 5), (STATE, 2), layers=12), L=100)
    assert found.sum("short") == 8 * 56
    assert found.sum("long") == 3 * 56
    assert found.sum("bytes") == 2 * 56 * (3 * 100 + 5 * 10)
    assert found.sum("state") == 2 * 8 * 16 * 12
    core = 2 * 8 * (16 + 12)
    assert found.flops == core * (3 * 100 + 5 * 10) + 2 * 6 * 8 * 16 * 12
    assert found.bytes == 2 * 56 * (3 * 100 + 5 * 10) + 2 * 2 * 4 * 8 * 16 * 12


def test_the_default_length_and_the_query_of_decode() -> None:
    found = cost(released((GQA, 1)))
    assert (found.asked.values["L"], found.asked.values["S"]) == (8192, 1)
    assert found.sum("bytes") == 2 * 56 * 8192


def test_the_width_of_an_element_is_the_models() -> None:
    assert cost(released((GQA, 1), width=1), L=10).sum("bytes") == 560
    assert cost(released((GQA, 1), width=1), L=10, b=4).sum("bytes") == 4 * 560


def test_a_layer_reads_the_rows_it_does_not_keep() -> None:
    found = cost(released((GQA, 1), (READS, 1)), L=100)
    kept, read = (layer.value(layer.derivation.bytes) for layer in found.layers)
    assert kept == read == 2 * 56 * 100


@pytest.mark.parametrize(("tp", "heads", "kv"), [(2, 4, 1), (4, 2, 1), (8, 1, 1)])
def test_ranks_that_share_heads(tp: int, heads: int, kv: int) -> None:
    found = cost(released((GQA, 1), (MLA, 1), (STATE, 1)), Split(tp=tp), L=100)
    grouped, latent, state = found.layers
    assert grouped.value(grouped.kept.short) == kv * 28
    assert grouped.value(grouped.derivation.flops) == 2 * heads * 28 * 100
    assert latent.value(latent.kept.short) == latent.value(latent.whole.short) == 24
    assert state.value(state.kept.state) * tp == state.value(state.whole.state)


def test_sentences_on_ranks() -> None:
    ranks = "Over 8 ranks that share the heads"
    full = advice(cost(released((LayerKind("mha", {"d_model": 64, "H": 8, "d_k": 8, "d_v": 8}), 2)), L=10))
    assert full == (f"{ranks}, each keeps 1/8 of the cached rows: no copies.",)
    assert advice(cost(released((STATE, 2)))) == (
        "No layer keeps rows that grow: ranks share states by heads.",
    )
    (_, both) = advice(cost(released((MLA, 1)), L=10))
    assert both.startswith(f"{ranks}, each keeps every cached row")
    (some,) = advice(cost(released((GQA, 1)), L=10))
    # 1 of 2 heads on a rank: half of the rows, 4 times an eighth
    assert some == (
        f"{ranks}, each keeps 50 % of the cached rows, 4 times an equal share; ranks that share the batch keep "
        "1/8 each."
    )
    (two,) = advice(cost(released((GQA, 1)), Split(tp=2), L=10))
    assert two == "Over 2 ranks that share the heads, each keeps 1/2 of the cached rows: no copies."


def switches(rows: int) -> int:
    """The most queries for which absorbing takes fewer FLOPs; both with their lifts, by hand."""
    lift, heads = 20 * (16 + 12), 8

    def absorb(s: int) -> int:
        return 2 * heads * (s * lift + s * rows * (2 * 20 + 4))

    def expand(s: int) -> int:
        return 2 * heads * (rows * lift + s * rows * (16 + 4 + 12))

    return max((s for s in range(1, rows + 1) if absorb(s) < expand(s)), default=0)


@pytest.mark.parametrize("rows", [2, 10, 100, 5000])
def test_where_expanding_begins_to_pay(rows: int) -> None:
    found = cost(released((MLA, 3)), L=rows)
    last = switches(rows)
    assert found.layers[0].switch is not None
    assert last <= found.layers[0].switch <= last + 1
    sentence = advice(found)[0]
    assert sentence.startswith("mla+rope (3 layers): absorb")
    assert f"absorb up to {last:,} new tokens in a step, expand from {last + 1:,} " in sentence
    assert cost(released((GQA, 1))).layers[0].switch is None


@pytest.mark.parametrize("gpu", ["h100-sxm", "h200-sxm"])
@pytest.mark.parametrize("kind", [GQA, WINDOW, MLA])
def test_free_queries(kind: LayerKind, gpu: str) -> None:
    ridge, rows = load_accelerator(gpu).ridge(), 3000
    (layer,) = cost(released((kind, 1)), gpu=gpu, L=rows).layers
    row, pair = (24, 2 * 8 * 44) if kind is MLA else (56, 2 * 8 * 28)

    def seen(queries: int) -> tuple[int, int]:
        """(query, row) pairs and rows read; a window moves with its query."""
        if kind is WINDOW:
            return 10 * queries, 10 + queries - 1
        return rows * queries, rows

    by_hand = None
    for queries in range(1, rows + 1):
        pairs, read = seen(queries)
        if pair * pairs > ridge * 2 * row * read:
            by_hand = queries - 1
            break
    assert layer.free == by_hand


def test_an_index_beside_what_it_limits() -> None:
    """3 heads of width 5 and their sum scan all rows; 8 heads see 7 of them."""
    (layer,) = cost(released((INDEX, 1)), L=1000).layers
    found = scan_of(layer.derivation)
    assert found is not None
    assert layer.value(found.scan) == 2 * 3 * (5 + 1) * 1000
    assert layer.value(found.core) == 2 * 8 * (2 * 20 + 4) * 7
    assert found.overtakes is not None
    least = found.overtakes.value(layer.derivation.study.values)
    assert least == Fraction(2 * 8 * 44 * 7, 2 * 3 * 6)
    (layer,) = cost(released((MLA, 1)), L=1000).layers
    assert scan_of(layer.derivation) is None


@pytest.mark.parametrize(("length", "larger"), [(136, False), (137, True)])
def test_the_length_from_which_the_scan_is_larger(length: int, larger: bool) -> None:
    (layer,) = cost(released((INDEX, 1)), L=length).layers
    found = scan_of(layer.derivation)
    assert found is not None
    assert (layer.value(found.scan) > layer.value(found.core)) is larger


def test_a_size_that_the_model_does_not_give() -> None:
    less = LayerKind("gqa", {name: size for name, size in GQA.dims.items() if name not in ("d_v", "H_kv")})
    with pytest.raises(InputError, match="own: gqa needs H_kv, d_v, which the model does not give; give them"):
        cost(released((less, 1)))


@pytest.mark.parametrize("rows", [1, 9, 10, 11, 100])
def test_bytes_of_a_window_stop_growing(rows: int) -> None:
    assert cost(released((WINDOW, 1)), L=rows).sum("bytes") == 2 * 56 * min(rows, 10)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""), ([3], "3"), ([0, 1], "0-1"), ([0, 2], "0, 2"), ([0, 1, 2, 4], "0-2, 4"),
        ([0, 1, 2, 4, 6, 8, 10], "0-2, 4-10 by 2"), ([5, 11, 17, 23], "5-23 by 6"), ([0, 3, 4, 5], "0, 3-5"),
        ([1, 2, 4, 5], "1-2, 4-5"),
    ],
)  # fmt: skip
def test_numbers_as_ranges(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text


def expanded(text: str) -> list[int]:
    """The numbers that a text of ranges stands for."""
    found: list[int] = []
    for part in filter(None, text.split(", ")):
        span, _, step = part.partition(" by ")
        first, dash, last = span.partition("-")
        found += range(int(first), int(last) + 1, int(step or 1)) if dash else [int(first)]
    return found


def test_ranges_say_which_numbers_they_were() -> None:
    for bits in range(1 << 9):
        numbers = [i for i in range(9) if bits >> i & 1]
        assert expanded(ranges(numbers)) == numbers


def test_layers_of_a_config_are_numbered() -> None:
    model = load_released("tests/data/configs/kimi-k3.json")
    latent = next(group for group in model.groups if group.kind.variant.startswith("mla"))
    assert latent.layers == (*range(3, 92, 4), 92)
    assert ranges(latent.layers) == "3-91 by 4, 92"
    assert latent.count == 24
