"""Figures in print: which numbers each stands for, by hand, and what is no figure.

A bare figure stands for all that is at most half a unit of its last digit away; `~` and `about` for a
whole unit of the last digit that is not zero, but no more than a twentieth of the figure.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derivations.documents.printed import numerals_of, read_printed
from derivations.errors import InputError, Place

FORMS = [
    # (text; numbers in base units that it stands for; others just outside)
    ("0.43 G", "425000001 430000000 434999999", "424999999 435000001"),
    ("139.5 GB", "139450000001 139500000000 139549999999", "139449999999 139550000001"),
    ("4.19 MB", "4185001 4194304 4194999", "4184999 4195001"),
    ("1,152 B", "1151.6 1152.4", "1151.4 1152.6"),
    ("4.41 T", "4405000000001 4414999999999", "4404999999999 4415000000001"),
    ("503.3 M", "503250001 503349999", "503249999 503350001"),
    ("33.6 MFLOP", "33550001 33649999", "33549999 33650001"),
    ("7 FLOP/B", "6.51 7.49", "6.49 7.51"),
    ("3.35 TB/s", "3345000000001 3354999999999", "3344999999999 3355000000001"),
    ("2.25 PFLOP/s", "2245000000000001 2254999999999999", "2244999999999999 2255000000000001"),
    ("256", "255.51 256.49", "255.49 256.51"),
    ("2,048", "2047.51 2048.49", "2047.49 2048.51"),
    ("0.008", "0.00751 0.00849", "0.00749 0.00851"),
    ("1", "0.5 0.51 1.49 1.5", "0.4999 1.5001"),  # a tie rounds to either side
    ("1.00", "0.995 1.005", "0.9949 1.0051"),
    ("100", "99.51 100.49", "99.49 100.51"),
    ("11%", "0.10501 0.11 0.11499", "0.10499 0.11501 11"),
    ("41.0%", "0.40951 0.41049", "0.40949 0.41051"),
    ("6.4 ms", "0.0063501 0.0064499", "0.0063499 0.0064501 6.4"),
    ("4x", "3.51 4.49", "3.49 4.51"),
    ("3.00x", "2.9951 3.0049", "2.9949 3.0051"),
    # a unit of the last digit that is not zero
    ("~295", "294 295 296", "293.99 296.01"),
    ("~206 FLOP/B", "205 207", "204.99 207.01"),
    ("~989.5 TFLOP/s", "989400000000000 989600000000000", "989399999999999 989600000000001"),
    ("~8 TB/s", "7500000000001 8499999999999", "7499999999999 8500000000001"),  # 5 % is less than rounding
    ("~276 MFLOP", "275000000 277000000", "274999999 277000001"),
    ("~1.006", "1.005 1.007", "1.0049 1.0071"),
    ("about 970", "960 970 980", "959.99 980.01"),
    ("about 1052", "1051 1053", "1050.99 1053.01"),
    # but a twentieth at most
    ("about 600", "570 600 630", "569.99 630.01"),
    ("about 5000", "4750 5250", "4749.99 5250.01"),
    ("~64x", "63 65", "62.99 65.01"),
    # one side
    (">100", "100.01 1000000000", "100 99.99 0"),
    (">100,000", "100000.01", "100000"),
    ("<1", "0.999999999 0", "1 1.000000001"),
    ("<2", "1.9999", "2 2.0001"),
    ("512+", "512 576 1000000000", "511.99"),
    ("just under 2", "1.8 1.89 1.9999", "1.7999 2 2.0001"),
    ("just under 100 GB", "90000000000 99999999999", "89999999999 100000000000"),
    # powers: one digit each, but as an end of a range meant as it stands
    ("10⁵", "50000 99999 100000 150000", "49999 150001"),
    ("~10⁵", "50000 150000", "49999 150001"),
    ("2³ GB", "4000000000 12000000000", "3999999999 12000000001 8"),
    (">10⁵", "100000.01 10000000", "100000 99999"),
    ("10⁵ to 10⁶", "100000 316228 1000000", "99999 1000001"),
    ("10² to 10¹²", "100 1000000000000", "99 1000000000001"),
    ("12 to 60", "11.51 36 60.49", "11.49 60.51"),
    ("70 to 100", "69.51 100.49", "69.49 100.51"),
    ("2 to 8 ms", "0.001501 0.008499", "0.001499 0.008501 2 8"),
    ("2 GB to 8 GB", "1500000001 8499999999", "1499999999 8500000001 2"),
    ("900 MB to 2 GB", "899500001 2499999999", "899499999 2500000001 1"),
    ("900 to 2,000 GB", "899500000001 2000499999999", "899499999999 2000500000001 900500000"),
    ("1.5 to 2.5 GB", "1450000001 2549999999", "1449999999 2550000001 2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "inside", "outside"), FORMS, ids=[text for text, _, _ in FORMS])
def test_what_a_figure_stands_for(text: str, inside: str, outside: str) -> None:
    printed = read_printed(text)
    assert printed.text == text
    assert [number for number in inside.split() if not printed.allows(Fraction(number))] == []
    assert [number for number in outside.split() if printed.allows(Fraction(number))] == []
    assert printed.allows(printed.middle) or text[0] in "<>"


CUT_OFF = [
    # (text; numbers that become it when the digits after are cut off; numbers that do not)
    ("120x", "120 120.7 120.999", "119.999 121"),
    ("2,048", "2048 2048.9", "2047.9 2049"),
    ("0.43 G", "430000000 439999999", "429999999 440000000"),
    ("11%", "0.11 0.1199", "0.1099 0.12"),
    ("6.4 ms", "0.0064 0.006499", "0.006399 0.0065"),
    # nothing is cut off of what is not exact
    ("~295", "", "294 295 295.5 296"), ("about 970", "", "960 970 970.5"), (">1", "", "1 1.5 2"),
    ("<1", "", "0 0.5 1"), ("512+", "", "512 512.5 576"), ("just under 2", "", "1.9 1.95 2"),
    ("10⁵ to 10⁶", "", "100000 500000"), ("10⁵", "", "50000 100000 100001"), ("2 to 3", "", "1.5 2 2.5 3"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "inside", "outside"), CUT_OFF, ids=[text for text, _, _ in CUT_OFF])
def test_what_is_cut_off_to_a_figure(text: str, inside: str, outside: str) -> None:
    printed = read_printed(text)
    assert [number for number in inside.split() if not printed.allows(Fraction(number), "down")] == []
    assert [number for number in outside.split() if printed.allows(Fraction(number), "down")] == []


PARTS = [
    # (text; significant digits; digits after the point; unit; how much more its binary unit is)
    ("139.5 GB", 4, 1, "GB", "1073741824/1000000000"), ("5.0 MB", 2, 1, "MB", "1048576/1000000"),
    ("1 kB", 1, 0, "kB", "1024/1000"), ("1 PB", 1, 0, "PB", "1125899906842624/1000000000000000"),
    ("12 to 60 GB", 4, 0, "GB", "1073741824/1000000000"), ("2 MB to 3 GB", 2, 0, "GB", "1073741824/1000000000"),
    ("1,152 B", 4, 0, "B", "1"), ("3.35 TB/s", 3, 2, "TB/s", "1"), ("33.6 MFLOP", 3, 1, "MFLOP", "1"),
    ("0.43 G", 2, 2, "G", "1"), ("2,048", 4, 0, "", "1"), ("0.008", 1, 3, "", "1"), ("0.0080", 2, 4, "", "1"),
    ("100", 3, 0, "", "1"), ("3.00x", 3, 2, "x", "1"), ("11%", 2, 0, "%", "1"), ("6.4 ms", 2, 1, "ms", "1"),
    ("~295", 3, 0, "", "1"), ("512+", 3, 0, "", "1"), ("0", 1, 0, "", "1"), ("10⁵", 1, 0, "", "1"),
    ("10⁵ to 10⁶", 2, 0, "", "1"), ("10⁵ FLOP", 1, 0, "FLOP", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "digits", "decimals", "unit", "binary"), PARTS, ids=[p[0] for p in PARTS])
def test_the_parts_of_a_figure(text: str, digits: int, decimals: int, unit: str, binary: str) -> None:
    printed = read_printed(text)
    assert (printed.digits, printed.decimals, printed.unit) == (digits, decimals, unit)
    assert printed.binary == Fraction(binary)


ENDS = [
    # (text; both ends in base units; a number it stands for)
    ("11%", ("21/200", "23/200"), "11/100"), ("0.43 G", ("425000000", "435000000"), "430000000"),
    ("~295", ("294", "296"), "295"),
    ("just under 2", ("9/5", "2"), "19/10"),
    ("2 to 8 ms", ("3/2000", "17/2000"), "1/200"),
    ("10⁵ to 10⁶", ("100000", "1000000"), "550000"),
    ("10⁵", ("50000", "150000"), "100000"),
    ("2 MB to 8 GB", ("1500000", "8500000000"), "4250750000"),
    (">100", None, "100"), ("<1", None, "1"), ("512+", None, "512"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "ends", "middle"), ENDS, ids=[text for text, _, _ in ENDS])
def test_ends_and_middle(text: str, ends: tuple[str, str] | None, middle: str) -> None:
    printed = read_printed(text)
    assert printed.bounds == (None if ends is None else (Fraction(ends[0]), Fraction(ends[1])))
    assert printed.middle == Fraction(middle)


EXAMPLES = "write it like 0.43 G, 139.5 GB, ~295, about 970, >100, 512+, 11% or 2 to 8"
MALFORMED = [
    "", " ", "x", "GB", "ten", "about", "about ", "~", ">", "just under", "just over 2", "+", "+5", "-5",
    "5-7", "5–7", "5.", ".5", "1.2.3", "1,04", "1,0000", "2,04 GB", "5 5", "5 GiB", "5 gB", "5 m", "5 s",
    "5 mB", "5%%", "5 %x", "5 xx", "> 5", "~ 5", "≈5", "≥5", "around 5", "5  GB", "1e6", "1_000", "0x10",
    "10^5", "⁵", "10⁻⁵", "5/2", "$5", "5 FLOP/s/B", "5 GFLOP/GB", "NaN", "inf", "H", "2*H", "12 TO 60",
    "12to60", "5 to", " to 5", "\n5", "5 GB and more", "5 kx", "5 G%", "5 Mms", "10¹⁹", "10⁵⁵", "~5+", "٣",
    # a range goes up, and has no bounds inside
    "8 to 2", "2 to 2", "2 GB to 900 MB", "2 GB to 8", "10⁶ to 10⁵", "~2 to 8", "2 to ~8", ">2 to 8", "2 to <8",
]  # fmt: skip
PARTLY = [
    ("five to 7", "five"), ("5 to seven", "seven"), ("1,04 to 7", "1,04"), ("about 2 to 8", "about 2"),
    ("2 to about 8", "about 8"), ("just under 2 to 8", "just under 2"), ("2 to 8 to 9", "8 to 9"),
    ("10⁵ to 10¹⁹", "10¹⁹"), ("5 kx to 9 kx", "5 kx"), ("9" * 61, "9" * 40),
]  # fmt: skip


@pytest.mark.parametrize(("text", "blamed"), [*((text, text) for text in MALFORMED), *PARTLY], ids=repr)
def test_what_is_no_figure(text: str, blamed: str) -> None:
    with pytest.raises(InputError) as caught:
        read_printed(text, Place("f.yaml", 3, "a.prints"))
    assert str(caught.value) == f"f.yaml:3 (a.prints): {blamed!r} is no figure; {EXAMPLES}"


def test_a_long_text_is_shown_in_part_and_without_a_place() -> None:
    with pytest.raises(InputError) as caught:
        read_printed("no figure at all " * 20)
    assert str(caught.value) == f"'no figure at all no figure at all no fig' is no figure; {EXAMPLES}"


NUMERALS = [
    ("2*H*(d_k + d_v)", "2"),
    ("H_q/H_kv", ""),
    ("d_k2 W3 K8s", ""),
    ("H*(2*(d_c + d_r) + 2*d_c)", "2 2"),
    ("2,048 tokens, 8,192 tokens and 100,000,000", "2,048 8,192 100,000,000"),
    ("1.3x at 8K, 33% at 32K", "1.3 8 33 32"),
    ("10⁵ to 10⁶", "10⁵ 10⁶"),
    ("version v0.5.21", ""),
    ("section 4.2", "4.2"),
    ("the 64-wide key, 4-8 drafts", "64 4 8"),
    ("2d_k and 2H", "2 2"),
    ("S=1, L=2", "1 2"),
    ("~989.5 TFLOP/s over 3.35 TB/s", "989.5 3.35"),
    ("T^2/2", "2 2"),
    ("1, 2,3 and (4) [5,6]", "1 2 3 4 5 6"),  # after a comma, and in brackets
    ("x=2,y=3; (128,512); 8K,32K", "2 3 128,512 8 32"),
    ("3,1,024 or 2,048,9", "3 1,024 2,048 9"),
    ("0.5,0.6 of .5", "0.5 0.6 5"),
    ("10⁵⁶ or 3.2.1", "10⁵⁶ 3.2"),
]


@pytest.mark.parametrize(("text", "numerals"), NUMERALS, ids=[text[:30] or "nothing" for text, _ in NUMERALS])
def test_numerals(text: str, numerals: str) -> None:
    assert numerals_of(text) == numerals.split()


UNITS = {
    "": Fraction(1), "%": Fraction(1, 100), " ms": Fraction(1, 1000), "x": Fraction(1), " k": Fraction(10**3),
    " MFLOP": Fraction(10**6), " GB": Fraction(10**9), " TB/s": Fraction(10**12), " PFLOP/s": Fraction(10**15),
}  # fmt: skip


def shown(number: int, decimals: int) -> str:
    """A whole number of units in the last place, written with so many digits after the point."""
    digits = str(number).rjust(decimals + 1, "0")
    return digits if not decimals else f"{digits[:-decimals]}.{digits[-decimals:]}"


@given(st.integers(1, 10**7), st.integers(0, 5), st.integers(-49, 49), st.sampled_from(sorted(UNITS)))
@settings(deadline=None, derandomize=True, database=None, max_examples=300)
def test_a_number_is_allowed_by_its_own_print(number: int, decimals: int, rest: int, unit: str) -> None:
    printed = read_printed(shown(number, decimals) + unit)
    step = UNITS[unit] / 10**decimals
    exact = (number + Fraction(rest, 100)) * step
    assert printed.allows(exact)
    assert not printed.allows((number + 1) * step)
    assert not printed.allows((number - 1) * step)
    assert not printed.allows((number + Fraction(100 - abs(rest), 100)) * step)
    assert not printed.allows((number - Fraction(100 - abs(rest), 100)) * step)
    assert printed.allows(exact, "down") is (rest >= 0)
    assert printed.allows((number + Fraction(50 + abs(rest), 100)) * step, "down")
    assert not printed.allows((number + 1) * step, "down")


@given(st.integers(1, 9999), st.integers(0, 3), st.integers(0, 3), st.sampled_from(["~", "about "]))
@settings(deadline=None, derandomize=True, database=None, max_examples=300)
def test_about_lets_a_unit_of_the_last_digit_pass_but_a_twentieth_at_most(
    number: int, zeros: int, decimals: int, sign: str
) -> None:
    figure = shown(number * 10**zeros, decimals)
    rough, plain = read_printed(sign + figure), read_printed(figure)
    assert rough.bounds is not None
    assert plain.bounds is not None
    exact, half = Fraction(figure), Fraction(1, 2 * 10**decimals)
    last = Fraction(
        10 ** (len(figure) - len(figure.replace(".", "").rstrip("0")) - (decimals > 0)), 10**decimals
    )
    assert rough.bounds[0] <= plain.bounds[0] < plain.bounds[1] <= rough.bounds[1]
    assert (rough.bounds[0] + rough.bounds[1]) / 2 == exact
    assert rough.bounds[1] - exact == max(half, min(last, exact / 20))
