"""`derive completion SHELL`."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command(
    help="Print the completion script for SHELL: bash, zsh or fish. Put it where your shell reads it."
)
@click.argument("shell")
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print click's script for the shell."""
    from click.shell_completion import get_completion_class

    from ..errors import unknown

    kind = get_completion_class(shell) if shell in SHELLS else None
    if kind is None:
        raise unknown("shell", shell, SHELLS)
    script = kind(context.find_root().command, {}, "derive", "_DERIVE_COMPLETE")
    click.echo(script.source())
