"""Sections, claims and tables of documents that are refused, each broken in one place.

What is read, where the error stands, and its exact words. Heads and quantities are in test_document_files.
"""

from __future__ import annotations

import pytest
from small_documents import (
    DECIMAL,
    FIGURES,
    FIRST,
    FORMULA,
    FULL,
    LINE,
    LINES,
    NAMED,
    NAMES,
    NOT_BOTH,
    ONE_OF,
    PRINTS,
    QUOTED,
    ROW,
    SYMBOLS,
    TABLES,
    TYPED,
    broken,
    read,
    refusal,
)  # fmt: skip

COMPARISON = "is no comparison; write it like d_k + d_v < 2*d_c"
CONTRADICTORY = (
    "the assumptions contradict each other: no sizes satisfy L < 1 and b = 2, so everything would follow"
)
OPEN = "is neither proved nor refuted (-5*L + 7 + L**2 has no sign that is seen); say it in another way"
ONE_NEAR = "did you mean 'tiny-1-one'?"
HOLES = (
    "known: tiny-1-big-r-first, tiny-1-big-r-second, tiny-1-big-s-first, tiny-1-eight, tiny-1-eleven, "
    "tiny-1-five, tiny-1-four, tiny-1-more, tiny-1-nine, tiny-1-one, tiny-1-seven, tiny-1-six, ..."
)
OVER = "over: [{gpu: h100-sxm}]"
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
    *((TEXT, f"Words of {{{hole}}}.", "23.text[0]", f"unknown claim or number of ours '{hole}'; {near}")
      for hole, near in [("tiny-1-ones", ONE_NEAR), ("tiny-1-one.print", ONE_NEAR), ("1-one", ONE_NEAR),
                         ("L", HOLES)]),
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
DRAWING = "{name: fig, title: A drawing, over: L, curves: {a: F}, marks: {b: M}, from: 1, to: 9}"
DRAWINGS = [
    # (what is replaced; by what; the key below sections.1.figure; the words)
    *(("name: fig", f"name: {name}", "name", NAMED) for name in ("Fig", "../fig", "1fig", "f.g")),
    ("over: L", "over: Q", "over", "unknown symbol 'Q'; did you mean 'H_q'?"),
    ("a: F", "a: FF", "curves.a", "unknown name 'FF'; did you mean 'F'?"),
    ("b: M", "b: MM/2", "marks.b", "unknown name 'MM'; did you mean 'M'?"),
    ("to: 9", "to: 1", "to", "a drawing goes from less to more, not from 1 to 1"),
    ("A drawing", "A drawing of 5", "title", TYPED),
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
    (FIGURE, "prints: five, value: d_c", "27.one.prints", f"'five' is no figure; {FIGURES}"),
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
    (HOLDS, "holds: MM > 0", "29.three.holds", f"unknown name 'MM'; {SYMBOLS}"),
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
    (HOLDS, "holds: M > 0, assume: [L < 1]", "29.three.holds", CONTRADICTORY),
    (HOLDS, "holds: L*L + 7 > 5*L", "29.three.holds", f"tiny-1-three {OPEN}"),
    # places, groups, what stands beside and elsewhere, and other quantities
    (OVER, "over: [here]", "30.four.over[0]", f"{LINES}, found a text"),
    (OVER, "over: {here: {gpu: h100-sxm}}", "30.four.over", "expected a list, found a mapping"),
    (OVER, "over: []", "30.four.over", "the list is empty; leave it out where there is one place only"),
    (OVER, "over: [{}, {gpu: h101}]", "30.four.over[1].gpu", "unknown GPU 'h101'; did you mean 'h100-sxm'?"),
    (OVER, "over: [{gpus: h100-sxm}]", "30.four.over[0].gpus", "unknown key 'gpus'; did you mean 'gpu'?"),
    *((old, f"{old}, {key}: {value}", f"{where}.{key}",
       f"a statement or a formula has no {key!r}")
      for old, where in [("equals: F", "28.two"), (HOLDS, "29.three")]
      for key, value in [("over", "[{}]"), ("instead", "{it: {value: F}}"), ("against", "{is: x, x: 1-one}")]),
    ("lines: [4, 5]", "lines: [4, 5], line: 4", "30.four.line", NOT_BOTH),
    ("lines: [4, 5]", "lines: []", "30.four.lines", "the list is empty: where in the document it stands"),
    ("group: g", "group: [g]", "30.four.group", "expected a text, found a list"),
    ("group: g", "groups: g", "30.four.groups", "unknown key 'groups'; did you mean 'group'?"),
    ("beside: [1-one]", "beside: 1-one", "31.five.beside", "expected a list, found a text"),
    *((old, new, where, "unknown claim with a figure '1-ones'; did you mean '1-one'?") for old, new, where in [
        ("x: 1-one}", "x: 1-ones}", "31.five.against.x"),
        ("beside: [1-one]", "beside: [1-six, 1-ones]", "31.five.beside[1]"),
        (HOLDS, "holds: M > 0, beside: [1-ones]", "29.three.beside[0]"),
    ]),
    *((old, new, where, "1-two is a statement or a formula, and a figure is needed") for old, new, where in [
        ("x: 1-one}", "x: 1-one, y: 1-two}", "31.five.against.y"),
        ("beside: [1-one]", "beside: [1-two]", "31.five.beside[0]"),
    ]),
    ("x: 1-one}", "y: 1-one}", "31.five.against.is", "unknown figure 'x'; known: y"),
    ("is: x/2, ", "", "31.five.against",
     "the key 'is' is missing: a formula of figures printed elsewhere"),
    *(("is: x/2", f"is: {text}", "31.five.against.is", f"{words} in the formula '{text}'; {FORMULA}")
      for text, words in [
        ("x/", "expected a name or a number, found the end"), ("x/(x - x)", "a division by what may be zero"),
        ("ceil(x/2)", "rounding of figures that are rounded already"), ("2x", "cannot read '2x'"),
    ]),
    ("against: {is: x/2, x: 1-one}", "against: x", "31.five.against", f"{LINES}, found a text"),
    *(("sizes: 4 K", f"sizes: {text}", "31.five.sizes",
       "no numeral is in it; write those of the line, such as 2,048 96") for text in ("K", "d_k2 v1.5")),
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


def placed(where: str, below: str) -> str:
    """A line and the key below another, as errors show them."""
    line, _, key = where.partition(".")
    return f"{line} ({below}{'.' if key else ''}{key})"


ALL = [
    *((old, new, placed(where, "sections.1"), words) for old, new, where, words in SECTIONS),
    *((old, new, placed(where, "sections.1.claims"), words) for old, new, where, words in CLAIMS),
    *((old, new, placed(where, "sections.1.tables.big"), words) for old, new, where, words in TABLES),
    *(
        (
            "    text:\n",
            f"    figure: {DRAWING.replace(old, new)}\n    text:\n",
            f"22 (sections.1.figure.{key})",
            words,
        )
        for old, new, key, words in DRAWINGS
    ),
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
    (ROW, f"{ROW}label: 'K3 at {{H}}, {{d_k}}', "),
    (ROW, f"{ROW}sizes: 5 of 6, assume: [L > 1], expect: holds, under: {{set: {{L: 3}}}}, "),
    (ROW, "r: {lines: [8, 9], "),
    (FIRST, "first: {title: 'One at {d_c}', value: X}"),
    (TEXT, "Words about {tiny-1-more}, {tiny-1-six.printed} and {tiny-1-big-s-first}."),
    (OVER, "over: [{set: {L: 2048}}, {}]"),
    (HOLDS, "holds: M > 0, beside: [1-one]"),
    ("    text:\n", f"    figure: {DRAWING}\n    text:\n"),
    ("lines: [4, 5]", "line: 4"),
    ("in: L}", "in: S}"),
]


@pytest.mark.parametrize(("old", "new"), READ)
def test_what_is_no_mistake(old: str, new: str) -> None:
    assert len(list(read(broken(old, new)).claims())) == len(list(read(FULL).claims()))


def test_where_claims_stand() -> None:
    claims = {claim.id.removeprefix("tiny-1-"): claim for claim in read(FULL).claims()}
    assert claims["one"].where == "section 1, First"
    assert claims["big-r-second"].where == "section 1, A table, row r, second"
    (section,) = read(broken(ROW, f"{ROW}label: 'at {{L}}', under: {{set: {{L: 3}}}}, ")).sections
    (table,) = section.tables
    assert [row.label for row in table.rows] == ["at {L}", "s"]
    assert [row.setting.sizes.get("L") for row in table.rows] == [3, None]
    assert [[cell and cell.id for cell in row.cells] for row in table.rows] == [
        ["tiny-1-big-r-first", "tiny-1-big-r-second"], ["tiny-1-big-s-first", None],
    ]  # fmt: skip
