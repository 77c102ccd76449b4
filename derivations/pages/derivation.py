"""The page of one derivation: program, bracketing, FLOPs, bytes, the division, numbers, limits."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..algebra import Factors, Ratio
from ..analysis import growth, ridge_side
from ..atoms import free_symbols
from ..conventions import KNOBS, SCOPES
from ..costs import CostTerm, Kind
from ..derivation import Derivation
from ..notation import Notation, number_text
from ..poly import Poly, total
from ..report import Block, Cell, Display, Heading, Items, Math, Prose, Report, Table, cell, prose
from ..trees import Rule
from .crossover import crossover_blocks
from .parts import Setter, bytes_text, number_math

__all__ = ["conventions_table", "derivation_report", "joined_report"]

_LONG = 90
"""A formula longer than this in plain text is shown as a sum over lines instead."""


def derivation_report(
    derivation: Derivation, notation: Notation, rivals: Iterable[str] = ()
) -> Report:
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
        *_flops(derivation, setter),
        Heading("Bytes"),
        *_bytes(derivation, setter),
        Heading("The division"),
        *_division(derivation, setter),
    ]
    if study.values:
        blocks += [Heading("With numbers"), *_numbers(derivation, setter)]
    blocks += [Heading("As the context grows"), *_growth(derivation, setter)]
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
        blocks += [
            Heading(b.text, b.level + 1) if isinstance(b, Heading) else b for b in report.blocks
        ]
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
    if ratio is not None and len(setter.quantity(ratio).text) <= _LONG:
        result = setter.quantity(ratio)
        head = Math("I &= ", "I = ")
        blocks.append(
            Display((Math(head.latex + result.latex, head.text + result.text),), boxed=True)
        )
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
    words: list[str | Math] = [
        "Shapes stand under the tensors; an index missing on the left is summed."
    ]
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
        "Between two barriers a product may be bracketed in any way: the values are the same, the work "
        "is not. This order forms "
    ]
    for index, name in enumerate(cost.order.forms):
        words += [", " if index else "", setter.tensor(name)]
    words.append(". " if cost.order.forms else "no named intermediate. ")
    words.append(f"It stands for the set called {cost.order.name}: {cost.order.rule}.")
    return [Prose(tuple(words)), Display(tuple(lines))]


def _flops(derivation: Derivation, setter: Setter) -> list[Block]:
    cost = derivation.cost
    unit = "FLOPs" if derivation.study.conventions.unit == "flops" else "MACs"
    points = "Every step costs 2 FLOPs for each point of its index space"
    if unit == "MACs":
        points = "Every step costs 1 MAC for each point of its index space"
    rows = []
    for term in cost.terms:
        if term.kind != Kind.FLOPS or term.step is None:
            continue
        stage = term.stage + ("" if term.step.rule is Rule.CONTRACTION else f", {term.step.rule}")
        rows.append(
            (
                cell(setter.step(term.step)),
                cell(setter.quantity(term.amount)),
                cell(stage),
                _tick(cost.counts(term)),
            )
        )
    blocks: list[Block] = [
        prose(f"{points}; a step two products share is done once. Softmax and other functions "
              "between products are not counted."),
        Table(("step", unit, "stage", "in scope"), tuple(rows), "lllr"),
        *_total(derivation, setter, Kind.FLOPS, "F"),
    ]  # fmt: skip
    return blocks


def _tick(counted: bool) -> Cell:
    return cell("yes" if counted else "no")


def _total(derivation: Derivation, setter: Setter, kind: str, letter: str) -> list[Block]:
    terms = derivation.cost.selected(kind)
    amount = total(term.amount for term in terms)
    if not terms:
        return [
            prose(
                "Nothing of this kind is in the scope, so ",
                Math(f"{letter} = 0", f"{letter} = 0"),
                ".",
            )
        ]
    result = setter.quantity(amount)
    parts = [setter.quantity(term.amount) for term in terms if term.amount]
    if len(parts) == 1 or (len(result.text) <= _LONG and len(parts) > 6):
        return [Display((Math(f"{letter} &= {result.latex}", f"{letter} = {result.text}"),))]
    lines = []
    for start in range(0, len(parts), 3):
        chunk = parts[start : start + 3]
        latex, text = " + ".join(p.latex for p in chunk), " + ".join(p.text for p in chunk)
        head = Math(f"{letter} &= ", f"{letter} = ") if start == 0 else Math("&\\quad + ", "    + ")
        lines.append(Math(head.latex + latex, head.text + text))
    if len(result.text) <= _LONG:
        lines.append(Math(f"&= {result.latex}", f"  = {result.text}"))
    return [Display(tuple(lines))]


def _bytes(derivation: Derivation, setter: Setter) -> list[Block]:
    cost = derivation.cost
    inside = cost.selected(Kind.BYTES)
    rows = [_byte_row(term, setter) for term in inside]
    blocks: list[Block] = [
        prose("A kernel moves the tensors that cross its edge; what it makes and uses itself stays on chip. "
              "In scope:"),
        Table(("tensor", "size", "bytes", "class", "direction"), tuple(rows), "lllll"),
        *_total(derivation, setter, Kind.BYTES, "M"),
    ]  # fmt: skip
    outside = [t for t in cost.terms if t.kind == Kind.BYTES and not cost.counts(t)]
    if outside:
        blocks += [
            prose("The same step also moves what this scope leaves out:"),
            _outside(outside, derivation, setter),
        ]
    return blocks


def _byte_row(term: CostTerm, setter: Setter) -> tuple[Cell, ...]:
    operand = term.operand
    assert operand is not None
    shape = setter.shape(operand.axes)
    copies = setter.variant.tensors[operand.key].copies if operand.tensor else ()
    extra = cell(" copied over ", setter.shape(copies)) if copies else ()
    reader = term.where.partition(" by ")[2] or term.where.partition(", ")[2]
    direction = term.rule.partition(":")[0] + (
        f" by {reader}" if reader.startswith("the core") else ""
    )
    return (
        cell(setter.operand(operand, shaped=False)),
        (shape, *extra),
        cell(setter.quantity(term.amount)),
        cell(term.cls),
        cell(direction),
    )


def _outside(terms: list[CostTerm], derivation: Derivation, setter: Setter) -> Table:
    groups: dict[tuple[str, str], list[Poly]] = {}
    for term in terms:
        groups.setdefault((term.stage, term.cls), []).append(term.amount)
    rows = []
    for (stage, cls), amounts in groups.items():
        amount = total(amounts)
        value = derivation.value(amount)
        shown = setter.quantity(amount)
        if len(shown.text) > 44:
            shown = Math("\\text{see the ledger in JSON}", "see the ledger in JSON")
        rows.append((cell(stage), cell(cls), cell(shown), setter.value(value, "bytes")))
    known = any(derivation.value(total(a)) is not None for a in groups.values())
    if not known:
        return Table(("stage", "class", "bytes"), tuple(row[:3] for row in rows), "lll")
    return Table(("stage", "class", "bytes", "value"), tuple(rows), "lllr")


def _division(derivation: Derivation, setter: Setter) -> list[Block]:
    ratio = derivation.intensity
    if ratio is None:
        return [prose("The scope moves no bytes, so there is no intensity.")]
    unit = "FLOPs" if derivation.study.conventions.unit == "flops" else "MACs"
    blocks: list[Block] = [prose(f"Arithmetic intensity is {unit} per byte moved:")]
    result = setter.quantity(ratio)
    if len(setter.quantity(ratio.over).text) + len(setter.quantity(ratio.under).text) > 2 * _LONG:
        blocks.append(Display((Math("I &= F/M", "I = F/M"),)))
    else:
        over, under = setter.notation.struck(ratio, lambda part: f"\\struck{{{part}}}")
        plain = f"({setter.quantity(ratio.over).text}) / ({setter.quantity(ratio.under).text})"
        lines = [Math(f"I = \\frac{{F}}{{M}} &= \\frac{{{over}}}{{{under}}}", f"I = F/M = {plain}")]
        lines.append(Math(f"&= {result.latex}", f"      = {result.text}"))
        blocks.append(Display(tuple(lines), boxed=False))
    blocks.append(Prose(_what_cancels(ratio, setter)))
    return blocks


def _what_cancels(ratio: Ratio, setter: Setter) -> Cell:
    common = ratio.common()
    gone: list[Math] = [setter.symbol(name) for name in sorted(common.powers) if "(" not in name]
    gone += [setter.quantity(Poly.symbol(name)) for name in sorted(common.powers) if "(" in name]
    gone += [setter.quantity(Factors(Fraction(1), {}, ((poly, 1),))) for poly, _ in common.sums]
    stays = [setter.symbol(name) for name in sorted(ratio.symbols())]
    words: list[str | Math] = []
    if gone:
        words += [
            "Both sides carry ",
            *_listed(gone),
            ", so it cancels. " if len(gone) == 1 else ", so they cancel. ",
        ]
    else:
        words.append("No factor is common to both sides. ")
    if stays:
        words += ["What stays: ", *_listed(stays), "."]
    lost = {"L", "S"} & (free_symbols(ratio.over) | free_symbols(ratio.under)) - ratio.symbols()
    if "L" in lost:
        words.append(" The intensity is the same at every context length.")
    return tuple(words)


def _listed(parts: list[Math]) -> list[str | Math]:
    words: list[str | Math] = []
    for index, part in enumerate(parts):
        if index:
            words.append(" and " if index == len(parts) - 1 else ", ")
        words.append(part)
    return words


def _numbers(derivation: Derivation, setter: Setter) -> list[Block]:
    study = derivation.study
    unit = "FLOPs" if study.conventions.unit == "flops" else "MACs"
    per = f"{unit[:-1]}/B"
    quantities: list[tuple[str, Poly | Ratio | None, str]] = [
        (unit, derivation.flops, ""),
        ("bytes", derivation.bytes, "bytes"),
        ("intensity", derivation.intensity, per),
        ("cache, elements a token and layer", derivation.cache_elements, ""),
        ("cache, bytes a token and layer", derivation.cache_bytes, "bytes"),
    ]
    rows = []
    for title, quantity, kind in quantities:
        if quantity is None:
            continue
        shown = setter.quantity(quantity)
        if len(shown.text) > 50:
            shown = Math("\\text{as above}", "as above")
        value = derivation.value(quantity)
        rows.append(
            (
                cell(title),
                cell(shown),
                setter.value(value, kind) if value is not None else cell("needs more sizes"),
            )
        )
    blocks: list[Block] = [Table(("quantity", "formula", "value"), tuple(rows), "llr")]
    if study.model is not None and study.model.attention_layers > 1:
        blocks.append(_layers(derivation))
    if derivation.side is not None:
        blocks.append(_side(derivation))
    return blocks


def _layers(derivation: Derivation) -> Prose:
    model = derivation.study.model
    assert model is not None
    one = derivation.value(derivation.cache_bytes)
    layers = f"{model.attention_layers} of the {model.layers} layers carry this attention"
    if model.attention_layers == model.layers:
        layers = f"all {model.layers} layers carry this attention"
    if one is None:
        return prose(f"In {model.title} {layers}.")
    return prose(
        f"In {model.title} {layers}: {bytes_text(one * model.attention_layers)} of cache a token."
    )


def _side(derivation: Derivation) -> Prose:
    gpu, side = derivation.study.gpu, derivation.side
    assert gpu is not None and side is not None
    value, ridge = side
    verdict = ridge_side(value, ridge)
    factor = value / ridge if value > ridge else ridge / value
    where = (
        f"{verdict}, a factor of {number_text(factor)} from the ridge"
        if value != ridge
        else verdict
    )
    return prose(
        f"{gpu.title}: {gpu.peak['bf16'].text} dense BF16 over {gpu.bandwidth.text} puts the ridge at "
        f"{number_text(ridge, 1)} FLOP/B. At {number_text(value)} this is {where}."
    )


def _growth(derivation: Derivation, setter: Setter) -> list[Block]:
    from ..algebra import limit_in

    entries: list[Cell] = []
    for title, amount in (("FLOPs", derivation.flops), ("Bytes", derivation.bytes)):
        grown = growth(amount)
        if not amount:
            continue
        if grown.degree == 0:
            bounded = [n for n in amount.names() if "L" in free_symbols(Poly.symbol(n))]
            words = (
                "stop growing once L passes what is selected" if bounded else "do not grow with L"
            )
            entries.append(cell(f"{title} {words}."))
            continue
        power = "L" if grown.degree == 1 else f"L^{grown.degree}"
        letter = setter.notation.plain("L")
        latex = power.replace("L", setter.notation.tex("L"))
        entries.append(
            cell(
                f"{title} grow by ",
                setter.quantity(grown.slope),
                " for each ",
                Math(latex, power.replace("L", letter)),
                ".",
            )
        )
    ratio = derivation.intensity
    if ratio is not None and "L" in ratio.symbols():
        limit = limit_in(ratio, "L")
        if limit is not None and limit.over:
            shown = setter.quantity(limit)
            arrow = Math("\\to", "->")
            entries.append(
                cell(
                    "The intensity tends to ",
                    shown,
                    " as ",
                    setter.symbol("L"),
                    " ",
                    arrow,
                    Math("\\infty", "infinity"),
                    ".",
                )
            )
    caches = setter.kept()
    if caches:
        entries.append(
            cell("A token adds ", setter.quantity(derivation.cache_elements), " elements, ",
                 setter.quantity(derivation.cache_bytes), " bytes, to the caches of one layer.")
        )  # fmt: skip
    return [Items(tuple(entries))]


def conventions_table(items: Iterable[tuple[str, str]]) -> Table:
    """Every knob with its value and what it means."""
    rows = [
        (cell(KNOBS[name].title), cell(value), cell(KNOBS[name].values[value]))
        for name, value in items
    ]
    return Table(("convention", "value", "meaning"), tuple(rows), "plp")


def _conventions(derivation: Derivation) -> list[Block]:
    study = derivation.study
    blocks: list[Block] = [conventions_table(study.conventions.items())]
    notes = [*study.variant.notes, *(study.model.notes if study.model else ())]
    if notes:
        blocks.append(Items(tuple(cell(note) for note in notes)))
    return blocks
