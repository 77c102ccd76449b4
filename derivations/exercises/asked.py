"""What an exercise asks, as data: a variant, an order, a quantity, sizes, conventions and a unit.

Quantities, each of one layer's attention and summed over `layers` layers where it is not a ratio:

    elements   elements a context token adds to the caches of a layer             elements
    row        bytes it adds                                                      B, kB, KiB
    cache      bytes of the caches of one sequence of L tokens                    B, MB, MiB, GB, GiB
    rank       the same on one of `tp` ranks that share the heads                 B, MB, MiB, GB, GiB
    state      bytes of the recurrent state that one sequence keeps               B, kB, MB, MiB
    flops      FLOPs in the scope of the conventions, of one step                 FLOP, MFLOP, GFLOP, TFLOP
    bytes      bytes in that scope, read and written, of one step                 B, MB, MiB, GB, GiB
    intensity  FLOPs over bytes of that scope                                     FLOP/B
    time       seconds the accelerator's bandwidth takes for `bytes`              us, ms
    ridge      query tokens S, not rounded, at which `intensity` is the ridge     tokens
    crossover  query tokens S, not rounded, at which absorb and expand have
               equally many FLOPs in scope, both with the sizes as symbols        tokens

Figures are of one sequence, or of all `batch` sequences where `whole` says so. Where a formula is asked, sizes
are symbols, but for layers, ranks and the batch, which are numbers; `b` is then bytes per element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..conventions import Conventions
from ..errors import InputError
from ..hardware import Accelerator, load_accelerator
from .units import Measure, Unit, unit_of

__all__ = ["QUANTITIES", "Quantity", "Task", "Wants"]


class Quantity(StrEnum):
    """What is asked for."""

    ELEMENTS = "elements"
    ROW = "row"
    CACHE = "cache"
    RANK = "rank"
    STATE = "state"
    FLOPS = "flops"
    BYTES = "bytes"
    INTENSITY = "intensity"
    TIME = "time"
    RIDGE = "ridge"
    CROSSOVER = "crossover"


QUANTITIES: Mapping[Quantity, tuple[Measure, str]] = {
    Quantity.ELEMENTS: (Measure.ELEMENTS, "elements a token adds to the cache"),
    Quantity.ROW: (Measure.BYTES, "bytes a token adds to the cache"),
    Quantity.CACHE: (Measure.BYTES, "cache of a sequence"),
    Quantity.RANK: (Measure.BYTES, "cache of a sequence on one rank"),
    Quantity.STATE: (Measure.BYTES, "recurrent state"),
    Quantity.FLOPS: (Measure.ARITHMETIC, "FLOPs of a step"),
    Quantity.BYTES: (Measure.BYTES, "bytes of a step"),
    Quantity.INTENSITY: (Measure.INTENSITY, "arithmetic intensity"),
    Quantity.TIME: (Measure.TIME, "time to read the cache"),
    Quantity.RIDGE: (Measure.TOKENS, "query tokens at the ridge"),
    Quantity.CROSSOVER: (Measure.TOKENS, "crossover of two orders"),
}
"""What each measures, and a title."""


class Wants(StrEnum):
    """How an answer is to be given."""

    FORMULA = "formula"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Task:
    """One exercise, or what a slip makes of it."""

    variant: str
    """With its options: `mla+rope`."""
    order: str
    """The order that runs; for a crossover the one that `expand` is held against."""
    quantity: Quantity
    """What is asked."""
    unit: str
    """The unit the answer is asked in, such as `GB`."""
    wants: Wants = Wants.NUMBER
    """A formula in symbols, or a number."""
    sizes: tuple[tuple[str, int], ...] = ()
    """Symbol -> number, `b` among them; none where a formula is asked."""
    conventions: Conventions = field(default_factory=Conventions)
    """The knobs."""
    model: str = ""
    """The checkpoint whose sizes these are, or nothing."""
    gpu: str = ""
    """The accelerator, or nothing."""
    tp: int = 1
    """Ranks that share the heads."""
    layers: int = 1
    """Layers a figure is summed over."""
    batch: int = 1
    """Sequences that run together."""
    whole: bool = False
    """Whether the figure is of all of them; else it is of one."""
    changes: tuple[str, ...] = ()
    """What slips have changed beyond these fields: names of `rewriting.REWRITINGS` and `answer.ADJUSTMENTS`."""

    def __post_init__(self) -> None:
        if self.whole and self.batch > 1 and self.conventions.scope in ("attention+weights", "layer"):
            raise InputError(
                f"a figure of a whole batch in scope {self.conventions.scope}: one read of the weights serves "
                "all sequences, so it is not so many times that of one"
            )

    @property
    def values(self) -> dict[str, int]:
        """The sizes by symbol."""
        return dict(self.sizes)

    @property
    def measured(self) -> Unit:
        """The unit."""
        return unit_of(self.unit)

    @property
    def accelerator(self) -> Accelerator:
        """The accelerator. Raises InputError where none is named."""
        return load_accelerator(self.gpu)

    def under(self, **knobs: str) -> Task:
        """The same under other conventions."""
        return replace(self, conventions=replace(self.conventions, **knobs))

    def sized(self, **sizes: int) -> Task:
        """The same with other sizes."""
        return replace(self, sizes=tuple({**self.values, **sizes}.items()))
