"""What a person typed as an answer: a number or a formula, and perhaps a unit; read, bounded, never run."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from fractions import Fraction

from ..algebra import Ratio
from ..errors import InputError, nearest
from ..poly import Coefficient
from ..ratios import Ratios
from ..syntax import parse
from .pasted import Unreadable, plain
from .units import UNITS, Unit, named, spellings

__all__ = ["LONGEST", "Digits", "Typed", "Unreadable", "all_below", "read"]

LONGEST = 400
"""Characters of an answer."""
_FUNCTIONS = ("min", "ceil", "floor")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_RATE = re.compile(r"([A-Za-z]+)(?:/(?:s|sec|second)| per second)$")
_BITS = re.compile(r"(?<![A-Za-z_])[kKMGT]?i?bits?$")
_NUMBER = re.compile(r"[-+]?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?")
_TOKEN = re.compile(r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)|([-+*/(),^])")


@dataclass(frozen=True, slots=True)
class Digits:
    """A number as it was written out."""

    least: int
    """Significant digits, zeros before the point at its end left out."""
    most: int
    """Significant digits, those zeros included."""


@dataclass(frozen=True, slots=True)
class Typed:
    """An answer as it was typed."""

    text: str
    """The whole of it."""
    ratio: Ratio
    """The number or the formula."""
    unit: Unit | None
    """The unit, if there was one."""
    digits: Digits | None
    """How exactly a number was written; of a product that of its shortest decimal; None where all are exact."""
    alone: bool = True
    """Whether it is one number, not a product or a formula."""

    @property
    def number(self) -> Fraction | None:
        """The value where no symbol is left."""
        value: Coefficient | None = self.ratio.over.constant
        below = self.ratio.under.constant
        if value is not None and below:
            return Fraction(value) / Fraction(below)
        return self.ratio.value({})


def read(text: str, symbols: Set[str], shown: Set[str] = frozenset()) -> Typed:
    """What was typed, `symbols` being the sizes a formula may use. Raises Unreadable.

    A sentence about symbols lists those that are `shown` in the question, or all.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"that is longer than {LONGEST} characters; a number or a short formula is asked")
    line = _bared(plain(text), symbols)
    if not line:
        raise Unreadable("nothing was typed")
    body, unit = _without_unit(line, symbols)
    if not body:
        raise Unreadable(f"that is a unit without a number; write for example 12.3 {line}")
    body = _written_out(_commas(body))
    digits = _digits(body)
    if body.startswith("-") and digits is not None:
        raise Unreadable("no answer here is negative")
    ratio = _ratio(_spelled(body.removeprefix("+"), symbols, shown or symbols), symbols)
    return Typed(line, ratio, unit, digits or _of_factors(body), digits is not None)


def all_below(text: str, symbols: Set[str]) -> Ratio | None:
    """A formula read with all that stands after its first sign of division below the line, if there is one."""
    try:
        body, _ = _without_unit(plain(text), symbols)
        above, sign, below = _commas(body).partition("/")
        return _ratio(_spelled(f"({above})/({below})", symbols, symbols), symbols) if sign else None
    except Unreadable:
        return None


def _bared(text: str, symbols: Set[str]) -> str:
    """The text without a full stop at its end, and a number or a unit without parentheses of its own."""
    text = re.sub(r"(?<=[A-Za-z)])\s*\.$", "", text)
    hit = re.fullmatch(r"\(\s*([^()]*?)\s*\)(.*)", text)
    if hit is not None and _NUMBER.fullmatch(hit[1]):
        text = hit[1] + hit[2]
    hit = re.fullmatch(r"(.*[\d)])\s*\(\s*([^()]*?)\s*\)", text)
    if hit is not None and named(hit[2]) is not None and hit[2] not in symbols:
        text = f"{hit[1]} {hit[2]}"
    return text


def _without_unit(text: str, symbols: Set[str]) -> tuple[str, Unit | None]:
    """What stands before the unit, and the unit."""
    if named(text) is not None and text not in symbols:
        return "", named(text)
    squeezed = re.sub(r"\s*/\s*", "/", text)
    if squeezed.endswith("%"):
        raise Unreadable("a percentage is not asked here; write a number, and a unit")
    rate = _RATE.search(squeezed)
    if rate is not None and named(rate[1]) is not None:
        raise Unreadable(f"{rate[0]!r} is a rate, so much per second; write an amount, as in 12.3 {rate[1]}")
    if _BITS.search(squeezed):
        raise Unreadable("a bit is an eighth of a byte; write bytes, as in 12.3 MB")
    for word in spellings():
        found = squeezed[-len(word) :]
        body = squeezed[: -len(word)].rstrip()
        if found.lower() != word.lower() or not body or found in symbols:
            continue
        if squeezed[-len(word) - 1].isalpha() or squeezed[-len(word) - 1] in "_*^(" or body[-1] in "*/^(+-,":
            continue
        unit = named(found)
        if unit is not None:
            return body, unit
    return squeezed, None


def _commas(text: str) -> str:
    """The text without the commas and underscores that separate thousands."""
    text = re.sub(r"(?<=\d)_(?=\d{3})", "", text)
    if any(f"{name}(" in text.replace(" ", "") for name in _FUNCTIONS):
        return text
    text = _THOUSANDS.sub(lambda hit: hit[0].replace(",", ""), text)
    if "," in text:
        raise Unreadable(
            "a comma separates thousands, as in 1,234; decimals are written with a point, as in 3.5"
        )
    return text


def _written_out(text: str) -> str:
    """`.5` as `0.5`, `5.` as `5`, and `1.2*10^9` as the one number it is."""
    text = re.sub(r"(?<![\w.])\.(?=\d)", "0.", text)
    text = re.sub(r"(?<=\d)\.(?![\w.])", "", text)
    return re.sub(r"(?<![\w.^])(\d+(?:\.\d+)?) ?\* ?10 ?\^ ?(\d+)(?! ?\^)", r"\1e\2", text)


def _digits(text: str) -> Digits | None:
    hit = _NUMBER.fullmatch(text.strip())
    if hit is None:
        return None
    whole, decimals = hit[1].lstrip("0"), hit[2]
    if decimals is not None:
        count = len(whole + decimals) if whole else len(decimals.lstrip("0"))
        return Digits(count, count)
    return Digits(max(1, len(whole.rstrip("0"))), max(1, len(whole)))


def _of_factors(text: str) -> Digits | None:
    """How exactly a product is known: a digit less than its shortest decimal. 0.5 and 2.5 are exact."""
    found = [_digits(hit[0]) for hit in re.finditer(r"(?<![\w.])\d+\.\d+(?:[eE][-+]?\d+)?", text)]
    counts = [digits.most for digits in found if digits is not None and digits.most >= 3]
    if not counts:
        return None
    count = max(3, min(counts) - 1)
    return Digits(count, count)


def _spelled(text: str, symbols: Set[str], listed: Set[str]) -> str:
    """The formula with every sign of multiplication written. Raises Unreadable for words nobody knows."""
    parts: list[str] = []
    position, before = 0, ""
    while position < len(text):
        if text[position] == " ":
            position += 1
            continue
        hit = _TOKEN.match(text, position)
        if hit is None:
            shown = text[position : position + 12]
            raise Unreadable(f"cannot read {shown!r}; write a number, or a formula with + - * / ^ ( )")
        number, name, sign = hit.groups()
        kind = "number" if number else "name" if name else sign
        if name and name not in _FUNCTIONS:
            _check_name(name, symbols, listed, before == "number")
        if kind in ("number", "name", "(") and before in ("number", "name", ")"):
            if kind == before == "number":
                raise Unreadable(
                    "two numbers stand side by side; put a sign between them, or write 1,234 as one"
                )
            if not (kind == "(" and parts[-1] in _FUNCTIONS):
                parts.append("*")
        parts.append(hit[0])
        position, before = hit.end(), kind
    return " ".join(parts)


def _check_name(name: str, symbols: Set[str], listed: Set[str], after_number: bool) -> None:
    if name in symbols:
        return
    if name.lower() in ("nan", "inf", "infinity", "infinite", "none", "null"):
        raise Unreadable(f"{name!r} is no number")
    if name in ("K", "k", "M", "G", "T") and after_number:
        raise Unreadable(f"{name!r} may mean a power of 1000 or of 1024; write the number out, or with a unit")
    shown = name if len(name) <= 30 else f"{name[:27]}..."
    if named(name) is not None:
        raise Unreadable(f"the unit {shown!r} stands inside; write it once, at the end")
    alike = [symbol for symbol in sorted(symbols) if _bare(symbol) == _bare(name)]
    if len(alike) == 1:
        raise Unreadable(f"{shown!r} is no symbol of this exercise; did you mean {alike[0]!r}?")
    parts = _run_together(name, symbols)
    if parts:
        raise Unreadable(f"{shown!r} is no symbol of this exercise; did you mean {' '.join(parts)}?")
    units = UNITS if after_number else ()
    hit = nearest(name, [*symbols, *units]) if len(name) > 2 else None
    if hit is not None:
        raise Unreadable(f"{shown!r} is no symbol of this exercise and no unit; did you mean {hit!r}?")
    raise Unreadable(
        f"{shown!r} is no symbol of this exercise and no unit; its symbols are {', '.join(sorted(listed))}"
    )


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _run_together(name: str, symbols: Set[str]) -> list[str]:
    """The symbols that a word is made of, if it is: `HL` is H and L."""
    if not name:
        return []
    for length in range(min(len(name), 12), 0, -1):
        head, rest = name[:length], name[length:].lstrip("_")
        if head in symbols:
            tail = _run_together(rest, symbols) if rest else []
            if tail or not rest:
                return [head, *tail]
    return []


def _ratio(text: str, symbols: Set[str]) -> Ratio:
    try:
        return parse(text, None, Ratios(symbols, None), 2 * LONGEST, decimals=True)
    except InputError as error:
        raise Unreadable(str(error).partition("; use names")[0]) from None
