"""Any report as a Jupyter notebook: its Python in code cells, everything else in Markdown cells.

Markdown in Jupyter is not that of GitHub: formulas stand in `$..$` and are typeset by MathJax, by KaTeX in some
editors, so only commands that all of them have may occur. What cancels is grey: `\\cancel` is missing from
several viewers, and `\\require{cancel}` is an error in others.

The same report gives the same bytes: a cell's id comes from its text, nothing is run, no time is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from jinja2 import Template

from ..plaindata import plain
from ..report import Block, Code, Heading, Items, Report, cell, prose
from ..resources import resource
from .environment import template_environment

__all__ = ["mathjax", "notebook", "notebook_markdown"]

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_MARKED = re.compile(r"[\\`*_\[\]<>|$#~&]")
_ENTITIES = frozenset("\\`<>|$&")
"""Signs that a viewer's search for formulas or code would find even behind a backslash."""
_LISTED = re.compile(r"([-+=]|\d+[.)])(?=\s|$)")
"""What would start a list at the start of a line."""
_URL = re.compile(r"(https?://[\w./~%?=&:+@#-]+[\w/])", re.ASCII)
_TEXT = re.compile(r"\\text\{([^{}]*)\}")


def notebook(report: Report) -> str:
    """The report as a notebook (nbformat 4.5), cells without outputs; ends with one line break."""
    cells: list[dict[str, Any]] = []
    used: set[str] = set()
    for kind, text in _cells(report):
        known = sha256(f"{kind}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
        name = next(n for n in (known, *(f"{known}-{i}" for i in range(2, len(cells) + 3))) if n not in used)
        used.add(name)
        shown = {"cell_type": kind, "id": name, "metadata": {}, "source": _lines(text)}
        cells.append(shown | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    whole = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=True) + "\n"


def notebook_markdown(report: Report) -> str:
    """The report as Jupyter shows it in a single Markdown cell."""
    return _Markdown().of(_with_frame(report))


def _cells(report: Report) -> Iterator[tuple[str, str]]:
    """Kind and text of each cell: a new one at every heading that something stands before, and for Python."""
    markdown = _Markdown()
    pending: list[Block] = []
    for block in (*_with_frame(report), None):
        runs = isinstance(block, Code) and block.language == "python"
        starts = isinstance(block, Heading) and not all(isinstance(b, Heading) for b in pending)
        if pending and (block is None or runs or starts):
            yield "markdown", markdown.of(pending)
            pending = []
        if isinstance(block, Code) and runs:
            yield "code", block.text
        elif block is not None:
            pending.append(block)


def _with_frame(report: Report) -> list[Block]:
    """The blocks with title and sources."""
    blocks: list[Block] = [Heading(report.title, 0)]
    if report.subtitle:
        blocks.append(prose(report.subtitle))
    blocks += report.blocks
    if report.sources:
        blocks += [Heading("Sources"), Items(tuple(cell(source) for source in report.sources))]
    return blocks


def _lines(text: str) -> list[str]:
    """A text as notebooks store it: lines with their breaks."""
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


class _Markdown:
    """Sets blocks for a Markdown cell."""

    def __init__(self) -> None:
        environment = template_environment()
        environment.filters.update(mathjax=mathjax, words=_words, target=_target, alone=_alone)
        path = resource("templates", "notebook", "cell.md.j2")
        self.template: Template = environment.from_string(path.read_text(encoding="utf-8"))

    def of(self, blocks: list[Block]) -> str:
        """The text of a cell."""
        return self.template.render(blocks=plain(Report("", "", tuple(blocks)))["blocks"]).strip("\n")


def _words(text: str) -> str:
    """Words as Jupyter shows them literally, on one line; addresses become links."""
    parts = enumerate(_URL.split(re.sub(r"\s+", " ", str(text))))
    shown = "".join(f"<{part}>" if odd % 2 else _MARKED.sub(_escaped, part) for odd, part in parts)
    listed = _LISTED.match(shown)
    return shown if listed is None else f"{shown[: listed.end() - 1]}\\{shown[listed.end() - 1 :]}"


def _escaped(hit: re.Match[str]) -> str:
    sign = hit[0]
    if sign in "$\\":  # alone in an element: formulas do not reach over its edge
        return f"<span>&#{ord(sign)};</span>"
    return f"&#{ord(sign)};" if sign in _ENTITIES else f"\\{sign}"


def _target(path: str) -> str:
    """A path as the target of a link."""
    return quote(path, safe="/:#?=&%~+@.,_-")


def _alone(parts: list[dict[str, str]]) -> list[dict[str, str]]:
    """What stands beside an entry without the signs that join it to the entry; nothing if that is all."""
    if not parts or "words" not in parts[0]:
        return parts
    first = parts[0]["words"].lstrip(",;. ")
    rest = parts[1:]
    return [{**parts[0], "words": first}, *rest] if first or rest else []


def mathjax(latex: str) -> str:
    """LaTeX that MathJax and KaTeX set, on one line and without signs that Markdown or HTML would take."""
    latex = _greyed(re.sub(r"\s+", " ", latex).strip())
    latex = latex.replace("\\allowbreak", "")
    latex = re.sub(r"\| ?", r"\\vert ", re.sub(r"\\\| ?", r"\\Vert ", latex))
    latex = re.sub(r" ?< ?", r" \\lt ", re.sub(r" ?> ?", r" \\gt ", latex))
    return _TEXT.sub(lambda hit: "\\text{" + hit[1].replace("\\_", "}\\_\\text{") + "}", latex)


def _greyed(latex: str) -> str:
    """What `\\struck{..}` marks, in grey; the inner braces are for MathJax 2, the outer ones for all later."""
    head, mark, rest = latex.partition("\\struck{")
    if not mark:
        return latex
    depth, end = 1, 0
    while depth and end < len(rest):
        if rest[end] == "\\":
            end += 1
        depth += {"{": 1, "}": -1}.get(rest[end : end + 1], 0)
        end += 1
    return f"{head}{{\\color{{gray}}{{{rest[: end - 1]}}}}}{_greyed(rest[end:])}"
