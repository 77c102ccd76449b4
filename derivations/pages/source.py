"""Python for the page of a derivation: cells that derive again what stands above them, and compare.

Each cell is about one section and stands at its end. What it asserts comes from what the section prints: the
closed forms, the numbers, the verdicts. So a page whose text and code differ fails where it is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations

from ..checkpoints import checkpoint_names, load_checkpoint
from ..conventions import Conventions
from ..derivation import Derivation, Study
from ..errors import InputError
from ..hardware import accelerator_names, load_accelerator
from ..library import load_variant, variant_names
from ..prefix import segment, with_prefix
from ..report import Block, Code, Heading, Report
from .codecells import (
    bracketing_cell,
    bytes_cell,
    crossing_cell,
    division_cell,
    flops_cell,
    growth_cell,
    judged_cell,
    numbers_cell,
    times_cell,
)
from .crossover import crossover_title
from .literals import call, listing, literal, mapping, variable

__all__ = ["Origin", "origin_of", "with_code"]

_CELLS: Mapping[str, Callable[[Derivation], list[str]]] = {
    "The program": lambda _: ["graph = derivation.cost.graph", "graph"],
    "The bracketing": bracketing_cell,
    "FLOPs": flops_cell,
    "MACs": flops_cell,
    "Bytes": bytes_cell,
    "The division": division_cell,
    "With numbers": numbers_cell,
    "Time": times_cell,
    "As the context grows": growth_cell,
    "Conventions": lambda _: ["study"],
}
"""Section -> its cell, where that is about one order."""


@dataclass(frozen=True, slots=True)
class Origin:
    """By which names the parts of a study are loaded."""

    variant: str
    """As `load_variant` takes it."""
    model: str = ""
    """As `load_checkpoint` takes it; empty where there is none."""
    gpu: str = ""
    """As `load_accelerator` takes it; empty where there is none."""


def origin_of(study: Study) -> Origin | None:
    """The names by which a study's parts load again, files as they were given; None where one does not."""
    variant, model, gpu = study.variant, study.model, study.gpu
    bundled = variant.name if variant.base in variant_names() else ""
    for name in (bundled, "+".join((variant.place.file, *variant.options))):
        if name and _same(variant, name):
            break
    else:
        return None
    if model is not None and (model.name not in checkpoint_names() or load_checkpoint(model.name) != model):
        return None
    if gpu is not None and (gpu.name not in accelerator_names() or load_accelerator(gpu.name) != gpu):
        return None
    return Origin(name, model.name if model else "", gpu.name if gpu else "")


def _same(variant: object, name: str) -> bool:
    try:
        loaded = load_variant(name)
        return variant in (loaded, with_prefix(loaded))
    except InputError:
        return False


def with_code(
    report: Report, derivations: Sequence[Derivation], named: Sequence[str], origin: Origin
) -> Report:
    """The page of these derivations with a cell at the end of each section that has something to run.

    `named` are the orders that are held against each other.
    """
    cells = _Cells(derivations, named, origin)
    blocks: list[Block] = []
    path: list[str] = []
    own: list[Block] = []
    for block in (*report.blocks, Heading("", 0)):
        if not isinstance(block, Heading):
            own.append(block)
            continue
        lines = cells.of(tuple(path), own)
        blocks += [*own, *([Code("\n".join(lines), "python")] if lines else []), block]
        path, own = [*path[: block.level - 1], block.text], []
    return replace(report, blocks=tuple(blocks[:-1]))


class _Cells:
    """The cells of one page."""

    def __init__(self, derivations: Sequence[Derivation], named: Sequence[str], origin: Origin) -> None:
        self.derivations, self.named, self.origin = derivations, list(named), origin
        self.study = derivations[0].study
        self.pairs = list(combinations(self.named, 2))
        self.titles: dict[str, Derivation] = {}
        if len(derivations) == 1:
            own = derivations[0].cost.order.name
            self.pairs = [(own, rival) for rival in self.named if rival != own]
        else:
            self.titles = {f"Order {d.cost.order.label}": d for d in derivations}

    def of(self, path: tuple[str, ...], printed: Sequence[Block]) -> list[str]:
        """The lines of a section's cell, by the headings it stands under."""
        if path and path[0] in self.titles:
            derivation = self.titles[path[0]]
            if len(path) == 1:
                name = literal(derivation.cost.order.name)
                return [f"derivation = orders[{name}]", "derivation"]
            path = path[1:]
        else:
            derivation = self.derivations[0]
        if len(path) != 1:
            return [] if path else self.study_lines()
        (title,) = path
        for first, second in self.pairs:
            if title == crossover_title(first, second):
                return crossing_cell(self.study, first, second)
        if title == "Claims":
            return self.claims(derivation, printed)
        if title == "Claims about the crossovers":
            return self.crossover_claims(printed)
        return _CELLS[title](derivation) if title in _CELLS else []

    def study_lines(self) -> list[str]:
        """The study and its orders."""
        study, origin = self.study, self.origin
        lines = ["# Needs the package `derivations` where this notebook runs."]
        lines += ["from fractions import Fraction", ""] if study.values else []
        lines += ["import sympy", "", "import derivations as d", ""]
        loaded = call("d.load_variant", [literal(origin.variant)])
        lines.append(
            f"variant = {loaded if segment(study.variant) is None else call('d.with_prefix', [loaded])}"
        )
        lines += [*self._parts(), "", *_symbols(study), ""]
        orders = [derivation.cost.order.name for derivation in self.derivations]
        if len(orders) == 1:
            return [*lines, f"derivation = d.derive(study, {literal(orders[0])})", "derivation"]
        asked = listing(literal(name) for name in orders)
        lines.append(f"orders = {{name: d.derive(study, name) for name in {asked}}}")
        return [*lines, f"derivation = orders[{literal(orders[0])}]", "study"]

    def _parts(self) -> Iterator[str]:
        study, origin = self.study, self.origin
        default = Conventions()
        knobs = {
            f.name: getattr(study.conventions, f.name)
            for f in fields(Conventions)
            if getattr(study.conventions, f.name) != getattr(default, f.name)
        }
        arguments = ["variant"]
        if knobs:
            yield f"conventions = {call('d.Conventions', [f'{k}={literal(v)}' for k, v in knobs.items()])}"
            arguments.append("conventions=conventions")
        values = {name: literal(value) for name, value in study.values.items()}
        if study.model is not None and origin.model:
            yield f"model = {call('d.load_checkpoint', [literal(origin.model)])}"
            given = study.model.values(study.variant.symbols)
            values = {n: v for n, v in values.items() if given.get(n) != study.values[n]}
            values = {"**model.values(variant.symbols)": "", **values}
            arguments += ["values=values", "model=model"]
        elif values:
            arguments.append("values=values")
        if values:
            yield f"values = {mapping(values)}"
        if study.gpu is not None and origin.gpu:
            yield f"gpu = {call('d.load_accelerator', [literal(origin.gpu)])}"
            arguments.append("gpu=gpu")
        split = [f"{k}={getattr(study.split, k)}" for k in ("tp", "cp", "dp") if getattr(study.split, k) > 1]
        arguments += [f"split={call('d.Split', split)}"] if split else []
        arguments += [f"layout={literal(study.layout)}"] if study.layout else []
        arguments += [f"compute={literal(study.compute)}"] if study.compute != "bf16" else []
        yield f"study = {call('d.Study', arguments)}"

    def claims(self, derivation: Derivation, printed: Sequence[Block]) -> list[str]:
        """The claims of one order, and on a page of its own those of its crossovers."""
        function = "order_assertions" if self.titles else "derivation_assertions"
        rivals = self.named if self.titles else [second for _, second in self.pairs]
        asked = ["derivation", listing(literal(name) for name in rivals)]
        return judged_cell(call(f"d.{function}", asked), printed)

    def crossover_claims(self, printed: Sequence[Block]) -> list[str]:
        """The claims about the orders in pairs."""
        asked = [f"*d.crossover_assertions(study, {literal(a)}, {literal(b)})" for a, b in self.pairs]
        return judged_cell(listing(asked), printed)


def _symbols(study: Study) -> list[str]:
    """The sizes as sympy symbols, each under its own name where Python lets it have that."""
    names = list(study.variant.symbols)
    return [
        f"names = {listing(map(literal, names))}",
        f"{listing(map(variable, names))} = map(d.symbol, names)",
    ]
