"""Pages on recurrences: from which context on they cost less than softmax attention, and how long a chunk
is best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt

from ..chunks import Chunks
from ..crossover import Crossover
from ..derivation import Study
from ..notation import Notation, number_text
from ..poly import Coefficient
from ..report import Block, Cell, Display, Heading, Math, Report, Table, cell, prose
from .crossover import root_math
from .parts import addends_of, conventions_table, packed

__all__ = ["against_report", "chunks_report"]


def against_report(
    found: Sequence[tuple[Crossover, Study, str, Mapping[str, Coefficient]]], sources: Sequence[str]
) -> Report:
    """Crossovers in L between softmax attention and recurrences; the sizes of the last column come with
    each.
    """
    rows: list[tuple[Cell, ...]] = []
    for crossover, study, measure, sizes in found:
        notation = Notation.of(study.variant.symbols, None, study.conventions.phase)
        first, second = crossover.names
        root, value = cell(crossover.never or "-"), cell("-")
        if crossover.solutions:
            solution = crossover.solutions[0]
            root = cell(root_math(solution.root, notation, whole=True))
            number = solution.root.value(sizes)
            value = cell(number_text(number)) if number is not None else cell("-")
        rows.append((cell(first), cell(second), cell(measure), root, value))
    study, sizes = found[0][1], found[0][3]
    given = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    blocks: list[Block] = [
        prose(
            "One query token of one layer in decode, scope core. Softmax attention costs so much for each "
            "token of the context; a recurrence costs the same at any context, and moves its state twice. "
            "Where they meet, "
            f"as a length of the context; above it the recurrence is cheaper. The last column is for {given}."
        ),
        Table(("softmax", "recurrence", "of", "L*", "tokens"), tuple(rows), "lllpr"),
        Heading("Conventions"),
        conventions_table(study.conventions.items()),
    ]
    return Report(
        "Recurrences against softmax attention", "where they cost the same", tuple(blocks), tuple(sources)
    )


def chunks_report(
    found: Sequence[tuple[str, Study, Chunks]], sizes: Mapping[str, Coefficient], sources: Sequence[str]
) -> Report:
    """The trade-off of each chunked recurrence, in closed form, and at some sizes."""
    given = ", ".join(f"{name} = {number_text(Fraction(value))}" for name, value in sizes.items())
    blocks: list[Block] = [
        prose(
            "A long prefill of one layer, per token, scope core. Inside a chunk of C tokens the work "
            "is quadratic, so "
            "it grows with C; the state passes through memory once a chunk in each direction, so its traffic "
            "falls with C. Below the C where both take equally long the step waits for memory, above it "
            "for arithmetic."
        )
    ]
    for title, study, chunks in found:
        notation = Notation.of(study.variant.symbols, None, "prefill")
        blocks += [Heading(title), *_lines(chunks, notation), *_numbers(chunks, sizes)]
    blocks.append(prose(f"Numbers are for {given}."))
    return Report("Recurrences in chunks", "the length of a chunk", tuple(blocks), tuple(sources))


def _lines(chunks: Chunks, notation: Notation) -> list[Block]:
    def line(name: str, latex: str, text: str) -> list[Math]:
        return packed(Math(f"{name} &= ", f"{name} = "), [Math(latex, text)])

    flops, moved = chunks.flops, chunks.bytes
    lines = line("F/L", notation.latex_sum(flops), notation.text_sum(flops))
    lines += line("M/L", notation.latex(moved), notation.text(moved))
    blocks: list[Block] = [prose("FLOPs and bytes of the state per token:"), Display(tuple(lines))]
    if chunks.recurrent is not None:
        plain = chunks.recurrent
        blocks.append(
            prose(
                "Token by token the same recurrence takes ", Math(notation.latex(plain), notation.text(plain)),
                " FLOPs.",
            )
        )  # fmt: skip
    if chunks.fewest is not None:
        square = Math(notation.latex(chunks.fewest), notation.text(chunks.fewest))
        root = Math(f"C &= \\sqrt{{{square.latex}}}", f"C = sqrt({square.text})")
        blocks += [prose("Fewest FLOPs at"), Display((root,))]
    for solution in chunks.balance.solutions:
        found = root_math(solution.root, notation)
        lines = [Math(f"C^* &= {found.latex}", f"C* = {found.text}")]
        if solution.root.q:
            lines += packed(Math("D &= ", "D = "), addends_of(solution.root.q, notation))
        blocks += [
            prose("Arithmetic and memory take equally long, on an accelerator with the ridge R, at"),
            Display(tuple(lines)),
        ]
    return blocks


def _numbers(chunks: Chunks, sizes: Mapping[str, Coefficient]) -> list[Block]:
    words = []
    if chunks.fewest is not None:
        square = chunks.fewest.value(sizes)
        words += [f"fewest FLOPs at C = {number_text(sqrt(square))}"] if square is not None else []
    for solution in chunks.balance.solutions:
        value = solution.root.value(sizes)
        words += [f"balance at C* = {number_text(value)}"] if value is not None else []
    return [prose(f"At the sizes below: {'; '.join(words)}.")] if words else []
