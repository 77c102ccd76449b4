"""A report: prose, formulas and tables in no format yet, every formula in LaTeX and in plain text.

Templates turn a report into a format; `plaindata` gives it to them as dicts and lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .shown import Shown, from_above

__all__ = [
    "Block",
    "Box",
    "Cell",
    "Code",
    "Display",
    "Figure",
    "Fold",
    "Heading",
    "Items",
    "Link",
    "Math",
    "Prose",
    "Report",
    "Room",
    "Table",
    "Term",
    "cell",
    "prose",
]


@dataclass(frozen=True, slots=True)
class Math:
    """A formula."""

    latex: str
    """For LaTeX and Markdown; `\\struck{..}` marks what cancels."""
    text: str
    """For the terminal."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to another file of the same set of reports."""

    words: str
    """Plain words."""
    target: str
    """A relative path."""


@dataclass(frozen=True, slots=True)
class Term:
    """Words that are set apart, such as a term where it is explained."""

    words: str
    """Plain words."""


Cell = tuple[str | Math | Link | Term, ...]
"""Words, formulas and links in a row."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A section title."""

    text: str
    """Plain words."""
    level: int = 1
    """1 for a section, 2 below it."""
    apart: bool = False
    """Whether it starts a new sheet of paper."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    cell: Cell
    """Words and formulas."""


@dataclass(frozen=True, slots=True)
class Display:
    """Formulas on lines of their own."""

    lines: tuple[Math, ...]
    """One formula a line; `&` marks where lines align."""
    boxed: bool = False
    """A result to take away."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    headers: tuple[str, ...]
    """Column titles."""
    rows: tuple[tuple[Cell, ...], ...]
    """Cells."""
    align: str
    """A letter a column: l, r, or p for words that may wrap."""
    caption: str = ""
    """One sentence, or nothing."""


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    cells: tuple[Cell, ...]
    """The entries."""
    ordered: bool = False
    """Whether they are numbered."""
    beside: tuple[Cell, ...] = ()
    """For each entry what stands beside it where there is room, and else follows it; or nothing at all."""

    def __post_init__(self) -> None:
        if self.beside and len(self.beside) != len(self.cells):
            raise ValueError("as many cells beside as there are entries, or none")

    def whole(self) -> list[Cell]:
        """The entries, each with what follows it."""
        if not self.beside:
            return list(self.cells)
        return [(*entry, *more) for entry, more in zip(self.cells, self.beside, strict=True)]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to type: commands, or Python, which a notebook can run."""

    text: str
    """Whole lines, without a break at the end."""
    language: str = "shell"
    """`shell` or `python`."""


@dataclass(frozen=True, slots=True)
class Box:
    """A result to take away, set off from the rest."""

    title: str
    """Plain words."""
    blocks: tuple[Block, ...]
    """What it holds; neither headings nor folds."""


@dataclass(frozen=True, slots=True)
class Fold:
    """An answer that is not seen before it is asked for: folded away on a screen, last on paper."""

    title: str
    """Plain words that say to what it is the answer."""
    blocks: tuple[Block, ...]
    """What it holds; neither headings nor folds."""


@dataclass(frozen=True, slots=True)
class Room:
    """Lines to write an answer on by hand; nothing where nobody does."""

    lines: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing in a file of its own."""

    path: str
    """Beside the page."""
    caption: str
    """What it shows, in a sentence."""
    drawing: str = ""
    """The file's SVG, for a page that holds all it shows; or nothing."""


Block = Heading | Prose | Display | Table | Items | Figure | Code | Box | Fold | Room


@dataclass(frozen=True, slots=True)
class Report(Shown):
    """A document in no format yet: a title, blocks, sources."""

    title: str
    """Plain words."""
    subtitle: str
    """Plain words; may be empty."""
    blocks: tuple[Block, ...]
    """In order."""
    sources: tuple[str, ...] = field(default=())
    """What it rests on."""

    def __repr__(self) -> str:
        return f"Report({self.title}: {len(self.blocks)} blocks)"

    def _repr_markdown_(self) -> str:
        """The whole document, as Jupyter shows it."""
        found: str = from_above("render.notebook").notebook_markdown(self)
        return found


def prose(*parts: str | Math | Link | Term) -> Prose:
    """A paragraph of words and formulas."""
    return Prose(tuple(parts))


def cell(*parts: str | Math | Link | Term) -> Cell:
    """A table cell."""
    return tuple(parts)
