"""Numbers with units for people: few digits and a prefix, or every digit."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log10

from ..lessons.dimensions import Dimension
from ..report import Math
from .figures import fixed
from .parts import bytes_text, number_math

__all__ = ["measured"]

_LARGE = ((15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"), (0, ""))
_SMALL = ((0, ""), (-3, "m"), (-6, "µ"), (-9, "n"))
_DIGITS = 4
_COUNTED = (Dimension(flops=1), Dimension(flops=1, seconds=-1), Dimension(bytes=1, seconds=-1))
"""Units that take a prefix; bytes alone have two kinds of prefixes, and show both."""


def measured(value: Fraction, unit: Dimension, exact: bool = False) -> tuple[Math, str]:
    """A number and its unit, with a space before the unit where there is one."""
    space = f" {unit.text}" if unit.text else ""
    if exact:
        return number_math(value), space
    if unit == Dimension(bytes=1) and abs(value) >= 1000:
        number, _, words = bytes_text(value).partition(" ")
        return Math(number, number), f" {words}"
    if unit in _COUNTED or unit == Dimension(seconds=1):
        powers = _SMALL if unit == Dimension(seconds=1) else _LARGE
        power, prefix = next((p for p in powers if abs(value) >= Fraction(10) ** p[0]), powers[-1])
        return _rounded(value / Fraction(10) ** power), f" {prefix}{unit.text}"
    return number_math(value) if value.denominator == 1 else _rounded(value), space


def _rounded(value: Fraction) -> Math:
    """A number with four significant digits; every digit before the point, and no zeros at the end."""
    if not value:
        return Math("0", "0")
    decimals = max(0, _DIGITS - 1 - floor(log10(abs(float(value)))))
    text = fixed(value, decimals)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Math(text.replace(",", "{,}"), text)
