"""The equation language: one accept and several rejects for each rule of its grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import AT, PLACE, outcome, refused

from derivations.equations import BARRIERS, Equation, Ref, parse_equation

HINT = "; write it like K[h,t,k] = C[t,c] * W_UK[h,c,k]"


def parse(text: str) -> Equation:
    return parse_equation(text, PLACE)


def signed(equation: Equation) -> list[str]:
    return [("+" if p.sign > 0 else "-") + " * ".join(map(str, p.refs)) for p in equation.products]


@pytest.mark.parametrize(
    ("text", "left", "writes", "products"),
    [
        ("K[h,t] = C[t,c]*W[h,c]", "K[h,t]", False, ["+C[t,c] * W[h,c]"]),
        ("  K [ h , t ]=C[ h,t ] ", "K[h,t]", False, ["+C[h,t]"]),
        ("C[t,c] <- X[s,d] * W[d,c]", "C[t,c]", True, ["+X[s,d] * W[d,c]"]),
        ("A[s] = - B[s] + C[s] - D[s,t]*E[t]", "A[s]", False, ["-B[s]", "+C[s]", "-D[s,t] * E[t]"]),
        ("softmax[s] = norm[s]", "softmax[s]", False, ["+norm[s]"]),
    ],
)
def test_sums_of_products(text, left, writes, products):
    found = parse(text)
    assert ([str(r) for r in found.left], found.writes) == ([left], writes)
    assert signed(found) == products
    assert (found.barrier, found.over, found.inputs) == (None, (), ())
    assert found.text == " ".join(text.split())
    assert found.place == PLACE


@pytest.mark.parametrize(
    ("text", "left", "barrier", "over", "inputs"),
    [
        ("P[s,t] = softmax[t](A[s,t])", "P[s,t]", "softmax", ("t",), "A[s,t]"),
        (
            "P[s,t],Q[s,e] = softmax[t,e](A[s,t], B[s,e])",
            "P[s,t] Q[s,e]",
            "softmax",
            ("t", "e"),
            "A[s,t] B[s,e]",
        ),
        ("E[s] = relu(A[s])", "E[s]", "relu", (), "A[s]"),
        ("E[s] = exp[s](A[s])", "E[s]", "exp", ("s",), "A[s]"),
    ],
)
def test_barriers(text, left, barrier, over, inputs):
    found = parse(text)
    assert " ".join(map(str, found.left)) == left
    assert (found.barrier, found.over) == (barrier, over)
    assert " ".join(map(str, found.inputs)) == inputs
    assert found.products == ()
    assert found.uses == found.inputs


def test_what_an_equation_uses():
    found = parse("A[s] = B[s,t]*C[t] - D[s]")
    assert found.name == "A"
    assert found.uses == (Ref("B", ("s", "t")), Ref("C", ("t",)), Ref("D", ("s",)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a tensor, found the end"),
        ("K", "expected '[', found the end"),
        ("K[]", "expected an axis, found ']'"),
        ("K[h", "expected ']', found the end"),
        ("K[h,] = C[h]", "expected an axis, found ']'"),
        ("K[h] C[h]", "expected '=' or '<-', found 'C'"),
        ("K[h] =", "expected a tensor, found the end"),
        ("K[h] = * C[h]", "expected a tensor, found '*'"),
        ("K[h] = C[h] *", "expected a tensor, found the end"),
        ("K[h] = C[h] D[h]", "'D' is not expected"),
        ("K[h] = C[h] = D[h]", "'=' is not expected"),
        ("K[h] = + C[h]", "expected a tensor, found '+'"),
        ("K[h] = C[h] / D[h]", "cannot read '/ D[h]'"),
        ("K[h] = C[h]**2", "a number (2); constant factors cost nothing here"),
        ("K[h] = C[h]**D[h]", "expected a tensor, found '*'"),
        ("K[h] = (C[h])", "expected a tensor, found '('"),
        ("K[h] = 2 * C[h]", "a number (2); constant factors cost nothing here"),
        ("K[h] = C[1]", "a number (1); constant factors cost nothing here"),
        ("K[h,h] = C[h]", "K has an axis twice; diagonals are not part of the language"),
        ("K[h] = C[h,c,c]", "C has an axis twice; diagonals are not part of the language"),
        ("K[h], L[h] = C[h]", "only a barrier defines several tensors at once"),
        (
            "K[h] <- relu(C[h])",
            "a barrier cannot be written into a cache directly; name its result",
        ),
        ("K[h] = softmax(C[h])", "softmax needs the axes it works along, such as softmax[t](...)"),
        ("K[h] = relu()", "expected a tensor, found ')'"),
        ("K[h] = relu(C[h]", "expected ')', found the end"),
        ("K[h] = relu(C[h]) + D[h]", "'+' is not expected"),
        ("K[h] = relu(C[h] + D[h])", "expected ')', found '+'"),
        ("K[h] = relu(relu(C[h]))", "expected '[', found '('"),
        ("K__a[h] = C[h]", "'K__a' is no name (letters, digits, single underscores)"),
        ("K_[h] = C[h]", "'K_' is no name (letters, digits, single underscores)"),
        ("K[_h] = C[h]", "cannot read '_h] = C[h]'"),
        ("Κ[h] = C[h]", "cannot read 'Κ[h] = C[h]'"),  # Greek capital kappa
        ("K[h] = C[٣]", "cannot read '٣]'"),
        ("K[h] = C[²]", "cannot read '²]'"),
        ("K[h] = C[h]; import os", "cannot read '; import os'"),
        ("K[h] = C.T[h]", "cannot read"),
        ("K[h] := C[h]", "cannot read ':= C[h]'"),
        ("K[h] -> C[h]", "cannot read '> C[h]'"),
    ],
)
def test_what_is_no_equation(text, message):
    found = refused(parse, text)
    if text == "K[h] = C.T[h]":
        assert found.startswith((f"{AT}a number (.)", f"{AT}cannot read '.T[h]'"))
    else:
        assert found.startswith(AT + message)
        assert f" in the equation {text!r}" in found
    assert found.endswith(HINT)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sofmax", "unknown function 'sofmax'; did you mean 'softmax'?"),
        ("__import__", "cannot read '__import__[t](A[s,t]'"),
        ("eval", "unknown function 'eval'; did you mean"),
        ("zzz", "unknown function 'zzz'; known: exp, inverse, last, norm, relu, sigmoid, silu, softmax, top_n"),
    ],
)
def test_an_unknown_function(name, message):
    found = refused(parse, f"P[s,t] = {name}[t](A[s,t])")
    if name == "eval":
        assert found.startswith(f"{AT}unknown function 'eval'; ")
    else:
        assert found.startswith(AT + message)


@pytest.mark.parametrize("text", ["K[h] = " + "C[h]*" * 100, "(" * 10_000, "K[" + "h," * 200_000])
def test_long_equations_are_refused(text):
    assert refused(parse, text) == AT + "the equation is longer than 400 characters"


def test_a_name_of_forty_letters_is_the_longest():
    assert parse(f"{'K' * 40}[h] = C[h]").name == "K" * 40
    assert refused(parse, f"{'K' * 41}[h] = C[h]").startswith(f"{AT}{'K' * 40!r} is no name")


def test_barriers_that_work_along_axes():
    assert {name for name, kind in BARRIERS.items() if kind.needs_axes} == {
        "softmax",
        "norm",
        "top_n",
        "inverse",
        "last",
    }
    assert [name for name, kind in BARRIERS.items() if kind.selects] == ["top_n"]
    assert [name for name, kind in BARRIERS.items() if kind.view] == ["last"]


@given(st.text(max_size=40) | st.text("KCht_[],=<-*+() 1.", max_size=60))
def test_no_text_gets_past_the_error(text):
    found = outcome(parse, text)
    assert isinstance(found, Equation) or found.startswith(AT)
