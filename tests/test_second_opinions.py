"""Every claim that ships, put to all who have an opinion: z3, numpy, and coqc on every file there is."""

from __future__ import annotations

import re
import shutil
from functools import cache

import pytest

from derivations.coqfiles import coq_files, coq_opinions
from derivations.judging import Judgement, judged
from derivations.opinions import opinions_on
from derivations.publish import VARIANTS
from derivations.storing import bundled_assertions


@cache
def verdicts(variant: str) -> list[Judgement]:
    return list(judged(bundled_assertions(variant)))


@cache
def statements(variant: str) -> dict[str, str]:
    """File name -> what Coq reads in it, comments left out: variants share many claims, and coqc takes
    seconds.
    """
    files = coq_files(verdicts(variant))
    return {name: re.sub(r"\(\*.*?\*\)", "", text, flags=re.S) for name, (_, text) in files.items()}


def test_every_proof_is_stored() -> None:
    """A verdict that is read from the store carries the opinions that were stored with it."""
    for variant in VARIANTS:
        for judgement in verdicts(variant):
            assert judgement.recorded or judgement.status == "open", (variant, judgement.assertion.id)


@pytest.mark.parametrize("variant", VARIANTS)
def test_z3_and_numpy_agree(variant: str) -> None:
    """Nobody disagrees, and z3 answers most of what it can express."""
    pytest.importorskip("z3")
    asked = answered = 0
    for judgement in verdicts(variant):
        opinions = {opinion.by: opinion for opinion in opinions_on(judgement, thorough=True)}
        for opinion in opinions.values():
            assert opinion.agrees is not False, (judgement.assertion.id, opinion)
        if "z3" in opinions:
            asked += 1
            answered += opinions["z3"].agrees is True
    assert answered >= 0.7 * asked, (answered, asked)


@pytest.mark.parametrize("variant", VARIANTS)
def test_coqc_accepts_every_file(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed")
    files = coq_files(verdicts(variant))
    proved = [j for j in verdicts(variant) if j.status == "proved" and not _by_a_rule_without_tactics(j)]
    assert [judgement for judgement, _ in files.values()] == proved
    earlier = {words for other in VARIANTS[: VARIANTS.index(variant)] for words in statements(other).values()}
    own = statements(variant)
    said = coq_opinions({name: file for name, file in files.items() if own[name] not in earlier})
    with capsys.disabled():
        print(f"\n{variant}: {len(said)} Coq files", *(opinion.note for opinion in said.values()), sep="\n  ")
    assert [opinion for opinion in said.values() if opinion.agrees is not True] == []


def _by_a_rule_without_tactics(judgement: Judgement) -> bool:
    """A step that divides an inequality by a size has no file: the verdict stands on the kernel."""
    assert judgement.proof is not None
    return any(line.rule == "divided" for line in judgement.proof.lines)
