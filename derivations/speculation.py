"""Speculation: S = draft + 1 queries against one read of the cache; when that is free, and when it pays.

Queries beyond the first are free as long as the kernel waits for memory: up to the S at which F(S) = R M(S).
What a step gains is the expected number of accepted tokens; what it costs is the verification and the draft.
A drafted token costs what a module for multi-token prediction does: a projection of two hidden states to one
(4 d_model^2), one block of the same attention, and the output head (2 d_model V), each at its own roofline.
Only attention layers are timed: what else a layer does is no part of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from .atoms import evaluate
from .costs import Cost
from .crossover import Root
from .derivation import Study, derive
from .errors import InputError
from .poly import Coefficient
from .regimes import cross_in_regimes
from .roofline import RIDGE, timed

__all__ = ["Budget", "Drafted", "acceptance_of", "budget_of", "drafted", "expected"]

_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Budget:
    """How many query tokens stay left of the ridge."""

    cost: Cost
    """Of one order with S free."""
    root: Root | None
    """The S at which arithmetic and memory take equally long; None where no S is."""

    def at(self, values: Mapping[str, Coefficient], ridge: Fraction) -> int | None:
        """The largest S left of the ridge, 0 if none is; None where a size is missing, or no S is too many."""
        known = {**{n: v for n, v in values.items() if n != "S"}, "R": ridge}
        if self.root is not None:
            value = self.root.value(known)
            return None if value is None else max(0, floor(value))
        gap = evaluate(self.cost.flops - self.cost.bytes * RIDGE, {**known, "S": 1})
        return 0 if gap is not None and gap > 0 else None


def budget_of(study: Study, order: str) -> Budget:
    """The budget of an order in the study's scope."""
    cost = derive(study.under(phase="verify"), order).cost
    found = cross_in_regimes(cost.flops, cost.bytes * RIDGE, "S", ("memory", "compute"), study.variant.facts)
    roots = [solution.root for solution in found.solutions if solution.below == "memory"]
    return Budget(cost, roots[0] if roots else None)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A step that verifies some drafted tokens."""

    draft: int
    """Drafted tokens; the step has one query more."""
    verify: Fraction
    """Seconds of the verification, all attention layers."""
    drafting: Fraction
    """Seconds of the draft."""
    tokens: Fraction
    """Expected tokens of the step, the one that is always right included."""
    speedup: Fraction
    """Tokens a second over those without a draft."""


def acceptance_of(text: str) -> tuple[Fraction, ...]:
    """`0.8`, for every drafted token alike, or one for each: `0.9,0.8,0.7`. Raises InputError."""
    found = []
    for part in text[:400].split(","):
        try:
            value = Fraction(part.strip()) if len(part) < 20 and "e" not in part.lower() else Fraction(-1)
        except (ValueError, ZeroDivisionError):
            value = Fraction(-1)
        if not 0 <= value <= 1:
            raise InputError(f"--acceptance {part.strip()[:20]}: a chance of acceptance lies between 0 and 1")
        found.append(value)
    if len(found) > _LONGEST:
        raise InputError(f"--acceptance: at most {_LONGEST} numbers")
    return tuple(found)


def expected(acceptance: Sequence[Fraction], draft: int) -> Fraction:
    """Expected tokens of a step: 1 + a + a^2 + ... for one chance a, else with a chance for each position."""
    total = product = Fraction(1)
    for place in range(draft):
        product *= acceptance[min(place, len(acceptance) - 1)]
        total += product
    return total


def drafted(
    study: Study, order: str, drafts: Sequence[int], acceptance: Sequence[Fraction], vocabulary: int | None
) -> tuple[Drafted, ...]:
    """Steps with so many drafted tokens. Raises InputError where a size or the accelerator is missing."""
    if study.gpu is None:
        raise InputError("how long a step takes needs an accelerator; give one with --gpu")
    layers = study.model.attention_layers if study.model is not None else 1
    cost = derive(study.under(phase="verify"), order).cost
    values = {name: value for name, value in study.values.items() if name != "S"}

    def seconds(queries: int) -> Fraction:
        assert study.gpu is not None
        found = timed(cost, study.gpu, study.compute, {**values, "S": queries})
        if found is None:
            raise InputError("how long a step takes needs all sizes; give them with --model and --set")
        return sum((one.seconds for one in found), start=Fraction(0)) * layers

    one = _draft_seconds(study, order, values, vocabulary)
    plain = seconds(1)
    steps = []
    for draft in drafts:
        verify, tokens = seconds(draft + 1), expected(acceptance, draft)
        whole = verify + one * draft
        steps.append(Drafted(draft, verify, one * draft, tokens, tokens * plain / whole))
    return tuple(steps)


def _draft_seconds(
    study: Study, order: str, values: Mapping[str, Coefficient], vocabulary: int | None
) -> Fraction:
    """One drafted token: the projection, the block, and the head if the vocabulary is known."""
    assert study.gpu is not None
    width, batch = Fraction(values.get("d_model", 0)), Fraction(values.get("B", 1))
    if not width:
        raise InputError("the cost of a draft needs d_model; give it with --model or --set")
    peak, bandwidth = study.gpu.peak_of(study.compute), study.gpu.bandwidth.value
    ranks, bytes_each = study.split.tp, Fraction(values.get("b", 2))
    matrices = [2 * width * width, *([width * vocabulary] if vocabulary else [])]
    found = sum(
        (max(2 * size * batch / peak, size * bytes_each / bandwidth) / ranks for size in matrices),
        start=Fraction(0),
    )
    block = derive(study.under(phase="decode", scope="layer"), order).cost
    kernels = timed(block, study.gpu, study.compute, values) or ()
    return found + sum((one.seconds for one in kernels), start=Fraction(0))
