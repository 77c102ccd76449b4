"""What a figure is about: model, sizes, ranks and conventions; and ways to read it otherwise.

A change turns one setting into another. Changes of the kind `convention` are ways of counting that people
use and a document may have left unsaid; those of the kind `slip` are mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Literal

from ..conventions import KNOBS
from ..poly import Coefficient
from ..yamlfile import Entry
from .printed import Printed

__all__ = ["Change", "Setting", "changes"]

FAR = 2**60
"""A context so long that only what grows fastest is left."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the quantities of a claim are taken at."""

    model: str = ""
    """A checkpoint, or nothing."""
    gpu: str = ""
    """An accelerator, or nothing."""
    sizes: Mapping[str, Coefficient] = field(default_factory=dict)
    """Sizes given by hand, over the model's."""
    knobs: Mapping[str, str] = field(default_factory=dict)
    """Conventions that win over those of a quantity."""
    options: Mapping[str, bool] = field(default_factory=dict)
    """Options of variants that are put in or left out, whatever a quantity says."""
    without: frozenset[str] = frozenset()
    """Stages of arithmetic, and classes of bytes, that are left out."""
    tp: int = 1
    """Ranks that share the heads."""
    layout: str = ""
    """How cached rows are stored."""
    layers: str = "attention"
    """`attention`: layers that carry this attention; `all`: every layer of the model."""
    scale: Fraction = Fraction(1)
    """What a result is multiplied by."""
    rounding: str = "nearest"
    """How a result is cut to the printed digits: `nearest` or `down`."""
    turned: str = ""
    """`inverse`: the result upside down; `share`: as a share of both; `rest`: what is missing to one."""

    formula: Entry | None = None
    """Another formula than the claim's own, where a figure was taken for something else."""

    def with_sizes(self, **sizes: Coefficient) -> Setting:
        """The same with other sizes."""
        return replace(self, sizes={**self.sizes, **sizes})

    def with_knobs(self, **knobs: str) -> Setting:
        """The same with other conventions."""
        return replace(self, knobs={**self.knobs, **{name.replace("_", "-"): v for name, v in knobs.items()}})

    def turn(self, value: Fraction) -> Fraction:
        """The result of a claim, for its value as derived."""
        if self.turned == "inverse" and value:
            value = 1 / value
        elif self.turned == "share" and value != -1:
            value = value / (1 + value)
        elif self.turned == "rest":
            value = abs(1 - value)
        return value * self.scale

    @property
    def key(self) -> tuple[object, ...]:
        """What a ledger depends on."""
        return (
            tuple(sorted(self.knobs.items())), tuple(sorted(self.options.items())), self.without, self.tp,
            self.layout,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """Another way to read a figure."""

    words: str
    """What is done differently, in a phrase."""
    kind: Literal["place", "convention", "slip"]
    """Whether it is another place, a way of counting, or a mistake."""
    apply: Callable[[Setting, Printed | None], Setting | None]
    """The changed setting; None where it makes no sense."""


def changes() -> tuple[Change, ...]:
    """Every change that is tried, in a fixed order."""
    return tuple(_changes())


@cache
def _changes() -> tuple[Change, ...]:
    return (*_conventions(), *_slips())


_KNOB_WORDS = {
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
    "kept-rows": {"copied": "the shared row is copied into each head", "once": "the shared row is kept once"},
    "unit": {"macs": "a multiply-add counts once"},
}
_LEFT_OUT = {
    "indexer": "the indexer is left out",
    "activation": "the activations are left out",
    "weight": "the weights are left out",
    "append": "the new rows written are left out",
    "output": "the output projection is left out",
    "projection": "the projections are left out",
}
_FORGOTTEN = {"lift": "the up-projections forgotten", "core": "the dot products forgotten"}


def _conventions() -> Iterator[Change]:
    for knob, words in _KNOB_WORDS.items():
        for value, phrase in words.items():
            assert value in KNOBS[knob].values
            yield Change(phrase, "convention", lambda s, _, k=knob, v=value: s.with_knobs(**{k: v}))  # type: ignore[misc]
    for option, phrase in (("rope", "the RoPE segment"), ("query-latent", "the query latent")):
        for kept in (False, True):
            word = "counted" if kept else "left out"
            yield Change(f"{phrase} is {word}", "convention", lambda s, _, o=option, k=kept: _option(s, {o: k}))  # type: ignore[misc]
    yield Change(
        "the RoPE segment and the query latent are left out", "convention",
        lambda s, _: _option(s, {"rope": False, "query-latent": False}),
    )  # fmt: skip
    for name, phrase in _LEFT_OUT.items():
        yield Change(phrase, "convention", lambda s, _, n=name: replace(s, without=s.without | {n}))  # type: ignore[misc]
    yield Change("GB stands for GiB", "convention", _binary)
    yield Change("cached rows are one byte an element", "convention", lambda s, _: replace(s, layout="fp8"))


def _slips() -> Iterator[Change]:
    yield Change("taken at the limit of a long context", "slip", lambda s, _: s.with_sizes(L=FAR))
    yield Change("cut off instead of rounded", "slip", lambda s, _: replace(s, rounding="down"))
    yield Change("a factor of two too many", "slip", lambda s, _: replace(s, scale=s.scale * 2))
    yield Change("a factor of two missing", "slip", lambda s, _: replace(s, scale=s.scale / 2))
    yield Change("upside down", "slip", lambda s, _: replace(s, turned="inverse"))
    yield Change("a share of the other part", "slip", lambda s, _: replace(s, turned="share"))
    yield Change("the distance to one", "slip", lambda s, _: replace(s, turned="rest"))
    yield Change(
        "every layer is taken for one with this attention", "slip", lambda s, _: replace(s, layers="all")
    )
    for symbol in ("L", "S"):
        yield Change(f"{symbol} one too large", "slip", lambda s, _, n=symbol: _moved(s, n, 1))  # type: ignore[misc]
        yield Change(f"{symbol} one too small", "slip", lambda s, _, n=symbol: _moved(s, n, -1))  # type: ignore[misc]
    for model in ("kimi-k3", "deepseek-v3"):
        yield Change(f"the widths of {model}", "slip", lambda s, _, m=model: _model(s, m))  # type: ignore[misc]
    for name, phrase in _FORGOTTEN.items():
        yield Change(phrase, "slip", lambda s, _, n=name: replace(s, without=s.without | {n}))  # type: ignore[misc]
    yield Change("keys alone, values forgotten", "slip", lambda s, _: s.with_sizes(d_v=0))
    yield Change("ranks take no share", "slip", lambda s, _: replace(s, tp=1) if s.tp > 1 else None)


def _option(setting: Setting, options: dict[str, bool]) -> Setting:
    return replace(setting, options={**setting.options, **options})


def _binary(setting: Setting, printed: Printed | None) -> Setting | None:
    if printed is None or printed.binary == 1:
        return None
    return replace(setting, scale=setting.scale / printed.binary)


def _moved(setting: Setting, symbol: str, by: int) -> Setting | None:
    size = setting.sizes.get(symbol)
    return None if size is None or size + by < 1 else setting.with_sizes(**{symbol: size + by})


def _model(setting: Setting, model: str) -> Setting | None:
    return replace(setting, model=model) if setting.model and setting.model != model else None
