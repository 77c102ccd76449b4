"""What stands inside the blocks of an HTML page: words with formulas and links, lines that align, drawings.

Everything here escapes what it is given and returns markup that a template prints as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from . import mathml

__all__ = ["html_beside", "html_image", "html_lines", "html_math", "html_parts", "html_words"]

_TIGHT_AFTER = re.compile(r"[,.;:!?)\]%’”]+")
_TIGHT_BEFORE = re.compile(r"[(\[“‘]+$")
_ADDRESS = re.compile(r"https?://[\w./~%?=&#+:@-]*[\w/]|arXiv[: ](?P<number>\d{4}\.\d{4,5})\b")
_TARGET = re.compile(r"[\w./+-]+(#[\w.-]*)?")
_NARROW = 8
"""Letters left of a sign that leave room for the right side on a phone."""
_PLAIN_SVG = " !$'()*+,-./:;=?@_~"
"""What a data: address may hold as it is, inside double quotes."""


def html_math(math: Mapping[str, str]) -> Markup:
    """A formula as one `<math>`; its plain text where MathML has no way to say it."""
    return Markup(mathml.one(math["latex"], math["text"]))


def html_words(text: str) -> Markup:
    """Words, with addresses of web pages and numbers of arXiv as links."""
    shown, at = Markup(), 0
    for hit in _ADDRESS.finditer(text):
        number = hit["number"]
        address = f"https://arxiv.org/abs/{number}" if number else hit.group()
        shown += escape(text[at : hit.start()])
        shown += Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, hit.group())
        at = hit.end()
    return shown + escape(text[at:])


def html_parts(parts: Iterable[Mapping[str, str]]) -> Markup:
    """Words, formulas and links; a comma never starts a line, nor does a parenthesis end one at a formula."""
    pending = [dict(part) for part in parts]
    shown = Markup()
    for place, part in enumerate(pending):
        if "latex" not in part:
            shown += _worded(part)
            continue
        before = after = ""
        if place and _is_plain(pending[place - 1]):
            before, shown = _split_end(shown)
        following = pending[place + 1] if place + 1 < len(pending) else {}
        if _is_plain(following):
            hit = _TIGHT_AFTER.match(following["words"])
            after = hit.group() if hit else ""
            following["words"] = following["words"][len(after) :]
        shown += _tied(before, mathml.inline(part["latex"], part["text"]), after)
    return shown


def _is_plain(part: Mapping[str, str]) -> bool:
    """Whether it is words and nothing more."""
    return set(part) == {"words"}


def _worded(part: Mapping[str, str]) -> Markup:
    if "target" in part:
        return _link(part)
    if part.get("kind") == "term":
        return Markup("<dfn>{}</dfn>").format(part["words"])
    return escape(part["words"])


def _split_end(shown: Markup) -> tuple[str, Markup]:
    """An opening parenthesis at the end, and what stands before it."""
    hit = _TIGHT_BEFORE.search(shown)
    return (hit.group(), Markup(shown[: hit.start()])) if hit else ("", shown)


def _tied(before: str, math: str, after: str) -> Markup:
    """A formula and the marks that must not be parted from its ends."""
    if not before and not after:
        return Markup(math)
    pieces = math.split("<wbr/>")
    start, end = '<span class="tie">', "</span>"
    pieces[0] = f"{start if before else ''}{escape(before)}{pieces[0]}"
    pieces[-1] = f"{pieces[-1]}{escape(after)}"
    if len(pieces) == 1:
        return Markup(f"{pieces[0] if before else start + pieces[0]}{end}")
    pieces[0] += end if before else ""
    pieces[-1] = f"{start}{pieces[-1]}{end}" if after else pieces[-1]
    return Markup("<wbr/>".join(pieces))


def _link(part: Mapping[str, str]) -> Markup:
    """A link to another report, in HTML as this one; a target that is no plain path is left out."""
    target = part["target"]
    if not _TARGET.fullmatch(target) or target.startswith("//"):
        return escape(part["words"])
    path, mark, place = target.partition("#")
    if path == "README.md" or path.endswith("/README.md"):
        path = f"{path.removesuffix('README.md')}index.html"
    elif path.endswith(".md"):
        path = f"{path.removesuffix('.md')}.html"
    return Markup('<a href="{}">{}</a>').format(path + mark + place, part["words"])


def html_lines(lines: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """The lines of a display, cut at `&`: `left`, perhaps empty, `right`, and whether left is `narrow`."""
    cut = [mathml.aligned(line["latex"], line["text"]) for line in lines]
    return [
        {"left": Markup(left), "right": Markup(right), "narrow": len(Markup(left).striptags()) <= _NARROW}
        for left, right in cut
    ]


def html_beside(pair: Mapping[str, Any]) -> dict[str, Markup]:
    """An entry and what stands beside it, each a sentence of its own: `entry`, and `beside`, perhaps empty."""
    entry, beside = list(pair["entry"]), [dict(part) for part in pair["beside"]]
    if beside and _is_plain(beside[0]):
        words = beside[0]["words"].lstrip(" ,;")
        if not words.strip("."):  # nothing but the end of the sentence
            entry, words = [*entry, {"words": words}], ""
        elif words != beside[0]["words"]:
            entry = [*entry, {"words": "."}]
        beside[0]["words"] = words
    return {
        "entry": html_parts(entry),
        "beside": html_parts(part for part in beside if part.get("words") != ""),
    }


def html_image(drawing: str) -> Markup:
    """An SVG as the address of an image, which runs no script and shares no ids with the page."""
    return Markup("data:image/svg+xml," + quote(drawing, safe=_PLAIN_SVG))
