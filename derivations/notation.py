"""How quantities are set: LaTeX and plain text of polynomials, factors and ratios, in any letters.

Symbols keep their plain names everywhere inside; a notation re-letters them only where they are
printed, in the letters of one of the three documents if asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .algebra import Factors, Ratio, factor
from .atoms import atom_of
from .dims import STANDARD, Dim, is_name, latex_of_name
from .errors import InputError, unknown
from .poly import Coefficient, Poly
from .resources import names, resource
from .yamlfile import read_yaml

__all__ = ["Notation", "NotationFile", "load_notation", "notation_names", "number_text"]

_FIRST = ("b", "B", "H", "H_q", "H_kv")
_LAST = ("S", "L", "d_model")


@dataclass(frozen=True, slots=True)
class NotationFile:
    """The letters of a document."""

    name: str
    """As asked for with `--notation`."""
    title: str
    """The document."""
    letters: Mapping[str, Mapping[str, str]]
    """Symbol -> phase -> letter, as a plain name."""
    notes: tuple[str, ...]
    """Where the document has no letter of its own."""


def notation_names() -> tuple[str, ...]:
    """The bundled notations."""
    return names("models", "notations")


def load_notation(name: str) -> NotationFile:
    """The letters of a document. Raises InputError with the nearest name."""
    known = notation_names()
    if name not in known:
        raise unknown("notation", name, known)
    entry = read_yaml(resource("models", "notations", f"{name}.yaml"), f"models/notations/{name}.yaml")
    fields = entry.mapping(allowed=("notes",), required=("notation", "title", "letters"))
    letters: dict[str, dict[str, str]] = {}
    for symbol, letter in fields["letters"].mapping().items():
        if isinstance(letter.value, dict):
            phases = letter.mapping(required=("decode", "verify", "prefill"))
            letters[symbol] = {phase: phases[phase].text(30) for phase in phases}
        else:
            letters[symbol] = dict.fromkeys(("decode", "verify", "prefill"), letter.text(30))
        for text in letters[symbol].values():
            if not is_name(text):
                raise letter.fail(f"{text!r} is no letter")
    notes = fields["notes"].texts() if "notes" in fields else ()
    return NotationFile(name, fields["title"].text(120), letters, notes)


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to print symbols."""

    symbols: Mapping[str, Dim]
    """The variant's symbols."""
    letters: Mapping[str, str]
    """Symbol -> letter, where it differs."""

    @classmethod
    def of(
        cls, symbols: Mapping[str, Dim], file: NotationFile | None, phase: str, shared: bool = False
    ) -> Notation:
        """The notation of a document for one phase; the project's own without a file.

        Raises InputError when two symbols of the variant would get the same letter, unless they may
        be `shared`, as between variants of which one has H and the other H_q.
        """
        letters = {} if file is None else {s: by[phase] for s, by in file.letters.items()}
        used: dict[str, str] = {}
        for name in symbols:
            letter = letters.get(name, name)
            if letter in used and not shared:
                raise InputError(
                    f"the notation {file.name if file else ''!r} writes {letter} for both "
                    f"{used[letter]} and {name} of this variant"
                )
            used[letter] = name
        return cls(symbols, {s: letter for s, letter in letters.items() if s in symbols})

    def plain(self, name: str) -> str:
        """A symbol in plain text."""
        return self.letters.get(name, name)

    def tex(self, name: str) -> str:
        """A symbol in LaTeX."""
        if name in self.letters:
            return latex_of_name(self.letters[name])
        known = self.symbols.get(name) or STANDARD.get(name)
        return known.latex if known else latex_of_name(name)

    def latex(self, quantity: Poly | Ratio | Factors) -> str:
        """LaTeX of a quantity, factored."""
        return _Printer(self, True).quantity(quantity)

    def text(self, quantity: Poly | Ratio | Factors) -> str:
        """Plain text of a quantity, factored."""
        return _Printer(self, False).quantity(quantity)

    def latex_sum(self, poly: Poly) -> str:
        """LaTeX of a polynomial as it stands, not factored."""
        return _Printer(self, True).poly(poly)

    def latex_line(self, poly: Poly) -> str:
        """LaTeX of a polynomial with slashes for fraction lines, as a shape under a letter needs it."""
        return _Printer(self, True, inline=True).poly(poly)

    def text_sum(self, poly: Poly) -> str:
        """Plain text of a polynomial as it stands."""
        return _Printer(self, False).poly(poly)

    def collected(self, poly: Poly, symbol: str, latex: bool) -> str:
        """The polynomial sorted by powers of one symbol, each with its coefficient factored."""
        return _Printer(self, latex).collected(poly, symbol)

    def struck(self, ratio: Ratio, strike: Callable[[str], str]) -> tuple[str, str]:
        """Numerator and denominator in LaTeX, with what they share passed through `strike`."""
        printer = _Printer(self, True)
        common = ratio.common()
        return tuple(  # type: ignore[return-value]
            printer.with_struck(factor(side), common, strike) for side in (ratio.over, ratio.under)
        )


def _without_minus(factors: Factors) -> Factors:
    """A minus sign before a product goes into a sum that has one itself."""
    if factors.number >= 0:
        return factors
    for index, (poly, exponent) in enumerate(factors.sums):
        if exponent % 2 and any(value < 0 for value in poly.terms.values()):
            sums = (*factors.sums[:index], (-poly, exponent), *factors.sums[index + 1 :])
            return Factors(-factors.number, factors.powers, sums)
    return factors


class _Printer:
    def __init__(self, notation: Notation, latex: bool, inline: bool = False) -> None:
        self.notation, self.is_latex, self.inline = notation, latex, inline

    def rank(self, name: str) -> tuple[int, str]:
        if name in _FIRST:
            return _FIRST.index(name), name
        if name in _LAST:
            return len(_FIRST) + 1 + _LAST.index(name), name
        return (len(_FIRST) if name[0].isupper() else len(_FIRST) + len(_LAST) + 1), name

    def symbol(self, name: str) -> str:
        atom = atom_of(name)
        if atom is None:
            return self.notation.tex(name) if self.is_latex else self.notation.plain(name)
        parts = [self.poly(argument) for argument in atom.arguments]
        if atom.function == "min":
            return f"\\min({', '.join(parts)})" if self.is_latex else f"min({', '.join(parts)})"
        parts = [f"({t})" if _compound(a) else t for a, t in zip(atom.arguments, parts, strict=True)]
        if self.is_latex:
            left, right = ("\\lceil", "\\rceil") if atom.function == "ceil" else ("\\lfloor", "\\rfloor")
            return f"{left} {parts[0]}/{parts[1]} {right}"
        return f"{atom.function}({parts[0]}/{parts[1]})"

    def power(self, base: str, exponent: int) -> str:
        if exponent == 1:
            return base
        return f"{base}^{{{exponent}}}" if self.is_latex else f"{base}^{exponent}"

    def number(self, value: Coefficient) -> str:
        value = Fraction(value)
        if value.denominator == 1:
            return str(value.numerator)
        if self.is_latex and not self.inline:
            return f"\\tfrac{{{value.numerator}}}{{{value.denominator}}}"
        return f"({value.numerator}/{value.denominator})"

    def join(self, parts: Iterable[str]) -> str:
        text = " ".join(parts)
        return re.sub(r"\s+", " ", text) if not self.is_latex else text

    def monomial(self, number: Coefficient, powers: Mapping[str, int]) -> str:
        symbols = [self.power(self.symbol(n), powers[n]) for n in sorted(powers, key=self.rank)]
        if symbols and number in (1, -1):
            return ("-" if number == -1 else "") + self.join(symbols)
        return self.join([self.number(number), *symbols])

    def signed(self, terms: Iterable[str]) -> str:
        text = ""
        for term in terms:
            if not text:
                text = term
            elif term.startswith("-"):
                text += f" - {term[1:]}"
            else:
                text += f" + {term}"
        return text or "0"

    def poly(self, poly: Poly) -> str:
        terms = []
        for powers, coefficient in poly.powers():
            above = {n: e for n, e in powers.items() if e > 0}
            below = {n: -e for n, e in powers.items() if e < 0}
            text = self.monomial(coefficient, above)
            if below:
                text = self.fraction(text, self.monomial(1, below), len(below) > 1)
            degree = sum(powers.values())
            key = (coefficient < 0, -degree, sorted(map(self.rank, powers)))
            terms.append((key, text))
        return self.signed(text for _, text in sorted(terms, key=lambda pair: pair[0]))

    def sum(self, poly: Poly) -> str:
        """A sum that no term divides; where S or L multiplies several terms, they are bracketed."""
        for symbol in ("S", "L"):
            powers = poly.coefficients(symbol)
            if len(powers) > 1 and any(e and len(part.terms) > 1 for e, part in powers.items()):
                return self.collected(poly, symbol)
        return self.poly(poly)

    def collected(self, poly: Poly, symbol: str) -> str:
        powers = poly.coefficients(symbol)
        if len(powers) < 2:
            return self.quantity(poly)
        parts = [
            factor(powers[e]).times(Factors(Fraction(1), {symbol: e} if e else {})) for e in sorted(powers)
        ]
        parts.sort(key=lambda part: part.number < 0)
        return self.signed(self.factors(part) for part in parts)

    def fraction(self, above: str, below: str, group: bool = False) -> str:
        if self.is_latex and not self.inline:
            return f"\\frac{{{above}}}{{{below}}}"
        if self.inline:
            return f"{above}/({below})" if group else f"{above}/{below}"
        return f"{above} / ({below})" if group else f"{above} / {below}"

    def factors(self, factors: Factors) -> str:
        """A product; the parts under the line become a fraction."""
        if any(e < 0 for e in factors.powers.values()) or any(e < 0 for _, e in factors.sums):
            return self.ratio(factors)
        factors = _without_minus(factors)
        if not factors.sums:
            return self.monomial(factors.number, factors.powers)
        number, sums = factors.number, sorted(factors.sums, key=lambda pair: pair[0].text())
        texts = [self.power(f"({self.sum(p)})", e) for p, e in sums]
        if number == 1 and not factors.powers:
            return self.sum(sums[0][0]) if sums == [(sums[0][0], 1)] else self.join(texts)
        if not factors.powers and number == -1:
            return "-" + self.join(texts)
        return self.join([self.monomial(number, factors.powers), *texts])

    def ratio(self, factors: Factors) -> str:
        above, below = factors.part(True), factors.part(False)
        over, under = self.factors(above), self.factors(below)
        if under == "1":
            return over
        several = len(below.powers) + len(below.sums) + (below.number != 1) > 1 or any(
            len(p.terms) > 1 for p, _ in below.sums
        )
        alone = len(above.sums) == 1 and not above.powers and above.number == 1
        if not self.is_latex and alone:
            over = f"({over})"
        return self.fraction(over, under, several)

    def quantity(self, quantity: Poly | Ratio | Factors) -> str:
        if isinstance(quantity, Ratio):
            return self.ratio(quantity.factors())
        if isinstance(quantity, Factors):
            return self.ratio(quantity)
        return self.factors(factor(quantity)) if quantity else "0"

    def with_struck(self, factors: Factors, common: Factors, strike: Callable[[str], str]) -> str:
        parts = [self.number(factors.number)] if factors.number != 1 else []
        for name in sorted(factors.powers, key=self.rank):
            exponent, shared = factors.powers[name], common.powers.get(name, 0)
            if shared:
                parts.append(strike(self.power(self.symbol(name), shared)))
            if exponent > shared:
                parts.append(self.power(self.symbol(name), exponent - shared))
        shared_sums = dict(common.sums)
        for poly, exponent in sorted(factors.sums, key=lambda pair: pair[0].text()):
            shared = shared_sums.get(poly, 0)
            text = f"({self.sum(poly)})"
            if shared:
                parts.append(strike(self.power(text, shared)))
            if exponent > shared:
                parts.append(self.power(text, exponent - shared))
        return "\\,".join(parts) or "1"


def _compound(poly: Poly) -> bool:
    """Whether it is a sum or a quotient, which needs parentheses beside a fraction line."""
    return len(poly.terms) > 1 or any(e < 0 for powers, _ in poly.powers() for e in powers.values())


def number_text(value: Coefficient | float, digits: int = 2) -> str:
    """A number for people: thousands separated, decimals where it is not whole."""
    if isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1):
        return f"{int(value):,}"
    number = float(value)
    if abs(number) >= 1000:
        return f"{number:,.1f}"
    return f"{number:.{digits}f}" if abs(number) >= 0.01 else f"{number:.3g}"
