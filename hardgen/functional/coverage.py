"""What is covered, as doses: the share of the image, the share of its target, and what is left to see of each box."""

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.layering import share
from hardgen.functional.measures import Doses, Measured
from hardgen.functional.sampling import boxes_to_mask


def coverage(batch: Batch, covered: Tensor | Callable[[], Tensor], target: Tensor | None = None) -> Doses:
    """Doses of everything that lies in front of the scene.

    Args:
        batch: The images, with masks or boxes where known.
        covered: B x 1 x H x W, bool or alpha in [0, 1]: how much of each pixel is hidden. May be given as a function
            that is called once, when a dose is asked for.
        target: B x 1 x H x W bool, what counts as the target; by default the masks, else the union of the boxes.

    Returns:
        For each name B float32, measured when it is asked for. `covered`: share of the image. Where a target is known
        also `target_covered`, its share that is hidden; `visible`, the share left; and `least_visible`, the least share
        left of any of the image's boxes (of the target's pixels in it where there are masks), or `visible` where it has
        none. The three are left out if no image may have a target, and not a number (a blank in tables) for one image
        that has none.
    """

    @functools.cache
    def cover() -> Tensor:
        return covered if isinstance(covered, Tensor) else covered()

    ways: dict[str, Callable[[], Tensor]] = {"covered": lambda: share(cover())}
    if target is None and batch.masks is None and batch.boxes is None:
        return Measured(ways)

    @functools.cache
    def hidden() -> Tensor:
        known = known_target(batch) if target is None else target
        assert known is not None, "there are masks or boxes"
        return torch.where(known.flatten(1).any(1), share(cover(), known), torch.nan)

    ways["target_covered"], ways["visible"] = hidden, lambda: 1 - hidden()
    ways["least_visible"] = lambda: _least(batch, cover(), 1 - hidden())
    return Measured(ways)


def known_target(batch: Batch) -> Tensor | None:
    """The objects' pixels, B x 1 x H x W bool, where the data give any; no pixel where an image has no object."""
    if batch.masks is not None or batch.boxes is None:
        return batch.masks
    return boxes_to_mask(batch.boxes, *batch.shape[-2:]).to(batch.device)


def _least(batch: Batch, covered: Tensor, visible: Tensor) -> Tensor:
    """The least share left of a box in each image, from what is left of its whole target."""
    if batch.boxes is None or (batch.masks is None and all(len(rows) == 1 for rows in batch.boxes)):
        return visible
    least = visible.clone()
    for i, rows in enumerate(batch.boxes):
        for x0, y0, x1, y1 in rows.tolist():
            place = (i, 0, _pixels(y0, y1), _pixels(x0, x1))
            hidden = covered[place].float()
            if batch.masks is not None:
                hidden = hidden[batch.masks[place]]
            if hidden.numel():
                least[i] = torch.fmin(least[i], 1 - hidden.mean())
    return least


def _pixels(start: float, end: float) -> slice:
    """The pixels whose centres lie from start (inclusive) to end."""
    return slice(max(math.ceil(start - 0.5), 0), max(math.ceil(end - 0.5), 0))
