"""The checker accepts what follows and nothing else: false statements with a proof that looks right."""

from __future__ import annotations

import pytest
from samples import within

from derivations.claims import STEP, Claim, Line, Proof, Term
from derivations.evaluation import broken_by
from derivations.kernel import Rejected, check


def sym(name) -> Term:
    return ("sym", name)


def num(value) -> Term:
    return ("num", value)


def poly(*terms) -> Term:
    """A polynomial from pairs of a coefficient and the symbols it stands before, as in (2, "L L")."""
    found = []
    for coefficient, names in terms:
        symbols = names.split()
        found.append((coefficient, tuple((n, symbols.count(n)) for n in sorted({*symbols}))))
    return tuple(sorted(found, key=lambda term: str(term[1])))


def side(*factors) -> Term:
    """Factors in the order they are written in."""
    return tuple(sorted(factors, key=str))


def form(e, above=(), below=()) -> Term:
    return ("is", e, side(*above), side(*below))


def proof(*lines) -> Proof:
    """Lines from (statement, rule, premise, ...); weights stand last, in a list."""
    found = []
    for says, rule, *premises in lines:
        weights = premises.pop()[0] if premises and isinstance(premises[-1], list) else ()
        found.append(Line(says, rule, tuple(premises), weights))
    return Proof(side(*(line.statement for line in found if line.rule == "given")), tuple(found))


def positive_number(value) -> tuple:
    """The line that says that a number is positive."""
    return ("pos", poly((value, ""))), "combine", [poly((value, ""))]


def verdict(claim: Claim, steps: Proof) -> bool:
    """Whether the proof is accepted."""
    try:
        check(claim, steps)
    except Rejected:
        return False
    return True


L, ZERO, ONE, DELTA = poly((1, "L")), poly(), poly((1, "")), poly((1, STEP))


# False statements. Each table entry: the claim, the proof, and sizes that show the claim to be false.


def circle():
    """L < 0: each of two lines rests on the other."""
    minus = ("sub", num(0), sym("L"))
    statement = ("less", num(0), minus)
    steps = proof(
        (form(minus, [poly((-1, "L"))]), "multiply_out"),
        (("pos", poly((-2, "L"))), "combine", 2, [((2, ((0, 1),)),)]),
        (("pos", poly((-1, "L"))), "combine", 1, [(("1/2", ((0, 1),)),)]),
        (statement, "less", 0, 2),
    )
    return Claim(statement, sizes=("L",)), steps, [{"L": 1}]


def symbol_twice():
    """2(L - 1)(L - 2) "changes its sign once", as L times L - 3L + 2 has degree 1 when a power is lost."""
    two, square = num(2), (("L", 1), ("L", 1))
    a, b = ("mul", num(6), sym("L")), ("add", ("mul", two, sym("L"), sym("L")), num(4))
    lost = tuple(sorted([(1, square), (-3, (("L", 1),)), (2, ())], key=lambda term: str(term[1])))
    statement = ("crosses", a, b, "L")
    steps = proof(
        (form(("sub", b, a), [poly((2, "L L"), (-6, "L"), (4, ""))]), "multiply_out"),
        (form(("sub", b, a), [lost, poly((2, ""))]), "factor", 0),
        positive_number(2),
        positive_number(3),
        (statement, "crosses", 1, 2, 3),
    )
    return Claim(statement, sizes=("L",)), steps, [{"L": 1}, {"L": 3}]


def exponent_lost():
    """L²/L² tends to 0, as 1 + 1e-17 is 1."""
    square, tiny = ("mul", sym("L"), sym("L")), ((1, (("L", 1e-17),)),)
    e, zero = ("div", square, square), ("div", num(0), num(1))
    statement = ("same", ("lim", e, "L"), zero)
    steps = proof(
        (form(square, [poly((1, "L L"))]), "multiply_out"),
        (("pos", L), "size"),
        (("pos", poly((1, "L L"))), "combine", 1, [((1, ((0, 2),)),)]),
        (form(e, [poly((1, "L L"))], [poly((1, "L L"))]), "divide", 0, 0, 2),
        (form(e, [L, L], [poly((1, "L L"))]), "factor", 3),
        (form(e, [L, L], [L, L, tiny]), "factor", 4),
        (form(e, [L], [L, tiny]), "cancel", 5, 1),
        (form(e, [], [tiny]), "cancel", 6, 1),
        positive_number(1),
        (form(("lim", e, "L"), [ZERO], [ONE]), "limit", 7, 8),
        (form(num(0), [ZERO]), "multiply_out"),
        (form(num(1), [ONE]), "multiply_out"),
        (form(zero, [ZERO], [ONE]), "divide", 10, 11, 8),
        (statement, "same", 9, 12),
    )
    return Claim(statement, sizes=("L",)), steps, [{"L": 1}]


def either_sign():
    """x² < 4 turns once, where x may be negative."""
    a, b = ("mul", sym("x"), sym("x")), num(4)
    statement = ("crosses", a, b, "x")
    steps = proof(
        (form(("sub", b, a), [poly((4, ""), (-1, "x x"))]), "multiply_out"),
        positive_number(4),
        positive_number(1),
        (statement, "crosses", 0, 1, 2),
    )
    return Claim(statement), steps, [{"x": -3}, {"x": 1}]


def hidden_in_a_quantity():
    """min(F, 4) is free of L, where F = L."""
    statement = ("independent", sym("m"), "L")
    steps = proof(
        (form(sym("m"), [poly((1, "m"))]), "multiply_out"),
        (statement, "absent", 0),
    )
    opaque = (("m", ("min", ("def", "F"), num(4))),)
    claim = Claim(statement, (("F", sym("L")),), sizes=("L",), opaque=opaque)
    return claim, steps, [{"L": 1}, {"L": 2}]


def step_not_new():
    """L² - 6L grows, if only steps of at least 5 are looked at."""
    e = ("sub", ("mul", sym("L"), sym("L")), ("mul", num(6), sym("L")))
    further, statement = ("shift", e, "L"), ("increasing", e, "L")
    long, least = ("nonneg", poly((1, STEP), (-5, ""))), ("nonneg", poly((1, "L"), (-1, "")))
    grown = poly((1, "L L"), (2, f"L {STEP}"), (1, f"{STEP} {STEP}"), (-6, "L"), (-6, STEP))
    rest = poly((2, "L"), (1, STEP), (-6, ""))
    gap = ("sub", further, e)
    steps = proof(
        (form(e, [poly((1, "L L"), (-6, "L"))]), "multiply_out"),
        (form(further, [grown]), "shift", 0),
        (form(gap, [poly((2, f"L {STEP}"), (1, f"{STEP} {STEP}"), (-6, STEP))]), "add", 1, 0),
        (form(gap, [DELTA, rest]), "factor", 2),
        (("pos", DELTA), "size"),
        (side(long, least)[0], "size"),
        (side(long, least)[1], "given"),
        (("pos", rest), "combine", 5, 6, [((2, ((0, 1),)), (1, ((1, 1),)), (1, ()))]),
        (("less", e, further), "less", 3, 4, 7),
        (statement, "increasing", 8),
    )
    return Claim(statement, assumptions=(long,), sizes=("L",)), steps, [{"L": 1, STEP: 5}, {"L": 2, STEP: 5}]


FALSE = [circle, symbol_twice, exponent_lost, either_sign, hidden_in_a_quantity, step_not_new]


@pytest.mark.parametrize("case", FALSE)
def test_no_proof_of_what_is_false(case):
    claim, steps, points = case()
    assert broken_by(claim, claim.statement, points)
    assert not verdict(claim, steps)


# Statements that say nothing, or not what they seem to say: no sizes are needed to see it.


def symbol_of_no_text():
    """The value of the symbol 3 does not depend on 3."""
    statement = ("independent", sym(3), 3)
    steps = proof((form(sym(3), [((1, ((3, 1),)),)]), "multiply_out"), (statement, "absent", 0))
    return Claim(statement, sizes=(3,)), steps


def division_of_three():
    """f/1/f = 1, where f = floor(L/4) is 0 at L = 1."""
    e = ("div", sym("f"), num(1), sym("f"))
    statement = ("same", e, num(1))
    steps = proof(
        (form(e, [ONE]), "multiply_out"),
        (form(num(1), [ONE]), "multiply_out"),
        (statement, "same", 0, 1),
    )
    return Claim(statement, sizes=("L",), opaque=(("f", ("floor", ("div", sym("L"), num(4)))),)), steps


def growth_of_what_is_defined():
    """m - L grows with m = ceil(L/4), which only L can change: at L = 4 it is -3, at L = 8 it is -6."""
    e = ("sub", sym("m"), sym("L"))
    further, statement = ("shift", e, "m"), ("increasing", e, "m")
    steps = proof(
        (form(e, [poly((1, "m"), (-1, "L"))]), "multiply_out"),
        (form(further, [poly((1, "m"), (-1, "L"), (1, STEP))]), "shift", 0),
        (form(("sub", further, e), [DELTA]), "add", 1, 0),
        (("pos", DELTA), "size"),
        (("less", e, further), "less", 2, 3),
        (statement, "increasing", 4),
    )
    return Claim(statement, sizes=("L",), opaque=(("m", ("ceil", ("div", sym("L"), num(4)))),)), steps


def crossing_at_a_gap():
    """0 and (2 - 4x)/(2x - 1) are equal at one x; but that is -2 at every x, and nothing at 1/2."""
    twice = ("mul", num(2), sym("x"))
    top, low = ("sub", num(2), ("mul", num(4), sym("x"))), ("sub", twice, num(1))
    quotient, below = ("div", top, low), poly((2, "x"), (-1, ""))
    statement = ("crosses", num(0), quotient, "x")
    above = poly((-4, "x"), (2, ""))
    steps = proof(
        (form(top, [above]), "multiply_out"),
        (form(low, [below]), "multiply_out"),
        (("nonneg", poly((1, "x"), (-1, ""))), "size"),
        (("pos", below), "combine", 2, [((2, ((0, 1),)), (1, ()))]),
        (form(quotient, [above], [below]), "divide", 0, 1, 3),
        positive_number(2),
        positive_number(4),
        (statement, "crosses", 4, 3, 5, 6),
    )
    return Claim(statement, sizes=("x",)), steps


def index_of_two_sizes():
    """A network in which the index i has size 9 and size 1; with 9 alone another bracketing is cheaper."""
    leaves = (("A", ("i", "j"), True), ("B", ("j", "k"), True), ("C", ("k",), True))
    sizes = tuple((label, poly((n, ""))) for label, n in (("i", 9), ("j", 1), ("k", 1), ("i", 1)))
    statement = ("cheapest", (sizes, (((leaves, ("i",)),),)), ((((1, 2), (3, 4)),),))
    return Claim(statement), proof((statement, "cheapest"))


def two_bodies():
    """m = min(L, 4) and m = 3 at once: which of them it is, nobody can say."""
    statement = ("independent", sym("H"), "L")
    steps = proof((form(sym("H"), [poly((1, "H"))]), "multiply_out"), (statement, "absent", 0))
    opaque = (("m", ("min", sym("L"), num(4))), ("m", ("min", num(3), num(3))))
    return Claim(statement, sizes=("H", "L"), opaque=opaque), steps


def assumption_of_another_kind():
    """An assumption says only of a polynomial that it is positive or not negative, or what a symbol is."""
    statement = ("less", num(0), ("sub", num(0), sym("L")))
    return Claim(statement, assumptions=(statement,), sizes=("L",)), proof((statement, "given"))


def assumption_in_another_form():
    """L + L >= 0, not added up."""
    statement = ("nonneg", ((1, (("L", 1),)), (1, (("L", 1),))))
    return Claim(statement, assumptions=(statement,), sizes=("L",)), proof((statement, "given"))


EMPTY = [
    symbol_of_no_text, division_of_three, growth_of_what_is_defined, crossing_at_a_gap, index_of_two_sizes,
    two_bodies, assumption_of_another_kind, assumption_in_another_form,
]  # fmt: skip


@pytest.mark.parametrize("case", EMPTY)
def test_no_proof_of_what_is_not_well_said(case):
    assert not verdict(*case())


# Numbers that no proof needs: refused, and at once.

HUGE = {
    "infinity": ((form(num(float("inf")), [ONE]), "multiply_out"),),
    "infinity before a term": ((("pos", ((float("inf"), ()),)), "combine", [((float("inf"), ()),)]),),
    "a coefficient of many digits": ((("pos", (("1e9999999", ()),)), "combine", [(("1e9999999", ()),)]),),
    "a number of many digits": ((form(num("1e9999999"), []), "multiply_out"),),
    "a weight with a huge exponent": (
        (("pos", L), "size"),
        (("pos", ((1, (("L", 10**7),)),)), "combine", 0, [((1, ((0, 10**7),)),)]),
    ),
}


@pytest.mark.parametrize("case", HUGE)
def test_numbers_that_no_proof_needs_are_refused_at_once(case):
    steps = proof(*HUGE[case])
    with within(1), pytest.raises(Rejected):
        check(Claim(steps.lines[-1].statement, sizes=("H", "L")), steps)


def test_networks_of_many_tensors_are_refused_at_once():
    """14 tensors have some eight million million bracketings."""
    leaves = tuple((f"T{i}", ("i",), True) for i in range(14))
    tree = tuple(((1 << i) - 1, 1 << i) for i in range(1, 14))
    statement = ("cheapest", ((("i", L),), (((leaves, ()),),)), ((tree,),))
    with within(1), pytest.raises(Rejected):
        check(Claim(statement, sizes=("L",)), proof((statement, "cheapest")))
