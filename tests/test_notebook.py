"""Notebooks: valid, the same each time, their cells run and notice when text and code differ."""

# ruff: noqa: E501 - tables of commands and of what is shown, one a line

from __future__ import annotations

import ast
import json
import re
from fractions import Fraction

import pytest
import sympy
from command import derive, refused, shown
from notebooks import cells_of, in_kernel, run, text_of
from samples import ROOT, tiny

import derivations as d
from derivations.library import variant_names
from derivations.pages.literals import formula, listing, literal, mapping, variable
from derivations.pages.source import Origin, origin_of
from derivations.render import render
from derivations.render.notebook import mathjax
from derivations.report import (
    Box,
    Code,
    Display,
    Figure,
    Fold,
    Heading,
    Items,
    Link,
    Math,
    Report,
    Table,
    cell,
    prose,
)

DEEPSEEK = ("--model", "deepseek-v3", "--set", "L=8192")
ROPE = shown("mla+rope", "--order", "absorb", *DEEPSEEK, "--gpu", "h100-sxm", "--notebook")


def test_a_notebook_is_valid_and_holds_nothing_of_a_run():
    whole = json.loads(ROPE)
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert whole["metadata"]["kernelspec"] == {
        "display_name": "Python 3", "language": "python", "name": "python3",
    }  # fmt: skip
    assert len(cells_of(ROPE)) == 12
    for one in whole["cells"]:
        assert one["metadata"] == {}
        if one["cell_type"] == "code":
            assert (one["execution_count"], one["outputs"]) == (None, [])
    ids = [one["id"] for one in whole["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9-]{1,64}", one) for one in ids)


def test_a_notebook_is_the_same_each_time_and_as_jupyter_writes_it():
    assert shown("mla+rope", "--order", "absorb", *DEEPSEEK, "--gpu", "h100-sxm", "--notebook") == ROPE
    assert json.dumps(json.loads(ROPE), indent=1, sort_keys=True) + "\n" == ROPE


def test_a_cell_keeps_its_id_when_another_changes():
    def ids(text: str) -> list[str]:
        report = Report(
            "T", "", (prose(text), Heading("One"), prose("x"), Code("1", "python"), Code("1", "python"))
        )
        return [one["id"] for one in json.loads(render(report, "notebook"))["cells"]]

    first, second = ids("before"), ids("after")
    assert first[0] != second[0]
    assert first[1:] == second[1:]
    assert first[3] == f"{first[2]}-2", "the same text twice"


SECTIONS = (
    "", "The program", "The bracketing", "FLOPs", "Bytes", "The division", "With numbers", "Time",
    "As the context grows", "Absorb against expand", "Claims", "Conventions",
)  # fmt: skip


def test_each_section_has_a_cell_of_its_own_at_its_end():
    whole = json.loads(ROPE)["cells"]
    heads, last = [], ""
    for one in whole:
        text = "".join(one["source"])
        found = re.match(r"#+ (.*)", text)
        last = found[1] if found and one["cell_type"] == "markdown" else last
        if one["cell_type"] == "code":
            heads.append(last)
    assert heads == ["Multi-head latent attention, decoupled RoPE", *SECTIONS[1:]]


def test_several_orders_share_the_study_and_have_their_own_sections():
    code = cells_of(shown("mla", "--order", "all", "--notebook"))
    assert 'orders = {name: d.derive(study, name) for name in ["absorb", "expand"]}' in code[0]
    assert [cell for cell in code if cell.startswith("derivation = ")] == [
        'derivation = orders["absorb"]\nderivation', 'derivation = orders["expand"]\nderivation',
    ]  # fmt: skip
    assert sum("flops = derivation.flops.sympy()" in cell for cell in code) == 2
    crossings = [cell for cell in code if "crossover_assertions" in cell]
    assert len(crossings) == 1
    assert 'd.judgements_of([*d.crossover_assertions(study, "absorb", "expand")])' in crossings[0]


IN_KERNEL = {
    "absorb": ("mla", "--order", "absorb"),
    "all orders of a model": ("mla+rope+query-latent", "--order", "all", *DEEPSEEK),
    "a GPU": ("gqa", "--model", "llama-3.3-70b", "--set", "L=8192", "--gpu", "h100-sxm", "--scope", "layer"),
    "sparse": ("dsa", "--model", "deepseek-v3.2", "--set", "L=128K", "--order", "absorb"),
    "a state": ("kda", "--model", "kimi-linear-48b", "--set", "L=8192", "--set", "b=0.5"),
    "kept rows": ("mla", "--order", "expand", "--formed", "cached", "--phase", "verify", "--pairs", "causal"),
    "a file": ("./gta.yaml",),
    "ranks": (
        "mla+rope", "--order", "absorb", *DEEPSEEK, "--tp", "8", "--kv-layout", "fp8-bf16-rope", "--batch", "64",
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", IN_KERNEL.values(), ids=IN_KERNEL)
def test_notebooks_run_in_a_kernel_from_any_folder(words, tmp_path, monkeypatch):
    (tmp_path / "gta.yaml").write_text((ROOT / "tests/variants/gta.yaml").read_text("utf-8"), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert derive(*words, "--notebook", "-o", "made.ipynb")[0] == 0
    cells = in_kernel((tmp_path / "made.ipynb").read_text("utf-8"), tmp_path)
    assert len(cells) > 8
    for one in cells:
        (output,) = one.outputs
        assert output.output_type == "execute_result", one.source
    shown_as = [set(one.outputs[0].data) for one in cells]
    assert sum("text/html" in kinds for kinds in shown_as) >= 4, "studies, graphs, orders and costs are tables"
    assert any("text/latex" in kinds and "text/html" not in kinds for kinds in shown_as), (
        "quantities are formulas"
    )


@pytest.mark.parametrize("name", variant_names())
def test_cells_of_every_variant_run(name):
    assert len(run(cells_of(shown(name, "--order", "all", "--notebook")))) > 10


ASKED = {
    "prefill": ("mla", "--order", "expand", "--phase", "prefill", "--pairs", "causal", "--scope", "attention"),
    "unfused, no caches": ("mla", "--no-cache", "--phase", "prefill", "--order", "expand", "--traffic", "unfused", "--grows"),
    "given S": ("mla+rope", "--phase", "verify", "--set", "S=4", "--order", "absorb", *DEEPSEEK, "--kept-rows", "once"),
    "multiply-adds": ("gdn", "--unit", "macs"),
    "best": ("mla", "--order", "best", *DEEPSEEK),
    "words for an order": ("mla", "--order", "form=K,avoid=V"),
    "streamed": ("mla", "--order", "expand", "--formed", "streamed", "--elementwise", "omit"),
    "a prefix": ("mqa", "--prefix", "4096", "--batch", "16", *DEEPSEEK, "--phase", "verify", "--scope", "layer"),
    "any prefix": ("gqa", "--prefix", "L_p"),
    "a window": ("mha+window", "--set", "L=8192"),
    "ranks of every kind": ("mqa", "--tp", "16", "--cp", "2", "--dp", "4", "--model", "llama-3.3-70b", "--set", "L=8192",
                            "--batch", "6", "--gpu", "h100-sxm", "--compute", "fp8"),
    "a layout by tensor": ("mla+rope", "--order", "absorb", "--kv-layout", "C=33/32,K_R=2"),
}  # fmt: skip


@pytest.mark.parametrize("words", ASKED.values(), ids=ASKED)
def test_whatever_is_asked_the_cells_ask_the_same(words):
    """The study that the cells build gives the JSON's numbers and closed forms."""
    names = run(cells_of(shown(*words, "--notebook")))
    data = json.loads(shown(*words, "--json"))
    derivation = names["derivation"] if "orders" not in names else names["orders"][data["orders"][0]["order"]]
    data = data.get("orders", [data])[0]
    assert dict(names["study"].conventions.items()) == data["conventions"]
    for quantity in ("flops", "bytes"):
        exact = data[quantity].get("exact", data[quantity]["value"])
        value = derivation.value(getattr(derivation, quantity))
        assert (value is None) == (exact is None)
        assert exact is None or value == Fraction(str(exact))
        printed = sympy.sympify(data[quantity]["expr"], {name: d.symbol(name) for name in names["names"]})
        at = {symbol: 2 * index + 3 for index, symbol in enumerate(map(d.symbol, names["names"]))}
        assert getattr(derivation, quantity).sympy().subs(at) == printed.subs(at)


def test_a_notation_is_about_the_text_alone():
    notebook = shown("mla", "--order", "absorb", "--notation", "note", "--notebook")
    assert "$h$ | attention heads" in text_of(notebook)
    assert str(run(cells_of(notebook))["intensity"]) == "4*H/b"


WRONG = [
    ('["Q", "Q_R", "O"]', '["Q", "O"]'),
    ("flops - (2*H*L*(2*d_c + d_r))", "flops - (2*H*L*(d_c + d_r))"),
    ("moved - (L*b*(d_c + d_r))", "moved - (L*b*d_c)"),
    ("intensity - (2*H*(2*d_c + d_r)/", "intensity - (2*H*(d_c + d_r)/"),
    ('"FLOPs": 2281701376', '"FLOPs": 1140850688'),
    ("Fraction(2176, 9)", "Fraction(2177, 9)"),
    ('"cache bytes": 1152', '"cache bytes": 1024'),
    ("kept - (d_c + d_r)", "kept - (2*d_c + d_r)"),
    ("Fraction(9216, 3271484375)", "Fraction(9216, 3271484374)"),
    ("    L*d_c*(d_k + d_v)/(2*L*d_c", "    L*d_c*(d_k + d_v)/(L*d_c"),
    ("Fraction(8192, 49)", "171"),
    ('"absorb.intensity-free-of-H": "refuted"', '"absorb.intensity-free-of-H": "proved"'),
]


@pytest.mark.parametrize(("right", "wrong"), WRONG, ids=[right.strip() for right, _ in WRONG])
def test_a_cell_fails_where_the_text_says_something_else(right, wrong):
    code = cells_of(ROPE)
    place = next(index for index, cell in enumerate(code) if right in cell)
    assert sum(cell.count(right) for cell in code) == 1
    code[place] = code[place].replace(right, wrong)
    with pytest.raises(AssertionError) as failed:
        run(code[: place + 1])
    assert str(failed.traceback[-1].path).endswith(f"<cell {place + 1}>")


def reading(latex: str, values: dict[str, int]) -> Fraction:
    """The value of a printed sum of products, read sign by sign: what stands side by side is multiplied."""
    tokens = re.findall(r"\d+|[A-Za-z]_\{\\mathrm\{\w+\}\}|[A-Za-z](?:_\w)?|[-+()]", latex.replace("\\,", " "))
    text, before = "", ""
    for token in tokens:
        name = re.sub(r"\\mathrm|[{}]", "", token)
        operand = str(values[name]) if name in values else token
        text += ("*" if before and before not in "(+-" and token not in ")+-" else "") + operand
        before = token
    return Fraction(sum_of(ast.parse(text, mode="eval").body))


def sum_of(node: ast.expr) -> int:
    if isinstance(node, ast.Constant):
        return int(node.value)
    assert isinstance(node, ast.BinOp), ast.dump(node)
    left, right = sum_of(node.left), sum_of(node.right)
    return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}[type(node.op)]


SIZES = {"b": 2, "B": 1, "H": 3, "H_q": 6, "H_kv": 3, "L": 11, "S": 1, "d_model": 13, "d_k": 5, "d_v": 7, "d_c": 17,
         "d_r": 19, "d_q": 23}  # fmt: skip


@pytest.mark.parametrize("words", [("mla", "--order", "absorb"), ("mla+rope", "--order", "expand", "--scope", "layer"),
                                   ("gqa",), ("mqa", "--scope", "kernel")])  # fmt: skip
def test_text_and_cells_say_the_same(words):
    """The formulas of the Markdown cells, read here by hand, against the variables of the code cells."""
    notebook = shown(*words, "--notebook")
    names, text = run(cells_of(notebook)), text_of(notebook)
    for letter, quantity in (("F", names["flops"]), ("M", names["moved"])):
        display = re.search(rf"\$\$\\begin{{aligned}} {letter} &= (.*?) \\end{{aligned}}\$\$", text)
        assert display
        by_name = {symbol: SIZES[symbol.name] for symbol in quantity.free_symbols}
        for line in display[1].split("&= "):
            assert reading(line.replace("&\\quad", "").replace("\\\\", ""), SIZES) == quantity.subs(by_name)


HOSTILE = [
    "it's \"quoted\".yaml", "back\\slash.yaml", "new\nline.yaml", "{braces} %s $x$.yaml", "ünïcode—π.yaml",
    "`tick`; import os #.yaml", "'''\"\"\".yaml", "?help!.yaml",
]  # fmt: skip
TITLE = 'A "title" \\(x\\) $y$ <b>bold</b> | `code` ](http://x) {{ }} """ \\begin{align} &lt;'


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_of_any_name_is_loaded_again(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(tiny("A tiny attention", json.dumps(TITLE)), encoding="utf-8")
    notebook = shown(f"./{name}", "--notebook")
    code = cells_of(notebook)
    assert run(code)["variant"].title == TITLE
    assert code[0].isascii()
    loading = [line for line in code[0].split("\n") if "load_variant" in line]
    assert len(loading) == 1
    assert ast.parse(loading[0]).body[0].value.args[0].value == f"./{name}"


def test_words_of_a_user_are_words_in_markdown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(tiny("A tiny attention", json.dumps(TITLE)), encoding="utf-8")
    head = text_of(shown("./t.yaml", "--notebook")).split("\n")[0]
    assert head == (
        '# A "title" <span>&#92;</span>(x<span>&#92;</span>) <span>&#36;</span>y<span>&#36;</span> '
        '&#60;b&#62;bold&#60;/b&#62; &#124; &#96;code&#96; \\](http://x) {{ }} """ '
        "<span>&#92;</span>begin{align} &#38;lt;"
    )


def test_a_notebook_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "there is no folder nowhere" in refused("mla", "--notebook", "-o", "nowhere/a.ipynb")
    assert "choose one output format" in refused("mla", "--notebook", "--latex")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("block", "markdown"),
    [
        (prose("a", Math("x_1 | y", "")), "a$x_1 \\vert y$"),
        (prose("1. first"), "1\\. first"),
        (prose("- no list"), "\\- no list"),
        (prose("2 * 3 _x_ #1 ~y~"), "2 \\* 3 \\_x\\_ \\#1 \\~y\\~"),
        (prose("see https://x.org/a_b."), "see <https://x.org/a_b>."),
        (prose(Link("two words", "a b.md")), "[two words](a%20b.md)"),
        (Display((Math("a &= b", ""), Math("&= c", ""))), "$$\\begin{aligned} a &= b \\\\ &= c \\end{aligned}$$"),
        (Display((Math("a", ""),), True), "$$\\boxed{\\begin{aligned} a \\end{aligned}}$$"),
        (
            Table(("n|m", ""), ((cell("a|b"), cell(Math("|x|", ""))),), "lr", "That."),
            "| n&#124;m |  |\n| :--- | ---: |\n| a&#124;b | $\\vert x\\vert $ |\n\nThat.",
        ),
        (Items((cell("x"), cell("y")), True), "1. x\n2. y"),
        (
            Items((cell("x"), cell("y")), True, (cell(", since ", Math("L > 0", ""), "."), cell("."))),
            "|  |  |  |\n| ---: | :--- | :--- |\n| 1 | x | since $L \\gt 0$. |\n| 2 | y |  |",
        ),
        (Items((cell("x"),), True, (cell("."),)), "1. x."),
        (Figure("a.svg", "A map."), "![A map.](a.svg)"),
        (Code("derive mla"), "```sh\nderive mla\n```"),
        (Code("```"), "````sh\n```\n````"),
        (
            Box("Result", (prose("so"), Display((Math("a", ""),)))),
            "> **Result**\n>\n> so\n>\n> $$\\begin{aligned} a \\end{aligned}$$",
        ),
        (
            Fold("Answer <1>", (prose("so"), Code("1 + 1", "python"))),
            "<details>\n<summary>Answer &lt;1&gt;</summary>\n\nso\n\n```python\n1 + 1\n```\n\n</details>",
        ),
    ],
)  # fmt: skip
def test_every_kind_of_block_in_markdown(block, markdown):
    notebook = render(Report("T", "", (block,)), "notebook")
    assert cells_of(notebook, "markdown") == [f"# T\n\n{markdown}"]
    assert cells_of(notebook) == []


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        ("a > b", "a \\gt b"),
        ("a<b", "a \\lt b"),
        ("\\struck{L}\\,d", "{\\color{gray}{L}}\\,d"),
        (
            "\\struck{(a + \\frac{b}{c})} \\struck{d^{2}}",
            "{\\color{gray}{(a + \\frac{b}{c})}} {\\color{gray}{d^{2}}}",
        ),
        ("\\struck{\\{x\\}}", "{\\color{gray}{\\{x\\}}}"),
        ("x\\big|_{L}", "x\\big\\vert _{L}"),
        ("\\|x\\|", "\\Vert x\\Vert "),
        ("F_{\\text{a\\_b}}", "F_{\\text{a}\\_\\text{b}}"),
        ("a\\,\\allowbreak b", "a\\, b"),
        ("a\n b", "a b"),
    ],
)
def test_formulas_have_only_what_every_viewer_sets(latex, shown):
    assert mathjax(latex) == shown


@pytest.mark.parametrize("words", [("mla", "--order", "all"), ("dsa+rope", "--phase", "verify"), ("kda",)])
def test_formulas_and_tables_of_a_notebook_are_whole(words):
    for text in cells_of(shown(*words, "--notebook"), "markdown"):
        math = re.findall(r"(\$\$?)(.+?)\1", text)
        assert text.count("$") == sum(2 * len(mark) for mark, _ in math)
        for _, latex in math:
            assert not re.search(r"[|<>\n]|\\struck|\\cancel|\\require|\\allowbreak", latex)
            assert latex.strip() == latex or latex.endswith("\\ "), latex
            assert latex.replace("\\{", "").count("{") == latex.replace("\\}", "").count("}")
        for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
            assert len({line.count("|") for line in table.strip().split("\n")}) == 1


def test_python_of_any_report_is_run_and_the_rest_is_read():
    report = Report(
        "Lesson", "short",
        (prose("Why?"), Code("x = 2", "python"), Heading("Next"), Heading("Below", 2), prose("so"),
         Code("derive mla"), Code("assert x == 2\nx", "python")),
        ("a paper",),
    )  # fmt: skip
    whole = json.loads(render(report, "notebook"))
    assert [(one["cell_type"], "".join(one["source"])) for one in whole["cells"]] == [
        ("markdown", "# Lesson\n\nshort\n\nWhy?"),
        ("code", "x = 2"),
        ("markdown", "## Next\n\n### Below\n\nso\n\n```sh\nderive mla\n```"),
        ("code", "assert x == 2\nx"),
        ("markdown", "## Sources\n\n- a paper"),
    ]
    assert run(cells_of(render(report, "notebook")))["x"] == 2


TEXTS = [
    "",
    "plain",
    'a"b',
    "it's",
    "\\",
    "\\n",
    "\n",
    "\r\n",
    "\x00",
    "é",
    "\u2028",
    "\ud800",
    "{x}",
    "%s",
    '"""',
    "'''",
]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_any_text_is_one_literal_of_one_line(text):
    shown_as = literal(text)
    assert ast.literal_eval(shown_as) == text
    assert shown_as.isascii()
    assert shown_as.isprintable()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (3, "3"),
        (-3, "-3"),
        (Fraction(4, 2), "2"),
        (Fraction(1, 2), "Fraction(1, 2)"),
        (10**20, f"1{'0' * 20}"),
    ],
)
def test_numbers_are_exact(value, text):
    assert literal(value) == text


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("H", "H"),
        ("d_k", "d_k"),
        ("lambda", "lambda_"),
        ("d", "d_"),
        ("sum", "sum_"),
        ("In", "In_"),
        ("study", "study_"),
    ],
)
def test_a_size_never_hides_what_the_cells_use(symbol, name):
    assert variable(symbol) == name


def test_a_variant_with_words_of_python_as_sizes_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = tiny("size: d_k", "size: lambda").replace("size: d_model", "size: d")
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    names = run(cells_of(shown("./t.yaml", "--notebook")))
    assert str(names["intensity"]) == "4/b"
    assert str(names["lambda_"]) == "lambda"


H, L, n = d.symbol("H"), d.symbol("L"), d.symbol("n")
FORMULAS = [
    2 * H * (L + 1), H / 2 + sympy.Rational(1, 3), sympy.Min(L, n) * H, sympy.ceiling(H / 8) * L, sympy.floor(L / n),
    (H - sympy.sqrt(L**2 + H)) / (2 * n), H**3 / L**2, sympy.Integer(0), -H, sum(H**k * L for k in range(40)),
]  # fmt: skip


@pytest.mark.parametrize("expression", FORMULAS, ids=lambda e: str(e)[:30])
def test_formulas_read_back_as_what_they_were(expression):
    names = {"sympy": sympy, "H": H, "L": L, "n": n}
    exec(f"read = {formula(expression)}", names)  # noqa: S102
    assert names["read"] == expression
    assert all(len(line) <= 104 for line in formula(expression).split("\n"))


def test_long_lists_and_dicts_break_between_items_only():
    items = [literal(f"a long name, with spaces {i}") for i in range(12)]
    assert ast.literal_eval(listing(items)) == [f"a long name, with spaces {i}" for i in range(12)]
    assert "\n" in listing(items)
    pairs = {f"a long name, with spaces {i}": str(i) for i in range(12)}
    assert ast.literal_eval(mapping(pairs)) == {key: int(value) for key, value in pairs.items()}


@pytest.mark.parametrize("prefix", [False, True])
@pytest.mark.parametrize("variant", ["mla+rope", "gqa"])
def test_bundled_parts_are_found_by_their_names(variant, prefix):
    loaded = d.load_variant(variant)
    study = d.Study(d.with_prefix(loaded) if prefix else loaded, model=d.load_checkpoint("deepseek-v3"))
    assert origin_of(study) == Origin(variant, "deepseek-v3", "")


def test_a_variant_from_a_text_has_a_page_without_code():
    study = d.Study(d.parse_variant(tiny()))
    assert origin_of(study) is None
    notebook = d.render_report(d.page_of(d.derive(study, "direct"), code=True), "notebook")
    assert cells_of(notebook) == []
    assert "# A tiny attention" in text_of(notebook)


def test_a_file_that_changed_since_has_a_page_without_code(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(tiny(), encoding="utf-8")
    study = d.Study(d.load_variant(str(path)))
    assert origin_of(study).variant == str(path)
    path.write_text(tiny("A tiny attention", "Another"), encoding="utf-8")
    assert origin_of(study) is None
