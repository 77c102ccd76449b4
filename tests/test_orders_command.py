"""`derive orders` and `derive einsum`: the contract of their JSON, their documents, and their refusals."""

# ruff: noqa: E501 - tables of messages, one a line

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sympy
from command import data, derive, refused, shown
from every_order import Count, Program, trees
from samples import within
from test_render import compiled, needs_latex

# The contract


ORDER_KEYS = {
    "bracketing", "forms", "member_of", "flops", "can_be_best", "verdict", "witness", "certificate", "offline",
}  # fmt: skip


@cache
def of_mla() -> str:
    return shown("orders", "mla", "--json")


def check_order(order: dict[str, Any]) -> None:
    """One order as the contract has it."""
    assert set(order) >= ORDER_KEYS
    assert isinstance(order["bracketing"], str)
    assert set(order["flops"]) >= {"expr", "latex", "value"}
    sympy.sympify(order["flops"]["expr"], locals={"S": sympy.Symbol("S"), "Q": sympy.Symbol("Q")})
    assert order["can_be_best"] is {"best": True, "never": False, "undecided": None}[order["verdict"]]
    assert (order["witness"] is not None) == (order["verdict"] == "best")
    assert (order["certificate"] is not None) == (order["verdict"] == "never")
    if order["witness"]:
        assert all(type(size) is int and size >= 1 for size in order["witness"].values())
    if order["certificate"]:
        assert order["certificate"]["rivals"]
        assert all(
            set(rival) >= {"product", "bracketing", "weight"} for rival in order["certificate"]["rivals"]
        )
    for merged in order["offline"]:
        assert set(merged) >= {"product", "flops", "elements", "replaces"}


def test_the_json_of_orders_is_the_contract() -> None:
    found = json.loads(of_mla())
    assert found["schema"] == "derive/1"
    assert set(found) >= {
        "variant",
        "phase",
        "region",
        "unit",
        "conventions",
        "dims",
        "space",
        "bracketings",
        "counts",
        "orders",
        "products",
    }
    assert (found["variant"], found["phase"], found["region"], found["unit"]) == (
        "mla",
        "decode",
        None,
        "flops",
    )
    assert found["space"] == "every bracketing, outer products included"
    assert found["bracketings"] == 15 * 15
    assert found["dims"] == {}
    assert set(found["counts"]) == {"best", "never", "undecided"}
    assert sum(found["counts"].values()) == len(found["orders"])
    assert found["counts"]["undecided"] == 0
    for order in (*found["orders"], *(order for product in found["products"] for order in product["orders"])):
        check_order(order)
    verdicts = [order["verdict"] for order in found["orders"]]
    assert {verdict: verdicts.count(verdict) for verdict in found["counts"]} == found["counts"]
    assert verdicts == sorted(verdicts)  # those that can be best come first
    assert [product["makes"] for product in found["products"]] == [["C"], ["A"], ["Y"]]
    assert [product["bracketings"] for product in found["products"]] == [1, 15, 15]


def test_whole_orders_of_mla_each_have_a_witness_that_brute_force_confirms() -> None:
    """Sizes are read from the JSON alone, and every tree of every product is counted there."""
    found = data("orders", "mla", "--phase", "verify")
    whole = Program("mla", "verify")
    best = [order for order in found["orders"] if order["verdict"] == "best"]
    assert len(best) == found["counts"]["best"] >= 15
    assert all(re.fullmatch(r"A=\(.*\), Y=\(.*\)", order["bracketing"]) for order in best)
    assert len({order["bracketing"] for order in best}) == len(best)
    points = [whole.whole(order["witness"]) for order in best]
    assert all(whole.legal(point) for point in points)
    count = Count(whole, points)
    least = [
        count.least({index: trees(len(region.leaves))}) for index, region in enumerate(whole.regions)
    ]  # fmt: skip
    for place, (order, point) in enumerate(zip(best, points, strict=True)):
        names = {name: sympy.Symbol(name) for name in point}
        cost = sympy.sympify(order["flops"]["expr"], locals=names).subs({names[n]: v for n, v in point.items()})
        assert cost == sum(int(values[place]) for values in least)
    assert {"absorb"} in [set(order["member_of"]) for order in best]
    assert {"expand"} in [set(order["member_of"]) for order in best]


def test_boundaries_in_json() -> None:
    found = data("orders", "mla", "--phase", "verify", "--region", "A")
    (product,) = found["products"]
    texts = [order["bracketing"] for order in product["orders"]]
    pair = {texts.index("(((X W_Q) W_UK) C)"), texts.index("((X W_Q) (C W_UK))")}
    (boundary,) = (b for b in product["boundaries"] if set(b["orders"]) == pair)
    assert set(boundary["side_by_side"]) == {"in", "at", "best", "then"}
    assert boundary["in"] == "S"
    (solution,) = boundary["solutions"]
    names = {name: sympy.Symbol(name) for name in ("S", "L", "d_c", "d_k", "H")}
    s, t, c, k, _ = names.values()
    root = sympy.sympify(solution["solution"]["expr"], locals=names)
    assert sympy.simplify(root - t * c * k / (c * k + t * (c - k))) == 0
    limit = sympy.sympify(solution["limit"]["expr"], locals=names)
    assert sympy.simplify(limit - c * k / (c - k)) == 0
    assert solution["condition"]["expr"] == "d_c > d_k"
    difference = sympy.sympify(boundary["difference"]["expr"], locals=names)
    assert sympy.expand(difference.subs({s: root})).simplify() == 0


def test_a_certificate_in_json_can_be_checked_by_its_reader() -> None:
    """With 1 plus a slack put for each size no coefficient is negative."""
    found = json.loads(of_mla())
    checked = 0
    for product in found["products"]:
        costs = {order["bracketing"]: order["flops"]["expr"] for order in product["orders"]}
        for order in product["orders"]:
            if order["certificate"]:
                total = sympy.Integer(0)
                for rival in order["certificate"]["rivals"]:
                    assert rival["product"] == ", ".join(product["makes"])
                    one, two = (sympy.sympify(costs[o["bracketing"]]) for o in (order, rival))
                    total += sympy.sympify(rival["weight"]) * (one - two)
                slack = {symbol: symbol + 1 for symbol in total.free_symbols}
                terms = sympy.Poly(sympy.expand(total.subs(slack, simultaneous=True)), *slack)
                assert all(coefficient >= 0 for coefficient in terms.coeffs())
                checked += 1
    assert checked == 2


def test_regions_and_assumptions() -> None:
    one = data("orders", "mla", "--region", "A")
    assert (one["region"], one["bracketings"]) == ("A", 15)
    assert one["orders"] == sorted(one["products"][0]["orders"], key=lambda o: o["verdict"])
    part = data("orders", "mla", "--region", "O")
    assert (part["region"], part["bracketings"]) == ("O", 3)
    assert {order["bracketing"] for order in part["orders"]} == {"((P C) W_UV)", "(P (C W_UV))"}
    # where the latent is wide, turning the whole cache is left to two orders less
    free = {order["bracketing"] for order in one["orders"] if order["verdict"] == "best"}
    tied = data("orders", "mla", "--region", "A", "--assume", "d_k <= d_c", "--assume", "d_c <= d_model")
    bound = {order["bracketing"] for order in tied["orders"] if order["verdict"] == "best"}
    assert bound < free
    for order in tied["orders"]:
        if order["witness"]:
            assert order["witness"]["d_k"] <= order["witness"]["d_c"] <= order["witness"]["d_model"]


def test_without_outer_products() -> None:
    every, inner = data("orders", "mla", "--region", "A"), data("orders", "mla", "--region", "A", "--no-outer")
    assert inner["space"] == (
        "every bracketing without outer products: two factors with no common index are never multiplied"
    )
    assert inner["bracketings"] < every["bracketings"]
    texts = {order["bracketing"] for order in every["orders"]}
    assert "((X C) (W_Q W_UK))" in texts
    assert "((X C) (W_Q W_UK))" not in {order["bracketing"] for order in inner["orders"]}


def test_numbers_leave_the_cheapest_order() -> None:
    sizes = ("--model", "deepseek-v3", "--set", "L=128K", "--phase", "verify")
    for queries, named in ((1, "absorb"), (128, "absorb"), (4096, "expand")):
        found = data("orders", "mla+query-latent", *sizes, "--set", f"S={queries}")
        (order,) = found["orders"]
        assert (order["verdict"], order["witness"], order["member_of"]) == ("best", {}, [named])
        latent, width, heads, context = 512, 128, 128, 131072
        inputs = 2 * queries * (7168 * 1536 + 1536 * heads * width + 7168 * latent + heads * width * 7168)
        lift = 2 * 2 * heads * latent * width * (context if named == "expand" else queries)
        core = 2 * 2 * heads * queries * context * (width if named == "expand" else latent)
        assert order["flops"]["value"] == inputs + lift + core
        if order["flops"]["value"] > 2**53:
            assert order["flops"]["exact"] == str(inputs + lift + core)
    assert found["dims"]["L"] == 131072


def test_units_notation_and_files(tmp_path: Path) -> None:
    flops, macs = json.loads(of_mla()), data("orders", "mla", "--unit", "macs", "--region", "A")
    assert (flops["unit"], macs["unit"]) == ("flops", "macs")
    costs = {order["bracketing"]: order["flops"]["expr"] for order in flops["products"][1]["orders"]}
    for order in macs["orders"]:
        both = (sympy.sympify(text) for text in (costs.pop(order["bracketing"]), order["flops"]["expr"]))
        assert sympy.expand(next(both) - 2 * next(both)) == 0
    assert not costs
    note = data("orders", "mla", "--phase", "prefill", "--notation", "note", "--region", "A")
    assert all("T" in order["witness"] for order in note["orders"] if order["witness"])
    target = tmp_path / "x.json"
    assert derive("orders", "mla", "--region", "O", "--json", "-o", str(target)) == (0, "", "")
    assert json.loads(target.read_text()) == data("orders", "mla", "--region", "O")


def test_the_same_question_has_the_same_answer() -> None:
    """Whatever the order of sets and whatever was asked before."""
    command = [sys.executable, "-m", "derivations", "orders", "mla", "--json"]
    done = subprocess.run(command, capture_output=True, check=True, env={"PYTHONHASHSEED": "77"})
    assert json.loads(done.stdout) == json.loads(of_mla())


# einsum


def test_the_json_of_an_einsum() -> None:
    found = data("einsum", "ab,bc,cd->ad", "--constant", "1,2")
    assert found["schema"] == "derive/1"
    assert set(found) >= {"expression", "constants", "unit", "dims", "space", "bracketings", "counts", "orders"}
    assert (found["expression"], found["constants"], found["dims"]) == ("ab,bc,cd->ad", [1, 2], {})
    assert found["bracketings"] == 3
    for order in found["orders"]:
        check_order(order)
    costs = {order["bracketing"]: sympy.sympify(order["flops"]["expr"]) for order in found["orders"]}
    a, b, c, d = sympy.symbols("a b c d")
    assert set(costs) == {"(ab (bc cd))", "((ab bc) cd)"}
    assert sympy.expand(costs["(ab (bc cd))"] - 2 * a * b * d) == 0
    assert sympy.expand(costs["((ab bc) cd)"] - 2 * a * c * (b + d)) == 0
    (made,) = (order["offline"] for order in found["orders"] if order["offline"])
    assert [merged["product"] for merged in made] == ["(bc cd)"]
    assert sympy.expand(sympy.sympify(made[0]["flops"]["expr"]) - 2 * b * c * d) == 0
    assert sympy.expand(sympy.sympify(made[0]["replaces"]["expr"]) - b * c - c * d) == 0
    for order in found["orders"]:
        sizes = {sympy.Symbol(n): v for n, v in order["witness"].items()}
        values = {text: cost.subs(sizes) for text, cost in costs.items()}
        assert values[order["bracketing"]] == min(values.values())
        assert len(set(values.values())) == 2


@pytest.mark.parametrize("more", [(), ("--constant", "1", "--constant", "2"), ("--constant", " 2 , 1 ")])
def test_constants_may_be_given_in_any_way(more: tuple[str, ...]) -> None:
    assert data("einsum", "ab,bc,cd->ad", *more)["constants"] == ([1, 2] if more else [])


def test_sizes_of_an_einsum() -> None:
    partly = data("einsum", "ab,bc,cd->ad", "--set", "a=10")
    assert partly["dims"] == {"a": 10}
    assert all("a" not in (order["witness"] or {}) for order in partly["orders"])
    given = ("--set", "a=2", "--set", "b=1K", "--set", "c=1K", "--set", "d=3")
    wholly = data("einsum", "ab,bc,cd->ad", *given)
    (order,) = wholly["orders"]
    assert order["bracketing"] == "((ab bc) cd)"
    assert order["flops"]["value"] == 2 * (2 * 1024 * 1024 + 2 * 1024 * 3)
    assert data("einsum", "ab,bc->ac", "--unit", "macs")["orders"][0]["flops"]["expr"] == "a*b*c"


def test_an_output_that_is_left_out_has_what_occurs_once() -> None:
    assert data("einsum", "ba,cb")["expression"] == "ba,cb->ac"
    assert data("einsum", " b a , c b -> a c ")["expression"] == "ba,cb->ac"
    assert data("einsum", "ab,ab->")["expression"] == "ab,ab->"


@pytest.mark.parametrize("letters", ["SLHQ", "LSab", "SabL", "bBdN", "iIeE", "NOCS"])
def test_a_letter_is_nothing_but_an_index(letters: str) -> None:
    """S, L, b and those that sympy has other uses for."""
    w, x, y, z = letters
    plain, found = data("einsum", "pq,qr,rt->pt"), data("einsum", f"{w}{x},{x}{y},{y}{z}->{w}{z}")
    assert found["counts"] == plain["counts"] == {"best": 2, "never": 0, "undecided": 0}
    assert all(set(order["witness"]) <= set(letters) for order in found["orders"])
    swap = {old: sympy.Symbol(new) for old, new in zip(letters, "pqrt", strict=True)}
    costs, same = (
        {sympy.expand(sympy.sympify(order["flops"]["expr"], locals=names)) for order in page["orders"]}
        for page, names in ((found, swap), (plain, {}))
    )
    assert costs == same


def test_boundaries_of_an_einsum_speak_of_its_own_sizes_alone() -> None:
    """S and L are indices like any other here: no context that S must fit into."""
    text = shown("einsum", "xS,Sy,yz->xz")
    assert "cheaper below" in text
    assert not re.search(r"\bL\b", text)


# Refusals


BAD = [
    (("orders",), "missing argument 'VARIANT'"),
    (("orders", "mlaa"), "unknown variant 'mlaa'; did you mean 'mla'?"),
    (("orders", "mla", "--region", "Z"), "unknown product of mla 'Z'; known: A, C, K, O, Q, V, Y"),
    (("orders", "mla", "--region", "P"), "unknown product of mla 'P'; known: A, C, K, O, Q, V, Y"),
    (("orders", "mla+query-latent", "--region", "C_K"), "unknown product of mla+query-latent 'C_K'; did you mean 'C_Q'?"),
    (("orders", "mla", "--phase", "decod"), "unknown value of phase 'decod'; did you mean 'decode'?"),
    (("orders", "mla", "--pairs", "caus"), "unknown value of pairs 'caus'; did you mean 'causal'?"),
    (("orders", "mla", "--elementwise", "omitt"), "unknown value of elementwise 'omitt'; did you mean 'omit'?"),
    (("orders", "mla", "--unit", "mac"), "unknown value of unit 'mac'; did you mean 'macs'?"),
    (("orders", "mla", "--scope", "core"), "unknown option '--scope'; did you mean '--set'?"),
    (("orders", "mla", "--set", "d_modle=3"), "unknown symbol 'd_modle'; did you mean 'd_model'?"),
    (("orders", "mla", "--set", "S=4"), "decode has one query token, and S=4 was given; use --phase verify"),
    (("orders", "mla", "--assume", "d_k"), "--assume: 'd_k' is no comparison; write it like d_k + d_v < 2*d_c"),
    (("orders", "mla", "--assume", ""), "--assume: '' is no comparison; write it like d_k + d_v < 2*d_c"),
    (("orders", "mla", "--assume", "d_k <= d_x"), "--assume: unknown symbol of mla 'd_x'; did you mean 'd_v'?"),
    (("orders", "mla", "--assume", "d_k <= d_c <= d_v"), "--assume: 'd_k <= d_c <= d_v' is no comparison; write it like d_k + d_v < 2*d_c"),
    (("orders", "mla", "--assume", "d_k < d_c", "--set", "d_k=9", "--set", "d_c=9"), "mla assumes d_k < d_c, which fails for d_c=9, d_k=9"),
    (("orders", "mla", "--json", "--latex"), "--latex and --json were both given; choose one output format"),
    (("orders", "mla", "--model", "deepseek-v33"), "unknown model 'deepseek-v33'; did you mean 'deepseek-v3'?"),
    (("einsum",), "missing argument 'EXPRESSION'"),
    (("einsum", ""), "operand 0 of '' has no index; write for example ab,bc,cd->ad"),
    (("einsum", "--", "->"), "operand 0 of '->' has no index; write for example ab,bc,cd->ad"),
    (("einsum", "ab,,cd"), "operand 1 of 'ab,,cd' has no index; write for example ab,bc,cd->ad"),
    (("einsum", "ab,bc,"), "operand 2 of 'ab,bc,' has no index; write for example ab,bc,cd->ad"),
    (("einsum", "...a,ab->...b"), "operand 0 of '...a,ab->...b' has '.'; indices are single letters, as in ab,bc,cd->ad"),
    (("einsum", "a1,1b->ab"), "operand 0 of 'a1,1b->ab' has '1'; indices are single letters, as in ab,bc,cd->ad"),
    (("einsum", "aé,éb->ab"), "operand 0 of 'aé,éb->ab' has 'é'; indices are single letters, as in ab,bc,cd->ad"),
    (("einsum", "ab,bc->a->c"), "the output of 'ab,bc->a->c' has '-'; indices are single letters, as in ab,bc,cd->ad"),
    (("einsum", "ab,bc-ac"), "operand 1 of 'ab,bc-ac' has '-'; indices are single letters, as in ab,bc,cd->ad"),
    (("einsum", "ab,bc->ad"), "the output has the index d, which no operand has"),
    (("einsum", "ab,bc->aa"), "the output has the index a twice"),
    (("einsum", "a,b,c,d,e,f,g,h,i,j,k,l,m->a"), "the expression has 13 operands; the search covers 12 at most, since its work grows threefold with each"),
    (("einsum", "ab,cd->abcd", "--no-outer"), "->abcd has no order without an outer product: some factor shares no index with any other"),
    (("einsum", "ab,bc->ac", "--constant", "2"), "constant 2 is no operand; they count from 0, and the last is 1"),
    (("einsum", "ab,bc->ac", "--constant", "0,7"), "constant 7 is no operand; they count from 0, and the last is 1"),
    (("einsum", "ab,bc->ac", "--constant", "x"), "--constant 'x' is no number of an operand; they count from 0, as in --constant 1,2"),
    (("einsum", "ab,bc->ac", "--constant", ""), "--constant '' is no number of an operand; they count from 0, as in --constant 1,2"),
    (("einsum", "ab,bc->ac", "--constant", "0,"), "--constant '' is no number of an operand; they count from 0, as in --constant 1,2"),
    (("einsum", "ab,bc->ac", "--constant", "-1"), "--constant '-1' is no number of an operand; they count from 0, as in --constant 1,2"),
    (("einsum", "ab,bc->ac", "--constant", "1.0"), "--constant '1.0' is no number of an operand; they count from 0, as in --constant 1,2"),
    (("einsum", "ab,bc->ac", "--constant", "9" * 4000), f"--constant '{'9' * 20}' is no number of an operand; they count from 0, as in --constant 1,2"),
    (("einsum", "ab,bc->ac", "--set", "a=0"), "--set a=0: a must be at least 1"),
    (("einsum", "ab,bc->ac", "--set", "b=0"), "--set b=0: b must be at least 1"),
    (("einsum", "ab,bc->ac", "--set", "b=2.5"), "--set b=2.5: must be a whole number, such as b=4096 or b=128K"),
    (("einsum", "ab,bc->ac", "--set", "z=3"), "unknown symbol 'z'; known: a, b, c"),
    (("einsum", "ab,bc->ac", "--set", "a"), "--set a: write it as NAME=VALUE, such as L=8192"),
    (("einsum", "ab,bc->ac", "--unit", "mac"), "unknown unit 'mac'; did you mean 'macs'?"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(a)[:60] for a, _ in BAD])
def test_wrong_input_is_one_sentence(arguments: tuple[str, ...], message: str) -> None:
    with within(2):
        assert refused(*arguments) == message


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("orders", "mla", "rope"), "rope"),
        (("orders", "mla", "--order", "absorb"), "unknown option '--order'; did you mean "),
        (("einsum", "ab,bc->ac", "--phase", "decode"), "unknown option '--phase'; did you mean "),
        (("einsum", "ab", "bc"), "bc"),
        (("einsum", "->"), "'->'"),
    ],
)
def test_words_too_many_are_named(arguments: tuple[str, ...], word: str) -> None:
    assert word in refused(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("einsum", "a" * 401),
        ("einsum", "ab," * 200 + "ab"),
        ("einsum", "->" * 300),
        ("einsum", "," * 10**6),
        ("orders", "mla", "--assume", "d_k <= " + "(" * 150 + "d_c" + ")" * 150),
        ("orders", "mla", "--assume", "d_k <= " + "d_c*" * 5000 + "d_c"),
        ("orders", "mla", "--region", "K" * 10**5),
        ("crossover", "mla", "absorb", "A=" + "(" * 10**5),
        ("mla", "--order", "A=" + "(X " * 190),
    ],
    ids=lambda a: " ".join(a)[:40],
)
def test_long_and_deep_input_ends_quickly(arguments: tuple[str, ...]) -> None:
    with within(2):
        assert len(refused(*arguments)) < 500


@pytest.mark.parametrize(
    "texts", [("d_k <= d_c", "d_c < d_k"), ("L < S",), ("d_k >= 100", "d_k <= 7"), ("d_k*d_c = 4099",)]
)
def test_assumptions_that_hold_nowhere_or_hardly_do_not_hang(texts: tuple[str, ...]) -> None:
    """At once with a sentence, or soon with orders."""
    with within(1):
        status, _, err = derive(
            "orders", "mla", "--region", "A", *(word for text in texts for word in ("--assume", text))
        )
    assert (status, err.count("\n")) in ((2, 1), (0, 0))


# Documents


PAGES = [
    ("orders", "mla"),
    ("orders", "mla+query-latent", "--phase", "prefill", "--pairs", "causal", "--region", "A"),
    ("orders", "mla", "--phase", "verify", "--notation", "article", "--unit", "macs"),
    ("orders", "mla", "--model", "kimi-k3", "--set", "L=8192"),
    ("orders", "gqa", "--phase", "verify"),
    ("einsum", "ab,bc,cd->ad", "--constant", "1,2"),
    ("einsum", "ab,bc,cd,de->ae"),
    ("einsum", "aS,SL,Lb,bI->aI"),
    ("einsum", "ab,ab,b->a"),
    ("einsum", "ab->a"),
    ("einsum", "ab,bc->ac", "--constant", "0,1"),
    ("einsum", "ab,bc->ac", "--set", "a=2", "--set", "b=3", "--set", "c=4"),
    ("crossover", "mla", "absorb", "form=K,avoid=V"),
]  # fmt: skip


@needs_latex
@pytest.mark.parametrize("arguments", [PAGES[n] for n in (0, 1, 5, 7, 8, 12)], ids=lambda a: " ".join(a))
def test_latex_compiles_in_one_run_without_complaint(arguments: tuple[str, ...], tmp_path: Path) -> None:
    said = compiled(shown(*arguments, "--latex"), tmp_path)
    assert [line for line in said.splitlines() if re.search(r"Overfull|undefined|Missing char", line)] == []


@pytest.mark.parametrize("arguments", PAGES, ids=lambda a: " ".join(a))
def test_text_and_markdown(arguments: tuple[str, ...]) -> None:
    text, markdown = shown(*arguments), shown(*arguments, "--markdown")
    assert all(len(line) <= 100 or "  " in line for line in text.splitlines())
    assert not re.search(r"\bNone\b|Poly\(|Fraction\(|<[a-z]+>", text)
    assert not text.endswith("\n\n")
    for page in (text, markdown):
        assert not re.search(r"best at *(\n|\||$)", page, flags=re.M), "a witness without sizes"
        assert not re.search(r"\b1 (are|orders|operands) ", page)
    prose = re.sub(r"```math\n.*?\n```", "", markdown, flags=re.S)
    for block in prose.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") - line.count("\\|") for line in block.splitlines()}) == 1
    assert not re.search(r"(?<!\$`[^`])\$(?!`)(?<!`\$)", re.sub(r"\$`[^`]*`\$", "", prose))


def test_the_page_says_what_was_searched_and_why() -> None:
    text = " ".join(shown("orders", "mla", "--region", "A").split())
    assert "every bracketing, outer products included; 15 orders" in text
    assert "5 can be best" in text
    assert re.search(r"\b1 (is )?never\b", text)
    assert re.search(r"4 never best one of [0-9, and]+ costs no more, whatever the sizes", text)
    assert ">= 0" in text
    assert "d_c d_k / (d_c - d_k)" in " ".join(shown("crossover", "mla", "absorb", "form=K,avoid=V").split())


def test_whole_orders_are_listed_once_with_their_choices() -> None:
    text = shown("orders", "mla")
    part = text[text.index("Whole orders") :]
    rows = re.findall(r"^ *([1-6]) +([1-6]) .*best at", part, flags=re.M)
    assert len(rows) == len(set(rows)) == 15
    assert all(one != two for one, two in pairwise(rows))


def test_help_says_what_the_options_do() -> None:
    orders, einsum = shown("orders", "--help"), shown("einsum", "--help")
    assert all(option in orders for option in ("--region", "--no-outer", "--assume", "--phase", "--json"))
    assert all(option in einsum for option in ("--constant", "--set", "--no-outer", "--unit", "--json"))


def test_the_crossover_of_an_order_that_is_asked_for() -> None:
    found = data("crossover", "mla", "absorb", "form=K,avoid=V")
    t, c, k = sympy.symbols("L d_c d_k")
    root, limit = (sympy.sympify(found[key]["expr"]) for key in ("solution", "limit"))
    assert sympy.simplify(root - t * c * k / (c * k + t * (c - k))) == 0
    assert sympy.simplify(limit - c * k / (c - k)) == 0
    assert (found["in"], found["below"], found["above"]) == ("S", "absorb", "form=K,avoid=V")
    assert found["condition"]["expr"] == "d_c > d_k"
