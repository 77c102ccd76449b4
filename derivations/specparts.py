"""The entries of a variant file, one kind each: symbols, axes, tensors, masks and named orders."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from .atoms import free_symbols
from .dims import Dim, check_latex, latex_of_name
from .errors import nearest, unknown
from .expr import parse_size
from .poly import Poly
from .program import Axis, AxisKind, Mask, MaskKind, NamedOrder, Role, Stage, Tensor
from .yamlfile import Entry

__all__ = [
    "RESERVED_ORDERS", "axis_of", "mask_of", "order_of", "stand_in_axis", "stand_in_tensor", "symbol_of",
    "tensor_of",
]  # fmt: skip

RESERVED_ORDERS = ("all", "best", "direct")
"""Order names with a meaning of their own: every named one, the cheapest, all intermediates formed."""
E = TypeVar("E", bound=StrEnum)


def _latex(fields: Mapping[str, Entry], name: str) -> str:
    if "latex" not in fields:
        return latex_of_name(name)
    return check_latex(fields["latex"].text(), fields["latex"].place)


def symbol_of(name: str, entry: Entry) -> Dim:
    fields = entry.mapping(allowed=("latex", "meaning"))
    meaning = fields["meaning"].text(120) if "meaning" in fields else ""
    return Dim(name, _latex(fields, name), meaning, name != "b")


def axis_of(name: str, entry: Entry) -> Axis:
    if not isinstance(entry.value, dict):
        entry = Entry({"size": entry}, entry.place)
    fields = entry.mapping(allowed=("size", "meaning", "kind", "every"))
    if "every" in fields:
        return _entries(name, fields)
    if "size" not in fields:
        raise entry.fail("the key 'size' is missing")
    size = parse_size(fields["size"].text(), fields["size"].place)
    symbols = free_symbols(size)
    kind = AxisKind.OTHER
    if "kind" in fields:
        kind = _choice(fields["kind"], AxisKind, "axis kind")
    elif size == Poly.symbol("S"):
        kind = AxisKind.QUERY
    elif "L" in symbols:
        kind = AxisKind.CONTEXT
    return Axis(name, size, kind, fields["meaning"].text(120) if "meaning" in fields else "")


def _entries(name: str, fields: Mapping[str, Entry]) -> Axis:
    """An axis of entries, one for every so many query tokens: S/m of them a step, on average."""
    for key in ("size", "kind"):
        if key in fields:
            raise fields[key].fail(f"'every' says the size and the kind of the axis; leave {key} out")
    tokens = parse_size(fields["every"].text(), fields["every"].place)
    fixed = {"S", "L", "b", "B"} & free_symbols(tokens)
    whole = all(e > 0 for powers, _ in tokens.powers() for e in powers.values())
    if len(tokens.terms) != 1 or fixed or not whole or any(c != int(c) for c in tokens.terms.values()):
        raise fields["every"].fail("one entry comes every so many tokens: a number or one product of symbols")
    meaning = fields["meaning"].text(120) if "meaning" in fields else ""
    return Axis(name, Poly.symbol("S") * tokens.inverse(), AxisKind.QUERY, meaning, average=True)


def tensor_of(name: str, entry: Entry) -> Tensor:
    allowed = ("axes", "role", "width", "stage", "latex", "meaning", "scan")
    fields = entry.mapping(allowed=allowed, required=("axes", "role"))
    role = _choice(fields["role"], Role, "role")
    stage = _choice(fields["stage"], Stage, "stage") if "stage" in fields else None
    if stage is not None and role not in (Role.WEIGHT, Role.TEMPORARY):
        raise fields["stage"].fail(
            "a stage belongs to a weight, or to an intermediate for the step that makes it"
        )
    if stage in (Stage.CORE, Stage.OFFLINE):
        raise fields["stage"].fail(
            f"the stage {stage} follows from the axes; a weight has lift, output, indexer or projection"
        )
    if "scan" in fields and role is not Role.STATE:
        raise fields["scan"].fail("only a state is updated along an axis")
    width = Poly.symbol("b")
    if "width" in fields:
        width = parse_size(fields["width"].text(), fields["width"].place)
    return Tensor(
        name=name,
        axes=fields["axes"].texts(),
        role=role,
        latex=_latex(fields, name),
        meaning=fields["meaning"].text(160) if "meaning" in fields else "",
        width=width,
        stage=stage,
        scan=fields["scan"].text(40) if "scan" in fields else None,
        place=fields["axes"].place,
    )


def _choice(entry: Entry, kind: type[E], what: str) -> E:
    text = entry.text(30)
    if text not in {member.value for member in kind}:
        raise unknown(what, text, [member.value for member in kind], entry.place)
    return kind(text)


def mask_of(entry: Entry) -> Mask:
    fields = entry.mapping(allowed=("kind", "size", "selector"), required=("kind",))
    kind = _choice(fields["kind"], MaskKind, "mask")
    sized = kind in (MaskKind.WINDOW, MaskKind.CHUNK, MaskKind.TOP_N)
    if sized != ("size" in fields):
        raise entry.fail(f"a {kind} mask {'needs a' if sized else 'has no'} size")
    if "selector" in fields and kind is not MaskKind.TOP_N:
        raise fields["selector"].fail("only a top-n mask has a selector")
    size = parse_size(fields["size"].text(), fields["size"].place) if sized else None
    selector = fields["selector"].text(40) if "selector" in fields else None
    return Mask(kind, size, selector, entry.place)


def order_of(name: str, entry: Entry) -> NamedOrder:
    fields = entry.mapping(allowed=("form", "avoid", "title"))
    if name in RESERVED_ORDERS:
        raise entry.fail(f"{name!r} has a meaning of its own as an order; choose another name")
    forms = fields["form"].texts() if "form" in fields else ()
    avoids = fields["avoid"].texts() if "avoid" in fields else ()
    if not forms and not avoids:
        raise entry.fail("an order says which intermediates it forms or avoids; this one says neither")
    both = set(forms) & set(avoids)
    if both:
        raise entry.fail(f"the order both forms and avoids {sorted(both)[0]}")
    title = fields["title"].text(160) if "title" in fields else ""
    return NamedOrder(name, forms, avoids, title, entry.place)


def stand_in_axis(name: str, entry: Entry) -> Axis:
    """An axis in place of one that cannot be read, so that what uses it can still be looked at."""
    said = entry.value if not isinstance(entry.value, dict) else getattr(entry.value.get("size"), "value", "")
    text = str(said)
    kind = AxisKind.QUERY if text == "S" else AxisKind.CONTEXT if "L" in text else AxisKind.OTHER
    return Axis(name, Poly.symbol(f"size_of_{name}"), kind, "")


def stand_in_tensor(name: str, entry: Entry) -> Tensor:
    """The same for a tensor: its axes where they are texts, its role where it is one, else a weight."""
    fields = entry.value if isinstance(entry.value, dict) else {}
    axes = fields["axes"].value if "axes" in fields else ()
    words = tuple(str(axis.value) for axis in axes) if isinstance(axes, list) else ()
    role = str(fields["role"].value) if "role" in fields else ""
    meant = nearest(role, [member.value for member in Role]) or Role.WEIGHT
    return Tensor(name, words, Role(meant), latex_of_name(name))
