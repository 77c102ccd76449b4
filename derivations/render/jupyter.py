"""What Jupyter shows of an object: formulas, and a table or a paragraph where that says more.

This is the one place that knows how each type sets itself; `shown.Shown` asks here. A number without a program
(a `Poly`) is set in the letters of the standard symbols, what has a program in those of its variant.
"""

from __future__ import annotations

from functools import singledispatch

from ..algebra import Factors, Ratio
from ..claims import Claim
from ..costs import Cost
from ..crossover import Crossover
from ..derivation import Derivation, Study
from ..found import Orders
from ..graph import Graph
from ..judging import Judgement, Judgements
from ..notation import Notation
from ..pages.claims import one_claim
from ..pages.claimtext import Phrases
from ..pages.crossover import root_math
from ..pages.parts import LONG, Setter, bytes_text, conventions_table, number_math
from ..pages.times import deployment_rows
from ..pages.verdicts import crossing_words, verdict_cells
from ..poly import Poly
from ..program import Variant
from ..quantities import Assertion
from ..report import Block, Cell, Display, Items, Math, Prose, Table, cell, prose
from ..roots import Root
from ..search import Order
from ..terms import CostTerm, Kind
from ..trees import Phase, Sizes
from ..verdicts import Verdict
from .outputs import output_html, output_latex

__all__ = ["html", "latex"]

_PLAIN = Notation({}, {})
_LISTED = 40
"""Orders in a table; further ones are counted."""


def latex(shown: object) -> str | None:
    """The formulas of an object, between dollar signs; None where it has none."""
    lines = _lines(shown)
    return output_latex(lines) if lines else None


def html(shown: object) -> str | None:
    """An object as HTML, formulas between dollar signs; None where its formulas say it all."""
    blocks = _blocks(shown)
    return output_html(blocks) if blocks else None


@singledispatch
def _lines(shown: object) -> list[Math]:
    """The formulas of an object."""
    return []


@singledispatch
def _blocks(shown: object) -> list[Block]:
    """An object in words, tables and formulas."""
    return []


@_lines.register(Poly)
@_lines.register(Ratio)
@_lines.register(Factors)
def _(shown: Poly | Ratio | Factors) -> list[Math]:
    return [Math(_PLAIN.latex(shown), "")]


@_lines.register
def _(shown: Root) -> list[Math]:
    return [root_math(shown, _PLAIN, whole=True)]


@_lines.register
def _(shown: Variant) -> list[Math]:
    return list(_setter(shown).program().lines)


@_blocks.register
def _(shown: Variant) -> list[Block]:
    return [prose(f"{shown.title} ({shown.name})"), _setter(shown).program()]


@_lines.register
def _(shown: Graph) -> list[Math]:
    return _lines(shown.variant)


@_blocks.register
def _(shown: Graph) -> list[Block]:
    setter = _setter(shown.variant)
    words: list[str | Math] = [f"{len(shown.regions)} products between barriers, which may be bracketed: "]
    for index, region in enumerate(shown.regions):
        factors = "\\,".join(setter.tensor(leaf.tensor).latex for leaf in region.leaves)
        words += [", " if index else "", Math(factors, "")]
    return [*_blocks(shown.variant), Prose((*words, "."))]


@_lines.register
def _(shown: Order) -> list[Math]:
    graph = shown.graph
    if graph is None:
        return []
    setter, found = _setter(graph.variant), []
    for region, tree in zip(graph.regions, shown.trees, strict=True):
        leaves = [setter.tensor(leaf.tensor) for leaf in region.leaves]
        sign = "-" if region.sign < 0 else "+" if region.index else ""
        head = "&\\quad" if region.index else f"{setter.tensor(region.root).latex} &="
        found.append(Math(f"{head} {sign} {setter.bracket(leaves, tree).latex}", ""))
    return found


@_blocks.register
def _(shown: Order) -> list[Block]:
    forms = ", ".join(shown.forms) or "no named intermediate"
    words = f"Order {shown.label}{f': {shown.title}' if shown.title else ''}. It forms {forms}."
    lines = _lines(shown)
    return [prose(words), *([Display(tuple(lines))] if lines else []), prose(f"Taken because {shown.rule}.")]


@_lines.register
def _(shown: Cost) -> list[Math]:
    setter = _setter(shown.graph.variant, shown.conventions.step)
    return [Math(f"F &= {setter.quantity(shown.flops).latex}", ""),
            Math(f"M &= {setter.quantity(shown.bytes).latex}", "")]  # fmt: skip


@_blocks.register
def _(shown: Cost) -> list[Block]:
    setter = _setter(shown.graph.variant, shown.conventions.step)
    unit = {Kind.FLOPS: "FLOPs" if shown.conventions.unit == "flops" else "MACs", Kind.BYTES: "bytes"}
    rows = [
        (
            cell(unit[term.kind]), _what(term, setter), cell(setter.quantity(term.amount)), cell(term.stage),
            cell(term.cls if term.kind == Kind.BYTES else ""), cell("yes" if shown.counts(term) else ""),
        )
        for term in shown.terms
    ]  # fmt: skip
    heads = ("", "of", "amount", "stage", "class", f"in scope {shown.conventions.scope}")
    return [Table(heads, tuple(rows), "llllll"), Display(tuple(_lines(shown)))]


def _what(term: CostTerm, setter: Setter) -> Cell:
    """The product a term counts, or the tensor it moves."""
    if term.step is not None:
        left, right, made = (
            setter.operand(o, shaped=False).latex for o in (term.step.left, term.step.right, term.step.result)
        )
        return cell(Math(f"{left}\\;{right} \\to {made}", ""))
    if term.operand is None:
        return cell(term.where)
    return cell(setter.operand(term.operand, shaped=False), f", {term.rule.partition(':')[0]}")


@_lines.register
def _(shown: Derivation) -> list[Math]:
    ratio = shown.intensity
    return [] if ratio is None else [Math(f"I = {_of(shown).quantity(ratio).latex}", "")]


@_blocks.register
def _(shown: Derivation) -> list[Block]:
    study, setter = shown.study, _of(shown)
    unit = "FLOPs" if study.conventions.unit == "flops" else "MACs"
    rows = []
    for title, quantity in (
        (unit, shown.flops), ("bytes", shown.bytes), (f"{unit} per byte", shown.intensity),
        ("cache, elements per token and layer", shown.cache_elements),
        ("cache, bytes per token and layer", shown.cache_bytes),
    ):  # fmt: skip
        if quantity is None:
            continue
        formula, value = setter.quantity(quantity), shown.value(quantity)
        shortened = formula if len(formula.text) <= LONG else Math("\\ldots", "")
        number = cell(number_math(value)) if value is not None else cell("-")
        if value is not None and quantity is shown.bytes and value >= 1000:
            number = (*number, f" B = {bytes_text(value)}")
        rows.append((cell(title), cell(shortened), number))
    return [
        prose(f"{study.variant.title} ({study.label}), order {shown.cost.order.label}, "
              f"phase {study.conventions.phase}, scope {study.conventions.scope}"),
        Table(("quantity", "formula", "value"), tuple(rows), "llr"),
    ]  # fmt: skip


@_blocks.register
def _(shown: Study) -> list[Block]:
    notation = Notation.of(shown.variant.symbols, None, shown.conventions.phase)
    sizes: list[str | Math] = []
    for name, value in shown.values.items():
        sizes += [", " if sizes else "Sizes: ", Math(f"{notation.tex(name)} = {number_math(value).latex}", "")]
    words = [f"{shown.variant.title} ({shown.label}). ", *(sizes or ["All sizes are symbols"]), "."]
    return [Prose(tuple(words)), conventions_table(shown.conventions.items(), deployment_rows(shown))]


@_lines.register
def _(shown: Crossover) -> list[Math]:
    name, first, second = _PLAIN.tex(shown.symbol), *(_name(order) for order in shown.names)
    found = [Math(f"{first} - {second} &= {_PLAIN.latex(shown.difference)}", "")]
    for solution in shown.solutions:
        found.append(Math(f"{name}^{{*}} &= {root_math(solution.root, _PLAIN, whole=True).latex}", ""))
        if solution.limit is not None:
            found.append(Math(f"{name}^{{*}} &\\to {_PLAIN.latex(solution.limit)} \\quad (L \\to \\infty)", ""))
    return found


@_blocks.register
def _(shown: Crossover) -> list[Block]:
    return [
        prose(f"{shown.names[0]} against {shown.names[1]} in {shown.symbol}: ",
              *crossing_words(shown, _PLAIN)),
        Display(tuple(_lines(shown))),
    ]  # fmt: skip


def _name(order: str) -> str:
    words = "".join(f"\\{sign}" if sign in "_#%&{}$" else sign for sign in order if sign not in "\\^~")
    return f"\\text{{{words}}}"


@_lines.register
def _(shown: Claim) -> list[Math]:
    return Phrases(_PLAIN, shown).statement(shown.statement)


@_lines.register
def _(shown: Assertion) -> list[Math]:
    return _lines(shown.claim)


@_blocks.register
def _(shown: Assertion) -> list[Block]:
    return [prose(f"{shown.id}: {shown.says}"), Display(tuple(_lines(shown)))]


@_lines.register
def _(shown: Judgement) -> list[Math]:
    return [*_lines(shown.assertion), Math(f"\\text{{{shown.status}}}", "")]


@_blocks.register
def _(shown: Judgement) -> list[Block]:
    return [prose(shown.assertion.id), *one_claim(shown, shown.recorded, _PLAIN, {})]


@_blocks.register
def _(shown: Judgements) -> list[Block]:
    rows = tuple((cell(j.assertion.id), cell(j.assertion.says), cell(j.status)) for j in shown)
    return [Table(("claim", "says", "verdict"), rows, "lll")]


@_blocks.register
def _(shown: Verdict) -> list[Block]:
    first, second = verdict_cells(shown, _PLAIN)
    return [Prose((*first, ": ", *second, "."))]


@_blocks.register
def _(shown: Orders) -> list[Block]:
    unit = "FLOPs" if shown.unit == "flops" else "MACs"
    rows = []
    for number, order in enumerate(shown.orders[:_LISTED], start=1):
        amount = Math(_PLAIN.latex(order.flops), "")
        status, reason = verdict_cells(order.verdict, _PLAIN)
        rows.append((cell(str(number)), cell(order.bracketing), cell(", ".join(order.member_of)),
                     cell(amount), status, reason))  # fmt: skip
    more = len(shown.orders) - len(rows)
    items = [Items((cell(f"{more} more"),))] if more else []
    heads = ("", "bracketing", "one of", unit, "verdict", "because")
    words = f"Searched: {shown.space}; {shown.bracketings:,} in all, {len(shown.orders):,} left."
    return [prose(words), Table(heads, tuple(rows), "rlllll"), *items]


def _setter(variant: Variant, phase: Phase = Phase.VERIFY) -> Setter:
    """For a program by itself: all its sizes are symbols, S too unless a phase says what it is."""
    sizes = Sizes(phase, "full", Poly.const(1))
    return Setter(Notation.of(variant.symbols, None, phase), variant, sizes)


def _of(derivation: Derivation) -> Setter:
    study = derivation.study
    return Setter.of(derivation, Notation.of(study.variant.symbols, None, study.conventions.phase))
