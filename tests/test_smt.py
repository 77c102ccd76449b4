"""Opinions of z3: true claims pass, false ones come with legal sizes, and what it cannot say it does not."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from claimtables import (
    FALSE,
    FALSE_BRACKETS,
    MINS,
    TRUE,
    TRUE_BRACKETS,
    TRUE_VALUES,
    E,
    H,
    L,
    S,
    about,
    b,
    k,
    least,
    limit,
    pos,
    put,
    says,
    v,
)

from derivations import Conventions, Study, build_graph, derive, load_variant
from derivations.claims import Claim
from derivations.proofdata import poly_expression
from derivations.search import order_names
from derivations.witnesses.evaluation import Opinion, random_opinion
from derivations.witnesses.smt import z3_opinion

REAL, WHOLE = "no real sizes are against it", "no whole sizes are against it"
TIME = 10_000
"""Milliseconds: many times what any of these takes."""
SQUARE = E(("root", (L * L).term, (S + 1).term, "L"))


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("z3")


@pytest.mark.parametrize("name", TRUE)
def test_true_claims(name: str) -> None:
    expected = WHOLE if name == "whole" else REAL
    assert z3_opinion(TRUE[name], TIME) == Opinion("z3", True, expected)


@pytest.mark.parametrize("name", FALSE)
def test_false_claims(name: str) -> None:
    opinion = z3_opinion(FALSE[name], TIME)
    assert opinion.agrees is False, opinion.note
    assert opinion.note.startswith("false at ")


@pytest.mark.parametrize("name", TRUE_BRACKETS)
def test_cheapest(name: str) -> None:
    assert z3_opinion(TRUE_BRACKETS[name], TIME) == Opinion("z3", True, REAL)


@pytest.mark.parametrize("name", FALSE_BRACKETS)
def test_not_cheapest(name: str) -> None:
    assert z3_opinion(FALSE_BRACKETS[name], TIME).agrees is False


@pytest.mark.parametrize(
    ("claim", "note"),
    [
        (Claim(TRUE_VALUES["left"]), "value is no statement about sizes"),
        (about(says("same", limit(L * S, "L"), S)), "it grows without bound"),
        (about(says("same", L / (S - S), L)), "a division by zero"),
        (about(says("independent", L * S, "S"), put("S", 1)), "S is fixed by an assumption"),
        (about(says("same", limit(least / L, "L"), 0), **MINS), "min(L, w) does not move freely with L"),
        (about(says("less", 0, SQUARE)), "the root is no ratio of polynomials"),
    ],
)
def test_no_answer(claim: Claim, note: str) -> None:
    assert z3_opinion(claim) == Opinion("z3", None, note)


@pytest.mark.parametrize(
    ("statement", "assumptions", "agrees"),
    [
        (says("same", (L - S) / (L - S), 1), (), True),  # no value where L = S, so nothing against it there
        (says("less", 0, H / ((L - S) * (L - S))), (), True),
        (says("less", 0, H / (L - S)), (), False),
        (says("less", 0, H / (L - S)), (pos(L - S),), True),
        (says("less", 0, (L * L - 2) * (L * L - 2)), (), True),  # zero at no whole size
        (says("atmost", 2, b), (pos(b - 1),), False),  # a width need not be whole
        (says("same", limit(L * (k - v) / (L * (k - v) + 1), "L"), 1), (), False),  # where k = v
        (says("same", limit(L * (k - v) / (L * (k - v) + 1), "L"), 1), (pos(k - v),), True),
    ],
)
def test_cleared_soundly(statement: tuple, assumptions: tuple, agrees: bool) -> None:
    """Divisors may be negative or zero, and so may what stands before the highest power."""
    claim = about(statement, *assumptions)
    assert z3_opinion(claim, TIME).agrees is agrees
    assert random_opinion(claim).agrees is agrees


def test_not_whole() -> None:
    """Numbers between whole ones are against it; no whole ones are."""
    claim = about(says("atmost", 2, L), pos(L - 1))
    assert z3_opinion(claim) == Opinion("z3", True, WHOLE)
    loose = about(says("atmost", 2, L), pos(L - 1), sizes=())
    assert z3_opinion(replace(loose, positives=("L",))).agrees is False


def test_out_of_time() -> None:
    assert z3_opinion(TRUE["crossing"], 0) == Opinion("z3", None, "no answer in 0 s")


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    assert z3_opinion(TRUE["crossing"]) == Opinion("z3", None, "z3 is not installed")
    assert random_opinion(TRUE["crossing"]).agrees is True


@pytest.mark.parametrize("variant", ["mha", "mla", "mla+rope"])
def test_ledgers(variant: str) -> None:
    """Real costs: z3 and random evaluation say the same of what an intensity depends on."""
    study = Study(load_variant(variant), Conventions(), {})
    said = set()
    for order in order_names(build_graph(study.variant)):
        cost = derive(study, order).cost
        flops, moved = poly_expression(cost.flops), poly_expression(cost.bytes)
        names = sorted(cost.flops.names() | cost.bytes.names())
        sizes = tuple(name for name in names if name != "b")
        for name in sizes:
            claim = Claim(("independent", ("div", flops, moved), name), (), (), sizes, ("b",))
            said.add(z3_opinion(claim, TIME).agrees)
            assert z3_opinion(claim, TIME).agrees is random_opinion(claim).agrees is not None
    assert True in said
