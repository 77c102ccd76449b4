"""What the engine puts into the holes of a lesson: closed forms, numbers with units, names."""

from __future__ import annotations

from fractions import Fraction

from ..algebra import Ratio
from ..checkpoints import load_checkpoint
from ..documents.formulas import NoNumber
from ..documents.numbers import number
from ..documents.setting import Setting
from ..hardware import load_accelerator
from ..lessons.dimensions import dimension_of
from ..lessons.lesson import Hole, HoleKind, Lesson, Show
from ..notation import Notation
from ..report import Cell, Math, cell
from .claimtext import quantity_name
from .measures import measured
from .parts import packed
from .written import written

__all__ = ["Holes"]

_WIDE = 96
"""A line of a display that is longer in plain text is broken at its terms."""


class Holes:
    """Fills the holes of one lesson."""

    def __init__(self, lesson: Lesson) -> None:
        variants = lesson.sheet.variants.values()
        self.lesson = lesson
        self.notation = Notation({name: dim for v in variants for name, dim in v.symbols.items()}, {})

    def inline(self, hole: Hole) -> Cell:
        """What stands in the place of a hole in a line."""
        text = hole.entry.text(200)
        if hole.kind is HoleKind.MODEL:
            return cell(load_checkpoint(text).title)
        if hole.kind is HoleKind.GPU:
            return cell(load_accelerator(text).title)
        if hole.kind is HoleKind.TENSOR:
            variant, _, tensor = text.partition(" ")
            return cell(Math(self.lesson.sheet.variant(variant).tensors[tensor].latex, tensor))
        if hole.show is Show.CLOSED:
            return cell(self.equation(hole) if hole.named else self.closed(hole))
        value, unit = self.measure(hole)
        if "/" in unit:  # where a line must not break
            value, unit = Math(f"{value.latex}{_unit_latex(unit)}", f"{value.text}{unit}"), ""
        if not hole.named:
            return cell(value, unit)
        equation = self.equation(hole)
        return cell(Math(f"{equation.latex} = {value.latex}", f"{equation.text} = {value.text}"), unit)

    def display(self, hole: Hole) -> list[Math]:
        """A hole on a line of its own; long sums over several lines."""
        if hole.kind is not HoleKind.FORMULA:
            raise hole.entry.fail("a formula is expected on a line of its own")
        closed, ratio = self.closed(hole), self.ratio(hole)
        head, same = Math("", ""), False
        if hole.named:
            name = self.name(hole)
            head, same = Math(f"{name.latex} &= ", f"{name.text} = "), name.text == closed.text
        # what is a figure has no other form, and what is written in its closed form needs no second
        if hole.show is not Show.CLOSED and (same or not ratio.symbols()):
            value, unit = self.measure(hole)
            return [Math(f"{head.latex}{value.latex}{_unit_latex(unit)}", f"{head.text}{value.text}{unit}")]
        if len(head.text) + len(closed.text) > _WIDE and ratio.under == 1:
            terms = [type(ratio.over)({monomial: value}) for monomial, value in ratio.over.terms.items()]
            addends = [Math(self.notation.latex_sum(term), self.notation.text_sum(term)) for term in terms]
            lines = packed(head, sorted(addends, key=lambda math: math.text.startswith("-")))
        else:
            lines = [Math(head.latex + closed.latex, head.text + closed.text)]
        if hole.show is Show.CLOSED:
            unit, last = dimension_of(self.lesson.sheet, hole.entry).text, lines[-1]
            if unit.startswith("1/"):  # sizes alone over bytes: FLOPs that nobody called so
                unit = ""
            bracket = Math(f"\\quad[\\text{{{unit}}}]", f"   [{unit}]")
            return [*lines[:-1], Math(last.latex + bracket.latex, last.text + bracket.text)] if unit else lines
        value, unit = self.measure(hole)
        shown = Math(f"{value.latex}{_unit_latex(unit)}", f"{value.text}{unit}")
        if not hole.named:
            return [shown]
        return [*lines, Math(f"&= {shown.latex}", f"{' ' * (len(head.text) - 2)}= {shown.text}")]

    def setting(self, hole: Hole) -> Setting:
        return self.lesson.settings[hole.setting] if hole.setting else self.lesson.own

    def ratio(self, hole: Hole) -> Ratio:
        """The closed form of a hole, sizes as symbols."""
        name, sheet = hole.entry.text(200), self.lesson.sheet
        if sheet.kind(name) == "crossover":
            solved = sheet.solved(name, self.setting(hole))
            if solved is None:
                raise hole.entry.fail(f"{name} has no closed form without a root; show its number")
            return solved
        try:
            return sheet.formula(hole.entry, self.setting(hole))
        except NoNumber as error:
            raise hole.entry.fail(str(error)) from None

    def closed(self, hole: Hole) -> Math:
        ratio = self.ratio(hole)
        return Math(self.notation.latex(ratio), self.notation.text(ratio))

    def name(self, hole: Hole) -> Math:
        return written(hole.entry, self.symbol)

    def symbol(self, name: str) -> Math:
        """A name of a formula: a quantity, or a size."""
        if name in self.lesson.sheet.entries:
            if self.lesson.sheet.kind(name) == "crossover":
                letter, _, below = name.removesuffix("_star").partition("_")
                if not below:
                    return Math(f"{letter}^{{*}}", f"{letter}*")
                return Math(f"{letter}^{{*}}_{{\\mathrm{{{below.replace('_', ',')}}}}}", f"{letter}*_{below}")
            return quantity_name(name)
        return Math(self.notation.tex(name), self.notation.plain(name))

    def equation(self, hole: Hole) -> Math:
        name, closed = self.name(hole), self.closed(hole)
        if name.text == closed.text:
            return name
        return Math(f"{name.latex} = {closed.latex}", f"{name.text} = {closed.text}")

    def measure(self, hole: Hole) -> tuple[Math, str]:
        """The number of a hole, and its unit."""
        try:
            value = number(self.lesson.sheet, hole.entry, self.setting(hole))
        except NoNumber as error:
            raise hole.entry.fail(f"{hole.entry.text(200)} has no number here: {error}") from None
        return measured(Fraction(value), dimension_of(self.lesson.sheet, hole.entry), hole.show is Show.EXACT)


def _unit_latex(unit: str) -> str:
    if unit.startswith(" µ"):
        return f"\\ \\mu\\text{{{unit[2:]}}}"
    return f"\\ \\text{{{unit.strip()}}}" if unit else ""
