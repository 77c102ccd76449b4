"""What quantities are: as their definition says it, then factored, then with what is shared cancelled."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import gcd
from typing import NamedTuple

from .algebra import factor
from .claims import STEP, Term
from .kernel import under
from .poly import Poly, product
from .proofdata import denominator, expression_poly, poly_data, poly_of
from .script import NotFound, Script

__all__ = ["Form", "Forms"]


class Form(NamedTuple):
    """A line that gives a quantity as a fraction."""

    line: int
    """Its place."""
    above: list[Poly]
    """Factors above the line."""
    below: list[Poly]
    """Factors below it."""


class Forms(Script):
    """A script that knows how to write quantities as fractions."""

    def raw(self, e: Term) -> Form:
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
            self.no_hidden(e[2], above + below)
            images = {e[2]: Poly.symbol(e[2]) + Poly.symbol(STEP)}
            above, below = ([p.map_symbols(images.get) for p in side] for side in (above, below))
            return self._is(e, "shift", [place], above, below)
        raise NotFound(f"no form of {head}")

    def _is(self, e: Term, rule: str, premises: Iterable[int], above: list[Poly], below: list[Poly]) -> Form:
        statement = ("is", e, _side(above), _side(below))
        return Form(self.add(statement, rule, premises), _sorted(above), _sorted(below))

    def _flat(self, e: Term, poly: Poly) -> Form:
        clear = denominator(poly)
        below = [] if clear == 1 else [clear]
        return self._is(e, "multiply_out", map(self.positive, below), [poly * clear], below)

    def _substituted(self, e: Term, found: Form) -> Form:
        """The same with everything put in that the assumptions say."""
        for head, name, *rest in self.claim.assumptions:
            if head == "put" and any(name in p.names() for p in found.above + found.below):
                given = self.add((head, name, *rest), "given")
                images = {name: poly_of(rest[0])}
                sides = ([p.map_symbols(images.get) for p in side] for side in (found.above, found.below))
                found = self._is(e, "substitute", [found.line, given], *sides)
        return found

    def _binary(self, e: Term) -> Form:
        if len(e) != 3:
            raise NotFound("more than two parts with quantities among them")
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

    def _limit(self, e: Term) -> Form:
        _, inner, name = e
        place, above, below = self.raw(inner)
        self.no_hidden(name, above + below)
        top, bottom = (product(side).coefficients(name) for side in (above, below))
        if product(above) == 0:
            top = {}
        high, low = max(top, default=0), max(bottom)
        if high > low:
            raise NotFound("it grows without bound")
        end = top[high] if top and high == low else Poly()
        return self._is(e, "limit", [place, self.positive(bottom[low])], [end], [bottom[low]])

    def _root(self, e: Term) -> Form:
        _, a, b, name = e
        crossing = self.crosses(("crosses", a, b, name))
        place = self.lines[crossing].premises[0]
        _, _, above, _ = self.lines[place].statement
        parts = next(c for p in above if len(c := poly_of(p).coefficients(name)) > 1)
        if set(parts) != {0, 1}:
            raise NotFound("the crossing is no ratio of polynomials")
        return self._is(e, "root", [place, crossing], [parts[0]], [-parts[1]])

    def crosses(self, statement: Term) -> int:
        """The line that says where two quantities meet; see `kernel.crosses`."""
        _, a, b, name = statement
        place, above, below = self.tidy(("sub", b, a))
        self.no_hidden(name, above + below)
        turning = [p for p in above if len(p.coefficients(name)) > 1]
        if len(turning) != 1:
            raise NotFound(f"not one factor of the difference changes its sign with {name}")
        parts = sorted(turning[0].coefficients(name).items())
        signs = [self.orientation(poly) for _, poly in parts]
        if None in signs or signs[0] != 1 or sum(a != b for a, b in pairwise(signs)) != 1:
            raise NotFound(f"the coefficients of {name} do not change their sign once")
        ends = [poly * (sign or 1) for (_, poly), sign in zip(parts, signs, strict=True)]
        needed = dict.fromkeys([*(p for p in above + below if p != turning[0]), *ends])
        return self.add(statement, "crosses", [place, *map(self.positive, needed)])

    def tidy(self, e: Term, only: str | None = None) -> Form:
        """The same factored and with common factors cancelled; with `only`, those with that symbol."""
        found = self.raw(e)
        for poly in list(found.above):
            found = self._split(e, found, poly, self._factors(poly), True)
        for poly in list(found.below):
            found = self._split(e, found, poly, self._factors(poly), False)
        return self._cancelled(e, found, only)

    def in_primes(self, e: Term) -> Form:
        """The same with numbers as products of primes, so that 2 times 2 and 4 are one form."""
        found = self.tidy(e)
        for above in (True, False):
            for poly in list(found.above if above else found.below):
                if isinstance(poly.constant, int) and poly.constant > 1:
                    parts = [Poly.const(prime) for prime in _primes(poly.constant)]
                    found = self._split(e, found, poly, parts, above)
        return self._cancelled(e, found, None)

    def _split(self, e: Term, found: Form, poly: Poly, parts: list[Poly], above: bool) -> Form:
        """One factor above or below the line written as a product, if it is one."""
        if len(parts) < 2:
            return found
        rest = list(found.above if above else found.below)
        rest.remove(poly)
        sides = (rest + parts, found.below) if above else (found.above, rest + parts)
        return self._is(e, "factor", [found.line], *sides)

    def _factors(self, poly: Poly) -> list[Poly]:
        """A number, symbols, and sums, each turned so that it is positive where that is seen."""
        if not poly or poly.constant is not None:
            return [poly]
        found = factor(poly)
        number, sums, open_ = found.number, list[Poly](), list[int]()
        for part, exponent in found.sums:
            sign = self.orientation(part)
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

    def orientation(self, poly: Poly) -> int | None:
        """1 where a polynomial is seen to be positive, -1 where it is seen to be negative."""
        for sign in (1, -1):
            try:
                self.positive(poly * sign)
            except NotFound:
                continue
            return sign
        return None

    def _cancelled(self, e: Term, found: Form, only: str | None) -> Form:
        if only is None:
            found = self._shared_number(e, found)
        for poly in sorted(dict.fromkeys(found.above), key=lambda p: (len(p.terms), p.text() != "L", p.text())):
            while poly in found.above and poly in found.below and (only is None or self.depends(poly, only)):
                above, below = list(found.above), list(found.below)
                above.remove(poly)
                below.remove(poly)
                found = self._is(e, "cancel", [found.line, self.positive(poly)], above, below)
        return found

    def _shared_number(self, e: Term, found: Form) -> Form:
        """The numbers on both sides, each with what they share as a factor of its own."""
        over, under_line = (
            next((p for p in side if p.constant not in (None, 1)), Poly.const(1))
            for side in (found.above, found.below)
        )
        shared = gcd(int(over.constant or 0), int(under_line.constant or 0))
        for number, above in ((over, True), (under_line, False)):
            if shared > 1 and number != shared:
                parts = [Poly.const(shared), number * Poly.const(shared).inverse()]
                found = self._split(e, found, number, parts, above)
        return found

    def depends(self, poly: Poly, name: str) -> bool:
        """Whether the value of a polynomial may depend on a symbol."""
        return any(name in under(self.claim, inner) for inner in poly.names())

    def no_hidden(self, name: str, polys: Iterable[Poly]) -> None:
        """Raises NotFound where a symbol hides inside a min, ceil or floor."""
        for inner in sorted({n for p in polys for n in p.names()} - {name}):
            if name in under(self.claim, inner):
                raise NotFound(f"{inner} contains {name}")


def _primes(number: int) -> list[int]:
    """Its prime factors; what is left after the small ones counts as one."""
    found = []
    for part in range(2, _SMALL):
        while number % part == 0:
            found.append(part)
            number //= part
        if part * part > number:
            break
    return [*found, number] if number > 1 else found


_SMALL = 1000


def _side(polys: Iterable[Poly]) -> Term:
    return tuple(sorted(map(poly_data, polys), key=str))


def _sorted(polys: Iterable[Poly]) -> list[Poly]:
    return sorted(polys, key=lambda p: str(poly_data(p)))
