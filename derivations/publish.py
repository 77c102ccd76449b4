"""The reports that ship with the project: which pages there are, and the files they become."""

from __future__ import annotations

from collections.abc import Iterator

from .arranging import with_drawings
from .articles import document_pages
from .bestmap import best_map
from .checkpoints import checkpoint_names, load_checkpoint
from .conventions import Conventions
from .derivation import Derivation, Study, crossover_of, derive
from .errors import InputError
from .hardware import load_accelerator
from .layercosts import Asked, model_cost
from .library import load_variant
from .notation import Notation
from .orders import orders_of
from .pagefiles import Page, both, index_pages
from .pages.bestmap import map_plot
from .pages.compare import compare_report
from .pages.crossover import crossover_report
from .pages.derivation import derivation_report
from .pages.library import library_report
from .pages.model import model_report
from .pages.orders import orders_report
from .pages.statements import statements_report
from .poly import Coefficient
from .program import Variant
from .published import deployment_pages, drawn, with_figure
from .recurrences import recurrence_pages
from .regions import build_graph
from .released import load_released
from .search import order_names
from .statements import load_statements, statement_names
from .teaching import LESSONS, lesson_pages

__all__ = ["Page", "pages"]

VARIANTS = (
    "mha", "gqa", "mqa", "mla", "mla+rope", "mla+query-latent", "mla+rope+query-latent",
    "mla-rope-in-key", "dsa", "dsa+rope+query-latent", "gqa+window", "gqa+window+sinks",
    "gqa+chunk", "gqa+reads",
    "mla+rope+query-latent+selected", "gta", "gla", "mfa", "mfa+key-reuse", "tpa", "cca",
    "shared-kv+window", "csa",
    "hca", "nsa", "moba", "lightning", "lightning+chunked", "mamba2", "gdn", "kda", "shortconv",
)  # fmt: skip
CONTEXT = 8192
"""Context tokens of the pages with numbers."""
FOLDERS = {
    "": "The documents, derived again",
    LESSONS: "Lessons: the cost of attention, derived",
    "variants": "Variants, in symbols",
    "crossovers": "Crossovers, with the widths of Kimi K3",
    "models": f"Released models layer by layer, decode at L = {CONTEXT} on an H200",
    "checkpoints": f"The attention of released models, decode at L = {CONTEXT}",
    "compare": "Comparisons",
    "orders": "Orders: which can be best, in symbols",
    "maps": "Best-order maps",
    "deployment": "Time, ranks and drafts, with the widths of DeepSeek-V3",
    "recurrent": "Recurrences: against softmax attention, and in chunks",
    "statements": "Statements about all bracketings",
}
"""Folder -> its title in the index."""


def pages() -> Iterator[Page]:
    """Every page, the index last, in a fixed order."""
    made: list[Page] = []
    sources = (
        _documents(), lesson_pages(), _derivations(), _crossovers(), _models(), _checkpoints(), _comparisons(),
        _orders(), _maps(), _deployments(), _recurrences(), _statements(), _library(),
    )  # fmt: skip
    for source in sources:
        for page in source:
            made.append(page)
            yield page
    yield from index_pages(made, FOLDERS)


def _documents() -> Iterator[Page]:
    """The documents derived again, their drawings, and the errata."""
    for path, title, content in document_pages():
        if isinstance(content, str):
            yield Page(path, title, content)
        else:
            yield from both(path, title, content)


def _derivations() -> Iterator[Page]:
    """Each bundled variant in each of its orders, in symbols."""
    for name in VARIANTS:
        variant = load_variant(name)
        conventions = own_conventions(variant)
        study = Study(variant, conventions, {})
        named = order_names(build_graph(variant))
        notation = Notation.of(variant.symbols, None, conventions.phase)
        for order in named:
            rivals = [other for other in named if other != order]
            report = derivation_report(derive(study, order), notation, rivals)
            yield from both(f"variants/{name}/{order}", f"{variant.title}, order {order}", report)


def own_conventions(variant: Variant) -> Conventions:
    """The defaults; a chunk needs more tokens than decode has, and its state passes through memory."""
    return Conventions(phase="prefill", traffic="two-pass") if "chunked" in variant.options else Conventions()


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
            yield from both(f"crossovers/{name}-in-{symbol}-{phase}", title, report)


def _models() -> Iterator[Page]:
    """Each released model, layer by layer."""
    values: dict[str, Coefficient] = {"L": CONTEXT}
    asked = Asked(Conventions(), values, load_accelerator("h200-sxm"))
    for name in checkpoint_names():
        model = load_released(name)
        title = f"{model.title}, layer by layer, L = {CONTEXT}"
        yield from both(f"models/{name}", title, model_report(model_cost(model, asked), False))


def _checkpoints() -> Iterator[Page]:
    """The attention of released models whose layers are alike, in decode, with numbers."""
    for name in checkpoint_names():
        model = load_checkpoint(name)
        if model.others and name != "kimi-k3":
            continue
        variant = load_variant("+".join((model.variant, *model.options)))
        values = {**model.values(variant.symbols), "L": CONTEXT}
        study = Study(variant, Conventions(), values, model)
        derivation = derive(study, "best")
        notation = Notation.of(variant.symbols, None, "decode")
        report = derivation_report(derivation, notation)
        title = f"{model.title}, {derivation.cost.order.label}, decode, L = {CONTEXT}"
        yield from both(f"checkpoints/{name}", title, report)


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
        yield from both(f"compare/{phase}-{scope}", title, compare_report(found, None))


ORDERS = (
    ("mha", "decode"), ("mha", "prefill"), ("gqa", "decode"), ("mqa", "decode"), ("mla", "decode"),
    ("mla", "verify"), ("mla", "prefill"), ("mla+rope", "decode"), ("mla+query-latent", "decode"),
    ("dsa", "decode"),
)  # fmt: skip


def _orders() -> Iterator[Page]:
    """Every order of some variants, in symbols."""
    for name, phase in ORDERS:
        study = Study(load_variant(name), Conventions(phase=phase, scope="layer"), {})
        notation = Notation.of(study.variant.symbols, None, phase)
        report = orders_report(orders_of(study), study, notation)
        yield from both(f"orders/{name}-{phase}", f"{study.variant.title}, {phase}", report)


MAPS: tuple[tuple[str, tuple[str, ...], dict[str, Coefficient], dict[str, tuple[int, int]]], ...] = (
    ("glm-4.7-flash", ("S",), {"L": 131072}, {"S": (1, 4096)}),
    ("glm-4.7-flash", ("S", "L"), {}, {"S": (1, 4096), "L": (16, 1 << 20)}),
    ("deepseek-v3", ("S", "L"), {}, {"S": (1, 4096), "L": (16, 1 << 20)}),
)
"""Models, the symbols of the map, sizes given by hand, and ranges."""


def _maps() -> Iterator[Page]:
    """Which order is cheapest where, on the widths of some models, with a plot."""
    variant = load_variant("mla")
    for name, symbols, more, ranges in MAPS:
        model = load_checkpoint(name)
        values = {**model.values(variant.symbols), **more}
        study = Study(variant, Conventions(phase="verify", scope="layer"), values, model)
        notation = Notation.of(variant.symbols, None, "verify")
        found = orders_of(study)
        best = best_map(study, symbols, found, ranges)
        path = f"maps/{name}-{'-'.join(symbols)}"
        title = f"{variant.title} on the widths of {model.title}, by {' and '.join(symbols)}"
        drawing = drawn(map_plot(best, found, notation, title, "FLOPs"))
        file = f"{path.rpartition('/')[2]}.svg" if drawing is not None else None
        report = orders_report(found, study, notation, best=best, figure=file)
        if drawing is not None and file is not None:
            yield Page(f"{path}.svg", title, drawing)
            report = with_drawings(report, {file: drawing})
        yield from both(path, title, report)


def _deployments() -> Iterator[Page]:
    """Rooflines, drafts and crossovers in time, two of them with a plot."""
    for path, title, report, plot in deployment_pages():
        drawing = drawn(plot)
        if drawing is not None:
            yield Page(f"{path}.svg", title, drawing)
            report = with_figure(report, path.rpartition("/")[2] + ".svg", drawing)
        yield from both(path, title, report)


def _recurrences() -> Iterator[Page]:
    """From which context on a recurrence costs less than softmax attention, and how long a chunk should be."""
    for path, title, report in recurrence_pages():
        yield from both(path, title, report)


def _library() -> Iterator[Page]:
    """Derived caches beside those of a library; its names are too long for a page of paper."""
    title = "Caches as the transformers library has them"
    yield from both("library", title, library_report(), latex=False)


def _statements() -> Iterator[Page]:
    """Statements about all bracketings."""
    for name in statement_names():
        statements = load_statements(name)
        yield from both(f"statements/{name}", statements.title, statements_report(statements))
