"""A batch of images with what is known of each: the one value that flows through hardgen."""

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen import known
from hardgen.errors import HardgenError, samples, shown
from hardgen.functional.coded import GRID, Coded
from hardgen.functional.levels import to_grid
from hardgen.functional.measures import means
from hardgen.functional.sampling import boxes_to_mask
from hardgen.functional.sources import Made, Making, Source, to_codes


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

    def __post_init__(self) -> None:
        """Checks the form of all, and that there is a label for each image."""
        shape = tuple(self.images.shape) if isinstance(self.images, Tensor) and known.plain(self.images) else ()
        if len(shape) != 4 or shape[1] not in (1, 3) or 0 in shape or self.images.dtype != torch.float32:
            got = f"{self.images.dtype} {shape}" if isinstance(self.images, Tensor) else shown(self.images)
            raise HardgenError(f"donors must be D x C x h x w float32 with 1 or 3 channels; got {got}")
        object.__setattr__(self, "labels", known.whole_numbers("donors: labels", self.labels))
        object.__setattr__(self, "ids", known.texts("donors: ids", self.ids))
        if len(self.labels) != shape[0] or len(self.ids or self.labels) != shape[0]:
            got = f"{len(self.labels)} labels, {len(self.ids)} ids"
            raise HardgenError(f"donors need a label (and an id, or no ids) for each of the {shape[0]}; got {got}")

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


class Pixels:
    """How a batch holds its images: as floats, or as their source, which gives floats when they are first asked for."""

    def __get__(self, batch: "Batch | None", owner: type) -> Tensor:
        if batch is None:
            raise AttributeError("a field without a default")
        held = batch.__dict__
        if "images" not in held:
            held["images"] = held["source"].decoded()
        images: Tensor = held["images"]
        return images

    def __set__(self, batch: "Batch", images: Tensor | Source) -> None:
        if not isinstance(images, Tensor) and not hasattr(images, "decoded"):
            raise HardgenError(f"images must be a tensor, B x C x H x W float32; got {type(images).__name__}")
        if isinstance(images, Tensor) and not known.plain(images):
            raise HardgenError("images must be a plain tensor that holds its values; got one of another kind")
        batch.__dict__["images" if isinstance(images, Tensor) else "source"] = images


@dataclass(frozen=True, eq=False)
class Batch:
    """Images of one size.

    What is known of them may be given as lists, arrays or tensors, and is held as said here.

    Attributes:
        images: B x C x H x W float32 in [0, 1], channels_last, C = 1 or 3; may be given as a source.
        ids: Stable sample ids; every random draw is keyed by them.
        labels: Class index of each image; -1 where unknown.
        boxes: Per image n x 4 float32: x0, y0, x1, y1 in pixels, the right and lower edge exclusive; or None.
        masks: B x 1 x H x W bool, the target's pixels; or None.
        donors: The pool that distractors and texture fills draw from; or None.
        classes: Class names by label; empty where unknown.
        on_grid: Whether the images are known to lie on the grid of 8-bit files.
    """

    images: Pixels = Pixels()
    ids: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    boxes: tuple[Tensor, ...] | None = None
    masks: Tensor | None = None
    donors: Donors | None = None
    classes: tuple[str, ...] = ()
    on_grid: bool = False

    def __post_init__(self) -> None:
        """Checks shape, type and range once, where images come in."""
        object.__setattr__(self, "ids", known.texts("ids", self.ids))
        labels = known.whole_numbers("labels", self.labels) or known.Held((-1,) * len(self.ids))
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "classes", known.texts("classes", self.classes))
        if self.boxes is not None:
            object.__setattr__(self, "boxes", known.boxes("boxes", self.boxes))
        if not isinstance(self.donors, Donors | None):
            raise HardgenError(f"donors must be a hardgen.Donors; got {type(self.donors).__name__}")
        shape, n = self.shape, len(self.ids)
        if len(shape) != 4 or shape[1] not in (1, 3) or min(shape) < 1:
            raise HardgenError(f"images must be B x C x H x W with 1 or 3 channels; got shape {shape}")
        if self.source is None and self.images.dtype != torch.float32:
            raise HardgenError(f"images must be float32 in [0, 1]; got {self.images.dtype}")
        counts = {"images": shape[0], "labels": len(self.labels), "boxes": n if self.boxes is None else len(self.boxes)}
        wrong = ", ".join(f"{count} {name}" for name, count in counts.items() if count != n)
        if wrong:
            raise HardgenError(f"a batch needs one of each per id ({n}); got {wrong}")
        if self.masks is not None:
            frame = (n, 1, *shape[-2:])
            object.__setattr__(self, "masks", known.masks("masks", self.masks, frame, self.device))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def source(self) -> Source | None:
        """What the images come from, if they were given so."""
        source: Source | None = self.__dict__.get("source")
        return source

    @property
    def coded(self) -> Coded | None:
        """The images as bytes, where they can be had so."""
        return self.source if isinstance(self.source, Coded) else None

    @property
    def shape(self) -> tuple[int, ...]:
        """B, C, H, W."""
        return tuple(self.images.shape if self.source is None else self.source.shape)

    @property
    def device(self) -> torch.device:
        """Where the images lie."""
        return self.images.device if self.source is None else self.source.device

    def rounded(self) -> "Batch":
        """The nearest batch on the grid of 8-bit files: what a lossless file holds equals what a model sees."""
        if self.on_grid:
            return self
        if self.source is None or "images" in self.__dict__:
            return self.replace(to_grid(self.images), on_grid=True)
        return self.replace(self.source.rounded(), on_grid=True)

    @property
    def on_cpu(self) -> bool:
        """Whether images are made anew one by one (`made`) rather than as a batch."""
        return self.device.type == "cpu"

    def replace(self, images: Tensor | Source, on_grid: bool = False) -> "Batch":
        """The same batch with other pixels, of the same shape."""
        new = dataclasses.replace(self, images=images, on_grid=on_grid)
        if "grey" in self.__dict__ and bool(self.grey.all()):  # grey stays grey; what is coloured may become so
            new.__dict__["grey"] = self.grey
        return new

    def located(self, masks: Tensor | None, boxes: tuple[Tensor, ...] | None) -> "Batch":
        """The same pixels with other masks and boxes."""
        if masks is None and boxes is None:
            return self
        held: Any = self.__dict__.get("images", self.source)
        return dataclasses.replace(self, images=held, masks=masks, boxes=boxes)

    def changed(self, curve: Callable[[Tensor], Tensor]) -> Tensor:
        """The images with each value in [0, 1] changed by a function into [0, 1]; of bytes, only 256 values are."""
        return curve(self.images) if self.coded is None else self.coded.recoded(curve(self.coded.tables)).decoded()

    def bytes(self) -> NDArray[np.uint8]:
        """The images on the CPU as bytes, rounded to 8 bits, B x H x W x C; read-only."""
        coded = self.coded
        return coded.codes if coded is not None and coded.tables is GRID else to_codes(self.images)

    def coded_anew(self, codes: NDArray[np.uint8]) -> "Batch":
        """The same batch with other bytes, B x H x W x C, which it may write into: grey stays grey."""
        for i in self.grey.nonzero()[:, 0].tolist():
            codes[i] = codes[i, ..., :1]
        return self.replace(Coded(codes), on_grid=True)

    def made(self, making: Making) -> "Batch":
        """The same batch on the CPU with each image made anew by itself, once it is asked for; grey stays grey."""
        return self.replace(Made(self.coded or self.images, making, self.grey.tolist()))

    @functools.cached_property
    def grey(self) -> Tensor:
        """B bool: images whose channels are all equal."""
        coded = self.coded
        images = self.images if coded is None or coded.tables.shape[1] > 1 else coded.pixels
        if images.shape[1] == 1:
            return torch.ones(len(self), dtype=torch.bool, device=images.device)
        grey = _all_equal(images[:, :, ::29, ::23])  # a few pixels tell a colour image
        maybe = grey.nonzero()[:, 0]
        if len(maybe):
            grey[maybe] = _all_equal(images[maybe])
        return grey

    def with_grey(self, images: Tensor) -> Tensor:
        """New images for these, in which what is grey here is so to the last bit: it takes the first channel."""
        if images.shape[1] == 1 or not bool(self.grey.any()):
            return images
        return torch.where(self.grey[:, None, None, None], images[:, :1], images)

    @functools.cached_property
    def means(self) -> Tensor:
        """The mean of every channel, B x C."""
        return means(self.images) if self.coded is None else self.coded.means()

    def target(self) -> Tensor:
        """The target's pixels, B x 1 x H x W bool: the masks, or the union of each image's boxes.

        Raises:
            HardgenError: if the data give neither masks nor boxes, or give none for one of the images.
        """
        if self.masks is not None:
            target = self.masks
        elif self.boxes is not None:
            target = boxes_to_mask(self.boxes, *self.shape[-2:]).to(self.device)
        else:
            raise HardgenError("target=object needs data with boxes or masks; these have neither (use target=image)")
        empty = [i for i, row in zip(self.ids, target.flatten(1).any(1).tolist(), strict=True) if not row]
        if empty:
            raise HardgenError(f"target=object needs a box or mask inside every image; {samples(empty)}: none")
        return target


def _all_equal(images: Tensor) -> Tensor:
    red, green, blue = images.unbind(1)
    return ((red == green) & (green == blue)).flatten(1).all(1)
