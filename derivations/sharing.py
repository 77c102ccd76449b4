"""Steps that two places share: equal sub-products of several regions, or twice inside one.

A step is known by what it multiplies (`Graph.key`), so an order that has it twice pays once. Keys are
long to spell; they are only made for sub-products whose factors stand in another place too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .prices import Price
from .trees import Space

__all__ = ["Shared", "Sharing"]


@dataclass(frozen=True, slots=True)
class Shared:
    """A step that several places may have."""

    key: str
    """What it makes."""
    operands: frozenset[str]
    """What it multiplies."""
    price: Price = field(compare=False)
    """What it costs, once."""


class Sharing:
    """Which sub-products of some regions stand in two places and cost something online."""

    def __init__(self, spaces: Sequence[Space]) -> None:
        self._masks: list[frozenset[int]] = []
        self._index = {id(space): index for index, space in enumerate(spaces)}
        places = _by_factors(spaces)
        twice = {factors: found for factors, found in places.items() if len(found) > 1}
        by_key: dict[str, set[tuple[int, int]]] = {}
        for found in twice.values():
            for index, mask in found:
                by_key.setdefault(spaces[index].key(mask), set()).add((index, mask))
        shared = {place for found in by_key.values() if len(found) > 1 for place in found}
        self._masks = [frozenset(m for i, m in shared if i == index) for index in range(len(spaces))]
        self.groups = _groups(len(spaces), [{index for index, _ in found} for found in by_key.values()])
        """Regions that can share a step, together; in order."""

    def within(self, space: Space) -> bool:
        """Whether a region has a step that may be shared."""
        return bool(self._masks[self._index[id(space)]])

    def step(self, space: Space, left: int, right: int, price: Price) -> Shared | None:
        """The step as one that may be shared, or None."""
        both = left | right
        if both not in self._masks[self._index[id(space)]]:
            return None
        return Shared(space.key(both), frozenset((space.key(left), space.key(right))), price)


def _by_factors(spaces: Sequence[Space]) -> dict[tuple[str, ...], list[tuple[int, int]]]:
    """Tensors of a sub-product of two factors or more -> where it stands: (region, bitmask)."""
    used: dict[str, int] = {}
    for space in spaces:
        for leaf in space.region.leaves:
            used[leaf.tensor] = used.get(leaf.tensor, 0) + 1
    places: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for index, space in enumerate(spaces):
        again = sum(1 << i for i, leaf in enumerate(space.region.leaves) if used[leaf.tensor] > 1)
        mask = again
        while mask:
            if mask & (mask - 1) and not space.offline(mask):
                factors = tuple(sorted(leaf.tensor for leaf in space.region.members(mask)))
                places.setdefault(factors, []).append((index, mask))
            mask = (mask - 1) & again
    return places


def _groups(count: int, together: Sequence[set[int]]) -> tuple[tuple[int, ...], ...]:
    groups: list[set[int]] = [{index} for index in range(count)]
    for members in together:
        touching = [group for group in groups if group & members]
        groups = [group for group in groups if group not in touching] + [set().union(*touching)]
    return tuple(sorted(tuple(sorted(group)) for group in groups))
