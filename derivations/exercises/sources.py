"""What exercises are drawn from: stable random choices, and the layers of released models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

from ..checkpoints import checkpoint_names, load_checkpoint
from .topics import VARIANTS

__all__ = ["Draw", "Source", "sources"]

T = TypeVar("T")


class Draw:
    """A source of choices; `random()` alone is the same in every version of Python."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[int(self.random.random() * len(choices))]

    def chance(self, share: float) -> bool:
        """True so often."""
        return self.random.random() < share


@dataclass(frozen=True, slots=True)
class Source:
    """Layers of a released model that are alike."""

    model: str
    """The checkpoint."""
    variant: str
    """What they compute."""
    layers: int
    """How many there are."""
    dims: tuple[tuple[str, int], ...]
    """Their sizes."""


@cache
def sources() -> tuple[Source, ...]:
    """The layers of bundled checkpoints that exercises can be about."""
    found = []
    for name in checkpoint_names():
        model = load_checkpoint(name)
        own = "+".join((model.variant, *model.options))
        found.append(Source(name, own, model.attention_layers, tuple(model.dims.items())))
        found += [Source(name, o.variant, o.layers, tuple(o.dims.items())) for o in model.others]
    return tuple(source for source in found if source.variant in VARIANTS)
