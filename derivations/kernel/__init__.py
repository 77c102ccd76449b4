"""The checker of proofs: exact, small, and independent of whatever found them.

There is one function for each rule: given what a line says and what its premises say, does the one follow
from the other? `check` compares the last line with the claim, and refuses what is idle, out of order or not
in its one canonical form. What statements mean is said in `claims`. Nothing outside this package is imported
but that, and of Python's library only fractions and the like:

    exact           polynomials with rational coefficients, as dicts
    sums            what bracketings cost; nested sums
    steps           what a rule is asked
    signs, forms, conclusions      the rules
"""

from __future__ import annotations

from collections.abc import Iterator

from ..claims import STEP, Claim, Line, Proof, Term
from .conclusions import CONCLUSIONS
from .exact import Rejected, expand, need, ordered, read
from .forms import FORMS
from .signs import SIGNS
from .steps import Step, under

__all__ = ["RULES", "Rejected", "check", "under"]

RULES = {rule.__name__: rule for rule in (*SIGNS, *FORMS, *CONCLUSIONS)}


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
    fields = (claim.definitions, claim.assumptions, claim.sizes, claim.positives, claim.opaque)
    need(solid((claim.statement, *fields)), "a part that is no tuple, text or whole number")
    for head, *rest in claim.assumptions:
        need((head, len(rest)) in (("pos", 1), ("nonneg", 1), ("put", 2)), "an assumption of another kind")
        read(rest[-1])
        need(
            all(type(n) is str for _, m in rest[-1] for n, _ in m),
            "an assumption about something without a name",
        )
    names = [*claim.sizes, *claim.positives, *(name for name, _ in claim.opaque)]
    names += [rest[0] for head, *rest in claim.assumptions if head == "put"]
    need(all(type(name) is str for name in names), "a symbol that is no text")
    bodies = (*(body for _, body in claim.definitions), *(body for _, body in claim.opaque))
    everything = (claim.assumptions, bodies, names, claim.statement)
    need(
        STEP not in words(everything) and shifts(everything) < 2, "the step of a shift is new, and there is one"
    )
    for _, (head, *parts) in claim.opaque:
        sides = parts if head == "min" else parts[0][1:] if parts[0][0] == "div" else parts
        need((head, len(parts)) in (("min", 2), ("ceil", 1), ("floor", 1)), "no min, ceil or floor")
        need([expand(side) for side in sides], "nothing it could be of")
    defined = [name for name, _ in claim.opaque] + [
        rest[0] for head, *rest in claim.assumptions if head == "put"
    ]
    need(len({*defined}) == len(defined), "a symbol that is defined twice")
    for name in defined:
        under(claim, name)  # ends only where nothing is defined by itself


def solid(term: object) -> bool:
    """Whether some data is tuples of texts and whole numbers all the way down."""
    return type(term) in (str, int, bool) or (type(term) is tuple and all(map(solid, term)))


def shifts(term: object) -> int:
    """How many shifts occur in some data."""
    if not isinstance(term, tuple):
        return 0
    return (bool(term) and term[0] == "shift") + sum(map(shifts, term))


def words(term: object) -> set[str]:
    """All texts in some data."""
    if isinstance(term, tuple):
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
