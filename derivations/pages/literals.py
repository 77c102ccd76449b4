"""Values and formulas as Python text: what stands in a code cell can only be what it was written from."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..poly import Coefficient

if TYPE_CHECKING:
    import sympy

__all__ = ["WIDTH", "call", "formula", "listing", "literal", "mapping", "variable"]

WIDTH = 100
"""Columns of a line of code."""
_USED = (
    "d sympy Fraction replace variant conventions model values gpu study derivation orders graph order flops "
    "names moved intensity closed numbers times kept limit state free asked crossover star judgements name one "
    "value In Out get_ipython"
)
_TAKEN = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_USED.split()))


def literal(value: str | Coefficient | None) -> str:
    """A text or a number; any text becomes one literal of one line, in ASCII."""
    if isinstance(value, Fraction) and value.denominator > 1:
        return f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, Fraction):
        return str(value.numerator)
    if isinstance(value, str) and re.fullmatch(r"[ -!#-\[\]-~]*", value):
        return f'"{value}"'
    return ascii(value)


def variable(symbol: str) -> str:
    """The variable of a size symbol: its name, unless the language or the cells use that already."""
    return f"{symbol}_" if symbol in _TAKEN else symbol


def call(name: str, arguments: Iterable[str]) -> str:
    """A call, on as many lines as it needs."""
    listed = list(arguments)
    line = f"{name}({', '.join(listed)})"
    return line if len(line) <= WIDTH else f"{name}(\n{_indented(listed)})"


def listing(items: Iterable[str]) -> str:
    """A list of pieces of code, as many on a line as fit."""
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) > WIDTH - 20:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{item}"
    if len(lines) == 1:
        return f"[{lines[0]}]"
    return f"[\n{_indented(lines)}]"


def mapping(items: Mapping[str, str]) -> str:
    """A dict: text -> piece of code; a key that starts with `**` is unpacked and has no value."""
    listed = [key if key.startswith("**") else f"{literal(key)}: {value}" for key, value in items.items()]
    line = f"{{{', '.join(listed)}}}"
    return line if len(line) <= WIDTH - 20 else f"{{\n{_indented(listed)}}}"


def _indented(items: Iterable[str]) -> str:
    return "".join(f"    {item},\n" for item in items)


def formula(expression: sympy.Expr) -> str:
    """A sympy expression that Python reads as the same one, in parentheses where it is long or a sum."""
    text = _printer().doprint(expression)
    if len(text) <= WIDTH - 40:
        return f"({text})" if " " in text else text
    lines = textwrap.wrap(text, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return "(\n" + "".join(f"    {line}\n" for line in lines) + ")"


@lru_cache(maxsize=1)
def _printer() -> Any:
    """Made when a formula is first printed: sympy takes long to import."""
    from sympy import S
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):
        def _print_Symbol(self, expr: Any) -> str:
            return variable(expr.name)

        def _print_Rational(self, expr: Any) -> str:
            return f"sympy.Rational({expr.p}, {expr.q})"

        def _print_Function(self, expr: Any) -> str:
            return f"sympy.{type(expr).__name__}({self.stringify(expr.args, ', ')})"

        _print_Min = _print_ceiling = _print_floor = _print_Function

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            if expr.exp is S.Half:
                return f"sympy.sqrt({self.doprint(expr.base)})"
            return str(super()._print_Pow(expr, rational))

    return Printer()
