"""Expressions as fractions of polynomials, ready to be evaluated at many sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .claims import STEP, Claim, Term
from .kernel import under
from .kernel.exact import ONE, Poly, coefficients, minus, plus, put, read, symbol, times

__all__ = ["Form", "NoValue", "body_of", "compiled"]


class NoValue(Exception):
    """An expression has no value at these sizes."""


def body_of(claim: Claim, e: Term) -> Term:
    """What a name of a quantity stands for; any other expression as it is."""
    return body_of(claim, dict(claim.definitions)[e[1]]) if e[0] == "def" else e


class _Compiled:
    """A polynomial ready to be evaluated."""

    def __init__(self, poly: Poly) -> None:
        self.rows = [(c.numerator if c.denominator == 1 else c, m) for m, c in poly.items()]
        self.names = frozenset(str(name) for m in poly for name, _ in m)

    def at(self, numbers: Mapping[str, Fraction | int]) -> Fraction | int:
        total: Fraction | int = 0
        for coefficient, monomial in self.rows:
            for name, exponent in monomial:
                coefficient = coefficient * numbers[str(name)] ** exponent
            total += coefficient
        return total


@dataclass(frozen=True)
class Form:
    """An expression as a fraction, in all its symbols.

    A limit has a fraction for each power, the highest first: at single sizes a leading coefficient may be
    zero, and the first fraction that is not 0/0 counts.
    """

    rungs: Sequence[tuple[_Compiled, _Compiled]]
    """Above and below the line."""
    guards: Sequence[Sequence[_Compiled]]
    """What else has been divided by: not all of each may be zero."""
    names: frozenset[str]
    """All symbols."""


@lru_cache(maxsize=512)
def compiled(claim: Claim, e: Term) -> Form | str:
    """An expression as a fraction of polynomials; or why it has no such form."""
    e = body_of(claim, e)
    try:
        fraction = _fraction(claim, e[1] if e[0] == "lim" else e)
        rungs, guards = [(fraction.over, fraction.low)], [[poly] for poly in fraction.guards]
        if e[0] == "lim":
            rungs, guards = _powers(claim, fraction, e[2])
    except NoValue as error:
        return str(error)
    ladder = [(_Compiled(over), _Compiled(low)) for over, low in rungs]
    apart = [[_Compiled(poly) for poly in guard] for guard in guards]
    used = [*(poly for rung in ladder for poly in rung), *(poly for guard in apart for poly in guard)]
    return Form(ladder, apart, frozenset[str]().union(*(poly.names for poly in used)))


class _Fraction(NamedTuple):
    """Above the line, below it, and what else must not be zero."""

    over: Poly
    low: Poly = ONE
    guards: tuple[Poly, ...] = ()


def _fraction(claim: Claim, e: Term) -> _Fraction:
    head, *rest = e
    if head == "num":
        return _Fraction({(): Fraction(rest[0])} if rest[0] else {})
    if head == "sym":
        return _Fraction(symbol(rest[0]))
    if head == "def":
        return _fraction(claim, dict(claim.definitions)[rest[0]])
    if head == "shift":
        images: dict[str | int, Poly] = {rest[1]: plus(symbol(rest[1]), symbol(STEP))}
        over, low, guards = _opened(claim, _fraction(claim, rest[0]), rest[1])
        return _Fraction(put(over, images), put(low, images), tuple(put(poly, images) for poly in guards))
    if head == "lim":
        rungs, _ = _powers(claim, _fraction(claim, rest[0]), rest[1])
        return _Fraction(*rungs[0])
    if head == "root":
        return _root(claim, *rest)
    over, low, guards = _fraction(claim, rest[0])
    for part in rest[1:]:
        top, bottom, more = _fraction(claim, part)
        guards += more
        if head == "mul":
            over, low = times(over, top), times(low, bottom)
        elif head == "div":
            guards += (bottom,) if {*bottom} != {()} else ()
            over, low = times(over, bottom), times(low, top)
        elif low == bottom:
            over = plus(over, top, 1 if head == "add" else -1)
        else:
            over = plus(times(over, bottom), times(top, low), 1 if head == "add" else -1)
            low = times(low, bottom)
    if not low:
        raise NoValue("a division by zero")
    return _Fraction(over, low, guards)


def _powers(claim: Claim, fraction: _Fraction, name: str) -> tuple[list[tuple[Poly, Poly]], list[list[Poly]]]:
    """The coefficients on both sides of the line from the highest power down, and those of all divisors."""
    over, low, guards = _opened(claim, fraction, name)
    top, bottom = coefficients(over, name), coefficients(low, name)
    powers = sorted({*top, *bottom}, reverse=True)
    if powers[0] not in bottom:
        raise NoValue("it grows without bound")
    rungs: list[tuple[Poly, Poly]] = [(top.get(power, {}), bottom.get(power, {})) for power in powers]
    return rungs, [list(coefficients(poly, name).values()) for poly in guards]


def _root(claim: Claim, a: Term, b: Term, name: str) -> _Fraction:
    over, _, guards = _opened(claim, _fraction(claim, ("sub", b, a)), name)
    parts = coefficients(over, name)
    lowest = min(parts, default=0)
    parts = {power - lowest: poly for power, poly in parts.items()}
    if set(parts) != {0, 1}:
        raise NoValue(f"the two are not equal at just one {name}")
    return _Fraction(minus({}, parts[0]), parts[1], tuple(p for p in guards if len(coefficients(p, name)) < 2))


def _opened(claim: Claim, fraction: _Fraction, name: str) -> _Fraction:
    """The same with what is put for symbols where that contains `name`."""
    over, low, *guards = (_open(claim, poly, name) for poly in (*fraction[:2], *fraction.guards))
    return _Fraction(over, low, tuple(guards))


def _open(claim: Claim, poly: Poly, name: str) -> Poly:
    for other in {str(n) for m in poly for n, _ in m} - {name}:
        if name not in under(claim, other):
            continue
        value = next(
            (body[0] for head, known, *body in claim.assumptions if (head, known) == ("put", other)), None
        )
        if value is None:
            raise NoValue(f"{other} depends on {name}")
        return _open(claim, put(poly, {other: read(value)}), name)
    return poly
