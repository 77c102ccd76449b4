"""Small programs whose cost follows from the conventions in a line or two of arithmetic.

Each is the least that shows one rule: who reads what once, which rows a mask leaves, what a sum of
two kernels moves, which caches a rewritten program has. Costs are by hand; b = 1.
"""

from __future__ import annotations

import pytest

from derivations.conventions import Conventions
from derivations.derivation import Derivation, Study, derive
from derivations.errors import InputError
from derivations.library import load_variant
from derivations.spec import read_variant
from derivations.yamlfile import parse_yaml

DIMS = {"L": 100, "H": 3, "d_model": 7, "d_k": 5, "d_v": 5, "b": 1}
HEAD = """\
variant: small
title: Small
axes: {s: S, t: L, h: H, d: d_model, k: d_k}
tensors:
  X: {axes: [s, d], role: input}
"""
TENSORS = {
    "W_K": "axes: [d, k], role: weight",
    "W_V": "axes: [d, k], role: weight",
    "W_Q": "axes: [h, d, k], role: weight",
    "W_P": "axes: [h, d, k], role: weight",
    "W_O": "axes: [h, k, d], role: weight, stage: output",
    "G": "axes: [h, k], role: weight",
    "D": "axes: [k], role: weight",
    "K": "axes: [t, k], role: cache",
    "V": "axes: [t, k], role: cache",
    "M": "axes: [h, k], role: state",
}
CACHES = ["K[t,k] <- X[s,d] * W_K[d,k]", "V[t,k] <- X[s,d] * W_V[d,k]"]
TWO_SCORES = [
    *CACHES,
    "Q[h,s,k] = X[s,d] * W_Q[h,d,k]",
    "U[h,s,k] = X[s,d] * W_P[h,d,k]",
    "A[h,s,t] = Q[h,s,k] * K[t,k]",
    "B[h,s,t] = U[h,s,k] * K[t,k]",
    "P[h,s,t] = softmax[t](A[h,s,t])",
    "R[h,s,t] = softmax[t](B[h,s,t])",
]


def small(equations: list[str], order: str = "direct", masks: str = "", **knobs: str) -> Derivation:
    """A derivation of the equations; of `TENSORS`, those that they name are declared."""
    used = [n for n in TENSORS if any(f"{n}[" in line for line in equations)]
    text = HEAD + "".join(f"  {name}: {{{TENSORS[name]}}}\n" for name in used)
    text += "equations:\n" + "".join(f'  - "{line}"\n' for line in equations)
    text += f"masks: {masks}\n" if masks else ""
    return derive(Study(read_variant(parse_yaml(text, "small.yaml")), Conventions(**knobs), DIMS), order)


def cost(answer: Derivation) -> tuple[object, object]:
    return answer.value(answer.flops), answer.value(answer.bytes)


def test_a_cache_under_two_masks_is_read_as_far_as_the_wider_one_sees() -> None:
    """The window's 10 rows are among the 100 that the other score reads."""
    equations = [*TWO_SCORES, "Y[h,s,k] = P[h,s,t] * V[t,k] + R[h,s,t] * V[t,k]"]
    answer = small(equations, masks="{A: {kind: window, size: '10'}}")
    assert cost(answer) == (2 * 3 * (10 + 100) * (5 + 5), 100 * (5 + 5))


def test_one_product_under_two_windows_is_not_made_for_the_narrower_alone() -> None:
    """Q K for 20 tokens, of which 10 serve the other score too, or for each score apart."""
    equations = [line.replace("U[h,s,k] * K", "Q[h,s,k] * K") for line in TWO_SCORES if line[0] != "U"]
    equations.append("Y[h,s,k] = P[h,s,t] * V[t,k] + R[h,s,t] * V[t,k]")
    answer = small(equations, masks="{A: {kind: window, size: '10'}, B: {kind: window, size: '20'}}")
    values = 2 * 3 * (10 + 20) * 5
    assert answer.value(answer.flops) - values in (2 * 3 * 20 * 5, 2 * 3 * (10 + 20) * 5)


def test_a_difference_of_windowed_probabilities_is_windowed() -> None:
    """As in differential attention: both terms vanish outside the window, so does the sum."""
    equations = [*TWO_SCORES, "N[h,s,t] = P[h,s,t] - R[h,s,t]", "Y[h,s,k] = N[h,s,t] * V[t,k]"]
    windows = "{A: {kind: window, size: '10'}, B: {kind: window, size: '10'}}"
    answer = small(equations, masks=windows)
    assert cost(answer) == (2 * 3 * 10 * (5 + 5 + 5), 10 * (5 + 5))


def test_a_difference_of_probabilities_stays_on_chip() -> None:
    """The core makes P and R and uses N: nothing but Q and U in and Y out crosses its edge."""
    equations = [*TWO_SCORES, "N[h,s,t] = P[h,s,t] - R[h,s,t]", "Y[h,s,k] = N[h,s,t] * V[t,k]"]
    answer = small(equations, scope="kernel")
    assert answer.value(answer.bytes) == 100 * (5 + 5) + 3 * 3 * 5


def test_a_mask_on_a_score_without_a_barrier_is_not_passed_over() -> None:
    """Counted as a mask, or refused; silently all pairs is neither."""
    equations = [
        *CACHES,
        "Q[h,s,k] = X[s,d] * W_Q[h,d,k]",
        "A[h,s,t] = Q[h,s,k] * K[t,k]",
        "Y[h,s,k] = A[h,s,t] * V[t,k]",
    ]
    try:
        answer = small(equations, masks="{A: {kind: window, size: '10'}}")
    except InputError:
        return
    assert cost(answer) == (2 * 3 * 10 * (5 + 5), 10 * (5 + 5))


def test_the_old_and_the_new_state_are_two_tensors() -> None:
    """M G is made of the old state for the update, and again of the new one for the output."""
    equations = [
        "Q[h,s,k] = X[s,d] * W_Q[h,d,k]",
        "M[h,k] <- M[h,k] * G[h,k] + Q[h,s,k] * G[h,k]",
        "Y[h,s] = M[h,k] * G[h,k] * Q[h,s,k]",
    ]
    answer = small(equations, scope="layer")
    graph = answer.cost.graph
    keys = {}
    for region in graph.regions:
        for mask in range(1, region.full + 1):
            if sorted(leaf.tensor for leaf in region.members(mask)) == ["G", "M"]:
                keys[region.root] = graph.key(region, mask)
    assert keys["M"] != keys["Y"]


@pytest.mark.parametrize("order", ["direct", "best"])
def test_a_square_is_made_of_one_factor(order: str) -> None:
    """N = K D is made once, for the ReLU and for N N: no order costs less, so `best` costs that."""
    equations = [
        CACHES[0],
        "N[t,k] = K[t,k] * D[k]",
        "E[t,k] = relu(N[t,k])",
        "Y[t,k] = N[t,k] * N[t,k] + E[t,k]",
    ]
    answer = small(equations, order, scope="layer")
    assert answer.value(answer.flops) == 2 * 7 * 5 + 2 * 100 * 5 + 2 * 100 * 5


def test_both_kernels_of_a_sum_write_their_part() -> None:
    """The core makes one summand of O and a projection the other; neither can add on chip."""
    equations = [
        *TWO_SCORES[:3],
        *TWO_SCORES[4:5],
        *TWO_SCORES[6:7],
        "O[h,s,k] = P[h,s,t] * V[t,k] + X[s,d] * W_P[h,d,k]",
        "Y[s,d] = O[h,s,k] * W_O[h,k,d]",
    ]
    answer = small(equations, scope="layer")
    moved = [t for t in answer.cost.terms if t.kind == "bytes" and t.where.startswith("O ")]
    # two written; then both read, or one read and rewritten as the sum and that one read
    assert sum(answer.value(t.amount) for t in moved) == 4 * 3 * 5


def test_hidden_states_are_no_formed_rows() -> None:
    """Without caches the core scope has the keys and values that are formed, and X is neither."""
    study = Study(load_variant("mha"), Conventions(phase="prefill", caches="none"), DIMS)
    answer = derive(study, "direct")
    assert answer.value(answer.bytes) == 3 * 100 * (5 + 5)


def test_probabilities_are_written_for_the_pairs_there_are() -> None:
    """Unfused, 5 causal queries on 100 tokens: 490 pairs of A and P; 5 x 11 of the memory's."""
    variant = load_variant("./tests/variants/two-contexts.yaml")
    knobs = Conventions(phase="verify", pairs="causal", traffic="unfused")
    answer = derive(Study(variant, knobs, {**DIMS, "M": 11, "S": 5}), "expand")
    scores = [t for t in answer.cost.terms if t.cls == "score"]
    assert sum(answer.value(t.amount) for t in scores) == 4 * 3 * (490 + 5 * 11)


def test_a_cache_that_is_dropped_takes_no_room() -> None:
    """With keys and values kept, nobody reads the latent, and it is written no more."""
    knobs = Conventions(formed="cached")
    answer = derive(Study(load_variant("mla+rope"), knobs, {**DIMS, "d_c": 11, "d_r": 2}), "expand")
    assert not any("C, new rows" in t.where for t in answer.cost.terms)
    assert answer.value(answer.cache_elements) == 3 * (5 + 2 + 5)


def test_rows_of_a_fixed_memory_have_no_new_rows_to_keep() -> None:
    """Kept keys and values of the memory: this step forms none of them. Or it is refused."""
    variant = load_variant("./tests/variants/two-contexts.yaml")
    study = Study(variant, Conventions(formed="cached", scope="attention"), {**DIMS, "M": 11})
    try:
        answer = derive(study, "expand")
    except InputError:
        return
    assert answer.value(answer.flops) == 2 * 3 * (100 + 11) * (5 + 5)


@pytest.mark.parametrize("elementwise", ["count", "omit"])
def test_every_step_on_a_state_is_core_however_it_is_bracketed(elementwise: str) -> None:
    """A gated delta rule: M G, K K, (K K) (M G), K V and the read-out: whatever has no weight is core."""
    text = (
        HEAD.replace("k: d_k}", "k: d_k, j: d_k, v: d_v}")
        + """\
  W_K: {axes: [h, d, k], role: weight}
  W_V: {axes: [h, d, v], role: weight}
  W_Q: {axes: [h, d, k], role: weight}
  G: {axes: [h, k], role: input}
  M: {axes: [h, k, v], role: state}
equations:
  - "K[h,s,k] = X[s,d] * W_K[h,d,k]"
  - "V[h,s,v] = X[s,d] * W_V[h,d,v]"
  - "M[h,k,v] <- G[h,k] * M[h,k,v] - K[h,s,k] * K[h,s,j] * G[h,j] * M[h,j,v] + K[h,s,k] * V[h,s,v]"
  - "Q[h,s,k] = X[s,d] * W_Q[h,d,k]"
  - "Y[h,s,v] = Q[h,s,k] * M[h,k,v]"
"""
    )
    study = Study(read_variant(parse_yaml(text, "delta.yaml")), Conventions(elementwise=elementwise), DIMS)
    answer = derive(study, "direct")
    stages = {str(t.stage) for t in answer.cost.terms if t.kind == "flops" and t.step and not _weighs(t.step)}
    assert stages == {"core"}


def _weighs(step: object) -> bool:
    return step.left.weight or step.right.weight  # type: ignore[attr-defined]
