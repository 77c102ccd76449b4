"""The pages about deployments that ship: rooflines, drafts, crossovers in time, with DeepSeek-V3's widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .checkpoints import load_checkpoint
from .conventions import Conventions
from .derivation import Study, crossover_of, derive
from .drawing import can_draw, render_plot
from .hardware import load_accelerator
from .library import load_variant
from .notation import Notation
from .pages.crossover import crossover_report
from .pages.roofline import roofline_chart, roofline_report
from .pages.speculate import Speculation, speculation_chart, speculation_report
from .poly import Coefficient
from .prefix import with_prefix
from .program import Variant
from .report import Figure, Report
from .speculation import acceptance_of
from .vega import Spec

__all__ = ["deployment_pages", "drawn", "with_figure"]

_MODEL, _GPU, _GPUS = "deepseek-v3", "h100-sxm", ("h100-sxm", "h200-sxm", "b200")
_RIVALS = (("mha", "direct"), ("gqa", "direct"), ("mqa", "direct"), ("mla+rope", "absorb"))
_SIZES: dict[str, Coefficient] = {"L": 32768, "B": 64, "H": 128, "H_q": 64, "H_kv": 8}
_VOCABULARY = 129280
"""Of DeepSeek-V3, as its config.json has it."""


def deployment_pages() -> Iterator[tuple[str, str, Report, Spec | None]]:
    """(path, title, report, plot) of each page."""
    studies = [(_study(load_variant(name), Conventions(), _SIZES), order) for name, order in _RIVALS]
    found = [derive(study, order) for study, order in studies]
    title = "Variants under the roof of an H100"
    yield "deployment/roofline", title, roofline_report(found, None), roofline_chart(found)
    gpus = [load_accelerator(name) for name in _GPUS]
    asked = Speculation.of(studies, gpus, 12, acceptance_of("0.8"), _VOCABULARY)
    title = "Drafts: how many queries are free, and what drafting gains"
    yield "deployment/speculation", title, speculation_report(asked, None), speculation_chart(asked)
    for path, title, study, orders, symbol in _crossings():
        crossover = crossover_of(study, *orders, symbol, "time")
        notation = Notation.of(study.variant.symbols, None, study.conventions.phase)
        yield f"deployment/{path}", title, crossover_report(crossover, study, notation, "time"), None


def with_figure(report: Report, file: str, drawing: str = "") -> Report:
    """The report with its plot at the end; the drawing itself is for pages that hold all they show."""
    return replace(report, blocks=(*report.blocks, Figure(file, report.title, drawing)))


def drawn(plot: Spec | None) -> str | None:
    """The plot as SVG, where it can be drawn."""
    return str(render_plot(plot, ".svg")) if plot is not None and can_draw() else None


def _study(variant: Variant, conventions: Conventions, sizes: dict[str, Coefficient]) -> Study:
    model, gpu = load_checkpoint(_MODEL), load_accelerator(_GPU)
    own = {name: value for name, value in sizes.items() if name in {*variant.symbols, "R"}}
    return Study(variant, conventions, {**model.values(variant.symbols), **own}, model, gpu)


def _crossings() -> Iterator[tuple[str, str, Study, tuple[str, str], str]]:
    """Where orders take equally long."""
    ridge = load_accelerator(_GPU).ridge()
    variant = load_variant("mla+rope")
    sizes: dict[str, Coefficient] = {"L": 8192, "R": ridge}
    for kept, words in (("copied", "RoPE keys copied"), ("once", "RoPE keys stored once")):
        conventions = Conventions(phase="verify", formed="cached", kept_rows=kept)
        title = f"In time, keys and values kept expanded, {words}"
        yield f"time-kept-{kept}", title, _study(variant, conventions, sizes), ("absorb", "expand"), "S"
    conventions = Conventions(phase="verify", scope="attention")
    title = "In time, keys and values formed in the step"
    yield "time-formed", title, _study(variant, conventions, sizes), ("absorb", "expand"), "S"
    conventions = Conventions(formed="cached")
    title = "The batch from which a shared prefix is better kept expanded"
    shared = with_prefix(variant)
    yield (
        "prefix-batch",
        title,
        _study(shared, conventions, {"R": ridge}),
        ("absorb", "prefix-expand-absorb"),
        "B",
    )
