"""The page of an order search: what was searched, every order that can be best, and where each takes over."""

from __future__ import annotations

from collections.abc import Sequence

from ..bestmap import BestMap
from ..derivation import Study
from ..einsum import Einsum
from ..found import MOST_NEIGHBOURS, Found, Group, Merged, Orders, boundaries_of
from ..notation import Notation
from ..poly import Poly
from ..report import Block, Cell, Display, Figure, Heading, Math, Report, Table, cell, prose
from ..verdicts import Status
from .bestmap import map_blocks
from .parts import LONG, Setter, conventions_table, number_math, packed, sizes_prose
from .verdicts import boundary_blocks, certificate_blocks, verdict_cells

__all__ = ["cost_math", "einsum_report", "orders_report"]

_KNOBS = ("phase", "pairs", "caches", "elementwise", "unit")
_LISTED = 60
"""Rows of a table of orders; what is never best is left out beyond."""


def orders_report(
    found: Orders,
    study: Study,
    notation: Notation,
    region: str | None = None,
    best: BestMap | None = None,
    figure: str | None = None,
) -> Report:
    """Every order of a variant, or of the products behind one of its tensors."""
    conventions = study.conventions
    blocks: list[Block] = [sizes_prose([study], notation)] if study.values else []
    setter = Setter(notation, found.groups[0].spaces[0].graph.variant, found.groups[0].spaces[0].sizes)
    blocks += _blocks(found, setter)
    if best is not None:
        blocks += map_blocks(best, found, notation)
    if figure is not None:
        blocks.append(Figure(figure, "The map of the cheapest order."))
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
    single = [root for group in found.groups if group.bracketings == 1 for root in group.roots]
    if len(found.groups) > 1 and single and len(single) < len(found.groups):
        blocks.append(prose(f"{', '.join(single)}: a single order."))
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
    start = f"Searched: {found.space}; {found.bracketings:,} {_orders(found.bracketings)}{products}. "
    start += f"Counted: online {_unit(found)}"
    weights = any(space.weights for group in found.groups for space in group.spaces)
    start += "; products of weights alone are made once, offline, and cost nothing here. " if weights else ". "
    if found.numeric:
        return start + "All sizes are known, so the cheapest order is the answer."
    left = len(found.orders)
    if left == found.bracketings == 1:
        return start.rstrip()
    best, never, open_ = (found.count(s) for s in (Status.BEST, Status.NEVER, Status.UNDECIDED))
    chosen = ", or that are never best in one product" if several else ""
    words = [f"{best} can be best, each at sizes where all others of them cost more"]
    words += [f"{never} {'is' if never == 1 else 'are'} never best, with a certificate"] if never else []
    words += [f"{open_} undecided"] if open_ else []
    return start + (
        f"{left} {'order is' if left == 1 else 'orders are'} left once those are out that a single other order "
        f"is proved to match or beat at every size{chosen}: {'; '.join(words)}."
    )


def _orders(count: int) -> str:
    return "order" if count == 1 else "orders"


def _group(found: Orders, group: Group, setter: Setter) -> list[Block]:
    """The orders of regions that are decided together."""
    title = ", ".join(group.roots)
    blocks: list[Block] = [Heading("Orders" if title.startswith("->") else title)]
    if not found.numeric:
        kept = f"{group.bracketings:,} {_orders(group.bracketings)}"
        if group.bracketings > len(group.found):
            kept += f"; {'this one is' if len(group.found) == 1 else f'these {len(group.found)} are'} left"
        blocks.append(prose(f"{kept}:"))
    spelled: list[Math] = []
    shown = [order for order in group.found if order.verdict.status is not Status.NEVER]
    listed = group.found if len(group.found) <= _LISTED else tuple(shown)
    rows = []
    for order in listed:
        number = order.choice[0] + 1
        cost = cost_math(number, order.flops, setter, spelled)
        forms = ", ".join(order.forms) or "-"
        rows.append((cell(str(number)), _bracketing(group, order, setter), cell(forms), cell(cost)))
    if any(order.forms for order in listed):
        blocks.append(Table(("", "order", "forms", _unit(found)), tuple(rows), "rlpl"))
    else:
        bare = tuple((number, tree, cost) for number, tree, _, cost in rows)
        blocks.append(Table(("", "order", _unit(found)), bare, "rll"))
    if spelled:
        blocks.append(Display(tuple(spelled)))
    if found.numeric:
        return blocks
    verdicts = [(cell(str(o.choice[0] + 1)), *verdict_cells(o.verdict, setter.notation)) for o in listed]
    blocks.append(Table(("", "verdict", "because"), tuple(verdicts), "rlp"))
    if len(listed) < len(group.found):
        blocks.append(prose(f"{len(group.found) - len(listed)} more are never best."))
    blocks += certificate_blocks(found, [o for o in listed if o.verdict.certificate], setter.notation)
    boundaries = boundaries_of(group)
    if boundaries is None:
        blocks.append(prose(f"Boundaries are worked out for up to {MOST_NEIGHBOURS} orders that can be best."))
    elif boundaries:
        blocks += boundary_blocks(boundaries, setter.notation)
    return blocks


def cost_math(number: int, flops: Poly, setter: Setter, spelled: list[Math]) -> Math:
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
        "The products share no step, so a whole order is one choice for each, by its number above; those that "
        "are never best are left out (--json has them, with their certificates)."
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
    what = "elements" if any(merged.bytes is None for merged in seen.values()) else "bytes"
    rows = []
    for merged in seen.values():
        quantities = (merged.flops, *(merged.bytes or (merged.elements, merged.replaces)))
        rows.append((cell(merged.text), *(cell(_amount(quantity, setter)) for quantity in quantities)))
    return [
        Heading("Made offline"),
        prose(
            "Products of weights or constants are made once, beforehand. An order that uses one reads it in "
            "place of its factors."
        ),
        Table(("product", f"offline {_unit(found)}", what, "in place of"), tuple(rows), "plll"),
    ]
