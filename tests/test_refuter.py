"""Counterexamples are legal sizes that break what is false; contradictions are contradictions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from claimtables import (
    FALSE,
    MINS,
    TRUE,
    TRUE_VALUES,
    UPS,
    E,
    H,
    L,
    S,
    about,
    b,
    k,
    least,
    m,
    nonneg,
    pos,
    put,
    says,
    up,
    v,
    w,
)
from samples import within

from derivations.claimfile import load_claims
from derivations.claims import Claim, Term
from derivations.contradiction import check_assumptions
from derivations.errors import InputError, Place
from derivations.evaluation import broken_by
from derivations.expr import parse_comparison
from derivations.judging import judge
from derivations.quantities import Assertion, claim_about
from derivations.refuter import counterexample, has_sizes

NAMES = ("L", "S", "H")
PLACE = Place("f.yaml", 1)
BEYOND = ("no crossing", "crossing anyway", "limit at some sizes")
"""False claims that single sizes, or two of them along one symbol, need not show."""


def number(terms: Term, at: dict) -> Fraction:
    """The value of a polynomial's data."""
    total = Fraction(0)
    for coefficient, monomial in terms:
        product = Fraction(coefficient)
        for name, exponent in monomial:
            product *= Fraction(at[name]) ** exponent
        total += product
    return total


def lawful(claim: Claim, at: dict) -> bool:
    """Whether sizes are legal, worked out from the data alone."""
    whole = {**at}
    for _ in claim.assumptions:  # what is put may be put in what is put
        for head, *rest in claim.assumptions:
            if head == "put" and {n for _, m in rest[1] for n, _ in m} <= {*whole}:
                whole[rest[0]] = number(rest[1], whole)
    for name, (function, *parts) in claim.opaque:
        (over, low) = parts if function == "min" else parts[0][1:]
        one, two = whole[over[1]], whole[low[1]]
        whole[name] = (
            min(one, two) if function == "min" else -(-one // two) if function == "ceil" else one // two
        )
    signs = [(head, number(rest[0], whole)) for head, *rest in claim.assumptions if head != "put"]
    return (
        all(Fraction(whole[name]).denominator == 1 and whole[name] >= 1 for name in claim.sizes)
        and all(whole[name] > 0 for name in claim.positives)
        and all(value > 0 if head == "pos" else value >= 0 for head, value in signs)
    )


@pytest.mark.parametrize("name", TRUE)
def test_nothing_is_found_against_what_is_true(name):
    assert counterexample(TRUE[name], 60) is None


@pytest.mark.parametrize("name", FALSE)
def test_what_is_found_against_what_is_false(name):
    found = counterexample(FALSE[name], 300)
    assert found is not None or name in BEYOND
    if found is not None:
        assert broken_by(FALSE[name], FALSE[name].statement, found)
        assert all(lawful(FALSE[name], at) for at in found)


WIDTHS = [
    # whatever width shows it
    (says("atmost", 1, b), ()), (says("less", b, 1), ()), (says("less", b, 3), ()), (says("atmost", b, 64), ()),
    (says("atmost", 1, b * 16), ()), (says("atmost", b, b * b), ()), (says("atmost", b * b, b), ()),
    (says("same", b, 2), ()), (says("less", L * b, L * L * 2 + 1), ()), (says("less", b, 1), (pos(b),)),
    (says("atmost", 1, b), (pos(b * -4 + 3),)), (says("less", b, 2), (nonneg(b * 2 - 3),)),
    (says("increasing", b * b - b, "b"), ()), (says("independent", L / b, "b"), ()),
    (says("less", b, L), (put("b", L),)), (says("same", b * L, L), (put("b", E(("num", 4))),)),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "assumptions"), WIDTHS)
def test_widths_other_than_two_are_tried(statement, assumptions):
    claim = about(statement, *assumptions, sizes=("L",))
    found = counterexample(claim, 300)
    assert found is not None
    assert all(lawful(claim, at) for at in found)


HARD = [
    # false only where sizes are large, far apart or tied to each other
    about(says("less", L, 100_000)), about(says("less", L, H * 1000)), about(says("atmost", L, S * 64)),
    about(says("less", k * v, 50), nonneg(k - 7)), about(says("less", L + H, 90), nonneg(L - 80)),
    about(says("less", S, L), put("L", S + 0)), about(says("same", L, S * 3), put("L", S * 2)),
    about(says("less", L, S), nonneg(L - S)), about(says("same", up, 1), **UPS),
    about(says("same", up * m, L), **UPS),
    about(says("same", least, L), **MINS), about(says("atmost", w, least), **MINS),
    about(says("less", H, 4), nonneg(H - 3), nonneg(L - H * 2)),
    about(says("increasing", L * L - L * 40, "L")), about(says("independent", L / (L + S * 1000), "S")),
]  # fmt: skip


@pytest.mark.parametrize("claim", HARD, ids=lambda claim: str(claim.statement)[:40])
def test_large_sizes_and_tied_ones_are_tried(claim):
    with within(10):
        found = counterexample(claim, 300)
    assert found is not None
    assert all(lawful(claim, at) for at in found)


def test_sums_that_exchange_have_no_counterexample():
    for statement in TRUE_VALUES.values():
        assert counterexample(Claim(statement), 20) is None


def test_a_glance_at_many_symbols_is_short():
    names = tuple(f"n{i}" for i in range(40))
    claim = Claim(says("less", 0, E(("sym", "n0"))), sizes=names)
    with within(5):
        assert counterexample(claim, 100) is None


# Contradictions.


def side(random: Random) -> str:
    terms = [
        f"{random.randint(1, 3)}*{random.choice((*NAMES, 'L*S', 'H*H', 'L*H'))}"
        for _ in range(random.randint(1, 2))
    ]
    return " + ".join(terms) + random.choice(("", " + 1", " - 2"))


def assumed(texts: list[str]) -> Claim:
    statement = says("less", 0, L + S + H)
    return claim_about(statement, {}, [parse_comparison(text, PLACE) for text in texts])


@pytest.mark.parametrize("seed", range(6))
def test_assumptions_that_sizes_satisfy_are_never_refused(seed):
    """Random comparisons that hold at sizes drawn first; sizes from 1 to 4 are few enough to be looked at."""
    random = Random(seed)
    for _ in range(60):
        at = {"L": random.randint(1, 4), "H": random.randint(1, 4)}
        at["S"] = random.randint(1, at["L"])
        texts = []
        for _ in range(random.randint(1, 4)):
            left, right = side(random), side(random)
            one, two = (eval(text, {"__builtins__": {}}, at) for text in (left, right))  # noqa: S307
            relation = random.choice([r for r, fits in RELATIONS.items() if fits(one, two)])
            texts.append(f"{left} {relation} {right}")
        claim = assumed(texts)
        assert has_sizes(claim), (texts, at)
        check_assumptions(claim, texts, PLACE)


RELATIONS = {
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "=": lambda x, y: x == y, ">=": lambda x, y: x >= y,
    ">": lambda x, y: x > y,
}  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_what_is_called_a_contradiction_holds_nowhere(seed):
    random, called = Random(seed), 0
    for _ in range(60):
        texts = [f"{side(random)} {random.choice([*RELATIONS])} {side(random)}" for _ in range(3)]
        try:
            check_assumptions(assumed(texts), texts, PLACE)
        except InputError as error:
            if "contradict" not in str(error):
                continue
            called += 1
            for _ in range(200):
                at = {name: random.choice((1, 2, 3, 5, 8, 20, 100)) for name in NAMES}
                holds = [eval(text.replace(" = ", " == "), {"__builtins__": {}}, at) for text in texts]  # noqa: S307
                assert not (all(holds) and at["S"] <= at["L"]), (texts, at)
    assert called > 5


@pytest.mark.parametrize(
    ("texts", "called"),
    [
        (["L < S"], True), (["L + S < 2"], True), (["2*L = 2*L + 1"], True),
        (["L > 3", "S > L", "H > 1"], True), (["L = H", "H = S - 1"], True), (["L = 2*S", "L = 3*S"], True),
        (["b < 0"], True), (["b <= 0"], True), (["b*H <= 0"], True), (["b + H <= 1"], True),
        (["L*L < S"], True), (["L*S < S"], True), (["S = 1", "L = 1"], False), (["L = 2*S", "L = 6"], False),
        (["b < 1"], False), (["b > 1000"], False), (["1000*b <= 1"], False), (["b*L = 1"], False),
        (["L <= S"], False), (["L >= 10000", "S >= 9999"], False), (["H = 999999999999999"], False),
        (["L = S*S + H"], False), (["2*L = 3*S"], False), (["7*L = 11*H"], False), (["L*S = 6"], False),
        (["b = 2"], False), (["b = L"], False), (["2*b = 1"], False), (["b = 4", "L = 3"], False),
    ],
)  # fmt: skip
def test_contradictions_and_others(texts, called):
    claim = assumed(texts)
    if called:
        with pytest.raises(InputError, match=r"^f.yaml:1: the assumptions contradict each other"):
            check_assumptions(claim, texts, PLACE)
    else:
        check_assumptions(claim, texts, PLACE)


def test_a_counterexample_of_a_file_keeps_its_assumptions(tmp_path):
    path = tmp_path / "f.yaml"
    given = "[H = 3*S, d_k < L, L >= 9*H, b < 1]"
    path.write_text(f"claims: [{{id: x, holds: L*H < 5000, assume: {given}}}]", "utf-8")
    (assertion,) = load_claims(str(path)).assertions
    (at,) = judge(assertion).points
    assert at["L"] * 3 * at["S"] >= 5000
    assert at["d_k"] < at["L"] >= 27 * at["S"]
    assert 0 < at["b"] < 1


def test_a_verdict_is_never_both():
    """A claim that is refuted keeps no proof, and one that is proved no sizes."""
    for claim in (*TRUE.values(), *FALSE.values()):
        found = judge(Assertion("x", "", claim))
        assert (found.proof is not None) == (found.status == "proved")
        assert bool(found.points) == (found.status == "refuted")
        assert found.status != ("refuted" if claim in TRUE.values() else "proved")
