"""Derivations of one rank at sizes that tell all indices apart."""

from __future__ import annotations

from derivations.conventions import Conventions
from derivations.derivation import Derivation, Study, derive
from derivations.library import load_variant
from derivations.sharding import Split

SIZES = {
    "L": 120, "H": 12, "H_q": 12, "H_kv": 4, "G": 4, "d_model": 40, "d_k": 6, "d_v": 10, "d_c": 14, "d_r": 4,
    "d_q": 9, "d_h": 8, "d_j": 5, "d_I": 7, "H_I": 3, "n": 30, "w": 24, "M": 20, "R_K": 2, "R_V": 3, "R_Q": 2,
    "b": 2,
}  # fmt: skip


def path(name: str) -> str:
    return name if "yaml" not in name else f"./tests/variants/{name}"


def split_of(name: str, order: str, split: Split, sizes: dict[str, int], **knobs: str) -> Derivation:
    variant = load_variant(path(name))
    known = {**SIZES, **sizes}
    values = {n: v for n, v in known.items() if n in variant.symbols and (n not in "SB" or n in sizes)}
    return derive(Study(variant, Conventions(**knobs), values, split=split), order)


def numbers(found: Derivation) -> tuple[int, int, int, int]:
    quantities = (found.flops, found.bytes, found.cache_elements, found.cache_bytes)
    return tuple(found.value(quantity) for quantity in quantities)
