"""The quantities of a claims file: costs of derivations, crossovers and limits of them, and formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .checkpoints import load_checkpoint
from .claims import Term
from .claimterms import LONGEST, Names, expression
from .conventions import KNOBS, Conventions
from .derivation import Derivation, Study, derive
from .dims import STANDARD, is_name, parse_value
from .errors import Place, unknown
from .expr import parse_side
from .library import load_variant
from .poly import Coefficient, Poly
from .program import Variant
from .quantities import ledger_expression
from .sizechecks import check_sizes
from .terms import Kind
from .yamlfile import Entry

__all__ = ["STUDY", "Quantities", "named_in"]

_LEDGER = ("flops", "bytes", "intensity")
_OTHER = ("crossover", "limit")
STUDY = ("order", "model", "set", *KNOBS)
"""Keys that say which derivation is meant."""


@dataclass(slots=True)
class Quantities:
    """The quantities of one file, and the names its formulas may use."""

    symbols: set[str] = field(default_factory=lambda: set(STANDARD))
    """Size symbols."""
    terms: dict[str, Term] = field(default_factory=dict)
    """Name -> expression, in an order in which each uses only earlier ones."""
    of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name -> the variants it is about."""
    variants: dict[str, Variant] = field(default_factory=dict)
    """Those that occur."""

    def read(self, entry: Entry) -> None:
        """All quantities of a file."""
        entries = entry.mapping()
        for item in entries.values():  # first, so that formulas may use every variant's symbols
            if isinstance(item.value, dict):
                for kind in _LEDGER:
                    if kind in item.value:
                        self.variant(item.value[kind])
        for name, item in entries.items():
            if not is_name(name) or name in self.symbols:
                raise item.fail(f"{name!r} is a size symbol, or no name; call the quantity otherwise")
            if isinstance(item.value, dict):
                self._described(name, item)
            else:
                self.terms[name] = self.formula(item)
            inner = {n for n in named_in(self.terms[name]) if n in self.of}
            self.of.setdefault(name, tuple(dict.fromkeys(v for n in sorted(inner) for v in self.of[n])))

    def variant(self, entry: Entry) -> Variant:
        """The variant an entry names; its symbols become known."""
        name = entry.text()
        if name not in self.variants:
            with entry.blamed():
                self.variants[name] = load_variant(name)
            self.symbols |= set(self.variants[name].symbols)
        return self.variants[name]

    def names(self) -> Names:
        """What a name in a formula may be."""
        return Names(self.terms, self.symbols)

    def formula(self, entry: Entry) -> Term:
        """The expression of a formula."""
        return expression(entry.text(LONGEST), entry.place, self.names())

    def symbol(self, entry: Entry) -> str:
        """A size symbol."""
        if entry.text() not in self.symbols:
            raise unknown("symbol", entry.text(), self.symbols, entry.place)
        return entry.text()

    def check(self, poly: Poly, place: Place) -> None:
        """Raises InputError for a symbol nobody knows."""
        from .atoms import free_symbols

        for symbol in sorted(free_symbols(poly) - self.symbols):
            raise unknown("symbol", symbol, self.symbols, place)

    def study(self, which: Entry, fields: Mapping[str, Entry]) -> Study:
        """The study some keys describe; as `derive` has it, decode and scope core by default."""
        variant = self.variant(which)
        conventions = Conventions(phase="decode", scope="core")
        for key in KNOBS:
            if key in fields:
                with fields[key].blamed():
                    conventions = replace(conventions, **{key.replace("-", "_"): fields[key].text()})
        model = None
        if "model" in fields:
            with fields["model"].blamed():
                model = load_checkpoint(fields["model"].text())
        values: dict[str, Coefficient] = dict(model.values(variant.symbols)) if model else {}
        for symbol, value in (fields["set"].mapping() if "set" in fields else {}).items():
            if symbol not in variant.symbols:
                raise unknown("symbol", symbol, variant.symbols, value.place)
            with value.blamed():
                number = str(value.value) if isinstance(value.value, float) else value.text()
                values[symbol] = parse_value(symbol, number, symbol != "b", "")
        with fields.get("set", which).blamed():
            check_sizes(variant, values, conventions)
        return Study(variant, conventions, values, model)

    def derivation(self, which: Entry, fields: Mapping[str, Entry]) -> Derivation:
        """The derivation some keys describe; of the program as written, where they name no order."""
        study = self.study(which, fields)
        with fields.get("order", which).blamed():
            return derive(study, fields["order"].text() if "order" in fields else "direct")

    def _described(self, name: str, entry: Entry) -> None:
        fields = entry.mapping(allowed=(*_LEDGER, *_OTHER, *STUDY, "at", "in"))
        kinds = [key for key in (*_LEDGER, *_OTHER) if key in fields]
        if len(kinds) != 1:
            raise entry.fail(f"a quantity is a formula, or one of {', '.join((*_LEDGER, *_OTHER))}")
        kind = kinds[0]
        if kind in _LEDGER:
            self._ledger(name, kind, fields)
            return
        fields = entry.mapping(required=(kind, "in"))
        symbol = self.symbol(fields["in"])
        if kind == "limit":
            self.terms[name] = ("lim", self.formula(fields["limit"]), symbol)
            return
        items = fields["crossover"].items()
        if len(items) != 2:
            raise fields["crossover"].fail(
                "a crossover is of two quantities, the one that is cheaper below first"
            )
        self.terms[name] = ("root", self.formula(items[0]), self.formula(items[1]), symbol)

    def _ledger(self, name: str, kind: str, fields: Mapping[str, Entry]) -> None:
        derivation = self.derivation(fields[kind], fields)
        study = derivation.study
        images = {name: Poly.const(value) for name, value in study.values.items()}
        for symbol, entry in (fields["at"].mapping() if "at" in fields else {}).items():
            if symbol not in study.variant.symbols:
                raise unknown("symbol", symbol, study.variant.symbols, entry.place)
            images[symbol] = parse_side(entry.text(), entry.place)
            self.check(images[symbol], entry.place)

        def sums(which: str) -> Term:
            return ledger_expression(derivation.cost, which, images)

        self.of[name] = (fields[kind].text(),)
        if kind != "intensity":
            self.terms[name] = sums(Kind.FLOPS if kind == "flops" else Kind.BYTES)
            return
        for part, which in (("flops", Kind.FLOPS), ("bytes", Kind.BYTES)):
            self.terms[f"{name}.{part}"] = sums(which)
        self.terms[name] = ("div", ("def", f"{name}.flops"), ("def", f"{name}.bytes"))


def named_in(term: Term) -> list[str]:
    """The quantities that a statement or an expression names, in order."""
    if term and term[0] == "def":
        return [term[1]]
    return [name for part in term if isinstance(part, tuple) for name in named_in(part)]
