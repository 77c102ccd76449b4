"""The public API: every name is documented and told of in help(), examples run, objects show themselves."""

# ruff: noqa: E501 - tables of what is shown, one a line

from __future__ import annotations

import ast
import doctest
import re
import warnings
from dataclasses import replace
from inspect import getdoc, isclass, signature
from pathlib import Path

import pytest
from samples import ROOT, tiny
from test_docs import files_of, text_of

import derivations as d
from derivations.errors import InputError
from derivations.poly import Poly
from derivations.render.jupyter import html, latex
from derivations.shown import Shown

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def ran(text: str, name: str) -> tuple[int, int]:
    """(failed, tried) examples of a text."""
    examples = doctest.DocTestParser().get_doctest(re.sub(r"^```.*$", "", text, flags=re.M), {}, name, name, 0)
    return tuple(doctest.DocTestRunner(optionflags=OPTIONS).run(examples))


def test_the_examples_of_the_guide_run(tmp_path, monkeypatch):
    for name, text in files_of("api.md").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    failed, tried = ran(text_of("api.md"), "api.md")
    assert (failed, tried > 50) == (0, True)
    blocks = re.findall(r"^```python\n(.*?)^```", text_of("api.md"), re.M | re.S)
    assert all(block.startswith(">>> ") for block in blocks), "every example is run"


def test_the_examples_of_help_run():
    failed, tried = ran(d.__doc__ or "", "derivations")
    assert (failed, tried > 8) == (0, True)


def test_a_wrong_example_would_be_seen(capsys):
    assert ran(">>> 1 + 1\n3\n", "wrong") == (1, 1)
    assert "Got:" in capsys.readouterr().out


def test_help_starts_with_what_the_package_is_for():
    words = d.__doc__ or ""
    assert words.startswith("derive: a symbolic derivation engine for the cost of attention.\n")
    assert words.index(">>> ") < words.index("To load and to ask:") < words.index("The map of the house;")


@pytest.mark.parametrize("name", d.__all__)
def test_every_public_name_is_told_of_and_documented(name):
    tour = (d.__doc__ or "").partition("The map of the house;")[0].partition("To load and to ask:")[2]
    assert re.search(rf"\b{name}\b", tour), f"help(derivations) does not mention {name}"
    shown = getattr(d, name)
    words = getdoc(shown) or ""
    assert len(words) > 15, f"{name} has no docstring"
    assert not words.startswith(f"{name}("), f"the docstring of {name} is the one dataclasses make"
    assert words.partition("\n")[0].rstrip().endswith((".", ",", "and", ":")) or "\n" in words


def test_public_functions_say_when_they_refuse():
    raising = ("load_variant", "parse_variant", "load_checkpoint", "load_accelerator", "load_released", "derive",
               "crossover_of", "crossover_between", "orders_of", "orders_of_einsum", "page_of", "model_cost")  # fmt: skip
    for name in raising:
        assert "Raises InputError" in " ".join((getdoc(getattr(d, name)) or "").split()), name


def test_public_methods_and_properties_are_documented():
    for name in d.__all__:
        shown = getattr(d, name)
        if not isclass(shown):
            continue
        for part, value in vars(shown).items():
            if not part.startswith("_") and (callable(value) or isinstance(value, property | classmethod)):
                assert getdoc(value), f"{name}.{part}"


def test_no_public_name_is_a_module():
    names = {path.stem for path in (ROOT / "derivations").iterdir()}
    assert names & set(d.__all__) == set()


def test_public_names_are_in_order_and_all_listed():
    assert d.__all__ == sorted(d.__all__, key=lambda name: (not name[0].isupper(), name))
    assert dir(d) == sorted(d.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'loadvariant'"):
        d.loadvariant  # noqa: B018


def test_only_three_modules_import_by_name():
    """What `test_layers` cannot see: a module that is imported by a text."""
    found = set()
    for path in (ROOT / "derivations").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in (
                "import_module",
                "__import__",
            ):
                found.add(path.relative_to(ROOT / "derivations").as_posix())
    assert found == {"__init__.py", "shown.py", "cli.py"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Poly(), "0"),
        (Poly.symbol("H") * 4, "4*H"),
        (Poly.symbol("L") * Poly.symbol("b").inverse(), "L/b"),
    ],
)
def test_quantities_turn_into_sympy(value, text):
    assert str(value.sympy()) == text
    assert all(symbol.is_positive for symbol in value.sympy().free_symbols)


def test_a_variant_is_read_from_a_text():
    assert d.parse_variant(tiny()).name == "tiny"
    with pytest.raises(InputError) as refused:
        d.parse_variant(tiny("size: d_k", "size: d_k+"))
    assert str(refused.value).startswith("<text>:8 (axes.k.size): ")


def test_an_option_of_a_text_that_is_not_there():
    with pytest.raises(InputError, match="unknown option of tiny 'rope'; there is none here"):
        d.parse_variant(tiny(), ["rope"])


STUDY = d.Study(d.load_variant("mla"), values={"H": 128, "L": 8192, "d_c": 512, "b": 2})
ABSORB = d.derive(STUDY, "absorb")
CROSSOVER = d.crossover_of(STUDY.under(phase="verify", scope="attention"), "absorb", "expand", "S")
JUDGEMENTS = d.judgements_of(d.derivation_assertions(ABSORB, ["expand"]))
PROVED = JUDGEMENTS["absorb.intensity-free-of-L"]
ORDERS = d.orders_of(d.Study(d.load_variant("mla"), d.Conventions(phase="verify")), "A")
SHOWN = [
    (ABSORB.flops, "Poly(4*H*L*d_c)", r"$\displaystyle 4 H L d_c$", None),
    (ABSORB.intensity, "Ratio((4*H*L*d_c) / (L*b*d_c))", r"$\displaystyle \frac{4 H}{b}$", None),
    (ABSORB.cost.graph, "Graph(mla: 3 products, which make C, A, Y)", r"\underset{t c}{C} &\leftarrow",
     "3 products between barriers, which may be bracketed: $X\\,W_{\\mathrm{DKV}}$"),
    (ABSORB.cost.order, "Order(absorb: forms Q, O)", r"Y &= \bigl(\bigl(P\,C\bigr)\,W_{\mathrm{UV}}\bigr)\,W_O",
     "<p>Order absorb: the up-projections move to the query and to the output; scores run on the latent."),
    (ABSORB.cost, "Cost(mla, absorb, scope core: 3 of 25 terms)", r"F &= 4 H L d_c \\ M &= b L d_c",
     "$C$, read</td><td style=\"text-align: left\">$b L d_c$</td>"),
    (ABSORB, "Derivation(mla, absorb, decode, scope core)", r"$\displaystyle I = \frac{4 H}{b}$",
     "<td style=\"text-align: right\">$2{,}147{,}483{,}648$</td>"),
    (STUDY, "Study(mla, decode, scope core, L=8192, H=128, d_c=512, b=2)", None, "Sizes: $H = 128$, $L = 8{,}192$"),
    (d.load_variant("mla"), "Variant(mla: Multi-head latent attention)", r"\mathrm{softmax}_{t}", "<p>Multi-head"),
    (CROSSOVER, "Crossover(absorb and expand in S: absorb cheaper below, expand above)",
     r"S^{*} &\to \frac{d_c (d_k + d_v)}{2 d_c - d_k - d_v}", "where $2 d_c \\gt d_k + d_v$."),
    (CROSSOVER.solutions[0].root, "Root(", r"\frac{L d_c (d_k + d_v)}{d_c (d_k + d_v) + L (2 d_c - d_k - d_v)}", None),
    (PROVED.assertion.claim, "Claim(", r"I \text{ does not depend on } L", None),
    (PROVED.assertion, "Assertion(absorb.intensity-free-of-L: The intensity of absorb does not depend on L.)",
     r"I \text{ does not depend on } L", "<p>absorb.intensity-free-of-L: The intensity"),
    (PROVED, "Judgement(absorb.intensity-free-of-L: proved)", r"\text{proved}", "cancel $L$, since $L \\gt 0$.</li>"),
    (JUDGEMENTS, "Judgements(12 proved, 1 refuted)", None, ">absorb.intensity-free-of-L</td>"),
    (ORDERS.orders[0].verdict, "Verdict(", None, "<p>can be best: best at $H = "),
    (ORDERS, "Orders(15 searched, 6 left: 5 best, 1 never)", None, "(((X W_Q) W_UK) C)</td>"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("thing", "words", "formula", "piece"), SHOWN, ids=[type(row[0]).__name__ for row in SHOWN]
)
def test_objects_show_themselves(thing, words, formula, piece):
    assert isinstance(thing, Shown)
    assert repr(thing) == words or (words.endswith("(") and repr(thing).startswith(words))
    for found, wanted in ((thing._repr_latex_(), formula), (thing._repr_html_(), piece)):
        assert (found is None) == (wanted is None)
        assert found is None or wanted in found, found
        assert found is None or found.count("$") % 2 == 0
    if formula is not None:
        assert re.fullmatch(
            r"\$\\displaystyle [^$]+\$|\$\$\\begin\{aligned\} [^$]+ \\end\{aligned\}\$\$", latex(thing)
        )
    assert "struck" not in f"{latex(thing)}{html(thing)}"


def test_every_type_that_can_ask_is_answered():
    asking = {kind.__name__ for kind in Shown.__subclasses__()}
    assert asking == {type(row[0]).__name__ for row in SHOWN} | {"Factors", "Report"}


def test_what_a_user_wrote_is_shown_as_text():
    hostile = '<script>alert("$x$")</script> \\(y\\) & |'
    variant = replace(d.parse_variant(tiny()), title=hostile)
    shown = d.derive(d.Study(variant), "direct")._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;alert(&quot;<span>&#36;</span>x<span>&#36;</span>&quot;)" in shown
    assert "<span>&#92;</span>(y<span>&#92;</span>) &amp; |" in shown


def test_a_page_shows_itself_as_jupyter_sets_it():
    page = d.page_of(ABSORB, steps=False)
    assert repr(page) == f"Report(Multi-head latent attention: {len(page.blocks)} blocks)"
    assert page._repr_markdown_().startswith(
        "# Multi-head latent attention\n\norder absorb, decode, scope core\n\n"
    )
    assert (
        "$$\\boxed{\\begin{aligned} I &= \\frac{4 H}{b} = 256\\ \\text{FLOP/B} \\end{aligned}}$$"
        in page._repr_markdown_()
    )
    assert (page._repr_html_(), page._repr_latex_()) == (None, None)


def test_what_is_loaded_is_told_in_a_line():
    assert repr(d.load_checkpoint("deepseek-v3")) == "Checkpoint(deepseek-v3: DeepSeek-V3)"
    assert repr(d.load_accelerator("h100-sxm")) == "Accelerator(h100-sxm: NVIDIA H100 SXM)"
    kimi = d.load_released("kimi-k3")
    assert repr(kimi) == "Released(kimi-k3: 24 x mla+rope+query-latent, 69 x kda)"
    cost = repr(d.model_cost(kimi, d.Asked(d.Conventions(), {})))
    assert cost.startswith("ModelCost(kimi-k3: 24 x Derivation(")
    assert len(cost) < 300


def test_an_order_by_itself_is_told_in_words():
    alone = replace(ABSORB.cost.order, graph=None)
    assert alone == ABSORB.cost.order
    assert alone._repr_latex_() is None
    assert "It forms Q, O." in alone._repr_html_()


def test_verdicts_are_found_by_name():
    assert len(JUDGEMENTS) == len(list(JUDGEMENTS)) == 13
    assert [one.assertion.id for one in JUDGEMENTS.having("refuted")] == ["absorb.intensity-free-of-H"]
    with pytest.raises(InputError, match=r"unknown claim 'absorb.intensiti'; did you mean 'absorb.intensity'"):
        JUDGEMENTS["absorb.intensiti"]
    assert repr(d.judgements_of([])) == "Judgements(none)"


def test_times_need_an_accelerator_and_sizes():
    assert ABSORB.times is None
    gpu = d.load_accelerator("h100-sxm")
    assert d.derive(d.Study(d.load_variant("mla"), gpu=gpu), "absorb").times is None
    (core,) = d.derive(replace(STUDY, gpu=gpu), "absorb").times
    assert core.seconds == max(core.compute, core.memory)
    assert float(core.memory) == pytest.approx(8192 * 512 * 2 / 3.35e12)


def test_a_page_of_no_derivation_is_refused():
    with pytest.raises(InputError, match="a page needs at least one derivation"):
        d.page_of([])


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "notebook"])
def test_pages_come_in_every_format(form):
    page = d.page_of(ABSORB, steps=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = d.render_report(page, form)
    assert "Multi-head latent attention" in text
    assert text.endswith("\n")


def test_a_study_has_defaults():
    assert signature(d.Study).parameters["conventions"].default is not signature(d.Study).empty
    assert d.Study(d.load_variant("mla")).conventions == d.Conventions()


def test_the_guide_names_only_what_is_there():
    for name in re.findall(r"\bd\.(\w+)", text_of("api.md")):
        assert name in d.__all__ or Path(f"{name}.yaml").suffix != ".yaml", name


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"d_v1": 3}, "unknown size of mha 'd_v1'; did you mean 'd_v'?"),
        ({"L": "x"}, "L = 'x' is no exact number; sizes are int or Fraction"),
        ({"L": 3.5}, "L = 3.5 is no exact number; sizes are int or Fraction"),
        ({"L": True}, "L = True is no exact number; sizes are int or Fraction"),
    ],
)
def test_a_size_that_can_be_none_is_refused(values, message):
    with pytest.raises(InputError) as error:
        d.Study(d.load_variant("mha"), values=values)
    assert str(error.value) == message


def test_sizes_of_other_variants_do_no_harm():
    study = d.Study(d.load_variant("mha"), values={"L": 8, "d_c": 512, "R": 300})
    assert d.derive(study, "direct").intensity.sympy() == 2 / d.symbol("b")


def test_a_variant_is_not_yet_a_question():
    with pytest.raises(
        TypeError, match=r"derive takes a Study, as in derive\(Study\(variant\), 'absorb'\), not Variant"
    ):
        d.derive(d.load_variant("mla"), "absorb")
