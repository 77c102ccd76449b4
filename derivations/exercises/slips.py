"""The usual mistakes: each turns a task into the one that was answered instead, which is then derived too.

A slip changes the program, the conventions, the sizes or the unit. Where it changes no answer it does not
apply; what value it gives is never written down here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from ..algebra import Ratio
from . import changing
from .answer import Answer, answer_of
from .asked import Task

__all__ = ["SLIPS", "Slip", "Slipped", "equal", "pairs_of_slips", "same_ratio", "single_slips"]

_SAME = Fraction(1, 10**20)
"""How little two numbers differ that are the same."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A usual mistake."""

    name: str
    """For data and tests."""
    words: str
    """What was done, in a phrase."""
    why: str
    """Why it is wrong, in a sentence."""
    change: Callable[[Task], Iterator[Task]]
    """The tasks that are answered instead."""

    def changes(self, task: Task) -> tuple[Task, ...]:
        """Those of them whose answer differs from the task's."""
        right = answer_of(task)
        found: dict[Task, None] = {}
        for changed in self.change(task):
            answer = answer_of(changed)
            if right is not None and answer is not None and not equal(answer, right):
                found[changed] = None
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Slipped:
    """What one slip, or two at once, make of a task."""

    slips: tuple[Slip, ...]
    """Which."""
    answer: Answer
    """What then comes out."""


def equal(one: Answer, other: Answer) -> bool:
    """Whether two answers look alike: the same number, each in its own unit, or the same formula."""
    if one.number is not None and other.number is not None:  # square roots are kept to 30 decimals
        return abs(one.number - other.number) <= _SAME * one.number
    if one.ratio is None or other.ratio is None:
        return one.root == other.root
    return same_ratio(one.ratio, other.ratio)


def same_ratio(one: Ratio, other: Ratio) -> bool:
    """Whether two ratios are equal wherever both are defined."""
    return not one.over * other.under - other.over * one.under


@lru_cache(maxsize=64)
def single_slips(task: Task) -> tuple[Slipped, ...]:
    """What each slip that applies makes of a task, in the order of `SLIPS`."""
    found = []
    for slip in SLIPS:
        for changed in slip.changes(task):
            answer = answer_of(changed)
            assert answer is not None, "a change without an answer is none"
            found.append(Slipped((slip,), answer))
    return tuple(found)


@lru_cache(maxsize=16)
def pairs_of_slips(task: Task) -> tuple[Slipped, ...]:
    """What two different slips at once make of it, where that is neither right nor what one of them makes."""
    alone = [found.answer for found in single_slips(task)]
    right = answer_of(task)
    found = []
    for first, second in combinations(SLIPS, 2):
        for half_way in first.changes(task):
            for changed in second.changes(half_way):
                answer = answer_of(changed)
                if answer is None or right is None or equal(answer, right):
                    continue
                if not any(equal(answer, other) for other in alone):
                    found.append(Slipped((first, second), answer))
    return tuple(found)


SLIPS: tuple[Slip, ...] = (
    Slip(
        "rope", "the RoPE key left out",
        "Beside the latent each token keeps one rotated key, shared by all heads; it is stored, read and "
        "scored like any other row.",
        changing.rope,
    ),
    Slip(
        "macs", "multiply-adds counted for FLOPs, or the other way round",
        "A multiply-add is one MAC and two FLOPs.",
        changing.macs,
    ),
    Slip(
        "kv-heads", "FLOPs counted by key/value heads",
        "Every query head scores the whole context: FLOPs go with query heads, bytes with cached heads.",
        changing.kv_heads,
    ),
    Slip(
        "latent-twice", "the latent counted once for keys and once for values",
        "One latent row serves the scores and the weighted sum; it is stored once, and a fused core reads it "
        "once.",
        changing.twice,
    ),
    Slip(
        "latent-over-ranks", "rows that every rank holds divided by the ranks",
        "Tensor parallelism divides whole heads: rows without a head index are on every rank, and no rank "
        "holds less than one head.",
        changing.over_ranks,
    ),
    Slip(
        "units", "decimal and binary units mixed up",
        "kB, MB and GB are powers of 1000 bytes; KiB, MiB and GiB are powers of 1024.",
        changing.units,
    ),
    Slip(
        "causal", "pairs counted with the other mask, or simply halved",
        "Full pairs are S L and causal ones S L - S (S - 1)/2; only at S = L is that about half.",
        changing.causal,
    ),
    Slip(
        "keys-only", "the key side alone, values forgotten",
        "Values are cached, read and summed too.",
        changing.keys_only,
    ),
    Slip(
        "batch", "the whole batch counted for one sequence",
        "Each sequence has a context of its own: FLOPs and bytes grow alike with the batch, so neither a "
        "figure of one sequence nor the intensity knows it.",
        changing.batch,
    ),
    Slip(
        "bf16", "two bytes an element where one is stored",
        "An FP8 element is one byte.",
        changing.wide,
    ),
    Slip(
        "layers", "one layer instead of all",
        "Every layer keeps rows of its own, and runs its own attention.",
        changing.one_layer,
    ),
    Slip(
        "full-heads", "keys and values of every head cached, as in MHA",
        "MLA keeps the latent; keys and values are formed from it, or never formed at all.",
        changing.full_heads,
    ),
    Slip(
        "all-rows", "the whole context counted where a query sees less",
        "A window and a selection limit what a query sees; beyond that the attention costs nothing.",
        changing.all_rows,
    ),
    Slip(
        "one-of-batch", "one sequence counted for the whole batch",
        "The whole batch is asked for.",
        changing.one_of_batch,
    ),
    Slip(
        "every-layer", "every layer of the model counted",
        "Only some of the layers carry this attention.",
        changing.every_layer,
    ),
    Slip(
        "endless", "the limit for an endless context",
        "At a finite context the crossing depends on L, and comes to the limit only as L grows.",
        changing.endless,
    ),
    Slip(
        "summed", "the RoPE key counted in the weighted sum too",
        "The rotated key takes part in the scores alone; the weighted sum runs over latents, or over values.",
        changing.summed,
    ),
    Slip(
        "as-mha", "query heads counted as key/value heads, as if it were MHA",
        "Query heads of a group share one key and one value head: that many rows are cached and read.",
        changing.as_mha,
    ),
)  # fmt: skip
"""All of them; the order in which they are named."""
