"""Claims that are true and claims that are false, for every judge that gives an opinion on them."""

from __future__ import annotations

from dataclasses import dataclass

from derivations.claims import Claim, Term
from derivations.poly import Poly
from derivations.proofdata import poly_data


@dataclass(frozen=True)
class E:
    """An expression of claims, written with operators."""

    term: Term

    def _with(self, head: str, other: E | int) -> E:
        return E((head, self.term, as_term(other)))

    def __add__(self, other: E | int) -> E:
        return self._with("add", other)

    def __sub__(self, other: E | int) -> E:
        return self._with("sub", other)

    def __mul__(self, other: E | int) -> E:
        return self._with("mul", other)

    def __truediv__(self, other: E | int) -> E:
        return self._with("div", other)


def as_term(e: E | int) -> Term:
    return e.term if isinstance(e, E) else ("num", e)


def sym(name: str) -> E:
    return E(("sym", name))


def polynomial(e: E | int) -> Poly:
    """An expression without fraction lines, multiplied out."""
    head, *rest = as_term(e)
    if head in ("num", "sym"):
        return Poly.const(rest[0]) if head == "num" else Poly.symbol(rest[0])
    left, right = (polynomial(E(part)) for part in rest)
    return left * right if head == "mul" else left + right if head == "add" else left - right


def pos(e: E) -> Term:
    return "pos", poly_data(polynomial(e))


def nonneg(e: E) -> Term:
    return "nonneg", poly_data(polynomial(e))


def put(name: str, e: E | int) -> Term:
    return "put", name, poly_data(polynomial(e))


def says(head: str, *parts: E | int | str) -> Term:
    return head, *(part if isinstance(part, str) else as_term(part) for part in parts)


H, L, S, b, c, k, v, x, m, w = map(sym, ("H", "L", "S", "b", "d_c", "d_k", "d_v", "x", "m", "w"))
ABSORB = H * S * c * k * 2 + H * L * S * c * 2 + H * L * S * c * 2 + H * S * c * v * 2
EXPAND = H * L * c * k * 2 + H * L * c * v * 2 + H * L * S * k * 2 + H * L * S * v * 2
"""FLOPs of multi-head latent attention in its two orders, S query tokens against L."""
BYTES = L * c * b
DEFINED = (("A", ABSORB.term), ("E", EXPAND.term), ("M", BYTES.term))
A, X, M = (E(("def", name)) for name in "AEM")
NAMES = ("H", "L", "S", "d_c", "d_k", "d_v")
CROSSES = (pos(c * 2 - k - v), nonneg(L - S))
ROOT = E(("root", A.term, X.term, "S"))
CLOSED = L * c * (k + v) / (L * (c * 2 - k - v) + c * (k + v))


def about(statement: Term, *assumptions: Term, sizes: tuple[str, ...] = NAMES, **more: tuple) -> Claim:
    return Claim(statement, DEFINED, assumptions, sizes, ("b",), **more)


def limit(e: E, name: str) -> E:
    return E(("lim", e.term, name))


MIN = (("min(L, w)", ("min", L.term, w.term)),)
CEIL = (("ceil", ("ceil", (L / m).term)),)
least, up = sym("min(L, w)"), sym("ceil")
MINS, UPS = {"sizes": ("L", "w"), "opaque": MIN}, {"sizes": ("L", "m"), "opaque": CEIL}

TRUE = {
    "a square": about(says("same", (L + S) * (L - S), L * L - S * S)),
    "closed form": about(says("same", ROOT, CLOSED), *CROSSES),
    "with a fraction": about(says("same", X / M, H * (S * (k + v) / c + k + v) * 2 / b)),
    "put": about(says("same", A, H * c * (k + v + L * 2) * 2), put("S", 1)),
    "put in what is put": about(
        says("same", A, H * v * v * 8), put("S", 1), put("L", v), put("d_v", c), put("d_k", c)
    ),
    "intensity": about(says("independent", X / M, "L"), put("S", 1)),
    "root without H": about(says("independent", ROOT, "H"), *CROSSES),
    "cheaper": about(says("less", A, X), put("S", 1), nonneg(L - 2), nonneg(k + v - 4)),
    "cheaper when": about(("iff", says("less", X, A), says("less", k + v, c * 2)), put("S", 1), put("L", 1)),
    "crossing": about(says("crosses", A, X, "S"), *CROSSES),
    "crossing inside": about(("all", says("less", 0, ROOT), says("less", ROOT, L)), *CROSSES),
    "growing": about(says("increasing", ROOT, "L"), CROSSES[0]),
    "limit": about(says("same", limit(A / X, "L"), c * 2 / (k + v)), put("S", L)),
    "limit of a root": about(says("same", limit(ROOT, "L"), c * (k + v) / (c * 2 - k - v)), *CROSSES[:1]),
    "never above": about(says("atmost", k * c, v * c), nonneg(v - k)),
    "below one byte": about(says("less", b * b, b + 1), pos(b * -1 + 1)),
    "whole": about(says("atmost", 2, L), pos(L - 1)),
    "a min": about(says("atmost", least, L), **MINS),
    "an identity with a min": about(says("same", (least + L) * least, least * least + L * least), **MINS),
    "a min that cancels": about(says("independent", least * L / least, "w"), **MINS),
    "a ceil": about(says("less", up * m, L + m), **UPS),
    "a ceil above": about(says("atmost", L, up * m), **UPS),
    "both": about(("all", says("same", L + L, L * 2), says("less", L, L + S))),
}
FALSE = {
    "not a square": about(says("same", (L + S) * (L - S), L * L + S * S)),
    "one off": about(says("same", ROOT, CLOSED + 1), *CROSSES),
    "but at L = 1": about(says("same", L * S, S)),
    "intensity": about(says("independent", X / M, "d_c"), put("S", 1)),
    "root with L": about(says("independent", ROOT, "L"), *CROSSES),
    "at one size": about(says("less", L, L * L)),
    "small sizes": about(says("less", A, X), put("S", 1)),
    "large sizes": about(says("atmost", L, 5000)),
    "cheaper when": about(("iff", says("less", X, A), says("less", k, c * 2)), put("S", 1), put("L", 1)),
    "crossing the other way": about(says("crosses", X, A, "S"), *CROSSES),
    "no crossing": about(says("crosses", L, L + S, "L")),
    "crossing anyway": about(says("crosses", A, X, "S"), CROSSES[1]),
    "shrinking": about(says("increasing", L / (L + S), "S")),
    "level": about(says("increasing", H * S, "L")),
    "limit": about(says("same", limit(A / X, "L"), c * 4 / (k + v)), put("S", L)),
    "limit at some sizes": about(says("same", limit((L * (k - v) + 1) / (L * (k - v) + c + 1), "L"), 1)),
    "not whole": about(says("less", 2, L), pos(L * 2 - 3)),
    "equal": about(says("less", k * c, v * c), nonneg(v - k)),
    "above one byte": about(says("less", b, b * b + b - 1), nonneg(L - 2)),
    "a min": about(says("less", least, L), **MINS),
    "depends on a min": about(says("independent", least * L, "w"), **MINS),
    "a ceil": about(says("atmost", up * m, L), **UPS),
    "one of two": about(("all", says("same", L + L, L * 2), says("less", L, L * S))),
}

CHAIN = ((("A", ("i", "j"), True), ("B", ("j", "k"), True), ("C", ("k", "l"), True)), ("i", "l"))
OFFLINE = ((("A", ("i", "j"), True), ("B", ("j", "k"), False), ("C", ("k", "l"), False)), ("i", "l"))
TWICE = ((("A", ("i",), True), ("A", ("i",), True), ("B", ("j",), True)), ("i", "j"))
LEFT, RIGHT, OUTER = ((1, 2), (3, 4)), ((2, 4), (1, 6)), ((1, 4), (2, 5))
SIZES = tuple((name, poly_data(Poly.symbol(name))) for name in "ijkl")


def cheapest(products: tuple, trees: tuple, *assumptions: Term) -> Claim:
    return Claim(("cheapest", (SIZES, (products,)), (trees,)), (), assumptions, ("i", "j", "k", "l"))


I_L, K_J = nonneg(sym("l") - sym("i")), nonneg(sym("j") - sym("k"))
TRUE_BRACKETS = {
    "left to right": cheapest((CHAIN,), (LEFT,), I_L, K_J),
    "offline first": cheapest((OFFLINE,), (RIGHT,), nonneg(sym("k") - sym("l"))),
    "elements first": cheapest((TWICE,), (LEFT,)),
    "shared": cheapest((CHAIN, (CHAIN[0][:2], ("i", "k"))), (LEFT, ((1, 2),)), I_L, K_J),
}
FALSE_BRACKETS = {
    "right to left": cheapest((CHAIN,), (RIGHT,), I_L, K_J, pos(sym("l") - sym("i"))),
    "unsorted": cheapest((CHAIN,), (LEFT,)),
    "through an outer product": cheapest((CHAIN,), (OUTER,), I_L, K_J),
    "the same tensor paid once": cheapest((TWICE,), (RIGHT,)),
    "nothing at all": cheapest((CHAIN,), ((),)),
    "half a tree": cheapest((CHAIN,), (((1, 2),),)),
}


def tensor(name: str, labels: str) -> Term:
    return "tensor", name, tuple(labels)


def nested(labels: str, *factors: Term) -> Term:
    return "sum", tuple(labels), factors


P, Q, R = tensor("P", "ij"), tensor("Q", "jk"), tensor("R", "kl")
FLAT = nested("jk", P, Q, R)
TRUE_VALUES = {
    "left": ("value", nested("k", nested("j", P, Q), R), FLAT),
    "right": ("value", nested("j", P, nested("k", Q, R)), FLAT),
    "renamed": ("value", nested("j", P, tensor("Q", "jk")), nested("a", tensor("P", "ia"), tensor("Q", "ak"))),
}
FALSE_VALUES = {
    "a sum moved": ("value", nested("j", P, nested("", Q)), nested("", P, nested("j", Q))),
    "a factor lost": ("value", nested("jk", P, Q), FLAT),
    "transposed": ("value", nested("j", P, tensor("P", "jk")), nested("j", P, tensor("P", "kj"))),
}
