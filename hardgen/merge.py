"""The end of a multirun: the jobs' runs become one table and one report."""

import json
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from hardgen.progress import console
from hardgen.report.page import make_report
from hardgen.sweeps.merging import merge

FAILED = "failed.json"
"""Left in the folder of a job that could not do its work: the reason."""

failed: list[str] = []
"""Jobs of this process's last multirun that failed, with their reasons."""


class MergeRuns(Callback):
    """Hydra calls this when all jobs of `sweep -m` have ended."""

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Merges the runs below the multirun's folder into that folder.

        Job folders are read in the order of their numbers. Jobs that failed are named; the others are merged.
        """
        folder = Path(config.hydra.sweep.dir)
        jobs = sorted((p for p in folder.iterdir() if p.is_dir() and p.name.isdigit()), key=lambda p: int(p.name))
        failed[:] = [
            f"job {job.name}: {json.loads((job / FAILED).read_text())}" for job in jobs if (job / FAILED).exists()
        ]
        for line in failed:
            console.print(f"hardgen: error: {line}", style="red", markup=False, soft_wrap=True)
        done = [job for job in jobs if (job / "manifest.json").exists() and not (job / FAILED).exists()]
        if not done:
            return
        merge(done, folder)
        page = make_report([folder])
        console.print(f"{len(done)} runs merged. Open {page}", markup=False, soft_wrap=True)
