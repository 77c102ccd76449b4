"""HTML pages, as a reader's browser shows them: on a phone, a wide screen, in the dark and on paper."""

# ruff: noqa: E501 - scripts that look at a page, a question each

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import needs_browser, opened
from command import refused, shown

from derivations.drawing import can_draw
from derivations.render import render
from derivations.render.htmlparts import html_parts, html_words
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
    Prose,
    Report,
    Table,
    Term,
)

ROOT = Path(__file__).resolve().parent.parent
VOID = {"meta", "img", "wbr", "br", "hr"}

PAGES = {
    "proofs": ("mla", "--order", "absorb"),
    "all orders": (
        "mla+rope",
        "--order",
        "all",
        "--scope",
        "layer",
        "--model",
        "deepseek-v3",
        "--set",
        "L=8192",
    ),
    "crossover": ("crossover", "mla", "absorb", "expand", "--pairs", "causal"),
    "compare": ("compare", "mha", "gqa", "mla", "dsa", "--scope", "layer"),
    "model": ("model", "deepseek-v3.2", "--gpu", "h200-sxm", "--set", "L=8192"),
    "map": (
        "orders",
        "mla",
        "--phase",
        "verify",
        "--model",
        "glm-4.7-flash",
        "--set",
        "L=131072",
        "--map",
        "S",
    ),
    "document": ("article", "--document", "card"),
    "lesson": ("lesson", "heads"),
}
HOSTILE = "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 1 }}<< 1 >>"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>alert(3)</script><rect width="9" height="9" fill="#08c" id="top"/></svg>'
STRUCK = Math("I &= \\frac{4 H \\struck{L}}{b \\struck{L}}", "I = 4 H / b")


def hostile() -> Report:
    """Every kind of block, with words that would do harm where they were taken for markup."""
    words = (HOSTILE, Math("\\href{javascript:alert(4)}{x}</math><script>", HOSTILE), Term(HOSTILE))
    links = (
        Link(HOSTILE, "javascript:alert(5)"),
        Link("good", "other.md#place"),
        Link("evil", "//evil.example/x"),
    )
    inner = (Prose(words), Display((STRUCK,)), Code(HOSTILE), Table((HOSTILE,), ((words,),), "l", HOSTILE))
    blocks = (
        Heading(HOSTILE),
        Heading(HOSTILE),
        Prose((*words, *links)),
        Display((STRUCK, Math("&= \\nothing", HOSTILE)), boxed=True),
        Table(("a", HOSTILE), ((words, links),), "lr", HOSTILE),
        Items((words, links)),
        Items((words,), True, ((", since ", Math("L > 0", "L > 0"), "."),)),
        Code(f"{HOSTILE}\n\n\n  end", "python"),
        Figure("drawing.svg", HOSTILE, SVG),
        Figure("other.svg", HOSTILE),
        Box(HOSTILE, inner),
        Fold(HOSTILE, inner),
        Fold("Answer 2", (Prose(("the second",)),)),
    )
    return Report(HOSTILE, HOSTILE, blocks, (HOSTILE, "arXiv:2405.04434, https://example.org/a?b=1&c=2."))


class Reader(HTMLParser):
    """Reads a page strictly: what is opened is closed, in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.events: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), f"an attribute of {tag} stands twice"
        self.tags.add(tag)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found[name] or "" for name in ("href", "src") if name in found]
        self.events += [name for name in found if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"{tag} closes nothing"
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """The pages as files, those of commands and one of every kind of block."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, arguments in PAGES.items():
        made[name] = folder / f"{name}.html"
        made[name].write_text(shown(*arguments, "--html"), encoding="utf-8")
    made["hostile"] = folder / "hostile.html"
    made["hostile"].write_text(render(hostile(), "html"), encoding="utf-8")
    return made


# What does not fit, and what is drawn as nothing, by the words that stand in it.
DRAWN = """() => [...document.querySelectorAll('math')].filter(m => m.checkVisibility()).map(m => {
  const box = m.getBoundingClientRect();
  return box.width > 1 && box.height > 5 && m.textContent.trim() ? '' : 'not drawn: ' + m.outerHTML;
}).filter(Boolean)"""
SEEN = "[...document.querySelectorAll('math')].filter(m => m.checkVisibility()).length"
STRUCK_OUT = """() => [...document.querySelectorAll('.struck')].filter(m => m.checkVisibility()).map(m => {
  const style = getComputedStyle(m), box = m.getBoundingClientRect();
  return style.backgroundImage.startsWith('linear-gradient') && box.width > 3 && box.height > 5
    && style.color !== getComputedStyle(m.parentElement).color;
})"""
ANCHORS = """() => [...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href').slice(1))
  .filter(id => !document.getElementById(id))"""
TWICE = """() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place); }"""
PALE = """() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * x + .7152 * y + .0722 * z; };
  const behind = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
    return [255, 255, 255]; };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) found.push(e.tagName + ' ' + e.className + ': ' + e.textContent.slice(0, 40));
  }
  return found;
}"""


@needs_browser
@pytest.mark.parametrize("name", [*PAGES, "hostile"])
def test_a_page_fits_any_screen_and_draws_its_formulas(name, pages, chromium):
    for width in (360, 1280):
        with opened(chromium, pages[name], width=width) as view:
            assert view.overflow() == 0, width
            assert view.complaints == []
            assert view.requests == []
            assert view.evaluate(DRAWN) == []
            assert view.evaluate(SEEN) > 3 or name == "model"
            assert all(view.evaluate(STRUCK_OUT))
            assert view.evaluate(ANCHORS) == []
            assert view.evaluate(TWICE) == []
            assert view.evaluate(PALE) == []


@needs_browser
@pytest.mark.parametrize("name", ["proofs", "map", "lesson", "hostile"])
def test_in_the_dark_everything_stands_out(name, pages, chromium):
    with opened(chromium, pages[name], dark=True) as view:
        page = "getComputedStyle(document.body).backgroundColor"
        assert max(map(int, re.findall(r"\d+", view.evaluate(page)))) < 60
        assert view.evaluate(PALE) == []
        assert all(view.evaluate(STRUCK_OUT))


@needs_browser
def test_the_contents_fold_on_a_phone_and_stand_beside_on_a_wide_screen(pages, chromium):
    seen = "[...document.querySelectorAll('nav li a')].filter(a => a.checkVisibility({contentVisibilityAuto: true})).length"
    total = "document.querySelectorAll('nav li a').length"
    with opened(chromium, pages["proofs"], width=360) as view:
        assert view.evaluate(total) > 15
        assert view.evaluate(seen) == 0
        view.page.click("nav summary")
        assert view.evaluate(seen) == view.evaluate(total)
        view.page.click("nav a[href='#the-division']")
        assert -5 < view.page.locator("#the-division").bounding_box()["y"] < 60
    with opened(chromium, pages["proofs"], width=1280) as view:
        assert view.evaluate(seen) == view.evaluate(total)
        nav, main = (view.page.locator(tag).bounding_box() for tag in ("nav", "main"))
        assert nav["x"] + nav["width"] <= main["x"]
        view.evaluate("window.scrollTo(0, 3000)")
        assert 0 <= view.page.locator("nav").bounding_box()["y"] < 100


@needs_browser
def test_what_a_step_assumes_stands_beside_it_or_below_it(pages, chromium):
    boxes = """() => [...document.querySelectorAll('.beside')].map(e => {
      const [a, b] = [e.previousElementSibling.getBoundingClientRect(), e.getBoundingClientRect()];
      return [a.right, b.left, a.bottom, b.top];
    })"""
    with opened(chromium, pages["proofs"], width=1280) as view:
        assert view.evaluate("document.querySelector('.beside').textContent") == "since L>0."
        found = view.evaluate(boxes)
        assert len(found) > 3
        assert all(right <= left and top < bottom for right, left, bottom, top in found)
    with opened(chromium, pages["proofs"], width=360) as view:
        assert all(bottom <= top + 1 for _, _, bottom, top in view.evaluate(boxes))


@needs_browser
def test_lines_align_at_their_signs(pages, chromium):
    spread = """() => [...document.querySelectorAll('.display')].map(d => {
      const lefts = [...d.querySelectorAll('.right')].map(e => e.getBoundingClientRect().left);
      return Math.max(...lefts) - Math.min(...lefts);
    })"""
    with opened(chromium, pages["proofs"], width=1280) as view:
        found = view.evaluate(spread)
        assert len(found) > 5
        assert max(found) < 1


@needs_browser
def test_a_wide_table_scrolls_in_its_own_frame(pages, chromium):
    with opened(chromium, pages["all orders"], width=360) as view:
        wider = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert view.evaluate(wider) > 3


@needs_browser
def test_paper_has_the_answers_at_its_end_and_no_contents(pages, chromium):
    with opened(chromium, pages["hostile"], width=650, dark=True, paper=True) as view:
        shown_text = view.page.inner_text("main")
        assert shown_text.rstrip().endswith("the second")
        assert view.page.locator("section.answers h3").count() == 2
        hidden = ("nav", "details.fold", ".skip")
        assert [view.page.locator(what).first.is_visible() for what in hidden] == [False] * 3
        assert view.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert view.evaluate(PALE) == []
        assert all(view.evaluate(STRUCK_OUT))
    with opened(chromium, pages["hostile"]) as view:
        assert not view.page.locator("section.answers").is_visible()
        fold = view.page.locator("details.fold").last
        assert not fold.get_by_text("the second").is_visible()
        fold.locator("summary").click()
        assert fold.get_by_text("the second").is_visible()
    for name in ("all orders", "model", "document"):
        with opened(chromium, pages[name], width=650, paper=True) as view:
            assert view.overflow() == 0, name


@needs_browser
def test_hostile_words_are_words(pages, chromium):
    with opened(chromium, pages["hostile"]) as view:
        assert view.evaluate("document.scripts.length") == 0
        assert view.page.title() == f"{HOSTILE}: {HOSTILE}"
        assert view.page.inner_text("h1") == HOSTILE
        assert view.page.inner_text("main pre >> nth=0") == f"{HOSTILE}\n\n\n  end"
        drawings = "[...document.images].map(i => [i.src.slice(0, 19), i.naturalWidth, i.alt])"
        assert view.evaluate(drawings) == [["data:image/svg+xml,", 40, HOSTILE]]
        links = view.evaluate(
            "[...document.links].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#'))"
        )
        assert sorted(set(links)) == [
            "https://arxiv.org/abs/2405.04434", "https://example.org/a?b=1&c=2", "other.html#place", "other.svg",
        ]  # fmt: skip
    reader = Reader(render(hostile(), "html"))
    assert "script" not in reader.tags
    assert reader.events == []


@pytest.mark.skipif(not can_draw(), reason="the extra `plots` is not installed")
@needs_browser
def test_a_map_is_in_the_page(pages, chromium):
    with opened(chromium, pages["map"]) as view:
        assert view.page.locator("figure.drawing img").bounding_box()["height"] > 100


def test_pages_say_what_they_are():
    text = shown("gqa", "--html")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    for part in (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="description" content="',
        '<th scope="col">', '<th scope="row"', '<main id="main">', '<nav aria-label="Contents">',
    ):  # fmt: skip
        assert part in text
    reader = Reader(text)
    assert {"header", "h1", "footer", "math"} <= reader.tags
    assert not reader.tags & {"script", "link", "iframe", "form", "menclose", "mfenced", "mstyle"}
    assert len(reader.ids) == len(set(reader.ids))


def test_a_page_is_the_same_every_time():
    command = [sys.executable, "-m", "derivations", "mla", "--order", "expand", "--html"]
    first, second = (
        subprocess.run(
            command, capture_output=True, check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert len(first) > 10_000


def test_one_format_at_a_time():
    message = refused("mla", "--html", "--latex")
    assert message == "--latex and --html were both given; choose one output format"


PARTS = [
    (("see ", Link("the note", "note.md")), 'see <a href="note.html">the note</a>'),
    ((Link("all", "../README.md"),), '<a href="../index.html">all</a>'),
    ((Link("paper", "a/b+c.tex"),), '<a href="a/b+c.tex">paper</a>'),
    ((Link("bad", "javascript:alert(1)"),), "bad"),
    ((Link("bad", "https://evil.example"),), "bad"),
    ((Link("bad", 'a" onclick="x'),), "bad"),
    (("a (", Math("L", "L"), "), b"), 'a <span class="tie">(<math><mi>L</mi></math>),</span> b'),
    ((Math("L", "L"), " is"), "<math><mi>L</mi></math> is"),
    (("<b>", Term("A & B")), "&lt;b&gt;<dfn>A &amp; B</dfn>"),
    ((Math("8{,}192", "8,192"), " tokens"), "8,192 tokens"),
]


@pytest.mark.parametrize(("parts", "expected"), PARTS)
def test_words_formulas_and_links(parts, expected):
    from derivations.plaindata import plain

    (block,) = plain(Report("", "", (Prose(parts),)))["blocks"]
    assert html_parts(block["parts"]) == expected


def test_addresses_in_sources_are_links():
    assert html_words("see https://a.example/b.") == (
        'see <a href="https://a.example/b" rel="noreferrer">https://a.example/b</a>.'
    )
    assert html_words("arXiv:2405.04434v5 <x>").startswith("arXiv:2405.04434v5 &lt;x&gt;")
    assert html_words("javascript:alert(1) http://") == "javascript:alert(1) http://"


def test_pages_of_the_reports_lead_to_each_other():
    folder = ROOT / "reports"
    found = sorted(folder.rglob("*.html"))
    assert {path.with_suffix(".html") for path in folder.rglob("*.md") if path.name != "README.md"} <= set(
        found
    )
    assert folder / "index.html" in found
    for path in found:
        reader = Reader(path.read_text(encoding="utf-8"))
        assert len(reader.ids) == len(set(reader.ids)), path
        for link in reader.links:
            if link.startswith(("https:", "http:", "data:")):
                continue
            target, _, place = link.partition("#")
            assert target == "" or (path.parent / target).is_file(), (path, link)
            assert not place or target or place in reader.ids, (path, link)


@needs_browser
def test_the_browser_says_what_is_wrong_with_a_page(chromium, tmp_path):
    bad = '<!doctype html><title>x</title><img src="https://example.com/x.png"><p style="width:500px">x</p>'
    page = tmp_path / "page.html"
    page.write_text(f"{bad}<script>console.error('oh'); throw Error('no')</script>")
    with opened(chromium, page, width=360) as view:
        assert view.overflow() == 148  # 500 pixels and the margin of 8 before them
        assert sorted(view.complaints)[1:] == ["no", "oh"]
        assert view.requests == ["https://example.com/x.png"]
