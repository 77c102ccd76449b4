"""The free draft as formula and number, tokens and times by hand, and what must grow with what."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from command import data, shown
from sympy import Symbol, simplify
from test_figures import same

from derivations.atoms import evaluate
from derivations.checkpoints import load_checkpoint
from derivations.conventions import Conventions
from derivations.derivation import Study, derive
from derivations.errors import InputError
from derivations.hardware import load_accelerator
from derivations.library import load_variant
from derivations.prefix import with_prefix
from derivations.sharding import Split
from derivations.speculation import acceptance_of, budget_of, drafted, expected

H100 = load_accelerator("h100-sxm")
V3 = {"H": 128, "d_k": 128, "d_v": 128, "d_c": 512, "d_r": 64, "d_model": 7168, "b": 2, "L": 8192}
LAYER = Conventions(scope="layer")
HEADS = {**V3, "H_q": 64, "H_kv": 8, "d_I": 128, "H_I": 64, "n": 2048, "w": 1024, "d_j": 64}


def study_of(name: str, values: Mapping[str, object], **more) -> Study:
    variant = load_variant(name) if isinstance(name, str) else name
    knobs = more.pop("conventions", Conventions())
    return Study(variant, knobs, {n: v for n, v in values.items() if n in variant.symbols}, gpu=H100, **more)


# The free draft

BUDGETS = [
    ("mha", "direct", "R*b/2", {"h100-sxm": 295, "h200": 206, "b200": 281}),
    ("gqa", "direct", "R*b*H_kv/(2*H_q)", {"h100-sxm": 36, "h200": 25, "b200": 35}),
    ("mqa", "direct", "R*b/(2*H)", {"h100-sxm": 2, "h200": 1, "b200": 2}),
    ("mla+rope", "absorb", "R*b*(d_c+d_r)/(2*H*(2*d_c+d_r))", {"h100-sxm": 1, "h200": 0, "b200": 1}),
]


@pytest.mark.parametrize(("name", "order", "formula", "numbers"), BUDGETS, ids=[row[0] for row in BUDGETS])
def test_the_free_draft(name, order, formula, numbers):
    study = study_of(name, HEADS)
    budget = budget_of(study, order)
    assert budget.root is not None
    text = str(
        simplify(budget.root.sympy().subs({s: Symbol(s.name) for s in budget.root.sympy().free_symbols}))
    )
    assert same(text, formula)
    for gpu, most in numbers.items():
        ridge = load_accelerator(gpu).ridge()
        assert budget.at(study.values, ridge) == most
        for queries, left in ((most, True), (most + 1, False)):
            flops, moved = (
                found.value(getattr(found, kind)) if queries else 0
                for kind in ("flops", "bytes")
                for found in [derive(study_of(name, {**HEADS, "S": max(queries, 1)},
                                              conventions=Conventions(phase="verify")), order)]
            )  # fmt: skip
            assert (flops <= ridge * moved) is left
    assert budget_of(study_of(name, {"L": 64}), order).at({"L": 64}, H100.ridge()) is None


@pytest.mark.parametrize(("gpu", "holds"), [("h100-sxm", True), ("h200-sxm", False)])
def test_a_formula_that_holds_in_one_regime_says_where(gpu, holds):
    # Queries that choose n rows each read min(L, S n) of them. The formula is that of S n > L; there
    # b R (d_c + d_r) n > 2 H (2 d_c + d_r) min(L, n). With L > n that is 1,152 R > 278,528, or R > 241.8.
    study = study_of("dsa+rope", {**HEADS, "L": 32768})
    budget = budget_of(study, "absorb")
    ridge = load_accelerator(gpu).ridge()
    (condition,) = budget.conditions
    assert condition.holds({**study.values, "R": ridge}) is holds
    assert (ridge > Fraction(278528, 1152)) is holds
    reached = budget.root.value({**study.values, "R": ridge})
    assert (budget.at(study.values, ridge) == int(reached)) is holds
    text = shown("speculate", "dsa+rope:absorb", "mqa")
    assert text.count("holds where") == 1
    assert "The formula of dsa+rope, absorb holds where" in text
    found = data("speculate", "dsa+rope:absorb", "mqa")["variants"]
    assert [len(one["ridge_where"]) for one in found] == [1, 0]


@pytest.mark.parametrize(
    ("name", "order"),
    [("mha", "direct"), ("mla+rope", "absorb"), ("mla+rope", "expand"), ("dsa", "absorb"), ("dsa", "expand"),
     ("./tests/variants/window-diff.yaml", "absorb"), ("./tests/variants/gla.yaml", "absorb")],
)  # fmt: skip
@pytest.mark.parametrize(
    ("scope", "pairs"), [("core", "full"), ("core", "causal"), ("attention", "full"), ("kernel", "full")]
)
def test_the_budget_against_a_scan(name, order, scope, pairs):
    """The largest S up to which FLOPs stay below R times bytes, S by S; all of them: L, or nothing said."""
    rng = random.Random(f"{name} {order} {scope} {pairs}")
    for _ in range(3):
        values = {n: rng.randint(1, 12) for n in HEADS} | {"L": rng.randint(20, 60), "b": 2, "d_model": 16}
        values["G"], values["H"] = 2, 2 * values["H"]
        ridge = Fraction(rng.choice([3, 20, 70, 400]), 2)
        study = study_of(name, values, conventions=Conventions(scope=scope, pairs=pairs))
        try:
            budget = budget_of(study, order)
        except InputError:
            return
        cost = budget.cost
        known = {**study.values, "b": 2}
        most = 0
        while most < values["L"]:
            here = {**known, "S": most + 1}
            flops, moved = (evaluate(x, here) for x in (cost.flops, cost.bytes))
            if flops > ridge * moved:
                break
            most += 1
        found = budget.at(known, ridge)
        assert min(values["L"] if found is None else found, values["L"]) == most, (values, ridge)


def test_the_unit_of_arithmetic_does_not_move_the_ridge():
    """A multiply-add is two FLOPs on the ridge, whatever the ledger counts."""
    study = study_of("mla+rope", V3, conventions=Conventions(unit="macs"))
    assert budget_of(study, "absorb").at(study.values, H100.ridge()) == 1


def test_ranks_widen_the_free_draft_of_latent_attention():
    """16 of 128 heads on each of 8 ranks: 8 times 1.22; grouped queries gain nothing."""
    for split, most in ((Split(tp=8), 9), (Split(cp=8), 1), (Split(dp=8), 1)):
        study = study_of("mla+rope", V3, split=split)
        assert budget_of(study, "absorb").at(study.values, H100.ridge()) == most
    study = study_of("gqa", HEADS, split=Split(tp=8))
    assert budget_of(study, "direct").at(study.values, H100.ridge()) == 36


def test_four_queries_of_the_card():
    for name, order, value in (("mla+rope", "absorb", 967), ("gqa", "direct", 32)):
        found = derive(study_of(name, {**HEADS, "S": 4}, conventions=Conventions(phase="verify")), order)
        assert round(found.value(found.intensity)) == value


def test_a_shared_prefix_is_read_for_the_whole_batch():
    """All context shared but 4 tokens: 64 sequences leave 1/64 of the queries."""
    values = {**HEADS, "L": 100_004, "L_p": 100_000, "B": 64}
    study = study_of(with_prefix(load_variant("gqa")), values)
    budget = budget_of(study, "direct").at(study.values, H100.ridge())
    moved = Fraction(100_000 + 4 * 64, 100_004 * 64)
    assert budget == int(H100.ridge() * 2 * 8 * moved / (2 * 64))


# Accepted tokens


@pytest.mark.parametrize(("chance", "draft"), [("0", 5), ("0.5", 1), ("0.8", 4), ("0.95", 64), ("1", 7)])
def test_geometric_acceptance(chance, draft):
    a = Fraction(chance)
    tokens = expected(acceptance_of(chance), draft)
    assert tokens == (draft + 1 if a == 1 else (1 - a ** (draft + 1)) / (1 - a))


def test_a_chance_for_each_position():
    chances = acceptance_of("0.9, 0.8,0.5")
    assert [expected(chances, n) for n in range(4)] == [1, Fraction("1.9"), Fraction("2.62"), Fraction("2.98")]
    assert expected(chances, 4) == Fraction("2.98") + Fraction("0.18")  # the last goes on


@pytest.mark.parametrize(
    "text",
    ["1.01", "-0.1", "", ",", "0.5,", "half", "nan", "inf", "1e-1", "0.5,2", "0.9 0.8", "1/0", "0x1",
     ",".join("1" * 65), ",".join(["0.123456"] * 50) + ",7"],
)  # fmt: skip
def test_no_chance(text):
    with pytest.raises(InputError, match="--acceptance"):
        acceptance_of(text)


# Times by hand


def layer(s: int, batch: int, h: int, d: int, k: int, v: int, tokens: int) -> Fraction:
    """Seconds of a layer of multi-query attention: five kernels, two bytes an element."""

    def kernel(flops: int, moved: int, weights: int = 0) -> Fraction:
        peak, bandwidth = Fraction(9895 * 10**11), Fraction(335 * 10**10)
        return max(batch * flops / peak, 2 * (batch * moved + weights) / bandwidth)

    projections = [(2 * s * d * w, s * (d + w), d * w) for w in (k, v, h * k, h * v)]
    core = kernel(2 * h * s * tokens * (k + v), tokens * (k + v) + s * h * (k + v))
    return core + sum(kernel(*one) for one in projections)


@pytest.mark.parametrize("batch", [1, 64, 4096])
@pytest.mark.parametrize("vocabulary", [None, 50_000])
def test_steps_by_hand(batch, vocabulary):
    """Verification, the draft (4 d^2, a block, 2 d V, each against its bytes), tokens and speedup."""
    h, d, k, v, tokens = 71, 4544, 64, 64, 4096
    values = {"H": h, "d_model": d, "d_k": k, "d_v": v, "b": 2, "L": tokens, "B": batch}
    steps = drafted(
        study_of("mqa", values, conventions=LAYER), "direct", range(4), acceptance_of("0.8"), vocabulary
    )
    one = layer(1, batch, h, d, k, v, tokens)
    for matrix in (2 * d * d, d * (vocabulary or 0)):
        one += max(2 * matrix * batch / Fraction(9895 * 10**11), 2 * matrix / Fraction(335 * 10**10))
    plain = layer(1, batch, h, d, k, v, tokens)
    for step in steps:
        verify = layer(step.draft + 1, batch, h, d, k, v, tokens)
        assert (step.verify, step.drafting) == (verify, one * step.draft)
        assert step.tokens == sum(Fraction("0.8") ** i for i in range(step.draft + 1))
        assert step.speedup == step.tokens * plain / (verify + one * step.draft)
    assert steps[0].speedup == 1


def test_layers_of_a_model():
    """61 layers are verified, one drafts."""
    model = load_checkpoint("deepseek-v3")
    alone, whole = (
        drafted(
            study_of("mla+rope", V3, model=given, conventions=LAYER),
            "absorb",
            (0, 3),
            acceptance_of("0.8"),
            None,
        )
        for given in (None, model)
    )
    assert model.attention_layers == 61
    for one, all_layers in zip(alone, whole, strict=True):
        assert all_layers.verify == 61 * one.verify
        assert all_layers.drafting == one.drafting


@pytest.mark.parametrize(("batch", "ranks"), [(64, 4), (4096, 8)])
def test_a_draft_over_batch_ranks(batch, ranks):
    """One rank drafts for its sequences alone."""
    parts = [
        drafted(
            study_of("mqa", {**V3, "B": size}, split=split, conventions=LAYER),
            "direct",
            (2,),
            acceptance_of("0.8"),
            129_280,
        )
        for size, split in ((batch, Split(dp=ranks)), (batch // ranks, Split()))
    ]
    assert parts[0] == parts[1]


@pytest.mark.parametrize(("name", "order"), [("mha", "direct"), ("mqa", "direct"), ("mla+rope", "absorb")])
def test_what_grows_with_what(name, order):
    study = study_of(name, V3, conventions=LAYER)
    low, high = (drafted(study, order, range(12), acceptance_of(a), None) for a in ("0.3", "0.9"))
    for steps in (low, high):
        for one, two in pairwise(steps):
            assert one.verify <= two.verify
            assert one.drafting < two.drafting
            assert one.tokens < two.tokens
    assert all(one.speedup <= two.speedup for one, two in zip(low, high, strict=True))
    assert all(s.speedup <= 1 for s in drafted(study, order, range(5), acceptance_of("0"), None))


@pytest.mark.parametrize(
    ("values", "gpu"), [({**V3, "d_model": None}, H100), ({**V3, "L": None}, H100), (V3, None)]
)
def test_what_a_time_needs(values, gpu):
    known = {n: v for n, v in values.items() if v is not None}
    study = replace(study_of("mqa", known, conventions=LAYER), gpu=gpu)
    with pytest.raises(InputError):
        drafted(study, "direct", (1,), acceptance_of("0.8"), None)


def test_queries_do_not_outgrow_the_context():
    """S counts among the L tokens: 9 queries in a context of 4 are none."""
    with pytest.raises(InputError):
        drafted(study_of("mqa", {**V3, "L": 4}, conventions=LAYER), "direct", (8,), acceptance_of("0.8"), None)
