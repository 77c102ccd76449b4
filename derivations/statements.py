"""Statements about all bracketings of a product: that one order is best, or that every order has some term.

They are data (models/statements): which product, which set of orders, under which assumptions. What is
said of all orders is decided by the subset search, not by looking at some of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from .asked import order_asked
from .checkpoints import Checkpoint, load_checkpoint
from .conventions import Conventions
from .costs import sizes_of
from .crossover import Crossover
from .derivation import Study
from .edges import solved
from .expr import parse_size
from .found import Found, Orders
from .graph import Graph
from .library import load_variant
from .orders import orders_of
from .poly import Poly
from .program import NamedOrder
from .regions import build_graph, regions_of
from .resources import names, resource
from .transform import assuming, without_caches
from .trees import Contraction, Space, bracketing, trees
from .verdicts import Status
from .yamlfile import Entry, read_yaml

__all__ = [
    "Carried",
    "Carrier",
    "Rule",
    "Ruling",
    "Statements",
    "carried",
    "load_statements",
    "ruled",
    "statement_names",
]


@dataclass(frozen=True, slots=True)
class Rule:
    """The claim that an order of some set is the best one."""

    name: str
    """What it is about."""
    says: str
    """What to do, in a phrase."""
    variant: str
    """The variant, options included."""
    phase: str
    """Query tokens."""
    caches: str
    """`kept` or `none`."""
    region: str
    """The product: its result, or a named intermediate."""
    order: str
    """The set of orders, as `--order` takes it."""
    assume: tuple[str, ...] = ()
    """What is taken as given about the sizes."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The claim that every order of a set has a step whose index points a product divides."""

    variant: str
    """The variant, options included."""
    phase: str
    """Query tokens."""
    region: str
    """The product of tensors."""
    order: str
    """The set of orders; empty for all."""
    divisor: Poly
    """The product of sizes."""
    argument: str = ""
    """Why, in words."""


@dataclass(frozen=True, slots=True)
class Statements:
    """One file of statements."""

    name: str
    """Its name."""
    title: str
    """For the heading."""
    intro: str
    """What they are, in a few sentences."""
    rules: tuple[Rule, ...]
    """Which order is best."""
    carries: tuple[Carried, ...]
    """What every order has."""
    model: Checkpoint | None
    """Whose sizes the rules are also held against."""


def statement_names() -> tuple[str, ...]:
    """The files that ship."""
    return names("models", "statements")


def load_statements(name: str) -> Statements:
    """The statements of one file. Raises InputError with file and line."""
    shown = f"models/statements/{name}.yaml"
    entry = read_yaml(resource("models", "statements", f"{name}.yaml"), shown)
    fields = entry.mapping(
        allowed=("statements", "title", "intro", "rules", "carries", "model"),
        required=("statements", "title", "intro"),
    )
    return Statements(
        name=fields["statements"].text(),
        title=fields["title"].text(120),
        intro=" ".join(fields["intro"].text(600).split()),
        rules=tuple(_rule(item) for item in fields["rules"].items()) if "rules" in fields else (),
        carries=tuple(_carried(item) for item in fields["carries"].items()) if "carries" in fields else (),
        model=load_checkpoint(fields["model"].text()) if "model" in fields else None,
    )


def _rule(entry: Entry) -> Rule:
    needed = ("name", "says", "variant", "phase", "region", "order")
    fields = entry.mapping(allowed=(*needed, "caches", "assume"), required=needed)
    texts = {key: fields[key].text(200) for key in needed}
    assume = fields["assume"].texts() if "assume" in fields else ()
    return Rule(**texts, caches=fields["caches"].text() if "caches" in fields else "kept", assume=assume)


def _carried(entry: Entry) -> Carried:
    needed = ("variant", "phase", "region", "divisor")
    fields = entry.mapping(allowed=(*needed, "order", "argument"), required=needed)
    return Carried(
        variant=fields["variant"].text(),
        phase=fields["phase"].text(),
        region=fields["region"].text(),
        order=fields["order"].text() if "order" in fields else "",
        divisor=parse_size(fields["divisor"].text(), fields["divisor"].place),
        argument=" ".join(fields["argument"].text(900).split()) if "argument" in fields else "",
    )


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the search says of a rule."""

    rule: Rule
    """The rule."""
    study: Study
    """The variant under the rule's assumptions."""
    found: Orders
    """All orders of its product."""
    inside: tuple[Found, ...]
    """Those of the rule's set that the search kept."""
    rivals: tuple[tuple[Found, Crossover | None], ...]
    """Orders outside the set that can be best, and where the rule's order costs the same."""

    @property
    def holds(self) -> bool:
        """Whether no order outside the set is ever the only cheapest one."""
        return bool(self.inside) and not self.rivals


def ruled(rule: Rule) -> Ruling:
    """Hold a rule against all orders of its product."""
    variant = assuming(load_variant(rule.variant), rule.assume)
    study = Study(variant, Conventions(phase=rule.phase, caches=rule.caches, scope="layer"), {})
    found = orders_of(study, rule.region)
    limits = order_asked(_graph(study), rule.order)
    inside = tuple(order for order in found.orders if _admits(limits.order, order))
    rivals = []
    for order in found.orders:
        if order.verdict.status is not Status.NEVER and not _admits(limits.order, order):
            crossover = (
                solved(inside[0].flops, order.flops, ("the rule", "the rival"), variant.facts)
                if inside
                else None
            )
            rivals.append((order, crossover))
    return Ruling(rule, study, found, inside, tuple(rivals))


def _graph(study: Study) -> Graph:
    variant = study.variant
    return build_graph(without_caches(variant) if study.conventions.caches == "none" else variant)


def _admits(wanted: NamedOrder, order: Found) -> bool:
    return set(wanted.forms) <= set(order.forms) and not set(wanted.avoids) & set(order.forms)


@dataclass(frozen=True, slots=True)
class Carrier:
    """What counting says of a claim about every order."""

    claim: Carried
    """The claim."""
    space: Space
    """The product."""
    orders: int
    """Orders in the set."""
    without: int
    """Orders with no such step."""
    steps: tuple[tuple[Poly, int, str], ...]
    """FLOPs of the cheapest such step of an order, how many orders have it, and one of them."""
    example: str
    """An order with no such step; empty where there is none."""
    best: int
    """Orders of the set that can be best; 0 where none is without such a step."""
    best_without: int
    """Those of them with no such step."""


def carried(claim: Carried) -> Carrier:
    """Count the orders that have a step whose index points the divisor divides."""
    study = Study(load_variant(claim.variant), Conventions(phase=claim.phase), {})
    graph = _graph(study)
    (region,) = regions_of(graph, claim.region)
    space = Space(graph, region, sizes_of(study.conventions))
    wanted = order_asked(graph, claim.order).order if claim.order else NamedOrder("all")
    texts = {index: leaf.tensor for index, leaf in enumerate(region.leaves)}
    steps: dict[Poly, tuple[int, str]] = {}
    orders = without = 0
    example = ""
    for tree in trees(len(region.leaves)):
        formed = space.formed(tree)
        if not set(wanted.forms) <= formed or set(wanted.avoids) & formed:
            continue
        orders += 1
        hits = [step.flops for step in space.steps(tree) if _hit(claim.divisor, step)]
        if not hits:
            without += 1
            example = example or bracketing(tree, texts)
            continue
        least = min(hits, key=lambda flops: (len(flops.terms), flops.text()))
        count, text = steps.get(least, (0, bracketing(tree, texts)))
        steps[least] = (count + 1, text)
    listed = tuple(
        (flops, count, text) for flops, (count, text) in sorted(steps.items(), key=lambda i: -i[1][0])
    )
    best = [
        order.trees[0]
        for order in (orders_of(study, claim.region).orders if without else ())
        if order.verdict.status is Status.BEST and _admits(wanted, order)
    ]
    free = sum(not any(_hit(claim.divisor, step) for step in space.steps(tree)) for tree in best)
    return Carrier(claim, space, orders, without, listed, example, len(best), free)


def _hit(divisor: Poly, step: Contraction) -> bool:
    """Whether every term of the points of an online step has each symbol of the divisor at least as often."""
    if step.offline:
        return False
    ((needed, _),) = divisor.powers()
    return all(
        all(powers.get(name, 0) >= exponent for name, exponent in needed.items())
        for powers, _ in step.points.powers()
    )
