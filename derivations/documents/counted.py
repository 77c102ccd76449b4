"""Products written out by hand, one einsum a step: what a document multiplies in an order of its own."""

from __future__ import annotations

from collections.abc import Set

from ..einsum import parse_einsum
from ..expr import parse_size
from ..graph import Graph
from ..poly import Poly, total
from ..trees import Phase, Sizes, Space
from ..yamlfile import Entry
from .formulas import check_formula

__all__ = ["chain_flops"]


def chain_flops(chain: Entry, sizes: Entry, symbols: Set[str]) -> Poly:
    """FLOPs of a list of products of two, such as `hst,td->hsd`, by the rule for contractions.

    `sizes` says what each letter is. Raises InputError for a letter without a size.
    """
    known = sizes.mapping()
    counted: list[Poly] = []
    for step in chain.items():
        with step.blamed():
            parsed = parse_einsum(step.text())
        if len(parsed.operands) != 2:
            raise step.fail("a step multiplies two things, as in hst,td->hsd")
        images: dict[str, Poly] = {}
        for letter in parsed.letters:
            if letter not in known:
                raise step.fail(f"the letter {letter} has no size; say it under `sizes`, as in {{{letter}: L}}")
            check_formula(known[letter], symbols)
            images[letter] = parse_size(known[letter].text(), known[letter].place)
        counted.append(_flops(parsed.graph()).map_symbols(images.get))
    return total(counted)


def _flops(graph: Graph) -> Poly:
    space = Space(graph, graph.regions[0], Sizes(Phase.VERIFY, "full", Poly.const(1)))
    return space.step(1, 2).flops
