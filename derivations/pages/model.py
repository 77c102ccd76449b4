"""The page of a released model: its layers by kind, what they keep, what a step costs, and what that says."""

from __future__ import annotations

from fractions import Fraction

from ..advice import advice
from ..analysis import ridge_side
from ..conventions import SCOPES
from ..layercosts import LayerCost, ModelCost
from ..notation import Notation, number_text
from ..poly import Coefficient
from ..released import ranges
from ..report import Block, Cell, Heading, Items, Report, Table, cell, prose
from ..scans import scan_of
from .parts import bytes_text, conventions_table, number_math
from .times import deployment_rows

__all__ = ["model_report"]


def model_report(cost: ModelCost, explain: bool) -> Report:
    """The whole page; with `explain`, which field led to which decision."""
    model, study = cost.model, cost.layers[0].derivation.study
    blocks: list[Block] = [
        prose(_summary(cost)),
        Heading("Layers"),
        Table(
            ("layers", "which", "variant", "order", "sizes"),
            tuple(_which(layer) for layer in cost.layers), "rpplp",
        ),
        Heading("What is kept"),
        *_kept(cost),
        Heading("One step"),
        *_step(cost),
        Heading("What that says"),
        Items(tuple(cell(sentence) for sentence in advice(cost))),
    ]  # fmt: skip
    if explain and model.decisions:
        rows = tuple((cell("; ".join(d.fields)), cell(d.text)) for d in model.decisions)
        blocks += [Heading("Which field says what"), Table(("field", "read as"), rows, "lp")]
    blocks += _caveats(cost)
    blocks += [Heading("Conventions"), conventions_table(study.conventions.items(), deployment_rows(study))]
    return Report(model.title, _subtitle(cost), tuple(blocks), tuple(_sources(cost)))


def _summary(cost: ModelCost) -> str:
    model = cost.model
    counted = sum(group.count for group in model.groups)
    growing = sum(x.group.count for x in cost.layers if x.value(x.whole.long))
    limited = sum(
        x.group.count for x in cost.layers if x.whole.window is not None and not x.value(x.whole.long)
    )
    constant = sum(x.group.count for x in cost.layers if not x.whole.rows and x.value(x.whole.state))
    reading = counted - growing - limited - constant
    words = [f"{growing} with a cache that grows with every token"] if growing else []
    words += [f"{limited} with a cache that stops growing at its window"] if limited else []
    words += [f"{constant} with a state of constant size"] if constant else []
    words += [f"{reading} that keep nothing and read another layer's rows"] if reading else []
    text = f"{model.layers} layers: {', '.join(words)}"
    without = model.layers - counted
    text += f"; {without} without attention." if without > 0 else "."
    if model.drafts:
        text += f" {_modules(model.drafts)} for multi-token prediction, not counted among them."
    return text


def _modules(count: int) -> str:
    return "1 module" if count == 1 else f"{count} modules"


def _subtitle(cost: ModelCost) -> str:
    values = cost.asked.values
    parts = [f"L = {int(values['L']):,}", f"phase {cost.asked.conventions.phase}"]
    if values.get("B", 1) != 1:
        parts.append(f"batch {values['B']}")
    return ", ".join(parts)


def _which(layer: LayerCost) -> tuple[Cell, ...]:
    group = layer.group
    sizes = ", ".join(f"{name} = {size}" for name, size in group.kind.dims.items())
    which = ranges(group.layers) if group.layers else "-"
    return (
        cell(str(group.count)), cell(which), cell(group.kind.variant), cell(layer.derivation.cost.order.label),
        cell(sizes),
    )  # fmt: skip


def _kept(cost: ModelCost) -> list[Block]:
    length = int(cost.asked.values["L"])
    rows = tuple(_rows_of(layer) for layer in cost.layers)
    total = (
        cell("all layers"), cell(""), _number(cost.sum("short", False)), _number(cost.sum("long", False)),
        cell(""),
        cell(bytes_text(cost.sum("bytes", False))),
    )  # fmt: skip
    heads = ("variant", "layers", "elements", "in the long run", "window", "rows at L")
    blocks: list[Block] = [
        prose(
            "Elements that a context token adds to the cached rows of one layer, while no window is "
            "full and in the "
            f"long run, once every window is; rows of one sequence at L = {length:,}. The last line sums over "
            "all layers."
        ),
        Table(heads, (*rows, total), "prrrrr"),
        *_states(cost),
    ]
    split = cost.asked.split
    if split.ranks > 1:
        blocks.append(
            prose(
                f"All this is about the largest of {split.ranks} ranks. One rank alone would keep "
                f"{number_text(cost.sum('short'))} elements per token, {number_text(cost.sum('long'))} in the "
                f"long run, {bytes_text(cost.sum('bytes'))} of rows at L and "
                f"{bytes_text(cost.sum('state_bytes'))} "
                "of states."
            )
        )
    return blocks


def _rows_of(layer: LayerCost) -> tuple[Cell, ...]:
    kept, value = layer.kept, layer.value
    window = value(kept.window) if kept.window is not None else None
    return (
        cell(layer.group.kind.variant), cell(str(layer.group.count)), _number(value(kept.short)),
        _number(value(kept.long)), _number(window) if window is not None else cell("-"),
        cell(bytes_text(value(kept.bytes))),
    )  # fmt: skip


def _states(cost: ModelCost) -> list[Block]:
    """What never grows."""
    blocks: list[Block] = []
    holding = [layer for layer in cost.layers if layer.value(layer.kept.state)]
    if holding:
        rows = tuple(
            (
                cell(x.group.kind.variant), cell(str(x.group.count)), _number(x.value(x.kept.state)),
                cell(bytes_text(x.value(x.kept.state_bytes))),
            )
            for x in holding
        )  # fmt: skip
        total = (
            cell("all layers"), cell(""), _number(cost.sum("state", False)),
            cell(bytes_text(cost.sum("state_bytes", False))),
        )  # fmt: skip
        blocks += [
            prose("States of one layer, the same at any L:"),
            Table(("variant", "layers", "state elements", "bytes"), (*rows, total), "prrr"),
        ]
    lags = cost.sum("lags", False)
    if lags:
        blocks.append(
            prose(f"Convolutions and blocks keep {number_text(lags)} elements of earlier rows besides.")
        )
    return blocks


def _number(value: Coefficient | None) -> Cell:
    return cell("-") if value is None else cell(number_math(value))


def _ratio(flops: Coefficient | None, moved: Coefficient | None) -> Fraction | None:
    return Fraction(flops) / Fraction(moved) if flops is not None and moved else None


def _step(cost: ModelCost) -> list[Block]:
    asked = cost.asked
    unit = "FLOPs" if asked.conventions.unit == "flops" else "MACs"
    rows = []
    for layer in cost.layers:
        flops, moved = layer.flops, layer.bytes
        row = [cell(layer.group.kind.variant), cell(str(layer.group.count)), _number(flops), _number(moved)]
        row.append(_number(_ratio(flops, moved)))
        if asked.gpu is not None:
            side = layer.derivation.side
            row.append(cell(ridge_side(*side)) if side is not None else cell("-"))
        rows.append(tuple(row))
    total = [cell("all layers"), cell(""), _number(cost.flops), _number(cost.bytes)]
    total.append(_number(_ratio(cost.flops, cost.bytes)))
    heads = ["variant", "layers", unit, "bytes", f"{unit[:-1]}/B"]
    if asked.gpu is not None:
        heads.append("side")
        total.append(cell(""))
    scope = asked.conventions.scope
    caption = f"One layer each, the last line all of them. Scope {scope}: {SCOPES[scope].text}."
    if asked.gpu is not None:
        caption += f" {asked.gpu.title}: ridge {number_text(asked.gpu.ridge(asked.compute), 1)} FLOP/B."
    blocks: list[Block] = [
        Table(tuple(heads), (*rows, tuple(total)), "prrrr" + "l" * (len(heads) - 5), caption)
    ]
    blocks += [prose(text) for layer in cost.layers for text in _indexer(layer)]
    return blocks


def _indexer(layer: LayerCost) -> list[str]:
    """What a selector costs beside the attention that it limits."""
    found = scan_of(layer.derivation)
    if found is None or layer.flops is None:
        return []
    one, two = layer.value(found.scan), layer.value(found.core)
    stopped = " and has stopped growing" if two == layer.value(found.full) else " so far"
    text = (
        f"{layer.group.kind.variant}: the indexer scans the whole context, {number_text(one)} FLOPs a layer; "
        f"the attention on what it selects takes {number_text(two)}{stopped}."
    )
    if found.overtakes is not None:
        study = layer.derivation.study
        notation = Notation.of(study.variant.symbols, None, study.conventions.phase)
        least = found.overtakes.value(study.values)
        text += f" The scan is the larger part from L = {notation.text(found.overtakes)}"
        text += f" = {number_text(least)}." if least is not None else "."
    return [f"{text} Scope layer counts both."]


def _caveats(cost: ModelCost) -> list[Block]:
    model = cost.model
    items = [f"Assumed: {name} = {value}." for name, value in (model.assumptions or {}).items()]
    if model.missing:
        names = ", ".join(model.missing)
        items.append(
            f"Not given: {names}. What is kept does not depend on it; FLOPs and bytes that do are left out, "
            "and no order was chosen by its cost."
        )
    if model.unknown_fields:
        fields = ", ".join(model.unknown_fields)
        items.append(f"Not known, and taken to have no bearing on attention: {fields}.")
    items += model.notes
    return [Heading("Notes"), Items(tuple(cell(item) for item in items))] if items else []


def _sources(cost: ModelCost) -> list[str]:
    found = [cost.model.source]
    for layer in cost.layers:
        variant = layer.derivation.study.variant
        if variant.reference:
            found.append(f"{variant.title}: {variant.reference}")
    gpu = cost.asked.gpu
    if gpu is not None:
        found.append(f"{gpu.title}: {gpu.bandwidth.source}")
    return list(dict.fromkeys(found))
