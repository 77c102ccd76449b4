"""What is said of a wrong answer that no slip gives: how far off a number is, what a formula lacks."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..algebra import Ratio
from .answer import Answer

__all__ = ["formula_hint", "listed", "size_hint"]


def size_hint(factor: Fraction) -> str:
    """How far off a number is, roughly: enough to think again, not enough to mend it by division."""
    side = "large" if factor > 1 else "small"
    times = factor if factor > 1 else 1 / factor
    if times < Fraction(51, 50):
        return f"Close, but a little too {side}; look at what is counted at the edges."
    if times < Fraction(11, 10):
        return f"Too {side}, by less than a tenth."
    steps = (2, 10, 100, 1000)
    bound = next((step for step in steps if times < step), None)
    if bound is None:
        return f"Too {side}, by more than a factor of {steps[-1]}; look at the units."
    return f"Too {side}, by less than a factor of {bound}."


def formula_hint(mine: Ratio, right: Answer) -> str:
    """What a wrong formula lacks or has too much of."""
    if right.ratio is None:
        return "That is not it."
    has, needs = mine.symbols(), right.ratio.symbols()
    if needs - has:
        return f"That is not it: the answer depends on {listed(sorted(needs - has))} too."
    if has - needs:
        return f"That is not it: the answer does not depend on {listed(sorted(has - needs))}."
    quotient = Ratio(mine.over * right.ratio.under, mine.under * right.ratio.over)
    if not quotient.symbols():
        return "That is right but for a factor that is a number."
    return "That has the right symbols, but not the right sum; look at each term by itself."


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them; there is one at least."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
