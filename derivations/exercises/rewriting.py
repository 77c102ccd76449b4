"""Programs as someone reads them who makes a usual mistake: rewritings of a whole variant, named.

Each takes a program and gives another one, or the same object where it has nothing to change. What the mistake
makes of a figure then follows from the program like everything else; nothing is said about any number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ..equations import Equation, Factors, Ref
from ..errors import unknown
from ..library import load_variant
from ..poly import Poly
from ..program import AxisKind, Role, Variant
from ..regions import build_graph
from ..sharding import head_axes

__all__ = ["REWRITINGS", "rewritten"]


def _keys_only(variant: Variant) -> Variant:
    """Cut after the softmax: the weighted sum over values, and what only it needs, is gone."""
    softmax = _softmax(variant)
    if softmax is None:
        return variant
    weights = softmax.left[0]
    needed = _ancestors(variant, [weights.name])
    kept = [e for e in variant.equations if any(ref.name in needed for ref in e.left)]
    # the result is the probabilities; under a name of their own, so that they are still seen to have heads
    result = f"{weights.name}_out"
    source = variant.tensors[weights.name]
    ends = Equation(
        (replace(weights, name=result),), False, (Factors(1, (weights,)),), None, (), (), "", softmax.place
    )
    equations = (*kept, ends)
    used = {ref.name for e in equations for ref in (*e.left, *e.uses)}
    tensors = {name: tensor for name, tensor in variant.tensors.items() if name in used}
    tensors[result] = replace(source, name=result, role=Role.OUTPUT)
    orders = tuple(
        replace(
            order,
            forms=tuple(name for name in order.forms if name in used),
            avoids=tuple(name for name in order.avoids if name in used),
        )
        for order in variant.orders
    )
    masks = {name: mask for name, mask in variant.masks.items() if name in used}
    return replace(variant, equations=equations, tensors=tensors, orders=orders, masks=masks)


def _rows_twice(variant: Variant) -> Variant:
    """Rows that scores and values share, as two caches: one for the keys and one for the values."""
    softmax = _softmax(variant)
    if softmax is None:
        return variant
    key_side = _ancestors(variant, [ref.name for ref in softmax.inputs])
    after = [e for e in variant.equations if not any(ref.name in key_side for ref in e.left)]
    caches = {name for name, tensor in variant.tensors.items() if tensor.role is Role.CACHE}
    read_by_keys = {r.name for e in variant.equations if e.name in key_side for r in e.uses} & caches
    shared = read_by_keys & {ref.name for e in after for ref in e.uses}
    if not shared:
        return variant
    names = {name: f"{name}_val" for name in shared}
    tensors = dict(variant.tensors)
    equations: list[Equation] = []
    for equation in variant.equations:
        if equation in after:
            equation = _renamed(equation, names)
        equations.append(equation)
        if equation.writes and equation.name in names:
            new = names[equation.name]
            source = variant.tensors[equation.name]
            latex = f"{{{source.latex}}}^{{\\mathrm{{val}}}}"
            tensors[new] = replace(source, name=new, latex=latex, meaning=f"{source.meaning}, again")
            equations.append(replace(equation, left=(Ref(new, equation.left[0].axes),)))
    return replace(variant, equations=tuple(equations), tensors=tensors)


def _segment_summed(variant: Variant) -> Variant:
    """Rows that only the scores read beside others, the RoPE keys, in the weighted sum too."""
    softmax = _softmax(variant)
    scores = next((e for e in variant.equations if softmax and e.name == softmax.inputs[0].name), None)
    if softmax is None or scores is None or len(scores.products) < 2:
        return variant
    weights = softmax.left[0]
    equations, tensors = list(variant.equations), dict(variant.tensors)
    for row in scores.uses:
        if variant.tensors[row.name].role is not Role.CACHE:
            continue
        axes = tuple(a for a in weights.axes if a not in row.axes)
        axes += tuple(a for a in row.axes if a not in weights.axes)
        result = Ref(f"O_{row.name}", axes)
        tensors[result.name] = replace(
            variant.tensors[weights.name], name=result.name, axes=axes, role=Role.OUTPUT, latex=""
        )
        equations.append(
            Equation((result,), False, (Factors(1, (weights, row)),), None, (), (), "", softmax.place)
        )
    return replace(variant, equations=tuple(equations), tensors=tensors)


def _heads_as_queries(variant: Variant) -> Variant:
    """As many key/value heads as query heads: MHA."""
    queries = Poly.symbol("H_q")
    axes = {
        name: replace(axis, size=axis.size.map_symbols({"H_kv": queries}.get))
        for name, axis in variant.axes.items()
    }
    return replace(variant, axes=axes)


def _one_query_head(variant: Variant) -> Variant:
    """One query head for each cached one: heads that no row along the context has become one."""
    along = {a for t in variant.tensors.values() if t.role is Role.CACHE for a in t.axes}
    heads = {axis for group in head_axes(build_graph(variant)) for axis in group} - along
    if not heads:
        return variant
    one = Poly.const(1)
    axes = {n: replace(a, size=one) if n in heads else a for n, a in variant.axes.items()}
    return replace(variant, axes=axes)


def _even_heads(variant: Variant) -> Variant:
    """Heads that share the model width evenly: d_k = d_v = d_model / H."""
    share = Poly.symbol("d_model") * Poly.symbol("H").inverse()
    images = {"d_k": share, "d_v": share}
    axes = {name: replace(axis, size=axis.size.map_symbols(images.get)) for name, axis in variant.axes.items()}
    return replace(variant, axes=axes)


def _divided(variant: Variant, ranks: int, spared: str) -> Variant:
    """Cached rows divided by the ranks even where there are no heads, or too few, to divide.

    A cache with a head index loses an exact share of its heads, another one of its width; rows with an index of
    the size `spared` stay whole.
    """
    heads = {axis for group in head_axes(build_graph(variant)) for axis in group}
    axes = dict(variant.axes)
    for tensor in variant.tensors.values():
        own = [a for a in tensor.axes if variant.axes[a].kind is AxisKind.OTHER]
        if tensor.role is not Role.CACHE or not own:
            continue
        if any(variant.axes[a].size == Poly.symbol(spared) for a in own):
            continue
        cut = next((a for a in own if a in heads), own[-1])
        axes[cut] = replace(variant.axes[cut], size=variant.axes[cut].size * Fraction(1, ranks))
    return replace(variant, axes=axes)


def _softmax(variant: Variant) -> Equation | None:
    """The one softmax of a program; None where there is none, or several."""
    found = [e for e in variant.equations if e.barrier == "softmax"]
    return found[0] if len(found) == 1 else None


def _ancestors(variant: Variant, names: list[str]) -> set[str]:
    """Tensors and what they are made of, rows that a mask selects included."""
    definitions = {ref.name: e for e in variant.equations for ref in e.left}
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name in variant.masks and variant.masks[name].selector:
            waiting.append(variant.masks[name].selector or "")
        if name in definitions:
            waiting += [ref.name for ref in definitions[name].uses]
    return found


def _renamed(equation: Equation, names: Mapping[str, str]) -> Equation:
    """The right side under other names."""

    def ref(old: Ref) -> Ref:
        return replace(old, name=names.get(old.name, old.name))

    products = tuple(replace(p, refs=tuple(ref(r) for r in p.refs)) for p in equation.products)
    return replace(equation, products=products, inputs=tuple(ref(r) for r in equation.inputs))


REWRITINGS: Mapping[str, Callable[[Variant, int], Variant]] = {
    "keys-only": lambda variant, _: _keys_only(variant),
    "rows-twice": lambda variant, _: _rows_twice(variant),
    "one-query-head": lambda variant, _: _one_query_head(variant),
    "segment-summed": lambda variant, _: _segment_summed(variant),
    "heads-as-queries": lambda variant, _: _heads_as_queries(variant),
    "even-heads": lambda variant, _: _even_heads(variant),
    "rows-divided": lambda variant, ranks: _divided(variant, ranks, ""),
    "rows-divided-but-rope": lambda variant, ranks: _divided(variant, ranks, "d_r"),
}
"""Name -> the rewriting, of a program on so many ranks."""


@lru_cache(maxsize=256)
def rewritten(name: str, changes: tuple[str, ...] = (), ranks: int = 1) -> Variant:
    """A variant by name, rewritten in order. Raises InputError for names nobody knows."""
    variant = load_variant(name)
    for change in changes:
        if change not in REWRITINGS:
            raise unknown("rewriting", change, REWRITINGS)
        variant = REWRITINGS[change](variant, ranks)
    return variant
