"""`derive speculate VARIANT ...`: how many queries are free, and what drafting gains."""

from __future__ import annotations

import re
from typing import Any

import click

from .deployment import deployment_options
from .options import format_options, pick_format, study_options
from .output import check_output, emit, write_whole
from .pageplot import with_plot
from .several import studies_of


@click.command(
    help="How many query tokens stay left of the ridge (the free draft), for each VARIANT and GPU, and what "
    "drafting gains on the first of them. NAME:ORDER picks an order; of several, absorb or the first."
)
@click.argument("variants", nargs=-1, required=True, metavar="VARIANT[:ORDER]...")
@click.option("--gpus", metavar="NAME,...", help="Budgets for these; by default the one of --gpu.")
@click.option("--draft", default="8", metavar="N", help="Drafted tokens, up to (8).")
@click.option(
    "--acceptance", default="0.8", metavar="A",
    help="Chance that a drafted token is accepted (0.8), or one for each: 0.9,0.8,0.7.",
)  # fmt: skip
@click.option(
    "--vocab", metavar="V", help="Vocabulary, for the cost of the draft's output head; else left out."
)
@click.option("--plot", metavar="FILE", help="Draw the speedup: .svg, .png, .pdf, .html or .json.")
@study_options(order=False, scope="core")
@deployment_options
@format_options(template=False)
def command(variants: tuple[str, ...], **flags: Any) -> None:
    """Gather, print."""
    form = pick_format(flags)
    check_output(flags["output"])
    plot, gpus = flags.pop("plot"), flags.pop("gpus")
    check_output(plot, "--plot")
    from ..dims import parse_value
    from ..drawing import check_suffix, render_plot
    from ..errors import InputError
    from ..hardware import load_accelerator
    from ..notation import load_notation
    from ..speculation import acceptance_of

    suffix = check_suffix(plot) if plot else ""
    drafts = _draft(flags.pop("draft"))
    acceptance = acceptance_of(flags.pop("acceptance"))
    vocab = flags.pop("vocab")
    vocabulary = int(parse_value("V", vocab, True, "--vocab ")) if vocab is not None else None
    parts = [load_accelerator(name.strip()) for name in gpus.split(",")] if gpus is not None else []
    if flags.get("phase") == "prefill" or flags.get("no_cache"):
        raise InputError("a draft is verified against a cache; leave out --phase prefill and --no-cache")
    if plot and not flags.get("gpu"):
        raise InputError("--plot: the speedup needs an accelerator; give one with --gpu")
    asked = studies_of(variants, {**flags, "gpus": gpus})
    studies = [(study, order or _usual(study)) for study, order in asked]
    parts = parts or ([studies[0][0].gpu] if studies[0][0].gpu else [])
    file = load_notation(flags["notation"]) if flags["notation"] is not None else None
    from ..pages.speculate import Speculation, speculation_chart, speculation_report

    found = Speculation.of(studies, parts, drafts, acceptance, vocabulary)
    if plot:
        content = render_plot(speculation_chart(found), suffix)
        from pathlib import Path

        write_whole(Path(plot), content)
    if form == "json":
        from ..render.data import to_json
        from ..render.deployment import speculation_data

        emit(to_json(speculation_data(found, file)), flags["output"])
        return
    from ..render import render

    report = speculation_report(found, file)
    if flags.get("gpu"):
        report = with_plot(report, form, lambda: speculation_chart(found))
    emit(render(report, form), flags["output"])


def _usual(study: Any) -> str:
    """The order that decoding uses: absorb where there is one."""
    from ..regions import build_graph
    from ..search import order_names

    named = order_names(build_graph(study.variant))
    return "absorb" if "absorb" in named else named[0]


def _draft(text: str) -> int:
    from ..errors import InputError

    if not re.fullmatch(r"[0-9]{1,3}", text.strip()) or not 1 <= int(text) <= 64:
        raise InputError(f"--draft {text[:20]}: a number of drafted tokens is between 1 and 64")
    return int(text)
