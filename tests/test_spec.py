"""A variant file: each field's accept and rejects, options, hostile files, with file and line."""
# ruff: noqa: E501 (tables of messages)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import TINY, outcome, read, refused, tiny

from derivations.poly import Poly
from derivations.program import AxisKind, MaskKind, Role, Stage, Variant

OPTIONS = """\
options:
  gate:
    title: an output gate
    tensors:
      W_G: {axes: [d, h], role: weight, stage: output}
    equations:
      - "G[s,h] = X[s,d] * W_G[d,h]"
      - "O[h,s,k] = G[s,h] * P[h,s,t] * K[h,t,k]"
    with:
      wide:
        symbols:
          e: {latex: e, meaning: extra width}
        axes: {x: e}
        tensors: {W_G: {axes: [d, h, x], role: weight}, W_X: {axes: [x], role: weight}}
        equations: ["G[s,h] = X[s,d] * W_G[d,h,x] * W_X[x]"]
  wide:
    title: a wider head
    axes: {k: {size: 2*d_k}}
"""


def test_the_tiny_variant():
    variant = read(TINY)
    assert (variant.name, variant.base, variant.options) == ("tiny", "tiny", ())
    assert [e.name for e in variant.equations] == ["Q", "K", "A", "P", "O"]
    kinds = {name: axis.kind for name, axis in variant.axes.items()}
    assert kinds.pop("s") is AxisKind.QUERY
    assert kinds.pop("t") is AxisKind.CONTEXT
    assert set(kinds.values()) == {AxisKind.OTHER}
    roles = {name: tensor.role for name, tensor in variant.tensors.items()}
    assert roles["K"] is Role.CACHE
    assert roles["O"] is Role.OUTPUT
    assert {roles[name] for name in "QAP"} == {Role.TEMPORARY}
    assert {"L", "S", "B", "b", "H", "d_model", "d_k"} == set(variant.symbols)
    assert variant.symbols["L"].meaning == "context"
    assert str(variant.tensors["K"].place) == "tiny.yaml:13 (tensors.K.axes)"


def test_fields_are_taken_as_written():
    text = tiny(
        "W_Q: {axes: [h, d, k], role: weight}",
        'W_Q: {axes: [h, d, k], role: weight, stage: lift, width: 1, latex: "W^Q", meaning: query}',
        more="masks: {A: {kind: window, size: w}}\nassume: ['w < d_model']\n"
        "orders: {score-first: {avoid: [Q], title: late}}\nnotes: [one, two]\nreference: a paper\n"
        'symbols: {w: {latex: "\\\\omega", meaning: window}}\n',
    )
    variant = read(text)
    weight = variant.tensors["W_Q"]
    assert (weight.stage, weight.latex, weight.meaning) == (Stage.LIFT, "W^Q", "query")
    assert weight.width == 1
    assert variant.tensors["W_K"].width == Poly.symbol("b")
    assert variant.masks["A"].kind is MaskKind.WINDOW
    assert variant.masks["A"].size == Poly.symbol("w")
    assert variant.symbols["w"].latex == r"\omega"
    assert [c.text for c in variant.assume] == ["w < d_model"]
    assert [(o.name, o.avoids, o.title) for o in variant.orders] == [("score-first", ("Q",), "late")]
    assert (variant.notes, variant.reference) == (("one", "two"), "a paper")


@pytest.mark.parametrize(
    ("options", "name", "titled", "gate", "width"),
    [
        ((), "tiny", "A tiny attention", None, "d_k"),
        (("gate",), "tiny+gate", "A tiny attention, an output gate", ["d", "h"], "d_k"),
        (("wide",), "tiny+wide", "A tiny attention, a wider head", None, "2*d_k"),
        (
            ("wide", "gate"),
            "tiny+gate+wide",
            "A tiny attention, an output gate, a wider head",
            ["d", "h", "x"],
            "2*d_k",
        ),
    ],
)
def test_options(options, name, titled, gate, width):
    variant = read(TINY + OPTIONS, *options)
    assert (variant.name, variant.title) == (name, titled)
    assert variant.all_options == ("gate", "wide")
    assert variant.axes["k"].size.text() == width
    made = [e.name for e in variant.equations]
    assert made == (["Q", "K", "A", "P", "G", "O"] if gate else ["Q", "K", "A", "P", "O"])
    assert ("W_G" in variant.tensors) is bool(gate)
    if gate:
        assert list(variant.tensors["W_G"].axes) == gate


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("gates",), "unknown option of tiny 'gates'; did you mean 'gate'?"),
        (("zzz",), "unknown option of tiny 'zzz'; known: gate, wide"),
        (("",), "unknown option of tiny ''; known: gate, wide"),
        (("gate", "gate"), "the option 'gate' of tiny is given twice"),
    ],
)
def test_options_that_cannot_be(options, message):
    assert refused(read, TINY + OPTIONS, *options) == message


def test_a_variant_without_options_says_so():
    assert refused(read, TINY, "rope") == "unknown option of tiny 'rope'; there is none here"


# what is replaced in TINY, what by, and the error
CASES = [
    ("variant: tiny", "variant: list", "1 (variant): 'list' is a command of derive; give the variant another name"),
    ("variant: tiny", "variant: a b", "1 (variant): 'a b' is no variant name; use letters, digits and single - or _"),
    ("variant: tiny", "variant: ../x", "1 (variant): '../x' is no variant name; use letters, digits and single - or _"),
    ("variant: tiny", "variant: tiпy", "1 (variant): 'tiпy' is no variant name; use letters, digits and single - or _"),
    ("variant: tiny", "variant: [a]", "1 (variant): expected a text, found a list"),
    ("variant: tiny", "variant:", "1 (variant): expected a text, found nothing"),
    ("variant: tiny", "variants: tiny", "1 (variants): unknown key 'variants'; did you mean 'variant'?"),
    ("variant: tiny\n", "", "1: the key 'variant' is missing"),
    ("title: A tiny attention", "title: ''", "2 (title): the text is empty"),
    ("title: A tiny attention", f"title: {'x' * 121}", "2 (title): the text is longer than 120 characters"),
    ("s: {size: S}", "s: {sise: S}", "4 (axes.s.sise): unknown key 'sise'; did you mean 'size'?"),
    ("s: {size: S}", "s: {}", "4 (axes.s): the key 'size' is missing"),
    ("s: {size: S}", "s:", "4 (axes.s): expected a text, found nothing"),
    ("s: {size: S}", "s: {size: 1.5}", "4 (axes.s.size): a decimal; write it as a whole number or as a quotient such as 3/2"),
    ("s: {size: S}", "s: {size: true}", "4 (axes.s.size): expected a text, found true/false"),
    ("s: {size: S}", "s: {size: 0}", "4 (axes.s.size): the size '0' is never positive"),
    ("s: {size: S}", "s: {size: S, kind: querry}", "4 (axes.s.kind): unknown axis kind 'querry'; did you mean 'query'?"),
    ("s: {size: S}", "s_: {size: S}", "4 (axes.s_): 's_' is no name"),
    ("s: {size: S}", "'s-s': {size: S}", "4 (axes.s-s): 's-s' is no name"),
    ("s: {size: S}", "ѕ: {size: S}", "4 (axes.ѕ): 'ѕ' is no name"),
    ("role: input", "role: imput", "10 (tensors.X.role): unknown role 'imput'; did you mean 'input'?"),
    ("X: {axes: [s, d], role: input}", "X: {axes: [s, d]}", "10 (tensors.X): the key 'role' is missing"),
    ("X: {axes: [s, d]", "X: {axes: s", "10 (tensors.X.axes): expected a list, found a text"),
    ("[s, d], role: input", "[s, d], role: input, stage: lift", "10 (tensors.X.stage): a stage belongs to a weight, or to an intermediate for the step that makes it"),
    ("W_Q: {axes: [h, d, k], role: weight", "W_Q: {axes: [h, d, k], role: weight, stage: core", "11 (tensors.W_Q.stage): the stage core follows from the axes; a weight has lift, output, indexer or projection"),
    ("W_Q: {axes: [h, d, k], role: weight", "W_Q: {axes: [h, d, k], role: weight, stage: liftt", "11 (tensors.W_Q.stage): unknown stage 'liftt'; did you mean 'lift'?"),
    ("[s, d], role: input", "[s, d], role: input, width: 1.5", "10 (tensors.X.width): a decimal; write it as a whole number or as a quotient such as 3/2"),
    ("[s, d], role: input", "[s, d], role: input, latex: '\\input{x}'", "10 (tensors.X.latex): LaTeX \\input{x} is not allowed at \\input{x}; use letters, digits, _ ^ { }, Greek letters and \\mathrm{..}"),
    ("[s, d], role: input", "[s, d], role: input, latex: '</math>'", "10 (tensors.X.latex): LaTeX </math> is not allowed at </math>; use letters, digits, _ ^ { }, Greek letters and \\mathrm{..}"),
    ("axes:\n", "axes: [s]\nmasks:\n", "3 (axes): expected `key: value` lines here, found a list"),
    ("equations:\n", "equations: 4\norders:\n", "14 (equations): expected a list, found a number"),
    ('  - "Q[h,s,k] = X[s,d] * W_Q[h,d,k]"', '  - {a: b}', "15 (equations[0]): expected a text, found a mapping"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), CASES)
def test_a_field_that_cannot_be(old, new, message):
    found = refused(read, tiny(old, new))
    assert found == f"tiny.yaml:{message}" or (
        # a section that is no longer what it was may be found first
        found.startswith("tiny.yaml:") and "\n" in old and message.split(": ", 1)[1] in found
    )


MORE = [
    ("masks: {A: {kind: windw, size: 4}}", "20 (masks.A.kind): unknown mask 'windw'; did you mean 'window'?"),
    ("masks: {A: {kind: window}}", "20 (masks.A): a window mask needs a size"),
    ("masks: {A: {kind: causal, size: 4}}", "20 (masks.A): a causal mask has no size"),
    ("masks: {A: {kind: window, size: 4, selector: P}}", "20 (masks.A.selector): only a top-n mask has a selector"),
    ("masks: {A: {size: 4}}", "20 (masks.A): the key 'kind' is missing"),
    ("masks: [A]", "20 (masks): expected `key: value` lines here, found a list"),
    ("orders: {all: {form: [Q]}}", "20 (orders.all): 'all' has a meaning of its own as an order; choose another name"),
    ("orders: {best: {form: [Q]}}", "20 (orders.best): 'best' has a meaning of its own as an order; choose another name"),
    ("orders: {x: {form: [Q], avoid: [Q]}}", "20 (orders.x): the order both forms and avoids Q"),
    ("orders: {x: {forms: [Q]}}", "20 (orders.x.forms): unknown key 'forms'; did you mean 'form'?"),
    ("orders: {x: {form: Q}}", "20 (orders.x.form): expected a list, found a text"),
    ("orders: {a--b: {form: [Q]}}", "20 (orders.a--b): 'a--b' is no name"),
    ("assume: ['d_k']", "20 (assume[0]): 'd_k' is no comparison; write it like d_k + d_v < 2*d_c"),
    ("symbols: {d_k: {latex: 'a$b'}}", "20 (symbols.d_k.latex): LaTeX a$b is not allowed at $b; use letters, digits, _ ^ { }, Greek letters and \\mathrm{..}"),
    ("symbols: {d_k: {latex: '{a'}}", "20 (symbols.d_k.latex): LaTeX {a cannot be set: braces must match, _ and ^ need something on both sides, each once"),
    ("options: [a]", "20 (options): expected `key: value` lines here, found a list"),
    ("options: {a: {titel: x}}", "20 (options.a.titel): unknown key 'titel'; did you mean 'title'?"),
    ("options: {a: {with: {b: {}}}}", "20 (options.a.with.b): unknown key 'b'; did you mean 'a'?"),
    ("equation: []", "20 (equation): unknown key 'equation'; did you mean 'equations'?"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "message"), MORE)
def test_an_optional_part_that_cannot_be(more, message):
    found = refused(read, tiny(more=more))
    if "with" in more:
        assert found.startswith("tiny.yaml:20 (options.a.with.b): unknown key 'b'; ")
    else:
        assert found == f"tiny.yaml:{message}"


@pytest.mark.parametrize("kind", ["equations", "orders", "tensors", "axes", "options"])
@pytest.mark.parametrize("value", ["5", "true", "text", "[1]", "{a: 1}", ""])
def test_a_part_of_another_kind(kind, value):
    """Whatever a part is, it is read or refused with its line."""
    key = f"{kind}:\n" if kind in ("equations", "tensors", "axes") else ""
    text = tiny(key, f"{kind}: {value}\nmasks:\n") if key else tiny(more=f"{kind}: {value}\n")
    found = outcome(read, text)
    assert isinstance(found, str)
    assert found.startswith("tiny.yaml:")


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("axes", "".join(f"  a{i}: 4\n" for i in range(41)), "more than 40 axes"),
        ("tensors", "".join(f"  A{i}: 4\n" for i in range(81)), "more than 80 tensors"),
        ("equations", "  - x\n" * 61, "more than 60 equations"),
    ],
)
def test_a_part_that_is_too_long(part, value, message):
    found = refused(read, tiny(f"{part}:\n", f"{part}:\n{value}"))
    assert found.endswith(message)


@pytest.mark.parametrize("part", ["symbols", "masks", "assume", "options", "notes", "orders"])
def test_a_part_of_ten_thousand_entries_is_read_or_refused_quickly(part):
    if part in ("assume", "notes"):
        text = f"{part}:\n" + "  - a < b\n" * 10_000
    else:
        text = f"{part}:\n" + "".join(f"  x{i}: {{}}\n" for i in range(10_000))
    outcome(read, tiny(more=text))


def test_a_tensor_may_not_be_written_by_two_options_in_conflict():
    text = tiny(more='options:\n  a:\n    equations: ["Z[s,k] = Q[h,s,k]", "Z[s,k] = Q[h,s,k]"]\n')
    assert refused(read, text, "a") == "tiny.yaml:22 (options.a.equations[1]): Z is defined twice"


WORDS = st.sampled_from(
    ["null", "5", "-1", "true", "[]", "{}", "[s, d]", "X", "t", "''", "L/S", "'K[h] = X[h]'"]
)


@given(st.integers(0, len(TINY.splitlines()) - 1), WORDS)
def test_a_value_replaced_by_another_is_read_or_refused(line, word):
    lines = TINY.splitlines()
    key, colon, _ = lines[line].partition(": ")
    lines[line] = f"{key}: {word}" if colon and '"' not in key else f"  - {word}"
    found = outcome(read, "\n".join(lines))
    assert isinstance(found, Variant) or found.startswith("tiny.yaml")


@given(st.integers(0, len(TINY) - 1), st.characters(codec="utf-8") | st.sampled_from("[]{},:*-<=()'\""))
def test_one_wrong_character_is_read_or_refused(position, character):
    found = outcome(read, TINY[:position] + character + TINY[position + 1 :])
    assert isinstance(found, Variant) or found.startswith("tiny.yaml")


@pytest.mark.parametrize("letter", ["\\e", "\\a", "\\u202e", "\\0"])
def test_what_nobody_could_see_is_no_text(letter):
    found = refused(read, tiny("title: A tiny attention", f'title: "a {letter} b"'))
    assert "a control character" in found
