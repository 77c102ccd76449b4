"""Numbers of a document as its own figures look: the same unit, and digits enough to see a difference."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log10

from ..documents.document import Claim
from ..documents.printed import Printed
from ..documents.verdict import Verdict
from ..notation import number_text

__all__ = ["compact", "derived_text", "factor_off", "figure_text", "fixed", "printed_text", "sentence"]

_PREFIXES = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"))


def compact(value: Fraction) -> str:
    """A number with four digits, millions and more with a prefix."""
    for size, prefix in _PREFIXES:
        if abs(value) >= size:
            return f"{_significant(value / size, 4)} {prefix}"
    return number_text(value) if value.denominator == 1 else _significant(value, 4)


def figure_text(value: Fraction, printed: Printed, same: bool) -> str:
    """A derived number in the unit of a figure; with the figure's own digits where they are the `same`."""
    number = value / printed.scale
    text = fixed(number, printed.decimals)
    if not (same and printed.rounded and Fraction(text.replace(",", "")) == printed.number):
        text = _significant(number, min(max(printed.digits, 2) + 1, 5) if printed.rounded else 3)
    elif printed.digits == 1 and printed.text[:1] in "~a" and number.denominator != 1:
        text = _significant(number, 3)
    unit = printed.unit.replace("x", "×")
    return text + (unit if unit in ("", "×", "%") else f" {unit}")


def _significant(number: Fraction, digits: int) -> str:
    """A number to so many significant digits, whole ones in full."""
    if number.denominator == 1:
        return f"{int(number):,}"
    decimals = max(0, digits - 1 - floor(log10(abs(number))))
    return fixed(number, decimals)


def fixed(number: Fraction, decimals: int) -> str:
    """A number with so many decimals, a half rounded away from zero."""
    scaled = floor(abs(number) * 10**decimals + Fraction(1, 2))
    whole, rest = divmod(scaled, 10**decimals)
    sign = "-" if number < 0 and scaled else ""
    return f"{sign}{whole:,}" + (f".{rest:0{decimals}d}" if decimals else "")


def derived_text(verdict: Verdict) -> str:
    """What is derived for a figure, at all its places."""
    printed = verdict.claim.printed
    assert printed is not None
    values = [r.value for r in verdict.readings if r.value is not None]
    same = verdict.status == "holds"
    texts = list(dict.fromkeys(figure_text(value, printed, same) for value in values))
    if len(texts) < 3:
        return " or ".join(texts)
    return f"{figure_text(min(values), printed, same)} to {figure_text(max(values), printed, same)}"


def printed_text(claim: Claim) -> str:
    """A figure as printed; in brackets where it is our reading of words."""
    text = claim.prints.replace("x", "×")
    return f"({text})" if claim.in_words else text


def factor_off(verdict: Verdict) -> Fraction | None:
    """By what factor the printed figure is off, at the worst place; None for statements and open figures."""
    printed = verdict.claim.printed
    if printed is None or verdict.status == "holds":
        return None
    values = [r.value for r in verdict.readings if r.value]
    ends = (
        printed.bounds
        if printed.bounds is not None and not printed.rounded
        else (printed.middle, printed.middle)
    )
    if not all(ends) or not values:
        return None
    return max(max(value / ends[1], ends[0] / value, Fraction(1)) for value in values)


def sentence(words: str) -> str:
    """Words with a capital at the start."""
    return words[:1].upper() + words[1:]
