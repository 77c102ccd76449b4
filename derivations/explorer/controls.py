"""What can be set on the page: each size with its range, the steps of its slider and where it starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, takewhile
from typing import Any

from ..dims import STANDARD, Dim, parse_value
from ..errors import InputError, unknown
from ..library import load_variant
from ..poly import Coefficient
from .variants import RANKS, ROWS

__all__ = ["ALIASES", "CONTROLS", "Control", "Group", "assigned", "described", "settled"]

ALIASES = {"H_q": "H"}
"""Symbols that follow another one's slider."""


class Group(StrEnum):
    """Under which heading a slider stands."""

    STEP = "The step"
    MACHINE = "The machine and the cache"
    WIDTHS = "The widths of the attention"
    OTHERS = "The indexer of DSA, and states"


@dataclass(frozen=True, slots=True)
class Control:
    """One size that can be set."""

    name: str
    """Symbol, or what the page calls it."""
    group: Group
    """Where it stands."""
    stops: tuple[int, ...]
    """Where the slider stops, from the least value to the largest."""
    start: int
    """Where it starts, unless a model says otherwise."""
    only_stops: bool = False
    """Whether nothing between the stops is allowed."""
    latex: str = ""
    """How it is set, where it is no standard symbol."""
    meaning: str = ""
    """What it is, where it is no standard symbol."""

    @property
    def least(self) -> int:
        """The smallest value."""
        return self.stops[0]

    @property
    def most(self) -> int:
        """The largest value."""
        return self.stops[-1]


def _doubling(least: int, most: int) -> tuple[int, ...]:
    """1, 2, 3, 4, 6, 8, 12 and so on: powers of two and what lies between them."""
    powers = takewhile(lambda power: power <= most, (1 << exponent for exponent in range(40)))
    found = sorted(chain.from_iterable((power, power * 3 // 2) for power in powers))
    return tuple(dict.fromkeys(stop for stop in found if least <= stop <= most))


def _even(step: int, most: int, least: int = 1) -> tuple[int, ...]:
    """The least value, then whole multiples of the step."""
    return tuple(sorted({least, *range(step, most + 1, step)}))


_HEADS = (*range(1, 17), *range(20, 65, 4), *range(72, 257, 8))
CONTROLS = (
    Control("L", Group.STEP, _doubling(1, 1 << 20), 1 << 15),
    Control("S", Group.STEP, _doubling(1, 1 << 12), 1),
    Control("B", Group.STEP, _doubling(1, 1 << 10), 16),
    Control("TP", Group.MACHINE, RANKS, 1, True, "N", "ranks that share the heads (tensor parallel)"),
    Control("b", Group.MACHINE, (1, 2, 4), 2, True),
    Control(
        "layers", Group.MACHINE, _even(4, 160), 61, latex=r"N_{\mathrm{layers}}",
        meaning="layers with this attention, for the cache of the model",
    ),
    Control("H", Group.WIDTHS, _HEADS, 128, latex="H = H_q"),
    Control("H_kv", Group.WIDTHS, _HEADS, 8),
    Control("d_k", Group.WIDTHS, _even(16, 1024), 128),
    Control("d_v", Group.WIDTHS, _even(16, 1024), 128),
    Control("d_c", Group.WIDTHS, _even(32, 2048), 512),
    Control("d_r", Group.WIDTHS, _even(8, 256), 64),
    Control("n", Group.OTHERS, _doubling(1, 1 << 14), 2048),
    Control("H_I", Group.OTHERS, _HEADS, 64),
    Control("d_I", Group.OTHERS, _even(16, 512), 128),
    Control("b_M", Group.OTHERS, (1, 2, 4), 4, True),
)  # fmt: skip
"""Every slider, in the order of the page; the start values are put over by those of a model."""

_BY_NAME = {control.name: control for control in CONTROLS}


def described() -> list[dict[str, Any]]:
    """The controls as the page's script reads them."""
    dims: dict[str, Dim] = {}
    for row in ROWS:
        dims.update(load_variant(row.variant).symbols)
    dims.update(STANDARD)
    return [
        {
            "name": control.name,
            "group": str(control.group),
            "latex": control.latex or dims[control.name].latex,
            "meaning": control.meaning or dims[control.name].meaning,
            "stops": control.stops,
            "onlyStops": control.only_stops,
        }
        for control in CONTROLS
    ]


def assigned(texts: Iterable[str]) -> dict[str, int]:
    """`NAME=VALUE` texts as start values. Raises InputError for what no slider can be set to."""
    found: dict[str, int] = {}
    for text in texts:
        name, equals, typed = (part.strip() for part in text.partition("="))
        if not equals:
            raise InputError(f"--set {text[:40]}: write it as NAME=VALUE, such as L=8192")
        if name not in _BY_NAME:
            raise unknown("slider", name, _BY_NAME)
        if name in found:
            raise InputError(f"--set {name} is given twice")
        found[name] = _checked(_BY_NAME[name], parse_value(name, typed, size=name != "b"), typed)
    return found


def _checked(control: Control, value: Coefficient, typed: str) -> int:
    said = f"--set {control.name}={typed[:40]}"
    if control.only_stops and value not in control.stops:
        *others, last = (str(stop) for stop in control.stops)
        raise InputError(f"{said}: {control.name} is {', '.join(others)} or {last} on the page")
    if not control.least <= value <= control.most:
        between = f"{control.least:,} and {control.most:,}"
        raise InputError(f"{said}: the slider of {control.name} lies between {between}")
    return int(value)


def settled(values: Mapping[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """Values that go together: the context holds the queries, groups of heads are equal.

    What was given by hand stays or is refused; the rest follows. Raises InputError.
    """
    found = dict(values)
    if found["S"] > found["L"]:
        if "S" in given:
            shown = f"S={found['S']} is larger than L={found['L']}"
            raise InputError(f"{shown}; the context includes the query tokens")
        found["S"] = found["L"]
    if found["H"] % found["H_kv"]:
        if "H_kv" in given:
            raise InputError(f"--set H_kv={found['H_kv']}: must divide H, which is {found['H']}")
        found["H_kv"] = max(n for n in range(1, found["H_kv"] + 1) if found["H"] % n == 0)
    return found
