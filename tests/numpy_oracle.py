"""A second opinion in numpy: a variant run as written, its equations taken one after another.

Nothing here knows of graphs, regions or trees. Inputs and tables hold L rows along a token axis;
under a query axis the last S of them are meant. A cache holds L - S earlier rows to start with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from derivations.atoms import evaluate
from derivations.equations import Equation, Factors
from derivations.poly import Poly
from derivations.program import AxisKind, MaskKind, Role, Variant

QUERY, CONTEXT = AxisKind.QUERY, AxisKind.CONTEXT
Env = dict[str, np.ndarray]


@dataclass(frozen=True)
class World:
    """Sizes and the numbers a step starts from."""

    sizes: Mapping[str, int]
    """Symbol -> number, S and L included."""
    given: Mapping[str, np.ndarray]
    """Inputs, weights and tables; L rows where an axis runs over tokens."""
    kept: Mapping[str, np.ndarray]
    """The L - S earlier rows of each cache, the old value of each state."""


def length(variant: Variant, axis: str, sizes: Mapping[str, int]) -> int:
    """How many values an axis takes."""
    value = evaluate(variant.axes[axis].size, sizes)
    assert value is not None, axis
    assert value == int(value), axis
    return int(value)


def make_world(variant: Variant, sizes: Mapping[str, int], seed: int) -> World:
    """Random numbers for everything a program is given."""
    rng = np.random.default_rng(seed)
    given, kept = {}, {}
    for name, tensor in sorted(variant.tensors.items()):
        kinds = [variant.axes[axis].kind for axis in tensor.axes]
        shape = [length(variant, axis, sizes) for axis in tensor.axes]
        if tensor.role in (Role.INPUT, Role.WEIGHT, Role.TABLE):
            shape = [sizes["L"] if k is QUERY else n for k, n in zip(kinds, shape, strict=True)]
            given[name] = rng.uniform(-1.0, 1.0, shape)
        elif tensor.role in (Role.CACHE, Role.STATE):
            old = [n - sizes["S"] if k is CONTEXT else n for k, n in zip(kinds, shape, strict=True)]
            kept[name] = rng.uniform(-1.0, 1.0, old)
    return World(sizes, given, kept)


def with_history(variant: Variant, world: World) -> World:
    """Earlier rows made from earlier inputs, not drawn: what a run without caches must match."""
    total = {**world.sizes, "S": world.sizes["L"]}
    none = {n: a[_rows(variant, n, 0, 0)] for n, a in world.kept.items()}
    whole = as_written(variant, World(total, world.given, none))
    return from_rows(variant, world, whole)


def from_rows(variant: Variant, world: World, whole: Mapping[str, np.ndarray]) -> World:
    """`world` with the earlier rows of every cache of `variant`, cut out of all L rows."""
    caches = [t.name for t in variant.tensors.values() if t.role is Role.CACHE]
    early = world.sizes["L"] - world.sizes["S"]
    return replace(world, kept={n: whole[n][_rows(variant, n, 0, early)] for n in caches})


def _rows(variant: Variant, name: str, start: int, stop: int) -> tuple[slice, ...]:
    kinds = [variant.axes[axis].kind for axis in variant.tensors[name].axes]
    return tuple(slice(start, stop) if k is CONTEXT else slice(None) for k in kinds)


def under(variant: Variant, world: World, env: Env, name: str, axes: Sequence[str]) -> np.ndarray:
    """A tensor under the axes it is used with: the last S of L token rows under a query axis."""
    if name not in world.given:
        return env[name]
    cut = []
    for declared, used in zip(variant.tensors[name].axes, axes, strict=True):
        tokens = variant.axes[declared].kind is QUERY or (variant.axes[declared].size == Poly.symbol("L"))
        last = tokens and variant.axes[used].kind is QUERY
        cut.append(slice(-world.sizes["S"], None) if last else slice(None))
    return world.given[name][tuple(cut)]


def einsum(operands: Iterable[tuple[np.ndarray, Sequence[str]]], output: Sequence[str]):
    """One einsum over arrays with named axes."""
    number: dict[str, int] = {}
    arguments: list[object] = []
    for array, labels in operands:
        arguments += [array, [number.setdefault(label, len(number)) for label in labels]]
    return np.einsum(*arguments, [number[label] for label in output])


def as_written(variant: Variant, world: World) -> Env:
    """Every tensor the program defines, its equations taken in order."""
    env: Env = dict(world.kept)
    for equation in variant.equations:
        if equation.barrier is not None:
            env.update(barrier(variant, world, env, equation))
            continue
        products = []
        for factors in equation.products:
            refs = [(under(variant, world, env, r.name, r.axes), r.axes) for r in factors.refs]
            products.append(einsum(refs, _output(variant, equation, factors)))
        store(variant, env, equation, products)
    return env


def _output(variant: Variant, equation: Equation, factors: Factors) -> list[str]:
    """The left side's axes; the query axis stands for the context axis of a cache."""
    axes = list(equation.left[0].axes)
    if variant.tensors[equation.name].role is not Role.CACHE:
        return axes
    present = {axis for ref in factors.refs for axis in ref.axes}
    (query,) = (axis for axis in present if variant.axes[axis].kind is QUERY)
    return [query if variant.axes[axis].kind is CONTEXT else axis for axis in axes]


def store(variant: Variant, env: Env, equation: Equation, products: list[np.ndarray]) -> None:
    signs = [factors.sign for factors in equation.products]
    value = sum(sign * product for sign, product in zip(signs, products, strict=True))
    if variant.tensors[equation.name].role is Role.CACHE:
        kinds = [variant.axes[axis].kind for axis in equation.left[0].axes]
        value = np.concatenate([env[equation.name], value], axis=kinds.index(CONTEXT))
    env[equation.name] = value


def visible(variant: Variant, world: World, env: Env, name: str) -> tuple[list[str], np.ndarray]:
    """(its query and context axes, which pairs of them a score tensor has); empty for no pairs."""
    axes = variant.tensors[name].axes
    pair = [a for k in (QUERY, CONTEXT) for a in axes if variant.axes[a].kind is k]
    if [variant.axes[axis].kind for axis in pair] != [QUERY, CONTEXT]:
        return [], np.array(True)
    shape = [length(variant, axis, world.sizes) for axis in pair]
    mask = variant.masks.get(name)
    whole = variant.axes[pair[1]].size == Poly.symbol("L")
    if (mask is None and not whole) or (mask is not None and mask.kind is MaskKind.FULL):
        return pair, np.ones(shape, bool)
    position = np.arange(world.sizes["L"] - world.sizes["S"], world.sizes["L"])[:, None]
    behind = position - np.arange(shape[1])[None, :]
    seen = behind >= 0
    if mask is not None and mask.kind is MaskKind.WINDOW:
        seen &= behind < int(evaluate(mask.size, world.sizes))
    if mask is not None and mask.kind is MaskKind.TOP_N and mask.selector is not None:
        seen &= env[mask.selector].astype(bool)
    return pair, seen


def barrier(variant: Variant, world: World, env: Env, equation: Equation) -> Env:
    inputs = []
    for ref in equation.inputs:
        array = under(variant, world, env, ref.name, ref.axes)
        pair, seen = visible(variant, world, env, ref.name)
        if pair:
            order = [variant.tensors[ref.name].axes.index(axis) for axis in pair]
            seen = seen if order[0] < order[1] else seen.T
            shape = [n if i in order else 1 for i, n in enumerate(array.shape)]
            array = np.where(seen.reshape(shape), array, -np.inf)
        inputs.append((array, ref.axes))
    size = next((m.size for m in variant.masks.values() if m.selector == equation.name), None)
    count = None if size is None else int(evaluate(size, world.sizes))
    results = BARRIERS[equation.barrier or ""](inputs, equation.over, count)
    return {
        out.name: einsum([(array, ref.axes)], out.axes)
        for out, ref, array in zip(equation.left, equation.inputs, results, strict=True)
    }


def _softmax(inputs, over, _count):
    """One softmax over all inputs together: they share every axis that is not worked along."""
    first = inputs[0][1]
    common = [axis for axis in first if axis not in over]
    flat = []
    for array, axes in inputs:
        order = [axes.index(a) for a in common] + [i for i, a in enumerate(axes) if a in over]
        moved = np.transpose(array, order)
        flat.append(moved.reshape(*moved.shape[: len(common)], -1))
    joined = np.concatenate(flat, axis=-1)
    top = joined.max(axis=-1, keepdims=True)
    joined = np.exp(joined - np.where(np.isfinite(top), top, 0.0))
    joined /= np.maximum(joined.sum(axis=-1, keepdims=True), 1e-300)
    results, start = [], 0
    for array, axes in inputs:
        order = [axes.index(a) for a in common] + [i for i, a in enumerate(axes) if a in over]
        shape = [array.shape[i] for i in order]
        width = prod(shape[len(common) :])
        part = joined[..., start : start + width].reshape(shape)
        results.append(np.transpose(part, np.argsort(order)))
        start += width
    return results


def _top_n(inputs, over, count):
    ((array, axes),) = inputs
    along = axes.index(over[0])
    ranks = np.argsort(np.argsort(-array, axis=along, kind="stable"), axis=along)
    return [(ranks < count) & (array > -np.inf)]


def _norm(inputs, over, _count):
    ((array, axes),) = inputs
    along = tuple(axes.index(axis) for axis in over)
    array = np.where(np.isfinite(array), array, 0.0)
    return [array / np.sqrt(np.mean(array**2, axis=along, keepdims=True) + 1e-6)]


def _pointwise(function):
    return lambda inputs, _over, _count: [function(array) for array, _ in inputs]


BARRIERS = {
    "softmax": _softmax,
    "top_n": _top_n,
    "norm": _norm,
    "relu": _pointwise(lambda x: np.maximum(x, 0.0)),
    "silu": _pointwise(lambda x: np.where(np.isinf(x), 0.0, x) / (1.0 + np.exp(-x))),
    "sigmoid": _pointwise(lambda x: 1.0 / (1.0 + np.exp(-x))),
    "exp": _pointwise(np.exp),
}


def close(one: np.ndarray, two: np.ndarray) -> bool:
    """Equal to nine digits of the largest element."""
    scale = max(float(np.abs(two).max(initial=0.0)), 1e-300)
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-9, atol=1e-9 * scale))
