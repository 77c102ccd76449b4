"""The pages about recurrences that ship: crossovers with softmax attention, and lengths of chunks."""

from __future__ import annotations

from collections.abc import Iterator

from .between import crossover_between
from .chunks import chunks_of
from .conventions import Conventions
from .derivation import Study
from .hardware import load_accelerator
from .library import load_variant, variant_names
from .pages.recurrent import against_report, chunks_report
from .poly import Coefficient
from .program import Role
from .report import Report

__all__ = ["recurrence_pages", "recurrent_names"]

_RIVALS = (("mha", "direct"), ("gqa", "direct"), ("mla+rope", "absorb"))
_SIZES: dict[str, Coefficient] = {
    "H": 32, "H_q": 32, "H_kv": 8, "H_v": 32, "H_k": 16, "G": 8, "d_model": 4096, "d_k": 128, "d_v": 128,
    "d_c": 512, "d_r": 64, "d_g": 128, "n_c": 4, "b": 2, "b_M": 4,
}  # fmt: skip
_GPU = "h100-sxm"


def recurrent_names() -> tuple[str, ...]:
    """The bundled variants that keep a state."""
    return tuple(
        name for name in variant_names()
        if any(t.role is Role.STATE for t in load_variant(name).tensors.values())
    )  # fmt: skip


def recurrence_pages() -> Iterator[tuple[str, str, Report]]:
    """(path, title, report) of each page."""
    names = recurrent_names()
    conventions = Conventions()
    found, sources = [], []
    for name in names:
        two = Study(load_variant(name), conventions, {})
        sources.append(two.variant.reference)
        for rival, order in _RIVALS:
            one = Study(load_variant(rival), conventions, {})
            for measure in ("flops", "bytes"):
                crossover, both = crossover_between((one, two), (order, "direct"), "L", measure)
                found.append((crossover, both, measure, _SIZES))
    title = "Recurrences against softmax attention, in L"
    yield "recurrent/against-softmax", title, against_report(found, sources)
    chunked = []
    for name in names:
        plain = load_variant(name)
        if "chunked" in plain.all_options:
            study = Study(load_variant(f"{name}+chunked"), Conventions(phase="prefill"), {})
            chunked.append(
                (plain.title, study, chunks_of(study, Study(plain, Conventions(phase="prefill"), {})))
            )
    sizes = {**_SIZES, "R": load_accelerator(_GPU).ridge()}
    yield "recurrent/chunks", "How long a chunk should be", chunks_report(chunked, sizes, sources)
