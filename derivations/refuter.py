"""Looks for sizes that show a claim to be false: small whole numbers first, then sizes far apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from .claims import Claim, Term
from .evaluation import broken_by, legal
from .points import Domain
from .proofdata import poly_of

__all__ = ["Sizes", "counterexample", "has_sizes"]

Sizes = Mapping[str, int]
_GRID = 400
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
    widths = dict.fromkeys(claim.positives, 2)
    for numbers in islice(sorted(product((1, 2, 3, 4), repeat=min(len(names), 5)), key=sum), _GRID):
        at = {**dict.fromkeys(names, 2), **dict(zip(names, numbers, strict=False)), **widths}
        if legal(claim, at):
            yield at
    facts = [poly_of(rest[0]) - (head == "pos") for head, *rest in claim.assumptions if head != "put"]
    facts = [fact for fact in facts if not fact.names() & fixed and fact.names() <= {*names, *widths}]
    for point in islice(Domain(names, facts).sample(), tries):
        at = {**{name: point.get(name, 1) for name in names}, **widths}
        if legal(claim, at):
            yield at
