"""The subset search: the orders of some regions that no other order beats at every size.

What survives in a set of factors depends on the set alone, not on how it is bracketed, so the best
orders of a product are made of best orders of its parts. For each set of factors the search keeps the
partial orders that are not proved to cost at least as much as another, whatever the sizes; equal costs
merge. A step that two places share is paid once: a partial order says which shared steps it has, and
is dropped only for one that is no dearer even if it must pay for all shared steps of its own.

Without sharing this is dynamic programming over subsets, as in opt_einsum and cotengra; there with
numbers, here with polynomials (López, Karlsson and Bientinesi do it for chains: arXiv:2303.17352).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .errors import InputError
from .partial import Partial, beside, leaf, settled, slack_of, undominated
from .poly import Coefficient, Poly, total
from .prices import Price, Prices, Slack
from .program import NamedOrder
from .sharing import Shared, Sharing
from .trees import Space, Tree, splits

__all__ = ["MOST", "Frontier", "Joint", "Limits", "frontier"]

MOST = 20_000
"""Partial orders a search may hold; beyond, it stops with an error."""
NONE: frozenset[Shared] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """One tree for each of some regions, at its whole cost."""

    trees: tuple[Tree, ...]
    """In the order of the regions."""
    flops: Poly
    """Online FLOPs, shared steps once, known sizes put in."""
    slack: Slack
    """The same in slack coordinates."""
    packed: Coefficient
    """That as one number."""
    formed: int
    """How many named intermediates it forms."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which orders are searched."""

    order: NamedOrder = field(default_factory=lambda: NamedOrder("all"))
    """Intermediates to form and to avoid."""
    outer: bool = True
    """Whether two factors without a common index may be multiplied."""
    brackets: Mapping[int, Tree] = field(default_factory=dict)
    """Region -> the only tree it may have."""
    bound: Joint | None = None
    """Only orders that are proved to cost no more than this one, if given: itself, and what dominates it."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a search kept."""

    orders: tuple[Joint, ...]
    """None is proved to cost at least as much as another at every size."""
    bracketings: int
    """How many combinations of trees they were chosen from."""


class _Search:
    """One region."""

    def __init__(self, space: Space, prices: Prices, sharing: Sharing, limits: Limits) -> None:
        self.space, self.prices, self.sharing, self.outer = space, prices, sharing, limits.outer
        self.bound = limits.bound
        self.full = space.region.full
        order, named = limits.order, space.region.named
        self.avoided = {n.members for n in named if n.name in order.avoids and n.members != self.full}
        self.wanted = {n.members for n in named if n.name in order.forms}
        self.named: dict[int, int] = {}
        for n in named:
            self.named[n.members] = self.named.get(n.members, 0) + 1
        self.ways = {1 << i: int(1 << i not in self.avoided) for i in range(len(space.region.leaves))}
        self.held = 0
        self.shares = sharing.within(space)
        self.surviving = [space.surviving(mask) for mask in range(self.full + 1)]

    def run(self) -> tuple[list[Partial], int]:
        """The partial orders of the whole region, and how many bracketings they were chosen from."""
        table = {mask: [leaf(self.named.get(mask, 0))] for mask in self.ways}
        for mask in range(1, self.full + 1):
            if mask not in self.ways:
                self.ways[mask] = 0
                table[mask] = self.of(mask, table) if self.admits(mask) else []
        return table[self.full], self.ways[self.full]

    def admits(self, mask: int) -> bool:
        """Whether an order of the set may hold this bracket: no avoided one, and none across a wanted one."""
        if mask in self.avoided:
            return False
        return not any(mask & want and mask & ~want and want & ~mask for want in self.wanted)

    def of(self, mask: int, table: dict[int, list[Partial]]) -> list[Partial]:
        space, offered, bound = self.space, list[Partial](), self.bound
        prices: dict[int | tuple[int, int], Price | None] = {}
        for left in splits(mask):
            right = mask ^ left
            count = self.ways[left] * self.ways[right]
            if not count:
                continue
            one, two = self.surviving[left], self.surviving[right]
            if not (self.outer or one & two):
                continue
            self.ways[mask] += count
            place = one | two if self.prices.elementwise else (one, two)
            if place not in prices:
                prices[place] = self.prices.of(space, left, right)
            made = self.joined(left, right, table[left], table[right], prices[place])
            offered += made if bound is None else within(made, bound, self.prices)
            if len(offered) > 10 * MOST:
                raise self.too_many()
        kept = undominated(offered, (space,), self.prices)
        self.held += len(kept)
        if self.held > MOST:
            raise self.too_many()
        return kept

    def joined(
        self, left: int, right: int, lefts: list[Partial], rights: list[Partial], price: Price | None
    ) -> list[Partial]:
        """Every pair of partial orders, with the step that joins them."""
        shared = self.sharing.step(self.space, left, right, price) if price and self.shares else None
        extra = frozenset((shared,)) if shared else NONE
        own = None if shared else price
        cost, step = own.packed if own else 0, ((left, right), own)
        formed = self.named.get(left | right, 0)
        return [
            Partial(
                a.packed + b.packed + cost,
                a.shared | b.shared | extra if self.shares else NONE,
                a.formed + b.formed + formed,
                (a, b),
                step,
            )
            for a in lefts
            for b in rights
        ]

    def only(self, tree: Tree) -> Partial:
        """The partial order of a given tree."""
        done = {mask: leaf(self.named.get(mask, 0)) for mask in self.ways}
        for left, right in tree:
            price = self.prices.of(self.space, left, right)
            (done[left | right],) = self.joined(left, right, [done[left]], [done[right]], price)
        return done[self.full]

    def too_many(self) -> InputError:
        count = len(self.space.region.leaves)
        return InputError(
            f"the search of {self.space.region.root}, a product of {count} factors, holds more than {MOST} "
            "partial orders, none proved dearer than another; give sizes with --set"
            + (", or leave outer products out with --no-outer" if self.outer else "")
        )


def within(offered: Iterable[Partial], bound: Joint | None, prices: Prices) -> Iterable[Partial]:
    """Those that cost no more than the bound: costs only grow, so nothing else can become part of one."""
    if bound is None:
        return offered
    return (partial for partial in offered if prices.no_dearer(partial.packed, bound.packed))


def frontier(spaces: Mapping[int, Space], prices: Prices, limits: Limits, sharing: Sharing) -> Frontier:
    """The undominated orders of some regions together, by their place in the program.

    Steps that they share are paid once. No order is left where none is in the set that was asked for.
    Raises InputError where too many are left to hold.
    """
    ways, done = 1, []
    joint = [Partial(0, NONE, 0)]
    for position, space in spaces.items():
        search = _Search(space, prices, sharing, limits)
        found, count = (
            ([search.only(limits.brackets[position])], 1) if position in limits.brackets else search.run()
        )
        ways *= count
        done.append(space)
        if len(joint) * len(found) > 10 * MOST:
            raise search.too_many()
        if len(done) == 1:
            joint = list(within(found, limits.bound, prices))
            continue
        both = (beside(a, b) for a in joint for b in found)
        joint = undominated(within(both, limits.bound, prices), done, prices)
    if any(partial.shared for partial in joint):
        joint = undominated(within(map(settled, joint), limits.bound, prices), done, prices)
    whole = [
        Joint(p.trees, total(price.flops for price in p.own), slack_of(p.own), p.packed, p.formed)
        for p in joint
    ]
    return Frontier(tuple(whole), ways)
