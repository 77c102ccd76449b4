"""The text of a lesson: a small part of Markdown, with holes that the engine fills.

    ## A section
    A paragraph with {F} in it, *a new term* and [a link](rope).
    - an entry            1. a numbered entry
    {F =}                 a line that is nothing but a hole: a formula on a line of its own
    | a | table |         its second row `| --- | ---: |` says how columns are set
    @division mla absorb  a passage that the engine writes
    ```sh, ```python      lines to type
    :takeaway  :problem  :answer  ... :end

Figures are never typed: a digit outside a hole, a name or lines to type is refused.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ..errors import InputError, Place
from .holes import HOLE, HoleReader
from .lesson import (
    Bullets,
    Directive,
    Formulas,
    Group,
    GroupKind,
    Line,
    Newly,
    Paragraph,
    Part,
    Reference,
    Rows,
    Snippet,
    Title,
)

__all__ = ["read_parts"]

_PIECE = re.compile(
    r"\{(?P<hole>[^{}]*)\}|\[(?P<words>[^\[\]]+)\]\((?P<target>[^()\s]+)\)|(?<!\w)\*(?P<term>[^*{}]+)\*(?!\w)"
)
_TYPED = re.compile(r"(?<![A-Za-z0-9_.-])\d")
_LANGUAGES = {"sh": "shell", "python": "python"}
_ENTRY = re.compile(r"(?:- |(?P<number>\d+\. ))(?P<text>.+)")


def read_parts(text: str, file: str, first: int, holes: HoleReader) -> tuple[Part, ...]:
    """The parts of a text whose first line has the number `first`. Raises InputError with file and line."""
    return tuple(_Reader(text.split("\n"), file, first, holes).parts(None))


class _Reader:
    def __init__(self, lines: list[str], file: str, first: int, holes: HoleReader) -> None:
        self.lines, self.file, self.first, self.holes, self.at = lines, file, first, holes, 0

    def place(self, at: int | None = None) -> Place:
        return Place(self.file, self.first + (self.at if at is None else at))

    def parts(self, group: GroupKind | None) -> Iterator[Part]:
        """Parts up to the end of the text, or of a group."""
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            if not line:
                self.at += 1
            elif line.startswith(":"):
                if line == ":end" and group is not None:
                    self.at += 1
                    return
                yield self._group(line, group)
            else:
                part = self._part(line)
                if group is not None and isinstance(part, Title):
                    raise InputError("a title inside a group", self.place(self.at - 1))
                yield part
        if group is not None:
            raise InputError(f"the group :{group} has no :end", self.place())

    def _group(self, line: str, outer: GroupKind | None) -> Group:
        known = [kind.value for kind in GroupKind]
        if line[1:] not in known or outer is not None:
            words = "groups do not stand in each other" if outer is not None else f"one of :{', :'.join(known)}"
            raise InputError(f"{line[:30]!r} is not expected here; {words}", self.place())
        self.at += 1
        kind = GroupKind(line[1:])
        return Group(kind, tuple(self.parts(kind)))

    def _part(self, line: str) -> Part:
        if line.startswith("```"):
            return self._snippet(line)
        if line.startswith("## "):
            self.at += 1
            return Title(line[3:].strip())
        if line.startswith("@"):
            return self._directive(line)
        if line.startswith("|"):
            return self._rows()
        if _ENTRY.fullmatch(line):
            return self._bullets(line)
        if HOLE.fullmatch(line):
            return self._formulas()
        return self._paragraph()

    def _snippet(self, line: str) -> Snippet:
        language, start = line[3:].strip(), self.at
        if language not in _LANGUAGES:
            raise InputError(f"lines to type are sh or python, not {language[:20]!r}", self.place())
        self.at += 1
        body = []
        while self.at < len(self.lines) and self.lines[self.at].strip() != "```":
            body.append(self.lines[self.at].rstrip())
            self.at += 1
        if self.at == len(self.lines):
            raise InputError("lines to type that do not end with ```", self.place(start))
        self.at += 1
        return Snippet("\n".join(body), _LANGUAGES[language])

    def _directive(self, line: str) -> Directive:
        place = self.place()
        self.at += 1
        try:
            words = tuple(shlex.split(line[1:]))
        except ValueError:
            raise InputError("a quotation mark that is not closed", place) from None
        if not words:
            raise InputError("@ needs the name of a passage, as in @division mla absorb", place)
        return Directive(words, place)

    def _taken(self, wanted: re.Pattern[str]) -> Iterator[tuple[str, Place]]:
        """The lines from here on that look like this."""
        while self.at < len(self.lines) and wanted.fullmatch(self.lines[self.at].strip()):
            yield self.lines[self.at].strip(), self.place()
            self.at += 1

    def _rows(self) -> Rows:
        place = self.place()
        rows = [(line.strip("|").split("|"), where) for line, where in self._taken(re.compile(r"\|.*\|"))]
        if len(rows) < 3 or any(set(cell.strip()) - set("-:p") for cell in rows[1][0]):
            raise InputError("a table has a head, a line such as | --- | ---: |, and rows", place)
        width = len(rows[0][0])
        for cells, where in rows:
            if len(cells) != width:
                raise InputError(f"{len(cells)} cells where the head has {width}", where)
        if any("{" in cell for cell in rows[0][0]):
            raise InputError("the head of a table has plain words and no holes", place)
        align = "".join(_set(cell.strip()) for cell in rows[1][0])
        body = tuple(tuple(self._line(c.strip(), where) for c in cells) for cells, where in rows[2:])
        return Rows(tuple(self._words(cell.strip(), place) for cell in rows[0][0]), body, align)

    def _bullets(self, line: str) -> Bullets:
        ordered = not line.startswith("-")
        entries = []
        for text, place in self._joined():
            hit = _ENTRY.fullmatch(text)
            assert hit is not None
            if (hit["number"] is not None) != ordered:
                raise InputError("a list has numbers on all of its entries, or on none", place)
            entries.append(self._line(hit["text"], place))
        return Bullets(tuple(entries), ordered)

    def _joined(self) -> Iterator[tuple[str, Place]]:
        """Entries of a list with the lines that go on with them."""
        current, place = "", self.place()
        while self.at < len(self.lines) and self.lines[self.at].strip():
            raw = self.lines[self.at]
            if _ENTRY.fullmatch(raw.strip()):
                if current:
                    yield current, place
                current, place = raw.strip(), self.place()
            elif raw.startswith("  "):
                current += " " + raw.strip()
            else:
                break
            self.at += 1
        yield current, place

    def _formulas(self) -> Formulas:
        return Formulas(tuple(self.holes.read(line[1:-1], place) for line, place in self._taken(HOLE)))

    def _paragraph(self) -> Paragraph:
        place = self.place()
        words: list[str] = []
        while self.at < len(self.lines) and (line := self.lines[self.at].strip()):
            if words and (line[0] in "@|:#" or line.startswith("```")):
                break
            words.append(line)
            self.at += 1
        return Paragraph(self._line(" ".join(words), place))

    def _line(self, text: str, place: Place) -> Line:
        """Words, holes and links of a run of text."""
        found: list[str | object] = []
        last = 0
        for hit in _PIECE.finditer(text):
            found.append(self._words(text[last : hit.start()], place))
            if hit["hole"] is not None:
                found.append(self.holes.read(hit["hole"], place))
            elif hit["term"] is not None:
                found.append(Newly(self._words(hit["term"], place)))
            else:
                found.append(Reference(self._words(hit["words"], place), hit["target"]))
            last = hit.end()
        found.append(self._words(text[last:], place))
        return tuple(piece for piece in found if piece != "")  # type: ignore[misc]

    def _words(self, text: str, place: Place) -> str:
        if _TYPED.search(text):
            raise InputError(
                f"a figure typed by hand in {text.strip()[:60]!r}; ask the engine in a hole", place
            )
        if "{" in text or "}" in text:
            raise InputError(f"a brace that is not closed in {text.strip()[:60]!r}", place)
        return text


def _set(cell: str) -> str:
    """How a column is set, from its cell in the line below the head."""
    return "p" if "p" in cell else "r" if cell.endswith(":") else "l"
