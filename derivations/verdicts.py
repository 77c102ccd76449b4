"""What can be known of an order among others: it can be best, it never is, or nobody knows yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .points import Point
from .poly import Poly
from .shown import Shown

__all__ = ["Cell", "Certificate", "Part", "Status", "Verdict"]

Cell = tuple[int, ...]
"""A choice in each group."""


class Status(StrEnum):
    """Whether an order can be the only cheapest one."""

    BEST = "best"
    NEVER = "never"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Part:
    """One rival in a certificate."""

    group: int
    """Which group's choice it changes."""
    rival: int
    """To which choice."""
    weight: Poly
    """What the difference is multiplied by, in slack coordinates; no coefficient is negative."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Rivals one of which costs no more, whatever the sizes."""

    parts: tuple[Part, ...]
    """The sum over them has no negative coefficient."""


@dataclass(frozen=True, slots=True)
class Verdict(Shown):
    """What is known of one order."""

    status: Status
    """best, never or undecided."""
    witness: Point | None = None
    """Legal sizes at which every other order that is left costs more, and none that was dropped costs less."""
    certificate: Certificate | None = None
    """Why it never is the only cheapest."""
