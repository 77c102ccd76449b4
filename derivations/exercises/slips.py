"""The usual mistakes: each turns a task into the one that was answered instead, which is then derived too.

A slip changes the program, the conventions, the sizes or the unit. Where it changes no answer it does not
apply; what value it gives is never written down here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from ..algebra import Ratio
from ..checkpoints import load_checkpoint
from ..library import load_variant
from .answer import Answer, answer_of, derivation_of
from .asked import Quantity, Task
from .units import Measure

__all__ = ["SLIPS", "Slip", "Slipped", "equal", "pairs_of_slips", "same_ratio", "single_slips"]

_KEPT = (Quantity.ELEMENTS, Quantity.ROW, Quantity.CACHE, Quantity.RANK)
_COUNTED = (Quantity.FLOPS, Quantity.INTENSITY, Quantity.RIDGE)
_RATIOS = (Quantity.INTENSITY, Quantity.RIDGE)
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


def _rope(task: Task) -> Iterator[Task]:
    base, *options = task.variant.split("+")
    if "rope" in options:
        yield replace(task, variant="+".join([base, *(o for o in options if o != "rope")]))


def _macs(task: Task) -> Iterator[Task]:
    if task.measured.measure in (Measure.ARITHMETIC, Measure.INTENSITY) and "MAC" in task.unit:
        yield replace(task, unit=task.measured.counterpart)
    elif task.quantity in _COUNTED:
        yield task.under(unit="macs" if task.conventions.unit == "flops" else "flops")


def _kv_heads(task: Task) -> Iterator[Task]:
    if task.quantity not in _COUNTED:
        return
    changed = replace(task, changes=(*task.changes, "one-query-head"))
    if derivation_of(changed).bytes == derivation_of(task).bytes:  # else each head has rows of its own
        yield changed


def _twice(task: Task) -> Iterator[Task]:
    if task.quantity in (*_KEPT, Quantity.BYTES, Quantity.TIME, *_RATIOS):
        yield replace(task, changes=(*task.changes, "rows-twice"))


def _over_ranks(task: Task) -> Iterator[Task]:
    if task.quantity is Quantity.RANK:
        for change in ("rows-divided", "rows-divided-but-rope"):
            yield replace(task, changes=(*task.changes, change))


def _units(task: Task) -> Iterator[Task]:
    if task.measured.measure is Measure.BYTES and task.measured.counterpart:
        yield replace(task, unit=task.measured.counterpart)


def _causal(task: Task) -> Iterator[Task]:
    if task.conventions.phase == "decode" or task.quantity not in (*_COUNTED, Quantity.CROSSOVER):
        return
    yield task.under(pairs="causal" if task.conventions.pairs == "full" else "full")
    if task.quantity is not Quantity.CROSSOVER:
        yield replace(task.under(pairs="full"), changes=(*task.changes, "half"))


def _keys_only(task: Task) -> Iterator[Task]:
    if task.quantity is not Quantity.STATE:
        yield replace(task, changes=(*task.changes, "keys-only"))


def _batch(task: Task) -> Iterator[Task]:
    if task.batch == 1 or task.whole or task.quantity is Quantity.CROSSOVER:
        return
    if task.quantity in _RATIOS:
        yield replace(task, changes=(*task.changes, "batch-over-one"))
    else:
        yield replace(task, whole=True)


def _one_of_batch(task: Task) -> Iterator[Task]:
    if task.whole:
        yield replace(task, whole=False)


def _wide(task: Task) -> Iterator[Task]:
    if task.values.get("b") == 1:
        yield task.sized(b=2)


def _one_layer(task: Task) -> Iterator[Task]:
    if task.layers > 1:
        yield replace(task, layers=1)


def _every_layer(task: Task) -> Iterator[Task]:
    if task.model and task.layers > 1:
        yield replace(task, layers=load_checkpoint(task.model).layers)


def _full_heads(task: Task) -> Iterator[Task]:
    base = task.variant.partition("+")[0]
    if base not in ("mla", "dsa") or task.quantity is Quantity.CROSSOVER:
        return
    for kept_rows in ("copied", "once"):
        kept = task.under(formed="cached", kept_rows=kept_rows)
        yield replace(kept, order="expand")
    if base == "mla" and (not task.sizes or "d_model" in task.values):
        options = [o for o in task.variant.split("+")[1:] if o in load_variant("mha").all_options]
        name = "+".join(["mha", *options])
        yield replace(task, variant=name, order="direct", changes=(*task.changes, "even-heads"))


def _all_rows(task: Task) -> Iterator[Task]:
    base, *options = task.variant.split("+")
    if base == "dsa":
        yield replace(task, variant="+".join(["mla", *options]))
    elif "window" in options:
        yield replace(task, variant="+".join([base, *(o for o in options if o != "window")]))


SLIPS: tuple[Slip, ...] = (
    Slip(
        "rope", "the RoPE key left out",
        "Beside the latent each token keeps one rotated key, shared by all heads; it is stored, read and "
        "scored like any other row.",
        _rope,
    ),
    Slip(
        "macs", "multiply-adds counted for FLOPs, or the other way round",
        "A multiply-add is one MAC and two FLOPs.",
        _macs,
    ),
    Slip(
        "kv-heads", "FLOPs counted by key/value heads",
        "Every query head scores the whole context: FLOPs go with query heads, bytes with cached heads.",
        _kv_heads,
    ),
    Slip(
        "latent-twice", "the latent counted once for keys and once for values",
        "One latent row serves the scores and the weighted sum; it is stored once, and a fused core reads it "
        "once.",
        _twice,
    ),
    Slip(
        "latent-over-ranks", "rows that every rank holds divided by the ranks",
        "Tensor parallelism divides whole heads: rows without a head index are on every rank, and no rank "
        "holds less than one head.",
        _over_ranks,
    ),
    Slip(
        "units", "decimal and binary units mixed up",
        "kB, MB and GB are powers of 1000 bytes; KiB, MiB and GiB are powers of 1024.",
        _units,
    ),
    Slip(
        "causal", "pairs counted with the other mask, or simply halved",
        "Full pairs are S L and causal ones S L - S (S - 1)/2; only at S = L is that about half.",
        _causal,
    ),
    Slip(
        "keys-only", "the key side alone, values forgotten",
        "Values are cached, read and summed too.",
        _keys_only,
    ),
    Slip(
        "batch", "the whole batch counted for one sequence",
        "Each sequence has a context of its own: FLOPs and bytes grow alike with the batch, so neither a "
        "figure of one sequence nor the intensity knows it.",
        _batch,
    ),
    Slip(
        "bf16", "two bytes an element where one is stored",
        "An FP8 element is one byte.",
        _wide,
    ),
    Slip(
        "layers", "one layer instead of all",
        "Every layer keeps rows of its own, and runs its own attention.",
        _one_layer,
    ),
    Slip(
        "full-heads", "keys and values of every head cached, as in MHA",
        "MLA keeps the latent; keys and values are formed from it, or never formed at all.",
        _full_heads,
    ),
    Slip(
        "all-rows", "the whole context counted where a query sees less",
        "A window and a selection limit what a query sees; beyond that the attention costs nothing.",
        _all_rows,
    ),
    Slip(
        "one-of-batch", "one sequence counted for the whole batch",
        "The whole batch is asked for.",
        _one_of_batch,
    ),
    Slip(
        "every-layer", "every layer of the model counted",
        "Only some of the layers carry this attention.",
        _every_layer,
    ),
)  # fmt: skip
"""All of them; the order in which they are named."""
