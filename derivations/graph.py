"""The graph of a program: what defines what, and its maximal multilinear regions.

Barriers cut a program. Between them, inlining the definitions gives products of leaves (inputs,
weights, tables, caches, states, results of barriers): the regions. A bracketing of a region is
an algorithm; a named intermediate is formed when some bracket holds exactly its leaves. Every
product of a sum is a region of its own; a sum used as a factor is formed, never distributed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

from .poly import Poly
from .program import AxisKind, Mask, Tensor, Variant
from .shown import Shown

__all__ = ["Graph", "Leaf", "MaskedPair", "Named", "Region"]

_ARRANGEMENTS = 5040


@dataclass(frozen=True, slots=True)
class Leaf:
    """One factor of a region."""

    tensor: str
    """Its tensor."""
    labels: tuple[str, ...]
    """Index labels, in the order of the tensor's axes; summed ones are renamed apart."""
    old: bool = False
    """True for the value a state had before this step wrote it."""


@dataclass(frozen=True, slots=True)
class Named:
    """A named intermediate inside a region."""

    name: str
    """The tensor the program defines."""
    members: int
    """Bitmask of the leaves it is made of."""


@dataclass(frozen=True, slots=True)
class MaskedPair:
    """A (query, context) pair of labels under a mask."""

    query: str
    """Label of the query axis."""
    context: str
    """Label of the context axis."""
    mask: Mask
    """Which pairs."""


@dataclass(frozen=True, slots=True)
class Region:
    """A product of leaves between barriers."""

    root: str
    """The tensor it computes, or adds to."""
    index: int
    """Which product of the root's equation."""
    sign: int
    """+1 or -1 in that equation."""
    leaves: tuple[Leaf, ...]
    """In the order of the inlined program."""
    output: tuple[str, ...]
    """Labels of the result."""
    axis_of: Mapping[str, str]
    """Label -> axis."""
    named: tuple[Named, ...]
    """Named intermediates, each once per use."""
    masks: tuple[MaskedPair, ...]
    """Masks over its label pairs."""
    indexer: bool
    """True when the result only decides which rows are selected."""
    part: int
    """How many barriers over (query, context) pairs stand before it: 0 scores, 1 values."""

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each leaf: its tensor, numbered where that stands there more than once."""
        tensors = [leaf.tensor for leaf in self.leaves]
        return tuple(
            f"{name}#{tensors[: index + 1].count(name)}" if tensors.count(name) > 1 else name
            for index, name in enumerate(tensors)
        )

    @property
    def full(self) -> int:
        """Bitmask of all leaves."""
        return (1 << len(self.leaves)) - 1

    def members(self, mask: int) -> Iterator[Leaf]:
        """The leaves in a bitmask."""
        return (leaf for i, leaf in enumerate(self.leaves) if mask >> i & 1)

    def labels(self, mask: int) -> frozenset[str]:
        """Labels that survive in the product of `mask`: those that the rest or the result needs."""
        inside = {label for leaf in self.members(mask) for label in leaf.labels}
        outside = {label for leaf in self.members(self.full & ~mask) for label in leaf.labels}
        return frozenset(inside & (outside | set(self.output)))


@dataclass(frozen=True, slots=True)
class Graph(Shown):
    """A legal program and its regions."""

    variant: Variant
    """The program, after any rewriting."""
    regions: tuple[Region, ...]
    """In program order."""

    def __repr__(self) -> str:
        made = dict.fromkeys(region.root for region in self.regions)
        return f"Graph({self.variant.name}: {len(self.regions)} products, which make {', '.join(made)})"

    def tensor(self, name: str) -> Tensor:
        """The tensor called `name`."""
        return self.variant.tensors[name]

    def size(self, region: Region, label: str) -> Poly:
        """Size of a label's axis, in symbols."""
        return self.variant.axes[region.axis_of[label]].size

    def kind(self, region: Region, label: str) -> AxisKind:
        """Query, context or other."""
        return self.variant.axes[region.axis_of[label]].kind

    def has(self, region: Region, labels: frozenset[str], kind: AxisKind) -> bool:
        """Whether one of the labels is of this kind."""
        return any(self.kind(region, label) is kind for label in labels)

    def key(self, region: Region, mask: int) -> str:
        """The same for two sub-products that hold the same values, whatever their labels are called.

        Leaves are sorted by tensor and labels numbered as they come; equal tensors are tried in
        every order (as they stand where those would be more than 5,040). A context label under a
        mask that leaves rows out carries that mask: other rows, another tensor.
        """
        leaves = sorted(region.members(mask), key=lambda leaf: leaf.tensor)
        surviving = region.labels(mask)
        alike = [
            [leaf for leaf in leaves if leaf.tensor == name] for name in dict.fromkeys(x.tensor for x in leaves)
        ]
        if prod(factorial(len(group)) for group in alike) > _ARRANGEMENTS:
            return self._spell(region, leaves, surviving)
        groups = [list(permutations(group)) for group in alike]
        return min(
            self._spell(region, [leaf for group in choice for leaf in group], surviving)
            for choice in product(*groups)
        )

    def _spell(self, region: Region, leaves: list[Leaf], surviving: frozenset[str]) -> str:
        rows = {
            pair.context: f"{pair.mask.kind}:{pair.mask.size and pair.mask.size.text()}:{pair.mask.selector}"
            for pair in region.masks
            if pair.mask.size is not None
        }
        numbers: dict[str, str] = {}
        words = []
        for leaf in leaves:
            for label in leaf.labels:
                if label not in numbers:
                    axis = self.variant.axes[region.axis_of[label]]
                    end = "" if label in surviving else "!"
                    numbers[label] = f"{len(numbers)}:{axis.size.text()}{rows.get(label, '')}{end}"
            words.append(f"{leaf.tensor}{'~' * leaf.old}({','.join(numbers[label] for label in leaf.labels)})")
        return "*".join(words)
