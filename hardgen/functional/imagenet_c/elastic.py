"""ImageNet-C's elastic transform as a flow."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.bytewise import Bytes, cut, flat
from hardgen.functional.flows import still
from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import spread
from hardgen.functional.sampling import Border, remapped


def waves(draws: Tensor, amount: float, sigma: tuple[float, float]) -> Tensor:
    """A flow by smooth random shifts.

    Args:
        draws: B x 2 x H x W float32 uniform in [0, 1): across and down; CUDA tensors go to the CPU for it and back.
        amount: Pixels are shifted by -amount to amount before that is smoothed.
        sigma: Standard deviations of a Gaussian down and across, in pixels, cut at 3 of them; the border is mirrored
            with its outermost pixels. 0 leaves the shifts as they are.

    Returns:
        B x H x W x 2 float32: x and y in pixels.
    """
    fields, (height, width) = draws.cpu().numpy(), draws.shape[-2:]
    down, across = (_kernel(s) for s in sigma)
    places = [np.ascontiguousarray(plane) for plane in still(height, width).numpy().transpose(2, 0, 1)]
    flow = np.empty((len(fields), height, width, 2), np.float32)

    def one(i: int) -> None:
        ways = []
        for field, place in zip(fields[i], places, strict=True):
            smooth = cv2.sepFilter2D(field, -1, across, down, borderType=cv2.BORDER_REFLECT)
            ways.append(cv2.addWeighted(smooth, 2 * amount, place, 1.0, -amount))
        cv2.merge(ways, dst=flow[i])

    spread(one, len(fields), flow.size)
    return torch.from_numpy(flow).to(draws.device)


def _kernel(sigma: float) -> Kernel:
    radius = int(3 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / max(sigma, 1e-6)) ** 2)
    kernel: Kernel = (weights / weights.sum()).astype(np.float32)
    return kernel


def turned(flow: Tensor, corners: Tensor) -> Tensor:
    """A flow with an affine map after it.

    Args:
        flow: B x H x W x 2 float32, x and y in pixels.
        corners: By how much three points about the centre are moved (across, down), B x 3 x 2 in pixels.
    """
    height, width = flow.shape[1:3]
    half = min(height, width) // 3
    if not half:
        return flow
    centre = np.array([width // 2, height // 2], dtype=np.float32)
    points = centre + half * np.array([[1, 1], [1, -1], [-1, -1]], dtype=np.float32)
    back = [cv2.getAffineTransform(points + moved, points) for moved in corners.cpu().numpy()]
    matrices = torch.from_numpy(np.stack(back).astype(np.float32)).to(flow.device)
    return torch.einsum("bhwj,bij->bhwi", flow, matrices[:, :, :2]) + matrices[:, None, None, :, 2]


def moved(pixels: Bytes, flow: NDArray[np.float32], border: Border) -> NDArray[np.uint8]:
    """One image of bytes along a flow, cut off to bytes; a fourth channel makes it faster than three."""
    colour = pixels.shape[2] == 3
    wide = (cv2.cvtColor(pixels, cv2.COLOR_RGB2RGBA) if colour else pixels).astype(np.float32)
    made = cut(flat(remapped(wide, flow, border)), 1.0).reshape(wide.shape)
    return np.asarray(cv2.cvtColor(made, cv2.COLOR_RGBA2RGB)) if colour else made
