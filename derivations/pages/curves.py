"""Drawings that a file asks for: curves of its quantities over a size, every point derived."""

from __future__ import annotations

from fractions import Fraction

from ..documents.document import Drawing
from ..documents.formulas import NoNumber
from ..documents.numbers import number
from ..documents.setting import Setting
from ..documents.sheet import Sheet
from ..plots import Mark, Series, line_chart
from ..vega import Spec
from ..yamlfile import Entry

__all__ = ["drawing_of"]

_POINTS = 160
"""Of a curve."""


def drawing_of(sheet: Sheet, drawing: Drawing, y_title: str = "ratio") -> Spec:
    """A drawing on logarithmic axes. Raises InputError where a curve has no number above zero."""
    low, high = drawing.ends
    places = sorted({round(low * (high / low) ** (i / _POINTS)) for i in range(_POINTS + 1)})
    curves = [
        Series(name, tuple((x, _at(sheet, drawing, formula, x)) for x in places))
        for name, formula in drawing.curves.items()
    ]
    marks = [Mark(_value(sheet, at, drawing.setting), label) for label, at in drawing.marks.items()]
    return line_chart(drawing.title, drawing.symbol, y_title, curves, marks)


def _at(sheet: Sheet, drawing: Drawing, formula: Entry, x: int) -> Fraction:
    return _value(sheet, formula, drawing.setting.with_sizes(**{drawing.symbol: x}))


def _value(sheet: Sheet, formula: Entry, setting: Setting) -> Fraction:
    try:
        value = number(sheet, formula, setting)
    except NoNumber as error:
        raise formula.fail(str(error)) from None
    if value <= 0:
        raise formula.fail("a drawing on logarithmic axes needs numbers above zero")
    return value
