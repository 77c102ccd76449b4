"""One page of errata: what is wrong in the documents, worst first, and what holds only under a condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..documents.verdict import Verdict
from ..report import Block, Cell, Heading, Report, Table, cell, prose
from .document import Page
from .figures import derived_text, factor_off, printed_text, sentence

__all__ = ["errata_report", "ranked"]


def ranked(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Those that do not hold, worst first: false statements and formulas, then figures by how far they are off.

    What holds under a condition comes after what is wrong, by how far it is off without it.
    """
    def key(verdict: Verdict) -> tuple[bool, bool, Fraction]:
        off = factor_off(verdict)
        return verdict.status == "holds if", off is not None, -(off or Fraction(0))

    return sorted((v for v in verdicts if v.status != "holds"), key=key)


def errata_report(pages: Sequence[Page]) -> Report:
    """The errata of all documents."""
    by_document = {page.document.name: page for page in pages}
    found = ranked(v for page in pages for v in page.verdicts.values())
    total = sum(len(page.verdicts) for page in pages)
    wrong = [v for v in found if v.status != "holds if"]
    lines = _grouped(v for v in found if v.status == "holds if")
    blocks: list[Block] = [
        prose(
            f"Of {total} claims of {len(pages)} documents {len(wrong)} are wrong and "
            f"{len(found) - len(wrong)} hold only under a condition that is not stated beside them. Worst first: "
            "statements and formulas, then figures by the factor they are off."
        ),
        Heading("Wrong"),
        Table(("claim", "printed", "right", "why"), tuple(_wrong(group, by_document) for group in _same(wrong)), "pppp"),
        Heading("Right under a condition"),
        Table(("claims", "condition", "without it off by up to"), tuple(lines), "ppl"),
    ]  # fmt: skip
    return Report("Errata", "of the documents that are derived again here", tuple(blocks))


def _same(verdicts: Iterable[Verdict]) -> list[list[Verdict]]:
    """Verdicts that share group and reason, in order of the first of each."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.claim.group, verdict.because), []).append(verdict)
    return list(groups.values())


def _wrong(group: Sequence[Verdict], pages: dict[str, Page]) -> tuple[Cell, ...]:
    first = group[0]
    claim, page = first.claim, pages[first.claim.document]
    if claim.printed is None:
        return cell(claim.id), page.printed(claim), page.derived(claim), cell(f"{claim.says} {claim.remark}".strip())
    printed = ", ".join(printed_text(v.claim) for v in group)
    right = ", ".join(derived_text(v) for v in group)
    names = ", ".join(v.claim.id for v in group)
    tried = f" ({first.tried} tried)" if first.tried else ""
    against = "; the document says otherwise elsewhere" if first.status == "contradicts" else ""
    return cell(names), cell(printed), cell(right), cell(f"{claim.says} {sentence(first.because)}{tried}{against}.")


def _grouped(verdicts: Iterable[Verdict]) -> list[tuple[Cell, ...]]:
    """One line for each group of figures with one condition."""
    lines = []
    for group in _same(verdicts):
        worst = max((factor_off(v) or Fraction(0) for v in group), default=Fraction(0))
        name = group[0].claim.id if len(group) == 1 else f"{group[0].claim.group}, {len(group)} figures"
        off = f"{float(worst):.3g}x" if worst else "-"
        lines.append((cell(name), cell(group[0].because), cell(off)))
    return lines
