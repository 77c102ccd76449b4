"""When a number that was typed is another one, rounded: as many digits count as were typed."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from .typed import Digits

__all__ = ["DIGITS", "Fit", "fit", "leading", "near"]

DIGITS = 3
"""Significant digits that are asked for."""
_OF_A_DOUBLE = 15
_ULPS = Fraction(1, 2**50)
"""A number in double precision has so many digits or more, and may be off by so much."""


class Fit(StrEnum):
    """How a figure that was typed stands to an exact one."""

    SAME = "same"
    """It is that number."""
    ROUNDED = "rounded"
    """It is that number rounded to the digits typed, and they are enough."""
    SHORT = "short"
    """It is that number rounded to the digits typed, which are too few."""
    CUT = "cut"
    """It is that number cut off after the digits typed, which would be enough."""
    NONE = "none"
    """It is another number."""


def fit(value: Fraction, exact: Fraction, digits: Digits | None) -> Fit:
    """How a figure, written with so many digits, stands to an exact number; without digits it is exact.

    Zeros that end a whole number may be digits or not: any number of them may be meant. Halves are rounded
    either way.
    """
    if value == exact:
        return Fit.SAME
    if digits is None:
        return Fit.NONE
    if digits.most >= _OF_A_DOUBLE and abs(value - exact) <= exact * _ULPS:  # as a program prints it
        return Fit.SAME
    counts = range(digits.least, digits.most + 1)
    if any(_enough(value, exact, count) and _rounds(value, exact, count) for count in counts):
        return Fit.ROUNDED
    # 300 is not 270: of the digits that may be meant, two must agree where there are two
    if any(_rounds(value, exact, count) for count in counts if count >= min(2, digits.most)):
        return Fit.SHORT
    cut = (step(value, count) for count in counts if count >= DIGITS)
    return Fit.CUT if any(value < exact < value + one for one in cut) else Fit.NONE


def _rounds(value: Fraction, exact: Fraction, count: int) -> bool:
    return abs(value - exact) * 2 <= step(value, count)


def _enough(value: Fraction, exact: Fraction, count: int) -> bool:
    """Whether a figure of so many digits says as much as three digits of the exact number do.

    Beside a power of ten the two differ: 100 is 99.96 in three digits, and 1000 is not 996.
    """
    if step(value, count) <= step(exact, DIGITS):
        return True
    return count >= DIGITS and abs(value - exact) * 2 <= step(exact, count)


def near(value: Fraction, exact: Fraction) -> bool:
    """Whether a value agrees with another one in the digits asked for."""
    return abs(value - exact) * 2 <= step(exact, DIGITS)


def leading(value: Fraction) -> int:
    """The digits asked for, of a number rounded to them."""
    return (2 * value // step(value, DIGITS) + 1) // 2


def step(value: Fraction, digits: int) -> Fraction:
    """One unit of the last of so many significant digits."""
    power = 0
    while value >= Fraction(10) ** (power + 1):
        power += 1
    while value < Fraction(10) ** power:
        power -= 1
    return Fraction(10) ** (power - digits + 1)
