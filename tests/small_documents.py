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

import pytest

from derivations.documents.document import Document
from derivations.documents.judged import judge_document
from derivations.documents.reading import read_document
from derivations.documents.verdict import Verdict
from derivations.errors import InputError
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
    return read_document(parse_yaml(text, "f.yaml"))


def judged(
    claims: str, quantities: str = QUANTITIES, under: str = SIZES, more: str = ""
) -> Mapping[str, Verdict]:
    """The verdicts on the claims of a document with one section, by the last part of their ids."""
    found = judge_document(read(written(claims, quantities, under, more)))
    return {verdict.claim.id.removeprefix("tiny-1-"): verdict for verdict in found}


FULL = """\
document: tiny
title: A tiny document
about: Nothing much.
sha256: abc
notation: article
names: [GPT-2]
letters: {T: L}
symbols: [V]
quantities:
  F: {flops: mha}
  M: {bytes: mha, scope: kernel}
  A: {intensity: mla, order: absorb}
  ridge: {part: h100-sxm, figure: R}
  cross: {crossover: [A, R], in: H}
  far: {limit: 2*L/(L + S), in: L}
  steps: {chain: ["mk,kn->mn"], sizes: {m: S, k: d_k, n: L}}
  twice: 2*F
under: {model: kimi-k3, set: {b: 2}}
sections:
  "1":
    title: First
    text:
      - "Words about {tiny-1-one} in section 4.2 and in equation 3."
    ours:
      more: {value: F, under: {set: {L: 4}}}
    claims:
      one: {line: 1, says: A count., prints: "512", value: d_c}
      two: {line: 2, prints: 2*H*T*(d_k + d_v), equals: F, expect: holds}
      three: {line: 3, holds: M > 0}
      four: {lines: [4, 5], means: ">1", value: ridge, over: [{gpu: h100-sxm}], group: g}
      five: {line: 6, prints: "96", value: H, beside: [1-one], against: {is: x/2, x: 1-one}, sizes: 4 K}
      six: {line: 7, prints: "1", value: H, expect: wrong, instead: {latent: {value: d_c}}, remark: Ours.}
      seven: {line: 1, prints: "192", value: A}
      eight: {line: 1, prints: "74", value: cross, under: {set: {R: 148, L: 5}}}
      nine: {line: 1, prints: "2", value: far}
      ten: {line: 1, prints: "512", value: steps, under: {set: {L: 2, S: 1}}}
      eleven: {line: 1, prints: "196608", value: twice, under: {set: {L: 2}}}
    tables:
      big:
        title: A table
        corner: what
        columns:
          first: {title: One, value: X}
          second: {title: Two}
        rows:
          r: {line: 8, with: {X: H}, cells: ["96", {prints: "128", value: d_k}]}
          s: {line: 9, with: {X: d_v}, cells: ["128", ~]}
not-claims:
  - reason: Numbers of sections.
    lines: {1: "4.2"}
"""
"""A document with everything that a file may have."""


def broken(old: str, new: str) -> str:
    """`FULL` with one spot replaced."""
    assert FULL.count(old) == 1, f"{old!r} stands {FULL.count(old)} times in FULL"
    return FULL.replace(old, new)


def refusal(old: str, new: str) -> str:
    """The sentence of the InputError that `FULL` with one spot replaced ends in, when it is read or judged."""
    with pytest.raises(InputError) as caught:
        list(judge_document(read(broken(old, new))))
    message = str(caught.value)
    assert "\n" not in message
    return message
