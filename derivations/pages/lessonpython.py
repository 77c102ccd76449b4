"""The quantities of a lesson in Python: a cell that derives them with the public API."""

from __future__ import annotations

from collections.abc import Iterator

from ..conventions import KNOBS
from ..lessons.lesson import Lesson
from ..report import Block, Code, Heading, prose

__all__ = ["python_blocks"]

_ATTRIBUTES = {
    "flops": "flops", "bytes": "bytes", "intensity": "intensity", "elements": "cache_elements",
    "row": "cache_bytes",
}  # fmt: skip
_MOST = 8
"""Quantities that are shown."""
_HEAD = """import derivations as d


def derived(variant, order="direct", **knobs):
    return d.derive(d.Study(d.load_variant(variant), d.Conventions(**knobs)), order)


"""


def python_blocks(lesson: Lesson) -> list[Block]:
    """The section, or nothing where no quantity is a whole ledger."""
    lines = list(_lines(lesson))[:_MOST]
    if not lines:
        return []
    names = [line.partition(" ")[0] for line in lines]
    text = _HEAD + "\n".join([*lines, ", ".join(names) + ("," if len(names) == 1 else "")])
    words = "The quantities of this lesson, derived with sizes as symbols:"
    return [Heading("In Python"), prose(words), Code(text, "python")]


def _lines(lesson: Lesson) -> Iterator[str]:
    """An assignment for each quantity that is the sum over a scope of a ledger, and nothing less."""
    for name, fields in lesson.sheet.fields.items():
        kind = lesson.sheet.kind(name)
        if kind not in _ATTRIBUTES or not set(fields) <= {kind, "order", *KNOBS}:
            continue
        words = [repr(fields[kind].text())]
        words += [repr(fields["order"].text())] if "order" in fields else []
        words += [f"{key.replace('-', '_')}={fields[key].text()!r}" for key in KNOBS if key in fields]
        yield f"{name} = derived({', '.join(words)}).{_ATTRIBUTES[kind]}".replace("'", '"')
