"""The command line: what works, and one sentence with exit status 2 for what does not."""

# ruff: noqa: E501, ISC004 - tables of messages, one a line

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from command import data, derive, refused, shown

BAD = [
    (("mlaa",), "unknown variant 'mlaa'; did you mean 'mla'?"),
    (("mla", "--order", "absrob"), "unknown order of mla 'absrob'; did you mean 'absorb'?"),
    (("mha", "--order", "absorb"), "unknown order of mha 'absorb'; known: all, best, direct"),
    (("mla+rop",), "unknown option of mla 'rop'; did you mean 'rope'?"),
    (("mla+rope+rope",), "the option 'rope' of mla is given twice"),
    (("mla", "--model", "deepseek-v33"), "unknown model 'deepseek-v33'; did you mean 'deepseek-v3'?"),
    (("mla", "--gpu", "h101"), "unknown GPU 'h101'; did you mean 'h100-sxm'?"),
    (("mla", "--scope", "cor"), "unknown value of scope 'cor'; did you mean 'core'?"),
    (("mla", "--set", "d_modle=3"), "unknown symbol 'd_modle'; did you mean 'd_model'?"),
    (("mla", "--set", "L=0"), "--set L=0: L must be at least 1"),
    (("mla", "--set", "L=-1"), "--set L=-1: L must be at least 1"),
    (("mla", "--set", "L=1e400"), "--set L=1e400: not a number; write for example L=4096 or L=128K"),
    (("mla", "--set", "L=abc"), "--set L=abc: not a number; write for example L=4096 or L=128K"),
    (("mla", "--set", "L=2.5"), "--set L=2.5: must be a whole number, such as L=4096 or L=128K"),
    (("mla", "--set", "L"), "--set L: write it as NAME=VALUE, such as L=8192"),
    (("mla", "--set", "L=4", "--set", "L=5"), "--set L is given twice"),
    (("mla", "--set", "b=0"), "--set b=0: bytes per element must be above 0; BF16 is b=2"),
    (
        ("gqa", "--set", "H_q=7", "--set", "H_kv=2"),
        "H_q must be a multiple of H_kv: with H_kv=2, H_q=7 the axis i of gqa would have 7/2 values",
    ),
    (("mla", "--json", "--latex"), "--latex and --json were both given; choose one output format"),
    (
        ("mla", "--phase", "decode", "--set", "S=4"),
        "decode has one query token, and S=4 was given; use --phase verify",
    ),
    (
        ("mla", "--phase", "verify", "--set", "S=9", "--set", "L=4"),
        "S=9 is larger than L=4; the context includes the query tokens",
    ),
    (
        ("mla", "--phase", "prefill", "--set", "S=4", "--set", "L=8"),
        "prefill has S = L, and S=4, L=8 were given; use --phase verify",
    ),
    (("mla", "--ordr", "x"), "unknown option '--ordr'; did you mean '--order'?"),
    (("list", "modles"), "unknown kind of list 'modles'; did you mean 'models'?"),
    (("completion", "bsh"), "unknown shell 'bsh'; did you mean 'bash'?"),
    (("compare",), "missing argument 'VARIANT[:ORDER]...'"),
    (("mla", "--notation", "artcle"), "unknown notation 'artcle'; did you mean 'article'?"),
    (("mla", "--formed", "cached", "--no-cache"), "formed rows cannot be cached where there are no caches; drop --no-cache"),
    (("crossover", "mla", "absorb", "absorb"), "a crossover needs two different orders, and absorb was given twice"),
    (("crossover", "mla", "absorb", "expand", "--gpu", "h200"), "--gpu: flops do not depend on it; add --measure time"),
    (("mla", "rope"), "'rope' is one word too many; options of a variant follow a plus sign, as in mla+rope"),
    (("deepseek-v3",), "deepseek-v3 is a model, not a variant; write `derive mla+rope+query-latent --model deepseek-v3`"),
    (("reports",), "unknown command 'reports'; did you mean 'report'?"),
    (("MLA",), "unknown variant 'MLA'; did you mean 'mla'?"),
    (("mal",), "unknown variant 'mal'; did you mean 'mla'?"),
    (("mla", "--order", "absorb", "--order", "expand"), "--order is given twice; give one order, or `all`"),
    (("crossover", "mla", "absorb", "expand", "--measure", "bits"), "unknown measure 'bits'; did you mean 'bytes'?"),
    (
        ("mla", "--order", "best"),
        "which order is best depends on H, L, d_c, d_k, d_model, d_v; give numbers with --set or --model, "
        "or ask for a named order",
    ),
    (("./no.yaml",), "there is no file ./no.yaml"),
    (("mla", "--template", "no.j2"), "there is no template no.j2"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_wrong_input_is_one_sentence(arguments, message):
    assert refused(*arguments) == message


def test_an_output_that_cannot_be_written_is_said_before_any_work(tmp_path):
    missing = tmp_path / "no" / "x.txt"
    assert (
        refused("mla", "-o", str(missing))
        == f"-o {missing}: there is no folder {missing.parent}; make it first"
    )
    assert refused("mla", "-o", str(tmp_path)) == f"-o {tmp_path}: is a folder; give the name of a file in it"
    assert not list(tmp_path.iterdir())


def test_a_report_folder_is_made_but_not_a_chain_of_them(tmp_path):
    deep = tmp_path / "a" / "b"
    assert refused("report", "-o", str(deep)) == f"-o {deep}: there is no folder {deep.parent}; make it first"
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path):
    target = tmp_path / "x.txt"
    target.write_text("old")
    refused("mla", "--order", "nope", "-o", str(target))
    assert target.read_text() == "old"
    assert derive("mla", "--order", "absorb", "-o", str(target)) == (0, "", "")
    assert target.read_text().startswith("Multi-head latent attention\n")
    assert [p.name for p in tmp_path.iterdir()] == ["x.txt"]


def test_links_devices_and_pipes_are_written_through(tmp_path):
    link, target, pipe = tmp_path / "link", tmp_path / "target", tmp_path / "pipe"
    link.symlink_to(target)
    assert derive("mla", "--order", "absorb", "-o", str(link))[0] == 0
    assert link.is_symlink()
    assert target.read_text().startswith("Multi-head latent attention")
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert derive("mla", "--order", "absorb", "-o", str(pipe))[0] == 0
        assert reader.stdout.read().startswith(b"Multi-head latent attention")
    assert pipe.is_fifo()
    assert refused("mla", "--template", str(pipe)) == f"the template {pipe} is no regular file"


@pytest.mark.parametrize(("redirect", "status"), [(">&-", 2), (">/dev/full", 2)])
def test_an_output_that_is_closed_or_full_is_said(redirect, status):
    command = f"{sys.executable} -m derivations mla --order absorb {redirect}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr.startswith("derive: error: ")
    assert done.stderr.count("\n") == 1


def test_words_beyond_ascii_are_utf_8_whatever_the_locale(tmp_path):
    from derivations.resources import resource

    text = resource("models", "variants", "mha.yaml").read_text().replace("Multi-head attention", "Über-Köpfe")
    (tmp_path / "u.yaml").write_text(text, encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "derivations", "./u.yaml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().startswith("Über-Köpfe")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("variant: mla", "variant: mlaa", "unknown variant 'mlaa'; did you mean 'mla'?"),
        (
            "options: [rope, query-latent]",
            "options: [rop]",
            "unknown option of mla 'rop'; did you mean 'rope'?",
        ),
        ("d_model: 7168", "d_modl: 7168", "unknown dim of the model kimi-k3 'd_modl'; did you mean 'd_model'?"),
        ("d_model: 7168", "L: 7168", "unknown dim of the model kimi-k3 'L'; "),
    ],
)
def test_a_model_file_is_held_against_the_variants(tmp_path, old, new, message):
    from derivations.resources import resource

    path = tmp_path / "m.yaml"
    path.write_text(resource("models", "checkpoints", "kimi-k3.yaml").read_text().replace(old, new))
    assert refused("mla", "--order", "absorb", "--model", str(path)).startswith(message)


def test_a_size_for_the_symbol_solved_for_is_judged():
    sizes = ("--model", "kimi-k3", "--set", "L=32768")
    found = data("crossover", "mla", "absorb", "expand", *sizes, "--set", "S=4")
    absorb = 2 * 96 * 4 * 512 * (128 + 128) + 4 * 96 * 4 * 32768 * 512
    expand = 2 * 96 * 32768 * 512 * (128 + 128) + 2 * 96 * 4 * 32768 * (128 + 128)
    assert found["at"] == {"value": 4, "costs": {"absorb": absorb, "expand": expand}, "cheaper": "absorb"}
    text = shown("crossover", "mla", "absorb", "expand", *sizes, "--set", "S=4")
    assert f"absorb is cheaper by a factor of {expand / absorb:.2f}" in " ".join(text.split())


def test_seven_operands_in_two_products_that_share_are_chosen_in_time():
    """10,395 bracketings of one product and 105 of another: symbols and numbers both."""
    for sizes in ((), ("--model", "deepseek-v3", "--set", "L=64")):
        found = data("mla-rope-in-key", "--order", "absorb", "--no-cache", *sizes)
        assert "K" not in found["forms"]


def test_a_variant_file_works_like_a_name(tmp_path, monkeypatch):
    from derivations.resources import resource

    text = resource("models", "variants", "mla.yaml").read_text()
    (tmp_path / "mine.yaml").write_text(text.replace("variant: mla", "variant: mine"))
    monkeypatch.chdir(tmp_path)
    for name in ("./mine.yaml", "mine.yaml"):
        found = data(name, "--order", "absorb")
        assert (found["variant"], found["intensity"]["expr"]) == ("mine", "4*H/b")
    assert data("mine.yaml+rope", "--order", "absorb")["variant"] == "mine+rope"


def test_defaults():
    """The only order; all named ones while sizes are missing; the best once they are known."""
    assert data("mha")["order"] == "direct"
    assert [o["order"] for o in data("mla")["orders"]] == ["absorb", "expand"]
    best = data("mla", "--model", "kimi-k3", "--set", "L=8192")
    assert (best["order"], best["member_of"], best["scope"]) == ("best", ["absorb"], "core")
    prefill = data("mla", "--model", "kimi-k3", "--set", "L=8192", "--phase", "prefill")
    assert prefill["member_of"] == ["expand"]
    assert data("crossover", "mla", "absorb", "expand")["scope"] == "attention"


def test_json_is_the_contract():
    found = data("mla", "--order", "absorb", "--model", "deepseek-v3", "--set", "L=128K", "--scope", "layer")
    assert found["schema"] == "derive/1"
    keys = "variant order phase scope conventions dims flops bytes intensity cache_per_token terms claims"
    assert set(keys.split()) <= set(found)
    assert found["dims"]["L"] == 131072
    assert set(found["bytes"]) >= {"expr", "latex", "value", "read", "written"}
    assert found["bytes"]["value"] == found["bytes"]["read"]["value"] + found["bytes"]["written"]["value"]
    assert found["cache_per_token"]["elements"]["value"] == 512
    assert found["cache_per_token"]["bytes"]["value"] == 1024
    for kind, total in (("flops", found["flops"]), ("bytes", found["bytes"])):
        terms = [t for t in found["terms"] if t["kind"] == kind and t["in_scope"]]
        assert sum(t["value"] for t in terms) == total["value"]
        assert all({"stage", "class", "where", "expr", "value", "rule"} <= set(t) for t in terms)


def test_integers_beyond_a_double_come_as_text_too():
    sizes = [word for n in ("H", "L", "d_c") for word in ("--set", f"{n}=1000000007")]
    flops = data("mla", "--order", "absorb", *sizes)["flops"]
    assert flops["exact"] == str(4 * 1000000007**3)
    assert flops["value"] == 4 * 1000000007**3


def test_notes_on_stderr_leave_stdout_clean():
    status, out, err = derive("mla", "--order", "absorb", "--model", "deepseek-v3", "--json")
    assert status == 0
    json.loads(out)
    assert err == (
        "derive: DeepSeek-V3 also has rope and query-latent, which this derivation leaves out; "
        "mla+rope+query-latent has them\n"
    )
    _, _, err = derive("mla", "--order", "absorb", "--model", "llama-3.3-70b")
    assert err == "derive: Llama 3.3 70B gives no d_c for mla; it stays a symbol\n"


def test_notation_reletters_every_output():
    found = data("mla", "--order", "absorb", "--phase", "prefill", "--notation", "note", "--set", "L=7")
    assert found["intensity"]["expr"] == "4*T*h/b"
    assert found["dims"] == {"T": 7}
    assert "4 n_h / b" in shown("mla", "--order", "absorb", "--notation", "card")
    assert "2 H (2 d_c + d_s)" in shown("mla+rope", "--order", "absorb", "--notation", "article")


def test_compare_puts_variants_side_by_side():
    found = data("compare", "mha", "mla:absorb", "mla:expand", "--set", "H=2")
    assert [(o["variant"], o["order"]) for o in found["orders"]] == [
        ("mha", "direct"), ("mla", "absorb"), ("mla", "expand"),
    ]  # fmt: skip
    text = shown("compare", "mha", "gqa", "mqa", "mla:absorb")
    assert "2 H_q / (b H_kv)" in text


@pytest.mark.parametrize("kind", ["variants", "models", "gpus", "orders", "notations", "conventions"])
def test_lists(kind):
    rows = data("list", kind)[kind]
    text = shown("list", kind)
    assert len(rows) == len(text.splitlines()) > 2
    assert all(row["name"] in text for row in rows)


def test_completion_and_help():
    assert "_DERIVE_COMPLETE" in shown("completion", "bash")
    assert "derive mla --order absorb --latex" in shown("--help")
    assert "--kept-rows" in shown("mla", "--help")


def test_python_m_and_a_reader_that_leaves():
    environment = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "derivations", "list", "gpus"],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("a100-sxm ")
    with subprocess.Popen(
        [sys.executable, "-m", "derivations", "mla", "--order", "all"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
    ) as process:  # fmt: skip
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_bug_is_said_without_a_traceback(monkeypatch):
    import derivations.library

    monkeypatch.setattr(derivations.library, "load_variant", lambda text: 1 / 0)
    status, _, err = derive("mla")
    assert status == 70
    assert err.startswith("derive: a bug in derive (ZeroDivisionError")
