"""A config.json that is wrong: exit status 2, one sentence that names the field, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from command import derive
from config_fields import DELTA, FULL, GQA, LINEAR, MLA, SLIDING, Fields, without

DSA: Fields = {**MLA, "index_n_heads": 64, "index_head_dim": 128, "index_topk": 2048}
INTERVALS: Fields = {**GQA, "full_attention_interval": 4, **DELTA}
KDA: Fields = {
    **MLA,
    "num_hidden_layers": 4,
    "linear_attn_config": {
        "full_attn_layers": [4],
        "kda_layers": [1, 2, 3],
        "num_heads": 32,
        "head_dim": 128,
        "short_conv_kernel_size": 4,
    },
}
WINDOWS: Fields = {**GQA, "sliding_window": 128, "layer_types": [SLIDING, FULL] * 18}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


def clean(text: str) -> bool:
    """No control, format, surrogate or line character: nothing a terminal would act on."""
    return not any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in text)


def judge(status: int, out: str, err: str, *names: str) -> str:
    """The sentence, after all that holds of every refusal."""
    assert (status, out) == (2, ""), (status, out[:500], err[:500])
    assert err.startswith("derive: error: "), err[:500]
    assert err.endswith("\n"), err[:500]
    sentence = err[:-1]
    assert clean(sentence), repr(sentence[:500])
    assert "Traceback" not in sentence
    assert len(sentence) < 2000, len(sentence)
    for name in names:
        assert name in sentence, (name, sentence)
    return sentence


def refuse(
    path: Path, content: Fields | list[Any] | str | bytes, *names: str, more: tuple[str, ...] = ()
) -> str:
    if isinstance(content, (dict, list)):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return judge(*derive("model", str(path), "--json", *more), *names)


def accept(path: Path, content: Fields, *more: str) -> Fields:
    path.write_text(json.dumps(content), encoding="utf-8")
    status, out, err = derive("model", str(path), "--json", *more)
    assert status == 0, err
    return json.loads(out)


def test_the_good_ones_are_good(path: Path) -> None:
    for fields in (GQA, MLA, DSA, INTERVALS, KDA, WINDOWS):
        accept(path, fields)


# ------------------------------------------------------------------------------------------- JSON as such


def broken(line: int, sentence: str) -> bool:
    return any(mark in sentence for mark in (f"line {line}", f":{line}"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "hidden_size": 4096,\n  "num_attention_he', 3),
        ('{\n  "hidden_size": 4096,\n', 3),
        ('{"hidden_size": 4096', 1),
        ('{\n  "hidden_size": 4096\n  "head_dim": 128\n}', 3),
        ('{\n  "hidden_size": 4096,\n}', 3),
        ("{'hidden_size': 4096}", 1),
        ('{"hidden_size": 4096} {"hidden_size": 4096}', 1),
        ('{"hidden_size": 04096}', 1),
        ('{"hidden_size": 0x1000}', 1),
        ('{"hidden_size": tru}', 1),
        ('{\n\n\n  // a comment\n  "hidden_size": 4096\n}', 4),
        ('{"a": "tab\there"}', 1),
        ("hidden_size: 4096\n", 1),
    ],
)
def test_broken_json_is_placed(path: Path, text: str, line: int) -> None:
    sentence = refuse(path, text, "config.json")
    # what is missing at the end of a text may be said of its last or of the next line
    assert broken(line, sentence) or broken(line - 1, sentence), sentence


@pytest.mark.parametrize("cut", range(1, 120, 7))
def test_a_truncated_file(path: Path, cut: int) -> None:
    refuse(path, json.dumps(GQA)[:cut], "config.json")


@pytest.mark.parametrize("content", [b"", b" ", b"\n\n\n", b"\x00", b"\x00" * 100])
def test_an_empty_file(path: Path, content: bytes) -> None:
    refuse(path, content, "config.json")


@pytest.mark.parametrize("text", ["[]", "[1, 2]", json.dumps([GQA]), "3", "-1.5", '"config"', "true", "null"])
def test_no_object_on_top(path: Path, text: str) -> None:
    refuse(path, text, "config.json")


@pytest.mark.parametrize(
    "content",
    [
        b'{"hidden_size": 4096, "name": "\xff\xfe"}',
        b'{"name": "\xc3\x28", "hidden_size": 4096}',
        b'{"name": "\xed\xa0\x80"}',
        json.dumps(GQA).encode("utf-16"),
        json.dumps(GQA).encode("utf-32"),
        json.dumps({**GQA, "name": "modèle"}, ensure_ascii=False).encode("latin-1"),
    ],
    ids=["bytes", "half", "surrogate", "utf-16", "utf-32", "latin-1"],
)
def test_no_utf_8(path: Path, content: bytes) -> None:
    refuse(path, content, "config.json")


def test_a_byte_order_mark(path: Path) -> None:
    """It says nothing and may be there (RFC 8259, section 8.1): the file is read as if it were not."""
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GQA).encode())
    status, _, err = derive("model", str(path), "--json")
    assert (status, err) == (0, "")


@pytest.mark.parametrize("size", [24, 48])
def test_a_huge_file_is_refused_in_no_time(path: Path, size: int) -> None:
    text = json.dumps({**GQA, "weights": "x" * (size << 20)})
    began = time.perf_counter()
    refuse(path, text, "config.json")
    assert time.perf_counter() - began < 20


@pytest.mark.parametrize("bracket", ["[", '{"a":'], ids=["lists", "objects"])
@pytest.mark.parametrize("where", ["top", "unread", "read"])
def test_deep_nesting(path: Path, bracket: str, where: str) -> None:
    deep = bracket * 100_000 + "1" + ("]" if bracket == "[" else "}") * 100_000
    text = {
        "top": deep,
        "unread": json.dumps(GQA)[:-1] + f', "extra": {deep}}}',
        "read": json.dumps(without(GQA, "head_dim"))[:-1] + f', "head_dim": {deep}}}',
    }[where]
    refuse(path, text, "config.json")


@pytest.mark.parametrize("depth", [50, 400, 900])
def test_a_nested_value_for_a_number(path: Path, depth: int) -> None:
    text = json.dumps(without(GQA, "head_dim"))[:-1] + f', "head_dim": {"[" * depth}1{"]" * depth}}}'
    refuse(path, text)


def twice(fields: Fields, name: str, value: Any) -> str:
    return json.dumps(fields)[:-1] + f", {json.dumps(name)}: {json.dumps(value)}}}"


@pytest.mark.parametrize(
    ("name", "value"), [("num_key_value_heads", 4), ("head_dim", 128), ("hidden_size", None)]
)
def test_a_key_twice(path: Path, name: str, value: Any) -> None:
    refuse(path, twice(GQA, name, value), name)


def test_a_key_twice_within(path: Path) -> None:
    text = f'{{"text_config": {twice(GQA, "num_hidden_layers", 37)}}}'
    refuse(path, text, "num_hidden_layers")


# ----------------------------------------------------------------------------------------- values of fields

NUMBERS = [
    *((GQA, name) for name in GQA),
    *((MLA, name) for name in ("kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "v_head_dim")),
    *((DSA, name) for name in ("index_n_heads", "index_head_dim", "index_topk")),
    *((INTERVALS, name) for name in INTERVALS if name.startswith("linear_") and "conv" not in name),
    (INTERVALS, "full_attention_interval"),
    (WINDOWS, "sliding_window"),
]
# Text as it stands in the file: json.dumps would round or refuse some.
NO_SIZES = ['"32"', "true", "false", "0.5", "4096.0", "1e3", "[32]", '{"a": 1}', '""', "-8", "NaN", "Infinity"]
ABSURD = ["1e30", "1" + "0" * 30, "-Infinity", "9" * 400, "1" + "0" * 5000, "1e400"]


def with_text(fields: Fields, name: str, text: str) -> str:
    return json.dumps({**without(fields, name), name: "HERE"}).replace('"HERE"', text)


@pytest.mark.parametrize("text", NO_SIZES)
@pytest.mark.parametrize(("fields", "name"), NUMBERS, ids=[name for _, name in NUMBERS])
def test_no_size(path: Path, fields: Fields, name: str, text: str) -> None:
    refuse(path, with_text(fields, name, text), name)


@pytest.mark.parametrize(("fields", "name"), [pair for pair in NUMBERS if pair[1] != "q_lora_rank"])
def test_zero(path: Path, fields: Fields, name: str) -> None:
    refuse(path, with_text(fields, name, "0"), name)


@pytest.mark.parametrize("text", ABSURD, ids=["1e30", "10^30", "-inf", "400 digits", "5001 digits", "1e400"])
@pytest.mark.parametrize("name", GQA)
def test_an_absurd_size(path: Path, name: str, text: str) -> None:
    # a number of thousands of digits may fail before its field is known
    names = () if len(text) > 4000 else (name,)
    refuse(path, with_text(GQA, name, text), *names)


def test_infinity_in_a_field_that_is_not_read(path: Path) -> None:
    """Released files carry the bare word: "time_step_limit": [0.0, Infinity]."""
    path.write_text(with_text(GQA, "time_step_limit", "[0.0, Infinity]"), encoding="utf-8")
    status, _, err = derive("model", str(path), "--json")
    assert status == 0, err


# what is kept does not depend on these, so a file without them still says what is kept
ONLY_A_STEP: list[tuple[Fields, str]] = [
    (GQA, "hidden_size"),
    (GQA, "num_attention_heads"),
    (MLA, "num_attention_heads"),
    (MLA, "qk_nope_head_dim"),
    (MLA, "v_head_dim"),
    (MLA, "hidden_size"),
]


@pytest.mark.parametrize(("fields", "name"), ONLY_A_STEP)
def test_a_size_that_only_a_step_needs(path: Path, fields: Fields, name: str) -> None:
    path.write_text(json.dumps(fields), encoding="utf-8")
    whole = json.loads(derive("model", str(path), "--json")[1])
    path.write_text(json.dumps(without(fields, name)), encoding="utf-8")
    status, out, err = derive("model", str(path), "--gpu", "h100-sxm", "--json")
    assert status == 0, err
    found = json.loads(out)
    assert name in err
    assert (found["missing_fields"], whole["missing_fields"]) == ([name], [])
    # the core multiplies with every head, and with no weight
    assert found["flops"] == (None if name == "num_attention_heads" else whole["flops"])
    status, out, err = derive("model", str(path), "--scope", "layer", "--json")
    assert status == 0, err
    assert json.loads(out)["flops"] is None
    for of in ("cache_elements_per_token", "cache_bytes", "state_elements"):
        assert found[of] == whole[of]
    for output in ([], ["--latex"], ["--explain"]):
        status, out, err = derive("model", str(path), *output)
        assert status == 0, err
        assert f"Not given: {name}" in out.replace("\\_", "_")
    refuse(path, {**fields, name: None}, name)


@pytest.mark.parametrize("how", ["null", "absent"])
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (GQA, "num_hidden_layers"),
        (without(GQA, "head_dim"), "hidden_size"),
        (without(GQA, "head_dim"), "num_attention_heads"),
        (without(GQA, "num_key_value_heads"), "num_attention_heads"),
        (MLA, "num_hidden_layers"),
        (DSA, "index_head_dim"),
        (INTERVALS, "linear_num_value_heads"),
        (INTERVALS, "linear_key_head_dim"),
        (INTERVALS, "linear_value_head_dim"),
        (WINDOWS, "sliding_window"),
    ],
)
def test_a_field_that_is_needed(path: Path, fields: Fields, name: str, how: str) -> None:
    given = without(fields, name)
    refuse(path, {**given, name: None} if how == "null" else given, name)


@pytest.mark.parametrize("fields", [{}, {"model_type": "llama"}, {"text_config": {}}, {"vision_config": GQA}])
def test_nothing_that_is_needed(path: Path, fields: Fields) -> None:
    assert any(
        name in refuse(path, fields) for name in ("hidden_size", "num_attention_heads", "num_hidden_layers")
    )


@pytest.mark.parametrize("value", [None, [], [GQA], "config", 3, True])
def test_text_config_that_is_no_object(path: Path, value: Any) -> None:
    refuse(path, {"model_type": "x", "text_config": value})


# -------------------------------------------------------------------------------------- patterns of layers


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([FULL] * 35, "36"),
        ([FULL] * 37, "36"),
        ([], ""),
        ([FULL] * 35 + ["full_atention"], "full_atention"),
        ([FULL] * 35 + ["Full_Attention"], "Full_Attention"),
        ([FULL] * 35 + [1], ""),
        ([FULL] * 35 + [None], ""),
        ([FULL] * 35 + [[FULL]], ""),
        (FULL, ""),
        ({"0": FULL}, ""),
        (36, ""),
    ],
)
def test_layer_types(path: Path, value: Any, word: str) -> None:
    refuse(path, {**GQA, "sliding_window": 128, "layer_types": value}, "layer_types", word)


def test_types_that_need_fields(path: Path) -> None:
    refuse(path, {**GQA, "layer_types": [SLIDING, FULL] * 18}, "sliding_window")
    refuse(path, {**GQA, "layer_types": [LINEAR, FULL] * 18}, "linear_")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"full_attn_layers": [4, 3]}, "layers"),
        ({"full_attn_layers": []}, "layers"),
        ({"kda_layers": [1, 2]}, "layers"),
        ({"kda_layers": [0, 1, 2]}, "kda_layers"),
        ({"kda_layers": [1, 2, 5]}, "kda_layers"),
        ({"kda_layers": [1, 2, 2, 3]}, "kda_layers"),
        ({"kda_layers": [1, 2, "3"]}, "kda_layers"),
        ({"kda_layers": [1, 2, 3.0]}, "kda_layers"),
        ({"kda_layers": None}, "kda_layers"),
        ({"num_heads": None}, "num_heads"),
        ({"num_heads": -32}, "num_heads"),
        ({"head_dim": "128"}, "head_dim"),
    ],
)
def test_lists_of_layers(path: Path, change: Fields, name: str) -> None:
    refuse(path, {**KDA, "linear_attn_config": {**KDA["linear_attn_config"], **change}}, name)


@pytest.mark.parametrize("value", [[0, 1], [1] * 37, [2] * 36, "1", [True] * 36])
def test_attn_type_list(path: Path, value: Any) -> None:
    refuse(path, {**GQA, "attn_type_list": value}, "attn_type_list")


@pytest.mark.parametrize("value", ["M*", "X" * 36, "", 36, ["*"] * 35])
def test_hybrid_override_pattern(path: Path, value: Any) -> None:
    refuse(path, {**GQA, "hybrid_override_pattern": value}, "hybrid_override_pattern")


@pytest.mark.parametrize("value", [[4, 128], [4] * 100, [4] * 35 + [-1], "4", 4])
def test_compress_ratios(path: Path, value: Any) -> None:
    refuse(
        path,
        {**GQA, "num_key_value_heads": 1, "sliding_window": 128, "compress_ratios": value},
        "compress_ratios",
    )


# --------------------------------------------------------------------------------- fields that contradict


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({**GQA, "num_key_value_heads": 64}, ("num_key_value_heads", "num_attention_heads")),
        ({**GQA, "num_key_value_heads": 6}, ("num_key_value_heads", "num_attention_heads")),
        ({**GQA, "num_attention_heads": 33}, ("num_key_value_heads", "num_attention_heads")),
        ({**without(GQA, "head_dim"), "hidden_size": 4100}, ("hidden_size", "num_attention_heads")),
        ({**GQA, "head_dim": None, "hidden_size": 4100}, ("hidden_size", "num_attention_heads")),
        ({**INTERVALS, "layer_types": [FULL, LINEAR] * 18}, ("layer_types", "full_attention_interval")),
        ({**INTERVALS, "layer_types": [FULL] * 36}, ("layer_types", "full_attention_interval")),
        (
            {**GQA, "sliding_window": 512, "sliding_window_pattern": 6, "layer_types": [SLIDING, FULL] * 18},
            ("layer_types", "sliding_window_pattern"),
        ),
        ({"text_config": GQA, "hidden_size": 4097}, ("hidden_size", "text_config")),
        ({"text_config": GQA, "num_hidden_layers": 35}, ("num_hidden_layers", "text_config")),
        ({"text_config": MLA, "kv_lora_rank": 256}, ("kv_lora_rank", "text_config")),
        ({**GQA, "n_head": 31}, ("n_head", "num_attention_heads")),
        ({**GQA, "n_layer": 35}, ("n_layer", "num_hidden_layers")),
        ({**GQA, "num_kv_heads": 4}, ("num_kv_heads", "num_key_value_heads")),
        ({**GQA, "use_sliding_window": True, "sliding_window": None}, ("sliding_window",)),
        ({**GQA, "use_sliding_window": True, "sliding_window": -1}, ("sliding_window",)),
        ({**GQA, "use_sliding_window": "no", "sliding_window": 128}, ("use_sliding_window",)),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_a_contradiction_names_both(path: Path, fields: Fields, names: tuple[str, ...]) -> None:
    refuse(path, fields, *names)


@pytest.mark.parametrize(
    "fields",
    [
        {**GQA, "n_head": 32},
        {**GQA, "n_layer": 36},
        {**GQA, "num_kv_heads": 8},
        {"text_config": GQA, "hidden_size": 4096},
    ],
)
def test_the_same_said_twice_is_no_contradiction(path: Path, fields: Fields) -> None:
    assert accept(path, fields)["layers"] == accept(path, GQA)["layers"]


# ------------------------------------------------------------------------------------------ hostile strings

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "a\rderive: all is well",
    "a\nderive: error: b",
    "\x00\x01\x02\x7f",
    "\x9b31m",
    "\u202eevil\u202c",
    "\u2028line",
    "\ud800",
    r"\input{/etc/passwd} $\write18{ls}$ % & # _ ^",
    "{{ 7 * 7 }}{% for x in y %}",
    "<script>alert(1)</script>",
    "x" * 10_000,
    "é" * 10_000,
    "%s %d {0} {name}",
]
hostile = pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))


@hostile
def test_hostile_text_for_a_number(path: Path, text: str) -> None:
    refuse(path, {**GQA, "num_attention_heads": text}, "num_attention_heads")


@hostile
def test_hostile_text_for_a_type_of_layer(path: Path, text: str) -> None:
    refuse(path, {**GQA, "layer_types": [FULL] * 35 + [text]}, "layer_types")


@hostile
def test_hostile_text_for_a_flag(path: Path, text: str) -> None:
    refuse(path, {**GQA, "sliding_window": 128, "use_sliding_window": text}, "use_sliding_window")


@hostile
def test_a_hostile_key_twice(path: Path, text: str) -> None:
    key = json.dumps(text)
    refuse(path, json.dumps(GQA)[:-1] + f", {key}: 1, {key}: 2}}")


@hostile
def test_hostile_text_where_nothing_is_read(path: Path, text: str) -> None:
    """Names are only shown, keys that nothing reads at most listed: never raw."""
    fields = {**GQA, "model_type": text, "architectures": [text], "_name_or_path": text, text: 1}
    found = accept(path, fields)
    assert found["layers"] == accept(path, GQA)["layers"]
    path.write_text(json.dumps(fields), encoding="utf-8")
    for how in ("--text", "--explain"):
        status, out, err = derive("model", str(path), how)
        assert status == 0, err
        assert clean(out.replace("\n", "")), repr(out)
        assert clean(err.replace("\n", "")), repr(err)
        assert "\nderive: error" not in out + err


# -------------------------------------------------------------------------------------------- no such file


@pytest.mark.parametrize("name", ["no.json", "no/config.json", "a\x1b[31m.json", "a\nb.json", "é\u202e.json"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    judge(*derive("model", str(tmp_path / name), "--json"))


def test_a_directory(tmp_path: Path) -> None:
    judge(*derive("model", str(tmp_path), "--json"), tmp_path.name)


@pytest.mark.parametrize("name", ["config.yaml", "model.safetensors", "config", "config.py", "config.json.gz"])
def test_a_file_of_another_kind(tmp_path: Path, name: str) -> None:
    other = tmp_path / name
    other.write_bytes(b"\x1f\x8b\x08\x00 hidden_size = 4096\n")
    judge(*derive("model", str(other), "--json"), name)


@pytest.mark.parametrize("kind", ["pipe", "zeros", "link"])
def test_no_regular_file(tmp_path: Path, kind: str) -> None:
    """Would be waited for, or read without end: in a process of its own, which has a limit."""
    name = tmp_path / "config.json"
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "zeros":
        name = Path("/dev/zero")
    else:
        name.symlink_to(name)
    command = [sys.executable, "-m", "derivations", "model", str(name), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    judge(done.returncode, done.stdout, done.stderr)


def test_no_file_at_all() -> None:
    judge(*derive("model", "--json"))
    judge(*derive("model", "", "--json"))


# ----------------------------------------------------------------------------------------------- the options


def assume(*texts: str) -> tuple[str, ...]:
    return tuple(word for text in texts for word in ("--assume", text))


@pytest.mark.parametrize(
    ("more", "names"),
    [
        (assume("sliding_window"), ("--assume", "sliding_window")),
        (assume(""), ("--assume",)),
        (assume("=4096"), ("--assume",)),
        (assume("sliding_window="), ("sliding_window",)),
        (assume("slidng_window=4096"), ("slidng_window", "sliding_window")),
        (assume("no_such_field=1"), ("no_such_field",)),
        (assume("\x1b[31m=1"), ("--assume",)),
        (assume("x" * 10_000 + "=1"), ("--assume",)),
        (assume("sliding_window=4096", "sliding_window=4096"), ("sliding_window", "twice")),
        (assume("sliding_window=4096", "sliding_window=512"), ("sliding_window", "twice")),
        (assume("head_dim=64"), ("head_dim",)),
        (assume("num_hidden_layers=35"), ("num_hidden_layers",)),
        (assume("sliding_window=abc"), ("sliding_window",)),
        (assume("sliding_window=0.5"), ("sliding_window",)),
        (assume("sliding_window=-8"), ("sliding_window",)),
        (assume("sliding_window=1e30"), ("sliding_window",)),
        (assume("kv_lora_rank=512"), ()),
    ],
    ids=lambda value: " ".join(value).replace("--assume ", "")[:40],
)
def test_assume(path: Path, more: tuple[str, ...], names: tuple[str, ...]) -> None:
    refuse(path, GQA, *names, more=more)


def test_what_is_assumed_is_said(path: Path) -> None:
    found = accept(path, without(GQA, "num_hidden_layers"), "--assume", "num_hidden_layers=36")
    assert {name: str(value) for name, value in found["assumptions"].items()} == {"num_hidden_layers": "36"}
    assert found["layers"] == accept(path, GQA)["layers"]


@pytest.mark.parametrize(
    ("more", "names"),
    [
        (("--tp", "0"), ("--tp",)),
        (("--tp", "-8"), ("--tp",)),
        (("--tp", "1.5"), ("--tp",)),
        (("--gpu", "h101"), ("h101",)),
        (("--set", "L=0"), ("L",)),
        (("--set", "L=1e400"), ("L",)),
        (("--set", "L"), ("L",)),
        (("--set", "L=1", "--set", "L=2"), ("L", "twice")),
        (("--latex",), ("--latex", "--json")),
        (("--no-such-option",), ("--no-such-option",)),
    ],
    ids=str,
)
def test_options(path: Path, more: tuple[str, ...], names: tuple[str, ...]) -> None:
    refuse(path, GQA, *names, more=more)
