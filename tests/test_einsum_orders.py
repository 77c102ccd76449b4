"""The package's search over the orders of an einsum against searches that share nothing with it.

What the oracle, opt_einsum and cotengra find is FLOPs over two; where each of the two is right, and why
a network is sometimes given to it in another form, stands in `tests/test_networks.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import comb, prod
from random import Random

import pytest
from networks import (
    NONE,
    Members,
    Network,
    Tree,
    canonical,
    connected,
    cost,
    cotengra_optimal,
    joined,
    least,
    least_of_trees,
    linked,
    members,
    network,
    opt_einsum_dp,
    opt_einsum_optimal,
    random_network,
    random_networks,
    random_size,
    summed,
    without_outer,
)

from derivations.atoms import evaluate
from derivations.errors import InputError
from derivations.orders import Found, orders_of_einsum
from derivations.poly import Poly


def orders(
    expression: str, constants: Members = NONE, values: Mapping[str, int] | None = None, outer: bool = True
) -> tuple[Found, ...]:
    """What the package finds."""
    return orders_of_einsum(expression, constants=sorted(constants), values=values, outer=outer).orders


def tree_of(text: str, net: Network) -> Tree:
    """A bracketing as a tree. An operand is called by its indices, the second of two alike `ab#2`."""

    def leaf(word: str) -> int:
        letters, _, number = word.partition("#")
        return [i for i, x in enumerate(net.inputs) if x == letters][int(number or 1) - 1]

    stack: list[list[Tree]] = [[]]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([])
        elif token == ")":
            one, other = stack.pop()
            stack[-1].append((one, other))
        else:
            stack[-1].append(leaf(token))
    ((tree,),) = stack
    assert members(tree) == net.whole
    return canonical(tree)


def the_best(net: Network, constants: Members = NONE, outer: bool = True) -> int:
    """MACs of the one order found at given sizes, once its own bracketing is known to cost as much."""
    (order,) = orders(net.expression, constants, net.sizes, outer)
    assert order.verdict.status == "best"
    flops = order.flops.constant
    assert flops is not None
    tree = tree_of(order.bracketing, net)
    assert flops == 2 * cost(net, tree, constants)
    assert outer or without_outer(net, tree)
    return flops // 2


# At given sizes


def test_the_least_at_given_sizes() -> None:
    for net in random_networks(500, seed=11):
        fewest = least(net)
        assert the_best(net) == fewest, net
        assert cost(net, opt_einsum_dp(net)) == fewest
        assert 2 * fewest == cost(joined(net), cotengra_optimal(joined(net), simplify=False))
        assert cost(net, opt_einsum_optimal(linked(net))) == fewest


def test_the_least_of_all_trees_at_given_sizes() -> None:
    for net in random_networks(80, seed=12, most=6):
        assert the_best(net) == least_of_trees(net), net


def test_the_least_with_constants() -> None:
    rng, gains = Random(13), 0
    for net in random_networks(100, seed=13, most=6):
        constants = frozenset(rng.sample(range(len(net.inputs)), rng.randint(2, len(net.inputs) - 1)))
        fewest = least_of_trees(net, constants=constants)
        assert the_best(net, constants) == fewest, (net, constants)
        gains += fewest < least(net)
    assert gains >= 20


def test_the_least_without_outer_products() -> None:
    losses = 0
    for net in random_networks(150, seed=14, most=6):
        if connected(net, net.sizes):
            fewest = least_of_trees(net, outer=False)
            assert the_best(net, outer=False) == fewest, net
            losses += fewest > least(net)
        else:
            assert least_of_trees(net, outer=False) is None
            with pytest.raises(InputError, match="no order without an outer product"):
                orders(net.expression, values=net.sizes, outer=False)
    assert losses >= 5


def test_indices_of_one_tensor_alone_are_summed_away_for_free() -> None:
    rng = Random(15)
    for number in range(60):
        net = random_network(rng, 3 + number % 4, alone=True)
        fewest = least(summed(net))
        assert the_best(net) == fewest == cost(net, opt_einsum_dp(joined(summed(net)))), net


# Whatever the sizes


def sizes_for(letters: Mapping[str, object], rng: Random) -> dict[str, int]:
    """Sizes from 1 to 64, to 3, or to a million."""
    most = rng.choice([1, 1, 1, 0.25, 3.3])
    return {letter: round(random_size(rng) ** most) for letter in letters}


Terms = list[tuple[int, list[str]]]


def terms_of(flops: Poly) -> Terms:
    """A cost as coefficients, each with its indices."""
    found = []
    for powers, coefficient in flops.powers():
        assert all(exponent >= 1 for exponent in powers.values())
        found.append((coefficient, [name for name, exponent in powers.items() for _ in range(exponent)]))
    return found


def value_of(terms: Terms, sizes: Mapping[str, int]) -> int:
    """What `evaluate` says, sooner."""
    return sum(coefficient * prod(sizes[name] for name in names) for coefficient, names in terms)


def check(
    net: Network, rng: Random, constants: Members = NONE, outer: bool = True, known: str = ""
) -> Counter[str]:
    """All that the orders of an einsum claim, at random sizes and at their witnesses; how many claim what."""
    given = {x: net.sizes[x] for x in net.sizes if x in known}
    found = orders(net.expression, constants, given, outer)
    where = (net.expression, constants, outer, given)
    every = [terms_of(order.flops) for order in found]
    status = [order.verdict.status for order in found]
    assert {"best"} <= set(status) <= {"best", "never", "undecided"}, where
    for turn in range(200 if "never" in status else 30):
        at = Network(net.inputs, net.output, {**sizes_for(net.sizes, rng), **given})
        costs = [value_of(terms, at.sizes) for terms in every]
        if turn == 0:
            assert costs == [evaluate(order.flops, at.sizes) for order in found]
            trees = [tree_of(order.bracketing, net) for order in found]
            assert costs == [2 * cost(at, tree, constants) for tree in trees], where
            assert outer or all(without_outer(net, tree) for tree in trees), where
        lowest = min(costs)
        if turn < 30:
            assert lowest == 2 * least(at, outer=outer, constants=constants), (where, at.sizes)
        if costs.count(lowest) == 1 < len(costs):
            assert status[costs.index(lowest)] != "never", (where, at.sizes)
    check_witnesses(net, found, constants, outer, given)
    return Counter(status)


def check_witnesses(
    net: Network, found: Sequence[Found], constants: Members, outer: bool, given: dict[str, int], most: int = 50
) -> None:
    """At its witness no other order found costs as little as this one, and no tree less (so many are asked)."""
    every = [terms_of(order.flops) for order in found]
    best = [n for n, order in enumerate(found) if order.verdict.status == "best"]
    asked = set(Random(len(best)).sample(best, min(most, len(best))))
    for n in best:
        witness = found[n].verdict.witness or {}
        assert witness or len(given) == len(net.sizes) or len(every) == 1, net.expression
        assert set(witness) <= set(net.sizes)
        assert all(type(size) is int and size >= 1 for size in witness.values())
        at = Network(net.inputs, net.output, {**dict.fromkeys(net.sizes, 1), **witness, **given})
        value = value_of(every[n], at.sizes)
        as_little = [m for m, terms in enumerate(every) if value_of(terms, at.sizes) <= value]
        assert as_little == [n], (net.expression, at.sizes)
        if n in asked:
            assert value == 2 * least(at, outer=outer, constants=constants), (net.expression, at.sizes)


def small_networks(count: int, seed: int) -> Iterator[Network]:
    """Of three to five tensors and at most seven indices."""
    rng = Random(seed)
    found = 0
    while found < count:
        net = random_network(rng, 3 + found % 3)
        if len(net.sizes) <= 7:
            found += 1
            yield net


def test_every_order_that_can_be_best_is_found() -> None:
    rng = Random(21)
    claims = [check(net, rng) for net in small_networks(40, seed=21)]
    assert sum(claim["best"] > 1 for claim in claims) >= 20
    every = sum(claims, Counter())
    assert every["never"] >= 20, every
    assert every["undecided"] <= every.total() / 8, every


def test_so_it_is_with_constants_without_outer_products_and_with_some_sizes_known() -> None:
    rng = Random(22)
    for net in small_networks(15, seed=22):
        constants = frozenset(rng.sample(range(len(net.inputs)), 2))
        check(net, rng, constants)
        if connected(net, net.sizes):
            check(net, rng, outer=False)
            check(net, rng, constants, outer=False)
        check(net, rng, known="".join(rng.sample(sorted(net.sizes), len(net.sizes) // 2)))


@pytest.mark.parametrize(("matrices", "catalan"), [(3, 2), (4, 5), (5, 14), (6, 42), (7, 132), (8, 429)])
def test_every_order_of_a_chain_is_best_somewhere(matrices: int, catalan: int) -> None:
    letters = "abcdefghi"[: matrices + 1]
    expression = ",".join(map("".join, pairwise(letters))) + f"->{letters[0]}{letters[-1]}"
    chain = network(expression, **dict.fromkeys(letters, 1))
    found = orders(expression, outer=False)
    assert len(found) == catalan == comb(2 * matrices - 2, matrices - 1) // matrices
    assert {order.verdict.status for order in found} == {"best"}
    trees = {tree_of(order.bracketing, chain) for order in found}
    assert trees == set(bracketings(0, matrices))
    check_witnesses(chain, found, NONE, False, {})


def bracketings(start: int, stop: int) -> Iterator[Tree]:
    """The trees of a chain that multiply neighbours only."""
    if stop - start == 1:
        yield start
    for middle in range(start + 1, stop):
        for one in bracketings(start, middle):
            for other in bracketings(middle, stop):
                yield one, other


# Facts by hand


def test_six_matrices() -> None:
    chain = network("ab,bc,cd,de,ef,fg->ag", a=30, b=35, c=15, d=5, e=10, f=20, g=25)
    assert the_best(chain) == the_best(chain, outer=False) == 15125


def test_an_outer_product_that_pays() -> None:
    net = network("a,b,abc->c", a=2, b=2, c=3)
    assert (the_best(net), the_best(net, outer=False)) == (16, 18)


@pytest.mark.parametrize(
    ("rows", "tree", "fewest"),
    [
        (163, ((((0, 1), 2), 3), 4), 51_018_989_568),
        (164, (((0, 1), 2), (3, 4)), 51_298_435_072),
    ],
)
def test_scores_of_a_latent_query_change_at_164_rows(rows: int, tree: Tree, fewest: int) -> None:
    net = network("ld,dq,qhk,chk,sc->hls", l=rows, d=7168, q=1536, h=128, k=128, c=512, s=4096)
    assert the_best(net) == fewest
    (order,) = orders(net.expression, values=net.sizes)
    assert tree_of(order.bracketing, net) == tree


def test_one_query_takes_its_values_from_the_context_first() -> None:
    net = network("hls,sd,dhv,hvm->lm", d=4096, m=4096, h=32, v=128, s=2048, l=1)
    assert the_best(net) == 301_989_888
    (order,) = orders(net.expression, values=net.sizes)
    assert tree_of(order.bracketing, net) == (((0, 1), 2), 3)


def test_products_of_constants_are_free() -> None:
    net = network("sd,dk,km->sm", s=1, d=4, k=16, m=4)
    assert (the_best(net), the_best(net, frozenset({1, 2}))) == (128, 16)
