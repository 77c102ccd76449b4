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
from math import ceil, floor

from .atoms import evaluate, free_symbols
from .costs import Cost
from .crossover import Condition, Root
from .derivation import Study, derive
from .errors import InputError
from .poly import Coefficient, Poly
from .regimes import cross_in_regimes
from .roofline import RIDGE, kernels, timed

__all__ = ["Budget", "Drafted", "acceptance_of", "budget_of", "drafted", "expected"]

_LONGEST = 64
_SCANNED = 1 << 16
"""Queries of a step that are tried."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many query tokens stay left of the ridge."""

    cost: Cost
    """Of one order with S free."""
    gap: Poly
    """FLOPs less R times bytes: not above 0 as long as the kernel waits for memory."""
    root: Root | None
    """The S at which arithmetic and memory take equally long, where that is one formula."""
    conditions: tuple[Condition, ...] = ()
    """Where the formula holds, but for that it lies inside the context."""

    def at(self, values: Mapping[str, Coefficient], ridge: Fraction) -> int | None:
        """The largest S left of the ridge, 0 if none is; None where a size is missing, or no S is too many.

        Up to it every S is; where L is known S goes no further, and each step is tried.
        """
        known = {**{n: v for n, v in values.items() if n != "S"}, "R": ridge}
        if "L" not in known and self.root is not None:
            value = self.root.value(known)
            return None if value is None else max(0, floor(value))

        def past(queries: int) -> bool | None:
            gap = evaluate(self.gap, {**known, "S": queries})
            return None if gap is None else gap > 0

        last = min(int(known.get("L", _LONGEST)) - int(known.get("L_p", 0)), _SCANNED)
        for queries in range(1, last + 1):
            found = past(queries)
            if found is None:
                return None
            if found:
                return queries - 1
        return None


def budget_of(study: Study, order: str) -> Budget:
    """The budget of an order in the study's scope, in FLOPs whatever unit the ledger has."""
    cost = derive(study.under(phase="verify"), order).cost
    flops = cost.flops * (1 if study.conventions.unit == "flops" else 2)
    moved = cost.bytes * RIDGE
    found = cross_in_regimes(flops, moved, "S", ("memory", "compute"), study.variant.facts)
    if len(found.solutions) != 1:
        return Budget(cost, flops - moved, None)
    (solution,) = found.solutions
    conditions = tuple(c for c in solution.conditions if not _inside(solution.root, c))
    return Budget(cost, flops - moved, solution.root, conditions)


def _inside(root: Root, condition: Condition) -> bool:
    """Whether a condition says no more than that the root is less than L."""
    if root.ratio is None:
        return False
    slack = Poly.symbol("L") * root.ratio.under - root.ratio.over
    return bool(slack) and slack * slack.content().inverse() == condition.slack


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
    if len(text) > 400:
        raise InputError("--acceptance: the text is longer than 400 characters")
    for part in text.split(","):
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
    room = values.get("L", max(drafts) + 1) - values.get("L_p", 0)
    if max(drafts) + 1 > room:
        raise InputError(
            f"--draft {max(drafts)}: {max(drafts) + 1} queries do not fit into {room} tokens of context"
        )

    def seconds(queries: int) -> Fraction:
        assert study.gpu is not None
        found = timed(cost, study.gpu, study.compute, {**values, "S": queries})
        if found is None:
            used = {n for k in kernels(cost) for n in free_symbols(k.flops + k.bytes)}
            missing = ", ".join(sorted(used - {*values, "S"}))
            raise InputError(f"how long a step takes needs {missing}; give it with --model, --set or --batch")
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
    width = Fraction(values.get("d_model", 0))
    batch = Fraction(ceil(Fraction(values.get("B", 1)) / study.split.dp))
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
