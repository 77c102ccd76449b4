"""Variants by name or file: `mla`, `mla+rope+query-latent`, `./mine.yaml`, `./mine.yaml+option`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .checkpoints import Checkpoint, checkpoint_names, load_checkpoint
from .dims import STANDARD
from .errors import InputError, unknown
from .program import Variant
from .resources import is_path, names, resource
from .spec import read_variant
from .yamlfile import parse_yaml, read_yaml

__all__ = ["COMMANDS", "check_checkpoint", "load_variant", "parse_variant", "variant_names"]

COMMANDS = (
    "article", "compare", "crossover", "completion", "einsum", "explore", "lesson", "list", "model",
    "orders", "prove", "quiz", "report", "roofline", "speculate", "variant",
)  # fmt: skip
"""Words of the command line, those of planned commands included: no variant may take one."""


def variant_names() -> tuple[str, ...]:
    """The bundled variants."""
    return names("models", "variants")


def load_variant(text: str) -> Variant:
    """The variant called `text`, options after plus signs. Raises InputError, nearest name included."""
    if not text.strip():
        raise InputError("the name of the variant is empty")
    if is_path(text):
        path, options = _split_path(text)
        return read_variant(read_yaml(Path(path), path), options, COMMANDS)
    name, *options = text.split("+")
    known = variant_names()
    if name in checkpoint_names():
        model = load_checkpoint(name)
        variant = "+".join((model.variant, *model.options))
        raise InputError(f"{name} is a model, not a variant; write `derive {variant} --model {name}`")
    if name not in known:
        raise unknown("variant", name, known)
    shown = f"models/variants/{name}.yaml"
    entry = read_yaml(resource("models", "variants", f"{name}.yaml"), shown)
    return read_variant(entry, options, COMMANDS)


def parse_variant(text: str, options: Iterable[str] = ()) -> Variant:
    """The variant that a YAML text describes, with some of its options on. Raises InputError with the line."""
    return read_variant(parse_yaml(text, "<text>"), options, COMMANDS)


def check_checkpoint(model: Checkpoint) -> None:
    """A user's model file against the variants: its variant, options and dims must exist.

    Raises InputError with the nearest known name.
    """
    variant = load_variant("+".join((model.variant, *model.options)))
    known = {*variant.symbols, *STANDARD} - {"L", "S", "B", "b"}
    for name in model.dims:
        if name not in known:
            raise unknown(f"dim of the model {model.name}", name, known)


def _split_path(text: str) -> tuple[str, list[str]]:
    """A file may have a plus sign in its name: options start after the ending."""
    for ending in (".yaml", ".yml"):
        position = text.rfind(ending)
        if position >= 0:
            cut = position + len(ending)
            rest = text[cut:]
            if rest.startswith("+"):
                return text[:cut], rest[1:].split("+")
    return text, []
