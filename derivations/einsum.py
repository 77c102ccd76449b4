"""Anyone's expression, attention or not: `ab,bc,cd->ad` as one region.

Every letter is an index and, in formulas, its size. Operands count from 0, as in opt_einsum's
`constants`: those named are constant, so products of constants alone are made once, offline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .dims import Dim
from .errors import InputError, Place
from .graph import Graph, Leaf, Region
from .poly import Poly
from .program import Axis, AxisKind, Role, Tensor, Variant

__all__ = ["MOST_OPERANDS", "Einsum", "parse_einsum"]

MOST_OPERANDS = 12
"""Operands of one expression: 12 have 265,720 splits into two parts to look at."""
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Einsum:
    """A parsed expression."""

    expression: str
    """Written out, with its output."""
    operands: tuple[str, ...]
    """Indices of each operand."""
    output: str
    """Indices of the result."""
    constants: frozenset[int]
    """Operands that are constant, counted from 0."""
    names: tuple[str, ...]
    """What operands are called in a bracketing: their indices, with a number where two are alike."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The indices, in order of first use."""
        return tuple(dict.fromkeys("".join(self.operands)))

    @property
    def symbols(self) -> dict[str, Dim]:
        """Index -> its size as a symbol."""
        return {letter: Dim(letter, letter, f"size of the index {letter}") for letter in self.letters}

    @property
    def facts(self) -> tuple[Poly, ...]:
        """Every size is at least 1, that of `b` too, which elsewhere is a width in bytes."""
        return (Poly.symbol("b") - 1,) if "b" in self.letters else ()

    def graph(self) -> Graph:
        """The expression as a program of one region."""
        axes = {n: Axis(n, Poly.symbol(n), AxisKind.OTHER, f"index {n}") for n in self.letters}
        tensors = {}
        for index, (name, letters) in enumerate(zip(self.names, self.operands, strict=True)):
            role = Role.WEIGHT if index in self.constants else Role.INPUT
            tensors[name] = Tensor(name, tuple(letters), role, latex=f"\\mathrm{{{letters}}}")
        tensors[self.root] = Tensor(self.root, tuple(self.output), Role.OUTPUT, latex="Y")
        variant = Variant(
            name=self.expression, base=self.expression, options=(), title=self.expression, reference="",
            notes=(), symbols=self.symbols, axes=axes,
            tensors=tensors, equations=(), masks={}, assume=(), orders=(), place=Place("expression"),
        )  # fmt: skip
        leaves = tuple(Leaf(n, tuple(x)) for n, x in zip(self.names, self.operands, strict=True))
        region = Region(
            root=self.root, index=0, sign=1, leaves=leaves, output=tuple(self.output),
            axis_of={n: n for n in self.letters}, named=(), masks=(), indexer=False, part=0,
        )  # fmt: skip
        return Graph(variant, (region,))

    @property
    def root(self) -> str:
        """What the result is called."""
        return f"->{self.output}"


def parse_einsum(expression: str, constants: Iterable[int] = ()) -> Einsum:
    """Read an expression; without `->` the output has the indices that occur once, sorted, as in numpy.

    Raises InputError for anything else than letters, commas and one arrow, for an output that repeats
    an index or has one that no operand has, and for a constant that is no operand.
    """
    text = "".join(expression.split())
    if len(text) > _LONGEST:
        raise InputError(f"the expression is longer than {_LONGEST} characters")
    left, arrow, output = text.partition("->")
    operands = left.split(",")
    for number, operand in enumerate(operands):
        _check(operand, f"operand {number}", expression)
    if len(operands) > MOST_OPERANDS:
        raise InputError(
            f"the expression has {len(operands)} operands; the search covers {MOST_OPERANDS} at most, "
            "since its work grows threefold with each"
        )
    joined = "".join(operands)
    if arrow:
        if output:
            _check(output, "the output", expression)
        _check_output(output, joined)
    else:
        output = "".join(sorted(letter for letter in set(joined) if joined.count(letter) == 1))
    chosen = frozenset(constants)
    for number in sorted(chosen):
        if not 0 <= number < len(operands):
            last = len(operands) - 1
            raise InputError(f"constant {number} is no operand; they count from 0, and the last is {last}")
    whole = f"{','.join(operands)}->{output}"
    return Einsum(whole, tuple(operands), output, chosen, _names(operands))


def _check(letters: str, what: str, expression: str) -> None:
    if not letters:
        raise InputError(f"{what} of {expression[:60]!r} has no index; write for example ab,bc,cd->ad")
    wrong = next((c for c in letters if not (c.isascii() and c.isalpha())), None)
    if wrong is not None:
        raise InputError(
            f"{what} of {expression[:60]!r} has {wrong!r}; indices are single letters, as in ab,bc,cd->ad"
        )


def _check_output(output: str, joined: str) -> None:
    for letter in output:
        if output.count(letter) > 1:
            raise InputError(f"the output has the index {letter} twice")
        if letter not in joined:
            raise InputError(f"the output has the index {letter}, which no operand has")


def _names(operands: list[str]) -> tuple[str, ...]:
    return tuple(
        f"{text}#{operands[:number].count(text) + 1}" if operands.count(text) > 1 else text
        for number, text in enumerate(operands)
    )
