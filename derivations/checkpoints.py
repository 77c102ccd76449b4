"""Released models: the dims of their attention, from files with a source.

A checkpoint lists `H_q` and `H_kv` where heads are grouped, `H` where they are not; asked for the
one it does not list, query heads stand for `H` and `H` for query heads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .dims import LARGEST, is_name
from .errors import InputError, unknown
from .poly import Coefficient
from .resources import is_path, names, resource
from .yamlfile import Entry, read_yaml

__all__ = ["Checkpoint", "checkpoint_names", "load_checkpoint"]

_ALIASES = {"H": ("H_q",), "H_q": ("H",)}


STATE_BYTES = 4
"""Bytes per element of a recurrent state, which released code keeps in FP32."""


@dataclass(frozen=True, slots=True)
class OtherLayers:
    """Layers of a model that carry something else than its attention."""

    variant: str
    """With its options."""
    layers: int
    """How many."""
    dims: Mapping[str, int]
    """Symbol -> size."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A released model's attention."""

    name: str
    """As asked for with `--model`."""
    title: str
    """For headings."""
    source: str
    """Where the numbers are published."""
    variant: str
    """The variant it uses."""
    options: tuple[str, ...]
    """With these options."""
    layers: int
    """Layers of the model."""
    attention_layers: int
    """Layers that carry this attention."""
    dims: Mapping[str, int]
    """Symbol -> size."""
    element_bytes: int
    """Bytes per element of the cache."""
    notes: tuple[str, ...]
    """What a user must know."""
    others: tuple[OtherLayers, ...] = ()
    """The layers of other kinds."""
    drafts: int = 0
    """Modules for multi-token prediction, which are not among the layers."""

    def __repr__(self) -> str:
        return f"Checkpoint({self.name}: {self.title})"

    def values(self, symbols: Iterable[str]) -> dict[str, Coefficient]:
        """The sizes it gives for these symbols, and the widths `b` and `b_M`."""
        found: dict[str, Coefficient] = {}
        for name in symbols:
            for source in (name, *_ALIASES.get(name, ())):
                if source in self.dims:
                    found[name] = self.dims[source]
                    break
        if "b" in set(symbols):
            found["b"] = self.element_bytes
        if "b_M" in set(symbols):
            found["b_M"] = STATE_BYTES
        return found


def checkpoint_names() -> tuple[str, ...]:
    """The bundled checkpoints."""
    return names("models", "checkpoints")


def load_checkpoint(text: str) -> Checkpoint:
    """A checkpoint by name or file. Raises InputError with the nearest name or the file's line."""
    if text.lower().endswith(".json"):
        raise InputError(
            f"{text[:60]}: a config.json has several kinds of layers; `derive model {text[:60]}` "
            "reads it, and a bundled "
            "name or a YAML file can be given here"
        )
    if is_path(text):
        return _read(read_yaml(Path(text), text))
    known = checkpoint_names()
    if text not in known:
        raise unknown("model", text, known)
    path = resource("models", "checkpoints", f"{text}.yaml")
    return _read(read_yaml(path, f"models/checkpoints/{text}.yaml"))


_REQUIRED = ("model", "title", "source", "variant", "layers", "dims")
_OPTIONAL = ("options", "attention_layers", "element_bytes", "notes", "other_layers", "drafts")


def _read(entry: Entry) -> Checkpoint:
    fields = entry.mapping(allowed=_OPTIONAL, required=_REQUIRED)
    layers = fields["layers"].integer(1, 10_000)
    dims = _dims(fields["dims"])
    others = _others(fields["other_layers"], layers) if "other_layers" in fields else ()
    carrying = layers
    if "attention_layers" in fields:
        carrying = fields["attention_layers"].integer(1, layers)
    if carrying + sum(other.layers for other in others) > layers:
        raise fields["other_layers" if others else "layers"].fail(
            f"{carrying} attention layers and {sum(other.layers for other in others)} others are more than the "
            f"{layers} layers there are"
        )
    return Checkpoint(
        name=fields["model"].text(60),
        title=fields["title"].text(120),
        source=fields["source"].text(),
        variant=fields["variant"].text(60),
        options=fields["options"].texts() if "options" in fields else (),
        layers=layers,
        attention_layers=carrying,
        dims=dims,
        element_bytes=fields["element_bytes"].integer(1, 8) if "element_bytes" in fields else 2,
        notes=fields["notes"].texts() if "notes" in fields else (),
        others=others,
        drafts=fields["drafts"].integer(0, 100) if "drafts" in fields else 0,
    )


def _dims(entry: Entry) -> dict[str, int]:
    dims = {}
    for name, size in entry.mapping().items():
        if not is_name(name):
            raise size.fail(f"{name[:40]!r} is no symbol")
        dims[name] = size.integer(1, LARGEST)
    return dims


def _others(entry: Entry, layers: int) -> tuple[OtherLayers, ...]:
    found = []
    for item in entry.items():
        fields = item.mapping(allowed=("options",), required=("variant", "layers", "dims"))
        options = fields["options"].texts() if "options" in fields else ()
        name = "+".join((fields["variant"].text(60), *options))
        found.append(OtherLayers(name, fields["layers"].integer(1, layers), _dims(fields["dims"])))
    return tuple(found)
