"""An exercise worked out: the terms of its ledger, their sum, the division, then the numbers put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import gcd

from ..algebra import Factors, Ratio
from ..atoms import atom_of, evaluate
from ..derivation import Study
from ..exercises.answer import Answer, answer_of, crossing_of, derivation_of
from ..exercises.asked import Quantity, Task, Wants
from ..exercises.rewriting import rewritten
from ..exercises.units import Unit, base_unit, number_latex, number_text
from ..exercises.wording import notation_of
from ..notation import Notation
from ..poly import Coefficient, Poly
from ..report import Block, Cell, Display, Math, Table, cell, prose
from ..roots import Root
from .crossover import root_math, solution_blocks
from .ledger import byte_blocks, division_blocks, flop_blocks
from .parts import Setter, packed, setter_for

__all__ = ["figure", "root_of", "worked_blocks"]

_KEPT = (Quantity.ELEMENTS, Quantity.ROW, Quantity.CACHE, Quantity.RANK)


def root_of(answer: Answer, notation: Notation) -> Math:
    """The formula of an answer, without a number that both sides of a fraction share."""
    root = answer.root
    if answer.ratio is not None and answer.ratio.over:
        factors = answer.ratio.factors()
        root = Root(factors.part(True).poly(), Poly(), factors.part(False).poly())
    return root_math(root, notation, whole=True)


def worked_blocks(task: Task, full: bool = False) -> list[Block]:
    """The derivation; `full` shows every term with the tensors it comes from."""
    setter = setter_for(derivation_of(task), None)
    if task.quantity is Quantity.CROSSOVER:
        return _crossing(task)
    if task.quantity in _KEPT:
        blocks = _rows(task, setter, full)
    elif task.quantity is Quantity.STATE:
        blocks = _state(task, setter)
    else:
        blocks = _ledger(task, setter, full)
    if task.quantity is Quantity.RIDGE:
        blocks += _ridge(task)
    return blocks + _numbers(task)


def _crossing(task: Task) -> list[Block]:
    """The difference of two costs, and where it is zero."""
    study = Study(rewritten(task.variant), task.conventions, dict(task.values))
    return solution_blocks(crossing_of(task), study, notation_of(task)) + _numbers(task)


def _rows(task: Task, setter: Setter, full: bool) -> list[Block]:
    """What is cached: each tensor's row, how many rows, and the sum."""
    per_token = task.quantity in (Quantity.ELEMENTS, Quantity.ROW)
    kept = derivation_of(task).kept.rows
    amounts = [r.row * (r.slope if per_token else r.count) for r in kept]
    if task.quantity is not Quantity.ELEMENTS:
        amounts = [amount * r.width for amount, r in zip(amounts, kept, strict=True)]
    blocks: list[Block] = []
    if full:
        rows: list[tuple[Cell, ...]] = []
        for r, amount in zip(kept, amounts, strict=True):
            tensor = setter.variant.tensors[r.name]
            count = cell("1") if per_token else cell(setter.quantity(r.count))
            rows.append(
                (cell(setter.tensor(r.name)), cell(tensor.meaning or "-"), cell(setter.quantity(r.row)), count,
                 cell(setter.quantity(amount)))
            )  # fmt: skip
        unit = "elements" if task.quantity is Quantity.ELEMENTS else "bytes"
        headers = ("cached", "meaning", "elements a row", "rows", unit)
        blocks.append(Table(headers, tuple(rows), "lplll"))
    else:
        names = ", ".join(f"{r.name} ({setter.variant.tensors[r.name].meaning or r.name})" for r in kept)
        blocks.append(prose(f"A layer caches {names}."))
    letter = "E" if task.quantity is Quantity.ELEMENTS else "M"
    return [*blocks, Display(tuple(_sum(letter, amounts, setter)))]


def _sum(letter: str, amounts: Iterable[Poly], setter: Setter) -> list[Math]:
    parts = [amount for amount in amounts if amount]
    lines = packed(Math(f"{letter} &= ", f"{letter} = "), (setter.quantity(part) for part in parts))
    whole = setter.quantity(sum(parts, Poly()))
    if len(parts) > 1 and lines[-1].text != f"{letter} = {whole.text}":
        lines.append(Math(f"&= {whole.latex}", f"  = {whole.text}"))
    return lines


def _state(task: Task, setter: Setter) -> list[Block]:
    kept = derivation_of(task).kept
    whole = setter.quantity(kept.state_bytes)
    names = [t for t in setter.variant.tensors.values() if t.scan is not None or t.role == "state"]
    words = ", ".join(f"{t.name} ({t.meaning})" for t in names)
    return [
        prose(f"A layer keeps the state {words}, whatever the context."),
        Display((Math(f"\\text{{bytes}} &= {whole.latex}", f"bytes = {whole.text}"),)),
    ]


def _ledger(task: Task, setter: Setter, full: bool) -> list[Block]:
    """FLOPs, bytes and their quotient, as far as the quantity needs them."""
    derivation = derivation_of(task)
    blocks: list[Block] = []
    both = task.quantity in (Quantity.INTENSITY, Quantity.RIDGE)
    if both or task.quantity is Quantity.FLOPS:
        blocks += flop_blocks(derivation, setter, inside=True)
    if both or task.quantity in (Quantity.BYTES, Quantity.TIME):
        blocks += byte_blocks(derivation, setter, inside=True)
    if both:
        blocks += division_blocks(derivation, setter)
    return blocks if full else [block for block in blocks if not isinstance(block, Table)]


def _ridge(task: Task) -> list[Block]:
    answer = answer_of(task)
    assert answer is not None, "every exercise has an answer"
    gpu = task.accelerator
    ridge = number_text(gpu.ridge("bf16"))
    notation = notation_of(task)
    shown = root_math(answer.root, notation, whole=True)
    return [
        prose(f"The ridge is {gpu.peak['bf16'].text} over {gpu.bandwidth.text}, R = {ridge} FLOP/B. ",
              Math("I = R", "I = R"), " at"),
        Display((Math(f"S &= {shown.latex}", f"S = {shown.text}"),)),
    ]  # fmt: skip


def _numbers(task: Task) -> list[Block]:
    """The sizes put in: of one layer and one sequence, then of all that are asked for, then in the unit."""
    times: list[tuple[int, str]] = [(task.layers, "layers")]
    times += [(task.batch, "sequences")] if task.whole else []
    times = [(count, word) for count, word in times if count > 1]
    one = answer_of(replace(task, layers=1, whole=False))
    whole = answer_of(task)
    assert one is not None, "every exercise has an answer"
    assert whole is not None, "every exercise has an answer"
    if task.wants is Wants.FORMULA:
        return []
    assert one.value is not None, "a task with sizes has a number"
    assert whole.value is not None, "a task with sizes has a number"
    base = base_unit(task.measured.measure)
    values: dict[str, Coefficient] = dict(task.values)
    if task.gpu:
        values["R"] = task.accelerator.ridge("bf16")
    put = _put(one.ratio, values) if one.ratio is not None else _root_put(one.root, values)
    first = figure(one.value, base)
    if put.text == number_text(one.value):
        lines = [first]
    else:
        lines = [Math(f"{put.latex} &= {first.latex}", f"{put.text} = {first.text}")]
    if times:
        shown = figure(whole.value, base)
        words = ", ".join(f"{count} {word}" for count, word in times)
        lines.append(Math(f"\\text{{{words}:}}\\quad & {shown.latex}", f"{words}: {shown.text}"))
    if task.measured != base:
        shown = figure(whole.value / task.measured.scale, task.measured)
        lines.append(Math(f"&= {shown.latex}", f"= {shown.text}"))
    return [Display(tuple(lines))]


def figure(value: Fraction, unit: Unit) -> Math:
    """A number with its unit."""
    return Math(f"{number_latex(value)}\\ {unit.tex}", f"{number_text(value)} {unit.name}")


def _put(ratio: Ratio, values: Mapping[str, Coefficient]) -> Math:
    """The factored formula with numbers in the place of symbols, nothing worked out."""
    factors = ratio.factors()
    above, below = (_product(factors.part(side), values) for side in (True, False))
    if below.text == "1":
        return above
    under = f"({below.text})" if " " in below.text else below.text
    return Math(f"\\frac{{{above.latex}}}{{{below.latex}}}", f"{above.text} / {under}")


def _root_put(root: Root, values: Mapping[str, Coefficient]) -> Math:
    """A root of degree 2 with numbers in the place of its three parts, what they share divided out."""
    p, q, r = (Fraction(evaluate(part, values) or 0) for part in (root.p, root.q, root.r))
    shared = Fraction(gcd(p.numerator, r.numerator))
    while shared > 1 and (q / shared**2).denominator != 1:
        shared = Fraction(shared.numerator // 2)
    p, q, r = p / shared, q / shared**2, r / shared
    sign = "-" if root.sign < 0 else "+"
    return Math(
        f"\\frac{{{number_latex(p)} {sign} \\sqrt{{{number_latex(q)}}}}}{{{number_latex(r)}}}",
        f"({number_text(p)} {sign} sqrt({number_text(q)})) / {number_text(r)}",
    )


def _product(factors: Factors, values: Mapping[str, Coefficient]) -> Math:
    parts: list[Math] = []
    if factors.number != 1:
        parts.append(_plain(factors.number))
    for name, exponent in factors.powers.items():
        parts.append(_power(_number(name, values), exponent))
    for poly, exponent in factors.sums:
        several = len(factors.sums) > 1 or bool(parts) or exponent > 1
        inner = _summed(poly, values)
        shown = Math(f"({inner.latex})", f"({inner.text})") if several else inner
        parts.append(_power(shown, exponent))
    if not parts:
        return Math("1", "1")
    return Math(" \\cdot ".join(part.latex for part in parts), " * ".join(part.text for part in parts))


def _summed(poly: Poly, values: Mapping[str, Coefficient]) -> Math:
    latex = text = ""
    terms: list[tuple[dict[str, int], Coefficient]] = list(poly.powers())
    for powers, coefficient in sorted(terms, key=lambda term: (term[1] < 0, sorted(term[0]))):
        size = abs(Fraction(coefficient))
        inner = _product(Factors(size, {n: e for n, e in powers.items() if e > 0}), values)
        lower = _product(Factors(Fraction(1), {n: -e for n, e in powers.items() if e < 0}), values)
        if lower.text != "1":
            inner = Math(f"\\frac{{{inner.latex}}}{{{lower.latex}}}", f"{inner.text} / {lower.text}")
        sign = " - " if coefficient < 0 else " + " if text else ""
        latex, text = latex + sign + inner.latex, text + sign + inner.text
    return Math(latex, text)


def _power(base: Math, exponent: int) -> Math:
    if exponent == 1:
        return base
    return Math(f"{base.latex}^{{{exponent}}}", f"{base.text}^{exponent}")


def _number(name: str, values: Mapping[str, Coefficient]) -> Math:
    value = evaluate(Poly.symbol(name), values) if atom_of(name) else values.get(name)
    return Math(name, name) if value is None else _plain(Fraction(value))


def _plain(value: Fraction) -> Math:
    text = number_text(value)
    return Math(number_latex(value), text)
