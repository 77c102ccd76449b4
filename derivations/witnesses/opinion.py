"""What one judge beside the kernel says of a claim."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Opinion"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge says of a claim."""

    by: str
    """Who: `random evaluation`, `numpy`, `z3` or `coq`."""
    agrees: bool | None
    """Whether the claim holds, as far as this judge can tell; None where there is no answer."""
    note: str
    """One phrase: how sure that is, the sizes that break the claim, or why there is no answer."""
