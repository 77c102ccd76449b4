"""Rules that draw conclusions: steps that follow and near misses that do not, worked out by hand."""

from __future__ import annotations

import pytest
from kernelsteps import MIN, F, G, H, L, S, follows, form, known, nonneg, num, p, pos, step

PUT = ("put", "S", p("L - 1"))
GAP = ("sub", G, F)
LESS, ATMOST, CROSSES = ("less", F, G), ("atmost", F, G), ("crosses", F, G, "S")
RATIO = form(GAP, ["H", "L - 1"], ["b"])
SAME = form(F, ["H"], ["L"]), form(G, ["H"], ["L"])
ONE, TWO = ("less", S, L), ("less", ("mul", H, S), ("mul", H, L))
IFF = ("iff", ONE, TWO)
ROW, ROWS = form(("sub", L, S), ["L - S"]), form(("sub", ("mul", H, L), ("mul", H, S)), ["H", "L - S"])
FREE, GROWS = ("independent", F, "L"), ("increasing", F, "L")
MEET = form(GAP, ["H", "L - S"], ["b"])
SIGNS = pos("H"), pos("b"), pos("L"), pos("1")
CUBIC = form(GAP, ["L + S - S S S"])


def network(sizes, *groups):
    """Indices with their sizes as texts, and groups of products."""
    return tuple((label, p(size)) for label, size in sizes.items()), groups


def product(text, output, weights=""):
    """A product, as in `Aij Bjk`; some tensors are weights."""
    return tuple((word[0], tuple(word[1:]), word[0] not in weights) for word in text.split()), tuple(output)


def node(summed, *factors):
    """A sum over some indices of factors, given as words or nodes."""
    inner = (("tensor", f[0], tuple(f[1:])) if isinstance(f, str) else f for f in factors)
    return "sum", tuple(summed), tuple(sorted(inner, key=str))


# A B c, with i, j, k = 2, 3, 4, twice the points of each step: A(Bc) is 24 + 12 = 36, (AB)c is 48 + 16 = 64,
# (Ac)B, where the first is an outer product, is 48 + 48 = 96. If A and B are weights, (AB)c is 16.
NUMBERS = {"i": "2", "j": "3", "k": "4"}
CHAIN, OFFLINE = product("Aij Bjk Ck", "i"), product("Aij Bjk Ck", "i", "AB")
RIGHT, LEFT, OUTER = ((2, 4), (1, 6)), ((1, 2), (3, 4)), ((1, 4), (5, 2))
# with L, H, S for them: 2HS + 2LH, 2LHS + 2LS, 4LHS
LETTERS = {"i": "L", "j": "H", "k": "S"}
# A B c and A B d, with 2, 3, 2: (AB)c is 24 + 8, A(Bc) is 12 + 12, (Ac)B is 24 + 24. Both from one AB cost
# 24 + 8 + 8 = 40, both the other way 48, one of each 56, 72 or 80, both through outer products 96.
PAIR = (CHAIN, product("Aij Bjk Dk", "i"))
NARROW = {"i": "2", "j": "3", "k": "2"}


def best(trees, *differences, sizes=NUMBERS, groups=((CHAIN,),)):
    return step(("cheapest", network(sizes, *groups), trees), *differences)


JOINED, FLAT = node("j", "Aij", node("k", "Bjk", "Ck")), node("jk", "Aij", "Bjk", "Ck")
OTHER = node("k", node("j", "Aij", "Bjk"), "Ck")
DEEP, LESS_DEEP = node("i", "Di", JOINED), node("i", "Di", FLAT)
CAPTURED = node("j", "Aik", node("k", "Bjk", "Ck")), node("jk", "Aik", "Bjk", "Ck")
HIDDEN = node("j", node("k", "Ek"), node("k", "Bjk")), node("jk", node("k", "Ek"), "Bjk")


def value(*nodes):
    return "value", *nodes


ACCEPTED = {
    "less": [
        step(LESS, RATIO, pos("H"), pos("L - 1"), pos("b")),
        step(("less", num(0), L), form(L, ["L"]), pos("L")),
        step(LESS, form(GAP, ["H", "H"], ["b"]), pos("H"), pos("b")),
    ],
    "atmost": [
        step(ATMOST, RATIO, pos("H"), nonneg("L - 1"), pos("b")),
        step(("atmost", num(0), F), form(F, ["0"]), nonneg("0")),
    ],
    "same": [step(("same", F, G), *SAME)],
    "iff": [step(IFF, ROW, ROWS, pos("H")), step(("iff", TWO, ONE), ROWS, ROW, pos("H"))],
    "absent": [step(FREE, form(F, ["H"], ["b"])), step(FREE, form(F, ["S"])), step(FREE, form(F, ["u"]))],
    "increasing": [step(GROWS, ("less", F, ("shift", F, "L")))],
    "crosses": [
        step(CROSSES, MEET, *SIGNS),
        step(CROSSES, CUBIC, pos("L"), pos("1")),
        step(CROSSES, form(GAP, ["L - S"], ["S S"]), pos("S S"), pos("L"), pos("1")),
    ],
    "every": [step(("all", ONE, TWO), ONE, TWO)],
    "cheapest": [
        best(((RIGHT,),), pos("28"), pos("60")),
        best(((LEFT,),), pos("20"), pos("80"), groups=((OFFLINE,),)),
        best(((RIGHT,),), nonneg("2 L H S + 2 L S - 2 H S - 2 H L"), pos("4 L H S - 2 H S - 2 H L"),
             sizes=LETTERS),
        best(((LEFT, LEFT),), *map(pos, ("16", "32", "40", "56", "8")), sizes=NARROW, groups=(PAIR,)),
        best(((((1, 2),),),), groups=((product("Aij Bj", "i"),),)),
    ],
    "merge": [
        step(value(JOINED, FLAT)),
        step(value(OTHER, FLAT)),
        step(value(DEEP, LESS_DEEP)),
        step(value(DEEP, node("ijk", "Di", "Aij", "Bjk", "Ck")), value(DEEP, LESS_DEEP)),
    ],
    "meet": [step(value(JOINED, OTHER), value(JOINED, FLAT), value(OTHER, FLAT))],
}  # fmt: skip

REFUSED = {
    "less": {
        "not negative": step(LESS, RATIO, pos("H"), nonneg("L - 1"), pos("b")),
        "below unsaid": step(LESS, RATIO, pos("H"), pos("L - 1")),
        "turned": step(("less", G, F), RATIO, pos("H"), pos("L - 1"), pos("b")),
        "at most": step(ATMOST, RATIO, pos("H"), pos("L - 1"), pos("b")),
        "in another order": step(LESS, RATIO, pos("b"), pos("H"), pos("L - 1")),
        "of a sum": step(LESS, form(("add", G, F), ["H"]), pos("H")),
        "nothing": step(LESS, form(GAP, ["0"]), nonneg("0")),
        "above what is not zero": step(("less", num(1), F), form(F, ["H"]), pos("H")),
        "a sign too many": step(LESS, form(GAP, ["H"]), pos("H"), pos("b")),
    },
    "atmost": {
        "below maybe zero": step(ATMOST, RATIO, pos("H"), pos("L - 1"), nonneg("b")),
        "on both sides": step(ATMOST, form(GAP, ["H"], ["H"]), nonneg("H")),
        "turned": step(("atmost", G, F), RATIO, pos("H"), nonneg("L - 1"), pos("b")),
        "unsaid": step(ATMOST, RATIO, pos("H"), pos("b")),
        "less": step(LESS, RATIO, pos("H"), nonneg("L - 1"), pos("b")),
        "by a value": step(ATMOST, form(GAP, ["S"]), PUT, **known(PUT)),
    },
    "same": {
        "turned": step(("same", F, G), form(F, ["H"], ["L"]), form(G, ["L"], ["H"])),
        "another factor": step(("same", F, G), form(F, ["H"]), form(G, ["2", "H"])),
        "with itself": step(("same", F, F), form(F, ["H"]), form(F, ["H"])),
        "the other way": step(("same", G, F), *SAME),
        "of others": step(("same", F, H), *SAME),
        "alone": step(("same", F, G), SAME[0]),
        "less": step(LESS, *SAME),
    },
    "iff": {
        "unsaid": step(IFF, ROW, ROWS),
        "maybe zero": step(IFF, ROW, ROWS, nonneg("H")),
        "turned": step(IFF, ROW, form(ROWS[1], ["H", "S - L"]), pos("H")),
        "squared": step(IFF, ROW, form(ROWS[1], ["L - S", "L - S"])),
        "below": step(IFF, ROW, form(ROWS[1], ["L - S"], ["L - S"])),
        "nothing in common": step(IFF, ROW, form(ROWS[1], ["H"]), pos("H")),
        "another one": step(("iff", ONE, ("less", S, H)), ROW, ROWS, pos("H")),
        "of at most": step(("iff", ("atmost", S, L), TWO), ROW, ROWS, pos("H")),
        "both": step(("all", ONE, TWO), ROW, ROWS, pos("H")),
    },
    "absent": {
        "there": step(FREE, form(F, ["H L"])),
        "below": step(FREE, form(F, ["H"], ["L + 1"])),
        "hidden in a value": step(FREE, form(F, ["S"]), **known(PUT)),
        "hidden in a min": step(FREE, form(F, ["m"]), **MIN),
        "hidden in a value in a min": step(
            FREE, form(F, ["m"]), **known(PUT), opaque=(("m", ("min", S, num(4))),)),
        "hidden in a min in a value": step(FREE, form(F, ["S"]), **known(("put", "S", p("m"))), **MIN),
        "of what is put": step(("independent", F, "S"), form(F, ["H"]), **known(PUT)),
        "of a min": step(("independent", F, "m"), form(F, ["H"]), **MIN),
        "of an unknown": step(("independent", F, "u"), form(F, ["H"])),
        "of another": step(("independent", G, "L"), form(F, ["H"])),
    },
    "increasing": {
        "falling": step(GROWS, ("less", ("shift", F, "L"), F)),
        "at most": step(GROWS, ("atmost", F, ("shift", F, "L"))),
        "in another": step(GROWS, ("less", F, ("shift", F, "S"))),
        "of another": step(GROWS, ("less", G, ("shift", F, "L"))),
        "in the end": step(GROWS, ("less", F, ("lim", F, "L"))),
        "independent": step(FREE, ("less", F, ("shift", F, "L"))),
    },
    "crosses": {
        "the other way": step(("crosses", G, F, "S"), MEET, *SIGNS),
        "from above": step(CROSSES, form(GAP, ["S - L"]), pos("1"), pos("L")),
        "a sign unsaid": step(CROSSES, MEET, pos("b"), pos("L"), pos("1")),
        "maybe zero": step(CROSSES, MEET, pos("H"), pos("b"), nonneg("L"), pos("1")),
        "never": step(CROSSES, form(GAP, ["L + S"]), pos("L"), pos("1")),
        "twice": step(CROSSES, form(GAP, ["2 - 3 S + S S"]), pos("2"), pos("3"), pos("1")),
        "in two factors": step(CROSSES, form(GAP, ["L - S", "H - S"]), pos("L"), pos("1"), pos("H"), pos("1")),
        "a gap": step(CROSSES, form(GAP, ["L - S"], ["2 S - 1"]), pos("2 S - 1"), pos("L"), pos("1")),
        "a gap in a value": step(CROSSES, form(GAP, ["1 - 2 S"], ["H"]), pos("H"), pos("1"), pos("2"),
                                 **known(("put", "H", p("2 S - 1")))),
        "over itself": step(CROSSES, form(GAP, ["L - S"], ["L - S"]), pos("L"), pos("1")),
        "in another": step(("crosses", F, G, "H"), MEET, *SIGNS),
        "in an unknown": step(("crosses", F, G, "u"), form(GAP, ["L - u"]), pos("L"), pos("1")),
        "in what is put": step(CROSSES, form(GAP, ["H - S"]), pos("H"), pos("1"), **known(PUT)),
        "hidden in a min": step(("crosses", F, G, "L"), form(GAP, ["m - L"]), pos("m"), pos("1"), **MIN),
        "hidden in a value": step(
            ("crosses", F, G, "L"), form(GAP, ["S - L"]), pos("S"), pos("1"), **known(PUT)),
    },
    "every": {
        "one missing": step(("all", ONE, TWO), ONE),
        "one more": step(("all", ONE, TWO), ONE, TWO, FREE),
        "turned": step(("all", ONE, TWO), TWO, ONE),
        "one alone": step(("all", ONE), ONE),
        "none": step(("all",)),
        "another": step(("all", ONE, LESS), ONE, TWO),
    },
    "cheapest": {
        "one not compared": best(((RIGHT,),), pos("28")),
        "none compared": best(((RIGHT,),)),
        "another compared": best(((RIGHT,),), pos("28"), pos("61")),
        "in another order": best(((RIGHT,),), pos("60"), pos("28")),
        "a value": best(((RIGHT,),), pos("28"), ("put", p("60"))),
        "the dearer left out": best(((LEFT,),), pos("32")),
        "an outer product": best(((OUTER,),)),
        "paid as if offline": best(((LEFT,),), pos("20"), pos("80")),
        "half a tree": best(((((2, 4),),),), pos("28"), pos("60")),
        "a step twice": best(((((2, 4), (2, 4), (1, 6)),),), pos("28"), pos("60")),
        "no tree": best(((),), pos("28"), pos("60")),
        "two trees": best(((RIGHT, RIGHT),), pos("28"), pos("60")),
        "an index without a size": best(((RIGHT,),), pos("28"), pos("60"), sizes={"i": "2", "j": "3"}),
        "what two share paid twice": best(
            ((RIGHT, RIGHT),), *map(pos, ("16", "24", "32", "48", "8")), sizes=NARROW, groups=(PAIR,)),
        "groups that share": best(
            ((RIGHT,), (RIGHT,)), pos("24"), pos("8"), sizes=NARROW, groups=((PAIR[0],), (PAIR[1],))),
    },
    "merge": {
        "an index caught": step(value(*CAPTURED)),
        "an index caught in a sum": step(value(*HIDDEN)),
        "a factor lost": step(value(JOINED, node("jk", "Aij", "Bjk"))),
        "a factor twice": step(value(JOINED, node("jk", "Aij", "Aij", "Bjk", "Ck"))),
        "a sum lost": step(value(JOINED, node("j", "Aij", "Bjk", "Ck"))),
        "apart again": step(value(FLAT, JOINED)),
        "another tensor": step(value(JOINED, node("jk", "Aij", "Bkj", "Ck"))),
        "two at once": step(value(DEEP, node("ijk", "Di", "Aij", "Bjk", "Ck"))),
        "from another": step(value(OTHER, FLAT), value(JOINED, JOINED)),
        "not at all": step(value(JOINED, JOINED)),
        "out of order": step(value(JOINED, ("sum", ("k", "j"), FLAT[2]))),
    },
    "meet": {
        "the other way": step(value(OTHER, JOINED), value(JOINED, FLAT), value(OTHER, FLAT)),
        "with itself": step(value(JOINED, JOINED), value(JOINED, FLAT), value(JOINED, FLAT)),
        "elsewhere": step(
            value(JOINED, OTHER), value(JOINED, FLAT), value(OTHER, node("jk", "Aij", "Bkj", "Ck"))),
        "before all is joined": step(value(DEEP, OTHER), value(DEEP, LESS_DEEP), value(OTHER, LESS_DEEP)),
        "from equals": step(value(JOINED, OTHER), ("same", JOINED, FLAT), ("same", OTHER, FLAT)),
        "alone": step(value(JOINED, OTHER), value(JOINED, FLAT)),
    },
}  # fmt: skip


@pytest.mark.parametrize(("rule", "asked"), [(r, s) for r, steps in ACCEPTED.items() for s in steps])
def test_what_follows(rule, asked):
    assert follows(rule, asked)


@pytest.mark.parametrize(("rule", "miss"), [(r, miss) for r, misses in REFUSED.items() for miss in misses])
def test_what_does_not(rule, miss):
    assert not follows(rule, REFUSED[rule][miss])
