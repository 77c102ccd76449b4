"""Masks as two closed forms: how many (query, context) pairs there are, and how many rows are read.

The S query tokens are the last S of the L context tokens, so the query at position p sees p
tokens, or min(p, w) under a window of w, or those of its own chunk of w tokens. Summing over
p = L-S+1 .. L gives the pairs of the `causal` convention; `full` counts every query as if it stood
at position L, at the end of a chunk.
"""

from __future__ import annotations

from fractions import Fraction

from .atoms import atom_of, floored, minimum
from .poly import Poly
from .program import Mask, MaskKind

__all__ = ["PAIRS", "pairs", "rows"]

PAIRS = ("full", "causal")
"""The convention for queries that see fewer than all L tokens."""
_HALF = Fraction(1, 2)


def _triangle(x: Poly) -> Poly:
    return x * (x + 1) * _HALF


def _capped_sum(last: Poly, cap: Poly) -> Poly:
    """The sum of min(p, cap) for p = 1 .. last."""
    bound = minimum(last, cap)
    return _triangle(bound) + (last - bound) * cap


def _chunked_sum(last: Poly, size: Poly) -> Poly:
    """The sum of how far p = 1 .. last stand into chunks of a size: whole chunks, then what is left."""
    whole = floored(last, size)
    return whole * _triangle(size) + _triangle(last - whole * size)


def pairs(mask: Mask, convention: str, queries: Poly, context: Poly) -> Poly:
    """Pairs of one score equation; `queries` and `context` are the sizes of its two axes."""
    causal = mask.kind is MaskKind.CAUSAL or (convention == "causal" and mask.kind is not MaskKind.FULL)
    if mask.size is not None and _pooled(context):
        causal = False
    seen = context if mask.size is None else minimum(context, mask.size)
    if not causal or (queries == Poly.const(1) and mask.kind is not MaskKind.CHUNK):
        return queries * seen
    if mask.size is None:
        return context * queries - queries * (queries - 1) * _HALF
    summed = _chunked_sum if mask.kind is MaskKind.CHUNK else _capped_sum
    if queries == context:
        return summed(context, mask.size)
    return summed(context, mask.size) - summed(context - queries, mask.size)


def _pooled(context: Poly) -> bool:
    """Whether a context has entries of several tokens each, which have no triangle."""
    atoms = [atom_of(name) for name in context.names()]
    return any(atom is not None and atom.function != "min" for atom in atoms)


def rows(mask: Mask, queries: Poly, context: Poly) -> Poly:
    """Context rows that any query touches; for top-n an upper bound, reached by disjoint choices.

    For chunks too: reached when the first query ends one, as it may.
    """
    if mask.size is None:
        return context
    if mask.kind in (MaskKind.WINDOW, MaskKind.CHUNK):
        return minimum(context, mask.size + queries - 1)
    return minimum(context, queries * mask.size)
