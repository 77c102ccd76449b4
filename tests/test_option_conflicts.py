"""Options that say different things of one name are refused, unless one of them says what holds for both."""

from __future__ import annotations

import pytest
from samples import TINY, read, refused

OPTIONS = """\
options:
  near:
    masks:
      A: {kind: window, size: w}
  picked:
    masks:
      A: {kind: top-n, size: n}
"""
BOTH = "    with:\n      near:\n        masks:\n          A: {kind: window, size: min(n, w)}\n"


def with_options(**options: str) -> str:
    """`TINY` with options, each given by its lines in braces."""
    return TINY + "options:\n" + "".join(f"  {name}: {{{body}}}\n" for name, body in options.items())


SAID = {
    "masks": ("masks: {A: {kind: window, size: w}}", "masks: {A: {kind: window, size: n}}", "A"),
    "axes": ("axes: {k: {size: 2*d_k}}", "axes: {k: {size: 3*d_k}}", "k"),
    "tensors": (
        "tensors: {K: {axes: [h, t, k], role: cache, width: '1'}}",
        "tensors: {K: {axes: [h, t, k], role: cache, width: '2'}}",
        "K",
    ),
    "equations": (
        "equations: ['O[h,s,k] = P[h,s,t] * K[h,t,k] * K[h,t,k]']",
        "equations: ['O[h,s,k] = P[h,s,t] * K[h,t,k] + Q[h,s,k]']",
        "O",
    ),
    "orders": ("orders: {late: {avoid: [Q]}}", "orders: {late: {form: [Q]}}", "late"),
}
"""Two things that options can say of one name, part by part."""


@pytest.mark.parametrize("part", SAID)
def test_each_alone_is_read(part: str) -> None:
    one, two, _ = SAID[part]
    text = with_options(one=one, two=two)
    assert read(text, "one").options == ("one",)
    assert read(text, "two").options == ("two",)


@pytest.mark.parametrize("asked", [("one", "two"), ("two", "one")])
@pytest.mark.parametrize("part", SAID)
def test_both_are_refused_and_named(part: str, asked: tuple[str, str]) -> None:
    """Which comes first on the command line does not matter; the place is the later one's in the file."""
    one, two, name = SAID[part]
    message = refused(read, with_options(one=one, two=two), *asked)
    assert message.startswith(f"tiny.yaml:22 (options.two.{part}")
    assert (
        f"the options one and two of tiny say different things of {name} ({part}); use one of them" in message
    )
    assert "say under `with` what holds when both are on" in message


@pytest.mark.parametrize("part", SAID)
def test_the_same_said_twice_is_no_contradiction(part: str) -> None:
    one, _, _ = SAID[part]
    assert read(with_options(one=one, two=one), "one", "two").options == ("one", "two")


def test_spaces_make_no_other_equation() -> None:
    line = "O[h,s,k] = P[h,s,t] * K[h,t,k] * K[h,t,k]"
    text = with_options(one=f"equations: ['{line}']", two=f"equations: ['{line.replace(' ', '')}']")
    assert read(text, "one", "two").options == ("one", "two")


@pytest.mark.parametrize("part", SAID)
def test_with_settles_it(part: str) -> None:
    """In either of the two options; what it says holds when both are on, and each alone is as it was."""
    one, two, _ = SAID[part]
    for text in (
        with_options(one=f"{one}, with: {{two: {{{one}}}}}", two=two),
        with_options(one=one, two=f"{two}, with: {{one: {{{two}}}}}"),
    ):
        assert read(text, "one", "two").options == ("one", "two")
        assert read(text, "one").options == ("one",)
        assert read(text, "two").options == ("two",)


def test_what_with_says_holds() -> None:
    text = TINY + OPTIONS + BOTH.replace("min(n, w)", "'min(n, w)'")
    assert read(text, "near", "picked").masks["A"].size.text() == "min(n, w)"
    assert read(text, "near").masks["A"].size.text() == "w"
    assert read(text, "picked").masks["A"].size.text() == "n"


@pytest.mark.parametrize(
    "settled",
    [
        # about another name, another part, a third option
        "with: {one: {symbols: {w: {meaning: width}}}}",
        "with: {one: {assume: [w < n]}}",
        "with: {three: {masks: {A: {kind: full}}}}",
        "with: {one: {tensors: {K: {axes: [h, t, k], role: cache, width: '1'}}}}",
    ],
)
def test_with_that_says_something_else_settles_nothing(settled: str) -> None:
    one, two, _ = SAID["masks"]
    text = with_options(one=one, two=f"{two}, {settled}", three="assume: [d_k < d_model]")
    assert "the options one and two of tiny say different things of A (masks)" in refused(
        read, text, "one", "two"
    )


def test_two_of_three_are_enough_to_refuse() -> None:
    one, two, _ = SAID["masks"]
    text = with_options(one=one, other=SAID["axes"][0], two=two)
    for asked in (("one", "two"), ("one", "other", "two"), ("two", "other", "one")):
        assert "the options one and two of tiny say different things of A (masks)" in refused(
            read, text, *asked
        )
    assert read(text, "one", "other").options == ("one", "other")


def test_an_option_and_the_file_do_not_contradict_each_other() -> None:
    """An option replaces what the file says; that is what it is for."""
    text = with_options(one="masks: {A: {kind: window, size: w}}") + "masks: {A: {kind: full}}\n"
    assert read(text, "one").masks["A"].size.text() == "w"


def test_options_that_meet_in_what_with_adds() -> None:
    """What two options say with a third is no contradiction of the two, and the later one in the file holds."""
    text = with_options(
        one="with: {two: {axes: {k: {size: 2*d_k}}}}",
        two="axes: {k: {size: 3*d_k}}, with: {one: {axes: {k: {size: 5*d_k}}}}",
    )
    assert read(text, "one").axes["k"].size.text() == "d_k"
    assert read(text, "two").axes["k"].size.text() == "3*d_k"
    assert read(text, "one", "two").axes["k"].size.text() == "5*d_k"
