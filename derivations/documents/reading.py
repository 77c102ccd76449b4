"""Reads the file of a document (models/claims/article.yaml and its like) into a `Document`.

docs/documents.md has the language with examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from ..checkpoints import load_checkpoint
from ..conventions import KNOBS
from ..dims import parse_value
from ..errors import unknown
from ..hardware import load_accelerator
from ..notation import load_notation
from ..poly import Coefficient
from ..resources import is_document, names, resource
from ..yamlfile import Entry, read_yaml
from .document import VERDICTS, Against, Claim, Document, Drawing, Instead, NotClaimed, Section, Table
from .printed import numerals_of, read_printed
from .setting import Setting
from .sheet import Sheet, check_formula, with_names

__all__ = ["STATEMENTS", "document_names", "load_document"]

STATEMENTS = ("holds", "equivalent", "independent", "increasing", "crossover", "cheapest", "same-value")
_STATED = ("value", "equals", *STATEMENTS)
_UNDER = ("model", "gpu", "set", "tp", "layout", "without", "options", "layers", *KNOBS)
_COMMON = ("says", "under", "over", "group", "sizes", "against", "expect", "remark", "assume", "line", "instead", "beside")
_CLAIM = (*_COMMON, "prints", "means", "value", "equals", "lines", *STATEMENTS)
_SECTION = ("title", "text", "tables", "claims", "under", "figure", "ours")
_TYPED = re.compile(r"(?<![A-Za-z0-9_.{-])\d")


def document_names() -> tuple[str, ...]:
    """The documents that ship."""
    return tuple(name for name in names("models", "claims") if is_document(name))


@cache
def load_document(name: str) -> Document:
    """A document by name. Raises InputError with file and line."""
    if name not in document_names():
        raise unknown("document", name, document_names())
    return _Reader(read_yaml(resource("models", "claims", f"{name}.yaml"), f"models/claims/{name}.yaml")).read()


@dataclass(slots=True)
class _Reader:
    entry: Entry
    name: str = ""
    letters: dict[str, str] = field(default_factory=dict)
    sheet: Sheet = field(default_factory=lambda: Sheet({}))
    seen: dict[str, Claim] = field(default_factory=dict)

    def read(self) -> Document:
        fields = self.entry.mapping(
            allowed=("names", "letters", "symbols", "not-claims", "under"),
            required=("document", "title", "about", "sha256", "notation", "quantities", "sections"),
        )
        self.name = fields["document"].text(20)
        with fields["notation"].blamed():
            load_notation(fields["notation"].text())
        for letter, symbol in (fields["letters"].mapping() if "letters" in fields else {}).items():
            self.letters[letter] = symbol.text(40)
        self.sheet = Sheet(fields["quantities"].mapping())
        self.sheet.symbols |= set(fields["symbols"].texts()) if "symbols" in fields else set()
        base = self._setting(fields["under"], Setting()) if "under" in fields else Setting()
        sections = tuple(self._section(number, item, base) for number, item in fields["sections"].mapping().items())
        document = Document(
            name=self.name, title=fields["title"].text(120), about=fields["about"].text(600),
            sha256=fields["sha256"].text(64), notation=fields["notation"].text(),
            names=fields["names"].texts() if "names" in fields else (), sheet=self.sheet, sections=sections,
            not_claimed=tuple(self._not_claimed(fields["not-claims"])) if "not-claims" in fields else (),
        )  # fmt: skip
        for claim in document.claims():
            self._check_against(claim)
        return document

    def _not_claimed(self, entry: Entry) -> Iterator[NotClaimed]:
        for item in entry.items():
            fields = item.mapping(required=("reason", "lines"))
            lines = {}
            for line, numerals in fields["lines"].mapping().items():
                if not line.isdigit():
                    raise numerals.fail(f"{line[:20]!r} is no line")
                lines[int(line)] = tuple(str(numerals.text()).split())
            yield NotClaimed(fields["reason"].text(), lines)

    def _section(self, number: str, entry: Entry, base: Setting) -> Section:
        fields = entry.mapping(allowed=_SECTION, required=("title",))
        base = self._setting(fields["under"], base) if "under" in fields else base
        title = fields["title"].text(120)
        tables = fields["tables"].mapping() if "tables" in fields else {}
        claims = fields["claims"].mapping() if "claims" in fields else {}
        return Section(
            number=number, title=title,
            texts=tuple(self._ours(item, 1200) for item in fields["text"].items()) if "text" in fields else (),
            tables=tuple(self._table(name, item, number, base) for name, item in tables.items()),
            claims=tuple(
                self._claim(self._id(number, name), item, base, f"{self._numbered(number)}, {title}")
                for name, item in claims.items()
            ),
            ours=dict(self._numbers(fields["ours"], base)) if "ours" in fields else {},
            figure=self._drawing(fields["figure"], base) if "figure" in fields else None,
        )  # fmt: skip

    def _drawing(self, entry: Entry, base: Setting) -> Drawing:
        fields = entry.mapping(allowed=("marks", "under"), required=("name", "title", "over", "curves", "from", "to"))
        curves, marks = fields["curves"].mapping(), fields["marks"].mapping() if "marks" in fields else {}
        for formula in (*curves.values(), *marks.values()):
            check_formula(self.sheet, formula)
        low, high = (fields[key].integer(1, 10**12) for key in ("from", "to"))
        if low >= high:
            raise fields["to"].fail(f"a drawing goes from less to more, not from {low} to {high}")
        if fields["over"].text() not in self.sheet.symbols:
            raise unknown("symbol", fields["over"].text(), self.sheet.symbols, fields["over"].place)
        return Drawing(
            fields["name"].text(40), self._ours(fields["title"], 120), fields["over"].text(), curves, (low, high), marks,
            self._setting(fields["under"], base) if "under" in fields else base,
        )  # fmt: skip

    def _numbers(self, entry: Entry, base: Setting) -> Iterator[tuple[str, tuple[Entry, Setting]]]:
        for name, item in entry.mapping().items():
            fields = item.mapping(allowed=("under",), required=("value",))
            check_formula(self.sheet, fields["value"])
            yield name, (fields["value"], self._setting(fields["under"], base) if "under" in fields else base)

    def _id(self, *parts: str) -> str:
        return "-".join((self.name, *(part for part in parts if part)))

    def _numbered(self, number: str) -> str:
        return f"section {number}" if number[:1].isdigit() or len(number) < 4 else number

    def _ours(self, entry: Entry, longest: int = 400) -> str:
        """A text of ours, which holds no figures: those are derived."""
        text = entry.text(longest)
        bare = re.sub(r"\{[^{}]*\}|section [A-Z0-9.]+|equation \d+", "", text)
        if _TYPED.search(bare):
            raise entry.fail("a figure typed by hand; write {id of a claim} for its derived value")
        return text

    def _setting(self, entry: Entry, base: Setting) -> Setting:
        fields = entry.mapping(allowed=_UNDER)
        changed: dict[str, object] = {}
        for key, loader in (("model", load_checkpoint), ("gpu", load_accelerator)):
            if key in fields:
                with fields[key].blamed():
                    loader(fields[key].text())
                changed[key] = fields[key].text()
        sizes: dict[str, Coefficient] = dict(base.sizes)
        for symbol, value in (fields["set"].mapping() if "set" in fields else {}).items():
            if symbol not in self.sheet.symbols:
                raise unknown("symbol", symbol, self.sheet.symbols, value.place)
            with value.blamed():
                number = str(value.value) if isinstance(value.value, float) else value.text()
                sizes[symbol] = parse_value(symbol, number, symbol not in ("b", "R"), "")
        knobs = dict(base.knobs)
        for key in KNOBS:
            if key in fields:
                if fields[key].text() not in KNOBS[key].values:
                    raise unknown(f"value of {key}", fields[key].text(), KNOBS[key].values, fields[key].place)
                knobs[key] = fields[key].text()
        options = dict(base.options)
        for option, kept in (fields["options"].mapping() if "options" in fields else {}).items():
            options[option] = kept.value is True
        if "without" in fields:
            changed["without"] = base.without | set(fields["without"].texts())
        if "tp" in fields:
            changed["tp"] = fields["tp"].integer(1, 4096)
        if "layers" in fields:
            if fields["layers"].text() not in ("attention", "all"):
                raise unknown("value of layers", fields["layers"].text(), ("attention", "all"), fields["layers"].place)
            changed["layers"] = fields["layers"].text()
        if "layout" in fields:
            changed["layout"] = fields["layout"].text(80)
        return replace(base, sizes=sizes, knobs=knobs, options=options, **changed)  # type: ignore[arg-type]

    def _places(self, entry: Entry | None, base: Setting) -> tuple[tuple[str, Setting], ...]:
        """The places of `over`: settings under their labels."""
        if entry is None:
            return ()
        return tuple((label, self._setting(item, base)) for label, item in entry.mapping().items())

    def _claim(self, name: str, entry: Entry, base: Setting, where: str) -> Claim:
        fields = entry.mapping(allowed=_CLAIM)
        lines = self._lines(fields, entry)
        if "prints" in fields and "means" in fields:
            raise entry.fail("a claim has the figure that stands there (prints) or our reading of words (means), not both")
        return self._made(name, fields, entry, base, where, lines, fields.get("prints") or fields.get("means"))

    def _lines(self, fields: Mapping[str, Entry], entry: Entry) -> tuple[int, ...]:
        if "lines" in fields:
            return tuple(item.integer(1, 100_000) for item in fields["lines"].items())
        if "line" not in fields:
            raise entry.fail("the key 'line' is missing: where in the document it stands")
        return (fields["line"].integer(1, 100_000),)

    def _made(
        self, name: str, fields: Mapping[str, Entry], entry: Entry, base: Setting, where: str,
        lines: tuple[int, ...], prints: Entry | None, group: str = "",
    ) -> Claim:  # fmt: skip
        if name in self.seen:
            raise entry.fail(f"the id {name!r} stands twice")
        kind, what = self._stated(fields, entry, prints)
        setting = self._setting(fields["under"], base) if "under" in fields else base
        if prints is not None and isinstance(prints.value, float):
            raise prints.fail("write the figure in quotation marks, so that no digit of it is lost")
        text = prints.text(400) if prints is not None else ""
        printed = read_printed(text, prints.place) if prints is not None and kind == "figure" else None
        expect = fields["expect"].text() if "expect" in fields else "holds"
        if expect not in VERDICTS:
            raise unknown("verdict", expect, VERDICTS, fields["expect"].place)
        claim = Claim(
            id=name, document=self.name, where=where,
            says=self._ours(fields["says"]) if "says" in fields else "", lines=lines, prints=text,
            printed=printed, kind=kind, what=what,
            assume=tuple(fields["assume"].items()) if "assume" in fields else (),
            setting=setting, places=self._places(fields.get("over"), setting),
            group=fields["group"].text(60) if "group" in fields else group or name,
            sizes=tuple(numerals_of(fields["sizes"].text())) if "sizes" in fields else (),
            against=self._against(fields["against"]) if "against" in fields else None, expect=expect,
            remark=self._ours(fields["remark"], 600) if "remark" in fields else "", in_words="means" in fields,
            beside=tuple(self._id(item) for item in fields["beside"].texts()) if "beside" in fields else (),
            instead=tuple(self._instead(fields["instead"], setting)) if "instead" in fields else (),
        )  # fmt: skip
        self.seen[name] = claim
        return claim

    def _instead(self, entry: Entry, base: Setting) -> Iterator[Instead]:
        for words, item in entry.mapping().items():
            fields = item.mapping(allowed=("under",), required=("value",))
            check_formula(self.sheet, fields["value"])
            yield Instead(words, fields["value"], self._setting(fields["under"], base) if "under" in fields else base)

    def _stated(self, fields: Mapping[str, Entry], entry: Entry, prints: Entry | None) -> tuple[str, Entry]:
        """The kind of a claim, and its formula or statement in the engine's own letters."""
        asked = [key for key in _STATED if key in fields]
        if len(asked) != 1:
            raise entry.fail(f"a claim has one of value, equals, {', '.join(STATEMENTS)}")
        kind, what = asked[0], fields[asked[0]]
        if kind in ("value", "equals") and prints is None:
            raise entry.fail("the key 'prints' is missing: the figure or the formula as it stands in the document")
        if kind == "value":
            check_formula(self.sheet, what)
            return "figure", what
        if kind == "equals":
            assert prints is not None
            check_formula(self.sheet, what)
            said = with_names(prints, self.letters)
            return "holds", replace(prints, value=f"{said.text(400)} = {what.text(400)}")
        return kind, what

    def _against(self, entry: Entry) -> Against:
        fields = entry.mapping()
        if "is" not in fields:
            raise entry.fail("the key 'is' is missing: a formula of figures printed elsewhere")
        ids = {key: self._id(item.text(80)) for key, item in fields.items() if key != "is"}
        return Against(fields["is"].text(), fields["is"], ids)

    def _check_against(self, claim: Claim) -> None:
        place = claim.what.place if claim.against is None else claim.against.entry.place
        for name in (*claim.beside, *(claim.against.ids.values() if claim.against is not None else ())):
            if name not in self.seen or self.seen[name].printed is None:
                raise unknown("claim with a figure", name, self.seen, place)

    def _table(self, name: str, entry: Entry, number: str, base: Setting) -> Table:
        fields = entry.mapping(allowed=("under", "group", "expect", "corner"), required=("title", "columns", "rows"))
        base = self._setting(fields["under"], base) if "under" in fields else base
        columns = fields["columns"].mapping()
        rows = fields["rows"].mapping()
        title = self._ours(fields["title"], 200)
        group = self._id(number, name)
        made = []
        for label, row in rows.items():
            keys = row.mapping(
                allowed=("with", "cells", "sizes", "label", "lines", *(k for k in _COMMON if k != "group")), required=("cells",)
            )
            cells = keys["cells"].items()
            if len(cells) != len(columns):
                raise keys["cells"].fail(f"{len(cells)} cells for {len(columns)} columns; write ~ for an empty one")
            own = self._setting(keys["under"], base) if "under" in keys else base
            swap = {k: v.text(400) for k, v in keys["with"].mapping().items()} if "with" in keys else {}
            shown = keys["label"].text(80) if "label" in keys else label
            line = self._lines(keys, row)
            claims = []
            for (column, head), cell in zip(columns.items(), cells, strict=True):
                if cell.value is None:
                    claims.append(None)
                    continue
                claims.append(self._cell(self._id(number, name, label, column), head, cell, keys, own, swap, line,
                                         f"{self._numbered(number)}, {title}, {shown}", group, fields))  # fmt: skip
            made.append((shown, tuple(claims)))
        corner = fields["corner"].text(60) if "corner" in fields else ""
        heads = tuple(head.mapping()["title"].text(80) for head in columns.values())
        return Table(name, title, (corner, *heads), tuple(made))

    def _cell(
        self, name: str, head: Entry, cell: Entry, row: Mapping[str, Entry], base: Setting,
        swap: Mapping[str, str], line: tuple[int, ...], where: str, group: str, table: Mapping[str, Entry],
    ) -> Claim:  # fmt: skip
        fields = dict(head.mapping(allowed=(*_CLAIM, "title"), required=("title",)))
        title = fields.pop("title").text(80)
        prints = cell
        if isinstance(cell.value, dict):
            own = cell.mapping(allowed=_CLAIM)
            found = own.get("prints") or own.get("means")
            if found is None:
                raise cell.fail("the key 'prints' is missing: the figure or the formula as it stands in the document")
            prints = found
            if set(own) & set(_STATED):
                fields = {key: value for key, value in fields.items() if key not in _STATED}
            fields |= own
        for key in ("sizes", "assume"):
            if key in row:
                fields.setdefault(key, row[key])
        for key in ("expect",):
            if key in table:
                fields.setdefault(key, table[key])
            if key in row and not (isinstance(cell.value, dict) and key in cell.value):
                fields[key] = row[key]
        for key in ("value", "equals", "holds"):
            if key in fields:
                fields[key] = with_names(fields[key], swap)
        return self._made(name, fields, cell, base, f"{where}, {title}", line, prints, group)
