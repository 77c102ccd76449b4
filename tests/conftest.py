"""Fixtures that any test may take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import launched


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests of a module."""
    with launched() as browser:
        yield browser
