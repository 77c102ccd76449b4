"""Questions in words: every convention that the answer depends on is said, and nothing of the answer."""

from __future__ import annotations

from collections.abc import Iterable

from ..checkpoints import load_checkpoint
from ..library import load_variant
from ..notation import Notation
from ..program import Variant
from ..report import Cell, Math
from .asked import Quantity, Task, Wants
from .phrases import idle_sizes, layers_of, rows_read, unit_of_answer, width_of
from .units import Measure

__all__ = ["flat", "notation_of", "question_of", "title_of"]

_OF_STEP = (Quantity.FLOPS, Quantity.BYTES, Quantity.INTENSITY, Quantity.TIME, Quantity.RIDGE)


def notation_of(task: Task) -> Notation:
    """The letters of a task's variant."""
    return Notation.of(load_variant(task.variant).symbols, None, task.conventions.phase)


def title_of(task: Task) -> str:
    """What an exercise is about, in a phrase."""
    return f"{_TITLES[task.quantity]}: {task.variant}"


_TITLES = {
    Quantity.ELEMENTS: "What a token adds to the cache",
    Quantity.ROW: "What a token adds to the cache",
    Quantity.CACHE: "The cache of a sequence",
    Quantity.RANK: "The cache on one rank",
    Quantity.STATE: "The recurrent state",
    Quantity.FLOPS: "FLOPs of a step",
    Quantity.BYTES: "Bytes of a step",
    Quantity.INTENSITY: "Arithmetic intensity",
    Quantity.TIME: "Time to read the cache",
    Quantity.RIDGE: "Queries up to the ridge",
    Quantity.CROSSOVER: "Where expanding overtakes absorbing",
}


def question_of(task: Task) -> list[Cell]:
    """The paragraphs of a question: who, the sizes, what runs, what is asked, how to answer."""
    variant = load_variant(task.variant)
    setting = [*_who(task, variant), *_sizes(task, variant)]
    words = [*_running(task, variant), *_asked(task, variant)]
    return [tuple(setting), tuple(words), tuple(_form(task))]


def _who(task: Task, variant: Variant) -> Iterable[str | Math]:
    name = f"{variant.title} ({variant.name})"
    if not task.model:
        yield f"{name}, in one layer. " if task.layers == 1 else f"{name}, in each of {task.layers} layers. "
        return
    model = load_checkpoint(task.model)
    own = next(count for count in _counts(task) if count)
    some = f"all {own} layers" if own == model.layers else f"{own} of the {model.layers} layers"
    yield f"{name}, in {some} of {model.title}. "


def _counts(task: Task) -> Iterable[int]:
    """Layers of the model that carry the variant."""
    model = load_checkpoint(task.model)
    own = "+".join((model.variant, *model.options))
    yield model.attention_layers if own == task.variant else 0
    for other in model.others:
        yield other.layers if other.variant == task.variant else 0


def _sizes(task: Task, variant: Variant) -> Iterable[str | Math]:
    """The sizes with their meanings: symbols where a formula is asked, else numbers."""
    notation = notation_of(task)
    shown = [name for name in variant.symbols if name not in ("B", "L", "S", "b", "b_M", *idle_sizes(variant))]
    if task.wants is Wants.NUMBER:
        shown = [name for name in shown if name in task.values]
    yield "Sizes: "
    for index, name in enumerate(shown):
        yield ", " if index else ""
        if task.wants is Wants.NUMBER:
            number = f"{task.values[name]:,}".replace(",", "{,}")
            yield Math(f"{notation.tex(name)} = {number}", f"{notation.plain(name)} = {task.values[name]:,}")
        else:
            yield Math(notation.tex(name), notation.plain(name))
        yield f" ({variant.symbols[name].meaning})"
    yield "."


def _running(task: Task, variant: Variant) -> Iterable[str | Math]:
    """The step: its queries, its order, its mask, the batch and the ranks."""
    if task.quantity in _OF_STEP or task.quantity is Quantity.CROSSOVER:
        yield from _step(task, variant)
    if task.batch > 1 and not task.whole:
        yield f"{task.batch} sequences run together, each with a cache of its own. "
    if task.tp > 1:
        yield f"Tensor parallelism shares the heads of each layer among {task.tp} ranks. "


def _step(task: Task, variant: Variant) -> Iterable[str | Math]:
    phase, context = task.conventions.phase, _sized(task, "L")
    if phase == "decode":
        yield from ("One step decodes one token of a sequence of ", context, " tokens, that token included. ")
    elif phase == "verify":
        yield "One step takes "
        yield from (_sized(task, "S"), " query tokens of a sequence of ", context, " tokens, those included. ")
    else:
        yield from ("One step takes in a whole prompt of ", context, " tokens, ", _math("S = L"), ". ")
    windowed, selects = "window" in variant.options, variant.base == "dsa"
    if windowed:
        yield from ("Each query sees the ", _sized(task, "n_w"), " tokens up to its own. ")
    elif selects:
        yield from ("Each query sees the ", _sized(task, "n"), " tokens its indexer selects; ")
        if phase == "verify":
            yield "different queries select different ones, as far as there are so many. "
        yield "The indexer is not counted. " if phase == "verify" else "the indexer is not counted. "
    elif phase != "decode" and task.conventions.pairs == "full":
        yield from ("Every query counts all ", _math("L"), " tokens, masked ones too. ")
    elif phase != "decode":
        yield "Every query counts the tokens up to its own (causal). "
    if task.quantity is not Quantity.CROSSOVER and variant.orders:
        titles = {order.name: order.title for order in variant.orders}
        yield f"Order {task.order}: {titles[task.order]}. "


def _math(text: str) -> Math:
    return Math(text, text)


def _sized(task: Task, name: str) -> Math:
    """A symbol, with its number where there is one."""
    notation = notation_of(task)
    tex, plain = notation.tex(name), notation.plain(name)
    if name not in task.values:
        return Math(tex, plain)
    number = f"{task.values[name]:,}"
    return Math(f"{tex} = {number.replace(',', '{,}')}", f"{plain} = {number}")


def _asked(task: Task, variant: Variant) -> Iterable[str | Math]:
    layers = layers_of(task)
    owner = "one sequence"
    if task.whole:
        owner = f"a batch of {task.batch} sequences together, each"
    elif task.batch > 1:
        owner = "one of these sequences"
    wide = width_of(task)
    rows = rows_read(variant)
    quantity = task.quantity
    if quantity is Quantity.ELEMENTS:
        yield f"How many elements does one token add to the cache of {layers}?"
    elif quantity is Quantity.ROW:
        yield from (f"How many bytes does one token add to the cache of {layers}? ", *wide)
    elif quantity is Quantity.CACHE:
        yield from (
            f"How large is the cache of {layers} for {owner} of ",
            _sized(task, "L"),
            " tokens? ",
            *wide,
        )
        yield " Tokens that no query sees any more are dropped." if "window" in variant.options else ""
    elif quantity is Quantity.RANK:
        yield f"How large is the cache of {layers} on the rank that holds most, for {owner} of "
        yield from (_sized(task, "L"), " tokens? ", *wide)
    elif quantity is Quantity.STATE:
        yield f"How large is the recurrent state of {layers} for {owner}"
        yield " (the state itself, without rows kept for convolutions)? "
        yield from ("Elements of it take ", _sized(task, "b_M"), " bytes.")
    elif quantity is Quantity.FLOPS:
        yield f"How many FLOPs does the core of {layers} take for {owner}: scores and weighted sum, without "
        yield "softmax, a multiply-add as two FLOPs?"
    elif quantity is Quantity.BYTES:
        yield f"How many bytes does the core of {layers} read for {owner}: {rows}, each row once? "
        yield from wide
    elif quantity is Quantity.INTENSITY:
        yield "What is the arithmetic intensity of the core: FLOPs of scores and weighted sum, a multiply-add "
        yield from (f"as two FLOPs, over the bytes of {rows}, each row read once? ", *wide)
    elif quantity is Quantity.TIME:
        gpu = task.accelerator
        yield f"{gpu.title} reads {gpu.bandwidth.text}. How long does it take at least to read, for {owner}, "
        yield from (f"{rows} of {layers}, each row once? ", *wide)
    elif quantity is Quantity.RIDGE:
        yield from _ridge(task, rows)
    else:
        yield "Count the FLOPs of the core and of the up-projections, on whichever side of the product these "
        yield "stand. "
        yield from (
            "At which ",
            _math("S"),
            " does order expand (keys and values formed for every token) take as ",
        )
        yield f"many as order absorb (never formed)? {_unrounded(task)}".rstrip()


def _ridge(task: Task, rows: str) -> Iterable[str | Math]:
    gpu = task.accelerator
    yield f"{gpu.title} computes {gpu.peak['bf16'].text} dense BF16 and reads {gpu.bandwidth.text}. The core's "
    yield "intensity is its FLOPs (scores and weighted sum, a multiply-add as two FLOPs) over the bytes of "
    yield f"{rows}, each row read once. At which "
    yield from (_math("S"), f" does it reach the ridge? {_unrounded(task)}")
    yield from width_of(task)


def _unrounded(task: Task) -> str:
    """What a number of tokens may need to be told; a formula is never rounded."""
    return "Give the real number, not rounded to whole tokens. " if task.wants is Wants.NUMBER else ""


def _form(task: Task) -> Iterable[str | Math]:
    """How to answer."""
    unit = task.measured
    if task.wants is Wants.FORMULA:
        yield f"Answer with a formula in these symbols, in {unit_of_answer(task)}."
        return
    yield f"Answer in {unit_of_answer(task)}"
    if unit.measure is Measure.TIME and unit.scale != 1:
        yield from (" (", Math(unit.tex, unit.name), ")")
    if unit.power:
        base, power = unit.power
        yield from (" (", Math(f"{base}^{{{power}}}", f"{base}^{power}"), " B)")
    yield "." if unit.measure is Measure.ELEMENTS else ". Three digits are enough."


def flat(words: Cell) -> str:
    """A paragraph for a terminal."""
    return "".join(part.text if isinstance(part, Math) else str(part) for part in words)
