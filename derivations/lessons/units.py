"""Units of formulas: what a quantity of the ledger is measured in, and what follows for a formula of it.

A formula of sizes alone has no unit of its own, so it may stand beside any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..documents.formulas import LONGEST
from ..documents.sheet import Sheet
from ..syntax import Wrong, parse
from ..yamlfile import Entry

__all__ = ["NONE", "Unit", "unit_of"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of FLOPs, bytes and seconds."""

    flops: int = 0
    """Power of FLOP."""
    bytes: int = 0
    """Power of B."""
    seconds: int = 0
    """Power of s."""

    def __mul__(self, other: Unit) -> Unit:
        return Unit(self.flops + other.flops, self.bytes + other.bytes, self.seconds + other.seconds)

    def __pow__(self, exponent: int) -> Unit:
        return Unit(self.flops * exponent, self.bytes * exponent, self.seconds * exponent)

    @property
    def text(self) -> str:
        """Such as `FLOP/B`; nothing for a number."""
        powers = (("FLOP", self.flops), ("B", self.bytes), ("s", self.seconds))
        above = [name if power == 1 else f"{name}^{power}" for name, power in powers if power > 0]
        below = [name if power == -1 else f"{name}^{-power}" for name, power in powers if power < 0]
        if not below:
            return " ".join(above)
        return "/".join([" ".join(above) or "1", *below])


NONE = Unit()
_FLOP, _BYTE, _SECOND = Unit(flops=1), Unit(bytes=1), Unit(seconds=1)
_KINDS = {
    "flops": _FLOP, "chain": _FLOP, "bytes": _BYTE, "row": _BYTE, "intensity": _FLOP * _BYTE**-1,
    "elements": NONE, "crossover": NONE,
}  # fmt: skip
_SYMBOLS = {
    "b": _BYTE, "b_M": _BYTE, "R": _FLOP * _BYTE**-1, "R_fp8": _FLOP * _BYTE**-1,
    "bandwidth": _BYTE * _SECOND**-1, "peak": _FLOP * _SECOND**-1, "peak_fp8": _FLOP * _SECOND**-1,
}  # fmt: skip


def unit_of(sheet: Sheet, formula: Entry) -> Unit:
    """The unit of a formula. Raises InputError where it adds what has different units."""

    def named(name: str) -> Unit:
        kind = sheet.kind(name) if name in sheet.entries else ""
        if kind == "formula":
            return unit_of(sheet, sheet.entries[name])
        if kind == "limit":
            return unit_of(sheet, sheet.fields[name]["limit"])
        if kind == "part":
            return _SYMBOLS[sheet.fields[name]["figure"].text()]
        return _KINDS[kind] if kind else _SYMBOLS.get(name, NONE)

    return parse(formula.text(LONGEST), formula.place, _Units(named), LONGEST)


class _Units:
    """Formulas as units."""

    def __init__(self, named: Callable[[str], Unit]) -> None:
        self.named = named

    def number(self, value: int) -> Unit:
        return NONE

    def name(self, name: str) -> Unit:
        return self.named(name)

    def add(self, left: Unit, right: Unit) -> Unit:
        if NONE not in (left, right) and left != right:
            raise Wrong(f"{left.text} and {right.text} cannot be added")
        return right if left == NONE else left

    def subtract(self, left: Unit, right: Unit) -> Unit:
        return self.add(left, right)

    def multiply(self, left: Unit, right: Unit) -> Unit:
        return left * right

    def divide(self, left: Unit, right: Unit) -> Unit:
        return left * right**-1

    def power(self, base: Unit, exponent: int) -> Unit:
        return base**exponent

    def minimum(self, parts: Sequence[Unit]) -> Unit:
        result = NONE
        for part in parts:
            result = self.add(result, part)
        return result

    def rounded(self, function: str, above: Unit, below: Unit) -> Unit:
        return self.divide(above, below)
