"""Files of claims that are refused: one sentence, with file and line of what is wrong, exit status 2."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from command import derive
from samples import within

CONTRADICTIONS = [
    "d_k < d_v, d_v < d_k", "L < 1", "L = 0", "S > L", "S >= L + 1", "d_k + d_v = 1", "d_k + d_v < 2",
    "S = 1 - d_k", "b <= 0", "b*L <= 0", "b*L*H < 0", "S = L - N, N >= L", "L = 8, L = 9", "1 < 0", "0 = 1",
    "d_k < d_v, d_v < d_c, d_c < d_k", "L > 3, L < 4", "d_k >= 2*d_v, d_k <= d_v", "L*S <= 0",
    "d_c + L <= 1", "H = 0 - N", "b + L = 1", "b = 0", "L^2 < 1", "H^3 <= 0", "b^2 <= 0",
]  # fmt: skip


@pytest.mark.parametrize("assume", CONTRADICTIONS)
def test_contradictions_are_called_so(tmp_path, monkeypatch, assume):
    monkeypatch.chdir(tmp_path)
    text = f"symbols: [N]\nclaims:\n  - id: x\n    holds: L + S > 1\n    assume: [{assume}]\n"
    refused("f.yaml:5 (claims[0].assume): the assumptions contradict each other", text)


# What is refused: the text, how the message starts after the file, and what it says.
IDLE = ("L < L", "2 = 2", "((L + S)^8)^8 < 2")
FORMULAS = [
    "__import__('os').system('x')", "L.__class__", "{{7*7}}", "L^9", "L^0", "L^1000000000", "((L + S)^8)^8",
    "((999999999999999^8)^8)^8", "((((2^8)^8)^8)^8)^8", "L/0", "1/(L - L)", "1/Y", "1/(2*Y)", "L/(Y/S)", "Z",
    "X", "L(S)", "min(L, Y.x)", "ceil(L/(S + H))", "ceil(L/Y)", "-L", "L,S", "(L", "L)",
    "(" * 13 + "L" + ")" * 13, "(L+S+H+b+d_c+d_k)^8",
]  # fmt: skip
NEST = "(" * 5000 + "L" + ")" * 5000
CODE = [
    "__import__('os').system('x') < 2", "L.__class__ < 2", "(lambda: L)() < 2", "f'{L}' < 2", "{{7*7}} < 2",
    "exec(L) < 2", "L if S else H < 2", "L[0] < 2", "L; S < 2", "`id` < 2", "$(id) < 2", "L := 2 < 3",
    "L and S < 2", "print < 2", "L ** 2 < 2", "L // 2 < 2", "L % 2 < 2", "~L < 2", "L\\S < 2", "'L' < 2",
    "L! < 2", "0x10 < L", "1e9 < L", "1_000 < L", "1.5 < L", "-L < 2", "L^-1 < 2", "L^b < 2", "2^ < 3",
    "inf < 2", "nan < L", "Ł < 2", "L² < 2", "Ｌ < 2", "٣ < L", "L < ∞", "sqrt(L) < 2", "max(L, S) < 2",
    "log(L) < 2", "min() < 2", "ceil(L) < 2", "floor(L/0) < 2", "floor(L/(L - L)) < 2", "L S < 2", "2L < 3",
    "() < 2", "< 2", "L <", "L", "", "L < S < H", "L != S", "L => 2", "L =< 2", "L === 2", "L <> 2",
    "L/0 < 2", "L/(L - L) < 2", "L/(2*S - S - S) < 2", "1/(0*L) < 2", f"{NEST} < 2", "L^9 < 2", "L^0 < 2",
    "L^1000000000 < 2", "L^" + "9" * 300 + " < 2", "99999999999999999999 < L", "9" * 390 + " < L",
    "L + " * 200 + "L < 2", "((L + S)^8)^8 < 2", "((999999999999999^8)^8)^8 < L", "((((2^8)^8)^8)^8)^8 < L",
    "((L^8)^8)^8 < 2", "(L+S+H+b+d_c+d_k)^8 < 2", "1/(L+S+H+b+d_c)^8 + 1/(d_k+d_v+H+b+L)^8 < 2",
    "F.flops < 2", "Q < 2", "l < 2", "L < L", "2 = 2",
]  # fmt: skip


PYTHON = ("['", "None", "Traceback", "Entry(", "{'", "Error", "--set")


def refused(start: str, text: str | bytes, *says: str) -> None:
    """The one line for a file in this folder, which speaks of YAML and of nothing else."""
    Path("f.yaml").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    with within(10) if "^" in str(text) or len(text) > 1000 else nullcontext():
        status, out, err = derive("prove", "--file", "f.yaml")
    assert (status, out) == (2, ""), (status, out[:300], err[:300])
    assert err.startswith(f"derive: error: {start}"), err
    assert err.count("\n") == err.count("f.yaml") == 1, err
    assert len(err) < 600, err
    assert [word for word in PYTHON if word in err and word not in str(text)] == [], err
    assert [word for word in says if word not in err] == [], err


@pytest.mark.parametrize("text", CODE, ids=lambda text: text[:40] or "nothing")
@pytest.mark.parametrize("where", ["holds", "assume"])
def test_formulas_that_are_none(tmp_path, monkeypatch, text, where):
    monkeypatch.chdir(tmp_path)
    if where == "assume" and text in IDLE:
        text = f"Q + {text}"
    quoted = "'" + text.replace("'", "''") + "'"
    files = {
        "holds": ("3 (claims[0].holds)", f"claims:\n  - id: x\n    holds: {quoted}\n"),
        "assume": (
            "5 (claims[0].assume[1])",
            f"claims:\n  - id: x\n    holds: L + S > 1\n    assume:\n      [L > 0, {quoted}]\n",
        ),
    }
    line, file = files[where]
    refused(f"f.yaml:{line}: ", file)


@pytest.mark.parametrize("text", FORMULAS, ids=lambda text: text[:40])
def test_quantities_that_are_none(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    refused("f.yaml:3 (quantities.Z): ", f'quantities:\n  Y: L - L\n  Z: "{text}"\n{CLAIM}')


def test_a_quantity_that_is_nothing_divides_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "quantities:\n  Z: L - L\n  Y: 2*Z\nclaims:\n  - id: x\n    holds: 1/Y < L\n"
    refused("f.yaml:6 (claims[0].holds): a division by zero", text)


CLAIM = "claims:\n  - {id: x, holds: L > 0}\n"
WRONG = [
    # (the text; line and key; what it says)
    ("", "", "the file is empty"),
    ("# nothing\n", "", "the file is empty"),
    ("[]", ":1", "found a list"),
    ("title: x\n", ":1", "'claims' is missing"),
    ("claims: {}", ":1 (claims)", "expected a list, found a mapping"),
    ("claims:", ":1 (claims)", "expected a list, found nothing"),
    ("claims:\n  - 5\n", ":2 (claims[0])", "found a number"),
    ("claims: [[]]", ":1 (claims[0])", "found a list"),
    ("claims:\n  - {}\n", ":2 (claims[0])", "'id' is missing"),
    ("claims:\n  - holds: L > 0\n", ":2 (claims[0])", "'id' is missing"),
    ("claims:\n  - id: x\n", ":2 (claims[0])", "a claim says one of holds, equivalent"),
    (f"{CLAIM}claim: 5\n", ":3 (claim)", "unknown key 'claim'; did you mean 'claims'?"),
    (f"{CLAIM}claims: []\n", ":3 (claims)", "stands twice; first in line 1"),
    (f"{CLAIM}title: {'x' * 121}\n", ":3 (title)", "longer than 120 characters"),
    (f"{CLAIM}title: ''\n", ":3 (title)", "the text is empty"),
    (f"{CLAIM}  - {{id: x, holds: L > 1}}\n", ":3 (claims[1]", "'x' stands twice"),
    (f"{CLAIM}symbols: N\n", ":3 (symbols)", "expected a list, found a text"),
    (f"{CLAIM}symbols: [N, 1x]\n", ":3 (symbols[1])", "'1x'"),
    (f"{CLAIM}symbols: [__class__]\n", ":3 (symbols[0])", "'__class__'"),
    (f"{CLAIM}symbols: [Ñ]\n", ":3 (symbols[0])", "'Ñ'"),
    (f"{CLAIM}symbols: [{'N' * 41}]\n", ":3 (symbols[0])", "no name"),
    (f"{CLAIM}quantities: 5\n", ":3 (quantities)", "found a number"),
    ("a: &a [x]\nclaims: [*a, *a]", ":1", "anchors and aliases"),
    ("claims: !!python/object/apply:os.system ['id']", ":1", "tags"),
    ("claims:\n\t- id: x\n", ":2", "a tab"),
    (f"{CLAIM}---\n{CLAIM}", ":3", "more than one document"),
    ("claims: [" * 30, ":1", "deeper than 20"),
    (b"claims: \xff\xfe", "", "not UTF-8"),
    ("claims: [".encode("utf-16"), "", "not UTF-8"),
    ("claims: " + "x" * 300_000, "", "larger than 256 KiB"),
]
ONE_CLAIM = [
    # (the lines of a claim from its second on; line and key under claims[0]; what it says)
    ("hold: L > 0", "3 .hold", "unknown key 'hold'; did you mean 'holds'?"),
    ("holds: L > 0\nincreasing: {quantity: L, in: L}", "2", "a claim says one of"),
    ("holds: 5", "3 .holds", "'5' is no comparison"),
    ("holds: 1.5", "3 .holds", "a decimal"),
    ("holds: true", "3 .holds", "expected a text, found true/false"),
    ("holds:", "3 .holds", "expected a text, found nothing"),
    ("holds: [L > 0]", "3 .holds", "expected a text, found a list"),
    ("holds: L > d_kk", "3 .holds", "unknown name 'd_kk'; did you mean 'd_k'?"),
    ("holds: \"L > \\u200bS\"", "3 .holds", "control character"),
    ("holds: \"L > \\x07S\"", "3 .holds", "control character"),
    (f"holds: L < {'S + ' * 150}S", "3 .holds", "400 characters"),
    ("holds: L > 0\nsays: 5.5", "4 .says", "a decimal"),
    (f"holds: L > 0\nsays: {'x' * 401}", "4 .says", "longer than 400 characters"),
    ("holds: L > 0\nexpect: maybe", "4 .expect", "unknown verdict 'maybe'"),
    ("holds: L > 0\nexpect: prooved", "4 .expect", "did you mean 'proved'?"),
    ("holds: L > 0\nassume: L > 1", "4 .assume", "expected a list, found a text"),
    ("holds: L > 0\nassume:", "4 .assume", "expected a list, found nothing"),
    ("holds: L > 0\nassume:\n  - S > 1\n  - Q > 1", "6 .assume[1]", "'Q'"),
    ("holds: L > 0\nassume: [5]", "4 .assume[0]", "'5' is no comparison"),
    ("holds: L > 0\nassume: [[S > 0]]", "4 .assume[0]", "expected a text, found a list"),
    ("holds: L > 0\nassume: [L^8*S^8*H^8*d_k^8*d_v^8*d_c >= 1]", "4 .assume[0]", "40"),
    ("equivalent: L < S", "3 .equivalent", "expected a list, found a text"),
    ("equivalent: [L < S]", "3 .equivalent", "two comparisons"),
    ("equivalent: [L < S, S < H, H < L]", "3 .equivalent", "two comparisons"),
    ("equivalent: [L < S, S <= H]", "3 .equivalent", "with < or >"),
    ("independent: L", "3 .independent", "found a text"),
    ("independent: {quantity: L}", "3 .independent", "'of' is missing"),
    ("independent: {quantity: L, of: Q}", "3 .independent.of", "unknown symbol 'Q'"),
    ("independent: {quantity: L, of: S + H}", "3 .independent.of", "unknown symbol 'S + H'"),
    ("increasing: {quantity: [L], in: L}", "3 .increasing.quantity", "expected a text, found a list"),
    ("increasing: {quantity: L/0, in: L}", "3 .increasing.quantity", "a division by zero"),
    ("crossover: {below: L, above: S}", "3 .crossover", "'in' is missing"),
    ("crossover: {below: L, above: S, in: S, at: Q}", "3 .crossover.at", "unknown name 'Q'"),
    ("cheapest: mla", "3 .cheapest", "found a text"),
    ("cheapest: {variant: mla}", "3 .cheapest", "'order' is missing"),
    ("cheapest: {order: absorb}", "3 .cheapest", "'variant' is missing"),
    ("cheapest: {variant: mlla, order: absorb}", "3 .cheapest.variant", "did you mean 'mla'?"),
    ("cheapest:\n  variant: mla\n  order: absorv", "5 .cheapest.order", "did you mean 'absorb'?"),
    ("cheapest: {variant: [mla], order: absorb}", "3 .cheapest.variant", "expected a text, found a list"),
    ("cheapest: {variant: mla, order: absorb, at: {L: 2*S}}", "3 .cheapest.at", "at"),
    ("same-value: {variant: mla, order: absorb, at: {L: 2*S}}", "3 .same-value.at", "at"),
    ("same-value:\n  variant: mla\n  order: nope", "5 .same-value.order", "unknown order"),
    ("same-value: {variant: mla, order: direct}", "3 .same-value.order", "as the program writes it"),
    ("same-value: {variant: mla, order: absorb, scope: nope}", "3 .same-value.scope", "scope"),
]  # fmt: skip
ONE_QUANTITY = [
    # (what stands for F; line and key; what it says)
    ("F: [L]", "2 .F", "expected a text, found a list"),
    ("F:", "2 .F", "expected a text, found nothing"),
    ("F: L < S", "2 .F", "cannot read '< S'"),
    ("F: G", "2 .F", "unknown name 'G'"),
    ("F: F", "2 .F", "unknown name 'F'"),
    ("F: G\n  G: F", "2 .F", "unknown name 'G'"),
    ("F.bytes: S", "2 .F.bytes", "'F.bytes'"),
    ("__class__: S", "2 .__class__", "'__class__'"),
    ("Ф: S", "2 .Ф", "'Ф'"),
    ("F: S\n  F: L", "3 .F", "stands twice; first in line 2"),
    ("F: {}", "2 .F", "one of flops, bytes, intensity, crossover, limit"),
    ("F: {flops: mla, bytes: mla}", "2 .F", "one of flops, bytes"),
    ("F: {flop: mla}", "2 .F.flop", "unknown key 'flop'; did you mean 'flops'?"),
    ("F: {flops: 5}", "2 .F.flops", "unknown variant '5'"),
    ("F:\n    flops: mlla", "3 .F.flops", "unknown variant 'mlla'; did you mean 'mla'?"),
    ("F:\n    flops: mla+rop", "3 .F.flops", "did you mean 'rope'?"),
    ("F:\n    flops: ./none.yaml", "3 .F.flops", "there is no file"),
    ("F:\n    flops: mla\n    order: absorv", "4 .F.order", "did you mean 'absorb'?"),
    ("F:\n    flops: mla\n    order: [absorb]", "4 .F.order", "expected a text, found a list"),
    ("F:\n    flops: mla\n    model: deepseek-v33", "4 .F.model", "did you mean 'deepseek-v3'?"),
    ("F:\n    flops: mla\n    model: ~", "4 .F.model", "expected a text, found nothing"),
    ("F:\n    flops: mla\n    phase: decod", "4 .F.phase", "did you mean 'decode'?"),
    ("F:\n    flops: mla\n    scope: 5", "4 .F.scope", "'5'"),
    ("F:\n    flops: mla\n    unit: [macs]", "4 .F.unit", "expected a text, found a list"),
    ("F:\n    flops: mla\n    grows: true", "4 .F.grows", "found true/false"),
    ("F:\n    flops: mla\n    kept_rows: once", "4 .F.kept_rows", "did you mean 'kept-rows'?"),
    ("F:\n    flops: mla\n    caches: none\n    formed: cached", "", "cannot be cached"),
    ("F:\n    flops: mla\n    set: 5", "4 .F.set", "found a number"),
    ("F:\n    flops: mla\n    set: {Q: 1}", "4 .F.set.Q", "unknown symbol 'Q'"),
    ("F:\n    flops: mla\n    set: {L: x}", "4 .F.set.L", "not a number"),
    ("F:\n    flops: mla\n    set: {L: 0}", "4 .F.set.L", "at least 1"),
    ("F:\n    flops: mla\n    set: {L: -4}", "4 .F.set.L", "at least 1"),
    ("F:\n    flops: mla\n    set: {L: 1.5}", "4 .F.set.L", "whole number"),
    ("F:\n    flops: mla\n    set: {b: 0}", "4 .F.set.b", "above 0"),
    ("F:\n    flops: mla\n    set: {L: 99999999999999999999}", "4 .F.set.L", "larger than"),
    ("F:\n    flops: mla\n    set: {L: [1]}", "4 .F.set.L", "found a list"),
    ("F:\n    flops: mla\n    set: {L: {a: 1}}", "4 .F.set.L", "found a mapping"),
    ("F:\n    flops: mla\n    set: {L: }", "4 .F.set.L", "found nothing"),
    ("F:\n    flops: mla\n    set: {L: true}", "4 .F.set.L", "found true/false"),
    ("F:\n    flops: mla\n    at: [H]", "4 .F.at", "found a list"),
    ("F:\n    flops: mla\n    at: {Q: H}", "4 .F.at.Q", "unknown symbol 'Q'"),
    ("F:\n    flops: mla\n    at: {H: H/Q}", "4 .F.at.H", "unknown symbol 'Q'"),
    ("F:\n    flops: mla\n    at: {H: H/0}", "4 .F.at.H", "divisor"),
    ("F: {crossover: [L, S]}", "2 .F", "'in' is missing"),
    ("F: {crossover: [L], in: L}", "2 .F.crossover", "two quantities"),
    ("F: {crossover: [L, S], in: Q}", "2 .F.in", "unknown symbol 'Q'"),
    ("F: {limit: L, in: L, order: absorb}", "2 .F.order", "unknown key 'order'"),
]


@pytest.mark.parametrize(("text", "place", "says"), WRONG, ids=lambda x: str(x)[:30])
def test_files_that_are_none(tmp_path, monkeypatch, text, place, says):
    monkeypatch.chdir(tmp_path)
    refused(f"f.yaml{place}", text, says)


@pytest.mark.parametrize(("lines", "place", "says"), ONE_CLAIM, ids=lambda x: str(x)[:40])
def test_claims_that_are_none(tmp_path, monkeypatch, lines, place, says):
    monkeypatch.chdir(tmp_path)
    line, _, key = place.partition(" ")
    text = "claims:\n  - id: x\n" + "".join(f"    {row}\n" for row in lines.split("\n"))
    refused(f"f.yaml:{line} (claims[0]{key}): ", text, says)


@pytest.mark.parametrize(("lines", "place", "says"), ONE_QUANTITY, ids=lambda x: str(x)[:50])
def test_quantities_in_no_form(tmp_path, monkeypatch, lines, place, says):
    monkeypatch.chdir(tmp_path)
    line, _, key = place.partition(" ")
    start = f"f.yaml:{line} (quantities{key}): " if place else "f.yaml:"
    refused(start, f"quantities:\n  {lines}\n{CLAIM}", says)
