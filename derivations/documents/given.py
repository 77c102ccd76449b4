"""What a setting gives numbers for: sizes of a model, figures of an accelerator, sizes set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from ..checkpoints import Checkpoint, load_checkpoint
from ..errors import unknown
from ..hardware import Accelerator, load_accelerator
from ..poly import Coefficient
from ..yamlfile import Entry
from .setting import Setting

__all__ = ["GIVEN", "RANKS", "checkpoint", "given", "part_figure"]

_PARTS = ("peak", "peak_fp8", "bandwidth", "R", "R_fp8")
GIVEN = ("layers", *_PARTS)
"""Names besides size symbols that a setting gives numbers for."""
RANKS = "N"
"""The ranks that share the heads; a name in lessons only."""


@lru_cache(maxsize=16)
def checkpoint(name: str) -> Checkpoint:
    """A model, read once: a page asks hundreds of times."""
    return load_checkpoint(name)


@lru_cache(maxsize=16)
def _accelerator(name: str) -> Accelerator:
    return load_accelerator(name)


def given(needed: set[str], setting: Setting) -> dict[str, Coefficient]:
    """Numbers for those symbols that a setting has one for; sizes set by hand win."""
    found: dict[str, Coefficient] = {RANKS: setting.tp}
    if setting.model:
        model = checkpoint(setting.model)
        layers = model.layers if setting.layers == "all" else model.attention_layers
        found |= {**model.values(needed), "layers": layers}
    if setting.gpu:
        found |= _figures(_accelerator(setting.gpu))
    found |= dict(setting.sizes)
    return {name: value for name, value in found.items() if name in needed}


def _figures(gpu: Accelerator) -> dict[str, Fraction]:
    """The figures of an accelerator by name; those for FP8 where it has them."""
    found = {"bandwidth": gpu.bandwidth.value, "peak": gpu.peak["bf16"].value, "R": gpu.ridge()}
    if "fp8" in gpu.peak:
        found |= {"peak_fp8": gpu.peak["fp8"].value, "R_fp8": gpu.ridge("fp8")}
    return found


def part_figure(fields: Mapping[str, Entry]) -> Fraction:
    """A figure of an accelerator: `peak`, `peak_fp8`, `bandwidth`, `R` or `R_fp8`."""
    with fields["part"].blamed():
        gpu = load_accelerator(fields["part"].text())
    wanted = fields["figure"].text()
    if wanted not in _PARTS:
        raise unknown("figure", wanted, _PARTS, fields["figure"].place)
    figures = _figures(gpu)
    if wanted not in figures:
        raise fields["figure"].fail(f"{gpu.title} has no peak for FP8")
    return figures[wanted]
