"""A legal program: names exist before they are used, axes fit; each rule accepts and rejects."""
# ruff: noqa: E501 (tables of messages)

from __future__ import annotations

import pytest
from samples import TINY, read, refused, tiny

from derivations.program import Role

Q = '"Q[h,s,k] = X[s,d] * W_Q[h,d,k]"'
K = '"K[h,t,k] <- X[s,d] * W_K[h,d,k]"'
A = '"A[h,s,t] = Q[h,s,k] * K[h,t,k]"'
P = '"P[h,s,t] = softmax[t](A[h,s,t])"'
O = '"O[h,s,k] = P[h,s,t] * K[h,t,k]"'  # noqa: E741


def _line(text: str) -> int:
    return 1 + TINY[: TINY.index(text)].count("\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Q, '"Q[h,s,k] = X[s,d] * W_Q[h,d,k] - X[s,d] * W_Q[h,d,k]"'),
        (P, '"P[h,s,t] = softmax[h,t](A[h,s,t])"'),
        (P, '"P[s,h,t] = softmax[t](A[h,s,t])"\n  - "U[h,s,t] = P[s,h,t]"'),
        ("role: cache}", "role: cache}\n  O: {axes: [h, s, k], role: output}"),
        (K, K + '\n  - "N[h,t,k] = norm[k](K[h,t,k])"\n  - "M[h,t] = N[h,t,k]"'),
    ],
)
def test_what_is_legal(old, new):
    text = tiny(old, new)
    if "U[" in new:
        text = text.replace("P[h,s,t] * K", "U[h,s,t] * K")
    if "M[" in new:
        text = text.replace(A[1:-1], A[1:-1] + " * M[h,t]")
    assert read(text).equations


def test_axes_of_one_size_may_stand_for_each_other():
    text = tiny("k: {size: d_k}", "k: {size: d_k}\n  m: {size: d_k}")
    variant = read(text.replace(A, '"A[h,s,t] = Q[h,s,m] * K[h,t,m]"'))
    assert variant.equations[2].uses[0].axes == ("h", "s", "m")


def test_the_last_result_is_the_output_and_the_rest_is_temporary():
    roles = {name: tensor.role for name, tensor in read(TINY).tensors.items()}
    assert roles["O"] is Role.OUTPUT
    assert roles["A"] is Role.TEMPORARY


# one equation of TINY replaced, and the error at its line
EQUATIONS = [
    (Q, '"Q[h,s,k] = X[s,d] * W_Q[h,d,e]"', "unknown axis 'e'; known: d, h, k, s, t"),
    (Q, '"Q[h,s,kk] = X[s,d] * W_Q[h,d,k]"', "unknown axis 'kk'; did you mean 'k'?"),
    (Q, '"Q[h,s,k] = X[s,d] * W_QQ[h,d,k]"', "unknown tensor 'W_QQ'; did you mean 'W_Q'?"),
    (Q, '"Q[h,s,k] = X[s,d] * W_Q[h,d]"', "W_Q[h,d] has 2 axes, but W_Q[h,d,k] has 3"),
    (Q, '"Q[h,s,k] = X[s,d] * W_Q[d,h,k]"', "W_Q[d,h,k] contradicts W_Q[h,d,k]: axes d and h have different sizes (d_model and H)"),
    (Q, '"Q[h,s,k,t] = X[s,d] * W_Q[h,d,k]"', "axis t of Q[h,s,k,t] does not occur on the right"),
    (Q, '"Q[h,s,k] = X[s,d] * W_Q[h,d,k] + X[s,d]"', "axis h of Q[h,s,k] does not occur on the right"),
    (Q, '"X[s,d] = W_Q[h,d,k]"', "X is given (input); an equation cannot define it"),
    (Q, '"W_Q[h,d,k] = X[s,d]"', "W_Q is given (weight); an equation cannot define it"),
    (Q, '"Q[h,s,k] <- X[s,d] * W_Q[h,d,k]"', "`<-` writes a cache or a state, and Q is neither; declare its role or use `=`"),
    (Q, '"Q[h,s,k] = O[h,s,k]"', "a cycle: Q needs O needs P needs A needs Q"),
    (Q, '"Q[h,s,k] = Q[h,s,k] * W_Q[h,d,k]"', "a cycle: Q needs Q"),
    (Q, '"Q[h,s,k] = P[h,s,t] * K[h,t,k]"', "a cycle: Q needs P needs A needs Q"),
    (K, '"K[h,t,k] = X[s,d] * W_K[h,d,k]"', "K is a cache; it is written with `<-`"),
    (K, '"K[h,t,k] <- X[t,d] * W_K[h,d,k]"', "X[t,d] contradicts X[s,d]: axes t and s have different sizes (L and S)"),
    (K, '"K[h,s,k] <- X[s,d] * W_K[h,d,k]"', "K[h,s,k] contradicts K[h,t,k]: axes s and t have different sizes (S and L)"),
    (K, '"K[h,t,k] <- W_K[h,d,k]"', "a cache is written with the new rows only: the context axis t of K[h,t,k] stands for the one query axis on the right"),
    (A, '"A[h,s,t] = Q[h,s,k] * K[h,t,d]"', "K[h,t,d] contradicts K[h,t,k]: axes d and k have different sizes (d_model and d_k)"),
    (P, '"P[h,s,t] = softmax[d](A[h,s,t])"', "softmax works along d, which no input has"),
    (P, '"P[h,s,t] = softmx[t](A[h,s,t])"', "unknown function 'softmx'; did you mean 'softmax'?"),
    (P, '"P[h,s,t,d] = softmax[t](A[h,s,t])"', "axis d of P[h,s,t,d] does not occur on the right"),
    (P, '"P[h,s] = softmax[t](A[h,s,t])"', "softmax keeps the axes of A[h,s,t], not P[h,s]"),
    (P, '"P[h,s,t], U[h,s,t] = softmax[t](A[h,s,t])"', "softmax defines one tensor, or one for each input"),
    (P, '"P[h,s,t], P[h,s,t] = softmax[t](A[h,s,t], A[h,s,t])"', "P is defined twice"),
    (O, '"A[h,s,t] = P[h,s,t] * K[h,t,k]"', "A is defined twice"),
    (O, '"O[h,s,k] = P[h,s,t] * __class__[h,t,k]"', "cannot read '__class__[h,t,k]' in the equation"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), EQUATIONS)
def test_an_equation_that_is_not_legal(old, new, message):
    line = _line(old)
    place = f"tiny.yaml:{line} (equations[{line - 15}]): "
    found = refused(read, tiny(old, new))
    if message.endswith("in the equation"):
        assert found.startswith(place + message)
    else:
        assert found == place + message


# another spot of TINY replaced
OTHERS = [
    ("role: cache}", "role: cache}\n  Z: {axes: [s], role: input}", "14 (tensors.Z.axes): Z is never used"),
    ("role: cache}", "role: cache}\n  Z: {axes: [t], role: cache}", "14 (tensors.Z.axes): the cache Z is never written"),
    ("role: cache}", "role: cache}\n  Z: {axes: [t], role: state}", "14 (tensors.Z.axes): the state Z is never written"),
    ("role: cache}", "role: cache}\n  Z: {axes: [t], role: output}", "14 (tensors.Z.axes): the output Z is never defined"),
    ("role: cache}", "role: cache}\n  Z: {axes: [q], role: input}", "14 (tensors.Z.axes): unknown axis of Z 'q'; known: d, h, k, s, t"),
    ("role: cache}", "role: cache}\n  Z: {axes: [], role: input}", "14 (tensors.Z.axes): Z needs axes, each once"),
    ("role: cache}", "role: cache}\n  Z: {axes: [s, s], role: input}", "14 (tensors.Z.axes): Z needs axes, each once"),
    ("t: {size: L, meaning: context}", "t: {size: L, kind: other}", "16 (equations[1]): the cache K[h,t,k] needs exactly one context axis"),
    ("h: {size: H}", "h: {size: H, kind: context}", "16 (equations[1]): the cache K[h,t,k] needs exactly one context axis"),
    (O, '"O[h,s,k] = P[h,s,t] * K[h,t,k]"\n  - "Z[h,s,k] = P[h,s,t] * K[h,t,k]"', "19 (equations[4]): O is never used"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), OTHERS)
def test_a_program_that_is_not_legal(old, new, message):
    assert refused(read, tiny(old, new)) == f"tiny.yaml:{message}"


def test_a_program_ends_in_an_output():
    text = tiny(f"  - {K}\n", "").replace(f"  - {O}\n", f"  - {O}\n  - {K}\n")
    text = text.replace(A[1:-1], "A[h,s,t] = Q[h,s,k] * W_K[h,d,k] * X[s,d]")
    assert refused(read, text).startswith("tiny.yaml:")
    late = tiny(O, '"Z[h,t,k] <- X[s,d] * W_K[h,d,k]"').replace(
        "role: cache}", "role: cache}\n  Z: {axes: [h, t, k], role: cache}"
    )
    assert refused(read, late) == (
        "tiny.yaml:20 (equations[4]): the last equation writes Z; end with the output, or give a tensor "
        "`role: output`"
    )


def test_a_program_without_equations():
    text = TINY[: TINY.index("equations:")] + "equations: []\n"
    assert refused(read, text) == "tiny.yaml: the variant has no equations"


def test_a_name_used_before_it_exists():
    lines = TINY.splitlines(keepends=True)
    lines[14], lines[16] = lines[16], lines[14]
    assert refused(read, "".join(lines)) == (
        "tiny.yaml:15 (equations[0]): Q is used before it exists; define it in an earlier line"
    )


def test_a_temporary_nobody_defines():
    text = tiny("role: cache}", "role: cache}\n  Z: {axes: [h, s, k], role: temporary}")
    text = text.replace("Q[h,s,k] * K", "Z[h,s,k] * K")
    assert refused(read, text) == ("tiny.yaml:18 (equations[2]): Z is used, but no equation defines it")


def test_a_cache_is_written_without_its_context_axis():
    text = tiny("role: cache}", "role: cache}\n  R: {axes: [t, d], role: table}")
    assert refused(read, text.replace(K[1:-1], K[1:-1] + " * R[t,d]")) == (
        "tiny.yaml:17 (equations[1]): a cache is written with the new rows only: the context axis t "
        "of K[h,t,k] stands for the one query axis on the right"
    )


def test_a_state_may_read_its_old_value():
    text = tiny("role: cache}", "role: cache}\n  Z: {axes: [h, k, d], role: state}")
    text = text.replace(f"  - {Q}", f'  - {Q}\n  - "Z[h,k,d] <- Z[h,k,d] + Q[h,s,k] * X[s,d]"')
    text = text.replace(O[1:-1], "O[h,s,k] = P[h,s,t] * K[h,t,k] + Q[h,s,k] * Z[h,k,d] * X[s,d]")
    assert read(text).tensors["Z"].role is Role.STATE
    early = text.replace("Q[h,s,k] = X[s,d] * W_Q", "Q[h,s,k] = X[s,d] * Z[h,k,d] * W_Q")
    assert refused(read, early).startswith("tiny.yaml:16 (equations[0]): ")


SELECT = TINY.replace(f"  - {P}", f'  - "T[s,t] = top_n[t](I[s,t])"\n  - {P}').replace(
    f"  - {A}", f'  - {A}\n  - "I[s,t] = Q[h,s,k] * K[h,t,k]"'
)


def test_a_selection_is_named_in_a_mask():
    variant = read(SELECT + "masks: {A: {kind: top-n, size: n, selector: T}}\n")
    assert variant.masks["A"].selector == "T"


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (SELECT, "", "19 (equations[4]): T is never used"),
        (SELECT, "masks: {A: {kind: top-n, size: n, selector: T}, I: {kind: top-n, size: n, selector: P}}", "22 (masks.I): the selector P is not defined by top_n"),
        (SELECT, "masks: {A: {kind: top-n, size: n, selector: T}, I: {kind: top-n, size: n, selector: W_Q}}", "22 (masks.I): the selector W_Q is not defined by top_n"),
        (SELECT.replace("P[h,s,t] * K", "T[s,t] * P[h,s,t] * K"), "", "21 (equations[6]): T is a selection; name it in a mask"),
        (TINY, "masks: {AA: {kind: causal}}", "20 (masks.AA): unknown score tensor of a mask 'AA'; did you mean 'A'?"),
        (TINY, "masks: {W_Q: {kind: causal}}", "20 (masks.W_Q): unknown score tensor of a mask 'W_Q'; known: A"),
        (TINY, "masks: {Q: {kind: causal}}", "20 (masks.Q): a mask needs one query and one context axis, and Q has not"),
        (TINY, "masks: {K: {kind: causal}}", "20 (masks.K): a mask needs one query and one context axis, and K has not"),
        (TINY, "orders: {x: {form: [Z]}}", "20 (orders.x): unknown intermediate in the order 'x' 'Z'; known: Q"),
        (TINY, "orders: {x: {avoid: [QQ]}}", "20 (orders.x): unknown intermediate in the order 'x' 'QQ'; did you mean 'Q'?"),
        (TINY, "orders: {x: {form: [A]}}", "20 (orders.x): unknown intermediate in the order 'x' 'A'; known: Q"),
        (TINY, "orders: {x: {form: [K]}}", "20 (orders.x): unknown intermediate in the order 'x' 'K'; known: Q"),
    ],
)  # fmt: skip
def test_masks_selections_and_orders(text, more, message):
    found = refused(read, text + more)
    assert found == f"tiny.yaml:{message}"


def test_a_mask_on_what_no_score_is_offers_only_scores():
    """The name that is refused is not offered as the right one."""
    found = refused(read, tiny(more="masks: {P: {kind: causal}}"))
    assert found == "tiny.yaml:20 (masks.P): P comes out of softmax; a mask belongs to its input"


def test_an_option_that_leaves_a_tensor_without_use():
    text = tiny(more='options: {o: {equations: ["Z[h,s,k] = Q[h,s,k]"]}}')
    message = refused(read, text, "o")
    assert message == "tiny.yaml:19 (equations[4]): O is never used"


def test_a_long_chain_is_no_cycle_and_quickly_checked():
    links = "".join(f'  - "Z{i + 1}[h,s,k] = Z{i}[h,s,k]"\n' for i in range(54))
    text = tiny(f"  - {Q}\n", f'  - {Q}\n  - "Z0[h,s,k] = Q[h,s,k]"\n{links}')
    assert len(read(text.replace("A[h,s,t] = Q", "A[h,s,t] = Z54")).equations) == 60
