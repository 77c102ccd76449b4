"""Accelerators: dense peaks, memory bandwidth and the ridge point, from files with sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from .errors import InputError, Place, nearest, unknown
from .resources import is_path, names, resource
from .yamlfile import Entry, read_yaml

__all__ = ["Accelerator", "Figure", "accelerator_names", "load_accelerator"]

_RATES = {"TFLOP/s": 10**12, "PFLOP/s": 10**15, "GFLOP/s": 10**9}
_BANDWIDTHS = {"TB/s": 10**12, "GB/s": 10**9}
_TYPE = re.compile(r"[a-z0-9]{1,16}")
# from an embedded part to a pod: what lies outside is a slip in the value or the unit
_PEAK_RANGE = (10**9, 10**20)
_BANDWIDTH_RANGE = (10**8, 10**17)
_RIDGE_RANGE = (Fraction(1, 10), Fraction(20_000))


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

    def __repr__(self) -> str:
        return f"Accelerator({self.name}: {self.title})"

    def ridge(self, compute: str = "bf16") -> Fraction:
        """FLOPs per byte at which arithmetic and memory take equally long.

        Raises InputError for an element type without a published dense peak.
        """
        return self.peak_of(compute) / self.bandwidth.value

    def peak_of(self, compute: str) -> Fraction:
        """FLOP/s. Raises InputError for an element type without a published dense peak."""
        if compute not in self.peak:
            raise unknown(f"compute type of {self.name}", compute, self.peak)
        return self.peak[compute].value


def accelerator_names() -> tuple[str, ...]:
    """The bundled accelerators."""
    return names("models", "hardware")


def load_accelerator(text: str) -> Accelerator:
    """An accelerator by name or file; `h200` will do for `h200-sxm` while there is only one H200.

    Raises InputError with the nearest name, the names a short one may stand for, or the file's line.
    """
    if is_path(text):
        return _read(read_yaml(Path(text), text))
    name = _full_name(text, accelerator_names())
    return _read(read_yaml(resource("models", "hardware", f"{name}.yaml"), f"models/hardware/{name}.yaml"))


def _full_name(text: str, known: tuple[str, ...]) -> str:
    """The bundled name that `text` is, or begins up to a hyphen."""
    longer = [name for name in known if name.startswith(f"{text}-")]
    if text in known or len(longer) == 1:
        return text if text in known else longer[0]
    if longer:
        *others, last = longer
        raise InputError(f"which GPU is {text!r}: {', '.join(others)} or {last}?")
    # a slip in a short name is nearer to that name than to any full one: h101 is no h20
    families: dict[str, list[str]] = {}
    for name in known:
        families.setdefault(name.partition("-")[0], []).append(name)
    near = nearest(text, [*known, *families])
    raise unknown("GPU", text, families.get(near or "", known))


def _read(entry: Entry) -> Accelerator:
    fields = entry.mapping(allowed=("notes",), required=("gpu", "title", "peak", "bandwidth"))
    kinds = fields["peak"].mapping()
    if not kinds:
        raise fields["peak"].fail("at least one dense peak is needed, such as bf16")
    for kind in kinds:
        if not _TYPE.fullmatch(kind):
            shown = kind if len(kind) <= 60 else f"{kind[:57]}..."
            place = Place(entry.place.file, fields["peak"].keys[kind].line, "peak")
            rule = "write up to 16 small letters and digits, such as bf16"
            raise InputError(f"{shown!r} is no element type; {rule}", place)
    peaks = {kind: _figure(peak, _RATES, _PEAK_RANGE) for kind, peak in kinds.items()}
    bandwidth = _figure(fields["bandwidth"], _BANDWIDTHS, _BANDWIDTH_RANGE)
    for kind, peak in peaks.items():
        ridge = peak.value / bandwidth.value
        if not _RIDGE_RANGE[0] <= ridge <= _RIDGE_RANGE[1]:
            shown = f"{float(ridge):,.0f}" if ridge > 1 else f"{float(ridge):.2g}"
            over = f"{peak.text} over {bandwidth.text} is a ridge of {shown} FLOP/B"
            raise kinds[kind].fail(f"{over}, which no accelerator has; look at both units")
    return Accelerator(
        name=fields["gpu"].text(60),
        title=fields["title"].text(120),
        peak=peaks,
        bandwidth=bandwidth,
        notes=fields["notes"].texts() if "notes" in fields else (),
    )


def _figure(entry: Entry, units: Mapping[str, int], sensible: tuple[int, int]) -> Figure:
    fields = entry.mapping(required=("value", "unit", "source"))
    unit = fields["unit"].text(20)
    if unit not in units:
        raise unknown("unit", unit, units, fields["unit"].place)
    value = fields["value"].number()
    exact = Fraction(str(value)) * units[unit]
    if not sensible[0] <= exact <= sensible[1]:
        size = "small" if exact < sensible[0] else "large"
        raise fields["value"].fail(f"{value} {unit} is too {size} for an accelerator; look at the unit")
    return Figure(exact, f"{value} {unit}", fields["source"].text(400))
