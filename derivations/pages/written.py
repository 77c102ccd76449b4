"""Formulas of quantities as they are written, before anything is put in: a fraction stays a fraction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..documents.formulas import LONGEST
from ..report import Math
from ..syntax import parse
from ..yamlfile import Entry

__all__ = ["written"]


class _Binds(IntEnum):
    """How tightly the outermost operation of a formula binds."""

    SUM = 0
    PRODUCT = 1
    ATOM = 2


@dataclass(frozen=True, slots=True)
class _Set:
    """A formula that is set, and how it binds."""

    math: Math
    """The formula."""
    binds: _Binds
    """Its outermost operation."""
    line: bool = False
    """Whether it is a fraction, which needs no parentheses in LaTeX as a factor but does in text."""


def written(formula: Entry, symbol: Callable[[str], Math]) -> Math:
    """A formula as its author wrote it; `symbol` sets a name. Raises InputError with the place."""
    return parse(formula.text(LONGEST), formula.place, _Written(symbol), LONGEST).math


def _factor(part: _Set) -> Math:
    """A formula as a factor: sums in parentheses."""
    if part.binds > _Binds.SUM:
        return Math(part.math.latex, f"({part.math.text})" if part.line else part.math.text)
    return Math(f"({part.math.latex})", f"({part.math.text})")


class _Written:
    """Formulas as they are set."""

    def __init__(self, symbol: Callable[[str], Math]) -> None:
        self.symbol = symbol

    def number(self, value: int) -> _Set:
        return _Set(Math(str(value), str(value)), _Binds.ATOM)

    def name(self, name: str) -> _Set:
        return _Set(self.symbol(name), _Binds.ATOM)

    def add(self, left: _Set, right: _Set) -> _Set:
        one, two = left.math, right.math
        return _Set(Math(f"{one.latex} + {two.latex}", f"{one.text} + {two.text}"), _Binds.SUM)

    def subtract(self, left: _Set, right: _Set) -> _Set:
        one, two = left.math, _factor(right)
        return _Set(Math(f"{one.latex} - {two.latex}", f"{one.text} - {two.text}"), _Binds.SUM)

    def multiply(self, left: _Set, right: _Set) -> _Set:
        one, two = _factor(left), _factor(right)
        return _Set(Math(f"{one.latex}\\,{two.latex}", f"{one.text} {two.text}"), _Binds.PRODUCT)

    def divide(self, left: _Set, right: _Set) -> _Set:
        over, under = left.math, right.math
        above = f"({over.text})" if left.binds is _Binds.SUM else over.text
        below = under.text if right.binds is _Binds.ATOM else f"({under.text})"
        return _Set(
            Math(f"\\frac{{{over.latex}}}{{{under.latex}}}", f"{above} / {below}"), _Binds.PRODUCT, True
        )

    def power(self, base: _Set, exponent: int) -> _Set:
        one = base.math if base.binds is _Binds.ATOM else Math(f"({base.math.latex})", f"({base.math.text})")
        return _Set(Math(f"{one.latex}^{{{exponent}}}", f"{one.text}^{exponent}"), _Binds.ATOM)

    def minimum(self, parts: Sequence[_Set]) -> _Set:
        latex, text = (
            ", ".join(listed) for listed in zip(*((p.math.latex, p.math.text) for p in parts), strict=True)
        )
        return _Set(Math(f"\\min({latex})", f"min({text})"), _Binds.ATOM)

    def rounded(self, function: str, above: _Set, below: _Set) -> _Set:
        one, two = _factor(above), _factor(below)
        left, right = ("\\lceil", "\\rceil") if function == "ceil" else ("\\lfloor", "\\rfloor")
        latex = f"{left} {one.latex}/{two.latex} {right}"
        return _Set(Math(latex, f"{function}({one.text}/{two.text})"), _Binds.ATOM)
