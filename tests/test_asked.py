"""Orders asked for by words: what is taken, and one sentence for what is not."""

# ruff: noqa: E501 - tables of messages, one a line

from __future__ import annotations

import random

import pytest
from every_order import Count, Program, admitted, brackets
from samples import refused

from derivations.asked import is_expression, order_asked, roots_of
from derivations.conventions import Conventions
from derivations.derivation import Study, crossover_of, derive
from derivations.graph import Graph
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.regions import build_graph
from derivations.search import choose
from derivations.transform import without_caches
from derivations.trees import trees

MLA, ROPE, ROTATED = (build_graph(load_variant(name)) for name in ("mla", "mla+rope", "mla-rope-in-key"))
TWICE = build_graph(without_caches(load_variant("mla")))
# X W_Q C W_UK are 1 2 4 8
ABSORB, EXPAND = {(1, 2), (3, 8), (11, 4)}, {(1, 2), (4, 8), (3, 12)}

TAKEN = [
    # graph, text, forms, avoids, bracketings by the name of their product
    (MLA, "form=K", ("K",), (), {}),
    (MLA, "avoid=V", (), ("V",), {}),
    (MLA, "form=K,avoid=V", ("K",), ("V",), {}),
    (MLA, " form = K , avoid = V ", ("K",), ("V",), {}),
    (MLA, "form=K,form=V,form=Q", ("K", "V", "Q"), (), {}),
    (MLA, "A=((X W_Q) W_UK) C", (), (), {"A": ABSORB}),
    (MLA, "A=(((X W_Q) W_UK) C)", (), (), {"A": ABSORB}),
    (MLA, "A = ( ( X  W_Q )W_UK )C", (), (), {"A": ABSORB}),
    (MLA, "A=C (W_UK (W_Q X))", (), (), {"A": ABSORB}),
    (MLA, "A=(W_UK C) (W_Q X)", (), (), {"A": EXPAND}),
    (MLA, "A=(X W_Q) (C W_UK),form=V", ("V",), (), {"A": EXPAND}),
    (MLA, "C=X W_DKV,A=(X W_Q)(C W_UK)", (), (), {"C": {(1, 2)}, "A": EXPAND}),
    (MLA, "A=((X W_Q) W_UK) C,Y=((P C) W_UV) W_O", (), (), {"A": ABSORB, "Y": {(1, 2), (3, 4), (7, 8)}}),
    (TWICE, "A=((X#1 W_Q) W_UK) (X#2 W_DKV)", (), (), {"A": {(1, 2), (3, 16), (4, 8), (19, 12)}}),
    (TWICE, "A=((X#2 W_Q) W_UK) (X#1 W_DKV)", (), (), {"A": {(2, 4), (6, 16), (1, 8), (9, 22)}}),
    (ROPE, "A.1=((X W_Q) W_UK) C", (), (), {"A.1": ABSORB}),
    (ROPE, "A.2=X (W_QR K_R)", (), (), {"A.2": {(2, 4), (1, 6)}}),
    (ROPE, "A.2=(X W_QR) K_R,A.1=(X W_Q) (C W_UK)", (), (), {"A.1": EXPAND, "A.2": {(1, 2), (3, 4)}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("graph", "text", "forms", "avoids", "bracketings"), TAKEN, ids=[t for _, t, *_ in TAKEN]
)
def test_what_is_taken(graph: Graph, text: str, forms, avoids, bracketings) -> None:
    assert is_expression(text)
    limits = order_asked(graph, text)
    assert limits.order.name == " ".join(text.split())
    assert (limits.order.forms, limits.order.avoids) == (forms, avoids)
    named = dict(zip(roots_of(graph), range(len(graph.regions)), strict=True))
    assert {index: set(tree) for index, tree in limits.brackets.items()} == {
        named[root]: tree for root, tree in bracketings.items()
    }
    assert limits.outer
    for index, tree in limits.brackets.items():
        made = [1 << n for n in range(len(graph.regions[index].leaves))]
        for left, right in tree:  # operands before results, the part with the first factor first
            assert {left, right} <= set(made)
            assert left & -left < right & -right
            made.append(left | right)


def test_products_of_a_sum_are_numbered() -> None:
    assert roots_of(MLA) == ("C", "A", "Y")
    assert roots_of(ROPE) == ("C", "K_R", "A.1", "A.2", "Y")
    assert not is_expression("absorb")


FACTORS = "; its factors are X W_Q C W_UK, two in a bracket"
WRONG = [
    (MLA, "=x", "unknown product of mla ''; known: A, C, Y, avoid, form"),
    (MLA, "form=", "order 'form=': write form=NAME, avoid=NAME or RESULT=BRACKETING"),
    (MLA, "A=", "order 'A=': write form=NAME, avoid=NAME or RESULT=BRACKETING"),
    (MLA, "form=K,", "order '': write form=NAME, avoid=NAME or RESULT=BRACKETING"),
    (MLA, "form=K,V", "order 'V': write form=NAME, avoid=NAME or RESULT=BRACKETING"),
    (MLA, "form=Kx", "unknown intermediate of mla 'Kx'; did you mean 'K'?"),
    (MLA, "form=A", "unknown intermediate of mla 'A'; known: K, O, Q, V"),
    (MLA, "avoid=C", "unknown intermediate of mla 'C'; known: K, O, Q, V"),
    (MLA, "form=K V", "order 'form=K V': separate parts with commas, as in form=K,avoid=V"),
    (MLA, "Form=K", "unknown product of mla 'Form'; did you mean 'form'?"),
    (MLA, "form=K,avoid=K", "order: K cannot be both formed and avoided"),
    (MLA, "avoid=V,form=Q,form=V", "order: V cannot be both formed and avoided"),
    (MLA, "B=X", "unknown product of mla 'B'; known: A, C, Y, avoid, form"),
    (MLA, "K=C W_UK", "unknown product of mla 'K'; known: A, C, Y, avoid, form"),
    (MLA, "A.1=((X W_Q) W_UK) C", "unknown product of mla 'A.1'; did you mean 'A'?"),
    (MLA, "A=(X W_Q) (C W_UK),A=(X W_Q) (C W_UK)", "order: A is bracketed twice"),
    (MLA, "A=X W_Q W_UK C", f"order A=X W_Q W_UK C: a bracket holds 4 factors{FACTORS}"),
    (MLA, "A=((X W_Q W_UK) C)", f"order A=((X W_Q W_UK) C): a bracket holds 3 factors{FACTORS}"),
    (MLA, "A=(X)(W_Q)", f"order A=(X)(W_Q): a bracket holds 1 factors{FACTORS}"),
    (MLA, "A=()", f"order A=(): a bracket holds 0 factors{FACTORS}"),
    (MLA, "A=(X W_Q) (W_UK", f"order A=(X W_Q) (W_UK: a parenthesis is not closed{FACTORS}"),
    (MLA, "A=X) W_Q", f"order A=X) W_Q: a parenthesis is closed that was not opened{FACTORS}"),
    (MLA, "A=((X X) W_UK) C", f"order A=((X X) W_UK) C: X is written twice{FACTORS}"),
    (MLA, "A=((X W_Q) W_UK)", f"order A=((X W_Q) W_UK): C is missing{FACTORS}"),
    (MLA, "A=X", f"order A=X: W_Q is missing{FACTORS}"),
    (MLA, "A=((X W_Z) W_UK) C", "unknown factor of A 'W_Z'; did you mean 'W_Q'?"),
    (MLA, "A=((X W_UV) W_UK) C", "unknown factor of A 'W_UV'; did you mean 'W_UK'?"),
    (MLA, "A=((X * W_Q) W_UK) C", "unknown factor of A '*'; known: C, W_Q, W_UK, X"),
    (MLA, "A==((X W_Q) W_UK) C", "unknown factor of A '='; known: C, W_Q, W_UK, X"),
    (MLA, "A=((X W_Q#2) W_UK) C", "unknown factor of A 'W_Q#2'; did you mean 'W_Q'?"),
    (ROPE, "A=((X W_Q) W_UK) C", "order: A is a sum of products; they are A.1 and A.2"),
    (MLA, "form=K,A=((X W_Q) W_UK) C", "order: the bracketing of A does not form K"),
    (MLA, "avoid=K,A=(X W_Q) (C W_UK)", "order: the bracketing of A forms K, which is to be avoided"),
    (MLA, "Y=((P C) W_UV) W_O,avoid=O", "order: the bracketing of Y forms O, which is to be avoided"),
    (TWICE, "A=((X W_Q) W_UK) (X W_DKV)", "order A=((X W_Q) W_UK) (X W_DKV): X stands there 2 times, as X#1 and X#2; its factors are X#1 W_Q X#2 W_DKV W_UK, two in a bracket"),
    (TWICE, "A=((X#1 W_Q) W_UK) (X#1 W_DKV)", "order A=((X#1 W_Q) W_UK) (X#1 W_DKV): X#1 is written twice; its factors are X#1 W_Q X#2 W_DKV W_UK, two in a bracket"),
    (TWICE, "A=((X#1 W_Q) W_UK) (X#3 W_DKV)", "unknown factor of A 'X#3'; did you mean 'X#2'?"),
    (ROPE, "A.3=X", "unknown product of mla+rope 'A.3'; did you mean 'A.2'?"),
    (ROPE, "A.1=(X W_QR) K_R", "unknown factor of A.1 'W_QR'; did you mean 'W_Q'?"),
]  # fmt: skip


@pytest.mark.parametrize(("graph", "text", "message"), WRONG, ids=[text for _, text, _ in WRONG])
def test_wrong_orders_are_one_sentence(graph: Graph, text: str, message: str) -> None:
    assert refused(order_asked, graph, text) == message


LONG = [
    "A=" + "(" * 598,
    "A=" + ")" * 598,
    "A=" + "(" * 200 + "X" + ")" * 200,
    "A=" + "(X " * 190,
    "A=" + "X " * 290,
    "form=" + "K" * 500,
    "A=" + "É" * 500,
    "form=K," * 80,
    "=" * 600,
    "," * 600,
]


@pytest.mark.parametrize("text", LONG, ids=[f"{text[:8]} {len(text)}" for text in LONG])
def test_long_and_deep_input_ends_quickly(text: str) -> None:
    refused(order_asked, MLA, text)


@pytest.mark.parametrize("text", ["A=" + "(" * 10**6, "form=" + "K" * 10**6, "," * 10**6, "A=X" + " " * 600])
def test_what_is_longer_than_any_order_is_not_read(text: str) -> None:
    assert refused(order_asked, MLA, text) == "the order is longer than 600 characters"


# What is derived for it


def study(name: str = "mla", **knobs: str) -> Study:
    return Study(load_variant(name), Conventions(**{"scope": "layer", **knobs}), {})


H, L, S, D, C, K, V = (Poly.symbol(name) for name in ("H", "L", "S", "d_model", "d_c", "d_k", "d_v"))
WRITES = S * D * C
SCORES = {
    False: S * D * H * K + S * H * K * C + S * L * H * C,
    True: S * D * H * K + L * H * K * C + S * L * H * K,
}
VALUES = {
    False: S * L * H * C + S * H * C * V + S * H * V * D,
    True: L * H * C * V + S * L * H * V + S * H * V * D,
}


@pytest.mark.parametrize(
    ("order", "keys", "values"),
    [
        ("form=K,avoid=V", True, False),
        ("avoid=K,form=V", False, True),
        ("form=K,form=V", True, True),
        ("avoid=K,avoid=V", False, False),
        ("A=(X W_Q) (C W_UK),Y=((P C) W_UV) W_O", True, False),
        ("A=((X W_Q) W_UK) C,form=V", False, True),
        ("A=((X W_Q) W_UK) C,avoid=V", False, False),
    ],
)
def test_an_order_that_is_asked_for_costs_what_its_steps_cost(order: str, keys: bool, values: bool) -> None:
    found = derive(study(phase="verify"), order)
    assert found.cost.order.name == order
    assert ("K" in found.cost.order.forms, "V" in found.cost.order.forms) == (keys, values)
    assert found.flops == (WRITES + SCORES[keys] + VALUES[values]) * 2


@pytest.mark.parametrize("order", ["form=K,A=((X W_Q) W_UK) C", "avoid=K,A=(X W_Q) (C W_UK)"])
def test_a_bracketing_against_what_is_formed_or_avoided_is_no_order(order: str) -> None:
    assert "K" in refused(derive, study(), order)


@pytest.mark.parametrize("order", ["form=K,form=V", "A=(X W_Q) (C W_UK),Y=(P (C W_UV)) W_O"])
@pytest.mark.parametrize("formed", ["read", "write+read", "streamed", "cached"])
def test_rows_may_be_kept_in_an_order_that_is_asked_for(order: str, formed: str) -> None:
    """The same as by its name, which both orders have: rows that were formed earlier are read."""
    found, named = (derive(study(formed=formed), text) for text in (order, "expand"))
    assert (found.flops, found.bytes) == (named.flops, named.bytes)


def test_a_name_of_several_lines_is_one_line() -> None:
    assert order_asked(MLA, "form=K,\n avoid=V").order.forms == ("K",)
    assert "\n" not in order_asked(MLA, "form=K,\n avoid=V").order.name


def test_what_is_formed_may_cross() -> None:
    graph = ROTATED
    (region,) = (region for region in graph.regions if region.root == "A")
    assert {named.name for named in region.named} == {"Q_C", "Q", "K_C", "K"}
    fine = derive(study("mla-rope-in-key"), "form=K_C,avoid=K").cost.order
    assert ("K_C" in fine.forms, "K" in fine.forms) == (True, False)
    tree = fine.trees[graph.regions.index(region)]
    inside = {named.name: named.members for named in region.named}
    assert inside["K_C"] in brackets(region, tree)
    assert inside["K"] not in brackets(region, tree)


def test_with_sizes_the_cheapest_of_the_set_is_taken() -> None:
    whole = Program("mla-rope-in-key", "verify")
    index = next(i for i, region in enumerate(whole.regions) if region.root == "A")
    for point in whole.draws(random.Random(11), 6):
        for text, forms, avoids in (("avoid=K", (), ("K",)), ("form=K_C,avoid=Q", ("K_C",), ("Q",))):
            count = Count(whole, [point])
            chosen = choose(whole.graph, text, whole.sizes, point)
            own = count.cost({index: chosen.trees[index]})[0]
            assert own == count.least({index: admitted(whole.regions[index], forms, avoids)})[0]


def test_a_bracketing_is_taken_even_where_it_is_the_dearest() -> None:
    whole = Program("mla", "verify")
    names = [leaf.tensor for leaf in whole.regions[1].leaves]
    for tree in trees(4):
        text = {1 << n: name for n, name in enumerate(names)}
        for left, right in tree:
            text[left | right] = f"({text[right]} {text[left]})"
        chosen = choose(whole.graph, f"A={text[15]}", whole.sizes)
        assert set(chosen.trees[1]) == set(tree)


def test_crossovers_of_orders_that_are_asked_for() -> None:
    found = crossover_of(study(phase="verify", scope="attention"), "absorb", "form=K,avoid=V", "S")
    (solution,) = found.solutions
    assert (solution.below, solution.above) == ("absorb", "form=K,avoid=V")
    for point in ({"L": 10**6, "d_c": 512, "d_k": 192}, {"L": 100, "d_c": 7, "d_k": 3}):
        context, latent, narrow = point["L"], point["d_c"], point["d_k"]
        root = solution.root.value(point)
        assert root * (latent * narrow + context * (latent - narrow)) == context * latent * narrow
        assert solution.limit.value(point) * (latent - narrow) == latent * narrow
