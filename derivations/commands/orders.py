"""`derive orders VARIANT`: every order, which can be best, and where each takes over."""

from __future__ import annotations

from typing import Any

import click

from .options import (
    Ticker,
    check_output,
    conventions_of,
    emit,
    format_options,
    pick_format,
    study_of,
    study_options,
)


@click.command(
    help="Every contraction order of VARIANT: which can be best and at which sizes, which never is and why, "
    "and the boundary between neighbours in closed form. Counted are the layer's online FLOPs."
)
@click.argument("variant")
@click.option("--region", metavar="NAME", help="Only the products that make this result or intermediate.")
@click.option("--no-outer", is_flag=True, help="Never multiply two factors without a common index.")
@click.option(
    "--assume", metavar="COMPARISON", multiple=True,
    help="Take something about the sizes as given, such as 'd_k <= d_c'; repeatable.",
)  # fmt: skip
@study_options(order=False, gpu=False, knobs=("pairs", "elementwise", "unit"))
@format_options(template=False)
def command(variant: str, region: str | None, no_outer: bool, assume: tuple[str, ...], **flags: Any) -> None:
    """Search, decide, print."""
    form = pick_format(flags)
    check_output(flags["output"])
    from ..library import load_variant
    from ..notation import Notation, load_notation
    from ..orders import orders_of
    from ..transform import assuming

    conventions = conventions_of(flags, scope="layer")
    program = assuming(load_variant(variant), assume)
    study = study_of(program, conventions, flags)
    file = load_notation(flags["notation"]) if flags["notation"] else None
    notation = Notation.of(program.symbols, file, conventions.phase)
    with Ticker() as ticker:
        found = orders_of(study, region, not no_outer, ticker.say)
    if form == "json":
        from ..render.data import to_json
        from ..render.orders import orders_data

        emit(to_json(orders_data(found, study, notation, region)), flags["output"])
        return
    from ..pages.orders import orders_report
    from ..render import render

    emit(render(orders_report(found, study, notation, region), form), flags["output"])
