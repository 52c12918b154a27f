"""Pictures as part of a page."""

import base64
import io
from pathlib import Path

from PIL import Image, UnidentifiedImageError

SIDE = 176
"""The longest side shown, in pixels."""
SMALL = 64
"""Up to here a picture is shown pixel by pixel, without loss."""


def data_uri(file: str | Path | None, side: int = SIDE) -> str | None:
    """A picture as a data URI: small ones lossless, others shrunk to `side` and kept as WebP.

    Returns:
        None where there is no such file, or it is not a picture.
    """
    if file is None:
        return None
    try:
        with Image.open(file) as opened:
            picture = opened.convert("RGB")
    except (OSError, UnidentifiedImageError):
        return None
    stream = io.BytesIO()
    if max(picture.size) <= SMALL:
        picture.save(stream, "PNG", optimize=True)
        kind = "png"
    else:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS)
        picture.save(stream, "WEBP", quality=82, method=4)
        kind = "webp"
    return f"data:image/{kind};base64,{base64.b64encode(stream.getvalue()).decode()}"


def pixelated(file: str | Path | None) -> bool:
    """Whether a picture is small enough to be shown pixel by pixel."""
    if file is None or not Path(file).is_file():
        return False
    try:
        with Image.open(file) as opened:
            return max(opened.size) <= SMALL
    except (OSError, UnidentifiedImageError):
        return False
