"""What the docs show is true: files in them work, commands print what is shown, nothing is left out.

Conventions of the docs, all checked here:

- A fenced block after a line with nothing but a file name in backticks is that file. After
  `` `a.yaml`, which is `b.yaml` and then: `` it is that file with the text of the other before it.
- A `console` block holds commands (`$ derive ...`) and what they print, stdout and stderr; a line
  `...` stands for lines left out.
- A table with the columns `instead of` and `derive says` breaks the file named in its third column
  head, one row at a time; an empty cell under `written` leaves the line out.
- A table whose first head is a command runs it with the words of each row added.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from derivations.cli import main
from derivations.conventions import KNOBS
from derivations.equations import BARRIERS
from derivations.program import AxisKind, MaskKind, Role
from derivations.render.environment import template_environment

DOCS = Path(__file__).resolve().parent.parent / "docs"
GUIDES = (
    "api.md",
    "claims.md",
    "conventions.md",
    "deployment.md",
    "documents.md",
    "exercises.md",
    "explorer.md",
    "json.md",
    "orders.md",
    "templates.md",
    "variant-language.md",
)
_FENCE = re.compile(r"(?:^(?P<before>[^\n]+)\n\n?)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.M | re.S)
_FILE = re.compile(r"`(?P<name>[\w.-]+)`(?:, which is `(?P<base>[\w-]+\.yaml)` and then)?:?")
_SPAN = re.compile(r"(`+) ?(.*?) ?\1")


def text_of(guide: str) -> str:
    return (DOCS / guide).read_text(encoding="utf-8")


def files_of(guide: str) -> dict[str, str]:
    """The files a guide shows, by name."""
    found: dict[str, str] = {}
    for block in _FENCE.finditer(text_of(guide)):
        named = _FILE.fullmatch(block["before"] or "")
        if named:
            assert named["name"] not in found, f"{guide} shows two files called {named['name']}"
            found[named["name"]] = (found[named["base"]] if named["base"] else "") + block["body"]
    return found


def commands_of(guide: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of the console blocks and the lines shown under it."""
    for block in _FENCE.finditer(text_of(guide)):
        if block["kind"] != "console":
            continue
        assert block["body"].startswith("$ derive"), f"{guide}: a console block starts with a command"
        for part in re.split(r"^\$ ", block["body"], flags=re.M)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield command, shown


def rows_of(guide: str, head: re.Pattern[str]) -> Iterator[tuple[list[str], list[str]]]:
    """(heads, cells) for every row of the tables whose first head fits."""
    heads: list[str] = []
    for line in text_of(guide).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif not set(line) <= set("|-: ") and head.fullmatch(heads[0]):
            yield heads, cells


def code(cell: str) -> str:
    """The text of a cell that is one code span, or of an empty cell."""
    span = _SPAN.fullmatch(cell)
    assert span or not cell, f"{cell!r} is not code"
    return span[2] if span else ""


def run(command: str) -> tuple[int, str]:
    """Exit status and what the terminal shows, stderr included."""
    words = shlex.split(command)
    assert words[0] == "derive"
    screen = StringIO()
    with redirect_stdout(screen), redirect_stderr(screen), pytest.raises(SystemExit) as ended:
        main(words[1:])
    return int(ended.value.code or 0), screen.getvalue()


def check_shown(command: str, shown: list[str], printed: str) -> None:
    """Every piece between the `...` stands in the output, in order; the ends only where no `...` is."""
    lines = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == "...":
            pieces.append([])
        else:
            pieces[-1].append(line.rstrip())
    position = 0
    for index, piece in enumerate(pieces):
        spots = list(range(position, len(lines) - len(piece) + 1))
        if index == 0:
            spots = spots[:1]
        elif index == len(pieces) - 1:
            spots = spots[-1:] if piece else spots
        hit = next((s for s in spots if lines[s : s + len(piece)] == piece), None)
        assert hit is not None, f"$ {command}\ndoes not print\n" + "\n".join(piece) + "\nbut\n" + printed
        position = hit + len(piece)
    assert len(pieces) > 1 or position == len(lines), f"$ {command}\nprints more than is shown:\n{printed}"


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """A folder with the files of the guide the test is about."""
    for name, text in files_of(request.getfixturevalue("guide")).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("guide", [*GUIDES, "../README.md"])
def test_commands_print_what_is_shown(guide, folder):
    for command, shown in commands_of(guide):
        status, printed = run(command)
        refused = any(line.startswith("derive: error:") for line in shown)
        assert status == (2 if refused else 0), f"$ {command}\nexits {status}:\n{printed}"
        check_shown(command, shown, printed)


@pytest.mark.parametrize("guide", ["variant-language.md"])
def test_every_mistake_gets_the_message_shown(guide, folder):
    count = 0
    for heads, (instead_of, written, message) in rows_of(guide, re.compile("instead of")):
        name = re.search(r"`([\w-]+\.yaml)`", heads[2])
        assert name, "the third head names the file"
        good = files_of(guide)[name[1]]
        old = code(instead_of)
        assert good.count(old) == 1, f"{old!r} stands {good.count(old)} times in {name[1]}"
        if written:
            bad = good.replace(old, code(written))
        else:
            bad = "".join(line for line in good.splitlines(keepends=True) if old not in line)
        (folder / name[1]).write_text(bad, encoding="utf-8")
        status, printed = run(f"derive ./{name[1]}")
        assert (status, printed.strip()) == (2, f"derive: error: ./{code(message)}")
        count += 1
    assert count >= 20


@pytest.mark.parametrize("guide", ["conventions.md"])
def test_every_number_in_a_table_is_derived(guide, folder):
    count = 0
    for heads, (words, flops, moved, intensity) in rows_of(guide, re.compile(r"`derive .*`")):
        status, printed = run(f"{code(heads[0])} {code(words)} --json")
        assert status == 0, printed
        data = json.loads(printed[printed.index("{") :])
        assert f"{data['flops']['value']:,}" == flops, words
        assert f"{data['bytes']['value']:,}" == moved, words
        assert f"{data['intensity']['value']:,.2f}".removesuffix(".00") == intensity, words
        count += 1
    assert count >= 20


def test_the_installed_command_runs_a_file(tmp_path):
    name, text = next((n, t) for n, t in files_of("variant-language.md").items() if n.endswith(".yaml"))
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "derivations", f"./{name}", "--order", "all", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [order["order"] for order in json.loads(done.stdout)["orders"]] == ["absorb", "expand"]


def keys_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in ("dims", "bracketing", "conventions", "witness", "at", "costs", "counterexample"):
                yield from keys_of(inner)
    if isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


@pytest.mark.parametrize(
    "command",
    [
        "derive mla --order all --model kimi-k3 --set L=1M --phase prefill --gpu h200 --json",
        "derive crossover mla absorb expand --model kimi-k3 --json",
        "derive crossover mla absorb expand --measure bytes --json",
        "derive crossover mla absorb expand --scope core --json",
        "derive crossover mla absorb expand --set d_c=64 --set d_k=128 --set d_v=128 --json",
        "derive crossover mla absorb expand --model kimi-k3 --set L=32768 --set S=64 --json",
        "derive orders mla --region K --no-cache --json",
        "derive orders mla --region A --phase verify --json",
        "derive orders mla --phase verify --model glm-4.7-flash --set L=131072 --map S --json",
        "derive orders mla --phase verify --model glm-4.7-flash --map S,L --json",
        "derive einsum ab,bc,cd->ad --constant 1,2 --json",
        "derive compare mha gqa --json",
        "derive list variants --json",
        "derive list models --json",
        "derive list gpus --json",
        "derive list orders --json",
        "derive list orders mla --json",
        "derive list notations --json",
        "derive list conventions --json",
    ],
)
def test_every_field_is_described(command):
    status, printed = run(command)
    assert status == 0
    described = set(re.findall(r"`([\w-]+)`", text_of("json.md")))
    assert set(keys_of(json.loads(printed[printed.index("{") :]))) <= described


def test_every_knob_and_value_is_described():
    headings = re.findall(r"^##+ ([\w-]+)", text_of("conventions.md"), re.M)
    described = set(re.findall(r"`([^`\n]+)`", text_of("conventions.md")))
    assert set(KNOBS) <= {heading.lower() for heading in headings}
    assert {value for knob in KNOBS.values() for value in knob.values} <= described


def test_every_word_of_the_language_is_described():
    described = set(re.findall(r"`([^`\n]+)`", text_of("variant-language.md")))
    words = {*BARRIERS, *Role, *AxisKind, *MaskKind, "lift", "output", "indexer", "projection"}
    assert {str(word) for word in words} <= described


def test_every_filter_is_described():
    from jinja2 import Environment

    described = set(re.findall(r"`([^`\n]+)`", text_of("templates.md")))
    assert set(template_environment().filters) - set(Environment().filters) <= described
