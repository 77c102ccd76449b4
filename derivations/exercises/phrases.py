"""Phrases that questions share: which rows, which layers, how wide, in which unit."""

from __future__ import annotations

from collections.abc import Iterable

from ..checkpoints import load_checkpoint
from ..program import Variant
from ..report import Math
from .asked import Task

__all__ = ["layers_of", "rows_read", "unit_of_answer", "width_of"]

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
             "us": "microseconds (us)", "ms": "milliseconds (ms)", "s": "seconds"}  # fmt: skip
    return words.get(task.unit, task.unit)
