"""Claims files: quantities of derivations under names, and what is claimed of them.

quantities:
  F_absorb: {flops: mla, order: absorb, phase: verify, scope: attention}
  F_expand: {flops: mla, order: expand, phase: verify, scope: attention}
  S_star: {crossover: [F_absorb, F_expand], in: S}
claims:
  - id: decode
    says: At one query token absorbing is cheaper.
    holds: F_absorb < F_expand
    assume: [S = 1, L >= 2, d_k + d_v >= 4]
    expect: proved
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from .assertions import value_statement
from .claimquantities import STUDY, Quantities, named_in
from .claims import Term
from .claimterms import LONGEST, comparison_term
from .contradiction import check_assumptions
from .dims import Dim, is_name
from .errors import Place, unknown
from .expr import parse_comparison
from .nested import cheapest_statement
from .quantities import Assertion, claim_about
from .refuter import nowhere
from .resources import is_document, is_path, names, resource
from .yamlfile import Entry, read_yaml

__all__ = ["STATUSES", "Claims", "Reader", "bundled_claims", "claims_about", "load_claims"]

STATUSES = ("proved", "refuted", "open")


@dataclass(frozen=True, slots=True)
class Claims:
    """One file of claims."""

    name: str
    """Its file."""
    title: str
    """For the heading."""
    assertions: tuple[Assertion, ...]
    """The claims, in the file's order."""
    symbols: Mapping[str, Dim]
    """Size symbols of the variants it is about."""


def bundled_claims() -> tuple[str, ...]:
    """The files that ship; those that regenerate a document are the business of `documents`."""
    return tuple(name for name in names("models", "claims") if not is_document(name))


def load_claims(name: str) -> Claims:
    """The claims of a bundled file, or of the user's own (a path). Raises InputError with file and line."""
    if is_path(name):
        return Reader().read(read_yaml(Path(name), name))
    if name not in bundled_claims():
        raise unknown("claims file", name, bundled_claims())
    return _bundled(name)


@cache
def _bundled(name: str) -> Claims:
    return Reader().read(read_yaml(resource("models", "claims", f"{name}.yaml"), f"models/claims/{name}.yaml"))


def claims_about(variant: str) -> list[Assertion]:
    """The bundled claims that speak of a variant."""
    found = [assertion for name in bundled_claims() for assertion in load_claims(name).assertions]
    return [assertion for assertion in found if variant in assertion.about]


def _sides(statement: Term) -> Iterator[Term]:
    """The expressions that a statement compares."""
    head, *rest = statement
    if head in ("all", "iff"):
        for part in rest:
            yield from _sides(part)
    elif head not in ("cheapest", "value"):
        yield from (part for part in rest if isinstance(part, tuple))


@dataclass(slots=True)
class Reader:
    """Reads one file."""

    quantities: Quantities = field(default_factory=Quantities)

    def read(self, entry: Entry) -> Claims:
        fields = entry.mapping(allowed=("title", "symbols", "quantities"), required=("claims",))
        for symbol in fields["symbols"].items() if "symbols" in fields else ():
            if not is_name(symbol.text()):
                raise symbol.fail(f"{symbol.text()[:30]!r} is no name of a symbol")
            self.quantities.symbols.add(symbol.text())
        if "quantities" in fields:
            self.quantities.read(fields["quantities"])
        found: dict[str, Assertion] = {}
        for item in fields["claims"].items():
            assertion = self._claim(item)
            if assertion.id in found:
                raise item.fail(f"the id {assertion.id!r} stands twice")
            found[assertion.id] = assertion
        title = fields["title"].text(120) if "title" in fields else ""
        return Claims(entry.place.file, title, tuple(found.values()), self._symbols())

    def _symbols(self) -> dict[str, Dim]:
        return {name: dim for v in self.quantities.variants.values() for name, dim in v.symbols.items()}

    def _claim(self, entry: Entry) -> Assertion:
        kinds = self.kinds()
        fields = entry.mapping(allowed=(*kinds, "says", "assume", "expect"), required=("id",))
        asked = [kind for kind in kinds if kind in fields]
        if len(asked) != 1:
            raise entry.fail(f"a claim says one of {', '.join(kinds)}")
        expect = fields["expect"].text() if "expect" in fields else "proved"
        if expect not in STATUSES:
            raise unknown("verdict", expect, STATUSES, fields["expect"].place)
        says = fields["says"].text(400) if "says" in fields else ""
        assume = fields.get("assume")
        given, place = (assume.items(), assume.place) if assume is not None else ([], entry.place)
        assertion = self.assertion(fields["id"].text(80), asked[0], fields[asked[0]], given, place)
        return replace(assertion, says=says, expect=expect, place=entry.place)

    def assertion(self, name: str, kind: str, what: Entry, assume: Sequence[Entry], place: Place) -> Assertion:
        """What one statement claims; `place` is to blame where assumptions contradict each other.

        Raises InputError with the place.
        """
        statement = self.kinds()[kind](what)
        used = self._variants(statement, what)
        given = [parse_comparison(item.text(), item.place) for item in assume]
        for item, comparison in zip(assume, given, strict=True):
            self.quantities.check(comparison.slack, item.place)
        variants = [self.quantities.variants[name] for name in used]
        claim = claim_about(statement, self.quantities.terms, given, *variants)
        texts = tuple(comparison.text for comparison in given)
        check_assumptions(claim, texts, place)
        for side in _sides(statement):
            why = nowhere(claim, side)
            if why == "a division by zero":
                raise what.fail(f"{why} at all sizes that the assumptions allow")
        return Assertion(name, "", claim, used, None, what.place, texts)

    def _variants(self, statement: Term, what: Entry) -> tuple[str, ...]:
        """The variants a statement is about."""
        named = (
            [what.value["variant"].text()] if isinstance(what.value, dict) and "variant" in what.value else []
        )
        inner = [v for name in named_in(statement) for v in self.quantities.of.get(name, ())]
        return tuple(dict.fromkeys([*named, *inner]))

    def kinds(self) -> dict[str, Callable[[Entry], Term]]:
        """What a claim can say, each with its reader."""
        return {
            "holds": self._holds, "equivalent": self._equivalent, "independent": self._independent,
            "increasing": self._increasing, "crossover": self._crossover, "cheapest": self._cheapest,
            "same-value": self._same_value,
        }  # fmt: skip

    def _comparison(self, entry: Entry) -> Term:
        found = comparison_term(entry.text(LONGEST), entry.place, self.quantities.names())
        if found[1] == found[2]:
            raise entry.fail("both sides come to the same formula")
        return found

    def _holds(self, entry: Entry) -> Term:
        return self._comparison(entry)

    def _equivalent(self, entry: Entry) -> Term:
        sides = [self._comparison(item) for item in entry.items()]
        if len(sides) != 2 or any(side[0] != "less" for side in sides):
            raise entry.fail("two comparisons with < or > are expected, as in [F < G, 2*d_c > d_k]")
        return "iff", *sides

    def _independent(self, entry: Entry) -> Term:
        fields = entry.mapping(required=("quantity", "of"))
        return "independent", self.quantities.formula(fields["quantity"]), self.quantities.symbol(fields["of"])

    def _increasing(self, entry: Entry) -> Term:
        fields = entry.mapping(required=("quantity", "in"))
        return "increasing", self.quantities.formula(fields["quantity"]), self.quantities.symbol(fields["in"])

    def _crossover(self, entry: Entry) -> Term:
        fields = entry.mapping(allowed=("at",), required=("below", "above", "in"))
        below, above = (self.quantities.formula(fields[key]) for key in ("below", "above"))
        symbol = self.quantities.symbol(fields["in"])
        crossing: Term = ("crosses", below, above, symbol)
        if "at" not in fields:
            return crossing
        return "all", crossing, ("same", ("root", below, above, symbol), self.quantities.formula(fields["at"]))

    def _cheapest(self, entry: Entry) -> Term:
        fields = entry.mapping(allowed=STUDY, required=("variant", "order"))
        study = self.quantities.study(fields["variant"], fields)
        with fields["order"].blamed():
            return cheapest_statement(study, fields["order"].text())

    def _same_value(self, entry: Entry) -> Term:
        fields = entry.mapping(allowed=STUDY, required=("variant", "order"))
        derivation = self.quantities.derivation(fields["variant"], fields)
        with fields["order"].blamed():
            return value_statement(derivation)
