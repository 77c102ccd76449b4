"""Accelerators: dense peaks, memory bandwidth and the ridge point, from files with sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from .errors import unknown
from .resources import is_path, names, resource
from .yamlfile import Entry, read_yaml

__all__ = ["Accelerator", "Figure", "accelerator_names", "load_accelerator"]

_RATES = {"TFLOP/s": 10**12, "PFLOP/s": 10**15, "GFLOP/s": 10**9}
_BANDWIDTHS = {"TB/s": 10**12, "GB/s": 10**9}


@dataclass(frozen=True, slots=True)
class Figure:
    """A published figure."""

    value: Fraction
    """In FLOP/s, or bytes a second."""
    text: str
    """As published, with its unit."""
    source: str
    """Where it was read."""


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A GPU or the like."""

    name: str
    """As asked for with `--gpu`."""
    title: str
    """For headings."""
    peak: Mapping[str, Figure]
    """Element type -> dense peak."""
    bandwidth: Figure
    """Memory bandwidth."""
    notes: tuple[str, ...]
    """Where sources disagree, and the like."""

    def ridge(self, compute: str = "bf16") -> Fraction:
        """FLOPs per byte at which arithmetic and memory take equally long.

        Raises InputError for an element type without a published dense peak.
        """
        if compute not in self.peak:
            raise unknown(f"compute type of {self.name}", compute, self.peak)
        return self.peak[compute].value / self.bandwidth.value


def accelerator_names() -> tuple[str, ...]:
    """The bundled accelerators."""
    return names("models", "hardware")


def load_accelerator(text: str) -> Accelerator:
    """An accelerator by name or file; `h200` will do for `h200-sxm` while there is only one H200.

    Raises InputError with the nearest name or the file's line.
    """
    if is_path(text):
        return _read(read_yaml(Path(text), text))
    known = accelerator_names()
    longer = [name for name in known if name.startswith(f"{text}-")]
    if text not in known and len(longer) == 1:
        text = longer[0]
    if text not in known:
        raise unknown("GPU", text, known)
    return _read(read_yaml(resource("models", "hardware", f"{text}.yaml"), f"models/hardware/{text}.yaml"))


def _read(entry: Entry) -> Accelerator:
    fields = entry.mapping(allowed=("notes",), required=("gpu", "title", "peak", "bandwidth"))
    peaks = fields["peak"].mapping()
    if not peaks:
        raise fields["peak"].fail("at least one dense peak is needed, such as bf16")
    return Accelerator(
        name=fields["gpu"].text(60),
        title=fields["title"].text(120),
        peak={kind: _figure(peak, _RATES) for kind, peak in peaks.items()},
        bandwidth=_figure(fields["bandwidth"], _BANDWIDTHS),
        notes=fields["notes"].texts() if "notes" in fields else (),
    )


def _figure(entry: Entry, units: Mapping[str, int]) -> Figure:
    fields = entry.mapping(required=("value", "unit", "source"))
    unit = fields["unit"].text(20)
    if unit not in units:
        raise unknown("unit", unit, units, fields["unit"].place)
    value = fields["value"].number()
    exact = Fraction(str(value)) * units[unit]
    return Figure(exact, f"{value} {unit}", fields["source"].text(400))
