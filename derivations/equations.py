"""The equation language: what an author writes in a variant, as data.

    equation := refs ("=" | "<-") right
    right    := barrier "[" axes "]" "(" refs ")" | ["-"] product (("+" | "-") product)*
    product  := ref ("*" ref)*
    refs     := ref ("," ref)*
    ref      := Name "[" axes "]" | "old" "(" Name "[" axes "]" ")"

`=` defines a tensor of this step. `<-` writes the new rows of a cache, or the new value of a
state, whose value before that is `old(...)`. A barrier is a function that is not multilinear, such as softmax.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .dims import is_name
from .errors import InputError, Place, unknown

__all__ = ["BARRIERS", "BarrierKind", "Equation", "Factors", "Ref", "parse_equation"]

MAX_LENGTH = 400


@dataclass(frozen=True, slots=True)
class BarrierKind:
    """A function between multilinear regions."""

    latex: str
    """How it is set in a formula."""
    selects: bool = False
    """True when it picks rows: what only feeds it is the indexer."""
    needs_axes: bool = True
    """True when it works along axes that must be named, as softmax does."""
    view: bool = False
    """True when it only shows rows again: the last ones up to each token. Nothing is computed or copied."""


BARRIERS: dict[str, BarrierKind] = {
    "softmax": BarrierKind(r"\mathrm{softmax}"),
    "norm": BarrierKind(r"\mathrm{norm}"),
    "top_n": BarrierKind(r"\mathrm{top}_n", selects=True),
    "relu": BarrierKind(r"\mathrm{ReLU}", needs_axes=False),
    "silu": BarrierKind(r"\mathrm{SiLU}", needs_axes=False),
    "sigmoid": BarrierKind(r"\mathrm{sigmoid}", needs_axes=False),
    "exp": BarrierKind(r"\exp", needs_axes=False),
    "inverse": BarrierKind(r"\mathrm{inverse}"),
    "last": BarrierKind(r"\mathrm{last}", view=True),
}


@dataclass(frozen=True, slots=True)
class Ref:
    """A tensor with the axes it is used under: `K[h,t,k]`."""

    name: str
    """The tensor."""
    axes: tuple[str, ...]
    """The axes, in the order of the tensor's own."""
    old: bool = False
    """True for the value a state had before this step wrote it."""

    def __str__(self) -> str:
        text = f"{self.name}[{','.join(self.axes)}]"
        return f"old({text})" if self.old else text


@dataclass(frozen=True, slots=True)
class Factors:
    """One product of a signed sum."""

    sign: int
    """+1 or -1."""
    refs: tuple[Ref, ...]
    """What is multiplied; an axis that is missing on the left side is summed."""


@dataclass(frozen=True, slots=True)
class Equation:
    """One line of a program: a sum of products, or a barrier."""

    left: tuple[Ref, ...]
    """What is defined; a barrier may define several."""
    writes: bool
    """True for `<-`: new rows of a cache, or the next value of a state."""
    products: tuple[Factors, ...]
    """The signed sum; empty for a barrier."""
    barrier: str | None
    """Name of the barrier, or None."""
    over: tuple[str, ...]
    """Axes the barrier works along."""
    inputs: tuple[Ref, ...]
    """What the barrier takes."""
    text: str
    """The line as written."""
    place: Place
    """Where it stands."""

    @property
    def name(self) -> str:
        """The (first) tensor it defines."""
        return self.left[0].name

    @property
    def uses(self) -> tuple[Ref, ...]:
        """Every reference on the right side."""
        return self.inputs or tuple(ref for product in self.products for ref in product.refs)


_TOKEN = re.compile(r"\s*(?:([A-Za-z][A-Za-z0-9_]*)|(<-|[-+*=,()\[\]])|([0-9.]+))")


def parse_equation(text: str, place: Place) -> Equation:
    """Parse one line. Raises InputError that says what was expected where."""
    return _Parser(text, place).equation()


class _Parser:
    def __init__(self, text: str, place: Place) -> None:
        self.text, self.place, self.position = " ".join(text.split()), place, 0
        if len(text) > MAX_LENGTH:
            raise InputError(f"the equation is longer than {MAX_LENGTH} characters", place)
        self.tokens: list[str] = []
        position = 0
        while self.text[position:].strip():
            hit = _TOKEN.match(self.text, position)
            if hit is None:
                raise self.wrong(f"cannot read {self.text[position:].strip()[:20]!r}")
            if hit.group(3):
                raise self.wrong(f"a number ({hit.group(3)[:12]}); constant factors cost nothing here")
            self.tokens.append(hit.group(1) or hit.group(2))
            position = hit.end()

    def wrong(self, what: str) -> InputError:
        return InputError(
            f"{what} in the equation {self.text[:80]!r}; write it like K[h,t,k] = C[t,c] * W_UK[h,c,k]",
            self.place,
        )

    def peek(self, ahead: int = 0) -> str:
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else ""

    def take(self, *signs: str) -> str:
        token = self.peek()
        if token and token in signs:
            self.position += 1
            return token
        return ""

    def expect(self, *signs: str) -> str:
        token = self.take(*signs)
        if not token:
            found = repr(self.peek()) if self.peek() else "the end"
            raise self.wrong(f"expected {' or '.join(map(repr, signs))}, found {found}")
        return token

    def name(self, what: str) -> str:
        token = self.peek()
        if not token or not token[0].isalpha():
            found = repr(token) if token else "the end"
            raise self.wrong(f"expected {what}, found {found}")
        if not is_name(token):
            raise self.wrong(f"{token[:40]!r} is no name (letters, digits, single underscores)")
        self.position += 1
        return token

    def axes(self) -> tuple[str, ...]:
        self.expect("[")
        names = [self.name("an axis")]
        while self.take(","):
            names.append(self.name("an axis"))
        self.expect("]")
        return tuple(names)

    def ref(self) -> Ref:
        if self.peek() == "old" and self.peek(1) == "(":
            self.position += 2
            inner = self.ref()
            self.expect(")")
            if inner.old:
                raise self.wrong("old stands once")
            return Ref(inner.name, inner.axes, old=True)
        name = self.name("a tensor")
        axes = self.axes()
        if len(set(axes)) != len(axes):
            raise self.wrong(f"{name} has an axis twice; diagonals are not part of the language")
        return Ref(name, axes)

    def refs(self) -> tuple[Ref, ...]:
        found = [self.ref()]
        while self.take(","):
            found.append(self.ref())
        return tuple(found)

    def equation(self) -> Equation:
        left = self.refs()
        writes = self.expect("=", "<-") == "<-"
        products: tuple[Factors, ...] = ()
        barrier: str | None = None
        over: tuple[str, ...] = ()
        inputs: tuple[Ref, ...] = ()
        if self.is_barrier():
            barrier, over, inputs = self.barrier_call()
        else:
            products = self.sum()
        if self.peek():
            raise self.wrong(f"{self.peek()!r} is not expected")
        if any(ref.old for ref in left):
            raise self.wrong("old(...) is read, never defined")
        if barrier is None and len(left) > 1:
            raise self.wrong("only a barrier defines several tensors at once")
        if barrier is not None and writes:
            raise self.wrong("a barrier cannot be written into a cache directly; name its result first")
        return Equation(left, writes, products, barrier, over, inputs, self.text, self.place)

    def is_barrier(self) -> bool:
        if self.peek(1) == "(":
            return self.peek() != "old"
        position = 1
        if self.peek(1) != "[":
            return False
        while self.peek(position) and self.peek(position) != "]":
            position += 1
        return self.peek(position + 1) == "("

    def barrier_call(self) -> tuple[str, tuple[str, ...], tuple[Ref, ...]]:
        name = self.name("a function")
        if name not in BARRIERS:
            raise unknown("function", name, BARRIERS, self.place)
        over = self.axes() if self.peek() == "[" else ()
        if BARRIERS[name].needs_axes and not over:
            raise self.wrong(f"{name} needs the axes it works along, such as {name}[t](...)")
        self.expect("(")
        inputs = self.refs()
        self.expect(")")
        return name, over, inputs

    def sum(self) -> tuple[Factors, ...]:
        sign = -1 if self.take("-") else 1
        products = [self.product(sign)]
        while token := self.take("+", "-"):
            products.append(self.product(1 if token == "+" else -1))
        return tuple(products)

    def product(self, sign: int) -> Factors:
        factors = [self.ref()]
        while self.take("*"):
            factors.append(self.ref())
        return Factors(sign, tuple(factors))
