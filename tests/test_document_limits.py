"""Files of documents that ask too much, or for what is not there: one sentence, with the place, and soon."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import derive, refused

HEAD = """document: tiny
title: A tiny document
about: Nothing much.
sha256: none
notation: article
quantities:
  F: {flops: mha}
"""
BODY = """under: {set: {H: 2, L: 10, d_k: 3, d_v: 5, b: 2}}
sections:
  "1":
    title: Section
    claims:
      one: {line: 1, prints: "320", value: F}
"""  # 2 * 2 * 10 * (3 + 5)
DEEP = HEAD + "  P0: F\n" + "".join(f"  P{i + 1}: P{i} + 1\n" for i in range(40)) + BODY
HIGH = HEAD + "  P0: L + 1\n" + "".join(f"  P{i + 1}: P{i}^8\n" for i in range(4)) + BODY
NESTED = HEAD + "  P0: L + 1\n" + "".join(
    f"  P{i + 1}: (P{i} + P{i}*L + S)/(P{i} + H)\n" for i in range(8)
) + BODY  # fmt: skip
TABLE = "    tables:\n      t: {title: A table, columns: {a: {title: One, value: F}}, rows: {}}\n"
OURS = '    text: ["Words about {tiny-1-x}."]\n    ours: {x: {value: %s}}\n'
FIGURE = "    figure: {name: curve, title: A curve, over: L, from: 1, to: 9, curves: {a: %s}}\n"
CASES = [
    (DEEP, 0, "more than 20 quantities stand on each other"),
    (HIGH.replace("value: F", "value: P4"), 0, "too large when it is multiplied out in the formula 'P"),
    (NESTED.replace("value: F", "value: P8"), 0, "too large when it is multiplied out in the formula"),
    (HEAD + BODY + TABLE, 15, "a table has a column and a row at least"),
    (HEAD + BODY + OURS % "d_c", 15, "(sections.1.ours.x.value): no number for d_c"),
    (HEAD + BODY + OURS % "1/(L - 10)", 15, "(sections.1.ours.x.value): a division by zero"),
    (
        HEAD + BODY.replace("one:", "x:") + OURS % "L",
        15,
        "tiny-1-x is a claim already; call the number otherwise",
    ),
    (
        HEAD + "  X: {crossover: [L^3 + L, 7*L + 5], in: L}\n" + BODY.replace("value: F", "value: X"),
        14,
        "tiny-1-one has no value: X is no equation of first or second degree in L",
    ),
    (
        HEAD + '  X: {crossover: ["min(L, d_v)", "d_k"], in: L}\n' + BODY.replace("value: F", "value: X"),
        14,
        "tiny-1-one has no value: X has L inside a min, ceil or floor, where it is not solved",
    ),
    (
        HEAD + "  X: {crossover: [L + 5, L + 7], in: L}\n" + BODY.replace("value: F", "value: X"),
        14,
        "tiny-1-one has no value: X has no crossing",
    ),
    (HEAD + BODY.replace("value: F", 'value: F, against: {is: "7"}'), 13, "name the figures of the formula"),
    (
        HEAD + BODY.replace("value: F", "value: F, against: {is: a, a: 1-one}"),
        13,
        "a claim is held against others, not against itself",
    ),
    (HEAD + BODY.replace("value: F", "value: F, beside: [1-one]"), 13, "not against itself"),
    (HEAD.replace("document: tiny", "document: errata") + BODY, 1, "errata is the name of another page"),
    (HEAD.replace("sha256: none", "sha256: zz") + BODY, 4, "a SHA-256 has 64 digits"),
    (HEAD.replace("{flops: mha}", "{flops: mha, classes: [cache]}") + BODY, 7, "classes are of bytes"),
    (
        HEAD + BODY.replace("one:", '"o/ne":'),
        13,
        "has other signs than letters, digits, points, plus and hyphens",
    ),
    (HEAD + BODY + FIGURE.replace("{a: %s}", "{}"), 14, "a drawing has a curve at least"),
]


@pytest.mark.parametrize(("text", "line", "words"), CASES, ids=[words[:40] for *_, words in CASES])
def test_refused_with_its_place(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(text, encoding="utf-8")
    said = refused("article", "--document", str(path))
    assert words in said
    assert f"tiny.yaml:{line or ''}" in said


@pytest.mark.parametrize(("formula", "words"), [
    ("d_c*L", "(sections.1.figure.curves.a): no number for d_c"),
    ("L - 5", "(sections.1.figure.curves.a): a drawing on logarithmic axes needs numbers above zero"),
])  # fmt: skip
def test_a_drawing_that_cannot_be_leaves_nothing_behind(tmp_path: Path, formula: str, words: str) -> None:
    path, folder = tmp_path / "tiny.yaml", tmp_path / "made"
    path.write_text(HEAD + BODY + FIGURE % formula, encoding="utf-8")
    assert words in refused("article", "--document", str(path), "-o", str(folder))
    assert list(folder.iterdir()) == []


def test_what_can_be_is_written(tmp_path: Path) -> None:
    path, folder = tmp_path / "tiny.yaml", tmp_path / "made"
    path.write_text(HEAD + BODY + FIGURE % "L", encoding="utf-8")
    status, _, errors = derive("article", "--document", str(path), "-o", str(folder))
    assert status == 0, errors
    assert {p.suffix for p in folder.iterdir()} >= {".md", ".tex"}
