"""Integer sizes at which a program is legal, and costs evaluated there quickly.

A witness is only worth something if it is a set of sizes that can occur: whole numbers of at least 1
that satisfy what the variant assumes and that make every axis a whole number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from operator import itemgetter
from random import Random

from .atoms import atom_of, evaluate, free_symbols
from .dims import LARGEST
from .domain import solvable
from .poly import Coefficient, Poly

__all__ = ["Costs", "Domain", "Point"]

Point = dict[str, int]
"""Symbol -> size."""
_MISSES = 400
Evaluator = Callable[[Mapping[str, int]], Coefficient]


class Domain:
    """The legal sizes of some symbols."""

    def __init__(self, symbols: Iterable[str], facts: Iterable[Poly] = (), whole: Iterable[Poly] = ()) -> None:
        wanted = set(symbols)
        self.facts = tuple(facts)
        self.whole = tuple(size for size in whole if _may_break(size))
        grown = True
        while grown:
            tied = [p for p in (*self.facts, *self.whole) if free_symbols(p) & wanted]
            more = wanted.union(*(free_symbols(p) for p in tied))
            grown, wanted = more != wanted, more
        self.symbols = tuple(sorted(wanted))
        """Those asked for, and those that a fact or an axis ties to them."""
        self.facts = tuple(p for p in self.facts if free_symbols(p) <= wanted)
        self.whole = tuple(p for p in self.whole if free_symbols(p) <= wanted)
        self._facts = [_compiled(fact) for fact in self.facts]
        self._whole = [_compiled(size) for size in self.whole]
        self._lower = [(test, _bound(fact)) for test, fact in zip(self._facts, self.facts, strict=True)]

    def holds(self, point: Mapping[str, int]) -> bool:
        """Whether these sizes are legal."""
        if any(not 1 <= point[name] <= LARGEST for name in self.symbols):
            return False
        if any(fact(point) < 0 for fact in self._facts):
            return False
        return all(_is_size(size(point)) for size in self._whole)

    def repaired(self, point: Mapping[str, int]) -> Point | None:
        """Legal sizes near `point`, or None where a few small changes do not make it legal."""
        fixed = {name: max(1, point[name]) for name in self.symbols}
        for _ in range(4):
            for size, value in zip(self.whole, self._whole, strict=True):
                if not _is_size(value(fixed)):
                    _make_whole(size, fixed)
            for fact, lower in self._lower:
                if lower is not None and fact(fixed) < 0:
                    # raise the symbol that the fact can be solved for
                    fixed[lower[0]] = max(1, ceil(lower[1](fixed)))
            if self.holds(fixed):
                return fixed
        return None

    def sample(self, seed: int = 0) -> Iterator[Point]:
        """Legal sizes, from small ones to far apart ones; the same for the same seed.

        Every size has a range of its own, so that some are 1 while others are large: orders that only
        win at such sizes are met too. It ends where hardly any sizes are legal.
        """
        random, missed = Random(seed), 0
        while missed < _MISSES:
            for bits in (2, 4, 8, 14, 20):
                raw = {
                    name: int(2 ** random.uniform(0, bits * random.choice((0, 0.3, 0.6, 1))))
                    for name in self.symbols
                }
                point = self.repaired(raw)
                missed = missed + 1 if point is None else 0
                if point is not None:
                    yield point


def _may_break(size: Poly) -> bool:
    """Whether a size is not a whole number of at least 1 at all whole numbers."""
    return any(
        exponent < 0 or Fraction(coefficient).denominator != 1 or coefficient < 0
        for powers, coefficient in size.powers()
        for exponent in (*powers.values(), 0)
    )


def _is_size(value: Coefficient | None) -> bool:
    return value is not None and value >= 1 and Fraction(value).denominator == 1


def _make_whole(size: Poly, point: Point) -> None:
    """Multiply what stands above a fraction line by what stands below, where that helps."""
    if len(size.terms) != 1:
        return
    ((powers, coefficient),) = size.powers()
    above = next((name for name, exponent in sorted(powers.items()) if exponent > 0 and name in point), None)
    if above is None:
        return
    below = Fraction(coefficient).denominator
    for name, exponent in powers.items():
        if exponent < 0 and name in point:
            below *= point[name] ** -exponent
    point[above] *= below


def _bound(fact: Poly) -> tuple[str, Evaluator] | None:
    """A symbol, and what it must be at least for the fact to hold."""
    found = solvable(fact)
    return None if found is None else (found[0], _compiled(-found[1]))


def _compiled(poly: Poly) -> Evaluator:
    """A function from sizes to the value of a polynomial: a search asks for it thousands of times."""
    if any(atom_of(name) is not None for name in poly.names()):
        return lambda point: evaluate(poly, point) or 0
    rows = [(coefficient, tuple(powers.items())) for powers, coefficient in poly.powers()]

    def value(point: Mapping[str, int]) -> Coefficient:
        whole: Coefficient = 0
        for coefficient, powers in rows:
            term = coefficient
            for name, exponent in powers:
                term = (
                    term * point[name] ** exponent if exponent > 0 else Fraction(term, point[name] ** -exponent)
                )
            whole += term
        return whole

    return value


class Costs:
    """Some costs as lists of numbers: each monomial is evaluated once for all of them.

    All are multiplied by one positive term that clears fractions, so they can be compared, not read.
    """

    def __init__(self, costs: Sequence[Poly]) -> None:
        monomials = sorted({m for cost in costs for m in cost.terms})
        powers = {monomial: next(Poly({monomial: 1}).powers())[0] for monomial in monomials}
        names = sorted({name for power in powers.values() for name in power})
        lowest = {name: min(power.get(name, 0) for power in powers.values()) for name in names}
        terms = sorted({term for cost in costs for term in cost.terms.items()})
        self._factors = [coefficient for _, coefficient in terms]
        self._powers = [
            tuple((name, e) for name in names if (e := powers[m].get(name, 0) - lowest[name])) for m, _ in terms
        ]
        self._ends, self._products = _products(self._powers)
        place = {term: index for index, term in enumerate(terms)}
        self._rows = [[place[term] for term in cost.terms.items()] for cost in costs]
        nothing = len(terms)  # stands at the end of the numbers: a getter of one item would not give a list
        self._picks = [itemgetter(*row, nothing, nothing) for row in self._rows]
        self._defined = [name for name in names if atom_of(name) is not None]
        self.symbols = frozenset().union(*(free_symbols(Poly.symbol(name)) for name in names))
        """Symbols the costs depend on."""
        self._close: list[int] = []
        self._point: Point | None = None
        self._numbers: list[Coefficient] = []

    def _at(self, point: Mapping[str, int]) -> list[Coefficient]:
        """Every term of the costs at these sizes, over the common term, and a 0; the last are kept."""
        if point != self._point:
            self._point, self._numbers = dict(point), self._terms(point)
        return self._numbers

    def _terms(self, point: Mapping[str, int]) -> list[Coefficient]:
        values: dict[str, Coefficient] = dict(point)
        for name in self._defined:
            values[name] = evaluate(Poly.symbol(name), point) or 0
        products: list[Coefficient] = [1]
        for before, name in self._products:
            products.append(products[before] * values[name])
        return [c * products[end] for c, end in zip(self._factors, self._ends, strict=True)] + [0]

    def at(self, point: Mapping[str, int]) -> list[Coefficient]:
        """The costs at these sizes, over the common term."""
        return self._all(self._at(point))

    def _all(self, numbers: Sequence[Coefficient]) -> list[Coefficient]:
        return [sum(pick(numbers)) for pick in self._picks]

    def rival(self, own: int, point: Mapping[str, int]) -> int | None:
        """Another cost that is no larger than `own` at these sizes, a small one; None where there is none."""
        numbers = self._at(point)
        limit = self._cost(own, numbers)
        for close in self._close:  # rivals met lately are likely to be met again, and enough to go on
            if close != own and self._cost(close, numbers) <= limit:
                return close
        found = self._closest(own, numbers)
        return found if found is not None and self._cost(found, numbers) <= limit else None

    def lead(self, own: int, point: Mapping[str, int], least: Fraction) -> Fraction | None:
        """The smallest of the other costs over `own`, if it is above `least`; infinity counts as 2."""
        numbers = self._at(point)
        cost = self._cost(own, numbers)
        limit = least * cost
        if any(close != own and self._cost(close, numbers) <= limit for close in self._close):
            return None
        found = self._closest(own, numbers)
        if found is None:
            return Fraction(2)
        lead = Fraction(self._cost(found, numbers)) / Fraction(cost)
        return lead if lead > least else None

    def _closest(self, own: int, numbers: Sequence[Coefficient]) -> int | None:
        """The smallest of the other costs."""
        if len(self._rows) == 1:
            return None
        costs = self._all(numbers)
        costs[own] = max(costs) + 1
        found = costs.index(min(costs))
        self._close = [found, *(other for other in self._close[:7] if other != found)]
        return found

    def _cost(self, which: int, numbers: Sequence[Coefficient]) -> Coefficient:
        return sum(self._picks[which](numbers))

    def slopes(self, which: int, point: Mapping[str, int]) -> dict[str, float]:
        """By how many percent a cost grows with each symbol, for one percent."""
        numbers = self._at(point)
        whole = self._cost(which, numbers)
        found: dict[str, float] = {}
        for index in self._rows[which]:
            share = float(numbers[index] / whole)
            for name, exponent in self._powers[index]:
                found[name] = found.get(name, 0.0) + exponent * share
        return found


def _products(monomials: Iterable[Iterable[tuple[str, int]]]) -> tuple[list[int], list[tuple[int, str]]]:
    """Which product each monomial is, and products, after a 1, as an earlier one times a symbol: none twice."""
    places: dict[tuple[str, ...], int] = {(): 0}
    ends, products = [], list[tuple[int, str]]()
    for powers in monomials:
        word: tuple[str, ...] = ()
        for name in (name for name, exponent in powers for _ in range(exponent)):
            before, word = places[word], (*word, name)
            if word not in places:
                products.append((before, name))
                places[word] = len(products)
        ends.append(places[word])
    return ends, products
