"""A second opinion on a claim: exact evaluation at random sizes, blind to how a proof would go.

An identity of fractions is one of polynomials, and a polynomial of degree d that is not zero vanishes at a
random point with numbers out of n with a chance of at most d/n (Schwartz and Zippel). So trials that agree
leave little room for a false identity. An inequality has no such bound: it is only tried at many legal sizes.
What brackets mean is computed anew: nested sums on random tensors, and every binary tree of a product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from itertools import product as choices
from math import prod
from random import Random

from .brackets import MANY, TooMany, bills, labels_of, outcome
from .claims import STEP, Claim, Term
from .evaluation import NoValue, legal, value
from .points import Domain
from .poly import Poly
from .proofdata import denominator, poly_of

__all__ = ["Opinion", "Point", "against", "parts_of", "random_opinion", "shown"]

Point = Mapping[str, Fraction | int]
"""Symbol -> number."""
Degree = tuple[int, int, int]
"""Of the part above the line, of the one below, and of all that must not be zero, multiplied."""
_BY = "random evaluation"
_RANGE = 1 << 61
_SIZES = 240
_GRID = 120
_FAR = 1 << 1000
_IDENTITIES = ("same", "independent")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge says of a claim."""

    by: str
    """Who: `random evaluation`, `numpy`, `z3` or `coq`."""
    agrees: bool | None
    """Whether the claim holds, as far as this judge can tell; None where there is no answer."""
    note: str
    """One phrase: how sure that is, the sizes that break the claim, or why there is no answer."""


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

    Identities ("same", "independent") are tried at numbers from 1 to 2^61, inequality assumptions
    ignored: an identity of polynomials that holds where those leave room holds everywhere. The bound takes
    the draws to be independent and even. Everything else is tried at legal sizes, small ones and large ones
    that lie far apart. False answers name legal sizes at which the claim fails. Never raises for a claim
    that the statements in `claims` can express.
    """
    random, found = Random(seed), list[_Part]()
    for statement in parts_of(claim.statement):
        try:
            found.append(_judged(claim, statement, trials, random))
        except NoValue as error:
            found.append(_Part(None, str(error)))
        except TooMany as error:
            found.append(_Part(None, str(error)))
    for answer in (False, None):
        wrong = next((part for part in found if part.agrees is answer), None)
        if wrong is not None:
            return Opinion(_BY, answer, wrong.note)
    notes = []
    exponents = [part.exponent for part in found if part.exponent is not None]
    if exponents:
        notes.append(f"{trials} trials agree; a false identity passes with probability below 10^-{min(exponents)}")
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
    if head == "independent" and _fixed(claim, statement[2]):
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


def _identity(claim: Claim, statement: Term, trials: int, random: Random) -> _Part:
    names = [n for n in (*claim.sizes, *claim.positives, STEP) if not _fixed(claim, n)]
    names += [name for name, _ in claim.opaque]
    known, broken = 0, None
    for _ in range(trials):
        one: dict[str, Fraction | int] = {name: random.randint(1, _RANGE) for name in names}
        points = [one]
        if statement[0] == "independent":
            points.append({**one, statement[2]: random.randint(1, _RANGE)})
        try:
            sides = statement[1:] if statement[0] == "same" else (statement[1],)
            numbers = {value(claim, side, at) for side in sides for at in points}
        except NoValue:
            continue
        known += 1
        if len(numbers) > 1:
            broken = points
            break
    if broken is None:
        bound = _bound(claim, statement, trials)
        return _Part(True, exponent=bound) if known else _Part(None, "it has no value at random sizes")
    found = _sampled(claim, statement, random)
    if found.agrees is True and against(claim, statement, sorted(broken, key=lambda at: at[statement[-1]])
                                        if len(broken) > 1 else broken):  # fmt: skip
        return _Part(False, f"false at {shown(broken)}")
    if found.agrees is True and not claim.opaque:
        return _Part(None, f"no identity, but none of {found.count} legal sizes is against it")
    return found


# Legal sizes.


def _fixed(claim: Claim, name: str) -> bool:
    return any(head == "put" and rest[0] == name for head, *rest in claim.assumptions)


def _lawful(claim: Claim, at: Point) -> bool:
    """Whether sizes can occur: also those that an assumption gives are whole."""
    whole = (value(claim, ("sym", n), at).denominator == 1 for n in claim.sizes if _fixed(claim, n))
    return legal(claim, at) and all(whole)


def legal_sizes(claim: Claim, random: Random) -> Iterator[Point]:
    """Legal sizes, small ones first; few or none where hardly any are legal."""
    given = {rest[0]: poly_of(rest[1]) for head, *rest in claim.assumptions if head == "put"}

    def inside(poly: Poly) -> Poly:
        for _ in given:
            poly = poly.map_symbols(given.get)
        return poly

    names = [n for n in (*claim.sizes, *claim.positives) if n not in given]
    facts = [body - 1 for body in given.values()]
    for head, *rest in claim.assumptions:
        if head != "put":
            poly = poly_of(rest[0])
            poly = poly * denominator(poly)
            # above 0 is at least 1 for whole numbers
            facts.append(poly - (head == "pos" and poly.names() <= {*claim.sizes}))
    usable = [fact for fact in map(inside, facts) if fact.names() <= {*names}]
    wholes = [size for name, size in given.items() if name in claim.sizes]
    domain = Domain(names, usable, [s for s in map(inside, wholes) if s.names() <= {*names}])
    small = islice(choices((1, 2, 3), repeat=min(len(names), 9)), 20_000)
    grid = [dict(zip(names, numbers, strict=False)) for numbers in small]
    few = [{**dict.fromkeys(names, 1), **at} for at in random.sample(grid, min(_GRID, len(grid)))]
    for at in chain(few, islice(domain.sample(random.randrange(1 << 30)), 2 * _SIZES)):
        scaled: dict[str, Fraction | int] = dict(at)
        for name in claim.positives:
            if name in scaled:
                scaled[name] = Fraction(at[name], random.choice((1, 1, 7, 1 << 20)))
        found = next((p for p in (scaled, at) if _lawful(claim, p)), None)
        if found is not None:
            yield found


def _sampled(claim: Claim, statement: Term, random: Random) -> _Part:
    count, met = 0, False
    for at in islice(legal_sizes(claim, random), _SIZES):
        met = True
        known = False
        for points in _sets(statement, at, random):
            broken = against(claim, statement, points)
            known = known or broken is not None
            if broken:
                return _Part(False, f"false at {shown(points)}")
        count += known
    if count:
        return _Part(True, count=count)
    return _Part(None, "it has no value at legal sizes" if met else "no legal sizes were met")


def _sets(statement: Term, at: Point, random: Random) -> Iterator[Sequence[Point]]:
    """The sizes that can break a statement together: one, or two that differ in its symbol."""
    if statement[0] not in ("independent", "increasing", "crosses"):
        yield (at,)
    elif (name := statement[-1]) in at:
        low = Fraction(at[name])
        numbers = sorted({1, low, low + 1, 2 * low, 16 * low, low * random.randint(3, 4096)} - {0})
        yield from (({**at, name: one}, {**at, name: two}) for one, two in zip(numbers, numbers[1:], strict=False))
        yield {**at, name: numbers[0]}, {**at, name: numbers[-1]}


def against(claim: Claim, statement: Term, points: Sequence[Point]) -> bool | None:
    """Whether legal sizes break a statement; None where they are not legal or something has no value.

    Two sets of sizes must differ in the statement's symbol alone, the lower first.
    """
    head, *rest = statement
    try:
        if not points or not all(_lawful(claim, at) for at in points):
            return None
        if head == "iff":
            return len({_holds(claim, part, points[0]) for part in rest}) > 1
        if head in ("same", "less", "atmost"):
            return not _holds(claim, statement, points[0])
        if head == "crosses":
            below, above = (value(claim, ("sub", rest[1], rest[0]), at) for at in points)
            return (below <= 0 and above >= 0) or _never(claim, *rest, points[0])  # type: ignore[arg-type]
        one, two = (value(claim, rest[0], at) for at in points)
        return one != two if head == "independent" else one >= two
    except (NoValue, KeyError):
        return None


def _holds(claim: Claim, statement: Term, at: Point) -> bool:
    left, right = (value(claim, side, at) for side in statement[1:])
    return {"same": left == right, "less": left < right, "atmost": left <= right}[statement[0]]


def _never(claim: Claim, a: Term, b: Term, name: str, at: Point) -> bool:
    """Whether two quantities without a fraction line keep one order near 0 or far out: they do not cross."""
    difference = ("sub", b, a)
    if degree(claim, difference)[2]:
        return False
    near, far = (value(claim, difference, {**at, name: x}) for x in (Fraction(1, _FAR), _FAR))
    return near <= 0 or far >= 0


def shown(points: Sequence[Point]) -> str:
    """Sizes for people: all of the first, then what differs."""
    first, *others = points
    texts = [", ".join(f"{name}={number}" for name, number in sorted(first.items()) if name != STEP)]
    texts += [", ".join(f"{n}={v}" for n, v in sorted(at.items()) if first.get(n) != v) for at in others]
    return " and ".join(texts)


# Brackets.


def _on_tensors(statement: Term, trials: int, random: Random) -> _Part:
    """Both nested sums at one random place of random tensors, each index 1 to 3 long."""
    for _ in range(trials):
        numbers = [outcome(node, random_state) for node, random_state in ()]
        if len({*numbers}) > 1:
            return _Part(False)
    return _Part(True, count=trials, kind="random tensors")
