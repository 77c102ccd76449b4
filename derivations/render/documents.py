"""Documents and their claims as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ..documents.verdict import Reading, Verdict
from ..pages.documentpage import Page
from ..report import Cell, Math
from .data import formula

__all__ = ["verdict_data", "verdicts_data"]


def verdicts_data(pages: Iterable[Page]) -> list[dict[str, Any]]:
    """Every claim of some documents, in order."""
    return [verdict_data(page, verdict) for page in pages for verdict in page.verdicts.values()]


def verdict_data(page: Page, verdict: Verdict) -> dict[str, Any]:
    """One claim: where it stands, what is printed, what is derived, the verdict and why."""
    claim = verdict.claim
    return {
        "id": claim.id,
        "document": claim.document,
        "where": claim.where,
        "lines": list(claim.lines),
        "says": claim.says or None,
        "published": claim.prints or None,
        "in_words": claim.in_words,
        "derived": _derived(page, verdict),
        "verdict": verdict.status,
        "because": verdict.because or None,
        "expected": claim.expect,
        "tried": verdict.tried,
        "explained_by": [_reading(reading) for reading in verdict.explained],
        "elsewhere": [float(end) for end in verdict.elsewhere] if verdict.elsewhere else None,
        "remark": claim.remark or None,
    }


def _derived(page: Page, verdict: Verdict) -> dict[str, Any]:
    """Closed form in the document's letters; numbers in base units, one for each place; else only the words."""
    values = [_reading(reading) for reading in verdict.readings]
    only = values[0]["value"] if len(values) == 1 else None
    shown = page.closed_form(verdict.claim)
    return {
        "text": _plain(page.derived(verdict.claim)),
        **(
            formula(shown, page.notation(verdict.claim)) if shown is not None else {"expr": None, "latex": None}
        ),
        "value": only,
        "places": values if len(values) > 1 else [],
    }


def _reading(reading: Reading) -> dict[str, Any]:
    return {"reading": reading.words or None, "value": _number(reading.value)}


def _number(value: Fraction | None) -> int | float | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(f"{float(value):.12g}")


def _plain(parts: Cell) -> str:
    return "".join(part.text if isinstance(part, Math) else str(part) for part in parts)
