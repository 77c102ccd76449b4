"""A small legal variant to break in one place at a time, and what every refusal has in common."""

from __future__ import annotations

import gc
import resource
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import settings

from derivations.errors import InputError, Place
from derivations.library import COMMANDS
from derivations.program import Variant
from derivations.spec import read_variant
from derivations.yamlfile import parse_yaml

settings.register_profile("derive", deadline=None, derandomize=True, database=None)
settings.load_profile("derive")

ROOT = Path(__file__).resolve().parent.parent
PLACE = Place("f.yaml", 3, "axes.t.size")
AT = "f.yaml:3 (axes.t.size): "

TINY = """\
variant: tiny
title: A tiny attention
axes:
  s: {size: S}
  t: {size: L, meaning: context}
  h: {size: H}
  d: {size: d_model}
  k: {size: d_k}
tensors:
  X: {axes: [s, d], role: input}
  W_Q: {axes: [h, d, k], role: weight}
  W_K: {axes: [h, d, k], role: weight}
  K: {axes: [h, t, k], role: cache}
equations:
  - "Q[h,s,k] = X[s,d] * W_Q[h,d,k]"
  - "K[h,t,k] <- X[s,d] * W_K[h,d,k]"
  - "A[h,s,t] = Q[h,s,k] * K[h,t,k]"
  - "P[h,s,t] = softmax[t](A[h,s,t])"
  - "O[h,s,k] = P[h,s,t] * K[h,t,k]"
"""


def tiny(old: str = "", new: str = "", more: str = "") -> str:
    """`TINY` with one spot replaced, or with lines added at the end."""
    assert not old or TINY.count(old) == 1, f"{old!r} stands {TINY.count(old)} times in TINY"
    return (TINY.replace(old, new) if old else TINY) + more


CONTRADICTING = ({"window", "chunk"}, {"window", "selected"}, {"chunk", "selected"})
"""Options of the bundled variants that say different things of one mask."""


def combinations_of(options: Iterable[str]) -> list[tuple[str, ...]]:
    """All sets of options of a bundled variant in which no two contradict each other, in the file's order."""
    names = tuple(options)
    found = [chosen for count in range(len(names) + 1) for chosen in combinations(names, count)]
    return [chosen for chosen in found if not any(pair <= {*chosen} for pair in CONTRADICTING)]


def read(text: str, *options: str, file: str = "tiny.yaml") -> Variant:
    """The variant in a YAML text, as the command line would read it."""
    return read_variant(parse_yaml(text, file), options, COMMANDS)


def refused(function, *arguments) -> str:
    """The one sentence of the InputError that a call ends in, within a second."""
    with within(1), pytest.raises(InputError) as caught:
        function(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 700
    return message


def outcome(function, *arguments):
    """What a call returns, or the text of the InputError it ends in; anything else is a bug."""
    with within(2):
        try:
            return function(*arguments)
        except InputError as error:
            return str(error)


def _address_space() -> int:
    """Bytes of address space taken: a library that draws may have reserved a lot."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0


_PATIENCE = 15
"""Seconds on the clock for a second of processor time, on a machine that does other things too."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fails the test when the block takes longer, and stops it a little later, or at 4 GiB more than now."""

    def stop(*_: object) -> None:
        pytest.fail(f"still not done after {_PATIENCE * seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _address_space() + (4 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))
    gc.freeze()  # what earlier tests left behind is not looked through; to collect it first takes a second
    start = time.process_time()
    try:
        yield
    finally:
        gc.unfreeze()
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    taken = time.process_time() - start
    assert taken < seconds, f"took {taken:.2f} s of processor time, {seconds} s allowed"
