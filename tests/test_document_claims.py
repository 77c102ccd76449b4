"""Sections, claims and tables of documents that are refused, each broken in one place.

What is read, where the error stands, and its exact words. Heads and quantities are in test_document_files.
"""

from __future__ import annotations

import pytest
from small_documents import FULL, broken, read, refusal

FORMULA = "use names, whole numbers, + - * / ^ ( ), min, ceil and floor"
EXAMPLES = "write it like 0.43 G, 139.5 GB, ~295, about 970, >100, 512+, 11% or 2 to 8"
TYPED = "a figure typed by hand; write {id of a claim} for its derived value"
QUOTED = "write the figure in quotation marks, so that no digit of it is lost"
DECIMAL = "a decimal; write it as a whole number or as a quotient such as 3/2"
STATED = "holds, equivalent, independent, increasing, crossover, cheapest, same-value"
ONE_OF = f"a claim has one of value, equals, {STATED}"
PRINTS = "the key 'prints' is missing: the figure or the formula as it stands in the document"
LINE = "the key 'line' is missing: where in the document it stands"
NAMES = "known: A, B, F, H, H_kv, H_q, L, L_p, M, R, R_fp8, S, ..."
OTHERS = "known: B, H, H_kv, H_q, L, L_p, R, R_fp8, S, V, b, bandwidth, ..."
LINES = "expected `key: value` lines here"
COMPARISON = "is no comparison; write it like d_k + d_v < 2*d_c"
CONTRADICTORY = (
    "the assumptions contradict each other: no sizes satisfy L < 1 and b = 2, so everything would follow"
)
TEXT = '"Words about {tiny-1-one} in section 4.2 and in equation 3."'
MORE = "more: {value: F, under: {set: {L: 4}}}"
SECTIONS = [
    # (what is replaced; by what; line and key below sections.1; the words)
    ("    title: First\n", "", "21", "the key 'title' is missing"),
    ("title: First", "title: [a]", "21.title", "expected a text, found a list"),
    ("    text:\n", "    texts:\n", "22.texts", "unknown key 'texts'; did you mean 'text'?"),
    ("    tables:\n", "    table:\n", "38.table", "unknown key 'table'; did you mean 'tables'?"),
    (TEXT, "Words about 512 things.", "23.text[0]", TYPED),
    (TEXT, "Words about {tiny-1-one}, which is 512.", "23.text[0]", TYPED),
    (TEXT, "Half of it is 0.5.", "23.text[0]", TYPED),
    (TEXT, "'96 heads'", "23.text[0]", TYPED),
    (TEXT, "x" * 1201, "23.text[0]", "the text is longer than 1200 characters"),
    (TEXT, "{a: b}", "23.text[0]", "expected a text, found a mapping"),
    (MORE, "more: {value: G}", "25.ours.more.value", f"unknown name 'G'; {NAMES}"),
    (MORE, "more: {under: {}}", "25.ours.more", "the key 'value' is missing"),
    (MORE, "more: F", "25.ours.more", f"{LINES}, found a text"),
    (MORE, "more: {value: F, unders: {}}", "25.ours.more.unders",
     "unknown key 'unders'; did you mean 'under'?"),
    (MORE, "more: {value: F, under: {set: {Q: 4}}}", "25.ours.more.under.set.Q",
     "unknown symbol 'Q'; did you mean 'H_q'?"),
]  # fmt: skip
ONE, SAYS, FIGURE, VALUE = "one: {line: 1, ", "says: A count.", 'prints: "512", value: d_c', "value: d_c}\n"
FORM, HOLDS = "prints: 2*H*T*(d_k + d_v), equals: F, expect: holds", "holds: M > 0"
CLAIMS = [
    # (what is replaced; by what; line and key below sections.1.claims; the words)
    (ONE, "one: {", "27.one", LINE),
    (ONE, "one: {lines: 1, ", "27.one.lines", "expected a list, found a number"),
    (ONE, "one: {line: x, ", "27.one.line", "expected a whole number, found a text"),
    (ONE, "one: {line: 0, ", "27.one.line", "0 is out of range; it must be 1 to 100000"),
    ("lines: [4, 5]", "lines: [4, x]", "30.four.lines[1]", "expected a whole number, found a text"),
    (SAYS, "says: 512 of them.", "27.one.says", TYPED),
    (SAYS, "says: 5", "27.one.says", TYPED),
    (SAYS, 'says: ""', "27.one.says", "the text is empty"),
    (SAYS, "say: A count.", "27.one.say", "unknown key 'say'; did you mean 'says'?"),
    ("remark: Ours.", "remark: 96 of ours.", "32.six.remark", TYPED),
    ("remark: Ours.", "remark: [Ours]", "32.six.remark", "expected a text, found a list"),
    # figures
    (FIGURE, "prints: 51.2, value: d_c", "27.one.prints", QUOTED),
    (FIGURE, "means: 51.2, value: d_c", "27.one.means", QUOTED),
    (FIGURE, "prints: five, value: d_c", "27.one.prints", f"'five' is no figure; {EXAMPLES}"),
    (FIGURE, "prints: [512], value: d_c", "27.one.prints", "expected a text, found a list"),
    (FIGURE, 'prints: "", value: d_c', "27.one.prints", "the text is empty"),
    (FIGURE, 'prints: "512", means: "512", value: d_c', "27.one",
     "a claim has the figure that stands there (prints) or our reading of words (means), not both"),
    (FIGURE, "value: d_c", "27.one", PRINTS),
    (FIGURE, 'prints: "512"', "27.one", ONE_OF),
    (VALUE, "value: d_c, equals: d_c}\n", "27.one", ONE_OF),
    (VALUE, "value: d_c, holds: d_c > 1}\n", "27.one", ONE_OF),
    (VALUE, "values: d_c}\n", "27.one.values", "unknown key 'values'; did you mean 'value'?"),
    (VALUE, "value: d_cc}\n", "27.one.value", "unknown name 'd_cc'; did you mean 'd_c'?"),
    (VALUE, "value: 1.5}\n", "27.one.value", DECIMAL),
    (VALUE, "value: [d_c]}\n", "27.one.value", "expected a text, found a list"),
    (VALUE, "value: V}\n", "27.one.value", "tiny-1-one has no value: no number for V"),
    (VALUE, "value: d_c*peak}\n", "27.one.value", "tiny-1-one has no value: no number for peak"),
    (VALUE, "value: 1/(d_k - d_v)}\n", "27.one.value", "tiny-1-one has no value: a division by zero"),
    # formulas and statements
    (FORM, "equals: F", "28.two", PRINTS),
    (FORM, "prints: 2*T*d_kk, equals: F", "28.two.prints", "unknown name 'd_kk'; did you mean 'd_k'?"),
    (FORM, "prints: 2*T*d_k, equals: G", "28.two.equals", f"unknown name 'G'; {NAMES}"),
    (FORM, "prints: 2*T*d_k, equals: F, expect: false", "28.two.expect", "expected a text, found true/false"),
    (FORM, "prints: 2*T*d_k, equals: F, expect: [wrong]", "28.two.expect", "expected a text, found a list"),
    (FORM, "prints: 2*T*d_k, equals: F, expect: hold", "28.two.expect",
     "unknown verdict 'hold'; did you mean 'holds'?"),
    (FORM, "prints: 2*T*d_k, equals: F, expect: maybe", "28.two.expect",
     "unknown verdict 'maybe'; known: contradicts, holds, holds if, wrong"),
    (HOLDS, "hold: M > 0", "29.three.hold", "unknown key 'hold'; did you mean 'holds'?"),
    (HOLDS, "holds: M", "29.three.holds", f"'M' {COMPARISON}"),
    (HOLDS, "holds: MM > 0", "29.three.holds", f"unknown name 'MM'; {OTHERS}"),
    (HOLDS, "independent: M", "29.three.independent", f"{LINES}, found a text"),
    (HOLDS, "independent: {quantity: M}", "29.three.independent", "the key 'of' is missing"),
    (HOLDS, "independent: {quantity: M, of: Q}", "29.three.independent.of",
     "unknown symbol 'Q'; did you mean 'H_q'?"),
    (HOLDS, "increasing: {quantity: M, of: L}", "29.three.increasing.of",
     "unknown key 'of'; known: in, quantity"),
    (HOLDS, "equivalent: [M > 0]", "29.three.equivalent",
     "two comparisons with < or > are expected, as in [F < G, 2*d_c > d_k]"),
    (HOLDS, "crossover: {below: M, above: F}", "29.three.crossover", "the key 'in' is missing"),
    (HOLDS, "cheapest: {variant: mla}", "29.three.cheapest", "the key 'order' is missing"),
    (HOLDS, "holds: M > 0, assume: L > 1", "29.three.assume", "expected a list, found a text"),
    (HOLDS, "holds: M > 0, assume: [L > Q]", "29.three.assume[0]", "unknown symbol 'Q'; did you mean 'H_q'?"),
    (HOLDS, "holds: M > 0, assume: [L > 1, L]", "29.three.assume[1]", f"'L' {COMPARISON}"),
    (HOLDS, "holds: M > 0, assume: [L < 1]", "29.three.assume[0]", CONTRADICTORY),
    # places, groups, what stands beside and elsewhere, and other quantities
    ("over: {here: {gpu: h100-sxm}}", "over: [here]", "30.four.over", f"{LINES}, found a list"),
    ("over: {here: {gpu: h100-sxm}}", "over: {here: {gpu: h101}}", "30.four.over.here.gpu",
     "unknown GPU 'h101'; did you mean 'h100-sxm'?"),
    ("over: {here: {gpu: h100-sxm}}", "over: {here: {gpus: h100-sxm}}", "30.four.over.here.gpus",
     "unknown key 'gpus'; did you mean 'gpu'?"),
    ("group: g", "group: [g]", "30.four.group", "expected a text, found a list"),
    ("group: g", "groups: g", "30.four.groups", "unknown key 'groups'; did you mean 'group'?"),
    ("beside: [1-one]", "beside: 1-one", "31.five.beside", "expected a list, found a text"),
    ("x: 1-one}", "x: 1-ones}", "31.five.against.is",
     "unknown claim with a figure 'tiny-1-ones'; did you mean 'tiny-1-one'?"),
    ("x: 1-one}", "y: 1-one}", "31.five.against.is", "unknown figure 'x'; known: y"),
    ("is: x/2, ", "", "31.five.against",
     "the key 'is' is missing: a formula of figures printed elsewhere"),
    *(("is: x/2", f"is: {text}", "31.five.against.is", f"{words} in the formula '{text}'; {FORMULA}")
      for text, words in [
        ("x/", "expected a name or a number, found the end"), ("x/(x - x)", "a division by what may be zero"),
        ("ceil(x/2)", "rounding of figures that are rounded already"), ("2x", "cannot read '2x'"),
    ]),
    ("against: {is: x/2, x: 1-one}", "against: x", "31.five.against", f"{LINES}, found a text"),
    ("sizes: 4 K", "sizes: [4]", "31.five.sizes", "expected a text, found a list"),
    ("instead: {latent: {value: d_c}}", "instead: {latent: d_c}", "32.six.instead.latent",
     f"{LINES}, found a text"),
    ("instead: {latent: {value: d_c}}", "instead: {latent: {value: d_cc}}", "32.six.instead.latent.value",
     "unknown name 'd_cc'; did you mean 'd_c'?"),
    ("instead: {latent: {value: d_c}}", "instead: {latent: {under: {}}}", "32.six.instead.latent",
     "the key 'value' is missing"),
    ("instead: {latent: {value: d_c}}", "instead: [d_c]", "32.six.instead", f"{LINES}, found a list"),
    ("six: {line: 7,", "one: {line: 7,", "32.one", "the key 'one' stands twice; first in line 27"),
    ("six: {line: 7,", "big-r-first: {line: 7,", "32.big-r-first", "the id 'tiny-1-big-r-first' stands twice"),
]  # fmt: skip
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
    ("corner: what", "corners: what", "41.corners", "unknown key 'corners'; did you mean 'corner'?"),
    (FIRST, "first: {value: X}", "43.columns.first", "the key 'title' is missing"),
    (FIRST, "first: One", "43.columns.first", f"{LINES}, found a text"),
    (FIRST, "first: {title: One, values: X}", "43.columns.first.values",
     "unknown key 'values'; did you mean 'value'?"),
    (FIRST, "first: {title: One, value: Y}", "43.columns.first.value", f"unknown name 'Y'; {NAMES}"),
    (FIRST, "first: {title: One}", "46.rows.r.cells[0]", ONE_OF),
    (CELLS, 'cells: ["96", "128", "5"]', "46.rows.r.cells", "3 cells for 2 columns; write ~ for an empty one"),
    (CELLS, "cells: []", "46.rows.r.cells", "0 cells for 2 columns; write ~ for an empty one"),
    ('cells: ["128", ~]', 'cells: ["128", "5"]', "47.rows.s.cells[1]", ONE_OF),
    (CELLS, 'cells: ["96", {value: d_k}]', "46.rows.r.cells[1]", PRINTS),
    (CELLS, 'cells: ["96", {prints: 12.8, value: d_k}]', "46.rows.r.cells[1].prints", QUOTED),
    (CELLS, "cells: [9.6, ~]", "46.rows.r.cells[0]", QUOTED),
    (CELLS, "cells: [ninety, ~]", "46.rows.r.cells[0]", f"'ninety' is no figure; {EXAMPLES}"),
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
REASONS = [
    ("reason: Numbers of sections.", "reasons: Numbers", "49 (not-claims[0].reasons)",
     "unknown key 'reasons'; did you mean 'reason'?"),
    ("  - reason: Numbers of sections.\n    lines", "  - lines", "49 (not-claims[0])",
     "the key 'reason' is missing"),
    ('lines: {1: "4.2"}', 'lines: {one: "4.2"}', "50 (not-claims[0].lines.one)", "'one' is no line"),
    ('lines: {1: "4.2"}', "lines: [1]", "50 (not-claims[0].lines)", f"{LINES}, found a list"),
    ('lines: {1: "4.2"}', "lines: {1: 4.2}", "50 (not-claims[0].lines.1)", DECIMAL),
]  # fmt: skip


def placed(where: str, below: str) -> str:
    """A line and the key below another, as errors show them."""
    line, _, key = where.partition(".")
    return f"{line} ({below}{'.' if key else ''}{key})"


ALL = [
    *((old, new, placed(where, "sections.1"), words) for old, new, where, words in SECTIONS),
    *((old, new, placed(where, "sections.1.claims"), words) for old, new, where, words in CLAIMS),
    *((old, new, placed(where, "sections.1.tables.big"), words) for old, new, where, words in TABLES),
    *REASONS,
]


@pytest.mark.parametrize(("old", "new", "where", "words"), ALL)
def test_refusals(old: str, new: str, where: str, words: str) -> None:
    assert refusal(old, new) == f"f.yaml:{where}: {words}"


READ = [
    # what is taken although it looks like what is not
    (FIGURE, "prints: 512, value: d_c"),
    (TEXT, "Words about {tiny-1-one} and {tiny-1-five} in section 4.2, section A.3 and equation 17."),
    (SAYS, "says: The width d_k2 of GPT-2."),
    ('cells: ["128", ~]', 'cells: [~, {prints: "128", value: d_v}]'),
    (ROW, f"{ROW}label: '2,048', "),
    ("lines: [4, 5]", "line: 4"),
    ("in: L}", "in: S}"),
]


@pytest.mark.parametrize(("old", "new"), READ)
def test_what_is_no_mistake(old: str, new: str) -> None:
    assert len(list(read(broken(old, new)).claims())) == len(list(read(FULL).claims()))
