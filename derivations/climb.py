"""Looking for sizes at which one of several costs is the smallest.

Only the last step is a proof: however sizes were found, the costs are compared there as whole numbers.
The way there is uphill in the logarithms of the sizes, away from the rival that is cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import exp, log

from .points import Costs, Domain, Point
from .poly import Coefficient

__all__ = ["climb", "pattern", "winner"]

_STEPS = 300
_TOP = log(1e7)


def winner(costs: Sequence[Coefficient]) -> int | None:
    """The only smallest of some numbers, or None where several are."""
    low = min(costs)
    first = costs.index(low)
    return first if costs.count(low) == 1 else None


def climb(
    races: Sequence[Costs], wanted: Sequence[int], domain: Domain, starts: Iterable[Point]
) -> Point | None:
    """Legal sizes at which in each race the wanted cost is the only smallest, or None where none was found."""
    return next((point for start in starts if (point := _from(races, wanted, domain, start)) is not None), None)


def _from(races: Sequence[Costs], wanted: Sequence[int], domain: Domain, start: Point) -> Point | None:
    place = {name: log(start[name]) for name in domain.symbols}
    stride = 0.25
    for _ in range(_STEPS):
        point = domain.repaired({name: round(exp(value)) for name, value in place.items()})
        if point is None:
            return None
        push: dict[str, float] = {}
        won = True
        for race, index in zip(races, wanted, strict=True):
            rival = race.rival(index, point)
            if rival is None:
                continue
            won = False
            for name, slope in race.slopes(rival, point).items():
                push[name] = push.get(name, 0.0) + slope
            for name, slope in race.slopes(index, point).items():
                push[name] = push.get(name, 0.0) - slope
        if won:
            return point
        length = max(map(abs, push.values()), default=0.0)
        if not length:
            return None
        moved = False
        for name in place.keys() & push.keys():
            there = min(_TOP, max(0.0, place[name] + stride * push[name] / length))
            moved, place[name] = moved or there != place[name], there
        if not moved:
            return None
        stride *= 0.985
    return None


_MOVES: tuple[Callable[[int], int], ...] = (
    lambda x: x,
    lambda x: 1, lambda x: x - 1, lambda x: x + 1, lambda x: x // 2, lambda x: 2 * x, lambda x: x // 8,
    lambda x: 8 * x,
)  # fmt: skip
_ROUNDS = 25


def pattern(races: Sequence[Costs], wanted: Sequence[int], domain: Domain, start: Point) -> Point | None:
    """The same by changing one size at a time, as long as the cheapest rival falls back.

    It finds corners that slopes do not see: sizes of 1, and whole numbers that rounding skips.
    """
    point, best = start, Fraction(0)
    for _ in range(_ROUNDS):
        improved = False
        for name in domain.symbols:
            for move in _MOVES:
                changed = domain.repaired({**point, name: move(point[name])})
                if changed is None:
                    continue
                lead = _lead(races, wanted, changed, best)
                if lead is not None:
                    point, best, improved = changed, lead, True
                if best > 1:
                    return point
        if not improved:
            return None
    return None


def _lead(races: Sequence[Costs], wanted: Sequence[int], point: Point, least: Fraction) -> Fraction | None:
    """The smallest of the rivals' costs over the wanted ones, if it is above `least`."""
    found = None
    for race, index in zip(races, wanted, strict=True):
        lead = race.lead(index, point, least)
        if lead is None:
            return None
        found = lead if found is None else min(found, lead)
    return found
