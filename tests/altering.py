"""Every small change of the data of a proof: numbers, texts and parts, as they come and in order again."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, count
from typing import Any

CHANGES = ("number", "fraction", "text", "flag", "part dropped", "part doubled", "parts swapped")
"""What can be done to a statement or to weights."""
_TURNED = {
    "pos": ("nonneg", "put"), "nonneg": ("pos",), "less": ("atmost", "same"), "atmost": ("less",),
    "same": ("less",),
    "add": ("sub", "mul"), "sub": ("add",), "mul": ("add", "div"), "div": ("mul",), "num": ("sym",),
    "sym": ("num", "def"),
    "def": ("sym",), "is": ("pos",), "lim": ("shift",), "shift": ("lim",), "root": ("lim",), "sum": ("tensor",),
    "independent": ("increasing",), "increasing": ("independent",), "crosses": ("less",), "iff": ("all",),
}  # fmt: skip
"""Another head for each head of a statement or an expression."""


def statements(statement: Any, names: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Changes of one place of a statement, as they come and in order again, and two symbols for each other."""
    for kind, what, other in changes(statement, names):
        yield f"statement: {kind}", what, other
        if tidy(other) != other:
            yield f"statement: {kind}", f"{what}, in order", tidy(other)
    symbols = {part for part in leaves(statement) if isinstance(part, str)} - {*_TURNED}
    for one, two in combinations(sorted(symbols), 2):
        other = tidy(exchanged(statement, {one: two, two: one}))
        yield "symbols exchanged", f"{one} and {two}", other


def changes(term: Any, names: list[str]) -> Iterator[tuple[str, str, Any]]:
    """(kind, what, result) of each change of one number, one text or one part of a tuple."""
    if isinstance(term, bool):
        yield "flag", "turned", not term
    elif isinstance(term, int):
        for other in dict.fromkeys((term + 1, term - 1, -term, 0, 2 * term)):
            yield "number", f"{term} to {other}", other
    elif isinstance(term, str):
        if "/" in term:
            value = Fraction(term)
            for other in (value + 1, value * 2, -value, 1 / value):
                yield "fraction", f"{term} to {other}", int(other) if other.denominator == 1 else str(other)
        others = [*names, *_TURNED.get(term, ())]
        yield from (("text", f"{term} to {other}", other) for other in others if other != term)
    elif isinstance(term, tuple):
        for place, part, after in zip(count(), term, (*term[1:], None)):
            rest = term[place + 1 :]
            yield "part dropped", str(place), (*term[:place], *rest)
            yield "part doubled", str(place), (*term[:place], part, part, *rest)
            if after not in (None, part):
                yield "parts swapped", str(place), (*term[:place], after, part, *rest[1:])
            for kind, what, other in changes(part, names):
                yield kind, what, (*term[:place], other, *rest)


def leaves(term: Any) -> Iterator[Any]:
    """The numbers and texts of some data."""
    for part in term if isinstance(term, tuple) else ():
        yield from leaves(part) if isinstance(part, tuple) else (part,)


def tidy(term: Any) -> Any:
    """The same with polynomials and factors in the order they are written in."""
    if not isinstance(term, tuple):
        return term
    parts = tuple(map(tidy, term))
    if parts[:1] == ("is",) and len(parts) == 4:
        return (*parts[:2], *(tuple(sorted(s, key=str)) if isinstance(s, tuple) else s for s in parts[2:]))
    if parts and all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[1], tuple) for p in parts):
        terms = ((c, tuple(sorted(m, key=str))) for c, m in parts)
        return tuple(sorted(terms, key=lambda pair: str(pair[1])))
    return parts


def exchanged(term: Any, images: dict[Any, Any]) -> Any:
    """Some data with each number or text replaced; a flag is no number."""
    if isinstance(term, tuple):
        return tuple(exchanged(part, images) for part in term)
    return images.get(term, term) if type(term) in (int, str) else term
