"""MathML as a small tree, tidied: what latex2mathml makes becomes the few elements that every browser draws.

MathML Core is what Chromium, Firefox and Safari share (w3.org/TR/mathml-core); it has no `menclose`, and
most attributes of older MathML do nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape, unescape
from itertools import groupby
from xml.etree.ElementTree import Element

__all__ = ["Node", "Unconvertible", "markup", "opens_or_closes", "row", "tidy"]

OPENING, CLOSING = "([⌈⌊", ")]⌉⌋|"
"""Fences; they keep their size, as in LaTeX, unless a size is asked for."""
_SCRIPTS = {
    "mfrac": 2,
    "msqrt": 1,
    "msub": 2,
    "msup": 2,
    "msubsup": 3,
    "munder": 2,
    "mover": 2,
    "munderover": 3,
}
"""Elements that hold formulas, and how many."""
_NBSP = "\u00a0"
_WIDTHS = {"0.167em": ".17em", "0.222em": ".22em", "0.278em": ".28em"}
"""Spaces as short as CSS takes them: there are thousands."""
_FUNCTIONS = ("min", "max", "exp", "log")


class Unconvertible(Exception):
    """A formula with something that MathML Core has no element for, or that nobody knows."""


@dataclass(frozen=True, slots=True)
class Node:
    """An element."""

    tag: str
    """`mi`, `mrow`, ..; `fn`, a function's name, until it stands in a row."""
    text: str = ""
    """What a token shows."""
    children: tuple[Node, ...] = ()
    """What is in it."""
    attributes: tuple[tuple[str, str], ...] = ()
    """Only those that browsers act on."""

    def has(self, **attributes: str) -> Node:
        """The element with more attributes."""
        return replace(self, attributes=(*self.attributes, *attributes.items()))


_THIN = Node("mspace", attributes=(("width", ".17em"),))


def tidy(element: Element) -> tuple[Node, ...]:
    """The nodes of a formula's row. Raises Unconvertible for what is not in MathML Core."""
    return tuple(_row(_numbers(element)))


def row(nodes: Iterable[Node]) -> Node:
    """Several nodes as one."""
    held = tuple(nodes)
    return held[0] if len(held) == 1 else Node("mrow", "", held)


def markup(node: Node) -> str:
    """The element as HTML, which is well-formed XML too."""
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes)
    inner = escape(node.text, quote=False) + "".join(map(markup, node.children))
    return f"<{node.tag}{attributes}>{inner}</{node.tag}>" if inner else f"<{node.tag}{attributes}/>"


def opens_or_closes(node: Node) -> int:
    """1 for an opening fence, -1 for a closing one, else 0."""
    if node.tag != "mo":
        return 0
    return (node.text in OPENING) - (node.text in CLOSING)


def _numbers(element: Element) -> list[Element | Node]:
    """The children, digits that `{,}` groups put together as one number, letters of a word as one name."""
    children: list[Element | Node] = []
    for child in element:
        if child.tag == "mn" and len(children) > 1 and _is_comma(children[-1]):
            before = children[-2]
            if isinstance(before, Node) and before.tag == "mn" and re.match(r"\d{3}(?!\d)", child.text or ""):
                children[-2:] = [replace(before, text=f"{before.text},{child.text}")]
                continue
        children.append(Node("mn", child.text or "") if child.tag == "mn" else child)
    return [part for upright, run in groupby(children, _upright) for part in (_word(run) if upright else run)]


def _is_comma(part: Element | Node) -> bool:
    return isinstance(part, Element) and part.tag == "mrow" and [_shown(p) for p in part] == [","]


def _upright(part: Element | Node) -> bool:
    return isinstance(part, Element) and part.tag == "mi" and part.get("mathvariant") == "normal"


def _word(letters: Iterable[Element | Node]) -> list[Element | Node]:
    """A name of several letters is upright by itself."""
    text = "".join(_shown(letter) for letter in letters if isinstance(letter, Element))
    return [Node("mi", text, attributes=() if len(text) > 1 else (("mathvariant", "normal"),))]


def _shown(element: Element) -> str:
    return unescape(element.text or "")


def _row(parts: Iterable[Element | Node]) -> list[Node]:
    """What stands in a row: in it only rows with a class; functions spaced, signs told from operators."""
    nodes: list[Node] = []
    for part in parts:
        for node in [part] if isinstance(part, Node) else _read(part):
            nodes += _placed(node, nodes)
    return nodes


def _placed(node: Node, before: list[Node]) -> list[Node]:
    """The node as it stands after others."""
    last = before[-1] if before else None
    if last is not None and _is_named(last) and node.tag != "mo":
        return [_THIN, node]
    name = _named(node)
    if name is not node:
        spaced = last is not None and (last.tag not in ("mo", "mspace") or last.text in CLOSING)
        return [_THIN, name] if spaced else [name]
    if node.tag == "mo" and node.text in "+−":
        solid = next((one for one in reversed(before) if one.tag != "mspace"), None)
        if solid is not None and solid.tag == "mo" and solid.text not in CLOSING:
            return [node.has(form="prefix")]
    return [node]


def _named(node: Node) -> Node:
    """A function's name as a name, with what stands below or above it; another node as it is."""
    if node.tag == "fn":
        return replace(node, tag="mi")
    if node.children and node.children[0].tag == "fn":
        return replace(node, children=(_named(node.children[0]), *node.children[1:]))
    return node


def _is_named(node: Node) -> bool:
    """Whether a function's name stands there, which keeps a distance from what is not in parentheses."""
    base = node.children[0] if node.tag in ("msub", "msup") else node
    return base.tag == "mi" and base.text in _FUNCTIONS


def _read(element: Element) -> list[Node]:
    """An element as nodes of the row it stands in."""
    tag, inner = element.tag, _numbers(element)
    if tag == "mrow":
        return _row(inner)
    if tag == "mstyle":
        return _styled(_row(inner), element.get("displaystyle"))
    if tag in ("mphantom", "menclose"):  # stands for what cancels; a box
        kind = "struck" if tag == "mphantom" else "boxed"
        return [Node("mrow", "", tuple(_row(inner)), (("class", kind),))]
    if tag in _SCRIPTS:
        return [_scripted(tag, inner)]
    if tag == "mspace":
        width = element.get("width", "0")
        return [Node("mspace", attributes=(("width", _WIDTHS.get(width, width)),))]
    if len(element) or tag not in ("mi", "mn", "mo", "mtext"):
        raise Unconvertible(tag)
    return [_token(tag, _shown(element), element)]


def _scripted(tag: str, inner: list[Element | Node]) -> Node:
    if tag == "msqrt":
        return Node(tag, "", tuple(_row(inner)))
    parts = [row(_row([part])) for part in inner]
    if len(parts) != _SCRIPTS[tag]:
        raise Unconvertible(tag)
    base = [inner[0]] if isinstance(inner[0], Node) else _read(inner[0])
    if base == [Node("fn", "lim")]:
        limit = Node("mo", "lim", attributes=(("lspace", "0"), ("rspace", ".17em"), ("movablelimits", "true")))
        return Node("munder", "", (limit, *parts[1:]))
    if len(base) == 1 and base[0].tag == "fn":
        parts[0] = base[0]
    return Node(tag, "", tuple(parts))


def _styled(nodes: list[Node], displaystyle: str | None) -> list[Node]:
    """A style is an attribute of what it changes: fractions, and sums with their limits."""
    if displaystyle is None:
        return nodes
    return [n if n.tag in ("mi", "mn", "mtext", "mspace") else _sized(n, displaystyle) for n in nodes]


def _sized(node: Node, displaystyle: str) -> Node:
    if node.tag == "mo" and node.text not in "∑∏∫":
        return node
    return node.has(displaystyle=displaystyle) if "displaystyle" not in dict(node.attributes) else node


def _token(tag: str, text: str, element: Element) -> Node:
    if "\\" in text or not text:
        raise Unconvertible(text)
    if tag == "mtext":
        return Node("mspace", attributes=(("width", ".25em"),)) if text == _NBSP else Node("mtext", text)
    if text in "⌈⌉⌊⌋":
        return _fence(text, element)
    if tag == "mo" and text in (*OPENING, *CLOSING):
        return _fence(text, element)
    if tag == "mo" and len(text) > 1 and text.isalpha():
        return Node("fn", text)
    if tag == "mo" and text == "/":
        return Node("mo", text, attributes=(("lspace", "0"), ("rspace", "0")))
    if text == "∞":
        return Node("mi", text)
    if text in "′%":
        return Node("mo" if text == "′" else "mtext", text)
    return Node(tag, "∗" if text == "*" else text)


def _fence(text: str, element: Element) -> Node:
    size = element.get("minsize")
    if size is None:
        return Node("mo", text, attributes=(("stretchy", "false"),))
    return Node("mo", text, attributes=(("minsize", size), ("maxsize", size)))
