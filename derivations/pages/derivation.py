"""The page of one derivation: program, bracketing, FLOPs, bytes, the division, numbers, limits."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from ..assertions import crossover_assertions, derivation_assertions, order_assertions
from ..atoms import free_symbols
from ..conventions import CLASSES, KNOBS, SCOPES, STAGES
from ..derivation import Derivation, Study
from ..notation import Notation
from ..opinions import weighed
from ..program import Role
from ..report import Block, Display, Heading, Items, Math, Prose, Report, Table, cell, prose
from ..terms import Kind
from .claims import claim_blocks
from .crossover import crossover_blocks
from .ledger import byte_blocks, division_blocks, flop_blocks
from .numbers import growth_blocks, number_blocks
from .parts import LONG, Setter, conventions_table, number_math
from .times import deployed, deployment_rows, rank_blocks, time_blocks

__all__ = ["bracketing_blocks", "derivation_report", "joined_report"]


def derivation_report(
    derivation: Derivation, notation: Notation, rivals: Iterable[str] = (), steps: bool = True
) -> Report:
    """The whole page; `rivals` are the orders its order is held against, `steps` shows the proofs."""
    study, order = derivation.study, derivation.cost.order
    setter = Setter.of(derivation, notation)
    blocks = [*_summary(derivation, setter), *_given(derivation, setter), *_derived(derivation, setter)]
    others = list(rivals)
    for rival in others:
        blocks += crossover_blocks(study, order.name, rival, notation)
    blocks += claim_blocks(weighed(derivation_assertions(derivation, others)), notation, steps=steps)
    blocks += [Heading("Conventions"), *_conventions(derivation)]
    knobs = f"{study.conventions.phase}, scope {study.conventions.scope}{deployed(study)}"
    return Report(
        title=study.variant.title,
        subtitle=f"order {order.label}, {knobs}",
        blocks=tuple(blocks),
        sources=_sources(study),
    )


def joined_report(
    derivations: Iterable[Derivation], notation: Notation, named: Iterable[str], steps: bool = True
) -> Report:
    """Several orders of one variant in one document; what they share stands once.

    `named` are the orders held against each other, each pair once.
    """
    found, known = list(derivations), list(named)
    study = found[0].study
    blocks = _given(found[0], Setter.of(found[0], notation))
    for derivation in found:
        setter = Setter.of(derivation, notation)
        blocks.append(Heading(f"Order {derivation.cost.order.label}"))
        claims = claim_blocks(weighed(order_assertions(derivation, known)), notation, steps=steps)
        sections = [*_summary(derivation, setter), *_derived(derivation, setter), *claims]
        blocks += [Heading(b.text, b.level + 1) if isinstance(b, Heading) else b for b in sections]
    for first, second in combinations(known, 2):
        blocks += crossover_blocks(study, first, second, notation)
    pairs = [a for first, second in combinations(known, 2) for a in crossover_assertions(study, first, second)]
    blocks += claim_blocks(weighed(pairs), notation, "Claims about the crossovers", steps)
    blocks += [Heading("Conventions"), *_conventions(found[0])]
    knobs = f"{study.conventions.phase}, scope {study.conventions.scope}{deployed(study)}"
    return Report(
        title=study.variant.title,
        subtitle=f"{len(found)} orders, {knobs}",
        blocks=tuple(blocks),
        sources=_sources(study),
    )


def _given(derivation: Derivation, setter: Setter) -> list[Block]:
    """What is the same for every order: symbols and program."""
    return [
        Heading("Symbols"),
        _symbols(derivation, setter),
        Heading("The program"),
        _program_text(setter),
        _indices(setter),
        setter.program(),
    ]


def _derived(derivation: Derivation, setter: Setter) -> list[Block]:
    """What an order does and what follows."""
    unit = "FLOPs" if derivation.study.conventions.unit == "flops" else "MACs"
    blocks: list[Block] = [
        Heading("The bracketing"),
        *bracketing_blocks(derivation, setter),
        Heading(unit),
        *flop_blocks(derivation, setter),
        Heading("Bytes"),
        *byte_blocks(derivation, setter),
        Heading("The division"),
        *division_blocks(derivation, setter),
    ]
    if derivation.study.values:
        blocks += [Heading("With numbers"), *number_blocks(derivation, setter), *rank_blocks(derivation)]
    if derivation.study.gpu is not None:
        blocks += [Heading("Time"), *time_blocks(derivation)]
    return [*blocks, Heading("As the context grows"), *growth_blocks(derivation, setter)]


def _sources(study: Study) -> tuple[str, ...]:
    sources = [study.variant.reference] if study.variant.reference else []
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    if study.gpu is not None:
        sources.append(f"{study.gpu.title}: {study.gpu.bandwidth.source}")
    return tuple(sources)


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
    if ratio is None:
        return blocks
    unit = "FLOP" if study.conventions.unit == "flops" else "MAC"
    result, value = setter.quantity(ratio), derivation.value(ratio)
    line = Math("I &", "I")
    if len(result.text) <= LONG:
        line = Math(f"{line.latex}= {result.latex}", f"{line.text} = {result.text}")
    if value is not None:
        number = number_math(value)
        line = Math(
            f"{line.latex} = {number.latex}\\ \\text{{{unit}/B}}", f"{line.text} = {number.text} {unit}/B"
        )
    if line.text != "I":
        blocks.append(Display((line,), boxed=True))
    return blocks


def _symbols(derivation: Derivation, setter: Setter) -> Table:
    study = derivation.study
    variant = derivation.cost.graph.variant
    used = {"b"} | ({"B"} if study.batched else set())
    used = used.union(*(free_symbols(tensor.width) for tensor in variant.tensors.values()))
    for axis in variant.axes.values():
        used |= free_symbols(setter.sizes.axis(axis))
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
    words: list[str | Math] = ["Each tensor stands with its indices; an index missing on the left is summed."]
    if caches:
        words.append(" An arrow writes the new rows of a cache (")
        for index, name in enumerate(caches):
            words += [", " if index else "", setter.tensor(name)]
        words.append("); the step reads all rows.")
    if any(t.role is Role.STATE for t in setter.variant.tensors.values()):
        words.append(" An arrow to a state gives it its next value.")
    return Prose(tuple(words))


def _indices(setter: Setter) -> Table:
    """What each index runs over."""
    rows = []
    for axis in setter.variant.axes.values():
        used = any(axis.name in ref.axes for e in setter.variant.equations for ref in (*e.left, *e.uses))
        if used:
            size = setter.quantity(setter.sizes.axis(axis))
            rows.append((cell(Math(axis.name, axis.name)), cell(size), cell(axis.meaning or "-")))
    return Table(("index", "values", "runs over"), tuple(rows), "llp")


def bracketing_blocks(derivation: Derivation, setter: Setter) -> list[Block]:
    cost = derivation.cost
    lines = []
    for region, tree in zip(cost.graph.regions, cost.order.trees, strict=True):
        leaves = [
            setter.shaped(setter.tensor(leaf.tensor), (region.axis_of[x] for x in leaf.labels))
            for leaf in region.leaves
        ]
        root = setter.tensor(region.root)
        made = setter.bracket(leaves, tree)
        sign = "-" if region.sign < 0 else "+"
        if region.index:
            lines.append(Math(f"&\\quad {sign} {made.latex}", f"  {sign} {made.text}"))
        else:
            first = "-" if region.sign < 0 else ""
            lines.append(Math(f"{root.latex} &= {first}{made.latex}", f"{root.text} = {first}{made.text}"))
    words: list[str | Math] = [
        (
            "Between two barriers a product may be bracketed in any way: the values are the same, the "
            "work is not. This order forms "
        )
    ]
    for index, name in enumerate(cost.order.forms):
        words += [", " if index else "", setter.tensor(name)]
    words.append(". " if cost.order.forms else "no named intermediate. ")
    words.append(f"Of the orders called {cost.order.name} it is the one shown: {cost.order.rule}.")
    return [Prose(tuple(words)), Display(tuple(lines))]


def _words(derivation: Derivation) -> list[Block]:
    """The stages and classes that occur, each with its meaning."""
    terms = derivation.cost.terms
    stages = {str(term.stage) for term in terms}
    classes = {term.cls for term in terms if term.kind == Kind.BYTES}
    rows = [(cell("stage"), cell(name), cell(text)) for name, text in STAGES.items() if name in stages]
    rows += [(cell("class"), cell(name), cell(text)) for name, text in CLASSES.items() if name in classes]
    return [prose("Words of the tables above:"), Table(("of", "word", "meaning"), tuple(rows), "llp")]


def _conventions(derivation: Derivation) -> list[Block]:
    study = derivation.study
    blocks: list[Block] = [
        conventions_table(study.conventions.items(), deployment_rows(study)),
        *_words(derivation),
    ]
    notes = [*study.variant.notes, *(study.model.notes if study.model else ())]
    if notes:
        blocks.append(Items(tuple(cell(note) for note in notes)))
    return blocks
