"""What bracketings cost and whether they have one value: the part of the kernel that knows index sums.

A network is sizes of indices and groups of products; a product is leaves (tensor, indices, whether it is
more than a weight) and the indices of its result. A tree is its (left, right) contractions, each side a
bitmask of leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from .claims import Term
from .exact import Poly, data, minus, need, ordered, plus, read, times

__all__ = ["bracketings", "differences", "merged", "paid", "steps"]


def bracketings(mask: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every binary tree over the leaves of a bitmask, as its (left, right) contractions."""
    lowest, part = mask & -mask, mask
    if mask == lowest:
        yield ()
    while part := (part - 1) & mask:
        if part & lowest:
            for one, two in product(bracketings(part), bracketings(mask ^ part)):
                yield (*one, *two, (part, mask ^ part))


def steps(network: Term, which: Term, tree: Term) -> dict[object, Poly]:
    """What each online step of a tree makes -> its FLOPs: twice the points of the indices of its operands."""
    sizes, (leaves, output) = {label: read(p) for label, p in network[0]}, which

    def open_in(mask: int) -> frozenset[str]:
        inner = {x for i, (_, labels, _) in enumerate(leaves) if mask >> i & 1 for x in labels}
        outer = {x for i, (_, labels, _) in enumerate(leaves) if not mask >> i & 1 for x in labels}
        return frozenset(inner & (outer | set(output)))

    made: dict[object, Poly] = {}
    for left, right in tree:
        members = [leaf for i, leaf in enumerate(leaves) if (left | right) >> i & 1]
        if any(online for _, _, online in members):
            points = times({(): Fraction(2)}, *(sizes[x] for x in sorted(open_in(left) | open_in(right))))
            made[frozenset(members), open_in(left | right)] = points
    return made


def differences(network: Term, chosen: Term) -> list[Term]:
    """What each choice of bracketings costs more than the chosen one, every difference but 0 once, in order.

    Each choice of all groups is one of each: no two groups have two tensors in common, so they share no step.
    """
    found = set[Term]()
    for group, own in zip(network[1], chosen, strict=True):
        lists = [[steps(network, p, t) for t in bracketings((1 << len(p[0])) - 1)] for p in group]
        mine = paid([steps(network, p, t) for p, t in zip(group, own, strict=True)])
        found |= {data(minus(paid(choice), mine)) for choice in product(*lists)}
    tensors = [{t for leaves, _ in group for t, _, _ in leaves} for group in network[1]]
    need(all(len(one & two) < 2 for i, one in enumerate(tensors) for two in tensors[:i]), "groups share a step")
    return sorted(found - {()}, key=str)


def paid(choice: Iterable[dict[object, Poly]]) -> Poly:
    cost: Poly = {}
    made: dict[object, Poly] = {}
    for tree in choice:
        for key, points in tree.items():
            cost = cost if key in made else plus(cost, points)
        made |= tree
    return cost


def merged(node: Term) -> Iterator[Term]:
    """A nested sum with one inner sum joined to the sum around it: every other factor lacks its indices."""
    head, summed, factors = node
    for i, inner in enumerate(factors if head == "sum" else ()):
        rest = (*factors[:i], *factors[i + 1 :])
        yield from (("sum", summed, ordered(rest, (other,))) for other in merged(inner))
        if inner[0] == "sum" and not {*inner[1]} & {*summed, *(x for f in rest for x in indices(f))}:
            yield ("sum", ordered(summed, inner[1]), ordered(rest, inner[2]))


def indices(node: Term) -> set[str]:
    return {*node[2]} if node[0] == "tensor" else {*node[1], *(x for f in node[2] for x in indices(f))}
