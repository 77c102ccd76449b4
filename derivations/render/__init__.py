"""Reports to text, Markdown, LaTeX and HTML through templates, and results to JSON."""

from __future__ import annotations

from typing import Any

from ..arranging import answers_last
from ..plaindata import plain
from ..report import Report
from ..resources import resource
from .environment import template_environment

__all__ = ["FORMATS", "render"]

FORMATS = {
    "text": ("text", "report.txt.j2"),
    "markdown": ("markdown", "report.md.j2"),
    "latex": ("latex", "report.tex.j2"),
}
"""Format -> folder and file under templates/."""
_FLAT = ("text", "latex")
"""Formats in which nothing folds away."""


def render(report: Report, form: str, data: dict[str, Any] | None = None) -> str:
    """The report in one of `FORMATS`, or as a `notebook` or `html`; ends with one line break."""
    if form == "html":
        from .html import html_page

        return html_page(report, data=data)
    if form == "notebook":
        from .notebook import notebook

        return notebook(report)
    if form in _FLAT:
        report = answers_last(report)
    path = resource("templates", *FORMATS[form])
    template = template_environment().from_string(path.read_text(encoding="utf-8"))
    return template.render(report=plain(report), data=data or {}).strip("\n") + "\n"
