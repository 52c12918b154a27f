"""Light as photons: counts, and what a camera makes of few of them."""

import functools

import cv2
import numpy as np
import torch
from scipy import special
from torch import Tensor
from torch.nn import functional

from hardgen.functional.pointwise import Values, interleave, on_cpu, on_values, put_where

TABLE_MEAN = 64.0
"""Means up to which the Poisson quantile is looked up; above, its expansion is off in 0.04% of the draws at most."""
TABLE_NORMAL = 6.0
"""Standard normal numbers in the table: -6 to 6."""
TABLE_SIZE = 512
MOST_REMAPPED = 32000
"""Sides that OpenCV's `remap` takes."""


def poisson(mean: Tensor, normal: Tensor) -> Tensor:
    """Poisson counts from normal numbers, by the quantile function: counts rise with the mean, draw for draw.

    The count is the smallest k with P(X <= k) >= Phi(normal). It is the whole part of the x that solves
    Q(x, mean) = Phi(normal), with Q the regularised upper incomplete gamma function: a smooth surface, looked up in a
    table for means up to 64. Above, x follows the expansion of M. B. Giles, "Algorithm 955: approximation of the
    inverse Poisson cumulative distribution function", ACM Trans. Math. Softw. 42 (2016).

    Args:
        mean: Expected counts, 0 or more: B x ... float32.
        normal: Standard normal numbers of the same shape.

    Returns:
        Whole numbers as float32, of the same shape; about 1 in 10000 is off by one, and means below 0.0002 count 0.
    """
    flat = mean if mean.ndim == 4 else mean.reshape(len(mean), 1, -1, mean.shape[-1])
    if not on_cpu(mean) or max(flat.shape[2], flat.shape[1] * flat.shape[3]) >= MOST_REMAPPED:
        return _poisson_torch(mean, normal)
    draws, channels = normal.reshape(flat.shape), flat.shape[1]
    return on_values(flat, lambda m, out, i: _count(m, interleave(draws[i], channels), out)).reshape(mean.shape)


def _count(mean: Values, normal: Values, out: Values) -> None:
    """Writes the counts of one image."""
    root = np.sqrt(mean)
    rows = normal * np.float32((TABLE_SIZE - 1) / (2 * TABLE_NORMAL))
    rows += np.float32((TABLE_SIZE - 1) / 2)
    columns = root * np.float32((TABLE_SIZE - 1) / TABLE_MEAN**0.5)
    cv2.remap(_table().numpy(), columns, rows, cv2.INTER_LINEAR, dst=out, borderMode=cv2.BORDER_REPLICATE)
    many = mean >= TABLE_MEAN
    if many.any():
        # mean + root w + 1/3 + w^2 / 6 - (w^3 + 2 w) / (72 root)
        last = normal * normal
        last += np.float32(2)
        last *= np.float32(1 / 72) / np.maximum(root, np.float32(1))
        x = normal * np.float32(1 / 6)
        x -= last
        x += root
        x *= normal
        x += mean
        x += np.float32(1 / 3)
        put_where(x, many, out)
    np.floor(out, out=out)
    np.maximum(out, np.float32(0), out=out)


def _poisson_torch(mean: Tensor, normal: Tensor) -> Tensor:
    """`poisson` on any device."""
    root, square = mean.sqrt(), normal.square()
    many = (mean + 1 / 3).addcmul_(root, normal).add_(square, alpha=1 / 6)
    many.sub_(square.add_(2.0).mul_(normal).div_(root * 72.0))
    return torch.where(mean < TABLE_MEAN, _look_up(root, normal), many).floor_().clamp_(min=0.0)


def _look_up(root: Tensor, normal: Tensor) -> Tensor:
    """The x of the table by the root of the mean and by the normal number: bilinear, the border is replicated."""
    where = torch.stack((root * (2 / TABLE_MEAN**0.5) - 1, normal * (1 / TABLE_NORMAL)), -1).reshape(1, 1, -1, 2)
    table = _table()[None, None].to(root.device)
    found = functional.grid_sample(table, where, mode="bilinear", padding_mode="border", align_corners=True)
    return found.reshape(root.shape)


@functools.lru_cache(maxsize=1)
def _table() -> Tensor:
    """The x by normal number (rows) and by root of the mean (columns): 512 x 512 float32."""
    normal = np.linspace(-TABLE_NORMAL, TABLE_NORMAL, TABLE_SIZE)
    columns = [np.zeros(TABLE_SIZE)]
    for root in np.linspace(0.0, TABLE_MEAN**0.5, TABLE_SIZE)[1:]:
        x = np.linspace(0.0, root**2 + 7 * root + 12, 600)[1:]
        below, above = special.gammaincc(x, root**2), special.gammainc(x, root**2)
        columns.append(np.interp(normal, np.where(below < 0.5, special.ndtri(below), -special.ndtri(above)), x))
    return torch.from_numpy(np.stack(columns, 1).astype(np.float32))


def thin(light: Tensor, photons: float, full: float, shot: Tensor, read: Tensor, read_noise: float) -> Tensor:
    """Linear light as measured with fewer photons than the picture was taken with.

    The picture stands for `full` photons at white and already has their noise. Fewer photons add the variance
    light (1 / photons - 1 / full) of a thinned Poisson count, and read-out adds
    read_noise^2 (1 / photons^2 - 1 / full^2); both vanish as photons go to full.

    Args:
        light: B x C x H x W float32, linear in [0, 1].
        photons: Photons that white gives, below `full`.
        full: Photons that white gave in the picture.
        shot: Standard normal numbers of the same shape, for the counts.
        read: Standard normal numbers of the same shape, for the read-out.
        read_noise: Standard deviation of the read-out in electrons.

    Returns:
        Estimates of the light, unbiased; values may be negative or above 1.
    """
    worth = 1.0 / (1.0 / photons - 1.0 / full)
    spread = read_noise * (1.0 / photons**2 - 1.0 / full**2) ** 0.5
    return poisson(light * worth, shot).div_(worth).add_(read, alpha=spread)


def count(images: Tensor, photons: float, shot: Tensor) -> Tensor:
    """Values as Poisson counts: Poisson(value x photons) / photons.

    Args:
        images: B x C x H x W float32, 0 or more.
        photons: Photons that a value of 1 gives.
        shot: Standard normal numbers of the same shape, whose quantiles the counts are.
    """
    return poisson(images * photons, shot).div_(photons)


def amplify(light: Tensor, photons: float, full: float, field: Tensor, read_noise: float) -> Tensor:
    """Linear light with the noise of fewer photons, amplified to the same brightness, in the normal approximation.

    The variance added is that of `thin`: light (1 / photons - 1 / full) + read_noise^2 (1 / photons^2 - 1 / full^2).

    Args:
        light: B x C x H x W float32, linear in [0, 1].
        photons: Photons that white gives, below `full`.
        full: Photons that white gave in the picture.
        field: Noise of unit variance, of a shape that broadcasts to the same.
        read_noise: Standard deviation of the read-out in electrons.
    """
    shot = 1.0 / photons - 1.0 / full
    read = read_noise**2 * (1.0 / photons**2 - 1.0 / full**2)
    out = torch.empty_like(light)
    for part, noise, result in zip(light, field, out, strict=True):  # image by image stays in the CPU's cache
        torch.mul(part, shot, out=result)
        result.add_(read).sqrt_().mul_(noise).add_(part)
    return out
