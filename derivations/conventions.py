"""Every knob that makes published numbers differ, with its values, default first, and what it means.

A report prints all of them; nothing is halved or left out without a knob that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from .errors import InputError, unknown
from .trees import Phase

__all__ = ["CLASSES", "KNOBS", "SCOPES", "STAGES", "Conventions", "Knob", "Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which terms of the ledger a total adds up."""

    flops: frozenset[str]
    """Stages whose FLOPs count."""
    bytes: frozenset[tuple[str, str]]
    """(stage, class) pairs whose bytes count."""
    text: str
    """What it takes in, in a phrase."""


_ROWS = frozenset(
    (stage, cls) for stage in ("core", "lift", "projection") for cls in ("cache", "state", "formed", "score")
)
_ONLINE = ("core", "lift", "output", "indexer", "projection")
_CLASSES = ("cache", "state", "append", "formed", "activation", "weight", "score")

SCOPES: Mapping[str, Scope] = {
    "core": Scope(
        frozenset({"core"}),
        _ROWS,
        "FLOPs of the scores and the weighted sum; bytes of cached and formed rows",
    ),
    "attention": Scope(
        frozenset({"core", "lift"}),
        _ROWS,
        "FLOPs of the core and of the up-projections; bytes of cached and formed rows",
    ),
    "attention+weights": Scope(
        frozenset({"core", "lift"}),
        _ROWS | {("lift", "weight")},
        "as attention, and the bytes of the up-projection weights",
    ),
    "kernel": Scope(
        frozenset({"core"}),
        _ROWS | {("core", "activation")},
        "FLOPs of the core; bytes of cached and formed rows and of the activations at the core kernel's edge",
    ),
    "layer": Scope(
        frozenset(_ONLINE),
        frozenset((stage, cls) for stage in _ONLINE for cls in _CLASSES),
        "everything one step does in this layer, projections and output included",
    ),
}


STAGES: Mapping[str, str] = {
    "core": "steps over pairs of a query and a context token, with the softmax between them; one kernel",
    "lift": "steps with an up-projection between the latent and the heads",
    "output": "the projection of the heads' results to the model width",
    "indexer": "steps that only decide which rows are selected",
    "projection": "the other steps, mostly projections of the hidden states",
    "offline": "products of weights alone, made once before any request and counted in no scope",
}
"""What each stage of the ledger is."""
CLASSES: Mapping[str, str] = {
    "cache": "cached (or given) rows, read",
    "state": "a state, its old value read and its next one written",
    "append": "the new rows of a cache, written",
    "formed": "rows along the context that this step forms",
    "activation": "what one kernel hands to another, the input and the output",
    "weight": "weights, read",
    "score": "scores and probabilities, where they cross memory",
}
"""What each class of bytes is."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One convention."""

    values: Mapping[str, str]
    """Value -> what it means; the default comes first."""
    title: str
    """What it decides."""


KNOBS: Mapping[str, Knob] = {
    "phase": Knob(
        {
            "decode": "one query token, S = 1",
            "verify": "S query tokens against one read of the cache",
            "prefill": "all L tokens at once, S = L",
        },
        "query tokens in the step",
    ),
    "pairs": Knob(
        {
            "full": "every query counts all L context tokens",
            "causal": "a query counts the tokens up to its own",
        },
        "pairs of query and context tokens",
    ),
    "scope": Knob({name: scope.text for name, scope in SCOPES.items()}, "what the totals take in"),
    "grows": Knob(
        {
            "no": "all terms of the scope",
            "yes": "only terms with the context axis, decided before S = L is put in",
        },
        "keep only what grows with L",
    ),
    "traffic": Knob(
        {
            "fused": "the core is one kernel; what it reads, it reads once",
            "two-pass": "the scores and the weighted sum each read their operands",
            "unfused": "as two-pass, and scores and probabilities are written and read",
        },
        "how the core moves bytes",
    ),
    "formed": Knob(
        {
            "read": "formed rows are read once; writing them is not counted",
            "write+read": "formed rows are written and read",
            "streamed": "formed tile by tile on chip; they never cross HBM",
            "cached": "formed rows were kept from earlier steps; only the new rows are formed",
        },
        "keys and values formed along the context",
    ),
    "kept-rows": Knob(
        {
            "copied": "a shared row beside kept rows is stored again for each head",
            "once": "a shared row is stored once",
        },
        "shared rows beside kept ones (only with formed: cached)",
    ),
    "caches": Knob(
        {
            "kept": "caches hold earlier tokens; the step writes its new rows",
            "none": "no cache: every row is computed from the inputs in this step",
        },
        "caches",
    ),
    "elementwise": Knob({"count": "2 FLOPs a point", "omit": "left out"}, "elementwise products"),
    "unit": Knob(
        {"flops": "a multiply-add is 2 FLOPs", "macs": "a multiply-add is 1 MAC"},
        "unit of arithmetic",
    ),
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """One value for each knob."""

    phase: str = "decode"
    """Query tokens in the step."""
    pairs: str = "full"
    """Pairs of query and context tokens."""
    scope: str = "core"
    """What the totals take in."""
    grows: str = "no"
    """Keep only what grows with L."""
    traffic: str = "fused"
    """How the core moves bytes."""
    formed: str = "read"
    """Rows formed along the context."""
    kept_rows: str = "copied"
    """Shared rows beside kept ones."""
    caches: str = "kept"
    """Whether there are caches."""
    elementwise: str = "count"
    """Elementwise products."""
    unit: str = "flops"
    """FLOPs or MACs."""

    def __post_init__(self) -> None:
        for name, value in self.items():
            if value not in KNOBS[name].values:
                raise unknown(f"value of {name}", value, KNOBS[name].values)
        if self.caches == "none" and self.formed == "cached":
            raise InputError("formed rows cannot be cached where there are no caches; drop --no-cache")

    def items(self) -> list[tuple[str, str]]:
        """(knob, value) for every knob, in the order of `KNOBS`."""
        mine = {field.name.replace("_", "-"): getattr(self, field.name) for field in fields(self)}
        return [(name, mine[name]) for name in KNOBS]

    @property
    def step(self) -> Phase:
        """The phase as a value."""
        return Phase(self.phase)
