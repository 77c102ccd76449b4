"""Reads the file of a document (models/claims/article.yaml and its like) into a `Document`.

docs/documents.md has the language with examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..dims import is_name
from ..errors import unknown
from ..notation import load_notation
from ..resources import is_document, is_path, names, resource
from ..yamlfile import Entry, read_yaml
from .asking import Asking
from .described import one_of
from .document import Document, Drawing, NotClaimed, Section
from .formulas import FUNCTIONS
from .making import Making, section_name
from .printed import numerals_of
from .setting import Setting
from .sheet import Sheet
from .sheetcheck import check_sheet

__all__ = ["document_names", "load_document", "read_document", "read_drawing"]

_OPTIONAL = ("names", "letters", "symbols", "not-claims", "under")
_REQUIRED = ("document", "title", "about", "sha256", "notation", "quantities", "sections")
_TAKEN = ("errata", "readme")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_SECTION = ("title", "text", "tables", "claims", "under", "figure", "ours")


def document_names() -> tuple[str, ...]:
    """The documents that ship."""
    return tuple(name for name in names("models", "claims") if is_document(name))


def load_document(name: str) -> Document:
    """A bundled document, or the user's own (a path). Raises InputError with file and line."""
    if is_path(name):
        return read_document(read_yaml(Path(name), name))
    if name not in document_names():
        raise unknown("document", name, document_names())
    return _bundled(name)


@cache
def _bundled(name: str) -> Document:
    return read_document(read_yaml(resource("models", "claims", f"{name}.yaml"), f"models/claims/{name}.yaml"))


def read_document(entry: Entry) -> Document:
    """A document from its file. Raises InputError with file and line."""
    fields = entry.mapping(allowed=_OPTIONAL, required=_REQUIRED)
    name = _plain(fields["document"])
    with fields["notation"].blamed():
        load_notation(fields["notation"].text())
    sheet = Sheet(fields["quantities"].mapping())
    for symbol in fields["symbols"].items() if "symbols" in fields else ():
        if not is_name(symbol.text(40)) or symbol.text() in (*sheet.names(), *FUNCTIONS):
            raise symbol.fail(
                f"{symbol.text(40)!r} is no name, or that of a quantity; call the symbol otherwise"
            )
        sheet.symbols.add(symbol.text())
    check_sheet(sheet)
    letters = fields["letters"].mapping() if "letters" in fields else {}
    known = {letter: one_of(symbol, "symbol", sheet.symbols) for letter, symbol in letters.items()}
    asking = Asking(name, sheet, known)
    making = Making(asking)
    base = asking.setting(fields.get("under"), Setting())
    sections = fields["sections"].mapping()
    document = Document(
        name=asking.name, title=fields["title"].text(120), about=fields["about"].text(600),
        sha256=_sha256(fields["sha256"]), notation=fields["notation"].text(),
        names=fields["names"].texts() if "names" in fields else (), sheet=sheet,
        sections=tuple(_section(making, number, item, base) for number, item in sections.items()),
        not_claimed=tuple(_not_claimed(fields["not-claims"])) if "not-claims" in fields else (),
    )  # fmt: skip
    making.check()
    _check_holes(document, fields["sections"])
    return document


def _plain(entry: Entry) -> str:
    """A name that can be part of a file's."""
    if not _NAME.fullmatch(entry.text(40)):
        raise entry.fail("a name is small letters, digits and hyphens, a letter first")
    if entry.text() in _TAKEN:
        raise entry.fail(f"{entry.text()} is the name of another page; call it otherwise")
    return entry.text(40)


def _sha256(entry: Entry) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}|none", entry.text(64)):
        raise entry.fail("a SHA-256 has 64 digits and small letters a to f; write none where there is no text")
    return entry.text(64)


def _not_claimed(entry: Entry) -> Iterator[NotClaimed]:
    for item in entry.items():
        fields = item.mapping(required=("reason", "lines"))
        lines = {}
        for line, numerals in fields["lines"].mapping().items():
            if not re.fullmatch(r"[1-9][0-9]{0,5}", line):
                raise numerals.fail(f"{line[:20]!r} is no line")
            found = tuple(numerals.text().split())
            for word in found:
                if numerals_of(word) != [word]:
                    raise numerals.fail(f"{word[:20]!r} is no numeral")
            lines[int(line)] = found
        yield NotClaimed(fields["reason"].text(), lines)


def _check_holes(document: Document, sections: Entry) -> None:
    """Raises InputError where a text of ours mentions what is no claim and no number of ours, or is both."""
    claims = {claim.id for claim in document.claims()}
    known = set(claims)
    for number, section in sections.mapping().items():
        ours = section.value["ours"].mapping() if "ours" in section.value else {}
        for name, entry in ours.items():
            whole = "-".join((document.name, number, name))
            if whole in claims:
                raise entry.fail(f"{whole} is a claim already; call the number otherwise")
            known.add(whole)
    for section in sections.mapping().values():
        for text in section.value["text"].items() if "text" in section.value else ():
            for hole in re.findall(r"\{([^{}]*)\}", text.text(1200)):
                if hole.removesuffix(".printed") not in known:
                    raise unknown("claim or number of ours", hole, known, text.place)


def _section(making: Making, number: str, entry: Entry, base: Setting) -> Section:
    asking = making.asking
    fields = entry.mapping(allowed=_SECTION, required=("title",))
    base = asking.setting(fields.get("under"), base)
    title = fields["title"].text(120)
    tables = fields["tables"].mapping() if "tables" in fields else {}
    claims = fields["claims"].mapping() if "claims" in fields else {}
    where = f"{section_name(number)}, {title}"
    return Section(
        number=number, title=title,
        texts=tuple(asking.ours(item, 1200) for item in fields["text"].items()) if "text" in fields else (),
        tables=tuple(making.table(name, item, number, base) for name, item in tables.items()),
        claims=tuple(
            making.claim(asking.id(number, name), item, base, where) for name, item in claims.items()
        ),
        ours=dict(asking.numbers(fields["ours"], base)) if "ours" in fields else {},
        figure=read_drawing(asking, fields["figure"], base) if "figure" in fields else None,
    )  # fmt: skip


def read_drawing(asking: Asking, entry: Entry, base: Setting) -> Drawing:
    """A drawing from its entry. Raises InputError with the place."""
    fields = entry.mapping(
        allowed=("marks", "under"), required=("name", "title", "over", "curves", "from", "to")
    )
    marks = fields["marks"].mapping() if "marks" in fields else {}
    if not fields["curves"].mapping():
        raise fields["curves"].fail("a drawing has a curve at least")
    low, high = (fields[key].integer(1, 10**12) for key in ("from", "to"))
    if low >= high:
        raise fields["to"].fail(f"a drawing goes from less to more, not from {low} to {high}")
    if fields["over"].text() not in asking.sheet.symbols:
        raise unknown("symbol", fields["over"].text(), asking.sheet.symbols, fields["over"].place)
    return Drawing(
        name=_plain(fields["name"]), title=asking.ours(fields["title"], 120), symbol=fields["over"].text(),
        curves={name: asking.formula(item) for name, item in fields["curves"].mapping().items()},
        ends=(low, high), marks={name: asking.formula(item) for name, item in marks.items()},
        setting=asking.setting(fields.get("under"), base),
    )  # fmt: skip
