"""The quantities of a document: ledgers and formulas of them, as ratios in symbols and as numbers.

Nothing is computed before a claim asks for it, and everything can be asked again under another setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from ..algebra import Ratio, limit_in
from ..atoms import evaluate, free_symbols
from ..checkpoints import Checkpoint, load_checkpoint
from ..conventions import KNOBS, Conventions
from ..derivation import Derivation, Study, derive
from ..dims import DEPLOYED, STANDARD, is_name
from ..errors import InputError, unknown
from ..expr import parse_side
from ..hardware import Accelerator, load_accelerator
from ..library import load_variant
from ..poly import Coefficient, Poly
from ..program import Variant
from ..roots import Root
from ..sharding import Split
from ..syntax import Wrong, parse
from ..terms import CostTerm, Kind
from ..yamlfile import Entry
from .counted import chain_flops
from .setting import Setting

__all__ = ["LEDGERS", "NoNumber", "Sheet"]

LEDGERS = ("flops", "bytes", "intensity", "elements", "row")
"""Quantities of a derivation: the last two are elements and bytes a context token adds to the caches of a layer."""
_MADE = ("crossover", "limit", "chain", "part")
_KEYS = (*LEDGERS, *_MADE, "order", *KNOBS, "stages", "classes", "without", "batched", "in", "sizes", "tp", "layout", "figure")
_GIVEN = ("layers", "peak", "peak_fp8", "bandwidth", "R_fp8")
"""Names that a setting gives numbers for."""
_LONGEST = 400


class NoNumber(Exception):
    """A quantity has no number in this setting; the text says why."""


@dataclass(slots=True)
class Sheet:
    """The quantities of one document."""

    entries: Mapping[str, Entry]
    """Name -> what the file says of it."""
    symbols: set[str] = field(default_factory=lambda: {*STANDARD, *DEPLOYED, *_GIVEN})
    """Size symbols that formulas may use."""
    variants: dict[str, Variant] = field(default_factory=dict)
    """Those that occur."""
    _ratios: dict[tuple[object, ...], Ratio] = field(default_factory=dict)
    _derived: dict[tuple[object, ...], Derivation] = field(default_factory=dict)
    _fields: dict[str, dict[str, Entry]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, entry in self.entries.items():
            if not is_name(name) or name in self.symbols:
                raise entry.fail(f"{name!r} is a size symbol, or no name; call the quantity otherwise")
            if isinstance(entry.value, dict):
                self._fields[name] = self._described(entry)
                for kind in LEDGERS:
                    if kind in self._fields[name]:
                        with entry.blamed():
                            self.symbols |= set(self._variant(self._fields[name][kind].text()).symbols)

    def _described(self, entry: Entry) -> dict[str, Entry]:
        fields = entry.mapping(allowed=_KEYS)
        kinds = [key for key in (*LEDGERS, *_MADE) if key in fields]
        if len(kinds) != 1:
            raise entry.fail(f"a quantity is a formula, or one of {', '.join((*LEDGERS, *_MADE))}")
        return fields

    def _variant(self, name: str) -> Variant:
        if name not in self.variants:
            self.variants[name] = load_variant(name)
        return self.variants[name]

    def names(self) -> set[str]:
        """What a formula may use."""
        return {*self.entries, *self.symbols}

    def kind(self, name: str) -> str:
        """What kind of quantity a name is; `formula` for one made of others."""
        return next((k for k in (*LEDGERS, *_MADE) if k in self._fields.get(name, ())), "formula")

    def described(self, name: str) -> str:
        """A quantity in words: what is counted, of which variant and order, under which conventions."""
        fields, kind = self._fields.get(name, {}), self.kind(name)
        if kind == "formula":
            return self.entries[name].text(_LONGEST)
        if kind == "limit":
            return f"limit of {fields['limit'].text(_LONGEST)} for large {fields['in'].text()}"
        if kind == "crossover":
            one, two = (item.text(_LONGEST) for item in fields["crossover"].items())
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
            for name in _named(waiting.pop()):
                if name in self.entries and name not in found:
                    found[name] = None
                    fields = self._fields.get(name)
                    if fields is None:
                        waiting.append(self.entries[name])
                    else:
                        waiting += [fields["limit"]] if "limit" in fields else []
                        waiting += fields["crossover"].items() if "crossover" in fields else []
        return list(found)

    def formula(self, entry: Entry, setting: Setting) -> Ratio:
        """A formula as a ratio, sizes as symbols. Raises InputError with the place."""
        return parse(entry.text(_LONGEST), entry.place, _Ratios(self, setting, entry), _LONGEST)

    def quantity(self, name: str, setting: Setting) -> Ratio:
        """A quantity as a ratio; a crossover is a symbol of its own."""
        key = (name, *setting.key)
        if key not in self._ratios:
            self._ratios[key] = self._made(name, setting)
        return self._ratios[key]

    def _made(self, name: str, setting: Setting) -> Ratio:
        kind, fields = self.kind(name), self._fields.get(name, {})
        if kind == "formula":
            return self.formula(self.entries[name], setting)
        if kind == "crossover":
            return Ratio(Poly.symbol(name))
        if kind == "chain":
            return Ratio(chain_flops(fields["chain"], fields.get("sizes")))
        if kind == "part":
            return Ratio(Poly.const(_figure(fields, self.entries[name])))
        if kind == "limit":
            found = limit_in(self.formula(fields["limit"], setting), self._symbol(fields["in"]))
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

    def _symbol(self, entry: Entry) -> str:
        if entry.text() not in self.symbols:
            raise unknown("symbol", entry.text(), self.symbols, entry.place)
        return entry.text()

    def derivation(self, name: str, setting: Setting) -> Derivation:
        """The derivation behind a ledger quantity, sizes as symbols."""
        fields = self._fields[name]
        text = fields[self.kind(name)].text()
        order = fields["order"].text() if "order" in fields else "direct"
        knobs = {key: fields[key].text() for key in KNOBS if key in fields} | dict(setting.knobs)
        batched = "batched" in fields
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
        variant = self._variant(text)
        changed = [o for o in variant.options if setting.options.get(o, True)]
        changed += [o for o, kept in setting.options.items() if kept and o not in changed and o in variant.all_options]
        ordered = [o for o in variant.all_options if o in changed]
        return self._variant("+".join([text.partition("+")[0], *ordered]))

    def picked(self, name: str, setting: Setting, kind: str) -> tuple[CostTerm, ...]:
        """The terms of a ledger that a quantity adds up."""
        fields, cost = self._fields[name], self.derivation(name, setting).cost
        without = setting.without | (set(fields["without"].texts()) if "without" in fields else set())
        stages = fields["stages"].texts() if "stages" in fields else None
        classes = fields["classes"].texts() if "classes" in fields else None
        chosen = [
            term for term in (cost.terms if stages or classes else cost.selected(kind))
            if term.kind == kind
            and term.stage != "offline"
            and (stages is None or term.stage in stages)
            and (kind == Kind.FLOPS or classes is None or term.cls in classes)
        ]  # fmt: skip
        kept = [t for t in chosen if not without & {t.stage if kind == Kind.FLOPS else t.cls}]
        if chosen and not kept:
            raise NoNumber(f"nothing of {name} is left")
        return tuple(kept)

    def _sum(self, name: str, setting: Setting, kind: str) -> Poly:
        return sum((term.amount for term in self.picked(name, setting, kind)), Poly())

    def number(self, formula: Entry, setting: Setting) -> Fraction:
        """The number of a formula in a setting, before the setting's own scale.

        Raises NoNumber where a size is missing or a divisor is zero.
        """
        return self._number(self.formula(formula, setting), setting)

    def _number(self, ratio: Ratio, setting: Setting) -> Fraction:
        common = _common(ratio)
        ratio = Ratio(ratio.over * common, ratio.under * common)
        needed = {name for poly in (ratio.over, ratio.under) for name in free_symbols(poly)}
        values = self.values(needed, setting)
        above, below = evaluate(ratio.over, values), evaluate(ratio.under, values)
        if above is None or below is None:
            value = ratio.value(values)  # what is missing may cancel
            if value is not None:
                return value
            raise NoNumber(f"no number for {', '.join(sorted(needed - set(values)))}")
        if not below:
            raise NoNumber("a division by zero")
        return Fraction(above) / Fraction(below)

    def values(self, needed: set[str], setting: Setting) -> dict[str, Coefficient]:
        """Numbers for symbols: sizes given by hand first, then the accelerator's and the model's."""
        found: dict[str, Coefficient] = {}
        model = _checkpoint(setting.model) if setting.model else None
        if model is not None:
            found |= {**model.values(needed), "layers": _layers(model, setting)}
        if setting.gpu:
            found |= gpu_figures(_accelerator(setting.gpu))
        found |= dict(setting.sizes)
        for name in sorted(needed & set(self.entries)):
            found[name] = self._crossing(name, setting)
        return {name: value for name, value in found.items() if name in needed}

    def _crossing(self, name: str, setting: Setting) -> Fraction:
        """Where the two quantities of a crossover are equal, the smallest such size above zero."""
        difference, symbol = self.crossing(name, setting)
        free = {n for n in free_symbols(difference)} - {symbol}
        values = self.values(free, setting)
        parts = {power: evaluate(poly, values) for power, poly in difference.coefficients(symbol).items()}
        if any(value is None for value in parts.values()):
            raise NoNumber(f"no number for {', '.join(sorted(free - set(values)))}")
        numbers = {power: Fraction(value or 0) for power, value in parts.items() if value}
        lowest = min(numbers, default=0)
        c, b, a = (numbers.get(lowest + power, Fraction(0)) for power in (0, 1, 2))
        if not numbers or max(numbers) - lowest not in (1, 2):
            raise NoNumber(f"{name} has no crossing")
        found = _roots(a, b, c)
        if not found:
            raise NoNumber(f"{name} has no crossing")
        return min(found)

    def crossing(self, name: str, setting: Setting) -> tuple[Poly, str]:
        """What is zero at a crossover, and the symbol it is solved for."""
        fields = self._fields[name]
        one, two = (self.formula(item, setting) for item in fields["crossover"].items())
        return one.over * two.under - two.over * one.under, self._symbol(fields["in"])


def _common(ratio: Ratio) -> Poly:
    """What a single term common to both sides is divided by, so that a size that cancels needs no number."""
    if not ratio.over:
        return Poly.const(1)
    above, below = (poly.content() for poly in (ratio.over, ratio.under))
    powers = [dict(next(poly.powers())[0]) for poly in (above, below)]
    shared = Poly.const(1)
    for name in powers[0].keys() & powers[1].keys():
        shared = shared * Poly.symbol(name) ** min(powers[0][name], powers[1][name])
    return shared.inverse()


def _roots(a: Fraction, b: Fraction, c: Fraction) -> list[Fraction]:
    """The positive roots of a x^2 + b x + c."""
    if not a:
        return [-c / b] if -c / b > 0 else []
    signs = [Root(Poly.const(-b), Poly.const(b * b - 4 * a * c), Poly.const(2 * a), sign) for sign in (1, -1)]
    return [value for root in signs if (value := root.value({})) is not None and value > 0]


@lru_cache(maxsize=16)
def _checkpoint(name: str) -> Checkpoint:
    """Read once: a page asks hundreds of times."""
    return load_checkpoint(name)


@lru_cache(maxsize=16)
def _accelerator(name: str) -> Accelerator:
    return load_accelerator(name)


def _figure(fields: Mapping[str, Entry], entry: Entry) -> Fraction:
    """A figure of an accelerator: `peak`, `peak_fp8`, `bandwidth`, `R` or `R_fp8`."""
    if "figure" not in fields:
        raise entry.fail(f"the key 'figure' is missing; say one of {', '.join(_PARTS)}")
    with fields["part"].blamed():
        gpu = load_accelerator(fields["part"].text())
    wanted = fields["figure"].text()
    if wanted not in _PARTS:
        raise unknown("figure", wanted, _PARTS, fields["figure"].place)
    return Fraction(gpu_figures(gpu)[wanted])


def gpu_figures(gpu: Accelerator) -> dict[str, Fraction]:
    """The figures of an accelerator by name; those for FP8 where it has it."""
    found = {"bandwidth": gpu.bandwidth.value, "peak": gpu.peak["bf16"].value, "R": gpu.ridge()}
    if "fp8" in gpu.peak:
        found |= {"peak_fp8": gpu.peak["fp8"].value, "R_fp8": gpu.ridge("fp8")}
    return found


_PARTS = ("peak", "peak_fp8", "bandwidth", "R", "R_fp8")


def _layers(model: Checkpoint, setting: Setting) -> int:
    return model.layers if setting.layers == "all" else model.attention_layers


def _named(entry: Entry) -> Iterator[str]:
    """Every word of a formula that may be a name."""
    if isinstance(entry.value, dict):
        for part in entry.value.values():
            yield from _named(part)
    elif isinstance(entry.value, list):
        for part in entry.value:
            yield from _named(part)
    else:
        yield from re.findall(r"[A-Za-z][A-Za-z0-9_]*", entry.text(_LONGEST))


class _Ratios:
    """Formulas as ratios of polynomials."""

    def __init__(self, sheet: Sheet, setting: Setting, entry: Entry) -> None:
        self.sheet, self.setting, self.entry = sheet, setting, entry

    def number(self, value: int) -> Ratio:
        return Ratio(Poly.const(value))

    def name(self, name: str) -> Ratio:
        if name in self.sheet.entries:
            return self.sheet.quantity(name, self.setting)
        if name not in self.sheet.symbols:
            raise unknown("name", name, self.sheet.names(), self.entry.place)
        return Ratio(Poly.symbol(name))

    def add(self, left: Ratio, right: Ratio) -> Ratio:
        if left.under == right.under:
            return Ratio(left.over + right.over, left.under)
        return Ratio(left.over * right.under + right.over * left.under, left.under * right.under)

    def subtract(self, left: Ratio, right: Ratio) -> Ratio:
        return self.add(left, Ratio(-right.over, right.under))

    def multiply(self, left: Ratio, right: Ratio) -> Ratio:
        return Ratio(left.over * right.over, left.under * right.under)

    def divide(self, left: Ratio, right: Ratio) -> Ratio:
        if not right.over:
            raise Wrong("a division by zero")
        return Ratio(left.over * right.under, left.under * right.over)

    def power(self, base: Ratio, exponent: int) -> Ratio:
        return Ratio(base.over**exponent, base.under**exponent)

    def minimum(self, parts: Sequence[Ratio]) -> Ratio:
        from ..atoms import minimum

        result = self._whole(parts[0])
        for part in parts[1:]:
            result = minimum(result, self._whole(part))
        return Ratio(result)

    def rounded(self, function: str, above: Ratio, below: Ratio) -> Ratio:
        return Ratio(parse_side(f"{function}({self._whole(above).text()}/{self._whole(below).text()})",
                                self.entry.place))  # fmt: skip

    def _whole(self, part: Ratio) -> Poly:
        if part.under != Poly.const(1):
            raise Wrong("min, ceil and floor take sums of products of sizes only")
        return part.over


def with_names(entry: Entry, names: Mapping[str, str]) -> Entry:
    """A formula with other names put for some of its own."""
    if not names:
        return entry
    text = re.sub(r"[A-Za-z][A-Za-z0-9_]*", lambda hit: names.get(hit[0], hit[0]), entry.text(_LONGEST))
    return replace(entry, value=text)


def check_formula(sheet: Sheet, entry: Entry) -> None:
    """Raises InputError for a name that nobody knows."""
    for name in _named(entry):
        if name not in sheet.names() and name not in ("min", "ceil", "floor"):
            raise unknown("name", name, sheet.names(), entry.place)


__all__ += ["check_formula", "with_names"]
_ = InputError
