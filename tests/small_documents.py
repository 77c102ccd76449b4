"""Small documents to judge and to break, and the sizes at which their numbers are easy by hand.

At H = 2, L = 10, d_k = 3, d_v = 5, d_c = 7, b = 2, for one token of decode:

    multi-head core       2 * 2 * 10 * (3 + 5)  =  320 FLOPs     2 * 2 * 10 * (3 + 5)  =  320 bytes
    absorbed core         4 * 2 * 10 * 7        =  560 FLOPs     2 * 10 * 7            =  140 bytes
    absorbed lift         2 * 2 * 7 * (3 + 5)   =  224 FLOPs     2 * 2 * 7 * (3 + 5)   =  224 bytes of weights
    expanded core         2 * 2 * 10 * (3 + 5)  =  320 FLOPs
    expanded lift         2 * 2 * 10 * 7 * 8    = 2240 FLOPs
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

import pytest

from derivations.documents.document import Document
from derivations.documents.judged import judge_document
from derivations.documents.reading import read_document
from derivations.documents.verdict import Verdict
from derivations.errors import InputError
from derivations.yamlfile import parse_yaml

SIZES = "{set: {H: 2, L: 10, d_k: 3, d_v: 5, d_c: 7, b: 2}}"
QUANTITIES = """\
F: {flops: mha}
M: {bytes: mha}
I: {intensity: mha}
A: {flops: mla, order: absorb}
A_bytes: {bytes: mla, order: absorb}
lift: {flops: mla, order: absorb, stages: [lift]}
both: {flops: mla, order: absorb, stages: [core, lift]}
attention: {flops: mla, order: absorb, scope: attention}
weighty: {bytes: mla, order: absorb, scope: attention+weights}
out: {flops: mha, stages: [output]}
"""
HEAD = """\
document: tiny
title: A tiny document
about: Nothing much.
sha256: none
notation: article
"""


def written(claims: str, quantities: str = QUANTITIES, under: str = SIZES, more: str = "") -> str:
    """The text of a document with one section, called 1, which has these claims."""
    return (
        f"{HEAD}under: {under}\nquantities:\n{indent(quantities, '  ')}"
        f"sections:\n  '1':\n    title: A section\n{indent(more, '    ')}"
        f"    claims:\n{indent(claims.strip(), ' ' * 6)}\n"
    )


def read(text: str) -> Document:
    """The document in a text, as the reader of shipped ones has it; errors call the file f.yaml."""
    return read_document(parse_yaml(text, "f.yaml"))


def judged(
    claims: str, quantities: str = QUANTITIES, under: str = SIZES, more: str = ""
) -> Mapping[str, Verdict]:
    """The verdicts on the claims of a document with one section, by the last part of their ids."""
    found = judge_document(read(written(claims, quantities, under, more)))
    return {verdict.claim.id.removeprefix("tiny-1-"): verdict for verdict in found}


FULL = """\
document: tiny
title: A tiny document
about: Nothing much.
sha256: none
notation: article
names: [GPT-2]
letters: {T: L}
symbols: [V]
quantities:
  F: {flops: mha}
  M: {bytes: mha, scope: kernel}
  A: {intensity: mla, order: absorb}
  ridge: {part: h100-sxm, figure: R}
  cross: {crossover: [A, R], in: H}
  far: {limit: 2*L/(L + S), in: L}
  steps: {chain: ["mk,kn->mn"], sizes: {m: S, k: d_k, n: L}}
  twice: 2*F
under: {model: kimi-k3, set: {b: 2}}
sections:
  "1":
    title: First
    text:
      - "Words about {tiny-1-one} in section 4.2 and in equation 3."
    ours:
      more: {value: F, under: {set: {L: 4}}}
    claims:
      one: {line: 1, says: A count., prints: "512", value: d_c}
      two: {line: 2, prints: 2*H*T*(d_k + d_v), equals: F, expect: holds}
      three: {line: 3, holds: M > 0}
      four: {lines: [4, 5], means: ">1", value: ridge, over: [{gpu: h100-sxm}], group: g}
      five: {line: 6, prints: "96", value: H, beside: [1-one], against: {is: x/2, x: 1-one}, sizes: 4 K}
      six: {line: 7, prints: "1", value: H, expect: wrong, instead: {latent: {value: d_c}}, remark: Ours.}
      seven: {line: 1, prints: "192", value: A}
      eight: {line: 1, prints: "74", value: cross, under: {set: {R: 148, L: 5}}}
      nine: {line: 1, prints: "2", value: far}
      ten: {line: 1, prints: "512", value: steps, under: {set: {L: 2, S: 1}}}
      eleven: {line: 1, prints: "196608", value: twice, under: {set: {L: 2}}}
    tables:
      big:
        title: A table
        corner: what
        columns:
          first: {title: One, value: X}
          second: {title: Two}
        rows:
          r: {line: 8, with: {X: H}, cells: ["96", {prints: "128", value: d_k}]}
          s: {line: 9, with: {X: d_v}, cells: ["128", ~]}
not-claims:
  - reason: Numbers of sections.
    lines: {1: "4.2"}
"""
"""A document with everything that a file may have."""

# words of errors that many refusals share
FORMULA = "use names, whole numbers, + - * / ^ ( ), min, ceil and floor"
FIGURES = "write it like 0.43 G, 139.5 GB, ~295, about 970, >100, 512+, 11% or 2 to 8"
TYPED = "a figure typed by hand; write {id of a claim} for its derived value"
QUOTED = "write the figure in quotation marks, so that no digit of it is lost"
DECIMAL = "a decimal; write it as a whole number or as a quotient such as 3/2"
NAMES = "known: A, B, F, H, H_kv, H_q, L, L_p, M, R, R_fp8, S, ..."
SYMBOLS = "known: B, H, H_kv, H_q, L, L_p, R, R_fp8, S, V, b, b_M, ..."
LINES = "expected `key: value` lines here"
NAMED = "a name is small letters, digits and hyphens, a letter first"

STATED = "holds, equivalent, independent, increasing, crossover, cheapest, same-value"
ONE_OF = f"a claim has one of value, equals, {STATED}"
PRINTS = "the key 'prints' is missing: the figure or the formula as it stands in the document"
LINE = "the key 'line' is missing: where in the document it stands"
NOT_BOTH = "a claim has line, or lines where it stands on several, not both"
KEYS = "known: assume, cells, expect, label, line, lines, sizes, under, with"
FIRST, CELLS, ROW = (
    "first: {title: One, value: X}",
    'cells: ["96", {prints: "128", value: d_k}]',
    "r: {line: 8, ",
)
TABLES = [
    # (what is replaced; by what; line and key below sections.1.tables.big; the words)
    ("        title: A table\n", "", "40", "the key 'title' is missing"),
    ("title: A table", "titles: A table", "40.titles", "unknown key 'titles'; did you mean 'title'?"),
    ("title: A table", "title: A table of 5", "40.title", TYPED),
    (FIRST, "first: {title: One of 5, value: X}", "43.columns.first.title", TYPED),
    *((ROW, f"{ROW}label: {text}, ", "46.rows.r.label", TYPED) for text in ("'2,048'", "at 96", "96")),
    *((FIRST, f"first: {{title: One, value: X, {key}}}", f"43.columns.first.{key.partition(':')[0]}",
       f"unknown key '{key.partition(':')[0]}'; did you mean '{near}'?")
      for key, near in [("line: 8", "instead"), ("lines: [8]", "sizes")]),
    (CELLS, 'cells: ["96", {line: 8, prints: "128", value: d_k}]', "46.rows.r.cells[1].line",
     "unknown key 'line'; did you mean 'instead'?"),
    *((ROW, f"{ROW}{key}: {value}, ", f"46.rows.r.{key}", f"unknown key '{key}'; {words}")
      for key, value, words in [
        ("says", "A row.", KEYS), ("group", "g", KEYS), ("over", "[{}]", KEYS), ("remark", "Ours.", KEYS),
        ("value", "X", "did you mean 'assume'?"), ("prints", "'96'", "did you mean 'lines'?"),
        ("beside", "[1-one]", "did you mean 'sizes'?"), ("instead", "{}", "did you mean 'line'?"),
        ("against", "{is: x}", "did you mean 'lines'?"),
    ]),
    (ROW, f"{ROW}lines: [8], ", "46.rows.r.line", NOT_BOTH),
    ("corner: what", "corners: what", "41.corners", "unknown key 'corners'; did you mean 'corner'?"),
    (FIRST, "first: {value: X}", "43.columns.first", "the key 'title' is missing"),
    (FIRST, "first: One", "43.columns.first", f"{LINES}, found a text"),
    (FIRST, "first: {title: One, values: X}", "43.columns.first.values",
     "unknown key 'values'; did you mean 'value'?"),
    (FIRST, "first: {title: One, value: Y}", "43.columns.first.value", f"unknown name 'Y'; {NAMES}"),
    (FIRST, "first: {title: One}", "46.rows.r.cells[0]", ONE_OF),
    (CELLS, 'cells: ["96", "128", "5"]', "46.rows.r", "3 cells for 2 columns; write ~ for an empty one"),
    (CELLS, "cells: []", "46.rows.r", "0 cells for 2 columns; write ~ for an empty one"),
    ('cells: ["128", ~]', 'cells: ["128", "5"]', "47.rows.s.cells[1]", ONE_OF),
    (CELLS, 'cells: ["96", {value: d_k}]', "46.rows.r.cells[1]", PRINTS),
    (CELLS, 'cells: ["96", {prints: 12.8, value: d_k}]', "46.rows.r.cells[1].prints", QUOTED),
    (CELLS, "cells: [9.6, ~]", "46.rows.r.cells[0]", QUOTED),
    (CELLS, "cells: [ninety, ~]", "46.rows.r.cells[0]", f"'ninety' is no figure; {FIGURES}"),
    (CELLS, "cells: [[96], ~]", "46.rows.r.cells[0]", "expected a text, found a list"),
    (CELLS, 'cells: {first: "96"}', "46.rows.r.cells", "expected a list, found a mapping"),
    (CELLS, 'cell: ["96"]', "46.rows.r.cell", "unknown key 'cell'; did you mean 'cells'?"),
    (CELLS, "label: R", "46.rows.r", "the key 'cells' is missing"),
    (ROW, "r: {", "46.rows.r", LINE),
    ("with: {X: H}", "with: [H]", "46.rows.r.with", f"{LINES}, found a list"),
    ("with: {X: H}", "withs: {X: H}", "46.rows.r.withs", "unknown key 'withs'; did you mean 'with'?"),
    (ROW, f"{ROW}expect: hold, ", "46.rows.r.expect", "unknown verdict 'hold'; did you mean 'holds'?"),
    (ROW, f"{ROW}under: {{model: kimi-k4}}, ", "46.rows.r.under.model",
     "unknown model 'kimi-k4'; did you mean 'kimi-k3'?"),
    ("s: {line: 9, ", "r: {line: 9, ", "47.rows.r", "the key 'r' stands twice; first in line 46"),
]  # fmt: skip
"""How a table may be broken."""


def broken(old: str, new: str) -> str:
    """`FULL` with one spot replaced."""
    assert FULL.count(old) == 1, f"{old!r} stands {FULL.count(old)} times in FULL"
    return FULL.replace(old, new)


def refusal(old: str, new: str) -> str:
    """The sentence of the InputError that `FULL` with one spot replaced ends in, when it is read or judged."""
    with pytest.raises(InputError) as caught:
        list(judge_document(read(broken(old, new))))
    message = str(caught.value)
    assert "\n" not in message
    return message
