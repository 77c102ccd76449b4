"""Statements held against all bracketings: what the search and counting say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from .asked import order_asked
from .conventions import Conventions
from .costs import sizes_of
from .crossover import Crossover
from .derivation import Study
from .edges import solved
from .errors import InputError, Place, unknown
from .found import Found, Orders
from .graph import Graph
from .library import load_variant
from .orders import orders_of
from .poly import Poly
from .program import NamedOrder
from .regions import build_graph, regions_of
from .statements import Carried, Rule
from .transform import assuming, without_caches
from .trees import Contraction, Space, Tree, trees
from .trees import Rule as StepRule
from .verdicts import Status

__all__ = ["Carrier", "Ruling", "carried", "ruled"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the search says of a rule."""

    rule: Rule
    """The rule."""
    study: Study
    """The variant under the rule's assumptions."""
    found: Orders
    """All orders of its product."""
    inside: tuple[Found, ...]
    """Those of the rule's set that the search kept."""
    rivals: tuple[tuple[Found, Crossover | None], ...]
    """Orders outside the set that can be best, and where the rule's order costs the same."""

    @property
    def holds(self) -> bool:
        """Whether no order outside the set is ever the only cheapest one."""
        return bool(self.inside) and not self.rivals


@contextmanager
def _at(place: Place | None) -> Iterator[None]:
    """Says where a statement stands that fits no variant."""
    try:
        yield
    except InputError as error:
        own = error.place is not None and error.place.line is not None
        raise error if own else InputError(str(error), place) from None


def ruled(rule: Rule) -> Ruling:
    """Hold a rule against all orders of its product. Raises InputError with its place where it fits none."""
    with _at(rule.place):
        return _ruled(rule)


def _ruled(rule: Rule) -> Ruling:
    variant = assuming(load_variant(rule.variant), rule.assume)
    study = Study(variant, Conventions(phase=rule.phase, caches=rule.caches, scope="layer"), {})
    found = orders_of(study, rule.region)
    graph = _graph(study)
    limits = order_asked(graph, rule.order)
    trees_asked = [tree for place, tree in limits.brackets.items() if graph.regions[place].root == rule.region]

    def admits(order: Found) -> bool:
        return _admits(limits.order, order) and all(order.trees[0] == tree for tree in trees_asked)

    inside = tuple(order for order in found.orders if admits(order))
    rivals = []
    for order in found.orders:
        if order.verdict.status is not Status.NEVER and not admits(order):
            crossover = (
                solved(inside[0].flops, order.flops, ("the rule", "the rival"), variant.facts)
                if inside
                else None
            )
            rivals.append((order, crossover))
    return Ruling(rule, study, found, inside, tuple(rivals))


def _graph(study: Study) -> Graph:
    variant = study.variant
    return build_graph(without_caches(variant) if study.conventions.caches == "none" else variant)


def _admits(wanted: NamedOrder, order: Found) -> bool:
    return set(wanted.forms) <= set(order.forms) and not set(wanted.avoids) & set(order.forms)


@dataclass(frozen=True, slots=True)
class Carrier:
    """What counting says of a claim about every order."""

    claim: Carried
    """The claim."""
    space: Space
    """The product."""
    wanted: NamedOrder
    """What the orders of the set form, and what they avoid."""
    orders: int
    """Orders in the set."""
    without: int
    """Orders with no such step."""
    steps: tuple[tuple[Poly, int, Tree], ...]
    """FLOPs of the cheapest such step of an order, how many orders have it, and the plainest of them."""
    example: Tree | None
    """The plainest order with no such step; None where there is none."""
    best: int
    """Orders of the set that can be best; 0 where none is without such a step."""
    best_without: int
    """Those of them with no such step."""


def carried(claim: Carried) -> Carrier:
    """Count the orders that have a step whose index points the divisor divides.

    Raises InputError with its place where the claim fits no variant.
    """
    with _at(claim.place):
        return _carried_by(claim)


def _carried_by(claim: Carried) -> Carrier:
    study = Study(load_variant(claim.variant), Conventions(phase=claim.phase), {})
    graph = _graph(study)
    products = regions_of(graph, claim.region)
    if len(products) > 1:
        raise InputError(f"{claim.region} of {claim.variant} is a sum of products; name one of its factors")
    (region,) = products
    for name in sorted(claim.divisor.names()):
        if name not in study.variant.symbols:
            raise unknown(f"symbol of {claim.variant}", name, study.variant.symbols)
    if len(claim.divisor.terms) != 1:
        raise InputError("the divisor is a sum; write a product of sizes, such as L*d_c")
    space = Space(graph, region, sizes_of(study.conventions))
    wanted = order_asked(graph, claim.order).order if claim.order else NamedOrder("all")
    having: dict[Poly, list[Tree]] = {}
    without: list[Tree] = []
    for tree in trees(len(region.leaves)):
        formed = space.formed(tree)
        if not set(wanted.forms) <= formed or set(wanted.avoids) & formed:
            continue
        hits = [step.flops for step in space.steps(tree) if _hit(claim.divisor, step)]
        if not hits:
            without.append(tree)
            continue
        least = min(hits, key=lambda flops: (len(flops.terms), flops.text()))
        having.setdefault(least, []).append(tree)
    listed = tuple(
        (flops, len(found), _plainest(space, found))
        for flops, found in sorted(having.items(), key=lambda item: -len(item[1]))
    )
    orders = len(without) + sum(map(len, having.values()))
    best = [
        order.trees[0]
        for order in (orders_of(study, claim.region).orders if without else ())
        if order.verdict.status is Status.BEST and _admits(wanted, order)
    ]
    free = sum(not any(_hit(claim.divisor, step) for step in space.steps(tree)) for tree in best)
    example = _plainest(space, without) if without else None
    return Carrier(claim, space, wanted, orders, len(without), listed, example, len(best), free)


def _plainest(space: Space, found: Sequence[Tree]) -> Tree:
    """The first order with the fewest outer products, and among those with the fewest merged weights."""

    def oddities(tree: Tree) -> tuple[int, int]:
        steps = space.steps(tree)
        return sum(step.rule is StepRule.OUTER for step in steps), sum(step.offline for step in steps)

    return min(found, key=oddities)


def _hit(divisor: Poly, step: Contraction) -> bool:
    """Whether every term of the points of an online step has each symbol of the divisor at least as often."""
    if step.offline:
        return False
    ((needed, _),) = divisor.powers()
    return all(
        all(powers.get(name, 0) >= exponent for name, exponent in needed.items())
        for powers, _ in step.points.powers()
    )
