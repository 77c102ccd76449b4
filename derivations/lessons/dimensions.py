"""Dimensions of formulas: what a quantity of the ledger is measured in, and what follows for a formula of it.

A formula of sizes alone has no unit of its own, so it may stand beside any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..documents.formulas import LONGEST
from ..documents.sheet import Sheet
from ..syntax import Wrong, parse
from ..yamlfile import Entry

__all__ = ["NONE", "Dimension", "dimension_of"]


@dataclass(frozen=True, slots=True)
class Dimension:
    """A product of powers of FLOPs, bytes and seconds."""

    flops: int = 0
    """Power of FLOP."""
    bytes: int = 0
    """Power of B."""
    seconds: int = 0
    """Power of s."""

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(self.flops + other.flops, self.bytes + other.bytes, self.seconds + other.seconds)

    def __pow__(self, exponent: int) -> Dimension:
        return Dimension(self.flops * exponent, self.bytes * exponent, self.seconds * exponent)

    @property
    def text(self) -> str:
        """Such as `FLOP/B`; nothing for a number."""
        powers = (("FLOP", self.flops), ("B", self.bytes), ("s", self.seconds))
        above = [name if power == 1 else f"{name}^{power}" for name, power in powers if power > 0]
        below = [name if power == -1 else f"{name}^{-power}" for name, power in powers if power < 0]
        if not below:
            return " ".join(above)
        return "/".join([" ".join(above) or "1", *below])


NONE = Dimension()
_FLOP, _BYTE, _SECOND = Dimension(flops=1), Dimension(bytes=1), Dimension(seconds=1)
_KINDS = {
    "flops": _FLOP, "chain": _FLOP, "bytes": _BYTE, "row": _BYTE, "intensity": _FLOP * _BYTE**-1,
    "elements": NONE, "crossover": NONE,
}  # fmt: skip
_SYMBOLS = {
    "b": _BYTE, "b_M": _BYTE, "R": _FLOP * _BYTE**-1, "R_fp8": _FLOP * _BYTE**-1,
    "bandwidth": _BYTE * _SECOND**-1, "peak": _FLOP * _SECOND**-1, "peak_fp8": _FLOP * _SECOND**-1,
}  # fmt: skip


def dimension_of(sheet: Sheet, formula: Entry) -> Dimension:
    """The dimension of a formula. Raises InputError where it adds what has different ones."""

    def named(name: str) -> Dimension:
        kind = sheet.kind(name) if name in sheet.entries else ""
        if kind == "formula":
            return dimension_of(sheet, sheet.entries[name])
        if kind == "limit":
            return dimension_of(sheet, sheet.fields[name]["limit"])
        if kind == "part":
            return _SYMBOLS[sheet.fields[name]["figure"].text()]
        return _KINDS[kind] if kind else _SYMBOLS.get(name, NONE)

    return parse(formula.text(LONGEST), formula.place, _Dimensions(named), LONGEST)


class _Dimensions:
    """Formulas as dimensions."""

    def __init__(self, named: Callable[[str], Dimension]) -> None:
        self.named = named

    def number(self, value: int) -> Dimension:
        return NONE

    def name(self, name: str) -> Dimension:
        return self.named(name)

    def add(self, left: Dimension, right: Dimension) -> Dimension:
        if NONE not in (left, right) and left != right:
            raise Wrong(f"{left.text} and {right.text} cannot be added")
        return right if left == NONE else left

    def subtract(self, left: Dimension, right: Dimension) -> Dimension:
        return self.add(left, right)

    def multiply(self, left: Dimension, right: Dimension) -> Dimension:
        return left * right

    def divide(self, left: Dimension, right: Dimension) -> Dimension:
        return left * right**-1

    def power(self, base: Dimension, exponent: int) -> Dimension:
        return base**exponent

    def minimum(self, parts: Sequence[Dimension]) -> Dimension:
        result = NONE
        for part in parts:
            result = self.add(result, part)
        return result

    def rounded(self, function: str, above: Dimension, below: Dimension) -> Dimension:
        return self.divide(above, below)
