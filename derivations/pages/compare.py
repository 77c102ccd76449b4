"""The page of a comparison: several variants and orders in one table of formulas and one of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..analysis import ridge_side
from ..derivation import Derivation
from ..notation import NotationFile, number_text
from ..report import Block, Cell, Heading, Math, Report, Table, cell, prose
from .derivation import conventions_table
from .parts import Setter, number_math, setter_for

__all__ = ["compare_report"]

_LONG = 36


def compare_report(derivations: Iterable[Derivation], file: NotationFile | None) -> Report:
    """Formulas side by side; numbers too where sizes are known."""
    found = list(derivations)
    study = found[0].study
    unit = "FLOPs" if study.conventions.unit == "flops" else "MACs"
    blocks: list[Block] = [
        prose(f"One step of one layer, phase {study.conventions.phase}, scope {study.conventions.scope}."),
        Table(
            ("variant", "order", unit, "bytes", "intensity", "cache a token"),
            tuple(_formulas(d, file) for d in found),
            "llllll",
        ),
    ]
    if any(d.study.values for d in found):
        blocks += [Heading("With numbers"), _numbers(found, unit)]
    blocks += [Heading("Conventions"), conventions_table(study.conventions.items())]
    sources = list(dict.fromkeys(d.study.variant.reference for d in found if d.study.variant.reference))
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    names = ", ".join(dict.fromkeys(d.study.variant.name for d in found))
    return Report("Attention variants compared", names, tuple(blocks), tuple(sources))


def _short(math: Math) -> Cell:
    return cell(math) if len(math.text) <= _LONG else cell("long")


def _formulas(derivation: Derivation, file: NotationFile | None) -> tuple[Cell, ...]:
    setter: Setter = setter_for(derivation, file)
    ratio = derivation.intensity
    return (
        cell(derivation.study.variant.name),
        cell(derivation.cost.order.label),
        _short(setter.quantity(derivation.flops)),
        _short(setter.quantity(derivation.bytes)),
        _short(setter.quantity(ratio)) if ratio is not None else cell("-"),
        _short(setter.quantity(derivation.cache_elements)),
    )


def _numbers(found: list[Derivation], unit: str) -> Table:
    rows = []
    gpu = found[0].study.gpu
    for derivation in found:
        values = [
            derivation.value(quantity)
            for quantity in (
                derivation.flops,
                derivation.bytes,
                derivation.intensity,
                derivation.cache_elements,
                derivation.cache_bytes,
            )
        ]
        cells = [cell(number_math(v)) if v is not None else cell("-") for v in values]
        row = [cell(derivation.study.variant.name), cell(derivation.cost.order.label), *cells]
        if gpu is not None:
            row.append(_side(derivation))
        rows.append(tuple(row))
    headers = ["variant", "order", unit, "bytes", f"{unit[:-1]}/B", "cache elements", "cache bytes"]
    caption = "Cache a token and layer."
    if gpu is not None:
        headers.append("side")
        caption += f" Ridge of {gpu.title}: {number_text(gpu.ridge(), 1)} FLOP/B."
    return Table(tuple(headers), tuple(rows), "ll" + "r" * 5 + ("l" if gpu is not None else ""), caption)


def _side(derivation: Derivation) -> Cell:
    if derivation.side is None:
        return cell("-")
    value, ridge = derivation.side
    return cell(ridge_side(Fraction(value), ridge))
