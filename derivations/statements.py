"""Statements about all bracketings of a product: that one order is best, or that every order has some term.

They are data (models/statements): which product, which set of orders, under which assumptions. What is
said of all orders is decided by the subset search, not by looking at some of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .checkpoints import Checkpoint, load_checkpoint
from .errors import Place
from .expr import parse_size
from .poly import Poly
from .resources import names, resource
from .yamlfile import Entry, read_yaml

__all__ = ["Carried", "Rule", "Statements", "load_statements", "statement_names"]


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
    place: Place | None = field(default=None, compare=False)
    """Where it is written."""


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
    place: Place | None = field(default=None, compare=False)
    """Where it is written."""


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
    return Rule(
        **texts,
        caches=fields["caches"].text() if "caches" in fields else "kept",
        assume=assume,
        place=entry.place,
    )


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
        place=entry.place,
    )
