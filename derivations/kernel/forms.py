"""Rules that say what a quantity is: ("is", expression, factors above the line, factors below it)."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from ..claims import STEP, Term
from .exact import ONE, Poly, coefficients, data, expand, minus, need, ordered, plus, put, read, times
from .steps import Step, distinct, form, left_over, names_in, onward, plain, positive, turning, upward

__all__ = ["FORMS"]


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
    need(
        sum(c < 0 for p in map(read, come) for c in [p.get((), 1)] if len(p) == 1) < 2, "two signs that cancel"
    )
    return e == same_e and (over == above or low == below) and times(*map(read, come)) == read(gone[0])


def cancel(step: Step) -> bool:
    """A factor on both sides of the line, which is not zero."""
    line, (sign, common) = step.got
    e, above, below = form(step.says)
    need(above == ordered(above) and below == ordered(below), "factors in another order")
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
    difference, above, below = form(line)
    (head, a, b, name), *sides = form(step.says)
    need(plain(step.claim, name, *above, *below), "the symbol hides in another factor")
    _, parts = turning(step.claim, above, name)
    need(head == "root" and difference == ("sub", b, a) and {*parts} == {0, 1}, "not of degree 1")
    return crossing == ("crosses", a, b, name) and sides == [(data(parts[0]),), (data(minus({}, parts[1])),)]


FORMS = (multiply_out, unfold, divide, multiply, add, factor, cancel, substitute, limit, shift, root)
