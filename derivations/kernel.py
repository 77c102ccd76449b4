"""The checker of proofs: exact, small, and independent of whatever found them.

It knows polynomials with rational coefficients, as dicts, and one function for each rule: given what a
line says and what its premises say, does the one follow from the other? `check` compares the last line
with the claim, and refuses what is idle, out of order or not in its one canonical form. What statements
mean is said in `claims`; nothing else is imported but fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import lcm, prod

from .claims import STEP, Claim, Line, Proof, Term

__all__ = ["RULES", "Poly", "Rejected", "check", "coefficients", "data", "expand", "minus", "read", "times"]

Poly = dict[tuple[tuple[str | int, int], ...], Fraction]
Premises = tuple[Term, ...]
ONE: Poly = {(): Fraction(1)}


class Rejected(Exception):
    """A proof that is none, and why."""


def need(condition: object, why: str) -> None:
    if not condition:
        raise Rejected(why)


# Polynomials: dicts from monomials, sorted tuples of (symbol, exponent), to coefficients that are not 0.


def data(poly: Poly) -> Term:
    """The one tuple that stands for a polynomial."""
    whole = ((c.numerator if c.denominator == 1 else str(c), m) for m, c in poly.items())
    return tuple(sorted(whole, key=lambda term: str(term[1])))


def read(terms: Term) -> Poly:
    poly = {tuple(m): Fraction(c) for c, m in terms}
    tidy = all(list(m) == sorted(m) and all(e > 0 for _, e in m) and c for m, c in poly.items())
    need(tidy and data(poly) == terms, "a polynomial is not in its canonical form")
    return poly


def plus(left: Poly, right: Poly, sign: int = 1) -> Poly:
    result = dict(left)
    for m, c in right.items():
        result[m] = result.get(m, Fraction(0)) + sign * c
    return {m: c for m, c in result.items() if c}


def minus(left: Poly, right: Poly) -> Poly:
    return plus(left, right, -1)


def times(*factors: Poly) -> Poly:
    result = ONE
    for factor in factors:
        terms: Poly = {}
        for (m, a), (n, b) in product(result.items(), factor.items()):
            powers = dict(m)
            for name, exponent in n:
                powers[name] = powers.get(name, 0) + exponent
            key = tuple(sorted((name, e) for name, e in powers.items() if e))
            terms[key] = terms.get(key, Fraction(0)) + a * b
        result = {m: c for m, c in terms.items() if c}
    return result


def put(poly: Poly, images: dict[str | int, Poly]) -> Poly:
    result: Poly = {}
    for m, c in poly.items():
        parts = [images[n] if n in images else {((n, 1),): Fraction(1)} for n, e in m for _ in range(e)]
        result = plus(result, times({(): c}, *parts))
    return result


def coefficients(poly: Poly, name: str) -> dict[int, Poly]:
    """Exponent of a symbol -> what multiplies that power."""
    parts: dict[int, Poly] = {}
    for m, c in poly.items():
        parts.setdefault(dict(m).get(name, 0), {})[tuple(pair for pair in m if pair[0] != name)] = c
    return parts


def symbol(name: str) -> Poly:
    return {((name, 1),): Fraction(1)}


def expand(e: Term) -> Poly:
    """An expression multiplied out; what it divides by are single terms, which become negative exponents."""
    head, *rest = e
    if head in ("num", "sym"):
        return symbol(rest[0]) if head == "sym" else {(): Fraction(rest[0])} if rest[0] else {}
    need(head in ("add", "sub", "mul", "div"), f"{head!r} is not to be multiplied out")
    first, *others = map(expand, rest)
    for part in others:
        if head == "div":
            need(len(part) == 1, "a division by a sum is a step of its own")
            part = {tuple((n, -e) for n, e in m): 1 / c for m, c in part.items()}
        first = times(first, part) if head in ("mul", "div") else plus(first, part, 1 if head == "add" else -1)
    return first


def sides(above: Term, below: Term, images: dict[str | int, Poly]) -> tuple[Term, Term]:
    """Both sides of a fraction with `images` put for symbols."""
    return ordered(data(put(read(p), images)) for p in above), ordered(data(put(read(p), images)) for p in below)


def ordered(*factors: Iterable[Term]) -> Term:
    return tuple(sorted((factor for side in factors for factor in side), key=str))


def distinct(*factors: Term) -> list[Term]:
    return list(dict.fromkeys(factor for side in factors for factor in side))


def left_over(left: Term, right: Term) -> list[Term]:
    rest = list(left)
    for item in right:
        if item in rest:
            rest.remove(item)
    return rest


def under(claim: Claim, name: object) -> set[object]:
    """The symbols on which the value of a symbol depends."""
    bodies = [e for known, e in claim.opaque if known == name]
    bodies += [("sym", n) for head, y, *p in claim.assumptions if (head, y) == ("put", name)
               for m in read(p[0]) for n, _ in m]  # fmt: skip

    def names(e: Term) -> Iterator[object]:
        for part in e[1:]:
            yield from under(claim, part) if e[0] == "sym" else names(part) if isinstance(part, tuple) else ()

    return {name, *(found for body in bodies for found in names(body))}


def plain(claim: Claim, name: str, *terms: Term) -> bool:
    """Whether some polynomials depend on a symbol only by containing it."""
    inner = {n for p in terms for m in read(p) for n, _ in m if n != name}
    return not any(name in under(claim, n) for n in inner)


def upward(claim: Claim, name: str) -> bool:
    """Whether sizes stay legal when a symbol grows."""
    grown = {name: plus(symbol(name), symbol(STEP))}
    signs = [read(p) for head, p, *more in claim.assumptions if not more]
    free = all(y != name for head, y, *more in claim.assumptions if more)
    return free and all(c > 0 and plain(claim, name, data(p)) for p in signs
                        for c in (*minus(put(p, grown), p).values(), Fraction(1)))  # fmt: skip


# Rules: the claim, what the line says, what its premises say, its weights -> whether the step is right.


def given(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    return says in claim.assumptions and not got


def size(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A size is a whole number of at least 1; a width is positive."""
    positive = [("pos", data(symbol(n))) for n in (STEP, *claim.sizes, *claim.positives)]
    return not got and says in (*positive, *(("nonneg", data(minus(symbol(n), ONE))) for n in claim.sizes))


def whole(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A whole number above 0 is at least 1."""
    ((head, terms),) = got
    integral = all(c.denominator == 1 and {n for n, _ in m} <= {*claim.sizes} for m, c in read(terms).items())
    return integral and head == "pos" and says == ("nonneg", data(minus(read(terms), ONE)))


def combine(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A sum of products of things that are not negative; positive if a summand is."""
    known = {place: read(terms) for place, (_, terms) in enumerate(got)}
    heads, sums = [head for head, _ in got], read(weights)
    positive = any(all(heads[place] == "pos" for place, _ in m) for m in sums)
    used = {place for m in sums for place, _ in m} == set(known) and {*heads} <= {"pos", "nonneg"}
    exact = used and all(c > 0 for c in sums.values()) and data(put(sums, known)) == says[1]
    return exact and says[0] == ("pos" if positive else "nonneg") and says[1] not in [p for _, p in got]


def multiply_out(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """An expression as one polynomial over the least single term, which is not zero."""
    _, e, above, below = says
    poly = expand(e)
    lowest = {n: min(dict(m).get(n, 0) for m in poly) for k in poly for n, _ in k}
    clear = {tuple(sorted((n, -e) for n, e in lowest.items() if e < 0)): Fraction(lcm(*(c.denominator for c in poly.values())))}
    signs = () if clear == ONE else (data(clear),)
    return below == signs and above == (data(times(poly, clear)),) and got == tuple(("pos", p) for p in signs)


def unfold(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A quantity is what it is defined to be."""
    return says[1][0] == "def" and got == (("is", dict(claim.definitions)[says[1][1]], *says[2:]),)


def divide(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A fraction over another, none of whose factors is zero."""
    (_, a, *one), (_, b, *two) = got[:2]
    result = ("is", ("div", a, b), ordered(one[0], two[1]), ordered(one[1], two[0]))
    return says == result and got[2:] == tuple(("pos", factor) for factor in distinct(two[0]))


def multiply(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A fraction times another."""
    (_, a, *one), (_, b, *two) = got
    return says == ("is", ("mul", a, b), ordered(one[0], two[0]), ordered(one[1], two[1]))


def add(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """The sum or the difference of two fractions over one denominator."""
    (_, a, over, common), (_, b, above, below) = got
    first, second = times(*map(read, over)), times(*map(read, above))
    if common != below:
        first, second = times(first, *map(read, below)), times(second, *map(read, common))
        common = ordered(common, below)
    top = data(plus(first, second, 1 if says[1][0] == "add" else -1))
    return says[1][0] in ("add", "sub") and says == ("is", (says[1][0], a, b), (top,), common)


def factor(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """One factor, above or below the line, written as a product."""
    ((_, e, over, low),) = got
    _, same_e, above, below = says
    old, new = (over, above) if over != above else (low, below)
    gone, come = left_over(old, new), left_over(new, old)
    exact = len(gone) == 1 and len(come) > 1 and data(ONE) not in come and times(*map(read, come)) == read(gone[0])
    return exact and e == same_e and (low == below or over == above) and new == ordered(new)


def cancel(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A factor on both sides of the line that is not zero."""
    (_, e, over, low), (sign, common) = got
    back = ("is", e, ordered(says[2], (common,)), ordered(says[3], (common,)))
    return sign == "pos" and back == ("is", says[1], over, low) and common != data(ONE)


def substitute(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """What a symbol is, put in its place."""
    (_, e, over, low), (head, name, value) = got
    result = sides(over, low, {name: read(value)})
    return head == "put" and says == ("is", e, *result) != ("is", e, over, low) and plain(claim, name, *over, *low)


def gap(line: Term, left: Term, right: Term) -> tuple[Term, Term]:
    """The two sides of `right - left`."""
    need(line[1] == (right if left == ("num", 0) else ("sub", right, left)), "not the difference")
    return line[2], line[3]


def less(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A difference all of whose factors are positive is positive."""
    factors = distinct(*gap(got[0], *says[1:]))
    return says[0] == "less" and got[1:] == tuple(("pos", factor) for factor in factors)


def atmost(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A difference none of whose factors is negative is not negative."""
    above, below = gap(got[0], *says[1:])
    heads = [head for head, _ in got[1:]]
    right = all(h == "pos" or (h == "nonneg" and p in above and p not in below) for h, p in got[1:])
    return right and says[0] == "atmost" and "nonneg" in heads and [p for _, p in got[1:]] == distinct(above, below)


def same(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Two quantities with one form are equal."""
    (_, a, *one), (_, b, *two) = got
    return one == two and says == ("same", a, b) and a != b


def iff(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Two differences that have one factor in common, and else positive ones, are positive together."""
    one, two = gap(got[0], *says[1][1:]), gap(got[1], *says[2][1:])
    shared = [p for p in one[0] if p in two[0] and ("pos", p) not in got]
    need(len(shared) == 1 and two[0].count(shared[0]) == 1, "not one factor in common")
    rest = tuple(("pos", p) for p in distinct(*one, *two) if p != shared[0])
    below = shared[0] in (*one[1], *two[1])
    return got[2:] == rest and says[0] == "iff" and says[1][0] == says[2][0] == "less" and not below


def absent(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """A form without a symbol does not depend on it."""
    ((_, e, over, low),) = got
    name, names = says[2], {n for p in (*over, *low) for m in read(p) for n, _ in m}
    tied = any(more and y == name for _, y, *more in claim.assumptions)
    return says == ("independent", e, name) and not tied and not any(name in under(claim, n) for n in names)


def limit(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """On each side of the line only what has the highest power of the symbol counts in the end."""
    (_, e, over, low), (sign, leading) = got
    _, (head, inner, name), above, below = says
    top, bottom = (coefficients(times(*map(read, side)), name) for side in (over, low))
    high, depth = max(top, default=0), max(bottom)
    end = data(top[high]) if top and high == depth else ()
    fits = head == "lim" and inner == e and high <= depth and upward(claim, name) and plain(claim, name, *over, *low)
    return fits and sign == "pos" and leading == data(bottom[depth]) and (above, below) == ((end,), (leading,))


def shift(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """The same quantity further along a symbol."""
    ((_, e, over, low),) = got
    head, inner, name = says[1]
    new = all(STEP not in dict(m) for p in (*over, *low) for m in read(p))
    fits = head == "shift" and inner == e and upward(claim, name) and plain(claim, name, *over, *low) and new
    return fits and says[2:] == sides(over, low, {name: plus(symbol(name), symbol(STEP))})


def increasing(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Less than itself further along."""
    return says[0] == "increasing" and got == (("less", says[1], ("shift", *says[1:])),)


def turning(claim: Claim, above: Term, name: str) -> tuple[Term, dict[int, Poly]]:
    """The factor that changes its sign with a symbol, and its coefficients."""
    found = [p for p in above if len(coefficients(read(p), name)) > 1]
    need(len(found) == 1 and plain(claim, name, *found), "not one factor that changes its sign")
    return found[0], coefficients(read(found[0]), name)


def crosses(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Coefficients positive for low powers and negative for high ones: one sign change above 0 (Descartes)."""
    _, a, b, name = says
    above, below = gap(got[0], a, b)
    which, parts = turning(claim, above, name)
    signs = [("pos", data(poly)) in got for _, poly in sorted(parts.items())]
    need(signs[0] and sum(one != two for one, two in pairwise(signs)) == 1, "not one sign change")
    ends = [data(p if sign else minus({}, p)) for (_, p), sign in zip(sorted(parts.items()), signs, strict=True)]
    expected = distinct(tuple(p for p in (*above, *below) if p != which), tuple(ends))
    tied = any(more and y == name for _, y, *more in claim.assumptions)
    return says[0] == "crosses" and got[1:] == tuple(("pos", p) for p in expected) and not tied


def root(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Where a difference of degree 1 is zero."""
    (_, difference, above, _), crossing = got
    head, a, b, name = says[1]
    _, parts = turning(claim, above, name)
    ends = (data(parts[0]),), (data(minus({}, parts[1])),)
    right = difference == ("sub", b, a) and crossing == ("crosses", a, b, name) and set(parts) == {0, 1}
    return right and head == "root" and says[2:] == ends


def every(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Several statements at once."""
    return says[0] == "all" and got == says[1:] and len(got) > 1


# Bracketings: what they cost, and that they have the same value.


def bracketings(mask: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every binary tree over the leaves of a bitmask, as its (left, right) contractions."""
    lowest, part = mask & -mask, mask
    if mask == lowest:
        yield ()
    while part := (part - 1) & mask:
        if part & lowest:
            for one, two in product(bracketings(part), bracketings(mask ^ part)):
                yield (*one, *two, (part, mask ^ part))


def steps(network: Term, which: Term, tree: Term) -> dict[object, Poly]:
    """What each online step of a tree makes -> its FLOPs: twice the points of the indices of its operands."""
    sizes, (leaves, output) = {label: read(p) for label, p in network[0]}, which

    def open_in(mask: int) -> frozenset[str]:
        inner = {x for i, (_, labels, _) in enumerate(leaves) if mask >> i & 1 for x in labels}
        outer = {x for i, (_, labels, _) in enumerate(leaves) if not mask >> i & 1 for x in labels}
        return frozenset(inner & (outer | set(output)))

    made: dict[object, Poly] = {}
    for left, right in tree:
        members = [leaf for i, leaf in enumerate(leaves) if (left | right) >> i & 1]
        if any(online for _, _, online in members):
            points = times({(): Fraction(2)}, *(sizes[x] for x in sorted(open_in(left) | open_in(right))))
            made[frozenset(members), open_in(left | right)] = points
    return made


def cheapest(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """No choice of bracketings is cheaper, each compared; a step that two products share is paid once."""
    _, network, chosen = says
    found = set[Term]()
    for group, own in zip(network[1], chosen, strict=True):
        lists = [[steps(network, p, t) for t in bracketings((1 << len(p[0])) - 1)] for p in group]
        mine = paid([steps(network, p, t) for p, t in zip(group, own, strict=True)])
        found |= {data(minus(paid(choice), mine)) for choice in product(*lists)}
    tensors = [{t for leaves, _ in group for t, _, _ in leaves} for group in network[1]]
    apart = all(len(one & two) < 2 for i, one in enumerate(tensors) for two in tensors[:i])
    return apart and [p for _, p in got] == sorted(found - {()}, key=str) and says[0] == "cheapest"


def paid(choice: Iterable[dict[object, Poly]]) -> Poly:
    cost: Poly = {}
    made: dict[object, Poly] = {}
    for tree in choice:
        for key, points in tree.items():
            cost = cost if key in made else plus(cost, points)
        made |= tree
    return cost


def merged(node: Term) -> Iterator[Term]:
    """A nested sum with one inner sum joined to the sum around it: every other factor lacks its indices."""
    head, summed, factors = node
    for i, inner in enumerate(factors if head == "sum" else ()):
        rest = (*factors[:i], *factors[i + 1 :])
        yield from (("sum", summed, ordered(rest, (other,))) for other in merged(inner))
        if inner[0] == "sum" and not {*inner[1]} & {*summed, *(x for f in rest for x in indices(f))}:
            yield ("sum", ordered(summed, inner[1]), ordered(rest, inner[2]))


def indices(node: Term) -> set[str]:
    return {*node[2]} if node[0] == "tensor" else {*node[1], *(x for f in node[2] for x in indices(f))}


def merge(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """One inner sum joined to the sum around it."""
    _, start, new = says
    return len(got) < 2 and all(line[1] == start for line in got) and new in merged(got[0][2] if got else start)


def meet(claim: Claim, says: Term, got: Premises, weights: Term) -> bool:
    """Two nested sums that are one sum when all is joined."""
    (_, a, flat), (_, b, other) = got
    return says == ("value", a, b) and flat == other and a != b and not list(merged(flat))


RULES = {rule.__name__: rule for rule in (
    given, size, whole, combine, multiply_out, unfold, divide, multiply, add, factor, cancel, substitute, less,
    atmost, same, iff, absent, limit, shift, increasing, crosses, root, every, cheapest, merge, meet,
)}  # fmt: skip
HEADS = {"given": None, "combine": None, "cancel": "is"}


def check(claim: Claim, proof: Proof) -> None:
    """Raises Rejected unless the proof proves the claim."""
    try:
        need(proof.lines and proof.lines[-1].statement == claim.statement, "the end is not what was claimed")
        lines = [line.statement for line in proof.lines]
        need(len(set(lines)) == len(lines), "a line is there twice")
        known = [name for name, _ in claim.definitions]
        need(all(set(known[i:]).isdisjoint(used(e)) for i, (_, e) in enumerate(claim.definitions)), "a circle")
        need(list(reached(proof.lines, len(lines) - 1, set())) == list(range(len(lines))), "a line is idle")
        uses = [line.statement for line in proof.lines if line.rule == "given"]
        need(tuple(sorted(uses, key=str)) == proof.hypotheses, "a hypothesis is idle or missing")
        for line in proof.lines:
            got = tuple(lines[i] for i in line.premises)
            need(bool(line.weights) <= (line.rule == "combine"), "weights without use")
            need(RULES[line.rule](claim, line.statement, got, line.weights), f"not a step of {line.rule!r}")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, ZeroDivisionError) as error:
        raise Rejected(f"not the data of a proof: {error}") from None


def used(e: Term) -> set[str]:
    if e[0] == "def":
        return {e[1]}
    return {name for part in e[1:] if isinstance(part, tuple) for name in used(part)}


def reached(lines: tuple[Line, ...], place: int, seen: set[int]) -> Iterator[int]:
    """Lines in the order in which the one at `place` first needs them: premises before what they give."""
    seen.add(place)
    for premise in lines[place].premises:
        if premise not in seen:
            yield from reached(lines, premise, seen)
    yield place
