"""Verdicts on claims: proved by steps the kernel has checked, refuted by sizes, or open.

A stored proof is only checked again; without one, sizes that break the claim are sought for a
moment, then a proof, then such sizes with more patience.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .claims import Claim, Proof
from .errors import unknown
from .evaluation import broken_by
from .kernel import Rejected, check
from .proofdata import Sizes
from .proofstore import Stored, stored_proofs
from .quantities import Assertion
from .shown import Shown
from .witnesses.opinion import Opinion

__all__ = ["Judgement", "Judgements", "judge", "judged", "judgements_of"]

_GLANCE = 12
_PATIENT = 300


@dataclass(frozen=True, slots=True)
class Judgement(Shown):
    """What is known of a claim."""

    assertion: Assertion
    """The claim."""
    status: str
    """`proved`, `refuted` or `open`."""
    proof: Proof | None = None
    """For `proved`: lines that the kernel has accepted."""
    points: tuple[Sizes, ...] = ()
    """For `refuted`: sizes that break it, or two sets of sizes that differ in one symbol."""
    reason: str = ""
    """For `open`: where the search for a proof ended."""
    recorded: tuple[Opinion, ...] = ()
    """Second opinions that were stored with the proof."""

    def __repr__(self) -> str:
        return f"Judgement({self.assertion.id}: {self.status})"

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one its author expects, if any."""
        return self.assertion.expect in (None, self.status)


@dataclass(frozen=True, slots=True)
class Judgements(Shown):
    """Claims with their verdicts, in order; counts and iterates like a tuple."""

    each: tuple[Judgement, ...]
    """One for each claim."""

    def __repr__(self) -> str:
        counts = [(status, len(self.having(status))) for status in ("proved", "refuted", "open")]
        return f"Judgements({', '.join(f'{count} {status}' for status, count in counts if count) or 'none'})"

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self.each)

    def __getitem__(self, id: str) -> Judgement:
        """The verdict on one claim by its name. Raises InputError with the nearest name."""
        for judgement in self.each:
            if judgement.assertion.id == id:
                return judgement
        raise unknown("claim", id, [judgement.assertion.id for judgement in self.each])

    def having(self, status: str) -> tuple[Judgement, ...]:
        """Those that are `proved`, `refuted` or `open`."""
        return tuple(judgement for judgement in self.each if judgement.status == status)


def judgements_of(assertions: Iterable[Assertion]) -> Judgements:
    """The verdicts on some claims: stored proofs are checked again, others are sought."""
    return Judgements(tuple(judged(assertions)))


def judged(assertions: Iterable[Assertion]) -> Iterator[Judgement]:
    """Each with its verdict, in order."""
    for assertion in assertions:
        known = stored_proofs(assertion.about[0]) if assertion.about else None
        yield judge(assertion, known)


def judge(assertion: Assertion, stored: Stored | None = None) -> Judgement:
    """The verdict on one claim."""
    claim = assertion.claim
    proof = stored.proof(claim) if stored else None
    if proof is not None and _accepted(claim, proof):
        return Judgement(assertion, "proved", proof, recorded=stored.opinions(claim) if stored else ())
    points = stored.points(claim) if stored else ()
    if points and broken_by(claim, claim.statement, points):
        return Judgement(assertion, "refuted", points=points, recorded=stored.opinions(claim) if stored else ())
    from .proofs import NotFound, prove
    from .refuter import counterexample

    broken = counterexample(claim, _GLANCE)
    if broken:
        return Judgement(assertion, "refuted", points=broken)
    try:
        proof = prove(claim)
        check(claim, proof)
        return Judgement(assertion, "proved", proof)
    except (NotFound, Rejected) as error:
        broken = counterexample(claim, _PATIENT)
        if broken:
            return Judgement(assertion, "refuted", points=broken)
        return Judgement(assertion, "open", reason=str(error))


def _accepted(claim: Claim, proof: Proof) -> bool:
    try:
        check(claim, proof)
    except Rejected:
        return False
    return True
