"""What a legal program is: every name exists before it is used, and all axes fit together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .dims import latex_of_name
from .equations import Equation, Ref
from .errors import InputError, unknown
from .legalbarriers import check_barrier, check_masks, selects
from .problems import AT_ONCE, Problems
from .program import AxisKind, Role, Tensor, Variant

__all__ = ["check_program"]

_GIVEN = (Role.INPUT, Role.WEIGHT, Role.TABLE)
_KEPT = (Role.CACHE, Role.STATE)


def check_program(variant: Variant, problems: Problems = AT_ONCE) -> Variant:
    """The variant with its temporaries declared and outputs marked; what is wrong goes to `problems`."""
    if not variant.equations:
        raise InputError("the variant has no equations", variant.place)
    for tensor in variant.tensors.values():
        with problems.aside():
            _known_axes(variant, tensor.axes, tensor)
            _check_scan(variant, tensor)
    earlier = len(problems.found)
    variant = _with_temporaries(variant, problems)
    defined: set[str] = set()
    for index, equation in enumerate(variant.equations):
        with problems.aside():
            _check_left(variant, equation, defined)
            _check_right(variant, equation, defined, index)
        defined.update(ref.name for ref in equation.left)
    check_masks(variant, problems)
    _check_orders(variant, problems)
    if len(problems.found) > earlier:  # what follows speaks of a program whose equations fit together
        return variant
    variant = _with_scans(_with_outputs(variant))
    _check_use(variant, defined, problems)
    if variant.options:
        used = {r.name for e in variant.equations for r in (*e.left, *e.uses)}
        kept = {name: t for name, t in variant.tensors.items() if name in used}
        variant = replace(variant, tensors=kept)
    return variant


def _check_scan(variant: Variant, tensor: Tensor) -> None:
    if tensor.scan is not None and (tensor.scan not in variant.axes or tensor.scan in tensor.axes):
        known = [axis for axis in variant.axes if axis not in tensor.axes]
        raise unknown(f"axis along which {tensor.name} is updated", tensor.scan, known, tensor.place)


def _known_axes(variant: Variant, axes: Iterable[str], tensor: Tensor) -> None:
    names = tuple(axes)
    for axis in names:
        if axis not in variant.axes:
            raise unknown(f"axis of {tensor.name}", axis, variant.axes, tensor.place)
    if not names or len(set(names)) != len(names):
        raise InputError(f"{tensor.name} needs axes, each once", tensor.place)


def _with_temporaries(variant: Variant, problems: Problems) -> Variant:
    tensors = dict(variant.tensors)
    for equation in variant.equations:
        axes = {axis for ref in (*equation.left, *equation.uses) for axis in ref.axes}
        for axis in sorted(axes - {*variant.axes}):
            with problems.aside():
                raise unknown("axis", axis, variant.axes, equation.place)
        for ref in equation.left:
            if ref.name not in tensors:
                tensors[ref.name] = Tensor(
                    ref.name,
                    ref.axes,
                    Role.TEMPORARY,
                    latex_of_name(ref.name),
                    place=equation.place,
                )
    return replace(variant, tensors=tensors)


def _fits(variant: Variant, ref: Ref, equation: Equation) -> None:
    tensor = variant.tensors[ref.name]
    own = f"{tensor.name}[{','.join(tensor.axes)}]"
    if len(ref.axes) != len(tensor.axes):
        raise InputError(f"{ref} has {len(ref.axes)} axes, but {own} has {len(tensor.axes)}", equation.place)
    for used, declared in zip(ref.axes, tensor.axes, strict=True):
        if not {used, declared} <= variant.axes.keys():  # reported where it stands
            continue
        if variant.axes[used].size != variant.axes[declared].size:
            sizes = f"{variant.axes[used].size.text()} and {variant.axes[declared].size.text()}"
            raise InputError(
                f"{ref} contradicts {own}: axes {used} and {declared} have different sizes ({sizes})",
                equation.place,
            )


def _check_left(variant: Variant, equation: Equation, defined: set[str]) -> None:
    for ref in equation.left:
        role = variant.tensors[ref.name].role
        if ref.name in defined:
            raise InputError(f"{ref.name} is defined twice", equation.place)
        if role in _GIVEN:
            raise InputError(f"{ref.name} is given ({role}); an equation cannot define it", equation.place)
        if equation.writes and role not in _KEPT:
            raise InputError(
                f"`<-` writes a cache or a state, and {ref.name} is neither; declare its role or use `=`",
                equation.place,
            )
        if not equation.writes and role in _KEPT:
            raise InputError(f"{ref.name} is a {role}; it is written with `<-`", equation.place)
        _fits(variant, ref, equation)


def _check_right(variant: Variant, equation: Equation, defined: set[str], index: int) -> None:
    for ref in equation.uses:
        if ref.name not in variant.tensors:
            raise unknown("tensor", ref.name, variant.tensors, equation.place)
        tensor = variant.tensors[ref.name]
        if ref.old and tensor.role is not Role.STATE:
            raise InputError(
                f"old({ref.name}) is the value a state had before, and {ref.name} is no state", equation.place
            )
        own_state = tensor.role is Role.STATE and (ref.old or ref.name == equation.name)
        if tensor.role not in _GIVEN and ref.name not in defined and not own_state:
            raise InputError(_too_early(variant, equation, ref.name, index), equation.place)
        _fits(variant, ref, equation)
    if equation.barrier is not None:
        check_barrier(variant, equation)
        return
    for factors in equation.products:
        present = {axis for ref in factors.refs for axis in ref.axes}
        missing = [axis for axis in equation.left[0].axes if axis not in present]
        if equation.writes and variant.tensors[equation.name].role is Role.CACHE:
            _check_cache_rows(variant, equation, missing, present)
        elif missing:
            raise InputError(
                f"axis {missing[0]} of {equation.left[0]} does not occur on the right",
                equation.place,
            )


def _check_cache_rows(variant: Variant, equation: Equation, missing: list[str], present: set[str]) -> None:
    left = equation.left[0]
    rows = [a for a in left.axes if variant.axes[a].kind is AxisKind.CONTEXT]
    queries = [a for a in sorted(present) if variant.axes[a].kind is AxisKind.QUERY]
    if len(rows) != 1:
        raise InputError(f"the cache {left} needs exactly one context axis", equation.place)
    if missing != rows or len(queries) != 1 or queries[0] in left.axes:
        raise InputError(
            f"a cache is written with the new rows only: the context axis {rows[0]} of {left} stands for "
            "the one query axis on the right",
            equation.place,
        )


def _too_early(variant: Variant, equation: Equation, name: str, index: int) -> str:
    """Why `name` cannot be used yet: defined nowhere, later, or by way of this very equation."""
    defines = {ref.name: e for e in variant.equations for ref in e.left}
    if name not in defines:
        return f"{name} is used, but no equation defines it"
    if variant.tensors[name].role is Role.STATE:
        return (
            f"the state {name} is read before its new value is written; put its `<-` line first, or "
            f"write old({name}[...])"
        )
    later = {ref.name for e in variant.equations[index:] for ref in e.left}
    chain = [equation.name]
    current = name
    while current not in chain:
        chain.append(current)
        needed = [r.name for r in defines[current].uses if r.name in later]
        if not needed:
            return f"{name} is used before it exists; define it in an earlier line"
        current = next((n for n in needed if n in chain), needed[0])
    return "a cycle: " + " needs ".join([*chain[chain.index(current) :], current])


def _with_outputs(variant: Variant) -> Variant:
    if any(t.role is Role.OUTPUT for t in variant.tensors.values()):
        return variant
    last = variant.equations[-1].name
    if variant.tensors[last].role is not Role.TEMPORARY:
        raise InputError(
            f"the last equation writes {last}; end with the output, or give a tensor `role: output`",
            variant.equations[-1].place,
        )
    return replace(variant, tensors={**variant.tensors, last: replace(variant.tensors[last], role=Role.OUTPUT)})


def _with_scans(variant: Variant) -> Variant:
    """Each state with the axis along which it is updated: the one declared, else the query axis of its line."""
    tensors = dict(variant.tensors)
    for equation in variant.equations:
        state = variant.tensors[equation.name]
        if state.role is not Role.STATE:
            continue
        present = {axis for ref in equation.uses for axis in ref.axes} - {*equation.left[0].axes}
        if state.scan is not None:
            if state.scan not in present:
                raise InputError(
                    f"{state.name} is updated along {state.scan}, which no factor of its line has",
                    equation.place,
                )
            continue
        queries = sorted(axis for axis in present if variant.axes[axis].kind is AxisKind.QUERY)
        if len(queries) > 1:
            raise InputError(
                f"{state.name} could be updated along {' or '.join(queries)}; say which with `scan:`",
                equation.place,
            )
        tensors[state.name] = replace(state, scan=queries[0] if queries else None)
    return replace(variant, tensors=tensors)


def _check_use(variant: Variant, defined: set[str], problems: Problems) -> None:
    used = {ref.name for equation in variant.equations for ref in equation.uses}
    used |= {mask.selector for mask in variant.masks.values() if mask.selector}
    for tensor in variant.tensors.values():
        with problems.aside():
            _check_one_use(variant, tensor, defined, used)
    barrier_made = {r.name for e in variant.equations if e.barrier for r in e.left}
    for equation in variant.equations:
        for ref in equation.uses if equation.barrier is None else ():
            if ref.name in barrier_made and selects(variant, ref.name):
                raise InputError(f"{ref.name} is a selection; name it in a mask", equation.place)


def _check_one_use(variant: Variant, tensor: Tensor, defined: set[str], used: set[str]) -> None:
    if tensor.role in _KEPT and tensor.name not in defined:
        if variant.options and tensor.name not in used:
            return
        raise InputError(f"the {tensor.role} {tensor.name} is never written", tensor.place)
    if tensor.role is Role.OUTPUT and tensor.name not in defined:
        raise InputError(f"the output {tensor.name} is never defined", tensor.place)
    if tensor.name in used or tensor.role is Role.OUTPUT:
        return
    if tensor.name in defined or not variant.options:
        raise InputError(f"{tensor.name} is never used", tensor.place)


def _check_orders(variant: Variant, problems: Problems) -> None:
    single = {
        e.name: e for e in variant.equations if e.barrier is None and not e.writes and len(e.products) == 1
    }
    factors = {ref.name for e in variant.equations if e.barrier is None for ref in e.uses}
    formable = {name for name in single if name in factors and name not in variant.masks}
    for order in variant.orders:
        for name in (*order.forms, *order.avoids):
            if name in formable:
                continue
            with problems.aside():
                raise unknown(f"intermediate in the order {order.name!r}", name, formable, order.place)
