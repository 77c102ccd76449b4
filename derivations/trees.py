"""Binary contraction trees of a region, and the one rule that counts their FLOPs: index points.

A contraction of two operands visits every point of the union of their surviving indices. Where a
(query, context) pair is under a mask, the pair counts as the mask's pairs; where only the context
index of a mask is present, as its rows. Everything but weights and tables carries the batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, reduce

from .atoms import put
from .graph import Graph, Region
from .masks import pairs, rows
from .poly import Poly, product
from .program import Axis, AxisKind, Mask, Role
from .sharding import UNSPLIT, Split

__all__ = ["Contraction", "Phase", "Rule", "Sizes", "Space", "Tree", "bracketing", "splits", "trees"]

Tree = tuple[tuple[int, int], ...]
"""The contractions of a tree as (left, right) bitmasks, operands before results."""


class Phase(StrEnum):
    """How many query tokens a step has."""

    DECODE = "decode"
    VERIFY = "verify"
    PREFILL = "prefill"


class Rule(StrEnum):
    """The rule that gives the FLOPs of a step; each is 2 a point."""

    CONTRACTION = "contraction"
    OUTER = "outer product"
    ELEMENTWISE = "elementwise"


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the sizes are put to before anything is counted."""

    phase: Phase
    """decode: S = 1; verify: S free; prefill: S = L."""
    pairs: str
    """`full` or `causal`."""
    batch: Poly
    """Sequences in the batch: 1, or the symbol B; with ranks, one rank's share."""
    split: Split = UNSPLIT
    """Over how many ranks indices are split."""
    shares: Mapping[str, Poly] = field(default_factory=dict, hash=False)
    """Axis -> its size on one rank, where heads are split."""

    def axis(self, axis: Axis) -> Poly:
        """The size of an axis on one rank, the phase put in."""
        size = self.put(self.shares.get(axis.name, axis.size))
        return self.split.rows(size) if axis.kind is AxisKind.CONTEXT else size

    def masked(self, mask: Mask, queries: Poly, context: Poly) -> tuple[Poly, Poly]:
        """(pairs, rows) of one rank under a mask; `queries` and `context` are the whole axes."""
        found = pairs(mask, self.pairs, queries, context)
        share = queries * self.split.rows(context) if found == queries * context else self.split.rows(found)
        return share, self.split.rows(rows(mask, queries, context))

    def put(self, size: Poly) -> Poly:
        """`size` with the phase put in."""
        if self.phase is Phase.VERIFY:
            return size
        return put(size, {"S": Poly.const(1) if self.phase is Phase.DECODE else Poly.symbol("L")})


@dataclass(frozen=True, slots=True)
class Contraction:
    """One pairwise step inside a region."""

    left: int
    """Bitmask of the left operand's leaves."""
    right: int
    """Bitmask of the right operand's leaves."""
    labels: frozenset[str]
    """The index space."""
    result: frozenset[str]
    """Labels that survive."""
    points: Poly
    """Index points, batch included."""
    rule: Rule
    """What kind of step it is."""
    offline: bool
    """True when only weights are multiplied: done once, before any request."""

    @property
    def members(self) -> int:
        """Leaves of the result."""
        return self.left | self.right

    @property
    def flops(self) -> Poly:
        """Two per index point."""
        return self.points * 2


class Space:
    """One region with sizes: counts steps and sizes of its sub-products, each once.

    Sets of leaves and of labels are bitmasks inside; `labels` and `step` give them by name.
    """

    def __init__(self, graph: Graph, region: Region, sizes: Sizes) -> None:
        self.graph, self.region, self.sizes = graph, region, sizes
        self._steps: dict[tuple[int, int], Contraction] = {}
        self._keys: dict[int, str] = {}
        self._over: dict[int, Poly] = {}
        self._names = tuple(region.axis_of)
        self._bit = {label: 1 << index for index, label in enumerate(self._names)}
        axes = graph.variant.axes
        self._size = {label: sizes.axis(axes[axis]) for label, axis in region.axis_of.items()}
        self._masked = [
            (self._bit[pair.query], self._bit[pair.context], *self._mask_sizes(pair.query, pair.context, index))
            for index, pair in enumerate(region.masks)
        ]
        self._leaves = tuple(self._bits(leaf.labels) for leaf in region.leaves)
        self._output = self._bits(region.output)
        roles = [graph.tensor(leaf.tensor).role for leaf in region.leaves]
        self.weights = sum(1 << i for i, role in enumerate(roles) if role is Role.WEIGHT)
        """Bitmask of the leaves that are weights."""
        self._unbatched = sum(
            1 << i for i, leaf in enumerate(region.leaves) if not graph.tensor(leaf.tensor).batched
        )
        self._surviving: dict[int, int] = {}

    def _bits(self, labels: Iterable[str]) -> int:
        return reduce(int.__or__, (self._bit[label] for label in labels), 0)

    def _mask_sizes(self, query: str, context: str, index: int) -> tuple[Poly, Poly]:
        mask = self.region.masks[index].mask
        if mask.size is not None:
            mask = type(mask)(mask.kind, self.sizes.put(mask.size), mask.selector, mask.place)
        q, t = (self.sizes.put(self.graph.size(self.region, label)) for label in (query, context))
        return self.sizes.masked(mask, q, t)

    def surviving(self, mask: int) -> int:
        """Labels that the rest or the result needs of the product of `mask`, as a bitmask."""
        found = self._surviving.get(mask)
        if found is None:
            inside, outside = 0, self._output
            for index, bits in enumerate(self._leaves):
                if mask >> index & 1:
                    inside |= bits
                else:
                    outside |= bits
            found = self._surviving[mask] = inside & outside
        return found

    def named(self, bits: int) -> frozenset[str]:
        """A bitmask of labels by name."""
        return frozenset(label for label, bit in self._bit.items() if bits & bit)

    def labels(self, mask: int) -> frozenset[str]:
        """Labels that survive in the product of `mask`."""
        return self.named(self.surviving(mask))

    def key(self, mask: int) -> str:
        """See `Graph.key`."""
        if mask not in self._keys:
            self._keys[mask] = self.graph.key(self.region, mask)
        return self._keys[mask]

    def offline(self, mask: int) -> bool:
        """Whether every leaf is a weight."""
        return not mask & ~self.weights

    def unbatched(self, mask: int) -> bool:
        """Whether no leaf belongs to a sequence: weights and tables serve the whole batch."""
        return not mask & ~self._unbatched

    def points_over(self, bits: int) -> Poly:
        """`points` over labels given as a bitmask."""
        found = self._over.get(bits)
        if found is None:
            found = self._over[bits] = product(self.factors_over(bits))
        return found

    def factors_over(self, bits: int) -> list[Poly]:
        """What `points_over` is the product of."""
        left, factors = bits, []
        for query, context, pair_count, _ in self._masked:
            if query & left and context & left:
                left &= ~(query | context)
                factors.append(pair_count)
        for _, context, _, row_count in self._masked:
            if context & left:
                left &= ~context
                factors.append(row_count)
        return factors + [size for label, size in self._size.items() if self._bit[label] & left]

    def sizes_used(self) -> tuple[Poly, ...]:
        """Every size that the points of a step are made of."""
        counts = [count for _, _, *both in self._masked for count in both]
        return (*self._size.values(), *counts, self.sizes.batch)

    def elements(self, mask: int) -> Poly:
        """Elements of the product of `mask`, batch included."""
        count = self.points_over(self.surviving(mask))
        return count if self.unbatched(mask) else count * self.sizes.batch

    def space(self, left: int, right: int) -> int:
        """The index space of a contraction, as a bitmask of labels."""
        return self.surviving(left) | self.surviving(right)

    def rule(self, left: int, right: int) -> Rule:
        """What kind of step the contraction of two sub-products is."""
        one, two = self.surviving(left), self.surviving(right)
        space = one | two
        if space != self.surviving(left | right):
            return Rule.CONTRACTION
        return Rule.ELEMENTWISE if space in (one, two) else Rule.OUTER

    def points(self, labels: Iterable[str]) -> Poly:
        """Index points over `labels` for one sequence, masks respected."""
        return self.points_over(self._bits(labels))

    def visited(self, left: int, right: int) -> Poly:
        """Index points of the contraction of two sub-products, batch included."""
        count = self.points_over(self.space(left, right))
        return count if self.unbatched(left | right) else count * self.sizes.batch

    def step(self, left: int, right: int) -> Contraction:
        """The contraction of two sub-products."""
        found = self._steps.get((left, right))
        if found is None:
            both = left | right
            found = self._steps[left, right] = Contraction(
                left, right, self.named(self.space(left, right)), self.labels(both),
                self.visited(left, right), self.rule(left, right), self.offline(both),
            )  # fmt: skip
        return found

    def steps(self, tree: Tree) -> tuple[Contraction, ...]:
        """The contractions of a tree."""
        return tuple(self.step(left, right) for left, right in tree)

    def formed(self, tree: Tree) -> frozenset[str]:
        """Named intermediates that some bracket of the tree holds exactly."""
        brackets = {left | right for left, right in tree}
        brackets |= {1 << i for i in range(len(self.region.leaves))}
        return frozenset(named.name for named in self.region.named if named.members in brackets)

    def kinds(self, labels: frozenset[str]) -> frozenset[AxisKind]:
        """The kinds of axes among `labels`."""
        return frozenset(self.graph.kind(self.region, label) for label in labels)


@cache
def trees(operands: int) -> tuple[Tree, ...]:
    """Every binary tree over `operands` leaves: (2n-3)!! of them, each unordered split once."""
    return tuple(_trees((1 << operands) - 1))


@cache
def _trees(mask: int) -> tuple[Tree, ...]:
    if mask & (mask - 1) == 0:
        return ((),)
    found: list[Tree] = []
    for left in splits(mask):
        right = mask ^ left
        for a in _trees(left):
            found.extend((*a, *b, (left, right)) for b in _trees(right))
    return tuple(found)


def splits(mask: int) -> Iterator[int]:
    """Sub-masks that hold the lowest leaf, so that each unordered split comes once."""
    lowest = mask & -mask
    rest = mask ^ lowest
    part = rest
    while part:
        part = (part - 1) & rest
        yield lowest | part


def bracketing(tree: Tree, names: Mapping[int, str]) -> str:
    """The tree as nested parentheses; `names` has a text for each leaf index."""
    text = {1 << index: name for index, name in names.items()}
    for left, right in tree:
        text[left | right] = f"({text[left]} {text[right]})"
    return text[tree[-1][0] | tree[-1][1]] if tree else text[1]
