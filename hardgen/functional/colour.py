"""Colour as a linear map of the channels: one 3 x 3 matrix for every image."""

import math

import cv2
import torch
from torch import Tensor

from hardgen.functional.layering import LUMA
from hardgen.functional.pointwise import Values, on_values

POWER = 2.2
"""Exponent of the power law from display values to light that gains are brought through."""
SECOND_RADIATION = 14388.0
"""Planck's second radiation constant, in micrometre kelvin."""
WAVELENGTHS = (0.61, 0.55, 0.465)
"""Wavelengths that stand for R, G and B, in micrometres (the dominant ones of the sRGB primaries, rounded)."""


def mix(images: Tensor, matrices: Tensor) -> Tensor:
    """Multiplies every pixel's R, G, B by its image's matrix; images of one channel come back as they are.

    Args:
        images: B x C x H x W float32.
        matrices: B x 3 x 3 float32: output channel by input channel.
    """
    if images.shape[1] == 1:
        return images
    return mix_torch(images, matrices) if images.is_cuda else mix_opencv(images, matrices)


def mix_torch(images: Tensor, matrices: Tensor) -> Tensor:
    """`mix` on any device."""
    return (matrices[:, :, :, None, None] * images[:, None]).sum(2)


def mix_opencv(images: Tensor, matrices: Tensor) -> Tensor:
    """`mix` on the CPU, image by image."""
    rows, width = matrices.numpy(), images.shape[3]

    def one(image: Values, out: Values, i: int) -> None:
        cv2.transform(image.reshape(-1, width, 3), rows[i], dst=out.reshape(-1, width, 3))

    return on_values(images, one)


def toward(target: Tensor, share: float) -> Tensor:
    """The matrices a share of the way from the identity to the target, B x 3 x 3."""
    return torch.eye(3, device=target.device).lerp(target, share)


def grey_matrix(weights: tuple[float, float, float] = LUMA) -> Tensor:
    """R, G and B all become the luma, by weights that add up to 1 (BT.601 unless given), 3 x 3."""
    return torch.tensor(weights).expand(3, 3).contiguous()


def hue_matrix(degrees: Tensor) -> Tensor:
    """Turns the colour about the grey axis in the chroma plane of YIQ, at constant luma, B x 3 x 3."""
    to_yiq = torch.tensor([LUMA, (0.595716, -0.274453, -0.321263), (0.211456, -0.522591, 0.311135)])
    angle = degrees.cpu().double() * (math.pi / 180)
    turn = torch.zeros(len(degrees), 3, 3, dtype=torch.float64)
    turn[:, 0, 0] = 1
    turn[:, 1, 1] = turn[:, 2, 2] = angle.cos()
    turn[:, 1, 2], turn[:, 2, 1] = -angle.sin(), angle.sin()
    base = to_yiq.double()
    matrices: Tensor = torch.linalg.inv(base) @ turn @ base
    return matrices.float().to(degrees.device)


def gain_matrix(stops: Tensor) -> Tensor:
    """Multiplies the light of each channel by 2 to the power of its stops (B x 3), by a power law of 2.2."""
    return torch.diag_embed(torch.exp2(stops / POWER))


def planckian_stops(mired: Tensor) -> Tensor:
    """Stops of R, G and B, with G kept, when a black body's light shifts by mired (above 0 warmer), B x 3.

    By Wien's approximation of Planck's law a shift multiplies the light at a wavelength by exp(-c2 shift / wavelength),
    whatever the temperature that it starts at.
    """
    inverse = torch.tensor([1 / WAVELENGTHS[1] - 1 / w for w in WAVELENGTHS], device=mired.device)
    return mired[:, None] * inverse * (SECOND_RADIATION * 1e-6 / math.log(2))
