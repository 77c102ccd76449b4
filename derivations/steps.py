"""An order as a list of steps with operands, stages and kernels; a step two regions share is one.

Steps whose index space has a query and a context axis are the core (or, where they only decide a
selection, the indexer) and run as one kernel with the barriers between them. Steps along the
context alone form rows in one pass over the cache. Every other step is a kernel of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .graph import Graph, Leaf, Region
from .poly import Poly
from .program import AxisKind, Role, Stage, Tensor
from .search import Order, spaces
from .trees import Contraction, Rule, Sizes, Space

__all__ = ["Operand", "Step", "steps_of"]

_BOTH = frozenset({AxisKind.QUERY, AxisKind.CONTEXT})
_PRIORITY = (Stage.LIFT, Stage.OUTPUT, Stage.INDEXER, Stage.PROJECTION)


@dataclass(frozen=True, slots=True)
class Operand:
    """What a step takes or makes."""

    key: str
    """The tensor's name, or the key of a sub-product: equal keys, equal values."""
    tensors: tuple[str, ...]
    """One name for a tensor or a named intermediate; else the factors of its product, in order."""
    axes: tuple[str, ...]
    """Axes, ordered as in the program where it is named."""
    elements: Poly
    """How many numbers it holds, batch and masks included."""
    width: Poly
    """Bytes per element."""
    kinds: frozenset[AxisKind]
    """Kinds of its axes."""
    tensor: Tensor | None
    """The leaf tensor, or None for an intermediate."""
    weight: bool
    """True for a weight or a product of weights."""

    @property
    def bytes(self) -> Poly:
        """Elements times width."""
        return self.elements * self.width


@dataclass(frozen=True, slots=True)
class Step:
    """One contraction of an order."""

    region: Region
    """Where it (first) stands."""
    contraction: Contraction
    """Its index space and FLOPs."""
    left: Operand
    """First operand."""
    right: Operand
    """Second operand."""
    result: Operand
    """What it makes."""
    stage: Stage
    """The part of the layer it belongs to."""
    kernel: str
    """Steps with the same kernel exchange results on chip."""
    part: int
    """0 for scores, 1 for the weighted sum."""
    grows: bool
    """True when its index space has the context axis."""

    @property
    def rule(self) -> Rule:
        """The rule that gives its FLOPs."""
        return self.contraction.rule

    @property
    def where(self) -> str:
        """The equation it serves and what it multiplies, in plain names."""
        return f"{self.region.root}: {_plain(self.left)} * {_plain(self.right)}"


def _plain(operand: Operand) -> str:
    names = " ".join(operand.tensors)
    return f"({names})" if len(operand.tensors) > 1 else names


def steps_of(graph: Graph, order: Order, sizes: Sizes, streamed: bool = False) -> tuple[Step, ...]:
    """The steps of `order`; with `streamed`, rows are formed inside the kernel that uses them."""
    found: dict[str, Step] = {}
    indexer_only: dict[str, bool] = {}
    for space, tree in zip(spaces(graph, sizes), order.trees, strict=True):
        reader = _Reader(space, dict.fromkeys(order.forms))
        for contraction in space.steps(tree):
            key = space.key(contraction.members)
            indexer_only[key] = indexer_only.get(key, True) and space.region.indexer
            found.setdefault(key, reader.step(contraction))
    result = []
    for key, step in found.items():
        stage = _stage(graph, step, indexer_only[key])
        kernel = _kernel(key, step, stage, streamed)
        result.append(
            Step(
                step.region, step.contraction, step.left, step.right, step.result,
                stage, kernel, step.part, step.grows,
            )
        )  # fmt: skip
    return tuple(result)


class _Reader:
    """Operands of one region; named sub-products carry their names."""

    def __init__(self, space: Space, forms: Iterable[str]) -> None:
        self.space = space
        self.region = space.region
        self.graph = space.graph
        formed = set(forms)
        self.names = {n.members: n.name for n in self.region.named if n.name in formed}
        equation = next(e for e in self.graph.variant.equations if e.name == self.region.root)
        self.names.pop(self.region.full, None)
        if len(equation.products) == 1:
            self.names[self.region.full] = self.region.root
        self.parts: dict[int, tuple[str, ...]] = {}
        self.order: dict[int, list[str]] = {}

    def step(self, contraction: Contraction) -> Step:
        left, right = self.operand(contraction.left), self.operand(contraction.right)
        self.parts[contraction.members] = (*left.tensors, *right.tensors)
        met = [*self.order[contraction.left], *self.order[contraction.right]]
        survive = [label for label in dict.fromkeys(met) if label in contraction.result]
        self.order[contraction.members] = survive
        result = self.operand(contraction.members)
        kinds = self.space.kinds(contraction.labels)
        return Step(
            self.region, contraction, left, right, result, Stage.PROJECTION, "", self.region.part,
            AxisKind.CONTEXT in kinds,
        )  # fmt: skip

    def operand(self, mask: int) -> Operand:
        region, space = self.region, self.space
        labels = space.labels(mask)
        single = mask & (mask - 1) == 0
        leaf = next(region.members(mask)) if single else None
        if leaf is not None:
            labels = frozenset(leaf.labels)  # an index that is summed at once is read all the same
        name = leaf.tensor if leaf else self.names.get(mask)
        declared = self.graph.tensor(name) if name else None
        if leaf:
            self.order[mask] = list(leaf.labels)
        elif declared is not None or mask == region.full:
            self.order[mask] = self.as_declared(mask, declared or self.graph.tensor(region.root))
        whole = (region.root,) if mask == region.full else self.parts.get(mask, ())
        return Operand(
            key=leaf.tensor if leaf else space.key(mask),
            tensors=(name,) if name else whole,
            axes=tuple(region.axis_of[label] for label in self.order[mask]),
            elements=self.read(leaf) if leaf is not None else space.elements(mask),
            width=declared.width if declared else Poly.symbol("b"),
            kinds=space.kinds(labels),
            tensor=self.graph.tensor(leaf.tensor) if leaf else None,
            weight=space.offline(mask),
        )

    def read(self, leaf: Leaf) -> Poly:
        """Elements of a whole factor, batch and masks included."""
        count = self.space.points(leaf.labels)
        return count * self.space.sizes.batch if self.graph.tensor(leaf.tensor).batched else count

    def as_declared(self, mask: int, declared: Tensor) -> list[str]:
        """Labels in the order the program gives the tensor, where its axes are the same."""
        by_axis = {self.region.axis_of[label]: label for label in self.order[mask]}
        if set(by_axis) != set(declared.axes) or len(by_axis) != len(self.order[mask]):
            return self.order[mask]
        return [by_axis[axis] for axis in declared.axes]


def _stage(graph: Graph, step: Step, indexer: bool) -> Stage:
    if step.contraction.offline:
        return Stage.OFFLINE
    if indexer:
        return Stage.INDEXER
    kinds = {graph.kind(step.region, label) for label in step.contraction.labels}
    if kinds >= _BOTH:
        return Stage.CORE
    if _touches_state(graph, step):
        return Stage.CORE
    made = graph.tensor(step.result.tensors[0]) if len(step.result.tensors) == 1 else None
    if made is not None and made.stage is not None:
        return made.stage
    direct = {s for o in (step.left, step.right) if o.weight for s in _weight_stages(graph, step, o)}
    return next((s for s in _PRIORITY if s in direct), Stage.PROJECTION)


def _touches_state(graph: Graph, step: Step) -> bool:
    """Whether it works on a state without a weight of its own: the core of a recurrence.

    A decay that is a parameter multiplies a state entry by entry, and stays in the core all the same.
    """
    if (step.left.weight or step.right.weight) and step.rule is not Rule.ELEMENTWISE:
        return False
    members = step.region.members(step.contraction.members)
    names = {step.region.root, *(leaf.tensor for leaf in members)}
    return any(graph.tensor(name).role is Role.STATE for name in names)


def _weight_stages(graph: Graph, step: Step, operand: Operand) -> set[Stage]:
    mask = step.contraction.left if operand is step.left else step.contraction.right
    weights = [graph.tensor(leaf.tensor) for leaf in step.region.members(mask)]
    return {w.stage or Stage.PROJECTION for w in weights if w.role is Role.WEIGHT}


def _kernel(key: str, step: Step, stage: Stage, streamed: bool) -> str:
    if stage is Stage.OFFLINE:
        return "offline"
    kinds = step.left.kinds | step.right.kinds
    if kinds >= _BOTH or stage is Stage.CORE:
        return "indexer" if stage is Stage.INDEXER else "core"
    if AxisKind.CONTEXT in kinds:
        return "core" if streamed and stage is not Stage.INDEXER else f"rows of {stage}"
    return key
