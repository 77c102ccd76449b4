"""Quantities as JavaScript: products of powers and sums, with min, ceil and floor, over an object of sizes.

A printed expression reads its sizes as `v.L`, `v.d_c` and so on, and uses nothing else but Math. What divides
a whole sum is printed before it: the whole numbers inside then stay below 2^53, where doubles are exact, and
what is rounded is a product of few factors. Coefficients that are fractions become divisions; no decimal is
ever printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm

from ..algebra import Factors, Ratio
from ..atoms import Atom, atom_of
from ..dims import is_name
from ..poly import Coefficient, Poly
from ..roots import Root

__all__ = ["expression", "longest_of", "root"]

_WRITTEN_OUT = 6
"""Powers up to this are products, which doubles round less than Math.pow does."""


def expression(quantity: Poly | Ratio | Factors) -> str:
    """A quantity as JavaScript over `v`. Raises ValueError for a symbol that is no plain name."""
    if isinstance(quantity, Poly):
        return _factors(_outer(quantity)) if quantity else "0"
    return _factors(quantity.factors() if isinstance(quantity, Ratio) else quantity)


def longest_of(kernels: Iterable[tuple[Poly, Poly]]) -> str:
    """The sum over kernels of the larger of two amounts, such as FLOPs and the ridge times bytes."""
    parts = []
    for one, two in kernels:
        if one and two:
            parts.append(f"Math.max({expression(one)},{expression(two)})")
        else:
            parts.append(expression(one + two))
    return "+".join(parts) or "0"


def root(found: Root) -> str:
    """A root; one with a square root calls `root(p, q, c, r, sign)` with `c = p^2 - q`.

    Where p and the square root nearly cancel, `c / (r (p - sign sqrt(q)))` is the same number without
    the loss, and the engine makes c exactly.
    """
    if found.ratio is not None:
        return expression(found.ratio)
    parts = (found.p, found.q, found.p * found.p - found.q, found.r)
    return f"root({','.join(expression(part) for part in parts)},{found.sign})"


def _outer(poly: Poly) -> Factors:
    """A polynomial as the single term that divides all of it, times the rest."""
    shared = poly.content()
    ((powers, number),) = shared.powers()
    rest = poly * shared.inverse()
    alone = rest.constant
    if alone is not None:
        return Factors(Fraction(number) * alone, powers)
    return Factors(Fraction(number), powers, ((rest, 1),))


def _factors(factors: Factors) -> str:
    return _over(_product(factors.part(True)), _product(factors.part(False))) if factors.number else "0"


def _product(factors: Factors) -> list[str]:
    """The factors of a whole number, symbols and sums, all with positive exponents; 1 is left out."""
    number = Fraction(factors.number).numerator
    parts = [] if number == 1 else [str(number)]
    parts += _powers(factors.powers)
    for poly, exponent in sorted(factors.sums, key=lambda pair: pair[0].text()):
        parts += _repeated(f"({_sum(poly)})", exponent)
    return parts


def _over(above: list[str], below: list[str]) -> str:
    """A quotient of two products."""
    top = "*".join(above) or "1"
    if not below:
        return top
    return f"{top}/{below[0]}" if len(below) == 1 else f"{top}/({'*'.join(below)})"


def _sum(poly: Poly) -> str:
    """A sum, term by term; fractions and negative powers become divisions."""
    text = ""
    for powers, coefficient in sorted(poly.powers(), key=lambda term: (-sum(term[0].values()), _key(term[0]))):
        size = abs(Fraction(coefficient))
        term = Factors(size, powers)
        text += ("-" if coefficient < 0 else "+" if text else "") + _factors(term)
    return text or "0"


def _key(powers: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(powers.items()))


def _powers(powers: Mapping[str, int]) -> list[str]:
    return [part for name in sorted(powers) for part in _repeated(_symbol(name), powers[name])]


def _repeated(text: str, exponent: int) -> list[str]:
    return [text] * exponent if exponent <= _WRITTEN_OUT else [f"Math.pow({text},{exponent})"]


def _symbol(name: str) -> str:
    atom = atom_of(name)
    if atom is not None:
        return _atom(atom)
    if not is_name(name):
        raise ValueError(f"{name[:40]!r} is no symbol")
    return f"v.{name}"


def _atom(atom: Atom) -> str:
    if atom.function == "min":
        return f"Math.min({','.join(expression(argument) for argument in atom.arguments)})"
    above, below = _whole(*atom.arguments)
    return f"Math.{atom.function}({_over(_product(_outer(above)), _product(_outer(below)))})"


def _whole(above: Poly, below: Poly) -> tuple[Poly, Poly]:
    """Both sides times what makes them free of fractions, so that a quotient is rounded once."""
    terms = [term for side in (above, below) for term in side.powers()]
    number = lcm(*(Fraction(coefficient).denominator for _, coefficient in terms))
    names = {name for powers, _ in terms for name in powers}
    clear = Poly.const(number)
    for name in names:
        clear = clear * Poly.symbol(name) ** max(0, *(-_exponent(term, name) for term in terms))
    return above * clear, below * clear


def _exponent(term: tuple[Mapping[str, int], Coefficient], name: str) -> int:
    return term[0].get(name, 0)
