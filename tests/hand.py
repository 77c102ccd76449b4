"""Costs worked out by hand, held against what the package derives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from derivations.conventions import Conventions
from derivations.derivation import Derivation, Study, derive
from derivations.library import load_variant


@dataclass(frozen=True)
class Hand:
    """One order's FLOPs and bytes by hand."""

    core: int
    """FLOPs of steps over (query, context) pairs."""
    lift: int
    """FLOPs of the up-projections."""
    other: int
    """FLOPs of everything else in the layer."""
    rows: int
    """Bytes of rows along the context: cached ones read, formed ones read."""
    rest: int
    """Every other byte of the layer."""


def derived(path: str, order: str, dims: Mapping[str, int], **knobs: str) -> Derivation:
    """The package's answer for a variant under tests/variants."""
    study = Study(load_variant(f"./tests/variants/{path}"), Conventions(**knobs), dims)
    return derive(study, order)


def check(path: str, order: str, dims: Mapping[str, int], hand: Hand, **knobs: str) -> None:
    """The three scopes, each with its FLOPs, its bytes and their quotient."""
    expected = {
        "core": (hand.core, hand.rows),
        "attention": (hand.core + hand.lift, hand.rows),
        "layer": (hand.core + hand.lift + hand.other, hand.rows + hand.rest),
    }
    got = {}
    for scope in expected:
        answer = derived(path, order, dims, scope=scope, **knobs)
        got[scope] = (answer.value(answer.flops), answer.value(answer.bytes))
        flops, moved = expected[scope]
        assert answer.value(answer.intensity) * moved == flops, scope
    assert got == expected


def check_symbols(path: str, order: str, symbols: str) -> None:
    """What the intensity of decoding depends on when nothing has a number (scope core)."""
    ratio = derived(path, order, {}).intensity
    assert ratio is not None
    assert ratio.symbols() == frozenset(symbols.split())


def check_cache(path: str, dims: Mapping[str, int], elements: int) -> None:
    """Elements a token leaves in the caches, the same for every order."""
    for order in ("direct", "best"):
        answer = derived(path, order, dims)
        assert answer.value(answer.cache_elements) == elements
        assert answer.value(answer.cache_bytes) == elements * dims["b"]
