"""What commands write: to stdout, to files that are written whole or not at all, and words beside them."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import click

from ..errors import InputError

__all__ = ["Ticker", "check_output", "emit", "notice", "write_whole"]


class Ticker:
    """Progress of long work: one line on a terminal's stderr that rewrites itself, and goes away."""

    def __init__(self) -> None:
        self.shown = sys.stderr is not None and sys.stderr.isatty()
        self.start = self.last = time.monotonic()

    def __enter__(self) -> Ticker:
        return self

    def __exit__(self, *error: object) -> None:
        if self.last > self.start:
            click.echo("\r\033[K", err=True, nl=False)

    def say(self, text: str) -> None:
        """Show what is being done, from the second second on."""
        now = time.monotonic()
        if self.shown and now - self.start > 1 and now - self.last > 0.1:
            self.last = now
            click.echo(f"\r\033[K{text[:78]}", err=True, nl=False)


def notice(text: str) -> None:
    """One line on stderr that is no error."""
    click.echo(f"derive: {text}", err=True)


def check_output(output: str | None, option: str = "-o") -> None:
    """Raises InputError when the file cannot be written, before any work is done."""
    if output is None:
        return
    if not output:
        raise InputError(f"{option}: the name of the file is empty")
    try:
        _check_file(Path(output), output, option)
    except (OSError, RuntimeError, ValueError) as error:  # a name too long, links in a ring, a byte of zero
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{option} {output[:60]!r} cannot be the name of a file: {reason.lower()}") from None


def _check_file(path: Path, output: str, option: str) -> None:
    folder = path.parent
    if path.is_dir() or output.endswith(("/", os.sep)):
        raise InputError(f"{option} {output}: is a folder; give the name of a file in it")
    if not folder.is_dir():
        raise InputError(f"{option} {output}: there is no folder {folder}; make it first")
    path.resolve()  # raises where links lead round in a ring
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"{option} {output}: cannot be written; check its permissions")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{option} {output}: cannot be written; check the permissions of {folder}")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole or not at all.

    A link leads to its target; a device or a pipe is written to as it is.
    """
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
        path = path.resolve()
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                stream.write(data)
            return
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".derive.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, RuntimeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(f"cannot write {path}: {reason}") from None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def emit(text: str, output: str | None) -> None:
    """To the file, or to stdout."""
    if output is not None:
        write_whole(Path(output), text)
        return
    if sys.stdout is None:
        raise InputError("there is no standard output; write to a file with -o")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(
            f"cannot write to standard output: {(error.strerror or 'no reason given').lower()}"
        ) from None
