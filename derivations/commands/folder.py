"""The folder that a command writes its files into."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError

__all__ = ["output_folder"]


def output_folder(output: str) -> Path:
    """The folder to write into, before anything is derived. Raises InputError where there can be none."""
    folder = Path(output)
    if not output:
        raise InputError("-o: the name of the folder is empty")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"-o {output}: is a file; give the name of a folder")
    if not folder.parent.is_dir():
        raise InputError(f"-o {output}: there is no folder {folder.parent}; make it first")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"-o {output}: cannot make the folder: {reason}") from None
    return folder
