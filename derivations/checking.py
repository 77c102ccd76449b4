"""Everything that is wrong with a variant file, not only the first thing; and what a right one derives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from .analysis import cache_elements
from .conventions import Conventions
from .derivation import Study, derive
from .errors import InputError
from .library import COMMANDS
from .poly import Poly
from .problems import Problems
from .program import Variant
from .regions import build_graph
from .search import order_names
from .spec import read_variant
from .stored import stored
from .yamlfile import Entry, read_yaml

__all__ = ["Checked", "check_file"]

_FOLLOWS = (
    "unknown",
    "never used",
    "never written",
    "no equation defines it",
    "is used before",
    "never defined",
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file holds."""

    problems: tuple[str, ...]
    """What is wrong, in the order of the lines; empty for a right file."""
    variants: tuple[tuple[Variant, tuple[str, ...], Poly, Poly], ...]
    """The base and each option alone: (program, its orders, cached elements per token, state elements)."""
    clashes: tuple[str, ...]
    """Pairs of options that exclude each other."""


def check_file(text: str) -> Checked:
    """Reads a file with no option on and with each one, and derives what it can."""
    try:
        entry = read_yaml(Path(text), text)
    except InputError as error:
        return Checked((str(error),), (), ())
    offered = _option_names(entry)
    found: list[InputError] = []
    right = []
    for options in ((), *((name,) for name in offered)):
        problems = Problems(gather=True)
        try:
            variant = read_variant(entry, options, COMMANDS, problems)
            if not problems.found:
                right.append(_derived(variant))
        except InputError as error:
            problems.found.append(error)
        except KeyError:  # a name whose own line is wrong, and is in the list
            if not problems.found:
                raise
        found += problems.found
    texts = tuple(dict.fromkeys(str(error) for error in _in_order(_causes(found))))
    clashes = tuple(
        f"{one} and {two}" for one, two in combinations(offered, 2) if not texts and _clash(entry, one, two)
    )
    return Checked(texts, () if texts else tuple(right), clashes)


def _option_names(entry: Entry) -> list[str]:
    options = entry.value.get("options") if isinstance(entry.value, dict) else None
    return list(options.value) if options is not None and isinstance(options.value, dict) else []


def _clash(entry: Entry, one: str, two: str) -> bool:
    try:
        build_graph(read_variant(entry, (one, two), COMMANDS))
    except InputError:
        return True
    return False


def _derived(variant: Variant) -> tuple[Variant, tuple[str, ...], Poly, Poly]:
    """What one program derives to: every named order in decode, or in prefill where decode cannot be."""
    named = order_names(build_graph(variant))
    study = Study(variant, Conventions(), {})
    try:
        found = [derive(study, name) for name in named]
    except InputError:
        study = study.under(phase="prefill")
        found = [derive(study, name) for name in named]
    graph = found[0].cost.graph
    sizes = study.sizes(graph)
    return variant, named, cache_elements(graph, sizes), stored(graph, sizes).state


def _causes(found: Iterable[InputError]) -> list[InputError]:
    """Without errors that only follow from others: a name that is unknown since its own line is wrong."""
    errors = list({str(error): error for error in found}.values())
    kept = []
    for error in errors:
        broken = {word for other in errors if other is not error for word in _defined_by(other)}
        if not (any(text in str(error) for text in _FOLLOWS) and broken & (_words(error) - _defined_by(error))):
            kept.append(error)
    return kept


def _defined_by(error: InputError) -> set[str]:
    """The names that a wrong entry would have defined: those of an axis, a tensor, or an equation's left
    side.
    """
    key = error.place.key if error.place is not None else None
    parts = (key or "").split(".")
    if len(parts) > 1 and parts[-2] in ("axes", "tensors", "symbols"):
        return {parts[-1]}
    if len(parts) > 2 and parts[-3] in ("axes", "tensors"):
        return {parts[-2]}
    hit = re.search(r"equation '([^=<]*)(?:=|<-)", str(error))
    return set(re.findall(r"([A-Za-z][A-Za-z0-9_]*)\[", hit.group(1))) if hit else set()


def _words(error: InputError) -> set[str]:
    """Names a message speaks of, its own place left out."""
    message = str(error).partition("): ")[2] or str(error)
    return set(re.findall(r"[A-Za-z][A-Za-z0-9_]*", message))


def _in_order(errors: Iterable[InputError]) -> list[InputError]:
    return sorted(errors, key=lambda e: (e.place.line or 0) if e.place is not None else 0)
