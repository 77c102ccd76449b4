"""`derive model NAME|FILE`: a released model layer by layer."""

from __future__ import annotations

from typing import Any

import click

from .deployment import deployment_of, deployment_options
from .options import KNOBS, conventions_of, format_options, pick_format, study_options
from .output import check_output, emit, notice
from .several import SYMBOLS


@click.command(
    help="A released model layer by layer: what each kind of layer keeps and costs, in total and on one "
    "rank, and what that says. MODEL is a bundled name (`derive list models`), a config.json or its folder, or "
    "a YAML file."
)
@click.argument("name", metavar="MODEL")
@click.option(
    "--assume", metavar="FIELD=VALUE", multiple=True,
    help="Fill a gap of a config.json; FIELD=ignored leaves a field out of account. Repeatable.",
)  # fmt: skip
@click.option("--explain", is_flag=True, help="Say which field led to which decision.")
@study_options(order=False, model=False, knobs=tuple(knob for knob in KNOBS if knob != "kept-rows"))
@deployment_options
@format_options(template=False)
def command(name: str, assume: tuple[str, ...], explain: bool, **flags: Any) -> None:
    """Read, derive, print."""
    form = pick_format(flags)
    check_output(flags["output"])
    from ..errors import InputError
    from ..layercosts import model_cost

    if flags.get("notation"):
        raise InputError("--notation: the page of a model has sizes by name and no formulas to re-letter")
    if flags.get("no_cache"):
        raise InputError("--no-cache: the page of a model is about what its layers keep; ask a variant instead")
    if flags.pop("prefix", None):
        raise InputError("--prefix is about one variant; ask `derive VARIANT --model NAME --prefix ...`")
    asked = asked_of(flags)
    cost = model_cost(load_model(name, assume), asked)
    if form == "json":
        from ..render.data import to_json
        from ..render.models import model_data

        emit(to_json(model_data(cost)), flags["output"])
        return
    from ..pages.model import model_report
    from ..render import render

    emit(render(model_report(cost, explain), form), flags["output"])


def load_model(name: str, assume: tuple[str, ...] = ()) -> Any:
    """The model, with a word on stderr about fields nobody knows."""
    from ..released import load_released

    model = load_released(name, assume)
    if model.missing:
        notice(
            f"not given: {', '.join(model.missing)}; what is kept is derived, and what needs them is left out"
        )
    if model.unknown_fields:
        listed = ", ".join(model.unknown_fields[:8]) + (", ..." if len(model.unknown_fields) > 8 else "")
        notice(f"not known, and taken to have no bearing on attention: {listed}")
    return model


def asked_of(flags: dict[str, Any]) -> Any:
    """How a model is run, from the flags."""
    from ..dims import parse_assignments
    from ..hardware import load_accelerator
    from ..layercosts import Asked

    deployed = deployment_of(flags)
    conventions = conventions_of(flags, scope="core")
    values = parse_assignments(flags.get("assignments") or (), SYMBOLS)
    gpu = load_accelerator(flags["gpu"]) if flags.get("gpu") else None
    return Asked(conventions, values, gpu, **deployed)
