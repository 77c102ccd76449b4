"""Formulas of HTML pages: LaTeX of every kind the engine writes, as MathML Core."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from derivations.dims import check_latex
from derivations.errors import Place
from derivations.render.mathml import aligned, inline, one

ROOT = Path(__file__).resolve().parent.parent
CORE = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "msub", "msup", "msubsup", "munder",
    "mover", "munderover",
}  # fmt: skip
ATTRIBUTES = {
    "class", "displaystyle", "form", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "rspace",
    "stretchy", "width",
}  # fmt: skip
"""Those of MathML Core that the pages use; older ones, such as `fence`, browsers leave unread."""

FENCE = '<mo stretchy="false">{}</mo>'.format
THIN = '<mspace width=".17em"/>'
BIG = '<mo minsize="1.2em" maxsize="1.2em">{}</mo>'.format
SLASH = '<mo lspace="0" rspace="0">/</mo>'
LIMIT = '<mo lspace="0" rspace=".17em" movablelimits="true">lim</mo>'
FORMULAS = [
    ("L", "<mi>L</mi>"),
    ("8{,}192 L", "<mn>8,192</mn><mi>L</mi>"),
    ("L = 1{,}234{,}567.5", "<mi>L</mi><mo>=</mo><mn>1,234,567.5</mn>"),
    ("(2, 300)", f"{FENCE('(')}<mn>2</mn><mo>,</mo><mn>300</mn>{FENCE(')')}"),
    ("2 H d_k", "<mn>2</mn><mi>H</mi><msub><mi>d</mi><mi>k</mi></msub>"),
    (r"H_{\mathrm{kv}}", "<msub><mi>H</mi><mi>kv</mi></msub>"),
    (r"\mathrm{x}_k", '<msub><mi mathvariant="normal">x</mi><mi>k</mi></msub>'),
    (r"W_{\mathrm{UK}}^{2}", "<msubsup><mi>W</mi><mi>UK</mi><mn>2</mn></msubsup>"),
    (r"\frac{2 H}{b}", "<mfrac><mrow><mn>2</mn><mi>H</mi></mrow><mi>b</mi></mfrac>"),
    (r"\dfrac{H}{b}", '<mfrac displaystyle="true"><mi>H</mi><mi>b</mi></mfrac>'),
    (r"\tfrac{1}{2} L", '<mfrac displaystyle="false"><mn>1</mn><mn>2</mn></mfrac><mi>L</mi>'),
    (r"\underset{s d}{X}", "<munder><mi>X</mi><mrow><mi>s</mi><mi>d</mi></mrow></munder>"),
    (r"\struck{L}\,b", f'<mrow class="struck"><mi>L</mi></mrow>{THIN}<mi>b</mi>'),
    (r"\boxed{L}", '<mrow class="boxed"><mi>L</mi></mrow>'),
    (r"2 \min(L, n)", f"<mn>2</mn>{THIN}<mi>min</mi>{FENCE('(')}<mi>L</mi><mo>,</mo><mi>n</mi>{FENCE(')')}"),
    (r"\operatorname{softmax}_{t}", "<msub><mi>softmax</mi><mi>t</mi></msub>"),
    (r"\lceil L/m \rceil", f"{FENCE('⌈')}<mi>L</mi>{SLASH}<mi>m</mi>{FENCE('⌉')}"),
    (r"\bigl(a\bigr)", f"{BIG('(')}<mi>a</mi>{BIG(')')}"),
    (r"4\ \text{FLOP/B}", '<mn>4</mn><mspace width=".25em"/><mtext>FLOP/B</mtext>'),
    (r"a\quad b\;c", '<mi>a</mi><mspace width="1em"/><mi>b</mi><mspace width=".28em"/><mi>c</mi>'),
    (r"L \to \infty", "<mi>L</mi><mo>→</mo><mi>∞</mi>"),
    (r"a \le b < c", "<mi>a</mi><mo>≤</mo><mi>b</mi><mo>&lt;</mo><mi>c</mi>"),
    ("S^{*} = -3", '<msup><mi>S</mi><mo>∗</mo></msup><mo>=</mo><mo form="prefix">−</mo><mn>3</mn>'),
    ("a - b", "<mi>a</mi><mo>−</mo><mi>b</mi>"),
    (r"\sqrt{2 L}", "<msqrt><mn>2</mn><mi>L</mi></msqrt>"),
    (
        r"\lim_{L \to \infty} I",
        f"<munder>{LIMIT}<mrow><mi>L</mi><mo>→</mo><mi>∞</mi></mrow></munder><mi>I</mi>",
    ),
    (r"\textstyle\sum_{t}\allowbreak a", '<msub displaystyle="false"><mo>∑</mo><mi>t</mi></msub><mi>a</mi>'),
    ("{} = x", "<mo>=</mo><mi>x</mi>"),
]


@pytest.mark.parametrize(("latex", "expected"), FORMULAS, ids=[latex for latex, _ in FORMULAS])
def test_a_formula_is_the_tree_that_mathml_has_for_it(latex, expected):
    assert one(latex, "") == f"<math>{expected}</math>"


LEFT_AS_TEXT = [
    r"\nothing{x}",
    r"\frac{1}",
    r"\begin{array}{c} a \\ b \end{array}",
]


@pytest.mark.parametrize("latex", LEFT_AS_TEXT)
def test_what_mathml_core_has_nothing_for_stays_text(latex):
    expected = '<math><mtext>a &lt; "b" &amp; c</mtext></math>'
    assert one(latex, ' a < "b" & c') == expected
    assert inline(latex, ' a < "b" & c') == expected
    assert aligned(f"y &= {latex}", ' a < "b" & c') == ("", expected)


@pytest.mark.parametrize("latex", [r"\href{javascript:alert(1)}{x}", r"\color{red}{x}", r"\style{top:0}{x}"])
def test_no_command_makes_a_link_or_a_style(latex):
    assert one(latex, "") == "<math><mi>x</mi></math>"


def test_a_number_among_words_is_set_as_the_words_are():
    assert [inline(text, "") for text in ("2", "8{,}192", "0.25")] == ["2", "8,192", "0.25"]
    assert inline("-2", "") == "<math><mo>−</mo><mn>2</mn></math>"
    assert aligned("= 2", "")[1] == "<math><mo>=</mo><mn>2</mn></math>"


def test_a_line_is_cut_where_it_aligns():
    assert aligned("F &= 2 H", "") == (
        "<math><mi>F</mi></math>", "<math><mo>=</mo><mn>2</mn><mi>H</mi></math>",
    )  # fmt: skip
    # A sign that begins a line stands between two terms all the same.
    continued = '<math><mspace width="1em"/><mo form="infix">−</mo><mi>b</mi></math>'
    assert aligned(r"&\quad - b", "") == ("", continued)
    assert aligned("a", "") == ("", "<math><mi>a</mi></math>")


def test_long_formulas_may_break_where_a_typesetter_breaks_them():
    def pieces(drawn: str) -> list[str]:
        return [re.sub(r"<[^>]*>", "", piece) for piece in drawn.split("<wbr/>")]

    assert pieces(inline("a = b", "")) == ["a=b"]
    assert pieces(inline("d_{k} d_{v} H L = 2 L d_{c} d_{k} d_{v}", "")) == ["dkdvHL=", "2Ldcdkdv"]
    assert pieces(inline("H = 1,\\ L = 20,\\ d_{k} = 3,\\ d_{v} = 4", "")) == ["H=1,", "L=20,", "dk=3,", "dv=4"]
    total = "2 H L d_{k} + 2 H L d_{v} + 2 H L d_{c} + 4 H d_{c} d_{k}"
    assert pieces(inline(total, "")) == ["2HLdk+2HLdv+2HLdc+", "4Hdcdk"]
    assert all(piece.startswith(("=", "+")) for piece in pieces(aligned(f"F &= {total}", "")[1]))
    assert "<wbr/>" not in inline(rf"\frac{{{total}}}{{b}}", "")
    assert inline(rf"\frac{{{total}}}{{b}}", "").startswith('<span class="wide">')


def formulas() -> list[str]:
    """Every formula of the committed reports, as the engine wrote it."""
    found: dict[str, None] = {}
    for path in sorted((ROOT / "reports").rglob("*.md")):
        text = path.read_text(encoding="utf-8").replace("\\color{gray}", "\\struck{")
        text = text.replace("{\\struck{", "\\struck{")
        found |= dict.fromkeys(re.findall(r"\$`(.*?)`\$", text))
        for block in re.findall(r"^```math\n(.*?)^```$", text, flags=re.M | re.S):
            lines = block.replace("\\boxed{\\begin{aligned}", "").replace("\\end{aligned}}", "").split("\n")
            kept = (line.removesuffix(" \\\\") for line in lines if "{aligned}" not in line)
            found |= dict.fromkeys(line for line in kept if line.strip())
    return list(found)


def test_every_formula_of_the_reports_is_drawn():
    found = formulas()
    assert len(found) > 3000
    for latex in found:
        for drawn in (one(latex, "?"), inline(latex, "?"), "".join(aligned(latex, "?"))):
            assert "?" not in drawn, latex
            assert "\\" not in drawn, latex
            tree = ElementTree.fromstring(f"<p>{drawn}</p>")
            for element in tree.iter():
                assert element.tag in CORE | {"p", "span", "wbr"}, (latex, element.tag)
                assert set(element.attrib) <= ATTRIBUTES, (latex, element.attrib)
                if element.tag in ("mi", "mn", "mo", "mtext"):
                    assert element.text, latex
                    assert len(element) == 0, latex
            words = {e.text for e in tree.iter("mi")} | {e.text for e in tree.iter("mtext")}
            assert not words & {"text", "mathrm", "frac", "struck", "underset", "quad", "phantom"}, latex


ALLOWED = (
    r"W_{\mathrm{UK}}",
    r"\alpha^2",
    r"K_R",
    r"A_{b^c}",
    r"\mathrm{fp8}_{x}",
    "2cm",
    "5in",
    r"\Gamma 3mm",
)


@pytest.mark.parametrize("latex", ALLOWED)
def test_whatever_a_variant_may_call_a_tensor_is_drawn(latex):
    check_latex(latex, Place("mine.yaml"))
    drawn = one(rf"\underset{{(1,d_{{k}})}}{{{latex}}}", "PLAIN")
    ElementTree.fromstring(drawn)
    assert "\\" not in drawn
    assert "PLAIN" not in drawn
