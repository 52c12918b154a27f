"""The same effect in every library: a perturbation beside the nearest of Albumentations, Kornia and torchvision.

Settings match in what they do to a picture: kernel, noise, angle, share, black borders where peers have them. Each
peer is used as documented: Albumentations on 8 bits, the others on float batches (torchvision on 8 bits if faster).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import albumentations as A
import cv2
import kornia.augmentation as K
import kornia.enhance as KE
import kornia.filters as KF
import kornia.geometry as KG
import torch
from torch import Tensor
from torchvision.transforms import InterpolationMode, v2
from torchvision.transforms.v2 import functional as TV

BILINEAR = InterpolationMode.BILINEAR
Batched = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Effect:
    """One effect.

    Attributes:
        name: The perturbation.
        fields: Its fields, given the short side in pixels.
        albumentations: Makes the transform, given the side.
        kornia: Makes a function on a B x 3 x H x W float batch, given the side; None where it is beyond any memory.
        torchvision: The same.
        uint8: Whether torchvision's function takes the 8-bit batch.
    """

    name: str
    fields: Callable[[int], dict[str, Any]]
    albumentations: Callable[[int], Any] | None = None
    kornia: Callable[[int], Batched | None] | None = None
    torchvision: Callable[[int], Batched] | None = None
    uint8: bool = False


def odd(x: float) -> int:
    """The nearest odd number of at least 3."""
    return max(2 * round((x - 1) / 2) + 1, 3)


def sigma(side: int) -> float:
    """Of the blurs: 3 px at 224."""
    return 3 * side / 224


EFFECTS = [
    Effect(
        "gaussian_blur",
        lambda s: {"sigma": sigma(s) / s},
        lambda s: A.GaussianBlur(blur_limit=0, sigma_limit=(sigma(s), sigma(s)), p=1),
        lambda s: lambda x: KF.gaussian_blur2d(x, odd(8 * sigma(s)), (sigma(s), sigma(s))),
        lambda s: lambda x: TV.gaussian_blur(x, [odd(8 * sigma(s))] * 2, [sigma(s)] * 2),
    ),
    Effect(
        "box_blur",
        lambda s: {"width": odd(s / 25) / s},
        lambda s: A.Blur(blur_limit=(odd(s / 25), odd(s / 25)), p=1),
        lambda s: lambda x: KF.box_blur(x, odd(s / 25)),
    ),
    Effect(
        "median_blur",
        lambda s: {"width": odd(s / 32) / s},
        lambda s: A.MedianBlur(blur_limit=(odd(s / 32), odd(s / 32)), p=1),
        # At 1,024 px it would take 26 GiB for one image.
        lambda s: (lambda x: KF.median_blur(x, odd(s / 32))) if s <= 512 else None,
    ),
    Effect(
        "motion_blur",
        lambda s: {"length": odd(s / 15) / s},
        lambda s: A.MotionBlur(blur_limit=(odd(s / 15), odd(s / 15)), p=1),
        lambda s: K.RandomMotionBlur(odd(s / 15), 90.0, 0.0, p=1.0),
    ),
    Effect(
        "defocus_blur",
        lambda s: {"radius": max(round(s / 45), 1) / s},
        lambda s: A.Defocus(radius=(max(round(s / 45), 1),) * 2, alias_blur=(0.1, 0.1), p=1),
    ),
    Effect("zoom_blur", lambda s: {"zoom": 1.2}, lambda s: A.ZoomBlur((1.2, 1.2), (0.02, 0.02), p=1)),
    Effect("glass_blur", lambda s: {"displacement": 2 / 224}, lambda s: A.GlassBlur(0.7, 2, 1, p=1)),
    Effect(
        "gaussian_noise",
        lambda s: {"sigma": 0.1},
        lambda s: A.GaussNoise(std_range=(0.1, 0.1), p=1),
        lambda s: K.RandomGaussianNoise(0.0, 0.1, p=1.0),
        lambda s: v2.GaussianNoise(0.0, 0.1),
    ),
    Effect("shot_noise", lambda s: {"photons": 25}, lambda s: A.ShotNoise(scale_range=(0.1, 0.1), p=1)),
    Effect(
        "impulse_noise",
        lambda s: {"fraction": 0.1},
        lambda s: A.SaltAndPepper(amount=(0.1, 0.1), p=1),
        lambda s: K.RandomSaltAndPepperNoise(0.1, p=1.0),
    ),
    Effect("iso_noise", lambda s: {}, lambda s: A.ISONoise((0.05, 0.05), (0.3, 0.3), p=1)),
    Effect(
        "contrast",
        lambda s: {"factor": 0.5},
        lambda s: A.RandomBrightnessContrast((0, 0), (-0.5, -0.5), p=1),
        lambda s: lambda x: KE.adjust_contrast_with_mean_subtraction(x, 0.5),
        lambda s: lambda x: TV.adjust_contrast(x, 0.5),
        uint8=True,
    ),
    Effect(
        "gamma",
        lambda s: {"octaves": 1.0},
        lambda s: A.RandomGamma((200, 200), p=1),
        lambda s: lambda x: KE.adjust_gamma(x, 2.0),
        lambda s: lambda x: TV.adjust_gamma(x, 2.0),
    ),
    Effect(
        "desaturation",
        lambda s: {"fraction": 0.7},
        lambda s: A.ColorJitter((1, 1), (1, 1), (0.3, 0.3), (0, 0), p=1),
        lambda s: lambda x: KE.adjust_saturation_with_gray_subtraction(x, 0.3),
        lambda s: lambda x: TV.adjust_saturation(x, 0.3),
        uint8=True,
    ),
    Effect(
        "hue_shift",
        lambda s: {"degrees": 60},
        lambda s: A.HueSaturationValue((30, 30), (0, 0), (0, 0), p=1),
        lambda s: lambda x: KE.adjust_hue(x, torch.pi / 3),
        lambda s: lambda x: TV.adjust_hue(x, 1 / 6),
    ),
    Effect(
        "invert",
        lambda s: {"blend": 1.0},
        lambda s: A.InvertImg(p=1),
        lambda s: lambda x: KE.invert(x),
        lambda s: TV.invert,
        uint8=True,
    ),
    Effect(
        "solarise",
        lambda s: {"threshold": 0.5},
        lambda s: A.Solarize((0.5, 0.5), p=1),
        lambda s: lambda x: KE.solarize(x, 0.5),
        lambda s: lambda x: TV.solarize(x, 128),
        uint8=True,
    ),
    Effect(
        "posterise",
        lambda s: {"levels": 8},
        lambda s: A.Posterize(3, p=1),
        lambda s: lambda x: KE.posterize(x, 3),
        lambda s: lambda x: TV.posterize(x, 3),
        uint8=True,
    ),
    Effect(
        "equalise",
        lambda s: {"blend": 1.0},
        lambda s: A.Equalize(p=1),
        lambda s: KE.equalize,
        lambda s: TV.equalize,
        uint8=True,
    ),
    Effect(
        "jpeg",
        lambda s: {"quality": 30},
        lambda s: A.ImageCompression("jpeg", (30, 30), p=1),
        lambda s: K.RandomJPEG((30.0, 30.0), p=1.0),
        lambda s: lambda x: torch.stack([TV.jpeg(i, 30) for i in x]),
        uint8=True,
    ),
    Effect("webp", lambda s: {"quality": 30}, lambda s: A.ImageCompression("webp", (30, 30), p=1)),
    Effect(
        "downscale",
        lambda s: {"pixels": s / 4},
        lambda s: A.Downscale((0.25, 0.25), {"downscale": cv2.INTER_AREA, "upscale": cv2.INTER_LINEAR}, p=1),
    ),
    Effect(
        "pixelate",
        lambda s: {"blocks": s / 4},
        lambda s: A.Downscale((0.25, 0.25), {"downscale": cv2.INTER_AREA, "upscale": cv2.INTER_NEAREST}, p=1),
    ),
    Effect("chromatic_aberration", lambda s: {}, lambda s: A.ChromaticAberration((0.05, 0.05), (0.05, 0.05), p=1)),
    Effect(
        "rotation",
        lambda s: {"degrees": 30},
        lambda s: A.Rotate((30, 30), border_mode=4, p=1),
        lambda s: lambda x: KG.rotate(x, torch.full((len(x),), 30.0), padding_mode="reflection"),
        lambda s: lambda x: TV.rotate(x, 30.0, BILINEAR),
    ),
    Effect(
        "shear",
        lambda s: {"degrees": 20, "border": "black"},
        lambda s: A.Affine(shear={"x": (20, 20), "y": (0, 0)}, p=1),
        lambda s: K.RandomAffine(0.0, shear=(20.0, 20.0), p=1.0),
        lambda s: lambda x: TV.affine(x, 0.0, [0, 0], 1.0, [20.0, 0.0], BILINEAR),
    ),
    Effect(
        "translation",
        lambda s: {"distance": 0.2, "border": "black"},
        lambda s: A.Affine(translate_percent={"x": (0.15, 0.15), "y": (0.13, 0.13)}, p=1),
        lambda s: lambda x: KG.translate(x, torch.tensor([[0.15 * s, 0.13 * s]])),
        lambda s: lambda x: TV.affine(x, 0.0, [round(0.15 * s), round(0.13 * s)], 1.0, [0.0], BILINEAR),
    ),
    Effect(
        "zoom_in",
        lambda s: {"visible": 0.25},
        lambda s: A.Affine(scale=(2, 2), p=1),
        lambda s: lambda x: KG.scale(x, torch.full((len(x), 2), 2.0)),
        lambda s: lambda x: TV.affine(x, 0.0, [0, 0], 2.0, [0.0], BILINEAR),
    ),
    Effect(
        "perspective",
        lambda s: {"shift": 0.2, "border": "black"},
        lambda s: A.Perspective((0.1, 0.1), p=1),
        lambda s: K.RandomPerspective(0.4, p=1.0),
        lambda s: v2.RandomPerspective(0.4, p=1.0),
    ),
    Effect(
        "elastic",
        lambda s: {"rms": 0.02},
        lambda s: A.ElasticTransform(alpha=50 * s / 224, sigma=8 * s / 224, p=1),
        lambda s: K.RandomElasticTransform((odd(63 * s / 224),) * 2, (8 * s / 224,) * 2, (1.0, 1.0), p=1.0),
        lambda s: v2.ElasticTransform(50.0 * s / 224, 8.0 * s / 224),
    ),
    Effect(
        "rectangle",
        lambda s: {"fraction": 0.2},
        lambda s: A.Erasing(scale=(0.2, 0.2), ratio=(1, 1), p=1),
        lambda s: K.RandomErasing((0.2, 0.2), (1.0, 1.0), p=1.0),
        lambda s: lambda x: torch.stack([v2.RandomErasing(1.0, (0.2, 0.2), (1.0, 1.0))(i) for i in x]),
    ),
    Effect("holes", lambda s: {"fraction": 0.3}, lambda s: A.CoarseDropout((8, 8), (0.2, 0.2), (0.2, 0.2), p=1)),
    Effect(
        "grid", lambda s: {"fraction": 0.3}, lambda s: A.GridDropout(0.5, unit_size_range=(s // 8, s // 8 + 1), p=1)
    ),
    Effect("pixel_drop", lambda s: {"fraction": 0.3}, lambda s: A.PixelDropout(0.3, p=1)),
    Effect(
        "patch_shuffle",
        lambda s: {"fraction": 1.0, "grid": 4},
        lambda s: A.RandomGridShuffle((4, 4), p=1),
        lambda s: K.RandomJigsaw((4, 4), p=1.0),
    ),
    Effect("rain", lambda s: {}, lambda s: A.RandomRain(p=1), lambda s: K.RandomRain(p=1.0)),
    Effect("snow", lambda s: {}, lambda s: A.RandomSnow(p=1), lambda s: K.RandomSnow(p=1.0)),
    Effect("fog", lambda s: {}, lambda s: A.RandomFog(p=1)),
    Effect("spatter", lambda s: {}, lambda s: A.Spatter(p=1)),
    Effect("shadow", lambda s: {}, lambda s: A.RandomShadow(p=1)),
    Effect("sun_flare", lambda s: {}, lambda s: A.RandomSunFlare(p=1)),
    Effect("thin_plate", lambda s: {}, lambda s: A.ThinPlateSpline(p=1), lambda s: K.RandomThinPlateSpline(p=1.0)),
    Effect(
        "lens_distortion",
        lambda s: {"coefficient": 0.5, "border": "black"},
        lambda s: A.OpticalDistortion((0.3, 0.3), p=1),
    ),
]
"""Where `fields` is empty, the perturbation stands at hardness 0.5 and the peer at its default."""
