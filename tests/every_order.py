"""Every order of a program by plain enumeration: no search, no polynomial, no dominance.

Steps are counted from the labels of the factors, at a list of sizes at once. Two sub-products are the
same where they hold the same numbers: tensors are filled with random integers and multiplied out. An
order pays a step (what it makes, and of which two operands) once, wherever it stands.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from string import ascii_letters

import numpy as np

from derivations.atoms import evaluate
from derivations.conventions import Conventions
from derivations.costs import sizes_of
from derivations.graph import Graph, Region
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.program import Mask, MaskKind, Role, Variant
from derivations.regions import build_graph
from derivations.sizechecks import check_sizes
from derivations.transform import assuming, without_caches
from derivations.trees import Sizes, Space, Tree, trees

Point = Mapping[str, int]
Step = tuple[Hashable, frozenset[Hashable]]
Vector = np.ndarray
"""A cost at each of the points, in Python integers of any size."""
Tied = Mapping[str, str]
TIED: Tied = {"H_q": "H_kv", "H": "G"}
"""Sizes that must be a multiple of another, where a variant has both."""


class Program:
    """The products of a variant, in program order."""

    def __init__(
        self,
        variant: Variant | str,
        phase: str = "verify",
        caches: str = "kept",
        pairs: str = "full",
        assume: Sequence[str] = (),
        elementwise: str = "count",
        shape: Callable[[dict[str, int]], None] | None = None,
    ) -> None:
        """`shape` makes drawn sizes fit what is assumed."""
        loaded = assuming(load_variant(variant) if isinstance(variant, str) else variant, assume)
        self.conventions = Conventions(
            phase=phase, caches=caches, pairs=pairs, scope="layer", elementwise=elementwise
        )
        self.variant = without_caches(loaded) if caches == "none" else loaded
        self.graph: Graph = build_graph(self.variant)
        self.sizes: Sizes = sizes_of(self.conventions)
        self._shape = shape
        self._arrays: dict[tuple[str, tuple[str, ...]], np.ndarray] = {}
        self._names: dict[tuple[int, int], Hashable] = {}
        self._few = next(self.draws(random.Random(5), 1, lambda rng: rng.randint(2, 3)))

    @property
    def regions(self) -> tuple[Region, ...]:
        return self.graph.regions

    def spaces(self) -> list[Space]:
        """For the package's own search."""
        return [Space(self.graph, region, self.sizes) for region in self.regions]

    # Sizes

    def draws(
        self, rng: random.Random, count: int, size: Callable[[random.Random], int] | None = None
    ) -> Iterable[dict[str, int]]:
        """Legal sizes, S and L included as the phase wants them."""
        draw = size or spread
        for _ in range(count):
            for _ in range(1000):
                point = {name: draw(rng) for name in sorted(self.variant.symbols) if name not in "Bb"}
                for whole, part in TIED.items():
                    if whole in point and part in point:
                        point[whole] *= point[part]
                if "d_h" in point:
                    point["d_h"] *= 2
                if self._shape:
                    self._shape(point)
                point["S"], point["L"] = sorted((point.get("S", 1), point.get("L", 1)))
                if self.conventions.phase == "decode":
                    point["S"] = 1
                elif self.conventions.phase == "prefill":
                    point["S"] = point["L"]
                if self.legal(point):
                    yield point
                    break
            else:
                raise AssertionError("no legal sizes were drawn")

    def legal(self, point: Point) -> bool:
        """Whether the package's own check of sizes given by hand accepts them."""
        from derivations.errors import InputError

        try:
            check_sizes(self.variant, point, self.conventions)
        except InputError:
            return False
        return True

    def whole(self, witness: Point) -> dict[str, int]:
        """A witness with S and L as the phase has them, and 2 for what it leaves open."""
        point = {name: 2 for name in self.variant.symbols if name not in ("S", "L", "B", "b")} | dict(witness)
        for whole, part in TIED.items():
            if whole in point and part in point and whole not in witness:
                point[whole] = 2 * point[part]
        if self.conventions.phase == "decode":
            point["S"] = 1
        point.setdefault("L", point.get("S", 2))
        point.setdefault("S", point["L"] if self.conventions.phase == "prefill" else 1)
        return point

    # Steps

    def name(self, index: int, mask: int) -> Hashable:
        """The same for two sub-products that hold the same numbers over the same rows."""
        found = self._names.get((index, mask))
        if found is None:
            region = self.regions[index]
            leaves = [leaf for i, leaf in enumerate(region.leaves) if mask >> i & 1]
            letter = dict(zip(region.axis_of, ascii_letters, strict=False))
            spelled = ["".join(letter[label] for label in leaf.labels) for leaf in leaves]
            kept = sorted(survivors(region, mask))
            made = np.einsum(
                f"{','.join(spelled)}->{''.join(letter[label] for label in kept)}",
                *(self._array(region, leaf.tensor, leaf.labels) for leaf in leaves),
                optimize=len(leaves) > 2,
            )
            present = {label for leaf in leaves for label in leaf.labels}
            rows = sorted(
                f"{pair.mask.kind} {pair.mask.size} {pair.mask.selector}"
                for pair in region.masks
                if pair.context in present
            )
            found = (tuple(sorted(made.shape)), tuple(rows), np.sort(made, axis=None).tobytes())
            self._names[index, mask] = found
        return found

    def _array(self, region: Region, tensor: str, labels: tuple[str, ...]) -> np.ndarray:
        """Random integers; other ones where an axis of another size stands, as with rows of L tokens or S."""
        axes = [region.axis_of[label] for label in labels]
        key = tensor, tuple(self.variant.axes[axis].size.text() for axis in axes)
        if key not in self._arrays:
            rng = np.random.default_rng(len(self._arrays))
            self._arrays[key] = rng.integers(1, 60, [length(self.variant, axis, self._few) for axis in axes])
        return self._arrays[key]

    def offline(self, index: int, mask: int) -> bool:
        """Whether it is a product of weights alone."""
        leaves = self.regions[index].leaves
        roles = [self.variant.tensors[leaf.tensor].role for leaf in leaves]
        return all(role is Role.WEIGHT for i, role in enumerate(roles) if mask >> i & 1)

    def step(self, index: int, left: int, right: int) -> Step | None:
        """What a contraction is known by; None for one that is not counted."""
        if self.offline(index, left | right):
            return None
        region = self.regions[index]
        labels = survivors(region, left), survivors(region, right)
        both = labels[0] | labels[1]
        pointwise = both in labels and both == survivors(region, left | right)
        if pointwise and self.conventions.elementwise == "omit":
            return None
        return self.name(index, left | right), frozenset((self.name(index, left), self.name(index, right)))


class Count:
    """What a program's steps cost at some points."""

    def __init__(self, program: Program, points: Iterable[Point]) -> None:
        self.program, self.points = program, list(points)
        self._length: dict[str, Vector] = {}
        self._steps: dict[tuple[int, int, int], tuple[Step, Vector] | None] = {}
        self._cost: dict[tuple[int, frozenset[str]], Vector] = {}

    def vector(self, values: Iterable[int]) -> Vector:
        return np.array(list(values), dtype=object)

    def length(self, axis: str) -> Vector:
        if axis not in self._length:
            variant = self.program.variant
            self._length[axis] = self.vector(length(variant, axis, point) for point in self.points)
        return self._length[axis]

    def visited(self, index: int, labels: frozenset[str]) -> Vector:
        """Twice the index points over some labels."""
        found = self._cost.get((index, labels))
        if found is None:
            region, left = self.program.regions[index], set(labels)
            found = self.vector(2 for _ in self.points)
            for pair in region.masks:
                if {pair.query, pair.context} <= left:
                    left -= {pair.query, pair.context}
                    found = found * self.seen(region, pair.query, pair.context, pair.mask, pairs_of)
            for pair in region.masks:
                if pair.context in left:
                    left -= {pair.context}
                    found = found * self.seen(region, pair.query, pair.context, pair.mask, rows_of)
            for label in left:
                found = found * self.length(region.axis_of[label])
            self._cost[index, labels] = found
        return found

    def seen(
        self,
        region: Region,
        query: str,
        context: str,
        mask: Mask,
        count: Callable[[MaskKind, bool, int, int, int | None], int],
    ) -> Vector:
        causal = self.program.conventions.pairs == "causal"
        found = []
        for place, point in enumerate(self.points):
            queries = self.length(region.axis_of[query])[place]
            total = self.length(region.axis_of[context])[place]
            size = None if mask.size is None else int(evaluate(mask.size, point))
            found.append(count(mask.kind, causal, queries, total, size))
        return self.vector(found)

    def step(self, index: int, left: int, right: int) -> tuple[Step, Vector] | None:
        if (index, left, right) not in self._steps:
            region = self.program.regions[index]
            step = self.program.step(index, left, right)
            labels = survivors(region, left) | survivors(region, right)
            cost = None if step is None else self.visited(index, labels)
            self._steps[index, left, right] = None if step is None else (step, cost)
        return self._steps[index, left, right]

    def steps(self, index: int, tree: Tree) -> dict[Step, Vector]:
        """The steps of a tree, each once."""
        return dict(filter(None, (self.step(index, left, right) for left, right in tree)))

    def cost(self, chosen: Mapping[int, Tree]) -> Vector:
        """One tree for each of some regions, steps that they share paid once."""
        steps: dict[Step, Vector] = {}
        for index, tree in chosen.items():
            steps |= self.steps(index, tree)
        return self.total(steps.values())

    def total(self, costs: Iterable[Vector]) -> Vector:
        return sum(costs, self.vector(0 for _ in self.points))

    def least(self, chosen: Mapping[int, Sequence[Tree]]) -> Vector:
        """The fewest FLOPs at each point, over every combination of the trees of some regions.

        Of the trees of a region that have the same shared steps, only the cheapest matters.
        """
        listed = {index: [self.steps(index, tree) for tree in given] for index, given in chosen.items()}
        everywhere: dict[Step, set[int]] = {}
        for index, options in listed.items():
            for steps in options:
                for step in steps:
                    everywhere.setdefault(step, set()).add(index)
        cost = {
            step: value for options in listed.values() for steps in options for step, value in steps.items()
        }
        front: dict[frozenset[Step], Vector] = {frozenset(): self.total([])}
        for options in listed.values():
            own: dict[frozenset[Step], Vector] = {}
            for steps in options:
                shared = frozenset(step for step in steps if len(everywhere[step]) > 1)
                value = self.total(steps[step] for step in steps if step not in shared)
                own[shared] = np.minimum(own[shared], value) if shared in own else value
            joined: dict[frozenset[Step], Vector] = {}
            for one, left in front.items():
                for two, right in own.items():
                    both, value = one | two, left + right
                    joined[both] = np.minimum(joined[both], value) if both in joined else value
            front = joined
        totals = [value + self.total(cost[step] for step in steps) for steps, value in front.items()]
        return np.minimum.reduce(totals)


def spread(rng: random.Random) -> int:
    """A size: often tiny, sometimes as models have it, sometimes far beyond."""
    return int(2 ** rng.uniform(0, rng.choice([0, 1, 2, 4, 8, 12, 17])))


def length(variant: Variant, axis: str, point: Point) -> int:
    value = evaluate(variant.axes[axis].size, point)
    assert value is not None, axis
    assert value == int(value) >= 1, (axis, value)
    return int(value)


@lru_cache(maxsize=100_000)
def _survivors(leaves: tuple[tuple[str, ...], ...], output: tuple[str, ...], mask: int) -> frozenset[str]:
    inside = {label for i, labels in enumerate(leaves) if mask >> i & 1 for label in labels}
    outside = {label for i, labels in enumerate(leaves) if not mask >> i & 1 for label in labels}
    return frozenset(inside & (outside | set(output)))


def survivors(region: Region, mask: int) -> frozenset[str]:
    """Labels of a sub-product that something outside it, or the result, has too."""
    return _survivors(tuple(leaf.labels for leaf in region.leaves), region.output, mask)


def pairs_of(kind: MaskKind, causal: bool, queries: int, total: int, size: int | None) -> int:
    """Pairs of a query and a token it sees, the queries being the last of all tokens; counted."""
    most = total if size is None else size
    if kind is MaskKind.CAUSAL or (causal and kind is not MaskKind.FULL):
        return sum(min(place, most) for place in range(total - queries + 1, total + 1))
    return queries * min(total, most)


def rows_of(kind: MaskKind, causal: bool, queries: int, total: int, size: int | None) -> int:
    """Tokens that some query sees; of a selection as many as it can be."""
    if size is None:
        return total
    return min(total, size + queries - 1 if kind is MaskKind.WINDOW else queries * size)


def brackets(region: Region, tree: Tree) -> set[int]:
    """What a tree holds, its factors included."""
    return {left | right for left, right in tree} | {1 << i for i in range(len(region.leaves))}


def admitted(region: Region, forms: Iterable[str] = (), avoids: Iterable[str] = ()) -> list[Tree]:
    """The trees that form what an order forms, where they can, and nothing that it avoids."""
    wanted = {named.members for named in region.named if named.name in set(forms)}
    barred = {named.members for named in region.named if named.name in set(avoids)} - {region.full}
    return [
        tree
        for tree in trees(len(region.leaves))
        if wanted <= (held := brackets(region, tree)) and not barred & held
    ]


def connected(region: Region) -> list[Tree]:
    """The trees without a product of two parts that have no label in common."""
    return [
        tree
        for tree in trees(len(region.leaves))
        if all(survivors(region, left) & survivors(region, right) for left, right in tree)
    ]


@cache
def odd_factorial(number: int) -> int:
    """1 x 3 x 5 x ... x number."""
    return 1 if number <= 1 else number * odd_factorial(number - 2)


# Slack coordinates, by hand

Terms = dict[tuple[tuple[str, int], ...], object]
Images = Mapping[str, Mapping[str, int]]
"""Size -> the sum that is put for it: names with their numbers, the number alone under ''."""


def expanded(poly: Poly, images: Images) -> Terms:
    """A polynomial with sums put for its sizes, multiplied out; 1 plus a slack of the same name for the rest.

    It is multiplied by what clears negative exponents first. A size with a definition, such as
    `min(L, n)`, is only known to be at least 0 and stays.
    """
    listed = list(poly.powers())
    lowest: dict[str, int] = {}
    for powers, _ in listed:
        for name, exponent in powers.items():
            lowest[name] = min(lowest.get(name, 0), exponent)
    result: Terms = {}
    for powers, coefficient in listed:
        product: Terms = {(): coefficient}
        for name in set(powers) | set(lowest):
            for _ in range(powers.get(name, 0) - lowest.get(name, 0)):
                product = _times(product, _image(name, images))
        for monomial, value in product.items():
            result[monomial] = result.get(monomial, 0) + value
    return {monomial: value for monomial, value in result.items() if value}


def _image(name: str, images: Images) -> Terms:
    if name in images:
        return {(((other, 1),) if other else ()): value for other, value in images[name].items()}
    if "(" in name or name == "b":
        return {((name, 1),): 1}
    return {((name, 1),): 1, (): 1}


def _times(one: Terms, two: Terms) -> Terms:
    result: Terms = {}
    for left, a in one.items():
        for right, b in two.items():
            powers = dict(left)
            for name, exponent in right:
                powers[name] = powers.get(name, 0) + exponent
            monomial = tuple(sorted(powers.items()))
            result[monomial] = result.get(monomial, 0) + a * b
    return result
