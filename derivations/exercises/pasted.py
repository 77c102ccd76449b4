"""The text of an answer on one line, in plain signs: what is pasted from LaTeX or a web page is spelled out."""

from __future__ import annotations

import re
import unicodedata

from ..errors import InputError

__all__ = ["Unreadable", "plain"]

_SIGNS = {
    "\u00d7": "*", "\u00b7": "*", "\u22c5": "*", "\u2217": "*", "\u2219": "*", "\u00f7": "/", "\u2215": "/",
    "\u2212": "-", "\u2013": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "**": "^",
    "\\min": "min", "\\cdot": "*", "\\times": "*", "\\,": " ", "[": "(", "]": ")", "{,}": ",",
}  # fmt: skip
_SUPER = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_RAISED = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_BRACES = re.compile(r"([_^])\{(?:\\(?:mathrm|text)\{([A-Za-z0-9]{1,12})\}|([A-Za-z0-9]{1,12}))\}")
_HEAD = re.compile(r"\s*(?:[A-Za-z_]{1,8}\*?\s*)?[=\u2248~]\s*")
_TIMES = re.compile(r"(?<=\d)\s*[xX]\s*(?=\d)")
_WORDS = re.compile(r"\\(?:text|mathrm|mathit|operatorname)\{([A-Za-z0-9/ ]{1,12})\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMANDS = re.compile(r"\\(?:left|right|big|Big|displaystyle)(?![A-Za-z])|\\[ ;:!]")
_SYMPY = re.compile(r"\b(?:Min|ceiling)(?=\s*\()")
"""As sympy writes what the grammar calls min and ceil."""
_DEEPEST = 12
"""Fractions in each other."""


class Unreadable(InputError):
    """What was typed is no answer; the text says why, for the person who typed it."""


def plain(text: str) -> str:
    """The text on one line, in signs that the grammar knows. Raises Unreadable for what no answer contains."""
    for sign, other in _SIGNS.items():
        text = text.replace(sign, other)
    text = _RAISED.sub(lambda hit: f"^{hit[0].translate(_SUPER)}", text)
    text = _SYMPY.sub(lambda hit: {"Min": "min", "ceiling": "ceil"}[hit[0]], text)
    text = _BRACES.sub(lambda hit: f"{hit[1]}{hit[2] or hit[3]}", text)
    text = _from_latex(_TIMES.sub("*", text))
    text = " ".join(text.split())
    odd = next((c for c in text if unicodedata.category(c)[0] in "CS" and c not in "+=~^<>|`$\u2248"), None)
    if odd is not None and "\udc80" <= odd <= "\udcff":
        raise Unreadable("that has bytes that are no text in UTF-8; write a number or a formula, and a unit")
    if odd is not None:
        raise Unreadable(f"cannot read the character U+{ord(odd):04X}; write a number or a formula, and a unit")
    head = _HEAD.match(text)
    return text[head.end() :] if head else text


def _from_latex(text: str) -> str:
    """Fractions, words and spaces of LaTeX spelled out. Raises Unreadable for its other commands."""
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == "$":
        text = stripped.strip("$")
    if "\\" not in text:
        return text
    text = _WORDS.sub(r"\1", _COMMANDS.sub(" ", text))
    for _ in range(_DEEPEST):
        text, count = _FRACTION.subn(r"((\1)/(\2))", text)
        if not count:
            break
    left = re.search(r"\\[A-Za-z]*", text)
    if left is not None:
        raise Unreadable(
            f"of LaTeX only fractions, subscripts and products are read, not {left[0][:16]}; write 4*H*L / b"
        )
    return text
