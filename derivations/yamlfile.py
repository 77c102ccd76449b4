"""YAML as located data: every value knows its file, line and key, and hostile files stay cheap.

Only scalars, lists and mappings with distinct plain keys: no anchors, aliases, tags, or documents
beyond the first, bounded in size and depth before anything is built.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .errors import InputError, Place, nearest, unknown
from .problems import Problems

__all__ = ["Entry", "parse_yaml", "read_yaml"]

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Entry:
    """A YAML value and where it stands."""

    value: Any
    """A scalar, a list of entries, or a dict from str to entry."""
    place: Place
    """File, line and dotted key."""
    keys: dict[str, Place] = field(default_factory=dict)
    """For a mapping: where each key stands."""

    def fail(self, message: str) -> InputError:
        """An error about this value."""
        return InputError(message, self.place)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Errors without a place, raised in here, are about this value."""
        try:
            yield
        except InputError as error:
            raise (error if error.place else self.fail(str(error))) from None

    def known(self, allowed: Iterable[str], required: Iterable[str], problems: Problems) -> dict[str, Entry]:
        """The mapping without keys nobody knows; what is unknown or missing goes to `problems`."""
        names = sorted({*allowed, *required})
        with problems.aside():
            self.mapping()
        if not isinstance(self.value, dict):
            return {}
        for key in self.value:
            with problems.aside():
                if key not in names:
                    raise unknown("key", key, names, self.keys[key])
        meant = {nearest(key, names) for key in self.value if key not in names}
        for key in required:
            with problems.aside():
                if key not in self.value and key not in meant:
                    raise self.fail(f"the key {key!r} is missing")
        return {key: entry for key, entry in self.value.items() if key in names}

    def plain(self) -> Any:
        """The value without places, to compare."""
        if isinstance(self.value, dict):
            return {name: entry.plain() for name, entry in self.value.items()}
        if isinstance(self.value, list):
            return [entry.plain() for entry in self.value]
        return self.value

    def size(self) -> int:
        """How many entries a list or a mapping has; 0 for a scalar."""
        return len(self.value) if isinstance(self.value, list | dict) else 0

    def mapping(self, allowed: Iterable[str] | None = None, required: Iterable[str] = ()) -> dict[str, Entry]:
        """The mapping; InputError for another kind of value, unknown or missing keys."""
        if not isinstance(self.value, dict):
            raise self.fail(f"expected `key: value` lines here, found {_kind(self.value)}")
        required = tuple(required)
        known = None if allowed is None and not required else sorted({*(allowed or ()), *required})
        for key in self.value:
            if known is not None and key not in known:
                raise unknown("key", key, known, self.keys[key])
        for key in required:
            if key not in self.value:
                raise self.fail(f"the key {key!r} is missing")
        return self.value

    def items(self) -> list[Entry]:
        """The list; InputError for another kind of value."""
        if not isinstance(self.value, list):
            raise self.fail(f"expected a list, found {_kind(self.value)}")
        return self.value

    def text(self, longest: int = 300) -> str:
        """The non-empty text; numbers are taken as they were written."""
        if isinstance(self.value, float):
            raise self.fail("a decimal; write it as a whole number or as a quotient such as 3/2")
        if isinstance(self.value, bool) or not isinstance(self.value, str | int):
            raise self.fail(f"expected a text, found {_kind(self.value)}")
        text = " ".join(str(self.value).split())
        for letter in text:
            if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co"):
                raise self.fail(f"the text has a control character ({letter!r}), which nobody could see")
        if not text:
            raise self.fail("the text is empty")
        if len(text) > longest:
            raise self.fail(f"the text is longer than {longest} characters")
        return text

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(entry.text() for entry in self.items())

    def integer(self, least: int, most: int) -> int:
        """A whole number within bounds."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.fail(f"expected a whole number, found {_kind(self.value)}")
        if not least <= self.value <= most:
            shown = self.value if abs(self.value) < 10**30 else "the number"
            raise self.fail(f"{shown} is out of range; it must be {least} to {most}")
        return self.value

    def number(self) -> float | int:
        """A positive, finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.fail(f"expected a number, found {_kind(self.value)}")
        if not 1e-12 < self.value < 1e18:
            shown = self.value if abs(self.value) < 1e30 else "the number"
            raise self.fail(f"{shown} is not a positive, finite number of a sensible size")
        return self.value


def _kind(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "a text", bool: "true/false"}
    names |= {int: "a number", float: "a decimal", type(None): "nothing"}
    return names.get(type(value), f"a {type(value).__name__}")


def read_yaml(path: Path, shown: str | None = None) -> Entry:
    """Read and check one YAML file; `shown` is the name used in errors."""
    name = shown or str(path)
    try:
        if not path.exists():
            raise InputError(f"there is no file {name}")
        if path.is_dir():
            raise InputError(f"cannot read {name}: is a directory")
        if not path.is_file():
            raise InputError(f"{name} is no regular file")
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except ValueError:
        raise InputError(f"{name[:60]!r} cannot be the name of a file") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {(error.strerror or 'unknown reason').lower()}") from None
    if raw is None:
        raise InputError(f"{name} is larger than {MAX_BYTES // 1024} KiB; surely the wrong file")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text") from None
    return parse_yaml(text, name)


def parse_yaml(text: str, file: str) -> Entry:
    """Parse YAML text; InputError with file and line for everything that is not plain data."""
    if len(text) > MAX_BYTES:
        raise InputError(f"{file} is larger than {MAX_BYTES // 1024} KiB; surely the wrong file")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    try:
        events = list(_safe_events(text, file))
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, file) from None
    stream = iter(events)
    entry = _build(next(stream), stream, file, "") if events else None
    if entry is None or entry.value is None:
        raise InputError("the file is empty", Place(file))
    return entry


def _safe_events(text: str, file: str) -> Iterator[Any]:
    depth = documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        place = Place(file, _line(event))
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise InputError("anchors and aliases (& and *) are not allowed here", place)
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise InputError("the file holds more than one document", place)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise InputError(f"nested deeper than {MAX_DEPTH} levels", place)
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            raise InputError(f"tags such as {event.tag[:30]!r} are not allowed", place)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent | yaml.CollectionEndEvent):
            yield event


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _syntax_error(error: yaml.YAMLError, text: str, file: str) -> InputError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else None
    lines = text.splitlines()
    if line and line <= len(lines) and "\t" in lines[line - 1]:
        return InputError("a tab; YAML is indented with spaces", Place(file, line))
    problem = str(getattr(error, "problem", None) or "it cannot be read").replace("\n", " ")
    return InputError(f"not valid YAML: {problem}", Place(file, line))


def _build(event: Any, stream: Iterator[Any], file: str, key: str) -> Entry:
    place = Place(file, _line(event), key or None)
    if isinstance(event, yaml.ScalarEvent):
        return Entry(_scalar(event, place), place)
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Entry] = []
        while not isinstance(inner := next(stream), yaml.SequenceEndEvent):
            items.append(_build(inner, stream, file, f"{key}[{len(items)}]"))
        return Entry(items, place)
    values: dict[str, Entry] = {}
    keys: dict[str, Place] = {}
    while not isinstance(inner := next(stream), yaml.MappingEndEvent):
        if not isinstance(inner, yaml.ScalarEvent):
            raise InputError("a key must be a plain word", Place(file, _line(inner)))
        name = inner.value
        path = f"{key}.{name}" if key else name
        at = Place(file, _line(inner), path)
        if name in values:
            raise InputError(f"the key {name!r} stands twice; first in line {keys[name].line}", at)
        keys[name] = at
        values[name] = _build(next(stream), stream, file, path)
    return Entry(values, place, keys)


def _scalar(event: Any, place: Place) -> Any:
    if not event.implicit[0]:
        return event.value
    tag = _RESOLVER.resolve(yaml.ScalarNode, event.value, (True, False))
    kind = tag.rpartition(":")[2]
    plain = event.value.replace("_", "")
    try:
        if kind == "int":
            # a number too long for Python to convert is kept as one that every bound refuses
            return int(plain) if len(plain) < 1000 else 10**1000
        if kind == "float":
            return float(plain)
    except ValueError:
        return event.value
    if kind == "null":
        return None
    if kind == "bool":
        # `n`, `y`, `no` and `on` are names here, as in YAML 1.2
        lowered = event.value.lower()
        return lowered == "true" if lowered in ("true", "false") else event.value
    return event.value


_RESOLVER: Any = yaml.SafeLoader("")
