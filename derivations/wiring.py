"""Which kernel makes a value and which read it: where the edges are that bytes cross."""

from __future__ import annotations

from .equations import BARRIERS, Equation
from .graph import Graph
from .poly import Poly, product
from .program import AxisKind, Role, Stage, Tensor
from .steps import Operand, Step
from .trees import Sizes, Space

__all__ = ["BOTH", "PAIR_KERNELS", "Wiring", "kernel_name"]

BOTH = frozenset({AxisKind.QUERY, AxisKind.CONTEXT})
"""The kinds of axes of a tensor over pairs of a query and a context token."""
PAIR_KERNELS = ("core", "indexer")
"""Kernels that see such pairs."""


class Wiring:
    """Makers and readers of each value, and the values as operands of a kernel."""

    def __init__(self, graph: Graph, steps: tuple[Step, ...], sizes: Sizes) -> None:
        self.graph, self.steps, self.sizes = graph, steps, sizes
        self.online = [step for step in steps if step.stage is not Stage.OFFLINE]
        self.spaces = [Space(graph, region, sizes) for region in graph.regions]
        self.definitions = {ref.name: e for e in graph.variant.equations for ref in e.left}
        self.makers: dict[str, list[str]] = {}
        self.readers: dict[str, set[str]] = {}
        axes = graph.variant.axes.values()
        queries = {axis.size for axis in axes if axis.kind is AxisKind.QUERY}
        self.chunks = {a.name for a in axes if a.kind is AxisKind.CONTEXT and a.size in queries}
        self._wire()

    def _wire(self) -> None:
        """Which kernels make and read each value, under its key and under its name."""
        for step in self.online:
            name = step.result.tensors[0] if len(step.result.tensors) == 1 else ""
            for mark in {step.result.key, name} - {""}:
                kernels = self.makers.setdefault(mark, [])
                if step.kernel not in kernels:
                    kernels.append(step.kernel)
            for operand in (step.left, step.right):
                self.readers.setdefault(operand.key, set()).add(step.kernel)
        for space in self.spaces:
            region = space.region
            if space.kinds(frozenset(region.output)) >= BOTH:
                self.makers[region.root] = [self.pair_kernel(region.root)]
        for equation in self.definitions.values():
            if equation.barrier is not None and BARRIERS[equation.barrier].view:
                for ref in equation.left:  # rows seen again: who reads the view reads its input from memory
                    self.makers[ref.name] = ["memory"]
                for ref in equation.inputs:
                    self.readers.setdefault(ref.name, set()).add("memory")
            elif equation.barrier is not None:
                kernel = self.barrier_kernel(equation)
                for ref in equation.left:
                    self.makers[ref.name] = [kernel]
                for ref in equation.inputs:
                    self.readers.setdefault(ref.name, set()).add(kernel)

    def pair_kernel(self, name: str) -> str:
        """The kernel that makes a tensor over (query, context) pairs."""
        for space in self.spaces:
            if space.region.root == name:
                return "indexer" if space.region.indexer else "core"
        definition = self.definitions.get(name)
        return self.pair_kernel(definition.inputs[0].name) if definition and definition.inputs else "core"

    def barrier_kernel(self, equation: Equation) -> str:
        """The pair kernel its input belongs to; a kernel of its own for a barrier over rows."""
        kinds = {self.graph.variant.axes[a].kind for ref in equation.inputs for a in ref.axes}
        return self.pair_kernel(equation.inputs[0].name) if kinds >= BOTH else f"barrier {equation.name}"

    def copies(self, tensor: Tensor) -> Poly:
        """How often a row of the tensor is stored."""
        return product(self.sizes.axis(self.graph.variant.axes[axis]) for axis in tensor.copies)

    def formed(self, operand: Operand) -> bool:
        """Rows along the context that this step computes. The keys of a chunk are none: the step's own
        tokens.
        """
        if AxisKind.CONTEXT not in operand.kinds or AxisKind.QUERY in operand.kinds:
            return False
        return any(a not in self.chunks for a in operand.axes if self.kind(a) is AxisKind.CONTEXT)

    def kind(self, axis: str) -> AxisKind:
        """Query, context or other."""
        return self.graph.variant.axes[axis].kind

    def operand(self, name: str, space: Space, labels: tuple[str, ...]) -> Operand:
        """A tensor under the labels of a region."""
        tensor = self.graph.tensor(name)
        elements = space.points(frozenset(labels))
        if tensor.batched:
            elements = elements * self.sizes.batch
        return Operand(
            key=name,
            tensors=(name,),
            axes=tuple(space.region.axis_of[label] for label in labels),
            elements=elements,
            width=tensor.width,
            kinds=space.kinds(frozenset(labels)),
            tensor=tensor,
            weight=tensor.role is Role.WEIGHT,
        )

    def whole(self, name: str) -> Operand:
        """A barrier's input or output, with the mask of the scores it is made of."""
        for space in self.spaces:
            if space.region.root == name:
                return self.operand(name, space, space.region.output)
            for leaf in space.region.leaves:
                if leaf.tensor == name:
                    return self.operand(name, space, leaf.labels)
        tensor = self.graph.tensor(name)
        axes = self.graph.variant.axes
        elements = product(self.sizes.axis(axes[axis]) for axis in tensor.axes)
        elements = elements * self.sizes.batch if tensor.batched else elements
        kinds = frozenset(axes[axis].kind for axis in tensor.axes)
        return Operand(name, (name,), tensor.axes, elements, tensor.width, kinds, tensor, False)


def kernel_name(step: Step) -> str:
    """How pages call the kernel of a step."""
    if step.kernel in PAIR_KERNELS:
        return f"the {step.kernel}"
    if step.kernel.startswith("rows of"):
        return "the pass that forms rows"
    return f"the step {step.where.partition(': ')[2]}"
