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
    texts = tuple(dict.fromkeys(str(error) for error in _in_order(_causes(entry, found))))
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
    try:
        study = Study(variant, Conventions(), {})
        found = [derive(study, name) for name in named]
    except InputError:
        study = Study(variant, Conventions(phase="prefill"), {})
        found = [derive(study, name) for name in named]
    graph = found[0].cost.graph
    sizes = study.sizes(graph)
    return variant, named, cache_elements(graph, sizes), stored(graph, sizes).state


def _causes(entry: Entry, found: Iterable[InputError]) -> list[InputError]:
    """Without errors that only follow from others: they speak of a name whose own line is wrong."""
    errors = list({str(error): error for error in found}.values())
    own = [_names_of(entry, error) for error in errors]
    kept = []
    for place, error in enumerate(errors):
        others = [names for other, names in enumerate(own) if other != place]
        defined = {name for made, _ in others for name in made}
        spoken = {name for _, used in others for name in used}
        words = _words(error) - own[place][0]
        follows = "in the equation" not in str(error) and words & defined
        idle = any(text in str(error) for text in _IDLE) and _words(error) & spoken
        if not follows and not idle:
            kept.append(error)
    return kept


def _names_of(entry: Entry, error: InputError) -> tuple[set[str], set[str]]:
    """(names that the line an error is about would define, names it speaks of)."""
    key = error.place.key if error.place is not None and error.place.key else ""
    parts = key.split(".")
    for index, part in enumerate(parts):
        if part in ("axes", "tensors", "symbols") and index + 1 < len(parts):
            return {parts[index + 1]}, set()
        if part.startswith("equations["):
            text = _text_at(entry, parts[: index + 1])
            left = re.split("<-|=", text)[0]
            return set(_NAMES.findall(left)), set(_NAMES.findall(text))
    return set(), set()


def _text_at(entry: Entry, path: list[str]) -> str:
    """The text of an equation, by its path of keys."""
    here = entry
    for part in path:
        name, _, number = part.partition("[")
        here = here.value[name]
        if number:
            here = here.value[int(number.rstrip("]"))]
    return str(here.value)


_NAMES = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\s*\[")
_IDLE = ("never used", "never written", "never defined", "no equation defines it", "unknown intermediate")


def _words(error: InputError) -> set[str]:
    """Names a message speaks of, its own place left out."""
    message = str(error).partition("): ")[2] or str(error)
    quoted = re.findall(r"'([^']*)'", message.partition(";")[0])
    if message.startswith("unknown") and quoted:
        return {quoted[-1]}
    return set(re.findall(r"[A-Za-z][A-Za-z0-9_]*", message))


def _in_order(errors: Iterable[InputError]) -> list[InputError]:
    return sorted(errors, key=lambda e: (e.place.line or 0) if e.place is not None else 0)
