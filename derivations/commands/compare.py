"""`derive compare VARIANT VARIANT ...`: side by side."""

from __future__ import annotations

from typing import Any

import click

from .deployment import deployment_options
from .options import (
    check_output,
    emit,
    format_options,
    notice,
    pick_format,
    study_options,
    unknown_sizes,
)
from .several import studies_of


@click.command(
    help="Variants side by side: FLOPs, bytes, intensity, cache. NAME:ORDER picks an order; without "
    "one, the only order, the best where sizes decide, else all named ones."
)
@click.argument("variants", nargs=-1, required=True, metavar="VARIANT[:ORDER]...")
@study_options(order=False)
@deployment_options
@format_options(template=False)
def command(variants: tuple[str, ...], **flags: Any) -> None:
    """Derive each and print one report."""
    form = pick_format(flags)
    check_output(flags["output"])
    from ..derivation import derive, orders_asked
    from ..notation import Notation, load_notation

    derivations = []
    for study, order in studies_of(variants, flags):
        derivations += [derive(study, name) for name in orders_asked(study, order)]
    _left_out(derivations)
    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    if form == "json":
        from ..render.data import SCHEMA, derivation_data, to_json

        objects = [
            derivation_data(d, Notation.of(d.study.variant.symbols, file, d.study.conventions.phase))
            for d in derivations
        ]
        emit(to_json({"schema": SCHEMA, "orders": objects}), flags["output"])
        return
    from ..pages.compare import compare_report
    from ..render import render

    emit(render(compare_report(derivations, file), form), flags["output"])


def _left_out(derivations: list[Any]) -> None:
    """Say once which of the model's options no compared variant has."""
    model = derivations[0].study.model
    if model is None:
        return
    seen = {option for d in derivations for option in d.study.variant.options}
    for study in {d.study.variant.name: d.study for d in derivations}.values():
        unknown_sizes(study)
    missing = [option for option in model.options if option not in seen]
    if missing:
        notice(f"{model.title} also has {' and '.join(missing)}, which no compared variant has")
