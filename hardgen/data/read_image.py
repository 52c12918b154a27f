"""Any image file to H x W x 3 uint8, or a reason why not."""

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from hardgen.data.dataset import UnreadableImage

SUFFIXES = frozenset(
    {".avif", ".bmp", ".gif", ".jp2", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff", ".webp"}
)
"""Files that an image folder takes for images, in lower case."""

FULL_SCALE_16 = 65535


def read_image(path: Path, sample_id: str) -> NDArray[np.uint8]:
    """Decodes a file.

    The first frame of an animation is taken, an EXIF orientation is applied, and `to_rgb` gives the pixels.

    Args:
        path: The file.
        sample_id: What the error calls it.

    Returns:
        H x W x 3 uint8, writable and contiguous.

    Raises:
        UnreadableImage: if the file is missing, empty, truncated, corrupt, too large (Pillow's guard against
            decompression bombs) or of a kind without a known 8-bit range.
    """
    try:
        if path.stat().st_size == 0:
            raise UnreadableImage(sample_id, "the file is empty")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # broken metadata, and sizes below Pillow's hard limit
            with Image.open(path) as image:
                image.load()
                return to_rgb(_upright(image))
    except UnreadableImage:
        raise
    except FileNotFoundError as error:
        raise UnreadableImage(sample_id, "no such file") from error
    except UnidentifiedImageError as error:
        raise UnreadableImage(sample_id, "not an image file of a known kind") from error
    except Image.DecompressionBombError as error:
        raise UnreadableImage(sample_id, f"more than {2 * (Image.MAX_IMAGE_PIXELS or 0)} pixels") from error
    except Exception as error:  # a decoder may fail in any way on a broken file
        raise UnreadableImage(sample_id, one_line(error)) from error


def to_rgb(image: Image.Image) -> NDArray[np.uint8]:
    """A Pillow image of any mode as H x W x 3 uint8.

    Grey and 1-bit images get three equal channels. Transparent ones (RGBA, LA, palette, a transparent colour) are laid
    on white. 16-bit grey is scaled from 0..65535 and rounded. CMYK and YCbCr are converted by Pillow's formula, without
    a colour profile.

    Raises:
        ValueError: for float pixels and 32-bit whole numbers, which have no known range, and for modes that Pillow
            cannot convert.
    """
    mode = image.mode
    if mode == "F":
        raise ValueError("float pixels (mode F) have no known range; save the image with 8 or 16 bits")
    if mode.startswith("I;16") or (mode == "I" and image.format in ("PNG", "PPM")):
        return grey_to_rgb(from_16_bit(np.asarray(image)))
    if mode == "I":
        raise ValueError("32-bit pixels (mode I) have no known range; save the image with 8 or 16 bits")
    if "transparency" in image.info or mode in ("RGBA", "RGBa", "LA", "La", "PA"):
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), rgba)
    if mode in ("1", "L"):
        return grey_to_rgb(np.asarray(image.convert("L")))
    return np.array(image.convert("RGB"))


def from_16_bit(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Scales 0..65535 to 0..255, rounding to the nearest.

    Raises:
        ValueError: if a value lies outside.
    """
    wide = pixels.astype(np.int64)
    if wide.min() < 0 or wide.max() > FULL_SCALE_16:
        raise ValueError(f"16-bit pixels must lie in [0, 65535]; got {wide.min()} to {wide.max()}")
    return ((wide * 255 + FULL_SCALE_16 // 2) // FULL_SCALE_16).astype(np.uint8)


def grey_to_rgb(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """H x W to H x W x 3 with equal channels."""
    return np.repeat(pixels[:, :, None], 3, axis=2)


def one_line(error: BaseException) -> str:
    """An exception as one line of text."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _upright(image: Image.Image) -> Image.Image:
    """Applies the EXIF orientation; unreadable EXIF data count as none."""
    try:
        turned = ImageOps.exif_transpose(image)
    except Exception:  # broken metadata beside sound pixels
        return image
    if turned is not image:
        turned.format = image.format
    return turned
