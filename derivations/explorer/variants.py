"""Which variants the page shows, in which orders, and the switches each of them is derived for."""

from __future__ import annotations

from dataclasses import dataclass

from ..conventions import KNOBS, Conventions
from ..derivation import Study
from ..library import load_variant
from ..sharding import Split

__all__ = ["PAIRS", "RANKS", "ROWS", "SCOPES_SHOWN", "Row", "Switches", "settings_of"]

RANKS = (1, 2, 4, 8, 16)
"""Over how many ranks the heads can be split: the engine's `Split` takes a number, so each has formulas of
its own."""
PAIRS = tuple(KNOBS["pairs"].values)
"""Which pairs of a query and a context token count."""
SCOPES_SHOWN = ("core", "attention")
"""What the table, the roofline and the times take in."""


@dataclass(frozen=True, slots=True)
class Row:
    """A variant in one order."""

    key: str
    """In the page's data."""
    label: str
    """In tables and legends."""
    variant: str
    """As the engine loads it."""
    order: str
    """As the engine derives it."""


ROWS = (
    Row("mha", "MHA", "mha", "direct"),
    Row("gqa", "GQA", "gqa", "direct"),
    Row("mqa", "MQA", "mqa", "direct"),
    Row("absorb", "MLA (absorb)", "mla+rope", "absorb"),
    Row("expand", "MLA (expand)", "mla+rope", "expand"),
    Row("dsa", "DSA (absorb)", "dsa+rope", "absorb"),
    Row("lightning", "Lightning", "lightning", "direct"),
)


@dataclass(frozen=True, slots=True)
class Switches:
    """What is chosen among sets of formulas, because no symbol stands for it."""

    tp: int
    """Ranks that share the heads."""
    pairs: str
    """Full or causal."""

    def key(self, scope: str) -> str:
        """In the page's data, with the scope: it selects among the terms of one ledger."""
        return f"{self.tp}/{self.pairs}/{scope}"

    def study(self, variant: str) -> Study:
        """A variant with every size free, the batch among them, as one rank has it."""
        conventions = Conventions(phase="verify", pairs=self.pairs, scope=SCOPES_SHOWN[0])
        # a batch of 1 keeps B as a symbol of the ledger; the order is chosen as for symbols
        return Study(load_variant(variant), conventions, {"B": 1}, split=Split(tp=self.tp))


def settings_of() -> tuple[Switches, ...]:
    """Every way the switches can stand."""
    return tuple(Switches(tp, pairs) for tp in RANKS for pairs in PAIRS)
