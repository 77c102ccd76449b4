"""Checkpoints: the bundled ones are what their files say; hostile ones are refused with a place."""

from __future__ import annotations

import pytest
import yaml
from samples import ROOT, outcome, refused

from derivations.checkpoints import Checkpoint, checkpoint_names, load_checkpoint
from derivations.dims import LARGEST
from derivations.library import load_variant

FOLDER = ROOT / "models" / "checkpoints"
GOOD = """\
model: mine
title: Mine
source: a paper
variant: mla
layers: 10
dims: {H: 8, d_k: 64}
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str | bytes) -> Checkpoint:
        (tmp_path / "c.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_checkpoint("c.yaml")

    return write


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.yaml")))
def test_a_bundled_checkpoint_is_what_its_file_says(name):
    raw = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    found = load_checkpoint(name)
    assert (found.name, found.title, found.source) == (name, raw["title"], raw["source"])
    assert (found.dims, found.layers) == (raw["dims"], raw["layers"])
    assert list(found.options) == raw.get("options", [])
    assert found.attention_layers == raw.get("attention_layers", raw["layers"])
    variant = load_variant("+".join([found.variant, *found.options]))
    values = found.values(variant.symbols)
    # all sizes but those of the step itself
    assert set(variant.symbols) - set(values) <= {"L", "S", "B"}
    assert name in checkpoint_names()


@pytest.mark.parametrize(
    ("name", "dims", "layers"),
    [
        ("deepseek-v3", {"H": 128, "d_c": 512, "d_r": 64, "d_q": 1536, "d_model": 7168}, 61),
        ("llama-3.3-70b", {"H_q": 64, "H_kv": 8, "d_k": 128, "d_model": 8192}, 80),
        ("qwen2.5-7b", {"H_q": 28, "H_kv": 4, "d_k": 128, "d_model": 3584}, 28),
        ("mixtral-8x7b", {"H_q": 32, "H_kv": 8, "d_k": 128, "d_model": 4096}, 32),
        ("falcon-7b", {"H": 71, "d_k": 64, "d_model": 4544}, 32),
    ],
)
def test_published_widths(name, dims, layers):
    found = load_checkpoint(name)
    assert dims.items() <= found.dims.items()
    assert found.layers == layers


def test_heads_by_either_name_and_bytes(load):
    found = load(GOOD)
    assert found.values(["H", "H_q", "H_kv", "d_k", "L", "b"]) == {"H": 8, "H_q": 8, "d_k": 64, "b": 2}
    grouped = load(GOOD.replace("H: 8", "H_q: 8, H_kv: 2"))
    assert grouped.values(["H", "H_q", "H_kv"]) == {"H": 8, "H_q": 8, "H_kv": 2}
    both = load(GOOD.replace("H: 8", "H: 3, H_q: 8"))
    assert both.values(["H", "H_q"]) == {"H": 3, "H_q": 8}
    assert (found.attention_layers, found.element_bytes, found.notes) == (10, 2, ())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("layers: 10", "layers: 0", "5 (layers): 0 is out of range; it must be 1 to 10000"),
        ("layers: 10", "layers: -3", "5 (layers): -3 is out of range; it must be 1 to 10000"),
        ("layers: 10", "layers: 2.5", "5 (layers): expected a whole number, found a decimal"),
        ("layers: 10", "layers: true", "5 (layers): expected a whole number, found true/false"),
        ("layers: 10", "layers: .nan", "5 (layers): expected a whole number, found a text"),
        ("layers: 10", "layers: .inf", "5 (layers): expected a whole number, found a text"),
        ("layers: 10", "layers: '10'", "5 (layers): expected a whole number, found a text"),
        ("layers: 10", "layers: ١٠", "5 (layers): expected a whole number, found a text"),
        ("layers: 10", "layers: １０", "5 (layers): expected a whole number, found a text"),
        ("layers: 10", "layers: 1e3", "5 (layers): expected a whole number, found a text"),
        ("layers: 10", "layers:", "5 (layers): expected a whole number, found nothing"),
        ("layers: 10\n", "", "1: the key 'layers' is missing"),
        ("layers: 10", "layer: 10", "5 (layer): unknown key 'layer'; did you mean 'layers'?"),
        ("d_k: 64", "d_k: 0", f"6 (dims.d_k): 0 is out of range; it must be 1 to {LARGEST}"),
        ("d_k: 64", "d_k: -64", f"6 (dims.d_k): -64 is out of range; it must be 1 to {LARGEST}"),
        ("d_k: 64", "d_k: 64.0", "6 (dims.d_k): expected a whole number, found a decimal"),
        ("d_k: 64", "d_k: no", "6 (dims.d_k): expected a whole number, found a text"),
        ("d_k: 64", "d_k: [64]", "6 (dims.d_k): expected a whole number, found a list"),
        ("d_k: 64", "d__k: 64", "6 (dims.d__k): 'd__k' is no symbol"),
        ("d_k: 64", "ԁ_k: 64", "6 (dims.ԁ_k): 'ԁ_k' is no symbol"),
        ("d_k: 64", "H: 64", "6 (dims.H): the key 'H' stands twice; first in line 6"),
        ("{H: 8, d_k: 64}", "[8, 64]", "6 (dims): expected `key: value` lines here, found a list"),
        ("variant: mla", "variant: [mla]", "4 (variant): expected a text, found a list"),
        ("title: Mine", "title: &x Mine", "2: anchors and aliases (& and *) are not allowed here"),
        ("title: Mine", "title: !!str Mine", "2: tags such as 'tag:yaml.org,2002:str' are not allowed"),
        ("source: a paper", "options: rope", "3 (options): expected a list, found a text"),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be(load, old, new, message):
    assert GOOD.count(old) == 1
    text = GOOD.replace(old, new)
    if "options" in new:
        text += "source: x\n"
    assert refused(load, text) == f"c.yaml:{message}"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("attention_layers: 11", "7 (attention_layers): 11 is out of range; it must be 1 to 10"),
        ("attention_layers: 0", "7 (attention_layers): 0 is out of range; it must be 1 to 10"),
        ("element_bytes: 0", "7 (element_bytes): 0 is out of range; it must be 1 to 8"),
        ("element_bytes: 9", "7 (element_bytes): 9 is out of range; it must be 1 to 8"),
        ("element_bytes: 0.5", "7 (element_bytes): expected a whole number, found a decimal"),
        ("notes: text", "7 (notes): expected a list, found a text"),
        ("notes: [[a]]", "7 (notes[0]): expected a text, found a list"),
    ],
)
def test_an_optional_field_that_cannot_be(load, more, message):
    assert refused(load, GOOD + more) == f"c.yaml:{message}"


@pytest.mark.parametrize("digits", [16, 400, 4000, 10_000])
def test_a_number_without_end(load, digits):
    message = refused(load, GOOD.replace("64", "9" * digits))
    assert message.startswith("c.yaml:6 (dims.d_k): ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("deepseek-v4", "unknown model 'deepseek-v4'; did you mean 'deepseek-v3'?"),
        ("../hardware/h100-sxm.yaml", "there is no file ../hardware/h100-sxm.yaml"),
        ("./no.yaml", "there is no file ./no.yaml"),
        ("./", "cannot read ./: is a directory"),
        ("/etc/", "cannot read /etc/: is a directory"),
    ],
)
def test_names_that_lead_nowhere(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    found = refused(load_checkpoint, name)
    assert found.startswith(message.partition(";")[0])


@pytest.mark.parametrize("name", ["", " ", "mla", "DeepSeek-V3", "x" * 10_000, "deepseek-v3\0", "\ud800"])
def test_other_unknown_names(name):
    assert refused(load_checkpoint, name).startswith("unknown model ")


@pytest.mark.parametrize("variant", ["x\\0/y", "a\\0.yaml", "/dev/zero", "nowhere", "mla+", "+", "./", " "])
def test_the_variant_of_a_hostile_checkpoint_is_read_or_refused(load, variant):
    """A checkpoint names its variant; that name may be a file, and no file may hang the program."""
    found = outcome(load, GOOD.replace("variant: mla", f'variant: "{variant}"'))
    if isinstance(found, Checkpoint):
        assert isinstance(outcome(load_variant, found.variant), str)


def test_bytes_that_are_no_text(load):
    assert refused(load, GOOD.encode() + b"\xff") == "c.yaml is not UTF-8 text"
    assert refused(load, b"") == "c.yaml: the file is empty"
    assert refused(load, GOOD + "---\na: 1\n") == "c.yaml:7: the file holds more than one document"
