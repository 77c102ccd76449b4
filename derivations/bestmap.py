"""The best-order map: which of the orders of a search is cheapest where, over one or two symbols, exact.

All other sizes are numbers then. Over one symbol every switch between whole numbers is found. Over two,
each row is exact in the first symbol; the rows are sizes of the second, evenly apart in ratio.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .atoms import free_symbols
from .derivation import Study
from .envelope import Segment, segments
from .errors import InputError, unknown
from .found import Found, Orders
from .maps import Boundary, Curve, Plane, boundaries, curves, log_spaced, plane
from .orders import orders_of
from .verdicts import Status

__all__ = ["BestMap", "Range", "best_map", "study_for_map"]

Range = tuple[int, int]
"""First and last whole number."""
_ROWS = 61
_USUAL: Mapping[str, Range] = {"S": (1, 4096), "L": (16, 1 << 20)}
_OTHER: Range = (1, 1 << 14)
"""Ranges of a map over two symbols where none is given."""


@dataclass(frozen=True, slots=True)
class BestMap:
    """Which order is cheapest where."""

    symbols: tuple[str, ...]
    """One or two."""
    orders: tuple[Found, ...]
    """The orders that can be best; indices below count these."""
    line: tuple[Segment, ...]
    """Over one symbol: stretches of it."""
    changes: tuple[Boundary, ...]
    """Over one symbol: where one order follows another."""
    plane: Plane | None
    """Over two symbols: rows."""
    curves: tuple[Curve, ...]
    """Over two symbols: the boundaries."""


def study_for_map(study: Study, symbols: Sequence[str], given: Sequence[str]) -> Study:
    """The study with the mapped symbols free.

    Raises InputError for an unknown symbol, one that the phase or the user fixes, and for more than two.
    """
    known = set(study.variant.symbols)
    if not 1 <= len(symbols) <= 2 or len(set(symbols)) != len(symbols):
        raise InputError("--map takes one symbol or two different ones, such as S or S,L")
    for name in symbols:
        if name not in known or name in ("B", "b"):
            raise unknown("symbol to map", name, known - {"B", "b"})
        if name in given:
            raise InputError(f"{name} is to be mapped, so it cannot be set to {study.values[name]}")
    if "S" in symbols and study.conventions.phase != "verify":
        raise InputError(f"S is not free in {study.conventions.phase}; use --phase verify")
    values = {name: value for name, value in study.values.items() if name not in symbols}
    return replace(study, values=values)


def best_map(
    study: Study, symbols: Sequence[str], found: Orders | None = None, ranges: Mapping[str, Range] | None = None
) -> BestMap:
    """The map of a study whose other sizes are all numbers. Raises InputError where one is missing."""
    search = found or orders_of(study)
    orders = tuple(order for order in search.orders if order.verdict.status is not Status.NEVER)
    costs = [order.flops for order in orders]
    missing = sorted({name for cost in costs for name in free_symbols(cost)} - set(symbols))
    if missing:
        raise InputError(f"a map over {' and '.join(symbols)} needs numbers for {', '.join(missing)}")
    given = dict(ranges or {})
    if len(symbols) == 1:
        low, high = _line_range(study, symbols[0], given)
        _check_range(study, symbols[0], low, high)
        line = segments(costs, symbols[0], low, high)
        return BestMap(tuple(symbols), orders, line, boundaries(costs, symbols[0], line), None, ())
    x, y = symbols
    if (x, y) == ("L", "S"):
        x, y = y, x
    low, high = given.get(y, _USUAL.get(y, _OTHER))
    rows = log_spaced(low, high, _ROWS)
    limit = (lambda length: length) if (x, y) == ("S", "L") else None
    whole = plane(costs, x, y, given.get(x, _USUAL.get(x, _OTHER)), rows, limit)
    return BestMap((x, y), orders, (), (), whole, curves(costs, whole))


def _check_range(study: Study, symbol: str, low: int, high: int | None) -> None:
    """The search left out what only wins where S is larger than L, so the map must not go there."""
    length, queries = study.values.get("L"), study.values.get("S", 1)
    if symbol == "S" and length is not None and (high is None or high > length):
        raise InputError(f"the context includes the query tokens, so S ends at L = {length}")
    if symbol == "L" and low < queries:
        raise InputError(f"the context includes the query tokens, so L starts at S = {queries}")


def _line_range(study: Study, symbol: str, given: Mapping[str, Range]) -> tuple[int, int | None]:
    """The numbers of one symbol: S up to L, L from S on, any other from 1 on."""
    if symbol in given:
        return given[symbol]
    if symbol == "S" and "L" in study.values:
        return 1, int(study.values["L"])
    if symbol == "L" and "S" in study.values:
        return int(study.values["S"]), None
    return 1, None
