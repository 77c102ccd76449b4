"""Whether numbers can be sizes: axes are whole, widths positive, a phase fixes S, a variant assumes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from .atoms import evaluate, free_symbols
from .conventions import Conventions
from .dims import DEPLOYED, STANDARD, check_size
from .errors import InputError, unknown
from .poly import Coefficient, Poly
from .program import Variant

__all__ = ["check_sizes"]


def check_sizes(variant: Variant, values: Mapping[str, Coefficient], conventions: Conventions) -> None:
    """Raises InputError unless the numbers can be sizes of this variant in this phase."""
    for name, value in values.items():
        if name not in variant.symbols and name not in STANDARD and name not in DEPLOYED:
            raise unknown(f"size of {variant.name}", name, variant.symbols)
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            raise InputError(f"{name} = {value!r} is no exact number; sizes are int or Fraction")
    phase = conventions.phase
    queries = values.get("S")
    if queries is not None and phase == "decode" and queries != 1:
        raise InputError(f"decode has one query token, and S={queries} was given; use --phase verify")
    if queries is not None and phase == "prefill" and queries != values.get("L", queries):
        raise InputError(f"prefill has S = L, and S={queries}, L={values['L']} were given; use --phase verify")
    numbers = dict(values)
    if phase == "decode":
        numbers["S"] = 1
    elif phase == "prefill" and ("L" in values or queries is not None):
        numbers["S"] = numbers["L"] = values.get("L", queries or 1)
    if "S" in numbers and "L" in numbers and numbers["S"] > numbers["L"]:
        raise InputError(
            f"S={numbers['S']} is larger than L={numbers['L']}; the context includes the query tokens"
        )
    for axis in variant.axes.values():
        if axis.average:
            continue
        if phase == "decode" and _never_whole(axis.size):
            left = axis.size.map_symbols({"S": Poly.const(1)}.get).text()
            raise InputError(
                f"in decode, with one query token, the axis {axis.name} of {variant.name} would have {left} "
                "values; use --phase verify or prefill"
            )
        try:
            size = evaluate(axis.size, numbers)
        except ZeroDivisionError as error:
            raise InputError(
                f"the size of the axis {axis.name} of {variant.name} divides by {error}, which is 0 here"
            ) from None
        if size is None:
            continue
        if Fraction(size).denominator != 1 or size < 1:
            raise InputError(_broken_axis(variant, axis.name, numbers))
        check_size(axis.name, int(size), f"axis {axis.name} of {variant.name}")
    _check_widths(variant, numbers)
    for comparison in variant.assume:
        slack = evaluate(comparison.slack, numbers)
        if slack is None:
            continue
        holds = slack == 0 if comparison.equal else slack > 0 if comparison.strict else slack >= 0
        if not holds:
            used = {n: numbers[n] for n in sorted(free_symbols(comparison.slack)) if n in numbers}
            shown = ", ".join(f"{n}={v}" for n, v in used.items())
            raise InputError(f"{variant.name} assumes {comparison.text}, which fails for {shown}")


def _never_whole(size: Poly) -> bool:
    """Whether a size that depends on S is a true fraction where S is 1, whatever the other symbols are."""
    one = size.map_symbols({"S": Poly.const(1)}.get)
    return one != size and all(powers and max(powers.values()) < 0 for powers, _ in one.powers())


def _check_widths(variant: Variant, numbers: Mapping[str, Coefficient]) -> None:
    """Widths in bytes and sizes of masks must be positive where numbers decide."""
    sized = [(f"the width of {t.name}", t.width) for t in variant.tensors.values()]
    sized += [(f"the mask of {name}", m.size) for name, m in variant.masks.items() if m.size is not None]
    for what, size in sized:
        value = evaluate(size, numbers)
        if value is not None and value <= 0:
            shown = ", ".join(f"{n}={numbers[n]}" for n in sorted(free_symbols(size)) if n in numbers)
            raise InputError(f"{what} in {variant.name} would be {value} with {shown}; it must be positive")


def _broken_axis(variant: Variant, name: str, values: Mapping[str, Coefficient]) -> str:
    size = variant.axes[name].size
    top = " ".join(n for powers, _ in size.powers() for n, e in sorted(powers.items()) if e > 0)
    bottom = " ".join(n for powers, _ in size.powers() for n, e in sorted(powers.items()) if e < 0)
    shown = ", ".join(f"{n}={values[n]}" for n in sorted(free_symbols(size)) if n in values)
    value = evaluate(size, values)
    if bottom:
        return (
            f"{top or 1} must be a multiple of {bottom}: with {shown} the axis {name} of {variant.name} "
            f"would have {value} values"
        )
    return f"with {shown} the axis {name} of {variant.name} would have {value} values, not a whole number"
