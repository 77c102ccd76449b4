"""The committed reports are what the engine derives today, file by file; README and API hold."""

from __future__ import annotations

import doctest
import re
import shlex
from itertools import islice
from pathlib import Path

import pytest
from command import data, derive, shown

import derivations
from derivations.publish import Page, pages

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {page.path: page.text for page in pages()}


def test_reports_are_up_to_date(made):
    committed = {
        str(path.relative_to(ROOT / "reports")): path.read_text()
        for path in (ROOT / "reports").rglob("*")
        if path.is_file()
    }
    assert sorted(committed) == sorted(made), "run `make report` and remove what is no longer made"
    assert [path for path in made if committed[path] != made[path]] == [], "run `make report`"


def test_report_writes_only_what_changed(tmp_path, monkeypatch):
    few = list(islice(pages(), 3))
    made = [*few, Page("README.md", "Reports", "all of them\n")]
    monkeypatch.setattr("derivations.publish.pages", lambda: iter(made))
    folder = tmp_path / "out"
    status, out, err = derive("report", "-o", str(folder))
    assert (status, out) == (0, "")
    assert err.endswith(f"{len(made)} files in {folder}, {len(made)} of them new or changed\n")
    (folder / "README.md").write_text("old")
    assert derive("report", "-o", str(folder))[2].endswith("1 of them new or changed\n")


def test_every_number_in_a_report_follows_the_checkpoint(tmp_path):
    """Another width in the checkpoint moves the cells that depend on it: nothing is typed."""
    from derivations.resources import resource

    text = resource("models", "checkpoints", "kimi-k3.yaml").read_text()
    other = tmp_path / "other.yaml"
    other.write_text(text.replace("d_c: 512", "d_c: 640"))
    sizes = ("--set", "L=2048", "--scope", "attention")
    one = data("mla", "--order", "absorb", "--model", "kimi-k3", *sizes)
    two = data("mla", "--order", "absorb", "--model", str(other), *sizes)
    assert one["bytes"]["value"] * 640 == two["bytes"]["value"] * 512
    assert one["flops"]["value"] * 640 == two["flops"]["value"] * 512


def test_the_commands_of_the_readme_work(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.tex.j2").write_text("<< report.title >>\n")
    config = tmp_path / "path" / "to" / "config.json"
    config.parent.mkdir(parents=True)
    config.write_text((ROOT / "tests" / "data" / "configs" / "qwen3-8b.json").read_text())
    (tmp_path / "mine.yaml").write_text("claims:\n  - {id: even, holds: H < 2*H}\n")
    (variant,) = re.findall(r"```yaml\n(.*?)```", text, flags=re.S)
    (tmp_path / "tied.yaml").write_text(variant)
    found = data("./tied.yaml")
    assert found["intensity"]["expr"] == "4*H/b"
    commands = [line for line in text.splitlines() if line.startswith("derive ")]
    assert len(commands) > 8
    for line in commands:
        words = shlex.split(line.split(" > ")[0])[1:]
        kinds = words[1].split("|") if words[0] == "list" else [None]
        for kind in kinds:
            status, _, err = derive(*([words[0], kind] if kind else words))
            assert status == 0, (line, err)


def test_the_figures_of_the_readme_are_real():
    assert "25,165,824" in (ROOT / "README.md").read_text()
    absorb = shown("mla", "--order", "absorb", "--scope", "attention+weights", "--model", "kimi-k3")
    assert "b H d_c d_k" in absorb


def test_the_public_api():
    assert doctest.testmod(derivations).failed == 0
    for name in derivations.__all__:
        assert getattr(derivations, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        derivations.nothing  # noqa: B018
