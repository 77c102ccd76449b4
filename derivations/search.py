"""Which orders there are, which one stands for a named set, and which is cheapest at given sizes.

An order picks one contraction tree for every region; a sub-product that two regions share is
built once. Regions that share nothing are chosen apart from each other, so the work is a sum, not
a product, over them. The search is `frontier`'s; `rank` is plain enumeration, for small products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .asked import is_expression, order_asked
from .atoms import evaluate, free_symbols
from .errors import InputError, unknown
from .frontier import Frontier, Joint, Limits, frontier
from .graph import Graph
from .poly import Coefficient, Poly, total
from .prices import Prices
from .program import NamedOrder
from .sharing import Sharing
from .shown import Shown
from .specparts import RESERVED_ORDERS
from .trees import Sizes, Space, Tree, bracketing, trees

__all__ = [
    "Order",
    "Ranked",
    "choose",
    "memberships",
    "named_order",
    "order_names",
    "rank",
    "spaces",
    "typical_value",
]


@dataclass(frozen=True, slots=True)
class Order(Shown):
    """A tree for every region of a graph."""

    name: str
    """The named set it stands for, or `best`, or `direct`."""
    trees: tuple[Tree, ...]
    """In the order of the graph's regions."""
    forms: tuple[str, ...]
    """Named intermediates it forms, in program order."""
    rule: str
    """Why this member of the set was taken."""
    title: str = ""
    """What the set is, in a phrase."""
    member_of: tuple[str, ...] = ()
    """Named sets of the file it belongs to, its own left out."""
    graph: Graph | None = field(default=None, compare=False)
    """The program whose products the trees bracket."""

    def __repr__(self) -> str:
        return f"Order({self.label}: forms {', '.join(self.forms) or 'nothing'})"

    @property
    def label(self) -> str:
        """The name, and for `best` and `direct` the named sets it belongs to."""
        return f"{self.name} ({', '.join(self.member_of)})" if self.member_of else self.name


@dataclass(frozen=True, slots=True)
class Ranked:
    """One tree of a region and its FLOPs."""

    tree: Tree
    """The tree."""
    text: str
    """With parentheses."""
    forms: tuple[str, ...]
    """Named intermediates it forms."""
    flops: Poly
    """Online FLOPs in symbols."""
    value: Coefficient
    """At the sizes asked for."""


def spaces(graph: Graph, sizes: Sizes) -> tuple[Space, ...]:
    """A `Space` for each region."""
    return tuple(Space(graph, region, sizes) for region in graph.regions)


def order_names(graph: Graph) -> tuple[str, ...]:
    """The named orders; `direct` (the program as written) where the file names none."""
    return tuple(order.name for order in graph.variant.orders) or ("direct",)


def named_order(graph: Graph, name: str) -> NamedOrder:
    """The set behind a plain name. Raises InputError with the nearest name for an unknown one."""
    for order in graph.variant.orders:
        if order.name == name:
            return order
    if name == "direct":
        formed = {named.name for region in graph.regions for named in region.named}
        forms = tuple(e.name for e in graph.variant.equations if e.name in formed)
        return NamedOrder("direct", forms, (), "every intermediate the program names is formed")
    if name == "best":
        return NamedOrder("best", (), (), "the fewest FLOPs of all orders")
    if name == "all":
        raise InputError("all is every named order, and one is needed here")
    known = [*(order.name for order in graph.variant.orders), *RESERVED_ORDERS]
    raise unknown(f"order of {graph.variant.name}", name, known)


def choose(
    graph: Graph,
    name: str,
    sizes: Sizes,
    values: Mapping[str, Coefficient] | None = None,
    elementwise: bool = True,
    rewritten: bool = False,
) -> Order:
    """The member that stands for the named set: fewest online FLOPs of the layer at `values`.

    Where sizes stay symbols: a member no other one beats at every size, and of several the one
    that forms most of the program's named intermediates. Raises InputError for an unknown name.
    """
    limits = order_asked(graph, name, rewritten) if is_expression(name) else Limits(named_order(graph, name))
    known = {n: Poly.const(v) for n, v in (values or {}).items()}
    regions = spaces(graph, sizes)
    sharing = Sharing(regions)
    picked: dict[int, Tree] = {}
    decided = True
    for group in sharing.groups:
        members = {index: regions[index] for index in group}
        prices = Prices(list(members.values()), known, graph.variant.facts, elementwise)
        search = frontier if is_expression(name) else _candidates
        found = search(members, prices, limits, sharing)
        if not found.orders:
            raise InputError(f"no order of {graph.variant.name} is {name}: what it forms crosses or is avoided")
        decided = decided and prices.numeric
        key = _usual if is_expression(name) else _rank
        picked.update(zip(group, min(found.orders, key=key).trees, strict=True))
    trees = tuple(picked[index] for index in range(len(regions)))
    formed = frozenset().union(*(space.formed(tree) for space, tree in zip(regions, trees, strict=True)))
    return Order(
        name=limits.order.name,
        trees=trees,
        forms=tuple(e.name for e in graph.variant.equations if e.name in formed),
        rule=_FEWEST if decided else _AS_ASKED if is_expression(name) else _UNBEATEN,
        title=limits.order.title,
        member_of=memberships(graph, name, formed),
        graph=graph,
    )


def _candidates(spaces: Mapping[int, Space], prices: Prices, limits: Limits, sharing: Sharing) -> Frontier:
    """Undominated orders of the set, that which forms most among them.

    With symbols that is mostly one that forms whatever the set lets it form. There are few of those, and
    whether one is dominated takes a search of what costs no more, not of everything.
    """
    if not prices.numeric and not limits.brackets:
        named = {n.name for space in spaces.values() for n in space.region.named}
        forms = tuple(sorted(named - set(limits.order.avoids)))
        forming = replace(limits, order=replace(limits.order, forms=forms))
        most = frontier(spaces, prices, forming, sharing).orders
        if most:
            first = min(most, key=_rank)
            rivals = frontier(spaces, prices, replace(limits, bound=first), sharing).orders
            if all(rival.flops == first.flops for rival in rivals):
                return Frontier((first,), 1)
    return frontier(spaces, prices, limits, sharing)


_FEWEST = "it has the fewest FLOPs of the layer at these sizes"
_UNBEATEN = (
    "no other member is proved to be at least as cheap at every size, and of those it forms most of the "
    "intermediates that the program names"
)
_AS_ASKED = (
    "no other member is proved to be at least as cheap at every size, and of those it has the fewest FLOPs at "
    "usual sizes"
)
_TYPICAL = {"L": 8192, "S": 64, "d_model": 4096, "d_c": 512, "d_q": 1024, "H": 64}
"""Sizes that break ties between orders none of which is better everywhere; 64 for any other symbol."""


def _rank(order: Joint) -> tuple[int, Coefficient, tuple[Tree, ...]]:
    return -order.formed, typical_value(order.flops), order.trees


def _usual(order: Joint) -> tuple[Coefficient, int, tuple[Tree, ...]]:
    return typical_value(order.flops), -order.formed, order.trees


def typical_value(cost: Poly) -> Coefficient:
    """A cost at sizes as models have them: only to list and to choose between equals."""
    return evaluate(cost, {name: _TYPICAL.get(name, 64) for name in free_symbols(cost)}) or 0


def memberships(graph: Graph, name: str, formed: frozenset[str]) -> tuple[str, ...]:
    """The named sets, `name` left out, of an order that forms just these intermediates."""
    return tuple(
        order.name
        for order in graph.variant.orders
        if order.name != name and formed >= set(order.forms) and not formed & set(order.avoids)
    )


def rank(graph: Graph, index: int, sizes: Sizes, values: Mapping[str, Coefficient]) -> tuple[Ranked, ...]:
    """Every tree of one region, fewest online FLOPs first; all its sizes must have values."""
    space = Space(graph, graph.regions[index], sizes)
    names = {i: leaf.tensor for i, leaf in enumerate(space.region.leaves)}
    ranked = []
    for tree in trees(len(space.region.leaves)):
        flops = total(step.flops for step in space.steps(tree) if not step.offline)
        value = evaluate(flops, values)
        if value is None:
            missing = sorted(free_symbols(flops) - set(values))
            raise ValueError(f"no value for {', '.join(missing)}")
        forms = tuple(sorted(space.formed(tree)))
        ranked.append(Ranked(tree, bracketing(tree, names), forms, flops, value))
    return tuple(sorted(ranked, key=lambda r: (r.value, r.text)))
