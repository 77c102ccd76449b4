"""Neighbours: choices that are best side by side, with sizes on either side, and where they cost the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .atoms import free_symbols, put
from .climb import winner
from .contest import Contest
from .crossover import Condition, Crossover, Solution
from .dims import STANDARD
from .domain import coordinates
from .errors import InputError
from .farkas import TooLarge, combine
from .points import Costs, Domain, Point
from .poly import Poly
from .regimes import cross_in_regimes

__all__ = ["Edge", "edges", "solved", "with_known"]


@dataclass(frozen=True, slots=True)
class Edge:
    """Two choices of a group that are best side by side."""

    first: int
    """Best at `point`."""
    second: int
    """Best, alone or together with the first, one further in `symbol`."""
    symbol: str
    """The size that changes."""
    point: Point
    """Legal sizes; with one more of `symbol` they are legal too."""


def edges(contest: Contest, group: int) -> tuple[Edge, ...]:
    """Pairs of choices seen side by side, walking from the sizes already tried along each symbol."""
    found: dict[tuple[int, int], Edge] = {}
    costs = contest.costs[group]
    for start in contest.points:
        own = winner(costs.at(start))
        for name in contest.domain.symbols if own is not None else ():
            edge = _step(costs, contest.domain, own or 0, start, name)
            if edge is not None:
                found.setdefault((min(edge.first, edge.second), max(edge.first, edge.second)), edge)
    return tuple(found[pair] for pair in sorted(found))


def _step(costs: Costs, domain: Domain, own: int, start: Point, name: str) -> Edge | None:
    """The next neighbour up along one symbol, found by bisection between two whole numbers."""
    low, high = start[name], start[name] * 16
    if not domain.holds({**start, name: high}) or winner(costs.at({**start, name: high})) == own:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if winner(costs.at({**start, name: middle})) == own:
            low = middle
        else:
            high = middle
    below, above = {**start, name: low}, {**start, name: high}
    if not (domain.holds(below) and domain.holds(above)):
        return None
    values = costs.at(above)
    others = [index for index, value in enumerate(values) if value == min(values) and index != own]
    return Edge(own, others[0], name, below) if len(others) == 1 else None


def solved(
    first: Poly, second: Poly, names: tuple[str, str], facts: tuple[Poly, ...], plain: bool = False
) -> Crossover | None:
    """Where two costs are equal, solved for the symbol that people ask for first: S, then L, then any other.

    A crossing is preferred to a symbol that does not decide. None where there is no closed form. In a
    `plain` expression S and L are indices like any other, which the solver of programs does not take them for.
    """
    rank = {name: place for place, name in enumerate(dict.fromkeys(("S", "L", *STANDARD)))}
    symbols = sorted(free_symbols(first - second), key=lambda name: (rank.get(name, len(rank)), name))
    undecided = None
    for symbol in symbols:
        if plain and symbol in ("S", "L"):
            continue
        try:
            crossover = cross_in_regimes(first, second, symbol, names, facts)
        except InputError:
            continue
        possible = tuple(s for s in crossover.solutions if not _impossible(s, facts))
        if possible and plain:
            possible = tuple(replace(solution, limit=None) for solution in possible)
        if possible:
            return replace(crossover, solutions=possible)
        if crossover.solutions:
            continue
        undecided = undecided or crossover
    return undecided


def _impossible(solution: Solution, facts: tuple[Poly, ...]) -> bool:
    """Whether no legal sizes satisfy all conditions: some of them add up to something that is not positive."""
    system = coordinates(facts, True)
    slacks = [-condition.slack * _clear(condition.slack) for condition in solution.conditions]
    if not slacks or not all(system.fits(slack) for slack in slacks):
        return False
    whole = [system.expand(slack) for slack in slacks]
    names = sorted({name for slack in whole for name in slack.names()})
    times = [Poly.const(1), *(Poly.symbol(name) for name in names)]
    try:
        return combine([(slack * factor).terms for slack in whole for factor in times]) is not None
    except TooLarge:
        return False


def _clear(poly: Poly) -> Poly:
    """What makes a condition one without negative exponents."""
    return poly.content().inverse()


def with_known(crossover: Crossover, known: Mapping[str, Poly]) -> Crossover:
    """A crossover with known sizes put into its conditions; what then holds is left out."""
    solutions = []
    for solution in crossover.solutions:
        slacks = [put(condition.slack, known) for condition in solution.conditions]
        if any(slack.constant is not None and slack.constant <= 0 for slack in slacks):
            continue
        left = tuple(Condition(slack) for slack in slacks if slack.constant is None)
        solutions.append(replace(solution, conditions=left))
    return replace(crossover, solutions=tuple(solutions))
