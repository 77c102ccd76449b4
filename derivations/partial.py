"""Partial orders with their costs, and the sets of them that no other one makes useless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from .poly import Coefficient
from .prices import Price, Prices
from .sharing import Shared
from .trees import Space, Tree, bracketing

__all__ = ["Partial", "beside", "bracketing_of", "leaf", "settled", "slack_of", "undominated"]


class Partial:
    """Trees for some factors of a region, or for several regions, with what they cost.

    Most are dropped as soon as their costs are compared, so trees and prices are put together when asked for.
    """

    __slots__ = ("_own", "_parts", "_step", "_trees", "formed", "packed", "shared")

    def __init__(
        self,
        packed: Coefficient,
        shared: frozenset[Shared],
        formed: int,
        parts: tuple[Partial, ...] = (),
        step: tuple[tuple[int, int], Price | None] | None = None,
    ) -> None:
        self.packed, self.shared, self.formed, self._parts, self._step = packed, shared, formed, parts, step
        self._trees: tuple[Tree, ...] | None = None
        self._own: tuple[Price, ...] | None = None

    @property
    def trees(self) -> tuple[Tree, ...]:
        """A tree for each region; of one region the steps of both parts, then the one that joins them."""
        if self._trees is None:
            if self._step is None:
                self._trees = tuple(tree for part in self._parts for tree in part.trees)
            else:
                left, right = self._parts
                self._trees = ((*left.trees[0], *right.trees[0], self._step[0]),)
        return self._trees

    @property
    def own(self) -> tuple[Price, ...]:
        """Prices of the steps that cannot be shared."""
        if self._own is None:
            price = self._step[1] if self._step else None
            parts = tuple(found for part in self._parts for found in part.own)
            self._own = (*parts, price) if price else parts
        return self._own


def leaf(formed: int) -> Partial:
    """One factor, which costs nothing."""
    found = Partial(0, frozenset(), formed)
    found._trees = ((),)
    return found


def slack_of(prices: Iterable[Price]) -> dict[int, Coefficient]:
    """The sum of some prices in slack coordinates."""
    terms: dict[int, Coefficient] = {}
    for price in prices:
        for monomial, coefficient in price.slack.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
    return terms


def undominated(offered: Iterable[Partial], spaces: Sequence[Space], prices: Prices) -> list[Partial]:
    """Those that no other one makes useless; of equals the one with most named intermediates.

    One that costs no more is no larger as a packed number either, so with the small ones first nothing
    that is kept is thrown out again.
    """
    kept: list[Partial] = []
    ranked = sorted(offered, key=attrgetter("packed"))
    if any(new.shared for new in ranked):
        ranked.sort(key=lambda new: (new.packed, len(new.shared), -new.formed))
        for new in ranked:
            place = next((i for i, old in enumerate(kept) if _no_dearer(old, new, prices)), None)
            _enter(new, place, kept, spaces)
        return kept
    guard, costs = prices.guard, list[Coefficient]()
    for cost, alike in groupby(ranked, key=attrgetter("packed")):
        if prices.numeric and kept:
            break
        limit = cost + guard
        for low in costs:
            if (limit - low) & guard == guard:
                break
        else:
            costs.append(cost)
            kept.append(_preferred(list(alike), spaces))
    return kept


def _preferred(alike: Sequence[Partial], spaces: Sequence[Space]) -> Partial:
    """Of equals the one with most named intermediates, then the one that is spelled first."""
    most = max(partial.formed for partial in alike)
    first = [partial for partial in alike if partial.formed == most]
    return first[0] if len(first) == 1 else min(first, key=lambda partial: _text(partial, spaces))


def _no_dearer(one: Partial, two: Partial, prices: Prices) -> bool:
    """Whether `one` is proved to cost no more than `two`, whatever else is there to share with."""
    paid = one.packed
    if one.shared:
        for step in one.shared - two.shared:
            paid += step.price.packed
    return prices.no_dearer(paid, two.packed)


def _enter(new: Partial, place: int | None, kept: list[Partial], spaces: Sequence[Space]) -> None:
    if place is None:
        kept.append(new)
    elif _rather(new, kept[place], spaces):
        kept[place] = new


def _rather(new: Partial, old: Partial, spaces: Sequence[Space]) -> bool:
    """Of two that are alike in everything, the one that is spelled first: a stable choice."""
    if (new.packed, new.shared, new.formed) != (old.packed, old.shared, old.formed):
        return False
    return _text(new, spaces) < _text(old, spaces)


def _text(partial: Partial, spaces: Sequence[Space]) -> list[str]:
    return [bracketing_of(space, tree) for space, tree in zip(spaces, partial.trees, strict=True)]


def bracketing_of(space: Space, tree: Tree) -> str:
    """A tree of a region over the names of its tensors; one that stands there twice is numbered."""
    return bracketing(tree, dict(enumerate(space.region.names)))


def beside(one: Partial, two: Partial) -> Partial:
    """Two regions together."""
    return Partial(one.packed + two.packed, one.shared | two.shared, one.formed + two.formed, (one, two))


def settled(partial: Partial) -> Partial:
    """With its shared steps paid: nothing is left to share them with."""
    if not partial.shared:
        return partial
    steps = sorted(partial.shared, key=lambda step: (step.key, sorted(step.operands)))
    packed = partial.packed + sum(step.price.packed for step in steps)
    found = Partial(packed, frozenset(), partial.formed)
    found._trees, found._own = partial.trees, (*partial.own, *(step.price for step in steps))
    return found
