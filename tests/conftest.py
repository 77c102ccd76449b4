"""Fixtures that any test may take."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from browser import launched

# Thousands of tests leave millions of objects that live on in caches: looking through them often finds nothing.
gc.set_threshold(50_000, 20, 100)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests of a module."""
    with launched() as browser:
        yield browser
