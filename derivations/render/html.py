"""A report as one HTML page: nothing is loaded and nothing runs; formulas are MathML, the style is inside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from ..plaindata import plain
from ..report import Report
from ..resources import resource
from .environment import template_environment

__all__ = ["html_page"]

_DESCRIPTION = 160
"""Letters of the description that search engines and lists of files show."""


def html_page(report: Report, home: str = "", data: dict[str, Any] | None = None) -> str:
    """The page; `home` is where its set of reports is listed, if it belongs to one. Ends with a line break."""
    shown = plain(report)
    shown["blocks"] = list(_anchored(shown["blocks"]))
    answers = [block for block in shown["blocks"] if block["kind"] == "fold"]
    page = {
        "home": home,
        "description": _description(shown),
        "contents": _contents(shown["blocks"]),
        "answers": answers,
        "style": _style(),
    }
    shown["blocks"] = _together(shown["blocks"])
    return _template().render(report=shown, page=page, data=data or {}).strip("\n") + "\n"


@lru_cache(maxsize=1)
def _template() -> Template:
    path = resource("templates", "html", "report.html.j2")
    return template_environment(escaped=True).from_string(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _style() -> Markup:
    """The style sheet without its comments and indentation: every page carries it."""
    text = resource("templates", "html", "style.css").read_text(encoding="utf-8")
    lines = re.sub(r"/\*.*?\*/", "", text, flags=re.S).split("\n")
    return Markup("\n".join(line.strip() for line in lines if line.strip()))


def _anchored(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The blocks, each heading with an `id` of its own."""
    used = {"contents", "sources", "answers", "top"}
    for block in blocks:
        if block["kind"] != "heading":
            yield block
            continue
        base = _slug(block["text"])
        name, number = base, 2
        while name in used:
            name, number = f"{base}-{number}", number + 1
        used.add(name)
        yield {**block, "id": name}


def _together(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks, each question and the lines to answer it on as one that no page cuts."""
    found: list[dict[str, Any]] = []
    for block in blocks:
        found.append(block)
        starts = [index for index, one in enumerate(found) if one["kind"] == "heading"]
        if block["kind"] == "room" and starts:
            found[starts[-1] :] = [{"kind": "together", "blocks": found[starts[-1] :]}]
    return found


def _slug(text: str) -> str:
    """Words as the name of a place in a page."""
    letters = unicodedata.normalize("NFKD", text).lower()
    return re.sub(r"[^a-z0-9]+", "-", letters)[:60].strip("-") or "section"


def _contents(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The headings of a report: sections, each with what is below it."""
    found: list[dict[str, Any]] = []
    for block in blocks:
        if block["kind"] != "heading":
            continue
        entry = {"text": block["text"], "id": block["id"], "below": []}
        if block["level"] == 1 or not found:
            found.append(entry)
        elif block["level"] == 2:
            found[-1]["below"].append(entry)
    return found


def _description(report: dict[str, Any]) -> str:
    """The subtitle and the first paragraph, cut where a word ends."""
    first: list[dict[str, str]] = next(
        (block["parts"] for block in report["blocks"] if block["kind"] == "prose"), []
    )
    words = "".join(part.get("words", part.get("text", "")) for part in first)
    text = re.sub(r"\s+", " ", ". ".join(part for part in (report["subtitle"], words) if part))
    if len(text) <= _DESCRIPTION:
        return text
    return text[:_DESCRIPTION].rpartition(" ")[0] + " …"
