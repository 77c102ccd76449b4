"""Claims of a document and its tables, from the entries of its file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..errors import unknown
from ..yamlfile import Entry
from .asking import Asking
from .document import VERDICTS, Against, Claim, Row, Table
from .formulas import with_names
from .printed import numerals_of, read_printed
from .setting import Setting

__all__ = ["Making", "section_name"]

_STATEMENTS = ("holds", "equivalent", "independent", "increasing", "crossover", "cheapest", "same-value")
_STATED = ("value", "equals", *_STATEMENTS)
_COMMON = (
    "says", "under", "over", "group", "sizes", "against", "expect", "remark", "assume", "line", "lines",
    "instead", "beside",
)  # fmt: skip
_CLAIM = (*_COMMON, "prints", "means", *_STATED)
_ROW = ("with", "cells", "label", "line", "lines", "sizes", "assume", "under", "expect")
_CELL = tuple(key for key in _CLAIM if key not in ("line", "lines"))
_OF_FIGURES = ("over", "instead", "against", "group")
_ID = re.compile(r"[A-Za-z0-9.+-]{1,120}")
_NOTHING = "the key 'prints' is missing: the figure or the formula as it stands in the document"


def section_name(number: str) -> str:
    """A section in words: by number where it has one."""
    return f"section {number}" if number[:1].isdigit() or len(number) < 4 else number


@dataclass(slots=True)
class Making:
    """Makes the claims of one document; no id may stand twice."""

    asking: Asking
    """Reads settings and texts."""
    seen: dict[str, Claim] = field(default_factory=dict)
    """Those made so far."""
    named: list[tuple[str, Entry]] = field(default_factory=list)
    """Ids that claims speak of, and where."""

    def claim(self, name: str, entry: Entry, base: Setting, where: str) -> Claim:
        """One that stands outside tables."""
        fields = entry.mapping(allowed=_CLAIM)
        lines = self._lines(fields, entry)
        _either(fields, entry)
        return self._made(name, fields, entry, base, where, lines, fields.get("prints") or fields.get("means"))

    def _lines(self, fields: Mapping[str, Entry], entry: Entry) -> tuple[int, ...]:
        if "lines" in fields and "line" in fields:
            raise fields["line"].fail("a claim has line, or lines where it stands on several, not both")
        if "lines" in fields and not fields["lines"].items():
            raise fields["lines"].fail("the list is empty: where in the document it stands")
        if "lines" in fields:
            found = tuple(item.integer(1, 100_000) for item in fields["lines"].items())
            if len(set(found)) < len(found):
                raise fields["lines"].fail("a line stands twice")
            return found
        if "line" not in fields:
            raise entry.fail("the key 'line' is missing: where in the document it stands")
        return (fields["line"].integer(1, 100_000),)

    def _made(
        self, name: str, fields: Mapping[str, Entry], entry: Entry, base: Setting, where: str,
        lines: tuple[int, ...], prints: Entry | None, group: str = "",
    ) -> Claim:  # fmt: skip
        if name in self.seen:
            raise entry.fail(f"the id {name!r} stands twice")
        if not _ID.fullmatch(name):
            raise entry.fail(
                f"the id {name[:60]!r} has other signs than letters, digits, points, plus and hyphens"
            )
        kind, what = self._stated(fields, entry, prints)
        for key in _OF_FIGURES if kind != "figure" else ("assume",):
            if key in fields:
                what_it_is = "a figure" if kind == "figure" else "a statement or a formula"
                raise fields[key].fail(f"{what_it_is} has no {key!r}")
        setting = self.asking.setting(fields.get("under"), base)
        if prints is not None and isinstance(prints.value, float):
            raise prints.fail("write the figure in quotation marks, so that no digit of it is lost")
        text = prints.text(400) if prints is not None else ""
        printed = read_printed(text, prints.place) if prints is not None and kind == "figure" else None
        expect = fields["expect"].text() if "expect" in fields else "holds"
        if expect not in VERDICTS:
            raise unknown("verdict", expect, VERDICTS, fields["expect"].place)
        claim = Claim(
            id=name, document=self.asking.name, where=where,
            says=self.asking.ours(fields["says"]) if "says" in fields else "", lines=lines, prints=text,
            printed=printed, kind=kind, what=what,
            assume=tuple(fields["assume"].items()) if "assume" in fields else (),
            setting=setting, places=self.asking.places(fields.get("over"), setting),
            group=fields["group"].text(60) if "group" in fields else group or name,
            sizes=_sizes(fields.get("sizes")),
            against=self._against(fields["against"]) if "against" in fields else None, expect=expect,
            remark=self.asking.ours(fields["remark"], 600) if "remark" in fields else "",
            in_words="means" in fields,
            beside=tuple(self._named(item) for item in fields["beside"].items()) if "beside" in fields else (),
            instead=tuple(self.asking.instead(fields["instead"], setting)) if "instead" in fields else (),
        )  # fmt: skip
        own = (*claim.beside, *(claim.against.ids.values() if claim.against is not None else ()))
        if name in own:
            raise entry.fail("a claim is held against others, not against itself")
        self.seen[name] = claim
        return claim

    def _stated(self, fields: Mapping[str, Entry], entry: Entry, prints: Entry | None) -> tuple[str, Entry]:
        """The kind of a claim, and its formula or statement in the engine's own letters."""
        asked = [key for key in _STATED if key in fields]
        if len(asked) != 1:
            raise entry.fail(f"a claim has one of value, equals, {', '.join(_STATEMENTS)}")
        kind, what = asked[0], fields[asked[0]]
        if kind in ("value", "equals") and prints is None:
            raise entry.fail(_NOTHING)
        if kind == "value":
            self.asking.formula(what)
            return "figure", what
        if kind == "equals":
            assert prints is not None
            self.asking.formula(what)
            said = with_names(prints, self.asking.letters)
            return "holds", replace(prints, value=f"{said.text(400)} = {what.text(400)}")
        return kind, what

    def _against(self, entry: Entry) -> Against:
        fields = entry.mapping()
        if "is" not in fields:
            raise entry.fail("the key 'is' is missing: a formula of figures printed elsewhere")
        ids = {key: self._named(item) for key, item in fields.items() if key != "is"}
        if not ids:
            raise entry.fail("name the figures of the formula, each with the id of a claim, as in a: 1-first")
        return Against(fields["is"].text(), fields["is"], ids)

    def _named(self, entry: Entry) -> str:
        """The id of another claim of the document, which may come later."""
        name = self.asking.id(entry.text(80))
        self.named.append((name, entry))
        return name

    def check(self) -> None:
        """Raises InputError where a claim speaks of another that is none, or has no figure."""
        short = {
            name.removeprefix(f"{self.asking.name}-") for name, claim in self.seen.items() if claim.printed
        }
        for name, entry in self.named:
            if name in self.seen and self.seen[name].printed is None:
                raise entry.fail(f"{entry.text(80)} is a statement or a formula, and a figure is needed")
            if name not in self.seen:
                raise unknown("claim with a figure", entry.text(80), short, entry.place)

    def table(self, name: str, entry: Entry, number: str, base: Setting) -> Table:
        """A table with a claim in every cell."""
        allowed = ("under", "expect", "corner")
        fields = entry.mapping(allowed=allowed, required=("title", "columns", "rows"))
        base = self.asking.setting(fields.get("under"), base)
        columns = fields["columns"].mapping()
        title = self.asking.ours(fields["title"], 200)
        where = f"{section_name(number)}, {title}"
        if not columns or not fields["rows"].mapping():
            raise entry.fail("a table has a column and a row at least")
        made = []
        for label, item in fields["rows"].mapping().items():
            row = self._row(self.asking.id(number, name, label), label, item, base, where)
            if len(row.cells) != len(columns):
                cells = f"{len(row.cells)} cell{'' if len(row.cells) == 1 else 's'}"
                raise item.fail(f"{cells} for {len(columns)} columns; write ~ for an empty one")
            made_cells = [
                self._cell(row, column, head, cell, fields.get("expect"), self.asking.id(number, name))
                for (column, head), cell in zip(columns.items(), row.cells, strict=True)
            ]
            made.append(Row(row.label, row.setting, tuple(made_cells)))
        corner = fields["corner"].text(60) if "corner" in fields else ""
        heads = tuple(self.asking.label(head.mapping()["title"], base) for head in columns.values())
        return Table(name, title, (corner, *heads), base, tuple(made))

    def _row(self, name: str, label: str, entry: Entry, base: Setting, where: str) -> _Row:
        keys = entry.mapping(allowed=_ROW, required=("cells",))
        setting = self.asking.setting(keys.get("under"), base)
        shown = self.asking.label(keys["label"], setting) if "label" in keys else label
        swap = {k: v.text(400) for k, v in keys["with"].mapping().items()} if "with" in keys else {}
        return _Row(
            name, shown, keys, tuple(keys["cells"].items()), setting, swap,
            self._lines(keys, entry), f"{where}, row {label}",
        )  # fmt: skip

    def _cell(
        self, row: _Row, column: str, head: Entry, cell: Entry, expect: Entry | None, group: str
    ) -> Claim | None:
        """The claim of a cell: what its column says, then its row, then itself."""
        if cell.value is None:
            return None
        fields = dict(head.mapping(allowed=(*_CELL, "title"), required=("title",)))
        fields.pop("title")
        own = cell.mapping(allowed=_CELL) if isinstance(cell.value, dict) else {"prints": cell}
        _either(own, cell)
        prints = own.get("prints") or own.get("means")
        if prints is None:
            raise cell.fail(_NOTHING)
        if set(own) & set(_STATED):
            fields = {key: value for key, value in fields.items() if key not in _STATED}
        if expect is not None:
            fields.setdefault("expect", expect)
        kept = ("sizes", "expect") if "value" in {*fields, *own} else ("sizes", "expect", "assume")
        fields |= {key: row.fields[key] for key in kept if key in row.fields} | own
        for key in ("value", "equals", "holds"):
            if key in fields:
                fields[key] = with_names(fields[key], row.swap)
        name = f"{row.name}-{column}"
        return self._made(name, fields, cell, row.setting, f"{row.where}, {column}", row.lines, prints, group)


def _either(fields: Mapping[str, Entry], entry: Entry) -> None:
    if "prints" in fields and "means" in fields:
        raise entry.fail(
            "a claim has the figure that stands there (prints) or our reading of words (means), not both"
        )


def _sizes(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    found = tuple(numerals_of(entry.text()))
    if not found:
        raise entry.fail("no numeral is in it; write those of the line, such as 2,048 96")
    return found


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table."""

    name: str
    label: str
    fields: Mapping[str, Entry]
    cells: tuple[Entry, ...]
    setting: Setting
    swap: Mapping[str, str]
    lines: tuple[int, ...]
    where: str
