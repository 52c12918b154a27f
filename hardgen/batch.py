"""A batch of images with what is known of each: the one value that flows through hardgen."""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from hardgen.errors import HardgenError


@dataclass(frozen=True, eq=False)
class Donors:
    """Other images, from which distractors and texture fills are taken: one pool, the same for every batch.

    Attributes:
        images: D x C x h x w float32 in [0, 1].
        labels: The class of each donor; -1 where unknown.
        ids: Their sample ids, so that no image is its own donor; empty where they come from elsewhere.
    """

    images: Tensor
    labels: tuple[int, ...]
    ids: tuple[str, ...] = ()

    @functools.cached_property
    def _sizes(self) -> dict[tuple[int, int], Tensor]:
        return {}

    def resized(self, height: int, width: int) -> Tensor:
        """The pool at another size, D x C x height x width (antialiased bilinear); read-only."""
        size = (height, width)
        if size not in self._sizes:
            self._sizes[size] = (
                self.images
                if tuple(self.images.shape[-2:]) == size
                else functional.interpolate(self.images, size, mode="bilinear", antialias=True).clamp(0, 1)
            )
        return self._sizes[size]


@dataclass(frozen=True, eq=False)
class Batch:
    """Images of one size.

    Attributes:
        images: B x C x H x W float32 in [0, 1], channels_last, C = 1 or 3.
        ids: Stable sample ids; every random draw is keyed by them.
        labels: Class index of each image; -1 where unknown.
        boxes: Per image n x 4 float32: x0, y0, x1, y1 in pixels, the right and lower edge exclusive; or None.
        masks: B x 1 x H x W bool, the target's pixels; or None.
        donors: The pool that distractors and texture fills draw from; or None.
        classes: Class names by label; empty where unknown.
        on_grid: Whether the images are known to lie on the grid of 8-bit files.
    """

    images: Tensor
    ids: tuple[str, ...]
    labels: tuple[int, ...] = ()
    boxes: tuple[Tensor, ...] | None = None
    masks: Tensor | None = None
    donors: Donors | None = None
    classes: tuple[str, ...] = ()
    on_grid: bool = False

    def __post_init__(self) -> None:
        """Checks shape, type and range once, where images come in."""
        images, n = self.images, len(self.ids)
        if images.ndim != 4 or images.shape[1] not in (1, 3) or min(images.shape) < 1:
            raise HardgenError(f"images must be B x C x H x W with 1 or 3 channels; got shape {tuple(images.shape)}")
        if images.dtype != torch.float32:
            raise HardgenError(f"images must be float32 in [0, 1]; got {images.dtype}")
        if not self.labels:
            object.__setattr__(self, "labels", (-1,) * n)
        counts = {"images": len(images), "labels": len(self.labels)}
        if self.boxes is not None:
            counts["boxes"] = len(self.boxes)
        if self.masks is not None:
            counts["masks"] = len(self.masks)
        for box in self.boxes or ():
            if box.ndim != 2 or box.shape[1] != 4:
                raise HardgenError(f"boxes must be n x 4 for each image (x0, y0, x1, y1); got shape {tuple(box.shape)}")
        frame = (n, 1, *images.shape[-2:])
        if self.masks is not None and (self.masks.dtype != torch.bool or self.masks.shape != frame):
            got = f"{self.masks.dtype} {tuple(self.masks.shape)}"
            raise HardgenError(f"masks must be bool of shape {frame}; got {got}")
        wrong = {k: v for k, v in counts.items() if v != n}
        if wrong:
            raise HardgenError(f"a batch needs one of each per id ({n}); got {wrong}")

    def __len__(self) -> int:
        return len(self.ids)

    def replace(self, images: Tensor, on_grid: bool = False) -> "Batch":
        """The same batch with other pixels, of the same shape."""
        new = dataclasses.replace(self, images=images, on_grid=on_grid)
        if "grey" in self.__dict__ and bool(self.grey.all()):  # grey stays grey; what is coloured may become so
            new.__dict__["grey"] = self.grey
        return new

    @functools.cached_property
    def grey(self) -> Tensor:
        """B bool: images whose channels are all equal."""
        if self.images.shape[1] == 1:
            return torch.ones(len(self), dtype=torch.bool, device=self.images.device)
        y, x = (max(side // 8, 1) for side in self.images.shape[-2:])
        grey = _all_equal(self.images[:, :, y // 2 :: y, x // 2 :: x])  # a few pixels tell a colour image
        maybe = grey.nonzero()[:, 0]
        if len(maybe):
            grey[maybe] = _all_equal(self.images[maybe])
        return grey

    def target(self) -> Tensor:
        """The target's pixels, B x 1 x H x W bool: the masks, or the union of each image's boxes.

        Raises:
            HardgenError: if the data give neither masks nor boxes, or give none for one of the images.
        """
        if self.masks is not None:
            target = self.masks
        elif self.boxes is not None:
            target = boxes_to_mask(self.boxes, *self.images.shape[-2:]).to(self.images.device)
        else:
            raise HardgenError("target=object needs data with boxes or masks; these have neither (use target=image)")
        empty = [i for i, row in zip(self.ids, target.flatten(1).any(1).tolist(), strict=True) if not row]
        if empty:
            raise HardgenError(f"target=object needs a box or mask inside every image; sample {empty[0]!r} has none")
        return target


def _all_equal(images: Tensor) -> Tensor:
    red, green, blue = images.unbind(1)
    return ((red == green) & (green == blue)).flatten(1).all(1)


def boxes_to_mask(boxes: Sequence[Tensor], height: int, width: int) -> Tensor:
    """The union of each image's boxes as pixels whose centre lies inside, B x 1 x H x W bool."""
    y = torch.arange(height, dtype=torch.float32)[:, None] + 0.5
    x = torch.arange(width, dtype=torch.float32)[None, :] + 0.5
    mask = torch.zeros(len(boxes), 1, height, width, dtype=torch.bool)
    for i, rows in enumerate(boxes):
        for x0, y0, x1, y1 in rows.cpu().tolist():
            mask[i, 0] |= (x >= x0) & (x < x1) & (y >= y0) & (y < y1)
    return mask
