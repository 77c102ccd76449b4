"""Crossovers of costs with mins in the symbol asked for: one regime for each way the mins can fall.

`min(L, n)` is L or n. In each regime the difference is a polynomial, solved as such; a solution counts
where it lies in its regime, which is one more validity condition. The difference is continuous, so
where no regime has a solution its sign does not change.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from .atoms import Atom, atom_of, free_symbols, put
from .crossover import Crossover, Solution, conditions_of, cross
from .domain import nonnegative, positive
from .errors import InputError
from .poly import Poly, total

__all__ = ["at_root", "cross_in_regimes"]

_MOST = 4
"""Mins in one difference, each with two regimes."""


def cross_in_regimes(
    first: Poly, second: Poly, symbol: str, names: tuple[str, str], facts: tuple[Poly, ...]
) -> Crossover:
    """`cross`, with mins that contain the symbol taken apart.

    Raises InputError where that gives no closed form: ceil and floor, nested mins, square roots.
    """
    difference = first - second
    mins = _mins(difference, symbol)
    if not mins:
        return cross(first, second, symbol, names, facts)
    solutions: list[Solution] = []
    reasons: set[str | None] = set()
    for choice in product((0, 1), repeat=len(mins)):
        images = {name: atom.arguments[which] for (name, atom), which in zip(mins, choice, strict=True)}
        needed = [
            atom.arguments[1 - which] - atom.arguments[which]
            for (_, atom), which in zip(mins, choice, strict=True)
        ]
        local = cross(put(first, images), put(second, images), symbol, names, facts)
        reasons.add(local.never if local.decided_by is None else None)
        for solution in local.solutions:
            inside = _inside(solution, needed, symbol, facts)
            if inside is not None and inside not in solutions:
                solutions.append(inside)
    if solutions:
        return Crossover(symbol, names, difference, tuple(solutions), None)
    (reason,) = reasons if len(reasons) == 1 else (None,)
    kept = f"the difference does not change its sign inside the range of {symbol}"
    return Crossover(symbol, names, difference, (), reason or kept)


def _mins(difference: Poly, symbol: str) -> list[tuple[str, Atom]]:
    found = []
    for name in sorted(difference.names()):
        atom = atom_of(name)
        if atom is None or symbol not in free_symbols(Poly.symbol(name)):
            continue
        nested = any(atom_of(inner) is not None for part in atom.arguments for inner in part.names())
        if atom.function != "min" or nested:
            raise _refused(name, symbol)
        found.append((name, atom))
    if len(found) > _MOST:
        raise _refused(found[0][0], symbol)
    return found


def _refused(name: str, symbol: str) -> InputError:
    return InputError(
        f"the difference contains {name}, so it has no single closed form in {symbol}; ask in another symbol"
    )


def _inside(solution: Solution, needed: list[Poly], symbol: str, facts: tuple[Poly, ...]) -> Solution | None:
    """The solution with the conditions that put it into its regime; None where they contradict it."""
    if solution.root.q:
        raise InputError(f"one regime has a square root in {symbol}; ask in another symbol")
    slacks = [condition.slack for condition in solution.conditions]
    p, r = solution.root.p, solution.root.r
    if positive(-r, (*facts, *slacks)):
        p, r = -p, -r
    known = positive(r, (*facts, *slacks))
    slacks += [at_root(slack, symbol, p, r, known) for slack in needed]
    if any(nonnegative(-slack, facts) for slack in slacks):
        return None
    conditions = conditions_of(tuple(slacks), facts)
    if conditions is None:
        return None
    far = None if any("L" in free_symbols(slack) for slack in needed) else solution.limit
    return replace(solution, conditions=conditions, limit=far)


def at_root(slack: Poly, symbol: str, top: Poly, bottom: Poly, known: bool = False) -> Poly:
    """What has the sign of `slack` where the symbol is `top / bottom`; `known` if the bottom is positive."""
    powers = slack.coefficients(symbol)
    degree = max(powers)
    clear = degree if known else degree + degree % 2
    return total(part * top**power * bottom ** (clear - power) for power, part in powers.items())
