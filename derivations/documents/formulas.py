"""Formulas of a document's file: names in them, and what they come to as ratios of polynomials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace

from ..algebra import Ratio
from ..errors import unknown
from ..ratios import Ratios
from ..syntax import parse
from ..yamlfile import Entry

__all__ = ["FUNCTIONS", "LONGEST", "NoNumber", "check_formula", "named_in", "ratio_of", "with_names"]

FUNCTIONS = ("min", "ceil", "floor")
LONGEST = 400
"""Characters of a formula."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class NoNumber(Exception):
    """A quantity has no number in this setting; the text says why."""


def named_in(entry: Entry) -> Iterator[str]:
    """Every word of a formula, or of all formulas below an entry, that may be a name."""
    if isinstance(entry.value, dict):
        for part in entry.value.values():
            yield from named_in(part)
    elif isinstance(entry.value, list):
        for part in entry.value:
            yield from named_in(part)
    else:
        yield from _WORD.findall(entry.text(LONGEST))


def with_names(entry: Entry, names: Mapping[str, str]) -> Entry:
    """A formula with other names put for some of its own."""
    if not names:
        return entry
    text = _WORD.sub(lambda hit: names.get(hit[0], hit[0]), entry.text(LONGEST))
    return replace(entry, value=text)


def check_formula(entry: Entry, known: Set[str]) -> None:
    """Raises InputError for a name that nobody knows."""
    for name in named_in(entry):
        if name not in known and name not in FUNCTIONS:
            raise unknown("name", name, known, entry.place)


def ratio_of(entry: Entry, quantities: Callable[[str], Ratio | None], known: Set[str]) -> Ratio:
    """A formula as a ratio; `quantities` gives what is no size symbol. Raises InputError with the place."""
    return parse(entry.text(LONGEST), entry.place, Ratios(known, entry.place, quantities), LONGEST)
