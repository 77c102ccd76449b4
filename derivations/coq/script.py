"""The lines of a proof as Coq tactics: each line is asserted in turn, at some choice of sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..claims import STEP, Line, Term
from ..kernel.exact import data
from .facts import Facts
from .text import Env, NoCoq, group, poly_text, power_text

__all__ = ["Point", "Scripts", "Theorem", "exact", "stated"]


@dataclass(frozen=True, slots=True)
class Theorem:
    """What is proved, and how."""

    name: str
    says: str
    tactics: tuple[str, ...]
    before: str = ""
    """What stands in front of it."""

    def text(self) -> str:
        """The theorem as it stands in a file."""
        proof = "\n".join(f"  {tactic}" for tactic in self.tactics)
        theorem = f"Theorem {self.name} :\n  {self.says}.\nProof.\n{proof}\nQed."
        return f"{self.before}\n{theorem}" if self.before else theorem


def stated(variables: Iterable[str], hypotheses: Sequence[str], goal: str, mark: str = "h") -> tuple[str, str]:
    """A goal for all real numbers that satisfy some hypotheses; and the tactic that takes them in."""
    names = [*variables]
    held = "".join(f"{text} ->\n  " for text in hypotheses)
    every = f"forall {' '.join(names)} : R,\n  " if names else ""
    taken = [*names, *(f"{mark}{i}" for i, _ in enumerate(hypotheses))]
    return f"{every}{held}{goal}", f"intros {' '.join(taken)}." if taken else "idtac."


@dataclass(frozen=True, slots=True)
class Point:
    """A choice of sizes."""

    mark: str
    """What the names of what is known there begin with."""
    env: Env
    """What stands for each symbol."""
    name: str = ""
    """The symbol that is larger here than at `start`, where the facts follow from those at `start`."""
    step: str = ""
    """By how much."""
    start: Point | None = None


@dataclass(frozen=True, slots=True)
class Scripts(Facts):
    """The lines of one proof as tactics."""

    def asserts(self, targets: Sequence[int], at: Point) -> list[str]:
        """Tactics that put some lines, and all they need, among what is known."""
        found: list[str] = []
        grown = at.start is not None
        if at.start is not None:
            wholes = [i for i in self.closure(targets, True) if self.line(i).rule == "whole"]
            start = Point(f"{at.mark}w", at.start.env, at.start.name, at.start.step, at.start.start)
            found += self.asserts(wholes, start)
            found += [self._grown(fact, at) for fact in self.facts(targets, grown=True)]
        for place in self.closure(targets, grown):
            line = self.line(place)
            if line.rule == "shift":
                further = self.further(at, f"{at.mark}{place}s", line.statement[1][2])
                found += self.asserts(line.premises, further)
            proof = "lra" if grown and line.rule == "whole" else self._step(line, place, at)
            says = f"assert ({at.mark}{place} : {self.known(line.statement, at.env)})"
            found += [f"{says} by {proof}."] if proof in ("lra", "sign") else [f"{says}.", f"{{ {proof}. }}"]
        return found

    def further(self, at: Point, mark: str, name: str) -> Point:
        """Where a symbol is larger by the step of "shift"."""
        step = at.env[STEP]
        env = self.texts.moved(at.env, name, f"({self.texts.symbol(name, at.env)} + {step})")
        return Point(mark, env, name, step, at)

    def _grown(self, fact: Term, at: Point) -> str:
        growth = self.growth(fact, at.name)
        says = self.hypothesis(fact, at.env)
        if at.start is None or not growth:
            return f"assert ({says}) by first [ assumption | lra ]."
        more = self.texts.poly(data(growth), {**at.start.env, STEP: group(at.step)})
        return f"assert ({says}) by (assert (0 <= {more}) by sign; lra)."

    def known(self, statement: Term, env: Env) -> str:
        """What a line says."""
        head, what, *rest = statement
        if head == "is":
            e = group(self.texts.expr(what, env))
            above, below = (group(self.texts.product(side, env)) for side in rest)
            return f"ratio {e} {above} {below}"
        if head == "put":
            return f"{self.texts.symbol(what, env)} = {self.texts.poly(rest[0], env)}"
        return f"0 {'<' if head == 'pos' else '<='} {self.texts.poly(what, env)}"

    def factored(self, line: Term, factor: Term, at: Point, shown: str = "") -> str:
        """What an "is" line says, one factor (as it is, or as it is `shown`) before the others."""
        _, e, above, below = line
        rest = list(above)
        rest.remove(factor)
        first = group(shown or self.texts.poly(factor, at.env))
        others, under = (group(self.texts.product(side, at.env)) for side in (rest, below))
        return f"ratio {group(self.texts.expr(e, at.env))} ({first} * {others}) {under}"

    def _step(self, line: Line, place: int, at: Point) -> str:
        """The tactics that prove a line."""
        known = [f"{at.mark}{i}" for i in self.needs(place, False)]
        equal = exact(line.statement[2:], *(self.line(i).statement[2:] for i in line.premises))

        def change(before: str, *, first: str = "", sides: str = "_ _") -> str:
            return f"refine (ratio_change _ _ _ {sides} ({before}) _ _); {first}{equal}"

        match line.rule:
            case "given" | "size":
                return "first [ assumption | reflexivity | lra ]" if line.statement[0] == "put" else "lra"
            case "whole":
                poly = self.texts.poly(self.line(line.premises[0]).statement[1], at.env)
                return f"assert (1 <= {poly}) by (apply whole_least; [ wholes | exact {known[0]} ]); lra"
            case "combine":
                return self._combined(line, at)
            case "multiply_out" if not line.statement[3]:
                return f"apply ratio_whole; {exact(line.statement)}"
            case "multiply_out":
                return "apply ratio_over; [ nonzero | field; nonzero ]"
            case "unfold":
                return f"exact {known[0]}"
            case "divide":
                return change(f"ratio_div _ _ _ _ _ _ {known[0]} {known[1]} ltac:(sign)")
            case "multiply":
                return change(f"ratio_mul _ _ _ _ _ _ {known[0]} {known[1]}")
            case "add":
                one, two = (self.line(i).statement for i in line.premises)
                kind = f"ratio_{line.statement[1][0]}" + ("_same _" if one[3] == two[3] else " _ _")
                return change(f"{kind} _ _ _ _ {known[0]} {known[1]}")
            case "factor":
                return change(known[0])
            case "cancel":
                factor = group(self.texts.poly(self.line(line.premises[1]).statement[1], at.env))
                sides = (group(self.texts.product(side, at.env)) for side in line.statement[2:])
                above, below = (f"({side} * {factor})" for side in sides)
                return f"apply (ratio_cancel _ _ _ {factor}); {change(known[0], sides=f'{above} {below}')}"
            case "substitute":
                return change(known[0], first=f"try rewrite {known[1]}; ")
            case "shift":
                return change(f"{at.mark}{place}s{line.premises[0]}")
            case "root" | "limit":
                return "split; [ nonzero | reflexivity ]"
        raise NoCoq(f"no tactics for {line.rule}")

    def _combined(self, line: Line, at: Point) -> str:
        """The certificate put in the place of the polynomial; a summand that is positive comes first."""
        got = [self.line(i).statement for i in line.premises]
        polys = [self.texts.poly(p, at.env) for _, p in got]
        order = sorted(line.weights, key=lambda term: any(got[i][0] != "pos" for i, _ in term[1]))
        if not order:
            return "lra"
        parts = []
        for weight, m in order:
            powers = [power_text(group(polys[i]), e) for i, e in m]
            coefficient = [] if weight == 1 and powers else [poly_text(((weight, ()),), str)]
            parts.append(" * ".join([*coefficient, *powers]))
        says, shown = self.texts.poly(line.statement[1], at.env), " + ".join(parts)
        if says == shown:
            return "sign"
        return f"replace ({says}) with ({shown}) by {exact(line.weights, line.statement)}; sign"


def exact(*terms: Term) -> str:
    """What proves that two polynomials or expressions are equal."""
    return "(field; nonzero)" if any(divided(term) for term in terms) else "ring"


def divided(term: object) -> bool:
    """Whether there is a division, or a number that is no integer."""
    if isinstance(term, tuple):
        return any(map(divided, term))
    return term == "div" or (isinstance(term, str) and bool(re.fullmatch(r"-?\d+/\d+", term)))
