"""One line of a ledger: so many FLOPs or bytes, where they come from, and the rule that gives them."""

from __future__ import annotations

from dataclasses import dataclass

from .poly import Poly
from .steps import Operand, Step

__all__ = ["CostTerm", "Kind"]


class Kind:
    """The two kinds of terms."""

    FLOPS = "flops"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class CostTerm:
    """One line of the ledger."""

    kind: str
    """`flops` or `bytes`."""
    stage: str
    """core, lift, output, indexer, projection, or offline."""
    cls: str
    """For bytes: cache, append, formed, activation, weight or score; for FLOPs: the stage."""
    where: str
    """What it belongs to, in plain names."""
    amount: Poly
    """FLOPs (or MACs), or bytes."""
    rule: str
    """The rule that gives the amount."""
    grows: bool
    """True when it has the context axis."""
    kernel: str = ""
    """The kernel that does it; terms with one kernel share a trip through memory."""
    step: Step | None = None
    """The step, for FLOPs."""
    operand: Operand | None = None
    """What is moved, for bytes."""

    @property
    def written(self) -> bool:
        """For bytes: whether they go to memory."""
        return self.rule.startswith("write")
