"""The quantities of a document: ledgers and formulas of them, as ratios in symbols and as numbers.

Nothing is computed before a claim asks for it, and everything can be asked again under another setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..algebra import Ratio, limit_in
from ..conventions import KNOBS, Conventions
from ..derivation import Derivation, Study, derive
from ..dims import DEPLOYED, STANDARD, is_name
from ..errors import unknown
from ..library import load_variant
from ..poly import Coefficient, Poly, total
from ..program import Variant
from ..sharding import Split
from ..terms import CostTerm, Kind
from ..yamlfile import Entry
from .counted import chain_flops
from .described import LEDGERS, MADE, described
from .formulas import FUNCTIONS, LONGEST, NoNumber, named_in, ratio_of
from .given import GIVEN, part_figure
from .setting import Setting

__all__ = ["Sheet"]


@dataclass(slots=True)
class Sheet:
    """The quantities of one document."""

    entries: Mapping[str, Entry]
    """Name -> what the file says of it."""
    symbols: set[str] = field(default_factory=lambda: {*STANDARD, *DEPLOYED, *GIVEN})
    """Size symbols that formulas may use."""
    variants: dict[str, Variant] = field(default_factory=dict)
    """Those that occur."""
    _ratios: dict[tuple[object, ...], Ratio] = field(default_factory=dict)
    _derived: dict[tuple[object, ...], Derivation] = field(default_factory=dict)
    fields: dict[str, dict[str, Entry]] = field(default_factory=dict)
    """Name -> what is said of it, where it is no formula."""

    def __post_init__(self) -> None:
        for name, entry in self.entries.items():
            if not is_name(name) or name in (*self.symbols, *FUNCTIONS):
                raise entry.fail(f"{name!r} is a size symbol, or no name; call the quantity otherwise")
            if isinstance(entry.value, dict):
                self.fields[name] = described(entry)
                for kind in LEDGERS:
                    if kind in self.fields[name]:
                        with entry.blamed():
                            self.symbols |= set(self.variant(self.fields[name][kind].text()).symbols)

    def variant(self, name: str) -> Variant:
        """A variant, loaded once."""
        if name not in self.variants:
            self.variants[name] = load_variant(name)
        return self.variants[name]

    def names(self) -> set[str]:
        """What a formula may use."""
        return {*self.entries, *self.symbols}

    def kind(self, name: str) -> str:
        """What kind of quantity a name is; `formula` for one made of others."""
        return next((k for k in (*LEDGERS, *MADE) if k in self.fields.get(name, ())), "formula")

    def described(self, name: str) -> str:
        """A quantity in words: what is counted, of which variant and order, under which conventions."""
        fields, kind = self.fields.get(name, {}), self.kind(name)
        if kind == "formula":
            return self.entries[name].text(LONGEST)
        if kind == "limit":
            return f"limit of {fields['limit'].text(LONGEST)} for large {fields['in'].text()}"
        if kind == "crossover":
            one, two = (item.text(LONGEST) for item in fields["crossover"].items())
            return f"{fields['in'].text()} at which {one} and {two} are equal"
        if kind == "chain":
            return "FLOPs of " + ", then ".join(step.text() for step in fields["chain"].items())
        if kind == "part":
            return f"{fields['figure'].text()} of {fields['part'].text()}"
        words = {"elements": "elements a token adds to the cache", "row": "bytes a token adds to the cache"}
        order = f", order {fields['order'].text()}" if "order" in fields else ""
        rest = "".join(
            f", {key} {' and '.join(item.texts()) if isinstance(item.value, list) else item.value}"
            for key, item in fields.items() if key not in (kind, "order")
        )  # fmt: skip
        return f"{words.get(kind, kind)} of {fields[kind].text()}{order}{rest}"

    def used(self, formula: Entry) -> list[str]:
        """The quantities a formula is made of, down to ledgers, each once."""
        found: dict[str, None] = {}
        waiting = [formula]
        while waiting:
            for name in named_in(waiting.pop()):
                if name in self.entries and name not in found:
                    found[name] = None
                    fields = self.fields.get(name)
                    if fields is None:
                        waiting.append(self.entries[name])
                    else:
                        waiting += [fields["limit"]] if "limit" in fields else []
                        waiting += fields["crossover"].items() if "crossover" in fields else []
        return list(found)

    def formula(self, entry: Entry, setting: Setting) -> Ratio:
        """A formula as a ratio, sizes as symbols. Raises InputError with the place."""

        def quantities(name: str) -> Ratio | None:
            return self.quantity(name, setting) if name in self.entries else None

        return ratio_of(entry, quantities, self.names())

    def quantity(self, name: str, setting: Setting) -> Ratio:
        """A quantity as a ratio; a crossover is a symbol of its own."""
        key = (name, *setting.key)
        if key not in self._ratios:
            self._ratios[key] = self._made(name, setting)
        return self._ratios[key]

    def _made(self, name: str, setting: Setting) -> Ratio:
        kind, fields = self.kind(name), self.fields.get(name, {})
        if kind == "formula":
            return self.formula(self.entries[name], setting)
        if kind == "crossover":
            return Ratio(Poly.symbol(name))
        if kind == "chain":
            return Ratio(chain_flops(fields["chain"], fields["sizes"], self.symbols))
        if kind == "part":
            return Ratio(Poly.const(part_figure(fields)))
        if kind == "limit":
            found = limit_in(self._closed(fields["limit"], setting), self.symbol(fields["in"]))
            if found is None:
                raise NoNumber(f"{name} grows without bound")
            return found
        derivation = self.derivation(name, setting)
        if kind == "elements":
            return Ratio(derivation.cache_elements)
        if kind == "row":
            return Ratio(derivation.cache_bytes)
        flops, moved = (self._sum(name, setting, which) for which in (Kind.FLOPS, Kind.BYTES))
        if kind == "intensity":
            if not moved:
                raise NoNumber(f"{name} moves no bytes")
            return Ratio(flops, moved)
        return Ratio(flops if kind == "flops" else moved)

    def _closed(self, formula: Entry, setting: Setting) -> Ratio:
        """A formula, or a crossover in closed form."""
        name = formula.text(LONGEST)
        solved = self.solved(name, setting) if self.kind(name) == "crossover" else None
        return solved or self.formula(formula, setting)

    def solved(self, name: str, setting: Setting) -> Ratio | None:
        """A crossover in closed form, where it is a ratio; None where it needs a square root."""
        difference, symbol = self.crossing(name, setting)
        parts = difference.coefficients(symbol)
        lowest = min(parts, default=0)
        if set(parts) != {lowest, lowest + 1}:
            return None
        return Ratio(-parts[lowest], parts[lowest + 1])

    def symbol(self, entry: Entry) -> str:
        """A size symbol. Raises InputError with the nearest one."""
        if entry.text() not in self.symbols:
            raise unknown("symbol", entry.text(), self.symbols, entry.place)
        return entry.text()

    def derivation(self, name: str, setting: Setting) -> Derivation:
        """The derivation behind a ledger quantity, sizes as symbols."""
        fields = self.fields[name]
        text = fields[self.kind(name)].text()
        order = fields["order"].text() if "order" in fields else "direct"
        knobs = {key: fields[key].text() for key in KNOBS if key in fields} | dict(setting.knobs)
        batched = "batched" in fields and fields["batched"].value is True
        tp = setting.tp if setting.tp > 1 or "tp" not in fields else fields["tp"].integer(1, 4096)
        layout = setting.layout or (fields["layout"].text(80) if "layout" in fields else "")
        scope, grows = knobs.pop("scope", "core"), knobs.pop("grows", "no")
        key = (text, order, batched, *sorted(knobs.items()), "|", *sorted(setting.options.items()), tp, layout)
        if key not in self._derived:
            with self.entries[name].blamed():
                conventions = Conventions(**{k.replace("-", "_"): v for k, v in knobs.items()})
                values: dict[str, Coefficient] = {"B": 1} if batched else {}
                study = Study(
                    self._optioned(text, setting), conventions, values,
                    split=Split(tp=tp), layout=layout,
                )  # fmt: skip
                self._derived[key] = derive(study, order)
        return self._derived[key].under(scope=scope, grows=grows)

    def _optioned(self, text: str, setting: Setting) -> Variant:
        """A variant with options put in or left out."""
        variant = self.variant(text)
        changed = [o for o in variant.options if setting.options.get(o, True)]
        changed += [
            o for o, kept in setting.options.items() if kept and o not in changed and o in variant.all_options
        ]
        ordered = [o for o in variant.all_options if o in changed]
        return self.variant("+".join([text.partition("+")[0], *ordered]))

    def picked(self, name: str, setting: Setting, kind: str) -> tuple[CostTerm, ...]:
        """The terms of a ledger that a quantity adds up."""
        fields, cost = self.fields[name], self.derivation(name, setting).cost
        without = setting.without | (set(fields["without"].texts()) if "without" in fields else set())
        stages = fields["stages"].texts() if "stages" in fields else None
        classes = fields["classes"].texts() if "classes" in fields else None
        chosen = [
            term for term in (cost.terms if stages or classes else cost.selected(kind))
            if term.kind == kind
            and term.stage != "offline"
            and (stages is None or term.stage in stages)
            and (term.grows or cost.conventions.grows == "no")
            and (kind == Kind.FLOPS or classes is None or term.cls in classes)
        ]  # fmt: skip
        kept = [t for t in chosen if not without & {t.stage if kind == Kind.FLOPS else t.cls}]
        return tuple(kept)

    def left(self, formula: Entry, setting: Setting) -> bool:
        """Whether a setting leaves anything of the ledgers a formula is made of."""
        ledgers = [name for name in self.used(formula) if self.kind(name) in LEDGERS]
        return not ledgers or any(
            self.picked(name, setting, Kind.BYTES if self.kind(name) == "bytes" else Kind.FLOPS)
            for name in ledgers
        )

    def _sum(self, name: str, setting: Setting, kind: str) -> Poly:
        half = setting.halved and self.derivation(name, setting).study.conventions.phase != "decode"
        amounts = (
            term.amount * Fraction(1, 2)
            if half and kind == Kind.FLOPS and term.stage == "core"
            else term.amount
            for term in self.picked(name, setting, kind)
        )
        return total(amounts)

    def crossing(self, name: str, setting: Setting) -> tuple[Poly, str]:
        """What is zero at a crossover, and the symbol it is solved for."""
        fields = self.fields[name]
        one, two = (self.formula(item, setting) for item in fields["crossover"].items())
        return one.over * two.under - two.over * one.under, self.symbol(fields["in"])
