"""Why a polynomial is not negative: it is a sum of products of things that are not.

Each assumption `q >= 0` is used to write one symbol as others plus a slack; a size may also be written
as 1 plus a slack. Where all coefficients are then positive, that sum is the certificate. The fewest slacks
that do are used, so that a reader sees only what matters. Where two assumptions bound one symbol, weights
are sought by linear programming.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice

from .atoms import evaluate, free_symbols
from .claims import STEP, Claim, Term
from .domain import solvable
from .farkas import TooLarge, combine
from .points import Domain, Point
from .poly import Poly
from .proofdata import poly_data, poly_of

__all__ = ["Facts"]

Weights = dict[tuple[tuple[int, int], ...], Fraction]
_Fact = tuple[str, Poly, str]
"""`pos` or `nonneg`, of what, and the rule that gives it."""
Found = tuple[Weights, list[tuple[Term, str]]]
_TRIES = 600
_LARGEST = 400
_SAMPLES = 40


class Facts:
    """What is known of the signs of sizes under the assumptions of a claim."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.sizes = {*claim.sizes}
        self._points: dict[frozenset[str], list[Point]] = {}
        self.known = [(head, poly_of(rest[0])) for head, *rest in claim.assumptions if head != "put"]

    def rule(self, statement: Term) -> str | None:
        """The rule that gives a statement at once, if one does."""
        if statement in self.claim.assumptions:
            return "given"
        head, terms = statement
        poly = poly_of(terms)
        names = [*poly.names()]
        if len(names) == 1 and head == "pos" and poly == Poly.symbol(names[0]):
            return "size" if names[0] in (STEP, *self.claim.sizes, *self.claim.positives) else None
        if (
            len(names) == 1
            and head == "nonneg"
            and poly == Poly.symbol(names[0]) - 1
            and names[0] in self.sizes
        ):
            return "size"
        return None

    def above(self, poly: Poly) -> bool:
        """Whether a polynomial is seen to be positive."""
        return poly == 1 or self.certificate(poly, strict=True) is not None

    def certificate(self, poly: Poly, strict: bool) -> Found | None:
        """Weights, and the facts they stand before, with the rule of each."""
        if not poly:
            return None if strict else ({}, [])
        found = self._read_off(poly, {}, strict)
        if found is not None or self._seen_against(poly, strict):
            return found
        one = [self._in_slacks(poly, which, (), strict) for which in self._versions() if len(which) == 1]
        short = [found for found in (*one, self._by_weights(poly, ("given",), strict)) if found is not None]
        if short:
            return min(short, key=lambda found: len(found[0]))
        for kinds in (("given", "whole"), ("given", "whole", "size")):
            found = self._by_weights(poly, kinds, strict)
            if found is not None:
                return found
        for facts, over_one in islice(self._coordinates(poly), _TRIES):
            found = self._in_slacks(poly, facts, over_one, strict)
            if found is not None:
                return found
        return None

    def _seen_against(self, poly: Poly, strict: bool) -> bool:
        """Whether some legal sizes show another sign, so that no certificate need be sought."""
        names = frozenset(free_symbols(poly))
        if names not in self._points:
            facts = [
                q - 1 if head == "pos" and q.names() <= self.sizes and _integral(q) else q
                for head, q in self.known
            ]
            self._points[names] = list(islice(Domain(names, facts).sample(), _SAMPLES))
        values = (evaluate(poly, point) or 0 for point in self._points[names])
        return any(value < 0 or (strict and value == 0) for value in values)

    def _versions(self) -> Iterator[tuple[_Fact, ...]]:
        """Assumptions to write sizes with, few first: as they stand, or sharpened where they are whole."""
        options = []
        for head, q in self.known:
            sharp = head == "pos" and q.names() <= self.sizes and _integral(q)
            options.append([(head, q, "given"), *([("nonneg", q - 1, "whole")] if sharp else [])])
        for count in range(len(options) + 1):
            for chosen in combinations(options, count):
                yield tuple(versions[0] for versions in chosen)
                if any(len(versions) > 1 for versions in chosen):
                    yield tuple(versions[-1] for versions in chosen)

    def _coordinates(self, poly: Poly) -> Iterator[tuple[tuple[_Fact, ...], tuple[str, ...]]]:
        """Assumptions, and sizes to write as 1 plus a slack; those with few slacks first."""
        for facts in self._versions():
            names = sorted({n for p in (poly, *(q for _, q, _ in facts)) for n in p.names()} & self.sizes)
            for ones in range(len(names) + 1):
                yield from ((facts, over_one) for over_one in combinations(names, ones))

    def _in_slacks(
        self, poly: Poly, facts: tuple[_Fact, ...], over_one: tuple[str, ...], strict: bool
    ) -> Found | None:
        """The certificate that a polynomial is in these slacks, if it has no negative coefficient there."""
        solved = _solve(facts)
        if solved is None or any(name in solved[0] for name in over_one):
            return None
        extra = {n: Poly.symbol(f"{n} - 1") + 1 for n in over_one}
        images = {n: p.map_symbols(extra.get) for n, p in solved[0].items()} | extra
        if _size(poly, images) > _LARGEST:
            return None
        ones = {f"{n} - 1": (("nonneg", poly_data(Poly.symbol(n) - 1)), "size") for n in over_one}
        return self._read_off(poly.map_symbols(images.get), {**solved[1], **ones}, strict)

    def _read_off(self, expanded: Poly, slacks: dict[str, tuple[Term, str]], strict: bool) -> Found | None:
        """The certificate that an expanded polynomial is, if it has no negative coefficient."""
        if any(value < 0 for value in expanded.terms.values()):
            return None
        facts = dict(slacks)
        for name in expanded.names():
            if name in facts:
                continue
            rule = self.rule(("pos", poly_data(Poly.symbol(name))))
            if rule is None:
                return None
            facts[name] = (("pos", poly_data(Poly.symbol(name))), rule)
        terms = [(sorted(powers.items()), Fraction(c)) for powers, c in expanded.powers()]
        positive = any(all(facts[n][0][0] == "pos" for n, _ in powers) for powers, _ in terms)
        if strict and not positive:
            return None
        names = sorted(expanded.names())
        weights = {tuple(sorted((names.index(n), e) for n, e in powers)): c for powers, c in terms}
        return weights, [facts[name] for name in names]

    def _by_weights(self, poly: Poly, kinds: tuple[str, ...], strict: bool) -> Found | None:
        """A sum of facts of some kinds times single terms, found by linear programming.

        Only terms that can make up for a negative one are tried.
        """
        facts: list[tuple[Term, str]] = [((head, poly_data(q)), "given") for head, q in self.known]
        if "whole" in kinds:
            sharp = [q for head, q in self.known if head == "pos" and q.names() <= self.sizes and _integral(q)]
            facts += [(("nonneg", poly_data(q - 1)), "whole") for q in sharp]
        if "size" in kinds:
            names = sorted(poly.names() & self.sizes)
            facts += [(("nonneg", poly_data(Poly.symbol(n) - 1)), "size") for n in names]
        columns = _columns(poly, [poly_of(terms) for (_, terms), _ in facts])
        if not columns or len(columns) > _LARGEST:
            return None
        try:
            found = combine([poly.terms, *((-(times * q)).terms for times, _, q in columns)])
        except TooLarge:
            return None
        if found is None or not found[0]:
            return None
        images = {f"fact {place}": q for _, place, q in columns}
        rest, sums = poly, Poly()
        for (times, place, q), value in zip(columns, found[1:], strict=True):
            share = Fraction(value) / Fraction(found[0])
            rest, sums = rest - times * q * share, sums + times * Poly.symbol(f"fact {place}") * share
        return self._read_off(sums + rest, {name: facts[int(name.split()[1])] for name in images}, strict)


def _columns(poly: Poly, facts: list[Poly]) -> list[tuple[Poly, int, Poly]]:
    """(single term, which fact, fact) where the product has a negative term that the polynomial has too."""
    found: dict[tuple[Poly, int], Poly] = {}
    wanted = {monomial for monomial, value in poly.terms.items() if value < 0}
    for _ in range(2):
        for place, fact in enumerate(facts):
            for low in [m for m, value in fact.terms.items() if value < 0]:
                for monomial in sorted(wanted):
                    times = Poly({monomial - low: 1})
                    if all(e >= 0 for powers, _ in times.powers() for e in powers.values()):
                        found.setdefault((times, place), fact)
        # what a product adds is a negative term of what is left
        wanted |= {m for (times, _), q in found.items() for m, v in (times * q).terms.items() if v > 0}
    return [(times, place, q) for (times, place), q in found.items()]


def _integral(poly: Poly) -> bool:
    return all(Fraction(c).denominator == 1 for c in poly.terms.values())


def _solve(
    facts: tuple[_Fact, ...],
) -> tuple[dict[str, Poly], dict[str, tuple[Term, str]]] | None:
    """Symbols written in slacks; None where some fact can be solved for no symbol."""
    images: dict[str, Poly] = {}
    slacks: dict[str, tuple[Term, str]] = {}
    for number, (head, q, rule) in enumerate(facts):
        fact = q.map_symbols(images.get)
        found = solvable(fact)
        if found is None or found[0].startswith("slack"):
            return None
        name = found[0]
        slack = f"slack {number}"
        scale = Fraction(fact.coefficients(name)[1].constant or 0)
        if not scale:
            return None
        image = (Poly.symbol(slack) - (fact - Poly.symbol(name) * scale)) * (1 / scale)
        images = {n: p.map_symbols({name: image}.get) for n, p in images.items()} | {name: image}
        slacks[slack] = ((head, poly_data(q)), rule)
    return images, slacks


def _size(poly: Poly, images: dict[str, Poly]) -> int:
    """About how many terms the images make of a polynomial."""
    total = 0
    for powers, _ in poly.powers():
        count = 1
        for name, exponent in powers.items():
            count *= len(images[name].terms) ** exponent if name in images else 1
        total += count
    return total
