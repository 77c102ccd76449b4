"""Rooflines and drafts as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..derivation import Derivation
from ..notation import Notation, NotationFile
from ..pages.roofline import free_queries, intensity_of, ridge_of
from ..pages.speculate import Speculation
from .data import SCHEMA, condition_text, derivation_data, dims_data, number, quantity, root_data

__all__ = ["roofline_data", "speculation_data"]


def roofline_data(found: Sequence[Derivation], file: NotationFile | None) -> dict[str, Any]:
    """The page as JSON."""
    rows = []
    for derivation in found:
        notation = Notation.of(derivation.study.variant.symbols, file, derivation.study.conventions.phase)
        value = intensity_of(derivation)
        share = None if value is None else number(min(Fraction(1), value / ridge_of(derivation)))["value"]
        free = free_queries(derivation)
        rows.append(
            {
                **derivation_data(derivation, notation),
                "share_of_peak": share,
                "free_queries": None if free == "-" else int(free),
            }
        )
    return {"schema": SCHEMA, "orders": rows}


def speculation_data(asked: Speculation, file: NotationFile | None) -> dict[str, Any]:
    """The page as JSON."""
    found = []
    for row in asked.rows:
        notation = Notation.of(row.study.variant.symbols, file, "verify")
        ratio, root = row.derivation.intensity, row.budget.root
        kind = row.study.compute
        found.append(
            {
                "variant": row.study.variant.name,
                "order": row.derivation.cost.order.name,
                "scope": row.study.conventions.scope,
                "dims": dims_data(row.study, notation),
                "intensity": (
                    None if ratio is None else quantity(ratio, notation, row.derivation.value(ratio))
                ),
                "ridge_at": root_data(root, notation, row.study) if root is not None else None,
                "ridge_where": [condition_text(c, notation) for c in row.budget.conditions],
                "free": {gpu.name: row.budget.at(row.study.values, gpu.ridge(kind)) for gpu in asked.gpus},
                "steps": [
                    {
                        "draft": step.draft, "verify_seconds": float(step.verify),
                        "draft_seconds": float(step.drafting), "tokens": float(step.tokens),
                        "speedup": float(step.speedup),
                    }
                    for step in row.steps
                ],
            }
        )  # fmt: skip
    return {"schema": SCHEMA, "acceptance": [float(a) for a in asked.acceptance], "variants": found}
