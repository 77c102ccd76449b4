"""Results as JSON: the contract `derive/1`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..algebra import Ratio, factor
from ..analysis import ridge_side
from ..assertions import derivation_assertions
from ..atoms import evaluate
from ..crossover import Crossover, Root
from ..derivation import Derivation, Study
from ..notation import Notation
from ..opinions import weighed
from ..poly import Coefficient, Poly
from ..roofline import timed
from ..trees import bracketing
from .claims import claims_data

__all__ = ["SCHEMA", "crossover_data", "derivations_data", "to_json"]

SCHEMA = "derive/1"
_SAFE = 2**53


def to_json(data: Mapping[str, Any]) -> str:
    """Stable JSON text."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def number(value: Coefficient | float | None) -> dict[str, Any]:
    """`value`, and `exact` as a string for an integer that a double cannot hold."""
    if value is None:
        return {"value": None}
    if isinstance(value, float):
        return {"value": value}
    exact = Fraction(value)
    if exact.denominator != 1:
        return {"value": float(exact)}
    whole = exact.numerator
    return {"value": whole, "exact": str(whole)} if abs(whole) > _SAFE else {"value": whole}


def sympy_text(expression: Any, notation: Notation) -> str:
    """sympy's text of an expression, re-lettered."""
    if notation.letters:
        from sympy import Symbol

        images = {s: Symbol(notation.plain(s.name), **s.assumptions0) for s in expression.free_symbols}
        expression = expression.xreplace(images)
    return str(expression)


def formula(value: Poly | Ratio, notation: Notation) -> dict[str, Any]:
    """`expr` and `latex`."""
    expression = value.sympy() if isinstance(value, Ratio) else factor(value).sympy()
    return {"expr": sympy_text(expression, notation), "latex": notation.latex(value)}


def quantity(value: Poly | Ratio, notation: Notation, known: Coefficient | None) -> dict[str, Any]:
    """`expr`, `latex` and the number."""
    return {**formula(value, notation), **number(known)}


def derivations_data(
    derivations: Iterable[Derivation], notation: Notation, rivals: Sequence[str] = ()
) -> dict[str, Any]:
    """One derivation as an object, several under `orders`, each with its claims."""
    objects = []
    for derivation in derivations:
        others = [name for name in rivals if name != derivation.cost.order.name]
        claims = claims_data(weighed(derivation_assertions(derivation, others)), notation)
        objects.append({**derivation_data(derivation, notation), "claims": claims})
    if len(objects) == 1:
        return {"schema": SCHEMA, **objects[0]}
    return {"schema": SCHEMA, "orders": objects}


def derivation_data(derivation: Derivation, notation: Notation) -> dict[str, Any]:
    """One derivation."""
    study, cost = derivation.study, derivation.cost
    written = cost.written

    def shown(value: Poly | Ratio) -> dict[str, Any]:
        return quantity(value, notation, derivation.value(value))

    ratio, kept = derivation.intensity, derivation.kept
    data: dict[str, Any] = {
        "variant": study.variant.name,
        **({"name": study.called} if study.called else {}),
        "order": cost.order.name,
        "member_of": list(cost.order.member_of),
        "forms": list(cost.order.forms),
        "bracketing": {
            f"{region.root}.{region.index}": bracketing(
                tree, {i: leaf.tensor for i, leaf in enumerate(region.leaves)}
            )
            for region, tree in zip(cost.graph.regions, cost.order.trees, strict=True)
        },
        "rule": cost.order.rule,
        "phase": study.conventions.phase,
        "scope": study.conventions.scope,
        "conventions": dict(study.conventions.items()),
        "dims": dims_data(study, notation),
        "flops": shown(derivation.flops),
        "bytes": {
            **shown(derivation.bytes),
            "read": shown(derivation.bytes - written),
            "written": shown(written),
        },
        "intensity": shown(ratio) if ratio is not None else None,
        "cache_per_token": {
            "elements": shown(derivation.cache_elements),
            "bytes": shown(derivation.cache_bytes),
            "long": shown(kept.long),
            "window": shown(kept.window) if kept.window is not None else None,
        },
        "state": {"elements": shown(kept.state), "bytes": shown(kept.state_bytes), "lags": shown(kept.lags)},
        "terms": [
            {
                "kind": term.kind,
                "stage": str(term.stage),
                "class": str(term.cls),
                "where": term.where,
                "expr": sympy_text(factor(term.amount).sympy(), notation),
                **number(derivation.value(term.amount)),
                "rule": term.rule,
                "in_scope": cost.counts(term),
                "grows": term.grows,
            }
            for term in cost.terms
        ],
        "claims": [],
    }
    if study.gpu is not None:
        ridge = study.gpu.ridge(study.compute)
        side = ridge_side(derivation.side[0], ridge) if derivation.side else None
        data["gpu"] = {"name": study.gpu.name, "ridge": number(ridge)["value"], "side": side}
        data["time"] = time_data(derivation)
    split = study.split
    if split.ranks > 1:
        data["ranks"] = {"tp": split.tp, "cp": split.cp, "dp": split.dp}
    if study.layout:
        data["kv_layout"] = study.layout
    return data


def time_data(derivation: Derivation) -> dict[str, Any] | None:
    """Seconds of each kernel of the scope and of their sum; None where a size is missing."""
    study = derivation.study
    assert study.gpu is not None
    found = timed(derivation.cost, study.gpu, study.compute, study.values)
    if found is None:
        return None
    return {
        "compute": study.compute,
        "seconds": float(sum(one.seconds for one in found)),
        "kernels": [
            {
                "kernel": one.kernel.name,
                "arithmetic": float(one.compute),
                "memory": float(one.memory),
                "bound": one.bound,
            }
            for one in found
        ],
    }


def dims_data(study: Study, notation: Notation) -> dict[str, Any]:
    """Symbol -> number, re-lettered."""
    return {notation.plain(name): number(value)["value"] for name, value in study.values.items()}


def root_data(root: Root, notation: Notation, study: Study) -> dict[str, Any]:
    """A solution."""
    from ..pages.crossover import root_math

    return {
        "expr": sympy_text(root.sympy(), notation),
        "latex": root_math(root, notation, whole=True).latex,
        **number(root.value(study.values)),
    }


def crossover_data(crossover: Crossover, study: Study, notation: Notation, measure: str) -> dict[str, Any]:
    """A crossover: solution, condition, limit and sides, or why there is none."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "variant": study.variant.name,
        "orders": list(crossover.names),
        "in": notation.plain(crossover.symbol),
        "measure": measure,
        "phase": study.conventions.phase,
        "scope": study.conventions.scope,
        "conventions": dict(study.conventions.items()),
        "dims": dims_data(study, notation),
        "difference": formula(crossover.difference, notation),
    }
    if measure == "time":
        data["kernels"] = [
            {"order": order, "kernel": kernel, "flops": formula(f, notation), "bytes": formula(m, notation)}
            for order, kernel, f, m in crossover.kernels
        ]
    at = at_data(crossover, study)
    if at is not None:
        data["at"] = at
    if not crossover.solutions:
        data |= {"solution": None, "condition": None, "limit": None, "below": None, "above": None}
        data["never"] = crossover.never
        if crossover.decided_by is not None:
            condition = condition_text(crossover.decided_by, notation)
            data["condition"] = {
                "expr": condition,
                "holds": crossover.decided_by.holds(study.values),
            }
            data["never"] = (
                f"{crossover.never}: {crossover.names[1]} is cheaper where {condition}, "
                f"{crossover.names[0]} where the opposite holds"
            )
        return data
    solutions = [solution_data(s, study, notation) for s in crossover.solutions]
    holding = [s for s in solutions if s["condition"]["holds"] is not False]
    if len(solutions) > 1 or not holding:
        data["solutions"] = solutions
    if holding:
        return data | holding[0]
    cheaper = crossover.cheaper_everywhere(study.values)
    winner = f"; {cheaper} is cheaper at every {data['in']}" if cheaper else ""
    data |= {"solution": None, "condition": solutions[0]["condition"], "limit": None}
    data |= {"below": None, "above": None}
    data["never"] = f"{solutions[0]['condition']['expr']} fails at these sizes{winner}"
    return data


def at_data(crossover: Crossover, study: Study) -> dict[str, Any] | None:
    """What both orders cost at a given value of the symbol solved for; None without one."""
    if crossover.symbol not in study.values:
        return None
    values = [evaluate(cost, study.values) for cost in crossover.costs]
    if None in values:
        return None
    first, second = (Fraction(value or 0) for value in values)
    cheaper = None if first == second else crossover.names[first > second]
    return {
        "value": number(study.values[crossover.symbol])["value"],
        "costs": {name: number(value)["value"] for name, value in zip(crossover.names, values, strict=True)},
        "cheaper": cheaper,
    }


def solution_data(solution: Any, study: Study, notation: Notation) -> dict[str, Any]:
    """One crossing."""
    verdicts = [condition.holds(study.values) for condition in solution.conditions]
    holds = False if False in verdicts else None if None in verdicts else True
    texts = [condition_text(condition, notation) for condition in solution.conditions]
    joined = texts[0] if len(texts) == 1 else " & ".join(f"({text})" for text in texts)
    limit = solution.limit
    return {
        "solution": root_data(solution.root, notation, study),
        "condition": {"expr": joined or "True", "holds": holds},
        "limit": quantity(limit, notation, limit.value(study.values)) if limit is not None else None,
        "below": solution.below,
        "above": solution.above,
        **({"waits_for": dict(solution.bounds)} if solution.bounds else {}),
    }


def condition_text(condition: Any, notation: Notation) -> str:
    """A condition that sympy can read."""
    from ..dims import to_sympy

    larger, smaller = condition.sides()
    return f"{sympy_text(to_sympy(larger), notation)} > {sympy_text(to_sympy(smaller), notation)}"
