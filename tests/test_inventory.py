"""Every numeral of the three documents is accounted for, and would be missed if it were not.

`tests/inventory.csv` has the numerals of the documents, line by line, and no sentence of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from small_documents import DECIMAL, FULL, LINES, broken, read, refusal

from derivations.documents.document import Claim, Document, Row, Section, Table
from derivations.documents.inventory import (
    Inventory,
    extracted,
    read_inventory,
    stale,
    strange_sizes,
    stray,
    unaccounted,
    written,
)
from derivations.documents.reading import document_names, load_document

COMMITTED = (Path(__file__).resolve().parent / "inventory.csv").read_text("utf-8")
HASHES, INVENTORIES = read_inventory(COMMITTED)
SEEDS = Path(__file__).resolve().parent.parent.parent / "shared" / "seeds"
NAMES = ("article", "card", "note")


def without(document: Document, name: str) -> Document:
    """The document less one claim."""

    def table(one: Table) -> Table:
        def cells(row: Row) -> tuple[Claim | None, ...]:
            return tuple(None if cell is not None and cell.id == name else cell for cell in row.cells)

        return replace(one, rows=tuple(replace(row, cells=cells(row)) for row in one.rows))

    def section(one: Section) -> Section:
        left = tuple(claim for claim in one.claims if claim.id != name)
        return replace(one, tables=tuple(map(table, one.tables)), claims=left)

    return replace(document, sections=tuple(map(section, document.sections)))


def with_line(inventory: Inventory, line: int, *numerals: str) -> Inventory:
    """The inventory with these numerals on a line instead."""
    return {**inventory, line: numerals}


def test_the_inventory_is_of_the_documents_that_ship() -> None:
    assert tuple(sorted(HASHES)) == tuple(sorted(INVENTORIES)) == NAMES == tuple(sorted(document_names()))
    assert {name: load_document(name).sha256 for name in NAMES} == HASHES
    counts = {name: sum(map(len, INVENTORIES[name].values())) for name in NAMES}
    assert counts == {"article": 369, "card": 107, "note": 226}
    assert len(COMMITTED.splitlines()) == 1 + 3 + sum(counts.values())


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_out_and_nothing_made_up(name: str) -> None:
    document, inventory = load_document(name), INVENTORIES[name]
    assert unaccounted(document, inventory) == []
    assert stray(document, inventory) == []
    assert stale(document, inventory) == []
    assert list(strange_sizes(document)) == []


# Claims whose numerals another claim of the same line has as well, or as a size of what it asks.
TWICE = {
    "article-2.8-thresholds-mqa-decode": "32 heads on one, beside it",
    "article-3-cache-mha-heads": "heads, a size of the bytes beside them",
    "article-3-cache-gqa-heads": "heads, a size of the bytes beside them",
    "article-3-cache-mqa-heads": "heads, a size of the bytes beside them",
    "article-3-key": "the width of a key and that of a value",
    "article-3-layers": "93 layers that the table multiplies by",
    "article-5.7-prefill-absorb": "one range for two orders",
    "article-5.7-prefill-expand": "one range for two orders",
    "card-answer-batch-flops": "64 sequences",
    "card-llama-bytes-formula": "the formula with its numbers",
    "card-latent-flops-formula": "the formula with its numbers",
    "card-absorb-lift-formula": "the formula with its numbers",
    "card-ranks-gqa": "8 ranks",
    "card-ranks-flops": "8 ranks",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_that_is_taken_out_is_missed(name: str) -> None:
    document, inventory = load_document(name), INVENTORIES[name]
    missed = {}
    for claim in document.claims():
        found = unaccounted(without(document, claim.id), inventory)
        assert {line for line, _ in found} <= set(claim.lines), claim.id
        assert {numeral for _, numeral in found} <= {*claim.numerals, *claim.sizes}, claim.id
        if found:
            missed[claim.id] = found
        else:
            # a statement or a reading of words, in which nothing is printed, or one that is said twice
            assert not claim.numerals or claim.id in TWICE, claim.id
    assert len(missed) >= {"article": 160, "card": 54, "note": 95}[name]
    assert not missed.keys() & TWICE.keys()
    cells = [c for section in document.sections for table in section.tables for c in table.claims()]
    bare = [c.id for c in cells if c.id not in missed and not c.in_words]
    assert bare == [one for one in TWICE if one.startswith((f"{name}-2.8", f"{name}-3-cache"))]


@pytest.mark.parametrize("name", NAMES)
def test_a_numeral_more_is_noticed(name: str) -> None:
    document, inventory = load_document(name), INVENTORIES[name]
    for line, numerals in inventory.items():
        assert unaccounted(document, with_line(inventory, line, *numerals, "987")) == [(line, "987")]
        assert unaccounted(document, with_line(inventory, line, "987", *numerals)) == [(line, "987")]
    empty = next(line for line in range(1, 10_000) if line not in inventory)
    assert unaccounted(document, with_line(inventory, empty, "987", "2")) == [(empty, "987"), (empty, "2")]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_nowhere_is_noticed(name: str) -> None:
    document, inventory = load_document(name), INVENTORIES[name]
    noticed = 0
    for claim in document.claims():
        lost = {k: v for k, v in inventory.items() if k not in claim.lines}
        found = {(owner, numeral) for owner, _, numeral in stray(document, lost)}
        assert {(claim.id, numeral) for numeral in (*claim.numerals, *claim.sizes)} <= found
        noticed += bool(claim.numerals)
    assert noticed >= {"article": 160, "card": 55, "note": 95}[name]


SMALL = """\
A model called K3 with 96 heads, and GPT-2.

At 32,768 tokens it is 139.5 GB, 1.3 times as much as v0.5.21 says (10⁵ to 10⁶); see section 4.2.
Not W2 nor d_k2, but 2H.
"""
ROWS = [
    (1, "96"), (3, "32,768"), (3, "139.5"), (3, "1.3"), (3, "10⁵"), (3, "10⁶"), (3, "4.2"), (4, "2"),
]  # fmt: skip


def texts() -> dict[str, str]:
    """The documents, where they are at hand."""
    return {path.stem: path.read_text("utf-8") for path in sorted(SEEDS.glob("*.txt")) if path.stem in NAMES}


def test_numerals_are_extracted() -> None:
    found = extracted(SMALL, ["GPT-2"])
    assert [(line, numeral) for line, numerals in found.items() for numeral in numerals] == ROWS
    assert extracted(SMALL, [])[1] == ("96", "2")
    assert extracted("nothing\n\nat all", []) == {}
    table = written({"card": SMALL.replace("GPT-2", "Llama 70B")})
    digest = hashlib.sha256(SMALL.replace("GPT-2", "Llama 70B").encode()).hexdigest()
    assert table == f"document,line,numeral\ncard,sha256,{digest}\n" + "".join(
        f'card,{line},"{numeral}"\n' if "," in numeral else f"card,{line},{numeral}\n" for line, numeral in ROWS
    )
    assert read_inventory(table) == ({"card": digest}, {"card": found})
    # of the documents themselves, one after the other, the same comes out as is committed
    alone = [written({name: text}).partition("\n")[2] for name, text in texts().items()]
    parts = {name: COMMITTED[COMMITTED.index(f"\n{name},") + 1 :] for name in texts()}
    assert all(part.startswith(again) for again, part in zip(alone, parts.values(), strict=True))
    assert sum(map(len, alone)) in (0, len(COMMITTED.partition("\n")[2]))


COUNTED = [
    # (claims; numerals of line 1; what nobody accounts for; what nobody prints)
    ('a: {line: 1, prints: "512", value: d_c}', "512", "", ""),
    ('a: {line: 1, prints: "512", value: d_c}', "512 512", "512", ""),
    ('a: {line: 1, prints: "512", value: d_c}', "512 3", "3", ""),
    ('a: {line: 1, prints: "512", value: d_c}', "", "", "512"),
    ('a: {line: 1, prints: "512", value: d_c, sizes: 3 of 4}', "512 3 4", "", ""),
    ('a: {line: 1, prints: "512", value: d_c, sizes: 3 of 4}', "512 3", "", "4"),
    ('a: {line: 1, means: "512", value: d_c}', "512", "512", ""),
    ('a: {line: 1, means: "512", value: d_c}', "", "", ""),
    ("a: {line: 1, prints: 2*d_c + 2*d_r, holds: d_c > 2}", "2 2", "", ""),
    ("a: {line: 1, prints: 2*d_c + 2*d_r, holds: d_c > 2}", "2 2 2", "2", ""),
    ("a: {line: 1, prints: 2 to 8, value: d_c}", "2 8", "", ""),
    ('a: {line: 2, prints: "512", value: d_c}', "512", "512", "512"),
    ('a: {lines: [1, 2], prints: "512", value: d_c}', "512", "", ""),
]


@pytest.mark.parametrize(("claims", "numerals", "left", "made_up"), COUNTED)
def test_what_accounts_for_what(claims: str, numerals: str, left: str, made_up: str) -> None:
    inventory = {1: tuple(numerals.split())}
    document = read(
        broken('one: {line: 1, says: A count., prints: "512", value: d_c}', claims)
        .replace('{1: "4.2"}', '{60: "4.2"}')
        .replace("{tiny-1-one}", "{tiny-1-more}")
        .replace(", beside: [1-one], against: {is: x/2, x: 1-one}", "")
    )
    own = {"tiny-1-a"}
    assert [numeral for _, numeral in unaccounted(only(document, own), inventory)] == left.split()
    assert {n for i, _, n in stray(only(document, own), inventory) if i in own} == set(made_up.split())


def only(document: Document, ids: set[str]) -> Document:
    """The document with no claims but these."""
    for claim in list(document.claims()):
        document = document if claim.id in ids else without(document, claim.id)
    return document


def test_reasons_account_for_numerals_too() -> None:
    document = only(read(FULL), set())
    assert unaccounted(document, {1: ("4.2",)}) == []
    assert unaccounted(document, {1: ("4.2", "4.3"), 2: ("4.2",)}) == [(1, "4.3"), (2, "4.2")]


@pytest.mark.parametrize("name", NAMES)
def test_reasons_for_what_is_not_there_are_noticed(name: str) -> None:
    document, inventory = load_document(name), INVENTORIES[name]
    for entry in document.not_claimed:
        for line, numerals in entry.lines.items():
            gone = stale(document, with_line(inventory, line))
            assert set(gone) >= {(line, numeral) for numeral in numerals}
            assert {place for place, _ in gone} == {line}
            rest = tuple(numeral for numeral in inventory[line] if numeral != numerals[0])
            assert set(stale(document, with_line(inventory, line, *rest))) == {(line, numerals[0])}


def test_what_is_listed_and_not_there() -> None:
    document = read(broken('lines: {1: "4.2"}', 'lines: {1: "4.2 7", 2: "2,048", 3: "10⁵"}'))
    assert stale(document, {1: ("3", "7", "4.2"), 2: ("2,048",), 3: ("10⁵",)}) == []
    assert stale(document, {1: ("7", "4.3"), 2: ("2048", "4.2")}) == [(1, "4.2"), (2, "2,048"), (3, "10⁵")]


REFUSED = [
    # (what is replaced; by what; line and key; the words): reasons that cannot be read
    ("reason: Numbers of sections.", "reasons: Numbers", "49 (not-claims[0].reasons)",
     "unknown key 'reasons'; did you mean 'reason'?"),
    ("reason: Numbers of sections.\n    ", "", "49 (not-claims[0])", "the key 'reason' is missing"),
    *(('{1: "4.2"}', f'{{{line}: "4.2"}}', f"50 (not-claims[0].lines.{line})", f"'{line}' is no line")
      for line in ("one", "0", "01", "-1", "1.5", "1234567")),
    *(('{1: "4.2"}', f'{{1: "4.2 {word} 5"}}', "50 (not-claims[0].lines.1)", f"'{word}' is no numeral")
      for word in ("x", "d_k2", "4,2", "5,", "2H", "~5")),
    ('{1: "4.2"}', '{1: ""}', "50 (not-claims[0].lines.1)", "the text is empty"),
    ('{1: "4.2"}', "[1]", "50 (not-claims[0].lines)", f"{LINES}, found a list"),
    ('{1: "4.2"}', "{1: 4.2}", "50 (not-claims[0].lines.1)", DECIMAL),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "where", "words"), REFUSED)
def test_reasons_are_refused(old: str, new: str, where: str, words: str) -> None:
    assert refusal(old, new) == f"f.yaml:{where}: {words}"


def test_sizes_must_be_numbers_of_the_question() -> None:
    document = read(broken("sizes: 4 K", "sizes: 96 128 7168 777 2 1"))
    assert [pair for pair in strange_sizes(document) if pair[0] == "tiny-1-five"] == [("tiny-1-five", "777")]
