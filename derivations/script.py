"""The lines of a proof as they are found, and signs of polynomials among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .certificates import Facts
from .claims import Claim, Line, Proof, Term
from .kernel.steps import left_over
from .poly import Poly
from .proofdata import poly_data, poly_of, weights_data

__all__ = ["NotFound", "Script"]


class NotFound(Exception):
    """No proof was found; it may exist."""


class Script:
    """The lines found so far, each statement once."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.bodies = dict(claim.definitions)
        self.lines: list[Line] = []
        self.places: dict[Term, int] = {}
        self.facts = Facts(claim)

    def add(self, statement: Term, rule: str, premises: Iterable[int] = (), weights: Term = ()) -> int:
        needed = tuple(premises)  # these may add lines of their own
        place = self.places.get(statement)
        if place is None:
            place = self.places[statement] = len(self.lines)
            self.lines.append(Line(statement, rule, needed, weights))
        return place

    def proof(self) -> Proof:
        """The lines the last one needs, in the order in which it needs them."""
        self._shorten()
        order: list[int] = []

        def visit(place: int) -> None:
            for premise in self.lines[place].premises:
                if premise not in seen:
                    visit(premise)
            seen[place] = len(order)
            order.append(place)

        seen: dict[int, int] = {}
        visit(self.places[self.claim.statement])
        lines = tuple(
            Line(line.statement, line.rule, tuple(seen[p] for p in line.premises), line.weights)
            for line in (self.lines[place] for place in order)
        )
        uses = sorted((line.statement for line in lines if line.rule == "given"), key=str)
        return Proof(tuple(uses), lines)

    def _shorten(self) -> None:
        """Factor at once what is factored, and one of its factors again."""
        for place, line in enumerate(self.lines):
            while line.rule == "factor" and (before := self.lines[line.premises[0]]).rule == "factor":
                first = self.lines[before.premises[0]].statement
                gone = [len(left_over(*pair)) for pair in zip(first[2:], line.statement[2:], strict=True)]
                if sorted(gone) != [0, 1]:
                    break
                line = self.lines[place] = replace(line, premises=before.premises)

    def positive(self, poly: Poly) -> int:
        """The line that says `poly > 0`."""
        return self._sign("pos", poly)

    def nonnegative(self, poly: Poly) -> int:
        """The line that says `poly > 0`, or else the one that says `poly >= 0`."""
        try:
            return self._sign("pos", poly)
        except NotFound:
            return self._sign("nonneg", poly)

    def _sign(self, head: str, poly: Poly) -> int:
        statement = (head, poly_data(poly))
        if statement in self.places:
            return self.places[statement]
        known = self.facts.rule(statement)
        if known is not None:
            return self._fact(statement, known)
        found = self.facts.certificate(poly, strict=head == "pos")
        if found is None:
            return self._divided(head, poly)
        weights, used = found
        premises = [self._fact(fact, rule) for fact, rule in used]
        order = sorted(range(len(used)), key=lambda slot: str(used[slot][0]))
        place = {old: new for new, old in enumerate(order)}
        renamed = {tuple(sorted((place[slot], e) for slot, e in m)): c for m, c in weights.items()}
        return self.add(statement, "combine", [premises[old] for old in order], weights_data(renamed))

    def _divided(self, head: str, poly: Poly) -> int:
        """The sign of a polynomial that is seen when it is multiplied by a size which the assumptions have."""
        tied = {name for _, q in self.facts.known for name in q.names()} - poly.names()
        for name in sorted(tied & {*self.claim.sizes}) if head == "pos" else ():
            if self.facts.certificate(poly * Poly.symbol(name), strict=True) is not None:
                product = self.positive(poly * Poly.symbol(name))
                return self.add((head, poly_data(poly)), "divided", [product, self.positive(Poly.symbol(name))])
        raise NotFound(f"{poly.text()} has no sign that is seen")

    def _fact(self, fact: Term, rule: str) -> int:
        if rule == "whole":
            strict = ("pos", poly_data(poly_of(fact[1]) + 1))
            return self.add(fact, rule, [self.add(strict, "given")])
        return self.add(fact, rule)
