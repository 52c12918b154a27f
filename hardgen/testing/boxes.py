"""Check of boxes and masks: they move with the pixels, or stay."""

import torch
from torch import Tensor

from hardgen.perturbation import GeometricPerturbation, Perturbation
from hardgen.testing.contract import outcome, require, rng_for, turns
from hardgen.testing.samples import sample_batch


def boxes_move(cls: type[Perturbation], device: str) -> None:
    """A drawn rectangle's box and mask lie within 1 pixel of where it is found; if pixels stay, so do they."""
    batch = sample_batch(device=device)
    assert batch.masks is not None
    assert batch.boxes is not None
    drawn = batch.replace(batch.masks.float().expand(-1, 3, -1, -1).contiguous(memory_format=torch.channels_last))
    for name, perturbation in turns(cls, 0.25, 0.5, 1.0):
        after = outcome(perturbation, drawn).batch
        require(after.masks is not None and after.boxes is not None, f"{name} loses masks or boxes")
        assert after.masks is not None
        assert after.boxes is not None
        if not isinstance(perturbation, GeometricPerturbation):
            require(torch.equal(after.masks, batch.masks), f"{name} changes masks though pixels stay where they are")
            same = all(map(torch.equal, after.boxes, batch.boxes))
            require(same, f"{name} changes boxes though pixels stay where they are")
            continue
        if perturbation.neutral:
            continue
        inside = _within_frame(perturbation.motion(drawn, rng_for(drawn)).flow())
        found = (after.images[:, 0] > 0.5) & inside
        for i, sample in enumerate(batch.ids):
            seen = _bounds(found[i])
            _close(f"{name}: the box of {sample}", after.boxes[i][0].tolist(), seen)
            _close(f"{name}: the mask of {sample}", _bounds(after.masks[i, 0]), seen)


def _within_frame(flow: Tensor) -> Tensor:
    """B x H x W bool: pixels that are taken from inside the frame, not from its mirrored border."""
    height, width = flow.shape[1:3]
    x, y = flow.unbind(-1)
    return (x > -0.5) & (x < width - 0.5) & (y > -0.5) & (y < height - 0.5)


def _bounds(mask: Tensor) -> list[float]:
    """x0 y0 x1 y1 of the True pixels of an H x W mask; zeros where there is none."""
    rows, columns = mask.any(1).nonzero(), mask.any(0).nonzero()
    if len(rows) == 0:
        return [0.0, 0.0, 0.0, 0.0]
    return [float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)]


def _close(what: str, got: list[float], seen: list[float]) -> None:
    """Requires the edges to lie within 1 pixel, but of things 2 pixels across or less: filtering may hide those."""
    slim = all(min(b[2] - b[0], b[3] - b[1]) <= 2 for b in (got, seen))
    off = max(abs(a - b) for a, b in zip(got, seen, strict=True))
    require(off <= 1.0 or slim, f"{what} is {[round(v, 1) for v in got]}, found at {[round(v, 1) for v in seen]}")
