"""The page that holds derived caches against those of a library."""

from __future__ import annotations

from collections import Counter

from ..observed import Outcome, Row, rows
from ..report import Block, Cell, Heading, Report, Table, cell, prose

__all__ = ["library_report"]

_WORDS = {
    Outcome.EQUAL: "the library caches what the fields say, layer by layer",
    Outcome.DIFFERS: "the library stores something else, as its own choice",
    Outcome.REFUSED: "a field is not understood, or something is missing, and nothing is derived",
    Outcome.UNMEASURED: "the library does not run it",
}


def library_report() -> Report:
    """One table for each outcome, those that differ first."""
    found = rows()
    counts = Counter(row.outcome for row in found)
    blocks: list[Block] = [
        prose(
            f"{len({row.name for row in found})} model types of the transformers library, "
            f"{len(found)} configs: the "
            "defaults of each config class, completed where the library itself cannot run them, and "
            "some with other "
            "fields. Each was built without memory and run, and the shapes in its cache were read; "
            "the same config "
            "went through derive model. What is compared: cached elements a token adds to each "
            "layer, windows, and "
            "the elements of recurrent states. Rows that convolutions keep are not compared: the "
            "library stores one "
            "more than it needs."
        ),
        Table(
            ("outcome", "configs", "meaning"),
            tuple((cell(str(o)), cell(str(counts[o])), cell(_WORDS[o])) for o in Outcome), "lrp",
        ),
    ]  # fmt: skip
    for outcome in (Outcome.DIFFERS, Outcome.REFUSED, Outcome.UNMEASURED, Outcome.EQUAL):
        chosen = [row for row in found if row.outcome is outcome]
        if chosen:
            blocks += [Heading(str(outcome).capitalize()), _table(chosen, outcome)]
    return Report("Caches as a library has them", "layers x cached elements per token", tuple(blocks))


def _table(found: list[Row], outcome: Outcome) -> Table:
    if outcome is Outcome.EQUAL:
        return Table(
            ("model type", "fields set", "cached"), tuple((*_name(r), cell(r.library)) for r in found), "lpp"
        )
    if outcome is Outcome.REFUSED:
        entries = tuple((*_name(r), cell(r.library), cell(r.remark)) for r in found)
        return Table(("model type", "fields set", "the library caches", "why refused"), entries, "lppp")
    whole = tuple((*_name(r), cell(r.library), cell(r.derived), cell(r.remark)) for r in found)
    return Table(("model type", "fields set", "the library caches", "derived", "why"), whole, "lpppp")


def _name(row: Row) -> tuple[Cell, Cell]:
    return cell(row.name), cell(", ".join(row.changed) or "-")
