"""Finds proofs. Nothing here is trusted: the kernel checks every line of what comes out.

A quantity is first written as one polynomial over another, as its definition says (`shapes`), then both
are factored and what they share is cancelled, one factor a line. What is claimed is then read off the
factors: a symbol is not there, two quantities have the same form, every factor of a difference is positive.
"""

from __future__ import annotations

from .claims import Claim, Proof, Term
from .kernel.conclusions import bare
from .kernel.sums import differences, merged
from .poly import Poly
from .proofdata import poly_data, poly_of
from .script import NotFound
from .shapes import Forms

__all__ = ["NotFound", "prove"]


def _data(side: list[Poly]) -> Term:
    return tuple(map(poly_data, side))


def prove(claim: Claim) -> Proof:
    """A proof of the claim. Raises NotFound."""
    script = _Conclusions(claim)
    script.conclude(claim.statement)
    return script.proof()


class _Conclusions(Forms):
    """A script that knows how each kind of statement follows from forms and signs."""

    def conclude(self, statement: Term) -> int:
        """The line that says it."""
        head = statement[0]
        rules = {
            "same": self._same, "less": self._less, "atmost": self._less, "iff": self._iff,
            "independent": self._independent, "increasing": self._increasing, "crosses": self.crosses,
            "all": self._all, "cheapest": self._cheapest, "value": self._value,
        }  # fmt: skip
        return rules[head](statement)

    def _same(self, statement: Term) -> int:
        for way in (self.raw, self.tidy, self.in_primes):
            (one, *a), (two, *b) = way(statement[1]), way(statement[2])
            if bare(*map(_data, a)) == bare(*map(_data, b)):
                return self.add(statement, "same", [one, two])
        raise NotFound("their forms differ")

    def _less(self, statement: Term) -> int:
        head, left, right = statement
        place, above, below = self.tidy(right if left == ("num", 0) else ("sub", right, left))
        factors = list(dict.fromkeys(above + below))
        sign = self.positive if head == "less" else self.nonnegative
        return self.add(statement, head, [place, *map(sign, factors)])

    def _iff(self, statement: Term) -> int:
        (one, *a), (two, *b) = (
            self.tidy(right if left == ("num", 0) else ("sub", right, left)) for _, left, right in statement[1:]
        )
        for shared in (p for p in a[0] if p in b[0]):
            rest = [p for p in dict.fromkeys([*a[0], *a[1], *b[0], *b[1]]) if p != shared]
            try:
                return self.add(statement, "iff", [one, two, *map(self.positive, rest)])
            except NotFound:
                continue
        raise NotFound("the two differences have no factor in common that alone decides")

    def _independent(self, statement: Term) -> int:
        place, above, below = self.raw(statement[1])
        if any(self.depends(p, statement[2]) for p in above + below):
            place, above, below = self.tidy(statement[1], statement[2])
        if any(self.depends(p, statement[2]) for p in above + below):
            raise NotFound("it does not cancel")
        return self.add(statement, "absent", [place])

    def _increasing(self, statement: Term) -> int:
        _, e, name = statement
        return self.add(statement, "increasing", [self._less(("less", e, ("shift", e, name)))])

    def _all(self, statement: Term) -> int:
        return self.add(statement, "every", [self.conclude(part) for part in statement[1:]])

    def _cheapest(self, statement: Term) -> int:
        found = differences(*statement[1:])
        return self.add(statement, "cheapest", [self.nonnegative(poly_of(p)) for p in found])

    def _value(self, statement: Term) -> int:
        return self.add(statement, "meet", [self._flattened(node) for node in statement[1:]])

    def _flattened(self, start: Term) -> int:
        place, node = -1, start
        while (nxt := next(merged(node), None)) is not None:
            place = self.add(("value", start, nxt), "merge", [place] if place >= 0 else [])
            node = nxt
        if place < 0:
            raise NotFound("it is one sum already")
        return place
