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
from .partial import Partial, beside, covers, settled, undominated
from .poly import Coefficient, Poly, total
from .prices import Prices, Slack
from .program import NamedOrder
from .sharing import Sharing
from .trees import Space, Tree, splits

__all__ = ["MOST", "Frontier", "Joint", "Limits", "frontier"]

MOST = 20_000
"""Partial orders a search may hold; beyond, it stops with an error."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """One tree for each of some regions, at its whole cost."""

    trees: tuple[Tree, ...]
    """In the order of the regions."""
    flops: Poly
    """Online FLOPs, shared steps once, known sizes put in."""
    slack: Slack
    """The same in slack coordinates."""
    probes: tuple[Coefficient, ...]
    """Values at the probes."""
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

    def run(self) -> tuple[list[Partial], int]:
        """The partial orders of the whole region, and how many bracketings they were chosen from."""
        table = {
            leaf: [Partial(((),), (), self.prices.zero, frozenset(), self.named.get(leaf, 0))]
            for leaf in self.ways
        }
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
        space, offered = self.space, list[Partial]()
        for left in splits(mask):
            right = mask ^ left
            count = self.ways[left] * self.ways[right]
            if not count or not (self.outer or space.surviving(left) & space.surviving(right)):
                continue
            self.ways[mask] += count
            made = self.joined(left, right, table[left], table[right])
            offered += within(made, self.bound)
            if len(offered) > 10 * MOST:
                raise self.too_many()
        kept = undominated(offered, (space,))
        self.held += len(kept)
        if self.held > MOST:
            raise self.too_many()
        return kept

    def joined(self, left: int, right: int, lefts: list[Partial], rights: list[Partial]) -> Iterable[Partial]:
        """Every pair of partial orders, with the step that joins them."""
        price = self.prices.of(self.space, left, right)
        shared = self.sharing.step(self.space, left, right, price) if price else None
        own = (price,) if price and not shared else ()
        extra = frozenset((shared,)) if shared else frozenset()
        step = own[0].probes if own else self.prices.zero
        formed = self.named.get(left | right, 0)
        for a in lefts:
            for b in rights:
                yield Partial(
                    ((*a.trees[0], *b.trees[0], (left, right)),),
                    a.own + b.own + own,
                    tuple([x + y + z for x, y, z in zip(a.probes, b.probes, step, strict=True)]),
                    a.shared | b.shared | extra,
                    a.formed + b.formed + formed,
                )

    def only(self, tree: Tree) -> Partial:
        """The partial order of a given tree."""
        done = {
            leaf: Partial(((),), (), self.prices.zero, frozenset(), self.named.get(leaf, 0))
            for leaf in self.ways
        }
        for left, right in tree:
            (done[left | right],) = self.joined(left, right, [done[left]], [done[right]])
        return done[self.full]

    def too_many(self) -> InputError:
        count = len(self.space.region.leaves)
        return InputError(
            f"the search of {self.space.region.root}, a product of {count} factors, holds more than {MOST} "
            "partial orders, none proved dearer than another; give sizes with --set, or leave outer products "
            "out with --no-outer"
        )


def within(offered: Iterable[Partial], bound: Joint | None) -> Iterable[Partial]:
    """Those that cost no more than the bound: costs only grow, so nothing else can become part of one."""
    if bound is None:
        return offered
    return (
        partial
        for partial in offered
        if all(mine <= limit for mine, limit in zip(partial.probes, bound.probes, strict=True))
        and (len(partial.probes) == 1 or covers(partial.slack, bound.slack))
    )


def frontier(spaces: Mapping[int, Space], prices: Prices, limits: Limits, sharing: Sharing) -> Frontier:
    """The undominated orders of some regions together, by their place in the program.

    Steps that they share are paid once. No order is left where none is in the set that was asked for.
    Raises InputError where too many are left to hold.
    """
    ways, done = 1, []
    joint = [Partial((), (), prices.zero, frozenset(), 0)]
    for position, space in spaces.items():
        search = _Search(space, prices, sharing, limits)
        found, count = (
            ([search.only(limits.brackets[position])], 1) if position in limits.brackets else search.run()
        )
        ways *= count
        done.append(space)
        if len(joint) * len(found) > 10 * MOST:
            raise search.too_many()
        joint = undominated(within((beside(a, b) for a in joint for b in found), limits.bound), done)
    last = undominated(within(map(settled, joint), limits.bound), done)
    whole = [Joint(p.trees, total(price.flops for price in p.own), p.slack, p.probes, p.formed) for p in last]
    return Frontier(tuple(whole), ways)
