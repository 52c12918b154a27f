"""Every kind of file comes out right, or is refused by name."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hardgen.data.dataset import UnreadableImage
from hardgen.data.read_image import read_image

RAMP = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOUR = np.stack([RAMP, 255 - RAMP, RAMP // 2], axis=2)


def saved(folder: Path, image: Image.Image, name: str = "x.png", **options: object) -> Path:
    image.save(folder / name, **options)
    return folder / name


def grey(pixels: np.ndarray) -> np.ndarray:
    return np.repeat(pixels[:, :, None], 3, axis=2)


def test_colour_and_grey_are_taken_as_they_are(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_image(saved(tmp_path, Image.fromarray(COLOUR)), "x"), COLOUR)
    np.testing.assert_array_equal(read_image(saved(tmp_path, Image.fromarray(RAMP)), "x"), grey(RAMP))


@pytest.mark.parametrize("suffix", ["bmp", "tif", "ppm", "webp", "gif"])
def test_lossless_formats_agree(tmp_path: Path, suffix: str) -> None:
    options = {"lossless": True} if suffix == "webp" else {}
    image = Image.fromarray(COLOUR)
    image = image.quantize(256) if suffix == "gif" else image
    np.testing.assert_array_equal(read_image(saved(tmp_path, image, f"x.{suffix}", **options), "x"), COLOUR)


def test_one_bit_is_black_and_white(tmp_path: Path) -> None:
    bits = (RAMP > 100).astype(np.uint8) * 255
    np.testing.assert_array_equal(read_image(saved(tmp_path, Image.fromarray(bits).convert("1")), "x"), grey(bits))


@pytest.mark.parametrize("name", ["x.png", "x.tif"])
def test_16_bit_is_scaled_and_rounded(tmp_path: Path, name: str) -> None:
    deep = np.array([[0, 128, 129, 257, 32768, 65535]], dtype=np.uint16)
    found = read_image(saved(tmp_path, Image.fromarray(deep), name), "x")
    np.testing.assert_array_equal(found, grey(np.array([[0, 0, 1, 1, 128, 255]], dtype=np.uint8)))


def test_16_bit_big_endian_tiff(tmp_path: Path) -> None:
    deep = np.array([[0, 257 * 7, 257 * 200]], dtype=">u2")
    image = Image.frombytes("I;16B", (3, 1), deep.tobytes())
    np.testing.assert_array_equal(read_image(saved(tmp_path, image, "x.tif"), "x")[0, :, 1], [0, 7, 200])


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparency_lies_on_white(tmp_path: Path, mode: str) -> None:
    image = Image.fromarray(COLOUR).convert(mode)
    image.putalpha(Image.fromarray(np.where(RAMP < 100, 0, 255).astype(np.uint8)))
    found = read_image(saved(tmp_path, image), "x")
    assert (found[RAMP < 100] == 255).all()
    opaque = COLOUR if mode == "RGBA" else grey(np.asarray(Image.fromarray(COLOUR).convert("L")))
    np.testing.assert_array_equal(found[RAMP >= 100], opaque[RAMP >= 100])


def test_half_transparent_is_halfway_to_white(tmp_path: Path) -> None:
    found = read_image(saved(tmp_path, Image.new("RGBA", (2, 2), (0, 0, 0, 51))), "x")
    assert (found == 204).all()


def test_palette_with_a_transparent_colour(tmp_path: Path) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putpixel((1, 0), 1)
    np.testing.assert_array_equal(read_image(saved(tmp_path, image), "x")[0], [[10, 20, 30], [40, 50, 60]])
    np.testing.assert_array_equal(
        read_image(saved(tmp_path, image, transparency=1), "x")[0], [[10, 20, 30], [255, 255, 255]]
    )


def test_cmyk(tmp_path: Path) -> None:
    image = Image.new("CMYK", (8, 8), (255, 0, 0, 0))
    np.testing.assert_array_equal(read_image(saved(tmp_path, image, "x.tif"), "x")[4, 4], [0, 255, 255])
    jpeg = read_image(saved(tmp_path, image, "x.jpg", quality=95), "x")[4, 4].astype(int)
    assert np.abs(jpeg - [0, 255, 255]).max() <= 3


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(tmp_path: Path, orientation: int) -> None:
    undo = {
        2: 0,
        3: 3,
        4: 1,
        5: 5,
        6: 2,
        7: 6,
        8: 4,
    }
    upright = Image.fromarray(COLOUR)  # `undo` is Pillow's transpose that gives the stored image from this one
    stored = upright if orientation == 1 else upright.transpose(Image.Transpose(undo[orientation]))
    exif = Image.Exif()
    exif[0x0112] = orientation
    np.testing.assert_array_equal(read_image(saved(tmp_path, stored, exif=exif), "x"), COLOUR)


def test_16_bit_with_orientation(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 3
    deep = np.array([[0, 257 * 9]], dtype=np.uint16)
    np.testing.assert_array_equal(read_image(saved(tmp_path, Image.fromarray(deep), exif=exif), "x")[0, :, 0], [9, 0])


def test_animations_give_their_first_frame(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    path = saved(tmp_path, frames[0], "x.gif", save_all=True, append_images=frames[1:])
    np.testing.assert_array_equal(read_image(path, "x")[0, 0], [255, 0, 0])


def broken(folder: Path, kind: str) -> Path:
    path = folder / "x.png"
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    if kind == "truncated png" or kind == "truncated jpeg":
        path = saved(folder, noise, "x." + kind.split()[1])
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("not an image at all")
    elif kind == "header only":
        saved(folder, noise)
        path.write_bytes(path.read_bytes()[:33])
    elif kind == "damaged":
        data = bytearray(saved(folder, noise).read_bytes())
        data[100:200] = bytes(100)
        path.write_bytes(bytes(data))
    elif kind == "float tiff":
        path = saved(folder, Image.fromarray(np.ones((2, 2), dtype=np.float32)), "x.tif")
    elif kind == "32-bit tiff":
        path = saved(folder, Image.fromarray(np.full((2, 2), 70000, dtype=np.int32)), "x.tif")
    elif kind == "folder":
        path.mkdir()
    return path


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("truncated png", ""),
        ("truncated jpeg", "truncated"),
        ("empty", "empty"),
        ("text", "not an image file"),
        ("header only", ""),
        ("damaged", ""),
        ("float tiff", "mode F"),
        ("32-bit tiff", "mode I"),
        ("missing", "no such file"),
        ("folder", ""),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(tmp_path: Path, kind: str, reason: str) -> None:
    with pytest.raises(UnreadableImage) as caught:
        read_image(broken(tmp_path, kind), "a/x")
    assert reason in caught.value.reason
    assert caught.value.reason
    assert "\n" not in str(caught.value)
    assert "'a/x'" in str(caught.value)


def test_decompression_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, Image.new("L", (100, 100)))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(UnreadableImage, match="more than 2000 pixels"):
        read_image(path, "x")
