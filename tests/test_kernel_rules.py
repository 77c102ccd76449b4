"""Rules that say what is positive: steps that follow and near misses that do not, worked out by hand."""

from __future__ import annotations

import pytest
import test_kernel_conclusions
import test_kernel_forms
from kernelsteps import MIN, follows, known, nonneg, p, pos, step, w

from derivations.claims import STEP
from derivations.kernel import RULES

PUT = ("put", "S", p("L - 1"))

ACCEPTED = {
    "given": [step(pos("L - S"), **known(pos("L - S"))), step(PUT, **known(PUT))],
    "size": [step(pos("L")), step(pos("b")), step(pos(STEP)), step(nonneg("L - 1"))],
    "whole": [step(nonneg("L - S - 1"), pos("L - S")), step(nonneg("2 H L - 4"), pos("2 H L - 3"))],
    "combine": [
        step(nonneg("H L - H"), nonneg("L - 1"), pos("H"), weights=w((1, 0, 1))),
        step(pos("L - 1 + 2 H"), nonneg("L - 1"), pos("H"), weights=w((1, 0), (2, 1))),
        step(pos("L + 1/2"), nonneg("L - 1"), weights=w((1, 0), ("3/2",))),
        step(pos("H H"), pos("H"), weights=w((1, 0, 0))),
        step(pos("7"), weights=w((7,))),
        step(nonneg("0")),
    ],
    "divided": [step(pos("L"), pos("H L"), pos("H")), step(pos("L - 1"), pos("H L - H"), pos("H"))],
}

REFUSED = {
    "given": {
        "another": step(pos("L"), **known(pos("L - S"))),
        "weaker": step(nonneg("L - S"), **known(pos("L - S"))),
        "turned": step(pos("S - L"), **known(pos("L - S"))),
        "after another line": step(pos("L - S"), pos("L"), **known(pos("L - S"))),
        "another value": step(("put", "S", p("L")), **known(PUT)),
        "nothing assumed": step(PUT),
    },
    "size": {
        "a width of one": step(nonneg("b - 1")),
        "two": step(nonneg("L - 2")),
        "strictly": step(pos("L - 1")),
        "weaker": step(nonneg("L")),
        "a step of one": step(nonneg(f"{STEP} - 1")),
        "unknown": step(pos("u")),
        "defined": step(pos("m"), **MIN),
        "twice": step(pos("2 L")),
        "negative": step(pos("-L")),
        "after another line": step(pos("L"), pos("H")),
    },
    "whole": {
        "of what may be zero": step(nonneg("L - S - 1"), nonneg("L - S")),
        "of a width": step(nonneg("L - b - 1"), pos("L - b")),
        "of a step": step(nonneg(f"{STEP} - 1"), pos(STEP)),
        "of halves": step(nonneg("1/2 L - 1"), pos("1/2 L")),
        "of an unknown": step(nonneg("u - 1"), pos("u")),
        "of what is defined": step(nonneg("m - 1"), pos("m"), **MIN),
        "by two": step(nonneg("L - S - 2"), pos("L - S")),
        "strictly": step(pos("L - S - 1"), pos("L - S")),
        "of a value": step(nonneg("L - 2"), PUT, **known(PUT)),
        "of two lines": step(nonneg("L - S - 1"), pos("L - S"), pos("L")),
    },
    "combine": {
        "a negative weight": step(nonneg("1 - L"), nonneg("L - 1"), weights=w((-1, 0))),
        "a weight of zero": step(nonneg("0"), nonneg("L - 1"), weights=w((0, 0))),
        "strictly": step(pos("H L - H"), nonneg("L - 1"), pos("H"), weights=w((1, 0, 1))),
        "weaker": step(nonneg("L - 1 + H"), nonneg("L - 1"), pos("H"), weights=w((1, 0), (1, 1))),
        "another sum": step(pos("L + H"), nonneg("L - 1"), pos("H"), weights=w((1, 0), (1, 1))),
        "an idle premise": step(pos("2 H"), nonneg("L - 1"), pos("H"), weights=w((2, 1))),
        "a premise that is not there": step(pos("2 H"), pos("H"), weights=w((2, 1))),
        "another order": step(nonneg("H L - H"), pos("H"), nonneg("L - 1"), weights=w((1, 0, 1))),
        "a premise twice": step(pos("2 H"), pos("H"), pos("H"), weights=w((1, 0), (1, 1))),
        "what it rests on": step(pos("H"), pos("H"), weights=w((1, 0))),
        "a value": step(pos("L - 1"), PUT, weights=w((1, 0)), **known(PUT)),
        "a float": step(pos("2 H"), pos("H"), weights=((2.0, ((0, 1),)),)),
        "a flag": step(pos("H H"), pos("H"), weights=((True, ((0, 2),)),)),
        "a square with a minus": step(pos("L L - 2 L + 1"), pos("L"), weights=w((1, 0, 0), (-2, 0), (1,))),
        "weights out of order": step(pos("L + 2"), nonneg("L - 1"), weights=((3, ()), (1, ((0, 1),)))),
        "zero above zero": step(pos("0")),
    },
    "divided": {
        "a product that may be zero": step(pos("L"), nonneg("H L"), pos("H")),
        "a part that may be zero": step(pos("L"), pos("H L"), nonneg("H")),
        "weaker": step(nonneg("L"), pos("H L"), pos("H")),
        "another quotient": step(pos("S"), pos("H L"), pos("H")),
        "negative": step(pos("-L"), pos("H L"), pos("H")),
        "by one": step(pos("H L"), pos("H L"), pos("1")),
        "into one": step(pos("1"), pos("H"), pos("H")),
        "turned": step(pos("L"), pos("H"), pos("H L")),
        "alone": step(pos("L"), pos("H L")),
    },
}

TABLES = [
    (ACCEPTED, REFUSED),
    (test_kernel_forms.ACCEPTED, test_kernel_forms.REFUSED),
    (test_kernel_conclusions.ACCEPTED, test_kernel_conclusions.REFUSED),
]


def test_each_rule_has_its_cases():
    assert sorted(rule for taken, _ in TABLES for rule in taken) == sorted(RULES)
    assert sorted(rule for _, refused in TABLES for rule in refused) == sorted(RULES)
    assert all(cases for taken, _ in TABLES for cases in taken.values())
    assert all(len(cases) >= 3 for _, refused in TABLES for cases in refused.values())


@pytest.mark.parametrize(("rule", "asked"), [(r, s) for r, steps in ACCEPTED.items() for s in steps])
def test_what_follows(rule, asked):
    assert follows(rule, asked)


@pytest.mark.parametrize(("rule", "miss"), [(r, miss) for r, misses in REFUSED.items() for miss in misses])
def test_what_does_not(rule, miss):
    assert not follows(rule, REFUSED[rule][miss])


def test_no_other_rule_takes_a_step_of_one():
    """A step says what its rule says: put under another name it is refused."""
    taken = [(rule, asked) for accepted, _ in TABLES for rule, steps in accepted.items() for asked in steps]
    assert [(r, other) for r, asked in taken for other in RULES if other != r and follows(other, asked)] == []
