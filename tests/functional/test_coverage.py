"""What is covered and what is left to see: known answers."""

import dataclasses
import math

import pytest
import torch

from hardgen.batch import Batch
from hardgen.functional.coverage import coverage


def batch(count: int, **known: object) -> Batch:
    return dataclasses.replace(Batch(torch.zeros(count, 1, 8, 10), tuple(map(str, range(count)))), **known)


def left_half(count: int) -> torch.Tensor:
    covered = torch.zeros(count, 1, 8, 10)
    covered[..., :5] = 1
    return covered


def test_without_a_target_only_the_image_is_reported() -> None:
    doses = coverage(batch(2), left_half(2))
    assert {k: v.tolist() for k, v in doses.items()} == {"covered": [0.5, 0.5]}


def test_the_least_visible_of_two_boxes_counts() -> None:
    boxes = (torch.tensor([[4.0, 0, 6, 4], [3.0, 5, 7, 7], [5.0, 0, 10, 8]]),)
    doses = coverage(batch(1, boxes=boxes), left_half(1))
    # 4 of 8 pixels of the first box, 4 of 8 of the second, none of the third are covered; together 8 of 48.
    assert doses["target_covered"].item() == pytest.approx(8 / 48)
    assert doses["visible"].item() == pytest.approx(40 / 48)
    assert doses["least_visible"].item() == pytest.approx(0.5)


def test_within_a_box_the_masks_pixels_count() -> None:
    masks = torch.zeros(1, 1, 8, 10, dtype=torch.bool)
    masks[..., 0, 2:6] = True
    masks[..., 7, 5:9] = True
    boxes = (torch.tensor([[2.0, 0, 6, 3], [5.0, 6, 9, 8]]),)
    doses = coverage(batch(1, boxes=boxes, masks=masks), left_half(1) * 0.5)
    assert doses["visible"].item() == pytest.approx(1 - 1.5 / 8)
    assert doses["least_visible"].item() == pytest.approx(1 - 0.5 * 3 / 4)


def test_an_image_without_a_box_is_not_a_number() -> None:
    boxes = (torch.tensor([[0.0, 0, 2, 2]]), torch.zeros(0, 4))
    doses = coverage(batch(2, boxes=boxes), left_half(2).bool())
    for name in ("target_covered", "visible", "least_visible"):
        assert math.isnan(doses[name][1])
    assert [doses[n][0].item() for n in ("target_covered", "visible", "least_visible")] == [1.0, 0.0, 0.0]


def test_a_box_outside_the_frame_is_left_out() -> None:
    boxes = (torch.tensor([[0.0, 0, 10, 8], [-9.0, 2, -3, 4]]),)
    assert coverage(batch(1, boxes=boxes), left_half(1))["least_visible"].item() == pytest.approx(0.5)
