"""States along the axis they are updated along, as a rewriting: each value of it has a state of its own.

A state is updated one token (or one chunk) after the other, and who reads it sees it as it is there.
With the axis written out, `M[h,k,v] <- a[s,h]*M[h,k,v] + K[s,h,k]*V[s,h,v]` is `M[s,h,k,v] <- ...`:
index points then count every update, and no bracket can add up tokens before their turn. What moves
stays one state, read and written once, unless the knob `traffic` lets it pass through memory each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .equations import Equation, Factors, Ref
from .errors import InputError
from .program import Role, Variant

__all__ = ["scanned"]


def scanned(variant: Variant) -> Variant:
    """The program with the axis of each state written out.

    Raises InputError where a state is read by something that has no place along the axis.
    """
    states = {
        t.name: t.scan
        for t in variant.tensors.values()
        if t.role is Role.STATE and t.scan is not None and t.scan not in t.axes
    }
    if not states:
        return variant
    tensors = dict(variant.tensors)
    for name, scan in states.items():
        tensors[name] = replace(tensors[name], axes=(scan, *tensors[name].axes))
    equations = tuple(_written_out(equation, states) for equation in variant.equations)
    return replace(variant, tensors=tensors, equations=equations)


def _written_out(equation: Equation, states: Mapping[str, str]) -> Equation:
    def moved(ref: Ref) -> Ref:
        scan = states.get(ref.name)
        if scan is None:
            return ref
        if ref.name != equation.name and not any(scan in left.axes for left in equation.left):
            raise InputError(
                f"{equation.name} reads the state {ref.name} and has no axis {scan}, along which that is "
                "updated; only the last value would be meant, and that is not derived",
                equation.place,
            )
        return replace(ref, axes=(scan, *ref.axes))

    def all_moved(refs: tuple[Ref, ...]) -> tuple[Ref, ...]:
        return tuple(map(moved, refs))

    return replace(
        equation,
        left=all_moved(equation.left),
        inputs=all_moved(equation.inputs),
        products=tuple(Factors(p.sign, all_moved(p.refs)) for p in equation.products),
    )
