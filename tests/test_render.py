"""Documents: LaTeX that compiles without complaint, Markdown GitHub shows right, templates in a jail."""

# ruff: noqa: E501 - tables of messages, one a line

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command import derive, refused, shown

from derivations.publish import VARIANTS
from derivations.render.environment import escape_latex, escape_markdown

OWN = Path(__file__).parent / "variants"
PDFLATEX = shutil.which("pdflatex")
needs_latex = pytest.mark.skipif(
    PDFLATEX is None and not os.environ.get("DERIVE_REQUIRE_ALL"), reason="pdflatex is not installed"
)


def compiled(text: str, folder: Path) -> str:
    """pdflatex's words on a document, compiled once as a reader would."""
    assert PDFLATEX, "pdflatex is required here and not installed"
    (folder / "page.tex").write_text(text)
    done = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=folder, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


LATEX = [
    *((name, "--order", "all") for name in VARIANTS if not name.endswith("+chunked")),
    *((name, "--order", "all", "--phase", "prefill") for name in VARIANTS if name.endswith("+chunked")),
    ("mla+rope+query-latent", "--order", "all", "--scope", "layer", "--model", "deepseek-v3", "--set", "L=8192"),
    ("mla", "--order", "expand", "--formed", "cached", "--phase", "verify", "--pairs", "causal"),
    ("dsa+rope+query-latent", "--order", "absorb", "--phase", "prefill", "--pairs", "causal", "--scope", "layer"),
    ("mla", "--order", "absorb", "--no-cache", "--phase", "prefill", "--notation", "note"),
    ("compare", "mha", "gqa", "mqa", "mla", "dsa", "--scope", "layer", "--gpu", "h200"),
    ("crossover", "mla", "absorb", "expand", "--pairs", "causal"),
    *((str(path), "--order", "all") for path in sorted(OWN.glob("*.yaml"))),
]  # fmt: skip


@needs_latex
@pytest.mark.parametrize("arguments", LATEX, ids=lambda a: " ".join(a).replace(str(OWN) + "/", ""))
def test_latex_compiles_in_one_run_without_complaint(arguments, tmp_path):
    said = compiled(shown(*arguments, "--latex"), tmp_path)
    complaints = [line for line in said.splitlines() if re.search(r"Overfull|undefined|Missing char", line)]
    assert complaints == []


REPORTS = sorted((Path(__file__).resolve().parent.parent / "reports").rglob("*.tex"))


@needs_latex
@pytest.mark.parametrize("path", REPORTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_report_compiles_without_complaint(path, tmp_path):
    said = compiled(path.read_text(), tmp_path)
    assert [line for line in said.splitlines() if re.search(r"Overfull|undefined|Missing char", line)] == []


@needs_latex
def test_the_pdf_says_what_cancels(tmp_path):
    compiled(shown("mla", "--order", "absorb", "--latex"), tmp_path)
    text = subprocess.run(
        ["pdftotext", "-layout", "page.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert "Both sides carry L and dc" in text.replace("\n", " ")
    assert text.count("\f") == text.strip("\f").count("\f") + 1


def test_a_latex_document_needs_no_package_beyond_latex_recommended():
    text = shown("mla", "--order", "absorb", "--latex")
    used = {
        name for group in re.findall(r"\\usepackage(?:\[.*?\])?\{(.*?)\}", text) for name in group.split(",")
    }
    recommended = {
        "inputenc", "geometry", "amsmath", "amssymb", "array", "booktabs", "longtable", "xcolor", "microtype",
        "hyperref",
    }  # fmt: skip
    assert used <= recommended


def test_markdown_keeps_formulas_where_github_leaves_them_alone():
    text = shown("mla+rope", "--order", "all", "--markdown")
    prose = re.sub(r"```math\n.*?\n```", "", text, flags=re.S)
    assert "```math" in text
    assert not re.search(r"(?<!\$`[^`])\$(?!`)(?<!`\$)", re.sub(r"\$`[^`]*`\$", "", prose))
    for line in prose.splitlines():
        if line.startswith("|"):
            inside = re.sub(r"\$`[^`]*`\$", "", line)
            assert "$" not in inside
    assert r"\operatorname" not in text
    assert r"\struck" not in text
    tables = [block for block in prose.split("\n\n") if block.startswith("|")]
    assert tables
    for table in tables:
        counts = {line.count("|") - line.count("\\|") for line in table.splitlines()}
        assert len(counts) == 1, table


@pytest.mark.parametrize(
    ("text", "latex", "markdown"),
    [
        ("a_b & 50%", r"a\_b \& 50\%", r"a\_b & 50%"),
        (r"\input{x}", r"$\backslash$input$\{$x$\}$", r"\\input{x}"),
        (
            "<b>*x*</b>",
            r"$<$b$>$*x*$<$/\allowbreak{}b$>$",
            r"\<b\>\*x\*\</b\>",
        ),
        ("日", "?", "日"),
    ],
)
def test_words_are_escaped(text, latex, markdown):
    assert escape_latex(text) == latex
    assert escape_markdown(text) == markdown


def test_hostile_words_in_a_variant_are_only_words(tmp_path):
    text = (OWN / "gta.yaml").read_text()
    title = "x \\input{/etc/passwd} <script> $`|*_ {{ 7*7 }} << 7*7 >> <% x %>"
    hostile = re.sub(r"^title: .*$", lambda _: f"title: '{title}'", text, flags=re.M)
    path = tmp_path / "h.yaml"
    path.write_text(hostile)
    latex, markdown = (shown(str(path), "--order", "all", form) for form in ("--latex", "--markdown"))
    assert r"\input" not in latex.replace(r"\usepackage[utf8]{inputenc}", "")
    assert "<script>" not in markdown
    assert "49" not in latex.split("Symbols")[0]
    if PDFLATEX:
        compiled(latex, tmp_path)


TEMPLATES = [
    ("<< nothing >>", "{file}:1: 'nothing' is undefined; a template has `report` and `data`"),
    ("ok\n<< data.intensity.foo >>", "{file}:2: 'dict object' has no attribute 'foo'; a template has `report` and `data`"),
    ("<< ''.__class__ >>", "{file}:1: not allowed in a template: access to attribute '__class__' of 'str' object is unsafe."),
    ("x\n<% if %>", "{file}:2: not a valid template: Expected an expression, got 'end of statement block'"),
    ("<% include '/etc/passwd' %>", "{file}:1: the template failed: no loader for this environment specified"),
    ("<< 1/0 >>", "{file}:1: the template failed: division by zero"),
    ("<< 'x'|center(99999999999) >>", "{file}: the template used more than 1024 MB"),
    (
        "<% set n = namespace(x='aaaaaaaa') %><% for i in range(60) %><% set n.x = n.x ~ n.x %><% endfor %>",
        "{file}: the template used more than 1024 MB",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("template", "message"), TEMPLATES, ids=[t for t, _ in TEMPLATES])
def test_a_template_that_misbehaves_is_one_sentence(template, message, tmp_path):
    path = tmp_path / "t.j2"
    path.write_text(template)
    assert refused("mla", "--order", "absorb", "--template", str(path)) == message.format(file=path)


def test_a_template_that_does_not_end_is_ended(tmp_path, monkeypatch):
    loop = "<% for i in range(99999) %>" * 3 + "<% endfor %>" * 3
    path = tmp_path / "t.j2"
    path.write_text(loop)
    monkeypatch.setattr("derivations.render.jail.SECONDS", -3)  # the clock of the parent: 2 s
    assert "does a loop not end?" in refused("mla", "--order", "absorb", "--template", str(path))


def test_a_template_of_ones_own(tmp_path):
    path = tmp_path / "t.j2"
    path.write_text("<< report.title >>: << data.intensity.latex >> <# not this #>\n")
    assert derive("mla", "--order", "absorb", "--template", str(path))[1] == (
        "Multi-head latent attention: \\frac{4 H}{b} "
    )
