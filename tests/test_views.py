"""Rows seen again, entries of several tokens, and what of both is kept, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from samples import read, refused

from derivations.analysis import Growth, cache_bytes, cache_elements, growth, lag_elements
from derivations.atoms import evaluate
from derivations.conventions import Conventions
from derivations.derivation import Derivation, Study, derive, orders_asked
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.program import AxisKind
from derivations.sharding import UNSPLIT, Split
from derivations.stored import Stored, stored

VIEWS = """\
variant: tiny
title: A convolution, and entries of blocks
axes:
  s: {size: S}
  t: {size: L}
  u: {size: ceil(L/m)}
  w: {every: m}
  d: {size: d_model}
  e: {size: d_e}
  j: {size: n_c}
  i: {size: m}
tensors:
  X: {axes: [s, d], role: input}
  W_R: {axes: [d, e], role: weight}
  F: {axes: [j, e], role: weight}
  E: {axes: [i, e], role: weight}
  U: {axes: [u, e], role: cache}
equations:
  - "R[s,e] = X[s,d] * W_R[d,e]"
  - "Z[s,j,e] = last[j](R[s,e])"
  - "N[s,e] = Z[s,j,e] * F[j,e]"
  - "B[w,i,e] = last[i](R[s,e])"
  - "U[u,e] <- B[w,i,e] * E[i,e]"
  - "A[s,u] = N[s,e] * U[u,e]"
  - "P[s,u] = softmax[u](A[s,u])"
  - "Y[s,e] = P[s,u] * U[u,e]"
"""
VIEW = '"Z[s,j,e] = last[j](R[s,e])"'
EVERY = "w: {every: m}"
DIMS = {"d_model": 7, "d_e": 3, "n_c": 4, "m": 5, "b": 2}


def views(*changes: tuple[str, str]) -> str:
    """`VIEWS` with some spots replaced."""
    text = VIEWS
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in VIEWS"
        text = text.replace(old, new)
    return text


def answer(text: str, values: dict[str, int] | None = None, split: Split = UNSPLIT, **knobs: str) -> Derivation:
    """The first named order of a bundled variant, or of a text, at those of the sizes that it has."""
    variant = read(text) if "\n" in text else load_variant(text)
    own = {name: value for name, value in (values or {}).items() if name in variant.symbols}
    study = Study(variant, Conventions(**knobs), own, split=split)
    return derive(study, orders_asked(study, "all")[0])


def moved(found: Derivation, tensor: str, rule: str) -> list[object]:
    """Bytes of each time a tensor is read or written under a rule."""
    terms = (
        t
        for t in found.cost.terms
        if t.operand is not None and t.operand.tensors == (tensor,) and t.rule == rule
    )
    return [found.value(t.amount) for t in terms]


# What `last` takes and gives.


def test_the_last_rows_of_tokens_and_of_entries() -> None:
    variant = read(views())
    assert variant.tensors["Z"].axes == ("s", "j", "e")
    assert variant.tensors["B"].axes == ("w", "i", "e")


ONE = "last takes one tensor, gives one, and has one new axis in brackets"
KEEPS = "last keeps the axes of R[s,e], which has one query axis; only that may become another one"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Z[s,j,e] = last(R[s,e])", "last needs the axes it works along, such as last[t](...)"),
        ("Z[s,j,e] = last[j,i](R[s,e])", ONE),
        ("Z[s,j,e] = last[j](R[s,e], R[s,e])", ONE),
        ("Z[s,j,e], Z_2[s,j,e] = last[j](R[s,e])", ONE),
        # the axis in brackets is new
        (
            "Z[s,j,e] = last[e](R[s,e])",
            "last[e] adds the axis e (how far back), so Z[s,j,e] has it and R[s,e] has",
        ),
        ("Z[s,j,e] = last[i](R[s,e])", "last[i] adds the axis i (how far back), so Z[s,j,e] has it"),
        ("Z[s,e] = last[j](R[s,e])", "last[j] adds the axis j (how far back), so Z[s,e] has it"),
        # and neither tokens nor context
        ("Z[s,t,e] = last[t](R[s,e])", "last[t] adds the axis t (how far back)"),
        ("Z[s,w,e] = last[w](R[s,e])", "last[w] adds the axis w (how far back)"),
        # every other axis stays, and the query axis is a query axis still
        ("Z[j,e] = last[j](R[s,e])", KEEPS),
        ("Z[s,j] = last[j](R[s,e])", KEEPS),
        ("Z[s,j,d] = last[j](R[s,e])", KEEPS),
        ("Z[t,j,e] = last[j](R[s,e])", KEEPS),
        ("Z[s,w,j,e] = last[j](R[s,e])", KEEPS),
        # what has no tokens has no last rows
        ("Z[s,j,e] = last[j](W_R[d,e])", "last keeps the axes of W_R[d,e], which has one query axis"),
        ("Z[s,j,e] = last[j](U[u,e])", "U is used before it exists"),
        ("Z[s,j,e] <- last[j](R[s,e])", "a barrier cannot be written into a cache directly"),
    ],
)
def test_what_last_does_not_take(line: str, message: str) -> None:
    found = refused(read, views((VIEW, f'"{line}"')))
    assert found.startswith("tiny.yaml:20 (equations[1]): ")
    assert message in found


@pytest.mark.parametrize("tokens", [1, 2, 6])
def test_a_convolution_reads_each_row_once(tokens: int) -> None:
    """6 tokens that see 4 rows each see 9 rows together; the view itself moves nothing."""
    found = answer(views(), {**DIMS, "S": tokens, "L": 20}, phase="verify", scope="layer")
    assert moved(found, "Z", "read: activation") == [(tokens + 4 - 1) * 3 * 2]
    assert moved(found, "R", "write: activation") == [tokens * 3 * 2]
    assert moved(found, "Z", "write: activation") == moved(found, "R", "read: activation") == []


@pytest.mark.parametrize("tokens", [1, 5, 20])
def test_an_entry_reads_its_own_rows(tokens: int) -> None:
    """Every 5 tokens 5 rows: a row a token, and a fifth of an entry written."""
    found = answer(views(), {**DIMS, "S": tokens, "L": 20}, phase="verify", scope="layer")
    assert moved(found, "B", "read: activation") == [tokens * 3 * 2]
    assert moved(found, "U", "write: new rows") == [Fraction(tokens, 5) * 3 * 2]


def test_rows_that_two_kernels_see_are_read_by_both() -> None:
    """The convolution of queries and that of keys see other rows of one width: 2 reads of S + 2 rows."""
    found = answer("gdn", {"S": 4, "n_c": 3, "H_k": 2, "H_v": 4, "d_k": 5, "d_v": 7, "d_model": 11, "b": 2},
                   phase="verify", scope="layer")  # fmt: skip
    assert moved(found, "Q_J", "read: activation") == [(4 + 2) * 2 * 5 * 2]
    assert moved(found, "K_J", "read: activation") == [(4 + 2) * 2 * 5 * 2]
    assert moved(found, "V_J", "read: activation") == [(4 + 2) * 4 * 7 * 2]


LAGS = {
    # a convolution over j tokens keeps j - 1 rows
    "shortconv": (3 - 1) * 11,
    "gdn": (3 - 1) * (2 * 2 * 5 + 4 * 7),
    "kda": (3 - 1) * (2 * 4 * 5 + 4 * 7),
    "mamba2": (3 - 1) * (2 * 2 * 5 + 4 * 7),
    # two convolutions of queries and keys, one after the other
    "cca": (2 - 1) * (4 + 2) * 5 + (3 - 1) * (4 + 2) * 5,
    # a block keeps all its rows: of what is pooled, and of the scores
    "hca": 2 * 6 * 5,
    "csa": 4 * 6 * 5 + 4 * 6 * 9,
    # the rows of nsa's blocks are cached anyway, unless the branch has rows of its own
    "nsa": 0,
    "nsa+own-kv": 8 * 2 * (5 + 7),
    # no view, nothing to keep
    "lightning": 0,
    "mla+rope": 0,
}
LAG_DIMS = {
    "d_model": 11, "d_k": 5, "d_v": 7, "d_I": 9, "H": 4, "H_q": 4, "H_kv": 2, "H_k": 2, "H_v": 4, "G": 2,
    "n_c": 3, "n_1": 2, "n_2": 3, "m": 6, "l_c": 8,
}  # fmt: skip


@pytest.mark.parametrize("name", LAGS)
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_earlier_rows_that_must_be_kept(name: str, phase: str) -> None:
    """They do not grow: the same however many tokens a step has."""
    found = answer(name, phase=phase)
    kept = lag_elements(found.cost.graph, found.study.sizes(found.cost.graph))
    assert evaluate(kept, LAG_DIMS) == LAGS[name]


def test_a_rank_keeps_the_earlier_rows_of_its_heads() -> None:
    found = answer("kda", split=Split(tp=2))
    kept = lag_elements(found.cost.graph, found.study.sizes(found.cost.graph))
    assert evaluate(kept, {**LAG_DIMS}) == LAGS["kda"] // 2


# Axes of entries.


def test_an_axis_of_entries() -> None:
    axis = read(views((EVERY, "w: {every: m, meaning: entries}"))).axes["w"]
    assert (axis.size, axis.kind, axis.meaning, axis.average) == (
        Poly.symbol("S") * Poly.symbol("m").inverse(), AxisKind.QUERY, "entries", True,
    )  # fmt: skip
    assert not any(axis.average for name, axis in read(views()).axes.items() if name != "w")


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        (
            "w: {every: m, size: S}",
            "(axes.w.size): 'every' says the size and the kind of the axis; leave size out",
        ),
        (
            "w: {every: m, kind: query}",
            "(axes.w.kind): 'every' says the size and the kind of the axis; leave kind",
        ),
        ("w: {every: m + 1}", "(axes.w.every): one entry comes every so many tokens: a number or one product"),
        ("w: {every: m - 1}", "(axes.w.every): one entry comes every so many tokens: a number or one product"),
        ("w: {every: 0}", "(axes.w.every): the size '0' is never positive"),
        ("w: {every: -2}", "(axes.w.every): expected a name or a number, found '-'"),
        ("w: {every: 2.5}", "(axes.w.every): a decimal"),
        ("w: {every: [m]}", "(axes.w.every): expected a text, found a list"),
        ("w: {every: m, eveery: m}", "(axes.w.eveery): unknown key 'eveery'; did you mean 'every'?"),
        ("w: {meaning: entries}", "(axes.w): the key 'size' is missing"),
        # a size of S/m is no axis of tokens
        ("w: {size: S/m}", "(equations[3]): last keeps the axes of R[s,e], which has one query axis"),
    ],
)
def test_what_is_no_axis_of_entries(axis: str, message: str) -> None:
    assert message in refused(read, views((EVERY, axis)))


def test_decode_makes_a_part_of_an_entry() -> None:
    """One in every 5 steps makes one: of its 2 m d_e FLOPs each step has a fifth, and of its row."""
    found = answer(views(), {**DIMS, "L": 20}, scope="layer")
    per_step = 2 * 7 * 3 + 2 * 4 * 3 + Fraction(2 * 5 * 3, 5) + 2 * 2 * 4 * 3
    assert found.value(found.flops) == per_step
    assert found.value(found.cache_elements) == Fraction(3, 5)
    assert found.value(found.cache_bytes) == Fraction(2 * 3, 5)


def test_m_steps_make_an_entry() -> None:
    """What 5 decode steps do along the new tokens is what one step of 5 tokens does."""
    one = answer(views(), {**DIMS, "L": 20}, scope="layer")
    five = answer(views(), {**DIMS, "S": 5, "L": 20}, phase="verify", scope="layer")
    assert five.value(five.flops) == 5 * one.value(one.flops)


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        # scores and sum over an entry for m tokens: 2 H d_k each
        ("hca", Fraction(2 * 2 * 4 * 5, 6)),
        ("nsa", Fraction(2 * 4 * (5 + 7), 6)),
    ],
)
def test_what_grows_with_entries_grows_by_their_share(name: str, slope: Fraction) -> None:
    grown = growth(answer(name).flops)
    assert (grown.degree, evaluate(grown.slope, LAG_DIMS)) == (1, slope)
    assert "L" not in grown.slope.names()


@pytest.mark.parametrize("name", ["csa", "moba"])
def test_what_is_selected_among_entries_stops_growing(name: str) -> None:
    """Far out n entries a query, whatever L is: no power of L."""
    assert growth(answer(name).flops).degree == 0


def test_growth_of_rounded_quotients() -> None:
    """ceil(L/m) and floor(L/m) grow by 1/m a token, a min not at all."""
    for text in ("ceil(L/m)", "floor(L/m)"):
        size = read(views(("ceil(L/m)", text))).axes["u"].size
        assert growth(size) == Growth(Poly.symbol("m").inverse(), 1, Poly())
        assert growth(size * size).degree == 2
    capped = read(views(("ceil(L/m)", "'min(L, m)'"))).axes["u"].size
    assert growth(capped).degree == 0


KEPT = {
    "hca": 5 + Fraction(5, 6),
    "csa": 5 + Fraction(5 + 9, 6),
    "nsa": 2 * (5 + 7) * (1 + Fraction(1, 6)),
    "moba+kept-means": 2 * (5 + 7) + Fraction(2 * 5, 6),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_token_leaves_its_share_of_an_entry(name: str) -> None:
    """In decode and in prefill alike."""
    for phase in ("decode", "verify", "prefill"):
        found = answer(name, phase=phase)
        graph, sizes = found.cost.graph, found.study.sizes(found.cost.graph)
        assert evaluate(cache_elements(graph, sizes), LAG_DIMS) == KEPT[name]
        assert evaluate(cache_bytes(graph, sizes), {**LAG_DIMS, "b": 2}) == 2 * KEPT[name]


# What a layer keeps of a window.


def kept(text: str) -> Stored:
    found = answer(text)
    return stored(found.cost.graph, found.study.sizes(found.cost.graph))


@pytest.mark.parametrize(
    ("name", "windows"),
    [
        ("mha+window", {"K": "n_w", "V": "n_w"}),
        ("mha+chunk", {"K": "n_w", "V": "n_w"}),
        ("mla+rope+window+sinks", {"C": "n_s + n_w", "K_R": "n_s + n_w"}),
        # a sink without a window is one of the rows seen anyway
        ("mha+sinks", {"K": None, "V": None}),
        # any row may be selected by a later query
        ("mla+selected", {"C": None}),
        # raw rows stop at the window, entries do not
        ("hca", {"R": "n_w", "U": None}),
        ("csa", {"R": "n_w", "U": None, "K_I": None}),
        # the window's branch reads the rows that the selected branch reads too
        ("nsa", {"K": None, "V": None, "K_C": None, "V_C": None}),
        ("nsa+own-kv", {"K": None, "V": None, "K_C": None, "V_C": None, "K_W": "n_w", "V_W": "n_w"}),
        # rows of another layer are not kept here
        ("gqa+reads+window", {}),
    ],
)
def test_where_caches_stop_growing(name: str, windows: dict[str, str | None]) -> None:
    found = {rows.name: None if rows.window is None else rows.window.text() for rows in kept(name).rows}
    assert found == windows


TWO_READERS = """\
variant: tiny
title: Two scores over one cache
axes: {s: S, t: L, d: d_model, k: d_k}
tensors:
  X: {axes: [s, d], role: input}
  W_K: {axes: [d, k], role: weight}
  W_Q: {axes: [d, k], role: weight}
  K: {axes: [t, k], role: cache}
equations:
  - "K[t,k] <- X[s,d] * W_K[d,k]"
  - "Q[s,k] = X[s,d] * W_Q[d,k]"
  - "A[s,t] = Q[s,k] * K[t,k]"
  - "E[s,t] = Q[s,k] * K[t,k]"
  - "P[s,t] = softmax[t](A[s,t])"
  - "G[s,t] = softmax[t](E[s,t])"
  - "Y[s,k] = P[s,t] * K[t,k] + G[s,t] * K[t,k]"
"""


@pytest.mark.parametrize(
    ("masks", "window"),
    [
        ("masks: {A: {kind: window, size: '8'}, E: {kind: window, size: '8'}}", "8"),
        ("masks: {A: {kind: window, size: '8'}}", None),
        ("masks: {A: {kind: window, size: '8'}, E: {kind: full}}", None),
        ("masks: {A: {kind: window, size: '8'}, E: {kind: causal}}", None),
        ("masks: {A: {kind: window, size: '8'}, E: {kind: top-n, size: n}}", None),
        ("", None),
    ],
)
def test_a_cache_stops_growing_where_nobody_reads_further(masks: str, window: str | None) -> None:
    """One reader of all rows keeps all of them, whatever the other one's window."""
    (rows,) = kept(TWO_READERS + masks + "\n").rows
    assert (rows.window and rows.window.text()) == window


def test_two_windows_never_keep_the_narrower_one() -> None:
    masks = "masks: {A: {kind: window, size: '8'}, E: {kind: window, size: '20'}}\n"
    (rows,) = kept(TWO_READERS + masks).rows
    assert rows.window is None or rows.window == Poly.const(20)


# Bytes of a factor of which an index is summed at once.


SUMMED = """\
variant: tiny
title: A score that sums a key over its channels
axes: {s: S, t: L, h: H, d: d_model, k: d_k}
tensors:
  X: {axes: [s, d], role: input}
  W_K: {axes: [d, k], role: weight}
  W_Q: {axes: [h, d], role: weight}
  K: {axes: [t, k], role: cache}
equations:
  - "K[t,k] <- X[s,d] * W_K[d,k]"
  - "Q[h,s] = X[s,d] * W_Q[h,d]"
  - "A[h,s,t] = Q[h,s] * K[t,k]"
  - "P[h,s,t] = softmax[t](A[h,s,t])"
  - "Y[h,s,k] = P[h,s,t] * K[t,k]"
"""


def test_a_factor_is_read_whole_where_an_index_of_it_is_summed_at_once() -> None:
    """Summing k costs no FLOPs and leaves L points a head, but all 30 rows of 5 are read, 2 bytes each."""
    sizes = {"L": 30, "H": 3, "d_model": 7, "d_k": 5, "b": 2}
    found = answer(SUMMED, sizes)
    assert found.value(found.flops) == 2 * 3 * 30 + 2 * 3 * 30 * 5
    assert found.value(found.bytes) == 2 * 30 * 5
    twice = answer(SUMMED, sizes, traffic="two-pass")
    assert twice.value(twice.bytes) == 2 * (2 * 30 * 5)


def test_the_wider_view_of_a_factor_is_the_one_that_is_read() -> None:
    """moba's gate takes the mean of every block, so it reads all keys; the core those of selected blocks."""
    sizes = {"L": 24, "m": 4, "n": 2, "H_q": 4, "H_kv": 2, "d_k": 5, "d_v": 7, "d_model": 11, "b": 2}
    found = answer("moba", sizes, scope="layer")
    whole, selected = 2 * 24 * 5 * 2, 2 * 2 * 4 * 5 * 2
    read_keys = [t for t in found.cost.terms if t.rule == "read: cached rows" and t.operand.key == "K"]
    by_stage = {str(t.stage): found.value(t.amount) for t in read_keys}
    assert by_stage == {"indexer": whole, "core": selected}


def test_a_weight_is_read_whole_too() -> None:
    """W_Q[h,d] has no k; with one that is summed in the line it is read with it."""
    text = SUMMED.replace("W_Q: {axes: [h, d]", "W_Q: {axes: [h, d, k]").replace('W_Q[h,d]"', 'W_Q[h,d,k]"')
    found = answer(text, {"L": 30, "H": 3, "d_model": 7, "d_k": 5, "b": 2}, scope="layer")
    assert moved(found, "W_Q", "read: weight") == [3 * 7 * 5 * 2]


# Conventions that rewrite the program.


POOLED_KEYS = """\
variant: tiny
title: Keys formed from pooled rows
axes: {s: S, u: {size: ceil(L/m)}, w: {every: m}, i: m, h: H, d: d_model, c: d_c, k: d_k}
tensors:
  X: {axes: [s, d], role: input}
  W_D: {axes: [d, c], role: weight}
  W_Q: {axes: [h, d, k], role: weight}
  W_U: {axes: [h, c, k], role: weight, stage: lift}
  U: {axes: [u, c], role: cache}
equations:
  - "R[s,c] = X[s,d] * W_D[d,c]"
  - "B[w,i,c] = last[i](R[s,c])"
  - "U[u,c] <- B[w,i,c]"
  - "Q[h,s,k] = X[s,d] * W_Q[h,d,k]"
  - "K[h,u,k] = U[u,c] * W_U[h,c,k]"
  - "A[h,s,u] = Q[h,s,k] * K[h,u,k]"
  - "P[h,s,u] = softmax[u](A[h,s,u])"
  - "O[h,s,c] = P[h,s,u] * U[u,c]"
orders:
  expand: {form: [K]}
"""
POOLED_DIMS = {"L": 24, "m": 4, "H": 3, "d_model": 7, "d_c": 5, "d_k": 2, "b": 2}


def lifted(**knobs: str) -> object:
    """FLOPs of forming keys in one decode step."""
    found = answer(POOLED_KEYS, POOLED_DIMS, scope="layer", **knobs)
    return sum(found.value(t.amount) for t in found.cost.terms if t.kind == "flops" and t.stage == "lift")


def test_keys_of_entries_are_formed_for_each_entry() -> None:
    """24 tokens are 6 entries: 2 H d_c d_k for each."""
    assert lifted() == 6 * 2 * 3 * 5 * 2


def test_kept_keys_of_entries_are_formed_once_an_entry() -> None:
    """Where they are cached a step forms the keys of the entries it completes: a quarter of one."""
    assert lifted(formed="cached") == Fraction(2 * 3 * 5 * 2, 4)


@pytest.mark.parametrize(
    "name",
    [
        "shortconv",
        "cca",
        "hca",
        "csa",
        "nsa",
    ],
)
@pytest.mark.parametrize("phase", ["decode", "verify", "prefill"])
def test_views_without_caches_have_a_cost(name: str, phase: str) -> None:
    assert answer(name, caches="none", phase=phase, scope="layer").bytes


NORMED = """\
variant: tiny
title: Rows that are normed before they are cached
axes: {s: S, t: L, d: d_model, c: d_c}
tensors:
  X: {axes: [s, d], role: input}
  W_D: {axes: [d, c], role: weight}
  W_Q: {axes: [d, c], role: weight}
  C: {axes: [t, c], role: cache}
equations:
  - "Z[s,c] = X[s,d] * W_D[d,c]"
  - "N[s,c] = norm[c](Z[s,c])"
  - "C[t,c] <- N[s,c]"
  - "Q[s,c] = X[s,d] * W_Q[d,c]"
  - "A[s,t] = Q[s,c] * C[t,c]"
  - "P[s,t] = softmax[t](A[s,t])"
  - "O[s,c] = P[s,t] * C[t,c]"
"""


def projections(**knobs: str) -> object:
    """FLOPs outside the core, at 7 by 5 and 24 tokens."""
    found = answer(NORMED, {"L": 24, "d_model": 7, "d_c": 5}, scope="layer", **knobs)
    return sum(found.value(t.amount) for t in found.cost.terms if t.kind == "flops" and t.stage == "projection")


def test_what_a_barrier_takes_is_made_for_the_new_tokens() -> None:
    assert projections() == 2 * 7 * 5 + 2 * 7 * 5
    assert projections(caches="none", phase="prefill") == 24 * (2 * 7 * 5 + 2 * 7 * 5)


def test_without_caches_what_a_barrier_takes_is_made_for_all_tokens() -> None:
    """The rows of all 24 tokens are projected again; the query is one."""
    assert projections(caches="none") == 24 * 2 * 7 * 5 + 2 * 7 * 5


def test_pairs_with_entries_have_no_triangle() -> None:
    """Each of 24 queries scores all 6 entries, under causal pairs as under full ones."""
    for name in ("hca", "csa"):
        by_pairs = []
        for pairs in ("full", "causal"):
            sizes = {**LAG_DIMS, "L": 24, "n": 3, "n_w": 4, "H_I": 2}
            found = answer(name, phase="prefill", pairs=pairs, scope="layer", values=sizes)
            tensor = "A_U" if name == "hca" else "A_I"
            by_pairs += [found.value(t.amount) for t in found.cost.terms
                         if t.kind == "flops" and t.step.result.tensors == (tensor,)]  # fmt: skip
        # LAG_DIMS has entries every 6 tokens: 4 of 24
        assert by_pairs == [2 * 24 * 4 * (4 * 5 if name == "hca" else 2 * 9)] * 2


def test_a_selection_among_entries_has_no_triangle() -> None:
    """3 of the 4 entries for each of 24 queries; there is no position from which a query counts entries."""
    sizes = {**LAG_DIMS, "L": 24, "n": 3, "n_w": 4, "H_I": 2}
    found = answer("csa", phase="prefill", pairs="causal", scope="layer", values=sizes)
    (scores,) = (found.value(t.amount) for t in found.cost.terms
                 if t.kind == "flops" and t.step.result.tensors == ("A_U",))  # fmt: skip
    assert scores == 2 * 4 * 24 * 3 * 5
