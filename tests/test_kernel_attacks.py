"""Proofs of what is false or says nothing, made by hand to slip past one rule each: all are refused."""

from __future__ import annotations

import pytest
from kernelsteps import F, G, L, M, S, form, nonneg, num, p, pos

from derivations.claims import STEP, Claim, Line, Proof
from derivations.evaluation import broken_by
from derivations.kernel import Rejected, check

X, V, W, Y = (("sym", name) for name in "xvwy")
MIN = (("m", ("min", L, ("num", 4))),)


def proof(*lines):
    """Lines from (statement, rule, premise, ...); a constant is positive by `combine` with itself."""
    found = []
    for says, rule, *premises in lines:
        weights = says[1] if rule == "number" else ()
        found.append(Line(says, "combine" if weights else rule, tuple(premises), weights))
    given = (line.statement for line in found if line.rule == "given")
    return Proof(tuple(sorted(given, key=str)), tuple(found))


def number(value):
    return pos(str(value)), "number"


def accepted(claim, steps):
    try:
        check(claim, steps)
    except Rejected:
        return False
    return True


def two_roots():
    """b = v w with v = 10 - x and w = 12 - x, a size: b is 0 at one x, at 10, at 12; so x* < x*."""
    b, gap = ("mul", V, W), ("sub", ("mul", V, W), num(0))
    root, cross = ("root", num(0), b, "x"), ("crosses", num(0), b, "x")
    v, w = ("put", "v", p("10 - x")), ("put", "w", p("12 - x"))
    lines = proof(
        (form(gap, ["v w"]), "multiply_out"),
        (form(gap, ["v", "w"]), "factor", 0),
        (w, "given"),
        (form(gap, ["v", "12 - x"]), "substitute", 1, 2),
        (form(b, ["v w"]), "multiply_out"),
        (form(b, ["v", "w"]), "factor", 4),
        (v, "given"),
        (form(b, ["10 - x", "w"]), "substitute", 5, 6),
        (pos("w"), "size"),
        number(10),
        number(1),
        (cross, "crosses", 7, 8, 9, 10),
        (form(root, ["12"], ["1"]), "root", 3, 11),
        (form(gap, ["10 - x", "w"]), "substitute", 1, 6),
        (form(root, ["10"], ["1"]), "root", 13, 11),
        (form(("sub", root, root), ["2"], ["1"]), "add", 12, 14),
        number(2),
        (("less", root, root), "less", 15, 16, 10),
    )
    return Claim(("less", root, root), assumptions=(v, w), sizes=("x", "w")), lines


def a_gap_in_a_value():
    """0 and (2 - 4x)/y with y = 2x - 1 are said to be equal at 1/2; the quotient is -2 at every size."""
    quotient = ("div", ("sub", num(2), ("mul", num(4), X)), Y)
    statement, y = ("crosses", num(0), quotient, "x"), ("put", "y", p("2 x - 1"))
    lines = proof(
        (pos("y"), "size"),
        (form(quotient, ["2 - 4 x"], ["y"]), "multiply_out", 0),
        number(2),
        number(4),
        (statement, "crosses", 1, 0, 2, 3),
    )
    return Claim(statement, assumptions=(y,), sizes=("x", "y")), lines


def two_limits():
    """y = z + x and z = y - 5, so x is 5: (y - y)/x is (x - 5)/x, which tends to 1, and 0; so x* < x*."""
    gap = ("sub", F, G)
    e, limit = ("div", gap, X), ("lim", ("div", gap, X), "x")
    y, z = ("put", "y", p("x + z")), ("put", "z", p("y - 5"))
    lines = proof(
        (form(Y, ["y"]), "multiply_out"),
        (form(F, ["y"]), "unfold", 0),
        (y, "given"),
        (form(F, ["x + z"]), "substitute", 1, 2),
        (z, "given"),
        (form(F, ["x + y - 5"]), "substitute", 3, 4),
        (form(G, ["y"]), "unfold", 0),
        (form(gap, ["x - 5"]), "add", 5, 6),
        (form(X, ["x"]), "multiply_out"),
        (pos("x"), "size"),
        (form(e, ["x - 5"], ["x"]), "divide", 7, 8, 9),
        number(1),
        (form(limit, ["1"], ["1"]), "limit", 10, 11),
        (form(gap, ["0"]), "add", 1, 6),
        (form(e, ["0"], ["x"]), "divide", 13, 8, 9),
        (form(limit, ["0"], ["1"]), "limit", 14, 11),
        (form(("sub", limit, limit), ["1"], ["1"]), "add", 12, 15),
        (("less", limit, limit), "less", 16, 11),
    )
    return Claim(("less", limit, limit), (("F", Y), ("G", Y)), (y, z), ("x", "y")), lines


def a_number_for_a_name():
    """y is the size "3", called 3 where it is put: "3" - 2y, which is -"3", grows with "3"."""
    e = ("sub", ("sym", "3"), ("mul", num(2), Y))
    later, statement = ("shift", e, "3"), ("increasing", e, "3")
    y, three = ("put", "y", ((1, ((3, 1),)),)), ((1, (("3", 1),)),)

    def told(*more):
        return (
            "is",
            e if len(more) < 3 else later,
            (tuple(sorted((three[0], *more[:2]), key=lambda t: str(t[1]))),),
            (),
        )

    known = told((-2, ((3, 1),)))
    lines = proof(
        (told((-2, (("y", 1),))), "multiply_out"),
        (y, "given"),
        (known, "substitute", 0, 1),
        (told((-2, ((3, 1),)), (1, ((STEP, 1),)), None), "shift", 2),
        (form(("sub", later, e), [STEP]), "add", 3, 2),
        (pos(STEP), "size"),
        (("less", e, later), "less", 4, 5),
        (statement, "increasing", 6),
    )
    claim = Claim(statement, assumptions=(y,), sizes=("3",))
    assert broken_by(claim, statement, [{"3": 1}, {"3": 2}])
    return claim, lines


def hidden(body):
    """The value of min(L, 4) does not depend on L, if nobody sees that L is there."""
    statement = ("independent", M, "L")
    lines = proof((form(M, ["m"]), "multiply_out"), (statement, "absent", 0))
    return Claim(statement, sizes=("L",), opaque=(("m", body),)), lines


def no_number():
    """What is no number is 0."""
    statement = ("same", ("num", ""), num(0))
    lines = proof(
        (form(("num", ""), ["0"]), "multiply_out"),
        (form(num(0), ["0"]), "multiply_out"),
        (statement, "same", 0, 1),
    )
    return Claim(statement), lines


def the_step_of_no_shift():
    """0 < δ, though δ is nothing here."""
    step = ("sym", STEP)
    statement = ("less", num(0), step)
    lines = proof((form(step, [STEP]), "multiply_out"), (pos(STEP), "size"), (statement, "less", 0, 1))
    return Claim(statement), lines


def out_of_order():
    """L S H/H = S L: a form with its factors in another order."""
    e, statement = ("div", ("mul", L, S, L), L), ("independent", ("div", ("mul", L, S, L), L), "H")
    top = ("mul", L, S, L)
    turned = ("is", e, (p("S"), p("L")), ())
    lines = proof(
        (form(top, ["L L S"]), "multiply_out"),
        (form(L, ["L"]), "multiply_out"),
        (pos("L"), "size"),
        (form(e, ["L L S"], ["L"]), "divide", 0, 1, 2),
        (form(e, ["L", "L", "S"], ["L"]), "factor", 3),
        (turned, "cancel", 4, 2),
        (statement, "absent", 5),
    )
    return Claim(statement, sizes=("H", "L", "S")), lines


def one_product_under_two_letters():
    """X K V and X K U, with s for the rows of X in one and p in the other, where X K is the same.

    With 10 for s, p and t, 9 for k and v, X(KV) and X(KU) are 1620 + 1620 each, 6480 together; (XK)V and (XK)U
    are 1800 + 1800 each, and 1800 less as XK is made once: 5400. `derive orders` says so too.
    """

    def product(row, last):
        leaves = (("X", (row, "k"), True), ("K", ("t", "k"), True), (last, ("t", "v"), True))
        return leaves, (row, "v")

    sizes = tuple((label, p("9" if label in "kv" else "10")) for label in "kpstv")
    right = ((2, 4), (1, 6))
    statement = ("cheapest", (sizes, ((product("s", "V"), product("p", "U")),)), ((right, right),))
    more = [number(n) for n in (29160, 29520, 360, 58320, 720)]
    return Claim(statement), proof(*more, (statement, "cheapest", *range(len(more))))


ATTACKS = {
    "two roots": two_roots, "a gap in a value": a_gap_in_a_value, "two limits": two_limits,
    "a number for a name": a_number_for_a_name, "no number": no_number, "out of order": out_of_order,
    "the step of no shift": the_step_of_no_shift,
    "one product under two letters": one_product_under_two_letters,
    "hidden in a list": lambda: hidden(("min", ["sym", "L"], num(4))),
    "hidden in a text": lambda: hidden(("min", "L", num(4))),
    "hidden in a min": lambda: hidden(MIN[0][1]),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_false_has_no_proof(attack):
    assert not accepted(*ATTACKS[attack]())


def test_the_same_proofs_of_what_is_true_are_accepted():
    """So that an attack is refused for what is wrong with it, and not for a slip of its author."""
    statement = ("independent", M, "H")
    lines = proof((form(M, ["m"]), "multiply_out"), (statement, "absent", 0))
    assert accepted(Claim(statement, sizes=("H", "L"), opaque=MIN), lines)
    statement = ("less", num(0), L)
    lines = proof((form(L, ["L"]), "multiply_out"), (pos("L"), "size"), (statement, "less", 0, 1))
    assert accepted(Claim(statement, assumptions=(nonneg("L - S"),), sizes=("L", "S")), lines)
