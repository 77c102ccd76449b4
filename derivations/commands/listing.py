"""`derive list KIND`: what ships with derive."""

from __future__ import annotations

from typing import Any

import click

from .options import check_output, emit

KINDS = ("variants", "models", "gpus", "orders", "notations", "conventions")


@click.command(
    help=f"List what there is. KIND is one of {', '.join(KINDS)}; `orders` may be followed by a variant."
)
@click.argument("kind")
@click.argument("of", metavar="[VARIANT]", required=False)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file, whole or not at all.")
def command(kind: str, of: str | None, as_json: bool, output: str | None) -> None:
    """Print names with a phrase each."""
    from ..errors import InputError, unknown

    check_output(output)
    if kind not in KINDS:
        raise unknown("kind of list", kind, KINDS)
    if of is not None and kind != "orders":
        raise InputError(f"only `derive list orders` takes a variant; {of[:40]!r} is one word too many")
    rows = _rows(kind, of)
    if as_json:
        import json

        data = {"schema": "derive/1", kind: rows}
        emit(json.dumps(data, indent=2, ensure_ascii=False) + "\n", output)
        return
    if not rows:
        emit(f"{of} names no orders; it has one, direct: the program as written\n", output)
        return
    width = max(len(row["name"]) for row in rows)
    emit(
        "".join(f"{row['name'].ljust(width)}  {row['title']}".rstrip() + "\n" for row in rows),
        output,
    )


def _rows(kind: str, of: str | None) -> list[dict[str, Any]]:
    if kind == "orders":
        from ..library import load_variant, variant_names

        wanted = [of] if of is not None else list(variant_names())
        found = [(name, order) for name in wanted for order in load_variant(name).orders]
        return [
            {"name": order.name if of else f"{name} {order.name}", "title": order.title}
            for name, order in found
        ]
    if kind == "conventions":
        from ..conventions import KNOBS

        return [
            {"name": f"{name} {value}", "title": meaning}
            for name, knob in KNOBS.items()
            for value, meaning in knob.values.items()
        ]
    from ..resources import names

    folder = {
        "variants": "variants",
        "models": "checkpoints",
        "gpus": "hardware",
        "notations": "notations",
    }[kind]
    return [{"name": name, **_described(folder, name)} for name in names("models", folder)]


def _described(folder: str, name: str) -> dict[str, Any]:
    """Title and, for variants, options: read without building anything."""
    from ..resources import resource
    from ..yamlfile import read_yaml

    fields = read_yaml(resource("models", folder, f"{name}.yaml"), f"models/{folder}/{name}.yaml").mapping()
    title = fields["title"].text(120)
    if folder == "variants" and "options" in fields:
        options = list(fields["options"].mapping())
        return {"title": f"{title}; options: {', '.join(options)}", "options": options}
    if folder == "checkpoints":
        on = fields["options"].texts() if "options" in fields else ()
        return {"title": f"{title} ({'+'.join([fields['variant'].text(), *on])})"}
    return {"title": title}
