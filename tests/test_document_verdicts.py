"""The rule of verdicts, branch by branch, on documents of a few claims with numbers by hand.

`small_documents` has the sizes: 320 FLOPs and as many bytes of multi-head core, 560 FLOPs and 140 bytes of
absorbed core, 224 FLOPs of lift. What is tried on a plain size such as L = 100 can be counted: a long context,
100 cut off, 200, 50, 1/100, 100/101, 99 (the distance to one, and L one too small) and 101; 8 in all.
"""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from small_documents import SIZES, judged, read, written

from derivations.documents.judged import judge_document

F = Fraction
HUNDRED = "{set: {L: 100}}"
TEN = "{set: {L: 10}}"
TWO = "over: [{set: {L: 10}}, {set: {L: 20}}]"
FOUR = "over: [{set: {L: 16}}, {set: {L: 10}}, {set: {L: 20}}, {set: {L: 5}}]"
NONE = "no other reading gives the printed figure"
HALF, DOUBLE = "a factor of two missing", "a factor of two too many"
WEIGHTS = "the bytes of the up-projection weights"
ONCE = "only where a multiply-add counts once"
CASES = [
    # (what; the claims; id: verdict, why, numbers tried; sizes, if others)
    ("a figure", 'a: {line: 1, prints: "320", value: F}', {"a": ("holds", "", 0)}, None),
    ("every place", f"a: {{line: 1, prints: 320 to 640, value: F, {TWO}}}", {"a": ("holds", "", 0)}, None),
    ("one place", f'a: {{line: 1, prints: "320", value: F, {TWO}}}',
     {"a": ("holds if", "only at L = 10", 2)}, None),
    ("two places", f'a: {{line: 1, prints: ">500", value: F, {FOUR}}}',  # 512, 320, 640 and 160 FLOPs
     {"a": ("holds if", "only at L = 16 and at L = 20", 4)}, None),
    # a convention: what else halves the number is a slip, and comes second. 160, a long context, 320 cut off,
    # 640, 1/320, 320/321, 319, 352, 288 and 120 (no values) are tried; without d_model a layer has no number
    ("a convention", 'a: {line: 1, prints: "160", value: F}', {"a": ("holds if", ONCE, 11)}, None),
    ("a convention of a group",
     'a: {line: 1, prints: "160", value: F, group: g}\nb: {line: 1, prints: "112", value: lift, group: g}',
     {"a": ("holds if", ONCE, 11), "b": ("holds if", ONCE, 11)}, None),
    ("a convention of places",
     "a: {line: 1, prints: 160 to 176, value: F, over: [{set: {L: 10}}, {set: {L: 11}}]}",
     {"a": ("holds if", ONCE, 11)}, None),
    # a convention that fits only what fails is none: the group's other figure would be 112, not 224
    ("no convention of the group",
     'a: {line: 1, prints: "160", value: F, group: g}\nb: {line: 1, prints: "224", value: lift, group: g}',
     {"a": ("wrong", f"{HALF} gives the printed figure", 11), "b": ("holds", "", 0)}, None),
    ("no convention of what stands beside",
     'a: {line: 1, prints: "160", value: F, beside: [1-b]}\nb: {line: 1, prints: "224", value: lift}',
     {"a": ("wrong", f"{HALF} gives the printed figure", 11), "b": ("holds", "", 0)}, None),
    ("a convention of what stands beside",
     'a: {line: 1, prints: "160", value: F, beside: [1-b]}\nb: {line: 1, prints: 100 to 240, value: lift}',
     {"a": ("holds if", ONCE, 11), "b": ("holds", "", 0)}, None),
    # of three that leave 140 bytes, the core alone would make the other figure 560: that one is no condition
    *((f"conventions of one number {how}",
       (f'a: {{line: 1, prints: "140", value: weighty, {one}}}\n'
        f'b: {{line: 1, prints: "784", value: attention{two}}}'),
       {"a": ("holds if", f"only where {WEIGHTS} are left out", None), "b": ("holds", "", 0)}, None)
      for how, one, two in [("in a group", "group: g", ", group: g"), ("beside", "beside: [1-b]", "")]),
    ("a convention of one digit", "a: {line: 1, prints: 0.2 k, value: F}", {"a": ("holds if", ONCE, 11)}, None),
    ("a convention that empties one of two ledgers", 'a: {line: 1, prints: "320", value: F + out}',
     {"a": ("holds if", "only where the output projection is left out", None)},
     SIZES.replace("}}", ", d_model: 11}}")),
    # it must fit at every place: 160 at ten tokens and 320 at twenty
    ("no convention of all places", f'a: {{line: 1, prints: "160", value: F, {TWO}}}',
     {"a": ("wrong", f"{HALF} at L = 10 gives the printed figure", 11)}, None),
    ("no convention of a figure that holds somewhere",
     (f'a: {{line: 1, prints: "320", value: F, group: g, {TWO}}}\n'
      'b: {line: 1, prints: "112", value: lift, group: g}'),
     {"a": ("holds if", "only at L = 10", 2), "b": ("wrong", f"{HALF} gives the printed figure", None)},
     None),
    # slips: the only one, and of three digits
    ("a slip", 'a: {line: 1, prints: "200", value: L}',
     {"a": ("wrong", f"{DOUBLE} gives the printed figure", 9)}, HUNDRED),
    ("a slip of two digits", 'a: {line: 1, prints: "20", value: L}',
     {"a": ("wrong", f"{DOUBLE} would give it, but 2 digits explain nothing", 9)}, TEN),
    ("a slip of one digit", 'a: {line: 1, prints: "5", value: L}',
     {"a": ("wrong", f"{HALF} would give it, but 1 digit explains nothing", 9)}, TEN),
    ("slips of one number", 'a: {line: 1, prints: "99", value: L}',
     {"a": ("wrong", "several readings give it: the distance to one and L one too small", 9)}, HUNDRED),
    # in two figures, one less and the distance to one are not the same
    ("a slip of two figures",
     'a: {line: 1, prints: "20", value: L, group: g}\nb: {line: 1, prints: "40", value: 2*L, group: g}',
     dict.fromkeys("ab", ("wrong", f"{DOUBLE} gives the printed figure", 10)), TEN),
    ("a slip of one figure of two",
     'a: {line: 1, prints: "200", value: L, group: g}\nb: {line: 1, prints: "777", value: 2*L, group: g}',
     dict.fromkeys("ab", ("wrong", NONE, 10)), HUNDRED),
    ("none", 'a: {line: 1, prints: "777", value: L}', {"a": ("wrong", NONE, 9)}, HUNDRED),
    # 1010 and, without values, 1000
    ("several", 'a: {line: 1, prints: about 1000, value: "2*H*L*(d_k + d_v)"}',
     {"a": ("wrong", f"several readings give it: {HALF} and keys alone, values forgotten", 11)},
     "{set: {H: 1, L: 10, d_k: 50, d_v: 51}}"),
    # other quantities; the own number, 320, is not among what is tried
    ("another quantity", 'a: {line: 1, prints: "560", value: F, instead: {the latent core: {value: A}}}',
     {"a": ("wrong", "taking the latent core gives the printed figure", 12)}, None),
    ("another quantity elsewhere",
     'a: {line: 1, prints: "256", value: F, instead: {eight tokens: {value: F, under: {set: {L: 8}}}}}',
     {"a": ("wrong", "taking eight tokens gives the printed figure", 12)}, None),
    ("two other quantities",
     'a: {line: 1, prints: "560", value: F, instead: {x: {value: A}, y: {value: A + 1/10}, z: {value: F}}}',
     {"a": ("wrong", "several readings give it: taking x and taking y", 13)}, None),
    ("another quantity of two figures",
     ('a: {line: 1, prints: "560", value: F, group: g, instead: {that: {value: A}}}\n'
      'b: {line: 1, prints: "777", value: F, group: g}'), dict.fromkeys("ab", ("wrong", NONE, 11)), None),
    # 220 FLOPs: 110, 440, 1/220, 220/221, 219, cut off, and 0 without values. To leave out the output
    # projection leaves nothing, and is no reading
    ("what a change empties", 'a: {line: 1, prints: "777", value: out}', {"a": ("wrong", NONE, 8)},
     "{set: {H: 2, d_v: 5, d_model: 11}}"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "claims", "expected", "under"), CASES, ids=[case[0] for case in CASES])
def test_the_rule(
    what: str, claims: str, expected: dict[str, tuple[str, str, int | None]], under: str | None
) -> None:
    found = judged(claims, **({} if under is None else {"under": under}))
    assert found.keys() == expected.keys()
    for name, (status, because, tried) in expected.items():
        verdict = found[name]
        assert (verdict.status, verdict.because) == (status, because), name
        assert tried in (None, verdict.tried), (name, verdict.tried)
        # what is said to explain does give the printed figure, and a figure that holds needs no explanation
        printed = verdict.claim.printed
        assert printed is not None
        assert all(
            r.value is not None and printed.allows(r.value, r.setting.rounding) for r in verdict.explained
        )
        assert bool(verdict.explained) is (status != "holds" and because != NONE)


def test_readings_have_their_numbers() -> None:
    found = judged(f'a: {{line: 1, prints: "320", value: F, {TWO}}}\nb: {{line: 1, prints: "160", value: F}}')
    assert [(r.words, r.value) for r in found["a"].readings] == [
        ("at L = 10", F(320)), ("at L = 20", F(640)),
    ]  # fmt: skip
    assert [(r.words, r.value) for r in found["a"].explained] == [("at L = 10", F(320))]
    assert [(r.words, r.value) for r in found["b"].readings] == [("", F(320))]
    assert [(r.words, r.value) for r in found["b"].explained] == [("a multiply-add counts once", F(160))]


AGAINST = [
    # (what L = 100 is printed as; a formula of y, printed 100, and z, printed 10; from; to; the verdict)
    ("150", "y", F("99.5"), F("100.5"), "contradicts"),
    ("101", "y", F("99.5"), F("100.5"), "contradicts"),  # ends that touch share no figure
    ("99", "y", F("99.5"), F("100.5"), "contradicts"),
    ("101", "y + 1/10", F("99.6"), F("100.6"), "wrong"),
    ("99.4", "y", F("99.5"), F("100.5"), "contradicts"),
    ("99.5", "y", F("99.5"), F("100.5"), "wrong"),
    ("10", "y/z", F("99.5") / F("10.5"), F("100.5") / F("9.5"), "wrong"),
    ("12", "y/z", F("99.5") / F("10.5"), F("100.5") / F("9.5"), "contradicts"),
    ("950", "y*z", F("945.25"), F("1055.25"), "wrong"),
    ("944", "y*z", F("945.25"), F("1055.25"), "contradicts"),
    ("111", "y + z", F(109), F(111), "wrong"),
    ("108", "y + z", F(109), F(111), "contradicts"),
    ("90", "y - z", F(89), F(91), "wrong"),
    ("88", "y - z", F(89), F(91), "contradicts"),
    ("10", "min(y, z)", F("9.5"), F("10.5"), "wrong"),
    ("12", "min(z, y)", F("9.5"), F("10.5"), "contradicts"),
    ("99", "z^2", F("90.25"), F("110.25"), "wrong"),
    ("90", "z^2", F("90.25"), F("110.25"), "wrong"),
    ("2", "z/5", F("1.9"), F("2.1"), "wrong"),
    ("100", "2*y", F(199), F(201), "holds"),  # what is derived decides, whatever stands elsewhere
    ("<1", "y", F("99.5"), F("100.5"), "wrong"),  # a figure with one end only contradicts nothing
    (">150", "y", F("99.5"), F("100.5"), "wrong"),
]  # fmt: skip


@pytest.mark.parametrize(("prints", "formula", "least", "most", "status"), AGAINST)
def test_what_stands_elsewhere(prints: str, formula: str, least: F, most: F, status: str) -> None:
    named = ", ".join(f"{name}: 1-{name}" for name in "yz" if name in formula)
    found = judged(
        f'a: {{line: 1, prints: "{prints}", value: L, against: {{is: "{formula}", {named}}}}}\n'
        'y: {line: 1, prints: "100", value: L}\nz: {line: 1, prints: "10", value: L/10}',
        under=HUNDRED,
    )
    assert (found["a"].status, found["a"].elsewhere) == (status, (least, most))
    assert (found["y"].status, found["z"].status, found["y"].elsewhere) == ("holds", "holds", None)


def test_elsewhere_without_an_end_contradicts_nothing() -> None:
    found = judged(
        'a: {line: 1, prints: "150", value: L, against: {is: y, y: 1-y}}\n'
        'y: {line: 1, prints: ">99", value: L}',
        under=HUNDRED,
    )
    assert (found["a"].status, found["a"].elsewhere) == ("wrong", None)


PROVED = re.compile(r"proved in \d+ steps\Z")
FALSE = re.compile(r"there are sizes that show it false\Z")
UNDER_ONCE = re.compile(r"proved only where a multiply-add counts once\Z")
STATEMENTS = [
    # (the claim; verdict; why; statements tried under conventions; assumed of all claims)
    ('prints: "2*H*L*(d_k + d_v)", equals: F', "holds", PROVED, 0, "{}"),
    ("holds: out = 2*H*d_v*d_model", "holds", PROVED, 0, "{}"),
    ("independent: {quantity: I, of: L}", "holds", PROVED, 0, "{}"),
    ("increasing: {quantity: F, in: H}", "holds", PROVED, 0, "{}"),
    ('equivalent: [L*d_k > S*d_k, "L > S"]', "holds", PROVED, 0, "{}"),
    ("crossover: {below: A, above: 3*F, in: d_c}", "holds", PROVED, 0, "{}"),
    ("crossover: {below: 3*F, above: A, in: d_c}", "wrong", FALSE, None, "{}"),
    ("cheapest: {variant: mla, order: absorb, model: deepseek-v3}, assume: [L >= 2]", "holds", PROVED, 0, "{}"),
    ("same-value: {variant: mla, order: absorb}", "holds", PROVED, 0, "{}"),
    ('holds: M = F, assume: ["b = 2"]', "holds", PROVED, 0, "{}"),
    ("holds: M = F", "holds", PROVED, 0, "{set: {b: 2}}"),
    # multiply-adds, and the whole layer, are other statements than the ledger's own
    ('means: "H*L*(d_k + d_v)", equals: F', "holds if", UNDER_ONCE, 2, "{}"),
    ("holds: F = L", "wrong", FALSE, 2, "{}"),
    # a stage asked for has no scope; without the output projection there is nothing to claim anything of
    ("holds: out = 3*H*d_v*d_model", "wrong", FALSE, 1, "{}"),
    ("holds: out = H*d_v*d_model", "holds if", UNDER_ONCE, 1, "{}"),
    ("holds: L > 5", "wrong", FALSE, 0, "{}"),
    ("holds: L > 5", "holds", PROVED, 0, "{set: {L: 6}}"),
    ("holds: L > 6", "wrong", FALSE, 0, "{set: {L: 6}}"),  # no slip makes a statement true
]  # fmt: skip


@pytest.mark.parametrize(("claim", "status", "because", "tried", "under"), STATEMENTS)
def test_statements(claim: str, status: str, because: re.Pattern[str], tried: int | None, under: str) -> None:
    verdict = judged(f"a: {{line: 1, {claim}}}", under=under)["a"]
    assert verdict.status == status
    assert because.match(verdict.because), verdict.because
    assert tried in (None, verdict.tried), verdict.tried
    assert verdict.judgement is not None
    assert verdict.judgement.status == ("proved" if status == "holds" else "refuted")
    assert [r.words for r in verdict.explained] == (
        ["a multiply-add counts once"] if status == "holds if" else []
    )
    assert (verdict.readings, verdict.elsewhere) == ((), None)


def test_what_a_file_expects() -> None:
    claims = "\n".join(
        f'{name}: {{line: 1, prints: "{prints}", value: F{expect}}}'
        for name, prints, expect in [
            ("a", "320", ""), ("b", "320", ", expect: wrong"), ("c", "777", ", expect: wrong"),
            ("d", "777", ""), ("e", "160", ", expect: holds if"), ("f", "777", ", expect: contradicts"),
        ]
    )  # fmt: skip
    assert {n for n, verdict in judged(claims).items() if verdict.as_expected} == {"a", "c", "e"}


def test_only_some_claims_are_judged_but_their_groups_whole() -> None:
    document = read(written(
        'a: {line: 1, prints: "160", value: F, group: g}\nb: {line: 1, prints: "224", value: lift, group: g}\n'
        'c: {line: 1, prints: "320", value: F}\nd: {line: 1, holds: F > 0}'
    ))  # fmt: skip
    assert [(v.claim.id, v.status) for v in judge_document(document, ["tiny-1-a"])] == [("tiny-1-a", "wrong")]
    assert [v.claim.id for v in judge_document(document, ["tiny-1-d", "tiny-1-c"])] == ["tiny-1-c", "tiny-1-d"]
    assert [v.claim.id for v in judge_document(document)] == [f"tiny-1-{n}" for n in "abcd"]
    assert list(judge_document(document, [])) == []
