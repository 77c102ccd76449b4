"""Statements about all bracketings, recounted from labels and at random sizes."""

# ruff: noqa: E501 - tables of messages, one a line

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from every_order import Count, Program, admitted, brackets, survivors, trees
from samples import refused

from derivations import statements as module
from derivations.errors import InputError, Place
from derivations.notation import Notation
from derivations.pages.marked import marked
from derivations.pages.parts import Setter
from derivations.pages.statements import carried_blocks
from derivations.poly import Poly
from derivations.render import render
from derivations.report import Math, Report
from derivations.rulings import Carrier, Ruling, carried, ruled
from derivations.sizechecks import check_sizes
from derivations.statements import Carried, Rule, Statements, load_statements, statement_names
from derivations.verdicts import Status

# The files that ship


@pytest.mark.parametrize("name", ["note", "rope"])
def test_the_files_load(name: str) -> None:
    found = load_statements(name)
    assert found.name == name
    assert found.title
    assert found.intro == " ".join(found.intro.split())
    assert found.rules
    for rule in found.rules:
        assert rule.caches in ("kept", "none")
        assert rule.phase in ("decode", "verify", "prefill")
        assert rule.says


def test_there_are_no_others() -> None:
    assert statement_names() == ("note", "rope")
    assert [len(load_statements(name).rules) for name in statement_names()] == [7, 1]
    assert [len(load_statements(name).carries) for name in statement_names()] == [0, 2]
    model = load_statements("note").model
    assert model is not None
    assert model.name == "deepseek-v2"
    assert load_statements("rope").model is None


# RoPE in the key


def scores(name: str) -> tuple[Program, int]:
    whole = Program(name, "verify")
    return whole, next(i for i, region in enumerate(whole.regions) if region.root == "A")


def holds_product(whole: Program, index: int, tree, context: str, latent: str, widths: set[str]) -> bool:
    """Whether some step, not one of weights alone, runs over the context, the latent and a key width."""
    region = whole.regions[index]
    for left, right in tree:
        axes = {region.axis_of[label] for label in survivors(region, left) | survivors(region, right)}
        if {context, latent} <= axes and axes & widths and not whole.offline(index, left | right):
            return True
    return False


@cache
def counted(place: int) -> Carrier:
    return carried(load_statements("rope").carries[place])


def test_with_the_rotation_in_the_key_every_order_carries_the_product() -> None:
    found = counted(0)
    whole, index = scores("mla-rope-in-key")
    carry = [holds_product(whole, index, tree, "t", "c", {"k", "m"}) for tree in trees(6)]
    assert (len(carry), carry.count(False)) == (945, 0)
    assert (found.orders, found.without, found.example) == (945, 0, None)
    assert sum(count for _, count, _ in found.steps) == 945


def test_without_it_some_orders_that_do_not_form_the_key_are_free_of_it() -> None:
    found = counted(1)
    whole, index = scores("mla")
    region = whole.regions[index]
    allowed = admitted(region, avoids=("K",))
    free = [tree for tree in allowed if not holds_product(whole, index, tree, "t", "c", {"k"})]
    assert (found.orders, found.without) == (len(allowed), len(free)) == (12, 5)
    assert [leaf.tensor for leaf in region.leaves] == ["X", "W_Q", "C", "W_UK"]
    assert found.example == ((1, 2), (3, 8), (11, 4))  # ((X W_Q) W_UK) C: absorbing, with no outer product
    assert found.example in free
    assert sum(count for _, count, _ in found.steps) == 12 - 5
    # each of the five that can be best forms no K and is free of it, as absorbing is
    assert (found.best, found.best_without) == (4, 4)


def test_the_steps_that_are_named_stand_in_the_orders_they_are_said_to() -> None:
    found = counted(1)
    whole, index = scores("mla")
    region = whole.regions[index]
    size = {"s": "S", "t": "L", "h": "H", "d": "d_model", "c": "d_c", "k": "d_k"}
    allowed = set(admitted(region, avoids=("K",)))
    for flops, _, example in found.steps:
        steps = set()
        assert example in allowed
        for left, right in example:
            points = Poly.const(2)
            for label in survivors(region, left) | survivors(region, right):
                points = points * Poly.symbol(size[label])
            steps.add(points)
        assert flops in steps
        assert flops * (Poly.symbol("L") * Poly.symbol("d_c") * Poly.symbol("d_k")).inverse()


@cache
def rotated() -> Ruling:
    return ruled(load_statements("rope").rules[0])


def test_under_its_assumptions_two_orders_are_left() -> None:
    ruling = rotated()
    assert len(ruling.found.orders) == 2
    assert ruling.found.bracketings == 945
    (own,) = ruling.inside
    ((rival, crossover),) = ruling.rivals
    assert not ruling.holds
    h, t, s, d, c, k = (Poly.symbol(n) for n in ("H", "L", "S", "d_model", "d_c", "d_k"))
    assert own.bracketing == "((R_Q (X W_Q)) (R_K (C W_UK)))"
    assert own.flops == (h * s * d * k + h * s * k * k + h * t * c * k + h * t * k * k + h * s * t * k) * 2
    assert rival.bracketing == "(((R_Q R_K) (C W_UK)) (X W_Q))"
    pairs = s * t * k * k * k + h * s * t * k * k + h * s * t * k
    assert rival.flops == (h * s * d * k + h * t * c * k + pairs) * 2
    assert rival.verdict.status is Status.BEST
    assert crossover is not None
    # rule - rival = 2 d_k^2 (H L + S (H - H L - L d_k)): at S = 1 above 0 where H > L d_k, from S = 2 on never
    assert own.flops - rival.flops == (h * t + s * (h - h * t - t * k)) * k * k * 2


def test_forming_the_key_is_cheapest_unless_heads_outnumber_the_context_by_far() -> None:
    """At S = 1 and H > L d_k, and nowhere else: over all 945 trees at 500 legal sizes."""
    ruling = rotated()
    whole, index = scores("mla-rope-in-key")
    rng = random.Random(14)
    points = []
    while len(points) < 500:
        narrow = 3 + int(2 ** rng.uniform(0, 7)) - 1
        wide = [narrow + rng.choice([0, rng.randint(0, 3), int(2 ** rng.uniform(0, 12))]) for _ in range(2)]
        context = int(2 ** rng.uniform(0, rng.choice([2, 5, 14])))
        queries = rng.choice([1, 1, rng.randint(1, context)])
        limit = context * narrow
        heads = rng.choice([int(2 ** rng.uniform(0, 16)), max(1, limit + rng.randint(-2, 2)), limit + 1, limit])
        point = dict(H=heads, L=context, S=queries, d_k=narrow, d_c=wide[0], d_model=wide[1], d_v=1)  # noqa: C408
        check_sizes(ruling.study.variant, point, ruling.study.conventions)
        points.append(point)
    count = Count(whole, points)
    region = whole.regions[index]
    keys = {named.members for named in region.named if named.name == "K"}
    costs: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for tree in trees(6):
        costs[keys <= brackets(region, tree)].append(count.cost({index: tree}))
    formed, others = (np.minimum.reduce(costs[kind]) for kind in (True, False))
    expected = [point["S"] == 1 and point["H"] > point["L"] * point["d_k"] for point in points]
    assert [other < form for other, form in zip(others, formed, strict=True)] == expected
    assert 100 < sum(expected) < 400
    equal = [point["S"] == 1 and point["H"] == point["L"] * point["d_k"] for point in points]
    assert all(other == form for other, form, tie in zip(others, formed, equal, strict=True) if tie)
    assert any(equal)


# How it is said


def test_the_page_says_it_in_formulas_and_renames_indices_apart() -> None:
    first, second = (render(Report("", "", tuple(carried_blocks([counted(n)])), ()), "text") for n in (0, 1))
    joined = [" ".join(text.split()) for text in (first, second)]
    assert "A[h,s,t] = R_Q[s,k,m] X[s,d] W_Q[h,d,m] R_K[t,k,m'] C[t,c] W_UK[h,c,m']" in joined[0]
    assert "Written as one product, with m' for one of the program's sums over m:" in joined[0]
    assert "It has 945 bracketings. Every one has a step whose FLOPs are a multiple of L d_c d_k." in joined[0]
    assert "Written as one product:" in joined[1]
    assert "It has 12 bracketings that never form K. 5 of them have no step" in joined[1]
    assert "One without: ((X W_Q) W_UK) C." in joined[1]
    assert "`" not in first + second
    latex = render(Report("", "", tuple(carried_blocks([counted(0)])), ()), "latex")
    assert r"W\_UK" not in latex


def test_words_between_backquotes_are_formulas() -> None:
    space = counted(0).space
    setter = Setter(Notation.of(space.graph.variant.symbols, None, "verify"), space.graph.variant, space.sizes)
    found = marked("sum `m'` of `R_K` in `d_k <= 3`", space, setter)
    assert [piece if isinstance(piece, str) else piece.text for piece in found] == [
        "sum ", "m'", " of ", "R_K", " in ", "d_k <= 3"
    ]  # fmt: skip
    assert found[3] == Math("R_K", "R_K")
    with pytest.raises(InputError) as caught:
        marked("`W_UKK`", space, setter, Place("mine.yaml", 3))
    assert str(caught.value) == "mine.yaml:3: unknown name in mla-rope-in-key 'W_UKK'; did you mean 'W_UK'?"


# The note's rules


NOTE = load_statements("note").rules


@pytest.mark.parametrize("rule", NOTE, ids=[rule.name for rule in NOTE])
def test_rules_are_judged_as_brute_force_judges_them(rule: Rule) -> None:
    """A rival that is named can cost less than all of the set; where none is, nothing outside ever does."""
    ruling = ruled(rule)
    whole = Program(ruling.study.variant, rule.phase, rule.caches)
    space = ruling.found.groups[0].spaces[0]
    ordered = [comparison.text for comparison in ruling.study.variant.assume]
    assert set(rule.assume) <= set(ordered)
    index = next((i for i, region in enumerate(whole.regions) if region.root == rule.region), None)
    if index is None:
        return  # a part of a product: test_a_part_of_a_product_is_judged_by_its_own_orders
    assert whole.regions[index] == space.region
    named = dict.fromkeys(("form", "avoid"), ())
    for part in rule.order.split(","):
        word, _, name = part.partition("=")
        named[word] = (*named[word], name)
    inside = admitted(space.region, named["form"], named["avoid"])
    outside = [tree for tree in trees(len(space.region.leaves)) if tree not in set(inside)]
    rng = random.Random(rule.name)
    points = [fitted(rng, rule) for _ in range(150)]
    witnesses = [whole.whole(rival.verdict.witness) for rival, _ in ruling.rivals if rival.verdict.witness]
    count = Count(whole, [*points, *witnesses])
    own, others = count.least({index: inside}), count.least({index: outside})
    assert ruling.inside
    assert ruling.holds is not bool(ruling.rivals)
    if ruling.holds:
        assert (own <= others).all()
    for place in range(len(points), len(points) + len(witnesses)):
        assert others[place] < own[place]


def fitted(rng: random.Random, rule: Rule) -> dict[str, int]:
    """Sizes under d_k, d_v <= d_c <= d_model, which is what the note assumes at most."""
    narrow, latent, model = sorted(int(2 ** rng.uniform(0, 13)) for _ in range(3))
    context = int(2 ** rng.uniform(0, 15))
    queries = {"decode": 1, "prefill": context, "verify": rng.randint(1, context)}[rule.phase]
    return {
        "H": rng.randint(1, 200), "L": context, "S": queries, "d_k": narrow, "d_v": rng.randint(1, narrow),
        "d_c": latent, "d_model": model, "d_q": int(2 ** rng.uniform(0, 13)),
    }  # fmt: skip


def test_a_part_of_a_product_is_judged_by_its_own_orders() -> None:
    """K = X W_DKV W_UK: the latent first, or the merged projection where H (d_model - d_c) d_k < d_c d_model."""
    (rule,) = (rule for rule in NOTE if rule.region == "K")
    ruling = ruled(rule)
    h, t, d, c, k = (Poly.symbol(n) for n in ("H", "L", "d_model", "d_c", "d_k"))
    (own,) = ruling.inside
    ((rival, crossover),) = ruling.rivals
    assert own.flops == (t * d * c + h * t * c * k) * 2
    assert rival.flops == h * t * d * k * 2
    assert crossover is not None
    (solution,) = crossover.solutions
    assert crossover.symbol == "H"
    assert solution.root.value({"d_model": 10, "d_c": 4, "d_k": 3}) * 3 * (10 - 4) == 4 * 10
    assert (solution.below, solution.above) == ("the rival", "the rule")


# Files that are wrong


FILE = """\
statements: mine
title: Mine
intro: About mine.
carries:
  - variant: mla
    region: A
    phase: verify
    divisor: L*d_c*d_k
rules:
  - name: scores
    says: do not form K
    variant: mla
    phase: decode
    region: A
    order: form=Q,avoid=K
    assume: ["d_k <= d_c"]
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Statements]:
    """Reads a text as if it were one of the files that ship."""

    def read(text: str) -> Statements:
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        monkeypatch.setattr(module, "resource", lambda *parts: path)
        return load_statements("mine")

    return read


def changed(old: str, new: str) -> str:
    assert FILE.count(old) == 1, old
    return FILE.replace(old, new)


AT = "models/statements/mine.yaml"


def test_a_file_of_ones_own(load) -> None:
    found = load(FILE)
    (rule,), (claim,) = found.rules, found.carries
    assert rule == Rule(
        "scores", "do not form K", "mla", "decode", "kept", "A", "form=Q,avoid=K", ("d_k <= d_c",)
    )
    assert claim == Carried(
        "mla", "verify", "A", "", Poly.symbol("L") * Poly.symbol("d_c") * Poly.symbol("d_k")
    )


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("title: Mine\n", "", 1),
        ("intro: About mine.\n", "", 1),
        ("    order: form=Q,avoid=K\n", "", 10),
        ("    says: do not form K\n", "", 10),
        ("    divisor: L*d_c*d_k\n", "", 5),
        ("title: Mine", "titel: Mine", 2),
        ("    says: do", "    sais: do", 11),
        ("divisor: L*d_c*d_k", "divisor: L*", 8),
        ("divisor: L*d_c*d_k", "divisor: [L]", 8),
        ('assume: ["d_k <= d_c"]', "assume: 3", 16),
        ("rules:\n  - name", "rules:\n    name", 10),
        ("says: do not form K", "says: ", 11),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(load, old: str, new: str, line: int) -> None:
    message = refused(load, changed(old, new))
    assert message.startswith((f"{AT}:{line} ", f"{AT}:{line}: ")), message


RULE, CLAIM = range(10, 17), range(5, 9)
UNKNOWN = [
    ("    says: do not form K\n    variant: mla\n", "    says: x\n    variant: mlaa\n", RULE, "unknown variant 'mlaa'; did you mean 'mla'?"),
    ("    phase: decode\n", "    phase: decod\n", RULE, "unknown value of phase 'decod'; did you mean 'decode'?"),
    ("    phase: decode\n    region: A\n", "    phase: decode\n    region: Z\n", RULE, "unknown product of mla 'Z'"),
    ("order: form=Q,avoid=K", "order: form=Q,avoid=Kx", RULE, "unknown intermediate of mla 'Kx'; did you mean 'K'?"),
    ('["d_k <= d_c"]', '["d_k <= d_x"]', RULE, "unknown symbol of mla 'd_x'"),
    ("- variant: mla\n", "- variant: mlaa\n", CLAIM, "unknown variant 'mlaa'; did you mean 'mla'?"),
    ("divisor: L*d_c*d_k", "divisor: L + d_c", CLAIM, ""),
    ("divisor: L*d_c*d_k", "divisor: L*d_x", CLAIM, ""),
    ("- variant: mla\n", "- variant: mla+rope\n", CLAIM, ""),  # A is a sum of two products there
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "lines", "says"), UNKNOWN, ids=[new.strip() for _, new, *_ in UNKNOWN])
def test_what_fits_no_variant_is_said_with_file_and_line(
    load, old: str, new: str, lines: range, says: str
) -> None:
    def all_of_it() -> None:
        found = load(changed(old, new))
        for claim in found.carries:
            carried(claim)
        for rule in found.rules:
            ruled(rule)

    with pytest.raises(InputError) as caught:
        all_of_it()
    assert says in str(caught.value)
    place = re.match(rf"{AT}:([0-9]+)\b", str(caught.value))
    assert place, str(caught.value)
    assert int(place[1]) in lines


def test_a_rule_may_be_one_bracketing(load) -> None:
    (rule,) = load(changed("order: form=Q,avoid=K", "order: A=(X W_Q) (C W_UK)")).rules
    ruling = ruled(rule)
    assert [order.bracketing for order in ruling.inside] == ["((X W_Q) (C W_UK))"]
    assert len(ruling.rivals) == sum(o.verdict.status is not Status.NEVER for o in ruling.found.orders) - 1


def test_a_file_that_is_not_there() -> None:
    assert "nope" in refused(load_statements, "nope")
