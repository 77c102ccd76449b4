"""Legal sizes, and whether they speak against a statement.

Sizes are whole numbers of at least 1, also those that an assumption gives; widths are positive, and tried
below 1 too. Sizes are drawn small and large, each in a range of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice, pairwise
from random import Random

from ..claims import STEP, Claim, Term
from ..evaluation import NoValue, legal, value
from ..points import Domain
from ..poly import Poly
from ..proofdata import denominator, poly_of

__all__ = ["Point", "against", "fixed", "legal_sizes", "point_sets", "shown"]

Point = Mapping[str, Fraction | int]
"""Symbol -> number."""
_SMALL, _ANY = 60, 120
_FAR = 1 << 1000


def fixed(claim: Claim, name: str) -> bool:
    """Whether an assumption says what a symbol is."""
    return any(head == "put" and rest[0] == name for head, *rest in claim.assumptions)


def legal_sizes(claim: Claim, random: Random) -> Iterator[Point]:
    """Up to 181 legal sets of sizes, small ones first; none where hardly any are legal."""
    given = {rest[0]: poly_of(rest[1]) for head, *rest in claim.assumptions if head == "put"}
    names = [n for n in (*claim.sizes, *claim.positives) if n not in given]

    def usable(polys: list[Poly]) -> list[Poly]:
        for _ in given:
            polys = [poly.map_symbols(given.get) for poly in polys]
        return [poly for poly in polys if poly.names() <= {*names}]

    facts = [body - 1 for body in given.values()]
    for head, *rest in claim.assumptions:
        if head != "put":
            poly = poly_of(rest[0])
            poly = poly * denominator(poly)
            # above 0 is at least 1 for whole numbers
            facts.append(poly - (head == "pos" and poly.names() <= {*claim.sizes}))
    whole = [size for name, size in given.items() if name in claim.sizes]
    domain = Domain(names, usable(facts), usable(whole))
    small = ({name: random.randint(1, 3) for name in names} for _ in range(_SMALL))
    drawn = islice(domain.sample(random.randrange(1 << 30)), _ANY)
    for at in chain([dict.fromkeys(names, 1)], small, drawn):
        scaled: dict[str, Fraction | int] = dict(at)
        for name in claim.positives:
            if name in scaled:
                scaled[name] = Fraction(at[name], random.choice((1, 1, 7, 1 << 20)))
        found: Point | None = next((p for p in (scaled, at) if _lawful(claim, p)), None)
        if found is not None:
            yield found


def _lawful(claim: Claim, at: Point) -> bool:
    """Whether sizes can occur: also those that an assumption gives are whole."""
    return legal(claim, at) and all(
        value(claim, ("sym", name), at).denominator == 1 for name in claim.sizes if fixed(claim, name)
    )


def point_sets(statement: Term, at: Point, random: Random) -> Iterator[Sequence[Point]]:
    """What can break a statement: the sizes alone, or two sets of them that differ in its symbol."""
    if statement[0] not in ("independent", "increasing", "crosses"):
        yield (at,)
    elif (name := statement[-1]) in at:
        low = Fraction(at[name])
        numbers = sorted({Fraction(1), low, low + 1, low * random.randint(3, 4096)})
        yield from (({**at, name: one}, {**at, name: two}) for one, two in pairwise(numbers))


def against(claim: Claim, statement: Term, points: Sequence[Point]) -> bool | None:
    """Whether sizes break a statement; None where they are not legal or something has no value.

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
            first, second, name = rest
            below, above = (value(claim, ("sub", second, first), at) for at in points)
            return (below <= 0 and above >= 0) or _never_cross(claim, first, second, name, points[0])
        one, two = (value(claim, rest[0], at) for at in points)
        return one != two if head == "independent" else one >= two
    except (NoValue, KeyError):
        return None


def _holds(claim: Claim, statement: Term, at: Point) -> bool:
    left, right = (value(claim, side, at) for side in statement[1:])
    return {"same": left == right, "less": left < right, "atmost": left <= right}[statement[0]]


def _never_cross(claim: Claim, first: Term, second: Term, name: str, at: Point) -> bool:
    """Whether two polynomials keep their order from near 0 to far out, legal or not: no crossing is there."""
    difference = ("sub", second, first)
    if claim.opaque or not _flat(claim, difference):
        return False
    near, far = (value(claim, difference, {**at, name: x}) for x in (Fraction(1, _FAR), _FAR))
    return near <= 0 or far >= 0


def _flat(claim: Claim, e: Term) -> bool:
    """Whether nothing is divided by but numbers."""
    head, *rest = e
    if head == "def":
        return _flat(claim, dict(claim.definitions)[rest[0]])
    if head in ("num", "sym"):
        return True
    divisors = rest[1:] if head == "div" else ()
    return head in ("add", "sub", "mul", "div") and all(_flat(claim, part) for part in rest) and all(
        part[0] == "num" for part in divisors
    )  # fmt: skip


def shown(points: Sequence[Point]) -> str:
    """Sizes for people: all of the first, then what differs."""
    first, *others = points
    texts = [", ".join(f"{name}={number}" for name, number in sorted(first.items()) if name != STEP)]
    texts += [", ".join(f"{n}={v}" for n, v in sorted(at.items()) if first.get(n) != v) for at in others]
    return " and ".join(texts)
