"""Graded variants on disk: an image folder for each condition, and a manifest with a row for every file."""

import functools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.batch import Batch
from hardgen.data.dataset import Dataset
from hardgen.data.loading import Failure, load, to_batch
from hardgen.errors import HardgenError
from hardgen.files import digest, locked
from hardgen.perturbation import Outcome
from hardgen.progress import progress
from hardgen.sweeps.ask import dose_columns, variants
from hardgen.sweeps.parts import keep_failures, kept_failures, same_failures, take
from hardgen.sweeps.plan import Condition, Plan
from hardgen.sweeps.settings import Settings, moved, pool_on
from hardgen.sweeps.shards import PART
from hardgen.tables import read_table, write_table
from hardgen.variant_files import Format, clear_others, is_whole, safe_names, variant_names, write_image


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
    doses (`slot.dose`); and the moved boxes where the data have boxes. Every class has a folder in every condition, so
    that each condition is an image folder with the data's classes. Parts that are complete, with all their files, are
    not made again; what another configuration wrote into the same folder is removed first.

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
    with locked(out):
        return _generate(plan, dataset, settings, out, image_format, quality)


def _generate(
    plan: Plan, dataset: Dataset, settings: Settings, out: Path, image_format: Format, quality: int
) -> list[Failure]:
    """What `generate` does while the folder is held."""
    ids = dataset.ids()
    names = variant_names(ids, dataset.labels(), dataset.classes)
    cells = plan.cells
    how = (str(settings.seed), image_format.name, str(quality) if image_format is Format.jpeg else "")
    key = digest(dataset.fingerprint(), *how, *(cell.id for cell in cells))[:12]
    spans = [range(len(ids))[start : start + PART] for start in range(0, len(ids), PART)]
    files = [out / "parts" / f"{i:05d}-{key}.parquet" for i in range(len(spans))]
    clear_others(out, files)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        todo = [
            (span, file)
            for span, file in zip(spans, files, strict=True)
            if not is_whole(file, out, threads) or not same_failures(_failures(file), dataset, span, settings.on_error)
        ]
    for cell in cells:
        for name in safe_names(dataset.classes):
            (out / folder_of(cell) / name).mkdir(parents=True, exist_ok=True)
    left = sum(len(span) for span, _ in todo) * len(cells)
    pool = pool_on(dataset, settings) if todo else None
    stream = load(dataset, [i for span, _ in todo for i in span], settings.workers, settings.on_error)
    write = functools.partial(write_image, image_format=image_format, quality=quality)
    with (
        ThreadPoolExecutor(os.cpu_count()) as threads,
        progress("generate", len(ids) * len(cells), "images", len(ids) * len(cells) - left) as advance,
    ):
        for span, file in todo:
            samples, failed = take(stream, len(span))
            keep_failures(_failures(file), failed)
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
    return kept_failures([_failures(file) for file in files])


def _failures(file: Path) -> Path:
    """Where the unreadable samples of a part are kept."""
    return file.with_suffix(".failures.json")


def folder_of(condition: Condition) -> str:
    """The folder of a condition: `clean`, or `blur.sigma_0.05`, several axes joined by commas."""
    return ",".join(f"{p.axis}_{p.value:.10g}" for p in condition.points) or "clean"


def _pixels(batch: Batch) -> list[NDArray[np.uint8]]:
    images = (batch.images * 255).round().byte().permute(0, 2, 3, 1).cpu().numpy()
    return [cv2.cvtColor(image, cv2.COLOR_RGB2BGR) for image in images]


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
