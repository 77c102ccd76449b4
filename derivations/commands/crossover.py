"""`derive crossover VARIANT ORDER ORDER --in SYMBOL`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import click

from .deployment import deployment_options, program_of
from .options import conventions_of, format_options, pick_format, study_of, study_options
from .output import check_output, emit
from .several import studies_of

_MEASURES = ("flops", "bytes", "time")


def _ridge(flags: dict[str, Any]) -> Fraction | None:
    """The ridge given as a size, taken out of the assignments."""
    from ..dims import parse_value
    from ..errors import InputError

    pairs = [pair.partition("=") for pair in flags["assignments"] or ()]
    given = [value for name, _, value in pairs if name.strip() == "R"]
    flags["assignments"] = tuple("".join(pair) for pair in pairs if pair[0].strip() != "R")
    if not given:
        return None
    if flags.get("gpu") or len(given) > 1:
        raise InputError("R, the ridge, is given twice; leave one out")
    try:
        return Fraction(parse_value("b", given[0], False, ""))
    except InputError:
        raise InputError(f"--set R={given[0][:20]}: not a ridge; write for example R=295") from None


@click.command(
    help="Where two orders of VARIANT cost the same, and which is cheaper on each side; or where two "
    "variants do: derive crossover VARIANT[:ORDER] VARIANT[:ORDER]."
)
@click.argument("variant")
@click.argument("first", metavar="ORDER")
@click.argument("second", metavar="[ORDER]", required=False)
@click.option("--in", "symbol", default="S", metavar="SYMBOL", help="Solve for this symbol (S).")
@click.option(
    "--measure",
    default="flops",
    metavar="KIND",
    help="flops (the default), bytes, or time on a roofline.",
)
@study_options(order=False, phase="verify for S, else decode", scope="attention")
@deployment_options
@format_options(template=False)
def command(variant: str, first: str, second: str | None, symbol: str, measure: str, **flags: Any) -> None:
    """Solve and print."""
    form = pick_format(flags)
    check_output(flags["output"])
    from ..derivation import crossover_of
    from ..errors import InputError, unknown

    if measure not in _MEASURES:
        raise unknown("measure", measure, _MEASURES)
    if measure != "time" and flags.get("gpu"):
        raise InputError(f"--gpu: {measure} do not depend on it; add --measure time")
    if second is None:
        _between((variant, first), symbol, measure, form, flags)
        return
    program = program_of(variant, flags)
    ridge = _ridge(flags) if measure == "time" else None
    conventions = conventions_of(flags, scope="attention", phase="verify" if symbol == "S" else "decode")
    study = study_of(program, conventions, flags)
    if study.gpu is not None:
        ridge = study.gpu.ridge(study.compute)
    if ridge is not None:
        study = replace(study, values={**study.values, "R": ridge})
    crossover = crossover_of(study, first, second, symbol, measure)
    _print(crossover, study, measure, form, flags)


def _between(words: tuple[str, str], symbol: str, measure: str, form: str, flags: dict[str, Any]) -> None:
    """Two variants against each other."""
    from ..between import crossover_between
    from ..errors import InputError
    from ..library import load_variant
    from ..regions import build_graph
    from ..released import is_model
    from ..search import order_names

    flags["scope"] = flags.get("scope") or "attention"
    flags["phase"] = flags.get("phase") or ("verify" if symbol == "S" else "decode")
    first = words[0].partition(":")[0]
    if not is_model(first) and words[1] in order_names(build_graph(load_variant(first))):
        raise InputError(f"{words[1]} is one order of {words[0]}; a crossover needs a second one")
    studies = studies_of(words, flags)
    if len(studies) != 2:
        raise InputError("a crossover is between two variants; a model with several kinds of layers is none")
    found = []
    for study, order in studies:
        named = order_names(build_graph(study.variant))
        if order is None and len(named) > 1:
            raise InputError(
                f"{study.variant.name} has the orders {', '.join(named)}; write {study.variant.name}:ORDER"
            )
        found.append((study, order or named[0]))
    crossover, study = crossover_between(
        (found[0][0], found[1][0]), (found[0][1], found[1][1]), symbol, measure
    )
    _print(crossover, study, measure, form, flags)


def _print(crossover: Any, study: Any, measure: str, form: str, flags: dict[str, Any]) -> None:
    from ..notation import Notation, load_notation

    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    notation = Notation.of(study.variant.symbols, file, study.conventions.phase)
    if form == "json":
        from ..render.data import crossover_data, to_json

        emit(to_json(crossover_data(crossover, study, notation, measure)), flags["output"])
        return
    from ..pages.crossover import crossover_report
    from ..render import render

    emit(render(crossover_report(crossover, study, notation, measure), form), flags["output"])
