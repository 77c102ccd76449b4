"""What is known of a claim of a document: its verdict, the numbers behind it, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..judging import Judgement
from .document import Claim
from .setting import Setting

__all__ = ["Ends", "Reading", "Verdict", "listed"]

Ends = tuple[Fraction, Fraction] | None
"""From which to which number something can be; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A number for a figure, read one way."""

    words: str
    """Where, or how it is read; empty for the document's own way."""
    value: Fraction | None
    """In base units; None where there is no number."""
    setting: Setting = field(compare=False, repr=False, default_factory=Setting)
    """The setting."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a claim."""

    claim: Claim
    """The claim."""
    status: str
    """One of `VERDICTS`."""
    readings: tuple[Reading, ...]
    """The derived number, one for each place it must hold at; none for a statement."""
    because: str
    """Why it is so, in words without the right value."""
    explained: tuple[Reading, ...] = ()
    """Readings that give the printed figure."""
    tried: int = 0
    """Ways of reading that gave another number than the document's own, or another statement."""
    elsewhere: tuple[Fraction, Fraction] | None = None
    """What figures printed elsewhere in the document come to, from and to."""
    judgement: Judgement | None = None
    """For a statement: proof, or sizes that show it false."""

    @property
    def as_expected(self) -> bool:
        """Whether it is what the claim's file expects."""
        return self.status == self.claim.expect


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words with commas, and `last` before the last."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
