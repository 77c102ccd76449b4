"""Proved claims as Coq files in a folder, and what coqc says of them where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from time import perf_counter

from .coq import NoCoq, coq_file
from .judging import Judgement
from .witnesses.opinion import Opinion

__all__ = ["coq_files", "coq_name", "coq_opinion", "coq_opinions"]

_LONGEST = 300
"""Seconds coqc may take for a file."""


def coq_name(identifier: str) -> str:
    """The module name of a claim: Coq takes letters, digits and underscores, a letter first."""
    return f"claim_{re.sub(r'[^A-Za-z0-9]+', '_', identifier).strip('_')}"


def coq_files(judgements: Sequence[Judgement]) -> dict[str, tuple[Judgement, str]]:
    """File name -> claim and content, for what is proved; a false claim has no file."""
    found: dict[str, tuple[Judgement, str]] = {}
    for judgement in judgements:
        if judgement.proof is None:
            continue
        base = name = coq_name(judgement.assertion.id)
        number = 1
        while f"{name}.v".lower() in map(str.lower, found):  # some disks do not tell them apart
            number += 1
            name = f"{base}_{number}"
        assertion = judgement.assertion
        says = f"{assertion.id}: {assertion.says}" if assertion.says else assertion.id
        try:
            found[f"{name}.v"] = judgement, coq_file(assertion.claim, judgement.proof, says, name)
        except NoCoq:  # no file; the verdict stands on the kernel
            continue
    return found


def coq_opinion(name: str, text: str) -> Opinion:
    """What coqc says of one file; it is compiled in a folder of its own, which goes away."""
    program = shutil.which("coqc")
    if program is None:
        return Opinion("coq", None, "coqc is not installed")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(text, "utf-8")
        start = perf_counter()
        try:
            done = subprocess.run(
                [program, "-q", name], cwd=folder, capture_output=True, text=True, timeout=_LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            return Opinion("coq", None, f"no answer in {_LONGEST} s")
        took = perf_counter() - start
    if done.returncode == 0:
        return Opinion("coq", True, f"coqc accepts {name} in {took:.1f} s")
    return Opinion("coq", False, f"coqc rejects {name}: {' '.join(done.stderr.split())[-200:]}")


def coq_opinions(files: dict[str, tuple[Judgement, str]]) -> dict[str, Opinion]:
    """Claim id -> what coqc says, several files at a time."""
    with ThreadPoolExecutor(max_workers=cpu_count() or 1) as pool:
        said = pool.map(coq_opinion, files, (text for _, text in files.values()))
        return {judgement.assertion.id: o for (judgement, _), o in zip(files.values(), said, strict=True)}
