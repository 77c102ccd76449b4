"""What is proved and what is refuted of the bundled variants, with each verdict held against another tool.

The verdicts expected are those of the project's aims: L cancels in every intensity, the head dims where the
latent is scored on, d_c only without RoPE. Independent of the kernel: sympy differentiates the intensity, and
costs are typed here once more, as the article has them.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod

import opt_einsum
import pytest
import sympy

from derivations.assertions import assertions_of
from derivations.atoms import evaluate
from derivations.claimfile import bundled_claims, load_claims
from derivations.conventions import Conventions
from derivations.derivation import Study, derive
from derivations.judging import Judgement, judge, judged
from derivations.kernel import check
from derivations.library import load_variant
from derivations.poly import Poly
from derivations.regions import build_graph
from derivations.search import order_names, spaces
from derivations.trees import Phase, Sizes
from derivations.witnesses.evaluation import random_opinion

P, R = "proved", "refuted"
CANCELS = {
    ("mha", "direct"): {"L": P, "H": P, "d_k": P, "d_v": P},
    ("gqa", "direct"): {"L": P, "H_q": R, "H_kv": R, "d_k": P, "d_v": P},
    ("mqa", "direct"): {"L": P, "H": R, "d_k": P, "d_v": P},
    ("mla", "absorb"): {"L": P, "H": R, "d_k": P, "d_v": P, "d_c": P},
    ("mla", "expand"): {"L": P, "H": R, "d_k": R, "d_v": R, "d_c": R},
    ("mla+rope", "absorb"): {"L": P, "H": R, "d_k": P, "d_v": P, "d_c": R, "d_r": R},
    ("mla+rope", "expand"): {"L": P, "H": R, "d_k": R, "d_v": R, "d_c": R, "d_r": R},
}


@cache
def verdicts(variant: str) -> dict[str, Judgement]:
    """The claims of a variant's named orders under the default conventions."""
    program = load_variant(variant)
    study = Study(program, Conventions(), {})
    found = judged(assertions_of(study, order_names(build_graph(program))))
    return {judgement.assertion.id: judgement for judgement in found}


@cache
def bundled(file: str) -> dict[str, Judgement]:
    return {a.id: judge(a) for a in load_claims(file).assertions}


@pytest.mark.parametrize(("variant", "order"), CANCELS)
def test_what_cancels_in_the_intensity(variant, order):
    found = verdicts(variant)
    for symbol, status in CANCELS[variant, order].items():
        assert found[f"{order}.intensity-free-of-{symbol}"].status == status, symbol
    assert found[f"{order}.intensity"].status == P
    named = {key.rpartition("-of-")[2] for key in found if key.startswith(f"{order}.intensity-free")}
    assert named == set(CANCELS[variant, order])


@pytest.mark.parametrize(("variant", "order"), CANCELS)
def test_sympy_differentiates_to_the_same_verdicts(variant, order):
    intensity = derive(Study(load_variant(variant), Conventions(), {}), order).intensity.sympy()
    letters = {symbol.name: symbol for symbol in intensity.free_symbols}
    for symbol, status in CANCELS[variant, order].items():
        slope = sympy.simplify(sympy.diff(intensity, letters[symbol])) if symbol in letters else 0
        assert (slope == 0) == (status == P), symbol


@pytest.mark.parametrize("variant", ["mla", "mla+rope"])
def test_the_crossover_and_its_two_sides(variant):
    found = verdicts(variant)
    names = ("crossover", "crossover-free-of-H", "crossover-grows", "crossover-limit", "no-crossover")
    assert [found[f"absorb-expand.{name}"].status for name in names] == [P] * 5
    assert ("absorb-expand.crossover-free-of-d_r" in found) == (variant == "mla+rope")


def absorb(S, L, H, d_c, d_k, d_v):
    """The article's FLOPs, absorbed: two lifts a query, two products of width d_c a pair."""
    return 2 * H * S * d_c * (d_k + d_v) + 4 * H * S * L * d_c


def expand(S, L, H, d_c, d_k, d_v):
    """The article's FLOPs, expanded: a key and a value formed for each token, then used by each query."""
    return 2 * H * L * d_c * (d_k + d_v) + 2 * H * S * L * (d_k + d_v)


AIMS = {
    "deployment": {
        "kept-copied": P, "kept-once": P, "kept-once-earlier": P, "prefix-batch": P, "free-mla": P,
        "free-mha": P, "free-gqa": P, "free-mqa": P, "free-mla-less-than-mqa": P, "heads-split-mla":
        P, "context-split-mla": P, "heads-split-gqa": P, "heads-copied-gqa": P, "cache-copied": P,
        "cache-once": P, "deepseek-intensity": P, "deepseek-one-byte": P, "llama-intensity": P,
    },
    "mla": {
        "decode-absorb": P, "decode-absorb-narrow": R, "decode-first-token": P, "prefill-expand": P,
        "prefill-expand-causal": P, "prefill-ratio": P, "rope-leaves-crossover": P, "crossover-grows": P,
        "rope-decode-absorb": P, "rope-decode-first-token": P, "rope-prefill-expand": P,
        "rope-prefill-expand-causal": P, "rope-prefill-ratio": P, "rope-intensity-free-of-d_c": R,
        "rope-intensity-free-of-L": P, "no-order-cheaper": P, "no-order-cheaper-rope": P,
    },
    "identities": {
        "macs": P, "gigabytes": P, "gigabytes-exceed": P, "tensor-parallel-flops": P,
        "tensor-parallel-latent": P, "tensor-parallel-latent-split": R, "tensor-parallel-gqa-flops": P,
        "tensor-parallel-gqa-cache": P, "latent-doubles": P, "two-pass-halves": P, "gqa-group": P,
        "gqa-prefill": P,
    },
    "lessons": {
        "heads-prefill-kernel": P, "latent-same-value": P, "prefill-above-crossover": P,
        "prefill-ratio-grows": P, "prefill-causal-saves-less": P, "rope-same-difference": P,
        "rope-below-plain": P, "rope-above-mqa": P, "sparse-same-intensity": P,
        "sparse-prompt-expand": P, "drafts-room": P, "drafts-eight": P, "drafts-ranks": P,
        "limits-intensity": P, "limits-flops": P, "limits-bytes": P,
    },
}  # fmt: skip


def test_every_bundled_file_is_judged_here():
    assert set(AIMS) == set(bundled_claims())


@pytest.mark.parametrize("file", AIMS)
def test_bundled_claims(file):
    found = bundled(file)
    assert {name: judgement.status for name, judgement in found.items()} == AIMS[file]
    assert all(judgement.as_expected for judgement in found.values())


@pytest.mark.parametrize("file", AIMS)
def test_what_is_proved_is_checked_again_and_what_is_refuted_has_sizes(file):
    for judgement in bundled(file).values():
        if judgement.status == P:
            check(judgement.assertion.claim, judgement.proof)
            assert not judgement.points
        else:
            assert judgement.proof is None
            assert judgement.points


@pytest.mark.parametrize("file", AIMS)
def test_random_evaluation_agrees(file):
    for judgement in bundled(file).values():
        opinion = random_opinion(judgement.assertion.claim)
        assert opinion.agrees in (judgement.status == P, None), judgement.assertion.id


def test_the_counterexample_of_narrow_heads():
    (at,) = bundled("mla")["decode-absorb-narrow"].points
    sizes = (at["H"], at["d_c"], at["d_k"], at["d_v"])
    assert at["L"] >= 2
    assert at["d_k"] + at["d_v"] < 4
    assert absorb(1, at["L"], *sizes) >= expand(1, at["L"], *sizes)


def test_the_two_sets_of_dims_where_rope_keeps_the_latent_in():
    one, two = bundled("mla")["rope-intensity-free-of-d_c"].points
    assert {name for name in one if one[name] != two[name]} == {"d_c"}
    intensity = [
        2 * at["H"] * (2 * at["d_c"] + at["d_r"]) / (at["b"] * (at["d_c"] + at["d_r"])) for at in (one, two)
    ]
    assert intensity[0] != intensity[1]


SMALL = list(product((1, 2, 3, 7), repeat=3))


@pytest.mark.parametrize(("d_c", "d_k", "d_v"), SMALL)
def test_the_decode_claims_hold_where_they_are_tried(d_c, d_k, d_v):
    sizes = (2, d_c, d_k, d_v)
    assert (expand(1, 1, *sizes) < absorb(1, 1, *sizes)) == (2 * d_c > d_k + d_v)
    for L in (2, 3, 50):
        if d_k + d_v >= 4:
            assert absorb(1, L, *sizes) < expand(1, L, *sizes)
        if d_k + d_v < 2 * d_c:
            assert expand(L, L, *sizes) < absorb(L, L, *sizes)


WIDTHS = {"S": 1, "H": 128, "d_model": 7168, "d_c": 512, "d_k": 128, "d_v": 128, "d_r": 64, "d_q": 1536}
"""DeepSeek-V3."""


@pytest.mark.parametrize("variant", ["mla", "mla+rope+query-latent"])
@pytest.mark.parametrize("L", [2, 7, 200, 100_000])
def test_no_product_is_cheaper_by_another_search(variant, L):
    """The optimal path of opt_einsum, which pays for products of weights too, multiplies no less."""
    sizes = {**WIDTHS, "L": L}
    known = {name: value for name, value in sizes.items() if name != "S"}
    cost = derive(Study(load_variant(variant), Conventions(scope="layer"), known), "absorb").cost
    for space, tree in zip(
        spaces(cost.graph, Sizes(Phase.DECODE, "full", Poly.const(1))), cost.order.trees, strict=True
    ):
        region = space.region
        if len(region.leaves) < 3:
            continue
        lengths = {label: int(evaluate(space.points((label,)), sizes)) for label in region.axis_of}
        letters = {label: opt_einsum.get_symbol(place) for place, label in enumerate(lengths)}
        terms = ["".join(letters[x] for x in leaf.labels) for leaf in region.leaves]
        text = f"{','.join(terms)}->{''.join(letters[x] for x in region.output)}"
        shapes = [tuple(lengths[x] for x in leaf.labels) for leaf in region.leaves]
        _, info = opt_einsum.contract_path(text, *shapes, shapes=True, optimize="optimal")
        own = sum(int(evaluate(step.points, sizes)) for step in space.steps(tree))
        size = {letters[label]: length for label, length in lengths.items()}
        assert own <= sum(
            prod(size[letter] for letter in set(equation.partition("->")[0]) - {","})
            for _, _, equation, *_ in info.contraction_list
        )
