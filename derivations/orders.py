"""Every order of a variant, of one of its products, or of an expression, and which of them can be best.

Regions that share no step are decided apart: an order of all of them is one choice in each group, and
it is best where each choice is. Choices that are never best in their group are never best in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from .asked import roots_of
from .atoms import put
from .contest import Contest
from .conventions import Conventions
from .costs import sizes_of
from .derivation import Study
from .dims import check_size
from .einsum import Einsum, parse_einsum
from .errors import InputError, unknown
from .found import Found, Group, Merged, Orders
from .frontier import Joint, Limits, frontier
from .graph import Graph
from .partial import bracketing_of
from .points import Costs, Domain
from .poly import Coefficient, Poly, total
from .prices import Prices, known_facts
from .regions import build_graph, regions_of
from .search import memberships, typical_value
from .sharing import Sharing
from .transform import without_caches
from .trees import Phase, Sizes, Space, Tree, splits
from .verdicts import Cell, Status, Verdict

__all__ = ["MOST_ORDERS", "orders_of", "orders_of_einsum"]

MOST_ORDERS = 3000
"""Orders of the whole program that are decided one by one."""
Progress = Callable[[str], None]


def orders_of(
    study: Study, region: str | None = None, outer: bool = True, progress: Progress | None = None
) -> Orders:
    """Every order of a variant, or of the products that make `region` (a result or a named intermediate).

    Counted in the layer's online arithmetic at the study's sizes; sizes without a number stay symbols.
    Raises InputError for an unknown region and where there is too much to hold.
    """
    conventions = study.conventions
    variant = without_caches(study.variant) if conventions.caches == "none" else study.variant
    graph = build_graph(variant)
    if region is not None:
        graph = Graph(variant, regions_of(graph, region))
    values = dict(study.values)
    if conventions.phase == "prefill" and "S" in values:
        values.setdefault("L", values["S"])
    finder = _Finder(graph, sizes_of(conventions, study.batched), values, variant.facts, conventions)
    finder.whole_program = region is None
    return finder.orders(outer, progress)


def orders_of_einsum(
    expression: str | Einsum,
    constants: Iterable[int] = (),
    values: Mapping[str, int] | None = None,
    outer: bool = True,
    unit: str = "flops",
    progress: Progress | None = None,
) -> Orders:
    """Every order of an expression such as `ab,bc,cd->ad`; `values` gives sizes of indices.

    Constants are operands, counted from 0, whose products with each other are made offline. Raises
    InputError for an expression that cannot be read, where there is too much to hold, and where
    without outer products there is no order at all.
    """
    read = parse_einsum(expression, constants) if isinstance(expression, str) else expression
    sizes = dict(values or {})
    for name, value in sizes.items():
        if name not in read.letters:
            raise unknown("index", name, read.letters)
        check_size(name, value, f"the size of {name}")
    plain = Sizes(Phase.VERIFY, "full", Poly.const(1))
    return _Finder(read.graph(), plain, sizes, read.facts, Conventions(unit=unit)).orders(outer, progress)


class _Finder:
    """Searches the regions of a graph and decides what is found."""

    def __init__(
        self,
        graph: Graph,
        sizes: Sizes,
        values: Mapping[str, Coefficient],
        facts: tuple[Poly, ...],
        conventions: Conventions,
    ) -> None:
        self.graph, self.sizes, self.values = graph, sizes, values
        self.whole_program = True
        self.known = {name: Poly.const(value) for name, value in values.items()}
        self.facts = known_facts(facts, sizes, self.known)
        self.conventions = conventions
        self.spaces = tuple(Space(graph, region, sizes) for region in graph.regions)
        self.sharing = Sharing(self.spaces)
        count = conventions.elementwise == "count"
        self.prices = Prices(self.spaces, self.known, facts, count)
        self.scale = Fraction(1, 2) if conventions.unit == "macs" else 1

    def orders(self, outer: bool, progress: Progress | None) -> Orders:
        """Search, then decide."""
        say = progress or (lambda text: None)
        groups, kept = [], []
        for members in self.sharing.groups:
            roots = self.roots(members)
            say(f"searching {', '.join(roots)}")
            found = frontier(
                {i: self.spaces[i] for i in members}, self.prices, Limits(outer=outer), self.sharing
            )
            if not found.orders:
                raise InputError(
                    f"{roots[0]} has no order without an outer product: some factor shares no index "
                    "with any other"
                )
            choices = sorted(found.orders, key=lambda joint: self.typical(joint.flops))
            kept.append(choices)
            contest = Contest([choices], self.domain([choices]))
            verdicts = []
            for index in range(len(choices)):
                say(f"deciding {', '.join(roots)}: {index + 1} of {len(choices)}")
                verdicts.append(self.verdict(contest, (index,)))
                if verdicts[-1].status is Status.NEVER:
                    contest.out.add((0, index))
            spaces = tuple(self.spaces[i] for i in members)
            listed = [
                self.found(spaces, [joint], (index,), verdict)
                for index, (joint, verdict) in enumerate(zip(choices, verdicts, strict=True))
            ]
            groups.append(
                Group(roots, spaces, found.bracketings, tuple(listed), contest, self.facts, self.known)
            )
        whole = self.whole(groups, kept, say)
        unit = self.conventions.unit
        return Orders(tuple(groups), whole, outer, self.prices.numeric, self.prices, unit)

    def roots(self, members: Iterable[int]) -> tuple[str, ...]:
        """Names of regions; a result that is a sum has several, numbered."""
        names = roots_of(self.graph)
        return tuple(names[index] for index in members)

    def domain(self, groups: Sequence[Sequence[Joint]]) -> Domain:
        """The legal sizes of what the choices depend on."""
        symbols = {name for group in groups for name in Costs([joint.flops for joint in group]).symbols}
        whole = [put(self.sizes.put(axis.size), self.known) for axis in self.graph.variant.axes.values()]
        return Domain(symbols, self.facts, whole)

    def verdict(self, contest: Contest, cell: Cell) -> Verdict:
        """Best, never or undecided; with all sizes known the only one there is."""
        return Verdict(Status.BEST, {}) if self.prices.numeric else contest.decide(cell)

    def typical(self, flops: Poly) -> tuple[Coefficient, str]:
        """Costs in an order that people expect: cheapest first at sizes as models have them."""
        return typical_value(flops), flops.text()

    def whole(
        self, groups: Sequence[Group], kept: Sequence[Sequence[Joint]], say: Progress
    ) -> tuple[Found, ...]:
        """Every combination of choices that are not never best by themselves."""
        if len(groups) == 1:
            listed = list(groups[0].found)
        else:
            listed = self.combined(groups, kept, say)
        rank = {Status.BEST: 0, Status.UNDECIDED: 1, Status.NEVER: 2}
        return tuple(sorted(listed, key=lambda f: (rank[f.verdict.status], *self.typical(f.flops))))

    def combined(self, groups: Sequence[Group], kept: Sequence[Sequence[Joint]], say: Progress) -> list[Found]:
        alive = [
            [n for n, f in enumerate(group.found) if f.verdict.status is not Status.NEVER] for group in groups
        ]
        count = prod(map(len, alive))
        if count > MOST_ORDERS:
            raise InputError(
                f"the products have {count} orders together that may be best, more than {MOST_ORDERS} to "
                "decide; give sizes with --set or --model, or ask for one product with --region"
            )
        contest = Contest(kept, self.domain(kept))
        contest.out = {
            (g, n) for g, group in enumerate(groups) for n in range(len(group.found)) if n not in alive[g]
        }
        spaces = tuple(space for group in groups for space in group.spaces)
        listed = []
        for done, cell in enumerate(product(*alive)):
            say(f"deciding whole orders: {done + 1} of {count}")
            sure = all(
                group.found[n].verdict.status is Status.BEST for group, n in zip(groups, cell, strict=True)
            )
            verdict = self.verdict(contest, cell) if sure else contest.glance(cell)
            joints = [choices[n] for choices, n in zip(kept, cell, strict=True)]
            listed.append(self.found(spaces, joints, cell, verdict))
        return listed

    def found(self, spaces: Sequence[Space], joints: Sequence[Joint], cell: Cell, verdict: Verdict) -> Found:
        """One order with its texts."""
        plain = [tree for joint in joints for tree in joint.trees]
        trees = tuple(self.made_cheaply(space, tree) for space, tree in zip(spaces, plain, strict=True))
        formed = {name for space, tree in zip(spaces, trees, strict=True) for name in space.formed(tree)}
        variant = self.graph.variant
        every = self.whole_program and len(spaces) == len(self.spaces)
        return Found(
            trees=trees,
            bracketing=self.text(spaces, trees),
            forms=tuple(e.name for e in variant.equations if e.name in formed),
            member_of=memberships(self.graph, "", frozenset(formed)) if every else (),
            flops=total(joint.flops for joint in joints) * self.scale,
            verdict=verdict,
            merged=tuple(
                m for space, tree in zip(spaces, trees, strict=True) for m in self.merged(space, tree)
            ),
            choice=cell,
        )

    def text(self, spaces: Sequence[Space], trees: Sequence[Tree]) -> str:
        """Bracketings; of several regions those that leave a choice, as `--order` takes them."""
        if len(spaces) == 1:
            return bracketing_of(spaces[0], trees[0])
        index = {id(space): i for i, space in enumerate(self.spaces)}
        return ", ".join(
            f"{self.roots([index[id(space)]])[0]}={bracketing_of(space, tree)}"
            for space, tree in zip(spaces, trees, strict=True)
            if len(space.region.leaves) > 2
        )

    def made_cheaply(self, space: Space, tree: Tree) -> Tree:
        """The tree with its products of weights made in the order that is cheapest at usual sizes."""
        offline = {left | right for left, right in tree if space.offline(left | right)}
        whole = [mask for mask in sorted(offline) if not any(mask != o and mask & o == mask for o in offline)]
        rest = [pair for pair in tree if pair[0] | pair[1] not in offline]
        return (*(pair for mask in whole for pair in self.least(space, mask)[1]), *rest)

    def least(self, space: Space, mask: int) -> tuple[Coefficient, Tree]:
        """The cheapest way to multiply some weights, at usual sizes."""
        if mask & (mask - 1) == 0:
            return 0, ()
        found = []
        for left in splits(mask):
            right = mask ^ left
            one, two = self.least(space, left), self.least(space, right)
            cost = typical_value(put(space.visited(left, right), self.known))
            found.append((one[0] + two[0] + cost, (*one[1], *two[1], (left, right))))
        return min(found)

    def bytes(self, space: Space, mask: int, leaves: Sequence[int]) -> tuple[Poly, Poly]:
        """Bytes of a merged weight, at the usual width, and of its factors at theirs."""
        factors = [next(space.region.members(leaf)) for leaf in leaves]
        parts = [
            space.elements(leaf) * self.graph.tensor(x.tensor).width
            for leaf, x in zip(leaves, factors, strict=True)
        ]
        whole = space.elements(mask) * Poly.symbol("b")
        return put(whole, self.known), put(total(parts), self.known)

    def merged(self, space: Space, tree: Tree) -> list[Merged]:
        """The largest products of weights of a tree."""
        offline = [pair for pair in tree if space.offline(pair[0] | pair[1])]
        made = {left | right for left, right in offline}
        found = []
        for mask in sorted(made):
            if any(mask != other and mask & other == mask for other in made):
                continue
            inside = tuple(pair for pair in offline if (pair[0] | pair[1]) & mask == pair[0] | pair[1])
            flops = total(space.visited(*pair) * 2 for pair in inside)
            leaves = [1 << i for i in range(len(space.region.leaves)) if mask >> i & 1]
            merged = space.elements(mask), total(space.elements(leaf) for leaf in leaves)
            found.append(
                Merged(
                    bracketing_of(space, inside),
                    put(flops, self.known) * self.scale,
                    put(merged[0], self.known),
                    put(merged[1], self.known),
                    self.bytes(space, mask, leaves) if self.graph.variant.equations else None,
                )
            )
        return found
