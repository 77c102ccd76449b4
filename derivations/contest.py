"""Which of several orders can be best, decided one by one: a witness, a certificate, or neither.

An order of a whole program is one choice in each group of regions that share nothing, so it is best
where each choice is best in its group. It *can be best* if there are legal sizes at which every other
choice costs more: those sizes are the witness. It is *never best* if at all sizes some other choice
costs no more. The certificate of that is a sum of differences (this cost minus a rival's, for some
rivals, each times a polynomial that is not negative) in which, in slack coordinates, no coefficient is
negative: if all rivals cost more somewhere, the sum would be negative there.

The search goes from one to the other: sizes where it loses name rivals; rivals that lose nowhere in
sight suggest a certificate; where there is none, sizes are sought at which all those rivals lose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from .climb import climb, pattern, winner
from .errors import InputError
from .farkas import TooLarge, check, combine
from .frontier import Joint
from .points import Costs, Domain, Point
from .poly import Coefficient, Poly
from .verdicts import Cell, Certificate, Part, Status, Verdict

__all__ = ["Contest"]

_SAMPLES = 500
_ROUNDS = 8
_FREQUENT = 30
_STARTS = 4
_WALKS = 150
_LEVEL = 20_000
"""A size at which rounding to whole numbers does not matter, as a start for all symbols."""


@dataclass(slots=True)
class _Sample:
    """Costs of all choices at some sizes."""

    point: Point
    costs: list[list[Coefficient]]


@dataclass(slots=True)
class Contest:
    """The choices of each group, and what has been learnt about them."""

    groups: Sequence[Sequence[Joint]]
    """Choices with different costs; all slack polynomials in the same coordinates."""
    domain: Domain
    """The legal sizes."""
    out: set[tuple[int, int]] = field(default_factory=set)
    """(group, choice) that are never best: no certificate needs them."""
    costs: list[Costs] = field(default_factory=list)
    _samples: list[_Sample] = field(default_factory=list)
    _won: dict[Cell, Point] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.costs = [Costs([choice.flops for choice in group]) for group in self.groups]
        level = self.domain.repaired(dict.fromkeys(self.domain.symbols, _LEVEL))
        samples = _SAMPLES if self.domain.symbols else 1
        for point in (*([level] if level else []), *islice(self.domain.sample(), samples)):
            self._learn(point)
        if not self._samples:
            raise InputError("no legal sizes were found: what is assumed about them holds nowhere, or hardly")

    def _learn(self, point: Point) -> None:
        sample = _Sample(point, [costs.at(point) for costs in self.costs])
        self._samples.append(sample)
        winners = [winner(costs) for costs in sample.costs]
        if None not in winners:
            self._won.setdefault(tuple(index for index in winners if index is not None), point)

    @property
    def points(self) -> list[Point]:
        """Sizes that were tried, those where something won first."""
        won = list(self._won.values())
        return [*won, *(s.point for s in self._samples[:_WALKS] if s.point not in won)]

    def decide(self, cell: Cell) -> Verdict:
        """Best, never or undecided."""
        first = self.glance(cell)
        return self._sought(cell) if first.status is Status.UNDECIDED else first

    def glance(self, cell: Cell) -> Verdict:
        """The same with little effort: from sizes already tried, or by rivals that differ in one place."""
        if cell in self._won:
            return Verdict(Status.BEST, self._won[cell])
        near = self._near(cell)
        found = self._certificate(cell, near, 0) or self._certificate(cell, near, 1)
        return Verdict(Status.NEVER, certificate=found) if found else Verdict(Status.UNDECIDED)

    def _sought(self, cell: Cell) -> Verdict:
        """Sizes at which all rivals lose; else sizes at which some lose, or a certificate, in turns."""
        point = climb(self.costs, cell, self.domain, [self._samples[0].point])
        if point is not None:
            self._learn(point)
            return Verdict(Status.BEST, point)
        rivals: list[tuple[int, int]] = []
        for _ in range(_ROUNDS):
            rivals = self._cover(cell)
            found = self._certificate(cell, rivals, 0) or self._certificate(cell, rivals, 1)
            if found is not None:
                return Verdict(Status.NEVER, certificate=found)
            point = climb(*self._races(cell, rivals), self.domain, self._starts(cell, rivals))
            if point is None:
                break
            self._learn(point)
            if cell in self._won:
                return Verdict(Status.BEST, point)
        found = (
            self._certificate(cell, self._rivals(cell), 0)
            or self._certificate(cell, self._frequent(cell), 1)
            or self._certificate(cell, rivals, 2)
        )
        if found:
            return Verdict(Status.NEVER, certificate=found)
        for start in self._starts(cell, self._rivals(cell)):
            point = pattern(self.costs, cell, self.domain, start)
            if point is not None:
                self._learn(point)
                return Verdict(Status.BEST, point)
        return Verdict(Status.UNDECIDED)

    def _near(self, cell: Cell) -> list[tuple[int, int]]:
        """The rivals that differ in the tree of one region only, where a group has several."""
        found: list[tuple[int, int]] = []
        if sum(len(group[0].trees) for group in self.groups) == 1:
            return found
        for g, j in self._rivals(cell):
            mine, other = self.groups[g][cell[g]].trees, self.groups[g][j].trees
            differing = sum(one != two for one, two in zip(mine, other, strict=True))
            if differing == 1:
                found.append((g, j))
        return found

    def _rivals(self, cell: Cell) -> list[tuple[int, int]]:
        return [
            (g, j)
            for g, group in enumerate(self.groups)
            for j in range(len(group))
            if j != cell[g] and (g, j) not in self.out
        ]

    def _losses(self, cell: Cell, sample: _Sample) -> Iterable[tuple[int, int]]:
        """The rivals that cost no more there."""
        for g, costs in enumerate(sample.costs):
            own = costs[cell[g]]
            for j, cost in enumerate(costs):
                if cost <= own and j != cell[g]:
                    yield g, j

    def _cover(self, cell: Cell) -> list[tuple[int, int]]:
        """A few rivals one of which costs no more at every sample: greedily, the most frequent first."""
        open_samples = [set(self._losses(cell, sample)) - self.out for sample in self._samples]
        chosen: list[tuple[int, int]] = []
        while open_samples:
            counts: dict[tuple[int, int], int] = {}
            for rivals in open_samples:
                for rival in rivals:
                    counts[rival] = counts.get(rival, 0) + 1
            if not counts:
                break
            best = max(sorted(counts), key=counts.__getitem__)
            chosen.append(best)
            open_samples = [rivals for rivals in open_samples if best not in rivals]
        return chosen

    def _frequent(self, cell: Cell) -> list[tuple[int, int]]:
        """The rivals that cost no more at most samples."""
        counts = dict.fromkeys(self._rivals(cell), 0)
        for sample in self._samples:
            for rival in self._losses(cell, sample):
                if rival in counts:
                    counts[rival] += 1
        return sorted(counts, key=lambda rival: (-counts[rival], rival))[:_FREQUENT]

    def _races(self, cell: Cell, rivals: Sequence[tuple[int, int]]) -> tuple[list[Costs], list[int]]:
        races = []
        for g, group in enumerate(self.groups):
            own = [group[j].flops for other, j in rivals if other == g]
            if own:
                races.append(Costs([group[cell[g]].flops, *own]))
        return races, [0] * len(races)

    def _starts(self, cell: Cell, rivals: Sequence[tuple[int, int]]) -> list[Point]:
        """Where the closest of the rivals is least ahead."""

        def margin(sample: _Sample) -> float:
            return min(float(sample.costs[g][j] / sample.costs[g][cell[g]]) for g, j in rivals)

        ranked = sorted(self._samples[1:], key=margin, reverse=True)
        return [self._samples[0].point, *(sample.point for sample in ranked[:_STARTS])]

    def _certificate(self, cell: Cell, rivals: Sequence[tuple[int, int]], degree: int) -> Certificate | None:
        """Weights of at most this degree for some rivals."""
        own = [Poly(group[choice].slack) for group, choice in zip(self.groups, cell, strict=True)]
        differences = [own[g] - Poly(self.groups[g][j].slack) for g, j in rivals]
        names = sorted({name for difference in differences for name in difference.names()})
        weights = [Poly.const(1)]
        for _ in range(degree):
            weights = list(dict.fromkeys([*weights, *(w * Poly.symbol(n) for w in weights for n in names)]))
        columns = [(k, w) for k in range(len(rivals)) for w in weights]
        # a weight is one monomial with the coefficient 1: a product only moves the difference's monomials
        moves = [(differences[k].terms, next(iter(w.terms))) for k, w in columns]
        products = [{m + by: c for m, c in terms.items()} if by else terms for terms, by in moves]
        try:
            found = combine(products)
        except TooLarge:
            return None
        if found is None or not check(products, found):
            return None
        total: dict[int, Poly] = {}
        for (k, w), value in zip(columns, found, strict=True):
            if value:
                total[k] = total.get(k, Poly()) + w * value
        return Certificate(tuple(Part(*rivals[k], weight) for k, weight in sorted(total.items())))
