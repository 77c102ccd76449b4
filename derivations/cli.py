"""The command line: `derive VARIANT`, and commands that are imported only when run.

Errors are one sentence on stderr and exit status 2; a traceback is a bug in derive.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from .errors import DeriveError, InputError, nearest, unknown

__all__ = ["main"]

_COMMANDS = {
    "article": ("article", "The documents derived again, every claim of theirs judged."),
    "compare": ("compare", "Several variants side by side."),
    "completion": ("completion", "Print the script for completion in bash, zsh or fish."),
    "crossover": ("crossover", "Where one order overtakes another, in closed form."),
    "einsum": ("einsum", "Contraction orders of any expression, such as ab,bc,cd->ad."),
    "explore": ("explore", "A page with sliders: what attention costs, at any sizes."),
    "lesson": ("lesson", "A lesson of the course, or the list of them."),
    "model": ("model", "A released model, or any config.json, layer by layer."),
    "list": ("listing", "What there is: variants, models, gpus, orders, claims, notations, conventions."),
    "orders": ("orders", "Every order of a variant: which can be best, and where."),
    "prove": ("prove", "Claims about a variant, or your own: proved, refuted or open."),
    "quiz": ("quiz", "Exercises: answers and usual mistakes derived; asked here, or printed."),
    "roofline": ("roofline", "Variants under the roof of an accelerator."),
    "speculate": ("speculate", "How many query tokens are free, and what drafting gains."),
    "variant": ("authoring", "Start a variant of your own, or check one."),
    "report": ("report", "Derive and render everything into a folder."),
}

_HELP = """Derive what attention costs: FLOPs, HBM bytes, arithmetic intensity and crossovers, in closed
form, from a variant's index equations.

\b
  derive mla --order absorb --latex
  derive mla --order expand --model deepseek-v3 --set L=8192
  derive crossover mla absorb expand --in S --model kimi-k3 --set L=32768
  derive orders mla --phase verify --model kimi-k3
  derive einsum ab,bc,cd->ad --constant 1,2
  derive compare mha gqa mqa mla --model llama-3.3-70b --set L=8192
  derive ./mine.yaml --order all --json

VARIANT is a bundled name (`derive list variants`), with options after plus signs, or a YAML file
of your own: anything with a slash or ending in .yaml. `derive VARIANT --help` lists the options.
"""


class _Derive(click.Group):
    """A group whose unknown words are variants."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS:
            module = import_module(f".commands.{_COMMANDS[cmd_name][0]}", __package__)
            command: click.Command = module.command
            return command
        if cmd_name.startswith("-"):
            return None
        _no_misspelled_command(cmd_name)
        from .commands.variant import variant_command

        return variant_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_COMMANDS.items())])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from .resources import names

        words = [*sorted(_COMMANDS), *names("models", "variants")]
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _no_misspelled_command(word: str) -> None:
    """A word that is closer to a command than to a variant gets the command named."""
    from .resources import is_path, names

    variants = names("models", "variants")
    if is_path(word) or word.partition("+")[0] in variants:
        return
    if nearest(word, [*_COMMANDS, *variants]) in _COMMANDS:
        raise unknown("command", word, _COMMANDS)


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"derive {version('derivations')}")
    context.exit()


@click.group(
    cls=_Derive,
    help=_HELP,
    subcommand_metavar="VARIANT | COMMAND [OPTIONS]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version,
              help="Show the version and exit.")  # fmt: skip
def _root() -> None:
    pass


def _usage(error: click.UsageError) -> str:
    """click's complaint as one sentence with the nearest known name."""
    if isinstance(error, click.NoSuchOption):
        params = error.ctx.command.params if error.ctx else []
        known = [o for p in params for o in p.opts if o.startswith("-")]
        return str(unknown("option", error.option_name, [*known, "--help"]))
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the command `derive`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        result = _root.main(arguments, prog_name="derive", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(2)
    except click.UsageError as error:
        _fail(_usage(error))
    except click.ClickException as error:
        _fail(error.format_message())
    except InputError as error:
        _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("derive: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output left; point stdout elsewhere so that closing it stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except DeriveError as error:
        _fail(str(error))
    except Exception as error:
        if os.environ.get("DERIVE_DEBUG"):
            raise
        click.echo(
            f"derive: a bug in derive ({type(error).__name__}: {error}); set DERIVE_DEBUG=1 to see where",
            err=True,
        )
        sys.exit(70)


def _fail(message: str) -> None:
    text = " ".join(message.split())
    click.echo(f"derive: error: {text}", err=True)
    sys.exit(2)
