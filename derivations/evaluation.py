"""Exact values of expressions and the truth of statements at given sizes: what refutes a claim.

Independent of how a proof would go: every expression is a ratio of two polynomials in one symbol
at most, computed with rational numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

from .claims import STEP, Claim, Term
from .exact import Poly, coefficients, minus, plus, read, times

__all__ = ["NoValue", "broken_by", "legal", "value"]

Values = Mapping[str, Fraction | int]


class NoValue(Exception):
    """An expression has no value at these sizes."""


def value(claim: Claim, e: Term, at: Values) -> Fraction:
    """The exact value of an expression. Raises NoValue where it has none."""
    head, *rest = e
    if head == "num":
        return Fraction(rest[0])
    if head == "sym":
        return _number(claim, rest[0], at)
    if head == "def":
        return value(claim, dict(claim.definitions)[rest[0]], at)
    if head == "shift":
        return value(claim, rest[0], {**at, rest[1]: Fraction(at[rest[1]]) + Fraction(at[STEP])})
    if head in ("lim", "root"):
        over, under = _ratio(claim, e, at)
        return _over(over.get((), Fraction(0)), under.get((), Fraction(0)))
    first, *others = (value(claim, part, at) for part in rest)
    for part in others:
        first = (
            first * part if head == "mul" else _over(first, part) if head == "div"
            else first + part if head == "add" else first - part
        )  # fmt: skip
    return first


def _over(above: Fraction, below: Fraction) -> Fraction:
    if not below:
        raise NoValue("a division by zero")
    return above / below


def _number(claim: Claim, name: str, at: Values) -> Fraction:
    """The number of a symbol."""
    if name in at:
        return Fraction(at[name])
    for head, known, *body in claim.assumptions:
        if head == "put" and known == name:
            return poly_value(claim, body[0], at)
    for known, (function, *parts) in claim.opaque:
        if known == name:
            numbers = [value(claim, part, at) for part in parts]
            rounded = {"min": min(numbers), "ceil": ceil(numbers[0]), "floor": floor(numbers[0])}
            return Fraction(rounded[function])
    raise NoValue(f"{name} has no number")


def _ratio(claim: Claim, e: Term, at: Values, free: frozenset[str] = frozenset()) -> tuple[Poly, Poly]:
    """(numerator, denominator) with every symbol put to its number but for the `free` ones."""
    one: Poly = {(): Fraction(1)}
    head, *rest = e
    if head == "num":
        return {(): Fraction(rest[0])} if rest[0] else {}, one
    if head == "sym":
        return _symbol(claim, rest[0], at, free), one
    if head == "def":
        return _ratio(claim, dict(claim.definitions)[rest[0]], at, free)
    if head == "shift":
        return _ratio(claim, rest[0], {**at, rest[1]: Fraction(at[rest[1]]) + Fraction(at[STEP])}, free)
    if head == "lim":
        return _limit(claim, rest[0], rest[1], at, free)
    if head == "root":
        return _root(claim, *rest, at, free)  # type: ignore[arg-type]
    over, under = _ratio(claim, rest[0], at, free)
    for part in rest[1:]:
        top, bottom = _ratio(claim, part, at, free)
        if head == "mul":
            over, under = times(over, top), times(under, bottom)
        elif head == "div":
            over, under = times(over, bottom), times(under, top)
        else:
            over = plus(times(over, bottom), times(top, under), 1 if head == "add" else -1)
            under = times(under, bottom)
    return over, under


def _symbol(claim: Claim, name: str, at: Values, free: frozenset[str]) -> Poly:
    if name in free:
        return {((name, 1),): Fraction(1)}
    for head, known, *body in claim.assumptions:
        if head == "put" and known == name and free & _inside(claim, name):
            over: Poly = {}
            for monomial, coefficient in read(body[0]).items():
                factors = [_symbol(claim, str(n), at, free) for n, e in monomial for _ in range(e)]
                over = plus(over, times({(): coefficient}, *factors))
            return over
    if free & _inside(claim, name):
        raise NoValue(f"{name} depends on {', '.join(sorted(free))}")
    number = _number(claim, name, at)
    return {(): number} if number else {}


def _inside(claim: Claim, name: str) -> set[str]:
    """The symbols a symbol depends on, itself left out."""
    bodies = [body for known, body in claim.opaque if known == name]
    found = {n for body in bodies for n in _names(claim, body)}
    for head, known, *body in claim.assumptions:
        if head == "put" and known == name:
            names = {str(n) for monomial in read(body[0]) for n, _ in monomial}
            found |= names.union(*(_inside(claim, n) for n in names))
    return found


def _names(claim: Claim, e: Term) -> set[str]:
    found: set[str] = set()
    for part in e[1:]:
        if e[0] == "sym":
            found.add(part)
            found |= _inside(claim, part)
        elif isinstance(part, tuple):
            found |= _names(claim, part)
    return found


def _limit(claim: Claim, e: Term, name: str, at: Values, free: frozenset[str]) -> tuple[Poly, Poly]:
    over, under = _ratio(claim, e, at, free | {name})
    top, bottom = coefficients(over, name), coefficients(under, name)
    if not bottom:
        raise NoValue("a division by zero")
    high, low = max(top, default=-1), max(bottom)
    if high > low:
        raise NoValue("it grows without bound")
    return (top[high] if high == low else {}), bottom[low]


def _root(
    claim: Claim, a: Term, b: Term, name: str, at: Values, free: frozenset[str]
) -> tuple[Poly, Poly]:
    over, _ = _ratio(claim, ("sub", b, a), at, free | {name})
    parts = coefficients(over, name)
    lowest = min(parts, default=0)
    parts = {power - lowest: poly for power, poly in parts.items()}
    if set(parts) != {0, 1}:
        raise NoValue(f"the two are not equal at just one {name}")
    return minus({}, parts[0]), parts[1]


def legal(claim: Claim, at: Values) -> bool:
    """Whether sizes are whole numbers of at least 1, widths positive, and every assumption holds."""
    sizes = all(n in at and Fraction(at[n]).denominator == 1 and at[n] >= 1 for n in claim.sizes if not _fixed(claim, n))
    if not sizes or not all(n in at and at[n] > 0 for n in claim.positives):
        return False
    try:
        for head, *rest in claim.assumptions:
            if head == "put":
                if value(claim, ("sym", rest[0]), at) < 1:
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
            return len(points) == 2 and _broken_crossing(claim, *rest, points)  # type: ignore[arg-type]
        return len(points) == 1 and _false(claim, head, rest, points[0])
    except NoValue:
        return False


def _apart(name: str, points: Sequence[Values]) -> bool:
    one, two = points
    return one[name] < two[name] and {**one, name: 0} == {**two, name: 0}


def _broken_pair(claim: Claim, head: str, e: Term, name: str, points: Sequence[Values]) -> bool:
    one, two = (value(claim, e, at) for at in points)
    return _apart(name, points) and (one != two if head == "independent" else one >= two)


def _broken_crossing(claim: Claim, a: Term, b: Term, name: str, points: Sequence[Values]) -> bool:
    """First not cheaper at the lower size, yet not dearer at the higher one: no such crossing lies between."""
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


