"""The checker of proofs: exact, small, and independent of whatever found them.

There is one function for each rule: given what a line says and what its premises say, does the one follow
from the other? `check` compares the last line with the claim, and refuses what is idle, out of order or not
in its one canonical form. What statements mean is said in `claims`. Nothing is imported but the data of
proofs and exact arithmetic on it (`exact`, `exactsums`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import NamedTuple

from .claims import STEP, Claim, Line, Proof, Term
from .exact import (
    ONE,
    Poly,
    Rejected,
    coefficients,
    data,
    expand,
    minus,
    need,
    ordered,
    plus,
    put,
    read,
    symbol,
    times,
)
from .exactsums import differences, merged

__all__ = ["RULES", "Rejected", "check", "under"]


class Step(NamedTuple):
    """What a rule is asked about."""

    claim: Claim
    says: Term
    got: tuple[Term, ...]
    weights: Term


def distinct(*sides: Term) -> list[Term]:
    return list(dict.fromkeys(factor for side in sides for factor in side))


def left_over(one: Term, two: Term) -> list[Term]:
    rest = list(one)
    for item in two:
        if item in rest:
            rest.remove(item)
    return rest


def form(line: Term) -> Term:
    """(expression, factors above the line, factors below it) of a line that says what something is."""
    need(line[0] == "is" and len(line) == 4, "a premise does not say what something is")
    return line[1:]


def positive(factors: list[Term]) -> tuple[Term, ...]:
    return tuple(("pos", factor) for factor in factors)


def names_in(*factors: Term) -> set[str]:
    return {str(name) for factor in factors for _, monomial in factor for name, _ in monomial}


def under(claim: Claim, name: str) -> set[str]:
    """The symbols on which the value of a symbol depends, itself included."""
    inner: set[str] = set()
    for head, known, *value in claim.assumptions:
        inner |= names_in(value[0]) if (head, known) == ("put", name) else set()
    bodies = [body for known, body in claim.opaque if known == name]
    while bodies:
        head, *parts = bodies.pop()
        inner |= set(parts) if head == "sym" else set()
        bodies += [part for part in parts if isinstance(part, tuple)]
    return {name}.union(*(under(claim, n) for n in inner))


def plain(claim: Claim, name: str, *factors: Term) -> bool:
    """Whether some polynomials depend on a symbol only by containing it."""
    return not any(name in under(claim, other) for other in names_in(*factors) - {name})


def positives(claim: Claim, *factors: Term) -> bool:
    """Whether all symbols of some polynomials are known to be positive."""
    return names_in(*factors) <= {STEP, *claim.sizes, *claim.positives}


def fixed(claim: Claim, name: str) -> bool:
    return any(head == "put" and known == name for head, known, *_ in claim.assumptions)


def free(claim: Claim, name: str) -> bool:
    """Whether a symbol is positive and defined by no other."""
    return name in (*claim.sizes, *claim.positives) and not fixed(claim, name) and name not in dict(claim.opaque)


def onward(name: str) -> dict[str | int, Poly]:
    return {name: plus(symbol(name), symbol(STEP))}


def upward(claim: Claim, name: str) -> bool:
    """Whether sizes stay legal when a symbol grows: no assumption's left side falls."""
    signs = [terms for head, terms, *value in claim.assumptions if not value]
    grown = [data(minus(put(read(p), onward(name)), read(p))) for p in signs]
    falls = any(c < 0 for p in grown for c in read(p).values()) or not positives(claim, *grown)
    return not falls and free(claim, name) and plain(claim, name, *signs)


# Signs.


def given(step: Step) -> bool:
    """An assumption."""
    return step.says in step.claim.assumptions and not step.got


def size(step: Step) -> bool:
    """A size is a whole number of at least 1; a width is positive, and so is the step of a shift."""
    claim = step.claim
    above = [("pos", data(symbol(name))) for name in (STEP, *claim.sizes, *claim.positives)]
    return not step.got and step.says in (
        *above,
        *(("nonneg", data(minus(symbol(n), ONE))) for n in claim.sizes),
    )


def whole(step: Step) -> bool:
    """A whole number above 0 is at least 1."""
    ((head, terms),) = step.got
    integral = names_in(terms) <= {*step.claim.sizes} and all(c.denominator == 1 for c in read(terms).values())
    return head == "pos" and integral and step.says == ("nonneg", data(minus(read(terms), ONE)))


def combine(step: Step) -> bool:
    """A sum of products of what is not negative is not; it is positive if one of the products is."""
    known: dict[str | int, Poly] = {place: read(terms) for place, (_, terms) in enumerate(step.got)}
    heads, sums = [head for head, _ in step.got], read(step.weights)
    need(step.got == ordered({*step.got}), "premises in another order, or one twice")
    need({*heads} <= {"pos", "nonneg"} and {n for m in sums for n, _ in m} == {*known}, "a premise is idle")
    head = "pos" if any(all(heads[int(n)] == "pos" for n, _ in m) for m in sums) else "nonneg"
    exact = all(c > 0 for c in sums.values()) and step.says == (head, data(put(sums, known)))
    return exact and step.says[1] not in [terms for _, terms in step.got]


def divided(step: Step) -> bool:
    """What times something positive is positive is positive."""
    (whole_sign, product), (sign, part) = step.got
    quotient = times(read(step.says[1]), read(part)) == read(product)
    return whole_sign == sign == step.says[0] == "pos" and quotient and data(ONE) not in (part, step.says[1])


# Forms: ("is", expression, factors above the line, factors below it).


def multiply_out(step: Step) -> bool:
    """An expression as one polynomial over the least single term that will do, which is not zero."""
    e, above, below = form(step.says)
    poly = expand(e)
    need(divisors(e) <= {*step.claim.sizes, *step.claim.positives, *names_in(*below)}, "it may divide by zero")
    lowest = {n: min(dict(m).get(n, 0) for m in poly) for k in poly for n, _ in k}
    number = Fraction(lcm(*(c.denominator for c in poly.values())))
    clear: Poly = {tuple(sorted((n, -e) for n, e in lowest.items() if e < 0)): number}
    line = () if clear == ONE else (data(clear),)
    return below == line and above == (data(times(poly, clear)),) and step.got == positive([*line])


def divisors(e: Term) -> set[str]:
    """The symbols that an expression divides by."""
    parts = [part for part in e[1:] if isinstance(part, tuple)]
    below = names_in(data(expand(e[2]))) if e[0] == "div" else set()
    return below.union(*map(divisors, parts))


def unfold(step: Step) -> bool:
    """A quantity is what it is defined to be."""
    (head, *name), *sides = form(step.says)
    return head == "def" and step.got == (("is", dict(step.claim.definitions)[name[0]], *sides),)


def divide(step: Step) -> bool:
    """A fraction over another, none of whose factors is zero."""
    (a, over, low), (b, above, below) = map(form, step.got[:2])
    result = ("is", ("div", a, b), ordered(over, below), ordered(low, above))
    return step.says == result and step.got[2:] == positive(distinct(above))


def multiply(step: Step) -> bool:
    """A fraction times another."""
    (a, over, low), (b, above, below) = map(form, step.got)
    return step.says == ("is", ("mul", a, b), ordered(over, above), ordered(low, below))


def add(step: Step) -> bool:
    """The sum or the difference of two fractions over one denominator."""
    (a, over, common), (b, above, below) = map(form, step.got)
    one, two = times(*map(read, over)), times(*map(read, above))
    if common != below:
        one, two = times(one, *map(read, below)), times(two, *map(read, common))
        common = ordered(common, below)
    head = step.says[1][0]
    top = data(plus(one, two, 1 if head == "add" else -1))
    return head in ("add", "sub") and step.says == ("is", (head, a, b), (top,), common)


def factor(step: Step) -> bool:
    """One factor, above or below the line, written as a product."""
    (e, over, low), (same_e, above, below) = form(*step.got), form(step.says)
    old, new = (over, above) if over != above else (low, below)
    gone, come = left_over(old, new), left_over(new, old)
    need(len(gone) == 1 and len(come) > 1 and data(ONE) not in come and new == ordered(new), "not one factor")
    return e == same_e and (over == above or low == below) and times(*map(read, come)) == read(gone[0])


def cancel(step: Step) -> bool:
    """A factor on both sides of the line, which is not zero."""
    line, (sign, common) = step.got
    e, above, below = form(step.says)
    before = ("is", e, ordered(above, (common,)), ordered(below, (common,)))
    return sign == "pos" and common != data(ONE) and before == line


def replaced(above: Term, below: Term, images: dict[str | int, Poly]) -> tuple[Term, ...]:
    return tuple(ordered(data(put(read(p), images)) for p in side) for side in (above, below))


def substitute(step: Step) -> bool:
    """What a symbol is, put in its place."""
    line, (head, name, value) = step.got
    e, over, low = form(line)
    after = ("is", e, *replaced(over, low, {name: read(value)}))
    return head == "put" and plain(step.claim, name, *over, *low) and step.says == after != line


def limit(step: Step) -> bool:
    """Of each side of the line only what has the highest power of the symbol counts in the end."""
    line, (sign, leading) = step.got
    e, over, low = form(line)
    name = step.says[1][2]
    top, bottom = (coefficients(times(*map(read, side)), name) for side in (over, low))
    high, depth = max(top, default=0), max(bottom)
    end = data(top[high]) if top and high == depth else ()
    need(upward(step.claim, name) and plain(step.claim, name, *over, *low), f"{name} does not grow freely")
    fits = sign == "pos" and leading == data(bottom[depth]) and high <= depth
    return fits and step.says == ("is", ("lim", e, name), (end,), (leading,))


def shift(step: Step) -> bool:
    """The same quantity further along a symbol."""
    e, over, low = form(*step.got)
    name = step.says[1][2]
    need(upward(step.claim, name) and plain(step.claim, name, *over, *low), f"{name} does not grow freely")
    need(STEP not in names_in(*over, *low), "one step at a time")
    return step.says == ("is", ("shift", e, name), *replaced(over, low, onward(name)))


def root(step: Step) -> bool:
    """Where a difference of degree 1 is zero."""
    line, crossing = step.got
    difference, above, _ = form(line)
    (head, a, b, name), *sides = form(step.says)
    _, parts = turning(step.claim, above, name)
    need(head == "root" and difference == ("sub", b, a) and {*parts} == {0, 1}, "not of degree 1")
    return crossing == ("crosses", a, b, name) and sides == [(data(parts[0]),), (data(minus({}, parts[1])),)]


# Conclusions.


def gap(line: Term, left: Term, right: Term) -> Term:
    """Both sides of the line of `right - left`."""
    e, *sides = form(line)
    need(e == (right if left == ("num", 0) else ("sub", right, left)), "not the difference")
    return tuple(sides)


def less(step: Step) -> bool:
    """A difference all of whose factors are positive is positive."""
    head, left, right = step.says
    return head == "less" and step.got[1:] == positive(distinct(*gap(step.got[0], left, right)))


def atmost(step: Step) -> bool:
    """A difference none of whose factors is negative is not negative."""
    head, left, right = step.says
    above, below = gap(step.got[0], left, right)
    signs = step.got[1:]
    fit = all(h == "pos" or (h == "nonneg" and p in above and p not in below) for h, p in signs)
    weak = any(h == "nonneg" for h, _ in signs)
    return head == "atmost" and fit and weak and [p for _, p in signs] == distinct(above, below)


def same(step: Step) -> bool:
    """Two quantities with one form are equal."""
    (a, *one), (b, *two) = map(form, step.got)
    return one == two and a != b and step.says == ("same", a, b)


def iff(step: Step) -> bool:
    """Two differences that have one factor in common, and else positive ones, are positive together."""
    head, (first, a, b), (second, c, d) = step.says
    (over, low), (above, below) = gap(step.got[0], a, b), gap(step.got[1], c, d)
    shared = [p for p in over if p in above and ("pos", p) not in step.got]
    need(
        len(shared) == 1 and above.count(shared[0]) == 1 and shared[0] not in (*low, *below),
        "not one in common",
    )
    rest = positive([p for p in distinct(over, low, above, below) if p != shared[0]])
    return (head, first, second) == ("iff", "less", "less") and step.got[2:] == rest


def absent(step: Step) -> bool:
    """A form without a symbol does not depend on it."""
    e, over, low = form(*step.got)
    name = step.says[2]
    hidden = not any(name in under(step.claim, other) for other in names_in(*over, *low))
    return hidden and free(step.claim, name) and step.says == ("independent", e, name)


def increasing(step: Step) -> bool:
    """It is less than itself further along."""
    head, e, name = step.says
    return head == "increasing" and step.got == (("less", e, ("shift", e, name)),)


def turning(claim: Claim, above: Term, name: str) -> tuple[Term, dict[int, Poly]]:
    """The factor that changes its sign with a symbol, and its coefficients by power."""
    found = [p for p in above if len(coefficients(read(p), name)) > 1]
    need(len(found) == 1 and plain(claim, name, *found), "not one factor that changes its sign")
    return found[0], dict(sorted(coefficients(read(found[0]), name).items()))


def crosses(step: Step) -> bool:
    """Coefficients positive for low powers and negative for high ones: one sign change above 0 (Descartes)."""
    head, a, b, name = step.says
    above, below = gap(step.got[0], a, b)
    which, parts = turning(step.claim, above, name)
    need(which not in below, "the factor that changes its sign is below the line")
    signs = [("pos", data(part)) in step.got for part in parts.values()]
    need(signs[0] and sum(one != two for one, two in pairwise(signs)) == 1, "not one sign change")
    ends = [data(part if up else minus({}, part)) for part, up in zip(parts.values(), signs, strict=True)]
    needed = positive(distinct(tuple(p for p in (*above, *below) if p != which), tuple(ends)))
    bare = all(len(coefficients(read(p), name)) == 1 for p in below)
    return head == "crosses" and step.got[1:] == needed and bare and free(step.claim, name)


def every(step: Step) -> bool:
    """Several statements at once."""
    return step.says[0] == "all" and step.got == step.says[1:] and len(step.got) > 1


def cheapest(step: Step) -> bool:
    """No choice of bracketings is cheaper, each compared; a step that two products share is paid once."""
    head, network, chosen = step.says
    signed = {sign for sign, _ in step.got} <= {"pos", "nonneg"}
    return head == "cheapest" and signed and [p for _, p in step.got] == differences(network, chosen)


def merge(step: Step) -> bool:
    """One inner sum joined to the sum around it: every other factor there lacks its indices."""
    head, start, new = step.says
    known = len(step.got) < 2 and all(line[:2] == ("value", start) for line in step.got)
    return head == "value" and known and new in merged(step.got[0][2] if step.got else start)


def meet(step: Step) -> bool:
    """Two nested sums that are one sum when all is joined."""
    (one, a, flat), (two, b, other) = step.got
    known = one == two == "value" and flat == other and not any(merged(flat))
    return known and a != b and step.says == ("value", a, b)


RULES = {rule.__name__: rule for rule in (
    given, size, whole, combine, divided, multiply_out, unfold, divide, multiply, add, factor, cancel,
    substitute, limit, shift, root, less, atmost, same, iff, absent, increasing, crosses, every, cheapest,
    merge, meet,
)}  # fmt: skip


def check(claim: Claim, proof: Proof) -> None:
    """Raises Rejected unless the proof proves the claim."""
    try:
        well_said(claim)
        lines = [line.statement for line in proof.lines]
        need(lines and lines[-1] == claim.statement, "the end is not what was claimed")
        need(len({*lines}) == len(lines), "a line is there twice")
        bodies = [(name, used(body)) for name, body in claim.definitions]
        need(
            all(uses <= {n for n, _ in bodies[:i]} for i, (_, uses) in enumerate(bodies)), "a circle, or twice"
        )
        need(len({name for name, _ in bodies}) == len(bodies) and STEP not in claim.sizes, "a name twice")
        order = list(reached(proof.lines, len(lines) - 1, set()))
        need(order == list(range(len(lines))), "a line is idle or out of order")
        assumed = [line.statement for line in proof.lines if line.rule == "given"]
        need(proof.hypotheses == ordered(assumed), "a hypothesis is idle or missing")
        for line in proof.lines:
            got = tuple(lines[place] for place in line.premises)
            need(line.rule == "combine" or line.weights == (), "weights that nothing uses")
            need(
                RULES[line.rule](Step(claim, line.statement, got, line.weights)), f"not a step of {line.rule!r}"
            )
    except (
        RecursionError,
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        ArithmeticError,
    ) as error:
        raise Rejected(f"not the data of a proof: {error}") from None


def well_said(claim: Claim) -> None:
    """Raises Rejected unless each part of a claim is of its kind, and each symbol is defined once."""
    for head, *rest in claim.assumptions:
        need((head, len(rest)) in (("pos", 1), ("nonneg", 1), ("put", 2)), "an assumption of another kind")
        read(rest[-1])
    names = [*claim.sizes, *claim.positives, *(name for name, _ in claim.opaque)]
    names += [rest[0] for head, *rest in claim.assumptions if head == "put"]
    need(all(type(name) is str for name in names), "a symbol that is no text")
    bodies = (*(body for _, body in claim.definitions), *(body for _, body in claim.opaque))
    need(STEP not in words((claim.assumptions, bodies, names)), "the step of a shift is new")
    need("def" not in words(tuple(body for _, body in claim.opaque)), "a quantity inside a min, ceil or floor")
    defined = [name for name, _ in claim.opaque] + [rest[0] for head, *rest in claim.assumptions if head == "put"]
    need(len({*defined}) == len(defined), "a symbol that is defined twice")


def words(term: object) -> set[str]:
    """All texts in some data."""
    if isinstance(term, tuple | list):
        return {word for part in term for word in words(part)}
    return {term} if isinstance(term, str) else set()


def used(e: Term) -> set[str]:
    """The quantities an expression names."""
    if e[0] == "def":
        return {e[1]}
    return {name for part in e[1:] if isinstance(part, tuple) for name in used(part)}


def reached(lines: tuple[Line, ...], place: int, seen: set[int]) -> Iterator[int]:
    """Lines in the order in which the one at `place` needs them: premises before what they give."""
    seen.add(place)
    for premise in lines[place].premises:
        need(0 <= premise < place, "a line that rests on a later one")
        if premise not in seen:
            yield from reached(lines, premise, seen)
    yield place
