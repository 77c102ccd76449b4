"""`derive roofline VARIANT ...`: where variants stand against the ridge of an accelerator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .deployment import deployment_options
from .options import format_options, pick_format, study_options
from .output import check_output, emit, write_whole
from .pageplot import with_plot
from .several import studies_of


@click.command(
    help="Variants under the roof of an accelerator (--gpu): intensity, what speed it allows, what each waits "
    "for, and until which S or batch that holds. NAME:ORDER picks an order."
)
@click.argument("variants", nargs=-1, required=True, metavar="VARIANT[:ORDER]...")
@click.option("--plot", metavar="FILE", help="Draw the roofline: .svg, .png, .pdf, .html or .json.")
@study_options(order=False)
@deployment_options
@format_options(template=False)
def command(variants: tuple[str, ...], **flags: Any) -> None:
    """Derive each, print one page."""
    form = pick_format(flags)
    check_output(flags["output"])
    plot = flags.pop("plot")
    check_output(plot, "--plot")
    from ..derivation import derive, orders_asked
    from ..drawing import check_suffix, render_plot
    from ..errors import InputError
    from ..notation import load_notation

    suffix = check_suffix(plot) if plot else ""
    if not flags.get("gpu"):
        raise InputError("a roofline needs an accelerator; give one with --gpu (`derive list gpus`)")
    derivations = []
    for study, order in studies_of(variants, flags):
        derivations += [derive(study, name) for name in orders_asked(study, order or None)]
    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    from ..pages.roofline import roofline_chart, roofline_report

    if plot:
        write_whole(Path(plot), render_plot(roofline_chart(derivations), suffix))
    if form == "json":
        from ..render.data import to_json
        from ..render.deployment import roofline_data

        emit(to_json(roofline_data(derivations, file)), flags["output"])
        return
    from ..render import render

    report = with_plot(roofline_report(derivations, file), form, lambda: roofline_chart(derivations))
    emit(render(report, form), flags["output"])
