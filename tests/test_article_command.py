"""`derive article`: what it prints, writes and refuses, and the verdicts that the project promises.

Expected figures are arithmetic on published widths: a latent of 512, heads of 128, 96 of them in Kimi K3.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import derive, refused, shown

from derivations.documents.reading import document_names, load_document

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT.parent / "shared" / "seeds"
ALIKE = 7
"""Words in a row that two texts may share by chance, formulas and names of models left aside, less one."""


@cache
def claims() -> dict[str, dict[str, Any]]:
    data = json.loads(shown("article", "--json"))
    assert data["schema"] == "derive/1"
    return {claim["id"]: claim for claim in data["claims"]}


# (512 + 96 * 256) / 512 = 49 with the bytes of the table; S* = d_c (d_k+d_v) L / (L (2 d_c - d_k - d_v) +
# d_c (d_k+d_v)) = 131072 * 131072 / (131072 * 768 + 131072) = 131072 / 769; 1088 / 576 against 2 = 1/17
PROMISED = [
    ("article-5.4-byte-gap", "contradicts", 49, "49×"),
    ("article-5.6-high", "wrong", Fraction(131072, 769), "170.4"),
    ("card-mistakes-rope", "wrong", Fraction(1, 17), "5.88%"),
    ("article-3-layers", "wrong", 24, "24"),
    ("article-3-cache-mha-total", "holds if", 96 * 256 * 2 * 32768 * 93, "149.79 GB"),
    ("article-5.4-decode-2048-absorb-ai", "holds if", Fraction(2 * 96 * (131072 + 2048 * 1024),
                                                               2 * 2048 * 512 + 2 * 96 * 131072), "15.69"),
    ("article-5.5-prefill-2048-times", "holds if", Fraction(17, 5), "3.400×"),
    ("card-llama-bytes", "holds", 2 * 8192 * 128 * 2, "4.19 MB"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "verdict", "value", "text"), PROMISED)
def test_what_is_promised(name, verdict, value, text):
    claim = claims()[name]
    assert (claim["verdict"], claim["derived"]["text"]) == (verdict, text)
    assert claim["derived"]["value"] == pytest.approx(float(value), rel=1e-11)


BECAUSE = [
    ("article-5.6-high", "several readings give it: taken at the limit of a long context and rounded up"),
    ("article-3-cache-mha-total", "only where bytes are in binary units, such as GiB for GB"),
    ("article-5.4-decode-2048-absorb-ai", "only where the bytes of the up-projection weights are left out"),
    (
        "article-5.5-prefill-32768-absorb",
        "only where only causal pairs are counted or half of all pairs are counted",
    ),
    ("article-6-sparse-131072-gap", "only where the indexer is left out"),
    ("article-4-fixed-value", "only where the query latent is left out"),
    ("note-drafts-fewer", "only where the RoPE segment is left out"),
    ("article-1-output", "proved only where the activations are left out"),
    ("article-8-across", "only on NVIDIA H200 SXM"),
]


@pytest.mark.parametrize(("name", "because"), BECAUSE)
def test_why(name, because):
    assert claims()[name]["because"] == because


def test_every_claim_has_the_fields_of_the_contract():
    for claim in claims().values():
        assert {"id", "document", "where", "published", "derived", "verdict", "because"} <= set(claim)
        assert claim["verdict"] in ("holds", "holds if", "wrong", "contradicts")
        assert claim["verdict"] == claim["expected"]
        assert claim["document"] in ("article", "note", "card")
        assert claim["verdict"] == "holds" or claim["because"]
    assert sum(claim["verdict"] in ("wrong", "contradicts") for claim in claims().values()) >= 15


def test_listed():
    listed = {row["name"] for row in json.loads(shown("list", "claims", "--json"))["claims"]}
    assert set(claims()) < listed
    assert "decode-absorb" in listed


def test_one_claim_shows_what_it_rests_on():
    page = shown("article", "--claim", "article-5.4-byte-gap")
    for part in (
        "lines 469, 510", "Printed: 71×. Derived: 49×.", "(H d_k + H d_v + d_c) / d_c",
        "18 other readings were tried", "C(L, d_c) W_UK(H, d_c, d_k) -> K(H, L, d_k)", "expanded = 1.64 G",
    ):  # fmt: skip
        assert part in page
    proof = shown("article", "--claim", "article-5.5-every-length")
    assert "Claim: P_expand < P_absorb" in proof
    assert re.search(r"^ *1\. ", proof, re.M)


def test_formats_of_one_document():
    text, markdown, latex, html = (
        shown("article", "--document", "card", form) for form in ("--text", "--markdown", "--latex", "--html")
    )
    assert "11%" in text
    assert markdown.startswith("# Decode attention intensity")
    assert latex.startswith("\\documentclass")
    assert "<h1>Decode attention intensity" in html


REFUSED = [
    (("--document", "artcle"), "unknown document 'artcle'; did you mean 'article'?"),
    (("--claim", "article-5.6-hihg"), "unknown claim 'article-5.6-hihg'; did you mean 'article-5.6-high'?"),
    (("--json", "--latex"), "--latex and --json were both given; choose one output format"),
    (("--json", "-o", "/no/where"), "-o /no/where: there is no folder /no; make it first"),
    (("--claim", "article-5.6-high", "-o", "/tmp"), "-o /tmp: is a folder; give the name of a file in it"),
    (("-o", "/no/where"), "-o /no/where: there is no folder /no; make it first"),
    (("--document", "./none.yaml"), "there is no file ./none.yaml"),
    (("--document", "card", "--claim", "note-decode-small"), "unknown claim 'note-decode-small'"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=lambda value: " ".join(value)[:40])
def test_refused(arguments, words):
    assert words in refused("article", *arguments)


def test_a_verdict_that_is_not_expected_fails(tmp_path):
    source = (ROOT / "models" / "claims" / "card.yaml").read_text(encoding="utf-8")
    path = tmp_path / "card.yaml"
    path.write_text(source.replace('sizes: "512 128 64", expect: wrong', 'sizes: "512 128 64"'), "utf-8")
    status, _, errors = derive("article", "--document", str(path))
    assert (status, errors) == (1, "derive: card-mistakes-rope: wrong, and holds is expected\n")


def test_written_into_a_folder(tmp_path):
    assert derive("article", "--document", "card", "-o", str(tmp_path / "made"))[0] == 0
    assert {p.name for p in (tmp_path / "made").iterdir()} == {
        f"{page}.{ending}" for page in ("card", "errata") for ending in ("md", "html", "tex")
    }


def test_one_page_goes_into_a_file(tmp_path):
    page, one = tmp_path / "card.html", tmp_path / "one.json"
    assert derive("article", "--document", "card", "--html", "-o", str(page)) == (0, "", "")
    assert "<h1>Decode attention intensity" in page.read_text()
    derive("article", "--claim", "article-5.6-high", "--json", "-o", str(one))
    assert json.loads(one.read_text())["claims"][0]["id"] == "article-5.6-high"


def test_the_errata_are_one_page(tmp_path):
    assert shutil.which("pdflatex"), "pdflatex is needed"
    command = ["pdflatex", "-interaction=nonstopmode", "-output-directory", str(tmp_path), "errata.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=ROOT / "reports", capture_output=True, text=True)
    assert "(1 page," in done.stdout


@pytest.mark.parametrize("name", document_names())
def test_the_words_are_ours(name):
    """No run of words of a document is in our pages, where the document is at hand."""
    ours = (ROOT / "reports" / f"{name}.md").read_text(encoding="utf-8")
    assert load_document(name).title in ours
    path = SEEDS / f"{name}.txt"
    theirs = runs(path.read_text(encoding="utf-8")) if path.exists() else set()
    assert runs(ours.partition("\n")[2]) & theirs == set()


def runs(text: str) -> set[tuple[str, ...]]:
    """Runs of plain words: formulas and units are no wording."""
    words = [
        word if len(word) > 2 else ""
        for word in re.findall(r"[a-z]+", re.sub(r"\$[^$]*\$|`[^`]*`", " ", text.lower()))
    ]
    found = (tuple(words[i : i + ALIKE]) for i in range(len(words) - ALIKE + 1))
    return {run for run in found if sum(map(bool, run)) >= ALIKE - 1}
