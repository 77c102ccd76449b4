"""Rules that say what a quantity is: steps that follow and near misses that do not, worked out by hand."""

from __future__ import annotations

import pytest
from kernelsteps import MIN, F, G, H, L, M, S, U, follows, form, known, nonneg, num, p, pos, step

from derivations.claims import STEP

BODIES = {"definitions": (("F", ("mul", H, L)), ("G", ("add", F, S)))}
PUT = ("put", "S", p("L - 1"))
ABOVE_S = ("put", "L", p("S + 1"))
TOTAL = ("mul", L, ("add", H, num(1)))
HALF = ("div", num(1), num(2))
DOUBLE = ("div", ("mul", num(2), H), L)
GONE = ("div", ("mul", U, L), U)
SUM, LESS, TIMES, OVER = (("add", F, G), ("sub", F, G), ("mul", F, G), ("div", F, G))
LIM, LATER = ("lim", F, "L"), ("shift", F, "L")
FAR = form(F, ["2 L + H"], ["L + S"])
ROOT, CROSSING = ("root", F, G, "S"), ("crosses", F, G, "S")
GAP = form(("sub", G, F), ["H", "L L - 2 S"])
L_OVER_2, H_OVER_B = form(F, ["L"], ["2"]), form(G, ["H"], ["b"])
L_OVER_H, S_OVER_H, S_OVER_B = form(F, ["L"], ["H"]), form(G, ["S"], ["H"]), form(G, ["S"], ["b"])
SHARED = form(F, ["H", "L"], ["H", "S"])

ACCEPTED = {
    "multiply_out": [
        step(form(TOTAL, ["H L + L"])),
        step(form(DOUBLE, ["2 H"], ["L"]), pos("L")),
        step(form(("div", ("mul", H, L), H), ["L"])),
        step(form(HALF, ["1"], ["2"]), pos("2")),
        step(form(("sub", L, L), ["0"])),
        step(form(("div", H, U), ["H"], ["u"]), pos("u")),
    ],
    "unfold": [
        step(form(F, ["H", "L"]), form(("mul", H, L), ["H", "L"]), **BODIES),
        step(form(G, ["H L + S"]), form(("add", F, S), ["H L + S"]), **BODIES),
    ],
    "divide": [
        step(form(OVER, ["L", "b"], ["2", "H"]), L_OVER_2, H_OVER_B, pos("H")),
        step(form(OVER, ["L"]), form(F, ["L"]), form(G)),
        step(form(OVER, ["L"], ["H", "H"]), form(F, ["L"]), form(G, ["H", "H"]), pos("H")),
    ],
    "multiply": [step(form(TIMES, ["H", "L"], ["2", "b"]), L_OVER_2, H_OVER_B)],
    "add": [
        step(form(SUM, ["L + S"], ["H"]), L_OVER_H, S_OVER_H),
        step(form(LESS, ["L - H S"], ["H"]), L_OVER_H, form(G, ["S"])),
        step(form(SUM, ["L b + H S"], ["H", "b"]), L_OVER_H, S_OVER_B),
        step(form(LESS, ["0"]), form(F, ["L"]), form(G, ["L"])),
    ],
    "factor": [
        step(form(F, ["L", "L - 1"]), form(F, ["L L - L"])),
        step(form(F, ["H"], ["2", "b", "L"]), form(F, ["H"], ["2 b", "L"])),
        step(form(F, ["L - S", "L + S", "H"]), form(F, ["L L - S S", "H"])),
    ],
    "cancel": [step(form(F, ["L"], ["S"]), SHARED, pos("H")),
               step(form(F, ["H"]), form(F, ["H", "H"], ["H"]), pos("H"))],
    "substitute": [
        step(form(F, ["H L - H"]), form(F, ["H S"]), PUT, **known(PUT)),
        step(form(F, ["L"], ["L L - 2 L + 1"]), form(F, ["L"], ["S S"]), PUT, **known(PUT)),
    ],
    "limit": [
        step(form(LIM, ["2"], ["1"]), FAR, pos("1")),
        step(form(LIM, ["0"], ["1"]), form(F, ["H"], ["L"]), pos("1")),
        step(form(LIM, ["H - 1"], ["S"]), form(F, ["H L - L", "L"], ["L L S + 1"]), pos("S")),
        step(form(LIM, ["2"], ["1"]), FAR, pos("1"), **known(nonneg("L - S"))),
    ],
    "shift": [
        step(form(LATER, [f"L L + 2 L {STEP} + {STEP} {STEP}"], ["H"]), form(F, ["L L"], ["H"])),
        step(form(LATER, ["H"]), form(F, ["H"])),
    ],
    "root": [step(form(ROOT, ["L L"], ["2"]), GAP, CROSSING)],
}  # fmt: skip

REFUSED = {
    "multiply_out": {
        "a minus": step(form(TOTAL, ["H L - L"])),
        "a term lost": step(form(TOTAL, ["H L"])),
        "below unsaid": step(form(DOUBLE, ["2 H"], ["L"])),
        "below maybe zero": step(form(DOUBLE, ["2 H"], ["L"]), nonneg("L")),
        "upside down": step(form(DOUBLE, ["L"], ["2 H"]), pos("2 H")),
        "more below than needed": step(form(DOUBLE, ["2 H H"], ["H L"]), pos("H L")),
        "a factor apart": step(form(TOTAL, ["L", "H + 1"])),
        "zero over itself": step(form(GONE, ["L"])),
        "the divisor forgotten": step(form(("div", H, U), ["H"]), pos("u")),
        "division by a sum": step(form(("div", L, ("add", H, num(1))), ["L"], ["H + 1"]), pos("H + 1")),
        "division by zero": step(form(("div", L, ("sub", H, H)), ["L"])),
        "a quantity": step(form(F, ["H L"]), **BODIES),
        "three subtracted": step(form(("sub", L, H, S), ["L - H - S"])),
        "three divided": step(form(("div", L, num(1), H), ["L"])),
        "a float": step(form(num(0.5), ["1"], ["2"]), pos("2")),
        "a flag": step(form(("num", True), ["1"])),
        "a later value": step(form(("shift", L, "L"), [f"L + {STEP}"])),
    },
    "unfold": {
        "another body": step(form(F, ["H", "L"]), form(("mul", L, H), ["H", "L"]), **BODIES),
        "another quantity": step(form(G, ["H", "L"]), form(("mul", H, L), ["H", "L"]), **BODIES),
        "unknown": step(form(("def", "K"), ["H"]), form(H, ["H"]), **BODIES),
        "other factors": step(form(F, ["H L"]), form(("mul", H, L), ["H", "L"]), **BODIES),
        "of nothing": step(form(F, ["H L"]), **BODIES),
        "a symbol": step(form(("sym", "F"), ["H L"]), form(("mul", H, L), ["H L"]), **BODIES),
    },
    "divide": {
        "by what may be zero": step(form(OVER, ["L", "b"], ["2", "H"]), L_OVER_2, H_OVER_B, nonneg("H")),
        "unsaid": step(form(OVER, ["L", "b"], ["2", "H"]), L_OVER_2, H_OVER_B),
        "the sign of the other": step(form(OVER, ["L", "b"], ["2", "H"]), L_OVER_2, H_OVER_B, pos("L")),
        "not turned": step(form(OVER, ["H", "L"], ["2", "b"]), L_OVER_2, H_OVER_B, pos("H")),
        "the other way": step(form(("div", G, F), ["L", "b"], ["2", "H"]), L_OVER_2, H_OVER_B, pos("H")),
        "the sign twice": step(form(OVER, ["L"], ["H", "H"]), form(F, ["L"]), form(G, ["H", "H"]), pos("H"),
                               pos("H")),
        "by zero": step(form(OVER, ["L"], ["0"]), form(F, ["L"]), form(G, ["0"])),
    },
    "multiply": {
        "turned": step(form(TIMES, ["L", "b"], ["2", "H"]), L_OVER_2, H_OVER_B),
        "below lost": step(form(TIMES, ["H", "L"], ["2"]), L_OVER_2, H_OVER_B),
        "divided": step(form(OVER, ["H", "L"], ["2", "b"]), L_OVER_2, H_OVER_B),
        "the other way": step(form(("mul", G, F), ["H", "L"], ["2", "b"]), L_OVER_2, H_OVER_B),
        "one of three": step(form(("mul", F, G, H), ["H", "L"], ["2", "b"]), L_OVER_2, H_OVER_B),
    },
    "add": {
        "a minus": step(form(LESS, ["L + S"], ["H"]), L_OVER_H, S_OVER_H),
        "the other way": step(form(("sub", G, F), ["L - S"], ["H"]), L_OVER_H, S_OVER_H),
        "below added": step(form(SUM, ["L + S"], ["2 H"]), L_OVER_H, S_OVER_H),
        "not crosswise": step(form(SUM, ["L + S"], ["H", "b"]), L_OVER_H, S_OVER_B),
        "one below lost": step(form(SUM, ["L b + H S"], ["H"]), L_OVER_H, S_OVER_B),
        "three parts": step(form(("add", F, G, H), ["L + S"], ["H"]), L_OVER_H, S_OVER_H),
        "a product": step(form(TIMES, ["L + S"], ["H"]), L_OVER_H, S_OVER_H),
        "alone": step(form(SUM, ["2 L"], ["H"]), L_OVER_H),
    },
    "factor": {
        "another product": step(form(F, ["L", "L + 1"]), form(F, ["L L - L"])),
        "by one": step(form(F, ["1", "L"]), form(F, ["L"])),
        "not at all": step(form(F, ["L"]), form(F, ["L"])),
        "two at once": step(form(F, ["L", "L - 1", "H", "S"]), form(F, ["L L - L", "H S"])),
        "below too": step(form(F, ["H", "L"], ["2", "S"]), form(F, ["H L"], ["2 S"])),
        "to the other side": step(form(F, ["L"], ["2"]), form(F, ["2 L"])),
        "of another": step(form(G, ["L", "L - 1"]), form(F, ["L L - L"])),
        "a power lost": step(("is", F, (((1, (("L", 1), ("L", 1))),), p("2")), ()), form(F, ["2 L L"])),
        "out of order": step(("is", F, form(F, ["L", "L - 1"])[2][::-1], ()), form(F, ["L L - L"])),
    },
    "cancel": {
        "what may be zero": step(form(F, ["L"], ["S"]), SHARED, nonneg("H")),
        "the sign of another": step(form(F, ["L"], ["S"]), SHARED, pos("L")),
        "above alone": step(form(F, ["L"], ["H", "S"]), SHARED, pos("H")),
        "below alone": step(form(F, ["H", "L"], ["S"]), SHARED, pos("H")),
        "all of a power": step(form(F), form(F, ["H", "H"], ["H"]), pos("H")),
        "one": step(form(F, ["L"], ["S"]), form(F, ["1", "L"], ["1", "S"]), pos("1")),
        "a part": step(form(F, ["L"], ["S"]), form(F, ["H L"], ["H S"]), pos("H")),
        "of another": step(form(G, ["L"], ["S"]), SHARED, pos("H")),
        "unsaid": step(form(F, ["L"], ["S"]), SHARED),
        "out of order": step(
            ("is", F, form(F, ["L", "S"])[2][::-1], ()), form(F, ["H", "L", "S"], ["H"]), pos("H")),
    },
    "substitute": {
        "another value": step(form(F, ["H L"]), form(F, ["H S"]), PUT, **known(PUT)),
        "above alone": step(form(F, ["L - 1"], ["S"]), form(F, ["S"], ["S"]), PUT, **known(PUT)),
        "nowhere": step(form(F, ["H"]), form(F, ["H"]), PUT, **known(PUT)),
        "backwards": step(form(F, ["S"]), form(F, ["L - 1"]), PUT, **known(PUT)),
        "of a sign": step(form(F, ["H L - H"]), form(F, ["H S"]), pos("S")),
        "hidden in a min": step(form(F, ["S + m"]), form(F, ["L + m"]), ABOVE_S, **known(ABOVE_S), **MIN),
        "of another": step(form(G, ["H L - H"]), form(F, ["H S"]), PUT, **known(PUT)),
    },
    "limit": {
        "another": step(form(LIM, ["H"], ["1"]), FAR, pos("1")),
        "the slow part": step(form(LIM, ["H"], ["S"]), FAR, pos("S")),
        "it grows": step(form(LIM, ["1"], ["1"]), form(F, ["L L"], ["L"]), pos("1")),
        "of a polynomial": step(form(LIM, ["1"], ["1"]), form(F, ["L"]), pos("1")),
        "below maybe zero": step(form(LIM, ["H"], ["u"]), form(F, ["H L"], ["L u + 1"]), nonneg("u")),
        "unsaid": step(form(LIM, ["2"], ["1"]), FAR),
        "the sign of another": step(form(LIM, ["2"], ["1"]), FAR, pos("L")),
        "bounded": step(form(LIM, ["2"], ["1"]), FAR, pos("1"), **known(nonneg("S - L"))),
        "bounded at last": step(form(LIM, ["2"], ["1"]), FAR, pos("1"), **known(nonneg("9 L - L L"))),
        "bounded by an unknown": step(form(LIM, ["2"], ["1"]), FAR, pos("1"), **known(nonneg("L u"))),
        "bounded in a min": step(form(LIM, ["2"], ["1"]), FAR, pos("1"), **known(nonneg("m - L")), **MIN),
        "put": step(form(LIM, ["2"], ["1"]), FAR, pos("1"), **known(ABOVE_S)),
        "hidden in a value": step(form(LIM, ["0"], ["1"]), form(F, ["S"], ["L"]), pos("1"), **known(PUT)),
        "hidden in a min": step(form(LIM, ["m"], ["1"]), form(F, ["L m"], ["L"]), pos("1"), **MIN),
        "defined": step(form(("lim", F, "m"), ["1"], ["1"]), form(F, ["m"], ["m"]), pos("1"), **MIN),
        "unknown": step(form(("lim", F, "u"), ["1"], ["1"]), form(F, ["u"], ["u + 1"]), pos("1")),
        "of another": step(form(("lim", G, "L"), ["2"], ["1"]), FAR, pos("1")),
    },
    "shift": {
        "half of it": step(form(LATER, [f"L + {STEP}"], ["L"]), form(F, ["L"], ["L"])),
        "another step": step(form(LATER, [f"L + 2 {STEP}"]), form(F, ["L"])),
        "back": step(form(LATER, [f"L - {STEP}"]), form(F, ["L"])),
        "no step": step(form(LATER, ["L"]), form(F, ["L"])),
        "a second step": step(form(LATER, [f"L + 2 {STEP}"]), form(F, [f"L + {STEP}"])),
        "bounded": step(form(LATER, [f"L + {STEP}"]), form(F, ["L"]), **known(nonneg("S - L"))),
        "put": step(form(LATER, [f"L + {STEP}"]), form(F, ["L"]), **known(ABOVE_S)),
        "hidden in a value": step(form(LATER, ["S"]), form(F, ["S"]), **known(PUT)),
        "hidden in a min": step(form(LATER, ["m"]), form(F, ["m"]), **MIN),
        "defined": step(form(("shift", M, "m"), [f"m + {STEP}"]), form(M, ["m"]), **MIN),
        "unknown": step(form(("shift", F, "u"), [f"u + {STEP}"]), form(F, ["u"])),
        "of another": step(form(("shift", G, "L"), [f"L + {STEP}"]), form(F, ["L"])),
    },
    "root": {
        "turned": step(form(ROOT, ["2"], ["L L"]), GAP, CROSSING),
        "negative": step(form(ROOT, ["-L L"], ["2"]), GAP, CROSSING),
        "no crossing": step(form(ROOT, ["L L"], ["2"]), GAP),
        "another crossing": step(form(ROOT, ["L L"], ["2"]), GAP, ("crosses", G, F, "S")),
        "in another": step(form(ROOT, ["L L"], ["2"]), GAP, ("crosses", F, G, "L")),
        "the other way": step(form(("root", G, F, "S"), ["L L"], ["2"]), GAP, ("crosses", G, F, "S")),
        "not less": step(form(ROOT, ["L L"], ["2"]), GAP, ("less", F, G)),
        "of degree 2": step(form(ROOT, ["L"], ["1"]), form(("sub", G, F), ["L - S S"]), CROSSING),
        "a square at 0": step(form(ROOT, ["L"], ["1"]), form(("sub", G, F), ["L S - S S"]), CROSSING),
        "two factors": step(form(ROOT, ["L"], ["1"]), form(("sub", G, F), ["L - S", "H + S"]), CROSSING),
        "of a sum": step(form(ROOT, ["L L"], ["2"]), form(("add", G, F), ["L L - 2 S"]), CROSSING),
        "hidden": step(form(ROOT, ["m"], ["1"]), form(("sub", G, F), ["m - S"]), CROSSING,
                       opaque=(("m", ("min", S, num(4))),)),
    },
}  # fmt: skip


@pytest.mark.parametrize(("rule", "asked"), [(r, s) for r, steps in ACCEPTED.items() for s in steps])
def test_what_follows(rule, asked):
    assert follows(rule, asked)


@pytest.mark.parametrize(("rule", "miss"), [(r, miss) for r, misses in REFUSED.items() for miss in misses])
def test_what_does_not(rule, miss):
    assert not follows(rule, REFUSED[rule][miss])
