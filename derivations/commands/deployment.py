"""Options that say how an attention is deployed: ranks, batch, shared prefix, cache layout, arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ..errors import InputError

__all__ = ["batch_options", "check_prefix", "deployment_of", "deployment_options", "program_of"]

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = (
    ("--tp", "N", "Ranks the heads are split over; everything is about the largest rank."),
    ("--cp", "N", "Ranks the context is split over."),
    ("--dp", "N", "Ranks the batch is split over."),
    ("--batch", "B", "Sequences in the batch; the same as --set B=..."),
    (
        "--prefix",
        "TOKENS",
        "First tokens that are the same for the whole batch: a number, or L_p for any.",
    ),
    ("--kv-layout", "LAYOUT", "How rows are cached: bf16, fp8, fp8-scaled, fp8-bf16-rope, or C=33/32,K_R=2."),
    ("--compute", "TYPE", "Element type of the arithmetic, which decides the peak of the GPU (bf16)."),
)


def deployment_options(function: F) -> F:
    """The options, on a command."""
    for name, metavar, text in reversed(_OPTIONS):
        function = click.option(name, metavar=metavar, help=text)(function)
    return function


def batch_options(function: F) -> F:
    """Those that say which sequences there are: for counts alone."""
    for name, metavar, text in reversed(_OPTIONS):
        if name in ("--batch", "--prefix"):
            function = click.option(name, metavar=metavar, help=text)(function)
    return function


def program_of(name: str, flags: dict[str, Any]) -> Any:
    """The variant, with its context in two segments where a prefix is shared.

    The length of the prefix and the batch become sizes like any other.
    """
    from ..library import load_variant

    variant = load_variant(name)
    prefix = flags.pop("prefix", None)
    if prefix is None:
        return variant
    from ..prefix import LENGTH, with_prefix

    if flags.get("no_cache"):
        raise InputError("--prefix and --no-cache contradict each other: a shared prefix is cached rows")
    if flags.get("phase") == "prefill":
        raise InputError("--prefix: with cached rows S is less than L; use --phase verify and set S")
    if prefix.strip() != LENGTH:
        _assign(flags, LENGTH, prefix, "--prefix")
    return with_prefix(variant)


def deployment_of(flags: dict[str, Any]) -> dict[str, Any]:
    """What a study takes: the split, the layout, the compute type; removes the flags, and makes B a size."""
    from ..sharding import Split

    counts = {kind: _count(kind, flags.pop(kind, None)) for kind in ("tp", "cp", "dp")}
    batch = flags.pop("batch", None)
    if batch is not None:
        _assign(flags, "B", batch, "--batch")
    layout, compute = flags.pop("kv_layout", None), flags.pop("compute", None)
    if layout is not None and not layout.strip():
        raise InputError("--kv-layout: the name of the layout is empty")
    if compute is not None and not flags.get("gpu") and not flags.pop("gpus", None):
        raise InputError(f"--compute {compute[:20]}: it decides the peak of a GPU; give one with --gpu")
    return {"split": Split(**counts), "layout": layout or "", "compute": "bf16" if compute is None else compute}


def check_prefix(values: Mapping[str, Any], queries: int) -> None:
    """Raises InputError for a prefix that leaves no room for the step's own tokens."""
    prefix, context, own = (values.get(name) for name in ("L_p", "L", "S"))
    if prefix is not None and context is not None and prefix + max(own or 0, queries) > context:
        raise InputError(
            f"--prefix {prefix}: is longer than the context allows; L={context} holds it and the new tokens"
        )


def _count(kind: str, text: str | None) -> int:
    if text is None:
        return 1
    if not re.fullmatch(r"[0-9]{1,9}", text.strip()):
        raise InputError(f"--{kind} {text[:20]}: not a number of ranks; write for example --{kind} 8")
    return int(text)


def _assign(flags: dict[str, Any], symbol: str, text: str, option: str) -> None:
    from ..dims import parse_value

    given = [pair.partition("=")[0].strip() for pair in flags.get("assignments") or ()]
    if symbol in given:
        raise InputError(f"{option} {text[:20]} and --set {symbol}=... both give {symbol}; leave one out")
    try:
        parse_value(symbol, text, True, "")
    except InputError:
        raise InputError(f"{option} {text[:20]}: not a size; write for example {option} 64") from None
    flags["assignments"] = (*(flags.get("assignments") or ()), f"{symbol}={text}")
