"""What exercises are about: variants and quantities by name, as a lesson lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import InputError, unknown
from .asked import QUANTITIES, Quantity

__all__ = ["ANYTHING", "VARIANTS", "Topic"]

VARIANTS = (
    "mha", "mqa", "gqa", "gqa+window", "mla", "mla+rope", "mla+rope+query-latent", "dsa+rope+query-latent",
    "kda", "lightning",
)  # fmt: skip
"""The variants that exercises are made of."""
IDLE = ("query-latent", "gate")
"""Options that change none of the quantities asked: with them a variant is as good as without."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A choice of variants and quantities; nothing named is everything."""

    variants: tuple[str, ...] = ()
    """Names as in `VARIANTS`; options that change nothing asked may be left out."""
    quantities: tuple[str, ...] = ()
    """Names of `asked.Quantity`."""

    def __post_init__(self) -> None:
        known = {core_name(name) for name in VARIANTS}
        for name in self.variants:
            if core_name(name) not in known:
                raise unknown("variant of exercises", name, {*VARIANTS, *known})
        for name in self.quantities:
            if name not in set(Quantity):
                raise unknown("quantity of exercises", name, [str(q) for q in QUANTITIES])

    @classmethod
    def of(cls, variants: Iterable[str] = (), quantities: Iterable[str] = ()) -> Topic:
        """From names. Raises InputError with the nearest name for one that nobody knows."""
        topic = cls(tuple(variants), tuple(quantities))
        if len(topic.variants) > 50 or len(topic.quantities) > 50:
            raise InputError("a topic of exercises names at most 50 variants and 50 quantities")
        return topic

    def takes(self, variant: str, quantity: Quantity) -> bool:
        """Whether an exercise belongs to it."""
        mine = {core_name(name) for name in self.variants}
        return (not mine or core_name(variant) in mine) and (not self.quantities or quantity in self.quantities)


def core_name(variant: str) -> str:
    """A variant's name without the options that change nothing asked."""
    base, *options = variant.split("+")
    return "+".join([base, *(option for option in options if option not in IDLE)])


ANYTHING = Topic()
"""Everything there is."""
