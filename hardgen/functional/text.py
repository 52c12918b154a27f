"""Words as alpha masks, in Pillow's bundled font: no font files, the same pixels on every machine."""

import functools
import unicodedata

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

MISSING = "\U0010ffff"
"""A code point that no font draws; its picture is the one of every missing glyph."""

LEAST_DRAWN = 96
"""Words are drawn with capitals of at least so many pixels, then scaled."""


@functools.lru_cache(maxsize=1)
def _em_per_capital() -> float:
    """Font size that makes capital letters one pixel high."""
    _, top, _, bottom = _font(1000.0).getbbox("H")
    return 1000.0 / (bottom - top)


@functools.lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow is built with FreeType"
    return font


@functools.lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    font = _font(32.0)
    return character == " " or bytes(font.getmask(character)) != bytes(font.getmask(MISSING))


@functools.lru_cache(maxsize=4096)
def drawable(text: str) -> str:
    """The text as it can be drawn: in capitals, without the characters that the font lacks.

    Letters that the font lacks lose their accents first; the font holds plain Latin letters, so that nothing may
    remain of a word in another script.
    """
    kept = []
    for character in " ".join(text.upper().split()):
        plain = character if _has_glyph(character) else unicodedata.normalize("NFKD", character)
        kept += [c for c in plain if c.isprintable() and not unicodedata.combining(c) and _has_glyph(c)]
    return " ".join("".join(kept).split())


@functools.lru_cache(maxsize=1024)
def word_mask(text: str, height: int, width: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A word with its outline.

    It is drawn large and scaled down, so that the shapes are the same at every height.

    Args:
        text: What `drawable` gave.
        height: Height of the capital letters in pixels, at least 1; the outline, a tenth of it, comes on top.
        width: Greatest width in pixels; a wider word is condensed to it, at its full height.

    Returns:
        The alpha of the outline with the letters, and of the letters alone: both h x w uint8, cut to the word.
        They are shared: read them only.
    """
    large = max(2 * height, LEAST_DRAWN)
    font = _font(large * _em_per_capital())
    edge = round(large / 10)
    left, top, right, bottom = (round(side) for side in font.getbbox(text, stroke_width=edge))
    h, w = (max(round((b - a) * height / large), 1) for a, b in ((top, bottom), (left, right)))
    masks = []
    for stroke in (edge, 0):
        canvas = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
        ImageDraw.Draw(canvas).text((-left, -top), text, fill=255, font=font, stroke_width=stroke)
        mask = np.asarray(canvas.resize((min(w, width), h), Image.Resampling.BOX))
        mask.flags.writeable = False
        masks.append(mask)
    return masks[0], masks[1]
