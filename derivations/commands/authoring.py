"""`derive variant new NAME` and `derive variant check FILE`: for those who write a variant of their own."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError, unknown
from .output import check_output, emit, notice, write_whole

_KINDS = ("new", "check")


@click.command(
    help="Write a variant of your own: `new NAME` makes a commented file to start from, `check FILE` says "
    "everything that is wrong with one, with lines."
)
@click.argument("action", metavar="new|check")
@click.argument("name", metavar="NAME|FILE")
@click.option("-o", "--output", metavar="FILE", help="With new: the file to write, by default NAME.yaml.")
def command(action: str, name: str, output: str | None) -> None:
    """Write, or check."""
    if action not in _KINDS:
        raise unknown("action of derive variant", action, _KINDS)
    if action == "new":
        _new(name, output)
        return
    if output is not None:
        raise InputError("-o: check prints what it finds and writes no file")
    _check(name)


def _new(name: str, output: str | None) -> None:
    from ..dims import is_name
    from ..library import COMMANDS, variant_names
    from ..render.environment import plain_text

    if not is_name(name.replace("-", "_").replace(".", "_")) or name.endswith((".yaml", ".yml")):
        raise InputError(
            f"{name[:40]!r} is no name for a variant; use letters, digits and single - or _, a letter first"
        )
    if name in COMMANDS:
        raise InputError(f"{name!r} is a command of derive; give the variant another name")
    if name in variant_names():
        raise InputError(f"{name!r} is a bundled variant; give yours another name")
    path = output if output is not None else f"{name}.yaml"
    check_output(path)
    if Path(path).exists():
        raise InputError(f"{path} is there already; choose another name or another file with -o")
    write_whole(Path(path), plain_text("yaml/variant.yaml.j2", name=name))
    shown = path if "/" in path else f"./{path}"
    notice(f"wrote {path}; try `derive {shown} --order all`")


def _check(text: str) -> None:
    from ..checking import check_file
    from ..notation import Notation
    from ..resources import is_path

    if not is_path(text):
        raise InputError(f"{text[:60]}: check reads a file; its name has a slash or ends in .yaml")
    found = check_file(text)
    if found.problems:
        for problem in found.problems:
            click.echo(problem, err=True)
        count = len(found.problems)
        raise InputError(f"{count} {'thing is' if count == 1 else 'things are'} wrong with {text}")
    lines = [f"{text} is right."]
    for variant, orders, rows, state in found.variants:
        notation = Notation.of(variant.symbols, None, "decode")
        kept = [f"cached elements per token {notation.text(rows)}"]
        kept += [f"state elements {notation.text(state)}"] if state else []
        lines.append(f"  {variant.name}: orders {', '.join(orders)}; {'; '.join(kept)}")
    if found.clashes:
        lines.append(f"  options that exclude each other: {'; '.join(found.clashes)}")
    emit("\n".join(lines) + "\n", None)
