"""What a document's file says of a quantity: its kind, and the keys and words that go with it."""

from __future__ import annotations

from collections.abc import Iterable

from ..conventions import CLASSES, KNOBS, STAGES
from ..errors import unknown
from ..yamlfile import Entry

__all__ = ["LEDGERS", "MADE", "PARTS", "described", "one_of", "words_of"]

LEDGERS = ("flops", "bytes", "intensity", "elements", "row")
"""Quantities of a derivation; the last two are what a context token adds to a layer's caches."""
MADE = ("crossover", "limit", "chain", "part")
_OF_LEDGERS = (*KNOBS, "order", "stages", "classes", "without", "batched", "tp", "layout")
_NEEDED = {"crossover": ("in",), "limit": ("in",), "chain": ("sizes",), "part": ("figure",)}
"""Keys that go with a kind, all of them; the other kinds take those of ledgers."""
_KEYS = (*LEDGERS, *MADE, *_OF_LEDGERS, "in", "sizes", "figure")
PARTS = (*STAGES, *CLASSES)
"""What can be left out: stages of arithmetic, classes of bytes."""


def one_of(entry: Entry, what: str, known: Iterable[str]) -> str:
    """A word of a list. Raises InputError with the nearest one."""
    if entry.text() not in known:
        raise unknown(what, entry.text(), known, entry.place)
    return entry.text()


def words_of(entry: Entry | None, what: str, known: Iterable[str]) -> frozenset[str]:
    """Several words of a list; none where the entry is missing."""
    return frozenset(one_of(item, what, known) for item in entry.items()) if entry is not None else frozenset()


def described(entry: Entry) -> dict[str, Entry]:
    """The fields of a quantity. Raises InputError for keys that do not go with its kind, and unknown words."""
    fields = entry.mapping(allowed=_KEYS)
    kinds = [key for key in (*LEDGERS, *MADE) if key in fields]
    if len(kinds) != 1:
        raise entry.fail(f"a quantity is a formula, or one of {', '.join((*LEDGERS, *MADE))}")
    kind = kinds[0]
    needed = _NEEDED.get(kind, ())
    fields = entry.mapping(allowed=(kind, *(needed or _OF_LEDGERS)), required=(kind, *needed))
    if kind == "crossover" and len(fields[kind].items()) != 2:
        raise fields[kind].fail("a crossover is of two formulas")
    for knob, values in KNOBS.items():
        if knob in fields:
            one_of(fields[knob], f"value of {knob}", values.values)
    words_of(fields.get("stages"), "stage", STAGES)
    words_of(fields.get("classes"), "class", CLASSES)
    words_of(fields.get("without"), "stage or class", PARTS)
    if "classes" in fields and kind not in ("bytes", "intensity"):
        raise fields["classes"].fail("classes are of bytes; stages pick arithmetic")
    if "batched" in fields and not isinstance(fields["batched"].value, bool):
        raise fields["batched"].fail("write true, for a batch of B sequences, or false")
    return fields
