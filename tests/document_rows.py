"""Where rows of `hand_figures` and claims of documents meet by name, not at all, or with different numbers."""

from __future__ import annotations

from fractions import Fraction

from hand_figures import Number

Key = tuple[str, int, str]
"""Document, line, and what is printed there."""


def _of(document: str, **by_line: dict[str, str]) -> dict[Key, str]:
    """Rows of a document: line -> what is printed there -> a text."""
    return {
        (document, int(line.removeprefix("l")), printed): text
        for line, rows in by_line.items()
        for printed, text in rows.items()
    }


NAMED: dict[Key, str] = {
    **_of(
        "article",
        l13={"exactly 1": "opening-mha"},
        l15={"independent": "opening-latent-width", "a little under 2": "opening-factor"},
        l27={"a little under 2": "opening-factor"},
        l70={"same constant": "1-same-constant"},
        l122={"over a hundred thousand": "2-tenth"},
        l124={"only": "2-structure"},
        l159={"do not drop": "2-flops-stay"},
        l198={"L/b": "2.8-factor"},
        l205={"six hundred or so": "2.8-soon", "a few dozen": "2.8-dozens"},
        l207={"whatsoever": "2.8-flops"},
        l233={"93 layers": "3-layers"},
        l239={"twice": "3-twice"},
        l313={"1052/L": "4-ratio"},
        l338={"doubles": "4-doubled"},
        l456={"S or L": "5.3-larger"},
        l471={"L ≥ 2": "5.4-wins"},
        l496={"more than 100×": "5.6-cheaper"},
        l500={"128 to": "5.6-low"},
        l502={"exactly the same": "5.6-heads"},
        l510={"an order of magnitude or two": "5.7-worse"},
        l512={"10⁵": "5.7-prefill-expand", "10⁶": "5.7-prefill-absorb"},
        l546={"flat": "6-flat"},
        l550={"2048": "6-saves"},
        l548={"flips": "6-dense-prefill"},
        l562={"2Hq": "7-structures-mla-ai"},
        l599={"two-to-three-hundred": "8-ridges"},
        l611={"exactly enough": "8-across", "under 2": "8-constant"},
        l623={"2H": "8-quoted"},
        l687={"768 before": "A-difference", "768 after": "A-difference-rope"},
    ),
    **_of(
        "note",
        l107={"2d_k+d_v": "prefill-formulas-mha-input"},
        l217={"512$ dimensions": "decode-mla-cache"},
        l325={"usually cheaper": "query-usually"},
        l343={"128(128+128)=32768": "drafts-mha-cache"},
        l349={"its own copy": "drafts-copies", "h=128": "drafts-heads"},
        l351={"D=2": "drafts-two"},
        l361={"main decode is cheap": "drafts-shrunk"},
        l363={"4d^2": "drafts-join"},
        l371={"factor of $h$": "drafts-rise"},
    ),
    **_of(
        "card",
        l3={"8 for Llama": "summary-gqa", "576-wide": "summary-width"},
        l13={"2g": "answer-short"},
        l15={"64 times the bytes": "answer-batch-bytes"},
        l17={"g = 8": "llama-g"},
        l34={"16 of the 128": "ranks-heads", "falls to 30": "ranks-intensity", "unchanged": "ranks-gqa"},
        l36={"120 times": "absorb-times"},
        l38={"rises to 32": "reversal-gqa", "compute-bound": "reversal-past"},
        l52={"intensity 1": "scoring-weak"},
    ),
}
"""Rows that stand for words, or that are printed with more beside them: the id of their claim."""

NO_CLAIM: dict[Key, str] = {
    **_of(
        "article",
        l198={"295": "given: the ridge that thresholds are measured against"},
        l358={"near the roofline knee": "words: no claim, a sentence of ours has the number"},
        l492={"barely": "words"},
    ),
    **_of(
        "note",
        l186={"memory-efficient": "words"},
        l219={"smaller computations": "words, and the note prints what grows two paragraphs above"},
        l327={"only modestly": "words"},
        l349={"32768": "given: a size of the claim beside it, and claimed in lines 217 and 343"},
    ),
    **_of(
        "card",
        l25={"not the formula": "words: what the formula is called"},
        l32={"wider dot products": "words"},
        l38={"4 queries": "given: a size of the claim beside it"},
        l42={"stops helping": "words"},
        l62={"twice": "words: claimed as two figures, 8 and 16"},
    ),
}
"""Rows that no claim is about, and why."""


def sparse(length: int) -> int:
    """FLOPs of a step on selected rows: lift, core, and the dot products of the indexer."""
    return 2 * (128 * (512 * 256 + 2048 * 1024) + 64 * 129 * length)


def prompt(length: int) -> Fraction:
    """FLOPs of a prompt on selected rows, causal, what the indexer does on pairs too, over all rows."""
    pairs, selected = length * (length + 1) // 2, 2048 * 2049 // 2 + (length - 2048) * 2048
    chosen = 128 * (length * 512 * 256 + selected * 1024) + 64 * 129 * pairs
    return Fraction(chosen, 128 * (length * 512 * 256 + pairs * 256))


def expanded(length: int) -> int:
    """Bytes of the expanded order: rows, keys and values moved once, weights."""
    return 2 * (length * 512 + length * 96 * 256 + 96 * 512 * 256)


ONCE = "by hand keys and values are written and read once they are formed; derived, they are moved once"
QUERY_ROWS = "by hand causal pairs, and bytes of queries and results; derived, all pairs and cached rows alone"
HALF = "by hand causal pairs; derived, all pairs"
PEAK = "by hand a peak of 989 TFLOP/s, as the card divides; derived, of 989.5"
APART: dict[Key, tuple[Number, Number, str]] = {
    ("article", 201, "590"): (1180, 295, QUERY_ROWS),
    ("article", 202, "148"): (737.5, 73.75, QUERY_ROWS),
    ("article", 203, "18"): (19, 295 / 32, "by hand the first whole number past the article's own factor"),
    ("article", 205, "six hundred or so"): (1180, 295, QUERY_ROWS),
    ("article", 205, "a few dozen"): (590 / 48, 73.75, "another unit: by hand dozens, of 147.5"),
    ("article", 465, "103 M"): (228.589568, expanded(2048) / 1e6, ONCE),
    ("article", 466, "411 M"): (838.8608, expanded(8192) / 1e6, ONCE),
    ("article", 467, "1.64 G"): (3.279945728, expanded(32768) / 1e9, ONCE),
    ("article", 465, "503"): (225.908, 2 * 96 * 2048 * 131328 / expanded(2048), ONCE),
    ("article", 466, "503"): (246.24, 2 * 96 * 8192 * 131328 / expanded(8192), ONCE),
    ("article", 467, "503"): (251.908, 2 * 96 * 32768 * 131328 / expanded(32768), ONCE),
    ("article", 510, "503"): (251.908, 2 * 96 * 32768 * 131328 / expanded(32768), ONCE),
    ("article", 490, "4×"): (3.000325, 3.4, HALF),
    ("article", 510, "an order of magnitude or two"): (1.69020, 49, "another unit: by hand its logarithm"),
    ("article", 512, "10⁵"): (
        1505.142857, 2 * 96 * (2048 * 512 * 256 + 2048 * 2048 * 256) / (2 * 2048 * (512 + 96 * 256)), HALF,
    ),
    ("article", 512, "10⁶"): (
        3170400, 2 * 96 * (32768 * 512 * 256 + 32768 * 32768 * 1024) / (2 * 32768 * 512), HALF,
    ),
    ("article", 546, "flat"): (
        4.525813, sparse(131072) / (2 * 128 * (512 * 256 + 2048 * 1024)),
        "by hand over the cost at 2,048 tokens, indexer and all; derived, over that without an indexer",
    ),
    ("article", 550, "2048"): (
        15286.48, prompt(32768), "another unit: by hand where selecting pays; derived, what it costs"
    ),
    ("article", 586, "171"): (
        73.142857, 512 * 256 * 131072 / (512 * 256 + 768 * 131072),
        "by hand at a history of 128 tokens; derived, at three lengths of section 5.6",
    ),
    ("article", 687, "171"): (
        170.66667, 512 * 256 * 131072 / (512 * 256 + 768 * 131072),
        "by hand the limit; derived, at 131,072 tokens",
    ),
    ("note", 351, "D=2"): (2, 3 * 241.777778 / 281.25, "another unit: by hand drafts"),
    ("card", 3, "295"): (295.22388, 989.5 / 3.35, PEAK),
    ("card", 22, "295"): (295.22388, 989.5 / 3.35, PEAK),
    ("card", 22, "37x"): (36.902985, 989.5 / 3.35 / 8, PEAK),
    ("card", 34, "unchanged"): (4, 8, "by hand on 16 ranks, twice as many as heads; derived, on 8"),
    ("card", 38, "compute-bound"): (0.36670037, 4 * 278528 / 1152 / (989.5 / 3.35), "by hand a rank of eight"),
    ("card", 44, "295"): (295.22388, 989.5 / 3.35, PEAK),
    ("card", 54, "295"): (295.22388, 989.5 / 3.35, PEAK),
    ("card", 62, "18x"): (18.451493, 989.5 / 3.35 / 16, PEAK),
}  # fmt: skip
"""Rows with another number than the one derived: the row's, the derived one, also by hand, and why."""

UNDER_APART: dict[Key, tuple[Number | None, str]] = {
    ("article", 490, "4×"): ((512 + 8192 * 4) / (512 + 8192), HALF),
    ("article", 512, "10⁵"): (None, "by hand the latent alone is read; nothing derived comes near"),
    ("article", 512, "10⁶"): (
        2 * 96 * (2048 * 512 * 256 + 2048 * 2048 * 1024) / (2 * 2048 * 512), "derived, at the shortest length"
    ),
    ("article", 550, "2048"): (prompt(32768), "derived, where it pays"),
    ("article", 685, "3.9×"): (None, "derived, it holds with all pairs"),
    ("article", 685, "3.3×"): (None, "derived, it holds with all pairs"),
    ("card", 34, "unchanged"): (None, "derived, it holds as it stands"),
    ("card", 38, "compute-bound"): (None, "derived, it holds as it stands"),
}  # fmt: skip
"""Rows whose condition is another one: the number derived under a condition, if any, and the difference."""

STATED = "only a figure contradicts by rule; a statement is refuted"
PRINTED = "by rule, another figure printed elsewhere is what makes it contradict"
ALONE = "by hand the other figure printed elsewhere decides; by rule, the place at which it holds"
OTHER_VERDICTS: dict[Key, tuple[str, str, str]] = {
    ("article", 60, "120×"): ("wrong", "contradicts", PRINTED),
    ("article", 70, "2/b"): ("holds", "holds if", "by hand weights alone; derived, the hidden states too"),
    ("article", 124, "2/b"): ("holds", "holds if", "by hand weights alone; derived, the hidden states too"),
    ("article", 136, "2/b"): ("holds", "holds if", "by hand weights alone; derived, the hidden states too"),
    ("article", 124, "only"): ("contradicts", "wrong", STATED),
    ("article", 203, "18"): ("wrong", "holds if", "by hand a whole number; derived, where they meet"),
    ("article", 233, "93 layers"): ("holds if", "wrong", "how many layers there are is no convention"),
    ("article", 456, "S or L"): ("contradicts", "wrong", STATED),
    ("article", 469, "120×"): ("wrong", "contradicts", PRINTED),
    ("article", 469, "71×"): ("wrong", "contradicts", PRINTED),
    ("article", 471, "120×"): ("wrong", "contradicts", PRINTED),
    ("article", 490, "128×"): ("contradicts", "holds if", ALONE),
    ("article", 510, "120×"): ("wrong", "contradicts", PRINTED),
    ("article", 510, "71×"): ("wrong", "contradicts", PRINTED),
    ("article", 512, "10⁶"): ("wrong", "holds if", "derived, one of three lengths is inside"),
    ("article", 548, "flips"): ("contradicts", "holds", "by hand, its table is of decode; derived, of prefill"),
    ("article", 586, "171"): ("holds if", "wrong", "by hand at the limit of long histories, by rule a slip"),
    ("article", 611, "exactly enough"): ("wrong", "holds if", "by rule, one of three ridges is enough"),
    ("article", 685, "3.9×"): ("holds if", "holds", "about lets all pairs pass as well"),
    ("article", 685, "3.3×"): ("holds if", "holds", "about lets all pairs pass as well"),
    ("note", 343, "281"): ("holds", "holds if", "the note names no accelerator; one of five has it"),
    ("note", 371, "factor of $h$"): ("wrong", "holds if", "by rule, in two passes"),
    ("note", 349, "its own copy"): ("contradicts", "wrong", STATED),
    ("note", 361, "main decode is cheap"): ("contradicts", "holds if", "by rule, it is at short contexts"),
    ("card", 34, "unchanged"): ("holds if", "holds", "by hand on more ranks too; derived, on eight"),
    ("card", 38, "compute-bound"): ("holds if", "holds", "by hand on one rank of eight too"),
}  # fmt: skip
"""Rows with another verdict than the one found by rule: both, and the difference."""
