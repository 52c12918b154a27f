"""Distances against other implementations and known answers."""

import numpy as np
import pytest
import torch
from kornia.metrics import ssim as kornia_ssim
from skimage.metrics import structural_similarity

from hardgen.functional.measures import ms_ssim, rmse, ssim
from hardgen.testing import sample_batch

CLEAN = sample_batch(192, 208).images
NOISY = (CLEAN + 0.1 * torch.randn(CLEAN.shape, generator=torch.Generator().manual_seed(0))).clamp(0, 1)


@pytest.mark.parametrize("size", [8, 192])
def test_rmse_is_numpys(size: int) -> None:
    a, b = NOISY[:, :, :size, :size], CLEAN[:, :, :size, :size]
    expected = np.sqrt(((a.double() - b.double()) ** 2).mean((1, 2, 3)).numpy())
    np.testing.assert_allclose(rmse(a, b).numpy(), expected, rtol=1e-5)


def test_ssim_is_scikit_images() -> None:
    got = ssim(NOISY, CLEAN)
    for image, clean, value in zip(NOISY, CLEAN, got, strict=True):
        expected = structural_similarity(
            image.numpy(), clean.numpy(), channel_axis=0, gaussian_weights=True, sigma=1.5, data_range=1.0,
            use_sample_covariance=False,
        )  # fmt: skip
        assert float(value) == pytest.approx(expected, abs=2e-4)


def test_ssim_is_kornias_inside_the_border() -> None:
    expected = kornia_ssim(NOISY, CLEAN, 11, padding="valid").mean((1, 2, 3))
    torch.testing.assert_close(ssim(NOISY, CLEAN), expected, atol=1e-4, rtol=0)


def test_one_scale_of_ms_ssim_is_ssim() -> None:
    a, b = NOISY[:, :, :16, :16], CLEAN[:, :, :16, :16]
    torch.testing.assert_close(ms_ssim(a, b), ssim(a, b).clamp(min=0))


def test_ms_ssim_is_the_published_product() -> None:
    a, b = NOISY.double(), CLEAN.double()
    expected = torch.ones(len(a), dtype=torch.double)
    for scale, weight in enumerate((0.0448, 0.2856, 0.3001, 0.2363, 0.1333)):
        for i in range(len(a)):
            _, full = structural_similarity(
                a[i].numpy(), b[i].numpy(), channel_axis=0, gaussian_weights=True, sigma=1.5, data_range=1.0,
                use_sample_covariance=False, full=True,
            )  # fmt: skip
            if scale == 4:
                expected[i] *= full[:, 5:-5, 5:-5].mean() ** weight
            else:
                no_light = structural_similarity(
                    a[i].numpy(), b[i].numpy(), channel_axis=0, gaussian_weights=True, sigma=1.5, data_range=1.0,
                    use_sample_covariance=False, full=True, K1=1e4,
                )[1]  # fmt: skip
                expected[i] *= no_light[:, 5:-5, 5:-5].mean() ** weight
        a, b = (torch.nn.functional.avg_pool2d(x, 2) for x in (a, b))
    torch.testing.assert_close(ms_ssim(NOISY, CLEAN).double(), expected, atol=5e-4, rtol=0)


@pytest.mark.parametrize("measure", [ssim, ms_ssim])
@pytest.mark.parametrize("size", [(1, 1), (4, 4), (17, 33), (192, 208)])
def test_an_image_is_like_itself(measure, size) -> None:
    images = CLEAN[:, :, : size[0], : size[1]]
    torch.testing.assert_close(measure(images, images), torch.ones(len(images)))
