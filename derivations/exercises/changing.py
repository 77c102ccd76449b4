"""What each usual mistake turns a task into: other options, knobs, sizes, units, or a rewritten program.

A function yields the tasks that are answered instead, none where the mistake makes no sense.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..checkpoints import load_checkpoint
from ..library import load_variant
from .answer import derivation_of
from .asked import Quantity, Task
from .units import Measure

__all__ = [
    "all_rows",
    "as_mha",
    "batch",
    "causal",
    "endless",
    "every_layer",
    "full_heads",
    "keys_only",
    "kv_heads",
    "macs",
    "one_layer",
    "one_of_batch",
    "over_ranks",
    "rope",
    "summed",
    "twice",
    "units",
    "wide",
]

_KEPT = (Quantity.ELEMENTS, Quantity.ROW, Quantity.CACHE, Quantity.RANK)
_COUNTED = (Quantity.FLOPS, Quantity.INTENSITY, Quantity.RIDGE)
_RATIOS = (Quantity.INTENSITY, Quantity.RIDGE)


def rope(task: Task) -> Iterator[Task]:
    """The variant without its RoPE segment."""
    base, *options = task.variant.split("+")
    if "rope" in options:
        yield replace(task, variant="+".join([base, *(o for o in options if o != "rope")]))


def macs(task: Task) -> Iterator[Task]:
    """MACs for FLOPs; where MACs were typed, FLOPs for MACs."""
    if task.measured.measure in (Measure.ARITHMETIC, Measure.INTENSITY) and "MAC" in task.unit:
        yield replace(task, unit=task.measured.counterpart)
    elif task.quantity in _COUNTED:
        yield task.under(unit="macs" if task.conventions.unit == "flops" else "flops")


def kv_heads(task: Task) -> Iterator[Task]:
    """One query head for each cached one, where that changes no bytes."""
    if task.quantity not in _COUNTED:
        return
    changed = replace(task, changes=(*task.changes, "one-query-head"))
    if derivation_of(changed).bytes == derivation_of(task).bytes:  # else each head has rows of its own
        yield changed


def twice(task: Task) -> Iterator[Task]:
    """Rows that scores and values share, cached for each."""
    if task.quantity in (*_KEPT, Quantity.BYTES, Quantity.TIME, *_RATIOS):
        yield replace(task, changes=(*task.changes, "rows-twice"))


def over_ranks(task: Task) -> Iterator[Task]:
    """Every cached row divided by the ranks, or all but the RoPE keys."""
    if task.quantity is Quantity.RANK:
        for change in ("rows-divided", "rows-divided-but-rope"):
            yield replace(task, changes=(*task.changes, change))


def units(task: Task) -> Iterator[Task]:
    """Decimal for binary, binary for decimal."""
    if task.measured.measure is Measure.BYTES and task.measured.counterpart:
        yield replace(task, unit=task.measured.counterpart)


def causal(task: Task) -> Iterator[Task]:
    """Pairs under the other mask, and half of all pairs."""
    if task.conventions.phase == "decode" or task.quantity not in (*_COUNTED, Quantity.CROSSOVER):
        return
    yield task.under(pairs="causal" if task.conventions.pairs == "full" else "full")
    if task.quantity is not Quantity.CROSSOVER:
        yield replace(task.under(pairs="full"), changes=(*task.changes, "half"))


def keys_only(task: Task) -> Iterator[Task]:
    """The program cut after its softmax."""
    if task.quantity is not Quantity.STATE:
        yield replace(task, changes=(*task.changes, "keys-only"))


def batch(task: Task) -> Iterator[Task]:
    """All sequences for one; of a ratio, only the FLOPs of all."""
    if task.batch == 1 or task.whole or task.quantity is Quantity.CROSSOVER:
        return
    if task.quantity in _RATIOS:
        yield replace(task, changes=(*task.changes, "batch-over-one"))
    else:
        yield replace(task, whole=True)


def one_of_batch(task: Task) -> Iterator[Task]:
    """One sequence for all."""
    if task.whole:
        yield replace(task, whole=False)


def wide(task: Task) -> Iterator[Task]:
    """BF16 for FP8."""
    if task.values.get("b") == 1:
        yield task.sized(b=2)


def one_layer(task: Task) -> Iterator[Task]:
    """One layer for all."""
    if task.layers > 1:
        yield replace(task, layers=1)


def every_layer(task: Task) -> Iterator[Task]:
    """All layers of the model for those with this attention."""
    if task.model and task.layers > 1:
        yield replace(task, layers=load_checkpoint(task.model).layers)


def full_heads(task: Task) -> Iterator[Task]:
    """Formed keys and values cached, the RoPE key copied or once; MHA whose heads share the model width."""
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


def summed(task: Task) -> Iterator[Task]:
    """The RoPE key in the weighted sum too."""
    base, *options = task.variant.split("+")
    if base in ("mla", "dsa") and "rope" in options and task.quantity in _COUNTED:
        yield replace(task, changes=(*task.changes, "segment-summed"))


def as_mha(task: Task) -> Iterator[Task]:
    """Keys and values for every query head, where heads share them."""
    if task.quantity not in (*_KEPT, Quantity.BYTES, Quantity.TIME, *_RATIOS):
        return
    base, *options = task.variant.split("+")
    if base == "gqa" and "one-query-head" not in task.changes:
        yield replace(task, changes=(*task.changes, "heads-as-queries"))
    elif base == "mqa" and set(options) <= set(load_variant("mha").all_options):
        yield replace(task, variant="+".join(["mha", *options]))


def endless(task: Task) -> Iterator[Task]:
    """The limit for a context without end, for the context asked."""
    if task.quantity is Quantity.CROSSOVER:
        yield replace(task, changes=(*task.changes, "endless"))


def all_rows(task: Task) -> Iterator[Task]:
    """The variant without its window, or without its indexer."""
    base, *options = task.variant.split("+")
    if base == "dsa":
        yield replace(task, variant="+".join(["mla", *options]))
    elif "window" in options:
        yield replace(task, variant="+".join([base, *(o for o in options if o != "window")]))
