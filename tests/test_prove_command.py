"""`derive prove`: its JSON, exit statuses and options, as docs/claims.md and docs/json.md say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import data, derive, refused, shown
from samples import within

MINE = """\
title: What I believe
quantities:
  F: {flops: mha}
  M: {bytes: mha}
claims:
  - id: twice
    says: Twice two.
    holds: F/M = 2/b
  - id: grows
    holds: F < 100
    assume: [H >= 2]
    expect: refuted
  - id: free
    independent: {quantity: F, of: L}
    expect: refuted
"""
WRONG = MINE.replace("expect: refuted", "expect: proved", 1)
FIELDS = {
    "id": str, "says": str, "statement": str, "latex": str, "assumptions": list, "status": str,
    "expected": (str, type(None)), "counterexample": (list, type(None)), "reason": (str, type(None)),
    "hypotheses": list, "steps": list, "opinions": list,
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(MINE, "utf-8")
    Path("wrong.yaml").write_text(WRONG, "utf-8")
    return tmp_path


def contract(claims: list[dict]) -> None:
    """What docs/json.md says of each claim."""
    assert len({claim["id"] for claim in claims}) == len(claims)
    for claim in claims:
        assert {name: claim[name] for name in FIELDS} == claim
        assert all(isinstance(claim[name], kind) for name, kind in FIELDS.items()), claim["id"]
        assert claim["status"] in ("proved", "refuted", "open")
        assert bool(claim["steps"]) == (claim["status"] == "proved")
        assert bool(claim["counterexample"]) == (claim["status"] == "refuted")
        assert bool(claim["reason"]) == (claim["status"] == "open")
        for place, step in enumerate(claim["steps"]):
            assert {*step} == {"says", "rule", "from"}
            assert all(0 <= premise < place for premise in step["from"])
        for opinion in claim["opinions"]:
            assert {*opinion} == {"by", "agrees", "note"}
            assert opinion["agrees"] in (True, False, None)
            assert opinion["agrees"] is not False, "a second opinion is against the verdict"


@pytest.mark.parametrize("variant", ["mha", "gqa", "mla+rope", "mqa"])
def test_the_json_of_a_variant(variant):
    chosen = {"mla+rope": ["--claim", "absorb.intensity-free-of-d_c", "--claim", "absorb.intensity-free-of-L"]}
    found = data("prove", variant, *chosen.get(variant, ()))
    assert {*found} == {"schema", "claims"}
    assert found["schema"] == "derive/1"
    assert found["claims"]
    contract(found["claims"])


def test_the_json_of_a_file():
    found = data("prove", "--file", "mine.yaml")["claims"]
    contract(found)
    assert [(c["id"], c["says"], c["status"], c["expected"]) for c in found] == [
        ("twice", "Twice two.", "proved", "proved"), ("grows", "", "refuted", "refuted"),
        ("free", "", "refuted", "refuted"),
    ]  # fmt: skip
    (at,) = found[1]["counterexample"]
    assert 2 * at["H"] * at["L"] * (at["d_k"] + at["d_v"]) >= 100
    assert at["H"] >= 2
    one, two = found[2]["counterexample"]
    assert {name for name in one if one[name] != two[name]} == {"L"}
    assert "kernel" in {opinion["by"] for opinion in found[0]["opinions"]}


def test_a_width_that_is_no_whole_number_in_a_counterexample():
    Path("b.yaml").write_text("claims:\n  - {id: x, holds: b >= 1, expect: refuted}\n", "utf-8")
    ((at,),) = [claim["counterexample"] for claim in data("prove", "--file", "b.yaml")["claims"]]
    number = at["b"]
    over, _, under = str(number).partition("/")
    assert 0 < float(over) / float(under or 1) < 1
    assert "refuted" in shown("prove", "--file", "b.yaml")
    for form in ("--latex", "--markdown"):
        assert "bug" not in shown("prove", "--file", "b.yaml", form)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["mha"], 0),
        (["mla", "--claim", "rope-intensity-free-of-d_c"], 2),  # it is about mla+rope
        (["mla", "--claim", "decode-absorb-narrow"], 0),  # refuted, as expected
        (["--file", "mine.yaml"], 0), (["--file", "wrong.yaml"], 1),
        (["--file", "wrong.yaml", "--claim", "twice"], 0), (["--file", "wrong.yaml", "--claim", "grows"], 1),
        (["--file", "wrong.yaml", "--json"], 1), (["--file", "no.yaml"], 2), ([], 2),
        (["mha", "--file", "mine.yaml"], 2), (["mha", "--no-such"], 2),
    ],
)  # fmt: skip
def test_exit_status(arguments, status):
    found, out, err = derive("prove", *arguments)
    assert found == status, err
    assert bool(out) == (status != 2)


def test_an_open_verdict_that_a_file_expects():
    """x^2 + y^2 >= 2 x y is a square, which no sum of products of signs shows; proved would be right too."""
    text = "claims:\n  - {id: x, holds: d_k^2 + d_v^2 >= 2*d_k*d_v, expect: EXPECT}\n"
    statuses = {}
    for expect in ("proved", "open", "refuted"):
        Path("o.yaml").write_text(text.replace("EXPECT", expect), "utf-8")
        statuses[expect] = derive("prove", "--file", "o.yaml")[0]
    assert statuses["refuted"] == 1
    assert statuses["proved"] + statuses["open"] == 1


def ids(*arguments: str) -> list[str]:
    return [claim["id"] for claim in data("prove", *arguments)["claims"]]


def test_claims_are_chosen_by_name():
    one, two = "absorb.intensity", "absorb.intensity-free-of-L"
    assert ids("mla", "--claim", two, "--claim", one) == [one, two]
    assert ids("mla", "--claim", one, "--claim", one) == [one]
    assert ids("--file", "mine.yaml", "--claim", "grows") == ["grows"]


def test_orders_are_chosen_by_name():
    """With orders, only what is said of them, and of pairs among them."""
    absorb = ids("mla", "--order", "absorb")
    assert absorb
    assert {name.partition(".")[0] for name in absorb} == {"absorb"}
    both = ids("mla", "--order", "absorb", "--order", "expand")
    assert {name.partition(".")[0] for name in both} == {"absorb", "expand", "absorb-expand"}
    assert not {"decode-absorb", "no-order-cheaper"} & {*both}
    assert {*both, "decode-absorb"} <= {*ids("mla")}
    assert ids("mla", "--order", "absorb", "--claim", "absorb.intensity") == ["absorb.intensity"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ( ["mla", "--claim", "absorb.intensty"],
        "unknown claim 'absorb.intensty'; did you mean 'absorb.intensity'?", ),
        (["mla", "--claim", "expand.intensity", "--order", "absorb"], "unknown claim 'expand.intensity'"),
        (["mla", "--claim", ""], "claim"),
        (["mla", "--claim", "zzzzzzzzz"], "unknown claim 'zzzzzzzzz'; known: "),
        (["--file", "mine.yaml", "--claim", "twise"], "did you mean 'twice'?"),
        (["mla", "--order", "absorv"], "did you mean 'absorb'?"), (["mla", "--order", ""], "order"),
        (["mlaa"], "unknown variant 'mlaa'; did you mean 'mla'?"), (["mla+rop"], "did you mean 'rope'?"),
        ([""], "variant"), (["mla", "--file", "mine.yaml"], "not both"),
        (["", "--file", "mine.yaml"], "not both"),
        ([], "name a variant, or give a file of claims with --file"), (["--file", ""], "file"),
        (["--file", "."], "directory"), (["--file", "/dev/null"], "regular file"),
        (["--file", "none"], "there is no file ./none"),
        (["--file", "mine.yaml", "--order", "absorb"], "--order: a file of claims says this itself"),
        (["--file", "mine.yaml", "--phase", "decode"], "--phase: a file of claims says this itself"),
        (["--file", "mine.yaml", "--scope", "layer", "--unit", "macs"], "--scope, --unit"),
        (["--file", "mine.yaml", "--kept-rows", "once"], "--kept-rows"),
        (["--file", "mine.yaml", "--no-cache"], "--no-cache"),
        (["--file", "mine.yaml", "--grows"], "--grows"),
        (["mla", "--phase", "decod"], "did you mean 'decode'?"),
        (["mla", "--formed", "cached", "--no-cache"], "no caches"),
        (["mla", "--json", "--latex"], "choose one output format"),
        (["mla", "--notation", "nope"], "notation"),
        (["mla", "--model", "deepseek-v3"], "unknown option '--model'"), (["mla", "mqa"], "mqa"),
        (["mla", "-o", "none/x.txt"], "none"), (["mla", "--coq", ""], "folder"),
        (["mla", "--coq", "mine.yaml"], "mine.yaml"), (["mla", "--coq", "mine.yaml/x"], "mine.yaml/x"),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, says):
    with within(10):
        message = refused("prove", *arguments)
    assert says in message
    assert "None" not in message


@pytest.mark.parametrize(
    "arguments",
    [
        ["mha", "--claim", "nope"], ["mlaa"], ["mha", "--order", "nope"], ["--file", "none.yaml"],
        ["mha", "--json", "--latex"], ["mha", "-o", "none/x"], ["mha", "--notation", "nope"],
        ["--file", "mine.yaml", "--claim", "nope"],
    ],
)  # fmt: skip
def test_what_is_refused_leaves_no_folder_behind(folder, arguments):
    refused("prove", *arguments, "--coq", "new/deep")
    assert sorted(path.name for path in folder.iterdir()) == ["mine.yaml", "wrong.yaml"]


def test_coq_files():
    """One file a proved claim; nothing for what is refuted."""
    found = json.loads(shown("prove", "--file", "mine.yaml", "--coq", "new", "--json"))["claims"]
    (file,) = Path("new").iterdir()
    assert file.suffix == ".v"
    assert "twice" in file.name
    assert "Qed." in file.read_text("utf-8")
    assert "Admitted" not in file.read_text("utf-8")
    assert [("coq" in {o["by"] for o in claim["opinions"]}) for claim in found] == [True, False, False]


@pytest.mark.parametrize("form", ["--text", "--markdown", "--latex", "--json"])
def test_output_to_a_file_is_what_is_printed(form):
    printed = shown("prove", "--file", "mine.yaml", form)
    assert derive("prove", "--file", "mine.yaml", form, "-o", "out.x") == (0, "", "")
    assert Path("out.x").read_text("utf-8") == printed
    for word in ("proved", "refuted"):
        assert word in printed
    assert derive("prove", "--file", "wrong.yaml", form, "-o", "out.x")[0] == 1


def test_the_text_counts_verdicts():
    out = shown("prove", "--file", "mine.yaml")
    assert out.startswith("What I believe\n==============\n")
    assert "3 claims: 1 proved, 2 refuted, 0 open." in out


def test_a_file_without_a_title_goes_by_its_name():
    Path("mine.yaml").write_text(MINE.replace("title: What I believe\n", ""), "utf-8")
    assert shown("prove", "--file", "./mine.yaml").startswith("mine.yaml\n=========\n")


def test_text_of_a_file_is_not_markup():
    """What people write is set as they wrote it, and runs nothing."""
    hostile = r"\input{x} $x$ <b>&amp;</b> {{7*7}} `id` | _x_ %"
    Path("mine.yaml").write_text(MINE.replace("Twice two.", f"'{hostile}'"), "utf-8")
    assert hostile in shown("prove", "--file", "mine.yaml")
    assert r"\input{x}" not in shown("prove", "--file", "mine.yaml", "--latex")
    assert "<b>" not in shown("prove", "--file", "mine.yaml", "--markdown")
    assert data("prove", "--file", "mine.yaml")["claims"][0]["says"] == hostile


def test_list_claims():
    every = json.loads(shown("list", "claims", "--json"))["claims"]
    names = {row["name"] for row in every}
    assert {"decode-absorb", "macs"} <= names
    assert all({*row} == {"name", "title", "variants", "expect"} for row in every)
    own = json.loads(shown("list", "claims", "mla", "--json"))["claims"]
    assert [row["name"] for row in own] == ids("mla")
    assert {"absorb.intensity", "decode-absorb"} <= {row["name"] for row in own}
    text = shown("list", "claims")
    assert all(row["name"] in text for row in every)
    assert "did you mean 'mla'?" in refused("list", "claims", "mlaa")
    assert "variant" in refused("list", "claims", "")
