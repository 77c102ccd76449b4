"""What brackets mean, computed plainly: the value of nested sums, and what every binary tree costs.

Trees are built by putting in one leaf after another, and costs are lists of index sets, so nothing is shared
with the search of orders or with the kernel's own enumeration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, product
from math import prod
from random import Random

from ..claims import Term

__all__ = ["Bill", "NoBracketing", "TooMany", "bills", "nested_values", "trees"]

Bill = tuple[tuple[str, ...], ...]
"""The indices that each online step visits, sorted: twice the product of their sizes, summed, is a cost."""
Tree = int | tuple["Tree", "Tree"]
Steps = dict[tuple[object, ...], tuple[str, ...]]
_MANY = 12_000
_POINTS = 3_000
_LARGEST = 1 << 61


class TooMany(Exception):
    """There are more choices of bracketings than are looked at."""


class NoBracketing(Exception):
    """Some pairs do not make one tree over all factors."""


def trees(leaves: int) -> Iterator[Tree]:
    """Every binary tree over 0, 1, ...: (2n-3)!! of them. The last leaf is put in at every place there is."""
    if leaves == 1:
        yield 0
    else:
        for tree in trees(leaves - 1):
            yield from _with(tree, leaves - 1)


def _with(tree: Tree, leaf: int) -> Iterator[Tree]:
    yield tree, leaf
    if isinstance(tree, tuple):
        left, right = tree
        yield from ((new, right) for new in _with(left, leaf))
        yield from ((left, new) for new in _with(right, leaf))


def bills(network: Term, chosen: Term) -> list[tuple[Bill, set[Bill]]]:
    """For each group of products: what the chosen trees cost, and what any choice does.

    Groups that could share a step are taken as one. Raises NoBracketing where what is chosen are no trees,
    and TooMany.
    """
    groups = [list(group) for group in network[1]]
    own = [list(trees) for trees in chosen]
    if [*map(len, groups)] != [*map(len, own)]:
        raise NoBracketing("not one tree for each product")
    factors = [reduce(Counter.__or__, (Counter(t for t, *_ in leaves) for leaves, _ in g)) for g in groups]
    if any((one & two).total() > 1 for place, one in enumerate(factors) for two in factors[:place]):
        groups, own = [[*chain(*groups)]], [[*chain(*own)]]
    return [_bills(group, mine) for group, mine in zip(groups, own, strict=True)]


def _bills(group: Sequence[Term], own: Sequence[Term]) -> tuple[Bill, set[Bill]]:
    counts = [prod(range(1, 2 * len(leaves) - 2, 2)) for leaves, _ in group]
    if prod(counts) > _MANY:
        raise TooMany(f"{prod(counts):,} choices of bracketings are too many")
    mine = [_steps(which, _read(tree, len(which[0]))) for which, tree in zip(group, own, strict=True)]
    ways = []
    for which in group:
        every = (_steps(which, tree) for tree in trees(len(which[0])))
        ways.append({frozenset(steps.items()): steps for steps in every}.values())
    return _bill(mine), {_bill(choice) for choice in product(*ways)}


def _read(pairs: Term, leaves: int) -> Tree:
    """The tree that (left, right) bitmasks spell, each bracket used once. Raises NoBracketing."""
    made: dict[int, Tree] = {1 << leaf: leaf for leaf in range(leaves)}
    for left, right in sorted(pairs, key=lambda pair: int(pair[0] | pair[1]).bit_count()):
        if left not in made or right not in made or left == right:
            raise NoBracketing("the brackets do not nest")
        made[left | right] = made.pop(left), made.pop(right)
    if set(made) != {(1 << leaves) - 1}:
        raise NoBracketing("the brackets do not join all factors")
    return made.popitem()[1]


def _steps(which: Term, tree: Tree) -> Steps:
    """What each online step makes -> the indices it visits; a product made twice is there once."""
    leaves, output = which
    found: Steps = {}

    def open_in(inside: frozenset[int]) -> set[str]:
        within = {label for i in inside for label in leaves[i][1]}
        beyond = {label for i, leaf in enumerate(leaves) if i not in inside for label in leaf[1]}
        return within & {*beyond, *output}

    def visit(node: Tree) -> frozenset[int]:
        if isinstance(node, int):
            return frozenset({node})
        left, right = map(visit, node)
        both = left | right
        if any(leaves[i][2] for i in both):
            key = (*sorted(leaves[i] for i in both), *sorted(open_in(both)))
            found.setdefault(key, tuple(sorted(open_in(left) | open_in(right))))
        return both

    visit(tree)
    return found


def _bill(choice: Sequence[Steps]) -> Bill:
    paid: Steps = {}
    for steps in choice:
        paid = {**steps, **paid}
    return tuple(sorted(paid.values()))


def nested_values(nodes: Sequence[Term], random: Random) -> list[int]:
    """The values of nested sums at one place of random tensors.

    Each index has a random length from 1 to 3, the same for one axis of a tensor wherever it stands; entries
    are whole numbers below 2^61.
    """
    lengths = _lengths(nodes, random)
    place = {label: random.randrange(length) for label, length in lengths.items()}
    entries: dict[tuple[str, tuple[int, ...]], int] = {}

    def number(node: Term, at: Mapping[str, int]) -> int:
        head, first, second = node
        if head == "tensor":
            key = first, tuple(at[label] for label in second)
            return entries.setdefault(key, random.randrange(_LARGEST))
        indices = product(*(range(lengths[label]) for label in first))
        return sum(
            prod(number(factor, {**at, **dict(zip(first, index, strict=True))}) for factor in second)
            for index in indices
        )

    return [number(node, place) for node in nodes]


def _lengths(nodes: Sequence[Term], random: Random) -> dict[str, int]:
    groups: dict[str, set[str]] = {}
    axes: dict[tuple[str, int], str] = {}

    def visit(node: Term) -> None:
        head, first, second = node
        for label in first if head == "sum" else second:
            groups.setdefault(label, {label})
        if head == "sum":
            for factor in second:
                visit(factor)
            return
        for place, label in enumerate(second):
            other = axes.setdefault((first, place), label)
            joined = groups[label] | groups[other]
            groups.update(dict.fromkeys(joined, joined))

    for node in nodes:
        visit(node)
    lengths, points = dict.fromkeys(groups, 1), 1
    apart = sorted({tuple(sorted(group)) for group in groups.values()})
    for group in random.sample(apart, len(apart)):
        length = random.choice((1, 2, 2, 3))
        more = points * length ** len(group)
        if more <= _POINTS:
            points = more
            lengths |= dict.fromkeys(group, length)
    return lengths
