"""Images to test perturbations on, made by formula: structured, the same on every machine, no global randomness."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from hardgen.batch import Batch, Donors

GREY, HALVES = 5, 6
"""Which of the sample images is grey, and which is half black and half white."""

CLASSES = ("circle, disc", "square", "triangle")


def picture(index: int, height: int, width: int) -> Tensor:
    """A colour picture of its own for every index, C x H x W in [0.05, 0.95]: waves, a gradient and a bright disc."""
    y = (torch.arange(height) + 0.5)[:, None] / height
    x = (torch.arange(width) + 0.5)[None, :] / width
    channels = []
    for c in range(3):
        phase = 1.7 * index + 2.1 * c
        waves = torch.sin(2 * math.pi * ((2 + index % 3) * x + (1 + c) * y) + phase) + torch.sin(
            2 * math.pi * (5 + index) * (x - y) / 2 + 2 * phase
        )
        ramp = x * math.cos(phase) + y * math.sin(phase)
        disc = ((x - 0.45 - 0.02 * index) ** 2 + (y - 0.5) ** 2 < 0.04).float()
        channels.append(0.5 + 0.14 * waves + 0.1 * ramp + 0.12 * disc * math.cos(phase + 1))
    return torch.stack(channels).clamp(0.05, 0.95)


def box(index: int, height: int, width: int) -> tuple[int, int, int, int]:
    """The object's box in a picture, x0 y0 x1 y1 in pixels: a quarter of each side, near the centre."""
    x0, y0 = int(width * (0.3 + 0.02 * index)), int(height * (0.35 + 0.01 * index))
    return x0, y0, min(x0 + max(int(width * 0.25), 1), width), min(y0 + max(int(height * 0.25), 1), height)


def sample_batch(
    height: int = 48, width: int = 48, device: str = "cpu", pick: Sequence[int] = range(7), channels: int = 3
) -> Batch:
    """Pictures with everything that a perturbation may ask for: labels, boxes, masks, donors and class names.

    Args:
        height: In pixels.
        width: In pixels.
        device: Where the tensors lie.
        pick: Which pictures, in which order; number 5 is grey, number 6 half black and half white, the rest coloured.
        channels: 3, or 1 for one brightness channel.
    """
    images, boxes, masks = [], [], torch.zeros(len(pick), 1, height, width, dtype=torch.bool)
    for row, index in enumerate(pick):
        image = picture(index, height, width)
        if index == GREY or channels == 1:
            image = image.mean(0, keepdim=True).expand(3, -1, -1)
        if index == HALVES:
            image = (torch.arange(width) >= width / 2).float().expand(3, height, width)
        images.append(image[:channels])
        x0, y0, x1, y1 = box(index, height, width)
        boxes.append(torch.tensor([[x0, y0, x1, y1]], dtype=torch.float32, device=device))
        masks[row, 0, y0:y1, x0:x1] = True
    donors = Donors(
        torch.stack([picture(10 + i, 24, 24)[:channels] for i in range(6)]).to(device),
        tuple(i % 3 for i in range(6)),
        tuple(f"donor-{i}.png" for i in range(6)),
    )
    return Batch(
        torch.stack(images).to(device).contiguous(memory_format=torch.channels_last),
        tuple(f"sample-{i}.png" for i in pick),
        labels=tuple(i % 3 for i in pick),
        boxes=tuple(boxes),
        masks=masks.to(device),
        donors=donors,
        classes=CLASSES,
    )
