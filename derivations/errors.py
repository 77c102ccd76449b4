"""The errors of the house: one root, and each says what is wrong, where, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["DeriveError", "InputError", "Place", "nearest", "unknown"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands."""

    file: str
    """File name as the user gave it, or the bundled name."""
    line: int | None = None
    """Line, counted from 1."""
    key: str | None = None
    """Dotted path of keys, such as `axes.t.size`."""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return where if not self.key else f"{where} ({self.key})"


class DeriveError(Exception):
    """Root of every error this package raises on purpose."""


class InputError(DeriveError):
    """What the user gave cannot be used. The command line prints it and exits 2."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place
        """Where the input is wrong, when it came from a file."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to `name` whatever its case, or None when nothing is close.

    A query of some hundred characters is no misspelling; it is cut so that the comparison stays
    cheap whatever the user typed.
    """
    lowered: dict[str, str] = {}
    for other in sorted(set(known)):
        lowered.setdefault(other.lower(), other)
    typed = name[:80].lower()
    hits = difflib.get_close_matches(typed, lowered, n=5, cutoff=0.5)
    # letters in another order are the likeliest slip, before the closest match
    swapped = [hit for hit in hits if sorted(hit) == sorted(typed)]
    best = next(iter([*swapped, *hits]), None)
    return lowered[best] if best is not None else None


def unknown(kind: str, name: str, known: Iterable[str], place: Place | None = None) -> InputError:
    """The error for a name nobody knows: says the nearest one, else lists some of those there are."""
    names = sorted(set(known))
    shown = name if len(name) <= 60 else name[:57] + "..."
    hit = nearest(name, names)
    if hit is not None:
        return InputError(f"unknown {kind} {shown!r}; did you mean {hit!r}?", place)
    if not names:
        return InputError(f"unknown {kind} {shown!r}; there is none here", place)
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return InputError(f"unknown {kind} {shown!r}; known: {listed}", place)
