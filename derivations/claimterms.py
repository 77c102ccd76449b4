"""Formulas of a claims file as expressions: bounded, each name a quantity of the file or a size symbol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from .atoms import atom_of, ceiling, floored, least, minimum
from .claims import Claim, Term
from .compiled import compiled
from .errors import Place, unknown
from .expr import degree_of
from .poly import Poly
from .proofdata import expression_poly, poly_expression
from .syntax import Wrong, parse, sides_of

__all__ = ["LONGEST", "Names", "comparison_term", "expression"]

LONGEST = 400
"""Characters of a formula."""
MAX_TERMS = 400
MAX_DEGREE = 40
MAX_BITS = 200
"""Of a coefficient, multiplied out; the kernel reads none above 10^99."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a name in a formula can be."""

    quantities: Mapping[str, Term]
    """Quantities of the file, each with its expression."""
    symbols: Set[str]
    """Size symbols."""


@dataclass(frozen=True, slots=True)
class _Sized:
    """An expression and what multiplying it out could come to, above and below the line."""

    term: Term
    above: int = 1
    below: int = 1
    degree: int = 0
    bits: int = 1

    def bounded(self) -> _Sized:
        if max(self.above, self.below) > MAX_TERMS:
            raise Wrong("too many terms")
        if self.degree > MAX_DEGREE:
            raise Wrong(f"a degree above {MAX_DEGREE}")
        if self.bits > MAX_BITS:
            raise Wrong(f"numbers of more than {MAX_BITS} bits")
        return self


def expression(text: str, place: Place, names: Names) -> Term:
    """The expression of a formula. Raises InputError with the place, nearest known name included."""
    return parse(text, place, _Terms(names, place), LONGEST).term


def comparison_term(text: str, place: Place, names: Names) -> Term:
    """The statement of a comparison of two formulas: "less", "atmost" or "same"."""
    left, relation, right = sides_of(text, place)
    one, two = expression(left, place, names), expression(right, place, names)
    if relation in (">", ">="):
        one, two = two, one
    return {"=": "same", "<": "less", ">": "less"}.get(relation, "atmost"), one, two


class _Terms:
    """Formulas as expressions of `claims`."""

    def __init__(self, names: Names, place: Place) -> None:
        self.names, self.place = names, place

    def number(self, value: int) -> _Sized:
        return _Sized(("num", value), bits=value.bit_length())

    def name(self, name: str) -> _Sized:
        if name in self.names.quantities:
            return self._size(("def", name))
        if name not in self.names.symbols:
            raise unknown("name", name, {*self.names.quantities, *self.names.symbols}, self.place)
        return _Sized(("sym", name), degree=1)

    def _size(self, term: Term) -> _Sized:
        """The size of a quantity of the file."""
        head = term[0]
        if head == "def":
            inner = self._size(self.names.quantities[term[1]])
            return replace(inner, term=term)
        poly = expression_poly(term)
        if poly is not None:
            return _Sized(term, max(1, len(poly.terms)), 1, degree_of(poly), _bits(poly))
        if head in ("lim", "shift"):
            return self._size(term[1])
        one, two = self._size(term[1]), self._size(term[2])
        if head == "root":
            terms, bits = one.above + two.above, one.bits + two.bits
            return _Sized(term, terms, terms, max(one.degree, two.degree), bits)
        joined = {"add": self.add, "sub": self.subtract, "mul": self.multiply, "div": self.divide}[head]
        return joined(one, two)

    def add(self, left: _Sized, right: _Sized, head: str = "add") -> _Sized:
        above = left.above * right.below + right.above * left.below
        below = left.below * right.below
        degree = max(left.degree, right.degree) if below == 1 else left.degree + right.degree
        flat = left.below == right.below == 1
        bits = max(left.bits, right.bits) + 1 if flat else left.bits + right.bits + 1
        return _Sized((head, left.term, right.term), above, below, degree, bits).bounded()

    def subtract(self, left: _Sized, right: _Sized) -> _Sized:
        return self.add(left, right, "sub")

    def multiply(self, left: _Sized, right: _Sized) -> _Sized:
        above, below = left.above * right.above, left.below * right.below
        degree, bits = left.degree + right.degree, left.bits + right.bits
        return _Sized(("mul", left.term, right.term), above, below, degree, bits).bounded()

    def divide(self, left: _Sized, right: _Sized) -> _Sized:
        if self._zero(right.term):
            raise Wrong("a division by zero")
        above, below = left.above * right.below, left.below * right.above
        degree, bits = left.degree + right.degree, left.bits + right.bits
        return _Sized(("div", left.term, right.term), above, below, degree, bits).bounded()

    def _zero(self, term: Term) -> bool:
        """Whether a divisor is zero at all sizes."""
        form = compiled(Claim(("all",), tuple(self.names.quantities.items())), term)
        return not isinstance(form, str) and not any(over.rows for over, _ in form.rungs)

    def power(self, base: _Sized, exponent: int) -> _Sized:
        result = base
        for _ in range(exponent - 1):
            result = self.multiply(result, base)
        return result

    def minimum(self, parts: Sequence[_Sized]) -> _Sized:
        result = self._poly(parts[0])
        for part in parts[1:]:
            other = self._poly(part)
            # only of sizes, which are at least 1, is it known which is smaller
            known = all(atom_of(name) is None for name in result.names() | other.names())
            result = minimum(result, other) if known else least(result, other)
        return self._atom(result)

    def rounded(self, function: str, above: _Sized, below: _Sized) -> _Sized:
        over, under = self._poly(above), self._poly(below)
        if len(under.terms) != 1 or any(value < 0 for value in under.terms.values()):
            raise Wrong("the divisor must be a single positive term")
        return self._atom(ceiling(over, under) if function == "ceil" else floored(over, under))

    def _poly(self, part: _Sized) -> Poly:
        poly = expression_poly(part.term)
        if poly is None:
            raise Wrong("min, ceil and floor take sums of products of sizes only")
        return poly

    def _atom(self, poly: Poly) -> _Sized:
        return _Sized(poly_expression(poly), max(1, len(poly.terms)), 1, 1, _bits(poly))


def _bits(poly: Poly) -> int:
    """Of the longest coefficient, above or below its line."""
    numbers = (Fraction(value) for value in poly.terms.values())
    return max((max(abs(n.numerator), n.denominator).bit_length() for n in numbers), default=1)
