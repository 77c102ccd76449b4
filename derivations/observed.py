"""What a library really caches, layer by layer, beside what is derived from the same config's fields.

The observations were made with the library's own models and caches (tests/library_caches.py); only their
shapes are in the file. Nothing here corrects either side: a row is equal, differs, or is refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from .configs.reading import config_of
from .conventions import Conventions
from .errors import InputError
from .layercosts import Asked, ModelCost, model_cost
from .poly import Coefficient
from .released import released_of
from .resources import resource
from .yamlfile import read_yaml

__all__ = ["Outcome", "Row", "observations", "rows"]

_CONTEXT = 4096
Kinds = Counter[tuple[Fraction, int | None, int]]
"""(elements a token adds while no window is full, the window, state elements) -> layers."""


class Outcome(StrEnum):
    """How the two sides compare."""

    EQUAL = "equal"
    DIFFERS = "differs"
    REFUSED = "refused"
    UNMEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Row:
    """One config of the library."""

    name: str
    """Its model type."""
    changed: tuple[str, ...]
    """Fields that were set apart from the library's defaults."""
    library: str
    """What the library caches."""
    derived: str
    """What its fields say."""
    outcome: Outcome
    """How they compare."""
    remark: str
    """Why they differ, or why the config is refused."""


def observations() -> list[dict[str, Any]]:
    """The entries of the file, as they are."""
    found: list[dict[str, Any]] = json.loads(
        resource("models", "observed", "transformers.json").read_text("utf-8")
    )
    return found


def rows() -> tuple[Row, ...]:
    """One for each observed config. Raises InputError for a remark that no row needs."""
    remarks = _remarks()
    used: set[int] = set()
    found = tuple(_row(entry, remarks, used) for entry in observations())
    idle = [text for place, (_, _, text) in enumerate(remarks) if place not in used]
    if idle:
        raise InputError(f"models/observed/remarks.yaml: no row needs the remark {idle[0]!r}")
    return found


def _remarks() -> list[tuple[str, frozenset[str], str]]:
    path = resource("models", "observed", "remarks.yaml")
    top = read_yaml(path, "models/observed/remarks.yaml").mapping(required=("remarks",))
    found = []
    for entry in top["remarks"].items():
        fields = entry.mapping(allowed=("changed",), required=("type", "text"))
        changed = fields["changed"].texts() if "changed" in fields else ()
        found.append((fields["type"].text(60), frozenset(changed), fields["text"].text()))
    return found


def _row(entry: Mapping[str, Any], remarks: Sequence[tuple[str, frozenset[str], str]], used: set[int]) -> Row:
    name, changed = entry["model_type"], tuple(entry["changed"])
    measured = entry["why_not"] is None
    theirs = _observed(entry["layers"]) if measured else Counter()
    library = _text(theirs) if measured else "-"
    try:
        config = config_of(entry["config"], "config.json")
        cost = model_cost(released_of("config.json", config), Asked(Conventions(), {"L": _CONTEXT}))
    except InputError as error:
        reason = re.split("; where a field|; known:", str(error).partition(": ")[2])[0]
        return Row(name, changed, library, "-", Outcome.REFUSED, reason)
    ours = _derived(cost)
    if not measured:
        return Row(name, changed, library, _text(ours), Outcome.UNMEASURED, _short(entry["why_not"]))
    if ours == theirs:
        return Row(name, changed, library, _text(ours), Outcome.EQUAL, "")
    places = [place for place, (of, fields, _) in enumerate(remarks) if of == name and fields <= {*changed}]
    used.update(places)
    remark = "; ".join(remarks[place][2] for place in places)
    return Row(name, changed, library, _text(ours), Outcome.DIFFERS, remark)


def _observed(layers: Sequence[Mapping[str, Any]]) -> Kinds:
    found: Kinds = Counter()
    for layer in layers:
        elements = Fraction(layer["elements_per_token"] or 0) + (layer["index_elements"] or 0)
        for part in (layer["compressed"] or "").split(" + "):
            if part:
                elements += Fraction(part.replace(" ", ""))
        # what a layer with pooled rows keeps besides are rows not yet pooled, no state
        state = 0 if layer["kind"] == "compressed" else layer["state_elements"] or 0
        if elements or state:
            found[elements, layer["window"], state] += layer["count"]
    return found


def _derived(cost: ModelCost) -> Kinds:
    found: Kinds = Counter()
    for layer in cost.layers:
        kept = layer.whole
        window = None if kept.window is None else int(layer.value(kept.window))
        elements, state = Fraction(layer.value(kept.short)), int(layer.value(kept.state))
        if elements or state:
            found[elements, window, state] += layer.group.count
    return found


def _text(kinds: Kinds) -> str:
    parts = []
    for (elements, window, state), count in kinds.items():
        words = [_number(elements)] if elements else []
        words += [f"up to {window:,} rows"] if window is not None else []
        words += [f"a state of {state:,}"] if state else []
        parts.append(f"{count} x ({', '.join(words)})" if len(words) > 1 else f"{count} x {words[0]}")
    return " + ".join(parts) or "nothing"


def _number(value: Coefficient) -> str:
    exact = Fraction(value)
    return f"{exact.numerator:,}" if exact.denominator == 1 else f"{exact.numerator:,}/{exact.denominator}"


def _short(text: str) -> str:
    return "the library: " + text.partition(": ")[2][:100]
