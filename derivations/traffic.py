"""Byte terms: which tensors cross the edge of which kernel under a traffic convention.

A kernel reads what another one (or memory) holds and writes what others read; what it makes and
uses itself stays on chip. A latent that serves scores and values is one tensor read by one kernel,
so it is read once; no rule says so. A sum whose parts several kernels make is accumulated: each
after the first reads what is there and writes it back.
"""

from __future__ import annotations

from dataclasses import replace

from .atoms import CONTEXT_HOLDS_QUERIES, bounds, rows_per_token
from .conventions import Conventions
from .domain import always_at_least
from .equations import BARRIERS, Equation
from .graph import Graph
from .poly import Poly, product
from .program import AxisKind, Role, Stage
from .steps import Operand, Step
from .terms import CostTerm, Kind
from .trees import Phase, Sizes
from .wiring import BOTH, PAIR_KERNELS, Wiring, kernel_name

__all__ = ["Traffic"]

_KEPT = (Role.CACHE, Role.STATE)


class Traffic(Wiring):
    """Who reads what from whom; `terms` lists it."""

    def __init__(self, graph: Graph, steps: tuple[Step, ...], sizes: Sizes, conventions: Conventions) -> None:
        super().__init__(graph, steps, sizes)
        self.conventions = conventions
        self.reads: dict[tuple[str, str, int], list[CostTerm]] = {}
        self.found: list[CostTerm] = []

    def terms(self) -> list[CostTerm]:
        """The byte terms: reads of steps, writes of steps, barriers, then what caches gain."""
        for step in self.online:
            part = self.part(step.kernel, step.part)
            for operand in (step.left, step.right):
                operand = self.now_and_then(step, operand)
                self.read(step.kernel, step.stage, operand, part, kernel_name(step))
            self.read_selection(step)
        self.read_plain_summands()
        self.found = [term for terms in self.reads.values() for term in terms]
        self.write_results()
        self.barriers()
        self.appends()
        return self.found

    def now_and_then(self, step: Step, operand: Operand) -> Operand:
        """In decode the weights that make an entry of several tokens are read once for all of them."""
        if not operand.weight or self.sizes.phase is not Phase.DECODE:
            return operand
        axes = [step.region.axis_of[label] for label in step.contraction.labels]
        often = product(self.sizes.axis(a) for a in map(self.graph.variant.axes.get, axes) if a and a.average)
        return replace(operand, elements=operand.elements * often)

    def part(self, kernel: str, part: int) -> int:
        """In two passes the scores and the weighted sum read apart."""
        return part if self.conventions.traffic != "fused" and kernel in PAIR_KERNELS else 0

    def term(self, kernel: str, stage: Stage, cls: str, where: str, operand: Operand, rule: str) -> CostTerm:
        """A byte term; a row that is stored several times is moved several times."""
        amount = operand.bytes
        if operand.tensor is not None:
            amount = amount * self.copies(operand.tensor) * self.share(operand)
        grows = AxisKind.CONTEXT in operand.kinds
        return CostTerm(Kind.BYTES, stage, cls, where, amount, rule, grows, kernel, operand=operand)

    def share(self, operand: Operand) -> Poly:
        """Which part of an operand's elements moves: a state once for all its updates, unless `traffic` says
        that it passes through memory at each; of a view over neighbouring tokens each row once."""
        assert operand.tensor is not None
        axes, share = self.graph.variant.axes, Poly.const(1)
        scan = operand.tensor.scan
        if scan in operand.tensor.axes and self.conventions.traffic == "fused":
            share = self.sizes.axis(axes[scan]).inverse()
        equation = self.definitions.get(operand.tensor.name)
        if equation is not None and equation.barrier and BARRIERS[equation.barrier].view:
            back = self.sizes.axis(axes[equation.over[0]])
            tokens = next((a for a in equation.inputs[0].axes if self.kind(a) is not AxisKind.OTHER), "")
            if tokens in equation.left[0].axes:
                count = self.sizes.axis(axes[tokens])
                share = (count + back - 1) * (count * back).inverse()
        return share

    def read(self, kernel: str, stage: Stage, operand: Operand, part: int, reader: str) -> None:
        """A read, unless the kernel has it: made there, or read already as far as this needs."""
        sort = self.sort(kernel, operand)
        if sort is None:
            return
        cls, rule = sort
        where = f"{' '.join(operand.tensors)} by {reader}"
        if kernel == "core" and cls == "activation":  # it crosses the core's edge, whatever step in it reads it
            stage = Stage.CORE
        term = self.term(kernel, stage, cls, where, operand, f"read: {rule}")
        known = self.reads.setdefault((kernel, operand.key, part), [])
        facts = (CONTEXT_HOLDS_QUERIES, *bounds(term.amount, *(o.amount for o in known)))
        if any(always_at_least(other.amount, term.amount, facts) for other in known):
            return
        known[:] = [o for o in known if not always_at_least(term.amount, o.amount, facts)]
        known.append(term)

    def sort(self, kernel: str, operand: Operand) -> tuple[str, str] | None:
        """(class, rule) of a read by `kernel`; None when nothing crosses its edge."""
        tensor = operand.tensor
        if operand.weight:
            return "weight", "weight"
        if tensor is not None and tensor.role is Role.TABLE:
            return None
        if tensor is not None and tensor.role is Role.CACHE:
            return "cache", "cached rows"
        if tensor is not None and tensor.role is Role.STATE:
            return "state", "state"
        if tensor is not None and tensor.role is Role.INPUT:
            given = {self.graph.variant.axes[axis].kind for axis in tensor.axes}
            return ("cache", "given rows") if AxisKind.CONTEXT in given else ("activation", "activation")
        if self.makers.get(operand.key, []) == [kernel]:
            return None
        return ("formed", "formed rows") if self.formed(operand) else ("activation", "activation")

    def read_selection(self, step: Step) -> None:
        """A kernel under a selection reads which rows it selects; the indexer wrote them."""
        for pair in step.region.masks:
            selector = pair.mask.selector
            if selector is None or step.kernel != "core" or ("core", selector, 0) in self.reads:
                continue
            space = next(s for s in self.spaces if s.region is step.region)
            tensor = self.graph.tensor(selector)
            elements = space.points(frozenset({pair.query, pair.context})) * self.sizes.batch
            axes = self.graph.variant.axes  # a selection for each group of heads is one for each
            elements = elements * product(
                self.sizes.axis(axes[a]) for a in tensor.axes if axes[a].kind is AxisKind.OTHER
            )
            for name in tensor.axes:  # entries of several tokens are numbered once, not for each row
                if axes[name].kind is AxisKind.CONTEXT:
                    rows = axes[step.region.axis_of[pair.context]].size
                    elements = elements * rows_per_token(axes[name].size) * rows_per_token(rows).inverse()
            operand = Operand(selector, (selector,), tensor.axes, elements, tensor.width, BOTH, tensor, False)
            self.reads["core", selector, 0] = [
                self.term(
                    "core", Stage.CORE, "activation", f"{selector} by the core", operand, "read: selected rows"
                ),
                self.term(
                    "indexer",
                    Stage.INDEXER,
                    "activation",
                    f"{selector} by the indexer",
                    operand,
                    "write: selected rows",
                ),
            ]

    def read_plain_summands(self) -> None:
        """A summand that is one tensor has no step: the kernel that makes the sum reads it."""
        for space in self.spaces:
            region = space.region
            equation = self.definitions[region.root]
            if len(region.leaves) > 1 or len(equation.products) == 1:
                continue
            kernel, stage = self.sum_kernel(region.root)
            leaf = region.leaves[0]
            self.read(kernel, stage, self.operand(leaf.tensor, space, leaf.labels), 0, f"the sum {region.root}")

    def sum_kernel(self, root: str) -> tuple[str, Stage]:
        """The kernel that adds up a sum, and its stage: the first that makes a part, else its own."""
        for step in self.online:
            if step.region.root == root and step.contraction.members == step.region.full:
                return step.kernel, step.stage
        kernel = self.makers.setdefault(root, [f"sum {root}"])[0]
        stages = {"core": Stage.CORE, "indexer": Stage.INDEXER}
        return kernel, stages.get(kernel, Stage.PROJECTION)

    def write_results(self) -> None:
        """What a kernel makes and others read, or the caller gets."""
        written: dict[str, list[str]] = {}
        for step in self.online:
            result = step.result
            name = result.tensors[0] if len(result.tensors) == 1 else None
            role = self.graph.tensor(name).role if name else None
            if result.kinds >= BOTH or (role in _KEPT and name == step.region.root):
                self.write_shared(step, written)
                continue
            readers = self.readers.get(result.key, set()) | self.readers.get(name or "", set())
            kernels = written.setdefault(name or result.key, [])
            if step.kernel in kernels or not (readers - {step.kernel} or role is Role.OUTPUT):
                continue
            self.write(step, result, again=bool(kernels))
            kernels.append(step.kernel)
        for root, makers in self.makers.items():
            if makers == [f"sum {root}"]:
                space = next(s for s in self.spaces if s.region.root == root)
                operand = self.operand(root, space, space.region.output)
                self.found.append(
                    self.term(
                        makers[0],
                        Stage.PROJECTION,
                        "activation",
                        f"{root} by its sum",
                        operand,
                        "write: activation",
                    )
                )

    def write_shared(self, step: Step, written: dict[str, list[str]]) -> None:
        """New rows that another kernel reads as a step's result, not from the cache."""
        result = step.result
        if result.kinds >= BOTH or result.key in written:
            return
        if self.readers.get(result.key, set()) - {step.kernel}:
            written[result.key] = [step.kernel]
            self.write(step, result, again=False)

    def write(self, step: Step, result: Operand, again: bool) -> None:
        """One result; a part of a sum after the first is added to what is there."""
        where = f"{' '.join(result.tensors)} by {kernel_name(step)}"
        if self.formed(result):
            if self.conventions.formed == "write+read":
                self.found.append(
                    self.term(step.kernel, step.stage, "formed", where, result, "write: formed rows")
                )
            return
        if again:
            self.found.append(
                self.term(step.kernel, step.stage, "activation", where, result, "read: part of a sum")
            )
        self.found.append(self.term(step.kernel, step.stage, "activation", where, result, "write: activation"))

    def barriers(self) -> None:
        """Scores and probabilities where they are not fused; rows through a barrier of its own."""
        for equation in self.graph.variant.equations:
            if equation.barrier is None or BARRIERS[equation.barrier].view:
                continue
            kernel = self.barrier_kernel(equation)
            if kernel in PAIR_KERNELS:
                if self.conventions.traffic == "unfused":
                    self.scores(equation, Stage.INDEXER if kernel == "indexer" else Stage.CORE)
                continue
            for refs, verb in ((equation.inputs, "read"), (equation.left, "write")):
                for ref in refs:
                    operand = self.whole(ref.name)
                    cls = "formed" if self.formed(operand) else "activation"
                    cls = "weight" if self.graph.tensor(ref.name).role is Role.WEIGHT else cls
                    if verb == "write" and cls == "formed" and self.conventions.formed != "write+read":
                        continue
                    where = f"{ref.name} by {equation.barrier}"
                    rule = f"{verb}: {'formed rows' if cls == 'formed' else cls}"
                    self.found.append(self.term(kernel, Stage.PROJECTION, cls, where, operand, rule))

    def scores(self, equation: Equation, stage: Stage) -> None:
        """Written and read: what a barrier over pairs takes and gives."""
        kind = BARRIERS[equation.barrier or ""]
        for ref in (*equation.inputs, *(() if kind.selects else equation.left)):
            operand = self.whole(ref.name)
            for verb in ("write", "read"):
                where = f"{ref.name}, unfused"
                self.found.append(self.term(str(stage), stage, "score", where, operand, f"{verb}: scores"))

    def appends(self) -> None:
        """The new rows of each cache, and the new value of each state, written once."""
        for equation in self.graph.variant.equations:
            if not equation.writes:
                continue
            space = next(s for s in self.spaces if s.region.root == equation.name)
            operand = self.operand(equation.name, space, space.region.output)
            kernel = self.makers.get(equation.name, [equation.name])[0]
            if self.graph.tensor(equation.name).role is Role.STATE:
                where, rule = f"{equation.name} by the core", "write: new state"
                self.found.append(self.term(kernel, Stage.CORE, "state", where, operand, rule))
                continue
            stage = Stage.INDEXER if space.region.indexer else Stage.PROJECTION
            where, rule = f"{equation.name}, new rows", "write: new rows"
            self.found.append(self.term(kernel, stage, "append", where, operand, rule))
