"""Size formulas in YAML and on the command line, as polynomials (`syntax` has the grammar).

`a / b` is an exact quotient: it must come out whole when numbers are put in. `ceil(a/b)` and
`floor(a/b)` round instead; a divisor is a single term. A comparison is `sum (< | <= | = | >= | >) sum`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .atoms import CONTEXT_HOLDS_QUERIES, ceiling, floored, minimum
from .dims import LARGEST
from .domain import nonnegative
from .errors import InputError, Place
from .poly import Poly
from .syntax import Wrong, parse, sides_of

__all__ = ["Comparison", "comparison", "degree_of", "parse_comparison", "parse_side", "parse_size"]

MAX_TERMS = 200
MAX_DEGREE = 8
HIGHEST = 40


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left relation right`, kept as the polynomial that must be at or above zero."""

    text: str
    """As written."""
    slack: Poly
    """Right side minus left side, turned so that the statement says `slack > 0` or `>= 0`."""
    strict: bool
    """True for `<` and `>`."""
    equal: bool = False
    """True for `=`: slack must be zero."""


def parse_size(text: str, place: Place) -> Poly:
    """The polynomial of a size formula. Raises InputError with the place for anything else."""
    result = parse_side(text, place)
    if any(abs(exponent) > MAX_DEGREE for powers, _ in result.powers() for exponent in powers.values()):
        raise InputError(f"the size {text[:60]!r} has a power above {MAX_DEGREE}", place)
    if nonnegative(-result, (CONTEXT_HOLDS_QUERIES,)):
        raise InputError(f"the size {text!r} is never positive", place)
    return result


def parse_comparison(text: str, place: Place) -> Comparison:
    """The comparison in `text`, such as `d_k + d_v < 2*d_c`."""
    left, relation, right = sides_of(text, place)
    return comparison(text, parse_side(left, place), relation, parse_side(right, place))


def comparison(text: str, left: Poly, relation: str, right: Poly) -> Comparison:
    """A comparison of two polynomials."""
    slack = left - right if relation in (">", ">=") else right - left
    return Comparison(text, slack, relation in ("<", ">"), relation == "=")


def parse_side(text: str, place: Place) -> Poly:
    """A formula that may be zero, as one side of a comparison may."""
    return parse(text, place, _Sizes())


def degree_of(poly: Poly) -> int:
    """The highest sum of exponents in a term, those below a line counted too."""
    return max((sum(map(abs, powers.values())) for powers, _ in poly.powers()), default=0)


class _Sizes:
    """Formulas as polynomials."""

    def number(self, value: int) -> Poly:
        return Poly.const(value)

    def name(self, name: str) -> Poly:
        return Poly.symbol(name)

    def add(self, left: Poly, right: Poly) -> Poly:
        return left + right

    def subtract(self, left: Poly, right: Poly) -> Poly:
        return left - right

    def multiply(self, left: Poly, right: Poly) -> Poly:
        if len(left.terms) * len(right.terms) > MAX_TERMS:
            raise Wrong("too many terms")
        if degree_of(left) + degree_of(right) > HIGHEST:
            raise Wrong(f"a degree above {HIGHEST}")
        result = left * right
        if any(not -(LARGEST**4) < value < LARGEST**4 for value in result.terms.values()):
            raise Wrong("a number is too large")
        return result

    def divide(self, left: Poly, right: Poly) -> Poly:
        if len(right.terms) != 1:
            raise Wrong("the divisor must be a single term")
        if nonnegative(-right):
            raise Wrong("the divisor must be positive")
        return self.multiply(left, right.inverse())

    def power(self, base: Poly, exponent: int) -> Poly:
        result = base
        for _ in range(exponent - 1):
            result = self.multiply(result, base)
        return result

    def minimum(self, parts: Sequence[Poly]) -> Poly:
        result = parts[0]
        for other in parts[1:]:
            result = minimum(result, other)
        return result

    def rounded(self, function: str, above: Poly, below: Poly) -> Poly:
        if len(below.terms) != 1 or nonnegative(-below):
            raise Wrong("the divisor must be a single positive term")
        return ceiling(above, below) if function == "ceil" else floored(above, below)
