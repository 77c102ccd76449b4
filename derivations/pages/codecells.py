"""Cells on one section each: the quantity derived again, compared with what the section prints, and shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from ..algebra import factor
from ..crossover import Crossover
from ..derivation import Derivation, Study, crossover_of
from ..errors import InputError
from ..report import Block, Table
from .literals import formula, listing, literal, mapping

__all__ = [
    "bracketing_cell",
    "bytes_cell",
    "crossing_cell",
    "division_cell",
    "flops_cell",
    "growth_cell",
    "judged_cell",
    "numbers_cell",
    "times_cell",
]


def _equal(name: str, expression: str, ratio: bool = False) -> list[str]:
    """That a quantity is its closed form."""
    difference = "cancel" if ratio else "expand"
    if "\n" not in expression:
        return [f"assert sympy.{difference}({name} - {expression}) == 0"]
    return [f"closed = {expression}", f"assert sympy.{difference}({name} - closed) == 0"]


def bracketing_cell(derivation: Derivation) -> list[str]:
    """The order, and what it forms."""
    forms = listing(literal(name) for name in derivation.cost.order.forms)
    return ["order = derivation.cost.order", f"assert list(order.forms) == {forms}", "order"]


def flops_cell(derivation: Derivation) -> list[str]:
    """The FLOPs (or MACs) in scope, and the ledger they are the sum of."""
    closed = formula(factor(derivation.flops).sympy())
    return ["flops = derivation.flops.sympy()", *_equal("flops", closed), "derivation.cost"]


def bytes_cell(derivation: Derivation) -> list[str]:
    """The bytes in scope."""
    closed = formula(factor(derivation.bytes).sympy())
    return ["moved = derivation.bytes.sympy()", *_equal("moved", closed), "moved"]


def division_cell(derivation: Derivation) -> list[str]:
    """The intensity; none where the scope moves no bytes."""
    ratio = derivation.intensity
    if ratio is None:
        return []
    return [
        "intensity = derivation.intensity.sympy()", "assert sympy.cancel(flops / moved - intensity) == 0",
        *_equal("intensity", formula(ratio.sympy()), True), "derivation.intensity",
    ]  # fmt: skip


def numbers_cell(derivation: Derivation) -> list[str]:
    """The quantities at the study's sizes; None where a size is missing."""
    quantities = {"FLOPs": "flops", "bytes": "bytes", "intensity": "intensity"}
    quantities |= {"cache elements": "cache_elements", "cache bytes": "cache_bytes"}
    if derivation.study.conventions.unit == "macs":
        quantities = {"MACs" if title == "FLOPs" else title: name for title, name in quantities.items()}
    asked = {title: f"derivation.value(derivation.{name})" for title, name in quantities.items()}
    found = {title: literal(derivation.value(getattr(derivation, name))) for title, name in quantities.items()}
    return [f"numbers = {mapping(asked)}", f"assert numbers == {mapping(found)}", "numbers"]


def times_cell(derivation: Derivation) -> list[str]:
    """Seconds of each kernel; none without a GPU or with a size missing."""
    times = derivation.times
    if times is None:
        return []
    whole = sum((one.seconds for one in times), start=Fraction(0))
    return [
        "times = derivation.times", f"assert sum(one.seconds for one in times) == {literal(whole)}",
        "{one.kernel.name: (float(one.seconds), one.bound) for one in times}",
    ]  # fmt: skip


def growth_cell(derivation: Derivation) -> list[str]:
    """Where the intensity tends, and what a token adds."""
    lines = []
    limit, ratio = derivation.intensity_limit, derivation.intensity
    if limit is not None and ratio is not None and "L" in ratio.symbols():
        lines.append("limit = derivation.intensity_limit.sympy()")
        lines += _equal("limit", formula(limit.sympy()), True)
    elements = formula(factor(derivation.cache_elements).sympy())
    lines += ["kept = derivation.cache_elements.sympy()", *_equal("kept", elements)]
    if derivation.kept.state:
        lines.append("state = derivation.kept.state.sympy()")
        lines += _equal("state", formula(factor(derivation.kept.state).sympy()))
    return [*lines, "derivation.cache_bytes" if derivation.cache_elements else "derivation.kept.state"]


def crossing_cell(study: Study, first: str, second: str) -> list[str]:
    """Where two orders cost the same FLOPs in S; none where there is no formula."""
    lines = []
    asked = "study"
    if "S" in study.values:
        lines += ["from dataclasses import replace", ""]
        lines.append('free = {name: value for name, value in study.values.items() if name != "S"}')
        asked = "replace(study, values=free)"
    lines.append(f'asked = {asked}.under(phase="verify", scope="attention")')
    values = {name: value for name, value in study.values.items() if name != "S"}
    free = replace(study, values=values).under(phase="verify", scope="attention")
    try:
        crossover = crossover_of(free, first, second, "S")
    except InputError:  # the text says that there is no formula
        return []
    lines.append(f'crossover = d.crossover_of(asked, {literal(first)}, {literal(second)}, "S")')
    return [*lines, *_solved(crossover, free), "crossover"]


def _solved(crossover: Crossover, asked: Study) -> Iterator[str]:
    if crossover.never is not None:
        yield f"assert crossover.never == {literal(crossover.never)}"
    for index, solution in enumerate(crossover.solutions):
        yield f"star = crossover.solutions[{index}].root.sympy()"
        yield from _equal("star", formula(solution.root.sympy()), True)
        value = solution.root.value(asked.values)
        if value is not None and solution.root.ratio is not None:
            yield f"assert crossover.solutions[{index}].root.value(asked.values) == {literal(value)}"


def judged_cell(asked: str, printed: Sequence[Block]) -> list[str]:
    """Verdicts on claims, which must be those of the table above."""
    table = next(block for block in printed if isinstance(block, Table))
    verdicts = {str(row[0][0]): literal(str(row[-1][0]).partition(",")[0]) for row in table.rows}
    return [
        f"judgements = d.judgements_of({asked})",
        f"assert {{one.assertion.id: one.status for one in judgements}} == {mapping(verdicts)}", "judgements",
    ]  # fmt: skip
