"""The page of statements about all bracketings: each rule held against every order of its product."""

from __future__ import annotations

from collections.abc import Sequence

from ..atoms import put
from ..envelope import Segment, segments
from ..errors import InputError
from ..notation import Notation
from ..poly import Poly
from ..report import Block, Display, Heading, Items, Math, Report, Table, cell, prose
from ..rulings import Carrier, Ruling, carried, ruled
from ..statements import Statements
from ..trees import Space
from ..verdicts import Status
from .orders import cost_math
from .parts import Setter, number_math
from .verdicts import crossing_words, verdict_cells

__all__ = ["carried_blocks", "statements_report"]


def statements_report(statements: Statements) -> Report:
    """Every statement of a file, decided."""
    blocks: list[Block] = [prose(statements.intro)]
    if statements.carries:
        blocks += carried_blocks([carried(claim) for claim in statements.carries])
    for rule in statements.rules:
        blocks += _ruled(ruled(rule), statements)
    sources = [f"{statements.model.title}: {statements.model.source}"] if statements.model else []
    return Report(statements.title, "statements about all bracketings", tuple(blocks), tuple(sources))


def _setter(space: Space, phase: str) -> Setter:
    variant = space.graph.variant
    return Setter(Notation.of(variant.symbols, None, phase), variant, space.sizes)


def _product(space: Space, setter: Setter) -> Math:
    leaves = [setter.tensor(leaf.tensor) for leaf in space.region.leaves]
    return Math("\\,".join(leaf.latex for leaf in leaves), " ".join(leaf.text for leaf in leaves))


def _ruled(ruling: Ruling, statements: Statements) -> list[Block]:
    """One rule: the product, its orders, and where another order wins."""
    rule, found = ruling.rule, ruling.found
    (group,) = found.groups
    space = group.spaces[0]
    setter = _setter(space, rule.phase)
    caches = "" if rule.caches == "kept" else ", no caches"
    blocks: list[Block] = [
        Heading(rule.name[:1].upper() + rule.name[1:]),
        prose(
            f"Rule: {rule.says}. Product of {rule.region} in {rule.variant}, {rule.phase}{caches}: ",
            _product(space, setter), f". It has {found.bracketings:,} bracketings",
            f", with {_joined(rule.assume)} assumed" if rule.assume else "", ".",
        ),
    ]  # fmt: skip
    kept = [order for order in found.orders if order.verdict.status is not Status.NEVER]
    inside = {id(order) for order in ruling.inside}
    leaves = [setter.tensor(leaf.tensor) for leaf in space.region.leaves]
    places = {id(order): str(number) for number, order in enumerate(kept, 1)}
    rows, spelled = [], list[Math]()
    for number, order in enumerate(kept, 1):
        rows.append(
            (
                cell(str(number)),
                cell(setter.bracket(leaves, order.trees[0])),
                cell("yes" if id(order) in inside else "no"),
                cell(cost_math(number, order.flops, setter, spelled)),
            )
        )
    blocks.append(Table(("", "can be best", "by the rule", "FLOPs"), tuple(rows), "rlll"))
    if spelled:
        blocks.append(Display(tuple(spelled)))
    blocks.append(prose(_counted(ruling)))
    witnesses = [(f"{places[id(o)]}: ", *verdict_cells(o.verdict, setter.notation)[1], ".") for o in kept]
    blocks += [prose("Each at sizes where the others cost more:"), Items(tuple(witnesses))]
    if ruling.rivals:
        entries = [
            (f"{places[id(order)]}: ", *crossing_words(crossover, setter.notation))
            for order, crossover in ruling.rivals
        ]
        blocks += [prose("The rule's order and each rival cost the same at"), Items(tuple(entries))]
    blocks += _on_model(ruling, statements)
    return blocks


def _counted(ruling: Ruling) -> str:
    found = ruling.found
    never = found.count("never")
    matched = found.bracketings - len(found.orders)
    words = f"{matched} more {'is' if matched == 1 else 'are'} matched or beaten everywhere by one of these"
    if never:
        words += f", {never} more by some of them together"
    verdict = (
        "The rule's order is best at all legal sizes."
        if ruling.holds
        else "So the rule is a statement with conditions."
    )
    return f"{words}. {verdict}"


def _on_model(ruling: Ruling, statements: Statements) -> list[Block]:
    """Where the rule's order is the cheapest on a model's widths, for every L."""
    if statements.model is None or not ruling.inside:
        return []
    model = statements.model
    known = {n: Poly.const(v) for n, v in model.values(ruling.study.variant.symbols).items()}
    orders = [order for order in ruling.found.orders if order.verdict.status is not Status.NEVER]
    costs = [put(order.flops, known) for order in orders]
    try:
        found = segments(costs, "L", 1, None)
    except InputError:
        return []
    inside = {index for index, order in enumerate(orders) if any(order is other for other in ruling.inside)}
    held = [segment for segment in found if set(segment.best) & inside]
    return [prose(f"On the widths of {model.title} the rule's order is the cheapest {_ranges(held)}.")]


def _ranges(held: Sequence[Segment]) -> str:
    if not held:
        return "at no L"
    joined: list[tuple[int, int | None]] = []
    for segment in held:
        if joined and joined[-1][1] is not None and joined[-1][1] + 1 == segment.start:
            joined[-1] = (joined[-1][0], segment.end)
        else:
            joined.append((segment.start, segment.end))
    if joined == [(1, None)]:
        return "at every L"
    words = [f"from L = {low:,} on" if high is None else f"for L = {low:,} to {high:,}" for low, high in joined]
    return " and ".join(words)


def _joined(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def carried_blocks(carriers: Sequence[Carrier]) -> list[Block]:
    """What every order of a product has in common."""
    blocks: list[Block] = []
    for carrier in carriers:
        claim = carrier.claim
        setter = _setter(carrier.space, claim.phase)
        divisor = setter.quantity(claim.divisor)
        which = f" with {claim.order}" if claim.order else ""
        blocks.append(Heading(f"{claim.variant}: {claim.region}"))
        blocks.append(
            prose(
                "The product ", _product(carrier.space, setter), f" has {carrier.orders} bracketings{which}. ",
                _said(carrier), divisor, ".",
            )
        )  # fmt: skip
        rows = [
            (cell(setter.quantity(flops)), cell(number_math(count)), cell(example))
            for flops, count, example in carrier.steps
        ]
        if rows:
            headers = ("a step of", "bracketings", "one of them")
            caption = (
                "Of the steps that it divides, the one with the fewest factors is shown for each bracketing."
            )
            blocks.append(Table(headers, tuple(rows), "lrp", caption))
        if carrier.without and carrier.example:
            best = f"{carrier.best_without} of the {carrier.best} orders of the set that can be best have none"
            blocks.append(prose(f"One without: {carrier.example}. {best}."))
        if claim.argument:
            blocks.append(prose(claim.argument))
    return blocks


def _said(carrier: Carrier) -> str:
    if not carrier.without:
        return "Every one has a step whose index points are divisible by "
    return f"{carrier.without} of them have no step whose index points are divisible by "
