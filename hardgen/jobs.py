"""What becomes of each job of a multirun, kept in its folder."""

import json
import os
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hardgen.errors import HardgenError, one_line
from hardgen.files import atomic_path
from hardgen.progress import console

JOB = "job.json"
LOG = "error.log"
RUNNING, DONE, FAILED = "running", "done", "failed"


class Job:
    """One job's record: `job.json` says whether it runs, is done or failed, and `error.log` holds the traceback."""

    def __init__(self, folder: Path, overrides: Sequence[str]) -> None:
        """Names the job's folder, and what sets it apart from the others."""
        self._folder, self._overrides = folder, list(overrides)

    def begins(self) -> None:
        """Takes the marks of an earlier attempt away."""
        (self._folder / LOG).unlink(missing_ok=True)
        self._write(RUNNING)

    def ends(self) -> None:
        """Says that all is done."""
        self._write(DONE)

    def fails(self, error: Exception, unexpected: bool) -> None:
        """Keeps an error; one that is no mistake of the user's is shown in full, for it is to be reported."""
        if unexpected:
            console.print(traceback.format_exc(), markup=False, soft_wrap=True)
        with atomic_path(self._folder / LOG) as temporary:
            temporary.write_text(traceback.format_exc(), encoding="utf-8", errors="backslashreplace")
        self._write(FAILED, one_line(error))

    def _write(self, status: str, error: str = "") -> None:
        with atomic_path(self._folder / JOB) as temporary:
            temporary.write_text(json.dumps({"overrides": self._overrides, "status": status, "error": error}) + "\n")


def enter_folder() -> None:
    """Goes to the folder in which the command was given, so that relative paths of a job's config hold.

    Raises:
        HardgenError: if this machine has no such folder.
    """
    folder = os.environ["HARDGEN_FOLDER"]
    try:
        os.chdir(folder)
    except OSError as error:
        raise HardgenError(f"this machine does not see the folder that the command was given in: {folder}") from error


def read_job(folder: Path) -> dict[str, Any]:
    """What a job's folder says of it: `job`, `status`, `overrides`, `error`."""
    row = json.loads((folder / JOB).read_text())
    killed = row["status"] == RUNNING
    return {
        "job": int(folder.name),
        "status": FAILED if killed else row["status"],
        "overrides": " ".join(row["overrides"]),
        "error": "it was killed before it ended" if killed else row["error"],
    }
