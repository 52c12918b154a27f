"""ImageNet-C's elastic transform as a flow."""

import cv2
import numpy as np
import torch
from torch import Tensor

from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import by_image


def smooth(fields: Tensor, sigma: tuple[float, float]) -> Tensor:
    """A Gaussian cut at 3 sigma, the border mirrored with its outermost pixels.

    Args:
        fields: B x C x H x W float32; CUDA tensors go to the CPU for it and back.
        sigma: Down and across, in pixels; 0 leaves the fields.
    """
    if min(sigma) <= 0:
        return fields
    down, across = (_kernel(s) for s in sigma)
    filtered = by_image(fields.cpu(), lambda x, _: cv2.sepFilter2D(x, -1, across, down, borderType=cv2.BORDER_REFLECT))
    return filtered.to(fields.device)


def _kernel(sigma: float) -> Kernel:
    radius = int(3 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    kernel: Kernel = (weights / weights.sum()).astype(np.float32)
    return kernel


def displaced(shift: Tensor, corners: Tensor | None) -> Tensor:
    """A flow from shifts and, after them, an affine map.

    Args:
        shift: B x 2 x H x W float32, across and down, in pixels.
        corners: By how much three points about the centre are moved (across, down), B x 3 x 2 in pixels; or None.

    Returns:
        B x H x W x 2 float32: x and y in pixels.
    """
    height, width = shift.shape[-2:]
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    flow = shift.permute(0, 2, 3, 1) + torch.stack((x, y), -1).float().to(shift.device)
    if corners is None:
        return flow.contiguous()
    half = min(height, width) // 3
    centre = np.array([width // 2, height // 2], dtype=np.float32)
    points = centre + half * np.array([[1, 1], [1, -1], [-1, -1]], dtype=np.float32)
    back = [cv2.getAffineTransform(points + moved, points) for moved in corners.cpu().numpy()] if half else []
    if not back:
        return flow.contiguous()
    matrices = torch.from_numpy(np.stack(back).astype(np.float32)).to(shift.device)
    return torch.einsum("bhwj,bij->bhwi", flow, matrices[:, :, :2]) + matrices[:, None, None, :, 2]
