"""Partial orders with their costs, and the sets of them that no other one makes useless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .poly import Coefficient
from .prices import Price, Slack
from .sharing import Shared
from .trees import Space, Tree, bracketing

__all__ = ["Kept", "Partial", "beside", "bracketing_of", "covers", "settled"]


class Partial:
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


def _no_dearer(one: Partial, two: Partial) -> bool:
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


class Kept:
    """The undominated ones among the partial orders that were offered."""

    def __init__(self, spaces: Sequence[Space]) -> None:
        self.spaces = spaces
        self.found: list[Partial] = []

    def offer(self, new: Partial) -> None:
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

    def rather(self, one: Partial, two: Partial) -> bool:
        """Of two at one cost, the one with fewer steps to share, then with more named intermediates."""
        mine = (len(one.shared), -one.formed)
        theirs = (len(two.shared), -two.formed)
        return mine < theirs or (mine == theirs and self.text(one) < self.text(two))

    def text(self, partial: Partial) -> list[str]:
        return [bracketing_of(space, tree) for space, tree in zip(self.spaces, partial.trees, strict=True)]


def bracketing_of(space: Space, tree: Tree) -> str:
    """A tree of a region over the names of its tensors."""
    return bracketing(tree, {index: leaf.tensor for index, leaf in enumerate(space.region.leaves)})


def beside(one: Partial, two: Partial) -> Partial:
    """Two regions together."""
    return Partial(
        one.trees + two.trees,
        one.own + two.own,
        tuple([x + y for x, y in zip(one.probes, two.probes, strict=True)]),
        one.shared | two.shared,
        one.formed + two.formed,
    )


def settled(partial: Partial) -> Partial:
    """With its shared steps paid: nothing is left to share them with."""
    steps = sorted(partial.shared, key=lambda step: (step.key, sorted(step.operands)))
    own = (*partial.own, *(step.price for step in steps))
    probes = partial.probes
    for step in steps:
        probes = tuple([x + y for x, y in zip(probes, step.price.probes, strict=True)])
    return Partial(partial.trees, own, probes, frozenset(), partial.formed)
