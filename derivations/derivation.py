"""A derivation: one order of one variant under one set of conventions, in symbols and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from .algebra import Ratio
from .analysis import cache_bytes, cache_elements, far_intensity, intensity
from .atoms import evaluate, free_symbols
from .checkpoints import Checkpoint
from .conventions import Conventions
from .costs import Cost, cost_of, sizes_of
from .crossover import Crossover
from .dims import symbol_text
from .errors import InputError, unknown
from .graph import Graph
from .hardware import Accelerator
from .layouts import with_layout
from .poly import Coefficient, Poly
from .prefix import segment
from .program import Variant
from .regimes import cross_in_regimes
from .regions import build_graph
from .roofline import Timed, timed
from .search import choose, order_names
from .sharding import UNSPLIT, Split
from .shown import Shown
from .sizechecks import check_sizes
from .stored import Stored, stored
from .terms import Kind
from .timecross import cross_in_time
from .transform import context_only, keep_formed, without_caches
from .trees import Sizes

__all__ = ["Derivation", "Study", "crossover_of", "derive", "orders_asked"]


@dataclass(frozen=True, slots=True)
class Study(Shown):
    """What is asked of a variant: conventions, sizes, and where they come from."""

    variant: Variant
    """The program."""
    conventions: Conventions = field(default_factory=Conventions)
    """The knobs; their defaults."""
    values: Mapping[str, Coefficient] = field(default_factory=dict)
    """Symbol -> number, where one is known."""
    model: Checkpoint | None = None
    """Where the sizes come from."""
    gpu: Accelerator | None = None
    """The accelerator results are held against."""
    split: Split = UNSPLIT
    """Over how many ranks indices are split; everything is about the largest rank."""
    layout: str = ""
    """How cached rows are stored, if not at the width b; see `layouts`."""
    compute: str = "bf16"
    """The element type of the arithmetic, which decides the peak."""
    called: str = ""
    """A name beside others, where that is not the variant's: which layers of which model."""

    def __repr__(self) -> str:
        knobs = self.conventions
        about = [self.label, knobs.phase, f"scope {knobs.scope}"]
        about += [symbol_text(self.values)] if self.values else []
        return f"Study({', '.join(about)})"

    def __post_init__(self) -> None:
        check_sizes(self.variant, self.values, self.conventions)

    def sizes(self, graph: Graph) -> Sizes:
        """The sizes the conventions and the split put into a program."""
        return sizes_of(self.conventions, self.batched, graph, self.split)

    @property
    def label(self) -> str:
        """What it is called beside others."""
        return self.called or self.variant.name

    @property
    def batched(self) -> bool:
        """Whether the batch is a symbol: it is one sequence unless B was given, or sequences share a prefix."""
        return "B" in self.values or segment(self.variant) is not None

    def under(self, **knobs: str) -> Study:
        """The same question under other conventions."""
        return replace(self, conventions=replace(self.conventions, **knobs))


@dataclass(frozen=True, slots=True)
class Derivation(Shown):
    """The answer for one order."""

    study: Study
    """What was asked."""
    cost: Cost
    """The ledger; its graph is the program after any rewriting."""

    def __repr__(self) -> str:
        knobs = self.study.conventions
        return f"Derivation({self.study.label}, {self.cost.order.label}, {knobs.phase}, scope {knobs.scope})"

    @property
    def flops(self) -> Poly:
        """Arithmetic in scope."""
        return self.cost.flops

    @property
    def bytes(self) -> Poly:
        """Bytes in scope."""
        return self.cost.bytes

    @property
    def intensity(self) -> Ratio | None:
        """FLOPs per byte; None when the scope moves no bytes."""
        return intensity(self.cost)

    @property
    def intensity_limit(self) -> Ratio | None:
        """Where the intensity tends as L grows without bound; None when it has no limit."""
        return far_intensity(self.cost)

    @property
    def cache_elements(self) -> Poly:
        """Elements a context token adds to the caches of a layer."""
        return cache_elements(self.cost.graph, self.study.sizes(self.cost.graph))

    @property
    def cache_bytes(self) -> Poly:
        """Bytes a context token adds to the caches of a layer."""
        return cache_bytes(self.cost.graph, self.study.sizes(self.cost.graph))

    @property
    def kept(self) -> Stored:
        """What a layer keeps between steps, windows and states included."""
        return stored(self.cost.graph, self.study.sizes(self.cost.graph))

    def value(self, quantity: Poly | Ratio | None) -> Coefficient | None:
        """The number of a quantity at the study's sizes; None when a size is missing."""
        if quantity is None:
            return None
        if isinstance(quantity, Ratio):
            return quantity.value(self.study.values)
        return evaluate(quantity, self.study.values)

    def under(self, **knobs: str) -> Derivation:
        """The same ledger under another scope or `grows`."""
        return Derivation(self.study.under(**knobs), self.cost.under(**knobs))

    @property
    def times(self) -> tuple[Timed, ...] | None:
        """Each kernel in scope, in seconds on the study's GPU; None without a GPU or a size."""
        study = self.study
        return timed(self.cost, study.gpu, study.compute, study.values) if study.gpu is not None else None

    @property
    def side(self) -> tuple[Fraction, Fraction] | None:
        """(intensity, ridge) in FLOP/B, when there is a GPU and every size is known."""
        value = self.value(self.intensity)
        if self.study.gpu is None or value is None:
            return None
        flops = 2 if self.study.conventions.unit == "macs" else 1
        return Fraction(value) * flops, self.study.gpu.ridge(self.study.compute)


def orders_asked(study: Study, asked: str | None) -> tuple[str, ...]:
    """The orders to derive: the one asked for, `all`, or the default.

    The default is the only order if there is one, the best where the sizes decide, else all named.
    """
    graph = build_graph(study.variant)
    named = order_names(graph)
    if asked == "all":
        return named
    if asked is not None:
        return (asked,)
    if len(named) == 1:
        return named
    if not _undecided(study, graph):
        return ("best",)
    return named


def _undecided(study: Study, graph: Graph) -> list[str]:
    """Symbols without a number that the layer's FLOPs can depend on."""
    sizes = [axis.size for axis in graph.variant.axes.values()]
    sizes += [mask.size for mask in graph.variant.masks.values() if mask.size is not None]
    needed = {name for size in sizes for name in free_symbols(sizes_of(study.conventions).put(size))}
    return sorted(needed - set(study.values))


def derive(study: Study, order: str) -> Derivation:
    """Derive one order, `best` and `direct` included. Raises InputError for an unknown name."""
    _must_be_study(study, order)
    key = (
        id(study.variant),
        study.conventions,
        tuple(sorted(study.values.items())),
        study.split,
        study.layout,
        order,
    )
    found = _RECENT.get(key)
    if found is None:
        if len(_RECENT) >= _KEPT:
            del _RECENT[next(iter(_RECENT))]
        found = _RECENT[key] = (study.variant, _cost(study, order))
    return Derivation(study, found[1])


def _must_be_study(given: object, order: str) -> None:
    if not isinstance(given, Study):
        kind = type(given).__name__
        raise TypeError(f"derive takes a Study, as in derive(Study(variant), {order!r}), not {kind}")


_KEPT = 32
_RECENT: dict[Any, tuple[Variant, Cost]] = {}
"""Ledgers made last, with the variant so that its id stays its own: a page asks for the same order often."""


def _cost(study: Study, order: str) -> Cost:
    conventions = study.conventions
    variant = study.variant
    chunked = [t for t in variant.tensors.values() if t.scan is not None and _is_chunk(variant, t.scan)]
    if study.split.cp > 1 and chunked:
        raise InputError(f"--cp: {variant.name} runs over chunks one after the other; leave it out")
    if conventions.caches == "none":
        variant = without_caches(variant)
    graph = build_graph(variant)
    sizes = study.sizes(graph)
    values = {**study.values}
    if conventions.phase == "prefill" and "S" in values:
        values.setdefault("L", values["S"])
    count = conventions.elementwise == "count"
    missing = _undecided(replace(study, values=values), graph) if order == "best" else []
    if missing:
        raise InputError(
            f"which order is best depends on {', '.join(missing)}; give numbers with --set or --model, "
            "or ask for a named order"
        )
    chosen = choose(graph, order, sizes, values, count)
    if conventions.formed == "cached":
        formed = [name for name in chosen.forms if context_only(variant, name)]
        kept = keep_formed(variant, formed, conventions.kept_rows == "copied")
        if kept is not variant:
            graph = build_graph(kept)
            sizes = study.sizes(graph)
            again = choose(graph, order, sizes, values, count, rewritten=True)
            chosen = replace(again, title=chosen.title, member_of=chosen.member_of)
    if study.layout:
        graph = replace(graph, variant=with_layout(graph.variant, study.layout))
    return cost_of(graph, chosen, conventions, sizes)


def _is_chunk(variant: Variant, axis: str) -> bool:
    return variant.axes[axis].size != Poly.symbol("S")


def crossover_of(study: Study, first: str, second: str, symbol: str, measure: str = "flops") -> Crossover:
    """Where two orders cost the same in `symbol`, counted in `flops`, `bytes` or `time` of the study's scope.

    The orders are chosen as symbols, so that the closed form holds at every size. Raises InputError
    for orders that are the same, a symbol nobody has, and where there is no closed form.
    """
    if first == second:
        raise InputError(f"a crossover needs two different orders, and {first} was given twice")
    symbols = set(study.variant.symbols) | ({"R"} if measure == "time" else set())
    if symbol not in symbols:
        raise unknown("symbol", symbol, symbols)
    if symbol == "S" and study.conventions.phase != "verify":
        raise InputError(f"S is not free in {study.conventions.phase}; use --phase verify, or --in L")
    if symbol == "B" and segment(study.variant) is None:
        raise InputError("every cost here is proportional to B, so no crossover depends on it")
    free = replace(study, values={})
    found = [derive(free, name) for name in (first, second)]
    facts = study.variant.facts
    if measure == "time":
        return cross_in_time((found[0].cost, found[1].cost), symbol, (first, second), facts, study.values)
    costs: tuple[Poly, Poly] = (getattr(found[0], measure), getattr(found[1], measure))
    crossover = cross_in_regimes(*costs, symbol, (first, second), facts)
    return replace(crossover, costs=costs, left_out=_left_out(found))


def _left_out(derivations: list[Derivation]) -> tuple[Poly, ...]:
    """FLOPs along the context that one order has, the other has not, and the scope does not count."""
    outside = [
        {t.where: t.amount for t in d.cost.terms if t.kind == Kind.FLOPS and t.grows and not d.cost.counts(t)}
        for d in derivations
    ]
    return tuple(
        amount
        for mine, other in (outside, outside[::-1])
        for where, amount in mine.items()
        if other.get(where) != amount
    )
