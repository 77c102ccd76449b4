"""The page of speculation: the free draft for each variant and accelerator, then what drafting gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..conventions import SCOPES
from ..derivation import Derivation, Study, derive
from ..hardware import Accelerator
from ..notation import Notation, NotationFile, number_text
from ..plots import Series, line_chart
from ..report import Block, Cell, Heading, Items, Math, Prose, Report, Table, cell, prose
from ..speculation import Budget, Drafted, budget_of, drafted
from ..vega import Spec
from .crossover import condition_math, root_math
from .parts import conventions_table, number_math, sizes_prose
from .times import deployment_rows, seconds_text

__all__ = ["Speculation", "speculation_chart", "speculation_report"]


@dataclass(frozen=True, slots=True)
class _Row:
    """One variant in one order."""

    study: Study
    derivation: Derivation
    budget: Budget
    steps: tuple[Drafted, ...]

    @property
    def name(self) -> str:
        """For tables."""
        order = self.derivation.cost.order.name
        return self.study.label if order == "direct" else f"{self.study.label}, {order}"


@dataclass(frozen=True, slots=True)
class Speculation:
    """All that was asked."""

    rows: tuple[_Row, ...]
    """One for each variant."""
    gpus: tuple[Accelerator, ...]
    """For the budgets."""
    acceptance: tuple[Fraction, ...]
    """Chances that drafted tokens are accepted."""
    vocabulary: int | None
    """For the draft's output head."""

    @classmethod
    def of(
        cls, studies: Sequence[tuple[Study, str]], gpus: Sequence[Accelerator], drafts: int,
        acceptance: tuple[Fraction, ...], vocabulary: int | None,
    ) -> Speculation:  # fmt: skip
        """Derived; steps only where all sizes and an accelerator are known."""
        rows = []
        for study, order in studies:
            timed = study.gpu is not None and all(
                n in study.values for n in study.variant.symbols if n not in "SB"
            )
            layer = study.under(scope="layer")
            steps = drafted(layer, order, range(drafts + 1), acceptance, vocabulary) if timed else ()
            rows.append(
                _Row(
                    study,
                    derive(_one(study).under(phase="decode", unit="flops"), order),
                    budget_of(study, order),
                    steps,
                )
            )
        return cls(tuple(rows), tuple(gpus), acceptance, vocabulary)


def _one(study: Study) -> Study:
    """The study of a step with one query, whatever S was given."""
    return replace(study, values={name: value for name, value in study.values.items() if name != "S"})


def speculation_report(asked: Speculation, file: NotationFile | None) -> Report:
    """The whole page."""
    study = asked.rows[0].study
    everyone = {name: dim for row in asked.rows for name, dim in row.study.variant.symbols.items()}
    notation = Notation.of(everyone, file, "verify", shared=True)
    scope = study.conventions.scope
    blocks: list[Block] = []
    if any(row.study.values for row in asked.rows):
        blocks.append(sizes_prose([row.study for row in asked.rows], notation))
    text: Cell = (
        f"Scope {scope}: {SCOPES[scope].text}. One read of the cache serves S queries. As long as ",
        Math("F(S) \\le R\\,M(S)", "F(S) <= R M(S)"),
        (
            ", with the ridge R, the kernel waits for memory, and more queries take no more time. Under each "
            "part stands the largest whole S for which that holds; 0 says that one query is past the ridge."
        ),
    )
    blocks += [
        Heading("The free draft"),
        Prose(text),
        _budgets(asked, notation),
        *_where(asked, notation),
    ]  # fmt: skip
    if any(row.steps for row in asked.rows):
        blocks += [Heading("What drafting gains"), *_gains(asked)]
    blocks += [Heading("Conventions"), conventions_table(study.conventions.items(), deployment_rows(study))]
    sources = list(
        dict.fromkeys(row.study.variant.reference for row in asked.rows if row.study.variant.reference)
    )
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    sources += [f"{gpu.title}: {gpu.bandwidth.source}" for gpu in asked.gpus]
    names = ", ".join(dict.fromkeys(row.study.label for row in asked.rows))
    return Report("Speculation and the ridge", names, tuple(blocks), tuple(sources))


def _budgets(asked: Speculation, notation: Notation) -> Table:
    heads = ["variant", "FLOP/B at S = 1", "S at the ridge", *(gpu.name for gpu in asked.gpus)]
    ridges = [cell(number_text(gpu.ridge(_kind(asked)), 1)) for gpu in asked.gpus]
    rows: list[tuple[Cell, ...]] = [(cell("ridge R"), cell("-"), cell("-"), *ridges)] if ridges else []
    for row in asked.rows:
        value = row.derivation.value(row.derivation.intensity)
        shown = cell(number_math(value)) if value is not None else cell("-")
        root = cell(root_math(row.budget.root, notation)) if row.budget.root else cell("none")
        free = [row.budget.at(row.study.values, gpu.ridge(_kind(asked))) for gpu in asked.gpus]
        cells = [cell("-" if count is None else str(count)) for count in free]
        rows.append((cell(row.name), shown, root, *cells))
    return Table(tuple(heads), tuple(rows), "lrl" + "r" * len(asked.gpus))


def _where(asked: Speculation, notation: Notation) -> list[Block]:
    """Where formulas of the table hold, for those that do not hold everywhere."""
    entries = []
    for row in asked.rows:
        conditions = row.budget.conditions if row.budget.root is not None else ()
        if conditions:
            words: list[str | Math] = [f"The formula of {row.name} holds where "]
            for index, condition in enumerate(conditions):
                words += [" and " if index else "", condition_math(condition, notation)]
            entries.append((*words, "."))
    return [Items(tuple(entries))] if entries else []


def _kind(asked: Speculation) -> str:
    return asked.rows[0].study.compute


def _gains(asked: Speculation) -> list[Block]:
    study = asked.rows[0].study
    assert study.gpu is not None
    chances = ", ".join(number_text(a) for a in asked.acceptance)
    head = "a block of the same attention and the output head"
    if asked.vocabulary is None:
        head = "and a block of the same attention; its output head is left out, as no vocabulary was given"
    words: Cell = (
        (
            f"On {study.gpu.title}, all attention layers, scope layer; acceptance {chances}. A drafted "
            "token costs "
        ),
        Math("4 d_{\\mathrm{model}}^{2}", "4 d_model^2"),
        (
            f" FLOPs, {head}. What a layer does besides attention is not counted, so these are gains of the "
            "attention alone."
        ),
    )
    blocks: list[Block] = [Prose(words)]
    for row in asked.rows:
        if not row.steps:
            continue
        rows = tuple(
            (
                cell(str(step.draft)), cell(seconds_text(step.verify)),
                cell(seconds_text(step.drafting) if step.drafting else "0"), cell(number_text(step.tokens)),
                cell(number_text(step.speedup)),
            )
            for step in row.steps
        )  # fmt: skip
        blocks.append(Heading(row.name, 3))
        blocks.append(Table(("drafted", "verification", "draft", "tokens a step", "speedup"), rows, "rrrrr"))
        blocks.append(_advice(row))
    return blocks


def _advice(row: _Row) -> Prose:
    """What to do, and until where it holds."""
    best = max(row.steps, key=lambda step: (step.speedup, -step.draft))
    if not best.draft:
        return prose("Do not draft: every length tried is slower than one token at a time.")
    words = f"Draft {best.draft}: {number_text(best.speedup)} times the tokens a second."
    slower = next((step.draft for step in row.steps if step.draft and step.speedup < 1), None)
    if slower is None:
        return prose(f"{words} Up to {row.steps[-1].draft} no length is slower than not drafting.")
    return prose(f"{words} With {slower} it is slower than not drafting.")


def speculation_chart(asked: Speculation) -> Spec:
    """The speedup over the queries of a step, a line for each variant."""
    series = [
        Series(row.name, tuple((step.draft + 1, step.speedup) for step in row.steps))
        for row in asked.rows if row.steps
    ]  # fmt: skip
    gpu = asked.rows[0].study.gpu
    chances = ", ".join(number_text(a) for a in asked.acceptance)
    subtitle = [f"{gpu.title if gpu else ''}, attention layers alone, acceptance {chances}"]
    return line_chart("What drafting gains", "query tokens a step", "speedup", series, subtitle=subtitle)
