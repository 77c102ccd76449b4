"""Stored proofs are trusted no more than what is found: no damage changes a verdict, or ends in a bug."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from command import data, derive
from samples import within

from derivations import proofstore
from derivations.assertions import assertions_of
from derivations.claimfile import load_claims
from derivations.conventions import Conventions
from derivations.derivation import Study
from derivations.evaluation import legal
from derivations.judging import judge, judged
from derivations.kernel import check
from derivations.library import load_variant
from derivations.proofstore import Stored, digest, stored_proofs
from derivations.quantities import Assertion
from derivations.resources import folder

SHIPPED = folder("models") / "proofs"
WIDE = "absorb-expand.crossover"
CHOSEN = {
    "mla": (
        "absorb.intensity",
        "absorb.intensity-free-of-L",
        "absorb.intensity-free-of-H",
        WIDE,
        "absorb.value-of-A",
    ),
    "mla+rope": ("absorb.intensity-free-of-d_c",),
}
VERDICT = {"absorb.intensity-free-of-H": "refuted", "absorb.intensity-free-of-d_c": "refuted"}
"""All others are proved: see docs/claims.md and tests/test_claims.py."""


def claims(variant: str) -> dict[str, Assertion]:
    found = assertions_of(Study(load_variant(variant), Conventions(), {}), ("absorb", "expand"))
    return {a.id: a for a in found if a.id in CHOSEN[variant]}


CLAIMS = {name: (v, a) for v in CHOSEN for name, a in claims(v).items()}
ENTRIES = {
    name: json.loads((SHIPPED / f"{variant}.json").read_text("utf-8"))["proofs"][digest(a.claim)]
    for name, (variant, a) in CLAIMS.items()
    if digest(a.claim) in (SHIPPED / f"{variant}.json").read_text("utf-8")
}


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    """No number and no text in a file keeps it busy."""
    with within(4):
        yield


def settled(name: str, entry: Any) -> None:
    """The verdict on a claim is what it should be, whatever is stored under its digest."""
    _, assertion = CLAIMS[name]
    found = judge(assertion, Stored({digest(assertion.claim): entry}))
    assert found.status == VERDICT.get(name, "proved"), entry
    if found.proof is not None:
        check(assertion.claim, found.proof)
    assert all(legal(assertion.claim, at) for at in found.points)
    for opinion in found.recorded:
        assert isinstance(opinion.by, str)
        assert isinstance(opinion.note, str)
        assert opinion.agrees in (True, False, None)


def test_what_ships_is_what_is_tested():
    assert {*ENTRIES} == {*CLAIMS} == {name for names in CHOSEN.values() for name in names}
    for name, entry in ENTRIES.items():
        settled(name, entry)


NAN, INF = float("nan"), float("inf")
JUNK: list[Any] = [None, True, 0, -1, 1.5, NAN, INF, 10**400, "", "x", "1/0", [], [[]], {}, {"a": 1}, [None]]


def damaged(value: Any, random: Random, deep: int = 0) -> Any:
    """A copy with one part somewhere replaced, dropped or doubled."""
    if not isinstance(value, list | dict) or not value or random.random() < 0.1:
        return random.choice(JUNK)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = random.choice(keys)
    copy = value.copy()
    what = random.random()
    if what < 0.7:
        copy[key] = damaged(value[key], random, deep + 1)
    elif what < 0.85:
        copy.pop(key)
    elif isinstance(copy, list):
        copy.insert(key, deepcopy(copy[key]))
    else:
        copy[random.choice(("proof", "points", "hypotheses", "zzz"))] = random.choice(JUNK)
    return copy


@pytest.mark.parametrize("name", CLAIMS)
def test_damage_at_random(name):
    random = Random(name)
    for _ in range(25):
        settled(name, damaged(ENTRIES.get(name, {}), random))


@pytest.mark.parametrize("junk", JUNK, ids=repr)
@pytest.mark.parametrize("name", ["absorb.intensity-free-of-L", "absorb.intensity-free-of-H"])
def test_parts_of_another_kind(name, junk):
    entry = ENTRIES[name]
    settled(name, junk)
    for key in ("proof", "points", "opinions", "id"):
        settled(name, {**entry, key: junk})
        settled(name, {key: junk})
    for key in ("hypotheses", "lines"):
        settled(name, {"proof": {**ENTRIES["absorb.intensity"]["proof"], key: junk}})
    settled(name, {**entry, "opinions": [junk]})
    for key in ("by", "agrees", "note", "more"):
        settled(name, {**entry, "opinions": [{"by": "z3", "agrees": True, "note": "", key: junk}]})
    settled(name, {**entry, "points": [junk]})
    settled(name, {**entry, "points": [{"H": junk, "L": 1}, {"H": 2, "L": 1}]})


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("other", ENTRIES)
def test_the_proof_or_the_sizes_of_another_claim(name, other):
    settled(name, ENTRIES[other])
    settled(name, {**ENTRIES[name], **ENTRIES[other]})


BASE = {"H": 2, "L": 3, "S": 1, "d_c": 4, "d_k": 1, "d_v": 1, "d_r": 1, "b": 2, "d_model": 1}
POINTS = [
    # sizes that would break what is true if they were taken: illegal ones, ones of symbols that are no choice
    ("absorb.intensity-free-of-L", [{"L": 0}, {"L": 1}]),
    ("absorb.intensity-free-of-L", [{"L": 1, "b": 1}, {"L": 2, "b": 3}]),
    ("absorb.intensity-free-of-L", [{"L": 1, "b": "1/2"}, {"L": 2, "b": "1/3"}]),
    ("absorb.intensity-free-of-L", [{"L": 2, "H": 1}, {"L": 3, "H": 2}]),
    ("absorb.intensity-free-of-L", [{"L": 1, "S": 1}, {"L": 2, "S": 9}]),
    ("absorb.intensity", [{"S": 7}]),
    ("absorb.intensity", [{"S": 0}]),
    ("absorb.intensity", [{"b": -1}]),
    ("absorb.intensity", [{"d_c": "-1/2"}]),
    (WIDE, [{"S": 1, "d_c": 1, "d_k": 9}, {"S": 2, "d_c": 1, "d_k": 9}]),
    (WIDE, [{"S": 9}, {"S": 10}]),
    (WIDE, [{"S": -5}, {"S": -4}]),
    (WIDE, [{"S": 2}, {"S": 1}]),
    (WIDE, [{}]),
    ("absorb.value-of-A", [{}]),
    ("absorb.intensity-free-of-L", [{"L": 1}, {"L": 2}, {"L": 3}]),
    ("absorb.intensity-free-of-H", [{"H": 0}, {"H": 5}]),
    ("absorb.intensity-free-of-H", [{"H": 1}, {"H": 1}]),
    ("absorb.intensity-free-of-H", [{"H": 1.5}, {"H": 2.5}]),
    ("absorb.intensity-free-of-H", [{"H": "1e5"}, {"H": "1e6"}]),
    ("absorb.intensity-free-of-H", [{"H": "1e999999999"}, {"H": 2}]),
    ("absorb.intensity-free-of-H", [{"H": "9" * 5000}, {"H": 2}]),
    ("absorb.intensity-free-of-H", [{"H": 10**4000}, {"H": 10**4001}]),
    ("absorb.intensity-free-of-H", [{"H": 1, "δ": 1}, {"H": 2, "δ": 1}]),
]


@pytest.mark.parametrize(("name", "points"), POINTS, ids=lambda x: str(x)[:50])
def test_tampered_sizes(name, points):
    settled(name, {"points": [{**BASE, **at} for at in points]})
    settled(name, {**ENTRIES[name], "points": [{**BASE, **at} for at in points]})


def test_what_a_symbol_is_put_to_is_no_choice_of_the_store():
    """`S = 1` is assumed: sizes with another S show nothing."""
    found = {a.id: a for a in load_claims("mla").assertions}
    for name in ("decode-absorb", "decode-first-token", "prefill-expand"):
        for s, length in ((1, 1), (1, 9), (5, 9), (9, 9), (10**9, 10**9)):
            at = {**BASE, "S": s, "L": length, "d_k": 2, "d_v": 2, "d_c": 9}
            for point in (at, {**at, "L": 9}):
                stored = Stored({digest(found[name].claim): {"points": [point]}})
                assert judge(found[name], stored).status == "proved"


# The file itself.


@pytest.fixture
def store(tmp_path, monkeypatch) -> Iterator[Path]:
    """A copy of `models`, read in place of it, so that its files can be damaged."""
    shutil.copytree(folder("models"), tmp_path / "models")
    monkeypatch.setattr(proofstore, "folder", lambda name: tmp_path / name)
    stored_proofs.cache_clear()
    yield tmp_path / "models" / "proofs" / "mha.json"
    stored_proofs.cache_clear()


WHOLE = (SHIPPED / "mha.json").read_bytes()
FILES = {
    "none": None, "empty": b"", "half": WHOLE[: len(WHOLE) // 2], "without its end": WHOLE[:-3],
    "no JSON": b"x", "null": b"null", "a list": b"[]", "a number": b"5", "a text": b'"proofs"',
    "NaN": b"NaN", "no proofs": b"{}", "proofs null": b'{"proofs": null}',
    "proofs a list": b'{"proofs": [1]}', "proofs a text": b'{"proofs": "x"}',
    "entries null": b'{"proofs": {"%s": null}}', "entries a list": b'{"proofs": {"%s": []}}',
    "entries a text": b'{"proofs": {"%s": "proof"}}', "entries a number": b'{"proofs": {"%s": 7}}',
    "deep": b'{"proofs": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "bytes": b"\xff\xfe\x00",
    "zeros": b"\0" * 999, "UTF-16": WHOLE.decode().encode("utf-16"),
    "a huge number": b'{"proofs": {"%s": ' + b"9" * 9999 + b"}}", "twice": WHOLE + WHOLE,
    "a BOM": b"\xef\xbb\xbf" + WHOLE, "a lone surrogate": b'{"proofs": {"\\ud800": {}}}',
    "of another variant": (SHIPPED / "mqa.json").read_bytes(),
}  # fmt: skip
EXPECTED = {
    "direct.intensity": "proved", "direct.intensity-free-of-L": "proved",
    "direct.intensity-free-of-H": "proved", "direct.intensity-free-of-d_k": "proved",
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_damaged_files(store, kind):
    """MHA at decode: 2 FLOPs and b bytes for each of H L (d_k + d_v), so nothing but b stays."""
    content, study = FILES[kind], Study(load_variant("mha"), Conventions(), {})
    assertions = assertions_of(study, ("direct",))
    if content is None:
        store.unlink()
    elif b"%s" in content:
        store.write_bytes(content.replace(b"%s", digest(assertions[0].claim).encode()))
    else:
        store.write_bytes(content)
    found = {j.assertion.id: j.status for j in judged(assertions)}
    assert found.items() >= EXPECTED.items()
    assert {*found.values()} == {"proved"}
    if kind in ("none", "entries null"):
        assert {c["status"] for c in data("prove", "mha")["claims"]} == {"proved"}


def test_a_folder_or_a_file_that_cannot_be_read(store):
    store.unlink()
    store.mkdir()
    assert derive("prove", "mha")[0] == 0


def test_a_page_of_a_variant_survives_damage(store):
    before = derive("mha", "--markdown")
    store.write_bytes(b'{"proofs": {"x": 5}}')
    stored_proofs.cache_clear()
    status, out, err = derive("mha", "--markdown")
    assert (status, err) == (0, "")
    assert out.count("roved") == before[1].count("roved")


@pytest.mark.parametrize("variant", ["../proofs/mha", "/etc/passwd", "mha.json", "", "..", "x\0y", "m" * 200])
def test_names_that_are_no_variant_have_no_proofs(variant):
    assert stored_proofs(variant)._entries == {}
