"""What a derivation claims of itself: its intensity, what cancels in it, its limit, and each crossover.

Nothing here decides whether a claim holds: the same claims are made of every order of every variant,
those that turn out false included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from .algebra import limit_in
from .atoms import atom_of, free_symbols
from .claims import Term
from .costs import Cost, sizes_of
from .crossover import Crossover, Solution
from .derivation import Derivation, Study, crossover_of, derive
from .errors import InputError, Place
from .expr import Comparison
from .graph import Graph
from .nested import nested_sum
from .poly import Poly
from .quantities import Assertion, claim_about, ledger_expression, ratio_expression
from .search import choose
from .terms import Kind
from .trees import Phase, Tree

__all__ = [
    "assertions_of",
    "crossover_assertions",
    "derivation_assertions",
    "intensity_assertions",
    "order_assertions",
    "value_assertions",
    "value_statement",
]

_DEPENDENT = ("S", "B", "d_model", "b")
"""Symbols whose absence from an intensity nobody asks about."""


def assertions_of(study: Study, orders: Iterable[str]) -> tuple[Assertion, ...]:
    """All claims about some orders of a variant, one by one and in pairs."""
    named = tuple(orders)
    found = [assertion for name in named for assertion in order_assertions(derive(study, name), named)]
    for first, second in combinations(named, 2):
        found += crossover_assertions(study, first, second)
    return tuple(found)


def derivation_assertions(derivation: Derivation, rivals: Iterable[str]) -> tuple[Assertion, ...]:
    """What one derivation claims: of its order, and of where that meets its rivals."""
    others, own = list(rivals), derivation.cost.order.name
    found = list(order_assertions(derivation, others))
    for rival in others:
        found += crossover_assertions(derivation.study, own, rival)
    return tuple(found)


def order_assertions(derivation: Derivation, named: Iterable[str] = ()) -> tuple[Assertion, ...]:
    """The claims about one order; `named` are the orders whose symbols matter too."""
    return (*intensity_assertions(derivation, named), *value_assertions(derivation))


def intensity_assertions(derivation: Derivation, named: Iterable[str] = ()) -> tuple[Assertion, ...]:
    """What the intensity is, which sizes it does not depend on, and where it tends to."""
    study, order, ratio = derivation.study, derivation.cost.order.name, derivation.intensity
    if ratio is None or not derivation.flops:
        return ()
    quantities = {
        "F": ledger_expression(derivation.cost, Kind.FLOPS),
        "M": ledger_expression(derivation.cost, Kind.BYTES),
        "I": ("div", ("def", "F"), ("def", "M")),
    }
    intensity: Term = ("def", "I")

    def about(name: str, says: str, statement: Term) -> Assertion:
        claim = claim_about(statement, quantities, (), study.variant)
        ran = _order(derivation) if name == "intensity" else None
        return Assertion(f"{order}.{name}", says, claim, (study.variant.name,), order=ran)

    found = [
        about("intensity", f"The arithmetic intensity of {order} is its closed form.",
              ("same", intensity, ratio_expression(ratio)))
    ]  # fmt: skip
    for symbol in _asked(derivation, named):
        says = f"The intensity of {order} does not depend on {symbol}."
        found.append(about(f"intensity-free-of-{symbol}", says, ("independent", intensity, symbol)))
    limit = limit_in(ratio, "L") if "L" in ratio.symbols() else None
    if limit is not None:
        says = f"As L grows, the intensity of {order} tends to a limit."
        found.append(about("intensity-limit", says, ("same", ("lim", intensity, "L"), ratio_expression(limit))))
    return tuple(found)


def _asked(derivation: Derivation, named: Iterable[str]) -> list[str]:
    """Sizes of the core that are free: those of this order's ledger and of the other named ones."""
    costs: list[Cost] = [derivation.cost]
    for name in named:
        if name != derivation.cost.order.name:
            costs.append(derive(derivation.study, name).cost)
    used = frozenset[str]().union(*(free_symbols(p) for cost in costs for p in (cost.flops, cost.bytes)))
    ranks = {name: place for place, name in enumerate(derivation.study.variant.symbols)}
    free = used - set(_DEPENDENT)
    return sorted(free, key=lambda name: (name != "L", ranks.get(name, len(ranks)), name))


def crossover_assertions(study: Study, first: str, second: str) -> tuple[Assertion, ...]:
    """Claims about where two orders cost the same FLOPs in S: scope attention, S free."""
    conventions = replace(study.conventions, phase="verify", scope="attention")
    asked = replace(study, values={}, conventions=conventions)
    try:
        crossover = crossover_of(asked, first, second, "S")
    except InputError:
        return ()
    quantities = {
        f"F_{name}": ledger_expression(derive(asked, name).cost, Kind.FLOPS) for name in (first, second)
    }
    if any("S" in free_symbols(Poly.symbol(n)) for n in crossover.difference.names() if atom_of(n)):
        return ()  # a min in S: each way it can fall has a crossover of its own
    pair = _Pair(study, crossover, quantities, f"{first}-{second}")
    return tuple(pair.assertions())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two orders and where they meet."""

    study: Study
    crossover: Crossover
    quantities: Mapping[str, Term]
    name: str

    def about(self, name: str, says: str, statement: Term, given: Iterable[Comparison]) -> Assertion:
        claim = claim_about(statement, self.quantities, given, self.study.variant)
        return Assertion(f"{self.name}.{name}", says, claim, (self.study.variant.name,))

    def assertions(self) -> Iterator[Assertion]:
        solutions = self.crossover.solutions
        for number, solution in enumerate(solutions, 1):
            if solution.root.ratio is not None:
                yield from self._solution(solution, f"-{number}" if len(solutions) > 1 else "")
        if len(solutions) == 1 and len(solutions[0].conditions) == 1:
            yield self._none(solutions[0])

    def _solution(self, solution: Solution, mark: str) -> Iterator[Assertion]:
        low, high = ("def", f"F_{solution.below}"), ("def", f"F_{solution.above}")
        root: Term = ("root", low, high, "S")
        given = [Comparison("", condition.slack, True) for condition in solution.conditions]
        assert solution.root.ratio is not None
        closed = ratio_expression(solution.root.ratio)
        statement = (
            "all", ("crosses", low, high, "S"), ("same", root, closed),
            ("less", ("num", 0), root), ("less", root, ("sym", "L")),
        )  # fmt: skip
        where = " Where the condition holds," if given else ""
        yield self.about(
            f"crossover{mark}",
            f"{where} {solution.below} is cheaper below one S* between 0 and L, {solution.above} above it, "
            "and they cost the same there only.".strip(),
            statement, given,
        )  # fmt: skip
        used = solution.root.ratio.symbols()
        far = [Comparison("", _far(condition.slack), True) for condition in solution.conditions]
        names = self.crossover.costs[0].names() | self.crossover.costs[1].names()
        for symbol in sorted(n for n in names - used - {"S"} if atom_of(n) is None):
            yield self.about(
                f"crossover{mark}-free-of-{symbol}", f"S* does not depend on {symbol}.",
                ("independent", root, symbol), given,
            )  # fmt: skip
        if "L" in used:
            yield self.about(f"crossover{mark}-grows", "S* increases with L.", ("increasing", root, "L"), far)
        if solution.limit is not None:
            yield self.about(
                f"crossover{mark}-limit", "As L grows, S* tends to a limit.",
                ("same", ("lim", root, "L"), ratio_expression(solution.limit)), far,
            )  # fmt: skip

    def _none(self, solution: Solution) -> Assertion:
        """Where the condition fails: the order that is cheaper at first stays so."""
        given = [Comparison("", -solution.conditions[0].slack, False)]
        low, high = ("def", f"F_{solution.below}"), ("def", f"F_{solution.above}")
        says = f"Where the condition fails, {solution.below} never costs more than {solution.above}."
        return self.about("no-crossover", says, ("atmost", low, high), given)


def _far(slack: Poly) -> Poly:
    """What must be positive for a condition to hold at all large L."""
    powers = slack.coefficients("L")
    return powers[max(powers)]


def value_assertions(derivation: Derivation) -> tuple[Assertion, ...]:
    """That the order computes what the program says: each product bracketed in two ways has one value."""
    found = []
    for name, nodes in _bracketed(derivation):
        says = f"{derivation.cost.order.name} computes {name} as the program writes it: the sums exchange."
        claim = claim_about(("value", *nodes), {})
        about = (derivation.study.variant.name,)
        found.append(
            Assertion(
                f"{derivation.cost.order.name}.value-of-{name}", says, claim, about, order=_order(derivation)
            )
        )
    return tuple(found)


def _order(derivation: Derivation) -> tuple[Graph, Phase, tuple[Tree, ...]]:
    return derivation.cost.graph, derivation.study.conventions.step, derivation.cost.order.trees


def value_statement(derivation: Derivation, place: Place | None = None) -> Term:
    """That every product of an order has the value of the product as written."""
    found: list[Term] = [("value", *nodes) for _, nodes in _bracketed(derivation)]
    if not found:
        raise InputError(f"{derivation.cost.order.name} brackets every product as the program writes it", place)
    return found[0] if len(found) == 1 else ("all", *found)


def _bracketed(derivation: Derivation) -> Iterator[tuple[str, tuple[Term, Term]]]:
    """Products that an order brackets in another way than the program: as written, and by the order."""
    cost, study = derivation.cost, derivation.study
    written = choose(cost.graph, "direct", sizes_of(study.conventions, study.batched)).trees
    for region, direct, tree in zip(cost.graph.regions, written, cost.order.trees, strict=True):
        nodes = nested_sum(region, direct), nested_sum(region, tree)
        if len(region.leaves) > 2 and nodes[0] != nodes[1]:
            yield f"{region.root}.{region.index + 1}" if region.index else region.root, nodes
