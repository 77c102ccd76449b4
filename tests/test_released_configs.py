"""Config files as released, against sums done by hand (data/configs/expected.csv, with the arithmetic)."""

from __future__ import annotations

import ast
import csv
import json
import operator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import derive

FOLDER = Path(__file__).parent / "data" / "configs"
TABLE = (FOLDER / "expected.csv").read_text(encoding="utf-8")
ROWS = {row["file"]: row for row in csv.DictReader(TABLE.splitlines())}
FILES = sorted(ROWS)

# A field set may be beyond the command; then it says so and names one of these. What it answers is right.
MAY_REFUSE = {
    "deepseek-v4-flash.json": ("compress_ratios",),
    "deepseek-v4-pro.json": ("compress_ratios",),
    # the file does not say which layers have the window
    "gemma-2-9b.json": ("sliding_window", "layer_types", "cache_implementation"),
    "llama-4-maverick.json": ("attention_chunk_size", "layer_types", "no_rope_layer"),
    # the query heads differ from layer to layer
    "laguna-s-2.1.json": ("num_attention_heads_per_layer",),
    # Mamba-1 has channels, not heads
    "jamba-1.5-mini.json": ("attn_layer_period", "mamba_d_state", "mamba_expand"),
}
# Layers of these that only feed forward need not be among the layers of attention.
FEED_FORWARD = {"nemotron-3-nano-30b.json": 23}
# What the file leaves out, said by hand.
ASSUMED = {
    "gemma-2-9b.json": ("sliding_window_pattern", 2),
    "llama-4-maverick.json": ("no_rope_layer_interval", 4),
}
OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Div: operator.truediv}


def value(text: str) -> Fraction:
    """A sum or product of whole numbers."""

    def of(node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant):
            return Fraction(node.value)
        assert isinstance(node, ast.BinOp), text
        return OPERATORS[type(node.op)](of(node.left), of(node.right))

    return of(ast.parse(text, mode="eval").body)


def number(quantity: Any) -> Any:
    return quantity["value"] if isinstance(quantity, dict) else quantity


def expected(name: str) -> dict[str, int]:
    return {
        key: int(ROWS[name][key]) for key in ("layers", "growing_layers", "short", "long", "state_elements")
    }


@cache
def answer(name: str, *arguments: str) -> dict[str, Any] | None:
    """What the command says of a file; None where it says which field it does not understand."""
    status, out, err = derive("model", str(FOLDER / name), "--json", *arguments)
    if status == 2 and name in MAY_REFUSE and not arguments:
        assert out == ""
        assert err.startswith("derive: error: "), err
        assert err.count("\n") == 1, err
        assert any(field in err for field in MAY_REFUSE[name]), err
        return None
    assert status == 0, err
    return json.loads(out)


def check(found: dict[str, Any], name: str) -> None:
    row = expected(name)
    per_token = found["cache_elements_per_token"]
    assert (number(per_token["short"]), number(per_token["long"])) == (row["short"], row["long"])
    assert number(found["state_elements"]) == row["state_elements"]


def test_every_file_has_a_row_and_every_row_a_file() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.json")) == FILES
    assert len(FILES) >= 25
    for name in (*MAY_REFUSE, *FEED_FORWARD, *ASSUMED):
        assert name in ROWS


@pytest.mark.parametrize("name", FILES)
def test_the_arithmetic_gives_the_figures(name: str) -> None:
    row = expected(name)
    told = dict(part.split(": ", 1) for part in ROWS[name]["arithmetic"].split("; "))
    assert value(told["short"]) == row["short"]
    assert value(told["long"]) == row["long"]
    assert value(told["state"]) == row["state_elements"]
    assert row["growing_layers"] <= row["layers"]
    assert ROWS[name]["source"]


@pytest.mark.parametrize("name", FILES)
def test_a_released_config(name: str) -> None:
    found = answer(name)
    if found is not None:
        check(found, name)
        assert found["assumptions"] == {}


@pytest.mark.parametrize("name", FILES)
def test_the_layers_of_a_released_config(name: str) -> None:
    found, row = answer(name), expected(name)
    if found is None or "compress_ratios" in MAY_REFUSE.get(name, ()):
        return
    layers = found["layers"]
    count = sum(layer["count"] for layer in layers)
    assert count in (row["layers"], row["layers"] - FEED_FORWARD.get(name, 0))
    caches = [(layer, layer["count"] * number(layer["cache_elements_per_token"])) for layer in layers]
    assert sum(elements for _, elements in caches) == row["short"]
    assert sum(elements for layer, elements in caches if layer["window"] is None) == row["long"]
    grow = sum(layer["count"] for layer, elements in caches if elements and layer["window"] is None)
    assert grow == row["growing_layers"]
    assert sum(layer["count"] * number(layer["state_elements"]) for layer in layers) == row["state_elements"]


@pytest.mark.parametrize("rows", [100, 100_000])
@pytest.mark.parametrize("name", [name for name in FILES if name not in MAY_REFUSE])
def test_the_bytes_of_a_released_config(name: str, rows: int) -> None:
    raw = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    row, window = expected(name), raw.get("text_config", raw).get("sliding_window") or rows
    found = answer(name, "--set", f"L={rows}")
    assert found is not None
    windowed = row["short"] - row["long"]
    assert number(found["cache_bytes"]) == 2 * (row["long"] * rows + windowed * min(rows, window))


@pytest.mark.parametrize("name", ASSUMED)
def test_what_a_file_leaves_out_can_be_assumed(name: str) -> None:
    field, said = ASSUMED[name]
    found = answer(name, "--assume", f"{field}={said}")
    assert found is not None
    check(found, name)
    assert {key: str(told) for key, told in found["assumptions"].items()} == {field: str(said)}
