"""Formulas that several pages share: tensors with their shapes, brackets, steps, quantities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..algebra import Factors, Ratio
from ..conventions import KNOBS
from ..derivation import Derivation, Study
from ..equations import BARRIERS, Equation, Ref
from ..notation import Notation, NotationFile, number_text
from ..poly import Coefficient, Poly
from ..program import AxisKind, Role, Variant
from ..report import Block, Cell, Display, Math, Prose, Table, cell
from ..steps import Operand, Step
from ..trees import Sizes, Tree

__all__ = [
    "LONG",
    "Setter",
    "Spelled",
    "addends_of",
    "bytes_text",
    "conventions_table",
    "number_math",
    "packed",
    "setter_for",
    "sizes_prose",
]

LONG = 90
"""A formula longer than this in plain text is shown as a sum over lines instead."""


def number_math(value: Coefficient | float) -> Math:
    """A number as a formula: LaTeX groups digits without the space a comma brings."""
    text = number_text(value)
    return Math(text.replace(",", "{,}"), text)


def packed(head: Math, addends: Iterable[Math], width: int = 80) -> list[Math]:
    """A sum over as many lines as it needs, `head` before the first."""
    lines, current = [], head
    started = False
    for addend in addends:
        minus = addend.text.startswith("-")
        latex, text = addend.latex.removeprefix("-"), addend.text.removeprefix("-")
        sign = " - " if minus else " + "
        if not started:
            current = Math(
                head.latex + ("-" if minus else "") + latex, head.text + ("-" if minus else "") + text
            )
            started = True
        elif len(current.text) + len(text) > width:
            lines.append(current)
            current = Math(f"&\\quad{sign}{latex}", f"   {sign}{text}")
        else:
            current = Math(current.latex + sign + latex, current.text + sign + text)
    return [*lines, current]


def bytes_text(value: Coefficient) -> str:
    """Bytes in decimal and in binary units, since both are called the same in print."""
    number = float(value)
    for power, decimal, binary in (
        (4, "TB", "TiB"),
        (3, "GB", "GiB"),
        (2, "MB", "MiB"),
        (1, "kB", "KiB"),
    ):
        if number >= 1000**power:
            return f"{number / 1000**power:.2f} {decimal} ({number / 1024**power:.2f} {binary})"
    return f"{number_text(value)} B"


def addends_of(amount: Poly, notation: Notation) -> list[Math]:
    """The single terms of a polynomial, positive ones first."""
    terms = [Poly({monomial: value}) for monomial, value in amount.terms.items()]
    shown = [Math(notation.latex_sum(term), notation.text_sum(term)) for term in terms]
    return sorted(shown, key=lambda math: (math.text.startswith("-"), -len(math.text), math.text))


def conventions_table(items: Iterable[tuple[str, str]], more: Iterable[tuple[Cell, ...]] = ()) -> Table:
    """Every knob with its value and what it means, then what else was asked for."""
    rows = [(cell(KNOBS[name].title), cell(value), cell(KNOBS[name].values[value])) for name, value in items]
    return Table(("convention", "value", "meaning"), (*rows, *more), "plp")


def sizes_prose(studies: Iterable[Study], notation: Notation) -> Prose:
    """The sizes numbers are given for, and the model they come from."""
    found = list(studies)
    model = found[0].model
    if not any(study.called for study in found):
        words: list[str | Math] = ["Sizes: ", *_sizes(found, notation)]
        words.append(f". They are those of {model.title}, but for what was set by hand." if model else ".")
        return Prose(tuple(words))
    words = ["Sizes, each row with its own. "]  # layers of models: the same letter has several values
    for study in {study.label: study for study in found}.values():
        words += [f"{study.label}: ", *_sizes([study], notation), ". "] if study.values else []
    return Prose(tuple(words))


def _sizes(studies: Iterable[Study], notation: Notation) -> list[str | Math]:
    words: list[str | Math] = []
    values = {name: value for study in studies for name, value in study.values.items()}
    for name, value in values.items():
        number = number_math(value)
        latex = f"{notation.tex(name)} = {number.latex}"
        words += [", " if words else "", Math(latex, f"{notation.plain(name)} = {number.text}")]
    return words


@dataclass(frozen=True, slots=True)
class Setter:
    """Sets the tensors and quantities of one derivation in one notation."""

    notation: Notation
    """Letters."""
    variant: Variant
    """The program the order runs."""
    sizes: Sizes
    """Phase and batch."""

    @classmethod
    def of(cls, derivation: Derivation, notation: Notation) -> Setter:
        """For a derivation."""
        graph = derivation.cost.graph
        return cls(notation, graph.variant, derivation.study.sizes(graph))

    def quantity(self, quantity: Poly | Ratio | Factors) -> Math:
        """A quantity, factored."""
        return Math(self.notation.latex(quantity), self.notation.text(quantity))

    def addends(self, amount: Poly, whole: bool = True) -> list[Math]:
        """A quantity as one addend, or as its single terms where it is too long for that."""
        if whole and len(self.quantity(amount).text) <= LONG // 2:
            return [self.quantity(amount)]
        return addends_of(amount, self.notation)

    def symbol(self, name: str) -> Math:
        """A size symbol."""
        return Math(self.notation.tex(name), self.notation.plain(name))

    def tensor(self, name: str) -> Math:
        """A tensor without its shape."""
        return Math(self.variant.tensors[name].latex, name)

    def shape(self, axes: Iterable[str]) -> Math:
        """Sizes of axes, in parentheses, with the phase put in."""
        sizes = [self.sizes.axis(self.variant.axes[axis]) for axis in axes]
        latex = ",".join(self.notation.latex_line(size) for size in sizes)
        text = ", ".join(self.notation.text_sum(size) for size in sizes)
        return Math(f"({latex})", f"({text})")

    def shaped(self, name: Math, axes: Iterable[str]) -> Math:
        """A tensor with its shape under it."""
        shape = self.shape(axes)
        return Math(f"\\underset{{{shape.latex}}}{{{name.latex}}}", f"{name.text}{shape.text}")

    def operand(self, operand: Operand, shaped: bool = True) -> Math:
        """An operand of a step; a product without a name is written as its factors."""
        names = [self.tensor(name) for name in operand.tensors]
        latex = "\\,".join(name.latex for name in names)
        text = " ".join(name.text for name in names)
        if len(names) > 1:
            latex, text = f"({latex})", f"({text})"
        return self.shaped(Math(latex, text), operand.axes) if shaped else Math(latex, text)

    def step(self, step: Step) -> Math:
        """`left right -> result`, with shapes."""
        left, right, result = (self.operand(o) for o in (step.left, step.right, step.result))
        return Math(
            f"{left.latex}\\;{right.latex} \\to {result.latex}",
            f"{left.text} {right.text} -> {result.text}",
        )

    def indexed(self, name: Math, axes: Iterable[str]) -> Math:
        """A tensor with its indices under it."""
        listed = list(axes)
        return Math(f"\\underset{{{' '.join(listed)}}}{{{name.latex}}}", f"{name.text}[{','.join(listed)}]")

    def program(self) -> Display:
        """The equations, each tensor with its indices."""
        return Display(tuple(self._equation(equation) for equation in self.variant.equations))

    def _equation(self, equation: Equation) -> Math:
        left = self._refs(equation.left, ", ")
        arrow = ("\\leftarrow", "<-") if equation.writes else ("=", "=")
        if equation.barrier is not None:
            kind = BARRIERS[equation.barrier]
            over = ",".join(equation.over)
            inner = self._refs(equation.inputs, ", ")
            along = f"_{{{over}}}" if over and not kind.selects else ""
            right = Math(
                f"{kind.latex}{along}\\bigl({inner.latex}\\bigr)",
                f"{equation.barrier}{f'[{over}]' if over else ''}({inner.text})",
            )
        else:
            latex = text = ""
            for index, product in enumerate(equation.products):
                sign = " - " if product.sign < 0 else " + " if index else ""
                inner = self._refs(product.refs, " ", "\\;")
                latex, text = latex + sign + inner.latex, text + sign + inner.text
            right = Math(latex, text)
        return Math(f"{left.latex} &{arrow[0]} {right.latex}", f"{left.text} {arrow[1]} {right.text}")

    def _refs(self, refs: Iterable[Ref], between: str, latex_between: str | None = None) -> Math:
        parts = [self._ref(ref) for ref in refs]
        return Math(
            (latex_between or between).join(part.latex for part in parts),
            between.join(part.text for part in parts),
        )

    def _ref(self, ref: Ref) -> Math:
        shown = self.indexed(self.tensor(ref.name), ref.axes)
        if not ref.old:
            return shown
        return Math(f"\\mathrm{{old}}\\bigl({shown.latex}\\bigr)", f"old({shown.text})")

    def bracket(self, leaves: list[Math], tree: Tree) -> Math:
        """A product with the parentheses of a tree, the outermost pair left out."""
        made = {1 << index: leaf for index, leaf in enumerate(leaves)}
        for number, (left, right) in enumerate(tree):
            latex = f"{made[left].latex}\\,{made[right].latex}"
            text = f"{made[left].text} {made[right].text}"
            if number + 1 < len(tree):
                latex, text = f"\\bigl({latex}\\bigr)", f"({text})"
            made[left | right] = Math(latex, text)
        return made[(1 << len(leaves)) - 1]

    def value(self, value: Coefficient | float | None, unit: str) -> Cell:
        """A number with its unit; bytes in both kinds of units."""
        if value is None:
            return cell("-")
        if unit == "bytes":
            whole = isinstance(value, int) or Fraction(value).denominator == 1
            shown = bytes_text(Fraction(value)) if not isinstance(value, float) else f"{value}"
            return cell(
                number_math(value),
                " B" if whole else "",
                f" = {shown}" if float(value) >= 1000 else "",
            )
        return cell(number_math(value), f" {unit}" if unit else "")

    def kept(self) -> list[str]:
        """Names of the caches, in order."""
        return [
            t.name
            for t in self.variant.tensors.values()
            if t.role is Role.CACHE and any(self.kind(a) is AxisKind.CONTEXT for a in t.axes)
        ]

    def kind(self, axis: str) -> AxisKind:
        """The kind of an axis."""
        return self.variant.axes[axis].kind


def setter_for(derivation: Derivation, file: NotationFile | None) -> Setter:
    """A setter in the letters of a document, for the derivation's own variant and phase."""
    study = derivation.study
    notation = Notation.of(study.variant.symbols, file, study.conventions.phase)
    return Setter.of(derivation, notation)


class Spelled:
    """Formulas for the cells of a table: a long one gets a label, and is spelled out below the table."""

    def __init__(self, setter: Setter, letter: str, longest: int = LONG // 2) -> None:
        self.setter, self.letter, self.longest = setter, letter, longest
        self.labels: dict[Poly, Math] = {}
        self.lines: list[Math] = []

    def math(self, amount: Poly) -> Math:
        """The formula, or its label."""
        shown = self.setter.quantity(amount)
        if len(shown.text) <= self.longest:
            return shown
        if amount not in self.labels:
            number = len(self.labels) + 1
            label = Math(f"{self.letter}_{{{number}}}", f"{self.letter}_{number}")
            self.labels[amount] = label
            head = Math(f"{label.latex} &= ", f"{label.text} = ")
            self.lines += packed(head, self.setter.addends(amount, whole=False))
        return self.labels[amount]

    def blocks(self) -> list[Block]:
        """What the labels stand for."""
        return [Display(tuple(self.lines))] if self.lines else []
