"""What the layers of a released model cost and keep, kind by kind, and what that says for running it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from .conventions import Conventions
from .crossover import Crossover
from .derivation import Derivation, Study, crossover_of, derive
from .errors import InputError
from .hardware import Accelerator
from .library import load_variant
from .poly import Coefficient, Poly
from .program import Role, Variant
from .regions import build_graph
from .released import LayerGroup, Released
from .search import order_names
from .sharding import UNSPLIT, Split
from .speculation import Budget, budget_of
from .stored import Stored, stored

__all__ = ["Asked", "LayerCost", "ModelCost", "model_cost"]

CONTEXT = 8192
"""Context tokens where none are given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a model is run."""

    conventions: Conventions
    """The knobs."""
    values: Mapping[str, Coefficient]
    """Sizes given by hand: L, S, B, b."""
    gpu: Accelerator | None = None
    """The accelerator."""
    split: Split = UNSPLIT
    """Ranks."""
    layout: str = ""
    """How cached rows are stored."""
    compute: str = "bf16"
    """Element type of the arithmetic."""


@dataclass(frozen=True, slots=True)
class LayerCost:
    """The layers of one kind."""

    group: LayerGroup
    """Which."""
    derivation: Derivation
    """One step of one of them, in its best order, on one rank."""
    kept: Stored
    """What one of them keeps, on one rank."""
    whole: Stored
    """What one of them keeps, on all ranks together if there were one."""
    crossover: Crossover | None
    """Where absorbing and expanding cost the same, where it has both orders."""
    budget: Budget | None
    """How many queries are free on the accelerator."""

    @property
    def switch(self) -> Fraction | None:
        """The number of queries from which expanding costs fewer FLOPs than absorbing, at the model's sizes."""
        if self.crossover is None:
            return None
        values = {n: v for n, v in self.derivation.study.values.items() if n != "S"}
        for solution in self.crossover.solutions:
            if all(c.holds(values) for c in solution.conditions):
                found = solution.root.value(values)
                return None if found is None else Fraction(found)
        return None

    @property
    def free(self) -> int | None:
        """Queries that are free on the accelerator."""
        gpu = self.derivation.study.gpu
        if self.budget is None or gpu is None:
            return None
        return self.budget.at(self.derivation.study.values, gpu.ridge(self.derivation.study.compute))

    def value(self, quantity: Poly) -> Coefficient:
        """A quantity of what this layer keeps, as a number."""
        found = self.derivation.value(quantity)
        assert found is not None, "every size that the cache depends on is known"
        return found

    @property
    def flops(self) -> Coefficient | None:
        """Arithmetic of one step, in scope; None where a size is missing."""
        return self.derivation.value(self.derivation.flops)

    @property
    def bytes(self) -> Coefficient | None:
        """Bytes of one step, in scope; None where a size is missing."""
        return self.derivation.value(self.derivation.bytes)


@dataclass(frozen=True, slots=True)
class ModelCost:
    """A model, with what its layers cost and keep."""

    model: Released
    """Which."""
    asked: Asked
    """How it is run."""
    layers: tuple[LayerCost, ...]
    """By kind."""

    def __repr__(self) -> str:
        kinds = ", ".join(f"{layer.group.count} x {layer.derivation!r}" for layer in self.layers)
        return f"ModelCost({self.model.name}: {kinds})"

    @property
    def sequences(self) -> Fraction:
        """Sequences on one rank."""
        batch = Fraction(self.asked.values.get("B", 1))
        return Fraction(ceil(batch / self.asked.split.dp))

    def sum(self, of: str, whole: bool = True) -> Coefficient:
        """A quantity of what is kept, summed over all layers: `short`, `long`, `bytes`, `state`, ..."""
        return sum(
            (
                layer.group.count * layer.value(getattr(layer.whole if whole else layer.kept, of))
                for layer in self.layers
            ),
            Fraction(0),
        )

    @property
    def flops(self) -> Coefficient | None:
        """Arithmetic of one step over all layers, in scope, on one rank; None where a size is missing."""
        return _summed([(x.group.count, x.flops) for x in self.layers])

    @property
    def bytes(self) -> Coefficient | None:
        """Bytes of one step over all layers, in scope, on one rank; None where a size is missing."""
        return _summed([(x.group.count, x.bytes) for x in self.layers])


def _summed(parts: Sequence[tuple[int, Coefficient | None]]) -> Coefficient | None:
    total = Fraction(0)
    for count, value in parts:
        if value is None:
            return None
        total += count * value
    return total


def model_cost(model: Released, asked: Asked) -> ModelCost:
    """Derives one step of each kind of layer. Raises InputError for sizes and conventions that do not fit."""
    values: dict[str, Coefficient] = {"L": CONTEXT, **asked.values}
    if asked.conventions.phase == "decode":
        values.setdefault("S", 1)
    elif asked.conventions.phase == "verify" and "S" not in values:
        raise InputError("--phase verify: how many query tokens? Give them with --set S=4, say")
    return ModelCost(
        model, replace(asked, values=values), tuple(_layer(model, g, asked, values) for g in model.groups)
    )


def _layer(model: Released, group: LayerGroup, asked: Asked, given: Mapping[str, Coefficient]) -> LayerCost:
    variant = load_variant(group.kind.variant)
    checkpoint = model.checkpoint(group)
    values = checkpoint.values(variant.symbols)
    values |= {name: value for name, value in given.items() if name in variant.symbols}
    missing = sorted({*variant.symbols} - {*values} - {"S", "B"})
    if missing and not model.missing:
        raise InputError(
            f"{model.name}: {group.kind.variant} needs {', '.join(missing)}, which the model does not give; "
            f"give {'it' if len(missing) == 1 else 'them'} with --set"
        )
    layout = asked.layout if _keeps_rows(variant) else ""
    study = Study(variant, asked.conventions, values, checkpoint, asked.gpu, asked.split, layout, asked.compute)
    named = order_names(build_graph(variant))
    derivation = derive(study, "best" if not missing else "absorb" if "absorb" in named else named[0])
    graph = derivation.cost.graph
    alone = replace(study, split=UNSPLIT)
    return LayerCost(
        group, derivation, stored(graph, study.sizes(graph)), stored(graph, alone.sizes(graph)),
        _crossing(study), _budget(study),
    )  # fmt: skip


def _keeps_rows(variant: Variant) -> bool:
    """Whether a layout of cached rows can be about it; a recurrence beside attention keeps none."""
    return any(tensor.role is Role.CACHE for tensor in variant.tensors.values())


def _crossing(study: Study) -> Crossover | None:
    """From how many queries forming keys and values costs fewer FLOPs than absorbing."""
    if not {"absorb", "expand"} <= {*order_names(build_graph(study.variant))}:
        return None
    conventions = Conventions(phase="verify", scope="attention", pairs=study.conventions.pairs)
    asked = replace(study, conventions=conventions, values={n: v for n, v in study.values.items() if n != "S"})
    try:
        return crossover_of(asked, "absorb", "expand", "S")
    except InputError:  # no closed form
        return None


def _budget(study: Study) -> Budget | None:
    if study.gpu is None or study.conventions.caches == "none":
        return None
    values = {n: v for n, v in study.values.items() if n != "S"}
    named = order_names(build_graph(study.variant))
    order = "absorb" if "absorb" in named else named[0]
    try:
        return budget_of(
            replace(study, conventions=replace(study.conventions, phase="verify"), values=values), order
        )
    except InputError:  # no formula in S, or a chunk that decode does not fill
        return None
