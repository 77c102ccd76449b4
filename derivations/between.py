"""Where two variants cost the same: an order of one against an order of the other."""

from __future__ import annotations

from dataclasses import replace

from .crossover import Crossover
from .derivation import Study, derive
from .errors import InputError, unknown
from .poly import Poly
from .regimes import cross_in_regimes

__all__ = ["crossover_between"]


def crossover_between(
    studies: tuple[Study, Study], orders: tuple[str, str], symbol: str, measure: str = "flops"
) -> tuple[Crossover, Study]:
    """Where they cost the same in `symbol`, in `flops` or `bytes` of the scope, and a study of both.

    Sizes of one name are one size. Raises InputError for a symbol nobody has,
    and where there is no closed form.
    """
    both = _joined(*studies)
    if symbol not in both.variant.symbols:
        raise unknown("symbol", symbol, both.variant.symbols)
    if symbol == "S" and both.conventions.phase != "verify":
        raise InputError(f"S is not free in {both.conventions.phase}; use --phase verify, or --in L")
    if measure not in ("flops", "bytes"):
        raise InputError(
            "--measure time compares two orders of one variant; for two variants use flops or bytes"
        )
    names = tuple(_name(study, order) for study, order in zip(studies, orders, strict=True))
    if names[0] == names[1]:
        raise InputError(f"a crossover needs two different things, and {names[0]} was given twice")
    found = [derive(replace(study, values={}), order) for study, order in zip(studies, orders, strict=True)]
    costs: tuple[Poly, Poly] = (getattr(found[0], measure), getattr(found[1], measure))
    crossover = cross_in_regimes(*costs, symbol, (names[0], names[1]), both.variant.facts)
    return replace(crossover, costs=costs), both


def _name(study: Study, order: str) -> str:
    return study.variant.name if order == "direct" else f"{study.variant.name}:{order}"


def _joined(first: Study, second: Study) -> Study:
    """One study with the symbols, sizes and assumptions of both."""
    one, two = first.variant, second.variant
    for name in {*first.values} & {*second.values}:
        if first.values[name] != second.values[name]:
            raise InputError(
                f"{name} is {first.values[name]} for {one.name} and {second.values[name]} for {two.name}; in a "
                "crossover it is one size: set it with --set"
            )
    references = "; ".join(dict.fromkeys(v.reference for v in (one, two) if v.reference))
    variant = replace(
        one, name=f"{one.name} against {two.name}",
        title=f"{one.title} and {two.title[:1].lower()}{two.title[1:]}",
        reference=references, symbols={**two.symbols, **one.symbols}, assume=(*one.assume, *two.assume),
    )  # fmt: skip
    return replace(first, variant=variant, values={**second.values, **first.values})
