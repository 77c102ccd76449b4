"""Expressions of a claim as one polynomial over another, and what that rests on.

Written apart from the kernel and from what finds proofs: nothing is factored, and nothing cancelled but
equal denominators of a sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..claims import STEP, Claim, Term
from ..poly import Poly
from ..proofdata import poly_of
from .against import fixed

__all__ = ["NoForm", "Reader", "copies"]


class NoForm(Exception):
    """What is no fraction of polynomials, and why."""


@dataclass
class Reader:
    """Expressions as one polynomial over another, and what that rests on."""

    claim: Claim
    nonzero: list[Poly] = field(default_factory=list)
    """Divisors: sizes at which one is zero have no value and break nothing."""
    decisive: list[Poly] = field(default_factory=list)
    """Coefficients that decide a limit or a root: where one is zero, what is said here is not what is meant."""

    def symbol(self, name: str, seen: frozenset[str] = frozenset()) -> Poly:
        for head, known, *body in self.claim.assumptions:
            if head == "put" and known == name:
                if name in seen:
                    raise NoForm(f"{name} is defined by itself")
                return self.poly(body[0], seen | {name})
        return Poly.symbol(name)

    def poly(self, terms: Term, seen: frozenset[str] = frozenset()) -> Poly:
        found = poly_of(terms)
        return found.map_symbols(lambda name: self.symbol(name, seen))

    def form(self, e: Term) -> tuple[Poly, Poly]:
        head, *rest = e
        if head == "num":
            return Poly.const(Fraction(rest[0])), Poly.const(1)
        if head == "sym":
            return self.symbol(rest[0]), Poly.const(1)
        if head == "def":
            return self.form(dict(self.claim.definitions)[rest[0]])
        if head == "shift":
            self.free(rest[1])
            further = {rest[1]: Poly.symbol(rest[1]) + Poly.symbol(STEP)}
            inner = Reader(self.claim)
            above, below = inner.form(rest[0])
            self.nonzero += [p.map_symbols(further.get) for p in inner.nonzero]
            self.decisive += [p.map_symbols(further.get) for p in inner.decisive]
            return above.map_symbols(further.get), below.map_symbols(further.get)
        if head in ("lim", "root"):
            self.free(rest[-1])
            inner = Reader(self.claim)
            found = inner.limit(*rest) if head == "lim" else inner.root(*rest)
            self.nonzero += inner.nonzero
            self.decisive += inner.decisive
            return found
        above, below = self.form(rest[0])
        for part in rest[1:]:
            over, under = self.form(part)
            if head == "mul":
                above, below = above * over, below * under
            elif head == "div":
                if not over:
                    raise NoForm("a division by zero")
                self.nonzero.append(over)
                above, below = above * under, below * over
            elif below == under:
                above = above + over if head == "add" else above - over
            else:
                above = above * under + over * below * (1 if head == "add" else -1)
                below = below * under
        return above, below

    def free(self, name: str) -> None:
        """Raises NoForm where something else hangs on a symbol that is to move."""
        opaque = [known for known, body in self.claim.opaque if name in _names(self.claim, body)]
        if fixed(self.claim, name) or opaque:
            raise NoForm(f"{opaque[0] if opaque else name} does not move freely with {name}")

    def limit(self, e: Term, name: str) -> tuple[Poly, Poly]:
        """What stands before the highest powers; divisors must not be zero far out."""
        above, below = self.form(e)
        top, bottom = above.coefficients(name), below.coefficients(name)
        high, low = max(top, default=0), max(bottom, default=0)
        if not below or (above and high > low):
            raise NoForm("it grows without bound")
        moving = [parts for p in (*self.nonzero, *self.decisive) if set(parts := p.coefficients(name)) - {0}]
        self.nonzero = [p for p in self.nonzero if name not in p.names()]
        self.decisive = [p for p in self.decisive if name not in p.names()]
        self.decisive += [*(parts[max(parts)] for parts in moving), bottom[low]]
        return top[low] if top and high == low else Poly(), bottom[low]

    def root(self, first: Term, second: Term, name: str) -> tuple[Poly, Poly]:
        """Where a difference of degree 1 is zero, powers of the symbol left out."""
        above, _ = self.form(("sub", second, first))
        parts = above.coefficients(name)
        lowest = min(parts, default=0)
        if {power - lowest for power in parts} != {0, 1}:
            raise NoForm("the root is no ratio of polynomials")
        if any(len(p.coefficients(name)) > 1 for p in (*self.nonzero, *self.decisive)):
            raise NoForm("what is divided by may be zero at the root")
        self.decisive.append(parts[lowest + 1])
        return -parts[lowest], parts[lowest + 1]


def _names(claim: Claim, e: Term) -> set[str]:
    """Plain symbols an expression hangs on."""
    if e[0] == "sym":
        bodies = [body for known, body in claim.opaque if known == e[1]]
        bodies += [("add", *(("sym", n) for _, m in p[0] for n, _ in m))
                   for h, x, *p in claim.assumptions if h == "put" and x == e[1]]  # fmt: skip
        return {e[1]}.union(*(_names(claim, body) for body in bodies))
    return set().union(*(_names(claim, part) for part in e[1:] if isinstance(part, tuple)))


def copies(claim: Claim, name: str, mark: str) -> dict[str, Poly]:
    """A symbol, and those defined by it -> the same with a mark: their second values."""
    hanging = [known for known, _ in claim.opaque if name in _names(claim, ("sym", known))]
    return {n: Poly.symbol(n + mark) for n in (name, *hanging)}
