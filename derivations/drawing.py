"""Vega-Lite documents as files: drawn by vl-convert, of the extra `plots`, or as they are."""

from __future__ import annotations

import json
from html import escape
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any

from .errors import InputError
from .vega import Spec

__all__ = ["SUFFIXES", "can_draw", "check_suffix", "compiled", "embedding", "render_plot"]

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")
"""What a plot can be written as; only the last needs no library."""
VEGA_LITE = "5.20"
"""Drawn with this version, whatever others there are, so that a plot is the same anywhere."""


def check_suffix(path: str) -> str:
    """The ending of a plot's file. Raises InputError unless it is one a plot can be written as."""
    suffix = PurePath(path).suffix
    if suffix not in SUFFIXES:
        raise _refused(suffix or path)
    return suffix


def can_draw() -> bool:
    """Whether the library that draws is installed."""
    return find_spec("vl_convert") is not None


def embedding() -> str:
    """The script that draws documents in a page, as `vegaEmbed`; it loads nothing.

    Raises InputError where the library that has it is missing.
    """
    library = _library().javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)
    return str(library).replace("</script", "<\\/script")


def compiled(spec: Spec) -> Spec:
    """A chart as Vega has it, whose data, colours and the like a page can set by itself.

    Without the mark of a version: the runtime of a page may be newer, and would say so.
    Raises InputError where the library that compiles is missing.
    """
    made: Spec = _library().vegalite_to_vega(spec, vl_version=VEGA_LITE)
    return {name: part for name, part in made.items() if name != "$schema"}


def _library() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise InputError(
            "a page with charts needs vl-convert; install it with: pip install 'derivations[plots]'"
        ) from None
    return vl_convert


def render_plot(spec: Spec, suffix: str) -> str | bytes:
    """A chart as a file with this suffix would hold it.

    Raises InputError for another suffix, and where the library that draws is missing.
    """
    if suffix == ".json":
        return json.dumps(spec, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if suffix not in SUFFIXES:
        raise _refused(suffix)
    try:
        import vl_convert
    except ImportError:
        raise InputError(
            "plots need vl-convert; install it with: pip install 'derivations[plots]'; "
            "a file that ends in .json needs none"
        ) from None
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=2))
    if suffix == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec, vl_version=VEGA_LITE))
    return _page(spec, embedding())


def _page(spec: Spec, library: str) -> str:
    """A page that needs nothing else; no `<` of a name can end the script it stands in."""
    text = json.dumps(spec, sort_keys=True).replace("<", "\\u003c")
    actions = {"export": True, "source": False, "compiled": False, "editor": False}
    options = json.dumps({"renderer": "svg", "actions": actions})
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(spec['title']['text'])}</title>\n<script>{library}</script>\n</head>\n<body>\n"
        f'<div id="plot"></div>\n<script>vegaEmbed("#plot", {text}, {options});</script>\n</body>\n</html>\n'
    )


def _refused(suffix: str) -> InputError:
    *others, last = SUFFIXES
    listed = f"{', '.join(others)} or {last}"
    return InputError(f"a plot cannot be written as {suffix!r}; give a file that ends in {listed}")
