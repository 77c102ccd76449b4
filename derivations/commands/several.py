"""Commands about several variants: `NAME:ORDER` words, and the study of each."""

from __future__ import annotations

from typing import Any

from .deployment import program_of
from .options import conventions_of, own_sizes, study_of

__all__ = ["studies_of"]


def studies_of(variants: tuple[str, ...], flags: dict[str, Any]) -> list[tuple[Any, str | None]]:
    """The study of each variant under the same flags, and the order asked for, if any.

    A size may be a symbol of some of them only. Raises InputError for one that none has.
    """
    from ..dims import parse_assignments

    loaded: list[tuple[Any, str | None, dict[str, Any]]] = []
    for text in variants:
        name, order = _split(text)
        own = dict(flags)
        loaded.append((program_of(name, own), order, own))
    symbols = {symbol for variant, _, _ in loaded for symbol in variant.symbols}
    found = []
    for variant, order, own in loaded:
        conventions = conventions_of(own, scope="core")
        parse_assignments(own["assignments"], symbols)
        sizes = {**own, "assignments": own_sizes(own, variant)}
        found.append((study_of(variant, conventions, sizes, quiet=True), order))
    return found


def _split(text: str) -> tuple[str, str | None]:
    name, colon, order = text.rpartition(":")
    return (name, order) if colon and "/" not in order else (text, None)
