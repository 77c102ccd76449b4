"""Byte terms: which tensors cross the edge of which kernel under a traffic convention.

A kernel reads what another one (or memory) holds and writes what others read; what it makes and
uses itself stays on chip. A latent that serves scores and values is one tensor read by one kernel,
so it is read once; no rule says so.
"""

from __future__ import annotations

from .conventions import Conventions
from .equations import BARRIERS, Equation
from .graph import Graph
from .poly import Poly
from .program import AxisKind, Role, Stage, Tensor
from .steps import Operand, Step
from .terms import CostTerm, Kind
from .trees import Sizes, Space

__all__ = ["Traffic"]

_BOTH = frozenset({AxisKind.QUERY, AxisKind.CONTEXT})


class Traffic:
    """Byte terms: who reads what from whom."""

    def __init__(self, graph: Graph, steps: tuple[Step, ...], sizes: Sizes, conventions: Conventions) -> None:
        self.graph, self.steps, self.sizes, self.conventions = graph, steps, sizes, conventions
        self.passes = conventions.traffic != "fused"
        self.found: list[CostTerm] = []
        self.kernels: dict[str, set[str]] = {}
        self.readers: dict[str, set[str]] = {}
        self.tensors: dict[str, Operand] = {}
        self.spaces = {region.root: Space(graph, region, sizes) for region in graph.regions}
        self.barriers = [e for e in graph.variant.equations if e.barrier is not None]
        self._wire()

    def _wire(self) -> None:
        """Which kernels make and read each value, under its key and under its name."""
        for step in self.steps:
            names = {
                step.result.key,
                *(step.result.tensors if len(step.result.tensors) == 1 else ()),
            }
            for name in names:
                self.kernels.setdefault(name, set()).add(step.kernel)
            for operand in (step.left, step.right):
                self.readers.setdefault(operand.key, set()).add(step.kernel)
        for equation in self.barriers:
            kernel = self.barrier_kernel(equation)
            for ref in equation.left:
                self.kernels.setdefault(ref.name, set()).add(kernel)
            for ref in equation.inputs:
                self.readers.setdefault(ref.name, set()).add(kernel)

    def barrier_kernel(self, equation: Equation) -> str:
        """The pair kernel its input belongs to; a kernel of its own for a barrier over rows."""
        kinds = {self.graph.variant.axes[a].kind for ref in equation.inputs for a in ref.axes}
        if not kinds >= _BOTH:
            return f"barrier {equation.name}"
        return self.pair_kernel(equation.inputs[0].name)

    def pair_kernel(self, name: str) -> str:
        """The kernel that makes a tensor over (query, context) pairs."""
        if name in self.spaces:
            return "indexer" if self.spaces[name].region.indexer else "core"
        maker = next((e for e in self.barriers if name in {ref.name for ref in e.left}), None)
        return self.pair_kernel(maker.inputs[0].name) if maker else "core"

    def terms(self) -> list[CostTerm]:
        self.step_reads()
        self.step_writes()
        self.barrier_terms()
        self.appends()
        return self.found

    def add(
        self, stage: str, cls: str, where: str, operand: Operand, rule: str, times: int = 1,
        copies: Poly | None = None,
    ) -> None:  # fmt: skip
        amount = operand.bytes * times
        if copies is not None:
            amount = amount * copies
        grows = AxisKind.CONTEXT in operand.kinds
        self.found.append(
            CostTerm(Kind.BYTES, stage, cls, where, amount, rule, grows, operand=operand, times=times)
        )

    def copies(self, tensor: Tensor | None) -> Poly | None:
        if tensor is None or not tensor.copies:
            return None
        result = Poly.const(1)
        for axis in tensor.copies:
            result = result * self.sizes.put(self.graph.variant.axes[axis].size)
        return result

    def step_reads(self) -> None:
        seen: set[tuple[str, str, int]] = set()
        for step in self.steps:
            if step.stage is Stage.OFFLINE:
                continue
            for operand in (step.left, step.right):
                part = step.part if self.passes and step.kernel in ("core", "indexer") else 0
                mark = (step.kernel, operand.key, part)
                if mark in seen:
                    continue
                seen.add(mark)
                self.read(step, operand)
            self.read_selection(step, seen)

    def read(self, step: Step, operand: Operand) -> None:
        name = " ".join(operand.tensors)
        where = f"{name} by {_kernel_name(step)}"
        tensor = operand.tensor
        if operand.weight:
            self.add(step.stage, "weight", where, operand, "read: weight")
        elif tensor is not None and tensor.role is Role.TABLE:
            return
        elif tensor is not None and tensor.role in (Role.CACHE, Role.STATE):
            self.add(step.stage, "cache", where, operand, "read: cached rows", copies=self.copies(tensor))
        elif self.kernels.get(operand.key, {"memory"}) <= {step.kernel}:
            return
        elif _formed(operand):
            self.add(step.stage, "formed", where, operand, "read: formed rows")
        else:
            self.add(step.stage, "activation", where, operand, "read: activation")

    def read_selection(self, step: Step, seen: set[tuple[str, str, int]]) -> None:
        """A kernel under a selection reads which rows it selects."""
        for pair in step.region.masks:
            selector = pair.mask.selector
            if selector is None or step.kernel != "core" or (step.kernel, selector, 0) in seen:
                continue
            seen.add((step.kernel, selector, 0))
            operand = self.selection(step, selector)
            self.add(step.stage, "activation", f"{selector} by the core", operand, "read: selected rows")
            self.add(
                Stage.INDEXER,
                "activation",
                f"{selector} by the indexer",
                operand,
                "write: selected rows",
            )

    def selection(self, step: Step, selector: str) -> Operand:
        space = self.spaces[step.region.root]
        pair = next(p for p in step.region.masks if p.mask.selector == selector)
        tensor = self.graph.tensor(selector)
        elements = space.points(frozenset({pair.query, pair.context})) * self.sizes.batch
        return Operand(selector, (selector,), tensor.axes, elements, tensor.width, _BOTH, tensor, False)

    def step_writes(self) -> None:
        written: set[str] = set()
        for step in self.steps:
            result = step.result
            if step.stage is Stage.OFFLINE or result.kinds >= _BOTH:
                continue
            name = result.tensors[0] if len(result.tensors) == 1 else None
            role = self.graph.tensor(name).role if name else None
            readers = set(self.readers.get(result.key, ()))
            if name and role not in (Role.CACHE, Role.STATE):
                readers |= self.readers.get(name, set())
            mark = name or result.key
            if mark in written or not (readers - {step.kernel} or role is Role.OUTPUT):
                continue
            written.add(mark)
            where = f"{' '.join(result.tensors)} by {_kernel_name(step)}"
            if not _formed(result):
                self.add(step.stage, "activation", where, result, "write: activation")
            elif self.conventions.formed == "write+read":
                self.add(step.stage, "formed", where, result, "write: formed rows")

    def barrier_terms(self) -> None:
        for equation in self.barriers:
            kernel = self.barrier_kernel(equation)
            stage = Stage.INDEXER if kernel == "indexer" else Stage.CORE
            if kernel in ("core", "indexer"):
                if self.conventions.traffic == "unfused":
                    self.scores(equation, stage)
                continue
            for ref in equation.inputs:
                operand = self.whole(ref.name)
                self.add(Stage.PROJECTION, "activation", f"{ref.name} by {equation.barrier}", operand,
                         "read: activation")  # fmt: skip
            for ref in equation.left:
                operand = self.whole(ref.name)
                self.add(Stage.PROJECTION, "activation", f"{ref.name} by {equation.barrier}", operand,
                         "write: activation")  # fmt: skip

    def scores(self, equation: Equation, stage: Stage) -> None:
        kind = BARRIERS[equation.barrier or ""]
        for ref in (*equation.inputs, *(() if kind.selects else equation.left)):
            operand = self.whole(ref.name)
            self.add(stage, "score", f"{ref.name}, unfused", operand, "write: scores")
            self.add(stage, "score", f"{ref.name}, unfused", operand, "read: scores")

    def whole(self, name: str) -> Operand:
        """A barrier's input or output as an operand, with the mask of the scores it is made of."""
        tensor = self.graph.tensor(name)
        axes = self.graph.variant.axes
        kinds = frozenset(axes[axis].kind for axis in tensor.axes)
        elements = self.barrier_elements(name, tensor)
        return Operand(
            name,
            (name,),
            tensor.axes,
            elements * self.sizes.batch,
            tensor.width,
            kinds,
            tensor,
            False,
        )

    def barrier_elements(self, name: str, tensor: Tensor) -> Poly:
        for space in self.spaces.values():
            if space.region.root == name:
                return space.points(frozenset(space.region.output))
            for leaf in space.region.leaves:
                if leaf.tensor == name:
                    return space.points(frozenset(leaf.labels))
        result = Poly.const(1)
        for axis in tensor.axes:
            result = result * self.sizes.put(self.graph.variant.axes[axis].size)
        return result

    def appends(self) -> None:
        """The new rows of each cache, and the new value of each state, written once."""
        for equation in self.graph.variant.equations:
            if not equation.writes:
                continue
            tensor = self.graph.tensor(equation.name)
            space = self.spaces[equation.name]
            elements = space.points(frozenset(space.region.output)) * self.sizes.batch
            axes = tuple(space.region.axis_of[label] for label in space.region.output)
            kinds = space.kinds(frozenset(space.region.output))
            operand = Operand(
                equation.name, (equation.name,), axes, elements, tensor.width, kinds, tensor, False
            )
            stage = Stage.INDEXER if space.region.indexer else Stage.PROJECTION
            rule = "write: new state" if tensor.role is Role.STATE else "write: new rows"
            self.add(
                stage,
                "append",
                f"{equation.name}, new rows",
                operand,
                rule,
                copies=self.copies(tensor),
            )


def _formed(operand: Operand) -> bool:
    """Rows along the context that this step computes."""
    return AxisKind.CONTEXT in operand.kinds and AxisKind.QUERY not in operand.kinds


def _kernel_name(step: Step) -> str:
    if step.kernel in ("core", "indexer"):
        return f"the {step.kernel}"
    if step.kernel.startswith("rows of"):
        return "the pass that forms rows"
    return f"the step {step.where.partition(': ')[2]}"
