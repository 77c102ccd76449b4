"""Looks for sizes that show a claim to be false: small whole numbers first, then sizes far apart."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product, zip_longest

from .claims import Claim, Term
from .evaluation import NoValue, broken_by, legal, value
from .points import Domain
from .proofdata import Sizes, poly_of

__all__ = ["counterexample", "has_sizes", "nowhere"]

_GRID = 400
_CUBE = 2000
"""Small sizes among which the smallest are tried."""
_WIDTHS = (2, 1, Fraction(1, 2), 4, 3, Fraction(1, 16), 100, Fraction(1, 10**6), 10**6)
_FIRST = 12
"""Sizes at which the usual width is tried first."""
_FACTORS = (2, 3, 16, 1024)


def counterexample(claim: Claim, tries: int) -> tuple[Sizes, ...] | None:
    """Legal sizes that break the claim, or two sets of them that differ in one symbol; None if none is met."""
    for at in islice(_sizes(claim), tries):
        for points in _sets(claim.statement, at):
            if broken_by(claim, claim.statement, points):
                return points
    return None


def has_sizes(claim: Claim, tries: int = 4000) -> bool:
    """Whether some sizes satisfy the assumptions, as far as is seen."""
    return next(_sizes(claim, tries), None) is not None


def nowhere(claim: Claim, e: Term, tries: int = 8) -> str | None:
    """Why an expression has no value, where it has none at all of some legal sizes; None where it has one."""
    why = None
    for at in islice(_sizes(claim), tries):
        try:
            value(claim, e, at)
        except NoValue as error:
            why = str(error)
        else:
            return None
    return why


def _sets(statement: Term, at: Sizes) -> Iterator[tuple[Sizes, ...]]:
    """The sizes, alone or with others that are further along the symbol of the statement."""
    head, *rest = statement
    if head == "all":
        for part in rest:
            yield from _sets(part, at)
    elif head in ("independent", "increasing", "crosses"):
        name = rest[-1]
        if name in at:
            yield from ((at, {**at, name: at[name] * factor}) for factor in _FACTORS)
            yield at, {**at, name: at[name] + 1}
    else:
        yield (at,)


def _sizes(claim: Claim, tries: int = 4000) -> Iterator[Sizes]:
    """Legal sizes: all small ones in turn, up to a number of them, then a sample of the whole domain."""
    fixed = {rest[0] for head, *rest in claim.assumptions if head == "put"}
    names = [name for name in claim.sizes if name not in fixed]
    widths = [name for name in claim.positives if name not in fixed]
    for number, at in enumerate(_candidates(claim, names, fixed, tries)):
        turn = number % len(_WIDTHS) if number >= _FIRST else 0
        for width in (*_WIDTHS[turn:], *_WIDTHS[:turn]) if widths else (1,):
            found = {**at, **dict.fromkeys(widths, width)}
            if legal(claim, found):
                yield found
                break


def _candidates(claim: Claim, names: list[str], fixed: set[str], tries: int) -> Iterator[dict[str, int]]:
    """Small sizes first, then small and far ones by turns."""
    count = min(len(names), 5)
    numbers = range(1, int(_CUBE ** (1 / max(count, 1))) + 1)
    grid = islice(sorted(product(numbers, repeat=count), key=sum), _GRID)
    small = ({**dict.fromkeys(names, 2), **dict(zip(names, at, strict=False))} for at in grid)
    yield from islice(small, _FIRST)
    facts = [poly_of(rest[0]) - (head == "pos") for head, *rest in claim.assumptions if head != "put"]
    facts = [fact for fact in facts if not fact.names() & fixed and fact.names() <= {*names}]
    far = ({name: p.get(name, 1) for name in names} for p in islice(Domain(names, facts).sample(), tries))
    yield from (at for pair in zip_longest(small, far) for at in pair if at is not None)
