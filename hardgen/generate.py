"""Graded variants on disk: an image folder for each condition, and a manifest with a row for every file."""

import enum
import functools
import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import cv2
import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.batch import Batch
from hardgen.data.dataset import Dataset
from hardgen.data.loading import Failure, load, to_batch
from hardgen.errors import HardgenError
from hardgen.files import digest
from hardgen.perturbation import Outcome
from hardgen.progress import progress
from hardgen.sweeps.ask import dose_columns, variants
from hardgen.sweeps.plan import Condition, Plan
from hardgen.sweeps.run import PART, Settings, keep_failures, kept_failures, moved, pool_on, take
from hardgen.tables import read_table, write_table


class Format(enum.Enum):
    """How images are written."""

    png = "png"
    """Lossless: what is on disk equals what a sweep shows its models."""
    jpeg = "jpeg"
    """Lossy, by choice; the codec then is part of the variant."""


def generate(
    plan: Plan,
    dataset: Dataset,
    settings: Settings,
    out: Path,
    image_format: Format = Format.png,
    quality: int = 95,
) -> list[Failure]:
    """Writes every variant, and `out/manifest.parquet`.

    The manifest has one row per file: file, condition_id, sample_id, label, class, spec, seed, sha256 of the file; for
    every axis the value asked for (`slot.knob.requested`, null where the condition leaves it neutral); the realised
    doses (`slot.dose`); and the moved boxes where the data have boxes. Parts that are complete are not made again.

    Args:
        plan: The conditions.
        dataset: The images.
        settings: How to run.
        out: The folder to write to.
        image_format: PNG or JPEG.
        quality: Of JPEG, 1 to 100.

    Returns:
        The samples that could not be read.

    Raises:
        HardgenError: for a quality out of range.
    """
    if not 1 <= quality <= 100:
        raise HardgenError(f"quality must be in [1, 100]; got {quality}")
    ids = dataset.ids()
    names = _file_names(ids, [dataset.classes[label] for label in dataset.labels()])
    cells = plan.cells
    how = (str(settings.seed), image_format.name, str(quality))
    key = digest(dataset.fingerprint(), *how, *(cell.id for cell in cells))[:12]
    spans = [range(len(ids))[start : start + PART] for start in range(0, len(ids), PART)]
    files = [out / "parts" / f"{i:05d}-{key}.parquet" for i in range(len(spans))]
    todo = [(span, file) for span, file in zip(spans, files, strict=True) if not file.exists()]
    left = sum(len(span) for span, _ in todo) * len(cells)
    pool = pool_on(dataset, settings) if todo else None
    stream = load(dataset, [i for span, _ in todo for i in span], settings.workers, settings.on_error)
    write = functools.partial(_write, image_format=image_format, quality=quality)
    with (
        ThreadPoolExecutor(os.cpu_count()) as threads,
        progress("generate", len(ids) * len(cells), "images", len(ids) * len(cells) - left) as advance,
    ):
        for span, file in todo:
            samples, failed = take(stream, len(span))
            keep_failures(file.with_suffix(".failures.json"), failed)
            rows: list[pl.DataFrame] = []
            for start in range(0, len(samples), settings.batch_size):
                batch = moved(to_batch(samples[start : start + settings.batch_size], dataset.classes, pool), settings)
                for cell, outcome in zip(cells, variants(plan.pipeline, cells, batch, settings.seed), strict=True):
                    paths = [f"{folder_of(cell)}/{names[i]}.{image_format.name}" for i in batch.ids]
                    places = [out / path for path in paths]
                    sums = list(threads.map(write, places, _pixels(outcome.batch)))
                    rows.append(_rows(cell, outcome, dataset.classes, paths, sums, settings.seed))
                    advance(len(batch))
            advance(len(failed) * len(cells))
            write_table(file, pl.concat([pl.DataFrame(schema={"file": pl.String}), *rows], how="diagonal"))
    write_table(out / "manifest.parquet", pl.concat([read_table(file) for file in files], how="diagonal"))
    return kept_failures([file.with_suffix(".failures.json") for file in files])


def folder_of(condition: Condition) -> str:
    """The folder of a condition: `clean`, or `blur.sigma_0.05`, several axes joined by commas."""
    return ",".join(f"{p.axis}_{p.value:.10g}" for p in condition.points) or "clean"


def _file_names(ids: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """`class/stem` for every sample, so that each condition is itself an image folder; made unique where stems meet."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for sample_id, label in zip(ids, classes, strict=True):
        safe = "".join("_" if c in '/\\:*?"<>|' else c for c in label)
        name = f"{safe}/{PurePosixPath(sample_id).stem}"
        if name in taken:
            name = f"{name}-{digest(sample_id)[:8]}"
        taken.add(name)
        names[sample_id] = name
    return names


def _pixels(batch: Batch) -> list[NDArray[np.uint8]]:
    images = (batch.images * 255).round().byte().permute(0, 2, 3, 1).cpu().numpy()
    return [cv2.cvtColor(image, cv2.COLOR_RGB2BGR) for image in images]


def _write(path: Path, pixels: NDArray[np.uint8], image_format: Format, quality: int) -> str:
    """Encodes one image and writes it whole; returns the SHA-256 of the file."""
    lossless = image_format is Format.png
    options = [cv2.IMWRITE_PNG_COMPRESSION, 3] if lossless else [cv2.IMWRITE_JPEG_QUALITY, quality]
    _, encoded = cv2.imencode(f".{image_format.name}", pixels, options)
    data = encoded.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
    return hashlib.sha256(data).hexdigest()


def _rows(
    condition: Condition, outcome: Outcome, classes: Sequence[str], files: Sequence[str], sums: Sequence[str], seed: int
) -> pl.DataFrame:
    batch = outcome.batch
    n = len(batch)
    columns: dict[str, object] = {
        "file": list(files),
        "condition_id": [condition.id] * n,
        "sample_id": list(batch.ids),
        "label": list(batch.labels),
        "class": [classes[label] for label in batch.labels],
        "spec": [condition.pipeline.spec_json()] * n,
        "seed": [seed] * n,
        "sha256": list(sums),
    }
    columns |= {f"{p.axis}.requested": [float(p.value)] * n for p in condition.points}
    if batch.boxes is not None:
        columns["boxes"] = [rows.tolist() for rows in batch.boxes]
    return pl.DataFrame(columns).with_columns(dose_columns(outcome))
