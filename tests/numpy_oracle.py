"""A second opinion in numpy: a variant run as written, its equations taken one after another.

Nothing here knows of graphs, regions or trees. Inputs and tables hold L rows along a token axis;
under a query axis the last S of them are meant. A cache holds its earlier rows to start with, and so does
what `last` shows again. A state runs value by value along its `scan` axis; what the program reads of it is
kept for every value: `M` after the update, `old(M)` before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from derivations.atoms import evaluate, free_symbols
from derivations.equations import Equation, Factors, Ref
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
    """The earlier rows of each cache, the old value of each state."""
    history: Mapping[str, np.ndarray] = field(default_factory=dict)
    """The L - S earlier rows of what `last` takes, rows first."""
    functions: Mapping[str, Callable[..., np.ndarray]] = field(default_factory=dict)
    """What a barrier defines -> the function meant, in place of the one the language has a name for."""


def length(variant: Variant, axis: str, sizes: Mapping[str, int]) -> int:
    """How many values an axis takes."""
    value = evaluate(variant.axes[axis].size, sizes)
    assert value is not None, axis
    assert value == int(value), axis
    return int(value)


def make_world(variant: Variant, sizes: Mapping[str, int], seed: int) -> World:
    """Random numbers for everything a program is given."""
    rng = np.random.default_rng(seed)
    given, kept, history = {}, {}, {}
    for name, tensor in sorted(variant.tensors.items()):
        kinds = [variant.axes[axis].kind for axis in tensor.axes]
        shape = [length(variant, axis, sizes) for axis in tensor.axes]
        if tensor.role in (Role.INPUT, Role.WEIGHT, Role.TABLE):
            tokens = [variant.axes[axis].size == Poly.symbol("S") for axis in tensor.axes]
            shape = [sizes["L"] if t else n for t, n in zip(tokens, shape, strict=True)]
            given[name] = rng.uniform(-1.0, 1.0, shape)
        elif tensor.role in (Role.CACHE, Role.STATE):
            fresh = new_rows(variant, name, sizes) if tensor.role is Role.CACHE else 0
            old = [n - fresh if k is CONTEXT else n for k, n in zip(kinds, shape, strict=True)]
            kept[name] = rng.uniform(-1.0, 1.0, old)
    for equation in variant.equations:
        if equation.barrier == "last":
            (taken,) = equation.inputs
            rest = [length(variant, axis, sizes) for axis in _row_axes(variant, taken.axes)[1]]
            history[taken.name] = rng.uniform(-1.0, 1.0, [sizes["L"] - sizes["S"], *rest])
    return World(sizes, given, kept, history)


def new_rows(variant: Variant, name: str, sizes: Mapping[str, int]) -> int:
    """How many rows a step adds to a cache: the length of the query axis its line has."""
    (equation,) = (e for e in variant.equations if e.writes and e.name == name)
    axes = {axis for ref in equation.uses for axis in ref.axes}
    (query,) = (axis for axis in axes if variant.axes[axis].kind is QUERY)
    return length(variant, query, sizes)


def _row_axes(variant: Variant, axes: Sequence[str]) -> tuple[list[str], list[str]]:
    """(the axes whose values together are the tokens, the other ones): `s`, or chunks and a chunk's tokens."""
    kinds = {variant.axes[axis].kind for axis in axes}
    kind = QUERY if QUERY in kinds else CONTEXT
    tokens = [a for a in axes if variant.axes[a].kind is kind or "S" in free_symbols(variant.axes[a].size)]
    return tokens, [axis for axis in axes if axis not in tokens]


def with_history(variant: Variant, world: World) -> World:
    """Earlier rows made from earlier inputs, not drawn: what a run without caches must match."""
    total = {**world.sizes, "S": world.sizes["L"]}
    none = {n: a[_rows(variant, n, 0, 0)] for n, a in world.kept.items()}
    nothing = {n: a[:0] for n, a in world.history.items()}
    whole = as_written(variant, World(total, world.given, none, nothing, world.functions))
    return from_rows(variant, world, whole)


def from_rows(variant: Variant, world: World, whole: Mapping[str, np.ndarray]) -> World:
    """`world` with the earlier rows of every cache of `variant`, cut out of all L rows."""
    caches = [t.name for t in variant.tensors.values() if t.role is Role.CACHE]
    kept, history = {}, {}
    for name in caches:
        (context,) = (a for a in variant.tensors[name].axes if variant.axes[a].kind is CONTEXT)
        early = length(variant, context, world.sizes) - new_rows(variant, name, world.sizes)
        kept[name] = whole[name][_rows(variant, name, 0, early)]
    for equation in variant.equations:
        if equation.barrier == "last" and equation.inputs[0].name in whole:
            (taken,) = equation.inputs
            rows = as_rows(variant, whole[taken.name], taken.axes)
            history[taken.name] = rows[: world.sizes["L"] - world.sizes["S"]]
    return replace(world, kept=kept, history=history)


def as_rows(variant: Variant, array: np.ndarray, axes: Sequence[str]) -> np.ndarray:
    """An array with its tokens first, one after the other whatever chunks they stand in."""
    tokens, rest = _row_axes(variant, axes)
    moved = einsum([(array, axes)], [*tokens, *rest])
    return moved.reshape(-1, *moved.shape[len(tokens) :])


def _rows(variant: Variant, name: str, start: int, stop: int) -> tuple[slice, ...]:
    kinds = [variant.axes[axis].kind for axis in variant.tensors[name].axes]
    return tuple(slice(start, stop) if k is CONTEXT else slice(None) for k in kinds)


def under(
    variant: Variant, world: World, env: Env, name: str, axes: Sequence[str], old: bool = False
) -> np.ndarray:
    """A tensor under the axes it is used with: the last S of L token rows under a query axis."""
    if name not in world.given:
        return env[f"old({name})" if old else name]
    cut = []
    for declared, used in zip(variant.tensors[name].axes, axes, strict=True):
        tokens = variant.axes[declared].size in (Poly.symbol("S"), Poly.symbol("L"))
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


def schedule(variant: Variant) -> list[tuple[Equation, ...]]:
    """The equations in an order in which each finds what it reads; those of a recurrence stand together.

    A recurrence is what a state makes of itself: the line that writes it, and each line on the way from its
    old value to that. What only reads a state comes after it, and what it is made from before.
    """
    defined = {ref.name: e for e in variant.equations for ref in e.left}
    states = {t.name for t in variant.tensors.values() if t.role is Role.STATE}
    reads: dict[str, set[str]] = {}
    for name, equation in defined.items():
        reads[name] = {ref.name for ref in equation.uses if ref.name in defined}

    def reached(start: set[str], way: Mapping[str, set[str]]) -> set[str]:
        found, todo = set(start), [*start]
        while todo:
            new = way.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found

    read_by: dict[str, set[str]] = {}
    for name, used in reads.items():
        for one in used:
            read_by.setdefault(one, set()).add(name)
    circle = reached(states, reads) & reached(states, read_by)
    loop = tuple(e for e in variant.equations if e.name in circle)
    groups = ([loop] if loop else []) + [(e,) for e in variant.equations if e not in loop]
    done: set[str] = set()
    ordered = []
    while groups:
        group = next(g for g in groups if all(_ready(e, g, defined, done) for e in g))
        groups.remove(group)
        done |= {ref.name for e in group for ref in e.left}
        ordered.append(group)
    return ordered


def _ready(equation: Equation, group: tuple[Equation, ...], defined: Mapping[str, Equation], done: set[str]):
    own = {ref.name for e in group for ref in e.left}
    return all(ref.name not in defined or ref.name in done | own for ref in equation.uses)


def has_state(variant: Variant, group: tuple[Equation, ...]) -> bool:
    """Whether the equations of a group are a recurrence."""
    return any(variant.tensors[equation.name].role is Role.STATE for equation in group)


def as_written(variant: Variant, world: World) -> Env:
    """Every tensor the program defines, each from those before it."""
    env: Env = dict(world.kept)
    for group in schedule(variant):
        if has_state(variant, group):
            scan(variant, world, env, group, _define)
        else:
            _define(variant, world, env, group[0])
    return env


def _define(variant: Variant, world: World, env: Env, equation: Equation) -> None:
    if equation.barrier is not None:
        env.update(barrier(variant, world, env, equation))
        return
    products = []
    for factors in equation.products:
        refs = [_used(variant, world, env, equation, ref) for ref in factors.refs]
        products.append(einsum(refs, _output(variant, equation, factors)))
    store(variant, world, env, equation, products)


def _used(variant: Variant, world: World, env: Env, equation: Equation, ref: Ref):
    """(an operand, its axes): a state has one value for each value of its scan axis."""
    tensor = variant.tensors[ref.name]
    if tensor.role is not Role.STATE:
        return under(variant, world, env, ref.name, ref.axes), ref.axes
    array = under(variant, world, env, ref.name, ref.axes, ref.old or ref.name == equation.name)
    return array, ref.axes if len(ref.axes) == array.ndim else (scan_axis(variant, ref.name), *ref.axes)


def scan_axis(variant: Variant, name: str) -> str:
    """The axis along which a state is updated."""
    axis = variant.tensors[name].scan
    assert axis is not None, name
    return axis


Defines = Callable[[Variant, World, Env, Equation], None]


def scan(variant: Variant, world: World, env: Env, group: tuple[Equation, ...], define: Defines) -> None:
    """A recurrence, one value of the scan axis after the other; `define` makes what one line defines."""
    states = [e.name for e in group if variant.tensors[e.name].role is Role.STATE]
    (axis,) = {scan_axis(variant, name) for name in states}
    count = length(variant, axis, world.sizes)
    current = {name: world.kept[name] for name in states}
    made: dict[str, list[np.ndarray]] = {}
    for index in range(count):
        here = {n: at(variant, array, n, axis, index) for n, array in env.items() if n not in states}
        given = {name: at(variant, array, name, axis, index - count) for name, array in world.given.items()}
        here.update({f"old({name})": current[name][None] for name in states})
        one = replace(world, given=given, sizes=world.sizes)
        for equation in group:
            define(variant, one, here, equation)
        for equation in group:
            for ref in equation.left:
                made.setdefault(ref.name, []).append(here[ref.name])
        for name in states:
            made.setdefault(f"old({name})", []).append(current[name][None])
            current[name] = here[name][0]
    for name, parts in made.items():
        axes = variant.tensors[name].axes if name in variant.tensors else ()
        position = axes.index(axis) if axis in axes else 0
        env[name] = np.concatenate(parts, axis=position)


def at(variant: Variant, array: np.ndarray, name: str, axis: str, index: int) -> np.ndarray:
    """An array at one value of an axis, which stays with one value; the whole where it has not the axis."""
    axes = variant.tensors[name].axes if name in variant.tensors else ()
    if axis not in axes:
        return array
    cut = slice(index, index + 1 or None)
    return array[tuple(cut if a == axis else slice(None) for a in axes)]


def _output(variant: Variant, equation: Equation, factors: Factors) -> list[str]:
    """The left side's axes; a state has its scan axis too, and the query axis stands for a cache's context."""
    axes = list(equation.left[0].axes)
    if variant.tensors[equation.name].role is Role.STATE:
        axis = scan_axis(variant, equation.name)
        return axes if axis in axes else [axis, *axes]
    if variant.tensors[equation.name].role is not Role.CACHE:
        return axes
    present = {axis for ref in factors.refs for axis in ref.axes}
    (query,) = (axis for axis in present if variant.axes[axis].kind is QUERY)
    return [query if variant.axes[axis].kind is CONTEXT else axis for axis in axes]


def store(variant: Variant, world: World, env: Env, equation: Equation, products: list[np.ndarray]) -> None:
    """What an equation defines, from its products; masked pairs are zero where no barrier follows."""
    signs = [factors.sign for factors in equation.products]
    value = sum(sign * product for sign, product in zip(signs, products, strict=True))
    tensor = variant.tensors[equation.name]
    if tensor.role is Role.CACHE:
        kinds = [variant.axes[axis].kind for axis in equation.left[0].axes]
        value = np.concatenate([env[equation.name], value], axis=kinds.index(CONTEXT))
    plain = any(equation.name in {r.name for r in e.uses} for e in variant.equations if e.barrier is None)
    if equation.name in variant.masks and plain:
        axes, seen = visible(variant, world, env, equation.name)
        value = np.where(_spread(seen, axes, tensor.axes), value, 0.0)
    env[equation.name] = value


def visible(variant: Variant, world: World, env: Env, name: str) -> tuple[list[str], np.ndarray]:
    """(its query and context axes, which pairs of them a score tensor has); empty for no pairs.

    Where each head has a selection of its own, the axes of heads stand before the two.
    """
    axes = variant.tensors[name].axes
    pair = [a for k in (QUERY, CONTEXT) for a in axes if variant.axes[a].kind is k]
    if [variant.axes[axis].kind for axis in pair] != [QUERY, CONTEXT]:
        return [], np.array(True)
    shape = [length(variant, axis, world.sizes) for axis in pair]
    mask = variant.masks.get(name)
    whole = variant.axes[pair[1]].size == Poly.symbol("L")
    seen = np.ones(shape, bool)
    if mask is not None and mask.kind is MaskKind.CAUSAL and not whole:
        return pair, np.tril(seen)  # the tokens of a chunk, as queries and as keys
    if (mask is not None or whole) and not (mask is not None and mask.kind is MaskKind.FULL) and whole:
        position = np.arange(world.sizes["L"] - world.sizes["S"], world.sizes["L"])[:, None]
        rows = np.arange(shape[1])[None, :]
        seen = rows <= position
        if mask is not None and mask.kind is MaskKind.WINDOW:
            seen &= position - rows < int(evaluate(mask.size, world.sizes))
        if mask is not None and mask.kind is MaskKind.CHUNK:
            size = int(evaluate(mask.size, world.sizes))
            seen &= position // size == rows // size
    if mask is not None and mask.kind is MaskKind.TOP_N and mask.selector is not None:
        chosen = env[mask.selector].astype(bool)
        heads = [a for a in variant.tensors[mask.selector].axes if variant.axes[a].kind not in (QUERY, CONTEXT)]
        return [*heads, *pair], chosen & seen
    return pair, seen


def _spread(seen: np.ndarray, axes: Sequence[str], over: Sequence[str]) -> np.ndarray:
    """What is seen, with an axis of length 1 for each axis it has not."""
    moved = einsum([(seen, axes)], [axis for axis in over if axis in axes])
    return moved[tuple(slice(None) if axis in axes else None for axis in over)]


def barrier(variant: Variant, world: World, env: Env, equation: Equation) -> Env:
    """What a barrier defines."""
    if equation.barrier == "last":
        return {equation.name: last_rows(variant, world, env, equation)}
    inputs = []
    for ref in equation.inputs:
        array = under(variant, world, env, ref.name, ref.axes)
        axes, seen = visible(variant, world, env, ref.name)
        if axes:
            array = np.where(_spread(seen, axes, ref.axes), array, -np.inf)
        inputs.append((array, ref.axes))
    if equation.name in world.functions:
        made = world.functions[equation.name](*(array for array, _ in inputs))
        return {equation.name: made}
    if equation.barrier == "top_n":
        return {equation.name: _selected(variant, world, equation, inputs)}
    results = BARRIERS[equation.barrier or ""](inputs, equation.over)
    if len(equation.left) == 1 and len(inputs) > 1:
        return {equation.name: einsum([(a, axes) for a, (_, axes) in zip(results, inputs, strict=True)],
                                      equation.left[0].axes)}  # fmt: skip
    return {
        out.name: einsum([(array, ref.axes)], out.axes)
        for out, ref, array in zip(equation.left, equation.inputs, results, strict=True)
    }


def last_rows(variant: Variant, world: World, env: Env, equation: Equation) -> np.ndarray:
    """The rows up to each token, or to the last token of each entry: 0 back is that token itself."""
    (left,), (taken,), (back,) = equation.left, equation.inputs, equation.over
    tokens, rest = _row_axes(variant, taken.axes)
    rows = as_rows(variant, under(variant, world, env, taken.name, taken.axes), taken.axes)
    count = len(rows)
    if any(variant.axes[axis].kind is QUERY for axis in tokens):
        rows = np.concatenate([world.history[taken.name], rows])
    behind = length(variant, back, world.sizes)
    kept = [axis for axis in left.axes if axis in tokens] == tokens
    places = tokens if kept else [axis for axis in left.axes if axis not in (*rest, back)]
    shape = [length(variant, axis, world.sizes) for axis in places]
    apart, over = divmod(count, prod(shape))
    assert not over, f"{count} tokens, {prod(shape)} entries"
    ends = len(rows) - count + apart * np.arange(1, prod(shape) + 1) - 1
    padded = np.concatenate([np.zeros((behind, *rows.shape[1:])), rows])
    shown = np.stack([padded[ends + behind - far] for far in range(behind)], axis=1)
    return einsum([(shown.reshape(*shape, *shown.shape[1:]), [*places, back, *rest])], left.axes)


def _selected(variant: Variant, world: World, equation: Equation, inputs) -> np.ndarray:
    """Which rows a selection has; under a mask of tokens, each token scores as the entry it stands in."""
    ((array, axes),) = inputs
    ((name, mask),) = ((n, m) for n, m in variant.masks.items() if m.selector == equation.name)
    count = int(evaluate(mask.size, world.sizes))
    (context,) = (a for a in variant.tensors[name].axes if variant.axes[a].kind is CONTEXT)
    along = axes.index(equation.over[0])
    if variant.axes[context].size != variant.axes[equation.over[0]].size:
        tokens = world.sizes["L"]
        array = np.repeat(array, -(-tokens // array.shape[along]), axis=along)
        array = np.take(array, range(tokens), axis=along)
        query = next(i for i, a in enumerate(axes) if variant.axes[a].kind is QUERY)
        rows = np.arange(tokens).reshape([-1 if i == along else 1 for i in range(array.ndim)])
        position = np.arange(tokens - world.sizes["S"], tokens)
        position = position.reshape([-1 if i == query else 1 for i in range(array.ndim)])
        array = np.where(rows <= position, array, -np.inf)
    ranks = np.argsort(np.argsort(-array, axis=along, kind="stable"), axis=along)
    chosen = (ranks < count) & (array > -np.inf)
    order = [a for a in axes if variant.axes[a].kind not in (QUERY, CONTEXT)]
    order += [a for k in (QUERY, CONTEXT) for a in axes if variant.axes[a].kind is k]
    return einsum([(chosen, axes)], order)


def _softmax(inputs, over):
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


def _norm(inputs, over):
    ((array, axes),) = inputs
    along = tuple(axes.index(axis) for axis in over)
    array = np.where(np.isfinite(array), array, 0.0)
    return [array / np.sqrt(np.mean(array**2, axis=along, keepdims=True) + 1e-6)]


def _pointwise(function):
    return lambda inputs, _over: [function(array) for array, _ in inputs]


def _inverse(inputs, over):
    """Of one on the diagonal and what is given below it: a triangular system with as many unknowns as rows."""
    ((array, axes),) = inputs
    order = [*(i for i, a in enumerate(axes) if a not in over), *(axes.index(a) for a in over)]
    moved = np.transpose(array, order)
    solved = np.linalg.inv(np.eye(moved.shape[-1]) + np.tril(moved, -1))
    return [np.transpose(solved, np.argsort(order))]


BARRIERS = {
    "softmax": _softmax,
    "norm": _norm,
    "relu": _pointwise(lambda x: np.maximum(x, 0.0)),
    "silu": _pointwise(lambda x: np.where(np.isinf(x), 0.0, x) / (1.0 + np.exp(-x))),
    "sigmoid": _pointwise(lambda x: 1.0 / (1.0 + np.exp(-x))),
    "exp": _pointwise(np.exp),
    "inverse": _inverse,
}


def close(one: np.ndarray, two: np.ndarray) -> bool:
    """Equal to nine digits of the largest element."""
    scale = max(float(np.abs(two).max(initial=0.0)), 1e-300)
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-9, atol=1e-9 * scale))
