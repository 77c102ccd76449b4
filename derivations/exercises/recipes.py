"""Recipes of exercises: which quantity of which variants at which sizes, and how one is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from ..conventions import Conventions
from ..library import load_variant
from .answer import answer_of
from .asked import Quantity, Task, Wants
from .sources import Draw, sources
from .topics import Topic
from .units import UNITS, Measure, Unit

__all__ = ["RECIPES", "Recipe"]

_PLAIN = ("mha", "mqa", "gqa", "mla", "mla+rope")
_LATENT = ("mla", "mla+rope", "mla+rope+query-latent")
_ROWS = (*_PLAIN, "mla+rope+query-latent")
_CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
_FEW = (2, 3, 4, 8)
_BATCHES = (4, 8, 16, 32, 64)
_GPUS = ("h100-sxm", "h200-sxm", "h20", "a100-sxm", "b200", "mi300x", "l40s")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How exercises of one kind are drawn."""

    level: int
    """1, 2 or 3."""
    quantity: Quantity
    """What they ask."""
    variants: tuple[str, ...]
    """Of which variants."""
    draw: Callable[[Draw, str, Quantity], Task | None]
    """A task about one of them, or None where the draw led nowhere."""

    def offered(self, topic: Topic) -> list[str]:
        """The variants that a topic takes."""
        return [name for name in self.variants if topic.takes(name, self.quantity)]

    def fits(self, topic: Topic) -> bool:
        """Whether a topic takes any."""
        return bool(self.offered(topic))

    def make(self, draw: Draw, topic: Topic) -> Task | None:
        """A task the topic takes."""
        return self.draw(draw, draw.pick(self.offered(topic)), self.quantity)


def _order(variant: str, expanded: bool = False) -> str:
    if variant.partition("+")[0] not in ("mla", "dsa"):
        return "direct"
    return "expand" if expanded else "absorb"


_BASE = {
    Measure.ELEMENTS: "elements", Measure.BYTES: "B", Measure.ARITHMETIC: "FLOP",
    Measure.INTENSITY: "FLOP/B", Measure.TOKENS: "tokens", Measure.TIME: "s",
}  # fmt: skip
_MEASURES = {
    Quantity.ELEMENTS: Measure.ELEMENTS, Quantity.FLOPS: Measure.ARITHMETIC, Quantity.TIME: Measure.TIME,
    Quantity.INTENSITY: Measure.INTENSITY, Quantity.RIDGE: Measure.TOKENS, Quantity.CROSSOVER: Measure.TOKENS,
}  # fmt: skip


def _base(quantity: Quantity) -> str:
    return _BASE[_MEASURES.get(quantity, Measure.BYTES)]


def _formula(draw: Draw, variant: str, quantity: Quantity) -> Task:
    """One closed form, in decode."""
    batch = draw.pick(_BATCHES) if quantity in _BATCHED and draw.chance(0.4) else 1
    return Task(variant, _order(variant), quantity, _base(quantity), Wants.FORMULA, batch=batch)


_BATCHED = (Quantity.FLOPS, Quantity.BYTES, Quantity.INTENSITY, Quantity.CACHE, Quantity.RANK, Quantity.TIME)


def _small(draw: Draw, variant: str, quantity: Quantity) -> Task:
    """A number at small round sizes."""
    heads, width = draw.pick((4, 8, 16)), draw.pick((16, 32, 64))
    sizes = {
        "L": draw.pick((100, 200, 500, 1000)),
        "H": heads,
        "H_q": heads,
        "H_kv": draw.pick((2, heads // 2)),
        "d_model": heads * width * draw.pick((1, 2)),
        "d_k": width,
        "d_v": width,
        "d_c": width * draw.pick((2, 4)),
        "d_r": width // 2,
        "b": 2,
    }
    layers = draw.pick((1, 2, 4)) if quantity is Quantity.ROW else 1
    batch = draw.pick((4, 8)) if quantity in _BATCHED and draw.chance(0.4) else 1
    return Task(
        variant, _order(variant), quantity, _base(quantity), sizes=_needed(variant, sizes, quantity),
        layers=layers, batch=batch,
    )  # fmt: skip


def _needed(variant: str, sizes: dict[str, int], quantity: Quantity) -> tuple[tuple[str, int], ...]:
    """The sizes that the variant has, the context only where it matters; of plain heads no model width."""
    known = {*load_variant(variant).symbols}
    if not variant.startswith(("mla", "dsa")):
        known.discard("d_model")
    if quantity in (Quantity.ELEMENTS, Quantity.ROW, Quantity.STATE):
        known.discard("L")
    known.discard("d_q")
    return tuple((name, size) for name, size in sizes.items() if name in known)


def _released(
    draw: Draw, variant: str, quantity: Quantity, width: int = 2, context: int = 0, **fields: object
) -> Task | None:
    """A task at the sizes of a released model."""
    offered = [source for source in sources() if source.variant == variant]
    if not offered:
        return None
    source = draw.pick(offered)
    sizes = {**dict(source.dims), "b": width}
    if quantity is Quantity.STATE:
        del sizes["b"]
        sizes["b_M"] = 4
    # a context that is longer than any window of the models here
    sizes["L"] = context or draw.pick(_CONTEXTS[1:] if "n_w" in sizes else _CONTEXTS)
    layers = 1 if quantity in (Quantity.INTENSITY, Quantity.RIDGE, Quantity.CROSSOVER) else source.layers
    task = Task(
        variant, _order(variant), quantity, _base(quantity), sizes=_needed(variant, sizes, quantity),
        model=source.model, layers=layers,
    )  # fmt: skip
    return replace(task, **fields)  # type: ignore[arg-type]


def _kept(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """What the cache takes, over all layers."""
    batch = draw.pick(_BATCHES) if quantity is Quantity.CACHE and draw.chance(0.5) else 1
    whole = batch > 1 and draw.chance(0.3)
    return _in_unit(draw, _released(draw, variant, quantity, batch=batch, whole=whole))


def _step(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """FLOPs, bytes or both of a step with one or some query tokens."""
    phase, pairs = draw.pick(("decode", "verify")), "full"
    if phase == "verify" and variant in _ROWS:
        pairs = draw.pick(("full", "causal"))
    task = _released(draw, variant, quantity, conventions=Conventions(phase=phase, pairs=pairs))
    if task is None:
        return None
    if phase == "verify":
        task = task.sized(S=draw.pick(_FEW))
    batch = draw.pick(_BATCHES) if draw.chance(0.4) else 1
    layers = 1 if quantity is Quantity.INTENSITY or draw.chance(0.4) else task.layers
    return _in_unit(draw, replace(task, batch=batch, layers=layers))


def _prefill(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """FLOPs of a whole prompt, with keys and values formed."""
    conventions = Conventions(phase="prefill", pairs=draw.pick(("full", "causal")))
    order = _order(variant, expanded=True)
    context = draw.pick(_CONTEXTS[:4])
    return _in_unit(
        draw, _released(draw, variant, quantity, context=context, conventions=conventions, order=order)
    )


def _timed(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    task = _released(draw, variant, quantity, width=draw.pick((1, 2)), gpu=draw.pick(_GPUS))
    return _in_unit(draw, task)


def _narrow(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """FP8 rows."""
    return _in_unit(draw, _released(draw, variant, quantity, width=1))


def _shared(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """One rank's share of the cache."""
    batch = draw.pick(_BATCHES) if draw.chance(0.3) else 1
    width = draw.pick((1, 2))
    return _in_unit(draw, _released(draw, variant, quantity, width, tp=draw.pick((2, 4, 8, 16)), batch=batch))


_VERIFY = Conventions(phase="verify")
_CROSSED = Conventions(phase="verify", scope="attention")


def _crossing(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """Where absorbing and expanding meet, as a formula or at a model's sizes."""
    if variant != "mla+rope+query-latent":
        return Task(variant, "absorb", quantity, "tokens", Wants.FORMULA, conventions=_CROSSED)
    conventions = replace(_CROSSED, pairs=draw.pick(("full", "full", "causal")))
    task = _released(draw, variant, quantity, conventions=conventions)
    return (
        None if task is None else replace(task, sizes=tuple(p for p in task.sizes if p[0] not in ("b", "d_q")))
    )


def _ridge(draw: Draw, variant: str, quantity: Quantity) -> Task | None:
    """How many queries reach the ridge, where that is more than one."""
    batch = draw.pick(_BATCHES) if draw.chance(0.4) else 1
    width = draw.pick((1, 2))
    gpu = draw.pick(_GPUS)
    task = _released(draw, variant, quantity, width, gpu=gpu, batch=batch, conventions=_VERIFY)
    answer = None if task is None else answer_of(task)
    return task if answer is not None and answer.value is not None and answer.value > 1 else None


def _in_unit(draw: Draw, task: Task | None) -> Task | None:
    """The task in a unit in which its number is handy."""
    answer = None if task is None else answer_of(task)
    if task is None or answer is None or answer.value is None:
        return None
    value = answer.value
    handy = [unit.name for unit in UNITS.values() if _handy(unit, task.measured, value)]
    return replace(task, unit=draw.pick(handy)) if handy else task


def _handy(unit: Unit, base: Unit, value: Fraction) -> bool:
    if unit.measure is not base.measure or unit.name.endswith("MAC") or unit.name.startswith("MAC"):
        return False
    return 1 <= value / unit.scale < 1000


def _recipes() -> list[Recipe]:
    q = Quantity
    ones = (q.ELEMENTS, q.ROW, q.FLOPS, q.BYTES, q.INTENSITY, q.INTENSITY)
    recipes = [Recipe(1, quantity, _PLAIN, _formula) for quantity in ones]
    recipes += [Recipe(1, quantity, _PLAIN, _small) for quantity in ones]
    recipes += [Recipe(1, q.STATE, ("lightning", "kda"), _formula)]
    released = ("mqa", "gqa", "gqa", "mla+rope+query-latent", "mla+rope+query-latent", "mla+rope")
    recipes += [Recipe(2, quantity, released, _kept) for quantity in (q.ROW, q.CACHE)]
    recipes += [Recipe(2, quantity, released, _step) for quantity in (q.FLOPS, q.BYTES, q.INTENSITY)]
    recipes += [Recipe(2, q.FLOPS, released, _prefill), Recipe(2, q.TIME, released, _timed)]
    recipes += [Recipe(3, quantity, released, _narrow) for quantity in (q.ROW, q.CACHE, q.INTENSITY)]
    recipes += [Recipe(3, q.RANK, released, _shared), Recipe(3, q.RANK, released, _shared)]
    recipes += [Recipe(3, q.CROSSOVER, _LATENT, _crossing), Recipe(3, q.CROSSOVER, _LATENT, _crossing)]
    recipes += [Recipe(3, q.RIDGE, ("mqa", "gqa"), _ridge)]
    recipes += [Recipe(3, quantity, ("gqa+window", "dsa+rope+query-latent"), _step)
                for quantity in (q.FLOPS, q.BYTES, q.INTENSITY)]  # fmt: skip
    recipes += [Recipe(3, q.CACHE, ("gqa+window",), _kept), Recipe(3, q.STATE, ("lightning", "kda"), _kept)]
    return recipes


RECIPES: tuple[Recipe, ...] = tuple(_recipes())
"""All of them; a kind that is asked more often stands here more than once."""
