"""Words of a statement in which tensors, sizes and indices stand between backquotes, set as formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import Place, unknown
from ..report import Math
from ..trees import Space
from .parts import Setter

__all__ = ["formula", "joined", "marked"]

_MARKED = re.compile(r"`([^`]*)`")
"""Words of a statement that are set as a formula."""
_SIGNS = {"<=": "\\le", ">=": "\\ge", "<": "<", ">": ">", "=": "="}


def marked(text: str, space: Space, setter: Setter, place: Place | None = None) -> list[str | Math]:
    """Words, and as formulas what stands between backquotes: tensors, sizes, indices, numbers and signs.

    Raises InputError with the place and the nearest known name.
    """
    pieces = _MARKED.split(text)
    return [formula(piece, space, setter, place) if n % 2 else piece for n, piece in enumerate(pieces) if piece]


def formula(text: str, space: Space, setter: Setter, place: Place | None = None) -> Math:
    """Names, numbers and signs with spaces between them. Raises InputError with the place."""
    words = [_word(word, space, setter, place) for word in text.split()]
    return Math(" ".join(word.latex for word in words), " ".join(word.text for word in words))


def _word(word: str, space: Space, setter: Setter, place: Place | None) -> Math:
    variant, indices = setter.variant, space.region.axis_of
    if word in variant.tensors:
        return setter.tensor(word)
    if word in variant.symbols:
        return setter.symbol(word)
    if word in indices or word in _SIGNS or word.isdecimal():
        return Math(_SIGNS.get(word, word), word)
    raise unknown(f"name in {variant.name}", word, [*variant.tensors, *variant.symbols, *indices], place)


def joined(items: Sequence[Math]) -> list[str | Math]:
    """Formulas with commas, and an `and` before the last."""
    words: list[str | Math] = []
    for number, item in enumerate(items):
        between = " and " if number + 1 == len(items) else ", "
        words += [between, item] if number else [item]
    return words
