"""What a step costs to a search: its online FLOPs, the same in slack coordinates, and at a few sizes.

In slack coordinates (see `domain`) one cost is proved to be at most another when each of its
coefficients is. A few sizes, always the same, refute most comparisons before any coefficient is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from .atoms import put
from .domain import coordinates
from .poly import Coefficient, Poly
from .trees import Rule, Sizes, Space, splits

__all__ = ["Price", "Prices", "Slack", "known_facts"]

Slack = Mapping[int, Coefficient]
"""A polynomial in slack coordinates, as a dict of `poly`'s monomials."""

_TURNS = 6
_SPREAD = (0, 1, 3, 9, 40, 300, 5000, 100_000)


@dataclass(frozen=True, slots=True, eq=False)
class Price:
    """So many index points."""

    flops: Poly
    """FLOPs, with known sizes put in."""
    slack: Slack
    """The same in slack coordinates, over a positive term that all prices share."""
    probes: tuple[Coefficient, ...]
    """Values of `slack` at the probes; one value where every cost is a number."""


class Prices:
    """The steps of some regions, priced once for each index space."""

    def __init__(
        self,
        spaces: Sequence[Space],
        known: Mapping[str, Poly],
        facts: Iterable[Poly] = (),
        elementwise: bool = True,
    ) -> None:
        self.known, self.elementwise = known, elementwise
        self.numeric = all(put(size, known).constant is not None for s in spaces for size in s.sizes_used())
        """Whether every cost is a number."""
        self.zero: tuple[Coefficient, ...] = (0,) * (1 if self.numeric else _TURNS + 2)
        """The probes of what costs nothing."""
        self._found: dict[Poly, Price] = {}
        if self.numeric:
            return
        visited = {put(points, known) for space in spaces for points in _visited(space)}
        used = frozenset().union(*(points.names() for points in visited))
        told = tuple(f for f in known_facts(facts, spaces[0].sizes, known) if f.names() <= used)
        self.clear = _denominator(visited)
        """The shared term: no product of sizes times it has a negative exponent."""
        whole = [points * self.clear for points in visited]
        systems = (coordinates(told, True), coordinates((), True), None)
        self.coordinates = next(c for c in systems if c is None or all(c.fits(part) for part in whole))
        """None where sums would grow too large: then sizes are only known to be at least 0."""

    def of(self, space: Space, left: int, right: int) -> Price | None:
        """The price of a contraction; None for one that costs nothing online."""
        if space.offline(left | right):
            return None
        if not self.elementwise and space.rule(left, right) is Rule.ELEMENTWISE:
            return None
        points = space.visited(left, right)
        found = self._found.get(points)
        if found is None:
            found = self._found[points] = self._price(put(points * 2, self.known))
        return found

    def _price(self, flops: Poly) -> Price:
        if self.numeric:
            return Price(flops, flops.terms, (flops.constant or 0,))
        slack = self.slack(flops)
        return Price(flops, slack.terms, _probed(slack))

    def slack(self, cost: Poly) -> Poly:
        """A cost in slack coordinates, over the shared term."""
        cleared = cost * self.clear
        return cleared if self.coordinates is None else self.coordinates.expand(cleared)


def known_facts(facts: Iterable[Poly], sizes: Sizes, known: Mapping[str, Poly]) -> tuple[Poly, ...]:
    """The facts that still say something once the phase and the known sizes are put in."""
    left = (put(sizes.put(fact), known) for fact in facts)
    return tuple(fact for fact in left if fact.constant is None)


def _visited(space: Space) -> set[Poly]:
    """The index points of every step that some bracketing has."""
    seen = {
        (space.space(left, both ^ left), space.unbatched(both))
        for both in range(1, space.region.full + 1)
        for left in splits(both)
    }
    return {space.points_over(bits) * (1 if unbatched else space.sizes.batch) for bits, unbatched in seen}


def _denominator(polys: Iterable[Poly]) -> Poly:
    lowest: dict[str, int] = {}
    for poly in polys:
        for powers, _ in poly.powers():
            for name, exponent in powers.items():
                if exponent < lowest.get(name, 0):
                    lowest[name] = exponent
    clear = Poly.const(1)
    for name, exponent in lowest.items():
        clear = clear * Poly.symbol(name) ** -exponent
    return clear


@lru_cache(maxsize=4096)
def _probe(name: str) -> tuple[int, ...]:
    """Values of one slack: far apart, and of another pattern for every symbol."""
    return tuple(_SPREAD[crc32(f"{name} {turn}".encode()) % len(_SPREAD)] for turn in range(_TURNS))


def _probed(slack: Poly) -> tuple[Coefficient, ...]:
    """At mixed slacks, which tell most apart, at all 0, and at all 1000."""
    sums: list[Coefficient] = [0] * (_TURNS + 2)
    for powers, coefficient in slack.powers():
        sums[-2] += 0 if powers else coefficient
        sums[-1] += coefficient * 1000 ** sum(powers.values())
        for turn in range(_TURNS):
            value = coefficient
            for name, exponent in powers.items():
                value *= _probe(name)[turn] ** exponent
            sums[turn] += value
    return tuple(sums)
