"""The page of one derivation: program, bracketing, FLOPs, bytes, the division, numbers, limits."""

from __future__ import annotations

from collections.abc import Iterable

from ..atoms import free_symbols
from ..conventions import KNOBS, SCOPES
from ..derivation import Derivation
from ..notation import Notation
from ..report import Block, Display, Heading, Items, Math, Prose, Report, Table, cell, prose
from .crossover import crossover_blocks
from .ledger import byte_blocks, division_blocks, flop_blocks
from .numbers import growth_blocks, number_blocks
from .parts import LONG, Setter, number_math

__all__ = ["conventions_table", "derivation_report", "joined_report"]


def derivation_report(derivation: Derivation, notation: Notation, rivals: Iterable[str] = ()) -> Report:
    """The whole page; `rivals` are the orders its order is held against."""
    setter = Setter.of(derivation, notation)
    study, cost = derivation.study, derivation.cost
    blocks: list[Block] = [
        *_summary(derivation, setter),
        Heading("Symbols"),
        _symbols(derivation, setter),
        Heading("The program"),
        _program_text(setter),
        setter.program(),
        Heading("The bracketing"),
        *_bracketing(derivation, setter),
        Heading("FLOPs" if study.conventions.unit == "flops" else "MACs"),
        *flop_blocks(derivation, setter),
        Heading("Bytes"),
        *byte_blocks(derivation, setter),
        Heading("The division"),
        *division_blocks(derivation, setter),
    ]
    if study.values:
        blocks += [Heading("With numbers"), *number_blocks(derivation, setter)]
    blocks += [Heading("As the context grows"), *growth_blocks(derivation, setter)]
    for rival in rivals:
        blocks += crossover_blocks(study, cost.order.name, rival, notation)
    blocks += [Heading("Conventions"), *_conventions(derivation)]
    sources = [study.variant.reference] if study.variant.reference else []
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    if study.gpu is not None:
        sources.append(f"{study.gpu.title}: {study.gpu.bandwidth.source}")
    return Report(
        title=study.variant.title,
        subtitle=f"order {cost.order.label}, {study.conventions.phase}, scope {study.conventions.scope}",
        blocks=tuple(blocks),
        sources=tuple(sources),
    )


def joined_report(first: Derivation, reports: list[Report]) -> Report:
    """Several orders of one variant in one document, each under a heading of its own."""
    blocks: list[Block] = []
    for report in reports:
        blocks.append(Heading(report.subtitle.capitalize()))
        blocks += [Heading(b.text, b.level + 1) if isinstance(b, Heading) else b for b in report.blocks]
    conventions = first.study.conventions
    return Report(
        title=first.study.variant.title,
        subtitle=f"{len(reports)} orders, {conventions.phase}, scope {conventions.scope}",
        blocks=tuple(blocks),
        sources=reports[0].sources,
    )


def _summary(derivation: Derivation, setter: Setter) -> list[Block]:
    study, order = derivation.study, derivation.cost.order
    phase = KNOBS["phase"].values[study.conventions.phase]
    sentence = f"{study.variant.title} ({study.variant.name}), order {order.label}"
    if order.title:
        sentence += f": {order.title}"
    blocks: list[Block] = [
        prose(f"{sentence}. Phase {study.conventions.phase}: {phase}. "
              f"Scope {study.conventions.scope}: {SCOPES[study.conventions.scope].text}.")
    ]  # fmt: skip
    ratio = derivation.intensity
    if ratio is not None and len(setter.quantity(ratio).text) <= LONG:
        result = setter.quantity(ratio)
        head = Math("I &= ", "I = ")
        blocks.append(Display((Math(head.latex + result.latex, head.text + result.text),), boxed=True))
    return blocks


def _symbols(derivation: Derivation, setter: Setter) -> Table:
    study = derivation.study
    variant = derivation.cost.graph.variant
    used = {"b"} | ({"B"} if study.batched else set())
    for axis in variant.axes.values():
        used |= free_symbols(setter.sizes.put(axis.size))
    for mask in variant.masks.values():
        used |= free_symbols(mask.size) if mask.size is not None else set()
    rows = []
    for name, dim in study.variant.symbols.items():
        if name not in used:
            continue
        value = study.values.get(name)
        shown = cell(number_math(value)) if value is not None else cell("free")
        rows.append((cell(setter.symbol(name)), cell(dim.meaning or "-"), shown))
    source = f"Values of {study.model.title}." if study.model else ""
    return Table(("symbol", "meaning", "value"), tuple(rows), "lpr", source)


def _program_text(setter: Setter) -> Prose:
    caches = setter.kept()
    words: list[str | Math] = ["Shapes stand under the tensors; an index missing on the left is summed."]
    if caches:
        words.append(" An arrow writes the new rows of a cache (")
        for index, name in enumerate(caches):
            words += [", " if index else "", setter.tensor(name)]
        words.append("); the step reads all rows.")
    return Prose(tuple(words))


def _bracketing(derivation: Derivation, setter: Setter) -> list[Block]:
    cost = derivation.cost
    lines = []
    for region, tree in zip(cost.graph.regions, cost.order.trees, strict=True):
        leaves = [
            setter.shaped(setter.tensor(leaf.tensor), (region.axis_of[x] for x in leaf.labels))
            for leaf in region.leaves
        ]
        root = setter.tensor(region.root)
        made = setter.bracket(leaves, tree)
        several = sum(r.root == region.root for r in cost.graph.regions) > 1
        sign = "{}-{}" if region.sign < 0 else ""
        mark = Math("&\\ni", "has the part") if several else Math("&=", "=")
        lines.append(Math(f"{root.latex} {mark.latex} {sign}{made.latex}",
                          f"{root.text} {mark.text} {'-' if sign else ''}{made.text}"))  # fmt: skip
    words: list[str | Math] = [
        (
            "Between two barriers a product may be bracketed in any way: the values are the same, the "
            "work is not. This order forms "
        )
    ]
    for index, name in enumerate(cost.order.forms):
        words += [", " if index else "", setter.tensor(name)]
    words.append(". " if cost.order.forms else "no named intermediate. ")
    words.append(f"It stands for the set called {cost.order.name}: {cost.order.rule}.")
    return [Prose(tuple(words)), Display(tuple(lines))]


def conventions_table(items: Iterable[tuple[str, str]]) -> Table:
    """Every knob with its value and what it means."""
    rows = [(cell(KNOBS[name].title), cell(value), cell(KNOBS[name].values[value])) for name, value in items]
    return Table(("convention", "value", "meaning"), tuple(rows), "plp")


def _conventions(derivation: Derivation) -> list[Block]:
    study = derivation.study
    blocks: list[Block] = [conventions_table(study.conventions.items())]
    notes = [*study.variant.notes, *(study.model.notes if study.model else ())]
    if notes:
        blocks.append(Items(tuple(cell(note) for note in notes)))
    return blocks
