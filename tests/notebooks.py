"""Runs the notebooks that `derive` writes: in this process, or in a kernel as Jupyter does."""

from __future__ import annotations

import ast
import gc
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import nbformat

__all__ = ["cells_of", "in_kernel", "run", "text_of"]


def cells_of(notebook: str, kind: str = "code") -> list[str]:
    """The texts of the cells of a kind, after a check that the notebook is valid."""
    whole = json.loads(notebook)
    nbformat.validate(whole)
    return ["".join(cell["source"]) for cell in whole["cells"] if cell["cell_type"] == kind]


def text_of(notebook: str) -> str:
    """All its Markdown."""
    return "\n\n".join(cells_of(notebook, "markdown"))


def run(cells: list[str]) -> dict[str, Any]:
    """Runs cells one after the other, in this process; returns their variables."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells, start=1):
        exec(compile(ast.parse(cell), f"<cell {number}>", "exec"), names)  # noqa: S102
    return names


def in_kernel(notebook: str, folder: Path) -> list[Any]:
    """Runs a notebook in a kernel of this Python, started in a folder; returns its code cells with outputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own; they leave sockets to the garbage collector
        node = _executed(notebook, folder)
        gc.collect()
    return [cell for cell in node.cells if cell.cell_type == "code"]


def _executed(notebook: str, folder: Path) -> Any:
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    class Here(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            home = {"IPYTHONDIR": str(folder / ".ipython")}
            return KernelSpec(argv=argv, display_name=kernel_name, language="python", env=home)

    node = nbformat.reads(notebook, as_version=4)
    manager = AsyncKernelManager(kernel_spec_manager=Here(parent=None))
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(node, km=manager, timeout=120, resources=place).execute()
    return node
