"""Rewritings of a whole program that keep its values: no caches, or other tensors kept as caches.

A convention that moves work between this step and earlier ones is a different program, not a
special rule of the ledger; what it costs then follows like everything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .atoms import free_symbols
from .equations import BARRIERS, Equation, Factors, Ref
from .errors import InputError, Place, unknown
from .expr import parse_comparison
from .poly import Poly
from .program import AxisKind, Role, Tensor, Variant

__all__ = ["assuming", "context_only", "keep_formed", "without_caches"]


def assuming(variant: Variant, texts: Iterable[str]) -> Variant:
    """The variant with more taken as given about its sizes: comparisons such as `d_k <= d_c`.

    Raises InputError for a text that is no comparison, and for a symbol the variant does not have.
    """
    added = []
    for text in texts:
        comparison = parse_comparison(text, Place("--assume"))
        for name in sorted(free_symbols(comparison.slack)):
            if name not in variant.symbols:
                raise unknown(f"symbol of {variant.name}", name, variant.symbols, Place("--assume"))
        added.append(comparison)
    return replace(variant, assume=(*variant.assume, *added)) if added else variant


def _axes_of(variant: Variant, axes: Iterable[str], kind: AxisKind) -> list[str]:
    return [axis for axis in axes if variant.axes[axis].kind is kind]


def context_only(variant: Variant, name: str) -> bool:
    """True for a tensor with a context axis and no query axis: one value a cached row."""
    axes = variant.tensors[name].axes
    context = _axes_of(variant, axes, AxisKind.CONTEXT)
    return bool(context) and not _axes_of(variant, axes, AxisKind.QUERY)


def given_rows(variant: Variant, name: str) -> bool:
    """True for rows along the context that come from outside."""
    return variant.tensors[name].role is Role.INPUT and context_only(variant, name)


class _Rewriter:
    """Clones definitions under another axis: `C[t,c]` as `C_new[s,c]`, say."""

    def __init__(self, variant: Variant, suffix: str) -> None:
        self.variant = variant
        self.suffix = suffix
        self.tensors = dict(variant.tensors)
        self.definitions = {r.name: e for e in variant.equations for r in e.left}
        self.made: dict[str, Equation] = {}
        self.renamed: dict[tuple[str, str, str], str] = {}
        self.growing: dict[str, bool] = {}

    def has_new_rows(self, name: str) -> bool:
        """Whether rows of `name` come from a cache, which gains rows in this step."""
        if name not in self.growing:
            definition = self.definitions.get(name)
            role = self.variant.tensors[name].role
            self.growing[name] = role in (Role.CACHE, Role.STATE) or (
                definition is not None
                and not definition.writes
                and any(self.has_new_rows(r.name) for r in definition.uses)
            )
        return self.growing[name]

    def ref(self, ref: Ref, old: str, new: str) -> Ref:
        """`ref` with axis `old` replaced by `new`, cloning what it refers to where that is needed."""
        if old not in ref.axes or old == new:
            return ref
        axes = tuple(new if axis == old else axis for axis in ref.axes)
        tensor = self.variant.tensors[ref.name]
        if tensor.role in (Role.INPUT, Role.WEIGHT, Role.TABLE):
            return replace(ref, axes=axes)
        return Ref(self.clone(ref.name, old, new), axes)

    def clone(self, name: str, old: str, new: str) -> str:
        """The name of a tensor like `name` whose axis `old` is `new`."""
        tensor = self.variant.tensors[name]
        definition = self.definitions[name]
        position = [r.name for r in definition.left].index(name)
        own = definition.left[position].axes[tensor.axes.index(old)] if old in tensor.axes else old
        key = (name, own, new)
        if key in self.renamed:
            return self.renamed[key]
        if tensor.role is Role.STATE:
            raise InputError(f"{name} is a state; it has no rows that could be kept or dropped")
        query = next(iter(_axes_of(self.variant, _right_axes(definition), AxisKind.QUERY)), own)
        inner_old, inner_new = query if definition.writes else own, new
        view = definition.barrier is not None and BARRIERS[definition.barrier].view
        if view and own not in definition.inputs[0].axes:  # entries of tokens: all entries show all tokens
            inner_old, inner_new = query, self.tokens(definition)
        names = {r.name: self.fresh(r.name) for r in definition.left}
        for r in definition.left:
            self.renamed[(r.name, own, new)] = names[r.name]
        moved = self.equation(definition, inner_old, inner_new)
        left = tuple(Ref(names[r.name], tuple(new if a == own else a for a in r.axes)) for r in definition.left)
        for r, out in zip(definition.left, left, strict=True):
            source = self.variant.tensors[r.name]
            self.tensors[out.name] = Tensor(
                out.name,
                out.axes,
                Role.TEMPORARY,
                f"{{{source.latex}}}^{{\\mathrm{{{self.suffix}}}}}",
                source.meaning,
                source.width,
            )
        self.made[names[name]] = replace(moved, left=left, writes=False)
        return names[name]

    def tokens(self, definition: Equation) -> str:
        """The context axis that has one row for each token."""
        found = next((a.name for a in self.variant.axes.values() if a.size == Poly.symbol("L")), None)
        if found is None:
            raise InputError(
                f"{self.variant.name} has no axis of L tokens, under which {definition.name} could be "
                "made for all"
            )
        return found

    def fresh(self, name: str) -> str:
        made = f"{name}_{self.suffix}"
        while made in self.tensors:
            made += "x"
        return made

    def equation(self, equation: Equation, old: str, new: str) -> Equation:
        """The right side of `equation` under the other axis."""
        products = tuple(
            Factors(p.sign, tuple(self.ref(r, old, new) for r in p.refs)) for p in equation.products
        )
        inputs = tuple(self.ref(r, old, new) for r in equation.inputs)
        over = tuple(new if axis == old else axis for axis in equation.over)
        return replace(equation, products=products, inputs=inputs, over=over)


def _right_axes(equation: Equation) -> list[str]:
    return sorted({axis for ref in equation.uses for axis in ref.axes})


def without_caches(variant: Variant) -> Variant:
    """Caches as plain intermediates: every row is computed in this step, from inputs of all L tokens.

    Named intermediates are inlined under the context axis by `graph`; only what a barrier made
    needs a second definition.
    """
    rewriter = _Barriers(variant, "ctx")
    equations: list[Equation] = []
    for equation in variant.equations:
        tensor = variant.tensors[equation.name]
        if not equation.writes or tensor.role is not Role.CACHE:
            equations.append(equation)
            continue
        context = _axes_of(variant, equation.left[0].axes, AxisKind.CONTEXT)[0]
        query = _axes_of(variant, _right_axes(equation), AxisKind.QUERY)[0]
        rewritten = rewriter.equation(equation, query, context)
        equations += [*rewriter.take(), replace(rewritten, writes=False)]
        rewriter.tensors[equation.name] = replace(tensor, role=Role.TEMPORARY)
    return _pruned(replace(variant, equations=tuple(equations), tensors=rewriter.tensors))


def _pruned(variant: Variant) -> Variant:
    """Without definitions that nobody needs: rows of this step that were only made to be cached."""
    equations = list(variant.equations)
    while True:
        used = {ref.name for equation in equations for ref in equation.uses}
        used |= {mask.selector for mask in variant.masks.values() if mask.selector}
        kept = [
            e for e in equations
            if e.writes or any(r.name in used or variant.tensors[r.name].role is Role.OUTPUT for r in e.left)
        ]  # fmt: skip
        if len(kept) == len(equations):
            break
        equations = kept
    named = {ref.name for equation in equations for ref in (*equation.left, *equation.uses)}
    return replace(
        variant,
        equations=tuple(equations),
        tensors={name: tensor for name, tensor in variant.tensors.items() if name in named},
        masks={name: mask for name, mask in variant.masks.items() if name in named},
    )


class _Barriers(_Rewriter):
    """Clones only what a barrier or a sum defines; the rest is inlined under any axis."""

    def __init__(self, variant: Variant, suffix: str) -> None:
        super().__init__(variant, suffix)
        self.dependent: dict[str, bool] = {}

    def ref(self, ref: Ref, old: str, new: str) -> Ref:
        moved = replace(ref, axes=tuple(new if axis == old else axis for axis in ref.axes))
        if old not in ref.axes or not self.depends_on_barrier(ref.name):
            return moved
        return super().ref(ref, old, new)

    def equation(self, equation: Equation, old: str, new: str) -> Equation:
        """What a barrier takes is made as such, so it is cloned whatever it depends on."""
        moved = super().equation(equation, old, new)
        if equation.barrier is None:
            return moved
        return replace(moved, inputs=tuple(_Rewriter.ref(self, ref, old, new) for ref in equation.inputs))

    def depends_on_barrier(self, name: str) -> bool:
        if name not in self.dependent:
            definition = self.definitions.get(name)
            self.dependent[name] = (
                definition is not None
                and not definition.writes
                and (
                    definition.barrier is not None
                    or len(definition.products) > 1
                    or any(self.depends_on_barrier(r.name) for r in definition.uses)
                )
            )
        return self.dependent[name]

    def take(self) -> list[Equation]:
        made, self.made = list(self.made.values()), {}
        return made


def keep_formed(variant: Variant, names: Iterable[str], copied: bool) -> Variant:
    """`names` (formed along the context) as caches: only the new rows are formed in this step.

    With `copied`, a cached row scored beside a kept one is stored again for each of the axes it
    lacks, as released code does with the RoPE key. Caches nobody reads any more are dropped.
    """
    wanted = [name for name in names if context_only(variant, name)]
    if not wanted:
        return variant
    rewriter = _Rewriter(variant, "new")
    equations: list[Equation] = []
    for equation in variant.equations:
        if equation.name not in wanted:
            equations.append(equation)
            continue
        if not rewriter.has_new_rows(equation.name):
            # rows of something given from outside were formed before this step, and none is new
            rewriter.tensors[equation.name] = replace(variant.tensors[equation.name], role=Role.INPUT)
            continue
        context = _axes_of(variant, equation.left[0].axes, AxisKind.CONTEXT)[0]
        query = _new_rows_axis(rewriter, equation, context)
        rewritten = rewriter.equation(equation, context, query)
        equations.append(replace(rewritten, writes=True))
        rewriter.tensors[equation.name] = replace(variant.tensors[equation.name], role=Role.CACHE)
    equations = _with_new_rows(rewriter, equations)
    used = {r.name for e in equations for r in e.uses}
    equations = [e for e in equations if not e.writes or e.name in used]
    used |= {r.name for e in equations for r in (*e.left, *e.uses)}
    used |= {mask.selector for mask in variant.masks.values() if mask.selector}
    tensors = {name: tensor for name, tensor in rewriter.tensors.items() if name in used}
    if copied:
        for equation in equations:
            tensors = _copies(variant, equation, wanted, tensors)
    return replace(variant, equations=tuple(equations), tensors=tensors)


def _new_rows_axis(rewriter: _Rewriter, equation: Equation, context: str) -> str:
    """The query axis along which the caches that rows are formed of gain rows in this step."""
    for ref in equation.uses:
        definition = rewriter.definitions.get(ref.name)
        if definition is None or context not in ref.axes:
            continue
        if definition.writes:
            found = _axes_of(rewriter.variant, _right_axes(definition), AxisKind.QUERY)
            if found:
                return found[0]
            continue
        return _new_rows_axis(rewriter, definition, context)
    return next(a.name for a in rewriter.variant.axes.values() if a.kind is AxisKind.QUERY)


def _with_new_rows(rewriter: _Rewriter, equations: list[Equation]) -> list[Equation]:
    """Put each clone before its first use; a cache whose new rows have a name is written from it."""
    clones = {old: new for (old, _, _), new in rewriter.renamed.items()}
    result: list[Equation] = []
    placed: set[str] = set()

    def place(name: str) -> None:
        if name in placed or name not in rewriter.made:
            return
        placed.add(name)
        for ref in rewriter.made[name].uses:
            place(ref.name)
        result.append(rewriter.made[name])

    for equation in equations:
        for ref in equation.uses:
            place(ref.name)
        clone = clones.get(equation.name)
        if equation.writes and clone is not None and clone in rewriter.made:
            place(clone)
            rows = Ref(clone, rewriter.made[clone].left[0].axes)
            equation = replace(equation, products=(Factors(1, (rows,)),))
        result.append(equation)
    return result


def _copies(
    variant: Variant, equation: Equation, kept: list[str], tensors: dict[str, Tensor]
) -> dict[str, Tensor]:
    used = [r for p in equation.products for r in p.refs]
    rows = [r for r in used if r.name in kept]
    if not rows or len(equation.products) < 2:
        return tensors
    result = dict(tensors)
    for ref in used:
        if ref.name in kept or not (tensors[ref.name].role is Role.CACHE or given_rows(variant, ref.name)):
            continue
        lacking = tuple(a for a in rows[0].axes if a in equation.left[0].axes and a not in ref.axes)
        result[ref.name] = replace(tensors[ref.name], copies=lacking)
    return result
