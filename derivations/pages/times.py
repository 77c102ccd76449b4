"""Sections on time and ranks: what each kernel waits for, how long a step takes, what ranks add up to."""

from __future__ import annotations

from fractions import Fraction

from ..derivation import Derivation, Study
from ..layouts import LAYOUTS
from ..notation import number_text
from ..prefix import segment
from ..report import Block, Cell, Prose, Table, cell, prose
from ..roofline import Timed, timed
from .parts import number_math

__all__ = ["deployed", "deployment_rows", "rank_blocks", "seconds_text", "time_blocks"]

_UNITS = ((1, "s"), (10**3, "ms"), (10**6, "µs"), (10**9, "ns"))


def seconds_text(seconds: Fraction) -> str:
    """A time in a unit in which it is at least 1."""
    for scale, unit in _UNITS:
        if seconds * scale >= 1 or unit == "ns":
            return f"{number_text(seconds * scale)} {unit}"
    raise AssertionError("the last unit takes all")


def deployed(study: Study) -> str:
    """What a deployment adds to a subtitle."""
    split = study.split
    words = [f"{kind} {getattr(split, kind)}" for kind in ("tp", "cp", "dp") if getattr(split, kind) > 1]
    words += ["shared prefix"] if segment(study.variant) is not None else []
    words += [f"layout {study.layout}"] if study.layout else []
    return "".join(f", {word}" for word in words)


def deployment_rows(study: Study) -> list[tuple[Cell, ...]]:
    """What a deployment adds to the conventions."""
    split = study.split
    rows = [
        (
            "ranks that share the heads",
            split.tp,
            "each head index is split; what has none is there on every rank",
        ),
        ("ranks that share the context", split.cp, "the context index is split"),
        ("ranks that share the batch", split.dp, "the batch is split"),
    ]
    found: list[tuple[Cell, ...]] = [
        (cell(title), cell(str(count)), cell(f"{text}; the largest rank is shown"))
        for title, count, text in rows if count > 1
    ]  # fmt: skip
    if study.layout:
        meaning = LAYOUTS[study.layout][2] if study.layout in LAYOUTS else "bytes an element of these rows"
        found.append((cell("layout of cached rows"), cell(study.layout), cell(meaning)))
    if segment(study.variant) is not None:
        text = "its first tokens are the same for all sequences of the batch; their rows are read once for all"
        found.append((cell("context"), cell("shared prefix"), cell(text)))
    if study.gpu is not None:
        text = f"element type of the arithmetic: {study.gpu.peak[study.compute].text} dense"
        found.append((cell("compute"), cell(study.compute), cell(text)))
    return found


def rank_blocks(derivation: Derivation) -> list[Block]:
    """One rank and all of them."""
    study, split = derivation.study, derivation.study.split
    if split.ranks == 1:
        return []
    rows = []
    for title, quantity in (("FLOPs", derivation.flops), ("bytes", derivation.bytes)):
        value = derivation.value(quantity)
        if value is not None:
            rows.append((cell(title), cell(number_math(value)), cell(number_math(value * split.ranks))))
    value = derivation.value(derivation.cache_bytes)
    if value is not None:
        rows.append((cell("cache, bytes per token and layer"), cell(number_math(value)),
                     cell(number_math(value * split.tp * split.cp))))  # fmt: skip
    words = (
        f"The numbers are those of the largest of {split.ranks} ranks; all are at most so many times as much."
    )
    heads = _heads(study)
    if heads is not None and split.tp > heads:
        idle = split.tp - heads
        words += f" With {split.tp} ranks for {heads} heads, {idle} of them repeat the work of others or idle."
    blocks: list[Block] = [prose(words)]
    if rows:
        blocks.append(Table(("quantity", "largest rank", "all ranks, at most"), tuple(rows), "lrr"))
    return blocks


def _heads(study: Study) -> int | None:
    """Query heads, where their number is known."""
    value = study.values.get("H", study.values.get("H_q"))
    return int(value) if value is not None else None


def time_blocks(derivation: Derivation) -> list[Block]:
    """How long each kernel takes, and the step; nothing where a size is missing."""
    study, gpu = derivation.study, derivation.study.gpu
    if gpu is None:
        return []
    found = timed(derivation.cost, gpu, study.compute, study.values)
    if found is None:
        return [prose("How long the step takes needs all sizes.")]
    rows = tuple(
        (
            cell(one.kernel.name), cell(seconds_text(one.compute)), cell(seconds_text(one.memory)),
            cell(seconds_text(one.seconds)), cell(one.bound),
        )
        for one in found if one.seconds
    )  # fmt: skip
    head = ("kernel", "arithmetic", "memory", "takes", "waits for")
    words = f"On {gpu.title} a kernel of this scope takes at least"
    return [prose(words), Table(head, rows, "lrrrl"), _closing(derivation, found)]


def _closing(derivation: Derivation, found: tuple[Timed, ...]) -> Prose:
    """The sum, what it waits for, and what that means."""
    study = derivation.study
    whole = sum((one.seconds for one in found), start=Fraction(0))
    waiting = sum((one.seconds for one in found if one.bound == "memory"), start=Fraction(0))
    words = f"Together {seconds_text(whole)} for one layer"
    model = study.model
    if model is not None and model.attention_layers > 1:
        words += f", {seconds_text(whole * model.attention_layers)} for {model.attention_layers} layers"
    share = waiting / whole if whole else Fraction(0)
    if share == 1:
        advice = (
            "All of it waits for memory: fewer bytes help, as of a narrower layout; more arithmetic is free"
        )
    elif share == 0:
        advice = "All of it waits for arithmetic: a narrower layout does not help, a faster compute type does"
    else:
        digits = 0 if Fraction(1, 200) <= share < Fraction(199, 200) else 1  # neither nothing nor all of it
        advice = f"{number_text(share * 100, digits)} % of it waits for memory, the rest for arithmetic"
    return prose(f"{words}; launches and latencies are not counted. {advice}.")
