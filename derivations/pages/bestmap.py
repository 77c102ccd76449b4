"""The section on a best-order map, and its plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..atoms import evaluate
from ..bestmap import BestMap
from ..found import Found, Orders
from ..maps import log_spaced
from ..notation import Notation, number_text
from ..plots import Mark, Series, line_chart, map_chart
from ..report import Block, Cell, Heading, Math, Table, cell, prose
from .parts import number_math

__all__ = ["map_blocks", "map_plot"]

_SHOWN = 9
"""Rows of a map over two symbols that the table shows."""


def order_name(order: Found, found: Orders) -> str:
    """A name for an order: the choices by number, and its named set."""
    if len(found.groups) == 1:
        choice = f"order {order.choice[0] + 1}"
    else:
        open_ = [index for index, group in enumerate(found.groups) if len(group.found) > 1]
        parts = [f"{' and '.join(found.groups[index].roots)} {order.choice[index] + 1}" for index in open_]
        choice = ", ".join(parts) or "the order"
    return f"{choice} ({', '.join(order.member_of)})" if order.member_of else choice


def map_blocks(best: BestMap, found: Orders, notation: Notation) -> list[Block]:
    """Which order is cheapest where, as a table."""
    names = [order_name(order, found) for order in best.orders]
    letters = " and ".join(notation.plain(name) for name in best.symbols)
    if best.plane is None:
        return [
            Heading(f"Best order by {letters}"),
            prose("Exact for every whole number; a number at which two orders cost the same stands by itself."),
            _line(best, names, notation),
        ]
    return [
        Heading(f"Best order by {letters}"),
        prose(
            f"Each row is exact in {notation.plain(best.symbols[0])}; rows in between are not shown. The "
            "boundaries above hold at all sizes."
        ),
        _plane(best, names, notation),
    ]


def _symbol(name: str, notation: Notation) -> Math:
    return Math(notation.tex(name), notation.plain(name))


def _names(best: tuple[int, ...], names: list[str]) -> str:
    return " or ".join(names[index] for index in best)


def _line(best: BestMap, names: list[str], notation: Notation) -> Table:
    roots = {change.first: change.root for change in best.changes}
    rows = []
    for segment in best.line:
        order = best.orders[segment.best[0]]
        crossing = roots.get(segment.start)
        rows.append(
            (
                cell(number_math(segment.start)),
                cell(number_math(segment.end)) if segment.end is not None else cell("on"),
                cell(_names(segment.best, names)),
                cell(", ".join(order.forms) or "-"),
                cell(number_math(crossing)) if crossing is not None else cell("-"),
            )
        )
    name = notation.plain(best.symbols[0])
    return Table((f"{name} from", "to", "cheapest", "forms", "crossing"), tuple(rows), "rrppr")


def _plane(best: BestMap, names: list[str], notation: Notation) -> Table:
    assert best.plane is not None
    rows_by_value = {row.value: row for row in best.plane.rows}
    values = sorted(rows_by_value)
    shown = [values[i - 1] for i in log_spaced(1, len(values), len(values))]
    step = max(1, (len(shown) - 1) // (_SHOWN - 1))
    rows = []
    for value in shown[::step]:
        words: Cell = ()
        for segment in rows_by_value[value].segments:
            if words:
                words = (*words, "; ")
            until = f" to {number_text(segment.end)}" if segment.end is not None else " on"
            until = "" if segment.end == segment.start else until
            words = (*words, f"{number_text(segment.start)}{until}: {_names(segment.best, names)}")
        rows.append((cell(number_math(value)), words))
    x, y = (notation.plain(name) for name in best.symbols)
    return Table((y, f"{x}, and the cheapest order"), tuple(rows), "rp")


def map_plot(best: BestMap, found: Orders, notation: Notation, title: str, unit: str) -> dict[str, Any]:
    """The map as a Vega-Lite document."""
    names = _plot_names(best.orders, found)
    if best.plane is not None:
        x, y = (_titled(name, notation) for name in best.symbols)
        return dict(map_chart(title, x, y, best.plane, names, best.curves))
    (symbol,) = best.symbols
    used = sorted({index for segment in best.line for index in segment.best})
    low = best.line[0].start
    last = best.line[-1]
    high = last.end if last.end is not None else max(16 * low, 16 * last.start)
    points = log_spaced(low, high, 121)
    series = [
        Series(names[index], tuple((value, _at(best.orders[index], {symbol: value})) for value in points))
        for index in used
    ]
    marks = [
        Mark(
            change.root if change.root is not None else change.first,
            f"{notation.plain(symbol)} = {change.first}",
        )
        for change in best.changes
    ]
    return dict(line_chart(title, _titled(symbol, notation), unit, series, marks))


def _plot_names(orders: Sequence[Found], found: Orders) -> list[str]:
    """Names that speak for themselves where they tell the orders apart, with the choices where not."""
    short = [", ".join(o.member_of) or f"forms {', '.join(o.forms) or 'nothing'}" for o in orders]
    return [
        name if short.count(name) == 1 else f"{name}: {order_name(order, found).partition(' (')[0]}"
        for name, order in zip(short, orders, strict=True)
    ]


def _titled(name: str, notation: Notation) -> str:
    meaning = notation.symbols[name].meaning if name in notation.symbols else ""
    return f"{notation.plain(name)}: {meaning}" if meaning else notation.plain(name)


def _at(order: Found, sizes: Mapping[str, int]) -> float:
    return float(evaluate(order.flops, dict(sizes)) or 0)
