"""Sections on numbers and on growth: values, layers, the side of a ridge, what happens as L grows."""

from __future__ import annotations

from ..algebra import Ratio
from ..analysis import far_intensity, growth, ridge_side
from ..atoms import free_symbols
from ..conventions import SCOPES
from ..derivation import Derivation
from ..notation import number_text
from ..poly import Poly
from ..report import Block, Cell, Items, Math, Prose, Table, cell, prose
from ..scans import scan_of
from .parts import Setter, bytes_text, number_math

__all__ = ["growth_blocks", "number_blocks"]


_ABOVE = {"FLOPs": ("F", "F"), "MACs": ("F", "F"), "bytes": ("M", "M"), "intensity": ("F/M", "F/M")}


def number_blocks(derivation: Derivation, setter: Setter) -> list[Block]:
    study = derivation.study
    unit = "FLOPs" if study.conventions.unit == "flops" else "MACs"
    per = f"{unit[:-1]}/B"
    quantities: list[tuple[str, Poly | Ratio | None, str]] = [
        (unit, derivation.flops, ""),
        ("bytes", derivation.bytes, "bytes"),
        ("intensity", derivation.intensity, per),
        ("cache, elements per token and layer", derivation.cache_elements, ""),
        ("cache, bytes per token and layer", derivation.cache_bytes, "bytes"),
    ]
    rows = []
    for title, quantity, kind in quantities:
        if quantity is None:
            continue
        shown = setter.quantity(quantity)
        if len(shown.text) > 50 and title in _ABOVE:
            shown = Math(*_ABOVE[title])
        value = derivation.value(quantity)
        rows.append(
            (
                cell(title),
                cell(shown),
                setter.value(value, kind) if value is not None else cell("needs more sizes"),
            )
        )
    blocks: list[Block] = [Table(("quantity", "formula", "value"), tuple(rows), "llr")]
    blocks += _by_scope(derivation, unit)
    if study.model is not None and study.model.attention_layers > 1:
        blocks.append(_layers(derivation))
    if derivation.side is not None:
        blocks.append(_side(derivation))
    return blocks


def _by_scope(derivation: Derivation, unit: str) -> list[Block]:
    """The same step in every scope: how much of a number is a matter of what is counted."""
    rows = []
    for scope in SCOPES:
        other = derivation.under(scope=scope)
        values = [other.value(q) for q in (other.flops, other.bytes, other.intensity)]
        if None in values:
            continue
        mark = " (this page)" if scope == derivation.study.conventions.scope else ""
        rows.append((cell(scope + mark), *(cell(number_math(value or 0)) for value in values)))
    if not rows:
        return []
    headers = ("scope", unit, "bytes", f"{unit[:-1]}/B")
    return [prose("The same step, by what is counted:"), Table(headers, tuple(rows), "lrrr")]


def _layers(derivation: Derivation) -> Prose:
    """The cache over all layers: the model's own where the variant is the model's, else hypothetical."""
    study, model = derivation.study, derivation.study.model
    assert model is not None
    one = derivation.value(derivation.cache_bytes)
    if one is None:
        return prose(f"{model.title} has {model.attention_layers} layers with such a cache.")
    total = bytes_text(one * model.attention_layers)
    if (study.variant.base, study.variant.options) != (model.variant, model.options):
        own = "+".join((model.variant, *model.options))
        return prose(
            f"{model.title} uses {own}; in its {model.attention_layers} layers with a growing cache this "
            f"variant would keep {total} a token."
        )
    layers = f"{model.attention_layers} of the {model.layers} layers carry this attention"
    if model.attention_layers == model.layers:
        layers = f"all {model.layers} layers carry this attention"
    return prose(f"In {model.title} {layers}: {total} of cache a token.")


def _side(derivation: Derivation) -> Prose:
    gpu, side = derivation.study.gpu, derivation.side
    assert gpu is not None
    assert side is not None
    value, ridge = side
    kind = derivation.study.compute
    verdict = ridge_side(value, ridge)
    factor = value / ridge if value > ridge else ridge / value
    where = f"{verdict}, a factor of {number_text(factor)} from the ridge" if value != ridge else verdict
    return prose(
        f"{gpu.title}: {gpu.peak[kind].text} dense {kind.upper()} over {gpu.bandwidth.text} puts the ridge at "
        f"{number_text(ridge, 1)} FLOP/B. In scope {derivation.study.conventions.scope}, at "
        f"{number_text(value)}, this is {where}."
    )


def growth_blocks(derivation: Derivation, setter: Setter) -> list[Block]:
    entries: list[Cell] = []
    for title, amount in (("FLOPs", derivation.flops), ("Bytes", derivation.bytes)):
        grown = growth(amount)
        if not amount:
            continue
        if grown.degree == 0:
            bounded = [n for n in amount.names() if "L" in free_symbols(Poly.symbol(n))]
            windowed = derivation.kept.window is not None
            last = "every window and selection" if windowed else "what is selected"
            words = f"stop growing once L passes {last}" if bounded else "do not grow with L"
            entries.append(cell(f"{title} {words}."))
            continue
        power = "L" if grown.degree == 1 else f"L^{grown.degree}"
        letter = setter.notation.plain("L")
        latex = power.replace("L", setter.notation.tex("L"))
        entries.append(
            cell(
                f"{title} grow by ",
                setter.quantity(grown.slope),
                " for each ",
                Math(latex, power.replace("L", letter)),
                ".",
            )
        )
    ratio = derivation.intensity
    if ratio is not None and "L" in ratio.symbols():
        limit = far_intensity(derivation.cost)
        if limit is not None and limit.over:
            shown = setter.quantity(limit)
            entries.append(
                cell("The intensity tends to ", shown, " as ", setter.symbol("L"), " grows without bound.")
            )
    caches = setter.kept()
    if caches:
        entries.append(
            cell("A token adds ", setter.quantity(derivation.cache_elements), " elements, ",
                 setter.quantity(derivation.cache_bytes), " bytes, to the caches of one layer.")
        )  # fmt: skip
    return [Items((*entries, *_scan(derivation, setter), *_kept(derivation, setter)))]


def _scan(derivation: Derivation, setter: Setter) -> list[Cell]:
    """What goes on growing when a selection limits the attention: the selector."""
    found = scan_of(derivation)
    if found is None or derivation.study.conventions.scope == "layer":
        return []
    growing = setter.quantity(growth(found.scan).slope)
    words: list[str | Math] = [
        "Outside this scope the indexer's scan grows by ",
        growing,
        " FLOPs for each token",
    ]
    if found.overtakes is None:
        return [cell(*words, ".")]
    words += ["; it costs more than the attention from ", setter.symbol("L"), " = "]
    return [cell(*words, setter.quantity(found.overtakes), ".")]


def _kept(derivation: Derivation, setter: Setter) -> list[Cell]:
    """Where rows stop growing, and what never grows."""
    kept = derivation.kept
    entries: list[Cell] = []
    for rows in kept.rows:
        if rows.window is not None:
            entries.append(
                cell(setter.tensor(rows.name), " stops growing at ", setter.quantity(rows.window), " rows, ",
                     setter.quantity(rows.row * rows.window), " elements.")
            )  # fmt: skip
    if kept.window is not None and kept.long:
        entries.append(cell("In the long run a token adds ", setter.quantity(kept.long), " elements."))
    if kept.state:
        entries.append(
            cell("One layer keeps a state of ", setter.quantity(kept.state), " elements, ",
                 setter.quantity(kept.state_bytes), " bytes, at any L; a step reads it and writes it.")
        )  # fmt: skip
    if kept.lags:
        entries.append(
            cell(
                "Convolutions and blocks keep ",
                setter.quantity(kept.lags),
                " elements of earlier rows besides.",
            )
        )
    return entries
