"""`derive list KIND`: what ships with derive."""

from __future__ import annotations

from typing import Any

import click

from .output import check_output, emit

KINDS = ("variants", "models", "gpus", "orders", "claims", "notations", "conventions")


@click.command(
    help=f"List what there is. KIND is one of {', '.join(KINDS)}; a variant may follow `orders` and `claims`."
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
    if of is not None and kind not in ("orders", "claims"):
        raise InputError(f"only lists of orders and of claims take a variant; {of[:40]!r} is one word too many")
    rows = _rows(kind, of)
    if as_json:
        import json

        emit(json.dumps({"schema": "derive/1", kind: rows}, indent=2, ensure_ascii=False) + "\n", output)
        return
    if not rows:
        emit(f"{of} names no orders; it has one, direct: the program as written\n", output)
        return
    lines = [_line(kind, row, of) for row in rows]
    width = max(len(name) for name, _ in lines)
    emit("".join(f"{name.ljust(width)}  {title}".rstrip() + "\n" for name, title in lines), output)


def _line(kind: str, row: dict[str, Any], of: str | None) -> tuple[str, str]:
    """A row as name and phrase."""
    if kind == "orders":
        return row["name"] if of else f"{row['variant']} {row['name']}", row["title"]
    if kind == "conventions":
        return f"{row['name']} {row['value']}", row["meaning"] + (" (default)" if row["default"] else "")
    title = row["title"]
    if row.get("options") and kind == "variants":
        title += f"; options: {', '.join(row['options'])}"
    if kind == "models":
        title += f" ({'+'.join([row['variant'], *row['options']])})"
    return row["name"], title


def _claims(of: str | None) -> list[dict[str, Any]]:
    """The bundled claims; with a variant, also what its orders claim of themselves."""
    from ..claimfile import bundled_claims, load_claims
    from ..storing import assertions_about

    if of is not None:
        found = assertions_about(of)
    else:
        found = [claim for name in bundled_claims() for claim in load_claims(name).assertions]
    rows = [{"name": a.id, "title": a.says, "variants": list(a.about), "expect": a.expect} for a in found]
    return rows if of is not None else [*rows, *_of_documents()]


def _of_documents() -> list[dict[str, Any]]:
    """What the documents claim; `derive article --claim` takes these names."""
    from ..articles import documents
    from ..documents.reading import load_document

    return [
        {"name": claim.id, "title": claim.says or claim.where, "variants": [], "expect": claim.expect}
        for name in documents()
        for claim in load_document(name).claims()
    ]


def _rows(kind: str, of: str | None) -> list[dict[str, Any]]:
    if kind == "claims":
        return _claims(of)
    if kind == "orders":
        from ..library import load_variant, variant_names

        wanted = [of] if of is not None else list(variant_names())
        found = [(name, order) for name in wanted for order in load_variant(name).orders]
        return [{"variant": name, "name": order.name, "title": order.title} for name, order in found]
    if kind == "conventions":
        from ..conventions import KNOBS

        return [
            {"name": name, "value": value, "meaning": meaning, "default": value == next(iter(knob.values))}
            for name, knob in KNOBS.items()
            for value, meaning in knob.values.items()
        ]
    from ..resources import names

    folders = {"variants": "variants", "models": "checkpoints", "gpus": "hardware"}
    folder = folders.get(kind, kind)
    return [{"name": name, **_described(folder, name)} for name in names("models", folder)]


def _described(folder: str, name: str) -> dict[str, Any]:
    """Title, variant and options: read without building anything."""
    from ..resources import resource
    from ..yamlfile import read_yaml

    fields = read_yaml(resource("models", folder, f"{name}.yaml"), f"models/{folder}/{name}.yaml").mapping()
    row: dict[str, Any] = {"title": fields["title"].text(120)}
    if folder == "variants":
        row["options"] = list(fields["options"].mapping()) if "options" in fields else []
    if folder == "checkpoints":
        row["variant"] = fields["variant"].text()
        row["options"] = list(fields["options"].texts()) if "options" in fields else []
    return row
