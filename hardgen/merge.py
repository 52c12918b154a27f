"""The end of a multirun: the jobs' runs become one table and one report."""

from pathlib import Path
from typing import Any

import polars as pl
from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from hardgen.files import atomic_path
from hardgen.jobs import DONE, FAILED, JOB, LOG, read_job
from hardgen.progress import console
from hardgen.provenance import counted
from hardgen.report.page import make_report
from hardgen.sweeps.merging import merge
from hardgen.sweeps.reading import MANIFEST, read_manifest

failed: list[dict[str, Any]] = []
"""Jobs of this process's last multirun that failed."""

JOBS = "jobs.csv"

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
        that failed are named; the others are merged. `jobs.csv` lists them all.
        """
        folder = Path(config.hydra.sweep.dir)
        since = (folder / STARTED).stat().st_mtime_ns
        folders = sorted((p for p in folder.iterdir() if p.is_dir() and p.name.isdigit()), key=lambda p: int(p.name))
        jobs = {p: read_job(p) for p in folders if (p / JOB).exists() and (p / JOB).stat().st_mtime_ns >= since}
        (folder / STARTED).unlink()
        failed[:] = [job for job in jobs.values() if job["status"] == FAILED]
        if not jobs:
            lost = f"no job left a trace in {folder.resolve()}: every machine must see that folder, by that path"
            failed.append({"job": -1, "status": FAILED, "overrides": "", "error": lost})
        for job in failed:
            which = f"job {job['job']}: {job['overrides']}: " if jobs else ""
            line = f"hardgen: error: {which}{job['error']}"
            console.print(line, style="red", markup=False, soft_wrap=True)
        if not jobs:
            return
        with atomic_path(folder / JOBS) as temporary:
            pl.DataFrame(list(jobs.values())).write_csv(temporary)
        done = [p for p, job in jobs.items() if job["status"] == DONE and (p / MANIFEST).is_file()]
        if done:
            merge(done, folder)
            page = make_report([folder])
            if "shards" in (data := read_manifest(folder)["data"]):
                console.print(f"The tables hold {counted(data)} images", style="yellow", markup=False, soft_wrap=True)
            console.print(f"{len(done)} runs merged. Open {page}", markup=False, soft_wrap=True)
        if failed:
            where = f"{folder / JOBS} says which, the {LOG} of each says why"
            again = "the same command with the same out= runs those alone"
            console.print(f"{len(failed)} of {len(jobs)} jobs failed; {where}; {again}", markup=False, soft_wrap=True)
