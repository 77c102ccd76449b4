"""Roots of degree 1 and 2 as formulas, exact where they are rational."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from .algebra import Ratio, factor
from .atoms import evaluate
from .poly import Coefficient, Poly
from .shown import Shown

if TYPE_CHECKING:
    import sympy

__all__ = ["Root"]


def _square_root(value: Fraction) -> Fraction:
    scaled = value.numerator * value.denominator
    root = isqrt(scaled)
    if root * root == scaled:
        return Fraction(root, value.denominator)
    return Fraction(isqrt(scaled * 10**60), value.denominator * 10**30)


@dataclass(frozen=True, slots=True)
class Root(Shown):
    """`(p + sign * sqrt(q)) / r`; `q` is zero for a root of degree 1."""

    p: Poly
    """Outside the square root."""
    q: Poly
    """Under it."""
    r: Poly
    """Denominator."""
    sign: int = 1
    """+1 or -1."""

    @property
    def ratio(self) -> Ratio | None:
        """The root when it needs no square root."""
        return None if self.q else Ratio(self.p, self.r)

    def value(self, values: Mapping[str, Coefficient]) -> Fraction | None:
        """The number, exact where it is rational and else to 30 decimals of the square root.

        None when a size is missing or the root is not real.
        """
        parts = [evaluate(part, values) for part in (self.p, self.q, self.r)]
        if any(part is None for part in parts):
            return None
        p, q, r = (Fraction(part or 0) for part in parts)
        if q < 0 or not r:
            return None
        return (p + self.sign * _square_root(q)) / r

    def sympy(self) -> sympy.Expr:
        """As a sympy expression."""
        from sympy import sqrt as root

        from .dims import to_sympy

        if self.ratio is not None:
            return self.ratio.sympy()
        inner = factor(self.q).sympy()
        return (to_sympy(self.p) + self.sign * root(inner)) / factor(self.r).sympy()
