"""Quantities of a derivation as expressions, and claims about them with the assumptions they need.

A quantity is what the ledger adds up, term by term, before anything is simplified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType

from .algebra import Factors, Ratio
from .atoms import CONTEXT_HOLDS_QUERIES, Atom, atom_of, free_symbols, put
from .certificates import Facts
from .claims import Claim, Term
from .costs import Cost
from .errors import Place
from .expr import Comparison
from .graph import Graph
from .poly import Poly
from .program import Variant
from .proofdata import denominator, monomial_expression, poly_data, poly_expression
from .shown import Shown
from .terms import CostTerm
from .trees import Phase, Tree

__all__ = [
    "Assertion",
    "assumptions",
    "claim_about",
    "ledger_expression",
    "ratio_expression",
    "symbols_of",
    "terms_expression",
]

WIDTHS = frozenset({"b", "R"})
"""Symbols that need not be whole."""


@dataclass(frozen=True, slots=True)
class Assertion(Shown):
    """A claim with its name and its sentence."""

    id: str
    """Unique among the claims of a variant."""
    says: str
    """What is claimed, for people."""
    claim: Claim
    """What is claimed, for the kernel."""
    about: tuple[str, ...] = ()
    """The variants it is about."""
    expect: str | None = None
    """`proved`, `refuted` or `open`, where the author says what must come out."""
    place: Place | None = None
    """Where it is written."""
    given: tuple[str, ...] = ()
    """The author's assumptions, as written."""
    order: tuple[Graph, Phase, tuple[Tree, ...]] | None = field(default=None, compare=False, repr=False)
    """The order it is about, so that it can be run: the program, the phase, a tree for each region."""

    def __repr__(self) -> str:
        return f"Assertion({self.id}: {self.says})"


def ledger_expression(cost: Cost, kind: str, images: Mapping[str, Poly] = MappingProxyType({})) -> Term:
    """The sum of a ledger's terms in scope, as it stands, with `images` put for symbols."""
    return terms_expression(cost.selected(kind), images)


def terms_expression(terms: Iterable[CostTerm], images: Mapping[str, Poly] = MappingProxyType({})) -> Term:
    """The sum of terms of a ledger, as it stands, with `images` put for symbols."""
    parts = [
        monomial_expression(dict(sorted(powers.items())), Fraction(coefficient))
        for term in terms
        for powers, coefficient in sorted(
            put(term.amount, images).powers(), key=lambda item: sorted(item[0].items())
        )
    ]
    return ("num", 0) if not parts else parts[0] if len(parts) == 1 else ("add", *parts)


def ratio_expression(ratio: Ratio) -> Term:
    """A ratio with what both sides share cancelled."""
    factors = ratio.factors()
    above, below = (_product(factors.part(side)) for side in (True, False))
    return above if below == ("num", 1) else ("div", above, below)


def _product(factors: Factors) -> Term:
    """A product as it is written: a number, symbols, sums."""
    plain = monomial_expression(dict(sorted(factors.powers.items())), factors.number)
    parts = [poly_expression(poly) for poly, exponent in factors.sums for _ in range(exponent)]
    if not parts:
        return plain
    if plain != ("num", 1):
        parts = [*(plain[1:] if plain[0] == "mul" else [plain]), *parts]
    return parts[0] if len(parts) == 1 else ("mul", *parts)


def symbols_of(*terms: Term) -> frozenset[str]:
    """The symbols of expressions and statements; those inside a min, ceil or floor as that one."""
    found: set[str] = set()
    for term in terms:
        if term and term[0] == "sym":
            found.add(term[1])
        elif term and term[0] in ("pos", "nonneg", "put"):
            found |= {name for _, monomial in term[-1] for name, _ in monomial}
            found |= {term[1]} if term[0] == "put" else set()
        elif term and term[0] == "cheapest":
            found |= {name for _, size in term[1][0] for _, monomial in size for name, _ in monomial}
        elif term:
            found |= symbols_of(*(part for part in term if isinstance(part, tuple)))
    return frozenset(found)


def assumptions(comparisons: Iterable[Comparison]) -> tuple[Term, ...]:
    """What comparisons say, for the kernel; an equality that gives one symbol is put in its place.

    One that always holds is left out; one that never does stays, as a number with the wrong sign.
    """
    images: dict[str, Poly] = {}
    signs: list[tuple[str, Poly]] = []
    for comparison in comparisons:
        slack = _cleared(put(comparison.slack, images))
        if not comparison.equal:
            signs.append(("pos" if comparison.strict else "nonneg", slack))
            continue
        found = _solved(slack)
        if found is None:
            signs += [("nonneg", slack), ("nonneg", -slack)]
        else:
            images = {name: put(image, dict([found])) for name, image in images.items()} | dict([found])
    puts: list[Term] = [("put", name, poly_data(image)) for name, image in images.items()]
    late = [(head, _cleared(put(slack, images))) for head, slack in signs]
    kept = [
        (head, poly_data(slack)) for head, slack in late
        if slack.constant is None or slack.constant < 0 or (head == "pos" and not slack.constant)
    ]  # fmt: skip
    return (*puts, *dict.fromkeys(kept))


def _cleared(slack: Poly) -> Poly:
    return slack * denominator(slack)


def _solved(slack: Poly) -> tuple[str, Poly] | None:
    """A symbol and what it is where the slack is zero: one that is a sum first, then S, then others.

    That a sum of sizes is at least 1 follows from itself; that a difference is would be lost.
    """
    found: dict[str, Poly] = {}
    for name in slack.names():
        parts = slack.coefficients(name)
        number = parts[1].constant if set(parts) <= {0, 1} and 1 in parts else None
        hidden = any(atom_of(n) and name in free_symbols(Poly.symbol(n)) for n in slack.names())
        if number and not hidden and atom_of(name) is None:
            value = parts.get(0, Poly()) * (Fraction(-1) / Fraction(number))
            if denominator(value) == 1:
                found[name] = value
    by_rank = sorted(found, key=lambda n: (any(c < 0 for c in found[n].terms.values()), n != "S", n))
    return (by_rank[0], found[by_rank[0]]) if by_rank else None


def claim_about(
    statement: Term, definitions: Mapping[str, Term], given: Iterable[Comparison] = (), *variants: Variant
) -> Claim:
    """The claim with the definitions it uses and the assumptions that concern its symbols."""
    used = _used(statement, definitions)
    kept = {name: body for name, body in definitions.items() if name in used}
    names = set(symbols_of(statement, *kept.values()) | _bound(statement, *kept.values()))
    told = [*given, *(c for variant in variants for c in variant.assume)]
    own = list(assumptions([*told, Comparison("S <= L", CONTEXT_HOLDS_QUERIES, False)]))
    own = [term for term in own if term not in _TRIVIAL]
    facts: list[Term] = []
    stated = assumptions(given)
    names |= symbols_of(*stated)  # what its author assumes belongs to a claim, whatever it is about
    opaque: dict[str, Term] = {}
    grown = True
    while grown:
        grown = False
        for name in sorted(names - set(opaque)):
            atom = atom_of(name)
            if atom is not None:
                opaque[name] = _body(atom)
                names |= symbols_of(opaque[name])
                grown = True
        for term in own:
            mine = symbols_of(term)
            if term not in facts and (mine <= names if _queries(term) else mine & names or not mine):
                facts.append(term)
                names |= mine
                grown = True
    plain = names - set(opaque)
    claim = Claim(
        statement, tuple(kept.items()), tuple(dict.fromkeys(facts)),
        tuple(sorted(plain - WIDTHS)), tuple(sorted(plain & WIDTHS)), tuple(sorted(opaque.items())),
    )  # fmt: skip
    for name in sorted(opaque, key=lambda name: (_depth(name), name)):
        facts = [*claim.assumptions, *_bounds(name, Facts(claim))]
        claim = replace(claim, assumptions=tuple(dict.fromkeys(facts)))
    return claim


_TRIVIAL = (("nonneg", poly_data(Poly.symbol("L") - 1)),)
"""What holds of every size: L >= 1, which S <= L becomes where S is 1."""


def _queries(term: Term) -> bool:
    """Whether it is S <= L, which says nothing where only one of them occurs."""
    return term == ("nonneg", poly_data(CONTEXT_HOLDS_QUERIES))


def _used(term: Term, definitions: Mapping[str, Term]) -> set[str]:
    if term and term[0] == "def":
        return {term[1]} | _used(definitions[term[1]], definitions)
    return {n for part in term if isinstance(part, tuple) for n in _used(part, definitions)}


def _bound(*terms: Term) -> set[str]:
    """Symbols that are named without being used: those of limits, crossings and the like."""
    found: set[str] = set()
    for term in terms:
        if term and term[0] in ("independent", "increasing", "lim", "shift", "crosses", "root"):
            found.add(term[-1])
        found |= _bound(*(part for part in term if isinstance(part, tuple)))
    return found


def _body(atom: Atom) -> Term:
    if atom.function == "min":
        return ("min", *map(poly_expression, atom.arguments))
    return atom.function, ("div", *map(poly_expression, atom.arguments))


def _depth(name: str) -> int:
    """How deep definitions are nested in one."""
    atom = atom_of(name)
    return 0 if atom is None else 1 + max(_depth(n) for a in atom.arguments for n in a.names() or {""})


def _bounds(name: str, known: Facts) -> list[Term]:
    """What follows from the definition: a min is at most either side; a sign, where the arguments have one."""
    atom, own = atom_of(name), Poly.symbol(name)
    assert atom is not None
    numbers = atom.arguments if atom.function == "min" else atom.arguments[:1]
    if not all(known.above(denominator(argument)) for argument in atom.arguments):
        return []
    signs: list[Term] = []
    if all(known.above(argument * denominator(argument)) for argument in numbers):
        signs = [("nonneg" if atom.function == "floor" else "pos", poly_data(own))]
    if atom.function == "min":
        signs += [("nonneg", poly_data((a - own) * denominator(a))) for a in atom.arguments]
    return signs
