"""The defaults of a library's config classes, as installed, against the observations that ship and
`derive model`.

What the library caches was read with `library_caches.py`, which needs torch; its config classes do not. So the
classes are asked here, in a process of their own, and what they say goes through the same reading.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from derivations.configs.reading import config_of
from derivations.errors import InputError
from derivations.observed import Outcome, observations, rows
from derivations.released import released_of

ASK = """
import json, os, sys, warnings
os.environ["HF_HUB_OFFLINE"], os.environ["TRANSFORMERS_VERBOSITY"] = "1", "error"
warnings.filterwarnings("ignore")
from transformers import CONFIG_MAPPING

def plain(value):
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)

print(json.dumps({name: plain(CONFIG_MAPPING[name]().to_dict()) for name in json.loads(sys.argv[1])}))
"""
LEAST = 40
"""Model types that must go through."""


@pytest.fixture(scope="module")
def defaults() -> dict[str, Any]:
    """Model type -> what its config class holds with no argument."""
    pytest.importorskip("transformers")
    names = sorted({entry["model_type"] for entry in observations() if not entry["changed"]})
    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(names)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(json.loads(done.stdout))


def test_the_observed_configs_are_the_defaults_of_the_installed_classes(defaults: dict[str, Any]) -> None:
    for entry in observations():
        if entry["changed"]:
            continue
        live = defaults[entry["model_type"]]
        for name, value in entry["config"].items():
            if isinstance(value, dict):  # a nested config is kept without what says nothing
                assert {k: live[name][k] for k in value if not isinstance(value[k], dict)} == {
                    k: v for k, v in value.items() if not isinstance(v, dict)
                }, (entry["model_type"], name)
            else:
                assert live[name] == value, (entry["model_type"], name)


def test_the_whole_default_config_is_read_as_its_observed_part(defaults: dict[str, Any]) -> None:
    """Nothing that was dropped from the observations matters, token ids and the like."""
    outcomes = {row.name: row.outcome for row in rows() if not row.changed}
    read = 0
    for name, outcome in outcomes.items():
        part = next(e for e in observations() if e["model_type"] == name and not e["changed"])
        if outcome is Outcome.REFUSED:
            with pytest.raises(InputError):
                released_of("config.json", config_of(defaults[name], "config.json"))
            continue
        assert (
            config_of(defaults[name], "config.json").layers == config_of(part["config"], "config.json").layers
        )
        read += 1
    assert read >= LEAST
