"""What a legal barrier and a legal mask are: functions fit their inputs, masks their score tensors."""

from __future__ import annotations

from collections.abc import Mapping

from .equations import BARRIERS, Equation
from .errors import InputError, unknown
from .problems import Problems
from .program import AxisKind, Mask, Variant

__all__ = ["check_barrier", "check_masks", "selects"]


def _check_view(variant: Variant, equation: Equation) -> None:
    """`last` takes one tensor along a query axis and gives it a new axis: how far back a row stands."""
    if (len(equation.left), len(equation.inputs), len(equation.over)) != (1, 1, 1):
        raise InputError("last takes one tensor, gives one, and has one new axis in brackets", equation.place)
    (left,), (taken,), (back,) = equation.left, equation.inputs, equation.over
    kinds = {axis: variant.axes[axis].kind for axis in (*left.axes, *taken.axes)}
    if back in taken.axes or back not in left.axes or kinds[back] is not AxisKind.OTHER:
        raise InputError(
            f"last[{back}] adds the axis {back} (how far back), so {left} has it and {taken} has it not",
            equation.place,
        )
    queries = [[a for a in ref.axes if kinds[a] is AxisKind.QUERY] for ref in (taken, left)]
    rest = [{a for a in ref.axes if kinds[a] is not AxisKind.QUERY} - {back} for ref in (taken, left)]
    if [len(found) for found in queries] != [1, 1] or rest[0] != rest[1]:
        raise InputError(
            f"last keeps the axes of {taken}, which has one query axis; only that may become another one",
            equation.place,
        )


def check_barrier(variant: Variant, equation: Equation) -> None:
    kind = BARRIERS[equation.barrier or ""]
    if kind.view:
        _check_view(variant, equation)
        return
    for axis in equation.over:
        if not any(axis in ref.axes for ref in equation.inputs):
            raise InputError(f"{equation.barrier} works along {axis}, which no input has", equation.place)
    if len(equation.left) not in (1, len(equation.inputs)):
        raise InputError(f"{equation.barrier} defines one tensor, or one for each input", equation.place)
    present = {axis for ref in equation.inputs for axis in ref.axes}
    for ref in equation.left:
        for axis in ref.axes:
            if axis not in present:
                raise InputError(f"axis {axis} of {ref} does not occur on the right", equation.place)
    if not kind.selects and len(equation.left) == len(equation.inputs):
        for out, taken in zip(equation.left, equation.inputs, strict=True):
            if set(out.axes) != set(taken.axes):
                raise InputError(f"{equation.barrier} keeps the axes of {taken}, not {out}", equation.place)


def selects(variant: Variant, name: str) -> bool:
    return any(
        e.barrier and BARRIERS[e.barrier].selects and name in {r.name for r in e.left}
        for e in variant.equations
    )


def check_masks(variant: Variant, problems: Problems) -> None:
    """Masks belong to score tensors, selectors come out of a selection."""
    defines = {ref.name: e for e in variant.equations for ref in e.left}
    for name, mask in variant.masks.items():
        with problems.aside():
            _check_mask(variant, defines, name, mask)


def _check_mask(variant: Variant, defines: Mapping[str, Equation], name: str, mask: Mask) -> None:
    if name in defines and defines[name].barrier is not None:
        raise InputError(
            f"{name} comes out of {defines[name].barrier}; a mask belongs to its input", mask.place
        )
    if name not in defines:
        scores = [n for n, e in defines.items() if e.barrier is None and _is_score(variant, n)]
        raise unknown("score tensor of a mask", name, scores, mask.place)
    kinds = [variant.axes[a].kind for a in variant.tensors[name].axes]
    if kinds.count(AxisKind.QUERY) != 1 or kinds.count(AxisKind.CONTEXT) != 1:
        raise InputError(f"a mask needs one query and one context axis, and {name} has not", mask.place)
    if mask.selector is not None and not (mask.selector in defines and selects(variant, mask.selector)):
        raise InputError(f"the selector {mask.selector} is not defined by top_n", mask.place)


def _is_score(variant: Variant, name: str) -> bool:
    kinds = {variant.axes[axis].kind for axis in variant.tensors[name].axes}
    return {AxisKind.QUERY, AxisKind.CONTEXT} <= kinds
