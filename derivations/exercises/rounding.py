"""When a number that was typed is another one, rounded: as many digits count as were typed."""

from __future__ import annotations

from fractions import Fraction

from .typed import Digits

__all__ = ["DIGITS", "near", "rounds_to"]

DIGITS = 3
"""Significant digits that are asked for."""


def rounds_to(value: Fraction, exact: Fraction, digits: Digits | None, least: int) -> bool:
    """Whether a value is `exact`, or is it rounded to the digits that were typed, if those are enough."""
    if value == exact:
        return True
    if digits is None:
        return False
    counts = range(max(least, digits.least), digits.most + 1)
    return any(abs(value - exact) * 2 <= step(exact, count) for count in counts)


def near(value: Fraction, exact: Fraction) -> bool:
    """Whether a value agrees with another one in the digits asked for."""
    return abs(value - exact) * 2 <= step(exact, DIGITS)


def step(value: Fraction, digits: int) -> Fraction:
    """One unit of the last of so many significant digits."""
    power = 0
    while value >= Fraction(10) ** (power + 1):
        power += 1
    while value < Fraction(10) ** power:
        power -= 1
    return Fraction(10) ** (power - digits + 1)
