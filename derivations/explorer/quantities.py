"""The quantities of the page: derived for each way the switches stand, printed as JavaScript and MathML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Ratio
from ..atoms import free_symbols
from ..crossover import Solution
from ..derivation import Derivation, crossover_of, derive
from ..errors import InputError
from ..notation import Notation
from ..pages.crossover import condition_math, root_math
from ..poly import Poly
from ..regimes import cross_in_regimes
from ..render.mathml import one
from ..roofline import RIDGE, Kernel, kernels
from .javascript import expression, longest_of, root
from .variants import ROWS, SCOPES_SHOWN, Switches, settings_of

__all__ = ["LAYERS", "Book", "indexer_of", "quantities"]

LAYERS = "layers"
"""The symbol for how many layers carry the attention."""


@dataclass(slots=True)
class Book:
    """Every formula once: what differs between switches is mostly the same text."""

    functions: dict[str, int] = field(default_factory=dict)
    """JavaScript over `v` -> its number."""
    formulas: dict[str, int] = field(default_factory=dict)
    """MathML -> its number."""
    symbols: set[str] = field(default_factory=set)
    """Plain symbols that some function reads."""

    def function(self, text: str, *read: Poly) -> int:
        """The number of a function."""
        self.symbols.update(*(free_symbols(poly) for poly in read))
        return self.functions.setdefault(text, len(self.functions))

    def amount(self, poly: Poly) -> int:
        """The number of a polynomial's function."""
        return self.function(expression(poly), poly)

    def formula(self, latex: str, text: str) -> int:
        """The number of a formula; its plain text where no MathML can be made."""
        return self.formulas.setdefault(one(latex, text), len(self.formulas))

    def quantity(self, quantity: Poly | Ratio, notation: Notation) -> int:
        """The number of a quantity's formula."""
        return self.formula(notation.latex(quantity), notation.text(quantity))


def quantities(book: Book) -> dict[str, Any]:
    """Switches and scope -> row -> quantity -> number of its function and of its formula, and the crossings."""
    sets: dict[str, Any] = {}
    for switches in settings_of():
        found = {row.key: derive(switches.study(row.variant), row.order) for row in ROWS}
        crossing = _crossing(switches, found, book)
        indexer = _indexer(found["dsa"].under(scope="layer"), book)
        for scope in SCOPES_SHOWN:
            rows = {key: _row(derivation.under(scope=scope), book) for key, derivation in found.items()}
            sets[switches.key(scope)] = {"rows": rows, "indexer": indexer, "crossing": crossing}
    return sets


def _row(derivation: Derivation, book: Book) -> dict[str, Any]:
    notation = Notation.of(derivation.study.variant.symbols, None, "verify")
    gap = derivation.flops - derivation.bytes * RIDGE
    timed = [(k.flops, k.bytes * RIDGE) for k in kernels(derivation.cost)]
    kept = derivation.kept
    layer = kept.bytes + kept.state_bytes
    whole = layer * Poly.symbol("B") * Poly.symbol(LAYERS)
    ratio = derivation.intensity
    assert ratio is not None, "every scope shown moves bytes"
    return {
        "flops": _shown(derivation.flops, notation, book),
        "bytes": _shown(derivation.bytes, notation, book),
        "intensity": _ratio(ratio, notation, book),
        "time": {"f": book.function(longest_of(timed), *(part for pair in timed for part in pair))},
        "gap": {"f": book.amount(gap)},
        "ridge": _ridge(derivation, notation, book),
        "layer": _shown(layer, notation, book),
        "cache": {"f": book.amount(whole)},
    }


def _shown(poly: Poly, notation: Notation, book: Book) -> dict[str, int]:
    return {"f": book.amount(poly), "m": book.quantity(poly, notation)}


def _ratio(ratio: Ratio, notation: Notation, book: Book) -> dict[str, int]:
    return {
        "f": book.function(expression(ratio), ratio.over, ratio.under),
        "m": book.quantity(ratio, notation),
    }


def _ridge(derivation: Derivation, notation: Notation, book: Book) -> dict[str, Any]:
    """The S at which arithmetic and memory take equally long, or why there is no formula for it."""
    sides = (derivation.flops, derivation.bytes * RIDGE)
    try:
        found = cross_in_regimes(*sides, "S", ("memory", "arithmetic"), derivation.study.variant.facts)
    except InputError as error:
        return {"why": str(error).partition(";")[0]}
    return {"solutions": [_solution(solution, notation, book, long=False) for solution in found.solutions]}


def _indexer(derivation: Derivation, book: Book) -> dict[str, Any]:
    """The kernel that scores every row so that DSA can select some; no scope but `layer` counts it."""
    kernel = indexer_of(derivation)
    notation = Notation.of(derivation.study.variant.symbols, None, "verify")
    both = (kernel.flops, kernel.bytes * RIDGE)
    return {
        "flops": _shown(kernel.flops, notation, book),
        "bytes": _shown(kernel.bytes, notation, book),
        "intensity": _ratio(Ratio(kernel.flops, kernel.bytes), notation, book),
        "time": {"f": book.function(longest_of([both]), *both)},
        "gap": {"f": book.amount(both[0] - both[1])},
    }


def indexer_of(derivation: Derivation) -> Kernel:
    """The indexer's kernel of a derivation of scope layer."""
    return next(kernel for kernel in kernels(derivation.cost) if kernel.name == "indexer")


def _crossing(switches: Switches, found: Mapping[str, Derivation], book: Book) -> dict[str, Any]:
    """Absorb against expand in S: FLOPs of scope attention, whatever the scope shown."""
    names = ("absorb", "expand")
    study = switches.study("mla+rope").under(scope="attention")
    crossing = crossover_of(study, *names, "S")
    # the costs once more with B, which cancels where they meet
    costs = {name: found[name].under(scope="attention").flops for name in names}
    notation = Notation.of(study.variant.symbols, None, "verify")
    return {
        "costs": {name: _shown(cost, notation, book) for name, cost in costs.items()},
        "names": crossing.names,
        "difference": book.amount(crossing.difference),
        "solutions": [_solution(solution, notation, book) for solution in crossing.solutions],
    }


def _solution(solution: Solution, notation: Notation, book: Book, long: bool = True) -> dict[str, Any]:
    """Where two amounts meet, and the conditions under which they do.

    With a square root in it the formula has a sum of some twenty terms under the root, and is left out
    unless `long`; its number is not.
    """
    found = solution.root
    shown: dict[str, Any] = {
        "f": book.function(root(found), found.p, found.q, found.r),
        "conditions": [{"f": book.amount(one.slack)} for one in solution.conditions],
        "below": solution.below,
        "above": solution.above,
    }
    if found.q and not long:
        return shown
    math = root_math(found, notation)
    shown["m"] = book.formula(math.latex, math.text)
    for line, condition in zip(shown["conditions"], solution.conditions, strict=True):
        math = condition_math(condition, notation)
        line["m"] = book.formula(math.latex, math.text)
    if found.q:
        shown["under"] = book.formula(notation.latex_sum(found.q), notation.text_sum(found.q))
    if solution.limit is not None:
        shown["limit"] = _ratio(solution.limit, notation, book)
    return shown
