"""Checks of what a perturbation does to pixels."""

import torch

from hardgen.batch import Batch
from hardgen.functional.coded import Coded
from hardgen.functional.sources import to_codes
from hardgen.perturbation import Perturbation
from hardgen.pipeline import rounded
from hardgen.testing.contract import choices, exempt, outcome, pixels, require, rmse, turned, turns, widest
from hardgen.testing.samples import GREY, HALVES, sample_batch

SIZES = ((64, 200), (200, 64), (17, 33), (1, 300), (4, 4), (1, 1))
STEPS = 11
JUST_ABOVE = 1e-3


def neutral_is_identity(cls: type[Perturbation], device: str) -> None:
    """Every knob at neutral gives the input bit for bit, and just above neutral the image does not jump."""
    clean = sample_batch(device=device)
    for batch in (clean, rounded(clean)):
        for name, perturbation in turns(cls, 0.0):
            require(torch.equal(pixels(perturbation, batch), batch.images), f"{name} is neutral but changes pixels")
    for knob, spec in cls.knobs().items():
        if not spec.integer:
            near, far = (rmse(pixels(turned(cls, knob, h), clean), clean.images) for h in (JUST_ABOVE, 1.0))
            jump = float((near - 0.1 * far).max())
            require(jump <= 0.01, f"{knob}: just above neutral an image jumps by {jump:.3f} of full scale")


def input_untouched(cls: type[Perturbation], device: str) -> None:
    """Images, boxes, masks and donors of the input stay as they were."""
    for name, perturbation in turns(cls, 1.0):
        batch, same = sample_batch(device=device), sample_batch(device=device)
        pixels(perturbation, batch)
        assert batch.masks is not None
        assert same.masks is not None
        assert batch.boxes is not None
        assert same.boxes is not None
        assert batch.donors is not None
        assert same.donors is not None
        require(torch.equal(batch.images, same.images), f"{name} writes into the images it was given")
        require(torch.equal(batch.masks, same.masks), f"{name} writes into the masks it was given")
        require(all(map(torch.equal, batch.boxes, same.boxes)), f"{name} writes into the boxes it was given")
        require(torch.equal(batch.donors.images, same.donors.images), f"{name} writes into the donors")


def finite_in_range(cls: type[Perturbation], device: str) -> None:
    """Images come back float32, finite, in [0, 1], channels_last and of the same shape; doses one number per image."""
    batch = sample_batch(device=device)
    for name, perturbation in turns(cls, 0.25, 0.5, 1.0):
        got = outcome(perturbation, batch)
        images = got.batch.images
        require(images.shape == batch.images.shape, f"{name} changes the shape to {tuple(images.shape)}")
        require(images.dtype == torch.float32, f"{name} gives {images.dtype}, not torch.float32")
        require(bool(images.isfinite().all()), f"{name} gives values that are not finite")
        require(float(images.min()) >= 0 and float(images.max()) <= 1, f"{name} leaves [0, 1]")
        require(images.is_contiguous(memory_format=torch.channels_last), f"{name} gives images not channels_last")
        require(got.batch.ids == batch.ids and got.batch.labels == batch.labels, f"{name} changes ids or labels")
        for dose, value in got.doses.items():
            require(tuple(value.shape) == (len(batch),), f"{name}: dose {dose} is not one number per image")
            require(bool(value.isfinite().all()), f"{name}: dose {dose} is not finite")


def does_something(cls: type[Perturbation], device: str) -> None:
    """Every knob at its hardest changes at least half of the images."""
    batch = sample_batch(device=device)
    for name, perturbation in turns(cls, 1.0):
        changed = int((rmse(pixels(perturbation, batch), batch.images) > 1e-3).sum())
        require(changed * 2 >= len(batch), f"{name} changes {changed} of {len(batch)} images")


def grey_stays_grey(cls: type[Perturbation], device: str) -> None:
    """Grey images keep R = G = B, alone and among coloured ones, and images of one channel go through."""
    grey, single = sample_batch(device=device, pick=(GREY, HALVES)), sample_batch(device=device, channels=1)
    mixed = sample_batch(300, 1, device, pick=(0, GREY))
    for name, perturbation in turns(cls, 0.5, 1.0):
        for images in (pixels(perturbation, grey), pixels(perturbation, mixed)[1:]):
            require(torch.equal(images, images[:, :1].expand_as(images)), f"{name} colours a grey image")
        images = pixels(perturbation, single)
        require(images.shape == single.images.shape, f"{name} makes {images.shape[1]} channels of 1")
        require(bool(images.isfinite().all()), f"{name} gives values that are not finite for 1 channel")


def any_size(cls: type[Perturbation], device: str) -> None:
    """Oblong, odd and tiny images go through, with shape and range kept."""
    for height, width in SIZES:
        batch = sample_batch(height, width, device, pick=(0, GREY))
        for name, perturbation in turns(cls, 0.5, 1.0):
            try:
                images = pixels(perturbation, batch)
            except Exception as error:
                raise AssertionError(f"{name} at {height}x{width}: {type(error).__name__}: {error}") from error
            require(images.shape == batch.images.shape, f"{name} changes the shape of {height}x{width}")
            require(bool(((images >= 0) & (images <= 1)).all()), f"{name} leaves [0, 1] at {height}x{width}")


def bytes_agree(cls: type[Perturbation], device: str) -> None:
    """Pictures that are still a file's bytes come out as the same pictures given as floats, with the same doses."""
    del device  # bytes lie on the CPU
    for channels in (3, 1):
        batch = rounded(sample_batch(40, 56, pick=(0, 3, GREY), channels=channels))
        coded = batch.replace(Coded(to_codes(batch.images)), on_grid=True)
        for name, perturbation in choices(cls, 0.5):
            theirs, ours = (outcome(perturbation, b) for b in (batch, coded))
            off = widest(ours.batch.images, theirs.batch.images)
            require(off < 1e-4, f"{name}: pixels from bytes of {channels} channels differ by {off:.4f}")
            off = widest(rounded(ours.batch).images, rounded(theirs.batch).images)
            require(off < 1.01 / 255, f"{name}: rounded pixels from bytes of {channels} channels differ by {off:.4f}")
            require(set(ours.doses) == set(theirs.doses), f"{name}: bytes have the doses {sorted(ours.doses)}")
            for dose, value in theirs.doses.items():
                same = torch.allclose(ours.doses[dose], value, atol=1e-5, rtol=1e-3, equal_nan=True)
                require(same, f"{name}: the dose {dose} of bytes of {channels} channels differs")


def monotone(cls: type[Perturbation], device: str) -> None:
    """As a knob turns from neutral to hardest, no image's RMSE to the clean one ever falls."""
    batch = sample_batch(device=device)
    for knob in cls.knobs():
        if exempt(cls, "monotone", knob):
            continue
        before = rmse(batch.images, batch.images)
        for step in range(1, STEPS):
            hardness = step / (STEPS - 1)
            now = rmse(pixels(turned(cls, knob, hardness), batch), batch.images)
            worst = int((before - now).argmax())
            require(
                float(before[worst] - now[worst]) <= 2e-6,
                f"{knob} at hardness {hardness:g}: {batch.ids[worst]}'s RMSE falls "
                f"from {before[worst]:.5f} to {now[worst]:.5f}",
            )
            before = now


def device_agrees(cls: type[Perturbation], device: str) -> None:
    """The device gives the CPU's pixels: within 1/255 for 99.9% of the values. Nothing to compare on "cpu"."""
    if device == "cpu":
        return
    here, there = sample_batch(), sample_batch(device=device)
    for name, perturbation in turns(cls, 0.5, 1.0):
        close = (pixels(perturbation, here) - pixels(perturbation, there).cpu()).abs() <= 1 / 255
        share = float(close.float().mean())
        require(share >= 0.999, f"{name}: {1 - share:.2%} of the values differ from the CPU's by more than 1/255")


def same_pixels(a: Perturbation, b: Perturbation, batch: Batch) -> bool:
    """Whether two perturbations give the same pixels."""
    return widest(pixels(a, batch), pixels(b, batch)) == 0.0
