"""The page of statements about all bracketings: each rule held against every order of its product."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..atoms import put
from ..envelope import Segment, segments
from ..errors import InputError
from ..notation import Notation
from ..poly import Poly
from ..report import Block, Display, Heading, Items, Math, Prose, Report, Table, cell, prose
from ..rulings import Carrier, Ruling, carried, ruled
from ..statements import Rule, Statements
from ..trees import Space
from ..verdicts import Status
from .marked import formula, joined, marked
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
            "Rule: ", *marked(rule.says, space, setter, rule.place), ". Product of ",
            setter.tensor(rule.region), f" in {rule.variant}, {rule.phase}{caches}: ", _product(space, setter),
            f". It has {found.bracketings:,} bracketings", *_assumed(rule, space, setter), ".",
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


def _assumed(rule: Rule, space: Space, setter: Setter) -> list[str | Math]:
    if not rule.assume:
        return []
    return [
        ", with ",
        *joined([formula(text, space, setter, rule.place) for text in rule.assume]),
        " assumed",
    ]


def carried_blocks(carriers: Sequence[Carrier]) -> list[Block]:
    """What every order of a product has in common."""
    return [block for carrier in carriers for block in _carried(carrier)]


def _carried(carrier: Carrier) -> list[Block]:
    claim, space = carrier.claim, carrier.space
    setter = _setter(space, claim.phase)
    divisor = setter.quantity(claim.divisor)
    leaves = [setter.tensor(leaf.tensor) for leaf in space.region.leaves]
    blocks: list[Block] = [
        Heading(f"{claim.variant}: {claim.region}"),
        prose("Written as one product", *_renamed(space), ":"),
        Display((_inlined(carrier, setter),)),
        prose(
            f"It has {carrier.orders:,} bracketings", *_set_of(carrier, setter), ". ",
            _said(carrier), divisor, ".",
        ),
    ]  # fmt: skip
    if carrier.steps:
        blocks.append(prose("For each bracketing one such step is counted here, that with the fewest factors:"))
        rows = [
            (cell(setter.quantity(flops)), cell(number_math(count)), cell(setter.bracket(leaves, tree)))
            for flops, count, tree in carrier.steps
        ]
        blocks.append(Table(("a step of", "bracketings", "one of them"), tuple(rows), "lrl"))
    if carrier.example is not None:
        blocks.append(prose("One without: ", setter.bracket(leaves, carrier.example), f". {_best(carrier)}"))
    if claim.argument:
        blocks.append(Prose(tuple(marked(claim.argument, space, setter, claim.place))))
    return blocks


def _inlined(carrier: Carrier, setter: Setter) -> Math:
    """The result of a product and its factors, with their indices."""
    region = carrier.space.region
    result = setter.indexed(setter.tensor(carrier.claim.region), region.output)
    factors = [setter.indexed(setter.tensor(leaf.tensor), leaf.labels) for leaf in region.leaves]
    latex = "\\;".join(factor.latex for factor in factors)
    return Math(f"{result.latex} &= {latex}", f"{result.text} = {' '.join(f.text for f in factors)}")


def _renamed(space: Space) -> Iterable[str | Math]:
    """A phrase on each index that gets another letter than the program has, since it is summed twice."""
    for label, axis in space.region.axis_of.items():
        if label != axis:
            yield from (", with ", Math(label, label), " for one of the program's sums over ", Math(axis, axis))


def _set_of(carrier: Carrier, setter: Setter) -> list[str | Math]:
    """Which bracketings are looked at."""
    wanted, words = carrier.wanted, list[str | Math]()
    for verb, names in (("form ", wanted.forms), ("never form ", wanted.avoids)):
        if names:
            words += [" and " if words else " that ", verb, *joined([setter.tensor(n) for n in names])]
    return words


def _said(carrier: Carrier) -> str:
    if not carrier.without:
        return "Every one has a step whose FLOPs are a multiple of "
    return f"{carrier.without} of them have no step whose FLOPs are a multiple of "


def _best(carrier: Carrier) -> str:
    """Whether the orders that matter are among those without such a step."""
    best, free = carrier.best, carrier.best_without
    which = "none of those has such a step" if best == free else f"{free} of those have no such step"
    return f"Of the {carrier.orders:,}, {best} can be the cheapest at some sizes, and {which}."
