"""What bracketings cost and whether they have one value: the part of the kernel that knows index sums.

A network is sizes of indices and groups of products; a product is leaves (tensor, indices, whether it is
more than a weight) and the indices of its result. A tree is its (left, right) contractions, each side a
bitmask of leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product

from ..claims import Term
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


def is_tree(leaves: int, tree: Term) -> bool:
    """Whether contractions join leaves, two at a time, until one is left."""
    open_ = {1 << i for i in range(leaves)}
    for left, right in tree:
        need(left != right and {left, right} <= open_, "not a bracketing")
        open_ = (open_ - {left, right}) | {left | right}
    return len(open_) == 1


def steps(network: Term, which: Term, tree: Term) -> dict[object, Poly]:
    """What each online step of a tree makes -> its FLOPs: twice the points of the indices of its operands."""
    sizes, (leaves, output) = {label: read(p) for label, p in network[0]}, which

    def open_in(mask: int) -> frozenset[str]:
        inner = {x for i, (_, labels, _) in enumerate(leaves) if mask >> i & 1 for x in labels}
        outer = {x for i, (_, labels, _) in enumerate(leaves) if not mask >> i & 1 for x in labels}
        return frozenset(inner & (outer | set(output)))

    made: dict[object, Poly] = {}
    for left, right in tree:
        members = sorted((leaf for i, leaf in enumerate(leaves) if (left | right) >> i & 1), key=str)
        if any(online for _, _, online in members):
            points = times({(): 2}, *(sizes[x] for x in sorted(open_in(left) | open_in(right))))
            made.setdefault((*members, open_in(left | right)), points)
    return made


def differences(network: Term, chosen: Term) -> list[Term]:
    """What each choice of bracketings costs more than the chosen one, every difference but 0 once, in order.

    Each choice of all groups is one of each: no two groups have two tensors in common, so they share no step.
    """
    found = set[Term]()
    need(len({label for label, _ in network[0]}) == len(network[0]), "an index of two sizes")
    leaves = {leaf[:2] for group in network[1] for product_ in group for leaf in product_[0]}
    counted = [len(p[0]) == len({t for t, _, _ in p[0]}) for group in network[1] for p in group]
    need(all(counted) and len(leaves) == len({t for t, _ in leaves}), "a tensor under two sets of indices")
    need(all(len(p[0]) <= 8 for group in network[1] for p in group), "too many bracketings")
    for group, own in zip(network[1], chosen, strict=True):
        need(all(is_tree(len(p[0]), t) for p, t in zip(group, own, strict=True)), "not a bracketing")
        lists = [[steps(network, p, t) for t in bracketings((1 << len(p[0])) - 1)] for p in group]
        mine = paid([steps(network, p, t) for p, t in zip(group, own, strict=True)])
        found |= {data(minus(paid(choice), mine)) for choice in product(*lists)}
    tensors = [[Counter(t for t, _, _ in leaves) for leaves, _ in group] for group in network[1]]
    both = (a & b for one, two in combinations(tensors, 2) for a, b in product(one, two))
    need(all(shared.total() < 2 for shared in both), "groups share a step")
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
