"""Rotation: both ways, with boxes and masks."""

import pytest
import torch

from hardgen.batch import Batch
from hardgen.perturbations.geometric import Rotation
from hardgen.rng import SampleRng


def test_quarter_turns_move_pixels_boxes_and_masks_together() -> None:
    masks = torch.zeros(8, 1, 40, 40, dtype=torch.bool)
    masks[:, :, 4:10, 20:36] = True
    boxes = (torch.tensor([[20.0, 4.0, 36.0, 10.0]]),) * 8
    batch = Batch(masks.float().expand(-1, 3, -1, -1), tuple(map(str, range(8))), boxes=boxes, masks=masks)
    after = Rotation(90.0)(batch, SampleRng(1, "s", batch.ids)).batch
    ways = set()
    assert after.masks is not None
    assert after.boxes is not None
    for image, mask, box in zip(after.images, after.masks, after.boxes, strict=True):
        way = next(k for k in (1, -1) if torch.allclose(torch.rot90(batch.images[0], k, (1, 2)), image, atol=1e-3))
        ways.add(way)
        assert torch.equal(mask, torch.rot90(masks[0], way, (1, 2)))
        expected = [4.0, 4.0, 10.0, 20.0] if way == 1 else [30.0, 20.0, 36.0, 36.0]
        assert box[0].tolist() == expected
    assert ways == {1, -1}


def test_the_way_stays_as_the_angle_grows() -> None:
    batch = Batch(torch.rand(6, 3, 20, 20, generator=torch.Generator().manual_seed(0)), tuple(map(str, range(6))))
    rng = SampleRng(1, "s", batch.ids)
    flows = [Rotation(d).flow(batch, rng) for d in (10.0, 20.0)]
    leans = [torch.sign(flow[:, 0, 10, 0] - 10.0) for flow in flows]
    assert torch.equal(*leans)
    assert float(Rotation(20.0)(batch, rng).doses["displacement"][0]) == pytest.approx(
        2 * float(Rotation(10.0)(batch, rng).doses["displacement"][0]), rel=0.05
    )
