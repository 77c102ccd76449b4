"""The page of a crossover: the difference of two costs, where it changes sign, and who wins where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from ..algebra import Factors, factor
from ..atoms import evaluate
from ..conventions import SCOPES
from ..crossover import Condition, Crossover, Root, Solution
from ..derivation import Study, crossover_of
from ..errors import InputError
from ..notation import Notation, number_text
from ..poly import Coefficient
from ..report import Block, Cell, Display, Heading, Math, Prose, Report, Table, cell, prose
from .parts import LONG, addends_of, conventions_table, number_math, packed, sizes_prose
from .times import deployed, deployment_rows

__all__ = ["condition_math", "crossover_blocks", "crossover_report", "crossover_title", "root_math"]


def root_math(root: Root, notation: Notation, whole: bool = False) -> Math:
    """A solution as a formula; sums with L are sorted by powers of L.

    The sum under a square root is called D unless the `whole` formula is asked for.
    """

    def both(part: object, latex: bool) -> str:
        return notation.collected(part, "L", latex)  # type: ignore[arg-type]

    if root.ratio is not None:
        shared = root.ratio.common()
        inverse = Factors(shared.number, shared.powers, shared.sums).inverse()
        over = factor(root.p).times(inverse).poly()
        under = factor(root.r).times(inverse).poly()
        if under == 1:
            return Math(notation.latex(over), notation.text(over))
        top = notation.text(over)
        parts = factor(over)
        if len(parts.sums) == 1 and not parts.powers and parts.number == 1 and parts.sums[0][1] == 1:
            top = f"({top})"
        bottom = both(under, False)
        bottom = f"({bottom})" if len(under.terms) > 1 or " " in bottom else bottom
        return Math(f"\\frac{{{notation.latex(over)}}}{{{both(under, True)}}}", f"{top} / {bottom}")
    sign = "-" if root.sign < 0 else "+"
    inner = Math(notation.latex(root.q), notation.text(root.q)) if whole else Math("D", "D")
    return Math(
        f"\\frac{{{both(root.p, True)} {sign} \\sqrt{{{inner.latex}}}}}{{{both(root.r, True)}}}",
        f"({both(root.p, False)} {sign} sqrt({inner.text})) / ({both(root.r, False)})",
    )


def condition_math(condition: Condition, notation: Notation) -> Math:
    """A condition as `left > right`."""
    larger, smaller = condition.sides()
    return Math(
        f"{notation.latex_sum(larger)} > {notation.latex_sum(smaller)}",
        f"{notation.text_sum(larger)} > {notation.text_sum(smaller)}",
    )


def crossover_title(first: str, second: str) -> str:
    """The heading of the section on two orders."""
    return f"{first} against {second}".capitalize()


def crossover_blocks(study: Study, first: str, second: str, notation: Notation) -> list[Block]:
    """The section on a rival order in a derivation: in S, FLOPs of the scope attention."""
    values = {name: value for name, value in study.values.items() if name != "S"}
    conventions = replace(study.conventions, phase="verify", scope="attention")
    asked = replace(study, values=values, conventions=conventions)
    blocks: list[Block] = [Heading(crossover_title(first, second))]
    try:
        crossover = crossover_of(asked, first, second, "S")
    except InputError as error:
        return [*blocks, prose(f"There is no formula for the crossover: {error}.")]
    return [*blocks, *solution_blocks(crossover, asked, notation)]


def crossover_report(crossover: Crossover, study: Study, notation: Notation, measure: str) -> Report:
    """A page of its own."""
    first, second = crossover.names
    blocks: list[Block] = []
    if study.values:
        blocks.append(sizes_prose([study], notation))
    blocks += solution_blocks(crossover, study, notation, measure)
    blocks += [Heading("Conventions"), conventions_table(study.conventions.items(), deployment_rows(study))]
    sources = [study.variant.reference] if study.variant.reference else []
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    return Report(
        title=f"{study.variant.title}: {first} against {second}",
        subtitle=f"{measure}, scope {study.conventions.scope}, phase {study.conventions.phase}, "
        f"pairs {study.conventions.pairs}{deployed(study)}",
        blocks=tuple(blocks),
        sources=tuple(sources),
    )


def solution_blocks(
    crossover: Crossover, study: Study, notation: Notation, measure: str = "flops"
) -> list[Block]:
    """The difference, and each crossing or why there is none."""
    letter = "F" if measure == "flops" else "M"
    timed = measure == "time"
    name = Math(notation.tex(crossover.symbol), notation.plain(crossover.symbol))
    what = study.conventions.unit if measure == "flops" else "bytes"
    what = {"flops": "FLOPs", "macs": "MACs"}.get(what, what)
    blocks: list[Block] = [
        prose(f"Scope {study.conventions.scope}: {SCOPES[study.conventions.scope].text}. S is "
              f"{_range(study)}. {_TIMES if timed else f'The difference in {what} is'}"),
        _kernels(crossover, notation) if timed else Display(_difference(crossover, notation, letter)),
    ]  # fmt: skip
    if crossover.never is not None:
        blocks.append(Prose(_never(crossover, study.values, notation)))
    for solution in crossover.solutions:
        blocks += _solution(crossover, solution, name, study.values, notation)
    if crossover.symbol in study.values:
        blocks += _at(crossover, name, study.values)
    if crossover.left_out and measure == "flops":
        words: list[str | Math] = [
            "This scope leaves out steps that grow with the context and that only one of the orders has: "
        ]
        for index, amount in enumerate(crossover.left_out):
            words += [", " if index else "", Math(notation.latex(amount), notation.text(amount))]
        blocks.append(Prose((*words, ". The scope layer counts them.")))
    return blocks


def _difference(crossover: Crossover, notation: Notation, letter: str) -> tuple[Math, ...]:
    first, second = crossover.names
    head = Math(
        f"{_indexed(letter, first)} - {_indexed(letter, second)} &= ",
        f"{letter}({first}) - {letter}({second}) = ",
    )
    whole = Math(notation.latex(crossover.difference), notation.text(crossover.difference))
    if len(whole.text) <= LONG:
        return (Math(head.latex + whole.latex, head.text + whole.text),)
    return tuple(packed(head, addends_of(crossover.difference, notation)))


_TIMES = (
    "An order takes the sum over its kernels of max(F, R M), in FLOPs at the peak rate, where F is what a "
    "kernel computes, M what it moves, and R the ridge:"
)


def _kernels(crossover: Crossover, notation: Notation) -> Table:
    rows = tuple(
        (cell(order), cell(kernel), *(cell(Math(notation.latex(p), notation.text(p))) for p in amounts))
        for order, kernel, *amounts in crossover.kernels
    )
    return Table(("order", "kernel", "F", "M"), rows, "llll")


def _indexed(letter: str, order: str) -> str:
    name = order.replace("_", "\\_")
    return f"{letter}_{{\\text{{{name}}}}}"


def _at(crossover: Crossover, name: Math, values: Mapping[str, Coefficient]) -> list[Block]:
    """Which order is cheaper at a given value of the symbol."""
    first, second = (evaluate(cost, values) for cost in crossover.costs)
    if first is None or second is None:
        return [
            prose(
                f"To compare the orders at {name.text} = {values[crossover.symbol]}, give the other sizes too."
            )
        ]
    head = f"At {name.text} = {values[crossover.symbol]} "
    if first == second:
        return [prose(head + "both cost the same.")]
    low, high = sorted((first, second))
    cheaper = crossover.names[first > second]
    factor_text = number_text(Fraction(high) / Fraction(low)) if low else "any number"
    return [
        prose(f"{head}{crossover.names[0]} costs {number_text(first)} and {crossover.names[1]} "
              f"{number_text(second)}: {cheaper} is cheaper by a factor of {factor_text}.")
    ]  # fmt: skip


def _range(study: Study) -> str:
    return {"decode": "1", "verify": "free", "prefill": "L"}[study.conventions.phase]


def _never(crossover: Crossover, values: Mapping[str, Coefficient], notation: Notation) -> Cell:
    if crossover.decided_by is None:
        return (f"There is no crossover: {crossover.never}.",)
    first, second = crossover.names
    condition = condition_math(crossover.decided_by, notation)
    words: list[str | Math] = [
        f"There is no crossover: {crossover.never}. {second} is cheaper where ", condition,
        f", {first} where the opposite holds.",
    ]  # fmt: skip
    holds = crossover.decided_by.holds(values)
    if holds is not None:
        words.append(f" At these sizes: {second if holds else first}.")
    return tuple(words)


def _solution(
    crossover: Crossover,
    solution: Solution,
    name: Math,
    values: Mapping[str, Coefficient],
    notation: Notation,
) -> list[Block]:
    formula = root_math(solution.root, notation)
    star = Math(f"{name.latex}^{{*}} &= {formula.latex}", f"{name.text}* = {formula.text}")
    lines = [star]
    if solution.root.q:
        inner = factor(solution.root.q)
        whole = Math(notation.latex(inner), notation.text(inner))
        addends = [whole] if len(whole.text) <= LONG else addends_of(solution.root.q, notation)
        lines += packed(Math("D &= ", "D = "), addends)
    head = "They take equally long at" if crossover.kernels else "It is zero at"
    blocks: list[Block] = [
        prose(head if solution is crossover.solutions[0] else "and at"),
        Display(tuple(lines), boxed=not solution.root.q),
        prose(f"Below, {solution.below} is cheaper; above, {solution.above}."),
    ]
    if solution.bounds:
        waits = "; ".join(f"{kernel}: {what}" for kernel, what in solution.bounds)
        blocks.append(prose(f"What each kernel waits for there: {waits}."))
    if solution.conditions:
        words: list[str | Math] = [f"It lies inside the range of {name.text} where "]
        for index, condition in enumerate(solution.conditions):
            words += [" and " if index else "", condition_math(condition, notation)]
        words.append(".")
        blocks.append(Prose(tuple(words)))
    if solution.limit is not None:
        limit = Math(notation.latex(solution.limit), notation.text(solution.limit))
        arrow = Math(f"{name.latex}^{{*}} &\\to {limit.latex}", f"{name.text}* -> {limit.text}")
        blocks += [prose("For a long context"), Display((arrow,))]
    value = solution.root.value(values)
    verdicts = [condition.holds(values) for condition in solution.conditions]
    if False in verdicts:
        words = ["At these sizes that fails: there is no crossing."]
        cheaper = crossover.cheaper_everywhere(values)
        if cheaper is not None:
            words = [f"At these sizes that fails: {cheaper} is cheaper at every {name.text}."]
        blocks.append(Prose(tuple(words)))
    elif value is not None:
        words = [f"At these sizes {name.text}* = ", number_math(value), "."]
        far = solution.limit.value(values) if solution.limit is not None else None
        if far is not None:
            words.append(f" The limit is {number_text(far)}.")
        blocks.append(Prose(tuple(words)))
    return blocks
