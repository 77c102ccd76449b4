"""A released model as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..advice import advice
from ..analysis import ridge_side
from ..layercosts import LayerCost, ModelCost
from ..poly import Coefficient
from ..released import Released
from ..scans import scan_of
from .data import SCHEMA

__all__ = ["model_data"]


def plain(value: Coefficient | None) -> int | float | None:
    """A number as JSON has it."""
    if value is None:
        return None
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else float(exact)


def model_data(cost: ModelCost) -> dict[str, Any]:
    """Layers by kind, totals over layers, and what was assumed; with ranks, all of the largest one."""
    model, asked = cost.model, cost.asked
    batch = Fraction(asked.values.get("B", 1))
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "model": model.name,
        "title": model.title,
        "source": model.source,
        "sizes": {name: plain(value) for name, value in asked.values.items()},
        "conventions": dict(asked.conventions.items()),
        "layer_count": model.layers,
        "layers": [_layer(layer) for layer in cost.layers],
        **_kept(cost, False, cost.sequences),
        "flops": plain(cost.flops),
        "bytes": plain(cost.bytes),
        "intensity": _ratio(cost.flops, cost.bytes),
        "draft_modules": model.drafts,
        "advice": list(advice(cost)),
        **_origin(model),
    }
    if asked.split.ranks > 1:
        split = asked.split
        data["ranks"] = {"tp": split.tp, "cp": split.cp, "dp": split.dp}
        data["unsplit"] = _kept(cost, True, batch)
    return data


def _kept(cost: ModelCost, whole: bool, batch: Fraction) -> dict[str, Any]:
    return {
        "cache_elements_per_token": {
            "short": plain(cost.sum("short", whole)), "long": plain(cost.sum("long", whole))
        },
        "state_elements": plain(cost.sum("state", whole)),
        "lag_elements": plain(cost.sum("lags", whole)),
        "cache_bytes": plain(cost.sum("bytes", whole) * batch),
        "state_bytes": plain(cost.sum("state_bytes", whole) * batch),
    }  # fmt: skip


def _layer(layer: LayerCost) -> dict[str, Any]:
    group, kept, derivation = layer.group, layer.kept, layer.derivation
    window = None if kept.window is None else plain(layer.value(kept.window))
    data: dict[str, Any] = {
        "count": group.count,
        "which": list(group.layers),
        "variant": group.kind.variant,
        "order": derivation.cost.order.label,
        "dims": dict(group.kind.dims),
        "cache_elements_per_token": plain(layer.value(kept.short)),
        "cache_elements_per_token_long": plain(layer.value(kept.long)),
        "window": window,
        "state_elements": plain(layer.value(kept.state)),
        "lag_elements": plain(layer.value(kept.lags)),
        "cache_bytes": plain(layer.value(kept.bytes)),
        "flops": plain(layer.flops),
        "bytes": plain(layer.bytes),
        "intensity": _ratio(layer.flops, layer.bytes),
    }
    if derivation.side is not None:
        data["side"] = ridge_side(*derivation.side)
    scan = scan_of(derivation)
    if scan is not None and layer.flops is not None:
        least = None if scan.overtakes is None else scan.overtakes.value(derivation.study.values)
        data["indexer"] = {
            "scan_flops": plain(layer.value(scan.scan)), "core_flops": plain(layer.value(scan.core)),
            "scan_is_larger_from": None if least is None else plain(least),
        }  # fmt: skip
    if layer.switch is not None:
        data["absorb_up_to"] = float(layer.switch)
    if layer.free is not None:
        data["free_queries"] = layer.free
    return data


def _ratio(flops: Coefficient | None, moved: Coefficient | None) -> int | float | None:
    return plain(Fraction(flops) / Fraction(moved)) if flops is not None and moved else None


def _origin(model: Released) -> dict[str, Any]:
    return {
        "unknown_fields": list(model.unknown_fields),
        "missing_fields": list(model.missing),
        "assumptions": dict(model.assumptions or {}),
        "decisions": [{"fields": list(d.fields), "read_as": d.text} for d in model.decisions],
    }
