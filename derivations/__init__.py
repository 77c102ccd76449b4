"""derive: a symbolic derivation engine for the cost of attention.

An attention variant is a short program of index equations. From that program everything else follows, in
closed form: FLOPs, bytes of memory traffic, arithmetic intensity (FLOPs per byte), the cache a token costs, the
orders in which the products can be done, and where one order overtakes another.

    >>> import derivations as d
    >>> mla = d.load_variant("mla")
    >>> absorb = d.derive(d.Study(mla), "absorb")
    >>> absorb.flops.sympy(), absorb.bytes.sympy()
    (4*H*L*d_c, L*b*d_c)
    >>> absorb.intensity.sympy()
    4*H/b

A `Study` is what is asked: a variant, conventions, and sizes where numbers are wanted. `derive` answers for
one order with a `Derivation`, whose quantities are exact polynomials with a method `sympy()`; `value` puts the
sizes in.

    >>> model = d.load_checkpoint("deepseek-v3")
    >>> values = {**model.values(mla.symbols), "L": 8192}
    >>> numbers = d.derive(d.Study(mla, values=values), "absorb")
    >>> numbers.value(numbers.flops), numbers.value(numbers.intensity)
    (2147483648, Fraction(256, 1))

    >>> asked = d.Study(mla, d.Conventions(phase="verify", scope="attention"))
    >>> crossover = d.crossover_of(asked, "absorb", "expand", "S")
    >>> crossover.solutions[0].limit.sympy()
    d_c*(d_k + d_v)/(2*d_c - d_k - d_v)

In Jupyter these objects show themselves as formulas and tables. Wrong input raises `InputError`, one sentence
that says what would be right. docs/api.md has more examples; docs/conventions.md every knob.

To load and to ask:

    load_variant, parse_variant, variant_names     a bundled variant or a file, a YAML text, the bundled names
    Variant         its program: axes, tensors, equations, masks, named orders
    with_prefix     the variant with first tokens that a batch shares
    load_checkpoint, checkpoint_names, Checkpoint  the sizes of a released model
    load_accelerator, accelerator_names, Accelerator     a GPU: peaks, bandwidth, ridge
    load_released, Released       a model layer by layer, from its config.json too
    Conventions     one value for each knob that makes published numbers differ
    Split           over how many ranks heads, context and batch are split
    Study           what is asked of a variant

To derive:

    derive, Derivation            one order: FLOPs, bytes, intensity, caches, times
    build_graph, Graph            the products between barriers
    order_names     the orders that a variant names
    Order, Cost     the bracketings of one order; its ledger, term by term
    crossover_of, crossover_between, Crossover     where two orders, or two variants, cost the same
    orders_of, orders_of_einsum, Orders            every order of a variant or an expression, with verdicts
    model_cost, Asked, ModelCost  what the layers of a model cost and keep
    Poly, Ratio     a quantity, and one over another; both have `sympy()`
    symbol          the sympy symbol of a size

To prove:

    derivation_assertions, order_assertions, crossover_assertions     what is claimed of a derivation
    load_claims     a file of claims of your own
    judgements_of, Judgements, Judgement           proved, refuted or open, with the proof or the sizes
    Assertion, Claim              a claim in words, and as the checker of proofs has it

To print:

    page_of, Report               the page of one or several orders, in no format yet
    render_report   it as text, Markdown, LaTeX, HTML or a notebook

Errors:

    DeriveError, InputError       every error of this package; one about the input

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
    algebra, ratios, roots, analysis, crossover, regimes  factors, limits, growth; where orders meet
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
    explorer        one page with sliders, its formulas printed from derivations
    arranging, plaindata         answers last, drawings inside; reports as plain data for templates
    pagefiles       a report as files, the index of all
    articles, publish, published, recurrences, teaching    what is under reports/
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
    from .algebra import Ratio
    from .assertions import crossover_assertions, derivation_assertions, order_assertions
    from .between import crossover_between
    from .checkpoints import Checkpoint, checkpoint_names, load_checkpoint
    from .claimfile import load_claims
    from .claims import Claim
    from .conventions import Conventions
    from .costs import Cost
    from .crossover import Crossover
    from .derivation import Derivation, Study, crossover_of, derive
    from .dims import symbol
    from .errors import DeriveError, InputError
    from .found import Orders
    from .graph import Graph
    from .hardware import Accelerator, accelerator_names, load_accelerator
    from .judging import Judgement, Judgements, judgements_of
    from .layercosts import Asked, ModelCost, model_cost
    from .library import load_variant, parse_variant, variant_names
    from .orders import orders_of, orders_of_einsum
    from .pages.page import page_of
    from .poly import Poly
    from .prefix import with_prefix
    from .program import Variant
    from .quantities import Assertion
    from .regions import build_graph
    from .released import Released, load_released
    from .render import render as render_report
    from .report import Report
    from .search import Order, order_names
    from .sharding import Split

__all__ = [
    "Accelerator",
    "Asked",
    "Assertion",
    "Checkpoint",
    "Claim",
    "Conventions",
    "Cost",
    "Crossover",
    "Derivation",
    "DeriveError",
    "Graph",
    "InputError",
    "Judgement",
    "Judgements",
    "ModelCost",
    "Order",
    "Orders",
    "Poly",
    "Ratio",
    "Released",
    "Report",
    "Split",
    "Study",
    "Variant",
    "accelerator_names",
    "build_graph",
    "checkpoint_names",
    "crossover_assertions",
    "crossover_between",
    "crossover_of",
    "derivation_assertions",
    "derive",
    "judgements_of",
    "load_accelerator",
    "load_checkpoint",
    "load_claims",
    "load_released",
    "load_variant",
    "model_cost",
    "order_assertions",
    "order_names",
    "orders_of",
    "orders_of_einsum",
    "page_of",
    "parse_variant",
    "render_report",
    "symbol",
    "variant_names",
    "with_prefix",
]

_HOMES = {
    "Accelerator": "hardware",
    "Asked": "layercosts",
    "Assertion": "quantities",
    "Checkpoint": "checkpoints",
    "Claim": "claims",
    "Conventions": "conventions",
    "Cost": "costs",
    "Crossover": "crossover",
    "Derivation": "derivation",
    "DeriveError": "errors",
    "Graph": "graph",
    "InputError": "errors",
    "Judgement": "judging",
    "Judgements": "judging",
    "ModelCost": "layercosts",
    "Order": "search",
    "Orders": "found",
    "Poly": "poly",
    "Ratio": "algebra",
    "Released": "released",
    "Report": "report",
    "Split": "sharding",
    "Study": "derivation",
    "Variant": "program",
    "accelerator_names": "hardware",
    "build_graph": "regions",
    "checkpoint_names": "checkpoints",
    "crossover_assertions": "assertions",
    "crossover_between": "between",
    "crossover_of": "derivation",
    "derivation_assertions": "assertions",
    "derive": "derivation",
    "judgements_of": "judging",
    "load_accelerator": "hardware",
    "load_checkpoint": "checkpoints",
    "load_claims": "claimfile",
    "load_released": "released",
    "load_variant": "library",
    "model_cost": "layercosts",
    "order_assertions": "assertions",
    "order_names": "search",
    "orders_of": "orders",
    "orders_of_einsum": "orders",
    "page_of": "pages.page",
    "parse_variant": "library",
    "render_report": "render:render",
    "symbol": "dims",
    "variant_names": "library",
    "with_prefix": "prefix",
}
"""Name -> its module, and what it is called there where a module has that name already."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, other = _HOMES[name].partition(":")
    return getattr(import_module(f".{module}", __name__), other or name)


def __dir__() -> list[str]:
    return sorted(__all__)
