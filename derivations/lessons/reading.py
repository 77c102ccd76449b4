"""Reads the lessons that ship: a head in YAML between two lines of hyphens, then the text."""

from __future__ import annotations

import re
from functools import cache
from math import ceil

from ..dims import DEPLOYED, STANDARD
from ..documents.asking import Asking
from ..documents.given import GIVEN, RANKS
from ..documents.reading import read_drawing
from ..documents.setting import Setting
from ..documents.sheet import Sheet
from ..documents.sheetcheck import check_sheet
from ..errors import InputError, Place, unknown
from ..resources import names, resource
from ..yamlfile import Entry, parse_yaml
from .holes import HoleReader
from .lesson import Bullets, Directive, Formulas, Group, GroupKind, Lesson, Line, Paragraph, Part, Rows
from .markup import read_parts

__all__ = ["course", "lesson_names", "load_lesson", "read_lesson"]

_REQUIRED = ("lesson", "number", "title", "question", "exercises")
_OPTIONAL = ("after", "quantities", "figures", "under", "settings", "sources")
_HEAD = re.compile(r"---\n(?P<head>.*?\n)---\n(?P<body>.*)", re.S)
_WORDS_A_MINUTE, _A_PASSAGE, _A_PROBLEM = 130, 0.5, 2
"""Reading with a pencil: words a minute; minutes for a formula, a table or a passage, and for a problem."""


def lesson_names() -> tuple[str, ...]:
    """The lessons, in the order of the course."""
    return tuple(lesson.name for lesson in course())


@cache
def course() -> tuple[Lesson, ...]:
    """Every lesson, in order. Raises InputError where numbers or prerequisites do not fit together."""
    found = sorted(map(_bundled, names("models", "lessons", suffix=".md")), key=lambda lesson: lesson.number)
    place = {lesson.name: lesson.number for lesson in found}
    if [lesson.number for lesson in found] != list(range(1, len(found) + 1)):
        raise InputError("the lessons are not numbered one after the other")
    for lesson in found:
        for name in lesson.after:
            if place.get(name, lesson.number) >= lesson.number:
                raise InputError(f"the lesson {lesson.name} cannot come after {name[:40]!r}")
    return tuple(found)


def load_lesson(name: str) -> Lesson:
    """A lesson by its name. Raises InputError with the nearest one."""
    if name not in lesson_names():
        raise unknown("lesson", name, lesson_names())
    return _bundled(name)


@cache
def _bundled(name: str) -> Lesson:
    file = f"models/lessons/{name}.md"
    return read_lesson(resource("models", "lessons", f"{name}.md").read_text(encoding="utf-8"), file)


def read_lesson(text: str, file: str) -> Lesson:
    """A lesson from its text. Raises InputError with file and line."""
    hit = _HEAD.fullmatch(text)
    if hit is None:
        raise InputError("a lesson starts with a head between two lines of ---", Place(file, 1))
    # a line in front keeps the numbers of lines those of the file
    entry = parse_yaml("#\n" + hit["head"], file)
    fields = entry.mapping(allowed=_OPTIONAL, required=_REQUIRED)
    quantities = fields["quantities"].mapping() if "quantities" in fields else {}
    sheet = Sheet(quantities, {*STANDARD, *DEPLOYED, *GIVEN, RANKS})
    check_sheet(sheet)
    asking = Asking(fields["lesson"].text(40), sheet)
    own = asking.setting(fields.get("under"), Setting())
    others = fields["settings"].mapping() if "settings" in fields else {}
    settings = {name: asking.setting(item, own) for name, item in others.items()}
    drawings = (
        [read_drawing(asking, item, own) for item in fields["figures"].items()] if "figures" in fields else []
    )
    first = text[: hit.start("body")].count("\n") + 1
    parts = read_parts(hit["body"], file, first, HoleReader(sheet, settings))
    _check_problems(parts, entry)
    return Lesson(
        name=asking.name, number=fields["number"].integer(1, 99), title=fields["title"].text(80),
        question=fields["question"].text(300), after=fields["after"].texts() if "after" in fields else (),
        sheet=sheet, own=own, settings=settings, parts=parts,
        figures={drawing.name: drawing for drawing in drawings}, exercises=_exercises(fields["exercises"]),
        sources=fields["sources"].texts() if "sources" in fields else (), minutes=_minutes(parts),
    )  # fmt: skip


def _exercises(entry: Entry) -> dict[str, tuple[str, ...]]:
    return {name: item.texts() for name, item in entry.mapping(required=("variants", "quantities")).items()}


def _check_problems(parts: tuple[Part, ...], entry: Entry) -> None:
    """Raises InputError unless every problem is followed by its answer."""
    kinds = [part.kind for part in parts if isinstance(part, Group) and part.kind is not GroupKind.TAKEAWAY]
    expected = [GroupKind.PROBLEM, GroupKind.ANSWER] * (len(kinds) // 2)
    if kinds != expected:
        raise entry.fail("every :problem is followed by its :answer, and no answer stands alone")
    if not any(isinstance(part, Group) and part.kind is GroupKind.TAKEAWAY for part in parts):
        raise entry.fail("a lesson has a :takeaway")


def _minutes(parts: tuple[Part, ...]) -> int:
    """How long a lesson takes, without its answers."""
    words, passages, problems = 0, 0, 0
    for part in parts:
        inner = part.parts if isinstance(part, Group) else (part,)
        if isinstance(part, Group) and part.kind is GroupKind.ANSWER:
            continue
        problems += isinstance(part, Group) and part.kind is GroupKind.PROBLEM
        words += sum(_words(one) for one in inner)
        passages += sum(isinstance(one, Directive | Formulas | Rows) for one in inner)
    return ceil(words / _WORDS_A_MINUTE + passages * _A_PASSAGE + problems * _A_PROBLEM)


def _words(part: Part) -> int:
    lines: tuple[Line, ...] = ()
    if isinstance(part, Paragraph):
        lines = (part.line,)
    elif isinstance(part, Bullets):
        lines = part.lines
    elif isinstance(part, Rows):
        lines = tuple(cell for row in part.cells for cell in row)
    return sum(len(piece.split()) if isinstance(piece, str) else 1 for line in lines for piece in line)
