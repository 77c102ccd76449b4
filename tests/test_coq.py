"""Claims as files for Coq: coqc accepts each kind, refuses changed ones, and finds no axiom but the reals'."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from derivations.claims import Claim, Line, Proof, Term
from derivations.coq import NoCoq, coq_file
from derivations.kernel import check
from derivations.poly import Poly
from derivations.proofdata import poly_data
from derivations.proofs import prove

AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
"""What the standard library's reals stand on."""
KINDS = {
    "same", "less", "atmost", "iff", "independent", "increasing", "crosses", "cheapest", "value", "all", "lim",
    "root",
}  # fmt: skip


@pytest.fixture(scope="module")
def coqc() -> str:
    found = shutil.which("coqc")
    if found is None and os.environ.get("DERIVE_REQUIRE_ALL"):
        pytest.fail("coqc is not installed")
    if found is None:
        pytest.skip("coqc is not installed")
    return found


def compiled(coqc: str, folder: Path, files: Mapping[str, str]) -> dict[str, tuple[bool, str]]:
    """Name -> whether coqc accepts the file, and what it prints; several at a time."""

    def run(item: tuple[str, str]) -> tuple[bool, str]:
        name, text = item
        place = folder / name
        place.mkdir()
        (place / "claim.v").write_text(text, "utf-8")
        done = subprocess.run(
            [coqc, "-q", "claim.v"], cwd=place, capture_output=True, text=True, timeout=120, check=False
        )
        return done.returncode == 0, done.stdout + done.stderr

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return dict(zip(files, pool.map(run, files.items()), strict=True))


def proved(claim: Claim) -> Proof:
    proof = prove(claim)
    check(claim, proof)
    return proof


def written(claims: Mapping[str, Claim]) -> dict[str, str]:
    return {name: coq_file(claim, proved(claim), f"What {name} says.", name) for name, claim in claims.items()}


def refused(results: Mapping[str, tuple[bool, str]]) -> dict[str, str]:
    return {name: said for name, (accepted, said) in results.items() if not accepted}


def sym(name: str) -> Term:
    return ("sym", name)


def num(value: int | str) -> Term:
    return ("num", value)


def add(*parts: Term) -> Term:
    return ("add", *parts)


def sub(one: Term, two: Term) -> Term:
    return ("sub", one, two)


def mul(*parts: Term) -> Term:
    return ("mul", *parts)


def div(one: Term, two: Term) -> Term:
    return ("div", one, two)


def given(head: str, poly: Poly) -> Term:
    return (head, poly_data(poly))


def tensor(name: str, *labels: str) -> Term:
    return ("tensor", name, labels)


def total(labels: Iterable[str], *factors: Term) -> Term:
    return ("sum", tuple(sorted(labels)), tuple(sorted(factors, key=str)))


F, G = ("def", "F"), ("def", "G")
a, b, c, h, x, L, S, n = map(sym, "abchxLSn")
l_, s_, d_, h_ = map(Poly.symbol, "LSdh")
ROOT = ("root", mul(a, x), b, "x")
MATRICES = (tensor("A", "i", "k"), tensor("B", "k", "j"), tensor("C", "j", "l"))
NETWORK = (
    (("i", poly_data(l_)), ("j", poly_data(d_)), ("k", poly_data(h_))),
    (((((("A", ("i", "j"), True), ("B", ("j", "k"), False), ("v", ("k",), True)), ("i",))),),),
)
ROUNDED = (("min(L, n)", ("min", L, n)), ("ceil(L/n)", ("ceil", ("div", L, n))), ("floor(n)", ("floor", n)))

BY_HAND = {
    "zero": Claim(("less", num(0), div(L, add(x, num(2)))), (), (), ("L",), ("x",)),
    "fractions": Claim(("same", div(L, num(2)), mul(num("1/2"), L)), (), (), ("L",)),
    "whole numbers": Claim(
        ("atmost", num(3), sub(mul(num(3), L, L), mul(num(3), S))),
        assumptions=(given("pos", l_ * l_ - s_),), sizes=("L", "S"),
    ),
    "iff": Claim(("iff", ("less", num(0), sub(a, b)), ("less", mul(b, c), mul(a, c))), sizes=("a", "b", "c")),
    "rounded": Claim(
        ("independent", div(F, G), "L"),
        (("F", mul(sym("min(L, n)"), sym("ceil(L/n)"), h)), ("G", mul(sym("min(L, n)"), sym("ceil(L/n)"), n))),
        sizes=("L", "n", "h", "min(L, n)", "ceil(L/n)"), opaque=ROUNDED,
    ),
    "floor": Claim(
        ("less", F, G), (("F", mul(L, sym("min(L, n)"))), ("G", add(F, sym("floor(n)")))),
        sizes=("L", "n", "min(L, n)", "floor(n)"), opaque=ROUNDED,
    ),
    "increasing": Claim(
        ("increasing", sub(sym("T"), div(num(1), sub(L, S))), "L"),
        assumptions=(("put", "T", poly_data(l_ * 2)), given("pos", l_ - s_)), sizes=("L", "S", "T"),
    ),
    "cubic": Claim(
        ("crosses", mul(h, add(mul(x, x, x), mul(a, x, x))), mul(h, add(mul(b, x), c)), "x"),
        sizes=("x", "a", "b", "c", "h"),
    ),
    "root": Claim(
        ("all", ("same", ROOT, div(b, a)), ("independent", ROOT, "h"), ("increasing", ROOT, "b"),
         ("crosses", ROOT[1], ROOT[2], "x"), ("less", num(0), ROOT)),
        sizes=("x", "a", "b", "h"),
    ),
    "limit": Claim(
        ("less", ("lim", div(add(mul(num(3), L, L, a), L), add(mul(L, L), sub(L, S))), "L"), mul(num(4), a)),
        assumptions=(given("pos", l_ - s_),), sizes=("L", "S", "a"),
    ),
    "cheapest": Claim(
        ("cheapest", NETWORK, ((((2, 4), (1, 6)),),)),
        assumptions=(given("nonneg", l_ - d_),), sizes=("L", "d", "h"),
    ),
    "value": Claim(
        ("value", total("k", MATRICES[0], total("j", *MATRICES[1:])),
         total("j", total("k", *MATRICES[:2]), MATRICES[2]))
    ),
    "value of four": Claim((
        "value",
        total("ab", tensor("A", "a"), tensor("x", "b"),
              total("cd", tensor("B", "a", "c", "d"), total("e", tensor("A", "e"), tensor("C", "e", "d")))),
        total("cde", total("", total("a", tensor("A", "a"), tensor("B", "a", "c", "d")), tensor("C", "e", "d")),
              total("b", tensor("A", "e"), tensor("x", "b"))),
    )),
    "names": Claim(
        ("less", ("def", "forall"), ("def", "S'")),
        (("forall", add(sym("R"), sym("fun"))),
         ("S'", add(("def", "forall"), add(*map(sym, ("O", "é", "3x", "a_b", "a.b", "num")))))),
        sizes=("R", "fun", "O", "é", "3x", "a_b", "a.b", "num"),
    ),
}  # fmt: skip


def kinds_in(term: object) -> set[str]:
    """The kinds of statements and expressions in a statement."""
    if not isinstance(term, tuple):
        return set()
    return {head for head in term[:1] if head in KINDS}.union(*map(kinds_in, term))


def test_coq_accepts_every_kind_on_the_axioms_of_the_reals_alone(coqc: str, tmp_path: Path) -> None:
    files = written(BY_HAND)
    asked = ("value", "whole numbers", "cubic", "limit")
    for name in asked:
        last = re.findall(r"^Theorem (\w+)", files[name], re.M)[-1]
        files[name] += f"\nPrint Assumptions {last}.\n"
    results = compiled(coqc, tmp_path, files)
    assert not refused(results)
    assert kinds_in(tuple(claim.statement for claim in BY_HAND.values())) == KINDS
    for name in asked:
        said = results[name][1]
        assert "Axioms:" in said, name
        assert set(re.findall(r"^([A-Za-z_.]+)\s+:", said, re.M)) <= AXIOMS, name


def statement(claim: Claim, *term: object) -> Claim:
    return replace(claim, statement=term)


def changed() -> dict[str, tuple[Claim, Claim]]:
    """A claim, and another that the same proof does not prove."""
    cubic, less = BY_HAND["cubic"], BY_HAND["floor"]
    _, low, high, _ = cubic.statement
    wide = ((*NETWORK[0][:2], ("k", poly_data(h_ * h_))), NETWORK[1])
    return {
        "a constant of a statement": (BY_HAND["limit"], statement(
            BY_HAND["limit"], "less", BY_HAND["limit"].statement[1], mul(num(2), a))),
        "a constant of a definition": (less, replace(less, definitions=(
            ("F", mul(num(2), L, sym("min(L, n)"))), ("G", less.definitions[1][1])))),
        "another symbol": (BY_HAND["rounded"], statement(BY_HAND["rounded"], "independent", div(F, G), "h")),
        "the sides": (cubic, statement(cubic, "crosses", high, low, "x")),
        "a strict sign": (BY_HAND["whole numbers"], statement(
            BY_HAND["whole numbers"], "less", *BY_HAND["whole numbers"].statement[1:])),
        "a tensor": (BY_HAND["value"], statement(
            BY_HAND["value"], "value", BY_HAND["value"].statement[1],
            total("j", total("k", tensor("A", "i", "k"), tensor("A", "k", "j")), MATRICES[2]))),
        "a size": (BY_HAND["cheapest"], statement(
            BY_HAND["cheapest"], "cheapest", wide, BY_HAND["cheapest"].statement[2])),
        "the chosen brackets": (BY_HAND["cheapest"], statement(
            BY_HAND["cheapest"], "cheapest", NETWORK, ((((1, 2), (3, 4)),),))),
    }  # fmt: skip


def test_coq_rejects_a_changed_claim_with_the_old_proof(coqc: str, tmp_path: Path) -> None:
    files: dict[str, str] = {}
    for name, (claim, other) in changed().items():
        files[name] = coq_file(other, proved(claim), "", name)
    results = compiled(coqc, tmp_path, files)
    assert [name for name, (accepted, _) in results.items() if accepted] == []
    assert all("Error" in said and "Syntax" not in said for _, said in results.values())


def test_a_sentence_cannot_leave_its_comment(coqc: str, tmp_path: Path) -> None:
    claim = BY_HAND["zero"]
    says = ["*) Axiom a : False. (*", '"', 'a " (* (*) *)) ** (', "*", "(", "\n\x00\t*\n)", "α ≤ β — “so”"]
    files = [coq_file(claim, proved(claim), text, "zero") for text in says]
    assert len({text.split("\n", 1)[1] for text in files}) == 1
    heads = "\n".join(text.split("\n", 1)[0] for text in files)
    text = f"{heads}\nDefinition reached := 0.\nPrint reached.\nFail Check a.\n"
    ((accepted, said),) = compiled(coqc, tmp_path, {"heads": text}).values()
    assert accepted, said
    assert "reached = 0" in said


def test_a_statement_reads_as_the_claim_does() -> None:
    claim = BY_HAND["floor"]
    text = coq_file(claim, proved(claim), "The floor makes it more.", "floor")
    assert text.startswith("(* The floor makes it more. *)\n")
    assert "Definition min_L_n_ (L_ n_ : R) : R :=\n  (Rmin L_ n_)." in text
    assert "Definition G_ (L_ n_ : R) : R :=\n  F_ L_ n_ + (floor_n_ n_)." in text
    assert "forall L_ n_ : R,\n  0 < (floor_n_ n_) ->\n  F_ L_ n_ < G_ L_ n_." in text
    assert not re.search(r"Admitted|Axiom|admit|Parameter|Hypothesis", text)


def test_a_theorem_assumes_no_more_than_the_claim() -> None:
    claim = BY_HAND["limit"]
    for other in (
        replace(claim, assumptions=()),
        replace(claim, assumptions=(given("pos", l_ - s_ - 1),)),
        replace(claim, sizes=("L", "S")),
        replace(claim, sizes=("S", "a")),
    ):
        with pytest.raises(NoCoq):
            coq_file(other, proved(claim), "", "more")
    whole = BY_HAND["whole numbers"]
    with pytest.raises(NoCoq):
        coq_file(replace(whole, sizes=("L",), positives=("S",)), proved(whole), "", "more")


def test_a_proof_of_something_else_gives_no_file() -> None:
    claim = BY_HAND["root"]
    with pytest.raises(NoCoq):
        coq_file(claim, proved(BY_HAND["iff"]), "", "other")
    with pytest.raises(NoCoq):
        coq_file(claim, Proof((), (Line(claim.statement, "every"),)), "", "other")
