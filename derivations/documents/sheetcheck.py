"""What must hold of all quantities of a document, used or not: names, orders, depth, no circles."""

from __future__ import annotations

from ..specparts import RESERVED_ORDERS
from .described import LEDGERS, one_of
from .formulas import check_formula, named_in
from .setting import Setting
from .sheet import Sheet

__all__ = ["check_sheet"]

_DEEPEST = 20


def _deep(sheet: Sheet, name: str) -> int:
    """How many quantities stand on each other below one."""
    depth, layer = 0, {name}
    while layer and depth <= _DEEPEST:
        depth += 1
        layer = {n for one in layer for n in _parts(sheet, one)}
    return depth


def _parts(sheet: Sheet, name: str) -> set[str]:
    entry = sheet.entries[name]
    fields = sheet.fields.get(name)
    below = entry if fields is None else fields.get("limit") or fields.get("crossover")
    return {n for n in named_in(below) if n in sheet.entries} if below is not None else set()


def check_sheet(sheet: Sheet) -> None:
    """Raises InputError for a formula with a name that nobody knows, or that is made of itsheet."""
    for name, entry in sheet.entries.items():
        fields = sheet.fields.get(name)
        parts = [entry] if fields is None else []
        if fields is not None and "crossover" in fields:
            parts = fields["crossover"].items()
        elif fields is not None and "limit" in fields:
            parts = [fields["limit"]]
        for part in parts:
            check_formula(part, sheet.names())
            if name in sheet.used(part):
                raise part.fail(f"{name} is made of itself")
    for name, entry in sheet.entries.items():
        if _deep(sheet, name) > _DEEPEST:
            raise entry.fail(f"more than {_DEEPEST} quantities stand on each other")
    for name, fields in sheet.fields.items():
        if "in" in fields:
            sheet.symbol(fields["in"])
        if sheet.kind(name) in ("chain", "part"):
            sheet.quantity(name, Setting())
        elif sheet.kind(name) in LEDGERS and "order" in fields:
            variant = sheet.variant(fields[sheet.kind(name)].text())
            known = (*(order.name for order in variant.orders), *RESERVED_ORDERS)
            if "=" not in fields["order"].text():
                one_of(fields["order"], "order", known)
