"""A second opinion on a claim from z3, in nonlinear real arithmetic.

The assumptions and the opposite of the claim are put to z3. No solution: the claim holds, for all real sizes
of at least 1. A solution counts only if its numbers are legal sizes at which the claim fails when it is
evaluated exactly; if they are not whole, z3 is asked again for whole ones. Fractions are cleared: a
quantity is a polynomial over another, and what is divided by is taken not to be zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from time import monotonic
from typing import Any

from ..claims import STEP, Claim, Term
from ..poly import Poly, product
from ..proofdata import poly_expression, poly_of
from .against import Point, against, fixed, shown
from .brackets import NoBracketing, TooMany, bills
from .evaluation import parts_of
from .opinion import Opinion
from .ratios import NoForm, Reader, copies

__all__ = ["z3_opinion"]

_BY = "z3"
_REAL, _WHOLE = "no real sizes are against it", "no whole sizes are against it"
_HEADS = {"same", "less", "atmost", "iff", "independent", "increasing", "crosses", "cheapest"}
_COPY = "'"
"""Stands behind a symbol that has two values."""


class _NoAnswer(Exception):
    """z3 gives none in time, or none that is worth anything."""


class _Broken(Exception):
    """Legal sizes that break a claim."""


@dataclass(frozen=True)
class _Question:
    """What would break a statement, for z3."""

    broken: Any
    """A z3 formula."""
    reader: Reader
    """What its expressions rest on."""
    statement: Term
    """What numbers must break, evaluated exactly."""
    moved: str = ""
    """The symbol that has two values, the lower one first."""


class _Judge:
    """Questions about one claim, put to z3 over the reals or over whole sizes."""

    def __init__(self, z3: Any, claim: Claim, deadline: float, whole: bool) -> None:
        self.z3, self.claim, self.deadline, self.whole = z3, claim, deadline, whole
        self.context = z3.Context()  # of its own: what z3 finds depends on what it was asked before
        plain = {n for n in (*claim.sizes, *claim.positives) if not fixed(claim, n)}
        self.plain = sorted(plain)
        self.positive = {*plain, STEP, *(n + _COPY for n in plain)}

    def variable(self, name: str) -> Any:
        whole = {*self.claim.sizes, *(n for n, body in self.claim.opaque if body[0] != "min")}
        return (self.z3.Int if self.whole and name.removesuffix(_COPY) in whole else self.z3.Real)(
            name, self.context
        )

    def number(self, poly: Poly) -> Any:
        """A polynomial for z3, whole coefficients if they can be."""
        terms = []
        for powers, coefficient in poly.powers():
            value = Fraction(coefficient)
            factors = [self.variable(n) for n, e in sorted(powers.items()) for _ in range(e)]
            if value != 1 or not factors:
                whole = self.whole and value.denominator == 1
                factors.insert(0, (self.z3.IntVal if whole else self.z3.RealVal)(str(value), self.context))
            terms.append(self.z3.Product(*factors) if len(factors) > 1 else factors[0])
        return self.z3.Sum(*terms) if terms else self.z3.RealVal(0, self.context)

    def sure(self, poly: Poly) -> bool:
        """Whether a polynomial is positive by its coefficients alone."""
        return bool(poly) and poly.names() <= self.positive and all(c > 0 for c in poly.terms.values())

    def sign(self, form: tuple[Poly, Poly]) -> Any:
        """A number with the sign of a fraction, common positive factors left out."""
        above, below = form
        poly = above if self.sure(below) else above * below
        content = poly.content()
        return self.number(poly * content.inverse() if content.names() <= self.positive else poly)

    def legal(self, images: Mapping[str, Poly]) -> Iterable[Any]:
        """What sizes satisfy, with other symbols put for some."""
        reader = Reader(self.claim)
        for name in (*self.claim.sizes, *self.claim.positives, STEP):
            least = 1 if name in self.claim.sizes else 0
            poly = self.number(reader.symbol(name).map_symbols(images.get))
            yield poly >= least if least else poly > 0
        for head, *rest in self.claim.assumptions:
            if head != "put":
                poly = self.number(reader.poly(rest[0]).map_symbols(images.get))
                yield poly > 0 if head == "pos" else poly >= 0
        for name, (function, *parts) in self.claim.opaque:
            yield from self.defined(name, function, parts, images)

    def defined(
        self, name: str, function: str, parts: Sequence[Term], images: Mapping[str, Poly]
    ) -> Iterable[Any]:
        """The definition of a symbol; rounding is bounds alone, whole numbers or not."""
        own = Poly.symbol(name).map_symbols(images.get)
        gaps = []
        for part in parts if function == "min" else [parts[0] if len(parts) == 1 else ("div", *parts)]:
            above, below = (p.map_symbols(images.get) for p in Reader(self.claim).form(part))
            gaps.append((above - own * below, below))
            yield self.number(below) != 0
        (above, below), sign = gaps[0], self.sign
        if function == "min":
            yield from (sign(gap) >= 0 for gap in gaps)
            yield self.z3.Or(*(sign(gap) == 0 for gap in gaps))
        elif function == "ceil":
            yield from (sign((above, below)) <= 0, sign((above + below, below)) > 0)
        else:
            yield from (sign((above, below)) >= 0, sign((above - below, below)) < 0)

    def questions(self, statement: Term) -> Iterable[_Question]:
        """All of these must have the answer no."""
        head, *rest = statement
        if head not in _HEADS:
            raise NoForm(f"{head} is no statement about sizes")
        if head == "cheapest":
            yield from self.cheaper(*rest)
            return
        reader = Reader(self.claim)
        if head in ("same", "less", "atmost"):
            gap = self.sign(reader.form(("sub", *rest)))
            broken = gap != 0 if head == "same" else gap >= 0 if head == "less" else gap > 0
            yield _Question(broken, reader, statement)
        elif head == "iff":
            one, two = (self.sign(reader.form(("sub", part[2], part[1]))) > 0 for part in rest)
            yield _Question(self.z3.Xor(one, two), reader, statement)
        elif fixed(self.claim, rest[-1]):
            raise NoForm(f"{rest[-1]} is fixed by an assumption")
        elif head in ("independent", "increasing"):
            (above, below), images = reader.form(rest[0]), copies(self.claim, rest[1], _COPY)
            over, under = (p.map_symbols(images.get) for p in (above, below))
            gap = self.sign((above * under - over * below, below * under))
            yield _Question(gap != 0 if head == "independent" else gap >= 0, reader, statement, rest[1])
        else:
            first, second, name = rest
            reader.free(name)
            form, images = reader.form(("sub", second, first)), copies(self.claim, name, _COPY)
            above, below = (p.map_symbols(images.get) for p in form)
            broken = self.z3.And(self.sign(form) <= 0, self.sign((above, below)) >= 0)
            yield _Question(broken, reader, statement, name)
            parts = product(form).coefficients(name)
            ends = [parts[min(parts)], -parts[max(parts)]] if len(parts) > 1 else [Poly()]
            # near 0 the lowest power decides, far out the highest: there must be a change between
            yield _Question(self.z3.Or(*(self.number(end) <= 0 for end in ends)), reader, statement, name)

    def cheaper(self, network: Term, chosen: Term) -> Iterable[_Question]:
        lengths = {label: poly_of(size) for label, size in network[0]}

        def cost(bill: Iterable[Iterable[str]]) -> Poly:
            return sum((product(lengths[label] for label in step) for step in bill), start=Poly())

        for own, every in bills(network, chosen):
            for gap in sorted({cost(own) - cost(bill) for bill in every}, key=Poly.text):
                reader = Reader(self.claim)
                saved = gap.map_symbols(reader.symbol)
                if saved and not self.sure(-saved):
                    statement = ("atmost", poly_expression(gap), ("num", 0))
                    yield _Question(self.number(saved) > 0, reader, statement)

    def excluded(self, question: _Question) -> bool:
        """Whether nothing breaks a statement; False where what does is not legal. Raises _Broken, _NoAnswer."""
        points = self.solution(question)
        if points and against(self.claim, question.statement, points):
            raise _Broken(f"false at {shown(points)}")
        return points is None

    def solution(self, question: _Question) -> list[Point] | None:
        """Numbers that break it: None where there are none, an empty list where they are not rational."""
        z3, name = self.z3, question.moved
        images = copies(self.claim, name, _COPY) if name else {}
        solver = z3.Solver(ctx=self.context) if self.whole else z3.SolverFor("QF_NRA", ctx=self.context)
        left = int(1000 * (self.deadline - monotonic()))
        if left <= 0:
            raise _NoAnswer
        solver.set("timeout", left)
        solver.add(*self.legal({}))
        if images:
            solver.add(*self.legal(images), self.variable(name) < self.variable(name + _COPY))

        def zero(polys: Iterable[Poly]) -> list[Any]:
            both = dict.fromkeys(p for poly in polys for p in (poly, poly.map_symbols(images.get)))
            return [self.number(poly) == 0 for poly in both if not self.sure(poly)]

        solver.add(*map(z3.Not, zero(question.reader.nonzero)))
        solver.add(z3.Or(question.broken, *zero(question.reader.decisive)))
        result = solver.check()
        if result == z3.unknown:
            raise _NoAnswer
        return None if result == z3.unsat else self.points(solver.model(), images)

    def points(self, model: Any, images: Mapping[str, Poly]) -> list[Point]:
        numbers = {}
        for name in (*self.plain, STEP, *(n + _COPY for n in self.plain if n in images)):
            found = model.eval(self.variable(name), model_completion=True)
            if not (self.z3.is_rational_value(found) or self.z3.is_int_value(found)):
                return []
            numbers[name] = Fraction(str(found))
        one = {name: numbers[name] for name in (*self.plain, STEP)}
        two = {**one, **{n: numbers[n + _COPY] for n in self.plain if n in images}}
        return [one, two] if images else [one]


def z3_opinion(claim: Claim, timeout_ms: int = 2000) -> Opinion:
    """What z3 says of a claim within a time in milliseconds; no answer where it is not installed."""
    try:
        import z3
    except ImportError:
        return Opinion(_BY, None, "z3 is not installed")
    deadline = monotonic() + timeout_ms / 1000
    judges = [_Judge(z3, claim, deadline, whole) for whole in (False, True)]
    notes, doubt = set[str](), ""
    for statement in parts_of(claim.statement):
        try:
            notes.add(_judged(judges, statement))
        except (_Broken, NoBracketing) as found:
            return Opinion(_BY, False, str(found))
        except (_NoAnswer, NoForm, TooMany, z3.Z3Exception) as error:
            doubt = doubt or str(error) or f"no answer in {timeout_ms / 1000:g} s"
    if doubt:
        return Opinion(_BY, None, doubt)
    return Opinion(_BY, True, _WHOLE if _WHOLE in notes else _REAL)


def _judged(judges: Sequence[_Judge], statement: Term) -> str:
    """How it is known that nothing breaks a statement."""
    reals, wholes = judges
    note = _REAL
    for place, question in enumerate(reals.questions(statement)):
        if not reals.excluded(question):
            again = next(islice(wholes.questions(statement), place, None))
            if not wholes.excluded(again):
                raise _NoAnswer("what z3 finds against it are no legal sizes")
            note = _WHOLE
    return note
