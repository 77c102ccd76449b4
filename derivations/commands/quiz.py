"""`derive quiz`: exercises on the terminal, on paper, or as data."""

from __future__ import annotations

import re
from typing import Any

import click

from ..errors import InputError, unknown
from .options import format_options, pick_format
from .output import check_output, emit

_COUNT = 5


def _lessons(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from ..resources import names

    return [name for name in names("models", "lessons", suffix=".md") if name.startswith(incomplete)]


@click.command(
    help="Exercises whose answers are derived, and so are the wrong ones that usual mistakes give: asks on the "
    "terminal, marks a number or a formula with its unit, and says which mistake was made. With --print, a "
    "sheet to hand out and its key."
)
@click.option("--lesson", metavar="NAME", shell_complete=_lessons, help="Only what a lesson practises.")
@click.option("--seed", metavar="N", help="Repeats the exercises of that number; else one is drawn.")
@click.option(
    "--level", metavar="1|2|3",
    help="1 closed forms and small numbers, 2 released models, 3 crossovers, ranks, FP8; else rising.",
)  # fmt: skip
@click.option("--count", metavar="N", help=f"How many ({_COUNT}).")
@click.option("--print", "printed", is_flag=True, help="Print a sheet and its key.")
@click.option("--part", metavar="PART", help="With --print: both (the default), sheet or key.")
@format_options(template=False)
def command(lesson: str | None, **flags: Any) -> int | None:
    """Draw exercises; ask or print them."""
    chosen = [name for name in ("text", "markdown", "latex", "html") if flags[name]]
    as_data, output = flags["json"], flags["output"]
    form = pick_format(flags)
    check_output(output)
    printed, part = flags["printed"], flags["part"]
    _check_flags(printed, part, chosen, as_data, output)
    count = _whole("--count", flags["count"], _COUNT)
    level = None if flags["level"] is None else _whole("--level", flags["level"], 1)
    from ..exercises.generating import exercises
    from ..exercises.topics import ANYTHING, Topic

    topic = ANYTHING
    if lesson is not None:
        from ..lessons.reading import load_lesson

        topic = Topic.of(**load_lesson(lesson).exercises)
    seed = _drawn() if flags["seed"] is None else _whole("--seed", flags["seed"], 0)
    found = exercises(seed, count, level, topic)
    if as_data:
        from ..render.data import to_json
        from ..render.exercises import exercises_data

        emit(to_json(exercises_data(found, seed)), output)
        return None
    if not printed:
        from .quizloop import ask

        return ask(found, seed)
    from ..pages.exercise import exercise_report
    from ..render import render

    about = f"lesson {lesson}" if lesson is not None else ""
    folded = form in ("html", "markdown")
    emit(render(exercise_report(found, seed, part or "both", folded, about), form), output)
    return None


def _check_flags(printed: bool, part: str | None, chosen: list[str], as_data: bool, output: str | None) -> None:
    from ..pages.exercise import PARTS

    if printed and as_data:
        raise InputError("--print and --json were both given; --json has the questions and the keys")
    if part is not None and part not in PARTS:
        raise unknown("part", part, PARTS)
    if printed:
        return
    if part is not None:
        raise InputError("--part says what --print prints; give both")
    if chosen:
        raise InputError(f"--{chosen[0]} is a format of --print; give both, or neither to be asked")
    if output is not None and not as_data:
        raise InputError("-o writes what --print or --json makes; give one of them")


def _whole(option: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,19}", text.strip()):
        raise InputError(f"{option} {text[:20]}: write a whole number of at most 19 digits")
    return int(text)


def _drawn() -> int:
    """A seed that is short enough to be typed again."""
    from random import SystemRandom

    return SystemRandom().randrange(1_000_000)
