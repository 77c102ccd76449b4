"""`derive variant new` and `derive variant check`: a file to start from, and everything wrong with one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from command import data, derive, refused, shown
from samples import TINY, within

from derivations.atoms import evaluate
from derivations.checking import check_file
from derivations.library import COMMANDS, variant_names


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder to work in."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def made(name: str = "mine") -> str:
    """What `derive variant new` writes."""
    status, out, err = derive("variant", "new", name)
    assert (status, out) == (0, ""), err
    assert err == f"derive: wrote {name}.yaml; try `derive ./{name}.yaml --order all`\n"
    return Path(f"{name}.yaml").read_text(encoding="utf-8")


def problems(text: str, file: str = "m.yaml") -> list[str]:
    """The lines of `derive variant check` about a file, its place without the file's name."""
    path = Path(file)
    path.write_text(text, encoding="utf-8")
    status, out, err = derive("variant", "check", f"./{file}")
    if status == 0:
        assert err == ""
        assert out.startswith(f"./{file} is right.\n")
        return []
    *lines, last = err.splitlines()
    count = "1 thing is" if len(lines) == 1 else f"{len(lines)} things are"
    assert (status, out, last) == (2, "", f"derive: error: {count} wrong with ./{file}")
    return [line.removeprefix(f"./{file}") for line in lines]


# ----------------------------------------------------------------------------------------------------- new

SIZES = ("--set", "H=4", "--set", "d_model=64", "--set", "d_k=16", "--set", "d_v=8", "--set", "d_z=12",
         "--set", "L=100", "--set", "b=2")  # fmt: skip


def test_the_file_derives_at_once() -> None:
    """Absorbed, 4 heads on 100 rows of 12: 2 x 2 x 4 x 100 x 12 FLOPs; expanded, the widths are 16 and 8."""
    made()
    absorbed = data("./mine.yaml", "--order", "absorb", *SIZES)
    assert absorbed["flops"]["value"] == 2 * 4 * 100 * (12 + 12)
    assert absorbed["bytes"]["value"] == 2 * 100 * 12
    assert absorbed["cache_per_token"]["elements"]["value"] == 12
    expanded = data("./mine.yaml", "--order", "expand", *SIZES)
    assert expanded["flops"]["value"] == 2 * 4 * 100 * (16 + 8)
    windowed = data("./mine.yaml+window", "--order", "absorb", *SIZES, "--set", "n_w=10")
    assert windowed["flops"]["value"] == 2 * 4 * 10 * 24


def test_every_command_in_the_file_works() -> None:
    text = made()
    commands = re.findall(r"^#\s+derive (.*?)(?:\s{2,}.*)?$", text, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["./mine.yaml", "variant", "compare"]
    for command in commands:
        assert shown(*command.split())
    for more in ("orders ./mine.yaml", "crossover ./mine.yaml absorb expand", "prove ./mine.yaml"):
        assert derive(*more.split())[0] == 0, more
    assert shown("./mine.yaml", "--latex").startswith("\\documentclass")


def test_the_file_is_right_and_says_what_it_derives() -> None:
    made()
    assert shown("variant", "check", "./mine.yaml") == (
        "./mine.yaml is right.\n"
        "  mine: orders absorb, expand; cached elements per token d_z\n"
        "  mine+window: orders absorb, expand; cached elements per token d_z\n"
    )


def test_nothing_is_overwritten() -> None:
    text = made()
    Path("other.yaml").write_text("kept", encoding="utf-8")
    message = "is there already; choose another name or another file with -o"
    assert refused("variant", "new", "mine") == f"mine.yaml {message}"
    assert refused("variant", "new", "yours", "-o", "other.yaml") == f"other.yaml {message}"
    assert Path("other.yaml").read_text(encoding="utf-8") == "kept"
    assert Path("mine.yaml").read_text(encoding="utf-8") == text
    Path("dangling.yaml").symlink_to("nowhere.yaml")
    derive("variant", "new", "dangling")
    assert not Path("mine.yaml").is_symlink()


def test_another_file() -> None:
    assert derive("variant", "new", "mine", "-o", "another.yaml")[0] == 0
    assert data("./another.yaml", "--order", "absorb")["variant"] == "mine"
    assert not Path("mine.yaml").exists()
    assert "there is no folder no/such" in refused("variant", "new", "mine", "-o", "no/such/x.yaml")


BAD_NAMES = (
    "a b",
    "1x",
    "",
    "a--b",
    "a-",
    "é",
    "a" * 100,
    "a/b",
    "../x",
    "mine.yaml",
    "mine.yml",
    "a+b",
    "a:b",
    "_",
)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names(name: str, folder: Path) -> None:
    status, out, err = derive("variant", "new", name)
    assert (status, out) == (2, "")
    assert "is no name for a variant; use letters, digits and single - or _, a letter first" in err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_names_of_commands(name: str) -> None:
    assert refused("variant", "new", name) == f"{name!r} is a command of derive; give the variant another name"


@pytest.mark.parametrize("name", variant_names())
def test_names_of_bundled_variants(name: str) -> None:
    assert refused("variant", "new", name) == f"{name!r} is a bundled variant; give yours another name"


def test_wrong_calls() -> None:
    assert refused("variant", "chek", "x") == "unknown action of derive variant 'chek'; did you mean 'check'?"
    message = "mha: check reads a file; its name has a slash or ends in .yaml"
    assert refused("variant", "check", "mha") == message
    made()
    assert refused("variant", "check", "./mine.yaml", "-o", "x").startswith("-o: check prints what it finds")
    assert "missing argument" in refused("variant", "new")


# --------------------------------------------------------------------------------------------------- check

# (what stands in the file, what is written instead, the place and the first words of the one message)
MUTATIONS = {
    "a key on top": ("title: Attention on", "titel: Attention on", "(titel): unknown key 'titel'"),
    "a key of an axis": ("k: {size: d_k", "k: {siz: d_k", "(axes.k.siz): unknown key 'siz'"),
    "a role": (
        "role: weight, meaning: query", "role: wheight, meaning: query",
        "(tensors.W_Q.role): unknown role 'wheight'",
    ),
    "an axis of a tensor": (
        "W_Z: {axes: [d, z]", "W_Z: {axes: [d, q]", "(tensors.W_Z.axes): unknown axis of W_Z 'q'",
    ),
    "a stage": ("stage: output", "stage: outputs", "(tensors.W_O.stage): unknown stage 'outputs'"),
    "a tensor in an equation": (
        "V[h,t,v] = Z[t,z] * W_UV[h,z,v]", "V[h,t,v] = ZZ[t,z] * W_UV[h,z,v]",
        "(equations[3]): unknown tensor 'ZZ'",
    ),
    "two equal signs": (
        '"A[h,s,t] = Q', '"A[h,s,t] == Q',
        "(equations[4]): expected a tensor, found '=' in the equation 'A[h,s,t] == Q[h,s,k] * K[h,t,k]'",
    ),
    "axes of a tensor": (
        "O[h,s,v] = P[h,s,t] * V[h,t,v]", "O[h,s,v] = P[h,s,t] * V[h,t]",
        "(equations[6]): V[h,t] has 2 axes, but V[h,t,v] has 3",
    ),
    "an intermediate of an order": (
        "absorb: {avoid: [K, V]", "absorb: {avoid: [K, VV]",
        "(orders.absorb): unknown intermediate in the order 'absorb' 'VV'",
    ),
    "a key of an order": (
        "expand: {form: [K, V]", "expand: {forms: [K, V]", "(orders.expand.forms): unknown key 'forms'",
    ),
    "the kind of a mask": (
        "A: {kind: window, size: n_w}", "A: {kind: windoww, size: n_w}",
        "(options.window.masks.A.kind): unknown mask 'windoww'",
    ),
    "a symbol of an option": (
        "n_w: {meaning: tokens", "n_w: {meening: tokens",
        "(options.window.symbols.n_w.meening): unknown key 'meening'",
    ),
    "a symbol": ("d_z: {meaning: width", "d z: {meaning: width", "(symbols.d z): 'd z' is no name"),
}  # fmt: skip
# what is right or wrong about the one is decided by the other
TOGETHER = {  # the one decides about the other
    # the symbol is that of the mask's size
    frozenset(("the kind of a mask", "a symbol of an option")),
    # V has no axes of its own when its equation is not read
    frozenset(("a tensor in an equation", "axes of a tensor")),
}


def changed(text: str, *names: str) -> tuple[str, list[str]]:
    """The file with mutations, and the heads of the messages, by line."""
    heads = []
    for name in names:
        old, _, head = MUTATIONS[name]
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        heads.append((text[: text.index(old)].count("\n") + 1, head))
    for name in names:
        text = text.replace(*MUTATIONS[name][:2])
    return text, [f":{line} {head}" for line, head in sorted(heads)]


def head_of(message: str) -> str:
    return message.partition(";")[0]


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_one_mistake_is_one_line(name: str) -> None:
    text, expected = changed(made(), name)
    assert [head_of(line) for line in problems(text)] == expected


PAIRS = [pair for pair in combinations(sorted(MUTATIONS), 2) if frozenset(pair) not in TOGETHER]


@pytest.mark.parametrize("names", PAIRS, ids=" and ".join)
def test_two_mistakes_are_two_lines(names: tuple[str, str]) -> None:
    text, expected = changed(made(), *names)
    assert [head_of(line) for line in problems(text)] == expected


def test_many_mistakes_at_once() -> None:
    names = [name for name in MUTATIONS if name not in ("axes of a tensor", "the kind of a mask")]
    text, expected = changed(made(), *names)
    found = [head_of(line) for line in problems(text)]
    assert found == expected
    assert len(found) == 11


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # P is unknown below since the line that makes it is wrong
        ("softmax[t]", "softmux[t]", ["unknown function 'softmux'"]),
        ("softmax[t](A", "softmax[t](AA", ["unknown tensor 'AA'"]),
        # W_O is used in the line that cannot be read
        ('W_O[h,v,d]"', 'W_O[h,v,d"', ["expected ']', found the end"]),
        ("Q[h,s,k] = X[s,d] * W_Q[h,d,k]", "Q[h,s,k] = X[s,d] ** W_Q[h,d,k]", ["expected a tensor"]),
        # X is the input of two equations, and both lines are wrong without it
        ("  X: {axes: [s, d], role: input", "  X: {axes: [s, d], role: inputt", ["unknown role 'inputt'"]),
        ("  Z: {axes: [t, z], role: cache", "  Z: {axes: [t, z], role: cash", ["unknown role 'cash'"]),
        ("  h: {size: H, meaning", "  h: {size: H, menaing", ["unknown key 'menaing'"]),
        ("  h: {size: H,", "  h: {size: 'H +',", ["H +"]),
    ],
)
def test_what_only_follows_is_not_listed(old: str, new: str, expected: list[str]) -> None:
    text = made()
    assert text.count(old) == 1
    found = problems(text.replace(old, new))
    assert len(found) == len(expected), found
    for line, words in zip(found, expected, strict=True):
        assert words in line


def test_a_tensor_that_is_missing_is_said_once_a_line() -> None:
    text = made()
    start = text.index("  W_UV: {axes")
    (line,) = problems(text[:start] + text[text.index("\n", start) + 1 :])
    assert line.startswith(":41 (equations[3]): unknown tensor 'W_UV'; did you mean 'W_UK'?")


def test_a_file_of_ones_own_without_orders() -> None:
    assert problems(TINY) == []
    found = check_file("./m.yaml")
    ((variant, orders, rows, state),) = found.variants
    assert (variant.name, orders, found.problems, found.clashes) == ("tiny", ("direct",), (), ())
    assert evaluate(rows, {"H": 3, "d_k": 5}) == 15
    assert not state


def test_states_and_options_that_exclude_each_other() -> None:
    page = shown("variant", "check", str(Path(__file__).parent.parent / "models/variants/lightning.yaml"))
    assert "lightning: orders direct; cached elements per token 0; state elements H d_k d_v" in page
    page = shown("variant", "check", str(Path(__file__).parent.parent / "models/variants/mla.yaml"))
    assert "mla+rope: orders absorb, expand; cached elements per token d_c + d_r" in page


@pytest.mark.parametrize("name", variant_names())
def test_every_bundled_variant_is_right(name: str) -> None:
    page = shown("variant", "check", str(Path(__file__).parent.parent / "models" / "variants" / f"{name}.yaml"))
    assert f"  {name}: orders " in page


HOSTILE = {
    "binary": (bytes(range(128, 256)), "is not UTF-8 text"),
    "nulls": (b"variant: a\0b\n", "not valid YAML"),
    "control characters": (b"variant: a\x07b\n", "not valid YAML"),
    "deep lists": (b"a: " + b"[" * 5000, "nest"),
    "deep blocks": (b"".join(b" " * i + b"a:\n" for i in range(400)), ""),
    "large": (b"#" * 5_000_000, "is larger than"),
    "empty": (b"", "the file is empty"),
    "a list": (b"- 1\n", "expected `key: value` lines here, found a list"),
    "aliases": (b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n", ""),
    "a tag": (b"variant: !!python/object/apply:os.system [echo]\n", ""),
    "two documents": (b"variant: a\n---\nvariant: b\n", ""),
    "twice": (b"variant: a\nvariant: b\n", "variant"),
    "a number": (b"3\n", ""),
    "a name of megabytes": (b"variant: " + b"a" * 100_000 + b"\n", ""),
    "many axes": (b"variant: v\naxes: {" + b", ".join(b"a%d: L" % i for i in range(3000)) + b"}\n", ""),
    "escapes": ("variant: 'a\u202e\u200b'\ntitle: '\u001b[31m'\n".encode(), ""),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_files(name: str) -> None:
    content, words = HOSTILE[name]
    Path("hostile.yaml").write_bytes(content)
    with within(3):
        status, out, err = derive("variant", "check", "./hostile.yaml")
    assert (status, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert all(c.isprintable() or c == "\n" for c in err), err
    assert max(map(len, err.splitlines())) < 1000
    assert err.splitlines()[-1].endswith("wrong with ./hostile.yaml")


def test_no_file_and_a_folder(folder: Path) -> None:
    status, out, err = derive("variant", "check", "./none.yaml")
    assert (status, out) == (2, "")
    assert err == "there is no file ./none.yaml\nderive: error: 1 thing is wrong with ./none.yaml\n"
    assert derive("variant", "check", str(folder) + "/")[0] == 2
