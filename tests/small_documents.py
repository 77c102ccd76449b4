"""Small documents to judge and to break, and the sizes at which their numbers are easy by hand.

At H = 2, L = 10, d_k = 3, d_v = 5, d_c = 7, b = 2, for one token of decode:

    multi-head core       2 * 2 * 10 * (3 + 5)  =  320 FLOPs     2 * 2 * 10 * (3 + 5)  =  320 bytes
    absorbed core         4 * 2 * 10 * 7        =  560 FLOPs     2 * 10 * 7            =  140 bytes
    absorbed lift         2 * 2 * 7 * (3 + 5)   =  224 FLOPs     2 * 2 * 7 * (3 + 5)   =  224 bytes of weights
    expanded core         2 * 2 * 10 * (3 + 5)  =  320 FLOPs
    expanded lift         2 * 2 * 10 * 7 * 8    = 2240 FLOPs
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

from derivations.documents.document import Document
from derivations.documents.reading import _Reader
from derivations.documents.verdict import Verdict, judge_document
from derivations.yamlfile import parse_yaml

SIZES = "{set: {H: 2, L: 10, d_k: 3, d_v: 5, d_c: 7, b: 2}}"
QUANTITIES = """\
F: {flops: mha}
M: {bytes: mha}
I: {intensity: mha}
A: {flops: mla, order: absorb}
A_bytes: {bytes: mla, order: absorb}
lift: {flops: mla, order: absorb, stages: [lift]}
both: {flops: mla, order: absorb, stages: [core, lift]}
attention: {flops: mla, order: absorb, scope: attention}
weighty: {bytes: mla, order: absorb, scope: attention+weights}
out: {flops: mha, stages: [output]}
"""
HEAD = """\
document: tiny
title: A tiny document
about: Nothing much.
sha256: abc
notation: article
"""


def written(claims: str, quantities: str = QUANTITIES, under: str = SIZES, more: str = "") -> str:
    """The text of a document with one section, called 1, which has these claims."""
    return (
        f"{HEAD}under: {under}\nquantities:\n{indent(quantities, '  ')}"
        f"sections:\n  '1':\n    title: A section\n{indent(more, '    ')}"
        f"    claims:\n{indent(claims.strip(), ' ' * 6)}\n"
    )


def read(text: str) -> Document:
    """The document in a text, as the reader of shipped ones has it; errors call the file f.yaml."""
    return _Reader(parse_yaml(text, "f.yaml")).read()


def judged(
    claims: str, quantities: str = QUANTITIES, under: str = SIZES, more: str = ""
) -> Mapping[str, Verdict]:
    """The verdicts on the claims of a document with one section, by the last part of their ids."""
    found = judge_document(read(written(claims, quantities, under, more)))
    return {verdict.claim.id.removeprefix("tiny-1-"): verdict for verdict in found}
