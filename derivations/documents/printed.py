"""Figures as they stand in print: a number with its digits, its unit, and what "about" lets pass.

    "0.43 G"   "139.5 GB"   "~295"   "about 970"   ">100"   "512+"   "11%"   "4x"   "10^5 to 10^6"

A figure stands for every number that rounds to it, a tie to either side. `~` or `about` lets pass one in the
last digit that is not zero, five percent at most and never less than rounding; `>` and `<` a number above or
below; `+` the number and all above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError, Place

__all__ = ["NUMERAL", "POWERS", "Printed", "numerals_of", "raised", "read_printed"]

NUMERAL = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?[⁰¹²³⁴⁵⁶⁷⁸⁹]*"
"""A number as documents write it."""
_PREFIXES = {"k": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_FIGURE = re.compile(
    rf"(?P<sign>~|about |>|<|just under |)(?P<number>{NUMERAL})(?P<plus>\+?)"
    r"(?: ?(?:(?P<prefix>[kMGTP]?)(?P<unit>FLOP/B|FLOP/s|FLOP|B/s|B|)|(?P<plain>ms|x|%)))?\Z"
)
_RANGE = re.compile(r"(?P<from>[^~<>]+?) to (?P<to>[^~<>]+)\Z")
POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""Raised digits, in order."""
_MOST_ABOUT = Fraction(5, 100)
_LONGEST, _HIGHEST = 60, 18
_JUST = Fraction(9, 10)
"""What "just under" may be of the figure at least."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure of a document and the numbers it stands for."""

    text: str
    """As printed."""
    least: Fraction | None
    """The smallest number it stands for; None for no bound."""
    most: Fraction | None
    """The largest; None for no bound."""
    open_ends: tuple[bool, bool]
    """Whether the ends themselves are left out."""
    scale: Fraction
    """What a derived number is divided by to be in the printed unit."""
    digits: int
    """Significant digits."""
    decimals: int
    """Digits after the point."""
    unit: str
    """The unit with its prefix, `%`, `x` or nothing."""

    def allows(self, value: Fraction, rounding: str = "nearest") -> bool:
        """Whether a derived number, in base units, is one that the figure stands for.

        With `rounding` `down`, whether it becomes the figure when the digits after are cut off; with `up`, when
        it is rounded up.
        """
        number = value / self.scale
        if rounding != "nearest":
            if self.bounds is None or self.least is None or self.most is None:
                return False
            step = Fraction(1, 10**self.decimals)
            shown = (self.least + self.most) / 2
            cut = number // step if rounding == "down" else -(-number // step)
            return self.most - self.least == step and cut * step == shown
        if self.least is not None and (number < self.least or (self.open_ends[0] and number == self.least)):
            return False
        return self.most is None or not (number > self.most or (self.open_ends[1] and number == self.most))

    @property
    def rounded(self) -> bool:
        """Whether it is one number to so many digits, not a bound, a range or a power of ten."""
        return (
            self.bounds is not None
            and not self.open_ends[1]
            and " to " not in self.text
            and self.digits > 0
            and (not any(letter in POWERS for letter in self.text))
        )

    @property
    def number(self) -> Fraction:
        """The number itself, in the printed unit; the middle of a range."""
        ends = [end for end in (self.least, self.most) if end is not None]
        return sum(ends, Fraction(0)) / len(ends)

    @property
    def middle(self) -> Fraction:
        """A number it stands for, in base units, to compare others with."""
        return self.number * self.scale

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Both ends in base units; None where one is missing."""
        if self.least is None or self.most is None:
            return None
        return self.least * self.scale, self.most * self.scale

    @property
    def binary(self) -> Fraction:
        """How much more a binary unit of this prefix is than the decimal one; 1 where bytes have no prefix."""
        prefix = self.unit[:1] if self.unit[1:] == "B" else ""
        return Fraction(1024, 1000) ** _PREFIXES[prefix] if prefix in _PREFIXES else Fraction(1)


def read_printed(text: str, place: Place | None = None) -> Printed:
    """A figure. Raises InputError with examples where it is none."""
    hit = _RANGE.match(text)
    if hit is None:
        return _single(text, place, False)
    low, high = (_single(hit.group(key), place, True) for key in ("from", "to"))
    # a range without a unit at its start has the one at its end
    start = low.number * (low.scale / high.scale if low.unit else 1)
    kinds = {unit.lstrip("kMGTP") if unit != "ms" else unit for unit in (low.unit or high.unit, high.unit)}
    if len(kinds) > 1 or start >= high.number:
        raise _refused(text, place)
    least = low.least if low.least is None or not low.unit else low.least * low.scale / high.scale
    return Printed(
        text, least, high.most, (False, False), high.scale, low.digits + high.digits, high.decimals, high.unit
    )


def _single(text: str, place: Place | None, end: bool) -> Printed:
    """A figure that is no range; `end` where it is one end of a range."""
    found = _FIGURE.match(text)
    if (
        found is None
        or len(text) > _LONGEST
        or ((found["sign"] or end) and (found["plus"] or (end and found["sign"])))
    ):
        raise _refused(text, place)
    plain, power = found["number"].rstrip(POWERS).replace(",", ""), raised(found["number"])
    if power is not None and power > _HIGHEST:
        raise _refused(text, place)
    decimals = len(plain.partition(".")[2])
    number = Fraction(plain) ** (1 if power is None else power)
    prefix, unit = found["prefix"] or "", found["unit"] or found["plain"] or ""
    scale = {"%": Fraction(1, 100), "ms": Fraction(1, 1000)}.get(unit, Fraction(1))
    scale *= Fraction(1000) ** _PREFIXES.get(prefix, 0)
    digits = 1 if power is not None else len(plain.replace(".", "").lstrip("0")) or 1
    # a power of ten is one digit; as the end of a range it is meant as it stands
    step = (Fraction(0) if end else number) if power is not None else Fraction(1, 10**decimals)
    least, most, ends = _ends(found["sign"], number, step, bool(found["plus"]))
    return Printed(text, least, most, ends, scale, digits, decimals, prefix + unit)


def raised(numeral: str) -> int | None:
    """The power a numeral is raised to; None where there is none."""
    digits = "".join(str(POWERS.index(letter)) for letter in numeral if letter in POWERS)
    return int(digits) if digits else None


def _refused(text: str, place: Place | None) -> InputError:
    return InputError(
        f"{text[:40]!r} is no figure; write it like 0.43 G, 139.5 GB, ~295, about 970, >100, 512+, 11% or "
        "2 to 8", place,
    )  # fmt: skip


def _ends(
    sign: str, number: Fraction, step: Fraction, plus: bool
) -> tuple[Fraction | None, Fraction | None, tuple[bool, bool]]:
    """The bounds of a figure in its own unit, and which are left out; `step` is one in its last digit."""
    if sign == ">":
        return number, None, (True, False)
    if sign == "<":
        return None, number, (False, True)
    if sign == "just under ":
        return number * _JUST, number, (False, True)
    if plus:
        return number, None, (False, False)
    width = step / 2
    if sign:
        last = step
        while number and number % (last * 10) == 0:
            last *= 10
        width = max(width, min(last, number * _MOST_ABOUT))
    return number - width, number + width, (False, False)


def numerals_of(text: str) -> list[str]:
    """The numerals in a text, names of models and symbols left aside."""
    return re.findall(rf"(?<![A-Za-z0-9_])(?<![0-9]\.){NUMERAL}", text)
