"""The page of a comparison: several variants and orders in one table of formulas and one of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..analysis import ridge_side
from ..conventions import SCOPES
from ..derivation import Derivation
from ..layercosts import ModelCost
from ..notation import Notation, NotationFile, number_text
from ..report import Block, Cell, Heading, Math, Report, Table, cell, prose
from .parts import Setter, Spelled, bytes_text, conventions_table, number_math, setter_for, sizes_prose
from .times import deployment_rows

__all__ = ["compare_report"]

_LONG = 30


def compare_report(
    derivations: Iterable[Derivation], file: NotationFile | None, models: Sequence[ModelCost] = ()
) -> Report:
    """Formulas side by side; numbers too where sizes are known; whole models at the end."""
    found = list(derivations)
    study = found[0].study
    unit = "FLOPs" if study.conventions.unit == "flops" else "MACs"
    spelled: list[Block] = []
    rows = []
    for index, derivation in enumerate(found):
        row, more = _formulas(derivation, file, chr(ord("a") + index % 26))
        rows.append(row)
        spelled += more
    blocks: list[Block] = [
        prose(
            f"One step of one layer, phase {study.conventions.phase}, scope {study.conventions.scope}: "
            f"{SCOPES[study.conventions.scope].text}."
        ),
        Table(("variant", "order", unit, "bytes", "intensity", "cache per token"), tuple(rows), "llllll"),
        *spelled,
    ]
    if any(d.study.values for d in found):
        blocks.append(Heading("With numbers"))
        everyone = {name: dim for d in found for name, dim in d.study.variant.symbols.items()}
        notation = Notation.of(everyone, file, study.conventions.phase, shared=True)
        blocks.append(sizes_prose([d.study for d in found], notation))
        blocks.append(_numbers(found, unit))
    if models:
        blocks += [Heading("Whole models"), *_models(models)]
    blocks += [Heading("Conventions"), conventions_table(study.conventions.items(), deployment_rows(study))]
    sources = list(dict.fromkeys(d.study.variant.reference for d in found if d.study.variant.reference))
    given = {d.study.model.name: d.study.model for d in found if d.study.model is not None}
    sources += [f"{model.title}: {model.source}" for model in given.values()]
    if study.gpu is not None:
        sources.append(f"{study.gpu.title}: {study.gpu.bandwidth.source}")
    names = ", ".join(dict.fromkeys(d.study.label for d in found))
    return Report("Attention variants compared", names, tuple(blocks), tuple(sources))


def _models(models: Sequence[ModelCost]) -> list[Block]:
    """What all layers of a model keep and cost together."""
    rows = []
    for cost in models:
        rows.append(
            (
                cell(cost.model.short), cell(str(cost.model.layers)),
                *(cell(number_math(cost.sum(of))) for of in ("short", "long", "state")),
                cell(bytes_text(cost.sum("bytes"))), cell(bytes_text(cost.sum("state_bytes"))),
                *(cell("-") if v is None else cell(number_math(v)) for v in (cost.flops, cost.bytes)),
            )
        )  # fmt: skip
    heads = (
        "model",
        "layers",
        "elements per token",
        "in the long run",
        "state",
        "rows at L",
        "states",
        "FLOPs",
        "bytes",
    )
    length = int(models[0].asked.values["L"])
    text = (
        f"Sums over all layers, rows of one sequence at L = {length:,}, FLOPs and bytes of one step in scope."
    )
    return [prose(text), Table(heads, tuple(rows), "lrrrrrrrr")]


def _formulas(
    derivation: Derivation, file: NotationFile | None, letter: str
) -> tuple[tuple[Cell, ...], list[Block]]:
    """A row, and what its labels stand for."""
    setter: Setter = setter_for(derivation, file)
    spelled = Spelled(setter, letter, _LONG)
    over, under = spelled.math(derivation.flops), spelled.math(derivation.bytes)
    ratio = derivation.intensity
    shown = cell("-")
    if ratio is not None:
        whole = setter.quantity(ratio)
        if len(whole.text) > _LONG:
            whole = Math(
                f"\\frac{{{over.latex}}}{{{under.latex}}}", f"{_held(over.text)} / {_held(under.text)}"
            )
            if len(whole.text) > _LONG:
                whole = Math("F/M", "F/M")
        shown = cell(whole)
    row = (
        cell(derivation.study.label),
        cell(derivation.cost.order.label),
        cell(over),
        cell(under),
        shown,
        cell(spelled.math(derivation.cache_elements)),
    )
    return row, spelled.blocks()


def _held(text: str) -> str:
    """In parentheses, where a line drawn above or below it would not end with it."""
    return f"({text})" if " " in text else text


def _numbers(found: list[Derivation], unit: str) -> Table:
    rows = []
    study = found[0].study
    gpu = study.gpu
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
        row = [cell(derivation.study.label), cell(derivation.cost.order.label), *cells]
        if gpu is not None:
            row.append(_side(derivation))
        rows.append(tuple(row))
    headers = ["variant", "order", unit, "bytes", f"{unit[:-1]}/B", "elements", "cache bytes"]
    caption = "Elements and bytes of the cache are per token and layer."
    if gpu is not None:
        headers.append("side")
        kind = study.compute
        peak, ridge = gpu.peak[kind].text, number_text(gpu.ridge(kind), 1)
        caption += (
            f" {gpu.title}: {peak} dense {kind.upper()} over {gpu.bandwidth.text}, ridge {ridge} FLOP/B; the "
            "side is that of this scope."
        )
    return Table(tuple(headers), tuple(rows), "ll" + "r" * 5 + ("l" if gpu is not None else ""), caption)


def _side(derivation: Derivation) -> Cell:
    if derivation.side is None:
        return cell("-")
    value, ridge = derivation.side
    return cell(ridge_side(Fraction(value), ridge))
