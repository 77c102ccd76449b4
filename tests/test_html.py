"""HTML pages, as a reader's browser shows them."""

from __future__ import annotations

from browser import needs_browser, opened


@needs_browser
def test_the_browser_says_what_is_wrong_with_a_page(chromium, tmp_path):
    bad = '<!doctype html><title>x</title><img src="https://example.com/x.png"><p style="width:500px">x</p>'
    page = tmp_path / "page.html"
    page.write_text(f"{bad}<script>console.error('oh'); throw Error('no')</script>")
    with opened(chromium, page, width=360) as view:
        assert view.overflow() == 148  # 500 pixels and the margin of 8 before them
        assert sorted(view.complaints)[1:] == ["no", "oh"]
        assert view.requests == ["https://example.com/x.png"]
