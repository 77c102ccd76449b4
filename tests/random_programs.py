"""Small random programs in the variant language, legal by construction or refused by the package.

They do what no sensible attention does: one tensor under several names of an axis, the same two
tensors summed over an axis here and not there, a tensor squared, sums of sums.
"""

from __future__ import annotations

from random import Random

from derivations.errors import InputError
from derivations.program import Variant
from derivations.regions import build_graph
from derivations.spec import read_variant
from derivations.yamlfile import parse_yaml

AXES = {"s": "S", "t": "L", "u": "L", "h": "H", "d": "d_model", "k": "d_k", "m": "d_k", "c": "d_c"}
TWINS = {"k": "m", "m": "k", "t": "u", "u": "t"}
WEIGHTS = (("d", "k"), ("h", "k"), ("h", "k", "c"), ("k", "m"), ("d", "h", "c"), ("k",), ("c", "k"))


class _Program:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.tensors = {"X": ("s", "d"), "W": rng.choice(WEIGHTS), "W_2": rng.choice(WEIGHTS)}
        self.roles = {"X": "input", "W": "weight", "W_2": "weight"}
        self.lines: list[str] = []
        self.unused = {"X", "W", "W_2"}

    def given(self, name: str, axes: tuple[str, ...], role: str) -> None:
        self.tensors[name], self.roles[name] = axes, role
        self.unused.add(name)

    def ref(self, name: str) -> tuple[str, tuple[str, ...]]:
        """A reference under the tensor's own axes, or with one of them called otherwise."""
        axes = self.tensors[name]
        swap = self.rng.choice([None, None, *TWINS])
        if swap in axes and TWINS[swap] not in axes:
            axes = tuple(TWINS[swap] if axis == swap else axis for axis in axes)
        self.unused.discard(name)
        return f"{name}[{','.join(axes)}]", axes

    def some(self, count: int) -> list[str]:
        """Tensors to multiply, unused ones rather than others."""
        pool = [name for name in self.tensors for _ in range(3 if name in self.unused else 1)]
        return [self.rng.choice(pool) for _ in range(count)]

    def define(self, name: str, axes: tuple[str, ...], right: str, sign: str = "=") -> None:
        self.lines.append(f"{name}[{','.join(axes)}] {sign} {right}")
        self.tensors[name] = axes
        self.unused.add(name)

    def product(self, name: str) -> None:
        refs = [self.ref(tensor) for tensor in self.some(self.rng.choice([1, 2, 2, 2, 3]))]
        present = list(dict.fromkeys(axis for _, axes in refs for axis in axes))
        self.rng.shuffle(present)
        kept = present[: self.rng.randint(1, min(4, len(present)))]
        self.define(name, tuple(kept), " * ".join(text for text, _ in refs))

    def sum(self, name: str) -> None:
        """The same product twice, in part under other tensors of the same axes."""
        first = [self.ref(tensor) for tensor in self.some(2)]
        second = [self.ref(tensor) for tensor in self.some(2)]
        both = {a for _, x in first for a in x} & {a for _, x in second for a in x}
        texts = [" * ".join(sorted(text for text, _ in refs)) for refs in (first, second)]
        if not both or texts[0] == texts[1]:
            return self.product(name)
        kept = self.rng.sample(sorted(both), min(len(both), 3))
        # Terms of the same tensors may cancel to nothing, and then no digit is left to compare.
        alike = sorted(t.split("[")[0] for t, _ in first) == sorted(t.split("[")[0] for t, _ in second)
        sign = "+" if alike else self.rng.choice("+-")
        self.define(name, tuple(kept), f" {sign} ".join(texts))
        return None

    def barrier(self, name: str) -> None:
        made = [n for n in self.tensors if n not in self.roles]
        if not made:
            return self.product(name)
        text, axes = self.ref(self.rng.choice(made))
        kind = self.rng.choice(["relu", "norm", "softmax", "silu"])
        along = f"[{self.rng.choice(axes)}]" if kind in ("norm", "softmax") else ""
        self.define(name, axes, f"{kind}{along}({text})")
        return None

    def cache(self, name: str, weight: str) -> None:
        self.given(weight, ("d", "k"), "weight")
        self.roles[name] = "cache"
        self.define(name, ("t", "k"), f"X[s,d] * {weight}[d,k]", "<-")
        self.unused -= {"X", weight}

    def text(self) -> str:
        """The variant, every tensor that is left over worked into its output."""
        for name in sorted(self.unused):
            self.define(f"F_{name}", ("s",), f"{self.ref(name)[0]} * X[s,d]")
        last = [f"F_{name}[s]" for name in sorted(self.tensors) if f"F_{name}" in self.tensors]
        lines = [f"  - {line!r}" for line in (*self.lines, f"Y[s] = {' + '.join(last)}")]
        axes = [f"  {name}: {{size: {size}}}" for name, size in AXES.items()]
        tensors = [
            f"  {name}: {{axes: [{', '.join(self.tensors[name])}], role: {role}}}"
            for name, role in self.roles.items()
        ]
        head = ["variant: drawn", "title: Drawn"]
        parts = [*head, "axes:", *axes, "tensors:", *tensors, "equations:", *lines]
        return "\n".join(parts) + "\n"


def draw_program(seed: int) -> tuple[str, Variant] | None:
    """(its text, the variant); None where the package refuses what was drawn."""
    rng = Random(seed)
    program = _Program(rng)
    if rng.random() < 0.7:
        program.cache("C", "W_C")
    if rng.random() < 0.3:
        program.given("R", rng.choice([("s", "k", "m"), ("t", "k", "m")]), "table")
    for number in range(rng.randint(2, 6)):
        draw = rng.random()
        step = program.barrier if draw < 0.25 else program.sum if draw < 0.4 else program.product
        step(f"N_{number}")
    text = program.text()
    try:
        variant = read_variant(parse_yaml(text, "drawn.yaml"))
        build_graph(variant)
    except InputError:
        return None
    return text, variant
