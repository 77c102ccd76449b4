"""A lesson as data: a text whose figures and formulas are holes, and the quantities that fill them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..documents.document import Drawing
from ..documents.setting import Setting
from ..documents.sheet import Sheet
from ..errors import Place
from ..yamlfile import Entry

__all__ = [
    "Bullets",
    "Directive",
    "Formulas",
    "Group",
    "GroupKind",
    "Hole",
    "HoleKind",
    "Lesson",
    "Line",
    "Newly",
    "Paragraph",
    "Part",
    "Reference",
    "Rows",
    "Show",
    "Snippet",
    "Title",
]


class HoleKind(StrEnum):
    """What a hole asks for."""

    FORMULA = "formula"
    MODEL = "model"
    GPU = "gpu"
    TENSOR = "tensor"


class Show(StrEnum):
    """How the value of a formula is shown."""

    CLOSED = "closed"
    """The closed form alone."""
    NUMBER = "number"
    """A number with its unit, in few digits."""
    EXACT = "exact"
    """A number with its unit, every digit."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place of the text that the engine fills."""

    kind: HoleKind
    """What is asked for."""
    entry: Entry
    """The formula, or the name, and where it stands."""
    show: Show = Show.CLOSED
    """How a formula is shown."""
    named: bool = False
    """Whether the formula itself, as it is written, stands before an equals sign."""
    setting: str = ""
    """The name of the setting that a number is taken at; the lesson's own where empty."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Words that lead to another lesson or page."""

    words: str
    """Plain words."""
    target: str
    """A lesson, or a relative path."""


@dataclass(frozen=True, slots=True)
class Newly:
    """A term where it is explained."""

    words: str
    """Plain words."""


Line = tuple[str | Hole | Reference | Newly, ...]
"""A run of text."""


@dataclass(frozen=True, slots=True)
class Title:
    """The heading of a section."""

    text: str
    """Plain words."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    line: Line
    """Its text."""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    lines: tuple[Line, ...]
    """Its entries."""
    ordered: bool
    """Whether they are numbered."""


@dataclass(frozen=True, slots=True)
class Formulas:
    """Formulas on lines of their own."""

    holes: tuple[Hole, ...]
    """One a line."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A table."""

    headers: tuple[str, ...]
    """Column titles."""
    cells: tuple[tuple[Line, ...], ...]
    """Rows."""
    align: str
    """A letter a column: l, r, or p for words that may wrap."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines to type."""

    text: str
    """The lines."""
    language: str
    """`shell` or `python`."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A passage that the engine writes: a program, a ledger, a division, a proof."""

    words: tuple[str, ...]
    """What is asked: its name first."""
    place: Place
    """Where it stands."""


class GroupKind(StrEnum):
    """What a group of parts is."""

    TAKEAWAY = "takeaway"
    PROBLEM = "problem"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that belong together."""

    kind: GroupKind
    """What they are."""
    parts: tuple[Part, ...]
    """The parts; no groups and no titles."""


Part = Title | Paragraph | Bullets | Formulas | Rows | Snippet | Directive | Group


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson."""

    name: str
    """As asked for: `derive lesson NAME`."""
    number: int
    """Its place in the course, from 1."""
    title: str
    """Plain words."""
    question: str
    """What it answers, as a question."""
    after: tuple[str, ...]
    """Lessons that come before it."""
    sheet: Sheet
    """The quantities its holes may name."""
    own: Setting
    """Where its numbers are taken, unless a hole says otherwise."""
    settings: Mapping[str, Setting]
    """Other places, by name."""
    figures: Mapping[str, Drawing]
    """Drawings that the text may show, by name."""
    parts: tuple[Part, ...]
    """The text."""
    exercises: Mapping[str, tuple[str, ...]]
    """What it practises: `variants` and `quantities` of exercises, by their names."""
    sources: tuple[str, ...]
    """What it rests on."""
    minutes: int
    """How long it takes: its words, formulas and problems, counted."""
