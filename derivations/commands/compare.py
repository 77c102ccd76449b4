"""`derive compare VARIANT VARIANT ...`: side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import InputError
from .deployment import deployment_options
from .model import asked_of
from .options import format_options, pick_format, study_options, unknown_sizes
from .output import check_output, emit, notice, write_whole
from .pageplot import with_plot
from .several import SYMBOLS, models_in, studies_of


@click.command(
    help="Variants side by side: FLOPs, bytes, intensity, cache. NAME:ORDER picks an order; without "
    "one, the only order, the best where sizes decide, else all named ones. A model, bundled or a config.json, "
    "stands for each kind of its layers."
)
@click.argument("variants", nargs=-1, required=True, metavar="VARIANT[:ORDER]...")
@click.option(
    "--plot", metavar="FILE", help="Draw the roofline (needs --gpu): .svg, .png, .pdf, .html or .json."
)
@study_options(order=False)
@deployment_options
@format_options(template=False)
def command(variants: tuple[str, ...], **flags: Any) -> None:
    """Derive each and print one report."""
    form = pick_format(flags)
    check_output(flags["output"])
    plot = flags.pop("plot")
    check_output(plot, "--plot")
    from ..derivation import derive, orders_asked
    from ..drawing import check_suffix, render_plot
    from ..layercosts import model_cost
    from ..notation import Notation, load_notation

    suffix = check_suffix(plot) if plot else ""
    if plot and not flags.get("gpu"):
        raise InputError("--plot: a roofline needs an accelerator; give one with --gpu (`derive list gpus`)")
    models = models_in(variants)
    asked = asked_of(_for_models(flags)) if models else None
    derivations = []
    for study, order in studies_of(variants, flags):
        derivations += [derive(study, name) for name in orders_asked(study, order)]
    _left_out(derivations)
    costs = [model_cost(model, asked) for model in models] if asked is not None else []
    if plot:
        from ..pages.roofline import roofline_chart

        write_whole(Path(plot), render_plot(roofline_chart(derivations), suffix))
    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    if form == "json":
        from ..render.data import SCHEMA, derivation_data, to_json

        objects = [
            derivation_data(d, Notation.of(d.study.variant.symbols, file, d.study.conventions.phase))
            for d in derivations
        ]
        data = {"schema": SCHEMA, "orders": objects}
        if costs:
            from ..render.models import model_data

            data["models"] = [model_data(cost) for cost in costs]
        emit(to_json(data), flags["output"])
        return
    from ..pages.compare import compare_report
    from ..render import render

    report = compare_report(derivations, file, costs)
    if derivations and flags.get("gpu"):
        from ..pages.roofline import roofline_chart

        report = with_plot(report, form, lambda: roofline_chart(derivations))
    emit(render(report, form), flags["output"])


def _for_models(flags: dict[str, Any]) -> dict[str, Any]:
    """The flags that say how a model is run: sizes that are a model's own are not among them."""
    if flags.get("prefix"):
        raise InputError("--prefix is about one variant; compare variants with it, not models")
    kept = [pair for pair in flags["assignments"] or () if pair.partition("=")[0].strip() in SYMBOLS]
    return {**flags, "assignments": kept}


def _left_out(derivations: list[Any]) -> None:
    """Say once which of the model's options no compared variant has."""
    own = [d for d in derivations if not d.study.called]
    model = own[0].study.model if own else None
    if model is None:
        return
    seen = {option for d in derivations for option in d.study.variant.options}
    for study in {d.study.variant.name: d.study for d in derivations}.values():
        unknown_sizes(study)
    missing = [option for option in model.options if option not in seen]
    if missing:
        notice(f"{model.title} also has {' and '.join(missing)}, which no compared variant has")
