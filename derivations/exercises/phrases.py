"""Phrases that questions share: which rows, which layers, how wide, in which unit."""

from __future__ import annotations

from collections.abc import Iterable

from ..checkpoints import load_checkpoint
from ..program import Variant
from ..report import Math
from .asked import Task

__all__ = ["idle_sizes", "layers_of", "rows_read", "unit_of_answer", "way_of", "width_of"]

WIDTHS = {1: "FP8, one byte", 2: "BF16, two bytes", 4: "FP32, four bytes"}


def rows_read(variant: Variant) -> str:
    """The rows that the core reads."""
    if variant.base in ("kda", "lightning"):
        return "the state"
    if variant.base == "dsa":
        return "selected latents and rotated keys"
    if variant.base == "mla":
        return "cached latents and rotated keys" if "rope" in variant.options else "cached latents"
    return "cached keys and values"


def idle_sizes(variant: Variant) -> tuple[str, ...]:
    """Sizes that no quantity asked of this variant, and no known slip, depends on."""
    if variant.base in ("kda", "lightning"):
        return ("d_model", "d_g", "n_c")
    if variant.base in ("mla", "dsa"):
        return ("d_q", "H_I")
    return ("d_model",)


def layers_of(task: Task) -> str:
    """Over which layers a figure is summed."""
    if task.layers == 1:
        return "one layer"
    if not task.model:
        return f"{task.layers} such layers"
    whole = task.layers == load_checkpoint(task.model).layers
    return f"all {task.layers} layers" if whole else f"these {task.layers} layers"


def width_of(task: Task) -> Iterable[str | Math]:
    """How wide elements are."""
    width = task.values.get("b")
    if width is None:
        return ("Elements take ", Math("b", "b"), " bytes.")
    return (f"Elements are {WIDTHS[width]} each.",)


def unit_of_answer(task: Task) -> str:
    """The unit asked for, in words."""
    words = {"B": "bytes", "FLOP": "FLOPs", "tokens": "query tokens", "FLOP/B": "FLOPs per byte",
             "us": "microseconds", "ms": "milliseconds", "s": "seconds"}  # fmt: skip
    return words.get(task.unit, task.unit)


def way_of(slip: str, changed: Task) -> str:
    """How a slip was made that can be made in several ways; nothing where there is one way."""
    rope = "rope" in changed.variant.split("+")
    if slip == "causal":
        return "half of all pairs" if "half" in changed.changes else f"{changed.conventions.pairs} pairs"
    if slip == "full-heads" and "even-heads" in changed.changes:
        return "heads that share the model width"
    if slip == "full-heads" and rope:
        copied = changed.conventions.kept_rows == "copied"
        return "the RoPE key copied for each head" if copied else "the RoPE key kept once"
    if slip == "latent-over-ranks" and rope:
        return "all but the RoPE key" if "rows-divided-but-rope" in changed.changes else "the RoPE key too"
    return ""
