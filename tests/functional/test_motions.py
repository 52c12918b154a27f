"""Motions of flat sheets: without a field they do what they do along one."""

import numpy as np
import pytest
import torch
from torch import Tensor

from hardgen.functional import flows
from hardgen.functional.motions import Motion, Planar
from hardgen.functional.sampling import Border
from hardgen.functional.sources import make, to_codes
from hardgen.testing import sample_batch

SIZE = (48, 64)


def maps(kind: str) -> Tensor:
    """Seven maps; the last leave nothing of the image in the frame."""
    if kind == "turned":
        return flows.turned(torch.linspace(-170, 170, 7))
    if kind == "enlarged":
        return flows.linear(torch.eye(2).expand(7, -1, -1) * torch.linspace(0.3, 4, 7)[:, None, None])
    if kind == "shifted":
        return flows.linear(torch.eye(2).expand(7, -1, -1), torch.linspace(0, 200, 14).view(7, 2))
    corners = torch.tensor([[3.0, 5.0], [50.0, 11.0], [60.0, 40.0], [13.0, 33.0]]) + torch.arange(7)[:, None, None]
    return flows.aslant(*SIZE, corners)


@pytest.mark.parametrize("kind", ["turned", "enlarged", "shifted", "aslant"])
@pytest.mark.parametrize("border", Border)
@pytest.mark.parametrize("channels", [1, 3])
def test_a_flat_sheet_moves_as_along_its_flow(kind: str, border: Border, channels: int) -> None:
    images = sample_batch(*SIZE).images[:, :channels]
    planar = Planar(maps(kind), SIZE)
    motion = Motion(planar.flow())
    ours, theirs = make(images, planar.making(border)), motion.move(images, border)
    assert float((ours - theirs).abs().max()) < 1e-3
    bytes_ = to_codes(images)
    levels = planar.making(border).levels
    assert levels is not None
    moved = np.stack([levels(image, i) for i, image in enumerate(bytes_)]).reshape(bytes_.shape).astype(int)
    wanted = to_codes(make(torch.from_numpy(bytes_).permute(0, 3, 1, 2) / 255, planar.making(border)))
    assert np.abs(moved - wanted).max() <= 1
    assert (moved != wanted).mean() < 0.05
    masks = images[:, :1] > 0.5
    assert float((planar.move_masks(masks) == motion.move_masks(masks)).float().mean()) > 0.995
    torch.testing.assert_close(planar.way(), motion.way(), rtol=0.01, atol=1e-5)


def test_images_may_share_flows() -> None:
    images = sample_batch(*SIZE).images[:5]
    places = torch.tensor([1, 0, 1, 1, 0])
    shared = Motion(flows.rotation(*SIZE, torch.tensor([20.0, -40.0])), places)
    alone = Motion(shared.flow())
    ours, theirs = (make(images, motion.making(Border.blur)) for motion in (shared, alone))
    assert torch.equal(ours, theirs)
    assert torch.equal(ours, shared.move(images, Border.blur))
    assert torch.equal(shared.way(), alone.way())
