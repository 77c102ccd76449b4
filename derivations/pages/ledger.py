"""Sections on FLOPs, bytes and their division: each term of the ledger, then what cancels."""

from __future__ import annotations

from fractions import Fraction

from ..algebra import Factors, Ratio
from ..analysis import growth
from ..atoms import free_symbols
from ..derivation import Derivation
from ..poly import Poly, total
from ..report import Block, Cell, Display, Math, Prose, Table, cell, prose
from ..terms import CostTerm, Kind
from ..trees import Rule
from .parts import LONG, Setter, Spelled, packed

__all__ = ["byte_blocks", "division_blocks", "flop_blocks"]


def flop_blocks(derivation: Derivation, setter: Setter, inside: bool = False) -> list[Block]:
    """Every step with its FLOPs, and the total of the scope; `inside` shows what the scope counts alone."""
    cost = derivation.cost
    unit = "FLOPs" if derivation.study.conventions.unit == "flops" else "MACs"
    points = "Every step costs 2 FLOPs for each point of its index space"
    if unit == "MACs":
        points = "Every step costs 1 MAC for each point of its index space"
    rows = []
    counted = [t for t in cost.terms if t.kind == Kind.FLOPS and (cost.counts(t) or not inside)]
    spelled = Spelled(setter, "f")
    for term in counted:
        if term.step is None:
            continue
        stage = term.stage + ("" if term.step.rule is Rule.CONTRACTION else f", {term.step.rule}")
        rows.append(
            (
                cell(setter.step(term.step)),
                cell(spelled.math(term.amount)),
                cell(stage),
                _tick(cost.counts(term)),
            )
        )
    if inside:
        table = Table(("step", unit, "stage"), tuple(row[:3] for row in rows), "lll")
        return [table, *spelled.blocks(), *_total(derivation, setter, Kind.FLOPS, "F")]
    blocks: list[Block] = [
        prose(f"{points}; a step two products share is done once. Softmax and other functions "
              "between products are not counted."),
        Table(("step", unit, "stage", "in scope"), tuple(rows), "lllr"),
        *spelled.blocks(),
        *_total(derivation, setter, Kind.FLOPS, "F"),
    ]  # fmt: skip
    return blocks


def _tick(counted: bool) -> Cell:
    return cell("yes" if counted else "no")


def _total(derivation: Derivation, setter: Setter, kind: str, letter: str) -> list[Block]:
    terms = derivation.cost.selected(kind)
    amount = total(term.amount for term in terms)
    head = Math(f"{letter} &= ", f"{letter} = ")
    if not terms:
        return [prose("Nothing of this kind is in the scope, so ", Math(f"{letter} = 0", f"{letter} = 0"), ".")]
    result = setter.quantity(amount)
    short = len(result.text) <= LONG
    if short and (len(terms) == 1 or len(terms) > 6):
        return [Display((Math(head.latex + result.latex, head.text + result.text),))]
    addends = [part for term in terms for part in setter.addends(term.amount)]
    lines = packed(head, addends)
    if short:
        lines.append(Math(f"&= {result.latex}", f"  = {result.text}"))
    return [Display(tuple(lines))]


def byte_blocks(derivation: Derivation, setter: Setter, inside: bool = False) -> list[Block]:
    """What crosses memory and the total of the scope; `inside` leaves out what the scope does."""
    cost = derivation.cost
    counted = cost.selected(Kind.BYTES)
    spelled = Spelled(setter, "m")
    rows = [_byte_row(term, spelled, setter) for term in counted]
    moved: list[Block] = [
        Table(("tensor", "elements", "bytes", "class", "direction"), tuple(rows), "lllll"),
        *spelled.blocks(),
        *_total(derivation, setter, Kind.BYTES, "M"),
    ]
    if inside:
        return moved
    blocks: list[Block] = [
        prose("A kernel moves the tensors that cross its edge; what it makes and uses itself stays on chip. "
              "In scope:"),
        *moved,
    ]  # fmt: skip
    outside = [t for t in cost.terms if t.kind == Kind.BYTES and not cost.counts(t)]
    if outside:
        blocks += [
            prose("The same step also moves what this scope leaves out:"),
            *_outside(outside, derivation, setter),
        ]
    return blocks


def _byte_row(term: CostTerm, spelled: Spelled, setter: Setter) -> tuple[Cell, ...]:
    operand = term.operand
    assert operand is not None
    elements = setter.quantity(operand.elements)
    copies = setter.variant.tensors[operand.key].copies if operand.tensor else ()
    extra = cell(", each copied over ", setter.shape(copies)) if copies else ()
    reader = term.where.partition(" by ")[2] or term.where.partition(", ")[2]
    direction = term.rule.partition(":")[0] + (f" by {reader}" if reader.startswith("the core") else "")
    return (
        cell(setter.operand(operand, shaped=False)),
        (elements, *extra),
        cell(spelled.math(term.amount)),
        cell(term.cls),
        cell(direction),
    )


def _outside(terms: list[CostTerm], derivation: Derivation, setter: Setter) -> list[Block]:
    groups: dict[tuple[str, str], list[Poly]] = {}
    for term in terms:
        groups.setdefault((term.stage, term.cls), []).append(term.amount)
    rows = []
    spelled = Spelled(setter, "x")
    for (stage, cls), amounts in groups.items():
        amount = total(amounts)
        value = derivation.value(amount)
        shown = spelled.math(amount)
        rows.append((cell(stage), cell(cls), cell(shown), setter.value(value, "bytes")))
    known = any(derivation.value(total(a)) is not None for a in groups.values())
    if not known:
        table = Table(("stage", "class", "bytes"), tuple(row[:3] for row in rows), "lll")
    else:
        table = Table(("stage", "class", "bytes", "value"), tuple(rows), "lllr")
    return [table, *spelled.blocks()]


def division_blocks(derivation: Derivation, setter: Setter) -> list[Block]:
    ratio = derivation.intensity
    if ratio is None:
        return [prose("The scope moves no bytes, so there is no intensity.")]
    unit = "FLOPs" if derivation.study.conventions.unit == "flops" else "MACs"
    blocks: list[Block] = [prose(f"Arithmetic intensity is {unit} per byte moved:")]
    result = setter.quantity(ratio)
    if len(setter.quantity(ratio.over).text) + len(setter.quantity(ratio.under).text) > 2 * LONG:
        blocks.append(Display((Math("I &= F/M", "I = F/M"),)))
    else:
        over, under = setter.notation.struck(ratio, lambda part: f"\\struck{{{part}}}")
        plain = f"({setter.quantity(ratio.over).text}) / ({setter.quantity(ratio.under).text})"
        lines = [Math(f"I = \\frac{{F}}{{M}} &= \\frac{{{over}}}{{{under}}}", f"I = F/M = {plain}")]
        lines.append(Math(f"&= {result.latex}", f"      = {result.text}"))
        blocks.append(Display(tuple(lines), boxed=False))
    blocks.append(Prose((*_what_cancels(ratio, setter), *_why(ratio, setter, unit))))
    return blocks


def _why(ratio: Ratio, setter: Setter, unit: str) -> Cell:
    """Why L cancels, where both sides are so much per context token."""
    over, under = growth(ratio.over), growth(ratio.under)
    proportional = over.degree == under.degree == 1 and not over.fixed and not under.fixed
    if not proportional or "L" in ratio.symbols():
        return ()
    return (
        " Each context token costs ", setter.quantity(over.slope), f" {unit} and ",
        setter.quantity(under.slope), " bytes, however many there are.",
    )  # fmt: skip


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
        words.append(" In this scope the intensity is the same at every context length.")
    return tuple(words)


def _listed(parts: list[Math]) -> list[str | Math]:
    words: list[str | Math] = []
    for index, part in enumerate(parts):
        if index:
            words.append(" and " if index == len(parts) - 1 else ", ")
        words.append(part)
    return words
