"""Files of documents that are refused: head, quantities and settings, each broken in one place.

What is read, where the error stands, and its exact words. Claims and tables are in test_document_claims.
"""

from __future__ import annotations

import pytest
from small_documents import FULL, read, refusal

from derivations.documents.judged import judge_document

FORMULA = "use names, whole numbers, + - * / ^ ( ), min, ceil and floor"
DECIMAL = "a decimal; write it as a whole number or as a quotient such as 3/2"
KINDS = (
    "a quantity is a formula, or one of flops, bytes, intensity, elements, row, crossover, limit, chain, part"
)
NAMES = "known: A, B, F, H, H_kv, H_q, L, L_p, M, R, R_fp8, S, ..."
SYMBOLS = "known: B, H, H_kv, H_q, L, L_p, R, R_fp8, S, V, b, bandwidth, ..."
LINES = "expected `key: value` lines here"
NAMED = "a name is small letters, digits and hyphens, a letter first"
STAGES = "known: core, indexer, lift, offline, output, projection"
PARTS = "known: activation, append, cache, core, formed, indexer, lift, offline, output, projection, score, weight"
HEAD = [
    # (what is replaced; by what; line and key; the words)
    ("document: tiny", "documents: tiny", ":1 (documents)",
     "unknown key 'documents'; did you mean 'document'?"),
    ("document: tiny\n", "", ":1", "the key 'document' is missing"),
    ("title: A tiny document\n", "", ":1", "the key 'title' is missing"),
    ("about: Nothing much.\n", "", ":1", "the key 'about' is missing"),
    ("sha256: abc\n", "", ":1", "the key 'sha256' is missing"),
    ("notation: article\n", "", ":1", "the key 'notation' is missing"),
    ("quantities:\n", "quantity:\n", ":9 (quantity)", "unknown key 'quantity'; did you mean 'quantities'?"),
    ("sections:\n", "section:\n", ":19 (section)", "unknown key 'section'; did you mean 'sections'?"),
    ("not-claims:", "not-claimed:", ":48 (not-claimed)",
     "unknown key 'not-claimed'; did you mean 'not-claims'?"),
    ("document: tiny", "document: [tiny]", ":1 (document)", "expected a text, found a list"),
    ("document: tiny", f"document: {'x' * 41}", ":1 (document)", "the text is longer than 40 characters"),
    *(("document: tiny", f"document: {name}", ":1 (document)", NAMED)
      for name in ("Tiny", "tiny.yaml", "ti ny", "../tiny", "1tiny", "-tiny", "tiny_one", "5")),
    ("title: A tiny", f"title: {'x' * 121} tiny", ":2 (title)", "the text is longer than 120 characters"),
    ("about: Nothing much.", "about: ''", ":3 (about)", "the text is empty"),
    ("about: Nothing much.", f"about: {'x' * 601}", ":3 (about)", "the text is longer than 600 characters"),
    ("notation: article", "notation: articles", ":5 (notation)",
     "unknown notation 'articles'; did you mean 'article'?"),
    ("names: [GPT-2]", "names: GPT-2", ":6 (names)", "expected a list, found a text"),
    ("letters: {T: L}", "letters: [T]", ":7 (letters)", f"{LINES}, found a list"),
    ("letters: {T: L}", "letters: {T: 5.5}", ":7 (letters.T)", DECIMAL),
    ("letters: {T: L}", "letters: {T: Q}", ":28 (sections.1.claims.two.prints)",
     "unknown name 'Q'; did you mean 'H_q'?"),
    ("symbols: [V]", "symbols: V", ":8 (symbols)", "expected a list, found a text"),
    *(("symbols: [V]", f"symbols: [{name}]", ":8 (symbols[0])",
       f"{name!r} is no name, or that of a quantity; call the symbol otherwise")
      for name in ("2V", "V+1", "d-v", "F", "x" * 41)),
]  # fmt: skip
F, M, A = "F: {flops: mha}", "scope: kernel", "{intensity: mla, order: absorb}"
CROSS, LIMIT, CHAIN = "crossover: [A, R]", "2*L/(L + S)", '["mk,kn->mn"]'
TWICE = "twice: 2*F"
QUANTITIES = [
    (F, "F: {flops: mhaa}", ":10 (quantities.F)", "unknown variant 'mhaa'; did you mean 'mha'?"),
    (F, "F: {flop: mha}", ":10 (quantities.F.flop)", "unknown key 'flop'; did you mean 'flops'?"),
    (F, "F: {flops: mha, bytes: mha}", ":10 (quantities.F)", KINDS),
    (F, "F: {order: absorb}", ":10 (quantities.F)", KINDS),
    (F, "F: {flops: [mha]}", ":10 (quantities.F.flops)", "expected a text, found a list"),
    (F, "F: [mha]", ":10 (quantities.F)", "expected a text, found a list"),
    (F, "F:", ":10 (quantities.F)", "expected a text, found nothing"),
    (F, "H: {flops: mha}", ":10 (quantities.H)",
     "'H' is a size symbol, or no name; call the quantity otherwise"),
    (F, "1F: {flops: mha}", ":10 (quantities.1F)",
     "'1F' is a size symbol, or no name; call the quantity otherwise"),
    (F, "two-fold: {flops: mha}", ":10 (quantities.two-fold)",
     "'two-fold' is a size symbol, or no name; call the quantity otherwise"),
    (F, f"{F}\n  {F}", ":11 (quantities.F)", "the key 'F' stands twice; first in line 10"),
    (M, "phase: decoding", ":11 (quantities.M)", "unknown value of phase 'decoding'; did you mean 'decode'?"),
    (M, "pairs: half", ":11 (quantities.M)", "unknown value of pairs 'half'; known: causal, full"),
    (M, "stages: core", ":11 (quantities.M.stages)", "expected a list, found a text"),
    (M, "classes: cache", ":11 (quantities.M.classes)", "expected a list, found a text"),
    (M, "without: cache", ":11 (quantities.M.without)", "expected a list, found a text"),
    (M, "tp: 0", ":11 (quantities.M.tp)", "0 is out of range; it must be 1 to 4096"),
    (M, "tp: x", ":11 (quantities.M.tp)", "expected a whole number, found a text"),
    (M, "layout: fp9", ":11 (quantities.M)", "unknown layout 'fp9'; did you mean 'fp8'?"),
    (A, "{intensity: mla+ropes, order: absorb}", ":12 (quantities.A)",
     "unknown option of mla 'ropes'; did you mean 'rope'?"),
    (A, "{intensity: mla, order: absorbed}", ":12 (quantities.A)",
     "unknown order of mla 'absorbed'; did you mean 'absorb'?"),
    (A, "{intensity: mla, order: [absorb]}", ":12 (quantities.A.order)", "expected a text, found a list"),
    ("part: h100-sxm", "part: h100", ":13 (quantities.ridge.part)",
     "which GPU is 'h100': h100-pcie or h100-sxm?"),
    ("part: h100-sxm", "part: [h100-sxm]", ":13 (quantities.ridge.part)", "expected a text, found a list"),
    ("figure: R", "figure: Ridge", ":13 (quantities.ridge.figure)",
     "unknown figure 'Ridge'; known: R, R_fp8, bandwidth, peak, peak_fp8"),
    (", figure: R", "", ":13 (quantities.ridge)",
     "the key 'figure' is missing; say one of peak, peak_fp8, bandwidth, R, R_fp8"),
    (CROSS, "crossover: A", ":14 (quantities.cross.crossover)", "expected a list, found a text"),
    (CROSS, "crossover: [A, Q]", ":14 (quantities.cross.crossover[1])",
     "unknown name 'Q'; did you mean 'H_q'?"),
    ("in: H}", "in: Q}", ":14 (quantities.cross.in)", "unknown symbol 'Q'; did you mean 'H_q'?"),
    (CROSS, "crossover: [A, A]", ":34 (sections.1.claims.eight.value)",
     "tiny-1-eight has no value: cross has no crossing"),
    (LIMIT, "2*L/(L + Q)", ":15 (quantities.far.limit)", "unknown name 'Q'; did you mean 'H_q'?"),
    (LIMIT, "2*L*L/(L + S)", ":35 (sections.1.claims.nine.value)",
     "tiny-1-nine has no value: far grows without bound"),
    ("in: L}", "in: [L]}", ":15 (quantities.far.in)", "expected a text, found a list"),
    ("in: L}", "in: K}", ":15 (quantities.far.in)", "unknown symbol 'K'; did you mean 'd_k'?"),
    # products written out
    (CHAIN, '["mk,kn,nl->ml"]', ":16 (quantities.steps.chain[0])",
     "a step multiplies two things, as in hst,td->hsd"),
    (CHAIN, '["mk"]', ":16 (quantities.steps.chain[0])", "a step multiplies two things, as in hst,td->hsd"),
    (CHAIN, '["mk,kn->mn", "mn,nk,kn->mn"]', ":16 (quantities.steps.chain[1])",
     "a step multiplies two things, as in hst,td->hsd"),
    (CHAIN, '["mk,kn->ml"]', ":16 (quantities.steps.chain[0])",
     "the output has the index l, which no operand has"),
    (CHAIN, '"mk"', ":16 (quantities.steps.chain)", "expected a list, found a text"),
    (CHAIN, "[5]", ":16 (quantities.steps.chain[0])",
     "operand 0 of '5' has '5'; indices are single letters, as in ab,bc,cd->ad"),
    ("k: d_k, n: L", "n: L", ":16 (quantities.steps.chain[0])",
     "the letter k has no size; say it under `sizes`, as in {k: L}"),
    (", sizes: {m: S, k: d_k, n: L}", "", ":16 (quantities.steps.chain[0])",
     "the letter m has no size; say it under `sizes`, as in {m: L}"),
    ("sizes: {m: S, k: d_k, n: L}", "sizes: [S]", ":16 (quantities.steps.sizes)", f"{LINES}, found a list"),
    ("m: S", "m: 1.5", ":16 (quantities.steps.sizes.m)", DECIMAL),
    ("m: S", "m: 0", ":16 (quantities.steps.sizes.m)", "the size '0' is never positive"),
    # formulas
    (TWICE, "twice: 2*G", ":17 (quantities.twice)", f"unknown name 'G'; {NAMES}"),
    (TWICE, "twice: 1.5", ":17 (quantities.twice)", DECIMAL),
    (TWICE, "twice: {formula: 2*F}", ":17 (quantities.twice.formula)",
     "unknown key 'formula'; did you mean 'formed'?"),
    (TWICE, "twice: F" + " + F" * 150, ":17 (quantities.twice)", "the text is longer than 400 characters"),
    *((TWICE, f"twice: {text}", ":17 (quantities.twice)", f"{words} in the formula '{text}'; {FORMULA}")
      for text, words in [
        ("2*(", "expected a name or a number, found the end"), ("2*F/0", "a division by zero"),
        ("2*F/(L - L)", "a division by zero"), ("2*F.value", "cannot read '.value'"),
        ("__import__", "cannot read '__import__'"), ("ceil(F)", "expected '/', found ')'"),
        ("F^9", "the exponent 9 is not between 1 and 8"),
        ("min(F/M, L)", "min, ceil and floor take sums of products of sizes only"),
    ]),
    (TWICE, "twice: 2*F/(L - 2)", ":37 (sections.1.claims.eleven.value)",
     "tiny-1-eleven has no value: a division by zero"),
]  # fmt: skip
SET, ELEVEN = "set: {b: 2}", "value: twice, under: {set: {L: 2}}"
SETTINGS = [
    ("model: kimi-k3", "model: kimi-k33", ":18 (under.model)",
     "unknown model 'kimi-k33'; did you mean 'kimi-k3'?"),
    ("model: kimi-k3", "models: kimi-k3", ":18 (under.models)", "unknown key 'models'; did you mean 'model'?"),
    ("model: kimi-k3", "model: [kimi-k3]", ":18 (under.model)", "expected a text, found a list"),
    (SET, "gpu: h101", ":18 (under.gpu)", "unknown GPU 'h101'; did you mean 'h100-sxm'?"),
    (SET, "gpu: h100", ":18 (under.gpu)", "which GPU is 'h100': h100-pcie or h100-sxm?"),
    (SET, "set: [b]", ":18 (under.set)", f"{LINES}, found a list"),
    (SET, "set: {bb: 2}", ":18 (under.set.bb)", "unknown symbol 'bb'; did you mean 'B'?"),
    (SET, "set: {F: 2}", ":18 (under.set.F)", f"unknown symbol 'F'; {SYMBOLS}"),
    (SET, "set: {b: x}", ":18 (under.set.b)", "b=x: not a number; write for example b=2"),
    (SET, "set: {b: 0}", ":18 (under.set.b)", "b=0: bytes per element must be above 0; BF16 is b=2"),
    (SET, "set: {L: 1.5}", ":18 (under.set.L)", "L=1.5: must be a whole number, such as L=4096 or L=128K"),
    (SET, "set: {d_c: 0}", ":18 (under.set.d_c)", "d_c=0: d_c must be at least 1"),
    (SET, "set: {d_c: -5}", ":18 (under.set.d_c)", "d_c=-5: d_c must be at least 1"),
    (SET, f"set: {{H: 1{'0' * 20}}}", ":18 (under.set.H)",
     f"H=1{'0' * 20}: H is larger than 1e+15; surely a slip"),
    (SET, "phase: decoding", ":18 (under.phase)", "unknown value of phase 'decoding'; did you mean 'decode'?"),
    (SET, "scope: cores", ":18 (under.scope)", "unknown value of scope 'cores'; did you mean 'core'?"),
    (SET, "layers: some", ":18 (under.layers)", "unknown value of layers 'some'; known: all, attention"),
    (SET, "tp: 5000", ":18 (under.tp)", "5000 is out of range; it must be 1 to 4096"),
    (SET, "tp: two", ":18 (under.tp)", "expected a whole number, found a text"),
    (SET, "without: core", ":18 (under.without)", "expected a list, found a text"),
    (SET, "options: [rope]", ":18 (under.options)", f"{LINES}, found a list"),
    (ELEVEN, "value: twice", ":37 (sections.1.claims.eleven.value)",
     "tiny-1-eleven has no value: no number for L"),
    ("under: {set: {R: 148, L: 5}}", "under: {}", ":34 (sections.1.claims.eight.value)",
     "tiny-1-eight has no value: no number for L, R"),
    ("model: kimi-k3, ", "model: falcon-7b, ", ":27 (sections.1.claims.one.value)",
     "tiny-1-one has no value: no number for d_c"),
]  # fmt: skip


def test_the_whole_file_is_read_and_as_expected() -> None:
    found = list(judge_document(read(FULL)))
    assert [v.claim.id for v in found if not v.as_expected] == []
    assert len(found) == 14


@pytest.mark.parametrize(("old", "new", "where", "words"), [*HEAD, *QUANTITIES, *SETTINGS])
def test_refusals(old: str, new: str, where: str, words: str) -> None:
    assert refusal(old, new) == f"f.yaml{where}: {words}"
