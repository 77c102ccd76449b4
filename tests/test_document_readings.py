"""Every other way to read a figure: what is printed, what is derived, and the way from one to the other.

By hand at H = 2, L = 10, d_k = 3, d_v = 5, d_c = 7, d_r = 3, d_q = 4, d_model = 11, b = 2, for an indexer of 3
heads 2 wide that selects 4 rows, and for 8 query heads on 4 key/value heads.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import pytest
from small_documents import broken, judged, read, written

from derivations.documents.changes import changes
from derivations.documents.reread import readings_tried
from derivations.documents.verdict import Verdict

SIZES = (
    "{set: {H: 2, L: 10, d_k: 3, d_v: 5, d_c: 7, d_r: 3, d_q: 4, d_model: 11, b: 2, H_I: 3, d_I: 2, n: 4, "
    "H_q: 8, H_kv: 4}}"
)
CONVENTIONS = [
    # (what is printed; the quantity; its own number; what is meant)
    ("1760", "{flops: mha, phase: prefill}", 2 * 2 * 100 * 8, "only causal pairs are counted"),
    # 3200 of the core, 4840 of projections, 2200 of the output
    ("8640", "{flops: mha, phase: prefill, scope: layer}", 10240, "half of all pairs are counted"),
    ("3200", "{flops: mha, phase: prefill, pairs: causal}", 2 * 2 * 55 * 8, "all pairs are counted"),
    # a layer: the core, 11 * 2 * 11 for three projections, and 220 for the output
    ("320", "{flops: mha, scope: layer}", 320 + 2 * 11 * 2 * 11 + 220, "only the core is counted"),
    ("1024", "{flops: mha}", 320, "the whole layer is counted"),
    ("160", "{flops: mha}", 320, "a multiply-add counts once"),
    ("320", "{flops: mha, stages: [core, output]}", 320 + 220, "the output projection is left out"),
    ("320", "{flops: mha, stages: [core, projection]}", 320 + 484, "the projections are left out"),
    # bytes of the absorbed order: rows, weights of the lift, queries and results, rows again, scores
    ("364", "{bytes: mla, order: absorb}", 140, "the bytes of the up-projection weights are counted"),
    ("5.60", "{intensity: mla, order: absorb, scope: attention+weights}", 784 / 364,
     "the bytes of the up-projection weights are left out"),
    ("196", "{bytes: mla, order: absorb}", 140, "the queries and results at the core's edge are counted"),
    ("280", "{bytes: mla, order: absorb}", 140, "scores and weighted sum each read the cache"),
    ("440", "{bytes: mla, order: absorb}", 140, "scores are written and read"),  # twice 80
    ("140", "{bytes: mla, order: absorb, traffic: two-pass}", 280, "a fused kernel reads everything once"),
    # of the expanded one: 140 of rows, and 320 of keys and values once
    ("780", "{bytes: mla, order: expand}", 460, "formed keys and values are written and read"),
    ("140", "{bytes: mla, order: expand}", 460, "formed keys and values never leave the chip"),
    ("320", "{bytes: mla, order: expand}", 460, "expanded keys and values are kept"),
    ("460", "{bytes: mla, order: expand, formed: write+read}", 780, "formed keys and values are read once"),
    # a token kept expanded: 32 bytes of keys and values, and 6 of RoPE, alone or for each of two heads
    ("38.0", "{row: mla+rope, order: expand, formed: cached}", 44, "the shared row is kept once"),
    ("44.0", "{row: mla+rope, order: expand, formed: cached, kept-rows: once}", 38,
     "the shared row is copied into each head"),
    # the projections of a token: latent 154 and query 132, or 88 and 48 through a latent; for RoPE, a key 66
    # and a query 48
    ("140", "{bytes: mla+rope, order: absorb}", 200, "the RoPE segment is left out"),
    ("200", "{bytes: mla, order: absorb}", 140, "the RoPE segment is counted"),
    ("286", "{flops: mla+query-latent, order: absorb, stages: [projection]}", 290,
     "the query latent is left out"),
    ("290", "{flops: mla, order: absorb, stages: [projection]}", 286, "the query latent is counted"),
    ("286", "{flops: mla+rope+query-latent, order: absorb, stages: [projection]}", 404,
     "the RoPE segment and the query latent are left out"),
    # the indexer: 132 for queries, 44 for its row, 66 for weights, 120 of scores and 60 of their sum
    ("224", "{flops: dsa, order: absorb, stages: [core, indexer]}", 224 + 422, "the indexer is left out"),
    # the output projection: 220 FLOPs on 220 bytes of weights, 20 read and 22 written
    ("1.00", "{intensity: mha, stages: [output], classes: [weight, activation]}", 220 / 262,
     "the activations are left out"),
    ("5.24", "{intensity: mha, stages: [output], classes: [weight, activation]}", 220 / 262,
     "the weights are left out"),
    ("320", "{bytes: mha, classes: [cache, append]}", 352, "the new rows written are left out"),
    ("70.0", "{bytes: mla, order: absorb}", 140, "cached rows are one byte an element"),
    ("0.344 kB", "b*16*11", 352, "bytes are in binary units, such as GiB for GB"),
    ("344 B", "b*16*11", 352, None),  # bytes without a prefix have no binary unit
    ("0.333 kB", "b*16*11", 352, None),
]  # fmt: skip


@cache
def together(under: str) -> Mapping[str, Verdict]:
    """Every row taken at these sizes, as figures of one document: what they share is derived once."""
    rows = {
        f"r{number}": (prints, quantity)
        for number, (prints, quantity, at) in enumerate(ROWS) if at == under
    }  # fmt: skip
    quantities = "".join(f"q{name}: {quantity}\n" for name, (_, quantity) in rows.items())
    claims = [f'{name}: {{line: 1, prints: "{prints}", value: q{name}}}' for name, (prints, _) in rows.items()]
    return judged("\n".join(claims), f"{quantities}indexed: {{flops: dsa}}\n", under)


def verdict_on(prints: str, quantity: str, own: float, under: str) -> Verdict:
    """The verdict on a row, whose own number must be as by hand."""
    verdict = together(under)[f"r{ROWS.index((prints, quantity, under))}"]
    (reading,) = verdict.readings
    assert reading.value is not None
    assert abs(float(reading.value) - own) < 1e-9
    return verdict


@pytest.mark.parametrize(("prints", "quantity", "own", "words"), CONVENTIONS)
def test_conventions(prints: str, quantity: str, own: float, words: str | None) -> None:
    verdict = verdict_on(prints, quantity, own, SIZES)
    if words is None:
        assert (verdict.status, verdict.because) == ("wrong", "no other reading gives the printed figure")
    else:
        assert (verdict.status, verdict.because) == ("holds if", f"only where {words}")
        assert [r.words for r in verdict.explained] == [words]


EIGHT = "{set: {L: 8, S: 3}}"
SLIPS = [
    # (what is printed; a formula or a quantity; its own number; the slip; sizes)
    ("2.00", "2*L/(L + S)", 16 / 11, "taken at the limit of a long context", EIGHT),
    ("1.66", "5*S/9", 15 / 9, "cut off instead of rounded", EIGHT),
    ("1.67", "5*S/9 - 1/300", 1.6633333333333333, "rounded up", EIGHT),
    ("5.33", "L/S", 8 / 3, "a factor of two too many", EIGHT),
    ("1.33", "L/S", 8 / 3, "a factor of two missing", EIGHT),
    ("0.375", "L/S", 8 / 3, "upside down", EIGHT),
    ("0.727", "L/S", 8 / 3, "a share of the other part", EIGHT),
    ("1.667", "L/S", 8 / 3, "the distance to one", EIGHT),
    ("3.00", "L/S", 8 / 3, "L one too large", EIGHT),
    ("2.33", "L/S", 8 / 3, "L one too small", EIGHT),
    ("2.000", "L/S", 8 / 3, "S one too large", EIGHT),
    ("4.00", "L/S", 8 / 3, "S one too small", EIGHT),
    ("9300", "100*layers", 2400, "every layer is taken for one with this attention", "{model: kimi-k3}"),
    ("128", "H", 96, "the widths of deepseek-v3", "{model: kimi-k3}"),
    ("96.0", "H", 128, "the widths of kimi-k3", "{model: deepseek-v3}"),
    ("560", "{flops: mla, order: absorb, stages: [core, lift]}", 784, "the up-projections forgotten", SIZES),
    ("224", "{flops: mla, order: absorb, stages: [core, lift]}", 784, "the dot products forgotten", SIZES),
    ("120", "{flops: mha}", 320, "keys alone, values forgotten", SIZES),
    ("640", "{bytes: gqa}", 160, "ranks take no share", SIZES.replace("}}", "}, tp: 4}")),
]  # fmt: skip


ROWS = [(prints, quantity, SIZES) for prints, quantity, _, _ in CONVENTIONS]
ROWS += [(prints, quantity, under) for prints, quantity, _, _, under in SLIPS]


@pytest.mark.parametrize(("prints", "quantity", "own", "words", "under"), SLIPS)
def test_slips(prints: str, quantity: str, own: float, words: str, under: str) -> None:
    verdict = verdict_on(prints, quantity, own, under)
    assert (verdict.status, verdict.because) == ("wrong", f"{words} gives the printed figure")
    assert [r.words for r in verdict.explained] == [words]


def test_every_way_is_tested_above() -> None:
    ways = {(change.kind, change.words) for change in changes()}
    assert len(ways) == len(changes())
    tested = {("convention", words) for *_, words in CONVENTIONS if words}
    tested |= {("slip", words) for *_, words, _ in SLIPS}
    assert ways == tested


def test_a_size_of_one_is_not_made_nothing() -> None:
    claims = 'a: {line: 1, prints: "0.0", value: 10*L}\nb: {line: 1, prints: "20.0", value: 10*L}'
    found = judged(claims, "c: L\n", "{set: {L: 1}}")
    assert (found["a"].because, found["a"].explained) == ("no other reading gives the printed figure", ())
    # twice one, and one more than one
    assert [r.words for r in found["b"].explained] == ["a factor of two too many", "L one too large"]
    three = judged(claims, "c: L\n", "{set: {L: 3}}")
    assert [r.words for r in three["b"].explained] == ["L one too small"]


PLACES = [
    # (the list of places; what sets each apart from the others in words)
    ("[{set: {L: 2048}}, {set: {L: 128K, S: 4}}]", ["at L = 2,048", "at L = 128K and S = 4"]),
    ("[{gpu: h200-sxm}, {gpu: b200, tp: 8}]", ["on NVIDIA H200 SXM", "on NVIDIA B200 (HGX), tp 8"]),
    ("[{model: kimi-k3, set: {L: 8}}]", ["at L = 8, on the widths of Kimi K3"]),
]


@pytest.mark.parametrize(("over", "words"), PLACES)
def test_places_in_words(over: str, words: list[str]) -> None:
    claims = {claim.id: claim for claim in read(broken("over: [{gpu: h100-sxm}]", f"over: {over}")).claims()}
    assert [place for place, _ in claims["tiny-1-four"].places] == words


ROPE, PASSES = "the RoPE segment is left out", "scores and weighted sum each read the cache"
MACS, GONE = "a multiply-add counts once", "tiny-1-b0 does not hold"
AT = "{set: {H: 2, L: 10, d_k: 3, d_v: 5, d_c: 7, d_r: 3, b: 2}}"
WIDTH = "independent: {quantity: latent, of: d_c}"
HALVED = 'means: "H*L*(d_k + d_v)", equals: F'
BESIDE = [
    # (a statement; formulas and prints of the figures beside it; its verdict; why; what it is proved under)
    (WIDTH, [], "holds if", f"proved only where {PASSES} or {ROPE}", [PASSES, ROPE]),
    # 140 bytes, but 280 in two passes; 200 with the segment, and 400 or 140
    (WIDTH, [("plain", "140")], "holds if", f"proved only where {ROPE}", [ROPE]),
    (WIDTH, [("plain", "140"), ("F", "320")], "holds if", f"proved only where {ROPE}", [ROPE]),
    (WIDTH, [("wide", "100 to 300")], "holds if", f"proved only where {ROPE}", [ROPE]),
    (WIDTH, [("wide", "100 to 400")], "holds if", f"proved only where {PASSES} or {ROPE}", [PASSES, ROPE]),
    (WIDTH, [("wide", "200")], "contradicts",
     f"proved only where {PASSES} or {ROPE}, and then {GONE}", [PASSES, ROPE]),
    (HALVED, [("F", "320"), ("2*F", "640"), ("plain", "140")], "contradicts",
     f"proved only where {MACS}, and then tiny-1-b0 and tiny-1-b1 do not hold", [MACS]),
    (HALVED, [("F/plain", "160")], "contradicts",
     f"proved only where {MACS}, and then {GONE}", [MACS]),
    (HALVED, [("2*F/(F + F)", "1"), ("F", "160")], "holds if", f"proved only where {MACS}", [MACS]),
    # what is proved needs no convention, and what no convention proves is wrong
    ("holds: F > 0", [("F", "777")], "holds", "", []),
    ("holds: F = L", [("F", "320")], "wrong", "there are sizes that show it false", []),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "beside", "status", "because", "proved"), BESIDE)
def test_statements_and_figures_beside_them(
    statement: str, beside: list[tuple[str, str]], status: str, because: str, proved: list[str]
) -> None:
    names = [f"b{number}" for number in range(len(beside))]
    figures = [
        f'{name}: {{line: 1, prints: "{prints}", value: "{formula}", under: {AT}}}'
        for name, (formula, prints) in zip(names, beside, strict=True)
    ]
    claims = [f"a: {{line: 1, {statement}, beside: [{', '.join(f'1-{name}' for name in names)}]}}", *figures]
    kinds = [
        ("F", "flops: mha"),
        ("latent", "intensity: mla+rope"),
        ("wide", "bytes: mla+rope"),
        ("plain", "bytes: mla"),
    ]
    quantities = "".join(
        f"{name}: {{{kind}{', order: absorb' if 'mla' in kind else ''}}}\n" for name, kind in kinds
    )
    verdict = judged("\n".join(claims), quantities, "{}")["a"]
    assert (verdict.status, verdict.because.partition("proved in")[0]) == (status, because)
    assert [reading.words for reading in verdict.explained] == proved


def test_every_reading_tried_is_another_number() -> None:
    text = written(
        'a: {line: 1, prints: "160", value: F, over: [{}, {set: {L: 20}}], instead: {it: {value: A}}}'
    )
    (claim,) = (document := read(text)).claims()
    tried = [(kind, r.words, r.value) for kind, r in readings_tried(claim, document.sheet)]
    # 320 FLOPs and 640; a number that is cut off is the same, and still another reading
    assert [value for _, words, value in tried if words.startswith("a multiply-add counts once")] == [160, 320]
    assert ("slip", "taking it", Fraction(560)) in tried
    assert ("slip", "cut off instead of rounded at L = 20", Fraction(640)) in tried
    assert [words for _, words, value in tried if value in (None, 320) and "round" not in words] == [
        "a multiply-add counts once at L = 20", "a factor of two missing at L = 20",
    ]  # fmt: skip
    assert {kind for kind, _, _ in tried} == {"convention", "slip"}
