"""Polynomials on plain integers: the working currency of trees, costs and search.

A monomial is one Python integer. Each symbol owns a field of `FIELD` bits and the field holds its
exponent, so multiplying monomials is adding integers. Exponents may be negative (`H_q/H_kv` is a
monomial), so these are Laurent polynomials. A polynomial is a dict from monomial to coefficient
(int, or Fraction where a size is divided by a number).

The table of symbol names is append-only and process-wide, like interned strings: it only decides
which field a name owns, never how anything is ordered or printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from math import gcd
from typing import TYPE_CHECKING

from .shown import Shown, from_above

if TYPE_CHECKING:
    import sympy

__all__ = ["Coefficient", "Poly", "product", "total"]

Coefficient = int | Fraction

FIELD = 16
_HALF = 1 << (FIELD - 1)
_MASK = (1 << FIELD) - 1
_NAMES: list[str] = []
_INDEX: dict[str, int] = {}


def _unit(name: str) -> int:
    """The monomial that is the symbol `name` to the first power."""
    index = _INDEX.get(name)
    if index is None:
        index = _INDEX[name] = len(_NAMES)
        _NAMES.append(name)
    return 1 << (FIELD * index)


def _unpack(monomial: int) -> dict[str, int]:
    """Symbol -> exponent, exponents of zero left out."""
    powers: dict[str, int] = {}
    index = 0
    while monomial:
        exponent = monomial & _MASK
        if exponent >= _HALF:
            exponent -= 1 << FIELD
        if exponent:
            powers[_NAMES[index]] = exponent
        monomial = (monomial - exponent) >> FIELD
        index += 1
    return powers


def _tidy(value: Coefficient) -> Coefficient:
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    return value


class Poly(Shown):
    """A Laurent polynomial; treat as immutable. Zero has no terms."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[int, Coefficient] | None = None) -> None:
        self.terms: dict[int, Coefficient] = {
            m: c if type(c) is int else _tidy(c) for m, c in (terms or {}).items() if c
        }
        self._hash: int | None = None

    @classmethod
    def const(cls, value: Coefficient) -> Poly:
        """The constant `value`."""
        return cls({0: value})

    @classmethod
    def symbol(cls, name: str) -> Poly:
        """The symbol `name` to the first power."""
        return cls({_unit(name): 1})

    def __add__(self, other: Poly | Coefficient) -> Poly:
        right = other if isinstance(other, Poly) else Poly.const(other)
        terms = dict(self.terms)
        for monomial, coefficient in right.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Poly(terms)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly | Coefficient) -> Poly:
        return self + (-other)

    def __rsub__(self, other: Coefficient) -> Poly:
        return -self + other

    def __mul__(self, other: Poly | Coefficient) -> Poly:
        if not isinstance(other, Poly):
            return Poly({m: c * other for m, c in self.terms.items()})
        terms: dict[int, Coefficient] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                terms[left + right] = terms.get(left + right, 0) + a * b
        return Poly(terms)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Poly:
        if exponent < 0:
            return self.inverse() ** -exponent
        return reduce(Poly.__mul__, [self] * exponent, Poly.const(1))

    def inverse(self) -> Poly:
        """One over a single term. Raises ValueError for anything with more or fewer terms."""
        if len(self.terms) != 1:
            raise ValueError("only a single term has an inverse that is a polynomial")
        ((monomial, coefficient),) = self.terms.items()
        return Poly({-monomial: Fraction(1) / coefficient})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | Fraction):
            return self.terms == Poly.const(other).terms
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __repr__(self) -> str:
        return f"Poly({self.text()})"

    def powers(self) -> Iterator[tuple[dict[str, int], Coefficient]]:
        """Each term as (symbol -> exponent, coefficient), in no promised order."""
        for monomial, coefficient in self.terms.items():
            yield _unpack(monomial), coefficient

    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset(name for powers, _ in self.powers() for name in powers)

    @property
    def constant(self) -> Coefficient | None:
        """The value when no symbol occurs, else None."""
        if not self.terms:
            return 0
        return self.terms.get(0) if len(self.terms) == 1 else None

    def degree(self, name: str) -> int:
        """The highest exponent of `name`; 0 when it does not occur."""
        return max((powers.get(name, 0) for powers, _ in self.powers()), default=0)

    def coefficients(self, name: str) -> dict[int, Poly]:
        """Exponent of `name` -> what multiplies that power."""
        unit = _unit(name)
        parts: dict[int, dict[int, Coefficient]] = {}
        for monomial, coefficient in self.terms.items():
            exponent = _unpack(monomial).get(name, 0)
            parts.setdefault(exponent, {})[monomial - exponent * unit] = coefficient
        return {exponent: Poly(terms) for exponent, terms in parts.items()}

    def content(self) -> Poly:
        """The largest single term that divides every term, with a positive coefficient."""
        if not self.terms:
            return Poly.const(1)
        parts = list(self.powers())
        shared = {
            name: min(powers.get(name, 0) for powers, _ in parts)
            for name in frozenset().union(*(powers for powers, _ in parts))
        }
        monomial = sum(exponent * _unit(name) for name, exponent in shared.items())
        values = [Fraction(c) for _, c in parts]
        above = reduce(gcd, (v.numerator for v in values))
        below = reduce(lambda a, b: a * b // gcd(a, b), (v.denominator for v in values))
        return Poly({monomial: Fraction(abs(above), below)})

    def map_symbols(self, image: Callable[[str], Poly | None]) -> Poly:
        """Put `image(name)` for each symbol; None leaves it. Negative powers need a one-term image.

        Raises ZeroDivisionError where a symbol under a fraction line becomes zero.
        """
        images = {name: image(name) for name in self.names()}
        if all(value is None for value in images.values()):
            return self
        result: dict[int, Coefficient] = {}
        for monomial, coefficient in self.terms.items():
            factor = Poly({0: coefficient})
            rest = monomial
            for name, exponent in _unpack(monomial).items():
                value = images[name]
                if value is None:
                    continue
                rest -= exponent * _unit(name)
                if exponent < 0 and not value:
                    raise ZeroDivisionError(name)
                factor = factor * value**exponent
            for other, c in factor.terms.items():
                result[other + rest] = result.get(other + rest, 0) + c
        return Poly(result)

    def sympy(self) -> sympy.Expr:
        """As a sympy expression: positive whole symbols, Min, ceiling and floor."""
        return from_above("dims").to_sympy(self)

    def text(self) -> str:
        """A plain, stable rendering for messages and keys; output for people goes through sympy."""
        parts = []
        for powers, coefficient in self.powers():
            above = [n if e == 1 else f"{n}**{e}" for n, e in sorted(powers.items()) if e > 0]
            below = [n if e == -1 else f"{n}**{-e}" for n, e in sorted(powers.items()) if e < 0]
            if coefficient != 1 or not above:
                above.insert(0, str(coefficient))
            parts.append("/".join(["*".join(above), *below]))
        return " + ".join(sorted(parts)) or "0"


def product(factors: Iterable[Poly]) -> Poly:
    """The product; 1 for none."""
    return reduce(Poly.__mul__, factors, Poly.const(1))


def total(summands: Iterable[Poly]) -> Poly:
    """The sum; 0 for none. Linear in the number of terms."""
    terms: dict[int, Coefficient] = {}
    for summand in summands:
        for monomial, coefficient in summand.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
    return Poly(terms)
