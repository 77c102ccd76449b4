"""A released model layer by layer: which kinds of layers it has, how many of each, and where that was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .checkpoints import Checkpoint, checkpoint_names, load_checkpoint
from .configs.fields import Decision
from .configs.grouped import LayerKind
from .configs.reading import Config, read_config
from .errors import InputError, unknown
from .library import check_checkpoint, load_variant
from .resources import is_path
from .yamlfile import read_yaml

__all__ = ["LayerGroup", "Released", "is_config", "is_model", "load_released", "ranges", "released_of"]


@dataclass(frozen=True, slots=True)
class LayerGroup:
    """Layers that are alike."""

    kind: LayerKind
    """What each computes."""
    layers: tuple[int, ...]
    """Their numbers, from 0; empty where only their count is known."""
    count: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Released:
    """A model's attention."""

    name: str
    """As asked for."""
    title: str
    """For headings."""
    source: str
    """Where the numbers stand."""
    groups: tuple[LayerGroup, ...]
    """Layers with attention or a state, by kind, in order of first appearance."""
    layers: int
    """All layers, those without attention included."""
    element_bytes: int = 2
    """Bytes per element of cached rows."""
    drafts: int = 0
    """Modules for multi-token prediction, which are not among the layers."""
    assumptions: Mapping[str, object] | None = None
    """Field -> what was given for it by hand."""
    unknown_fields: tuple[str, ...] = ()
    """Fields that nothing is known about."""
    decisions: tuple[Decision, ...] = ()
    """Which field led to what."""
    notes: tuple[str, ...] = ()
    """What a reader must know."""
    missing: tuple[str, ...] = ()
    """Fields that FLOPs and bytes of a step need and that are not there; what is kept does not."""

    def __repr__(self) -> str:
        kinds = ", ".join(f"{group.count} x {group.kind.variant}" for group in self.groups)
        return f"Released({self.name}: {kinds})"

    @property
    def short(self) -> str:
        """A name for tables: of a file the folder it is in, or its own."""
        if not is_path(self.name) and not is_config(self.name):
            return self.name
        path = Path(self.name)
        return path.stem if path.stem != "config" or not path.parent.name else path.parent.name

    def checkpoint(self, group: LayerGroup) -> Checkpoint:
        """The layers of one kind as a checkpoint, which a study takes its sizes from."""
        variant, *options = group.kind.variant.split("+")
        return Checkpoint(
            self.name, self.title, self.source, variant, tuple(options), self.layers, group.count,
            dict(group.kind.dims), self.element_bytes, self.notes,
        )  # fmt: skip


def is_config(text: str) -> bool:
    """Whether a name given on the command line is a JSON file."""
    return text.lower().endswith(".json")


def is_model(text: str) -> bool:
    """Whether a word means a model: a bundled one, a config.json or its folder, a YAML file of a checkpoint."""
    if text in checkpoint_names() or is_config(text):
        return True
    if not is_path(text):
        return False
    path = Path(text)
    if path.is_dir():
        return True
    return (
        path.is_file()
        and isinstance(read_yaml(path, text).value, dict)
        and "model" in read_yaml(path, text).value
    )


def load_released(text: str, assume: Sequence[str] = ()) -> Released:
    """A model by bundled name, from a config.json, or from a YAML file of checkpoints.

    `assume` are `FIELD=VALUE` texts that fill gaps of a config.json. Raises InputError.
    """
    if not text.strip():
        raise InputError("the name of the model is empty")
    if is_config(text) or (is_path(text) and Path(text).is_dir()):
        return released_of(text, read_config(text, assume))
    if assume:
        raise InputError(f"--assume fills gaps of a config.json, and {text[:60]} is none")
    if not is_path(text) and text not in checkpoint_names():
        if Path(text).exists():
            raise InputError(f"{text[:60]}: a model file ends in .json or .yaml")
        raise unknown("model", text, checkpoint_names())
    model = load_checkpoint(text)
    if is_path(text):
        check_checkpoint(model)
    return _of_checkpoint(model)


def released_of(text: str, config: Config) -> Released:
    """A config.json that was read, its layers grouped by kind."""
    groups: dict[object, list[int]] = {}
    kinds: dict[object, LayerKind] = {}
    for index, kind in enumerate(config.layers):
        if kind is not None:
            groups.setdefault(kind.key, []).append(index)
            kinds[kind.key] = kind
    if not groups:
        raise InputError(f"{text}: no layer has attention or a state")
    for key, found in groups.items():
        try:
            load_variant(kinds[key].variant)
        except InputError:
            raise InputError(
                f"{text}: layer {found[0]} would be {kinds[key].variant}, which no bundled variant describes; "
                "its fields are understood one by one, not together"
            ) from None
    return Released(
        name=text, title=config.title, source=text,
        groups=tuple(LayerGroup(kinds[key], tuple(found), len(found)) for key, found in groups.items()),
        layers=len(config.layers), drafts=config.drafts, assumptions=config.assumptions,
        unknown_fields=config.unknown, decisions=config.decisions, notes=config.notes,
        missing=config.missing,
    )  # fmt: skip


def _of_checkpoint(model: Checkpoint) -> Released:
    own = LayerKind("+".join((model.variant, *model.options)), model.dims)
    groups = [LayerGroup(own, (), model.attention_layers)]
    groups += [LayerGroup(LayerKind(o.variant, o.dims), (), o.layers) for o in model.others]
    return Released(
        name=model.name, title=model.title, source=model.source, groups=tuple(groups), layers=model.layers,
        element_bytes=model.element_bytes, drafts=model.drafts, notes=model.notes,
    )  # fmt: skip


def ranges(numbers: Sequence[int]) -> str:
    """Numbers as ranges and steps: `0-2, 4, 6-20 by 2`."""
    parts, rest = list[str](), list(numbers)
    while rest:
        run = 1
        step = rest[1] - rest[0] if len(rest) > 1 else 1
        while run < len(rest) and rest[run] - rest[run - 1] == step:
            run += 1
        if run > 2 or (run == 2 and step == 1):
            last = rest[run - 1]
            parts.append(f"{rest[0]}-{last}" if step == 1 else f"{rest[0]}-{last} by {step}")
            rest = rest[run:]
        else:
            parts.append(str(rest[0]))
            rest = rest[1:]
    return ", ".join(parts)
