"""Sizes that are no polynomials (min, ceil, floor), carried through polynomials as symbols.

`min(L, n)` becomes a symbol with that name and a definition kept here, so the arithmetic of
costs stays polynomial. Substitution and evaluation go through this module, which opens the
definition; sympy sees `Min`, `ceiling` and `floor`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from .domain import always_at_least
from .poly import Coefficient, Poly

__all__ = [
    "Atom", "atom_of", "bounds", "ceiling", "evaluate", "floored", "free_symbols", "least", "minimum", "put",
    "rows_per_token",
]  # fmt: skip

CONTEXT_HOLDS_QUERIES = Poly.symbol("L") - Poly.symbol("S")
"""`S <= L`: the context contains the query tokens."""


@dataclass(frozen=True, slots=True)
class Atom:
    """The definition behind one symbol."""

    function: str
    """`min`, `ceil` or `floor`."""
    arguments: tuple[Poly, ...]
    """What it is applied to; `ceil` and `floor` have two: the dividend and the divisor."""


_ATOMS: dict[str, Atom] = {}


def atom_of(name: str) -> Atom | None:
    """The definition of `name`, or None for a plain symbol."""
    return _ATOMS.get(name)


def _make(function: str, arguments: tuple[Poly, ...]) -> Poly:
    name = f"{function}({', '.join(a.text() for a in arguments)})"
    _ATOMS.setdefault(name, Atom(function, arguments))
    return Poly.symbol(name)


def minimum(left: Poly, right: Poly, facts: Iterable[Poly] = (CONTEXT_HOLDS_QUERIES,)) -> Poly:
    """The smaller of two sizes; a comparison that is provable everywhere is decided here."""
    known = tuple(facts)
    if always_at_least(right, left, known):
        return left
    if always_at_least(left, right, known):
        return right
    return least(left, right)


def least(left: Poly, right: Poly) -> Poly:
    """The smaller of two numbers, left undecided."""
    first, second = sorted((left, right), key=Poly.text)
    return _make("min", (first, second))


def ceiling(dividend: Poly, divisor: Poly) -> Poly:
    """`dividend / divisor`, rounded up."""
    return _rounded("ceil", dividend, divisor)


def floored(dividend: Poly, divisor: Poly) -> Poly:
    """`dividend / divisor`, rounded down."""
    return _rounded("floor", dividend, divisor)


def _rounded(function: str, dividend: Poly, divisor: Poly) -> Poly:
    if divisor == Poly.const(1) and _whole(dividend):
        return dividend
    top, bottom = dividend.constant, divisor.constant
    if top is not None and bottom is not None:
        return Poly.const(_apply(function, [Fraction(top), Fraction(bottom)]))
    return _make(function, (dividend, divisor))


def _whole(poly: Poly) -> bool:
    """Whether it is a whole number wherever sizes are: no width, no fraction, in definitions neither."""
    if any(Fraction(c).denominator != 1 or any(e < 0 for e in powers.values()) for powers, c in poly.powers()):
        return False
    atoms = [(name, _ATOMS.get(name)) for name in poly.names()]
    return all(
        name != "b" if atom is None else atom.function != "min" or all(map(_whole, atom.arguments))
        for name, atom in atoms
    )


def _apply(function: str, values: list[Fraction]) -> Coefficient:
    if function == "min":
        return min(values)
    quotient = values[0] / values[1]
    return ceil(quotient) if function == "ceil" else floor(quotient)


def put(poly: Poly, images: Mapping[str, Poly]) -> Poly:
    """`poly` with `images` put for symbols, inside definitions too."""

    def image(name: str) -> Poly | None:
        if name in images:
            return images[name]
        atom = _ATOMS.get(name)
        if atom is None:
            return None
        arguments = [put(argument, images) for argument in atom.arguments]
        if tuple(arguments) == atom.arguments:
            return None
        if atom.function == "min":
            return minimum(arguments[0], arguments[1])
        return _rounded(atom.function, arguments[0], arguments[1])

    return poly.map_symbols(image)


def evaluate(poly: Poly, values: Mapping[str, Coefficient]) -> Coefficient | None:
    """The number when every symbol has a value, else None."""
    images = {name: Poly.const(value) for name, value in values.items()}
    return put(poly, images).constant


def bounds(*polys: Poly) -> tuple[Poly, ...]:
    """What is known of the definitions in some polynomials, each at least 0: a min is no more than either."""
    found = []
    for name in sorted(frozenset().union(*(poly.names() for poly in polys))):
        atom = _ATOMS.get(name)
        if atom is not None and atom.function == "min":
            found += [argument - Poly.symbol(name) for argument in atom.arguments]
    return tuple(found)


def free_symbols(poly: Poly) -> frozenset[str]:
    """The plain symbols `poly` depends on, those inside definitions included."""
    found: set[str] = set()
    for name in poly.names():
        atom = _ATOMS.get(name)
        if atom is None:
            found.add(name)
        else:
            found.update(*(free_symbols(argument) for argument in atom.arguments))
    return frozenset(found)


def rows_per_token(size: Poly) -> Poly:
    """Rows one more context token adds while they grow: 1, or 1/m where m tokens make one row."""
    for name in size.names():
        atom = atom_of(name)
        if atom is None or size != Poly.symbol(name):
            continue
        grown = [rows_per_token(part) for part in atom.arguments if "L" in free_symbols(part)]
        if not grown:
            return Poly()
        return grown[0] if atom.function == "min" else grown[0] * atom.arguments[1].inverse()
    return size.coefficients("L").get(1, Poly())
