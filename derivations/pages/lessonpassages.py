"""Passages of a lesson that the engine writes: programs, ledgers, divisions, crossovers, proofs.

    @program mla                          the equations of a variant
    @bracketing mla absorb                how an order brackets the products
    @flops mla absorb scope=attention     the ledger of FLOPs; `@bytes` that of bytes
    @division mla absorb                  what cancels in the intensity
    @crossover mla absorb expand S        the difference, where it is zero, and the condition
    @claim mla decode-absorb              a claim of a file, with verdict and proof; `steps=no`: without it
    @carried rope 1                       a statement about all bracketings of a product
    @figure ratio                         a drawing of the lesson's head, where drawings are shown
    @times mla absorb with=own            what each kernel waits for on the setting's accelerator

Words such as `scope=attention` are conventions; `with=NAME` takes the sizes, the accelerator, the ranks and the
layout of a setting, `with=own` those of the lesson.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..claimfile import load_claims
from ..conventions import KNOBS, Conventions
from ..derivation import Derivation, Study, crossover_of, derive
from ..documents.given import checkpoint
from ..drawing import can_draw, render_plot
from ..errors import InputError, unknown
from ..hardware import load_accelerator
from ..lessons.dimensions import dimension_of
from ..lessons.lesson import Directive, Lesson
from ..library import load_variant
from ..notation import Notation
from ..opinions import weighed
from ..report import Block, Display, Figure, Heading, Items, Prose
from ..rulings import carried
from ..sharding import Split
from ..statements import load_statements
from .claims import one_claim
from .crossover import solution_blocks
from .curves import drawing_of
from .derivation import bracketing_blocks
from .ledger import byte_blocks, division_blocks, flop_blocks
from .parts import Setter, setter_for
from .statements import carried_blocks
from .times import time_blocks

__all__ = ["passage"]


def passage(directive: Directive, lesson: Lesson) -> list[Block]:
    """The blocks of a passage. Raises InputError with the place."""
    name, *words = directive.words
    if name not in _PASSAGES:
        raise unknown("passage", name, _PASSAGES, directive.place)
    count, make = _PASSAGES[name]
    positional = [word for word in words if "=" not in word]
    if len(positional) != count:
        raise InputError(f"@{name} takes {count} words, not {len(positional)}", directive.place)
    options = dict(word.split("=", 1) for word in words if "=" in word)
    try:
        return make(positional, options, lesson)
    except InputError as error:
        raise (error if error.place else InputError(str(error), directive.place)) from None


def _study(variant: str, options: dict[str, str], lesson: Lesson, phase: str = "decode") -> Study:
    """A study under the conventions of the options; with numbers where a setting is named."""
    knobs = {name: value for name, value in options.items() if name != "with"}
    for name in knobs:
        if name not in KNOBS:
            raise unknown("convention", name, [*KNOBS, "with"])
    conventions = Conventions(**{"phase": phase, **{k.replace("-", "_"): v for k, v in knobs.items()}})
    loaded = load_variant(variant)
    if "with" not in options:
        return Study(loaded, conventions, {})
    if options["with"] not in (*lesson.settings, "own"):
        raise unknown("setting", options["with"], [*lesson.settings, "own"])
    setting = lesson.settings.get(options["with"], lesson.own)
    model = checkpoint(setting.model) if setting.model else None
    values = {**(model.values(loaded.symbols) if model else {}), **setting.sizes}
    return Study(
        loaded, conventions, {n: v for n, v in values.items() if n in loaded.symbols}, model,
        gpu=load_accelerator(setting.gpu) if setting.gpu else None, split=Split(tp=setting.tp),
        layout=setting.layout,
    )  # fmt: skip


def _derivation(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> tuple[Derivation, Setter]:
    derivation = derive(_study(words[0], options, lesson), words[1])
    return derivation, setter_for(derivation, None)


def _program(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    study = _study(words[0], options, lesson)
    notation = Notation.of(study.variant.symbols, None, study.conventions.phase)
    derivation = derive(study, study.variant.orders[0].name if study.variant.orders else "direct")
    return [Setter(notation, study.variant, Setter.of(derivation, notation).sizes).program()]


def _bracketing(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    blocks = bracketing_blocks(*_derivation(words, options, lesson))
    return [block for block in blocks if isinstance(block, Display)]


def _flops(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    return [
        block for block in flop_blocks(*_derivation(words, options, lesson)) if not isinstance(block, Prose)
    ]


def _bytes(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    blocks = byte_blocks(*_derivation(words, options, lesson))
    proses = [place for place, block in enumerate(blocks) if isinstance(block, Prose)]
    return blocks[1 : proses[1]] if len(proses) > 1 else blocks[1:]  # without what the scope leaves out


def _division(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    return division_blocks(*_derivation(words, options, lesson))[1:]  # without the sentence that defines it


def _crossover(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    variant, first, second, symbol = words
    asked = {"scope": "attention", **options}
    study = _study(variant, asked, lesson, "verify" if symbol == "S" else "decode")
    notation = Notation.of(study.variant.symbols, None, study.conventions.phase)
    return solution_blocks(crossover_of(study, first, second, symbol), study, notation)


def _times(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    derivation = derive(_study(words[0], options, lesson), words[1])
    if derivation.study.gpu is None:
        raise InputError("times need an accelerator; name one in a setting, and the setting as in with=own")
    return time_blocks(derivation)


def _claim(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    if set(options) - {"steps"} or options.get("steps", "no") != "no":
        raise InputError("@claim takes no option but steps=no")
    claims = load_claims(words[0])
    known = {assertion.id: assertion for assertion in claims.assertions}
    if words[1] not in known:
        raise unknown(f"claim of {words[0]}", words[1], known)
    ((judgement, opinions),) = weighed([known[words[1]]])
    blocks = one_claim(judgement, opinions, Notation(claims.symbols, {}), {})
    return [block for block in blocks if not (options and isinstance(block, Items))]


def _statement(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    carries = load_statements(words[0]).carries
    if not words[1].isdecimal() or not 1 <= int(words[1]) <= len(carries):
        raise InputError(f"{words[0]} has {len(carries)} statements about steps; give a number up to that")
    blocks = carried_blocks([carried(carries[int(words[1]) - 1])])
    return [block for block in blocks if not isinstance(block, Heading)]


def _figure(words: Sequence[str], options: dict[str, str], lesson: Lesson) -> list[Block]:
    if words[0] not in lesson.figures:
        raise unknown("figure", words[0], lesson.figures)
    drawing = lesson.figures[words[0]]
    if not can_draw():
        return []
    units = {dimension_of(lesson.sheet, curve).text for curve in drawing.curves.values()}
    y_title = units.pop() if len(units) == 1 else ""
    svg = str(render_plot(drawing_of(lesson.sheet, drawing, y_title or "ratio"), ".svg"))
    return [Figure(f"{lesson.name}-{drawing.name}.svg", f"{drawing.title}.", svg)]


_PASSAGES: dict[str, tuple[int, Callable[[Sequence[str], dict[str, str], Lesson], list[Block]]]] = {
    "program": (1, _program), "bracketing": (2, _bracketing), "flops": (2, _flops), "bytes": (2, _bytes),
    "division": (2, _division), "crossover": (4, _crossover), "claim": (2, _claim), "carried": (2, _statement),
    "figure": (1, _figure),
    "times": (2, _times),
}  # fmt: skip
