"""Pages as readers see them: the installed Chromium, headless and offline, driven by Playwright.

A test takes the fixture `chromium` (conftest.py), one browser for all tests of a module, marks itself with
`needs_browser`, and opens a page with `opened`:

    @needs_browser
    def test_it_fits_a_phone(chromium, tmp_path):
        with opened(chromium, html, width=360) as view:
            assert view.overflow() == 0
            assert view.complaints == []
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

__all__ = ["CHROMIUM", "View", "launched", "needs_browser", "opened"]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("DERIVE_REQUIRE_ALL"), reason="Chromium is not installed"
)
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
_NO_NETWORK = ("file:", "data:", "blob:", "about:")


@dataclass
class View:
    """A page that is open, and what went wrong in it."""

    page: Any
    """Playwright's page."""
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of the console, and exceptions that no script caught."""
    requests: list[str] = field(default_factory=list)
    """Addresses asked for beyond this machine."""

    def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(
            self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        )

    def until(self, script: str, argument: Any = None) -> None:
        """Waits until a script finds what is true; Playwright's own way needs `eval`, which pages forbid."""
        for _ in range(400):
            if self.page.evaluate(script, argument):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"still not true after 10 s: {script}")

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """What a script finds in the page."""
        return self.page.evaluate(script, argument)


@contextmanager
def launched() -> Iterator[Any]:
    """A browser; while it runs, no event loop of asyncio can be started in the same thread."""
    assert CHROMIUM, "chromium is required here and not installed"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Any,
    page: str | Path,
    width: int = 1280,
    height: int = 900,
    dark: bool = False,
    paper: bool = False,
) -> Iterator[View]:
    """A page in a window of its own without a network: a file, or the text of one.

    `dark` asks for the dark colours, `paper` shows it as it would be printed.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        offline=True,
    )
    try:
        view = View(context.new_page())
        view.page.on("console", lambda said: _heard(view, said))
        view.page.on("pageerror", lambda error: view.complaints.append(str(error)))
        view.page.on("request", lambda request: _asked(view, request.url))
        if paper:
            view.page.emulate_media(media="print")
        if isinstance(page, Path):
            view.page.goto(page.resolve().as_uri(), wait_until="load")
        else:
            view.page.set_content(page, wait_until="load")
        yield view
    finally:
        context.close()


def _heard(view: View, said: Any) -> None:
    if said.type in ("error", "warning"):
        view.complaints.append(said.text)


def _asked(view: View, url: str) -> None:
    if not url.startswith(_NO_NETWORK):
        view.requests.append(url)
