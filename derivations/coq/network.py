"""Claims about bracketings as theorems of Coq: what they cost, and that they have the same value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product

from ..claims import Term
from ..kernel.exact import Poly, data, minus, ordered, plus, read, times
from ..kernel.sums import bracketings, indices
from .script import Point, Scripts, Theorem, stated
from .text import comment, group, identifiers, product_text

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
    facts = scripts.facts(premises)
    variables = [at.env[n] for n in sorted(named | scripts.names(facts))]
    held = scripts.hypotheses(facts, at.env)
    taken = " ".join([*variables, *(f"h{i}" for i, _ in enumerate(held))])
    before: list[str] = []
    goals: list[tuple[str, str]] = []
    for number, (products, own) in enumerate(zip(network[1], chosen, strict=True)):
        (_, mine), *_ = costs = _costs(products, own, sizes)
        first = f"{name}_chosen_{number}"
        for i, (shown, steps) in enumerate(costs):
            ident = f"{name}_other_{number}_{i}" if i else first
            body = " +\n  ".join(group(texts.poly(data(step), at.env)) for step in steps) or "0"
            before += [comment(f"brackets {shown}"), f"Definition {ident}{binder} : R :=\n  {body}."]
            if i:
                more = data(minus(_total(steps), _total(mine)))
                goals.append((f"{first} {applied} <= {ident} {applied}", f"({ident}_is_no_less {taken})"))
                says, intros = stated(variables, held, goals[-1][0])
                weak, strict = (known.get((head, more)) for head in ("nonneg", "pos"))
                line, rule = (weak, f"l{weak}") if strict is None else (strict, f"(Rlt_le _ _ l{strict})")
                targets = [line] if line is not None else []
                opened = f"unfold {first}, {ident}"
                tactics = [*scripts.asserts(targets, at), f"apply (at_most _ _ _ {rule}); {opened}; ring."]
                if _linear(scripts, targets, *steps, *mine):
                    tactics = [f"{opened}; lra."]
                before.append(Theorem(f"{ident}_is_no_less", says, (intros, *tactics)).text())
    goal, proof = _together(goals)
    says, intros = stated(variables, held, goal)
    return Theorem(name, says, (intros, f"exact {proof}."), "\n".join(before))


def _linear(scripts: Scripts, targets: Sequence[int], *costs: Poly) -> bool:
    """Whether facts are only added, not multiplied, so that `lra` cannot fail; it is faster than `ring`."""
    used = [scripts.line(i) for i in scripts.closure(targets)]
    weights = [m for line in used for _, m in line.weights]
    return all(sum(e for _, e in m) < 2 for m in (*weights, *(m for cost in costs for m in cost)))


def _together(parts: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Statements and their proofs as one; halves of halves, since a long chain would be slow to check."""
    if len(parts) < 2:
        return parts[0] if parts else ("True", "I")
    half = len(parts) // 2
    (one, by_one), (two, by_two) = _together(parts[:half]), _together(parts[half:])
    left = f"({one})" if half > 1 else one
    return f"{left} /\\\n  {two}", f"(conj {by_one} {by_two})"


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
        return next((tactics for result, tactics in self._joins(node) if result == new), ["reflexivity."])

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
