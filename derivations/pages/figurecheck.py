"""The page of one claim of a document: what it says, its quantities with their ledgers, every reading tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..derivation import Derivation, Study
from ..documents.described import LEDGERS
from ..documents.document import Claim
from ..documents.formulas import NoNumber
from ..documents.given import given
from ..documents.numbers import values as values_of
from ..documents.reread import readings_tried
from ..documents.setting import Setting
from ..documents.verdict import Verdict
from ..notation import Notation
from ..poly import Coefficient
from ..report import Block, Cell, Heading, Items, Math, Prose, Report, Table, cell, prose
from .claims import one_claim
from .claimtext import quantity_name
from .documentpage import Page
from .figures import figure_text, printed_text, sentence
from .ledger import byte_blocks, flop_blocks
from .parts import Setter, conventions_table, number_math

__all__ = ["figure_report"]


def figure_report(page: Page, verdict: Verdict) -> Report:
    """Everything about one claim."""
    claim = verdict.claim
    lines = ", ".join(map(str, claim.lines))
    blocks: list[Block] = [
        prose(f"{claim.where}; line{'s' if len(claim.lines) > 1 else ''} {lines} of the text."),
        prose(claim.says or "A cell of the table."),
        Prose(("Printed: ", *page.printed(claim), ". Derived: ", *page.derived(claim), ".")),
        prose(f"Verdict: {verdict.status}."),
    ]  # fmt: skip
    if verdict.because:
        tried = ""
        if verdict.tried:
            were = "reading was" if verdict.tried == 1 else "readings were"
            tried = f" {verdict.tried} other {were} tried."
        blocks.append(prose(f"{sentence(verdict.because)}.{tried}"))
    if claim.remark:
        blocks.append(prose(claim.remark))
    if verdict.elsewhere is not None:
        blocks.append(_elsewhere(page, verdict))
    notation = page.notation(claim)
    if claim.printed is not None:
        blocks += [*_value(page, verdict, notation), *_tried(page, verdict)]
    elif verdict.judgement is not None:
        blocks += [Heading("Proof"), *one_claim(verdict.judgement, (), notation, {})]
        if verdict.explained:
            blocks += [
                prose("Conventions that prove it:"),
                Items(tuple(cell(r.words) for r in verdict.explained)),
            ]
    blocks += _ledgers(page, claim, notation)
    return Report(claim.id, f"{page.document.title}: {verdict.status}", tuple(blocks))


def _elsewhere(page: Page, verdict: Verdict) -> Block:
    claim, ends = verdict.claim, verdict.elsewhere
    assert claim.against is not None
    assert claim.printed is not None
    assert ends is not None
    said = ", ".join(
        f"{name} = {page.verdicts[other].claim.prints} ({other})" for name, other in claim.against.ids.items()
    )
    low, high = (figure_text(end, claim.printed, False) for end in ends)
    return prose(f"Elsewhere the document prints {said}; {claim.against.formula} is then {low} to {high}.")


def _value(page: Page, verdict: Verdict, notation: Notation) -> Iterator[Block]:
    """The formula of a figure and its number at each place."""
    claim, sheet = verdict.claim, page.document.sheet
    ratio = page.closed_form(claim)
    assert ratio is not None
    math = Math(notation.latex(ratio), notation.text(ratio))
    yield Heading("Value")
    yield Prose(("The figure is ", claim.what.text(400), ", that is ", math, ", in the document's letters."))
    rows: list[tuple[Cell, ...]] = []
    for reading in verdict.readings:
        sizes = values_of(sheet, {*ratio.over.names(), *ratio.under.names()}, reading.setting)
        given = ", ".join(f"{notation.plain(name)} = {value}" for name, value in sorted(sizes.items()))
        assert reading.value is not None
        rows.append((cell(reading.words or "-"), cell(given or "-"), cell(number_math(reading.value))))
    yield Table(("place", "sizes", "value"), tuple(rows), "ppl")
    yield prose(_about(claim.setting))


def _about(setting: Setting) -> str:
    """What a setting says beyond sizes."""
    words = [f"widths of {setting.model}"] if setting.model else []
    words += [setting.gpu] if setting.gpu else []
    words += [f"{knob} {value}" for knob, value in sorted(setting.knobs.items())]
    words += [f"{setting.tp} ranks"] if setting.tp > 1 else []
    words += [f"layout {setting.layout}"] if setting.layout else []
    words += ["all layers of the model"] if setting.layers == "all" else []
    return f"Taken with {', '.join(words)}." if words else "Taken at the sizes above."


def _tried(page: Page, verdict: Verdict) -> Iterator[Block]:
    """Every other reading, and whether it gives the printed figure."""
    claim = verdict.claim
    assert claim.printed is not None
    if verdict.status == "holds":
        return
    rows = []
    for kind, reading in readings_tried(claim, page.document.sheet):
        shown = figure_text(reading.value, claim.printed, False) if reading.value is not None else "no value"
        fits = (
            "yes"
            if reading.value is not None and claim.printed.allows(reading.value, reading.setting.rounding)
            else ""
        )
        rows.append((cell(reading.words), cell(kind), cell(shown), cell(fits)))
    yield Heading("Other readings")
    yield Table(("reading", "kind", "value", f"gives {printed_text(claim)}"), tuple(rows), "plll")
    yield prose("A convention counts only where the other figures that share it come out under it too.")


def _ledgers(page: Page, claim: Claim, notation: Notation) -> Iterator[Block]:
    """The ledger of each quantity that the claim is made of."""
    sheet = page.document.sheet
    for name in sheet.used(claim.what):
        yield Heading(f"Quantity {name}")
        yield prose(f"{sheet.described(name)}.")
        kind = sheet.kind(name)
        try:
            ratio = sheet.quantity(name, claim.setting)
        except NoNumber as error:
            yield prose(f"It has no value here: {error}.")
            continue
        if kind != "crossover":
            yield Items((cell(quantity_name(name), " = ", Math(notation.latex(ratio), notation.text(ratio))),))
        if kind in LEDGERS:
            yield from _ledger(sheet.derivation(name, claim.setting), claim, page, notation)


def _ledger(derivation: Derivation, claim: Claim, page: Page, notation: Notation) -> Iterator[Block]:
    values: dict[str, Coefficient] = given(set(derivation.study.variant.symbols), claim.setting)
    phase = derivation.study.conventions.phase
    if phase != "verify":
        values.pop("S", None)
    study: Study = replace(derivation.study, values=values)
    shown = Derivation(study, derivation.cost)
    own = Notation.of(study.variant.symbols, None, phase)
    setter = Setter.of(shown, own)
    for block in (*flop_blocks(shown, setter), *byte_blocks(shown, setter)):
        yield Heading(block.text, 2) if isinstance(block, Heading) else block
    yield conventions_table(study.conventions.items())
