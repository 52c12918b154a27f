"""Adapted transforms give the library's own pixels, coupled over the knob, in any process."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from hardgen import registry
from hardgen.adapters.adapted import Adapted
from hardgen.adapters.recipe import Recipe, read_recipes
from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.files import CONF
from hardgen.rng import SampleRng
from hardgen.testing import check_perturbation, sample_batch
from tests.adapters.adapter_texts import EMBOSS, Load

os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
SHIPPED = sorted(p.stem for p in (CONF / "adapters").glob("*.yaml"))

NOISE = """\
name: grain
library: torchvision
transform: GaussianNoise
knob: {name: sigma, neutral: 0.0, hardest: 0.4, unit: of full scale, doc: Standard deviation.}
parameters: {sigma: value, clip: false}
doc: Adds noise.
limits: The same everywhere.
"""
SALT = """\
name: salt
library: kornia
transform: RandomSaltAndPepperNoise
knob: {name: amount, neutral: 0.0, hardest: 0.6, unit: of the pixels, doc: Pixels.}
parameters: {amount: [value, value], salt_vs_pepper: [0.5, 0.5]}
doc: Turns pixels black or white.
limits: No clusters.
"""
JPEG = """\
name: squeeze
family: codecs
library: albumentations
transform: ImageCompression
knob: {name: quality, neutral: 100, hardest: 1, unit: JPEG quality, doc: Quality.}
parameters: {quality_range: [value, value]}
eight_bit: true
random: false
doc: Compresses.
limits: One encoder.
exemptions: {monotone: an encoder's error is no smooth function of its quality}
"""


def rng(batch: Batch, seed: int = 3) -> SampleRng:
    return SampleRng(seed, "slot", batch.ids)


def seeds(batch: Batch) -> list[int]:
    return rng(batch).integers("library", 1 << 32).tolist()


def coloured() -> Batch:
    """Images none of which is grey, so that the base leaves all channels alone."""
    return sample_batch(40, 56, pick=(0, 1, 2))


def test_ten_are_shipped_and_registered_in_their_family() -> None:
    assert len(SHIPPED) == 10
    for name in SHIPPED:
        cls = registry.get(name)
        assert issubclass(cls, Adapted)
        assert (cls.family, cls.recipe.name) == ("adapters", name)
        assert name.split("_")[0] == cls.recipe.library


def test_the_catalogue_is_known_without_importing_the_libraries() -> None:
    code = "import sys, hardgen.perturbations; print([m for m in ('albumentations', 'kornia') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_albumentations_pixels_are_the_librarys_own_for_the_samples_seed() -> None:
    import albumentations

    batch, cls = coloured(), registry.get("albumentations_plasma_shadow")
    made = cls(depth=0.6)(batch, rng(batch)).batch.images
    for i, seed in enumerate(seeds(batch)):
        transform = albumentations.PlasmaShadow(shadow_intensity_range=(0.6, 0.6), roughness=0.5, p=1)
        transform.set_random_seed(seed)
        expected = transform(image=batch.images[i].permute(1, 2, 0).numpy().copy())["image"]
        assert np.array_equal(made[i].permute(1, 2, 0).numpy(), expected.clip(0, 1))


def test_kornia_pixels_are_the_librarys_own_for_the_samples_seed() -> None:
    from kornia.augmentation import RandomLinearCornerIllumination

    batch, cls = coloured(), registry.get("kornia_corner_light")
    made = cls(gain=0.4)(batch, rng(batch)).batch.images
    for i, seed in enumerate(seeds(batch)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            expected = RandomLinearCornerIllumination(gain=(0.4, 0.4), p=1)(batch.images[i : i + 1].contiguous())[0]
        assert torch.equal(made[i], expected)


def test_torchvision_pixels_are_the_librarys_own_for_the_samples_seed(load: Load) -> None:
    from torchvision.transforms import v2

    batch, cls = coloured(), load(NOISE)
    made = cls(sigma=0.1)(batch, rng(batch)).batch.images
    for i, seed in enumerate(seeds(batch)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            expected = v2.GaussianNoise(sigma=0.1, clip=False)(batch.images[i].contiguous())
        assert torch.equal(made[i], expected.clamp(0, 1))


def test_eight_bit_transforms_get_and_give_bytes_and_whole_numbers_stay_whole(load: Load) -> None:
    import albumentations

    batch, cls = coloured(), load(JPEG)
    assert cls.family == "codecs"
    made = cls(quality=20)(batch, rng(batch)).batch.images
    for i in range(len(batch)):
        given = (batch.images[i] * 255).round().to(torch.uint8).permute(1, 2, 0).numpy().copy()
        expected = albumentations.ImageCompression(quality_range=(20, 20), p=1)(image=given)["image"]
        assert np.array_equal(made[i].mul(255).permute(1, 2, 0).numpy(), expected)


def test_blend_lays_the_transformed_image_over_the_clean_one() -> None:
    from torchvision.transforms import v2

    batch, cls = coloured(), registry.get("torchvision_equalize")
    made = cls(share=0.25)(batch, rng(batch)).batch.images
    whole = torch.stack([v2.functional.equalize(image.contiguous()) for image in batch.images])
    assert torch.allclose(made, 0.75 * batch.images + 0.25 * whole, atol=1e-6)


def test_the_pattern_is_the_same_at_every_value() -> None:
    batch, cls = coloured(), registry.get("albumentations_plasma_shadow")
    shadows = [1 - cls(depth=d)(batch, rng(batch)).batch.images / batch.images for d in (0.2, 0.8)]
    assert torch.allclose(shadows[0] * 4, shadows[1], atol=1e-5)
    assert shadows[1].std() > 0.02


def test_more_salt_and_pepper_holds_the_less(load: Load) -> None:
    batch, cls = coloured(), load(SALT)
    few, many = ((cls(amount=a)(batch, rng(batch)).batch.images != batch.images).any(1) for a in (0.1, 0.4))
    assert 0.05 < few.float().mean() < 0.15
    assert bool((many | ~few).all())


def test_images_side_by_side_are_the_images_one_by_one() -> None:
    cls, pick = registry.get("albumentations_plasma_shadow"), list(range(8))
    batch = sample_batch(120, 120, pick=pick)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(4)
        together = cls(depth=0.6)(batch, rng(batch)).batch.images
    finally:
        torch.set_num_threads(before)
    for i in pick:
        one = sample_batch(120, 120, pick=(i,))
        assert torch.equal(cls(depth=0.6)(one, rng(one)).batch.images[0], together[i])


@pytest.mark.parametrize("text", [EMBOSS, SALT, JPEG])
def test_adapters_from_a_file_keep_the_contract(text: str, load: Load) -> None:
    check_perturbation(load(text))


@pytest.mark.parametrize("text", [NOISE, EMBOSS])
def test_a_pickle_gives_the_same_pixels_in_a_process_that_never_saw_the_file(
    text: str, load: Load, tmp_path: Path
) -> None:
    batch, cls = coloured(), load(text)
    perturbation = cls().at(0.5)
    (tmp_path / "mine.yaml").unlink()
    parcel = tmp_path / "parcel.pkl"
    parcel.write_bytes(pickle.dumps((perturbation, batch, rng(batch))))
    code = f"""
import pickle
from hardgen import Pipeline, registry
perturbation, batch, rng = pickle.load(open({str(parcel)!r}, "rb"))
made = perturbation(batch, rng).batch.images
again = Pipeline.from_spec(Pipeline({{"slot": perturbation}}).spec_json()).slots["slot"]
assert again == perturbation and type(again) is registry.get({cls.name!r})
pickle.dump(made.numpy(), open({str(parcel)!r}, "wb"))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    there = pickle.loads(parcel.read_bytes())
    assert np.array_equal(there, perturbation(batch, rng(batch)).batch.images.numpy())


def test_a_list_of_two_and_the_same_file_twice(load: Load, tmp_path: Path) -> None:
    both = [f"- {text.replace(chr(10), chr(10) + '  ').rstrip()}" for text in (EMBOSS, NOISE)]
    last = load("\n".join(both))
    assert last is registry.get("grain")
    first = registry.get("relief")
    assert load("\n".join(both)) is last
    assert registry.get("relief") is first
    assert first.__doc__ == ("Makes a relief.\n\nalbumentations.Emboss(alpha=(value, value), strength=(0.5, 0.5))")


@pytest.mark.usefixtures("own_registry")
def test_two_files_cannot_share_a_name(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(EMBOSS)
    registry.load_file(tmp_path / "a.yaml")
    with pytest.raises(HardgenError, match=r"'relief' is already registered by .*a\.yaml:Relief") as caught:
        registry.load_file(tmp_path / "b.yaml")
    assert "\n" not in str(caught.value)


def recipe(parameters: str, tmp_path: Path) -> Recipe:
    file = tmp_path / "mine.yaml"
    file.write_text(EMBOSS.replace("{alpha: [value, value], strength: [0.5, 0.5]}", parameters))
    return read_recipes(file, "module")[0]


@pytest.mark.parametrize(
    ("written", "value", "side", "expected"),
    [
        ("[-value, value]", 0.3, 100, (-0.3, 0.3)),
        ("value of the short side", 0.02, 150, 3.0),
        ("'value of the short side, odd'", 0.02, 400, 9),
        ("'value of the short side, odd'", 0.001, 100, 3),
        ("[value, '0.07 of the short side, odd']", 0.3, 224, (0.3, 15)),
        ("'-value, whole'", 4.6, 9, -5),
        ("{x: [value, keep], y: 2}", 0.5, 9, {"x": (0.5, "keep"), "y": 2}),
    ],
)
def test_words_stand_for_numbers(written: str, value: float, side: int, expected: object, tmp_path: Path) -> None:
    made = recipe(f"{{alpha: {written}}}", tmp_path).arguments(value, side)["alpha"]
    assert made == pytest.approx(expected) if isinstance(expected, float) else made == expected
