"""A document with its verdicts, and each claim as cells: what is printed, what is derived."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ..algebra import Ratio
from ..atoms import put
from ..dims import is_name
from ..documents.document import Claim, Document
from ..documents.formulas import NoNumber
from ..documents.given import given
from ..documents.numbers import number
from ..documents.setting import Setting
from ..documents.verdict import Verdict
from ..errors import InputError
from ..notation import Notation, load_notation, number_text
from ..poly import Poly
from ..report import Cell, Math, cell
from ..yamlfile import Entry
from .claimtext import Phrases, points_math
from .figures import compact, derived_text, printed_text

__all__ = ["Page", "filled", "labelled"]

_LONG = 48
"""Characters of a formula that still stands in a table."""
_HOLE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Page:
    """A document with its verdicts and its letters."""

    document: Document
    """The document."""
    verdicts: Mapping[str, Verdict]
    """Id -> verdict."""

    def notation(self, claim: Claim | None = None) -> Notation:
        """The document's letters; a prompt has other letters than a cache in some."""
        phase = "decode"
        if claim is not None:
            used = [self.document.sheet.entries[name] for name in self.document.sheet.used(claim.what)]
            phases = [e.value["phase"].text() for e in used if isinstance(e.value, dict) and "phase" in e.value]
            phase = "prefill" if "prefill" in phases else phase
        symbols = {n: d for v in self.document.sheet.variants.values() for n, d in v.symbols.items()}
        return Notation.of(symbols, load_notation(self.document.notation), phase, True)

    def closed_form(self, claim: Claim) -> Ratio | None:
        """What the engine derives for a figure or a formula, in symbols; None for a statement."""
        if claim.kind != "figure" and not (claim.kind == "holds" and claim.prints):
            return None
        right = claim.what if claim.kind == "figure" else _right(claim)
        sheet, name = self.document.sheet, right.text(900)
        ratio = sheet.formula(right, claim.setting)
        if name in sheet.entries and sheet.kind(name) == "crossover":
            ratio = sheet.solved(name, claim.setting) or ratio
        given = dict(_given(claim))
        return Ratio(put(ratio.over, given), put(ratio.under, given))

    def formula(self, claim: Claim) -> Math | None:
        """The engine's side of a formula; None where it is too long for a table."""
        ratio = self.closed_form(claim)
        math = _math(ratio, self.notation(claim)) if ratio is not None else None
        return math if math is not None and len(math.text) <= _LONG else None

    def long_formula(self, claim: Claim) -> Math:
        """The engine's side of a formula that is too long for a table; nothing where it is not."""
        ratio = self.closed_form(claim) if claim.printed is None and self.formula(claim) is None else None
        return _math(ratio, self.notation(claim)) if ratio is not None else Math("", "")

    def derived(self, claim: Claim) -> Cell:
        """What is derived for a claim."""
        verdict = self.verdicts[claim.id]
        if claim.printed is not None:
            return cell(derived_text(verdict))
        if claim.kind == "holds" and claim.prints:
            math = self.formula(claim)
            return cell(
                math
                if math is not None
                else "the same"
                if verdict.status == "holds"
                else "another formula, below"
            )
        found = verdict.judgement
        assert found is not None
        if found.status == "proved":
            return cell("proved")
        if found.points:
            maths = points_math(found.points, self.notation(claim))
            return (
                cell("false at ", maths[0])
                if len(maths) == 1
                else cell("false between ", maths[0], " and ", maths[1])
            )
        return cell("not decided")

    def printed(self, claim: Claim) -> Cell:
        """What the document prints for a claim."""
        if claim.printed is not None:
            return cell(printed_text(claim))
        found = self.verdicts[claim.id].judgement
        assert found is not None
        if claim.kind == "holds" and claim.prints:
            statement = found.assertion.claim.statement
            math = Phrases(self.notation(claim), found.assertion.claim).expression(statement[1])
            return cell("(", math, ")") if claim.in_words else cell(math)
        return cell("in words")


def labelled(text: str, setting: Setting) -> str:
    """A label with sizes of its setting in its holes. Raises InputError for a size that has no number."""
    numbers = given(set(_HOLE.findall(text)), setting)

    def shown(hole: re.Match[str]) -> str:
        if hole[1] not in numbers:
            raise InputError(f"the label {text[:60]!r} speaks of {hole[1][:30]}, which has no number there")
        return number_text(numbers[hole[1]])

    return _HOLE.sub(shown, text)


def filled(page: Page, text: str) -> Iterator[str | Math]:
    """A text of ours with derived numbers in its holes."""
    position = 0
    for hole in _HOLE.finditer(text):
        yield text[position : hole.start()]
        yield _hole(page, hole[1])
        position = hole.end()
    yield text[position:]


def _hole(page: Page, name: str) -> str | Math:
    plain = name.removesuffix(".printed")
    if plain in page.verdicts:
        claim = page.verdicts[plain].claim
        found = page.printed(claim) if name.endswith(".printed") else page.derived(claim)
        first = found[0]
        return first if isinstance(first, Math) else str(first)
    for section in page.document.sections:
        for key, (formula, setting) in section.ours.items():
            if plain == "-".join((page.document.name, section.number, key)):
                return compact(_number(page.document, formula, setting))
    raise InputError(
        f"{page.document.name}: a text mentions {{{name[:60]}}}, which is no claim and no number of ours"
    )


def _number(document: Document, formula: Entry, setting: Setting) -> Fraction:
    try:
        return setting.turn(number(document.sheet, formula, setting))
    except NoNumber as error:
        raise formula.fail(str(error)) from None


def _right(claim: Claim) -> Entry:
    """The engine's side of an equation."""
    return replace(claim.what, value=claim.what.text(900).partition("=")[2].strip())


def _given(claim: Claim) -> Iterator[tuple[str, Poly]]:
    """Numbers that a claim takes as given for single symbols, such as b = 2."""
    for item in claim.assume:
        symbol, relation, value = item.text().partition(" = ")
        if relation and is_name(symbol) and value.isdigit():
            yield symbol, Poly.const(int(value))


def _math(ratio: Ratio, notation: Notation) -> Math:
    return Math(notation.latex(ratio), notation.text(ratio))
