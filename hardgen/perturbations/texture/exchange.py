"""Texture without shape, and shape in another's texture."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.functional.layering import with_channels
from hardgen.functional.patchwork import patches, retexture, shift_patches
from hardgen.functional.tone import luminance
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


@register("bag_of_patches")
@dataclass(frozen=True)
class BagOfPatches(PhotometricPerturbation):
    """Fills each small patch with one from near by: textures stay, shapes dissolve, as in a bag of local features.

    The image is cut into a grid of patches. Each takes its pixels from a place drawn evenly within a circle of the
    given radius round it, mirrored at the frame; it goes the same way at every radius, only further. What models that
    sum up local features see is hardly changed (Brendel and Bethge 2019, arXiv 1904.00760).
    """

    limits: ClassVar[str] = (
        "Patches are squares with hard edges, a texture larger than a patch is broken up too, and some parts of the "
        "image appear twice and some not at all."
    )
    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "a patch may pass something like itself on its way: 0.5% of the steps of 0.2 of hardness, over "
        "96 photographs, lower the RMSE, by up to 2%",
    }

    radius: float = knob(0.0, 0.2, SHORT_SIDE, "How far away a patch may come from.")
    patch: float = setting(1 / 14, 0.01, 0.5, SHORT_SIDE, "Side of a patch.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Moves what the patches show."""
        height, width = images.shape[-2:]
        rows, columns = patches(height, width, self.patch)
        turn = rng.uniform("direction", rows, columns) * (2 * torch.pi)
        away = rng.uniform("distance", rows, columns).sqrt() * (self.radius * min(height, width))
        return shift_patches(images, torch.stack((away * turn.cos(), away * turn.sin()), 1))


@register("texture_transfer")
@dataclass(frozen=True)
class TextureTransfer(Perturbation):
    """Fades the image's detail into another image's texture, as on an object made of something else.

    Procedural, without a network: the image and a drawn donor are cut into three bands of detail, between
    Gaussians of 1/128, 1/64 and 1/32 of the short side. The donor's pattern takes the place of the image's in each,
    at the image's own local contrast; coarse structure and colours stay. The amount blends from the image to the
    result. A texture-shape conflict in the sense of Geirhos et al. (2019, arXiv 1811.12231), whose stimuli are made by
    neural style transfer and change far more.
    """

    limits: ClassVar[str] = (
        "Only detail is exchanged, by its local contrast alone: no strokes, no colours and no larger patterns of the "
        "donor, which neural style transfer brings."
    )

    amount: float = knob(0.0, 1.0, "of the way", "How far detail goes to the donor's.")

    @property
    def needs_donors(self) -> bool:
        """The texture is another image's."""
        return True

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Exchanges the bands and blends."""
        images = batch.images
        target = retexture(images, self._donors(batch, rng))
        return batch.replace(torch.lerp(images, target, self.amount)), {}

    def _donors(self, batch: Batch, rng: SampleRng) -> Tensor:
        """For each image the first donor in a drawn order that is not itself."""
        assert batch.donors is not None, "the base has checked it"
        ids = batch.donors.ids or (None,) * len(batch.donors.labels)
        chosen = []
        for sample, order in zip(batch.ids, rng.permutation("donor", len(ids)).tolist(), strict=True):
            other = next((i for i in order if ids[i] != sample), None)
            if other is None:
                raise HardgenError(f"{self.name}: no donor but itself for sample {sample!r}")
            chosen.append(other)
        images = batch.images
        pool = with_channels(batch.donors.resized(*images.shape[-2:])[chosen], images.shape[1]).to(images.device)
        return torch.where(batch.grey[:, None, None, None], luminance(pool), pool)
