"""Data flows one way: imports between modules only go up this table, and sympy waits until needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from samples import ROOT

PACKAGE = ROOT / "derivations"

LEVELS = (
    ("errors", "shown"),
    ("poly",),
    ("domain",),
    ("atoms",),
    ("dims",),
    ("syntax",),
    ("problems",),
    ("expr", "yamlfile", "equations"),
    ("program",),
    ("legalbarriers",),
    ("legal",),
    ("specparts",),
    ("spec",),
    ("graph", "masks", "transform", "scanning"),
    ("regions",),
    ("sharding",),
    ("trees",),
    ("prices",),
    ("sharing",),
    ("partial",),
    ("frontier",),
    ("asked",),
    ("points", "farkas"),
    ("climb", "verdicts"),
    ("contest",),
    ("einsum",),
    ("search",),
    ("conventions",),
    ("steps", "sizechecks"),
    ("terms", "wiring"),
    ("traffic",),
    ("costs", "prefix", "layouts"),
    ("algebra",),
    ("roots", "ratios"),
    ("analysis", "crossover", "envelope"),
    ("stored",),
    ("maps", "regimes"),
    ("resources",),
    ("library", "checkpoints", "hardware", "configs"),
    ("released",),
    ("notation", "roofline"),
    ("timecross",),
    ("derivation",),
    ("scans", "between", "chunks", "checking"),
    ("claims",),
    ("kernel", "proofdata"),
    ("compiled", "coq", "certificates"),
    ("evaluation",),
    ("refuter", "script"),
    ("witnesses", "shapes"),
    ("proofs", "proofstore", "contradiction"),
    ("quantities", "nested"),
    ("assertions",),
    ("claimterms",),
    ("claimquantities",),
    ("claimfile",),
    ("judging",),
    ("documents",),
    ("lessons",),
    ("opinions", "coqfiles"),
    ("speculation",),
    ("layercosts",),
    ("advice", "observed"),
    ("edges",),
    ("found",),
    ("orders",),
    ("bestmap", "statements", "rulings"),
    ("vega", "areas"),
    ("plots", "drawing"),
    ("report",),
    ("arranging", "plaindata"),
    ("exercises",),
    ("pages",),
    ("render",),
    ("explorer",),
    ("pagefiles",),
    ("published", "articles", "recurrences", "teaching"),
    ("publish",),
    ("storing",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
"""Each level may import from those before it. A name stands for a module, or for a package and all
that is in it; within one level or one package imports may go either way, but not round in a ring."""

LEVEL_OF = {name: index for index, level in enumerate(LEVELS) for name in level}


def imports(source: str, module: tuple[str, ...], is_package: bool) -> set[str]:
    """Modules of the package that a source imports, anywhere in it: `dims`, `pages.parts`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {n.partition(".")[2] for n in names if n.startswith("derivations.")}
        elif isinstance(node, ast.ImportFrom):
            path = (node.module or "").split(".") if node.module else []
            if node.level:
                keep = len(module) - node.level + is_package
                path = [*module[:keep], *path]
            elif path[:1] == ["derivations"]:
                path = path[1:]
            else:
                continue
            for alias in node.names:
                full = [*path, alias.name]
                target = full if exists(full) else path
                if target:
                    found.add(".".join(target))
    return found


def exists(path: list[str]) -> bool:
    place = PACKAGE.joinpath(*path)
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def modules() -> dict[str, set[str]]:
    """Module -> what it imports; a package's own file goes by the package's name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        parts = parts[:-1] if is_package else parts
        if parts:
            found[".".join(parts)] = imports(path.read_text("utf-8"), parts, is_package)
    return found


def upward(graph: dict[str, set[str]]) -> list[str]:
    """What breaks the table, one sentence each."""
    wrong = []
    for module, used in graph.items():
        own = module.split(".")[0]
        if own not in LEVEL_OF:
            wrong.append(f"{module} is in no level; put it into LEVELS in {Path(__file__).name}")
            continue
        for other in sorted(used):
            top = other.split(".")[0]
            if top not in LEVEL_OF:
                wrong.append(f"{module} imports {other}, which is in no level")
            elif top != own and LEVEL_OF[top] > LEVEL_OF[own]:
                wrong.append(f"{module} imports {other}, which stands above it")
    return wrong


def ring(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring, or nothing."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module not in done:
            for other in sorted(graph.get(module, ())):
                if found := visit(other, [*path, module]):
                    return found
            done.add(module)
        return []

    for module in graph:
        if found := visit(module, []):
            return found
    return []


def test_imports_go_one_way():
    assert upward(modules()) == []


def test_no_modules_import_each_other_in_a_ring():
    assert ring(modules()) == []


def test_every_listed_module_is_there_once():
    names = [name for level in LEVELS for name in level]
    assert len(set(names)) == len(names)
    assert [name for name in names if not exists([name])] == []


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({"poly": {"costs"}}, "poly imports costs, which stands above it"),
        ({"pages.parts": {"cli"}}, "pages.parts imports cli, which stands above it"),
        ({"novel": set()}, "novel is in no level; put it into LEVELS in test_layers.py"),
        ({"costs": {"novel"}}, "costs imports novel, which is in no level"),
    ],
)
def test_the_table_is_enforced(graph, message):
    assert upward(graph) == [message]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from .poly import Poly", {"poly"}),
        ("from . import poly, dims", {"poly", "dims"}),
        ("def f():\n    from .costs import Cost", {"costs"}),
        ("import derivations.poly", {"poly"}),
        ("from derivations.poly import Poly", {"poly"}),
        ("from derivations import costs", {"costs"}),
        ("import sympy\nfrom json import loads", set()),
    ],
)
def test_how_imports_are_read(source, found):
    assert imports(source, ("trees",), False) == found


def test_rings_are_seen():
    assert ring({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert ring({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


LISTINGS = """
from derivations.checkpoints import checkpoint_names, load_checkpoint
from derivations.hardware import accelerator_names, load_accelerator
from derivations.library import load_variant, variant_names
[load_variant(f"{n}+{o}") for n in variant_names() for o in load_variant(n).all_options]
[load_checkpoint(n).dims for n in checkpoint_names()]
[load_accelerator(n).ridge() for n in accelerator_names()]
"""
COMMAND = """
import derivations.cli
sys.argv = ["derive", *{words}]
try:
    derivations.cli.main()
except SystemExit as end:
    assert not end.code, end.code
"""


@pytest.mark.parametrize(
    "code",
    [
        "import derivations",
        "import derivations.cli",
        LISTINGS,
        COMMAND.format(words=["--help"]),
        *(COMMAND.format(words=["list", what]) for what in ("variants", "models", "gpus")),
    ],
    ids=["package", "cli", "listings", "help", "list variants", "list models", "list gpus"],
)
def test_sympy_waits_until_it_is_needed(code):
    ask = "\nsys.exit('sympy was imported' if 'sympy' in sys.modules else 0)"
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + code + ask],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
