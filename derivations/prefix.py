"""A prefix shared by all sequences of a batch, as a rewriting: the context index split into two.

The first segment's rows are the same for every sequence, so they carry no batch and are read once; each
query sees all of them. The second segment holds what is a sequence's own, the new tokens included. Sums over
the context become sums over both, a softmax runs over both. An order may form rows of one segment and not of
the other: expanded for the prefix, absorbed for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from .dims import DEPLOYED
from .equations import BARRIERS, Equation, Factors, Ref
from .errors import InputError, Place
from .expr import parse_comparison
from .poly import Poly
from .program import Axis, AxisKind, Mask, MaskKind, NamedOrder, Role, Tensor, Variant

__all__ = ["LENGTH", "segment", "with_prefix"]

LENGTH = "L_p"
"""The size symbol of the prefix."""
_SUFFIX = "pre"


def segment(variant: Variant) -> str | None:
    """The index of a shared prefix, if the program has one."""
    return next((a.name for a in variant.axes.values() if a.size == Poly.symbol(LENGTH)), None)


def with_prefix(variant: Variant) -> Variant:
    """The program with its context in two segments. Raises InputError where that is not derived."""
    context = [axis for axis in variant.axes.values() if axis.kind is AxisKind.CONTEXT]
    if len(context) != 1 or context[0].size != Poly.symbol("L"):
        raise InputError(f"--prefix: {variant.name} has no context of L tokens alone that could be split")
    return _Splitter(variant, context[0]).result()


class _Splitter:
    def __init__(self, variant: Variant, axis: Axis) -> None:
        self.variant, self.old, self.new = variant, axis.name, _fresh("p", {*variant.axes})
        self.axis = Axis(
            self.new, Poly.symbol(LENGTH), AxisKind.CONTEXT, "tokens of the prefix, shared by the batch"
        )
        own = replace(
            axis, size=axis.size - Poly.symbol(LENGTH), meaning="tokens after the prefix, the new ones included"
        )
        self.axes = {**variant.axes, self.old: own, self.new: self.axis}
        self.tensors, self.masks = dict(variant.tensors), dict(variant.masks)
        self.clones: dict[str, str] = {}

    def result(self) -> Variant:
        variant = self.variant
        equations = [made for equation in variant.equations for made in self.equation(equation)]
        for name, mask in variant.masks.items():
            if mask.kind not in (MaskKind.DENSE, MaskKind.FULL, MaskKind.CAUSAL):
                raise InputError(
                    f"--prefix: {name} sees only some tokens of the context; that is not derived with one"
                )
        for name in (
            name for name, tensor in variant.tensors.items() if name in self.clones and self.pairs(tensor)
        ):
            self.masks.setdefault(name, Mask(MaskKind.DENSE))
            self.masks[self.clones[name]] = Mask(MaskKind.FULL)
        given = parse_comparison(f"{LENGTH} + S <= L", Place("--prefix"))
        return replace(
            variant, axes=self.axes, tensors=self.tensors, equations=tuple(equations), masks=self.masks,
            assume=(*variant.assume, given), orders=tuple(self.orders()),
            symbols={**variant.symbols, LENGTH: DEPLOYED[LENGTH]},
        )  # fmt: skip

    def pairs(self, tensor: Tensor) -> bool:
        kinds = {self.variant.axes[axis].kind for axis in tensor.axes}
        made = next((e for e in self.variant.equations if e.name == tensor.name), None)
        return kinds >= {AxisKind.QUERY, AxisKind.CONTEXT} and made is not None and made.barrier is None

    def clone(self, name: str) -> str:
        """The same tensor over the prefix."""
        if name not in self.clones:
            source = self.variant.tensors[name]
            made = self.clones[name] = _fresh(f"{name}_{_SUFFIX}", {*self.tensors})
            kept = source.role in (Role.CACHE, Role.INPUT)
            self.tensors[made] = replace(
                source, name=made, axes=self.moved(source.axes), role=Role.INPUT if kept else source.role,
                latex=f"{{{source.latex}}}^{{\\mathrm{{{_SUFFIX}}}}}", shared=kept,
            )  # fmt: skip
        return self.clones[name]

    def moved(self, axes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.new if axis == self.old else axis for axis in axes)

    def ref(self, ref: Ref) -> Ref:
        return Ref(self.clone(ref.name), self.moved(ref.axes)) if self.old in ref.axes else ref

    def refs(self, refs: tuple[Ref, ...]) -> tuple[Ref, ...]:
        return tuple(map(self.ref, refs))

    def has(self, refs: tuple[Ref, ...]) -> bool:
        return any(self.old in ref.axes for ref in refs)

    def equation(self, equation: Equation) -> Iterator[Equation]:
        """An equation as it stands, and what it becomes over the prefix."""
        left, inputs = equation.left, equation.inputs
        if equation.barrier is not None and self.has(inputs) and self.old in equation.over:
            if BARRIERS[equation.barrier].selects or not self.has(left):
                raise InputError(f"--prefix: {equation.barrier} over the context is not derived with one")
            yield replace(
                equation, left=(*left, *self.refs(left)), inputs=(*inputs, *self.refs(inputs)),
                over=(*equation.over, self.new),
            )  # fmt: skip
            return
        if not self.has(left):
            again = [Factors(p.sign, self.refs(p.refs)) for p in equation.products if self.has(p.refs)]
            yield replace(equation, products=(*equation.products, *again))
            return
        yield equation
        if equation.writes:
            if self.variant.tensors[equation.name].role is not Role.CACHE:
                raise InputError(
                    f"--prefix: {equation.name} is a state, which holds no rows that could be shared"
                )
            return
        clone = replace(
            equation, left=self.refs(left), inputs=self.refs(inputs),
            products=tuple(Factors(p.sign, self.refs(p.refs)) for p in equation.products),
        )  # fmt: skip
        yield clone
        fixed = (Role.WEIGHT, Role.TABLE)
        if all(self.tensors[r.name].role in fixed or self.tensors[r.name].shared for r in clone.uses):
            for ref in clone.left:  # rows of the prefix alone belong to no sequence
                self.tensors[ref.name] = replace(self.tensors[ref.name], shared=True)

    def orders(self) -> Iterator[NamedOrder]:
        """Each named order for both segments, then one for the prefix and another for the rest."""
        orders = self.variant.orders

        def over(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(self.clones[name] for name in names if name in self.clones)

        for pre, own in product(orders, repeat=2):
            name = own.name if pre == own else f"prefix-{pre.name}-{own.name}"
            title = own.title if pre == own else f"{pre.name} for the prefix, {own.name} for the rest"
            forms, avoids = (*own.forms, *over(pre.forms)), (*own.avoids, *over(pre.avoids))
            yield NamedOrder(name, forms, avoids, title, own.place)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "x"
    return name
