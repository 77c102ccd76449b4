"""Where two orders take equally long on a roofline, and what each kernel waits for there.

In a regime each kernel waits for arithmetic or for memory, so times are polynomials and the crossing has a
formula. With few kernels all regimes are solved in symbols, each with its validity condition. With more, the
conditions would fill pages: then known sizes say which regime the crossing lies in, and its formula is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product

from .atoms import evaluate, free_symbols
from .costs import Cost
from .crossover import Crossover, Solution, conditions_of
from .errors import InputError
from .poly import Coefficient, Poly, total
from .prefix import LENGTH
from .regimes import at_root, cross_in_regimes
from .roofline import RIDGE, Kernel, kernels, time_of

__all__ = ["cross_in_time"]

_FEW, _MOST = 2, 10
"""Kernels that may wait for either: all regimes in symbols up to the first, any formula up to the second."""
Facts = tuple[Poly, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A kernel of one of the orders."""

    order: str
    kernel: Kernel

    @property
    def either(self) -> bool:
        """Whether it may wait for either."""
        return bool(self.kernel.flops) and bool(self.kernel.bytes)

    @property
    def gap(self) -> Poly:
        """Positive where it waits for arithmetic."""
        return self.kernel.flops - self.kernel.bytes * RIDGE


def cross_in_time(
    costs: tuple[Cost, Cost],
    symbol: str,
    names: tuple[str, str],
    facts: Facts,
    values: Mapping[str, Coefficient],
) -> Crossover:
    """The crossover of two times. Raises InputError where there is no formula, or sizes are needed for one."""
    parts = [_Part(name, kernel) for name, cost in zip(names, costs, strict=True) for kernel in kernels(cost)]
    first, second = (time_of(cost, facts) for cost in costs)
    listed = tuple((part.order, part.kernel.name, part.kernel.flops, part.kernel.bytes) for part in parts)
    shared = [kernel for kernel in kernels(costs[0]) if kernel in kernels(costs[1])]
    either = [part for part in parts if part.either and part.kernel not in shared]
    hidden = [part for part in either if symbol in free_symbols(part.kernel.flops + part.kernel.bytes)]
    if len(either) <= _FEW and len(hidden) == len(either):
        found = cross_in_regimes(first, second, symbol, names, facts)
        solutions = tuple(replace(s, bounds=_proved(s, either, symbol, facts)) for s in found.solutions)
        return replace(found, solutions=solutions, costs=(first, second), kernels=listed)
    whole = Crossover(symbol, names, first - second, (), None, (first, second), kernels=listed)
    missing = {n for part in parts for n in free_symbols(part.kernel.flops + part.kernel.bytes * RIDGE)}
    missing -= {*values, symbol}
    if missing:
        raise InputError(
            f"{len(either)} kernels may wait for arithmetic or for memory, which are too many regimes for one "
            f"formula; say which with numbers for {', '.join(sorted(missing))}"
        )
    if len(either) > _MOST:
        raise InputError(
            f"{len(either)} kernels may wait for arithmetic or for memory; compare fewer, or a scope"
        )
    at = {name: value for name, value in values.items() if name != symbol}
    found_there = tuple(dict.fromkeys(_regimes(parts, shared, either, symbol, names, facts, at)))
    _none_missed(whole.difference, found_there, symbol, at)
    never = None if found_there else "the times do not cross at these sizes"
    return replace(whole, solutions=found_there, never=never)


def _none_missed(gap: Poly, found: tuple[Solution, ...], symbol: str, at: Mapping[str, Coefficient]) -> None:
    """Raises InputError where the times cross between sizes that are tried and no formula says where."""
    last = int(_last(symbol, at))
    tried = sorted({1 + (last - 1) * k // 64 for k in range(65)} | {2**k for k in range(last.bit_length())})
    signs = [(x, evaluate(gap, {**at, symbol: x}) or 0) for x in tried if x <= last]
    places = [root for s in found if (root := s.root.value(at)) is not None]
    for (low, one), (high, two) in pairwise((x, sign) for x, sign in signs if sign):
        if (one > 0) != (two > 0) and not any(low <= place <= high for place in places):
            raise InputError(
                f"the times cross between {symbol} = {low} and {high}, where there is no closed form"
            )


def _last(symbol: str, at: Mapping[str, Coefficient]) -> Coefficient:
    """The largest value of a symbol that is of interest."""
    if symbol in ("S", LENGTH) and "L" in at:
        return max(1, at["L"] - at.get(LENGTH if symbol == "S" else "S", 0))
    return 2**24


def _proved(solution: Solution, parts: list[_Part], symbol: str, facts: Facts) -> tuple[tuple[str, str], ...]:
    """What each kernel waits for at a crossing, as far as its conditions tell."""
    if solution.root.ratio is None:
        return ()
    bounds = []
    for part in parts:
        there = at_root(part.gap, symbol, solution.root.p, solution.root.r)
        for sign, bound in ((1, "arithmetic"), (-1, "memory")):
            needed = conditions_of((there * sign,), facts)
            if needed is not None and all(condition in solution.conditions for condition in needed):
                bounds.append((_label(part), bound))
    return tuple(bounds)


def _label(part: _Part) -> str:
    return f"{part.kernel.name} of {part.order}"


def _regimes(
    parts: list[_Part], shared: list[Kernel], either: list[_Part], symbol: str, names: tuple[str, str],
    facts: Facts, at: Mapping[str, Coefficient],
) -> Iterator[Solution]:  # fmt: skip
    """The crossings at these sizes, each with the formula of its regime."""
    for choice in product((True, False), repeat=len(either)):
        waits = dict(zip(either, choice, strict=True))
        sides = [
            total(
                part.kernel.flops if waits.get(part, bool(part.kernel.flops)) else part.kernel.bytes * RIDGE
                for part in parts if part.order == name and part.kernel not in shared
            )
            for name in names
        ]  # fmt: skip
        try:
            local = cross_in_regimes(sides[0], sides[1], symbol, names, facts)
        except InputError:  # no formula in this regime; that none is missed is seen afterwards
            continue
        for solution in local.solutions:
            there = solution.root.value(at)
            if there is None or not _inside(there, symbol, at) or not _holds(solution, at):
                continue
            here = {**at, symbol: there}
            gaps = {part: evaluate(part.gap, here) for part in either}
            if all((gap or 0) > 0 if waits[part] else (gap or 0) <= 0 for part, gap in gaps.items()):
                bounds = tuple((_label(p), "arithmetic" if w else "memory") for p, w in waits.items())
                yield replace(solution, conditions=(), limit=None, bounds=bounds)


def _inside(there: Fraction, symbol: str, at: Mapping[str, Coefficient]) -> bool:
    return 0 < there < _last(symbol, at)


def _holds(solution: Solution, at: Mapping[str, Coefficient]) -> bool:
    """Whether the crossing is one at these sizes, as far as they decide it."""
    return all(condition.holds(at) is not False for condition in solution.conditions)
