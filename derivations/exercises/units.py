"""Units of answers: what each measures, how large it is, and how people write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from ..errors import unknown

__all__ = [
    "UNITS",
    "Measure",
    "Unit",
    "base_unit",
    "named",
    "number_latex",
    "number_text",
    "spellings",
    "unit_of",
]


class Measure(StrEnum):
    """What a unit measures."""

    ELEMENTS = "elements"
    BYTES = "bytes"
    ARITHMETIC = "arithmetic"
    INTENSITY = "arithmetic intensity"
    TOKENS = "query tokens"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit."""

    name: str
    """As printed."""
    measure: Measure
    """What it measures."""
    scale: Fraction
    """How many bytes, FLOPs, FLOPs per byte, tokens or seconds it is."""
    latex: str = ""
    """In a formula, where that differs from the name."""
    counterpart: str = ""
    """The unit it is taken for: decimal and binary, MAC and FLOP."""

    @property
    def tex(self) -> str:
        """In a formula."""
        return self.latex or f"\\text{{{self.name}}}"

    @property
    def power(self) -> tuple[int, int] | None:
        """(10, 9) for GB and (2, 30) for GiB, where a reader may need it."""
        if self.measure is not Measure.BYTES or self.name == "B":
            return None
        step = "kMGT".index(self.name[0].replace("K", "k")) + 1
        return (2, 10 * step) if self.name.endswith("iB") else (10, 3 * step)


def _units() -> Iterator[Unit]:
    yield Unit("elements", Measure.ELEMENTS, Fraction(1))
    yield Unit("B", Measure.BYTES, Fraction(1))
    for power, (decimal, binary) in enumerate((("kB", "KiB"), ("MB", "MiB"), ("GB", "GiB"), ("TB", "TiB")), 1):
        yield Unit(decimal, Measure.BYTES, Fraction(1000**power), counterpart=binary)
        yield Unit(binary, Measure.BYTES, Fraction(1024**power), counterpart=decimal)
    for power, prefix in enumerate(("", "k", "M", "G", "T", "P", "E")):
        scale = Fraction(1000**power)
        yield Unit(f"{prefix}FLOP", Measure.ARITHMETIC, scale, counterpart=f"{prefix}MAC")
        yield Unit(f"{prefix}MAC", Measure.ARITHMETIC, scale * 2, counterpart=f"{prefix}FLOP")
    yield Unit("FLOP/B", Measure.INTENSITY, Fraction(1), counterpart="MAC/B")
    yield Unit("MAC/B", Measure.INTENSITY, Fraction(2), counterpart="FLOP/B")
    yield Unit("tokens", Measure.TOKENS, Fraction(1))
    yield Unit("s", Measure.TIME, Fraction(1))
    yield Unit("ms", Measure.TIME, Fraction(1, 10**3))
    yield Unit("us", Measure.TIME, Fraction(1, 10**6), latex=r"\mu\text{s}")
    yield Unit("ns", Measure.TIME, Fraction(1, 10**9))


UNITS: Mapping[str, Unit] = {unit.name: unit for unit in _units()}
"""Every unit by name."""


def unit_of(name: str) -> Unit:
    """A unit by its printed name. Raises InputError with the nearest one."""
    if name not in UNITS:
        raise unknown("unit", name, UNITS)
    return UNITS[name]


def base_unit(measure: Measure) -> Unit:
    """The unit that formulas are in: B, FLOP, s."""
    return next(unit for unit in UNITS.values() if unit.measure is measure and unit.scale == 1)


_WORDS = {
    "elements": ("element", "elem", "elems", "entries", "values", "numbers"),
    "B": ("byte", "bytes", "Byte", "Bytes"),
    "FLOP": ("FLOPs", "flop", "flops", "Flop", "Flops", "FLOPS"),
    "MAC": ("MACs", "mac", "macs", "MACS"),
    "tokens": ("token", "queries", "query", "query tokens", "query token"),
    "s": ("sec", "seconds", "second"),
    "ms": ("msec", "milliseconds", "millisecond"),
    "us": ("\u00b5s", "\u03bcs", "usec", "microseconds", "microsecond"),
    "ns": ("nsec", "nanoseconds", "nanosecond"),
}
_PER = ("/B", "/byte", "/bytes", "/Byte", " per byte", " per B", " a byte")


def _spellings() -> Iterator[tuple[str, str]]:
    for name, unit in UNITS.items():
        yield name, name
        if unit.measure is Measure.ARITHMETIC:
            base = "MAC" if name.endswith("MAC") else "FLOP"
            prefix = name.removesuffix(base)
            yield from ((f"{prefix}{word}", name) for word in _WORDS[base])
    for name, words in _WORDS.items():
        yield from ((word, name) for word in words)
    for base in ("FLOP", "MAC"):
        for word in (base, *_WORDS[base]):
            yield from ((f"{word}{per}", f"{base}/B") for per in _PER)
    for name in ("kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB"):
        yield f"{name[0]}bytes" if not name.endswith("iB") else f"{name[:2]}bytes", name
    yield "KB", "kB"


_SPELLED: Mapping[str, str] = dict(_spellings())
_LOWERED: Mapping[str, str] = {word.lower(): name for word, name in list(_SPELLED.items())[::-1]}


def named(words: str) -> Unit | None:
    """The unit that people mean by `words`, whatever the case where that is clear; None for none."""
    text = " ".join(words.split()).replace(" / ", "/")
    name = _SPELLED.get(text) or _LOWERED.get(text.lower())
    return None if name is None else UNITS[name]


def spellings() -> tuple[str, ...]:
    """Every way a unit is written, longest first."""
    return _LONGEST_FIRST


_LONGEST_FIRST = tuple(sorted(_SPELLED, key=lambda word: (-len(word), word)))


def number_text(value: Fraction, digits: int = 6) -> str:
    """A number with thousands separated, whole or to so many significant digits."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if abs(value) >= 10 ** (digits - 1):
        return f"{float(value):,.1f}"
    text = f"{float(value):.{digits}g}"
    if "e" in text:
        return text
    whole, _, decimals = text.partition(".")
    return f"{int(whole):,}.{decimals}" if decimals else f"{int(whole):,}"


def number_latex(value: Fraction, digits: int = 6) -> str:
    """The same in a formula: a power of ten is one, and a comma leaves no gap."""
    mantissa, _, power = number_text(value, digits).partition("e")
    shown = mantissa.replace(",", "{,}")
    return f"{shown} \\cdot 10^{{{int(power)}}}" if power else shown
