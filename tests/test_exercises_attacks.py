"""Answers made to break the marking: nothing over nothing, divisions by zero, signs, ambiguous letters."""

from __future__ import annotations

from functools import cache

import pytest

from derivations.exercises.asked import Task, Wants
from derivations.exercises.generating import exercises
from derivations.exercises.marking import Verdict, mark
from derivations.exercises.slips import same_ratio
from derivations.exercises.wording import flat, question_of


@cache
def series() -> tuple[Task, ...]:
    return tuple(e.task for seed in range(3) for level in (1, 2, 3) for e in exercises(seed, 8, level))


UNIVERSAL = [
    "0/(S-1)", "(S-S)/(S-1)", "(S*S-S)/(S*L-L)", "(S^2-1)/(S^2+S-2)", "(min(L,S)-1)*b/((min(L,S)-1)*L)",
    "(floor(L/S)-L)*b/((floor(L/S)-L)*L)", "1/(S-1)", "1/(L-S)", "0/0", "0*L", "L-L", "(L-L)/(S*L)",
]  # fmt: skip


@pytest.mark.parametrize("text", UNIVERSAL)
def test_no_formula_is_right_everywhere(text):
    verdicts = [mark(task, text).verdict for task in series()]
    assert Verdict.RIGHT not in verdicts
    assert len(verdicts) > 60


def test_a_size_minus_its_own_value_divides_by_zero():
    tried = 0
    for task in series():
        for name, value in task.sizes if task.wants is Wants.NUMBER else ():
            tried += 1
            found = mark(task, f"1/({name}-{value})")
            assert found.verdict is Verdict.AGAIN
            assert found.sentences == ("A division by zero at the sizes of this exercise.",) or "S is" in str(
                found.sentences
            )
    assert tried > 100


def test_the_sides_that_are_compared_divide_by_something():
    from derivations.algebra import Ratio
    from derivations.poly import Poly

    length = Poly.symbol("L")
    assert same_ratio(Ratio(length * 2, length), Ratio(Poly.const(2)))
    assert not same_ratio(Ratio(length), Ratio(Poly.const(2)))


CROSSING = exercises(9, 1, 3)[0].task
INTENSITY = exercises(5, 1, 2)[0].task  # 241.777 FLOP/B
ROW = exercises(10, 1, 1)[0].task  # 512 B
SAID = [
    (CROSSING, "-L*d_c*(d_k+d_v)/(L*(d_k+d_v-2*d_c)-d_c*(d_k+d_v))", Verdict.RIGHT, ""),
    (CROSSING, "L*d_c*(d_k+d_v)/(-L*(d_k+d_v-2*d_c)+d_c*(d_k+d_v))", Verdict.RIGHT, ""),
    (CROSSING, "-L*d_c*(d_k+d_v)/(d_c*(d_k+d_v)-L*(d_k+d_v-2*d_c))", Verdict.WRONG, ""),
    (CROSSING, "-3", Verdict.AGAIN, "No answer here is negative."),
    (CROSSING, "0/(L-L)", Verdict.AGAIN, "A division by zero in the formula '0 / ( L - L )'."),
    (INTENSITY, "(242)", Verdict.RIGHT, "No unit was typed; it is taken as FLOP/B."),
    (INTENSITY, "(2.42e2)", Verdict.RIGHT, "No unit was typed; it is taken as FLOP/B."),
    (INTENSITY, "242 [FLOP/B]", Verdict.RIGHT, ""),
    (INTENSITY, "242 (FLOP/B)", Verdict.RIGHT, ""),
    (INTENSITY, "242 FLOP/B.", Verdict.RIGHT, ""),
    (INTENSITY, "(243)", Verdict.WRONG, ""),
    (ROW, "512 b", Verdict.AGAIN, "b is a size here, 2; write B for bytes."),
    (ROW, "512b", Verdict.AGAIN, "b is a size here, 2; write B for bytes."),
    (ROW, "512 B", Verdict.RIGHT, ""),
    (ROW, "256*b", Verdict.RIGHT, ""),
]  # fmt: skip


@pytest.mark.parametrize(("task", "text", "verdict", "sentence"), SAID, ids=[text for _, text, *_ in SAID])
def test_what_is_said(task, text, verdict, sentence):
    found = mark(task, text)
    assert found.verdict is verdict
    if sentence:
        assert found.sentences[0] == sentence


PRINTED = [
    (exercises(6, 1, 3)[0].task, "241.77777777777777", Verdict.RIGHT),  # 2176/9, as Python prints it
    (exercises(6, 1, 3)[0].task, "241.77777777777780", Verdict.RIGHT),
    (exercises(6, 1, 3)[0].task, "241.77777777788", Verdict.WRONG),
    (exercises(5, 1, 3)[0].task, "156*H*S*Min(L,n)*(2*d_c+d_r)", Verdict.RIGHT),
    (exercises(5, 1, 3)[0].task, r"156 H S \min(L, n) (2 d_c + d_r)", Verdict.RIGHT),
]


@pytest.mark.parametrize(("task", "text", "verdict"), PRINTED, ids=[text for _, text, _ in PRINTED])
def test_what_programs_print_is_read(task, text, verdict):
    assert mark(task, text).verdict is verdict


def test_a_formula_is_not_asked_to_be_unrounded():
    asked = [flat(words) for task in series() for words in question_of(task)]
    formulas = [flat(words) for task in series() if task.wants is Wants.FORMULA for words in question_of(task)]
    assert any("not rounded to whole tokens" in words for words in asked)
    assert not any("not rounded to whole tokens" in words for words in formulas)
