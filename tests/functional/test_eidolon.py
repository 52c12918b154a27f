"""Disarray: slices add up to the image, fields have the statistics that are asked for."""

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

from hardgen.functional import eidolon
from hardgen.functional.scales import enlarged_opencv, local_mean, smoothed


def photo(height: int, width: int) -> torch.Tensor:
    noise = np.random.default_rng(0).random((2, 3, height, width))
    smooth = gaussian_filter(noise, (0, 0, 2, 2)) * 3 - 1
    return torch.from_numpy(smooth.astype(np.float32)).contiguous(memory_format=torch.channels_last)


def draws(rows: int, columns: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(1)
    shared = rng.standard_normal((2, 2, rows, columns), dtype=np.float32)
    own = rng.standard_normal((2, eidolon.SLICES, 2, rows, columns), dtype=np.float32)
    return torch.from_numpy(shared), torch.from_numpy(own)


@pytest.mark.parametrize(("height", "width"), [(64, 64), (150, 131), (9, 30)])
def test_slices_add_up_to_the_image(height: int, width: int) -> None:
    x = photo(height, width)
    assert sum(eidolon.slices(x)) == pytest.approx(x, abs=1e-5)
    assert len(eidolon.slices(x)) == eidolon.SLICES


def test_levels_at_a_small_size_are_nearly_those_of_scipy() -> None:
    x = photo(224, 224)
    for scale, level in zip((1 / 64, 1 / 32, 1 / 8), smoothed(x, (1 / 64,), (1 / 32, 1 / 8)), strict=True):
        wanted = gaussian_filter(x.numpy(), (0, 0, scale * 224, scale * 224), mode="nearest")
        assert float(np.abs(level.numpy() - wanted).mean()) < 0.03 * x.std(), scale


def test_a_local_mean_is_nearly_scipy_s() -> None:
    x = photo(200, 160).contiguous()
    wanted = gaussian_filter(x.numpy(), (0, 0, 16, 16), mode="nearest")
    off = np.abs(local_mean(x, 0.1).numpy() - wanted)
    assert off.mean() < 0.005
    assert off[..., 30:-30, 30:-30].max() < 0.01


def test_fields_are_smooth_by_the_grain_and_of_unit_variance() -> None:
    grain, side = 0.05, 400
    rows, columns = eidolon.grid(side, side, grain)
    field = eidolon.smooth(
        torch.from_numpy(np.random.default_rng(2).standard_normal((60, rows, columns), dtype=np.float32))
    )
    assert field.shape[-2:] == (rows - 2 * eidolon.MARGIN, columns - 2 * eidolon.MARGIN)
    assert float(field.square().mean()) == pytest.approx(1, rel=0.05)
    apart = round(grain * side * field.shape[-1] / side * 2)  # two grains away: exp(-2^2 / 4)
    assert float((field[..., apart:] * field[..., :-apart]).mean()) == pytest.approx(np.exp(-1), abs=0.06)


def test_full_coherence_is_one_warp_of_the_whole_image() -> None:
    x = photo(80, 80)
    shared, own = draws(*eidolon.grid(80, 80, 0.05))
    whole = eidolon.disarray(x, shared, own, 4.0, 1.0)
    assert eidolon.disarray(x, shared, own, 4.0, 1 - 1e-12) == pytest.approx(whole, abs=1e-3)
    fields = eidolon.smooth(shared).mul(4.0)
    flow = torch.nn.functional.interpolate(fields, (80, 80), mode="bilinear")
    y, column = 40, 33
    at = [float(flow[0, 0, y, column]) + column, float(flow[0, 1, y, column]) + y]
    grid = torch.tensor(at)[None, None, None].expand(1, 1, 1, 2) / 79 * 2 - 1
    wanted = torch.nn.functional.grid_sample(x[:1], grid, align_corners=True, padding_mode="reflection")
    assert whole[0, :, y, column] == pytest.approx(wanted.flatten(), abs=0.02)


def test_less_coherence_moves_slices_apart() -> None:
    x = photo(96, 96)
    shared, own = draws(*eidolon.grid(96, 96, 0.05))
    edges = [eidolon.disarray(x, shared, own, 5.0, c).diff(dim=-1).square().mean() for c in (1.0, 0.5, 0.0)]
    assert all(torch.isfinite(torch.stack(edges)))
    between = [eidolon.disarray(x, shared, own, 5.0, c) for c in (1.0, 0.9, 0.0)]
    near, far = ((between[0] - other).square().mean() for other in between[1:])
    assert near < 0.6 * far


@pytest.mark.parametrize("size", [(40, 55), (9, 200), (8, 8)])
def test_opencv_and_torch_enlarge_alike(size: tuple[int, int]) -> None:
    for x in (photo(8, 13), photo(8, 13).contiguous(), photo(8, 13)[:, :1]):
        out = enlarged_opencv(x, *size)
        assert out == pytest.approx(torch.nn.functional.interpolate(x, size, mode="bilinear"), abs=1e-5)


@pytest.mark.parametrize("size", [(96, 80), (9, 40), (1, 1)])
@pytest.mark.parametrize(("reach", "coherence"), [(3.0, 0.3), (60.0, 0.0), (30.0, 1.0)])
def test_both_paths_displace_alike(size: tuple[int, int], reach: float, coherence: float) -> None:
    x = photo(*size)
    for part in (x, x[:, :1]):
        here, there = (
            how(part, *draws(*eidolon.grid(*size, 0.1)), reach, coherence)
            for how in (eidolon.disarray_opencv, eidolon.disarray_torch)
        )
        assert float(((here - there).abs() <= 1 / 255).float().mean()) > 0.999
