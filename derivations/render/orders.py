"""Order searches as data: the JSON of `derive orders` and `derive einsum`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import factor
from ..atoms import evaluate
from ..bestmap import BestMap
from ..derivation import Study
from ..einsum import Einsum
from ..envelope import Segment
from ..found import Boundary, Found, Group, Merged, Orders, boundaries_of
from ..notation import Notation
from ..pages.verdicts import whole_weights
from ..poly import Coefficient, Poly
from ..verdicts import Status
from .data import SCHEMA, condition_text, dims_data, formula, number, quantity, solution_data, sympy_text

__all__ = ["einsum_data", "orders_data"]


def orders_data(
    found: Orders, study: Study, notation: Notation, region: str | None, best: BestMap | None = None
) -> dict[str, Any]:
    """The orders of a variant, whole and by product."""
    conventions = study.conventions
    data = {
        "schema": SCHEMA,
        "variant": study.variant.name,
        "phase": conventions.phase,
        "region": region,
        "unit": found.unit,
        "conventions": dict(conventions.items()),
        "dims": dims_data(study, notation),
        **_searched(found, notation, study.values),
        "products": [_group(found, group, notation, study) for group in found.groups],
    }
    if best is not None:
        data["map"] = _map(best, notation)
    return data


def _map(best: BestMap, notation: Notation) -> dict[str, Any]:
    """Stretches of whole numbers with the bracketing of the cheapest order, or rows of them."""

    def stretch(segment: Segment) -> dict[str, Any]:
        cheapest = [best.orders[index].bracketing for index in segment.best]
        return {"from": segment.start, "to": segment.end, "best": cheapest}

    data: dict[str, Any] = {"symbols": [notation.plain(name) for name in best.symbols]}
    if best.plane is None:
        data["segments"] = [stretch(segment) for segment in best.line]
        data["crossings"] = [
            {
                "last": change.last,
                "first": change.first,
                "value": None if change.root is None else number(change.root)["value"],
                "below": best.orders[change.below].bracketing,
                "above": best.orders[change.above].bracketing,
            }
            for change in best.changes
        ]
    else:
        data["rows"] = [
            {"value": row.value, "segments": [stretch(segment) for segment in row.segments]}
            for row in best.plane.rows
        ]
    return data


def einsum_data(
    found: Orders, expression: Einsum, sizes: Mapping[str, int], notation: Notation
) -> dict[str, Any]:
    """The orders of an expression."""
    return {
        "schema": SCHEMA,
        "expression": expression.expression,
        "constants": sorted(expression.constants),
        "unit": found.unit,
        "dims": dict(sizes),
        **_searched(found, notation, sizes),
    }


def _searched(found: Orders, notation: Notation, values: Mapping[str, Coefficient]) -> dict[str, Any]:
    return {
        "space": found.space,
        "bracketings": found.bracketings,
        "counts": {str(status): found.count(status) for status in Status},
        "orders": [_order(found, order, notation, values) for order in found.orders],
    }


def _order(
    found: Orders, order: Found, notation: Notation, values: Mapping[str, Coefficient]
) -> dict[str, Any]:
    verdict = order.verdict
    can = {Status.BEST: True, Status.NEVER: False, Status.UNDECIDED: None}
    witness = verdict.witness
    return {
        "bracketing": order.bracketing,
        "forms": list(order.forms),
        "member_of": list(order.member_of),
        "flops": quantity(order.flops, notation, evaluate(order.flops, values)),
        "can_be_best": can[verdict.status],
        "verdict": str(verdict.status),
        "witness": None if witness is None else {notation.plain(n): v for n, v in witness.items()},
        "certificate": _certificate(found, order, notation),
        "offline": [_merged(merged, notation, values) for merged in order.merged],
    }


def _certificate(found: Orders, order: Found, notation: Notation) -> dict[str, Any] | None:
    """Rivals with their weights: the sum of weight x (this cost - the rival's) is never negative."""
    certificate = order.verdict.certificate
    if certificate is None:
        return None
    groups = found.groups if len(order.choice) > 1 else [_home(found, order)]
    rivals = []
    for part, weight in zip(certificate.parts, whole_weights(found, certificate.parts), strict=True):
        group = groups[part.group]
        rivals.append(
            {
                "product": ", ".join(group.roots),
                "bracketing": group.found[part.rival].bracketing,
                "weight": sympy_text(factor(weight).sympy(), notation),
            }
        )
    return {"rivals": rivals}


def _home(found: Orders, order: Found) -> Group:
    return next(group for group in found.groups if any(order is other for other in group.found))


def _merged(merged: Merged, notation: Notation, values: Mapping[str, Coefficient]) -> dict[str, Any]:
    def shown(poly: Poly) -> dict[str, Any]:
        return quantity(poly, notation, evaluate(poly, values))

    return {
        "product": merged.text,
        "flops": shown(merged.flops),
        "elements": shown(merged.elements),
        "replaces": shown(merged.replaces),
        "bytes": None if merged.bytes is None else shown(merged.bytes[0]),
        "replaces_bytes": None if merged.bytes is None else shown(merged.bytes[1]),
    }


def _group(found: Orders, group: Group, notation: Notation, study: Study) -> dict[str, Any]:
    boundaries = boundaries_of(group) if not found.numeric else ()
    return {
        "makes": list(group.roots),
        "bracketings": group.bracketings,
        "orders": [_order(found, order, notation, study.values) for order in group.found],
        "boundaries": None if boundaries is None else [_boundary(b, notation, study) for b in boundaries],
    }


def _boundary(boundary: Boundary, notation: Notation, study: Study) -> dict[str, Any]:
    """Two orders by number (from 0), sizes where they are best side by side, and where they cost the same."""
    crossover, edge = boundary.crossover, boundary.edge
    data: dict[str, Any] = {
        "orders": [boundary.first, boundary.second],
        "side_by_side": {
            "in": notation.plain(edge.symbol),
            "at": {notation.plain(name): value for name, value in edge.point.items()},
            "best": edge.first,
            "then": edge.second,
        },
        "in": None,
        "difference": None,
        "solutions": [],
        "equal_where": None,
    }
    if crossover is None:
        return data
    data["in"] = notation.plain(crossover.symbol)
    data["difference"] = formula(crossover.difference, notation)
    data["solutions"] = [solution_data(solution, study, notation) for solution in crossover.solutions]
    if crossover.decided_by is not None:
        data["equal_where"] = condition_text(crossover.decided_by, notation).replace(" > ", " = ")
    return data
