"""Exercises from a seed: the same everywhere, as varied as asked for, and asked without gaps."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from samples import ROOT

from derivations.conventions import Conventions
from derivations.errors import InputError
from derivations.exercises.answer import answer_of
from derivations.exercises.asked import QUANTITIES, Quantity, Task, Wants
from derivations.exercises.generating import exercises
from derivations.exercises.hints import hints_of
from derivations.exercises.rewriting import rewritten
from derivations.exercises.slips import SLIPS
from derivations.exercises.topics import VARIANTS, Topic
from derivations.exercises.units import number_text
from derivations.exercises.wording import flat, question_of

SERIES = [e for seed in range(4) for level in (1, 2, 3) for e in exercises(seed, 12, level)]
FINGERPRINT = """
import hashlib
from derivations.exercises.generating import exercises
text = repr([(e.level, e.task) for s in (0, 7, 10**15) for e in exercises(s, 9)])
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_a_seed_gives_the_same_exercises_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT], capture_output=True, text=True, check=True, timeout=120,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_seeds_differ_and_a_longer_series_starts_like_a_shorter():
    assert exercises(1, 6) != exercises(2, 6)
    assert exercises(1, 9)[:4] == exercises(1, 4)
    assert [e.number for e in exercises(1, 4)] == [1, 2, 3, 4]


def test_levels_rise_where_none_is_asked_for():
    assert [e.level for e in exercises(5, 8)] == [1, 1, 2, 2, 3, 3, 3, 3]
    assert {e.level for e in exercises(5, 8, 2)} == {2}


def test_a_series_does_not_repeat_itself():
    for seed in range(5):
        tasks = [e.task for e in exercises(seed, 12)]
        assert len(set(tasks)) == len(tasks)


def test_every_quantity_and_variant_occurs():
    assert {e.task.quantity for e in SERIES} == set(Quantity)
    assert {e.task.variant for e in SERIES} == set(VARIANTS)
    assert {e.task.wants for e in SERIES} == set(Wants)


def test_what_the_levels_hold():
    kinds = {level: [e.task for e in SERIES if e.level == level] for level in (1, 2, 3)}
    assert not any(task.model for task in kinds[1])
    assert all(task.model for task in kinds[2])
    special = (Quantity.CROSSOVER, Quantity.RANK, Quantity.RIDGE, Quantity.STATE)
    assert not any(task.quantity in special for task in kinds[2])
    assert any(task.values.get("b") == 1 for task in kinds[3])


@pytest.mark.parametrize("exercise", SERIES[::3], ids=lambda e: f"{e.level}-{e.task.quantity}-{e.task.variant}")
def test_a_question_says_what_its_answer_depends_on(exercise):
    task = exercise.task
    text = "\n".join(flat(words) for words in question_of(task))
    answer = answer_of(task)
    assert answer is not None
    for name in {n for part in (answer.root.p, answer.root.r) for n in part.names()} - {"R"}:
        if "(" not in name:
            assert name in text
            if task.sizes and name not in ("b", "S"):
                assert f"{name} = {task.values[name]:,}" in text
    width = task.values.get("b")
    if width is not None and task.quantity not in (Quantity.ELEMENTS, Quantity.FLOPS, Quantity.CROSSOVER):
        assert {1: "FP8, one byte", 2: "BF16, two bytes"}[width] in text
    if task.tp > 1:
        assert f"{task.tp} ranks" in text
    if task.batch > 1:
        assert f"{task.batch} sequences" in text
    if task.layers > 1:
        assert f"{task.layers} " in text
    if task.conventions.phase == "verify" and task.variant.partition("+")[2] != "window":
        assert ("causal" in text) is (task.conventions.pairs == "causal")
    if answer.number is not None and len(number_text(answer.number)) > 5:
        assert number_text(answer.number) not in text


@pytest.mark.parametrize("exercise", SERIES[::5], ids=lambda e: f"{e.level}-{e.task.quantity}-{e.task.variant}")
def test_hints_do_not_give_the_answer(exercise):
    hints = hints_of(exercise.task)
    assert hints
    number = answer_of(exercise.task).number
    if number is not None and number > 100:
        assert f"{float(number):.3g}" not in " ".join(hints)


SIZES = (("H", 128), ("d_k", 128), ("d_v", 128), ("d_c", 512), ("d_r", 64), ("d_model", 7168), ("b", 2))
V3 = Task("mla+rope", "absorb", Quantity.ROW, "B", sizes=SIZES, layers=61)


def changed(*names, **fields):
    """A figure of DeepSeek-V3 whose program was rewritten."""
    return answer_of(replace(V3, changes=names, **fields)).number


def test_programs_are_rewritten():
    assert answer_of(V3).number == 61 * 576 * 2
    assert changed("rows-twice") == 61 * (2 * 512 + 64) * 2
    assert changed("keys-only") == 61 * 576 * 2
    in_rank = {"quantity": Quantity.RANK, "tp": 8, "sizes": (*SIZES, ("L", 100))}
    assert changed(**in_rank) == 61 * 576 * 2 * 100
    assert changed("rows-divided", **in_rank) == 61 * 72 * 2 * 100
    assert changed("rows-divided-but-rope", **in_rank) == 61 * (64 + 64) * 2 * 100
    step = {"quantity": Quantity.FLOPS, "unit": "FLOP", "sizes": (*SIZES, ("L", 100)), "layers": 1}
    assert changed(**step) == 2 * 128 * 100 * (512 + 64 + 512)
    assert changed("keys-only", **step) == 2 * 128 * 100 * (512 + 64)
    assert changed("one-query-head", **step) == 2 * 100 * (512 + 64 + 512)
    assert changed("half", **step) == 128 * 100 * (512 + 64 + 512)


def test_a_rewriting_that_has_nothing_to_change_changes_nothing():
    for name, change in (("mha", "rows-twice"), ("mha", "one-query-head"), ("lightning", "keys-only")):
        assert rewritten(name, (change,)) is not None
        assert rewritten(name, (change,)).equations == rewritten(name).equations
    assert rewritten("gqa", ("one-query-head",)).axes["i"].size == 1


def test_values_in_units():
    # 989.5 TFLOP/s over 3.35 TB/s; an intensity of 2 S H_q/H_kv / b = 8 S with 4 queries a KV head, b = 1
    ridge = Task(
        "gqa", "direct", Quantity.RIDGE, "tokens", gpu="h100-sxm", conventions=Conventions(phase="verify"),
        sizes=(("H_q", 32), ("H_kv", 8), ("d_k", 128), ("d_v", 128), ("b", 1), ("L", 8192)),
    )  # fmt: skip
    assert answer_of(ridge).number == Fraction("989.5") / Fraction("3.35") / 8
    # 32768 rows of 576 elements and a byte each, at 4 TB/s: 4.718592 us
    time = replace(
        V3, quantity=Quantity.TIME, unit="us", gpu="h20", layers=1, sizes=(*SIZES[:-1], ("b", 1), ("L", 32768))
    )
    assert answer_of(time).number == Fraction("4.718592")
    # S* of DeepSeek-V3 at L = 8192: 8192*512*256 / (8192*(1024 - 256) + 512*256) = 167.18...
    meet = replace(
        V3, quantity=Quantity.CROSSOVER, unit="tokens", sizes=(*SIZES, ("L", 8192)),
        conventions=Conventions(phase="verify", scope="attention"),
    )  # fmt: skip
    assert answer_of(meet).number == Fraction(8192 * 512 * 256, 8192 * 768 + 512 * 256)


def test_where_nothing_crosses_there_is_no_answer():
    conventions = Conventions(phase="verify", scope="attention")
    narrow = tuple({**dict(SIZES), "d_c": 64, "L": 8192}.items())
    asked = Task("mla", "absorb", Quantity.CROSSOVER, "tokens", sizes=narrow, conventions=conventions)
    assert answer_of(asked) is None  # 2 d_c < d_k + d_v: absorbing is always cheaper


def test_topics_restrict():
    topic = Topic.of(["mla", "mla+rope"], ["cache", "intensity"])
    found = [e.task for seed in range(6) for e in exercises(seed, 4, topic=topic)]
    assert {task.quantity for task in found} == {Quantity.CACHE, Quantity.INTENSITY}
    assert {task.variant.partition("+")[0] for task in found} == {"mla"}
    assert Counter(task.variant for task in found)["mla+rope+query-latent"] > 0  # nothing asked depends on it


@pytest.mark.parametrize(
    ("variants", "quantities", "message"),
    [
        (["mlaa"], [], "unknown variant of exercises 'mlaa'; did you mean 'mla'?"),
        ([], ["intensty"], "unknown quantity of exercises 'intensty'; did you mean 'intensity'?"),
        (["mla"] * 51, [], "a topic of exercises names at most 50 variants and 50 quantities"),
    ],
)
def test_topics_refuse(variants, quantities, message):
    with pytest.raises(InputError) as error:
        Topic.of(variants, quantities)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 3), "a seed is between 0 and 9223372036854775807"),
        ((2**63, 3), "a seed is between 0 and 9223372036854775807"),
        ((1, 0), "a number of exercises is between 1 and 200"),
        ((1, 201), "a number of exercises is between 1 and 200"),
        ((1, 3, 4), "a level is 1, 2 or 3, not 4"),
        ((1, 3, 1, Topic.of(quantities=["crossover"])),
         "there are no exercises of level 1 on this; levels with some: 3"),
        ((1, 3, None, Topic.of(["mha"], ["crossover"])),
         "no exercise is about these quantities of these variants"),
    ],
)  # fmt: skip
def test_series_refuse(arguments, message):
    with pytest.raises(InputError) as error:
        exercises(*arguments)
    assert str(error.value) == message


def test_every_quantity_has_a_title():
    assert set(QUANTITIES) == set(Quantity)


def test_the_guide_names_every_slip_and_every_quantity_has_its_line():
    guide = (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8").partition("## Slips")[2]
    assert re.findall(r"^\| `([\w-]+)` \|", guide, re.M) == [slip.name for slip in SLIPS]
    listed = (ROOT / "derivations" / "exercises" / "asked.py").read_text(encoding="utf-8")
    assert all(re.search(rf"^    {quantity} +\S", listed, re.M) for quantity in Quantity)


@pytest.mark.parametrize("scope", ["attention+weights", "layer"])
def test_a_batch_does_not_read_weights_once_for_each_sequence(scope):
    task = Task("mla", "absorb", Quantity.BYTES, "MB", conventions=Conventions(scope=scope), batch=4)
    with pytest.raises(InputError) as error:
        replace(task, whole=True)
    assert str(error.value) == (
        f"a figure of a whole batch in scope {scope}: one read of the weights serves all sequences, so it is "
        "not so many times that of one"
    )
