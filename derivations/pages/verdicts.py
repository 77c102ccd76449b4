"""What pages say of a verdict: the witness, the certificate, and where neighbours cost the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from ..algebra import factor
from ..crossover import Condition, Crossover
from ..found import Boundary, Found, Orders
from ..notation import Notation
from ..poly import Poly
from ..report import Block, Cell, Items, Math, cell, prose
from ..verdicts import Part, Verdict
from .crossover import condition_math, root_math
from .parts import number_math

__all__ = ["boundary_blocks", "certificate_blocks", "crossing_words", "verdict_cells", "whole_weights"]


def verdict_cells(verdict: Verdict, notation: Notation) -> tuple[Cell, Cell]:
    """The verdict in two words, and what it rests on."""
    if verdict.witness is not None:
        if not verdict.witness:
            return cell("can be best"), cell("there is no other")
        return cell("can be best"), ("best at ", *_sizes(verdict.witness, notation))
    if verdict.certificate is not None:
        rivals = _joined(str(part.rival + 1) for part in verdict.certificate.parts)
        lead = "" if len(verdict.certificate.parts) == 1 else "one of "
        return cell("never best"), cell(f"{lead}{rivals} costs no more, whatever the sizes")
    return cell("undecided"), cell("no sizes found at which it is best, and no certificate that there are none")


def _joined(words: Iterable[str]) -> str:
    listed = list(words)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


def _sizes(witness: dict[str, int], notation: Notation) -> list[str | Math]:
    parts: list[str | Math] = []
    for name, value in witness.items():
        number = number_math(value)
        latex, text = f"{notation.tex(name)} = {number.latex}", f"{notation.plain(name)} = {number.text}"
        parts += [", " if parts else "", Math(latex, text)]
    return parts


def whole_weights(found: Orders, parts: Sequence[Part]) -> list[Poly]:
    """Weights of a certificate in the sizes themselves, without fractions or a common factor."""
    weights = [
        found.prices.coordinates.in_sizes(part.weight) if found.prices.coordinates else part.weight
        for part in parts
    ]
    clear = lcm(*(value.denominator for weight in weights for value in weight.terms.values()))
    return [weight * clear for weight in weights]


def certificate_blocks(found: Orders, orders: Sequence[Found], notation: Notation) -> list[Block]:
    """What is added up for each order that is never best."""
    if not orders:
        return []
    entries: list[Cell] = []
    for order in orders:
        certificate = order.verdict.certificate
        parts = certificate.parts if certificate else ()
        own = order.choice[0] + 1
        summands = []
        for part, weight in zip(parts, whole_weights(found, parts), strict=True):
            rival = part.rival + 1
            latex, text = f"(F_{{{own}}} - F_{{{rival}}})", f"(F_{own} - F_{rival})"
            if weight != 1:
                times = factor(weight)
                bare = len(weight.terms) == 1
                shown = notation.latex(times) if bare else f"({notation.latex(times)})"
                plain = notation.text(times) if bare else f"({notation.text(times)})"
                latex, text = f"{shown}\\,{latex}", f"{plain} {text}"
            summands.append(Math(latex, text))
        whole = Math(
            " + ".join(s.latex for s in summands) + " \\ge 0", " + ".join(s.text for s in summands) + " >= 0"
        )
        entries.append((f"{own}: ", whole))
    return [
        prose(
            "Certificates, with F for the cost of an order by its number: each inequality holds at all legal "
            "sizes, for with 1 plus a slack put for each size (and one size as another plus a slack where "
            "that is assumed) no coefficient of the left side is negative. So the rivals cannot all cost more; "
            "where all their factors are 0, the same follows from sizes close by."
        ),
        Items(tuple(entries)),
    ]


def boundary_blocks(boundaries: Sequence[Boundary], notation: Notation) -> list[Block]:
    """Where neighbours cost the same."""
    entries = [
        (f"{b.first + 1} and {b.second + 1}: ", *crossing_words(b.crossover, notation)) for b in boundaries
    ]
    return [prose("Neighbours, seen best side by side, and where they cost the same:"), Items(tuple(entries))]


def crossing_words(crossover: Crossover | None, notation: Notation) -> Cell:
    """Where two orders cost the same, who wins on either side, and when."""
    if crossover is None:
        return cell("no closed form.")
    if not crossover.solutions:
        if crossover.decided_by is None:
            return cell(f"{crossover.never}.")
        larger, smaller = crossover.decided_by.sides()
        same = Math(
            f"{notation.latex_sum(larger)} = {notation.latex_sum(smaller)}",
            f"{notation.text_sum(larger)} = {notation.text_sum(smaller)}",
        )
        return cell(same, f"; {crossover.names[1]} is cheaper where the left side is larger.")
    name = Math(notation.tex(crossover.symbol), notation.plain(crossover.symbol))
    words: list[str | Math] = []
    last: Math | None = None
    for solution in crossover.solutions:
        root = root_math(solution.root, notation, whole=True)
        formula = Math(f"{name.latex}^{{*}} = {root.latex}", f"{name.text}* = {root.text}")
        words += ["; " if words else ""] if formula == last else ["; " if words else "", formula, ", with "]
        words.append(f"{solution.below} cheaper below and {solution.above} above")
        words += _where(solution.conditions, notation)
        last = formula
    return (*words, ".")


def _where(conditions: Sequence[Condition], notation: Notation) -> list[str | Math]:
    words: list[str | Math] = []
    for condition in conditions:
        words += [" and " if words else " where ", condition_math(condition, notation)]
    return words
