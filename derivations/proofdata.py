"""Polynomials and proofs in and out of the plain tuples that the kernel reads."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from .claims import Line, Proof, Term
from .poly import Poly, product

__all__ = [
    "Sizes", "denominator", "expression_poly", "lists", "monomial_expression", "point_data", "point_of",
    "poly_data", "poly_expression", "poly_of", "proof_data", "proof_of", "tuples", "weights_data",
]  # fmt: skip

Sizes = Mapping[str, int | Fraction]
"""Symbol -> number; fractions for widths only."""


def poly_data(poly: Poly) -> Term:
    """The tuple of a polynomial without negative exponents."""
    terms = []
    for powers, coefficient in poly.powers():
        value = Fraction(coefficient)
        shown = value.numerator if value.denominator == 1 else str(value)
        terms.append((shown, tuple(sorted(powers.items()))))
    return tuple(sorted(terms, key=lambda term: str(term[1])))


def weights_data(weights: Mapping[tuple[tuple[int, int], ...], Fraction]) -> Term:
    """The tuple of a polynomial in premises."""
    terms = [(c.numerator if c.denominator == 1 else str(c), m) for m, c in weights.items()]
    return tuple(sorted(terms, key=lambda term: str(term[1])))


def poly_of(terms: Term) -> Poly:
    """The polynomial of a tuple."""
    return sum((product(Poly.symbol(n) ** e for n, e in m) * Fraction(c) for c, m in terms), start=Poly())


def denominator(poly: Poly) -> Poly:
    """The least single term times which a polynomial has whole coefficients and no negative exponent."""
    lowest: dict[str, int] = {}
    below = 1
    for powers, coefficient in poly.powers():
        below = lcm(below, Fraction(coefficient).denominator)
        for name, exponent in powers.items():
            lowest[name] = min(lowest.get(name, 0), exponent)
    return product(Poly.symbol(n) ** -e for n, e in lowest.items()) * below


def expression_poly(e: Term) -> Poly | None:
    """An expression multiplied out; None where it names a quantity or divides by a sum."""
    head, *rest = e
    if head in ("num", "sym"):
        return Poly.const(Fraction(rest[0])) if head == "num" else Poly.symbol(rest[0])
    if head not in ("add", "sub", "mul", "div"):
        return None
    parts = [expression_poly(part) for part in rest]
    found = parts[0]
    for part in parts[1:]:
        if found is None or part is None or (head == "div" and len(part.terms) != 1):
            return None
        if head in ("add", "sub"):
            found = found + part if head == "add" else found - part
        else:
            found = found * (part if head == "mul" else part.inverse())
    return found


def monomial_expression(powers: dict[str, int], coefficient: Fraction) -> Term:
    """A single term as a product of its symbols, over those with negative exponents."""

    def side(sign: int, number: int) -> list[Term]:
        names = [("sym", n) for n, e in powers.items() if e * sign > 0 for _ in range(e * sign)]
        return [("num", number), *names] if number != 1 or not names else names

    above, below = side(1, coefficient.numerator), side(-1, coefficient.denominator)
    over, under = (parts[0] if len(parts) == 1 else ("mul", *parts) for parts in (above, below))
    return over if below == [("num", 1)] else ("div", over, under)


def poly_expression(poly: Poly) -> Term:
    """A polynomial as a sum of single terms."""
    terms = sorted(poly.powers(), key=lambda item: (item[1] < 0, str(sorted(item[0].items()))))

    def added(sign: int) -> Term | None:
        parts = [
            monomial_expression(dict(sorted(powers.items())), Fraction(c * sign))
            for powers, c in terms
            if c * sign > 0
        ]
        return None if not parts else parts[0] if len(parts) == 1 else ("add", *parts)

    plus, minus = added(1), added(-1)
    return (plus or ("num", 0)) if minus is None else ("sub", plus or ("num", 0), minus)


def point_data(at: Sizes) -> dict[str, int | str]:
    """Sizes as JSON has them: a fraction as a text such as "1/2"."""
    return {name: int(n) if Fraction(n).denominator == 1 else str(n) for name, n in sorted(at.items())}


def point_of(data: dict[str, int | str]) -> dict[str, int | Fraction]:
    """Sizes from JSON."""

    def number(written: int | str) -> int | Fraction:
        if isinstance(written, int):
            return written
        above, below = written.split("/")
        return Fraction(int(above), int(below))

    return {name: number(written) for name, written in data.items()}


def tuples(value: Any) -> Any:
    """Lists, all the way down, as tuples."""
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def lists(value: Any) -> Any:
    """Tuples as lists."""
    return list(map(lists, value)) if isinstance(value, tuple | list) else value


def proof_data(proof: Proof) -> dict[str, Any]:
    """A proof as JSON has it."""
    lines = [
        [
            lists(line.statement),
            line.rule,
            list(line.premises),
            *([lists(line.weights)] if line.weights else []),
        ]
        for line in proof.lines
    ]
    return {"hypotheses": lists(proof.hypotheses), "lines": lines}


def proof_of(data: dict[str, Any]) -> Proof:
    """A proof from JSON; the kernel judges what it says."""
    lines = tuple(
        Line(tuples(says), rule, tuple(premises), tuples(weights[0]) if weights else ())
        for says, rule, premises, *weights in data["lines"]
    )
    return Proof(tuples(data["hypotheses"]), lines)
