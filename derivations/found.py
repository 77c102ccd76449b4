"""What an order search answers with: the orders it kept, each with its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from .contest import Contest
from .crossover import Crossover
from .edges import Edge, edges, solved, with_known
from .poly import Poly
from .prices import Prices
from .shown import Shown
from .trees import Space, Tree
from .verdicts import Cell, Status, Verdict

__all__ = ["MOST_NEIGHBOURS", "Boundary", "Found", "Group", "Merged", "Orders", "boundaries_of"]

MOST_NEIGHBOURS = 30
"""Orders that can be best up to which the boundaries between them are worked out."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A product of weights that an order makes offline and uses instead of its factors."""

    text: str
    """Bracketing of the weights."""
    flops: Poly
    """FLOPs of making it, once, before any request."""
    elements: Poly
    """Elements it has."""
    replaces: Poly
    """Elements of the weights that it stands for."""
    bytes: tuple[Poly, Poly] | None = None
    """Bytes of it and of what it stands for; None where elements have no width."""


@dataclass(frozen=True, slots=True)
class Found:
    """One order that the search kept."""

    trees: tuple[Tree, ...]
    """A tree for each of the regions it covers."""
    bracketing: str
    """With parentheses; of several regions with their roots before."""
    forms: tuple[str, ...]
    """Named intermediates it forms, in program order."""
    member_of: tuple[str, ...]
    """Named orders of the variant whose set it belongs to."""
    flops: Poly
    """Online arithmetic of the regions it covers, in the unit asked for, known sizes put in."""
    verdict: Verdict
    """Whether it can be best."""
    merged: tuple[Merged, ...]
    """What it makes offline."""
    choice: Cell
    """In a group: its own number. Of the whole: the number of its choice in each group."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where two neighbours in a group cost the same."""

    first: int
    """Number of a choice."""
    second: int
    """Number of the other."""
    edge: Edge
    """Sizes on either side."""
    crossover: Crossover | None
    """Where they cost the same, solved for one symbol; None where there is no closed form."""


@dataclass(frozen=True, slots=True)
class Group:
    """Regions that are decided together, since they can share steps."""

    roots: tuple[str, ...]
    """What they compute."""
    spaces: tuple[Space, ...]
    """The regions."""
    bracketings: int
    """How many combinations of trees there are."""
    found: tuple[Found, ...]
    """Those that no other one is proved to beat everywhere, cheap ones at usual sizes first."""
    contest: Contest
    """What was learnt about them."""
    facts: tuple[Poly, ...]
    """What is known of the sizes, each at least 0."""
    known: Mapping[str, Poly]
    """Sizes that have numbers."""


def boundaries_of(group: Group) -> tuple[Boundary, ...] | None:
    """Between choices of a group that are best side by side; None where there are too many to look at."""
    open_ = [order for order in group.found if order.verdict.status is not Status.NEVER]
    if len(open_) > MOST_NEIGHBOURS:
        return None
    made = []
    plain = not group.spaces[0].graph.variant.equations
    for edge in edges(group.contest, 0) if len(open_) > 1 else ():
        first, second = sorted((edge.first, edge.second))
        names = (f"order {first + 1}", f"order {second + 1}")
        crossover = solved(group.found[first].flops, group.found[second].flops, names, group.facts, plain)
        if crossover is not None:
            crossover = with_known(crossover, group.known)
        made.append(Boundary(first, second, edge, crossover))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Orders(Shown):
    """The orders of a study or an expression that the search kept, each with its verdict."""

    groups: tuple[Group, ...]
    """In program order."""
    orders: tuple[Found, ...]
    """One choice in each group, those that can be best first."""
    outer: bool
    """Whether products without a common index were searched."""
    numeric: bool
    """Whether all sizes were known: then only the cheapest is there."""
    prices: Prices
    """With the slack coordinates of the certificates."""
    unit: str
    """`flops` or `macs`."""

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(status)} {status}" for status in Status if self.count(status))
        return f"Orders({self.bracketings} searched, {len(self.orders)} left: {counts})"

    @property
    def bracketings(self) -> int:
        """How many orders the search covered."""
        return prod(group.bracketings for group in self.groups)

    @property
    def space(self) -> str:
        """What was searched, in a phrase."""
        if self.outer:
            return "every bracketing, outer products included"
        return "every bracketing without outer products: two factors with no common index are never multiplied"

    def count(self, status: str) -> int:
        """How many orders have this verdict."""
        return sum(found.verdict.status == status for found in self.orders)
