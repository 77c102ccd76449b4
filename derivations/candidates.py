"""Candidates: the members of a named set in each product, and the one that stands for the set.

Costs are compared at a few sizes first; only what survives there is compared as polynomials. Products
that can share an intermediate are decided together, the others apart from each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from .atoms import evaluate, free_symbols, put
from .domain import always_at_least
from .poly import Coefficient, Poly, total
from .program import NamedOrder
from .trees import Contraction, Rule, Space, Tree, bracketing, trees

__all__ = ["RULES", "Candidate", "Facts", "groups", "pick", "pool"]


@dataclass(frozen=True, slots=True)
class _Priced:
    """One step: its key, its online FLOPs, and those at the probe sizes."""

    key: str
    cost: Poly
    probes: tuple[Coefficient, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One member of the set in one region."""

    tree: Tree
    steps: tuple[_Priced, ...]
    cost: Poly
    probes: tuple[Coefficient, ...]
    forms: frozenset[str]
    text: str


Facts = tuple[Poly, ...]
_TYPICAL = {"L": 8192, "S": 64, "d_model": 4096, "d_c": 512, "d_q": 1024, "H": 64}
"""Sizes of the first probe; it breaks ties, and 64 stands for every other symbol."""
_PROBES: tuple[tuple[Mapping[str, int], int], ...] = (
    (_TYPICAL, 64),
    ({}, 1),
    ({"L": 1 << 20, "S": 1 << 19}, 3),
    ({"L": 2, "S": 1}, 1000),
)
"""Sizes (and the size of any other symbol) at which costs are compared before anything is proved:
one probe refutes dominance."""


def _probe(cost: Poly) -> tuple[Coefficient, ...]:
    symbols = free_symbols(cost)
    return tuple(evaluate(cost, {n: sizes.get(n, rest) for n in symbols}) or 0 for sizes, rest in _PROBES)


def _sum_probes(parts: Iterable[_Priced]) -> tuple[Coefficient, ...]:
    return tuple(sum(column) for column in zip(*(p.probes for p in parts), strict=True)) or (0,) * len(_PROBES)


def _online(step: Contraction, known: Mapping[str, Poly], elementwise: bool) -> Poly:
    if step.offline or (step.rule is Rule.ELEMENTWISE and not elementwise):
        return Poly()
    return put(step.flops, known)


def _admits(space: Space, tree: Tree, wanted: NamedOrder) -> bool:
    here = {named.name for named in space.region.named}
    if not here & {*wanted.forms, *wanted.avoids}:
        return True
    brackets = {left | right for left, right in tree}
    brackets |= {1 << index for index in range(len(space.region.leaves))}
    for named in space.region.named:
        whole = named.members == space.region.full
        if named.name in wanted.forms and named.members not in brackets:
            return False
        if named.name in wanted.avoids and named.members in brackets and not whole:
            return False
    return True


def pool(space: Space, wanted: NamedOrder, known: Mapping[str, Poly], elementwise: bool) -> list[Candidate]:
    """The members of the set in one region, most named intermediates first."""
    names = {index: leaf.tensor for index, leaf in enumerate(space.region.leaves)}
    costs: dict[tuple[int, int], _Priced] = {}
    found = []
    for tree in trees(len(space.region.leaves)):
        if not _admits(space, tree, wanted):
            continue
        for pair in tree:
            if pair not in costs:
                step = space.step(*pair)
                cost = _online(step, known, elementwise)
                costs[pair] = _Priced(space.key(step.members), cost, _probe(cost))
        # a product used twice in one region is made once
        steps = tuple({costs[pair].key: costs[pair] for pair in tree}.values())
        cost = total(step.cost for step in steps)
        text = bracketing(tree, names)
        found.append(Candidate(tree, steps, cost, _sum_probes(steps), space.formed(tree), text))
    found.sort(key=lambda c: (-len(c.forms), c.probes[0], c.text))
    return found


def groups(regions: Sequence[Space]) -> list[tuple[int, ...]]:
    """Regions that can share a sub-product, together; in order."""
    keys = [_shareable(space) for space in regions]
    groups: list[set[int]] = []
    for index, own in enumerate(keys):
        touching = [g for g in groups if any(own & keys[other] for other in g)]
        merged = {index}.union(*touching)
        groups = [g for g in groups if g not in touching] + [merged]
    return sorted(tuple(sorted(group)) for group in groups)


def _shareable(space: Space) -> frozenset[str]:
    """Keys of the sub-products of two leaves or more that cost something online."""
    full = space.region.full
    return frozenset(
        space.key(mask) for mask in range(1, full + 1) if mask & (mask - 1) and not space.offline(mask)
    )


_FEWEST = "it has the fewest FLOPs of the layer at these sizes"
_UNBEATEN = (
    "no other member is cheaper at every size, and of those it forms most of the intermediates that "
    "the program names"
)
_SETTLED = (
    "no member that brackets one product differently is cheaper at every size; there are too many to compare "
    "all combinations"
)
RULES = (_SETTLED, _UNBEATEN, _FEWEST)
"""Why a member was picked, the weakest reason first."""
_EXACT = 20_000
"""Combinations of candidates up to which every one is compared with every other."""


def pick(pools: list[list[Candidate]], facts: Facts) -> tuple[list[Candidate], str]:
    """One candidate for each region of a group, and the rule that picked it."""
    shared = _shared_keys(pools)
    if all(candidate.cost.constant is not None for pool in pools for candidate in pool):
        combined = [_Joint.of(combo) for combo in product(*(_cheapest(pool, shared) for pool in pools))]
        combined.sort(key=lambda joint: (Fraction(joint.cost.constant or 0), -joint.formed, joint.probes[0]))
        return list(combined[0].combo), _FEWEST
    if prod(map(len, pools)) > _EXACT:
        if max(map(len, pools)) > _LARGE_POOL:
            return _settle(pools, facts), _SETTLED
        pools = [_prune(pool, shared, facts) for pool in pools]
        if prod(map(len, pools)) > _EXACT:
            return _settle(pools, facts), _SETTLED
    combined = [_Joint.of(combo) for combo in product(*pools)]
    combined.sort(key=lambda joint: (-joint.formed, joint.probes[0]))
    for joint in combined:
        if not any(_beats(other, joint, facts) for other in combined):
            return list(joint.combo), _UNBEATEN
    raise AssertionError("dominance is an order, so some member is undominated")


_LARGE_POOL = 1000
"""Candidates of one region beyond which they are not compared pair by pair."""


def _cheapest(pool: list[Candidate], shared: frozenset[str]) -> list[Candidate]:
    """With numbers: the cheapest candidate for each choice of what is shared."""
    best: dict[frozenset[str], Candidate] = {}
    for candidate in pool:
        signature = frozenset(step.key for step in candidate.steps) & shared
        known = best.get(signature)
        if known is None or (candidate.cost.constant or 0) < (known.cost.constant or 0):
            best[signature] = candidate
    return list(best.values())


def _settle(pools: list[list[Candidate]], facts: Facts) -> list[Candidate]:
    """Too many combinations to compare: from the first, change one region at a time while that is better.

    What comes out is beaten by no order that differs in one region only.
    """
    current = [pool[0] for pool in pools]
    changed = True
    while changed:
        changed = False
        for index, pool in enumerate(pools):
            joint = _Joint.of(tuple(current))
            for candidate in pool:
                other = _Joint.of((*current[:index], candidate, *current[index + 1 :]))
                if _beats(other, joint, facts):
                    current[index], joint, changed = candidate, other, True
    return current


@dataclass(frozen=True, slots=True)
class _Joint:
    """One candidate for each region of a group, with what they share counted once."""

    combo: tuple[Candidate, ...]
    steps: tuple[_Priced, ...]
    probes: tuple[Coefficient, ...]
    formed: int

    @classmethod
    def of(cls, combo: tuple[Candidate, ...]) -> _Joint:
        steps = tuple({step.key: step for candidate in combo for step in candidate.steps}.values())
        return cls(combo, steps, _sum_probes(steps), sum(len(c.forms) for c in combo))

    @property
    def cost(self) -> Poly:
        """Summed up when asked: most comparisons end at the probes."""
        return total(step.cost for step in self.steps)


def _shared_keys(pools: list[list[Candidate]]) -> frozenset[str]:
    seen: dict[str, int] = {}
    for pool in pools:
        for key in {step.key for candidate in pool for step in candidate.steps}:
            seen[key] = seen.get(key, 0) + 1
    return frozenset(key for key, count in seen.items() if count > 1)


def _prune(pool: list[Candidate], shared: frozenset[str], facts: Facts) -> list[Candidate]:
    """Without the candidates another one makes useless whatever the other regions choose."""
    groups: dict[frozenset[str], list[Candidate]] = {}
    for candidate in pool:
        signature = frozenset(step.key for step in candidate.steps) & shared
        kept = groups.setdefault(signature, [])
        if any(_never_dearer(other, candidate, facts) for other in kept):
            continue
        kept[:] = [other for other in kept if not _beats(candidate, other, facts)]
        kept.append(candidate)
    return [candidate for kept in groups.values() for candidate in kept]


def _never_dearer(one: Candidate | _Joint, other: Candidate | _Joint, facts: Facts) -> bool:
    """Proved to cost no more at any size; the probes refute most cases before anything is expanded."""
    if any(a > b for a, b in zip(one.probes, other.probes, strict=True)):
        return False
    return always_at_least(other.cost, one.cost, facts)


def _beats(one: Candidate | _Joint, other: Candidate | _Joint, facts: Facts) -> bool:
    """Cheaper somewhere and never dearer."""
    if any(a > b for a, b in zip(one.probes, other.probes, strict=True)):
        return False
    return one.cost != other.cost and _never_dearer(one, other, facts)
