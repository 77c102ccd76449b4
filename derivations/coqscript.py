"""The lines of a proof as Coq tactics: each line is asserted in turn, at some choice of sizes.

What a theorem assumes are the facts that the lines it needs start from, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .claims import STEP, Line, Proof, Term
from .coqtext import Env, NoCoq, Texts, group, poly_text, power_text
from .exact import Poly, data, minus, plus, put, read, symbol
from .kernel import under

__all__ = ["Point", "Scripts", "Theorem", "exact", "positive", "stated"]


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


def stated(variables: Iterable[str], hypotheses: Sequence[str], goal: str) -> tuple[str, str]:
    """A goal for all real numbers that satisfy some hypotheses; and the tactic that takes them in."""
    names = [*variables]
    held = "".join(f"{text} ->\n  " for text in hypotheses)
    every = f"forall {' '.join(names)} : R,\n  " if names else ""
    taken = [*names, *(f"h{i}" for i, _ in enumerate(hypotheses))]
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
class Scripts:
    """The lines of one proof."""

    texts: Texts
    proof: Proof

    def line(self, place: int) -> Line:
        """A line by its place."""
        return self.proof.lines[place]

    # What a line needs.

    def needs(self, place: int, grown: bool) -> tuple[int, ...]:
        """The earlier lines that the Coq proof of a line uses at the same sizes."""
        line = self.line(place)
        if line.rule == "root":  # its ratio is a definition, and only has to be one
            below = ("pos", line.statement[3][0])
            return tuple(i for i in self.line(line.premises[1]).premises if self.line(i).statement == below)
        if line.rule == "limit":
            return line.premises[1:]
        return () if line.rule == "shift" or (grown and line.rule == "whole") else line.premises

    def closure(self, targets: Iterable[int], grown: bool = False) -> list[int]:
        """Some lines and all they need, in order."""
        found: set[int] = set()
        waiting = [*targets]
        while waiting:
            place = waiting.pop()
            if place not in found:
                found.add(place)
                waiting += self.needs(place, grown)
        return sorted(found)

    def facts(self, targets: Iterable[int], grown: bool = False) -> list[Term]:
        """What some lines start from: signs, equations, and that something is a whole number or not zero."""
        found: list[Term] = []
        for place in self.closure(targets, grown):
            line = self.line(place)
            if line.rule in ("given", "size"):
                found.append(line.statement)
            elif line.rule == "whole":
                names = {n for _, m in line.statement[1] for n, _ in m}
                found += [line.statement] if grown else [("whole", n) for n in sorted(names)]
            elif line.rule == "multiply_out":
                found += map(self.not_zero, divisors(line.statement[1]))
            elif line.rule == "shift":
                found += self.grown_facts(line.premises, line.statement[1][2])
                found.append(positive(STEP))
        return list(dict.fromkeys(found))

    def grown_facts(self, targets: Sequence[int], name: str) -> list[Term]:
        """What has to be known so that some lines hold where a symbol is larger, too."""
        found = self.facts(targets)
        for fact in self.facts(targets, grown=True):
            growth = self.growth(fact, name)
            found += [self.not_zero(n) for m in growth for n, _ in m if n != STEP]
        return found

    def not_zero(self, name: object) -> Term:
        sized = name in (*self.texts.claim.sizes, *self.texts.claim.positives)
        return positive(str(name)) if sized else ("nonzero", name)

    def growth(self, fact: Term, name: str) -> Poly:
        """By how much a fact's polynomial is more where a symbol is larger; no coefficient is negative."""
        if fact[0] not in ("pos", "nonneg"):
            return {}
        puts: dict[str | int, Poly] = {y: read(p) for y, p in self.texts.puts(name).items()}
        poly = read(fact[1])
        for _ in puts:
            poly = put(poly, puts)
        tied = [n for m in poly for n, _ in m if n != name and name in under(self.texts.claim, str(n))]
        more = minus(put(poly, {name: plus(symbol(name), symbol(STEP))}), poly)
        if tied or any(c < 0 for c in more.values()):
            raise NoCoq(f"an assumption may fail where {name} is larger")
        return more

    # Facts as hypotheses.

    def hypothesis(self, fact: Term, env: Env) -> str:
        """A fact as a reader would write it."""
        head, what, *rest = fact
        if head in ("pos", "nonneg"):
            terms = [(Fraction(c), m) for c, m in what]
            left = self.texts.poly(tuple((-c, m) for c, m in terms if c < 0), env)
            right = self.texts.poly(tuple(term for term in terms if term[0] > 0), env)
            return f"{left} {'<' if head == 'pos' else '<='} {right}"
        value = self.texts.symbol(what, env)
        if head == "whole":
            return f"whole {value}"
        return f"{value} = {self.texts.poly(rest[0], env)}" if head == "put" else f"{value} <> 0"

    def hypotheses(self, facts: Sequence[Term], env: Env) -> list[str]:
        """Facts as hypotheses, but for those that another contains."""
        least = [data(plus(read(p), {(): Fraction(1)})) for head, p, *_ in facts if head == "nonneg"]
        kept = [fact for fact in facts if fact[0] != "pos" or fact[1] not in least]
        kept = [fact for fact in kept if fact[0] != "put" or not self.plain(fact, env)]
        return list(dict.fromkeys(self.hypothesis(fact, env) for fact in sorted(kept, key=_rank)))

    def plain(self, fact: Term, env: Env) -> bool:
        """Whether a symbol is written out here as what it is said to be."""
        return self.texts.symbol(fact[1], env) == group(self.texts.poly(fact[2], env))

    def names(self, facts: Iterable[Term]) -> frozenset[str]:
        """The variables of some facts."""
        found: frozenset[str] = frozenset()
        for head, what, *rest in facts:
            found |= self.texts.bases(what) if head in ("pos", "nonneg") else self.texts.base(what)
            found |= self.texts.bases(*rest)
        return found

    # Lines as tactics.

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
        change = f"refine (ratio_change _ _ _ _ _ ({{}}) _ _); {exact(line.statement[2:])}"
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
                return change.format(f"ratio_div _ _ _ _ _ _ {known[0]} {known[1]} ltac:(sign)")
            case "multiply":
                return change.format(f"ratio_mul _ _ _ _ _ _ {known[0]} {known[1]}")
            case "add":
                one, two = (self.line(i).statement for i in line.premises)
                kind = f"ratio_{line.statement[1][0]}" + ("_same _" if one[3] == two[3] else " _ _")
                return change.format(f"{kind} _ _ _ _ {known[0]} {known[1]}")
            case "factor":
                return change.format(known[0])
            case "cancel":
                factor = group(self.texts.poly(self.line(line.premises[1]).statement[1], at.env))
                sides = (group(self.texts.product(side, at.env)) for side in line.statement[2:])
                above, below = (f"({side} * {factor})" for side in sides)
                change = change.replace("_ _ _ _ _", f"_ _ _ {above} {below}", 1)
                return f"apply (ratio_cancel _ _ _ {factor}); {change.format(known[0])}"
            case "substitute":
                return change.format(known[0]).replace("); ", f"); try rewrite {known[1]}; ", 1)
            case "shift":
                return change.format(f"{at.mark}{place}s{line.premises[0]}")
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
            powers = [f"{group(polys[i])} ^ {e}" if e > 1 else group(polys[i]) for i, e in m]
            coefficient = [] if weight == 1 and powers else [poly_text(((weight, ()),), str)]
            parts.append(" * ".join([*coefficient, *powers]))
        says, shown = self.texts.poly(line.statement[1], at.env), " + ".join(parts)
        if says == shown:
            return "sign"
        return f"replace ({says}) with ({shown}) by {exact(line.weights, line.statement)}; sign"


def positive(name: str) -> Term:
    return ("pos", data(symbol(name)))


def _rank(fact: Term) -> int:
    """Where a hypothesis stands: what single symbols are, then what is assumed of several."""
    if fact[0] in ("pos", "nonneg"):
        return 1 if len({n for _, m in fact[1] for n, _ in m}) == 1 else 4
    return {"whole": 0, "nonzero": 2, "put": 3}[fact[0]]


def exact(*terms: Term) -> str:
    """What proves that two polynomials or expressions are equal."""
    return "(field; nonzero)" if any(divided(term) for term in terms) else "ring"


def divided(term: object) -> bool:
    """Whether there is a division, or a number that is no integer."""
    if isinstance(term, tuple):
        return any(map(divided, term))
    return term == "div" or (isinstance(term, str) and bool(re.fullmatch(r"-?\d+/\d+", term)))


def divisors(e: Term) -> list[str]:
    """The symbols that an expression divides by."""

    def symbols(part: Term) -> list[str]:
        if part[0] in ("sym", "num"):
            return [part[1]] if part[0] == "sym" else []
        return [n for p in part[1:] for n in symbols(p)]

    if e[0] in ("sym", "num"):
        return []
    found = [n for part in e[1:] for n in divisors(part)]
    found += [n for part in e[2:] for n in symbols(part)] if e[0] == "div" else []
    return list(dict.fromkeys(found))
