"""Every small way to tamper with a proof: mutants, each with its kind and with what was done to it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from altering import CHANGES, changes, exchanged, leaves, statements, tidy

from derivations.claims import Claim, Line, Proof
from derivations.kernel import RULES

KINDS = (
    "hypothesis dropped", "hypothesis changed", "hypothesis twice", "hypotheses swapped", "idle hypothesis",
    "idle line", "assumption dropped", "assumption changed", "line dropped", "line bypassed", "lines swapped",
    "lines swapped with their numbers", "line twice", "rule", "premise dropped",
    "premise twice", "premise moved", "premise added", "premises swapped", "symbols exchanged",
    *(f"statement: {change}" for change in CHANGES if change != "fraction"),
    *(f"weights: {change}" for change in CHANGES if change not in ("text", "flag")),
    "number throughout", "symbol throughout",
)  # fmt: skip


class Mutant(NamedTuple):
    """A proof that was tampered with; now and then it is the proof as it was."""

    kind: str
    what: str
    make: Callable[[], Proof]


def sample(claim: Claim, proof: Proof, lines: int, most: int, seed: int = 0) -> list[Mutant]:
    """At most so many mutants, made at some lines and the last; over all kinds, the same in each run."""
    shuffler = random.Random(f"{claim.statement} {seed}")
    end = len(proof.lines) - 1
    places = [*shuffler.sample(range(end), min(lines, end)), end]
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in mutants(claim, proof, places):
        by_kind.setdefault(mutant.kind, []).append(mutant)
    for found in by_kind.values():
        shuffler.shuffle(found)
    in_turn = (mutant for row in zip_longest(*by_kind.values()) for mutant in row if mutant is not None)
    return [mutant for _, mutant in zip(range(most), in_turn, strict=False)]


def mutants(claim: Claim, proof: Proof, places: Sequence[int] | None = None) -> Iterator[Mutant]:
    """All mutants in a fixed order; of those made at one line only the ones at some `places`, if given."""
    wanted = range(len(proof.lines)) if places is None else sorted({*places})
    yield from dropped(proof, wanted)
    yield from _hypotheses(claim, proof)
    names = [*claim.sizes[:1], *claim.sizes[-1:], *(name for name, _ in claim.definitions[:1])]
    for place in wanted:
        line = proof.lines[place]
        for kind, what, other in _changed_line(proof, place, names):
            yield Mutant(kind, f"line {place}, {what}", _lazy(_put_in, proof, place, other))
        if line.rule == "given":
            for kind, what, other in statements(line.statement, names):
                changed = _put_in(proof, place, replace(line, statement=other))
                yield Mutant("assumption changed", f"line {place}, {kind}, {what}", _lazy(_refit, changed))
        if place:
            for kind, numbers in (("lines swapped", False), ("lines swapped with their numbers", True)):
                yield Mutant(kind, f"before {place}", _lazy(_swapped, proof, place, numbers))
        yield Mutant("line twice", f"line {place}", _lazy(_with_line, proof, place + 1, line))
    some = tuple(proof.lines[place].statement for place in wanted)
    for number in sorted({part for part in leaves(some) if type(part) is int}):
        for other in (number + 1, -number):
            yield Mutant("number throughout", f"{number} to {other}", _lazy(_throughout, proof, number, other))
    symbols = {*claim.sizes, *claim.positives}
    for one in sorted({part for part in leaves(some) if isinstance(part, str)} & symbols):
        for two in sorted(symbols - {one}):
            yield Mutant("symbol throughout", f"{one} to {two}", _lazy(_throughout, proof, one, two))


def dropped(proof: Proof, places: Iterable[int]) -> Iterator[Mutant]:
    """Without a hypothesis, a premise or a line; what rested on it rests on nothing, or on its premises."""
    for place, hypothesis in enumerate(proof.hypotheses):
        rest = (*proof.hypotheses[:place], *proof.hypotheses[place + 1 :])
        yield Mutant("hypothesis dropped", str(hypothesis), _lazy(replace, proof, hypotheses=rest))
    for place in places:
        gone = proof.lines[place]
        yield Mutant("line dropped", f"line {place}", _lazy(_without, proof, place, ()))
        if gone.premises:
            for what, instead in (("its premises", gone.premises), ("the first of them", gone.premises[:1])):
                yield Mutant(
                    "line bypassed", f"line {place} for {what}", _lazy(_without, proof, place, instead)
                )
        if gone.rule == "given":
            without = _without(proof, place, ())
            yield Mutant("assumption dropped", f"line {place}", _lazy(_refit, without))
        for at in range(len(gone.premises)):
            fewer = replace(gone, premises=(*gone.premises[:at], *gone.premises[at + 1 :]))
            yield Mutant("premise dropped", f"line {place}, {at}", _lazy(_put_in, proof, place, fewer))


def _lazy(function: Callable[..., Proof], *arguments: Any, **named: Any) -> Callable[[], Proof]:
    return lambda: function(*arguments, **named)


def _throughout(proof: Proof, old: Any, new: Any) -> Proof:
    """Replaced in each line, but the last still says what was claimed."""
    lines = [replace(x, statement=tidy(exchanged(x.statement, {old: new}))) for x in proof.lines]
    if isinstance(old, int):
        lines = [replace(x, weights=tidy(_coefficients(x.weights, {old: new}))) for x in lines]
    lines[-1] = replace(lines[-1], statement=proof.lines[-1].statement)
    return _refit(replace(proof, lines=tuple(lines)))


def _coefficients(weights: Any, images: dict[Any, Any]) -> Any:
    return tuple((images.get(c, c), m) for c, m in weights)


def _refit(proof: Proof) -> Proof:
    """With the hypotheses that its lines use."""
    used = {line.statement for line in proof.lines if line.rule == "given"}
    return replace(proof, hypotheses=tuple(sorted(used, key=str)))


def _put_in(proof: Proof, place: int, line: Line) -> Proof:
    return replace(proof, lines=(*proof.lines[:place], line, *proof.lines[place + 1 :]))


def _with_line(proof: Proof, place: int, line: Line) -> Proof:
    """One more line, at a place; premises keep what they refer to."""
    moved = (
        replace(x, premises=tuple(p + 1 if p >= place else p for p in x.premises)) for x in proof.lines[place:]
    )
    return replace(proof, lines=(*proof.lines[:place], line, *moved))


def _swapped(proof: Proof, place: int, numbers: bool) -> Proof:
    lines, turned = [*proof.lines], {place: place - 1, place - 1: place}
    lines[place - 1], lines[place] = lines[place], lines[place - 1]
    if numbers:
        lines = [replace(x, premises=tuple(turned.get(p, p) for p in x.premises)) for x in lines]
    return replace(proof, lines=tuple(lines))


def _hypotheses(claim: Claim, proof: Proof) -> Iterator[Mutant]:
    known = proof.hypotheses

    def given(kind: str, what: str, hypotheses: tuple[Any, ...]) -> Mutant:
        return Mutant(kind, what, lambda: replace(proof, hypotheses=hypotheses))

    for place, hypothesis in enumerate(known):
        yield given("hypothesis twice", str(place), (*known[: place + 1], *known[place:]))
        if place:
            turned = (*known[: place - 1], hypothesis, known[place - 1], *known[place + 1 :])
            yield given("hypotheses swapped", str(place), turned)
        for kind, what, other in changes(hypothesis, ["x", "L"]):
            changed = (*known[:place], other, *known[place + 1 :])
            yield given("hypothesis changed", f"{place}, {kind}, {what}", changed)
    idle = [("nonneg", ((1, ((claim.sizes[0], 1),)), (-1, ())))] if claim.sizes else []
    for assumption in (*claim.assumptions, *idle):
        if assumption not in known:
            more = replace(proof, hypotheses=tuple(sorted((*known, assumption), key=str)))
            yield Mutant("idle hypothesis", str(assumption), lambda more=more: more)
            line = Line(assumption, "given")
            yield Mutant("idle line", str(assumption), _lazy(_with_line, more, 0, line))


def _without(proof: Proof, place: int, instead: tuple[int, ...]) -> Proof:
    """A line gone, with other premises in place of it."""
    lines = []
    for line in (*proof.lines[:place], *proof.lines[place + 1 :]):
        found = [p for premise in line.premises for p in (instead if premise == place else (premise,))]
        lines.append(replace(line, premises=tuple(p - 1 if p > place else p for p in dict.fromkeys(found))))
    return replace(proof, lines=tuple(lines))


def _as_good(proof: Proof, line: Line, one: int, two: int) -> bool:
    """Whether two lines give one summand in two forms: a sum multiplies out either, so both are right."""
    known = [proof.lines[place].statement[:2] for place in (one, two) if 0 <= place < len(proof.lines)]
    return line.rule == "add" and len(known) == 2 and known[0] == known[1]


def _changed_line(proof: Proof, place: int, names: list[str]) -> Iterator[tuple[str, str, Line]]:
    line = proof.lines[place]
    for rule in (*RULES, "trust"):
        if rule != line.rule:
            yield "rule", f"{rule} for {line.rule}", replace(line, rule=rule)
    for kind, what, statement in statements(line.statement, names):
        yield kind, what, replace(line, statement=statement)
    for kind, what, weights in changes(line.weights, []):
        yield f"weights: {kind}", what, replace(line, weights=weights)
        yield f"weights: {kind}", f"{what}, in order", replace(line, weights=tidy(weights))
    known = line.premises
    for at, premise in enumerate(known):
        yield "premise twice", str(at), replace(line, premises=(*known, premise))
        near = {-1, premise - 1, premise + 1, place, place + 1, *range(0, place, 1 + place // 30)} - {premise}
        for other in sorted(near):
            if not _as_good(proof, line, premise, other):
                moved = (*known[:at], other, *known[at + 1 :])
                yield "premise moved", f"{at} to {other}", replace(line, premises=moved)
        if at:
            turned = (*known[: at - 1], premise, known[at - 1], *known[at + 1 :])
            yield "premises swapped", f"{at - 1} and {at}", replace(line, premises=turned)
    for other in sorted({0, place // 2, place - 1} & set(range(place)) - {*known}):
        yield "premise added", str(other), replace(line, premises=(*known, other))
