"""Exact values of expressions and the truth of statements at given sizes: what refutes a claim.

Independent of how a proof would go: every expression is a ratio of two polynomials in one symbol
at most, computed with rational numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

from .claims import STEP, Claim, Term
from .kernel import under
from .kernel.exact import ONE, Poly, coefficients, minus, plus, put, read, symbol, times

__all__ = ["NoValue", "broken_by", "legal", "value"]

Values = Mapping[str, Fraction | int]


class NoValue(Exception):
    """An expression has no value at these sizes."""


def value(claim: Claim, e: Term, at: Values) -> Fraction:
    """The exact value of an expression. Raises NoValue where it has none."""
    found = formal(claim, e)
    if isinstance(found, str):
        raise NoValue(found)
    over, low = found
    numbers = {name: _number(claim, name, at) for name in over.names | low.names}
    below = low.at(numbers)
    if not below:
        raise NoValue("a division by zero")
    return Fraction(over.at(numbers)) / below


class _Compiled:
    """A polynomial ready to be evaluated."""

    def __init__(self, poly: Poly) -> None:
        self.poly = poly
        self.rows = [(c.numerator if c.denominator == 1 else c, m) for m, c in poly.items()]
        self.names = frozenset(str(name) for m in poly for name, _ in m)

    def at(self, numbers: Mapping[str, Fraction | int]) -> Fraction | int:
        total: Fraction | int = 0
        for coefficient, monomial in self.rows:
            for name, exponent in monomial:
                coefficient = coefficient * numbers[str(name)] ** exponent
            total += coefficient
        return total


@lru_cache(maxsize=512)
def formal(claim: Claim, e: Term) -> tuple[_Compiled, _Compiled] | str:
    """An expression as one polynomial over another, in all its symbols; or why it has no such form."""
    try:
        over, low = _ratio(claim, e)
    except NoValue as error:
        return str(error)
    return _Compiled(over), _Compiled(low)


def _ratio(claim: Claim, e: Term) -> tuple[Poly, Poly]:
    head, *rest = e
    if head == "num":
        return {(): Fraction(rest[0])} if rest[0] else {}, ONE
    if head == "sym":
        return symbol(rest[0]), ONE
    if head == "def":
        return _ratio(claim, dict(claim.definitions)[rest[0]])
    if head in ("shift", "lim"):
        return _moved(claim, head, rest[0], rest[1])
    if head == "root":
        return _root(claim, *rest)
    over, low = _ratio(claim, rest[0])
    for part in rest[1:]:
        top, bottom = _ratio(claim, part)
        if head == "mul":
            over, low = times(over, top), times(low, bottom)
        elif head == "div":
            over, low = times(over, bottom), times(low, top)
        elif low == bottom:
            over = plus(over, top, 1 if head == "add" else -1)
        else:
            over = plus(times(over, bottom), times(top, low), 1 if head == "add" else -1)
            low = times(low, bottom)
    return over, low


def _moved(claim: Claim, head: str, e: Term, name: str) -> tuple[Poly, Poly]:
    """Further along a symbol, or as it grows without bound."""
    over, below = (_opened(claim, part, name) for part in _ratio(claim, e))
    if head == "shift":
        images: dict[str | int, Poly] = {name: plus(symbol(name), symbol(STEP))}
        return put(over, images), put(below, images)
    top, bottom = coefficients(over, name), coefficients(below, name)
    high, low = max(top, default=-1), max(bottom, default=-1)
    if low < 0 or high > low:
        raise NoValue("it grows without bound, or divides by zero")
    return (top[high] if high == low else {}), bottom[low]


def _root(claim: Claim, a: Term, b: Term, name: str) -> tuple[Poly, Poly]:
    parts = coefficients(_opened(claim, _ratio(claim, ("sub", b, a))[0], name), name)
    lowest = min(parts, default=0)
    parts = {power - lowest: poly for power, poly in parts.items()}
    if set(parts) != {0, 1}:
        raise NoValue(f"the two are not equal at just one {name}")
    return minus({}, parts[0]), parts[1]


def _opened(claim: Claim, poly: Poly, name: str) -> Poly:
    """The polynomial with what is put for symbols where that contains `name`."""
    for other in {str(n) for m in poly for n, _ in m} - {name}:
        if name not in under(claim, other):
            continue
        value = next(
            (body[0] for head, known, *body in claim.assumptions if (head, known) == ("put", other)), None
        )
        if value is None:
            raise NoValue(f"{other} depends on {name}")
        return _opened(claim, put(poly, {other: read(value)}), name)
    return poly


def _number(claim: Claim, name: str, at: Values) -> Fraction | int:
    """The number of a symbol."""
    if name in at:
        return at[name]
    for head, known, *body in claim.assumptions:
        if head == "put" and known == name:
            return poly_value(claim, body[0], at)
    for known, (function, *parts) in claim.opaque:
        if known == name:
            numbers = [value(claim, part, at) for part in parts]
            if function == "min":
                return min(numbers)
            return ceil(numbers[0]) if function == "ceil" else floor(numbers[0])
    raise NoValue(f"{name} has no number")


def legal(claim: Claim, at: Values) -> bool:
    """Whether sizes are whole numbers of at least 1, widths positive, and every assumption holds."""
    sizes = all(
        n in at and Fraction(at[n]).denominator == 1 and at[n] >= 1 for n in claim.sizes if not _fixed(claim, n)
    )
    if not sizes or not all(n in at and at[n] > 0 for n in claim.positives):
        return False
    try:
        for head, *rest in claim.assumptions:
            if head == "put":
                number = _number(claim, rest[0], at)
                if number < 1 or (rest[0] in claim.sizes and number.denominator != 1):
                    return False
                continue
            number = poly_value(claim, rest[0], at)
            if number < 0 or (head == "pos" and number == 0):
                return False
    except NoValue:
        return False
    return True


def _fixed(claim: Claim, name: str) -> bool:
    return any(head == "put" and rest[0] == name for head, *rest in claim.assumptions)


def poly_value(claim: Claim, terms: Term, at: Values) -> Fraction:
    """The value of a polynomial in a claim's symbols."""
    total = Fraction(0)
    for monomial, coefficient in read(terms).items():
        for name, exponent in monomial:
            coefficient *= _number(claim, str(name), at) ** exponent
        total += coefficient
    return total


def broken_by(claim: Claim, statement: Term, points: Sequence[Values]) -> bool:
    """Whether legal sizes show a statement to be false: one set of them, or two that differ in one symbol."""
    if not points or not all(legal(claim, at) for at in points):
        return False
    head, *rest = statement
    if head == "all":
        return any(broken_by(claim, part, points) for part in rest)
    try:
        if head in ("independent", "increasing"):
            return len(points) == 2 and _broken_pair(claim, head, rest[0], rest[1], points)
        if head == "crosses":
            return len(points) == 2 and _broken_crossing(claim, rest, points)
        return len(points) == 1 and _false(claim, head, rest, points[0])
    except NoValue:
        return False


def _apart(name: str, points: Sequence[Values]) -> bool:
    one, two = points
    return one[name] < two[name] and {**one, name: 0} == {**two, name: 0}


def _broken_pair(claim: Claim, head: str, e: Term, name: str, points: Sequence[Values]) -> bool:
    one, two = (value(claim, e, at) for at in points)
    return _apart(name, points) and (one != two if head == "independent" else one >= two)


def _broken_crossing(claim: Claim, rest: Sequence[Any], points: Sequence[Values]) -> bool:
    """First not cheaper at the lower size, yet not dearer at the higher one: no such crossing lies between."""
    a, b, name = rest
    one, two = (value(claim, ("sub", b, a), at) for at in points)
    return _apart(name, points) and one <= 0 and two >= 0


def _false(claim: Claim, head: str, rest: Sequence[Term], at: Values) -> bool:
    if head == "iff":
        return _holds(claim, rest[0], at) != _holds(claim, rest[1], at)
    if head in ("same", "less", "atmost"):
        return not _holds(claim, (head, *rest), at)
    return False


def _holds(claim: Claim, statement: Term, at: Values) -> bool:
    head, *sides = statement
    left, right = (value(claim, side, at) for side in sides)
    return {"same": left == right, "less": left < right, "atmost": left <= right}[head]
