"""The figures of the documents as derived, against the same figures by hand, row by row of `hand_figures`.

Rows and claims meet on a line of a document, by what is printed there or by name. Their numbers must agree to
four digits, under the document's own way and under the condition; where two honest ways differ, the row is
listed below with the number on either side, both by hand, and with what they differ in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import pytest
from document_rows import APART, NAMED, NO_CLAIM, OTHER_VERDICTS, UNDER_APART, Key
from hand_figures import FIGURES, Figure, Number

from derivations.documents.judged import judge_document
from derivations.documents.printed import Printed
from derivations.documents.reading import document_names, load_document
from derivations.documents.verdict import Verdict

_SIGN = re.compile(r"^(~|≈|about )")
_UNIT = re.compile(r" ?[kMGTP]?(FLOP/byte|FLOP/B|FLOP/s|FLOP|B/s|B|ms)$|(?<=\d) ?[GTM]$|[x%]$")


def key_of(row: Figure) -> Key:
    """What names a row."""
    return row.document, row.line, row.printed


def bare(text: str) -> str:
    """What is printed, without sign, unit and commas."""
    return _UNIT.sub("", _SIGN.sub("", text.replace("×", "x").replace(",", ""))).strip()


@cache
def verdicts(document: str) -> tuple[Verdict, ...]:
    """The verdicts on a document, judged once."""
    return tuple(judge_document(load_document(document)))


@cache
def met(row: Figure) -> tuple[Verdict, ...]:
    """The claims that a row is about."""
    named = NAMED.get(key_of(row))
    if named is not None:
        return tuple(v for v in verdicts(row.document) if v.claim.id == f"{row.document}-{named}")
    wanted = bare(row.printed)
    return tuple(
        v for v in verdicts(row.document)
        if row.line in v.claim.lines and v.claim.prints and bare(v.claim.prints) == wanted
    )  # fmt: skip


def same(one: Number, two: Number) -> bool:
    """Whether two numbers agree to four significant digits, or to what floats can hold of them."""
    first, second = float(one), float(two)
    return f"{first:.3e}" == f"{second:.3e}" or abs(first - second) <= 1e-9 * abs(second)


def numbers(verdict: Verdict, explained: bool = False) -> list[Fraction]:
    """The derived numbers of a figure in its printed unit; or those that would explain what is printed."""
    assert verdict.claim.printed is not None
    readings = verdict.explained if explained else verdict.readings
    return [r.value / verdict.claim.printed.scale for r in readings if r.value is not None]


def figures_of(row: Figure) -> list[Verdict]:
    """The claims of a row that are figures."""
    return [verdict for verdict in met(row) if verdict.claim.printed is not None]


ROWS = [row for row in FIGURES if key_of(row) not in NO_CLAIM]


def ids(rows: Iterable[Figure]) -> list[str]:
    return [f"{row.document}-{row.line}-{row.printed[:20]}" for row in rows]


def test_every_row_meets_a_claim_or_is_listed() -> None:
    keys = [key_of(row) for row in FIGURES]
    assert len(keys) == len(set(keys)) == 235
    assert [key_of(row) for row in ROWS if not met(row)] == []
    assert [key_of(row) for row in FIGURES if key_of(row) in NO_CLAIM and met(row)] == []
    # of the others, what is claimed is a formula or a statement, which has a verdict and no number
    compared = [row for row in ROWS if figures_of(row)]
    assert len(compared) >= 185
    assert sum(row.under is not None for row in compared) >= 55
    assert len(NO_CLAIM) <= 12
    for table in (NAMED, NO_CLAIM, APART, UNDER_APART, OTHER_VERDICTS):
        assert [key for key in table if key not in keys] == []
    # a row that is named meets the claim on its own line
    assert [key for key in NAMED if not all(key[1] in v.claim.lines for row in ROWS if key_of(row) == key
                                            for v in met(row))] == []  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_numbers(row: Figure) -> None:
    for verdict in figures_of(row):
        found = numbers(verdict)
        if key_of(row) in APART:
            by_hand, derived, _ = APART[key_of(row)]
            assert same(row.value, by_hand), float(row.value)
            assert any(same(number, derived) for number in found), list(map(float, found))
            assert not any(same(number, row.value) for number in found), "no longer apart"
        else:
            assert any(same(number, row.value) for number in found), (verdict.claim.id, list(map(float, found)))


CONDITIONAL = [row for row in ROWS if row.under is not None]


@pytest.mark.parametrize("row", CONDITIONAL, ids=ids(CONDITIONAL))
def test_numbers_under_a_condition(row: Figure) -> None:
    assert row.under is not None
    for verdict in figures_of(row):
        found = numbers(verdict, explained=True)
        if key_of(row) in UNDER_APART:
            derived, _ = UNDER_APART[key_of(row)]
            assert not any(same(number, row.under) for number in found), "no longer apart"
            assert (derived is None) is (found == [])
            assert derived is None or any(same(number, derived) for number in found), list(map(float, found))
        else:
            assert any(same(number, row.under) for number in found), (verdict.claim.id, list(map(float, found)))


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_verdicts(row: Figure) -> None:
    found = {verdict.status for verdict in met(row)}
    if key_of(row) in OTHER_VERDICTS:
        by_hand, derived, _ = OTHER_VERDICTS[key_of(row)]
        assert (row.verdict, found) == (by_hand, {derived})
        assert by_hand != derived
    else:
        assert found == {row.verdict}, [verdict.claim.id for verdict in met(row)]


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_prints_let_through_what_is_right_by_hand(row: Figure) -> None:
    """By hand alone: what holds is a number that the print stands for, and what is wrong is none."""
    other_unit = APART.get(key_of(row), (0, 0, ""))[2].startswith("another unit")
    for verdict in [] if other_unit else figures_of(row):
        assert verdict.claim.printed is not None
        check(row, verdict.claim.printed)


def check(row: Figure, printed: Printed) -> None:
    """Whether the numbers by hand are what their verdict says of the print."""
    own = printed.allows(Fraction(row.value) * printed.scale)
    if row.verdict == "holds":
        assert own
    elif row.verdict == "holds if" and row.under is not None and key_of(row) not in UNDER_APART:
        assert printed.allows(Fraction(row.under) * printed.scale)
    elif row.verdict in ("wrong", "contradicts"):
        assert not own


def test_the_documents_are_as_their_files_expect() -> None:
    found = [verdict for name in document_names() for verdict in verdicts(name)]
    assert [verdict.claim.id for verdict in found if not verdict.as_expected] == []
    assert len(found) >= 400
