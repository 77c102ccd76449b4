"""Orders asked for by words: a named one, `form=K,avoid=V`, or a bracketing, `A=((X W_Q) W_UK) C`.

Parts are separated by commas. `form` and `avoid` name intermediates; any other word before `=` names a
result (of several products by number, `A.2`), and after it stands a bracketing of its factors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .errors import InputError, unknown
from .frontier import Limits
from .graph import Graph, Region
from .program import NamedOrder
from .trees import Tree

__all__ = ["is_expression", "order_asked", "roots_of"]

_TOKEN = re.compile(r"\s*([()]|[A-Za-z][A-Za-z0-9_]*(?:#[0-9]+)?|\S)")
_LONGEST = 600


def is_expression(text: str) -> bool:
    """Whether a text is no plain name."""
    return "=" in text


def roots_of(graph: Graph) -> tuple[str, ...]:
    """What each region is called: its result, with a number where that is a sum of products."""
    names = [region.root for region in graph.regions]
    return tuple(
        f"{region.root}.{region.index + 1}" if names.count(region.root) > 1 else region.root
        for region in graph.regions
    )


def order_asked(graph: Graph, text: str, rewritten: bool = False) -> Limits:
    """The orders that an expression stands for. Raises InputError that names what is wrong and what is near.

    In a program that was `rewritten` since it was asked (rows kept instead of formed, say), what is no
    longer there is left out: it was checked before.
    """
    if len(text) > _LONGEST:
        raise InputError(f"the order is longer than {_LONGEST} characters")
    forms: list[str] = []
    avoids: list[str] = []
    brackets: dict[int, Tree] = {}
    roots = roots_of(graph)
    inside = {named.name for region in graph.regions for named in region.named}
    for part in text.split(","):
        word, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise InputError(f"order {part.strip()[:40]!r}: write form=NAME, avoid=NAME or RESULT=BRACKETING")
        if word in ("form", "avoid"):
            if " " in value:
                raise InputError(
                    f"order {part.strip()[:40]!r}: separate parts with commas, as in form=K,avoid=V"
                )
            if value not in inside:
                if rewritten:
                    continue
                raise unknown(f"intermediate of {graph.variant.name}", value, inside)
            (forms if word == "form" else avoids).append(value)
            continue
        several = [root for root in roots if root.startswith(f"{word}.")]
        if several:
            raise InputError(f"order: {word} is a sum of products; they are {' and '.join(several)}")
        if rewritten and (word not in roots or not _fits(graph.regions[roots.index(word)], value)):
            continue
        if word not in roots:
            raise unknown(f"product of {graph.variant.name}", word, [*roots, "form", "avoid"])
        place = roots.index(word)
        if place in brackets:
            raise InputError(f"order: {word} is bracketed twice")
        brackets[place] = _Reader(graph.regions[place], word, value).tree()
    both = sorted(set(forms) & set(avoids))
    if both:
        raise InputError(f"order: {both[0]} cannot be both formed and avoided")
    title = "as asked for"
    name = " ".join(text.split())
    wanted = NamedOrder(name, tuple(forms), tuple(avoids), title)
    for place, tree in brackets.items():
        _check(graph.regions[place], roots[place], tree, wanted)
    return Limits(wanted, brackets=brackets)


def _fits(region: Region, text: str) -> bool:
    """Whether a bracketing is one of this region's factors."""
    words = {token for token in _TOKEN.findall(text) if token not in "()"}
    return words == set(region.names)


def _check(region: Region, root: str, tree: Tree, wanted: NamedOrder) -> None:
    """Raises InputError where a bracketing goes against what is to be formed or avoided."""
    made = {left | right for left, right in tree} | {1 << index for index in range(len(region.leaves))}
    for named in region.named:
        if named.name in wanted.forms and named.members not in made:
            raise InputError(f"order: the bracketing of {root} does not form {named.name}")
        if named.name in wanted.avoids and named.members in made and named.members != region.full:
            raise InputError(f"order: the bracketing of {root} forms {named.name}, which is to be avoided")


class _Reader:
    """One bracketing."""

    def __init__(self, region: Region, root: str, text: str) -> None:
        self.region, self.root, self.text = region, root, text
        self.steps: list[tuple[int, int]] = []
        self.names = region.names
        self.used = 0

    def fail(self, why: str) -> InputError:
        factors = " ".join(self.names)
        return InputError(
            f"order {self.root}={self.text[:60]}: {why}; its factors are {factors}, two in a bracket"
        )

    def tree(self) -> Tree:
        """The tree, read with a stack: parentheses may be left out around the whole."""
        stack: list[list[int]] = [[]]
        for token in self.tokens():
            if token == "(":
                stack.append([])
            elif token == ")":
                if len(stack) == 1:
                    raise self.fail("a parenthesis is closed that was not opened")
                stack[-2].append(self.joined(stack.pop()))
            else:
                stack[-1].append(self.factor(token))
        if len(stack) > 1:
            raise self.fail("a parenthesis is not closed")
        whole = stack[0]
        made = whole[0] if len(whole) == 1 else self.joined(whole)
        if made != self.region.full:
            missing = [name for i, name in enumerate(self.names) if not made >> i & 1]
            raise self.fail(f"{missing[0]} is missing")
        return tuple(self.steps)

    def tokens(self) -> Iterator[str]:
        return (hit.group(1) for hit in _TOKEN.finditer(self.text) if hit.group(1))

    def factor(self, token: str) -> int:
        """The leaf of this name."""
        alike = [name for name in self.names if name.startswith(f"{token}#")]
        if alike:
            raise self.fail(f"{token} stands there {len(alike)} times, as {' and '.join(alike)}")
        if token not in self.names:
            raise unknown(f"factor of {self.root}", token, self.names)
        leaf = 1 << self.names.index(token)
        if self.used & leaf:
            raise self.fail(f"{token} is written twice")
        self.used |= leaf
        return leaf

    def joined(self, parts: list[int]) -> int:
        if len(parts) != 2:
            raise self.fail(f"a bracket holds {len(parts)} factors")
        # the part with the first leaf comes first, as everywhere
        first, second = sorted(parts, key=lambda mask: mask & -mask)
        self.steps.append((first, second))
        return first | second
