"""The page of a roofline: intensity against the ridge, what speed it allows, and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..analysis import ridge_side
from ..conventions import SCOPES
from ..derivation import Derivation
from ..errors import InputError
from ..notation import Notation, NotationFile, number_text
from ..plots import Mark, Series, line_chart
from ..report import Block, Cell, Heading, Report, Table, cell, prose
from ..speculation import budget_of
from ..vega import Spec
from .parts import Setter, conventions_table, number_math, sizes_prose
from .times import deployment_rows

__all__ = ["free_queries", "intensity_of", "ridge_of", "roofline_chart", "roofline_report"]


def roofline_report(found: Sequence[Derivation], file: NotationFile | None) -> Report:
    """The whole page; every derivation has the same accelerator."""
    study = found[0].study
    gpu, kind = study.gpu, study.compute
    assert gpu is not None
    scope = study.conventions.scope
    ridge = gpu.ridge(kind)
    everyone = {name: dim for d in found for name, dim in d.study.variant.symbols.items()}
    notation = Notation.of(everyone, file, study.conventions.phase, shared=True)
    blocks: list[Block] = []
    if any(d.study.values for d in found):
        blocks.append(sizes_prose([d.study for d in found], notation))
    blocks += [
        prose(
            f"{gpu.title}: {gpu.peak[kind].text} dense {kind.upper()} over {gpu.bandwidth.text} is a ridge of "
            f"{number_text(ridge, 1)} FLOP/B. Scope {scope}: {SCOPES[scope].text}. Left of the ridge a kernel "
            "runs at its intensity times the bandwidth, right of it at the peak; both are upper bounds."
        ),
        _table(found, file),
        prose(_advice(found)),
        Heading("Conventions"),
        conventions_table(study.conventions.items(), deployment_rows(study)),
    ]
    sources = list(dict.fromkeys(d.study.variant.reference for d in found if d.study.variant.reference))
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    sources += [f"{gpu.title}: {gpu.peak[kind].source}; {gpu.bandwidth.source}"]
    names = ", ".join(dict.fromkeys(d.study.label for d in found))
    return Report("Under the roof", names, tuple(blocks), tuple(sources))


def _table(found: Sequence[Derivation], file: NotationFile | None) -> Table:
    heads = ("variant", "order", "FLOP/B", "value", "of the peak", "waits for", "free S of the core")
    rows = []
    for derivation in found:
        setter = Setter.of(derivation, Notation.of(derivation.study.variant.symbols, file, "verify"))
        ratio, value = derivation.intensity, intensity_of(derivation)
        formula = cell(setter.quantity(ratio)) if ratio is not None else cell("-")
        numbers: list[Cell] = [cell("-"), cell("-"), cell("-")]
        if value is not None:
            share = min(Fraction(1), value / ridge_of(derivation))
            numbers = [
                cell(number_math(value)),
                cell(f"{number_text(share * 100, 1)} %"),
                cell(_waits(derivation)),
            ]
        free = free_queries(derivation)
        order = derivation.cost.order.label
        rows.append((cell(derivation.study.label), cell(order), formula, *numbers, cell(free)))
    return Table(heads, tuple(rows), "lllrrlr")


def intensity_of(derivation: Derivation) -> Fraction | None:
    """In FLOPs a byte, whatever unit the ledger has."""
    value = derivation.value(derivation.intensity)
    return (
        None if value is None else Fraction(value) * (2 if derivation.study.conventions.unit == "macs" else 1)
    )


def ridge_of(derivation: Derivation) -> Fraction:
    study = derivation.study
    assert study.gpu is not None
    return study.gpu.ridge(study.compute)


def _waits(derivation: Derivation) -> str:
    value = intensity_of(derivation)
    side = ridge_side(value, ridge_of(derivation)) if value is not None else ""
    return {"memory-bound": "memory", "compute-bound": "arithmetic"}.get(side, "both")


def free_queries(derivation: Derivation) -> str:
    """The largest number of queries with which the core stays left of the ridge."""
    study, order = derivation.study.under(scope="core"), derivation.cost.order
    name = order.name if order.name != "best" else next(iter(order.member_of), "")
    if not name or study.conventions.phase == "prefill" or study.conventions.caches == "none":
        return "-"
    try:
        count = budget_of(study, name).at(study.values, ridge_of(derivation))
    except InputError:  # no formula in S: a state, say
        return "-"
    return "-" if count is None else str(count)


def _advice(found: Sequence[Derivation]) -> str:
    """What to do, and until where it holds."""
    known = [(d, v) for d in found if (v := intensity_of(d)) is not None]
    if not known:
        return "With numbers for all sizes (--model, --set) this page says what each variant waits for."
    words = []
    for derivation, value in known:
        name = f"{derivation.study.label} ({derivation.cost.order.label})"
        ridge, free = ridge_of(derivation), free_queries(derivation)
        if value <= ridge and free == "1":
            words.append(f"{name}: just left of the ridge; a second query already takes more time.")
        elif value <= ridge and free not in ("-", "0"):
            words.append(f"{name}: queries are free for the core up to S = {free}; beyond, time grows with S.")
        elif value <= ridge:
            words.append(f"{name}: it waits for memory; fewer bytes help.")
        else:
            words.append(f"{name}: past the ridge, every query takes its full time; fewer bytes do not help.")
    return " ".join(words)


def roofline_chart(found: Sequence[Derivation]) -> Spec:
    """The roof, and a mark for each variant at its intensity."""
    study = found[0].study
    gpu = study.gpu
    assert gpu is not None
    peak, ridge = gpu.peak_of(study.compute), gpu.ridge(study.compute)
    points = [(d, v) for d in found if (v := intensity_of(d)) is not None]
    if not points:
        raise InputError("a plot needs numbers for all sizes; give them with --model and --set")
    values = [v for _, v in points]
    low, high = min(*values, ridge) / 4, max(*values, ridge) * 4
    tera = Fraction(10) ** 12
    roof = Series(
        f"roof of {gpu.title}, {study.compute.upper()}",
        tuple((x, min(peak, x * gpu.bandwidth.value) / tera) for x in (low, ridge, high)),
    )
    marks = [Mark(v, f"{d.study.label} {number_text(v)}") for d, v in points]
    knobs = f"scope {study.conventions.scope}, phase {study.conventions.phase}"
    subtitle = [f"{knobs}; ridge {number_text(ridge, 1)} FLOP/B"]
    return line_chart("Under the roof", "intensity, FLOP/B", "TFLOP/s", [roof], marks, subtitle)
