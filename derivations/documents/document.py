"""A published document as data: its sections in order, with our words, its tables, and what it claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..yamlfile import Entry
from .printed import Printed, numerals_of
from .setting import Setting
from .sheet import Sheet

__all__ = [
    "VERDICTS",
    "Against",
    "Claim",
    "Document",
    "Drawing",
    "Instead",
    "NotClaimed",
    "Row",
    "Section",
    "Table",
]

VERDICTS = ("holds", "holds if", "wrong", "contradicts")


@dataclass(frozen=True, slots=True)
class Against:
    """Another place of the same document that says what a figure ought to be."""

    formula: str
    """A formula of printed figures, for people."""
    entry: Entry
    """The same, located; its names are those of `ids`."""
    ids: Mapping[str, str]
    """Name in the formula -> id of a claim."""


@dataclass(frozen=True, slots=True)
class Instead:
    """Another quantity that a figure may have been taken for."""

    words: str
    """What it is, in a phrase."""
    what: Entry
    """Its formula."""
    setting: Setting
    """Where it is taken."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a document says: a figure, a formula, or a statement."""

    id: str
    """Unique in all documents."""
    document: str
    """Its document."""
    where: str
    """Section, table, row and column, or the sentence, in words."""
    says: str
    """What it says, in our words."""
    lines: tuple[int, ...]
    """Lines of the document's text."""
    prints: str
    """The figure or the formula as printed, in the document's letters; empty for a statement in words."""
    printed: Printed | None
    """The figure, where it is one."""
    kind: str
    """`figure`, or what is stated: `holds`, `independent` and so on."""
    what: Entry
    """The formula that derives the figure, or the statement."""
    assume: tuple[Entry, ...]
    """For statements: what is taken as given."""
    setting: Setting
    """What it is about, as the document says."""
    places: tuple[tuple[str, Setting], ...]
    """Every place it must hold at, where the document names none or several."""
    group: str
    """Figures that share their conventions."""
    sizes: tuple[str, ...]
    """Other numerals of the line that are part of what is asked, such as L = 2,048."""
    against: Against | None
    """Where the document says something else."""
    expect: str
    """The verdict its file expects."""
    remark: str
    """A word of ours on it; no figures."""
    in_words: bool
    """Whether `prints` is our reading of words, or of a formula that is lost."""
    beside: tuple[str, ...]
    """Ids of other figures that a convention must leave right."""
    instead: tuple[Instead, ...]
    """Other quantities that the figure may have been taken for."""

    @property
    def everywhere(self) -> tuple[tuple[str, Setting], ...]:
        """Every place it must hold at; its own setting, without words, where none is named."""
        return self.places or (("", self.setting),)

    @property
    def numerals(self) -> tuple[str, ...]:
        """The numerals of the document that it accounts for, but for `sizes`."""
        return () if self.in_words else tuple(numerals_of(self.prints))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    label: str
    """Our words; `{H}` stands for a size of `setting`."""
    setting: Setting
    """What the row is about."""
    cells: tuple[Claim | None, ...]
    """A claim in each, or nothing."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the document: claims by rows and columns."""

    name: str
    """Within its section."""
    title: str
    """Our words."""
    headers: tuple[str, ...]
    """Column titles, the one of the row labels first; `{L}` stands for a size of `setting`."""
    setting: Setting
    """What the table is about."""
    rows: tuple[Row, ...]
    """From top to bottom."""

    def claims(self) -> Iterator[Claim]:
        """Its claims, row by row."""
        for row in self.rows:
            yield from (cell for cell in row.cells if cell is not None)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A curve over one size, with vertical marks."""

    name: str
    """Of its file."""
    title: str
    """Our words."""
    symbol: str
    """The size along x."""
    curves: Mapping[str, Entry]
    """Name -> formula along y."""
    ends: tuple[int, int]
    """The smallest and the largest size."""
    marks: Mapping[str, Entry]
    """Label -> formula of the size it stands at."""
    setting: Setting
    """Where it is taken."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document."""

    number: str
    """As the document counts; may be empty."""
    title: str
    """Our words."""
    texts: tuple[str, ...]
    """Paragraphs of ours; `{id}` stands for the derived value of a claim."""
    tables: tuple[Table, ...]
    """In order."""
    claims: tuple[Claim, ...]
    """Those outside tables, in order."""
    ours: Mapping[str, tuple[Entry, Setting]]
    """Numbers that our paragraphs mention and the document does not print."""
    figure: Drawing | None = None
    """A drawing that belongs here."""

    def all_claims(self) -> Iterator[Claim]:
        """Those of its tables, then the others."""
        for table in self.tables:
            yield from table.claims()
        yield from self.claims


@dataclass(frozen=True, slots=True)
class NotClaimed:
    """Numerals that claim nothing."""

    reason: str
    """Why."""
    lines: Mapping[int, tuple[str, ...]]
    """Line -> numerals."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document with everything it says."""

    name: str
    """`article`, `note` or `card`."""
    title: str
    """Its title."""
    about: str
    """What it is, in our words."""
    sha256: str
    """Of the text the lines count in."""
    names: tuple[str, ...]
    """Names with digits in them, which are no numerals."""
    notation: str
    """Its letters."""
    sheet: Sheet
    """Its quantities."""
    sections: tuple[Section, ...]
    """In order."""
    not_claimed: tuple[NotClaimed, ...]
    """Numerals that claim nothing."""

    def claims(self) -> Iterator[Claim]:
        """Every claim, in the order of the document."""
        for section in self.sections:
            yield from section.all_claims()
