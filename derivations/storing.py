"""Writes the proofs that ship: `make proofs` runs this after a change to variants, claims or the finder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .assertions import assertions_of
from .claimfile import claims_about
from .derivation import Study
from .judging import Judgement, judge
from .library import load_variant
from .opinions import opinions_on
from .proofdata import point_data, proof_data
from .proofstore import digest
from .publish import VARIANTS, own_conventions
from .quantities import Assertion
from .regions import build_graph
from .resources import folder
from .search import order_names

__all__ = ["assertions_about", "bundled_assertions", "proof_files"]


def bundled_assertions(variant: str) -> list[Assertion]:
    """What a bundled variant claims, without the claims that are kept with another variant."""
    return [claim for claim in assertions_about(variant) if claim.about[0] == variant]


def assertions_about(variant: str) -> list[Assertion]:
    """What a variant's named orders claim by default, and the bundled claims that speak of it."""
    program = load_variant(variant)
    study = Study(program, own_conventions(program), {})
    found = assertions_of(study, order_names(build_graph(program)))
    return [*found, *claims_about(program.name)]


def proof_files() -> Iterator[tuple[str, str]]:
    """(file name, text) for each bundled variant; every proof is found anew and checked."""
    for variant in VARIANTS:
        entries = {digest(a.claim): _entry(judge(a)) for a in bundled_assertions(variant)}
        lines = [
            f"{json.dumps(key)}: {json.dumps(entry, ensure_ascii=False, separators=(',', ':'))}"
            for key, entry in entries.items()
            if entry is not None
        ]
        listed = ",\n".join(lines)
        yield f"{variant}.json", f'{{"variant": {json.dumps(variant)}, "proofs": {{\n{listed}\n}}}}\n'


def _entry(judgement: Judgement) -> dict[str, Any] | None:
    if judgement.status == "open":
        return None
    opinions = [{"by": o.by, "agrees": o.agrees, "note": o.note} for o in opinions_on(judgement)]
    entry: dict[str, Any] = {"id": judgement.assertion.id, "opinions": opinions}
    if judgement.proof is not None:
        return {**entry, "proof": proof_data(judgement.proof)}
    return {**entry, "points": [point_data(at) for at in judgement.points]}


def main() -> None:
    """Write models/proofs."""
    place = folder("models") / "proofs"
    place.mkdir(exist_ok=True)
    written = dict(proof_files())
    for path in place.glob("*.json"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (place / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
