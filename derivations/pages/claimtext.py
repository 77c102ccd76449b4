"""Expressions and statements of claims as formulas, in LaTeX and plain text."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..claims import STEP, Claim, Term
from ..notation import Notation
from ..poly import Poly
from ..proofdata import Sizes, expression_poly, poly_data, poly_of
from ..report import Math

__all__ = ["Phrases", "points_math"]

_BREAK = "\\,\\allowbreak "
"""Between factors of a product that may be as long as a line: TeX breaks a formula at signs only."""
_RELATIONS = {"same": ("=", "="), "less": ("<", "<"), "atmost": ("\\le", "<=")}


@dataclass(frozen=True, slots=True)
class Phrases:
    """Sets what one claim speaks of."""

    notation: Notation
    """Letters."""
    claim: Claim
    """Whose quantities are meant."""
    known: dict[Term, Math] = field(default_factory=dict, compare=False)
    """Sums that were set before, for other claims too."""

    def polynomial(self, terms: Term | Poly) -> Math:
        """A sum as it stands."""
        key = poly_data(terms) if isinstance(terms, Poly) else terms
        if key not in self.known:
            poly = poly_of(key)
            letters = Notation(self.notation.symbols, {**self.notation.letters, STEP: "delta"})
            self.known[key] = Math(letters.latex_sum(poly), letters.text_sum(poly))
        return self.known[key]

    def symbol(self, name: str) -> Math:
        """A size symbol."""
        return self.polynomial(Poly.symbol(name))

    def fraction(self, above: Term, below: Term) -> Math:
        """Some factors over others; no factor of 1 is shown."""
        above, below = (tuple(p for p in side if p != poly_data(Poly.const(1))) for side in (above, below))
        over, under = self._product(above), self._product(below)
        if not below:
            return over
        several = len(below) > 1 or len(below[0]) > 1 or " " in under.text
        top = f"({over.text})" if len(above) == 1 and len(above[0]) > 1 else over.text
        return Math(
            f"\\dfrac{{{over.latex}}}{{{under.latex}}}",
            f"{top} / ({under.text})" if several else f"{top} / {under.text}",
        )

    def _product(self, factors: Term) -> Math:
        if not factors:
            return Math("1", "1")
        ranked = ranked_factors(factors)
        shown = [self.polynomial(factor) for factor in ranked]
        if len(ranked) == 1:
            return shown[0]
        latex = [f"({m.latex})" if len(f) > 1 else m.latex for f, m in zip(ranked, shown, strict=True)]
        text = [f"({m.text})" if len(f) > 1 else m.text for f, m in zip(ranked, shown, strict=True)]
        return Math("\\,".join(latex), " ".join(text))

    def expression(self, e: Term, grouped: bool = False) -> Math:
        """An expression as its author writes it; `grouped` in brackets where it is a sum."""
        head, *rest = e
        if head == "def":
            return quantity_name(rest[0])
        if head == "lim":
            inner, name = self.expression(rest[0], True), self.symbol(rest[1])
            return Math(
                f"\\lim_{{{name.latex} \\to \\infty}} {inner.latex}", f"lim({name.text} -> oo) {inner.text}"
            )
        if head == "shift":
            inner, name = self.expression(rest[0], True), self.symbol(rest[1])
            text = f"{inner.text} at {name.text} + delta"
            latex = f"{inner.latex}\\big|_{{{name.latex} \\to {name.latex} + \\delta}}"
            return Math(latex, f"({text})" if grouped else text)
        if head == "root":
            name = self.symbol(rest[2])
            pair = (
                ""
                if self._one_pair()
                else f"({self.expression(rest[0]).latex}, {self.expression(rest[1]).latex})"
            )
            plain = (
                ""
                if self._one_pair()
                else f"({self.expression(rest[0]).text}, {self.expression(rest[1]).text})"
            )
            return Math(f"{name.latex}^{{*}}{pair}", f"{name.text}*{plain}")
        if head in ("num", "sym") or all(part[0] in ("num", "sym") for part in rest) or _difference(e):
            poly = expression_poly(e)
            if poly is not None:
                shown = self.polynomial(poly)
                several = grouped and len(poly.terms) > 1
                return Math(f"({shown.latex})", f"({shown.text})") if several else shown
        return self._compound(head, rest, grouped)

    def _compound(self, head: str, rest: list[Term], grouped: bool) -> Math:
        if head == "sub":
            parts = [self.expression(rest[0], rest[0][0] == "shift"), self.expression(rest[1], True)]
        else:
            parts = [self.expression(part, head == "mul") for part in rest]
        if head == "div":
            over, under = (self.expression(part, True).text for part in rest)
            if rest[1][0] == "mul" or (" " in under and not under.startswith("(")):
                under = f"({under})"
            return Math(f"\\frac{{{parts[0].latex}}}{{{parts[1].latex}}}", f"{over} / {under}")
        between, latex = {"add": (" + ", " + "), "sub": (" - ", " - "), "mul": (" ", "\\,")}[head]
        found = Math(latex.join(part.latex for part in parts), between.join(part.text for part in parts))
        if grouped and head in ("add", "sub"):
            return Math(f"({found.latex})", f"({found.text})")
        return found

    def _one_pair(self) -> bool:
        """Whether only one pair of quantities has a crossing here."""
        return len(_roots((self.claim.statement, *(body for _, body in self.claim.definitions)))) < 2

    def statement(self, statement: Term) -> list[Math]:
        """What is claimed, as one formula or several; words stand for what has no sign."""
        head, *rest = statement
        if head == "all":
            return [math for part in rest for math in self.statement(part)]
        if head in _RELATIONS:
            left, right = (self.expression(part) for part in rest)
            latex, text = _RELATIONS[head]
            return [Math(f"{left.latex} {latex} {right.latex}", f"{left.text} {text} {right.text}")]
        if head == "iff":
            (one,), (two,) = (self.statement(part) for part in rest)
            return [Math(f"{one.latex} \\iff {two.latex}", f"{one.text} if and only if {two.text}")]
        if head in ("independent", "increasing"):
            inner, name = self.expression(rest[0]), self.symbol(rest[1])
            words = "does not depend on" if head == "independent" else "increases with"
            return [
                Math(f"{inner.latex} \\text{{ {words} }} {name.latex}", f"{inner.text} {words} {name.text}")
            ]
        if head == "crosses":
            return self._crossing(rest)
        if head == "cheapest":
            return [Math("\\text{no bracketing is cheaper}", "no bracketing is cheaper")]
        if head == "value":
            one, two = (self.nested(node) for node in rest)
            return [Math(f"{one.latex} = {two.latex}", f"{one.text} = {two.text}")]
        return [self.sign(statement)]

    def _crossing(self, rest: list[Term]) -> list[Math]:
        """Which of two quantities is less on each side of where they meet."""
        low, high, name = self.expression(rest[0]), self.expression(rest[1]), self.symbol(str(rest[2]))
        root = self.expression(("root", *rest))
        return [
            Math(
                f"{low.latex} {sign} {high.latex} \\text{{ for }} {name.latex} {sign} {root.latex}",
                f"{low.text} {sign} {high.text} for {name.text} {sign} {root.text}",
            )
            for sign in "<>"
        ]

    def sign(self, statement: Term) -> Math:
        """What is assumed or known of a polynomial: the positive terms on one side, the rest on the other."""
        head, *rest = statement
        if head == "put":
            name, value = self.symbol(rest[0]), self.polynomial(rest[1])
            return Math(f"{name.latex} = {value.latex}", f"{name.text} = {value.text}")
        poly = poly_of(rest[0])
        larger = Poly({m: c for m, c in poly.terms.items() if c > 0})
        one, two = self.polynomial(larger), self.polynomial(larger - poly)
        latex, text = (">", ">") if head == "pos" else ("\\ge", ">=")
        return Math(f"{one.latex} {latex} {two.latex}", f"{one.text} {text} {two.text}")

    def nested(self, node: Term) -> Math:
        """A nested sum of products."""
        head, first, second = node
        if head == "tensor":
            return Math(f"{quantity_name(first).latex}[{','.join(second)}]", f"{first}[{','.join(second)}]")
        parts = [self.nested(factor) for factor in second]
        latex, text = _BREAK.join(p.latex for p in parts), " ".join(p.text for p in parts)
        if not first:
            return Math(f"\\bigl({latex}\\bigr)", f"({text})") if len(parts) > 1 else Math(latex, text)
        return Math(
            f"\\bigl(\\textstyle\\sum_{{{','.join(first)}}}\\allowbreak {latex}\\bigr)",
            f"(sum[{','.join(first)}] {text})",
        )


def _difference(e: Term) -> bool:
    """Whether it is a sum of single terms less another: then it is set as one sum."""

    def single(part: Term) -> bool:
        return part[0] in ("num", "sym") or (part[0] == "mul" and all(p[0] in ("num", "sym") for p in part[1:]))

    return e[0] == "sub" and all(
        single(side) or (side[0] == "add" and all(map(single, side[1:]))) for side in e[1:]
    )


def ranked_factors(factors: Term) -> list[Term]:
    """A number, then symbols, then sums; those with delta last."""
    first = ("b", "B", "H", "H_q", "H_kv", "S", "L")

    def rank(factor: Term) -> tuple[bool, bool, int, str]:
        names = [name for _, monomial in factor for name, _ in monomial]
        place = first.index(names[0]) if names and names[0] in first else len(first)
        return len(factor) > 1, bool(names), place, str(factor)

    return sorted(factors, key=rank)


def quantity_name(name: str) -> Math:
    """The name of a quantity: what follows the first underscore stands below the line."""
    base, _, below = name.partition("_")
    below = below.replace("_", ",\\ ").replace(".", ",\\ ")
    latex = f"\\mathrm{{{base}}}" if len(base) > 1 else base
    return Math(f"{latex}_{{\\mathrm{{{below}}}}}" if below else latex, name)


def points_math(points: tuple[Sizes, ...], notation: Notation) -> list[Math]:
    """Counterexamples as `L = 1, d_c = 2`; of two sets, the second only says what differs."""
    shown = []
    for place, at in enumerate(points):
        names = [name for name in sorted(at) if not place or at[name] != points[0][name]]
        latex = ",\\ ".join(f"{notation.tex(name)} = {at[name]}" for name in names)
        shown.append(Math(latex, ", ".join(f"{notation.plain(name)} = {at[name]}" for name in names)))
    return shown


def _roots(term: Term) -> set[Term]:
    found = {term[1:3]} if term and term[0] in ("root", "crosses") else set[Term]()
    return found.union(*(_roots(part) for part in term if isinstance(part, tuple)))
