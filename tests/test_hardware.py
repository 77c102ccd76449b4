"""Accelerators: published figures, ridge points, and files that are refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from samples import ROOT, outcome, refused

from derivations.hardware import Accelerator, accelerator_names, load_accelerator

FOLDER = ROOT / "models" / "hardware"
GOOD = """\
gpu: mine
title: Mine
peak:
  bf16: {value: 100, unit: TFLOP/s, source: a datasheet}
bandwidth: {value: 2.5, unit: TB/s, source: a datasheet}
"""
UNITS = {"GB/s": 10**9, "TB/s": 10**12, "GFLOP/s": 10**9, "TFLOP/s": 10**12, "PFLOP/s": 10**15}


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> Accelerator:
        (tmp_path / "g.yaml").write_text(text, encoding="utf-8")
        return load_accelerator("g.yaml")

    return write


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.yaml")))
def test_a_bundled_accelerator_is_what_its_file_says(name):
    raw = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    found = load_accelerator(name)
    assert (found.name, found.title) == (name, raw["title"])
    assert name in accelerator_names()
    assert set(found.peak) == set(raw["peak"])
    bandwidth = Fraction(str(raw["bandwidth"]["value"])) * UNITS[raw["bandwidth"]["unit"]]
    assert found.bandwidth.value == bandwidth
    for kind, peak in raw["peak"].items():
        rate = Fraction(str(peak["value"])) * UNITS[peak["unit"]]
        assert found.peak[kind].value == rate
        assert found.peak[kind].source == peak["source"]
        assert found.ridge(kind) == rate / bandwidth


def test_published_figures():
    h100, h200 = load_accelerator("h100-sxm"), load_accelerator("h200-sxm")
    assert h100.peak["bf16"].value == Fraction(9895, 10) * 10**12
    assert h100.peak["bf16"].text == "989.5 TFLOP/s"
    assert h100.bandwidth.value == Fraction(335, 100) * 10**12
    assert float(h100.ridge()) == pytest.approx(295.37, abs=0.01)
    assert h200.bandwidth.value == 48 * 10**11
    assert h200.ridge() < h100.ridge()


@pytest.mark.parametrize(
    ("peak", "bandwidth", "ridge"),
    [
        ("{value: 100, unit: TFLOP/s, source: x}", "{value: 2.5, unit: TB/s, source: x}", 40),
        ("{value: 0.1, unit: PFLOP/s, source: x}", "{value: 2500, unit: GB/s, source: x}", 40),
        ("{value: 7, unit: GFLOP/s, source: x}", "{value: 3, unit: GB/s, source: x}", Fraction(7, 3)),
    ],
)
def test_units(load, peak, bandwidth, ridge):
    text = f"gpu: g\ntitle: G\npeak: {{bf16: {peak}}}\nbandwidth: {bandwidth}\n"
    assert load(text).ridge() == ridge


def test_a_type_without_a_published_peak(load):
    found = load(GOOD)
    assert refused(found.ridge, "bf61") == "unknown compute type of mine 'bf61'; did you mean 'bf16'?"
    assert refused(found.ridge, "int8") == "unknown compute type of mine 'int8'; known: bf16"


POSITIVE = "is not a positive, finite number of a sensible size"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value: 100", "value: 0", f"4 (peak.bf16.value): 0 {POSITIVE}"),
        ("value: 100", "value: -5", f"4 (peak.bf16.value): -5 {POSITIVE}"),
        ("value: 100", "value: -0.0", f"4 (peak.bf16.value): -0.0 {POSITIVE}"),
        ("value: 100", "value: 1.0e+999", f"4 (peak.bf16.value): the number {POSITIVE}"),
        ("value: 100", "value: 1.0e-999", f"4 (peak.bf16.value): 0.0 {POSITIVE}"),
        ("value: 100", "value: .nan", "4 (peak.bf16.value): expected a number, found a text"),
        ("value: 100", "value: .inf", "4 (peak.bf16.value): expected a number, found a text"),
        ("value: 100", "value: -.inf", "4 (peak.bf16.value): expected a number, found a text"),
        ("value: 100", "value: true", "4 (peak.bf16.value): expected a number, found true/false"),
        ("value: 100", "value: '100'", "4 (peak.bf16.value): expected a number, found a text"),
        ("value: 100", "value: ١٠٠", "4 (peak.bf16.value): expected a number, found a text"),
        ("value: 100", "value: 1/3", "4 (peak.bf16.value): expected a number, found a text"),
        ("value: 100", "value: [1]", "4 (peak.bf16.value): expected a number, found a list"),
        ("value: 100", "valu: 1", "4 (peak.bf16.valu): unknown key 'valu'; did you mean 'value'?"),
        ("value: 100", "value: 100, sparse: true", "4 (peak.bf16.sparse): unknown key 'sparse'; "),
        ("value: 100, ", "", "4 (peak.bf16): the key 'value' is missing"),
        ("unit: TFLOP/s", "unit: TFLOPS", "4 (peak.bf16.unit): unknown unit 'TFLOPS'; did you mean 'TFLOP/s'?"),
        ("unit: TFLOP/s", "unit: TB/s", "4 (peak.bf16.unit): unknown unit 'TB/s'; "),
        ("unit: TB/s", "unit: TiB/s", "5 (bandwidth.unit): unknown unit 'TiB/s'; did you mean 'TB/s'?"),
        ("unit: TB/s", "unit: 'ТB/s'", "5 (bandwidth.unit): unknown unit 'ТB/s'; did you mean 'TB/s'?"),
        ("gpu: mine", "gpus: mine", "1 (gpus): unknown key 'gpus'; did you mean 'gpu'?"),
        ("gpu: mine\n", "", "1: the key 'gpu' is missing"),
        ("title: Mine", "title:", "2 (title): expected a text, found nothing"),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be(load, old, new, message):
    assert GOOD.count(old) == 1
    found = refused(load, GOOD.replace(old, new))
    assert found.startswith(f"g.yaml:{message}")
    assert message.endswith("; ") or found == f"g.yaml:{message}"


@pytest.mark.parametrize(
    ("peak", "message"),
    [
        ("{}", "3 (peak): at least one dense peak is needed, such as bf16"),
        ("[]", "3 (peak): expected `key: value` lines here, found a list"),
        ("5", "3 (peak): expected `key: value` lines here, found a number"),
        ("{bf16: 5}", "3 (peak.bf16): expected `key: value` lines here, found a number"),
    ],
)
def test_peaks_that_cannot_be(load, peak, message):
    text = f"gpu: g\ntitle: G\npeak: {peak}\nbandwidth: {{value: 1, unit: TB/s, source: x}}\n"
    assert refused(load, text) == f"g.yaml:{message}"


@pytest.mark.parametrize("value", ["9" * 400, "9" * 4000, "1.0e-320", "1.0e+300"])
def test_a_figure_is_refused_or_still_a_number_to_print(load, value):
    """A ridge is shown with a few digits: what no float can hold has to be refused here."""
    found = outcome(load, GOOD.replace("100", value))
    if isinstance(found, Accelerator):
        assert float(found.ridge()) > 0
    else:
        assert found.startswith("g.yaml:4 (peak.bf16.value): ")


@given(st.floats(min_value=1e-6, max_value=1e9), st.sampled_from(["TB/s", "GB/s"]))
def test_a_decimal_is_taken_exactly(tmp_path_factory, value, unit):
    path = tmp_path_factory.mktemp("gpu") / "g.yaml"
    path.write_text(GOOD.replace("value: 2.5, unit: TB/s", f"value: {value:.9f}1, unit: {unit}"))
    found = load_accelerator(str(path))
    assert found.bandwidth.value == Fraction(repr(float(f"{value:.9f}1"))) * UNITS[unit]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("h100-sx", "unknown GPU 'h100-sx'; did you mean 'h100-sxm'?"),
        ("zzz", "unknown GPU 'zzz'; known: "),
        ("./no.yaml", "there is no file ./no.yaml"),
        ("/", "cannot read /: is a directory"),
    ],
)
def test_names_that_lead_nowhere(name, message):
    assert refused(load_accelerator, name).startswith(message)
