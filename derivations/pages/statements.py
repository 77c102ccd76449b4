"""The page of statements about all bracketings: each rule held against every order of its product."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..atoms import put
from ..envelope import Segment, segments
from ..errors import InputError, unknown
from ..notation import Notation
from ..poly import Poly
from ..report import Block, Display, Heading, Items, Math, Prose, Report, Table, cell, prose
from ..rulings import Carrier, Ruling, carried, ruled
from ..statements import Statements
from ..trees import Space
from ..verdicts import Status
from .orders import cost_math
from .parts import Setter, number_math
from .verdicts import crossing_words, verdict_cells

__all__ = ["carried_blocks", "marked", "statements_report"]

_MARKED = re.compile(r"`([^`]*)`")
"""Words of a statement that are set as a formula."""
_SIGNS = {"<=": "\\le", ">=": "\\ge", "<": "<", ">": ">", "=": "="}


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


def marked(text: str, space: Space, setter: Setter) -> list[str | Math]:
    """Words, and as formulas what stands between backquotes: tensors, sizes, indices, numbers and signs.

    Raises InputError with the nearest known name.
    """
    pieces = _MARKED.split(text)
    return [_formula(piece, space, setter) if n % 2 else piece for n, piece in enumerate(pieces) if piece]


def _formula(text: str, space: Space, setter: Setter) -> Math:
    words = [_word(word, space, setter) for word in text.split()]
    return Math(" ".join(word.latex for word in words), " ".join(word.text for word in words))


def _word(word: str, space: Space, setter: Setter) -> Math:
    variant, indices = setter.variant, space.region.axis_of
    if word in variant.tensors:
        return setter.tensor(word)
    if word in variant.symbols:
        return setter.symbol(word)
    if word in indices or word in _SIGNS or word.isdecimal():
        return Math(_SIGNS.get(word, word), word)
    raise unknown(f"name in {variant.name}", word, [*variant.tensors, *variant.symbols, *indices])


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
            "Rule: ", *marked(rule.says, space, setter), ". Product of ", setter.tensor(rule.region),
            f" in {rule.variant}, {rule.phase}{caches}: ", _product(space, setter),
            f". It has {found.bracketings:,} bracketings", *_assumed(rule.assume, space, setter), ".",
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


def _assumed(texts: Sequence[str], space: Space, setter: Setter) -> list[str | Math]:
    if not texts:
        return []
    return [", with ", *_joined([_formula(text, space, setter) for text in texts]), " assumed"]


def _joined(items: Sequence[Math]) -> list[str | Math]:
    """Formulas with commas, and an `and` before the last."""
    words: list[str | Math] = []
    for number, item in enumerate(items):
        between = " and " if number + 1 == len(items) else ", "
        words += [between, item] if number else [item]
    return words


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
        prose("Written as one product, each sum over a letter of its own:"),
        Display((_inlined(carrier, setter),)),
        prose(
            *_renamed(space), f"It has {carrier.orders} bracketings", *_set_of(carrier, setter), ". ",
            _said(carrier), divisor, ".",
        ),
    ]  # fmt: skip
    if carrier.steps:
        words = " has the fewest factors of those that are such a multiple in its bracketings:"
        blocks.append(prose("Each step of this table", words))
        rows = [
            (cell(setter.quantity(flops)), cell(number_math(count)), cell(setter.bracket(leaves, tree)))
            for flops, count, tree in carrier.steps
        ]
        blocks.append(Table(("a step of", "bracketings", "one of them"), tuple(rows), "lrl"))
    if carrier.example is not None:
        blocks.append(prose("One without: ", setter.bracket(leaves, carrier.example), f". {_best(carrier)}"))
    if claim.argument:
        blocks.append(Prose(tuple(marked(claim.argument, space, setter))))
    return blocks


def _inlined(carrier: Carrier, setter: Setter) -> Math:
    """The result of a product and its factors, with their indices."""
    region = carrier.space.region
    result = setter.indexed(setter.tensor(carrier.claim.region), region.output)
    factors = [setter.indexed(setter.tensor(leaf.tensor), leaf.labels) for leaf in region.leaves]
    latex = "\\;".join(factor.latex for factor in factors)
    return Math(f"{result.latex} &= {latex}", f"{result.text} = {' '.join(f.text for f in factors)}")


def _renamed(space: Space) -> Iterable[str | Math]:
    """A sentence on each index that got another letter than the program has, since it is summed twice."""
    for label, axis in space.region.axis_of.items():
        if label != axis:
            yield from (
                "The program sums over ", Math(axis, axis), " more than once; one of these sums is over ",
                Math(label, label), " here. ",
            )  # fmt: skip


def _set_of(carrier: Carrier, setter: Setter) -> list[str | Math]:
    """Which bracketings are looked at."""
    wanted, words = carrier.wanted, list[str | Math]()
    for verb, names in (("form ", wanted.forms), ("never form ", wanted.avoids)):
        if names:
            words += [" and " if words else " that ", verb, *_joined([setter.tensor(n) for n in names])]
    return words


def _said(carrier: Carrier) -> str:
    if not carrier.without:
        return "Every one has a step whose FLOPs are a multiple of "
    return f"{carrier.without} of them have no step whose FLOPs are a multiple of "


def _best(carrier: Carrier) -> str:
    """Whether the orders that matter are among those without such a step."""
    which = "all of these" if carrier.best_without == carrier.best else f"{carrier.best_without} of these"
    return f"{carrier.best} of them can be the cheapest at some sizes, and {which} have no such step."
