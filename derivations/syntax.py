"""The grammar of formulas that people write: parsed and bounded, never evaluated as code.

    sum     := product (("+" | "-") product)*
    product := power (("*" | "/") power)*
    power   := atom ("^" whole number)?
    atom    := number | name | "(" sum ")" | ("min" | "ceil" | "floor") "(" sum ("," sum)* ")"

What a formula is made into is up to an `Algebra`. Where decimals are taken, a number may also be `1.5` or
`2e9`, a number to a power may be large, and a sum may start with a minus sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from .dims import LARGEST, is_name
from .errors import InputError, Place

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "Algebra", "Wrong", "parse", "sides_of"]

MAX_LENGTH = 200
MAX_DEPTH = 12
MAX_POWER = 8
_TOKEN = re.compile(r"\s*(?:([0-9]+)(?![A-Za-z_.])|([A-Za-z][A-Za-z0-9_]*)|([-+*/(),^]))")
_DECIMAL = re.compile(
    r"\s*(?:([0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?![A-Za-z_.])|([A-Za-z][A-Za-z0-9_]*)|([-+*/(),^]))"
)
_MOST_DIGITS = 30
"""Of a decimal number, before its point and behind it."""
_RELATION = re.compile(r"<=|>=|==|<|>|=")
V = TypeVar("V")


class Wrong(Exception):
    """What an algebra cannot make of its parts; becomes an error with the formula and its place."""


class Algebra(Protocol[V]):
    """What formulas are made into."""

    def number(self, value: int) -> V: ...
    def name(self, name: str) -> V: ...
    def add(self, left: V, right: V) -> V: ...
    def subtract(self, left: V, right: V) -> V: ...
    def multiply(self, left: V, right: V) -> V: ...
    def divide(self, left: V, right: V) -> V: ...
    def power(self, base: V, exponent: int) -> V: ...
    def minimum(self, parts: Sequence[V]) -> V: ...
    def rounded(self, function: str, above: V, below: V) -> V: ...


def parse(
    text: str, place: Place | None, algebra: Algebra[V], longest: int = MAX_LENGTH, decimals: bool = False
) -> V:
    """What the algebra makes of a formula. Raises InputError with the place."""
    parser = _Parser(text, place, algebra, longest, decimals)
    result = parser.sum(0)
    parser.finish()
    return result


def sides_of(text: str, place: Place) -> tuple[str, str, str]:
    """(left, relation, right) of a comparison; `==` is `=`."""
    relations = _RELATION.findall(text)
    if len(relations) != 1:
        raise InputError(f"{text[:60]!r} is no comparison; write it like d_k + d_v < 2*d_c", place)
    left, right = text.split(relations[0])
    return left, relations[0].replace("==", "="), right


class _Parser(Generic[V]):
    def __init__(
        self, text: str, place: Place | None, algebra: Algebra[V], longest: int, decimals: bool
    ) -> None:
        self.text, self.place, self.algebra, self.position = text, place, algebra, 0
        self.decimals = decimals
        if len(text) > longest:
            raise InputError(f"the formula is longer than {longest} characters", place)
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            hit = (_DECIMAL if decimals else _TOKEN).match(text, position)
            if hit is None:
                raise self.wrong(f"cannot read {text[position:].strip()[:20]!r}")
            number, name, sign = hit.groups()
            kind = "number" if number else "name" if name else "sign"
            self.tokens.append((kind, number or name or sign))
            position = hit.end()

    def wrong(self, what: str) -> InputError:
        numbers = "numbers" if self.decimals else "whole numbers"
        return InputError(
            f"{what} in the formula {self.text[:60]!r}; use names, {numbers}, + - * / ^ ( ), min, ceil and "
            "floor",
            self.place,
        )

    def peek(self) -> str:
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def take(self, *signs: str) -> str:
        token = self.peek()
        if token and token in signs:
            self.position += 1
            return token
        return ""

    def found(self) -> str:
        return repr(self.peek()) if self.peek() else "the end"

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise self.wrong(f"expected {sign!r}, found {self.found()}")

    def finish(self) -> None:
        if self.position < len(self.tokens):
            raise self.wrong(f"{self.peek()!r} is not expected")

    def sum(self, depth: int) -> V:
        if self.decimals and self.take("-"):
            result = self.algebra.subtract(self.algebra.number(0), self.product(depth))
        else:
            result = self.product(depth)
        while sign := self.take("+", "-"):
            right = self.product(depth)
            try:
                result = (self.algebra.add if sign == "+" else self.algebra.subtract)(result, right)
            except Wrong as error:
                raise self.wrong(str(error)) from None
        return result

    def product(self, depth: int, signs: tuple[str, ...] = ("*", "/")) -> V:
        result = self.power(depth)
        while sign := self.take(*signs):
            right = self.power(depth)
            try:
                result = (self.algebra.multiply if sign == "*" else self.algebra.divide)(result, right)
            except Wrong as error:
                raise self.wrong(str(error)) from None
        return result

    def power(self, depth: int) -> V:
        of_number = self.decimals and self.peek()[:1].isdigit()
        most = _MOST_DIGITS if of_number else MAX_POWER
        base = self.atom(depth)
        if not self.take("^"):
            return base
        digits = self.tokens[self.position][1] if self.position < len(self.tokens) else ""
        if not digits.isdigit():
            raise self.wrong(f"expected a whole number as exponent, found {self.found()}")
        if len(digits) > 3 or not 1 <= int(digits) <= most:
            raise self.wrong(f"the exponent {digits[:20]} is not between 1 and {most}")
        self.position += 1
        try:
            return self.algebra.power(base, int(digits))
        except Wrong as error:
            raise self.wrong(str(error)) from None

    def atom(self, depth: int) -> V:
        if depth > MAX_DEPTH:
            raise self.wrong(f"parentheses nested deeper than {MAX_DEPTH}")
        if self.take("("):
            inner = self.sum(depth + 1)
            self.expect(")")
            return inner
        if self.position >= len(self.tokens) or self.tokens[self.position][0] == "sign":
            raise self.wrong(f"expected a name or a number, found {self.found()}")
        kind, token = self.tokens[self.position]
        self.position += 1
        if kind == "number":
            if self.decimals:
                return self.decimal(token)
            if len(token) > 16 or int(token) > LARGEST:
                raise self.wrong("a number is too large")
            return self.algebra.number(int(token))
        if self.peek() == "(":
            return self.call(token, depth)
        if not is_name(token):
            raise self.wrong(f"{token[:20]!r} is no name")
        try:
            return self.algebra.name(token)
        except Wrong as error:
            raise self.wrong(str(error)) from None

    def decimal(self, token: str) -> V:
        mantissa, _, exponent = token.lower().partition("e")
        whole, _, behind = mantissa.partition(".")
        shift = int(exponent) if len(exponent) <= 4 and exponent else 0 if not exponent else LARGEST
        if abs(shift) > _MOST_DIGITS or max(len(whole), len(behind)) > _MOST_DIGITS:
            raise self.wrong("a number is too large, too small or too exact")
        digits, below = int(whole + behind), len(behind) - shift
        if below <= 0:
            return self.algebra.number(digits * 10**-below)
        return self.algebra.divide(self.algebra.number(digits), self.algebra.number(10**below))

    def call(self, function: str, depth: int) -> V:
        if function not in ("min", "ceil", "floor"):
            raise self.wrong(f"unknown function {function[:20]!r}")
        self.expect("(")
        parts: list[V] = []
        if function == "min":
            parts = [self.sum(depth + 1)]
            while self.take(","):
                parts.append(self.sum(depth + 1))
        else:
            above = self.product(depth + 1, ("*",))
            self.expect("/")
            parts = [above, self.power(depth + 1)]
        self.expect(")")
        try:
            return self.algebra.minimum(parts) if function == "min" else self.algebra.rounded(function, *parts)
        except Wrong as error:
            raise self.wrong(str(error)) from None
