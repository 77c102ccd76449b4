"""The parts of Vega-Lite documents that plots share: the frame, logarithmic axes, legends, safe texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

from .errors import InputError

__all__ = [
    "HEIGHT",
    "INK",
    "WIDTH",
    "Number",
    "Spec",
    "axis",
    "chart",
    "coloured",
    "ends_of",
    "number",
    "place",
    "plain",
]

Number = int | float | Fraction
Spec = dict[str, Any]

WIDTH, HEIGHT = 640, 400
INK = "#222222"


def chart(title: str, subtitle: Sequence[str], layers: Sequence[Spec]) -> Spec:
    """A whole document: layers over each other, on axes that they share."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": plain(title),
        "title": {
            "text": plain(title),
            "subtitle": [plain(line) for line in subtitle],
            "anchor": "start",
            "frame": "group",
            "offset": 12,
        },
        "width": WIDTH,
        "height": HEIGHT,
        "background": "white",
        "padding": 12,
        "layer": list(layers),
        "config": {
            "font": "Helvetica, Arial, sans-serif",
            "view": {"stroke": "#888888"},
            "title": {"fontSize": 16, "subtitleFontSize": 12, "subtitleColor": "#555555", "limit": 0},
            "axis": {
                "gridColor": "#DDDDDD",
                "labelColor": INK,
                "labelFontSize": 12,
                "titleFontSize": 13,
                "titleFontWeight": "normal",
                "titlePadding": 10,
                "labelFlush": False,
            },
            "legend": {
                "orient": "bottom",
                "direction": "vertical",
                "columns": 1,
                "title": None,
                "labelLimit": 0,
                "labelFontSize": 12,
                "labelColor": INK,
                "offset": 14,
            },
        },
    }


def axis(field: str, title: str, ends: tuple[float, float]) -> Spec:
    """A logarithmic axis for a field, with ticks and labels of its own."""
    ticks = _ticks(*ends)
    raised = ticks[-1:] >= [10**7]
    values = json.dumps([number(tick) for tick in ticks])
    labels = json.dumps([_power(tick) if raised else f"{float(tick):,.9g}" for tick in ticks])
    return {
        "field": field,
        "type": "quantitative",
        "title": plain(title),
        "scale": {"type": "log", "domain": list(ends), "nice": False},
        "axis": {
            "values": json.loads(values),
            "labelExpr": f"{labels}[indexof({values}, datum.value)]",
        },
    }


def ends_of(numbers: Sequence[Number], title: str, air: float = 1.0) -> tuple[float, float]:
    """The ends of a logarithmic axis, `air` times wider on either side."""
    if not numbers:
        raise InputError(f"{title}: there is nothing to draw; give at least one point")
    low, high = min(numbers), max(numbers)
    if low <= 0:
        raise InputError(f"{title}: {low} has no place on a logarithmic axis; give numbers above 0")
    if low == high:
        air = max(air, 1.5)
    return float(low) / air, float(high) * air


def _ticks(low: float, high: float) -> list[Number]:
    """Powers of ten, with 2 and 5 or all digits between them where there are few, else even steps."""
    decades = log10(high / low)
    if decades < 0.5:
        step = Fraction(10) ** floor(log10((high - low) / 3))
        while (high - low) / step > 7:
            step *= 2
        return [count * step for count in range(ceil(low / step), floor(high / step) + 1)]
    digits = (1,) if decades > 3 else (1, 2, 5) if decades > 1 else range(1, 10)
    stride = ceil(decades / 10)
    powers = [power for power in range(floor(log10(low)), ceil(log10(high)) + 1) if power % stride == 0]
    ticks = [digit * Fraction(10) ** power for power in powers for digit in digits]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def _power(tick: Number) -> str:
    """`100`, `10⁹`, `2·10⁹`."""
    if tick < 1000:
        return f"{float(tick):g}"
    power = floor(log10(tick) + 1e-12)
    digits = f"{float(tick / Fraction(10) ** power):.4g}"
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return ("" if digits == "1" else f"{digits}·") + f"10{raised}"


def coloured(names: Sequence[str], values: Sequence[Any], legend: Spec) -> Spec:
    """What tells orders apart, and how the legend shows it."""
    return {
        "field": "order",
        "type": "nominal",
        "scale": {"domain": names, "range": values},
        "legend": legend,
    }


def place() -> Spec:
    """Coordinates on the axes of another layer."""
    return {field: {"field": field, "type": "quantitative"} for field in ("x", "y")}


def plain(text: str) -> str:
    """Text without characters that no file of drawn text may hold."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def number(value: Number) -> int | float:
    """As JSON holds it everywhere: whole numbers up to 2**53 stay whole."""
    near = float(value)
    return int(near) if near.is_integer() and abs(near) <= 2**53 else near
