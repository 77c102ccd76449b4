"""The page of a document: its sections in order, every figure derived again, with what is to be said of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..algebra import Ratio
from ..atoms import put
from ..dims import is_name
from ..documents.document import VERDICTS, Claim, Document, Section
from ..documents.document import Table as Printed
from ..documents.setting import Setting
from ..documents.verdict import Verdict
from ..errors import InputError
from ..notation import Notation, load_notation
from ..poly import Poly
from ..report import Block, Cell, Figure, Heading, Items, Math, Prose, Report, Table, cell, prose
from ..yamlfile import Entry
from .claimtext import Phrases, points_math, quantity_name
from .figures import compact, derived_text, printed_text

__all__ = ["Page", "document_report"]

LONG = 48
"""Characters of a formula that still stands in a table."""
SHORT = 24
"""Characters of a cell that need no wrapping."""
_HOLE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Page:
    """A document with its verdicts and its letters."""

    document: Document
    """The document."""
    verdicts: Mapping[str, Verdict]
    """Id -> verdict."""

    def notation(self, claim: Claim | None = None) -> Notation:
        """The document's letters; a prompt has other letters than a cache in some."""
        phase = "decode"
        if claim is not None:
            used = [self.document.sheet.entries[name] for name in self.document.sheet.used(claim.what)]
            phases = [e.value["phase"].text() for e in used if isinstance(e.value, dict) and "phase" in e.value]
            phase = "prefill" if "prefill" in phases else phase
        symbols = {n: d for v in self.document.sheet.variants.values() for n, d in v.symbols.items()}
        return Notation.of(symbols, load_notation(self.document.notation), phase, True)

    def closed_form(self, claim: Claim) -> Math | None:
        """What the engine derives for a figure or a formula, in symbols; None for a statement."""
        if claim.kind != "figure" and not (claim.kind == "holds" and claim.prints):
            return None
        right = claim.what if claim.kind == "figure" else _right(claim)
        ratio = self.document.sheet.formula(right, claim.setting)
        given = dict(_given(claim))
        return _math(Ratio(put(ratio.over, given), put(ratio.under, given)), self.notation(claim))

    def formula(self, claim: Claim) -> Math | None:
        """The engine's side of a formula; None where it is too long for a table."""
        math = self.closed_form(claim)
        return math if math is not None and len(math.text) <= LONG else None

    def derived(self, claim: Claim) -> Cell:
        """What is derived for a claim."""
        verdict = self.verdicts[claim.id]
        if claim.printed is not None:
            return cell(derived_text(verdict))
        if claim.kind == "holds" and claim.prints:
            math = self.formula(claim)
            return cell(math if math is not None else "the same" if verdict.status == "holds" else "another formula")
        found = verdict.judgement
        assert found is not None
        if found.status == "proved":
            return cell("proved")
        if found.points:
            maths = points_math(found.points, self.notation(claim))
            return cell("false at ", maths[0]) if len(maths) == 1 else cell("false between ", maths[0], " and ", maths[1])
        return cell("not decided")

    def printed(self, claim: Claim) -> Cell:
        """What the document prints for a claim."""
        if claim.printed is not None:
            return cell(printed_text(claim))
        found = self.verdicts[claim.id].judgement
        assert found is not None
        if claim.kind == "holds" and claim.prints:
            statement = found.assertion.claim.statement
            math = Phrases(self.notation(claim), found.assertion.claim).expression(statement[1])
            return cell("(", math, ")") if claim.in_words else cell(math)
        return cell("in words")


def document_report(page: Page) -> Report:
    """Everything a document prints, derived, in its own order."""
    document = page.document
    found = list(page.verdicts.values())
    counts = ", ".join(f"{sum(v.status == status for v in found)} {_WORDS[status]}" for status in VERDICTS)
    blocks: list[Block] = [
        prose(document.about),
        prose(f"{len(found)} claims: {counts}."),
        prose(
            "A figure holds where the derived number rounds to it; about lets pass one in its last digit that is "
            "not zero, five percent at most. Where it does not hold, other ways of counting and usual slips are "
            "tried on all figures that share their conventions. A figure in brackets is our reading of words, and a "
            "formula in brackets one that is lost or only described."
        ),
    ]  # fmt: skip
    for section in document.sections:
        blocks += _section(page, section)
    blocks += [*_quantities(page), *_left(document)]
    return Report(f"{document.title}: derived again", "every figure, every formula, with its verdict", tuple(blocks))


_WORDS = {
    "holds": "hold", "holds if": "hold under a condition", "wrong": "are wrong",
    "contradicts": "are wrong and contradict another place of the document",
}  # fmt: skip


def _section(page: Page, section: Section) -> Iterator[Block]:
    number = f"{section.number} " if section.number[:1].isdigit() or len(section.number) == 1 else ""
    yield Heading(f"{number}{section.title}")
    for text in section.texts:
        yield Prose(tuple(_filled(page, text)))
    for table in section.tables:
        yield from _table(page, table)
    if section.figure is not None:
        yield Figure(f"{page.document.name}-{section.figure.name}.svg", section.figure.title)
    if section.claims:
        rows = [
            (cell(_short(c)), cell(c.says or "-"), page.printed(c), page.derived(c), cell(page.verdicts[c.id].status))
            for c in section.claims
        ]  # fmt: skip
        align = "lp" + _letters(rows, (2, 3)) + "l"
        yield Table(("claim", "what it is", "printed", "derived", "verdict"), tuple(rows), align)
        yield from _reasons(page, section.claims)


def _letters(rows: Sequence[tuple[Cell, ...]], columns: Iterable[int]) -> str:
    """How columns are set: as they are where every cell is short, else wrapped."""
    return "".join("l" if all(_width(row[column]) <= SHORT for row in rows) else "p" for column in columns)


def _width(parts: Cell) -> int:
    return sum(len(part.text if isinstance(part, Math) else str(part)) for part in parts)


def _short(claim: Claim) -> str:
    """The id of a claim without its document."""
    return claim.id.removeprefix(f"{claim.document}-")


def _table(page: Page, table: Printed) -> Iterator[Block]:
    """A table of the document: derived numbers, the printed ones beside those that differ."""
    rows: list[tuple[Cell, ...]] = []
    for label, cells in table.rows:
        rows.append((cell(label), *(cell("-") if c is None else _cell(page, c) for c in cells)))
    claims = list(table.claims())
    prefix = _common([_short(claim) for claim in claims])
    caption = f"{table.title}. Claims {prefix}*, by row and column."
    yield Table(table.headers, tuple(rows), _letters(rows, range(len(table.headers))), caption)
    yield from _reasons(page, claims, table)


def _common(names: list[str]) -> str:
    first, last = min(names), max(names)
    shared = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:shared].rpartition("-")[0] + "-"


def _cell(page: Page, claim: Claim) -> Cell:
    status = page.verdicts[claim.id].status
    derived = page.derived(claim)
    if status == "holds":
        return derived
    return (*derived, f" ({status}; printed ", *page.printed(claim), ")")


def _named(found: Sequence[Claim], table: Printed | None) -> str:
    """Claims by their ids; whole columns of a table by their titles."""
    if table is None:
        return ", ".join(_short(claim) for claim in found)
    words, rest = [], list(found)
    for index, title in enumerate(table.headers[1:]):
        column = [cells[index] for _, cells in table.rows if cells[index] is not None]
        if len(column) > 1 and all(claim in rest for claim in column):
            words.append(title)
            rest = [claim for claim in rest if claim not in column]
    return "; ".join([*words, *(_short(claim) for claim in rest)])


def _reasons(page: Page, claims: Iterable[Claim], table: Printed | None = None) -> Iterator[Block]:
    """Why claims do not hold as they stand, those with one reason together; and remarks."""
    by_reason: dict[tuple[str, str, int], list[Claim]] = {}
    for claim in claims:
        verdict = page.verdicts[claim.id]
        if verdict.status != "holds":
            by_reason.setdefault((verdict.status, verdict.because, verdict.tried), []).append(claim)
    entries: list[Cell] = []
    for (status, because, tried), found in by_reason.items():
        words = f"{_named(found, table)}: {status}; {because}" + (f" ({tried} other readings tried)" if tried else "")
        entries.append(cell(words + "."))
        if any(page.verdicts[c.id].elsewhere is not None for c in found) and status == "contradicts":
            entries[-1] = cell(f"{words}; {_elsewhere(page, found[0])}.")
    entries += [cell(f"{_short(claim)}: {claim.remark}") for claim in claims if claim.remark]
    if entries:
        yield Items(tuple(entries))


def _elsewhere(page: Page, claim: Claim) -> str:
    against = claim.against
    assert against is not None
    said = ", ".join(f"{other.removeprefix(claim.document + '-')} prints {printed_text(page.verdicts[other].claim)}"
                     for other in against.ids.values())  # fmt: skip
    return said


def _filled(page: Page, text: str) -> Iterator[str | Math]:
    """A text of ours with derived numbers in its holes."""
    position = 0
    for hole in _HOLE.finditer(text):
        yield text[position : hole.start()]
        yield _hole(page, hole[1])
        position = hole.end()
    yield text[position:]


def _hole(page: Page, name: str) -> str | Math:
    plain = name.removesuffix(".printed")
    if plain in page.verdicts:
        claim = page.verdicts[plain].claim
        found = page.printed(claim) if name.endswith(".printed") else page.derived(claim)
        first = found[0]
        return first if isinstance(first, Math) else str(first)
    for section in page.document.sections:
        for key, (formula, setting) in section.ours.items():
            if plain == "-".join((page.document.name, section.number, key)):
                return compact(_number(page.document, formula, setting))
    raise InputError(f"{page.document.name}: a text mentions {{{name[:60]}}}, which is no claim and no number of ours")


def _number(document: Document, formula: Entry, setting: Setting) -> Fraction:
    return setting.turn(document.sheet.number(formula, setting))


def _quantities(page: Page) -> Iterator[Block]:
    """What the names in formulas stand for."""
    sheet = page.document.sheet
    used = {name for verdict in page.verdicts.values() for name in sheet.used(verdict.claim.what)}
    rows = [(cell(quantity_name(name)), cell(sheet.described(name))) for name in sheet.entries if name in used]
    yield Heading("Quantities")
    yield Table(("name", "what it is"), tuple(rows), "lp")


def _left(document: Document) -> Iterator[Block]:
    """What claims nothing."""
    if not document.not_claimed:
        return
    yield Heading("Numerals that claim nothing")
    yield Items(
        tuple(
            cell(f"{sum(len(n) for n in entry.lines.values())} numerals, {len(entry.lines)} lines: {entry.reason}")
            for entry in document.not_claimed
        )
    )


def _right(claim: Claim) -> Entry:
    """The engine's side of an equation."""
    return replace(claim.what, value=claim.what.text(900).partition("=")[2].strip())


def _given(claim: Claim) -> Iterator[tuple[str, Poly]]:
    """Numbers that a claim takes as given for single symbols, such as b = 2."""
    for item in claim.assume:
        symbol, relation, value = item.text().partition(" = ")
        if relation and is_name(symbol) and value.isdigit():
            yield symbol, Poly.const(int(value))


def _math(ratio: Ratio, notation: Notation) -> Math:
    return Math(notation.latex(ratio), notation.text(ratio))
