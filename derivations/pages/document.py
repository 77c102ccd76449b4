"""The page of a document: its sections in order, every figure derived again, with its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..documents.document import VERDICTS, Claim, Document, Section
from ..documents.document import Table as Printed
from ..report import Block, Cell, Figure, Heading, Items, Math, Prose, Report, Table, cell, prose
from .claimtext import quantity_name
from .documentpage import Page, filled, labelled
from .figures import printed_text

__all__ = ["document_report", "some_claims"]

SHORT = 24
"""Characters of a cell that need no wrapping."""


def document_report(page: Page) -> Report:
    """Everything a document prints, derived, in its own order."""
    document = page.document
    found = list(page.verdicts.values())
    numbers = {status: sum(v.status == status for v in found) for status in VERDICTS}
    counts = ", ".join(f"{count} {_WORDS[status][count > 1]}" for status, count in numbers.items() if count)
    blocks: list[Block] = [
        prose(document.about),
        prose(f"{_many(len(found), 'claim')}: {counts}. The ids below go after {document.name}-."),
        prose(
            "A figure holds where the derived number rounds to it; about lets pass one in its last digit that "
            "is not zero, five percent at most. Where it does not hold, other ways of counting and usual slips "
            "are tried on all figures that share their conventions. A figure in brackets is our reading of "
            "words, and a formula in brackets one that is lost or only described."
        ),
    ]  # fmt: skip
    for section in document.sections:
        blocks += _section(page, section)
    blocks += [*_quantities(page), *_left(document)]
    return Report(
        f"{document.title}: derived again", "every figure, every formula, with its verdict", tuple(blocks)
    )


def some_claims(page: Page, names: Sequence[str]) -> Report:
    """Some claims of a document, and why those that do not hold do not."""
    claims = [page.verdicts[name].claim for name in names]
    blocks = [_claims_table(page, claims), *_reasons(page, claims)]
    return Report(page.document.title, _many(len(claims), "claim"), tuple(blocks))


_WORDS = {
    "holds": ("holds", "hold"),
    "holds if": ("holds under a condition", "hold under a condition"),
    "wrong": ("is wrong", "are wrong"),
    "contradicts": (
        "is wrong and contradicts another place of the document",
        "are wrong and contradict another place of the document",
    ),
}  # fmt: skip


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _section(page: Page, section: Section) -> Iterator[Block]:
    number = f"{section.number} " if section.number[:1].isdigit() or len(section.number) == 1 else ""
    yield Heading(f"{number}{section.title}")
    for text in section.texts:
        yield Prose(tuple(filled(page, text)))
    for table in section.tables:
        yield from _table(page, table)
    if section.figure is not None:
        yield Figure(f"{page.document.name}-{section.figure.name}.svg", f"{section.figure.title}.")
    if section.claims:
        yield _claims_table(page, section.claims)
        yield from _reasons(page, section.claims)


def _claims_table(page: Page, claims: Iterable[Claim]) -> Table:
    rows = [
        (
            cell(_short(claim)), cell(claim.says or claim.where), page.printed(claim), page.derived(claim),
            cell(page.verdicts[claim.id].status),
        )
        for claim in claims
    ]  # fmt: skip
    align = "lp" + _letters(rows, (2, 3)) + "l"
    return Table(("claim", "what it is", "printed", "derived", "verdict"), tuple(rows), align)


def _letters(rows: Sequence[tuple[Cell, ...]], columns: Iterable[int]) -> str:
    """How columns are set: as they are where every cell is short, else wrapped."""
    widest = [max(_width(row[column]) for row in rows) for column in columns]
    # beside columns that wrap there is less room for those that do not
    most = SHORT if max(widest) <= SHORT else SHORT - 4
    return "".join("l" if width <= most else "p" for width in widest)


def _width(parts: Cell) -> int:
    return sum(len(part.text if isinstance(part, Math) else str(part)) for part in parts)


def _short(claim: Claim) -> str:
    """The id of a claim without its document."""
    return claim.id.removeprefix(f"{claim.document}-")


def _table(page: Page, table: Printed) -> Iterator[Block]:
    """A table of the document: derived numbers, the printed ones beside those that differ."""
    rows: list[tuple[Cell, ...]] = []
    for row in table.rows:
        label = labelled(row.label, row.setting)
        rows.append((cell(label), *(cell("-") if c is None else _cell(page, c) for c in row.cells)))
    claims = list(table.claims())
    caption = f"{table.title}. {_keys(table)}"
    headers = tuple(labelled(header, table.setting) for header in table.headers)
    yield Table(headers, tuple(rows), _letters(rows, range(len(table.headers))), caption)
    yield from _reasons(page, claims, table)


def _keys(table: Printed) -> str:
    """How the ids of a table's claims are made."""
    claims = list(table.claims())
    rows, columns = (list(dict.fromkeys(key(claim) for claim in claims)) for key in (_row_of, _column_of))
    stem = _short(claims[0]).removesuffix(f"-{_row_of(claims[0])}-{_column_of(claims[0])}")
    if len(rows) == len(columns) == 1:
        return f"Claim {_short(claims[0])}."
    return f"Claims {stem}-ROW-COLUMN with rows {', '.join(rows)} and columns {', '.join(columns)}."


def _row_of(claim: Claim) -> str:
    return claim.where.rpartition(", row ")[2].partition(", ")[0]


def _column_of(claim: Claim) -> str:
    return claim.where.rpartition(", ")[2]


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
    for index, header in enumerate(table.headers[1:]):
        title = labelled(header, table.setting)
        column = [row.cells[index] for row in table.rows if row.cells[index] is not None]
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
        words = f"{_named(found, table)}: {status}; {because}" + (
            f" ({_many(tried, 'other reading')} tried)" if tried else ""
        )
        entries.append(cell(words + "."))
        if any(page.verdicts[c.id].elsewhere is not None for c in found) and status == "contradicts":
            entries[-1] = cell(f"{words}; {_elsewhere(page, found[0])}.")
    entries += [
        cell(f"{_short(claim)} derives ", page.long_formula(claim), ".")
        for claim in claims
        if page.verdicts[claim.id].status != "holds" and page.long_formula(claim).text
    ]
    entries += [cell(f"{_short(claim)}: {claim.remark}") for claim in claims if claim.remark]
    if entries:
        yield Items(tuple(entries))


def _elsewhere(page: Page, claim: Claim) -> str:
    against = claim.against
    assert against is not None
    others = [page.verdicts[other].claim for other in against.ids.values()]
    return ", ".join(f"{_short(other)} prints {printed_text(other)}" for other in others)


def _left(document: Document) -> Iterator[Block]:
    """What claims nothing."""
    if not document.not_claimed:
        return
    yield Heading("Numerals that claim nothing")
    yield Items(
        tuple(
            cell(
                f"{_many(sum(map(len, entry.lines.values())), 'numeral')}, {_many(len(entry.lines), 'line')}: "
                f"{entry.reason}"
            )
            for entry in document.not_claimed
        )
    )


def _quantities(page: Page) -> Iterator[Block]:
    """What the names in formulas stand for."""
    sheet = page.document.sheet
    used = {name for verdict in page.verdicts.values() for name in sheet.used(verdict.claim.what)}
    rows = [(cell(quantity_name(name)), cell(sheet.described(name))) for name in sheet.entries if name in used]
    yield Heading("Quantities")
    yield Table(("name", "what it is"), tuple(rows), "lp")
