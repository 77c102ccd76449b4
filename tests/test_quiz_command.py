"""`derive quiz`: the conversation on a pipe, its ends, sheets and keys, data, and what is refused."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from command import data, derive, refused, shown
from samples import ROOT

from derivations.exercises.answer import answer_of
from derivations.exercises.asked import Wants
from derivations.exercises.generating import exercises
from derivations.exercises.units import number_text

PDFLATEX = shutil.which("pdflatex")
needs_latex = pytest.mark.skipif(
    PDFLATEX is None and not os.environ.get("DERIVE_REQUIRE_ALL"), reason="pdflatex is not installed"
)


def said(monkeypatch, *lines: str, arguments: tuple[str, ...] = ("--seed", "1")) -> str:
    """What a conversation prints that ends with these lines."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    status, out, err = derive("quiz", *arguments)
    assert (status, err) == (0, "")
    assert max(len(line) for line in out.split("\n") if not line.startswith("    ")) <= 100
    return out


def test_a_series_is_asked_marked_and_scored(monkeypatch):
    # exercise 1 of seed 1 is b (d_c + d_r); 2 is 500 * 2 * (32 + 32) B, MQA with L = 500 and widths of 32
    out = said(monkeypatch, "b d_c", "b (d_c + d_r)", "64 kB", arguments=("--seed", "1", "--count", "2"))
    assert out.startswith("2 exercises, --seed 1. Type a number with a unit, or a formula")
    assert "1 of 2 (level 1). What a token adds to the cache: mla+rope" in out
    assert "The RoPE key left out. Beside the latent each token keeps one rotated key" in out
    assert "    M = b d_c + b d_r\n      = b (d_c + d_r)" in out
    assert "Right. In B it is 64,000 B." in out
    assert "500 * 2 * (32 + 32) = 64,000 B" in out
    assert out.endswith("Done. Right: 2 of 2, 1 with the first attempt.\n")


def test_hints_come_one_by_one_and_run_out(monkeypatch):
    out = said(monkeypatch, "?", "hint", "?", "quit")
    assert "What a layer caches: C (latent rows, shared by all heads) and K_R (rotated keys" in out
    assert "By their indices these are C[t,c] and K_R[t,r]" in out
    assert "There are no more hints; `answer` shows it." in out
    assert "b (d_c + d_r)" not in out


def test_who_gives_up_is_shown_the_answer(monkeypatch):
    out = said(monkeypatch, "answer", "skip", "q", arguments=("--seed", "1", "--count", "3"))
    assert "The answer: b (d_c + d_r)." in out
    assert "Skipped." in out
    assert "64,000" not in out
    assert out.endswith("Goodbye. Right: 0 of 3.\n")


def test_nonsense_counts_as_no_attempt(monkeypatch):
    lines = ("", "__import__('os')", "9^9^9", "x" * 10_000, "64 kB", "\x1b[2J", "b (d_c + d_r)")
    out = said(monkeypatch, *lines, arguments=("--seed", "1", "--count", "1"))
    assert "Nothing was typed." in out
    assert 'Cannot read "__import__(\'";' in out
    assert "That is longer than 400 characters" in out
    assert "A formula is asked, in b, d_c and d_r; that is a number." in out
    assert "\x1b" not in out
    assert out.endswith("Done. Right: 1 of 1, 1 with the first attempt.\n")


@pytest.mark.parametrize("stream", [None, io.StringIO("")], ids=["closed", "empty"])
def test_without_input_it_says_goodbye(monkeypatch, stream):
    monkeypatch.setattr(sys, "stdin", stream)
    status, out, err = derive("quiz", "--seed", "1")
    assert (status, err) == (0, "")
    assert out.endswith("\nGoodbye. Right: 0 of 5.\n")


def started() -> subprocess.Popen[bytes]:
    """A conversation in a process of its own that waits for its first answer."""
    child = subprocess.Popen(
        [sys.executable, "-m", "derivations", "quiz", "--seed", "1"], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    found = b""
    while not found.endswith(b"> "):
        part = child.stdout.read1(4096)
        assert part, found
        found += part
    return child


def test_ctrl_c_says_goodbye_with_its_own_status():
    child = started()
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, b"")
    assert out.decode().endswith("Goodbye. Right: 0 of 5.\n")


def test_bytes_that_are_no_text_are_no_answer():
    child = started()
    out, err = child.communicate(b"\xff\xfe\x00\n", timeout=60)
    assert (child.returncode, err) == (0, b"")
    assert b"Goodbye. Right: 0 of 5." in out


def test_without_a_seed_one_is_drawn_and_told(monkeypatch):
    out = said(monkeypatch, "quit", arguments=())
    seed = re.search(r"--seed (\d+)\.", out)
    assert seed is not None
    again = said(monkeypatch, "quit", arguments=("--seed", seed[1]))
    assert again == out


def test_a_lesson_restricts():
    found = data("quiz", "--lesson", "sharding", "--seed", "2", "--count", "6")["exercises"]
    assert {e["quantity"] for e in found} <= {"rank", "cache"}


def test_levels_and_counts(monkeypatch):
    found = data("quiz", "--level", "3", "--count", "4", "--seed", "9")["exercises"]
    assert [(e["number"], e["level"]) for e in found] == [(1, 3), (2, 3), (3, 3), (4, 3)]


def test_data_has_questions_keys_and_slips():
    found = data("quiz", "--seed", "1", "--count", "6")
    assert (found["schema"], found["seed"]) == ("derive/1", 1)
    for exercise, made in zip(found["exercises"], exercises(1, 6), strict=True):
        answer = answer_of(made.task)
        assert exercise["unit"] == exercise["answer"]["unit"] == made.task.unit
        assert exercise["sizes"] == made.task.values
        if made.task.wants is Wants.NUMBER:
            assert exercise["answer"]["value"] == pytest.approx(float(answer.number), rel=1e-12)
            assert all(slip["value"] is not None for slip in exercise["slips"])
        assert all(slip["words"] and slip["why"] for slip in exercise["slips"])
    first = found["exercises"][0]
    assert first["answer"]["expr"] == "b*(d_c + d_r)"
    rope = next(slip for slip in first["slips"] if slip["slip"] == "rope")
    assert rope["expr"] == "b*d_c"


SHEET = ("quiz", "--seed", "4", "--count", "6", "--print")


def test_a_sheet_has_questions_and_no_answer():
    sheet = shown(*SHEET, "--part", "sheet")
    assert "6 exercises, levels 1 to 3, seed 4" in sheet
    assert "Name ...." in sheet
    assert "of 12" in sheet  # 1 + 1 + 2 + 2 + 3 + 3 points
    assert "mistakes" not in sheet
    for exercise in exercises(4, 6):
        assert f"\n{exercise.number}. " in sheet
        number = answer_of(exercise.task).number
        if number is not None and number > 100:
            assert number_text(number) not in sheet


def test_a_key_has_answers_derivations_and_mistakes():
    key = shown(*SHEET, "--part", "key")
    assert "key to the exercises" in key
    assert "Name ...." not in key
    assert key.count("What usual mistakes give:") >= 5
    for exercise in exercises(4, 6):
        number = answer_of(exercise.task).number
        if number is not None:
            assert f"    {number_text(number)} {exercise.task.unit}\n" in key


def mistakes(key: str) -> list[list[str]]:
    """Lines of the tables of slips, split where columns are."""
    found = [part.partition("\n\n")[0] for part in key.split("What usual mistakes give:\n\n")[1:]]
    return [[re.split(r"  +", line)[0] for line in table.split("\n")[2:] if line[:1] != " "] for table in found]


@pytest.mark.parametrize("seed", ["2", "3"])
def test_a_value_has_one_row_in_a_key(seed):
    tables = mistakes(shown("quiz", "--seed", seed, "--count", "12", "--print", "--part", "key"))
    assert len(tables) > 8
    for values in tables:
        assert len(set(values)) == len(values)
        assert not any("(2 b)" in value for value in values)


def test_ways_of_a_slip_are_told_apart():
    # it begins with DeepSeek-V2 on 8 ranks: 270 MiB of 576 elements a token, 64 of them for RoPE
    key = shown("quiz", "--seed", "3", "--level", "3", "--count", "1", "--print", "--part", "key")
    assert "33.75 MiB    rows that every rank holds divided by the ranks (the RoPE key too)" in key
    assert "60 MiB       rows that every rank holds divided by the ranks (all but the RoPE key)" in key
    assert "(the RoPE key copied for each head)" in key
    assert "(the RoPE key kept once)" in key
    assert "(heads that share the model width)" in key


def test_a_crossing_of_causal_pairs_has_its_sizes_put_in():
    key = shown("quiz", "--seed", "2", "--level", "3", "--count", "3", "--print", "--part", "key")
    # (256 - 1024) S^2 + (2*512*256 + 1024*32768*2 - 512*32768 + 1024 - 256) S - 1024*256*32768, over -256
    assert 197635**2 - 4 * 3 * 33554432 == 38656940041
    assert "(197,635 - sqrt(38,656,940,041)) / 6 = 170.22 tokens" in key
    assert "170.667 tokens  the limit for an endless context" in key


def test_units_and_powers_in_formulas_are_set_as_such():
    latex = shown("quiz", "--seed", "2", "--level", "2", "--count", "5", "--print", "--latex")
    assert "11.2683\\ \\mu\\text{s}" in latex
    assert "1.12683 \\cdot 10^{-5}\\ \\text{s}" in latex
    assert "microseconds ($\\mu\\text{s}$)" in latex
    assert not re.search(r"\de[-+]\d|\bus\b", latex)


def test_a_question_stays_on_a_page_with_its_lines():
    page = shown(*SHEET, "--html", "--part", "sheet")
    parts = page.split('<div class="together">')[1:]
    assert len(parts) == 6
    assert all(part.count("<h3") == part.count('class="room"') == 1 for part in parts)
    assert ".together { break-inside: avoid; }" in page


def test_both_are_separable_and_the_key_starts_a_page():
    latex = shown(*SHEET, "--latex")
    sheet, _, key = latex.partition("\\clearpage\n\\section*{Key}")
    assert "\\rule{\\linewidth}" in sheet
    assert "\\rule{\\linewidth}" not in key
    assert "What usual mistakes give" not in sheet
    assert key.count("\\boxed{") == 6


def test_answers_are_folded_on_a_screen():
    page = shown(*SHEET, "--html")
    assert page.count('<details class="fold">') == 6
    assert page.index("Answer to exercise 1") < page.index("What usual mistakes give")
    assert "<details" not in shown(*SHEET, "--html", "--part", "sheet").partition("<main")[2]
    assert shown(*SHEET, "--markdown").count("<summary>Answer to exercise") == 6


@needs_latex
@pytest.mark.parametrize("seed", ["4", "11"])
def test_sheet_and_key_compile_without_complaint(tmp_path, seed):
    assert PDFLATEX, "pdflatex is required here and not installed"
    path = tmp_path / "sheet.tex"
    assert shown("quiz", "--seed", seed, "--count", "9", "--print", "--latex", "-o", str(path)) == ""
    done = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", path.name], cwd=tmp_path,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.search(r"Overfull|undefined|Missing char", done.stdout)


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "quiz.json"
    path.write_text("old")
    assert shown("quiz", "--seed", "1", "--json", "-o", str(path)) == ""
    assert json.loads(path.read_text())["seed"] == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["quiz.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "x"), "--seed x: write a whole number of at most 19 digits"),
        (("--seed", "-1"), "--seed -1: write a whole number of at most 19 digits"),
        (("--seed", "9" * 19), "a seed is between 0 and 9223372036854775807"),
        (("--count", "0"), "a number of exercises is between 1 and 200"),
        (("--count", "201"), "a number of exercises is between 1 and 200"),
        (("--count", "3.5"), "--count 3.5: write a whole number of at most 19 digits"),
        (("--level", "4"), "a level is 1, 2 or 3, not 4"),
        (("--level", "hard"), "--level hard: write a whole number of at most 19 digits"),
        (("--lesson", "shardin"), "unknown lesson 'shardin'; did you mean 'sharding'?"),
        (("--lesson", "sharding", "--level", "1"),
         "there are no exercises of level 1 on this; levels with some: 2 and 3"),
        (("--part", "key"), "--part says what --print prints; give both"),
        (("--print", "--part", "keys"), "unknown part 'keys'; did you mean 'key'?"),
        (("--latex",), "--latex is a format of --print; give both, or neither to be asked"),
        (("--print", "--json"), "--print and --json were both given; --json has the questions and the keys"),
        (("--print", "--latex", "--html"), "--latex and --html were both given; choose one output format"),
        (("-o", "quiz.tex"), "-o writes what --print or --json makes; give one of them"),
        (("--lession", "x"), "unknown option '--lession'; did you mean '--lesson'?"),
    ],
)  # fmt: skip
def test_refusals(arguments, message):
    assert refused("quiz", *arguments) == message
