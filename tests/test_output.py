"""Files that commands write: whole or not at all, with the permissions they had, or a sentence why not."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command import derive, refused

LIST = ("lesson", "list")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644, 0o755])
def test_a_file_keeps_its_permissions(tmp_path, bits):
    path = tmp_path / "list.txt"
    path.write_text("old")
    path.chmod(bits)
    assert derive(*LIST, "-o", str(path))[0] == 0
    assert (mode(path), path.read_text()[:7]) == (bits, "Lessons")


def test_a_new_file_has_those_of_any_other(tmp_path):
    other, path = tmp_path / "other", tmp_path / "list.txt"
    other.write_text("")
    derive(*LIST, "-o", str(path))
    assert mode(path) == mode(other)


def test_nothing_else_is_left_behind(tmp_path):
    derive(*LIST, "-o", str(tmp_path / "list.txt"))
    assert [path.name for path in tmp_path.iterdir()] == ["list.txt"]


def test_a_name_as_long_as_may_be(tmp_path):
    path = tmp_path / ("a" * 250)
    assert derive(*LIST, "-o", str(path))[0] == 0
    assert path.is_file()


def test_what_can_be_no_file(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "cannot be the name of a file: " in refused(*LIST, "-o", str(loop))
    assert refused(*LIST, "-o", "a" * 300).endswith("cannot be the name of a file: file name too long")
    folder = f"{tmp_path}/"
    assert refused(*LIST, "-o", folder) == f"-o {folder}: is a folder; give the name of a file in it"
    missing = f"{tmp_path}/none/"
    assert refused(*LIST, "-o", missing) == f"-o {missing}: is a folder; give the name of a file in it"
    assert "cannot be the name of a file" in refused(*LIST, "-o", "a\0b")


def test_a_link_leads_to_its_target(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    derive(*LIST, "-o", str(link))
    assert link.is_symlink()
    assert target.read_text().startswith("Lessons")


def run(script: str, text: bytes = b"") -> tuple[int, str]:
    """Exit status and stderr of a shell line, `$D` being the command."""
    command = f"{sys.executable} -m derivations"
    done = subprocess.run(
        ["sh", "-c", script.replace("$D", command)], input=text, capture_output=True, check=False
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("words", ["lesson list", "quiz --seed 1 --count 1"])
def test_a_full_output_is_said(words):
    assert run(f"$D {words} >/dev/full </dev/null") == (
        2, "derive: error: cannot write to standard output: no space left on device\n"
    )  # fmt: skip


@pytest.mark.parametrize("words", ["lesson list", "quiz --seed 1 --count 1"])
def test_a_closed_output_is_said(words):
    assert run(f"$D {words} >&- </dev/null") == (
        2, "derive: error: there is no standard output; write to a file with -o\n"
    )  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="encodings of a terminal")
@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii"])
def test_a_byte_that_is_no_letter_does_not_end_a_quiz(encoding):
    text = b"\xe9\nb\xc2\xb7(d_c+d_r)\n"
    command = [sys.executable, "-m", "derivations", "quiz", "--seed", "1", "--count", "1", "--level", "1"]
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, input=text, capture_output=True, env=env, check=False)
    assert done.returncode == 0
    assert "Done. Right: 1 of 1" in done.stdout.decode()
