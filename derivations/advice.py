"""What the costs of a model's layers say for running it, each sentence computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import floor

from .errors import InputError
from .layercosts import LayerCost, ModelCost
from .notation import number_text
from .sharding import Split
from .stored import stored

__all__ = ["advice"]

_RANKS = 8


def advice(cost: ModelCost) -> tuple[str, ...]:
    """Sentences on bracketing, ranks and drafts."""
    return (*_brackets(cost), *_ranks(cost), *_drafts(cost))


def _brackets(cost: ModelCost) -> Iterator[str]:
    for layer in cost.layers:
        if layer.switch is None:
            continue
        last = floor(layer.switch)
        context = int(layer.derivation.study.values["L"])
        if last >= context:
            yield f"{_kind(layer)}: absorb, for any number of new tokens at L = {context:,}."
            continue
        yield (
            f"{_kind(layer)}: absorb up to {last:,} new tokens in a step, expand from {last + 1:,} "
            f"(S* = {number_text(layer.switch)} at L = {context:,}, FLOPs of scope attention)."
        )


def _ranks(cost: ModelCost) -> Iterator[str]:
    tp = cost.asked.split.tp if cost.asked.split.tp > 1 else _RANKS
    whole = Fraction(cost.sum("short"))
    if not whole:
        yield "No layer keeps rows that grow: ranks share states by heads."
        return
    share = Fraction(0)
    for layer in cost.layers:
        graph, study = layer.derivation.cost.graph, layer.derivation.study
        try:
            sizes = replace(study, split=Split(tp=tp)).sizes(graph)
        except InputError:  # no heads to split
            sizes = study.sizes(graph)
        share += layer.group.count * Fraction(layer.value(stored(graph, sizes).short))
    part = share / whole
    ranks = f"Over {tp} ranks that share the heads"
    if part == 1:
        yield f"{ranks}, each keeps every cached row; ranks that share the batch divide them (DP attention)."
    elif part * tp == 1:
        yield f"{ranks}, each keeps 1/{tp} of the cached rows: no copies."
    else:
        yield (
            f"{ranks}, each keeps {number_text(100 * part)} % of the cached rows, "
            f"{number_text(part * tp)} times "
            f"an equal share; ranks that share the batch keep 1/{tp} each."
        )


def _drafts(cost: ModelCost) -> Iterator[str]:
    found = [(layer.free, layer) for layer in cost.layers if layer.free is not None]
    if not found:
        return
    free, layer = min(found, key=lambda pair: pair[0] or 0)
    gpu = layer.derivation.study.gpu
    name = gpu.title if gpu is not None else ""
    if not free:
        yield f"{_kind(layer)}: one query token is past the ridge of {name} already, so drafts are not free."
    elif free < 2:
        yield (
            f"{_kind(layer)}: a second query token is past the ridge of {name}, so drafted tokens are not free."
        )
    else:
        fewest = f" (fewest in {_kind(layer)})" if len(found) > 1 else ""
        yield (
            f"On {name} up to {free:,} query tokens a step wait for memory{fewest}: a draft of "
            f"{free - 1:,} tokens "
            "is verified in the time of one."
        )


def _kind(layer: LayerCost) -> str:
    return f"{layer.group.kind.variant} ({layer.group.count} layers)"
