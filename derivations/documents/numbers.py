"""Numbers of formulas in a setting: exact rational numbers, roots to 30 decimals."""

from __future__ import annotations

from fractions import Fraction

from ..algebra import Ratio
from ..atoms import evaluate, free_symbols
from ..poly import Coefficient, Poly, product
from ..roots import Root
from ..yamlfile import Entry
from .formulas import NoNumber
from .given import given
from .setting import Setting
from .sheet import Sheet

__all__ = ["number", "values"]


def number(sheet: Sheet, formula: Entry, setting: Setting) -> Fraction:
    """The number of a formula in a setting, before the setting's own scale.

    Raises NoNumber where a size is missing or a divisor is zero.
    """
    return _number(sheet, sheet.formula(formula, setting), setting)


def _number(sheet: Sheet, ratio: Ratio, setting: Setting) -> Fraction:
    common = _common(ratio)
    ratio = Ratio(ratio.over * common, ratio.under * common)
    needed = {name for poly in (ratio.over, ratio.under) for name in free_symbols(poly)}
    known = values(sheet, needed, setting)
    above, below = evaluate(ratio.over, known), evaluate(ratio.under, known)
    if above is None or below is None:
        value = ratio.value(known)  # what is missing may cancel
        if value is not None:
            return value
        raise NoNumber(f"no number for {', '.join(sorted(needed - set(known)))}")
    if not below:
        raise NoNumber("a division by zero")
    return Fraction(above) / Fraction(below)


def values(sheet: Sheet, needed: set[str], setting: Setting) -> dict[str, Coefficient]:
    """Numbers for symbols, crossovers of the sheet among them."""
    found = given(needed, setting)
    for name in sorted(needed & set(sheet.entries)):
        found[name] = _crossing(sheet, name, setting)
    return found


def _crossing(sheet: Sheet, name: str, setting: Setting) -> Fraction:
    """Where the two quantities of a crossover are equal, the smallest such size above zero."""
    difference, symbol = sheet.crossing(name, setting)
    difference = difference * _others(difference.content(), symbol).inverse()
    if any(symbol in free_symbols(Poly.symbol(atom)) for atom in difference.names() - {symbol}):
        raise NoNumber(f"{name} has {symbol} inside a min, ceil or floor, where it is not solved")
    free = set(free_symbols(difference)) - {symbol}
    known = values(sheet, free, setting)
    parts = {power: evaluate(poly, known) for power, poly in difference.coefficients(symbol).items()}
    if any(value is None for value in parts.values()):
        raise NoNumber(f"no number for {', '.join(sorted(free - set(known)))}")
    numbers = {power: Fraction(value or 0) for power, value in parts.items() if value}
    lowest = min(numbers, default=0)
    c, b, a = (numbers.get(lowest + power, Fraction(0)) for power in (0, 1, 2))
    if len(numbers) < 2:
        raise NoNumber(f"{name} has no crossing")
    if max(numbers) - lowest > 2:
        raise NoNumber(f"{name} is no equation of first or second degree in {symbol}")
    found = _roots(a, b, c)
    if not found:
        raise NoNumber(f"{name} has no crossing")
    return min(found)


def _common(ratio: Ratio) -> Poly:
    """What a single term common to both sides is divided by, so that a size that cancels needs no number."""
    if not ratio.over:
        return Poly.const(1)
    above, below = (poly.content() for poly in (ratio.over, ratio.under))
    powers = [dict(next(poly.powers())[0]) for poly in (above, below)]
    shared = Poly.const(1)
    for name in powers[0].keys() & powers[1].keys():
        shared = shared * Poly.symbol(name) ** min(powers[0][name], powers[1][name])
    return shared.inverse()


def _others(content: Poly, symbol: str) -> Poly:
    """A single term without its number and without a symbol: what cancels needs no number."""
    powers = next(iter(content.powers()))[0]
    return product(Poly.symbol(name) ** power for name, power in powers.items() if name != symbol)


def _roots(a: Fraction, b: Fraction, c: Fraction) -> list[Fraction]:
    """The positive roots of a x^2 + b x + c."""
    if not a:
        return [-c / b] if -c / b > 0 else []
    signs = [Root(Poly.const(-b), Poly.const(b * b - 4 * a * c), Poly.const(2 * a), sign) for sign in (1, -1)]
    return [value for root in signs if (value := root.value({})) is not None and value > 0]
