"""Sheets: where things lie, which lies on top, what a piece takes, how much is covered."""

import cv2
import numpy as np
import pytest

from hardgen.functional import sheets
from hardgen.functional.sheets import NONE, PERIOD, Grid, Size


def test_a_large_image_is_worked_out_on_a_smaller_one_and_a_small_one_more_finely() -> None:
    assert Grid.of(32, 64) == (32, 64, 4)
    assert Grid.of(224, 224) == (224, 224, 2)
    assert Grid.of(2048, 1024) == (1024, 512, 1)
    assert Grid.of(7, 3) == (7, 3, 4)


def test_images_about_as_large_share_a_sheet() -> None:
    sizes = {Grid.of(*size).size for size in ((480, 640), (427, 640), (333, 500), (1080, 1920))}
    assert sizes == {Size(512, 1, 1, 2)}
    assert Grid.of(200, 200) == (224, 224, 2)
    assert {Grid.of(n, n).size for n in (200, 215, 224)} == {Size(448, 2)}


def test_bars_and_ellipses_have_the_size_and_lean_that_were_asked_for() -> None:
    size, middle = Size(200, 1), np.array([[1.0, 1.0]])
    for lean, along in ((0.0, (1, 0)), (90.0, (0, 1)), (45.0, (0.5**0.5, 0.5**0.5))):
        bars = sheets.bars(middle, np.array([0.4]), np.array([0.1]), np.radians(lean), size.side)
        ellipses = sheets.ellipses(middle, np.array([[0.2, 0.05]]), np.radians([90.0 - lean]), size.side)
        for corners, area in ((bars, 0.04), (ellipses, 0.955 * np.pi * 0.01)):
            # (a polygon of 12 corners has 0.955 of its circle's area)
            drawn = sheets.sheet(corners, np.array([7]), size)[:400, :400]
            y, x = np.nonzero(drawn == 7)
            assert len(x) / 200**2 == pytest.approx(area, rel=0.06)
            assert np.isin(drawn, (7, NONE)).all()
            assert (x.mean(), y.mean()) == pytest.approx((199.5, 199.5), abs=0.6)
            down, across = y - y.mean(), x - x.mean()
            assert np.ptp(down * along[0] + across * along[1]) == pytest.approx(80, abs=3)
            assert np.ptp(down * along[1] - across * along[0]) == pytest.approx(20, abs=3)


def test_the_first_thing_lies_on_top_and_edges_meet() -> None:
    size = Size(50, 1)
    places = np.array([[0.0, 1.0], [0.3, 1.0]])
    corners = sheets.bars(places, np.array([0.4, 0.8]), np.array([0.4, 0.8]), 0.0, size.side)
    drawn = sheets.sheet(corners, np.array([1, 2]), size)
    period = PERIOD * 50
    assert drawn.shape == (period + 50, period + 50)
    assert (drawn[50, 5], drawn[50, period - 6], drawn[50, 20], drawn[50, 50]) == (1, 1, 2, NONE)
    assert np.array_equal(drawn[:50, :50], drawn[period:, period:])


def test_a_piece_lies_where_it_was_drawn_at_either_fineness() -> None:
    grid = Grid(20, 30, 2)
    period = np.random.default_rng(0).integers(0, 256, (3 * 40, 3 * 40), dtype=np.uint8)
    tiled = np.tile(period, (2, 2))
    assert grid.size == Size(40, 2, 1, 2)
    assert np.array_equal(grid.cut(grid.size.endless(period), 3, (0.99, 0.25)), tiled[30:70, 118:178])
    coarse = period[::2, ::2]
    found = grid.cut(grid.size.endless(coarse, fine=False), 3, (0.99, 0.25), fine=False)
    assert np.array_equal(found, tiled[30:70:2, 118:178:2])


@pytest.mark.parametrize(("mirrored", "down", "across"), [(False, 1, 1), (True, 1, -1)])
def test_a_piece_is_mirrored_and_turned(mirrored: bool, down: int, across: int) -> None:
    part = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert np.array_equal(sheets.flipped(part, mirrored, turned=False), part[::down, ::across])
    assert np.array_equal(sheets.flipped(part, mirrored, turned=True), part[::-down, ::-across])


def test_things_come_one_by_one_until_the_fraction_is_met() -> None:
    codes = np.array([[0, 0, 1, 1], [1, 1, NONE, NONE]], np.uint8)
    for fraction, expected in ((0.125, (0.5, 0, 0)), (0.5, (1, 0.5, 0)), (0.875, (1, 1, 0.5))):
        assert sheets.shares(codes, fraction)[[0, 1, NONE]].tolist() == list(expected)
    large = np.random.default_rng(0).integers(0, 250, (600, 600), dtype=np.uint8)
    assert float(sheets.shares(large, 0.3)[large].mean()) == pytest.approx(0.3, abs=6e-3)


def test_what_is_seen_is_the_mean_over_fine_pixels_then_blurred() -> None:
    codes = np.random.default_rng(0).integers(0, 256, (60, 80), dtype=np.uint8)
    table = np.arange(256)[::-1].astype(np.uint8)
    sharp = sheets.seen(codes, table, Grid(30, 40, 2), 0.0)
    assert np.abs(sharp - (255.0 - codes).reshape(30, 2, 40, 2).mean((1, 3))).max() <= 0.5
    blurred = sheets.seen(codes, table, Grid(30, 40, 2), 0.05)
    assert np.array_equal(blurred, cv2.GaussianBlur(sharp, (7, 7), 1.5, borderType=cv2.BORDER_REPLICATE))


def test_shares_of_a_long_narrow_piece_cover_the_fraction() -> None:
    codes = np.random.default_rng(0).integers(0, 255, (16, 300), np.uint8)
    codes = codes.repeat(16, 0).repeat(20, 1)  # 256 x 6000, of things as large as flakes
    for fraction in (0.001, 0.05, 0.4):
        table = sheets.shares(codes, fraction)
        assert abs(float(table[codes].mean()) - fraction) < 0.01
