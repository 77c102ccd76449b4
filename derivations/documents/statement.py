"""Statements and formulas of a document as claims for the prover, under any setting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..claimfile import Reader
from ..claimquantities import Quantities
from ..claims import Term
from ..claimterms import Names, expression
from ..errors import InputError
from ..proofdata import poly_expression
from ..quantities import Assertion, terms_expression
from ..terms import Kind
from ..yamlfile import Entry
from .document import Claim
from .formulas import NoNumber
from .setting import Setting
from .sheet import Sheet

__all__ = ["assertion_of"]


def assertion_of(claim: Claim, sheet: Sheet, setting: Setting) -> Assertion:
    """What a statement claims in a setting. Raises NoNumber where the setting leaves nothing to claim."""
    terms = _Terms(sheet, setting)
    quantities = Quantities(set(sheet.symbols), terms.made, terms.about, sheet.variants)
    assume = [*claim.assume, *_given(claim.what, setting)]
    try:
        for name in sheet.used(claim.what):
            terms.make(name)
        return Reader(quantities).assertion(claim.id, claim.kind, claim.what, assume, claim.what.place)
    except InputError as error:
        if setting is claim.setting:
            raise
        raise NoNumber(str(error)) from None


def _given(what: Entry, setting: Setting) -> Iterable[Entry]:
    """Sizes given by hand, as assumptions."""
    for symbol, value in sorted(setting.sizes.items()):
        yield Entry(f"{symbol} = {value}", what.place)


@dataclass(slots=True)
class _Terms:
    """Quantities of a sheet as expressions for the kernel."""

    sheet: Sheet
    setting: Setting
    made: dict[str, Term] = field(default_factory=dict)
    about: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def make(self, name: str) -> None:
        """A quantity with all that it is made of, those first."""
        if name in self.made:
            return
        entry, kind = self.sheet.entries[name], self.sheet.kind(name)
        if kind in ("formula", "limit", "crossover"):
            fields = None if kind == "formula" else entry.mapping()
            parts = (
                [entry]
                if fields is None
                else [fields["limit"]]
                if kind == "limit"
                else fields["crossover"].items()
            )
            inner = [n for part in parts for n in self.sheet.used(part)]
            for other in inner:
                self.make(other)
            self.made[name] = self._formula(kind, parts, fields["in"].text() if fields else "")
            self.about[name] = tuple(dict.fromkeys(v for n in inner for v in self.about.get(n, ())))
            return
        if kind in ("chain", "part"):
            self.made[name] = poly_expression(self.sheet.quantity(name, self.setting).over)
            return
        derivation = self.sheet.derivation(name, self.setting)
        self.about[name] = (derivation.study.variant.name,)
        if kind in ("elements", "row"):
            self.made[name] = poly_expression(self.sheet.quantity(name, self.setting).over)
            return
        if self.setting.halved:
            self._halved(name, kind)
            return
        flops, moved = (
            terms_expression(self.sheet.picked(name, self.setting, k)) for k in (Kind.FLOPS, Kind.BYTES)
        )
        if kind != "intensity":
            self.made[name] = flops if kind == "flops" else moved
            return
        self.made[f"{name}.flops"], self.made[f"{name}.bytes"] = flops, moved
        self.made[name] = ("div", ("def", f"{name}.flops"), ("def", f"{name}.bytes"))

    def _halved(self, name: str, kind: str) -> None:
        """A ledger in which half of all pairs count: as the sheet has it, not term by term."""
        ratio = self.sheet.quantity(name, self.setting)
        over, under = poly_expression(ratio.over), poly_expression(ratio.under)
        self.made[name] = over if kind != "intensity" else ("div", over, under)

    def _formula(self, kind: str, parts: list[Entry], symbol: str) -> Term:
        known = Names(self.made, self.sheet.symbols)
        terms = [expression(part.text(400), part.place, known) for part in parts]
        if kind == "formula":
            return terms[0]
        return ("lim", terms[0], symbol) if kind == "limit" else ("root", terms[0], terms[1], symbol)
