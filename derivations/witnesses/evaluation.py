"""A second opinion on a claim: exact evaluation at random sizes, blind to how a proof would go.

An identity of fractions is one of polynomials, and a polynomial of degree d that is not zero vanishes at a
random point with numbers out of n with a chance of at most d/n (Schwartz and Zippel). So trials that agree
leave little room for a false identity. An inequality has no such bound: it is only tried at many legal sizes.
What brackets mean is computed anew: nested sums on random tensors, and every binary tree of a product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import prod
from random import Random

from ..claims import STEP, Claim, Term
from ..evaluation import NoValue, value
from ..poly import Poly
from ..proofdata import poly_of
from .against import Point, against, fixed, legal_sizes, point_sets, shown
from .brackets import Bill, NoBracketing, TooMany, bills, nested_values
from .opinion import Opinion

__all__ = ["degree", "parts_of", "random_opinion"]

Degree = tuple[int, int, int]
"""Of the part above the line, of the one below, and of all that must not be zero, multiplied."""
_BY = "random evaluation"
_RANGE = 1 << 61


@dataclass(frozen=True, slots=True)
class _Part:
    """What came of one statement: `exponent` for a chance below 10^-exponent, `count` of sizes tried."""

    agrees: bool | None
    note: str = ""
    exponent: int | None = None
    count: int = 0
    kind: str = "sizes"


def random_opinion(claim: Claim, trials: int = 20, seed: int = 0) -> Opinion:
    """Exact evaluation of a claim at random.

    Identities ("same", "independent") are tried at numbers from 1 to 2^61, inequality assumptions ignored: an
    identity of polynomials that holds where those leave room holds everywhere. The bound takes the draws to
    be independent and even, and is about two fractions; limits and roots may be others at single sizes, so
    legal sizes are tried too. Everything else is only tried at legal sizes, small ones and large ones that
    lie far apart. False answers name legal sizes at which the claim fails.
    """
    random, found = Random(seed), list[_Part]()
    for statement in parts_of(claim.statement):
        try:
            found.append(_judged(claim, statement, trials, random))
        except (NoValue, TooMany) as error:
            found.append(_Part(None, str(error)))
    for answer in (False, None):
        wrong = next((part for part in found if part.agrees is answer), None)
        if wrong is not None:
            return Opinion(_BY, answer, wrong.note)
    notes = []
    exponents = [part.exponent for part in found if part.exponent is not None]
    if exponents:
        chance = f"a false identity passes with probability below 10^-{min(exponents)}"
        notes.append(f"{trials} trials agree; {chance}")
    for kind in dict.fromkeys(part.kind for part in found if part.count):
        counted = [part.count for part in found if part.count and part.kind == kind]
        notes.append(f"{min(counted)} {kind} tried, none against it")
    return Opinion(_BY, True, "; ".join(notes))


def parts_of(statement: Term) -> tuple[Term, ...]:
    """The statements that an "all" joins; any other statement alone."""
    if statement[0] != "all":
        return (statement,)
    return tuple(part for inner in statement[1:] for part in parts_of(inner))


def _judged(claim: Claim, statement: Term, trials: int, random: Random) -> _Part:
    head = statement[0]
    if head == "value":
        return _on_tensors(statement, trials, random)
    if head == "cheapest":
        return _compared(claim, statement, random)
    if head == "independent" and fixed(claim, statement[2]):
        return _Part(None, f"{statement[2]} is fixed by an assumption")
    # an identity in which a min is a symbol of its own is more than is claimed, so only its success counts
    if head == "same" or (head == "independent" and not claim.opaque):
        return _identity(claim, statement, trials, random)
    return _sampled(claim, statement, random)


# Identities.


def degree(claim: Claim, e: Term) -> Degree:
    """Bounds for the degrees of an expression as one fraction, as its definition builds it.

    Sums add up over the product of both denominators, so no more than max(n1 + d2, n2 + d1) stands above
    the line; nothing is cancelled, which could only lower degrees. What must not be zero are divisors, and
    for a limit or a root the coefficients that decide it: where one is zero there is no value, or another
    one, and such a point may hide a false identity. Coefficients have no higher degree than the whole.
    """
    head, *rest = e
    if head == "num":
        return 0, 0, 0
    if head == "sym":
        body = next((p for h, n, *p in claim.assumptions if h == "put" and n == rest[0]), None)
        if body is None:
            return 1, 0, 0
        terms = [sum(k * degree(claim, ("sym", n))[0] for n, k in monomial) for _, monomial in body[0]]
        return max(terms, default=0), 0, 0
    if head == "def":
        return degree(claim, dict(claim.definitions)[rest[0]])
    if head in ("lim", "shift"):
        above, below, apart = degree(claim, rest[0])
        return (above, below, apart + above + below) if head == "lim" else (above, below, apart)
    if head == "root":
        above, _, apart = degree(claim, ("sub", rest[1], rest[0]))
        return above, above, apart + 2 * above
    above, below, apart = degree(claim, rest[0])
    for part in rest[1:]:
        over, under, more = degree(claim, part)
        if head == "mul":
            above, below, apart = above + over, below + under, apart + more
        elif head == "div":
            above, below, apart = above + under, below + over, apart + more + over
        else:
            above, below, apart = max(above + under, over + below), below + under, apart + more
    return above, below, apart


def _bound(claim: Claim, statement: Term, trials: int) -> int:
    """The k such that a false identity passes all trials with probability at most 10^-k.

    It passes one only where the difference of the sides, multiplied by both denominators and by all that
    must not be zero, is zero: a polynomial in the numbers drawn, of at most this degree.
    """
    (n1, d1, a1), (n2, d2, a2) = (
        degree(claim, e) for e in (statement[1:] if statement[0] == "same" else (statement[1],) * 2)
    )
    whole = max(1, max(n1 + d2, n2 + d1) + a1 + a2)
    return max(0, len(str(_RANGE**trials // whole**trials)) - 1)


def _turns(claim: Claim, term: Term) -> bool:
    """Whether a limit or a root occurs: it is another one where a leading coefficient is zero."""
    if term[0] == "def":
        return _turns(claim, dict(claim.definitions)[term[1]])
    return term[0] in ("lim", "root") or any(
        _turns(claim, part) for part in term[1:] if isinstance(part, tuple)
    )


def _identity(claim: Claim, statement: Term, trials: int, random: Random) -> _Part:
    symbols = (*claim.sizes, *claim.positives, STEP, *(name for name, _ in claim.opaque))
    names = [name for name in symbols if not fixed(claim, name)]
    known, broken = 0, list[Point]()
    for _ in range(trials):
        points: list[Point] = [{name: random.randint(1, _RANGE) for name in names}]
        if statement[0] == "independent":
            points.append({**points[0], statement[2]: random.randint(1, _RANGE)})
        try:
            sides = statement[1:] if statement[0] == "same" else (statement[1],)
            numbers = {value(claim, side, at) for side in sides for at in points}
        except NoValue:
            continue
        known += 1
        if len(numbers) > 1:
            broken = points
            break
    if not known:
        return _Part(None, "it has no value at random sizes")
    if not broken and not _turns(claim, statement):
        return _Part(True, exponent=_bound(claim, statement, trials))
    found = _sampled(claim, statement, random)
    if not broken and found.agrees is not False:
        return _Part(True, exponent=_bound(claim, statement, trials), count=found.count)
    if broken and found.agrees is True and not claim.opaque:
        if against(claim, statement, broken):
            return _Part(False, f"false at {shown(broken)}")
        return _Part(None, f"no identity, but none of {found.count} legal sizes is against it")
    return found


def _sampled(claim: Claim, statement: Term, random: Random) -> _Part:
    count, met = 0, False
    for at in legal_sizes(claim, random):
        met = True
        answers = []
        for points in point_sets(statement, at, random):
            answers.append(against(claim, statement, points))
            if answers[-1]:
                return _Part(False, f"false at {shown(points)}")
        count += any(answer is not None for answer in answers)
    if count:
        return _Part(True, count=count)
    return _Part(None, "it has no value at legal sizes" if met else "no legal sizes were met")


# Brackets.


def _on_tensors(statement: Term, trials: int, random: Random) -> _Part:
    for _ in range(trials):
        numbers = nested_values(statement[1:], random)
        if len({*numbers}) > 1:
            return _Part(False, f"on random tensors {numbers[0]} is not {numbers[1]}")
    return _Part(True, count=trials, kind="random tensors")


def _compared(claim: Claim, statement: Term, random: Random) -> _Part:
    _, network, chosen = statement
    try:
        groups = bills(network, chosen)
    except NoBracketing as error:
        return _Part(False, str(error))
    lengths = {label: poly_of(size) for label, size in network[0]}
    tried = max(8, 100_000 // sum(len(every) for _, every in groups))
    count = 0
    for at in islice(legal_sizes(claim, random), tried):
        numbers = {label: _number(claim, size, at) for label, size in lengths.items()}
        if any(_cost(own, numbers) > min(_cost(bill, numbers) for bill in every) for own, every in groups):
            return _Part(False, f"false at {shown((at,))}")
        count += 1
    return _Part(True, count=count) if count else _Part(None, "no legal sizes were met")


def _number(claim: Claim, poly: Poly, at: Point) -> Fraction:
    found = poly.map_symbols(lambda name: Poly.const(value(claim, ("sym", name), at))).constant
    return Fraction(found or 0)


def _cost(bill: Bill, numbers: Mapping[str, Fraction]) -> Fraction:
    """Index points, half the FLOPs."""
    return sum((prod((numbers[x] for x in step), start=Fraction(1)) for step in bill), start=Fraction(0))
