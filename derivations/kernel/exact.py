"""Exact arithmetic for the kernel: polynomials with rational coefficients, as dicts.

A polynomial is a dict from monomials, sorted tuples of (symbol, exponent), to coefficients that are not 0.
In the data of a proof it is a tuple, and there is one tuple for each polynomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product

from ..claims import Term

__all__ = [
    "ONE",
    "Poly",
    "Rejected",
    "coefficients",
    "data",
    "expand",
    "minus",
    "need",
    "ordered",
    "plus",
    "put",
    "read",
    "symbol",
    "times",
]

Poly = dict[tuple[tuple[str | int, int], ...], int | Fraction]
ONE: Poly = {(): 1}
HIGHEST = 99
MOST = 10**99


class Rejected(Exception):
    """A proof that is none, and why."""


def need(condition: object, why: str) -> None:
    """Raises Rejected unless the condition holds."""
    if not condition:
        raise Rejected(why)


def data(poly: Poly) -> Term:
    """The one tuple that stands for a polynomial."""
    whole = ((c.numerator if c.denominator == 1 else str(c), m) for m, c in poly.items())
    return tuple(sorted(whole, key=lambda term: str(term[1])))


def read(terms: Term) -> Poly:
    need(all(number(c) for c, _ in terms), "a coefficient is no number that is written so")
    poly: Poly = {tuple(m): Fraction(c) if type(c) is str else c for c, m in terms}
    tidy = all(c and monomial(m) for m, c in poly.items())
    need(tidy and data(poly) == terms, "a polynomial is not in its canonical form")
    return poly


def number(value: object) -> bool:
    """Whether it is a whole number, or the text of a quotient, neither of them long."""
    return (type(value) is int and abs(value) < MOST) or (
        type(value) is str and len(value) < 99 and "e" not in value.lower()
    )


def monomial(powers: tuple[tuple[str | int, int], ...]) -> bool:
    """Whether each symbol occurs once, in order, with a whole exponent of at least 1."""
    names = [name for name, _ in powers]
    kinds = {type(name) for name in names} in (set(), {str}, {int})
    return kinds and names == sorted({*names}) and all(type(e) is int and 0 < e <= HIGHEST for _, e in powers)


def plus(left: Poly, right: Poly, sign: int = 1) -> Poly:
    result = dict(left)
    for m, c in right.items():
        result[m] = result.get(m, 0) + sign * c
    return {m: c for m, c in result.items() if c}


def minus(left: Poly, right: Poly) -> Poly:
    return plus(left, right, -1)


def times(*factors: Poly) -> Poly:
    result = ONE
    for factor in factors:
        terms: Poly = {}
        for (m, a), (n, b) in product(result.items(), factor.items()):
            powers = dict(m)
            for name, exponent in n:
                powers[name] = powers.get(name, 0) + exponent
            key = tuple(sorted((name, e) for name, e in powers.items() if e))
            terms[key] = terms.get(key, 0) + a * b
        result = {m: c for m, c in terms.items() if c}
    return result


def put(poly: Poly, images: Mapping[str | int, Poly]) -> Poly:
    """`images` put for symbols."""
    result: Poly = {}
    for m, c in poly.items():
        parts = [images.get(n, symbol(n)) for n, e in m for _ in range(e)]
        result = plus(result, times({(): c}, *parts))
    return result


def coefficients(poly: Poly, name: str) -> dict[int, Poly]:
    """Exponent of a symbol -> what multiplies that power."""
    parts: dict[int, Poly] = {}
    for m, c in poly.items():
        parts.setdefault(dict(m).get(name, 0), {})[tuple(pair for pair in m if pair[0] != name)] = c
    return parts


def symbol(name: str | int) -> Poly:
    return {((name, 1),): 1}


def expand(e: Term) -> Poly:
    """An expression multiplied out; what it divides by are single terms, which become negative exponents."""
    head, *rest = e
    if head in ("num", "sym"):
        need(number(rest[0]) if head == "num" else type(rest[0]) is str, "no number, or no name")
        return symbol(rest[0]) if head == "sym" else {(): Fraction(rest[0])} if Fraction(rest[0]) else {}
    need(head in ("add", "sub", "mul", "div"), f"{head!r} is not to be multiplied out")
    need(len(rest) == 2 or head in ("add", "mul"), f"{head!r} has two parts")
    first, *others = map(expand, rest)
    for part in others:
        if head == "div":
            need(len(part) == 1, "a division by a sum is a step of its own")
            ((m, c),) = part.items()
            first = times(first, {tuple((n, -e) for n, e in m): Fraction(1, c)})
        else:
            first = times(first, part) if head == "mul" else plus(first, part, 1 if head == "add" else -1)
    return first


def ordered(*sides: Iterable[Term]) -> Term:
    """Factors, or names, in the one order they are written in."""
    return tuple(sorted((part for side in sides for part in side), key=str))
