"""Numerals of a document, line by line, and which claim accounts for each.

    python -m derivations.documents.inventory FOLDER OUTPUT

writes the inventory of the texts in a folder as CSV: document, line, numeral, and no sentence of theirs.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from .document import Claim, Document
from .given import given
from .printed import POWERS, numerals_of, raised
from .reading import document_names, load_document

__all__ = [
    "Inventory",
    "extracted",
    "read_inventory",
    "stale",
    "strange_sizes",
    "stray",
    "unaccounted",
    "written",
]

Inventory = Mapping[int, tuple[str, ...]]
"""Line -> its numerals, in order."""


def extracted(text: str, names: Iterable[str]) -> Inventory:
    """The numerals of a text, names with digits in them left aside."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        for name in names:
            line = line.replace(name, " ")
        numerals = tuple(numerals_of(line))
        if numerals:
            found[number] = numerals
    return found


def unaccounted(document: Document, inventory: Inventory) -> list[tuple[int, str]]:
    """(line, numeral) of the numerals that neither a claim nor a reason accounts for."""
    figures: dict[int, Counter[str]] = {}
    sizes: dict[int, set[str]] = {}
    for claim in document.claims():
        for line in claim.lines:
            figures.setdefault(line, Counter()).update(claim.numerals)
            sizes.setdefault(line, set()).update(claim.sizes)
    for entry in document.not_claimed:
        for line, numerals in entry.lines.items():
            sizes.setdefault(line, set()).update(numerals)
    return [
        (line, numeral)
        for line, numerals in inventory.items()
        for numeral, count in Counter(numerals).items()
        if numeral not in sizes.get(line, ()) and count > figures.get(line, Counter())[numeral]
    ]


def stray(document: Document, inventory: Inventory) -> list[tuple[str, int, str]]:
    """(claim, line, numeral) of what claims say is printed on a line that has no such numeral."""
    return [
        (claim.id, line, numeral)
        for claim in document.claims()
        for line in claim.lines
        for numeral in (*claim.numerals, *claim.sizes)
        if numeral not in inventory.get(line, ()) and not _elsewhere(claim, numeral, inventory)
    ]


def stale(document: Document, inventory: Inventory) -> list[tuple[int, str]]:
    """(line, numeral) of what is listed as claiming nothing and is not there."""
    return [
        (line, numeral)
        for entry in document.not_claimed
        for line, numerals in entry.lines.items()
        for numeral in numerals
        if numeral not in inventory.get(line, ())
    ]


def _elsewhere(claim: Claim, numeral: str, inventory: Inventory) -> bool:
    """Whether another line of a claim that spans several has it."""
    return any(numeral in inventory.get(line, ()) for line in claim.lines)


def strange_sizes(document: Document) -> Iterator[tuple[str, str]]:
    """(claim, numeral) of sizes that are no number of the claim's question, nor printed by another claim."""
    printed = {numeral for claim in document.claims() for numeral in claim.numerals}
    for claim in document.claims():
        numbers = _numbers(claim, document)
        for numeral in claim.sizes:
            value = _value(numeral)
            if numeral not in printed and not numbers & {value, value * 1024, value / 100}:
                yield claim.id, numeral


def _numbers(claim: Claim, document: Document) -> set[Fraction]:
    """Every number that goes into a claim: sizes, widths of its model, its accelerator's, its formula's."""
    settings = [claim.setting, *(setting for _, setting in claim.places)]
    found: set[Fraction] = set()
    for setting in settings:
        found |= {Fraction(value) for value in given(document.sheet.symbols, setting).values()}
        found.add(Fraction(setting.tp))
    found |= {value / 10**12 for value in found}
    if claim.setting.knobs.get("phase", "decode") == "decode":
        found.add(Fraction(1))
    formulas = [claim.what, *(document.sheet.entries[name] for name in document.sheet.used(claim.what))]
    for entry in formulas:
        texts = [entry.value] if not isinstance(entry.value, dict) else [e.value for e in entry.value.values()]
        found |= {_value(n) for text in texts for n in numerals_of(str(text))}
    return found | {_value(n) for n in numerals_of(claim.prints)}


def _value(numeral: str) -> Fraction:
    power = raised(numeral)
    return Fraction(numeral.rstrip(POWERS).replace(",", "")) ** (1 if power is None else power)


def written(texts: Mapping[str, str]) -> str:
    """The inventory of some documents as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("document", "line", "numeral"))
    for name, text in texts.items():
        writer.writerow((name, "sha256", hashlib.sha256(text.encode()).hexdigest()))
        for line, numerals in extracted(text, load_document(name).names).items():
            writer.writerows((name, line, numeral) for numeral in numerals)
    return stream.getvalue()


def read_inventory(text: str) -> tuple[dict[str, str], dict[str, Inventory]]:
    """(document -> SHA-256 of its text, document -> inventory) of a CSV file."""
    hashes: dict[str, str] = {}
    lines: dict[str, dict[int, list[str]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["line"] == "sha256":
            hashes[row["document"]] = row["numeral"]
        else:
            lines.setdefault(row["document"], {}).setdefault(int(row["line"]), []).append(row["numeral"])
    return hashes, {name: {k: tuple(v) for k, v in found.items()} for name, found in lines.items()}


if __name__ == "__main__":
    folder, output = map(Path, sys.argv[1:3])
    output.write_text(written({n: (folder / f"{n}.txt").read_text("utf-8") for n in document_names()}), "utf-8")
