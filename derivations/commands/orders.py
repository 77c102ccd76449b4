"""`derive orders VARIANT`: every order, which can be best, and where each takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .deployment import batch_options, program_of
from .options import conventions_of, format_options, pick_format, study_of, study_options
from .output import Ticker, check_output, emit, write_whole
from .pageplot import with_plot

if TYPE_CHECKING:
    from ..bestmap import BestMap
    from ..vega import Spec


@click.command(
    help="Every contraction order of VARIANT: which can be best and at which sizes, which never is and why, "
    "and the boundary between neighbours in closed form. Counted are the layer's online FLOPs."
)
@click.argument("variant")
@click.option("--region", metavar="NAME", help="Only the products that make this result or intermediate.")
@click.option("--no-outer", is_flag=True, help="Never multiply two factors without a common index.")
@click.option(
    "--map",
    "mapped",
    metavar="SYMBOL[,SYMBOL]",
    help="The best-order map over one or two symbols; all other sizes must have numbers.",
)
@click.option(
    "--range",
    "ranges",
    metavar="SYMBOL=LOW:HIGH",
    multiple=True,
    help="Where the map of a symbol starts and ends, such as L=1K:1M; repeatable.",
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw the map into FILE, by its ending .svg, .png, .pdf, .html or .json (Vega-Lite).",
)
@click.option(
    "--assume", metavar="COMPARISON", multiple=True,
    help="Take something about the sizes as given, such as 'd_k <= d_c'; repeatable.",
)  # fmt: skip
@study_options(order=False, gpu=False, knobs=("pairs", "elementwise", "unit"))
@batch_options
@format_options(template=False)
def command(
    variant: str,
    region: str | None,
    no_outer: bool,
    assume: tuple[str, ...],
    mapped: str | None,
    ranges: tuple[str, ...],
    plot: str | None,
    **flags: Any,
) -> None:
    """Search, decide, print."""
    form = pick_format(flags)
    check_output(flags["output"])
    check_output(plot, "--plot")
    from ..bestmap import best_map, study_for_map
    from ..drawing import check_suffix
    from ..errors import InputError
    from ..notation import Notation, load_notation
    from ..orders import orders_of
    from ..transform import assuming

    program = assuming(program_of(variant, flags), assume)
    conventions = conventions_of(flags, scope="layer")
    study = study_of(program, conventions, flags)
    symbols = [name.strip() for name in mapped.split(",")] if mapped is not None else []
    if not symbols and (plot or ranges):
        raise InputError(f"{'--plot' if plot else '--range'} goes with --map, which says over which symbols")
    limits = _ranges(ranges, symbols)
    if plot:
        check_suffix(plot)
    if symbols:
        given = [text.partition("=")[0].strip() for text in flags["assignments"]]
        study = study_for_map(study, symbols, given)
    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    notation = Notation.of(program.symbols, file, conventions.phase)
    with Ticker() as ticker:
        found = orders_of(study, region, not no_outer, ticker.say)
        best = best_map(study, symbols, found, limits) if symbols else None

    def drawing(best: BestMap) -> Spec:
        from ..pages.bestmap import map_plot

        title = f"{program.title}: the cheapest order, {conventions.phase}"
        return map_plot(best, found, notation, title, "MACs" if conventions.unit == "macs" else "FLOPs")

    if plot and best is not None:
        from pathlib import Path

        from ..drawing import render_plot

        write_whole(Path(plot), render_plot(drawing(best), check_suffix(plot)))
    if form == "json":
        from ..render.data import to_json
        from ..render.orders import orders_data

        emit(to_json(orders_data(found, study, notation, region, best)), flags["output"])
        return
    from ..pages.orders import orders_report
    from ..render import render

    report = orders_report(found, study, notation, region, best)
    if best is not None:
        report = with_plot(report, form, lambda: drawing(best))
    emit(render(report, form), flags["output"])


def _ranges(texts: tuple[str, ...], symbols: list[str]) -> dict[str, tuple[int, int]]:
    """`L=1K:1M` as numbers."""
    from ..dims import parse_value
    from ..errors import InputError, unknown

    found: dict[str, tuple[int, int]] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        low, colon, high = ends.partition(":")
        name = name.strip()
        if not equals or not colon:
            raise InputError(f"--range {text[:40]}: write it as SYMBOL=LOW:HIGH, such as L=1K:1M")
        if name not in symbols:
            raise unknown("symbol of the map", name, symbols)
        first, last = (int(parse_value(name, end, True)) for end in (low, high))
        if first > last:
            raise InputError(f"--range {text[:40]}: starts after it ends")
        found[name] = first, last
    return found
