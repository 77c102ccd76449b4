"""Rules that say what follows from forms and signs, and of bracketings."""

from __future__ import annotations

from itertools import pairwise

from ..claims import Term
from .exact import ONE, coefficients, data, minus, need, read
from .steps import Step, distinct, form, free, names_in, plain, positive, turning, under
from .sums import differences, merged

__all__ = ["CONCLUSIONS"]


def gap(line: Term, left: Term, right: Term) -> Term:
    """Both sides of the line of `right - left`."""
    e, *sides = form(line)
    need(e == (right if left == ("num", 0) else ("sub", right, left)), "not the difference")
    need(not {*sides[0]} & {*sides[1]}, "not in lowest terms")
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
    return head == "atmost" and fit and [p for _, p in signs] == distinct(above, below)


def same(step: Step) -> bool:
    """Two quantities with one form are equal."""
    (a, *one), (b, *two) = map(form, step.got)
    return bare(*one) == bare(*two) and a != b and step.says == ("same", a, b)


def bare(above: Term, below: Term) -> tuple[Term, ...]:
    """Both sides of a line without factors of 1; 0 over anything is 0."""
    one = data(ONE)
    return ((),) if () in above else tuple(tuple(p for p in side if p != one) for side in (above, below))


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


def crosses(step: Step) -> bool:
    """Coefficients positive for low powers and negative for high ones: one sign change above 0 (Descartes)."""
    head, a, b, name = step.says
    above, below = gap(step.got[0], a, b)
    which, parts = turning(step.claim, above, name)
    need(plain(step.claim, name, *above, *below), "the symbol hides in another factor")
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


CONCLUSIONS = (
    less, atmost, same, iff, absent, increasing, crosses, every, cheapest, merge, meet,
)  # fmt: skip
