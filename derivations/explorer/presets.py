"""Released models as settings of the sliders, and accelerators as choices of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checkpoints import Checkpoint, checkpoint_names, load_checkpoint
from ..errors import InputError
from ..hardware import Accelerator, accelerator_names, load_accelerator
from ..resources import is_path
from ..vega import number
from .controls import CONTROLS
from .variants import ROWS

__all__ = ["Preset", "machine", "machines", "preset", "presets"]

_FILL = ("llama-3.3-70b", "deepseek-v3.2")
"""Where sizes come from that a model does not have: key/value heads, then a latent and an indexer."""
_SHOWN = {row.variant.partition("+")[0] for row in ROWS}
_ALIKE = {"rope", "query-latent", "gate"}
"""Options that change no number of the page, or are there already."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The sliders as a model sets them."""

    name: str
    """As asked for with `--model`."""
    title: str
    """In the list."""
    values: dict[str, int]
    """Slider -> value."""
    rows: tuple[str, ...]
    """The rows that are this model's own attention."""
    note: str
    """What of the model is on the page, and what is not."""

    def data(self) -> dict[str, Any]:
        """As the page's script reads it."""
        return {
            "name": self.name,
            "title": self.title,
            "values": self.values,
            "rows": self.rows,
            "note": self.note,
        }


def presets() -> tuple[Preset, ...]:
    """All bundled models whose attention the page shows."""
    models = (load_checkpoint(name) for name in checkpoint_names())
    return tuple(_preset(model) for model in models if _unlike(model) is None)


def preset(name: str) -> Preset:
    """A model by name or file. Raises InputError for an unknown one, and for attention that is not here."""
    model = load_checkpoint(name)
    reason = _unlike(model)
    if reason is not None:
        raise InputError(f"--model {name}: {model.title} {reason}, which the explorer does not show")
    if is_path(name):
        from ..library import check_checkpoint

        check_checkpoint(model)
    found = _preset(model)
    for control in CONTROLS:
        value = found.values.get(control.name, control.start)
        if not control.least <= value <= control.most or (control.only_stops and value not in control.stops):
            raise InputError(f"--model {name}: {control.name} = {value:,} is outside of its slider")
    return found


def _unlike(model: Checkpoint) -> str | None:
    """Why the page cannot stand for a model."""
    if model.variant not in _SHOWN:
        return f"has {model.variant} attention"
    strange = [option for option in model.options if option not in _ALIKE]
    return f"has {model.variant} with {strange[0]}" if strange else None


def _preset(model: Checkpoint) -> Preset:
    wanted = [control.name for control in CONTROLS]
    own = {name: int(value) for name, value in model.values(wanted).items() if name != "b_M"}
    filled: dict[str, int] = {}
    lenders: dict[str, list[str]] = {}
    for source in map(load_checkpoint, _FILL):
        for name, value in source.dims.items():
            if name in wanted and name not in own and name not in filled:
                filled[name] = value
                lenders.setdefault(source.title, []).append(name)
    values = {**own, **filled, "layers": model.attention_layers}
    if values["H"] % values["H_kv"]:
        values["H_kv"] = max(n for n in range(1, values["H_kv"] + 1) if values["H"] % n == 0)
    rows = tuple(row.key for row in ROWS if row.variant.partition("+")[0] == model.variant)
    return Preset(model.name, model.title, values, rows, _note(model, rows, lenders))


def _note(model: Checkpoint, rows: tuple[str, ...], lenders: dict[str, list[str]]) -> str:
    labels = " and ".join(row.label for row in ROWS if row.key in rows)
    sentences = [f"The attention of {model.title} is {labels}."]
    if model.attention_layers < model.layers:
        sentences.append(
            f"It is in {model.attention_layers} of {model.layers} layers; the others are not on this page."
        )
    if lenders:
        borrowed = "; ".join(f"{', '.join(names)} of {lender}" for lender, names in lenders.items())
        sentences.append(f"What it has not is set to that of others: {borrowed}.")
    return " ".join(sentences)


def machines() -> tuple[Accelerator, ...]:
    """All bundled accelerators."""
    return tuple(map(load_accelerator, accelerator_names()))


def machine(gpu: Accelerator) -> dict[str, Any]:
    """An accelerator as the page's script reads it."""
    return {
        "name": gpu.name,
        "title": gpu.title,
        "bandwidth": {"value": number(gpu.bandwidth.value), "text": gpu.bandwidth.text},
        "peaks": {kind: {"value": number(peak.value), "text": peak.text} for kind, peak in gpu.peak.items()},
    }
