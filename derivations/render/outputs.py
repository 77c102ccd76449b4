"""Blocks as a piece of HTML below a cell: formulas between dollar signs, which Jupyter has MathJax set."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from ..report import Block, Cell, Display, Heading, Items, Link, Math, Prose, Table, Term
from .notebook import mathjax

__all__ = ["output_html", "output_latex"]

_ALIGN = {"r": "right", "l": "left", "p": "left"}


def output_latex(lines: Iterable[Math]) -> str:
    """Formulas on lines of their own; one without a mark to align at stands alone."""
    shown = [mathjax(line.latex) for line in lines]
    if len(shown) == 1 and "&" not in shown[0]:
        return f"$\\displaystyle {shown[0]}$"
    return "$$\\begin{aligned} " + " \\\\ ".join(shown) + " \\end{aligned}$$"


def output_html(blocks: Iterable[Block]) -> str:
    """The blocks one after the other. Raises TypeError for kinds that no output has."""
    return "\n".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<p><strong>{_words(text)}</strong></p>"
        case Prose(parts):
            return f"<p>{_cell(parts)}</p>"
        case Display(lines):
            return f"<div>{escape(output_latex(lines), quote=False)}</div>"
        case Items():
            kind = "ol" if block.ordered else "ul"
            return f"<{kind}>{''.join(f'<li>{_cell(entry)}</li>' for entry in block.whole())}</{kind}>"
        case Table():
            return _table(block)
    raise TypeError(f"no output of a cell has a {type(block).__name__}")


def _table(table: Table) -> str:
    styles = [f' style="text-align: {_ALIGN[letter]}"' for letter in table.align]
    head = "".join(f"<th{style}>{_words(text)}</th>" for style, text in zip(styles, table.headers, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td{s}>{_cell(entry)}</td>' for s, entry in zip(styles, row, strict=True))}</tr>\n"
        for row in table.rows
    )
    caption = f"<p>{_words(table.caption)}</p>" if table.caption else ""
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>{caption}"


def _cell(parts: Cell) -> str:
    shown = []
    for part in parts:
        if isinstance(part, Math):
            shown.append(f"${escape(mathjax(part.latex), quote=False)}$")
        elif isinstance(part, Link | Term):
            shown.append(_words(part.words))
        else:
            shown.append(_words(part))
    return "".join(shown)


def _words(text: str) -> str:
    """Words as they are: MathJax would take what stands between dollar signs for a formula."""
    return re.sub(r"[$\\]", lambda hit: f"<span>&#{ord(hit[0])};</span>", escape(text))
