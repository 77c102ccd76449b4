"""What the lines of a proof start from: just that is what a theorem of Coq assumes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..claims import STEP, Line, Proof, Term
from ..kernel import under
from ..kernel.exact import ONE, Poly, data, minus, plus, put, read, symbol
from .text import Env, NoCoq, Texts, group

__all__ = ["Facts", "divisors", "positive"]


@dataclass(frozen=True, slots=True)
class Facts:
    """The lines of one proof, and what each of them rests on."""

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
                self.allow(line)
                found.append(line.statement)
            elif line.rule == "whole":
                names = {n for _, m in line.statement[1] for n, _ in m}
                found += [line.statement] if grown else [("whole", n) for n in sorted(map(self.sized, names))]
            elif line.rule == "multiply_out":
                found += map(self.not_zero, divisors(line.statement[1]))
            elif line.rule == "shift":
                found += self.grown_facts(line.premises, line.statement[1][2])
                found.append(positive(STEP))
        return list(dict.fromkeys(found))

    def allow(self, line: Line) -> None:
        """Raises NoCoq if a line starts from what the claim does not assume: a theorem assumes no more."""
        claim = self.texts.claim
        known = [positive(n) for n in (STEP, *claim.sizes, *claim.positives)]
        known += [("nonneg", data(minus(symbol(n), ONE))) for n in claim.sizes]
        if line.statement not in (claim.assumptions if line.rule == "given" else known):
            raise NoCoq("the proof assumes what the claim does not")

    def grown_facts(self, targets: Sequence[int], name: str) -> list[Term]:
        """What has to be known so that some lines hold where a symbol is larger, too."""
        found = self.facts(targets)
        for fact in self.facts(targets, grown=True):
            growth = self.growth(fact, name)
            found += [self.not_zero(n) for m in growth for n, _ in m if n != STEP]
        return found

    def sized(self, name: str) -> str:
        if name not in self.texts.claim.sizes:
            raise NoCoq(f"{name} need not be whole")
        return name

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
        least = [data(plus(read(p), ONE)) for head, p, *_ in facts if head == "nonneg"]
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


def positive(name: str) -> Term:
    return ("pos", data(symbol(name)))


def _rank(fact: Term) -> int:
    """Where a hypothesis stands: what single symbols are, then what is assumed of several."""
    if fact[0] in ("pos", "nonneg"):
        return 1 if len({n for _, m in fact[1] for n, _ in m}) == 1 else 4
    return {"whole": 0, "nonzero": 2, "put": 3}[fact[0]]


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
