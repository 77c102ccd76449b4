"""Size formulas in YAML and on the command line: parsed, bounded, never evaluated as code.

    sum     := product (("+" | "-") product)*
    product := atom (("*" | "/") atom)*
    atom    := number | name | "(" sum ")" | ("min" | "ceil" | "floor") "(" sum ("," sum)* ")"

`a / b` is an exact quotient: it must come out whole when numbers are put in. `ceil(a/b)` and
`floor(a/b)` round instead; a divisor is a single term. A comparison is `sum (< | <= | = | >= | >) sum`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .atoms import CONTEXT_HOLDS_QUERIES, ceiling, floored, minimum
from .dims import LARGEST, is_name
from .domain import nonnegative
from .errors import InputError, Place
from .poly import Poly

__all__ = ["Comparison", "parse_comparison", "parse_size"]

MAX_LENGTH = 200
MAX_DEPTH = 12
MAX_TERMS = 200
MAX_DEGREE = 8
_TOKEN = re.compile(r"\s*(?:([0-9]+)(?![A-Za-z_.])|([A-Za-z][A-Za-z0-9_]*)|([-+*/(),]))")
_RELATION = re.compile(r"<=|>=|==|<|>|=")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left relation right`, kept as the polynomial that must be at or above zero."""

    text: str
    """As written."""
    slack: Poly
    """Right side minus left side, turned so that the statement says `slack > 0` or `>= 0`."""
    strict: bool
    """True for `<` and `>`."""
    equal: bool = False
    """True for `=`: slack must be zero."""


def parse_size(text: str, place: Place) -> Poly:
    """The polynomial of a size formula. Raises InputError with the place for anything else."""
    result = parse_side(text, place)
    if any(abs(exponent) > MAX_DEGREE for powers, _ in result.powers() for exponent in powers.values()):
        raise InputError(f"the size {text[:60]!r} has a power above {MAX_DEGREE}", place)
    if nonnegative(-result, (CONTEXT_HOLDS_QUERIES,)):
        raise InputError(f"the size {text!r} is never positive", place)
    return result


def parse_comparison(text: str, place: Place) -> Comparison:
    """The comparison in `text`, such as `d_k + d_v < 2*d_c`."""
    relations = _RELATION.findall(text)
    if len(relations) != 1:
        raise InputError(f"{text[:60]!r} is no comparison; write it like d_k + d_v < 2*d_c", place)
    relation = relations[0]
    left, right = (parse_side(side, place) for side in text.split(relation))
    slack = left - right if relation in (">", ">=") else right - left
    return Comparison(text, slack, relation in ("<", ">"), relation in ("=", "=="))


def parse_side(text: str, place: Place) -> Poly:
    """A formula that may be zero, as one side of a comparison may."""
    parser = _Parser(text, place)
    result = parser.sum(0)
    parser.finish()
    return result


class _Parser:
    def __init__(self, text: str, place: Place) -> None:
        self.text, self.place, self.position = text, place, 0
        if len(text) > MAX_LENGTH:
            raise InputError(f"the formula is longer than {MAX_LENGTH} characters", place)
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            hit = _TOKEN.match(text, position)
            if hit is None:
                raise self.wrong(f"cannot read {text[position:].strip()[:20]!r}")
            number, name, sign = hit.groups()
            kind = "number" if number else "name" if name else "sign"
            self.tokens.append((kind, number or name or sign))
            position = hit.end()

    def wrong(self, what: str) -> InputError:
        return InputError(
            f"{what} in the formula {self.text[:60]!r}; use names, whole numbers, + - * / ( ), "
            "min, ceil and floor",
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

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            found = repr(self.peek()) if self.peek() else "the end"
            raise self.wrong(f"expected {sign!r}, found {found}")

    def finish(self) -> None:
        if self.position < len(self.tokens):
            raise self.wrong(f"{self.peek()!r} is not expected")

    def sum(self, depth: int) -> Poly:
        result = self.product(depth)
        while sign := self.take("+", "-"):
            right = self.product(depth)
            result = result + right if sign == "+" else result - right
        return result

    def product(self, depth: int) -> Poly:
        result = self.atom(depth)
        while sign := self.take("*", "/"):
            right = self.atom(depth)
            if sign == "/" and len(right.terms) != 1:
                raise self.wrong("the divisor must be a single term")
            if sign == "/" and nonnegative(-right):
                raise self.wrong("the divisor must be positive")
            if len(result.terms) * len(right.terms) > MAX_TERMS:
                raise self.wrong("too many terms")
            result = result * (right if sign == "*" else right.inverse())
        return result

    def atom(self, depth: int) -> Poly:
        if depth > MAX_DEPTH:
            raise self.wrong(f"parentheses nested deeper than {MAX_DEPTH}")
        if self.take("("):
            inner = self.sum(depth + 1)
            self.expect(")")
            return inner
        if self.position >= len(self.tokens) or self.tokens[self.position][0] == "sign":
            found = repr(self.peek()) if self.peek() else "the end"
            raise self.wrong(f"expected a name or a number, found {found}")
        kind, token = self.tokens[self.position]
        self.position += 1
        if kind == "number":
            if len(token) > 16 or int(token) > LARGEST:
                raise self.wrong("a number is too large")
            return Poly.const(int(token))
        if self.peek() == "(":
            return self.call(token, depth)
        if not is_name(token):
            raise self.wrong(f"{token[:20]!r} is no name")
        return Poly.symbol(token)

    def call(self, function: str, depth: int) -> Poly:
        if function not in ("min", "ceil", "floor"):
            raise self.wrong(f"unknown function {function[:20]!r}")
        self.expect("(")
        if function == "min":
            arguments = [self.sum(depth + 1)]
            while self.take(","):
                arguments.append(self.sum(depth + 1))
            self.expect(")")
            result = arguments[0]
            for other in arguments[1:]:
                result = minimum(result, other)
            return result
        top = self.product_before_slash(depth + 1)
        self.expect("/")
        bottom = self.atom(depth + 1)
        self.expect(")")
        if len(bottom.terms) != 1 or nonnegative(-bottom):
            raise self.wrong("the divisor must be a single positive term")
        return ceiling(top, bottom) if function == "ceil" else floored(top, bottom)

    def product_before_slash(self, depth: int) -> Poly:
        result = self.atom(depth)
        while self.take("*"):
            right = self.atom(depth)
            if len(result.terms) * len(right.terms) > MAX_TERMS:
                raise self.wrong("too many terms")
            result = result * right
        return result
