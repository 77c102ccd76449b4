"""The page of an order search: what was searched, every order that can be best, and where each takes over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from ..algebra import factor
from ..crossover import Condition, Crossover
from ..derivation import Study
from ..einsum import Einsum
from ..found import MOST_NEIGHBOURS, Boundary, Found, Group, Merged, Orders, boundaries_of
from ..notation import Notation
from ..poly import Poly
from ..report import Block, Cell, Display, Heading, Items, Math, Report, Table, cell, prose
from ..verdicts import Part, Status, Verdict
from .crossover import condition_math, root_math
from .parts import LONG, Setter, conventions_table, number_math, packed, sizes_prose

__all__ = ["crossing_cells", "einsum_report", "orders_report", "verdict_cells", "whole_weights"]

_KNOBS = ("phase", "pairs", "caches", "elementwise", "unit")
_LISTED = 60
"""Rows of a table of orders; what is never best is left out beyond."""


def orders_report(found: Orders, study: Study, notation: Notation, region: str | None = None) -> Report:
    """Every order of a variant, or of the products behind one of its tensors."""
    conventions = study.conventions
    blocks: list[Block] = [sizes_prose([study], notation)] if study.values else []
    setter = Setter(notation, found.groups[0].spaces[0].graph.variant, found.groups[0].spaces[0].sizes)
    blocks += _blocks(found, setter)
    blocks += [
        Heading("Conventions"),
        conventions_table((name, value) for name, value in conventions.items() if name in _KNOBS),
    ]
    sources = [study.variant.reference] if study.variant.reference else []
    if study.model is not None:
        sources.append(f"{study.model.title}: {study.model.source}")
    what = f"orders of {region}" if region else "orders"
    subtitle = f"phase {conventions.phase}, pairs {conventions.pairs}"
    return Report(f"{study.variant.title}: {what}", subtitle, tuple(blocks), tuple(sources))


def einsum_report(found: Orders, expression: Einsum, notation: Notation) -> Report:
    """Every order of an expression."""
    space = found.groups[0].spaces[0]
    setter = Setter(notation, space.graph.variant, space.sizes)
    blocks: list[Block] = []
    if expression.constants:
        names = [expression.names[index] for index in sorted(expression.constants)]
        blocks.append(prose(f"Constant: {', '.join(names)}; products of constants are made once, offline."))
    blocks += _blocks(found, setter)
    return Report(expression.expression, "", tuple(blocks))


def _blocks(found: Orders, setter: Setter) -> list[Block]:
    blocks: list[Block] = [prose(_summary(found))]
    open_groups = [group for group in found.groups if group.bracketings > 1] or list(found.groups[:1])
    for group in open_groups:
        blocks += _group(found, group, setter)
    if len(open_groups) > 1:
        blocks += _whole(found, open_groups, setter)
    blocks += _merged(found, setter)
    return blocks


def _unit(found: Orders) -> str:
    return "MACs" if found.unit == "macs" else "FLOPs"


def _summary(found: Orders) -> str:
    several = len([group for group in found.groups if group.bracketings > 1]) > 1
    products = f" of {len(found.groups)} products together" if several else ""
    start = (
        f"Searched: {found.space}; {found.bracketings:,} {_orders(found.bracketings)}{products}. Counted: "
        f"online {_unit(found)}; products of weights alone are made once, offline, and cost nothing here. "
    )
    if found.numeric:
        return start + "All sizes are known, so the cheapest order is the answer."
    best, never, open_ = (found.count(s) for s in (Status.BEST, Status.NEVER, Status.UNDECIDED))
    return start + (
        f"{len(found.orders)} are left that no other order is proved to match or beat at every size: {best} "
        f"can be best, each with sizes at which every other order costs more; {never} never are, each with a "
        f"certificate; {open_} undecided."
    )


def _orders(count: int) -> str:
    return "order" if count == 1 else "orders"


def _group(found: Orders, group: Group, setter: Setter) -> list[Block]:
    """The orders of regions that are decided together."""
    blocks: list[Block] = [Heading(", ".join(group.roots))]
    if not found.numeric:
        blocks.append(prose(f"{group.bracketings:,} {_orders(group.bracketings)}; kept:"))
    spelled: list[Math] = []
    shown = [order for order in group.found if order.verdict.status is not Status.NEVER]
    listed = group.found if len(group.found) <= _LISTED else tuple(shown)
    rows = []
    for order in listed:
        number = order.choice[0] + 1
        cost = _cost(number, order.flops, setter, spelled)
        forms = ", ".join(order.forms) or "-"
        rows.append((cell(str(number)), _bracketing(group, order, setter), cell(forms), cell(cost)))
    blocks.append(Table(("", "order", "forms", _unit(found)), tuple(rows), "rlpl"))
    if spelled:
        blocks.append(Display(tuple(spelled)))
    if found.numeric:
        return blocks
    verdicts = [(cell(str(o.choice[0] + 1)), *verdict_cells(o.verdict, setter.notation)) for o in listed]
    blocks.append(Table(("", "verdict", "because"), tuple(verdicts), "rlp"))
    if len(listed) < len(group.found):
        blocks.append(prose(f"{len(group.found) - len(listed)} more are never best."))
    blocks += _certificates(found, [o for o in listed if o.verdict.certificate], setter.notation)
    boundaries = boundaries_of(group)
    if boundaries is None:
        blocks.append(prose(f"Boundaries are worked out for up to {MOST_NEIGHBOURS} orders that can be best."))
    elif boundaries:
        blocks += _boundaries(boundaries, setter.notation)
    return blocks


def _cost(number: int, flops: Poly, setter: Setter, spelled: list[Math]) -> Math:
    """The cost; a long one by its name, spelled out below the table."""
    shown = _amount(flops, setter)
    if len(shown.text) <= LONG // 2:
        return shown
    name = Math(f"F_{{{number}}}", f"F_{number}")
    head = Math(f"{name.latex} &= ", f"{name.text} = ")
    spelled += packed(head, setter.addends(flops, whole=False))
    return name


def _amount(amount: Poly, setter: Setter) -> Math:
    return setter.quantity(amount) if amount.constant is None else number_math(amount.constant)


def _bracketing(group: Group, order: Found, setter: Setter) -> Cell:
    """Trees of an order, those of several regions after each other."""
    parts: list[str | Math] = []
    for space, tree in zip(group.spaces, order.trees, strict=True):
        leaves = [setter.tensor(leaf.tensor) for leaf in space.region.leaves]
        parts += [" and " if parts else "", setter.bracket(leaves, tree)]
    return tuple(parts)


def verdict_cells(verdict: Verdict, notation: Notation) -> tuple[Cell, Cell]:
    """The verdict in two words, and what it rests on."""
    if verdict.witness is not None:
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


def _certificates(found: Orders, orders: Sequence[Found], notation: Notation) -> list[Block]:
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
            "that is assumed) no coefficient of the left side is negative. So the rivals cannot all cost more."
        ),
        Items(tuple(entries)),
    ]


def _boundaries(boundaries: Sequence[Boundary], notation: Notation) -> list[Block]:
    """Where neighbours cost the same."""
    rows = []
    for boundary in boundaries:
        pair = cell(f"{boundary.first + 1} and {boundary.second + 1}")
        rows.append((pair, *crossing_cells(boundary.crossover, notation)))
    return [
        prose("Neighbours, seen best side by side, cost the same at"),
        Table(("", "boundary", "below and above", "where"), tuple(rows), "llpp"),
    ]


def crossing_cells(crossover: Crossover | None, notation: Notation) -> tuple[Cell, Cell, Cell]:
    """Where two orders cost the same, who wins on either side, and when."""
    if crossover is None:
        return cell("no closed form"), cell("-"), cell("-")
    if not crossover.solutions:
        if crossover.decided_by is None:
            return cell("-"), cell(crossover.never or ""), cell("-")
        larger, smaller = crossover.decided_by.sides()
        same = Math(
            f"{notation.latex_sum(larger)} = {notation.latex_sum(smaller)}",
            f"{notation.text_sum(larger)} = {notation.text_sum(smaller)}",
        )
        return cell(same), cell(f"{crossover.names[1]} where the left side is larger"), cell("-")
    name = Math(notation.tex(crossover.symbol), notation.plain(crossover.symbol))
    formulas: list[str | Math] = []
    for solution in crossover.solutions:
        root = root_math(solution.root, notation, whole=True)
        formula = Math(f"{name.latex}^{{*}} = {root.latex}", f"{name.text}* = {root.text}")
        if formula not in formulas:
            formulas += [" or " if formulas else "", formula]
    first = crossover.solutions[0]
    sides = cell(f"{first.below} below, {first.above} above")
    if len(crossover.solutions) > 1:
        sides = cell("either way, as the sizes decide")
    return tuple(formulas), sides, _where(first.conditions if len(crossover.solutions) == 1 else (), notation)


def _where(conditions: Sequence[Condition], notation: Notation) -> Cell:
    words: list[str | Math] = []
    for condition in conditions:
        words += [" and " if words else "", condition_math(condition, notation)]
    return tuple(words) or cell("-")


def _whole(found: Orders, groups: Sequence[Group], setter: Setter) -> list[Block]:
    """Orders of the whole program, as choices."""
    places = [index for index, group in enumerate(found.groups) if any(group is g for g in groups)]
    shown = [order for order in found.orders if order.verdict.status is not Status.NEVER]
    headers = [", ".join(found.groups[index].roots) for index in places]
    rows = []
    for order in shown:
        choices = [cell(str(order.choice[index] + 1)) for index in places]
        names = cell(", ".join(order.member_of) or "none")
        last = () if found.numeric else (verdict_cells(order.verdict, setter.notation)[1],)
        rows.append((*choices, cell(", ".join(order.forms) or "-"), names, *last))
    columns = (*headers, "forms", "named orders", *(() if found.numeric else ("because",)))
    words = (
        "The products share no step, so a whole order is one choice for each: their numbers above."
        if not found.numeric
        else "The whole order is the cheapest choice for each product."
    )
    align = "r" * len(places) + "pp" + ("" if found.numeric else "p")
    return [Heading("Whole orders"), prose(words), Table(columns, tuple(rows), align)]


def _merged(found: Orders, setter: Setter) -> list[Block]:
    """What the orders make offline."""
    seen: dict[str, Merged] = {}
    for order in found.orders:
        if order.verdict.status is not Status.NEVER:
            seen |= {merged.text: merged for merged in order.merged}
    if not seen:
        return []
    rows = []
    for merged in seen.values():
        quantities = (merged.flops, merged.elements, merged.replaces)
        rows.append((cell(merged.text), *(cell(_amount(quantity, setter)) for quantity in quantities)))
    return [
        Heading("Made offline"),
        prose(
            "Products of weights are made once, before any request. An order that uses one reads the merged "
            "weight in place of its factors."
        ),
        Table(("product", f"offline {_unit(found)}", "elements", "in place of"), tuple(rows), "plll"),
    ]
