"""Caches as a library has them beside derived ones: each row judged again, and no difference unexplained."""

from __future__ import annotations

import copy
import json
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from derivations import observed
from derivations.errors import InputError
from derivations.observed import Outcome, Row, observations, rows
from derivations.pages.library import library_report
from derivations.render import render

ROOT = Path(__file__).resolve().parent.parent
Entry = dict[str, Any]
SAID = ("is missing", "no field says", "not understood", "would be")
"""Words of a refusal that is about what a config does not say."""


@cache
def found() -> tuple[Row, ...]:
    return rows()


def entry(name: str, *changed: str) -> Entry:
    """The observation of a model type, with these fields set apart."""
    (one,) = [e for e in observations() if e["model_type"] == name and tuple(e["changed"]) == changed]
    return one


def row(name: str, *changed: str) -> Row:
    (one,) = [r for r in found() if r.name == name and r.changed == changed]
    return one


# ------------------------------------------------------------------------------------------------ outcomes


def test_every_observation_has_one_row() -> None:
    assert [(r.name, r.changed) for r in found()] == [
        (e["model_type"], tuple(e["changed"])) for e in observations()
    ]


def test_nearly_all_are_equal() -> None:
    counts = Counter(r.outcome for r in found())
    assert sum(counts.values()) == len(observations())
    assert len({r.name for r in found() if r.outcome is Outcome.EQUAL}) >= 40
    assert counts[Outcome.EQUAL] > 4 * counts[Outcome.REFUSED]
    assert counts[Outcome.DIFFERS] <= 5


def test_a_row_that_differs_says_why_and_shows_both_sides() -> None:
    differing = [r for r in found() if r.outcome is Outcome.DIFFERS]
    assert differing
    for one in differing:
        assert one.remark, one.name
        assert one.library != one.derived
        assert "-" not in (one.library, one.derived)


def test_a_row_that_does_not_differ_has_no_remark_of_that_kind() -> None:
    for one in found():
        if one.outcome is Outcome.EQUAL:
            assert one.library == one.derived
            assert one.remark == ""
        if one.outcome is Outcome.REFUSED:
            assert one.derived == "-"
            assert one.remark
        if one.outcome is Outcome.UNMEASURED:
            assert one.library == "-"
            assert one.remark.startswith("the library: ")


def test_what_is_refused_names_a_field_or_what_is_missing() -> None:
    for one in found():
        if one.outcome is Outcome.REFUSED:
            config = entry(one.name, *one.changed)["config"]
            nested = [value for value in config.values() if isinstance(value, dict)]
            fields = {*config}.union(*nested)
            words = {word.strip("',.;:()") for word in one.remark.split()}
            said = any(text in one.remark for text in SAID)
            assert said or words & fields, (one.name, one.remark)


def test_the_differences_that_are_known() -> None:
    assert {r.name for r in found() if r.outcome is Outcome.DIFFERS} == {
        "falcon", "gpt_neo", "mimo_v2_flash", "deepseek_v4",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # defaults of the config classes: 32 layers x 2 x 32 heads x 128; a latent of 512 and 64
        ("llama", "32 x 8,192"),
        ("deepseek_v3", "61 x 576"),
    ],
)
def test_rows_by_hand(name: str, text: str) -> None:
    one = row(name)
    assert (one.outcome, one.library, one.derived) == (Outcome.EQUAL, text, text)


# ------------------------------------------------------------------------------------------------- tampered


def judged(monkeypatch: pytest.MonkeyPatch, *entries: Entry, remarks: bool = False) -> tuple[Row, ...]:
    """Rows of observations that are put in place of the file's; without remarks none can be idle."""
    monkeypatch.setattr(observed, "observations", lambda: list(entries))
    if not remarks:
        monkeypatch.setattr(observed, "_remarks", list)
    return rows()


def test_an_observation_with_another_figure_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    tampered = copy.deepcopy(entry("llama"))
    tampered["layers"][0]["elements_per_token"] += 1
    (one,) = judged(monkeypatch, tampered)
    assert (one.outcome, one.library, one.derived, one.remark) == (
        Outcome.DIFFERS, "32 x 8,193", "32 x 8,192", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"), [("count", 31), ("window", 64), ("state_elements", 5), ("index_elements", 7)]
)
def test_every_part_of_an_observation_is_compared(
    monkeypatch: pytest.MonkeyPatch, field: str, value: int
) -> None:
    tampered = copy.deepcopy(entry("llama"))
    tampered["layers"][0][field] = value
    (one,) = judged(monkeypatch, tampered)
    assert one.outcome is Outcome.DIFFERS


@pytest.mark.parametrize(
    ("field", "value"), [("num_hidden_layers", 31), ("num_key_value_heads", 8), ("head_dim", 64)]
)
def test_a_config_with_another_size_differs(monkeypatch: pytest.MonkeyPatch, field: str, value: int) -> None:
    tampered = copy.deepcopy(entry("llama"))
    tampered["config"][field] = value
    (one,) = judged(monkeypatch, tampered)
    assert one.outcome is Outcome.DIFFERS


def test_no_figure_of_an_equal_row_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more element in any layer of any equal row is noticed."""
    equal = [e for e, r in zip(observations(), found(), strict=True) if r.outcome is Outcome.EQUAL]
    tampered = []
    for number, one in enumerate(equal):
        changed = copy.deepcopy(one)
        layers = [x for x in changed["layers"] if x["elements_per_token"]]
        if layers:
            layers[number % len(layers)]["elements_per_token"] += 1
            tampered.append(changed)
    assert len(tampered) > 150
    assert {r.outcome for r in judged(monkeypatch, *tampered[::4])} == {Outcome.DIFFERS}


def test_states_of_equal_rows_count(monkeypatch: pytest.MonkeyPatch) -> None:
    equal = [e for e, r in zip(observations(), found(), strict=True) if r.outcome is Outcome.EQUAL]
    tampered = []
    for one in equal:
        changed = copy.deepcopy(one)
        for layer in changed["layers"]:
            if layer["state_elements"] and layer["kind"] != "compressed":
                layer["state_elements"] *= 2
                tampered.append(changed)
                break
    assert tampered
    assert {r.outcome for r in judged(monkeypatch, *tampered)} == {Outcome.DIFFERS}


def test_a_row_that_was_not_measured_is_not_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    tampered = copy.deepcopy(entry("llama"))
    tampered["why_not"] = "RuntimeError: it does not run"
    (one,) = judged(monkeypatch, tampered)
    assert (one.outcome, one.remark) == (Outcome.UNMEASURED, "the library: it does not run")


def test_a_config_that_is_not_understood_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tampered = copy.deepcopy(entry("llama"))
    tampered["config"]["kv_head_sharing"] = 2
    (one,) = judged(monkeypatch, tampered)
    assert one.outcome is Outcome.REFUSED
    assert "kv_head_sharing" in one.remark


def test_an_idle_remark_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed, "_remarks", lambda: [("llama", frozenset(), "for no reason")])
    monkeypatch.setattr(observed, "observations", lambda: [entry("llama")])
    message = "models/observed/remarks.yaml: no row needs the remark 'for no reason'"
    with pytest.raises(InputError, match=message):
        rows()


def test_a_remark_needs_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    tampered = copy.deepcopy(entry("llama"))
    tampered["layers"][0]["elements_per_token"] = 3
    monkeypatch.setattr(observed, "observations", lambda: [tampered])
    monkeypatch.setattr(observed, "_remarks", lambda: [("llama", frozenset(["head_dim"]), "x")])
    with pytest.raises(InputError, match="no row needs the remark 'x'"):
        rows()
    tampered["changed"] = {"head_dim": 128}
    assert [r.remark for r in rows()] == ["x"]


# --------------------------------------------------------------------------------------------- file and page


def test_the_file_holds_shapes_alone() -> None:
    text = (ROOT / "models/observed/transformers.json").read_text(encoding="utf-8")
    assert json.loads(text) == observations()
    for one in observations():
        assert set(one) == {"model_type", "changed", "config", "layers", "why_not", "how"}
        assert (one["layers"] is None or one["layers"] == []) == (one["why_not"] is not None), one["model_type"]
    names = [(e["model_type"], json.dumps([e["changed"], e["config"]])) for e in observations()]
    assert len(set(names)) == len(names)


def test_the_layers_observed_are_as_many_as_the_config_has() -> None:
    for one in observations():
        layers = sum(layer["count"] for layer in one["layers"] or ())
        count = one["config"].get("num_hidden_layers")
        if count is not None and one["why_not"] is None and row_of(one).outcome is Outcome.EQUAL:
            assert layers <= count, one["model_type"]


def row_of(one: Entry) -> Row:
    return found()[observations().index(one)]


def test_the_page_counts_what_the_rows_say() -> None:
    text = " ".join(render(library_report(), "text").split())
    counts = Counter(r.outcome for r in found())
    types = len({r.name for r in found()})
    assert f"{types} model types of the transformers library, {len(found())} configs" in text
    for outcome in Outcome:
        assert f"{outcome} {counts[outcome]} " in text
    for one in found():
        if one.outcome is Outcome.DIFFERS:
            assert one.name in text
    assert Fraction(counts[Outcome.EQUAL], len(found())) > Fraction(3, 4)
