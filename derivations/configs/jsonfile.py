"""A JSON file as plain values, checked before anything is built: size, depth, encoding, keys that stand
twice.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..errors import InputError, Place

__all__ = ["MAX_BYTES", "line_of", "parse_json", "read_json"]

MAX_BYTES = 4 * 2**20
MAX_DEPTH = 40
_DIGITS = 25
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def read_json(path: Path, shown: str) -> tuple[dict[str, Any], str]:
    """The object in a JSON file, and the file's text. Raises InputError that names the file and the line."""
    try:
        if not path.exists():
            raise InputError(f"there is no file {_name(shown)}")
        if path.is_dir():
            raise InputError(f"{_name(shown)} is a directory; give the config.json in it")
        if not path.is_file():
            raise InputError(f"{_name(shown)} is no regular file")
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except ValueError:
        raise InputError(f"{shown[:60]!r} cannot be the name of a file") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"cannot read {_name(shown)}: {reason}") from None
    if raw is None:
        raise InputError(f"{_name(shown)} is larger than {MAX_BYTES // 2**20} MiB; surely the wrong file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError("not UTF-8 text", Place(_name(shown), line)) from None
    return parse_json(text, _name(shown)), text


def parse_json(text: str, file: str) -> dict[str, Any]:
    """The object a JSON text holds. `Infinity` and `NaN` are read, since released files have them; whoever
    needs a number refuses them."""
    if not text.strip():
        raise InputError("the file is empty", Place(file))
    _check_depth(text, file)
    try:
        found = json.loads(text, object_pairs_hook=_Pairs, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {_problem(error)}", Place(file, error.lineno)) from None
    except _Twice as error:
        key = str(error)
        raise InputError(f"the key {_short(key)!r} stands twice", Place(file, line_of(text, key, 1))) from None
    if not isinstance(found, dict):
        raise InputError(f"expected an object in braces on top, found {kind_of(found)}", Place(file, 1))
    return found


class _Twice(Exception):
    """A key stands twice in an object."""


def _Pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def _integer(digits: str) -> int:
    """A whole number; one with more digits than any size has becomes one that every bound refuses."""
    return int(digits) if len(digits) <= _DIGITS else 10**_DIGITS


def _check_depth(text: str, file: str) -> None:
    depth = 0
    for hit in _STRING_OR_BRACKET.finditer(text):
        if hit.group() in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                line = text.count("\n", 0, hit.start()) + 1
                raise InputError(f"nested deeper than {MAX_DEPTH} levels", Place(file, line))
        elif hit.group() in "]}":
            depth -= 1


def _problem(error: json.JSONDecodeError) -> str:
    if error.pos >= len(error.doc.rstrip()):
        return "it ends too early"
    return f"{error.msg[:1].lower()}{error.msg[1:]} in column {error.colno}"


def line_of(text: str, key: str, earlier: int = 0) -> int | None:
    """The line of a key, after so many others of the same name; None where it does not stand in the text."""
    found = [*re.finditer(re.escape(json.dumps(key)) + r"\s*:", text)]
    if not found and not key.isascii():
        found = [*re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)]
    if not found:
        return None
    return text.count("\n", 0, found[min(earlier, len(found) - 1)].start()) + 1


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, bool):
        return "true/false"
    names = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a decimal"}
    return names.get(type(value), "null")


def _short(text: str) -> str:
    """A text for messages: its control characters escaped, at most 60 characters."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:60])
    return shown + ("..." if len(text) > 60 else "")


def _name(shown: str) -> str:
    """A file's name for messages."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)
