"""Sound comparison of polynomials over the sizes that can occur: every plain symbol is at least 1.

`nonnegative` and `positive` prove or give up, they never guess: each fact `p >= 0` is used to write
one symbol as the others plus a slack that is at least 0, every remaining symbol is written as 1 plus
a slack, and a polynomial whose coefficients are then all nonnegative cannot be negative. Giving up
means nothing about the sign. A symbol with a definition (`min(L, n)`, `floor(L/m)`) and the width `b`
may be below 1, so they are only taken to be at least 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

from .poly import Poly

__all__ = [
    "Coordinates",
    "always_at_least",
    "coordinates",
    "nonnegative",
    "positive",
    "solvable",
    "strip_positive",
]

_LIMIT = 4000
"""Terms an expanded polynomial may have; beyond, the comparison gives up before it expands.

A fact that would make another fact longer than that is left out: less is known then, nothing is wrong.
"""


def _sure(name: str) -> bool:
    """Whether a symbol is at least 1."""
    return "(" not in name and name != "b"


def solvable(fact: Poly) -> tuple[str, Poly] | None:
    """A symbol that `fact` is linear in with a positive number before it, and the rest of the fact.

    Of several the one with the smallest number: the substituted polynomials stay whole if they can.
    """
    fact = _cleared(fact)
    best: tuple[Fraction, str] | None = None
    for powers, coefficient in fact.powers():
        if len(powers) != 1 or coefficient <= 0:
            continue
        ((name, exponent),) = powers.items()
        if exponent != 1 or fact.degree(name) != 1 or len(fact.coefficients(name)[1].terms) != 1:
            continue
        candidate = (Fraction(coefficient), name)
        if best is None or candidate < best:
            best = candidate
    if best is None:
        return None
    coefficient, name = best
    rest = fact - Poly.symbol(name) * coefficient
    return name, rest * (Fraction(1) / coefficient)


def _cleared(poly: Poly) -> Poly:
    """`poly` divided by its content, so that no exponent is negative."""
    return poly * poly.content().inverse() if poly else poly


def nonnegative(poly: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `poly >= 0` is proved wherever each symbol is a size and each fact is >= 0."""
    if all(c > 0 for c in poly.terms.values()):
        return True
    expanded = _expanded(poly, facts)
    return expanded is not None and all(c > 0 for c in expanded.terms.values())


def positive(poly: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `poly > 0` is proved wherever each symbol is a size and each fact is >= 0."""
    ((content, _),) = poly.content().powers() if poly else (({}, 1),)
    if not poly or any("(" in name for name in content):
        return False
    expanded = _expanded(poly, facts)
    if expanded is None or any(c < 0 for c in expanded.terms.values()):
        return False
    return any(all(name == "b" for name in powers) for powers, _ in expanded.powers())


def _expanded(poly: Poly, facts: Iterable[Poly]) -> Poly | None:
    """`poly` over a positive term, in slacks that are at least 0; None when that would be too large."""
    system, cleared = coordinates(tuple(facts)), _cleared(poly)
    return system.expand(cleared) if system.fits(cleared) else None


class Coordinates:
    """Slack coordinates: every size as a sum of slacks that are at least 0.

    In them a polynomial without a negative coefficient is at least 0, and one polynomial is at most
    another wherever each of its coefficients is. Slacks of facts have names of their own; the slack of
    a symbol that is at least 1 keeps the symbol's name.
    """

    def __init__(self, facts: tuple[Poly, ...], clean: bool = False) -> None:
        """With `clean`, facts that would write a size with a minus sign are left out.

        Such a size (one with two lower bounds) has no coefficients that say much about its sign.
        """
        self.images: dict[str, Poly] = {}
        self._meaning: dict[str, Poly] = {}
        pending = list(facts)
        slacks: set[str] = set()
        while pending:
            found = solvable(pending.pop(0))
            if found is None or found[0] in slacks:
                continue
            name, rest = found
            slack = f"slack {len(slacks)}"
            image = Poly.symbol(slack) - rest
            meaning = (Poly.symbol(name) + rest).map_symbols(self._meaning.get)
            if max((_growth(p, {name: image}) for p in pending), default=0) > _LIMIT:
                continue
            if clean and any(coefficient < 0 for coefficient in image.terms.values()):
                continue
            slacks.add(slack)
            self._meaning[slack] = meaning
            replace = {name: image}.get
            pending = [_cleared(fact).map_symbols(replace) for fact in pending]
            self.images = {n: p.map_symbols(replace) for n, p in self.images.items()} | {name: image}
        self.slacks = frozenset(slacks)
        self.images = {n: p.map_symbols(self._over_one) for n, p in self.images.items()}

    def _over_one(self, name: str) -> Poly | None:
        return Poly.symbol(name) + 1 if name not in self.slacks and _sure(name) else None

    def image(self, name: str) -> Poly | None:
        """What is put for a symbol; None where it stays."""
        return self.images.get(name) or self._over_one(name)

    def fits(self, poly: Poly) -> bool:
        """Whether a polynomial stays small enough when it is expanded."""
        return _growth(poly, self._images_of(poly)) <= _LIMIT

    def expand(self, poly: Poly) -> Poly:
        """A polynomial without negative exponents in slacks."""
        return poly.map_symbols(self._images_of(poly).get)

    def in_sizes(self, poly: Poly) -> Poly:
        """A polynomial in slacks as one in the sizes themselves."""

        def meaning(name: str) -> Poly | None:
            return self._meaning.get(name) or (Poly.symbol(name) - 1 if _sure(name) else None)

        return poly.map_symbols(meaning)

    def _images_of(self, poly: Poly) -> dict[str, Poly]:
        return {name: image for name in poly.names() if (image := self.image(name)) is not None}


@lru_cache(maxsize=256)
def coordinates(facts: tuple[Poly, ...], clean: bool = False) -> Coordinates:
    """The slack coordinates under some facts, each at least 0."""
    return Coordinates(facts, clean)


def _growth(poly: Poly, images: Mapping[str, Poly]) -> int:
    """About how many terms `poly` has once the images are put for its symbols."""
    size = 0
    for powers, _ in poly.powers():
        count = 1
        for symbol, exponent in powers.items():
            terms = len(images[symbol].terms) if symbol in images else 1
            count *= exponent + 1 if terms == 2 else terms**exponent if terms else 1
        size += count
    return size


def always_at_least(left: Poly, right: Poly, facts: Iterable[Poly] = ()) -> bool:
    """True when `left >= right` is proved at every size."""
    return nonnegative(left - right, facts)


def strip_positive(poly: Poly) -> Poly:
    """`poly` without the single term that divides it: the sign is the same, the text is shorter."""
    return _cleared(poly)
