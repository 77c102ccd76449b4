"""Finds the files that ship with derive: in a wheel beside the package, in a checkout above it."""

from __future__ import annotations

from pathlib import Path

from .errors import InputError

__all__ = ["folder", "is_document", "is_path", "names", "resource"]

_ENDINGS = (".yaml", ".yml")
_PACKAGE = Path(__file__).resolve().parent


def folder(*parts: str) -> Path:
    """The folder `templates` or `models` (and below). Raises InputError when it did not ship."""
    for root in (_PACKAGE / "_resources", _PACKAGE.parent):
        candidate = root.joinpath(*parts)
        if candidate.is_dir():
            return candidate
    raise InputError(f"this installation of derive lacks the folder {'/'.join(parts)}; install it again")


def names(*parts: str, suffix: str = ".yaml") -> tuple[str, ...]:
    """Names of the files in a folder, without their ending, sorted."""
    found = (path.name for path in folder(*parts).iterdir() if path.name.endswith(suffix))
    return tuple(sorted(name[: -len(suffix)] for name in found))


def resource(*parts: str) -> Path:
    """One bundled file; the caller knows that it is there."""
    return folder(*parts[:-1]) / parts[-1]


def is_path(text: str) -> bool:
    """Whether a name given on the command line is a file: it has a slash or ends in .yaml."""
    name = text.partition("+")[0]
    return "/" in text or "\\" in text or text.endswith(_ENDINGS) or name.endswith(_ENDINGS)


def is_document(name: str) -> bool:
    """Whether a bundled file of claims is about a whole document: it says so in its first line."""
    with resource("models", "claims", f"{name}.yaml").open(encoding="utf-8") as stream:
        return stream.readline().startswith("document:")
