"""YAML as located data: what is read, what is refused and in which words."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import outcome, refused, within

from derivations.yamlfile import Entry, parse_yaml, read_yaml

BOMB = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
TAGS = "f.yaml:1: tags such as"
ANCHORS = "f.yaml:1: anchors and aliases (& and *) are not allowed here"
BIG = "f.yaml is larger than 256 KiB; surely the wrong file"
EMPTY = "f.yaml: the file is empty"


def plain(entry: Entry) -> object:
    if isinstance(entry.value, dict):
        return {key: plain(value) for key, value in entry.value.items()}
    if isinstance(entry.value, list):
        return [plain(value) for value in entry.value]
    return entry.value


def parse(text: str) -> Entry:
    return parse_yaml(text, "f.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, -2, 1.5]", {"a": 1, "b": ["x", -2, 1.5]}),
        ("a: {b: {c: d}}", {"a": {"b": {"c": "d"}}}),
        ("a: true\nb: False\nc: ~\nd:", {"a": True, "b": False, "c": None, "d": None}),
        ("n: y\nno: on", {"n": "y", "no": "on"}),
        ("a: '5'\nb: \"x: y\"", {"a": "5", "b": "x: y"}),
        (
            "a: .inf\nb: .nan\nc: 1:30\nd: 0x1F",
            {"a": ".inf", "b": ".nan", "c": "1:30", "d": "0x1F"},
        ),
        ("a: ٣\nb: ３", {"a": "٣", "b": "３"}),
        ("a: >\n  folded\n  text", {"a": "folded text"}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("\ufeffa: 1", {"a": 1}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
    ],
)
def test_plain_data_is_read(text, value):
    assert plain(parse(text)) == value


def test_every_value_knows_its_line_and_key():
    entry = parse("a: 1\nb:\n  - x\n  - c: 2\n")
    second = entry.value["b"].value[1].value["c"]
    assert str(second.place) == "f.yaml:4 (b[1].c)"
    assert str(entry.keys["b"]) == "f.yaml:2 (b)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "f.yaml:2: not valid YAML: did not find expected node content"),
        ("a: b: c", "f.yaml:1: not valid YAML: mapping values are not allowed in this context"),
        ("a: @x", "f.yaml:1: not valid YAML: found character that cannot start any token"),
        ("a:\n\tb: 1", "f.yaml:2: a tab; YAML is indented with spaces"),
        ("a: 1\nb: 2\na: 3", "f.yaml:3 (a): the key 'a' stands twice; first in line 1"),
        ("x: {a: 1, a: 2}", "f.yaml:1 (x.a): the key 'a' stands twice; first in line 1"),
        (BOMB, ANCHORS),
        ("a: &x 1", ANCHORS),
        ("a: *x", ANCHORS),
        ("a: !!python/object/apply:os.system ['id']", TAGS),
        ("a: !x 1", f"{TAGS} '!x' are not allowed"),
        ("a: !!binary aGk=", TAGS),
        ("[" * 21 + "]" * 21, "f.yaml:1: nested deeper than 20 levels"),
        ("a:\n" + "".join(" " * i + "a:\n" for i in range(1, 400)), "f.yaml:21: nested deeper"),
        ("[" * 100_000, "f.yaml:1: "),
        ("{a: " * 60_000, "f.yaml:1: "),
        ("a: " + "x" * 300_000, BIG),
        ("", EMPTY),
        ("# only a comment", EMPTY),
        ("---\n", EMPTY),
        ("~", EMPTY),
        ("a: 1\n---\nb: 2", "f.yaml:2: the file holds more than one document"),
        ("? [a]\n: 1", "f.yaml:1: a key must be a plain word"),
        ("a: \x00", "f.yaml: not valid YAML: "),
        ("a: \x07", "f.yaml: not valid YAML: "),
        ("a: 'x", "f.yaml:1: not valid YAML: found unexpected end of stream"),
        ("%YAML 9.9\n---\na: 1", "f.yaml:1: not valid YAML: found incompatible YAML document"),
    ],
)
def test_anything_else_is_refused(text, message):
    assert refused(parse, text).startswith(message)


def test_twenty_levels_are_deep_enough():
    assert parse("[" * 20 + "]" * 20)


def test_a_lone_surrogate_is_refused():
    refused(parse, "a: \ud800")


@pytest.mark.parametrize(
    "text",
    ["[" + "1," * 120_000 + "]", "- 1\n" * 60_000, "a " * 120_000],
    ids=["flow list", "block list", "one text"],
)
def test_the_largest_file_is_read_in_reasonable_time(text):
    with within(3):
        parse(text)


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_no_text_gets_past_the_error(text):
    found = outcome(parse, text)
    assert isinstance(found, Entry) or found.startswith("f.yaml")


@given(st.text("ab:-[]{}&*!|>'\"#%@`,? \n\t01.", max_size=40))
def test_no_punctuation_gets_past_the_error(text):
    found = outcome(parse, text)
    assert isinstance(found, Entry) or found.startswith("f.yaml")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a: \xe9", "f.yaml is not UTF-8 text"),
        ("a: 1".encode("utf-16"), "f.yaml is not UTF-8 text"),
        (b"", EMPTY),
        (b"a: " + b"x" * 300_000, BIG),
        (b"\xf0\x28\x8c\x28", "f.yaml is not UTF-8 text"),
    ],
)
def test_bad_bytes(tmp_path, raw, message):
    path = tmp_path / "f.yaml"
    path.write_bytes(raw)
    assert refused(read_yaml, path, "f.yaml") == message


def test_a_file_that_cannot_be_opened(tmp_path):
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    (tmp_path / "file.yaml").write_text("a: 1")
    assert refused(read_yaml, tmp_path / "no.yaml", "no.yaml") == "there is no file no.yaml"
    assert refused(read_yaml, tmp_path, "dir.yaml") == "cannot read dir.yaml: is a directory"
    loop = refused(read_yaml, tmp_path / "loop.yaml", "l.yaml")
    assert loop == "there is no file l.yaml"
    below = refused(read_yaml, tmp_path / "file.yaml" / "x.yaml", "x.yaml")
    assert below == "there is no file x.yaml"
    refused(read_yaml, tmp_path / ("x" * 5000), "long.yaml")


def test_a_name_with_a_null_byte_is_refused(tmp_path):
    refused(read_yaml, tmp_path / "a\0b.yaml", "f.yaml")


def test_a_file_without_an_end_is_not_read_to_it(tmp_path):
    """A fifo has size 0 however much comes out of it."""
    fifo = tmp_path / "fifo.yaml"
    os.mkfifo(fifo)
    with subprocess.Popen(["sh", "-c", 'exec yes "# and no end" > "$0"', fifo]) as writer:
        try:
            refused(read_yaml, fifo, "f.yaml")
        finally:
            writer.kill()


MAPPING = parse("size: 4\nlist: [a, b]\ntext: ' '\nflag: true\nbad: -0.5\nnone:\nlong: " + "x" * 400)


@pytest.mark.parametrize(
    ("key", "method", "arguments", "message"),
    [
        (
            "size",
            "mapping",
            (),
            "f.yaml:1 (size): expected `key: value` lines here, found a number",
        ),
        ("size", "items", (), "f.yaml:1 (size): expected a list, found a number"),
        ("list", "text", (), "f.yaml:2 (list): expected a text, found a list"),
        ("text", "text", (), "f.yaml:3 (text): the text is empty"),
        ("flag", "text", (), "f.yaml:4 (flag): expected a text, found true/false"),
        ("flag", "integer", (0, 9), "f.yaml:4 (flag): expected a whole number, found true/false"),
        ("flag", "number", (), "f.yaml:4 (flag): expected a number, found true/false"),
        ("bad", "number", (), "f.yaml:5 (bad): -0.5 is not a positive, finite number of a sensible size"),
        ("bad", "integer", (0, 9), "f.yaml:5 (bad): expected a whole number, found a decimal"),
        ("size", "integer", (5, 9), "f.yaml:1 (size): 4 is out of range; it must be 5 to 9"),
        ("none", "text", (), "f.yaml:6 (none): expected a text, found nothing"),
        ("long", "text", (), "f.yaml:7 (long): the text is longer than 300 characters"),
    ],
)
def test_a_value_of_another_kind(key, method, arguments, message):
    assert refused(getattr(MAPPING.value[key], method), *arguments) == message


def test_keys_must_be_known_and_there():
    entry = parse("a: {sise: 1}").value["a"]
    message = refused(entry.mapping, ("size", "meaning"))
    assert message == "f.yaml:1 (a.sise): unknown key 'sise'; did you mean 'size'?"
    assert refused(entry.mapping, ("sise",), ("size",)) == "f.yaml:1 (a): the key 'size' is missing"


def test_an_endless_number_does_not_make_an_endless_message():
    entry = parse("a: " + "9" * 4000).value["a"]
    assert len(refused(entry.integer, 1, 9)) < 200
