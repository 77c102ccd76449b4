"""Partial orders with their costs, and the sets of them that no other one makes useless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .poly import Coefficient
from .prices import Price, Slack
from .sharing import Shared
from .trees import Space, Tree, bracketing

__all__ = ["Partial", "beside", "bracketing_of", "covers", "settled", "undominated"]


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


def undominated(offered: Iterable[Partial], spaces: Sequence[Space]) -> list[Partial]:
    """Those that no other one makes useless; of equals the one with most named intermediates.

    One that costs no more costs no more at the probes either, so with the cheap ones first nothing
    that is kept is thrown out again.
    """
    kept: list[Partial] = []
    for new in sorted(offered, key=lambda partial: (sum(partial.probes), len(partial.shared), -partial.formed)):
        place = next((index for index, old in enumerate(kept) if _no_dearer(old, new)), None)
        if place is None:
            kept.append(new)
        elif _rather(new, kept[place], spaces):
            kept[place] = new
    return kept


def _rather(new: Partial, old: Partial, spaces: Sequence[Space]) -> bool:
    """Of two that are alike in everything, the one that is spelled first: a stable choice."""
    if new.probes != old.probes or (new.shared, new.formed) != (old.shared, old.formed):
        return False
    return covers(new.slack, old.slack) and _text(new, spaces) < _text(old, spaces)


def _text(partial: Partial, spaces: Sequence[Space]) -> list[str]:
    return [bracketing_of(space, tree) for space, tree in zip(spaces, partial.trees, strict=True)]


def bracketing_of(space: Space, tree: Tree) -> str:
    """A tree of a region over the names of its tensors; one that stands there twice is numbered."""
    return bracketing(tree, dict(enumerate(space.region.names)))


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
