"""How an object asks a module above it to set it, when Jupyter looks at it.

Setting a formula takes notation and pages, which stand above graphs and costs, and imports go down only. But an
object must show itself wherever it comes from, in a notebook that never imported what sets it. So the types
that show themselves share this base, and the base finds the one module that knows them all by its name, at the
moment it is asked. No other module imports upwards, by name or otherwise.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["Shown", "from_above"]


def from_above(module: str) -> Any:
    """A module that stands above the one that asks."""
    return import_module(f".{module}", __package__)


class Shown:
    """What shows itself in Jupyter; `render.jupyter` says how, and may have nothing to say."""

    __slots__ = ()

    def _repr_latex_(self) -> str | None:
        """As formulas between dollar signs, for MathJax."""
        found: str | None = from_above("render.jupyter").latex(self)
        return found

    def _repr_html_(self) -> str | None:
        """As a table or a paragraph, its formulas between dollar signs."""
        found: str | None = from_above("render.jupyter").html(self)
        return found
