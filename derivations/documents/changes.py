"""Other ways to read a figure: conventions that a document may have left unsaid, and slips.

A change turns a setting into another. Conventions are ways of counting that people use; slips are mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from ..conventions import KNOBS
from .printed import Printed
from .setting import Setting

__all__ = ["Apply", "Change", "changes"]

_FAR = 2**60
"""A context so long that only what grows fastest is left."""
Apply = Callable[[Setting, Printed | None], Setting | None]
"""Gives the changed setting; None where the change makes no sense."""


@dataclass(frozen=True, slots=True)
class Change:
    """Another way to read a figure."""

    words: str
    """What is done differently, in a phrase."""
    kind: Literal["convention", "slip"]
    """Whether it is a way of counting, or a mistake."""
    apply: Apply
    """The changed setting, of a figure if there is one."""


@cache
def changes() -> tuple[Change, ...]:
    """Every change that is tried, in a fixed order."""
    conventions = [Change(words, "convention", apply) for words, apply in _conventions()]
    return (*conventions, *(Change(words, "slip", apply) for words, apply in _slips()))


_KNOBS = {
    "pairs": {"full": "all pairs are counted", "causal": "only causal pairs are counted"},
    "scope": {
        "core": "only the core is counted",
        "attention": "the bytes of the up-projection weights are left out",
        "attention+weights": "the bytes of the up-projection weights are counted",
        "kernel": "the queries and results at the core's edge are counted",
        "layer": "the whole layer is counted",
    },
    "traffic": {
        "fused": "a fused kernel reads everything once",
        "two-pass": "scores and weighted sum each read the cache",
        "unfused": "scores are written and read",
    },
    "formed": {
        "read": "formed keys and values are read once",
        "write+read": "formed keys and values are written and read",
        "streamed": "formed keys and values never leave the chip",
        "cached": "expanded keys and values are kept",
    },
    "kept-rows": {
        "copied": "the shared row is copied into each head",
        "once": "the shared row is kept once",
    },
    "unit": {"macs": "a multiply-add counts once"},
}
_OPTIONS = {"rope": "the RoPE segment", "query-latent": "the query latent"}
_LEFT_OUT = {
    "indexer": "the indexer is left out",
    "activation": "the activations are left out",
    "weight": "the weights are left out",
    "append": "the new rows written are left out",
    "output": "the output projection is left out",
    "projection": "the projections are left out",
}
_FORGOTTEN = {"lift": "the up-projections forgotten", "core": "the dot products forgotten"}
_MODELS = ("kimi-k3", "deepseek-v3")


def _conventions() -> Iterator[tuple[str, Apply]]:
    for knob, values in _KNOBS.items():
        for value, words in values.items():
            assert value in KNOBS[knob].values
            yield words, _knob(knob, value)
    yield "half of all pairs are counted", _put(halved=True)
    for option, words in _OPTIONS.items():
        yield f"{words} is left out", _options({option: False})
        yield f"{words} is counted", _options({option: True})
    yield f"{' and '.join(_OPTIONS.values())} are left out", _options(dict.fromkeys(_OPTIONS, False))
    for name, words in _LEFT_OUT.items():
        yield words, _without(name)
    yield "bytes are in binary units, such as GiB for GB", _binary
    yield "cached rows are one byte an element", _put(layout="fp8")


def _slips() -> Iterator[tuple[str, Apply]]:
    yield "taken at the limit of a long context", lambda setting, _: setting.with_sizes(L=_FAR)
    yield "cut off instead of rounded", _put(rounding="down")
    yield "rounded up", _put(rounding="up")
    yield "a factor of two too many", lambda setting, _: replace(setting, scale=setting.scale * 2)
    yield "a factor of two missing", lambda setting, _: replace(setting, scale=setting.scale / 2)
    yield "upside down", _put(turned="inverse")
    yield "a share of the other part", _put(turned="share")
    yield "the distance to one", _put(turned="rest")
    yield "every layer is taken for one with this attention", _put(layers="all")
    for symbol in ("L", "S"):
        yield f"{symbol} one too large", _moved(symbol, 1)
        yield f"{symbol} one too small", _moved(symbol, -1)
    for model in _MODELS:
        yield f"the widths of {model}", _model(model)
    for name, words in _FORGOTTEN.items():
        yield words, _without(name)
    yield "keys alone, values forgotten", lambda setting, _: setting.with_sizes(d_v=0)
    yield "ranks take no share", lambda setting, _: replace(setting, tp=1) if setting.tp > 1 else None


def _knob(knob: str, value: str) -> Apply:
    return lambda setting, _: replace(setting, knobs={**setting.knobs, knob: value})


def _options(options: dict[str, bool]) -> Apply:
    return lambda setting, _: replace(setting, options={**setting.options, **options})


def _without(name: str) -> Apply:
    return lambda setting, _: replace(setting, without=setting.without | {name})


def _put(**fields: Any) -> Apply:
    return lambda setting, _: replace(setting, **fields)


def _binary(setting: Setting, printed: Printed | None) -> Setting | None:
    if printed is None or printed.binary == 1:
        return None
    return replace(setting, scale=setting.scale / printed.binary)


def _moved(symbol: str, by: int) -> Apply:
    def apply(setting: Setting, printed: Printed | None) -> Setting | None:
        size = setting.sizes.get(symbol)
        return None if size is None or size + by < 1 else setting.with_sizes(**{symbol: size + by})

    return apply


def _model(model: str) -> Apply:
    return lambda setting, _: (
        replace(setting, model=model) if setting.model and setting.model != model else None
    )
