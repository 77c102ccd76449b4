"""`derive einsum EXPRESSION`: the orders of anyone's expression."""

from __future__ import annotations

from typing import Any

import click

from .options import format_options, pick_format
from .output import Ticker, check_output, emit


@click.command(
    help="Every contraction order of an expression such as ab,bc,cd->ad, with symbolic sizes or those given: "
    "which can be best and where. Without -> the result has the indices that occur once."
)
@click.argument("expression")
@click.option(
    "--constant", "constants", metavar="N,...", multiple=True,
    help="Operands that are constant, counted from 0: their products are made once and cost nothing.",
)  # fmt: skip
@click.option(
    "--set", "assignments", metavar="INDEX=SIZE", multiple=True,
    help="Give the size of an index; repeatable. 128K means 131072.",
)  # fmt: skip
@click.option("--no-outer", is_flag=True, help="Never multiply two factors without a common index.")
@click.option("--unit", metavar="UNIT", help="flops (the default) or macs.")
@format_options(template=False)
def command(
    expression: str,
    constants: tuple[str, ...],
    assignments: tuple[str, ...],
    no_outer: bool,
    unit: str | None,
    **flags: Any,
) -> None:
    """Search, decide, print."""
    form = pick_format(flags)
    check_output(flags["output"])
    from ..dims import parse_assignments
    from ..einsum import parse_einsum
    from ..errors import unknown
    from ..notation import Notation
    from ..orders import orders_of_einsum

    if unit not in (None, "flops", "macs"):
        raise unknown("unit", str(unit), ("flops", "macs"))
    read = parse_einsum(expression, _numbers(constants))
    values = parse_assignments(assignments, read.letters, sizes_only=True)
    sizes = {name: int(value) for name, value in values.items()}
    with Ticker() as ticker:
        found = orders_of_einsum(
            read, values=sizes, outer=not no_outer, unit=unit or "flops", progress=ticker.say
        )
    notation = Notation.of(read.symbols, None, "verify")
    if form == "json":
        from ..render.data import to_json
        from ..render.orders import einsum_data

        emit(to_json(einsum_data(found, read, sizes, notation)), flags["output"])
        return
    from ..pages.orders import einsum_report
    from ..render import render

    emit(render(einsum_report(found, read, notation), form), flags["output"])


def _numbers(texts: tuple[str, ...]) -> list[int]:
    """`1,2` as numbers."""
    from ..errors import InputError

    found = []
    for text in ",".join(texts).split(",") if texts else []:
        word = text.strip()
        if not word.isdecimal() or len(word) > 3:
            raise InputError(
                f"--constant {word[:20]!r} is no number of an operand; they count from 0, as in --constant 1,2"
            )
        found.append(int(word))
    return found
