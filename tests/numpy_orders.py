"""Any order of a graph run in numpy, two arrays at a time, its multiplications counted.

What is counted is the length of the index space of the arrays that are really multiplied: nothing
is taken from the package but the leaves of each region and the tree to follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import prod

import numpy as np
from numpy_oracle import (
    CONTEXT,
    QUERY,
    Env,
    World,
    barrier,
    close,
    einsum,
    has_state,
    scan,
    schedule,
    store,
    under,
    visible,
)

from derivations.equations import Equation
from derivations.graph import Graph, Region
from derivations.program import Role, Variant
from derivations.trees import Tree


@dataclass(frozen=True)
class Counted:
    """One multiplication of two arrays."""

    region: int
    """Which region of the graph."""
    left: int
    """Leaves of the first factor, as a bitmask."""
    right: int
    """Leaves of the second."""
    points: int
    """Length of the index space: the product of the lengths of all labels of both arrays."""
    seen: int
    """Those of its points whose pairs, or rows, some query sees."""
    key: str
    """What the package calls the result; equal keys promise equal values."""
    online: bool
    """False when every leaf is a weight."""


class Runner:
    """Runs orders of one graph. Sub-products with equal keys must hold equal values."""

    def __init__(self, graph: Graph, world: World) -> None:
        self.graph, self.world, self.variant = graph, world, graph.variant
        self.counted: list[Counted] = []
        self.products: dict[str, np.ndarray] = {}

    def run(self, trees: Sequence[Tree]) -> Env:
        """Every tensor the order makes; a sub-product two regions share is counted once."""
        self.counted, self.products = [], {}
        env: Env = dict(self.world.kept)
        for group in schedule(self.variant):
            if has_state(self.variant, group):
                self.recur(env, group, trees)
            else:
                self.make(env, group[0], trees)
        return env

    def make(self, env: Env, equation: Equation, trees: Sequence[Tree]) -> None:
        """Put into `env` what one equation defines, if the order makes it as such."""
        if equation.barrier is not None:
            env.update(barrier(self.variant, self.world, env, equation))
        elif self.regions_of(equation):
            self.define(env, equation, trees)

    def recur(self, env: Env, group: tuple[Equation, ...], trees: Sequence[Tree]) -> None:
        """A recurrence, one update after the other; what each of them multiplies is added up.

        Within an update a product two regions share is made once. One that has no place along the axis of
        the updates is the same in each, and is made once.
        """
        whole, before, known = self.world, self.counted, self.products
        state = next(e.name for e in group if self.variant.tensors[e.name].role is Role.STATE)
        axis = self.variant.tensors[state].scan
        made: dict[str, list[tuple[Counted, np.ndarray]]] = {}

        def define(variant: Variant, one: World, here: Env, equation: Equation) -> None:
            if equation is group[0]:
                self.counted, self.products = [], {}
            self.world = one
            for name in known:
                self.products.setdefault(name, np.zeros(0))  # made before the recurrence
            self.make(here, equation, trees)
            self.world = whole
            if equation is group[-1]:
                for item in self.counted:
                    made.setdefault(item.key, []).append((item, self.products[item.key]))

        scan(self.variant, self.world, env, group, define)
        self.counted, self.products = before, known
        for key, parts in made.items():
            first = parts[0][0]
            region = self.graph.regions[first.region]
            labels = region.labels(first.left) | region.labels(first.right)
            if any(region.axis_of[label] == axis for label in labels):
                points, seen = (sum(getattr(item, f) for item, _ in parts) for f in ("points", "seen"))
                first = replace(first, points=points, seen=seen)
            self.counted.append(first)
            self.products[key] = np.zeros(0)

    def define(self, env: Env, equation: Equation, trees: Sequence[Tree]) -> None:
        """Put into `env` what one equation defines; the rest of `env` is there already."""
        if self.variant.tensors[equation.name].role is Role.CACHE:
            env[equation.name] = self.world.kept[equation.name]
        products = [self.region(env, i, trees[i]) for i in self.regions_of(equation)]
        store(self.variant, self.world, env, equation, products)

    def regions_of(self, equation: Equation) -> list[int]:
        """The regions whose products the equation adds up."""
        return [i for i, region in enumerate(self.graph.regions) if region.root == equation.name]

    def region(self, env: Env, index: int, tree: Tree) -> np.ndarray:
        """The product of one region, two factors at a time."""
        region = self.graph.regions[index]
        held: dict[int, tuple[np.ndarray, tuple[str, ...]]] = {}
        for position, leaf in enumerate(region.leaves):
            axes = [region.axis_of[label] for label in leaf.labels]
            array = under(self.variant, self.world, env, leaf.tensor, axes, leaf.old)
            needed = _needed(region, 1 << position)
            left = tuple(label for label in leaf.labels if label in needed)
            held[1 << position] = einsum([(array, leaf.labels)], left), left
        for left, right in tree:
            a, b = held.pop(left), held.pop(right)
            needed = _needed(region, left | right)
            labels = tuple(label for label in dict.fromkeys(a[1] + b[1]) if label in needed)
            held[left | right] = einsum([a, b], labels), labels
            lengths = dict(zip(a[1] + b[1], a[0].shape + b[0].shape, strict=True))
            self.count(env, index, (left, right), lengths, held[left | right][0])
        ((array, labels),) = held.values()
        return einsum([(array, labels)], region.output)

    def count(
        self, env: Env, index: int, pair: tuple[int, int], lengths: dict[str, int], made: np.ndarray
    ) -> None:
        """Note a multiplication, unless a region before made the same."""
        region = self.graph.regions[index]
        key = self.graph.key(region, pair[0] | pair[1])
        if key in self.products:
            known = self.products[key]
            assert not known.size or same_up_to_axes(known, made), f"equal keys, not equal: {key}"
            return
        self.products[key] = made
        roles = {self.variant.tensors[x.tensor].role for x in region.members(pair[0] | pair[1])}
        points, seen = prod(lengths.values()), self.seen(env, region, lengths)
        online = roles != {Role.WEIGHT}
        self.counted.append(Counted(index, *pair, points, seen, key, online))

    def seen(self, env: Env, region: Region, lengths: Mapping[str, int]) -> int:
        """Points of an index space, one by one where some (query, context) pairs are masked."""
        indicators: dict[tuple[str, ...], np.ndarray] = {}
        leaves = [(leaf.tensor, leaf.labels) for leaf in region.leaves]
        for name, labels in [(region.root, region.output), *leaves]:
            axes, seen = visible(self.variant, self.world, env, score_of(self.variant, name))
            by_kind = {self.variant.axes[region.axis_of[label]].kind: label for label in labels}
            query, context = by_kind.get(QUERY), by_kind.get(CONTEXT)
            if not axes or not query or context not in lengths:
                continue
            if self.variant.tensors[name].role is Role.TABLE:
                continue
            # each head sees as many rows as any other, whichever they are
            seen = seen[(0,) * (seen.ndim - 2)]
            if query in lengths:
                indicators[query, context] = _narrower(seen, indicators.get((query, context)))
            else:
                indicators[(context,)] = seen.any(axis=0)
        limited = {label for labels in indicators for label in labels}
        factors = [(array.astype(np.int64), labels) for labels, array in indicators.items()]
        inside = int(einsum(factors, ())) if factors else 1
        return inside * prod(n for label, n in lengths.items() if label not in limited)


def _narrower(one: np.ndarray, two: np.ndarray | None) -> np.ndarray:
    """Of two masks on one pair the one that has fewer pairs."""
    return one if two is None or one.sum() <= two.sum() else two


def _needed(region: Region, members: int) -> set[str]:
    """Labels that the output or a leaf outside `members` has."""
    rest = [leaf for i, leaf in enumerate(region.leaves) if not members >> i & 1]
    return {label for leaf in rest for label in leaf.labels} | set(region.output)


def score_of(variant: Variant, name: str) -> str:
    """The score tensor a probability was made of; any other tensor is its own."""
    for equation in variant.equations:
        names = [ref.name for ref in equation.left]
        if equation.barrier is not None and name in names:
            return score_of(variant, equation.inputs[names.index(name)].name)
    return name


def same_up_to_axes(one: np.ndarray, two: np.ndarray) -> bool:
    """Equal after some permutation of axes."""
    if sorted(one.shape) != sorted(two.shape):
        return False
    return any(
        close(np.transpose(two, order), one)
        for order in permutations(range(two.ndim))
        if tuple(two.shape[i] for i in order) == one.shape
    )
