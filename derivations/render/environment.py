"""The template environment: delimiters that LaTeX does not use, a sandbox, and the filters.

Templates use `<< value >>`, `<% statement %>` and `<# comment #>`: LaTeX has none of them, while
`{{ }}`, `{% %}` and `{# #}` occur in it.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..resources import resource
from .htmlparts import html_beside, html_image, html_lines, html_math, html_parts, html_words

__all__ = ["escape_latex", "escape_markdown", "plain_text", "template_environment"]

WIDTH = 100
"""Columns of plain text."""

# Signs are set from the math fonts: the text companion fonts exist only as bitmaps without cm-super.
_TEX = {
    "\\": r"$\backslash$", "{": r"$\{$", "}": r"$\}$", "$": r"$\$$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\^{}", "~": r"$\sim$", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "`": "'",
    "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$", "→": r"$\to$", "·": r"$\cdot$",
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}",
    "/": r"/\allowbreak{}", "µ": r"$\mu$",
} | {raised: f"$^{digit}$" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}  # fmt: skip
_MD = re.compile(r"([\\`*_\[\]<>|$#~])")


def escape_latex(text: str) -> str:
    """Words as LaTeX shows them literally; what pdflatex has no glyph for becomes a question mark."""
    shown = []
    for letter in str(text):
        if letter in _TEX:
            shown.append(_TEX[letter])
        elif letter == "\n" or letter == "\t":
            shown.append(" ")
        elif letter < " " or ord(letter) > 0x17F:
            shown.append("?")
        else:
            shown.append(letter)
    return "".join(shown)


def escape_markdown(text: str) -> str:
    """Words as Markdown shows them literally, on one line; spaces at the ends stand beside formulas."""
    return _MD.sub(r"\\\1", re.sub(r"\s+", " ", str(text)))


def _markdown_math(latex: str) -> str:
    """GitHub has no strike-out it can be trusted with; what cancels is grey there."""
    return latex.replace("\\struck{", "{\\color{gray}")


def _flat(parts: list[dict[str, str]]) -> str:
    return "".join(part["words"] if "words" in part else part["text"] for part in parts)


def _wrapped(text: str, first: str = "", rest: str = "") -> str:
    lines = textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return "\n".join(lines)


def _code_tex(text: str) -> str:
    """Lines as LaTeX shows them literally, with the spaces they start with."""
    lines = []
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        shown = '"'.join(escape_latex(part) for part in bare.split('"'))  # straight in a font of one width
        guard = "{}" if bare.startswith(("[", "*")) else ""  # which the end of a line would take for its own
        lines.append("~" * (len(line) - len(bare)) + guard + (shown or "~"))
    return "\\\\\n".join(lines)


def _fence(text: str) -> str:
    """A fence that no line of a text can end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _quoted(text: str, mark: str = ">") -> str:
    """Lines, each with a mark before it."""
    return "\n".join(f"{mark} {line}".rstrip() for line in text.strip("\n").split("\n"))


def _columns_tex(align: str) -> str:
    share = 0.84 / max(1, align.count("p") + 0.6 * (len(align) - align.count("p")))
    wide = f">{{\\raggedright\\arraybackslash}}p{{{share:.2f}\\linewidth}}"
    return "".join(wide if letter == "p" else letter for letter in align)


def _text_table(table: dict[str, Any]) -> str:
    """Columns padded to their widest cell; a column of words wraps into what the others leave."""
    rows = [[_flat(entry) for entry in row] for row in table["rows"]]
    headers, align = table["headers"], table["align"]
    widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]
    wrapping = [i for i, letter in enumerate(align) if letter == "p"]
    spare = WIDTH - sum(w for i, w in enumerate(widths) if i not in wrapping) - 2 * (len(widths) - 1)
    for index in wrapping:
        widths[index] = min(widths[index], max(24, spare // len(wrapping)))
    lines = _text_row(headers, widths, align)
    lines.append("  ".join("-" * width for width in widths))
    for row in rows:
        lines += _text_row(row, widths, align)
    return "\n".join(lines)


def _text_row(row: list[str], widths: list[int], align: str) -> list[str]:
    wrapped = [
        textwrap.wrap(text, width, break_long_words=False) or [""]
        for text, width in zip(row, widths, strict=True)
    ]
    lines = []
    for number in range(max(map(len, wrapped))):
        cells = [lines_of[number] if number < len(lines_of) else "" for lines_of in wrapped]
        padded = [
            text.rjust(width) if letter == "r" else text.ljust(width)
            for text, width, letter in zip(cells, widths, align, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def template_environment(escaped: bool = False) -> ImmutableSandboxedEnvironment:
    """A sandboxed environment in which an unknown variable is an error; `escaped` words are safe in HTML."""
    environment = ImmutableSandboxedEnvironment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=escaped,
    )
    environment.filters.update(
        tex=escape_latex,
        md=escape_markdown,
        md_math=_markdown_math,
        flat=_flat,
        wrapped=_wrapped,
        code_tex=_code_tex,
        columns_tex=_columns_tex,
        fence=_fence,
        html_beside=html_beside,
        html_image=html_image,
        html_lines=html_lines,
        html_math=html_math,
        html_parts=html_parts,
        html_words=html_words,
        quoted=_quoted,
        text_table=_text_table,
    )
    return environment


def plain_text(template: str, **values: str) -> str:
    """A bundled template of plain text, filled."""
    text = resource("templates", *template.split("/")).read_text(encoding="utf-8")
    return template_environment().from_string(text).render(**values)
