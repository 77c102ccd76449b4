"""Who else is asked about a claim: exact random evaluation always; z3, and numpy on the order, on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from .graph import Graph
from .judging import Judgement, judged
from .points import Domain
from .quantities import Assertion
from .trees import Phase, Tree, trees
from .witnesses.opinion import Opinion

__all__ = ["Weighed", "opinions_on", "weighed"]

Weighed = tuple[Judgement, tuple[Opinion, ...]]
"""A verdict, and whether others agree with it."""

_MOST = 120
"""Orders that are run for one claim."""


def weighed(assertions: Iterable[Assertion]) -> list[Weighed]:
    """Each claim with its verdict and the opinions that need nothing installed."""
    return [(judgement, opinions_on(judgement)) for judgement in judged(assertions)]


def opinions_on(judgement: Judgement, thorough: bool = False) -> tuple[Opinion, ...]:
    """Whether others agree with a verdict; what is open is not asked about.

    With `thorough`, those that need optional packages are asked too.
    """
    assertion = judgement.assertion
    if judgement.status == "open":
        return ()
    value = assertion.claim.statement[0] == "value"
    if judgement.recorded and not thorough:
        return judgement.recorded
    from .witnesses.evaluation import random_opinion

    found = [random_opinion(assertion.claim)]
    if thorough and not value:  # what brackets compute is nothing that z3 could be asked
        from .witnesses.smt import z3_opinion

        found.append(z3_opinion(assertion.claim))
    if judgement.status == "refuted":
        found = [replace(o, agrees=None if o.agrees is None else not o.agrees) for o in found]
    if thorough and assertion.order is not None:
        found.append(_run(*assertion.order, every=value))
    return tuple(found)


def _run(graph: Graph, phase: Phase, order: Sequence[Tree], every: bool) -> Opinion:
    """The order run on random arrays at small sizes, and with `every` all bracketings of its products."""
    sizes = _sizes(graph, phase)
    if sizes is None:
        return Opinion("numpy", None, "no small sizes satisfy the assumptions")
    orders = [order, *_all_orders(graph)][:_MOST] if every else [order]
    from .witnesses.execution import numpy_opinion

    return numpy_opinion(graph, orders, sizes)


def _all_orders(graph: Graph) -> Iterator[tuple[Tree, ...]]:
    """Orders among which each product has each of its bracketings."""
    choices = [trees(len(region.leaves)) for region in graph.regions]
    for place in range(max(map(len, choices))):
        yield tuple(found[place % len(found)] for found in choices)


def _sizes(graph: Graph, phase: Phase) -> dict[str, int] | None:
    """Small sizes, no two alike where that can be."""
    variant = graph.variant
    names = [name for name in variant.symbols if name not in ("b", "B")]
    domain = Domain(names, variant.facts, [axis.size for axis in variant.axes.values()])
    wanted = {name: 2 + place % 3 for place, name in enumerate(names)} | {"L": 5, "S": 3, "b": 2, "B": 1}
    if phase is Phase.DECODE:
        wanted["S"] = 1
    elif phase is Phase.PREFILL:
        wanted["S"] = wanted["L"]
    return domain.repaired({**wanted, **{name: wanted.get(name, 2) for name in domain.symbols}})
