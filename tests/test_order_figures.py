"""What an order search must come out with, worked out by hand or by opt_einsum."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import opt_einsum
import pytest
from command import data as asked
from command import refused

from derivations import Conventions, Study, load_variant
from derivations.atoms import evaluate
from derivations.bestmap import best_map, study_for_map
from derivations.found import boundaries_of
from derivations.orders import orders_of, orders_of_einsum
from derivations.rulings import carried, ruled
from derivations.statements import load_statements

GLM = {"d_model": 2048, "H": 20, "d_k": 192, "d_v": 256, "d_c": 512}
"""Keys and values of different widths; model width and heads do not matter for where they switch."""


def verify(values: dict[str, int], variant: str = "mla") -> Study:
    return Study(load_variant(variant), Conventions(phase="verify", scope="layer"), values)


def switch(width: int, length: int) -> Fraction:
    """S at which forming rows of this width costs what absorbing does: S (d_c w + L (d_c - w)) = L d_c w."""
    return Fraction(length * 512 * width, 512 * width + length * (512 - width))


@pytest.mark.parametrize("length", [2048, 131072, 10**6, 10**9])
def test_keys_and_values_switch_apart(length: int) -> None:
    """307.2 and 512 for L to infinity; between them the best order expands K and absorbs V."""
    keys, values = switch(192, length), switch(256, length)
    assert keys < values
    study = study_for_map(verify({**GLM, "L": length}), ["S"], [])
    found = best_map(study, ["S"])
    forms = [set(found.orders[segment.best[0]].forms) & {"K", "V"} for segment in found.line]
    crossings = [change.root for change in found.changes]
    assert forms[0] == set()
    assert [f for f in forms if f == {"K"}] == [{"K"}]
    assert forms[-1] == {"K", "V"}
    assert crossings == [keys, values]
    assert [change.first for change in found.changes] == [int(keys) + 1, int(values) + 1]
    if length == 10**9:
        assert [change.first for change in found.changes] == [308, 512]
        assert round(float(keys), 1) == 307.2


def cheapest(expression: str, sizes: dict[str, int]) -> set[frozenset[int]]:
    """The operands that opt_einsum's dynamic programming brings together."""
    shapes = [tuple(sizes[i] for i in part) for part in expression.partition("->")[0].split(",")]
    search = opt_einsum.DynamicProgramming(minimize="flops", search_outer=True)
    path, _ = opt_einsum.contract_path(expression, *shapes, shapes=True, optimize=search)
    held, made = [frozenset({i}) for i in range(len(shapes))], set()
    for places in path:
        one, two = (held.pop(place) for place in sorted(places, reverse=True))
        held.append(one | two)
        made.add(one | two)
    return made


@pytest.mark.parametrize(("keys", "values"), [(False, False), (True, False), (True, True)])
def test_opt_einsum_splits_the_two_sides_alike(keys: bool, values: bool) -> None:
    """The two products given to it apart, after the query's projection: K is {1, 2}, V is {1, 2}."""
    length = 10**6
    queries = {(False, False): 307, (True, False): 400, (True, True): 512}[keys, values]
    sizes = {"h": 20, "s": queries, "t": length, "k": 192, "v": 256, "c": 512}
    assert (frozenset({1, 2}) in cheapest("hsk,hck,tc->hst", sizes)) is keys
    assert (frozenset({1, 2}) in cheapest("hst,tc,hcv->hsv", sizes)) is values
    (best,) = orders_of(verify({**GLM, "L": length, "S": queries})).orders
    assert ("K" in best.forms, "V" in best.forms) == (keys, values)


def test_both_sides_are_chosen_apart_in_symbols() -> None:
    """All four ways of forming K or V can be best, and the boundaries are the closed forms."""
    found = orders_of(verify({}))
    best = [order for order in found.orders if order.verdict.status == "best"]
    assert {frozenset({"K", "V"} & set(order.forms)) for order in best} == {
        frozenset(forms) for forms in (set(), {"K"}, {"V"}, {"K", "V"})
    }
    for group, width in ((found.groups[1], "d_k"), (found.groups[2], "d_v")):
        boundaries = boundaries_of(group)
        assert boundaries is not None
        (crossover,) = (b.crossover for b in boundaries if (b.first, b.second) == (0, 1))
        assert crossover is not None
        for length in (100, 9000):
            sizes = {"L": length, "d_c": 512, width: 192}
            assert [s.root.value(sizes) for s in crossover.solutions] == [switch(192, length)]


def test_every_whole_order_of_mla_has_a_witness() -> None:
    data = asked("orders", "mla")
    assert data["counts"]["undecided"] == 0
    assert data["bracketings"] == 15 * 15
    best = [order for order in data["orders"] if order["can_be_best"]]
    assert len(best) == data["counts"]["best"] > 4
    study = Study(load_variant("mla"), Conventions(scope="layer"), {})
    found = orders_of(study)
    for order in found.orders:
        witness = order.verdict.witness
        if witness is None:
            continue
        costs = sorted(evaluate(other.flops, witness) for other in found.orders)
        assert evaluate(order.flops, witness) == costs[0] < costs[1]


def test_merging_pays_where_the_head_is_wide() -> None:
    """X W_DQ with W_UQ W_UK made offline: H d_q d_c instead of H d_k (d_q + d_c) a query."""
    study = Study(load_variant("mla+query-latent"), Conventions(scope="layer"), {})
    (group,) = orders_of(study, "A").groups
    plain, merged = (
        next(o for o in group.found if o.bracketing == text)
        for text in ("((((X W_DQ) W_UQ) W_UK) C)", "(((X W_DQ) (W_UQ W_UK)) C)")
    )
    boundaries = boundaries_of(group)
    assert boundaries is not None
    pair = sorted((plain.choice[0], merged.choice[0]))
    (crossover,) = (b.crossover for b in boundaries if [b.first, b.second] == pair)
    assert crossover is not None
    for query, latent in ((1536, 512), (768, 512), (6, 3)):
        sizes = {"d_q": query, "d_c": latent, "H": 4}
        assert [s.root.value(sizes) for s in crossover.solutions] == [Fraction(query * latent, query + latent)]
    (made,) = merged.merged
    sizes = {"H": 4, "d_q": 5, "d_k": 7, "d_c": 11}
    assert made.text == "(W_UQ W_UK)"
    assert evaluate(made.flops, sizes) == 2 * 4 * 5 * 7 * 11
    assert evaluate(made.elements, sizes) == 4 * 5 * 11
    assert evaluate(made.replaces, sizes) == 4 * 5 * 7 + 4 * 7 * 11


def test_causal_pairs_are_counted_one_by_one() -> None:
    study = Study(load_variant("mha"), Conventions(phase="verify", pairs="causal", scope="layer"), {})
    (group,) = orders_of(study, "A").groups
    length, queries = 9, 4
    seen = sum(1 for q, t in product(range(queries), range(length)) if t <= length - queries + q)
    sizes = {"L": length, "S": queries, "H": 3, "d_k": 5, "d_model": 7}
    kept = next(order for order in group.found if order.bracketing == "((X W_Q) K)")
    assert evaluate(kept.flops, sizes) == 2 * (queries * 3 * 5 * 7 + seen * 3 * 5)


def test_rope_in_the_key_leaves_only_orders_that_reach_every_token() -> None:
    statements = load_statements("rope")
    inside, plain = (carried(claim) for claim in statements.carries)
    assert (inside.orders, inside.without) == (prod(range(1, 10, 2)), 0)
    assert plain.without > 0
    assert plain.best_without == plain.best > 0
    (ruling,) = (ruled(rule) for rule in statements.rules)
    assert len(ruling.found.orders) == 2
    (rival, _) = ruling.rivals[0]
    # 2 S L d_k (d_k^2 + H d_k) for R_Q R_K and what it meets, against 2 H d_k^2 (S + L)
    for heads, length, width in ((104, 1, 3), (10, 3, 4), (12, 3, 4), (13, 3, 4), (128, 4096, 128)):
        sizes = {"H": heads, "L": length, "S": 1, "d_k": width, "d_c": 600, "d_model": 700}
        wins = evaluate(rival.flops, sizes) < evaluate(ruling.inside[0].flops, sizes)
        assert wins is (heads > length * width)


def test_every_rule_of_the_note_has_conditions() -> None:
    """Each is the cheapest order on DeepSeek-V2's widths in a long context, and none at all sizes."""
    statements = load_statements("note")
    assert len(statements.rules) == 7
    assert statements.model is not None
    for rule in statements.rules:
        ruling = ruled(rule)
        assert not ruling.holds
        assert len(ruling.inside) == 1
        sizes = {**statements.model.values(ruling.study.variant.symbols), "L": 8192}
        costs = {order.bracketing: evaluate(order.flops, sizes) for order in ruling.found.orders}
        assert min(costs, key=costs.__getitem__) == ruling.inside[0].bracketing


def test_a_search_that_grows_too_large_says_so() -> None:
    letters = "abcdefghijklm"
    many = ",".join(letters) + "->" + letters[0]
    assert "13 operands; the search covers 12 at most" in refused("einsum", many)


def test_numbers_give_the_one_cheapest_order() -> None:
    found = orders_of_einsum("a,b,abc->c", values={"a": 2, "b": 2, "c": 3}, unit="macs")
    assert [(order.bracketing, order.flops.constant) for order in found.orders] == [("((a b) abc)", 16)]
