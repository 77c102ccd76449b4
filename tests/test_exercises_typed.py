"""What people type: numbers, formulas and units are read; nonsense, code and giants get a clear sentence."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.exercises.typed import LONGEST, Digits, Unreadable, read
from derivations.exercises.units import UNITS, Measure, base_unit, named, number_text, unit_of
from derivations.poly import Poly

SYMBOLS = frozenset({"H", "H_kv", "L", "S", "b", "d_c", "d_r", "d_k"})
H, L, C, R, B = (Poly.symbol(name) for name in ("H", "L", "d_c", "d_r", "b"))

NUMBERS = [
    ("69120", 69120, None),
    ("1,234.5", Fraction("1234.5"), None),
    ("1_000_000", 10**6, None),
    ("1.2e9", 12 * 10**8, None),
    ("1.2*10^9", 12 * 10**8, None),
    ("1.2 \u00d7 10\u2079", 12 * 10**8, None),
    ("1.2*10**9", 12 * 10**8, None),
    ("2*61*576", 70272, None),
    ("2 \u00b7 61 \u00b7 (512 + 64)", 70272, None),
    ("1/3", Fraction(1, 3), None),
    (".5", Fraction(1, 2), None),
    ("5.", 5, None),
    ("+7", 7, None),
    ("= 7", 7, None),
    ("\u2248 170 queries", 170, "tokens"),
    ("S* = 170", 170, None),
    ("70.3 kB", Fraction("70.3"), "kB"),
    ("70.3KB", Fraction("70.3"), "kB"),
    ("70272 bytes", 70272, "B"),
    ("70272 B", 70272, "B"),
    ("2.14 GiB", Fraction("2.14"), "GiB"),
    ("2.14 gib", Fraction("2.14"), "GiB"),
    ("576 elements", 576, "elements"),
    ("12 TFLOPs", 12, "TFLOP"),
    ("5 gflops", 5, "GFLOP"),
    ("3 GMACs", 3, "GMAC"),
    ("241.8 FLOP/B", Fraction("241.8"), "FLOP/B"),
    ("241.8 FLOPs / byte", Fraction("241.8"), "FLOP/B"),
    ("241.8 FLOPs per byte", Fraction("241.8"), "FLOP/B"),
    ("121 MAC/B", 121, "MAC/B"),
    ("11.3 us", Fraction("11.3"), "us"),
    ("11.3 \u00b5s", Fraction("11.3"), "us"),
    ("3 ms", 3, "ms"),
    ("2^10 B", 1024, "B"),
    ("1.2 x 10^9", 12 * 10**8, None),
    ("1{,}024\\ \\text{GB}", 1024, "GB"),
    ("$70.3$", Fraction("70.3"), None),
    ("min(1024, 512) elements", 512, "elements"),
]


@pytest.mark.parametrize(("text", "number", "unit"), NUMBERS, ids=[text for text, _, _ in NUMBERS])
def test_numbers(text, number, unit):
    typed = read(text, SYMBOLS)
    assert typed.number == number
    assert (typed.unit.name if typed.unit else None) == unit


FORMULAS = [
    ("4*H/b", 4 * H, B, None),
    ("4 H / b", 4 * H, B, None),
    ("I = 4H/b", 4 * H, B, None),
    ("4 H / b FLOP/B", 4 * H, B, "FLOP/B"),
    ("2 H L (2 d_c + d_r)", 2 * H * L * (2 * C + R), Poly.const(1), None),
    ("2H*L(2d_{c}+d_r)", 2 * H * L * (2 * C + R), Poly.const(1), None),
    ("2 H \u00b7 L \u00d7 (2 d_c + d_r)", 2 * H * L * (2 * C + R), Poly.const(1), None),
    ("[2 d_c + d_r] L", L * (2 * C + R), Poly.const(1), None),
    ("H_{\\mathrm{kv}} L", Poly.symbol("H_kv") * L, Poly.const(1), None),
    ("L\u00b2", L * L, Poly.const(1), None),
    ("\\dfrac{4H}{b}", 4 * H, B, None),
    ("$\\frac{\\frac{4}{2} H}{b}$", 2 * H, B, None),
    ("(d_c+d_r) b bytes", B * (C + R), Poly.const(1), "B"),
    ("576 b", 576 * B, Poly.const(1), None),
    ("0.5*L", Fraction(1, 2) * L, Poly.const(1), None),
]


@pytest.mark.parametrize(("text", "over", "under", "unit"), FORMULAS, ids=[row[0] for row in FORMULAS])
def test_formulas(text, over, under, unit):
    typed = read(text, SYMBOLS)
    assert typed.number is None
    assert typed.ratio.over * under == over * typed.ratio.under
    assert (typed.unit.name if typed.unit else None) == unit


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("70.3", 3, 3), ("70300", 3, 5), ("70,300", 3, 5), ("0.0703", 3, 3), ("70.0", 3, 3), ("1e9", 1, 1),
     ("7.03e4 B", 3, 3), ("1.20*10^9", 3, 3), ("100", 1, 3)],
)  # fmt: skip
def test_digits_are_counted(text, least, most):
    assert read(text, SYMBOLS).digits == Digits(least, most)


def test_a_product_of_exact_numbers_has_no_digits():
    assert read("2*61*576", SYMBOLS).digits is None
    assert read("0.5*61*2.5", SYMBOLS).digits is None


def test_a_product_has_a_digit_less_than_its_shortest_decimal():
    assert read("68.63*1.0243", SYMBOLS).digits == Digits(3, 3)
    assert read("1.02430*68.6321", SYMBOLS).digits == Digits(5, 5)


UNKNOWN = "{!r} is no symbol of this exercise and no unit; its symbols are H, H_kv, L, S, b, d_c, d_k, d_r"
CANNOT = "cannot read {!r}; write a number, or a formula with + - * / ^ ( )"
NONSENSE = [
    ("", "nothing was typed"),
    ("   \t ", "nothing was typed"),
    ("x" * (LONGEST + 1), "that is longer than 400 characters; a number or a short formula is asked"),
    ("9" * 10_000, "that is longer than 400 characters; a number or a short formula is asked"),
    ("__import__('os').system('ls')", CANNOT.format("__import__('")),
    ("H.__class__", CANNOT.format(".__class__")),
    ("lambda: 0", UNKNOWN.format("lambda")),
    ("os.system", UNKNOWN.format("os")),
    ("${HOME}", CANNOT.format("${HOME}")),
    ("5; 6", CANNOT.format("; 6")),
    ("10**10**10", "'^' is not expected in the formula '10 ^ 10 ^ 10'"),
    ("9^9^9", "'^' is not expected in the formula '9 ^ 9 ^ 9'"),
    ("9^99", "the exponent 99 is not between 1 and 30 in the formula '9 ^ 99'"),
    ("H^H", "expected a whole number as exponent, found 'H' in the formula 'H ^ H'"),
    ("H^9", "the exponent 9 is not between 1 and 8 in the formula 'H ^ 9'"),
    ("1e999", "a number is too large, too small or too exact in the formula '1e999'"),
    ("1e-999", "a number is too large, too small or too exact in the formula '1e-999'"),
    ("9" * 40, f"a number is too large, too small or too exact in the formula '{'9' * 40}'"),
    ("nan", "'nan' is no number"),
    ("inf", "'inf' is no number"),
    ("-Infinity", "'Infinity' is no number"),
    ("-5", "no answer here is negative"),
    ("1/0", "a division by zero in the formula '1 / 0'"),
    ("H/(d_c - d_c)", "a division by zero in the formula 'H / ( d_c - d_c )'"),
    ("(((1))", "expected ')', found the end in the formula '( ( ( 1 ) )'"),
    ("(" * 20 + "1" + ")" * 20, "parentheses nested deeper than 12 in the formula "),
    ("1.5.5", CANNOT.format(".5")),
    ("70 272", "two numbers stand side by side; put a sign between them, or write 1,234 as one"),
    ("3,5", "a comma separates thousands, as in 1,234; decimals are written with a point, as in 3.5"),
    ("1.234,5", "a comma separates thousands, as in 1,234; decimals are written with a point, as in 3.5"),
    ("50%", "a percentage is not asked here; write a number, and a unit"),
    ("128K", "'K' may mean a power of 1000 or of 1024; write the number out, or with a unit"),
    ("GB", "that is a unit without a number; write for example 12.3 GB"),
    ("5 GB/s", "'GB/s' is a rate, so much per second; write an amount, as in 12.3 GB"),
    ("5 GB per second", "'GB per second' is a rate, so much per second; write an amount, as in 12.3 GB"),
    ("5 GB L", "the unit 'GB' stands inside; write it once, at the end"),
    ("8 Gbit", "a bit is an eighth of a byte; write bytes, as in 12.3 MB"),
    ("8 bits", "a bit is an eighth of a byte; write bytes, as in 12.3 MB"),
    ("2 H dc", "'dc' is no symbol of this exercise; did you mean 'd_c'?"),
    ("\\sqrt{2}", "of LaTeX only fractions, subscripts and products are read, not \\sqrt; write 4*H*L / b"),
    ("\udcff\udcfe", "that has bytes that are no text in UTF-8; write a number or a formula, and a unit"),
    ("5 GBs", "'GBs' is no symbol of this exercise and no unit; did you mean 'GB'?"),
    ("d_cc", "'d_cc' is no symbol of this exercise and no unit; did you mean 'd_c'?"),
    ("2 HL", "'HL' is no symbol of this exercise; did you mean H L?"),
    ("\U0001f642", "cannot read the character U+1F642; write a number or a formula, and a unit"),
    ("5 \U0001f642", "cannot read the character U+1F642; write a number or a formula, and a unit"),
    ("\x1b[31m5", "cannot read the character U+001B; write a number or a formula, and a unit"),
    ("5\x00", "cannot read the character U+0000; write a number or a formula, and a unit"),
    ("\ud800", "cannot read the character U+D800; write a number or a formula, and a unit"),
    ("(H+L+S+b+d_c+d_r)^8*(H+L+S+b+d_c+d_r)^8", "too large when it is multiplied out"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), NONSENSE, ids=[repr(text[:20]) for text, _ in NONSENSE])
def test_nonsense(text, message):
    with pytest.raises(Unreadable) as error:
        read(text, SYMBOLS)
    said = str(error.value)
    assert said.startswith(message)
    assert len(said) < 200


def test_a_letter_that_is_a_symbol_is_no_unit():
    assert read("3 s", SYMBOLS).unit == UNITS["s"]
    assert read("3 s", SYMBOLS | {"s"}).unit is None
    assert read("4*H/b", SYMBOLS).unit is None


def test_units():
    assert unit_of("GiB").scale == 2**30
    assert unit_of("GB").power == (10, 9)
    assert unit_of("KiB").power == (2, 10)
    assert unit_of("B").power is None
    assert unit_of("GMAC").scale == 2 * unit_of("GFLOP").scale
    assert all(
        unit_of(unit.counterpart).counterpart == unit.name for unit in UNITS.values() if unit.counterpart
    )
    assert {base_unit(measure).scale for measure in Measure} == {1}
    assert named("furlong") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(70272), "70,272"), (Fraction("70.272"), "70.272"), (Fraction(1, 3), "0.333333"),
     (Fraction(2176, 9), "241.778"), (Fraction(12345678, 10), "1,234,567.8"), (Fraction(1, 2), "0.5"),
     (Fraction("1234.5"), "1,234.5")],
)  # fmt: skip
def test_numbers_are_shown(value, text):
    assert number_text(value) == text
