"""Runs `derive` in this process: exit status, stdout, stderr."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from derivations.cli import main


def derive(*arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of one call."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as stop:
            return int(stop.code or 0), out.getvalue(), err.getvalue()
    raise AssertionError("main always exits")


def shown(*arguments: str) -> str:
    """What a call that works prints."""
    status, out, err = derive(*arguments)
    assert status == 0, err
    return out


def data(*arguments: str) -> dict[str, Any]:
    """The JSON of a call that works."""
    return json.loads(shown(*arguments, "--json"))


def refused(*arguments: str) -> str:
    """The one sentence of a call that does not work, without its head."""
    status, out, err = derive(*arguments)
    assert (status, out) == (2, ""), (status, out, err)
    assert err.startswith("derive: error: "), err
    assert err.count("\n") == 1, err
    return err.removeprefix("derive: error: ").rstrip("\n")
