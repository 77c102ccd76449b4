"""Commands about several variants: `NAME:ORDER` words, models among them, and the study of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .deployment import program_of
from .options import conventions_of, own_sizes, study_of

__all__ = ["SYMBOLS", "models_in", "studies_of"]

SYMBOLS = ("L", "S", "B", "b", "b_M")
"""Sizes of a run, not of a model."""


def studies_of(variants: tuple[str, ...], flags: dict[str, Any]) -> list[tuple[Any, str | None]]:
    """The study of each variant under the same flags, and the order asked for, if any.

    A model (a bundled name, a config.json,
    a YAML file of a checkpoint) stands for each kind of its layers, with
    its own sizes. A size may be a symbol of some of them only. Raises InputError for one that none has.
    """
    from ..dims import parse_assignments

    loaded: list[tuple[Any, str | None, dict[str, Any], Any, str]] = []
    for text in variants:
        word, order = _split(text)
        layers = _layers(word)
        _check_order(word, order, layers)
        for name, checkpoint, called in layers:
            own = dict(flags)
            variant = program_of(name, own)
            wanted = order if not called or _has(variant, order) else None
            loaded.append((variant, wanted, own, checkpoint, called))
    symbols = {symbol for variant, *_ in loaded for symbol in variant.symbols}
    found = []
    for variant, order, own, checkpoint, called in loaded:
        conventions = conventions_of(own, scope="core")
        parse_assignments(own["assignments"], symbols)
        sizes = {**own, "assignments": own_sizes(own, variant)}
        if checkpoint is not None:  # the sizes of a model are its own; how it is run is asked
            sizes["model"] = None
            sizes["assignments"] = [p for p in sizes["assignments"] if p.partition("=")[0].strip() in SYMBOLS]
            if sizes.get("kv_layout") and not any(t.role == "cache" for t in variant.tensors.values()):
                sizes["kv_layout"] = None
        study = study_of(variant, conventions, sizes, quiet=True)
        if checkpoint is not None:
            values = {**checkpoint.values(variant.symbols), **study.values}
            study = replace(study, values=values, model=checkpoint, called=called)
        found.append((study, order))
    return found


def models_in(variants: tuple[str, ...]) -> list[Any]:
    """The models among the words, each once."""
    from ..released import is_model, load_released

    words = dict.fromkeys(_split(text)[0] for text in variants)
    return [load_released(word) for word in words if is_model(word)]


def _layers(word: str) -> list[tuple[str, Any, str]]:
    """What a word stands for: (variant, checkpoint, what it is called)."""
    from ..released import is_model, load_released

    if not is_model(word):
        return [(word, None, "")]
    model = load_released(word)
    return [
        (group.kind.variant, model.checkpoint(group), f"{model.short}: {group.count} x {group.kind.variant}")
        for group in model.groups
    ]


def _check_order(word: str, order: str | None, layers: list[tuple[str, Any, str]]) -> None:
    """An order asked of a model must be one of some of its layers."""
    from ..errors import unknown
    from ..library import load_variant

    if order is None or not any(called for _, _, called in layers):
        return
    known = {named.name for name, _, _ in layers for named in load_variant(name).orders}
    if order not in known:
        raise unknown(f"order of the layers of {word}", order, known)


def _has(variant: Any, order: str | None) -> bool:
    return order is not None and any(named.name == order for named in variant.orders)


def _split(text: str) -> tuple[str, str | None]:
    name, colon, order = text.rpartition(":")
    return (name, order) if colon and "/" not in order else (text, None)
