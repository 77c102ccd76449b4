"""Lessons: holes that are filled or refused, a course in order, and everything in it that can be run, run."""

# ruff: noqa: E501 - tables of messages, one a line

from __future__ import annotations

import ast
import math
import re
import shlex
from fractions import Fraction

import pytest
from browser import needs_browser, opened
from command import derive, refused, shown
from notebooks import cells_of, in_kernel, run
from test_render import compiled, needs_latex

from derivations.algebra import Ratio
from derivations.arranging import without_links
from derivations.documents.setting import Setting
from derivations.documents.sheet import Sheet
from derivations.errors import InputError
from derivations.lessons.dimensions import Dimension, dimension_of
from derivations.lessons.lesson import Group, GroupKind
from derivations.lessons.reading import course, load_lesson, read_lesson
from derivations.pages.lesson import lesson_report
from derivations.pages.measures import measured
from derivations.render import render
from derivations.report import Code, Display, Fold, Math, Prose, Table
from derivations.yamlfile import parse_yaml

NAMES = (
    "counting", "heads", "latent", "bracketings", "prefill", "rope", "sparse", "sharding", "drafts", "limits",
)  # fmt: skip

HEAD = """---
lesson: trial
number: 1
title: A trial
question: What is tried?
quantities:
  F: {flops: mha}
  M: {bytes: mha}
  I: {intensity: mha}
  kv: {row: mla+rope}
  S_star: {crossover: [F_a, F_e], in: S}
  F_a: {flops: mla, order: absorb, phase: verify, scope: attention}
  F_e: {flops: mla, order: expand, phase: verify, scope: attention}
under: {model: deepseek-v3, gpu: h100-sxm, set: {L: 8192, S: 1}}
settings:
  short: {set: {L: 1024}}
exercises: {variants: [mha], quantities: [flops]}
---
"""
TAKEAWAY = ":takeaway\nWell.\n:end\n"


def text_of(body: str) -> str:
    """A trial lesson in plain text."""
    lesson = read_lesson(HEAD + body + "\n\n" + TAKEAWAY, "trial.md")
    return render(lesson_report(lesson, (lesson,)), "text")


# DeepSeek-V3 has H = 128, d_k = d_v = 128, d_c = 512, d_r = 64; L = 8192.
FILLED = [
    ("{F}", "2 H L (d_k + d_v)"),
    ("{I =}", "I = 2 / b   [FLOP/B]"),
    ("{M =}", "M = b H L (d_k + d_v)   [B]"),
    ("{L*d_k =}", "L d_k\n"),
    ("{4*H/b =}", "4 H / b\n"),
    ("So {F #}.", "So 536.9 MFLOP."),  # 2 * 128 * 8192 * 256 = 536,870,912
    ("So {F ##}.", "So 536,870,912 FLOP."),
    ("So {F # short}.", "So 67.11 MFLOP."),  # 2 * 128 * 1024 * 256 = 67,108,864
    ("So {kv #}.", "So 1.15 kB (1.12 KiB)."),  # 2 * 576 = 1152
    ("So {kv ##}.", "So 1,152 B."),
    ("So {kv*layers ##}.", "So 70,272 B."),  # 61 * 1152
    ("So {M/bandwidth #}.", "So 160.3 µs."),  # 536,870,912 B / 3.35e12 B/s = 160.26 us
    ("So {I = #}.", "So I = 2 / b = 1 FLOP/B."),
    ("So {L = #}.", "So L = 8,192."),
    ("{S_star #}", "167.2"),  # 8192*512*256 / (512*256 + 8192*768) = 167.18
    ("{S_star =}", "S* = L d_c (d_k + d_v) / (d_c (d_k + d_v) + L (2 d_c - d_k - d_v))"),
    ("{F/M =}", "F / M = 2 / b"),
    ("{model kimi-k3} on {gpu h200-sxm} reads {tensor mla W_UK}.", "Kimi K3 on NVIDIA H200 SXM reads W_UK."),
    ("A *new term* and [a link](latent).", "A new term and a link."),
    ("Look at GLM-4.7 in BF16.", "Look at GLM-4.7 in BF16."),
    ("- one {d_k #}\n- two\n  goes on", "- one 128\n- two goes on"),
    ("1. first\n2. second", " 1. first\n 2. second"),
    ("| a | b |\n| --- | ---: |\n| {d_k} | {d_k #} |", "a      b\n---  ---\nd_k  128"),
    ("@program mqa", "A[h,s,t] = Q[h,s,k] K[t,k]"),
    ("@division mla absorb", "Both sides carry L and d_c, so they cancel."),
    ("@bracketing mla absorb", "A = ((X(1, d_model) W_Q(H, d_model, d_k)) W_UK(H, d_c, d_k)) C(L, d_c)"),
    ("@claim mla rope-leaves-crossover", "Verdict: proved"),
    ("@carried rope 1", "has 945 bracketings"),
    ("@crossover mla absorb expand S with=short", "At these sizes S* = 146.29."),
    ("```sh\nderive mla\n```", "    derive mla"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "wanted"), FILLED, ids=[body.replace("\n", " ") for body, _ in FILLED])
def test_holes_and_passages_are_filled_by_the_engine(body, wanted):
    assert wanted in text_of(body)


REFUSED = [
    ("The ridge is 295.", "trial.md:19: a figure typed by hand in 'The ridge is 295.'; ask the engine in a hole"),
    ("Fine.\n\nThen 2 heads.", "trial.md:21: a figure typed by hand in 'Then 2 heads.'; ask the engine in a hole"),
    ("{G}", "trial.md:19: unknown name 'G'; known: B, F, F_a"),
    ("{F + M #}", "trial.md:19: FLOP and B cannot be added in the formula 'F + M'"),
    ("{F # long}", "trial.md:19: unknown setting 'long'"),
    ("{F = 3}", "trial.md:19: {F = 3} is no hole; write {F}, {F =}, {F #} or {F = # setting}"),
    ("{d_q/(d_c - d_c) #}", "trial.md:19: a division by zero"),
    ("{model kimi-k4}", "trial.md:19: unknown model 'kimi-k4'"),
    ("{gpu h2000}", "trial.md:19: unknown GPU 'h2000'"),
    ("{tensor mla W_UQ}", "trial.md:19: unknown tensor of mla 'W_UQ'"),
    ("{F", "trial.md:19: a brace that is not closed in '{F'"),
    ("@divide mla absorb", "trial.md:19: unknown passage 'divide'"),
    ("@division mla", "trial.md:19: @division takes 2 words, not 1"),
    ("@division mla absorbed", "trial.md:19: unknown order of mla 'absorbed'"),
    ("@division mla absorb scop=core", "trial.md:19: unknown convention 'scop'; did you mean 'scope'?"),
    ("@division mla absorb with=long", "trial.md:19: unknown setting 'long'"),
    ("@claim mla nothing", "trial.md:19: unknown claim of mla 'nothing'"),
    ("@carried rope 9", "trial.md:19: rope has 2 statements about steps; give a number up to that"),
    ('@division "mla', "trial.md:19: a quotation mark that is not closed"),
    ("@", "trial.md:19: @ needs the name of a passage, as in @division mla absorb"),
    ("```ruby\nx\n```", "trial.md:19: lines to type are sh or python, not 'ruby'"),
    ("```sh\nderive mla", "trial.md:19: lines to type that do not end with ```"),
    (":problem\nWhy?\n:end", "every :problem is followed by its :answer, and no answer stands alone"),
    (":answer\nSo.\n:end", "every :problem is followed by its :answer, and no answer stands alone"),
    (":note\nx\n:end", "trial.md:19: ':note' is not expected here; one of :takeaway, :problem, :answer"),
    (":problem\n:answer\nx\n:end\n:end", "trial.md:20: ':answer' is not expected here; groups do not stand in each other"),
    (":problem\n## A title\n:end", "trial.md:20: a title inside a group"),
    ("| a | b |\n| --- | --- |", "trial.md:19: a table has a head, a line such as | --- | ---: |, and rows"),
    ("| a | b |\n| --- | --- |\n| x |", "trial.md:21: 1 cells where the head has 2"),
    ("- a\n1. b", "trial.md:20: a list has numbers on all of its entries, or on none"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=[body.replace("\n", " ") for body, _ in REFUSED])
def test_what_is_wrong_is_said_with_the_line(body, message):
    with pytest.raises(InputError) as caught:
        text_of(body)
    assert message in str(caught.value)


def test_a_lesson_needs_a_head_and_a_takeaway():
    with pytest.raises(InputError, match="a lesson starts with a head between two lines of ---"):
        read_lesson("# Hello", "trial.md")
    with pytest.raises(InputError, match="a lesson has a :takeaway"):
        read_lesson(HEAD + "Hello.\n", "trial.md")
    with pytest.raises(InputError, match="unknown key 'minutes'"):
        read_lesson(HEAD.replace("number: 1", "number: 1\nminutes: 5") + TAKEAWAY, "trial.md")


UNITS = [
    ("F", Dimension(flops=1)),
    ("F/M", Dimension(flops=1, bytes=-1)),
    ("kv*layers*L", Dimension(bytes=1)),
    ("d_c*b", Dimension(bytes=1)),
    ("F/peak + M/bandwidth", Dimension(seconds=1)),
    ("min(F/peak, M/bandwidth)", Dimension(seconds=1)),
    ("R*M", Dimension(flops=1)),
    ("F - 2*S*L*H", Dimension(flops=1)),
    ("S_star", Dimension()),
    ("F^2/M", Dimension(flops=2, bytes=-1)),
]


@pytest.mark.parametrize(("formula", "unit"), UNITS)
def test_units_follow_from_the_quantities(formula, unit):
    entry = parse_yaml(HEAD.split("---")[1], "trial.md").mapping()
    sheet = Sheet(entry["quantities"].mapping())
    assert dimension_of(sheet, parse_yaml(f"x: {formula}", "x").mapping()["x"]) == unit


@pytest.mark.parametrize("unit", ["B", "FLOP", "FLOP/B", "FLOP/s", "s"])
def test_units_print_as_they_are_read(unit):
    powers = {"B": "bytes", "FLOP": "flops", "s": "seconds"}
    above, _, below = unit.partition("/")
    made = Dimension(**{powers[above]: 1}, **({powers[below]: -1} if below else {}))
    assert made.text == unit


FLOP, BYTE, SECOND = Dimension(flops=1), Dimension(bytes=1), Dimension(seconds=1)
MEASURED = [
    (Fraction(536870912), FLOP, False, "536.9 MFLOP"),
    (Fraction(536870912), FLOP, True, "536,870,912 FLOP"),
    (Fraction(999), FLOP, False, "999 FLOP"),
    (Fraction(2304), BYTE, False, "2.30 kB (2.25 KiB)"),
    (Fraction(640), BYTE, False, "640 B"),
    (Fraction(335, 100) * 10**12, Dimension(bytes=1, seconds=-1), False, "3.35 TB/s"),
    (Fraction(1, 8000), SECOND, False, "125 µs"),
    (Fraction(3, 2), SECOND, False, "1.5 s"),
    (Fraction(2176, 9), Dimension(flops=1, bytes=-1), False, "241.8 FLOP/B"),
    (Fraction(1, 3), Dimension(), False, "0.3333"),
    (Fraction(123456, 10), Dimension(), False, "12,346"),
    (Fraction(0), Dimension(), False, "0"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "unit", "exact", "wanted"), MEASURED)
def test_numbers_have_a_prefix_and_four_digits(value, unit, exact, wanted):
    number, words = measured(value, unit, exact)
    assert number.text + words == wanted


def test_the_course_is_ten_lessons_in_order():
    lessons = course()
    assert tuple(lesson.name for lesson in lessons) == NAMES
    assert [lesson.number for lesson in lessons] == list(range(1, 11))
    for lesson in lessons:
        assert all(NAMES.index(name) < lesson.number - 1 for name in lesson.after), lesson.name
        assert lesson.minutes < 20, lesson.name
        assert lesson.question.endswith("?")
    assert not lessons[0].after
    assert all(lesson.after for lesson in lessons[1:])


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_has_what_a_student_and_a_teacher_need(name):
    lesson = load_lesson(name)
    report = lesson_report(lesson, course())
    folds = [block for block in report.blocks if isinstance(block, Fold)]
    problems = [p for p in lesson.parts if isinstance(p, Group) and p.kind is GroupKind.PROBLEM]
    assert len(problems) == len(folds) >= 3
    assert any(isinstance(block, Display) for block in report.blocks)
    assert lesson.own.model or any(setting.model for setting in lesson.settings.values())
    units = re.findall(r"\d (?:[kMGTP]?FLOP|[kMGT]?B|FLOP/B|[mµn]?s)\b", render(report, "text"))
    assert len(units) >= 5
    assert lesson.sources


@pytest.mark.parametrize("name", NAMES)
def test_every_command_of_a_lesson_runs(name):
    commands = [line for text in snippets(name, "shell") for line in text.splitlines()]
    assert commands
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "derive"
        if words[1] == "quiz":  # it waits for answers
            continue
        assert derive(*words[1:])[0] == 0, command


@pytest.mark.parametrize("name", NAMES)
def test_python_of_a_lesson_runs_and_ends_in_a_value(name):
    found = snippets(name, "python")
    assert found
    for text in found:
        tree = ast.parse(text)
        *body, last = tree.body
        assert isinstance(last, ast.Expr)
        space: dict[str, object] = {}
        exec(compile(ast.Module(body, []), name, "exec"), space)  # noqa: S102 - our own lesson
        assert eval(compile(ast.Expression(last.value), name, "eval"), space) is not None  # noqa: S307


def snippets(name: str, language: str) -> list[str]:
    """Lines to type in a lesson, its answers included."""
    blocks = lesson_report(load_lesson(name), course()).blocks
    inner = [b for block in blocks for b in (block.blocks if isinstance(block, Fold) else (block,))]
    return [b.text for b in inner if isinstance(b, Code) and b.language == language]


@pytest.mark.parametrize("name", NAMES)
def test_python_of_a_lesson_derives_the_quantities_of_its_text(name):
    lesson = load_lesson(name)
    cells = cells_of(shown("lesson", name, "--notebook"))
    space = run([cell for cell in cells if "def derived(" in cell])
    found = [quantity for quantity in lesson.sheet.fields if quantity in space]
    assert found
    for quantity in found:
        value = space[quantity]
        made = value if isinstance(value, Ratio) else Ratio(value)
        told = lesson.sheet.quantity(quantity, Setting())
        assert made.over * told.under == told.over * made.under, quantity


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_of_a_lesson_runs_in_a_kernel(name, tmp_path):
    cells = in_kernel(shown("lesson", name, "--notebook"), tmp_path)
    assert cells
    for cell in cells:
        assert cell.outputs, cell.source
        assert all(output.output_type != "error" for output in cell.outputs)


@needs_browser
@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_lesson_fits_a_phone_and_folds_its_answers(name, chromium):
    with opened(chromium, shown("lesson", name, "--html"), width=360) as view:
        assert view.overflow() == 0
        assert (view.complaints, view.requests) == ([], [])
        folded = view.evaluate("[...document.querySelectorAll('main details')].filter(d => !d.open).length")
        assert folded >= 3
        for summary in view.page.locator("details.fold > summary").all():
            summary.click()
        on_screen = (
            "[...document.querySelectorAll('math')].filter(m => !m.closest('.answers'))"  # else for print
        )
        assert view.evaluate(f"{on_screen}.every(m => m.getBoundingClientRect().height > 0)")


@needs_latex
@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_prints_without_complaint(name, tmp_path):
    said = compiled(shown("lesson", name, "--latex"), tmp_path)
    assert [line for line in said.splitlines() if re.search(r"Overfull|undefined|Missing char", line)] == []


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_folded_on_a_screen_and_last_on_paper(name):
    markdown, latex = shown("lesson", name, "--markdown"), shown("lesson", name, "--latex")
    assert markdown.count("<details>") == markdown.count("</details>") >= 3
    assert "\n## Answers" not in markdown
    assert latex.index(r"\section*{Answers}") > latex.rindex(r"\subsection*{Problem")


def test_the_first_lesson_counts_as_it_teaches():
    text = shown("lesson", "counting")
    heads, width, model, context = 128, 128, 7168, 8192
    flops = 2 * heads * context * (width + width)
    assert f"{flops / 10**6:.1f} MFLOP" in text
    assert "536.87 MB (512.00 MiB)" in text  # one byte for each FLOP at 2 bytes an element
    balance = model * 3 * width / (2 * width)
    assert f"{balance:,.0f} tokens" in text


def test_the_crossover_of_the_fourth_lesson_is_that_of_the_two_sums():
    text = shown("lesson", "bracketings")
    latent, key, value = 512, 128, 128

    def star(context: int) -> float:
        return (
            context * latent * (key + value) / (latent * (key + value) + context * (2 * latent - key - value))
        )

    assert f"{star(32768):.1f}" in text
    assert f"{star(1024):.1f}" in text
    assert math.isclose(star(10**12), 170.6667, rel_tol=1e-6)
    assert "170.7" in text


def test_the_list_and_its_wrong_names():
    assert all(name in shown("lesson", "list") for name in NAMES)
    assert "](" not in shown("lesson", "list", "--markdown")
    assert refused("lesson", "ropes") == "unknown lesson 'ropes'; did you mean 'rope'?"
    assert refused("lesson") == "missing argument 'NAME|list'"
    assert refused("lesson", "rope", "--latex", "--html").startswith("--latex and --html were both given")


@pytest.mark.parametrize("form", ["--html", "--markdown", "--notebook"])
def test_a_lesson_by_itself_leads_to_no_page_that_is_not_there(form):
    text = shown("lesson", "rope", form)
    assert not re.search(r"(?:latent|bracketings|sparse)\.(?:md|html)", text)
    assert "The latent and absorption" in text


def test_the_published_lessons_lead_to_each_other():
    report = lesson_report(load_lesson("rope"), course())
    assert "](latent.md)" in render(report, "markdown")
    assert "](latent.md)" not in render(without_links(report), "markdown")


def test_a_lesson_goes_to_a_file_whole(tmp_path):
    out = tmp_path / "rope.md"
    out.write_text("old")
    derive("lesson", "rope", "--markdown", "-o", str(out))
    assert out.read_text().startswith("# 6. Why RoPE gets in the way")
    assert refused("lesson", "rope", "-o", str(tmp_path / "no" / "x.md")).startswith("-o ")


def test_filled_lines_are_data_not_markup():
    lesson = read_lesson(HEAD + "Words {F} and *terms*.\n\n" + TAKEAWAY, "trial.md")
    blocks = lesson_report(lesson, (lesson,)).blocks
    prose = next(b for b in blocks if isinstance(b, Prose) and len(b.cell) > 3)
    assert isinstance(prose.cell[1], Math)
    assert not any(isinstance(b, Table) for b in blocks)
