"""The fields of a config.json, read by name: which were used, what each decided, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, Place
from .jsonfile import kind_of, line_of
from .vocabulary import ALIASES

__all__ = ["Decision", "Fields", "shown", "unread"]

MOST = 10**9
"""No size of a layer comes near."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a field led to."""

    fields: tuple[str, ...]
    """The fields, with their values: `head_dim = 64`."""
    text: str
    """What was decided, a phrase."""


class Fields:
    """Fields with what was read of them; `null` counts as absent."""

    def __init__(self, values: Mapping[str, Any], file: str, text: str, inside: str = "") -> None:
        self.values = {name: value for name, value in values.items() if value is not None}
        self.nulls = frozenset(name for name, value in values.items() if value is None)
        """What is there and says nothing."""
        self.file, self.text, self.inside = file, text, inside
        self.used: set[str] = set()
        self.assumed: frozenset[str] = frozenset()
        """What was given by hand, which other names of the same field do not contradict."""
        self.decisions: list[Decision] = []
        self.gaps: dict[str, str] = {}
        """Fields that are missing and that only FLOPs and bytes of a step need -> what they are."""

    def place(self, name: str) -> Place:
        """Where a field stands."""
        key = f"{self.inside}.{name}" if self.inside else name
        return Place(self.file, line_of(self.text, name), shown(key))

    def fail(self, name: str, message: str) -> InputError:
        """An error about a field."""
        return InputError(message, self.place(name))

    def missing(self, name: str, why: str) -> InputError:
        """The error for a field that is needed and absent."""
        return InputError(
            f"the field '{name}' is missing: {why}; add it, or say it with --assume {name}=VALUE",
            Place(self.file),
        )

    def named(self, name: str) -> str | None:
        """The name under which a field is there; all its names must agree. Raises InputError where they
        do not.
        """
        found = [alias for alias in (name, *ALIASES.get(name, ())) if alias in self.values]
        self.used.update(found)
        if name in self.assumed:
            return name
        for other in found[1:]:
            if self.values[other] != self.values[found[0]]:
                raise self.fail(
                    other,
                    f"{other} is {shown(self.values[other])} and {found[0]} is {shown(self.values[found[0]])}; "
                    "they say the same thing, so one of them is wrong",
                )
        return found[0] if found else None

    def has(self, name: str) -> bool:
        """Whether a field is there, under any of its names."""
        return self.named(name) is not None

    def get(self, name: str) -> Any:
        """A field's value, or None."""
        found = self.named(name)
        return None if found is None else self.values[found]

    def integer(self, name: str, least: int = 1, most: int = MOST) -> int | None:
        """A whole number within bounds, or None where the field is absent."""
        found = self.named(name)
        return None if found is None else self.whole(found, self.values[found], least, most)

    def whole(self, name: str, value: Any, least: int = 1, most: int = MOST) -> int:
        """`value` as a whole number within bounds; `name` is the field it stands in."""
        if isinstance(value, float) and value.is_integer() and abs(value) <= MOST:
            raise self.fail(name, f"{shown(value)} is a decimal; write it as {int(value)}")
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail(name, f"expected a whole number, found {kind_of(value)} ({shown(value)})")
        if not least <= value <= most:
            number = value if abs(value) < 10**20 else "the number"
            raise self.fail(name, f"{number} is out of range; it must be {least} to {most}")
        return value

    def need(self, name: str, why: str, least: int = 1) -> int:
        """A whole number that must be there."""
        found = self.integer(name, least)
        if found is None:
            raise self.missing(name, why)
        return found

    def want(self, name: str, why: str) -> int | None:
        """A whole number that what is kept does not depend on; where it is absent, that is noted."""
        found = self.integer(name)
        if found is None:
            null = next((alias for alias in (name, *ALIASES.get(name, ())) if alias in self.nulls), None)
            if null is not None:
                raise self.fail(null, f"{null} is null, and it is {why}")
            self.gaps.setdefault(name, why)
        return found

    def flag(self, name: str) -> bool | None:
        """true or false, or None where the field is absent."""
        found = self.named(name)
        if found is None:
            return None
        if not isinstance(self.values[found], bool):
            value = self.values[found]
            raise self.fail(found, f"expected true or false, found {kind_of(value)} ({shown(value)})")
        return self.values[found]

    def listed(self, name: str) -> tuple[Any, ...] | None:
        """A list, or None where the field is absent or the list is empty."""
        found = self.named(name)
        if found is None:
            return None
        value = self.values[found]
        if not isinstance(value, list):
            raise self.fail(found, f"expected a list, found {kind_of(value)} ({shown(value)})")
        return tuple(value) or None

    def inner(self, name: str) -> Fields | None:
        """An object's fields, or None where it is absent."""
        found = self.named(name)
        if found is None:
            return None
        value = self.values[found]
        if not isinstance(value, dict):
            raise self.fail(found, f"expected an object, found {kind_of(value)} ({shown(value)})")
        return Fields(value, self.file, self.text, f"{self.inside}.{found}" if self.inside else found)

    def over(self, values: Mapping[str, Any]) -> Fields:
        """The same with some fields given another value, for one kind of layer; what is read is noted here."""
        made = Fields({**self.values, **values}, self.file, self.text, self.inside)
        made.used, made.decisions, made.assumed = self.used, self.decisions, self.assumed
        made.nulls, made.gaps = self.nulls, self.gaps
        return made

    def say(self, text: str, *names: str) -> None:
        """Note what some fields led to, once."""
        parts = []
        for name in names:
            found = self.named(name)
            parts.append(f"{found} = {shown(self.values[found])}" if found else f"no {name}")
        decision = Decision(tuple(parts), text)
        if decision not in self.decisions:
            self.decisions.append(decision)


def shown(value: Any, longest: int = 48) -> str:
    """A value for messages: one line, no control characters, cut."""
    if isinstance(value, dict):
        text = "{" + ", ".join(str(name) for name in value) + "}"
    elif isinstance(value, list | tuple) and len(value) > 4:
        text = f"[{', '.join(shown(v, 20) for v in value[:4])}, ...] ({len(value)} entries)"
        longest = 90
    elif isinstance(value, str):
        text = value
    elif isinstance(value, bool) or value is None:
        text = {True: "true", False: "false", None: "null"}[value]
    elif isinstance(value, int) and abs(value) >= 10**20:
        text = "a number of more than 20 digits"
    else:
        text = str(value)
    clean = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: 4 * longest])
    return clean if len(clean) <= longest else clean[: longest - 3] + "..."


def unread(fields: Fields, ignored: Iterable[str] = ()) -> list[str]:
    """Names of fields that nothing read."""
    skip = {*ignored}
    return [name for name in fields.values if name not in fields.used and name not in skip]
