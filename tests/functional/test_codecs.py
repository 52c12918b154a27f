"""Codecs against Pillow's, which also uses libjpeg."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from hardgen.functional import codecs


def smooth() -> torch.Tensor:
    y, x = torch.meshgrid(torch.linspace(0, 1, 48), torch.linspace(0, 1, 64), indexing="ij")
    return torch.stack((y, x, 1 - y * x))[None]


@pytest.mark.parametrize("quality", [90, 30, 5])
def test_jpeg_is_pillows(quality: int) -> None:
    pixels = (smooth()[0].permute(1, 2, 0) * 255).round().byte().numpy()
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality, subsampling=2)
    theirs = torch.from_numpy(np.array(Image.open(file))).permute(2, 0, 1) / 255
    ours, _ = codecs.jpeg(pixels[None], quality)
    assert float((torch.from_numpy(ours[0]).permute(2, 0, 1) / 255 - theirs).abs().mean()) < 1 / 255


@pytest.mark.parametrize("codec", [codecs.jpeg, codecs.webp])
def test_lower_quality_takes_fewer_bits_and_grey_stays_one_channel(codec: object) -> None:
    assert callable(codec)
    noisy = np.random.default_rng(1).integers(0, 256, (2, 64, 64, 1), np.uint8)
    (fine, many), (coarse, few) = codec(noisy, 90), codec(noisy, 10)
    assert fine.shape == noisy.shape
    assert bool((few < many).all())
    far, near = (np.square(made - noisy.astype(float)).mean() for made in (coarse, fine))
    assert far > near
