"""`derive VARIANT`: the derivation of one variant, in one or several orders."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from .deployment import deployment_options, program_of
from .options import conventions_of, format_options, pick_format, study_of, study_options
from .output import check_output, emit

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
    emit(_rendered(name, derivations, notation, form, flags), flags["output"])


def _rendered(name: str, derivations: list[Any], notation: Any, form: str, flags: dict[str, Any]) -> str:
    from ..pages.page import page_of, rivals_of

    if form == "json":
        from ..render.data import derivations_data, to_json

        return to_json(derivations_data(derivations, notation, rivals_of(derivations)))
    from ..pages.source import Origin
    from ..render import render

    origin = Origin(name, flags["model"] or "", flags["gpu"] or "")
    report = page_of(derivations, notation, form != "text", origin, code=form == "notebook")
    if form == "template":
        from ..render.data import derivations_data
        from ..render.jail import render_user_template

        data = derivations_data(derivations, notation, rivals_of(derivations))
        return render_user_template(flags["template"], report, data)
    return render(report, form)
