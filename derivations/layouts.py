"""How wide cached elements are stored: the layouts people use, or a width for each cached tensor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from .atoms import free_symbols
from .errors import InputError, unknown
from .poly import Poly
from .program import AxisKind, Role, Tensor, Variant

__all__ = ["LAYOUTS", "with_layout"]

_SCALED = 1 + Fraction(4, 128)
LAYOUTS: Mapping[str, tuple[Fraction, Fraction, str]] = {
    "bf16": (Fraction(2), Fraction(2), "2 bytes an element"),
    "fp8": (Fraction(1), Fraction(1), "1 byte an element, scales left out"),
    "fp8-scaled": (_SCALED, _SCALED, "1 byte an element and a 4-byte scale for every 128"),
    "fp8-bf16-rope": (
        _SCALED, Fraction(2), "as fp8-scaled, 2 bytes for rows as wide as RoPE keys: 656 bytes for 512 + 64",
    ),
}  # fmt: skip
"""Name -> bytes per element of rows, of rows as wide as RoPE keys, and what it means."""
_WIDTH = re.compile(r"([1-9][0-9]{0,3})(?:/([1-9][0-9]{0,3}))?")
_LARGEST = 16


def with_layout(variant: Variant, text: str) -> Variant:
    """The program with cached rows stored in a layout: a name, or `TENSOR=BYTES` pairs such as `C=33/32,K_R=2`.

    Raises InputError for a layout nobody knows, and for one that does not fit what the program caches.
    """
    cached = {t.name: t for t in variant.tensors.values() if _stored(variant, t)}
    if not cached:
        raise InputError(f"--kv-layout {text[:40]}: {variant.name} keeps no rows that a layout could be about")
    widths = dict(_pairs(text, cached)) if "=" in text else _named(variant, text, cached)
    changed = {name: replace(cached[name], width=Poly.const(width)) for name, width in widths.items()}
    return replace(variant, tensors={**variant.tensors, **changed})


def _stored(variant: Variant, tensor: Tensor) -> bool:
    """Whether it is rows that are read from memory in every step."""
    kinds = {variant.axes[axis].kind for axis in tensor.axes}
    return tensor.role is Role.CACHE or (
        tensor.role is Role.INPUT and AxisKind.CONTEXT in kinds and AxisKind.QUERY not in kinds
    )


def _named(variant: Variant, text: str, cached: Mapping[str, Tensor]) -> dict[str, Fraction]:
    if text not in LAYOUTS:
        raise unknown("layout", text, LAYOUTS)
    rows, rope, _ = LAYOUTS[text]
    narrow = [
        name for name, tensor in cached.items()
        if any("d_r" in free_symbols(variant.axes[axis].size) for axis in tensor.axes)
    ]  # fmt: skip
    if rows != rope and not narrow:
        raise InputError(
            f"--kv-layout {text}: {variant.name} caches no RoPE keys beside its rows "
            f"({', '.join(cached)}); use bf16, fp8 or fp8-scaled"
        )
    return {name: rope if name in narrow else rows for name in cached}


def _pairs(text: str, cached: Mapping[str, Tensor]) -> Iterator[tuple[str, Fraction]]:
    seen = set[str]()
    if len(text) > 400:
        raise InputError("--kv-layout: the text is longer than 400 characters")
    for part in text.split(","):
        name, _, width = (piece.strip() for piece in part.partition("="))
        if name not in cached:
            raise unknown("cached tensor", name, cached)
        hit = _WIDTH.fullmatch(width)
        if hit is None or Fraction(int(hit[1]), int(hit[2] or 1)) > _LARGEST:
            raise InputError(
                f"--kv-layout {name}={width[:20]}: bytes per element are a number such as 2, 1 or 33/32, "
                f"at most {_LARGEST}"
            )
        if name in seen:
            raise InputError(f"--kv-layout: {name} is given twice")
        seen.add(name)
        yield name, Fraction(int(hit[1]), int(hit[2] or 1))
