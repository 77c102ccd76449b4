"""`derive report -o DIR`: every bundled report, written file by file."""

from __future__ import annotations

import sys

import click

from .folder import output_folder
from .output import notice, write_whole


@click.command(help="Derive and render every bundled report into a folder (made if it is not there).")
@click.option("-o", "--output", metavar="DIR", default="reports", help="The folder (reports).")
def command(output: str) -> None:
    """Write the files; those that did not change are left alone."""
    from ..drawing import can_draw
    from ..errors import InputError
    from ..publish import pages

    folder = output_folder(output)
    count = changed = 0
    for page in pages():
        path = folder / page.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise InputError(f"cannot make the folder {path.parent}: {reason}") from None
        count += 1
        if not path.exists() or path.read_text(encoding="utf-8") != page.text:
            write_whole(path, page.text)
            changed += 1
        if sys.stderr.isatty():
            click.echo(f"\r{count} files  {page.path[:60].ljust(60)}", nl=False, err=True)
    if not can_draw():
        notice("plots are left out; pip install 'derivations[plots]' has what draws them")
    notice(f"{count} files in {folder}, {changed} of them new or changed")
