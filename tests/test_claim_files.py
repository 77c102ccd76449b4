"""Files of claims, good ones: each kind of quantity and of claim, with the verdict that mathematics gives.

Verdicts are worked out by hand: costs as the article has them, and small counterexamples.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from derivations.claimfile import load_claims
from derivations.errors import InputError
from derivations.judging import judge

V3 = "deepseek-v3"
P, R, O = "proved", "refuted", "open"  # noqa: E741
QUANTITIES = """
  F: {flops: mha}
  M: {bytes: mha}
  I: {intensity: mha}
  F_all: {flops: mha, phase: prefill, pairs: causal}
  F_macs: {flops: mha, unit: macs}
  F_small: {flops: mha, set: {H: 8, d_k: 16, d_v: 1K}}
  M_rank: {bytes: mha, at: {H: H/N}}
  A: {flops: mla, order: absorb, phase: verify, scope: attention}
  E: {flops: mla, order: expand, phase: verify, scope: attention}
  A_v3: {flops: mla, order: absorb, phase: verify, scope: attention, model: deepseek-v3}
  A_rope: {flops: mla+rope, order: absorb}
  S_star: {crossover: [A, E], in: S}
  S_far: {limit: S_star, in: L}
  half: {limit: (L + S)/(2*L + 7), in: L}
  double: 2*F
  up: ceil(H/N)
  down: floor(H/N)
"""
WIDE = ["d_k + d_v < 2*d_c"]
CLOSED = "L*d_c*(d_k + d_v)/(L*(2*d_c - d_k - d_v) + d_c*(d_k + d_v))"
FAR = "d_c*(d_k + d_v)/(2*d_c - d_k - d_v)"
CROSSING = {"below": "A", "above": "E", "in": "S"}
VERDICTS = [
    # costs of each kind
    (P, {"holds": "F = 2*H*L*(d_k + d_v)"}, []),
    (P, {"holds": "M = b*H*L*(d_k + d_v)"}, []),
    (P, {"holds": "I = 2/b"}, []),
    (P, {"holds": "F_all = H*L*(L + 1)*(d_k + d_v)"}, []),
    (P, {"holds": "F_macs*2 = F"}, []),
    (P, {"holds": "F_small = 16640*L"}, []),  # 2 * 8 * (16 + 1024)
    (P, {"holds": "N*M_rank = M"}, []),
    (P, {"holds": "A = 2*H*S*d_c*(d_k + d_v) + 4*H*S*L*d_c"}, []),
    (P, {"holds": "E = 2*H*L*d_c*(d_k + d_v) + 2*H*S*L*(d_k + d_v)"}, []),
    (P, {"holds": "A_v3 = 2*128*S*512*256 + 4*128*S*L*512"}, []),
    (P, {"holds": "A_rope = 4*H*L*d_c + 2*H*L*d_r"}, []),
    (P, {"holds": f"S_star = {CLOSED}"}, WIDE),
    (P, {"holds": f"S_far = {FAR}"}, WIDE),
    (R, {"holds": f"S_star = {FAR}"}, WIDE),
    (P, {"holds": "half = 1/2"}, []),
    (R, {"holds": "half = 1/3"}, []),
    (P, {"holds": "double/F = 2"}, []),
    # each relation
    (P, {"holds": "F < double"}, []),
    (P, {"holds": "double > F"}, []),
    (P, {"holds": "double >= F"}, []),
    (R, {"holds": "double <= F"}, []),
    (P, {"holds": "F = double/2"}, []),
    (P, {"holds": "L <= L^2"}, []),
    (R, {"holds": "L < L^2"}, []),  # not at L = 1
    (P, {"holds": "L < L^2"}, ["L > 1"]),
    (P, {"holds": "S <= L"}, []),
    (R, {"holds": "S < L"}, []),
    (R, {"holds": "L < 1000"}, []),
    (R, {"holds": "2 = 3"}, []),
    (P, {"holds": "2 < 3"}, []),
    (P, {"holds": "L >= 4"}, ["L > 3"]),
    (P, {"holds": "L >= 2"}, ["2*L > 3"]),
    (R, {"holds": "L = 8"}, ["L <= 8"]),
    (P, {"holds": "L*d_k = 8*d_k"}, ["L = 8"]),
    (P, {"holds": "(L + S)^3 = L^3 + 3*L^2*S + 3*L*S^2 + S^3"}, []),
    # widths are any positive number
    (P, {"holds": "b > 0"}, []),
    (R, {"holds": "b >= 1"}, []),
    (R, {"holds": "b < 1"}, []),
    (R, {"holds": "b*L >= 1"}, []),
    (R, {"holds": "b^2 >= b"}, []),
    (P, {"holds": "b^2 < b"}, ["b < 1"]),
    (R, {"holds": "b >= 1"}, ["b <= 1"]),
    # min, ceil and floor
    (R, {"holds": "min(d_k, d_v) = d_k"}, []),
    (P, {"holds": "min(d_k, d_v) <= d_k"}, []),
    (R, {"holds": "N*up = H"}, []),
    (R, {"holds": "down >= 1"}, []),
    (R, {"holds": "ceil(L/2) < L"}, []),
    (R, {"independent": {"quantity": "min(L, 4)", "of": "L"}}, []),
    # the other kinds
    (P, {"equivalent": ["E < A", "2*d_c > d_k + d_v"]}, ["S = 1", "L = 1"]),
    (R, {"equivalent": ["E < A", "d_c > d_k + d_v"]}, ["S = 1", "L = 1"]),
    (P, {"independent": {"quantity": "I", "of": "L"}}, []),
    (R, {"independent": {"quantity": "I", "of": "b"}}, []),
    (P, {"independent": {"quantity": "S_star", "of": "H"}}, WIDE),
    (R, {"independent": {"quantity": "S_star", "of": "L"}}, WIDE),
    (P, {"increasing": {"quantity": "F", "in": "H"}}, []),
    (R, {"increasing": {"quantity": "L - d_k", "in": "d_k"}}, []),
    (R, {"increasing": {"quantity": "L*(L - 6)", "in": "L"}}, []),  # -5 at 1, -8 at 2
    (P, {"increasing": {"quantity": "S_star", "in": "L"}}, WIDE),
    (P, {"crossover": CROSSING}, WIDE),
    (P, {"crossover": {**CROSSING, "at": CLOSED}}, WIDE),
    (R, {"crossover": {**CROSSING, "at": FAR}}, WIDE),
    (R, {"crossover": {**CROSSING, "below": "E", "above": "A"}}, WIDE),
    (P, {"cheapest": {"variant": "mla", "order": "absorb", "model": V3}}, ["L >= 2"]),
    (P, {"same-value": {"variant": "mla", "order": "absorb"}}, []),
]  # fmt: skip


def write(claim: dict, assume: list[str], expect: str = "proved", symbols: str = "N") -> str:
    body = yaml.safe_dump([{"id": "x", **claim, "assume": assume, "expect": expect}], width=2000)
    named = any(re.search(rf"\b{name}\b", body) for name in re.findall(r"(?m)^  (\w+):", QUANTITIES))
    return f"symbols: [{symbols}]\nquantities:{QUANTITIES if named else ' {}' + chr(10)}claims:\n{body}"


def verdict(tmp_path: Path, claim: dict, assume: list[str]) -> str:
    path = tmp_path / "f.yaml"
    path.write_text(write(claim, assume), "utf-8")
    (assertion,) = load_claims(str(path)).assertions
    return judge(assertion).status


@pytest.mark.parametrize(("status", "claim", "assume"), VERDICTS, ids=lambda v: str(v)[:60])
def test_verdicts(tmp_path, status, claim, assume):
    assert verdict(tmp_path, claim, assume) == status


TRUE = [
    ("ceil(L/4)*4 >= L", []),
    ("floor(L/4)*4 <= L", []),
    ("floor(L/4) < ceil((L + 1)/4)", []),
    ("(L - S)/(L - S) = 1", ["S < L"]),
    ("b*L = 4*L", ["b = 4"]),
    ("b*L = L/2", ["b = 1/2"]),
    ("b*S = 2*L*S", ["b = 2*L"]),
    ("min(d_k, d_v) + d_c > min(d_k + d_c, d_v) - 1", []),
    ("up*N < H + N", []),
    ("up - down <= 1", []),
    ("min(b, 1) <= b", []),
    ("d_k^2 + d_v^2 >= 2*d_k*d_v", []),
    ("L^2 + L >= 2", []),
    ("(1/b)*b = 1", []),
    ("S_star > 0", WIDE),
    ("d_k*d_v <= 9", ["d_k + d_v = 6"]),
    ("L >= 2", ["L*S >= 2", "S = 1"]),
    ("2*d_k > 1", []),
    ("min(d_k - d_v, 0) <= 0", []),
    ("floor((d_k - d_v)/1) = d_k - d_v + 0/L", []),
]
FALSE = [
    ("(L - S)/(L - S) = 2", []),
    ("L/(L - S) > 0", []),  # no value where L = S
    ("(L - S)/(L - S) = 1", []),
    ("b = 2", ["b <= 2"]),
    ("b*L = 2*L", ["b = 4"]),
    ("(d_k - d_v)^2 > 0", []),
    ("d_k*d_v < 9", ["d_k + d_v = 6"]),
    ("L < 999983", []),
    ("H/N >= 1", []),
    ("up = H/N", []),
    ("L^8 <= 999999999999999", []),
    ("b*H < 10000", []),
    ("b*H > 1/10000", []),
    ("S_star > S", WIDE),
    ("min(L, d_k) < L", []),
    # a min, ceil or floor of what may be negative is no size; nor is it idle where its divisor is 1
    ("min(d_k - d_v, 5) > 0", []),
    ("min(d_k - d_v, 5) >= 0", []),
    ("min(d_k - 3, d_v)*L > 0", []),
    ("ceil((d_k - d_v)/2) > 0", []),
    ("ceil((L - 4)/4) > 0", []),
    ("floor((d_k - d_v)/2) >= 0", []),
    ("d_k >= 4", ["d_k = ceil((L - 5)/2) + 3"]),
    ("d_k >= 3", ["d_k = floor((L - 5)/2) + 3"]),
    ("ceil(b/1)*2 < 2*b + 1", []),  # 2 and 2 at b = 1/2
    ("floor(b*L/1) > b*L - 1/2", []),
    ("ceil((L/2)/1)*2 < L + 1", []),
]


@pytest.mark.parametrize(("text", "assume"), TRUE)
def test_what_is_true_is_not_refuted(tmp_path, text, assume):
    assert verdict(tmp_path, {"holds": text}, assume) in (P, O)


@pytest.mark.parametrize(("text", "assume"), FALSE)
def test_what_is_false_or_has_no_value_is_not_proved(tmp_path, text, assume):
    assert verdict(tmp_path, {"holds": text}, assume) in (R, O)


def test_what_another_bracketing_beats_is_not_proved(tmp_path):
    assert verdict(tmp_path, {"cheapest": {"variant": "mla", "order": "expand", "model": V3}}, []) in (R, O)


# Assumptions must not take for granted what only sizes have.
UNSURE = [
    # (holds, assume): sizes that the assumptions allow, at which it fails, are few
    ("d_k > 1", ["min(d_k - 3, d_v) < 9*L"]),
    ("L > 4", ["d_k = ceil((L - 5)/2) + 3"]),
    ("d_k > d_v - 1", ["floor((d_k - d_v)/2) < L"]),
]


@pytest.mark.parametrize(("text", "assume"), UNSURE)
def test_what_small_sizes_break_is_refuted(tmp_path, text, assume):
    assert verdict(tmp_path, {"holds": text}, assume) == R


# What sizes do satisfy is no contradiction, however large or far apart they must be.
SATISFIED = [
    "L > 1000000", "L >= 1048576, S >= 65536", "d_k = 3*d_v + 1", "d_k + d_v = 256", "2*d_k = 3*d_v",
    "2*d_k = 3*d_v, d_v >= 100", "H*d_k = 128*d_v", "d_k*d_v = 12", "L = 7*S, S >= 1000", "b = 2", "b = 1/2",
    "2*b = 1", "b < 1", "b > 3", "4*b <= 1", "b*H = 3", "L^2 >= 1000000", "L^2 = 9", "d_k <= d_v, d_v <= d_k",
    "N = ceil(H/4)", "S = 1, L = 1", "d_c = 999999999999999", "S <= L", "H >= 2*N, H <= 3*N, N >= 50",
    "L^8*S^8*H^8*N^8 >= 1", "b < 1000*L",
]  # fmt: skip


@pytest.mark.parametrize("assume", SATISFIED)
def test_assumptions_that_some_sizes_satisfy_are_taken(tmp_path, assume):
    assert verdict(tmp_path, {"holds": "L + S > 1"}, assume.split(", ")) in (P, O)


def test_nothing_below_a_line_below_a_line_has_no_value(tmp_path):
    assert verdict(tmp_path, {"holds": "1/(1/(d_k - d_v)) = d_k - d_v"}, []) in (P, O)  # but where d_k = d_v
    with pytest.raises(InputError, match="division by zero"):
        verdict(tmp_path, {"holds": "1/(1/(d_k - d_v)) >= 0"}, ["d_k = d_v"])
