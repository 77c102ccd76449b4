"""No proof that was tampered with is a proof: constants, steps, hypotheses, side conditions and rules.

Short proofs are tampered with in every way. From longer ones each line, premise and hypothesis is dropped,
and a sample of all else is tried, the same in each run; with `EVERY_MUTANT` set in the environment all is
tried of all but the longest, which takes ten minutes.
"""

from __future__ import annotations

import os
from functools import cache

import pytest
from altering import changes
from tampering import KINDS, dropped, mutants, sample

from derivations.claimfile import bundled_claims, load_claims
from derivations.claims import Claim, Proof
from derivations.judging import judge
from derivations.kernel import RULES, Rejected, check
from derivations.proofstore import stored_proofs
from derivations.storing import assertions_about

VARIANTS = ("mha", "gqa", "mqa", "mla", "mla+rope")
PARTS = {"deployment": 3, "identities": 2, "mla.yaml": 3, "mha": 1, "gqa": 1, "mqa": 1, "mla": 3, "mla+rope": 3}
"""Bundled files and variants, each in some parts of about the same work."""
GROUPS = [(group, part) for group, parts in PARTS.items() for part in range(parts)]
LONGEST = "no-order-cheaper-rope"
"""A proof of 1,487 lines: a tenth of a second for each check."""
SHORT = 12
"""Lines of a proof that is tampered with in every way."""
LINES, MOST = 8, 300
"""Of a longer one: so many lines are tampered with, in so many ways together; and each is dropped."""
EVERY = bool(os.environ.get("EVERY_MUTANT"))


@cache
def proved(group: str) -> dict[str, tuple[Claim, Proof]]:
    """The proofs of a bundled file, or of what a variant's named orders claim; what has none is refuted."""
    file = group.removesuffix(".yaml")
    if group in VARIANTS:
        asked = [assertion for assertion in assertions_about(group) if assertion.place is None]
    else:
        asked = list(load_claims(file).assertions)
    found = {}
    for assertion in asked:
        judgement = judge(assertion, stored_proofs(assertion.about[0]))
        assert judgement.status in ("proved", "refuted"), assertion.id
        if judgement.proof is not None:
            found[assertion.id] = assertion.claim, judgement.proof
    return found


def portion(group: str, part: int) -> dict[str, tuple[Claim, Proof]]:
    """One part of the proofs of a group, the longest left out."""
    known = sorted(proved(group).items(), key=lambda item: len(item[1][1].lines))
    return {name: own for name, own in known[part :: PARTS[group]] if name != LONGEST}


def accepted(claim: Claim, proof: Proof) -> bool:
    try:
        check(claim, proof)
    except Rejected:
        return False
    return True


def tampered(claim: Claim, proof: Proof, chosen: list) -> tuple[list[str], set[str], int]:
    """Which of some mutants are still accepted, the kinds of them all, and how many there are."""
    survivors, kinds, number = [], set(), 0
    for mutant in chosen:
        made = mutant.make()
        if made != proof:
            number += 1
            kinds.add(mutant.kind)
            if accepted(claim, made):
                survivors.append(f"{mutant.kind}: {mutant.what}")
    return survivors, kinds, number


def test_the_groups_are_all_there():
    assert {*PARTS} == {*VARIANTS, "deployment", "identities", "mla.yaml"}
    assert {*bundled_claims()} == {"deployment", "identities", "lessons", "mla"}
    assert LONGEST in proved("mla.yaml")
    assert all(any(portion(*own)) for own in GROUPS)


@pytest.mark.parametrize(("group", "part"), GROUPS)
def test_what_was_tampered_with_is_no_proof(group, part, record_property):
    found, total, least = {}, 0, 0
    for name, (claim, proof) in portion(group, part).items():
        size = len(proof.lines)
        assert accepted(claim, proof), name
        whole = EVERY or size <= SHORT
        every = range(size)
        chosen = list(
            mutants(claim, proof) if whole else [*dropped(proof, every), *sample(claim, proof, LINES, MOST)]
        )
        survivors, kinds, number = tampered(claim, proof, chosen)
        total += number
        if survivors:
            found[name] = survivors
        assert kinds == {mutant.kind for mutant in chosen}, name
        least += size * (len(RULES) + 10) if whole else MOST * 9 // 10  # each line: each rule, and each way
    record_property("mutants", total)
    print(f"{total} mutants of {group}, part {part + 1}")
    assert total >= least
    assert found == {}


@pytest.mark.parametrize("seed", range(3))
def test_the_longest_proof_in_a_sample(seed, record_property):
    claim, proof = proved("mla.yaml")[LONGEST]
    assert accepted(claim, proof)
    chosen = sample(claim, proof, 12, 100, seed)
    survivors, kinds, number = tampered(claim, proof, chosen)
    record_property("mutants", number)
    assert survivors == []
    assert number >= 90
    assert len(kinds) > len(KINDS) / 2


def test_every_kind_of_tampering_has_its_mutants():
    """Some thousands: each line under each other rule, and as much again."""
    kinds: dict[str, int] = {}
    lines = 0
    for claim, proof in (proved("mla.yaml")[name] for name in ("decode-absorb", "no-order-cheaper")):
        lines += len(proof.lines)
        for mutant in mutants(claim, proof):
            if mutant.make() != proof:
                kinds[mutant.kind] = kinds.get(mutant.kind, 0) + 1
    assert {*kinds} == {*KINDS}
    assert kinds["rule"] == lines * len(RULES)  # any other of them, and one that is none
    assert kinds["line dropped"] == lines
    assert sum(kinds.values()) > 2 * lines * len(RULES)


@pytest.mark.parametrize("group", PARTS)
def test_a_proof_proves_no_other_claim(group):
    """A hypothesis not assumed, a symbol that is no size, another definition, another statement."""
    number = 0
    for name, (claim, proof) in proved(group).items():
        if name == LONGEST:
            continue
        others = list(other_claims(claim, proof))
        number += len(others)
        assert [what for what, other in others if accepted(other, proof)] == [], name
    assert number >= 10 * len(proved(group))


def other_claims(claim: Claim, proof: Proof):
    """Claims that differ from one in what its proof rests on; some twenty for each definition."""

    def told(**parts):
        return Claim(
            **{
                "statement": claim.statement, "definitions": claim.definitions, "sizes": claim.sizes,
                "assumptions": claim.assumptions, "positives": claim.positives, "opaque": claim.opaque, **parts,
            }
        )  # fmt: skip

    for hypothesis in proof.hypotheses:
        rest = tuple(a for a in claim.assumptions if a != hypothesis)
        yield f"{hypothesis} not assumed", told(assumptions=rest)
    signs = {line.statement[1] for line in proof.lines if line.rule == "size"}
    for name in (*claim.sizes, *claim.positives):
        if ((1, ((name, 1),)),) in signs:
            rest = {
                side: tuple(n for n in getattr(claim, side) if n != name) for side in ("sizes", "positives")
            }
            yield f"{name} unknown", told(**rest)
    for place, (name, body) in enumerate(claim.definitions):
        all_bodies = [other for *_, other in changes(body, ["L"])]
        for other in all_bodies[:: 1 + len(all_bodies) // 20]:
            told_so = (*claim.definitions[:place], (name, other), *claim.definitions[place + 1 :])
            yield f"{name} is {other}", told(definitions=told_so)
    statements = [other for *_, other in changes(claim.statement, ["L", "H"])]
    for other in statements[:: 1 + len(statements) // 20]:
        yield f"{other} instead", told(statement=other)
