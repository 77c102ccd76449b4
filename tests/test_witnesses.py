"""Opinions by exact random evaluation: true claims pass, false ones do not, and the bounds are honest."""

from __future__ import annotations

from random import Random

import pytest
from claimtables import (
    CROSSES,
    FALSE,
    FALSE_BRACKETS,
    FALSE_VALUES,
    TRUE,
    TRUE_BRACKETS,
    TRUE_VALUES,
    E,
    H,
    L,
    S,
    about,
    as_term,
    c,
    k,
    limit,
    nonneg,
    pos,
    put,
    says,
    v,
)

from derivations.claims import Claim
from derivations.poly import Poly
from derivations.witnesses import evaluation
from derivations.witnesses.against import against, legal_sizes
from derivations.witnesses.brackets import bills, nested_values, trees
from derivations.witnesses.evaluation import Opinion, degree, random_opinion
from derivations.witnesses.ratios import NoForm, Reader


@pytest.mark.parametrize("name", TRUE)
def test_true_claims(name: str) -> None:
    opinion = random_opinion(TRUE[name])
    assert (opinion.by, opinion.agrees) == ("random evaluation", True), opinion.note


@pytest.mark.parametrize("name", FALSE)
def test_false_claims(name: str) -> None:
    """Each with sizes that show it, whatever is drawn."""
    for seed in range(3):
        opinion = random_opinion(FALSE[name], seed=seed)
        assert opinion.agrees is False, opinion.note
        assert opinion.note.startswith("false at ")


@pytest.mark.parametrize("name", TRUE_BRACKETS)
def test_cheapest(name: str) -> None:
    opinion = random_opinion(TRUE_BRACKETS[name])
    assert opinion.agrees is True, opinion.note
    assert opinion.note.endswith("sizes tried, none against it")


@pytest.mark.parametrize("name", FALSE_BRACKETS)
def test_not_cheapest(name: str) -> None:
    assert random_opinion(FALSE_BRACKETS[name]).agrees is False


@pytest.mark.parametrize("name", TRUE_VALUES)
def test_values(name: str) -> None:
    expected = Opinion("random evaluation", True, "20 random tensors tried, none against it")
    assert random_opinion(Claim(TRUE_VALUES[name])) == expected


@pytest.mark.parametrize("name", FALSE_VALUES)
def test_other_values(name: str) -> None:
    assert random_opinion(Claim(FALSE_VALUES[name])).agrees is False


@pytest.mark.parametrize(
    ("statement", "trials", "exponent"),
    [
        (says("same", L + 0, L), 1, 18),  # 2^61 is above 10^18
        (says("same", L * L, L * L + 0), 1, 18),
        (says("same", L * L, L * L + 0), 20, 361),  # 20 * log10(2^61 / 2)
        (says("independent", S + L - L, "L"), 20, 367),
        (("all", says("same", L + 0, L), says("same", L * L, L * L + 0)), 20, 361),
    ],
)
def test_bound(statement: tuple, trials: int, exponent: int) -> None:
    """Degree over range, to the power of the trials."""
    note = f"{trials} trials agree; a false identity passes with probability below 10^-{exponent}"
    assert random_opinion(about(statement), trials) == Opinion("random evaluation", True, note)


def test_bound_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few numbers to draw from, a false identity does pass now and then, not more often than said."""
    monkeypatch.setattr(evaluation, "_RANGE", 16)
    for statement, zeros in (
        (says("same", (L - S) * (L - H), 0), 2),
        (says("same", H / (L - S), H / (L - S) + 1), 1),  # no value where L = S
        (says("independent", L * S, "L"), 2),
    ):
        claim = about(statement)
        names = [degree(claim, part) for part in statement[1:] if isinstance(part, tuple)]
        (n1, d1, a1), (n2, d2, a2) = names if len(names) == 2 else names * 2
        bound = (max(n1 + d2, n2 + d1) + a1 + a2) / 16
        runs = [evaluation._identity(claim, statement, 1, Random(seed)) for seed in range(300)]
        passed = sum(run.agrees is not False for run in runs)
        assert 0 < passed <= 300 * bound, (statement, passed, zeros)


def total_degree(poly: Poly) -> int:
    return max((sum(powers.values()) for powers, _ in poly.powers()), default=0)


def random_expression(random: Random, depth: int) -> E:
    if not depth or random.random() < 0.15:
        return random.choice((L, S, H, c, L + 1, S - 2, E(as_term(3))))
    if random.random() < 0.12:
        return limit(random_expression(random, depth - 1), "L")
    one, two = (random_expression(random, depth - 1) for _ in range(2))
    return random.choice((one + two, one - two, one * two, one / two))


def test_degrees_are_never_too_low() -> None:
    """Held against the polynomials that an expression really is."""
    random, known = Random(5), 0
    for _ in range(400):
        e = random_expression(random, 4)
        claim = about(says("same", e, e), put("S", H * H + c))
        try:
            reader = Reader(claim)
            above, below = reader.form(e.term)
        except NoForm:
            continue
        bound = degree(claim, e.term)
        known += 1
        apart = sum(total_degree(poly) for poly in (*reader.nonzero, *reader.decisive))
        assert (total_degree(above), total_degree(below)) <= bound[:2]
        assert total_degree(below) <= bound[1]
        assert apart <= bound[2]
    assert known > 150


def test_identity_ignores_inequalities() -> None:
    """A polynomial identity that holds where they leave room holds everywhere."""
    claim = about(says("same", (L + S) * (L - S), L * L - S * S), pos(L - S * S - 1000), nonneg(c - L))
    assert random_opinion(claim).agrees is True


NINE = tuple(("T", (), True) for _ in range(9))


@pytest.mark.parametrize(
    ("claim", "note"),
    [
        (about(says("less", L, S), pos(L - S), pos(S - L)), "no legal sizes were met"),
        (about(says("same", L / (S - S), L)), "it has no value at random sizes"),
        (about(says("same", limit(L * S, "L"), S)), "it has no value at random sizes"),
        (about(says("independent", L * S, "S"), put("S", 1)), "S is fixed by an assumption"),
        (
            about(says("same", k, v), nonneg(k - v), nonneg(v - k), put("S", 1)),
            "no identity, but none of 137 legal sizes is against it",
        ),
        (
            Claim(("cheapest", ((), (((NINE, ()),),)), (((),),))),
            "2,027,025 choices of bracketings are too many",
        ),
    ],
)
def test_no_answer(claim: Claim, note: str) -> None:
    opinion = random_opinion(claim)
    assert opinion.agrees is None, opinion.note
    assert opinion.note == note


def test_sizes_are_legal() -> None:
    claim = about(says("less", L, S), *CROSSES, put("d_v", k * 2), pos(L - S * 3))
    found = list(legal_sizes(claim, Random(0)))
    assert len(found) > 50
    assert all("d_v" not in at and at["L"] > 3 * at["S"] and 2 * at["d_c"] > 3 * at["d_k"] for at in found)
    assert min(at["b"] for at in found) < 1
    assert max(at["L"] for at in found) > 10_000
    assert all(against(claim, claim.statement, [at]) for at in found)


def test_given_sizes_are_whole() -> None:
    """A size that is half another one stands for even numbers only."""
    claim = about(says("less", L, S), ("put", "S", (("1/2", (("L", 1),)),)))
    assert all(at["L"] % 2 == 0 for at in legal_sizes(claim, Random(0)))
    others = dict.fromkeys(("H", "d_c", "d_k", "d_v", "b"), 1)
    assert against(claim, claim.statement, [{**others, "L": 3}]) is None
    assert against(claim, claim.statement, [{**others, "L": 4}]) is True


def test_every_tree_once() -> None:
    for leaves, count in ((1, 1), (2, 1), (3, 3), (4, 15), (5, 105), (6, 945)):
        found = [*trees(leaves)]
        assert len(found) == len({shape(tree) for tree in found}) == count


def shape(tree: object) -> object:
    return frozenset(map(shape, tree)) if isinstance(tree, tuple) else tree


def test_bills_by_hand() -> None:
    """A step that two products share stands once, offline steps not at all."""
    (own, every) = bills(*TRUE_BRACKETS["shared"].statement[1:])[0]
    assert own == (("i", "j", "k"), ("i", "k", "l"))
    assert len(every) == 3
    ((offline, _),) = bills(*TRUE_BRACKETS["offline first"].statement[1:])
    assert offline == (("i", "j", "l"),)


def test_nested_values_by_hand() -> None:
    one = ("sum", ("i",), (("tensor", "P", ("i",)),))
    two = ("sum", ("i", "j"), (("tensor", "P", ("i",)), ("tensor", "P", ("j",))))
    for seed in range(20):
        total, square = nested_values((one, two), Random(seed))
        assert total**2 == square
