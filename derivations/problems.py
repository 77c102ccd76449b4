"""Errors in the user's input, raised at once or gathered: a command wants the first, a checker wants them
all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import InputError

__all__ = ["AT_ONCE", "Problems"]


class Problems:
    """Where errors go."""

    def __init__(self, gather: bool = False) -> None:
        self.gather = gather
        self.found: list[InputError] = []

    @contextmanager
    def aside(self) -> Iterator[None]:
        """An error in here is noted, and what follows is still looked at; or it is raised."""
        try:
            yield
        except InputError as error:
            if not self.gather:
                raise
            self.found.append(error)


AT_ONCE = Problems()
"""The first error is raised."""
