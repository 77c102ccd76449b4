"""What a figure is about: model, sizes, ranks and conventions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..poly import Coefficient
from ..yamlfile import Entry

__all__ = ["Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the quantities of a claim are taken at."""

    model: str = ""
    """A checkpoint, or nothing."""
    gpu: str = ""
    """An accelerator, or nothing."""
    sizes: Mapping[str, Coefficient] = field(default_factory=dict)
    """Sizes given by hand, over the model's."""
    knobs: Mapping[str, str] = field(default_factory=dict)
    """Conventions that win over those of a quantity."""
    options: Mapping[str, bool] = field(default_factory=dict)
    """Options of variants that are put in or left out, whatever a quantity says."""
    without: frozenset[str] = frozenset()
    """Stages of arithmetic, and classes of bytes, that are left out."""
    tp: int = 1
    """Ranks that share the heads."""
    layout: str = ""
    """How cached rows are stored."""
    halved: bool = False
    """Whether half of all pairs are counted where there are several queries."""
    layers: str = "attention"
    """`attention`: layers that carry this attention; `all`: every layer of the model."""
    scale: Fraction = Fraction(1)
    """What a result is multiplied by."""
    rounding: str = "nearest"
    """How a result is cut to the printed digits: `nearest`, `down` or `up`."""
    turned: str = ""
    """`inverse`: the result upside down; `share`: as a share of both; `rest`: what is missing to one."""

    formula: Entry | None = None
    """Another formula than the claim's own, where a figure was taken for something else."""

    def with_sizes(self, **sizes: Coefficient) -> Setting:
        """The same with other sizes."""
        return replace(self, sizes={**self.sizes, **sizes})

    def turn(self, value: Fraction) -> Fraction:
        """The result of a claim, for its value as derived."""
        if self.turned == "inverse" and value:
            value = 1 / value
        elif self.turned == "share" and value != -1:
            value = value / (1 + value)
        elif self.turned == "rest":
            value = abs(1 - value)
        return value * self.scale

    @property
    def key(self) -> tuple[object, ...]:
        """What a ledger depends on."""
        return (
            tuple(sorted(self.knobs.items())), tuple(sorted(self.options.items())), self.without, self.tp,
            self.layout, self.halved,
        )  # fmt: skip
