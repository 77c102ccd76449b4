"""Plots: documents that the schema accepts and the library draws, areas that tile, texts that stay texts."""

from __future__ import annotations

import json
import re
import struct
import sys
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import refused

from derivations.areas import Kind, areas_of, kinds_of, spot_of
from derivations.drawing import SUFFIXES, render_plot
from derivations.maps import Curve, Plane, Row, Segment, curves, log_spaced, plane
from derivations.plots import Mark, Series, line_chart, map_chart
from derivations.poly import Poly
from derivations.vega import axis

S, L = Poly.symbol("S"), Poly.symbol("L")
COSTS = [S * L * 10 + S * 40, L * 300 + S * L * 3, L * 2000 + S * L + S**2, 5 * S**2 + L * 90]
NAMES = ['<b>"one" & two</b>', "</script><script>alert(1)</script>", "(A (B C))'", "plain\x00\n\u202eend"]
PLANE = plane(COSTS, "S", "L", (1, 4096), log_spaced(1, 10**6, 40), limit=lambda context: context)


def lines(names=tuple(NAMES)):
    series = [
        Series(name, tuple((x, Fraction(x * k) + 10**k) for x in log_spaced(1, 500, 9)))
        for k, name in enumerate(names, 1)
    ]
    marks = [Mark(Fraction(61, 3), NAMES[0]), Mark(21, NAMES[1]), Mark(500, "end")]
    return line_chart(NAMES[0], "S: <queries>", 'FLOPs & "more"', series, marks, [NAMES[1]])


def chart(**more):
    return map_chart(NAMES[1], "S: queries", "L: context", PLANE, NAMES, curves(COSTS, PLANE), **more)


@pytest.fixture(params=[lines, chart], ids=["lines", "map"])
def spec(request):
    pytest.importorskip("vl_convert")
    return request.param()


def test_the_schema_accepts_it(spec):
    altair = pytest.importorskip("altair")
    altair.LayerChart.from_dict(spec)
    with pytest.raises(Exception, match=r"valid|not one of|Additional"):
        altair.LayerChart.from_dict({**spec, "layer": [{"mark": "nothing like it"}]})


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [node.text for node in root.iter("{http://www.w3.org/2000/svg}text") if node.text]


def test_svg(spec):
    svg = render_plot(spec, ".svg")
    assert svg == render_plot(spec, ".svg")
    assert "<script" not in svg
    assert "clip" not in svg, "its numbers count on from plot to plot"
    shown = texts(svg)
    bare = [re.sub("^[A-D]: ", "", text) for text in shown]
    assert {NAMES[0], NAMES[1], NAMES[2], "plain\ufffd\ufffd\ufffdend"} <= set(bare)
    assert "L: context" in shown or 'FLOPs & "more"' in shown


def test_png(spec):
    png = render_plot(spec, ".png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert 1300 < width < 2200
    assert 900 < height < 1600


def test_html_is_one_file_that_no_name_can_break():
    pytest.importorskip("vl_convert")
    spec = chart()
    page = render_plot(spec, ".html")
    assert page.count("</script>") == page.count("<script>") == 2
    assert "alert(1)</script>" not in page
    own = re.sub("<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search("src=|href=|http", own)
    start = page.rindex("vegaEmbed(") + len('vegaEmbed("#plot", ')
    drawn, _ = json.JSONDecoder().raw_decode(page[start:])
    assert drawn == json.loads(json.dumps(spec))


def test_json_needs_no_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    text = render_plot(chart(), ".json")
    assert text == render_plot(chart(), ".json")
    assert json.loads(text) == json.loads(json.dumps(chart()))
    keys = list(json.loads(text))
    assert keys == sorted(keys)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".html"])
def test_without_the_extra(monkeypatch, suffix):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    message = refused(render_plot, lines(), suffix)
    assert "pip install 'derivations[plots]'" in message


@pytest.mark.parametrize("suffix", ["", ".eps", ".SVG", "svg"])
def test_other_suffixes(suffix):
    message = refused(render_plot, lines(), suffix)
    assert all(name in message for name in SUFFIXES)


def test_names_that_stand_twice():
    drawn = lines(("a", "a", "b", "a"))
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["a", "a (2)", "b", "a (4)"]


def test_lines_are_told_apart_by_colour_and_dashes():
    encoding = lines([f"order {index}" for index in range(12)])["layer"][0]["encoding"]
    ranges = [encoding[channel]["scale"]["range"] for channel in ("color", "strokeDash")]
    assert len({(colour, tuple(dash)) for colour, dash in zip(*ranges, strict=True)}) == 12


def test_labels_of_marks_do_not_overlap():
    marks = [Mark(at, f"the switch at {at}") for at in (1, 2, 300, 305, 310, 999)]
    drawn = line_chart("t", "x", "y", [Series("a", ((1, 5), (1000, 7)))], marks)
    boxes = []
    for layer in drawn["layer"]:
        if isinstance(layer["mark"], dict) and layer["mark"]["type"] == "text":
            (value,) = layer["data"]["values"]
            half = len(value["text"]) * 3
            x, y = (layer["encoding"][key]["value"] for key in "xy")
            assert 0 <= x - half < x + half <= 640
            assert y < 0
            boxes.append((y, x - half, x + half))
    assert len(boxes) == 6
    for (y, _, right), (below, left, _) in pairwise(sorted(boxes)):
        assert y != below or right < left


@pytest.mark.parametrize(
    ("ends", "labels"),
    [
        ((1, 4096), ["1", "10", "100", "1,000"]),
        ((1, 10**9), ["1", "10", "100", "10³", "10⁴", "10⁵", "10⁶", "10⁷", "10⁸", "10⁹"]),
        ((3, 130), ["5", "10", "20", "50", "100"]),
        ((2, 9), ["2", "3", "4", "5", "6", "7", "8", "9"]),
        ((1.1e15, 1.6e15), ["1.1·10¹⁵", "1.2·10¹⁵", "1.3·10¹⁵", "1.4·10¹⁵", "1.5·10¹⁵", "1.6·10¹⁵"]),
        ((0.02, 3), ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"]),
        ((1, 10**20), ["1", "100", "10⁴", "10⁶", "10⁸", "10¹⁰", "10¹²", "10¹⁴", "10¹⁶", "10¹⁸", "10²⁰"]),
    ],
)
def test_ticks(ends, labels):
    drawn = axis("x", "title", ends)["axis"]
    assert json.loads(drawn["labelExpr"].partition("[indexof")[0]) == labels
    assert len(drawn["values"]) == len(labels)


def check_tiles(found: Plane, drawn) -> None:
    """At every row the areas follow each other without gap or overlap, from the first to the last x."""
    for row in found.rows:
        if not row.segments:
            continue
        here = sorted(
            (left, right, area.best)
            for area in drawn
            for y, left, right in area.outline
            if abs(y - row.value) < 1e-9
        )
        assert here[0][0] == row.segments[0].start
        assert here[-1][1] == row.segments[-1].end
        assert all(one[1] == two[0] for one, two in pairwise(here))
        for segment in row.segments:
            for x in (segment.start, segment.end):
                assert any(
                    left - 1e-9 <= x <= right + 1e-9 and set(best) & set(segment.best)
                    for left, right, best in here
                )


WHOLE = st.integers(1, 60)
RANDOM = st.builds(
    lambda a, b, c, d: S * L * a + S * b + L * c + S**2 * d, WHOLE, WHOLE, WHOLE, st.integers(0, 2)
)


@given(st.lists(RANDOM, min_size=1, max_size=5), st.integers(1, 12), st.booleans())
def test_areas_tile_the_map(costs, rows, limited):
    limit = (lambda context: context) if limited else None
    found = plane(costs, "S", "L", (1, 300), log_spaced(2, 500, rows), limit)
    drawn = areas_of(found, curves(costs, found))
    check_tiles(found, drawn)
    check_tiles(found, areas_of(found))
    for area in drawn:
        assert all(one[0] < two[0] for one, two in pairwise(area.outline))
    kinds = kinds_of(drawn, 3)
    assert len(kinds) <= 3
    assert sorted(map(id, drawn)) == sorted(id(area) for kind in kinds for area in kind.areas)
    for kind in kinds:
        x, y, room = spot_of(kind, (100.0, 100.0))
        assert 1 <= x <= 300
        assert 2 <= y <= 500
        assert room >= 0


def test_areas_end_where_the_costs_meet():
    costs = [S * 2, L]
    found = plane(costs, "S", "L", (1, 40), (5, 10, 21))
    first, second = areas_of(found, curves(costs, found))
    assert first.outline == ((5.0, 1.0, 2.5), (10.0, 1.0, 5.0), (21.0, 1.0, 10.5))
    assert second.outline == ((5.0, 2.5, 40.0), (10.0, 5.0, 40.0), (21.0, 10.5, 40.0))


def test_a_number_at_which_two_cost_the_same_has_no_colour_of_its_own():
    row = (Segment(1, 9, (0,)), Segment(10, 10, (0, 1)), Segment(11, 40, (1,)))
    assert [area.best for area in areas_of(Plane("S", "L", (Row(7, row),), (0, 1)))] == [(0,), (1,)]
    row = (Segment(1, 1, (0, 1)), Segment(2, 40, (1,)))
    (area,) = areas_of(Plane("S", "L", (Row(7, row),), (0, 1)))
    assert (area.best, area.outline[0][1:]) == ((1,), (1.0, 40.0))
    row = (Segment(1, 9, (0,)), Segment(10, 20, (0, 1)))
    assert [area.best for area in areas_of(Plane("S", "L", (Row(7, row),), (0, 1)))] == [(0,), (0, 1)]


def test_orders_that_cost_the_same_share_an_entry():
    found = plane([S * L, S * L, L * 30 + S], "S", "L", (1, 90), (1, 8, 40))
    domain = map_chart("t", "x", "y", found, ["a", "b", "c"])["layer"][0]["encoding"]["fill"]["scale"]["domain"]
    assert domain == ["A: c", "B: a = b"]


def test_no_more_than_eight_colours():
    steps = tuple(Segment(10 * k + 1, 10 * k + 10 + k, (k,)) for k in range(12))
    steps = tuple(Segment(one.start, two.start - 1, one.best) for one, two in pairwise(steps))
    found = Plane("S", "L", (Row(3, steps), Row(9, steps)), tuple(range(11)))
    scale = map_chart("t", "x", "y", found, [f"order {k}" for k in range(12)])["layer"][0]["encoding"]["fill"][
        "scale"
    ]
    assert len(scale["range"]) == len(set(scale["range"])) == len(scale["domain"]) == 8
    assert scale["domain"][-1] == "H: 4 others"


def test_a_letter_stands_inside_its_area():
    found = plane([S * L, L * 30], "S", "L", (1, 900), log_spaced(1, 900, 9))
    left, right = kinds_of(areas_of(found), 8)
    assert isinstance(left, Kind)
    assert 4 < spot_of(left, (100.0, 100.0))[0] < 30 < spot_of(right, (100.0, 100.0))[0]


def test_whole_numbers_stay_whole_and_large_ones_are_numbers():
    drawn = line_chart("t", "x", "y", [Series("a", ((1, 10**30), (Fraction(5, 2), 2**53)))])
    rows = drawn["layer"][0]["data"]["values"]
    assert [(type(row["x"]), type(row["y"])) for row in rows] == [(int, float), (float, int)]


def test_what_is_refused():
    assert "nothing to draw" in refused(line_chart, "t", "x", "y", [])
    assert "above 0" in refused(line_chart, "t", "x", "y", [Series("a", ((0, 1), (1, 2)))])
    assert "above 0" in refused(line_chart, "t", "x", "y", [Series("a", ((1, -1), (1, 2)))])
    empty = Plane("S", "L", (Row(1, ()),), ())
    assert "a range of S" in refused(map_chart, "t", "x", "y", empty, ["a"])
    single = Plane("S", "L", (Row(1, (Segment(3, 3, (0,)),)),), (0,))
    assert "a range of S" in refused(map_chart, "t", "x", "y", single, ["a"])
    endless = Plane("S", "L", (Row(1, (Segment(3, None, (0,)),)),), (0,))
    assert "no end" in refused(map_chart, "t", "x", "y", endless, ["a"])


def test_one_row_and_one_point_are_drawn():
    one = plane(COSTS, "S", "L", (1, 100), (77,))
    ends = map_chart("t", "x", "y", one, NAMES)["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert ends[0] < 77 < ends[1]
    ends = line_chart("t", "x", "y", [Series("a", ((5, 5),))])["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert ends[0] < 5 < ends[1]
    assert Curve(0, 1, ()).points == ()
