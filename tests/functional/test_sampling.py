"""Sampling: both ways of running it agree, borders show what they say, boxes are found as by looking."""

import pytest
import torch
from torch import Tensor

from hardgen.functional import flows
from hardgen.functional.sampling import Border, move_boxes, resample, resample_opencv, resample_torch
from hardgen.testing import sample_batch


def far_flow(count: int, height: int, width: int) -> Tensor:
    """Turned, enlarged and shifted, so that it leaves the frame by more than the image's size."""
    angles = torch.linspace(0.3, 2.8, count)
    cos, sin = angles.cos() * 2.5, angles.sin() * 2.5
    matrices = torch.stack((cos, -sin, sin, cos), -1).view(-1, 2, 2)
    return flows.affine(height, width, matrices, torch.tensor([[7.3, -4.1]]).expand(count, -1))


@pytest.mark.parametrize("size", [(48, 48), (40, 96), (1, 9)])
@pytest.mark.parametrize("border", Border)
def test_torch_gives_the_pixels_of_opencv(border: Border, size: tuple[int, int]) -> None:
    images = sample_batch(*size).images
    flow = far_flow(len(images), *size)
    ours, theirs = (how(images, flow, False, border) for how in (resample_torch, resample_opencv))
    assert float(((ours - theirs).abs() <= 1 / 255).float().mean()) >= 0.999
    masks = (images[:, :1] > 0.5).float()
    ours, theirs = (how(masks, flow, True, border) for how in (resample_torch, resample_opencv))
    assert float((ours == theirs).float().mean()) >= 0.999


@pytest.mark.parametrize("border", [Border.blur, Border.mean, Border.grey, Border.black])
def test_an_image_out_of_the_frame_leaves_the_fill_alone(border: Border) -> None:
    images = sample_batch().images
    gone = flows.affine(48, 48, torch.eye(2).expand(7, -1, -1), torch.tensor([[100.0, 0.0]]).expand(7, -1))
    out = resample(images, gone, border=border)
    expected = {
        Border.mean: images.mean((2, 3), keepdim=True).expand_as(images),
        Border.grey: torch.full_like(images, 0.5),
        Border.black: torch.zeros_like(images),
    }
    if border is Border.blur:
        assert float((out.mean((2, 3)) - images.mean((2, 3))).abs().max()) < 0.05
        steps = (out.diff(dim=3).abs().amax(), images.diff(dim=3).abs().amax())
        assert float(steps[0]) < 0.15 * float(steps[1])
    else:
        assert torch.allclose(out, expected[border], atol=1e-6)


def test_boxes_span_the_pixels_that_are_taken_from_within() -> None:
    generator = torch.Generator().manual_seed(0)
    flow = flows.rotation(31, 53, torch.tensor([35.0, -110.0]))
    flow += torch.rand(flow.shape, generator=generator) * 6
    corners = torch.rand(2, 40, 2, 2, generator=generator).sort(2).values * torch.tensor([60.0, 40.0]) - 4
    boxes = tuple(corners.reshape(2, 40, 4))
    moved = move_boxes(boxes, flow)
    empty = 0
    for rows, news, way in zip(boxes, moved, flow, strict=True):
        for (x0, y0, x1, y1), new in zip(rows.tolist(), news.tolist(), strict=True):
            x, y = way.unbind(-1)
            inside = (x >= x0 - 0.5) & (x < x1 - 0.5) & (y >= y0 - 0.5) & (y < y1 - 0.5)
            ys, xs = inside.nonzero(as_tuple=True)
            seen = [min(xs), min(ys), max(xs) + 1, max(ys) + 1] if len(xs) else [0, 0, 0, 0]
            assert new == [float(v) for v in seen]
            empty += not len(xs)
    assert 0 < empty < 80
    assert move_boxes((torch.zeros(0, 4), torch.zeros(0, 4)), flow)[0].shape == (0, 4)
