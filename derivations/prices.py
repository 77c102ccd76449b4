"""What a step costs to a search: its online FLOPs, the same in slack coordinates, and that as one number.

In slack coordinates (see `domain`) one cost is proved to be at most another when each of its
coefficients is. All coefficients stand in one integer, each in a field wide enough for any sum of steps,
so costs are added and compared by a few operations on whole integers, however many coefficients they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm, prod

from .atoms import put
from .domain import coordinates
from .poly import Coefficient, Poly
from .trees import Rule, Sizes, Space, splits

__all__ = ["Price", "Prices", "Slack", "known_facts"]

Slack = Mapping[int, Coefficient]
"""A polynomial in slack coordinates, as a dict of `poly`'s monomials."""


@dataclass(frozen=True, slots=True, eq=False)
class Price:
    """So many index points."""

    flops: Poly
    """FLOPs, with known sizes put in."""
    slack: Slack
    """The same in slack coordinates, over a positive term that all prices share."""
    packed: Coefficient
    """The coefficients of `slack` in one integer; where every cost is a number, that number."""


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
        self.guard = 0
        """The top bit of each field; 0 where every cost is a number."""
        self._at: dict[tuple[int, int, bool], Price] = {}
        self._found: dict[Poly, Price] = {}
        self._places: dict[int, int] = {}
        self._numbers: dict[Poly, Coefficient] = {}
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
        steps = sum(len(space.region.leaves) for space in spaces)
        largest, self._scale = self._bounds(whole)
        self._width = (4 * steps * largest * self._scale).bit_length() + 1

    def of(self, space: Space, left: int, right: int) -> Price | None:
        """The price of a contraction; None for one that costs nothing online."""
        if space.offline(left | right):
            return None
        if not self.elementwise and space.rule(left, right) is Rule.ELEMENTWISE:
            return None
        place = id(space), space.space(left, right), space.unbatched(left | right)
        found = self._at.get(place)
        if found is None:
            found = self._at[place] = (
                self._number(space, left, right)
                if self.numeric
                else self._price(put(space.visited(left, right) * 2, self.known))
            )
        return found

    def _price(self, flops: Poly) -> Price:
        found = self._found.get(flops)
        if found is None:
            slack = self.slack(flops)
            found = self._found[flops] = Price(flops, slack.terms, self._pack(slack))
        return found

    def no_dearer(self, low: Coefficient, high: Coefficient) -> bool:
        """Whether one packed cost is proved to be at most another: no field of the difference is negative."""
        if self.numeric:
            return low <= high
        return int(high - low + self.guard) & self.guard == self.guard

    def _number(self, space: Space, left: int, right: int) -> Price:
        """The same as a number, without a polynomial in between."""
        value: Coefficient = 2
        for factor in space.factors_over(space.space(left, right)):
            value *= self._value(factor)
        if not space.unbatched(left | right):
            value *= self._value(space.sizes.batch)
        return Price(Poly.const(value), {0: value}, value)

    def _value(self, size: Poly) -> Coefficient:
        found = self._numbers.get(size)
        if found is None:
            found = self._numbers[size] = put(size, self.known).constant or 0
        return found

    def _bounds(self, costs: Sequence[Poly]) -> tuple[int, int]:
        """What no coefficient of these in slack coordinates is above, and what makes all of them whole."""
        size: dict[str, int] = {}
        below: dict[str, int] = {}
        for name in frozenset().union(*(cost.names() for cost in costs)):
            image = None if self.coordinates is None else self.coordinates.image(name)
            parts = [Fraction(1)] if image is None else [Fraction(c) for c in image.terms.values()]
            size[name], below[name] = ceil(sum(map(abs, parts))), lcm(*(part.denominator for part in parts))
        largest, scale = 1, 1
        for cost in costs:
            whole = 0
            for powers, coefficient in cost.powers():
                whole += ceil(abs(Fraction(coefficient))) * prod(
                    [size[name] ** e for name, e in powers.items()]
                )
                denominators = prod([below[name] ** e for name, e in powers.items()])
                scale = lcm(scale, coefficient.denominator * denominators)
            largest = max(largest, whole)
        return largest, scale

    def _pack(self, slack: Poly) -> int:
        packed = 0
        for monomial, coefficient in slack.terms.items():
            place = self._places.setdefault(monomial, self._width * len(self._places))
            self.guard |= 1 << (place + self._width - 1)
            packed += int(coefficient * self._scale) << place
        return packed

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
