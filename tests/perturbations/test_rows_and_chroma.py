"""Lost rows, few pixels of colour, and too sharp edges."""

import numpy as np
import pytest
import torch
from scipy import ndimage

from hardgen.batch import Batch
from hardgen.functional.tone import luminance
from hardgen.perturbations.digital.resolution import ChromaSubsampling
from hardgen.perturbations.digital.rows import DroppedRows, OverSharpen
from hardgen.rng import SampleRng


def test_more_dropped_rows_include_fewer_and_the_dose_counts_them() -> None:
    batch = Batch(torch.ones(2, 1, 224, 8), ("a", "b"))
    rng = SampleRng(1, "s", batch.ids)
    few, many = (DroppedRows(share)(batch, rng) for share in (0.25, 0.5))
    assert few.doses["covered"].tolist() == pytest.approx([0.25, 0.25])
    assert many.doses["covered"].tolist() == pytest.approx([0.5, 0.5])
    assert bool((many.batch.images <= few.batch.images).all())


def test_chroma_subsampling_keeps_luma() -> None:
    images = torch.rand(1, 3, 32, 48, generator=torch.Generator().manual_seed(1)).mul(0.2).add(0.4)
    batch = Batch(images, ("a",))
    after = ChromaSubsampling(4.0)(batch, SampleRng(1, "s", batch.ids)).batch.images
    assert float((luminance(after) - luminance(images)).abs().max()) < 1e-5
    assert float((after - images).abs().max()) > 0.02


def test_chroma_has_as_many_samples_at_every_resolution() -> None:
    """Colour squares finer than the samples go to their mean, and coarser ones stay, whatever the image's size."""
    for side in (64, 256):
        cells = torch.arange(side) * 16 // side
        fine = ((cells[:, None] + cells[None, :]) % 2).float()
        coarse = (torch.arange(side) >= side // 2).float().expand(side, side)
        red = torch.stack((fine, coarse))[:, None] * 0.2 + 0.4
        images = torch.cat((red, 0.7 - 0.5 * red, red * 0 + 0.5), 1)
        batch = Batch(images, ("fine", "coarse"))
        after = ChromaSubsampling(8.0)(batch, SampleRng(1, "s", batch.ids)).batch.images
        chroma = (after - luminance(after))[:, 0]
        assert float(chroma[0].std()) < 1e-4
        assert float(chroma[1, :, : side // 4].std()) < 1e-4
        assert float(chroma[1].std()) == pytest.approx(float((images - luminance(images))[1, 0].std()), rel=0.1)


def test_over_sharpening_is_an_unsharp_mask() -> None:
    images = torch.rand(1, 1, 100, 120, generator=torch.Generator().manual_seed(1)).mul(0.1).add(0.45)
    batch = Batch(images, ("a",))
    after = OverSharpen(3.0, radius=0.02)(batch, SampleRng(1, "s", batch.ids)).batch.images[0, 0].numpy()
    clean = images[0, 0].numpy()
    smooth = ndimage.gaussian_filter(clean, 2.0, mode="nearest")
    assert np.abs(after - (smooth + 3 * (clean - smooth))).max() < 1e-4
