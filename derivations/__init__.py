"""derive: a symbolic derivation engine for the cost of attention.

    >>> import derivations
    >>> mla = derivations.load_variant("mla")
    >>> study = derivations.Study(mla, derivations.Conventions(), {})
    >>> derivations.derive(study, "absorb").intensity.sympy()
    4*H/b

The map of the house; data flows down, and a test keeps imports that way (tests/test_layers.py):

    errors          one root error: what is wrong, where, what would be right
    shown           how an object asks to be set by what stands above it
    poly            Laurent polynomials on plain integers, the working currency
    domain, atoms   sound comparison of polynomials; min, ceil and floor as symbols
    dims            size symbols, their numbers, their sympy side
    expr, yamlfile, equations     size formulas, located YAML, the equation language
    problems        errors raised at once, or gathered
    program         a variant as data;  legal, legalbarriers: what a legal one is
    spec, specparts YAML to Variant;  masks: pairs and rows as closed forms
    graph, regions  maximal multilinear products between barriers
    transform, prefix             programs without caches, with others, with a prefix that a batch shares
    scanning        states along the axis they are updated along
    sharding, layouts             one rank's share of every index; how wide cached rows are
    trees           bracketings and index points, the only FLOP rule there is
    prices, sharing, partial, frontier     the subset search: orders no other one beats everywhere
    asked, search   orders asked for by name or by words, and the one that stands for them
    points, climb, farkas     legal sizes, the way to a witness, certificates by linear programming
    verdicts, contest         which orders can be best, decided one by one
    einsum          anyone's expression as one region
    conventions     every knob;  steps: an order as steps with stages and kernels
    terms, wiring, traffic, costs          the ledger: a line, who reads what, the byte lines, sums
    sizechecks      whether numbers can be sizes
    algebra, ratios, roots, analysis, crossover, regimes  factors and limits; intensity and growth; where orders meet
    envelope, maps  the least of several costs along one size, and over two
    stored          what a layer keeps: rows that grow, windows, states
    resources, library, checkpoints, hardware    files that ship, or the user's own
    configs, released             a config.json read from its fields; a model layer by layer
    roofline, timecross           time of kernels, and where two orders take equally long
    derivation      a study (what is asked) and its derivation (the answer)
    scans, between, chunks        an indexer's scan; two variants against each other; lengths of chunks
    checking        everything that is wrong with a variant file
    speculation     how many queries are free, and what drafting gains
    layercosts, advice            what a model's layers cost and keep, and what that says
    observed        derived caches beside those of a library
    edges, found, orders      neighbours; every order of a study or an expression with its verdict
    bestmap, statements, rulings           which order is cheapest where; what holds of all bracketings
    areas, vega, plots, drawing            plots of it
    claims, kernel  what can be claimed, and the checker of proofs; it imports nothing else
    proofdata, certificates, script, shapes, proofs     find proofs; untrusted
    compiled, evaluation, refuter, contradiction     exact values, and sizes that break a claim
    quantities, nested, assertions         what a derivation claims of itself
    syntax, claimterms, claimquantities, claimfile      formulas and files of claims
    proofstore, judging, opinions, storing verdicts; proofs that ship
    documents       published documents as data: figures, settings, other readings, verdicts by rule
    lessons         lessons: text whose figures are holes that the engine fills
    witnesses, coq, coqfiles               second opinions: random evaluation, z3, numpy, Coq
    notation, report, pages, render     letters, pages, templates, JSON
    exercises       tasks from a seed, their answers, and the usual mistakes as changes of the program
    articles, publish, published, recurrences    what is under reports/
    commands, cli   the command line; thin, imported when run

Sizes, costs and results convert to sympy (`.sympy()`, `dims.to_sympy`); nothing imports sympy
before it is needed. Where this differs from a first plan: `legal` and `regions` stand apart from
`spec` and `graph`, `steps` and `traffic` from `costs`, `domain` is its own, and conventions that
change what is kept between steps rewrite the program (`transform`, `prefix`) instead of the ledger.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checkpoints import Checkpoint, load_checkpoint
    from .conventions import Conventions
    from .crossover import Crossover
    from .derivation import Derivation, Study, crossover_of, derive
    from .errors import DeriveError, InputError
    from .found import Orders
    from .hardware import Accelerator, load_accelerator
    from .library import load_variant, variant_names
    from .orders import orders_of, orders_of_einsum
    from .program import Variant
    from .regions import build_graph

__all__ = [
    "Accelerator",
    "Checkpoint",
    "Conventions",
    "Crossover",
    "Derivation",
    "DeriveError",
    "InputError",
    "Orders",
    "Study",
    "Variant",
    "build_graph",
    "crossover_of",
    "derive",
    "load_accelerator",
    "load_checkpoint",
    "load_variant",
    "orders_of",
    "orders_of_einsum",
    "variant_names",
]

_HOMES = {
    "Accelerator": "hardware",
    "Checkpoint": "checkpoints",
    "Conventions": "conventions",
    "Crossover": "crossover",
    "Derivation": "derivation",
    "DeriveError": "errors",
    "InputError": "errors",
    "Orders": "found",
    "Study": "derivation",
    "Variant": "program",
    "build_graph": "regions",
    "crossover_of": "derivation",
    "derive": "derivation",
    "load_accelerator": "hardware",
    "load_checkpoint": "checkpoints",
    "load_variant": "library",
    "orders_of": "orders",
    "orders_of_einsum": "orders",
    "variant_names": "library",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
