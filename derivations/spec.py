"""YAML to Variant: reads a variant file, applies the options asked for, checks every field.

Names that must fit together across the file (tensors, axes, equations) are checked in `legal`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from .atoms import free_symbols
from .dims import STANDARD, Dim, is_name, latex_of_name
from .equations import Equation, parse_equation
from .errors import InputError, Place, unknown
from .expr import Comparison, parse_comparison
from .legal import check_program
from .poly import Poly
from .problems import AT_ONCE, Problems
from .program import Axis, Mask, NamedOrder, Tensor, Variant
from .specparts import axis_of, mask_of, order_of, stand_in_axis, stand_in_tensor, symbol_of, tensor_of
from .yamlfile import Entry

__all__ = ["read_variant"]

_PARTS = ("symbols", "axes", "tensors", "equations", "masks", "assume", "orders")
_TOP = ("variant", "title", "reference", "notes", *_PARTS, "options")
_LIMITS = {"axes": 40, "tensors": 80, "equations": 60, "options": 12, "orders": 20}


def read_variant(
    entry: Entry, options: Iterable[str] = (), reserved: Iterable[str] = (), problems: Problems = AT_ONCE
) -> Variant:
    """The variant in `entry` with `options` on.

    `reserved` are names a variant cannot have (commands). Raises InputError with file and line, or leaves
    what is wrong in `problems`.
    """
    top = entry.known(_TOP, ("variant", "title", "axes", "tensors", "equations"), problems)
    base = ""
    with problems.aside():
        base = _identifier(top["variant"], "variant") if "variant" in top else ""
        if base in set(reserved):
            raise top["variant"].fail(f"{base!r} is a command of derive; give the variant another name")
    offered = top["options"].mapping() if "options" in top else {}
    chosen = _chosen_options(tuple(options), offered, base)
    for one, two in combinations(chosen, 2):
        with problems.aside():
            _check_together(one, two, offered, base)
    layers = [_part(top)]
    for name in offered:
        body = offered[name].known(("title", "with", *_PARTS), (), problems)
        together = body["with"].mapping(allowed=offered) if "with" in body else {}
        if name in chosen:
            layers.append(_part(body))
            layers += [_part(together[o].mapping(_PARTS)) for o in together if o in chosen]
    parts = _Parts(problems)
    for layer in layers:
        parts.add(layer)
    title, reference, notes = "", "", tuple[str, ...]()
    with problems.aside():
        title = _title(top["title"].text(120), [offered[o] for o in chosen]) if "title" in top else ""
    with problems.aside():
        reference = top["reference"].text() if "reference" in top else ""
    with problems.aside():
        notes = top["notes"].texts() if "notes" in top else ()
    variant = parts.variant(
        name="+".join((base, *chosen)),
        base=base,
        options=chosen,
        title=title,
        reference=reference,
        notes=notes,
        place=Place(entry.place.file),
        all_options=tuple(offered),
    )
    return check_program(variant, problems)


def _check_together(one: str, two: str, offered: Mapping[str, Entry], base: str) -> None:
    """Two options may not say different things of one name, unless one says what holds when both are on."""
    first, second = (_said(offered[name]) for name in (one, two))
    settled = _settled(offered[one], two) | _settled(offered[two], one)
    for key in first:
        if key in second and first[key][0] != second[key][0] and key not in settled:
            part, name = key
            raise second[key][1].fail(
                f"the options {one} and {two} of {base} say different things of {name} ({part}); use "
                "one of them, or "
                f"say under `with` what holds when both are on"
            )


def _said(body: Entry) -> dict[tuple[str, str], tuple[Any, Entry]]:
    """What an option says of which name."""
    found: dict[tuple[str, str], tuple[Any, Entry]] = {}
    fields = body.mapping()
    for part in ("axes", "tensors", "masks", "orders"):
        for name, entry in fields[part].mapping().items() if part in fields else ():
            found[part, name] = (entry.plain(), entry)
    for entry in fields["equations"].items() if "equations" in fields else ():
        text = str(entry.value)
        found["equations", text.partition("[")[0].strip()] = ("".join(text.split()), entry)
    return found


def _settled(body: Entry, other: str) -> set[tuple[str, str]]:
    """Names of which an option says what they are when another one is on too."""
    fields = body.mapping()
    together = fields["with"].mapping() if "with" in fields else {}
    return {*_said(together[other])} if other in together else set()


def _part(mapping: Mapping[str, Entry]) -> dict[str, Entry]:
    return {key: mapping[key] for key in _PARTS if key in mapping}


def _title(title: str, options: list[Entry]) -> str:
    extra = [o.mapping()["title"].text(80) for o in options if "title" in o.mapping()]
    return ", ".join([title, *extra])


def _chosen_options(asked: tuple[str, ...], offered: Mapping[str, Entry], base: str) -> tuple[str, ...]:
    for name in asked:
        if name not in offered:
            raise unknown(f"option of {base}", name, offered)
        if asked.count(name) > 1:
            raise InputError(f"the option {name!r} of {base} is given twice")
    return tuple(name for name in offered if name in asked)


def _identifier(entry: Entry, what: str) -> str:
    text = entry.text(40)
    if not is_name(text.replace("-", "_").replace(".", "_")):
        raise entry.fail(f"{text!r} is no {what} name; use letters, digits and single - or _")
    return text


class _Parts:
    """The merged layers of a file: the base, then each option that is on."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.symbols: dict[str, Dim] = {}
        self.axes: dict[str, Axis] = {}
        self.tensors: dict[str, Tensor] = {}
        self.equations: list[Equation] = []
        self.masks: dict[str, Mask] = {}
        self.assume: list[Comparison] = []
        self.orders: dict[str, NamedOrder] = {}

    def add(self, layer: Mapping[str, Entry]) -> None:
        for key, limit in _LIMITS.items():
            if key in layer and layer[key].size() > limit:
                raise layer[key].fail(f"more than {limit} {key}")
        aside = self.problems.aside
        for name, entry in self.mapped(layer, "symbols"):
            with aside():
                self.symbols[name] = symbol_of(name, entry)
        for name, entry in self.mapped(layer, "axes"):
            with aside():
                if self.problems.gather:
                    self.axes[name] = stand_in_axis(name, entry)
                self.axes[name] = axis_of(name, entry)
        for name, entry in self.mapped(layer, "tensors"):
            with aside():
                if self.problems.gather:
                    self.tensors[name] = stand_in_tensor(name, entry)
                self.tensors[name] = tensor_of(name, entry)
        self.add_equations(layer["equations"].items() if "equations" in layer else [])
        for name, entry in self.mapped(layer, "masks"):
            with aside():
                self.masks[name] = mask_of(entry)
        for entry in layer["assume"].items() if "assume" in layer else []:
            with aside():
                self.assume.append(parse_comparison(entry.text(), entry.place))
        for name, entry in self.mapped(layer, "orders"):
            with aside():
                self.orders[name] = order_of(name, entry)

    def mapped(self, layer: Mapping[str, Entry], key: str) -> list[tuple[str, Entry]]:
        """The entries of a part whose names are names."""
        found: list[tuple[str, Entry]] = []
        with self.problems.aside():
            for name, entry in layer[key].mapping().items() if key in layer else ():
                with self.problems.aside():
                    if not is_name(name.replace("-", "_") if key == "orders" else name):
                        raise InputError(f"{name[:40]!r} is no name", layer[key].keys[name])
                    found.append((name, entry))
        return found

    def add_equations(self, entries: list[Entry]) -> None:
        """Put a layer's equations in: same left side replaces, new ones go before the next replaced.

        Where nothing of the layer is replaced after it, a new equation goes to the end.
        """
        new: list[Equation] = []
        for entry in entries:
            with self.problems.aside():
                new.append(parse_equation(entry.text(500), entry.place))
        old = {equation.name: index for index, equation in enumerate(self.equations)}
        pending: list[Equation] = []
        before: dict[int, list[Equation]] = {}
        seen: set[str] = set()
        for equation in new:
            for ref in equation.left:
                with self.problems.aside():
                    if ref.name in seen:
                        raise InputError(f"{ref.name} is defined twice", equation.place)
                seen.add(ref.name)
            pending.append(equation)
            if equation.name in old:
                before.setdefault(old[equation.name], []).extend(pending)
                pending = []
        merged: list[Equation] = []
        for index, equation in enumerate(self.equations):
            replacement = before.get(index)
            merged.extend(replacement if replacement else [equation])
        self.equations = merged + pending

    def variant(
        self,
        *,
        name: str,
        base: str,
        options: tuple[str, ...],
        title: str,
        reference: str,
        notes: tuple[str, ...],
        place: Place,
        all_options: tuple[str, ...],
    ) -> Variant:
        return Variant(
            name=name,
            base=base,
            options=options,
            title=title,
            reference=reference,
            notes=notes,
            symbols=self.all_symbols(),
            axes=self.axes,
            tensors=self.tensors,
            equations=tuple(self.equations),
            masks=self.masks,
            assume=tuple(self.assume),
            orders=tuple(self.orders.values()),
            place=place,
            all_options=all_options,
        )

    def all_symbols(self) -> dict[str, Dim]:
        """Every symbol the sizes use, with the best meaning there is."""
        sizes = [axis.size for axis in self.axes.values()]
        sizes += [t.width for t in self.tensors.values()]
        sizes += [m.size for m in self.masks.values() if m.size is not None]
        sizes += [c.slack for c in self.assume]
        used = {"L", "S", "B", "b"}.union(*(free_symbols(size) for size in sizes))
        whole = {axis.size: axis.meaning for axis in reversed(self.axes.values())}  # the first of a size
        found = {}
        for name in sorted(used):
            known = self.symbols.get(name) or STANDARD.get(name)
            meaning = whole.get(Poly.symbol(name), "")
            found[name] = known or Dim(name, latex_of_name(name), meaning)
            if name in STANDARD and name not in self.symbols and meaning:
                found[name] = replace(STANDARD[name], meaning=meaning)
        return found
