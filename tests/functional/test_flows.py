"""Flows: lossless turns and fixed points."""

import torch

from hardgen.functional import flows
from hardgen.functional.sampling import resample


def test_quarter_turns_are_lossless_and_counter_clockwise() -> None:
    images = torch.rand(1, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    for quarter in (1, 2, -1):
        turned = resample(images, flows.rotation(16, 16, torch.tensor([90.0 * quarter])))
        assert float((turned - torch.rot90(images, quarter, (2, 3))).abs().max()) < 1e-4


def test_the_centre_stays_and_distances_are_kept() -> None:
    flow = flows.rotation(17, 33, torch.tensor([33.0]))[0]
    assert flow[8, 16].tolist() == [16.0, 8.0]
    still = flows.rotation(17, 33, torch.tensor([0.0]))[0]
    centre = torch.tensor([16.0, 8.0])
    assert torch.allclose((flow - centre).norm(dim=-1), (still - centre).norm(dim=-1), atol=1e-4)
