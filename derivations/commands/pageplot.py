"""Plots on the HTML pages that commands print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..report import Report
    from ..vega import Spec

__all__ = ["with_plot"]


def with_plot(report: Report, form: str, plot: Callable[[], Spec]) -> Report:
    """On an HTML page, which holds all it shows, the plot stands at the end, where it can be drawn."""
    from ..drawing import can_draw, render_plot
    from ..report import Figure

    if form != "html" or not can_draw():
        return report
    spec = plot()
    figure = Figure("plot.svg", f"{spec['title']['text']}.", str(render_plot(spec, ".svg")))
    return replace(report, blocks=(*report.blocks, figure))
