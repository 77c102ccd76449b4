"""Finds proofs. Nothing here is trusted: the kernel checks every line of what comes out.

A quantity is first written as one polynomial over another, as its definition says, then both are
factored and what they share is cancelled, one factor a line. What is claimed is then read off the
factors: a symbol is not there, two quantities have the same form, every factor of a difference is positive.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import gcd

from .algebra import factor
from .certificates import Facts
from .claims import STEP, Claim, Line, Proof, Term
from .exact import data as exact_data
from .exactsums import differences, merged
from .kernel import under
from .poly import Poly, product
from .proofdata import denominator, expression_poly, poly_data, poly_of

__all__ = ["NotFound", "prove"]


_Form = tuple[int, list[Poly], list[Poly]]
"""The line that gives a quantity as a fraction, and the factors above and below the line."""


class NotFound(Exception):
    """No proof was found; it may exist."""


def prove(claim: Claim) -> Proof:
    """A proof of the claim. Raises NotFound."""
    script = _Script(claim)
    script.conclude(claim.statement)
    return script.proof()


class _Script:
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

    # Signs.

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
        return self.add(statement, "combine", [premises[old] for old in order], exact_data(renamed))

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

    # Forms.

    def raw(self, e: Term) -> _Form:
        """The line that says what an expression is, as its definition says it; and both sides of that."""
        head = e[0]
        if head == "def":
            body = self.bodies[e[1]]
            flat = expression_poly(body)
            place, above, below = self.raw(body) if flat is None else self._flat(body, flat)
            found = self._is(e, "unfold", [place], above, below)
            return found if flat is None else self._substituted(e, found)
        flat = expression_poly(e)
        if flat is not None:
            return self._substituted(e, self._flat(e, flat))
        if head in ("add", "sub", "mul", "div"):
            return self._binary(e)
        if head == "root":
            return self._root(e)
        if head == "lim":
            return self._limit(e)
        if head == "shift":
            place, above, below = self.raw(e[1])
            self._open(e[2], above + below)
            images = {e[2]: Poly.symbol(e[2]) + Poly.symbol(STEP)}
            above, below = ([p.map_symbols(images.get) for p in side] for side in (above, below))
            return self._is(e, "shift", [place], above, below)
        raise NotFound(f"no form of {head}")

    def _is(
        self, e: Term, rule: str, premises: Iterable[int], above: list[Poly], below: list[Poly]
    ) -> _Form:
        statement = ("is", e, _side(above), _side(below))
        return self.add(statement, rule, premises), _sorted(above), _sorted(below)

    def _flat(self, e: Term, poly: Poly) -> _Form:
        clear = denominator(poly)
        below = [] if clear == 1 else [clear]
        return self._is(e, "multiply_out", map(self.positive, below), [poly * clear], below)

    def _substituted(self, e: Term, found: _Form) -> _Form:
        """The same with everything put in that the assumptions say."""
        for head, name, *rest in self.claim.assumptions:
            if head == "put" and any(name in p.names() for side in found[1:] for p in side):
                given = self.add((head, name, *rest), "given")
                images = {name: poly_of(rest[0])}
                above, below = ([p.map_symbols(images.get) for p in side] for side in found[1:])
                found = self._is(e, "substitute", [found[0], given], above, below)
        return found

    def _binary(self, e: Term) -> _Form:
        head, a, b = e
        one, above, below = self.raw(a)
        two, over, under = self.raw(b)
        if head == "mul":
            return self._is(e, "multiply", [one, two], above + over, below + under)
        if head == "div":
            signs = [self.positive(p) for p in dict.fromkeys(over)]
            return self._is(e, "divide", [one, two, *signs], above + under, below + over)
        left, right = product(above), product(over)
        if _side(below) != _side(under):
            left, right = left * product(under), right * product(below)
            below = below + under
        top = left + right if head == "add" else left - right
        return self._is(e, "add", [one, two], [top], below)

    def _limit(self, e: Term) -> _Form:
        _, inner, name = e
        place, above, below = self.raw(inner)
        self._open(name, above + below)
        top, bottom = (product(side).coefficients(name) for side in (above, below))
        if product(above) == 0:
            top = {}
        high, low = max(top, default=0), max(bottom)
        if high > low:
            raise NotFound("it grows without bound")
        end = top[high] if top and high == low else Poly()
        return self._is(e, "limit", [place, self.positive(bottom[low])], [end], [bottom[low]])

    def _root(self, e: Term) -> _Form:
        _, a, b, name = e
        crossing = self.crosses(("crosses", a, b, name))
        place = self.lines[crossing].premises[0]
        _, _, above, _ = self.lines[place].statement
        parts = next(c for p in above if len(c := poly_of(p).coefficients(name)) > 1)
        if set(parts) != {0, 1}:
            raise NotFound("the crossing is no ratio of polynomials")
        return self._is(e, "root", [place, crossing], [parts[0]], [-parts[1]])

    def tidy(self, e: Term, only: str | None = None) -> _Form:
        """The same factored and with common factors cancelled; with `only`, those with that symbol."""
        found = self.raw(e)
        for side in (1, 2):
            for poly in list(found[side]):
                parts = self._factors(poly)
                if len(parts) > 1:
                    found = self._replaced(e, found, side, poly, parts)
        return self._cancelled(e, found, only)

    def _replaced(self, e, found, side, poly, parts):  # type: ignore[no-untyped-def]
        sides = [list(found[1]), list(found[2])]
        sides[side - 1].remove(poly)
        sides[side - 1] += parts
        return self._is(e, "factor", [found[0]], *sides)

    def _factors(self, poly: Poly) -> list[Poly]:
        """A number, symbols, and sums, each turned so that it is positive where that is seen."""
        if not poly or poly.constant is not None:
            return [poly]
        found = factor(poly)
        number, sums, open_ = found.number, list[Poly](), list[int]()
        for part, exponent in found.sums:
            sign = self._orientation(part)
            if sign is None:
                open_.append(len(sums))
            if sign == -1:
                number = number * (-1) ** exponent
                part = -part
            sums += [part] * exponent
        odd = [place for place in open_ if sums.count(sums[place]) % 2]
        if number < 0 and odd:
            number, sums[odd[0]] = -number, -sums[odd[0]]
        symbols = [Poly.symbol(name) for name, exponent in found.powers.items() for _ in range(exponent)]
        return [*([] if number == 1 else [Poly.const(number)]), *symbols, *sums]

    def _orientation(self, poly: Poly) -> int | None:
        for sign in (1, -1):
            try:
                self.positive(poly * sign)
            except NotFound:
                continue
            return sign
        return None

    def _cancelled(self, e, found, only):  # type: ignore[no-untyped-def]
        numbers = [next((p for p in side if p.constant not in (None, 1)), Poly.const(1)) for side in found[1:]]
        shared = gcd(*(int(n.constant or 0) for n in numbers)) if only is None else 1
        if shared > 1:
            for side, number in zip((1, 2), numbers, strict=True):
                if number != shared:
                    parts = [Poly.const(shared), number * Poly.const(shared).inverse()]
                    found = self._replaced(e, found, side, number, parts)
        for poly in sorted(dict.fromkeys(found[1]), key=lambda p: (len(p.terms), p.text() != "L", p.text())):
            while poly in found[1] and poly in found[2] and (only is None or self._depends(poly, only)):
                above, below = list(found[1]), list(found[2])
                above.remove(poly)
                below.remove(poly)
                found = self._is(e, "cancel", [found[0], self.positive(poly)], above, below)
        return found

    def _depends(self, poly: Poly, name: str) -> bool:
        return any(name in under(self.claim, inner) for inner in poly.names())

    def _open(self, name: str, polys: Iterable[Poly]) -> None:
        """Raises NotFound where a symbol hides inside a min, ceil or floor."""
        for inner in sorted({n for p in polys for n in p.names()} - {name}):
            if name in under(self.claim, inner):
                raise NotFound(f"{inner} contains {name}")

    # Conclusions.

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
        (one, *a), (two, *b) = self.raw(statement[1]), self.raw(statement[2])
        if a != b:
            (one, *a), (two, *b) = self.tidy(statement[1]), self.tidy(statement[2])
        if a != b:
            raise NotFound("their forms differ")
        return self.add(statement, "same", [one, two])

    def _less(self, statement: Term) -> int:
        head, left, right = statement
        place, above, below = self.tidy(right if left == ("num", 0) else ("sub", right, left))
        factors = list(dict.fromkeys(above + below))
        sign = self.positive if head == "less" else self.nonnegative
        return self.add(statement, head, [place, *map(sign, factors)])

    def _iff(self, statement: Term) -> int:
        (one, *a), (two, *b) = (
            self.tidy(right if left == ("num", 0) else ("sub", right, left))
            for _, left, right in statement[1:]
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
        if any(self._depends(p, statement[2]) for p in above + below):
            place, above, below = self.tidy(statement[1], statement[2])
        if any(self._depends(p, statement[2]) for p in above + below):
            raise NotFound("it does not cancel")
        return self.add(statement, "absent", [place])

    def _increasing(self, statement: Term) -> int:
        _, e, name = statement
        return self.add(statement, "increasing", [self._less(("less", e, ("shift", e, name)))])

    def crosses(self, statement: Term) -> int:
        """See `kernel.crosses`."""
        _, a, b, name = statement
        place, above, below = self.tidy(("sub", b, a))
        self._open(name, above + below)
        turning = [p for p in above if len(p.coefficients(name)) > 1]
        if len(turning) != 1:
            raise NotFound(f"not one factor of the difference changes its sign with {name}")
        parts = sorted(turning[0].coefficients(name).items())
        signs = [self._orientation(poly) for _, poly in parts]
        if None in signs or signs[0] != 1 or sum(a != b for a, b in pairwise(signs)) != 1:
            raise NotFound(f"the coefficients of {name} do not change their sign once")
        ends = [poly * (sign or 1) for (_, poly), sign in zip(parts, signs, strict=True)]
        needed = dict.fromkeys([*(p for p in above + below if p != turning[0]), *ends])
        return self.add(statement, "crosses", [place, *map(self.positive, needed)])

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


def _side(polys: Iterable[Poly]) -> Term:
    return tuple(sorted(map(poly_data, polys), key=str))


def _sorted(polys: Iterable[Poly]) -> list[Poly]:
    return sorted(polys, key=lambda p: str(poly_data(p)))


