"""A second opinion on an order, by running it: numpy multiplies, and what it multiplies is counted.

Between two barriers an order only multiplies and adds, so each region is run on random arrays of its own, in
whole numbers, where equal means equal. Every elementwise product is formed, then summed; masked pairs are
gathered first, so that the count is the size of what was really multiplied. The points that `trees` counts
are only looked at in the end, to compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any
from zlib import crc32

from ..atoms import evaluate
from ..graph import Graph, MaskedPair, Region
from ..poly import Poly, total
from ..program import MaskKind, Role
from ..search import spaces
from ..trees import Contraction, Phase, Sizes, Tree
from .opinion import Opinion

__all__ = ["CannotRun", "Run", "Unequal", "execute", "flops_of", "numpy_opinion"]

_BY = "numpy"
_ENTRY = 3
"""Entries are whole numbers from -3 to 3, without 0."""
_POINTS = 20_000_000
Labels = tuple[str, ...]
Seen = dict[tuple[str, str], Any]
"""(query, context) -> which pairs of them there are."""


class CannotRun(Exception):
    """Sizes or masks that are not run, and why."""


class Unequal(Exception):
    """Two products that go by one key and are not equal."""


@dataclass(frozen=True, slots=True)
class Run:
    """What an order made, and what it took."""

    values: tuple[Any, ...]
    """The product of each region, its axes in the order of the region's output."""
    multiplications: int
    """Online ones, a product that two places share counted once."""


def execute(
    graph: Graph, trees: Sequence[Tree], sizes: Mapping[str, int], seed: int = 0, pairs: str = "full"
) -> Run:
    """Runs one order, a tree for each region, for one sequence; sizes are numbers for all symbols, S and L too.

    `pairs` is `full` or `causal`, as in the conventions. Raises CannotRun, and Unequal where two products
    with one key differ. Needs numpy.
    """
    import numpy

    machine = _Machine(numpy, graph, sizes, seed, pairs)
    values = [machine.region(index, tree) for index, tree in zip(range(len(graph.regions)), trees, strict=True)]
    return Run(tuple(values), machine.multiplications)


def flops_of(graph: Graph, trees: Sequence[Tree], pairs: str = "full") -> Poly:
    """The FLOPs that the ledger has for an order of one sequence: online steps, shared ones once; S is free."""
    steps: dict[str, Contraction] = {}
    for space, tree in zip(spaces(graph, Sizes(Phase.VERIFY, pairs, Poly.const(1))), trees, strict=True):
        for step in space.steps(tree):
            steps.setdefault(space.key(step.members), step)
    return total(step.flops for step in steps.values() if not step.offline)


def numpy_opinion(
    graph: Graph,
    orders: Sequence[Sequence[Tree]],
    sizes: Mapping[str, int],
    seed: int = 0,
    pairs: str = "full",
    flops: Sequence[Poly] | None = None,
) -> Opinion:
    """Whether all orders make the same values, with as many multiplications as half their FLOPs.

    `flops` are the formulas to compare with, one for each order; without them those of the ledger.
    """
    try:
        import numpy
    except ImportError:
        return Opinion(_BY, None, "numpy is not installed")
    first: Run | None = None
    counted = 0
    for place, trees in enumerate(orders):
        formula = flops_of(graph, trees, pairs) if flops is None else flops[place]
        said = evaluate(formula, sizes)
        try:
            run = execute(graph, trees, sizes, seed, pairs)
        except CannotRun as error:
            return Opinion(_BY, None, str(error))
        except Unequal as error:
            return Opinion(_BY, False, str(error))
        first = first or run
        for region, one, two in zip(graph.regions, first.values, run.values, strict=True):
            if not numpy.array_equal(one, two):
                return Opinion(_BY, False, f"order {place + 1} makes another {region.root} than order 1")
        if said is None:
            return Opinion(_BY, None, "the formula has a symbol without a number")
        if said != 2 * run.multiplications:
            counts = f"{run.multiplications:,} multiplications counted, the formula says {said} FLOPs"
            return Opinion(_BY, False, f"order {place + 1}: {counts}")
        counted += run.multiplications
    orders_run = f"{len(orders)} orders" if len(orders) != 1 else "1 order"
    agree = "all equal; " if len(orders) != 1 else ""
    note = f"{orders_run} on random arrays, {agree}{counted:,} multiplications counted, as the formula says"
    return Opinion(_BY, True, note)


@dataclass(frozen=True, slots=True)
class _Array:
    values: Any
    labels: Labels


@dataclass
class _Machine:
    """Multiplies, and counts how often."""

    numpy: Any
    graph: Graph
    sizes: Mapping[str, int]
    seed: int
    pairs: str
    multiplications: int = 0
    made: dict[str, Any] = field(default_factory=dict)

    def length(self, size: Poly) -> int:
        number = evaluate(size, self.sizes)
        if number is None or number != int(number) or number < 1:
            raise CannotRun(f"{size.text()} is no whole number at these sizes")
        return int(number)

    def check(self, shape: Sequence[int]) -> None:
        if prod(shape) > _POINTS:
            raise CannotRun("at these sizes the arrays are too large")

    def region(self, index: int, tree: Tree) -> Any:
        """The product of one region, two factors at a time."""
        region = self.graph.regions[index]
        lengths = {label: self.length(self.graph.size(region, label)) for label in region.axis_of}
        if _ENTRY ** len(region.leaves) * prod(lengths.values()) >= 1 << 62:
            raise CannotRun("at these sizes whole numbers would overflow")
        seen: Seen = {(p.query, p.context): self.visible(p, lengths) for p in region.masks}
        held = {1 << place: self.leaf(region, place, lengths, seen) for place in range(len(region.leaves))}
        for left, right in tree:
            one, two = held.pop(left), held.pop(right)
            needed = region.labels(left | right)
            offline = all(self.role(leaf.tensor) is Role.WEIGHT for leaf in region.members(left | right))
            key = self.graph.key(region, left | right)
            product, count = self.multiplied(one, two, lengths, seen)
            held[left | right] = self.summed(product, needed)
            self.pay(key, held[left | right], 0 if offline else count)
        (array,) = held.values()
        return self.numpy.transpose(array.values, [array.labels.index(label) for label in region.output])

    def role(self, tensor: str) -> Role:
        return self.graph.tensor(tensor).role

    def pay(self, key: str, array: _Array, count: int) -> None:
        """Counts a product, unless it was made before: then it must hold the same numbers."""
        numbers = self.numpy.sort(array.values, axis=None)
        if key not in self.made:
            self.made[key] = numbers
            self.multiplications += count
        elif not self.numpy.array_equal(self.made[key], numbers):
            raise Unequal(f"two products go by {key} and are not equal")

    def leaf(self, region: Region, place: int, lengths: Mapping[str, int], seen: Seen) -> _Array:
        """Random numbers, the same for a tensor wherever it stands; zero where no query looks."""
        leaf = region.leaves[place]
        shape = [lengths[label] for label in leaf.labels]
        self.check(shape)
        draw = self.numpy.random.default_rng([self.seed, crc32(leaf.tensor.encode()), *shape])
        values = draw.integers(1, _ENTRY + 1, shape) * draw.choice([-1, 1], shape)
        for labels, indicator in seen.items():
            if {*labels} <= {*leaf.labels}:
                values = values * self.spread(_Array(indicator, labels), leaf.labels)
        return self.summed(_Array(values, leaf.labels), region.labels(1 << place))

    def spread(self, array: _Array, labels: Sequence[str]) -> Any:
        """The numbers with an axis for each label, of length 1 where the array has none."""
        order = [array.labels.index(label) for label in labels if label in array.labels]
        moved = iter(self.numpy.transpose(array.values, order).shape)
        shape = [next(moved) if label in array.labels else 1 for label in labels]
        return self.numpy.transpose(array.values, order).reshape(shape)

    def summed(self, array: _Array, needed: Iterable[str]) -> _Array:
        gone = tuple(place for place, label in enumerate(array.labels) if label not in needed)
        kept = tuple(label for label in array.labels if label in needed)
        return _Array(array.values.sum(axis=gone), kept)

    def multiplied(
        self, one: _Array, two: _Array, lengths: Mapping[str, int], seen: Seen
    ) -> tuple[_Array, int]:
        """Every product of an element of one with one of the other that agree in their labels, where seen."""
        labels = tuple(dict.fromkeys(one.labels + two.labels))
        limits = []
        for (query, context), indicator in seen.items():
            if query in labels and context in labels:
                limits.append(_Array(indicator, (query, context)))
            elif context in labels:
                limits.append(_Array(indicator.any(axis=0), (context,)))
        limited = tuple(dict.fromkeys(label for limit in limits for label in limit.labels))
        labels = (*limited, *(label for label in labels if label not in limited))
        shape = [lengths[label] for label in labels]
        self.check(shape)
        if not limited:
            product = self.spread(one, labels) * self.spread(two, labels)
            return _Array(product, labels), int(product.size)
        allowed = self.numpy.ones([lengths[label] for label in limited], bool)
        for limit in limits:
            allowed = allowed & self.spread(limit, limited)
        places = self.numpy.nonzero(allowed)
        product = self.gathered(one, labels, limited, places) * self.gathered(two, labels, limited, places)
        whole = self.numpy.zeros(shape, self.numpy.int64)
        whole[places] = product
        return _Array(whole, labels), int(product.size)

    def gathered(self, array: _Array, labels: Labels, limited: Labels, places: Sequence[Any]) -> Any:
        """One row for each place of the limited labels; the other labels as they are."""
        numbers = self.spread(array, labels)
        chosen = (at if label in array.labels else 0 * at for label, at in zip(limited, places, strict=True))
        return numbers[tuple(chosen)]

    def visible(self, pair: MaskedPair, lengths: Mapping[str, int]) -> Any:
        """Which (query, context) pairs there are: the queries are the last tokens of the context."""
        queries, context, mask = lengths[pair.query], lengths[pair.context], pair.mask
        if mask.kind is MaskKind.TOP_N:
            raise CannotRun("rows that are selected by their scores are not run")
        causal = mask.kind is MaskKind.CAUSAL or (self.pairs == "causal" and mask.kind is not MaskKind.FULL)
        if mask.size is not None and not causal and queries > 1:
            raise CannotRun("a window is only run with causal pairs")
        position = self.numpy.arange(context - queries, context)[:, None]
        behind = position - self.numpy.arange(context)[None, :]
        seen = behind >= 0 if causal or queries == 1 else behind >= -context
        return seen if mask.size is None else seen & (behind < self.length(mask.size))
