"""One page of errata: what is wrong in the documents, worst first, and what holds only under a condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..documents.verdict import Verdict
from ..report import Block, Cell, Report, Table, cell, prose
from .documentpage import Page
from .figures import derived_text, factor_off, printed_text

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
    false = [v for v in wrong if v.claim.printed is None and not v.claim.prints]
    rows = [_wrong(group, by_document) for group in _same(v for v in wrong if v not in false)]
    blocks: list[Block] = [
        prose(
            f"{len(wrong)} of {total} claims are wrong; {len(found) - len(wrong)} hold only under a condition "
            "that is not stated beside them. Worst first."
        )
    ]
    if false:
        said = "; ".join(f"{v.claim.says.rstrip('.')} ({v.claim.id})" for v in false)
        blocks.append(prose(f"False: {said}."))
    if rows:
        blocks.append(Table(("claim", "what it is", "printed → right"), tuple(rows), "lpl"))
    conditions = _conditions(found)
    if conditions:
        words = "Right only under a condition, and else off by up to the factor in brackets"
        blocks.append(prose(f"{words}: {'; '.join(conditions)}."))
    return Report("Errata", "", tuple(blocks))


def _same(verdicts: Iterable[Verdict]) -> list[list[Verdict]]:
    """Verdicts that share group and reason, in order of the first of each."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.claim.group, verdict.because), []).append(verdict)
    return list(groups.values())


def _wrong(group: Sequence[Verdict], pages: dict[str, Page]) -> tuple[Cell, ...]:
    """One line: figures of one group with one reason together."""
    claim = group[0].claim
    page = pages[claim.document]
    says = claim.says or claim.where.partition(", row ")[0]
    if claim.printed is None:
        return cell(claim.id), cell(says), (*page.printed(claim), " → ", *page.derived(claim))
    names = claim.id if len(group) == 1 else f"{claim.group} ({len(group)})"
    printed = ", ".join(printed_text(v.claim) for v in group)
    right = ", ".join(derived_text(v) for v in group)
    return cell(names), cell(says), cell(f"{printed} → {right}")


def _bare(because: str) -> str:
    for word in ("proved ", "only ", "where "):
        because = because.removeprefix(word)
    return because


def _conditions(found: Iterable[Verdict]) -> list[str]:
    """Words for each condition, with what holds under it."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in found:
        if verdict.status == "holds if":
            groups.setdefault(_bare(verdict.because), []).append(verdict)
    lines = []
    for because, group in groups.items():
        worst = max((factor_off(v) or Fraction(0) for v in group), default=Fraction(0))
        names = ", ".join(
            same[0].claim.id if len(same) == 1 else f"{same[0].claim.group} ({len(same)})"
            for same in _same(group)
        )
        lines.append(f"{because}: {names}" + (f" ({float(worst):.3g}×)" if worst else ""))
    return lines
