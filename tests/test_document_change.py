"""What figures hang on: another width moves them as the formulas say, another rule breaks them.

A checkpoint, or a rule of the engine, is replaced; every cell is then worked out by hand, and the claims that
must notice are named, beside others that must not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from derivations.analysis import cache_elements
from derivations.checkpoints import Checkpoint, load_checkpoint
from derivations.derivation import Derivation, Study, derive
from derivations.documents import given, sheet
from derivations.documents.counted import chain_flops
from derivations.documents.judged import judge_document
from derivations.documents.reading import load_document
from derivations.hardware import Accelerator
from derivations.poly import Poly
from derivations.terms import CostTerm
from derivations.yamlfile import Entry

K3 = {"H": 96, "d_k": 128, "d_v": 128, "d_c": 512, "layers": 93}
LENGTHS = (2048, 8192, 32768)


def by_hand(H: int, d_k: int, d_v: int, d_c: int, layers: int) -> dict[str, Fraction]:
    """Every cell of tables 3, 5.2, 5.4 and 5.5, as the article's formulas have it, in base units."""
    both, lift = d_k + d_v, d_c * (d_k + d_v)
    found = {
        "5.2-pair-expand-projection": lift, "5.2-pair-absorb-projection": lift,
        "5.2-pair-expand-dots": both, "5.2-pair-absorb-dots": 2 * d_c,
        "5.2-pair-expand-total": lift + both, "5.2-pair-absorb-total": lift + 2 * d_c,
    }  # fmt: skip
    for name, copies, width in [("mha", H, both), ("gqa", 8, both), ("mqa", 1, both), ("mla", 1, d_c)]:
        found[f"3-cache-{name}-elements"] = width
        found |= {f"3-cache-{name}-heads": copies} if name != "mla" else {}
        found[f"3-cache-{name}-total"] = copies * width * 2 * 32768 * layers
    cells = {name: Fraction(number) for name, number in found.items()}
    for L in LENGTHS:
        weights = 2 * H * lift
        absorb, expand = 2 * H * (lift + 2 * L * d_c), 2 * H * L * (lift + both)
        rows, formed = 2 * L * d_c, 2 * L * H * both
        cells |= {
            f"5.4-decode-{L}-absorb-flops": Fraction(absorb),
            f"5.4-decode-{L}-absorb-bytes": Fraction(rows + weights),
            f"5.4-decode-{L}-absorb-ai": Fraction(absorb, rows + weights),
            f"5.4-decode-{L}-expand-flops": Fraction(expand),
            f"5.4-decode-{L}-expand-bytes": Fraction(rows + formed + weights),
            f"5.4-decode-{L}-expand-ai": Fraction(expand, rows + formed + weights),
        }
        absorb, expand = 2 * H * (L * lift + 2 * L * L * d_c), 2 * H * (L * lift + L * L * both)
        cells |= {
            f"5.5-prefill-{L}-absorb": Fraction(absorb),
            f"5.5-prefill-{L}-expand": Fraction(expand),
            f"5.5-prefill-{L}-times": Fraction(absorb, expand),
        }
    return cells


CELLS = set(by_hand(**K3))
TABLES = {("3", "cache"), ("5.2", "pair"), ("5.4", "decode"), ("5.5", "prefill")}


def cells_that(*ends: str) -> set[str]:
    """Cells by how their names start, end, or both."""
    return {cell for cell in CELLS for start, _, end in [text.partition("...") for text in ends]
            if cell.startswith(start) and cell.endswith(end)}  # fmt: skip


MOVED = [
    # (what is changed; the cells that have nothing to do with it)
    ({}, CELLS),
    ({"d_c": 768},
     cells_that("5.2-pair-expand-dots", "3-cache-mha", "3-cache-gqa", "3-cache-mqa", "5.4...absorb-ai")),
    ({"H": 64}, cells_that("5.2", "3...elements", "3-cache-gqa", "3-cache-mqa", "3-cache-mla", "5.5...times")),
    ({"layers": 61}, cells_that("3...elements", "3...heads", "5.2", "5.4", "5.5")),
    ({"d_k": 64}, cells_that("3-cache-mla", "3...heads", "5.2-pair-absorb-dots")),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "still"), MOVED, ids=[str(changed) for changed, _ in MOVED])
def test_a_width_moves_what_depends_on_it(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, int], still: set[str]
) -> None:
    @cache
    def checkpoint(name: str) -> Checkpoint:
        found = load_checkpoint(name)
        if name != "kimi-k3":
            return found
        dims = {**found.dims, **{k: v for k, v in changed.items() if k != "layers"}}
        return replace(found, dims=dims, layers=changed.get("layers", found.layers))

    monkeypatch.setattr(given, "checkpoint", checkpoint)
    document = load_document("article")
    tables = {(s.number, t.name): [c.id for c in t.claims()] for s in document.sections for t in s.tables}
    asked = [name for table in TABLES for name in tables[table]]
    assert {name.removeprefix("article-") for name in asked} == CELLS
    found = {v.claim.id.removeprefix("article-"): v for v in judge_document(document, asked)}
    values = {name: verdict.readings[0].value for name, verdict in found.items()}
    expected, before = by_hand(**{**K3, **changed}), by_hand(**K3)
    assert {name: value for name, value in values.items() if value != expected[name]} == {}
    assert {name for name, value in values.items() if value == before[name]} == still
    # what is printed is of the old widths, so where anything moves a table is not as its file expects
    as_expected = {name for name, verdict in found.items() if verdict.as_expected}
    assert as_expected == CELLS if not changed else as_expected < CELLS


Break = Callable[[pytest.MonkeyPatch], None]


def terms_become(rule: Callable[[CostTerm], Poly]) -> Break:
    """Every line of every ledger has another amount."""

    def derived(study: Study, order: str) -> Derivation:
        found = derive(study, order)
        terms = tuple(replace(term, amount=rule(term)) for term in found.cost.terms)
        return replace(found, cost=replace(found.cost, terms=terms))

    return lambda patch: patch.setattr(sheet, "derive", derived)


def times(factor: Fraction | int, kind: str, name: str) -> Break:
    """The FLOPs of a stage, or the bytes of a class, times a factor."""
    return terms_become(
        lambda term: term.amount * (factor if term.kind == kind and name in (term.stage, term.cls) else 1)
    )


def full_pairs(patch: pytest.MonkeyPatch) -> None:
    """Causal pairs are counted like all pairs."""

    def derived(study: Study, order: str) -> Derivation:
        return derive(replace(study, conventions=replace(study.conventions, pairs="full")), order)

    patch.setattr(sheet, "derive", derived)


def wide_rows(patch: pytest.MonkeyPatch) -> None:
    """A cached row has twice its elements."""

    def elements(derivation: Derivation) -> Poly:
        graph = derivation.cost.graph
        return cache_elements(graph, derivation.study.sizes(graph)) * 2

    patch.setattr(Derivation, "cache_elements", property(elements))


def slow_memory(patch: pytest.MonkeyPatch) -> None:
    """Accelerators read at half their bandwidth."""
    figures = given._figures

    def halved(gpu: Accelerator) -> dict[str, Fraction]:
        found = figures(gpu)
        return found | {"bandwidth": found["bandwidth"] / 2, "R": found["R"] * 2}

    patch.setattr(given, "_figures", halved)


def pairs_of_products(patch: pytest.MonkeyPatch) -> None:
    """A product written out costs one FLOP for a multiply-add."""

    def halved(chain: Entry, sizes: Entry, symbols: Set[str]) -> Poly:
        return chain_flops(chain, sizes, symbols) * Fraction(1, 2)

    patch.setattr(sheet, "chain_flops", halved)


BREAKS: dict[str, tuple[Break, str, str]] = {
    # what is broken: how, claims that notice, claims that have nothing to do with it
    "dot products cost twice as much": (times(2, "flops", "core"), """
        article-4-v3 article-2-8k article-5.2-pair-absorb-dots article-5.6-crosses
        article-5.4-tie note-decode-mla-length card-latent-bf16
        card-latent-flops card-llama-flops card-absorb-times""", """
        article-5.2-pair-absorb-projection article-3-smaller article-3-cache-mha-total article-4-bytes
        article-1-ridges-h100-ridge note-prefill-v2-mha-flops card-llama-bytes card-absorb-lift"""),
    "lifts cost twice as much": (times(2, "flops", "lift"), """
        article-5.2-pair-expand-projection article-5.2-pair-absorb-total article-5.6-crosses article-4-fixed
        article-A-segment-lift-plain note-mla-prefill-total card-absorb-lift card-absorb-times""", """
        article-4-v3 article-5.2-pair-absorb-dots article-2-core note-decode-mla-length card-latent-flops"""),
    "output projections cost twice as much": (times(2, "flops", "output"), """
        note-decode-mha-out note-mha-prefill-total note-decode-whole""", """
        note-decode-attention article-4-v3 article-1-same-output card-latent-bf16"""),
    "projections cost half": (times(Fraction(1, 2), "flops", "projection"), """
        article-2-projections article-2-8k article-2-share article-4-fixed note-prefill-v2-mha-flops
        note-decode-token note-prefill-v2-mla-share""", """
        article-4-v3 article-5.2-pair-absorb-projection note-decode-mla-length card-latent-bf16"""),
    "caches cost twice as many bytes": (times(2, "bytes", "cache"), """
        article-4-v3 article-4-bytes article-2-bytes article-opening-factor article-2.7-models-qwen-ai
        card-llama-bytes card-latent-bf16 card-mistakes-read card-mistakes-time""", """
        article-5.2-pair-absorb-dots article-2-core article-3-cache-mha-total note-decode-mla-length
        card-latent-flops"""),
    "formed rows cost half": (times(Fraction(1, 2), "bytes", "formed"), """
        article-5.4-decode-2048-expand-bytes article-5.4-decode-32768-expand-ai article-5.7-expand""", """
        article-4-v3 article-5.2-pair-expand-dots article-5.6-crosses"""),
    "causal pairs are all pairs": (full_pairs, """
        note-mha-prefill-causal note-mha-prefill-causal-pairs note-mla-prefill-causal""", """
        article-5.4-decode-2048-absorb-flops article-4-v3 note-mha-prefill-full article-5.5-limit"""),
    "cached rows are twice as wide": (wide_rows, """
        article-4-doubled article-A-row article-3-cache-mha-elements card-latent-width
        article-3-cache-mla-total note-decode-mla-cache""", """
        article-3-smaller article-3-eight article-4-v3 card-latent-bytes note-decode-mla-length"""),
    "memory is half as fast": (slow_memory, """
        article-1-ridges-h100-ridge article-8-h200 card-llama-ridge card-llama-below card-mistakes-time
        card-mistakes-below note-drafts-ridge""", """
        article-1-ridges-h100-peak article-4-v3 card-latent-bf16 card-mistakes-read"""),
    "products are counted once": (pairs_of_products, """
        note-tensors-product note-mha-prefill-value note-query-plain-v2 note-mla-prefill-latent-cost
        article-2-multiply note-drafts-join""", """
        note-query-when note-query-usually note-decode-mla-length article-4-v3"""),
}  # fmt: skip


def judged(ids: Iterable[str]) -> set[str]:
    """Which of some claims are as their files expect, derived anew."""
    wanted, found = set(ids), []
    for name in {one.partition("-")[0] for one in wanted}:
        known = load_document(name)
        document = replace(known, sheet=replace(known.sheet, _ratios={}, _derived={}))
        found += list(judge_document(document, wanted))
    assert {verdict.claim.id for verdict in found} == wanted
    return {verdict.claim.id for verdict in found if verdict.as_expected}


@pytest.mark.parametrize("what", BREAKS)
def test_a_rule_that_is_broken_is_noticed(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    broken, notice, rest = BREAKS[what]
    broken(monkeypatch)
    assert judged([*notice.split(), *rest.split()]) == set(rest.split())
