"""States that are updated along an axis: what a program may say of them, and what an update costs."""

from __future__ import annotations

import pytest
from samples import read, refused

from derivations.atoms import evaluate
from derivations.conventions import SCOPES, Conventions
from derivations.derivation import Derivation, Study, derive
from derivations.library import load_variant
from derivations.orders import orders_of
from derivations.poly import Poly
from derivations.program import Role
from derivations.regions import build_graph
from derivations.scanning import scanned
from derivations.sharding import UNSPLIT, Split, head_axes
from derivations.sizechecks import check_sizes

LINEAR = """\
variant: tiny
title: Linear attention with a state
axes:
  s: {size: S}
  h: {size: H}
  d: {size: d_model}
  k: {size: d_k}
  v: {size: d_v}
  n: {size: S/C, kind: other}
  q: {size: 2*S, kind: query}
tensors:
  X: {axes: [s, d], role: input}
  W_Q: {axes: [h, d, k], role: weight}
  W_K: {axes: [h, d, k], role: weight}
  W_V: {axes: [h, d, v], role: weight}
  a: {axes: [s, h], role: input}
  M: {axes: [h, k, v], role: state, width: b_M}
equations:
  - "Q[h,s,k] = X[s,d] * W_Q[h,d,k]"
  - "K[h,s,k] = X[s,d] * W_K[h,d,k]"
  - "V[h,s,v] = X[s,d] * W_V[h,d,v]"
  - "M[h,k,v] <- a[s,h] * M[h,k,v] + K[h,s,k] * V[h,s,v]"
  - "O[h,s,v] = Q[h,s,k] * M[h,k,v]"
"""
STATE = "role: state, width: b_M"
UPDATE = '  - "M[h,k,v] <- a[s,h] * M[h,k,v] + K[h,s,k] * V[h,s,v]"\n'
READ = '  - "O[h,s,v] = Q[h,s,k] * M[h,k,v]"\n'
DELTA = (
    '  - "U[h,s,v] = V[h,s,v] - K[h,s,k] * old(M[h,k,v])"\n'
    '  - "M[h,k,v] <- a[s,h] * M[h,k,v] + K[h,s,k] * U[h,s,v]"\n'
)
RECURRENT = ("lightning", "mamba2", "gdn", "kda")
DIMS = {"H": 6, "H_k": 3, "H_v": 6, "G": 3, "d_model": 11, "d_k": 5, "d_v": 7, "d_g": 2, "n_c": 4, "C": 2,
        "b": 2, "b_M": 4}  # fmt: skip


def linear(*changes: tuple[str, str]) -> str:
    """`LINEAR` with some spots replaced."""
    text = LINEAR
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in LINEAR"
        text = text.replace(old, new)
    return text


def answer(name: str, split: Split = UNSPLIT, values: dict[str, int] | None = None, **knobs: str) -> Derivation:
    """The order as written, at `DIMS` unless other values are given."""
    variant = load_variant(name)
    dims = DIMS if values is None else values
    numbers = {symbol: dims[symbol] for symbol in variant.symbols if symbol in dims}
    return derive(Study(variant, Conventions(**knobs), numbers, split=split), "direct")


# What a program may say.


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ((STATE, STATE + ", scan: s"),),
        ((UPDATE, DELTA),),
        (("* M[h,k,v] + K", "* old(M[h,k,v]) + K"),),
        (("= Q[h,s,k] * M[h,k,v]", "= Q[h,s,k] * old(M[h,k,v])"),),
        ((UPDATE + READ, READ.replace("* M[h,k,v]", "* old(M[h,k,v])") + UPDATE),
         ("equations:", "  O: {axes: [h, s, v], role: output}\nequations:")),
    ],
)  # fmt: skip
def test_a_state_gets_the_axis_it_is_updated_along(changes: tuple[tuple[str, str], ...]) -> None:
    """Found from the line that writes it, or said; it stands before the state's own axes everywhere."""
    variant = scanned(read(linear(*changes)))
    assert variant.tensors["M"].axes == ("s", "h", "k", "v")
    refs = [ref for e in variant.equations for ref in (*e.left, *e.uses) if ref.name == "M"]
    assert {ref.axes for ref in refs} == {("s", "h", "k", "v")}


def test_a_program_without_states_is_left_alone() -> None:
    variant = load_variant("mla+rope")
    assert scanned(variant) is variant


def test_a_chunked_state_is_updated_along_its_chunks() -> None:
    for name in ("lightning+chunked", "mamba2+chunked", "gdn+chunked", "kda+chunked"):
        variant = load_variant(name)
        assert scanned(variant).tensors["M"].axes == ("n", *variant.tensors["M"].axes)


def test_old_is_a_name_like_any_other_where_no_parenthesis_follows() -> None:
    changed = linear(
        ("  M: {", "  old: {axes: [h], role: weight}\n  M: {"), ("= Q[h,s,k] *", "= old[h] * Q[h,s,k] *")
    )
    assert [ref.old for ref in read(changed).equations[-1].uses] == [False, False, False]


WORLD_KEYS = "W_Z: {axes: [h, k], role: weight}\n  a: {"
REFUSED = [
    # the line's factors decide along what a state can be updated
    ([(STATE, STATE + ", scan: n")], "(equations[3]): M is updated along n, which no factor of its line has"),
    ([(STATE, STATE + ", scan: x")], "unknown axis along which M is updated 'x'; known: d, n, q, s"),
    ([(STATE, STATE + ", scan: k")], "unknown axis along which M is updated 'k'; known: d, n, q, s"),
    ([("d, k], role: weight}\n  W_K", "d, k], role: weight, scan: s}\n  W_K")],
     "(tensors.W_Q.scan): only a state is updated along an axis"),
    ([("b_M}", "b_M}\n  b_2: {axes: [q, h], role: input}"),
      ("K[h,s,k] * V[h,s,v]", "K[h,s,k] * V[h,s,v] + b_2[q,h] * M[h,k,v]")],
     "(equations[3]): M could be updated along q or s; say which with `scan:`"),
    # a state is read after its line, or as it was before
    ([(UPDATE, DELTA.replace("old(M[h,k,v])", "M[h,k,v]"))],
     "(equations[3]): the state M is read before its new value is written; put its `<-` line first, or write"),
    ([("= Q[h,s,k] * M", "= old(Q[h,s,k]) * M")],
     "(equations[4]): old(Q) is the value a state had before, and Q is no state"),
    ([("= Q[h,s,k] * M", "= Q[h,s,k] * old(W_Q[h,d,k]) * M")],
     "old(W_Q) is the value a state had before, and W_Q is no state"),
    ([("* M[h,k,v]\"\n", "* old(old(M[h,k,v]))\"\n")], "old stands once in the equation"),
    ([("* M[h,k,v]\"\n", "* old(M)\"\n")], "expected '[', found ')'"),
    ([("* M[h,k,v]\"\n", "* old(M[h,k,v]\"\n")], "expected ')', found the end"),
    ([("* M[h,k,v]\"\n", "* old M[h,k,v]\"\n")], "expected '[', found 'M'"),
    ([("* M[h,k,v]\"\n", "* old(M[h,k])\"\n")], "M[h,k]) has 2 axes, but M[h,k,v] has 3"),
    # and written as one
    ([(UPDATE, UPDATE.replace("<-", "="))], "(equations[3]): M is a state; it is written with `<-`"),
    ([(UPDATE, UPDATE + UPDATE)], "M is defined twice"),
    ([(READ, "")], "the last equation writes M; end with the output, or give a tensor `role: output`"),
    ([("M: {axes: [h, k, v]", "M: {axes: [s, h, k, v]")], "M[h,k,v] has 3 axes, but M[s,h,k,v] has 4"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=lambda x: x[:60] if isinstance(x, str) else "")
def test_what_no_state_may_be(changes: list[tuple[str, str]], message: str) -> None:
    assert message in refused(read, linear(*changes))


@pytest.mark.parametrize("change", [("M[h,k,v] <- ", "old(M[h,k,v]) <- "), ("O[h,s,v] = ", "old(O[h,s,v]) = ")])
def test_an_old_value_is_not_written(change: tuple[str, str]) -> None:
    assert "old" in refused(read, linear(change))


@pytest.mark.parametrize(
    "line",
    [
        '  - "Z[h,v] = W_Z[h,k] * M[h,k,v]"\n',
        '  - "Z[h,k,v] = norm[v](M[h,k,v])"\n',
        '  - "Z[h,k,v] = W_Z[h,k] * old(M[h,k,v])"\n',
    ],
)
def test_who_reads_a_state_stands_somewhere_along_its_axis(line: str) -> None:
    """There is no last value: a reader has the axis, and sees the state as it is there."""
    axes = line.partition("[")[2].partition("]")[0]
    text = linear((READ, line + f'  - "O[h,s,v] = Q[h,s,k] * M[h,k,v] * Z[{axes}]"\n'),
                  ("  M: {", "  W_Z: {axes: [h, k], role: weight}\n  M: {"))  # fmt: skip
    variant = read(text if "W_Z[" in line else text.replace("  W_Z: {axes: [h, k], role: weight}\n", ""))
    message = refused(scanned, variant)
    assert "(equations[4]): Z reads the state M and has no axis s, along which that is updated" in message


# What it costs.


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("traffic", ["fused", "two-pass", "unfused"])
@pytest.mark.parametrize("name", RECURRENT)
def test_decode_is_a_step_of_one_token(name: str, traffic: str, scope: str) -> None:
    decode = answer(name, values={}, traffic=traffic, scope=scope)
    verify = answer(name, values={}, traffic=traffic, scope=scope, phase="verify")
    for measure in ("flops", "bytes"):
        at_one = getattr(verify, measure).map_symbols({"S": Poly.const(1)}.get)
        assert at_one == getattr(decode, measure)


def test_prefill_is_a_step_of_all_tokens() -> None:
    for name in RECURRENT:
        whole = answer(name, values={}, phase="prefill").flops
        assert answer(name, values={}, phase="verify").flops.map_symbols({"S": Poly.symbol("L")}.get) == whole


@pytest.mark.parametrize("name", RECURRENT)
def test_a_token_more_is_an_update_more(name: str) -> None:
    """FLOPs of the whole layer are those of one token, times the tokens; there is no L in them."""
    flops = answer(name, values={}, phase="verify", scope="layer").flops
    one = answer(name, values={}, scope="layer").flops
    assert flops == Poly.symbol("S") * one
    assert "L" not in flops.names()


PER_TOKEN = {
    # decay, write and read: 2 FLOPs each for every element of the state
    "lightning": 3 * 2 * 6 * 5 * 7,
    # and the time step times the key of each head
    "mamba2": 3 * 2 * 6 * 5 * 7 + 2 * 6 * 5,
    # decay, predict, write and read; the strength times the key, and the gate on what is read
    "gdn": 4 * 2 * 6 * 5 * 7 + 2 * 6 * 5 + 2 * 6 * 7,
    "kda": 4 * 2 * 6 * 5 * 7 + 2 * 6 * 5 + 2 * 6 * 7,
}  # fmt: skip


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("tokens", [1, 3, 8])
def test_flops_of_the_core_by_hand(name: str, tokens: int) -> None:
    found = answer(name, values={**DIMS, "S": tokens}, phase="verify")
    assert found.value(found.flops) == tokens * PER_TOKEN[name]


ONCE = 4 * 6 * 5 * 7
"""Bytes of the state at `DIMS`: 4 an element, 6 heads of 5 by 7."""


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("tokens", [1, 3, 8])
def test_a_state_moves_once_or_at_every_update(name: str, tokens: int) -> None:
    """In and out once, however many tokens; at each token where it passes through memory."""
    values = {**DIMS, "S": tokens}
    fused, passed, unfused = (
        answer(name, values=values, phase="verify", traffic=traffic)
        for traffic in ("fused", "two-pass", "unfused")
    )
    assert fused.value(fused.bytes) == 2 * ONCE
    assert passed.value(passed.bytes) == unfused.value(unfused.bytes) == 2 * ONCE * tokens


@pytest.mark.parametrize("name", ["lightning+chunked", "mamba2+chunked"])
def test_a_chunked_state_moves_once_a_chunk(name: str) -> None:
    """8 tokens are 4 chunks of 2; the core reads and writes nothing else from memory."""
    values = {**DIMS, "S": 8}
    fused = answer(name, values=values, phase="verify")
    passed = answer(name, values=values, phase="verify", traffic="two-pass")
    assert fused.value(fused.bytes) == 2 * ONCE
    assert passed.value(passed.bytes) == 4 * 2 * ONCE


def test_what_a_chunk_computes() -> None:
    """lightning+chunked at C = 2 and 8 tokens: pairs in chunks; the state decays once a chunk."""
    pairs = 6 * 8 * 2  # heads, tokens, and the 2 tokens of a chunk
    scores, weighed, summed = 2 * pairs * 5, 2 * pairs, 2 * pairs * 7
    # weighing keys is a part of the state's line; queries are weighed before the core
    weighed_keys, written = 2 * 6 * 8 * 5, 2 * 6 * 8 * 5 * 7
    decayed, gathered = 2 * 6 * 4 * 5 * 7, 2 * 6 * 8 * 5 * 7
    found = answer("lightning+chunked", values={**DIMS, "S": 8}, phase="verify")
    assert found.value(found.flops) == scores + weighed + summed + weighed_keys + written + decayed + gathered


@pytest.mark.parametrize("name", ["lightning+chunked", "mamba2+chunked", "gdn+chunked", "kda+chunked"])
def test_a_chunk_needs_its_tokens(name: str) -> None:
    message = refused(lambda: answer_checked(name, {}, "decode"))
    assert "in decode, with one query token, the axis n of " in message
    assert refused(lambda: answer_checked(name, {"C": 3, "S": 8}, "verify")).startswith(
        "S must be a multiple of C"
    )


def answer_checked(name: str, values: dict[str, int], phase: str) -> None:
    """As the command line does it: the sizes are checked first."""
    check_sizes(load_variant(name), values, Conventions(phase=phase))


@pytest.mark.parametrize("name", RECURRENT)
def test_the_state_has_a_class_of_its_own(name: str) -> None:
    """Read and written, nothing of it under cache or append, and nothing for a token that is kept."""
    found = answer(name, values={}, scope="layer")
    moved = {(t.cls, t.rule) for t in found.cost.terms if t.operand is not None and t.operand.key == "M"}
    assert moved == {("state", "read: state"), ("state", "write: new state")}
    assert not {t.cls for t in found.cost.terms} & {"cache", "append", "formed"}
    assert found.cache_elements == Poly()


# Ranks share heads; each holds the whole state of its heads.


HEADS = {"lightning": "H", "mamba2": "G", "gdn": "H_k", "kda": "H"}


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize(("ranks", "heads"), [(2, 4), (4, 2), (8, 1)])
def test_ranks_share_the_heads_of_a_state(name: str, ranks: int, heads: int) -> None:
    """8 heads, in 4 groups of 2 where there are groups: the states and FLOPs of one rank's heads."""
    dims = {**DIMS, "H": 8, "H_v": 8, "G": 4, "H_k": 4}
    found = answer(name, Split(tp=ranks), dims)
    assert found.value(found.bytes) == 2 * 4 * heads * 5 * 7
    whole = answer(name, values=dims)
    assert found.value(found.flops) * 8 == whole.value(whole.flops) * heads


@pytest.mark.parametrize("name", RECURRENT)
def test_more_ranks_than_heads_have_one_head_each(name: str) -> None:
    dims = {**DIMS, "H": 8, "H_v": 8, "G": 4, "H_k": 4}
    found = answer(name, Split(tp=32), dims)
    assert found.value(found.bytes) == 2 * 4 * 5 * 7


@pytest.mark.parametrize("name", RECURRENT)
def test_heads_that_do_not_divide_are_rounded_up(name: str) -> None:
    """6 heads on 4 ranks: 2 on the largest; in 3 groups of 2 a rank has one group, and both its heads."""
    found = answer(name, Split(tp=4))
    assert found.value(found.bytes) == 2 * 4 * 2 * 5 * 7


def test_context_ranks_do_not_share_a_state() -> None:
    """It has no context axis, so each of them holds it whole."""
    for name in RECURRENT:
        alone, shared = answer(name, values={}), answer(name, Split(cp=4), {})
        assert alone.bytes == shared.bytes


def test_a_state_has_one_value_in_every_sequence() -> None:
    for name in RECURRENT:
        variant = load_variant(name)
        assert [t.batched for t in variant.tensors.values() if t.role is Role.STATE] == [True]


# The search of all orders counts as the ledger does.


def all_flops(name: str, values: dict[str, int], region: str) -> set[int]:
    """FLOPs of every order of the products behind `region` that the search leaves."""
    variant = load_variant(name)
    numbers = {symbol: size for symbol, size in values.items() if symbol in variant.symbols}
    found = orders_of(Study(variant, Conventions(phase="verify"), numbers), region)
    return {evaluate(order.flops, numbers) for order in found.orders}


WIDE = {"S": 100, "L": 100, "H": 2, "d_model": 3, "d_k": 2, "d_v": 50}
"""Values so wide that a state times the output projection would pay if all tokens had one state."""


def test_orders_of_a_reader_at_one_token() -> None:
    """Query times state, then out; or the state times the output projection first. By hand, at S = 1."""
    found = all_flops("lightning", {**WIDE, "S": 1}, "Y")
    assert min(found) == min(2 * 2 * 50 * (2 + 3), 2 * 2 * 2 * 3 * (50 + 1))


def test_no_order_reads_one_state_for_all_tokens() -> None:
    """100 tokens have 100 states, so forming state times projection costs 100 times what it does for one."""
    found = all_flops("lightning", WIDE, "Y")
    assert min(found) == 100 * min(2 * 2 * 50 * (2 + 3), 2 * 2 * 2 * 3 * (50 + 1))


def test_the_cheapest_order_of_the_search_is_the_best_of_the_ledger() -> None:
    found = orders_of(Study(load_variant("lightning"), Conventions(phase="verify"), WIDE))
    ledger = derive(Study(load_variant("lightning"), Conventions(phase="verify", scope="layer"), WIDE), "best")
    assert min(evaluate(order.flops, WIDE) for order in found.orders) == ledger.value(ledger.flops)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("lightning+chunked", "QKV"),
        ("mamba2+chunked", "QKV"),
        *((name, "QKV") for name in ("gdn+chunked", "kda+chunked")),
    ],
)
def test_what_a_kernel_makes_for_another_is_written(name: str, made: str) -> None:
    """Queries, keys and values of the step come out of SiLU and are read by the core: 8 tokens of each."""
    found = answer(name, values={**DIMS, "S": 8, "H": 6}, phase="verify", scope="layer")
    written = {t.where.partition(" by ")[0] for t in found.cost.terms if t.rule == "write: activation"}
    assert set(made) <= written
    assert not [t.where for t in found.cost.terms if t.cls == "formed"]  # no row is made of cached ones


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("lightning", ("h",)),
        ("mamba2", ("g", "h")),
        ("gdn", ("g", "i")),
        ("kda", ("h",)),
        ("csa", ("h",)),
        ("hca", ("h",)),
        ("nsa", ("g", "i")),
        ("cca", ("g", "i")),
        *(
            (name, axes)
            for name, axes in (
                ("lightning+chunked", ("h",)),
                ("mamba2+chunked", ("g", "h")),
                ("gdn+chunked", ("g", "i")),
                ("kda+chunked", ("h",)),
                # rows of a block are no heads
                ("moba", ("g", "i")),
            )
        ),
    ],
)
def test_which_indices_ranks_split(name: str, axes: tuple[str, ...]) -> None:
    """Heads, and heads that share a head; neither chunks, which come one after the other, nor rows."""
    assert head_axes(build_graph(scanned(load_variant(name)))) == (axes,)


def test_ranks_without_a_head_of_their_own_do_not_share_chunks() -> None:
    """2 heads on 8 ranks: each has a head, which runs through all 8 chunks."""
    dims = {**DIMS, "H": 2, "C": 4, "S": 32}
    alone = answer("lightning+chunked", values=dims, phase="verify")
    shared = answer("lightning+chunked", Split(tp=8), dims, phase="verify")
    assert shared.value(shared.flops) * 2 == alone.value(alone.flops)
