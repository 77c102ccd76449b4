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
    ("name", "compute", "ridge"),
    [
        ("h100-sxm", "bf16", 295),  # 989.5 / 3.35
        ("h100-sxm", "fp8", 591),  # 1979 / 3.35
        ("h100-pcie", "bf16", 378),  # 756.5 / 2.0; with 2.048 it would be 369
        ("h200-sxm", "bf16", 206),  # 989.5 / 4.8
        ("h800-sxm", "bf16", 295),  # 989 / 3.35
        ("h20", "bf16", 37),  # 148 / 4
        ("a100-sxm", "bf16", 153),  # 312 / 2.039
        ("a800-sxm", "bf16", 153),  # as the A100
        ("b200", "bf16", 281),  # 2250 / 8
        ("b300", "bf16", 281),  # 2250 / 8
        ("l40s", "bf16", 419),  # 362.05 / 0.864
        ("rtx-4090", "bf16", 164),  # 165.2 / 1.008
        ("mi300x", "bf16", 247),  # 1307.4 / 5.3 = 246.7
        ("mi325x", "bf16", 218),  # 1307.4 / 6 = 217.9
        ("tpu-v5e", "bf16", 241),  # 197 / 0.819 = 240.5; with 0.81 it would be 243
        ("tpu-v5p", "bf16", 166),  # 459 / 2.765
        ("tpu-v6e", "bf16", 560),  # 918 / 1.638; with 1.6 it would be 574
        ("tpu-v7x", "bf16", 313),  # 2307 / 7.37; with 7.4 it would be 312
    ],
)
def test_published_ridges(name, compute, ridge):
    """Worked out by hand from the published figures, so that a slip in a file shows."""
    assert round(load_accelerator(name).ridge(compute)) == ridge


def test_every_bundled_accelerator_has_its_ridge_checked():
    (rows,) = (mark.args[1] for mark in test_published_ridges.pytestmark)
    assert {name for name, _, _ in rows} == set(accelerator_names())


@pytest.mark.parametrize("name", accelerator_names())
def test_peaks_are_dense_and_ordered(name):
    """A sparse figure among dense ones would break a ratio: 8 bits run at once or twice the rate of 16."""
    peak = {kind: figure.value for kind, figure in load_accelerator(name).peak.items()}
    assert peak["bf16"] == peak.get("fp16", peak["bf16"])
    for kind, low, high in (("fp8", 1, 2.05), ("int8", 1.95, 4.05), ("tf32", 0.49, 0.52), ("fp32", 0, 0.3)):
        assert kind not in peak or low <= peak[kind] / peak["bf16"] <= high


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
SIZE = "for an accelerator; look at the unit"
OVER = "over 2.5 TB/s is a ridge of"
RIDGE = "FLOP/B, which no accelerator has; look at both units"
TWICE = "stands twice; first in line"
NO_TYPE = "is no element type; write up to 16 small letters and digits, such as bf16"


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
        ("unit: TFLOP/s", "unit: furlongs", "4 (peak.bf16.unit): unknown unit 'furlongs'; "),
        ("unit: TB/s", "unit: TFLOP/s", "5 (bandwidth.unit): unknown unit 'TFLOP/s'; "),
        ("unit: TB/s", "unit: ~", "5 (bandwidth.unit): expected a text, found nothing"),
        ("value: 2.5, ", "", "5 (bandwidth): the key 'value' is missing"),
        ("value: 2.5", "value: 0", f"5 (bandwidth.value): 0 {POSITIVE}"),
        ("value: 2.5", "value: ~", "5 (bandwidth.value): expected a number, found nothing"),
        ("value: 2.5", "value: 100001", f"5 (bandwidth.value): 100001 TB/s is too large {SIZE}"),
        ("value: 2.5", "value: 0.00001", f"5 (bandwidth.value): 1e-05 TB/s is too small {SIZE}"),
        ("value: 100", "value: 100000001", f"4 (peak.bf16.value): 100000001 TFLOP/s is too large {SIZE}"),
        ("value: 100", "value: 0.0009", f"4 (peak.bf16.value): 0.0009 TFLOP/s is too small {SIZE}"),
        ("unit: TFLOP/s", "unit: PFLOP/s", f"4 (peak.bf16): 100 PFLOP/s {OVER} 40,000 {RIDGE}"),
        ("unit: TFLOP/s", "unit: GFLOP/s", f"4 (peak.bf16): 100 GFLOP/s {OVER} 0.04 {RIDGE}"),
        ("value: 100", "value: 100, value: 2", f"4 (peak.bf16.value): the key 'value' {TWICE} 4"),
        ("title: Mine", "title: Mine\ngpu: other", f"3 (gpu): the key 'gpu' {TWICE} 1"),
        ("  bf16:", "  bf16: 1\n  bf16:", f"5 (peak.bf16): the key 'bf16' {TWICE} 4"),
        ("  bf16:", "  BF16:", f"4 (peak): 'BF16' {NO_TYPE}"),
        ("  bf16:", "  bf-16:", f"4 (peak): 'bf-16' {NO_TYPE}"),
        ("  bf16:", "  bf١٦:", f"4 (peak): 'bf١٦' {NO_TYPE}"),
        ("  bf16:", "  '':", f"4 (peak): '' {NO_TYPE}"),
        ("  bf16:", f"  {'b' * 17}:", f"4 (peak): '{'b' * 17}' {NO_TYPE}"),
        ("  bf16:", f"  {'b' * 900}:", f"4 (peak): '{'b' * 57}...' {NO_TYPE}"),
        ("TFLOP/s, source: a datasheet", "TFLOP/s", "4 (peak.bf16): the key 'source' is missing"),
        ("TFLOP/s, source: a datasheet", "TFLOP/s, source: ''", "4 (peak.bf16.source): the text is empty"),
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


@pytest.mark.parametrize("kind", ["fp4", "int8", "mxfp8", "e4m3fn", "8", "b" * 16])
def test_any_plain_name_is_an_element_type(load, kind):
    assert load(GOOD.replace("bf16", kind)).ridge(kind) == 40


@given(st.floats(min_value=6, max_value=900), st.sampled_from(["TB/s", "GB/s"]))
def test_a_decimal_is_taken_exactly(tmp_path_factory, value, unit):
    path = tmp_path_factory.mktemp("gpu") / "g.yaml"
    path.write_text(GOOD.replace("value: 2.5, unit: TB/s", f"value: {value:.9f}1, unit: {unit}"))
    found = load_accelerator(str(path))
    assert found.bandwidth.value == Fraction(repr(float(f"{value:.9f}1"))) * UNITS[unit]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("h100-sx", "unknown GPU 'h100-sx'; did you mean 'h100-sxm'?"),
        ("h100", "which GPU is 'h100': h100-pcie or h100-sxm?"),
        ("tpu", "which GPU is 'tpu': tpu-v5e, tpu-v5p, tpu-v6e or tpu-v7x?"),
        ("h101", "unknown GPU 'h101'; did you mean 'h100-sxm'?"),
        ("a10", "unknown GPU 'a10'; did you mean 'a100-sxm'?"),
        ("H200", "unknown GPU 'H200'; did you mean 'h200-sxm'?"),
        ("h100-", "unknown GPU 'h100-'; did you mean 'h100-"),
        ("", "unknown GPU ''; known: "),
        ("zzz", "unknown GPU 'zzz'; known: "),
        ("./no.yaml", "there is no file ./no.yaml"),
        ("/", "cannot read /: is a directory"),
    ],
)
def test_names_that_lead_nowhere(name, message):
    assert refused(load_accelerator, name).startswith(message)


@pytest.mark.parametrize(("first", "name"), [("a100", "a100-sxm"), ("h200", "h200-sxm"), ("rtx", "rtx-4090")])
def test_a_family_of_one_is_found_by_its_first_name(first, name):
    assert load_accelerator(first) == load_accelerator(name)
