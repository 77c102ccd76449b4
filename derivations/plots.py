"""Plots as Vega-Lite documents: costs as lines, and maps of which order is cheapest where.

A chart is a plain dictionary, built here without any library; vl-convert, of the extra `plots`, draws
it without a browser. Colours are those of Okabe and Ito, which stay apart for most colour-blind eyes;
for print, lines have dashes of their own and the areas of a map have letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from .areas import Kind, areas_of, kinds_of, spot_of
from .maps import Curve, Plane
from .vega import HEIGHT, INK, WIDTH, Number, Spec, axis, chart, coloured, ends_of, number, place, plain

__all__ = ["Mark", "Series", "line_chart", "map_chart"]

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
OTHER = "#BBBBBB"
LINES = (*COLOURS[:6], "#000000")
"""A yellow line is hard to see on white."""
DASHES = ([1, 0], [8, 3], [2, 2], [10, 3, 2, 3], [5, 2], [12, 4])
"""One less than colours, so that both together tell more lines apart."""
LINE, SQUARE = {"symbolSize": 700, "symbolStrokeWidth": 2.5}, {"symbolSize": 220, "symbolType": "square"}
"""Symbols of a legend; a line is long enough for the longest dashes."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Series:
    """A named line."""

    name: str
    """In the legend."""
    points: tuple[tuple[Number, Number], ...]
    """(x, y), all above zero."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line, such as where one order overtakes another."""

    at: Number
    """Where on the x axis."""
    label: str
    """Written above it."""


def line_chart(
    title: str,
    x_title: str,
    y_title: str,
    series: Sequence[Series],
    marks: Sequence[Mark] = (),
    subtitle: Sequence[str] = (),
) -> Spec:
    """Lines over logarithmic axes, with vertical lines where something happens.

    Raises InputError where there is nothing to draw, or a number that a logarithm does not take.
    """
    points = [point for line in series for point in line.points]
    x_ends = ends_of([*(x for x, _ in points), *(mark.at for mark in marks)], title)
    y_ends = ends_of([y for _, y in points], title, air=1.15)
    names = _distinct([line.name for line in series])
    rows = [
        {"x": number(x), "y": number(y), "order": name}
        for name, line in zip(names, series, strict=True)
        for x, y in line.points
    ]
    dashes = [DASHES[index % len(DASHES)] for index in range(len(names))]
    lines = {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 2.5, "aria": False},
        "encoding": {
            "x": axis("x", x_title, x_ends),
            "y": axis("y", y_title, y_ends),
            "color": coloured(names, [LINES[index % len(LINES)] for index in range(len(names))], LINE),
            "strokeDash": coloured(names, dashes, LINE),
        },
    }
    return chart(title, subtitle, [lines, *_rules(marks, x_ends)])


def map_chart(
    title: str,
    x_title: str,
    y_title: str,
    plane: Plane,
    names: Sequence[str],
    curves: Sequence[Curve] = (),
    subtitle: Sequence[str] = (),
) -> Spec:
    """A plane coloured by the cheapest order, on logarithmic axes; `names` are those of all its costs.

    Orders that cost the same on a stretch have a colour together; where they do at a single number, it
    is drawn with its neighbour. Raises InputError for a plane with less than two
    values of x.
    """
    kinds = kinds_of(areas_of(plane, curves), len(COLOURS) + 1)
    slices = [part for kind in kinds for area in kind.areas for part in area.outline]
    x_ends = ends_of([x for _, *edges in slices for x in edges], title)
    y_ends = ends_of([y for y, _, _ in slices], title)
    labels = [f"{letter}: {_label(kind, names)}" for letter, kind in zip(LETTERS, kinds, strict=False)]
    rows = [
        {
            "x": number(left),
            "x2": number(right),
            "y": number(y),
            "order": label,
            "area": f"{label} {index}",
        }
        for label, kind in zip(labels, kinds, strict=True)
        for index, area in enumerate(kind.areas)
        for y, left, right in area.outline
    ]
    colour = coloured(labels, [*COLOURS, OTHER][: len(labels)], SQUARE)
    patches = {
        "data": {"values": rows},
        # the stroke covers the hairline that would show between neighbours
        "mark": {"type": "area", "orient": "horizontal", "strokeWidth": 0.7, "aria": False},
        "encoding": {
            "x": axis("x", x_title, x_ends),
            "y": axis("y", y_title, y_ends),
            "x2": {"field": "x2"},
            "fill": colour,
            "stroke": colour,
            "detail": {"field": "area", "type": "nominal"},
        },
    }
    scale = WIDTH / log(x_ends[1] / x_ends[0]), HEIGHT / log(y_ends[1] / y_ends[0])
    spots = [(letter, spot_of(kind, scale)) for letter, kind in zip(LETTERS, kinds, strict=False)]
    letters = [{"x": x, "y": y, "text": letter} for letter, (x, y, room) in spots if room >= 16]
    return chart(title, subtitle, [patches, *map(_curve, curves), *_letters(letters)])


def _curve(curve: Curve) -> Spec:
    return {
        "data": {"values": [{"x": number(x), "y": y} for x, y in curve.points]},
        "mark": {"type": "line", "color": INK, "strokeWidth": 1.5, "aria": False},
        # along y, since a curve may go back and forth in x
        "encoding": {**place(), "order": {"field": "y", "type": "quantitative"}},
    }


def _letters(rows: Sequence[Spec]) -> list[Spec]:
    """The letters of the legend in their areas, with a white rim so that they show on any colour."""
    text = {"type": "text", "fontSize": 18, "fontWeight": "bold"}
    rim = {**text, "stroke": "white", "strokeWidth": 4, "strokeJoin": "round", "aria": False}
    marks = (rim, {**text, "color": INK})
    encoding = {**place(), "text": {"field": "text", "type": "nominal"}}
    return [{"data": {"values": rows}, "mark": mark, "encoding": encoding} for mark in marks] if rows else []


def _rules(marks: Sequence[Mark], ends: tuple[float, float]) -> list[Spec]:
    """Vertical lines, their labels above the plot, each in the lowest line where it has room."""
    full: list[float] = []  # how far each line of labels is taken
    labels: list[Spec] = []
    for mark in sorted(marks, key=lambda mark: mark.at):
        label = plain(mark.label)
        half = len(label) * 3.3 + 4  # of its width, about
        x = WIDTH * log(mark.at / ends[0]) / log(ends[1] / ends[0])
        x = max(half, min(WIDTH - half, x))
        level = next((index for index, taken in enumerate(full) if taken < x - half), len(full))
        full[level : level + 1] = [x + half]
        labels.append(
            {
                "data": {"values": [{"text": label}]},
                "mark": {"type": "text", "color": INK, "fontSize": 12, "baseline": "bottom"},
                "encoding": {
                    "x": {"value": round(x, 1)},
                    "y": {"value": -6 - 15 * level},
                    "text": {"field": "text", "type": "nominal"},
                },
            }
        )
    rule = {
        "data": {"values": [{"x": number(mark.at)} for mark in marks]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3], "strokeWidth": 1},
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }
    return [rule, *labels] if marks else []


def _label(kind: Kind, names: Sequence[str]) -> str:
    if len(kind.best) > 1:
        return f"{len(kind.best)} others"
    return " = ".join(plain(names[index]) for index in kind.best[0])


def _distinct(names: Iterable[str]) -> list[str]:
    """The names, numbered where one stands twice: a legend would make them one."""
    found: list[str] = []
    for name in map(plain, names):
        found.append(name if name not in found else f"{name} ({len(found) + 1})")
    return found
