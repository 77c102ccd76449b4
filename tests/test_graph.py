"""Regions: inlining without capture, barriers, the limit on operands, and keys of equal values."""

from __future__ import annotations

import re

import pytest
from samples import TINY, combinations_of, read, refused, tiny, within

from derivations.graph import Graph, Region
from derivations.library import load_variant, variant_names
from derivations.regions import build_graph


def region(graph: Graph, root: str, index: int = 0) -> Region:
    return [r for r in graph.regions if r.root == root][index]


def spelled(graph: Graph, root: str, index: int = 0) -> str:
    found = region(graph, root, index)
    return " ".join(f"{leaf.tensor}[{','.join(leaf.labels)}]" for leaf in found.leaves)


def key(text: str, root: str = "O", index: int = 0) -> str:
    graph = build_graph(read(text))
    found = region(graph, root, index)
    return graph.key(found, found.full)


def test_barriers_cut_the_latent_program_into_regions():
    graph = build_graph(load_variant("mla+query-latent"))
    assert [r.root for r in graph.regions] == ["C", "A", "Y"]
    tensors = {r.root: [leaf.tensor for leaf in r.leaves] for r in graph.regions}
    assert tensors["A"] == ["X", "W_DQ", "W_UQ", "C", "W_UK"]
    assert tensors["Y"] == ["P", "C", "W_UV", "W_O"]
    assert [n.name for n in region(graph, "A").named] == ["C_Q", "Q", "K"]
    assert (region(graph, "A").part, region(graph, "Y").part) == (0, 1)


def test_every_product_of_a_sum_is_a_region():
    graph = build_graph(load_variant("mla+rope"))
    scores = [r for r in graph.regions if r.root == "A"]
    assert [(r.index, r.sign) for r in scores] == [(0, 1), (1, 1)]
    minus = build_graph(read(tiny("Q[h,s,k] * K[h,t,k]", "Q[h,s,k] * K[h,t,k] - Q[h,s,k] * K[h,t,k]")))
    assert [r.sign for r in minus.regions if r.root == "A"] == [1, -1]


def test_summed_indices_are_renamed_apart():
    """Q used twice in one product brings its summed d twice; the two must not become one."""
    text = tiny("A[h,s,t] = Q[h,s,k] * K[h,t,k]", "A[h,s,t] = Q[h,s,k] * Q[h,s,k] * K[h,t,k]")
    assert spelled(build_graph(read(text)), "A") == ("X[s,d] W_Q[h,d,k] X[s,d'] W_Q[h,d',k] K[h,t,k]")


def test_a_summed_index_does_not_meet_an_outer_one():
    """Inside Z the label k is summed; outside it survives."""
    text = tiny(
        '"A[h,s,t] = Q[h,s,k] * K[h,t,k]"',
        '"Z[h,s] = Q[h,s,k] * W_Q[h,d,k] * X[s,d]"\n  - "B[h,s,k] = Z[h,s] * Q[h,s,k]"\n'
        '  - "A[h,s,t] = B[h,s,k] * K[h,t,k]"',
    )
    leaves = spelled(build_graph(read(text)), "A").split()
    outer = re.fullmatch(r"K\[h,t,(.*)\]", leaves[-1]).group(1)
    assert sum(f",{outer}]" in leaf for leaf in leaves) == 2
    assert len(leaves) == 7


def test_labels_that_survive():
    graph = build_graph(read(TINY))
    scores = region(graph, "A")
    names = [leaf.tensor for leaf in scores.leaves]
    assert names == ["X", "W_Q", "K"]
    assert scores.labels(0b011) == {"h", "s", "k"}
    assert scores.labels(0b110) == {"h", "d", "t"}
    assert scores.labels(0b101) == {"s", "d", "h", "t", "k"}
    assert scores.labels(scores.full) == {"h", "s", "t"}


@pytest.mark.parametrize(("extra", "operands"), [(3, 7), (6, 10), (7, 11), (20, 24)])
def test_a_region_has_at_most_ten_operands(extra, operands):
    factors = " * X[s,d]" * extra
    text = tiny("P[h,s,t] * K[h,t,k]", "P[h,s,t] * K[h,t,k] * W_Q[h,d,k] * X[s,d]" + factors)
    if operands <= 10:
        assert len(region(build_graph(read(text)), "O").leaves) == operands
        return
    assert refused(build_graph, read(text)) == (
        "tiny.yaml:19 (equations[4]): the product behind O has more than 10 operands, too many to "
        "search; put a barrier in, or name a sum, to cut it"
    )


def test_a_tower_of_definitions_is_refused_before_it_is_unfolded():
    """Each line uses the one before twice: thirty lines would unfold to a milliard of leaves."""
    lines = "".join(f'  - "Z{i + 1}[h,s,k] = Z{i}[h,s,k] * Z{i}[h,s,k]"\n' for i in range(30))
    text = tiny('  - "K[', '  - "Z0[h,s,k] = Q[h,s,k]"\n' + lines + '  - "K[')
    variant = read(text.replace("A[h,s,t] = Q", "A[h,s,t] = Z30"))
    assert "more than 10 operands" in refused(build_graph, variant)


def test_a_tower_of_barriers_is_walked_once():
    """Each score uses the probabilities before it twice; no number of paths may matter."""
    lines = "".join(
        f'  - "A{i + 1}[h,s,t] = P{i}[h,s,t] * P{i}[h,s,t]"\n'
        f'  - "P{i + 1}[h,s,t] = softmax[t](A{i + 1}[h,s,t])"\n'
        for i in range(25)
    )
    text = tiny("P[h,s,t] = softmax", "P0[h,s,t] = softmax").replace('  - "O', lines + '  - "O')
    variant = read(text.replace("P[h,s,t] * K", "P25[h,s,t] * K"))
    with within(1):
        assert region(build_graph(variant), "O").part == 26


@pytest.mark.parametrize("name", variant_names())
def test_every_bundled_variant_has_a_graph(name):
    for chosen in combinations_of(load_variant(name).all_options):
        graph = build_graph(load_variant("+".join([name, *chosen])))
        assert all(1 <= len(r.leaves) <= 7 for r in graph.regions)


def renamed(text: str, **names: str) -> str:
    """The same program with its axes called something else."""
    for old, new in names.items():
        text = re.sub(rf"(?<=[\[, ]){old}(?=[\],:])", new, text)
    return text


def test_keys_do_not_depend_on_the_names_of_labels():
    other = renamed(TINY, h="m", s="q", t="j", k="z", d="e")
    assert "O[m,q,z] = P[m,q,j] * K[m,j,z]" in other
    for root in ("A", "O", "K"):
        assert key(TINY, root) == key(other, root)


def test_keys_of_one_value_used_twice_are_equal():
    text = tiny("Q[h,s,k] * K[h,t,k]", "Q[h,s,k] * K[h,t,k] - K[h,t,k] * W_Q[h,d,k] * X[s,d]")
    assert key(text, "A", 0) == key(text, "A", 1)


PRODUCTS = [
    "P[h,s,t] * K[h,t,k]",
    "P[h,s,t] * K[h,t,k] * K[h,t,k]",
    "P[h,s,t] * V[h,t,k]",
    "P[h,s,t] * K[h,t,m]",
    "P[h,s,t] * K[h,t,m] * W_M[m,k]",
    "P[h,s,t] * K[h,t,m] * W_M[k,m]",
    "P[h,s,t] * K[h,t,m] * W_M[m,n] * W_M[n,k]",
    "P[h,s,t] * K[h,t,m] * W_M[n,m] * W_M[n,k]",
    "P[h,s,t] * K[h,t,m] * W_M[m,n] * W_M[k,n]",
    "P[h,s,t] * K[h,t,m] * W_M[n,m] * W_M[k,n]",
]


def test_keys_of_different_values_differ():
    base = TINY.replace("k: {size: d_k}", "k: {size: d_k}\n  m: {size: d_k}\n  n: {size: d_k}")
    base = base.replace(
        "role: cache}",
        "role: cache}\n  V: {axes: [h, t, k], role: cache}\n  W_M: {axes: [k, m], role: weight}",
    )
    lines = ("V[h,t,k] <- X[s,d] * W_K[h,d,k]", "U[h,s,k] = P[h,s,t] * V[h,t,n] * W_M[n,k]", "O")
    base = base.replace('  - "O', "".join(f'  - "{line}"\n' for line in lines).rstrip('"\n'))
    keys = []
    for product in PRODUCTS:
        text = base.replace("P[h,s,t] * K[h,t,k]", f"U[h,s,k] - {product}")
        if "[h,t,k]" not in product and "W_M" not in product:
            text = text.replace("O[h,s,k] = U[h,s,k] - ", "O[h,s,m] = U[h,s,m] - ")
        keys.append(key(text, "O", 1))
    # the fourth is the first under another name of its axis; no other two hold the same values
    assert keys[3] == keys[0]
    assert len(set(keys)) == len(PRODUCTS) - 1


def test_a_sum_over_an_index_is_another_value():
    """X W_Q with its k summed away, and X W_Q itself."""
    text = tiny("Q[h,s,k] * K[h,t,k]", "Q[h,s,k] * K[h,t,k] - Z[h,s] * K[h,t,k]")
    graph = build_graph(read(text.replace('  - "A[', '  - "Z[h,s] = X[s,d] * W_Q[h,d,k]"\n  - "A[')))
    kept, summed = region(graph, "A", 0), region(graph, "A", 1)
    assert [leaf.tensor for leaf in summed.leaves] == ["X", "W_Q", "K"]
    assert graph.key(kept, 0b011) != graph.key(summed, 0b011)


TWO_SCORES = TINY.replace(
    '  - "P[h,s,t] = softmax[t](A[h,s,t])"',
    '  - "E[h,s,t] = Q[h,s,k] * K[h,t,k]"\n  - "P[h,s,t] = softmax[t](A[h,s,t])"\n'
    '  - "G[h,s,t] = softmax[t](E[h,s,t])"\n  - "U[h,s,k] = G[h,s,t] * K[h,t,k]"',
).replace("O[h,s,k] = P[h,s,t] * K[h,t,k]", "O[h,s,k] = P[h,s,t] * K[h,t,k] + U[h,s,k]")


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("{kind: full}", "{kind: full}", True),
        ("{kind: window, size: 4}", "{kind: window, size: 4}", True),
        ("{kind: window, size: 4}", "{kind: full}", False),
        ("{kind: window, size: 4}", "{kind: window, size: 8}", False),
        ("{kind: window, size: w}", "{kind: window, size: 2*w}", False),
    ],
)
def test_rows_under_another_mask_are_other_rows(one, two, same):
    """The same K, but the rows of it that a window of 4 or one of 8 reads."""
    graph = build_graph(read(TWO_SCORES + f"masks: {{A: {one}, E: {two}}}\n"))
    first, second = region(graph, "A"), region(graph, "E")
    bit = 1 << [leaf.tensor for leaf in first.leaves].index("K")
    assert (graph.key(first, bit) == graph.key(second, bit)) is same
