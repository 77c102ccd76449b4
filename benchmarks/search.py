"""How fast the search over orders is, beside opt_einsum and cotengra: ratios within one run.

    python benchmarks/search.py [--repeat N]

The runs of a table are taken in turn, round after round, so that a machine that slows down slows all of
them; one round before the first is not counted, and medians are shown. A run whose rounds took five
seconds together is not taken again. All but the last table is measured in one process, in its processor
time, and what the package and the others keep between calls is kept. Exits 1 when a limit is exceeded,
2 when a command fails or when answers disagree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import comb, prod
from pathlib import Path
from random import Random
from statistics import median
from string import ascii_lowercase
from time import process_time
from typing import Any, NoReturn

import opt_einsum
from startup import SYMPY, positive, seconds

from derivations import frontier as subsets
from derivations.atoms import evaluate
from derivations.einsum import MOST_OPERANDS, parse_einsum
from derivations.errors import InputError
from derivations.found import Orders
from derivations.frontier import Joint, Limits, frontier
from derivations.orders import orders_of_einsum
from derivations.poly import Poly
from derivations.prices import Prices
from derivations.sharing import Sharing
from derivations.trees import Phase, Sizes, Space

try:
    import cotengra
except ImportError:
    cotengra = None

PARETO_LIMIT = 100.0
"""How many times one search with numbers the symbolic Pareto set of the MLA scores may take."""
SCORES_LIMIT = 1.0
"""Seconds that all orders of the MLA scores, each with its verdict, may take."""
CHAIN_LIMIT = 2.0
"""Seconds that the symbolic Pareto set of a chain of eight may take."""
NUMBERS_LIMIT = 3.0
"""How many times opt_einsum's `optimal` the search at given sizes may take."""
COMMAND_LIMIT = 2.0
"""Seconds that `derive orders mla` may take from the start of the process."""

BUDGET = 5.0
"""Seconds after which a run is not taken again, and above which growth is not followed."""
SAMPLE = 0.02
"""Seconds that one sample takes at least; shorter runs are taken several times for it."""
ROOM = 1000
"""Partial orders allowed to show quickly what happens when there are too many."""

SCORES = {"ld,dq,qhk,chk,sc->hls": (1, 2, 3), "ld,dhk,chk,sc->hls": (1, 2)}
"""Queries times latent keys, with and without a latent query -> the operands that are weights."""
DEEPSEEK = {"d": 7168, "q": 1536, "h": 128, "k": 128, "c": 512, "s": 4096, "l": 163}
"""Widths of DeepSeek-V3, 163 queries, 4096 tokens of context."""
SEEDS = (0, 2)
"""Of random sizes and networks: some whose exhaustive search takes seconds, not minutes."""

Run = Callable[[], Any]


@dataclass(frozen=True)
class Network:
    """An einsum with sizes."""

    inputs: tuple[str, ...]
    """Indices of each operand."""
    output: str
    """Indices of the result."""
    sizes: dict[str, int]
    """Index -> size."""

    @property
    def expression(self) -> str:
        """As opt_einsum reads it."""
        return f"{','.join(self.inputs)}->{self.output}"


@dataclass(frozen=True)
class Line:
    """One run in a table."""

    what: str
    seconds: float
    """Median."""
    beside: float | None = None
    """Seconds of the run it is compared with."""
    limit: float | None = None
    """In seconds, or as a ratio."""
    unit: str = "s"
    """`s` or `x`."""
    others: tuple[float, ...] = ()
    """Seconds of further runs, to be shown with it."""

    @property
    def ratio(self) -> float | None:
        """How many times the run it is compared with it takes."""
        return None if self.beside is None else self.seconds / self.beside

    @property
    def measured(self) -> float:
        """What the limit is about."""
        return self.seconds if self.unit == "s" or self.ratio is None else self.ratio

    @property
    def broken(self) -> bool:
        """Whether the limit is exceeded."""
        return self.limit is not None and self.measured > self.limit

    @property
    def cells(self) -> tuple[str, ...]:
        """As it is shown."""
        ratio = "" if self.ratio is None else f"{digits(self.ratio)}x"
        judged = (
            ("", "")
            if self.limit is None
            else (f"{self.limit:g} {self.unit}", "BROKEN" if self.broken else "ok")
        )
        return (self.what, *(digits(1000 * taken) for taken in (self.seconds, *self.others)), ratio, *judged)


def digits(value: float) -> str:
    """A number with three digits or more."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells in columns, the first to the left."""
    lines = [headers, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def show(title: str, lines: Sequence[Line], others: Sequence[str] = ()) -> list[str]:
    """Print a section; a sentence for each limit that is exceeded."""
    headers = ("what", "median ms", *(f"{name} ms" for name in others), "ratio", "limit", "")
    print(f"\n{title}\n\n{table(headers, [line.cells for line in lines])}", flush=True)
    return [
        f"{title}: {line.what}: {digits(line.measured)} {line.unit}; the limit is {line.limit:g} {line.unit}."
        for line in lines
        if line.broken
    ]


# Expressions


def network(expression: str, sizes: Mapping[str, int]) -> Network:
    """An expression with the sizes of its indices."""
    inputs, output = expression.split("->")
    return Network(tuple(inputs.split(",")), output, {x: sizes[x] for x in sizes if x in inputs})


def chain(matrices: int) -> str:
    """`ab,bc,cd->ad`, every size another one."""
    letters = ascii_lowercase[: matrices + 1]
    return f"{','.join(map(''.join, pairwise(letters)))}->{letters[0]}{letters[-1]}"


def random_size(random: Random) -> int:
    """Log-uniform from 2 to 64."""
    return round(2 ** random.uniform(1, 6))


def random_chain(matrices: int, seed: int) -> Network:
    """A chain of random sizes."""
    random = Random(seed)
    return network(chain(matrices), {x: random_size(random) for x in ascii_lowercase[: matrices + 1]})


def random_network(operands: int, seed: int) -> Network:
    """A random tree of indices in two operands, and a third as many in three; two indices are kept."""
    random, letters = Random(seed), iter(ascii_lowercase)
    inputs = [""] * operands
    places = [(i, random.randrange(i)) for i in range(1, operands)]
    places += [tuple(random.sample(range(operands), 3)) for _ in range(operands // 3)]
    for where in places:
        letter = next(letters)
        for i in where:
            inputs[i] += letter
    used = sorted(set("".join(inputs)))
    output = "".join(sorted(random.sample(used, 2)))
    return Network(tuple(inputs), output, {x: random_size(random) for x in used})


# What an order costs, counted apart from the package


def surviving(net: Network, mask: int) -> set[str]:
    """The indices of a product of some operands that another operand or the result needs."""
    inside = {x for i, letters in enumerate(net.inputs) if mask >> i & 1 for x in letters}
    outside = {x for i, letters in enumerate(net.inputs) if not mask >> i & 1 for x in letters}
    return inside & (outside | set(net.output))


def macs(net: Network, pairs: Iterable[tuple[int, int]]) -> int:
    """Multiply-adds: a contraction visits every point of the indices that survive in its operands."""
    return sum(
        prod(net.sizes[x] for x in surviving(net, left) | surviving(net, right)) for left, right in pairs
    )


def pairs_of(path: Iterable[Sequence[int]], operands: int) -> Iterator[tuple[int, int]]:
    """A path as pairs of bitmasks; it names places in a list that loses two parts and gains their product."""
    held = [1 << i for i in range(operands)]
    for places in path:
        parts = [held.pop(place) for place in sorted(places, reverse=True)]
        if len(parts) > 1:
            left, right = parts
            yield left, right
        held.append(sum(parts))


# Searches


def pareto(expression: str, constants: Collection[int] = (), outer: bool = True) -> tuple[Joint, ...]:
    """The symbolic orders that no other one beats at every size, without verdicts."""
    read = parse_einsum(expression, constants)
    graph = read.graph()
    space = Space(graph, graph.regions[0], Sizes(Phase.VERIFY, "full", Poly.const(1)))
    prices = Prices([space], {}, read.facts)
    return frontier({0: space}, prices, Limits(outer=outer), Sharing([space])).orders


def at_sizes(net: Network) -> Orders:
    """The package's search with all sizes known."""
    return orders_of_einsum(net.expression, values=net.sizes)


def path_of(net: Network, optimize: Any) -> Any:
    """opt_einsum's path."""
    shapes = [tuple(net.sizes[x] for x in letters) for letters in net.inputs]
    return opt_einsum.contract_path(net.expression, *shapes, shapes=True, optimize=optimize)[0]


def exhaustive(net: Network) -> Any:
    """The path by opt_einsum's `optimal`, which counts a point twice where something is summed."""
    return path_of(net, "optimal")


def by_subsets(net: Network, outer: bool = True) -> Any:
    """The path by opt_einsum's dynamic programming."""
    return path_of(net, opt_einsum.DynamicProgramming(minimize="flops", search_outer=outer))


def branch_and_bound(net: Network) -> Any:
    """The path by cotengra's exact search, in Python as the others."""
    search = cotengra.OptimalOptimizer(minimize="flops", search_outer=True, accel=False)
    return search(net.inputs, net.output, net.sizes)


# Measuring


def disagree(text: str) -> NoReturn:
    """End: nothing is worth measuring when answers are wrong."""
    print(f"answers disagree: {text}", file=sys.stderr)
    raise SystemExit(2)


def sample(run: Run) -> float:
    """Seconds of one run, the mean of several where it is short."""
    count, start = 0, process_time()
    while True:
        run()
        count, taken = count + 1, process_time() - start
        if taken >= SAMPLE:
            return taken / count


def measure(runs: Mapping[str, Run], repeat: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds and an answer of each run, from interleaved rounds after one that is not counted.

    That one counts for a run that has used up its budget in it.
    """
    first, answers = {}, {}
    for name, run in runs.items():
        start = process_time()
        answers[name] = run()
        first[name] = process_time() - start
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            if first[name] + sum(times[name]) < BUDGET:
                times[name].append(sample(run))
    return {name: median(taken or [first[name]]) for name, taken in times.items()}, answers


def counted(found: Orders) -> str:
    """How many orders have each verdict."""
    return ", ".join(f"{n} {status}" for status in ("best", "never", "undecided") if (n := found.count(status)))


# Sections


def scores(repeat: int) -> list[str]:
    """The symbolic answers for the MLA scores, beside one search with numbers."""
    broken = []
    for expression, weights in SCORES.items():
        net = network(expression, DEEPSEEK)
        runs: dict[str, Run] = {"dp": partial(by_subsets, net)}
        cases = {"weights constant": weights, "no constants": ()}
        for case, constants in cases.items():
            runs[f"{case}: Pareto set"] = partial(pareto, expression, constants)
            runs[f"{case}: verdicts"] = partial(orders_of_einsum, expression, constants)
        taken, answers = measure(runs, repeat)
        dp = taken["dp"]
        least = 2 * macs(net, pairs_of(answers["dp"], len(net.inputs)))
        lines = [Line("opt_einsum dp at DeepSeek-V3's widths", dp, dp)]
        for case, constants in cases.items():
            pareto_set, verdicts = f"{case}: Pareto set", f"{case}: verdicts"
            kept, found = answers[pareto_set], answers[verdicts]
            check_scores(f"{expression}, {case}", kept, found, least, cheaper=bool(constants))
            lines += [
                Line(f"{pareto_set}, {len(kept)} orders", taken[pareto_set], dp, PARETO_LIMIT, "x"),
                Line(f"{verdicts}, {counted(found)}", taken[verdicts], dp, SCORES_LIMIT),
            ]
        broken += show(f"Symbolic orders of the MLA scores, {expression}", lines)
    return broken


def check_scores(where: str, kept: Sequence[Joint], found: Orders, least: int, cheaper: bool) -> None:
    """The Pareto set has the cost that a search with numbers finds; with constants it may be lower."""
    if len(kept) != len(found.orders):
        disagree(f"{where}: {len(kept)} orders without verdicts, {len(found.orders)} with")
    ours = min(evaluate(joint.flops, DEEPSEEK) for joint in kept)
    if ours > least or (ours < least and not cheaper):
        disagree(f"{where}: at DeepSeek-V3's widths {ours} FLOPs, by opt_einsum {least}")


def chain_of_eight(repeat: int) -> list[str]:
    """The symbolic answers for a chain, all of whose orders are best somewhere."""
    expression, expected = chain(8), comb(14, 7) // 8
    runs: dict[str, Run] = {
        "dp": partial(by_subsets, random_chain(8, 8), outer=False),
        "pareto": partial(pareto, expression, outer=False),
        "verdicts": partial(orders_of_einsum, expression, outer=False),
    }
    taken, answers = measure(runs, repeat)
    kept, found, dp = len(answers["pareto"]), answers["verdicts"], taken["dp"]
    if not kept == len(found.orders) == expected:
        disagree(f"a chain of 8 has {expected} orders; found {kept}, and with verdicts {counted(found)}")
    lines = [
        Line("opt_einsum dp at random sizes", dp, dp),
        Line(f"Pareto set, {kept} orders", taken["pareto"], dp, CHAIN_LIMIT),
        Line(f"verdicts, {counted(found)}", taken["verdicts"], dp),
    ]
    return show(f"Symbolic orders of {expression} without outer products", lines)


def numbers(repeat: int) -> list[str]:
    """The search at given sizes, beside three others."""
    searches: dict[str, Callable[[Network], Any]] = {
        "opt_einsum optimal": exhaustive,
        "opt_einsum dp": by_subsets,
    }
    if cotengra:
        searches["cotengra"] = branch_and_bound
    lines, dearest = [], dict.fromkeys(searches, 1.0)
    for label, net in networks().items():
        runs: dict[str, Run] = {name: partial(search, net) for name, search in searches.items()}
        taken, answers = measure({"ours": partial(at_sizes, net)} | runs, repeat)
        for name, ratio in dearer(net, answers.pop("ours"), answers).items():
            dearest[name] = max(dearest[name], ratio)
        ours, *others = taken.values()
        lines.append(Line(label, ours, others[0], NUMBERS_LIMIT, "x", tuple(others)))
    broken = show("All sizes given; the ratio is to `optimal`", lines, tuple(searches))
    print(
        f"Their orders cost up to {', '.join(f'{r:.4f} ({name})' for name, r in dearest.items())} times ours."
    )
    if not cotengra:
        print("cotengra cannot be imported, so its column is left out.")
    return broken


def networks() -> dict[str, Network]:
    """What is searched with numbers."""
    kinds = {"chain": random_chain, "network": random_network}
    return {
        f"{kind} of {operands}, seed {seed}": make(operands, seed)
        for operands in (8, 9, 10)
        for kind, make in kinds.items()
        for seed in SEEDS
    }


def dearer(net: Network, found: Orders, paths: Mapping[str, Any]) -> dict[str, float]:
    """How many times ours the orders of the others cost; ours costs what is said, and no more than theirs."""
    (order,) = found.orders
    ours = macs(net, order.trees[0])
    if order.flops.constant != 2 * ours:
        disagree(f"{net.expression}: {order.flops.text()} FLOPs, counted again {2 * ours}, at {net.sizes}")
    costs = {name: macs(net, pairs_of(path, len(net.inputs))) for name, path in paths.items()}
    for name, cost in costs.items():
        if cost < ours:
            disagree(f"{net.expression}: {ours} MACs, by {name} {cost}, at {net.sizes}")
    return {name: cost / ours for name, cost in costs.items()}


FAMILIES: dict[str, Callable[[int], Any]] = {
    "Pareto": lambda n: pareto(chain(n)),
    "verdicts": lambda n: orders_of_einsum(chain(n)),
    "no outer: Pareto": lambda n: pareto(chain(n), outer=False),
    "no outer: verdicts": lambda n: orders_of_einsum(chain(n), outer=False),
    "with numbers": lambda n: at_sizes(random_chain(n, n)),
}
"""What is asked of a chain of so many matrices."""


def growth(repeat: int) -> list[str]:
    """Time and orders against the number of matrices in a chain, as far as the budget goes."""
    history: dict[str, list[float]] = {name: [] for name in FAMILIES}
    rows, told = [], [f"with {MOST_OPERANDS + 1}: {attempt(pareto, chain(MOST_OPERANDS + 1))}"]
    for n in range(3, MOST_OPERANDS + 1):
        runs: dict[str, Run] = {
            name: partial(attempt, run, n)
            for name, run in FAMILIES.items()
            if len(history[name]) == n - 3 and expected(history[name]) <= BUDGET
        }
        if not runs:
            break
        taken, answers = measure(runs, repeat)
        rows.append((str(n), *(grown(taken.get(name), answers.get(name)) for name in FAMILIES)))
        for name, found in answers.items():
            if isinstance(found, InputError):
                told.append(f"{name} with {n}: {found}")
            else:
                history[name].append(taken[name])
    print(f"\nGrowth of chains: ms (orders), while no more than {BUDGET:g} s are expected\n")
    print(table(("matrices", *FAMILIES), rows))
    print(*told, small_room(), sep="\n", flush=True)
    return []


def attempt(run: Callable[..., Any], *given: Any) -> Any:
    """What is found, or why nothing is."""
    try:
        return run(*given)
    except InputError as error:
        return error


def expected(history: Sequence[float]) -> float:
    """Seconds of the next one, by the last two."""
    return history[-1] * max(1, history[-1] / history[-2]) if len(history) > 1 else 0


def grown(taken: float | None, found: Any) -> str:
    """Milliseconds and the number of orders."""
    if taken is None:
        return "-"
    orders = found.orders if isinstance(found, Orders) else found
    return f"{digits(1000 * taken)} ({'refused' if isinstance(found, InputError) else len(orders)})"


def small_room() -> str:
    """The message where there are too many partial orders, soon because fewer are allowed."""
    most = subsets.MOST
    subsets.MOST = ROOM
    try:
        found = attempt(pareto, chain(9), (), False)
    finally:
        subsets.MOST = most
    if not isinstance(found, InputError):
        disagree(f"a chain of 9 should hold more than {ROOM} partial orders")
    return f"no outer: Pareto with 9, and room for {ROOM} partial orders instead of {most}: {found}"


def commands(repeat: int) -> list[str]:
    """Whole processes, beside a bare `import sympy`."""
    script = Path(sys.executable).with_name("derive")
    derive = [str(script)] if script.exists() else [sys.executable, "-m", "derivations"]
    names = ("derive orders mla", "derive orders mla --json")
    runs = {SYMPY: [sys.executable, "-c", SYMPY]} | {name: derive + name.split()[1:] for name in names}
    rounds = [{name: seconds(name, run) for name, run in runs.items()} for _ in range(repeat + 1)]
    taken = {name: median(times[name] for times in rounds[1:]) for name in runs}
    lines = [Line(name, taken[name], taken[SYMPY], COMMAND_LIMIT) for name in names]
    return show("Whole processes, time on the clock", [Line(SYMPY, taken[SYMPY], taken[SYMPY]), *lines])


def main() -> int:
    """Measure, print the tables, judge."""
    parser = argparse.ArgumentParser(description="Speed of the search over orders.")
    parser.add_argument("--repeat", type=positive, default=5, metavar="N", help="rounds (5)")
    repeat = parser.parse_args().repeat
    said = [
        sentence
        for section in (scores, chain_of_eight, numbers, growth, commands)
        for sentence in section(repeat)
    ]
    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
