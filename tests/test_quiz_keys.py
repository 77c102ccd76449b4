"""Keys of random exercises against the oracle, which counts by hand and knows nothing of the package."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
import quiz_oracle as oracle
import yaml
from quiz_case import Case
from quiz_mistakes import MISTAKES

from derivations.conventions import Conventions
from derivations.exercises.answer import answer_of
from derivations.exercises.asked import Quantity, Task, Wants
from derivations.exercises.generating import exercises
from derivations.exercises.slips import single_slips
from derivations.exercises.topics import VARIANTS
from derivations.library import load_variant

MODELS = Path(__file__).parent.parent / "models"
KNOWN = {"gqa": {"window"}, "mla": {"rope", "query-latent"}, "dsa": {"rope", "query-latent"}}
PLAIN = {"mha", "mqa", "gqa", "mla", "dsa", "lightning", "kda"}
KNOBS = {"phase", "pairs", "scope", "formed", "kept-rows"}
SERIES = [(level, seed) for level, seeds in ((1, 5), (2, 5), (3, 8)) for seed in range(seeds)]
"""Level and seed of series of 12 exercises."""


def accelerator(name: str) -> tuple[Fraction, Fraction]:
    """FLOP/s in BF16 and B/s, straight from the file."""
    if not name:
        return Fraction(0), Fraction(0)
    given = yaml.safe_load((MODELS / "hardware" / f"{name}.yaml").read_text())
    peak, bandwidth = given["peak"]["bf16"], given["bandwidth"]
    scale = {"TFLOP/s": 10**12, "TB/s": 10**12, "GB/s": 10**9}
    return (
        Fraction(str(peak["value"])) * scale[peak["unit"]],
        Fraction(str(bandwidth["value"])) * scale[bandwidth["unit"]],
    )


def case_of(task: Task, sizes: dict[str, int]) -> Case:
    """The task in the oracle's words. Raises NotImplementedError for what the oracle knows nothing of."""
    variant, *options = task.variant.split("+")
    knobs = task.conventions
    if variant not in PLAIN or not set(options) <= KNOWN.get(variant, set()) or task.changes:
        raise NotImplementedError(f"{task.variant} {task.changes}")
    mine = {name: value for name, value in knobs.items() if name in KNOBS}
    if knobs != Conventions(**{name.replace("-", "_"): value for name, value in mine.items()}):
        raise NotImplementedError(str(knobs))
    if task.tp > 1 and task.quantity is not Quantity.RANK:
        raise NotImplementedError("ranks")
    queries = {"decode": 1, "prefill": sizes.get("L", 0), "verify": sizes.get("S", 0)}[knobs.phase]
    peak, bandwidth = accelerator(task.gpu)
    return Case(
        variant=variant,
        options=frozenset(options),
        order=task.order,
        scope=knobs.scope,
        pairs=knobs.pairs,
        formed=knobs.formed,
        kept=knobs.kept_rows,
        sizes={**sizes, "S": queries},
        width=Fraction(sizes.get("b", 0)),
        widths={"M": Fraction(sizes["b_M"])} if "b_M" in sizes else {},
        tp=task.tp,
        layers=task.layers,
        batch=task.batch if task.whole else 1,
        together=task.batch,
        several=knobs.phase != "decode",
        peak=peak,
        bandwidth=bandwidth,
    )


def some_sizes(rng: random.Random) -> dict[str, int]:
    """A number for every symbol of a formula, widths all different."""
    heads = rng.randint(2, 9)
    primes = iter(rng.sample((11, 13, 17, 19, 23, 29, 31, 37, 41), 6))
    sizes = {name: next(primes) for name in ("d_model", "d_k", "d_v", "d_r", "d_q", "H")}
    wide = {"d_c": rng.randint(100, 300), "L": rng.randint(1000, 9000)}
    return {**sizes, **wide, "H_kv": heads, "H_q": heads * rng.randint(2, 9), "b": 3, "b_M": 5}


def check(task: Task) -> None:
    """The exact number, or the formula as sympy prints it at some sizes."""
    found = answer_of(task)
    assert found is not None, task
    if task.wants is Wants.NUMBER:
        expected = oracle.answer(case_of(task, task.values), task.quantity, task.unit)
        assert close(found.number, expected), (task, found.number, expected)
        return
    assert found.number is None, task
    rng = random.Random(str(task))
    for _ in range(3):
        sizes = some_sizes(rng)
        expected = oracle.answer(case_of(task, sizes), task.quantity, task.unit)
        formula = found.root.sympy()
        value = formula.subs({symbol: sizes[symbol.name] for symbol in formula.free_symbols})
        assert value.is_Rational, (task, value)
        assert Fraction(int(value.p), int(value.q)) == expected, (task, formula, sizes)


def close(found: Fraction | None, expected: Fraction | None) -> bool:
    """Equal, or equal but for digits of a square root that is no fraction."""
    if found is None or expected is None or found == expected:
        return found == expected
    return expected.denominator > 10**40 and abs(found / expected - 1) < Fraction(1, 10**25)


@cache
def series(level: int, seed: int) -> tuple[Task, ...]:
    """12 exercises of a level; 216 in all."""
    return tuple(exercise.task for exercise in exercises(1000 * level + seed, 12, level))


@pytest.mark.parametrize(("level", "seed"), SERIES)
def test_keys_of_random_exercises(level, seed):
    """Each key is the oracle's number."""
    for task in series(level, seed):
        check(task)
        of_released_layers(task)
        said(task)


@pytest.mark.parametrize(("level", "seed"), SERIES)
def test_slips_on_random_exercises(level, seed):
    """Each slip gives the values worked out by hand, and no others."""
    for task in series(level, seed):
        if task.wants is Wants.FORMULA:
            continue
        case, quantity, unit = case_of(task, task.values), str(task.quantity), task.unit
        right = oracle.answer(case, quantity, unit)
        found = single_slips(task)
        for name, mistake in MISTAKES.items():
            values = {s.answer.number for s in found if s.slips[0].name == name}
            expected = {value for value in mistake(case, quantity, unit) if value and not near(value, right)}
            assert len(values) == len(expected), (name, task, values, expected)
            assert all(any(near(v, e) for e in expected) for v in values), (name, task, values, expected)


def near(found: Fraction | None, expected: Fraction | None) -> bool:
    """Equal, or a square root to 25 digits."""
    assert found is not None
    assert expected is not None
    return found == expected or abs(found / expected - 1) < Fraction(1, 10**25)


def said(task: Task) -> None:
    """The words of a window, "the tokens up to its own", leave no choice between full and causal pairs."""
    if "window" in task.variant:
        case = case_of(task, task.values)
        assert oracle.flops(replace(case, pairs="full")) == oracle.flops(replace(case, pairs="causal")), task


def of_released_layers(task: Task) -> None:
    """Sizes and layers of a named model are those of its file."""
    if not task.model:
        return
    given = yaml.safe_load((MODELS / "checkpoints" / f"{task.model}.yaml").read_text())
    groups = [{**given, "layers": given["attention_layers"]}, *given.get("other_layers", [])]
    own = [g for g in groups if "+".join((g["variant"], *g.get("options", ()))) == task.variant]
    assert own, task
    sizes = {name: size for name, size in task.sizes if name not in ("L", "S", "b", "b_M")}
    assert any(sizes.items() <= g["dims"].items() and task.layers in (1, g["layers"]) for g in own), task


def test_the_series_ask_everything():
    """Between them, every quantity and every variant is asked, formulas and numbers, at a width of 1 and 2."""
    tasks = [task for level, seed in SERIES for task in series(level, seed)]
    assert len(tasks) >= 200
    assert {task.quantity for task in tasks} == set(Quantity)
    assert {task.variant for task in tasks} == set(VARIANTS)
    assert {task.wants for task in tasks} == set(Wants)
    assert {task.values.get("b") for task in tasks} == {None, 1, 2}
    assert {task.conventions.phase for task in tasks} == {"decode", "verify", "prefill"}
    assert {task.whole for task in tasks} == {True, False}
    crossed = [task for task in tasks if task.quantity is Quantity.CROSSOVER]
    assert {task.conventions.pairs for task in crossed} == {"full", "causal"}


def drawn(rng: random.Random) -> Task:
    """A task that no recipe need draw: other variants, scopes, formed rows and sizes."""
    variant = rng.choice(("mha", "mqa", "gqa", "gqa+window", "mla", "mla+rope", "dsa", "dsa+rope+query-latent"))
    latent = variant.startswith(("mla", "dsa"))
    order = rng.choice(("absorb", "expand")) if latent else "direct"
    formed = rng.choice(("read", "write+read", "streamed", "cached")) if order == "expand" else "read"
    kept = rng.choice(("copied", "once")) if formed == "cached" else "copied"
    phase, pairs = rng.choice(("decode", "verify", "prefill")), rng.choice(("full", "causal"))
    scopes = ("core", "attention", "attention+weights", "kernel")
    quantity, unit = rng.choice(
        (
            (Quantity.ELEMENTS, "elements"),
            (Quantity.ROW, "B"),
            (Quantity.CACHE, "MiB"),
            (Quantity.RANK, "GB"),
            (Quantity.FLOPS, "GFLOP"),
            (Quantity.BYTES, "MB"),
            (Quantity.INTENSITY, "FLOP/B"),
            (Quantity.TIME, "us"),
        )
    )
    conventions = Conventions(phase, pairs, rng.choice(scopes), formed=formed, kept_rows=kept)
    sizes = {**some_sizes(rng), "n_w": rng.randint(2, 99), "n": rng.randint(2, 99), "H_I": 5, "d_I": 7}
    sizes = {name: size for name, size in sizes.items() if name in {*load_variant(variant).symbols, "b"}}
    sizes["L"] = rng.randint(10, 400)
    if phase == "verify":
        sizes["S"] = rng.randint(2, 9)
    return Task(
        variant,
        order,
        quantity,
        unit,
        sizes=tuple(sizes.items()),
        conventions=conventions,
        gpu="h20" if quantity is Quantity.TIME else "",
        tp=rng.choice((2, 3, 5, 16)) if quantity is Quantity.RANK else 1,
        layers=rng.randint(1, 3),
    )


@pytest.mark.parametrize("seed", range(4))
def test_keys_of_any_task(seed):
    """The same for 120 tasks of wider choices."""
    rng = random.Random(f"any {seed}")
    for _ in range(30):
        check(drawn(rng))


@pytest.mark.parametrize(
    "task",
    [
        Task("gla", "absorb", Quantity.ELEMENTS, "elements", Wants.FORMULA),
        Task("gqa+sinks", "direct", Quantity.ELEMENTS, "elements", Wants.FORMULA),
        Task("mla", "absorb", Quantity.FLOPS, "FLOP", Wants.FORMULA, conventions=Conventions(unit="macs")),
        Task("mla", "absorb", Quantity.FLOPS, "FLOP", Wants.FORMULA, changes=("half",)),
        Task("mla", "absorb", Quantity.FLOPS, "FLOP", Wants.FORMULA, tp=2),
    ],
)
def test_what_the_oracle_does_not_know_is_no_agreement(task):
    """A task outside what it counts stops the test."""
    with pytest.raises(NotImplementedError):
        case_of(task, {})
