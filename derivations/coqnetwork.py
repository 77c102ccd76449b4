"""Claims about bracketings as theorems of Coq: what they cost, and that they have the same value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product

from .claims import Term
from .coqscript import Point, Scripts, Theorem, stated
from .coqtext import comment, group, identifiers, product_text
from .exact import Poly, data, minus, ordered, plus, read, times
from .exactsums import bracketings, indices

__all__ = ["cheapest", "value"]


def cheapest(scripts: Scripts, statement: Term, place: int, name: str) -> Theorem:
    """Each cost of the network's bracketings, as the sum of its steps, is at least the chosen one's."""
    _, network, chosen = statement
    texts, at = scripts.texts, Point("l", scripts.texts.everywhere())
    premises = scripts.line(place).premises
    known = {scripts.line(i).statement: i for i in premises}
    sizes = {label: read(p) for label, p in network[0]}
    named = texts.bases(*(p for _, p in network[0]))
    applied = " ".join(at.env[n] for n in sorted(named))
    binder = f" ({applied} : R)" if applied else ""
    definitions: list[str] = []
    goals: list[str] = []
    tactics: list[str] = []
    for number, (products, own) in enumerate(zip(network[1], chosen, strict=True)):
        (_, mine), *_ = costs = _costs(products, own, sizes)
        idents = [f"{name}_chosen_{number}", *(f"{name}_other_{number}_{i}" for i in range(1, len(costs)))]
        for ident, (shown, steps) in zip(idents, costs, strict=True):
            body = " +\n  ".join(group(texts.poly(data(step), at.env)) for step in steps) or "0"
            definitions += [comment(f"brackets {shown}"), f"Definition {ident}{binder} : R :=\n  {body}."]
        for ident, (_, steps) in zip(idents[1:], costs[1:], strict=True):
            more = data(minus(_total(steps), _total(mine)))
            weak, strict = (known.get((head, more)) for head in ("nonneg", "pos"))
            line = f"l{weak}" if strict is None else f"(Rlt_le _ _ l{strict})"
            goals.append(f"{idents[0]} {applied} <= {ident} {applied}".replace("  ", " ").strip())
            tactics.append(f"assert (c{len(goals)} : {goals[-1]}).")
            tactics.append(f"{{ apply (at_most _ _ _ {line}); unfold {idents[0]}, {ident}; ring. }}")
    facts = scripts.facts(premises)
    variables = sorted(named | scripts.names(facts))
    goal = " /\\\n  ".join(goals) or "True"
    says, intros = stated([at.env[n] for n in variables], scripts.hypotheses(facts, at.env), goal)
    done = "repeat split; assumption." if goals else "exact I."
    asserts = scripts.asserts(premises, at)
    return Theorem(name, says, (intros, *asserts, *tactics, done), "\n".join(definitions))


def _costs(products: Term, own: Term, sizes: Mapping[str, Poly]) -> list[tuple[str, list[Poly]]]:
    """The chosen trees, then others for each other cost there is: how they look, and what each step costs."""
    found: dict[Term, tuple[str, list[Poly]]] = {}
    for trees in (own, *product(*(bracketings((1 << len(leaves)) - 1) for leaves, _ in products))):
        made: dict[Term, set[str]] = {}
        for which, tree in zip(products, trees, strict=True):
            made |= _visited(which, tree) | made
        steps = [times({(): Fraction(2)}, *(sizes[x] for x in sorted(labels))) for labels in made.values()]
        shown = ", ".join(bracketed(which, tree) for which, tree in zip(products, trees, strict=True))
        found.setdefault(data(_total(steps)), (shown, steps))
    return list(found.values())


def _total(steps: Iterable[Poly]) -> Poly:
    return reduce(plus, steps, {})


def _visited(which: Term, tree: Term) -> dict[Term, set[str]]:
    """What each step makes, if more than weights -> the indices it visits; each point costs two."""
    leaves, output = which

    def kept(mask: int) -> set[str]:
        inside = {x for i, (_, labels, _) in enumerate(leaves) if mask >> i & 1 for x in labels}
        outside = {x for i, (_, labels, _) in enumerate(leaves) if not mask >> i & 1 for x in labels}
        return inside & (outside | {*output})

    found: dict[Term, set[str]] = {}
    for left, right in tree:
        members = sorted(leaf for i, leaf in enumerate(leaves) if (left | right) >> i & 1)
        if any(online for _, _, online in members):
            found[*members, *sorted(kept(left | right))] = kept(left) | kept(right)
    return found


def bracketed(which: Term, tree: Term) -> str:
    """A bracketing as a reader would write it."""
    shown = {1 << i: str(tensor) for i, (tensor, _, _) in enumerate(which[0])}
    for left, right in tree:
        shown[left | right] = f"[{shown[left]} {shown[right]}]"
    return shown[(1 << len(which[0])) - 1]


def value(scripts: Scripts, statement: Term, place: int, name: str) -> Theorem:
    """Two nested sums are equal, whatever the sizes, the tensors and the indices that are not summed are."""
    _, *sides = statement
    sums = Sums(sides)
    tactics = ["intros."]
    for side, number in zip(sides, scripts.line(place).premises, strict=True):
        chain: list[Term] = []
        while True:
            line = scripts.line(number)
            chain.insert(0, line.statement[2])
            if not line.premises:
                break
            number = line.premises[0]
        flat = sums.text(chain[-1])
        tactics.append(f"assert ({'one' if side is sides[0] else 'two'} : {sums.text(side)} = {flat}).")
        tactics.append("{")
        for node, new in zip((side, *chain), chain, strict=False):
            joined = (f"    {tactic}" for tactic in sums.joined(node, new))
            tactics += [f"  transitivity ({sums.text(new)}).", "  {", *joined, "  }"]
        tactics += ["  reflexivity.", "}"]
    tactics.append("rewrite one, two; reflexivity.")
    goal = f"{sums.text(sides[0])} =\n  {sums.text(sides[1])}"
    return Theorem(name, f"{sums.every}{goal}", tuple(tactics))


class Sums:
    """The texts of nested sums, and why joining an inner sum to the one around it changes no value."""

    def __init__(self, nodes: Sequence[Term]) -> None:
        tensors = sorted({t for node in nodes for t in self._tensors(node)})
        labels = sorted({x for node in nodes for x in indices(node)})
        often = [t for t, _ in tensors]
        keys = [("index", x) for x in labels] + [("size", f"size {x}") for x in labels]
        shown = {(t, n): f"{t} {n}" if often.count(t) > 1 else t for t, n in tensors}
        self.names = identifiers([*keys, *(("tensor", name) for name in shown.values())])
        self.tensors = {key: self.names["tensor", name] for key, name in shown.items()}
        summed = sorted({x for node in nodes for x in self._summed(node)})
        free = sorted({x for node in nodes for x in self._free(node)})
        binders = [f"({' '.join(self.names['size', f'size {x}'] for x in summed)} : nat)"] if summed else []
        binders += [f"({self.tensors[t, n]} : {'nat -> ' * n}R)" for t, n in tensors]
        binders += [f"({' '.join(self.names['index', x] for x in free)} : nat)"] if free else []
        self.every = f"forall {' '.join(binders)},\n  " if binders else ""

    def _tensors(self, node: Term) -> Iterator[tuple[str, int]]:
        if node[0] == "tensor":
            yield str(node[1]), len(node[2])
        else:
            for factor in node[2]:
                yield from self._tensors(factor)

    def _summed(self, node: Term) -> Iterator[str]:
        if node[0] == "sum":
            yield from node[1]
            for factor in node[2]:
                yield from self._summed(factor)

    def _free(self, node: Term) -> set[str]:
        if node[0] == "tensor":
            return {*node[2]}
        return {x for factor in node[2] for x in self._free(factor)} - {*node[1]}

    def text(self, node: Term) -> str:
        """A nested sum as a term of Coq."""
        head, what, rest = node
        if head == "tensor":
            return " ".join([self.tensors[what, len(rest)], *(self.names["index", x] for x in rest)])
        return self.summed(what, product_text(map(self.text, rest)))

    def summed(self, labels: Iterable[str], body: str) -> str:
        """A text summed over some indices."""
        for x in reversed([*labels]):
            body = f"sum_below {self.names['size', f'size {x}']} (fun {self.names['index', x]} => {body})"
        return body

    def under(self, labels: Iterable[str]) -> list[str]:
        """Tactics that go into some sums."""
        return [f"apply sum_ext; intro {self.names['index', x]}; cbv beta." for x in labels]

    def joined(self, node: Term, new: Term) -> list[str]:
        """Tactics that prove that a node equals one in which an inner sum is joined to what is around it."""
        return next(tactics for result, tactics in self._joins(node) if result == new)

    def _joins(self, node: Term) -> Iterator[tuple[Term, list[str]]]:
        head, summed, factors = node
        for i, inner in enumerate(factors if head == "sum" else ()):
            rest = (*factors[:i], *factors[i + 1 :])
            for other, tactics in self._joins(inner):
                says = f"assert (e : {self.text(inner)} = {self.text(other)})."
                steps = [*self.under(summed), says, "{", *tactics, "}", "rewrite e; ring."]
                yield ("sum", summed, ordered(rest, (other,))), steps
            if inner[0] == "sum":
                new = ("sum", ordered(summed, inner[1]), ordered(rest, inner[2]))
                yield new, self._joined(summed, inner, rest, new)

    def _joined(self, summed: Term, inner: Term, rest: Term, new: Term) -> list[str]:
        body = product_text(map(self.text, new[2]))
        apart = product_text(map(self.text, rest))
        whole = self.text(inner)
        tactics = [f"transitivity ({self.summed((*summed, *inner[1]), body)}).", "{", *self.under(summed)]
        tactics.append(f"transitivity ({group(apart)} * {group(whole)}); [ ring |].")
        for step in self.under(inner[1]):
            tactics += ["rewrite sum_factor.", step]
        tactics += ["ring.", "}"]
        return [*tactics, *self._sorted([*summed, *inner[1]], list(new[1]))]

    def _sorted(self, labels: list[str], wanted: list[str]) -> list[str]:
        """Tactics that exchange neighbouring sums until they are in the wanted order."""
        tactics = []
        for place, x in enumerate(wanted):
            for at in range(labels.index(x, place) - 1, place - 1, -1):
                labels[at], labels[at + 1] = labels[at + 1], labels[at]
                tactics.append(f"etransitivity; [ do {at} (apply sum_ext; intro); apply sum_swap |]; cbv beta.")
        return [*tactics, "reflexivity."]
