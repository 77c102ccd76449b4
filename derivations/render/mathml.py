"""LaTeX formulas as MathML for HTML pages: in running words, and on lines that align.

latex2mathml reads the LaTeX, `mathtree` tidies what it makes. No browser breaks a formula over lines, and a
phone is narrow; so a formula in words, or on the right of a sign where lines align, is cut into several
`<math>` at signs where a typesetter would break it, with a `<wbr>` between them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from itertools import accumulate

from .mathtree import Node, Unconvertible, markup, opens_or_closes, row, tidy

__all__ = ["aligned", "inline", "one"]

_SHORT = 14
"""Letters that stay together."""
_LAST = 4
"""Letters at the end that do not stand alone."""
_WIDE = 24
"""A piece of more letters scrolls on a narrow screen, for a fraction cannot break."""
_NUMBER = re.compile(r"\d+(\{,\}\d{3})*(\.\d+)?")
_RELATIONS = "=<>≤≥→←⟺≈"
_SIGNS = "+−"


@lru_cache(maxsize=1 << 14)
def inline(latex: str, text: str) -> str:
    """A formula among words, free to break after its signs; the plain text where it cannot be converted.

    A number alone is set as the words are.
    """
    if _NUMBER.fullmatch(latex):
        return latex.replace("{,}", ",")
    return _drawn(latex, text, after=True)


@lru_cache(maxsize=1 << 14)
def aligned(latex: str, text: str) -> tuple[str, str]:
    """What stands left and right of the `&` of a line; nothing on the left where there is none."""
    left, mark, right = latex.partition("&")
    if not mark:
        return "", _drawn(latex, text, after=False)
    try:
        nodes = list(_nodes(right.replace("&", "")))
        begin = _nodes(left)
    except Unconvertible:
        return "", _plain(text)
    if nodes and (begin or nodes[0].tag == "mspace"):
        nodes = _infix(nodes)
    return (_math(begin) if begin else ""), _joined(_pieces(nodes, after=False))


@lru_cache(maxsize=1 << 14)
def one(latex: str, text: str) -> str:
    """A formula as a single `<math>`; marks of alignment are left out."""
    try:
        return _math(_nodes(latex.replace("&", "")))
    except Unconvertible:
        return _plain(text)


def _drawn(latex: str, text: str, after: bool) -> str:
    try:
        return _joined(_pieces(list(_nodes(latex)), after))
    except Unconvertible:
        return _plain(text)


def _plain(text: str) -> str:
    return f"<math><mtext>{escape(text.strip(), quote=False)}</mtext></math>"


@lru_cache(maxsize=1 << 14)
def _nodes(latex: str) -> tuple[Node, ...]:
    """The row of a formula. Raises Unconvertible."""
    from latex2mathml.converter import convert_to_element

    # \phantom is a command that wraps what follows and occurs nowhere else: it stands for \struck.
    known = latex.replace("\\struck{", "\\phantom{").replace("\\allowbreak", " ").strip()
    known = re.sub(r"\\mathrm\{(\w)\}", r"\\mathrm{{\1}}", known)  # else a single letter stays slanted
    if not known:
        return ()
    try:
        return tidy(convert_to_element(known)[0])
    except Unconvertible:
        raise
    except Exception as error:  # the library raises anything from KeyError to its own; no formula ends a page
        raise Unconvertible(str(error)) from None


def _math(nodes: tuple[Node, ...] | list[Node]) -> str:
    return f"<math>{''.join(map(markup, nodes))}</math>"


def _joined(pieces: list[list[Node]]) -> str:
    drawn = []
    for piece in pieces:
        math = _math(piece)
        drawn.append(f'<span class="wide">{math}</span>' if _length(row(piece)) > _WIDE else math)
    return "<wbr/>".join(drawn)


def _pieces(nodes: list[Node], after: bool) -> list[list[Node]]:
    """A row cut where it may break: after a sign among words, before it on lines that align."""
    left = _length(row(nodes))
    if left <= _SHORT:
        return [nodes]
    pieces: list[list[Node]] = [[]]
    depths = list(accumulate(map(opens_or_closes, nodes)))
    listed = any(node.text == "," and not depth for node, depth in zip(nodes, depths, strict=True))
    for place, (node, depth) in enumerate(zip(nodes, depths, strict=True)):
        left -= _length(node)
        least = _least(node, depth, listed) if 0 < place < len(nodes) - 1 else None
        cut = least is not None and left >= _LAST and sum(map(_length, pieces[-1])) >= least
        if cut and not after:
            pieces.append([])
        pieces[-1].append(node)
        if cut and after:
            pieces.append([])
    return [pieces[0], *map(_infix, pieces[1:])]


def _least(node: Node, depth: int, listed: bool) -> int | None:
    """How many letters must stand before a sign for a line to break at it; None where it never does."""
    if node.tag != "mo" or dict(node.attributes).get("form") == "prefix":
        return None
    if listed:  # several formulas, parted by commas
        return 1 if node.text == "," and depth <= 0 else None
    if node.text in _SIGNS:  # inside parentheses too
        return _SHORT
    return 1 if node.text in _RELATIONS and depth <= 0 else None


def _infix(nodes: list[Node]) -> list[Node]:
    """A sign that begins a piece is still one between two terms, and is spaced so."""
    for place, node in enumerate(nodes):
        if node.tag != "mspace":
            if node.tag == "mo" and node.text in _SIGNS and not node.attributes:
                return [*nodes[:place], node.has(form="infix"), *nodes[place + 1 :]]
            break
    return nodes


def _length(node: Node) -> int:
    """About how many letters wide it is."""
    if node.tag == "mfrac":
        return max(map(_length, node.children))
    return len(node.text) + (node.tag == "mo") + sum(map(_length, node.children))
