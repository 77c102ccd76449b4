"""A variant as data: axes, tensors, equations, masks and named orders, after its options are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import lcm

from .atoms import CONTEXT_HOLDS_QUERIES
from .dims import Dim
from .equations import Equation
from .errors import Place
from .expr import Comparison
from .poly import Poly
from .shown import Shown

__all__ = [
    "Axis", "AxisKind", "Mask", "MaskKind", "NamedOrder", "Role", "Stage", "Tensor", "Variant",
]  # fmt: skip


class Role(StrEnum):
    """What a tensor is to one step of inference."""

    INPUT = "input"
    WEIGHT = "weight"
    TABLE = "table"
    CACHE = "cache"
    STATE = "state"
    TEMPORARY = "temporary"
    OUTPUT = "output"


class Stage(StrEnum):
    """The part of the layer a step belongs to."""

    CORE = "core"
    LIFT = "lift"
    OUTPUT = "output"
    INDEXER = "indexer"
    PROJECTION = "projection"
    OFFLINE = "offline"


class AxisKind(StrEnum):
    """Whether an axis runs over the step's queries, over the context, or over neither."""

    QUERY = "query"
    CONTEXT = "context"
    OTHER = "other"


class MaskKind(StrEnum):
    """Which (query, context) pairs a score equation has."""

    DENSE = "dense"
    FULL = "full"
    CAUSAL = "causal"
    WINDOW = "window"
    CHUNK = "chunk"
    TOP_N = "top-n"


@dataclass(frozen=True, slots=True)
class Axis:
    """A named index."""

    name: str
    """As used in equations."""
    size: Poly
    """How many values it takes."""
    kind: AxisKind
    """Query, context or other."""
    meaning: str
    """One phrase."""
    average: bool = False
    """True for entries that a step completes every so many tokens: its size may be a fraction."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A named array."""

    name: str
    """As used in equations."""
    axes: tuple[str, ...]
    """Its axes, in order."""
    role: Role
    """What it is to the step."""
    latex: str
    """How it is set in a formula."""
    meaning: str = ""
    """One phrase; may be empty for a temporary."""
    width: Poly = field(default_factory=lambda: Poly.symbol("b"))
    """Bytes per element."""
    stage: Stage | None = None
    """For a weight: the stage of the steps that use it; for an intermediate: of the step that makes it."""
    copies: tuple[str, ...] = ()
    """Axes over which a cached row is stored again, beyond its own."""
    shared: bool = False
    """True when it is the same for every sequence of a batch."""
    scan: str | None = None
    """For a state: the axis along which it is updated, one value after the other."""
    place: Place | None = None
    """Where it is declared."""

    @property
    def batched(self) -> bool:
        """Whether each sequence of a batch has its own."""
        return self.role not in (Role.WEIGHT, Role.TABLE) and not self.shared


@dataclass(frozen=True, slots=True)
class Mask:
    """Which pairs one score equation has."""

    kind: MaskKind
    """`dense`: every token up to the query's own, counted as the `pairs` knob says (the default);
    `full` and `causal` fix that whatever the knob; `window`, `chunk` and `top-n` see fewer."""
    size: Poly | None = None
    """Width of the window or the chunk, or number of rows selected per query."""
    selector: str | None = None
    """For top-n: the tensor that says which rows."""
    place: Place | None = None
    """Where it is declared."""


@dataclass(frozen=True, slots=True)
class NamedOrder:
    """A named set of contraction orders: those that form some intermediates and not others."""

    name: str
    """As asked for with `--order`."""
    forms: tuple[str, ...] = ()
    """Intermediates every member forms."""
    avoids: tuple[str, ...] = ()
    """Intermediates no member forms."""
    title: str = ""
    """One phrase."""
    place: Place | None = None
    """Where it is declared."""


@dataclass(frozen=True, slots=True)
class Variant(Shown):
    """A program of index equations, options included."""

    name: str
    """With its options: `mla+rope`."""
    base: str
    """Without."""
    options: tuple[str, ...]
    """The options that are on, in the file's order."""
    title: str
    """For headings."""
    reference: str
    """The paper it comes from."""
    notes: tuple[str, ...]
    """What a reader must know about this encoding."""
    symbols: Mapping[str, Dim]
    """Every size symbol of the variant, the standard ones it uses included."""
    axes: Mapping[str, Axis]
    """By name."""
    tensors: Mapping[str, Tensor]
    """By name, temporaries included."""
    equations: tuple[Equation, ...]
    """In order."""
    masks: Mapping[str, Mask]
    """Score tensor -> mask."""
    assume: tuple[Comparison, ...]
    """What the author takes as given about the sizes."""
    orders: tuple[NamedOrder, ...]
    """The named orders, in the file's order."""
    place: Place
    """The file."""
    all_options: tuple[str, ...] = ()
    """Every option the file offers."""

    def __repr__(self) -> str:
        return f"Variant({self.name}: {self.title})"

    @property
    def facts(self) -> tuple[Poly, ...]:
        """What is at least 0 at every legal size: S <= L, and what the author assumes."""
        found = [CONTEXT_HOLDS_QUERIES]
        for comparison in self.assume:
            sharp = comparison.strict and "b" not in comparison.slack.names()
            found.append(_whole(comparison.slack) - 1 if sharp else comparison.slack)
            if comparison.equal:
                found.append(-comparison.slack)
        return tuple(found)


def _whole(slack: Poly) -> Poly:
    """A slack times what stands below its fraction lines: a whole number, at least 1 where it is above 0."""
    below: dict[str, int] = {}
    for powers, _ in slack.powers():
        for name, exponent in powers.items():
            below[name] = max(below.get(name, 0), -exponent)
    clear = Poly.const(lcm(*(value.denominator for value in slack.terms.values())))
    for name, exponent in below.items():
        clear = clear * Poly.symbol(name) ** exponent
    return slack * clear
