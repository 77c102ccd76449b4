"""Exact values of expressions and the truth of statements at given sizes: what refutes a claim.

Independent of how a proof would go: every expression is one fraction of polynomials (`compiled`), computed
with rational numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from operator import add, mul, sub, truediv
from typing import Any

from .claims import Claim, Term
from .compiled import NoValue, body_of, compiled
from .kernel.exact import read
from .kernel.sums import differences

__all__ = ["NoValue", "broken_by", "legal", "value"]

Values = Mapping[str, Fraction | int]


def value(claim: Claim, e: Term, at: Values) -> Fraction:
    """The exact value of an expression. Raises NoValue where it has none."""
    e = body_of(claim, e)
    if _limited(claim, e):
        return _joined(e[0], [value(claim, part, at) for part in e[1:]])
    form = compiled(claim, e)
    if isinstance(form, str):
        raise NoValue(form)
    numbers = {name: _number(claim, name, at) for name in form.names}
    if not all(any(poly.at(numbers) for poly in guard) for guard in form.guards):
        raise NoValue("a division by zero")
    for over, low in form.rungs:
        above, below = over.at(numbers), low.at(numbers)
        if below:
            return Fraction(above) / below
        if above:
            break
    raise NoValue("a division by zero")


def _limited(claim: Claim, e: Term) -> bool:
    """Whether a limit is a part of it, so that the parts are valued one by one."""
    parts = (body_of(claim, part) for part in e[1:] if isinstance(part, tuple))
    arithmetic = e[0] in ("add", "sub", "mul", "div")
    return arithmetic and any(part[0] == "lim" or _limited(claim, part) for part in parts)


def _joined(head: str, numbers: Sequence[Fraction]) -> Fraction:
    result = numbers[0]
    for number in numbers[1:]:
        if head == "div" and not number:
            raise NoValue("a division by zero")
        result = {"add": add, "sub": sub, "mul": mul, "div": truediv}[head](result, number)
    return result


def _number(claim: Claim, name: str, at: Values) -> Fraction | int:
    """The number of a symbol; one that an assumption gives is no choice."""
    for head, known, *body in claim.assumptions:
        if head == "put" and known == name:
            return poly_value(claim, body[0], at)
    return at[name] if name in at else _defined(claim, name, at)


def _defined(claim: Claim, name: str, at: Values) -> Fraction | int:
    """What a min, ceil or floor is."""
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
    if not sizes or not all(n in at and at[n] > 0 for n in claim.positives if not _fixed(claim, n)):
        return False
    try:
        if any(at[name] != _defined(claim, name, at) for name, _ in claim.opaque if name in at):
            return False
        for head, *rest in claim.assumptions:
            if head == "put":
                number = _number(claim, rest[0], at)
                if at.get(rest[0], number) != number:
                    return False
                least = 1 if rest[0] in claim.sizes else 0
                if number < least or not number or (least and number.denominator != 1):
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
    if head == "cheapest":
        return any(poly_value(claim, terms, at) < 0 for terms in _rivals(*rest))
    return False


@lru_cache(maxsize=8)
def _rivals(network: Term, chosen: Term) -> list[Term]:
    return differences(network, chosen)


def _holds(claim: Claim, statement: Term, at: Values) -> bool:
    head, *sides = statement
    left, right = (value(claim, side, at) for side in sides)
    return {"same": left == right, "less": left < right, "atmost": left <= right}[head]
