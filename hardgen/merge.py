"""The end of a multirun: the jobs' runs become one table and one report."""

import json
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from hardgen.progress import console
from hardgen.report.page import make_report
from hardgen.sweeps.merging import merge
from hardgen.sweeps.results import MANIFEST

FAILED = "failed.json"
"""Left in the folder of a job that could not do its work: the reason."""

failed: list[str] = []
"""Jobs of this process's last multirun that failed, with their reasons."""


STARTED = ".started"
"""Left in the multirun's folder when it begins, so that the runs of an earlier one are told from its own."""


class MergeRuns(Callback):
    """Hydra calls this when a multirun begins and when all its jobs have ended."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Marks the time, on the clock of the folder's own disk."""
        folder = Path(config.hydra.sweep.dir)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STARTED).write_text("")

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Merges this multirun's runs into its folder.

        Job folders are read in the order of their numbers; what an earlier multirun left there is passed over. Jobs
        that failed are named; the others are merged.
        """
        folder = Path(config.hydra.sweep.dir)
        since = (folder / STARTED).stat().st_mtime_ns
        jobs = sorted((p for p in folder.iterdir() if p.is_dir() and p.name.isdigit()), key=lambda p: int(p.name))
        own = {job: {n for n in (FAILED, MANIFEST) if _written(job / n) >= since} for job in jobs}
        failed[:] = [f"job {j.name}: {json.loads((j / FAILED).read_text())}" for j in jobs if FAILED in own[j]]
        for line in failed:
            console.print(f"hardgen: error: {line}", style="red", markup=False, soft_wrap=True)
        done = [job for job in jobs if own[job] == {MANIFEST}]
        (folder / STARTED).unlink()
        if done:
            merge(done, folder)
            page = make_report([folder])
            console.print(f"{len(done)} runs merged. Open {page}", markup=False, soft_wrap=True)


def _written(path: Path) -> int:
    """When a file was last written, in nanoseconds; -1 where there is none."""
    return path.stat().st_mtime_ns if path.exists() else -1
