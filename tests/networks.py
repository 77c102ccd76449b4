"""Small einsums, what their contraction orders cost, and who else searches for the cheapest.

Nothing of the package is used here: this is what its own search over orders is held against.

The cost is counted in multiply-adds (MACs; a FLOP count is twice that). A contraction of two
sub-products visits every point of the indices that survive in either, one MAC a point, whether or not
it sums anything. An index survives in a sub-product while a tensor outside it, or the output, has it.
An index that one tensor has alone and the output lacks survives nowhere: summing it away is additions
only, and those are free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from math import prod
from random import Random

import cotengra
import opt_einsum

Members = frozenset[int]
Tree = int | tuple["Tree", "Tree"]
Step = Callable[["Network", Members, Members], int]
NONE: Members = frozenset()


@dataclass(frozen=True)
class Network:
    """An einsum: the indices of each tensor, those of the output, and how long each index is."""

    inputs: tuple[str, ...]
    output: str
    sizes: dict[str, int]

    @property
    def expression(self) -> str:
        return ",".join(self.inputs) + "->" + self.output

    @property
    def whole(self) -> Members:
        """All tensors, by position."""
        return frozenset(range(len(self.inputs)))


def network(expression: str, /, **sizes: int) -> Network:
    """`network("ab,bc->ac", a=2, b=3, c=4)`."""
    inputs, output = expression.split("->")
    return Network(tuple(inputs.split(",")), output, sizes)


def holders(net: Network, index: str) -> Members:
    """The tensors that have an index."""
    return frozenset(i for i, letters in enumerate(net.inputs) if index in letters)


def random_network(rng: Random, operands: int, *, alone: bool = False) -> Network:
    """A random einsum of so many tensors, each with an index, no index twice in one tensor.

    Two networks in five have no index in more than two tensors, but for one that a tensor without any was
    given; in the others an index may be in several. Some indices are in one tensor and the output, and of
    the output's, three at most, some are shared. Sizes are log-uniform from 1 to 64. With `alone`, and
    only then, some indices are in a single tensor and not in the output, in some networks all of a tensor's.
    """
    letters = "abcdefghijklmn"[: rng.randint(operands - 1, operands + 3)]
    output = rng.sample(letters, min(len(letters), rng.randint(0, 3)))
    several = rng.choice([0, 0, 1, 1, 1])
    held: dict[str, set[int]] = {}
    for letter in letters:
        fewest = 1 if letter in output else 2
        many = rng.choices([fewest, 2, 3, operands], weights=[4, 8, 3 * several, several])[0]
        held[letter] = set(rng.sample(range(operands), many))
    for position in range(operands):
        if not any(position in places for places in held.values()):
            held[rng.choice(letters)].add(position)
    if alone:
        bared = rng.choice([None, rng.randrange(operands)])
        for places in held.values():
            if len(places) > 1:
                places.discard(bared)
        for letter in "xyz"[: rng.randint(1, 3)]:
            held[letter] = {rng.randrange(operands)}
        if bared is not None:
            held["w"] = {bared}
    inputs = []
    for position in range(operands):
        mine = [letter for letter, places in held.items() if position in places]
        rng.shuffle(mine)
        inputs.append("".join(mine))
    return Network(tuple(inputs), "".join(output), {x: random_size(rng) for x in held})


def random_size(rng: Random) -> int:
    """Log-uniform from 1 to 64."""
    return round(2 ** rng.uniform(0, 6))


def random_networks(count: int, seed: int, fewest: int = 3, most: int = 7) -> Iterator[Network]:
    """So many random einsums, of `fewest` to `most` tensors in turn."""
    rng = Random(seed)
    for number in range(count):
        yield random_network(rng, fewest + number % (most - fewest + 1))


def connected(net: Network, indices: Iterable[str]) -> bool:
    """Whether these indices join all the tensors, directly or through others."""
    sets = [holders(net, index) for index in indices]
    reached = frozenset({0})
    for _ in sets:
        reached = reached.union(*(one for one in sets if one & reached))
    return reached == net.whole


def summed(net: Network) -> Network:
    """The same without the indices that survive nowhere; a tensor of no others is left with none."""
    alone = {x for x in net.sizes if len(holders(net, x)) == 1 and x not in net.output}
    inputs = tuple("".join(x for x in letters if x not in alone) for letters in net.inputs)
    return Network(inputs, net.output, {x: size for x, size in net.sizes.items() if x not in alone})


def joined(net: Network) -> Network:
    """The same with one more index, of size 2, in every tensor and the output: every tree costs twice as much.

    A search that begins by parting a network where no index joins its tensors has nothing to part here.
    """
    return Network(tuple(x + "Z" for x in net.inputs), net.output + "Z", {**net.sizes, "Z": 2})


def linked(net: Network) -> Network:
    """The same with an index of size 1 shared by each pair of tensors: every tree costs the same.

    A search that counts twice what sums something, and once what does not, counts all twice here.
    """
    pairs = list(combinations(range(len(net.inputs)), 2))
    names = {pair: chr(ord("A") + number) for number, pair in enumerate(pairs)}
    inputs = [x + "".join(n for pair, n in names.items() if i in pair) for i, x in enumerate(net.inputs)]
    return Network(tuple(inputs), net.output, {**net.sizes, **dict.fromkeys(names.values(), 1)})


# Trees and what they cost


def _splits(leaves: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every way to part some leaves in two; the first leaf is always on the left."""
    first, rest = leaves[0], leaves[1:]
    for count in range(len(rest)):
        for chosen in combinations(rest, count):
            yield (first, *chosen), tuple(x for x in rest if x not in chosen)


def _trees(leaves: tuple[int, ...]) -> Iterator[Tree]:
    if len(leaves) == 1:
        yield leaves[0]
        return
    for left, right in _splits(leaves):
        for one in _trees(left):
            for other in _trees(right):
                yield one, other


@cache
def all_trees(operands: int) -> tuple[Tree, ...]:
    """Every binary tree over the tensors: 1, 3, 15, 105, 945, 10395 of them for 2 to 7."""
    return tuple(_trees(tuple(range(operands))))


def members(tree: Tree) -> Members:
    """The tensors under a tree."""
    return frozenset([tree]) if isinstance(tree, int) else members(tree[0]) | members(tree[1])


def canonical(tree: Tree) -> Tree:
    """The same with the lower of two first tensors on the left, as in `all_trees`."""
    if isinstance(tree, int):
        return tree
    one, other = sorted(map(canonical, tree), key=lambda part: min(members(part)))
    return one, other


def contractions(tree: Tree) -> Iterator[tuple[Members, Members]]:
    """The two sub-products of each contraction, those of the operands first."""
    if not isinstance(tree, int):
        yield from contractions(tree[0])
        yield from contractions(tree[1])
        yield members(tree[0]), members(tree[1])


@cache
def _all_contractions(operands: int) -> tuple[tuple[tuple[Members, Members], ...], tuple[tuple[int, ...], ...]]:
    """Every contraction that is in a tree, and every tree as the numbers of its contractions."""
    number: dict[tuple[Members, Members], int] = {}
    trees = tuple(
        tuple(number.setdefault(pair, len(number)) for pair in contractions(tree))
        for tree in all_trees(operands)
    )
    return tuple(number), trees


def surviving(net: Network, part: Members) -> frozenset[str]:
    """The indices of a sub-product that a tensor outside it, or the output, needs."""
    return _surviving(net.inputs, net.output, part)


@lru_cache(maxsize=1000)
def _surviving(inputs: tuple[str, ...], output: str, part: Members) -> frozenset[str]:
    inside = {x for i in part for x in inputs[i]}
    outside = {x for i, letters in enumerate(inputs) if i not in part for x in letters}
    return frozenset(inside & (outside | set(output)))


def macs(net: Network, left: Members, right: Members) -> int:
    """What one contraction costs."""
    return prod(net.sizes[x] for x in surviving(net, left) | surviving(net, right))


def shares(net: Network, left: Members, right: Members) -> bool:
    """Whether an index survives in both, so that their contraction is not an outer product."""
    return bool(surviving(net, left) & surviving(net, right))


def cost(net: Network, tree: Tree, constants: Members = NONE, step: Step = macs) -> int:
    """What a tree costs; a product of constants alone is free."""
    return sum(step(net, *pair) for pair in contractions(tree) if not pair[0] | pair[1] <= constants)


def path_of(tree: Tree, operands: int) -> list[tuple[int, int]]:
    """The contractions of a tree by number: tensors are numbered first, each product after what it needs."""
    number: dict[Members, int] = {frozenset([i]): i for i in range(operands)}
    path = []
    for left, right in contractions(tree):
        path.append((number[left], number[right]))
        number[left | right] = len(number)
    return path


def without_outer(net: Network, tree: Tree) -> bool:
    """Whether no contraction of a tree is an outer product."""
    return all(shares(net, *pair) for pair in contractions(tree))


def least_of_trees(
    net: Network, *, outer: bool = True, constants: Members = NONE, step: Step = macs
) -> int | None:
    """The least cost of all trees, each of them priced; None when there is none without outer products."""
    pairs, trees = _all_contractions(len(net.inputs))
    price = [0 if one | other <= constants else step(net, one, other) for one, other in pairs]
    barred = set() if outer else {i for i, pair in enumerate(pairs) if not shares(net, *pair)}
    return min((sum(price[i] for i in tree) for tree in trees if barred.isdisjoint(tree)), default=None)


def least(net: Network, *, outer: bool = True, constants: Members = NONE, step: Step = macs) -> int | None:
    """The same by a search over subsets of the tensors, which is fast enough for eight."""
    found: dict[tuple[int, ...], int | None] = {}

    def of(leaves: tuple[int, ...]) -> int | None:
        if len(leaves) == 1:
            return 0
        if leaves not in found:
            options = []
            for left, right in _splits(leaves):
                one, other = of(left), of(right)
                pair = frozenset(left), frozenset(right)
                if one is not None and other is not None and (outer or shares(net, *pair)):
                    free = pair[0] | pair[1] <= constants
                    options.append(one + other + (0 if free else step(net, *pair)))
            found[leaves] = min(options, default=None)
        return found[leaves]

    return of(tuple(range(len(net.inputs))))


# The searches of others, each asked for its path, as a tree


def _tree_of(path: Iterable[Sequence[int]], operands: int) -> Tree:
    """The tree of a path, which names operands by place in a list that loses them and gains their product."""
    held: list[Tree] = list(range(operands))
    for places in path:
        parts = [held.pop(place) for place in sorted(places, reverse=True)]
        assert len(parts) <= 2, path
        held.append(parts[0] if len(parts) == 1 else (parts[0], parts[1]))
    (tree,) = held
    return canonical(tree)


def _opt_einsum(net: Network, search: object) -> Tree:
    shapes = [tuple(net.sizes[x] for x in letters) for letters in net.inputs]
    path, _ = opt_einsum.contract_path(net.expression, *shapes, shapes=True, optimize=search)
    return _tree_of(path, len(net.inputs))


def opt_einsum_dp(net: Network, *, outer: bool = True) -> Tree:
    """opt_einsum's dynamic programming."""
    return _opt_einsum(net, opt_einsum.DynamicProgramming(minimize="flops", search_outer=outer))


def opt_einsum_optimal(net: Network) -> Tree:
    """opt_einsum's exhaustive search."""
    return _opt_einsum(net, "optimal")


def cotengra_optimal(net: Network, *, outer: bool = True, simplify: bool = True) -> Tree:
    """cotengra's optimal search; unless told not to, it first makes the products it takes for certain."""
    search = cotengra.OptimalOptimizer(minimize="flops", search_outer=outer, simplify=simplify, accel=False)
    return _tree_of(search(net.inputs, net.output, net.sizes), len(net.inputs))
