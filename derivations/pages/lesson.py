"""A lesson as a report: every hole of its text filled by the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..lessons.lesson import (
    Bullets,
    Directive,
    Formulas,
    Group,
    GroupKind,
    Hole,
    Lesson,
    Line,
    Newly,
    Paragraph,
    Part,
    Reference,
    Rows,
    Snippet,
    Title,
)
from ..report import (
    Block,
    Box,
    Cell,
    Code,
    Display,
    Fold,
    Heading,
    Items,
    Link,
    Math,
    Prose,
    Report,
    Table,
    Term,
    cell,
    prose,
)
from .lessonholes import Holes
from .lessonpassages import passage
from .lessonpython import python_blocks

__all__ = ["lesson_list", "lesson_report"]


def lesson_report(lesson: Lesson, course: tuple[Lesson, ...], drawn: bool = False) -> Report:
    """The lesson as a page; `course` has the titles of those before it. Drawings stand in it if `drawn`."""
    titles = {other.name: other.title for other in course}
    blocks: list[Block] = [Prose((lesson.question,)), _before(lesson, titles)]
    blocks += _Filled(lesson, titles, drawn).blocks()
    blocks += [*python_blocks(lesson), *_after(lesson, course)]
    return Report(
        f"{lesson.number}. {lesson.title}", f"about {lesson.minutes} minutes", tuple(blocks), lesson.sources
    )


def lesson_list(course: tuple[Lesson, ...]) -> Report:
    """The course: every lesson with its question, its prerequisites and its time."""
    rows = tuple(
        (
            cell(f"{lesson.number}"), cell(lesson.name), cell(Link(lesson.title, f"{lesson.name}.md")),
            cell(", ".join(lesson.after) or "-"), cell(f"{lesson.minutes} min"),
        )
        for lesson in course
    )  # fmt: skip
    total = sum(lesson.minutes for lesson in course)
    blocks = (
        prose("Each lesson asks one question and derives the answer. Formulas and numbers come from the "
              "engine; only the words are written by hand. Answers are folded away, or stand at the end."),
        Table(("", "lesson", "title", "after", "time"), rows, "rlplr", f"{total} minutes in all."),
        Items(tuple(cell(f"{lesson.title}: {lesson.question}") for lesson in course)),
    )  # fmt: skip
    return Report("Lessons", "the cost of attention, derived", blocks)


def _before(lesson: Lesson, titles: dict[str, str]) -> Prose:
    if not lesson.after:
        return Prose(("Nothing is assumed but matrix products.",))
    words: list[str | Link] = ["Read before: "]
    for index, name in enumerate(lesson.after):
        words += [", " if index else "", Link(titles.get(name, name), f"{name}.md")]
    return Prose((*words, "."))


def _after(lesson: Lesson, course: tuple[Lesson, ...]) -> list[Block]:
    following = next((other for other in course if other.number == lesson.number + 1), None)
    blocks: list[Block] = [
        Heading("Practice"),
        prose("Exercises on this lesson, with a diagnosis of wrong answers:"),
        Code(f"derive quiz --lesson {lesson.name}"),
    ]
    if following is not None:
        blocks.append(Prose(("Next: ", Link(following.title, f"{following.name}.md"), ".")))
    return blocks


@dataclass(slots=True)
class _Filled:
    """Fills the holes of one lesson."""

    lesson: Lesson
    """The lesson."""
    titles: dict[str, str]
    """Lesson -> title."""
    drawn: bool
    """Whether drawings are shown."""
    problems: int = 0
    """Problems so far."""
    holes: Holes = field(init=False)
    """What fills the holes."""

    def __post_init__(self) -> None:
        self.holes = Holes(self.lesson)

    def blocks(self) -> Iterator[Block]:
        """The text, in order."""
        for part in self.lesson.parts:
            yield from self.group(part) if isinstance(part, Group) else self.part(part)

    def group(self, group: Group) -> Iterator[Block]:
        inner = tuple(block for part in group.parts for block in self.part(part))
        if group.kind is GroupKind.TAKEAWAY:
            yield Box("Take away", inner)
        elif group.kind is GroupKind.PROBLEM:
            self.problems += 1
            if self.problems == 1:
                yield Heading("Problems")
            yield Heading(f"Problem {self.problems}", 2)
            yield from inner
        else:
            yield Fold(f"Answer to problem {self.problems}", inner)

    def part(self, part: Part) -> Iterator[Block]:
        match part:
            case Title(text):
                yield Heading(text)
            case Paragraph(line):
                yield Prose(self.line(line))
            case Bullets(lines, ordered):
                yield Items(tuple(self.line(line) for line in lines), ordered)
            case Formulas(holes):
                yield Display(tuple(math for hole in holes for math in self.holes.display(hole)))
            case Rows(headers, cells, align):
                yield Table(headers, tuple(tuple(self.line(one) for one in row) for row in cells), align)
            case Snippet(text, language):
                yield Code(text, language)
            case Directive(words) if words[0] == "figure" and not self.drawn:
                return
            case Directive():
                yield from passage(part, self.lesson)
            case Group():
                raise ValueError("a group inside a group, which reading refuses")

    def line(self, line: Line) -> Cell:
        """Words, filled holes and links."""
        found: list[str | Math | Link | Term] = []
        for piece in line:
            if isinstance(piece, Newly):
                found.append(Term(piece.words))
                continue
            if isinstance(piece, Reference):
                known = piece.target in self.titles
                found.append(Link(piece.words, f"{piece.target}.md" if known else piece.target))
            elif isinstance(piece, Hole):
                found += self.holes.inline(piece)
            else:
                found.append(piece)
        return tuple(found)
