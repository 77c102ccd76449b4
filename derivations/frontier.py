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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .errors import InputError
from .poly import Coefficient, Poly, total
from .prices import Price, Prices, Slack
from .program import NamedOrder
from .sharing import Shared, Sharing
from .trees import Space, Tree, bracketing, splits

__all__ = ["MOST", "Frontier", "Joint", "Limits", "covers", "frontier"]

MOST = 20_000
"""Partial orders a search may hold; beyond, it stops with an error."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which orders are searched."""

    order: NamedOrder = field(default_factory=lambda: NamedOrder("all"))
    """Intermediates to form and to avoid."""
    outer: bool = True
    """Whether two factors without a common index may be multiplied."""
    brackets: Mapping[int, Tree] = field(default_factory=dict)
    """Region -> the only tree it may have."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """One tree for each of some regions, at its whole cost."""

    trees: tuple[Tree, ...]
    """In the order of the regions."""
    flops: Poly
    """Online FLOPs, shared steps once, known sizes put in."""
    slack: Slack
    """The same in slack coordinates."""
    formed: int
    """How many named intermediates it forms."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a search kept."""

    orders: tuple[Joint, ...]
    """None is proved to cost at least as much as another at every size."""
    bracketings: int
    """How many combinations of trees they were chosen from."""


class _Partial:
    """Trees for some factors of a region, or for several regions, with what they cost."""

    __slots__ = ("_slack", "formed", "own", "probes", "shared", "trees")

    def __init__(
        self,
        trees: tuple[Tree, ...],
        own: tuple[Price, ...],
        probes: tuple[Coefficient, ...],
        shared: frozenset[Shared],
        formed: int,
    ) -> None:
        self.trees, self.own, self.probes, self.shared, self.formed = trees, own, probes, shared, formed
        self._slack: Slack | None = None

    @property
    def slack(self) -> Slack:
        """The steps that cannot be shared, in slack coordinates; summed up when asked."""
        if self._slack is None:
            self._slack = _sum(self.own)
        return self._slack


def _sum(prices: Iterable[Price]) -> dict[int, Coefficient]:
    terms: dict[int, Coefficient] = {}
    for price in prices:
        for monomial, coefficient in price.slack.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
    return terms


def covers(low: Slack, high: Slack) -> bool:
    """Whether every coefficient of `low` is at most that of `high`, in slack coordinates: a proof."""
    return all(coefficient <= high.get(m, 0) for m, coefficient in low.items()) and all(
        m in low or coefficient >= 0 for m, coefficient in high.items()
    )


def _no_dearer(one: _Partial, two: _Partial) -> bool:
    """Whether `one` is proved to cost no more than `two`, whatever else is there to share with."""
    extra = one.shared - two.shared if one.shared else one.shared
    paid = one.probes
    for step in extra:
        paid = tuple([x + y for x, y in zip(paid, step.price.probes, strict=True)])
    for mine, limit in zip(paid, two.probes, strict=True):
        if mine > limit:
            return False
    if len(paid) == 1:
        return True
    low = _sum([*one.own, *(step.price for step in extra)]) if extra else one.slack
    return covers(low, two.slack)


class _Kept:
    """The undominated ones among the partial orders that were offered."""

    def __init__(self, spaces: Sequence[Space]) -> None:
        self.spaces = spaces
        self.found: list[_Partial] = []

    def offer(self, new: _Partial) -> None:
        """Keep `new` unless one that is there costs no more; drop what `new` makes useless."""
        dropped = False
        for old in self.found:
            if _no_dearer(old, new):
                if not (_no_dearer(new, old) and self.rather(new, old)):
                    return
                dropped = True
            elif _no_dearer(new, old):
                dropped = True
        if dropped:
            self.found = [old for old in self.found if not _no_dearer(new, old)]
        self.found.append(new)

    def rather(self, one: _Partial, two: _Partial) -> bool:
        """Of two at one cost, the one with fewer steps to share, then with more named intermediates."""
        mine = (len(one.shared), -one.formed)
        theirs = (len(two.shared), -two.formed)
        return mine < theirs or (mine == theirs and self.text(one) < self.text(two))

    def text(self, partial: _Partial) -> list[str]:
        return [bracketing_of(space, tree) for space, tree in zip(self.spaces, partial.trees, strict=True)]


def bracketing_of(space: Space, tree: Tree) -> str:
    """A tree of a region over the names of its tensors."""
    return bracketing(tree, {index: leaf.tensor for index, leaf in enumerate(space.region.leaves)})


class _Search:
    """One region."""

    def __init__(self, space: Space, prices: Prices, sharing: Sharing, limits: Limits) -> None:
        self.space, self.prices, self.sharing, self.outer = space, prices, sharing, limits.outer
        self.full = space.region.full
        order, named = limits.order, space.region.named
        self.avoided = {n.members for n in named if n.name in order.avoids and n.members != self.full}
        self.wanted = {n.members for n in named if n.name in order.forms}
        self.named: dict[int, int] = {}
        for n in named:
            self.named[n.members] = self.named.get(n.members, 0) + 1
        self.ways = {1 << i: int(1 << i not in self.avoided) for i in range(len(space.region.leaves))}
        self.held = 0

    def run(self) -> tuple[list[_Partial], int]:
        """The partial orders of the whole region, and how many bracketings they were chosen from."""
        table = {
            leaf: [_Partial(((),), (), self.prices.zero, frozenset(), self.named.get(leaf, 0))]
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

    def of(self, mask: int, table: dict[int, list[_Partial]]) -> list[_Partial]:
        kept, space = _Kept((self.space,)), self.space
        for left in splits(mask):
            right = mask ^ left
            count = self.ways[left] * self.ways[right]
            if not count or not (self.outer or space.surviving(left) & space.surviving(right)):
                continue
            self.ways[mask] += count
            for new in self.joined(left, right, table[left], table[right]):
                kept.offer(new)
        self.held += len(kept.found)
        if self.held > MOST:
            raise self.too_many()
        return kept.found

    def joined(
        self, left: int, right: int, lefts: list[_Partial], rights: list[_Partial]
    ) -> Iterable[_Partial]:
        """Every pair of partial orders, with the step that joins them."""
        price = self.prices.of(self.space, left, right)
        shared = self.sharing.step(self.space, left, right, price) if price else None
        own = (price,) if price and not shared else ()
        extra = frozenset((shared,)) if shared else frozenset()
        step = own[0].probes if own else self.prices.zero
        formed = self.named.get(left | right, 0)
        for a in lefts:
            for b in rights:
                yield _Partial(
                    ((*a.trees[0], *b.trees[0], (left, right)),),
                    a.own + b.own + own,
                    tuple([x + y + z for x, y, z in zip(a.probes, b.probes, step, strict=True)]),
                    a.shared | b.shared | extra,
                    a.formed + b.formed + formed,
                )

    def only(self, tree: Tree) -> _Partial:
        """The partial order of a given tree."""
        done = {
            leaf: _Partial(((),), (), self.prices.zero, frozenset(), self.named.get(leaf, 0))
            for leaf in self.ways
        }
        for left, right in tree:
            (done[left | right],) = self.joined(left, right, [done[left]], [done[right]])
        return done[self.full]

    def too_many(self) -> InputError:
        count = len(self.space.region.leaves)
        return InputError(
            f"the search of {self.space.region.root}, a product of {count} factors, holds more than {MOST} "
            "partial orders, none proved dearer than another; give sizes with --set or --model, or leave outer "
            "products out with --no-outer"
        )


def frontier(spaces: Mapping[int, Space], prices: Prices, limits: Limits, sharing: Sharing) -> Frontier:
    """The undominated orders of some regions together, by their place in the program.

    Steps that they share are paid once. No order is left where none is in the set that was asked for.
    Raises InputError where too many are left to hold.
    """
    ways, done = 1, []
    joint = [_Partial((), (), prices.zero, frozenset(), 0)]
    for position, space in spaces.items():
        search = _Search(space, prices, sharing, limits)
        found, count = (
            ([search.only(limits.brackets[position])], 1) if position in limits.brackets else search.run()
        )
        ways *= count
        done.append(space)
        kept = _Kept(tuple(done))
        for a in joint:
            for b in found:
                kept.offer(_beside(a, b))
        joint = kept.found
        if len(joint) > MOST:
            raise search.too_many()
    last = _Kept(tuple(done))
    for partial in joint:
        last.offer(_settled(partial))
    whole = [Joint(p.trees, total(price.flops for price in p.own), p.slack, p.formed) for p in last.found]
    return Frontier(tuple(whole), ways)


def _beside(one: _Partial, two: _Partial) -> _Partial:
    """Two regions together."""
    return _Partial(
        one.trees + two.trees,
        one.own + two.own,
        tuple([x + y for x, y in zip(one.probes, two.probes, strict=True)]),
        one.shared | two.shared,
        one.formed + two.formed,
    )


def _settled(partial: _Partial) -> _Partial:
    """With its shared steps paid: nothing is left to share them with."""
    steps = sorted(partial.shared, key=lambda step: (step.key, sorted(step.operands)))
    own = (*partial.own, *(step.price for step in steps))
    probes = partial.probes
    for step in steps:
        probes = tuple([x + y for x, y in zip(probes, step.price.probes, strict=True)])
    return _Partial(partial.trees, own, probes, frozenset(), partial.formed)
