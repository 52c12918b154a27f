"""Flows against OpenCV, SciPy and plain slicing."""

import cv2
import numpy as np
import pytest
import torch
from scipy.interpolate import RBFInterpolator

from hardgen.functional import flows, radial_flows, smooth_fields, wave_flows
from hardgen.functional.patch_flows import rearranged
from hardgen.functional.sampling import resample
from hardgen.testing import sample_batch


def test_perspective_is_that_of_opencv() -> None:
    corners = np.array([[3, 5], [58, 2], [50, 39], [9, 33]], np.float32)
    frame = np.array([[0, 0], [63, 0], [63, 47], [0, 47]], np.float32)
    image = sample_batch(48, 64, pick=(0,)).images
    moved = resample(image, flows.perspective(48, 64, torch.from_numpy(corners)[None]))[0].permute(1, 2, 0).numpy()
    source = np.ascontiguousarray(image[0].permute(1, 2, 0).numpy())
    theirs = cv2.warpPerspective(source, cv2.getPerspectiveTransform(frame, corners), (64, 48))
    inside = cv2.fillConvexPoly(np.zeros((48, 64), np.uint8), corners.astype(np.int32), 1) > 0
    inside = cv2.erode(inside.astype(np.uint8), np.ones((5, 5))) > 0
    assert inside.sum() > 1000
    assert np.quantile(np.abs(moved - theirs)[inside], 0.99) < 0.02


def test_barrel_is_the_radial_term_of_opencv_and_pincushion_shrinks_ways() -> None:
    height, width, k = 40, 60, 0.7
    reach = np.hypot(height - 1, width - 1) / 2
    camera = np.array([[reach, 0, (width - 1) / 2], [0, reach, (height - 1) / 2], [0, 0, 1]])
    x, y = cv2.initUndistortRectifyMap(camera, np.array([k, 0, 0, 0.0]), None, camera, (width, height), cv2.CV_32FC1)
    flow = radial_flows.lens(height, width, torch.tensor([k, -k]))
    assert np.allclose(flow[0].numpy(), np.stack((x, y), -1), atol=1e-3)
    assert flow[1, 0, 0].tolist() == pytest.approx(
        [(width - 1) / 2 * (1 - 1 / (1 + k)), (height - 1) / 2 * (1 - 1 / (1 + k))], abs=1e-3
    )


def test_a_fisheye_keeps_centre_and_corners_and_swells_the_middle() -> None:
    flow = radial_flows.fisheye(41, 61, 120.0, torch.device("cpu"))[0]
    assert torch.allclose(flow[[0, 20, 40], [0, 30, 60]], torch.tensor([[0.0, 0], [30, 20], [60, 40]]), atol=1e-3)
    half = np.deg2rad(60.0)
    assert float(flow[20, 31, 0] - 30) == pytest.approx(half / np.tan(half), rel=0.01)


@pytest.mark.parametrize("what", ["swirl", "pinch"])
def test_whirls_leave_what_is_outside_the_radius(what: str) -> None:
    degrees = torch.tensor([170.0])
    if what == "swirl":
        flow = radial_flows.swirl(65, 65, degrees, 20.0)
    else:
        flow = radial_flows.pinch(65, 65, 0.5, degrees, 20.0)
    stays = flows.still(65, 65)
    outside = (stays - 32).norm(dim=-1) > 20.0
    assert torch.allclose(flow[0][outside], stays[outside], atol=1e-3)
    point = flow[0, 32, 42] - 32
    d = 0.5
    angle = np.deg2rad(170.0) * (1 - d) ** 2
    r = 10.0 * (np.sin(np.pi * d / 2) ** -0.5 if what == "pinch" else 1.0)
    assert point.tolist() == pytest.approx([r * np.cos(angle), r * np.sin(angle)], abs=1e-3)


def test_the_spline_is_that_of_scipy() -> None:
    moves = torch.randn(2, 3, 3, 2, generator=torch.Generator().manual_seed(1))
    got = wave_flows.spline(20, 30, moves)
    x, y = np.meshgrid(np.linspace(0, 1.5, 3), np.linspace(0, 1, 3))
    points = np.stack((x, y), -1).reshape(-1, 2)
    at = (flows.still(20, 30).reshape(-1, 2).numpy() + 0.5) / 20
    for one, move in zip(got, moves, strict=True):
        theirs = RBFInterpolator(points, move.reshape(-1, 2).numpy(), kernel="thin_plate_spline")(at)
        assert np.allclose(one.reshape(-1, 2).numpy(), theirs, atol=1e-4)


def test_smooth_fields_have_unit_variance_and_the_correlation_length() -> None:
    size, length = 64, 0.1
    n = smooth_fields.nodes(size, size, length)
    draw = torch.randn(300, 1, n, n, generator=torch.Generator().manual_seed(2))
    fields = smooth_fields.smooth(draw, size, size, length)[..., 0]
    spread = fields.square().mean(0)
    assert float(spread.mean()) == pytest.approx(1.0, abs=0.03)
    assert float((spread - 1).abs().max()) < 0.5
    lag = round(length * size)
    alike = float((fields[:, :, lag:] * fields[:, :, :-lag]).mean())
    assert alike == pytest.approx(np.exp(-((lag / size / length) ** 2) / 2), abs=0.06)
    ways = smooth_fields.unit_rms(fields[:3, :, :, None].expand(-1, -1, -1, 2).clone())
    assert ways.square().sum(-1).mean((1, 2)).tolist() == pytest.approx([1.0] * 3, abs=1e-4)


def test_cells_change_places_as_slices_do() -> None:
    image = torch.rand(1, 3, 12, 20, generator=torch.Generator().manual_seed(3))
    order = torch.randperm(16, generator=torch.Generator().manual_seed(4))[None]
    got = resample(image, rearranged(12, 20, 4, order).float())
    for cell, shown in enumerate(order[0].tolist()):
        y, x, v, u = cell // 4 * 3, cell % 4 * 5, shown // 4 * 3, shown % 4 * 5
        assert torch.equal(got[0, :, y : y + 3, x : x + 5], image[0, :, v : v + 3, u : u + 5])


@pytest.mark.parametrize("size", [(17, 33), (3, 2), (1, 1)])
def test_cells_of_uneven_sizes_stay_in_the_frame_and_the_order_itself_moves_nothing(size: tuple[int, int]) -> None:
    order = torch.arange(49)[None]
    assert torch.equal(rearranged(*size, 7, order)[0], flows.still(*size))
    flow = rearranged(*size, 7, order.flip(1))
    assert float(flow.min()) >= 0
    assert float((flow[..., 0]).max()) <= size[1] - 1
    assert float((flow[..., 1]).max()) <= size[0] - 1
