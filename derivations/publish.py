"""The reports that ship with the project: which pages there are, and the files they become."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .checkpoints import checkpoint_names, load_checkpoint
from .conventions import Conventions
from .derivation import Derivation, Study, crossover_of, derive
from .errors import InputError
from .library import load_variant
from .notation import Notation
from .pages.compare import compare_report
from .pages.crossover import crossover_report
from .pages.derivation import derivation_report
from .poly import Coefficient
from .regions import build_graph
from .render import render
from .report import Cell, Heading, Items, Link, Report, cell, prose
from .search import order_names

__all__ = ["Page", "pages"]

VARIANTS = (
    "mha", "gqa", "mqa", "mla", "mla+rope", "mla+query-latent", "mla+rope+query-latent",
    "mla-rope-in-key", "dsa", "dsa+rope+query-latent",
)  # fmt: skip
CONTEXT = 8192
"""Context tokens of the pages with numbers."""


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the reports."""

    path: str
    """Below the reports' folder."""
    title: str
    """For the index."""
    text: str
    """Its content."""


def pages() -> Iterator[Page]:
    """Every page, the index last, in a fixed order."""
    made: list[Page] = []
    for source in (_derivations(), _crossovers(), _checkpoints(), _comparisons()):
        for page in source:
            made.append(page)
            yield page
    yield Page("README.md", "Reports", render(_index(made), "markdown"))


def _both(path: str, title: str, report: Report) -> Iterator[Page]:
    yield Page(f"{path}.md", title, render(report, "markdown"))
    yield Page(f"{path}.tex", title, render(report, "latex"))


def _derivations() -> Iterator[Page]:
    """Each bundled variant in each of its orders, in symbols."""
    for name in VARIANTS:
        variant = load_variant(name)
        study = Study(variant, Conventions(), {})
        named = order_names(build_graph(variant))
        notation = Notation.of(variant.symbols, None, "decode")
        for order in named:
            rivals = [other for other in named if other != order]
            report = derivation_report(derive(study, order), notation, rivals)
            yield from _both(f"variants/{name}/{order}", f"{variant.title}, order {order}", report)


def _crossovers() -> Iterator[Page]:
    """Pairs of orders, in S and in L."""
    model = load_checkpoint("kimi-k3")
    for name in ("mla", "mla+rope", "mla+rope+query-latent", "dsa"):
        variant = load_variant(name)
        first, second = order_names(build_graph(variant))[:2]
        for symbol, phase in (("S", "verify"), ("L", "decode"), ("L", "prefill")):
            values: dict[str, Coefficient] = dict(model.values(variant.symbols))
            if symbol == "S":
                values["L"] = 32768
            study = Study(variant, Conventions(phase=phase, scope="attention"), values, model)
            notation = Notation.of(variant.symbols, None, phase)
            try:
                crossover = crossover_of(study, first, second, symbol)
            except InputError:
                continue
            report = crossover_report(crossover, study, notation, "flops")
            title = f"{variant.title}: {first} against {second} in {symbol}, {phase}"
            yield from _both(f"crossovers/{name}-in-{symbol}-{phase}", title, report)


def _checkpoints() -> Iterator[Page]:
    """Each released model's own attention in decode, with numbers."""
    for name in checkpoint_names():
        model = load_checkpoint(name)
        variant = load_variant("+".join((model.variant, *model.options)))
        values = {**model.values(variant.symbols), "L": CONTEXT}
        study = Study(variant, Conventions(), values, model)
        derivation = derive(study, "best")
        notation = Notation.of(variant.symbols, None, "decode")
        report = derivation_report(derivation, notation)
        title = f"{model.title}, {derivation.cost.order.label}, decode, L = {CONTEXT}"
        yield from _both(f"checkpoints/{name}", title, report)


def _comparisons() -> Iterator[Page]:
    """The variants side by side on DeepSeek-V3's widths, by phase and scope."""
    model = load_checkpoint("deepseek-v3")
    for phase, scope in (
        ("decode", "core"),
        ("decode", "kernel"),
        ("decode", "layer"),
        ("prefill", "attention"),
    ):
        found: list[Derivation] = []
        for name in ("mha", "gqa", "mqa", "mla", "mla+rope"):
            variant = load_variant(name)
            values = {**model.values(variant.symbols), "L": CONTEXT}
            if "H_kv" in variant.symbols:
                values["H_kv"] = 8
            study = Study(variant, Conventions(phase=phase, scope=scope), values, model)
            found += [derive(study, order) for order in order_names(build_graph(variant))]
        title = f"Variants on the widths of {model.title}, {phase}, scope {scope}"
        yield from _both(f"compare/{phase}-{scope}", title, compare_report(found, None))


def _index(made: list[Page]) -> Report:
    """The list of all pages."""
    blocks: list[Any] = [
        prose("Everything here is derived by make report; nothing is typed by hand. Each page comes as "
              "Markdown and as LaTeX.")
    ]  # fmt: skip
    titles = {
        "variants": "Variants, in symbols",
        "crossovers": "Crossovers, with the widths of Kimi K3",
        "checkpoints": f"Released models, decode at L = {CONTEXT}",
        "compare": "Comparisons",
    }
    for folder, title in titles.items():
        entries: list[Cell] = [
            cell(Link(page.title, page.path), " (", Link("LaTeX", page.path.removesuffix("md") + "tex"), ")")
            for page in made
            if page.path.startswith(f"{folder}/") and page.path.endswith(".md")
        ]
        blocks += [Heading(title), Items(tuple(entries))]
    return Report("Reports", "", tuple(blocks))
