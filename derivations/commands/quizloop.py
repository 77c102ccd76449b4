"""The conversation of `derive quiz`: asks, marks, gives hints, and ends politely whoever ends it."""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..exercises.answer import answer_of
from ..exercises.asked import Task
from ..exercises.generating import Exercise
from ..exercises.hints import hints_of
from ..exercises.marking import Verdict, mark
from ..exercises.typed import LONGEST
from ..exercises.wording import flat, question_of, title_of
from ..pages.exercise import answer_math
from ..pages.worked import worked_blocks
from ..render import render
from ..report import Report
from .output import emit

__all__ = ["ask"]

WIDTH = 100
"""Columns."""
_MOST_READ = 10 * LONGEST
"""Characters that are read of one line; the rest is thrown away."""
HELP = "Type a number with a unit, or a formula such as 2*H*L*(d_k + d_v). ? gives a hint, skip, answer, quit."
INTERRUPTED = 130
"""Exit status after Ctrl-C."""


@dataclass(slots=True)
class _Score:
    """How it goes."""

    asked: int = 0
    """Exercises begun."""
    right: int = 0
    """Solved."""
    at_once: int = 0
    """Solved with the first attempt."""


class _End(Exception):
    """The other side has left."""


def ask(exercises: Sequence[Exercise], seed: int) -> int:
    """Ask them all; the exit status. Whoever leaves early is told the score so far."""
    score = _Score()
    if isinstance(sys.stdin, io.TextIOWrapper):  # a byte that is no letter is said to be none, and asked again
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        _say(f"{len(exercises)} exercise{'' if len(exercises) == 1 else 's'}, --seed {seed}. {HELP}")
        for exercise in exercises:
            score.asked += 1
            _one(exercise, len(exercises), score)
    except _End:
        _say(f"\nGoodbye. {_scored(score, len(exercises))}")
        return 0
    except KeyboardInterrupt:
        _say(f"\n\nGoodbye. {_scored(score, len(exercises))}")
        return INTERRUPTED
    _say(f"\nDone. {_scored(score, len(exercises))}")
    return 0


def _scored(score: _Score, of: int) -> str:
    first = f", {score.at_once} with the first attempt" if score.right else ""
    return f"Right: {score.right} of {of}{first}."


def _one(exercise: Exercise, of: int, score: _Score) -> None:
    task = exercise.task
    _say(f"\n{exercise.number} of {of} (level {exercise.level}). {title_of(task)}")
    for words in question_of(task):
        _say(f"\n{flat(words)}")
    hints, attempts = list(hints_of(task)), 0
    while True:
        text = _read()
        word = text.strip().lower()
        if word in ("quit", "exit", "q"):
            raise _End
        if word in ("skip", "s"):
            _say("Skipped.")
            return
        if word in ("answer", "a"):
            _show(task, ())
            return
        if word in ("?", "hint", "help", "h"):
            _say(hints.pop(0) if hints else f"There are no more hints; `answer` shows it. {HELP}")
            continue
        found = mark(task, text)
        if found.verdict is Verdict.RIGHT:
            score.right += 1
            score.at_once += attempts == 0
            _show(task, ("Right.", *found.sentences))
            return
        attempts += found.verdict is not Verdict.AGAIN
        for index, sentence in enumerate(found.sentences):
            _say(sentence, "  " if index else "")


def _show(task: Task, words: Iterable[str]) -> None:
    """The answer and how it is derived."""
    answer = answer_of(task)
    assert answer is not None, "every exercise has an answer"
    _say(" ".join(words) or f"The answer: {answer_math(answer).text}.")
    derived = render(Report("", "", tuple(worked_blocks(task))), "text").strip("\n")
    _say_lines(["", *derived.split("\n")])


def _say(text: str, indent: str = "") -> None:
    lines = []
    for part in text.split("\n"):
        lines += textwrap.wrap(
            part, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        ) or [""]  # fmt: skip
    _say_lines(lines)


def _say_lines(lines: Iterable[str]) -> None:
    emit("\n".join(lines) + "\n", None)


def _read() -> str:
    """One line without its end. Raises _End at the end of input."""
    if sys.stdin is None:
        raise _End
    emit("\n> ", None)
    try:
        line = rest = sys.stdin.readline(_MOST_READ)
        while len(rest) == _MOST_READ and not rest.endswith("\n"):
            rest = sys.stdin.readline(_MOST_READ)
    except (OSError, ValueError):  # closed while we waited
        raise _End from None
    if not line:
        raise _End
    if not sys.stdin.isatty():  # so that a protocol shows what was answered
        shown = "".join(c if c.isprintable() else "?" for c in line.rstrip("\n")[: WIDTH - 2])
        emit(f"{shown}\n", None)
    return line.rstrip("\n")
