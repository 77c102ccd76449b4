"""`derive VARIANT`: the derivation of one variant, in one or several orders."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from .deployment import deployment_options, program_of
from .options import (
    check_output,
    conventions_of,
    emit,
    format_options,
    pick_format,
    study_of,
    study_options,
)

__all__ = ["variant_command"]


def variant_command(name: str) -> click.Command:
    """The command for one variant, bundled or a file."""

    @click.command(name=name, help=f"Derive the cost of {name}: FLOPs, bytes, intensity, crossovers.")
    @click.argument("extra", nargs=-1, metavar="")
    @study_options()
    @deployment_options
    @format_options(notebook=True)
    def command(extra: tuple[str, ...], **flags: Any) -> None:
        derive_variant(name, flags, extra)

    return command


def derive_variant(name: str, flags: dict[str, Any], extra: tuple[str, ...] = ()) -> None:
    """Run the derivation the flags ask for and print it."""
    orders = flags["order"]
    if len(orders) > 1:
        raise InputError("--order is given twice; give one order, or `all`")
    form = pick_format(flags)
    check_output(flags["output"])
    from ..derivation import derive, orders_asked
    from ..notation import Notation, load_notation

    variant = program_of(name, flags)
    conventions = conventions_of(flags, scope="core")
    if extra:
        raise InputError(
            f"{extra[0][:40]!r} is one word too many; options of a variant follow a plus sign, as in mla+rope"
        )
    study = study_of(variant, conventions, flags)
    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    notation = Notation.of(variant.symbols, file, conventions.phase)
    derivations = [derive(study, order) for order in orders_asked(study, orders[0] if orders else None)]
    emit(_rendered(derivations, notation, form, flags), flags["output"])


def _rendered(derivations: list[Any], notation: Any, form: str, flags: dict[str, Any]) -> str:
    if form == "json":
        from ..render.data import derivations_data, to_json

        return to_json(derivations_data(derivations, notation, _rivals(derivations)))
    from ..pages.derivation import derivation_report, joined_report
    from ..render import render

    named, steps = _rivals(derivations), form != "text"
    if len(derivations) == 1:
        rivals = [name for name in named if name != derivations[0].cost.order.name]
        report = derivation_report(derivations[0], notation, rivals, steps)
    else:
        report = joined_report(derivations, notation, named, steps)
    if form == "template":
        from ..render.data import derivations_data
        from ..render.jail import render_user_template

        return render_user_template(flags["template"], report, derivations_data(derivations, notation, named))
    return render(report, form)


def _rivals(derivations: list[Any]) -> list[str]:
    """The named orders, which are held against each other; none for an order that has no name of its own."""
    from ..prefix import segment

    variant = derivations[0].study.variant
    if segment(variant) is not None:  # four orders in place of two, whose crossovers are asked for one by one
        return []
    named = [order.name for order in variant.orders]
    return named if len(derivations) > 1 or derivations[0].cost.order.name in named else []
