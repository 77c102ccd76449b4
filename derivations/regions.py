"""Builds the graph of a legal program: inlines definitions between barriers into regions."""

from __future__ import annotations

from dataclasses import replace

from .equations import BARRIERS, Equation, Ref
from .errors import InputError, unknown
from .graph import Graph, Leaf, MaskedPair, Named, Region
from .poly import Poly
from .program import AxisKind, Mask, MaskKind, Role, Variant
from .scanning import scanned

__all__ = ["MAX_OPERANDS", "build_graph", "regions_of"]

MAX_OPERANDS = 10
"""Operands of one region: 10 have 34,459,425 bracketings, and 28,501 ways to split a set of them in two."""


def build_graph(variant: Variant) -> Graph:
    """The graph of a legal program, its states along the axes they are updated along.

    Raises InputError when a region has too many operands, or a state is read where it has no place.
    """
    return _Builder(scanned(variant)).graph()


def regions_of(graph: Graph, name: str) -> tuple[Region, ...]:
    """The products that make a result, or the sub-product behind a named intermediate.

    Raises InputError, nearest name included, where nothing is made under that name.
    """
    own = tuple(region for region in graph.regions if region.root == name)
    if own:
        return own
    for region in graph.regions:
        for named in region.named:
            if named.name == name and named.members & (named.members - 1):
                return (_part(graph, region, named),)
    known = {region.root for region in graph.regions}
    known |= {n.name for r in graph.regions for n in r.named if n.members & (n.members - 1)}
    raise unknown(f"product of {graph.variant.name}", name, known)


def _part(graph: Graph, region: Region, whole: Named) -> Region:
    """A sub-product of a region as a region of its own."""
    inside = [index for index in range(len(region.leaves)) if whole.members >> index & 1]
    place = {old: new for new, old in enumerate(inside)}
    surviving = region.labels(whole.members)
    leaves = tuple(region.leaves[index] for index in inside)
    used = {label for leaf in leaves for label in leaf.labels}

    def moved(members: int) -> int:
        return sum(1 << place[index] for index in inside if members >> index & 1)

    return replace(
        region,
        root=whole.name,
        index=0,
        sign=1,
        leaves=leaves,
        output=tuple(label for label in region.axis_of if label in surviving),
        axis_of={label: axis for label, axis in region.axis_of.items() if label in used},
        named=tuple(
            Named(n.name, moved(n.members))
            for n in region.named
            if n.members & ~whole.members == 0 and n.members != whole.members
        ),
        masks=tuple(pair for pair in region.masks if {pair.query, pair.context} <= used),
    )


class _Builder:
    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.definitions = {ref.name: e for e in variant.equations for ref in e.left}
        self.consumers: dict[str, list[Equation]] = {}
        self.selecting: dict[str, bool] = {}
        self.depths: dict[str, int] = {}
        self.masked: dict[tuple[str, str], Mask] = {}
        for equation in variant.equations:
            for ref in equation.uses:
                self.consumers.setdefault(ref.name, []).append(equation)

    def graph(self) -> Graph:
        regions: list[Region] = []
        for equation in self.variant.equations:
            if equation.barrier is None and self.is_root(equation):
                regions += [self.region(equation, index) for index in range(len(equation.products))]
        return Graph(self.variant, tuple(regions))

    def is_root(self, equation: Equation) -> bool:
        """A result somebody needs as such: kept, given out, masked, taken by a barrier, or a sum."""
        if equation.writes or self.variant.tensors[equation.name].role is Role.OUTPUT:
            return True
        if equation.name in self.variant.masks:
            return True
        used_by = self.consumers.get(equation.name, [])
        return len(equation.products) > 1 or any(consumer.barrier for consumer in used_by)

    def is_leaf(self, name: str) -> bool:
        tensor = self.variant.tensors[name]
        if tensor.role is not Role.TEMPORARY and tensor.role is not Role.OUTPUT:
            return True
        definition = self.definitions[name]
        return definition.barrier is not None or len(definition.products) > 1 or name in self.variant.masks

    def region(self, equation: Equation, index: int) -> Region:
        factors = equation.products[index]
        output = self.output_labels(equation, index)
        axis_of = {label: label for label in output}
        leaves: list[Leaf] = []
        named: list[Named] = []

        def fresh(axis: str) -> str:
            label = axis
            while label in axis_of:
                label += "'"
            axis_of[label] = axis
            return label

        def inline(ref: Ref, labels: tuple[str, ...], within: Equation) -> int:
            name = ref.name
            if self.is_leaf(name):
                state = self.variant.tensors[name].role is Role.STATE
                leaves.append(Leaf(name, labels, ref.old or (state and name == within.name)))
                if len(leaves) > MAX_OPERANDS:
                    raise self.too_many(equation)
                return 1 << (len(leaves) - 1)
            definition = self.definitions[name]
            mask = expand(definition, dict(zip(definition.left[0].axes, labels, strict=True)))
            named.append(Named(name, mask))
            return mask

        def expand(definition: Equation, labels: dict[str, str]) -> int:
            mask = 0
            refs = definition.products[0].refs if definition is not equation else factors.refs
            for ref in refs:
                for axis in ref.axes:
                    if axis not in labels:
                        labels[axis] = fresh(axis)
                mask |= inline(ref, tuple(labels[axis] for axis in ref.axes), definition)
            return mask

        expand(equation, {axis: axis for axis in output})
        return Region(
            root=equation.name,
            index=index,
            sign=factors.sign,
            leaves=tuple(leaves),
            output=output,
            axis_of=axis_of,
            named=tuple(named),
            masks=self.masks(equation, output, leaves, axis_of),
            indexer=self.only_selects(equation.name),
            part=self.part(leaves),
        )

    def too_many(self, equation: Equation) -> InputError:
        return InputError(
            f"the product behind {equation.name} has more than {MAX_OPERANDS} operands, too many to "
            "search; put a barrier in, or name a sum, to cut it",
            equation.place,
        )

    def output_labels(self, equation: Equation, index: int) -> tuple[str, ...]:
        """The left side's axes; for a cache, the query axis of the new rows stands for the context's."""
        left = equation.left[0].axes
        if not equation.writes or self.variant.tensors[equation.name].role is not Role.CACHE:
            return left
        present = sorted({axis for ref in equation.products[index].refs for axis in ref.axes})
        queries = [a for a in present if self.variant.axes[a].kind is AxisKind.QUERY]
        return tuple(queries[0] if self.variant.axes[axis].kind is AxisKind.CONTEXT else axis for axis in left)

    def masks(
        self,
        equation: Equation,
        output: tuple[str, ...],
        leaves: list[Leaf],
        axis_of: dict[str, str],
    ) -> tuple[MaskedPair, ...]:
        found: dict[tuple[str, str], Mask] = {}
        for name, labels in [
            (equation.name, output),
            *((leaf.tensor, leaf.labels) for leaf in leaves),
        ]:
            by_kind = {self.variant.axes[axis_of[label]].kind: label for label in labels}
            query, context = by_kind.get(AxisKind.QUERY), by_kind.get(AxisKind.CONTEXT)
            tensor = self.variant.tensors[name]
            if query and context and tensor.role is not Role.TABLE:
                mask = self.mask_of(name, axis_of[context])
                known = found.get((query, context))
                # of two masks on one pair the sized one is the narrower
                if known is None or (known.size is None and mask.size is not None):
                    found[query, context] = mask
        return tuple(MaskedPair(q, t, mask) for (q, t), mask in found.items())

    def mask_of(self, name: str, context: str) -> Mask:
        """The mask of a score tensor, or of what a barrier or a sum made of masked ones."""
        if (name, context) not in self.masked:
            self.masked[name, context] = self.find_mask(name, context)
        return self.masked[name, context]

    def find_mask(self, name: str, context: str) -> Mask:
        if name in self.variant.masks:
            return self.variant.masks[name]
        definition = self.definitions.get(name)
        if definition is not None and definition.barrier is not None:
            position = [ref.name for ref in definition.left].index(name)
            paired = len(definition.left) == len(definition.inputs)
            taken = definition.inputs[position] if paired else definition.inputs[0]
            return self.mask_of(taken.name, context)
        if definition is not None:
            inherited = {
                replace(self.mask_of(ref.name, context), place=None)
                for ref in definition.uses
                if self.is_pair(ref.name)
            }
            if len(inherited) == 1:
                return inherited.pop()
        # Pairs over pooled entries (a context axis that is not L long) have no per-token triangle.
        whole = self.variant.axes[context].size == Poly.symbol("L")
        return Mask(MaskKind.DENSE if whole else MaskKind.FULL)

    def is_pair(self, name: str) -> bool:
        """Whether a tensor of the step runs over (query, context) pairs."""
        tensor = self.variant.tensors[name]
        kinds = {self.variant.axes[axis].kind for axis in tensor.axes}
        return {AxisKind.QUERY, AxisKind.CONTEXT} <= kinds and tensor.role is not Role.TABLE

    def only_selects(self, name: str) -> bool:
        """Whether everything that comes of `name` ends in a selection of rows."""
        if name not in self.selecting:
            used_by = self.consumers.get(name, [])
            self.selecting[name] = False  # a state that feeds itself selects nothing
            self.selecting[name] = bool(used_by) and all(
                (e.barrier is not None and BARRIERS[e.barrier].selects)
                or all(self.only_selects(ref.name) for ref in e.left)
                for e in used_by
            )
        return self.selecting[name]

    def depth(self, name: str) -> int:
        """How many barriers stand between the inputs and `name`."""
        if name not in self.depths:
            self.depths[name] = 0
            definition = self.definitions.get(name)
            if definition is not None:
                deepest = max((self.depth(ref.name) for ref in definition.uses), default=0)
                self.depths[name] = deepest + (definition.barrier is not None)
        return self.depths[name]

    def part(self, leaves: list[Leaf]) -> int:
        """0 where scores are made, more where a barrier over pairs stands before."""
        return max((self.depth(leaf.tensor) for leaf in leaves if self.is_pair(leaf.tensor)), default=0)
