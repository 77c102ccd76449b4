"""The fields of the language model out of a file, and the gaps that `--assume` fills."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, Place, unknown
from .fields import Fields, shown
from .jsonfile import kind_of
from .vocabulary import NESTED, READ

__all__ = ["IGNORED", "assumed", "merged", "with_assumptions", "with_attn_config"]

IGNORED = "ignored"
"""The value of `--assume` that leaves a field out of account."""
_LONGEST = 400


def assumed(texts: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Fields given by hand, and fields to be left out of account."""
    given: dict[str, Any] = {}
    ignored: list[str] = []
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not value.strip() or len(text) > _LONGEST:
            raise InputError(f"--assume {shown(text)}: write it as FIELD=VALUE, such as head_dim=128")
        if name in given or name in ignored:
            raise InputError(f"--assume {shown(name)} is given twice")
        if value.strip() == IGNORED:
            if name in READ and name not in ("no_rope_layers", "quantization_config"):
                raise InputError(
                    f"--assume {shown(name)}={IGNORED}: this field is understood, and what it says counts"
                )
            ignored.append(name)
            continue
        if name not in READ:
            raise unknown("field of --assume", name, READ)
        try:
            given[name] = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            given[name] = value.strip()
    return given, ignored


def with_assumptions(
    values: Mapping[str, Any], given: Mapping[str, Any], ignored: Sequence[str], file: str, text: str
) -> dict[str, Any]:
    fields = Fields(values, file, text)
    for name, value in given.items():
        there = fields.named(name)
        counts_blocks = name == "num_hidden_layers" and there == "num_layers"
        if there is not None and fields.values[there] != value and not counts_blocks:
            raise fields.fail(
                there,
                f"--assume {name}={shown(value)} contradicts the file, which says "
                f"{shown(fields.values[there])}; "
                "--assume only fills gaps",
            )
    for name in ignored:
        if name not in fields.values:
            raise unknown(f"field of {file}", name, fields.values)
    return {**{n: v for n, v in values.items() if n not in ignored}, **given}


def merged(values: Mapping[str, Any], file: str, text: str) -> dict[str, Any]:
    """The fields of the language model: those of a nested config, and those beside it that it does not have."""
    nested = [name for name in NESTED if isinstance(values.get(name), dict)]
    for name in NESTED:
        if values.get(name) is not None and name not in nested:
            raise Fields(values, file, text).fail(
                name, f"expected an object in {name}, found {kind_of(values[name])}"
            )
    if not nested:
        return dict(values)
    if len(nested) > 1:
        raise InputError(f"{' and '.join(nested)} are both there; which is the language model?", Place(file))
    inner = dict(values[nested[0]])
    for name, value in inner.items():
        outer = values.get(name)
        if name in READ and None not in (outer, value) and outer != value:
            raise Fields(values, file, text).fail(
                name, f"{name} is {shown(outer)} on top and {shown(value)} in {nested[0]}; one of them is wrong"
            )
    return {**{n: v for n, v in values.items() if n != nested[0]}, **inner}


def with_attn_config(values: Mapping[str, Any], file: str, text: str) -> dict[str, Any]:
    """The same with the fields that some files keep in an object of their own."""
    inner = values.get("attn_config")
    if not isinstance(inner, dict):
        return dict(values)
    fields = Fields(values, file, text)
    for name, value in inner.items():
        if name in READ and value is not None and values.get(name) not in (None, value):
            raise fields.fail(
                name,
                f"{name} is {shown(values[name])} on top and {shown(value)} in attn_config; one is wrong",
            )
    found = {name: value for name, value in values.items() if name != "attn_config"}
    for name, value in inner.items():
        if found.get(name) is None:
            found[name] = value
    return found
