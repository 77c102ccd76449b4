"""The page of one or several orders of a study, with what stands beside each; with code, for a notebook."""

from __future__ import annotations

from collections.abc import Iterable

from ..derivation import Derivation
from ..errors import InputError
from ..notation import Notation
from ..prefix import segment
from ..report import Report
from .derivation import derivation_report, joined_report
from .source import Origin, origin_of, with_code

__all__ = ["page_of", "rivals_of"]


def page_of(
    derivations: Derivation | Iterable[Derivation],
    notation: Notation | None = None,
    steps: bool = True,
    origin: Origin | None = None,
    code: bool = False,
) -> Report:
    """The page of a derivation, or of several orders of one study in one document.

    With `steps`, proofs are shown step by step. With `code`, each section ends with Python that derives it
    again; `origin` says by which names the study's parts are loaded, and is found where they are bundled. A
    study whose variant was read from a text has no such name, and its page no code. Raises InputError where
    there is no derivation.
    """
    found = [derivations] if isinstance(derivations, Derivation) else list(derivations)
    if not found:
        raise InputError("a page needs at least one derivation")
    study, named = found[0].study, rivals_of(found)
    if notation is None:
        notation = Notation.of(study.variant.symbols, None, study.conventions.phase)
    if len(found) == 1:
        rivals = [name for name in named if name != found[0].cost.order.name]
        report = derivation_report(found[0], notation, rivals, steps)
    else:
        report = joined_report(found, notation, named, steps)
    origin = (origin or origin_of(study)) if code else None
    return report if origin is None else with_code(report, found, named, origin)


def rivals_of(derivations: list[Derivation]) -> list[str]:
    """The named orders, which are held against each other; none for an order that has no name of its own."""
    variant = derivations[0].study.variant
    if segment(variant) is not None:  # four orders in place of two, whose crossovers are asked for one by one
        return []
    named = [order.name for order in variant.orders]
    return named if len(derivations) > 1 or derivations[0].cost.order.name in named else []
