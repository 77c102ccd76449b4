"""Marks: what is right in whatever form is accepted, every known slip is named, nothing is given away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
import sympy

from derivations.conventions import Conventions
from derivations.exercises.answer import answer_of
from derivations.exercises.asked import Quantity, Task, Wants
from derivations.exercises.generating import exercises
from derivations.exercises.marking import Verdict, mark
from derivations.exercises.rounding import Fit, fit
from derivations.exercises.slips import SLIPS, pairs_of_slips, single_slips
from derivations.exercises.typed import read
from derivations.exercises.units import UNITS, number_text
from derivations.exercises.wording import notation_of

TWELVE = {
    "rope", "macs", "kv-heads", "latent-twice", "latent-over-ranks", "units", "causal", "keys-only", "batch",
    "bf16", "layers", "full-heads",
}  # fmt: skip
LATER = {"endless", "summed", "as-mha"}
SERIES = [(seed, level) for level, seeds in ((1, 5), (2, 7), (3, 8)) for seed in range(100, 100 + seeds)]
"""Seed and level of series of ten: 200 exercises."""


@cache
def series(seed: int, level: int) -> tuple[Task, ...]:
    """Ten tasks."""
    return tuple(exercise.task for exercise in exercises(seed, 10, level))


@cache
def tasks() -> tuple[Task, ...]:
    """All 200."""
    return tuple(task for seed, level in SERIES for task in series(seed, level))


def exact(value: Fraction) -> str:
    """A number without rounding, of three digits at least: decimals where they end soon, else a fraction."""
    for digits in range(8):
        if (value * 10**digits).denominator == 1:
            if value < 10**9:
                return f"{float(value):.{max(3, digits)}f}"
            return f"{value}.0" if value.denominator == 1 else str(value)
    return f"{value.numerator}/{value.denominator}" if value.numerator < 10**25 else f"{float(value):.9g}"


def fraction(value: Fraction) -> str:
    """A number as a fraction, which is exact where a decimal may be another number, rounded."""
    return f"{value.numerator}/{value.denominator}" if value.numerator < 10**25 else exact(value)


def typed_slips(task: Task) -> Iterator[tuple[str, str]]:
    """(slip, what a person who makes it types)."""
    for slipped in single_slips(task):
        name = slipped.slips[0].name
        if task.wants is Wants.FORMULA:
            if slipped.answer.ratio is not None:
                yield name, str(slipped.answer.ratio.sympy())
        else:
            number, right = slipped.answer.number, answer_of(task).number
            alike = abs(number - right) * 100 < right
            yield name, f"{fraction(number) if alike else exact(number)} {task.unit}"


@pytest.mark.parametrize(("seed", "level"), SERIES)
def test_each_slip_is_recognised_and_named(seed, level):
    for task in series(seed, level):
        for name, text in typed_slips(task):
            found = mark(task, text)
            assert found.verdict is Verdict.SLIP, (task, name, text, found)
            slip = next(slip for slip in SLIPS if slip.name == name)
            assert slip in found.slips, (task, name, text, found)
            said = " ".join(found.sentences)
            assert slip.words.lower() in said.lower()
            assert slip.why in said


def test_two_hundred_exercises_have_all_twelve():
    assert len(tasks()) == 200
    assert {s.slips[0].name for task in tasks() for s in single_slips(task)} >= TWELVE
    assert {slip.name for slip in SLIPS} == TWELVE | {"all-rows", "one-of-batch", "every-layer", *LATER}


def test_a_value_of_several_slips_has_all_of_them_named():
    """Ours to check: the slips whose figure is the same are those that are named."""
    several = 0
    for task in tasks()[::4]:
        groups: dict[object, set[str]] = {}
        for slipped in single_slips(task):
            if slipped.answer.number is not None:
                groups.setdefault(slipped.answer.number, set()).add(slipped.slips[0].name)
        for value, names in groups.items():
            named = {slip.name for slip in mark(task, f"{fraction(value)} {task.unit}").slips}
            assert names <= named
            several += len(names) > 1
    assert several > 10


@pytest.mark.parametrize(("seed", "level"), SERIES[::2])
def test_right_answers_are_accepted_in_every_form(seed, level):
    for task in series(seed, level):
        answer = answer_of(task)
        if task.wants is Wants.FORMULA:
            whole = answer.ratio.sympy()
            above, below = (sympy.expand(part) for part in sympy.fraction(sympy.together(whole)))
            forms = [
                str(whole), str(sympy.expand(whole)), f"({above})/({below})", f"1/(({below})/({above}))",
                f"({above})*3/(2*({below}) + {below})", notation_of(task).text(answer.ratio),
                f"{whole} {task.unit}",
            ]  # fmt: skip
        else:
            forms = [
                exact(answer.number),
                f"{exact(answer.number)} {task.unit}",
                f"{float(answer.number):#.3g}".replace("e+", "e"),
            ]
            forms += [
                f"{exact(answer.value / unit.scale)} {unit.name}"
                for unit in UNITS.values()
                if unit.measure is task.measured.measure and answer.value / unit.scale > Fraction(1, 10**4)
            ]
        for form in forms:
            assert mark(task, form).verdict is Verdict.RIGHT, (task, form, mark(task, form))


@pytest.mark.parametrize(("seed", "level"), SERIES[1::2])
def test_three_digits_are_enough_and_the_third_matters(seed, level):
    for task in series(seed, level):
        if task.wants is Wants.FORMULA:
            continue
        number = answer_of(task).number
        power = 0
        while number / Fraction(10) ** power >= 1000:
            power += 1
        while number / Fraction(10) ** power < 100:
            power -= 1
        step = Fraction(10) ** power
        rounded = round(number / step)
        for off in (-1, 0, 1):
            value = (rounded + off) * step
            text = f"{float(value):.{max(0, -power)}f} {task.unit}"
            if off == 0:
                assert mark(task, text).verdict is Verdict.RIGHT, (task, text)
            elif abs(value - number) * 2 > step:  # not a tie
                assert mark(task, text).verdict is not Verdict.RIGHT, (task, text)


SIZES = (("H", 128), ("d_k", 128), ("d_v", 128), ("d_c", 512), ("d_r", 64), ("d_model", 7168), ("b", 2))
ROW = Task("mla+rope", "absorb", Quantity.ROW, "kB", sizes=SIZES, layers=61)
"""70.272 kB: 61 layers of 512 + 64 elements of two bytes."""
FLOPS = Task("mla+rope", "absorb", Quantity.FLOPS, "GFLOP", sizes=(*SIZES, ("L", 8192)))
"""2 * 128 * 8192 * (512 + 64 + 512) = 2,281,701,376 FLOP."""
RATIO = Task("mla+rope", "absorb", Quantity.INTENSITY, "FLOP/B", Wants.FORMULA, batch=8)
"""2 H (2 d_c + d_r) / (b (d_c + d_r))."""
WINDOW = Task(
    "gqa+window", "direct", Quantity.CACHE, "MB",
    sizes=(("H_q", 64), ("H_kv", 8), ("d_k", 64), ("d_v", 64), ("n_w", 128), ("L", 32768), ("b", 2)),
)  # fmt: skip
"""128 rows of 2,048 B: 262,144 B."""

EDGES = "Close, but a little too {}; look at what is counted at the edges."
CUT = "Close; it seems to be cut off: round the last digit that you give."
BELOW = (
    "As typed, / divides only by what follows it; "
    "put all that is below the line in parentheses, as in x / (y z)."
)
SHORT = ("Right so far; give three digits.",)
TABLE = [
    (ROW, "70.272 kB", Verdict.RIGHT, ()),
    (ROW, "70.272", Verdict.RIGHT, ("No unit was typed; it is taken as kB.",)),
    (ROW, "70.3 kB", Verdict.RIGHT, ()),
    (ROW, "70.28 kB", Verdict.WRONG, ("Right in three digits, but not in the last one that you gave.",)),
    (ROW, "70.27 kB", Verdict.RIGHT, ()),
    (ROW, "70.35 kB", Verdict.WRONG, (EDGES.format("large"),)),
    (ROW, "70.2 kB", Verdict.WRONG, (CUT,)),
    (ROW, "70.27199 kB", Verdict.WRONG, ("Right in three digits, but not in the last one that you gave.",)),
    (ROW, "70.27200 kB", Verdict.RIGHT, ()),
    (ROW, "61*1.152 kB", Verdict.RIGHT, ()),
    (ROW, "61*1.153 kB", Verdict.WRONG, (EDGES.format("large"),)),
    (ROW, "68.625*1.024 kB", Verdict.RIGHT, ()),
    (ROW, "68.63*1.024 kB", Verdict.RIGHT,
     ("Right as far as its decimals go; written out it is 70.272.",)),
    (ROW, "7e1 kB", Verdict.AGAIN, SHORT),
    (ROW, "70,000 B", Verdict.AGAIN, SHORT),
    (ROW, "70,300 B", Verdict.RIGHT, ("In kB it is 70.272 kB.",)),
    (ROW, "75 kB", Verdict.WRONG, ("Too large, by less than a tenth.",)),
    (ROW, "70272 B", Verdict.RIGHT, ("In kB it is 70.272 kB.",)),
    (ROW, "68.6 KiB", Verdict.RIGHT, ("In kB it is 70.272 kB.",)),
    (ROW, "61*(d_c + d_r)*b", Verdict.RIGHT, ("Its number is 70.272 kB.",)),
    (ROW, "61*(512 + 64)*2 bytes", Verdict.RIGHT, ("In kB it is 70.272 kB.",)),
    (ROW, "70 kB", Verdict.AGAIN, SHORT),
    (ROW, "70272", Verdict.AGAIN, ("That is right in B, but kB is asked; type the unit with it.",)),
    (ROW, "70.272 GFLOP", Verdict.AGAIN,
     ("This asks for bytes, in kB; what is typed is in GFLOP. As kB the figure would be right.",)),
    (ROW, "576 elements", Verdict.AGAIN, ("This asks for bytes, in kB; what is typed is in elements.",)),
    (ROW, "61*d_q kB", Verdict.AGAIN,
     ("'d_q' is no symbol of this exercise and no unit; did you mean 'd_v'?",)),
    (ROW, "L*b", Verdict.AGAIN, ("This exercise gives no number for L.",)),
    (ROW, "0 kB", Verdict.AGAIN, ("The answer is above zero.",)),
    (ROW, "1 kB", Verdict.WRONG, ("Too small, by less than a factor of 100.",)),
    (ROW, "90000 kB", Verdict.WRONG, ("Too large, by more than a factor of 1000; look at the units.",)),
    (ROW, "100 kB", Verdict.WRONG, ("Too large, by less than a factor of 2.",)),
    (ROW, "71 kB", Verdict.WRONG, (EDGES.format("large"),)),
    (FLOPS, "2.2817 GFLOP", Verdict.RIGHT, ()),
    (FLOPS, "1.1409 GMAC", Verdict.RIGHT, ("In GFLOP it is 2.2817 GFLOP (a MAC is 2 FLOPs).",)),
    (FLOPS, "2 H L (2 d_c + d_r)", Verdict.RIGHT, ("Its number is 2.2817 GFLOP.",)),
    (RATIO, "2 H (2 d_c + d_r)/(b (d_c+d_r))", Verdict.RIGHT, ()),
    (RATIO, "H (2 d_c + d_r)/(b (d_c+d_r)) MAC/B", Verdict.RIGHT, ()),
    (RATIO, "2 S H (2 d_c + d_r)/(b (d_c+d_r))", Verdict.RIGHT, ()),
    (RATIO, "242", Verdict.AGAIN, ("A formula is asked, in H, b, d_c and d_r; that is a number.",)),
    (RATIO, "2 H (2 d_c + d_r)", Verdict.WRONG, ("That is not it: the answer depends on b too.",)),
    (RATIO, "2 L H (2 d_c + d_r)/(b (d_c+d_r))", Verdict.WRONG,
     ("That is not it: the answer does not depend on L.",)),
    (RATIO, "3 H (2 d_c + d_r)/(b (d_c+d_r))", Verdict.WRONG,
     ("That is right but for a factor that is a number.",)),
    (RATIO, "2 H (3 d_c + d_r)/(b (d_c+d_r))", Verdict.WRONG,
     ("That has the right symbols, but not the right sum; look at each term by itself.",)),
    (RATIO, "4*H/b GB", Verdict.AGAIN,
     ("This asks for arithmetic intensity, in FLOP/B; what is typed is in GB.",)),
    (RATIO, "2 H (2 d_c + d_r) / b (d_c + d_r)", Verdict.AGAIN,
     (BELOW,)),
    (RATIO, "$\\frac{2 H (2 d_c + d_r)}{b (d_{c}+d_{\\mathrm{r}})}$", Verdict.RIGHT, ()),
    (RATIO, "q", Verdict.AGAIN,
     ("'q' is no symbol of this exercise and no unit; its symbols are H, L, b, d_c, d_k, d_model, d_r, d_v.",)),
    (RATIO, "", Verdict.AGAIN, ("Nothing was typed.",)),
]  # fmt: skip


@pytest.mark.parametrize(("task", "text", "verdict", "sentences"), TABLE, ids=[row[1] for row in TABLE])
def test_what_is_said(task, text, verdict, sentences):
    found = mark(task, text)
    assert (found.verdict, found.sentences, found.slips) == (verdict, sentences, ())


# S* of Kimi K3 at 32,768 tokens, 170.22 with causal pairs; without end 512 * 256 / (1024 - 256) = 170.67.
K3 = (("H", 96), ("d_k", 128), ("d_v", 128), ("d_c", 512), ("d_r", 64), ("d_model", 7168), ("L", 32768))
MEETING = Task(
    "mla+rope", "absorb", Quantity.CROSSOVER, "tokens", sizes=K3,
    conventions=Conventions(phase="verify", scope="attention", pairs="causal"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "verdict", "names"),
    [("170.22", Verdict.RIGHT, set()), ("170.2", Verdict.RIGHT, set()), ("170", Verdict.RIGHT, set()),
     ("170.67", Verdict.SLIP, {"endless"}), ("170.7", Verdict.SLIP, {"endless"}),
     ("171", Verdict.SLIP, {"endless"}), ("512/3", Verdict.SLIP, {"endless"}),
     ("170.71", Verdict.WRONG, set()), ("170.5", Verdict.WRONG, set()), ("170.6", Verdict.WRONG, set()),
     ("1.7e2", Verdict.AGAIN, set()), ("169.78", Verdict.SLIP, {"causal"})],
)  # fmt: skip
def test_a_limit_is_no_crossing(text, verdict, names):
    found = mark(MEETING, text)
    assert (found.verdict, {slip.name for slip in found.slips}) == (verdict, names)


@pytest.mark.parametrize(
    ("typed", "key", "expected"),
    [("88", "87.9636", Fit.SHORT), ("88.0", "87.9636", Fit.ROUNDED), ("32", "31.9941", Fit.SHORT),
     ("820", "821.362", Fit.SHORT), ("8.2e2", "821.362", Fit.SHORT), ("821", "821.362", Fit.ROUNDED),
     ("821.6", "821.362", Fit.NONE), ("822", "821.362", Fit.NONE), ("300", "270", Fit.NONE),
     ("3e2", "270", Fit.SHORT), ("1.1", "1.125", Fit.SHORT), ("1.12", "1.125", Fit.ROUNDED),
     ("1.13", "1.125", Fit.ROUNDED), ("1.125", "1.125", Fit.SAME), ("4", "4", Fit.SAME), ("4.5", "4", Fit.NONE),
     ("188", "188.744", Fit.CUT), ("188.7", "188.744", Fit.ROUNDED), ("18e1", "188.744", Fit.NONE),
     ("100", "99.96", Fit.ROUNDED), ("100.0", "99.96", Fit.ROUNDED), ("1000", "999.6", Fit.ROUNDED),
     ("1000", "996", Fit.SHORT), ("999.9", "1000.3", Fit.NONE), ("999", "1000.3", Fit.NONE),
     ("0.0703", "0.07027", Fit.ROUNDED), ("0.07", "0.07027", Fit.SHORT)],
)  # fmt: skip
def test_how_a_figure_stands_to_the_exact_one(typed, key, expected):
    assert fit(Fraction(typed), Fraction(key), read(typed, frozenset()).digits) is expected


SLIPPED = [
    # 61 * 512 * 2 = 62,464 B
    (ROW, "62.5 kB", {"rope"}),
    # 61 * (2 * 512 + 64) * 2 = 132,736 B
    (ROW, "132.736 kB", {"latent-twice"}),
    # 70,272 / 1,024 = 68.625
    (ROW, "68.6", {"units"}),
    (ROW, "70.272 KiB", {"units"}),
    (ROW, "1.152 kB", {"layers"}),
    # 61 * 128 * (128 + 128 + 64) * 2; with the RoPE key once 61 * (128 * 256 + 64) * 2; 61 * 2 * 7168 * 2
    (ROW, "4997.12 kB", {"full-heads"}),
    (ROW, "4,005.504 kB", {"full-heads"}),
    (ROW, "1748.992 kB", {"full-heads"}),
    # two at once: 512 * 2 B of one layer; 62,464 B in KiB
    (ROW, "1.024 kB", {"rope", "layers"}),
    (ROW, "61 kB", {"rope", "units"}),
    # 128 * 8192 * 1088; 2 * 8192 * 1088; 2 * 128 * 8192 * 576; 2 * 128 * 8192 * 1024
    (FLOPS, "1.1409 GFLOP", {"macs"}),
    (FLOPS, "17825792 FLOP", {"kv-heads"}),
    (FLOPS, "1.208 GFLOP", {"keys-only"}),
    (FLOPS, "2.147 GFLOP", {"rope"}),
    (FLOPS, "2.2817 GMAC", {"macs"}),
    # 32768 instead of 128 rows of 2 * 8 * 64 elements of two bytes
    (WINDOW, "67.108864 MB", {"all-rows"}),
    (RATIO, "4 H / b", {"rope", "summed"}),
    (RATIO, "2 H / b", {"latent-twice", "keys-only"}),
    (RATIO, "16 H (2 d_c + d_r)/(b (d_c+d_r))", {"batch"}),
    (RATIO, "2/b", {"full-heads"}),
    # half of 4 H / b
    (replace(RATIO, variant="mla"), "2 H/b", {"macs", "latent-twice", "keys-only"}),
]


@pytest.mark.parametrize(("task", "text", "names"), SLIPPED, ids=[row[1] for row in SLIPPED])
def test_slips_are_named(task, text, names):
    found = mark(task, text)
    assert found.verdict is Verdict.SLIP
    assert {slip.name for slip in found.slips} == names


def test_one_slip_is_said_with_its_reason():
    assert mark(ROW, "1.152 kB").sentences == (
        "Not that, but it is a known slip.",
        "One layer instead of all. Every layer keeps rows of its own, and runs its own attention.",
    )
    assert mark(RATIO, "2 H / b").sentences[0] == "Not that; several slips give this, and one of them is yours:"
    assert (
        mark(ROW, "1.024 kB").sentences[1].startswith("Two slips at once: the RoPE key left out and one layer")
    )


def test_two_slips_are_tried_only_when_no_single_one_fits():
    pairs = [slipped.answer.number for slipped in pairs_of_slips(ROW)]
    singles = [slipped.answer.number for slipped in single_slips(ROW)]
    assert not {*pairs} & {*singles, answer_of(ROW).number}


def test_a_slip_that_changes_nothing_does_not_apply():
    plain = Task("mla", "absorb", Quantity.ELEMENTS, "elements", sizes=SIZES)
    assert {s.slips[0].name for s in single_slips(plain)} == {"latent-twice", "full-heads"}
    square = replace(plain, quantity=Quantity.CROSSOVER, sizes=(*SIZES, ("L", 8192)), unit="tokens",
                     conventions=Conventions(phase="verify", scope="attention"))  # fmt: skip
    assert {s.slips[0].name for s in single_slips(square)} == {"causal", "endless"}


@pytest.mark.parametrize("text", ["71 kB", "100 kB", "1 kB", "70 kB", "500 MB", "62.5 kB", "1.1 kB"])
def test_a_wrong_answer_does_not_give_the_right_one_away(text):
    said = " ".join(mark(ROW, text).sentences)
    assert number_text(answer_of(ROW).number) not in said
    assert "70.3" not in said
