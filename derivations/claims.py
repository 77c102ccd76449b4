"""What can be claimed, and the data of proofs: plain nested tuples, so that a checker needs nothing else.

An expression is a tuple with a head:

    ("num", 2)  ("sym", "L")  ("add", e, ...)  ("sub", e, e)  ("mul", e, ...)  ("div", e, e)
    ("def", name)            a quantity the claim defines
    ("lim", e, x)            its limit as x grows without bound
    ("shift", e, x)          e with x + δ put for x, where δ > 0 is new
    ("root", a, b, x)        the x at which a and b are equal

A polynomial is a tuple of (coefficient, monomial), sorted; a coefficient is an int, or a text such as
"1/2"; a monomial is a tuple of (symbol, exponent), sorted, exponents at least 1. A statement is one of

    ("is", e, above, below)         e is the product of some polynomials over that of others, none zero
    ("pos", p)  ("nonneg", p)       p > 0, p >= 0
    ("put", x, p)                   the symbol x is p
    ("same", e, e)  ("less", e, e)  ("atmost", e, e)
    ("iff", statement, statement)   two statements with "less" that hold at the same sizes
    ("independent", e, x)           the value of e does not depend on x
    ("increasing", e, x)            e grows strictly with x
    ("crosses", a, b, x)            a < b below one x, a > b above it, equal there and nowhere else
    ("cheapest", network, trees)    no bracketing of the network costs less than this one
    ("value", node, node)           two nested sums of products have the same value
    ("all", statement, ...)

and it is about every choice of sizes that the assumptions allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .shown import Shown

__all__ = ["STEP", "Claim", "Line", "Proof", "Term"]

Term = tuple[Any, ...]
"""An expression, a polynomial or a statement."""
STEP = "δ"
"""The positive symbol of "shift"; no name that a user can write."""


@dataclass(frozen=True, slots=True)
class Claim(Shown):
    """A statement about some quantities, for all sizes that satisfy the assumptions."""

    statement: Term
    """What is claimed."""
    definitions: tuple[tuple[str, Term], ...] = ()
    """Name of a quantity -> its expression; a body uses only names before it."""
    assumptions: tuple[Term, ...] = ()
    """What is taken as given: "pos", "nonneg" and "put"."""
    sizes: tuple[str, ...] = ()
    """Symbols that stand for whole numbers of at least 1."""
    positives: tuple[str, ...] = ()
    """Symbols that stand for positive numbers."""
    opaque: tuple[tuple[str, Term], ...] = ()
    """Symbols with a definition: ("min", e, e), or ("ceil", e) and ("floor", e) of a quotient."""


@dataclass(frozen=True, slots=True)
class Line:
    """One step of a proof."""

    statement: Term
    """What is now known."""
    rule: str
    """The rule that gives it."""
    premises: tuple[int, ...] = ()
    """The earlier lines it follows from."""
    weights: Term = ()
    """For "combine": a polynomial in the premises, which stand as whole numbers from 0."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Lines, the last of which is what was claimed."""

    hypotheses: tuple[Term, ...]
    """The assumptions that are used."""
    lines: tuple[Line, ...]
    """Each used by a later one, but for the last."""
