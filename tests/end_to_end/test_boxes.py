"""Real photographs with real boxes: occlusion of the object, exact, through a manifest and the command line."""

import csv
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from hardgen.cli import main
from hardgen.data.loading import load, to_batch
from hardgen.data.manifest import Manifest
from hardgen.pipeline import Pipeline, build


@pytest.fixture
def manifest(test_data: Path, tmp_path: Path) -> Path:
    """A CSV with the largest box of 24 COCO photographs."""
    rows = []
    for path in sorted((test_data / "coco128_val" / "labels").glob("*.txt")):
        picture = test_data / "coco128_val" / "images" / f"{path.stem}.jpg"
        lines = [line.split() for line in path.read_text().splitlines()]
        if not lines:
            continue
        with Image.open(picture) as image:
            width, height = image.size
        name, x, y, w, h = max(((int(r[0]), *map(float, r[1:])) for r in lines), key=lambda r: r[3] * r[4])
        if 0.05 < w * h < 0.8 and abs(x - 0.5) < 0.2 and abs(y - 0.5) < 0.2:
            box = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height]
            rows.append([str(picture), name, *(f"{v:.1f}" for v in box)])
    assert len(rows) >= 24
    with (tmp_path / "boxes.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["path", "label", "x0", "y0", "x1", "y1"])
        writer.writerows(rows[:24])
    return tmp_path / "boxes.csv"


@pytest.mark.parametrize("name", ["rectangle", "holes", "grid", "bars"])
@pytest.mark.parametrize("fraction", [0.3, 0.81, 0.95])
def test_a_fraction_of_the_object_is_that_fraction(manifest: Path, name: str, fraction: float) -> None:
    data = Manifest(path=str(manifest), resize=256, crop=224, n_classes=80).build()
    samples = list(load(data, range(len(data))))
    batch = to_batch(samples, data.classes)  # type: ignore[arg-type]
    pipeline = Pipeline({"a": build(name, {"fraction": fraction, "target": "object"})})
    doses = pipeline(batch, pipeline.rngs(0, batch)).doses
    assert doses["a.target_covered"].tolist() == pytest.approx([fraction] * len(data), abs=0.01)


def test_the_dose_reaches_the_manifest_of_generated_variants(manifest: Path, tmp_path: Path) -> None:
    words = [f"data.path={manifest}", "data.resize=256", "data.crop=224", "data.n_classes=80", "data.limit=6"]
    more = [
        "pipeline=[rectangle,clutter]",
        "pipeline.rectangle.target=object",
        "hardness=[0.6]",
        f"out={tmp_path / 'v'}",
    ]
    assert main(["generate", "data=manifest", *words, *more]) == 0
    table = pl.read_parquet(tmp_path / "v" / "manifest.parquet")
    covered = table["rectangle.target_covered"].drop_nulls().to_list()
    assert covered == pytest.approx([0.57] * 6, abs=0.01)
    assert table["clutter.target_covered"].drop_nulls().to_list() == [0.0] * 6
    assert (Path(tmp_path / "v") / table["file"][0]).exists()
