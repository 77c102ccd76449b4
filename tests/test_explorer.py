"""The explorer in a browser: its numbers are the engine's, it asks for nothing, bad input does not break it."""

from __future__ import annotations

import random
import re
import sys
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from browser import needs_browser, opened
from command import derive as command
from command import refused

from derivations.atoms import evaluate
from derivations.checkpoints import load_checkpoint
from derivations.conventions import Conventions
from derivations.derivation import Study, crossover_of, derive
from derivations.explorer.controls import CONTROLS
from derivations.explorer.quantities import indexer_of
from derivations.explorer.variants import PAIRS, RANKS, ROWS, SCOPES_SHOWN
from derivations.hardware import accelerator_names, load_accelerator
from derivations.library import load_variant
from derivations.roofline import timed
from derivations.sharding import Split
from derivations.speculation import budget_of

pytest.importorskip("vl_convert")

QUERY_SIDE = "form=Q,form=Q_R,form=O"
BY_HAND = {
    "absorb": f"{QUERY_SIDE},avoid=K,avoid=V",
    "expand": f"{QUERY_SIDE},form=K,form=V",
    "dsa": f"{QUERY_SIDE},avoid=K,avoid=V,form=Q_I,form=G",
}
"""The orders of the page said in full: at odd widths another member of the same set can be cheaper, and a study
with numbers would take that one."""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The file, as the command writes it."""
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    status, out, err = command("explore", "-o", str(path))
    assert (status, out) == (0, "")
    said = r"derive: .*explorer\.html: 1\.\d MB; open it in a browser, no network is needed\n"
    assert re.fullmatch(said, err)
    return path


@pytest.fixture
def view(chromium, page):
    """The page, opened afresh."""
    with opened(chromium, page) as found:
        found.evaluate("derive.drawn()")
        yield found
        assert found.complaints == []
        assert found.requests == []


def drawn_at_random(count):
    """Settings of the sliders: a third at the widths of released models, the rest anywhere in the ranges."""
    chance = random.Random(20_240_501)
    models = [load_checkpoint(name) for name in ("deepseek-v3", "kimi-k3", "llama-3.3-70b", "falcon-7b")]
    for index in range(count):
        found = {control.name: chance.choice(control.stops) for control in CONTROLS}
        if index % 3 == 0:
            model = chance.choice(models)
            found |= {n: v for n, v in model.values(found).items() if n != "b_M"}
        elif index % 3 == 1:
            between = [control for control in CONTROLS if not control.only_stops]
            found |= {control.name: chance.randint(control.least, control.most) for control in between}
        found["L"] = chance.choice([found["L"], chance.randint(1, 100)])
        found["S"] = min(found["S"], found["L"])
        found["H_kv"] = chance.choice([n for n in range(1, found["H"] + 1) if found["H"] % n == 0])
        gpu = load_accelerator(chance.choice(accelerator_names()))
        compute = chance.choice(sorted(gpu.peak))
        words = {"pairs": chance.choice(PAIRS), "scope": chance.choice(SCOPES_SHOWN)}
        yield {**found, **words, "gpu": gpu.name, "compute": compute, "model": ""}


def study_of(setting, name, scope):
    """The question of a setting, its numbers put in."""
    variant = load_variant(name)
    given = {**setting, "H_q": setting["H"], "d_model": 4096}
    values = {symbol: given[symbol] for symbol in (*variant.symbols, "B")}
    conventions = Conventions(phase="verify", pairs=setting["pairs"], scope=scope)
    return Study(
        variant, conventions, values, gpu=load_accelerator(setting["gpu"]), split=Split(tp=setting["TP"]),
        compute=setting["compute"],
    )  # fmt: skip


def near(number, exact, digits=12):
    return number is not None and abs(Fraction(number) - exact) <= abs(exact) * Fraction(1, 10**digits)


def seconds(derivation, kernel=None):
    study = derivation.study
    found = timed(derivation.cost, study.gpu, study.compute, study.values)
    return sum((one.seconds for one in found if kernel in (None, one.kernel.name)), start=Fraction(0))


def check_free(shown, flops, moved, values, ridge):
    """The kernel waits for memory with so many queries, and with one more it does not."""

    def waits(queries):
        at = {**values, "S": queries}
        return evaluate(flops, at) <= ridge * evaluate(moved, at)

    last = min(values["L"], 65_536) if shown is None else shown
    assert last == 0 or waits(last)
    assert shown is None or not waits(shown + 1)


def check_row(shown, derivation):
    study, values = derivation.study, derivation.study.values
    flops, moved = derivation.value(derivation.flops), derivation.value(derivation.bytes)
    intensity, ridge = derivation.side
    assert near(shown["flops"], flops)
    assert near(shown["bytes"], moved)
    assert near(shown["intensity"], intensity)
    peak, bandwidth = study.gpu.peak_of(study.compute), study.gpu.bandwidth.value
    assert near(shown["attainable"], min(peak, intensity * bandwidth))
    assert near(shown["time"], seconds(derivation))
    if abs(intensity / ridge - 1) > Fraction(1, 10**9):
        assert shown["waits"] == ("memory" if intensity < ridge else "arithmetic")
    check_free(shown["free"], derivation.flops, derivation.bytes, values, ridge)
    if shown["ridge"] is not None and shown["free"] is not None:
        assert shown["free"] <= shown["ridge"] * (1 + 1e-9)
        assert shown["ridge"] * (1 - 1e-9) <= shown["free"] + 1
    kept = derivation.kept
    layer = derivation.value(kept.bytes) + derivation.value(kept.state_bytes)
    assert near(shown["layer"], layer)
    return layer


def check_crossing(shown, setting):
    study = study_of(setting, "mla+rope", "attention")
    costs = {name: derive(study, BY_HAND[name]).flops for name in ("absorb", "expand")}
    for name, cost in costs.items():
        assert near(shown["costs"][name], evaluate(cost, study.values))
    found = crossing_of(setting["TP"], setting["pairs"])
    holding = [one for one in found.solutions if all(c.holds(study.values) for c in one.conditions)]
    assert len(shown["meets"]) == len(holding)
    if not holding:
        assert shown["everywhere"] == found.cheaper_everywhere(study.values)
    for mine, exact in zip(shown["meets"], holding, strict=True):
        assert near(mine["at"], exact.root.value(study.values), 9)
        assert (mine["below"], mine["above"]) == (exact.below, exact.above)
        for queries, cheaper, dearer in (
            (Fraction(mine["at"]) * Fraction(99, 100), exact.below, exact.above),
            (Fraction(mine["at"]) * Fraction(101, 100), exact.above, exact.below),
        ):
            at = {**study.values, "S": queries}
            assert evaluate(costs[cheaper], at) < evaluate(costs[dearer], at)


@cache
def crossing_of(tp, pairs):
    conventions = Conventions(phase="verify", pairs=pairs, scope="attention")
    study = Study(load_variant("mla+rope"), conventions, {}, split=Split(tp=tp))
    return crossover_of(study, "absorb", "expand", "S")


def check(shown, setting):
    """Everything the page computes, against the engine with these numbers put in."""
    gpu = load_accelerator(setting["gpu"])
    assert near(shown["ridge"], gpu.ridge(setting["compute"]))
    for row in ROWS:
        study = study_of(setting, row.variant, setting["scope"])
        layer = check_row(shown["rows"][row.key], derive(study, BY_HAND.get(row.key, row.order)))
        assert near(shown["rows"][row.key]["cache"], layer * setting["B"] * setting["layers"])
    whole = derive(study_of(setting, "dsa+rope", "layer"), BY_HAND["dsa"])
    kernel = indexer_of(whole)
    values = whole.study.values
    indexer = shown["indexer"]
    assert near(indexer["flops"], evaluate(kernel.flops, values))
    assert near(indexer["bytes"], evaluate(kernel.bytes, values))
    assert near(indexer["time"], seconds(whole, "indexer"))
    check_free(indexer["free"], kernel.flops, kernel.bytes, values, gpu.ridge(setting["compute"]))
    check_crossing(shown["crossing"], setting)


@needs_browser
def test_numbers_are_the_engines_at_a_hundred_settings(view):
    for setting in drawn_at_random(100):
        check(view.evaluate("setting => derive.numbers(setting)", setting), setting)


@needs_browser
def test_the_table_shows_them(view):
    """What stands in the table, the settings coming through the address."""
    for setting in [*drawn_at_random(40)][::5]:
        address = "&".join(f"{name}={value}" for name, value in setting.items())
        view.evaluate("address => { location.hash = address; }", address)
        view.until("setting => derive.settings().d_c === setting.d_c", setting)
        assert view.evaluate("derive.settings()") == setting
        cells = view.evaluate(
            "[...document.querySelectorAll('#numbers td')].map("
            "cell => [cell.dataset.row, cell.dataset.quantity, cell.dataset.value])"
        )
        numbers = view.evaluate("derive.numbers()")
        assert len(cells) == 8 * (len(ROWS) + 1)
        for row, quantity, value in cells:
            found = (numbers["indexer"] if row == "indexer" else numbers["rows"][row])[quantity]
            said = float(value) if isinstance(found, int | float) else value
            assert said == ("null" if found is None else found)


@needs_browser
@pytest.mark.parametrize(("row", "order"), [("gqa", "direct"), ("absorb", "absorb"), ("lightning", "direct")])
def test_free_queries_are_those_of_speculation(view, row, order):
    """The engine tries every S; the page halves an interval."""
    setting = {**view.evaluate("derive.settings()"), "L": 700, "TP": 4}
    name = next(one.variant for one in ROWS if one.key == row)
    study = study_of(setting, name, "core")
    expected = budget_of(study, order).at(study.values, study.gpu.ridge(study.compute))
    assert view.evaluate("setting => derive.numbers(setting)", setting)["rows"][row]["free"] == expected


PRINTED = [
    # Kimi K3 at 131,072 tokens: 170.44 (README.md); 512 * 256 / 768 for ever more context
    ({"model": "kimi-k3", "L": 131_072}, "crossing.meets.0.at", 170.44),
    # DeepSeek-V3 absorbed, one query: 2 * 128 * 1088 / (2 * 576), and 16 heads of it on each of 8 ranks
    ({"model": "deepseek-v3"}, "rows.absorb.intensity", 241.78),
    ({"model": "deepseek-v3", "TP": 8}, "rows.absorb.intensity", 30.22),
    # the latent is on every rank: 576 elements of 2 bytes for each of 1024 tokens, on 1 rank or 16
    ({"model": "deepseek-v3", "L": 1024}, "rows.absorb.layer", 1_179_648),
    ({"model": "deepseek-v3", "L": 1024, "TP": 16}, "rows.absorb.layer", 1_179_648),
    # 8 key/value heads, 256 elements: a quarter on 4 ranks, and never less than one head
    ({"model": "llama-3.3-70b", "L": 1024}, "rows.gqa.layer", 4_194_304),
    ({"model": "llama-3.3-70b", "L": 1024, "TP": 4}, "rows.gqa.layer", 1_048_576),
    ({"model": "llama-3.3-70b", "L": 1024, "TP": 16}, "rows.gqa.layer", 524_288),
    # 71 heads on 8 ranks: the largest has 9
    ({"model": "falcon-7b", "L": 1024, "TP": 8}, "rows.mha.layer", 9 * 128 * 2 * 1024),
]


@needs_browser
@pytest.mark.parametrize(("setting", "path", "value"), PRINTED)
def test_numbers_of_documents_and_by_hand(view, setting, path, value):
    view.evaluate(
        "setting => { const model = document.getElementById('model'); model.value = setting.model;"
        " model.dispatchEvent(new Event('change')); }",
        setting,
    )
    rest = {name: number for name, number in setting.items() if name != "model"}
    found = view.evaluate("rest => derive.numbers(rest)", rest)
    for part in path.split("."):
        found = found[int(part) if part.isdigit() else part]
    assert found == pytest.approx(value, abs=0.005)


LARGEST = "&".join(f"{one.name}={one.most}" for one in CONTROLS if one.name not in ("TP", "d_I"))


@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_and_asks_for_nothing(chromium, page, width, dark):
    with opened(chromium, page, width=width, dark=dark) as view:
        view.evaluate("derive.drawn()")
        assert view.overflow() == 0
        # every chart has its lines or points, in the colours of the theme
        marks = view.evaluate(
            "[...document.querySelectorAll('.chart')].map(chart => chart.querySelectorAll('path').length)"
        )
        assert len(marks) == 4
        assert min(marks) > 10
        ink = view.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()")
        assert view.evaluate("ink => document.querySelector('.chart').innerHTML.includes(ink)", ink)
        assert (view.complaints, view.requests) == ([], [])


@needs_browser
def test_no_formula_is_wider_than_a_phone(chromium, page):
    with opened(chromium, page, width=360) as view:
        for index, words in enumerate(product(SCOPES_SHOWN, PAIRS, (1, 8), ("S=1&L=1&B=1", "S=16", LARGEST))):
            scope, pairs, ranks, sizes = words
            address = f"d_I={index + 1}&scope={scope}&pairs={pairs}&TP={ranks}&{sizes}"
            view.evaluate("address => { location.hash = address; }", address)
            view.until("index => derive.settings().d_I === index + 1", index)
            view.evaluate("derive.drawn()")
            assert view.overflow() == 0, address
        assert view.complaints == []


@needs_browser
def test_colours_follow_the_theme(view):
    before = view.evaluate("document.querySelector('.chart').innerHTML")
    view.page.emulate_media(color_scheme="dark")
    view.until("before => document.querySelector('.chart').innerHTML !== before", before)
    assert view.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(253, 253, 251)"


def test_one_file_that_loads_nothing(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.encode("utf-8")) < 2_000_000
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe-inline'" not in policy
    head = text[: text.index("<script")]
    assert not re.search(r"\b(src|href)=", head)
    assert "<noscript>" in head


@needs_browser
def test_scripts_off_leaves_a_sentence(chromium, page):
    context = chromium.new_context(java_script_enabled=False, offline=True)
    try:
        bare = context.new_page()
        bare.goto(page.resolve().as_uri())
        assert "scripts are turned off" in bare.inner_text("body")
    finally:
        context.close()


@needs_browser
def test_sliders_by_keyboard(view):
    view.page.focus("#range-S")
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("ArrowRight")
    assert view.evaluate("derive.settings().S") == 3
    assert view.page.input_value("#field-S") == "3"
    assert view.page.get_attribute("#range-S", "aria-valuetext") == "3 query tokens in this step"
    # MHA at S queries of BF16: S FLOPs a byte
    assert view.page.inner_text("[data-row=mha][data-quantity=intensity]") == "3"
    view.page.keyboard.press("Home")
    assert view.page.inner_text("[data-row=mha][data-quantity=intensity]") == "1"


@needs_browser
def test_what_is_heard(view):
    """The summary is announced once the sliders rest; charts have names and captions."""
    view.until("document.getElementById('summary').textContent.startsWith('S* = ')")
    assert view.page.get_attribute("#summary", "aria-live") == "polite"
    assert "absorb costs fewer FLOPs up to S = 169, expand above" in view.page.inner_text("#text-orders")
    labels = view.evaluate(
        "[...document.querySelectorAll('input, select')].filter(one => !one.labels.length"
        " && !one.getAttribute('aria-labelledby')).map(one => one.id)"
    )
    assert labels == []
    names = view.evaluate(
        "[...document.querySelectorAll('.chart')].map(chart => chart.getAttribute('aria-label'))"
    )
    assert names[1] == "FLOPs of the two orders of MLA against the query tokens of a step"
    assert len(set(names)) == 4


def typed(view, name, text):
    view.page.fill(f"#field-{name}", text)
    view.page.keyboard.press("Enter")
    return view.page.inner_text(f"#note-{name}")


@needs_browser
@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("L", "0", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("L", "2M", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("L", "-5", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("L", "1,5", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("L", "12,34K", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("L", "1e5", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("L", "", "Must be a whole number from 1 to 1,048,576; it stays 32,768."),
        ("d_k", "<b>", "Must be a whole number from 1 to 1,024; it stays 128."),
        ("d_k", "12.5", "Must be a whole number from 1 to 1,024; it stays 128."),
        ("TP", "3", "Must be one of 1, 2, 4, 8, 16; it stays 1."),
        ("b", "3", "Must be one of 1, 2, 4; it stays 2."),
        ("H_kv", "3", "Must divide H = 128: 1, 2, 4, 8, 16, 32, 64, 128; it stays 8."),
    ],
)
def test_what_cannot_be_set(view, name, text, note):
    before = view.evaluate("derive.settings()")
    view.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true; })")
    assert typed(view, name, text) == note
    assert view.page.get_attribute(f"#field-{name}", "aria-invalid") == "true"
    assert view.evaluate("derive.settings()") == before
    good = str(before[name])
    assert typed(view, name, good) == ""
    assert view.page.get_attribute(f"#field-{name}", "aria-invalid") is None


@needs_browser
def test_typed_numbers(view):
    for text, value in (("128K", 131_072), ("1,000", 1000), (" 77 ", 77), ("1_000", 1000), ("1M", 1_048_576)):
        assert typed(view, "L", text) == ""
        assert view.evaluate("derive.settings().L") == value


@needs_browser
def test_settings_that_go_together(view):
    typed(view, "S", "64")
    assert typed(view, "L", "16") == ""
    assert view.evaluate("derive.settings().S") == 16
    assert view.page.inner_text("#note-S").startswith("Lowered to L = 16")
    assert typed(view, "S", "17") == "The context includes the query tokens, so at most L = 16; it stays 16."
    typed(view, "H", "71")
    assert view.evaluate("derive.settings().H_kv") == 1
    assert view.page.inner_text("#note-H_kv") == "Was 8, which does not divide H = 71."
    assert view.page.inner_text("#model-note") == "No model of the list has these sizes."
    view.page.click("#reset")
    assert view.evaluate("derive.settings()") == view.evaluate(
        "JSON.parse(document.getElementById('data').textContent).start"
    )


@needs_browser
def test_a_limit_is_shown_only_where_there_is_a_crossing(view):
    words = "S* for L to infinity"
    typed(view, "d_c", "512")
    assert words in view.page.inner_text("#formulas")
    typed(view, "d_c", "128")  # 2 d_c = d_k + d_v: the orders never meet
    assert words not in view.page.inner_text("#formulas")
    assert "does not hold here" in view.page.inner_text("#formulas")
    typed(view, "d_c", "512")


@needs_browser
def test_models_and_accelerators(view):
    view.page.select_option("#model", "llama-3.3-70b")
    assert view.evaluate("[derive.settings().H, derive.settings().layers]") == [64, 80]
    assert "The attention of Llama 3.3 70B is GQA." in view.page.inner_text("#model-note")
    assert view.evaluate("[...document.querySelectorAll('tr.own')].map(row => row.id)") == ["row-gqa"]
    view.page.select_option("#compute", "fp8")
    view.page.select_option("#gpu", "a100-sxm")  # which has no FP8
    assert view.evaluate("derive.settings().compute") == "bf16"
    assert "312 TFLOP/s BF16 over 2.039 TB/s is a ridge of 153.02" in view.page.inner_text("#text-roofline")


@needs_browser
def test_the_address_keeps_the_setting(chromium, page):
    with opened(chromium, page) as view:
        typed(view, "L", "12345")
        view.page.select_option("#gpu", "mi300x")
        view.until("location.hash.includes('L=12345') && location.hash.includes('gpu=mi300x')")
        before, address = view.evaluate("derive.settings()"), view.evaluate("location.href")
        view.page.reload()
        assert view.evaluate("derive.settings()") == before
        assert view.page.inner_text("#link-note") == ""
        assert view.evaluate("location.href") == address
        assert view.complaints == []


HOSTILE = [
    ("L=<script>alert(1)</script>", "One setting of the link could not be used"),
    ("__proto__=1&constructor=2&toString=3", "3 settings of the link"),
    ("L=0&S=1e9&B=-1&TP=3&b=0&H=0", "6 settings of the link"),
    ("gpu=nothing&compute=__proto__&pairs=toString&scope=layer&model=<b>x</b>", "5 settings of the link"),
    ("L=%E0%A4%A&S=%", "2 settings of the link"),
    ("&&&===&L", "2 settings of the link"),
    ("L=" + "9" * 5000, "One setting of the link"),
    ("a=1&" * 1000, "One setting of the link"),
    ("S=4096&L=1", ""),
    ("H=71&H_kv=8", ""),
]


@needs_browser
@pytest.mark.parametrize(("address", "note"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_addresses(view, address, note):
    view.evaluate("address => { location.hash = address; }", address)
    view.until("note => document.getElementById('link-note').textContent.startsWith(note)", note)
    found = view.evaluate("derive.settings()")
    start = view.evaluate("JSON.parse(document.getElementById('data').textContent).start")
    if note:
        assert found == start
    assert 1 <= found["S"] <= found["L"] <= 1_048_576
    assert found["H"] % found["H_kv"] == 0
    assert view.evaluate("document.querySelectorAll('script').length") == 3
    view.evaluate("derive.drawn()")


MODEL = """model: mine
title: "{title}"
source: a test
variant: mla
options: [rope]
layers: 4
dims: {{H: 16, d_k: 64, d_v: 64, d_c: 256, d_r: 32}}
"""


@needs_browser
def test_names_stay_text(chromium, tmp_path):
    """A user's own model, with a title that would end the script it stands in."""
    title = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
    (tmp_path / "mine.yaml").write_text(MODEL.format(title=title), encoding="utf-8")
    path = tmp_path / "page.html"
    status, _, err = command(
        "explore", "-o", str(path), "--model", str(tmp_path / "mine.yaml"), "--gpu", "b200", "--set", "L=4K"
    )
    assert status == 0, err
    with opened(chromium, path) as view:
        view.evaluate("derive.drawn()")
        found = view.evaluate("derive.settings()")
        assert [found[name] for name in ("model", "gpu", "L", "d_c")] == ["mine", "b200", 4096, 256]
        assert title in view.page.inner_text("#model")
        assert view.evaluate("window.broken") is None
        assert view.complaints == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--model", "deepseek-v33"], "unknown model 'deepseek-v33'; did you mean 'deepseek-v3'?"),
        (["--gpu", "h201-sxm"], "unknown GPU 'h201-sxm'; did you mean 'h200-sxm'?"),
        (
            ["--model", "deepseek-v4-pro"],
            "--model deepseek-v4-pro: DeepSeek-V4-Pro has csa attention, which the explorer does not show",
        ),
        (
            ["--model", "mistral-7b-v0.1"],
            "--model mistral-7b-v0.1: Mistral 7B v0.1 has gqa with window, which the explorer does not show",
        ),
        (["--set", "L=2M"], "--set L=2M: the slider of L lies between 1 and 1,048,576"),
        (["--set", "L=0"], "--set L=0: L must be at least 1"),
        (["--set", "L=x"], "--set L=x: not a number; write for example L=4096 or L=128K"),
        (["--set", "L"], "--set L: write it as NAME=VALUE, such as L=8192"),
        (["--set", "d_x=4"], "unknown slider 'd_x'; did you mean 'd_v'?"),
        (["--set", "L=4", "--set", "L=5"], "--set L is given twice"),
        (["--set", "TP=3"], "--set TP=3: TP is 1, 2, 4, 8 or 16 on the page"),
        (["--set", "b=1.5"], "--set b=1.5: b is 1, 2 or 4 on the page"),
        (["--set", "H_kv=3"], "--set H_kv=3: must divide H, which is 128"),
        (["--set", "L=8", "--set", "S=9"], "S=9 is larger than L=8; the context includes the query tokens"),
        (["-o", "nowhere/page.html"], "-o nowhere/page.html: there is no folder nowhere; make it first"),
        (["-o", ""], "-o: the name of the file is empty"),
    ],
)
def test_refusals(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused("explore", *arguments) == sentence
    assert [*tmp_path.iterdir()] == []


def test_a_model_outside_of_the_sliders(tmp_path):
    (tmp_path / "mine.yaml").write_text(MODEL.format(title="Mine").replace("256", "9999"), encoding="utf-8")
    name = str(tmp_path / "mine.yaml")
    assert refused("explore", "--model", name) == f"--model {name}: d_c = 9,999 is outside of its slider"


def test_an_old_page_stays_when_the_new_one_is_refused(tmp_path):
    old = tmp_path / "explorer.html"
    old.write_text("mine", encoding="utf-8")
    assert refused("explore", "-o", str(old), "--set", "S=0")
    assert old.read_text(encoding="utf-8") == "mine"
    assert [*tmp_path.iterdir()] == [old]


def test_without_the_library_that_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert refused("explore") == (
        "a page with charts needs vl-convert; install it with: pip install 'derivations[plots]'"
    )


def test_the_ranks_offered_are_those_derived():
    control = next(control for control in CONTROLS if control.name == "TP")
    assert control.stops == RANKS
