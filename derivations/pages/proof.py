"""A proof as a reader follows it: each step a formula with the reason beside it, signs where they are used."""

from __future__ import annotations

from collections.abc import Iterator

from ..claims import Line, Proof, Term
from ..proofdata import poly_of
from ..report import Cell, Items, Math, cell
from .claimtext import Phrases, ranked_factors

__all__ = ["proof_items"]

_LONG = 70
"""A sum longer than this in plain text gets a name of its own."""
_MOST = 40
"""Steps that are shown; the comparisons of a long list of bracketings are only counted."""


def proof_items(proof: Proof, phrases: Phrases) -> Items:
    """The steps, in order; what a step assumes stands beside it."""
    steps = list(_Steps(proof, phrases).cells())
    return Items(tuple(step for step, _ in steps), True, tuple(given for _, given in steps))


class _Steps:
    def __init__(self, proof: Proof, phrases: Phrases) -> None:
        self.lines, self.phrases = proof.lines, phrases
        self.names: dict[Term, Math] = {}
        self.seen: set[str] = set()

    def cells(self) -> Iterator[tuple[Cell, Cell]]:
        """Each step with its reason, and the signs it rests on."""
        shown, last = 0, len(self.lines) - 1
        for place, line in enumerate(self.lines):
            if self._folded(place, line) or line.rule == "every":
                continue
            shown += 1
            if shown <= _MOST or place == last:
                spelled, formula = list(self._spelled(line)), self._formula(line)
                if self._says_nothing(line, formula):
                    continue
                yield from ((one, ()) for one in spelled)
                reason, given = self._reason(line)
                yield cell(*formula, ": ", *reason), (*given, ".")
            elif shown == _MOST + 1:
                rest = sum(not self._folded(i, one) for i, one in enumerate(self.lines)) - _MOST - 1
                yield cell(f"{rest} more steps of the same kind."), ()

    def _says_nothing(self, line: Line, formula: Cell) -> bool:
        """Whether a step changes the data but not what a reader sees."""
        if line.statement[0] != "is":
            return False
        (math,) = formula
        assert isinstance(math, Math)
        left, _, right = math.text.rpartition(" = ")
        known = math.text in self.seen or left == right
        self.seen.add(math.text)
        return known

    def _folded(self, place: int, line: Line) -> bool:
        """Whether a line is only told where it is used: what is assumed, and signs that are plain to see."""
        if line.rule in ("given", "size", "whole"):
            return True
        if line.rule == "multiply_out" and any(
            other.rule == "unfold" and other.premises == (place,) for other in self.lines
        ):
            return True
        return line.rule == "combine" and not self._told(line)

    def _told(self, line: Line) -> bool:
        """Whether a sign needs more than that sizes are positive."""
        return any(value < 0 for value in poly_of(line.statement[1]).terms.values())

    def _poly(self, terms: Term) -> Math:
        return self.names.get(terms) or self.phrases.polynomial(terms)

    def _spelled(self, line: Line) -> Iterator[Cell]:
        """Names for the long sums of a line, each once."""
        sides = line.statement[2:] if line.statement[0] == "is" else ()
        for terms in dict.fromkeys(
            factor for side in sides for factor in side if len(side) > 1 or len(sides[1])
        ):
            shown = self.phrases.polynomial(terms)
            if terms not in self.names and len(shown.text) > _LONG:
                number = len(self.names) + 1
                name = Math(f"p_{{{number}}}", f"p_{number}")
                yield cell("write ", Math(f"{name.latex} = {shown.latex}", f"{name.text} = {shown.text}"), ".")
                self.names[terms] = name

    def _formula(self, line: Line) -> Cell:
        statement = line.statement
        head = statement[0]
        if line.rule == "merge" and line.premises:
            shown = self.phrases.nested(statement[2])
            return cell(Math(f"{{}} = {shown.latex}", f"= {shown.text}"))
        if head != "is":
            maths = self.phrases.statement(statement)
            if head in ("pos", "nonneg"):
                shown, sign = self._poly(statement[1]), (">", ">") if head == "pos" else ("\\ge", ">=")
                maths = [Math(f"{shown.latex} {sign[0]} 0", f"{shown.text} {sign[1]} 0")]
            parts: list[str | Math] = []
            for number, math in enumerate(maths):
                parts += [" and " if number else "", math]
            return tuple(parts)
        left, right = self.phrases.expression(statement[1]), self._fraction(*statement[2:])
        if line.rule == "unfold":
            body = self.phrases.expression(self.lines[line.premises[0]].statement[1])
            if body.text != right.text and len(body.text) < 3 * _LONG:
                left = Math(f"{left.latex} = {body.latex}", f"{left.text} = {body.text}")
        return cell(Math(f"{left.latex} = {right.latex}", f"{left.text} = {right.text}"))

    def _fraction(self, above: Term, below: Term) -> Math:
        if not any(terms in self.names for terms in (*above, *below)):
            return self.phrases.fraction(above, below)
        over, under = (
            Math("\\,".join(m.latex for m in side) or "1", " ".join(m.text for m in side) or "1")
            for side in ([self._grouped(terms) for terms in ranked_factors(part)] for part in (above, below))
        )
        return (
            over
            if not below
            else Math(f"\\dfrac{{{over.latex}}}{{{under.latex}}}", f"{over.text} / ({under.text})")
        )

    def _grouped(self, terms: Term) -> Math:
        shown = self._poly(terms)
        return shown if terms in self.names or len(terms) < 2 else Math(f"({shown.latex})", f"({shown.text})")

    def _reason(self, line: Line) -> tuple[Cell, Cell]:
        """Why, and the assumptions and signs that the step uses."""
        signs = [self.lines[p] for p in line.premises if self.lines[p].statement[0] in ("pos", "nonneg", "put")]
        words: list[str | Math] = [_WORDS[line.rule]]
        if line.rule == "cancel":
            words = ["cancel ", self._grouped(signs[0].statement[1])]
        if line.rule == "unfold":
            body = self.lines[line.premises[0]]
            return cell("the ledger added up" if body.rule == "multiply_out" else "by definition"), ()
        if line.rule == "add" and not line.statement[3]:
            return cell("subtracted" if line.statement[1][0] == "sub" else "added"), ()
        if line.rule == "combine":
            return cell("it is ", self._certificate(line)), self._since(signs)
        if line.rule == "substitute":
            return cell("put ", self.phrases.sign(signs[0].statement), ", as assumed"), ()
        if line.rule == "cheapest":
            return cell(f"each of the {len(signs)} ways to differ costs no less"), ()
        return tuple(words), self._since([sign for sign in signs if self._matters(sign)])

    def _matters(self, sign: Line) -> bool:
        return sign.rule != "combine" or self._told(sign) or len(sign.statement[1]) > 1

    def _since(self, signs: list[Line]) -> Cell:
        """The signs used, those that are assumed as such."""
        parts: list[str | Math] = []
        listed = [sign for sign in signs if sign.rule != "size" or sign.statement[0] == "nonneg"] or signs[:1]
        for number, sign in enumerate(listed):
            parts += [", since " if not number else ", "]
            parts.append(self.phrases.sign(sign.statement))
            if sign.rule in ("given", "whole"):
                parts.append(" as assumed" if sign.rule == "given" else " as assumed, in whole numbers")
        return tuple(parts)

    def _certificate(self, line: Line) -> Math:
        """A polynomial as a sum of products of what is not negative."""
        known = [self.lines[p].statement[1] for p in line.premises]
        latex, text = [], []
        for coefficient, monomial in line.weights:
            number = self.phrases.polynomial(((coefficient, ()),))
            factors = [] if coefficient == 1 and monomial else [number]
            for place, exponent in monomial:
                shown = self._grouped(known[place])
                power = (
                    Math(f"{shown.latex}^{{{exponent}}}", f"{shown.text}^{exponent}") if exponent > 1 else shown
                )
                factors.append(power)
            latex.append("\\,".join(f.latex for f in factors))
            text.append(" ".join(f.text for f in factors))
        return Math(" + ".join(latex), " + ".join(text))


_WORDS = {
    "multiply_out": "multiplied out", "unfold": "", "divide": "divide", "multiply": "multiply",
    "add": "over one denominator", "factor": "factored", "less": "every factor is positive",
    "atmost": "no factor is negative", "same": "both have the same form",
    "iff": "the two differences have one factor in common and else positive ones",
    "absent": "the symbol is not there", "limit": "only the highest power counts in the end",
    "shift": "further along", "increasing": "it is less than itself further along", "cancel": "cancel",
    "crosses": "of the coefficients only those of high powers are negative, so the sign changes once",
    "root": "where the difference is zero", "every": "all of it",
    "merge": "the other factors lack these indices", "meet": "both are this one sum",
    "divided": "it is when it is multiplied", "combine": "", "substitute": "", "cheapest": "",
}  # fmt: skip
