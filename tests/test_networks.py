"""The least cost of an einsum, found four ways without the package, and where those of others are wrong.

Every tree is priced; a search over subsets of the tensors finds the same; opt_einsum and cotengra search
for themselves, and the price of what they find is ours (`tests/networks.py`).

What they are asked decides what they are right about:

- opt_einsum's dynamic programming is exact, but for a tensor whose indices are all summed away at once:
  it multiplies that number by the result, whatever else is shorter.
- cotengra's search is exact where the tensors hang together. It drops indices of size 1 and those in all
  tensors, searches each connected part by itself and multiplies what the parts leave, so that it misses a
  product across parts; a tensor that was left with no index is put into one with the fewest indices, not
  with the fewest numbers. With an index of size 2 in all tensors and the output, and without its
  simplifications, there is one part, and it is exact.
- opt_einsum's `optimal` counts a point once where nothing is summed and twice where something is, so it
  is exact for another cost. And it remembers a product of two by their indices alone, although what is
  left of an index in three or more tensors depends on what is still to come, so there it is not exact for
  its own cost either. With an index of size 1 in each pair of tensors every contraction sums something,
  no two products have the same indices, and it is exact.

So each is compared on all networks in the form in which it is exact, and as it is wherever it is right.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, prod
from random import Random

import cotengra
import pytest
from networks import (
    Members,
    Network,
    Tree,
    all_trees,
    canonical,
    connected,
    cost,
    cotengra_optimal,
    holders,
    joined,
    least,
    least_of_trees,
    linked,
    macs,
    members,
    network,
    opt_einsum_dp,
    opt_einsum_optimal,
    path_of,
    random_network,
    random_networks,
    summed,
    surviving,
    without_outer,
)

NETWORKS = list(random_networks(500, seed=1))
LEAST = [least(net) for net in NETWORKS]


def hangs_together(net: Network) -> bool:
    """Whether cotengra sees one connected network: by indices longer than 1 that are not in every tensor."""
    return connected(net, [x for x, n in net.sizes.items() if n > 1 and holders(net, x) != net.whole])


def only_pairs(net: Network) -> bool:
    """Whether no index is in three or more tensors."""
    return all(len(holders(net, x)) <= 2 for x in net.sizes)


def own_count(net: Network, left: Members, right: Members) -> int:
    """One contraction as opt_einsum's `optimal` counts it: a point twice where something is summed."""
    shared = surviving(net, left) & surviving(net, right)
    return macs(net, left, right) * (2 if shared - surviving(net, left | right) else 1)


def dearer(search: Callable[[Network], Tree]) -> list[Network]:
    """The networks where a search finds no cheapest tree; it never finds a cheaper one."""
    found = [cost(net, search(net)) for net in NETWORKS]
    assert all(price >= fewest for price, fewest in zip(found, LEAST, strict=True))
    return [net for net, price, fewest in zip(NETWORKS, found, LEAST, strict=True) if price > fewest]


# The trees and their prices


def test_every_tree_is_there_once() -> None:
    # (2n - 3)!!: a tensor more can be put above any of the 2n - 1 nodes of a tree over n
    for operands in range(1, 8):
        trees = all_trees(operands)
        assert len(set(map(canonical, trees))) == len(trees) == prod(range(2 * operands - 3, 1, -2))
        assert set(map(canonical, trees)) == set(trees)
        assert {members(tree) for tree in trees} == {frozenset(range(operands))}


def test_networks_are_of_every_kind() -> None:
    for net in NETWORKS:
        assert 3 <= len(net.inputs) <= 7
        assert all(letters and len(set(letters)) == len(letters) for letters in net.inputs)
        assert len(net.output) == len(set(net.output)) <= 3
        assert all(1 <= size <= 64 for size in net.sizes.values())
        assert summed(net) == net
        assert set(net.sizes) == set("".join(net.inputs))
    kinds = {
        "three tensors": [not only_pairs(net) for net in NETWORKS],
        "only pairs": [only_pairs(net) for net in NETWORKS],
        "one tensor": [any(len(holders(net, x)) == 1 for x in net.output) for net in NETWORKS],
        "batch": [any(len(holders(net, x)) > 1 for x in net.output) for net in NETWORKS],
        "number": [not net.output for net in NETWORKS],
        "size 1": [1 in net.sizes.values() for net in NETWORKS],
        "in parts": [not connected(net, net.sizes) for net in NETWORKS],
        "outer product is best": [
            (without := least(net, outer=False)) is not None and without > fewest
            for net, fewest in zip(NETWORKS, LEAST, strict=True)
        ],
    }
    assert min(map(sum, kinds.values())) >= 20, {kind: sum(found) for kind, found in kinds.items()}


def test_a_tree_costs_what_cotengra_says() -> None:
    rng = Random(2)
    for net in NETWORKS:
        operands = len(net.inputs)
        tree = rng.choice(all_trees(operands))
        path = path_of(tree, operands)
        theirs = cotengra.ContractionTree.from_path(net.inputs, net.output, net.sizes, ssa_path=path)
        assert theirs.contraction_cost() == cost(net, tree), (net, tree)


@pytest.mark.parametrize(("most", "count"), [(6, 160), (7, 5)])
def test_subsets_find_what_all_trees_find(most: int, count: int) -> None:
    rng = Random(3)
    for net in random_networks(count, seed=3, fewest=3 if most < 7 else 7, most=most):
        weights = frozenset(rng.sample(range(len(net.inputs)), rng.randint(2, len(net.inputs))))
        assert least(net) == least_of_trees(net)
        assert least(net, outer=False) == least_of_trees(net, outer=False)
        assert least(net, constants=weights) == least_of_trees(net, constants=weights)


# The searches of others, on every network in the form in which they are exact


def test_opt_einsum_dp_finds_the_least() -> None:
    assert not dearer(opt_einsum_dp)


def test_cotengra_finds_the_least_of_a_network_of_one_part() -> None:
    assert not dearer(lambda net: cotengra_optimal(joined(net), simplify=False))


def test_opt_einsum_optimal_finds_the_least_where_all_contractions_sum() -> None:
    assert not dearer(lambda net: opt_einsum_optimal(linked(net)))


def test_the_forms_cost_what_the_networks_cost() -> None:
    rng = Random(4)
    for net in NETWORKS[:100]:
        tree = rng.choice(all_trees(len(net.inputs)))
        assert cost(joined(net), tree) == 2 * cost(net, tree)
        assert cost(linked(net), tree) == cost(net, tree)
        assert 2 * cost(linked(net), tree) == cost(linked(net), tree, step=own_count)


# As they are: right there, and wrong only elsewhere


def test_cotengra_finds_the_least_where_the_tensors_hang_together() -> None:
    assert sum(map(hangs_together, NETWORKS)) >= 250
    missed = dearer(cotengra_optimal)
    assert missed
    assert not any(map(hangs_together, missed))


def test_opt_einsum_optimal_finds_the_least_of_its_own_count_where_indices_are_in_pairs() -> None:
    assert sum(map(only_pairs, NETWORKS)) >= 150
    missed = []
    for net, fewest in zip(NETWORKS, LEAST, strict=True):
        tree, best = opt_einsum_optimal(net), least(net, step=own_count)
        if cost(net, tree, step=own_count) > best:
            missed.append(net)
        else:  # no more than twice as dear: between one and two of its operations are one of ours
            assert fewest <= cost(net, tree) <= 2 * fewest
    assert missed
    assert not any(map(only_pairs, missed))
    # Its own cheapest is not ours, in pairs or not.
    assert any(map(only_pairs, dearer(opt_einsum_optimal)))


def test_indices_that_one_tensor_has_alone_are_summed_away_for_free() -> None:
    rng, missed = Random(5), []
    for number in range(200):
        net = random_network(rng, 3 + number % 4, alone=True)
        bare, fewest = summed(net), least(net)
        assert bare != net
        assert least(bare) == least_of_trees(net) == fewest
        assert cost(net, opt_einsum_dp(joined(bare))) == fewest
        assert cost(net, cotengra_optimal(joined(bare), simplify=False)) == fewest
        if hangs_together(bare):
            assert cost(net, cotengra_optimal(net)) == fewest
        if cost(net, opt_einsum_dp(net)) != fewest:
            missed.append(bare)
    assert missed
    assert all("" in bare.inputs for bare in missed)


def test_without_outer_products_they_find_the_least() -> None:
    # cotengra sees no index of size 1, so there is none here, and it would search parts by themselves.
    # opt_einsum takes an index that the output has for none, and so parts a network where we do not.
    by_cotengra = by_opt_einsum = 0
    for net in NETWORKS:
        longer = Network(net.inputs, net.output, {x: max(2, size) for x, size in net.sizes.items()})
        if connected(longer, longer.sizes):
            tree = cotengra_optimal(longer, outer=False, simplify=False)
            assert without_outer(longer, tree)
            assert cost(longer, tree) == least(longer, outer=False)
            by_cotengra += 1
        else:
            assert least(longer, outer=False) is None
        inner = [x for x in net.sizes if x not in net.output]
        if connected(net, inner) and all(len(holders(net, x)) == 1 for x in net.output):
            tree = opt_einsum_dp(net, outer=False)
            assert without_outer(net, tree)
            assert cost(net, tree) == least(net, outer=False)
            by_opt_einsum += 1
    assert by_cotengra >= 400
    assert by_opt_einsum >= 100


# Each mistake by hand, on a small network


def test_opt_einsum_optimal_counts_an_outer_product_half() -> None:
    net = network("a,b,abc->c", a=3, b=3, c=2)  # every index in two at most, output included
    outer, other = ((0, 1), 2), ((0, 2), 1)
    assert cost(net, outer) == 9 + 18  # ab; abc
    assert cost(net, other) == 18 + 6  # abc, leaving bc; bc
    assert least(net) == 24
    # It counts 9 + 2*18 = 45 against 2*18 + 2*6 = 48.
    assert cost(net, outer, step=own_count) == 45
    assert cost(net, other, step=own_count) == 48
    assert opt_einsum_optimal(net) == outer
    assert cost(net, opt_einsum_dp(net)) == cost(net, cotengra_optimal(net)) == 24
    assert cost(net, opt_einsum_optimal(linked(net))) == 24


def test_opt_einsum_optimal_forgets_who_needs_an_index() -> None:
    # a is in three tensors. The two `ab` first: 800 points with nothing summed, since the vector needs a;
    # then 8,000 for abc, summing b, and 400 for ac.
    net = network("a,ab,ab,bc->c", a=40, b=20, c=10)
    found, best = (0, ((1, 2), 3)), (((0, 1), 2), 3)
    assert cost(net, found) == 800 + 8000 + 400
    # The vector into either `ab` 800, the other 800, leaving b; and bc.
    assert cost(net, best) == 800 + 800 + 200
    assert least(net) == 1800
    # By its own count too, 800 + 2*8,000 + 2*400 is no match for 800 + 2*800 + 2*200. But it had met `ab`
    # with `ab` after the vector, when a could be summed, and takes the two to leave b again: 2*800, 2*200
    # for bc, and 400 for the vector with c, where nothing is left to sum: 2,400.
    assert cost(net, found, step=own_count) == 17600
    assert cost(net, best, step=own_count) == 2800
    assert opt_einsum_optimal(net) == found
    assert cost(net, opt_einsum_dp(net)) == cost(net, cotengra_optimal(net)) == 1800
    assert cost(net, opt_einsum_optimal(linked(net))) == 1800


def test_opt_einsum_optimal_forgets_it_with_two_indices() -> None:
    # a with a leaves a while `ab` needs it, 2; then 6 for ab, leaving b; 3 for b. It had met a
    # with a last of all, when they leave a number, and counts 4 + 6 + 6 = 16 with the a of `ab` gone.
    net = network("a,b,ab,a->", a=2, b=3)
    found, best = (((0, 3), 2), 1), (((1, 2), 0), 3)
    assert cost(net, found) == 2 + 6 + 3
    assert cost(net, best) == 6 + 2 + 2  # ab, leaving a; a; a
    assert least(net) == 10
    assert cost(net, found, step=own_count) == 2 + 12 + 6
    assert cost(net, best, step=own_count) == 12 + 2 + 4
    assert opt_einsum_optimal(net) == found
    assert cost(net, opt_einsum_dp(net)) == cost(net, cotengra_optimal(net)) == 10


def test_cotengra_multiplies_parts_only_when_they_are_done() -> None:
    # z hangs on nothing. x with z 4, then all 12; but it makes xy 6 first, then all 12.
    net = network("x,xy,z->xyz", x=2, y=3, z=2)
    assert least(net) == cost(net, ((0, 2), 1)) == 4 + 12
    assert cotengra_optimal(net) == ((0, 1), 2)
    assert cost(net, cotengra_optimal(net)) == 6 + 12
    assert cost(net, cotengra_optimal(joined(net), simplify=False)) == cost(net, opt_einsum_dp(net)) == 16


def test_cotengra_puts_a_number_where_the_indices_are_fewest() -> None:
    # a has one point. With d it costs 4, with the 50 of bc 50 points; but c comes with fewer indices.
    net = network("a,c,cde->de", a=1, c=50, d=2, e=2)
    # c with cde 200, leaving 4 numbers; 4 for a. It takes a into c, 50, then 200.
    assert least(net) == cost(net, (0, (1, 2))) == 200 + 4
    assert cotengra_optimal(net) == ((0, 1), 2)
    assert cost(net, cotengra_optimal(net)) == 50 + 200
    assert cost(net, cotengra_optimal(joined(net), simplify=False)) == cost(net, opt_einsum_dp(net)) == 204


def test_opt_einsum_dp_puts_a_sum_last() -> None:
    # a is summed away for free, which leaves a number. Into b 2, then bc 6; but it makes c, 6, then 3.
    net = network("a,b,bc->c", a=7, b=2, c=3)
    assert least(net) == cost(net, ((0, 1), 2)) == 2 + 6
    assert opt_einsum_dp(net) == (0, (1, 2))
    assert cost(net, opt_einsum_dp(net)) == 6 + 3
    assert cost(net, opt_einsum_dp(joined(summed(net)))) == cost(net, cotengra_optimal(net)) == 8


# Facts by hand


def everyone(net: Network) -> set[int | None]:
    """The least by all trees, by subsets, by both searches of opt_einsum and by cotengra."""
    return {
        least_of_trees(net),
        least(net),
        cost(net, opt_einsum_dp(net)),
        cost(net, opt_einsum_optimal(linked(net))),
        cost(net, cotengra_optimal(net)),
    }


def test_six_matrices() -> None:
    # The textbook's chain. ((A (B C)) ((D E) F)): 35*15*5, 30*35*5; 5*10*20, 5*20*25; 30*5*25.
    net = network("ab,bc,cd,de,ef,fg->ag", a=30, b=35, c=15, d=5, e=10, f=20, g=25)
    tree = ((0, (1, 2)), ((3, 4), 5))
    assert cost(net, tree) == 2625 + 5250 + 1000 + 2500 + 3750 == 15125
    assert everyone(net) == {15125}
    assert sum(without_outer(net, t) for t in all_trees(6)) == comb(10, 5) // 6 == 42


def test_an_outer_product_that_pays() -> None:
    # a with b is 4 points, then abc 12. Without it abc 12, then bc or ac 6.
    net = network("a,b,abc->c", a=2, b=2, c=3)
    assert [cost(net, tree) for tree in (((0, 1), 2), ((0, 2), 1), ((1, 2), 0))] == [16, 18, 18]
    assert everyone(net) == {16}
    assert least(net, outer=False) == least_of_trees(net, outer=False) == 18


@pytest.mark.parametrize(
    ("rows", "tree", "fewest"),
    [
        (163, ((((0, 1), 2), 3), 4), 51_018_989_568),  # absorbed: the query into chk, then the latent
        (164, (((0, 1), 2), (3, 4)), 51_298_435_072),  # expanded: the latent into chk
    ],
)
def test_scores_of_a_latent_query_change_at_164_rows(rows: int, tree: Tree, fewest: int) -> None:
    # DeepSeek-V3's sizes, 4,096 tokens of context.
    d, q, h, k, c, s = 7168, 1536, 128, 128, 512, 4096
    net = network("ld,dq,qhk,chk,sc->hls", l=rows, d=d, q=q, h=h, k=k, c=c, s=s)
    query = rows * (d * q + q * h * k)
    absorbed = query + rows * h * k * c + rows * h * c * s
    expanded = query + s * c * h * k + rows * h * k * s
    assert cost(net, tree) == min(absorbed, expanded) == fewest
    assert everyone(net) == {fewest}
    assert [t for t in all_trees(5) if cost(net, t) == fewest] == [tree]


def test_one_query_takes_its_values_from_the_context_first() -> None:
    d, h, v, s = 4096, 32, 128, 2048
    net = network("hls,sd,dhv,hvm->lm", d=d, m=d, h=h, v=v, s=s, l=1)
    tree = (((0, 1), 2), 3)  # hls with sd: hld; with dhv: hlv; with hvm
    assert cost(net, tree) == h * s * d + h * d * v + h * v * d == 301_989_888
    assert everyone(net) == {301_989_888}
    assert [t for t in all_trees(4) if cost(net, t) == 301_989_888] == [tree]


def test_products_of_constants_are_free() -> None:
    # One row through a bottleneck that is none: 64 + 64, or 16 once the weights are multiplied.
    net = network("sd,dk,km->sm", s=1, d=4, k=16, m=4)
    weights = frozenset({1, 2})
    assert [cost(net, tree) for tree in (((0, 1), 2), (0, (1, 2)))] == [64 + 64, 256 + 16]
    assert [cost(net, tree, weights) for tree in (((0, 1), 2), (0, (1, 2)))] == [128, 16]
    assert (least(net), least(net, constants=weights)) == (128, 16)
    # Three rows through one that is: 9 + 9 in turn, 27 with the weights' product, although that is free.
    narrow = network("sd,dk,km->sm", s=3, d=3, k=1, m=3)
    assert (least(narrow), least(narrow, constants=weights)) == (9 + 9, 18)
    assert least(narrow, constants=frozenset({0, 1, 2})) == 0
