"""The page: data, formulas, charts and scripts put into one HTML file that asks for nothing else.

A policy in the page forbids every request, and lets no script run but the two that are here, known by their
hashes. Styles are allowed inside the page, since charts set them on their parts; Vega's expressions are
interpreted (`ast`), not compiled, so nothing needs `unsafe-eval`.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from ..conventions import KNOBS, SCOPES
from ..drawing import embedding
from ..hardware import Accelerator, load_accelerator
from ..library import load_variant
from ..render.environment import template_environment
from ..render.mathml import one
from ..resources import resource
from .charts import charts
from .controls import ALIASES, CONTROLS, Group, described, settled
from .presets import Preset, machine, machines, preset, presets
from .quantities import Book, quantities
from .variants import PAIRS, ROWS, SCOPES_SHOWN

__all__ = ["Start", "explorer_page"]

_SCRIPTS = ("root", "format", "numbers", "settings", "controls", "tables", "figures", "main")
"""Files under templates/html/explorer, in the order they run."""
_READ = "const PAGE = JSON.parse(document.getElementById('data').textContent);"


@dataclass(frozen=True, slots=True)
class Start:
    """How the page stands when it is opened, and after a reset."""

    model: str = "deepseek-v3"
    """Name or file of a model."""
    gpu: str = "h200-sxm"
    """Name or file of an accelerator."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Sliders set by hand."""


def explorer_page(start: Start | None = None) -> str:
    """The HTML. Raises InputError for an unknown model or accelerator, and without the extra `plots`."""
    start = start or Start()
    first, gpu = preset(start.model), load_accelerator(start.gpu)
    values = {control.name: control.start for control in CONTROLS} | first.values | dict(start.values)
    values = settled(values, start.values)
    library = embedding()
    data, functions = _data(values, first, gpu)
    script = "\n".join(["'use strict';", _READ, f"const FUNCTIONS = [{functions}];", *map(_script, _SCRIPTS)])
    own = f"(() => {{\n{script}\n}})();"
    hashes = " ".join(f"'sha256-{_hash(text)}'" for text in (library, own))
    template = resource("templates", "html", "explorer", "explorer.html.j2").read_text(encoding="utf-8")
    return (
        template_environment()
        .from_string(template)
        .render(
            hashes=hashes,
            css=resource("templates", "html", "explorer", "explorer.css").read_text(encoding="utf-8"),
            library=library,
            script=own,
            data=_json(data),
            scopes={name: SCOPES[name].text for name in SCOPES_SHOWN},
            pairs={name: KNOBS["pairs"].values[name] for name in PAIRS},
            traffic=next(iter(KNOBS["traffic"].values.values())),
            formed=next(iter(KNOBS["formed"].values.values())),
            variants=[(row.label, load_variant(row.variant)) for row in ROWS],
        )
    )


def _data(values: Mapping[str, int], first: Preset, gpu: Accelerator) -> tuple[dict[str, Any], str]:
    """What the script reads, and its functions."""
    book, sets = _derived()
    controls = described()
    known = {*ALIASES, *(control["name"] for control in controls), "R"}
    assert book.symbols <= known, f"no slider for {sorted(book.symbols - known)}"
    for control in controls:
        control["letter"] = one(control.pop("latex"), control["name"])
    models = {model.name: model for model in (*presets(), first)}
    parts = {part.name: part for part in (*machines(), gpu)}
    return {
        "controls": controls,
        "groups": [str(group) for group in Group],
        "aliases": ALIASES,
        "rows": [{"key": row.key, "label": row.label} for row in ROWS],
        "models": [model.data() for model in models.values()],
        "gpus": [machine(part) for part in parts.values()],
        "sets": sets,
        "formulas": list(book.formulas),
        "charts": charts(),
        "start": {
            **values,
            "model": first.name,
            "gpu": gpu.name,
            "compute": "bf16" if "bf16" in gpu.peak else next(iter(gpu.peak)),
            "pairs": PAIRS[0],
            "scope": SCOPES_SHOWN[0],
        },
    }, ",\n".join(f"v=>{text}" for text in book.functions)


@cache
def _derived() -> tuple[Book, dict[str, Any]]:
    """The quantities, which no start changes."""
    book = Book()
    return book, quantities(book)


def _script(name: str) -> str:
    return resource("templates", "html", "explorer", f"{name}.js").read_text(encoding="utf-8")


def _json(data: Any) -> str:
    """JSON in which no `<` of a name can end the element it stands in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _hash(script: str) -> str:
    """As a content security policy names a script."""
    return b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
