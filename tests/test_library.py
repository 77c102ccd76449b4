"""Variants by name or file, with options after plus signs."""

from __future__ import annotations

import pytest
from samples import CONTRADICTING, ROOT, TINY, combinations_of, refused, within

from derivations.library import COMMANDS, load_variant, variant_names

BUNDLED = sorted(path.stem for path in (ROOT / "models" / "variants").glob("*.yaml"))
TWELVE = ", ".join(BUNDLED[:12]) + ", ..."
"""As many names as a message lists."""


def test_every_file_is_offered_under_its_name():
    assert list(variant_names()) == BUNDLED
    assert {"mha", "gqa", "mqa", "mla", "mla-rope-in-key", "dsa"} <= set(BUNDLED)
    assert not set(BUNDLED) & set(COMMANDS)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_variant_with_every_option(name):
    plain = load_variant(name)
    assert (plain.base, plain.options) == (name, ())
    assert str(plain.place) == f"models/variants/{name}.yaml"
    for options in combinations_of(plain.all_options):
        assert load_variant("+".join([name, *reversed(options)])).options == options


MASKED_TWICE = {
    "mha": [("window", "chunk")],
    "mqa": [("window", "chunk")],
    "gqa": [("window", "chunk")],
    "mla": [("window", "chunk"), ("window", "selected"), ("chunk", "selected")],
}
"""Options of which each gives the scores a mask: a window, a chunk and a selection are three kinds of layer."""


def test_which_options_contradict_each_other():
    """In every bundled variant those and no others."""
    for name in BUNDLED:
        offered = {*load_variant(name).all_options}
        assert {frozenset(pair) for pair in MASKED_TWICE.get(name, ())} == {
            frozenset(pair) for pair in CONTRADICTING if pair <= offered
        }


@pytest.mark.parametrize(
    ("name", "pair"), [(name, pair) for name, pairs in MASKED_TWICE.items() for pair in pairs]
)
def test_options_that_contradict_each_other_are_refused_by_name(name, pair):
    """In either order on the command line, and with any third option beside them."""
    others = [o for o in load_variant(name).all_options if o not in pair]
    for options in (pair, pair[::-1], *((*pair, other) for other in others)):
        message = refused(load_variant, "+".join([name, *options]))
        assert message.startswith(f"models/variants/{name}.yaml:")
        if {*options} == {*pair}:
            assert f"the options {pair[0]} and {pair[1]} of {name} say different things of A (masks)" in message
        else:
            assert " say different things of A (masks)" in message


def test_all_three_masks_at_once_are_refused():
    assert "the options window and chunk of mla" in refused(load_variant, "mla+window+chunk+selected")


@pytest.mark.parametrize(
    ("name", "cached"),
    [
        ("mha", {"K": ["h", "t", "k"], "V": ["h", "t", "v"]}),
        ("gqa", {"K": ["g", "t", "k"], "V": ["g", "t", "v"]}),
        ("mqa", {"K": ["t", "k"], "V": ["t", "v"]}),
        ("mla", {"C": ["t", "c"]}),
        ("mla+rope", {"C": ["t", "c"], "K_R": ["t", "r"]}),
    ],
)
def test_what_each_variant_keeps(name, cached):
    variant = load_variant(name)
    found = {t.name: list(t.axes) for t in variant.tensors.values() if t.role == "cache"}
    assert found == cached


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the name of the variant is empty"),
        ("  ", "the name of the variant is empty"),
        ("mlaa", "unknown variant 'mlaa'; did you mean 'mla'?"),
        ("zzz", f"unknown variant 'zzz'; known: {TWELVE}"),
        ("MLA", "unknown variant 'MLA'; did you mean 'mla'?"),
        ("mlа", "unknown variant 'mlа'; did you mean 'mla'?"),  # Cyrillic a
        ("+rope", f"unknown variant ''; known: {TWELVE}"),
        (
            "mla+",
            "unknown option of mla ''; known: chunk, gate, query-latent, reads, rope, selected, sinks, window",
        ),
        ("mla+ropes", "unknown option of mla 'ropes'; did you mean 'rope'?"),
        ("mla+rope+rope", "the option 'rope' of mla is given twice"),
        ("mha+rope", "unknown option of mha 'rope'; known: chunk, gate, reads, sinks, window"),
        ("cca+rope", "unknown option of cca 'rope'; there is none here"),
        ("./no.yaml", "there is no file ./no.yaml"),
        ("no.yml", "there is no file no.yml"),
        ("./folder", "cannot read ./folder: is a directory"),
        ("folder.yaml", "cannot read folder.yaml: is a directory"),
        ("./tiny.yaml+gate", "unknown option of tiny 'gate'; there is none here"),
        ("../models/variants/mla", "there is no file ../models/variants/mla"),
    ],
)
def test_what_leads_nowhere(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "tiny.yaml").write_text(TINY)
    assert refused(load_variant, text) == message


@pytest.mark.parametrize("text", ["x" * 100_000, "mla" + "+rope" * 1000, "mla\0", "mla\n", "mla+\0"])
def test_other_names_are_refused_quickly(text):
    refused(load_variant, text)


@pytest.mark.parametrize("text", ["a\0b.yaml", "x/\0", "/dev/zero"])
def test_paths_that_are_no_file(text):
    refused(load_variant, text)


@pytest.mark.parametrize("file", ["tiny.yaml", "a+b.yaml", "odd name.yml", "x.yaml.yaml", "tiny"])
def test_a_file_of_your_own(tmp_path, file):
    (tmp_path / file).write_text(TINY + "options: {o: {axes: {k: {size: 2*d_k}}}}\n")
    path = str(tmp_path / file)
    assert load_variant(path).name == "tiny"
    if "." in file:
        assert load_variant(f"{path}+o").name == "tiny+o"


def test_an_error_in_your_own_file_names_it_as_you_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(TINY.replace("role: input", "role: x"))
    assert refused(load_variant, "./tiny.yaml").startswith("./tiny.yaml:10 (tensors.X.role): ")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_variant_is_named_like_a_command(tmp_path, command):
    (tmp_path / "v.yaml").write_text(TINY.replace("variant: tiny", f"variant: {command}"))
    path = str(tmp_path / "v.yaml")
    assert refused(load_variant, path) == (
        f"{path}:1 (variant): {command!r} is a command of derive; give the variant another name"
    )


def test_all_bundled_variants_are_read_in_time():
    with within(3):
        for name in BUNDLED:
            load_variant(name)
