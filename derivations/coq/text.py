"""How claims are written in the language of Coq: names, polynomials and expressions, over the reals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from ..claims import STEP, Claim, Term
from ..kernel import under

__all__ = [
    "Env",
    "NoCoq",
    "Texts",
    "comment",
    "group",
    "identifiers",
    "poly_text",
    "power_text",
    "product_text",
    "word",
]

Env = Mapping[str, str]
"""What stands for a symbol at some place: a variable, or a text in brackets."""


class NoCoq(Exception):
    """Something that has no text here; its claim may well be true."""


def comment(text: str) -> str:
    """A Coq comment that ends where it should, whatever the text is."""
    plain = "".join(c if c.isprintable() else " " for c in text).replace('"', "'")
    return f"(* {plain.replace('(*', '( *').replace('*)', '* )')} *)"


def word(name: str) -> str:
    """Letters, digits and single underscores, with a letter first."""
    found = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return found if found[:1].isalpha() else f"x{found}"


def identifiers(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """(kind, name) -> an identifier of its own. It ends in `_`, as nothing in the standard library does."""
    found: dict[tuple[str, str], str] = {}
    for kind, name in keys:
        ident, number = f"{word(name)}_", 1
        while ident in found.values():
            number += 1
            ident = f"{word(name)}_{number}_"
        found[kind, name] = ident
    return found


def group(text: str) -> str:
    """The text in brackets, where it is not one thing already."""
    return text if re.fullmatch(r"[\w']+|\([^()]*\)", text) else f"({text})"


def number_text(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number) if number >= 0 else f"({number})"
    return f"({number.numerator} / {number.denominator})"


def poly_text(terms: Term, look: Callable[[str], str]) -> str:
    """A polynomial, what is added before what is taken away."""
    text = ""
    for c, m in sorted(terms, key=lambda term: Fraction(term[0]) < 0):
        value = Fraction(c)
        parts = [power_text(look(n), e) for n, e in m]
        if abs(value) != 1 or not parts:
            parts.insert(0, number_text(abs(value)))
        sign = ("- " if value < 0 else "") if not text else " - " if value < 0 else " + "
        text += sign + " * ".join(parts)
    return text or "0"


def power_text(text: str, exponent: int) -> str:
    return text if exponent == 1 else f"{text} ^ {exponent}"


def product_text(factors: Iterable[str]) -> str:
    """Texts multiplied; 1 if there are none."""
    parts = list(factors)
    return parts[0] if len(parts) == 1 else " * ".join(map(group, parts)) or "1"


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one claim."""

    claim: Claim
    names: Mapping[tuple[str, str], str]
    """Identifiers of symbols ("sym"), quantities ("def") and of what has a definition ("opaque")."""
    ends: Mapping[Term, tuple[str, Term, Term]]
    """("root", ...) and ("lim", ...) -> an identifier and the two polynomials whose ratio it is."""

    def base(self, name: str) -> frozenset[str]:
        """The variables that the value of a symbol is made of."""
        for known, (_, *parts) in self.claim.opaque:
            if known == name:
                return frozenset().union(*map(self.free, parts))
        return frozenset({name})

    def bases(self, *polys: Term) -> frozenset[str]:
        """The variables of some polynomials."""
        return frozenset().union(*(self.base(n) for p in polys for _, m in p for n, _ in m))

    def free(self, e: Term) -> frozenset[str]:
        """The variables of an expression."""
        head, *rest = e
        if head in ("num", "sym"):
            return self.base(rest[0]) if head == "sym" else frozenset()
        if head == "def":
            return self.free(dict(self.claim.definitions)[rest[0]])
        if head in ("lim", "root"):
            _, above, below = self.ends[e]
            inner = [self.free(part) for part in rest[:-1]]
            moved = self.moved_names(frozenset().union(*inner), rest[-1])
            return (moved - {rest[-1]}) | self.bases(above, below)
        if head == "shift":
            return self.moved_names(self.free(rest[0]), rest[1]) | {rest[1], STEP}
        return frozenset().union(*map(self.free, rest))

    def puts(self, name: str) -> dict[str, Term]:
        """Symbol -> the polynomial it is, for those whose value changes with a symbol."""
        tied = {y: p[0] for head, y, *p in self.claim.assumptions if head == "put" and y != name}
        return {y: p for y, p in tied.items() if name in under(self.claim, y)}

    def moved_names(self, names: frozenset[str], name: str) -> frozenset[str]:
        """The variables that are left when what changes with a symbol is written out."""
        puts = self.puts(name)
        while names & set(puts):
            names = (names - set(puts)) | self.bases(*(puts[y] for y in names & set(puts)))
        return names

    def env(self, names: Iterable[str]) -> dict[str, str]:
        """Every variable as itself."""
        return {n: self.names["sym", n] for n in names}

    def everywhere(self) -> dict[str, str]:
        """Every symbol of the claim as itself."""
        return {name: ident for (kind, name), ident in self.names.items() if kind == "sym"}

    def moved(self, env: Env, name: str, text: str) -> dict[str, str]:
        """`text` in the place of a symbol, and what changes with it written out."""
        result = {**env, name: text}
        puts = self.puts(name)
        for _ in puts:  # as often as one may stand in another
            result |= {y: group(self.poly(p, result)) for y, p in puts.items()}
        return result

    def symbol(self, name: str, env: Env) -> str:
        """A symbol: what stands for it, or its definition applied."""
        if ("opaque", name) in self.names:
            return group(self._applied(self.names["opaque", name], self.base(name), env))
        return env[name]

    def _applied(self, ident: str, names: Iterable[str], env: Env) -> str:
        return " ".join([ident, *(env[n] for n in sorted(names))])

    def poly(self, terms: Term, env: Env) -> str:
        """A polynomial."""
        return poly_text(terms, lambda name: self.symbol(name, env))

    def product(self, polys: Iterable[Term], env: Env) -> str:
        """A product of polynomials."""
        return product_text(self.poly(p, env) for p in polys)

    def expr(self, e: Term, env: Env, level: int = 1) -> str:
        """An expression as it stands; level 1 may be a sum, level 2 a product, level 3 neither."""
        head, *rest = e
        if head == "num":
            return number_text(Fraction(rest[0]))
        if head == "sym":
            return self.symbol(rest[0], env)
        if head in ("def", "lim", "root"):
            ident = self.names["def", rest[0]] if head == "def" else self.ends[e][0]
            return self._applied(ident, self.free(e), env)
        if head == "shift":
            text = f"({self.symbol(rest[1], env)} + {env[STEP]})"
            return self.expr(rest[0], self.moved(env, rest[1], text), level)
        sign, own = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}[head]
        parts = [self.expr(part, env, own + (i > 0)) for i, part in enumerate(rest)]
        text = f" {sign} ".join(parts)
        return text if own >= level or len(rest) == 1 else f"({text})"

    def definitions(self, statement: Term) -> Iterator[str]:
        """A Definition for each thing that a statement names, in an order in which each knows what it uses."""
        seen: set[Term] = set()

        def visit(e: Term) -> Iterator[str]:
            if e in seen or e[0] in ("pos", "nonneg", "put", "cheapest", "value"):
                return
            seen.add(e)
            body = (dict(self.claim.definitions)[e[1]],) if e[0] == "def" else e[1:]
            opaque = [p for n, (_, *parts) in self.claim.opaque if e == ("sym", n) for p in parts]
            for part in (*body, *opaque):
                if isinstance(part, tuple) and part:
                    yield from visit(part)
            env = self.env(self.free(e)) if e[0] == "def" or opaque or e in self.ends else {}
            if e[0] == "def":
                yield self._definition(self.names["def", e[1]], env, self.expr(body[0], env))
            elif opaque:
                yield self._definition(self.names["opaque", e[1]], env, self._rounded(e[1], env))
            elif e in self.ends:
                ident, *sides = self.ends[e]
                yield self._definition(ident, env, " / ".join(f"({self.poly(side, env)})" for side in sides))

        yield from visit(statement)

    def _rounded(self, name: str, env: Env) -> str:
        """What a symbol with a definition is."""
        function, *parts = dict(self.claim.opaque)[name]
        if function == "min":
            first, *others = (group(self.expr(part, env, 3)) for part in parts)
            return reduce(lambda one, two: f"(Rmin {one} {two})", others, first)
        quotient = " / ".join(self.expr(part, env, 3) for part in parts)
        return f"IZR (Int_part ({quotient}))" if function == "floor" else f"- IZR (Int_part (- ({quotient})))"

    def _definition(self, ident: str, env: Env, body: str) -> str:
        binder = f" ({' '.join(env[n] for n in sorted(env))} : R)" if env else ""
        return f"Definition {ident}{binder} : R :=\n  {body}."
