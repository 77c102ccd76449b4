"""Symbols: names, LaTeX that cannot change a document, numbers a user types, sympy."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from samples import AT, PLACE, outcome, refused

from derivations.atoms import ceiling, floored, minimum
from derivations.dims import (
    LARGEST,
    STANDARD,
    check_latex,
    check_size,
    is_name,
    latex_of_name,
    parse_assignments,
    parse_value,
    symbol,
    symbol_text,
    to_sympy,
)
from derivations.poly import Poly


@pytest.mark.parametrize("text", ["L", "d_k", "H_kv", "W_DKV", "x1", "a_1_b", "a" * 40])
def test_names(text):
    assert is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "_a",
        "a_",
        "a__b",
        "1a",
        "a b",
        "a-b",
        "a.b",
        "a" * 41,
        "Η",
        "d²",
        "а",
        "a\n",
        "a٣",
        "é",
        "ａ",
    ],
)
def test_what_is_no_name(text):
    assert not is_name(text)


@pytest.mark.parametrize(
    "text",
    ["L", "d_k", r"H_{\mathrm{kv}}", r"\lambda", r"\Omega^2", r"W^{\mathrm{new}}_{U K}", "a" * 60],
)
def test_latex_of_a_symbol(text):
    assert check_latex(text, PLACE) == text


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (r"\input{x}", r"\input{x}"),
        (r"\include{/etc/passwd}", r"\include{/et"),
        (r"\write18{ls}", r"\write18{ls}"),
        (r"\mathrmx", r"\mathrmx"),
        (r"\mathrm\def", r"\def"),
        (r"\lambda\relax", r"\relax"),
        ("</math>", "</math>"),
        ("<script>", "<script>"),
        ("a$b", "$b"),
        ("a%b", "%b"),
        ("a#1", "#1"),
        ("a&b", "&b"),
        ("a~b", "~b"),
        (r"a\\b", r"\\b"),
        ("a\\", "\\"),
        ("a\nb", "\nb"),
        ("a\tb", "\tb"),
        ("é", "é"),
        ("Η", "Η"),
        ("٣", "٣"),
        ("{{7*7}}", "*7}}"),
        ("`x`", "`x`"),
        ("a'b", "'b"),
    ],
)
def test_latex_beyond_the_allowed_letters(text, at):
    found = refused(check_latex, text, PLACE)
    assert found.startswith(f"{AT}LaTeX ")
    assert " is not allowed at " in found
    assert at in found or repr(at)[1:-1] in found
    assert found.endswith("; use letters, digits, _ ^ { }, Greek letters and \\mathrm{..}")


@pytest.mark.parametrize("text", ["", "  ", "a" * 61, "x" * 70 + "$"])
def test_latex_that_is_empty_or_long(text):
    message = f"{AT}a LaTeX text is empty or longer than 60 characters"
    assert refused(check_latex, text, PLACE) == message


@pytest.mark.parametrize("text", ["{a", "a}", "}{", "a}{b", "{{a}", "{}", "{" * 30 + "a" + "}" * 29])
def test_latex_whose_braces_do_not_match(text):
    assert refused(check_latex, text, PLACE).startswith(f"{AT}LaTeX {text[:40]} cannot be set: braces ")


@pytest.mark.parametrize(
    "text", ["a_b_c", "a^2^3", "a_", "^", r"\mathrm", "_", "a_^b", r"\mathrm_a", "a_b^c_d"]
)
def test_latex_that_tex_cannot_set(text):
    """Two subscripts, or a subscript of nothing, stop pdflatex: `Double subscript`."""
    assert refused(check_latex, text, PLACE) == (
        f"{AT}LaTeX {text} cannot be set: braces must match, _ and ^ need something on both sides, each once"
    )


@pytest.mark.parametrize("text", ["a_b^c", "a^c_b", r"a_{b_c}", r"\mathrm{ab}_c^2", "a b_c d_e"])
def test_latex_that_tex_sets(text):
    assert check_latex(text, PLACE) == text


@given(st.text(r"\ab{}_^$%<&", max_size=20))
def test_allowed_latex_is_inert(text):
    found = outcome(check_latex, text, PLACE)
    if not found.startswith(AT):
        assert not set(found) & set("$%<&")
        assert found.count("{") == found.count("}")


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("L", "L"),
        ("d_k", "d_k"),
        ("d_model", r"d_{\mathrm{model}}"),
        ("lambda", r"\lambda"),
        ("alpha_1", r"\alpha_1"),
        ("Out", r"\mathrm{Out}"),
        ("C_Q_new", r"C_{\mathrm{Q,new}}"),
    ],
)
def test_latex_made_from_a_name(name, latex):
    assert latex_of_name(name) == latex


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("L", "8192", 8192),
        ("L", " 1 ", 1),
        ("L", "128K", 131_072),
        ("L", "1M", 1_048_576),
        ("L", "2G", 2_147_483_648),
        ("L", "1.5K", 1536),
        ("L", "128_000", 128_000),
        ("L", "+7", 7),
        ("L", "4.0", 4),
        ("L", str(10**15), 10**15),
        ("b", "2", 2),
        ("b", "0.5", Fraction(1, 2)),
        ("b", "1.125", Fraction(9, 8)),
    ],
)
def test_numbers(name, text, value):
    assert parse_value(name, text) == value


NO_NUMBER = "--set L={}: not a number; write for example L=4096 or L=128K"
LEAST = "--set L={}: L must be at least 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_NUMBER),
        ("x", NO_NUMBER),
        ("1e5", NO_NUMBER),
        ("0x10", NO_NUMBER),
        ("nan", NO_NUMBER),
        ("inf", NO_NUMBER),
        ("True", NO_NUMBER),
        ("٣", NO_NUMBER),
        ("３", NO_NUMBER),
        ("1Ｋ", NO_NUMBER),
        ("1,000", NO_NUMBER),
        ("--5", NO_NUMBER),
        ("1/2", NO_NUMBER),
        ("__import__('os')", NO_NUMBER),
        ("0", LEAST),
        ("-4", LEAST),
        ("-0", LEAST),
        ("1.5", "--set L={}: must be a whole number, such as L=4096 or L=128K"),
        (str(10**15 + 1), "--set L={}: L is larger than 1e+15; surely a slip"),
        ("9999999G", "--set L={}: L is larger than 1e+15; surely a slip"),
    ],
)
def test_what_is_no_number(text, message):
    assert refused(parse_value, "L", text) == message.format(text)


def test_a_number_without_end():
    assert refused(parse_value, "L", "9" * 10_000) == NO_NUMBER.format("9" * 40)


@pytest.mark.parametrize("text", ["0", "-1", "0.0", "1025"])
def test_bytes_per_element(text):
    message = f"--set b={text}: bytes per element must be above 0; BF16 is b=2"
    assert refused(parse_value, "b", text) == message


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["L"], "--set L: write it as NAME=VALUE, such as L=8192"),
        (["L=1", "L=2"], "--set L is given twice"),
        (["d_q=1"], "unknown symbol 'd_q'; did you mean 'd_k'?"),
        (["zzz=1"], "unknown symbol 'zzz'; known: L, S, d_k"),
        (["=1"], "unknown symbol ''; known: L, S, d_k"),
        (["Ｌ=1"], "unknown symbol 'Ｌ'; known: L, S, d_k"),
        (["L=1=2"], "--set L=1=2: not a number; write for example L=4096 or L=128K"),
    ],
)
def test_bad_assignments(texts, message):
    assert refused(parse_assignments, texts, ["L", "S", "d_k"]) == message


def test_assignments():
    assert parse_assignments(["L=8K", " S = 2"], ["L", "S"]) == {"L": 8192, "S": 2}
    assert check_size("L", LARGEST, "x") == LARGEST
    assert refused(check_size, "L", 0, "file.yaml") == "file.yaml: L must be at least 1"
    assert symbol_text({"zz": 3, "S": 2, "aa": 4, "L": 1}) == "L=1, S=2, aa=4, zz=3"


@given(st.text(max_size=20) | st.text("0123456789_.KMG+-e", max_size=20))
def test_a_number_is_at_least_one_or_refused(text):
    found = outcome(parse_value, "L", text)
    assert isinstance(found, int | str)
    assert isinstance(found, str) or 1 <= found <= LARGEST


def test_sympy_side():
    length, width = Poly.symbol("L"), Poly.symbol("w")
    x, y = sympy.symbols("L w", positive=True, integer=True)
    assert to_sympy(length * 2 - width**-1 * Fraction(1, 3)) == 2 * x - sympy.Rational(1, 3) / y
    assert to_sympy(minimum(length, width)) == sympy.Min(x, y)
    assert to_sympy(ceiling(length, width)) == sympy.ceiling(x / y)
    assert to_sympy(floored(length, width + 1)) == sympy.floor(x / (y + 1))
    assert to_sympy(Poly()) == 0
    assert symbol("L").is_integer
    assert symbol("b").is_integer is None
    assert symbol("b").is_positive


def test_standard_symbols_have_latex_of_the_allowed_kind():
    assert {"L", "S", "B", "H", "d_model", "d_k", "d_v", "d_c", "d_r", "d_q", "b"} <= set(STANDARD)
    for name, dim in STANDARD.items():
        assert dim.name == name
        assert check_latex(dim.latex, PLACE) == dim.latex
        assert dim.integral is (name != "b")
