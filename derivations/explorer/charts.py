"""The charts of the page as Vega documents without data: the page's script puts in rows and colours."""

from __future__ import annotations

from typing import Any

from ..drawing import compiled
from ..plots import DASHES
from ..vega import INK, Spec
from .variants import ROWS

__all__ = ["charts"]

SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "triangle-right")
LATENT = "mla+rope"


def charts() -> dict[str, Spec]:
    """Name of the figure -> its document; each layer's data has a name that the script fills.

    Raises InputError without the extra `plots`.
    """
    queries, context = _axis("x", "S, query tokens"), _axis("x", "L, context tokens")
    labels = [row.label for row in ROWS]
    orders = [row.label for row in ROWS if row.variant == LATENT]
    drawn = {
        "roofline": _roofline(labels),
        "orders": _lines(
            "FLOPs of the two orders of MLA against the query tokens of a step",
            queries, _axis("y", "FLOP in one layer"), orders,
        ),
        "times": _lines(
            "Time of one layer against the query tokens of a step",
            queries, _axis("y", "time in one layer", "s"), labels,
        ),
        "cache": _lines(
            "Bytes kept on one rank against the context", context, _axis("y", "bytes on one rank", "B"), labels
        ),
    }  # fmt: skip
    return {name: compiled(spec) for name, spec in drawn.items()}


def _chart(description: str, layers: list[Spec]) -> Spec:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": description,
        "width": "container",
        "height": 280,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        "config": {"view": {"stroke": None}},
        "params": [{"name": "ink", "value": INK}],
        "layer": layers,
    }


def _axis(field: str, title: str, unit: str = "") -> Spec:
    """A logarithmic axis whose numbers have a letter for thousands, millions and so on, and a unit."""
    shown = f"datum.label ? datum.label + {unit!r} : ''"  # ticks between powers have no label
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "nice": False, **({"padding": 8} if field == "y" else {})},
        "axis": {"format": "~s", "tickCount": 6, "labelOverlap": True, "labelExpr": shown},
    }


def _told_apart(channel: str, values: Any, legend: Spec) -> Spec:
    """Variants by colour, dashes or shape: the same ones in every chart, whichever it shows."""
    scale = {"domain": [row.label for row in ROWS], "range": values}
    return {channel: {"field": "label", "type": "nominal", "sort": None, "scale": scale, "legend": legend}}


def _roofline(labels: list[str]) -> Spec:
    x, y = _axis("x", "intensity, FLOP per byte"), _axis("y", "attainable FLOP/s")
    roof = {
        "data": {"name": "roof"},
        "mark": {"type": "line", "strokeWidth": 2, "color": {"expr": "ink"}},
        "encoding": {"x": x, "y": y},
    }
    legend = {"values": labels, "title": None}
    points = {
        "data": {"name": "points"},
        "mark": {"type": "point", "filled": True, "size": 120, "opacity": 0.9},
        "encoding": {
            "x": x,
            "y": y,
            **_told_apart("color", "category", legend),
            **_told_apart("shape", list(SHAPES), legend),
            "tooltip": _tooltip("here"),
        },
    }
    text = "Attainable speed against arithmetic intensity, a point for each variant"
    return _chart(text, [roof, points, *_marks(x, low=True)])


def _lines(description: str, x: Spec, y: Spec, labels: list[str]) -> Spec:
    """A line for each variant, a point where the sliders stand, and vertical rules."""
    legend = {
        "values": labels,
        "title": None,
        "symbolSize": 500,
        "symbolStrokeWidth": 2.2,
        "symbolType": "stroke",
    }
    dashes = [DASHES[index % len(DASHES)] for index in range(len(ROWS))]
    lines = {
        "data": {"name": "lines"},
        "mark": {"type": "line", "strokeWidth": 2.2},
        "encoding": {
            "x": x,
            "y": y,
            **_told_apart("color", "category", legend),
            **_told_apart("strokeDash", dashes, legend),
        },
    }
    here = {
        "data": {"name": "points"},
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            **_told_apart("color", "category", legend),
            "tooltip": _tooltip("here"),
        },
    }
    return _chart(description, [lines, here, *_marks(x)])


def _tooltip(title: str) -> list[Spec]:
    return [
        {"field": "label", "type": "nominal", "title": "variant"},
        {"field": "text", "type": "nominal", "title": title},
    ]


def _marks(x: Spec, low: bool = False) -> list[Spec]:
    """Vertical rules with labels, such as where two lines cross; `low` puts the labels at the bottom."""
    colour = {"color": {"expr": "ink"}}
    rule = {
        "data": {"name": "marks"},
        "mark": {"type": "rule", "strokeDash": [4, 4], "opacity": {"expr": "datum.text ? 1 : 0"}, **colour},
        "encoding": {"x": x},
    }
    # a label near the right edge stands left of its rule
    side = {"align": {"expr": "datum.align"}, "dx": {"expr": "datum.align == 'right' ? -5 : 5"}}
    edge = {"baseline": "bottom", "dy": -4} if low else {"baseline": "top", "dy": 3}
    label = {
        "data": {"name": "marks"},
        "mark": {"type": "text", **side, **edge, **colour},
        "encoding": {
            "x": x,
            "y": {"value": "height" if low else 0},
            "text": {"field": "text", "type": "nominal"},
        },
    }
    return [rule, label]
