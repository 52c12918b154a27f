"""Written words: their height, place, wording and blending."""

import numpy as np
import pytest
import torch

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.functional.layering import Stamp, overlaps, share, stamp
from hardgen.functional.text import drawable, word_mask
from hardgen.perturbation import Outcome, Perturbation
from hardgen.perturbations.distractors.text import TextOverlay, Watermark, Words, word_at
from hardgen.rng import SampleRng

CLASSES = ("hen", "crane, bird", "crane, machine", "Zug")


def plain(n: int = 12, size: int = 100, classes: tuple[str, ...] = CLASSES, label: int = 0, **more: object) -> Batch:
    images = torch.full((n, 3, size, size), 0.5).contiguous(memory_format=torch.channels_last)
    ids = tuple(f"s{i}" for i in range(n))
    return Batch(images, ids, labels=(label,) * n, classes=classes, **more)  # type: ignore[arg-type]


def run(perturbation: Perturbation, batch: Batch) -> Outcome:
    return perturbation(batch, SampleRng(0, "slot", batch.ids))


@pytest.mark.parametrize("height", [3, 8, 20, 67, 200])
def test_capitals_have_the_height_asked_for(height: int) -> None:
    _, letters = word_mask("HEFT", height, 10_000)
    rows = np.nonzero((letters > 0.4 * letters.max()).any(1))[0]
    assert abs(rows[-1] - rows[0] + 1 - height) <= 1


def test_outline_goes_round_the_letters() -> None:
    outline, letters = word_mask("HEFT", 40, 10_000)
    assert bool((outline >= letters).all())
    wide, slim = (np.nonzero((a > 127).any(0))[0] for a in (outline, letters))
    assert abs(slim[0] - wide[0] - 4) <= 1
    assert abs(wide[-1] - slim[-1] - 4) <= 1


def test_wide_words_are_condensed_at_full_height() -> None:
    free, tight = (word_mask("CROCODILE", 30, width)[1] for width in (10_000, 90))
    assert tight.shape == (free.shape[0], 90)
    assert tight.mean() == pytest.approx(free.mean(), rel=0.02)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("hen", "HEN"), (" Crème  brûlée ", "CREME BRULEE"), ("中国 dog", "DOG"), ("犬", ""), ("a\nb", "A B"), ("", "")],
)
def test_what_the_font_lacks_is_left_out(text: str, drawn: str) -> None:
    assert drawable(text) == drawn


@pytest.mark.parametrize("height", [0.05, 0.1, 0.2, 0.3])
def test_overlay_has_its_height_and_says_so(height: float) -> None:
    got = run(TextOverlay(height=height), plain(n=3, size=400, classes=("hen", "HEFT")))
    assert got.doses["text_height"].tolist() == pytest.approx([height] * 3)
    for image in got.batch.images:
        rows = (image[0] > 0.8).any(1).nonzero()
        assert abs(int(rows[-1] - rows[0]) + 1 - height * 400) <= 1


def test_text_shows_on_white_and_on_black() -> None:
    for ground in (0.0, 1.0):
        batch = plain()
        got = run(TextOverlay(height=0.2), batch.replace(torch.full_like(batch.images, ground)))
        assert float(got.doses["rmse"].min()) > 0.15


def written(batch: Batch, texts: set[str], height: float = 0.2, words: str = "wrong_label") -> set[str]:
    """Which of some texts was written, by the letters' share of the image; every image must match one."""
    images = run(TextOverlay(height=height, words=words), batch).batch.images  # type: ignore[arg-type]
    found = set()
    for image in images:
        lit = float((image[0] > 0.75).sum())
        inks = {t: float((word_at(t, round(height * 100), (100, 100), (0, 0)).letters > 0.75).sum()) for t in texts}
        best = min(inks, key=lambda t: abs(inks[t] - lit))
        assert abs(inks[best] - lit) <= 0.02 * inks[best]
        found.add(best)
    return found


def test_words_are_chosen_by_label() -> None:
    assert written(plain(), {"HEN", "CRANE", "ZUG"}) == {"CRANE", "ZUG"}
    assert written(plain(label=1), {"HEN", "CRANE", "ZUG"}) == {"HEN", "ZUG"}
    assert written(plain(label=2), {"HEN", "CRANE", "ZUG"}, words="label") == {"CRANE"}
    assert written(plain(classes=("hen", "犬")), {"HEN", "CLASS 1"}) == {"CLASS 1"}


@pytest.mark.parametrize("words", ["wrong_label", "label"])
def test_labels_are_asked_for_by_name(words: Words) -> None:
    overlay = TextOverlay(height=0.1, words=words)
    with pytest.raises(HardgenError, match=rf"text_overlay\.words={overlay.words.name} needs data with class names"):
        run(overlay, plain(classes=()))
    with pytest.raises(HardgenError, match="sample 's0' has no class"):
        run(overlay, plain(label=-1))
    assert run(TextOverlay(height=0.1, words=Words.random_word), plain(classes=(), label=-1)).doses["rmse"].min() > 0


def test_a_wrong_label_needs_a_second_class() -> None:
    with pytest.raises(HardgenError, match="needs a second class"):
        run(TextOverlay(height=0.1), plain(classes=("hen", "HEN")))


def test_place_spares_the_target_and_is_kept_as_the_text_grows() -> None:
    masks = torch.zeros(12, 1, 100, 100, dtype=torch.bool)
    masks[:, :, :40] = True
    before = torch.zeros(12, 100, 100, dtype=torch.bool)
    for height in (0.06, 0.12, 0.18, 0.24, 0.3):
        got = run(TextOverlay(height=height), plain(masks=masks))
        assert float(got.doses["target_covered"].max()) <= 0.1
        changed = (got.batch.images[:, 0] - 0.5).abs() > 0.02
        frame = torch.zeros_like(changed)
        for image, room, old in zip(changed, frame, before, strict=True):
            y, x = image.nonzero().unbind(1)
            room[max(int(y.min()) - 1, 0) : int(y.max()) + 2, max(int(x.min()) - 1, 0) : int(x.max()) + 2] = True
            assert not bool((old & ~room).any())
        before = changed


def test_taller_text_changes_more_of_an_even_ground() -> None:
    batch, before = plain(n=20, size=64), torch.zeros(20)
    for step in range(1, 11):
        now = run(TextOverlay(height=0.03 * step), batch).doses["rmse"]
        assert float((before - now).max()) < 0
        before = now


def test_watermark_is_one_mark_at_every_opacity() -> None:
    batch = plain(n=2)
    full = run(Watermark(opacity=1.0), batch)
    mark = full.batch.images - batch.images
    for opacity in (0.1, 0.5, 0.9):
        got = run(Watermark(opacity=opacity), batch)
        assert torch.allclose(got.batch.images, batch.images + opacity * mark, atol=1e-6)
        assert torch.equal(got.doses["covered"], full.doses["covered"])
    rows, columns = (mark[0, 0] > 0.3).any(1).nonzero(), (mark[0, 0] > 0.3).any(0).nonzero()
    assert abs(int(rows[-1] + rows[0]) - 99) <= 2
    assert abs(int(columns[-1] + columns[0]) - 99) <= 3
    assert abs(int(rows[-1] - rows[0]) + 1 - 16) <= 1


@pytest.mark.parametrize("text", ["", "  ", "犬"])
def test_watermark_needs_text_that_can_be_drawn(text: str) -> None:
    with pytest.raises(HardgenError, match=r"watermark\.text must be at most 100 characters, one of plain"):
        Watermark(text=text)


def test_layering_kernels() -> None:
    mask = torch.zeros(1, 1, 4, 5, dtype=torch.bool)
    mask[0, 0, 1, 1:4] = True
    assert overlaps(mask, 2, 3).tolist() == [[[2, 3, 2], [2, 3, 2], [0, 0, 0]]]
    assert overlaps(mask, 4, 5).tolist() == [[[3]]]
    assert share(mask).item() == pytest.approx(0.15)
    assert share(torch.ones(1, 1, 4, 5) * 0.5, mask).item() == pytest.approx(0.5)


def test_stamp_paints_black_then_white_and_is_cut_at_the_frame() -> None:
    images = torch.full((2, 3, 3, 3), 0.4)
    mark = Stamp(torch.tensor([[1.0, 0.5], [1.0, 1.0]]), torch.tensor([[0.0, 0.0], [0.25, 1.0]]), 1, 2)
    out, painted = stamp(images, [None, mark])
    assert torch.equal(out[0], images[0])
    assert out[1, 0].flatten().tolist() == pytest.approx([0.4] * 5 + [0.0] + [0.4] * 2 + [0.25])
    assert painted[1, 0].flatten().tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 1]
    assert float(images.min()) == pytest.approx(0.4)
