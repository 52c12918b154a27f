"""Frames and screens by formula: distances from the frame's edges, the mock screen of an app."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Layer = NDArray[np.float32]

DESIGN = 480
"""The screen is drawn this wide and high, then scaled to the image."""


def from_edges(height: int, width: int) -> Tensor:
    """How many pixels lie between each pixel's middle and the frame's nearest edge: height x width float32."""
    y, x = torch.arange(height, dtype=torch.float32) + 0.5, torch.arange(width, dtype=torch.float32) + 0.5
    return torch.minimum(torch.minimum(y, height - y)[:, None], torch.minimum(x, width - x)[None, :])


def grooves(depth: Tensor) -> Tensor:
    """Light and shade of a moulding: a wave of brightness, 0.06 high, every 0.05 of the short side."""
    return 0.06 * torch.sin(depth * (2 * torch.pi / 0.05))


def app(height: int, width: int) -> tuple[Layer, Layer]:
    """A made-up app's screen: status bar, title, messages, a row of buttons, tabs.

    Returns:
        Brightness and the share of the accent colour, each height x width float32 in [0, 1].
    """
    n = DESIGN
    ground, accent = np.full((n, n), 0.96, np.float32), np.zeros((n, n), np.float32)

    def bar(layer: Layer, top: float, left: float, bottom: float, right: float, ink: float) -> None:
        cv2.rectangle(layer, (int(left * n), int(top * n)), (int(right * n), int(bottom * n)), ink, -1)

    def disc(layer: Layer, y: float, x: float, radius: float, ink: float) -> None:
        cv2.circle(layer, (int(x * n), int(y * n)), int(radius * n), ink, -1, cv2.LINE_AA)

    # Status bar and title.
    bar(ground, 0.018, 0.04, 0.034, 0.14, 0.2)
    for x in (0.84, 0.89, 0.94):
        bar(ground, 0.015, x, 0.037, x + 0.03, 0.25)
    bar(accent, 0.052, 0, 0.14, 1, 1.0)
    disc(ground, 0.096, 0.08, 0.028, 0.96)
    disc(accent, 0.096, 0.08, 0.028, 0.0)
    for top, left, bottom, right in ((0.075, 0.14, 0.092, 0.46), (0.103, 0.14, 0.114, 0.3), (0.085, 0.9, 0.107, 0.95)):
        bar(accent, top, left, bottom, right, 0.0)
    for x in (0.1, 0.32, 0.54, 0.76):
        bar(ground, 0.155, x - 0.07, 0.195, x + 0.1, 0.86)
        bar(ground, 0.17, x - 0.03, 0.18, x + 0.06, 0.45)
    # Messages from the middle down, one side and the other.
    for k, top in enumerate(np.arange(0.24, 0.78, 0.12)):
        mine = k % 2 == 1
        left, right = (0.3, 0.92) if mine else (0.14, 0.7)
        bar(accent if mine else ground, top, left, top + 0.09, right, 0.85 if mine else 0.84)
        disc(ground, top + 0.045, 0.955 if mine else 0.07, 0.03, 0.55)
        for line in (0.022, 0.053):
            bar(ground, top + line, left + 0.03, top + line + 0.014, right - 0.05 - 4 * line * (k % 3 == 0), 0.4)
    # A text field, a button, tabs.
    bar(ground, 0.835, 0.04, 0.895, 0.8, 0.87)
    bar(ground, 0.858, 0.08, 0.871, 0.4, 0.6)
    disc(accent, 0.865, 0.89, 0.042, 1.0)
    bar(ground, 0.912, 0, 0.915, 1, 0.7)
    for k, x in enumerate((0.12, 0.37, 0.62, 0.87)):
        disc(accent if k == 1 else ground, 0.945, x, 0.021, 1.0 if k == 1 else 0.5)
        bar(ground, 0.976, x - 0.04, 0.984, x + 0.04, 0.5)
    return _scaled(ground, height, width), _scaled(accent, height, width)


def _scaled(layer: Layer, height: int, width: int) -> Layer:
    return np.asarray(cv2.resize(layer, (width, height), interpolation=cv2.INTER_AREA), np.float32).clip(0, 1)
