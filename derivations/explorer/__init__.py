"""The explorer: one page on which sliders move and every number follows, with formulas printed from the engine.

    javascript      polynomials, ratios and roots as JavaScript
    variants        which variants and orders there are, and what is asked of each
    quantities      their quantities, derived with every size free
    controls        what can be set: ranges, steps, start values
    presets         sizes of released models, and the accelerators
    charts          Vega-Lite documents without data
    page            the HTML, from all of these and the scripts under templates/html/explorer

Nothing is typed twice: a formula of the page is an expression of a derivation, printed once as JavaScript and
once as MathML; a meaning is that of `dims` or of the variant's file; a size is that of a checkpoint.
"""

from __future__ import annotations

from .page import Start, explorer_page

__all__ = ["Start", "explorer_page"]
