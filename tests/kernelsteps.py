"""Single steps of a proof, written as texts, and whether the rule they name takes them."""

from __future__ import annotations

import re
from fractions import Fraction

from derivations.claims import Claim
from derivations.kernel import RULES, Rejected
from derivations.kernel.steps import Step

REFUSALS = (Rejected, ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError)
"""What `check` takes for a refusal."""


def p(text):
    """A polynomial, as in `2 L L - 1/2 b + 3`; `0` is the empty one."""
    terms = {}
    for sign, body in re.findall(r"([+-]?) ?([^ +-][^+-]*)", text):
        number, names = re.fullmatch(r"([0-9/]*) ?(.*)", body.strip()).groups()
        symbols = names.split()
        key = tuple((n, symbols.count(n)) for n in sorted({*symbols}))
        terms[key] = terms.get(key, 0) + Fraction(number or 1) * (-1 if sign == "-" else 1)
    found = [(int(c) if c.denominator == 1 else str(c), m) for m, c in terms.items() if c]
    return tuple(sorted(found, key=lambda term: str(term[1])))


def w(*terms):
    """Weights from pairs of a coefficient and premises, as in (2, 0, 0, 1) for twice 0 squared times 1."""
    found = [(c, tuple((i, places.count(i)) for i in sorted({*places}))) for c, *places in terms]
    return tuple(sorted(found, key=lambda term: str(term[1])))


def form(e, above=(), below=()):
    """That an expression is some factors, given as texts, over others."""
    one, two = (tuple(sorted(map(p, side), key=str)) for side in (above, below))
    return "is", e, one, two


def pos(text):
    return "pos", p(text)


def nonneg(text):
    return "nonneg", p(text)


def num(value):
    return "num", value


def step(says, *got, weights=(), **claim):
    """A step in a claim about the sizes H, L and S and the width b, unless told otherwise."""
    return Step(Claim(says, **{"sizes": ("H", "L", "S"), "positives": ("b",), **claim}), says, got, weights)


def follows(rule, asked):
    try:
        return bool(RULES[rule](asked))
    except REFUSALS:
        return False


H, L, S, B, U, M = (("sym", name) for name in ("H", "L", "S", "b", "u", "m"))
F, G = ("def", "F"), ("def", "G")
MIN = {"opaque": (("m", ("min", L, ("num", 4))),)}
"""m = min(L, 4)."""


def known(*assumptions):
    return {"assumptions": assumptions}
