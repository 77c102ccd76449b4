"""Files of documents that are refused: head, quantities and settings, each broken in one place.

What is read, where the error stands, and its exact words. Claims and tables are in test_document_claims.
"""

from __future__ import annotations

import pytest
from small_documents import DECIMAL, FORMULA, FULL, LINES, NAMED, NAMES, SYMBOLS, broken, read, refusal

from derivations.documents.judged import judge_document

KINDS = (
    "a quantity is a formula, or one of flops, bytes, intensity, elements, row, crossover, limit, chain, part"
)
ZEROS = "0" * 20
FF = "unknown name 'FF'; did you mean 'F'?"
STAGES = "known: core, indexer, lift, offline, output, projection"
PARTS = (
    "known: activation, append, cache, core, formed, indexer, lift, offline, output, projection, score, "
    "state, ..."
)
HEAD = [
    # (what is replaced; by what; line and key; the words)
    ("document: tiny", "documents: tiny", ":1 (documents)",
     "unknown key 'documents'; did you mean 'document'?"),
    *((f"{line}\n", "", ":1", f"the key '{line.partition(':')[0]}' is missing")
      for line in ("document: tiny", "title: A tiny document", "about: Nothing much.", "sha256: none",
                   "notation: article")),
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
    ("notation: article", "notation: cards", ":5 (notation)", "unknown notation 'cards'; did you mean 'card'?"),
    ("names: [GPT-2]", "names: GPT-2", ":6 (names)", "expected a list, found a text"),
    ("letters: {T: L}", "letters: [T]", ":7 (letters)", f"{LINES}, found a list"),
    ("letters: {T: L}", "letters: {T: 5.5}", ":7 (letters.T)", DECIMAL),
    ("letters: {T: L}", "letters: {T: Q}", ":7 (letters.T)",
     "unknown symbol 'Q'; did you mean 'H_q'?"),
    ("symbols: [V]", "symbols: V", ":8 (symbols)", "expected a list, found a text"),
    *(("symbols: [V]", f"symbols: [{name}]", ":8 (symbols[0])",
       f"{name!r} is no name, or that of a quantity; call the symbol otherwise")
      for name in ("2V", "V+1", "d-v", "F")),
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
    (F, "F: [mha]", ":10 (quantities.F)", "unknown name 'mha'; did you mean 'M'?"),
    (F, "F: [L]", ":10 (quantities.F)", "expected a text, found a list"),
    *((F, f"F: {{flops: mha, {key}: R}}", f":10 (quantities.F.{key})",
       f"unknown key '{key}'; did you mean '{near}'?")
      for key, near in [("sizes", "stages"), ("figure", "formed")]),
    (F, "F:", ":10 (quantities.F)", "expected a text, found nothing"),
    *((F, f"{name}: {{flops: mha}}", f":10 (quantities.{name})",
       f"'{name}' is a size symbol, or no name; call the quantity otherwise")
      for name in ("H", "1F", "two-fold")),
    (F, f"{F}\n  {F}", ":11 (quantities.F)", "the key 'F' stands twice; first in line 10"),
    *((M, f"{knob}: {value}", f":11 (quantities.M.{knob})", f"unknown value of {knob} '{value}'; {near}")
      for knob, value, near in [("phase", "decoding", "did you mean 'decode'?"),
                                ("pairs", "half", "known: causal, full")]),
    *((M, f"{key}: core", f":11 (quantities.M.{key})", "expected a list, found a text")
      for key in ("stages", "classes", "without")),
    (M, "stages: [cores]", ":11 (quantities.M.stages[0])", "unknown stage 'cores'; did you mean 'core'?"),
    (M, "stages: [core, kernel]", ":11 (quantities.M.stages[1])", f"unknown stage 'kernel'; {STAGES}"),
    (M, "classes: [caches]", ":11 (quantities.M.classes[0])", "unknown class 'caches'; did you mean 'cache'?"),
    (M, "without: [lifts]", ":11 (quantities.M.without[0])",
     "unknown stage or class 'lifts'; did you mean 'lift'?"),
    (M, "without: [kernel]", ":11 (quantities.M.without[0])", f"unknown stage or class 'kernel'; {PARTS}"),
    *((M, f"batched: {value}", ":11 (quantities.M.batched)",
       "write true, for a batch of B sequences, or false") for value in ("yes", "1", "'true'", "[true]", "~")),
    (M, "tp: 0", ":11 (quantities.M.tp)", "0 is out of range; it must be 1 to 4096"),
    (M, "tp: x", ":11 (quantities.M.tp)", "expected a whole number, found a text"),
    (M, "layout: fp9", ":11 (quantities.M)", "unknown layout 'fp9'; did you mean 'fp8'?"),
    (A, "{intensity: mla+ropes, order: absorb}", ":12 (quantities.A)",
     "unknown option of mla 'ropes'; did you mean 'rope'?"),
    (A, "{intensity: mla, order: absorbed}", ":12 (quantities.A.order)",
     "unknown order 'absorbed'; did you mean 'absorb'?"),
    (A, "{intensity: mla, order: [absorb]}", ":12 (quantities.A.order)", "expected a text, found a list"),
    ("part: h100-sxm", "part: h100", ":13 (quantities.ridge.part)",
     "which GPU is 'h100': h100-pcie or h100-sxm?"),
    ("part: h100-sxm", "part: [h100-sxm]", ":13 (quantities.ridge.part)", "expected a text, found a list"),
    ("figure: R", "figure: Ridge", ":13 (quantities.ridge.figure)",
     "unknown figure 'Ridge'; known: R, R_fp8, bandwidth, peak, peak_fp8"),
    (", figure: R", "", ":13 (quantities.ridge)", "the key 'figure' is missing"),
    ("figure: R", "figure: R, order: absorb", ":13 (quantities.ridge.order)",
     "unknown key 'order'; known: figure, part"),
    *(("part: h100-sxm, figure: R", f"part: a100-sxm, figure: {figure}", ":13 (quantities.ridge.figure)",
       "NVIDIA A100 SXM (80 GB) has no peak for FP8") for figure in ("peak_fp8", "R_fp8")),
    (CROSS, "crossover: A", ":14 (quantities.cross.crossover)", "expected a list, found a text"),
    (CROSS, "crossover: [A, Q]", ":14 (quantities.cross.crossover[1])",
     "unknown name 'Q'; did you mean 'H_q'?"),
    *((CROSS, f"crossover: [{formulas}]", ":14 (quantities.cross.crossover)", "a crossover is of two formulas")
      for formulas in ("A", "A, R, F", "")),
    (", in: H}", "}", ":14 (quantities.cross)", "the key 'in' is missing"),
    (CROSS, "crossover: [A, R], order: absorb", ":14 (quantities.cross.order)",
     "unknown key 'order'; known: crossover, in"),
    (CROSS, "crossover: [A, 2*cross]", ":14 (quantities.cross.crossover[1])", "cross is made of itself"),
    ("in: H}", "in: Q}", ":14 (quantities.cross.in)", "unknown symbol 'Q'; did you mean 'H_q'?"),
    (CROSS, "crossover: [A, A]", ":34 (sections.1.claims.eight.value)",
     "tiny-1-eight has no value: cross has no crossing"),
    (LIMIT, "2*L/(L + Q)", ":15 (quantities.far.limit)", "unknown name 'Q'; did you mean 'H_q'?"),
    (LIMIT, "2*L*L/(L + S)", ":35 (sections.1.claims.nine.value)",
     "tiny-1-nine has no value: far grows without bound"),
    (LIMIT, "2*far/(L + S)", ":15 (quantities.far.limit)", "far is made of itself"),
    (", in: L}", "}", ":15 (quantities.far)", "the key 'in' is missing"),
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
    (", sizes: {m: S, k: d_k, n: L}", "", ":16 (quantities.steps)", "the key 'sizes' is missing"),
    *(("m: S", f"m: {name}", ":16 (quantities.steps.sizes.m)", f"unknown name '{name}'; {SYMBOLS}")
      for name in ("F", "twice")),
    ("sizes: {m: S, k: d_k, n: L}", "sizes: [S]", ":16 (quantities.steps.sizes)", f"{LINES}, found a list"),
    ("m: S", "m: 1.5", ":16 (quantities.steps.sizes.m)", DECIMAL),
    ("m: S", "m: 0", ":16 (quantities.steps.sizes.m)", "the size '0' is never positive"),
    # formulas
    (TWICE, "twice: 2*G", ":17 (quantities.twice)", f"unknown name 'G'; {NAMES}"),
    (TWICE, "twice: __import__", ":17 (quantities.twice)", f"unknown name 'import__'; {NAMES}"),
    (TWICE, "twice: F.value", ":17 (quantities.twice)", f"unknown name 'value'; {NAMES}"),
    (TWICE, "twice: max(F, M)", ":17 (quantities.twice)", "unknown name 'max'; did you mean 'M'?"),
    (TWICE, "twice: 2*twice", ":17 (quantities.twice)", "twice is made of itself"),
    (TWICE, f"{TWICE}*again\n  again: 3*twice", ":17 (quantities.twice)", "twice is made of itself"),
    # what no claim asks for is read as well
    *((TWICE, f"{TWICE}\n  other: {text}", f":18 (quantities.other{key})", FF)
      for text, key in [("ceil(2*FF/3)", ""), ("{limit: L/FF, in: L}", ".limit"),
                        ("{crossover: [F, FF], in: L}", ".crossover[1]")]),
    (TWICE, "twice: 1.5", ":17 (quantities.twice)", DECIMAL),
    (TWICE, "twice: {formula: 2*F}", ":17 (quantities.twice.formula)",
     "unknown key 'formula'; did you mean 'formed'?"),
    (TWICE, "twice: F" + " + F" * 150, ":17 (quantities.twice)", "the text is longer than 400 characters"),
    *((TWICE, f"twice: {text}", ":17 (quantities.twice)", f"{words} in the formula '{text}'; {FORMULA}")
      for text, words in [
        ("2*(", "expected a name or a number, found the end"), ("2*F/0", "a division by zero"),
        ("2*F/(L - L)", "a division by zero"), ("2*F.L", "cannot read '.L'"),
        ("_L", "cannot read '_L'"), ("ceil(F)", "expected '/', found ')'"),
        ("ceil(F/(S + 1))", "the divisor must be a single positive term"),
        ("floor(A/2)", "min, ceil and floor take sums of products of sizes only"),
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
    (SET, "set: {H: 1" + ZEROS + "}", ":18 (under.set.H)",
     f"H=1{ZEROS}: H is larger than 1e+15; surely a slip"),
    (SET, "phase: decoding", ":18 (under.phase)", "unknown value of phase 'decoding'; did you mean 'decode'?"),
    (SET, "scope: cores", ":18 (under.scope)", "unknown value of scope 'cores'; did you mean 'core'?"),
    (SET, "layers: some", ":18 (under.layers)", "unknown value of layers 'some'; known: all, attention"),
    (SET, "tp: 5000", ":18 (under.tp)", "5000 is out of range; it must be 1 to 4096"),
    (SET, "tp: two", ":18 (under.tp)", "expected a whole number, found a text"),
    (SET, "without: core", ":18 (under.without)", "expected a list, found a text"),
    (SET, "without: [core, cach]", ":18 (under.without[1])",
     "unknown stage or class 'cach'; did you mean 'cache'?"),
    (SET, "options: [rope]", ":18 (under.options)", f"{LINES}, found a list"),
    (SET, "options: {ropes: false}", ":18 (under.options.ropes)",
     "unknown option 'ropes'; did you mean 'rope'?"),
    *((SET, f"options: {{rope: {value}}}", ":18 (under.options.rope)",
       "an option is put in (true) or left out (false)") for value in ("no", "0", "'false'")),
    (SET, "layout: fp9", ":18 (under.layout)", "unknown layout 'fp9'; did you mean 'fp8'?"),
    (SET, "layout: C=1", ":10 (quantities.F)", "unknown cached tensor 'C'; known: K, V"),
    (SET, "scope: [core]", ":18 (under.scope)", "expected a text, found a list"),
    (ELEVEN, "value: twice", ":37 (sections.1.claims.eleven.value)",
     "tiny-1-eleven has no value: no number for L"),
    ("under: {set: {R: 148, L: 5}}", "under: {}", ":34 (sections.1.claims.eight.value)",
     "tiny-1-eight has no value: no number for R"),
    ("model: kimi-k3, ", "model: falcon-7b, ", ":27 (sections.1.claims.one.value)",
     "tiny-1-one has no value: no number for d_c"),
]  # fmt: skip


def test_the_whole_file_is_read_and_as_expected() -> None:
    found = list(judge_document(read(FULL)))
    assert [v.claim.id for v in found if not v.as_expected] == []
    assert len(found) == 14


READ = [
    # (what is replaced; by what), and the numbers stay the same: twice is 2*H*L*(d_k + d_v) doubled
    (TWICE, "twice: ceil(F/2) + F*3/2"),
    (TWICE, "twice: floor((4*F + 1)/2)"),
    (TWICE, "twice: ceil((2*F - 1)/(2*L))*2*L"),
    (TWICE, "twice: 4*again\n  again: {flops: mha, unit: macs, batched: false}"),
    # what cancels needs no number
    (TWICE, "twice: 2*F*R/R"),
    (TWICE, "twice: 2*(F*V + F*F*V)/(V + F*V)"),
    (CROSS, "crossover: [V*A, V*R]"),
    (CROSS, "crossover: [A/V, R/V]"),
    (CROSS, "crossover: [A*S*b/3, R*S*b/3]"),
    (F, f"{F}\n  unused: {{flops: gqa}}"),
    ("m: S", "m: S*d_k/d_v"),
    (SET, "set: {b: 2}, layout: bf16, without: [], options: {rope: false}"),
    ("symbols: [V]", "symbols: [V, W2, d_x]"),
    ("letters: {T: L}", "letters: {T: L, n_h: H}"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), READ)
def test_what_is_read(old: str, new: str) -> None:
    found = list(judge_document(read(broken(old, new))))
    assert [v.claim.id for v in found if not v.as_expected] == []
    assert len(found) == 14


@pytest.mark.parametrize(("old", "new", "where", "words"), [*HEAD, *QUANTITIES, *SETTINGS])
def test_refusals(old: str, new: str, where: str, words: str) -> None:
    assert refusal(old, new) == f"f.yaml{where}: {words}"
