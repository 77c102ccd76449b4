"""`derive prove VARIANT`: what is claimed of it, proved, refuted or left open; or a file of claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import conventions_of, format_options, pick_format, study_options
from .output import Ticker, check_output, emit, notice, write_whole


@click.command(
    help="What is claimed of VARIANT, of each of its orders and of pairs of them: proved by steps that a "
    "small checker accepts, refuted by sizes, or open. With --file, the claims of a file of your own. The exit "
    "status is 1 where a verdict is not the one a file of claims expects."
)
@click.argument("variant", required=False)
@click.option("--file", "file", metavar="FILE", help="Claims of your own, in YAML; see docs/claims.md.")
@click.option("--claim", "claims", metavar="ID", multiple=True, help="Only this claim; repeatable.")
@click.option(
    "--order", metavar="NAME", multiple=True, help="Only claims about this order; all named ones else."
)
@click.option("--coq", metavar="DIR", help="Write each proved claim as a Coq file into DIR.")
@study_options(order=False, gpu=False, sizes=False)
@format_options(template=False)
def command(
    variant: str | None,
    file: str | None,
    claims: tuple[str, ...],
    order: tuple[str, ...],
    coq: str | None,
    **flags: Any,
) -> int:
    """Gather, judge, print."""
    form = pick_format(flags)
    check_output(flags["output"])
    if coq is not None:
        _folder(coq, make=False)
    from ..errors import InputError, unknown
    from ..notation import Notation, load_notation

    if (variant is None) == (file is None):
        raise InputError("name a variant, or give a file of claims with --file, and not both")
    found, symbols, title = (
        _of_variant(variant, order, flags) if variant is not None else _of_file(str(file), order, flags)
    )
    known = [assertion.id for assertion in found]
    for wanted in claims:
        if wanted not in known:
            raise unknown("claim", wanted, known)
    chosen = [assertion for assertion in found if not claims or assertion.id in claims]
    notation = Notation.of(
        symbols, load_notation(flags["notation"]) if flags["notation"] is not None else None, "verify", True
    )
    from ..judging import judged
    from ..opinions import opinions_on

    results: list[Any] = []
    with Ticker() as ticker:
        for judgement in judged(chosen):
            ticker.say(f"{len(results) + 1} of {len(chosen)}: {judgement.assertion.id}")
            results.append((judgement, opinions_on(judgement, thorough=True)))
        if coq is not None:
            results = _with_coq(results, coq, ticker)
    if form == "json":
        from ..render.claims import claims_data
        from ..render.data import SCHEMA, to_json

        emit(to_json({"schema": SCHEMA, "claims": claims_data(results, notation)}), flags["output"])
    else:
        from ..pages.claims import claims_report
        from ..render import render

        emit(
            render(claims_report(results, notation, title, "claims and their verdicts"), form), flags["output"]
        )
    return 0 if all(judgement.as_expected for judgement, _ in results) else 1


def _with_coq(results: list[Any], place: str, ticker: Ticker) -> list[Any]:
    """The results with what coqc says of each file; the files are in the folder then."""
    from ..coqfiles import coq_files, coq_opinions

    files = coq_files([judgement for judgement, _ in results])
    folder = _folder(place)
    for name, (_, text) in files.items():
        write_whole(folder / name, text)
    ticker.say(f"coqc on {len(files)} files")
    said = coq_opinions(files)
    notice(f"{len(files)} Coq files in {place}; a claim that is not proved has none")
    return [
        (judgement, (*opinions, said[judgement.assertion.id]) if judgement.assertion.id in said else opinions)
        for judgement, opinions in results
    ]


def _folder(place: str, make: bool = True) -> Path:
    """The folder for files, made if it is not there. Raises InputError where there can be none."""
    from ..errors import InputError

    folder = Path(place)
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if not place or not there.is_dir():
        raise InputError(f"--coq {place}: {there if place else 'it'} is no folder")
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--coq {place}: cannot be made: {(error.strerror or 'no reason given').lower()}"
        ) from None
    return folder


def _of_variant(
    name: str, orders: tuple[str, ...], flags: dict[str, Any]
) -> tuple[list[Any], dict[str, Any], str]:
    """What a variant's orders claim of themselves, and the bundled claims about it."""
    from ..assertions import assertions_of
    from ..claimfile import claims_about
    from ..derivation import Study
    from ..library import load_variant
    from ..regions import build_graph
    from ..search import order_names

    program = load_variant(name)
    study = Study(program, conventions_of(flags, scope="core"), {})
    named = orders or order_names(build_graph(program))
    found = list(assertions_of(study, named))
    if not orders:
        found += claims_about(program.name)
    return found, dict(program.symbols), program.title


def _of_file(
    name: str, orders: tuple[str, ...], flags: dict[str, Any]
) -> tuple[list[Any], dict[str, Any], str]:
    """The claims of a file; what is derived for them is said in the file."""
    from ..claimfile import load_claims
    from ..dims import STANDARD
    from ..errors import InputError

    if not name.strip():
        raise InputError("--file: the name of the file is empty")
    given = [
        f"--{key.replace('_', '-')}"
        for key, value in flags.items()
        if value and key not in ("output", "notation")
    ]
    if orders or given:
        raise InputError(
            f"{', '.join([*(['--order'] if orders else []), *given])}: a file of claims says this itself"
        )
    claims = load_claims(name if "/" in name or name.endswith((".yaml", ".yml")) else f"./{name}")
    return list(claims.assertions), {**STANDARD, **claims.symbols}, claims.title or Path(name).name
