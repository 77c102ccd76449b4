"""Enumeration with no hint: which bracketing comes first, and what no bracketing can do."""

from __future__ import annotations

import pytest

from derivations.conventions import Conventions
from derivations.costs import sizes_of
from derivations.library import load_variant
from derivations.regions import build_graph
from derivations.search import rank
from derivations.transform import without_caches

V3 = {"d_model": 7168, "H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_q": 1536, "L": 8192, "S": 1}


def ranked(name: str, root: str, phase: str, caches: bool = True):
    variant = load_variant(name)
    graph = build_graph(variant if caches else without_caches(variant))
    index = next(i for i, region in enumerate(graph.regions) if region.root == root)
    return rank(graph, index, sizes_of(Conventions(phase=phase)), V3)


def test_the_score_region_has_105_trees_and_absorbing_comes_first_for_one_query():
    found = ranked("mla+query-latent", "A", "decode")
    assert len(found) == 105
    assert found[0].text == "((((X W_DQ) W_UQ) W_UK) C)"
    assert found[0].value < found[1].value


def test_expanding_comes_first_when_every_token_asks():
    found = ranked("mla+query-latent", "A", "prefill")
    assert found[0].text == "(((X W_DQ) W_UQ) (C W_UK))"


def test_a_rotation_in_the_key_leaves_nothing_cheaper_than_forming_it():
    found = ranked("mla-rope-in-key", "A", "decode")
    forming = min(r.value for r in found if "K" in r.forms)
    assert found[0].value == forming


@pytest.mark.parametrize(
    ("name", "root", "factors"),
    [
        ("mha", "A", ["X", "W_Q", "X", "W_K"]),
        ("mha", "Y", ["P", "X", "W_V", "W_O"]),
        ("mla", "A", ["X", "W_Q", "X", "W_DKV", "W_UK"]),
        ("mla", "Y", ["P", "X", "W_DKV", "W_UV", "W_O"]),
    ],
)
def test_without_caches_the_notes_chains_are_regions(name, root, factors):
    graph = build_graph(without_caches(load_variant(name)))
    region = next(r for r in graph.regions if r.root == root)
    assert [leaf.tensor for leaf in region.leaves] == factors


def test_the_notes_value_order_in_prefill():
    """(P (X W_V)) W_O, since d_v is far below d; the latent first for MLA, then the heads."""
    assert ranked("mha", "Y", "prefill", caches=False)[0].text == "((P (X W_V)) W_O)"
    assert ranked("mla", "A", "prefill", caches=False)[0].text == "((X W_Q) ((X W_DKV) W_UK))"
