"""Every small way to tamper with a proof: the mutants of one proof, each with what was done to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from derivations.claims import Claim, Line, Proof
from derivations.kernel import RULES

_TURNED = {
    "pos": ("nonneg", "put"), "nonneg": ("pos",), "less": ("atmost", "same"), "atmost": ("less",),
    "same": ("less",),
    "add": ("sub", "mul"), "sub": ("add",), "mul": ("add", "div"), "div": ("mul",), "num": ("sym",),
    "sym": ("num", "def"),
    "def": ("sym",), "is": ("pos",), "lim": ("shift",), "shift": ("lim",), "root": ("lim",), "sum": ("tensor",),
    "independent": ("increasing",), "increasing": ("independent",), "crosses": ("less",), "iff": ("all",),
}  # fmt: skip
"""Another head for each head of a statement or an expression."""


def mutants(claim: Claim, proof: Proof) -> Iterator[tuple[str, Proof]]:
    """Mutants that differ from the proof, in a fixed order."""
    for what, mutant in _all(claim, proof):
        if mutant != proof:
            yield what, mutant


def _all(claim: Claim, proof: Proof) -> Iterator[tuple[str, Proof]]:
    names = [*claim.sizes[-1:], *(name for name, _ in claim.definitions[:1])]
    yield from _hypotheses(claim, proof)
    for place, line in enumerate(proof.lines):
        yield from _dropped(proof, place)
        for what, other in _changed_line(line, names):
            lines = (*proof.lines[:place], other, *proof.lines[place + 1 :])
            yield f"line {place}: {what}", replace(proof, lines=lines)
        if place:
            swapped = [*proof.lines]
            swapped[place - 1], swapped[place] = swapped[place], swapped[place - 1]
            yield f"lines {place - 1} and {place} swapped", replace(proof, lines=tuple(swapped))
        again = (*proof.lines[: place + 1], line, *map(_later, proof.lines[place + 1 :], [place] * 10**4))
        yield f"line {place} twice", replace(proof, lines=again)


def _later(line: Line, place: int) -> Line:
    """A line after one more line was put in at `place`."""
    return replace(line, premises=tuple(p + 1 if p > place else p for p in line.premises))


def _hypotheses(claim: Claim, proof: Proof) -> Iterator[tuple[str, Proof]]:
    for place, hypothesis in enumerate(proof.hypotheses):
        rest = (*proof.hypotheses[:place], *proof.hypotheses[place + 1 :])
        yield f"hypothesis {place} dropped", replace(proof, hypotheses=rest)
        for what, other in changes(hypothesis, ["x", "L"]):
            changed = (*proof.hypotheses[:place], other, *proof.hypotheses[place + 1 :])
            yield f"hypothesis {place}: {what}", replace(proof, hypotheses=changed)
    for assumption in claim.assumptions:
        if assumption not in proof.hypotheses:
            more = tuple(sorted((*proof.hypotheses, assumption), key=str))
            yield "an idle hypothesis", replace(proof, hypotheses=more)
            idle = Line(assumption, "given")
            moved = tuple(replace(x, premises=tuple(p + 1 for p in x.premises)) for x in proof.lines)
            yield "an idle line", replace(proof, hypotheses=more, lines=(idle, *moved))


def _dropped(proof: Proof, place: int) -> Iterator[tuple[str, Proof]]:
    """The line gone; what rested on it rests on nothing, on its own premises, or on the line before."""
    gone = proof.lines[place]
    rest = [line for other, line in enumerate(proof.lines) if other != place]
    instead_of = (("nothing", ()), ("its premises", gone.premises), ("the first of them", gone.premises[:1]))
    for what, instead in instead_of:
        lines = tuple(_without(line, place, instead) for line in rest)
        yield f"line {place} dropped, {what} instead", replace(proof, lines=lines)


def _without(line: Line, place: int, instead: tuple[int, ...]) -> Line:
    found: list[int] = []
    for premise in line.premises:
        found += instead if premise == place else [premise]
    return replace(line, premises=tuple(p - 1 if p > place else p for p in dict.fromkeys(found)))


def _changed_line(line: Line, names: list[str]) -> Iterator[tuple[str, Line]]:
    for rule in RULES:
        if rule != line.rule:
            yield f"rule {rule} for {line.rule}", replace(line, rule=rule)
    for what, statement in changes(line.statement, names):
        yield f"statement, {what}", replace(line, statement=statement)
    for what, weights in changes(line.weights, []):
        yield f"weights, {what}", replace(line, weights=weights)
    for place, premise in enumerate(line.premises):
        rest = (*line.premises[:place], *line.premises[place + 1 :])
        yield f"premise {place} dropped", replace(line, premises=rest)
        yield f"premise {place} twice", replace(line, premises=(*line.premises, premise))
        for step in (-1, 1):
            moved = (*line.premises[:place], premise + step, *line.premises[place + 1 :])
            yield f"premise {place} moved by {step}", replace(line, premises=moved)
        if place:
            turned = [*line.premises]
            turned[place - 1], turned[place] = turned[place], turned[place - 1]
            yield f"premises {place - 1} and {place} swapped", replace(line, premises=tuple(turned))


def changes(term: Any, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Each number one more, one less, negated and zero; each text another; each part of a tuple dropped."""
    if isinstance(term, bool):
        yield "a flag turned", not term
    elif isinstance(term, int):
        for other in dict.fromkeys((term + 1, term - 1, -term, 0)):
            yield f"{term} to {other}", other
    elif isinstance(term, str):
        if "/" in term:
            value = Fraction(term)
            yield f"{term} to {value + 1}", str(value + 1)
            yield f"{term} to {-value}", str(-value)
        others = [*names, *_TURNED.get(term, ())]
        yield from ((f"{term} to {other}", other) for other in others if other != term)
    elif isinstance(term, tuple):
        for place, part in enumerate(term):
            rest = (*term[:place], *term[place + 1 :])
            yield f"part {place} dropped", rest
            for what, other in changes(part, names):
                yield what, (*term[:place], other, *term[place + 1 :])
